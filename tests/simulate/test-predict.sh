#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --predict on the command line (TAP): what it asks for and refuses, places from files, what the
# answer says. That its times are right is tests/oracle/test-machine-predict.py's.
. "$(dirname "$0")/mpgsim.sh"

# Rank 0 sends to each of the others, which wait since 1000.
cat >star.txt <<'T'
#mpgtext 1
#ranks 4
#clocks shared
#comm 0 = 0 1 2 3
0 0 1000 Init
1 0 1000 Init
2 0 1000 Init
3 0 1000 Init
0 1000 1010 Send comm=0 to=1 tag=1 bytes=8
0 1010 1020 Send comm=0 to=2 tag=1 bytes=8
0 1020 1030 Send comm=0 to=3 tag=1 bytes=8
1 1000 9000 Recv comm=0 from=0 tag=1 bytes=8
2 1000 9000 Recv comm=0 from=0 tag=1 bytes=8
3 1000 9000 Recv comm=0 from=0 tag=1 bytes=8
0 9000 9010 Finalize
1 9000 9010 Finalize
2 9000 9010 Finalize
3 9000 9010 Finalize
T
# path CLASS NS: prints a network path with this latency.
path() {
    printf '{"path": "%s", "one_way": "one clock", "latency": [{"size_bytes": 8, "one_way_ns": ' "$1"
    printf '{"n": 9, "mean": %s, "sd": 0, "lag1": 0, "quantiles": [%s, %s]}}]}' "$2" "$2" "$2"
}
# machine PATH NS...: prints a signature with network paths of the classes PATH, whose messages take NS ns.
machine() {
    printf '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}, "network": ['
    path "$1" "$2"
    while [ $# -gt 2 ]; do
        shift 2
        echo ,
        path "$1" "$2"
    done
    echo ']}'
}
machine 'core complex' 201 node 433 'between nodes' 1789 >three.sig
machine node 433 >one.sig

# runs OPTION...: prints the predicted run time of each rank.
runs() {
    "$mpgsim" --json --predict --replicas=1 --source=none "$@" star.txt 2>err | "$python" -c '
import json, sys
print(*(format(r["traced_ns"] + r["delay_ns"]["median"], "g") for r in json.load(sys.stdin)["ranks"]))'
}
# said OPTION...: prints mpgsim's output.
said() {
    "$mpgsim" --predict --source=none "$@" star.txt
}

# Sends take 10 ns each, as traced; then 7970 ns of work.
is "without places all take the farthest path" "$(runs --signature=three.sig)" "8000 1789 1799 1809"
is "... or that of --map=path" "$(runs --signature=three.sig --map=path=core-complex)" "8000 201 211 221"
is "blocks of two: 0 and 1 are on one node" "$(runs --signature=three.sig --map=block:2)" \
    "8000 433 1799 1809"
is "two nodes in turn: 0 and 2 are" "$(runs --signature=three.sig --map=cyclic:2)" "8000 1789 443 1809"
printf '%s\n' 'a x # the first' '' 'a	y' '  a x' 'b x' >places
is "a file: 2 on 0's core complex, 1 on its node; b's is another" \
    "$(runs --signature=three.sig --map=places)" "8000 433 211 1809"
is "what was not measured is the next" "$(runs --signature=one.sig --map=places)" "8000 433 443 453"
like "... and said" "$(said --signature=one.sig --map=places)" \
    "*  path          'core complex' was not measured: its messages take the times of 'node'*"
like "places are said" "$(said --signature=three.sig --map=places)" \
    "*  placement     4 ranks on 2 nodes (--map=places); the farthest two: between nodes*"
is "without a signature a message takes what is given" "$(runs --latency=const:100ns --byte=const:2.5ns)" \
    "8000 120 130 140"
# A send takes no less than 0. A message is not received before it arrives, and a collective not left before all have
# entered it.
is "calls that are 5 us faster than nothing" "$(runs --signature=one.sig --call-noise=const:-5us)" \
    "7970 433 433 433"
calls 3 >fast.txt <<'T'
0 400 900 Barrier comm=0
1 1085 1900 Barrier comm=0
2 700 1900 Barrier comm=0
0 1000 1100 Ibarrier comm=0 request=1
1 2385 2400 Ibarrier comm=0 request=1
2 2000 2100 Ibarrier comm=0 request=1
0 1200 2200 Wait requests=1
1 2700 2800 Wait requests=1
2 2200 2400 Wait requests=1
0 3000 3100 Bcast comm=0 root=1 bytes=8
1 3785 3800 Bcast comm=0 root=1 bytes=8
2 2500 3100 Bcast comm=0 root=1 bytes=8
T
# all leave the first at 985; rank 1 comes to the second at 1470, and to the third at 2755, when the others
# have been there: from there on they compute
is "... collectives" "$("$mpgsim" --json --predict --replicas=1 --source=none --signature=one.sig --collectives=rounds \
    --call-noise=const:-5us fast.txt | "$python" -c '
import json, sys
print(*(format(1000000 - r["traced_ns"] - r["delay_ns"]["median"], "g") for r in json.load(sys.stdin)["ranks"]))')" \
    "$((3100 - 2755)) $((3800 - 2755)) $((3100 - 2755))"
like "what a run consists of adds up" "$(said --latency=const:100ns | sed -n '/^What a rank/,/^ *run/p')" \
    "*computing*MPI overhead*waiting for messages*run*100.0 %*"
is "JSON says the mode" "$("$mpgsim" --json --predict --latency=const:1us star.txt | "$python" -c '
import json, sys
a = json.load(sys.stdin)
m = a["mean_of_a_rank"]
parts = sum(m[k] for k in ("compute_ns", "noise_ns", "calls_ns", "messages_ns", "collectives_ns", "threads_ns"))
print(a["mode"], abs(parts - m["run_ns"]) < 1e-6, a["options"]["polling"])')" "predict True wait"

is "JSON says the path of the farthest two" "$(for map in block:4 block:2; do
    "$mpgsim" --json --predict --signature=three.sig --map=$map star.txt | "$python" -c '
import json, sys
print(json.load(sys.stdin)["options"]["path"])'
done)" "node
between nodes"

