#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --collectives (TAP; docs/MODEL.md, section 4, Expanded collectives), by hand: who waits for
# whom, nonblocking and persistent ones, communicators, tables, and what is refused.
. "$(dirname "$0")/mpgsim.sh"

# runs OPTION... TRACE: prints the predicted run time of each rank.
runs() {
    "$mpgsim" --predict --per-rank --replicas=1 "$@" 2>&1 |
        awk '/^mpgsim: (a[^t]|[^a])/ { print } /^[0-9]/ { printf "%s%.10g", sep, $2 + $3; sep = " " }'
}
costs=(--latency=const:1us --byte=const:1ns)
expand=("${costs[@]}" --collectives=expand)

# The root continues at once, and its message lets another rank arrive.
cat >lets <<'END'
#mpgtext 1
#ranks 4
#comm 0 = 0 1 2 3
0 0 1000 Init
1 0 1000 Init
2 0 1000 Init
3 0 1000 Init
0 2000 4000 Allreduce comm=0 bytes=1000
1 2000 4000 Allreduce comm=0 bytes=1000
2 2000 4000 Allreduce comm=0 bytes=1000
3 2500 4000 Allreduce comm=0 bytes=1000
0 5000 5100 Bcast comm=0 root=0 bytes=100
0 5200 5300 Send comm=0 to=1 tag=0 bytes=8
1 5000 5400 Recv comm=0 from=0 tag=0 bytes=8
1 5500 5600 Bcast comm=0 root=0 bytes=100
2 5500 5600 Bcast comm=0 root=0 bytes=100
3 5500 5600 Bcast comm=0 root=0 bytes=100
0 6000 6500 Reduce comm=0 root=2 bytes=100
1 6000 6500 Reduce comm=0 root=2 bytes=100
2 6000 6500 Reduce comm=0 root=2 bytes=100
3 6000 6500 Reduce comm=0 root=2 bytes=100
0 9000 9100 Finalize
1 9000 9100 Finalize
2 9000 9100 Finalize
3 9000 9100 Finalize
END
# Times from the end of MPI_Init, ns; a message takes 1000 ns and 1 ns a byte. Allreduce: two exchanges of 2000 ns, after which
# ranks 0 to 3 leave at 5500 5000 5000 5000. Bcast: rank 0 sends at 6500, ranks 2 and 1 have the data at 7600, rank 3 at 8700.
# Rank 0's message reaches rank 1 at 7608. The ranks enter the Reduce at 7400 8108 8000 9100; its tree is 1 to 3 to 2, 0 to 2.
is "a root goes on, others come later" "$(runs "${expand[@]}" lets)" "9900 10608 12808 11708"
cat >table <<'END'
#mpgcollectives 1
allreduce 1 0 two
reduce 1 0 linear
bcast 1 0 chain
END
# Allreduce: a linear Reduce, which rank 0 has at 3500, then a chain: ranks 0 to 3 leave at 3500 5500 7500 9500. Bcast: rank 0
# sends at 4500; rank 1 has the data at 5600, but enters at 6600; rank 2 at 7700, but enters at 9000; rank 3 at 10100, but
# enters at 11000. The ranks enter the Reduce at 5400 7000 9400 11400; rank 2 has the result at 12500.
is "other algorithms" "$(runs "${expand[@]}" --collectives=table=table lets)" \
    "7900 9500 15000 13900"
is "synchronous, it would wait for one that waits for it" \
    "$(runs "${expand[@]}" --eager-limit=10 lets | grep -o 'rank 0, call 2 .MPI_Bcast.: only 3 of 4 ranks.*rank 1 does not')" \
    "rank 0, call 2 (MPI_Bcast): only 3 of 4 ranks of communicator 0 call it, rank 1 does not"

# Nonblocking: rank 0 starts the collective at 500, rank 1 at 3000. Rank 0 has rank 1's message at 5000; rank 0's message has
# arrived when rank 1 starts.
cat >later <<'END'
#mpgtext 1
#ranks 2
#comm 0 = 0 1
0 0 1000 Init
1 0 1000 Init
0 1500 1600 Iallreduce comm=0 bytes=1000 request=7
0 3000 3100 Wait requests=7
1 4000 4100 Iallreduce comm=0 bytes=1000 request=7
1 4200 4300 Wait requests=7
0 5000 5100 Finalize
1 5000 5100 Finalize
END
is "nonblocking" "$(runs "${expand[@]}" later)" "6900 3900"
is "with noise: 0's exchange ends at 15000, and the call that waits is back 10 us later" \
    "$(runs "${expand[@]}" --call-noise=const:10us@0 later)" "26900 3900"
