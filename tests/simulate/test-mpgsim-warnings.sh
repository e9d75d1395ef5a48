#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Warnings at the top of an answer (TAP): each warning appears where there is a reason, and none
# without reason. Programs from $MPGSIM, $PYTHON3.
. "$(dirname "$0")/mpgsim.sh"
needs_python

# A complete signature that has passed its checks, and others that lack a part each.
"$python" - "$reference" <<'PY'
import copy, json, sys
whole = json.load(open(sys.argv[1]))
whole["header"].update(host="node1", cpu="Quick 9000", kernel="Linux 5", mpi="MPI 4",
                       mpi_settings="none")
whole["checks"] = {"made": 28}
path = whole["network"][0]
path["send_overhead"] = copy.deepcopy(path["sender"])
path["receive_overhead"] = [{"size_bytes": s["size_bytes"], "receive_ns": s["send_ns"]}
                            for s in path["sender"]]

def save(name, change=None):
    sig = copy.deepcopy(whole)
    if change:
        change(sig)
    json.dump(sig, open(name + ".sig", "w"))

save("whole")
save("bad", lambda s: s["checks"].update(failed=[
    {"check": "uncertain noise", "parts": ["computation"], "moves": 0.021, "found": "4 s",
     "remedy": "measure again"}]))
save("old", lambda s: s["checks"].update(failed=[ # a check that does not say what it concerns
    {"check": "short record", "found": "4 s", "remedy": "measure again"}]))
save("unchecked", lambda s: s.pop("checks"))
save("quiet", lambda s: s.pop("noise"))
save("alone", lambda s: s.pop("network"))
save("calls", lambda s: s.pop("collectives"))
save("receives", lambda s: s["network"][0].pop("receive_overhead"))
save("sends", lambda s: (s["network"][0].pop("send_overhead"), s["network"][0].pop("sender")))
save("both", lambda s: [s["network"][0].pop(k)
                        for k in ("send_overhead", "sender", "receive_overhead")])
save("small", lambda s: s["network"][0].update({k: [t for t in s["network"][0][k]
                                                    if t["size_bytes"] <= 65536]
                                                for k in ("latency", "bandwidth")}))
save("other", lambda s: s["noise"].pop())
tail = {"n": 6000, "mean": 2450, "quantiles": [2400] * 256 + [7289000]} # the largest value is one of 6000
save("steps", lambda s: s["network"][0]["latency"][0].update(one_way_ns=tail))
save("elsewhere", lambda s: s["header"].update(kernel="Linux 6"))
PY

good=("#clocks shared" "#host 0 node1" "#host 1 node1" "#fact 0 cpu Quick 9000"
    "#fact 0 kernel Linux 5" "#fact 0 mpi MPI 4" "#fact 0 mpi_settings none" "#fact 0 cores 0"
    "#fact 1 cores 1")
# program LINE...: writes t.txt, a trace with these additional header lines.
program() {
    calls 2 "$@" <<'CALLS' >t.txt
0 1000 1100 Send to=1 bytes=64
1 900 2500 Recv from=0 bytes=64
0 3000 3100 Isend to=1 bytes=100000 request=1
1 3050 9000 Recv from=0 bytes=100000
0 3200 9100 Wait requests=1
0 9200 9500 Allreduce bytes=8
1 9300 9500 Allreduce bytes=8
CALLS
}
# attention TOPIC OPTION...: prints the lines of "Attention" about TOPIC, or all if it is empty: those above the
# numbers, and those about quality below them.
attention() {
    local topic=$1
    shift
    "$mpgsim" "$@" t.txt | awk -v topic="  $topic" '
        NR == 1 { inside = /^Attention$/; next } /^$/ { inside = 0 } /^Assumed$/ { below = 1 }
        (inside || below && /^  quality/) && index($0, topic) == 1 { sub("^  " substr(topic, 3) " *", ""); print }'
}
# only TOPIC PATTERN NAME OPTION...: checks that there is one such line, about TOPIC, that it matches PATTERN, and that
# the JSON has it too.
only() {
    local topic=$1 pattern=$2 name=$3
    shift 3
    is "$name: one line" "$(attention '' "$@" | wc -l)" 1
    like "$name: it says so" "$(attention "$topic" "$@")" "$pattern"
    is "$name: JSON has it" "$("$mpgsim" --json "$@" t.txt |
        "$python" -c 'import json, sys
print(*[a["topic"] for a in json.load(sys.stdin)["attention"]])')" "$topic"
}

