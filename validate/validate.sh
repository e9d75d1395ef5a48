#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares predictions with real runs: measures machines that this host can stand for, traces programs on one, predicts them
# on another, runs them there, and prints the deviations. `make validate` calls this script; --help describes its options,
# docs/VALIDATION.md has results.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
: "${top_srcdir:=$(dirname "$here")}" "${top_builddir:=$PWD}"
: "${MPGSIM:=$top_builddir/simulate/mpgsim}" "${MPGTRACE:=$top_builddir/trace/mpgtrace}"
: "${SIGMAKE:=$top_builddir/signature/sigmake}" "${MPGBENCH:=$top_builddir/bench/mpgbench}"
: "${MPGREPLAY:=$top_builddir/replay/mpgreplay}"
: "${NOISEMAKER:=$top_builddir/tests/bench/noisemaker}"
: "${MPI_LIBRARY:=openmpi}" "${MPICC:=mpicc}" "${MPIRUN:=mpirun}"
# shellcheck source=examples/mpi.sh
. "$top_srcdir/examples/mpi.sh"
# shellcheck source=validate/machines.sh
. "$here/machines.sh"
# shellcheck source=validate/programs.sh
. "$here/programs.sh"
# shellcheck source=validate/steps.sh
. "$here/steps.sh"
# shellcheck source=validate/replays.sh
. "$here/replays.sh"
# shellcheck source=validate/coverage.sh
. "$here/coverage.sh"
# shellcheck source=validate/ablation.sh
. "$here/ablation.sh"

usage() {
    cat <<HELP
Usage: validate.sh [OPTION]...
Holds mpgsim's predictions against real runs, on machines that this host can be; with --replays
mpgreplay's re-enactments against the programs; with --coverage the interval of 90 % of runs
against runs at other times.

Options:
  -o, --output=DIR     where everything is kept: samples, signatures, traces, predictions;
                       what is there already is used and added to (default: validation)
      --pairs=LIST     FROM:TO, or FROM:TO:ratio (default: all)
      --programs=LIST  (default: all)
      --own=FILE       programs of yours beside these, a line each: NAME FOLDER COMMAND [ARGUMENT]...,
                       of FOLDER, where it runs, and COMMAND the whole path
      --rounds=N       runs of each program on each machine (default: 7)
      --traces=N       traces of each program on each machine (default: 5)
      --replays=LIST   only that: programs untraced, traced and re-enacted in turns, on these
                       machines (shm,mpich)
      --coverage=LIST  only that: in each round runs each program once and records it once on these
                       machines, and counts the runs within each recording's predicted interval
      --spread=S       with --coverage: S seconds from the first round to the last (default: 3600)
      --load=N         with --coverage: also record each program beside N endless compilations
      --priority=N     run ranks at real-time priority N, 1 to 99, where others use the host
      --steps=LIST     of measure, run, predict, table (default: all of them); ablate: what each rule
                       of the model is worth, by predictions without it
      --short          measure signatures in seconds, for a test of this script only
      --bench=--full   measure signatures well (default: --quick)
      --write=FILE     put the table into FILE, between its two marks
      --list           print machines, pairs and programs, and exit
  -h, --help           print this help and exit
HELP
}

say() {
    printf 'validate: %s\n' "$*" >&2
}

die() {
    say "$*"
    exit 1
}

usage_error() {
    say "$* (try '$0 --help')"
    exit 2
}

# words LIST: prints the words of LIST, separated by single blanks.
words() {
    # shellcheck disable=SC2086 # a list
    set -- $1
    echo "$*"
}

list() {
    printf 'Machines\n%s\n\nPairs\n' "$machines" | sed 's/^\([a-z]\)/  \1/'
    # shellcheck disable=SC2086 # lists
    printf '  %s\n' $all_pairs
    printf '\nPrograms\n'
    # shellcheck disable=SC2086
    printf '  %s\n' $all_programs
}

# whole NAME VALUE: ends the script unless VALUE, the value of option --NAME, is a whole number of at most four digits.
whole() {
    case $2 in
    '' | *[!0-9]* | 0?* | ?????*) usage_error "--$1: '$2' is not a whole number" ;;
    esac
}

