#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The benchmarks for real, with tiny durations (TAP): the structure of what they
# write, and their errors. No timing is a pass or a fail.

build=${top_builddir:-.}
. "$(dirname "$0")/tap.sh"
FTQ=${FTQ:-$build/bench/ftq/ftq}
PINGPONG=${PINGPONG:-$build/bench/pingpong/pingpong}
BANDWIDTH=${BANDWIDTH:-$build/bench/bandwidth/bandwidth}
MPGBENCH=${MPGBENCH:-$(dirname "$0")/../bench/mpgbench}
mpirun=${MPIRUN:-mpirun}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
[ -x "$FTQ" ] || skip_all "no ftq"

tmp=$(mktemp -d)
trap 'umount "$tmp/full" 2>/dev/null; rm -rf "$tmp"' EXIT

# whole FILE COLUMNS: magic, header lines, and as many samples as the end says.
whole() {
    awk -v columns="$2" '
        NR == 1 && $0 != "#mpgresults 1" { bad = 1 }
        ended { bad = 1 }
        /^# end / { ended = 1; if ($3 != n) bad = 1; next }
        /^# columns: / { if ($0 != "# columns: " columns) bad = 1; split(columns, c, " "); next }
        /^# (pair [0-9]+|[a-z_]+): / { if (n) bad = 1; seen[$2 == "pair" ? "pair " $3 : $2]++; next }
        NR > 1 { n++; if (NF != length(c)) bad = 1 }
        END { for (k in seen) if (seen[k] != 1) bad = 1
              split("benchmark mpgkit date host cpu kernel scheduling clock timer_cost_ns \
                     timer_resolution_ns arguments units binding", need, " ")
              for (k in need) if (!(need[k] ":" in seen)) bad = 1
              exit bad || !ended }' "$1"
}

# monotone FILE: the first column never decreases.
monotone() {
    awk '/^#/ { next } $1 < last { exit 1 } { last = $1 }' "$1"
}

# fails STATUS WORDS COMMAND...: it exits so, and says so in one line of its own.
fails() {
    local status=$1 words=$2 got
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" -eq "$status" ] && [ "$(grep -c -- "$words" "$tmp/err")" -eq 1 ] && return
    echo "# exit $got, expected $status and '$words':"
    sed 's/^/# /' "$tmp/err"
    return 1
}

# quiet COMMAND...: without its summary.
quiet() {
    "$@" >/dev/null
}

count() {
    grep -vc '^#' "$1"
}

core=$("$FTQ" -o "$tmp/cores" -m ftq -d 1ms --max-cores 1 | sed -n 's/^core \([0-9]*\):.*/\1/p')

ok "ftq runs" quiet "$FTQ" -o "$tmp/r" -c "$core" -d 20ms
ok "ftq's file is whole" whole "$tmp/r/ftq-core$core.samples" "start_ns work lost_ns"
ok "ftq's starts are monotone" monotone "$tmp/r/ftq-core$core.samples"
is "ftq: duration / quantum samples" "$(count "$tmp/r/ftq-core$core.samples")" 20
ok "the detours' file is whole" whole "$tmp/r/detour-core$core.samples" "start_ns duration_ns"
ok "the detours' starts are monotone" monotone "$tmp/r/detour-core$core.samples"
ok "detours do not overlap, and lie in the span" awk '
    /^# span_ns:/ { span = $3 } /^# threshold_ns:/ { threshold = $3 } /^#/ { next }
    $1 < end - 1 || $2 < threshold - 1 { exit 1 } { end = $1 + $2 } end > span + 1 { exit 1 }' \
    "$tmp/r/detour-core$core.samples"
ok "a detour record that fills ends" quiet "$FTQ" -o "$tmp/f" -m detour -c "$core" -d 10s \
    --max-detours 3 --timer clock --threshold 1ns
is "it has as many as it may" "$(count "$tmp/f/detour-core$core.samples")" 3
ok "it says so" grep -q '^# filled: after 3 ' "$tmp/f/detour-core$core.samples"
is "counters are there, or why not" "$(grep -c '^# counters: ' "$tmp/r/ftq-core$core.samples")" 1

ok "a wrong mode" fails 2 "--mode" "$FTQ" -m loud
ok "a wrong core" fails 2 "--core" "$FTQ" -c 65000
ok "no list of cores" fails 2 "--core" "$FTQ" -c x
ok "too many quanta" fails 2 "quanta" "$FTQ" -d 1000000s --quantum 10us
ok "a quantum of nothing" fails 2 "--quantum" "$FTQ" --quantum 0
ok "a duration that is none" fails 2 "--duration" "$FTQ" -d soon
ok "an unknown timer" fails 1 "timer" "$FTQ" --timer sundial -o "$tmp/r"
ok "a folder that cannot be made" fails 1 "No such file" "$FTQ" -o "$tmp/no/where" -d 1ms
touch "$tmp/file"
ok "a folder that is a file" fails 1 "Not a directory" "$FTQ" -o "$tmp/file" -d 1ms
if [ -w /dev/full ]; then
    ok "standard output full" fails 1 "standard output" \
        sh -c '"$@" >/dev/full' sh "$FTQ" -o "$tmp/r" -c "$core" -d 1ms
