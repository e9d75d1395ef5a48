#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ftq for real, with tiny durations (TAP): its modes, files and headers, alone, on
# all cores at once and under a launcher, and its errors. What it measures is
# tests/bench/test-truth-noise.sh's matter.

build=$(cd "${top_builddir:-.}" && pwd)
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/../tap.sh"
FTQ=${FTQ:-$build/bench/ftq/ftq}
mpirun=${MPIRUN:-mpirun}
export LC_ALL=C
[ -x "$FTQ" ] || skip_all "no ftq"

tmp=$(mktemp -d)
. "$tests/measured.sh"
chmod 755 "$tmp"
loop=
trap '[ -z "$loop" ] || kill "$loop" 2>/dev/null; umount "$tmp/full" 2>/dev/null; rm -rf "$tmp"' EXIT

cores=$("$FTQ" -o "$tmp/cores" -m ftq -d 1ms 2>/dev/null | sed -n 's/^core \([0-9]*\):.*/\1/p')
core=$(echo "$cores" | head -n 1)
n_cores=$(echo "$cores" | wc -l)
is "every allowed core is measured" "$n_cores" "$(nproc)"

# ---- modes and files ----

is "--max-cores 1 measures one" "$("$FTQ" -o "$tmp/one" -m ftq -d 1ms --max-cores 1 2>/dev/null |
    grep -c '^core ')" 1
ok "all modes" quiet "$FTQ" -o "$tmp/r" -m all -c "$core" -d 20ms
file=$tmp/r/ftq-core$core.samples
ok "ftq's file is whole" whole "$file" "start_ns work_units lost_ns"
ok "ftq's starts are monotone" monotone "$file"
is "ftq: duration / quantum samples" "$(count "$file")" 20
ok "ftq: nothing lost is negative, or more than the quantum" \
    awk '!/^#/ && ($3 < 0 || $3 > 1e6) { exit 1 }' "$file"
is "ftq: benchmark" "$(header "$file" benchmark)" ftq
file=$tmp/r/fwq-core$core.samples
ok "fwq's file is whole" whole "$file" "start_ns duration_ns lost_ns"
ok "fwq: what a quantum lost is a part of it" \
    awk '!/^#/ && ($3 < 0 || $3 > $2) { exit 1 }' "$file"
ok "fwq: each quantum starts where the one before ended, none is faster than the fastest" awk '
    /^# work_ns:/ { work = $3 } /^#/ { next }
    $2 < work - 0.1 || (n++ && ($1 < end - 0.2 || $1 > end + 0.2)) { exit 1 } { end = $1 + $2 }' \
    "$file"
ok "fwq: unit_ns * work_units is work_ns" awk '
    /^# work_ns:/ { work = $3 } /^# work_units:/ { units = $3 } /^# unit_ns:/ { unit = $3 }
    END { d = units * unit / work - 1; exit !(work > 0 && d < 1e-3 && d > -1e-3) }' "$file"
is "fwq: benchmark" "$(header "$file" benchmark)" fwq
file=$tmp/r/detour-core$core.samples
ok "the detours' file is whole" whole "$file" "start_ns duration_ns off_cpu_ns"
ok "the detours' starts are monotone" monotone "$file"
ok "detours do not overlap, and lie in the span" awk '
    /^# span_ns:/ { span = $3 } /^# threshold_ns:/ { threshold = $3 } /^#/ { next }
    $1 < end - 1 || $2 < threshold - 1 { exit 1 } { end = $1 + $2 } end > span + 1 { exit 1 }' \
    "$file"
case $(header "$file" clock) in
tsc*) ok "on x86 a detour of 100 ns is seen" awk \
    '/^# threshold_ns:/ { exit !($3 <= 100) }' "$file" ;;
*) skip "on x86 a detour of 100 ns is seen" "the clock is another" ;;
esac
ok "a detour was off its CPU for no longer than it lasted" \
    awk '!/^#/ && ($3 < 0 || $3 > $2 + 1) { exit 1 }' "$file"
# The off-CPU parts of the detours add up to the difference of wall and CPU time, of which both clocks are read
# separately at begin and end. Here a process on the same core takes half of the time.
taskset -c "$core" sh -c 'while :; do :; done' &
spinner=$!
ok "beside a process that spins" quiet "$FTQ" -o "$tmp/shared" -m detour -c "$core" -d 300ms
kill "$spinner"
wait "$spinner" 2>/dev/null
ok "detours off the CPU are all the time that the thread was off it" awk '
    /^# off_cpu_ns:/ { all = $3 } /^# off_cpu_ns:|^#/ { next } { off += $3; lost += $2 }
    END { print "# " off / 1e6 " ms of " lost / 1e6 " ms lost; in all " all / 1e6 " ms"
          exit !(off > 0 && off > 0.9 * all - 1e6 && off < all + 1e6 && off <= lost) }' \
    "$tmp/shared/detour-core$core.samples"
