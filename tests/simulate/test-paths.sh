#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --map and --source=map=without --predict (TAP): the path of each message on both machines, by
# hand (docs/MODEL.md, Decisions, Paths); the identity; what is said and refused. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"

# quantity NAME NS TIMES: prints the list NAME with a single size, 8 bytes, whose TIMES are always NS.
quantity() {
    printf '"%s": [{"size_bytes": 8, "%s": {"n": 9, "mean": %s, "sd": 0, "lag1": 0, "quantiles": [%s, %s]}}]' \
        "$1" "$3" "$2" "$2" "$2"
}
# path CLASS LATENCY [SEND RECEIVE [LIMIT]]
path() {
    printf '{"path": "%s", "one_way": "one clock", ' "$1"
    quantity latency "$2" one_way_ns
    [ $# -lt 4 ] || {
        printf ', '
        quantity send_overhead "$3" send_ns
        printf ', '
        quantity receive_overhead "$4" receive_ns
    }
    [ $# -lt 5 ] || printf ', "eager_limit_bytes": %s' "$5"
    printf '}'
}
# machine PATH...: prints a signature. PATH: the arguments of path, separated by commas.
machine() {
    local separator='' words
    printf '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}, "network": ['
    for words in "$@"; do
        printf '%s' "$separator"
        IFS=, read -ra words <<<"$words"
        path "${words[@]}"
        separator=,
    done
    echo ']}'
}
machine 'core complex,201' 'node,433' 'between nodes,1789' >target.sig
machine 'core complex,150' 'node,311.5' 'between nodes,1200' >source.sig
machine 'node,433' >one.sig

# Rank 0 sends to each of the others, which wait; rank 2 waits for longer.
star() {
    printf '#mpgtext 1\n#ranks 4\n#clocks shared\n'
    printf '%s\n' "$@"
    printf '%s 0 1000 Init\n' 0 1 2 3
    cat <<'T'
0 1000 1010 Send comm=0 to=1 tag=1 bytes=8
0 1010 1020 Send comm=0 to=2 tag=1 bytes=8
0 1020 1030 Send comm=0 to=3 tag=1 bytes=8
1 1000 9000 Recv comm=0 from=0 tag=1 bytes=8
2 1000 12000 Recv comm=0 from=0 tag=1 bytes=8
3 1000 9000 Recv comm=0 from=0 tag=1 bytes=8
T
    printf '%s 12000 12010 Finalize\n' 0 1 2 3
}
star >unnamed.txt
star '#host 0 a' '#host 1 a' '#host 2 b' '#host 3 b' >star.txt

# delays TRACE OPTION...: prints the delays of all ranks.
delays() {
    local trace=$1
    shift
    "$mpgsim" --per-rank "$@" "$trace" 2>err | awk 'NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), $3 } END { print "" }'
}
both="--perturb --signature=target.sig --source=source.sig"

# ---- messages ----
# shellcheck disable=SC2086 # words
{
is "one path: all are between nodes" "$(delays star.txt $both --absorb=none)" "0 589 589 589"
# In the trace ranks 0 and 1 share a node (311.5); other messages go between nodes (1200).
is "0 and 1 on a node there, too" "$(delays star.txt $both --absorb=none --map=block:2)" "0 121.5 589 589"
is "0 and 1 on two: 1789 for 311.5" "$(delays star.txt $both --absorb=none --map=cyclic:4)" "0 1477.5 589 589"
# Now 0 and 2 share a node: 433 instead of 1200. A call that waits is delayed by its message only.
is "0 and 2 on one: less than it was" "$(delays star.txt $both --absorb=wait --map=cyclic:2)" "0 1477.5 -767 589"
printf 'n c\nn c\nn d\nm\n' >places
is "core complexes from a file" "$(delays star.txt $both --absorb=wait --map=places)" "0 0 -767 589"
printf 'n c\nm\nn c\nn d\n' >were
is "... and on the source: 201 for 1200, 433 for 150, 1789 for 311.5" \
    "$(delays star.txt $both --absorb=wait --map=places --source=map=were)" "0 0 283 1477.5"
is "--source=map=alone: the target's is the farthest" \
    "$(delays star.txt $both --absorb=none --source=map=were)" "0 589 1639 1477.5"
is "... or that of --map=path" "$(delays star.txt $both --absorb=none --source=map=were --map=path=node)" "0 0 283 121.5"
is "without hosts the source has one path, of the class of the farthest two there" \
    "$(delays unnamed.txt $both --absorb=none --map=block:2) $(delays unnamed.txt $both --absorb=none --map=block:4)" \
    "0 0 589 589 0 121.5 121.5 121.5"
star '#host 0 a' '#host 1 a' '#host 2 a' '#host 3 a' >together.txt
is "all were on one host" "$(delays together.txt $both --absorb=none --map=block:2)" "0 121.5 1477.5 1477.5"
is "what was not measured is the next, on either machine" \
    "$(delays star.txt --perturb --signature=target.sig --source=one.sig --absorb=none --map=block:2) $(
        delays star.txt --perturb --signature=one.sig --source=source.sig --absorb=none --map=block:2)" \
    "0 0 1356 1356 0 121.5 0 0"
is "without a source nothing is added to constant times" \
    "$(delays star.txt --perturb --signature=target.sig --source=none --absorb=none --map=block:2)" "0 0 0 0"
is "--latency replaces them all" \
    "$(delays star.txt $both --latency=const:77.5ns --absorb=none --map=block:2)" "0 77.5 77.5 77.5"
}

