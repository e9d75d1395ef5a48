#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/silas/experiment (TAP): both tables have their rows and columns, and are of what the traces say. Times are
# not judged, but those that a simulation of nothing changes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
build=$(cd "${top_builddir:-.}" && pwd)
experiment=$(cd "${top_srcdir:-$here/../..}" && pwd)/examples/silas/experiment
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace} MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
MPGREPLAY=${MPGREPLAY:-$build/replay/mpgreplay}
HALO=$build/examples/halo/halo WAITANY=$build/examples/silas/waitany
export MPGTRACE MPGSIM MPGREPLAY HALO WAITANY STEPS=20 ITERATIONS=1
command -v "${MPIRUN:-mpirun}" >/dev/null || skip_all "no mpirun"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

"$experiment" out no-folder >out.txt 2>err
is "a folder without bt: exit 1" "$?" 1
is "... which one line says" "$(cat err)" "experiment: no-folder: no bt.CLASS.RANKS or bt.CLASS.x"

# Stand-ins for NPB: a program built for 2 ranks, and one for any number.
mkdir npb
for name in bt.S.2 bt.W.x; do
    printf '#!/bin/sh\nexec "%s" 5 1000\n' "$HALO" >npb/$name
    chmod +x npb/$name
done
if RANKS="1 2" "$experiment" out npb >out.txt 2>err; then run=ok; else run=$(cat err); fi
is "with stand-ins for NPB" "$run" ok
is "table 1: its rows, and ranks" "$(cut -f 1,2 out/table1.tsv | tr '\t\n' ' ;')" \
    "program ranks;halo 2;bt.S.2 2;bt.W.1 1;bt.W.2 2;"
is "... times, and how far they are from the first" "$(awk -F '\t' 'NR > 1 && $4 > 0 && $5 > 0 && $6 > 0 &&
    $7 == sprintf("%+.2f %%", 100 * ($5 / $4 - 1)) && $8 == sprintf("%+.2f %%", 100 * ($6 / $4 - 1))' out/table1.tsv |
    wc -l)" 4
is "table 2: its rows" "$(cut -f 1,2 out/table2.tsv | tr '\t\n' ' ;')" "by metric;replayed Total time;\
replayed Point-to-Point;replayed Late Sender;replayed Synchronization;simulated Total time;simulated Point-to-Point;\
simulated Late Sender;simulated Synchronization;"
is "... the identity by mpgsim changes nothing" "$(awk -F '\t' '/^simulated/ { print $5, $6 }' out/table2.tsv | sort -u)" \
    "0.0000 0.0000"
# sum over all ranks, in ms
total=$("$MPGTRACE" waits --json out/waitany.trace | awk -F '[:,]' '/"total_ns"/ { printf "%.3f", $2 / 1e6 }')
is "... the original's total is that of mpgtrace waits" "$(awk -F '\t' '/Total/ { printf "%.3f\n", $3 }' out/table2.tsv | sort -u)" "$total"
late=$(awk -F '\t' '/Late Sender/ && $3 > 0 && $4 > 0' out/table2.tsv | wc -l)
is "... senders are late, as it is and balanced" "$late" 2
done_testing
