#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# However many threads share the replicas, the answer is the same to the last byte, in either mode (TAP).
# shellcheck source=tests/simulate/mpgsim.sh
. "$(dirname "$0")/mpgsim.sh"
needs_python
random=$here/../oracle/randomtrace.py
"$python" "$random" --seed 11 --ranks 6 --steps 150 --clocks shared --hosts 2 >mixed.txt
"$python" "$random" --seed 100 --ranks 6 --steps 120 --clocks shared --hosts 1 \
    --kinds irecv,isend,send,recv,waitsome,testall,fail,fail,pair,waitany >chosen.txt
"$python" "$random" --seed 13 --ranks 9 --steps 90 --clocks shared --hosts 1 --all-synchronous-safe \
    --kinds collective,icollective,pair,wait >together.txt
# Each thread makes its own graph, also of text traces. With hypotheses one thread's steps are handed to the others.
for name in mixed chosen together; do
    "$mpgtrace" import --text $name.txt -o $name.trace || sed 's/^/# /' err
done

# answer THREADS TRACE OPTION...: writes mpgsim's JSON to answer.THREADS.
answer() {
    local threads=$1 trace=$2
    shift 2
    "$mpgsim" --json --threads="$threads" "$@" "$trace" >"answer.$threads" 2>>complaint
}

# same TRACE OPTION...: checks that 1, 2, 3, 5 and 64 threads give the same output.
same() {
    local threads wrong=
    : >complaint
    answer 1 "$@" || wrong="fails"
    for threads in 2 3 5 64; do
        answer "$threads" "$@"
        cmp -s answer.1 "answer.$threads" || wrong="$wrong $threads"
    done
    [ -z "$wrong" ] || sed 's/^/# /' complaint
    is "threads agree: $*" "$wrong" ""
}

for trace in mixed.txt 'chosen.txt --eager-limit=1000000' together.txt; do
    # shellcheck disable=SC2086 # with its option
    same $trace --noise=exp:3us --latency=gamma:1us,700ns --replicas=100
    same $trace --noise=exp:3us --latency=exp:700ns --predict --replicas=97
    same $trace --perturb --signature "$reference" --replicas=64
    same $trace --signature "$reference" --predict --replicas=65 --models=measurement=fixed
    same $trace --perturb --signature "$reference" --models=noise=ecdf --replicas=40 --replicas=first=3
    same $trace --noise=exp:9us --call-noise=normal:0,50ns --absorb=wait --replicas=200
done
for trace in mixed.trace 'chosen.trace --eager-limit=1000000' together.trace; do
    # shellcheck disable=SC2086 # with its option
    same $trace --perturb --signature "$reference" --replicas=64
    same $trace --source "$reference" --perturb --signature "$reference" --compute-ratio=1.5 --replicas=64
    same $trace --noise=exp:3us --latency=exp:700ns --predict --replicas=97
    same $trace --noise=exp:9us --call-noise=normal:0,50ns --replicas=200
    same $trace --noise=exp:9us --replicas=48 --sweep=latency=0:9us:3
    same $trace --noise=exp:9us --replicas=48 --where=callsite
done
for trace in mixed.txt together.txt; do
    same $trace --noise=exp:3us --latency=gamma:1us,700ns --replicas=100 '--hypothesis=drop call=Allgatherv'
    same $trace --noise=exp:3us --latency=exp:700ns --predict --replicas=97 '--hypothesis=drop call=Allgatherv'
done
same together.trace --noise=exp:3us --collectives=expand --replicas=50
same chosen.trace --noise=exp:20us@0,1 --replicas=200
same together.txt --noise=exp:3us --collectives=expand --replicas=50
same together.txt --latency=exp:3us --collectives=expand --predict --replicas=50
same chosen.txt --noise=exp:90us --without=choice --replicas=50
same chosen.txt --noise=exp:20us@0,1 --replicas=200

# In simulated time the replicas of all threads read one graph, which a further thread makes.
shared='--source=none --target=ideal --target=ClusterSize=2 --target=CommStartupTime=3us --target=ByteTransferTime=0.3ns
    --target=PortBandwidth=1e9 --target=Policy=offload'
# shellcheck disable=SC2086 # several options
for trace in mixed.txt mixed.trace together.trace; do
    same $trace $shared --noise=exp:3us --replicas=7
    same $trace ${shared/offload/poll} --noise=exp:3us --replicas=1
done

answer 4 chosen.txt --noise=exp:20us@0,1 --replicas=200
ok "of which some were done again in the traced order, and some not" \
    awk -F'[:,]' '/"redone"/ { n = $2 } END { exit !(n > 0 && n < 200) }' answer.4

# One of several threads simulates the first replica and writes its trace.
for threads in 1 4; do
    "$mpgsim" --threads=$threads --noise=exp:30us --replicas=64 --without=choice --output-trace \
        "written.$threads" mixed.txt >/dev/null 2>err || sed 's/^/# /' err
done
ok "the written trace is the same" diff -r written.1 written.4

# An error in one thread ends all threads, with one line.
for trace in chosen.txt chosen.trace; do
    ok "an error is one line: $trace" refuses 1 "*ranks wait for each other*" --threads=4 --replicas=64 \
        --noise=exp:1us --eager-limit=-1 $trace
done
grep -v '^0 .* Finalize' mixed.txt | sed '$d' >cut.txt
for threads in 1 2 5; do
    # shellcheck disable=SC2086 # several options
    ok "an error of the graph in simulated time, $threads threads" refuses 1 "*cut.txt*rank*" --threads=$threads \
        $shared --replicas=4 cut.txt
done

# reads THREADS TRACE: prints the number of bytes that mpgsim reads from the trace, if the results of the first pass are
# cached.
preload=$build/tests/simulate/.libs/libcount_reads.so
reads() {
    LD_PRELOAD=$preload READ_COUNT=reads "$mpgsim" --noise=exp:3us --replicas=64 --threads="$1" "$2" >/dev/null 2>&1
    cat reads
}
# shellcheck disable=SC2016 # $1, $2 and $3 are sh's
if [ -e "$preload" ] && "$mpgsim" --noise=exp:3us mixed.trace >/dev/null && LD_PRELOAD=$preload "$mpgsim" --version >/dev/null 2>&1; then
    one=$(reads 1 mixed.trace) two=$(reads 2 mixed.trace) four=$(reads 4 mixed.trace)
    ok "each further thread reads a folder once more ($one, $two, $four bytes)" \
        sh -c '[ "$2" -gt "$1" ] && [ "$(($3 - $1))" -eq "$((3 * ($2 - $1)))" ]' sh "$one" "$two" "$four"
else
    skip "each further thread reads a folder once more" "nothing can be preloaded (a sanitizer)"
fi
ok "no thread: no" refuses 2 "*--threads*" --threads=0 mixed.txt
if (ulimit -v 120000 && "$mpgsim" --version) >/dev/null 2>&1; then
    # Most runs fail. If the system refuses threads early, the others may do with the memory.
    "$mpgsim" --threads=1 --replicas=1000 --noise=exp:1us mixed.txt >whole 2>&1
    ok "a limit of memory: one line or the whole answer, no hanging" sh -c 'ulimit -v 120000
        "$1" --threads=64 --replicas=1000 --noise=exp:1us mixed.txt >out 2>err
        case $? in
        0) cat out err | cmp -s - whole ;;
        1) [ "$(wc -l <err)" -eq 1 ] ;;
        *) false ;;
        esac' sh "$mpgsim"
else
    skip "a limit of memory: one line or the whole answer, no hanging" "mpgsim itself needs more than that (a sanitizer)"
fi
done_testing
