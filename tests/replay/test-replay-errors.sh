#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What cannot be re-enacted is said in a line, and nobody hangs (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"

# made NAME: imports the text on standard input as trace NAME.

sent='#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1100 Send to=1 tag=7 bytes=8
0 3000 3100 Finalize
1 0 100 Init
1 1000 1200 Recv from=0 tag=7 bytes=8
1 3000 3100 Finalize'
made sent.trace <<<"$sent"
if [ "${MPGKIT_MPI:-yes}" != yes ]; then
    "$mpgreplay" sent.trace >out 2>err
    is "built without MPI: one line" "$?: $(cat out err)" "1: mpgreplay: mpgkit was built without MPI"
    done_testing
    exit
fi
needs_mpi

ok "a message" run 2 "$mpgreplay" sent.trace
like "... it says how long it took, and of how many calls" "$(cat out)" "run *traced 2.9 us*calls        4 of 2 ranks*"

# ---- wrong numbers of ranks ----
run 3 "$mpgreplay" sent.trace
ok "too many processes" failed "mpgreplay: sent.trace has 2 ranks, but 3 processes were started: mpirun -np 2 mpgreplay ..."
run 1 "$mpgreplay" sent.trace
ok "too few" failed "mpgreplay: sent.trace has 2 ranks, but 1 process was started: mpirun -np 2 mpgreplay ..."
"$mpgreplay" sent.trace >out 2>err </dev/null
status=$?
ok "no launcher" failed "mpgreplay: sent.trace has 2 ranks, but 1 process was started: *"

# ---- files that are no traces, and incomplete traces ----
run 2 "$mpgreplay" none.trace
ok "no trace" failed "mpgreplay: none.trace: *"
run 2 "$mpgreplay" "$here/replay.sh"
ok "another file" failed "mpgreplay: *: *, not a trace*"
"$mpgreplay" - >out 2>err </dev/null
status=$?
ok "standard input" failed "mpgreplay: only one process can read standard input*"
made unended.trace < <(grep -v '^1 .*Finalize' <<<"$sent")
run 2 "$mpgreplay" unended.trace
ok "a rank without an end" failed "mpgreplay: unended.trace: rank 1 has no MPI_Finalize: a replay would hang"
cp -r sent.trace missing.trace && rm missing.trace/rank-1.mpgt
run 2 "$mpgreplay" missing.trace
ok "a file that is missing" failed "mpgreplay: missing.trace: rank 1 of 2 is missing: copy the files of all ranks (of all hosts) to one folder, or record again"
cp -r sent.trace cut.trace
last=cut.trace/rank-1.mpgt
size=$(wc -c <"$last")
head -c $((size - 3)) "$last" >part && mv part "$last"
run 2 "$mpgreplay" cut.trace
ok "a file that is cut off" failed "mpgreplay: cut.trace: *cut off*"
# Recorded files begin with facts, and end with facts: what is cut off of the events is some hundred bytes before the end.
# shellcheck disable=SC2086
$mpirun -np 2 "$mpgtrace" record --quiet -o facts.trace "$mpgreplay" sent.trace >out 2>err </dev/null
last=facts.trace/rank-1.mpgt
for cut in 20 120 220 320 420 520 620; do
    cp "$last" whole
    head -c $(($(wc -c <whole) - cut)) whole >"$last"
    run 2 "$mpgreplay" facts.trace
    grep -q 'has no events' err && break
    cp whole "$last"
done
ok "... before its first whole chunk of events" failed "mpgreplay: facts.trace: rank 1 has no events: facts.trace/rank-1.mpgt is cut off*"

