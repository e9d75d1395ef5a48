#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench-formats: how fast traces of other tools are read and written, and with how much memory. A ring of 8 ranks, which
# call MPI_Send and MPI_Recv in each of STEPS steps, 62500 by default: 1 million calls; memory also with a quarter of them.
# Never a pass or a fail. LAUNCHER: put before each command, as "chrt -f 20".
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${top_srcdir:?}" "${top_builddir:?}" "${MPGTRACE:?}"
export TMPDIR=$work
ranks=8 steps=${STEPS:-62500} formats=${FORMATS:-"text otf2 prv ti goal liballprof dumpi"}

# foreign FORMAT STEPS OUT: writes the ring in a format that mpgkit cannot export.
foreign() {
    PYTHONPATH=$top_srcdir/tests/trace/dumpi python3 -B - "$@" $ranks <<'END'
import os, sys
import dumpi_files as d
kind, steps, out, ranks = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
os.makedirs(out)
for r in range(ranks):
    right, left = (r + 1) % ranks, (r - 1) % ranks
    if kind == "liballprof":
        with open(f"{out}/trace-{r}.dat", "w", encoding="ascii") as file:
            file.write("# collprof 0.9 output file\n# host: node0\n# Init clockdiff: 0.000000\n\nMPI_Init:-:1:2:1\n")
            for i in range(steps):
                t = 2 + 10 * i
                file.write(f"MPI_Send:{t}:55:128:1,8,8:{right}:7:7000,{r},{ranks}:{t + 1}\n"
                           f"MPI_Recv:{t + 2}:55:128:1,8,8:{left}:7:7000,{r},{ranks}:77:{t + 4}\n")
            file.write(f"# Finalize clockdiff: 0.000000\nMPI_Finalize:{2 + 10 * steps}:-\n")
    else:
        rank = d.Rank("node0")
        rank.body = bytearray(rank.body)
        d.begin(rank)
        for i in range(steps):
            t = 2 + 10 * i
            rank.call(d.SEND, t, t + 1, d.i(128) + d.h(d.DOUBLE) + d.i(right) + d.i(7) + d.h(d.WORLD))
            rank.call(d.RECV, t + 2, t + 4, d.i(128) + d.h(d.DOUBLE) + d.i(left) + d.i(7) + d.h(d.WORLD) +
                      d.statuses([(1024, left, 7)]))
        rank.call(d.FINALIZE, 2 + 10 * steps, 3 + 10 * steps)
        with open(f"{out}/trace-{r:04d}.bin", "wb") as file:
            file.write(rank.data())
END
}

# cost COMMAND...: prints seconds of processor time and peak memory in KiB.
cost() {
    local TIMEFORMAT='%U %S' memory
    { time memory=$(${LAUNCHER-} "$top_builddir/tests/peak_memory" "$@" 2>"$work/complaint"); } 2>"$work/time" ||
        { cat "$work/complaint" >&2; return 1; }
    echo "$(awk '{ print $1 + $2 }' "$work/time") $memory"
}

# one FORMAT STEPS: prints "WRITTEN READ", each as seconds and KiB; "- -" if mpgkit cannot write the format.
one() {
    local format=$1 path=$work/x.$1 written="- -"
    case $format in
        text | otf2 | prv | ti | goal)
            written=$(cost "$MPGTRACE" export --format="$format" -o "$path" "$work/ring.$2.trace") ;;
        liballprof | dumpi) foreign "$format" "$2" "$path" ;;
    esac
    echo "$written $(cost "$MPGTRACE" import -o "$work/again.trace" "$path")"
    rm -rf "$work"/x.* "$work/x" "$work/again.trace"
}

calls=$((2 * ranks * steps))
for n in $steps $((steps / 4)); do
    mkdir "$work/ring.$n.trace"
    "$top_builddir/tests/speed/speed_trace" ring $ranks "$n" "$work/ring.$n.trace"
done
echo "ring of $ranks ranks, $calls calls; thousands of calls in a second of processor time; MB, and with a quarter of the calls"
printf '  %-12s %10s %8s %8s %10s %8s %8s\n' format written MB quarter read MB quarter
for format in $formats; do
    echo "$format $(one "$format" "$steps") $(one "$format" $((steps / 4)))" >"$work/row"
    awk -v calls=$calls 'function rate(s) { return s == "-" ? "-" : sprintf("%.0f", calls / s / 1000) }
        function mb(k) { return k == "-" ? "-" : sprintf("%.1f", k / 1000) }
        { printf "  %-12s %10s %8s %8s %10s %8s %8s\n", $1, rate($2), mb($3), mb($7), rate($4), mb($5), mb($9) }' "$work/row"
done
