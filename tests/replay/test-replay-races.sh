#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces in which a receive or probe takes what comes first, and something behind it names the source of what was left:
# re-enacted, the other one comes first (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
needs_mpi
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"

# raced NAME BYTES [TAG]: makes NAME.trace of 3 ranks. Rank 0 makes the calls on standard input, between 10 and 400 ms.
# Rank 1 sends BYTES to it at 200 ms, rank 2 sends twice as many at 20 ms (with TAG, default 1), although in the trace
# rank 1's message is received first. After a barrier both send once more, to receives that name their sender.
raced() {
    {
        printf '%s\n' '#mpgtext 1' '#ranks 3' '0 0 100 Init' '1 0 100 Init' '2 0 100 Init'
        for r in 0 1 2; do echo "$r 1000000 10000000 Barrier comm=0"; done # late ranks catch up until here
        cat
        echo "1 200000000 200001000 Send to=0 tag=1 bytes=$2"
        echo "2 20000000 20001000 Send to=0 tag=${3:-1} bytes=$((2 * $2))"
        for r in 0 1 2; do echo "$r 400000000 400001000 Barrier comm=0"; done
        echo "0 401000000 401001000 Recv from=1 tag=1 bytes=8"
        echo "0 401002000 401003000 Recv from=2 tag=1 bytes=8"
        for r in 1 2; do echo "$r 401000000 401001000 Send to=0 tag=1 bytes=8"; done
        for r in 0 1 2; do echo "$r 500000000 500000100 Finalize"; done
    } | "$mpgtrace" import --text - --force -o "$1.trace"
}

# sources TRACE: prints the sources of rank 0's receives, as posted.
sources() {
    "$mpgtrace" print "$1" | awk '$1 == 0 && $4 ~ /ecv/ { for (i = 5; i <= NF; i++) if ($i ~ /^from=/) printf "%s ", substr($i, 6) }'
}

# ends NAME WHAT SOURCES: checks that mpgreplay re-enacts NAME.trace with the same messages, that rank 0 receives from
# SOURCES in this order, and that the option --deterministic works too.
ends() {
    rm -rf "$1.again"
    ok "$2" recorded 3 "$1.again" "$mpgreplay" --quiet --patience=10s --elapse=sleep "$1.trace"
    is "... rank 0 receives from" "$(sources "$1.again")" "$3 1 2 "
    same_messages "$1.trace" "$1.again"
    ok "deterministic" run 3 "$mpgreplay" --quiet --patience=10s --elapse=sleep --deterministic "$1.trace"
}

# races BYTES: all cases, with messages of BYTES.
races() {
    local bytes=$1 twice=$((2 * $1))
    raced open "$bytes" <<END
0 15000000 201000000 Recv any=source from=1 tag=1 bytes=$bytes
0 202000000 202001000 Probe any=source from=2 tag=1 bytes=$twice
0 203000000 203001000 Recv from=2 tag=1 bytes=$twice
END
    ends open "an open receive, then a probe, $bytes bytes" "2 1"
    raced posted "$bytes" <<END
0 10400000 10400100 Recv any=tag from=null bytes=0
0 10500000 10500100 Irecv any=source from=1 tag=1 bytes=$twice request=1
0 100000000 201001000 Probe any=source from=2 tag=1 bytes=$twice
0 203000000 203001000 Recv from=2 tag=1 bytes=$twice
0 204000000 204001000 Wait requests=1
END
    ends posted "... one that is posted, and a probe beside it" "null 2 1"
    raced started "$bytes" <<END
0 10400000 10400100 Recv_init any=source tag=1 bytes=$twice persistent=1
0 10500000 10500100 Start persistent=1 requests=1 matched=1:1:1
0 100000000 201001000 Iprobe any=source from=2 tag=1 bytes=$twice
0 203000000 203001000 Recv from=2 tag=1 bytes=$twice
0 204000000 204001000 Wait requests=1
END
    ends started "... one that is started" "1"
    raced matched "$bytes" <<END
0 15000000 201000000 Mprobe any=source from=1 tag=1 bytes=$bytes message=1
0 202000000 202001000 Mrecv from=1 tag=1 message=1 bytes=$bytes
0 203000000 203001000 Irecv from=2 tag=1 bytes=$twice request=1
0 204000000 204001000 Wait requests=1
END
    ends matched "... a matched probe, then the other one by name" "2 1"
    raced both "$bytes" <<END
1 15000000 15000100 Recv from=0 tag=5 bytes=4
0 25000000 201000000 Sendrecv to=1 tag=5 bytes=4 any=source,tag from=1 recvtag=1 recvbytes=$bytes
0 203000000 203001000 Recv from=2 tag=1 bytes=$twice
END
    ends both "... both at once" "2 1"
    raced tagged "$bytes" 7 <<END
0 15000000 201000000 Recv any=source,tag from=1 tag=1 bytes=$bytes
0 203000000 203001000 Recv any=source from=2 tag=7 bytes=$twice
END
    ends tagged "... of anything, before one of any source, which nothing else comes for" "1 2"
    raced sourced "$bytes" 7 <<END
0 15000000 201000000 Probe any=source,tag from=1 tag=1 bytes=$bytes
0 202000000 202001000 Recv from=1 tag=1 bytes=$bytes
0 203000000 203001000 Recv any=tag from=2 tag=7 bytes=$twice
END
    ends sourced "... a probe of anything, before one of any tag" "1 2"
    raced restarted "$bytes" 7 <<END
0 10400000 10400100 Recv_init any=source,tag bytes=$twice persistent=1
0 10500000 10500100 Start persistent=1 requests=1 matched=1:1:1
0 10600000 10600100 Irecv any=source from=2 tag=7 bytes=$twice request=2
0 204000000 204001000 Waitall requests=1,2
END
    ends restarted "... one of anything that is started" "1 2"
}
races 100
races 200000 # sends of this size wait for their receives
if other_mpi; then
    races 100
    races 200000
else
    skip "another MPI" "there is none"
fi
done_testing
