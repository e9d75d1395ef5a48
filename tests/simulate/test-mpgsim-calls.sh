#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim on every kind of call (TAP): closed forms of docs/MODEL.md, section 4, and the
# identity, on small made-up traces. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"

# delays OPTION...: prints the delays of the ranks of t.txt, in full precision, separated by blanks.
delays() {
    "$mpgsim" --per-rank "$@" t.txt 2>err | awk 'NR > 1 { printf "%s%s", s, $3; s = " " }'
    grep -v '^mpgsim: attention: ' err
}

# expect RANKS EXPRESSION: prints, in the same format, delays by an awk expression of the rank r.
expect() {
    local formula=${2//$'\n'/ }
    awk -v p="$1" "BEGIN { for (r = 0; r < p; r++) printf(\"%s%.17g\", r ? \" \" : \"\", $formula) }"
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
round="(17.25 + 3.625)"
late=--noise=const:2375ns@1 # each interval of rank 1 is longer by this

# ---- cancelled requests ----
take "cancelled sends and receives match nothing" 2 <<'END'
0 200 210 Ssend_init to=1 tag=1 bytes=8 persistent=1
0 300 310 Issend to=1 tag=1 bytes=8 request=1
0 320 330 Start persistent=1 requests=2
0 340 350 Cancel request=1
0 360 370 Cancel request=2
0 400 410 Waitall requests=1,2 cancelled=1,2
0 500 510 Send to=1 tag=1 bytes=16
1 100 110 Irecv from=0 tag=1 bytes=16 request=1
1 120 130 Cancel request=1
1 140 150 Wait requests=1 cancelled=1
1 400 600 Recv from=0 tag=1 bytes=16
END
is "... a byte of the one that was sent counts" "$(delays --absorb=none --byte=const:1ns)" "0 16"

# Receives that never complete, as Graph500 keeps them in reserve: with and without a wildcard, freed, persistent. A
# later receive with the same tag takes the message.
take "receives that are cancelled and never completed match nothing" 2 <<'END'
0 300 310 Irecv bytes=8 request=1 any=source,tag
0 320 330 Irecv from=1 tag=1 bytes=8 request=2
0 340 350 Irecv from=1 tag=1 bytes=8 request=3
0 360 370 Recv_init from=1 tag=1 bytes=8 persistent=1
0 380 390 Start persistent=1 requests=4
0 400 410 Cancel request=1
0 420 430 Cancel request=2
0 440 450 Cancel request=3
0 460 470 Cancel request=4
0 480 490 Request_free request=3
0 500 610 Recv from=1 tag=1 bytes=16
0 620 630 Isend to=1 tag=2 bytes=8 request=5
0 640 650 Cancel request=5
1 500 510 Send to=0 tag=1 bytes=16
END
is "... and are counted" \
    "$("$mpgsim" --json t.txt | awk '/"cancelled":|"unmatched":/ { print $1 $2 }' | tr '\n' ' ')" \
    '"cancelled":5, "unmatched":0, '
is "... a byte of the one that was sent counts" "$(delays --absorb=none --byte=const:1ns)" "16 0"

# ---- killed in MPI_Finalize ----
printf '%s\n' '#mpgtext 1' '#ranks 2' '0 0 100 Init' '0 5000 5100 Finalize' '1 0 100 Init' \
    '1 6000 6000 Finalize killed=1' >t.txt
is "a rank that was killed in MPI_Finalize has come to its end" \
    "$(delays --absorb=none --noise=const:100ns)" "100 100"

# ---- nonblocking collectives ----
#
# posted NAME [ARGUMENTS]: three ranks post the collective NAME at 1000 and wait for it at 5000.
posted() {
    take "$1" 3 < <(awk -v call="$1 ${2-}" 'BEGIN { for (r = 0; r < 3; r++) {
        print r, 1000 + 7 * r, 1010 + 7 * r, call, "request=4"
        print r, 5000, 5100, "Wait requests=4" } }')
}
posted Ibarrier
# shellcheck disable=SC2086
is "Ibarrier: rounds from the posting on" "$(delays $all)" "$(expect 3 "2 * $round + 3.625")"
is "Ibarrier: late ranks delay others by what they are late when posting" \
    "$(delays --absorb=none $late)" "2375 7125 2375"
is "Ibarrier: the wait absorbs" "$(delays --absorb=clock --noise=const:5000ns@1)" \
    "$(expect 3 "r == 1 ? 15000 : 5000 - (1014 - 1007) - (5100 - 1014)")"
is "Ibarrier: no slack under wait, where all calls take the least" \
    "$(delays --absorb=wait $late)" "2375 7125 2375"
posted Iallreduce bytes=40
# shellcheck disable=SC2086
is "Iallreduce" "$(delays $all)" "$(expect 3 "2 * $round + 2 * 40 * .375 + 3.625")"
posted Ialltoall bytes=40
# shellcheck disable=SC2086
is "Ialltoall" "$(delays $all)" "$(expect 3 "2 * $round + 2 * 40 * .375 + 3.625")"
posted Iallgatherv bytes=40
posted Ireduce_scatter bytes=30
# shellcheck disable=SC2086
is "Ireduce_scatter" "$(delays $all)" "$(expect 3 "2 * $round + 20 * .375 + 3.625")"
posted Ibcast "root=1 bytes=40"
# shellcheck disable=SC2086
is "Ibcast" "$(delays $all)" \
    "$(expect 3 "r == 1 ? 2 * 3.625 : 2 * $round + 2 * 40 * .375 + 3.625")"
is "Ibcast: waits for the root's posting" "$(delays --absorb=none $late)" "2375 7125 2375"
is "Ibcast: for nobody else" "$(delays --absorb=none --noise=const:7ns@0)" "21 0 0"
posted Iscatter "root=1 bytes=40"
posted Ireduce "root=1 bytes=40"
# shellcheck disable=SC2086
is "Ireduce" "$(delays $all)" "$(expect 3 "r == 1 ? $round + 40 * .375 : 2 * 3.625")"
is "Ireduce: the root waits for all" "$(delays --absorb=none --noise=const:7ns@0)" "21 7 0"
posted Igatherv "root=1 bytes=40"
posted Iscan bytes=40
is "Iscan: for those before" "$(delays --absorb=none $late)" "0 7125 2375"
posted Iexscan bytes=40
take "blocking and nonblocking in one order" 2 <<'END'
0 200 210 Ibarrier request=1
0 300 410 Bcast root=0 bytes=8
0 500 510 Wait requests=1
1 200 210 Ibarrier request=1
1 300 400 Bcast root=0 bytes=8
1 500 510 Wait requests=1
END
take "completed before others post" 3 <<'END'
0 200 210 Ireduce root=2 bytes=8 request=1
0 220 230 Wait requests=1
1 200 210 Ireduce root=2 bytes=8 request=7
1 220 230 Test requests=7
2 900 910 Ireduce root=2 bytes=8 request=1
2 920 930 Testall requests=1 done=1
END
take "two Ibcasts in one Waitall" 2 <<'END'
0 200 210 Ibcast root=0 bytes=8 request=1
0 220 230 Ibcast root=0 bytes=8 request=2
0 240 250 Waitall requests=1,2
1 200 210 Ibcast root=0 bytes=8 request=1
1 220 230 Ibcast root=0 bytes=8 request=2
1 240 250 Waitall requests=1,2
END
ok "two Ibcasts in one Waitall draw apart" test "$(delays --latency=exp:1us --replicas=1)" != \
    "$(sed 's/^1 220.*//; s/^1 240.*/1 220 250 Wait requests=1/; s/^0 220.*//
            s/^0 240.*/0 220 250 Wait requests=1/' -i t.txt
       delays --latency=exp:1us --replicas=1)"
