#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --suppose='drop ...' and 'resize ...' about neighbourhood collectives, partitioned messages, one-sided
# transfers and epochs of windows (TAP): by hand, in both modes, and what is refused.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/supposing.sh"
there=(--source-latency=650ns --source-byte=0.385ns)

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
    "$(delays --suppose='drop call=MPI_Neighbor_alltoall' first.txt)" "-117 -117 -124"
is "... that do not block: what posts them and waits for them" \
    "$(delays --suppose='drop call=Ineighbor_allgather' near.txt)" "$((-11 - 19)) $((-13 - 23)) $((-17 - 29))"
is "... one message of each: no call is about that alone" "$(delays --suppose='drop from=0 to=1' near.txt)" "0 0 0"
# Rank 1 comes at 903, rank 2 at 905, rank 0 at 900; each message takes 50. Without what rank 2 sends rank 0 waits for
# rank 1 alone, rank 1 for rank 0: 953, 950.
is "... all of one rank, predicted: who waited for them does not" \
    "$("$mpgsim" --json --predict --latency=const:50ns --suppose='drop from=2 call=Neighbor_alltoall' \
        --suppose='drop call=Ineighbor_allgather' near.txt | numbers 1)" \
    "$((953 + 883 + 89 + 997881)) $((950 + 880 + 87 + 997877)) $((955 - 2 + 871 + 83 + 997871))"
is "resize: each message's own bytes" \
    "$(delays "${there[@]}" --suppose='resize from=0 to=1 bytes=9- factor=2' first.txt)" "0 15.4 0"
is "... and of them all, twice: 40 and 8 bytes" "$(delays "${there[@]}" --suppose='resize factor=2' near.txt)" \
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
is "drop some of what a Startall starts: it takes its time" "$(delays --suppose='drop bytes=9-' started.txt)" "0 $((-23 - 27))"
is "... all of it" "$(delays --suppose='drop call=Start' --suppose='drop call=Startall' started.txt)" \
    "$((-11 - 80)) $((-17 - 22 - 23 - 27))"

# --- partitioned messages: by the Start of their send ---

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
is "drop partitioned messages: what starts, readies, asks and waits" "$(delays --suppose='drop tag=5' parts.txt)" \
    "$((-11 - 13 - 17 - 19)) $((-23 - 29 - 2600))"
is "... as their Start is selected" "$(delays --suppose='drop call=Start bytes=24-24' parts.txt)" \
    "$((-11 - 13 - 17 - 19)) $((-23 - 29 - 2600))"
is "resize them" "$(delays "${there[@]}" --suppose='resize call=Start factor=3' parts.txt)" "0 18.48"
# Of 72 bytes it waits for its receiver: T(A) = max(1900 + 17, 200) + 72 of a machine where a byte takes 1 ns.
is "... and it waits, as such do" "$("$mpgsim" --json --predict --latency=const:0ns --byte=const:1ns --eager-limit=24 \
    --polling=work --suppose='resize from=0 factor=3' parts.txt | numbers 1)" \
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
is "drop fences: with them all that their epochs moved" "$(delays --suppose='drop call=Win_fence' fences.txt)" \
    "$((-7 - 11 - 123 - 101)) $((-217 - 13 - 103)) $((-229 - 107))"
is "... predicted" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns --suppose='drop call=MPI_Win_fence' \
    fences.txt | numbers 1)" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns \
    <(python3 - fences.txt <<'P'
import sys  # the program without them: what comes after moves up
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
    "$(clocked --suppose='drop call=Get' fences.txt)" "-11 -11 -11"
is "... which T's bytes tell" "$(clocked --byte=const:1ns --suppose='drop call=Get' fences.txt)" "529 529 529"
is "... the traced machine's, too: 40 of 100 bytes, 7 ns" \
    "$(clocked "${there[@]}" --suppose='drop call=Put from=0' fences.txt)" "-22.4 -22.4 -22.4"
is "resize transfers: what fences move" "$(delays "${there[@]}" --suppose='resize call=Put factor=2' fences.txt)" \
    "207.9 207.9 207.9"
is "... one way or the other" "$(delays "${there[@]}" --suppose='resize call=Get to=2 bytes=1060' fences.txt)" \
    "385 385 385"
