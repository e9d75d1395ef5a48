#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --waits (TAP): predicted wait states by hand in both modes, the identity, random programs against mpgtrace
# waits of the trace that --output-trace writes, what is refused.
. "$(dirname "$0")/mpgsim.sh"

# world traced|predicted OPTION...: prints the waits of the traced or predicted run of t.txt: "call:kind=ns" for each
# that is not 0, sorted.
world() {
    local which=$1
    shift
    "$mpgsim" --waits --json "$@" t.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)["waits"]
found = []
for row in answer["rows"]:
    who = str(row[answer["by"]]).replace("MPI_", "")
    found += ["%s:%s=%.10g" % (who, kind[:-3], ns) for kind, ns in row[sys.argv[1]].items()
              if kind.endswith("_ns") and kind not in ("time_ns", "wait_ns", "transfer_ns", "waits_for_ns") and ns]
print(" ".join(sorted(found)))' "$which"
}

# total KEY OPTION...: prints KEY of the predicted run: its total_ns, or a sum over all MPI calls.
total() {
    local key=$1
    shift
    "$mpgsim" --waits --json "$@" t.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)["waits"]["predicted"]
print("%.10g" % (answer[sys.argv[1]] if sys.argv[1] in answer else answer["mpi"][sys.argv[1]]))' "$key"
}
needs_python

# ---- perturb, by hand ----
calls 2 >t.txt <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8
1 2385 3900 Recv from=0 tag=0 bytes=8
END
is "as traced" "$(world traced --noise=const:1234.5ns@0)" "Recv:late_sender=1132"
is "a sender 1234.5 ns late is waited for so much longer" "$(world predicted --noise=const:1234.5ns@0)" \
    "Recv:late_sender=2366.5"
is "a receiver 700.25 ns late waits so much less" "$(world predicted --noise=const:700.25ns@1)" \
    "Recv:late_sender=431.75"
is "... later than its sender, not at all" "$(world predicted --noise=const:2us@1)" ""
is "--waits=rank" "$(world predicted --waits=rank --noise=const:1234.5ns@0)" "1:late_sender=2366.5"
is "Total: both runs" "$(total total_ns --noise=const:1234.5ns@0)" \
    "$(awk 'BEGIN { printf "%.10g", 2 * 999900 + 2 * 1234.5 + 1234.5 }')"
calls 2 >t.txt <<'END'
0 2000 5000 Send to=1 tag=0 bytes=100000
0 6000 7000 Barrier
1 4385 4990 Recv from=0 tag=0 bytes=100000
1 5500 7000 Barrier
END
is "a receiver that is late by the target's eager limit" \
    "$(world traced --eager-limit=64KiB --noise=const:300.5ns@1)" \
    "Barrier:wait_at_barrier=500 Send:late_receiver=2385"
is "... and perturbed: rank 1 by 300.5 in each interval, rank 0 by what it waits" \
    "$(world predicted --eager-limit=64KiB --noise=const:300.5ns@1)" \
    "Barrier:wait_at_barrier=$(awk 'BEGIN { print 6000 + 300.5 - 5500 - 2 * 300.5 }') Send:late_receiver=2685.5"

# ---- nobody waits for a dropped message, and it waits for nobody ----
calls 3 >t.txt <<'END'
0 2000 6000 Barrier
1 4385 6000 Barrier
2 3517 6000 Barrier
0 7000 7100 Send to=1 tag=0 bytes=8
1 6500 7400 Recv from=0 tag=0 bytes=8
END
is "a message is dropped" "$(world predicted '--hypothesis=drop from=0 to=1')" "Barrier:wait_at_barrier=3253"
is "... but not from what was traced" "$(world traced '--hypothesis=drop from=0 to=1')" \
    "Barrier:wait_at_barrier=3253 Recv:late_sender=500"
# Without the barrier the sender comes at 3000, before the receiver, at 4885.
is "a barrier is dropped" "$(world predicted '--hypothesis=drop call=Barrier')" ""
# ... whose delay, a difference of perturbed times, is 0.
is "... and takes no time at all" "$("$mpgsim" --waits --json --noise=const:0.1ns --compute-ratio=1.7 \
    --hypothesis='drop call=Barrier' t.txt | "$python" -c '
