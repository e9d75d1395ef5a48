#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigdiff on made-up signatures (TAP): what was put in is found, with the right
# ratio in the interval, and nothing else is. Program from $SIGDIFF.
set -u
sigdiff=${SIGDIFF:-sigdiff}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/signatures.sh"
command -v "$sigdiff" >/dev/null || { echo "Bail out! no $sigdiff"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# compare ARGUMENT...: runs sigdiff; output, with single blanks, in "out", exit status in $status. --spread 0: synthetic
# signatures do not vary between measurements.
compare() {
    "$sigdiff" --spread 0 "$@" >raw 2>err
    status=$?
    tr -s ' ' <raw >out
}

# within NAME TRUTH: succeeds if the interval in the row that begins with NAME contains TRUTH.
within() {
    awk -v name="$1" -v truth="$2" '
        index($0, name " ") == 1 { for (i = 1; i < NF; i++) if ($i == "to") found = $(i-1) <= truth && truth <= $(i+1) }
        END { exit !found }' out
}

steady="310 312 311 309"
launch=$steady signature >a.sig

# ---- equal signatures ----
compare a.sig a.sig
is "a signature and itself: exit status" "$status $(cat err)" "0 "
like "a signature and itself: all the same" "$(grep compared out)" "* parameters compared: 0 beyond 5 %, 0 whose samples differ, *"
is "a signature and itself: no table" "$(grep -c '95 % interval' out)" 0
compare --all a.sig a.sig
is "--all: exit status" $status 0
for name in "noise: lost to detours" "noise: detours" "noise: detour's duration, median" \
    "noise: lost in FTQ quanta" "noise: lost in one FTQ quantum, 99 %" "noise: lost in FWQ quanta" \
    "noise: amplitude of line at 250.25 Hz" "node: one way, 0 B, median" "node: one way, 64 KiB, 99 %" \
    "node: transfer, 1 KiB, median" "node: streaming, 1 MiB, median" "node: eager limit" \
    "between nodes: one way, 8 B, median" "allreduce of 4, 8 B, median" "barrier of 2, 0 B, 99 %" \
    "reduce_local of 2, 8 B, median" "reduce_local of 2, 64 KiB, 99 %" \
    "compute: floating_point, 1 at once, median" "compute: memory_bandwidth, 2 at once, median"; do
    ok "--all shows $name" grep -qF "$name " out
done
ok "values have units" grep -qF "noise: detours 2500 /s 2500 /s 1 " out
ok "fractions are percentages" grep -qF "noise: lost to detours 1.75 % 1.75 % 1 " out
ok "rates have theirs" grep -qF "1 at once, median 3.55 Gflop/s 3.55 Gflop/s 1 " out
compare - a.sig <a.sig
is "standard input" "$status $(head -n 1 out)" "0 a standard input: vm, 2026-11-20T10:00:00Z"

# ---- messages slower by 5 us ----
shift=5000 launch=$steady signature >b.sig
compare a.sig b.sig
is "latency + 5 us: exit status" $status 1
for size in "0 B" "8 B" "64 B" "1 KiB" "64 KiB"; do
    ok "latency + 5 us: $size is beyond" grep -q "^node: one way, $size, median .* beyond 5 %\$" out
done
ok "latency + 5 us: the true ratio at 8 B is in its interval" within "node: one way, 8 B, median" \
    "$(awk 'BEGIN { print 5315 / 315 }')"
ok "latency + 5 us: and at 64 KiB" within "node: one way, 64 KiB, median" \
    "$(awk 'BEGIN { print (5000 + 6853.5 + 342) / (6853.5 + 342) }')"
ok "latency + 5 us: the distributions do not overlap" \
    grep -q "^node: one way, 8 B, median .* 1.000 " out
is "latency + 5 us: 4.5 % at 1 MiB is not beyond" \
    "$(grep -c '^node: one way, 1 MiB, .*beyond' out)" 0
is "latency + 5 us: noise, compute, streaming are the same" \
    "$(grep -cE '^(noise|compute|.*streaming)' out)" 0
compare --tolerance 4% a.sig b.sig
is "--tolerance 4%: its interval does not lie outside, either" \
    "$(grep -c '^node: one way, 1 MiB, .*beyond' out)" 0
compare --tolerance 3% a.sig b.sig
ok "--tolerance 3%: now it does" grep -q '^node: one way, 1 MiB, median .*beyond 3 %' out
compare --tolerance 0.999 b.sig a.sig
is "--tolerance 0.999: nothing is beyond" "$status $(grep -c beyond out)" "0 1"
compare -t 0 a.sig a.sig
is "--tolerance 0: the same is the same" $status 0

# ---- JSON ----
compare --json a.sig b.sig
is "--json: exit status" "$status $(cat err)" "1 "
if [ -n "${PYTHON3-}" ] && "$PYTHON3" -c 'import json' 2>/dev/null; then
    is "--json: the shift is in it" "$("$PYTHON3" - raw <<'END'
import json, sys
answer = json.load(open(sys.argv[1]))
p = {q["name"]: q for q in answer["parameters"]}["node: one way, 8 B, median"]
print(answer["format"], answer["version"], answer["a"], answer["tolerance"], p["unit"], p["a"], p["b"], p["verdict"],
      p["ratio_low"] < 5315 / 315 < p["ratio_high"], p["p_value"] < 0.001, p["ks_distance"])
END
    )" "sigdiff 2 a.sig 0.05 ns 315.0 5315.0 beyond True True 1.0"
