#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigmake on network results of known truth (TAP): one-way times by clocks and
# without them, transfers, launches, pairs, classes of path.
set -u
. "$(dirname "$0")/results.sh"
has_python || skip_all "no python3"

# network BENCHMARK LAUNCH COLUMNS [LINE...]: makes a results file of the sample lines on standard input.
network() {
    local benchmark=$1 launch=$2 columns=$3
    shift 3
    {
        header "$benchmark" "$columns" "launch: $launch" "path: ${path-node}" "$@"
        body
    } >"r/$benchmark-launch$launch-${path-node}.samples"
}
rtt="size_bytes rtt_ns forward_ns backward_ns"
window="size_bytes messages_in_flight time_ns send_ns transfer_ns"
samples() {
    python3 "$here/samples.py" "$@"
}
start() {
    rm -rf r
    mkdir r
}
# made: makes the signature a.sig from r; its errors are in err.
made() {
    "$sigmake" r >a.sig 2>err
}
# get EXPRESSION: prints a Python expression for the first network path p. d(LIST, SIZE): a distribution; q: its
# quantile at a probability; near: whether two numbers differ by less than a fraction.
get() {
    python3 - "$1" <<'P'
import json, sys
p = json.load(open("a.sig"))["network"][0]
def d(key, size):
    return [next(v for v in s.values() if isinstance(v, dict))
            for s in p[key] if s["size_bytes"] == size][0]
def q(x, u):
    v = x["quantiles"]
    p = x.get("probabilities", [i / (len(v) - 1) for i in range(len(v))])
    i = max(i for i in range(len(v) - 1) if p[i] <= u)
    return v[i] + (u - p[i]) / (p[i + 1] - p[i]) * (v[i + 1] - v[i])
def near(a, b, part):
    return abs(a - b) <= part * b
def header(key):
    return json.load(open("a.sig"))["header"][key]
print(eval("(" + sys.argv[1] + ")"))
P
}
# truth NAME KEY SIZE MEAN SD P99 PART_SD PART_P99: checks mean, standard deviation and 99th percentile of the
# distribution, within 0.5 %, PART_SD and PART_P99.
truth() {
    local got
    got=$(get "(lambda x: [near(x['mean'], $4, 0.005), near(x['sd'], $5, $7),
        near(q(x, 0.99), $6, $8), round(x['mean'], 1), round(x['sd'], 1), round(q(x, 0.99), 1)])(d('$2', $3))")
    like "$1: mean, sd, p99 $got" "$got" "\[True, True, True, *"
}

# ---- one way ----
#
# 300 ns plus a gamma distribution with shape 2 and scale 20: mean 340, standard deviation 28.28, 99th percentile 432.8.
start
samples pingpong | network pingpong 0 "$rtt" "clocks: shared" "one_way_error_ns: 13"
made
like "one clock: said" "$(get "p['one_way']")" \
    "forward and backward times; one clock; forward and backward medians differ by up to * %, Spearman correlation *"
truth "one clock" latency 8 340 28.28 432.8 0.03 0.02
is "both ways of 10000 exchanges" "$(get "d('latency', 8)['n'], d('round_trip', 8)['n']")" \
    "(20000, 10000)"
truth "round trip" round_trip 8 680 40 802 0.03 0.02
like "the family of latencies" "$(get "d('latency', 16)['fits'][0]['family'], d('latency', 16)['fits'][0]['location']")" \
    "('gamma', [23][09]*"

start
samples pingpong offset=20 | network pingpong 0 "$rtt" "clocks: synchronised" "one_way_error_ns: 25"
made
like "an error of less than a tenth: said" "$(get "p['one_way'], p['one_way_error_ns']")" \
    "('forward and backward times; clocks synchronised within 25 ns; forward and backward medians differ by up to *, Spearman correlation *', 25)"
is "an error of less than a tenth: used as they are" \
    "$(get "near(d('latency', 8)['quantiles'][0], 281, 0.01)")" True

start
samples pingpong offset=250 | network pingpong 0 "$rtt" "clocks: synchronised" "one_way_error_ns: 400"
samples pingpong offset=-350 seed=2 | network pingpong 1 "$rtt" "clocks: synchronised" "one_way_error_ns: 380"
made
is "an offset: said" "$(get "p['one_way'], p['one_way_error_ns']")" \
    "('forward and backward times, both directions shifted to the same median; clocks synchronised within 400 ns', 400)"
truth "an offset of each launch is taken out" latency 8 340 28.28 432.8 0.03 0.02

start
# As before, but with a second pair, measured with larger messages only, whose clock offset is therefore unknown.
{
    samples pingpong offset=250 | sed 's/^/0 /'
    samples pingpong n=100 offset=250 | sed 's/^8 /16 /; s/^/1 /'
} | network pingpong 0 "pair $rtt" "clocks: synchronised" "one_way_error_ns: 400" \
    "pair 0: ranks 0 and 1" "pair 1: ranks 0 and 2"
