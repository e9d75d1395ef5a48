#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim on calls that MPI-4.0 adds, and on calls that the tracer did not know (TAP): closed forms
# of docs/MODEL.md, section 4, and the identity. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"

# delays OPTION...: prints the delays of the ranks of t.txt, in full precision, separated by blanks.
delays() {
    "$mpgsim" --per-rank "$@" t.txt 2>err | awk 'NR > 1 { printf "%s%s", s, $3; s = " " }'
    grep -v '^mpgsim: attention: ' err
}

# take NAME RANKS [LINE...]: writes t.txt, a trace of the calls on standard input (see traces.sh), and checks that
# without perturbations no rank is delayed.
take() {
    local name=$1 absorb limit got=
    shift
    calls "$@" >t.txt
    for absorb in none wait clock; do
        for limit in -1 1GiB; do
            got=$got$("$mpgsim" --per-rank --absorb=$absorb --eager-limit=$limit t.txt 2>&1 |
                grep -v '^mpgsim: attention: ' |
                awk 'NR > 1 && ($3 != 0 || $4 != 0)
                     /^mpgsim:/ { print }')
        done
    done
    is "identity: $name" "$got" ""
}

# All constants are sums of powers of two, so that results are exact.
all="--absorb=none --latency=const:17.25ns --byte=const:0.375ns --call-noise=const:3.625ns"
sum() { awk "BEGIN { printf \"%.17g\", $1 }"; }

# ---- persistent collectives ----
take "a persistent Allreduce" 3 < <(awk 'BEGIN { for (r = 0; r < 3; r++) {
    print r, 200, 210, "Allreduce_init bytes=40 persistent=1"
    print r, 1000 + 7 * r, 1010 + 7 * r, "Start persistent=1 requests=1"
    print r, 5000, 5100, "Wait requests=1" } }')
one=$(sum "3.625 + 2 * (17.25 + 3.625) + 2 * 40 * .375 + 3.625") # its creation, its rounds, the Wait
# shellcheck disable=SC2086
is "... costs rounds and bytes from its start on" "$(delays $all)" "$one $one $one"
is "... and late ranks delay others by what they are late when starting" \
    "$(delays --absorb=none --noise=const:2375ns@1)" "4750 9500 4750"
is "... as often as it is started" "$("$mpgsim" t.txt | sed -n '1s/.*, //p')" "1 collective"

take "started in any order, in one call or several" 2 <<'END'
0 200 210 Bcast_init root=0 bytes=8 persistent=4
0 220 230 Reduce_init_c root=1 bytes=16 persistent=5
0 300 310 Startall persistent=4,5 requests=1,2
0 320 400 Waitall requests=1,2
0 420 430 Startall persistent=5,4 requests=3,4
0 440 500 Waitall requests=3,4
1 200 210 Bcast_init_c root=0 bytes=8 persistent=1
1 220 230 Reduce_init root=1 bytes=16 persistent=2
1 300 310 Start persistent=2 requests=1
1 320 330 Start persistent=1 requests=2
1 340 400 Waitall requests=1,2
1 420 430 Start persistent=1 requests=3
1 440 460 Wait requests=3
1 470 480 Start persistent=2 requests=4
1 490 520 Wait requests=4
END
is "... counts four" "$("$mpgsim" t.txt | sed -n '1s/.*, //p')" "4 collectives"

calls 2 >t.txt <<'END'
0 200 210 Allreduce_init bytes=8 persistent=1
0 300 310 Start persistent=1 requests=1
0 320 330 Wait requests=1
1 200 210 Barrier_init persistent=1
1 300 310 Start persistent=1 requests=1
1 320 330 Wait requests=1
END
like "others made first do not meet" "$("$mpgsim" t.txt 2>&1)" \
    "*rank ?, call ? (MPI_Start): mismatched collective on communicator 0: rank ?, call ? is MPI_*_init*"

take "persistent neighbours meet those of the same making" 2 "#topology 0 0 = 1 > 1" \
    "#topology 1 0 = 0 > 0" <<'END'