else
    skip "--json: the shift is in it" "no Python"
fi

# ---- launches ----
#
# The medians of three launches differ by a third, so a difference of 20 % is within their variation.
launch="250 310 340" signature >spread.sig
shift=63 launch="300 372 408" signature >shifted.sig
compare spread.sig shifted.sig
is "20 % among launches that differ as much: not beyond" "$status $(grep -c 'node: .*beyond' out)" "0 0"
launch="310 311" signature >two.sig
shift=63 launch="310 311" signature >two-shifted.sig
compare two.sig two-shifted.sig
is "two launches tell nothing: beyond" "$status $(grep -c '^node: one way, 8 B, median .*beyond' out)" "1 1"
ok "two launches: it says so" grep -q '^Fewer than 3 launches' out
compare a.sig b.sig
is "four launches: nothing to say" "$(grep -c '^Fewer than 3' out)" 0

# ---- measurements of one machine ----
"$sigdiff" a.sig b.sig >out
ok "one measurement each: 5 us more at 8 B are beyond what a machine does" grep -q "^node: one way, 8 B, median .* beyond 5 %$" out
shift=63 launch=$steady signature >c.sig
"$sigdiff" a.sig c.sig >out
is "one measurement each: a fifth may be the machine" "$? $(grep -c 'beyond 5 %$' out)" "0 0"
ok "but it differs as measured" grep -q "^node: one way, 8 B, median .* samples differ$" out
"$sigdiff" --spread 1% a.sig c.sig >out
is "--spread 1%: a fifth is another machine" "$? $(grep -c '^node: one way, 8 B, median .*beyond 5 %$' out)" "1 1"
for more in -3 1 2 -1 3; do
    shift=$more launch=$steady signature >again$more.sig
done
compare --again again-3.sig --again again1.sig -r again2.sig -r again-1.sig -r again3.sig a.sig c.sig
is "--again: six measurements within a hundredth tell a fifth" "$status $(grep -c '^node: one way, 8 B, median .*beyond 5 %$' out)" "1 1"
ok "--again: says so" grep -q "^Spread of one machine: estimated from 6 measurements" out
# By hand: medians of 315 plus -3, 1, 2, -1, 3, 0; the standard deviation of their logarithms is 0.00690; t(5) = 2.5706,
# sqrt(1 + 1/6).
awk '$0 ~ /^node: one way, 8 B, median / { for (i = 1; i < NF; i++) if ($i == "to") print $(i-1), $(i+1) }' out >interval
ok "--again: the interval is Student's, by hand" awk '{ f = exp(2.5706 * 0.006905 * sqrt(7 / 6)); m = 378 / 315.33
    exit !($1 / (m / f) > 0.998 && $1 / (m / f) < 1.002 && $2 / (m * f) > 0.998 && $2 / (m * f) < 1.002) }' interval
