#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What receives and probes that leave their source open take when times change (TAP): closed forms
# of docs/MODEL.md, section 6, by hand, and the identity. A message's least flight is 200 ns
# throughout. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"
. "$here/choosing.sh"

sends='1 49900 49910 Send comm=0 to=0 tag=1 bytes=8
2 50900 50910 Send comm=0 to=0 tag=1 bytes=8
3 51900 51910 Send comm=0 to=0 tag=1 bytes=8'

# ---- Irecv ----
#
# one_by_one LAST: prints a trace in which each message is received after 8 us of work on the previous one. LAST:
# arguments of the last receive.
one_by_one() {
    cat <<END
$sends
0 1300 1310 Irecv comm=0 from=1 tag=1 bytes=8 any=source request=1
0 1400 50100 Wait requests=1
0 50110 50120 Irecv comm=0 from=2 tag=1 bytes=8 any=source,tag request=2
0 58100 58110 Wait requests=2
0 58120 58130 Irecv comm=0 from=3 tag=1 bytes=8 ${1-} request=3
0 66110 66120 Wait requests=3
END
}
take "Irecv and Wait, one by one" 4 < <(one_by_one any=source)
is "the first 4.385 us late: until the second comes" "$(delay 0 --noise=const:4.385us@1)" 1000
is "... kept: 4.385 us" "$(delay 0 --noise=const:4.385us@1 --without=choice)" 4385
is "... three calls are followed, and take another's" \
    "$(chosen followed followed_receives picks_changed redone -- --noise=const:4.385us@1)" "0 3 3 0"
is "23.75 us late: the others are done meanwhile" "$(delay 0 --noise=const:23.75us@1)" \
    "$(awk 'BEGIN { print 50100 + 23750 - 66120 }')"
is "0.9 us late: in order" \
    "$(delay 0 --noise=const:0.9us@1) $(chosen picks_changed -- --noise=const:0.9us@1)" "900 0"
is "no room for messages in flight: none waits for what is not sent, and they are counted" \
    "$(chosen beyond_horizon -- --horizon=0) $(chosen beyond_horizon --)" "3 0"
take "... the last from its source" 4 < <(one_by_one)
is "which another took: the traced order" \
    "$(delay 0 --noise=const:4.385us@1) $(chosen redone -- --noise=const:4.385us@1)" "4385 1"
take "... persistent" 4 < <(echo "0 1200 1210 Recv_init comm=0 any=source tag=1 bytes=8 persistent=1"
    one_by_one any=source |
        sed 's/Irecv.*request=\(.\)/Start persistent=1 requests=\1 matched=\1:\1:1/')
is "... likewise" "$(delay 0 --noise=const:4.385us@1)" 1000

# posted WAIT...: prints a trace with three posted receives, which the calls WAIT complete.
posted() {
    printf '%s\n' "$sends" "0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 any=source request=1" \
        "0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 any=source request=2" \
        "0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 any=source request=3" "$@"
}
take "three are posted, and waited for by Waitany" 4 < <(posted \
    "0 1300 50100 Waitany requests=1,2,3 done=1" "0 58100 58110 Waitany requests=2,3 done=2" \
    "0 66110 66120 Waitany requests=3 done=3")
is "the first 4.385 us late" "$(delay 0 --noise=const:4.385us@1)" 1000
is "... 23.75 us" "$(delay 0 --noise=const:23.75us@1)" \
    "$(awk 'BEGIN { print 50100 + 23750 - 66120 }')"
counted=$(chosen followed followed_receives picks_changed redone -- --noise=const:23.75us@1)
take "... what was sent by Isend, and waited for" 4 < <(posted \
    "0 1300 50100 Waitany requests=1,2,3 done=1" "0 58100 58110 Waitany requests=2,3 done=2" \
    "0 66110 66120 Waitany requests=3 done=3" |
    sed 's/ Send \(.*\)/ Isend \1 request=9/' |
    awk '{ print } / Isend / { print $1, $3 + 1, $3 + 2, "Wait requests=9" }')