out=validation pairs=$all_pairs programs='' own='' rounds=7 traces=5
steps='measure run predict table' tries=3 most_off=0.02 limit_s=30 short='' bench=--quick write='' machines_replayed='' mark=table
machines_covered='' spread_s=3600 load=0 priority=0
while [ $# -gt 0 ]; do
    option=$1
    case $option in
    --*=*) value=${option#*=} option=${option%%=*} ;;
    -o)
        [ $# -ge 2 ] || usage_error "-o needs an argument"
        value=$2
        shift
        ;;
    *) value='' ;;
    esac
    case $option in
    -o | --output) out=$value ;;
    --pairs) pairs=${value//,/ } ;;
    --programs) programs=${value//,/ } ;;
    --own) own=$value ;;
    --rounds) whole rounds "$value" && rounds=$value ;;
    --traces) whole traces "$value" && traces=$value ;;
    --replays)
        machines_replayed=${value//,/ } steps=replays pairs='' mark=replays
        : "${programs:=$all_replayed}"
        all_programs="$all_programs $all_replayed"
        ;;
    --coverage)
        machines_covered=${value//,/ } steps='measure coverage' pairs='' mark=coverage
        : "${programs:=halo stencil allreduce lammps}"
        ;;
    --spread) whole spread "$value" && spread_s=$value ;;
    --load) whole load "$value" && load=$value ;;
    --priority) whole priority "$value" && priority=$value ;;
    --steps)
        steps=${value//,/ }
        [ "$steps" != ablate ] || mark=ablation
        ;;
    --short) short=yes tries=1 limit_s=300 ;;
    --bench)
        bench=$value
        case $bench in --quick | --full) ;; *) usage_error "--bench: --quick or --full" ;; esac
        ;;
    --write) write=$value ;;
    --list)
        list
        exit
        ;;
    -h | --help)
        usage
        exit
        ;;
    *) usage_error "wrong option '$1'" ;;
    esac
    shift
done

if [ -n "$own" ]; then
    own_programs=$(awk '!/^ *(#|$)/ { if (NF < 3 || $2 !~ /^\// || $3 !~ /^\//) exit 1; print $1 }' "$own") ||
        usage_error "--own: '$own' has a line that is not NAME /FOLDER /COMMAND [ARGUMENT]..."
    all_programs="$all_programs $own_programs"
fi
: "${programs:=$all_programs}"
# Refuses unknown pairs and programs now, not after hours of measuring.
for pair in $pairs; do
    case " $(words "$all_pairs") " in
    *" $pair "*) ;;
    *)
        from=${pair%%:*} to=${pair#*:}
        to=${to%:ratio}
        if ! machine_words "$from" >/dev/null || ! machine_words "$to" >/dev/null; then
            usage_error "no pair '$pair': --list names machines"
        fi
        ;;
    esac
done
for name in $programs; do
    case " $(words "$all_programs") " in
    *" $name "*) ;;
    *) usage_error "no program '$name': there are $(words "$all_programs")" ;;
    esac
done
case " $steps " in *" replays "*) [ -n "$machines_replayed" ] || usage_error "step 'replays' needs --replays" ;; esac
for name in $machines_replayed $machines_covered; do
    machine_words "$name" >/dev/null || usage_error "no machine '$name': --list names them"
done
[ -z "$write" ] || grep -qx "<!-- $mark -->" "$write" || die "$write has no line '<!-- $mark -->'"

# The first two cores that this process may use.
cores=$(taskset -cp $$ | sed 's/.*: //' | awk -F, '{ for (i = 1; i <= NF; i++) {
    split($i, r, "-"); for (c = r[1]; c <= (r[2] == "" ? r[1] : r[2]); c++) print c } }' |
    head -n 2 | tr '\n' ' ')
cores=${cores% }
case $cores in *' '*) ;; *) die "two cores are needed, and there is one" ;; esac
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mpi_forget crowd
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
mkdir -p "$out/samples" "$out/traces" "$out/results" "$out/signatures" "$out/predictions" \
    "$out/log" "$out/work"

predictions=$out/predictions
trap 'stop_load; machine_end' EXIT
trap 'exit 1' HUP INT TERM
used=$(for pair in $pairs; do
    pair=${pair%:ratio}
    echo "${pair%:*}" "${pair#*:}"
done | tr ' ' '\n' | awk '!seen[$0]++')
: "${used:=$machines_covered}"

for step in $steps; do
    case $step in
    measure | run | predict | table | replays | coverage | ablate) "step_$step" || exit 1 ;;
    *) usage_error "no step '$step': there are measure, run, predict, table, ablate, replays and coverage" ;;
    esac
done
