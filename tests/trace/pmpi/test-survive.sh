#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that end early or behave oddly (tests/trace/pmpi/survive.c), traced (TAP): they behave
# exactly as without the tracer, and their traces hold every call that has returned.
# MPGKIT_KILLS says how many of them are killed at a random moment.
set -u
. "$(dirname "$0")/traced.sh"
survive=$build/tests/trace/pmpi/survive
kills=${MPGKIT_KILLS:-10}
[ -x "$survive" ] || skip_all "no tests/trace/pmpi/survive"
ulimit -c 0

# counts FILE RANKS: prints the number of calls that each rank has counted.
counts() {
    od -An -v -w8 -t u8 -N $((8 * $2)) "$1" | tr -d ' '
}

# recorded TRACE RANKS: prints the number of these calls that the trace has of each rank.
recorded() {
    "$MPGTRACE" print "$1" 2>complaint | awk -v n="$2" '
        !/^#/ && $4 ~ /^(Init|Init_thread|Sendrecv|Finalize)$/ { split($1, r, "."); calls[r[1]]++ }
        END { for (i = 0; i < n; i++) print calls[i] + 0 }'
}

# holds TRACE FILE RANKS: succeeds if the trace can be read, and has all calls that returned, and at most one more,
# which was in progress.
holds() {
    local bad
    "$MPGTRACE" stat "$1" >stat 2>complaint || { sed 's/^/# /' complaint; return 1; }
    bad=$(paste <(recorded "$1" "$3") <(counts "$2" "$3") | awk '$1 < $2 || $1 > $2 + 1')
    [ -z "$bad" ] && return
    echo "# recorded, counted: $bad"
    return 1
}

# traced HOW RANKS OPTION...: runs the program under the tracer, as HOW.trace.
traced() {
    local how=$1 ranks=$2
    shift 2
    rm -rf "$how.trace" "$how.counts"
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout 600 $mpirun -np "$ranks" "$MPGTRACE" record --quiet -o "$how.trace" "$@" "$survive" "$how" \
        "$how.counts" >out 2>err
}

# said: prints the output without the process ids that MPICH's launcher prints.
said() {
    sed 's/PID [0-9]*/PID/' out
}

# as_ever HOW RANKS: checks that the traced program ends like the untraced one, by its launcher's output and exit
# status.
as_ever() {
    local how=$1 plain words
    # shellcheck disable=SC2086
    timeout 600 $mpirun -np "$2" "$survive" "$how" >out 2>err
    plain=$? words=$(said)
    traced "$how" "$2"
    is "$how: the exit status" $? $plain
    is "$how: the output" "$(said)" "$words"
}

# all_there HOW RANKS: checks that the last trace has every call.
all_there() {
    is "$1, $2 ranks: the tracer says nothing" "$(grep '^mpgtrace' err)" ""
    ok "$1, $2 ranks: every call is there" holds "$1.trace" "$1.counts" "$2"
}

for how in end children folder close signals thread abort; do
    as_ever $how 2
    all_there $how 2
done

# status_of COMMAND...: prints the exit status of COMMAND, run with one rank, whatever the launcher reports.
status_of() {
    rm -f status
    # shellcheck disable=SC2016,SC2086
    timeout 600 $mpirun -np 1 sh -c 'trap : HUP TERM; "$@"; echo $? >status' sh "$@" >out 2>err
    cat status
}

# Of a rank that ends without a word to it, Hydra reports the end, its lost connection or its
# own kill, whichever it sees first.
# shellcheck disable=SC2086
case $($mpirun --version 2>&1) in *HYDRA*) hydra=yes ;; *) hydra=no ;; esac
for how in segv exit _exit; do
    [ $how = segv ] && status=139 || status=4
    is "$how: its own exit status" "$(status_of "$survive" $how)" $status
    is "... and traced" "$(status_of "$MPGTRACE" record --quiet --force -o $how.trace "$survive" $how $how.counts)" \
        $status
    all_there $how 1
    if [ $hydra = yes ]; then
        traced $how 2
        skip "$how: the exit status and the output" "Hydra reports them by chance"
    else
        as_ever $how 2
    fi
    all_there $how 2
done
is "no window is left of a whole trace" "$(echo end.trace/*)" "end.trace/rank-0.mpgt end.trace/rank-1.mpgt"
like "exit without MPI_Finalize is said" "$("$MPGTRACE" stat exit.trace)" \
    "*incomplete*without MPI_Finalize*"
