#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim with hypotheses (TAP): one-sided transfers and nonblocking collectives that progress only inside MPI calls; by hand. docs/PROGRESS.md, Target-side progress and Weak progress of nonblocking collectives.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/hypotheses.sh"

less=(--hypothesis="scale solve factor=0.385") # 1107 ns less than 1800 ns
more=(--hypothesis="scale solve factor=2")     # 1800 more
assumed() { # TOPIC ARGUMENTS...
    "$mpgsim" "${@:2}" | awk -v topic="$1" '/^$/ { is = 0 } is && $1 == topic { sub(/ *[^ ]+ */, ""); print } /^Assumed/ { is = 1 }'
}
waiting="some one-sided transfers complete only once their target is inside MPI:"

# --- one-sided transfers ---

# Rank 0's transfer, or what completes it, ends once rank 1, which has worked, comes to a receive of rank 2's message.
target() { # FIRST LAST
    for ((k = $1; k <= $2; k++)); do
        printf '1 %d1100 %d1100 Region_begin name="solve"\n1 %d2900 %d2900 Region_end name="solve"\n' $k $k $k $k
        printf '1 %d3000 %d6000 Recv from=2 bytes=8\n2 %d5950 %d5960 Send to=1 bytes=8\n' $k $k $k $k
    done
}
fetches() { # FIRST LAST
    for ((k = $1; k <= $2; k++)); do
        echo "0 ${k}1000 ${k}3010 Fetch_and_op win=0 to=1 bytes=8 recvbytes=8"
    done
    target "$@"
}
accumulates() { # FIRST LAST
    for ((k = $1; k <= $2; k++)); do
        printf '0 %d1000 %d1010 Accumulate win=0 to=1 bytes=8\n0 %d1100 %d3010 Win_flush win=0 to=1\n' $k $k $k $k
    done
    target "$@"
}
three() {
    calls 3 "#clocks shared" "#comm 0 = 0 1 2" "#window 0 = 0 0"
}
fetches 1 2 | three >fetch.txt
is "the trace shows which transfers wait for their target" "$(assumed served "${less[@]}" fetch.txt)" \
    "$waiting MPI_Fetch_and_op of 16 bytes (shown by the trace)"
is "... it comes sooner, and they end" "$(clocked "${less[@]}" fetch.txt)" "-1107 0 0"
is "... later" "$(clocked "${more[@]}" fetch.txt)" "1800 0 0"
# Rank 0 begins at 10900 ns, and rank 1 comes at 12900 - 1107. 7990 later rank 0 begins again; rank 1 got rank 2's message at 15857,
# and comes 5100 + 1800 - 1107 + 100 later. Then rank 0 has 976990 left.
is "... predicted" "$(runs "${less[@]}" fetch.txt | cut -d' ' -f1)" $((15857 + 5893 + 976990))
is "... not where that is not wanted" "$(assumed served --without=weak-progress "${less[@]}" fetch.txt) $(clocked --without=weak-progress "${less[@]}" fetch.txt)" \
    " 0 0 0"
is "... nor without hypotheses" "$(assumed served --noise=const:1us fetch.txt)" ""
fetches 1 1 | three >once.txt
is "one that waited shows nothing" "$(assumed served "${less[@]}" once.txt)" ""
{ fetches 1 2; fetches 3 3 | sed 's/33010 Fetch/31020 Fetch/'; } | three >left.txt
is "nor do two, where another left" "$(assumed served "${less[@]}" left.txt)" ""
is "... in JSON" "$("$mpgsim" --json "${less[@]}" fetch.txt | "$python" -c '
import json, sys
print(json.load(sys.stdin)["options"]["served_transfers"])')" \
    "[{'call': 'Fetch_and_op', 'bytes': 16, 'starting': True, 'completing': False}]"

accumulates 1 2 | three >flush.txt
is "what completes them may wait instead" "$(assumed served "${less[@]}" flush.txt) $(clocked "${less[@]}" flush.txt)" \
    "$waiting MPI_Accumulate of 8 bytes, at the completing call (shown by the trace) -1107 0 0"
# Rank 1 sees to nothing where it waits for a Rput of its own, but does as it starts a Raccumulate: from then on rank 0 waits for
# nothing that is known, and 1050 ns are before the region.
own() { # NAME
    fetches 1 2
    for k in 1 2; do
        printf '1 %d1050 %d1060 %s win=0 to=2 bytes=8 request=%d\n1 %d1070 %d1080 Wait requests=%d\n' $k $k "$1" $k $k $k $k
    done
}
sorted() { # by rank and time
    sort -k1,1n -k2,2n -s
}
own Rput | sorted | three >rput.txt
is "a target that completes its own transfers sees to no other" "$(clocked "${less[@]}" rput.txt)" "-1107 0 0"
own Raccumulate | sorted | three >own.txt
is "... one that combines does" "$(clocked "${less[@]}" own.txt)" "0 0 0"