take Comm_idup 2 "#clocks shared
#comm 0 = 0 1
#comm 1 = 0 1" <<'END'
0 200 210 Comm_idup newcomm=1 request=1
0 240 250 Wait requests=1
1 200 210 Comm_idup newcomm=1 request=1
1 240 250 Wait requests=1
END
# shellcheck disable=SC2086
is "Comm_idup: as Barrier" "$(delays $all)" "$(expect 2 "$round + 3.625")"

# ---- matched probes ----
take "Mprobe, Mrecv" 2 <<'END'
0 1000 1010 Bsend to=1 tag=5 bytes=8
0 1100 1110 Bsend to=1 tag=5 bytes=16
1 200 1200 Mprobe from=0 tag=5 bytes=8 message=3
1 1300 1310 Recv from=0 tag=5 bytes=16
1 1400 1410 Mrecv from=0 tag=5 bytes=8 message=3
END
is "Mprobe: takes the message from those behind" \
    "$(delays --absorb=none --byte=const:1ns)" "0 16"
is "Mprobe: waits for it" "$(delays --absorb=none --noise=const:100ns@0)" "300 200"
take "Improbe, Imrecv" 2 <<'END'
0 1000 1010 Ssend to=1 tag=5 bytes=8
1 200 210 Improbe any=source,tag found=0
1 1100 1110 Improbe from=0 tag=5 bytes=8 message=3
1 1300 1310 Imrecv from=0 tag=5 bytes=8 message=3 request=1
1 1400 1410 Wait requests=1
END
is "Imrecv: a synchronous send waits for it, not for the probe" \
    "$(delays --absorb=none --noise=const:100ns@1 --polling=work)" "300 500"
