#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Signatures written by hand (TAP): the example in the man page is one, and mpgsim
# takes the path that it is told to, and the noise of all hosts. Programs from
# $MPGSIM, $SIGSHOW and $PYTHON3.
set -u
mpgsim=${MPGSIM:-mpgsim} sigshow=${SIGSHOW:-sigshow} python=${PYTHON3-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/../traces.sh"
for program in "$mpgsim" "$sigshow"; do
    command -v "$program" >/dev/null || { echo "Bail out! no $program"; exit 1; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# ---- the man page's example ----
page=${top_srcdir:-$here/../..}/man/mpgsig.5
sed -n '/^\.SH EXAMPLES/,$p' "$page" | sed -n '/^\.EX/,/^\.EE/p' | sed '/^\.E[XE]/d; s/\\&//; s/\\-/-/g' \
    >example.sig
"$sigshow" --all example.sig >shown 2>err
is "the man page's example is a signature" "$? $(cat err)" "0 "
calls 2 </dev/null >quiet.txt
"$mpgsim" --perturb --signature=example.sig quiet.txt >out 2>err
is "mpgsim takes it" "$? $(cat err)" "0 "
if [ -n "$python" ]; then
    # The example has every key that the man page defines, and the page defines every key of the example.
    is "the example has every key that the page describes" "$("$python" - "$page" example.sig <<'P'
import json, re, sys
page, example = sys.argv[1:]
used = set()
def walk(value, facts):
    if isinstance(value, dict):
        for key, member in value.items():
            if not facts:
                used.add(key)
            walk(member, key in ("header", "results", "events"))
    elif isinstance(value, list):
        for member in value:
            walk(member, False)
walk(json.load(open(example)), False)
tags, section, tag = set(), "", False
for line in open(page):
    if line.startswith((".SH", ".SS")):
        section = line.split(None, 1)[1].strip().strip('"')
    elif tag and section != "HEADER":
        tags |= set(re.findall(r"[a-z][a-z0-9_]*", re.sub(r'"[^"]*"|^\.BR?', " ", line)))
    tag = line.startswith(".TP")
print(*sorted(tags ^ used))
P
)" ""
else
    skip "the example has every key that the page describes" "no python3"
fi

# ---- paths ----
#
# constant NS: prints a distribution with a single value.
constant() {
    echo "{\"n\": 9, \"mean\": $1, \"quantiles\": [$1, $1]}"
}
# path CLASS LATENCY_NS TRANSFER_NS EAGER_BYTES: prints a path with transfers of 1 and 2 KiB, in which each byte beyond
# 8 takes TRANSFER_NS / 1024.
path() {
    echo "{\"path\": \"$1\", \"eager_limit_bytes\": $4,
      \"latency\": [{\"size_bytes\": 8, \"one_way_ns\": $(constant "$2")}],
      \"bandwidth\": [{\"size_bytes\": 1024, \"transfer_ns\": $(constant "$3")},
                    {\"size_bytes\": 2048, \"transfer_ns\": $(constant "$((2 * $3))")}]}"
}
# signature PATH...
signature() {
    local IFS=,
    echo "{\"format\": \"mpgkit-signature\", \"version\": [2, 0], \"network\": [$*]}"
}
near=$(path "core complex" 1000 512 100)
node=$(path node 2000 1024 200)
far=$(path "between nodes" 4000 2048 300)
signature "$near" "$node" "$far" >all.sig
signature "$near" "$node" >two.sig
# The time of a byte comes from the two largest sizes, so an empty message must not count.
empty="{\"size_bytes\": 0, \"transfer_ns\": $(constant 9000)}"
signature "$near" "${node/'"bandwidth": ['/'"bandwidth": ['"$empty, "}" >empty.sig
signature "$(path "core complex" 700 0 50)" "$(path node 900 0 60)" >source.sig
ring 4 3 64 >ring.txt
eager=(--eager-limit=1MiB --source=eager-limit=1MiB)

# delays OPTION...: prints the delays of the ranks.
delays() {
    "$mpgsim" --per-rank "$@" ring.txt 2>err | awk 'NR > 1 { printf "%s ", $3 }'
}
# same NAME LATENCY BYTE OPTION...: checks that the delays equal those with latency and time of a byte given on the
# command line. LATENCY: for 8 bytes.
same() {
    local name=$1 by_hand
    by_hand=$(delays --source=source.sig --latency="const:$(awk "BEGIN { print $2 - 8 * $3 }")ns" \
        --byte="const:${3}ns" "${eager[@]}")
    shift 3
    is "$name" "$(delays "${eager[@]}" --source=source.sig "$@")" "$by_hand"
}
ok "the ring's delays depend on latency" \
    test "$(delays --latency=const:1100ns)" != "$(delays --latency=const:300ns)"
same "--map=path=core-complex: less the source's" 300 0.5 --perturb --signature=all.sig --map=path=core-complex
same "--map=path=node: less the source's" 1100 1 --perturb --signature=all.sig --map=path=node
same "a path that the source lacks: less its farthest" 3100 2 --perturb --signature=all.sig \
    --map=path=between-nodes
same "no --map=path: the farthest" 3100 2 --perturb --signature=all.sig
same "no --map=path: the farthest of two" 1100 1 --perturb --signature=two.sig

same "a transfer of 0 bytes changes nothing" 1100 1 --perturb --signature=empty.sig
ok "though it is there" grep -q '"size_bytes": 0, "transfer_ns"' empty.sig

# assumes TOPIC OPTION...: prints the output line about TOPIC.
assumes() {
    local topic=$1
    shift
    "$mpgsim" "$@" ring.txt | sed -n "s/^  $topic  *//p"
}
is "it says which path: told" "$(assumes path --perturb --signature=all.sig --map=path=node)" \
    "target's 'node' (--map=path)"
is "it says which path: the farthest" "$(assumes path --perturb --signature=all.sig)" \
    "target's 'between nodes' (the farthest measured; --map=path chooses)"
signature "$node" >one.sig
is "it says which path: the only one" "$(assumes path --perturb --signature=one.sig)" \
    "target's 'node' (the only one measured)"
is "it says which path: another of the source" \
    "$(assumes path --perturb --signature=all.sig --source=source.sig)" \
    "target's 'between nodes' (the farthest measured; --map=path chooses); source's 'node': its signature has no such path"
is "it says nothing of the path of a source that nothing is taken of" \
    "$(assumes path --source=source.sig "${eager[@]}")" ""
is "without a signature no path is assumed" "$(assumes path --latency=const:5ns)" ""
is "nor with one of which nothing is used" "$(assumes path --perturb --signature=all.sig --latency=const:5ns \
    --byte=const:1ns --eager-limit=1MiB)" ""
is "the eager limit is reason enough" \
    "$(assumes path --perturb --signature=one.sig --latency=const:5ns --byte=const:1ns)" \
    "target's 'node' (the only one measured)"
like "the eager limit is the path's" "$(assumes "eager limit" --perturb --signature=all.sig --map=path=node)" \
    "200 bytes (signature)*"
is "--json: both paths" \
    "$("$mpgsim" --json --perturb --signature=all.sig --source=source.sig ring.txt | grep -E '"(source_)?path": "(node|between nodes)"' |
        tr -d ' \n')" '"path":"betweennodes","source_path":"node",'

# fails NAME STATUS TEXT OPTION...: checks that mpgsim exits with STATUS and prints only the error TEXT.
fails() {
    local name=$1 status=$2 text=$3
    shift 3
    "$mpgsim" "$@" ring.txt >out 2>err
    like "$name" "$? $(wc -c <out) $(cat err)" "$status 0 mpgsim: $text"
}
fails "a path that was not measured" 1 \
    "two.sig: no path 'between nodes' was measured; measured were: core complex, node" \
    --perturb --signature=two.sig --map=path=between-nodes
signature >none.sig
fails "a path of none" 1 "none.sig: no path 'node' was measured" --perturb --signature=none.sig --map=path=node
fails "an unknown class" 2 "--map=path: 'rack' is not core-complex, node or between-nodes*" \
    --perturb --signature=all.sig --map=path=rack
fails "--map=path without a target" 2 "--map=path needs --signature*" --map=path=node

# ---- noise of several hosts ----
#
# core HOST CORE DETOURS: prints a core of HOST with one record. DETOURS: starts | durations.
core() {
    echo "{\"host\": \"$1\", \"core\": $2, \"span_ns\": 1000,
      \"detours\": {\"start_ns\": [${3%|*}], \"duration_ns\": [${3#*|}]}}"
}
quiet='|' half='0|500' quarter='0|250'
echo "{\"format\": \"mpgkit-signature\", \"version\": [2, 0], \"noise\": [
  $(core a 0 "$quiet"), $(core a 1 "$quarter"),
  {\"host\": \"a\", \"core\": 2, \"ftq\": {\"quantum_ns\": 10, \"lost_ns\": $(constant 1)}},
  $(core b 0 "$half")]}" >hosts.sig
# Computation only: 999900 ns, a whole number of records minus 100 ns.
calls 4 </dev/null >compute.txt
"$mpgsim" --per-rank --replicas=1 --models=measurement=fixed --perturb --signature=hosts.sig compute.txt >ranks
is "rank r runs on recorded core r mod 3: host a's two, then host b's" \
    "$(awk 'NR > 1 { printf "%d ", $3 / 999900 * 100 + 0.5 }' ranks)" "0 33 100 0 "
like "it says so" "$("$mpgsim" --perturb --signature=hosts.sig compute.txt)" \
    "*  noise  *detours of 3 cores of 2 hosts, one host after another, replayed, * of the time lost; rank r runs on core r mod 3,*"
done_testing