is "... the first 4.385 us late" "$(delay 0 --noise=const:4.385us@1)" 1000
is "... 23.75 us: as many choose" \
    "$(delay 0 --noise=const:23.75us@1) $(chosen followed followed_receives picks_changed redone -- \
        --noise=const:23.75us@1)" "$(awk 'BEGIN { print 50100 + 23750 - 66120 }') $counted"
take "... in another order of waiting" 4 < <(posted "0 1300 51100 Wait requests=2" \
    "0 55100 55110 Wait requests=1" "0 60110 60120 Wait requests=3")
# the second to arrive is what the second request gets: rank 3's, at 52.1 us
is "the first 4.385 us late: the second request gets the third message" \
    "$(delay 0 --noise=const:4.385us@1)" 1000
is "the first 24.385 us late: the third gets it, at 74.485 us" "$(delay 0 --noise=const:24.385us@1)" \
    "$(awk 'BEGIN { print 50100 + 24385 - 60120 }')"
take "Waitall of two, of three that come" 4 < <(posted "0 1300 51100 Waitall requests=1,2" \
    "0 65100 65110 Wait requests=3")
is "the second 7.385 us late: the other two, the last at 52.1 us" \
    "$(delay 0 --noise=const:7.385us@2)" 1000
is "... kept: 7.385 us" "$(delay 0 --noise=const:7.385us@2 --without=choice)" 7385
is "... one of two calls takes another's, then the other" \
    "$(chosen followed_receives picks_changed -- --noise=const:7.385us@2)" "2 2"

# ---- beside receives that name their source ----
take "one that names rank 1 is posted first" 4 <<END
$sends
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 any=source request=2
0 1300 51100 Wait requests=2
0 55100 55110 Wait requests=1
0 60110 60120 Recv comm=0 from=3 tag=1 bytes=8 any=source
END
is "rank 1 early: its message is not for the open one" "$(delay 0 --noise=const:-9us@1)" 0
is "rank 2 late: rank 3's is" "$(delay 0 --noise=const:2.385us@2)" 1000
take "one that names rank 1 is posted after it" 4 <<END
$sends
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 any=source request=2
0 50950 50960 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 50970 51100 Wait requests=2
0 55100 55110 Wait requests=1
0 60110 60120 Recv comm=0 from=3 tag=1 bytes=8 any=source
END
is "the trace says that rank 1's came later: 2 us late, and the other in time" \
    "$(delay 0 --noise=const:2us@1) $(chosen redone -- --noise=const:2us@1)" "0 0"
is "rank 2 late: rank 1's is taken, and missed: the traced order" \
    "$(delay 0 --noise=const:2.385us@2) $(chosen redone -- --noise=const:2.385us@2)" "2385 1"

for list in 1,2 2,1; do
    take "one that names rank 1 is posted after it, and waited for with it: $list" 3 <<END
0 1100 1150 Irecv comm=0 from=2 tag=1 bytes=8 any=source request=1
0 1200 1250 Irecv comm=0 from=1 tag=1 bytes=8 request=2
2 3000 3100 Send comm=0 to=0 tag=1 bytes=8
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitall requests=$list
END
    is "rank 2 5 us late: rank 1's is taken, and missed" \
        "$(delay 0 --noise=const:5us@2) $(chosen redone -- --noise=const:5us@2)" "3000 1"
done

# ---- tags ----
take "tags" 4 <<END
$sends
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 any=source request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 any=source,tag request=2
1 52900 52910 Send comm=0 to=0 tag=2 bytes=8
0 1300 51100 Waitall requests=1,2
0 65100 65110 Recv comm=0 from=3 tag=1 bytes=8 any=source
0 66110 66120 Recv comm=0 from=1 tag=2 bytes=8 any=source
END
is "ranks 2, 3 late: the open tag gets rank 1's second message, whose tag the last names" \
    "$(delay 0 --noise=const:9us@2,3) $(chosen redone -- --noise=const:9us@2,3)" "9000 1"
