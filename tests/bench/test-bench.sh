#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pingpong, bandwidth and mpgbench for real, with tiny durations (TAP): the structure of what they
# write, and their errors. No timing is a pass or a fail.

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
FTQ=${FTQ:-$build/bench/ftq/ftq}
PINGPONG=${PINGPONG:-$build/bench/pingpong/pingpong}
BANDWIDTH=${BANDWIDTH:-$build/bench/bandwidth/bandwidth}
mpirun=${MPIRUN:-mpirun}
[ -x "$FTQ" ] || skip_all "no ftq"

tmp=$(mktemp -d)
. "$(dirname "$0")/measured.sh"
trap 'rm -rf "$tmp"' EXIT

if [ "${MPGKIT_MPI:-yes}" = no ] || ! [ -x "$PINGPONG" ] || ! command -v "${mpirun%% *}" >/dev/null
then
    skip_all "built without MPI"
fi

two() {
    $mpirun -np 2 "${aloud[@]}" "$@"
}

ok "pingpong runs" quiet two "$PINGPONG" -o "$tmp/r" -s 0,8,64KiB -i 30 -w 10 -l 4
file=$(ls "$tmp"/r/pingpong-launch4-*.samples)
ok "pingpong's file is whole" whole "$file" "pair size_bytes rtt_ns forward_ns backward_ns off_cpu_ns"
is "pingpong: iterations of each size" \
    "$(awk '!/^#/ { n[$2]++ } END { print n[0], n[8], n[65536] }' "$file")" "30 30 30"
is "pingpong: launch" "$(sed -n 's/^# launch: //p' "$file")" 4
ok "pingpong: path" grep -Eq '^# path: (core complex|node|between nodes)$' "$file"
is "the eager limit, or why there is none" "$(grep -c '^# eager_limit' "$file")" 1
ok "pingpong: no round trip is negative" awk '!/^#/ && $3 < 0 { exit 1 }' "$file"
ok "bandwidth runs" quiet two "$BANDWIDTH" -o "$tmp/r" -s 1KiB,1MiB -i 20 -w 10
file=$(ls "$tmp"/r/bandwidth-launch0-*.samples)
ok "bandwidth's file is whole" whole "$file" "pair size_bytes messages_in_flight time_ns send_ns transfer_ns off_cpu_ns"
is "bandwidth: samples of each size, one at a time and streaming, and the empty exchange" \
    "$(awk '!/^#/ { n[$2 " " $3]++ }
        END { print n["0 1"], n["1024 1"], n["1024 64"], n["1048576 1"], n["1048576 64"] }' "$file")" \
    "20 20 20 20 20"
ok "overhead runs" quiet two "${OVERHEAD:-$build/bench/overhead/overhead}" -o "$tmp/r" \
    -s 0,8,64KiB -i 20 -w 10
file=$(ls "$tmp"/r/overhead-launch0-*.samples)
ok "overhead's file is whole" whole "$file" "pair size_bytes send_ns receive_ns wait_ns off_cpu_ns"
ok "overhead: nothing takes less than no time" awk '
    !/^#/ && ($3 < 0 || $4 < 0 || $5 < 0) { exit 1 }' "$file"
ok "three ranks" quiet $mpirun -np 3 "$PINGPONG" -o "$tmp/r" -s 8 -i 5 -w 5 \
    --no-eager
ok "pingpong with one rank" fails 1 "needs two ranks" $mpirun -np 1 "${aloud[@]}" "$PINGPONG" -o "$tmp/r"
ok "bandwidth with one rank" fails 1 "needs two ranks" $mpirun -np 1 "${aloud[@]}" "$BANDWIDTH" -o "$tmp/r"
ok "pingpong: a wrong size" fails 2 "--sizes: 'x'" two "$PINGPONG" -s 8,x
ok "pingpong: a size twice" fails 2 "twice" two "$PINGPONG" -s 8,8
ok "pingpong: too many samples" fails 2 "samples" two "$PINGPONG" -s 0,8 -i 99999999
ok "bandwidth: a size out of range" fails 2 "1GiB" two "$BANDWIDTH" -s 2GiB
ok "pingpong: a folder that cannot be made" fails 1 "No such file" \
    two "$PINGPONG" -o "$tmp/no/where" -s 8
done_testing
