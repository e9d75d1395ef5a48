#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --hypothesis='drop ...', and 'resize ...' where that is about neighbourhood collectives, partitioned messages and
# one-sided transfers (TAP): by hand, in both modes, and what is refused.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/hypotheses.sh"
ring

# --- messages and collectives ---

cat >bar.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 220 260 Barrier comm=0
0 300 310 Isend comm=0 to=1 tag=1 bytes=8 request=1
0 320 331 Irecv comm=0 from=1 tag=2 bytes=8 request=2
0 350 380 Waitall requests=1,2
0 381 383 Iprobe comm=0 from=1 tag=9 found=0
0 385 395 Iallreduce comm=0 bytes=8 request=3
0 400 450 Wait requests=3
0 500 510 Finalize
1 0 100 Init
1 120 260 Barrier comm=0
1 300 312 Irecv comm=0 from=0 tag=1 bytes=8 request=1
1 315 340 Send comm=0 to=0 tag=2 bytes=8
1 345 349 Test requests=1 done=
1 350 380 Wait requests=1
1 385 395 Iallreduce comm=0 bytes=8 request=2
1 400 450 Wait requests=2
1 500 510 Finalize
T
is "drop a barrier: who waited gains, till it waits elsewhere" \
    "$(delays --hypothesis='drop call=Barrier' bar.txt)" "-40 -40"
# rank 0: Isend 10, Irecv 11, Waitall 30; rank 1: Irecv 12, Send 25, a Test that failed 4, Wait 30
is "drop all messages: what posts, waits for and asks for them alone" \
    "$(delays --hypothesis='drop from=0-1' --hypothesis='drop call=Iallreduce' bar.txt)" "$((-10 - 11 - 30 - 60)) $((-12 - 25 - 4 - 30 - 60))"
# rank 0's Waitall has another request; then the slower one of both
is "drop some: what waits for others, too, keeps its floor" "$(delays --hypothesis='drop tag=1' bar.txt)" "-10 -10"
is "drop all: computation is left" "$("$mpgsim" --json --predict "${target[@]}" --hypothesis=drop bar.txt | numbers 1)" \
    "$((120 + 40 + 10 + 19 + 1 + 2 + 5 + 50)) $((20 + 40 + 3 + 5 + 1 + 5 + 5 + 50))"
like "drop them all: what floors are for is said" "$("$mpgsim" --absorb=clock "${there[@]}" --hypothesis='drop from=0-2' ring.txt)" \
    "*without effect: hypotheses drop all messages and collectives*"
is "drop one message of a ring: rank 1's gain is nobody's" "$(delays --hypothesis='drop to=1' ring.txt)" "0 -1900 0"
sed 's/^0 220/0 110 110 Region_begin name="x"\n&/' bar.txt >half.txt
ok "refused: a collective dropped on one of its ranks" refuses 1 "mpgsim: half.txt: rank 1, call 1 (MPI_Barrier): 'drop region=x call=Barrier' \
drops this collective on rank 0 (call 1), but not on this rank" "${target[@]}" --predict --hypothesis='drop region=x call=Barrier' half.txt
# A Waitany that took the dropped message has nothing to choose, and takes 1000 ns, the least of those in the trace;
# the next waits till 8200.
cat >any.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
0 0 1000 Init
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1300 5200 Waitany requests=1,2 done=1
0 8200 9200 Waitany requests=2
0 12200 12300 Finalize
1 0 1000 Init
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
1 12200 12300 Finalize
2 0 1000 Init
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
2 12200 12300 Finalize
T
is "drop what a Waitany took: it keeps its floor, the next waits" \
    "$("$mpgsim" --json --predict --latency=const:200ns --hypothesis='drop from=1' any.txt | numbers 1)" "11200 11100 11200"

