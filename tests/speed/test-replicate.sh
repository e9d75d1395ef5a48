#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# speed_replicate (TAP): copies of a trace are whole traces whose messages match, with the peers of their own copy and one
# communicator of all ranks.
set -u
cd "${top_builddir:?}" || exit 1
. "${top_srcdir:?}/tests/tap.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

replicate() { # COPIES; makes $work/COPIES of $work/one
    rm -rf "${work:?}/$1" && mkdir "$work/$1" && tests/speed/speed_replicate "$work/one" "$1" "$work/$1"
}
cat >"$work/one.txt" <<'TEXT'
#mpgtext 1
#ranks 4
#comm 0 = 0 1 2 3
#comm 1 of 0 = 1 3
#comm 2 of 0 = 3 2 1 0
#clocks shared
#window 0 = 0 0
#window 1 = 1 0
#module 0 = - "app"
#site 0 = 0+0x10
#topology 0 2 = 2 > 2 null
#topology 1 2 = 3 null > 3
#topology 2 2 = > 0
#topology 3 2 = 1 >
0 0 10 Init
0 20 30 Send comm=0 to=3 tag=7 bytes=64 site=0
0 40 60 Scatterv comm=0 root=0 bytes=1,2,3,4
0 70 80 Win_create comm=0 win=0 bytes=64
0 81 82 Win_lock win=0 to=2 exclusive=1
0 83 84 Put win=0 to=2 bytes=8
0 85 86 Win_unlock win=0 to=2
0 87 88 Alltoallv comm=0 bytes=1,0,2,0
0 90 95 Neighbor_allgather comm=2 bytes=3
0 100 110 Finalize
1 0 10 Init
1 20 25 Send_init comm=1 to=1 tag=1 bytes=9 persistent=1
1 26 27 Start persistent=1 request=2
1 28 30 Wait requests=2 done=2
1 40 60 Scatterv comm=0 root=0 bytes=0
1 70 80 Win_create comm=0 win=0 bytes=64
1 87 88 Alltoallv comm=0 bytes=0,3,0,0
1 89 90 Win_create comm=1 win=1 bytes=1
1 90 95 Neighbor_allgather comm=2 bytes=3
1 100 110 Finalize
2 0 10 Init
2 40 60 Scatterv comm=0 root=0 bytes=0
2 70 80 Win_create comm=0 win=0 bytes=64
2 87 88 Alltoallv comm=0 bytes=0,0,0,4
2 90 95 Neighbor_allgather comm=2 bytes=3
2 100 110 Finalize
3 0 10 Init
3 20 34 Recv comm=0 from=0 tag=7 bytes=64 any=source
3 35 36 Recv comm=1 from=0 tag=1 bytes=9
3 40 60 Scatterv comm=0 root=0 bytes=0
3 70 80 Win_create comm=0 win=0 bytes=64
3 87 88 Alltoallv comm=0 bytes=5,0,0,0
3 89 90 Win_create comm=1 win=1 bytes=1
3 90 95 Neighbor_allgather comm=2 bytes=3
3 100 110 Finalize
TEXT
ok "a trace of four ranks" "$MPGTRACE" import -o "$work/one" "$work/one.txt"
ok "is copied once" replicate 1
is "one copy is the trace, with a fact that says synthetic" "$("$MPGTRACE" print "$work/1" | grep -v '^#fact 0 replicated ')" \
    "$("$MPGTRACE" print "$work/one")"
ok "is copied three times" replicate 3
"$MPGTRACE" print "$work/3" >"$work/3.txt"
is "each copy has all calls" "$(grep -c '^[0-9]' "$work/3.txt")" "$((3 * $(grep -c '^[0-9]' "$work/one.txt")))"
"$MPGTRACE" waits "$work/3" >"$work/waits"
is "all messages match" $? 0
"$MPGSIM" --source none --latency const:1us --replicas 1 "$work/3" >"$work/answer"
is "and a prediction is made" $? 0
rank() { # RANK CALL; prints the call of the third copy
    awk -v rank="$1" -v call="$2" '$1 == rank && $4 == call { sub(/^[0-9]+ [0-9]+ [0-9]+ /, ""); print }' "$work/3.txt"
}
is "a message stays in its copy" "$(rank 8 Send)" "Send comm=0 to=11 tag=7 bytes=64 site=0"
is "from its copy's rank" "$(rank 11 Recv | head -n 1)" "Recv comm=0 from=8 tag=7 bytes=64 any=source"
like "a communicator of some ranks exists for each copy" "$(grep '^#comm' "$work/3.txt")" "* = 1 3*= 5 7*= 9 11*"
like "one of all ranks exists once, copy after copy" "$(grep '^#comm' "$work/3.txt")" "* = 3 2 1 0 7 6 5 4 11 10 9 8*"
is "lists of sizes are repeated" "$(rank 8 Alltoallv)" "Alltoallv comm=0 bytes=1,0,2,0,1,0,2,0,1,0,2,0"
is "the root is in the first copy" "$(rank 8 Scatterv)" "Scatterv comm=0 root=0 bytes=1"
is "a window's ranks are the copy's" "$(rank 8 Put)" "Put win=0 to=10 bytes=8 recvbytes=0"
grep -q '^#topology 8 [0-9]* = 10 > 10 null$' "$work/3.txt"
is "so are neighbours" $? 0

sed 's/^#comm 1 .*/#comm 1 of 0 = 1 3 | 0 2/; / comm=1 /d; / win=1 /d; /^#window 1/d; s/^1 28 30 .*/1 28 30 Barrier comm=1/; /^1 26/d' \
    "$work/one.txt" >"$work/inter.txt"
rm -rf "$work/one"
"$MPGTRACE" import -o "$work/one" "$work/inter.txt"
like "an inter-communicator is refused" "$(replicate 2 2>&1)" "speed_replicate: communicator * has a remote group*"
tests/speed/speed_replicate "$work/one" none "$work/1" 2>/dev/null
is "no number: a usage error" $? 2
done_testing
