#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --target: the closed forms of docs/MACHINES.md, by hand (TAP).
set -u
# shellcheck source=tests/tap.sh
. "${top_srcdir:?}/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mpgsim=${MPGSIM:?}

# of_ranks KEY OPTION... TRACE: prints KEY of each rank, in us.
of_ranks() {
    key=$1
    shift
    "$mpgsim" --json --cache=fresh "$@" | python3 -c '
import json, sys
print(" ".join("%.9g" % (r[sys.argv[1]] / 1e3) for r in json.load(sys.stdin)["extrapolation"]["ranks"]))' "$key"
}

same() { # NAME WANTED GOT
    is "$1" "$3" "$2"
}

# program RANKS LINE...: prints a trace in which RANKS ranks make the same calls; %r in a LINE is the rank.
program() {
    ranks=$1
    echo "#mpgtext 1"
    echo "#ranks $ranks"
    echo "#clocks shared"
    echo "#comm 0 = $(seq -s ' ' 0 $((ranks - 1)))"
}

# --- shipped machines ---
# Round trips that netgauge measured on Tukey, us (the source is in tukey.par).
while read -r bytes measured; do
    {
        program 2
        printf '%s\n' "0 0 1000 Init" "1 0 1000 Init" "0 1000 1100 Send comm=0 to=1 tag=0 bytes=$bytes" \
            "1 1000 1100 Recv comm=0 from=0 tag=0 bytes=$bytes" "1 1100 1200 Send comm=0 to=0 tag=0 bytes=$bytes" \
            "0 1100 1200 Recv comm=0 from=1 tag=0 bytes=$bytes" "0 1200 1300 Finalize" "1 1200 1300 Finalize"
    } >"$tmp/round-trip.txt"
    took=$(of_ranks run_ns --target=tukey "$tmp/round-trip.txt")
    ok "tukey: a round trip of $bytes bytes: ${took%% *} us, measured $measured" \
        awk "BEGIN { exit !(${took%% *} > 0.96 * $measured && ${took%% *} < 1.04 * $measured) }"
done <<'END'
8 11.384472
128 11.804915
524288 549.248277
2097152 2112.284980
8388608 8378.002467
END

# --- barriers ---
{
    program 4
    for r in 0 1 2 3; do
        printf '%s\n' "$r 0 1000 Init" "$r 1000 1100 Barrier comm=0" "$r 1100 1200 Finalize"
    done
} > "$tmp/barrier.txt"
same "a barrier of messages: the master and the other members" "68 56 66 76" \
    "$(of_ranks run_ns --target=distributed --target=CommStartupTime=10us "$tmp/barrier.txt")"
same "without messages all leave together" "22 22 22 22" \
    "$(of_ranks run_ns --target=distributed --target=BarrierByMsgs=0 "$tmp/barrier.txt")"
same "its time is the barrier's" "68 56 66 76" \
    "$(of_ranks barrier_ns --target=distributed --target=CommStartupTime=10us "$tmp/barrier.txt")"
# two rounds of 5 + 10 + 128 x 0.05
same "rounds of dissemination" "42.8 42.8 42.8 42.8" \
    "$(of_ranks run_ns --target=distributed --target=CommStartupTime=10us --target=BarrierAlgorithm=log \
        "$tmp/barrier.txt")"
same "an ideal barrier costs nothing" "0 0 0 0" "$(of_ranks run_ns --target=ideal "$tmp/barrier.txt")"
# on a ring 1, 2 and 1 links
same "links on a barrier's way" "70 58 70 78" \
    "$(of_ranks run_ns --target=distributed --target=CommStartupTime=10us --target=Topology=ring \
        --target=HopTime=1us "$tmp/barrier.txt")"

# rank 0 has a message and a barrier in one call; rank 1 enters the barrier after 460 us
for list in 2,3 3,2; do
    {
        program 2
        printf '%s\n' "0 0 1000 Init" "0 121000 121000 Ibarrier comm=0 request=2" \
            "0 121000 121000 Irecv from=1 bytes=8 request=3" "0 201000 661000 Waitall requests=$list" \
            "0 761000 762000 Finalize" "1 0 1000 Init" "1 51000 51000 Send to=0 bytes=8" \
            "1 461000 461000 Ibarrier comm=0 request=2" "1 661000 661000 Wait requests=2" "1 711000 762000 Finalize"
    } > "$tmp/both.txt"
    same "a call that waits for a message and a barrier, requests $list" "560 710" \
        "$(of_ranks run_ns --target=ideal "$tmp/both.txt")"