# ---- waits that never end ----
made lost.trace < <(grep -v Send <<<"$sent")
limit=100 run 2 "$mpgreplay" --patience=1500ms lost.trace
ok "a message that is not sent: it ends" test "$status" -ne 0 -a "$status" -ne 124
is "... and says who waits in what" "$(grep '^mpgreplay: ' err)" "mpgreplay: no rank has progressed for 1.5 s:
mpgreplay: rank 0 waits in call 1 (MPI_Finalize)
mpgreplay: rank 1 waits in call 1 (MPI_Recv from=0 tag=7 bytes=8 comm=0)"
made lost2.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1100 Irecv from=1 tag=3 bytes=4 request=1
0 1200 1300 Irecv from=1 tag=4 bytes=4 request=2
0 2000 2100 Waitall requests=1,2
0 3000 3100 Finalize
1 0 100 Init
1 1000 1200 Send to=0 tag=3 bytes=4
1 2000 2200 Recv any=source from=0 tag=5 bytes=16
1 3000 3100 Finalize
END
limit=100 run 2 "$mpgreplay" --patience=1s lost2.trace
is "... in other calls" "$(grep '^mpgreplay: rank' err)" "mpgreplay: rank 0 waits in call 3 (MPI_Waitall of 2 requests)
mpgreplay: rank 1 waits in call 2 (MPI_Recv from=any tag=5 bytes=16 comm=0)"

made lost3.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1200 Bcast comm=0 root=1 bytes=8
0 3000 3100 Finalize
1 0 100 Init
1 1000 1200 Recv from=0 tag=5 bytes=16
1 3000 3100 Finalize
END
limit=100 run 2 "$mpgreplay" --patience=1s lost3.trace
is "... with a root" "$(grep '^mpgreplay: rank 0' err)" "mpgreplay: rank 0 waits in call 1 (MPI_Bcast root=1 comm=0)"
made rest.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1100 Send to=1 tag=7 bytes=8
0 1200 1300 Send to=1 tag=8 bytes=24
0 3000 3100 Finalize
1 0 100 Init
1 1000 1200 Recv from=0 tag=8 bytes=24
1 3000 3100 Finalize
END
ok "a message that nobody receives" run 2 "$mpgreplay" rest.trace
like "... is told" "$(cat out)" "*
1            messages were not received*"

# mpgreplay's patience does not run out while a rank computes for longer.
made slow.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 2500000000 2500000100 Send to=1 tag=7 bytes=8
0 2500003000 2500003100 Finalize
1 0 100 Init
1 1000 2500001200 Recv from=0 tag=7 bytes=8
1 2500003000 2500003100 Finalize
END
ok "a long computation is waited for" run 2 "$mpgreplay" --patience=1s --elapse=sleep slow.trace
made slow2.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 2500001000 Grequest_start request=1
0 2500002000 2500002100 Send to=1 tag=7 bytes=8
0 2500003000 2500003100 Finalize
1 0 100 Init
1 1000 2500002200 Recv from=0 tag=7 bytes=8
1 2500003000 2500003100 Finalize
END
ok "... and so is a call that passes instead of being made" run 2 "$mpgreplay" --patience=1s --elapse=sleep slow2.trace

