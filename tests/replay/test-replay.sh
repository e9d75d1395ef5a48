#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces re-enacted and recorded again: they communicate what the programs did (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
needs_mpi
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"
busy=$build/tests/replay/busy
ways=$build/tests/trace/pmpi/ways
# Its default, vulcan, ends in a segmentation fault now and then, without us (Open MPI 4.1.4).
export OMPI_MCA_fcoll=individual

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

# ---- parts of grids, collectives under way at once, matched probes, what is cancelled ----
ok "another program is recorded" recorded 4 parts.trace "$build/tests/replay/parts"
ok "... re-enacted" recorded 4 parts2.trace "$mpgreplay" --quiet --patience=20s parts.trace
ok "... communicates the same" as_before parts.trace parts2.trace chosen=1

# ---- what a test that had failed completes ----
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

# ---- who asks again and again for what is there already ----
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
1000         tests and waits for what was complete were not made*"

# ---- every call that there is ----
mkdir -p all
ok "a program of all calls is recorded" recorded 4 all.trace "$ways" all all
ok "... re-enacted" recorded 4 all2.trace "$mpgreplay" --quiet all.trace
ok "... communicates the same" as_before all.trace all2.trace
ok "... deterministic, too" recorded 4 all3.trace "$mpgreplay" --quiet --deterministic all.trace

# ---- with another MPI than that of the trace ----
if [ -n "${OTHER_MPIRUN:-}" ] && command -v "${OTHER_MPIRUN%% *}" >/dev/null; then
    mpirun=$OTHER_MPIRUN
    ok "re-enacted with ${OTHER_MPICC:-another MPI}" recorded 4 other.trace "$mpgreplay" --quiet busy.trace
    ok "... communicates the same" as_before busy.trace other.trace chosen=1
else
    skip "another MPI" "there is none"
fi
done_testing
