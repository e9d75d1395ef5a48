#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What calls complete with --absorb=wait, by the clock of their own rank (TAP): closed forms of
# docs/MODEL.md, section 6, Without clocks, by hand, and the identity. Program from $MPGSIM.
. "$(dirname "$0")/mpgsim.sh"
. "$here/choosing.sh"

# unclocked NAME RANKS: like take, with clocks of unknown offsets.
unclocked() {
    take "$@"
    awk '/^#clocks/ { next } /^#/ { print; next } { shift = $1 * 98765432
        $2 += shift; $3 += shift; print }' t.txt >u.txt
    mv u.txt t.txt
    is "... by clocks of their own" "$("$mpgsim" --per-rank --source=latency=200ns t.txt |
        awk 'NR > 1 && $3 != 0')" ""
}

unclocked "two requests, each followed by 3 us" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=1,2 done=1
0 8200 9200 Waitany requests=2
END
is "the first 6 us late: the second is taken, when it was complete" \
    "$(delay 0 --noise=const:6us@1) $(chosen followed picks_changed redone -- --noise=const:6us@1)" \
    "4000 1 1 0"
is "... kept: 6 us" "$(delay 0 --noise=const:6us@1 --without=choice)" 6000
is "3.9985 us late: it comes before the second still" "$(delay 0 --noise=const:3.9985us@1)" 3998.5
is "9.385 us late: it comes 2385 ns after the second was worked on" \
    "$(delay 0 --noise=const:9.385us@1)" 5385
is "with --absorb=none nothing is chosen" "$(delay 0 --noise=const:6us@1 --absorb=none)" 6000
like "... which is said" "$("$mpgsim" --absorb=none t.txt)" \
    "*2 calls (*keep the traced message (choosing takes --absorb=clock or wait)*"

# How early the second was there before it was asked for, 58.1 us, is not known.
unclocked "a queue: what arrives at 50, 51, 52 us takes 8 us each" 4 <<'END'
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
is "the first 4 us late: waited for" "$(delay 0 --noise=const:4us@1)" 4000
# at 59.1 us; the second at 58.11
is "9 us late: the second is there at 58.11, 8.01 us later than the first was" \
    "$(delay 0 --noise=const:9us@1) $(chosen picks_changed -- --noise=const:9us@1)" "8010 1"

unclocked "tests that fail, until one does not" 2 <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
1 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 2000 2010 Test requests=1 done=
0 3000 3011 Test requests=1 done=
0 4000 4012 Testall requests=1 done=
0 5000 5013 Testany requests=1 done=
0 6000 6014 Testsome requests=1 done=
0 10000 10015 Test requests=1 done=1
END
is "6 us earlier, at 4.015: the fourth succeeds" \
    "$(delay 0 --noise=const:-6us@1) $(chosen tests_early tests_saved -- --noise=const:-6us@1)" \
    "$((-14 - 15)) 1 1"
is "6.016 us: the third" \
    "$(delay 0 --noise=const:-6.016us@1) $(chosen tests_early tests_saved -- --noise=const:-6.016us@1)" \
    "$((-13 - 14 - 15)) 1 2"

unclocked "an answer to the first" 3 <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
0 1300 5200 Waitany requests=1,2 done=1
0 5500 5510 Send comm=0 to=1 tag=2 bytes=8
1 5500 5710 Recv comm=0 from=0 tag=2 bytes=8
0 8200 9200 Waitany requests=2
END
# Rank 0's answer leaves at 9.5 us and arrives 200 ns later; in the trace rank 1's message had left at 5 us at the latest.
is "4.699 us late: counted" "$(chosen picks_changed answers redone -- --noise=const:4.699us@1)" "1 1 0"
is "4.702 us late: it would be there before what it answers has left: the traced order" \
    "$(delay 0 --noise=const:4.702us@1) $(chosen answers redone -- --noise=const:4.702us@1)" "4702 0 1"
done_testing