done

# --- policies: rank 1 works for 1000 us; rank 0's request arrives at 350 ---
{
    program 2
    echo "#window 0 = 0 0"
    printf '%s\n' "0 0 1000 Init" "0 1000 1000 Win_create comm=0 win=0" "0 1000 1000 Win_lock_all win=0" \
        "0 351000 351000 Get win=0 to=1 recvbytes=8" "0 351000 351000 Win_flush win=0 to=1" \
        "0 351000 351000 Win_unlock_all win=0" "0 351000 352000 Finalize" \
        "1 0 1000 Init" "1 1000 1000 Win_create comm=0 win=0" "1 1001000 1002000 Finalize"
} > "$tmp/get.txt"
# The window is made in one round, of 5 us; rank 0 then takes the reply in 5 us: replies at 1005, 375, 409 - 4 + 4
# (rank 0 checks too) after that, work of rank 1 ends at 1000, 1025, 1015.
# shellcheck disable=SC2145 # further words are options
policy() { of_ranks run_ns --target=ideal --target=ServiceTime=5us --target=Policy="$@" "$tmp/get.txt"; }
same "no policy: what waits is served after the work" "1015 1005" "$(policy none)"
same "an interrupt" "385 1030" "$(policy interrupt --target=InterruptTime=20us)"
same "polls" "419 1020" "$(policy poll --target=PollInterval=100us --target=PollTime=1us)"
same "requests that nobody's processor serves: a round trip" "365 1005" "$(policy offload)"
same "services" "0 25" "$(of_ranks service_ns --target=ideal --target=ServiceTime=5us --target=Policy=interrupt \
    --target=InterruptTime=20us "$tmp/get.txt")"
# a window 7.385, 350, 2.385 + 16 x 0.01 there, 5 + 2.385 served, 8 x 0.01 back, 5
same "what a get costs on its way" "372.395 1014.77" \
    "$(policy interrupt --target=CommStartupTime=2.385us --target=ByteTransferTime=10ns)"

# Rank 1 posts a receive, computes for 1000 us and waits; rank 0's message is sent at 350 and waits for its receiver. Rank 1
# serves it in 5 from 1000 on, then receives it in 5; with Policy=offload the network serves it, and rank 0 ends at 355.
{
    program 2
    printf '%s\n' "0 0 1000 Init" "0 351000 351000 Send comm=0 to=1 tag=1 bytes=100" "0 351000 352000 Finalize" \
        "1 0 1000 Init" "1 1000 1000 Irecv comm=0 from=0 tag=1 bytes=100 request=1" "1 1001000 1001000 Wait requests=1" \
        "1 1001000 1002000 Finalize"
} > "$tmp/large.txt"
large() {
    of_ranks run_ns --target=ideal --target=ServiceTime=5us --eager-limit=10 --target=Policy="$1" "$tmp/large.txt"
}
same "a message that waits for its receiver: taken in a call" "1010 1010" "$(large none)"
same "or by the network" "355 1005" "$(large offload)"
same "by calls it is taken in calls, and requests are nobody's" "1010 1010, 365 1005" "$(large calls), $(policy calls)"
# shellcheck disable=SC2145 # further words are options
signed() {
    "$mpgsim" --json --cache=fresh --signature="$top_srcdir/results/reference/reference.sig" --source=none --target="$@" \
        "$tmp/large.txt" | python3 -c 'import json, sys; print(json.load(sys.stdin)["extrapolation"]["policy"])'
}
: > "$tmp/empty.par"
same "which is what a signature without a word of it means" "calls none" \
    "$(signed "$tmp/empty.par") $(signed "$tmp/empty.par" --target=Policy=none)"

# --- messages ---
{
    program 2
    printf '%s\n' "0 0 1000 Init" "0 1000 1100 Send comm=0 to=1 tag=1 bytes=1000" \
        "0 1100 1200 Send comm=0 to=1 tag=1 bytes=1000" "0 1200 1300 Finalize" \
        "1 0 1000 Init" "1 1000 1100 Recv comm=0 from=0 tag=1 bytes=1000" \
        "1 1100 1200 Recv comm=0 from=0 tag=1 bytes=1000" "1 1200 1300 Finalize"
} > "$tmp/two.txt"
costs="--target=CommStartupTime=2us --target=MsgBuildTime=0.385us --target=ByteTransferTime=1ns
    --target=ServiceTime=0.7us --target=HopTime=0.1us"