# Rank 0 has two threads: while thread 0 is in its Waitall, its next call with a request is already read, because thread
# 1 continues. Dropped: its Irecv (100) and, as thread 1 began in the Waitall and ends last, thread 1's Recv (6400).
cat >threads.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
0 2000 2100 Irecv comm=0 from=1 tag=5 bytes=8 request=1
0 2200 9000 Waitall requests=1
0 9010 9020 Irecv comm=0 from=1 tag=7 bytes=8 request=3
0 9030 9040 Wait requests=3
0.1 2500 8900 Recv comm=0 from=1 tag=5 bytes=8
0 9100 9200 Finalize
1 0 1000 Init
1 1100 1200 Send comm=0 to=0 tag=7 bytes=8
1 1300 1400 Send comm=0 to=0 tag=5 bytes=8
1 1500 1600 Send comm=0 to=0 tag=5 bytes=8
1 1700 1800 Finalize
T
is "drop what a rank of two threads waits for" "$(clocked --hypothesis='drop tag=5' threads.txt)" "-6500 -200"

# One MPI_Startall starts two receives, one of which is for a dropped message; each is tested before the message is
# sent.
cat >start.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 110 115 Recv_init comm=0 from=1 tag=1 bytes=8 persistent=1
0 120 125 Recv_init comm=0 from=1 tag=2 bytes=8 persistent=2
0 130 147 Startall persistent=1,2 requests=1,2
0 150 163 Test requests=2 done=
0 170 181 Test requests=1 done=
0 900 919 Waitall requests=1,2
0 1000 1010 Finalize
1 0 100 Init
1 700 723 Send comm=0 to=0 tag=1 bytes=8
1 800 829 Send comm=0 to=0 tag=2 bytes=8
1 1000 1010 Finalize
T
is "drop one of what a Startall posts: it takes its time, and a test of the other" \
    "$(delays --hypothesis='drop tag=1' start.txt)" "-11 -23"
is "... the other one: the Waitall has the first one when it came" "$(delays --hypothesis='drop tag=2' start.txt)" "0 -29"
is "... both" "$(delays --hypothesis='drop from=1' start.txt)" \
    "$((-17 - 13 - 11 - 19)) $((-23 - 29))"
# A Waitall that waited longest for the dropped message also has another one. Its floor is 1000, because it waited (l is
# 100).
cat >longest.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
0 0 10 Init
1 0 10 Init
2 0 10 Init
0 1000 1010 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1020 1030 Irecv comm=0 from=2 tag=2 bytes=8 request=2
0 1040 5000 Waitall requests=1,2
1 950 1050 Send comm=0 to=0 tag=1 bytes=8
2 4900 4950 Send comm=0 to=0 tag=2 bytes=8
0 6000 6010 Finalize
1 6000 6010 Finalize
2 6000 6010 Finalize
T
# what is dropped has the least slack, 0, and its own edge 2960, that of the other message 3950
is "drop what a Waitall waited for: it is over when the rest was" "$(clocked --hypothesis='drop from=2' longest.txt)" \
    "$((-10 - 2960)) 0 -50"
is "... the other one: it waits for what is left" "$(clocked --hypothesis='drop from=1' longest.txt)" "0 -100 0"
is "... without clocks what is left is not known to have been there" \
    "$("$mpgsim" --json --absorb=wait --hypothesis='drop from=2' longest.txt | numbers "")" "0 0 -50"
sed 's/^0 1000 .*/0 1000 1010 Issend comm=0 to=2 tag=1 bytes=8 request=1/
    s/^1 950 .*/2 4800 4850 Recv comm=0 from=0 tag=1 bytes=8/' longest.txt >answer.txt
is "... an answer to a synchronous send: what is left comes earlier by the Recv that is not there" \
    "$(clocked --hypothesis='drop tag=1' answer.txt)" "-50 0 -50"
sed 's/^0 1000 .*/0 1000 1010 Ibarrier comm=0 request=1/
    s/^1 950 .*/1 4500 4510 Ibarrier comm=0 request=1\
1 4600 5100 Wait requests=1\
2 4700 4710 Ibarrier comm=0 request=1\
2 4720 4890 Wait requests=1/' longest.txt >met.txt
is "... a barrier that does not block, likewise" "$(clocked --hypothesis='drop call=Ibarrier' met.txt)" \
    "-180 $((-10 - 500)) $((-10 - 170))"
# The same if the other is a partitioned receive, to which hypotheses do not apply.
sed 's/Recv_init comm=0 from=1 tag=2 bytes=8/Precv_init comm=0 from=1 tag=2 bytes=8 partitions=1/
    s/^1 800 829 Send.*/1 750 751 Psend_init comm=0 to=0 tag=2 bytes=8 partitions=1 persistent=9\
