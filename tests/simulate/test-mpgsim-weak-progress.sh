#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim with hypotheses (TAP): weak progress of sends (a send is complete once its receiver is inside MPI), and collectives
# expanded into their messages; by hand. docs/MODEL.md, section 10.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/hypotheses.sh"

less=(--hypothesis="scale solve factor=0.385") # 1107 ns less than 1800 ns, 2337 ns less than 3800 ns
carried() {
    "$mpgsim" "$@" | awk '$1 == "progress" { sub(/.*is inside MPI: /, ""); print }'
}

# solve ROUND: prints rank 1's work from 1100 to 2900 ns of a round.
solve() {
    printf '1 %d1100 %d1100 Region_begin name="solve"\n1 %d2900 %d2900 Region_end name="solve"\n' "$1" "$1" "$1" "$1"
}

# --- blocking sends ---

# Rank 0's sends end once rank 1 comes to a receive of rank 2's message, before their own receives are posted.
rounds() { # BYTES ROUNDS: prints the rounds' calls
    for ((k = 1; k <= $2; k++)); do
        echo "0 ${k}1000 ${k}3010 Send to=1 bytes=$1"
        solve $k
        echo "1 ${k}3000 ${k}6000 Recv from=2 bytes=8"
        echo "1 ${k}6100 ${k}6200 Recv from=0 bytes=$1"
        echo "2 ${k}5950 ${k}5960 Send to=1 bytes=8"
    done
}
rounds 300 2 | calls 3 "#clocks shared" >two.txt
is "the trace shows which blocking sends are carried" "$(carried "${less[@]}" two.txt)" \
    "blocking sends of more than 299 bytes (shown by the trace)"
is "... they end with who carries them" "$(clocked "${less[@]}" two.txt)" "-1107 0 0"
is "... not where that is not wanted" "$(clocked --without=weak-progress "${less[@]}" two.txt)" "0 0 0"
is "... nor for whom times are not compared" "$(carried --absorb=wait "${less[@]}" two.txt)" ""
is "... nor without hypotheses" "$(carried --noise=const:1us two.txt)" ""
# Rank 1 has a second thread, which calls MPI after the round.
{
    rounds 300 2
    printf '1.1 %d6300 %d7000 Send to=2 tag=5 bytes=8\n' 1 1 2 2
    printf '2 30000 30010 Recv from=1 tag=5 bytes=8\n2 30100 30110 Recv from=1 tag=5 bytes=8\n'
} | sort -k1,1 -k2,2n -s | calls 3 "#clocks shared" >threads.txt
is "a receiver of several threads, too" "$(carried "${less[@]}" threads.txt) $(clocked "${less[@]}" threads.txt)" \
    "blocking sends of more than 299 bytes (shown by the trace) -1107 0 0"
rounds 300 1 | calls 3 "#clocks shared" >one.txt
is "one that waited shows nothing" "$(carried "${less[@]}" one.txt)" ""
sed 's/^0 11000 13010/0 11000 12000/' two.txt >left.txt
is "nor do two, of which one left" "$(carried "${less[@]}" left.txt)" ""
# The same of ranks 1 to 3, done before rank 0, whose first event is time 0, begins.
rounds 300 2 | awk '{ $1++; sub("to=1", "to=2"); sub("from=2", "from=3"); sub("from=0", "from=1"); print }' |
    calls 4 "#clocks shared" | sed 's/^0 .* Init$/0 500000 500010 Init/' >before.txt
is "... though that be before rank 0 begins" "$(grep -c '^0 500000 500010 Init' before.txt) $(clocked "${less[@]}" before.txt)" "1 0 -1107 0 0"
later=(--hypothesis="scale solve factor=2") # 1800 ns more
is "who carries comes later, and so do they" "$(clocked "${later[@]}" two.txt)" "1800 0 0"
# Times from the end of MPI_Init, ns. Rank 0's first send ends when rank 1 enters its receive, at 12900 - 1107 = 11793. Rank 0
# sends again 7990 later. Rank 1 gets rank 2's message at 15857, computes for 100 + 6800 - 1107, and enters its next receive at
# 21650, when rank 0's second send ends. Rank 0 then computes for 976990. Without weak progress a send takes its traced 2010.
is "predicted, they end when it comes" "$(runs "${less[@]}" two.txt | cut -d' ' -f1)" 998640
is "... else as they did" "$(runs --without=weak-progress "${less[@]}" two.txt | cut -d' ' -f1)" 999900

