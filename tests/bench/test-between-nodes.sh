#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pingpong and bandwidth between two hosts over TCP (TAP), see two-hosts.sh: the path is
# "between nodes", and one-way times come from clocks that are a thousand seconds apart.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/../two-hosts.sh"
build=$(cd "${top_builddir:-.}" && pwd)
PINGPONG=${PINGPONG:-$build/bench/pingpong/pingpong}
BANDWIDTH=${BANDWIDTH:-$build/bench/bandwidth/bandwidth}
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
SIGSHOW=${SIGSHOW:-$build/signature/sigshow}
OVERHEAD=${OVERHEAD:-$build/bench/overhead/overhead}
case $PINGPONG in
/*) ;;
*) PINGPONG=$PWD/$PINGPONG BANDWIDTH=$PWD/$BANDWIDTH OVERHEAD=$PWD/$OVERHEAD ;;
esac
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
mpi_forget yield # as in measured.sh
open_hosts
[ "$launcher" != hydra ] || skip_all "MPICH spins over TCP, which on shared cores takes minutes"

# of KEY FILE: prints the value of header line KEY.
of() {
    sed -n "s/^# $1: //p" "$2"
}

# positive FILE: succeeds if no message arrives before it was sent by more than the error bound of the clocks.
positive() {
    awk '/^# one_way_error_ns/ { e = $3 } /^#/ { next }
         $4 < -e || $5 < -e { print "# " $0 ", within " e; exit 1 }' "$1"
}

if ! on_hosts 600 1 "$PINGPONG" -o pair -s 0,8,4KiB -i 200 --timer clock; then
    skip_all "no MPI program runs across the namespaces"
fi
file=pair/pingpong-launch0-between-nodes.samples
is "one class is measured" "$(ls pair)" "${file#*/}"
is "between nodes" "$(of path $file)" "between nodes"
is "the pair is on both" "$(of "pair 0" $file | cut -d';' -f 1-2)" \
    "ranks 0 and 1; hosts near and far"
is "their clocks are compared" "$(of clocks $file)" synchronised
ok "clocks a thousand seconds apart: each way takes time" positive $file
ok "and their drift is known" grep -Eq "^# peer_drift_ppm: -?[0-9.]+$" $file
is "every size is there" "$(awk '!/^#/ { n[$2]++ } END { print n[0], n[8], n[4096] }' $file)" \
    "200 200 200"
like "TCP's eager limit" "$(of eager_limit_bytes $file)" "6[0-5][0-9][0-9][0-9]"

ok "by the processor's counter, to the end" on_hosts 600 1 "$PINGPONG" -o tsc -s 8 --no-eager --quick
is "two hosts' counters are not taken for one" "$(of clocks tsc/*.samples)" synchronised
ok "with them, too, each way takes time" positive tsc/pingpong-launch0-between-nodes.samples

ok "bandwidth" on_hosts 600 1 "$BANDWIDTH" -o pair -s 64KiB,1MiB -i 20 --no-eager --timer clock
file=pair/bandwidth-launch0-between-nodes.samples
is "is between nodes too" "$(of path $file)" "between nodes"
ok "its messages arrive after their start and before the acknowledgement" awk '
    /^# one_way_error_ns/ { e = $3 } /^#/ { next } $6 < -e || $6 > $4 + e { exit 1 }' $file

ok "overhead" on_hosts 600 1 "$OVERHEAD" -o pair -s 8,4KiB -i 40 --no-eager --timer clock
file=pair/overhead-launch0-between-nodes.samples
is "is between nodes as well" "$(of path $file)" "between nodes"
dropped=$(of dropped_exchanges $file)
is "exchanges are there, or dropped by clocks a thousand seconds apart" \
    "$(($(grep -vc '^#' $file) + ${dropped%% *}))" 80
ok "most are there" test "${dropped%% *}" -lt 40

ok "two ranks a host" on_hosts 600 2 "$PINGPONG" -o four -s 8 -i 40 --no-eager -p 4
is "pairs between nodes and within" "$(cat four/*.samples | sed -n 's/^# path: //p' |
    sed 's/core complex/node/' | sort | tr '\n' ',')" "between nodes,node,"
is "four in all" "$(cat four/*.samples | sed -n 's/^# pairs: //p' | awk '{ n += $1 } END { print n }')" 4
like "a map has both hosts" "$(cat out)" "*near core*far core*"

cp pair/bandwidth-* four
"$SIGMAKE" four >four.sig 2>err
is "one signature has both kinds of path" "$("$SIGSHOW" four.sig | sed -n 's/^Path: //p' |
    sed 's/core complex/node/' | tr '\n' ',')" "node,between nodes,"

"$SIGMAKE" pair >pair.sig 2>err
one_way=$("$SIGSHOW" pair.sig |
    awk '/^ +8 B/ { print $6 * ($7 == "ns" ? 1 : $7 == "us" ? 1e3 : 1e6); exit }')
there_and_back=$(awk '!/^#/ && $2 == 8 { print $3 }' pair/pingpong-launch0-between-nodes.samples |
    sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
echo "# medians of 8 B: one way $one_way ns, there and back $there_and_back ns"
ok "one way takes about half the time there and back, whatever the clocks say" \
    awk "BEGIN { part = $one_way / $there_and_back; exit !(part > 0.35 && part < 0.65) }"
done_testing