# shellcheck disable=SC2086
same "one message after the other" "4.77 6.57" "$(of_ranks run_ns --target=distributed $costs "$tmp/two.txt")"
# the second gets on its way at 4.77, while the first is until 5.485: its bytes take 6 us
# shellcheck disable=SC2086
same "contention of what is on its way together" "4.77 11.57" \
    "$(of_ranks run_ns --target=distributed $costs --target=Contention=1 --target=ByteTransferTime=3ns \
        --target=Topology=bus "$tmp/two.txt")"
# shellcheck disable=SC2086
same "within a cluster" "1.77 2.67" "$(of_ranks run_ns --target=distributed $costs --target=ClusterSize=2 \
    --target=ClusterStartup=0.5us --target=ClusterByte=0.2ns "$tmp/two.txt")"

# --- messages to the same rank: a copy in memory, which without clusters costs what building and taking a message costs
# ---
{
    program 1
    echo "#window 0 = 0 0"
    printf '%s\n' "0 0 1000 Init" "0 1000 1000 Irecv comm=0 from=0 tag=1 bytes=1000 request=1" \
        "0 1000 1000 Isend comm=0 to=0 tag=1 bytes=1000 request=2" "0 1000 1000 Waitall requests=1,2" "0 1000 1100 Finalize"
} > "$tmp/self.txt"
{
    program 1
    echo "#window 0 = 0 0"
    printf '%s\n' "0 0 1000 Init" "0 1000 1000 Win_lock_all win=0" "0 1000 1000 Get win=0 to=0 recvbytes=1000" \
        "0 1000 1000 Win_flush_all win=0" "0 1000 1000 Win_unlock_all win=0" "0 1000 1100 Finalize"
} > "$tmp/own.txt"
near="--target=ClusterSize=2 --target=ClusterStartup=0.5us --target=ClusterByte=0.3ns"
# shellcheck disable=SC2086
same "what a rank sends itself has no startup and no way" "1.085" \
    "$(of_ranks run_ns --target=distributed $costs "$tmp/self.txt")"
# In us: 1.085 as above, and in addition 0.5 for the cluster's startup and 0.3 for 1000 bytes at 0.3 ns.
# shellcheck disable=SC2086
same "in a cluster it is the cluster's" "1.885" "$(of_ranks run_ns --target=distributed $costs $near "$tmp/self.txt")"
# shellcheck disable=SC2086
same "that waits for its receiver asks nobody: H once 0.385 + 0.7 have gone" "1.085" \
    "$(of_ranks run_ns --target=distributed $costs --eager-limit=10 "$tmp/self.txt")"
# shellcheck disable=SC2086
same "and a get of one's own memory asks nobody" "0.385 1.185" \
    "$(of_ranks run_ns --target=distributed $costs "$tmp/own.txt") $(of_ranks run_ns --target=distributed $costs $near "$tmp/own.txt")"

# --- sharing ---
{
    program 4
    for r in 0 1 2 3; do
        printf '%s\n' "$r 0 1000 Init" "$r 3385 3400 Barrier comm=0" "$r 5785 5800 Barrier comm=0" "$r 5800 5900 Finalize"
    done
} > "$tmp/steps.txt"
same "as many processors as ranks" "4.77 4.77 4.77 4.77" "$(of_ranks run_ns --target=ideal "$tmp/steps.txt")"
same "four equal ranks on two" "9.54 9.54 9.54 9.54" \
    "$(of_ranks run_ns --target=ideal --target=Processors=2 "$tmp/steps.txt")"
same "on one: all work" "19.08 19.08 19.08 19.08" \
    "$(of_ranks run_ns --target=ideal --target=Processors=1 "$tmp/steps.txt")"
same "cyclic and by quanta: the same" "9.54 9.54 9.54 9.54" \
    "$(of_ranks run_ns --target=ideal --target=Processors=2 --map=cyclic --target=Quantum=1us "$tmp/steps.txt")"
printf '%s\n' 0 1 1 1 > "$tmp/map"
same "a map of its own: three on one" "14.31 14.31 14.31 14.31" \
    "$(of_ranks run_ns --target=ideal --target=Processors=2 --map="$tmp/map" "$tmp/steps.txt")"