0 200 210 Neighbor_alltoall_init bytes=8 persistent=1
0 220 230 Neighbor_alltoall_init bytes=800 persistent=2
0 300 310 Startall persistent=1,2 requests=1,2
0 320 400 Waitall requests=1,2
1 200 210 Neighbor_alltoall_init bytes=8 persistent=1
1 220 230 Neighbor_alltoall_init bytes=800 persistent=2
1 300 310 Start persistent=2 requests=1
1 320 340 Wait requests=1
1 350 360 Start persistent=1 requests=2
1 370 400 Wait requests=2
END
# Rank 1 starts the short one after it has completed the long one.
is "... so that each has its own bytes" "$(delays --absorb=none --byte=const:1ns)" "808 800"

# ---- partitioned communication ----
take "partitions" 2 <<'END'
0 200 210 Psend_init to=1 tag=5 bytes=24 partitions=4 persistent=1
0 300 310 Start persistent=1 requests=1
0 400 410 Pready request=1 ready=3
0 2000 2010 Pready_range request=1 ready=0,2
0 2100 2110 Wait requests=1
1 200 210 Precv_init from=0 tag=5 bytes=24 partitions=2 persistent=1
1 300 310 Start persistent=1 requests=1
1 350 360 Parrived request=1 partition=0 found=0
1 400 3000 Wait requests=1
END
is "one message, which departs when the last is ready" \
    "$(delays --absorb=none --noise=const:1000ns@0)" "6000 4000"
is "... with its latency and all its bytes" \
    "$(delays --absorb=none --latency=const:100ns --byte=const:1ns)" "0 124"
is "... and by the eager limit a synchronous one" \
    "$(delays --absorb=none --eager-limit=23 --latency=const:100ns --byte=const:1ns)" "224 124"
is "... for which the receiver's start counts" \
    "$(delays --absorb=none --eager-limit=23 --noise=const:1000ns@1)" "2000 5000"
is "a receiver that waits takes delays over" \
    "$(delays --absorb=clock --source=latency=500ns --noise=const:100ns@0)" "600 400"

take "pairs are made by the order of making, whatever is started first" 2 <<'END'
0 200 210 Psend_init to=1 tag=5 bytes=8 partitions=1 persistent=1
0 220 230 Psend_init to=1 tag=5 bytes=64 partitions=2 persistent=2
0 300 310 Startall persistent=1,2 requests=1,2
0 320 330 Pready_list request=2 ready=1,0
0 340 350 Pready request=1 ready=0
0 400 410 Waitall requests=1,2
1 200 210 Precv_init from=0 tag=5 bytes=8 partitions=1 persistent=1
1 220 230 Precv_init from=0 tag=5 bytes=64 partitions=1 persistent=2
1 300 310 Start persistent=2 requests=1
1 400 410 Wait requests=1
1 420 430 Start persistent=1 requests=2
1 440 450 Wait requests=2
END
is "... each with its bytes" "$(delays --absorb=none --byte=const:1ns)" "0 64"

calls 2 >t.txt <<'END'
0 200 210 Psend_init to=1 tag=5 bytes=8 partitions=3 persistent=1
0 300 310 Start persistent=1 requests=1
0 320 330 Pready request=1 ready=2
0 400 410 Wait requests=1
1 200 210 Precv_init from=0 tag=5 bytes=8 partitions=1 persistent=1
1 300 310 Start persistent=1 requests=1
1 400 410 Wait requests=1
END
like "what is never ready is said" "$("$mpgsim" t.txt 2>&1)" \
    "*rank 0, call 4 (MPI_Wait): 2 partitions of the send that starts in call 2 are not ready*"
is "... and may be counted" "$("$mpgsim" --lenient --json t.txt | grep -c '"unmatched": [1-9]')" 1
sed -i 's/ready=2/ready=0,1,2,2/' t.txt
like "no more than there are can be ready" "$("$mpgsim" t.txt 2>&1)" \
    "*rank 0, call 3 (MPI_Pready): more partitions than request 1 has left*"
