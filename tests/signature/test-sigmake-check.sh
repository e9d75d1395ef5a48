#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigmake --check (TAP): made-up results that are good enough, and one thing after
# another that is not.
set -u
. "$(dirname "$0")/results.sh"
has_python || skip_all "no python3"
sigdiff=${SIGDIFF:-sigdiff}

samples() {
    python3 "$here/samples.py" "$@"
}
common=("scheduling: SCHED_OTHER, nice 0, priority 0" "timer_resolution_ns: 12.3" "other_load: 0.02")
noise=("core: 0" "cores_at_once: 1" "context_switches: 9" "preemptions: 4" "cpu_migrations: 0"
    "cpu_share: 0.9990" "steal_ns: 1000" "speed_range: 0.0100")
pairs=("pairs: 1" "pair 0: ranks 0 and 1; hosts vm and vm; cores 0 and 1" "path: node"
    "oversubscribed: no" "clocks: shared" "one_way_error_ns: 12.3")
goal="stopping: 95 % intervals: median within 2 % and p99 within 10 %; at most 9 exchanges of a size; not reached:"

# A folder "good" that is good enough: 60 s of noise, three launches, all benchmarks.
mkdir good
{
    header ftq "start_ns work lost_ns" "${common[@]}" "${noise[@]}" "quantum_ns: 100000000"
    samples ftq n=600 quantum=1e8 | body
} >good/ftq-core0.samples
{
    header fwq "start_ns duration_ns" "${common[@]}" "${noise[@]}" "work_ns: 100000000"
    samples fwq n=600 quantum=1e8 | body
} >good/fwq-core0.samples
{
    header detour "start_ns duration_ns" "${common[@]}" "${noise[@]}" "threshold_ns: 100" \
        "loop_ns: 12.3" "span_ns: 61000000000"
    samples detour family=2 n=2000 gap=3e7 | awk '$1 < 60.9e9' | body
} >good/detour-core0.samples
for i in 0 1 2; do
    {
        header pingpong "pair size_bytes rtt_ns forward_ns backward_ns" "${common[@]}" \
            "launch: $i" "${pairs[@]}" "$goal none" "eager_limit_bytes: 4096"
        samples pingpong n=4000 seed=$i | sed 's/^/0 /' | body
    } >good/pingpong-launch$i-node.samples
    {
        header bandwidth "pair size_bytes window time_ns send_ns transfer_ns" "${common[@]}" \
            "launch: $i" "${pairs[@]}" "$goal none"
        samples bandwidth n=1000 seed=$i | sed 's/^/0 /' | body
    } >good/bandwidth-launch$i-node.samples
    {
        header overhead "pair size_bytes send_ns receive_ns wait_ns" "${common[@]}" "launch: $i" \
            "${pairs[@]}" "$goal none"
        printf '0 8 30.5 %s 195\n' 200.5 201 202.5 | body
    } >good/overhead-launch$i-node.samples
done
{
    header collective "operation processes size_bytes time_ns" "${common[@]}" "launch: 0" \
        "operations: barrier" "invalid: 0"
    printf '0 2 0 %s\n' 900 910 905 | body
} >good/collective-launch0.samples
{
    header compute "kernel cores rate" "${common[@]}" "core: 0" "kernels: integer" \
        "kernel_units: operation/s"
    printf '0 1 %s\n' 2e9 2.01e9 1.99e9 | body
} >good/compute-core0.samples

# finds NAME PATTERN: --check of r warns once, and of that
finds() {
    "$sigmake" --check r >out 2>err
    is "$1: exit status, nothing else" "$? $(cat err)" "1 "
    like "$1: says so" "$(head -n 1 out)" "warning: $2"
    is "$1: and nothing else" "$(tail -n +2 out)" "r: $(ls r | wc -l) files: not good enough: 1 warning"
}
# edited NAME FILES SED PATTERN: the good folder with FILES edited
edited() {
    rm -rf r
    cp -r good r
    # shellcheck disable=SC2086 # a pattern of names
    sed -i "$3" r/$2
    finds "$1" "$4"
}