compare -r again1.sig -r again-1.sig a.sig again3.sig
is "--again: another like them is the same" "$status $(grep -c 'beyond 5 %$' out)" "0 0"
"$sigdiff" --again= a.sig c.sig >out 2>err
like "--again of an empty name" "$? $(cat err)" "2 sigdiff: --again: FILE is empty *"
"$sigdiff" a.sig "" >out 2>err
like "... and a signature of one" "$? $(cat err)" "2 sigdiff: an argument is the empty string: *"
"$sigdiff" -r a.sig a.sig c.sig >out 2>err
is "--again once: not enough" "$? $(wc -l <err)" "2 1"

"$sigdiff" - --again=- -r a.sig c.sig >out 2>err </dev/null
like "standard input twice" "$? $(cat err)" "2 sigdiff: only one input can be standard input *"
for wrong in "5 is not from 0 to less than 1 (100%)" "100% is not from 0 to less than 1 (100%)" "-1% is not from 0 to less than 1 (100%)" \
    "much is neither a ratio nor a percentage" "% is neither a ratio nor a percentage"; do
    for option in tolerance spread; do
        "$sigdiff" "--$option=${wrong%% *}" a.sig c.sig >out 2>err
        like "--$option: $wrong" "$? $(cat err)" "2 sigdiff: --$option: '${wrong%% *}' ${wrong#* } (try *"
    done
done
is "a ratio and its percentage are the same" "$("$sigdiff" --tolerance=0.25 a.sig c.sig)" "$("$sigdiff" --tolerance=25% a.sig c.sig)"

# ---- other parameters ----
eager='"eager_limit_bytes": 8192,' launch=$steady signature >c.sig
compare a.sig c.sig
is "another eager limit" "$status $(grep 'eager' out | head -n 1)" \
    "1 node: eager limit 4096 B 8192 B 2 2 to 2 - - beyond 5 %"
eager='"eager_limit_bytes": 4100,' launch=$steady signature >c.sig
compare a.sig c.sig
like "a slightly other eager limit" "$status $(grep 'eager' out | head -n 1)" "0 node: eager limit * samples differ"
eager='' launch=$steady signature >c.sig
compare a.sig c.sig
like "no eager limit" "$status $(grep 'eager' out | head -n 1)" "0 node: eager limit 4096 B - - - - - measured only in a"
eager='"eager_limit_bytes": -1,' launch=$steady signature >c.sig
compare c.sig a.sig
like "none against one" "$status $(grep 'eager' out | head -n 1)" "1 node: eager limit none 4096 B * beyond 5 %"

period=300 launch=$steady signature >c.sig
compare a.sig c.sig
is "a third more detours: exit status" $status 1
ok "a third more detours: rate" within "noise: detours" 1.3333
ok "a third more detours: fraction" within "noise: lost to detours" 1.3333
is "a third more detours: as long as before" "$(grep -c 'duration' out)" 0

line_hz=333.3 launch=$steady signature >c.sig
compare a.sig c.sig
ok "a line is gone" grep -qF "line at 250.25 Hz 2.385 us - - - - - measured only in a" out
ok "a line is new" grep -qF "line at 333.3 Hz - 2.385 us - - - - measured only in b" out
is "lines alone are no difference beyond" $status 0

kernel=6.2 launch=$steady signature >c.sig
compare a.sig c.sig
is "another kernel: listed, exit 0" "$status $(grep -A 2 '^ kernel' out | tr -d '\n')" "0  kernel a 6.1 b 6.2"

