#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigshow on made-up signatures (TAP): what is in them is shown, what is not is
# said to be missing; plots are drawn whole or not at all. Program from $SIGSHOW.
set -u
sigshow=${SIGSHOW:-sigshow}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/signatures.sh"
command -v "$sigshow" >/dev/null || { echo "Bail out! no $sigshow"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset MPGKIT_GNUPLOT

# shows NAME TEXT...: checks that the file "shown", with single blanks, contains each TEXT.
shows() {
    local name=$1 text
    shift
    for text; do
        ok "$name: $text" grep -qF -- "$text" <(tr -s ' ' <shown)
    done
}

# ---- text ----
signature >a.sig
"$sigshow" a.sig >shown 2>err
is "a whole signature: exit status" "$? $(cat err)" "0 "
# A moved installation finds the shipped signature by its name, if there is no file with this name.
mkdir -p moved/bin moved/share/mpgkit && cp "$sigshow" moved/bin/sigshow && cp a.sig moved/share/mpgkit/shipped.sig
is "a shipped signature, by its name" "$(moved/bin/sigshow shipped 2>&1 | cmp - shown 2>&1)" ""
is "... with its ending" "$(moved/bin/sigshow shipped.sig 2>&1 | cmp - shown 2>&1)" ""
fails_with() { moved/bin/sigshow "$1" >out 2>err; echo "$? $(cat out)$(cat err)"; }
is "... not by another one" "$(fails_with ship)" "1 sigshow: ship: No such file or directory"
is "... nor in a folder" "$(fails_with ./shipped)" "1 sigshow: ./shipped: No such file or directory"
shows "header" "host vm" "kernel 6.1" "and 1 more header lines (--all shows them)"
shows "detours" "0 100 ns 200 ms 1.7500 - 2500.0 5 us 7 us - 9 us - 9 us"
shows "causes" "Noise 1.75 % of the time: interruptions, preemption and stolen time, which the record does not distinguish"
shows "quanta" "0 FTQ 1 ms 4000 0.7000 5.04 us 7 us - 8.96 us - 9 us" \
    "1 FWQ 500 us 3000 0.4975 2.01 us 2.5 us - 2.99 us - 3 us"
shows "spectral lines" "0 250.25 Hz 2.385 us 1.0e-12 x2" "1 100.5 Hz 717 ns 1.0e-06 -"
is "a harmonic is not a line of its own" "$(grep -c '500.5 Hz' shown)" 0
shows "autocorrelation" "0 1: +0.231 4: +0.412 (bound 0.031, 4 lags)"
shows "events" "context_switches 17; interrupts LOC 1502, RES 12; steal_ns 30000000"
shows "paths" "Path: node" "Path: between nodes"
shows "how latency was got" "one way: synchronised clocks, clocks' error at most 23.85 ns"
shows "latency" "64 KiB 4000 6.86 us 7.196 us - 7.531 us - 7.538 us 197.7 ns 0.01 0.00 gamma 0.043"
shows "bandwidth" "with 64 in flight" \
    "1 KiB 4000 402.4 ns 422 ns - 441.6 ns - 442 ns 422 ns 2426.5 4238.4 4612.6 gamma 0.043"
shows "eager limit" "Eager limit: 4 KiB (4096 bytes)"
shows "LogGP" "overhead o 123.5 ns, gap g 238.5 ns" \
    "0 B 4 KiB 315 ns 1.5 ns 0.105 0.0002 9523.8 2.5 ns 1.2 %"
shows "launches" "Launches: 4, median round trips of 8 B from 310 ns to 430 ns, outliers: 1" \
    "OUTLIER median 430 ns of 800, score +4.2: launch 3"
shows "pairs" "Pairs: 1, median round trips of 8 B from 315 ns to 315 ns, outliers: none"
shows "collectives" "allreduce 4 8 B 500 3.003 us 3.15 us - 3.297 us - 3.3 us" "barrier 2 0 B"
shows "arithmetic of reductions" "Arithmetic of reductions (one MPI_Reduce_local)" "reduce_local 2 64 KiB 400"
shows "compute" "floating_point 1 0 200 3.501 Gflop/s 3.55 Gflop/s 3.599 Gflop/s" "13.49 GB/s"
is "nothing is missing" "$(grep -ciE 'not measured|^No ' shown)" 0
is "standard input" "$("$sigshow" - <a.sig | cmp - shown 2>&1)" ""

"$sigshow" --all a.sig >shown 2>err
is "--all: exit status" "$? $(cat err)" "0 "
shows "--all" "odd line 000" "ftq-core0.samples: crc32 0badcafe" \
    "score +3.2: launch 0" "node: one way, 8 B, ns" \
    "gamma KS 0.0425 above 290 shape 2.385 (2.3 to 2.47) scale 13.5 (13 to 14)" \
    "exponential KS 0.1425 above 290 mean 25.5 (24 to 27)" \
    "pareto tail KS 0.0625 above 320 exponent 3.5 (3 to 4) of the largest 5 %"
is "--all: header lines in full" "$(grep -c '00007$' shown)" 1

# ---- JSON ----
#
# json_as_shown SIGNATURE: prints the values in JSON that the text of --all does not show, one a line.
json_as_shown() {
    "$sigshow" --json "$1" >shown.json 2>err || echo "exit status $? $(cat err)"
    "$sigshow" --all "$1" | tr -s ' ' >shown
    "$PYTHON3" - <<'END'
import json
found = json.load(open("shown.json", encoding="utf-8"))
text = open("shown", encoding="utf-8").read()

def time(ns):
    for unit, least in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(ns) >= least:
            return f"{ns / least:.{5 if unit == 's' else 4}g} {unit}"
    return f"{ns:.4g} ns"

def interval(d, p):
    """How far it goes, as the text says it."""
    for i in d["intervals"]:
        if i["p"] == p and d["p50" if p == 0.5 else "p99"] > 0:
            if i["low"] is None or i["high"] is None:
                return "open"
            value = d["p50" if p == 0.5 else "p99"]
            part = 100 * max(value - i["low"], i["high"] - value) / value
            return f"{part:.1f}%" if part < 9.95 else f"{min(part, 9999):.0f}%"
    return "-"

def quantiles(d):
    return f"{time(d['p1'])} {time(d['p50'])} {interval(d, 0.5)} {time(d['p99'])} {interval(d, 0.99)} {time(d['max'])}"

lines = [f"{h['key']} {h['value']}" for h in found["header"]] + [f"{r['name']}: {r['checksum']}" for r in found["results_files"]]
for core in found["cores"]:
    if "span_ns" in core:
        lines.append(f"{core['core']} {time(core['threshold_ns'])} {time(core['span_ns'])} {100 * core['lost_share']:.4f} "
                     + (f"{100 * core['off_cpu_share']:.4f} " if "off_cpu_share" in core else "- ") +
                     f"{core['detours_per_second']:.1f} " + (quantiles(core["duration_ns"]) if "duration_ns" in core else "- - - - - -"))
    for kind in ("ftq", "fwq"):
        if kind in core:
            lines.append(f"{core['core']} {kind.upper()} {time(core[kind]['quantum_ns'])} {core[kind]['lost_ns']['samples']} ")
            lines.append(quantiles(core[kind]["lost_ns"]))
    lines += [f"{core['core']} {l['frequency_hz']:.5g} Hz {time(l['amplitude_ns'])} {l['false_alarm_probability']:.1e} "
              for l in core["spectral_lines"] if l["harmonic_of_hz"] == 0]
    lines += [f"{e['event']} {e['value']}" for e in core["events"]]
    if "ftq" in core:
        bound = 1.96 / core["ftq"]["lost_ns"]["samples"] ** 0.5
        lines += [f"{k}: {r:+.3f} " for k, r in enumerate(core["autocorrelation"], 1) if abs(r) > bound]
for path in found["paths"]:
    lines.append(f"Path: {path['path']}")
    for d in path["latency_ns"]:
        lines.append(f"{d['samples']} {quantiles(d)} {time(d['sd'])} {d['lag1_autocorrelation']:.2f} {d['lag1_rank_autocorrelation']:.2f}")
        lines += [f"{f['family']} KS {f['ks_distance']:.4f}" for f in d["fits"]]
        lines += [f"{p['name']} {p['value']:.5g} ({p['low']:.5g} to {p['high']:.5g})" for f in d["fits"] for p in f["parameters"]]
    sent = {d["size_bytes"]: d for d in path["time_in_send_ns"]}
    for d in path["transfer_ns"]:
        lines.append(f"{d['samples']} {quantiles(d)}" + (f" {time(sent[d['size_bytes']]['p50'])}" if d["size_bytes"] in sent else ""))
    lines += [f" {d['size_bytes'] * 1e3 / d['p50']:.1f}" for d in path["streaming_ns"] if d["size_bytes"] > 0]
    lines += [f" {time(d['p50'])} {time(d['p99'])}" for k in ("send", "receive") for d in path[k + "_overhead_ns"]]
    if path.get("eager_limit_bytes", -1) >= 0:
        lines.append(f"({path['eager_limit_bytes']} bytes)")
    for s in path["loggp"]["segments"]:
        lines.append(f"{time(s['latency_ns'])} {time(s['latency_error_ns'])} {s['gap_per_byte_ns']:.4g} ")
        lines.append(f"{time(s['residual_sd_ns'])} {100 * s['max_relative_residual']:.1f} %")
    for g in path["launches"] + path["pairs"]:
        lines.append(f" {'OUTLIER ' if g['outlier'] else ''}median {time(g['median_ns'])} of {g['samples']}, score {g['modified_z_score']:+.1f}: {g['name']}")
lines += [f"{c['operation']} {c['processes']} " for c in found["collectives"]] + [quantiles(c["time_ns"]) for c in found["collectives"]]
lines += [f"{c['operation']} {c['processes']} " for c in found["reductions"]] + [quantiles(c["time_ns"]) for c in found["reductions"]]
lines += [f"{c['kernel']} {c['cores_at_once']} {c['core']} {c['rate']['samples']} {c['rate']['p1'] / 1e9:.4g} G" for c in found["compute"]
          if 1e9 <= c["rate"]["p1"] < 1e12]
for line in lines:
    if line not in text:
        print("missing:", line)
print(found["format"], found["version"], found["signature"], len(found["header"]), len(found["cores"]), len(found["paths"]),
      len(found["collectives"]), len(found["reductions"]), len(found["compute"]), "many" if len(lines) > 60 else len(lines))
END
}
if [ -n "${PYTHON3-}" ] && "$PYTHON3" -c 'import json' 2>/dev/null; then
    is "--json: as the text" "$(json_as_shown a.sig)" "sigshow 2 a.sig 6 2 2 4 2 2 many"
    cp "$here/../../results/reference/reference.sig" .
    is "--json: a measurement's" "$(json_as_shown reference.sig)" "sigshow 2 reference.sig 42 2 1 31 0 16 many"
    is "--json: signatures that were not checked" "$("$sigshow" --json a.sig | "$PYTHON3" -c 'import json, sys
print(json.load(sys.stdin)["checks"])')" "None"
    printf '%s\n' '{"format": "mpgkit-signature", "version": [2, 0], "header": {"host": "a\u009b31m\"\\"}}' >c.sig
    is "--json: of next to nothing, and no text commands the terminal" "$("$sigshow" --json c.sig | "$PYTHON3" -c 'import json, sys
found = json.load(sys.stdin)
print(*found["header"][0].values(), found["cores"], found["paths"], found["collectives"], found["reductions"], found["compute"])')" 'host a\u009b31m"\ [] [] [] [] []'
else
    skip "--json" "no Python"
fi

# missing SECTION TEXT...: checks what sigshow prints for a signature without SECTION.
missing() {
    local section=$1
    shift
    without=$section signature >c.sig
    "$sigshow" c.sig >shown 2>err
    is "no $section: exit status" "$? $(cat err)" "0 "
    shows "no $section" "$@"
}
missing noise "Not measured: detours, fixed time or work quanta, spectra, autocorrelations, events"
missing network "Not measured: latencies and transfer times"
missing collectives "Not measured: collectives"
missing reductions "Not measured: arithmetic of reductions" "Collectives, from"
missing compute "Not measured: compute rates"
missing "noise network collectives reductions compute" "compute rates" "host vm"
eager='' signature >c.sig
"$sigshow" c.sig >shown
shows "no eager limit" "Eager limit: not detected"
eager='"eager_limit_bytes": -1,' signature >c.sig
"$sigshow" c.sig >shown
shows "no send is eager" "Eager limit: none, every send waits for its receive"
sed 's/"latency": \[{/"x": [{/; s/"bandwidth": \[{/"y": [{/; s/"streaming": \[{/"z": [{/' a.sig |
    grep -v '"one_way": "syn' >c.sig
sed -e 's/"loggp"/"x"/; s/"false_alarm": 0.001,/&"line_list":[],/' a.sig >c.sig
"$sigshow" c.sig >shown
is "no LogGP fit, no LogGP table" "$? $(grep -c LogGP shown)" "0 0"
launch=' ' signature | sed 's/"interrupts": "[^"]*"/"interrupts": "0"/; s/: "17"/: "0"/; s/: "30000000"/: "0"/' >c.sig
"$sigshow" c.sig >shown
is "no launches, no line about them" "$? $(grep -c Launches shown)" "0 0"
is "events that did not happen are left out" "$(grep -A 2 'Noise: events' shown | tail -1 | tr -s ' ')" " 0 none"

# Long tables are shortened: the first and the last row, and rows at even distances between them.
{
    echo '{"format": "mpgkit-signature", "version": [2, 0], "noise": ['
    for i in 0 1 2 3 4 5 6 7 8 9; do
        echo "{\"core\": $i, \"threshold_ns\": 100, \"span_ns\": 1e9}$([ $i = 9 ] || echo ,)"
    done
    echo '], "network": [{"path": "node",'
    # shellcheck disable=SC2046 # a list
    sizes latency one_way_ns 0 $(seq 10 10 370)
    echo '}]}'
} >many.sig
"$sigshow" many.sig >shown
is "eight cores of ten" "$? $(grep -c ' 100 ns ' shown)" "0 8"
shows "and says so" "and 2 more cores (--all shows them)" "and 27 more sizes (--all shows them)"
is "ten sizes of 37, evenly chosen" "$(awk '$3 == 4000 { printf "%s ", $1 }' shown)" \
    "10 50 90 130 170 210 250 290 330 370 "
is "--all: ten cores" "$("$sigshow" --all many.sig | grep -c ' 100 ns ')" 10
is "--all: 37 sizes" "$("$sigshow" --all many.sig | awk '$3 == 4000' | wc -l)" 37

# ---- errors ----
"$sigshow" no.sig >out 2>err
is "no file" "$? $(cat out err)" "1 sigshow: no.sig: No such file or directory"
head -c 1000 a.sig >cut.sig
"$sigshow" cut.sig >out 2>err
like "half a file" "$? $(cat out err)" "1 sigshow: cut.sig: line *"
if [ -c /dev/full ]; then
    "$sigshow" a.sig >/dev/full 2>err
    like "a full standard output" "$? $(cat err)" "1 sigshow: standard output: *No space left*"
fi
for arguments in "" "a b" "--keep a.sig" "--plot= a.sig" "--json --plot=p a.sig"; do
    # shellcheck disable=SC2086 # a list
    "$sigshow" $arguments >out 2>err
    is "usage: sigshow $arguments" "$? $(wc -c <out) $(wc -l <err)" "2 0 1"
done

# ---- plots: without gnuplot ----
MPGKIT_GNUPLOT=/nonexistent "$sigshow" --plot plots a.sig >out 2>err
is "MPGKIT_GNUPLOT names nothing" "$? $(cat out err)" \
    "1 sigshow: --plot needs gnuplot, and MPGKIT_GNUPLOT=/nonexistent is no program"
PATH=$work/none "$sigshow" --plot plots a.sig >out 2>err
like "no gnuplot on PATH: names the package" "$? $(cat out err)" "1 sigshow: *gnuplot-nox*"
is "no gnuplot: no folder" "$(test -e plots; echo $?)" 1

# fake SCRIPT: runs sigshow with a gnuplot that fails, leaves half a file, or is interrupted.
fake() {
    printf '#!/bin/sh\n%s\n' "$1" >fake
    chmod +x fake
    MPGKIT_GNUPLOT=./fake "$sigshow" --plot plots a.sig >out 2>err
    status=$?
}
fake 'echo "line 3: bad thing" >&2; exit 1'
like "gnuplot fails" "$status $(cat out err)" "1 sigshow: *fake failed to draw ftq-core0: line 3: bad thing"
is "gnuplot fails: no folder" "$(test -e plots; echo $?)" 1
fake 'b=${2%.gp}; echo "<svg" >$b.svg; echo "half a PNG" >$b.png'
like "half a plot" "$status $(cat out err)" "1 sigshow: *fake failed to draw ftq-core0: *"
mkdir plots
echo mine >plots/ftq-core0.png
fake 'exit 3'
is "a failure leaves what was there" "$status $(ls -A plots) $(cat plots/ftq-core0.png)" "1 ftq-core0.png mine"
for name in TERM INT HUP; do
    fake "kill -$name \$PPID; sleep 1"
    is "interrupted by $name" "$((status > 0)) $(ls -A plots)" "1 ftq-core0.png"
done
MPGKIT_GNUPLOT=./fake "$sigshow" --plot none/plots a.sig >out 2>err
like "a folder that cannot be made" "$? $(cat out err)" "1 sigshow: none/plots: No such file*"
MPGKIT_GNUPLOT=./fake "$sigshow" --plot a.sig a.sig >out 2>err
like "a file for a folder" "$? $(cat out err)" "1 sigshow: a.sig: Not a directory"
without="noise network collectives compute" signature >c.sig
MPGKIT_GNUPLOT=./fake "$sigshow" --plot empty c.sig >out 2>err
like "nothing to draw" "$? $(cat out err)" "1 sigshow: c.sig holds nothing to draw"
is "nothing to draw: no folder" "$(test -e empty; echo $?)" 1

# ---- plots: with it ----
if ! command -v gnuplot >/dev/null; then
    skip "plots" "no gnuplot"
    done_testing
    exit
fi
"$sigshow" --plot plots a.sig >out 2>err
is "plots: exit status, standard output" "$? $(wc -c <out)" "0 0"
is "plots: says how many" "$(cat err)" "sigshow: 14 plots in plots, each as SVG and PNG"
is "plots: all of them and nothing else" "$(ls -A plots | sed -n 's/\.png$//p' | tr '\n' ' ')$(ls -A plots | wc -l)" \
    "bandwidth-between-nodes bandwidth-node collectives-2-processes collectives-4-processes detours-core0 detours-core1 ftq-core0 ftq-core1 latency-between-nodes latency-cdf-between-nodes latency-cdf-node latency-node spectrum-core0 spectrum-core1 28"
bad=
for plot in plots/*; do
    case $plot in
    *.svg) tail -n 2 "$plot" | grep -q '</svg>' || bad="$bad $plot" ;;
    *.png) head -c 4 "$plot" | grep -q PNG || bad="$bad $plot" ;;
    esac
done
is "plots: every file is what its name says" "$bad" ""
for text in "vm, core 0: power spectrum" "frequency (Hz)" "250.2 Hz" "3 significant lines"; do
    ok "the spectrum says $text" grep -qF "$text" plots/spectrum-core0.svg
done
for text in "vm, node: bandwidth by size" "64KiB" "1 GB/s" "eager limit 4KiB" "streaming, 64 in flight"; do
    ok "the bandwidth says $text" grep -qF "$text" plots/bandwidth-node.svg
done
for text in "1 us" "100 us" "1MiB" "synchronised clocks"; do
    ok "the CDFs say $text" grep -qF "$text" plots/latency-cdf-node.svg
done

"$sigshow" -k -p kept a.sig 2>err
is "--keep: scripts and data too" "$(ls kept | wc -l)" 56
rm kept/ftq-core1.svg kept/ftq-core1.png
(cd kept && gnuplot ftq-core1.gp 2>/dev/null)
ok "--keep: a script draws again" test -s kept/ftq-core1.svg -a -s kept/ftq-core1.png

without="network collectives" signature >c.sig
# A transfer of 0 ns, which remains if the acknowledgement took the whole time, has no bandwidth.
sed 's/\("transfer_ns": {[^[]*\[\)[^,]*,[^,]*,[^,]*,[^,]*,/\10,0,0,0,/' a.sig >zero.sig
"$sigshow" --plot zero --keep zero.sig 2>err
is "transfers of 0 ns: exit status, axes end" "$? $(grep -ci 'range.*\(inf\|nan\)' zero/bandwidth-node.gp)" "0 0"
"$sigshow" --plot few c.sig 2>err
is "what cannot be drawn is said" "$? $(cat err)" "0 sigshow: not drawn: latency and bandwidth: none in the signature
sigshow: not drawn: collectives: none in the signature
sigshow: 6 plots in few, each as SVG and PNG"
"$sigshow" --plot many many.sig 2>err
like "cores that are not drawn are said" "$? $(cat err)" "0 *not drawn: 2 more cores (--all draws them)*"

# Overlapping detours share one dot, so that files remain small.
{
    echo '{"format": "mpgkit-signature", "version": [2, 0], "noise": [{"core": 0, "span_ns": 200000000,'
    awk 'BEGIN {
        printf "\"detours\": {\"start_ns\": ["
        for (i = 0; i < 200000; i++)
            printf "%s%d", i ? "," : "", i * 1000
        printf "], \"duration_ns\": ["
        for (i = 0; i < 200000; i++)
            printf "%s%d", i ? "," : "", 10 + (i * 7919) % 971
        print "]}}]}" }'
} >dense.sig
"$sigshow" --plot dense dense.sig 2>err
is "200000 detours: exit status" $? 0
ok "200000 detours: colour says how many" grep -qF "detours that a dot stands for" dense/detours-core0.svg
ok "200000 detours: less than 4 MB" test "$(wc -c <dense/detours-core0.svg)" -lt 4000000

# Names with a meaning in a shell or in gnuplot are only text.
signature | sed "s/\"host\": \"vm\"/\"host\": \"v' \`touch hacked\` \$(touch hacked) '''; system('touch hacked') # \\\\\\\\\"/" >c.sig
"$sigshow" --plot odd c.sig 2>err
is "an odd host" "$? $(ls -d hacked odd/hacked 2>/dev/null)" "0 "
ok "an odd host is in the title" grep -qF "system(" odd/ftq-core0.svg

if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
    "$sigshow" --plot small a.sig >out 2>err
    is "a full disk: exit status, one line, nothing left" "$? $(wc -l <err) $(ls -A small)" "1 1 "
    umount small
else
    skip "a full disk" "cannot mount a small one"
fi
done_testing
