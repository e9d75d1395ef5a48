#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces re-enacted and recorded again: they communicate what the programs did (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
needs_mpi
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"
busy=$build/tests/replay/busy
ways=$build/tests/trace/pmpi/ways
mpi_set "$mpirun" files

# ---- a program that does many things at once ----
ok "a program is recorded" recorded 4 busy.trace "$busy" 6
ok "... re-enacted, and recorded" recorded 4 again.trace "$mpgreplay" --quiet busy.trace
is "... which says nothing" "$(cat out err)" ""
ok "... communicates the same" as_before busy.trace again.trace chosen=1
ok "... in the same regions" as_before busy.trace again.trace regions=1
calls busy.trace regions=1 >one.regions
calls again.trace regions=1 >other.regions
ok "... in their order" cmp one.regions other.regions
is "... of which there are 3 x 6 x 2 a rank" "$(wc -l <one.regions)" 144

ok "deterministic" recorded 4 named.trace "$mpgreplay" --quiet --deterministic busy.trace
ok "... what was open is what it took" as_before busy.trace named.trace named=1 chosen=1
is "... and nothing that was received is open" "$("$mpgtrace" print named.trace | grep -c 'ecv .*from=.*any=')" 0
ok "again, of what was re-enacted" recorded 4 third.trace "$mpgreplay" --quiet again.trace
ok "... the same" as_before busy.trace third.trace chosen=1
ok "little memory" run 4 "$mpgreplay" --memory=256KiB busy.trace
like "... and it says how long it took" "$(cat out)" "run          * traced *calls        *of 4 ranks*"
ok "as JSON" run 4 "$mpgreplay" --json busy.trace
ok "... one object, with the trace's own run and as many calls as it has" python3 - out <<END
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
traced = json.loads("""$("$mpgtrace" stat --json busy.trace)""")
assert found["format"] == "mpgreplay" and found["version"] == 1 and found["trace"] == "busy.trace" and found["ranks"] == 4
assert found["run_ns"] > 0 and found["calls"] > 0 and all(found[k] >= 0 for k in ("exchanged", "waited", "dropped", "late_ns"))
assert abs(found["traced_ns"] - traced["run_ns"]) <= 1, (found["traced_ns"], traced["run_ns"])
END
"$mpgreplay" --json --quiet busy.trace >out 2>err
is "not with --quiet" "$?" 2
like "... and why" "$(cat out err)" "mpgreplay: --json and --quiet exclude each other*"

# ---- grids, several collectives at once, matched probes, cancelled requests ----
ok "another program is recorded" recorded 4 parts.trace "$build/tests/replay/parts"
ok "... re-enacted" recorded 4 parts2.trace "$mpgreplay" --quiet --patience=20s parts.trace
ok "... communicates the same" as_before parts.trace parts2.trace chosen=1

# ---- requests completed later than by a test that failed in the trace ----
"$mpgtrace" import --text - -o early.trace <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1100 Irecv from=1 tag=3 bytes=4 request=1
0 100000000 100000100 Barrier comm=0
0 200000000 200000100 Testany requests=1 done=
0 200003000 200003100 Request_free request=1
0 200005000 200005100 Finalize
1 0 100 Init
1 1000 1200 Send to=0 tag=3 bytes=4
1 100000000 100000100 Barrier comm=0
1 200005000 200005100 Finalize
END
ok "a test completes what is freed then" recorded 2 early2.trace "$mpgreplay" --quiet early.trace
is "... and what is complete is not given to MPI_Request_free" "$("$mpgtrace" print early2.trace | grep -c Request_free)" 0

# ---- requests to MPI_PROC_NULL: MPI_Waitsome reports their completion with Open MPI (1), not with MPICH (0) ----
for told in 1 0; do
    {
        printf '%s\n' '#mpgtext 1' '#ranks 2' '0 0 100 Init' '0 1000 1100 Send_init to=null tag=1 bytes=0 persistent=1' \
            '0 1200 1300 Recv_init from=1 tag=2 bytes=8 persistent=2' '0 1400 1500 Recv_init from=null tag=2 bytes=8 persistent=3' \
            '1 0 100 Init' '1 1000 1100 Send_init to=0 tag=2 bytes=8 persistent=1'
        for i in 0 1 2; do
            a=$((3 * i + 1)) b=$((3 * i + 2)) c=$((3 * i + 3)) t=$((20000000 * (i + 1)))
            echo "0 $t $((t + 100)) Startall persistent=1,2,3 requests=$a,$b,$c"
            if [ $told = 1 ]; then
                echo "0 $((t + 200)) $((t + 300)) Waitsome requests=$a,$b,$c done=$a,$c"
                echo "0 $((t + 400)) $((t + 9000000)) Waitsome requests=$b"
            else
                echo "0 $((t + 200)) $((t + 9000000)) Waitsome requests=$a,$b,$c done=$b"
                echo "0 $((t + 9000100)) $((t + 9000200)) Waitsome requests=$a,$c done="
            fi
            echo "1 $((t + 8000000)) $((t + 8000100)) Start persistent=1 requests=$((i + 1))"
            echo "1 $((t + 8000200)) $((t + 8000300)) Wait requests=$((i + 1))"
        done
        printf '%s\n' '0 90000000 90000100 Finalize' '1 90000000 90000100 Finalize'
    } | "$mpgtrace" import --text - -o nobody$told.trace
    for mode in "" --deterministic; do
        ok "starts to nobody, told of $told ${mode:-free}" \
            recorded 2 nobody$told$mode.again "$mpgreplay" --quiet --patience=10s $mode nobody$told.trace
        ok "... communicates the same" as_before nobody$told.trace nobody$told$mode.again chosen=1
        is "... by starts: what nobody completed was not started again" \
            "$("$mpgtrace" print nobody$told$mode.again | grep -c '^0 .* \(Irecv\|Isend\) ')" 0
        ok "... and each receive is waited for" "$mpgtrace" waits nobody$told$mode.again
    done
