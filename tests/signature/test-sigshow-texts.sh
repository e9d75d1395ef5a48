#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Texts of a signature that would command a terminal or gnuplot (TAP): sigshow's tables and
# plots, sigdiff's table and mpgsim's answer show them written out. Programs from $SIGSHOW,
# $SIGDIFF, $MPGSIM.
set -u
sigshow=${SIGSHOW:-sigshow} sigdiff=${SIGDIFF:-sigdiff} mpgsim=${MPGSIM:-mpgsim}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/../traces.sh"
for program in "$sigshow" "$sigdiff" "$mpgsim"; do
    command -v "$program" >/dev/null || { echo "Bail out! no $program"; exit 1; }
done
[ -n "${PYTHON3:-}" ] || skip_all "no python3"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Every text in the file ends with characters that are dangerous on a terminal: DEL, C1 controls (CSI, OSC), direction
# marks, paragraph separators. The word before them identifies the text.
"$PYTHON3" - <<'P'
import json
EVIL = "\x7f\x9b2J\x9d0;x\u202e\u2066\u200f\u061c\u2028"
def text(word):
    return word + EVIL + "."
def distribution(low, word):
    fit = {"family": text("family-" + word), "location": 1, "distance": 0.05, "tail_fraction": 1,
           "parameters": [{"name": text("parameter-" + word), "value": 2, "low": 1, "high": 3}]}
    return {"n": 1000, "mean": low + 1, "sd": 1, "quantiles": [low, low + 1, low + 2], "fits": [fit]}
def group(word):
    return [{"name": text(word), "n": 9, "size_bytes": 8, "median_ns": 9, "score": 9, "outlier": 1}]
def core(host):
    return {"host": host, "core": 1, "threshold_ns": 100, "span_ns": 1e9,
            "detours": {"start_ns": [5e8, 6e8, 7e8], "duration_ns": [1e3, 2e3, 3e3]},
            "gap_ns": distribution(1e6, "gap"), "duration_ns": distribution(1e3, "length"),
            "ftq": {"quantum_ns": 1e6, "lost_ns": distribution(1e3, "ftq")},
            "fwq": {"quantum_ns": 1e6, "lost_ns": distribution(1e3, "fwq")},
            "events": {text("event"): text("interrupts")}}
def signature(host, kernel, by):
    sizes = [{"size_bytes": 8, "one_way_ns": distribution(300 * by, "latency")}]
    return {"format": "mpgkit-signature", "version": [3, 0],
            "header": {"host": host, "kernel": kernel, "mpi": kernel, "cpu": kernel, "date": text("date"),
                       text("key"): text("value")},
            "checks": {"made": 9, "failed": [{"check": text("check"), "found": text("found"),
                                              "remedy": text("remedy")}]},
            "results": {text("file"): text("sum")},
            "noise": [core(host)],
            "network": [{"path": "node", "one_way": text("one_way"), "latency": sizes,
                         "launches": group("launch"), "pairs": group("pair")}],
            "collectives": [{"operation": text("collective"), "processes": 2, "size_bytes": 8,
                             "time_ns": distribution(100 * by, "collective")}],
            "reductions": [{"operation": text("reduction"), "processes": 2, "size_bytes": 8,
                            "time_ns": distribution(50 * by, "reduction")}],
            "compute": [{"kernel": text("work"), "unit": text("/unit"), "host": host, "core": 1,
                         "cores_at_once": 1, "rate_per_s": distribution(1e6 * by, "rate")}]}
def write(path, *arguments):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(signature(*arguments), file, ensure_ascii=False)
write("evil.sig", text("host"), text("system"), 1)
write("other.sig", text("another"), text("different"), 2)
# Texts that could end a string in a gnuplot script, or have a meaning in it.
commands = "'; system('touch gotcha'); \"; system(\"touch gotcha\"); # `touch gotcha` @x $1 \\"
write("commands.sig", commands, "x^{2}_{3}&~<b>\\", 1)
P

# raw FILE...: prints the files that contain such characters unescaped.
cat >raw.py <<'P'
import re
import sys
for path in sys.argv[1:]:
    text = open(path, "rb").read().decode("utf-8")
    found = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text)
    if found:
        print(path, sorted(set(hex(ord(character)) for character in found)))
