# shellcheck shell=bash disable=SC2015,SC2034,SC2153,SC2154 # its variables are validate.sh's
# SPDX-License-Identifier: GPL-3.0-or-later
# The steps of validate.sh, which sources this file: measure signatures, run and trace programs, predict, print the table. Each
# step reads the files of the earlier steps in $out and adds its own, so steps can run separately.

# skip WHAT WHY: notes that WHAT is skipped, and prints it the first time.
skip() {
    grep -qsxF "$1: $2" "$out/skipped" || {
        printf '%s: %s\n' "$1" "$2" >>"$out/skipped"
        say "skipped: $1: $2"
    }
}

# on MACHINE COMMAND...: runs COMMAND while this host stands for MACHINE (machines.sh).
on() {
    local name=$1 status
    shift
    machine "$name" && compile "$family" 2>>"$out/log/compile" || {
        skip "$name" "${why:-its programs do not compile, see $out/log/compile}"
        machine_end
        return 1
    }
    "$@"
    status=$?
    machine_end
    return $status
}

# --- measure ---

# Measures one launch of each benchmark on each machine. Further launches follow in the rounds of step_run, so that a
# machine's signature comes from the same hours as its runs.
step_measure() {
    local name
    for name in $used; do
        [ ! -s "$out/signatures/$name.sig" ] || continue
        say "measuring $name: $(machine_words "$name")"
        on "$name" alone measure || continue
        make_signature "$name"
    done
}

# make_signature MACHINE: makes MACHINE's signature from all its measurements so far.
make_signature() {
    "$SIGMAKE" "$out/results/$1" >"$out/signatures/$1.part" 2>>"$out/log/sigmake" &&
        mv "$out/signatures/$1.part" "$out/signatures/$1.sig" ||
        die "sigmake fails on $out/results/$1, see $out/log/sigmake"
}

