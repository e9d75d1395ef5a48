#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Waitsome and Testsome complete as many requests as in the trace, and all that have arrived by then;
# Testall completes all requests or none; messages of one channel keep their order
# (TAP): closed forms of docs/MODEL.md, section 6, by hand, and the identity. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"
. "$here/choosing.sh"

# ---- requests that all complete ----
for call in Waitsome Testsome; do
    take "$call of two that arrived at 5 and 6 us, and 6 us of work" 4 <<END
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1130 1140 Isend comm=0 to=3 tag=7 bytes=8 request=9
3 1200 1500 Recv comm=0 from=0 tag=7 bytes=8
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8
2 5800 5810 Send comm=0 to=0 tag=1 bytes=8
0 10000 10010 $call requests=1,2 done=1,2
0 16010 16020 Waitall requests=9
END
    is "one 4.999 us late: in time" "$(delay 0 --noise=const:4.999us@1)" 0
    is "9.385 us late, at 14.385: waited for, as nothing else can be completed" \
        "$(delay 0 --noise=const:9.385us@1) $(chosen followed -- --noise=const:9.385us@1)" "4375 "
done

# ---- more completed requests than in the trace ----
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
#
# The second test takes place 1 ns before all messages have arrived: 2 at 7.2, 1 at 9.2 us. A send is complete.
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
    "$(delay 0 --noise=const:-1.201us@1 --polling=work) $(chosen tests_early tests_saved -- --noise=const:-1.201us@1)" \
    "$((-13 - 14)) 1 1"
is "... by 1.198 us: the fourth" \
    "$(delay 0 --noise=const:-1.198us@1 --polling=work) $(chosen tests_early tests_saved -- --noise=const:-1.198us@1)" \
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

# ---- several messages of one channel ----
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
