#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sharing curves (TAP): sigmake's points of results whose rates are written down by hand, its checks, sigshow's table, JSON and
# plot, sigdiff's comparison, and files that are wrong.

. "$(dirname "$0")/results.sh"
sigdiff=${SIGDIFF:-sigdiff}
columns="pairs_at_once directions size_bytes messages messages_in_flight time_ns off_cpu_ns"

# sharing LAUNCH [LINE...]: a file between nodes; samples on standard input
sharing() {
    local launch=$1
    shift
    header sharing "$columns" "launch: $launch" "path: ${path-between nodes}" "pairs: 2" \
        "pair 0: ranks 0 and 2; hosts a and b; cores 0 and 0" "pair 1: ranks 1 and 3; hosts a and b; cores 1 and 1" \
        "late_repetitions: ${late-3}" "$@"
    body
}

# repeated TIMES: each line that often (an odd number), with times around its own, the sixth word, 0.1 % apart
repeated() {
    awk -v n="$1" '{ for (i = 0; i < n; i++) print $1, $2, $3, $4, $5, $6 * (1 + 0.001 * (i * 11 % n - (n - 1) / 2)), $7 }'
}

# 64 messages of 65536 B take 35 ms from one pair, 70 ms from two, which share the port: 64 x 65536 / 0.035 s = 119837257 B/s
# (three digits below: 119.837 MB/s). Both directions take as long, so carry twice as much. 8 B messages are no matter of bytes.
mkdir r
for launch in 0 1 2; do
    { echo "1 1 65536 64 64 35000000 0"; echo "2 1 65536 64 64 70000000 0"; echo "1 2 65536 64 64 35000000 0"
      echo "2 2 65536 64 64 70000000 0"; echo "1 1 8 1024 64 2000000 0"; echo "2 1 8 1024 64 2500000 0"; } |
        repeated 31 | sharing $launch >r/sharing-launch$launch-between-nodes.samples
done
ok "sigmake reads sharing results" "$sigmake" -o r.sig r
points() {
    "$sigshow" --json "$1" | python3 -c '
import json, sys
for p in json.load(sys.stdin)["sharing"]:
    d = p["bandwidth_bytes_per_s"]
    print(p["placement"] + ",", p["direction"], p["size_bytes"], p["pairs_at_once"], d["samples"], "%.6g" % d["p50"])'
}
if has_python; then
    is "its points, ascending" "$(points r.sig)" "between nodes, one 8 1 93 4.096e+06
between nodes, one 8 2 93 6.5536e+06
between nodes, one 65536 1 93 1.19837e+08
between nodes, one 65536 2 93 1.19837e+08
between nodes, both 65536 1 93 2.39675e+08
between nodes, both 65536 2 93 2.39675e+08"
fi
"$sigshow" r.sig >out
sed -n '/^Sharing/,$p' out | sed -n '2,8p' | tr -s ' ' >rows
is "sigshow has a row of each" "$(awk 'NR > 1 { $9 = $10 = "" } { print }' rows | tr -s ' ')" \
    "placement direction size pairs samples MB/s from to messages/s of 1 pair
between nodes one 8 B 1 93 4.1 512000 1.00
between nodes one 8 B 2 93 6.6 819200 1.60
between nodes one 64 KiB 1 93 119.8 1829 1.00
between nodes one 64 KiB 2 93 119.8 1829 1.00
between nodes both 64 KiB 1 93 239.7 3657 1.00
between nodes both 64 KiB 2 93 239.7 3657 1.00"
is "the median is within its interval, of some percent at most" \
    "$(awk 'NR > 1 && !($9 <= $8 && $8 <= $10 && $9 > 0.95 * $8 && $10 < 1.05 * $8)' rows)" ""
if command -v gnuplot >/dev/null; then
    "$sigshow" --plot plots --keep r.sig 2>/dev/null
    is "... and draws a plot for each direction" "$(ls plots | grep '^sharing-between-nodes-.*.[sp][vn]g$' | tr '\n' ' ')" \
        "sharing-between-nodes-both-directions.png sharing-between-nodes-both-directions.svg \
sharing-between-nodes-one-direction.png sharing-between-nodes-one-direction.svg "
    is "a line for each size, at 1 and 2 pairs" "$(grep -cE '^[12] ' plots/sharing-between-nodes-one-direction.dat)" 4
else
    skip "no gnuplot" 2
fi
like "the checks of a curve find nothing wrong" "$("$sigmake" --check r | grep -c 'capacity')" 0