for part in noise network collectives reductions compute; do
    without=$part launch=$steady signature >c.sig
    compare a.sig c.sig
    ok "no $part in b: not comparable, exit 0" test $status = 0 -a "$(grep -c 'measured only in a$' out)" -gt 0
    compare c.sig a.sig
    ok "no $part in a: not comparable, exit 0" test $status = 0 -a "$(grep -c 'measured only in b$' out)" -gt 0
done

# Different thresholds: compares only detours above both.
sed 's/"threshold_ns": 100,/"threshold_ns": 7500,/' a.sig >d.sig
compare --all a.sig d.sig
ok "another threshold: only longer detours count" grep -qF "noise: detours 1000 /s 1000 /s 1 " out

# One-way times from clocks and from round trips cannot be compared.
sed 's/"one_way": "[^"]*"/"one_way": "deconvolution of the round trip, misfit at most 0.01"/' a.sig >c.sig
sed 's/misfit at most 0.01/misfit at most 0.02/' c.sig >d.sig
compare --all a.sig c.sig
like "one-way times got differently" "$status $(grep '^node: one way' out)" \
    "0 node: one way - - - - - - obtained in different ways"
ok "one-way times got differently: round trips instead" grep -q '^node: round trip, 8 B, median .*no evidence' out
compare --all c.sig d.sig
ok "got alike, not as well" grep -q '^node: one way, 8 B, median .*no evidence' out

sed 's/"one_way": "[^"]*"/"one_way": "forward and backward times; clocks synchronised within 25 ns"/' a.sig >c.sig
sed 's/within 25 ns/within 31 ns/' c.sig >d.sig
compare --all c.sig d.sig
ok "clocks not as well synchronised: still got alike" grep -q '^node: one way, 8 B, median .*no evidence' out
sed 's/; clocks synch/, both directions shifted to the same median&/' c.sig >d.sig
compare --all c.sig d.sig
ok "moved to the same median: still got alike" grep -q '^node: one way, 8 B, median .*no evidence' out

sed 's/"odd":/"transfer, node": "time until the message is there; one clock", &/' a.sig >c.sig
sed 's/"odd":/"transfer, node": "deconvolution of the time to the acknowledgement, misfit at most 0.01", &/' a.sig >d.sig
compare c.sig d.sig
like "transfers got differently" "$status $(grep 'transfer' out)" "0 node: transfer - - - - - - obtained in different ways"

# If one side is 0 there is no ratio, but a difference.
none='s/"detours": {.*},$/"detours": {"start_ns": [], "duration_ns": []},/'
sed "$none" a.sig >c.sig
compare c.sig a.sig
like "no detours against many" "$status $(grep '^noise: detours' out)" "1 noise: detours 0 /s 2500 /s - - - * beyond 5 %"
compare a.sig c.sig
like "many against no detours" "$status $(grep '^noise: lost to' out)" "1 noise: lost to detours 1.75 % 0 % - - - * beyond 5 %"
period=100000 launch=$steady signature >d.sig
sed "$none" d.sig >c.sig
compare --all c.sig d.sig
like "no detours against two a core: may be chance" "$status $(grep '^noise: detours' out)" "0 noise: detours 0 /s 10 /s - - - 0.0* no evidence"
compare --all c.sig c.sig
like "no detours in both" "$status $(grep '^noise: detours' out)" "0 noise: detours 0 /s 0 /s 1 - - - no evidence"

# ---- conditions ----
shift=5000 launch=$steady signature >b.sig
judged() { # judged NAME STATUS VERDICT ARGUMENT...: exit status, and the verdict of the line of the condition
    local name=$1 wanted="$2 $3" verdict
    shift 3
    compare "$@"
    verdict=$(sed -n 's/ fail if .*//p' out)
    is "$name" "$status $verdict" "$wanted"
}
judged "8 B take 17 times as long: failed" 3 failed --fail-if='node: one way, 8 B, median > +1000 %' a.sig b.sig
like "... the line has n and the parameter" "$(grep 'fail if' out)" \
    "failed fail if node: one way, 8 B, median > +1000 %: node: one way, 8 B, median: change +1587.3 %, 95 % interval +*, n = 1 and 1"