is "it has it at 5000, its noise is the exchange's and the call's that waits" \
    "$(runs "${expand[@]}" --call-noise=const:1.5us@0 later)" "9900 3900"
sed -e 's/Iallreduce comm=0 bytes=1000 request=7/Start persistent=3 request=7/' later |
    awk '/Init/ { print; n = 1000; next } /^. (1500|4000)/ && !seen[$1]++ {
        print $1, 1100, 1100, "Allreduce_init comm=0 bytes=1000 persistent=3" } { print }' >again
is "persistent" "$(runs "${expand[@]}" again)" "6900 3900"

# A communicator with another order of ranks, whose member 0 is rank 2, and one with a single rank.
cat >order <<'END'
#mpgtext 1
#ranks 3
#comm 0 = 0 1 2
#comm 1 = 2 0 1
#comm 2 = 1
0 0 1000 Init
1 0 1000 Init
2 0 1000 Init
0 2000 2100 Scan comm=1 bytes=500
1 2000 2100 Scan comm=1 bytes=500
2 2000 2100 Scan comm=1 bytes=500
1 2100 2200 Barrier comm=2
0 4000 4100 Finalize
1 4000 4100 Finalize
2 4000 4100 Finalize
END
is "a prefix in the communicator's order" "$(runs "${expand[@]}" order)" "4400 5800 2900"

# Rank 0 has gathered the blocks of 100, 700 and 400 bytes at 2700, and scatters 400 bytes to each rank, which arrive at 4100.
# These parts go round the ring, 1400 ns a step: ranks 0 and 1 have all parts at 6900, rank 2 at 5500.
printf '#mpgtext 1\n#ranks 3\n#comm 0 = 0 1 2\n' >uneven
for r in 0 1 2; do
    bytes=(100 700 400)
    printf "$r %s\n" '0 1000 Init' "2000 4000 Allgatherv comm=0 bytes=${bytes[r]}" '4000 4100 Finalize'
done >>uneven
printf '#mpgcollectives 1\n%s\n' 'allgatherv 1 0 two' 'gatherv 1 0 linear' 'bcast 1 0 scatter_ring' |
    sed '3,${/^#/d}' >ring
is "a vector that is made of blocks is scattered in equal parts" \
    "$(runs "${expand[@]}" --collectives=table=ring uneven)" "6900 6900 5500"