like "a signal is said" "$("$MPGTRACE" stat segv.trace)" "*rank 0*died*"
"$MPGSIM" segv.trace >out 2>&1
like "mpgsim says what is missing" "$(cat out)" "*rank 0 was killed*without MPI_Finalize*"

rm segv.trace/rank-0.window.mpgt
"$MPGTRACE" stat segv.trace >stat
is "stat says that a window is missing" "$(grep '^no segment' stat)" "no segment  rank 0: no \
MPI_Finalize, and the segment (rank-0.window.mpgt) that would hold the last calls is missing"
is "mpgsim says it, too" "$("$MPGSIM" segv.trace 2>&1)" "mpgsim: segv.trace: rank 0: its trace \
ends without MPI_Finalize, and there is no segment (rank-0.window.mpgt) that would hold its last \
calls; \
--lenient simulates the recorded part"
truncate -s -1 end.trace/rank-0.mpgt
is "... and not of a trace that is whole or cut off" "$("$MPGTRACE" stat end.trace |
    sed -nE '/^(no segment|cut off)/s/  .*//p')" "cut off"

# --- limits of the machine ---
traced limit 2 --buffer 4KiB
is "a limit of file sizes: the program ends well" "$?: $(cat out)" "0: survive: 2 ranks, to the end"
is "... and is told once a rank" "$(grep -c '^mpgtrace: rank [01]: .*File too large' err)" 2
ok "... what there is can be read" sh -c '"$1" stat limit.trace >out' sh "$MPGTRACE"
is "... as cut short, not as of dead ranks" "$(sed -nE '/^(died|incomplete)/p' out)" \
    "incomplete  2 ranks, the first of them rank 0: the trace could not be written, as on a full disk"
traced limit-all 2 --profile
is "... a profile: the program ends well" "$?: $(cat out)" "0: survive: 2 ranks, to the end"
is "... and is told once a rank" "$(grep -c '^mpgtrace: rank [01]: .*File too large' err)" 2
for how in removed removed-pipe removed-file; do
    traced $how 2 --buffer 4KiB
    is "$how: the program ends well" "$?: $(cat out)" "0: survive: 2 ranks, to the end"
    ok "... and leaves no trace" test ! -e $how.trace
    [ $how = removed ] &&
        is "... which is told once a rank" "$(grep -c '^mpgtrace: rank [01]: .*has been removed' err)" 2
done
is "what has taken the place of standard error is not written to" "$(wc -c <precious)" 0
if mkdir full && mount -t tmpfs -o size=1m tmpfs full 2>/dev/null; then
    mkdir full/fill.trace
    # With 44 KiB left there is room for the segments, but not for a trace of at least 70 KiB.
    head -c 1003520 /dev/zero >full/fill.trace/filling
    # shellcheck disable=SC2086
    timeout 600 $mpirun -np 2 "$MPGTRACE" record --quiet -o full/fill.trace --buffer 4KiB "$survive" \
        signals >out 2>err
    is "a full disk: the program ends well" "$?: $(cat out)" "0: survive: 2 ranks, to the end"
    like "... and is told" "$(cat err)" "mpgtrace: *No space left on device*"
    umount full
else
    skip "a full disk" "cannot mount a file system"
fi

if ${CC:-cc} -shared -fPIC -o nomap.so "$here/nomap.c" 2>complaint; then
    # UCX, where MPI uses it, would put a mmap of its own in the place of ours.
    # shellcheck disable=SC2086
    $mpirun -np 2 env UCX_MEM_EVENTS=no LD_PRELOAD="$tmp/nomap.so" "$MPGTRACE" record --quiet \
        -o nomap.trace --buffer 4KiB "$survive" end nomap.counts >out 2>err
    is "files that cannot be mapped: the program ends well" "$?: $(cat out)" \
        "0: survive: 2 ranks, to the end"
    like "... what that means is told once" "$(cat err)" \
        "mpgtrace: rank 0: *cannot be mapped*its last calls are lost"
    ok "... and every call is there" holds nomap.trace nomap.counts 2
else
    skip "files that cannot be mapped" "no compiler"
fi