# Rank 0 accumulates to rank 1 and to rank 2, whose receive begins at k3005, and waits for both.
{
    accumulates 1 2 | sed -E 's/Win_flush win=0 to=1/Win_flush_all win=0/'
    for k in 1 2; do
        printf '0 %d0900 %d0910 Send to=2 tag=9 bytes=8\n0 %d1020 %d1030 Accumulate win=0 to=2 bytes=8\n' $k $k $k $k
        printf '2 %d3005 %d3050 Recv from=0 tag=9 bytes=8\n' $k $k
    done
} | sorted | three >both.txt
# Rank 2's is as it was, 5 ns before the end, which is the least slack: rank 1's 10 lose half of that.
is "of two targets the one that comes last" "$(clocked "${less[@]}" both.txt) $(clocked "${more[@]}" both.txt)" "0 0 0 1792.5 0 0"

# --- nonblocking collectives ---

# A broadcast from rank 0, that goes on from rank 2 to rank 3 when rank 2 comes to its Wait after its region; rank 1
# comes to its own last, so that it is no chain.
for ((k = 1; k <= 2; k++)); do
    echo "0 ${k}0200 ${k}0210 Ibcast root=0 bytes=8 request=$k"
    for r in 1 2 3; do
        echo "$r ${k}1000 ${k}1010 Ibcast root=0 bytes=8 request=$k"
    done
    printf '0 %d0300 %d0310 Wait requests=%d\n1 %d3500 %d3520 Wait requests=%d\n' $k $k $k $k $k $k
    printf '2 %d1100 %d1100 Region_begin name="solve"\n2 %d2900 %d2900 Region_end name="solve"\n' $k $k $k $k
    printf '2 %d3000 %d3010 Wait requests=%d\n3 %d1100 %d3020 Wait requests=%d\n' $k $k $k $k $k $k
done | sorted | calls 4 "#clocks shared" >bcast.txt
like "a tree goes on where its middle is in a call" "$(assumed nonblocking "${less[@]}" bcast.txt)" \
    "*: Ibcast of 4 members, 8 bytes: binomial; *"
is "... each time 1107 ns sooner" "$(clocked "${less[@]}" bcast.txt)" "0 0 -2214 -2214"
is "... later" "$(clocked "${more[@]}" bcast.txt)" "0 0 3600 3600"
# Posts take their 10 ns, Waits what they wait. Rank 2 comes 1107 ns sooner each time and has the message; rank 3 follows it.
is "... predicted" "$(runs "${less[@]}" bcast.txt)" \
    "$((999900 - 2 * 10)) $((999900 - 2 * 20)) $((999900 - 2 * 1117)) $((999900 - 2 * 1117 - 10))"
is "... not with --without=weak-progress" "$(assumed nonblocking --without=weak-progress "${more[@]}" bcast.txt)" ""
# --- ranks of several threads ---

# The target's second thread comes to the receive; its first one has nothing to do meanwhile.
sed -E 's/^1 ([0-9]+ [0-9]+ (Region|Recv))/1.1 \1/' fetch.txt >seen.txt
is "a target's calls are those of all its threads" \
    "$(assumed served "${less[@]}" seen.txt) $(clocked "${less[@]}" seen.txt)" \
    "$waiting MPI_Fetch_and_op of 16 bytes (shown by the trace) -1107 0 0"
# Here the target of the transfer has only one thread.
sed -E 's/^0 ([0-9]+ [0-9]+ Fetch)/0.1 \1/' fetch.txt >two.txt
is "a caller of several threads does not wait so" "$(assumed served "${less[@]}" two.txt) $(clocked "${less[@]}" two.txt)" " 0 0 0"
sed -E 's/^2 ([0-9]+ [0-9]+ (Region|Wait|Ibcast))/2.1 \1/' bcast.txt >middle.txt
# A rank ends with its last thread; its first one is unchanged.
is "a tree goes on where a thread of its middle is in a call" "$(clocked "${less[@]}" middle.txt) $(clocked "${more[@]}" middle.txt)" \
    "0 0 0 -2214 0 0 3600 3600"
sed -E 's/^3 ([0-9]+ [0-9]+ (Wait|Ibcast))/3.1 \1/' bcast.txt >leaf.txt
is "... and a thread may wait for it" "$(clocked "${more[@]}" leaf.txt)" "0 0 3600 3600"
threads() { # TRACE OPTION...
    "$mpgsim" --json "${@:2}" "$1" | "$python" -c '
import json, sys
print(*(a["text"].partition(":")[0] for a in json.load(sys.stdin)["attention"] if a["topic"] == "threads"))'
}
beside="1 beside those that called MPI_Init"
is "the answer says what threads wait for each other" "$(threads seen.txt "${less[@]}")" "$beside"
is "... in predict mode, too" "$(threads seen.txt --predict --latency=const:7ns "${less[@]}")" "$beside"
is "... not of ranks of one" "$(threads fetch.txt "${less[@]}")" ""
is "... nor without hypotheses" "$(threads seen.txt)" ""
is "... or where they are about messages alone" "$(threads seen.txt --hypothesis='drop call=Send')" ""
done_testing
