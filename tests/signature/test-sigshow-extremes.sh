#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigshow on signatures with the least, largest and equal numbers that the format allows
# (TAP): text, JSON and plots end by themselves, with files of a size. Program from $SIGSHOW.
set -u
sigshow=${SIGSHOW:-sigshow}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
command -v "$sigshow" >/dev/null || { echo "Bail out! no $sigshow"; exit 1; }
[ -n "${PYTHON3:-}" ] || skip_all "no python3"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir made
"$PYTHON3" "$here/extremes.py" made
is "made-up signatures" "$(($(ls made | wc -l) > 60))" 1

# A stand-in for gnuplot that draws nothing, but checks that every script is complete, and that no number is infinite or
# undefined.
cat >gnuplot <<'EOF'
#!/bin/sh
name=$(basename "$2" .gp)
cat "$2" "$name.dat" >>"$SEEN"
tail -n 1 "$2" | grep -qx 'set output' || exit 1
grep -qiE '(^|[ [:(,])-?(nan|inf)([] :),]|$)' "$2" "$name.dat" && exit 1
printf '<svg>%64s</svg>' >"$name.svg"
printf '%64sIEND' >"$name.png"
EOF
chmod +x gnuplot
export SEEN=$work/seen MPGKIT_GNUPLOT=$work/gnuplot

# ends NAME ARGUMENT...: succeeds if sigshow ends within a minute, with exit status 0 or 1, and no sanitizer reports
# anything.
ends() {
    (
        ulimit -f 20000
        exec timeout -k 5 60 "$sigshow" "$@" >out 2>err
    )
    local status=$?
    [ $status -le 1 ] && ! grep -qE 'runtime error|Sanitizer' err && return
    echo "# $*: $status $(head -n 3 err)"
    return 1
}
bad='' huge='' refused=''
for sig in made/*.sig; do
    name=$(basename "$sig" .sig)
    ends "$sig" || bad="$bad $name"
    [ -s err ] && refused="$refused
# $(cat err)"
    ends --all "$sig" || bad="$bad $name(--all)"
    ends --json "$sig" || bad="$bad $name(--json)"
    [ -s err ] || mv out "$name.json"
    : >seen
    ends --plot "plots-$name" "$sig" || bad="$bad $name(--plot)"
    grep -q 'failed to draw' err && bad="$bad $name: $(cat err)"
    [ "$(wc -c <seen)" -lt 500000 ] || huge="$huge $name"
done
bad="$bad$("$PYTHON3" -c 'import json, sys
for name in sys.argv[1:]:
    try:
        json.load(open(name, encoding="utf-8"), parse_constant=int)
    except ValueError:
        print(" " + name + ": no JSON", end="")' ./*.json)"
is "all of them are shown and drawn, or said not to be" "$bad" ""
is "none of them is refused" "$refused" ""
is "no script or data of more than they need" "$huge" ""
# The first plots of these signatures must exist, too.
ok "a least sample of 0 is drawn" test -s plots-no-least/latency-cdf-core-complex.svg
ok "times from 0 to 1e150 are drawn" test -s plots-times-0-1e+150/latency-core-complex.svg
is "of many numbers of processes the first are drawn" \
    "$(find plots-many-processes -name '*.svg' | wc -l)" 16

if command -v gnuplot >/dev/null; then
    MPGKIT_GNUPLOT=$(command -v gnuplot) ends --plot real made/no-least.sig
    is "gnuplot draws what has no least" "$? $(find real -name '*.svg' | wc -l)" "0 2"
else
    skip "gnuplot draws what has no least" "no gnuplot"
fi
done_testing
