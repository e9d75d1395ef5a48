#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How far predictions move when a constant of the model is halved and doubled (docs/notes/constants.md): for each
# constant mpgsim is built with the other value from a copy of the sources, and predicts recorded programs again.
#
# Usage: validate/constants.sh FOLDER [NAME]...     (NAME: of the list below; default: all of it)
# FOLDER: the output of `make validate`, with traces and signatures (build/validation); nothing is written into it.
# Environment: PROGRAMS, PAIRS (of machines, FROM:TO), REPLICAS, WORK (where to build; default a temporary folder).
# Prints rows of a table: constant, value, and for each other value how many predictions moved by 1 % of the predicted
# run or more and the largest move. Exit 1 if a constant is not found in its file or a prediction fails with all rules.
set -u

# Each line: name; source file ("-": the constant is an option's value); text in the file that sets the constant; this
# text with half and with double the value; options of mpgsim besides --source and --signature ("-": none).
constants='waiting-call-ns|simulate/evaluate/prepass/floors.c|MAY_TAKE_NS = 1000|MAY_TAKE_NS = 500|MAY_TAKE_NS = 2000|-
disturbed-medians|simulate/models/sizes.c|disturbed = 20|disturbed = 10|disturbed = 40|-
waited-sends|graph/matching/eager_limit.c|WAITED_OFTEN = 8|WAITED_OFTEN = 4|WAITED_OFTEN = 16|-
eager-sizes|graph/matching/eager_limit.c|MAX_SIZES = 65536|MAX_SIZES = 32768|MAX_SIZES = 131072|-
class-intervals|simulate/evaluate/prepass/classes.c|MIN_ALIKE = 8|MIN_ALIKE = 4|MIN_ALIKE = 16|-
class-windows|simulate/evaluate/prepass/classes.c|WINDOWS = 16|WINDOWS = 8|WINDOWS = 32|-
window-intervals|simulate/evaluate/prepass/classes.c|WINDOW_INTERVALS = 512|WINDOW_INTERVALS = 256|WINDOW_INTERVALS = 1024|-
first-window|simulate/evaluate/prepass/classes.c|FIRST_SHIFT = 20|FIRST_SHIFT = 19|FIRST_SHIFT = 21|-
histogram-bins|simulate/noise/histogram.h|MPG_HISTOGRAM_BINS = 128|MPG_HISTOGRAM_BINS = 64|MPG_HISTOGRAM_BINS = 256|-
loss-steps|simulate/noise/losses.h|MPG_LOSS_STEPS_AN_OCTAVE = 16|MPG_LOSS_STEPS_AN_OCTAVE = 8|MPG_LOSS_STEPS_AN_OCTAVE = 32|-
loss-works|simulate/noise/losses.c|WORKS_AN_OCTAVE = 8|WORKS_AN_OCTAVE = 4|WORKS_AN_OCTAVE = 16|-
removal-cells|simulate/noise/removal.h|MPG_REMOVAL_CELLS = 64|MPG_REMOVAL_CELLS = 32|MPG_REMOVAL_CELLS = 128|-
free-rounds|simulate/noise/removal.c|FREE_ROUNDS = 20|FREE_ROUNDS = 10|FREE_ROUNDS = 40|-
rounds|simulate/noise/removal.c|ROUNDS = 60 |ROUNDS = 30 |ROUNDS = 120 |-
bin-intervals|simulate/noise/removal.c|MIN_INTERVALS = 2;|MIN_INTERVALS = 1;|MIN_INTERVALS = 4;|-
removal-deviations|simulate/noise/removal.c|DEVIATIONS = 2;|DEVIATIONS = 1;|DEVIATIONS = 4;|-
record-parts|simulate/noise/resampled.h|MPG_BOOTSTRAP_BLOCKS = 16,|MPG_BOOTSTRAP_BLOCKS = 8, |MPG_BOOTSTRAP_BLOCKS = 32,|-
measurements|simulate/noise/resampled.h|MPG_MEASUREMENTS = 32,|MPG_MEASUREMENTS = 16,|MPG_MEASUREMENTS = 64,|-
renewal-detours|simulate/noise/renewal.c|DETOURS_A_BLOCK = 256|DETOURS_A_BLOCK = 128|DETOURS_A_BLOCK = 512|--models=noise=renewal
quanta-lags|simulate/noise/quanta.c|MAX_LAGS = 256|MAX_LAGS = 128|MAX_LAGS = 512|--models=noise=ecdf
quanta-memory|simulate/noise/quanta.c|MAX_MEMORY = 512|MAX_MEMORY = 256|MAX_MEMORY = 1024|--models=noise=ecdf
quanta-errors|simulate/noise/quanta.c|SIGNIFICANT = 3;|SIGNIFICANT = 1.5;|SIGNIFICANT = 6;|--models=noise=ecdf
left-one-in|graph/progress_evidence.c|ONE_IN = 10|ONE_IN = 5|ONE_IN = 20|--hypothesis=resize factor=1
waited-often|graph/progress_evidence.h|MPG_WAITED_OFTEN = 2|MPG_WAITED_OFTEN = 1|MPG_WAITED_OFTEN = 4|--hypothesis=resize factor=1
calls-kept|graph/matching/weak_progress.h|PROGRESS_CALLS_KEPT = 64|PROGRESS_CALLS_KEPT = 32|PROGRESS_CALLS_KEPT = 128|--hypothesis=resize factor=1
way-explains|graph/nbc_progress/observe.c|MORE = 0.05|MORE = 0.025|MORE = 0.1|--hypothesis=resize factor=1
ahead-calls|graph/schedule/completion_times.c|MAX_AHEAD = 65536|MAX_AHEAD = 32768|MAX_AHEAD = 131072|--absorb=wait
horizon|-||--horizon=32768|--horizon=131072|-
polling-interval|-||--polling=interval=5us|--polling=interval=20us|-'