# ---- opposite messages ----

# Alone 65536 B take 0.5 ms: a message that begins at a quarter and waits for an opposite one takes 0.875 ms, 74.8983 MB/s.
mkdir opposite
{ echo "1 1 65536 64 64 35000000 0"; echo "2 1 65536 64 64 70000000 0"; echo "1 3 65536 1 1 875000 0"
  echo "2 3 65536 1 1 500000 0"; } | repeated 31 | sharing 0 >opposite/a.samples
ok "sigmake reads opposite messages" "$sigmake" -o opposite.sig opposite
"$sigshow" opposite.sig >out
sed -n '/^Opposite/,$p' out | sed -n '3,4p' >rows
is "sigshow has a row of each" "$(awk '{ print $1, $2, $3, $4, $5, $6, $7, $8 }' rows)" "between nodes one pair 64 KiB 31 74.9
between nodes two pairs 64 KiB 31 131.1"
like "... and two of the curve alone" "$("$sigshow" --all opposite.sig | grep -c '^between nodes  one  ')" 2
like "sigdiff compares them" "$("$sigdiff" --all opposite.sig opposite.sig)" \
    "*between nodes: message after an opposite one of the same pair, 64 KiB*"
echo "1 5 65536 1 1 875000 0" | sharing 1 >opposite/b.samples
like "there is no fifth kind" "$("$sigmake" opposite 2>&1)" "*: 5 directions"
rm opposite/b.samples

# ---- leads ----

# The lead of one message in three is 0, of the others 0.1 and 0.3 ms.
mkdir leads
{ echo "1 1 65536 64 64 35000000 0"; echo "2 1 65536 64 64 70000000 0"; echo "2 4 65536 1 1 0 0"; echo "2 4 65536 1 1 100000 0"
  echo "2 4 65536 1 1 300000 0"; } | repeated 31 | sharing 0 >leads/a.samples
ok "sigmake reads leads" "$sigmake" -o leads.sig leads
like "sigshow has a row of each size" "$("$sigshow" leads.sig | sed -n '/^Leads/,$p' | sed -n 3p)" \
    "between nodes   64 KiB      93       0 ns *100 us *304.5 us"
is "... and JSON their times" "$("$sigshow" --json leads.sig | grep -c '"placement": "between nodes", "size_bytes": 65536, "pairs": 2, "lead_ns"')" 1
like "sigdiff shows them" "$("$sigdiff" --all leads.sig leads.sig)" "*between nodes: lead of the first of 2 messages at once, 64 KiB*"
ok "a lead alone makes no curve" test "$("$sigshow" --all leads.sig | grep -c '^between nodes  one  ')" = 2

# ---- off the CPU, orders, classes ----

mkdir off
{ for _ in $(seq 8); do echo "2 1 4096 64 64 1000000 0"; done; for _ in $(seq 4); do echo "2 1 4096 64 64 5000000 4000000"; done
  for _ in $(seq 8); do echo "2 2 4096 64 64 1000000 500000"; done; } | sharing 0 >off/a.samples
path=node sharing 0 <<'EOS' >off/b.samples
3 1 1024 10 10 1000 0
1 1 1024 10 10 1000 0
EOS
ok "samples off the CPU" "$sigmake" -o off.sig off
if has_python; then
    is "are left out, unless few would be left; classes ascend, then directions and pairs" "$(points off.sig)" \
        "node, one 1024 1 1 1.024e+10
node, one 1024 3 1 3.072e+10
between nodes, one 4096 2 8 5.24288e+08
between nodes, both 4096 2 8 1.04858e+09"
fi
ok "a file of version 2 may lack what sigmake does not need" grep -q . off.sig

# ---- checks ----

# warns NAME PATTERN: the check of folder w says so once
warns() {
    "$sigmake" --check w >out 2>err
    like "$1" "$(grep "^warning: sharing" out)" "$2"
}
# launch N TIME TIME2: a launch of folder w with these times of one and two pairs
launch() {
    printf '1 1 65536 64 64 %s 0\n2 1 65536 64 64 %s 0\n' "$2" "$3" | repeated 31 | sharing "$1" >w/sharing-launch$1.samples
}
mkdir w
launch 0 35000000 35000000
launch 1 35000000 70000000
launch 2 35000000 50000000
warns "launches that disagree" "warning: sharing, between nodes, one direction, 64 KiB, 2 pairs: the median is known to +-[0-9]* %, by 93 samples; can change messages by *"
for n in 0 1 2; do launch $n 35000000 100000000; done
warns "a sum that falls as pairs join" "warning: sharing, between nodes, one direction, 64 KiB, 2 pairs: 83.89 MB/s together, 119.8 MB/s with 1; can change messages by 30 %: *"
for n in 0 1 2; do launch $n 35000000 73000000; done
warns "not by 4 %" ""
late=100
launch 1 35000000 70000000
warns "late ranks" "warning: sharing-launch1.samples: ranks were late for 100 starts, 62 were good; *"
late=3
rm w/sharing-launch[12].samples
"$sigmake" --check w >out 2>err
like "a single launch" "$(grep 'launch' out)" "*sharing, between nodes: 1 launch*"

