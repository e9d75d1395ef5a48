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

# answer THREADS TRACE OPTION...: where it is, and whether it has voided replicas
answer() {
    local threads=$1 trace=$2
    shift 2
    "$mpgsim" --json --threads="$threads" "$@" "$trace" >"answer.$threads" 2>>complaint
}

# same TRACE OPTION...: 1, 2, 3, 5 and 64 threads agree
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
    same $trace --signature "$reference" --replicas=64
    same $trace --signature "$reference" --predict --replicas=65 --measurement=fixed
    same $trace --signature "$reference" --noise-model=ecdf --replicas=40 --first-replica=3
    same $trace --noise=exp:9us --call-noise=normal:0,50ns --absorb=wait --replicas=200
done
same together.txt --noise=exp:3us --collectives=expand --replicas=50
same together.txt --latency=exp:3us --collectives=expand --predict --replicas=50
same chosen.txt --noise=exp:90us --deterministic --replicas=50
same chosen.txt --noise=exp:20us@0,1 --replicas=200

answer 4 chosen.txt --noise=exp:20us@0,1 --replicas=200
ok "of which some were done again in the traced order, and some not" \
    awk -F'[:,]' '/"redone"/ { n = $2 } END { exit !(n > 0 && n < 200) }' answer.4

# The first replica is watched, by one thread of several.
for threads in 1 4; do
    "$mpgsim" --threads=$threads --noise=exp:30us --replicas=64 --deterministic --output-trace \
        "written.$threads" mixed.txt >/dev/null 2>err || sed 's/^/# /' err
done
ok "the written trace is the same" diff -r written.1 written.4

# What a thread cannot go on with ends all of them, with one line.
ok "an error is one line" refuses 1 "*ranks wait for each other*" --threads=4 --replicas=64 \
    --noise=exp:1us --eager-limit=-1 chosen.txt
ok "no thread: no" refuses 2 "*--threads*" --threads=0 mixed.txt
if (ulimit -v 120000 && "$mpgsim" --version) >/dev/null 2>&1; then
    ok "a limit of memory: one line, no hanging" sh -c 'ulimit -v 120000
        "$1" --threads=64 --replicas=1000 --noise=exp:1us mixed.txt >out 2>err
        [ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ]' sh "$mpgsim"
else
    skip "a limit of memory: one line, no hanging" "mpgsim itself needs more than that (a sanitizer)"
fi
done_testing