ok "refused: half a fence" refuses 1 "mpgsim: fences.txt: rank ?, call ? (MPI_Win_fence): nothing is dropped by halves: \
'drop region=in' drops *" --suppose='drop region=in' fences.txt
ok "refused: an epoch and what is in it" refuses 1 "mpgsim: fences.txt: rank *(MPI_Win_fence): 'resize call=Put factor=2' \
and 'drop call=Win_fence' contradict each other*" "${there[@]}" --suppose='resize call=Put factor=2' \
    --suppose='drop call=Win_fence' fences.txt

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
is "drop what a Win_complete ends: with it all four calls" "$(delays --suppose='drop call=Win_complete' pscw.txt)" \
    "$((-11 - 31 - 37)) $((-13 - 19 - 23)) $((-17 - 29))"
is "... of one pair: who has others keeps its calls" "$(delays --suppose='drop from=1' pscw.txt)" \
    "0 $((-13 - 19 - 23)) 0"
is "... of both, by two hypotheses" \
    "$(delays --suppose='drop call=Win_complete from=1' --suppose='drop call=Win_complete from=2' pscw.txt)" \
    "$((-11 - 31 - 37)) $((-13 - 19 - 23)) $((-17 - 29))"
is "drop what it moved: the messages are there" "$(clocked --source-latency=7ns --source-byte=0ns --suppose='drop call=Put' pscw.txt)" "0 -19 0"
is "resize it" "$(delays "${there[@]}" --suppose='resize call=Put factor=2' pscw.txt)" "15.4 0 0"
# Rank 2 completes 60 later than rank 1 would; without it rank 0 waits for rank 1 only.
sed 's/^2 1200 1229/2 9200 9229/; s/^0 1300 1337/0 1300 9337/' pscw.txt >late.txt
is "... predicted: the other one's is waited for" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns \
    --suppose='drop from=2' late.txt | awk 'NR > 0' | numbers 1)" \
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
is "drop an epoch: from its lock to its unlock" "$(delays --suppose='drop call=Win_unlock' locks.txt)" \
    "$((-11 - 13 - 17 - 19 - 23 - 29)) 0"
is "... of all targets, with requests" "$(delays --suppose='drop call=Win_unlock_all' locks.txt)" \
    "$((-31 - 37 - 41 - 43 - 47 - 53)) 0"
is "... to a target" "$(delays --suppose='drop call=Win_unlock to=1' locks.txt)" "$((-11 - 13 - 17 - 19 - 23 - 29)) 0"
is "drop all that is there" "$(delays --suppose=drop locks.txt)" \
    "$((-11 - 13 - 17 - 19 - 23 - 29 - 31 - 37 - 41 - 43 - 47 - 53)) 0"
is "drop transfers: what waits for them alone" "$(delays --suppose='drop call=Put' locks.txt)" "$((-13 - 43 - 47)) 0"
is "... and for others: their bytes" "$(delays --byte=const:0.375ns --suppose='drop call=Put' locks.txt)" \
    "$("$python" -c 'print(-13 - 43 - 47 + 0.375 * 68)') 0"
is "... a request" "$(delays --suppose='drop call=Rget' locks.txt)" "$((-37 - 41)) 0"
is "resize them: what their round trips take" "$(delays "${there[@]}" --suppose='resize from=0 factor=2' locks.txt)" \
    "43.12 0"
is "... predicted" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns --suppose='resize bytes=4-50 factor=2' \
    locks.txt | numbers 1)" "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:1ns \
    <(sed 's/bytes=40$/bytes=80/; s/recvbytes=8 /recvbytes=16 /; s/bytes=4$/bytes=8/' locks.txt) | numbers 1)"

# --- what is refused ---

# refused WORDS HYPOTHESIS
refused() {
    ok "refused, $1: $2" refuses 2 "mpgsim: *$1*" "${there[@]}" --suppose="$2" locks.txt
}
lacks() {
    ok "refused, $1: $2" refuses 1 "mpgsim: *$1*" "${there[@]}" --suppose="$2" locks.txt
}
refused "an epoch of a window is selected by the call that ends it" "drop call=Win_lock"
refused "an epoch of a window is selected by the call that ends it" "drop call=Win_wait"
refused "an epoch has the bytes of its transfers" "resize call=Win_fence factor=2"
refused "is selected by the call that starts it" "drop call=Psend_init"
refused "is selected by the call that starts it" "drop call=Pready"
refused "is there in any case" "drop call=Win_free"
refused "are selected by the call that sends" "drop call=Waitall"
lacks "has no message, collective or epoch of a window" "drop call=Win_complete"
lacks "has no message, collective or epoch of a window" "drop call=Win_unlock bytes=0-7"
lacks "has no message, collective or epoch of a window" "resize call=Put tag=0 factor=2"
done_testing
