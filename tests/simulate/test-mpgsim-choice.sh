#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What calls complete when times change (TAP): closed forms of docs/MODEL.md, section 6, by hand,
# and the identity. A message's least flight is 200 ns throughout. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"
. "$here/choosing.sh"

# ---- Waitany ----
take "two requests, each followed by 3 us" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=1,2 done=1
0 8200 9200 Waitany requests=2
END
is "the first 6 us late: the second is taken, 4 us later" "$(delay 0 --noise=const:6us@1)" 4000
is "... kept: 6 us" "$(delay 0 --noise=const:6us@1 --without=choice)" 6000
is "... is one pick" "$(chosen followed picks_changed redone -- --noise=const:6us@1)" "1 1 0"
is "3.9985 us late: it comes before the second still" "$(delay 0 --noise=const:3.9985us@1)" 3998.5
is "9.385 us late: it comes 2385 ns after the second was worked on" \
    "$(delay 0 --noise=const:9.385us@1)" 5385
is "both late by 6 us: nothing changes its order" \
    "$(delay 0 --noise=const:6us@1,2) $(chosen picks_changed -- --noise=const:6us@1,2)" "6000 0"
like "the answer says so" "$("$mpgsim" --noise=const:6us@1 t.txt)" \
    "*choice*1 call (Waitany*: 1 complete another message than traced, 0 tests*"
like "--absorb=none keeps the order, and says why" "$("$mpgsim" --absorb=none t.txt)" \
    "*2 calls (*keep the traced message (choosing takes --absorb=clock or wait)*"
is "no room for messages in flight: it does not wait for what is not sent, and is counted" \
    "$(chosen beyond_horizon -- --horizon=0) $(chosen beyond_horizon --)" "1 0"

take "a queue: what arrives at 50, 51, 52 us takes 8 us each" 4 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 request=3
1 49900 49910 Send comm=0 to=0 tag=1 bytes=8
2 50900 50910 Send comm=0 to=0 tag=1 bytes=8
3 51900 51910 Send comm=0 to=0 tag=1 bytes=8
0 1300 50100 Waitany requests=1,2,3 done=1
0 58100 58110 Waitany requests=2,3 done=2
0 66110 66120 Waitany requests=3 done=3
END
is "the first 4 us late: 1 us, until the second" "$(delay 0 --noise=const:4us@1)" 1000
is "... kept: 4 us" "$(delay 0 --noise=const:4us@1 --without=choice)" 4000
# taken are 2 at 51.1, 3 by 59.11 us; ready again at 67.12, for 1 at 50.1 + 23.75
is "23.75 us late: the others are done meanwhile" "$(delay 0 --noise=const:23.75us@1)" \
    "$(awk 'BEGIN { print 50100 + 23750 - 66120 }')"
is "all 2.5 us late" "$(delay 0 --noise=const:2.5us@1-3)" 2500

take "which request is waited for later: of what has arrived, the first in the list" 3 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
2 4800 4810 Send comm=0 to=0 tag=1 bytes=8
1 6800 6810 Send comm=0 to=0 tag=1 bytes=8
0 20000 20010 Waitany requests=1,2 done=1
0 25010 25020 Wait requests=2
END
is "the second comes earlier, and both lie ready: no other pick" \
    "$(chosen picks_changed -- --noise=const:-1us@2)" 0
is "... the first late: it is what the Wait gets, at 27 us" "$(delay 0 --noise=const:20us@1)" 1980
is "... kept: the same end by another way" "$(delay 0 --noise=const:20us@1 --without=choice)" 6990

# ---- a message that is later because of the call itself cannot complete it ----
take "the second sender waits for what follows the Waitany" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=1,2 done=1
0 5300 5310 Send comm=0 to=2 tag=1 bytes=8
2 1200 5510 Recv comm=0 from=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 8200 9200 Waitany requests=2
END
is "the first 6 us late: waited for" "$(delay 0 --noise=const:6us@1)" 6000
is "... there is no choice" "$("$mpgsim" --json --noise=const:6us@1 t.txt | grep -c '"choice":')" 0

# ---- the sender of a synchronous message learns of its own message ----
take "two Ssends" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 5000 5400 Ssend comm=0 to=0 tag=1 bytes=8
2 9000 9400 Ssend comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=1,2 done=1
0 8200 9200 Waitany requests=2
END
is "the first late: the receiver takes the other, the senders are late by their own" \
    "$(delay 0 --noise=const:6us@1) $(delay 2 --noise=const:6us@1)" "4000 0"
is "... the late one 6 us, and 6 us before its end" "$(delay 1 --noise=const:6us@1)" 12000

# ---- Waitsome ----
take "Waitsome, two of three" 4 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 request=3
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8
2 5800 5810 Send comm=0 to=0 tag=1 bytes=8
3 9800 9810 Send comm=0 to=0 tag=1 bytes=8
0 1300 6000 Waitsome requests=1,2,3 done=1,2
0 8000 10000 Waitsome requests=3
END
# Rank 1's message came at 6 us, with rank 2's, and now comes at 13.5. Rank 3's comes at 10: the second Waitsome waits 3.5 for
# rank 1's.
is "the first 7.5 us late: the other two are taken, and worked on" \
    "$(delay 0 --noise=const:7.5us@1)" 3500