# --- what the trace does not show clearly ---

said() { # TOPIC ARGUMENTS...: prints the lines of "Attention" about TOPIC
    "$mpgsim" "${@:2}" | sed -n '/^Attention/,/^$/p' | awk -v topic="$1" '$1 == topic'
}
assumed() { # TOPIC ARGUMENTS...: prints the lines of "Assumed" about TOPIC
    "$mpgsim" "${@:2}" | sed -n '/^Assumed/,/^$/p' | awk -v topic="$1" '$1 == topic { sub(/ *[^ ]+ */, ""); print }'
}
# Of four sends of 300 bytes three wait 2000 ns, of some 3 ms of all ranks' runs; one leaves 1000 ns before rank 1 comes.
rounds 300 4 | sed 's/^0 41000 43010/0 41000 42000/' | calls 3 "#clocks shared" >mixed.txt
is "many waited, and too many did not: not said where that is little" "$(said sends "${less[@]}" mixed.txt)" ""
# The same with a shorter run after the rounds.
sed -E 's/ 1000000 / 60000 /; s/ 1000001?0? Finalize/ 60010 Finalize/' mixed.txt >brief.txt
like "... said where it is more" "$(said sends "${less[@]}" brief.txt)" "*3 sends waited until their receiver was inside MPI (6 us, *"
is "... not where all of a size wait" "$(said sends "${less[@]}" two.txt)" ""
is "... nor with --without=weak-progress" "$(said sends --without=weak-progress "${less[@]}" brief.txt)" ""
is "... nor predicted" "$(said sends --predict --latency=const:7ns "${less[@]}" brief.txt)" ""

# Two ranks post a nonblocking barrier, rank 1 at k1800 ns; rank 0 is in its Wait from k1200 to k5810, until rank 1, after work,
# is in its own: of that 4010 ns are beyond what was posted, and of rank 1's 30. Four times of 60010 ns of two ranks.
posted() { # POST: of rank 1
    for ((k = 1; k <= 4; k++)); do
        printf '0 %d1000 %d1010 Ibarrier request=1\n0 %d1200 %d5810 Wait requests=1\n' $k $k $k $k
        {
            printf '1 %d%d %d%d Ibarrier request=1\n1 %d5800 %d5830 Wait requests=1\n' $k "$1" $k $(($1 + 5)) $k $k
            printf '1 %d1900 %d1900 Region_begin name="solve"\n1 %d5700 %d5700 Region_end name="solve"\n' $k $k $k $k
        } | sort -k2,2n -s
    done | calls 2 "#clocks shared" | sed -E 's/ 1000000 / 60000 /; s/ 1000001?0? Finalize/ 60010 Finalize/'
}
posted 1800 >posted.txt
is "a nonblocking barrier goes on when its members are in calls, each time 3800 - 1463 ns earlier" \
    "$(clocked "${less[@]}" posted.txt) $(said collectives "${less[@]}" posted.txt)" "-9348 -9348 "
is "... which is said" "$(assumed nonblocking "${less[@]}" posted.txt)" "nonblocking collectives progress only inside their members' MPI calls, by the \
algorithm that fits the trace best: Ibarrier of 2 members, 0 bytes: dissemination, sends also wait for progress; others by the table of algorithms"
is "... not where that is not wanted" "$(assumed nonblocking --without=weak-progress "${less[@]}" posted.txt)" ""
# Both ranks stay in their Wait for 2000 ns more, which no call explains: 2010 ns and 2030 ns of each.
sed -E 's/ (.)5810 Wait/ \17810 Wait/; s/ (.)5830 Wait/ \17830 Wait/' posted.txt >both.txt
like "nonblocking collectives that end after all calls that they wait for are said" "$(said collectives "${less[@]}" both.txt)" \
    "*nonblocking collectives still took 16.16 us, all together,*--predict is the better question"
