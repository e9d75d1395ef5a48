#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --hypothesis and --hypothesis about computation, and the limit by which sends wait (TAP): by hand, at awkward
# values, in both modes; shares of each; with other options; what is refused.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/hypotheses.sh"

regions >r.txt
# Three ranks visit a region twice: they work for 100, 0 (at its begin) and 700 ns, then for 311, 211 and 111 ns; rank
# 1's second visit contains a call of 50 ns.
cat >v.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
#comm 1 of 0 = 0 2
0 0 1000 Init
0 1100 1100 Region_begin name="a b"
0 1200 1200 Region_end name="a b"
0 2000 2000 Region_begin name="a b"
0 2311 2311 Region_end name="a b"
0 2900 2910 Iprobe comm=1 from=1 tag=7 found=0
0 3000 3010 Finalize
1 0 1000 Init
1 1500 1500 Region_begin name="a b"
1 1500 1500 Region_end name="a b"
1 2000 2000 Region_begin name="a b"
1 2111 2161 Iprobe comm=0 from=2 tag=7 found=0
1 2261 2261 Region_end name="a b"
1 3100 3110 Finalize
2 0 1000 Init
2 1000 1000 Region_begin name="a b"
2 1700 1700 Region_end name="a b"
2 2000 2000 Region_begin name="a b"
2 2111 2111 Region_end name="a b"
2 3200 3210 Finalize
T
# --- the eager limit ---

# Without a known eager limit: the trace has eight sends of 64 bytes that waited. Each has 400 ns of work before its
# receive, which a factor of 0.385 makes 246 less, 1968 in all, for the sender too.
late=()
for k in 2 4 6 8 10 12 14 16; do
    late+=("0 ${k}000 ${k}600 Send to=1 bytes=64" "1 ${k}100 ${k}100 Region_begin name=\"solve\""
           "1 ${k}500 ${k}500 Region_end name=\"solve\"" "1 ${k}500 ${k}600 Recv from=0 bytes=64")
done
less=(--hypothesis="scale solve factor=0.385")
limits() {
    "$mpgsim" "$@" | awk '$1 == "eager" { sub(/^ *eager limit */, ""); print }'
}
for sizes in 64 65; do
    calls 2 "#clocks shared" <<<"$(printf '%s\n' "${late[@]//bytes=64/bytes=$sizes}")" >late.txt
    is "sends of $sizes bytes wait as the trace shows" "$(clocked "${less[@]}" late.txt)" "-1968 -1968"
    is "... that limit is said" "$(limits "${less[@]}" late.txt)" \
        "$((sizes - 1)) bytes (shown by the trace; no option or signature gives a limit): larger standard sends wait for their receiver"
done
is "a limit that is said holds" "$(clocked --without=weak-progress --eager-limit=65 "${less[@]}" late.txt | cut -d' ' -f1)" 0
is "... not without hypotheses" "$(limits --noise=const:1us late.txt)" "unlimited: standard sends never wait for their receiver"
is "... nor where times are not compared" "$(limits --absorb=wait "${less[@]}" late.txt)" \
    "unlimited: standard sends never wait for their receiver"
calls 2 "#clocks shared" <<<"$(printf '%s\n' "${late[@]:0:28}")" >late.txt
is "seven that waited are not enough" "$(limits "${less[@]}" late.txt)" "unlimited: standard sends never wait for their receiver"
# --- scale ---

is "scale: what is in it, not what is in a region within" \
    "$(delays --hypothesis='scale solve factor=2' r.txt)" "497 3980"
is "... of some ranks" "$(delays --hypothesis='scale solve ranks=1 factor=0.385' r.txt)" "0 -2447.7"
is "... to nothing" "$(delays --hypothesis='scale solve factor=0' r.txt)" "-497 -3980"
is "... of two regions" \
    "$(delays --hypothesis='scale solve factor=2' --hypothesis='scale inner factor=1.5' r.txt)" "797 3980"
is "... on disjoint ranks" \
    "$(delays --hypothesis='scale solve ranks=0 factor=3' --hypothesis='scale solve ranks=1 factor=2' r.txt)" \
    "994 3980"
is "... times ratios of regions: 2 (1.5 - 1 of what was 2)" \
    "$(delays --compute-ratio=2@solve --hypothesis='scale solve factor=1.5' r.txt)" "1594 7960"
is "... predicted" "$(runs --hypothesis='scale solve factor=1.5' r.txt)" "4248.5 6110"
is "... predicted, with a ratio of all" "$(runs --compute-ratio=2 --hypothesis='scale inner factor=1.5' r.txt)" \
    "8600 8240"
is "... with noise: that of an interval is drawn as it was" \
    "$(delays --noise=const:11ns --hypothesis='scale solve factor=2' r.txt)" "519 4002"
is "... an interval takes no less than nothing" \
    "$(delays --noise=const:-3us --hypothesis='scale inner factor=0' r.txt)" "-3990 -4100"

# --- balance ---

is "balance: each visit becomes the mean, in all parts" "$(delays --hypothesis='balance solve' r.txt)" \
    "1741.5 -1741.5"
# means (100 + 0 + 700) / 3 = 266.667 and (311 + 211 + 111) / 3 = 211
is "balance: visit by visit, to who did nothing, too" "$(delays --hypothesis='balance "a b"' v.txt)" \
    "66.667 266.667 -333.333"
is "... the same in a file, with comments" "$(printf '%s\n' '# even' '' ' balance  "a b" by=instance # so' >f
    delays --hypothesis=f v.txt)" "66.667 266.667 -333.333"
