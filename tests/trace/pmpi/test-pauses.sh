#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recording of a part of a run (TAP): MPI_Pcontrol(0) and (1), --after and --for, with messages, requests and receives
# from any source across the edges.
set -u
. "$(dirname "$0")/traced.sh"
needs "$mpicc"

ok "compiles" $mpicc -std=gnu11 -O1 -Wall -o pauses "$here/pauses.c"

# calls TRACE NAME: prints how many calls NAME each rank has in TRACE.
calls() {
    "$MPGTRACE" print "$1" 2>/dev/null | awk -v name="$2" '$4 == name { n[$1]++ } END { print n[0] + 0, n[1] + 0, n[2] + 0, n[3] + 0 }'
}

# left_out TRACE: prints what mpgtrace stat says of the part.
left_out() {
    "$MPGTRACE" stat "$1" | sed -n 's/^excerpt  *//p'
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

ok "paused, recorded, paused" traced 4 once.trace ./pauses once 60
is "the recorded steps, which differ by rank" "$(calls once.trace Startall)" "21 19 21 19"
# Even ranks record steps 20 to 40, odd ranks 21 to 39. Numbered from 0, step i sends message i + 1 and receives message i on tag
# AHEAD, sends and receives i on PERSISTENT, sends i and posts the receive of i + 1 on ANY. From an even to an odd rank, sends 21 to
# 41, 20 to 40 and 20 to 40 meet receives 21 to 39, 21 to 39 and 22 to 40; from an odd to an even rank, sends 22 to 40, 21 to 39 and
# 21 to 39 meet receives 20 to 40, 20 to 40 and 21 to 41: on each of the 4 edges of the ring, 6 have no partner.
is "what crosses the edges" "$(left_out once.trace)" \
    "of recorded part 2 of 2, which has the most calls; 24 messages and 0 collectives cross its edges and are left out"
simulates "a part" once.trace

ok "two parts" traced 4 twice.trace ./pauses twice 60
is "the longer one counts" "$(calls twice.trace Startall)" "28 28 28 28"
# Steps 30 to 57 on all ranks: sends 31 to 58 meet receives 30 to 57 on AHEAD, sends 30 to 57 receives 31 to 58 on ANY.
is "... and is named" "$(left_out twice.trace)" \
    "of recorded part 3 of 3, which has the most calls; 16 messages and 0 collectives cross its edges and are left out"
simulates "the longer part" twice.trace
is "a part of the part" "$("$MPGTRACE" print --until=1000s twice.trace 2>/dev/null | grep -c '^[0-9].* Startall')" 112

ok "by time" traced 4 time.trace --after=10ms --for=20ms ./pauses time 10
like "... a part is recorded" "$(left_out time.trace)" "of the recorded part; *"
simulates "a part by time" time.trace
ok "from a time on" traced 4 after.trace --after=10ms ./pauses time 10
simulates "the last part" after.trace
ok "up to a time" traced 4 for.trace --for=20ms ./pauses time 10
simulates "the first part" for.trace

# The counts of so many tags fill the tracer's memory of counts and its segment several times.
ok "a new tag for each message" traced 2 tags.trace ./pauses tags 20000
is "... what is recorded after the pause" "$(calls tags.trace Sendrecv) $(calls tags.trace Barrier)" "2000 2000 0 0 1 1 0 0"
is "... is whole" "$(left_out tags.trace)" "of recorded part 2 of 2, which has the most calls; no message and no collective crosses its edges"
simulates "a part after many tags" tags.trace

ok "nothing is recorded" traced 4 never.trace --after=1000s ./pauses never 10
is "... which an error says" "$("$MPGTRACE" stat never.trace 2>&1)" \
    "mpgtrace stat: never.trace: recording was paused during all calls (record --after, or MPI_Pcontrol(0))"
"$MPGTRACE" record --for=5 ./pauses 2>err
is "a time without unit" "$?: $(cat err)" \
    "2: mpgtrace record: --for: '5' has no unit: write 5ns, 5us, 5ms or 5s (try 'mpgtrace record --help')"
"$MPGTRACE" record --after=1s --profile ./pauses 2>err
like "profiles have no parts by time" "$?: $(cat err)" "2: mpgtrace record: *--after*--profile*"
done_testing