# ---- no attention ----
program "${good[@]}"
is "a good case has nothing above it" "$(attention '' --perturb --signature=whole.sig)" ""
is "nor in JSON" "$("$mpgsim" --json --perturb --signature=whole.sig t.txt |
    sed -n 's/^ "attention": //p')" "[],"
is "nor with another good source" \
    "$(attention '' --perturb --signature=whole.sig --source=elsewhere.sig)" ""
is "nor without any signature" "$(attention '' --latency=const:1us)" ""

# ---- the signature ----
only quality "1 of the 28 quality checks of the target failed and affect this answer: uncertain noise (can change computation by 2.1 %); *" \
    "failed checks" --perturb --signature=bad.sig
only quality "1 of the 28 quality checks of the target failed and affect this answer: short record; *" \
    "failed checks of an older file" --perturb --signature=old.sig
is "but not where its noise is not used" "$(attention quality --perturb --signature=bad.sig --noise=const:1us)" ""
only quality "not checked: the signature *" "no checks" --perturb --signature=unchecked.sig
only quality "*checks of the source failed*" "a source's" --perturb --signature=whole.sig --source=bad.sig
only noise "no noise in this signature: nothing interrupts the computation *" "no noise" \
    --perturb --signature=quiet.sig
only source "no noise in the source's signature: *" "a source without noise" \
    --perturb --signature=whole.sig --source=quiet.sig
only collectives "none in this signature, and 1 in the trace: *" "no collectives" \
    --perturb --signature=calls.sig
only collectives "none in the source's signature, *" "a source without" \
    --perturb --signature=whole.sig --source=calls.sig
is "unless they are given otherwise" "$(attention '' --perturb --signature=calls.sig --latency=const:1us \
    --source=none | grep -c collectives)" 0
only overheads "no overheads of receives in this signature: *" "no overheads of receives" \
    --perturb --signature=receives.sig
only overheads "no overheads of sends in this signature: *" "nor of sends" --perturb --signature=sends.sig
only overheads "no overheads of sends and receives in the source's signature: *" "nor of both" \
    --perturb --signature=whole.sig --source=both.sig
is "no network: its three parts" "$(attention '' --perturb --signature=alone.sig |
    awk '{ print $1 }' | paste -sd ' ')" "latency bandwidth eager"
only sizes "messages have up to 97.66 KiB, the network of the signature was measured up to 64 KiB: *" \
    "sizes beyond the measured" --perturb --signature=small.sig
only sizes "messages have up to 97.66 KiB, the network of the source's signature *" \
    "sizes beyond the source's" --perturb --signature=whole.sig --source=small.sig
is "unless they do not matter" "$(attention sizes --perturb --signature=small.sig --latency=const:1us \
    --byte=const:1ns)" ""

# 2400 + (7289000 - 2400) / 256 / 2 = 16632.
like_means="the one-way time of 0 bytes has a mean of 2.45 us in the %s, and is drawn with 16.63 us: *"
only quantiles "${like_means/\%s/signature}" "knots that draw another mean" --perturb --signature=steps.sig
only quantiles "${like_means/\%s/source\'s signature}" "a source's" --perturb --signature=whole.sig --source=steps.sig
is "predicted, too" "$(attention quantiles --predict --signature=steps.sig | wc -l)" 1
is "unless they are not drawn from" "$(attention quantiles --perturb --signature=steps.sig --latency=const:1us --byte=const:1ns)" ""

