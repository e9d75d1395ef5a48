# shellcheck shell=bash disable=SC2015,SC2034,SC2153,SC2154 # its variables are validate.sh's
# SPDX-License-Identifier: GPL-3.0-or-later
# The step `replays` of validate.sh, which sources this file: runs programs untraced, traced and re-enacted, in turns.

all_replayed='halo stencil workers allreduce chain persistent wildcard somes windows teams icollectives lammps'

# replayed_program NAME: like program() of programs.sh, with more steps, so that a run takes some tenths of a second.
replayed_program() {
    local own=$out/programs/$family
    input=/dev/null command=() work=$out/work/$1 why=''
    mkdir -p "$work"
    case $1 in
    stencil) command=("$own/stencil" 8000) ;;
    workers) command=("$own/workers" 12000) ;;
    allreduce) command=("$own/allreduce" 8000) ;;
    chain) command=("$own/chain" 8192 40000) ;;
    persistent | wildcard | somes | windows | teams | icollectives) command=("$own/kinds" "$1" 4000) ;;
    lammps) program lammps && sed -i 's/^run.*/run 500/' "$work/in.melt" ;;
    *) program "$1" ;;
    esac
}

# In each round, runs every program on every machine: untraced, traced, and re-enacted by mpgreplay from this trace.
step_replays() {
    local round name program
    mkdir -p "$out/replays"
    for ((round = 1; round <= rounds; round++)); do
        say "round $round of $rounds"
        for program in $programs; do
            for name in $machines_replayed; do
                on "$name" replay_round "$name" "$program"
            done
        done
    done
    replays_table
}

# replay_round MACHINE PROGRAM: appends a line "untraced traced replayed", run times in ns, to the file of PROGRAM on
# MACHINE.
replay_round() {
    local name=$1 program=$2 input command work path sample replayed untraced trace
    trace=$out/traces/replayed.$program.$name
    replayed_program "$program" || {
        skip "$program on $name" "$why"
        return
    }
    ! grep -qsF "$program on $name: it fails" "$out/skipped" || return
    alone run_once || return
    read -r _ untraced _ <<<"$sample"
    alone trace_once && alone replay_once || return
    echo "$untraced $replayed" >>"$out/replays/$program.$name"
}

# replay_once [SHARE]: called by alone() in steps.sh: re-enacts $trace; with SHARE, stores the result "traced_ns run_ns"
# in $replayed.
replay_once() {
    if [ $# -gt 0 ]; then
        replayed=$(<"$out/log/replayed")
        return
    fi
    limited "$here/launch.sh" -n 2 "$MPGREPLAY" --json "$trace" || return
    sed -n 's/.*"run_ns": \([0-9]*\), "traced_ns": \([0-9]*\),.*/\2 \1/p' "$out/log/run" >"$out/log/replayed"
    [ -s "$out/log/replayed" ]
}

replays_table() {
    local name program
    {
        about_host
        printf '| program | machine | rounds | untraced, ms | traced, ms | %% | replayed, ms | %% |\n'
        printf '|---|---|--:|--:|--:|--:|--:|--:|\n'
        for program in $programs; do
            for name in $machines_replayed; do
                [ ! -s "$out/replays/$program.$name" ] ||
                    awk -v program="$program" -v machine="$name" -f "$here/sample.awk" -f "$here/replays.awk" \
                        "$out/replays/$program.$name"
            done
        done
        say_skipped
    } >"$out/replays.md"
    cat "$out/replays.md"
    [ -z "$write" ] || put_table "$out/replays.md" replays
}
