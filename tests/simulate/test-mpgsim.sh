#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim on made-up traces (TAP): answers that are known exactly, and the
# properties of docs/MODEL.md, section 7. Programs from $MPGSIM and $MPGTRACE.
. "$(dirname "$0")/mpgsim.sh"

# delays OPTION... TRACE: prints the delays of the ranks, in full precision, separated by blanks.
delays() {
    "$mpgsim" --per-rank "$@" 2>err | awk 'NR > 1 { printf "%s%s", s, $3; s = " " }'
    grep -v '^mpgsim: attention: ' err
}

# expect RANKS EXPRESSION: prints, in the same format, delays by an awk expression of the rank r.
expect() {
    local formula=${2//$'\n'/ }
    awk -v p="$1" "BEGIN { for (r = 0; r < p; r++) printf(\"%s%.17g\", r ? \" \" : \"\", $formula) }"
}

# All constants are sums of powers of two, so that results are exact.
noise=--noise=const:2.375us
latency=--latency=const:17.25ns
byte=--byte=const:0.375ns
call=--call-noise=const:3.625ns

# ---- the ring: k laps of p ranks ----
ring 128 10 24 >ring.txt
is "the paper's chain: 10 x 128 x 100 cycles" \
    "$(delays --noise=const:100ns ring.txt | cut -d' ' -f1)" $((10 * 128 * 100 + 100))
for absorb in none wait clock; do
    is "ring: k p x, $absorb" "$(delays --absorb=$absorb $noise ring.txt)" \
        "$(expect 128 "2375 * (r ? 9 * 128 + r + 2 : 1281)")"
done
ring 7 5 24 >ring7.txt
hop="(2375 + 17.25 + 24 * 0.375 + 3.625)"
for absorb in none wait clock; do
    is "ring: latency, bytes, call noise, $absorb" \
        "$(delays --absorb=$absorb $noise $latency $byte $call ring7.txt)" \
        "$(expect 7 "r ? (4 * 7 + r) * $hop + 2 * 2375 + 3.625 : 35 * $hop + 2375")"
done
is "ring: noise on one rank is met once a lap" "$(delays --noise=const:800ns@3 ring7.txt)" \
    "$(expect 7 "800 * (r < 3 ? (r ? 4 : 5) : r == 3 ? 6 : 5)")"
is "ring: a slower processor" "$(delays --compute-ratio=1.5 ring7.txt | cut -d' ' -f1)" \
    "$(expect 1 "35 * 25 + 25")"

# ---- pipeline, tree, stencil ----
pipeline 5 7 16 >pipeline.txt
is "pipeline" "$(delays --absorb=none $noise $latency pipeline.txt)" \
    "$(expect 5 "r == 0 ? 8 * 2375 : r < 4 ? r * 2392.25 + 14 * 2375 :
                 4 * 2392.25 + 13 * 2375")"
tree 13 1000 >tree.txt
is "tree: a message for each bit of the rank" \
    "$(delays --absorb=none $latency $byte tree.txt)" \
    "$(expect 13 "(17.25 + 375) * (r % 2 + int(r / 2) % 2 + int(r / 4) % 2 + int(r / 8) % 2)")"
stencil 9 4 80 >stencil.txt
is "stencil: noise spreads by one neighbour a step" \
    "$(delays --absorb=none --noise=const:2375ns@3 stencil.txt)" \
    "$(expect 9 "2375 * (r == 3 ? 21 : r < 3 ? 5 * (4 - 3 + r) + 3 :
                 r < 8 ? 5 * (4 + 3 - r) + 4 : 0)")"

# ---- collectives, p not a power of two ----
round="(17.25 + 3.625)"
on_2=--noise=const:2.375us@2
collective 5 Barrier comm=0 >barrier.txt
is "Barrier" "$(delays --absorb=none $on_2 $latency $byte $call barrier.txt)" \
    "$(expect 5 "2375 + 3 * $round + (r == 2) * 2375")"
is "Barrier: clock absorbs what comes before the last" \
    "$(delays --absorb=clock --noise=const:100ns@2 barrier.txt)" \
    "$(expect 5 "100 - 74 + (r == 2) * 100")"
is "Barrier: wait absorbs what it took longer than the shortest" \
    "$(delays --absorb=wait --noise=const:100ns@2 barrier.txt)" \
    "$(expect 5 "100 - 64 + (r == 2) * 100")"
collective 11 Allreduce "bytes=24" >allreduce.txt
is "Allreduce" "$(delays --absorb=none $on_2 $latency $byte $call allreduce.txt)" \
    "$(expect 11 "2375 + 4 * $round + 4 * 24 * 0.375 + (r == 2) * 2375")"
collective 6 Alltoall "bytes=40" >alltoall.txt
is "Alltoall" "$(delays --absorb=none $latency $byte $call alltoall.txt)" \
    "$(expect 6 "5 * $round + 5 * 40 * 0.375")"
collective 6 Scan "bytes=40" >scan.txt
is "Scan: only later ranks wait" "$(delays --absorb=none $on_2 $latency $byte $call scan.txt)" \
    "$(expect 6 "3 * $round + 3 * 40 * 0.375 + (r >= 2) * 2375 + (r == 2) * 2375")"
collective 5 Bcast "root=2 bytes=800" >bcast.txt
is "Bcast" "$(delays --absorb=none $on_2 $latency $byte $call bcast.txt)" \
    "$(expect 5 "r == 2 ? 2 * 2375 + 3.625 : 2375 + 3 * $round + 3 * 800 * 0.375 + 3.625")"
collective 5 Reduce "root=2 bytes=800" >reduce.txt
is "Reduce" "$(delays --absorb=none --noise=const:2375ns@4 $latency $byte $call reduce.txt)" \
    "$(expect 5 "r == 2 ? 2375 + $round + 300 : r == 4 ? 2 * 2375 + 3.625 : 3.625")"
for name in barrier allreduce alltoall scan bcast reduce; do
    for absorb in none wait clock; do
        is "identity: $name, $absorb" "$(delays --absorb=$absorb $name.txt | tr -d ' 0')" ""
    done
done

# ---- messages that wait for their receiver ----
calls 2 >one.txt <<'END'
0 1000 1900 Send to=1 bytes=1000
1 1000 1800 Recv from=0 bytes=1000
END
is "eager: the sender does not wait" \
    "$(delays --absorb=none --noise=const:5us@1 $latency one.txt)" "0 10000"
is "rendezvous: a late sender" "$(delays --absorb=none --eager-limit=999 --noise=const:5us@0 \
    --latency=const:300ns $byte one.txt)" "10975 5675"
is "rendezvous: a late receiver" "$(delays --absorb=none --eager-limit=-1 --noise=const:5us@1 \
    --latency=const:300ns $byte one.txt)" "5675 10375"
is "a message of the eager limit's size is eager" \
    "$(delays --absorb=none --eager-limit=1000 --noise=const:5us@1 one.txt)" "0 10000"
sed 's/Send/Ssend/' one.txt >ssend.txt
is "Ssend waits whatever the limit" \
    "$(delays --absorb=none --noise=const:5us@1 ssend.txt)" "5000 10000"

# ---- slack ----
calls 2 >slack.txt <<'END'
0 1000 1020 Send to=1 bytes=8
1 3000 3030 Recv from=0 bytes=8
0 5000 5020 Send to=1 bytes=8
1 4000 5600 Recv from=0 bytes=8
END
is "clock: a message that lay ready absorbs" \
    "$(delays --absorb=clock --noise=const:100ns@0 slack.txt)" "300 200"
# the first message lay ready for 3030 - 1000 - 600 = 1430, the floor being 600
is "clock: until it would have been late" \
    "$(delays --absorb=clock --noise=const:1.5us@0 slack.txt)" "4500 3000"
is "wait: it is taken for tight" \
    "$(delays --absorb=wait --noise=const:100ns@0 slack.txt)" "300 200"
is "clock: a receiver's own lateness ends in its wait" \
    "$(delays --absorb=clock --noise=const:500ns@1 slack.txt)" "0 500"
is "none: nothing absorbs" "$(delays --absorb=none --noise=const:500ns@1 slack.txt)" "0 1500"
is "the floor can be given" "$(delays --absorb=clock --source=latency=100ns --noise=const:100ns@0 \
    slack.txt)" "300 200"

# ---- negative perturbations ----
is "a call does not end before it begins" "$(delays --absorb=none --call-noise=const:-1ms one.txt)" \
    "-900 -800"
is "an interval does not become negative" "$(delays --absorb=none --noise=const:-1ms one.txt)" \
    "-999000 -999100"
is "a message does not arrive before it left" \
    "$(delays --absorb=none --latency=const:-1ms --source=latency=250ns one.txt)" "0 0"
is "twice as fast" "$(delays --absorb=none --compute-ratio=0.5 one.txt)" "-499500 -499550"

# ---- no perturbation changes nothing, and other properties ----
for trace in ring7 pipeline tree stencil one slack; do
    for absorb in none wait clock; do
        is "identity: $trace, $absorb" "$(delays --absorb=$absorb $trace.txt | tr -d ' 0')" ""
        is "identity: $trace, $absorb, all rendezvous" \
            "$(delays --absorb=$absorb --eager-limit=-1 $trace.txt | tr -d ' 0')" ""
    done
done

# grows TRACE OPTIONS SMALL LARGE: succeeds if with LARGE no rank ends earlier than with SMALL, and some rank later.
grows() {
    # shellcheck disable=SC2086 # options are words
    paste <(delays $2 "$3" "$1" | tr ' ' '\n') <(delays $2 "$4" "$1" | tr ' ' '\n') |
        awk '$2 < $1 { bad = 1 } $2 > $1 { later = 1 } END { exit bad || !later }'
}
for trace in ring7 pipeline stencil allreduce; do
    for absorb in none wait clock; do
        ok "monotone: $trace, $absorb" grows $trace.txt "--absorb=$absorb --replicas=1" \
            --noise=exp:100ns --noise=exp:170ns
        ok "monotone in latency: $trace, $absorb" grows $trace.txt \
            "--absorb=$absorb --noise=exp:3us --replicas=3" --latency=gamma:20ns,30ns \
            --latency=gamma:200ns,300ns
    done
done

# shifted: prints the trace on standard input with another clock offset for each rank.
shifted() {
    awk '/^#clocks shared/ { for (r = 1; r < 200; r++) if (r < ranks)
                                 print "#clock " r, 500, -shift(r); next }
         /^#ranks/ { ranks = $2 }
         /^[0-9]/ { $2 += shift($1); $3 += shift($1) }
         { print }
         function shift(r) { return r ? (r * 7919) % 4001 - 1999 + (r == 1) * 100000000 : 0 }'
}
random="--noise=exp:300ns --latency=gamma:20ns,30ns --seed=7"
for trace in ring7 pipeline stencil slack allreduce; do
    shifted <$trace.txt >shift.txt
    # shellcheck disable=SC2086
    is "a clock's shift changes nothing: $trace" "$(delays $random shift.txt)" \
        "$(delays $random $trace.txt)"
    grep -v '^#clock' shift.txt >none.txt
    # shellcheck disable=SC2086
    is "nor does it without known clocks: $trace" "$(delays --absorb=wait $random none.txt)" \
        "$(delays --absorb=wait $random $trace.txt)"