# A collective takes the time that the signature has for it, or by other options the sum of its rounds.
one='{"n": 9, "mean": VALUE, "sd": 0, "lag1": 0, "quantiles": [VALUE, VALUE]}'
cat >t.sig <<END
{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"},
 "network": [{"path": "node", "one_way": "one clock", "eager_limit_bytes": 4096,
   "latency": [{"size_bytes": 0, "one_way_ns": ${one//VALUE/1000}}]}],
 "collectives": [{"operation": "barrier", "processes": 4, "size_bytes": 0,
   "time_ns": ${one//VALUE/2385}}]}
END
printf '#mpgtext 1\n#ranks 4\n#comm 0 = 0 1 2 3\n' >barrier
for call in '0 1000 Init' '1000 2000 Barrier comm=0' '2000 2100 Finalize'; do
    for r in 0 1 2 3; do echo "$r $call"; done
done >>barrier
is "measured" "$(runs --signature=t.sig barrier)" "2385 2385 2385 2385"
is "measured, if said" "$(runs --signature=t.sig --collectives=measured barrier)" "2385 2385 2385 2385"
is "rounds" "$(runs --signature=t.sig --collectives=rounds barrier)" "2000 2000 2000 2000"
printf '#mpgcollectives 1\nbarrier 1 0 linear\n' >linear
is "messages: up, then down" \
    "$(runs --signature=t.sig --collectives=expand --collectives=table=linear barrier)" \
    "1000 2000 2000 2000"
is "rounds of delays" "$("$mpgsim" --perturb --per-rank --replicas=1 --signature=t.sig --source=none \
    --collectives=rounds barrier 2>err | awk 'NR == 2 { print $3 }')" 0


# all_call RANKS CALL: prints a trace in which all ranks make CALL at the same time.
all_call() {
    awk -v n="$1" -v call="$2" 'BEGIN {
        print "#mpgtext 1\n#ranks " n
        printf "#comm 0 ="
        for (i = 0; i < n; i++) printf " %d", i
        print ""
        for (i = 0; i < n; i++) print i, "0 1000 Init\n" i, "1000 1100", call, "comm=0\n" i, "1100 1200 Finalize"
    }'
}
all_call 3 Barrier >three
# 3 members, up and down: 2 us, which 4 members take, too; these were measured with 2385 ns.
is "not measured with so many: the messages, scaled to what 4 members took" \
    "$(runs --signature=t.sig --collectives=table=linear three)" "1192.5 2385 2385"
sed 's/2385/2000/g' t.sig >traced.sig
is "... delays: those of the traced machine, whose 4 took 2 us, are as they are" \
    "$("$mpgsim" --perturb --per-rank --replicas=1 --source=traced.sig --signature=t.sig --collectives=table=linear three |
        awk '/^[0-9]/ { printf "%s%g", sep, $3; sep = " " }')" "192.5 385 385"
# A message takes 1000 ns. 4 members need 3 rounds, 3 members 2: alltoallv took 4500 ns (1.5 times as long), alltoall 6000 (twice),
# reduce_scatter 7000.
printf '#mpgcollectives 1\n%s\n' 'alltoall 1 0 pairwise' 'alltoallv 1 0 pairwise' 'reduce_scatter 1 0 pairwise' |
    sed '3,${/^#/d}' >pairwise
for kind in "alltoall 6000 100" "alltoallv 4500 100" "reduce_scatter 7000 1000"; do
    # shellcheck disable=SC2086 # words
    set -- $kind
    echo "{\"operation\": \"$1\", \"processes\": 4, \"size_bytes\": $3, \"time_ns\": ${one//VALUE/$2}}"
done >kinds
# with LINE...: prints t.sig with these lines of the file kinds for its collectives.
with() {
    sed '/"collectives"/,$d' t.sig
    printf ' "collectives": [%s]}\n' "$(for line in "$@"; do sed -n "${line}p" kinds; done | paste -s -d,)"
}
with 1 >own.sig
with 1 2 3 >more.sig
all_call 4 "Alltoallv bytes=100,10,300,40" >lists
all_call 3 "Alltoallv bytes=100,10,300" >lists3
all_call 4 "Reduce_scatter bytes=1000" >parts
all_call 3 "Reduce_scatter bytes=1000" >parts3
taken() { # FILE SIGNATURE: prints the time of the first rank, ns
    runs --signature="$2" --collectives=table=pairwise "$1" | awk '{ print $1 }'
}
is "alltoallv takes what it took, by its messages" "$(taken lists more.sig) $(taken lists3 more.sig)" "4500 3000"
is "... what alltoall took, where it was not measured" "$(taken lists own.sig) $(taken lists3 own.sig)" "6000 4000"
is "reduce_scatter takes what it took; with other numbers of members by its messages" \
    "$(taken parts more.sig) $(taken parts3 more.sig)" "7000 4666.666667"
is "... and its messages, where it was not measured" "$(taken parts own.sig) $(taken parts3 own.sig)" "3000 2000"
sed 's/4500/3000/g; s/7000/3000/g' more.sig >traced.sig
is "... delays: the difference of both machines" "$(for name in lists parts; do
    "$mpgsim" --perturb --per-rank --replicas=1 --source=traced.sig --signature=more.sig --collectives=table=pairwise $name |
        awk '$1 == 0 { printf "%g ", $3 }'
done)" "1500 4000 "
all_call 8 "Allreduce bytes=8" >eight
is "three rounds of latency and noise: 3 x 12" \
    "$(runs --latency=const:5ns --call-noise=const:7ns --collectives=expand eight)" "36 36 36 36 36 36 36 36"
is "... as by rounds" "$(runs --latency=const:5ns --call-noise=const:7ns eight)" "36 36 36 36 36 36 36 36"
# Rank 0 has rank 1's part at 1000, and at 2100 that of rank 2, which has reduced rank 3's part by 1100. A part takes 100 ns to
# reduce.
printf '#mpgcollectives 1\nreduce 1 0 binomial\n' >binomial
sed 's/^{"format.*version": \[4, 0\]/{"format": "mpgkit-signature", "version": [4, 2], "reductions": [{"operation": "reduce_local",\
 "processes": 2, "size_bytes": 1000, "time_ns": '"${one//VALUE/100}"'}]/' t.sig >r.sig
all_call 4 "Reduce root=0 bytes=1000" >reduces
is "arithmetic is the receiver's" "$(runs --signature=r.sig --collectives=table=binomial reduces)" "2200 0 1100 0"
is "... and none where it was not measured" "$(runs --signature=t.sig --collectives=table=binomial reduces)" "2000 0 1000 0"
is "... nor without messages" "$(runs --signature=r.sig --collectives=rounds reduces)" "1000 100 100 100"
assumes() { # OPTION...
    "$mpgsim" --predict --replicas=1 "$@" | sed -n 's/^  collectives *//p'
}
is "what is said of them" "$(assumes --signature=r.sig reduces)" "0 of 1 by their measured times, 1 as the messages of their algorithms, \
by the built-in table (scaled to the measured times of barrier), with the arithmetic of reductions as measured"
is "... of those near" "$(assumes --signature=t.sig barrier)" "1 of 1 by their measured times (barrier of 4), \
0 as the messages of their algorithms, by the built-in table, without the arithmetic of reductions, which was not measured"
for call in "Gather root=0 bytes=65536" "Reduce root=0 bytes=8" "Scatter root=0 bytes=4096"; do
    last=0 grows=yes
    for n in 2 3 5 8 16 32 64; do
        all_call $n "$call" >many
        run=$("$mpgsim" --predict --replicas=20 --json --noise=const:0 --signature="$reference" many |
            tr -d ' \n' | sed -n 's/.*"run_time_ns":{"mean":\([0-9.]*\).*/\1/p')
        awk "BEGIN { exit !($run > $last) }" || grows="no: $run with $n"
        last=$run
    done
    is "${call%% *} takes longer with more ranks" "$grows" yes
done

# Output lines about collectives that appear, and that disappear.
says() { # PATTERN OPTION...: prints the number of output lines that match
    local pattern=$1
    shift
    "$mpgsim" --perturb "$@" 2>&1 | grep -c -- "$pattern"
}
foretells() { # PATTERN OPTION...: the same with --predict
    local pattern=$1
    shift
    "$mpgsim" --predict "$@" 2>&1 | grep -c -- "$pattern"
}
is "an eager limit is about their messages, too" \
    "$(says 'none waits for its receiver' --predict "${costs[@]}" --eager-limit=10 order) $(
        says 'none waits for its receiver' --predict "${expand[@]}" --eager-limit=10 order)" "1 0"
sed '/"collectives"/,$d' t.sig | sed '$s/,$/}/' >n.sig
is "without measured ones nothing says how far messages are from what they take" \
    "$(says '1 in the trace: their messages are not scaled' --signature=n.sig barrier) $(
        says 'the messages of their algorithms are not scaled' --signature=n.sig --collectives=expand barrier)" "1 0"
is "without streams messages overlap" \
    "$(foretells 'messages of one rank overlap' --signature=n.sig --collectives=rounds barrier) $(
        foretells 'overlap.*mpgbench bandwidth' --signature=n.sig --collectives=expand barrier) $(
        says 'overlap.*--byte do not' --predict "${expand[@]}" barrier)" "0 1 1"
sed 's/"latency": \[/"window_messages": 8, "streaming": [{"size_bytes": 0, "message_ns": '"${one//VALUE/200}"'}], &/' n.sig >s.sig
is "with them they do not" \
    "$(foretells 'messages of one rank overlap' --signature=s.sig --collectives=expand barrier) $(
        foretells 'one after the other, at the target' --signature=s.sig --collectives=expand barrier)" "0 1"

# Delays, with clocks. On the traced machine messages took no time.
# Allreduce: without message times all ranks leave at 2500; with 1 us a message ranks 0 to 3 leave at 4500 4000 4000 4000.
# Rank 1 has rank 0's message at 8200, 2.8 us late. Ranks 2 and 3 have the Bcast 2.5 and 3.5 us late. Rank 1's part of the
# Reduce reaches rank 3 at 9800 instead of 6000, 3.8 us late; the message of rank 3 makes rank 2 1 us later still.
delays() {
    "$mpgsim" --perturb --per-rank --replicas=1 --collectives=expand "$@" 2>&1 |
        awk '/^mpgsim: (a[^t]|[^a])/ { print } /^[0-9]/ { printf "%s%.10g", sep, $3; sep = " " }'
}
sed 's/^#comm/#clocks shared\n&/' lets >clocks
is "delays" "$(delays --source=latency=0ns --latency=const:1us clocks)" "2000 2800 4800 3800"
is "of late members" "$(delays --source=latency=0ns --noise=const:1us@0 clocks)" "4500 2300 3500 2300"
# Rank 3 loses 1 us in each operation. Allreduce: rank 3 exchanges with rank 2 until 3500 and with rank 1 until 4500, so that
# rank 1 is 1 us late from then on. Rank 3 has the Bcast 3 us late, and rank 1's part of the Reduce at 10000; rank 3 then sends
# its own part to rank 2, and leaves 1 us later.
is "its own noise at the end of each of its calls, what it sends in the last one was before" \
    "$(delays --source=latency=0ns --call-noise=const:1us@3 clocks)" "0 1000 4000 5000"
# The Bcast's message took 300 ns, for which rank 1 waited in the trace; here rank 1 is late and does not wait for it. Rank 1
# enters the Bcast 1500 ns late, or 810 if the 690 in which it waited for the second message absorb delay; it leaves 300 less
# late, and ends 500 later still.
cat >flight <<'END'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
1 0 1000 Init
0 2000 2010 Send comm=0 to=1 tag=0 bytes=100
1 2490 2500 Recv comm=0 from=0 tag=0 bytes=100
1 2600 3300 Recv comm=0 from=0 tag=0 bytes=100
0 3000 3010 Send comm=0 to=1 tag=0 bytes=100
0 4000 4400 Bcast comm=0 root=0 bytes=100
1 4000 4400 Bcast comm=0 root=0 bytes=100
0 5000 5100 Finalize
1 5000 5100 Finalize
END
printf '#mpgcollectives 1\nbcast 1 0 linear\n' >tell
is "a message takes what it took, whatever absorbs" \
    "$(for absorb in none wait clock; do
        delays --absorb=$absorb --collectives=table=tell --noise=const:500ns@1 flight
        printf ' '
    done)" "0 1700 0 1010 0 1010 "
is "a machine as it was" "$(delays --signature=t.sig --source=t.sig clocks)" "0 0 0 0"
# The collective completes at 4000 in the trace, and 1 us later, at 5000, here. Rank 0's MPI_Wait returned at 4700 in the trace
# and did not wait, so it is 300 ns late.
is "delays of a nonblocking one" "$(sed 's/^#comm/#clocks shared\n&/; s/3000 3100 Wait/4600 4700 Wait/' later |
    delays --latency=const:1us -)" "300 0"

