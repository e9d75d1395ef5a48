#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads that share the ranks of a trace give the same answer to the last byte as one thread, and --verbose says why other
# threads share replicas instead (TAP).
# shellcheck source=tests/simulate/mpgsim.sh
. "$(dirname "$0")/mpgsim.sh"
needs_python
smaller
export MPGKIT_EVENTS_A_PART=1 # shares the ranks of short traces, too
random=$here/../oracle/randomtrace.py

# answer THREADS TRACE OPTION...: writes mpgsim's JSON to answer.THREADS, with its errors.
answer() {
    local threads=$1
    shift
    "$mpgsim" --json --threads="$threads" "$@" >"answer.$threads" 2>&1
}

# why TRACE OPTION...: prints why two threads do not share the ranks; nothing if they do.
why() {
    "$mpgsim" --threads=2 --verbose "$@" 2>&1 >/dev/null | sed -n 's/^mpgsim: threads and processes share replicas, not ranks: //p'
}

# same REASON TRACE OPTION...: checks that 1, 2, 3 and 4 threads give the same output, and share the ranks unless for REASON.
same() {
    local reason=$1 threads wrong=
    shift
    answer 1 "$@" || wrong=$(cat answer.1)
    for threads in 2 3 4; do
        answer "$threads" "$@"
        cmp -s answer.1 "answer.$threads" || wrong="$wrong $threads"
    done
    is "equal answers: ${*//$here\/}" "$wrong" ""
    is "  shared, or why not" "$(why "$@")" "$reason"
}

# Patterns of messages; one replica, and several in both modes.
for pattern in ring stencil tree wavefront exchange alltoall; do
    mkdir $pattern && "$build/tests/speed/speed_trace" $pattern 9 6 $pattern
    same "" --latency=const:1us --absorb=none $pattern
    same "" --perturb --noise=exp:2us --latency=gamma:1us,700ns --replicas=5 $pattern
    limit=-1
    [ $pattern != ring ] || limit=1000000 # whose ranks would wait for each other
    same "" --predict --signature "$reference" --replicas=5 --eager-limit=$limit $pattern
done

# Programs without calls that choose: all kinds of point-to-point messages, probes, persistent requests, threads, and collectives
# of all shapes on all kinds of communicators.
kinds=send,pair,isend,recv,irecv,sendrecv,null,wait,waitall,free,persistent,neighbors,isendrecv,mrecv
for seed in 1 2 3 4; do
    "$python" "$random" --seed $seed --ranks $((2 + 3 * seed)) --steps 120 --clocks shared --kinds $kinds \
        --all-synchronous-safe >program$seed.txt
    same "" --perturb --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 program$seed.txt
    same "" --predict --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 --eager-limit=100 program$seed.txt
done
for seed in 5 6 7; do
    "$python" "$random" --seed $seed --ranks 7 --steps 80 --clocks offsets --kinds collective,icollective,split,pair,wait \
        >program$seed.txt
    same "" --perturb --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 program$seed.txt
    same "" --predict --noise=exp:2us --latency=exp:700ns --without=choice --replicas=5 program$seed.txt
done

# Communicators whose members are in another order than the world's, and whose first member is in the last part.
"$python" - >orders.txt <<'END'
orders = [[4, 1, 3, 0, 2, 5], [5, 0], [2, 4, 0], [3, 5, 1], [0, 1, 2, 3, 4, 5]]
calls = ["Barrier", "Bcast", "Scatter", "Reduce", "Gather", "Scan", "Exscan", "Allreduce", "Allgather", "Alltoall",
         "Reduce_scatter"]
print("#mpgtext 1\n#ranks 6\n#comm 0 = 0 1 2 3 4 5")
for number, order in enumerate(orders):
    print(f"#comm {number + 1} =", *order)
print("#clocks shared")
lines = {rank: [f"{rank} 0 {1000 + rank} Init"] for rank in range(6)}
now = [2000] * 6
for turn in range(3):
    for comm, order in enumerate(orders, 1):
        for i, call in enumerate(calls):
            root = (i + turn) % len(order)
            for member, rank in enumerate(order):
                rooted = f" root={root}" if call in ("Bcast", "Scatter", "Reduce", "Gather") else ""
                size = "" if call == "Barrier" else f" bytes={8 * (1 + i)}"
                begin = now[rank] + 137 * (rank + 1) * (1 + (i + comm) % 3)
                now[rank] = begin + 4000 + 31 * rank
                lines[rank].append(f"{rank} {begin} {now[rank]} {call} comm={comm}{rooted}{size}")
    for rank in range(6):
        now[rank] = max(now) + rank
for rank in range(6):
    print("\n".join(lines[rank]))
    print(f"{rank} {now[rank] + 9000} {now[rank] + 9100} Finalize")
END
same "" --perturb --noise=exp:2us --latency=exp:700ns --replicas=5 orders.txt
same "" --predict --noise=exp:2us --latency=exp:700ns --byte=1ns --replicas=5 orders.txt
same "" --perturb --noise=exp:2us --absorb=wait --replicas=5 orders.txt
same "collectives are expanded into messages" --predict --noise=exp:2us --latency=exp:1us --collectives=expand \
    --replicas=5 orders.txt

# What forbids to share ranks.
"$python" "$random" --seed 100 --ranks 6 --steps 120 --clocks shared --kinds irecv,isend,send,recv,waitsome,pair,waitany >chosen.txt
"$python" "$random" --seed 8 --ranks 6 --steps 60 --clocks shared --kinds window,pair >windows.txt
same "calls choose among messages" --noise=exp:9us --latency=exp:9us --predict --replicas=20 chosen.txt
same "one-sided communication" --noise=exp:2us --latency=exp:1us --predict --without=choice --replicas=5 windows.txt
same "one-sided communication" --noise=exp:2us --absorb=none --replicas=5 windows.txt # noticed on the way
same "hypotheses apply" --noise=exp:2us --replicas=5 '--hypothesis=drop call=Send' ring
same "computation differs by region" --noise=exp:2us --replicas=5 --where=callsite ring

# Traces that end early.
grep -v '^0 .* Finalize' program2.txt | sed '$d' >cut.txt
answer 1 --noise=exp:1us --replicas=3 cut.txt
answer 3 --noise=exp:1us --replicas=3 cut.txt
is "the same error" "$(cat answer.3)" "$(cat answer.1)"
answer 1 --noise=exp:1us --replicas=3 --lenient cut.txt
answer 3 --noise=exp:1us --replicas=3 --lenient cut.txt
ok "the same incomplete run" cmp answer.1 answer.3

# reads THREADS TRACE: prints the number of bytes that mpgsim reads from the trace, if the results of the first pass are cached.
preload=$build/tests/simulate/.libs/libcount_reads.so
reads() {
    LD_PRELOAD=$preload READ_COUNT=reads "$mpgsim" --noise=exp:3us --replicas=64 --threads="$1" "$2" >/dev/null 2>&1
    cat reads
}
# shellcheck disable=SC2016 # $1 and $2 are sh's
if [ -e "$preload" ] && LD_PRELOAD=$preload "$mpgsim" --version >/dev/null 2>&1; then
    mkdir long && "$build/tests/speed/speed_trace" ring 8 4000 long
    "$mpgsim" --noise=exp:3us long >/dev/null
    one=$(reads 1 long) four=$(reads 4 long)
    ok "four threads together read the trace once ($one, $four bytes)" sh -c '[ "$2" -lt "$(($1 + $1 / 2))" ]' sh "$one" "$four"
else
    skip "four threads together read the trace once" "nothing can be preloaded (a sanitizer)"
fi
done_testing