"$FTQ" -o "$tmp/list" -m fwq,ftq -c "$core" -d 2ms >/dev/null 2>&1
is "a list of modes" "$(ls "$tmp/list" | tr '\n' ' ')" \
    "ftq-core$core.samples fwq-core$core.samples "
"$FTQ" -o "$tmp/both" -c "$core" -d 2ms >/dev/null 2>&1
is "both is the default" "$(ls "$tmp/both" | tr '\n' ' ')" \
    "detour-core$core.samples ftq-core$core.samples "
ok "a detour record that fills ends" quiet "$FTQ" -o "$tmp/f" -m detour -c "$core" -d 10s \
    --max-detours 3 --timer clock --threshold 1ns
is "it has as many as it may" "$(count "$tmp/f/detour-core$core.samples")" 3
ok "it says so" grep -q '^# ended_early: after 3 ' "$tmp/f/detour-core$core.samples"

# ---- header lines ----

for mode in ftq fwq detour; do
    missing=
    for key in core cores_at_once start_monotonic_ns clock_drift_ppm kernel_clock counters \
        context_switches page_faults preemptions other_load cpu_share interrupts softirqs; do
        [ "$(grep -c "^# $key: " "$tmp/r/$mode-core$core.samples")" -eq 1 ] ||
            missing="$missing $key"
    done
    is "$mode: headers" "$missing" ""
done
is "one by one" "$(header "$file" cores_at_once)" 1
like "the clock has not drifted by a tenth of a percent" \
    "$(awk '/^# clock_drift_ppm:/ { print ($3 < 1000 && $3 > -1000) ? "little" : $0 }' "$file")" little
ok "every counter's value is a number" awk '
    /^# (context_switches|cpu_migrations|page_faults|preemptions|steal_ns): / {
        if ($3 !~ /^[0-9]+$/) exit 1 }' "$file"
if grep -q '^ *LOC:' /proc/interrupts 2>/dev/null; then
    "$FTQ" -o "$tmp/loc" -m detour -c "$core" -d 200ms >/dev/null 2>&1
    like "the core's own timer interrupts are counted" \
        "$(header "$tmp/loc/detour-core$core.samples" interrupts)" "*LOC [1-9]*"
else
    skip "the core's own timer interrupts are counted" "no LOC in /proc/interrupts"
fi
like "others' load is a number over 200 ms" \
    "$(header "$tmp/loc/detour-core$core.samples" other_load)" "[0-9]*.[0-9][0-9]"
for timer in clock counter papi; do
    if "$FTQ" -o "$tmp/$timer" -m fwq,detour -c "$core" -d 10ms --timer $timer >/dev/null \
        2>"$tmp/err"; then
        ok "timer $timer" whole "$tmp/$timer/fwq-core$core.samples" "start_ns duration_ns lost_ns"
    else
        skip "timer $timer" "$(head -n 1 "$tmp/err")"
    fi
done

# ---- all cores at once ----

"$FTQ" -o "$tmp/together" -m all -d 20ms --together >"$tmp/out" 2>"$tmp/err"
is "--together: a file for each core and mode" "$(ls "$tmp/together" | wc -l)" $((3 * n_cores))
is "--together: cores_at_once" "$(cat "$tmp"/together/* | grep "^# cores_at_once:" | sort -u)" \
    "# cores_at_once: $n_cores"
is "--together: the files' names and headers say it" \
    "$(find "$tmp/together" -name '*-together-core*.samples' | wc -l) $(cat "$tmp"/together/* |
        grep -c '^# together: yes')" "$((3 * n_cores)) $((3 * n_cores))"
is "--together: a line for each" "$(grep -c '^core [0-9]*: ' "$tmp/out")" $((3 * n_cores))
if [ "$n_cores" -gt 1 ]; then
    "$FTQ" -o "$tmp/overlap" -m detour -d 500ms -t >/dev/null 2>&1
    ok "--together: the records of a mode overlap" awk '
        /^# start_monotonic_ns: / { if (!first || $3 < first) first = $3; if ($3 > last) last = $3 }
        END { exit !(last - first < 500e6) }' "$tmp"/overlap/*
    awk '/^# start_monotonic_ns: / { if (!first || $3 < first) first = $3; if ($3 > last) last = $3 }
        END { printf "# the records started within %d ns\n", last - first }' "$tmp"/overlap/*