is "... rank 2 alone" "$(delay 0 --noise=const:9us@2)" 1000

# ---- streams of messages, compared with a separate computation of the queue ----
#
# stream: prints a trace in which ranks 1 to 3 send 12 messages each, every 10 us, and rank 0 works for 2 us on each.
stream() {
    awk 'BEGIN { left = 10400
        for (j = 1; j <= 12; j++)
            for (r = 1; r <= 3; r++) {
                at = 10000 * j + 3000 * r
                print r, at, at + 10, "Send comm=0 to=0 tag=1 bytes=8"
                print 0, left + 2000, at + 200, "Recv comm=0 from=" r " tag=1 bytes=8 any=source"
                left = at + 200
            } }'
}
# queue NOISE: prints the delay of rank 0 if rank 1 needs NOISE more before each send.
queue() {
    awk -v noise="$1" 'BEGIN { least = 800; left = 10400
        for (j = 1; j <= 12; j++)
            for (r = 1; r <= 3; r++)
                at[n++] = 10000 * j + 3000 * r + 200 + (r == 1 ? j * noise : 0)
        for (i = 1; i < n; i++) {
            a = at[i]
            for (k = i; k > 0 && at[k - 1] > a; k--) at[k] = at[k - 1]
            at[k] = a
        }
        for (i = 0; i < n; i++) {
            left += 2000 + least
            if (at[i] > left) left = at[i]
        }
        print left - 129200 }'
}
take "streams" 4 < <(stream)
for noise in 2385 7000 23850; do
    is "rank 1 is slower by $noise ns" "$(delay 0 --noise=const:${noise}ns@1)" "$(queue $noise)"
done

# ---- probes ----
#
# probed PROBE FIRST RECV SECOND THIRD: like one_by_one, with probes.
probed() {
    cat <<END
$sends
0 1300 50100 $1 comm=0 from=1 tag=1 bytes=8 any=source $2
0 50110 50120 $3 comm=0 from=1 tag=1 bytes=8 $2
0 58100 58110 $1 comm=0 from=2 tag=1 bytes=8 any=source,tag $4
0 58120 58130 $3 comm=0 from=2 tag=1 bytes=8 $4
0 66110 66120 $1 comm=0 from=3 tag=1 bytes=8 any=source $5
0 66130 66140 $3 comm=0 from=3 tag=1 bytes=8 $5
END
}
take "Probe, then a Recv of what it found" 4 < <(probed Probe "" Recv "" "")
is "the first 4.385 us late: the second is found" "$(delay 0 --noise=const:4.385us@1)" 1000
is "... kept: 4.385 us" "$(delay 0 --noise=const:4.385us@1 --without=choice)" 4385
is "... three probes find another's" \
    "$(chosen followed followed_receives picks_changed redone -- --noise=const:4.385us@1)" "0 3 3 0"
is "23.75 us late" "$(delay 0 --noise=const:23.75us@1)" \
    "$(awk 'BEGIN { print 50100 + 23750 - 66120 }')"
take "Mprobe, then Mrecv" 4 < <(probed Mprobe message=1 Mrecv message=2 message=3)
is "the first 4.385 us late" "$(delay 0 --noise=const:4.385us@1)" 1000
take "Iprobe that succeeds, then Recv" 4 < <(probed Iprobe "" Recv "" "")
is "the first 4.385 us late" "$(delay 0 --noise=const:4.385us@1)" 1000
take "a probe, while a receive is posted that takes what comes first" 4 <<END
$sends
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 any=source request=1
0 1300 51100 Probe comm=0 from=2 tag=1 bytes=8 any=source
0 51110 51120 Recv comm=0 from=2 tag=1 bytes=8
0 55100 55110 Wait requests=1
0 60110 60120 Recv comm=0 from=3 tag=1 bytes=8
END
is "rank 1 is late: the receive gets rank 2's, the probe finds rank 3's, which the last names" \
    "$(delay 0 --noise=const:3.385us@1) $(chosen redone -- --noise=const:3.385us@1)" "0 1"

