#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Off-CPU time of intervals and calls, by hand (TAP; docs/MODEL.md, sections 3 to 5).
. "$(dirname "$0")/mpgsim.sh"
needs_python
"$python" "$here/noise_case.py" signature quiet 1 >quiet.sig

# run OPTION...: prints the run time of the first replica, in whole ns.
run() {
    "$mpgsim" --json "$@" >answer 2>err || sed 's/^/# /' err
    "$python" -c 'import json; print(round(json.load(open("answer"))["replicas"][0]["run_time_ns"]))'
}
say() { "$python" -c "import json; print(json.load(open('answer'))['recording']['$1'])"; }

head='#mpgtext 1
#ranks 2
#clocks shared
#fact 0 off_cpu rseq
#fact 1 off_cpu rseq
#comm 0 = 0 1
0 0 1000 Init
1 0 1000 Init'

# Rank 1 works 20000, of which it is off its CPU for 7000; rank 0 waits for it in a barrier, then both work 1000.
cat >interval.text <<END
$head
0 11000 21700 Barrier comm=0
1 21000 21700 Barrier comm=0 off=7000
0 22700 23000 Finalize
1 22700 23000 Finalize
END
is "without a target the trace is as it was" "$(run interval.text)" 21700
is "its time off the CPU is said" "$(say off_cpu_share)" "$("$python" -c 'print(7000 / (2 * 21700))')"
is "... of the time outside of MPI, too" "$(say off_cpu_outside_share)" "$("$python" -c 'print(7000 / 32000)')"
is "and stays" "$(say off_cpu_removed)" False
is "noise by hand alone leaves it in" "$(run --noise const:100ns interval.text)" 21900
is "a target comes in its place: the barrier waits less" "$(run --perturb --signature quiet.sig interval.text)" 14700
is "whatever noise is given by hand" "$(run --perturb --signature quiet.sig --noise const:100ns interval.text)" 14900
is "a source without noise, too" "$(run --perturb --signature quiet.sig --source quiet.sig interval.text)" 14700
is "not below what the others work" "$(sed 's/off=7000/off=15000/' interval.text >more.text
    run --perturb --signature quiet.sig more.text)" 11700
is "predict mode: work is what is left" "$(run --predict --signature quiet.sig --latency const:0ns --byte const:0ns interval.text)" 14000
is "and without a signature" "$(run --predict --latency const:0ns --byte const:0ns interval.text)" 14000
is "half as fast" "$(run --perturb --signature quiet.sig --compute-ratio=2 interval.text)" 28700
is "a region that begins in an interval, and is open to the end, has the time off the CPU of its part" "$(sed 's/^1 21000 21700/1 2000 2000 Region_begin name="a"\n1 21000 21700/' interval.text >marked.text
    run --hypothesis "scale a factor=2" --perturb --signature quiet.sig marked.text)" 27700

# A barrier that takes 700, and one in which rank 1 is off its CPU for 9000, for which both wait.
cat >meeting.text <<END
$head
0 11000 11700 Barrier comm=0
1 11000 11700 Barrier comm=0
0 12000 22700 Barrier comm=0
1 12000 22700 Barrier comm=0 off_call=9000
0 23700 24000 Finalize
1 23700 24000 Finalize
END
is "a barrier gives back what a member was off its CPU" "$(run --perturb --signature quiet.sig meeting.text)" 13700
is "but takes what it takes" "$(sed 's/off_call=9000/off_call=10650/' meeting.text >more.text
    run --perturb --signature quiet.sig more.text)" 12700
is "not without a target" "$(run meeting.text)" 22700
is "nor where nothing is slack" "$(run --absorb=none --perturb --signature quiet.sig meeting.text)" 22700

# A message that takes 500. Another one whose receiver is off its CPU for 8000 of the 10500 in its call; its sender is
# off its CPU for 300 of 400.
cat >message.text <<END
$head
0 1100 1150 Send comm=0 to=1 tag=0 bytes=8
1 1050 1600 Recv comm=0 from=0 tag=0 bytes=8
0 2000 2400 Send comm=0 to=1 tag=0 bytes=8 off_call=300
1 1700 12000 Recv comm=0 from=0 tag=0 bytes=8 off_call=8000
0 3400 3500 Finalize
1 13000 13100 Finalize
END
is "a receive gives back its time off the CPU" "$(run --perturb --signature quiet.sig --source=latency=500ns message.text)" 4000
"$python" -c 'import json; print([round(x["delay_ns"]["median"]) for x in json.load(open("answer"))["ranks"]])' >delays
is "and so does a send" "$(cat delays)" "[-300, -8000]"
is "no earlier than the message can be there" "$(sed 's/off_call=8000/off_call=10200/' message.text >more.text
    run --perturb --signature quiet.sig --source=latency=500ns more.text)" 2500

# The quality of the recording.
"$mpgsim" --perturb --signature quiet.sig interval.text >out
ok "a busy recording's answer is marked" grep -q '^  recording  *NOT RELIABLE: off the CPU for 16 % of the run outside of MPI' out
sed 's/off=7000/off=200/' interval.text >good.text
"$mpgsim" --perturb --signature quiet.sig good.text >out
ok "a quiet one's is not" grep -q '^  recording  *good: off the CPU for 0.46 % of the run outside of MPI (0.62 % of the time outside), 0 % of the run in MPI, both deducted$' out
is "in JSON, too" "$(run --perturb --signature quiet.sig good.text) $(say reliable)" "21500 True"
# Time off the CPU in calls, which a prediction replaces and a perturbed run keeps.
"$mpgsim" --source=none --signature "$here/../../results/reference/reference.sig" meeting.text | grep "^P[er]" >out
is "the perturbed run beside a reliable prediction has its own mark" \
    "$(sed -n 's/^\(Pre[a-z]*\|Per[a-z]*\) run.*NOT RELIABLE.*/\1/p' out) of $(wc -l <out)" "Perturbed of 2"