# Random programs: no perturbation changes nothing, higher costs cost more, the account adds up.
if has_python; then
    is "properties of random programs" "$(python3 "$here/expand_random.py" "$mpgsim")" "90 runs, all right"
fi

# Many members in many replicas: the memory of a pass (each thread makes one) is bounded, besides 33 MB of results.
peak() { # prints the largest resident size, in KiB
    "$build/tests/peak_memory" "$mpgsim" --threads=1 --replicas=1000 --latency=const:1us --byte=const:1ns \
        --collectives=expand --collectives=table=doubling "$@" many
}
if [ "${MPGKIT_SANITIZERS-no}" = yes ] || ! [ -x "$build/tests/peak_memory" ]; then
    skip "memory" "sanitizers keep freed memory, or tests/peak_memory is not built"
else
    printf '#mpgcollectives 1\nallreduce 1 0 recursive_doubling\n' >doubling
    awk 'BEGIN {
        n = 4096
        print "#mpgtext 1\n#ranks " n "\n#clocks shared"
        printf "#comm 0 ="
        for (i = 0; i < n; i++) printf " %d", i
        print ""
        for (i = 0; i < n; i++) print i, "0 1000 Init"
        for (i = 0; i < n; i++) print i, "2000 30000 Allreduce comm=0 bytes=8"
        for (i = 0; i < n; i++) print i, "31000 31100 Finalize"
    }' >many
    for mode in --predict --absorb=clock --absorb=none; do
        kib=$(peak $mode)
        ok "memory of 4096 members, $mode" test "$kib" -gt 0 -a "$kib" -lt 390000 || echo "# $kib KiB"
    done