is "... from standard input" "$(echo 'balance "a b"' | delays --hypothesis=- v.txt)" "66.667 266.667 -333.333"
is "... of a communicator's members" "$(delays --hypothesis='balance "a b" comm=1' v.txt)" "200 0 -200"
# W 411, 211, 811: 477.667
is "... by total" "$(delays --hypothesis='balance "a b" by=total' v.txt)" "66.667 266.667 -333.333"
is "... and scaled" "$(delays --hypothesis='balance "a b"' --hypothesis='scale "a b" factor=0.5' v.txt)" \
    "-172.167 27.833 -572.167"
is "... by ranks that are all" "$(delays --hypothesis='balance "a b"' --hypothesis='scale "a b" ranks=0-2 factor=0.5' v.txt)" \
    "-172.167 27.833 -572.167"
is "... by two that are" "$(delays --hypothesis='scale "a b" ranks=1 factor=0.5' --hypothesis='balance "a b"' \
    --hypothesis='scale "a b" ranks=0,2 factor=0.5' v.txt)" "-172.167 27.833 -572.167"
is "... of members alone" "$(delays --hypothesis='balance "a b" comm=1' --hypothesis='scale "a b" ranks=0,2 factor=0.5' v.txt)" \
    "-105.5 0 -505.5"
is "... of who is no member" "$(delays --hypothesis='balance "a b" comm=1' --hypothesis='scale "a b" ranks=1 factor=0.5' v.txt)" \
    "200 -105.5 -200"
is "... predicted" "$(runs --hypothesis='balance "a b"' v.txt)" "2066.667 2366.667 1866.667"
is "... predicted, on a machine half as fast" \
    "$(runs --compute-ratio=2 --hypothesis='balance "a b"' v.txt)" "4133.333 4733.333 3733.333"

# --- insert ---

# Two visits; work 411, 211, 811.
is "insert: another computation at the begin of each visit" "$(delays --hypothesis='insert "a b" time=38.5ns' v.txt)" "77 77 77"
is "... of some ranks" "$(delays --hypothesis='insert "a b" ranks=0,2 time=1us' v.txt)" "2000 0 2000"
is "... each of several" "$(delays --hypothesis='insert "a b" time=10ns' --hypothesis='insert "a b" ranks=1 time=3ns' v.txt)" \
    "20 26 20"
is "... and scaled" "$(delays --hypothesis='insert "a b" time=10ns' --hypothesis='scale "a b" factor=2' v.txt)" "451 251 851"
is "... what is balanced is what was traced" \
    "$(delays --hypothesis='insert "a b" ranks=1 time=10ns' --hypothesis='balance "a b"' v.txt)" "66.667 286.667 -333.333"
