#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares what mpgsim says of a daemon's noise with real runs: a daemon that computes in each period (examples/hybrid/daemon.c)
# runs on the second of two cores. Programs run in turns with and without the daemon; the predictions are from one recording
# without the daemon, and from signatures measured with and without the daemon. Needs root, for the causes of noise
# (mpgbench ftq --causes) and the real-time class; `make validate-daemon` calls it.
#
# Usage: validate/daemon.sh [--output=DIR] [--runs=N] [--duration=TIME] [--period=US] [--use=US] [PROGRAM]...
#   --output=DIR      keep signatures, traces and run times in DIR; what is there already is used (default: a temporary folder)
#   --runs=N          real runs of each program with the daemon, and without (default: 7)
#   --duration=TIME   how long the noise of each core is measured (default: 10s)
#   --period, --use   the daemon computes for US microseconds in each period of US microseconds (default: 10000 and 1000)
#   PROGRAM           PROGRAM-ARGUMENT-... of validate/programs/ (default: stencil-1500-2048-500-50 allreduce-2000-1-400)
# PRIORITY (chrt -f 20, below the daemon's 40) goes before the launcher and ftq on a busy host.
# Prints a table: medians and ranges of real runs, predicted runs, and their difference, in ms and %.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
: "${top_srcdir:=$(dirname "$here")}" "${top_builddir:=$PWD}" "${MPICC:=mpicc}" "${MPGSIM:=$top_builddir/simulate/mpgsim}"
top_builddir=$(cd "$top_builddir" && pwd) top_srcdir=$(cd "$top_srcdir" && pwd)
bench=$top_builddir/bench

skip_all() {
    echo "daemon.sh: $*" >&2
    exit 2
}

# shellcheck source=examples/mpi.sh
. "$top_srcdir/examples/mpi.sh"
# shellcheck source=validate/timer.sh
. "$top_srcdir/validate/timer.sh"

output='' runs=7 duration=10s period=10000 use=1000
while [ $# -gt 0 ]; do
    case $1 in
    --output=*) output=${1#*=} ;;
    --runs=*) runs=${1#*=} ;;
    --duration=*) duration=${1#*=} ;;
    --period=*) period=${1#*=} ;;
    --use=*) use=${1#*=} ;;
    -*) skip_all "no option '$1'" ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || set -- stencil-1500-2048-500-50 allreduce-2000-1-400
[ "$(id -u)" -eq 0 ] || skip_all "only root sees the causes of noise"
[ "$(nproc)" -ge 2 ] || skip_all "needs two cores"
tmp=$(mktemp -d) || exit 1
daemon=''
trap 'stop_daemon; rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM
: "${output:=$tmp}"
mkdir -p "$output" && cd "$output" && output=$PWD || exit 1
mpi_set "${MPIRUN:-mpirun}" root
mpirun="${PRIORITY-} ${MPIRUN:-mpirun}"

start_daemon() {
    "$tmp/noisy" 1 "$period" "$use" 2>/dev/null &
    daemon=$!
}
stop_daemon() {
    [ -z "$daemon" ] || { kill "$daemon"; wait "$daemon"; } 2>/dev/null
    daemon=''
}

# measure NAME: makes the signature NAME.sig of this host as it is now
measure() {
    # shellcheck disable=SC2086 # PRIORITY and mpirun may have arguments
    ${PRIORITY-} "$bench/ftq/ftq" --mode=detour --causes --together --duration="$duration" -c 0,1 -o "results.$1" >/dev/null &&
        $mpirun -np 2 --bind-to core "$bench/pingpong/pingpong" -q -o "results.$1" >/dev/null &&
        $mpirun -np 2 --bind-to core "$bench/overhead/overhead" -q -o "results.$1" >/dev/null &&
        $mpirun -np 2 --bind-to core "$bench/collective/collective" -q -o "results.$1" >/dev/null &&
        "$top_builddir/signature/sigmake" -o "$1.sig" "results.$1"
}

# ran COMMAND...: prints the run time of the slower rank, ns, by the preloaded timer
ran() {
    rm -f "$tmp/timer"
    # shellcheck disable=SC2086 # mpirun may have arguments
    MPGKIT_TIMER=$tmp/timer $mpirun -np 2 --bind-to core env LD_PRELOAD="$tmp/timer.so" "$@" >/dev/null || return 1
    slowest_ns "$tmp/timer"
}

# predicted TRACE ARGUMENT...: prints the predicted run time, ns
predicted() {
    "$MPGSIM" --json --predict --source=quiet.sig --signature=daemon.sig "$@" 2>/dev/null |
        awk '/"run_time_ns"/ { on = 1 } on && /"median"/ { print $2 + 0; exit }'
}

# compared FILE NS: prints median and range of the run times in FILE, the prediction NS, and its difference
compared() {
    sort -n "$1" | awk -v ns="$2" '
        { t[NR] = $1 / 1e6 }
        END {
            median = NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2
            printf "%.0f (%.0f .. %.0f) | %.0f | %+.1f", median, t[1], t[NR], ns / 1e6, 100 * (ns / 1e6 / median - 1)
        }'
}

cc -O2 -o "$tmp/noisy" "$top_srcdir/examples/hybrid/daemon.c" &&
    $MPICC -std=gnu11 -O2 -I"$top_srcdir" -shared -fPIC -o "$tmp/timer.so" "$top_srcdir/validate/preload/timer.c" -ldl || exit 1
for program; do
    $MPICC -std=gnu11 -O2 -I"$top_srcdir" -o "$tmp/${program%%-*}" "$top_srcdir/validate/programs/${program%%-*}.c" || exit 1
done
[ -s quiet.sig ] || measure quiet || skip_all "the host cannot be measured"
[ -s daemon.sig ] || { start_daemon; measure daemon; } || skip_all "the host cannot be measured with the daemon"
stop_daemon
for program; do
    IFS=- read -ra command <<<"$program"
    # shellcheck disable=SC2086 # mpirun may have arguments
    [ -e "$program.trace" ] || $mpirun -np 2 --bind-to core "$top_builddir/trace/mpgtrace" record --quiet --cpu-time \
        -o "$program.trace" "$tmp/${command[0]}" "${command[@]:1}" || exit 1
    [ -s "$program.with" ] || for _ in $(seq "$runs"); do
        ran "$tmp/${command[0]}" "${command[@]:1}" >>"$program.without" || exit 1
        start_daemon
        ran "$tmp/${command[0]}" "${command[@]:1}" >>"$program.with" || exit 1
        stop_daemon
    done
done
echo "| program | with the daemon, ms | predicted | off, % | without | predicted | off, % |"
echo "|---|---|--:|--:|---|--:|--:|"
for program; do
    echo "| $program | $(compared "$program.with" "$(predicted "$program.trace")") |" \
        "$(compared "$program.without" "$(predicted --without-noise='task noisy' "$program.trace")") |"
done