P
raw() {
    "$PYTHON3" raw.py "$@" 2>&1 | tail -n 3
}
# says FILE WORD...: prints those words whose dangerous characters FILE does not contain in escaped form.
says() {
    local file=$1 word
    shift
    for word; do
        grep -qF "$word\\x7f\\u009b2J\\u009d0;x\\u202e\\u2066\\u200f\\u061c\\u2028." "$file" || echo "$word"
    done
}
is "the signature has them" "$(raw evil.sig | grep -c 0x202e)" 1

"$sigshow" evil.sig >shown 2>err
is "sigshow shows it" "$? $(cat err)" "0 "
is "  without any of them" "$(raw shown)" ""
is "  but written out" "$(says shown host date one_way launch collective reduction family-length)" ""
"$sigshow" --all evil.sig >shown 2>err
is "sigshow --all shows it" "$? $(cat err)" "0 "
is "  without any of them" "$(raw shown)" ""
is "  but written out" "$(says shown host system key value file sum check found remedy one_way \
    launch pair event interrupts collective reduction family-ftq parameter-rate work)" ""

"$sigshow" --json evil.sig >shown 2>err
is "sigshow --json has it" "$? $(cat err)" "0 "
is "  without any of them" "$(raw shown)" ""
"$PYTHON3" -c 'import json, sys
def words(found):
    if isinstance(found, str): print(found)
    elif isinstance(found, dict): [words(value) for value in found.values()]
    elif isinstance(found, list): [words(value) for value in found]
words(json.load(open("shown", encoding="utf-8")))' >words
is "  but written out" "$(says words host system key value file sum check found remedy one_way \
    launch pair event interrupts collective reduction family-ftq parameter-rate work)" ""

# --spread 0: only texts are compared here.
"$sigdiff" --all --spread 0 evil.sig other.sig >shown 2>err
is "sigdiff shows them" "$? $(cat err)" "1 "
is "  without any of them" "$(raw shown)" ""
is "  but written out" "$(says shown host another system different date collective reduction work check)" ""
"$sigdiff" --json evil.sig other.sig >shown
is "sigdiff --json keeps the texts" "$("$PYTHON3" -c '
import json, sys
print("\x9b" in json.dumps(json.load(open("shown", encoding="utf-8")), ensure_ascii=False))')" True

ring 2 2 64 >ring.txt
"$mpgsim" --perturb --signature=evil.sig --source=other.sig ring.txt >shown 2>err
is "mpgsim takes it" "$?" 0
is "  and shows none of them" "$(raw shown err)" ""

# ---- plots ----
if command -v gnuplot >/dev/null; then
    MPGKIT_GNUPLOT=$(command -v gnuplot)
    export MPGKIT_GNUPLOT
    "$sigshow" --all --keep --plot evil evil.sig >out 2>err
    is "plots of it" "$? $(grep -c failed err)" "0 0"
    is "  without any of them" "$(raw evil/*.gp evil/*.svg)" ""
    is "  but written out" "$(says evil/latency-node.gp host one_way)" ""
    "$sigshow" --all --keep --plot drawn commands.sig >out 2>err
    is "a host whose name is a command is drawn" "$? $(grep -c failed err)" "0 0"
    is "  and commands nothing" "$(find . -name gotcha)" ""
    ok "  its name stands in the plot as it is" grep -qF '"; system("touch gotcha"); # ' \
        <(sed 's/&quot;/"/g' drawn/latency-node.svg)
    # Checks the scripts, not only this version of gnuplot: no string ends early.
    is "  in the script, each line's quotes are pairs" \
        "$(grep -v '^#' drawn/*.gp | awk -F"'" 'NF % 2 == 0' | head -n 2)" ""
    is "  every text is of one line, without what the shell would read" \
        "$(grep -c '`' drawn/*.gp | grep -v ':0$')" ""
    is "  of every terminal it is no markup" "$(grep 'set terminal' drawn/*.gp | grep -vc noenhanced)" 0
else
    skip "plots" "no gnuplot"
fi
done_testing