"$sigmake" --check good >out 2>err
is "good enough: exit status and text" "$? $(cat out err)" "0 good: 14 files: good enough"
"$sigmake" -c good/ >out
is "-c" "$? $(cat out)" "0 good/: 14 files: good enough"
"$sigmake" good >good.sig 2>err
is "without --check: the signature, no warnings" "$? $(cat err)" "0 "


# ---- what a signature says of how it was measured ----
is "a good signature says so" "$("$sigshow" good.sig | grep '^measured well')" \
    "measured well?   29 checks passed"
rm -rf bad
cp -r good bad
sed -i 's/other_load: .*/other_load: 0.85/' bad/ftq*
sed -i 's/preemptions: .*/preemptions: 900/' bad/detour*
"$sigmake" bad >bad.sig 2>err
is "a bad one is made, with one line of warning" "$? $(cat err)" \
    "0 sigmake: bad: 2 of 29 checks failed: other load, preemptions; 'sigmake --check bad' tells what to do"
is "sigshow says so" "$("$sigshow" bad.sig | grep '^measured well')" \
    "measured well?   2 of 29 checks failed: other load, preemptions"
like "sigshow --all tells what and what to do" "$("$sigshow" --all bad.sig | grep '^  preemptions')" \
    "  preemptions: detour-core0.samples: preempted 900 times in 61.0 s; stop *"
"$sigdiff" good.sig bad.sig >out
is "sigdiff says it of both" "$(grep 'measured well' out)" \
    "   measured well? 29 checks passed
   measured well? 2 of 29 checks failed: other load, preemptions"
like "sigdiff --json, too" "$("$sigdiff" --json good.sig bad.sig | tr -d ' \n')" \
    '*"checks_a":{"made":29,"failed":\[\]},"checks_b":{"made":29,"failed":\["otherload","preemptions"\]}*'
"$sigmake" --check --json good >out 2>err
is "--check --json: exit status of a good one" "$? $(cat err)" "0 "
cp out good.json
"$sigmake" --check bad >bad.txt
"$sigmake" --json --check bad >bad.json 2>err
is "... of a bad one" "$? $(cat err)" "1 "
is "... says what the text says" "$(python3 - good.json bad.json <<'END'
import json, sys
for name in sys.argv[1:]:
    found = json.load(open(name, encoding="utf-8"))
    assert found["format"] == "sigmake-check" and found["version"] == 1 and found["good_enough"] == (not found["failed"])
    print(found["results"], found["files"], found["made"], *[f["check"] for f in found["failed"]], sep=", ")
with open("bad.txt", encoding="utf-8") as text:
    warnings = [line.rstrip("\n") for line in text][:-1]
print(warnings == [f"warning: {f['found']}; {f['remedy']}" for f in found["failed"]])
END
)" "good, 14, 29
bad, 14, 29, other load, preemptions
True"
"$sigmake" --json good >out 2>err
is "--json without --check" "$? $(cat out err)" \
    "2 sigmake: --json is about --check: a signature is JSON already (try 'sigmake --help')"
sed '/"checks": /,/^ *\]*}/{/"checks"/d;/"check"/d}' bad.sig | sed '/^ *{"check"/d' >old.sig
is "without checks: not checked" "$("$sigshow" old.sig | grep '^measured well')" \
    "measured well?   not checked"

# ---- surroundings ----
edited "load of others" "ftq*" 's/other_load: .*/other_load: 0.85/' \
    "ftq-core0.samples: others used 0.85 cores while it was measured; stop *"
edited "load in several files" "*launch*" 's/other_load: .*/other_load: 1.50/' \
    "*.samples: others used 1.50 cores while it was measured, and 9 more like it; *"
