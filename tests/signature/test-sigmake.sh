#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigmake and sigshow on made-up results (TAP): what comes out is what went in,
# and nothing comes out of a folder that is wrong in any way.
set -u
. "$(dirname "$0")/results.sh"

# ---- the resulting signature ----
fresh
echo "not a results file" >r/README.md
echo "half a file" >r/ftq-core1.samples.part.x1
"$sigmake" r >a.sig 2>err
is "a whole folder: exit status" $? 0
is "a whole folder: no warnings" "$(others)" ""
like "a whole folder: how good it is, in a line" "$(grep -v warning err)" \
    "sigmake: r: * of * checks failed: *; 'sigmake --check r' lists remedies"
is "the same folder gives the same bytes" "$("$sigmake" r/ | cmp - a.sig 2>&1)" ""
"$sigmake" -o b.sig r >out
is "-o: exit status" $? 0
is "-o: nothing on standard output" "$(cat out)" ""
ok "-o: the same bytes" cmp -s a.sig b.sig
"$sigmake" --output=b2.sig r && ok "--output" cmp -s a.sig b2.sig
has() {
    ok "$1" grep -qF -- "$2" a.sig
}
has "format and version" '"format": "mpgkit-signature"'
has "host" '"host": "vm"'
has "a value with a colon" '"cpu": "A CPU: fast"'
has "version of sigmake" '"sigmake": "'
is "cores in order of their numbers" "$(grep -o '"core": [0-9]*' a.sig | tr -d '\n')" \
    '"core": 0"core": 2"core": 10'
has "threshold, span, fraction lost" \
    '"threshold_ns": 100, "span_ns": 10000, "fraction_lost": 0.08005'
has "detours" '"detours": {"n": 3, "parts_of_ns": 10,'
if command -v zstd >/dev/null; then
    is "gaps and durations, in tenths of a ns" "$(packed a.sig | unpack | tr '\n' ' ')" \
        "5000 1505 13495 4000 46005 2500 "
else
    skip "gaps and durations, in tenths of a ns" "no zstd"
fi
has "gaps: mean of 1349.5 and 4600.5" '"gap_ns": {"n": 2, "mean": 2975,'
has "quanta" '"quantum_ns": 1000, "lost_ns": {"n": 4, "mean": 7.625,'
has "one way: half of six round trips of 8 bytes" \
    '"size_bytes": 8, "one_way_ns": {"n": 6, "mean": 552.625,'
has "transfers: minus half the way back" \
    '"size_bytes": 65536, "transfer_ns": {"n": 2, "mean": 8000,'