# --- where not all are traced ---
# shellcheck disable=SC2016,SC2086
if [ "$($mpirun -np 1 sh -c 'echo ${OMPI_COMM_WORLD_RANK-$PMI_RANK}')" = 0 ]; then
    timeout 600 $mpirun -np 3 sh -c '
        if [ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = 1 ]; then
            shift 5
            echo "${PMIX_NAMESPACE:-$PPID-*}" >job
        fi
        exec "$@"' sh "$MPGTRACE" record --quiet -o some.trace "$survive" brief >out 2>err
    is "some ranks under record: the program ends well" "$?: $(cat out)" \
        "0: survive: 3 ranks, to the end"
    is "... and it is told once" "$(cat err)" \
        "mpgtrace: only 2 of 3 ranks run under mpgtrace record: they run untraced"
    is "... and nothing stays behind" \
        "$([ -s job ] || echo "no job"; find /dev/shm -name "mpgtrace-*-$(cat job)")" ""
else
    skip "some ranks under record" "the launcher does not tell ranks their number"
fi

# --- where host names differ on one host, as in containers ---
# shellcheck disable=SC2016,SC2086
if [ -n "$($mpirun -np 1 sh -c 'echo $PMIX_NAMESPACE')" ] && unshare --uts true 2>/dev/null; then
    timeout 600 $mpirun -np 2 unshare --uts sh -c 'hostname "name-$$" && exec "$@"' sh \
        "$MPGTRACE" record --quiet -o names.trace "$survive" brief >out 2>err
    is "host names differ: the program ends well" "$?: $(cat out)" "0: survive: 2 ranks, to the end"
    is "... both ranks are traced" "$(find names.trace -name 'rank-*' | wc -l): $(cat err)" "2: "
    is "... and nothing stays behind" "$(find . -maxdepth 1 -name '.mpgtrace-*')" ""
else
    skip "host names differ" "no namespaces for host names, or no name of the job"
fi

# --- killed at a random time ---
#
# wait_until COMMAND...: repeats COMMAND until it succeeds, for at most two minutes.
wait_until() {
    local i
    for i in $(seq 12000); do
        "$@" && return
        sleep 0.01
    done
    echo "# not within two minutes: $*"
    return 1
}

# counting RANKS: succeeds when all ranks have begun to count.
counting() {
    [ -s run.counts ] && ! counts run.counts "$1" | grep -qx 0
}

# gone: succeeds when no rank runs. Not every launcher waits for its ranks, and a killed rank exists until it is
# scheduled.
gone() {
    local pid
    while read -r pid; do
        ! grep -qs '^State:[[:space:]]*[^[:space:]ZX]' "/proc/$pid/status" || return
    done <run.pids
}

# start_run RANKS: starts a run that lasts until it is killed; $launcher: the launcher's process.
start_run() {
    rm -rf run.trace run.counts run.pids
    # The ranks are not every launcher's children.
    # shellcheck disable=SC2016,SC2086
    $mpirun -np "$1" sh -c 'echo $$ >>run.pids; exec "$@"' sh "$MPGTRACE" record --quiet -o run.trace \
        --buffer 4KiB "$survive" run run.counts >out 2>err &
    launcher=$!
    # Until all ranks have begun to count there may be no trace.
    wait_until counting "$1"
}

# end_run: kills the ranks that still run, whatever the launcher does.
end_run() {
    { wait $launcher; } 2>/dev/null
    # shellcheck disable=SC2046 # numbers; the shell's own kill, there may be no other
    kill -KILL $(cat run.pids) 2>/dev/null
    wait_until gone
}

# kill_one: kills one of 2 to 4 ranks, chosen at random.
kill_one() {
    local ranks=$((2 + RANDOM % 3))
    start_run $ranks
    sleep "0.$(printf %03d $((RANDOM % 400)))"
    kill -KILL "$(sed -n $((1 + RANDOM % ranks))p run.pids)"
    end_run
    holds run.trace run.counts $ranks
}
for i in $(seq "$kills"); do
    ok "killed at a random moment, $i" kill_one
done

start_run 2
like "while they run, that is said" "$("$MPGTRACE" stat run.trace | grep '^running')" \
    "running     2 of 2 ranks are still running"
like "... and the trace to end for that" "$("$MPGSIM" run.trace 2>&1)" \
    "mpgsim: run.trace: rank 0 is still running (like *"
kill -KILL "$(head -n 1 run.pids)"
end_run
is "... but not after they were killed" "$("$MPGTRACE" stat run.trace | grep -c '^running')" 0
done_testing