program "${good[@]}"
sed -i 's/Allreduce bytes=8$/Allreduce bytes=9000000/' t.txt
is "collectives beyond the measured are their messages" "$(attention sizes --perturb --signature=whole.sig --source=other.sig)" ""
program "${good[@]}"

# ---- the source ----
only source "none known, and the target does not replace it (another kernel): the traced machine is assumed without noise*" \
    "no source" --perturb --signature=elsewhere.sig
is "unless that is meant" "$(attention '' --perturb --signature=elsewhere.sig --source=none)" ""

# ---- the trace ----
program "${good[@]}"
sed -i 's/1000000 1000010 Finalize/5000000000 5000000010 Finalize/' t.txt
only noise "the record of 4 s is shorter than the run of 5* s and is repeated: *" "a short record" \
    --perturb --signature=whole.sig --source=other.sig
is "unless it changes nothing" "$(attention '' --perturb --signature=whole.sig)" ""
is "unless it is not used" "$(attention '' --perturb --signature=whole.sig --noise=exp:1us |
    grep -v replaced)" ""

calls 2 "${good[@]}" <<'CALLS' >t.txt
0 1000 1100 Send to=1 bytes=64
1 900 980 Recv from=0 bytes=64
0 2000 2100 Send to=1 bytes=64
1 1000 1385 Recv from=0 bytes=64
0 3000 3100 Send to=1 bytes=64
1 2900 3000 Recv from=0 bytes=64
CALLS
only clocks "2 of 3 messages arrive before they were sent, by up to 615 ns: the traced clocks *" \
    "messages back in time" --latency=const:1us
sed '/clocks shared/d' t.txt >u.txt && mv u.txt t.txt
is "unless clocks are not compared" "$(attention clocks --latency=const:1us)" ""

for places in "0 0|oversubscribed recording (2 ranks had 1 core of node1): *" "0,1 0-1|" "0-1,4 4|" "0 1|"; do
    # shellcheck disable=SC2086 # two words
    set -- ${places%%|*}
    program "${good[@]/#\#fact ? cores*/}" "#fact 0 cores $1" "#fact 1 cores $2"
    like "ranks on cores $1 and $2" "$(attention cores --noise=exp:1us)" "${places#*|}"
done
program "${good[@]}" "#fact 0 core_limit 1.50"
only cores "oversubscribed recording (2 ranks had 1.5 cores of node1): *" "a quota" --noise=exp:1us
calls 4 "#clocks shared" "#host 0 a" "#host 1 a" "#host 2 b" "#host 3 b" "#fact 0 cores 0" \
    "#fact 1 cores 0" "#fact 2 cores 7" "#fact 3 cores 7" </dev/null >t.txt
only cores "oversubscribed recording (2 ranks had 1 core of a, and so on 1 more host): *" "two hosts" \
    --noise=exp:1us
calls 4 "#clocks shared" "#host 0 a" "#host 1 a" "#host 2 a" "#host 3 a" "#fact 0 cores 0" \
    "#fact 1 cores 0" "#fact 2 cores 1-3" "#fact 3 cores 1-3" </dev/null >t.txt
only cores "oversubscribed recording (2 ranks had 1 core of a): *" "cores enough, given badly" --noise=exp:1us
for cores in 0- -1 a 5-3 99999999 0,,1 ""; do
    program "#clocks shared" "#host 0 a" "#host 1 a" "#fact 0 cores $cores" "#fact 1 cores $cores"
    is "cores '$cores' mean nothing" "$(attention cores --noise=exp:1us)" ""
done

calls 2 <<'CALLS' >t.txt
0 1000 1100 Isend to=1 bytes=64 request=1
1 900 950 Irecv from=0 bytes=64 request=1
1 960 970 Test requests=1 done=
1 2000 2010 Test requests=1
CALLS
only asynchronous "1 of 1 messages is waited for by neither side *" "nobody waits" \
    --noise=exp:1us
