#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces in which a probe or receive from any source takes what a test then waits for: re-enacted, another message is taken in its
# place, and the test must not wait before the probes behind it have had their turn (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
needs_mpi
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"

# raced NAME RANKS BYTES: makes NAME.trace: the calls on standard input, with times in ms. At the begin rank 0 sends
# BYTES to the last rank, before all others have sent anything; probes find the messages of rank 0 first.
raced() {
    local last=$(($2 - 1))
    {
        printf '%s\n' '#mpgtext 1' "#ranks $2"
        for r in $(seq 0 "$last"); do echo "$r 0 100 Init"; done
        {
            echo "0 5 Isend to=$last tag=1 bytes=$3 request=1"
            for r in $(seq 0 "$last"); do echo "$r 50 Barrier comm=0"; done
            cat
            echo "0 150 Wait requests=1"
            for r in $(seq 0 "$last"); do echo "$r 160 Barrier comm=0"; done
        } | awk '{ at = $2 * 1000000; $2 = at " " at + 1000; print }'
        for r in $(seq 0 "$last"); do echo "$r 170000000 170001000 Finalize"; done
    } | "$mpgtrace" import --text - --force -o "$1.trace"
}

# ends NAME WHAT RANKS: checks that mpgreplay re-enacts NAME.trace with the same communication, and ends.
ends() {
    rm -rf "$1.again"
    ok "$2" recorded "$3" "$1.again" "$mpgreplay" --quiet --patience=10s --elapse=sleep "$1.trace"
    ok "... all make the same calls" as_before "$1.trace" "$1.again" chosen=1
    same_messages "$1.trace" "$1.again"
    ok "deterministic" run "$3" "$mpgreplay" --quiet --patience=10s --elapse=sleep --deterministic "$1.trace"
}

# circles BYTES: the cases with messages of BYTES.
circles() {
    local b=$1 test
    for test in 'Test requests=11' 'Testall requests=11,12' 'Testany requests=11,12 done=11' 'Testsome requests=11,12 done=11'; do
        raced own 2 "$b" <<END
1 60 Issend to=1 tag=1 bytes=$b request=11
1 61 Issend to=0 tag=2 bytes=$b request=12
0 62 Recv from=1 tag=2 bytes=$b
1 80 Improbe any=source from=1 tag=1 bytes=$b message=1
1 81 Mrecv from=1 tag=1 message=1 bytes=$b
1 90 $test
1 100 Improbe any=source from=0 tag=1 bytes=$b message=2
1 101 Mrecv from=0 tag=1 message=2 bytes=$b
1 110 $(case $test in Testall*) echo Pcontrol level=1 ;; *) echo Wait requests=12 ;; esac)
END
        ends own "a send to oneself, $b bytes, and a ${test%% *} of it" 2
    done
    raced posted 2 "$b" <<END
1 55 Irecv any=source from=1 tag=1 bytes=$b request=10
1 60 Issend to=1 tag=1 bytes=$b request=11
1 90 Test requests=11
1 100 Wait requests=10
1 101 Recv any=source from=0 tag=1 bytes=$b
END
    ends posted "... that a posted receive takes" 2
    raced each 3 "$b" <<END
1 60 Issend to=2 tag=1 bytes=$b request=11
2 60 Issend to=1 tag=1 bytes=$b request=11
2 80 Improbe any=source from=1 tag=1 bytes=$b message=1
2 81 Mrecv from=1 tag=1 message=1 bytes=$b
1 90 Test requests=11
1 91 Recv from=2 tag=1 bytes=$b
2 95 Test requests=11
2 100 Improbe any=source from=0 tag=1 bytes=$b message=2
2 101 Mrecv from=0 tag=1 message=2 bytes=$b
END
    ends each "two that wait for each other" 3
    raced receive 3 "$b" <<END
2 55 Irecv from=1 tag=2 bytes=8 request=11
1 60 Ssend to=2 tag=1 bytes=$b
1 85 Send to=2 tag=2 bytes=8
2 80 Recv any=source from=1 tag=1 bytes=$b
2 90 Test requests=11
2 100 Recv any=source from=0 tag=1 bytes=$b
END
    ends receive "a test of a receive" 3
    raced persistent 2 "$b" <<END
1 55 Ssend_init to=1 tag=1 bytes=$b persistent=1
1 60 Start persistent=1 requests=11
1 80 Mprobe any=source from=1 tag=1 bytes=$b message=1
1 81 Mrecv from=1 tag=1 message=1 bytes=$b
1 82 Test requests=11
1 85 Start persistent=1 requests=12
1 90 Recv any=source from=1 tag=1 bytes=$b
1 91 Test requests=12
1 100 Recv any=source from=0 tag=1 bytes=$b
1 110 Request_free persistent=1
END
    raced freed 2 "$b" <<END
1 55 Ssend_init to=1 tag=1 bytes=$b persistent=1
1 60 Start persistent=1 requests=11
1 80 Improbe any=source from=1 tag=1 bytes=$b message=1
1 81 Mrecv from=1 tag=1 message=1 bytes=$b
1 90 Test requests=11
1 95 Request_free persistent=1
1 100 Improbe any=source from=0 tag=1 bytes=$b message=2
1 101 Mrecv from=0 tag=1 message=2 bytes=$b
END
    ends freed "one that is freed before what it waits for is received" 2
    is "... it is freed" "$("$mpgtrace" print freed.again | grep -c ' Request_free ')" 1
    rm -rf persistent.again
    ok "one that is started again meanwhile" recorded 2 persistent.again "$mpgreplay" --quiet --patience=10s --elapse=sleep persistent.trace
    same_messages persistent.trace persistent.again
}
circles 100
circles 200000
if other_mpi; then
    circles 100
    circles 200000
else
    skip "another MPI" "there is none"
fi
done_testing
