#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The figures of Shanmugam, Malony, Mohr 1995: programs are recorded with n ranks on one core and predicted for n
# processors of other machines. docs/extrap-figures.md has the expected results, --help the usage.
set -eu
usage() {
    cat <<HELP
Usage: figure.sh FIGURE [FOLDER]
Records the programs of FIGURE (4 to 9) with 1, 2, 4 ... 32 ranks on one core and predicts them on the machines of that
figure. Each program is recorded several times; the recording with the least work is kept. Traces go to FOLDER/traces
(default: extrap-figures), where later figures reuse them; the work of all recordings to FOLDER/recordings.tsv; a
table to standard output and FOLDER/figureN.tsv; with gnuplot, pictures to FOLDER/figureN-*.png.

Options:
  -h, --help                  print this help and exit
  -V, --version               print the version and exit

Environment:
  RANKS                       numbers of ranks (default "1 2 4 8 16 32")
  RECORDINGS                  how often each program is recorded with each number of ranks (default 3)
  SUN4                        how much longer the paper's Sun 4 (1.1360 MFLOPS) computes than this machine: what
                              MipsRatio 1 of the paper is here (default 1000)
  CORE                        which core records (default 0)
  MPGTRACE, MPGSIM, PROGRAMS  the programs, and the folder of those that are recorded (default: those of the build
                              folder that is the current one, else of PATH; the latter are compiled if there are none)
  MPICC, MPIRUN               MPI's compiler and launcher (default: mpicc, mpirun)
HELP
}
self=$(dirname "$0")
figure=${1-}
version=''
case $figure in
-h | --help) usage; exit ;;
-V | --version) version=yes ;;
[4-9]) ;;
*) echo "figure.sh: '$figure' is not a figure from 4 to 9 (try '$0 --help')" >&2; exit 2 ;;
esac
find_program() { # NAME PATH-IN-BUILD-TREE
    if [ -x "./$2" ]; then echo "$PWD/$2"; else command -v "$1"; fi
}
need() { # PROGRAM VARIABLE
    echo "figure.sh: $1 not found: install mpgkit, or set $2 to its path" >&2
    exit 1
}
mpgsim=${MPGSIM:-$(find_program mpgsim simulate/mpgsim)} || need mpgsim MPGSIM
if [ -n "$version" ]; then
    line=$("$mpgsim" --version)
    echo "figure.sh${line#mpgsim}"
    exit
fi
mpgtrace=${MPGTRACE:-$(find_program mpgtrace trace/mpgtrace)} || need mpgtrace MPGTRACE
out=${2:-extrap-figures}
ranks=${RANKS:-1 2 4 8 16 32}
sun4=${SUN4:-1000}
recordings=${RECORDINGS:-3}
case $recordings in
'' | *[!0-9]* | 0) echo "figure.sh: RECORDINGS='$recordings' must be a number from 1" >&2; exit 2 ;;
esac
mkdir -p "$out/traces" "$out/targets"

# Open MPI with these settings: waiting ranks yield the core, and a remote read needs no action of its target.
# (MPICH spins, and wastes a time slice in each turn.)
# shellcheck source=examples/mpi.sh
. "$self/../mpi.sh"
mpi_set "${MPIRUN:-mpirun}" crowd yield windows

# program NAME: prints the command line of a program
program() {
    case $1 in
    embar) echo embar --log2-pairs 25 ;;
    cyclic) echo cyclic --log2-equations 13 --systems 256 ;;
    sparse) echo sparse --rows 14000 --nonzero 11 --shift 20 --iterations 1 ;;
    grid) echo grid --iterations 100 ;;
    mgrid) echo mgrid --log2-side 5 --cycles 4 ;;
    poisson) echo poisson --log2-points 9 --solves 5 ;;
    sort) echo sort --log2-keys 21 ;;
    matmul-*)
        kinds=$(echo "${1#matmul-}" | sed 's/B/0/g; s/C/1/g; s/W/2/g')
        echo matmul --size 1024 --columns 64 --distribute-rows "${kinds%?}" --distribute-columns "${kinds#?}" ;;
    esac
}