sed 's/2000 2010 Test requests=1/2000 2010 Wait requests=1/' t.txt >u.txt && mv u.txt t.txt
is "somebody waits" "$(attention '' --noise=exp:1us)" ""

# Rank 0 serves ranks in the order of their messages: rank 1 first, except with a hypothesis.
calls 3 "#clocks shared" <<'CALLS' >t.txt
0 900 1100 Recv from=1 bytes=64 any=source
0 1200 1210 Send to=1 bytes=8
0 1300 5100 Recv from=2 bytes=64 any=source
0 5200 5210 Send to=2 bytes=8
1 100 100 Region_begin name="solve"
1 900 900 Region_end name="solve"
1 1000 1010 Send to=0 bytes=64
1 1050 1300 Recv from=0 bytes=8
2 5000 5010 Send to=0 bytes=64
2 5050 5300 Recv from=0 bytes=8
CALLS
for mode in "" --predict; do
    # shellcheck disable=SC2086 # none, or one
    only answers "1 of 1 replicas keeps the traced order: *" "an answer before its cause $mode" \
        $mode ${mode:+--latency=const:1us} --hypothesis="scale solve ranks=1 factor=10"
    # shellcheck disable=SC2086
    is "answers as they were $mode" "$(attention answers $mode ${mode:+--latency=const:1us} \
        --hypothesis="scale solve ranks=1 factor=1.5")" ""
done

# held BEGIN LEAVE WAIT: writes t.txt: rank 0 works in region solve, and then waits with the call WAIT for a message
# sent at 1100, which rank 1 receives from BEGIN to LEAVE.
held() {
    calls 2 "#clocks shared" <<CALLS >t.txt
0 1100 1150 Isend to=1 bytes=64 request=1
0 1200 1200 Region_begin name="solve"
0 9000 9000 Region_end name="solve"
0 9000 9020 $3 requests=1
1 $1 $2 Recv from=0 bytes=64
CALLS
}
solve=(--hypothesis="scale solve factor=0.5")
held 1300 9085 Wait
only progress "1 of 1 messages reached their waiting receivers only once the sender called MPI_Wait... (7.7 us, \
all together)*--predict is the better question" "held until its sender waits" "${solve[@]}"
is "without hypotheses nobody asks" "$(attention '')" ""
is "predicted it is not held" "$(attention progress --predict --latency=const:1us "${solve[@]}")" ""
held 500 16899 Wait
only progress "*(7.9 us, all together)*" "its receiver waits since before it left: from then on" "${solve[@]}"
held 500 16901 Wait
is "... longer after its sender called" "$(attention '' "${solve[@]}")" ""
held 8000 8999 Wait
is "it came by itself" "$(attention '' "${solve[@]}")" ""
held 9001 9085 Wait
is "nobody waited for it" "$(attention '' "${solve[@]}")" ""
held 1300 9085 Test
is "its sender asked" "$(attention '' "${solve[@]}")" ""
held 1300 9085 Wait
sed '/clocks shared/d' t.txt >u.txt && mv u.txt t.txt
is "clocks that are not compared" "$(attention progress "${solve[@]}")" ""
# The same among 99 and 98 other messages.
for others in 99 98; do
    held 1300 9085 Wait
    awk -v n="$others" '/Finalize/ { for (i = 0; i < n; i++) print $1, 9100 + 10 * i + $1, 9105 + 10 * i + $1,
        $1 == 0 ? "Send to=1 bytes=4" : "Recv from=0 bytes=4" } { if (/Finalize/) $2 += 2000; if (/Finalize/) $3 += 2000; print }' \
        t.txt >u.txt && mv u.txt t.txt
    is "one among $others others" "$(attention progress "${solve[@]}" | wc -l)" $((others < 99))
done

