#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace waits on made-up traces (TAP): each wait state of docs/MODEL.md, section 9, against what is
# computed by hand; who it is counted for; clocks, damage, options.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
mpgtrace=${MPGTRACE:-mpgtrace}
. "$here/../tap.sh"
. "$here/../traces.sh"
command -v "$mpgtrace" >/dev/null || skip_all "no mpgtrace"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# table OPTION...: prints the waits in t.txt: a word "call:kind=ns" for each call and kind of wait that is not 0,
# sorted.
table() {
    "$mpgtrace" waits --csv "$@" t.txt 2>&1 | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; first = 6; next }
        NF < 2 { print; next }
        { sub(/^MPI_/, "", $1)
          for (i = first; i <= NF; i++) if ($i != 0 && name[i] != "off_cpu_ns" && name[i] !~ /^waits_for/) print $1 ":" substr(name[i], 1, length(name[i]) - 3) "=" $i }' |
        sort | paste -sd' ' -
}

# field MATTER KEY OPTION...: prints KEY's value for MATTER from the JSON of mpgtrace waits.
field() {
    local matter=$1 key=$2
    shift 2
    "$mpgtrace" waits --json "$@" t.txt | awk -v matter="\"$matter\":" -v key="\"$key\":" '
        $1 == matter { for (i = 2; i < NF; i++) if ($i == key || $i == "{" key) { v = $(i + 1); gsub(/[,}]/, "", v); print v; exit } }'
}

# take RANKS [LINE...]: writes t.txt, a trace of the calls on standard input.
take() {
    calls "$@" >t.txt
}

# ---- time off the CPU ----

take 2 <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8 off=400 off_call=3
0 4000 4010 Send to=1 tag=0 bytes=8
1 2385 5000 Recv from=0 tag=0 bytes=8 off_call=2000
1 6000 6100 Recv from=0 tag=0 bytes=8 off_call=70
END
is "off the CPU: of what a call does not wait, as much as there is" \
    "$("$mpgtrace" waits --csv --by=rank t.txt | awk -F, '{ print $1, $4, $5, $NF }' | paste -sd'|' -)" \
    "rank time_ns wait_ns off_cpu_ns|0 93 0 3|1 2715 1132 1553"
is "... is not transfer" "$(field point_to_point off_cpu_ns) $(field point_to_point transfer_ns)" "1556 120"
is "... waits are what they are without" "$(table)" "Recv:late_sender=1132"
like "... is told beside them" "$("$mpgtrace" waits t.txt)" "*MPI * %*  off the CPU  *1.556 us *waited *off the CPU*MPI_Recv*1.553 us*"
sed -e 's/ off=[0-9]*//' -e 's/ off_call=[0-9]*//' t.txt >quiet.txt
is "without: no line and no column" "$("$mpgtrace" waits quiet.txt | grep -c 'off the CPU')" 0

# ---- ranks that are waited for ----

