#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Re-enactment of ranks of which several threads made calls (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
needs_mpi
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"
[ -x "$build/tests/replay/crew" ] || skip_all "no tests/replay/crew"

# named TRACE: prints the calls. A thread is named by the tag of the messages that it sends around, because a tracer
# numbers threads in the order of their appearance.
named() {
    "$mpgtrace" print "$1" >printed
    awk 'NR == FNR { if ($4 == "Sendrecv") for (i = 5; i <= NF; i++) if ($i ~ /^tag=/) name[$1] = $i; next }
         !/^#/ && $1 in name { split($1, r, "."); $1 = r[1] ":" name[$1] } 1' printed printed |
         awk -v chosen=1 -f "$here/calls.awk" | sort
}

# same ONE OTHER: succeeds if each thread has the same communication in both traces.
same() {
    named "$1" >one.calls
    named "$2" >other.calls
    [ "$(cut -d' ' -f1 one.calls | sort -u | wc -l)" -eq 6 ] && diff one.calls other.calls >differences && return
    head -n 20 differences | sed 's/^/# /'
    return 1
}

# enters TRACE WHO CALL: prints when thread WHO first entered CALL, in ns.
enters() {
    "$mpgtrace" print "$1" | awk -v who="$2" -v call="$3" '$1 == who && $4 == call { print $2; exit }'
}

# ---- a program, with both MPIs: each thread makes the same calls again ----
ok "a program with threads is recorded" recorded 2 crew.trace "$build/tests/replay/crew" 10
ok "... of three a rank" test "$("$mpgtrace" print crew.trace | awk '!/^#/ { print $1 }' | sort -u | wc -l)" -eq 6
ok "... re-enacted" recorded 2 again.trace "$mpgreplay" --quiet --elapse=sleep --patience=20s crew.trace
is "... which says nothing" "$(cat out err)" ""
ok "... each thread communicates the same" same crew.trace again.trace
ok "... and so again" recorded 2 third.trace "$mpgreplay" --quiet --elapse=sleep --patience=20s --deterministic again.trace
ok "... the same" same crew.trace third.trace
run 2 "$mpgreplay" --elapse=sleep --memory=64KiB crew.trace
ok "with little memory, nothing only took its time" test "$status,$(grep -c 'only took' out)" = 0,0
run 2 "$mpgreplay" --elapse=sleep --hypothesis='drop tag=10' crew.trace
sent=$("$mpgtrace" print crew.trace | grep -c ' Sendrecv .*tag=10 ')
like "what hypotheses drop is of one thread" "$(cat out)" "*
$sent * calls were removed by hypotheses*"
default=$mpirun
if other_mpi; then
    ok "re-enacted with ${OTHER_MPICC:-another MPI}" recorded 2 other.trace "$mpgreplay" --quiet --elapse=sleep crew.trace
    ok "... each thread communicates the same" same crew.trace other.trace
    mpirun=$default
else
    skip "another MPI" "there is none"
fi

# ---- objects that another thread must create first ----
#
# Rank 1 sends 200 ms after MPI_Init, but by rank 0's clock the message has arrived by 2 us. By its own times, thread 1
# would test a request and use a communicator before its rank's first thread has created them.
late() {
    cat <<'END'
#mpgtext 1
#ranks 2
#comm 0 = 0 1
#comm 1 of 0 = 0 1
0 0 100 Init_thread
0 1000 2000 Recv from=1 tag=7 bytes=8
0 3000 3100 Irecv from=1 tag=8 bytes=8 request=1
0 4000 4100 Comm_dup comm=0 newcomm=1
0.1 6000 6100 Wait requests=1
0.1 7000 7100 Barrier comm=1
0 9000 9100 Comm_free comm=1
0 10000 10100 Finalize
1 0 100 Init
1 200000000 200001000 Send to=0 tag=7 bytes=8
1 200002000 200002100 Send to=0 tag=8 bytes=8
1 200003000 200003100 Comm_dup comm=0 newcomm=1
1 200004000 200004100 Barrier comm=1
1 200005000 200005100 Comm_free comm=1
1 200006000 200006100 Finalize
END
}
ok "a trace by hand" made late.trace < <(late)
ok "... re-enacted" recorded 2 late2.trace "$mpgreplay" --quiet --patience=20s late.trace
ok "... all calls are made" as_before late.trace late2.trace
ok "... a request is waited for that is not there yet" \
    test "$(enters late2.trace 0.1 Wait)" -gt "$(enters late2.trace 0 Irecv)"