is "... where there is no computation" "$(delays --hypothesis='insert "a b" ranks=1 time=10ns' --hypothesis='scale "a b" factor=0' v.txt)" \
    "-411 -211 -811"
# All three ranks visit the region twice, so runs are 100 ns longer; on a machine half as fast 200 ns.
is "... predicted" "$(runs --hypothesis='insert "a b" time=50ns' v.txt)" "$(runs v.txt | awk '{ print $1 + 100, $2 + 100, $3 + 100 }')"
is "... predicted, on a machine half as fast" "$(runs --compute-ratio=2 --hypothesis='insert "a b" time=50ns' v.txt)" \
    "$(runs --compute-ratio=2 v.txt | awk '{ print $1 + 200, $2 + 200, $3 + 200 }')"
is "... with noise: that of an interval is drawn as it was" \
    "$(delays --noise=const:11ns --hypothesis='insert "a b" time=50ns' v.txt)" \
    "$(delays --noise=const:11ns v.txt | awk '{ print $1 + 100, $2 + 100, $3 + 100 }')"
# A region without computation, of a sender whose receiver waits for it: the message takes its 400 as before.
calls 2 "#clocks shared" >insert.txt <<'T'
0 1990 1990 Region_begin name="empty"
0 1990 1990 Region_end name="empty"
0 2000 2010 Send to=1 bytes=64
1 1500 2400 Recv from=0 bytes=64
T
is "... in a region without computation, and who waits for it" "$(clocked --hypothesis='insert empty time=1us' insert.txt)" \
    "1000 1000"

# The tracer's overhead in a part of an interval is no work: 7 ns an event, half before it and half after it. Of rank
# 1's 3000 ns this is 14, although only one of its two parts is so long.
sed 's/^#comm 0 .*/&\n#fact 0 overhead_call_ns 7\n#fact 1 overhead_call_ns 7/' r.txt >o.txt
is "the tracer's part is not scaled" "$(delays --hypothesis='scale solve factor=2' o.txt)" \
    "$((393 + 90)) $((2986 + 973))"
# Where CPU time is recorded, it is balanced: 300 + 60 of 497, 3980 of 3980
awk '/^#ranks/ { print; print "#values cpu_ns"; next } /^#/ { print; next }
    { cpu = $2 - last[$1]; last[$1] = $3 }
    /Region_begin name="inner"/ { cpu = 300 }
    /0 3100 3100/ { cpu = 60 }
    { print $0, "values=" cpu }' r.txt >c.txt
is "CPU time is balanced: 360 and 3980 become 2170" "$(delays --hypothesis='balance solve' c.txt)" "1810 -1810"
is "... predicted: what is not CPU time is no work" "$(runs --hypothesis='scale solve factor=1.5' c.txt)" \
    "$(runs c.txt | awk '{ print $1 + 180, $2 + 1990 }')"

# Threads with the same number visit the region together.
cat >t.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
0.1 1100 1110 Iprobe comm=0 from=1 tag=7 found=0
0.1 1200 1200 Region_begin name="t"
0.1 1700 1700 Region_end name="t"
0.1 9000 9010 Iprobe comm=0 from=1 tag=7 found=0
0 9500 9510 Finalize
1 0 1000 Init
1.1 1100 1110 Iprobe comm=0 from=1 tag=7 found=0
1.1 1200 1200 Region_begin name="t"
1.1 1300 1300 Region_end name="t"
1.1 9000 9010 Iprobe comm=0 from=1 tag=7 found=0
1 9010 9020 Finalize
T
is "threads: what one gains waits for the others at the end" "$(delays --polling=work --hypothesis='balance t' t.txt)" "0 200"
is "... by total: of all threads" "$(delays --polling=work --hypothesis='balance t by=total' t.txt)" "0 200"
sed -i 's/^1.1/1/' t.txt
ok "... of other numbers have no partners" refuses 1 \
    "*rank 0 enters the region 1 time, rank 1 0 times (its thread 1)*" --hypothesis='balance t' t.txt