judged "... not 30 times" 0 passed --fail-if='node: one way, 8 B, median > +2900 %' a.sig b.sig
judged "... at the limit: undecided" 0 undecided --fail-if='node: one way, 8 B, median > +1587.3 %' a.sig b.sig
judged "... which --strict calls no success" 4 undecided --strict --fail-if='node: one way, 8 B, median > +1587.3 %' a.sig b.sig
judged "of several parameters one fails" 3 failed --fail-if='one way > +500 %' a.sig b.sig
judged "... of noise none" 0 passed --fail-if='noise > +900 %' a.sig b.sig
judged "beyond the tolerance is no failure of another condition" 0 passed --fail-if='noise < -90 %' a.sig b.sig
sed "$none" a.sig >c.sig
judged "from 0 to many is more than any limit" 3 failed --fail-if='noise: detours > +900 %' c.sig a.sig
judged "from many to 0" 3 failed --fail-if='noise: detours < -50 %' a.sig c.sig
judged "0 in both is no change" 0 passed --fail-if='noise: lost to detours > +5 %' c.sig c.sig
compare --tap --junit=out.xml --fail-if='one way, 8 B > +500 %' --fail-if='noise > +900 %' a.sig b.sig
is "--tap" "$(grep ok out)" "not ok 1 - fail if one way, 8 B > +500 %
ok 2 - fail if noise > +900 %"
is "--junit" "$(grep -c '<failure ' out.xml) $(grep -c '<testcase ' out.xml)" "1 2"
is "--json" "$("$sigdiff" --json --fail-if='noise > +900 %' a.sig b.sig 2>err | "${PYTHON3:-python3}" -c 'import json, sys
found = json.load(sys.stdin)["conditions"][0]
print(found["fail_if"], found["limit"], found["number_before"])')" "noise > +900 % 9.0 1"
for condition in "nothing > +5 %" "noise > +5ns" "noise > 5 %" noise; do
    compare --fail-if="$condition" a.sig b.sig
    is "usage: --fail-if='$condition'" "$status $(wc -c <raw) $(wc -l <err)" "2 0 1"
done
for option in --tap --strict --junit=x.xml "--junit=- --fail-if=noise>0"; do
    # shellcheck disable=SC2086 # words
    compare $option a.sig b.sig
    is "usage: $option" "$status $(wc -c <raw) $(wc -l <err)" "2 0 1"
done

# ---- errors ----
for arguments in "" "a.sig" "a.sig a.sig a.sig" "- -" "--tolerance=x a.sig a.sig" \
    "--tolerance=-1% a.sig a.sig" "--tolerance=100% a.sig a.sig" "--tolerance= a.sig a.sig" \
    "--no-such a.sig a.sig"; do
    # shellcheck disable=SC2086 # a list
    compare $arguments
    is "usage: sigdiff $arguments" "$status $(wc -c <raw) $(wc -l <err)" "2 0 1"
done
compare a.sig no.sig
is "no file" "$status $(cat out err)" "2 sigdiff: no.sig: No such file or directory"
head -c 1000 a.sig >cut.sig
compare cut.sig a.sig
like "half a file" "$status $(cat out err)" "2 sigdiff: cut.sig: line *"
if [ -c /dev/full ]; then
    "$sigdiff" a.sig b.sig >/dev/full 2>err
    like "a full standard output" "$? $(cat err)" "2 sigdiff: standard output: *No space left*"
    "$sigdiff" --json a.sig b.sig >/dev/full 2>err
    like "... of JSON" "$? $(cat err)" "2 sigdiff: standard output: *No space left*"
    is "... in one line" "$(wc -l <err)" 1
fi
done_testing