same "work is what is computed" "4.77 4.77 4.77 4.77" \
    "$(of_ranks work_ns --target=ideal --target=Processors=1 "$tmp/steps.txt")"

# A switch from rank 1 to rank 0's request takes from 380 to 430; what rank 0 waits for comes at 390 (it is ready then)
# and takes 5; 1000 of work; from 1435 rank 1 is switched to, takes its message and works for 1000, and from 2490 the request
# is, which rank 0 serves in 5, and the reply takes 5. Until 111 and 261: the window, in two rounds from 50 to 60, and work.
{
    program 3
    echo "#window 0 = 0 0"
    printf '%s\n' "0 0 1000 Init" "0 1000 1000 Win_create comm=0 win=0" "0 2000 131000 Recv comm=0 from=2 tag=1 bytes=8" \
        "0 1131000 1132000 Finalize" "1 0 1000 Init" "1 1000 1000 Win_create comm=0 win=0" \
        "1 101000 201000 Recv comm=0 from=2 tag=2 bytes=8" "1 1201000 1202000 Finalize" \
        "2 0 1000 Init" "2 1000 1000 Win_create comm=0 win=0" "2 1000 1000 Win_lock_all win=0" \
        "2 321000 321000 Get win=0 to=0 recvbytes=8" "2 331000 331000 Send comm=0 to=0 tag=1 bytes=8" \
        "2 501000 501000 Send comm=0 to=1 tag=2 bytes=8" "2 501000 501000 Win_flush win=0 to=0" \
        "2 501000 501000 Win_unlock_all win=0" "2 501000 502000 Finalize"
} > "$tmp/switch.txt"
printf '%s\n' 0 0 1 > "$tmp/map"
same "what comes while a processor is switched waits for it" "1435 2490 2550" \
    "$(of_ranks run_ns --target=ideal --target=ServiceTime=5us --target=Policy=none --target=Processors=2 \
        --map="$tmp/map" --target=SwitchTime=50us "$tmp/switch.txt")"

# --- against one processor: 19.08 of work, 9.54 on two; 4 us of run is not the 19.08 that all do ---
{
    program 1
    printf '%s\n' "0 0 1000 Init" "0 8155 9000 Finalize"
} > "$tmp/serial.txt"
against() {
    "$mpgsim" --json --target=ideal --target=Processors=2 --against="$1" "$tmp/steps.txt" | python3 -c '
import json, sys
x = json.load(sys.stdin)["extrapolation"]
print(*["%.9g" % x[k] for k in ("speedup", "against_ns", "speedup_against", "efficiency_against")])'
}
same "against a time" "2 4770 0.5 0.25" "$(against 4.77us)"
"$mpgsim" --json --target=ideal "$tmp/serial.txt" > "$tmp/serial.json"
same "against one rank's answer" "2 7155 0.75 0.375" "$(against "$tmp/serial.json")" # 7.155 / 9.54
"$mpgsim" --json --target=ideal --target=Processors=1 --target=SwitchTime=0.477us "$tmp/steps.txt" > "$tmp/one.json"
run=$(of_ranks run_ns --target=ideal --target=Processors=1 --target=SwitchTime=0.477us "$tmp/steps.txt")
same "against all ranks on one processor, which switches" "$(python3 -c '
import sys
run = max(float(x) for x in sys.argv[1].split())
print(run > 19.08 and "2 %.9g %.9g %.9g" % (run * 1e3, run / 9.54, run / 19.08))' "$run")" "$(against "$tmp/one.json")"
like "in words" "$("$mpgsim" --target=ideal --target=Processors=2 --against=4.77us "$tmp/steps.txt")" \
    "*speedup       0.5  (4.77 us on one processor / run time)
  efficiency    0.25
*"
"$mpgsim" --json --target=ideal "$tmp/steps.txt" > "$tmp/four.json"
"$mpgsim" --json "$tmp/serial.txt" > "$tmp/traced.json"
echo '{"format": ' > "$tmp/cut.json"
refused_answer() { # PATTERN FILE
    "$mpgsim" --target=ideal --against="$2" "$tmp/steps.txt" > "$tmp/out" 2>&1
    is "refused against ${2##*/}" "$?" 1
    like "its message" "$(cat "$tmp/out")" "mpgsim: $1"
}
refused_answer "*four.json: an answer for 4 processors, not for one" "$tmp/four.json"
refused_answer "*traced.json: not an answer of mpgsim --predict --json" "$tmp/traced.json"
refused_answer "*cut.json:*" "$tmp/cut.json"
refused_answer "*none.json*No such file*" "$tmp/none.json"
refused_answer "*serial.txt:1: *" "$tmp/serial.txt"