edited "preempted" "detour*" 's/preemptions: .*/preemptions: 900/' \
    "detour-core0.samples: preempted 900 times in 61.0 s; stop *"
edited "switched, where preemptions are not counted" "fwq*" '/preemptions/d; s/switches: .*/switches: 901/' \
    "fwq-core0.samples: preempted 901 times in 60.0 s; *"
edited "moved" "ftq*" 's/migrations: .*/migrations: 2/' "ftq-core0.samples: moved to another core 2 times; *bind*"
edited "a shared core" "fwq*" 's/cpu_share: .*/cpu_share: 0.5012/' "fwq-core0.samples: the core was shared: 50.1 % *"
edited "steal time" "detour*" 's/steal_ns: .*/steal_ns: 610000000/' "detour-core0.samples: the hypervisor took 1.00 % *"
edited "changing speed" "ftq*" 's/speed_range: .*/speed_range: 0.2511/' "ftq-core0.samples: the core's speed changed by 25 %; fix *"
edited "realtime" "detour*" 's/SCHED_OTHER.*/SCHED_FIFO, priority 50/' "detour-core0.samples: measured with SCHED_FIFO*without --realtime*"
edited "oversubscribed" "pingpong-launch1*" 's/oversubscribed: no/oversubscribed: 4 ranks on 2 cores of vm/' \
    "pingpong-launch1-node.samples: measured with 4 ranks on 2 cores of vm; start at most*"
edited "a coarse timer" "*" 's/resolution_ns: .*/resolution_ns: 100/' \
    "node: the timer resolves 100.0 ns, the shortest round trip is 60*; *"
edited "two kernels" "fwq*" 's/kernel: .*/kernel: 6.2/' "*: the kernel is 6.*, elsewhere 6.*; measure everything again*"
rm -rf r
cp -r good r
rm r/compute* r/collective*
finds "missing benchmarks" "no results of: collective, compute; *mpgbench*"

rm -rf r
cp -r good r
rm r/fwq*
"$sigmake" --check r >out
is "fixed work may be missing" "$? $(cat out)" "0 r: 13 files: good enough"

# Modes that found different parts of the time lost: of 600 quanta of 0.1 s each 1.03 % gone,
# of the detours' 61 s hardly anything. Within 10 % they agree, and so do quanta that do not
# say what interruptions took.
rm -rf r
cp -r good r
awk '/^#/ { print; next } { $3 = 1e6 + k++ % 7 * 1e4; print }' good/ftq-core0.samples \
    >r/ftq-core0.samples
finds "modes that disagree" "core 0: by detour it lost 0.0[01] +- 0.00 %, by ftq 1.03 +- 0.00 %; they are measured*"
awk '/^# columns/ { print "# columns: start_ns duration_ns lost_ns"; next } /^#/ { print; next }
    { print $1, $2, 1.05e6 + k++ % 5 * 2e4 }' good/fwq-core0.samples >r/fwq-core0.samples
"$sigmake" --check r >out 2>err
like "fixed work is compared, too, to what is alike and what is not" "$(cat out)" \
    "warning: core 0: by detour it lost *, and 1 more like it; they are measured*1 warning"

# ---- noise ----
rm -rf r
cp -r good r
awk '/^#/ && !/^# (end|span)/ {print} /^# span/ {print "# span_ns: 30000000000"} !/^#/ && $1 < 29.9e9 {print; n++} END {print "# end " n}' \
    good/detour-core0.samples >r/detour-core0.samples
finds "a short record" "detour-core0.samples: a record of 30 s; record 60 s*"
edited "a record that ended early" "detour*" 's/^# loop_ns/# filled: after 2000 detours\n&/' \
    "detour-core0.samples: the record ended after 2000 detours; raise --max-detours*"
rm -rf r
cp -r good r
awk '/^# end/ {print "# end " kept; next} /^#/ {print; next} $1 < last {next}
    ++n % 200 == 0 {$2 = 300000} {print; last = $1 + $2; kept++}' good/detour-core0.samples >r/detour-core0.samples
