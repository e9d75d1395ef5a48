#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Overlap of transfers with computation (TAP): sigmake's shares of results written down by hand, its check, sigshow's table and
# JSON, sigdiff's comparison, and files that are wrong.

. "$(dirname "$0")/results.sh"
sigdiff=${SIGDIFF:-sigdiff}
columns="pair operation size_bytes alone_ns work_ns both_ns off_cpu_ns"

# overlap LAUNCH: a file of a node; samples on standard input
overlap() {
    header overlap "$columns" "launch: $1" "path: ${path-node}" "pair 0: ranks 0 and 1; hosts a and a; cores 0 and 1" \
        "operations: ${operations-send receive}"
    body
}

# repeated TIMES: each line that often (an odd number), its three times with one factor, 0.1 % apart
repeated() {
    awk -v n="$1" '{ for (i = 0; i < n; i++) { f = 1 + 0.001 * (i * 11 % n - (n - 1) / 2); print $1, $2, $3, $4 * f, $5 * f, $6 * f, $7 } }'
}

# 1 - (both - work) / alone: 1 - (16000 - 15000) / 10000 = 0.9; 1 - (36000 - 30000) / 20000 = 0.7; more than all and less than
# nothing count as 1 and 0.
mkdir r
for launch in 0 1 2; do
    { echo "0 0 8192 10000 15000 16000 0"; echo "0 0 65536 20000 30000 36000 0"; echo "0 1 8192 10000 15000 14000 0"
      echo "0 1 65536 20000 30000 52000 0"; } | repeated 31 | overlap $launch >r/overlap-launch$launch-node.samples
done
ok "sigmake reads overlap results" "$sigmake" -o r.sig r
# shares SIGNATURE: side, size, time alone and share of each, by sigshow's JSON
shares() {
    "$sigshow" --json "$1" | python3 -c '
import json, sys
for p in json.load(sys.stdin)["paths"]:
    for x in p.get("overlap", []):
        for a, b in zip(x["alone_ns"], x["share"]):
            print(p["path"], x["computing"], a["size_bytes"], b["size_bytes"], b["samples"], "%.6g %.6g" % (a["p50"], b["p50"]), b["launches"])'
}
if has_python; then
    is "its shares, by side and size" "$(shares r.sig)" "node send 8192 8192 93 10000 0.9 3
node send 65536 65536 93 20000 0.7 3
node receive 8192 8192 93 10000 1 3
node receive 65536 65536 93 20000 0 3"
fi
"$sigshow" r.sig >out
is "sigshow has a row of each" "$(sed -n '/^Overlap/,/^$/p' out | sed 1,2d | awk 'NF { print $1, $2 $3, $4, $5 $6, $7 $8 }')" \
    "send 8KiB 93 10us 90%
send 64KiB 93 20us 70%
receive 8KiB 93 10us 100%
receive 64KiB 93 20us 0%"
"$sigmake" --check r >out 2>err
is "the check finds nothing uncertain" "$(grep -c 'overlap' out)" 0

# The words of the header decide what the numbers mean; samples off the CPU are left out.
mkdir o
{ for _ in $(seq 8); do echo "0 0 8192 1000 1500 1600 0"; done; for _ in $(seq 4); do echo "0 0 8192 1000 1500 9000 5000"; done
  echo "0 1 8192 2000 3000 3500 0"; } | operations="receive send" path="between nodes" overlap 0 >o/a.samples
ok "another order of sides" "$sigmake" -o o.sig o
if has_python; then
    is "is as the header says" "$(shares o.sig)" "between nodes send 8192 8192 1 2000 0.75 0
between nodes receive 8192 8192 8 1000 0.9 0"
fi

# ---- checks ----

mkdir w
{ for both in 15200 19000 21000 24800; do echo "0 1 8192 10000 15000 $both 0"; done; } | repeated 5 | overlap 0 >w/overlap-launch0-node.samples
"$sigmake" --check w >out 2>err
like "shares on both sides of one half" "$(grep '^warning: overlap.*median' out)" \
    "warning: overlap, node, receive, 8 KiB: * % in the median, by 20 samples; the interval includes 50 %; *"