is "Improbe: sees the envelope" "$(delays --absorb=none --latency=const:17.25ns)" "34.5 17.25"

# ---- neighbourhood collectives ----
#
# ring4 NAME [ARGUMENTS]: four ranks in a ring.
ring4() {
    take "$1" 4 "#clocks shared
#topology 0 0 = 3 1 > 3 1
#topology 1 0 = 0 2 > 0 2
#topology 2 0 = 1 3 > 1 3
#topology 3 0 = 2 0 > 2 0" < <(awk -v call="$1" -v more="${2-}" 'BEGIN { for (r = 0; r < 4; r++)
        print r, 1000 + 7 * r, 1100 + 5 * r, call, "bytes=40", more
        if (more) for (r = 0; r < 4; r++) print r, 2000, 2100, "Wait requests=1" }')
}
ring4 Neighbor_alltoall
is "Neighbor_alltoall: delay goes to neighbours" "$(delays --absorb=none $late)" \
    "2375 4750 2375 0"
# shellcheck disable=SC2086
is "Neighbor_alltoall: latency, bytes" "$(delays $all)" "$(expect 4 "$round + 40 * .375")"
ring4 Ineighbor_allgather request=1
is "Ineighbor_allgather: from the posting, at the completion" "$(delays --absorb=none $late)" \
    "2375 7125 2375 0"
take "neighbours twice, and none" 2 "#clocks shared
#topology 0 0 = 1 1 null > 1 1 null
#topology 1 0 = 0 0 > 0 0" <<'END'
0 1000 1010 Neighbor_alltoallv bytes=40,8,0
1 1000 1010 Neighbor_alltoallv bytes=7,7
END
is "neighbours twice: matched in order" "$(delays --absorb=none --byte=const:1ns)" "7 40"

