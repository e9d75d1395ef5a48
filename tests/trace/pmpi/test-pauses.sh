#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recording of a part of a run (TAP): MPI_Pcontrol(0) and (1), --after and --for, --region and --iterations, with messages, requests and receives
# from any source across the edges.
set -u
. "$(dirname "$0")/traced.sh"
needs "$mpicc"

ok "compiles" $mpicc -std=gnu11 -O1 -Wall -I "$top_srcdir" -o pauses "$here/pauses.c"

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
# regions TRACE: prints the begins and ends of regions of rank 1, with their names.
regions() {
    "$MPGTRACE" print "$1" 2>/dev/null | sed -nE 's/^1 [0-9]+ [0-9]+ (Region_[a-z]*) name="([^"]*)".*/\1 \2/p' | paste -sd,
}
is "regions that are open at its edges are cut there" "$(regions twice.trace)" "Region_begin late,Region_end late"
is "a part of the part" "$("$MPGTRACE" print --until=1000s twice.trace 2>/dev/null | grep -c '^[0-9].* Startall')" 112

ok "by time" traced 4 time.trace --after=10ms --for=20ms ./pauses time 10
like "... a part is recorded" "$(left_out time.trace)" "of the recorded part; *"
simulates "a part by time" time.trace
ok "from a time on" traced 4 after.trace --after=10ms ./pauses time 10
simulates "the last part" after.trace
ok "up to a time" traced 4 for.trace --for=20ms ./pauses time 10
simulates "the first part" for.trace

ok "the whole run with regions" traced 4 whole.trace ./pauses region 60
ok "some iterations of a region" traced 4 steps.trace --region=step --iterations=5-9 ./pauses region 60
is "... are recorded" "$(calls steps.trace Startall)" "5 5 5 5"
# Visits 5 to 9 are steps 4 to 8: sends 5 to 9 meet receives 4 to 8 on AHEAD, sends 4 to 8 receives 5 to 9 on ANY.
is "... with what crosses the edges" "$(left_out steps.trace)" \
    "of the recorded part; 16 messages and 0 collectives cross its edges and are left out"
simulates "iterations" steps.trace
# without_times TRACE [OPTION]...: prints TRACE without times, numbers of requests and strings, and definitions.
without_times() {
    "$MPGTRACE" print "$@" 2>/dev/null | sed -E '/^[0-9]+ [0-9]+ [0-9]+ (Flush|Comm_rank|Comm_size)( |$)/d; /^[0-9]/!d
        s/^([0-9]+) [0-9]+ [0-9]+ /\1 /; s/ (site|request|requests|done|started|persistent|off|off_call|resolved|string|name)=[^ ]+//g'
}
is "... are those of the same part of the whole trace" "$(without_times steps.trace)" \
    "$(without_times whole.trace --from=step:5 --until=step:9)"
ok "one visit of a region" traced 4 block.trace --region=block --iterations=2 ./pauses region 60
is "... is recorded" "$(calls block.trace Startall)" "10 10 10 10"
is "... with the regions inside" "$("$MPGTRACE" print block.trace | grep -c '^0 .* Region_begin')" 11
ok "all visits of a region" traced 4 blocks.trace --region=block ./pauses region 60
like "... of which the visit with the most calls counts" "$(left_out blocks.trace)" "of recorded part ? of 6, which has the most calls; *"
is "... on all ranks" "$(calls blocks.trace Startall)" "10 10 10 10"
simulates "a visit" blocks.trace
ok "MPI_Pcontrol does not pause then" traced 4 both.trace --region=step ./pauses once 60
is "... and a region without visits is said" "$(cat err)" \
    "mpgtrace: rank 0 never enters region 'step' (--region): none of its calls are recorded"
ok "iterations that do not come" traced 4 few.trace --region=step --iterations=70-80 ./pauses region 60
is "... are said" "$(cat err)" \
    "mpgtrace: rank 0 enters region 'step' 60 times, and visit 70 (--iterations) not: none of its calls are recorded"
ok "more iterations than there are" traced 4 more.trace --region=step --iterations=60-80 ./pauses region 60
is "... are recorded up to the end" "$(calls more.trace Startall) $(cat err)" "1 1 1 1 "

# Rank 1 is killed at the begin of step 40, after the barrier that ends step 39.
traced 4 killed-after.trace --region=block --iterations=2-3 ./pauses killed 60
is "a rank is killed after the recorded part: the part is whole" "$(calls killed-after.trace Startall)" "20 20 20 20"
simulates "the part before a death" killed-after.trace
traced 4 killed-within.trace --region=step --iterations=31-60 ./pauses killed 60
like "a rank is killed in the recorded part: its calls are there" "$(calls killed-within.trace Startall)" "* 10 *"
like "... and stat says who died" "$("$MPGTRACE" stat killed-within.trace)" "*died        rank 1 outside of MPI*"
is "... which waits refuses in one line" "$("$MPGTRACE" waits killed-within.trace 2>&1 >waits.txt | grep -v excerpt | grep -c -e --lenient)" 1
ok "... and reads with --lenient" "$MPGTRACE" waits --lenient -o waits.txt killed-within.trace
traced 4 killed-before.trace --region=step --iterations=50-60 ./pauses killed 60
like "a rank is killed before the recorded part: nothing is recorded" "$("$MPGTRACE" stat killed-before.trace 2>&1)" \
    "mpgtrace stat: killed-before.trace: recording was paused during all calls *"

# The counts of so many tags fill the tracer's memory of counts and its segment several times.
ok "a new tag for each message" traced 2 tags.trace ./pauses tags 20000
is "... what is recorded after the pause" "$(calls tags.trace Sendrecv) $(calls tags.trace Barrier)" "2000 2000 0 0 1 1 0 0"
is "... is whole" "$(left_out tags.trace)" "of recorded part 2 of 2, which has the most calls; no message and no collective crosses its edges"
simulates "a part after many tags" tags.trace

ok "nothing is recorded" traced 4 never.trace --after=1000s ./pauses never 10
is "... which an error says" "$("$MPGTRACE" stat never.trace 2>&1)" \
    "mpgtrace stat: never.trace: recording was paused during all calls (record --after or --region, or MPI_Pcontrol(0))"
"$MPGTRACE" record --for=5 ./pauses 2>err
is "a time without unit" "$?: $(cat err)" \
    "2: mpgtrace record: --for: '5' has no unit: write 5ns, 5us, 5ms or 5s (try 'mpgtrace record --help')"
"$MPGTRACE" record --after=1s --profile ./pauses 2>err
like "profiles have no parts by time" "$?: $(cat err)" "2: mpgtrace record: *--after*--profile*"
for range in 0-5 5-3 -3 3- x 1-2-3 99999999999999999999; do
    "$MPGTRACE" record --region=step --iterations="$range" ./pauses 2>err
    like "--iterations=$range is refused" "$?: $(cat err)" "2: mpgtrace record: --iterations[:=]*try 'mpgtrace record --help')"
done
"$MPGTRACE" record --iterations=1-2 ./pauses 2>err
like "iterations need a region" "$?: $(cat err)" "2: mpgtrace record: *--iterations*--region*"
"$MPGTRACE" record --region=step --for=1s ./pauses 2>err
like "a part by time or by region" "$?: $(cat err)" "2: mpgtrace record: *--region*--for*"
"$MPGTRACE" record --region= ./pauses 2>err
like "a region has a name" "$?: $(cat err)" "2: mpgtrace record: *region*"
done_testing
