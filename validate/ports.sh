#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares predictions with real runs where messages share ports: two hosts made of network namespaces (tests/two-hosts.sh), whose
# ports are token buckets, with two ranks each, that is four ranks on the cores of this host. The signature is measured between the
# two hosts, the traces are recorded on this host over shared memory. Needs root, tc (iproute2) and Open MPI; `make validate-ports`
# calls it. The ranks are predicted on the cores of this host (--cores).
#
# Usage: validate/ports.sh [--output=DIR] [--runs=N] [--unit=NS] [--rate=RATE] [--burst=BYTES] [--commands=FILE] [PROGRAM]...
#   --output=DIR    keep signature, traces and run times in DIR; what is there already is used (default: a temporary folder)
#   --runs=N        real runs of each program (default: 7)
#   --unit=NS       the real runs wait NS for each unit of work (about a microsecond), and yield the core: ranks do not compete
#                   for cores
#   --rate, --burst of each port, as tc writes them (default: 1gbit, 128kb)
#   --commands=FILE other programs, a line each: a name, a tab, and the command for four ranks
#   PROGRAM         PATTERN-STEPS-BYTES-WORK of validate/programs/ports.c or kernels.c (default: those of docs/VALIDATION.md)
# PRIORITY (chrt -f 20) goes before the launcher: on a busy host, ranks of four wait for other programs.
# Prints a table: run time in ms, median and range of the real runs; predicted without and with sharing, and their errors.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
: "${top_srcdir:=$(dirname "$here")}" "${top_builddir:=$PWD}" "${MPICC:=mpicc}" "${MPGSIM:=$top_builddir/simulate/mpgsim}"
top_builddir=$(cd "$top_builddir" && pwd) top_srcdir=$(cd "$top_srcdir" && pwd)
mpirun=${MPIRUN:-mpirun}

skip_all() {
    echo "ports.sh: $*" >&2
    exit 2
}

# shellcheck source=examples/mpi.sh
. "$top_srcdir/examples/mpi.sh"
# shellcheck source=tests/two-hosts.sh
. "$top_srcdir/tests/two-hosts.sh"
# shellcheck source=validate/timer.sh
. "$top_srcdir/validate/timer.sh"

output='' runs=7 unit='' rate=1gbit burst=128kb commands=''
while [ $# -gt 0 ]; do
    case $1 in
    --output=*) output=${1#*=} ;;
    --runs=*) runs=${1#*=} ;;
    --unit=*) unit=${1#*=} ;;
    --rate=*) rate=${1#*=} ;;
    --burst=*) burst=${1#*=} ;;
    --commands=*) commands=$(realpath -- "${1#*=}") || exit 1 ;;
    -*) skip_all "no option '$1'" ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || [ -n "$commands" ] || set -- stream-100-200000-500 stream-20-1000000-500 pairs-100-200000-500 pairs-20-1000000-500 pairs-100-200000-0 \
    ring-100-200000-500 ring-20-1000000-500 halo-100-200000-500 halo-20-1000000-500 everybody-50-200000-500 \
    everybody-200-40000-500 alltoall-50-200000-500 alltoall-10-1000000-500 allreduce-50-400000-500 allgather-50-200000-500 \
    grid-60-400000-800 mixed-60-300000-1000 nbody-20-150000-2000 farm-15-300000-4000 wavefront-25-100000-2000 \
    solver-60-150000-1500 trainer-20-400000-4000 fft-25-100000-1000 sort-30-120000-2000 gather-40-150000-1500 \
    gradient-30-600000-2000 linear-40-300000-1500 output-50-200000-1000 random-60-150000-1000
[ -z "$output" ] || { mkdir -p "$output" && output=$(cd "$output" && pwd); } || exit 1

open_hosts
: "${output:=$tmp}"
case $launcher in openmpi*) ;; *) skip_all "MPICH's ranks spin while they wait: four on two cores take minutes" ;; esac
for host in "$a" "$b"; do
    tc -n "$host" qdisc add dev veth0 root tbf rate "$rate" burst "$burst" latency 200ms 2>/dev/null || skip_all "no tbf here"
done
mpi_set "$mpirun" yield
# The ranks of the other host, too, are started with the priority.
sed -i "s/^exec /exec ${PRIORITY-} /" agent
plain=$mpirun
mpirun="${PRIORITY-} $mpirun"

