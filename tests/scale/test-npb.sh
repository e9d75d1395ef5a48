#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/scale/npb (TAP) with stand-ins for the NAS Parallel Benchmarks: which programs it finds, and that it writes all
# tables and figures of what they did.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "${top_srcdir:?}/tests/tap.sh"
[ "$MPGKIT_MPI" != no ] || skip_all "built without MPI"
[ "${MPI_LIBRARY:-openmpi}" = openmpi ] || skip_all "processes that wait spin"
programs=$PWD/examples/scale
npb=$(cd "$top_srcdir" && pwd)/examples/scale/npb
export MPGSCALE
[ -x "$programs/abc" ] || skip_all "no examples/scale/abc"
cd "$work" || exit 1

mkdir built
cp "$programs/abc" built/bt.S.x # version 3.4 names programs for any number of ranks so
for n in 2 4 6 9; do cp "$programs/wrapper" built/mg.S.$n; done # version 3.3 has a program for each number of ranks
cp "$programs/wrapper" built/cg.S.2
cp "$programs/wrapper" built/lu.W.x

"$npb" built/none out >answer 2>err
is "no folder: exit 1" "$?" 1
like "... which one line says" "$(cat err)" "npb: built/none: no such folder"
"$npb" -c C built out >answer 2>err
is "nothing of that class: exit 1" "$?" 1
like "... which the last line says" "$(tail -n 1 err)" "npb: *built: no program of class C at 3 process counts"
"$npb" >answer 2>err
is "no arguments: exit 2" "$?" 2

if "$npb" -n 2,4,6 -r 1 built out >answer 2>err; then run=ok; else run=$(cat err); fi
is "two programs of class S" "$run" ok
is "... of those that it has, at those counts" "$(cd out && echo */manifest.tsv | tr -d '\n') $(cd out && echo bt/*-1 mg/*-1)" \
    "bt/manifest.tsv mg/manifest.tsv bt/2-1 bt/4-1 bt/6-1 mg/2-1 mg/4-1 mg/6-1"
like "... those that are left out are said" "$(cat err)" "*npb: cg.S: skipped: built for fewer than 3 of the process counts*"
like "table 1 is of mg on 4 ranks" "$(head -n 1 out/table1.txt)" "*mg/4-1, 4 ranks"
is "... each rank's send, and all of them" "$(awk '$1 == "Ssend" { print $3 }' out/table1.txt | sort -u | tr '\n' ' ')" "0 2 All "
is "table 2 is of bt's callsites at three counts" "$(awk 'NR == 2 { print $2, $3, $4 }' out/table2.txt) $(grep -c '^Recv:' out/table2.txt)" \
    "2 4 6 3"
is "table 3 has both programs" "$(grep '^== ' out/table3.txt | tr '\n' ' ')$(grep -c '^callsite  *r_s ' out/table3.txt)" "== bt.S == mg.S 2"
same() { diff "$1" "$2" >/dev/null; }
ok "... and is printed" same answer out/table3.txt
is "table 4 has their ranges, and sizes" "$(grep -c '^range    2 to 6 ranks' out/table4.txt) $(grep -c '^sizes    fixed' out/table4.txt) \
$(grep -c 'class S' out/table4.txt)" "2 2 6"
if command -v gnuplot >/dev/null; then
    is "figures: bt's, all programs', mg's; of cg, ft, lu there is none" "$(cd out && ls figure*.svg | tr '\n' ' ')" \
        "figure1.svg figure10.svg figure2.svg figure3.svg figure5.svg figure6.svg "
    ok "figure 6 has both programs" grep -q 'bt.S' out/figure6.svg
    ok "... mg, too" grep -q 'mg.S' out/figure6.svg
else
    like "no gnuplot is said" "$(cat err)" "*figures not drawn*"
fi
stamp=$(cat out/bt/manifest.tsv)
"$npb" -n 2,4,6 -r 1 built out >answer 2>err
is "once more: what is there is not run again" "$(cat out/bt/manifest.tsv)" "$stamp"
done_testing