# --- shares ---

# foo: 120, 20; they wait for each other at a barrier, after which the calls' leaves are 1 ns before bar: 30, 90.
cat >s.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 100 100 Region_begin name="foo"
0 220 220 Region_end name="foo"
0 220 260 Barrier comm=0
0 261 261 Region_begin name="bar"
0 291 291 Region_end name="bar"
0 291 300 Finalize
1 0 100 Init
1 100 100 Region_begin name="foo"
1 120 120 Region_end name="foo"
1 120 260 Barrier comm=0
1 261 261 Region_begin name="bar"
1 351 351 Region_end name="bar"
1 351 360 Finalize
T
shares() {
    "$mpgsim" --json --predict --latency=const:0ns "$@" s.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)["hypotheses"]
print(answer["without_any_ns"]["median"], answer["together"]["change_ns"]["median"], *(
    one[key]["change_ns"]["median"] for one in answer["each"] for key in ("alone", "on_top")))'
}
is "what each does alone, and on top of the other" \
    "$(shares --hypothesis='scale foo factor=0.5' --hypothesis='scale bar factor=0.5')" \
    "211.0 -105.0 -60.0 -60.0 -45.0 -45.0"
is "... where one hides behind the other" \
    "$(shares --hypothesis='scale foo ranks=0 factor=0' --hypothesis='scale foo ranks=1 factor=5')" \
    "211.0 -20.0 -100.0 -20.0 0.0 80.0"
is "... of one" "$(shares --hypothesis='balance foo')" "211.0 -50.0 -50.0 -50.0"
"$mpgsim" --predict --latency=const:0ns --hypothesis='scale bar factor=0.5' --hypothesis='scale foo factor=0.5' s.txt >text
is "... what shortens the run most comes first" "$(sed -n '/^Hypotheses/,/^$/p' text | tr -s ' ' | tr '\n' '|')" \
    "Hypotheses: change of the run time, median over replicas| without hypotheses 211 ns| all hypotheses|\
 together -105 ns -49.76 %| scale foo factor=0.5| alone -60 ns -28.44 %| added to all others -60 ns -28.44 %|\
 scale bar factor=0.5| alone -45 ns -21.33 %| added to all others -45 ns -21.33 %||"
# Without one of the scales the balanced times of ranks 0 and 1 would differ, which is an error. So the share of this
# scale cannot be given.
parts=(--hypothesis='scale foo ranks=0 factor=0.5' --hypothesis='scale foo ranks=1 factor=0.5' --hypothesis='balance foo')
refuses_less() { refuses 1 "mpgsim: 'balance foo': contradicts *" --predict --latency=const:0ns "${parts[0]}" "${parts[2]}" s.txt; }
ok "a scale that a balance needs: without it there is an error" refuses_less
is "... and so nothing that it is worth on top of the others" \
    "$("$mpgsim" --json --predict --latency=const:0ns "${parts[@]}" s.txt | "$python" -c '
import json, sys
for one in json.load(sys.stdin)["hypotheses"]["each"]:
    print(one["on_top"] and one["on_top"]["change_ns"]["median"], one["needed_by"], sep=":", end="|")')" \
    "None:balance foo|None:balance foo|-25.0:None|"
is "... in words" \
    "$("$mpgsim" --predict --latency=const:0ns "${parts[@]}" s.txt | grep -c '^    added to all others   *not known: without it, the ranks of '\
'balance foo would be scaled differently$')" 2
is "... one that it does not need has its share" "$(shares "${parts[@]:2}" --hypothesis='scale foo factor=0.5' | cut -d ' ' -f 6)" "-35.0"