# measure [SHARE]: called by alone(): measures the machine $name; with SHARE, keeps the results. If the machine gives
# ranks less than a core each, mpgbench itself runs on the first core, in its control group.
measure() {
    local prefix=() options=() results=$out/log/results
    if [ $# -gt 0 ]; then
        rm -rf "${out:?}/results/$name" && mv "$results" "$out/results/$name"
        awk "BEGIN { exit !($1 > 0.05) }" && say "$name: others had $1 of a core"
        return 0
    fi
    rm -rf "$results"
    export MPGKIT_MPIRUN=$here/launch.sh
    # shellcheck disable=SC2206 # a list
    [ -n "$short" ] || options=($bench --launches 1)
    prefix=(taskset -c "${VALIDATE_CORES// /,}")
    if [ -n "$VALIDATE_GROUP" ] || [ "$VALIDATE_CORES" != "$cores" ]; then
        prefix=(in_first_group)
        options+=(--max-cores 1 --ranks 2)
    fi
    if [ -n "$short" ]; then
        measure_short "${prefix[@]}"
    else
        "${prefix[@]}" "$MPGBENCH" --force -o "$results" "${options[@]}"
    fi >>"$out/log/bench" 2>&1 || {
        skip "$name" "mpgbench fails, see $out/log/bench"
        return 1
    }
}

# in_first_group COMMAND...: runs COMMAND on the first core, in its control group if the machine has groups.
in_first_group() (
    first=${cores%% *}
    if [ -n "$VALIDATE_GROUP" ]; then
        echo "$BASHPID" >"$VALIDATE_GROUP-$first/cgroup.procs" || exit 1
    fi
    exec taskset -c "$first" "$@"
)

# measure_short COMMAND...: measures within seconds, and therefore inaccurately, for tests of this script. COMMAND is a
# prefix that runs mpgbench.
measure_short() {
    "$@" "$MPGBENCH" ftq --mode detour --duration 100ms -o "$results" &&
        "$@" "$MPGBENCH" compute --duration 20ms --working-set 1MiB --max-cores 1 -o "$results" &&
        "$MPGKIT_MPIRUN" -n 2 "$MPGBENCH" pingpong --quick --sizes 8,1KiB,32KiB -o "$results"
}

# launch_once [SHARE]: called by alone(): makes launch number $launch of each MPI benchmark on the machine $name; with
# SHARE, adds its samples to the machine's results.
launch_once() {
    local benchmark quick=()
    if [ $# -gt 0 ]; then
        mv "$out/log/launch"/*.samples "$out/results/$name"
        return
    fi
    rm -rf "$out/log/launch"
    [ "$bench" != --quick ] || quick=(--quick)
    for benchmark in pingpong bandwidth overhead onesided collective; do
        "$here/launch.sh" -n 2 "$MPGBENCH" "$benchmark" -o "$out/log/launch" \
            --launch "$launch" "${quick[@]}" >>"$out/log/bench" 2>&1 || {
            [ "$benchmark" != onesided ] || continue # this library has no windows over this network
            say "$name: launch $launch of $benchmark fails, see $out/log/bench"
            return 1
        }
    done
}

# --- run ---

# In each round, runs every program on every machine, then a launch of the benchmarks on every machine, so that slow
# changes of the host affect all machines. Every second round takes the machines in the opposite order.
step_run() {
    local round name program order launch
    for ((round = 1; round <= rounds; round++)); do
        say "round $round of $rounds"
        order=$used
        [ $((round % 2)) -eq 1 ] || order=$(printf '%s\n' "$used" | tac)
        for program in $programs; do
            for name in $order; do
                [ -s "$out/signatures/$name.sig" ] || continue
                on "$name" run_and_trace "$name" "$program"
            done
        done
        [ -z "$short" ] || continue
        for name in $order; do
            [ -s "$out/signatures/$name.sig" ] || continue
            launch=$(find "$out/results/$name" -name 'pingpong-launch*' | wc -l)
            on "$name" alone launch_once || continue
            make_signature "$name"
        done
    done
    [ -n "$short" ] || step_again
}

# how_many_undisturbed MACHINE PROGRAM: prints the number of runs in which no rank was off its CPU for more than the
# share $most_off.
how_many_undisturbed() {
    awk -v most_off="$most_off" '$4 <= most_off { n++ } END { print n + 0 }' "$out/samples/$2.$1" 2>/dev/null ||
        echo 0
}

# Repeats the runs of each program on each machine until there are as many undisturbed runs as rounds, at most $rounds times.
step_again() {
    local again name program
    for ((again = 1; again <= rounds; again++)); do
        for program in $programs; do
            for name in $used; do
                [ -s "$out/samples/$program.$name" ] &&
                    [ "$(how_many_undisturbed "$name" "$program")" -lt "$rounds" ] || continue
                on "$name" run_and_trace "$name" "$program"
            done
        done
    done
}

# run_and_trace MACHINE PROGRAM: adds a sample of a run without tracing, and a trace if there are fewer than $traces.
run_and_trace() {
    local name=$1 program=$2 input command work path sample trace n=0
    program "$program" || {
        skip "$program on $name" "$why"
        return
    }
    ! grep -qsF "$program on $name: it fails" "$out/skipped" || return
    alone run_once || return
    printf '%s\n' "$sample" >>"$out/samples/$program.$name"
    while trace=$out/traces/$program.$name.$((++n)) && [ -e "$trace" ]; do :; done
    [ "$n" -le "$traces" ] || return 0
    alone trace_once
}

# Prints the CPU time that all processes have used on $cores, in seconds.
used_s() {
    awk -v cores="$cores" -v hz="$(getconf CLK_TCK)" '
        BEGIN { n = split(cores, core, " "); for (i = 1; i <= n; i++) ours["cpu" core[i]] = 1 }
        $1 in ours { sum += $2 + $3 + $4 + $7 + $8 + $9 }
        END { print sum / hz }' /proc/stat
}

# Prints the CPU time that the children of this shell have used, in seconds.
children_s() {
    times >"$out/log/clock"
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] }
        print sum }' "$out/log/clock"
}

# alone FUNCTION: measures with FUNCTION while other processes are quiet. Calls FUNCTION without an argument to measure,
# and then FUNCTION SHARE to keep the result, where SHARE is the share of a core that other processes used meanwhile.
# Measures again, in all at most $tries times, if they used more than 5 % plus 30 ms (the kernel counts in hundredths of
# a second), or if a rank was off its CPU for more than the share $most_off of its run (in $off, if FUNCTION sets it).
# The least disturbed measurement is the one kept.
alone() {
    local try share score best='' before own
    for ((try = 1; try <= tries; try++)); do
        before="$(used_s) $EPOCHREALTIME"
        children_s >"$out/log/children" && own=$(<"$out/log/children")
        off=0
        "$@" || return
        children_s >"$out/log/children"
        read -r share score <<<"$(echo "$before $own $(used_s) $EPOCHREALTIME $(<"$out/log/children")" |
            awk -v noise="$(echo "$noise_cores" | wc -w) $noise_ns $PERIOD_NS" -v off="$off" -v most_off="$most_off" '
                { split(noise, n, " ")
                  elapsed = $5 - $2
                  v = (($4 - $1) - ($6 - $3)) / elapsed - n[1] * n[2] / n[3]
                  score = v / (0.05 + 0.03 / elapsed)
                  if (off / most_off > score) score = off / most_off
                  printf "%.2f %.3f", (v > 0 ? v : 0), score }')"
        if [ -z "$best" ] || awk "BEGIN { exit !($score < $best) }"; then
            best=$score
            "$1" "$share"
        fi
        awk "BEGIN { exit !($best > 1) }" || break
    done
}

# limited COMMAND...: runs COMMAND in the program's folder for at most $limit_s seconds. A program that fails twice on a
# machine is skipped from then on. A single failure may be the launcher's, because Open MPI's sometimes crashes when it
# handles standard input.
limited() {
    local status
    (cd "$work" && exec timeout -k 5 "$limit_s" "$@" <"$input") >"$out/log/run" 2>&1 && return
    status=$?
    echo "$program on $name" >>"$out/log/failed"
    [ "$(grep -cxF "$program on $name" "$out/log/failed")" -gt 1 ] || {
        say "$program on $name: failed once, with exit status $status"
        return 1
    }
    case $status in
    124 | 137) skip "$program on $name" "it fails: not done after $limit_s s" ;;
    *) skip "$program on $name" "it fails: $(tail -n 1 "$out/log/run" | cut -c 1-200)" ;;
    esac
    cp "$out/log/run" "$out/log/$program.$name"
    return 1
}

# timed COMMAND...: runs COMMAND with two ranks and the preloaded timer. $run_ns: run time of the slower rank, from the
# end of MPI_Init to the start of MPI_Finalize. $off: the share of this time that a rank was off its CPU, the larger of
# both, without the time that the machine's noise steals; 0 on machines that give ranks less than a core each.
timed() {
    local times=$out/log/times own=$VALIDATE_PRELOAD status
    rm -f "$times"
    VALIDATE_PRELOAD=$out/programs/$family/timer.so${own:+:$own}
    MPGKIT_TIMER=$times limited "$here/launch.sh" -n 2 "$@"
    status=$?
    VALIDATE_PRELOAD=$own
    [ $status -eq 0 ] || return
    read -r run_ns off <<<"$(awk -v noise_ns="$noise_ns" -v period_ns="$PERIOD_NS" -v part_of_core="$part_of_core" '
        { t = $3 - $2
          if (t > most) most = t
          by_intent = noise_ns ? noise_ns * (int(t / period_ns) + 1) : 0
          if (t > 0 && ($4 - by_intent) / t > off) off = ($4 - by_intent) / t }
        END { if (NR == 2) printf "%.0f %.4f\n", most, part_of_core ? 0 : off }' "$times")"
    [ -n "$off" ] || {
        skip "$program on $name" "its run was not timed"
        return 1
    }
}

# run_once [SHARE]: called by alone(): runs $command; with SHARE, stores the result "date_s run_ns share off" in
# $sample.
run_once() {
    local run_ns
    if [ $# -gt 0 ]; then
        sample="$(<"$out/log/sample")"
        sample="${sample% *} $1 ${sample##* }"
        return
    fi
    timed "${command[@]}" || return
    printf '%s %s %s\n' "$(date +%s)" "$run_ns" "$off" >"$out/log/sample"
}

# trace_once [SHARE]: called by alone(): records a trace of $command; with SHARE, moves the trace to $trace.
trace_once() {
    local run_ns
    if [ $# -gt 0 ]; then
        rm -rf "$trace" && mv "$out/log/trace" "$trace"
        return
    fi
    rm -rf "$out/log/trace"
    MPGKIT_TIMER_TRACED=yes timed "$MPGTRACE" record "${record[@]}" -o "$out/log/trace" \
        "${command[@]}"
}

# --- predict ---

# $predictions: the folder of mpgsim's answers. $without: options of mpgsim in addition to those of a pair.
predictions='' without=()

step_predict() {
    local pair program
    for pair in $pairs; do
        mkdir -p "$predictions/$pair"
        for program in $programs; do
            rm -f "${predictions:?}/$pair/$program".{,predict.}[0-9]*
            predict "$pair" "$program"
        done
    done
    wait
}

# predict PAIR PROGRAM: predicts from each trace, in both modes (--perturb and --predict), with two runs of mpgsim at a
# time.
predict() {
    local from=${1%%:*} to=${1#*:} trace options=("${without[@]}") ratio file mode
    to=${to%:ratio}
    [ -s "$out/signatures/$from.sig" ] && [ -s "$out/signatures/$to.sig" ] || return 0
    case $1 in
    *:ratio)
        ratio=$(compute_ratio "$from" "$to") || return 0
        options+=(--noise const:0 --compute-ratio "$ratio")
        ;;
    esac
    for trace in "$out/traces/$2.$from".[0-9]*; do
        [ -d "$trace" ] && [ "${trace##*.}" -le "${traces_asked:-$traces}" ] || continue
        file=$predictions/$1/$2.${trace##*.}
        for mode in '' predict; do
            answer "${file%.*}${mode:+.$mode}.${file##*.}" "$trace" "--${mode:-perturb}" \
                --source "$out/signatures/$from.sig" --signature "$out/signatures/$to.sig" \
                "${options[@]}" &
            [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
        done
    done
}

# answer FILE TRACE OPTION...: writes mpgsim's answer to FILE, or its error message if there is none.
answer() {
    local file=$1 trace=$2
    shift 2
    timeout 120 "$MPGSIM" --json "$@" "$trace" >"$file" 2>"$file.err" || {
        [ -s "$file.err" ] || echo "mpgsim: no answer after two minutes" >"$file.err"
        cp "$file.err" "$file"
    }
    rm "$file.err"
}

# compute_ratio FROM TO: prints the computation time on TO divided by that on FROM: the mean time of the benchmark's
# floating point kernel on one core.
compute_ratio() {
    awk 'FNR == 1 { part++ }
        /^#/ { next }
        $1 == 0 && $2 == 1 { time[part] += 1 / $3; n[part]++ }
        END { if (!n[1] || !n[2]) exit 1
              printf "%.6f", time[2] / n[2] / (time[1] / n[1]) }' \
        <(cat "$out/results/$1"/compute-core*.samples) \
        <(cat "$out/results/$2"/compute-core*.samples) || {
        skip "$1:$2:ratio" 'no rates were measured'
        return 1
    }
}

# --- table ---

# Prints the rows of the table as numbers (row.awk).
make_rows() {
    local pair program to
    for pair in $pairs; do
        to=${pair#*:}
        to=${to%:ratio}
        for program in $programs; do
            [ -s "$out/samples/$program.${pair%%:*}" ] && [ -s "$out/samples/$program.$to" ] ||
                continue
            awk -v pair="$pair" -v program="$program" -v most_off="$most_off" -f "$here/sample.awk" -f "$here/row.awk" \
                part=from "$out/samples/$program.${pair%%:*}" part=to "$out/samples/$program.$to" \
                part=answer /dev/null "$predictions/$pair/$program".[0-9]* \
                part=times "$predictions/$pair/$program".predict.[0-9]*
        done
    done
}

step_table() {
    make_rows >"$out/rows.tsv"
    { about && awk -f "$here/table.awk" "$out/rows.tsv" && say_skipped; } >"$out/table.md" ||
        die "no table"
    cat "$out/table.md"
    [ -z "$write" ] || put_table "$out/table.md" table
}

# Prints processor, cores, kernel, mpgkit's version and the date, but no host name.
about_host() {
    printf 'Made on %s, %s cores (two of them used), %s, with %s; %s.\n\n' \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc --all)" \
        "$(uname -sr)" "$("$MPGSIM" --version | head -n 1)" "$(date +%Y-%m-%d)"
}

about() {
    local name
    about_host
    for name in $used; do
        printf '* **%s**: %s\n' "$name" "$(machine_words "$name")"
    done
}

say_skipped() {
    [ -s "$out/skipped" ] || return 0
    printf '\nNot run here:\n\n'
    sed 's/^/* /' "$out/skipped"
}

# put_table FILE MARK: replaces the text between the lines <!-- MARK --> and <!-- end of MARK --> in the document $write
# by the content of FILE.
put_table() {
    awk -v table="$1" -v mark="$2" '
        $0 == "<!-- end of " mark " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- " mark " -->" { inside = 1; while ((getline line < table) > 0) print line }' \
        "$write" >"$out/written" && cat "$out/written" >"$write" || die "cannot write $write"
}