else
    skip "--together: the records of a mode overlap" "one core only"
fi

# ---- the real-time class ----

"$FTQ" --realtime -o "$tmp/rt" -m detour -c "$core" -d 5ms >/dev/null 2>"$tmp/err"
is "--realtime succeeds, permitted or not" $? 0
case $(header "$tmp/rt/detour-core$core.samples" scheduling) in
SCHED_FIFO*)
    if [ "$(cat /proc/sys/kernel/sched_rt_runtime_us)" -ge 0 ]; then
        ok "--realtime warns of throttling" grep -q "warning: .*sched_rt_runtime_us" "$tmp/err"
    else
        skip "--realtime warns of throttling" "the kernel does not throttle"
    fi ;;
*) ok "--realtime, not permitted, warns" grep -q "warning: --realtime is not permitted" "$tmp/err" ;;
esac
# nobody COMMAND...: runs COMMAND without root's privileges.
nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
mkdir "$tmp/nobody"
chmod 777 "$tmp/nobody"
if [ "$(id -u)" = 0 ] && nobody "$FTQ" --version >/dev/null 2>&1; then
    nobody "$FTQ" --realtime -o "$tmp/nobody" -m detour -c "$core" -d 5ms >/dev/null 2>"$tmp/err"
    is "--realtime without the privilege measures without" $? 0
    ok "it says so" grep -q "warning: --realtime is not permitted.*measuring without" "$tmp/err"
    like "the file says what was true" \
        "$(header "$tmp/nobody/detour-core$core.samples" scheduling)" "SCHED_OTHER*(SCHED_FIFO: *)"
    chmod 555 "$tmp/nobody"
    ok "a read-only results folder" fails 1 "Permission denied" \
        nobody "$FTQ" -o "$tmp/nobody" -c "$core" -d 5ms
else
    skip "--realtime without the privilege, read-only results folder" "needs root, setpriv"
fi

# ---- errors ----

ok "a wrong mode" fails 2 "--mode: 'loud'" "$FTQ" -m ftq,loud
ok "an empty mode" fails 2 "--mode" "$FTQ" -m ""
ok "a core that is not there" fails 2 "--core: 65000: offline, or not" "$FTQ" -c 65000
ok "no list of cores" fails 2 "--core" "$FTQ" -c x
ok "too many quanta" fails 2 "quanta" "$FTQ" -d 1000000s --quantum 10us
ok "a quantum of nothing" fails 2 "--quantum" "$FTQ" --quantum 0
ok "a duration that is none" fails 2 "--duration" "$FTQ" -d soon
ok "an unknown timer" fails 1 "timer" "$FTQ" --timer sundial -o "$tmp/r"
ok "a folder that cannot be made" fails 1 "No such file" "$FTQ" -o "$tmp/no/where" -d 1ms
touch "$tmp/file"
ok "a folder that is a file" fails 1 "Not a directory" "$FTQ" -o "$tmp/file" -d 1ms
if [ "$n_cores" -gt 1 ]; then
    other=$(echo "$cores" | tail -n 1)
    ok "a core that is not allowed" fails 2 "--core: $other: offline, or not" \
        taskset -c "$core" "$FTQ" -c "$other"
    is "one core only: that one" \
        "$(taskset -c "$core" "$FTQ" -t -o "$tmp/only" -m ftq -d 1ms 2>/dev/null |
            grep -c "^core $core: ")" 1
else
    skip "a core that is not allowed" "one core only"
fi
if [ -w /dev/full ]; then
    ok "standard output full" fails 1 "standard output" \
        sh -c '"$@" >/dev/full' sh "$FTQ" -o "$tmp/r" -c "$core" -d 1ms
fi
mkdir "$tmp/full"
if mount -t tmpfs -o size=4k tmpfs "$tmp/full" 2>/dev/null; then
    for mode in ftq fwq; do
        ok "a full disk, $mode" fails 1 "No space left" "$FTQ" -o "$tmp/full" -m $mode \
            -c "$core" -d 100ms --quantum 10us
        is "a full disk has no part of a file, $mode" "$(ls "$tmp/full")" ""
    done
    umount "$tmp/full"
else
    skip "a full disk" "cannot mount a small disk"
fi