fi

mkdir "$tmp/full"
if mount -t tmpfs -o size=64k tmpfs "$tmp/full" 2>/dev/null; then
    ok "a full disk" fails 1 "No space left" "$FTQ" -o "$tmp/full" -m ftq -c "$core" -d 100ms \
        --quantum 10us
    is "a full disk has no part of a file" "$(ls "$tmp/full")" ""
    umount "$tmp/full"
else
    skip "a full disk" "cannot mount a small disk"
fi

"$FTQ" -o "$tmp/killed" -c "$core" -d 100s >/dev/null &
sleep 0.5
kill -TERM $!
wait $! 2>/dev/null
is "an interrupted ftq leaves nothing" "$(ls "$tmp/killed")" ""

if [ "${MPGKIT_MPI:-yes}" = no ] || ! [ -x "$PINGPONG" ] || ! command -v "${mpirun%% *}" >/dev/null
then
    skip "pingpong, bandwidth, mpgbench" "built without MPI"
    done_testing
    exit
fi

two() {
    $mpirun -np 2 "$@"
}

ok "pingpong runs" quiet two "$PINGPONG" -o "$tmp/r" -s 0,8,64KiB -i 30 -w 10 -l 4
file=$(ls "$tmp"/r/pingpong-launch4-*.samples)
ok "pingpong's file is whole" whole "$file" "pair size_bytes rtt_ns forward_ns backward_ns"
is "pingpong: iterations of each size" \
    "$(awk '!/^#/ { n[$2]++ } END { print n[0], n[8], n[65536] }' "$file")" "30 30 30"
is "pingpong: launch" "$(sed -n 's/^# launch: //p' "$file")" 4
ok "pingpong: path" grep -Eq '^# path: (core complex|node|between nodes)$' "$file"
is "the eager limit, or why there is none" "$(grep -c '^# eager_limit' "$file")" 1
ok "pingpong: no round trip is negative" awk '!/^#/ && $3 < 0 { exit 1 }' "$file"
ok "bandwidth runs" quiet two "$BANDWIDTH" -o "$tmp/r" -s 1KiB,1MiB -i 20 -w 10
file=$(ls "$tmp"/r/bandwidth-launch0-*.samples)
ok "bandwidth's file is whole" whole "$file" "pair size_bytes window time_ns send_ns transfer_ns"
is "bandwidth: samples of each size, one at a time and streaming, and the empty exchange" \
    "$(awk '!/^#/ { n[$2 " " $3]++ }
        END { print n["0 1"], n["1024 1"], n["1024 64"], n["1048576 1"], n["1048576 64"] }' "$file")" \
    "20 20 20 20 20"
ok "three ranks" quiet $mpirun -np 3 "$PINGPONG" -o "$tmp/r" -s 8 -i 5 -w 5 \
    --no-eager
ok "pingpong with one rank" fails 1 "needs two ranks" $mpirun -np 1 "$PINGPONG" -o "$tmp/r"
ok "bandwidth with one rank" fails 1 "needs two ranks" $mpirun -np 1 "$BANDWIDTH" -o "$tmp/r"
ok "pingpong: a wrong size" fails 2 "--sizes: 'x'" two "$PINGPONG" -s 8,x
ok "pingpong: a size twice" fails 2 "twice" two "$PINGPONG" -s 8,8
ok "pingpong: too many samples" fails 2 "samples" two "$PINGPONG" -s 0,8 -i 99999999
ok "bandwidth: a size out of range" fails 2 "1GiB" two "$BANDWIDTH" -s 2GiB
ok "pingpong: a folder that cannot be made" fails 1 "No such file" \
    two "$PINGPONG" -o "$tmp/no/where" -s 8

ok "mpgbench: a wrong option" fails 2 "wrong option" sh "$MPGBENCH" --loud
ok "mpgbench: no launches" fails 2 "--launches" sh "$MPGBENCH" --launches 0
ok "mpgbench: no mpirun" fails 1 "MPGKIT_MPIRUN" env MPGKIT_MPIRUN=no-such-mpirun \
    MPGKIT_BENCHDIR="$build" sh "$MPGBENCH" -o "$tmp/r"
like "mpgbench: its version is ftq's" "$(MPGKIT_BENCHDIR=$build sh "$MPGBENCH" --version)" \
    "mpgbench (mpgkit) *"
ok "mpgbench: a step that fails" fails 1 "ftq failed" env MPGKIT_BENCHDIR="$build" \
    sh "$MPGBENCH" -o "$tmp/file" --quick
done_testing
