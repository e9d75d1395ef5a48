#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The message-passing graph as its paper prints it (TAP; docs/MODEL.md, section 4): noise of calls
# on message edges, by hand.
. "$(dirname "$0")/mpgsim.sh"
needs_python

# delays OPTION... TRACE: prints the delay of each rank.
delays() {
    "$mpgsim" --per-rank --replicas=1 "$@" | awk 'NR > 1 { printf "%s%.10g", sep, $3; sep = " " }'
}
# accounts OPTION... TRACE: prints for each rank the delays that were added to calls and to messages, that came from
# other ranks, and that are left.
accounts() {
    "$mpgsim" --json --replicas=1 "$@" | "$python" -c '
import json, sys
for rank in json.load(sys.stdin)["ranks"]:
    a = rank["account"]
    print(*(f"{a[key]:g}" for key in ("calls_ns", "messages_ns", "propagated_ns", "net_ns")))'
}
faithful=(--absorb=none --eager-limit=-1)
own=("${faithful[@]}" --paper=own-edges)

# ---- Sottile 2006, Eqs. 1 and 2 ----
cat >eq1.txt <<'END'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
1 0 1000 Init
0 2000 3000 Send comm=0 to=1 tag=1 bytes=1000
1 2000 3000 Recv comm=0 from=0 tag=1 bytes=1000
0 4000 4100 Finalize
1 4000 4100 Finalize
END
cat >eq2.txt <<'END'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
1 0 1000 Init
0 2000 2100 Isend comm=0 to=1 tag=1 bytes=1000 request=1
1 2000 2100 Irecv comm=0 from=0 tag=1 bytes=1000 request=1
0 3000 3500 Wait requests=1
1 3000 3500 Wait requests=1
0 4000 4100 Finalize
1 4000 4100 Finalize
END
flight=(--latency=const:500ns --byte=const:1ns)
is "Eq. 1: the sender has its receiver's noise" \
    "$(delays "${faithful[@]}" "${flight[@]}" --call-noise=const:70ns eq1.txt)" "2070 1570"
is "... not with edges of its own" \
    "$(delays "${own[@]}" "${flight[@]}" --call-noise=const:70ns eq1.txt)" "2000 1570"
is "... which are what there is where messages are eager" \
    "$(delays --absorb=none "${flight[@]}" --call-noise=const:70ns eq1.txt)" "70 1570"
is "Eq. 2: noise of an Isend delays its message" \
    "$(delays "${faithful[@]}" "${flight[@]}" --call-noise=const:70ns@0 eq2.txt)" "2140 1570"
is "... not with edges of its own" \
    "$(delays "${own[@]}" "${flight[@]}" --call-noise=const:70ns@0 eq2.txt)" "2000 1500"
is "Eq. 2: noise of an Irecv delays its sender" \
    "$(delays "${faithful[@]}" --call-noise=const:70ns@1 eq2.txt)" "70 140"
is "... not with edges of its own" "$(delays "${own[@]}" --call-noise=const:70ns@1 eq2.txt)" "0 140"
is "Eq. 1: what is put in where: lambda2 at the sender; the receiver's noise it takes over" \
    "$(accounts "${faithful[@]}" "${flight[@]}" --call-noise=const:70ns eq1.txt)" \
    "70 500 1500 2070
70 1500 0 1570"
for k in 0 1 2 3 4; do
    drawn=$(delays "${faithful[@]}" --call-noise=exp:70ns@1 --replicas=first=$k eq1.txt)
    is "a call has one draw, wherever it acts: replica $k" "${drawn% *}" "${drawn#* }"
done
ok "... another one in another replica" \
    test "$(delays "${faithful[@]}" --call-noise=exp:70ns@1 eq1.txt)" != "$drawn"

# ---- both ends have their own overheads ----
#
# kappa (overhead of a call) is 3.5 on rank 0 and 2.375 on rank 1, lambda (latency) 17.25; 8 bytes of 0.375
noise=(--call-noise=const:3.5ns@0 --call-noise=const:2.375ns@1 --latency=const:17.25ns
    --byte=const:0.375ns)
calls 2 "#clocks shared" >send-irecv.txt <<'END'
0 1000 2000 Send to=1 bytes=8
1 1000 1100 Irecv from=0 bytes=8 request=1
1 1500 2000 Wait requests=1
END
# A = max(17.25, 2.375) + 3; back at the sender without a kappa
is "Send and Irecv" "$(delays "${faithful[@]}" "${noise[@]}" send-irecv.txt)" "37.5 22.625"
# A = max(17.25, 100 + 2.375) + 3
is "Send and a late Irecv" \
    "$(delays "${faithful[@]}" "${noise[@]}" --noise=const:100ns@1 send-irecv.txt |
        cut -d' ' -f1)" "122.625"