# ---- windows ----
window="#clocks shared
#window 0 = 0 0"
take "fences" 3 "$window" <<'END'
0 1000 1100 Win_create comm=0 win=0 bytes=800
1 1000 1100 Win_create comm=0 win=0 bytes=800
2 1000 1100 Win_create comm=0 win=0 bytes=800
0 1200 1210 Put win=0 to=1 bytes=40
0 1300 1310 Get win=0 to=2 bytes=0 recvbytes=60
0 1400 1500 Win_fence win=0
1 1400 1500 Win_fence win=0
2 1400 1500 Win_fence win=0
0 1600 1700 Win_free win=0
1 1600 1700 Win_free win=0
2 1600 1700 Win_free win=0
END
is "fences: meet, and move what was put" "$(delays --absorb=none --byte=const:1ns)" "100 100 100"
is "fences: rounds" "$(delays --absorb=none --latency=const:17.25ns)" "$(expect 3 "6 * 17.25")"
is "fences: a late rank" "$(delays --absorb=none $late)" "7125 9500 7125"
take "post, start, complete, wait" 3 "$window" <<'END'
0 1000 1010 Win_post win=0 group=1,2
1 1000 1010 Win_start win=0 group=0
2 1000 1010 Win_start win=0 group=0
1 1100 1110 Put win=0 to=0 bytes=40
1 1200 1210 Win_complete win=0
2 1200 1210 Win_complete win=0
0 1300 1310 Win_wait win=0
END
is "complete: waits for the post" "$(delays --absorb=none --noise=const:100ns@0)" "300 100 100"
is "wait: for complete" "$(delays --absorb=none --noise=const:100ns@1)" "300 400 0"
is "wait: for the bytes" "$(delays --absorb=none --byte=const:1ns)" "40 0 0"
take "passive target" 2 "$window" <<'END'
0 1000 1010 Win_lock win=0 to=1
0 1100 1110 Put win=0 to=1 bytes=40
0 1200 1210 Accumulate win=0 to=1 bytes=60
0 1300 1310 Win_flush win=0 to=1
0 1400 1410 Win_unlock win=0 to=1
0 1500 1510 Rget win=0 to=1 bytes=0 recvbytes=8 request=1
0 1600 1610 Wait requests=1
0 1700 1710 Win_lock_all win=0
0 1800 1810 Put win=0 to=1 bytes=4
0 1900 1910 Win_unlock_all win=0
END
is "passive target: a round trip for each call that waits" "$(delays --absorb=none \
    --latency=const:17.25ns --byte=const:0.375ns)" "$(expect 2 "r ? 0 : 3 * 17.25 + 112 * .375")"
is "passive target: not its processor" "$(delays --absorb=none $late)" "0 2375"
like "transfers are mentioned" "$("$mpgsim" t.txt)" "*one-sided *4 transfers*"

# ---- spawned and connected jobs ----
take "processes of another job" 2 "#clocks shared
#comm 0 = 0 1
#comm 1 = 0 1 | * *
#comm 2 = 0 * 1" <<'END'
0 200 210 Comm_spawn comm=0 newcomm=1
1 200 210 Comm_spawn comm=0 newcomm=1
0 300 310 Send comm=1 to=1 bytes=8
1 300 310 Irecv comm=1 from=0 bytes=8 request=1
1 400 410 Wait requests=1
0 500 510 Barrier comm=1
1 500 510 Barrier comm=1
0 600 610 Bcast comm=1 root=0 bytes=8
1 600 610 Bcast comm=1 root=0 bytes=8
0 700 710 Scan comm=2 bytes=8
1 700 710 Scan comm=2 bytes=8
0 800 810 Comm_disconnect comm=1
1 800 810 Comm_disconnect comm=1
END
is "other jobs: this job's members meet" "$(delays --absorb=none --noise=const:100ns@0)" \
    "700 500"
like "other jobs are mentioned" "$("$mpgsim" t.txt)" "*other jobs *operations with processes*"

# ---- threads ----
take "threads" 2 <<'END'
0 1000 1100 Send to=1 tag=0 bytes=8
0.1 1200 1900 Recv from=1 tag=1 bytes=8
0 1300 1310 Send to=1 tag=2 bytes=8
0 2000 2010 Send to=1 tag=3 bytes=8
1 1000 1200 Recv from=0 tag=0 bytes=8
1 1300 1400 Recv from=0 tag=2 bytes=8
1 1500 1510 Send to=0 tag=1 bytes=8
1 2000 2100 Recv from=0 tag=3 bytes=8
END
is "threads: one that waits does not hold the other" "$(delays --absorb=none $late)" "7125 11875"
is "threads: a new one goes on from its rank, the last one ends it" \
    "$(delays --absorb=none --noise=const:100ns@0)" "400 300"
is "threads: numbered" "$("$mpgsim" --json t.txt | awk '/"threads":/ { print $2 + 0 }')" 3

# A root need not wait for a rank that sends it nothing. Each rank has a second thread, which calls again before the
# thread for which the other rank waits.
take "threads that went on without waiting" 2 "#clocks shared" "#comm 1 of 0 = 0 1" <<'END'
0 1000 1500 Allreduce comm=0 bytes=8
0 1600 1610 Comm_rank
0.1 1700 1710 Gatherv comm=1 root=1 bytes=0
0.1 1800 1900 Gatherv comm=1 root=1 bytes=0
1.1 1000 1100 Gatherv comm=1 root=1 bytes=16
1.1 1200 1300 Gatherv comm=1 root=1 bytes=16
1 1400 1500 Allreduce comm=0 bytes=8
END