# both Waitsomes wait, so that one that finds its own is taken to take 1 us: 12.5 + 2 + 1 us
is "... kept: it is waited for" "$(delay 0 --noise=const:7.5us@1 --without=choice)" 5500

# ---- tests ----
take "tests that fail, until one does not" 2 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
1 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 2000 2010 Test requests=1 done=
0 3000 3011 Test requests=1 done=
0 4000 4012 Test requests=1 done=
0 5000 5013 Testany requests=1 done=
0 6000 6014 Testsome requests=1 done=
0 10000 10015 Test requests=1 done=1
END
early=--noise=const:-6us@1 # the message arrives at 3.2 us
is "the third succeeds: what comes after it takes no time" "$(delay 0 $early)" -42
is "... one early, two saved" "$(chosen tests_early tests_saved -- $early)" "1 2"
is "... work, whether it polls or not" "$(delay 0 $early --polling=work)" -42
sed -i 's/Testany\|Testsome/Test/' t.txt
is "... with what is between them where it polls" "$(delay 0 $early --polling=wait)" \
    "$(awk 'BEGIN { print 4012 - 10015 }')"
is "... which is the default" "$(delay 0 $early) $(delay 0 $early --polling=interval=980ns)" "-6003 -42"
is "noise takes nothing from what polls: three intervals do not" "$(delay 0 --noise=const:1us@0)" 3000
is "... but where it is long" "$(delay 0 --noise=const:1us@0 --polling=interval=989ns)" 5000
is "... work: the last two tests are not made" "$(delay 0 --noise=const:1us@0 --polling=work)" $((8000 - 14 - 15))
is "... kept: nothing" "$(delay 0 $early --without=choice)" 0
is "a test that would fail waits" "$(delay 0 --noise=const:5.385us@1)" \
    "$(awk 'BEGIN { print 9200 + 5385 + (15 - 10) - 10015 }')" # 15 ns are 5 more than the least

take "two that are tested for, and a Waitall of what is done" 3 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 9000 9100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 4000 4100 Testsome requests=1,2 done=
0 5000 5200 Testany requests=1,2 done=
0 10000 10300 Waitall requests=1,2
END
is "Testsome completes both: a test and the Waitall are not made" \
    "$(delay 0 --noise=const:-6us@1,2)" -500
is "... one of them only: the Waitall is" "$(delay 0 --noise=const:-6us@2)" -200

# ---- receives from any source ----
#
# collect LAST: three messages, each followed by 8 us of work; LAST: arguments of the last receive
collect() {
    cat <<END
1 49900 49910 Send comm=0 to=0 tag=1 bytes=8
2 50900 50910 Send comm=0 to=0 tag=2 bytes=8
3 51900 51910 Send comm=0 to=0 tag=1 bytes=8
0 1300 50100 Recv comm=0 from=1 tag=1 bytes=8 any=source,tag
0 58100 58110 Recv comm=0 from=2 tag=2 bytes=8 any=source,tag
0 66110 66120 Recv comm=0 from=3 tag=1 bytes=8 ${1-}
END
}
take "what comes first is taken" 4 < <(collect any=source)
is "the first 4 us late: 1 us, until the second" "$(delay 0 --noise=const:4us@1)" 1000
is "... all three take another's" \
    "$(chosen followed_receives picks_changed redone -- --noise=const:4us@1)" "3 3 0"
is "... kept: 4 us" "$(delay 0 --noise=const:4us@1 --without=choice)" 4000
is "23.75 us late: the others are done meanwhile" "$(delay 0 --noise=const:23.75us@1)" \
    "$(awk 'BEGIN { print 50100 + 23750 - 66120 }')"
take "... but the last names its source" 4 < <(collect)
is "the second took what it waits for: the traced order" \
    "$(delay 0 --noise=const:4us@1) $(chosen redone -- --noise=const:4us@1)" "4000 1"
is "0.9 us late: in order" \
    "$(delay 0 --noise=const:0.9us@1) $(chosen picks_changed -- --noise=const:0.9us@1)" "900 0"
take "the other tag, while the first names it" 3 <<'END'
1 49900 49910 Send comm=0 to=0 tag=1 bytes=8
2 50900 50910 Send comm=0 to=0 tag=2 bytes=8
0 1300 50100 Recv comm=0 from=1 tag=1 bytes=8 any=source
0 58100 58110 Recv comm=0 from=2 tag=2 bytes=8 any=source,tag
END
is "is no candidate" "$(delay 0 --noise=const:4us@1)" 4000

# ---- no message arrives before it was sent ----
take "a test that is too early" 2 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 2000 2010 Test requests=1 done=
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
0 3000 5300 Wait requests=1
END
is "10 us faster: when it is sent" \
    "$(delay 0 --latency=const:-10us) $(chosen tests_early -- --latency=const:-10us)" "-300 0"