fi

sed -n '/^\.SH EXAMPLES/,/^\.EE/p' "$here/../../man/mpgcollectives.5" | sed '/^\./d' >example
ok "the table in mpgcollectives(5) is one" test "$(grep -vc '^#' example)" -gt 3
is "... that is taken" "$("$mpgsim" --predict "${expand[@]}" --collectives=table=example lets 2>&1 >out; echo $?)" 0

# Refused options and tables.
"$mpgsim" --collectives=all lets >out 2>err
is "no such way" "$? $(grep -c "'all' is not measured, rounds or expand" err)" "2 1"
"$mpgsim" --collectives=expand --paper=sync-reduce lets >out 2>err
is "who waits is said twice" "$? $(grep -c 'exclude each other: the messages of the algorithm determine who waits' err)" "2 1"
"$mpgsim" --predict "${costs[@]}" --collectives=table=table lets >out 2>err
is "a table for nothing" "$? $(grep -c -e '--collectives=table needs collectives that are messages' err)" "2 1"
echo '#mpgcollectives 1' | sed '$a bcast 1 0 ring' >bad
"$mpgsim" --predict "${expand[@]}" --collectives=table=bad lets >out 2>err
is "a bad table" "$? $(grep -c 'bad: line 2: ring is no algorithm for bcast' err)" "1 1"
done_testing