# ---- intervals without computation, calls without effect ----
take "flushes" 1 <<'END'
0 1100 1200 Barrier
0 1300 1900 Flush
0 2000 2000 Region_begin name="a"
0 2200 2300 Barrier
0 2300 2300 Region_end name="a"
END
is "flushes are not computation" "$(delays --compute-ratio=1.5)" \
    "$(expect 1 "(1000 + 1000 - 600 + 1000000 - 2300) / 2")"
like "the answer says how much was the tracer's" "$("$mpgsim" t.txt)" \
    "*tracer * 600 ns (0.06 %) of all ranks' traced time is the tracer's own *"
is "nor are they, or marks, calls" "$("$mpgsim" --json t.txt | awk '/"calls":/ { print $2 + 0 }')" 4
take "the cost of recording" 2 "#clocks shared" "#fact 0 overhead_call_ns 20.25" \
    "#fact 0 overhead_sum_ns 3.125" "#fact 1 overhead_call_ns 7" <<'END'
0 1100 1200 Barrier
0 1300 1300 Region_begin name="a"
0 1400 1400 Wtime calls=8 time=40 least=4 most=6
0 1500 1500 Region_end name="a"
0 2200 2300 Barrier
1 1100 1200 Barrier
1 1204 2300 Barrier
END
# The later of both threads determines the rank: rank 1 is earlier by 7, then rank 0 by 3 x 20.25 + 8 x 3.125 = 85.75.
is "nor is the cost of recording" "$(delays --compute-ratio=1.5 --absorb=none)" \
    "$(expect 2 "(1000 - 7 + 1000 - 86 + 1000000 - 2300 - (r == 0 ? 20 : 7)) / 2")"
is "which the answer adds up" "$("$mpgsim" --json t.txt | awk '/"tracer_ns":/ { print $2 + 0 }')" \
    $((20 + 86 + 20 + 7 + 4 + 7))
take "what is summed up until MPI_Finalize, in another thread" 1 \
    "#fact 0 overhead_call_ns 20.25" "#fact 0 overhead_sum_ns 3.125" <<'END'
0 1100 2500 Barrier
0.1 2550 2650 Barrier
0 2700 5000 Barrier
0.1 1000000 1000000 Wtime calls=8 time=40 least=4 most=6
END
# The thread begins when the first Barrier ends, and computes longer: by 50 - 20 and 997350 - 45.
is "is the tracer's until there" "$(delays --compute-ratio=1.5 --absorb=none)" \
    "$(expect 1 "(1000 - 20 + 50 - 20 + 997350 - 45) / 2")"
take "failed calls" 2 <<'END'
0 200 300 Send failed=1
0 400 500 Wait failed=1
1 400 500 Barrier failed=1
0 600 700 Wtime
1 600 700 File_open failed=1
END
is "failed calls take call noise only" "$(delays --absorb=none --call-noise=const:5ns)" "10 10"
take "files, generalized requests, levels" 2 "#clocks shared
#file 0 = 0 0" <<'END'
0 200 300 File_open comm=0 file=0
1 200 300 File_open comm=0 file=0
0 400 500 File_iwrite_at file=0 bytes=8 request=3
0 600 700 Wait requests=3
0 800 900 Grequest_start request=4
0 1000 1010 Wait requests=4
1 400 500 Pcontrol level=1
0 1100 1200 File_close file=0
1 1100 1200 File_close file=0
END
is "files are local" "$(delays --absorb=none --call-noise=const:5ns)" "30 10"
take "calls that involve nobody else" 2 <<'END'
0 200 300 Comm_rank
0 350 400 Wtime
0 400 500 Send to=1 tag=0 bytes=8
0 600 700 Pcontrol level=1
1 400 500 Recv from=0 tag=0 bytes=8
END
is "... are computation, and no interval more" "$(delays --absorb=none --noise=const:5ns)" "10 10"
is "... slowed down as it is" "$(delays --absorb=none --compute-ratio=1.5)" \
    "$(expect 2 "(400 - 100 + 1000000 - 500) / 2" "(400 - 100 + 1000000 - 500) / 2")"

