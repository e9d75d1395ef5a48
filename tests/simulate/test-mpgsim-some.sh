#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Waitsome and Testsome complete as many as have arrived, and what follows is worked on in portions;
# Testall completes all or nothing; messages of one channel keep their order
# (TAP): closed forms of docs/MODEL.md, section 6, by hand, and the identity. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"
. "$here/choosing.sh"

# two CALL LINES: CALL completes two that arrived at 5 and 6 us, when it begins at 10; then LINES, and
# something else from 16.01 us on
two() {
    cat <<END
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1130 1140 Isend comm=0 to=3 tag=7 bytes=8 request=9
3 1200 1500 Recv comm=0 from=0 tag=7 bytes=8
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8
2 5800 5810 Send comm=0 to=0 tag=1 bytes=8
0 10000 10010 $1 requests=1,2 done=1,2
$2
0 16010 16020 Waitall requests=9
END
}

# ---- one interval ----
for call in Waitsome Testsome; do
    take "$call of two that lie ready, and 6 us of work" 4 < <(two $call "")
    is "one 4.999 us late: in time" "$(delay 0 --noise=const:4.999us@1)" 0
    is "7.385 us late, at 12.385: while the other is worked on, until 13.01" \
        "$(delay 0 --noise=const:7.385us@1) $(chosen followed picks_changed -- \
            --noise=const:7.385us@1)" "0 1 1"
    is "9.385 us late, at 14.385: it is waited for" "$(delay 0 --noise=const:9.385us@1)" 1375
    is "... kept: before any work" "$(delay 0 --noise=const:9.385us@1 --deterministic)" 4375
    is "both late, at 14.385 and 14.885: the first is" \
        "$(delay 0 --noise=const:9.385us@1 --noise=const:8.885us@2)" 4375
    # it enters at 12 us; 3.25 us of work until 15.26, then it waits until 16.385
    is "work longer by 500 ns, a portion by half of that" \
        "$(delay 0 --noise=const:11.385us@1 --noise=const:500ns@0)" $((1125 + 6 * 500))
done
take "Waitsome once more" 4 < <(two Waitsome "")
is "what a portion waits for is taken over, and 5 us until the call begins, which it absorbs" "$("$mpgsim" --json --source-latency=200ns \
    --noise=const:9.385us@1 t.txt | tr -d '", ' | awk -F: '/^ranks/ { on = 1 }
        on && /^taken_over_ns/ { print $2; exit }')" 6375.0

take "three, all of its list, and 9 us of work" 5 <<'END'
0 1000 1010 Isend comm=0 to=4 tag=7 bytes=8 request=9
4 1200 1500 Recv comm=0 from=0 tag=7 bytes=8
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 request=3
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8
2 4800 4810 Send comm=0 to=0 tag=1 bytes=8
3 4800 4810 Send comm=0 to=0 tag=1 bytes=8
0 10000 10010 Waitsome requests=1,2,3
0 19010 19020 Waitall requests=9
END
# the second portion begins at 20 instead of 13.01 us, the third at 25 instead of 23
is "at 5, 20, 25 us: two of them wait" \
    "$(delay 0 --noise=const:20us@1 --noise=const:15us@2)" $((6990 + 2000))

# ---- portions of calls ----
# told LINES: rank 3 hears of what rank 0 does in LINES
told() {
    printf '3 1600 13220 Recv comm=0 from=0 tag=8 bytes=8\n'
    awk '/^0 .* Send / && n++ > 0 { at = $2 + 210; print 3, (last > 13230 ? last : 13230), at,
        "Recv comm=0 from=0 tag=8 bytes=8"; last = at + 1 }' <<<"$1"
    printf '%s\n' "$1"
}
take "a call each" 4 < <(two Waitsome "$(told "0 13010 13020 Send comm=0 to=3 tag=8 bytes=8
0 16000 16005 Send comm=0 to=3 tag=8 bytes=8")")
is "the second begins after the first's" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 13020))
is "... which goes in time" "$(delay 3 --noise=const:9.385us@1)" $((14385 - 13020))
take "two calls each" 4 < <(two Waitsome "$(told "0 13010 13020 Send comm=0 to=3 tag=8 bytes=8
0 13130 13140 Send comm=0 to=3 tag=8 bytes=8
0 15800 15805 Send comm=0 to=3 tag=8 bytes=8
0 15905 15910 Send comm=0 to=3 tag=8 bytes=8")")
is "the second begins after the first's" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 13140))
take "three calls for two" 4 < <(two Waitsome "$(told "0 13010 13020 Send comm=0 to=3 tag=8 bytes=8
0 15800 15805 Send comm=0 to=3 tag=8 bytes=8
0 15905 15910 Send comm=0 to=3 tag=8 bytes=8")")
is "cannot be divided: the call waits for all" "$(delay 0 --noise=const:9.385us@1)" 4375