# without HYPOTHESIS OPTION...: checks that the run "without any hypothesis" in the JSON equals a run without the
# hypothesis, with its interval.
without() {
    "$mpgsim" --json "${@:2}" 2>/dev/null | "$python" -c '
import json, sys; print(json.load(sys.stdin)["run_time_ns"])' >plain
    "$mpgsim" --json --hypothesis="$1" "${@:2}" 2>/dev/null | "$python" -c '
import json, sys
print(json.load(sys.stdin)["hypotheses"]["without_any_ns"])' >none
    ok "without any: the run of nothing supposed, and its interval: $*" cmp plain none
}
ring
without 'balance "a b"' --perturb --signature="$reference" --replicas=9 v.txt
without 'balance "a b"' --signature="$reference" --replicas=9 --predict v.txt
without 'resize factor=2' --noise=exp:1us --replicas=9 "${there[@]}" ring.txt
without 'drop tag=5' --perturb --signature="$reference" --replicas=9 ring.txt
# said WHAT: prints what the file `text` says about WHAT besides the median and its share.
said() {
    sed -n "/^Hypotheses/,/^\$/ s/^ *$1 .*  (/(/p" text
}
"$mpgsim" --latency=const:0ns --predict --noise=exp:1us --replicas=64 --hypothesis='scale foo factor=1' \
    --hypothesis='scale bar ranks=0 factor=0' s.txt >text
like "... with the median's confidence interval" "$(said 'without hypotheses')" "(95 % confidence: * to *)"
is "... a factor of 1: surely nothing" "$(said alone | grep -c '(95 % confidence: 0 ns to 0 ns; 5 % to 95 %: 0 ns to 0 ns)')" 1
# P(Bin(64, 1/2) <= 23) = 0.0164, <= 24: 0.0300
"$mpgsim" --json --predict --latency=const:0ns --noise=exp:1us --replicas=64 \
    --hypothesis='scale bar ranks=0 factor=90' s.txt >one
is "... no narrower than that of order statistics of the changes, replica by replica" "$("$mpgsim" --json --predict --latency=const:0ns \
    --noise=exp:1us --replicas=64 s.txt | "$python" -c '
import json, sys
one, without = json.load(open("one")), json.load(sys.stdin)
changes = sorted(a["run_time_ns"] - b["run_time_ns"] for a, b in zip(one["replicas"], without["replicas"]))
low, high = one["hypotheses"]["each"][0]["alone"]["change_ns"]["median_confidence_95"]
print(sum(change < low - 1e-6 for change in changes) <= 23, sum(change > high + 1e-6 for change in changes) <= 23,
      changes[0] < low < changes[32])')" "True True True"

# --- hypotheses with other options ---

"$mpgsim" --cache=fresh --json --perturb --signature="$reference" r.txt >plain 2>/dev/null
"$mpgsim" --json --hypothesis='scale solve factor=1' --perturb --signature="$reference" r.txt >one 2>/dev/null
times_of() {
    "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["run_time_ns"])' "$1"
}
is "a factor of 1 changes nothing, with a machine's noise" "$(times_of one)" "$(times_of plain)"
is "a sweep: each point with what is supposed" \
    "$("$mpgsim" --absorb=none --json --hypothesis='scale solve factor=2' --sweep=noise=0ns,11ns,20ns r.txt | "$python" -c '
import json, sys
print(*(round(row["run_time_ns"]["median"]) for row in json.load(sys.stdin)["rows"]))')" \
    "8100 8122 8140"
is "threads change nothing" \
    "$("$mpgsim" --threads=3 --noise=exp:1us --hypothesis='balance "a b"' --json v.txt 2>/dev/null | md5sum)" \
    "$("$mpgsim" --threads=1 --noise=exp:1us --hypothesis='balance "a b"' --json v.txt 2>/dev/null | md5sum)"
"$mpgsim" --absorb=none --hypothesis='balance solve' --output-trace=written r.txt >/dev/null
is "the trace with it: its run is the supposed one" \
    "$("$mpgsim" --json written | "$python" -c '