1 760 761 Start persistent=9 requests=9\
1 800 829 Pready request=9 ready=0\
1 840 850 Wait requests=9/' \
    start.txt >part.txt
is "... of a partitioned one" "$(delays --hypothesis='drop tag=1' part.txt)" "-11 -23"
# An Isendrecv that receives nothing belongs to the message that it sends.
cat >both.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 200 211 Isendrecv comm=0 to=1 tag=1 bytes=8 from=null recvtag=2 recvbytes=8 request=1
0 220 233 Test requests=1 done=
0 240 261 Wait requests=1
0 1000 1010 Finalize
1 0 100 Init
1 500 517 Recv comm=0 from=0 tag=1 bytes=8
1 1000 1010 Finalize
T
is "drop what an Isendrecv sends that receives nothing" "$(delays --hypothesis='drop tag=1' both.txt)" \
    "$((-11 - 13 - 21)) -17"
# With both of its members the barrier is complete; the Iallreduces take 10 and 50 themselves.
sed 's/^0 220/0 110 110 Region_begin name="x"\n&/; s/^0 300/0 270 270 Region_end name="x"\n&/
    s/^1 120/1 110 110 Region_begin name="y"\n&/; s/^1 300/1 270 270 Region_end name="y"\n&/' bar.txt >sides.txt
sides=(--hypothesis='drop region=x call=Barrier' --hypothesis='drop call=Iallreduce' --hypothesis='drop region=y')
is "dropped by two hypotheses together: neither has a share, what else is supposed does" \
    "$("$mpgsim" --json --absorb=none "${sides[@]}" sides.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)["hypotheses"]
print(answer["together"]["change_ns"]["median"], *(
    one[key] and one[key]["change_ns"]["median"] for one in answer["each"] for key in ("alone", "on_top")))')" \
    "-100.0 None None -60.0 -60.0 None None"
"$mpgsim" --absorb=none "${sides[@]}" sides.txt >text
is "... in words, last" \
    "$(sed -n '/^Hypotheses/,/^$/p' text | grep -E '^  (drop|  alone)' | tr -s ' ' | cut -d ' ' -f 1-5 | tr '\n' '|')" \
    " drop call=Iallreduce| alone -60 ns -15.00|\
 drop region=x call=Barrier| alone not known: a| drop region=y| alone not known: a|"

# --- neighbourhood collectives: a message to each destination ---

calls 3 "#clocks shared" "#topology 0 0 = 2 1 > 2 1" "#topology 1 0 = 0 2 > 0 2" "#topology 2 0 = 1 0 > 1 0" >near.txt <<'T'
0 1000 1117 Neighbor_alltoall bytes=40
1 1003 1120 Neighbor_alltoall bytes=40
2 1005 1129 Neighbor_alltoall bytes=40
0 2000 2011 Ineighbor_allgather bytes=8 request=1
1 2000 2013 Ineighbor_allgather bytes=8 request=1
2 2000 2017 Ineighbor_allgather bytes=8 request=1
0 2100 2119 Wait requests=1
1 2100 2123 Wait requests=1
2 2100 2129 Wait requests=1
T
grep -v 'Ineighbor\|Wait' near.txt >first.txt
is "drop neighbourhood collectives: their calls take no time" \
    "$(delays --hypothesis='drop call=MPI_Neighbor_alltoall' first.txt)" "-117 -117 -124"
is "... that do not block: what posts them and waits for them" \
    "$(delays --hypothesis='drop call=Ineighbor_allgather' near.txt)" "$((-11 - 19)) $((-13 - 23)) $((-17 - 29))"
is "... one message of each: no call is about that alone" "$(delays --hypothesis='drop from=0 to=1' near.txt)" "0 0 0"
# Rank 1 comes at 903, rank 2 at 905, rank 0 at 900; each message takes 50. Without what rank 2 sends rank 0 waits for
# rank 1 alone, rank 1 for rank 0: 953, 950.
is "... all of one rank, predicted: who waited for them does not" \
    "$("$mpgsim" --json --predict --latency=const:50ns --hypothesis='drop from=2 call=Neighbor_alltoall' \
        --hypothesis='drop call=Ineighbor_allgather' near.txt | numbers 1)" \
    "$((953 + 883 + 89 + 997881)) $((950 + 880 + 87 + 997877)) $((955 - 2 + 871 + 83 + 997871))"
