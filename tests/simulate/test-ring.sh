#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The paper's experiment on a small ring, recorded here (TAP).
if [ "${MPGKIT_MPI:-yes}" = no ]; then
    echo "1..0 # SKIP built without MPI"
    exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
RING=$top_builddir/examples/ring/ring
export RING
echo 1..3
if "$top_srcdir/examples/ring/experiment" 6 3 "$dir/out" > "$dir/table" 2> "$dir/err"; then
    echo "ok 1 - the experiment runs"
else
    sed 's/^/# /' "$dir/err"
    echo "not ok 1 - the experiment runs"
fi
if [ "$(grep -c '^ *[1-7]*00 ' "$dir/table")" = 7 ] && ! grep -q DIFFERENT "$dir/table"; then
    echo "ok 2 - every rank grows by traversals x ranks x noise, exactly"
else
    sed 's/^/# /' "$dir/table"
    echo "not ok 2 - every rank grows by traversals x ranks x noise, exactly"
fi
# Odd ranks receive before they send, so a step is two hops for the even ranks
# and the last one is one hop for the odd.
"$MPIRUN" -np 6 "$MPGTRACE" record -o "$dir/two.trace" "$RING" 3 8 separate > /dev/null 2>&1
wrong=$("$MPGSIM" --absorb=none --latency const:137ns --per-rank "$dir/two.trace" |
    awk 'NR > 1 && $3 != (34 - $1 % 2) * 137')
if [ -z "$wrong" ]; then
    echo "ok 3 - with MPI_Send and MPI_Recv, latency adds up along the ring"
else
    echo "$wrong" | sed 's/^/# /'
    echo "not ok 3 - with MPI_Send and MPI_Recv, latency adds up along the ring"
fi