# measure: makes the signature $output/ports.sig of messages between the hosts, and on a host
measure() {
    local bench=$top_builddir/bench r=$output/results
    # shellcheck disable=SC2086 # mpirun may have arguments
    on_hosts 100 1 "$bench/pingpong/pingpong" -o "$r" -s 0,8,1KiB,4KiB,16KiB,64KiB,128KiB,256KiB,512KiB,1MiB,4MiB -i 40 &&
        on_hosts 100 1 "$bench/bandwidth/bandwidth" -o "$r" -s 8,4KiB,64KiB,256KiB,1MiB -i 20 &&
        on_hosts 100 1 "$bench/overhead/overhead" -o "$r" -s 8,4KiB,64KiB,256KiB,1MiB -i 20 &&
        on_hosts 200 2 "$bench/sharing/sharing" -o "$r" -s 64KiB,256KiB,1MiB,4MiB -i 20 --no-bind &&
        on_hosts 200 2 "$bench/collective/collective" -o "$r" -q &&
        "$bench/ftq/ftq" --mode=detour --together --duration=4s -o "$r" >/dev/null &&
        ip netns exec "$a" $mpirun -np 2 "$bench/pingpong/pingpong" -o "$r" -s 0,8,4KiB,64KiB,256KiB,1MiB -i 40 >/dev/null &&
        "$top_builddir/signature/sigmake" -o "$output/ports.sig" "$r"
}

# predicted TRACE HOW: prints the predicted run time, ns
predicted() {
    # the ranks of both hosts have the cores of this host, unless they wait by the clock
    local cores
    cores=--cores=$(nproc)
    [ -z "$unit" ] || cores=--cores=4
    "$MPGSIM" --json --predict --source=none --signature "$output/ports.sig" --map=block:2 "$cores" --contention="$2" \
        "$1" 2>/dev/null | awk '/"run_time_ns"/ { on = 1 } on && /"median"/ { print $2 + 0; exit }'
}

# ran COMMAND...: prints the run time of the slowest rank of a run on both hosts, ns, by the preloaded timer
ran() {
    rm -f timer
    MPGKIT_TIMER=$PWD/timer on_hosts 60 2 env LD_PRELOAD="$output/timer.so" "$@" >/dev/null || return 1
    slowest_ns timer
}

for name in ports kernels; do
    $MPICC -std=gnu11 -O2 -I"$top_srcdir" -o "$output/$name" "$top_srcdir/validate/programs/$name.c" &&
        $MPICC -std=gnu11 -O2 ${unit:+"-DMPG_UNIT_NS=$unit"} -I"$top_srcdir" -o "$output/$name-run" \
            "$top_srcdir/validate/programs/$name.c" || exit 1
done
$MPICC -std=gnu11 -O2 -I"$top_srcdir" -shared -fPIC -o "$output/timer.so" "$top_srcdir/validate/preload/timer.c" -ldl || exit 1
[ -s "$output/ports.sig" ] || measure || skip_all "the hosts cannot be measured"
echo "| program | real runs, ms | predicted alone, ms | off, % | predicted sharing, ms | off, % |"
echo "|---|---|--:|--:|--:|--:|"

# compare NAME TITLE TRACED RUN: prints the row TITLE of the command TRACED, as recorded, and RUN, its words, as run on both hosts;
# files are called NAME
compare() {
    local trace=$output/$1.trace runs_of=$output/$1${unit:+-$unit}.runs
    # shellcheck disable=SC2046,SC2086 # words
    [ -e "$trace" ] || env $(mpi_settings "$plain" crowd shm yield) ${PRIORITY-} $plain -np 4 --bind-to none \
        "$top_builddir/trace/mpgtrace" record --quiet --cpu-time -o "$trace" $3 >/dev/null || return 1
    touch "$runs_of"
    while [ "$(wc -l <"$runs_of")" -lt "$runs" ]; do
        # shellcheck disable=SC2086 # words
        ran $4 >>"$runs_of" || return 1
    done
    sort -n "$runs_of" | awk -v program="$2" -v alone="$(predicted "$trace" none)" \
        -v shared="$(predicted "$trace" auto)" '
        { t[NR] = $1 / 1e6 }
        END {
            median = NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2
            printf "| %s | %.0f (%.0f .. %.0f) | %.0f | %+.1f | %.0f | %+.1f |\n", program, median, t[1], t[NR], alone / 1e6,
                   100 * (alone / 1e6 / median - 1), shared / 1e6, 100 * (shared / 1e6 / median - 1)
        }'
}

for program; do
    IFS=- read -r pattern steps bytes work <<<"$program"
    binary=$output/kernels
    ! grep -q "{\"$pattern\"," "$top_srcdir/validate/programs/ports.c" || binary=$output/ports
    compare "$program" "$pattern, $steps x $bytes B, $work us" "$binary $pattern $steps $bytes $work" \
        "$binary-run $pattern $steps $bytes $work" || exit 1
done
[ -z "$commands" ] || while IFS=$'\t' read -r name command <&3; do
    compare "$name" "$name" "$command" "$command" || exit 1
done 3<"$commands"