done

# ---- repeated polls for a message that has already arrived ----
{
    printf '%s\n' '#mpgtext 1' '#ranks 2' '0 0 100 Init' '0 1000 1100 Irecv from=1 tag=3 bytes=4 request=1' \
        '0 100000 100100 Barrier comm=0'
    for i in $(seq 1000); do
        echo "0 $((200000 + i * 5000)) $((200100 + i * 5000)) Test requests=1 done="
    done
    printf '%s\n' '0 6000000 6000100 Test requests=1' '0 7000000 7000100 Finalize' '1 0 100 Init' \
        '1 1000 1200 Send to=0 tag=3 bytes=4' '1 100000 100100 Barrier comm=0' '1 7000000 7000100 Finalize'
} | "$mpgtrace" import --text - -o polls.trace
run 2 "$mpgreplay" polls.trace
like "... does not ask for it" "$(cat out)" "*
1000         tests and waits for completed requests were left out*"

# ---- messages longer than their receives, beside others that arrive later ----
{
    printf '%s\n' '#mpgtext 1' '#ranks 2' '0 0 100 Init' '1 0 100 Init'
    n=0
    for call in Waitall Waitsome Testall Testsome Waitany Wait; do
        n=$((n + 1)) t=$((n * 40000000)) a=$((2 * n - 1)) b=$((2 * n))
        echo "0 $t $((t + 100)) Irecv from=1 tag=1 bytes=10 comm=0 request=$a"
        echo "0 $((t + 200)) $((t + 300)) Irecv from=1 tag=2 bytes=10 comm=0 request=$b"
        echo "0 $((t + 1000)) $((t + 1100)) Barrier comm=0"
        case $call in
        *some | *any)
            echo "0 $((t + 10000000)) $((t + 10000100)) $call requests=$a,$b done=$a"
            echo "0 $((t + 10000200)) $((t + 20000300)) $call requests=$b done=$b" ;;
        Wait)
            echo "0 $((t + 10000000)) $((t + 10000100)) Wait requests=$a"
            echo "0 $((t + 10000200)) $((t + 20000300)) Wait requests=$b" ;;
        *) echo "0 $((t + 19999900)) $((t + 20000300)) $call requests=$a,$b" ;;
        esac
        echo "1 $t $((t + 100)) Send to=0 tag=1 bytes=20"
        echo "1 $((t + 1000)) $((t + 1100)) Barrier comm=0"
        echo "1 $((t + 20000000)) $((t + 20000100)) Send to=0 tag=2 bytes=10"
    done
    printf '%s\n' '0 900000000 900000100 Finalize' '1 900000000 900000100 Finalize'
} | "$mpgtrace" import --text - -o long.trace
ok "messages that are too long" recorded 2 long2.trace "$mpgreplay" --quiet --patience=10s long.trace

# Half of the receives are shorter than their messages; everything else matches and completes.
partners() {
    "$mpgtrace" waits --lenient "$1" 2>&1 | sed -n 's/^attention *\(.*\)/\1/p; /^mpgtrace/p'
}
longer="6 messages are longer than their receive buffers: the whole message is counted"
is "... all else is received and completed" "$(partners long2.trace)" "$longer"
is "... by as many receives" "$(calls long2.trace | grep -c 'Irecv')" 12

# ---- every MPI call ----
mkdir -p all
ok "a program of all calls is recorded" recorded 4 all.trace "$ways" all all
ok "... re-enacted" recorded 4 all2.trace "$mpgreplay" --quiet all.trace
# Some of its receives from any source name a tag, so that each of them names the message it took.
ok "... communicates the same" as_before all.trace all2.trace named=1
ok "... from any source" grep -q ' Mprobe .*from=any.* tag=60 ' <(calls all2.trace)
ok "... deterministic, too" recorded 4 all3.trace "$mpgreplay" --quiet --deterministic all.trace

# ---- MPI without its component for windows in shared memory ----
case $("$mpgtrace" print all.trace | grep '^#fact 0 mpi ') in
*"Open MPI"*)
    OMPI_MCA_osc=^sm,ucx run 4 "$mpgreplay" --quiet busy.trace
    is "without shared windows" "$status: $(grep -v '^\[' err)" "0: " ;;
*) skip "without shared windows" "this MPI has no choice" ;;
esac

# ---- with another MPI than the trace's ----
if other_mpi; then
    ok "messages that are too long" recorded 2 long3.trace "$mpgreplay" --quiet --patience=10s long.trace
    is "... the same" "$(partners long3.trace)" "$longer"
    for told in 1 0; do
        ok "starts to nobody, told of $told" run 2 "$mpgreplay" --quiet --patience=10s nobody$told.trace
    done
    ok "re-enacted with ${OTHER_MPICC:-another MPI}" recorded 4 other.trace "$mpgreplay" --quiet busy.trace
    ok "... communicates the same" as_before busy.trace other.trace chosen=1
else
    skip "another MPI" "there is none"
fi
done_testing