[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$(cd "$1" && pwd) || exit 2
shift
names=" $* "
source=$(cd "$(dirname "$0")/.." && pwd) || exit 2
PROGRAMS=${PROGRAMS:-halo hpcc lammps snap workers}
PAIRS=${PAIRS:-shm:tcp tcp:shm}
REPLICAS=${REPLICAS:-16}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" || exit 2
else
    WORK=$(mktemp -d) || exit 2
    trap 'rm -rf "$WORK"' EXIT
fi

fail() {
    echo "constants.sh: $*" >&2
    exit 1
}

# built NAME [FILE OLD NEW]: builds mpgsim as $WORK/NAME, with the text NEW in place of OLD in source file FILE, which
# is restored afterwards.
built() {
    local file=$WORK/source/${2:-}
    if [ $# -gt 1 ]; then
        cp -p "$file" "$WORK/before" || return
        awk -v old="$3" -v new="$4" '{
            at = index($0, old)
            print at ? substr($0, 1, at - 1) new substr($0, at + length(old)) : $0
        }' "$WORK/before" >"$file"
        if cmp -s "$file" "$WORK/before"; then
            echo "constants.sh: there is no \"$3\" in $2" >&2
            return 1
        fi
    fi
    make -s -C "$WORK/build" simulate/mpgsim >"$WORK/log" 2>&1
    local status=$?
    cp "$WORK/build/simulate/mpgsim" "$WORK/$1"
    if [ $# -gt 1 ]; then
        cat "$WORK/before" >"$file"
    fi
    return $status
}

# predicted MPGSIM FILE OPTION...: predicts all programs with the executable MPGSIM; writes lines "pair program mode
# run_time_ns" to FILE, with the median run time, "-" if there is no prediction.
predicted() {
    local mpgsim=$1 file=$2 pair program mode from trace run
    shift 2
    for pair in $PAIRS; do
        from=$folder/signatures/${pair%%:*}.sig
        for program in $PROGRAMS; do
            trace=$WORK/traces/$program.${pair%%:*}.1
            [ -d "$trace" ] || continue
            for mode in perturb predict; do
                run=$(timeout 120 "$mpgsim" --json --cache=fresh --replicas="$REPLICAS" "--$mode" --source="$from" \
                    --signature="$folder/signatures/${pair#*:}.sig" "$@" "$trace" 2>"$WORK/error" |
                    awk '/"run_time_ns"/ { on = 1 } on && /"median"/ { print $2 + 0; exit }')
                echo "$pair $program $mode ${run:--}"
            done
        done
    done >"$file"
}

# moved BASE OTHER: compares two files of predicted(): prints how many predictions in OTHER differ from those in BASE by
# 1 % or more, the number of predictions, and the largest change.
moved() {
    paste -d ' ' "$1" "$2" | awk '
        $4 != "-" && $8 != "-" {
            n++
            d = $8 / $4 - 1
            many += d >= 0.01 || d <= -0.01
            if (d * d > most * most) { most = d; which = $1 " " $2 ($3 == "predict" ? " --predict" : "") }
        }
        END {
            if (!n) print "none predicted"
            else if (most * most < 1e-10) print many + 0 " of " n " | -"
            else printf "%d of %d | %+.2f %%, %s\n", many, n, 100 * most, which
        }'
}

mkdir -p "$WORK/source" "$WORK/build" "$WORK/traces" || exit 2
for program in $PROGRAMS; do
    for pair in $PAIRS; do
        [ ! -d "$folder/traces/$program.${pair%%:*}.1" ] || cp -r "$folder/traces/$program.${pair%%:*}.1" "$WORK/traces/" || exit 1
    done
done
if [ ! -x "$WORK/all" ]; then
    (cd "$source" && find . -mindepth 1 -maxdepth 1 ! -name .git ! -name build ! -name 'autom4te.cache' -print0 |
        tar -c --null -T -) | tar -x -C "$WORK/source" || exit 1
    (cd "$WORK/build" && "$WORK/source/configure" -q --without-mpi --disable-lto) >"$WORK/log" 2>&1 || fail "configure failed: $WORK/log"
    # shellcheck disable=SC2016 # by make
    make -s -C "$WORK/build" --eval='generated: ; +$(MAKE) -s $(BUILT_SOURCES)' generated >"$WORK/log" 2>&1 || fail "make failed: $WORK/log"
    built all || fail "make failed: $WORK/log"
fi

echo '| constant | value | halved: moved by 1 % | most | doubled: moved by 1 % | most |'
echo '|---|---|--:|---|--:|---|'
# shellcheck disable=SC2034 # by ${!which}
while IFS='|' read -r name file old half double options; do
    case $names in "  " | *" $name "*) ;; *) continue ;; esac
    base=$WORK/base.${options//[^a-z]/_}
    extra=()
    [ "$options" = - ] || extra=("$options")
    [ -s "$base" ] || predicted "$WORK/all" "$base" ${extra[@]+"${extra[@]}"}
    for which in half double; do
        if [ "$file" = - ]; then
            predicted "$WORK/all" "$WORK/$which" "${!which}" ${extra[@]+"${extra[@]}"}
        else
            built "$name.$which" "$file" "$old" "${!which}" || fail "$name $which: $WORK/log"
            predicted "$WORK/$name.$which" "$WORK/$which" ${extra[@]+"${extra[@]}"}
        fi
        echo "constants.sh: $name, ${!which}" >&2
    done
    value=${old##*= }
    [ "$file" != - ] || value=$(awk -v half="${half##*=}" 'BEGIN { print 2 * half (half ~ /us$/ ? "us" : "") }')
    echo "| $name | ${value%%[ ,;]*} | $(moved "$base" "$WORK/half") | $(moved "$base" "$WORK/double") |"
done <<<"$constants"
