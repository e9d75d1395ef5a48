#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recording of the last part of a run (TAP): mpgtrace record --last, with messages, requests, communicators, windows and regions
# from before, in programs that end, die, or have threads.
set -u
. "$(dirname "$0")/traced.sh"
needs "$mpicc"

ok "compiles" $mpicc -std=gnu11 -O1 -Wall -I "$top_srcdir" -o last "$here/last.c" -lpthread
ok "compiles, too" ${CC:-cc} -std=gnu11 -O1 -Wall -shared -fPIC -o keep_parts.so "$here/keep_parts.c"

# calls TRACE NAME: prints how many calls NAME each rank has in TRACE.
calls() {
    "$MPGTRACE" print "$1" 2>/dev/null | awk -v name="$2" '$4 == name { n[int($1)]++ } END { print n[0] + 0, n[1] + 0 }'
}

# left_out TRACE: prints what mpgtrace stat says of the part.
left_out() {
    "$MPGTRACE" stat "$1" | sed -n 's/^excerpt  *//p'
}

# parts TRACE: prints the numbers of the parts of rank 0.
parts() {
    (cd "$1" && ls) | sed -nE 's/^rank-0\.part-0*([0-9]+)\.mpgt$/\1/p'
}

# simulates NAME TRACE: checks that all calls of TRACE find their partners, and that the run is reproduced.
simulates() {
    if [ -x "$MPGSIM" ]; then
        is "$1: mpgsim reproduces it" \
            "$("$MPGSIM" --perturb --json "$2" 2>log | python3 -c 'import json, sys
print(max(abs(rank["delay_ns"]["mean"]) for rank in json.load(sys.stdin)["ranks"]))'; grep -v excerpt log)" 0.0
    fi
    ok "$1: wait states are found" "$MPGTRACE" waits -o waits.txt "$2"
}

# The ranks do many steps, sleep for longer than what is kept, and do 20 steps, all of which are kept. The steps send 20 messages to
# the right neighbour on AHEAD and on ANY, and there is one more receive on AHEAD, and one more send on ANY, at the end: of 21
# receives on AHEAD the first meets a message from before, and of 21 sends on ANY the first meets a receive from before.
ok "a burst" traced 2 burst.trace --last=2s ./last burst 600 20
is "the steps after the pause are there" "$(calls burst.trace Startall); $(calls burst.trace Send)" "20 20; 21 21"
is "... with what crosses the edge" "$(left_out burst.trace)" \
    "of the last 2 s of the run; 4 messages and 0 collectives cross its edges and are left out"
is "... two fences and the end of the window" "$(calls burst.trace Win_fence); $(calls burst.trace Win_free)" "2 2; 1 1"
is "... the calls that made persistent requests" "$(calls burst.trace Send_init); $(calls burst.trace Recv_init)" "1 1; 1 1"
is "... and the open region" "$("$MPGTRACE" print burst.trace 2>/dev/null | grep -c 'Region_begin.*name="main"')" 2
simulates "a burst" burst.trace

ok "a run that is shorter" traced 2 short.trace --last=1000s ./last steady 100 5
is "... is whole" "$(left_out short.trace)$(calls short.trace Win_create)" "1 1"
simulates "a short run" short.trace