finds "few long detours" "detour-core0.samples: 9 detours are longer than 10 medians, 4? % of the time lost; 100 of them take about 678 s; *"
edited "a high threshold" "detour*" 's/threshold_ns: .*/threshold_ns: 1200/' \
    "detour-core0.samples: detours below 1200 ns were not seen, and * of 20* are just longer; lower --threshold"
awk '!/^#/ {$2 = 100 + $2 / 80} {print}' good/detour-core0.samples >r/detour-core0.samples
finds "detours pile up at the threshold" "detour-core0.samples: detours below 100 ns were not seen, *"
sed -i 's/loop_ns: .*/loop_ns: 60/' r/detour-core0.samples
"$sigmake" --check r >out
is "a threshold as low as can be" "$? $(cat out)" "0 r: 14 files: good enough"
awk '!/^#/ && $1 > 30e9 {$2 *= 2} {print}' good/detour-core0.samples >r/detour-core0.samples
finds "halves of a detour record" "detour-core0.samples: halves differ: * then * detours; lost in 305 ms: median * then *; find *"
edited "halves of ftq" "ftq*" 's/^[3-5][0-9]\{10\}\.0 [0-9]* /&1/' \
    "ftq-core0.samples: halves differ: lost in a quantum: median * then *"
edited "halves of fwq" "fwq*" 's/^\([3-5][0-9]\{10\}\.[0-9]\) 1/\1 2/' \
    "fwq-core0.samples: halves differ: time of a quantum: median * then *"

# ---- network ----
rm -rf r
cp -r good r
rm r/pingpong-launch1*
finds "two launches" "pingpong, node: 2 launches; measure at least 3*"
rm -rf r
cp -r good r
awk '!/^#/ {$3 += 300; $4 += 150; $5 += 150} {print}' good/pingpong-launch1-node.samples >r/pingpong-launch1-node.samples
finds "an outlier launch" "node: launch 1 is an outlier: median round trip of 8 B 97* ns, modified z +*; measure it again*"
rm -rf r
cp -r good r
for i in 0 1 2; do
    awk -v i=$i '/^# pair 0/ {print; print "# pair 1: ranks 0 and 2"; print "# pair 2: ranks 1 and 2"; next}
        !/^#/ && NR % 3 == 1 {$1 = 1} !/^#/ && NR % 3 == 2 {$1 = 2; $3 += 300; $4 += 150; $5 += 150} {print}' \
        good/pingpong-launch$i-node.samples >r/pingpong-launch$i-node.samples
done
finds "an outlier pair" "node: ranks 1 and 2 is an outlier: median round trip of 8 B 97* ns*; look for what is different*"
rm -rf r
cp -r good r
for i in 0 1 2; do
    awk '!/^#/ && ++n > 2000 {$3 *= 1.2; $4 *= 1.2; $5 *= 1.2} {print}' \
        good/pingpong-launch$i-node.samples >r/pingpong-launch$i-node.samples
done
# Where a median goes from 670 to 800 ns halfway, it is not known to 5 %, either.
"$sigmake" --check r >out 2>err
is "halves of launches: exit status, nothing else" "$? $(cat err)" "1 "
like "halves of launches: says so" "$(head -n 1 out)" "warning: ""pingpong-launch?-node.samples: halves differ for 2 of 2 sizes and pairs, most for *, pair 0: median 67* ns then 8[01]* ns, * and 2 more like it; find what changed*"
like "halves of launches: medians are uncertain" "$(sed -n 2p out)" \
    "warning: pingpong, node: the median is not known to 5 % for 2 of 2 sizes*"
is "halves of launches: and nothing else" "$(tail -n +3 out)" "r: $(ls r | wc -l) files: not good enough: 2 warnings"
rm -rf r
cp -r good r
for i in 0 1 2; do
    awk '/^#/ && !/^# end/ {print} !/^#/ && n < 100 {print; n++} END {print "# end " n}' \
        good/pingpong-launch$i-node.samples >r/pingpong-launch$i-node.samples