# keys NAME: prints the keys of a machine that differ from the paper's distributed memory (docs/extrap-figures.md); mipsN has N
# times the figures' MipsRatio 1
keys() {
    mips=1
    case $1 in mips*) mips=${1#mips}; mips=${mips%%-*} ;; esac
    case $1 in cm5) mips=0.41 ;; esac
    awk -v a="$sun4" -v b="$mips" 'BEGIN { printf "MipsRatio = %.10g\n", a * b }'
    case $1 in
    *-startup5) echo 'CommStartupTime = 5us' ;;
    *-startup10) echo 'CommStartupTime = 10us' ;;
    *-startup200) echo 'CommStartupTime = 200us' ;;
    bandwidth200) echo 'ByteTransferTime = 0.005us' ;;
    interrupt*) printf 'Policy = interrupt\nInterruptTime = %sus\n' "${1#interrupt}" ;;
    poll*) printf 'Policy = poll\nPollTime = 1us\nPollInterval = %sus\n' "${1#poll}" ;;
    quickpoll*) printf 'Policy = poll\nPollTime = 0.1us\nPollInterval = %sus\n' "${1#quickpoll}" ;;
    cm5) printf 'ModelTime = 5us\nCommStartupTime = 10us\nByteTransferTime = 0.118us\n' ;;
    ideal)
        for key in CommStartupTime ByteTransferTime EntryTime ExitTime CheckTime ExitCheckTime ModelTime BarrierByMsgs; do
            echo "$key = 0"
        done ;;
    esac
}

# supposed MACHINE: prints the hypotheses about the program
supposed() {
    case $1 in true-size*) echo 'resize call=Get bytes=128' ;; esac
}

# curves: prints lines of PANEL PROGRAM MACHINE; shows: prints a panel's quantity, time or speedup
curves() {
    case $1 in
    4) for p in embar cyclic sparse grid mgrid poisson sort; do echo speedup "$p" distributed; done ;;
    5)
        for machine in distributed bandwidth200 ideal; do echo speedup grid "$machine"; done
        for machine in true-size true-size-startup10; do echo speedup grid "$machine"; done ;;
    6)
        for p in embar cyclic sort mgrid poisson; do
            for mips in 2 1 0.5; do echo "$p" "$p" "mips$mips"; done
        done ;;
    7) for mips in 1 0.25; do for s in 5 100 200; do echo time mgrid "mips$mips-startup$s"; done; done ;;
    8)
        for p in cyclic grid; do
            for machine in none interrupt100 poll100 poll1000; do echo "$p" "$p" "$machine"; done
        done
        # polling wins with more expensive interrupts or cheaper checks (docs/extrap-figures.md)
        for machine in interrupt1000 quickpoll100 quickpoll1000; do echo slow cyclic "$machine"; done ;;
    9) for d in BB BC BW CB CC CW WB WC WW; do echo time "matmul-$d" cm5; done ;;
    esac
}
shows() { # PANEL: panels of one program show time in figures 6 (embar) and 8, speed-up in 6
    case $figure$1 in
    ?time | 8* | 6embar) echo time ;;
    *) echo speedup ;;
    esac
}

# compiled NAME: prints the path of the program, from the build tree or compiled from source
compiled() {
    for folder in "${PROGRAMS:-.}" "$PWD/examples/extrap" "$out"; do
        if [ -x "$folder/$1" ] && [ ! -d "$folder/$1" ]; then
            echo "$folder/$1"
            return
        fi
    done
    "${MPICC:-mpicc}" -g -O2 -o "$out/$1" "$self/$1.c" "$self/extrap.c" -lm
    echo "$out/$1"
}
# work TRACE: prints the CPU time of all ranks in ns
work() {
    printf 'MipsRatio = 1\nProcessors = 1\n' > "$out/one.par"
    for key in CommStartupTime ByteTransferTime EntryTime ExitTime CheckTime ExitCheckTime ModelTime BarrierByMsgs; do
        echo "$key = 0"
    done >> "$out/one.par"
    predicted "$out/one.par" "$1"
}
# predicted TARGET TRACE [OPTION]...: prints the run time in ns
predicted() {
    machine_file=$1
    trace_folder=$2
    shift 2
    "$mpgsim" --target "$machine_file" "$@" --json "$trace_folder" > "$out/answer.json" 2> "$out/log" < /dev/null ||
        { cat "$out/log" >&2; exit 1; }
    awk '/"run_time_ns": *\{/ { inside = 1 }
        inside && /"median":/ { gsub(/[^0-9.e+-]/, "", $2); print $2; exit }' "$out/answer.json"
}
# record NAME N: records RECORDINGS times and keeps the trace with the least work; warns above 10 % variation
record() {
    # shellcheck disable=SC2046 # a list of words
    set -- "$1" "$2" $(program "$1")
    trace=$out/traces/$1.$2
    [ ! -e "$trace" ] || return 0
    refused=$(case $3 in cyclic | sort) awk -v n="$2" 'BEGIN { while (n > 1) n /= 2; if (n < 1) print "yes" }' ;; esac)
    [ -z "$refused" ] || return 0
    application=$(compiled "$3")
    echo "figure.sh: recording $1, ranks: $2" >&2
    name=$1 n=$2 least='' works=''
    shift 3
    for _ in $(seq "$recordings"); do
        rm -rf "$trace.new"
        if ! "${MPIRUN:-mpirun}" -np "$n" taskset -c "${CORE:-0}" "$mpgtrace" record --cpu-time -o "$trace.new" \
            "$application" "$@" > "$out/log" 2>&1 || ! grep -q ': result correct$' "$out/log"; then
            sed 's/^/figure.sh: /' "$out/log" >&2
            echo "figure.sh: $name failed with $n ranks" >&2
            exit 1
        fi
        [ "$predicts" ] || { mv "$trace.new" "$trace"; return 0; } # its work cannot be measured
        took=$(work "$trace.new")
        works="$works $took"
        if [ -z "$least" ] || awk -v a="$took" -v b="$least" 'BEGIN { exit !(a < b) }'; then
            least=$took
            rm -rf "$trace.least"
            mv "$trace.new" "$trace.least"
        fi
    done
    rm -rf "$trace.new"
    mv "$trace.least" "$trace"
    echo "$name $n$works" | awk '{ low = high = $3; line = $1 "\t" $2
        for (i = 3; i <= NF; i++) { if ($i < low) low = $i; if ($i > high) high = $i; line = line sprintf("\t%.0f", $i) }
        print line
        if (high > 1.1 * low)
            printf "figure.sh: %s, %d ranks: the most work of %d recordings is %.0f %% above the least, which is kept; " \
                "other load on this machine? Times of the table differ by as much\n", $1, $2, NF - 2, \
                (high / low - 1) * 100 > "/dev/stderr" }' >> "$out/recordings.tsv"
}

