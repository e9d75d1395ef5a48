#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that are begun and left at once give the steps of those that are not (tests/graph/same_steps.c): of random programs,
# of patterns that do nothing else, and of traces with an error in the middle (TAP).
set -u
. "$(dirname "$0")/../tap.sh"
srcdir=${top_srcdir:-.}
build=$(cd "${top_builddir:-.}" && pwd)
srcdir=$(cd "$srcdir" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
same=$build/tests/graph/same_steps
speed=$build/tests/speed/speed_trace
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# at_once NAME TRACE: checks that the graph has the same steps whether or not calls are made in a single step, and that
# some are.
at_once() {
    ok "$1: the same steps" "$same" "$2"
    ok "$1: calls are made at once" [ "$("$same" "$2" | sed -n 's/.* steps, \([0-9]*\) calls at once/\1/p')" -gt 0 ]
}

for pattern in "ring 5 60" "tree 8 60" "wavefront 9 60" "exchange 6 40" "stencil 4 20" "workers 4 60"; do
    # shellcheck disable=SC2086 # a pattern, ranks and steps
    set -- $pattern
    mkdir "$1"
    "$speed" "$1" "$2" "$3" "$1" || exit 1
    case $1 in
    exchange) ok "$1: the same steps" "$same" "$1" ;; # MPI_Sendrecv is never made in a single step
    *) at_once "$1" "$1" ;;
    esac
done

if command -v python3 >/dev/null; then
    blocking=send,send,send,recv,recv,pair,pair,isend,irecv,wait,waitall,sendrecv,probe,null,fail,collective
    seed=1
    for clocks in shared offsets unknown; do
        for ranks in 2 3 5; do
            python3 "$srcdir/tests/oracle/randomtrace.py" --seed=$seed --ranks=$ranks --steps=1500 --kinds=$blocking \
                --clocks=$clocks >program.txt
            "$MPGTRACE" import --text program.txt -o program$seed.trace >/dev/null
            at_once "random program $seed, $ranks ranks, clocks $clocks" program$seed.trace
            seed=$((seed + 1))
        done
    done
    for seed in 11 12 13; do
        python3 "$srcdir/tests/oracle/randomtrace.py" --seed=$seed --ranks=4 --steps=1000 >program.txt
        "$MPGTRACE" import --text program.txt -o program$seed.trace >/dev/null
        ok "random program $seed, calls of all kinds: the same steps" "$same" program$seed.trace
    done
fi

# pairs LAST: prints a trace in which rank 0 sends 20 messages to rank 1, which receives 19, and then makes the call
# LAST.
pairs() {
    awk -v last="$1" 'BEGIN {
        print "#mpgtext 1\n#ranks 2\n#clocks shared\n#comm 0 = 0 1\n0 0 100 Init\n1 0 100 Init"
        for (i = 1; i <= 20; i++) print 0, i * 1000, i * 1000 + 50, "Send comm=0 to=1 tag=3 bytes=" i * 8
        for (i = 1; i <= 19; i++) print 1, i * 1000 + 20, i * 1000 + 90, "Recv comm=0 from=0 tag=3 bytes=" i * 8
        print 1, 20020, 20090, last
        print "0 30000 30100 Finalize\n1 30000 30100 Finalize"
    }'
}
pairs "Recv comm=0 from=0 tag=3 bytes=160" >whole.txt
pairs "Recv comm=0 from=0 tag=3 bytes=159" >short.txt
pairs "Recv comm=0 from=0 tag=4 bytes=160" >other.txt
pairs "Initialized" >none.txt
for name in whole short other none; do
    "$MPGTRACE" import --text $name.txt -o $name.trace >/dev/null
done
at_once "twenty messages" whole.trace
ok "a message that its receive does not hold: the same steps and the same error" "$same" short.trace
ok "a receive that nobody sends: likewise" "$same" other.trace
ok "a message that nobody receives: likewise" "$same" none.trace
done_testing