# --- timeline table: rank 0 works 1, rank 1 works 3.5, and takes the message at 2.385, when rank 0 has finished ---
{
    program 2
    printf '%s\n' "0 0 1000 Init" "0 2000 2100 Send comm=0 to=1 tag=1 bytes=8" "0 2100 2200 Finalize" \
        "1 0 1000 Init" "1 1000 2100 Recv comm=0 from=0 tag=1 bytes=8" "1 5600 5700 Finalize"
} > "$tmp/table.txt"
# 1 us of work, 1.385 to send; 2.385 waited, 0.615 served, 3.5 of work: 6.5
"$mpgsim" --csv --target=ideal --target=CommStartupTime=1.385us --target=ServiceTime=0.615us "$tmp/table.txt" \
    > "$tmp/table.csv"
same "a table of ranks and all" "0,0,2385,1000,0,0,0.153846 1,1,6500,3500,2385,0,0.538462 all,2,6500,4500,2385,0,0.346154" \
    "$(python3 -c '
import csv, sys
keys = ["rank", "processor", "run_ns", "work_ns", "wait_ns", "barrier_ns", "utilisation"]
print(*[",".join([r["rank"]] + ["%.6g" % float(r[k]) for k in keys[1:]]) for r in csv.DictReader(open(sys.argv[1]))])' \
        "$tmp/table.csv")"
same "services of the table" "0 25 25" "$("$mpgsim" --csv --target=ideal --target=ServiceTime=5us \
    --target=Policy=interrupt --target=InterruptTime=20us "$tmp/get.txt" | python3 -c '
import csv, sys
print(*["%.9g" % (float(r["service_ns"]) / 1e3) for r in csv.DictReader(sys.stdin)])')"

# --- hypotheses: rank 0's 1000 bytes arrive at 100 + 1000, when both meet; then they work for 99 and 100 ---
{
    program 2
    printf '%s\n' "0 0 1000 Init" "0 101000 101000 Send comm=0 to=1 tag=1 bytes=1000" "0 201000 202000 Barrier comm=0" \
        "0 301000 302000 Finalize" "1 0 1000 Init" "1 1000 102000 Recv comm=0 from=0 tag=1 bytes=1000" \
        "1 102000 202000 Barrier comm=0" "1 302000 303000 Finalize"
} > "$tmp/suppose.txt"
# shellcheck disable=SC2120 # options, in some calls
suppose() {
    "$mpgsim" --json --cache=fresh --target=ideal --target=ByteTransferTime=1us --hypothesis='drop call=MPI_Send' \
        --hypothesis='drop call=MPI_Barrier' "$@" "$tmp/suppose.txt"
}
same "without hypotheses, together; each alone, on top" "1200 -901 -900 -901 0 -1" "$(suppose | python3 -c '
import json, sys
h = json.load(sys.stdin)["hypotheses"]
changes = [h["together"], *[e[k] for e in h["each"] for k in ("alone", "on_top")]]
print(*["%.9g" % (x / 1e3) for x in [h["without_any_ns"]["median"], *[c["change_ns"]["median"] for c in changes]]])')"
same "nobody waits for what is dropped" "0 0" "$(of_ranks wait_ns --target=ideal --target=ByteTransferTime=1us \
    --hypothesis='drop call=MPI_Send' --hypothesis='drop call=MPI_Barrier' "$tmp/suppose.txt")"