take "the first in the list is sent later" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=2,1 done=1
0 8200 9200 Waitany requests=2
END
is "10 us faster: the other one, and it when it is sent" \
    "$(delay 0 --latency=const:-10us) $(chosen picks_changed -- --latency=const:-10us)" "-200 0"
calls 3 >t.txt <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=100 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=0 request=2
1 5000 5090 Send comm=0 to=0 tag=1 bytes=100
2 9000 9100 Send comm=0 to=0 tag=1 bytes=0
0 1300 5100 Waitany requests=1,2 done=1
0 5800 5810 Send comm=0 to=2 tag=2 bytes=0
0 8200 9200 Waitany requests=2
2 9300 9500 Recv comm=0 from=0 tag=2 bytes=0
END
# Rank 1's message took 100 ns, but its minimum message time is 300. Rank 2's comes first, 150 ns faster, at 9.05 us: a delay of
# 3.75 us from rank 1's message, which ended the Waitany at 5.1, so that the call would end before rank 2 sends, at 9. Therefore
# rank 0 is 3.9 us late, and its message to rank 2 arrives at 5.8 + 0.2 + 3.9 - 0.15.
is "one that is exchanged ends no call before it was sent" \
    "$(delay 2 --source=byte=1ns --latency=const:-150ns --noise=const:6us@1)" 250

# ---- partitions ----
take "Parriveds, of two partitions" 2 <<'END'
0 1100 1110 Precv_init comm=0 from=1 tag=1 bytes=8 partitions=2 persistent=1
0 1110 1120 Start persistent=1 requests=1
1 100 110 Psend_init comm=0 to=0 tag=1 bytes=8 partitions=2 persistent=1
1 110 120 Start persistent=1 requests=1
1 8000 8010 Pready request=1 ready=0
1 9000 9100 Pready request=1 ready=1
0 2000 2010 Parrived request=1 partition=0 found=0
0 3000 3011 Parrived request=1 partition=0 found=0
0 4000 4012 Parrived request=1 partition=1 found=0
0 5000 5013 Parrived request=1 partition=0 found=0
0 6000 6014 Parrived request=1 partition=1 found=0
0 7000 7015 Parrived request=1 partition=0
0 10000 10016 Parrived request=1 partition=1
0 11000 11017 Wait requests=1
1 12000 12100 Wait requests=1
END
# The partitions are ready at 2 and 2.01 us, and the message arrives at 2.21 us.
is "each is told once, and asked for no more" "$(delay 0 $early --polling=work)" -$((13 + 14 + 15 + 16))
is "... two early, two saved" "$(chosen tests_early tests_saved -- $early)" "2 2"
is "... with what is between them where it polls" "$(delay 0 $early --polling=wait)" -$((988 + 13 + 987 + 14 + 986 + 15 + 16))
is "... kept: nothing" "$(delay 0 $early --without=choice)" 0
predicts() {
    "$mpgsim" --predict --per-rank --latency=const:200ns "$@" t.txt | awk '$1 == 0 { print $2 + $3 }'
}
# since MPI_Init: asks at 1900, 2900 and 3900, is told by the last two; then only computes until the Wait, and Finalize
is "predicted: the same" "$(predicts $early --polling=work)" \
    $((3900 + 12 + 988 + 987 + 986 + 2985 + 984 + 1000000 - 11017))
# all questions at 1900, none is answered; one found something, 15 ns, and another, 16
is "... as waiting: none of it takes any time" "$(predicts $early)" \
    $((1900 + 15 + 2985 + 16 + 984 + 1000000 - 11017))
is "2.385 us late, four times: what was told is, and the Wait waits" "$(delay 0 --noise=const:2.385us@1)" \
    $((9200 + 4 * 2385 - 11017))

# ---- output about choices ----
take "an answer to the first" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=1,2 done=1
0 5500 5510 Send comm=0 to=1 tag=2 bytes=8
1 5500 5710 Recv comm=0 from=0 tag=2 bytes=8
0 8200 9200 Waitany requests=2
END
is "4.5 us late: it goes to the first all the same, and is counted" \
    "$(delay 0 --noise=const:4.5us@1) $(chosen picks_changed answers redone -- --noise=const:4.5us@1)" \
    "4000 1 1 0"
# Rank 0's answer would leave at 9.5 us, and arrive at 9.7; rank 1 sends the message that it answers at 5 us + the noise.
is "4.7 us late: just" "$(chosen answers redone -- --noise=const:4.7us@1)" "1 0"
is "4.702 us late: it would be there before what it answers has left: the traced order" \
    "$(delay 0 --noise=const:4.702us@1) $(chosen picks_changed answers redone -- \
        --noise=const:4.702us@1)" "4702 0 0 1"

# ---- lanes are independent of each other ----
is "40 replicas at a time, or one by one" "$(runs --replicas=40)" \
    "$(for k in $(seq 0 39); do runs --replicas=1 --replicas=first="$k"; done)"
like "... of which some are redone, and some choose" \
    "$(chosen redone -- --noise=exp:4us --replicas=40) $(chosen picks_changed -- --noise=exp:4us \
        --replicas=40)" "[1-9]* [1-9]*"
done_testing