# Whichever of the oldest parts are removed, the same is read, as long as the kept time is there: once from events, once from
# snapshots. Without numbers of communicators, which depend on the order of their first use.
# without_comms TRACE: prints TRACE.
without_comms() {
    "$MPGTRACE" print "$1" 2>messages | sed -E '/^#(comm|window)/d; s/ (new)?comm=[0-9]+//g; s/ (site|win)=[0-9]+//g'
    sed '/: excerpt /d' messages
}
for mode in steady tags threads late; do
    LD_PRELOAD="$PWD/keep_parts.so" traced 2 "$mode.trace" --last=200ms ./last "$mode" 500 3
    like "$mode: the kept time is there" "$(left_out "$mode.trace")" "of the last 200 ms of the run; *"
    without_comms "$mode.trace" >all
    cp -r "$mode.trace" fewer.trace
    begin=$("$MPGTRACE" print "$mode.trace" 2>/dev/null | awk '$1 == "0" && $4 == "Init" { print $2; exit }')
    removed=0 differ=0
    for part in $(parts "$mode.trace"); do
        rm -f fewer.trace/rank-?.part-"$(printf %09d "$part")".mpgt fewer.trace/rank-?-thread-?.part-"$(printf %09d "$part")".mpgt
        "$MPGTRACE" print fewer.trace 2>/dev/null | awk '$1 == "0" && $4 == "Init" { print $2; exit }' >./at
        [ "$(cat at)" = "$begin" ] || break
        removed=$((removed + 1))
        without_comms fewer.trace >some
        cmp -s all some || { differ=$((differ + 1)); diff all some | head -5 >&2; }
    done
    ok "$mode: parts can be removed" [ "$removed" -gt 0 ]
    is "... of which nothing is missed" "$differ" 0
    cat "$mode.trace"/*.mpgt >one.mpgt
    is "... nor if all parts are in one file" "$(without_comms one.mpgt | cmp - all 2>&1)" ""
    simulates "$mode" "$mode.trace"
    rm -rf fewer.trace
done

# The space on the disk depends on what is kept, not on the length of the run: at 200 ms, parts of 50 ms.
for ms in 300 3000; do
    ok "$ms ms" traced 2 "bounded-$ms.trace" --last=200ms ./last steady "$ms" 0
    ok "... in at most 6 parts" [ "$(parts "bounded-$ms.trace" | wc -l)" -le 6 ]
done
ok "... of many" [ "$(parts bounded-3000.trace | tail -1)" -ge 12 ]

for mode in killed abort exit; do
    traced 2 "$mode.trace" --last=200ms ./last "$mode" 400 3
    like "$mode: the last part is there" "$(left_out "$mode.trace")" "of the last 200 ms of the run; *"
    like "... and stat says how it ended" "$("$MPGTRACE" stat "$mode.trace")" \
        "$([ $mode = killed ] && echo '*died  *rank 1 outside of MPI*' || echo '*incomplete *')"
    ok "... waits reads it with --lenient" "$MPGTRACE" waits --lenient -o waits.txt "$mode.trace"
    ok "... the oldest parts are gone" [ "$(parts "$mode.trace" | head -1)" -gt 1 ]
done

ok "a part cannot be made" traced 2 taken.trace --last=200ms ./last taken 1000 0
is "... which a line says" "$(sed 's/.*taken.trace/taken.trace/' err)" \
    "taken.trace/rank-1.part-000000009.mpgt: File exists; its trace ends here, the program continues"
like "... and stat" "$("$MPGTRACE" stat taken.trace 2>&1)" "*incomplete  rank 1: the trace could not be written*"
like "... the other rank is whole" "$(left_out taken.trace)" "of the last 200 ms of the run; *"

ok "MPI_Win_post" traced 2 post.trace --last=200ms ./last post 300 0
is "... is refused" "$(sort err)" \
    "mpgtrace: rank 0: MPI_Win_post: only whole runs with this function can be recorded, without --last; its trace ends here, the \
program continues
mpgtrace: rank 1: MPI_Win_post: only whole runs with this function can be recorded, without --last; its trace ends here, the \
program continues"
like "... the calls before are there" "$(left_out post.trace)" "of the last 200 ms of the run; *"
is "... and stat says why" "$("$MPGTRACE" stat post.trace | grep '^incomplete')" "incomplete  2 ranks, the first of them rank 0: \
MPI_Win_post: only whole runs with this function can be recorded, without --last"

for time in 0s -1s 5 x 1e400s; do
    "$MPGTRACE" record --last="$time" ./last 2>err
    like "--last=$time is refused" "$?: $(cat err)" "2: mpgtrace record: --last*(try 'mpgtrace record --help')"
done
for option in profile after=1s for=1s region=step; do
    "$MPGTRACE" record --last=1s "--$option" ./last 2>err
    like "not with --${option%=*}" "$?: $(cat err)" "2: mpgtrace record: *--last*--${option%=*}*"
done
done_testing