# ---- floors depend on the pair of ranks ----
#
# Each call of rank 0 is delayed by the same time. One message takes the 311.5 of its path, because it was sent no later
# than its receive began; the other one visibly took 1400.
cat >late.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#host 0 a
#host 1 a
#host 2 b
0 0 1000 Init
1 0 1000 Init
2 0 1000 Init
0 1000 1010 Send comm=0 to=1 tag=1 bytes=8
0 1010 1020 Send comm=0 to=2 tag=1 bytes=8
1 1000 2410 Recv comm=0 from=0 tag=1 bytes=8
2 1000 2410 Recv comm=0 from=0 tag=1 bytes=8
0 9000 9010 Finalize
1 9000 9010 Finalize
2 9000 9010 Finalize
T
# Slack is 1410 - 311.5 of the one, less the 410 that its call took beyond 1 us, which is all that a call takes where all waited
# (1410 / 311.5 is more than 1410 / 1000); of the other 0. So 1300.25 + 121.5 - 688.5, and 2 x 1300.25 + 589.
is "floors by the source's path of the pair" \
    "$(delays late.txt --perturb --signature=target.sig --source=source.sig --map=block:2 --noise=const:1300.25ns@0)" \
    "3900.75 733.25 3189.5"

# ---- overheads, limits ----
machine 'node,433,20,30' 'between nodes,1789,50,75.5' >costs.sig
machine 'node,433,11,17' 'between nodes,1789,23,29.25' >had.sig
# Rank 0 sends to 1 (+ 9), then to 2 and 3 (+ 27 each); receiving is + 13, + 46.25, for which the messages,
# 9 and 36 late, are early enough.
# shellcheck disable=SC2086
is "overheads of the path" "$(delays star.txt --perturb --signature=costs.sig --source=had.sig --absorb=none --map=block:2)" \
    "63 13 46.25 46.25"
machine 'node,433,1,1,4' 'between nodes,433,1,1,4096' >limits.sig
limit() {
    "$mpgsim" "$@" | sed -n 's/^  eager limit *//p'
}
like "the eager limit is that of the farthest two" \
    "$(limit --perturb --signature=limits.sig --source=none --map=block:2 star.txt) $(
        limit --perturb --signature=limits.sig --source=none --map=block:4 star.txt)" "4096 bytes *4 bytes *"