is "resize: each message's own bytes" \
    "$(delays "${there[@]}" --hypothesis='resize from=0 to=1 bytes=9- factor=2' first.txt)" "0 15.4 0"
is "... and of them all, twice: 40 and 8 bytes" "$(delays "${there[@]}" --hypothesis='resize factor=2' near.txt)" \
    "18.48 18.48 18.48"
calls 2 "#topology 0 0 = 1 > 1" "#topology 1 0 = 0 > 0" >started.txt <<'T'
0 200 210 Neighbor_alltoall_init bytes=8 persistent=1
0 220 230 Neighbor_alltoall_init bytes=800 persistent=2
0 300 311 Startall persistent=1,2 requests=1,2
0 320 400 Waitall requests=1,2
1 200 210 Neighbor_alltoall_init bytes=8 persistent=1
1 220 230 Neighbor_alltoall_init bytes=800 persistent=2
1 300 317 Start persistent=1 requests=1
1 320 342 Wait requests=1
1 350 373 Start persistent=2 requests=2
1 380 407 Wait requests=2
T
is "drop some of what a Startall starts: it takes its time" "$(delays --hypothesis='drop bytes=9-' started.txt)" "0 $((-23 - 27))"
is "... all of it" "$(delays --hypothesis='drop call=Start' --hypothesis='drop call=Startall' started.txt)" \
    "$((-11 - 80)) $((-17 - 22 - 23 - 27))"

# --- partitioned messages: identified by the Start of their send ---

calls 2 >parts.txt <<'T'
0 200 210 Psend_init to=1 tag=5 bytes=24 partitions=4 persistent=1
0 300 311 Start persistent=1 requests=1
0 400 413 Pready request=1 ready=3
0 2000 2017 Pready_range request=1 ready=0,2
0 2100 2119 Wait requests=1
1 200 210 Precv_init from=0 tag=5 bytes=24 partitions=2 persistent=1
1 300 323 Start persistent=1 requests=1
1 350 379 Parrived request=1 partition=0 found=0
1 400 3000 Wait requests=1
T
is "drop partitioned messages: what starts, readies, asks and waits" "$(delays --hypothesis='drop tag=5' parts.txt)" \
    "$((-11 - 13 - 17 - 19)) $((-23 - 29 - 2600))"
is "... as their Start is selected" "$(delays --hypothesis='drop call=Start bytes=24-24' parts.txt)" \
    "$((-11 - 13 - 17 - 19)) $((-23 - 29 - 2600))"
is "resize them" "$(delays "${there[@]}" --hypothesis='resize call=Start factor=3' parts.txt)" "0 18.48"
# Of 72 bytes it waits for its receiver: T(A) = max(1900 + 17, 200) + 72 of a machine where a byte takes 1 ns.
is "... and it waits, as such do" "$("$mpgsim" --json --predict --latency=const:0ns --byte=const:1ns --eager-limit=24 \
    --polling=work --hypothesis='resize from=0 factor=3' parts.txt | numbers 1)" \
    "$("$mpgsim" --json --predict --latency=const:0ns --byte=const:1ns --eager-limit=24 --polling=work \
        <(sed 's/bytes=24/bytes=72/' parts.txt) | numbers 1)"

# --- windows: fences ---

window=("#clocks shared" "#comm 0 = 0 1 2" "#window 0 = 0 0")
calls 3 "${window[@]}" >fences.txt <<'T'
0 1000 1100 Win_create comm=0 win=0 bytes=800
1 1000 1100 Win_create comm=0 win=0 bytes=800
2 1000 1100 Win_create comm=0 win=0 bytes=800
0 1110 1110 Region_begin name="in"
0 1200 1207 Put win=0 to=1 bytes=40
0 1300 1311 Get win=0 to=2 bytes=0 recvbytes=60
0 1400 1523 Win_fence win=0
1 1300 1517 Win_fence win=0
2 1290 1519 Win_fence win=0
0 1530 1530 Region_end name="in"
1 1600 1613 Put win=0 to=0 bytes=500
0 1700 1801 Win_fence win=0
1 1700 1803 Win_fence win=0
2 1700 1807 Win_fence win=0
T
is "drop fences: with them all that their epochs moved" "$(delays --hypothesis='drop call=Win_fence' fences.txt)" \
    "$((-7 - 11 - 123 - 101)) $((-217 - 13 - 103)) $((-229 - 107))"