done
finds "few samples for the tail" "pingpong, node: the 99th percentile is not known to 20 % for 2 of 2 sizes, worst * B: beyond +-200 % of 150 samples; raise *"
rm -rf r
cp -r good r
for i in 0 1 2; do
    awk '!/^#/ && $2 > 0 && ++n % 2 {$4 += 4000; $6 += 4000} {print}' \
        good/bandwidth-launch$i-node.samples >r/bandwidth-launch$i-node.samples
done
finds "wide medians" "bandwidth, node: the median is not known to 5 % for 1 of 2 sizes, worst 64 KiB: +-[2-9]? % of 1500 samples; raise *"
edited "sizes that did not converge" "bandwidth-launch1*" 's/not reached: none/not reached: 64 KiB (median)/' \
    "bandwidth-launch1-node.samples: stopped before the goal was reached for 1 size (64 KiB (median)); raise*"
edited "more sizes that did not converge" "bandwidth-launch1*" 's/not reached: none/not reached: 0 B (p99); 64 KiB (median); 64 KiB window 64 (p99)/' \
    "bandwidth-launch1-node.samples: stopped before the goal was reached for 3 sizes (0 B (p99), ...); raise*"
edited "clocks that are not comparable" "pingpong*" '/^# clocks/d' \
    "node: clocks could not be compared; one-way times are by deconvolution *; let pingpong measure both ways*"
# Both ways of an exchange the same, and most of them slow: no sum of two independent ones.
rm -rf r
cp -r good r
for i in 0 1 2; do
    awk -v seed=$i 'BEGIN {srand(seed)} !/^#/ && rand() < 0.9 {$3 += 1000} !/^# clocks/ {print}' \
        good/pingpong-launch$i-node.samples >r/pingpong-launch$i-node.samples
done
"$sigmake" --check r >out
like "ways that depend on each other" "$? $(grep apart out)" \
    "1 warning: node: the one-way times do not explain the round trips: they are 0.0[89]* apart (Kolmogorov-Smirnov); measure with clocks*"
edited "no eager limit" "pingpong*" '/^# eager/d' "node: no eager limit detected; *--eager-limit"
edited "late processes" "collective*" 's/invalid: 0/invalid: 2/' \
    "collective-launch0.samples: processes were late for 2 starts, 3 were good; leave a core*"
edited "rates that vary" "compute*" 's/1.99e9/1.2e9/' \
    "compute: integer on core 0, 1 at once: rates vary by * % of their median; *"

# ---- several, errors, command line ----
rm -rf r
cp -r good r
rm r/compute*
sed -i 's/other_load: .*/other_load: 2/' r/ftq*
"$sigmake" --check r >out
is "two warnings: exit status and lines" "$? $(wc -l <out) $(tail -n 1 out)" "1 3 r: 13 files: not good enough: 2 warnings"
"$sigmake" r 2>err >a.sig
is "without --check only the grave ones are said, and how many others" "$? $(others)" "0 "
sed -i '$d' r/ftq*
"$sigmake" --check r >out 2>err
like "a file cut off" "$? $(cat out err)" "1 sigmake: r/ftq-core0.samples: line *cut off*"
"$sigmake" --check nowhere >out 2>err
is "no folder" "$? $(cat out err)" "1 sigmake: nowhere: No such file or directory"
"$sigmake" --check -o x.sig good >out 2>err
like "--check with --output" "$? $(cat out err)" "2 sigmake: --check makes no signature*"
if [ -c /dev/full ]; then
    "$sigmake" --check good >/dev/full 2>err
    like "a full disk" "$? $(cat err)" "1 sigmake: standard output: *No space left*"
else
    skip "a full disk" "no /dev/full"
fi

done_testing