# ---- errors ----
#
# refuses NAME PATTERN [LINE...]: checks that the trace on standard input is refused with one line that matches PATTERN.
refuses() {
    local name=$1 pattern=$2
    shift 2
    calls 2 "$@" >t.txt
    case $* in
    *#died* | *incomplete*) sed -i '/^1 .* Finalize/d' t.txt ;;
    esac
    like "$name" "$("$mpgsim" t.txt 2>&1)" "mpgsim: t.txt: $pattern"
    ok "$name, leniently" "$mpgsim" --lenient -o out t.txt
}
refuses "mixed collectives" \
    "rank 1, call 1 (MPI_Ibarrier): mismatched*rank 0, call 1 is MPI_Barrier (--lenient goes on)" <<'END'
0 200 300 Barrier
1 200 300 Ibarrier request=1
1 400 500 Wait requests=1
END
refuses "a nonblocking collective never completed" \
    "rank 1, call 1 (MPI_Ibarrier): *never completed (--lenient goes on)" <<'END'
0 200 300 Ibarrier request=1
1 200 300 Ibarrier request=1
0 400 500 Wait requests=1
END
refuses "a nonblocking collective that one leaves out" \
    "rank 0, call 2 (MPI_Wait): only 1 of 2 ranks*call 1 (MPI_Ibarrier)*rank 1 does not*" <<'END'
0 200 300 Ibarrier request=1
0 400 500 Wait requests=1
END
refuses "a matched message never received" "rank 1, call 1 (MPI_Mprobe): *never received (--lenient goes on)" <<'END'
0 200 300 Send to=1 bytes=8
1 200 300 Mprobe from=0 tag=0 bytes=8 message=1
END
refuses "a matched probe for nothing" "rank 1, call 1 (MPI_Mprobe): no send matches*" <<'END'
1 200 300 Mprobe from=0 tag=0 bytes=8 message=1
1 400 500 Mrecv from=0 tag=0 bytes=8 message=1
END
refuses "an unknown message" "rank 1, call 1 (MPI_Mrecv): no earlier probe returned message 4 (--lenient goes on)" <<'END'
1 400 500 Mrecv from=0 tag=0 bytes=8 message=4
END
refuses "a neighbour who does not call" "rank 1, call 1 (MPI_Neighbor_allgather): no send*" \
    "#clocks shared
#topology 1 0 = 0 > 0" <<'END'
1 400 500 Neighbor_allgather bytes=8
END
refuses "a rank that died" \
    "rank 1 was killed or ended inside MPI_Recv, 400 ns after MPI_Init, without MPI_Finalize*--lenient*" \
    "#died 1 Recv 500" <<'END'
0 400 500 Recv from=1 tag=0 bytes=8
END
refuses "a rank that died outside of MPI" \
    "rank 1 was killed or ended outside of MPI, after 1 call, without MPI_Finalize*" "#died 1" <<'END'
0 400 500 Recv from=1 tag=0 bytes=8
END
refuses "a rank that aborted" "rank 1 called MPI_Abort, 400 ns after MPI_Init, so there*" \
    "#died 0 Recv 600
#died 1 Abort 500" <<'END'
0 400 500 Recv from=1 tag=0 bytes=8
END
refuses "a rank that says why" "rank 1: its trace is incomplete: no space; --lenient*" \
    "#died 0 Recv 600
#fact 1 incomplete no space" <<'END'
END
refuses "a thread is named" "rank 1.1, call 1 (MPI_Recv): no send matches*" <<'END'
1.1 400 500 Recv from=0 tag=0 bytes=8
END
refuses "a call without effect that others wait for is named" \
    "rank *: mismatched collective*(rank 0, call 1, MPI_Gather, returned an error)" <<'END'
0 400 500 Gather failed=1
0 600 700 Reduce bytes=8
1 400 500 Gather bytes=8
END
done_testing