is "... predicted" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns --hypothesis='drop call=MPI_Win_fence' \
    fences.txt | numbers 1)" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns \
    <(python3 - fences.txt <<'P'
import sys  # the program without these calls: later times move up
shift = {}
for line in open(sys.argv[1]):
    word = line.split()
    if line[0] == "#" or len(word) < 4:
        print(line, end="")
        continue
    rank, a, b = word[0], int(word[1]), int(word[2])
    if word[3] in ("Put", "Get", "Win_fence"):
        shift[rank] = shift.get(rank, 0) + b - a
    else:
        print(rank, a - shift.get(rank, 0), b - shift.get(rank, 0), *word[3:])
P
) | numbers 1)"
is "drop transfers alone: the fence is there, with the bytes that are left" \
    "$(clocked --hypothesis='drop call=Get' fences.txt)" "-11 -11 -11"
is "... which T's bytes tell" "$(clocked --byte=const:1ns --hypothesis='drop call=Get' fences.txt)" "529 529 529"
is "... the traced machine's, too: 40 of 100 bytes, 7 ns" \
    "$(clocked "${there[@]}" --hypothesis='drop call=Put from=0' fences.txt)" "-22.4 -22.4 -22.4"
is "resize transfers: what fences move" "$(delays "${there[@]}" --hypothesis='resize call=Put factor=2' fences.txt)" \
    "207.9 207.9 207.9"
is "... one way or the other" "$(delays "${there[@]}" --hypothesis='resize call=Get to=2 bytes=1060' fences.txt)" \
    "385 385 385"
ok "refused: half a fence" refuses 1 "mpgsim: fences.txt: rank ?, call ? (MPI_Win_fence): \
'drop region=in' drops *" --hypothesis='drop region=in' fences.txt
ok "refused: an epoch and what is in it" refuses 1 "mpgsim: fences.txt: rank *(MPI_Win_fence): 'resize call=Put factor=2' \
and 'drop call=Win_fence' contradict each other*" "${there[@]}" --hypothesis='resize call=Put factor=2' \
    --hypothesis='drop call=Win_fence' fences.txt

# --- post, start, complete, wait ---

calls 3 "${window[@]}" >pscw.txt <<'T'
0 1000 1011 Win_post win=0 group=1,2
1 1000 1013 Win_start win=0 group=0
2 1000 1017 Win_start win=0 group=0
1 1100 1119 Put win=0 to=0 bytes=40
1 1200 1223 Win_complete win=0
2 1200 1229 Win_complete win=0
0 1230 1261 Win_test win=0 found=0
0 1300 1337 Win_wait win=0
T
is "drop what a Win_complete ends: with it all four calls" "$(delays --hypothesis='drop call=Win_complete' pscw.txt)" \
    "$((-11 - 31 - 37)) $((-13 - 19 - 23)) $((-17 - 29))"
is "... of one pair: who has others keeps its calls" "$(delays --hypothesis='drop from=1' pscw.txt)" \
    "0 $((-13 - 19 - 23)) 0"
is "... of both, by two hypotheses" \
    "$(delays --hypothesis='drop call=Win_complete from=1' --hypothesis='drop call=Win_complete from=2' pscw.txt)" \
    "$((-11 - 31 - 37)) $((-13 - 19 - 23)) $((-17 - 29))"