made
like "an offset that is not known: by deconvolution" "$(get "p['one_way']")" "deconvolution of the round trip, misfit*"
ok "its misfit is a number, too" test "$(get "0 < p['one_way_misfit'] < 0.05")" = True

start
samples pingpong wander=100 | network pingpong 0 "$rtt" "clocks: synchronised" "one_way_error_ns: 400"
made
like "clocks that wander: by deconvolution" "$(get "p['one_way']")" "deconvolution of the round trip, misfit*"
truth "clocks that wander" latency 8 340 28.28 432.8 0.05 0.03
start
samples pingpong offset=9000 | network pingpong 0 "$rtt" "clocks: synchronised" "one_way_error_ns: 9100"
made
like "clocks too far apart: by deconvolution" "$(get "p['one_way']")" "deconvolution of the round trip, misfit*"

start
samples pingpong | cut -d ' ' -f 1,2 | network pingpong 0 "size_bytes rtt_ns"
made
like "no clocks: by deconvolution" "$(get "p['one_way']")" "deconvolution of the round trip, misfit*"
truth "deconvolution" latency 8 340 28.28 432.8 0.05 0.03
samples pingpong seed=2 | network pingpong 1 "$rtt" "clocks: shared" "one_way_error_ns: 13"
made
like "only some launches have clocks: by deconvolution" "$(get "p['one_way']")" "deconvolution*"
start
samples pingpong n=90 | cut -d ' ' -f 1,2 | network pingpong 0 "size_bytes rtt_ns"
made
is "few samples: by halves" "$(get "p['one_way'], near(d('latency', 8)['sd'], 20, 0.3)")" \
    "('half the round trip', True)"
samples pingpong n=60 | cut -d ' ' -f 1,2 | sed 's/^16/8/' | network pingpong 1 "size_bytes rtt_ns"
made
like "few samples of one size: both are said" "$(get "p['one_way']")" \
    "deconvolution of the round trip, misfit*; half the time for sizes with too few samples"

# ---- different ways: 300 ns there, 700 back, standard deviation 20 each ----
unlike() {
    awk 'function normal(  s, k) { s = -6; for (k = 0; k < 12; k++) s += rand(); return s }
        BEGIN { srand(5); for (i = 0; i < 4000; i++) {
            there = 300 + 20 * normal(); back = 700 + 20 * normal()
            printf "8 %.1f %.1f %.1f\n", there + back, there, back } }'
}
start
unlike | network pingpong 0 "size_bytes rtt_ns forward_ns backward_ns" "clocks: shared" "one_way_error_ns: 1"
made
like "300 and 700 ns by one clock: said" "$(get "p['one_way']")" "*; forward and backward medians differ by up to 80 %, Spearman correlation [-0]*"
start
unlike | cut -d ' ' -f 1,2 | network pingpong 0 "size_bytes rtt_ns"
made
like "300 and 700 ns without clocks: not seen, and said to be supposed" \
    "$(get "p['one_way_misfit'] < 0.02") $(get "p['one_way']")" \
    "True deconvolution of the round trip, misfit at most 0.0*; assumes equal and independent directions, not tested"

# ---- transfers: 5000 ns plus a gamma distribution with shape 3 and scale 100 ----
start
samples bandwidth offset=1 | network bandwidth 0 "$window" "clocks: shared" "one_way_error_ns: 13"
made
truth "transfers by one clock" bandwidth 65536 5300 173.2 5840 0.03 0.02
is "transfers by one clock: said" "$(get "header('transfer, node')")" \
    "time until the message is there; one clock"
truth "time inside the send" sender 65536 2650 86.6 2920 0.03 0.02
start
samples bandwidth offset=300 | network bandwidth 0 "$window" "clocks: synchronised" "one_way_error_ns: 350"
made
truth "transfers without an offset" bandwidth 65536 5300 173.2 5840 0.03 0.02
is "transfers without an offset: said" "$(get "header('transfer, node')")" \
    "time until the message is there, both directions shifted to the same median; clocks synchronised within 350 ns"
start
samples bandwidth | cut -d ' ' -f 1-4 | network bandwidth 0 "${window% *}"
made
truth "transfers without the acknowledgement" bandwidth 65536 5300 173.2 5840 0.06 0.03
like "transfers without the acknowledgement: said" "$(get "header('transfer, node')")" \
    "deconvolution of the time to the acknowledgement, misfit at most 0.0*"
