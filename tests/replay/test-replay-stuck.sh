#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A re-enactment that cannot go on says which ranks wait in which calls, and ends; one that is ended leaves nothing (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
needs_mpi
command -v pgrep >/dev/null || skip_all "no pgrep (Debian package procps)"

# Both ranks send first, and then receive.
made both.trace <<'END_OF_TRACE'
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1100 Send to=1 tag=7 bytes=8
0 1200 1300 Recv from=1 tag=9 bytes=8
0 3000 3100 Finalize
1 0 100 Init
1 1000 1100 Send to=0 tag=9 bytes=8
1 1200 1300 Recv from=0 tag=7 bytes=8
1 3000 3100 Finalize
END_OF_TRACE
# A communicator has ranks 2 and 1 in this order. Nobody receives rank 2's message, because of its tag.
made tags.trace <<'END_OF_TRACE'
#mpgtext 1
#ranks 4
#comm 1 of 0 = 2 1
0 0 100 Init
0 1000 1100 Comm_split comm=0
0 3000 3100 Finalize
1 0 100 Init
1 1000 1100 Comm_split comm=0 newcomm=1
1 1500 1600 Sendrecv comm=1 to=0 tag=3 bytes=8 from=0 recvtag=4 recvbytes=16
1 3000 3100 Finalize
2 0 100 Init
2 1000 1100 Comm_split comm=0 newcomm=1
2 1500 1600 Ssend comm=1 to=1 tag=9 bytes=77
2 3000 3100 Finalize
3 0 100 Init
3 1000 1100 Comm_split comm=0
3 1150 1200 Probe any=source,tag from=1 tag=9 bytes=24
3 3000 3100 Finalize
END_OF_TRACE
# A collective that one member does not call, a request that never completes, a window that one rank does not free.
made members.trace <<'END_OF_TRACE'
#mpgtext 1
#ranks 3
#window 0 = 0 0
0 0 100 Init
0 1000 1100 Win_create comm=0 win=0 bytes=64
0 1200 1300 Allreduce comm=0 bytes=8
0 2000 2100 Win_free win=0
0 3000 3100 Finalize
1 0 100 Init
1 1000 1100 Win_create comm=0 win=0 bytes=64
1 1110 1120 Irecv from=2 tag=8 bytes=8 request=1
1 1150 1180 Wait requests=1
1 1200 1300 Allreduce comm=0 bytes=8
1 2000 2100 Win_free win=0
1 3000 3100 Finalize
2 0 100 Init
2 1000 1100 Win_create comm=0 win=0 bytes=64
2 2000 2100 Win_free win=0
2 3000 3100 Finalize
END_OF_TRACE
# An error that MPI detects on all ranks at the same time.
made refused.trace < <(
    printf '#mpgtext 1\n#ranks 4\n'
    for rank in 0 1 2 3; do
        echo "$rank 0 100 Init
$rank 1000 1100 Barrier comm=0
$rank 1200 1300 Send to=77 tag=7 bytes=8
$rank 3000 3100 Finalize"
    done)
# Rank 0 computes for hours, rank 1 waits for it.
made "$work/hours.trace" <<'END_OF_TRACE'
#mpgtext 1
#ranks 2
0 0 100 Init
0 10000000000000 10000000000100 Send to=1 tag=7 bytes=8
0 10060000000000 10060000000100 Finalize
1 0 100 Init
1 1000 10000000000200 Recv from=0 tag=7 bytes=8
1 10060000000000 10060000000100 Finalize
END_OF_TRACE

# said: prints mpgreplay's messages. Where each rank counts as a host of its own and speaks for itself, prints them as a
# single host would.
said() {
    [ "$apart" = yes ] || { grep '^mpgreplay: ' err; return; }
    echo 'mpgreplay: no rank has progressed for 2 s:'
    grep '^mpgreplay: ' err | grep -vx 'mpgreplay: no rank of this host has progressed for 2 s:' | sort
}
# stuck RANKS LINES ARGUMENT...: checks that mpgreplay ends by itself, and prints LINES.
stuck() {
    local ranks=$1 lines=$2
    shift 2
    limit=100 run "$ranks" "$mpgreplay" --patience=2s "$@"
    ok "$mpi: $* ends" test "$status" -ne 0 -a "$status" -ne 124
    is "... and says why" "$(said)" "mpgreplay: no rank has progressed for 2 s:
$lines"
}