# A signature measured while other programs ran.
"$python" - "$here/../../results/reference/reference.sig" >loaded.sig <<'END'
import json
import sys
signature = json.load(open(sys.argv[1]))
signature["checks"] = {"made": 1, "failed": [{"check": "off the CPU", "parts": ["computation"], "moves": 0.66,
                                              "found": "off its CPU", "remedy": "measure when nothing else runs"}]}
print(json.dumps(signature))
END
"$mpgsim" --signature loaded.sig good.text >out
ok "a signature whose noise is others' work marks the answer" grep -q '^Predicted run time .* NOT RELIABLE' out
ok "... and says why" grep -q '^Signature  *NOT RELIABLE, measure again on an idle machine: .*: off the CPU (can change computation by 66 %)' out
is "... in JSON, too" "$("$mpgsim" --json --signature loaded.sig good.text | "$python" -c 'import json, sys; print(json.load(sys.stdin)["reliable"])')" False
"$mpgsim" --report=page.html --signature loaded.sig good.text >out
ok "a page marks it beside the number" grep -q '<b>[^<]*</b>  <strong class="unreliable">NOT RELIABLE</strong>' page.html
is "a sweep says so" "$("$mpgsim" --signature loaded.sig --sweep=latency=x1,x2 good.text | grep -c '^Signature  *NOT RELIABLE, measure again on an idle machine: off the CPU (can change computation by 66 %)$')" 1
is "... in JSON, each row" "$("$mpgsim" --json --signature quiet.sig --signature loaded.sig good.text |
    "$python" -c 'import json, sys; print(sorted((r["values"]["signature"], r["reliable"]) for r in json.load(sys.stdin)["rows"]))')" \
    "[('loaded.sig', False), ('quiet.sig', True)]"
"$mpgsim" --predict --signature loaded.sig good.text >out
ok "... the answer of --predict, too" grep -q '^  signature  *NOT RELIABLE, measure again on an idle machine: off the CPU (can change computation by 66 %)$' out
sed 's/"moves": 0.66/"moves": 0.09/' loaded.sig >less.sig
"$mpgsim" --signature less.sig good.text >out
ok "... not if computation moves by less than 10 %" sh -c '! grep -q "NOT RELIABLE" out && grep -q "can change computation by 9 %" out'

# The same run as a heat map of ranks and time: 32000 ns of computation, less 7000; 10000 of waiting.
"$mpgsim" --json --waits --perturb --signature quiet.sig interval.text >answer
is "a heat map in JSON: the parts of both ranks add up" "$("$python" -c '
import json
run = json.load(open("answer"))["heat_map"]
assert run["groups"] == [[0, 0], [1, 1]] and run["recorded"]["run_ns"] == 21700
print(*[[round(sum(g) * run["recorded"]["bin_ns"] / 1e6) for g in run["recorded"]["parts"][part]] for part in ("computation", "noise", "waiting")])')" \
    "[11, 14] [0, 7] [10, 0]"

# Each kind of output about a recording on a busy machine says so once, with the reason, above its results. Rank 1
# enters the barrier late, off its CPU for 7000 of 43400.
reference=$here/../../results/reference/reference.sig mpgtrace=${MPGTRACE:-mpgtrace} mpgscale=${MPGSCALE:-mpgscale}
reason="NOT RELIABLE: off the CPU for 16 % of the run outside of MPI (22 % of the time outside), 0 % of the run in MPI: record again on an idle machine"
# says ANSWER COMMAND...: prints how often the output has the reason, and whether it is above the first line that begins
# with ANSWER.
says() {
    local answer=$1
    shift
    "$@" >out 2>&1
    awk -v reason="$reason" -v answer="$answer" 'index($0, reason) { n++; at = NR } index($0, answer) == 1 && !first { first = NR }
        END { print n + 0, (first > at ? "above" : "below") }' out
}
for case in "Tolerated|$mpgsim --perturb --signature quiet.sig --tolerate=5%:latency" \
    "Tolerated|$mpgsim --predict --source=none --signature $reference --tolerate=5%:latency" \
    "  row|$mpgsim --predict --source=none --signature $reference --sweep=noise=x1,x2" \
    "  row|$mpgsim --predict --source=none --signature $reference --signature quiet.sig --latency=1us" \
    "Hypotheses|$mpgsim --source=none --signature $reference --hypothesis=drop+call=Barrier" \
    "  row|$mpgsim --target=ideal --sweep=CommStartupTime=1us,2us" \
    "time, all ranks|$mpgtrace waits" "Critical path|$mpgtrace critical-path" "Parallel efficiency|$mpgtrace efficiency" \
    "Global efficiency|$mpgtrace efficiency good.text" "program|$mpgscale --table=runs" "time in all ranks|$mpgscale --table=aggregate" \
    "program|$mpgscale --table=efficiency"; do
    words=()
    for word in ${case#*|}; do words+=("${word//+/ }"); done
    is "above the answer: ${case#*|}" "$(says "${case%%|*}" "${words[@]}" interval.text)" "1 above"
    [ "${words[0]}" != "$mpgscale" ] || continue # tables in JSON are arrays of rows: tests/scale/test-efficiency.py
    "${words[@]}" --json interval.text 2>err | "$python" -c 'import re, sys; print(bool(re.search("\"reliable\": ?false", sys.stdin.read())))' >json
    is "... in JSON" "$(cat json)" True
done
done_testing