# refused STATUS WORDS OPTION...: checks that mpgsim refuses the options for star.txt with WORDS.
refused() {
    ok "refused, $1: ${*:3}" refuses "$1" "*$2*" "${@:3}" star.txt
}
refused 2 "--predict needs --signature or --latency" --predict
refused 2 "--absorb and --predict exclude each other" --predict --latency=const:1us --absorb=none
refused 2 "exclude each other" --predict --signature=three.sig --map=block:2 --map=path=node
refused 2 "is not wait or work" --predict --latency=const:1us --polling=spin
echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}}' >none.sig
refused 1 "neither latencies nor bandwidths" --predict --signature=none.sig --source=none
cat >empty.sig <<'END'
{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}, "network": [{"path": "node", "bandwidth": [
{"size_bytes": 0, "transfer_ns": {"n": 9, "mean": 385, "sd": 1, "lag1": 0, "quantiles": [385, 385]}}]}]}
END
is "transfers of no bytes are times of messages" "$(runs --signature=empty.sig)" "8000 385 395 405"
sed 's/385, 385/285, 485/' empty.sig >spread.sig
like "... which are drawn" "$("$mpgsim" --predict --signature=spread.sig --source=none star.txt)" "*Run time, 64 replicas*"
# A missing path matters only if two ranks are on it, also for messages of a rank to itself.
"$python" - <<'END'
import json
def save(name, change):
    sig = json.load(open("three.sig"))
    change(*sig["network"])
    json.dump(sig, open(name, "w"))
def without(inside, node, between):
    for key in ("latency", "one_way"):
        del between[key]
    between["eager_limit_bytes"] = 64
def fitted(*paths):
    for path in paths:
        values = path["latency"][0]["one_way_ns"]
        values["quantiles"] = [values["mean"] - 1, values["mean"] + 1]
    paths[1]["latency"][0]["one_way_ns"]["fits"] = [
        {"family": "exponential", "location": 433, "distance": 0.01,
         "parameters": [{"name": "mean", "value": 1e-6, "low": 1e-6, "high": 1e-6}]}]
save("near.sig", without)
save("fitted.sig", fitted)
END
near=(--signature=near.sig --source=none)
is "a path that nobody takes has no latencies" "$(runs --signature=near.sig --map=block:4)" "8000 433 443 453"
refused 1 "path 'between nodes' has neither latencies nor bandwidths" --predict "${near[@]}" --map=block:2
refused 1 "path 'between nodes' has neither latencies nor bandwidths" --predict "${near[@]}"
cp star.txt kept.txt
sed -i 's/^0 1000 1010 Send/0 990 992 Isend comm=0 to=0 tag=7 bytes=8 request=1\
0 992 994 Recv comm=0 from=0 tag=7 bytes=8\
0 994 1000 Wait requests=1\
&/; s/^\([0-9]\) 0 1000 Init/\1 0 900 Init/' star.txt
fit=(--predict --models=latency=fit --signature=fitted.sig --source=none)
"$mpgsim" --json "${fit[@]}" --replicas=1 --map=block:4 star.txt >answer
is "... and no fits: nodes' stand for a rank's own messages" "$("$python" -c '
import json
ranks = json.load(open("answer"))["ranks"]
print(*(format(r["traced_ns"] + r["delay_ns"]["median"], ".7g") for r in ranks))')" "8529 962 972 982"
refused 1 "path 'between nodes', latency of 8 bytes" "${fit[@]}" --map=block:2
mv kept.txt star.txt
three=(--predict --signature=three.sig --source=none)
refused 1 "block:N with a whole number" "${three[@]}" --map=block:0
refused 1 "cyclic:N with a whole number" "${three[@]}" --map=cyclic:1.5
refused 1 "neither block:N nor cyclic:N" "${three[@]}" --map=nowhere
head -3 places >short
refused 1 "2 places for 4 ranks" "${three[@]}" --map=short
cat places places >long
refused 1 "the trace has 4 ranks only" "${three[@]}" --map=long
echo 'a b c' >wide
refused 1 "line 1: more than a node and a core complex" "${three[@]}" --map=wide
refused 1 "Is a directory" "${three[@]}" --map=.
done_testing
