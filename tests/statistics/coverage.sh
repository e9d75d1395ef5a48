#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make coverage: how often do intervals hold the truth, of made-up series and of parts of a record
# of this machine? Argument: a folder of pingpong's results of at least 5000 exchanges a size
# (default: measured now, for a minute and a half). Never a pass or a fail.
set -eu
coverage=${top_builddir:?}/tests/statistics/coverage
"$coverage"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
results=${1:-}
if [ -z "$results" ]; then
    [ "${MPGKIT_MPI:-no}" = yes ] || { echo "no MPI: no record is measured"; exit 0; }
    results=$work/results
    "${MPIRUN:-mpirun}" -n 2 "$PINGPONG" -o "$results" --iterations 10000 --max-time 80s >"$work/out"
fi
for file in "$results"/pingpong-*.samples; do
    awk -v to="$work/$(basename "$file")" '!/^#/ { print $3 >(to "." $2) }' "$file"
done
"$coverage" "$work"/pingpong-*.samples.*