# interrupted SIGNAL OPTION...: sends SIGNAL to ftq while it measures; $status: ftq's exit status.
interrupted() {
    local signal=$1
    shift
    rm -rf "$tmp/killed"
    # The helper afresh restores SIGINT, which a shell ignores in its background processes.
    "$build/tests/afresh" "$FTQ" -o "$tmp/killed" -d 100s "$@" >"$tmp/out" 2>"$tmp/err" &
    wait_until handles $! TERM
    wait_until test -s "$tmp/out"
    kill "-$signal" $!
    wait $! 2>/dev/null
    status=$?
}
for signal in INT HUP TERM; do
    interrupted $signal -c "$core"
    is "SIG$signal ends ftq by that signal" "$status" $((128 + $(kill -l $signal)))
    is "it says so in a line" "$(grep -c '^mpgbench ftq: interrupted' "$tmp/err") $(wc -l <"$tmp/err")" "1 1"
    is "and leaves nothing" "$(ls "$tmp/killed")" ""
done
interrupted TERM --together
is "so it does measuring all cores" "$status $(ls "$tmp/killed")" "143 "

# A signal that was ignored at the start, as in a script's background, does not end it. Its first output line shows that
# ftq has replaced the subshell, whose exit trap would remove the folder.
rm -f "$tmp/out"
(trap '' INT HUP && exec "$FTQ" -o "$tmp/background" -m ftq -c "$core" -d 500ms >"$tmp/out" 2>&1) &
wait_until test -s "$tmp/out"
kill -INT $!
kill -HUP $!
wait $!
is "what is ignored does not end it" "$? $(ls "$tmp/background")" "0 ftq-core$core.samples"

# ---- with another process on the same core ----

taskset -c "$core" sh -c 'while :; do :; done' &
loop=$!
"$FTQ" -o "$tmp/shared" -m ftq -c "$core" -d 1s >/dev/null 2>"$tmp/err"
kill "$loop"
wait "$loop" 2>/dev/null
loop=
ok "an oversubscribed core is named in a warning" \
    grep -q "^mpgbench ftq: warning: core $core: other processes used this core" "$tmp/err"
ok "its preemptions are counted" awk '/^# preemptions: / { exit !($3 > 0) }' \
    "$tmp/shared/ftq-core$core.samples"
ok "PAPI and getrusage agree that there were context switches" awk '
    /^# context_switches: / { all = $3 } /^# preemptions: / { some = $3 }
    END { exit !(all >= some) }' "$tmp/shared/ftq-core$core.samples"
like "others' load is counted" "$(header "$tmp/shared/ftq-core$core.samples" other_load)" \
    "[0-9]*.[0-9][0-9]"

# ---- launchers ----

# launched RANK RANKS LOCAL_RANK LOCAL_RANKS COMMAND...: runs COMMAND with the variables of Open MPI's launcher.
launched() {
    env OMPI_COMM_WORLD_RANK="$1" OMPI_COMM_WORLD_SIZE="$2" OMPI_COMM_WORLD_LOCAL_RANK="$3" \
        OMPI_COMM_WORLD_LOCAL_SIZE="$4" PMIX_NAMESPACE="test-$$" "${@:5}"
}

# pair OPTION...: runs two ranks at once, which share all cores, into folder $into.
into=$tmp/pair
pair() {
    rm -rf "$into"
    launched 0 2 0 2 "$FTQ" -o "$into" "$@" >"$tmp/out0" 2>"$tmp/err0" &
    launched 1 2 1 2 "$FTQ" -o "$into" "$@" >"$tmp/out1" 2>"$tmp/err1"
    status1=$?
    wait $!
    status0=$?
}

host=$(uname -n | sed 's/[^A-Za-z0-9.]/-/g')
pair -m ftq -d 20ms
is "two ranks succeed" "$status0 $status1" "0 0"
is "two ranks: one file a core, with the host's name" "$(ls "$tmp/pair" | tr '\n' ' ')" \
    "$(for c in $cores; do printf 'ftq-%s-core%s.samples\n' "$host" "$c"; done | sort | tr '\n' ' ')"
ok "two ranks: whole" whole "$tmp/pair/ftq-$host-core$core.samples" "start_ns work_units lost_ns"
is "two ranks: the first line once" "$(cat "$tmp"/out[01] | grep -c '^ftq: [0-9]* cores*')" 1
if [ "$n_cores" -eq 1 ]; then
    ok "two ranks, one core: one rank has none, which is no error" \
        grep -q "no core is left" "$tmp/out1"
else
    is "two ranks: cores_at_once" "$(header "$tmp/pair/ftq-$host-core$core.samples" cores_at_once)" 2
    is "two ranks take turns" "$(for c in $cores; do
        header "$tmp/pair/ftq-$host-core$c.samples" rank; done | sort -u | tr '\n' ' ')" "0 1 "
    pair -m ftq -d 5ms -c "$core"
    is "two ranks, one core wanted" "$status0 $status1 $(ls "$tmp/pair" | wc -l)" "0 0 1"
    ok "the rank without a core says so" grep -q "^ftq: rank 1: no core is left" "$tmp/out1"