start
samples bandwidth n=80 | cut -d ' ' -f 1-4 | network bandwidth 0 "${window% *}"
made
is "few transfers: said" "$(get "header('transfer, node')")" \
    "time to the acknowledgement without half the empty round trip"
is "few transfers: without half of the empty exchange" \
    "$(get "near(d('bandwidth', 65536)['mean'], 5300, 0.02)")" True
start
printf '%s\n' "0 1 1000 10" "4096 1 1500 20" "4096 16 8000 400" "65536 64 640000 6400.5" |
    network bandwidth 0 "size_bytes messages_in_flight time_ns send_ns"
made
is "streams: time of a message, the longest window" \
    "$(get "d('streaming', 4096)['mean'], d('streaming', 65536)['mean'], p['window_messages'], len(p['bandwidth'])")" \
    "(500, 10000, 64, 2)"

# ---- eager limit: -1 if nothing is sent eagerly, absent if unknown ----
start
waits="not detected (even an empty message waits)"
ok "pingpong has these words" grep -q '"even an empty message waits"' "$here/../../bench/harness/network.c"
samples pingpong n=100 | network pingpong 0 "$rtt" "eager_limit: $waits"
made
is "no send is eager" "$(get "p['eager_limit_bytes']") $(grep -c 'eager limit' err)" "-1 0"
samples pingpong n=100 | network pingpong 1 "$rtt" "eager_limit_bytes: 4096"
samples pingpong n=100 | network pingpong 2 "$rtt" "eager_limit_bytes: 4096"
made
is "no send is eager in one launch of three" "$(get "p['eager_limit_bytes']")" 4096
for i in 0 1 2; do
    samples pingpong n=100 | network pingpong $i "$rtt" "eager_limit: not detected (no clear limit)"
done
made
is "not known" "$(get "'eager_limit_bytes' in p") $(grep -c 'no eager limit was detected' err)" "False 1"

# ---- LogGP: 400 ns and 0.25 ns a byte; above 4 KiB 900 ns and 0.0625 ns a byte ----
start
awk 'BEGIN {for (s = 1; s <= 1048576; s *= 2) for (i = 0; i < 5; i++) {
    t = s <= 4096 ? 400 + s / 4 : 900 + s / 16; print s, 2 * t + i - 2, t + i / 2 - 1, t + i / 2 - 1}}' |
    network pingpong 0 "$rtt" "clocks: shared" "one_way_error_ns: 1" "eager_limit_bytes: 4096"
awk 'BEGIN {print "0 1 800 90"; for (s = 8; s <= 4096; s *= 2) {print s, 1, 900, 70; print s, 10, 450, 300}}' |
    network bandwidth 0 "size_bytes messages_in_flight time_ns send_ns"
made
is "LogGP: two segments, cut at the eager limit" \
    "$(get "[(x['from_bytes'], x['to_bytes']) for x in p['loggp']['segments']]")" "[(1, 4096), (8192, 1048576)]"
is "LogGP: latency, gap per byte" \
    "$(get "[near(x['latency_ns'], t[0], 0.01) and near(x['gap_per_byte_ns'], t[1], 0.01)
        for x, t in zip(p['loggp']['segments'], [(400, 0.25), (900, 0.0625)])]")" "[True, True]"
is "LogGP: overhead and gap" "$(get "p['loggp']['overhead_ns'], p['loggp']['gap_ns']")" "(70, 45)"
start
samples bandwidth | network bandwidth 0 "$window" "clocks: shared" "one_way_error_ns: 13"
made
is "LogGP: two sizes are too few" "$(get "p.get('loggp', {}).get('segments', [])")" "[]"

# ---- launches and pairs ----
start
for i in 0 1 2 3; do
    samples pingpong n=400 seed=$i | sed 's/^/0 /' |
        network pingpong $i "pair $rtt" "clocks: shared" "one_way_error_ns: 1" \
            "pair 0: ranks 0 and 1; hosts a and a; cores 0 and 1"
done
made
is "four launches alike" "$(grep -c outlier: err) $(get "[l['outlier'] for l in p['launches']]")" "0 [0, 0, 0, 0]"
is "one pair of ranks" "$(get "[(x['name'], x['n']) for x in p['pairs']]")" \
    "[('ranks 0 and 1; hosts a and a; cores 0 and 1', 800)]"
{
    samples pingpong n=400 seed=9 | awk '{print 0, $1, $2 + 300, $3 + 150, $4 + 150}'
    samples pingpong n=400 seed=8 | sed 's/^/1 /'
    samples pingpong n=400 seed=8 | sed 's/^/2 /'
} | network pingpong 3 "pair $rtt" "clocks: shared" "one_way_error_ns: 1" \
    "pair 0: ranks 0 and 9; hosts a and b; cores 0 and 1" \
    "pair 1: ranks 0 and 1; hosts a and a; cores 0 and 1" \
    "pair 2: ranks 2 and 3; hosts a and a; cores 2 and 3"
