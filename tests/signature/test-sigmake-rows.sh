#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What sigmake keeps of launches and of successive samples (TAP): launches that differ by a
# known time, latencies that drift; sums of what is drawn in rows are as wide as the measured
# ones, those of independent draws are not. Rows are read by mpgsig(5), not by our code.
set -u
. "$(dirname "$0")/results.sh"
has_python || skip_all "no python3"

cat >rows.py <<'P'
import bisect, json, math, random, sys

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
SUM = 1000


def probabilities(text):
    classes = [LETTERS.index(letter) for letter in text]
    total, ranks, base = len(text), [0] * len(text), 0
    for c in range(64):
        members = [i for i, other in enumerate(classes) if other == c]
        n = len(members)
        s = (618 * n + 999) // 1000
        while n and math.gcd(s, n) > 1:
            s += 1
        for j, i in enumerate(members):
            ranks[i] = base + (j * s + s // 2) % n
        base += n
    assert sorted(ranks) == list(range(total))
    return [(r + 0.5) / total for r in ranks]


def quantile(d, u):
    v = d["quantiles"]
    p = d.get("probabilities", [i / (len(v) - 1) for i in range(len(v))])
    i = min(bisect.bisect_right(p, u), len(p) - 1) - 1
    return v[i] + (u - p[i]) / (p[i + 1] - p[i]) * (v[i + 1] - v[i])


def width(sums):
    sums = sorted(sums)
    return sums[int(0.95 * len(sums))] - sums[int(0.05 * len(sums))]


def measured(series):
    total, sums = [0], []
    for x in series:
        total.append(total[-1] + x)
    return [total[i + SUM] - total[i] for i in range(0, len(series) - SUM, SUM // 20)]


def drawn(d, rows):
    u, length = probabilities(rows["classes"]), rows["length"]
    half, sums = 0.5 / len(u), []
    for _ in range(200):
        k, total = length, 0
        for _ in range(SUM):
            if k == length:
                k, row, begin = 0, random.randrange(len(u) // length), random.randrange(length)
            at = row * length + (begin + k) % length
            total += quantile(d, u[at] + random.uniform(-half, half))
            k += 1
        sums.append(total)
    return sums


def independent(d):
    return [sum(quantile(d, random.random()) for _ in range(SUM)) for _ in range(100)]
P

# series SEED SHIFT: prints 20000 round trips of 64 bytes: a drift with a correlation length of 2000 round trips, a
# body, and 1 % of interrupts with Pareto distribution.
series() {
    python3 - "$1" "$2" <<'P'
import math, random, sys
random.seed(int(sys.argv[1]))
shift, level, r = float(sys.argv[2]), 0.0, math.exp(-1 / 2000)
for _ in range(20000):
    level = r * level + math.sqrt(1 - r * r) * random.gauss(0, 1)
    there = shift + 500 * math.exp(0.05 * level) + random.gammavariate(2, 8)
    back = shift + 500 * math.exp(0.05 * level) + random.gammavariate(2, 8)
    if random.random() < 0.01:
        back += 300 * random.paretovariate(2.5)
    if random.random() < 0.01:
        there += 300 * random.paretovariate(2.5)
    print(f"64 {there + back:.1f} {there:.1f} {back:.1f}")
P
}

mkdir r
for launch in 0 1 2; do
    {
        header pingpong "size_bytes rtt_ns forward_ns backward_ns" "launch: $launch" "path: node" \
            "clocks: shared" "one_way_error_ns: 0"
        series "$launch" $((launch * 50)) | body
    } >"r/pingpong-launch$launch-node.samples"
done
"${sigmake:?}" r >a.sig 2>err
is "exit status" "$?" 0

is "each launch has its distribution: $(
    python3 - <<'P'
import json
size = json.load(open("a.sig"))["network"][0]["latency"][0]
means = [d["mean"] for d in size["launches"]]
print(*(f"{m:.1f}" for m in means))
P
)" "$(python3 - <<'P'
import json, statistics
from rows import quantile
size = json.load(open("a.sig"))["network"][0]["latency"][0]
good = len(size["launches"]) == 3
for launch, d in enumerate(size["launches"]):
    lines = [line.split() for line in open(f"r/pingpong-launch{launch}-node.samples")
             if line[0].isdigit()]
    both = [float(line[i]) for line in lines for i in (2, 3)]
    drawn = statistics.mean(quantile(d, (i + 0.5) / 100000) for i in range(100000))
    good = good and d["n"] == 40000 and abs(d["mean"] / statistics.mean(both) - 1) < 1e-6
    good = good and abs(drawn / statistics.mean(both) - 1) < 0.01
print(good)
P
)" True

widths=$(python3 - <<'P'
import json
from rows import *
random.seed(7)
size = json.load(open("a.sig"))["network"][0]["latency"][0]
there, rows, alone = [], [], []
for launch in range(3): # without the additional time of this launch
    there.append([float(line.split()[2]) - 50 * (launch - 1)
                  for line in open(f"r/pingpong-launch{launch}-node.samples") if line[0].isdigit()])
    d, more = size["launches"][launch], 50 * (launch - 1) * SUM
    rows += [x - more for x in drawn(d, size["rows"])]
    alone += [x - more for x in independent(d)]
true = width([x for series in there for x in measured(series)])
print(f"{width(rows) / true:.2f} {width(alone) / true:.2f}")
P
)
is "sums of 1000 in rows are as wide as the measured, within 20 %: ${widths% *}" \
    "$(awk -v x="${widths% *}" 'BEGIN { print (x > 0.8 && x < 1.2) }')" 1
is "those of independent draws are not: ${widths#* }" \
    "$(awk -v x="${widths#* }" 'BEGIN { print (x < 0.6) }')" 1

is "every probability is there once: 8 stretches of 1024" "$(python3 - <<'P'
import json
from rows import probabilities
rows = json.load(open("a.sig"))["network"][0]["latency"][0]["rows"]
u = probabilities(rows["classes"])
print(rows["length"], len(u), sorted(u) == [(k + 0.5) / len(u) for k in range(len(u))])
P
)" "1024 8192 True"

rm r/pingpong-launch[12]*
"${sigmake:?}" r >a.sig 2>err
is "one launch alone is not told apart" "$(grep -c '"launches": \[$' a.sig)" 1

done_testing