take "three calls for two, but all the work before them" 4 < <(two Waitsome "$(told "0 15010 15020 Send comm=0 to=3 tag=8 bytes=8
0 15800 15805 Send comm=0 to=3 tag=8 bytes=8
0 15905 15910 Send comm=0 to=3 tag=8 bytes=8")")
is "it is divided" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 12510))
take "two calls for two, but all the work before them" 4 < <(two Waitsome "$(told "0 15010 15020 Send comm=0 to=3 tag=8 bytes=8
0 15800 15805 Send comm=0 to=3 tag=8 bytes=8")")
is "it is divided" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 12510))

take "a call each, then the work: the next task first" 4 < <(two Waitsome "$(told "0 10110 10120 Send comm=0 to=3 tag=8 bytes=8
0 13110 13120 Send comm=0 to=3 tag=8 bytes=8")")
is "the second begins with its call" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 13110))
is "... and in time if there" "$(delay 0 --noise=const:7.385us@1)" 0
take "a call each, then the work, and more work of its own after the last" 4 < <(two Waitsome "$(told "0 11010 11020 Send comm=0 to=3 tag=8 bytes=8
0 13110 13120 Send comm=0 to=3 tag=8 bytes=8")")
is "the second begins with its call" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 13110))
take "two calls each, then the work" 4 < <(two Waitsome "3 1600 10230 Recv comm=0 from=0 tag=8 bytes=8
3 10231 10250 Recv comm=0 from=0 tag=8 bytes=8
3 10251 13240 Recv comm=0 from=0 tag=8 bytes=8
3 13241 13260 Recv comm=0 from=0 tag=8 bytes=8
0 10020 10030 Send comm=0 to=3 tag=8 bytes=8
0 10040 10050 Send comm=0 to=3 tag=8 bytes=8
0 13030 13040 Send comm=0 to=3 tag=8 bytes=8
0 13050 13060 Send comm=0 to=3 tag=8 bytes=8")
is "the second begins with its first call" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 13030))
take "one call, then all the work" 4 < <(two Waitsome "$(told "0 10020 10030 Send comm=0 to=3 tag=8 bytes=8")")
is "the work is divided" "$(delay 0 --noise=const:9.385us@1)" $((14385 - 13020))
is "... and the call goes before" "$(delay 3 --noise=const:9.385us@1)" 0
take "one call amid the work" 4 < <(two Waitsome "$(told "0 13010 13020 Send comm=0 to=3 tag=8 bytes=8")")
is "cannot be divided: all is waited for" "$(delay 0 --noise=const:9.385us@1)" 4375