has "a transfer is never negative" '"size_bytes": 8, "transfer_ns": {"n": 1, "mean": 0,'
has "eager limit: the median over launches" '"eager_limit_bytes": 4096'
# has_packed NAME CORE PARTS NUMBERS: checks the packed detours of the core with index CORE (from 0) in c.sig.
has_packed() {
    grep -c "\"parts_of_ns\": $3," c.sig >/dev/null || { ok "$1: parts of a ns" false; return; }
    if command -v zstd >/dev/null; then
        is "$1" "$(sed -n 's/^ *"packed": "\([^"]*\)".*/\1/p' c.sig | sed -n "$(($2 + 1))p" | unpack | tr '\n' ' ')" "$4"
    else
        skip "$1" "no zstd"
    fi
}
if has_python; then
    is "checksums of all files" "$(python3 - <<'P'
import json, os, zlib
said = json.load(open("a.sig"))["results"]
found = {n: "crc32 %08x" % zlib.crc32(open("r/" + n, "rb").read())
         for n in os.listdir("r") if n.endswith(".samples")}
print(said == found and len(said) == 9)
P
)" True
else
    skip "checksums of all files" "no python3"
fi

fresh
pingpong 0 "" >r/pingpong-launch0.samples
pingpong 1 512 >r/pingpong-launch1.samples
is "eager limit: the lower median of an even number" \
    "$("$sigmake" r | grep -o '"eager_limit_bytes": [0-9]*')" '"eager_limit_bytes": 512'
fresh
date=2026-11-20T12:30:00Z detour 3 >r/detour-core3.samples
is "dates: first and last" "$("$sigmake" r | grep '"date"')" \
    '    "date": "2026-11-20T10:00:00Z to 2026-11-20T12:30:00Z",'
sed -i 's/^# mpgkit/# cost_ns: 20.25\n&/' r/ftq-core0.samples
sed -i 's/^# mpgkit/# cost_ns: 9\n&/' r/detour-core0.samples
is "numbers: least and greatest" "$("$sigmake" r | grep '"cost_ns"')" \
    '    "cost_ns": "9 to 20.25",'
for i in 2 3 10; do sed -i "s/^# mpgkit/# who: w$i\n&/" r/detour-core$i.samples; done
is "other values: a list" "$("$sigmake" r | grep '"who"')" '    "who": "w2; w3; w10",'
{
    header detour "start_ns duration_ns" "core: 4" "threshold_ns: 100" "span_ns: 10000"
    printf '%s\n' "500 150.5" "650 100" "9000.25 1000" | body
} >r/detour-core4.samples
"$sigmake" r >c.sig 2>err
is "text rounded by less than 1 ns is forgiven" "$? $(others)" "0 "
has_packed "rounded text: no overlap, within the span" 3 100 \
    "50000 15050 0 9950 825025 99975 "
ok "what rounding moved loads" quietly "$sigshow" c.sig

# ---- columns and classes of path ----
fresh
for f in r/pingpong* r/bandwidth*; do mv "$f" "${f%.samples}-node.samples"; done
path="core complex" pingpong 0 512 >r/pingpong-launch0-core-complex.samples
{
    header bandwidth "time_ns pair messages_in_flight send_ns size_bytes colour" "launch: 1" "path: core complex" \
        "pair 0: ranks 0 and 1; hosts vm and vm; cores 0 and 1" \
        "pair 3: ranks 2 and 3; hosts vm and vm; cores 2 and 3"
    printf '%s\n' "1000 0 1 40 0 red" "9000 3 1 4000 65536 blue" "64000 0 16 100 65536 red" | body
} >r/bandwidth-launch1-core-complex.samples
"$sigmake" r >c.sig 2>err
is "two classes of path: exit status" "$? $(others)" "0 "
is "two classes of path: both, in order" "$(grep -o '"path": "[a-z ]*"' c.sig | tr -d '\n')" \
    '"path": "core complex""path": "node"'
is "each its own eager limit" "$(grep -o '"eager_limit_bytes": [0-9]*' c.sig | tr -d '\n')" \
    '"eager_limit_bytes": 512"eager_limit_bytes": 4096'
ok "by the empty exchange of the same file" \
    grep -qF '"size_bytes": 65536, "transfer_ns": {"n": 1, "mean": 8500,' c.sig
sed -i '/^# pair 3/d' r/bandwidth-launch1-core-complex.samples
like "a pair that is not said" "$("$sigmake" r 2>&1 >/dev/null)" \
    "sigmake: r/bandwidth-launch1-core-complex.samples: header line '# pair 3:' is missing"

# ---- warnings ----
for kind in ftq detour pingpong bandwidth overhead; do
    rm -rf r
    mkdir r
    "$kind" 0 4096 >"r/$kind.samples"
    "$sigmake" r >only.sig 2>err
    is "only $kind: exit status" $? 0
    is "only $kind: four warnings" "$(grep -c '^sigmake: warning: no .* results: .*mpgbench' err)" 4
    ok "only $kind: sigshow shows it" quietly "$sigshow" only.sig
done
fresh
for i in 0 1 2; do pingpong $i "" >r/pingpong-launch$i.samples; done
"$sigmake" r >c.sig 2>err
like "no eager limit: a warning" "$(others)" "sigmake: warning: node: no eager limit *--eager-limit"
like "no eager limit: sigshow" "$("$sigshow" c.sig)" "*Eager limit: not detected*"
fresh
kernel=6.2 detour 2 >r/detour-core2.samples
"$sigmake" r 2>err >c.sig
like "two kernels: a warning" "$(cat err)" "sigmake: warning: the kernel differs *6.1; 6.2*"
rm -rf r
mkdir r
{
    header detour "start_ns duration_ns" "core: 0" "threshold_ns: 1" "span_ns: 20000000"
    awk 'BEGIN {for (i = 0; i < 1000010; i++) print 10 * i, 2; print "# end 1000010"}'
} >r/detour.samples
"$sigmake" r 2>err >c.sig
like "too many detours: a warning" "$(others)" \
    "*detour records of 1 core were reduced to a signature's size: of the 1000010 detours of core 0 in 0.02 s, the 0 longest are kept, and all detours of 64 sampled blocks *"
ok "too many detours: what was lost is of all" \
    grep -qF '"span_ns": 20000000, "fraction_lost": 0.100001' c.sig
ok "too many detours: how many there were" grep -qF '"detours": {"recorded": 1000010, ' c.sig
ok "too many detours: it loads" quietly "$sigshow" c.sig

# ---- errors: exit status 1, one line, nothing on standard output, no file ----
rm -rf r
fails "no folder" "r: No such file or directory"
mkdir r
fails "empty folder" "r: no results files (\*.samples); *mpgbench*"
fresh

mkdir r/x.samples
fails "a folder among the files" "r/x.samples: not a regular file"
fresh
ln -s nowhere r/x.samples
fails "a file that cannot be opened" "r/x.samples: No such file*"
fresh
cpu=other detour 2 >r/detour-core2.samples
fails "another CPU" "r/detour-core2.samples: cpu is 'other', in r/*"
fresh
path=between pingpong 1 >r/pingpong-launch1.samples
fails "an unknown path" "r/pingpong-launch1.samples: 'between' is not a path class"
fresh
cp r/detour-core2.samples r/detour-again.samples
fails "the same core twice" "r/detour-core2.samples: detour core 2 (vm) is in r/detour-again.samples*"
fresh
: >r/ftq-core0.samples
fails "an empty file" "r/ftq-core0.samples: empty file"
fresh
head -c 300 /dev/zero >r/ftq-core0.samples
fails "zero bytes" "r/ftq-core0.samples: line 1: *"
f=ftq-core0.samples
edits "no end" $f '$d' "line *cut off (no '# end'*"
edits "wrong count" $f 's/^# end 4/# end 5/' "line 17: '# end 5' after 4 samples"
edits "text after the end" $f '$a 0 1 2' "line 18: text after*"
edits "another version" $f '1s/2/3/' "line 1: results version '3'*"
edits "no magic" $f '1d' "line 1: not a results file*"
edits "another benchmark" $f 's/: ftq/: stream/' "line 2: unknown benchmark 'stream'"
edits "no benchmark" $f '/benchmark/d' "line 12: header line '# benchmark:' is missing"
edits "no columns" $f '/columns/d' "line 12: header line '# columns:' is missing"
edits "other columns" $f 's/ lost_ns/ lost/' "line 13: header line '# columns:' is 'start_ns work_units lost', without 'lost_ns'"
edits "a header line twice" $f '/host/p' "line 4: header line '# host:' appears twice"
edits "no header line" $f '/host/s/:/ /' "line 3: not a header line*"
edits "no host" $f '/host/d' "header line '# host:' is missing"
edits "no core" $f '/core/d' "header line '# core:' is missing"
edits "a core and a half" $f 's/core: 0/core: 1.5/' "header line '# core:' is not a whole number"
edits "no quantum" $f '/quantum/d' "header line '# quantum_ns:' is missing"
edits "a quantum of nothing" $f 's/quantum_ns: 1000/quantum_ns: 0/' "header line '# quantum_ns:'*"
edits "not a number" $f 's/98/x98/' "line 14: column 2: 'x98' is not a number"
edits "NaN" $f 's/98/nan/' "line 14: column 2: 'nan' is not a number"
edits "infinity" $f 's/98/1e999/' "line 14: column 2: '1e999' is not a number"
edits "a negative number" $f 's/98/-98/' "line 14: column 2: -98 is out of range"
edits "a column too few" $f 's/ 20$//' "line 14: column 3: nothing there"
edits "a column too many" $f 's/ 20$/ 20 1/' "line 14: more than 3 columns"
edits "a blank line" $f '14s/.*//' "line 14: column 1: *"
edits "text that is not UTF-8" $f 's/6.1/\xff\xfe/' "line 5: text is not one line of UTF-8"
edits "a very long line" $f "s/6.1/$(printf '%08000d' 0)/" "line 5: *longer*"
edits "quanta out of order" $f '14{h;d};15G' "quantum 2 starts before*"
edits "no samples" $f '13,16d;s/end 4/end 0/' "no samples"
f=detour-core2.samples
edits "overlapping detours" $f 's/^2000/600/' "detours: start_ns\[1\] is 600, before *"
edits "a detour after the span" $f 's/^7000.5/10001/' "detours: start_ns\[2\] *"
edits "a detour over the span's end" $f 's/^7000.5/9900/' "detours: duration_ns\[2\] *"
edits "no threshold" $f '/threshold/d' "header line '# threshold_ns:' is missing"
edits "no span" $f '/span/d' "header line '# span_ns:' is missing"
fresh
cp r/pingpong-launch1.samples r/pingpong-launch1-node.samples
fails "the same launch on a path twice" "r/pingpong-launch1.samples: pingpong launch 1 (node) is in*"
edits "no acknowledgement" bandwidth-launch0.samples \
    's/ack_ns/pause/' "the time of the acknowledgement is unknown: no samples of*"
edits "half a byte" pingpong-launch0.samples 's/^64/64.5/' "line *column 1: 64.5 is not a whole number"
edits "no path" pingpong-launch0.samples '/path/d' "header line '# path:' is missing"
edits "a wrong eager limit" pingpong-launch0.samples 's/: 4096/: many/' "header line '# eager_limit_bytes:'*"

fresh
size=$(wc -c <r/detour-core2.samples)
cp r/detour-core2.samples whole
bad=0
for ((length = 0; length < size; length++)); do
    head -c $length whole >r/detour-core2.samples
    "$sigmake" r >out 2>err
    [ $? = 1 ] && [ ! -s out ] && grep -q '^sigmake: r/detour-core2.samples: ' err || bad=$((bad + 1))
done
is "cut off at every byte: always an error that names the file" $bad 0

# ---- writing ----
fresh
if [ -c /dev/full ]; then
    "$sigmake" r >/dev/full 2>err
    like "a full standard output" "$? $(others)" "1 sigmake: standard output: *No space left*"
fi
"$sigmake" -o none/x.sig r 2>err
like "no folder to write to" "$? $(others)" "1 sigmake: none/x.sig: No such file*"
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=8k none small 2>/dev/null; then
    echo old >small/x.sig
    "$sigmake" -o small/x.sig r 2>err
    like "a full disk" "$? $(others)" "1 sigmake: small/x.sig: *No space left*"
    is "a full disk: the old file stays, nothing else" "$(ls small) $(cat small/x.sig)" "x.sig old"
    umount small
else
    skip "a full disk" "cannot mount a small one"
    skip "a full disk: the old file stays, nothing else" "cannot mount a small one"
fi

# ---- sigshow ----
"$sigshow" a.sig >shown 2>err
is "sigshow: exit status" "$? $(cat err)" "0 "
for text in "host  " "400 ns" "8.0050" "4 KiB (4096 bytes)" "8 B" "64 KiB" "8192.0"; do
    ok "sigshow shows $text" grep -qF "$text" shown
done

# ---- the signature that is shipped with mpgkit ----
reference=${top_srcdir:-$here/../..}/results/reference
"$sigshow" "$reference/reference.sig" >shown 2>err
is "reference: sigshow" "$? $(cat err)" "0 "
"$sigmake" "$reference" 2>/dev/null >whole
sed -n '/"results"/,/}/p' whole >remade
is "reference: made from these files" \
    "$(sed -n '/"results"/,/}/p' "$reference/reference.sig" | cmp - remade 2>&1)" ""
ok "reference: has them all" test "$(grep -c crc32 remade)" -ge 4

if command -v "${PYTHON3:-python3}" >/dev/null; then
    is "reference: the means that are stated are drawn, families are kept" \
        "$("${PYTHON3:-python3}" "$here/means.py" <whole 2>&1)" ""
else
    skip "reference: the means that are stated are drawn, families are kept" "no python3"
fi

# ---- command line ----
"$sigmake" >out 2>err
is "without arguments" "$? $(wc -c <out)" "2 0"
"$sigmake" --no-such-option x >out 2>err
is "with a wrong option" "$? $(wc -c <out)" "2 0"
"$sigmake" a b >out 2>err
is "with two arguments" "$? $(wc -c <out)" "2 0"
"$sigmake" "" >out 2>err
ok "with an empty name" test $? -ne 0
ok "--help" quietly "$sigmake" --help
ok "--version" quietly "$sigmake" --version
done_testing
