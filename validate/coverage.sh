# shellcheck shell=bash disable=SC2015,SC2034,SC2153,SC2154 # its variables are validate.sh's
# SPDX-License-Identifier: GPL-3.0-or-later
# The step `coverage` of validate.sh, which sources this file: how many runs of a program take a time within the interval of 90 %
# of runs that mpgsim predicts from one recording. Rounds are spread over $spread_s seconds. In each round every program runs
# once and is recorded once, and with --load once more beside compilers. No run is repeated or left out.

# Starts $load endless loops of compilations on the two cores.
compilers=()
start_load() {
    local i
    for ((i = 0; i < load; i++)); do
        while :; do
            $mpicc -O2 -g -c -o "$out/log/load-$i.o" "$top_srcdir/examples/halo/halo.c"
        done >/dev/null 2>&1 &
        compilers+=($!)
    done
    sleep 1
}

stop_load() {
    local pid
    for pid in "${compilers[@]}"; do
        kill "$pid"
        wait "$pid"
    done 2>/dev/null
    compilers=()
}

step_coverage() {
    local round name program begun=$SECONDS due
    tries=1
    mkdir -p "$out/coverage"
    for ((round = 1; round <= rounds; round++)); do
        due=$((rounds > 1 ? spread_s * (round - 1) / (rounds - 1) : 0))
        [ $((begun + due)) -le "$SECONDS" ] || sleep $((begun + due - SECONDS))
        say "round $round of $rounds"
        for program in $programs; do
            for name in $machines_covered; do
                on "$name" covered_run "$name" "$program"
                [ "$load" -eq 0 ] || priority=0 on "$name" loaded_recording "$name" "$program"
            done
        done
        predict_coverage
    done
    coverage_table
}

# covered_run MACHINE PROGRAM: adds a sample of a run of PROGRAM on MACHINE, and records another run.
covered_run() {
    local name=$1 program=$2 input command work path sample trace
    program "$program" || {
        skip "$program on $name" "$why"
        return
    }
    ! grep -qsF "$program on $name: it fails" "$out/skipped" || return
    alone run_once || return
    printf '%s\n' "$sample" >>"$out/coverage/$program.$name"
    trace=$out/traces/covered.$program.$name.$(date +%s)
    alone trace_once
}

# loaded_recording MACHINE PROGRAM: records PROGRAM on MACHINE beside $load compilers.
loaded_recording() {
    local name=$1 program=$2 input command work path trace
    program "$program" || return
    trace=$out/traces/loaded.$program.$name.$(date +%s)
    start_load
    alone trace_once
    stop_load
}

# Predicts the runs of all recordings that have no answer yet on the machine that recorded them.
predict_coverage() {
    local program name trace file
    for program in $programs; do
        for name in $machines_covered; do
            mkdir -p "$predictions/$name"
            for trace in "$out/traces"/{covered,loaded}."$program.$name".[0-9]*; do
                file=$predictions/$name/${trace##*/}
                [ -d "$trace" ] && [ ! -e "$file" ] || continue
                answer "$file" "$trace" --source "$out/signatures/$name.sig" --signature "$out/signatures/$name.sig"
            done
        done
    done
}

coverage_table() {
    local name program kind heading
    {
        about_host
        printf '| program | machine | recorded | runs | runs, ms | predictions | predicted, ms | interval of 90 %%, ms |'
        printf ' runs inside, first recording | runs inside, all recordings | not reliable: answers, recordings | reliable ones within 10 %% |\n'
        printf '|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n'
        for kind in covered loaded; do
            [ $kind = covered ] && heading=quiet || heading=loaded
            for program in $programs; do
                for name in $machines_covered; do
                    [ ! -s "$out/coverage/$program.$name" ] || compgen -G "$predictions/$name/$kind.$program.$name.*" >/dev/null &&
                        awk -v program="$program" -v machine="$name" -v kind="$heading" -f "$here/sample.awk" \
                            -f "$here/coverage.awk" part=run "$out/coverage/$program.$name" part=answer \
                            "$predictions/$name/$kind.$program.$name".[0-9]*
                done
            done
        done
        say_skipped
    } >"$out/coverage.md"
    cat "$out/coverage.md"
    [ -z "$write" ] || put_table "$out/coverage.md" coverage
}