# ---- the identity ----
unmoved() {
    local trace=$1
    shift
    [ "$("$mpgsim" --per-rank "$@" "$trace" 2>err | awk 'NR > 1 && $3 != 0')" = "" ] && return 0
    "$mpgsim" --per-rank "$@" "$trace" 2>&1 | sed 's/^/# /'
    return 1
}
for map in block:1 block:2 block:4 cyclic:2 were; do
    ok "identity: $map on both" unmoved star.txt --perturb --signature=target.sig --source=target.sig --map=$map --source=map=$map
done
ok "identity: the hosts of the trace" unmoved star.txt --perturb --signature=target.sig --source=target.sig --map=block:2
ok "... with overheads" unmoved star.txt --perturb --signature=costs.sig --source=costs.sig --map=block:2
if [ -n "$python" ]; then
    for seed in 1 2 3 4 5 6; do
        "$python" "$here/../oracle/randomtrace.py" --seed $seed --ranks $((2 + seed)) --steps 60 --hosts 3 >random.txt
        ok "identity: random program $seed" unmoved random.txt --perturb --signature="$reference" --source="$reference" \
            --map=cyclic:2 --source=map=cyclic:2 --without=choice
    done
else
    skip "identity: random programs" "no python3"
fi
ring 4 20 8192 >ring.txt
is "one node for all is --map=path=node" \
    "$(delays ring.txt --perturb --signature=target.sig --source=source.sig --map=block:4 --source=map=block:4)" \
    "$(delays ring.txt --perturb --signature=target.sig --source=source.sig --map=path=node)"
# ---- messages and refusals ----
said() {
    "$mpgsim" "$@" | tr -s ' \n' '  '
}
# shellcheck disable=SC2086
{
like "places of both machines" "$(said $both --map=block:2 star.txt)" \
    "* placement 4 ranks on 2 nodes (--map=block:2); the farthest two: between nodes; source: 4 ranks on 2 nodes (the trace's hosts); the farthest two: between nodes *"
like "... by options" "$(said $both --map=block:4 --source=map=were star.txt)" \
    "* placement 4 ranks on 1 node (--map=block:4); the farthest two: node; source: 4 ranks on 2 nodes (--source=map=were); the farthest two: between nodes *"
like "a trace without hosts" "$(said $both --map=block:4 unnamed.txt)" \
    "* source: one path, 'node', as the trace names no hosts (--source=map) *"
like "a path that was not measured" "$(said --perturb --signature=target.sig --source=one.sig --map=block:2 star.txt)" \
    "*'between nodes' was not measured on the source: the times of 'node' are used*"
is "JSON has the maps and the farthest paths" "$("$mpgsim" --json $both --map=block:4 --source=map=were star.txt |
    "$python" -c 'import json, sys; o = json.load(sys.stdin)["options"]; print(o["map"], o["source_map"], o["path"], o["source_path"])')" \
    "block:4 were node between nodes"
}
# refused STATUS PATTERN OPTION...: checks that mpgsim exits with STATUS, and prints one line with PATTERN.
refused() {
    local status=$1 pattern=$2
    shift 2
    ok "refused: $pattern" refuses "$status" "mpgsim: *$pattern*" "$@" star.txt
}
refused 2 "--source=map needs --signature or a source" --source=map=block:2
refused 2 "--map needs --signature" --map=block:2
refused 1 "--source=map: 'block:0' is not block:N with a whole number N from 1 on" --perturb --signature=one.sig --source=map=block:0
refused 1 "--source=map: nowhere: No such file or directory (neither block:N nor cyclic:N)" --perturb --signature=one.sig --source=map=nowhere
printf 'n\nn\n' >short
refused 1 "--source=map: short: 2 places for 4 ranks" --perturb --signature=one.sig --source=map=short

# ---- the written trace has the same times ----
"$mpgsim" --perturb --signature=target.sig --source=source.sig --map=block:2 --output-trace there star.txt >/dev/null
is "its hosts are the nodes, and read again nothing is late" \
    "$("$mpgtrace" print there | awk '/^#host/ { printf "%s ", $3 }')$(delays there --perturb --signature=target.sig --map=block:2)" \
    "node-0 node-0 node-1 node-1 0 0 0 0"
done_testing