calls 1 >t.txt <<'END'
0 200 210 Psend_init to=null bytes=8 partitions=3 persistent=1
0 300 310 Start persistent=1 requests=1
0 320 330 Pready request=1 ready=2
0 400 410 Wait requests=1
0 500 510 Request_free persistent=1
END
is "to nobody nothing is sent" "$(delays --absorb=none --latency=const:100ns)" "0"

# Another thread makes partitions ready while the first thread waits.
take "threads make partitions ready" 2 <<'END'
0 200 210 Psend_init to=1 tag=5 bytes=24 partitions=2 persistent=1
0 300 310 Start persistent=1 requests=1
0 320 5000 Wait requests=1
0.1 400 410 Pready request=1 ready=1
0.1 1000 1010 Pready request=1 ready=0
1 200 210 Precv_init from=0 tag=5 bytes=24 partitions=1 persistent=1
1 300 310 Start persistent=1 requests=1
1 400 5000 Wait requests=1
END
is "... and it departs from theirs" "$(delays --absorb=none --latency=const:100ns)" "0 100"

# ---- partitioned sends and receives ----
take "Isendrecv" 2 <<'END'
0 200 210 Isendrecv to=1 tag=1 bytes=8 from=1 recvtag=2 recvbytes=64 request=1
0 300 500 Wait requests=1
1 200 210 Isendrecv_c to=0 tag=2 bytes=32 from=0 recvtag=1 recvbytes=8 request=1
1 300 500 Wait requests=1
END
is "... is a send and a receive" "$(delays --absorb=none --byte=const:1ns)" "32 8"
is "... synchronous beyond the limit" \
    "$(delays --absorb=none --eager-limit=16 --latency=const:100ns)" "100 200"

# ---- large counts ----
take "large counts are what they are without" 2 <<'END'
0 200 210 Send_c to=1 tag=1 bytes=6442450944
0 300 400 Bcast_c root=1 bytes=8
0 500 600 Alltoallv_c bytes=8,16
1 200 290 Recv from=0 tag=1 bytes=6442450944
1 300 400 Bcast root=1 bytes=8
1 500 600 Alltoallv bytes=8,16
END
is "... and bytes beyond an int count" \
    "$(delays --absorb=none --byte=const:0.25ns | cut -d' ' -f2)" \
    "$(sum "(6442450944 + 8 + 16) * .25")"

# ---- calls of which the tracer recorded only the name ----
calls 2 '#fact 0 untraced MPI_Old_send 7' '#fact 0 untraced MPIX_Query 7 local' >t.txt <<'END'
0 200 210 Unknown name="MPIX_Exchange"
0 220 230 Unknown name="MPIX_Exchange"
1 200 240 Unknown name="MPIX_Exchange"
1 250 260 Unknown name="MPIX_Rev\x6fke"
END
is "stands at the top of the answer" "$("$mpgsim" t.txt | sed -n 1,4p)" "Attention
  not in trace  7 MPI_Old_send calls on 1 rank: their communication is missing in this answer
  not in trace  3 MPIX_Exchange calls on 2 ranks: their communication is missing in this answer
  not in trace  1 MPIX_Revoke call on 1 rank: their communication is missing in this answer"
is "... in JSON, too" "$("$mpgsim" --json t.txt | grep -c '"topic": "not in trace"')" 3
is "... with their number" "$("$mpgsim" --json t.txt | grep unknown_calls)" '  "unknown_calls": 4,'
like "... and beside the table" "$("$mpgsim" --per-rank t.txt 2>&1 >/dev/null)" \
    "*not in trace: 3 MPIX_Exchange calls on 2 ranks*"
is "such calls are local" "$(delays --absorb=none --call-noise=const:8ns)" "16 16"
calls 2 >t.txt <<'END'
0 200 210 Unknown name="MPIX_Exchange"
1 200 240 Recv from=0 bytes=8
END
like "the error that they cause names them" "$("$mpgsim" t.txt 2>&1)" \
    "*no send matches the receive posted in call 1*; the trace misses 1 call of MPIX_Exchange, which the tracer did not know"

done_testing