import json, sys
print([row["predicted"]["time_ns"] for row in json.load(sys.stdin)["waits"]["rows"] if row["call"] == "MPI_Barrier"])')" "[0]"

# ---- without an eager limit the traced run has the waits that mpgtrace waits finds ----
calls 2 >t.txt <<'END'
0 1000 1100 Send to=1 tag=0 bytes=400
1 1500 1600 Recv from=0 tag=0 bytes=400
0 2000 5000 Send to=1 tag=0 bytes=800
1 4385 4990 Recv from=0 tag=0 bytes=800
END
is "nobody says an eager limit: the one that the trace shows" "$(world traced) $("$mpgtrace" waits --csv --by=rank t.txt |
    awk -F, 'NR == 2 { print $7 }')" "Send:late_receiver=2385 2385"
like "... which the predicted run has not, and the answer says it" "$("$mpgsim" --waits t.txt)" \
    "*waits *no eager limit is known: * (--eager-limit=400 applies to both)*"
is "... with it both have it" "$(world predicted --eager-limit=400) $("$mpgsim" --waits --eager-limit=400 t.txt |
    grep -c 'no eager limit is known')" "Send:late_receiver=2385 0"

# ---- predict, by hand: a master that takes what its workers send, first come first served ----
# Work, ms: all 48; foo 20 r; bar (r > 0) 10 (4 - r) + 10; the master 5 after each message; messages take none.
awk 'BEGIN { ms = 1000000; print "#mpgtext 1\n#ranks 4\n#clocks shared"
    for (r = 0; r < 4; r++) {
        print r, 0, 0, "Init"
        t = 48 + 20 * r
        print r, 48 * ms, 48 * ms, "Region_begin name=\"foo\""
        print r, t * ms, t * ms, "Region_end name=\"foo\""
        if (r) {
            t += 10 * (4 - r) + 10
            print r, t * ms, t * ms, "Send to=0 tag=1 bytes=8"
        } else {
            for (q = 1; q < 4; q++)
                print 0, t * ms, t * ms, "Irecv from=" q " tag=1 bytes=8 request=" q
            for (q = 1; q < 4; q++) {
                at = 98 + 10 * q
                print 0, t * ms, at * ms, "Waitany requests=1,2,3 done=" q
                t = at + 5
            }
        }
        print r, t * ms, 133 * ms, "Barrier"
        print r, 133 * ms, 134 * ms, "Finalize"
    } }' >t.txt
is "as traced: 60 + 5 + 5 ms in Waitany, 25 + 15 + 5 at the barrier" \
    "$(world traced --predict --latency=const:0ns)" "Barrier:wait_at_barrier=45000000 Waitany:late_sender=70000000"
is "... the same on a machine that is the same" "$(world predicted --predict --latency=const:0ns)" \
    "Barrier:wait_at_barrier=45000000 Waitany:late_sender=70000000"
# foo a quarter: they send at 93, 88, 83. Latency 1 ms: the first is there at 84, the others as they are asked for; a
# barrier of four takes two rounds.
quarter='--predict --compute-ratio=0.25@foo'
# shellcheck disable=SC2086 # words
is "foo a quarter: the last comes first" "$(world predicted $quarter --latency=const:1ms)" \
    "Barrier:wait_at_barrier=33000000 Waitany:late_sender=35000000"
# shellcheck disable=SC2086
is "... a run of 101 ms" "$(total total_ns $quarter --latency=const:1ms)" 404000000
# In the traced order: 45 ms for the first, at 94; the others lie ready, until 109.
# shellcheck disable=SC2086
is "... in the traced order" "$(world predicted $quarter --latency=const:1ms --without=choice)" \
    "Barrier:wait_at_barrier=63000000 Waitany:late_sender=45000000"

# foo balanced, 30 ms each: they send at 118, 108, 98.
balanced='--hypothesis=balance foo'
is "a hypothesis: foo balanced, [SILAS] Table 2" "$(world predicted --predict --latency=const:0ns "$balanced")" \
    "Barrier:wait_at_barrier=45000000 Waitany:late_sender=30000000"
is "... a run of 123 ms" "$(total total_ns --predict --latency=const:0ns "$balanced")" 492000000
is "... in perturb mode" "$(world predicted "$balanced")" \
    "Barrier:wait_at_barrier=45000000 Waitany:late_sender=30000000"