is "drop what it moved: the messages are there" "$(clocked --source=latency=7ns --source=byte=0ns --hypothesis='drop call=Put' pscw.txt)" "0 -19 0"
is "resize it" "$(delays "${there[@]}" --hypothesis='resize call=Put factor=2' pscw.txt)" "15.4 0 0"
# Rank 2 completes 60 later than rank 1 would; without it rank 0 waits for rank 1 only.
sed 's/^2 1200 1229/2 9200 9229/; s/^0 1300 1337/0 1300 9337/' pscw.txt >late.txt
is "... predicted: the other one's is waited for" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns \
    --hypothesis='drop from=2' late.txt | awk 'NR > 0' | numbers 1)" \
    "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns <(sed 's/group=1,2/group=1/; /^2 .*Win/d
        s/^2 1000000/2 999954/; s/^2 1000010/2 999964/' late.txt) | numbers 1)"

# --- passive targets ---

calls 2 "#clocks shared" "#comm 0 = 0 1" "#window 0 = 0 0" >locks.txt <<'T'
0 1000 1011 Win_lock win=0 to=1
0 1100 1113 Put win=0 to=1 bytes=40
0 1200 1217 Accumulate win=0 to=1 bytes=60
0 1300 1319 Win_flush win=0 to=1
0 1350 1373 Win_sync win=0
0 1400 1429 Win_unlock win=0 to=1
0 1500 1531 Win_lock_all win=0
0 1550 1587 Rget win=0 to=1 bytes=0 recvbytes=8 request=1
0 1600 1641 Wait requests=1
0 1700 1743 Put win=0 to=1 bytes=4
0 1800 1847 Win_flush_all win=0
0 1900 1953 Win_unlock_all win=0
T
is "drop an epoch: from its lock to its unlock" "$(delays --hypothesis='drop call=Win_unlock' locks.txt)" \
    "$((-11 - 13 - 17 - 19 - 23 - 29)) 0"
is "... of all targets, with requests" "$(delays --hypothesis='drop call=Win_unlock_all' locks.txt)" \
    "$((-31 - 37 - 41 - 43 - 47 - 53)) 0"
is "... to a target" "$(delays --hypothesis='drop call=Win_unlock to=1' locks.txt)" "$((-11 - 13 - 17 - 19 - 23 - 29)) 0"
is "drop all that is there" "$(delays --hypothesis=drop locks.txt)" \
    "$((-11 - 13 - 17 - 19 - 23 - 29 - 31 - 37 - 41 - 43 - 47 - 53)) 0"
is "drop transfers: what waits for them alone" "$(delays --hypothesis='drop call=Put' locks.txt)" "$((-13 - 43 - 47)) 0"
is "... and for others: their bytes" "$(delays --byte=const:0.375ns --hypothesis='drop call=Put' locks.txt)" \
    "$("$python" -c 'print(-13 - 43 - 47 + 0.375 * 68)') 0"
is "... a request" "$(delays --hypothesis='drop call=Rget' locks.txt)" "$((-37 - 41)) 0"
is "resize them: what their round trips take" "$(delays "${there[@]}" --hypothesis='resize from=0 factor=2' locks.txt)" \
    "43.12 0"
is "... predicted" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns --hypothesis='resize bytes=4-50 factor=2' \
    locks.txt | numbers 1)" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns \
    <(sed 's/bytes=40$/bytes=80/; s/recvbytes=8 /recvbytes=16 /; s/bytes=4$/bytes=8/' locks.txt) | numbers 1)"

# --- what is refused ---

# refused WORDS HYPOTHESIS: checks that the hypothesis is refused, with WORDS in the message.
refused() {
    ok "refused, $1: $2" refuses 2 "mpgsim: *$1*" "${there[@]}" --hypothesis="$2" locks.txt
}
lacks() {
    ok "refused, $1: $2" refuses 1 "mpgsim: *$1*" "${there[@]}" --hypothesis="$2" locks.txt
}
refused "an epoch of a window is selected by the call that ends it" "drop call=Win_lock"
refused "an epoch of a window is selected by the call that ends it" "drop call=Win_wait"
refused "an epoch has the bytes of its transfers" "resize call=Win_fence factor=2"
refused "is selected by the call that starts it" "drop call=Psend_init"
refused "is selected by the call that starts it" "drop call=Pready"
refused "cannot be changed" "drop call=Win_free"
refused "are selected by the call that sends" "drop call=Waitall"
lacks "selects no message, collective or one-sided epoch" "drop call=Win_complete"
refused "drop selects nothing: MPI_Win_unlock has no bytes=" "drop call=Win_unlock bytes=0-7"
refused "resize selects nothing: MPI_Put has no tag=" "resize call=Put tag=0 factor=2"
refused "drop has no factor=" "drop factor=0"
refused "bytes=5 is not LO-HI" "drop bytes=5"
done_testing