calls 2 "#clocks shared" >isend-recv.txt <<'END'
0 1000 1100 Isend to=1 bytes=8 request=1
1 1000 2000 Recv from=0 bytes=8
0 1500 2100 Wait requests=1
END
# A = 3.5 + 17.25 + 3; back: + 2.375 + 17.25 + 3.5
is "Isend and Recv" "$(delays "${faithful[@]}" "${noise[@]}" isend-recv.txt)" "46.875 26.125"
is "an eager Isend" "$(delays --absorb=none --paper=call-edges "${noise[@]}" isend-recv.txt)" \
    "7 26.125"
calls 2 "#clocks shared" >probe.txt <<'END'
0 1000 1100 Issend to=1 bytes=8 request=1
1 1000 2000 Probe from=0 bytes=8
0 1500 2800 Wait requests=1
1 2000 2500 Recv from=0 bytes=8
END
# Probe: 3.5 + 17.25 + 2.375 = 23.125. A = max(20.75, 23.125) + 3 = 26.125
is "a probed Issend" "$(delays "${faithful[@]}" "${noise[@]}" probe.txt)" "49.25 28.5"
calls 2 "#clocks shared" >persistent.txt <<'END'
0 500 510 Send_init to=1 bytes=8 persistent=1
1 500 510 Recv_init from=0 bytes=8 persistent=1
0 1000 1010 Start persistent=1 requests=1
1 1000 1010 Start persistent=1 requests=1
0 1500 2000 Wait requests=1
1 1500 2000 Wait requests=1
END
# Each Start is delayed by one kappa. A = 3.5 + 3.5 + 17.25 + 3
is "Start" "$(delays "${faithful[@]}" "${noise[@]}" persistent.txt)" "48 29.625"
calls 2 "#clocks shared" >sendrecv.txt <<'END'
0 1000 2000 Sendrecv to=1 tag=1 bytes=8 from=1 recvtag=1 recvbytes=8
1 1000 2000 Sendrecv to=0 tag=1 bytes=8 from=0 recvtag=1 recvbytes=8
END
# A = 17.25 + 3; back: + the other's kappa + 17.25
is "Sendrecv" "$(delays "${faithful[@]}" "${noise[@]}" sendrecv.txt)" "39.875 41"

# ---- Sottile 2006, section 3.2: a Reduce that delays its contributors ----
none=(--absorb=none --paper=sync-reduce)
for call in Reduce Gather Gatherv; do
    collective 8 $call "root=0 bytes=8" >reduce.txt
    is "$call: noise at the root" "$(delays "${none[@]}" --noise=const:100ns@0 reduce.txt)" \
        "200 100 100 100 100 100 100 100"
    is "... is not anybody else's without --paper=sync-reduce" \
        "$(delays --absorb=none --noise=const:100ns@0 reduce.txt)" "200 0 0 0 0 0 0 0"
done
# The ranks leave at intervals of 5 ns, the root first. The last one's call is the shortest, 776 ns, so the root, which
# waited 1000, absorbs 224 of 324.
is "one that left later did not wait so long" \
    "$(delays --paper=sync-reduce --noise=const:324ns@0 reduce.txt)" "424 100 100 100 100 100 100 65"
is "unperturbed" "$(delays --paper=sync-reduce reduce.txt)" "0 0 0 0 0 0 0 0"
is "everybody has what rank 3 contributes late, with the way to the root" \
    "$(delays "${none[@]}" --call-noise=const:2.375ns@3 --latency=const:17.25ns reduce.txt)" \
    "19.625 19.625 19.625 19.625 19.625 19.625 19.625 19.625"
is "... and takes it over: nothing is put in twice" \
    "$(accounts "${none[@]}" --latency=const:17.25ns reduce.txt | tail -n2)" \
    "0 0 17.25 17.25
0 0 17.25 17.25"
# All arrive by 1259 + 10000, where the root ended at 2000, rank j at 2000 + 5 j.
is "predicted, they end together" \
    "$(delays --predict --latency=const:10us --paper=sync-reduce reduce.txt 2>/dev/null)" \
    "9259 9254 9249 9244 9239 9234 9229 9224"