predicts=yes
"$mpgsim" --help | grep -q -e '--target' || predicts=''
curves "$figure" | while read -r panel name machine; do
    for n in $ranks; do record "$name" "$n" < /dev/null; done
    keys "$machine" > "$out/targets/$machine.par"
done
if [ -z "$predicts" ]; then
    echo "figure.sh: recorded in $out/traces; no prediction: this mpgsim has no --target" >&2
    exit
fi

table=$out/figure$figure.tsv
printf 'panel\tprogram\tmachine\tranks\ttime_ns\tspeedup\n' > "$table.new"
curves "$figure" | while read -r panel name machine; do
    one=
    for n in $ranks; do
        [ -e "$out/traces/$name.$n" ] || continue
        supposed=$(supposed "$machine")
        # A single rank with elements reads nothing, so the hypotheses have no target.
        "$mpgtrace" stat "$out/traces/$name.$n" | grep -q '^MPI_Get ' || supposed=
        time=$(predicted "$out/targets/$machine.par" "$out/traces/$name.$n" ${supposed:+--hypothesis "$supposed"})
        [ "$n" != 1 ] || one=$time
        awk -v p="$panel" -v a="$name" -v m="$machine" -v n="$n" -v t="$time" -v one="$one" 'BEGIN {
            printf "%s\t%s\t%s\t%d\t%.0f\t%s\n", p, a, m, n, t, one == "" ? "-" : sprintf("%.3f", one / t) }' \
            >> "$table.new"
    done
done
mv "$table.new" "$table"
awk -F '\t' -v ranks="$ranks" '
    NR == 1 { n = split(ranks, rank, " "); next }
    { key = sprintf("%-10s %-16s", $2, $3); if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
      time[key, $4] = sprintf("%.5g", $5 / 1e6); speedup[key, $4] = $6 }
    function show(title, what,  i, k) {
        printf "%-28s", title
        for (i = 1; i <= n; i++) printf "%10s", rank[i]
        print ""
        for (k = 1; k <= keys; k++) {
            printf "%-28s", order[k]
            for (i = 1; i <= n; i++) printf "%10s", what ? time[order[k], rank[i]] : speedup[order[k], rank[i]]
            print ""
        }
    }
    END { show("time (ms), ranks", 1); print ""; show("speed-up, ranks", 0) }' "$table"

command -v gnuplot > /dev/null || exit 0
for panel in $(curves "$figure" | awk '!seen[$1]++ { print $1 }'); do
    what=$(shows "$panel")
    data=$out/figure$figure-$panel.dat
    awk -F '\t' -v panel="$panel" -v what="$what" '
        $1 != panel { next }
        { key = $2 " " $3 }
        key != last { printf "%s\"%s\"\n", last == "" ? "" : "\n\n", key; last = key }
        { print $4, what == "time" ? $5 / 1e6 : $6 }' "$table" > "$data"
    title="Figure $figure"
    [ "$panel" = "$what" ] || title="$title, $panel"
    gnuplot <<PLOT
set terminal pngcairo size 800,500
set output "$out/figure$figure-$panel.png"
set title "$title"
set xlabel "processors"
set ylabel "$([ "$what" = time ] && echo 'time (ms)' || echo 'speed-up')"
set logscale x 2
$([ "$what" = time ] && echo 'set logscale y')
set key outside right
set grid
stats "$data" using 1:2 nooutput
plot for [i = 0:STATS_blocks - 1] "$data" index i using 1:2 with linespoints title columnheader(1)
PLOT
    echo "plot: $out/figure$figure-$panel.png" >&2
done