done

# ---- clocks whose offsets follow from messages only ----
json() { # KEY OPTION... TRACE: prints an option in the JSON
    local key=$1
    shift
    "$mpgsim" --json "$@" | sed -n "s/^ *\"$key\": \"\(.*\)\",*/\1/p" | head -1
}
grep -v '^#clock' stencil.txt >bounded.txt
is "two-way messages bound clocks" "$(json absorb bounded.txt) $(json clocks bounded.txt)" \
    "clock bounded"
grep -v '^#clock' pipeline.txt >oneway.txt
is "one-way messages do not" "$(json absorb oneway.txt) $(json clocks oneway.txt)" "wait unknown"
is "a shared clock is taken as such" "$(json absorb ring7.txt) $(json clocks ring7.txt)" \
    "clock shared"
is "measured offsets" "$(json absorb shift.txt) $(json clocks shift.txt)" "clock measured"

# ---- draws depend on their address only ----
#
# replicas N FIRST: prints number and run time of N replicas from number FIRST on.
replicas() {
    "$mpgsim" --json --noise=exp:300ns --latency=pareto:5ns,2.2 --replicas="$1" \
        --replicas=first="$2" ring7.txt |
        awk '/"replica":/ { n = $2 } /"run_time_ns": [0-9]/ { print n $2 }'
}
replicas 1500 0 >all
is "1500 replicas" "$(wc -l <all)" 1500
ok "they differ" test "$(cut -d, -f2 all | sort -u | wc -l)" -gt 1490
for n in 1 7 64; do
    is "the first $n do not depend on how many there are" "$(replicas $n 0)" "$(head -n $n all)"