is "... in the traced order: 40, and 75 ms" \
    "$(world predicted --predict --latency=const:0ns --without=choice "$balanced")" \
    "Barrier:wait_at_barrier=75000000 Waitany:late_sender=40000000"

# ---- the answer ----
calls 2 >t.txt <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8
1 2385 3900 Recv from=0 tag=0 bytes=8
END
like "in words" "$("$mpgsim" --waits --noise=const:1234.5ns@0 t.txt | tr -s ' ')" \
    "*Wait states, as traced and in replica 0, the median run*
 late sender 1.132 us 0.06 % 2.366 us 0.12 %*MPI_Recv 1 1.515 us 1.132 us 2.749 us 2.366 us*"
is "what else it says does not depend on it" \
    "$("$mpgsim" --noise=exp:1us t.txt)" \
    "$("$mpgsim" --waits --noise=exp:1us t.txt | sed '/^Wait states/,/^Delay of/{/^Delay of/!d}')"
is "... nor does JSON" "$("$mpgsim" --json --noise=exp:1us t.txt | "$python" -m json.tool --sort-keys)" \
    "$("$mpgsim" --json --waits --noise=exp:1us t.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)
del answer["waits"], answer["heat_map"]
json.dump(answer, sys.stdout)' | "$python" -m json.tool --sort-keys)"
# The median of five runs, determined without --waits.
is "the replica is the median run" \
    "$("$mpgsim" --json --waits --noise=exp:1us --replicas=5 --replicas=first=7 t.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)
runs = sorted((r["run_time_ns"], r["replica"]) for r in answer["replicas"])
print(answer["waits"]["replica"] - runs[2][1])')" 0

# ---- random programs ----
counts=
try() {
    local got
    got=$("$python" "$here/waits_case.py" "$mpgsim" "$mpgtrace" t.txt "$@" 2>&1)
    case $got in
    *wrong*) printf '%s\n' "$got" | sed 's/^/# /'; return 1 ;;
    esac
    counts="$counts ${got##*
}"
}
all() {
    local status=0 seed options
    for seed in 1 2 3 4; do
        "$@" "$seed" >t.txt || return 1
        for options in --noise=exp:9us --noise=const:20us@1,2 \
            "--eager-limit=4096 --latency=exp:3us --noise=exp:2us" \
            "--without=choice --call-noise=exp:500ns --paper=sync-reduce" \
            "--collectives=expand --noise=exp:9us" \
            "--collectives=expand --predict --eager-limit=4096 --latency=exp:5us" \
            "--predict --latency=exp:5us --noise=exp:10us"; do
            # shellcheck disable=SC2086 # words
            try $options || { echo "# seed $seed: $options"; status=1; }
        done
    done
    return $status
}
oracle=$here/../oracle
any() { "$python" "$oracle/randomtrace.py" --ranks 4 --steps 40 --clocks shared --seed "$1"; }
workers() { "$python" "$here/waits_workers.py" "$1" waitany; }
masters() { "$python" "$here/waits_workers.py" "$1" recv; }
ok "random programs: traced and predicted are the same, and what is written says the same" all any
ok "workers, whoever is first" all workers
ok "workers, whatever comes first" all masters
like "... of which some did otherwise than traced" "$counts" "*chose*chose*chose*chose*"

# ---- errors ----
calls 2 "" >t.txt <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8
1 2385 3900 Recv from=0 tag=0 bytes=8
END
ok "clocks that are not comparable" refuses 1 "mpgsim: *--waits: wait states need comparable clocks: *" --waits t.txt
ok "... in predict mode, too" refuses 1 "mpgsim: *--waits: wait states need comparable clocks: *" --waits --predict \
    --latency=const:1us t.txt
ok "--waits what" refuses 2 "*--waits: 'me' is not call, callsite, region or rank*" --waits=me t.txt
ok "with --per-rank" refuses 2 "*--waits and --per-rank exclude each other*" --waits --per-rank t.txt
ok "several scenarios" refuses 2 "*--waits and several scenarios exclude each other*" --waits \
    --sweep=noise=0us:1us:2 t.txt
done_testing