# polls FROM: prints a trace with calls of MPI_Iprobe that find nothing, until one finds the message.
polls() {
    cat <<END
1 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 2000 2010 Iprobe comm=0 $1 tag=1 found=0
0 3000 3011 Iprobe comm=0 $1 tag=1 found=0
0 4000 4012 Iprobe comm=0 $1 tag=1 found=0
0 5000 5013 Iprobe comm=0 $1 tag=1 found=0
0 10000 10015 Iprobe comm=0 from=1 tag=1 bytes=8 ${1#from=1}
0 10100 10120 Recv comm=0 from=1 tag=1 bytes=8
END
}
early=--noise=const:-6us@1 # the message arrives at 3.2 us
for from in any=source from=1; do
    take "Iprobe, $from" 2 < <(polls $from)
    is "the third finds it: what comes after it takes no time" "$(delay 0 $early --polling=work)" -28
    is "... one early, one saved" "$(chosen followed tests_early tests_saved -- $early)" \
        "$([ $from = from=1 ] && echo 4 || echo 5) 1 1"
    is "... with the computation between them" "$(delay 0 $early --polling=wait)" \
        "$(awk 'BEGIN { print 4012 - 10015 }')"
    is "... kept: nothing" "$(delay 0 $early --without=choice)" 0
    is "one that would find nothing waits" "$(delay 0 --noise=const:5.385us@1)" \
        "$(awk 'BEGIN { print 9200 + 5385 - 10015 }')"
done
take "Improbe" 2 < <(polls any=source |
    sed 's/Iprobe/Improbe/; s/Recv/Mrecv/; /found=0/!s/bytes=8.*/& message=1/; /Send/s/ message=1//')
is "... likewise" "$(delay 0 $early --polling=work) $(chosen tests_early tests_saved -- $early)" "-28 1 1"
take "what an Iprobe finds early is received by another call" 3 <<'END'
1 9000 9100 Send comm=0 to=0 tag=1 bytes=8
2 9200 9300 Send comm=0 to=0 tag=1 bytes=8
0 4000 4012 Iprobe comm=0 any=source tag=1 found=0
0 5000 9200 Recv comm=0 from=1 tag=1 bytes=8 any=source
0 9300 9313 Iprobe comm=0 any=source tag=1 found=0
0 10000 10015 Iprobe comm=0 from=2 tag=1 bytes=8 any=source
0 10100 10120 Recv comm=0 from=2 tag=1 bytes=8
END
# rank 1's is there for the Recv, 5020 is when that ends; rank 2's at 9400
is "it is not there for the next" \
    "$(chosen tests_early tests_saved picks_changed redone -- $early) $(delay 0 $early)" \
    "1 0 0 0 $(awk 'BEGIN { print 9400 - 10015 }')"

# ---- output about choices ----
take "an answer to the first" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 any=source request=1
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Wait requests=1
0 5500 5510 Send comm=0 to=1 tag=2 bytes=8
1 5500 5710 Recv comm=0 from=0 tag=2 bytes=8
0 8200 9200 Recv comm=0 from=2 tag=1 bytes=8 any=source
END
# a Recv of a message that has already arrived takes 210 ns
is "4.5 us late: it goes to the first all the same, and is counted" \
    "$(delay 0 --noise=const:4.5us@1) $(chosen answers redone -- --noise=const:4.5us@1)" \
    "$(awk 'BEGIN { print 8200 + 4000 + 210 - 9200 }') 1 0"
is "4.702 us late: it would be there before what it answers has left: the traced order" \
    "$(delay 0 --noise=const:4.702us@1) $(chosen picks_changed answers redone -- \
        --noise=const:4.702us@1)" "$(awk 'BEGIN { print 8200 + 4702 + 210 - 9200 }') 0 0 1"

take "an answer to what a probe found instead" 3 <<'END'
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Mprobe comm=0 from=1 tag=1 bytes=8 any=source message=3
0 8200 9200 Recv comm=0 from=2 tag=1 bytes=8 any=source
0 9500 9510 Send comm=0 to=2 tag=2 bytes=8
2 9500 9710 Recv comm=0 from=0 tag=2 bytes=8
0 9800 9810 Mrecv comm=0 from=1 tag=1 bytes=8 message=3
END
# rank 2's message is found at 9.2 us, and received after the Send; rank 1's is by the Recv
is "4.5 us late: counted" \
    "$(delay 0 --noise=const:4.5us@1) $(chosen answers redone -- --noise=const:4.5us@1)" \
    "$(awk 'BEGIN { print 8200 + 4000 + 210 - 9200 }') 1 0"

# ---- lanes are independent of each other ----
calls 4 < <(stream) >t.txt
is "40 replicas at a time, or one by one" "$(runs --replicas=40)" \
    "$(for k in $(seq 0 39); do runs --replicas=1 --replicas=first="$k"; done)"
like "... of which most choose" "$(chosen picks_changed -- --noise=exp:4us --replicas=40)" "[1-9]??*"
# ---- memory for pending messages, and counts ----
kept() { "$mpgsim" --json "$@" t.txt | sed -n 's/.*"receives_kept": \([0-9]*\),/\1/p'; }
waits=${sends/ Send/ Ssend}
take "a message that waits for its receiver, and two that do not" 4 < <(
    echo "${waits/49910/50200}"
    echo "0 1300 50100 Recv comm=0 from=1 tag=1 bytes=8 any=source
0 58100 58110 Recv comm=0 from=2 tag=1 bytes=8 any=source
0 66110 66120 Recv comm=0 from=3 tag=1 bytes=8 any=source")
is "is counted, and keeps its receive" "$(kept) $(chosen followed_receives picks_changed -- --noise=const:4us@1)" "1 2 0"
is "... which others do not take" "$(delay 0 --noise=const:4.385us@1)" 4385
is "... all, where every message does" "$(kept --eager-limit=-1)" 3
like "the answer says so" "$("$mpgsim" t.txt)" "*kept *1 receive or probe from any source keeps its recorded sender*"
is "... not if that was asked for" "$("$mpgsim" --without=choice t.txt | grep -c ' kept ')" 0
take "receives of two threads" 4 <<<"$sends
0 1300 50100 Recv comm=0 from=1 tag=1 bytes=8 any=source
0.1 2000 50950 Recv comm=0 from=2 tag=1 bytes=8 any=source
0 58100 58110 Recv comm=0 from=3 tag=1 bytes=8 any=source"
is "are counted, and keep what they took" "$(kept) $(delay 0 --noise=const:4.385us@1)" "3 4385"

# ---- messages that arrived in another order than they are received ----
#
# The second receive takes rank 3's message of 79000, although rank 2's of 50900 has arrived too.
for what in Recv "Probe and Recv"; do
    take "$what: the later one first" 4 < <(
        echo "${sends/3 51900 51910/3 79000 79010}"
        echo "0 1300 50100 Recv comm=0 from=1 tag=1 bytes=8 any=source"
        if [ "$what" = Recv ]; then
            echo "0 80000 80020 Recv comm=0 from=3 tag=1 bytes=8 any=source"
        else
            echo "0 80000 80005 Probe comm=0 from=3 tag=1 bytes=8 any=source"
            echo "0 80010 80030 Recv comm=0 from=3 tag=1 bytes=8"
        fi
        echo "0 90000 90020 Recv comm=0 from=2 tag=1 bytes=8 any=source")
    both=(--noise=const:5us@3 --noise=const:3us@2)
    is "... the earlier one is not taken to have come after it: both late, the later one for the call, it is there" \
        "$(delay 0 "${both[@]}") $(chosen picks_changed -- "${both[@]}")" "0 2"
    is "... 40 us late: it is waited for" "$(delay 0 --noise=const:40us@2)" "$((50900 + 40000 + 200 - 90020))"
    is "... the later one 5 us late: they change places" \
        "$(delay 0 --noise=const:5us@3) $(chosen picks_changed -- --noise=const:5us@3)" "0 2"
done
done_testing