# --- recording: CPU time, local calls, the tracer's part ---
# 385 + 500 of CPU, 100 in the local call, two records' 20 less; then 40 - 10
{
    program 1 | sed '/^#ranks/a #values cpu_ns'
    echo "#fact 0 overhead_call_ns 10"
    printf '%s\n' "0 0 1000 Init values=7" "0 2000 2100 Type_size values=385" "0 9000 9100 Barrier comm=0 values=500" \
        "0 9200 9300 Finalize values=40"
} > "$tmp/cpu.txt"
same "work of CPU times" "0.995" "$(of_ranks run_ns --target=ideal "$tmp/cpu.txt")"
# more ranks than cores, without CPU times
{
    program 2
    echo "#fact 0 cores 0"
    echo "#fact 1 cores 0"
    printf '%s\n' "0 0 1000 Init" "0 2385 3000 Finalize" "1 0 1000 Init" "1 2000 3000 Finalize"
} > "$tmp/crowded.txt"
"$mpgsim" --target=ideal "$tmp/crowded.txt" > "$tmp/out" 2>&1
is "ranks that shared a core without CPU times are refused" "$?" 1
like "with the remedy" "$(cat "$tmp/out")" "*crowded.txt: 2 ranks had 1 core, *--cpu-time*--target=work=wall*"
same "but as it is meant" "1.385 1" "$(of_ranks run_ns --target=ideal --target=work=wall "$tmp/crowded.txt")"

# --- a predicted trace, read again: nothing changes, and it takes the predicted time ---
"$mpgsim" --target=distributed --target=Policy=interrupt --output-trace="$tmp/new.trace" "$tmp/get.txt" > "$tmp/out"
of_ranks run_ns --target=distributed --target=Policy=interrupt "$tmp/get.txt" > "$tmp/wanted"
"$mpgsim" --json "$tmp/new.trace" | python3 -c '
import json, sys
ranks = json.load(sys.stdin)["ranks"]
print(" ".join("%.9g" % (r["traced_ns"] / 1e3) for r in ranks), max(abs(r["delay_ns"]["largest"]) for r in ranks))' \
    > "$tmp/got"
same "the trace of a prediction" "$(cat "$tmp/wanted") 0.0" "$(cat "$tmp/got")"

# --- hypotheses: without the message only work is left ---
{
    program 2 | head -3
    printf '%s\n' "0 0 100 Init" "1 0 100 Init" "0 200 300 Send to=1 tag=3 bytes=1024" \
        "1 225 300 Recv from=0 tag=3 bytes=1024" "0 402 500 Finalize" "1 438 500 Finalize"
} > "$tmp/drop.txt"
for policy in none interrupt poll offload; do
    # 100 + 102, 125 + 138
    same "dropped, $policy" "0.202 0.263" \
        "$(of_ranks run_ns --target=ideal --target=work=wall --hypothesis=drop --target=Policy=$policy "$tmp/drop.txt")"
    for key in wait_ns call_ns; do
        same "dropped, $policy: $key" "0 0" \
            "$(of_ranks $key --target=ideal --target=work=wall --hypothesis=drop --target=Policy=$policy "$tmp/drop.txt")"
    done
done

# --- noise is 0 if there is none: 1.1 times many intervals leaves rounding errors ---
{
    program 1
    python3 -c '
import random
random.seed(5)
at = 100
print("0 0 100 Init")
for i in range(40):
    at += random.randint(3, 999999)
    print("0 %d %d Barrier comm=0" % (at, at))
print("0 %d %d Finalize" % (at + 7, at + 9))'
} > "$tmp/alone.txt"
for engine in events graph; do
    same "no noise, by $engine: nothing is left by rounding" "0.0" \
        "$("$mpgsim" --json --target=ideal --target=work=wall --target=engine=$engine --compute-ratio=1.1 --target=Policy=offload \
            --target=BarrierAlgorithm=rounds "$tmp/alone.txt" | sed -n '/"noise_ns"/{s/.*: //;s/,$//;p;q}')"
done

# --- sizes: of none, from 1, 2, 4 ... ---
{
    program 2 | head -3
    printf '%s\n' "0 0 100 Init" "1 0 100 Init"
    at=100
    for d in 0 1 2 3 4 1023 1024 2047 2048; do
        printf '%s\n' "0 $at $((at + 10)) Send to=1 tag=3 bytes=$d" "1 $at $((at + 10)) Recv from=0 tag=3 bytes=$d"
        at=$((at + 10))
    done
    printf '%s\n' "0 $at 500 Finalize" "1 $at 500 Finalize"
} > "$tmp/sizes.txt"
same "sizes are at least powers of two" "0:1 1:1 2:2 4:1 512:1 1024:2 2048:1" \
    "$("$mpgsim" --json --target=ideal --target=work=wall "$tmp/sizes.txt" | python3 -c '