import json, sys
print(*(rank["traced_ns"] for rank in json.load(sys.stdin)["ranks"]))')" "5742 2378"
# Marks in an interval move with its parts: of 3000 the region's 1000 takes four times as long.
cat >m.txt <<'T'
#mpgtext 1
#ranks 1
#clocks shared
#comm 0 = 0
0 0 0 Init
0 400 450 Comm_rank
0 1000 1000 Region_begin name="R"
0 1250 1300 Comm_rank
0 2000 2000 Region_end name="R"
0 3000 3010 Iprobe comm=0 from=0 tag=7 found=0
0 3100 3110 Finalize
T
# marks OPTION... TRACE: prints the events of the written trace, except Init: rank, enter, name.
marks() {
    rm -rf marks.trace
    "$mpgsim" --output-trace=marks.trace "$@" >/dev/null
    "$mpgtrace" print marks.trace | awk '/^[0-9]/ && !/Init/ { printf "%s%s %s %s", comma, $1, $2, $4; comma = ", " }'
}
is "marks in it are where what is computed before them ends" "$(marks --hypothesis='scale R factor=4' m.txt)" \
    "0 400 Comm_rank, 0 1000 Region_begin, 0 2000 Comm_rank, 0 5000 Region_end, 0 6000 Iprobe, 0 6100 Finalize"
is "... of nothing" "$(marks --hypothesis='scale R factor=0' m.txt)" \
    "0 400 Comm_rank, 0 1000 Region_begin, 0 1000 Comm_rank, 0 1000 Region_end, 0 2000 Iprobe, 0 2100 Finalize"
is "... noise is in proportion: 600 of 6000" "$(marks --noise=const:600ns --hypothesis='scale R factor=4' m.txt)" \
    "0 440 Comm_rank, 0 1100 Region_begin, 0 2200 Comm_rank, 0 5500 Region_end, 0 6600 Iprobe, 0 7300 Finalize"
is "... predicted, on a machine half as fast" \
    "$(marks --predict --latency=const:0ns --polling=work --compute-ratio=2 --hypothesis='scale R factor=4' m.txt | sed 's/Iprobe.*/.../')" \
    "0 800 Comm_rank, 0 2000 Region_begin, 0 4000 Comm_rank, 0 10000 Region_end, 0 12000 ..."
is "... balanced visits last as long as each other: 266.667 and 211" "$(marks --hypothesis='balance "a b"' v.txt | tr ',' '\n' |
    awk '/begin/ { at[$1] = $2 } /end/ { printf "%s%s", comma, $2 - at[$1]; comma = " " }')" "267 211 267 261 267 211"
"$mpgsim" --absorb=none --hypothesis='scale R factor=4' --output-trace=times4 m.txt >/dev/null
is "... so that the contrary, of what is read again, is what was traced" \
    "$(delays --hypothesis='scale R factor=0.25' times4)" "-3000"
# The same trace with CPU time: 250 of the 1000 ns in R, and 300 ns outside. Predictions take it as the computation.
awk '/^#ranks/ { print; print "#values cpu_ns"; next } /^#/ { print; next }
    { cpu = 0 } /Region_begin/ { cpu = 200 } /1250/ { cpu = 50 } /Region_end/ { cpu = 200 } /Iprobe/ { cpu = 100 }
    { print $0, "values=" cpu }' m.txt >mc.txt
is "... by CPU time, where that is what is computed" \
    "$(marks --predict --latency=const:0ns --polling=work --hypothesis='scale R factor=4' mc.txt | sed 's/Iprobe.*/.../')" \
    "0 80 Comm_rank, 0 200 Region_begin, 0 450 Comm_rank, 0 1200 Region_end, 0 1300 ..."
is "... which the marks have their part of" "$("$mpgtrace" print marks.trace | awk '/values=/ { print $NF }' | tr '\n' ' ')" \
    "values=0 values=80 values=120 values=250 values=750 values=100 values=0 "
cp r.txt twice.txt
"$mpgsim" twice.txt >first && "$mpgsim" --hypothesis='balance solve' twice.txt >/dev/null &&
    "$mpgsim" twice.txt >second
ok "what is kept beside a trace is not changed by it" cmp first second

