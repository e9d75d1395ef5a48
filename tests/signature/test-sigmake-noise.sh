#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigmake on noise of known truth (TAP): families, spectral lines, what happened
# meanwhile, several hosts; and on compute rates and collective operations.
set -u
. "$(dirname "$0")/results.sh"
has_python || skip_all "no python3"

samples() {
    python3 "$here/samples.py" "$@"
}
start() {
    rm -rf r
    mkdir r
}
# get EXPRESSION: prints a Python expression for the signature s of "sigmake r", and its first core c.
get() {
    python3 - "$1" <<'P'
import json, sys
s = json.load(open("a.sig"))
c = (s.get("noise") or [None])[0]
def near(a, b, part):
    return abs(a - b) <= part * b
def inside(fit, truth):
    return [p["low"] <= t <= p["high"] for p, t in zip(fit["parameters"], truth)]
print(eval("(" + sys.argv[1] + ")"))
P
}
made() {
    "$sigmake" r >a.sig 2>err
}

# ---- detours of known families ----
#
# family NUMBER NAME PARAMETERS: checks that the family is recognised on each of 10 cores. Adds to $intervals the number
# of 95 % intervals of parameters, and to $missed the number of those without the true value (a few are expected).
intervals=0 missed=0
family() {
    local seed counts
    start
    for seed in 0 1 2 3 4 5 6 7 8 9; do
        header detour "start_ns duration_ns" "core: $seed" "threshold_ns: 100" "span_ns: 30000000000"
        samples detour family="$1" n=4000 seed=$((seed + 1)) | body
    done >r/all
    (cd r && awk '/^#mpgresults/ {file = "detour-core" n++ ".samples"} {print >file}' all && rm all)
    made
    is "durations: $2" "$(get "{k['duration_ns']['fits'][0]['family'] for k in s['noise']}, len(s['noise'])")" "({'$2'}, 10)"
    is "durations: $2: near" "$(get "max(k['duration_ns']['fits'][0]['distance'] for k in s['noise']) < 0.03")" True
    counts=$(get "'%d %d' % (lambda x: (len(x), x.count(False)))(sum((inside(k['duration_ns']['fits'][0], $3) for k in s['noise']), []))")
    intervals=$((intervals + ${counts% *}))
    missed=$((missed + ${counts#* }))
}
family 0 exponential "[2385]"
is "exponential durations start at 150 ns" \
    "$(get "near(c['duration_ns']['fits'][0]['location'], 150, 0.02)")" True
is "gaps: exponential of 1 ms" "$(get "c['gap_ns']['fits'][0]['family'], inside(c['gap_ns']['fits'][0], [1e6])")" \
    "('exponential', [True])"
is "a tail is said to be one" \
    "$(get "[f['tail_fraction'] < 0.6 for f in c['gap_ns']['fits'] if f['family'] == 'pareto tail']")" "[True]"
family 1 gamma "[2.385, 900]"
family 2 lognormal "[7.385, 0.6]"
family 3 weibull "[1.7, 2385]"
# Binomial distribution: of 70 intervals that contain the value with probability 0.95, 1 to 10 miss it with probability
# 0.97.
ok "parameters within their intervals: all but $missed of $intervals" test $intervals = 70 -a $missed -ge 1 -a $missed -le 10
is "the header says what is fitted" "$(get "s['header']['fits']")" \
    "to at most 10000 samples of a distribution, evenly taken"
cp a.sig b.sig
made
ok "the same results give the same bytes" cmp -s a.sig b.sig

# ---- detours off the CPU ----
#
# Of two cores one was off its CPU for 40 + 1900 ns of 10 us, the other never. Of the first detour less than half was
# off the CPU. The second one was off it completely, by a clock that is slightly wrong.
start
off_cpu() { # CORE
    header detour "start_ns duration_ns off_cpu_ns" "core: $1" "threshold_ns: 100" "span_ns: 10000"
    cat | body
}
printf '%s\n' "500 150 40" "2000 1900 2400" "7000 250 0" | off_cpu 0 >r/detour-core0.samples
printf '%s\n' "100 300 0" | off_cpu 1 >r/detour-core1.samples
made
is "detours off the CPU: their part of the time" "$(get "[k['fraction_off_cpu'] for k in s['noise']]")" "[0.194, 0]"
is "how many they are" "$(get "[k['detours']['off_cpu']['n'] for k in s['noise']]")" "[1, 0]"
if command -v zstd >/dev/null; then
    is "which they are" "$(sed -n 's/.*"off_cpu".*"packed": "\([^"]*\)".*/\1/p' a.sig | head -n 1 | unpack)" 1
else
    skip "which they are" "no zstd"
fi
"$sigshow" a.sig >shown
like "sigshow says what the time was lost to" "$(cat shown)" \
    "*Noise 13 % of the time: 3.3 % interruptions, 9.7 % off the CPU (preempted or stolen)
*"
like "of each core" "$(tr -s ' ' <shown)" "* 0 100 ns 10 us 23.0000 19.4000 300000.0 *"
detour 2 >r/detour-core2.samples
made
is "a record that does not say it: neither does its core" "$(get "[('off_cpu' in k['detours'], 'fraction_off_cpu' in k) for k in s['noise']]")" \
    "[(True, True), (True, True), (False, False)]"
"$sigshow" a.sig >shown
like "sigshow says that it does not know" "$(cat shown)" "*Noise 11.3 % of the time: interruptions, preemption and stolen time, *"
sed -i 's/^2000 1900 2400/2000 1900 -1/' r/detour-core0.samples
fails "time off the CPU below 0" "r/detour-core0.samples: line 14: column 3: -1 is out of range*"

# ---- causes of detours ----
# Names that no detour has are left out; core 1 has other numbers for the same names.
start
caused() { # CORE NAMES
    header detour "start_ns duration_ns off_cpu_ns cause" "core: $1" "threshold_ns: 100" "span_ns: 10000" "causes: $2" \
        "cause_events_lost: 0"
    cat | body
}
printf '%s\n' "500 150 40 0" "2000 1900 1900 4" "7000 250 0 2" "8000 350 0 2" |
    caused 0 "unseen, hypervisor, timer tick, softirq RCU, task make, task cc1" >r/detour-core0.samples
printf '%s\n' "100 300 0 1" "3000 100 100 2" | caused 1 "unseen, timer tick, task cc1" >r/detour-core1.samples
made
is "causes of detours: their names" "$(get "[k['detours']['cause_names'] for k in s['noise']]")" \
    "[['unseen', 'timer tick', 'task make'], ['unseen', 'timer tick', 'task cc1']]"
is "... how many have one" "$(get "[k['detours']['causes']['n'] for k in s['noise']]")" "[3, 2]"
if command -v zstd >/dev/null; then
    is "... which, after how many without" "$(sed -n 's/.*"causes".*"packed": "\([^"]*\)".*/\1/p' a.sig | head -n 1 | unpack | xargs)" \
        "1 2 0 1 0 1"
else
    skip "... which" "no zstd"
fi
"$sigshow" a.sig >shown
# Of 20 us: 1.9; 0.25 + 0.35 + 0.3; 0.15; 0.1.
is "sigshow sums them up over cores" "$(sed -n '/^Noise: by cause/,/^$/p' shown | tr -s ' ' | sed 1d)" "task make 9.5000 5e+04 1.9 us
timer tick 4.5000 1.5e+05 350 ns
unseen 0.7500 5e+04 150 ns
task cc1 0.5000 5e+04 100 ns"
is "... and in JSON, of each core" "$("$sigshow" --json a.sig | python3 -c 'import json, sys
print([[(c["cause"], round(c["lost_share"], 9), c["longest_ns"]) for c in k["causes"]] for k in json.load(sys.stdin)["cores"]])')" \
    "[[('unseen', 0.015, 150), ('timer tick', 0.06, 350), ('task make', 0.19, 1900)], [('timer tick', 0.03, 300), ('task cc1', 0.01, 100)]]"
sed -i 's/^7000 250 0 2/7000 250 0 6/' r/detour-core0.samples
fails "a cause without a name" "r/detour-core0.samples: cause 6 of detour 2 has no name"
sed -i 's/^7000 250 0 6/7000 250 0 64/' r/detour-core0.samples
fails "a cause beyond all" "r/detour-core0.samples: cause 64 of detour 2, of at most 64"
sed -i 's/^7000 250 0 64/7000 250 0 1.5/' r/detour-core0.samples
fails "half a cause" "r/detour-core0.samples: line 17: column 4: 1.5 is not a whole number"

# ---- ftq and fwq ----
start
{
    header ftq "start_ns work_units lost_ns" "core: 0" "quantum_ns: 1000000" "unit_ns: 43" \
        "context_switches: 3" "preemptions: 2" "cpu_share: 0.99" "steal_ns: 40" "interrupts: LOC 250, RES 12" \
        "softirqs: TIMER 90" "cores_at_once: 2" "start_monotonic_ns: 77"
    samples ftq period=7.3e6 steal=20000 | body
} >r/ftq-core0.samples
{
    header fwq "start_ns duration_ns" "core: 0" "work_ns: 1000000" "work_units: 23255" \
        "context_switches: 5" "cores_at_once: 1"
    samples fwq | body
} >r/fwq-core0.samples
made
is "a steal every 7.3 ms is a line of 136.99 Hz" \
    "$(get "[near(l['frequency_hz'], 1e9 / 7.3e6, 0.01) for l in c['lines'] if l['harmonic_of_hz'] == 0]")" "[True]"
is "the strongest line comes first" \
    "$(get "[l['amplitude_ns'] for l in c['lines']] == sorted((l['amplitude_ns'] for l in c['lines']), reverse=True)")" True
is "others are its harmonics" \
    "$(get "all(near(l['harmonic_of_hz'], 1e9 / 7.3e6, 0.01) for l in c['lines'][1:])")" True
is "false alarms: stated" "$(get "c['false_alarm']")" 0.01
# Series, spectra and autocorrelations are stored with five digits.
is "the series keeps its mean, most and length" \
    "$(get "near(sum(c['series']['mean_ns']) / len(c['series']['mean_ns']), c['ftq']['lost_ns']['mean'], 1e-5),
            max(c['series']['most_ns']) == float('%.4e' % c['ftq']['lost_ns']['quantiles'][-1]),
            len(c['series']['mean_ns']), c['series']['step_ns']")" \
    "(True, True, 1000, 20000000)"
is "the spectrum's power is the variance" \
    "$(get "near(sum(c['spectrum']['mean_ns2_per_hz']) * c['spectrum']['step_hz'], c['ftq']['lost_ns']['sd'] ** 2, 0.05)")" True
is "autocorrelation: 256 lags, high at 22 quanta, three periods" \
    "$(get "len(c['autocorrelation']), c['autocorrelation'][21] > 0.8, abs(c['autocorrelation'][0]) < 0.5")" \
    "(256, True, True)"
is "autocorrelation at lag 1 is the distribution's" \
    "$(get "near(-c['autocorrelation'][0], -c['ftq']['lost_ns']['lag1'], 1e-4)")" True
is "fwq: time beyond the fastest" "$(get "near(c['fwq']['lost_ns']['mean'], 2.385 * 700, 0.03), c['fwq']['quantum_ns']")" \
    "(True, 1000000)"
is "fwq: its family" "$(get "c['fwq']['lost_ns']['fits'][0]['family']")" gamma
is "what happened meanwhile" "$(get "sorted(c['events'].items())")" \
    "[('ftq context_switches', '3'), ('ftq cpu_share', '0.99'), ('ftq interrupts', 'LOC 250, RES 12'), ('ftq preemptions', '2'), ('ftq softirqs', 'TIMER 90'), ('ftq steal_ns', '40'), ('fwq context_switches', '5')]"
is "cores at once: the most" "$(get "c['cores_at_once']")" 2
is "what a core says of itself is not in the header" \
    "$(get "[k for k in s['header'] if k in ('start_monotonic_ns', 'steal_ns', 'interrupts', 'cores_at_once', 'work_ns')]")" "[]"
sed -i '/^1000000.0 /s/^1000000/1400000/' r/ftq-core0.samples
made
like "quanta that are not equally spaced: a warning" "$(cat err)" "*ftq-core0.samples: quanta do not start every 1e+06 ns*"
is "quanta that are not equally spaced: no spectrum" "$(get "'spectrum' in c, 'series' in c, c['ftq']['lost_ns']['n']")" \
    "(False, False, 20000)"

# ---- several hosts ----
start
for h in n2 n1; do
    for core in 0 1; do host=$h detour $core >r/detour-$h-core$core.samples; done
done
made
is "hosts with the same CPU are one signature" "$(get "[(x['host'], x['core']) for x in s['noise']], s['header']['host']")" \
    "([('n1', 0), ('n1', 1), ('n2', 0), ('n2', 1)], 'n1; n2')"
host=n1 detour 1 >r/detour-again.samples
fails "the same core of a host twice" "r/detour-n1-core1.samples: detour core 1 (n1) is in r/detour-again.samples*"
rm r/detour-again.samples
host=n3 cpu=other detour 0 >r/detour-n3-core0.samples
fails "another CPU" "r/detour-n3-core0.samples: cpu is 'other', in r/detour-n1-core0.samples it is *"

# ---- compute and collective ----
start
compute() { # CORE
    header compute "kernel cores_at_once rate" "core: $1" "kernels: floating_point memory_bandwidth" \
        "kernel_units: flop/s B/s"
    printf '%s\n' "1 1 1.5e10" "0 1 4e9" "1 1 1.25e10" "0 2 3e9" | body
}
compute 1 >r/compute-core1.samples
compute 0 >r/compute-core0.samples
for i in 0 1; do
    {
        header collective "operation processes size_bytes time_ns" "launch: $i" "ranks: 4" \
            "operations: barrier bcast"
        printf '%s\n' "1 2 64 1100" "1 4 64 2$i"00 "0 4 0 900" "1 2 8 800" | body
    } >r/collective-launch$i.samples
done
made
is "rates by kernel, cores at once and core" \
    "$(get "[(x['kernel'], x['unit'], x['cores_at_once'], x['core'], x['rate_per_s']['mean']) for x in s['compute']]")" \
    "[('floating_point', 'flop/s', 1, 0, 4000000000), ('floating_point', 'flop/s', 1, 1, 4000000000), ('floating_point', 'flop/s', 2, 0, 3000000000), ('floating_point', 'flop/s', 2, 1, 3000000000), ('memory_bandwidth', 'B/s', 1, 0, 13750000000), ('memory_bandwidth', 'B/s', 1, 1, 13750000000)]"
is "operations by processes and size, over launches" \
    "$(get "[(x['operation'], x['processes'], x['size_bytes'], x['time_ns']['mean'], x['time_ns']['n']) for x in s['collectives']]")" \
    "[('barrier', 4, 0, 900, 2), ('bcast', 2, 8, 800, 2), ('bcast', 2, 64, 1100, 2), ('bcast', 4, 64, 2050, 2)]"
sed -i 's/^1 2 8 /2 2 8 /' r/collective-launch0.samples
fails "an operation without a name" "r/collective-launch0.samples: sample 3: header line '# operations:' has no word number 2, from 0"
rm r/collective*
is "... of a single launch" "$(get "[x.get('launch_means_per_s') for x in s['compute']]")" "[None, None, None, None, None, None]"
for i in 0 1; do
    compute 0 | sed "s/^# core: .*/&\n# launch: $i/; s/^0 1 4e9/0 1 $((4 + 2 * i))e9/; s/^1 1 1.5e10/1 1 $((2 + i))e10/" >r/compute-launch$i-core0.samples
done
rm r/compute-core0.samples
made
is "rates of two launches of core 0, and the mean of each" \
    "$(get "[(x['core'], x['rate_per_s']['mean'], x['rate_per_s']['n'], x.get('launch_means_per_s')) for x in s['compute'] if x['cores_at_once'] == 1]")" \
    "[(0, 5000000000, 2, [4000000000, 6000000000]), (1, 4000000000, 1, None), (0, 18750000000, 4, [16250000000, 21250000000]), (1, 13750000000, 2, None)]"
cp r/compute-launch1-core0.samples r/compute-other.samples
fails "a launch twice" "r/compute-other.samples: compute core 0 (vm, launch 1) is in r/compute-launch1-core0.samples already*"
rm r/compute-other.samples r/compute-launch*
sed -i '/^# kernel_units/d' r/compute-core1.samples
fails "a kernel without a unit" "r/compute-core1.samples: sample 0: header line '# kernel_units:' is missing"
compute 1 | sed 's/^1 1 /1 0 /' >r/compute-core1.samples
fails "a rate on no core" "r/compute-core1.samples: sample 0: 0 cores at once"

done_testing