import json, sys
print(" ".join("%g:%d" % (s["from_bytes"], s["number"]) for s in json.load(sys.stdin)["extrapolation"]["sizes"]))')"
like "and so in words" "$("$mpgsim" --target=ideal --target=work=wall "$tmp/sizes.txt")" "*from      1 KiB             2*from      2 KiB             1*"

# --- bad input: file and line ---
bad() { # NAME STATUS PATTERN LINES...
    name=$1 status=$2 pattern=$3
    shift 3
    printf '%s\n' "$@" > "$tmp/bad.par"
    "$mpgsim" --target="$tmp/bad.par" "$tmp/steps.txt" > "$tmp/out" 2>&1
    is "$name" "$?" "$status"
    like "$name: the message" "$(cat "$tmp/out")" "$pattern"
}
bad "a key that there is not" 1 "*bad.par:2: 'Startup' is no key of mpgtarget(5)" "# c" "Startup = 1us"
bad "a key twice" 1 "*bad.par:3: Policy is given in line 1, too" "Policy = none" "" "Policy = poll"
bad "no key at all" 1 "*bad.par:1: 'Policy' is no KEY = VALUE" "Policy"
bad "no value" 1 "*bad.par:1: HopTime has no value" "HopTime ="
bad "a time without a unit" 1 "*bad.par:1: HopTime: *" "HopTime = 5"
bad "a negative time" 1 "*bad.par:1: HopTime: *" "HopTime = -5us"
bad "a time that can be negative" 1 "*bad.par:1: HopTime: *" "HopTime = const:-5us"
bad "a time beyond all" 1 "*bad.par:1: ServiceTime: *more than 11 days" "ServiceTime = 100000000s"
bad "no topology" 1 "*bad.par:1: Topology: 'star' is none of full, bus, *" "Topology = star"
bad "no policy" 1 "*bad.par:1: Policy: 'often' is none of *" "Policy = often"
bad "a flag" 1 "*bad.par:1: BarrierByMsgs: 'yes' is not 0 or 1" "BarrierByMsgs = yes"
bad "no processors" 1 "*bad.par:1: Processors: '0' is not 1 to *" "Processors = 0"
bad "more processors than ranks" 1 "*bad.par:1: Processors: 5 of them, and the trace has 4 ranks" "Processors = 5"
bad "polls of nothing" 1 "*bad.par:2: PollInterval: '0' is not 1 to *" "Policy = poll" "PollInterval = 0"
bad "polls without a policy" 1 "*bad.par:1: PollTime says nothing without Policy = poll" "PollTime = 1us"
bad "interrupts without a policy" 1 "*:1: InterruptTime says nothing *" "InterruptTime = 1us"
bad "a cluster of one" 1 "*bad.par:1: ClusterByte says nothing *" "ClusterByte = 1ns"
bad "a ratio of nothing" 1 "*bad.par:1: MipsRatio: '0' is not *" "MipsRatio = 0"
bad "no map" 1 "*bad.par:2: Map: it is block, cyclic, or a file of a processor a line, and there is none: nowhere.map: *" \
    "Processors = 2" "Map = nowhere.map"
bad "quanta and polls" 1 "*bad.par:1: Quantum: it and Policy = poll exclude each other" "Quantum = 1us" "Policy = poll"
bad "a map that is not there" 1 "*nowhere*" "Map = $tmp/nowhere"
bad "kernels without signatures" 1 "*" "MipsRatio = kernel:integer"
printf '%s\n' 0 1 0 > "$tmp/map"
bad "a map that leaves ranks out" 1 "*map:3: ends without a processor for rank 3 of 4" "Processors = 2" "Map = $tmp/map"
printf '%s\n' 0 1 2 0 > "$tmp/map"
bad "a map to a processor that there is not" 1 "*map:3: there is no processor 2: *" "Processors = 2" "Map = $tmp/map"
printf '%s\n' 0 1 "#" 1 0 0 > "$tmp/map"
bad "a map of more ranks" 1 "*map:6: a processor for more than 4 ranks" "Processors = 2" "Map = $tmp/map"
refused() { # PATTERN OPTION...
    pattern=$1
    shift
    "$mpgsim" "$@" "$tmp/steps.txt" > "$tmp/out" 2>&1
    is "refused: $*" "$?" 2
    like "its message: $*" "$(cat "$tmp/out")" "$pattern*"
}
refused "mpgsim: --target=KEY=VALUE needs --target=NAME" --target=Policy=none
refused "mpgsim: --target=Speed=1: 'Speed' is no key" --target=ideal --target=Speed=1
refused "mpgsim: --waits and --target exclude each other: write a trace of the predicted run: --output-trace=FOLDER, then mpgtrace waits FOLDER" --target=ideal --waits
refused "mpgsim: --latency: the target distributed gives the costs of messages" --target=distributed --latency=const:1us
refused "mpgsim: --against needs --target=NAME" --predict --latency=const:1us --against=1s
refused "mpgsim: --against: '5' has no unit" --target=ideal --against=5
refused "mpgsim: --against=0: a run time is greater than 0" --target=ideal --against=0
refused "mpgsim: --target=engine=graph and --against exclude each other" --target=ideal --target=engine=graph --against=1s \
    --target=BarrierAlgorithm=rounds --target=Policy=offload
