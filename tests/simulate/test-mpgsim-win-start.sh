#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim with hypotheses (TAP): MPI_Win_start that waits for MPI_Win_post, where the trace shows it; by hand. docs/PROGRESS.md,
# MPI_Win_start that waits.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/hypotheses.sh"

window=("#clocks shared" "#comm 0 = 0 1" "#window 0 = 0 0")
less=(--hypothesis="scale solve factor=0.385") # of 1800 ns 1107 less
starts() {
    "$mpgsim" "$@" | awk '$1 == "starts" { sub(/^ *starts */, ""); print }'
}

# Rank 0 waits in Win_start until rank 1, after 1800 ns of work, posts.
waits() { # FIRST LAST
    for ((k = $1; k <= $2; k++)); do
        echo "0 ${k}1000 ${k}3010 Win_start win=0 group=1"
        echo "0 ${k}3100 ${k}3110 Win_complete win=0"
        printf '1 %d1100 %d1100 Region_begin name="solve"\n1 %d2900 %d2900 Region_end name="solve"\n' $k $k $k $k
        echo "1 ${k}3000 ${k}3010 Win_post win=0 group=0"
        echo "1 ${k}3050 ${k}3130 Win_wait win=0"
    done
}
ready() { # K: rank 1 has posted
    printf '1 %d1000 %d1010 Win_post win=0 group=0\n0 %d1500 %d1511 Win_start win=0 group=1\n' $1 $1 $1 $1
    printf '0 %d1600 %d1610 Win_complete win=0\n1 %d1650 %d1660 Win_wait win=0\n' $1 $1 $1 $1
}
left() { # K: it is Win_complete that waits
    waits $1 $1 | sed "s/$1""3010 Win_start/$1""1012 Win_start/; s/$1""3100 \(.*\) Win_complete/$1""1200 \1 Win_complete/"
}

{ waits 1 2; ready 3; } | calls 2 "${window[@]}" >two.txt
is "the trace shows that Win_start waits for Win_post" "$(starts "${less[@]}" two.txt)" \
    "MPI_Win_start, not MPI_Win_complete, waits for MPI_Win_post (shown by the trace)"
is "... it ends sooner where that does" "$(clocked "${less[@]}" two.txt)" "-2214 -2214"
is "... later" "$(clocked --hypothesis='scale solve factor=2' two.txt)" "3600 3600"
is "... in JSON" "$("$mpgsim" --json "${less[@]}" two.txt | grep -c '"starts_wait": true')" 1
is "... not where that is not wanted" "$(clocked --without=weak-progress "${less[@]}" two.txt) $(starts --without=weak-progress "${less[@]}" two.txt)" "0 0 "
is "... nor where times are not compared" "$(starts --absorb=wait "${less[@]}" two.txt)" ""
is "... nor without hypotheses" "$(starts --noise=const:1us two.txt)$("$mpgsim" --json --noise=const:1us two.txt | grep -c starts_wait)" 0
# Post leaves at 11793 ns and is there 7 later. 90 to Complete, which takes 10; in the next round Post leaves 20660, Complete is
# over at 20767. Then nobody waits: 8390 + 89 + 10 + 968390 of rank 0. Of rank 1 the first wait ends at 11897, the second at 20764.
is "predicted, it ends when Post comes" "$(runs "${less[@]}" two.txt)" "997646 997624"
is "what a Win_complete ends is dropped, its Win_start, too" "$(clocked --hypothesis='drop call=Win_complete' two.txt)" \
    "$((-2 * 2010 - 11 - 3 * 10)) $((-3 * 10 - 2 * 80 - 10))"
is "... predicted" "$(runs --hypothesis='drop call=Win_complete' two.txt)" \
    "$((999900 - 2 * 2010 - 11 - 3 * 10)) $((999900 - 3 * 10 - 2 * 80 - 10))"

{ waits 1 1; ready 3; } | calls 2 "${window[@]}" >one.txt
is "one that waited shows nothing" "$(starts "${less[@]}" one.txt)" ""
{ waits 1 2; left 3; } | calls 2 "${window[@]}" >mixed.txt
is "nor do two, where another left" "$(starts "${less[@]}" mixed.txt)" ""
is "... then Win_complete waits, and starts take what they took" "$(clocked "${less[@]}" mixed.txt)" "-1107 -1107"
{ waits 1 10; left 11; } | calls 2 "${window[@]}" >most.txt
is "of eleven one may have left: for that Win_complete waits" "$(clocked "${less[@]}" most.txt)" \
    "$((-11 * 1107)) $((-11 * 1107))"

# Rank 2 posts at once, before rank 0 starts: that waits for rank 1, and what Complete tells comes sooner to both.
{ waits 1 2; ready 3; } | sed 's/group=1/group=1,2/' | awk '{ print }
    / Win_post / { k = int($2 / 10000); print 2, k * 10000 + 900, k * 10000 + 910, "Win_post win=0 group=0"
                   print 2, k * 10000 + 950, k * 10000 + (k < 3 ? 3140 : 1670), "Win_wait win=0" }' |
    calls 3 "#clocks shared" "#comm 0 = 0 1 2" "#window 0 = 0 0" >three.txt
is "of several Posts the last" "$(clocked "${less[@]}" three.txt)" "-2214 -2214 -2214"

# --- a call takes no more of its own than a microsecond, where all of its class waited ---

waits 1 2 | calls 2 "${window[@]}" >all.txt
# Of Post's flights of 10 ns and Complete's of 30 the usual one is 10: 20 of the latter are slack.
is "where all waited a Win_start is done after 1 us" "$(clocked "${less[@]}" all.txt)" \
    "$((-2 * (2010 - 1000))) $((-2 * (2010 - 1000) - 20))"

# --- what else calls on windows wait for stays, and is said ---

# Rank 0's Accumulate takes 3000 ns, until rank 1 has worked and is in its fence.
cat >transfer.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
#window 0 = 0 0
0 0 100 Init
0 200 300 Win_create comm=0 win=0
0 400 500 Win_fence win=0
0 1700 4700 Accumulate to=1 bytes=8 win=0
0 4800 5000 Win_fence win=0
0 6000 6100 Finalize
1 0 100 Init
1 200 300 Win_create comm=0 win=0
1 400 500 Win_fence win=0
1 600 600 Region_begin name="solve"
1 4600 4600 Region_end name="solve"
1 4690 5000 Win_fence win=0
1 6000 6100 Finalize
T
windows() {
    "$mpgsim" "$@" | awk '$1 == "windows" { print $7, $8 }'
}
is "how long transfers took is said" "$(windows "${less[@]}" transfer.txt)" "took 3"
is "... not without hypotheses" "$(windows transfer.txt)" ""
sed 's/^0 1700 4700/0 1700 1711/' transfer.txt >short.txt
is "... nor where that is little" "$(windows "${less[@]}" short.txt)" ""
done_testing