made
is "a pair far off is an outlier, and used" "$(get "[x['outlier'] for x in p['pairs']], d('round_trip', 8)['n']")" \
    "([0, 1, 0], 1200)"
like "a pair far off: named" "$(grep outlier err)" \
    "sigmake: warning: node: ranks 0 and 9; hosts a and b; cores 0 and 1 is an outlier: median round trip of 8 B takes 97*; look*"
start
for i in 0 1 2 3; do
    samples pingpong n=400 seed=$i | awk -v more=$((i == 2 ? 200 : 0)) '{print $1, $2 + more}' |
        network pingpong $i "size_bytes rtt_ns"
done
made
is "a launch far off is an outlier, and used" "$(get "[x['outlier'] for x in p['launches']], d('round_trip', 8)['n']")" \
    "([0, 0, 1, 0], 800)"
like "a launch far off: named" "$(grep outlier err)" \
    "sigmake: warning: node: launch 2 is an outlier: *; its samples are used; measure that launch again*"
rm r/pingpong-launch[13]*
made
is "of two launches neither is an outlier" "$(get "[x['outlier'] for x in p['launches']]")" "[0, 0]"

# ---- samples off the CPU ----
#
# marked SEED: prints exchanges. In every 17th one a rank is off its CPU for at least 5 us, in every 13th for less than
# 1 % of the time.
marked() {
    samples pingpong n=4000 seed="$1" | awk '
        NR % 17 == 3 {print $1, $2 + 5000 + NR, $3 + 5000, $4 + NR, 5000 + NR; next}
        {print $0, NR % 13 == 5 ? $2 / 101 : 0}'
}
start
for i in 0 1 2; do
    marked $i | network pingpong $i "$rtt off_cpu_ns" "clocks: shared" "one_way_error_ns: 0"
done
printf '0 2 64 %s 0\n' 100 110 120 >same
printf '0 2 64 %s 90000\n' 91000 92000 93000 94000 95000 96000 97000 98000 99000 99100 >stolen
cat same stolen | {
    header collective "operation processes size_bytes time_ns off_cpu_ns" "launch: 0" "ranks: 2" "operations: bcast"
    body
} >r/collective-launch0.samples
made
is "samples off the CPU: how many were left out" "$(get "header('left_out')")" \
    "pingpong 708 of 12000, collective 0 of 13"
like "of what too little would be left all stays" "$(cat err)" \
    "*sigmake: warning: 10 message times with off-CPU time are kept: *"
"$sigshow" a.sig >shown
like "sigshow says it" "$(tr -s ' ' <shown)" "*
left_out pingpong 708 of 12000, collective 0 of 13
*"
mv a.sig b.sig
for i in 0 1 2; do
    marked $i | awk '$5 < 5000 {$5 = 0; print}' |
        network pingpong $i "$rtt off_cpu_ns" "clocks: shared" "one_way_error_ns: 0"
done
made
is "without them nothing is left out" "$(get "header('left_out')")" "pingpong 0 of 11292, collective 0 of 13"
is "samples off the CPU are in no distribution, launch, row or pair" "$(python3 - <<'P'
import json
a, b = (json.load(open(name)) for name in ("a.sig", "b.sig"))
print(a["network"] == b["network"], a["collectives"] == b["collectives"], len(a["network"][0]["latency"][0]["rows"]["classes"]) > 1000)
P
)" "True True True"
sed -i '/^# columns/s/ off_cpu_ns//; /^[0-9]/s/ [^ ]*$//' r/*
made
is "of files that do not say it nothing is said" "$(get "'left_out' in json.load(open('a.sig'))['header']")" False
is "and they give the same" "$(python3 -c 'import json
print(json.load(open("a.sig"))["network"] == json.load(open("b.sig"))["network"])')" True

# ---- errors ----
start
echo "8 100 50 50" | network pingpong 0 "$rtt" "clocks: shared"
fails "clocks without their error" "r/pingpong-launch0-node.samples: header line '# one_way_error_ns:' is missing"
start
printf '%s\n' "8 1 100 50 60" "8 1 101 50 60" |
    network bandwidth 0 "$window" "clocks: synchronised" "one_way_error_ns: 5000"
fails "nothing tells the acknowledgement" "node: 8 bytes: the time of the acknowledgement is unknown: no empty exchanges*"
start
echo "8 0 100" | network bandwidth 0 "size_bytes messages_in_flight time_ns"
sed -i 's/messages_in_flight/messages_in_flight ack_ns/; s/^8 0/8 0 5/' r/*
fails "no messages in flight" "r/bandwidth-launch0-node.samples: sample 0: no messages in flight"

done_testing