calls 3 >ireduce.txt <<'END'
0 1000 1010 Ireduce comm=0 root=1 bytes=8 request=1
1 1000 1010 Ireduce comm=0 root=1 bytes=8 request=1
2 1000 1010 Ireduce comm=0 root=1 bytes=8 request=1
0 2000 2100 Wait requests=1
0 3000 3010 Send to=1 bytes=8
1 2000 3100 Recv from=0 bytes=8
1 4000 4100 Wait requests=1
2 2000 2100 Wait requests=1
END
is "Ireduce: its contributors wait for the root's start, which needs nothing of them" \
    "$(delays "${none[@]}" --noise=const:7.5ns@1 ireduce.txt)" "7.5 30 7.5"
is "... or for nothing" "$(delays --absorb=none --noise=const:7.5ns@1 ireduce.txt)" "0 30 0"
calls 2 >persistent-reduce.txt <<'END'
0 500 510 Reduce_init comm=0 root=1 bytes=8 persistent=1
1 500 510 Reduce_init comm=0 root=1 bytes=8 persistent=1
0 1000 1010 Start persistent=1 requests=1
1 1000 1010 Start persistent=1 requests=1
0 2000 2100 Wait requests=1
1 2000 2100 Wait requests=1
END
is "Reduce_init: for the root's Start" \
    "$(delays "${none[@]}" --noise=const:7.5ns@1 persistent-reduce.txt)" "15 30"
calls 3 "#comm 1 = 0 | 1 2" >inter.txt <<'END'
0 1000 2000 Reduce comm=1 root=root bytes=8
1 1000 2000 Reduce comm=1 root=0 bytes=8
2 1000 2000 Reduce comm=1 root=0 bytes=8
END
is "between two groups" "$(delays "${none[@]}" --noise=const:7.5ns@0 inter.txt)" "15 7.5 7.5"
calls 2 >unsafe.txt <<'END'
0 1000 1100 Recv from=1 bytes=8
0 2000 2100 Reduce comm=0 root=0 bytes=8
1 1000 1100 Reduce comm=0 root=0 bytes=8
1 2000 2100 Send to=0 bytes=8
END
is "a program that no collective may hold runs without" "$(delays unsafe.txt)" "0 0"
"$mpgsim" --paper=sync-reduce unsafe.txt >out.txt 2>&1
is "... and is refused with it: who waits for whom is said" \
    "$? $(grep -c 'ranks wait for each other' out.txt)" "1 1"
is "... unless --lenient" "$(delays --paper=sync-reduce --lenient unsafe.txt 2>/dev/null)" "0 0"
"$mpgsim" --paper=sync-reduce reduce.txt >said.txt
ok "the answer says so, too" grep -q '^ *reductions  *members of a Reduce' said.txt

# ---- a chain ----
#
# Each of 7 ranks waits for a message and sends it on. Two more ranks show how long a receive takes that does not wait.
awk 'BEGIN {
    print 0, 1000, 1020, "Send to=1 bytes=8"
    for (r = 1; r <= 7; r++) {
        t = 1000 + 400 * r
        print r, 200, t, "Recv from=" r - 1 " bytes=8"
        if (r < 7) print r, t, t + 20, "Send to=" r + 1 " bytes=8" }
    print 8, 1000, 1020, "Send to=9 bytes=8"
    print 9, 1500, 1530, "Recv from=8 bytes=8" }' | calls 10 "#clocks shared" >chain.txt
for absorb in none wait clock; do
    is "7 hops, absorb $absorb: a kappa each" \
        "$(delays --absorb=$absorb --call-noise=const:2.375ns chain.txt | cut -d' ' -f8)" 16.625
done

# ---- everything else is unchanged ----
for trace in eq1 eq2 send-irecv isend-recv probe persistent sendrecv; do
    is "without noise of calls the edges are the same: $trace" \
        "$(delays "${faithful[@]}" "${flight[@]}" --noise=const:33.5ns@1 $trace.txt)" \
        "$(delays "${own[@]}" "${flight[@]}" --noise=const:33.5ns@1 $trace.txt)"
    is "unperturbed: $trace" "$(delays --paper=call-edges --call-noise=const:0ns $trace.txt)" "0 0"
done
"$mpgsim" "${faithful[@]}" --call-noise=const:1ns eq1.txt >said.txt
ok "the answer says so" grep -q '^ *call edges  *paper' said.txt
"$mpgsim" "${own[@]}" --call-noise=const:1ns eq1.txt >said.txt
is "... and only then" "$(grep -c 'call edges' said.txt)" 0
"$mpgsim" --paper=printed eq1.txt >/dev/null 2>err.txt
is "another word is an error" "$? $(head -n1 err.txt | grep -c 'call-edges, sync-reduce or own-edges')" "2 1"
done_testing