# processes: prints the processes of the run of hours.trace.
processes() {
    pgrep -f "^$mpgreplay .*$work/hours.trace"
}
# started: succeeds when both processes are in their calls.
started() {
    local i
    for ((i = 0; i < 100; i++)); do
        [ "$(processes | wc -l)" -eq 2 ] && sleep 1 && return
        sleep 0.1
    done
    return 1
}
# gone: succeeds when they no longer exist.
gone() {
    local i
    for ((i = 0; i < 100; i++)); do
        processes >/dev/null || return 0
        sleep 0.1
    done
    processes | sed 's/^/# process /'
    return 1
}
# ended NAME SIGNAL WHOM: checks that a run of hours.trace, with all its processes and shared memory, ends when WHOM
# gets SIGNAL. WHOM: launcher, or a number for one of the ranks.
ended() {
    local name=$1 signal=$2 whom=$3 launcher named left=0
    mkdir folder
    # shellcheck disable=SC2086 # mpirun may have arguments
    TMPDIR=$work/folder timeout --foreground -k 5 100 \
        $mpirun -np 2 "$mpgreplay" --elapse=sleep "$work/hours.trace" >out 2>err </dev/null &
    launcher=$!
    ok "$mpi: $name: it runs" started
    named=$(for process in $(processes); do sed -n 's|^.* \(/dev/shm/[^ ]*\)$|\1|p' "/proc/$process/maps"; done | sort -u)
    if [ "$whom" = launcher ]; then
        kill -s "$signal" "$(pgrep -P $launcher | head -n 1)"
    else
        kill -s "$signal" "$(processes | sed -n "${whom}p")"
    fi
    wait $launcher
    status=$?
    # After an interrupt, MPICH's launcher Hydra sometimes exits with 0, for any program.
    [ "$signal" = INT ] || ok "... it fails" test "$status" -ne 0 -a "$status" -ne 124
    ok "... all processes end" gone
    for file in $named; do [ ! -e "$file" ] || left=$((left + 1)); done
    is "... nothing is left in memory" "$left" 0
    is "... nor in files" "$(find folder -type f)" ""
    rm -r folder
}

# with_mpi: all cases, with the MPI of $mpirun.
with_mpi() {
    run 3 "$mpgreplay" both.trace
    ok "$mpi: too many processes" failed "mpgreplay: both.trace has 2 ranks, but 3 processes were started: mpirun -np 2 *"
    run 1 "$mpgreplay" both.trace
    ok "$mpi: too few" failed "mpgreplay: both.trace has 2 ranks, but 1 process was started: mpirun -np 2 *"
    ok "$mpi: small messages pass" run 2 "$mpgreplay" both.trace
    stuck 2 "mpgreplay: rank 0 waits in call 1 (MPI_Send to=1 tag=7 bytes=16777216 comm=0)
mpgreplay: rank 1 waits in call 1 (MPI_Send to=0 tag=9 bytes=16777216 comm=0)" --hypothesis='resize bytes=16MiB' both.trace
    stuck 4 "mpgreplay: rank 0 waits in call 2 (MPI_Finalize)
mpgreplay: rank 1 waits in call 2 (MPI_Sendrecv to=0 tag=3 bytes=8 from=0 recvtag=4 recvbytes=16 comm=1)
mpgreplay: rank 2 waits in call 2 (MPI_Ssend to=1 tag=9 bytes=77 comm=1)
mpgreplay: rank 3 waits in call 2 (MPI_Probe from=any tag=any bytes=24 comm=0)" tags.trace
    stuck 4 "mpgreplay: rank 0 waits in call 2 (MPI_Finalize)
mpgreplay: rank 1 waits in call 2 (MPI_Sendrecv to=0 tag=3 bytes=8 from=0 recvtag=4 recvbytes=16 comm=1)
mpgreplay: rank 2 waits in call 2 (MPI_Ssend to=1 tag=9 bytes=77 comm=1)
mpgreplay: rank 3 waits in call 2 (MPI_Probe from=1 tag=9 bytes=24 comm=0)" --deterministic tags.trace
    stuck 3 "mpgreplay: rank 0 waits in call 2 (MPI_Allreduce comm=0)
mpgreplay: rank 1 waits in call 3 (MPI_Wait of 1 request)
mpgreplay: rank 2 waits in call 2 (MPI_Win_free)" members.trace
    run 4 "$mpgreplay" refused.trace
    if [ "$apart" = no ]; then
        ok "$mpi: what all ranks fail at is said once" failed "mpgreplay: refused.trace: rank ?, call 2 (MPI_Send): *"
    else
        skip "$mpi: what all ranks fail at is said once" "this MPI takes each rank for one on a host of its own"
    fi
    ended "a rank that computes is killed" KILL 1
    # MPICH 5.0's Hydra sometimes fails here itself, and says only this.
    ok "... the launcher says so" grep -q "signal 9\|HYDU_sock_write" out err
    ended "one that waits" KILL 2
    ended "Ctrl-C" INT launcher
}
mpi=${MPI_LIBRARY:-MPI}
shares_memory "${MPICC:-mpicc}" "$mpirun" && apart=no || apart=yes
with_mpi
if other_mpi; then
    mpi="the other MPI"
    shares_memory "${OTHER_MPICC:-mpicc.none}" "$mpirun" && apart=no || apart=yes
    with_mpi
fi
done_testing