ok "... and a communicator" test "$(enters late2.trace 0.1 Barrier)" -gt "$(enters late2.trace 0 Comm_dup)"
ok "... and freed behind its use" test "$(enters late2.trace 0 Comm_free)" -gt "$(enters late2.trace 0.1 Barrier)"

# Collectives on one communicator: thread 1's is the second in the trace, although its own times would make it the
# first.
ok "another" made order.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init_thread
0 1000 2000 Recv from=1 tag=7 bytes=8
0 3000 3100 Bcast comm=0 root=0 bytes=24
0.1 5000 5100 Allreduce comm=0 bytes=8
0 10000 10100 Finalize
1 0 100 Init
1 200000000 200001000 Send to=0 tag=7 bytes=8
1 200002000 200003000 Bcast comm=0 root=0 bytes=24
1 200005000 200006000 Allreduce comm=0 bytes=8
1 200010000 200010100 Finalize
END
ok "... re-enacted" recorded 2 order2.trace "$mpgreplay" --quiet --patience=20s order.trace
ok "... all calls are made" as_before order.trace order2.trace
ok "... in the communicator's order" test "$(enters order2.trace 0.1 Allreduce)" -gt "$(enters order2.trace 0 Bcast)"

# A launcher that tells the rank only to MPI, although the trace's threads are counted before MPI_Init. MPICH's launcher
# sets PMI_RANK unless its option -pmi-port is given.
if other_mpi && $mpirun -pmi-port -np 1 env >ranks 2>&1 && grep -q ^PMI_PORT= ranks && ! grep -q ^PMI_RANK= ranks; then
    mpirun="$mpirun -pmi-port"
    limit=100 run 2 "$mpgreplay" --quiet --patience=20s order.trace
    is "... from a launcher that does not tell the rank" "$status,$(cat err)" "0,"
else
    skip "... from a launcher that does not tell the rank" "no Hydra"
fi
mpirun=$default

# Threads do not wait for each other otherwise: the message for thread 0 is sent when thread 1's message has arrived,
# which is later by the trace's clocks.
ok "a third" made apart.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init_thread
0 1000 2000 Recv from=1 tag=7 bytes=8
0.1 5000 5100 Send to=1 tag=9 bytes=8
0 10000 10100 Finalize
1 0 100 Init
1 200000000 200001000 Recv from=0 tag=9 bytes=8
1 200002000 200002100 Send to=0 tag=7 bytes=8
1 200006000 200006100 Finalize
END
limit=100 run 2 "$mpgreplay" --quiet --patience=20s apart.trace
is "... goes on while another thread waits" "$status,$(cat err)" "0,"

# ---- a thread that cannot continue ----
ok "a message that nobody sends" made lost.trace < <(late | sed '/^1 .*tag=8/d')
limit=100 run 2 "$mpgreplay" --patience=1s lost.trace
ok "... it ends" test "$status" -ne 0 -a "$status" -ne 124
is "... and says which threads wait in what" "$(grep '^mpgreplay: ' err)" "mpgreplay: no rank has progressed for 1 s:
mpgreplay: rank 0 waits in call 6 (MPI_Comm_free comm=1)
mpgreplay: rank 0.1 waits in call 4 (MPI_Wait of 1 request)
mpgreplay: rank 1 waits in call 3 (MPI_Barrier comm=1)"
done_testing