like "... predicted, too" "$(said collectives --predict --latency=const:7ns "${less[@]}" both.txt)" \
    "*nonblocking collectives still took 16.16 us, all together,*The prediction has no such time:*"
sed 's/^#clocks shared/&\n#comm 0 = 0 1\n#topology 0 0 = 1 > 1\n#topology 1 0 = 0 > 0/; s/Ibarrier/Ineighbor_allgather bytes=8/' posted.txt >near.txt
like "... those of neighbours, too" "$(said collectives "${less[@]}" near.txt)" "*nonblocking collectives still took 16.16 us, all together,*"
# Posted at k5790: 20 ns and 30 are beyond that, of 120 us.
posted 5790 >late.txt
is "... not what waits for who posts last" "$(said collectives "${less[@]}" late.txt) $(clocked "${less[@]}" late.txt)" \
    " -9348 -9348"

byte=(--source=byte=0.25ns)
is "resized to what waits in the trace: nothing" "$(said resized "${byte[@]}" --hypothesis="resize from=0 bytes=300" two.txt)" ""
is "... to more" "$(said resized "${byte[@]}" --hypothesis="resize from=0 bytes=4711" two.txt)" ""
for mode in "${byte[*]}" "--predict --latency=const:7ns"; do
    # shellcheck disable=SC2086  # words are several
    like "... to less: it waits as before, which is said (${mode%% *})" \
        "$(said resized $mode --hypothesis="resize from=0 bytes=299" two.txt)" "*2 of the resized messages wait for a call*"
    # shellcheck disable=SC2086
    like "... to more than what left: it is done at once, which is said (${mode%% *})" \
        "$(said resized $mode --hypothesis="resize from=0 bytes=301" left.txt)" "*2 of the resized messages complete at once*"
done
is "... to more, said to be synchronous" "$(said resized "${byte[@]}" --eager-limit=300 --hypothesis="resize from=0 bytes=301" left.txt)" ""
is "... to less than what left" "$(said resized "${byte[@]}" --hypothesis="resize from=0 bytes=200" left.txt)" ""
is "... with --without=weak-progress" "$(said resized "${byte[@]}" --without=weak-progress --hypothesis="resize from=0 bytes=299" two.txt)" ""

# --- requests ---

for ((k = 1; k <= 2; k++)); do
    echo "0 ${k}1000 ${k}1010 Isend to=1 bytes=9000 request=$k"
    echo "0 ${k}1100 ${k}3010 Wait requests=$k"
    echo "1 ${k}1000 ${k}1010 Irecv from=0 bytes=9000 request=$k"
    solve $k
    echo "1 ${k}3000 ${k}3020 Wait requests=$k"
done | calls 2 "#clocks shared" >requested.txt
is "sends that requests complete are told apart" "$(carried "${less[@]}" requested.txt)" \
    "nonblocking sends of more than 8999 bytes (shown by the trace)"