# ---- sigdiff ----

mkdir slow
for launch in 0 1 2; do
    sed 's/ 70000[0-9]*\.*[0-9]* 0$/ 140000000 0/; s/ \(69\|70\)[0-9]* 0$/ 140000000 0/' \
        r/sharing-launch$launch-between-nodes.samples >slow/sharing-launch$launch-between-nodes.samples
done
"$sigmake" -o slow.sig slow
"$sigdiff" --spread 0 r.sig slow.sig >out
like "sigdiff finds half the capacity of two pairs" "$(tr -s ' ' <out)" "*between nodes: 2 pairs at once, one direction, 64 KiB, median*"
is "... and no change of one pair" "$(grep -c '1 pair at once' out)" 0
"$sigdiff" r.sig r.sig --all >out
is "each point is compared" "$(grep -c 'pairs* at once.*median' out)" 6

# ---- wrong files ----

# wrong NAME WORDS SED: a file of r changed so is refused, in one line that names it
wrong() {
    rm -rf x && mkdir x
    sed "$3" r/sharing-launch0-between-nodes.samples >x/a.samples
    "$sigmake" -o x.sig x >out 2>err
    is "$1: exit status, no signature" "$? $(test -e x.sig; echo $?)" "1 1"
    like "$1: says so" "$(cat err)" "sigmake: x/a.samples: $2"
    is "$1: in one line" "$(wc -l <err)" 1
}
wrong "truncated" "line [0-9]*: cut off*" '$d'
wrong "a sample too few" "line [0-9]*: '# end 186' after 185 samples" '30d'
wrong "no columns" "*without 'pairs_at_once'" 's/^# columns: pairs_at_once/# columns: pairs/'
wrong "no number of messages" "*without 'messages'" 's/^\(# columns: .*\) messages /\1 letters /'
wrong "no launch" "header line '# launch:' is missing" '/^# launch/d'
wrong "no path" "header line '# path:' is missing" '/^# path/d'
wrong "another path" "'near' is not a path class" 's/^# path: .*/# path: near/'
wrong "no pairs" "sample 0: 0 pairs at once" '0,/^1 1 /s/^1 1 /0 1 /'
wrong "five directions" "sample 0: 5 directions" '0,/^1 1 /s/^1 1 /1 5 /'
wrong "no bytes" "sample 0: 0 bytes in *" '0,/^1 1 65536 /s/^1 1 65536 /1 1 0 /'
wrong "no messages" "sample 0: 0 bytes in *" '0,/^1 1 65536 64 /s/^1 1 65536 64 /1 1 65536 0 /'
wrong "no time" "sample 0: * bytes in 0 ns" '0,/^1 1 65536 64 64 [0-9]*/s/^1 1 65536 64 64 [0-9]*/1 1 65536 64 64 0/'
wrong "half a pair" "line *: column 1: 1.5 is not a whole number" '0,/^1 1 /s/^1 1 /1.5 1 /'
wrong "a negative time" "line *: column 6: -1 is out of range" '0,/^1 1 65536 64 64 [0-9]*/s/^1 1 65536 64 64 [0-9]*/1 1 65536 64 64 -1/'
wrong "not a number" "line *: column 6: 'nan' is not a number" '0,/^1 1 65536 64 64 [0-9]*/s/^1 1 65536 64 64 [0-9]*/1 1 65536 64 64 nan/'
rm -rf x && mkdir x
cp r/sharing-launch0-between-nodes.samples x/a.samples
sed 's/date: .*/date: later/' x/a.samples >x/b.samples
"$sigmake" -o x.sig x >out 2>err
like "a launch twice" "$(cat err)" "sigmake: x/b.samples: sharing launch 0 (between nodes) is in x/a.samples already*"
done_testing
