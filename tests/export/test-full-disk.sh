#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Exports that cannot be written (TAP): a full disk, here a limit of the size of files, and a folder that is not there. Each says
# one line, which names the output or a file of it, and leaves nothing behind.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp

# Two ranks, 6000 messages: more than 40 KiB in each exported format, 8 KiB in the native one.
awk 'BEGIN {
    print "#mpgtext 1\n#ranks 2\n#clocks shared"
    for (r = 0; r < 2; r++) {
        print r, 0, 1000, "Init"
        for (i = 1; i <= 6000; i++) {
            t = 2000 * i
            x = (x * 1103515245 + 12345) % 2147483648
            printf "%d %d %d %s tag=%d bytes=%d\n", r, t + x % 400, t + 500 + x % 397, r ? "Recv comm=0 from=0" : \
                "Send comm=0 to=1", i % 5, 100 + i * 7919 % 1000003
        }
        print r, 90000000, 90000100, "Finalize"
    }
}' >"$tmp/in.txt"
"$MPGTRACE" import --text "$tmp/in.txt" -o "$tmp/in.trace" >"$tmp/log" 2>&1 || cat "$tmp/log"
mkdir "$tmp/out"

# refused WHAT WORDS: checks the last command: exit status 1, and one error line with the output file's name WORDS; the
# folder of outputs is empty.
refused() {
    is "$1: status and lines" "$status $(wc -l <"$tmp/err")" "1 1"
    ok "$1: names it" grep -q "$tmp/out/$2" "$tmp/err"
    is "$1: leaves nothing" "$(ls "$tmp/out")" ""
}

formats="chrome goal prv ti text native"
if "$MPGTRACE" export -o "$tmp/probe.otf2" "$tmp/in.trace" >"$tmp/log" 2>&1; then
    formats="$formats otf2"
fi
for format in $formats; do
    limit=40 file="x[.]$format: "
    case $format in
    ti) file='x/0[.]ti: ' ;;
    otf2) file='x/0[.]evt' ;;
    native) file='x[.]native/rank-0[.]mpgt: ' limit=8 ;;
    esac
    (
        ulimit -f "$limit" # KiB
        exec "$MPGTRACE" export --format="$format" -o "$tmp/out/x.$format" "$tmp/in.trace"
    ) >"$tmp/log" 2>"$tmp/err"
    status=$?
    refused "$format" "$file"
    "$MPGTRACE" export --format="$format" -o "$tmp/out/none/x.$format" "$tmp/in.trace" >"$tmp/log" 2>"$tmp/err"
    status=$?
    refused "$format, no folder" "none/x"
done

done_testing