# ---- answers ----
take "one call, then all the work, tells the other one" 4 < <(two Waitsome \
    "1 5000 13220 Recv comm=0 from=0 tag=8 bytes=8
0 10020 10030 Send comm=0 to=1 tag=8 bytes=8")
is "which is not there yet: it may have been an answer" \
    "$(delay 0 --noise=const:5.385us@1) $(chosen answers redone -- --noise=const:5.385us@1)" "0 1 0"
# what it is sent would be there at 10.22; it sends at 4.8 us and the noise
is "... 5.425 us late: it would be there before what it answers has left: the traced order" \
    "$(chosen answers redone -- --noise=const:5.425us@1)" "0 1"
is "... or there, in another replica" \
    "$(chosen answers redone -- --noise=const:4.985us@1)" "0 0"
take "what is worked on is answered" 4 < <(two Waitsome \
    "1 5000 13220 Recv comm=0 from=0 tag=8 bytes=8
2 7000 16210 Recv comm=0 from=0 tag=8 bytes=8
0 13010 13020 Send comm=0 to=1 tag=8 bytes=8
0 16000 16005 Send comm=0 to=2 tag=8 bytes=8")
is "the second 9.385 us late: it is answered in its own portion" \
    "$(delay 0 --noise=const:9.385us@2) $(chosen answers redone -- --noise=const:9.385us@2)" \
    "$((15385 - 13020)) 0 0"
is "the first 7.385 us late: it is answered in the first all the same, and counted" \
    "$(delay 0 --noise=const:7.385us@1) $(chosen answers redone -- --noise=const:7.385us@1)" "0 1 0"
# what it is sent would be there at 13.21; it sends at 4.8 us and the noise
is "8.409 us late: just" "$(chosen answers redone -- --noise=const:8.409us@1)" "1 0"
is "8.412 us late: it would be there before what it answers has left: the traced order" \
    "$(chosen answers redone -- --noise=const:8.412us@1)" "0 1"

# ---- more than in the trace ----
take "one after the other" 4 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1130 1140 Isend comm=0 to=3 tag=7 bytes=8 request=9
3 1200 1500 Recv comm=0 from=0 tag=7 bytes=8
0 1150 1160 Waitsome requests=9 done=9
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8
2 9000 9010 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitsome requests=1,2 done=1
0 8200 9300 Waitsome requests=2 done=2
END
# It is entered at 21.3 us, and takes 10 ns: that its message flew longer than usual is nothing of its own; the other
# takes nothing. Of the last, to complete what lies ready takes 10 ns, too.
is "both are there: the second call takes no time" \
    "$(delay 0 --noise=const:4us@0) $(chosen picks_changed tests_saved -- --noise=const:4us@0)" \
    "$((7 * 4000 - 3900 + 10 - 1100)) 1 0"
is "the second just is not: it does" \
    "$(delay 0 --noise=const:4us@0 --noise=const:12.101us@2)" $((7 * 4000 - 3900 + 10 - 1100 + 10))

# ---- all or nothing ----
# The second test comes 1 ns before all have arrived: 2 at 7.2, 1 at 9.2 us. A send is complete.
take "Testall" 3 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1130 1140 Isend comm=0 to=2 tag=7 bytes=8 request=3
2 1200 1500 Recv comm=0 from=0 tag=7 bytes=8
2 7000 7100 Send comm=0 to=0 tag=1 bytes=8
1 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 4000 4010 Testall requests=1,2,3 done=
0 6000 6011 Testall requests=1,2,3 done=
0 8000 8012 Testall requests=3,2,1 done=
0 9199 9212 Testall requests=1,2,3 done=
0 9300 9314 Testall requests=1,2,3
END
is "one of them earlier: nothing" "$(chosen tests_early tests_saved -- --noise=const:-1.5us@2)" "0 0"
is "... the last to come, by 1.201 us: the third succeeds" \
    "$(delay 0 --noise=const:-1.201us@1) $(chosen tests_early tests_saved -- --noise=const:-1.201us@1)" \
    "$((-13 - 14)) 1 1"
is "... by 1.198 us: the fourth" \
    "$(delay 0 --noise=const:-1.198us@1) $(chosen tests_early tests_saved -- --noise=const:-1.198us@1)" \
    "-14 1 0"
is "... by 6 us, to 3.2 us: the third, for the other one comes then" \
    "$(chosen tests_early tests_saved -- --noise=const:-6us@1)" "1 1"
is "... without the computation after it" "$(delay 0 --noise=const:-1.201us@1 --polling=wait)" \
    $((8012 - 9314))
is "a test that would fail waits" "$(delay 0 --noise=const:2.385us@1)" \
    $((9200 + 2385 + 4 - 9314)) # 14 ns are 4 more than the least
take "Testall, and a synchronous send that may not be complete" 3 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1130 1140 Issend comm=0 to=2 tag=7 bytes=8 request=3
2 1200 1500 Recv comm=0 from=0 tag=7 bytes=8
1 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 8000 8012 Testall requests=3,1 done=
0 9300 9314 Testall requests=1,3
END
is "completes what it did" "$(chosen tests_early -- --noise=const:-6us@1)" ""

# ---- messages of one channel ----
take "a long one and a short one behind it; the short one's request comes first in the list" 2 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8000 request=1
0 1110 1120 Irecv comm=0 from=1 tag=1 bytes=8 request=2
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8000
1 4900 4910 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=2,1 done=1
0 8200 8300 Waitany requests=2
END
is "a byte takes 1 ns more: the short one stays behind" \
    "$(delay 0 --byte=const:1ns) $(chosen picks_changed -- --byte=const:1ns)" "8000 0"
sed -i 's/^1 4900 4910 Send comm=0 to=0 tag=1/1 4900 4910 Send comm=0 to=0 tag=2/
    s/^\(0 1110 1120 .*\) tag=1/\1 tag=2/' t.txt
is "... of another tag it does not" "$(chosen picks_changed -- --byte=const:1ns)" 1

take "both behind another one's" 3 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8000 request=1
0 1110 1120 Irecv comm=0 from=1 tag=1 bytes=8 request=2
0 1120 1130 Irecv comm=0 from=2 tag=1 bytes=8 request=3
2 3800 3810 Send comm=0 to=0 tag=1 bytes=8
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8000
1 4900 4910 Send comm=0 to=0 tag=1 bytes=8
0 1300 4200 Waitany requests=3,2,1 done=3
0 7200 7300 Waitany requests=2,1 done=1
0 10300 10310 Waitany requests=2
END
# first 1 comes, at 13 us, and goes by 3; then 2 is there, not 3, that goes by 1
is "the other one 30 us late: of two that come at one time the first sent" \
    "$(chosen picks_changed -- --byte=const:1ns --noise=const:30us@2)" 2
done_testing