refused "mpgsim: --csv and --json exclude each other" --target=ideal --csv --json
refused "mpgsim: --csv and --per-rank with --target exclude each other: a target has a table of its own" --target=ideal --csv --per-rank
refused "mpgsim: --target=engine: 'fast' is not events or graph" --target=ideal --target=engine=fast
refused "mpgsim: --target=engine=graph: ideal has a BarrierAlgorithm other than rounds" --target=ideal --target=engine=graph
"$mpgsim" --target=ideal --target=engine=graph --target=BarrierAlgorithm=rounds --target=Policy=offload \
    "$tmp/steps.txt" > /dev/null 2>&1
is "the graph's engine evaluates what needs no order" "$?" 0
refused "mpgsim: --compute-ratio=2 and MipsRatio = 0.41 of cm5 exclude each other" --target=cm5 --compute-ratio=2
refused_input() { # PATTERN OPTION...
    pattern=$1
    shift
    "$mpgsim" "$@" "$tmp/steps.txt" > "$tmp/out" 2>&1
    is "refused input: $*" "$?" 1
    like "its message: $*" "$(cat "$tmp/out")" "$pattern*"
}
refused_input "*Map: it is block, cyclic, or a file *: block:2: No such file" --target=ideal --map=block:2
refused_input "*--target: neither a shipped machine (*distributed*) nor a file: nosuch: No such file" --target=nosuch
bad "a kernel without signatures: where" 1 "*bad.par:2: MipsRatio: 'kernel:foo': needs the rates of a --signature*" "#" \
    "MipsRatio = kernel:foo"
bad "a ratio of a region" 1 "*bad.par:1: MipsRatio: *" "MipsRatio = kernel:foo@bar"
"$mpgsim" --target="$tmp/none.par" "$tmp/steps.txt" > "$tmp/out" 2>&1
is "a file that is not there" "$?" 1

# Replicas shared by threads and processes: identical output, although each thread reads the trace itself.
worlds=70 # more than a block of replicas that are summed together
random() {
    "$@" --target=distributed --target=work=wall --noise=exp:2us --target=Policy=poll --replicas="$worlds" --json "$tmp/steps.txt"
}
random "$mpgsim" --threads=1 > "$tmp/one.json" 2> "$tmp/out"
is "one thread" "$?" 0
is "replicas differ" "$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["run_time_ns"]["sd"] > 0)' "$tmp/one.json")" True
for threads in 2 5 100; do
    random "$mpgsim" --threads="$threads" > "$tmp/many.json" 2> "$tmp/out"
    is "$threads threads: the same bytes" "$(cmp "$tmp/one.json" "$tmp/many.json" 2>&1)" ""
done
mkfifo "$tmp/pipe"
cat "$tmp/steps.txt" > "$tmp/pipe" &
"$mpgsim" --target=distributed --target=work=wall --noise=exp:2us --replicas=3 --threads=3 "$tmp/pipe" > "$tmp/out" 2>&1
is "a trace that cannot be read again" "$?" 0
wait
if [ "${MPGKIT_MPI:-yes}" = yes ] && command -v "${MPIRUN%% *}" > /dev/null; then
    # shellcheck disable=SC2086
    random $MPIRUN -np 3 "$mpgsim" > "$tmp/many.json" 2> "$tmp/out"
    is "3 processes: the same bytes" "$(cmp "$tmp/one.json" "$tmp/many.json" 2>&1)" ""
fi
done_testing