# waiting SENDS BYTES TOOK EVERY: writes t.txt: rank 0 makes SENDS calls of MPI_Send, one every EVERY ns. Rank 1 posts
# each receive TOOK ns later.
waiting() {
    awk -v n="$1" -v bytes="$2" -v took="$3" -v every="$4" 'BEGIN { for (i = 1; i <= n; i++) {
        print 0, every * i, every * i + took + 50, "Send to=1 bytes=" bytes
        print 1, every * i + took, every * i + took + 60, "Recv from=0 bytes=" bytes } }' |
        calls 2 "${clocked[@]}" >t.txt
}
clocked=("#clocks shared")
given=(--predict --latency=const:1us --byte=const:1ns)
waiting 8 1000 7000 30000
only "eager limit" "none is known: in the trace 8 calls of MPI_Send waited for their receiver (56 us, all together)*--eager-limit=999 *" \
    "sends that waited keep what they took" "${given[@]}"
# If its sends wait as assumed, nothing remains of the time that rank 0 spends in calls, 8 times 7.05 us.
in_calls() { "$mpgsim" "$@" t.txt | awk '/^  MPI overhead/ { print $3, $4 }'; }
is "that they keep" "$(in_calls "${given[@]}")" "28.2 us"
is "and not with what is said" "$(in_calls "${given[@]}" --eager-limit=999)" ""
for limit in --eager-limit=999 --source=eager-limit=999 --source=whole.sig; do
    is "no line with $limit" "$(attention "eager limit" "${given[@]}" "$limit" | wc -l)" 0
done
is "none of the traced run, perturbed" "$(attention "eager limit" --latency=const:1us)" ""
# A signature without an eager limit causes one line, never two; one with costs of sends causes its own.
"$python" - <<'PY'
import json
sig = json.load(open("whole.sig"))
path = sig["network"][0]
path.pop("eager_limit_bytes", None), path.pop("eager_limit", None)
json.dump(sig, open("unlimited.sig", "w"))
path.pop("send_overhead"), path.pop("sender")
json.dump(sig, open("uncosted.sig", "w"))
PY
like "a signature without limit" "$(attention "eager limit" --predict --signature=unlimited.sig)" "none in this signature: *"
like "... sends never wait" "$(attention "eager limit" --predict --signature=unlimited.sig)" "*: standard sends never wait *"
for mode in --predict ''; do
    # shellcheck disable=SC2086 # no word without
    like "... but by the source's, if that is known: ${mode:-perturb}" \
        "$(attention "eager limit" ${mode:---perturb} --signature=unlimited.sig --source=eager-limit=999)" \
        "n*in this signature: the traced machine's is used, 999 bytes (--eager-limit sets it)"
    # shellcheck disable=SC2086
    like "... none: ${mode:-perturb}" "$(attention "eager limit" ${mode:---perturb} --signature=unlimited.sig --source=eager-limit=-1)" \
        "n*in this signature: the traced machine's is used, by which all standard sends wait *"
done
like "... and without costs: one line" "$(attention "eager limit" --predict --signature=uncosted.sig)" \
    "none is known: in the trace 8 *"
is "... and no other" "$(attention "eager limit" --predict --signature=uncosted.sig | wc -l)" 1
waiting 7 1000 7000 30000
is "seldom: it may be chance" "$(attention '' "${given[@]}")" ""
waiting 8 1000 2400 30000 # 19.2 us of twice 1 ms
is "little: nobody minds" "$(attention '' "${given[@]}")" ""
waiting 8 1000 2600 30000
is "a hundredth: somebody does" "$(attention "eager limit" "${given[@]}" | wc -l)" 1
waiting 8 1000 7000 30000
sed '$!s/^1 37000 37060/1 38000 38060/' t.txt >u.txt && mv u.txt t.txt # the first left before
is "one that left before: eager" "$(attention '' "${given[@]}")" ""
clocked=("#host 0 a")
waiting 8 1000 7000 30000
is "clocks that are not known to each other" "$(attention "eager limit" "${given[@]}")" ""
done_testing