name=$(printf 'caf\351')
echo 'balance solve' >"$name"
is "a file whose name is not UTF-8" "$("$mpgsim" --json --absorb=none --hypothesis="$name" r.txt | "$python" -c '
import json, sys
print(*(one["where"] for one in json.load(sys.stdin)["hypotheses"]["each"]))')" 'caf\xe9:1'

# Messages that have already arrived: each rank posts, works and completes, and nobody waits. Of 2 * 3 ms half
# disappears, although by the trace every message was under way for all that time.
for ((k = 0; k < 2; k++)); do
    for r in 0 1; do
        printf '%d %d00200 %d00210 Irecv from=%d bytes=8 request=%d\n%d %d00220 %d00230 Isend to=%d bytes=8 request=%d\n' \
            $r $((4 * k + 1)) $((4 * k + 1)) $((1 - r)) $((2 * k + 1)) $r $((4 * k + 1)) $((4 * k + 1)) $((1 - r)) $((2 * k + 2))
        printf '%d %d00300 %d00300 Region_begin name="core"\n%d %d00300 %d00300 Region_end name="core"\n' \
            $r $((4 * k + 1)) $((4 * k + 1)) $r $((4 * k + 4)) $((4 * k + 4))
        printf '%d %d00400 %d00%d Waitall requests=%d,%d\n' $r $((4 * k + 4)) $((4 * k + 4)) $((420 + 7 * k + 3 * r)) \
            $((2 * k + 1)) $((2 * k + 2))
    done
done | sort -k1,1n -k2,2n -s | calls 2 "#clocks shared" >ready.txt
is "what is overlapped with messages becomes shorter" "$(clocked --hypothesis='scale core factor=0.5' ready.txt)" "-300000 -300000"

# --- refused hypotheses ---

# refused_as STATUS WORDS HYPOTHESIS...: checks that mpgsim refuses the hypotheses for v.txt with WORDS. refused: wrong
# in themselves; lacks: the trace has no such thing.
refused_as() {
    local words=() one
    for one in "${@:3}"; do
        words+=("--hypothesis=$one")
    done
    ok "refused, $2: ${*:3}" refuses "$1" "mpgsim: *$2*" "${words[@]}" v.txt
}
refused() {
    refused_as 2 "$@"
}
lacks() {
    refused_as 1 "$@"
}
refused "is not scale, balance, insert, drop or resize" "shrink foo"
refused "there is no hypothesis" " "
refused "factor= is missing" "scale foo"
refused "a region is missing" "balance"
refused "a region is missing" "scale factor=2"
refused "drop selects nothing: MPI_Barrier has no from=" "drop call=Barrier from=0"
refused "resize selects nothing: MPI_Iallreduce has no to=" "resize call=Iallreduce to=0 factor=2"
refused "drop selects nothing: MPI_Put has no tag=" "drop call=Put tag=0 to=1"
refused "drop selects nothing: MPI_Win_complete has no bytes=" "drop call=Win_complete to=1 bytes=-8"
refused "neither 0 nor a number" "scale foo factor=-1"
refused "time= is missing" "insert foo"
refused "a region is missing" "insert time=1us"
refused "time=5: '5' has no unit" "insert foo time=5"
refused "time=0 is no time above 0" "insert foo time=0"
refused "insert has no factor=" "insert foo factor=2"
refused "is given twice" "insert foo time=1us" "insert foo time=1us"
refused "neither 0 nor a number" "scale foo factor=1e10"
refused "scale has no by=" "scale foo by=total"
refused "is given twice" "balance foo" "balance foo"
refused "bytes=-1 selects messages of at most this size" "resize bytes=-1"
refused "is not KEY=VALUE" "balance foo total"
refused "by=most is not by=instance or by=total" "balance foo by=most"
refused "factor= is given twice" "scale foo factor=1 factor=2"
refused "closing double quote" 'balance "foo'
refused "is no number" "balance foo comm=x"
refused "is not a list of ranks" "scale foo ranks=x factor=2"
lacks "there is no region 'foo' in the trace" "balance foo"
lacks "there is no region 'call=Send' in the trace (scale, balance and insert take a region's name first; calls are selected by drop and resize)" \
    "balance call=Send"