is "... they end with the receiver's Wait" "$(clocked "${less[@]}" requested.txt)" "-2214 -2214"
# Two rounds more, in which rank 1 is still in a call when rank 0 sends; it posts the receive after that, or before.
busy() { # POST: when, in a round, after 0000 ns
    grep -v 'Init$\|Finalize$\|^#' requested.txt
    for ((k = 3; k <= 4; k++)); do
        echo "0 ${k}0950 ${k}0960 Send to=1 tag=5 bytes=8"
        echo "0 ${k}1000 ${k}1010 Isend to=1 bytes=9000 request=$k"
        echo "0 ${k}1100 ${k}3010 Wait requests=$k"
        {
            echo "1 ${k}0900 ${k}1005 Recv from=0 tag=5 bytes=8"
            echo "1 ${k}$1 ${k}$1 Irecv from=0 bytes=9000 request=$k"
        } | sort -k2,2n
        solve $k
        echo "1 ${k}3000 ${k}3020 Wait requests=$k"
    done
}
busy 1008 | calls 2 "#clocks shared" >before_posted.txt
is "... not with a call before the receive is posted" "$(clocked "${less[@]}" before_posted.txt)" "-4428 -4428"
busy 0800 | calls 2 "#clocks shared" >posted_before.txt
is "... nor with one that was over before the send was" "$(clocked "${less[@]}" posted_before.txt)" "-4428 -4428"
# Rank 1 comes again only when the send is over: the call that it was in may have seen to it.
sed 's/^0 \(.\)1100 \13010 Wait requests=[34]/0 \11100 \12000 Wait requests=\1/' posted_before.txt >over.txt
is "... unless that was the last before its end" "$(grep -c '2000 Wait' over.txt) $(clocked "${less[@]}" over.txt | cut -d' ' -f1)" "2 -2214"
# Blocking sends.
for ((k = 1; k <= 4; k++)); do
    ((k < 3)) || printf '%d %d%s tag=5 bytes=8\n' 0 $k "0950 ${k}0960 Send to=1" 1 $k "0900 ${k}1005 Recv from=0"
    echo "0 ${k}1000 ${k}3010 Send to=1 bytes=300"
    solve $k
    echo "1 ${k}3000 ${k}3020 Recv from=0 bytes=300"
done | calls 2 "#clocks shared" >blocks.txt
is "... of sends that block, too" "$(carried "${less[@]}" blocks.txt) $(clocked "${less[@]}" blocks.txt)" \
    "blocking sends of more than 299 bytes (shown by the trace) -4428 -4428"

# --- collectives with a root ---

printf '#mpgcollectives 1\nreduce 1 0 chain\n' >chain.txt
calls 3 "#clocks shared" >reduce.txt <<'END'
0 1000 5100 Reduce root=0 bytes=8
1 2000 5050 Reduce root=0 bytes=8
2 1100 1100 Region_begin name="solve"
2 4900 4900 Region_end name="solve"
2 5000 5010 Reduce root=0 bytes=8
END
is "with hypotheses who waits in a Reduce for whom is its messages'" \
    "$(clocked --collectives=table=chain.txt "${less[@]}" reduce.txt)" "-2337 -2337 -2337"
is "... as with all expanded" "$(clocked --collectives=expand --collectives=table=chain.txt "${less[@]}" reduce.txt)" \
    "-2337 -2337 -2337"
is "... not if they are to be as measured" "$(clocked --collectives=measured "${less[@]}" reduce.txt | cut -d' ' -f2)" 0
is "... which is said" "$("$mpgsim" "${less[@]}" reduce.txt | grep -c '^  in collectives 1 of 1, with a root or scans')" 1
is "... and what does without" \
    "$("$mpgsim" --hypothesis='resize call=Reduce factor=2' --source=byte=1ns reduce.txt | grep -c 'followed with --predict')" 1
is "... a path leads through them" \
    "$("$mpgsim" --predict --latency=const:7ns --where=path "${less[@]}" reduce.txt | grep -c '^  in collectives 1 of 1, with')" 1
is "... nothing of it without hypotheses" "$("$mpgsim" --noise=const:1us reduce.txt | grep -c 'in collectives')" 0