fi
pair -c 65000
is "two ranks: a wrong core, said once" "$status0 $status1 $(cat "$tmp"/err[01] | wc -l)" "2 2 1"
pair -m loud
is "two ranks: a wrong mode, said once" "$status0 $status1 $(cat "$tmp"/err[01] | wc -l)" "2 2 1"
into=$tmp/no/where pair
is "two ranks: no folder, said once" "$status0 $status1 $(cat "$tmp"/err[01] | wc -l)" "1 1 1"
ok "a launcher that does not say who is here" fails 1 "does not say which" \
    env -u OMPI_COMM_WORLD_RANK PMIX_RANK=0 "$FTQ" -o "$tmp/r" -d 1ms
SLURM_PROCID=0 SLURM_NTASKS=64 SLURM_LOCALID=0 "$FTQ" -o "$tmp/batch" -m ftq -d 1ms >/dev/null 2>&1
is "a Slurm batch script's environment is no launch" "$(ls "$tmp/batch" | wc -l)" "$n_cores"
is "srun's is: the last of three nodes has one task" "$(env SLURM_PROCID=8 SLURM_STEP_NUM_TASKS=9 \
    SLURM_LOCALID=0 SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE='4(x2),1' SLURM_JOB_ID=1 \
    SLURM_STEP_ID=2 "$FTQ" -o "$tmp/srun" -m ftq -d 1ms 2>/dev/null | grep -c "core [0-9]*: ")" \
    "$n_cores"

# meet_beside WHAT IDENTITY: a file that is not theirs (WHAT) has the name under which the ranks would meet. They must
# leave it unchanged (stat prints IDENTITY) and meet nevertheless.
meeting=/dev/shm/mpgkit-ftq-$(id -u)-$(uname -n)-test-$$
meet_beside() {
    pair -m ftq -d 2ms
    is "two ranks meet beside $1" "$status0 $status1 $(ls "$tmp/pair" | wc -l)" "0 0 $n_cores"
    [ -z "$2" ] || is "... which stays as it is" "$(stat -c "%F %a %s" "$meeting")" "$2"
    rm -rf "$meeting"
}
echo precious >"$tmp/precious"
if [ -w /dev/shm ] && [ "$(uname -n | grep -c /)" = 0 ]; then
    ln -s "$tmp/precious" "$meeting"
    meet_beside "a link" "symbolic link 777 $(printf %s "$tmp/precious" | wc -c)"
    ln "$tmp/precious" "$meeting" 2>/dev/null || cp "$tmp/precious" "$meeting"
    chmod 666 "$meeting"
    meet_beside "a file that others may write" "regular file 666 9"
    is "... and what a link leads to" "$(cat "$tmp/precious")" precious
    mkfifo -m 600 "$meeting"
    meet_beside "a pipe" "fifo 600 0"
    mkdir -m 700 "$meeting"
    meet_beside "a folder" ""
    (umask 077 && echo "an earlier launch's" >"$meeting")
    meet_beside "what an earlier launch left" ""
    if [ "$(id -u)" = 0 ]; then
        (umask 077 && : >"$meeting")
        chown 65534 "$meeting"
        meet_beside "another user's" "regular empty file 600 0"
    else
        skip "two ranks meet beside another user's" "not root"
    fi
else
    skip "two ranks meet beside other files" "no /dev/shm"
fi

if [ "${MPGKIT_MPI:-yes}" = no ] || ! command -v "${mpirun%% *}" >/dev/null; then
    skip "under mpirun" "built without MPI"
else
    ok "under mpirun" quiet $mpirun -np 2 "$FTQ" -o "$tmp/mpirun" -m all -d 20ms
    is "under mpirun: one file a core and mode" "$(ls "$tmp/mpirun" | wc -l)" \
        "$((3 * (n_cores < 2 ? n_cores : 2)))"
    ok "one rank under mpirun: no host in the names" quiet $mpirun -np 1 "$FTQ" -o "$tmp/np1" \
        -m ftq -d 2ms
    is "one rank: its files" "$(find "$tmp/np1" ! -name 'ftq-core[0-9]*.samples' -type f)" ""
fi
is "nothing is left of the ranks' meetings" \
    "$(find /dev/shm -name "mpgkit-ftq-*test-$$" 2>/dev/null)" ""
done_testing