like "a single launch" "$(grep 'launch' out)" "*overlap, node: 1 launch*"

# ---- sigdiff ----

mkdir other
for launch in 0 1 2; do
    { echo "0 0 8192 10000 15000 16000 0"; echo "0 1 8192 10000 15000 24000 0"; } | repeated 31 | overlap $launch >other/overlap-launch$launch-node.samples
done
"$sigmake" -o other.sig other
"$sigdiff" --spread 0 --all r.sig other.sig | tr -s ' ' >out
like "sigdiff finds the receiver's other side" "$(grep 'overlap, receive, 8 KiB' out)" "*100 % 10 %*beyond*"
like "... and the sender's same side" "$(grep 'overlap, send, 8 KiB' out)" "*90 % 90 %*no evidence*"
"$sigdiff" --spread 0 --all r.sig w/../o.sig >out 2>err
is "paths that only one has are named" "$(grep -c 'between nodes: overlap, receive.*measured only in b' out)" 1

# ---- wrong files ----

# wrong NAME WORDS SED: a file of r changed so is refused, in one line that names the file
wrong() {
    rm -rf x && mkdir x
    sed "$3" r/overlap-launch0-node.samples >x/a.samples
    "$sigmake" -o x.sig x >out 2>err
    is "$1: exit status, no signature" "$? $(test -e x.sig; echo $?)" "1 1"
    like "$1: says so" "$(cat err)" "sigmake: x/a.samples: $2"
    is "$1: in one line" "$(wc -l <err)" 1
}
wrong "truncated" "line [0-9]*: cut off*" '$d'
wrong "no columns" "*without 'work_ns'" 's/ work_ns / begin_ns /'
wrong "no path" "header line '# path:' is missing" '/^# path/d'
wrong "no pair" "header line '# pair 0:' is missing" '/^# pair 0/d'
wrong "no operations" "header line '# operations:' is missing" '/^# operations/d'
wrong "a word too few" "header line '# operations:' has no word number 1, from 0" 's/^# operations: .*/# operations: send/'
wrong "an unknown side" "header line '# operations:': 'third' is neither send nor receive" 's/^# operations: send/# operations: third/'
wrong "a side of no number" "operation 2 is none of 2" '0,/^0 1 /s/^0 1 /0 2 /'
wrong "a negative time" "line *: column 4: -1 is out of range" '0,/^0 0 8192 [0-9.]*/s/^0 0 8192 [0-9.]*/0 0 8192 -1/'

# ---- wrong signatures ----
broken() {
    sed "$2" r.sig >b.sig
    "$sigshow" b.sig >out 2>err
    is "$1: refused" "$? $(wc -l <err)" "1 1"
    like "$1: says so" "$(cat err)" "$3"
}
broken "a side that is a number" 's/"send": {/"send": 5, "was": {/' "sigshow: b.sig: *overlap*send*"
broken "times of other sizes than shares" '0,/"size_bytes": 65536/s/"size_bytes": 65536/"size_bytes": 65537/' \
    "sigshow: b.sig: *overlap: send: alone and share have different sizes"
sed 's/.*//' /dev/null
cat >b.json <<'J'
{"format": "mpgkit-signature", "version": [4, 7], "header": {"host": "a"}, "network": [{"path": "node", "overlap": {"receive": {
 "alone": [{"size_bytes": 8, "alone_ns": {"n": 2, "mean": 1000, "quantiles": [900, 1100]}}],
 "share": [{"size_bytes": 8, "share": {"n": 2, "mean": 1, "quantiles": [0.5, 1.5]}}]}}}]}
J
"$sigshow" b.json >out 2>err
like "a share of more than all" "$(cat err)" "sigshow: b.json: *overlap: receive: share\[0\]: a share of 1.5, more than 1"
done_testing
