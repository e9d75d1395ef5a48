#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One-sided operations (TAP): sigmake's times of results written down by hand, its check, sigshow's table and JSON, sigdiff's
# comparison, and files that are wrong.

. "$(dirname "$0")/results.sh"
sigdiff=${SIGDIFF:-sigdiff}
columns="pair operation size_bytes call_ns complete_ns off_cpu_ns"

# onesided LAUNCH [LINE...]: a file of a node; samples on standard input
onesided() {
    local launch=$1
    shift
    header onesided "$columns" "launch: $launch" "path: ${path-node}" "pair 0: ranks 0 and 1; hosts a and a; cores 0 and 1" \
        "operations: ${operations-put get accumulate fetch_and_op lock fence}" "$@"
    body
}

# repeated TIMES: each line that often (an odd number), with both times around its own, 0.1 % apart
repeated() {
    awk -v n="$1" '{ for (i = 0; i < n; i++) { f = 1 + 0.001 * (i * 11 % n - (n - 1) / 2); print $1, $2, $3, $4 * f, $5 * f, $6 } }'
}

mkdir r
for launch in 0 1 2; do
    { echo "0 0 8 300 2000 0"; echo "0 0 4096 700 5000 0"; echo "0 1 8 250 4000 0"; echo "0 3 8 400 3000 0"
      echo "0 4 8 500 600 0"; echo "0 5 8 310 900 0"; } | repeated 31 | onesided $launch >r/onesided-launch$launch-node.samples
done
ok "sigmake reads onesided results" "$sigmake" -o r.sig r
# times SIGNATURE: operation, size, call and completion of each, by sigshow's JSON
times() {
    "$sigshow" --json "$1" | python3 -c '
import json, sys
for p in json.load(sys.stdin)["paths"]:
    for x in p.get("one_sided", []):
        for a, b in zip(x["call_ns"], x["complete_ns"]):
            print(p["path"], x["operation"], a["size_bytes"], b["size_bytes"], a["samples"], "%.6g %.6g" % (a["p50"], b["p50"]), a["launches"])'
}
if has_python; then
    is "its times, by operation and size" "$(times r.sig)" "node put 8 8 93 300 2000 3
node put 4096 4096 93 700 5000 3
node get 8 8 93 250 4000 3
node fetch_and_op 8 8 93 400 3000 3
node lock 8 8 93 500 600 3
node fence 8 8 93 310 900 3"
fi
"$sigshow" r.sig >out
is "sigshow has a row of each" "$(sed -n '/^One-sided/,/^$/p' out | sed 1,3d | awk 'NF { print $1, $2 $3, $4, $5 $6, $9 $10 }')" \
    "put 8B 93 300ns 2us
put 4KiB 93 700ns 5us
get 8B 93 250ns 4us
fetch_and_op 8B 93 400ns 3us
lock 8B 93 500ns 600ns
fence 8B 93 310ns 900ns"
"$sigmake" --check r >out 2>err
is "the check finds nothing uncertain" "$(grep -c 'onesided' out)" 0

# The words of the header decide what the numbers mean; samples off the CPU are left out.
mkdir o
{ for _ in $(seq 8); do echo "0 0 8 100 200 0"; done; for _ in $(seq 4); do echo "0 0 8 5000 200 5000"; done
  echo "0 1 8 77 88 0"; } | operations="fence put" path="between nodes" onesided 0 >o/a.samples
ok "another order of operations" "$sigmake" -o o.sig o
if has_python; then
    is "is as the header says" "$(times o.sig)" "between nodes put 8 8 1 77 88 0
between nodes fence 8 8 8 100 200 0"
fi

# ---- checks ----

mkdir w
launch() {
    echo "0 0 8 $2 $3 0" | repeated 31 | onesided "$1" >w/onesided-launch$1.samples
}
launch 0 300 2000
launch 1 300 4000
launch 2 300 6000
"$sigmake" --check w >out 2>err
like "launches that disagree" "$(grep '^warning: onesided' out)" \
    "warning: onesided, node, put, 8 B: the median is known to +-[0-9]* %, by 93 samples; can change messages by *"
rm w/onesided-launch[12].samples
"$sigmake" --check w >out 2>err
like "a single launch" "$(grep 'launch' out)" "*onesided, node: 1 launch*"

# ---- sigdiff ----

mkdir slow
for launch in 0 1 2; do
    { echo "0 0 8 300 4000 0"; echo "0 0 4096 700 5000 0"; } | repeated 31 | onesided $launch >slow/onesided-launch$launch-node.samples
done
"$sigmake" -o slow.sig slow
"$sigdiff" --spread 0 --all r.sig slow.sig | tr -s ' ' >out
like "sigdiff finds the slower flush" "$(grep 'node: put, complete, 8 B, median' out)" "*2*us*4*us*"
is "... and the same call" "$(grep -c 'put, call, 8 B, median.*no evidence' out)" 1
like "an operation that one of them lacks" "$(grep 'node: get' out)" "*measured only in a*"

# ---- wrong files ----

# wrong NAME WORDS SED: a file of r changed so is refused, in one line that names it
wrong() {
    rm -rf x && mkdir x
    sed "$3" r/onesided-launch0-node.samples >x/a.samples
    "$sigmake" -o x.sig x >out 2>err
    is "$1: exit status, no signature" "$? $(test -e x.sig; echo $?)" "1 1"
    like "$1: says so" "$(cat err)" "sigmake: x/a.samples: $2"
    is "$1: in one line" "$(wc -l <err)" 1
}
wrong "truncated" "line [0-9]*: cut off*" '$d'
wrong "no columns" "*without 'call_ns'" 's/ call_ns / begin_ns /'
wrong "no path" "header line '# path:' is missing" '/^# path/d'
wrong "no pair" "header line '# pair 0:' is missing" '/^# pair 0/d'
wrong "no operations" "header line '# operations:' is missing" '/^# operations/d'
wrong "a word too few" "header line '# operations:' has no word number 5, from 0" 's/^# operations: .*/# operations: put get accumulate fetch_and_op lock/'
wrong "an unknown operation" "header line '# operations:': 'swap' is no one-sided operation" 's/^# operations: put/# operations: swap/'
wrong "an operation of no number" "operation 6 is none of 6" '0,/^0 5 /s/^0 5 /0 6 /'
wrong "half an operation" "line *: column 2: 0.5 is not a whole number" '0,/^0 5 /s/^0 5 /0 0.5 /'
wrong "a negative time" "line *: column 4: -1 is out of range" '0,/^0 0 8 [0-9.]*/s/^0 0 8 [0-9.]*/0 0 8 -1/'

# ---- wrong signatures ----
broken() {
    sed "$2" r.sig >b.sig
    "$sigshow" b.sig >out 2>err
    is "$1: refused" "$? $(wc -l <err)" "1 1"
    like "$1: says so" "$(cat err)" "$3"
}
broken "an operation that is a number" 's/"put": {/"put": 5, "was": {/' "sigshow: b.sig: *one_sided*put*"
broken "calls of other sizes than completions" '0,/"size_bytes": 4096/s/"size_bytes": 4096/"size_bytes": 4097/' "sigshow: b.sig: *put: call and complete have different sizes"
done_testing