done
is "a replica by itself" "$(replicas 1 1203)" "$(sed -n 1204p all)"
is "some from the middle" "$(replicas 40 1000)" "$(sed -n 1001,1040p all)"
seeded() {
    "$mpgsim" --json --noise=lognormal:300ns,500ns --seed="$1" stencil.txt
}
seeded 5 >a && seeded 5 >b && seeded 6 >c
ok "the same seed, the same bytes" cmp -s a b
ok "another seed, another answer" test "$(grep run_time a)" != "$(grep run_time c)"
ok "rank sets keep other ranks' draws" test \
    "$(delays --absorb=none --noise=exp:1us@0 pipeline.txt | cut -d' ' -f1)" = \
    "$(delays --absorb=none --noise=exp:1us pipeline.txt | cut -d' ' -f1)"

# ---- probes ----
#
# Rank 2 is late, so rank 1 already sends its second message; the first one belongs to the Irecv. Rank 2 makes many
# calls, so that rank 0 is processed between the two.
{
    printf '%s\n' "0 200 210 Irecv from=1 tag=5 bytes=8 request=1" \
        "0 220 9000 Probe from=1 tag=5 bytes=8" "0 9100 9110 Send to=2 tag=1 bytes=8" \
        "0 9200 9210 Recv from=1 tag=5 bytes=8" "0 9300 9310 Wait requests=1" \
        "1 300 310 Send to=0 tag=5 bytes=8" "1 400 8100 Recv from=2 tag=9 bytes=8" \
        "1 8200 8210 Send to=0 tag=5 bytes=8" "2 8000 8010 Send to=1 tag=9 bytes=8" \
        "2 8100 9500 Recv from=0 tag=1 bytes=8"
    for i in $(seq 40); do
        echo "2 $((300 + 10 * i)) $((305 + 10 * i)) Iprobe from=1 tag=7 found=0"
    done
} | sort -s -n -k1,1 -k2,2 | calls 3 >probe.txt
is "a probe waits for a message that no posted receive takes" \
    "$(delays --absorb=none --noise=const:700ns@1 probe.txt)" "2100 2800 2100"

# ---- other forms of input and output ----
is "standard input" "$(delays $noise - <ring7.txt)" "$(delays $noise ring7.txt)"
if [ -n "${MPGTRACE-}" ]; then
    "$MPGTRACE" import --text stencil.txt -o stencil.trace
    is "a native trace" "$(delays $noise $latency stencil.trace)" \
        "$(delays $noise $latency stencil.txt)"
fi
"$mpgsim" --per-rank $noise -o table ring7.txt
ok "--output has what standard output would" cmp -s table <("$mpgsim" --per-rank $noise ring7.txt)
done_testing
