#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/extrap/figure.sh (TAP): what it records, and once mpgsim knows targets, what it predicts.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
build=$(cd "${top_builddir:-.}" && pwd)
figure=$(cd "${top_srcdir:-$here/../..}" && pwd)/examples/extrap/figure.sh
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
PROGRAMS=$build/examples/extrap
export MPGTRACE MPGSIM PROGRAMS
command -v taskset >/dev/null || skip_all "no taskset"
CORE=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
export CORE
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

"$figure" 10 >out 2>err
is "there are no other figures: exit 2" "$?" 2
like "... which one line says" "$(cat err)" "figure.sh: '10' is not a figure from 4 to 9*"
like "--help" "$("$figure" --help)" "Usage: figure.sh FIGURE*"

RECORDINGS=0 "$figure" 7 figures >out 2>err
is "no recording: exit 2" "$?" 2
like "... which one line says" "$(cat err)" "figure.sh: RECORDINGS='0' must be a number*"

# draws RANKS: draws figure 7 with RANKS ranks.
draws() {
    RECORDINGS=2 RANKS=$1 "$figure" 7 figures >out 2>err && return
    sed 's/^/# /' err
    return 1
}
ok "figure 7 with 1 and 2 ranks" draws "1 2"
cp err figure.err
for n in 1 2; do
    like "mgrid is recorded with $n" "$("$MPGTRACE" stat figures/traces/mgrid.$n)" "*ranks       $n
*cores       1 *counted     cpu_ns *"
done
is "six machines" "$(cat figures/targets/*.par | grep -c .)" 10
is "... one of them" "$(cat figures/targets/mips0.25-startup200.par)" "MipsRatio = 250
CommStartupTime = 200us"
if "$MPGSIM" --help | grep -q -e '--target'; then
    is "two recordings of each" "$(awk -F '\t' 'NF == 4 && $3 > 0 && $4 > 0 { print $1, $2 }' figures/recordings.tsv |
        tr '\n' ';')" "mgrid 1;mgrid 2;"
    # On one processor, with free communication, the run time is the sum of all ranks' work.
    for n in 1 2; do
        is "the one with less work is kept, of $n" "$("$MPGSIM" --target figures/one.par --json figures/traces/mgrid.$n |
            awk '/"run_time_ns": *\{/ { inside = 1 } inside && /"median":/ { gsub(/[^0-9.e+-]/, "", $2); printf "%.0f\n", $2; exit }')" \
            "$(awk -F '\t' -v n=$n '$2 == n { print $3 < $4 ? $3 : $4 }' figures/recordings.tsv)"
    done
    is "a spread of more than 10 % is said" "$(grep -c 'the most work of 2 recordings' figure.err)" \
        "$(awk -F '\t' '($3 < $4 ? $4 / $3 : $3 / $4) > 1.1' figures/recordings.tsv | wc -l)"
    is "a time for each program, machine and number of ranks" \
        "$(awk -F '\t' 'NR > 1 && $5 > 0' figures/figure7.tsv | wc -l)" 12
else
    like "it says that nothing is predicted" "$(cat err)" "*has no --target*"
fi
touch -d '2001-01-01' figures/traces/mgrid.1
ok "figure 7 once more" draws 1
is "what is there is not recorded again" "$(find figures/traces/mgrid.1 -prune ! -newermt 2002-01-01)" figures/traces/mgrid.1
done_testing