# At one call site rank 2 waits 885 for rank 0 and 1390 for rank 1; at another one rank 3 waits 385 for rank 1.
take 4 <<'END'
0 2385 2400 Send to=2 tag=0 bytes=8
1 3890 3900 Send to=2 tag=0 bytes=8
1 3985 3990 Send to=3 tag=0 bytes=8
2 1500 2410 Recv from=0 tag=0 bytes=8
2 2500 3910 Recv from=1 tag=0 bytes=8
3 3600 4010 Probe from=1 tag=0 bytes=8
3 4020 4030 Recv from=1 tag=0 bytes=8
END
for_whom() { "$mpgtrace" waits --csv "$@" t.txt | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["waits_for_rank"] != "" { printf "%s%s:%s=%s", sep, $1, $at["waits_for_rank"], $at["waits_for_ns"]; sep = " " }'; }
is "the rank waited for longest, by call" "$(for_whom)" "MPI_Recv:1=1390 MPI_Probe:1=385"
is "... and by rank" "$(for_whom --by=rank)" "2:1=1390 3:1=385"
like "... as text: 1390 of 2275" "$("$mpgtrace" waits t.txt)" "*most for rank*MPI_Recv *1 (61 %)*MPI_Probe*1 (100 %)*"
is "... as JSON, null for calls that do not wait" "$("$mpgtrace" waits --json t.txt | "${PYTHON:-python3}" -c '
import json, sys
print([r["traced"].get("waits_for_rank") for r in json.load(sys.stdin)["rows"]])' 2>&1)" "[1, 1, None]"

# ---- messages ----

take 2 <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8
0 4000 4010 Send to=1 tag=0 bytes=8
1 2385 5000 Recv from=0 tag=0 bytes=8
1 6000 6100 Recv from=0 tag=0 bytes=8
END
is "late sender: until the send begins; not at all where that lies ready" "$(table)" \
    "Recv:late_sender=1132"
is "... of the receiver's rank" "$(table --by=rank)" "1:late_sender=1132"
is "Point-to-point: all of these calls" "$(field point_to_point time_ns)" 2808
is "... of which the rest is transfer" "$(field point_to_point transfer_ns)" 1676
is "Total: the sum of the runs" "$("$mpgtrace" waits --json t.txt | awk '/total_ns/ { print $2 }')" "1999800,"

take 2 <<'END'
0 3517 3600 Isend to=1 tag=0 bytes=8 request=1
0 4321 4400 Isend to=1 tag=1 bytes=8 request=2
0 4500 4510 Waitall requests=1,2
1 200 210 Irecv from=0 tag=0 bytes=8 request=1
1 220 230 Irecv from=0 tag=1 bytes=8 request=2
1 2385 5000 Waitall requests=1,2
END
is "Waitall: the latest of several, in the call that completes" "$(table)" "Waitall:late_sender=1936"

take 2 <<'END'
0 3517 3600 Isend to=1 tag=0 bytes=8 request=1
0 4321 4400 Isend to=1 tag=1 bytes=8 request=2
0 4500 4510 Waitall requests=1,2
1 200 210 Irecv from=0 tag=0 bytes=8 request=1
1 220 230 Irecv from=0 tag=1 bytes=8 request=2
1 2385 3900 Waitany requests=1,2 done=1
1 4000 4100 Test requests=2 done=
1 4200 4700 Test requests=2 done=2
END
is "Waitany: what it completes; a Test that succeeds waits too, one that fails does not" "$(table)" \
    "Test:late_sender=121 Waitany:late_sender=1132"

take 3 <<'END'
0 3517 3600 Isend to=1 tag=0 bytes=8 request=1
0 4500 4510 Wait requests=1
2 2900 2950 Send to=1 tag=0 bytes=8
1 200 210 Irecv from=0 tag=0 bytes=8 request=1 any=source
1 220 230 Irecv from=2 tag=0 bytes=8 request=2
1 240 250 Irecv from=2 tag=3 bytes=8 request=3
1 2385 3700 Waitsome requests=1,2,3 done=1,2
1 3800 3810 Cancel request=3
1 3820 3830 Wait requests=3 cancelled=3
END
is "Waitsome; sources left open; a cancelled receive waits for nobody" "$(table)" \
    "Waitsome:late_sender=1132"

take 2 <<'END'
0 2000 5000 Ssend to=1 tag=0 bytes=8
0 5100 5110 Issend to=1 tag=1 bytes=8 request=1
0 5200 7000 Wait requests=1
1 4385 4990 Recv from=0 tag=0 bytes=8
1 6543 6900 Recv from=0 tag=1 bytes=8
END
is "late receiver: until the receive is posted" "$(table)" "Ssend:late_receiver=2385 Wait:late_receiver=1343"

take 2 <<'END'
0 2000 5000 Send to=1 tag=0 bytes=100000
0 6000 6010 Send to=1 tag=0 bytes=64
1 1000 1010 Irecv from=0 tag=0 bytes=100000 request=1
1 4385 4990 Wait requests=1
1 7000 7010 Recv from=0 tag=0 bytes=64
END
is "a standard send: its receive was posted before" "$(table --eager-limit=64KiB)" ""
take 2 <<'END'
0 2000 5000 Send to=1 tag=0 bytes=100000
0 6000 6010 Send to=1 tag=0 bytes=64
1 4385 4990 Recv from=0 tag=0 bytes=100000
1 7000 7010 Recv from=0 tag=0 bytes=64
END
is "... after" "$(table --eager-limit=64KiB)" "Send:late_receiver=2385"
is "... of as many bytes as the limit" "$(table --eager-limit=100000)" ""
is "... as the trace shows: no larger one than 64 bytes left before" "$(table)" "Send:late_receiver=2385"
like "... which is said" "$("$mpgtrace" waits t.txt)" \
    "*eager limit 64 bytes (as the trace shows: no larger standard send left before its receive was posted)*"
is "... -1: all wait; no longer than the call" "$(table --eager-limit=-1)" "Send:late_receiver=2395"
take 2 <<'END'
0 2000 5000 Send to=1 tag=0 bytes=100000
0 5000 9000 Recv from=1 tag=0 bytes=8
1 2000 5000 Send to=0 tag=0 bytes=8
1 5000 9000 Recv from=0 tag=0 bytes=100000
END
is "two that left just when they were posted: they cannot have waited for each other" "$(table)" ""
like "... which is said" "$("$mpgtrace" waits t.txt)" "*eager limit unlimited (as the trace shows*"
take 2 <<'END'
0 2000 5000 Sendrecv to=1 tag=0 bytes=8 from=1 recvtag=0 recvbytes=8
1 3517 5100 Sendrecv to=0 tag=0 bytes=8 from=0 recvtag=0 recvbytes=8
END
is "Sendrecv: a receive; of equally late ends the sender" "$(table --eager-limit=-1)" \
    "Sendrecv:late_sender=1517"
take 3 <<'END'
0 2000 5000 Sendrecv to=1 tag=0 bytes=8 from=2 recvtag=0 recvbytes=8
1 4517 5100 Recv from=0 tag=0 bytes=8
2 3000 3010 Bsend to=0 tag=0 bytes=8
END
is "... and a send: the later of both" "$(table --eager-limit=-1)" "Sendrecv:late_receiver=2517"

take 2 <<'END'
0 3517 3600 Send to=1 tag=5 bytes=8
0 5000 5010 Send to=1 tag=5 bytes=8
1 2385 3700 Probe from=0 tag=5 bytes=8
1 3800 3900 Recv from=0 tag=5 bytes=8
1 4000 5100 Mprobe from=0 tag=5 bytes=8 message=3
1 5200 5300 Mrecv from=0 tag=5 bytes=8 message=3
1 5400 5410 Iprobe from=0 tag=5 found=0
END
is "probes wait for the sender; what receives after them, not any more" "$(table)" \
    "Mprobe:late_sender=1000 Probe:late_sender=1132"

take 2 <<'END'
0 100 110 Send_init to=1 tag=0 bytes=8 persistent=1
0 3517 3600 Start persistent=1 requests=1
0 3700 3710 Wait requests=1
1 100 110 Recv_init from=0 tag=0 bytes=8 persistent=1
1 200 210 Start persistent=1 requests=1
1 2385 4000 Wait requests=1
END
is "persistent: the send begins with its Start" "$(table)" "Wait:late_sender=1132"
take 2 <<'END'
0 100 110 Psend_init to=1 tag=0 bytes=8 partitions=2 persistent=1
0 200 210 Start persistent=1 requests=1
0 900 910 Pready request=1 ready=1
0 3517 3600 Pready request=1 ready=0
0 3700 3710 Wait requests=1
1 100 110 Precv_init from=0 tag=0 bytes=8 partitions=2 persistent=1
1 200 210 Start persistent=1 requests=1
1 2385 4000 Wait requests=1
END
is "partitioned: with the last that is ready" "$(table)" "Wait:late_sender=1132"

# ---- collectives ----

three() {
    local call=$1
    shift
    take 3 "#clocks shared" "$@" <<END
0 2000 6000 $call
1 4385 6001 $call
2 3517 6002 $call
END
}
three Barrier
is "barrier: until the last one comes" "$(table) $(table --by=rank)" \
    "Barrier:wait_at_barrier=3253 0:wait_at_barrier=2385 2:wait_at_barrier=868"
is "... is synchronization" "$(field synchronization wait_at_barrier_ns) $(field collective calls)" "3253 0"
for call in "Allreduce bytes=8" "Allgather bytes=8" "Alltoall bytes=8" "Reduce_scatter bytes=8,8,8"; do
    three "$call"
    is "NxN: ${call%% *}" "$(table)" "${call%% *}:wait_at_nxn=3253"
done
three "Comm_dup newcomm=1" "#comm 1 = 0 1 2"
is "constructors are barriers" "$(table)" "Comm_dup:wait_at_barrier=3253"
three "Bcast root=1 bytes=8"
is "late broadcast: the others, until the root comes" "$(table --by=rank)" "0:late_broadcast=2385 2:late_broadcast=868"
three "Scatterv root=2 bytes=8,8,8"
is "Scatterv: who comes after its root does not wait" "$(table --by=rank)" "0:late_broadcast=1517"
three "Reduce root=0 bytes=8"
is "early reduce: the root, until the first other one comes" "$(table --by=rank)" "0:early_reduce=1517"
three "Gatherv root=2 bytes=8,8,8"
is "... which had come before" "$(table --by=rank)" ""
three "Scan bytes=8"
is "early scan: until the last of those before it comes" "$(table --by=rank)" "2:early_scan=868"
three "Exscan bytes=8"
is "Exscan" "$(table --by=rank)" "2:early_scan=868"

take 3 <<'END'
0 2000 2010 Ibarrier request=1
1 4385 4390 Ibarrier request=1
2 3517 3520 Ibarrier request=1
0 2100 6000 Wait requests=1
1 4400 6000 Wait requests=1
2 4000 6000 Wait requests=1
0 7000 7010 Iallreduce bytes=8 request=2
1 7100 7110 Iallreduce bytes=8 request=2
2 7900 7910 Iallreduce bytes=8 request=2
0 7300 8000 Wait requests=2
1 7400 8000 Wait requests=2
2 8400 8500 Wait requests=2
END
is "nonblocking ones wait where they are completed" "$(table)" \
    "Wait:wait_at_barrier=2670 Wait:wait_at_nxn=1100"
is "... a barrier's Wait is synchronization, with what posts it" \
    "$(field synchronization calls) $(field collective calls) $(field point_to_point calls)" "6 6 0"
take 3 <<'END'
0 2000 2010 Ibcast root=2 bytes=8 request=1
1 2000 2010 Ireduce root=1 bytes=8 request=1
2 4385 4390 Ibcast root=2 bytes=8 request=1
0 2100 2110 Ireduce root=1 bytes=8 request=2
1 2100 2110 Ibcast root=2 bytes=8 request=2
2 4400 4410 Ireduce root=1 bytes=8 request=2
0 3000 6000 Waitall requests=1,2
1 3100 6000 Waitall requests=1,2
2 5000 5010 Waitall requests=1,2
END
sed -i 's/^1 2000 2010 Ireduce root=1 bytes=8 request=1/1 2000 2010 Ibcast root=2 bytes=8 request=2/
    s/^1 2100 2110 Ibcast root=2 bytes=8 request=2/1 2100 2110 Ireduce root=1 bytes=8 request=1/' t.txt
is "several in one call: the latest" "$(table --by=rank)" "0:late_broadcast=1385 1:late_broadcast=1285"

take 2 "#clocks shared" "#topology 0 0 = 1 > 1" "#topology 1 0 = 0 > 0" <<'END'
0 2000 4000 Neighbor_allgather bytes=8
1 3517 4100 Neighbor_allgather bytes=8
END
is "neighbours: late senders, of a collective" "$(table) $(field collective late_sender_ns)" \
    "Neighbor_allgather:late_sender=1517 1517"

# ---- windows ----

take 2 "#clocks shared" "#window 0 = 0 0" <<'END'
0 1000 1500 Win_create comm=0 win=0 bytes=800
1 1385 1500 Win_create comm=0 win=0 bytes=800
0 2000 2100 Win_fence win=0
1 2000 2100 Win_fence win=0
0 2200 2210 Put win=0 to=1 bytes=40
0 2300 4000 Win_fence win=0
1 3517 4000 Win_fence win=0
0 5000 5100 Win_post win=0 group=1
1 4500 4600 Win_start win=0 group=0
1 4600 4610 Put win=0 to=0 bytes=40
1 4700 5300 Win_complete win=0
0 5200 6000 Win_wait win=0
0 6100 7000 Win_lock win=0 to=1
0 7000 7010 Put win=0 to=1 bytes=40
0 7100 7900 Win_unlock win=0 to=1
0 8000 8100 Win_free win=0
1 8000 8100 Win_free win=0
END
is "windows: fences and constructors are barriers; Post and Complete are senders; locks say nothing" "$(table)" \
    "Win_complete:late_sender=300 Win_create:wait_at_barrier=385 Win_fence:wait_at_barrier=1217"
is "... all synchronization; transfers are one-sided" \
    "$(field synchronization wait_ns) $(field one_sided calls) $(field one_sided time_ns)" "1902 3 30"

# ---- counting waits by call, call site and region ----

take 2 "#clocks shared" "#module 0 = 00ff \"/opt/bin/app\"" "#site 0 = 0+0x10 0+0x90" "#site 1 = 0+0x20 0+0x90" <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8
0 5000 5010 Send to=1 tag=0 bytes=8
0 7000 7010 Send to=1 tag=0 bytes=8
1 150 150 Region_begin name="a, b"
1 2385 3700 Recv from=0 tag=0 bytes=8 site=0
1 3800 3800 Region_begin name="inner"
1 4000 5100 Recv from=0 tag=0 bytes=8 site=1
1 5200 5200 Region_end name="inner"
1 5300 5300 Region_end name="a, b"
1 6000 7100 Recv from=0 tag=0 bytes=8 site=1
END
is "regions: the innermost that is open" \
    "$("$mpgtrace" waits --by=region --csv t.txt | awk -F, 'NR > 1 { print $0 }' | sed 's/,0,0,0,0,0,0,0,[0-9]*,0$//' | paste -sd' ' -)" \
    '"a, b",1,1,1315,1132,1132 ,4,1,1203,1000,1000 inner,1,1,1100,1000,1000'
is "callsites" "$("$mpgtrace" waits --by=callsite --csv t.txt | awk -F, '$6 > 0 && NR > 1 { print $2, $6 }' | paste -sd' ' -)" \
    "app+0x20 2000 app+0x10 1132"
is "... with callers" "$("$mpgtrace" waits --by=callsite --frames=2 --csv --top=1 t.txt | awk -F, 'NR > 1 { print $2 }')" \
    "app+0x20 < app+0x90"
is "JSON has all of it" "$("$mpgtrace" waits --by=region --json t.txt | grep -c '^  {"region": ')" 3
is "--output" "$("$mpgtrace" waits -o out.txt t.txt && "$mpgtrace" waits t.txt | diff - out.txt && echo same)" same

take 2 <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8
0 4385 4400 Send to=1 tag=1 bytes=8
1 2000 3700 Recv from=0 tag=0 bytes=8
1.1 2385 4500 Recv from=0 tag=1 bytes=8
END
is "threads: their calls are added up" "$(table --by=rank) $(table)" "1:late_sender=3517 Recv:late_sender=3517"
take 1 <<'END'
0 200 300 Barrier
0 400 500 Wtime
END
is "one rank waits for nobody; what involves nobody is no MPI here" "$(table) $(field mpi calls)" " 1"

# ---- clocks ----

cat >c.txt <<'END'
0 3517 3600 Send to=1 tag=0 bytes=8
0 5000 7000 Recv from=1 tag=0 bytes=8
1 12385 13700 Recv from=0 tag=0 bytes=8
1 16543 16600 Send to=0 tag=0 bytes=8
END
take 2 "#clock 1 0 -10000" <c.txt
is "measured offsets: rank 1's clock is 10 us ahead" "$(table --by=rank)" "0:late_sender=1543 1:late_sender=1132"
take 2 "#clock 1 0 -7000" <c.txt
like "... wrong ones let messages arrive before they left: attention" \
    "$("$mpgtrace" waits t.txt)" "*attention   1 message arrives before it left by these clocks, by up to 2.543 us*"
# Bounds on the offset: -(13700 - 3517) and -(16543 - 7000); their middle is -9863.
take 2 "" <c.txt
is "unknown clocks, bounded by messages both ways" "$(table --by=rank)" "0:late_sender=1680 1:late_sender=995"
like "... which is said" "$("$mpgtrace" waits t.txt)" "*clocks      offsets bounded by the messages*"
grep -v "from=1\|to=0" c.txt | take 2 ""
is "... one way only: refused, with the reason" "$("$mpgtrace" waits t.txt 2>&1; echo $?)" \
    "mpgtrace waits: t.txt: wait states need comparable clocks: offsets between the ranks' clocks are unknown, and the messages do not bound them
1"

# ---- damage, options ----

take 2 <<'END'
1 2385 5000 Recv from=0 tag=0 bytes=8
1 6000 6100 Barrier
END
like "no partner: an error" "$("$mpgtrace" waits t.txt 2>&1; echo $?)" \
    "mpgtrace waits: t.txt: rank 1, call 1 (MPI_Recv): no send matches*(--lenient goes on)?1"
like "... or counted" "$("$mpgtrace" waits --lenient t.txt)" "*attention   * operations without partner*"
take 2 <<'END'
0 1000 1100 Send to=1 tag=0 bytes=9
1 2385 5000 Recv from=0 tag=0 bytes=8
END
like "... a message that is too long as what it is" "$("$mpgtrace" waits --lenient t.txt | grep ^attention)" \
    "attention   1 message is longer than its receive buffer: the whole message is counted"
is "... in JSON" "$("$mpgtrace" waits --lenient --json t.txt | grep -o '"\(unmatched\|truncated\)": [0-9]*' | tr '\n' ' ')" \
    '"unmatched": 0 "truncated": 1 '
ring 2 30000 8 >t.txt
"$mpgtrace" import --text=t.txt -o whole.trace
is "the native form says the same" "$("$mpgtrace" waits --csv whole.trace)" "$("$mpgtrace" waits --csv t.txt)"
cat whole.trace/rank-*.mpgt >all.mpgt
is "... and standard input" "$("$mpgtrace" waits --csv - <all.mpgt)" "$("$mpgtrace" waits --csv t.txt)"
head -c $(($(wc -c <all.mpgt) - 40)) all.mpgt >cut.mpgt
like "a cut-off trace: an error" "$("$mpgtrace" waits cut.mpgt 2>&1 >/dev/null; echo $?)" \
    "mpgtrace waits: cut.mpgt is cut off*--lenient reads the complete part)?1"
like "... or what is whole" "$("$mpgtrace" waits --lenient cut.mpgt 2>&1; echo $?)" "*Point-to-point*0"
bad() {
    local pattern=$1 got
    shift
    got=$("$mpgtrace" waits "$@" 2>&1 >out)
    is "usage: $*" "$?" 2
    like "... which says why" "$got" "$pattern"
}
bad "*--by: 'thread' is not call, callsite, region or rank*" --by=thread t.txt
bad "*--json and --csv exclude each other*" --json --csv t.txt
bad "*--frames needs --by=callsite*" --frames=2 t.txt
bad "*--json and --top exclude each other: JSON has all rows*" --json --top=2 t.txt
bad "*" 
like "no trace" "$("$mpgtrace" waits nothing 2>&1; echo $?)" "mpgtrace waits: nothing: *1"
like "a full disk is an error" "$("$mpgtrace" waits -o /dev/full t.txt 2>&1; echo $?)" "mpgtrace waits: *?1"

peak_memory=$build/tests/peak_memory
if [ "${MPGKIT_SANITIZERS-no}" = yes ] || ! [ -x "$peak_memory" ]; then
    skip "memory" "sanitizers keep freed memory, or tests/peak_memory is not built"
else
    flood 20000 >short.txt
    flood 200000 >long.txt
    for t in short long; do "$mpgtrace" import --text=$t.txt -o $t.trace; done
    short=$("$peak_memory" "$mpgtrace" waits short.trace)
    long=$("$peak_memory" "$mpgtrace" waits long.trace)
    ok "memory does not grow with the trace's length: $short, $long KiB" test $((long - short)) -lt 1000
fi
done_testing