# ---- results that differ from the trace ----
made cancelled.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1100 Irecv any=source,tag comm=0 bytes=16 request=1
0 4000 4100 Barrier comm=0
0 200000000 200000100 Cancel request=1
0 200001000 200001100 Wait requests=1 cancelled=1
0 200002000 200002100 Recv from=1 tag=3 bytes=4
0 200003000 200003100 Irecv from=1 tag=3 comm=0 bytes=4 request=2
0 200004000 200004100 Cancel request=2
0 200005000 200005100 Wait requests=2
0 200006000 200006100 Finalize
1 0 100 Init
1 1000 1200 Send to=0 tag=3 bytes=4
1 2000 2200 Send to=0 tag=3 bytes=4
1 4000 4100 Barrier comm=0
1 5000 5100 Finalize
END
limit=100 run 2 "$mpgreplay" --patience=5s cancelled.trace
is "what was cancelled takes no message that comes meanwhile" "$status: $(cat err)" "0: "
# Only one group of an inter-communicator receives a message that is cancelled. Both groups must agree on that.
made between.trace <<'END'
#mpgtext 1
#ranks 3
#comm 1 of 0 = 0 2
#comm 2 of 0 = 1
#comm 3 = 0 2 | 1
0 0 100 Init
0 1000 1100 Comm_split comm=0 newcomm=1
0 1200 1300 Intercomm_create comm=1 newcomm=3
0 2000 2100 Recv from=0 tag=3 comm=3 bytes=4
0 3000 3100 Finalize
1 0 100 Init
1 1000 1100 Comm_split comm=0 newcomm=2
1 1200 1300 Intercomm_create comm=2 newcomm=3
1 1900 2000 Send to=0 tag=3 comm=3 bytes=4
1 3000 3100 Finalize
2 0 100 Init
2 1000 1100 Comm_split comm=0 newcomm=1
2 1200 1300 Intercomm_create comm=1 newcomm=3
2 1400 1500 Irecv from=0 tag=3 comm=3 bytes=4 request=1
2 1600 1700 Cancel request=1
2 1800 1900 Wait requests=1 cancelled=1
2 3000 3100 Finalize
END
limit=100 run 3 "$mpgreplay" --patience=5s between.trace
is "what only one group of two cancels" "$status: $(cat err)" "0: "
# Communicators made with ports and sockets between processes of the same job: mpgreplay makes them without a port.
made ports.trace <<'END'
#mpgtext 1
#ranks 3
#comm 1 of 0 = 0 2
#comm 2 of 0 = 1
#comm 3 = 0 2 | 1
#comm 4 = 0 | 1
0 0 100 Init
0 1000 1100 Comm_split comm=0 newcomm=1
0 1200 1300 Comm_accept comm=1 newcomm=3
0 1350 1400 Comm_join comm=null newcomm=4
0 2000 2100 Recv from=0 tag=3 comm=3 bytes=4
0 2200 2300 Recv from=0 tag=4 comm=4 bytes=4
0 2400 2500 Comm_disconnect comm=3
0 3000 3100 Finalize
1 0 100 Init
1 1000 1100 Comm_split comm=0 newcomm=2
1 1200 1300 Comm_connect comm=2 newcomm=3
1 1350 1400 Comm_join comm=null newcomm=4
1 1900 2000 Send to=0 tag=3 comm=3 bytes=4
1 2100 2200 Send to=0 tag=4 comm=4 bytes=4
1 2400 2500 Comm_disconnect comm=3
1 3000 3100 Finalize
2 0 100 Init
2 1000 1100 Comm_split comm=0 newcomm=1
2 1200 1300 Comm_accept comm=1 newcomm=3
2 2400 2500 Comm_disconnect comm=3
2 3000 3100 Finalize
END
limit=100 run 3 "$mpgreplay" --patience=5s ports.trace
is "accept, connect and join within one world" "$status: $(cat err)" "0: "
made uneven.trace <<'END'
#mpgtext 1
#ranks 3
#comm 1 of 0 = 0 1 2
#topology 0 1 = 1 > 1 2
#topology 1 1 = 0 > 0
#topology 2 1 = 0 >
0 0 100 Init
0 1000 1100 Dist_graph_create_adjacent comm=0 newcomm=1
0 2000 2100 Neighbor_allgather comm=1 bytes=8
0 3000 3100 Finalize
1 0 100 Init
1 1000 1100 Dist_graph_create_adjacent comm=0 newcomm=1
1 2000 2100 Neighbor_allgather comm=1 bytes=8
1 3000 3100 Finalize
2 0 100 Init
2 1000 1100 Dist_graph_create_adjacent comm=0 newcomm=1
2 2000 2100 Neighbor_allgather comm=1 bytes=8
2 3000 3100 Finalize
END
ok "more destinations than sources" run 3 "$mpgreplay" uneven.trace

# ---- as another user ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null &&
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$mpgreplay"; then
    chmod 755 "$work"
    mkdir -m 777 home
    mpirun="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$work/home TMPDIR=$work/home $mpirun"
    ok "as an ordinary user" run 2 "$mpgreplay" sent.trace
else
    skip "as an ordinary user" "this is one, or there is none"
fi
done_testing
