#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Processes that share the ranks of a trace give the same answer to the last byte as one process, and each reads the files of
# its ranks; where they cannot, they share the replicas, and --verbose says why (TAP).
# shellcheck source=tests/simulate/mpgsim.sh
. "$(dirname "$0")/mpgsim.sh"
needs_python
smaller
unset MPGKIT_LIBDIR MPGKIT_ALONE
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
command -v "${MPIRUN%% *}" >/dev/null || skip_all "nothing starts programs of MPI"
export MPGKIT_EVENTS_A_PART=1 # shares the ranks of short traces, too
random=$here/../oracle/randomtrace.py

# same REASON PROCESSES/THREADS,... OPTION...: checks that so many processes, with so many threads each, print what one prints, and
# share the ranks unless for REASON.
same() {
    local reason=$1 each wrong=
    local -a cases
    IFS=, read -ra cases <<<"$2"
    shift 2
    "$mpgsim" --json --threads=1 "$@" >alone 2>alone.err || wrong=" alone: $(cat alone.err)"
    for each in "${cases[@]}"; do
        rm -f answer
        together "$launcher" "${each%/*}" --json --output=answer --verbose --threads="${each#*/}" "$@" && cmp -s alone answer || wrong="$wrong $each: $(cat said)"
        grep -q "not ranks: " said && [ -z "$reason" ] && wrong="$wrong $each: $(cat said)"
        [ -z "$reason" ] || grep -q "not ranks: $reason" said || wrong="$wrong $each: $(cat said)"
    done
    is "$launcher: ${reason:-ranks are shared}: $*" "$wrong" ""
}

for pattern in ring stencil alltoall; do
    mkdir $pattern && "$build/tests/speed/speed_trace" $pattern 9 6 $pattern
done
kinds=send,pair,isend,recv,irecv,sendrecv,null,wait,waitall,free,persistent,neighbors,isendrecv,mrecv
for seed in 1 2 3; do
    "$python" "$random" --seed $seed --ranks $((2 + 3 * seed)) --steps 120 --clocks shared --kinds $kinds \
        --all-synchronous-safe >program$seed.txt
done
for seed in 5 6; do
    "$python" "$random" --seed $seed --ranks 7 --steps 80 --clocks offsets --kinds collective,icollective,split,pair,wait \
        >program$seed.txt
done
"$python" "$random" --seed 100 --ranks 6 --steps 120 --clocks shared --kinds irecv,isend,send,recv,waitsome,pair,waitany >chosen.txt
"$python" "$random" --seed 8 --ranks 6 --steps 60 --clocks shared --kinds window,pair >windows.txt
sed '/^#clocks/i #fact 0 overhead_call_ns 40\n#fact 3 overhead_call_ns 71' program2.txt >recorded.txt
grep -v '^0 .* Finalize' program2.txt | sed '$d' >cut.txt

# All cases with $launcher.
share_ranks() {
    local key
    same "" 2/1,3/1,4/2 --latency=const:1us --absorb=none ring
    same "" 2/1,4/1 --perturb --noise=exp:2us --latency=gamma:1us,700ns --replicas=5 stencil
    same "" 2/2,3/1 --predict --signature "$reference" --replicas=5 --eager-limit=-1 alltoall
    for key in 1 2 3; do
        same "" 2/1,$((key + 1))/1 --perturb --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 program$key.txt
        same "" 2/1 --predict --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 --eager-limit=100 program$key.txt
    done
    for key in 5 6; do
        same "" 2/1,5/1 --perturb --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 program$key.txt
        same "" 3/1 --predict --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 program$key.txt
    done
    same "" 2/1,3/1 --perturb --source="$reference" --noise=exp:2us --without=choice --replicas=20 \
        --cache=fresh recorded.txt
    same "" 2/1 --perturb --noise=exp:2us --latency=exp:1us --replicas=1500 ring
    same "" 2/1,5/1 --sweep=noise=0:9us:3 --latency=exp:1us --replicas=40 program3.txt
    # What forbids to share ranks, as known before a pass, after the first and while ranks are shared.
    same "calls choose among messages" 2/1 --noise=exp:9us --latency=exp:9us --predict --replicas=20 chosen.txt
    same "times are attributed to places" 2/1 --noise=exp:2us --replicas=5 --where=callsite ring
    same "one-sided communication" 2/1,3/1 --noise=exp:2us --latency=exp:1us --predict --without=choice --replicas=5 windows.txt
    same "one-sided communication" 2/1,4/1 --noise=exp:2us --absorb=none --replicas=5 windows.txt
    same "collectives are expanded into messages" 2/1 --predict --noise=exp:2us --latency=exp:1us --collectives=expand \
        --without=choice --replicas=5 program5.txt

    "$mpgsim" --noise=exp:1us --replicas=3 cut.txt >alone 2>alone.err
    together "$launcher" 3 --noise=exp:1us --replicas=3 cut.txt
    is "$launcher: a trace that ends early: the same error, once" "$?: $(cat said)" "1: $(cat alone.err)"
    together "$launcher" 2 --noise=exp:1us --replicas=3 --output=/dev/full ring
    like "$launcher: a full disk" "$?: $(cat said)" "1: mpgsim: /dev/full: *"
}

launcher=$MPIRUN
share_ranks
if [ -n "${OTHER_MPIRUN-}" ]; then
    launcher=$OTHER_MPIRUN
    share_ranks
else
    skip "another MPI" "there is one MPI here"
fi

# Each process reads the files of its ranks: the sum over processes is the trace, and a little for opening it.
launcher=$MPIRUN
preload=$build/tests/simulate/.libs/libcount_reads.so
cat >counted.sh <<'END_SCRIPT'
READ_COUNT=read.${OMPI_COMM_WORLD_RANK-}${PMI_RANK-} LD_PRELOAD=$preload exec "$@"
END_SCRIPT
# shellcheck disable=SC2016 # awk's
if [ -e "$preload" ] && LD_PRELOAD=$preload "$mpgsim" --version >/dev/null 2>&1; then
    mkdir long && "$build/tests/speed/speed_trace" ring 16 8000 long
    "$mpgsim" --noise=exp:3us long >/dev/null # keeps the results of the first pass
    LD_PRELOAD=$preload READ_COUNT=read.alone "$mpgsim" --noise=exp:3us --replicas=64 --threads=1 long >/dev/null
    export preload
    # shellcheck disable=SC2086 # it may have arguments
    timeout -k 5 120 $launcher -np 4 sh counted.sh "$mpgsim" --noise=exp:3us --replicas=64 --threads=1 long >out 2>err
    ok "each of four processes reads a quarter of the trace ($(cat read.alone): $(cat read.[0-3] | tr '\n' ' '))" \
        awk 'FNR == 1 && FILENAME == "read.alone" { all = $1; next } { n++; bad += !($1 > 0 && $1 < all * 0.4) }
             END { exit !(n == 4 && !bad) }' read.alone read.0 read.1 read.2 read.3
else
    skip "each of four processes reads a quarter of the trace" "nothing can be preloaded (a sanitizer)"
fi
done_testing