# Rank 0's sends show that 300 bytes are carried; then it broadcasts them to rank 1, which comes after a region, and before that
# is in a receive of rank 2's message until IN. What rank 1 takes longer rank 0 waits for, if it waits until rank 1 has come.
below() { # IN LEAVE: of rank 0
    rounds 300 2
    echo "0 41000 $2 Bcast comm=1 root=0 bytes=300"
    echo "1 40500 $1 Recv from=2 bytes=8"
    printf '1 43100 43100 Region_begin name="late"\n1 44900 44900 Region_end name="late"\n'
    echo "1 45000 45050 Bcast comm=1 root=0 bytes=300"
    echo "2 40400 40410 Send to=1 bytes=8"
}
broadcast() { # IN LEAVE
    below "$@" | calls 3 "#clocks shared" "#comm 0 = 0 1 2" "#comm 1 = 0 1" >bcast.txt
    clocked --hypothesis="scale late factor=2" bcast.txt
}
is "a root waits for its child, which works when it sends" "$(broadcast 40950 45020)" "1800 1800 0"
is "... not for one that is in another call then" "$(broadcast 43000 41010)" "0 1800 0"
is "... but where the trace shows that it does" "$(broadcast 43000 45020)" "1800 1800 0"
above() { # IN LEAVE: rank 0 sends up to rank 1
    below "$@" | sed 's/Bcast comm=1 root=0/Reduce comm=1 root=1/'
}
reduced() {
    above "$@" | calls 3 "#clocks shared" "#comm 0 = 0 1 2" "#comm 1 = 0 1" >reduce1.txt
    clocked --hypothesis="scale late factor=2" reduce1.txt
}
is "so does who sends up a tree" "$(reduced 40950 45020); $(reduced 43000 41010); $(reduced 43000 45020)" \
    "1800 1800 0; 0 1800 0; 1800 1800 0"

# Rank 0 scatters 400 bytes each by ranks 4 (1600 bytes), 2 (800) and 1. Rank 2 is in a receive until 43000, and its message can
# leave once rank 4 has come, for whose the root waits, carried or synchronous.
printf '#mpgcollectives 1\nscatter 1 0 binomial\n' >binomial.txt
scattered() { # COMES OPTION...: rank 0's delay
    {
        rounds 300 2
        printf '0 41000 47020 %s\n2 40500 43000 Recv from=3 bytes=8\n3 40400 40410 Send to=2 bytes=8\n' "Scatter root=0 bytes=400"
        printf '2 44100 44100 Region_begin name="late"\n2 45900 45900 Region_end name="late"\n'
        for call in "2 46000" "1 47000" "4 $1" "3 44000" "5 44000" "6 44000" "7 44000"; do
            echo "$call 47050 Scatter root=0 bytes=400"
        done
    } | calls 8 "#clocks shared" >scatter.txt
    clocked --collectives=table=binomial.txt "${@:2}" --hypothesis="scale late factor=2" scatter.txt | cut -d' ' -f1
}
is "a root that waited for one child finds the next one out of its call before" \
    "$(scattered 42500) $(scattered 45000) $(scattered 45000 --eager-limit=1000 --source=eager-limit=1000)" "0 800 800"

# --- let go ---

# Rank 0's third send waits for its receive, which comes after one of what rank 0 sends next: let go on, it has its receiver see to
# it all the same, while rank 0 is in a receive that waits for rank 1's 1900 ns more.
{
    rounds 300 2
    printf '0 31000 31100 Send to=1 bytes=5000\n0 31200 31300 Send to=1 tag=9 bytes=8\n0 31400 33600 Recv from=1 bytes=8\n'
    printf '1 31000 31350 Recv from=0 tag=9 bytes=8\n1 31360 31400 Recv from=0 bytes=5000\n'
    printf '1 31500 31500 Region_begin name="late"\n1 33400 33400 Region_end name="late"\n1 33500 33510 Send to=0 bytes=8\n'
} | calls 3 "#clocks shared" >circle.txt
late() { # FACTOR
    runs --lenient --eager-limit=1000 --source=eager-limit=-1 --hypothesis="scale late factor=$1" circle.txt | cut -d' ' -f1
}
is "a call that goes on without its receiver is not told of who carries it" "$(late 2)" "$(($(late 1) + 1900))"

# --- refused options ---

ok "... and asked for with hypotheses" refuses 2 "*--without=weak-progress needs --hypothesis*" --without=weak-progress two.txt
done_testing