lacks "there is no region 'foo' in the trace" "insert foo time=1us"
lacks "there is no rank 3" 'scale "a b" ranks=1-3 factor=2'
lacks "there is no communicator 7" 'balance "a b" comm=7'
refused "both scale it on the same ranks" 'scale "a b" factor=2' 'scale "a b" ranks=1 factor=3'
refused "both balance it among the same ranks" 'balance "a b"' 'balance "a b" by=total'
lacks "contradicts" 'balance "a b" comm=0' 'balance "a b" comm=1'
lacks "'balance \"a b\"': contradicts 'scale \"a b\" ranks=1 factor=3': of the balanced ranks, rank 0 would compute 1 times as \
long, rank 1 3 times" 'balance "a b"' 'scale "a b" ranks=1 factor=3'
lacks "contradicts 'scale \"a b\" ranks=0 factor=3': * 0 would compute 3 times as long, rank 2 1 times" \
    'scale "a b" ranks=0 factor=3' 'balance "a b" comm=1'
lacks "contradicts 'scale \"a b\" ranks=1-2 factor=3': * 0 would compute 2 times as long, rank 1 3 times" \
    'balance "a b"' 'scale "a b" ranks=0 factor=2' 'scale "a b" ranks=1-2 factor=3'
sed 's/^1 1500 1500 Region.*//; s/^1 2111 2161/1 2000 2161/; s/^1 2261 2261/1 2161 2161/' v.txt >u.txt
ok "refused: visits that differ in number" refuses 1 \
    "mpgsim: 'balance \"a b\"': rank 0 enters the region 2 times, rank 1 1 time: *" --hypothesis='balance "a b"' u.txt
ok "refused: nothing that by=total could multiply" refuses 1 "*: rank 1 has no computation in the region*" \
    --hypothesis='balance "a b" by=total' u.txt
ok "refused: none of these ranks has any" refuses 1 "*: there is no computation in 'a b'" \
    --hypothesis='scale "a b" ranks=1 factor=2' u.txt
ok "refused: none of these ranks enters it" refuses 1 "*: none of these ranks enters 'inner'" \
    --hypothesis='scale inner ranks=1 factor=2' r.txt
printf '\357\273\277scale solve factor=x\r\n' >marked
ok "refused: a factor, behind what editors begin a text with" refuses 2 \
    "mpgsim: --hypothesis: marked:1: factor=x is neither*" --hypothesis=marked r.txt
calls 2 "#clocks shared" <<<'1 150 200 Barrier' >half.txt
is "an error about a call says where the trace is from" "$("$mpgsim" --hypothesis=drop - <half.txt 2>&1 | cut -d, -f1)" \
    "mpgsim: standard input: rank 1"
is "... also without hypotheses" "$("$mpgsim" - <half.txt 2>&1 | cut -d, -f1)" "mpgsim: standard input: rank 1"
printf 'balance solve\n\nscale inner factor=x # so\n' >bad
ok "a bad file: its name and line" refuses 2 "mpgsim: --hypothesis: bad:3: factor=x is neither *" --hypothesis=bad r.txt
printf 'balance solve\nscale inner factor=2\nbalance nowhere\n' >bad
ok "... where the trace does not have it" refuses 1 "mpgsim: bad:3: 'balance nowhere': there is no region *" \
    --hypothesis=bad r.txt
printf 'balance solve\n' >bad
ok "... given twice" refuses 2 "mpgsim: bad:1: 'balance solve' is given twice, first as bad:1*" --hypothesis=bad \
    --hypothesis=bad r.txt
printf '# nothing\n' >bad
ok "... without any" refuses 2 "*bad: there is no hypothesis in it*" --hypothesis=bad r.txt
ok "... that is not there" refuses 2 "*nowhere: No such file*" --hypothesis=nowhere r.txt
for i in $(seq 65); do echo "scale solve ranks=$i factor=2"; done >bad
ok "... of too many" refuses 2 "*bad:65: there are more than 64 hypotheses*" --hypothesis=bad r.txt
done_testing
