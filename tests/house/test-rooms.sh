#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which room may use which (TAP): every #include of ours against docs/DESIGN.md's table, as
# it is written here, and that the rooms so form no circle.
set -u
cd "${top_srcdir:?}" || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

# A room, and those it may use besides its own and those that they may use. Headers on top
# of a folder, and the sources that have one beside them, are for the rooms below; other
# sources there, such as its program, stand above them: FOLDER/*.
rooms='
common
common/table      common
common/plots      common/table
statistics        common/plots
bench/harness     statistics
bench/ftq         bench/harness
bench/compute     bench/harness
bench/pingpong    bench/harness
bench/bandwidth   bench/harness
bench/collective  bench/harness
bench/overhead    bench/harness
signature         statistics
signature/file    signature
signature/make    signature/file
signature/show    signature/file
signature/diff    signature/show
trace             common/plots
trace/store       trace
trace/text        trace/store
trace/copy        trace/store
trace/hypothesis  trace
trace/profile     trace/store
trace/stat        trace/profile
trace/record      trace/pmpi
trace/pmpi        trace/profile
trace/*           trace/text trace/stat trace/record
graph             trace trace/hypothesis graph/algorithms
graph/algorithms  common/plots
graph/matching    graph/work
graph/collectives graph/work
graph/nbc_progress graph/matching graph/collectives
graph/requests    graph/nbc_progress
graph/work        graph trace/stat
graph/schedule    graph/requests graph/work
analyse           graph trace/stat
analyse/draw      analyse
analyse/messages  analyse
analyse/timeline  analyse
history           trace
history/*         history
simulate/draws    signature simulate
simulate/noise    simulate/draws
simulate/target   simulate/draws
simulate/models   simulate/noise simulate/target
simulate/algorithms  graph/algorithms
simulate/choice   graph simulate
simulate/kept     graph simulate
simulate/attribution    graph trace/stat trace/store simulate
simulate/passes   simulate/choice simulate/kept graph/work
simulate/processes  simulate
simulate/evaluate simulate/attribution simulate/models simulate/algorithms simulate/passes simulate/processes
simulate/events   simulate/evaluate
simulate/reports  simulate/events analyse
simulate/pages    simulate/reports
simulate/replica  simulate/evaluate trace/copy analyse/timeline
simulate/options  simulate/reports analyse/timeline history
simulate          common/plots
simulate/scenarios simulate/options
simulate/target_table  simulate/options
simulate/outputs  simulate/pages simulate/scenarios simulate/replica
simulate/*        simulate/outputs simulate/target_table
scale             trace
scale/read        scale analyse graph/work trace/profile trace/stat
scale/correlate   scale statistics
scale/model       scale/correlate
scale/report      scale/model scale/read
scale/plot        scale/model
scale/run         scale/read
scale/*           scale/report scale/plot scale/run
replay            trace graph/work
replay/enact      replay
replay/*          replay
'

# Lines of "ROOM uses ROOM at FILE", a line for each #include that leaves its room.
uses() {
    find common statistics bench signature trace graph analyse history simulate scale replay -name '*.[ch]' -type f -exec \
        awk 'BEGIN { for (i = 1; i < ARGC; i++) there[ARGV[i]] }
            FNR == 1 {
                room = header = FILENAME
                sub(/\/[^\/]*$/, "", room)
                sub(/\.c$/, ".h", header)
                if (FILENAME !~ /\/.*\// && !(header in there))
                    room = room "/*"
            }
            /^# *include "/ {
                used = $0
                sub(/^# *include "/, "", used)
                sub(/".*/, "", used)
                if (used ~ /^[a-z0-9_\/]*\/[^\/]*$/ && sub(/\/[^\/]*$/, "", used) && used != room)
                    print room, used, FILENAME
            }' {} +
}
found=$(uses)
ok "there are rooms that use each other" test "$(printf '%s\n' "$found" | wc -l)" -gt 100

# A room inside a listed one that is not listed itself counts as the outer one.
wrong=$(printf '%s\n' "$found" | awk -v rooms="$rooms" '
    function listed(room) {
        while (!(room in may) && sub(/\/[^\/]*$/, "", room)) { }
        return room
    }
    function reaches(from, to,  i, n, next_room) {
        if (from == to) return 1
        n = split(may[from], next_room, " ")
        for (i = 1; i <= n; i++)
            if (reaches(next_room[i], to)) return 1
        return 0
    }
    BEGIN {
        n = split(rooms, line, "\n")
        for (i = 1; i <= n; i++)
            if (split(line[i], word, " ") > 0) {
                may[word[1]] = ""
                for (j = 2; j in word; j++) may[word[1]] = may[word[1]] " " word[j]
            }
    }
    {
        from = listed($1); to = listed($2)
        if (!(from in may)) print $3 ": " $1 " is in no list"
        else if (!(to in may)) print $3 ": " $2 " is in no list"
        else if (!reaches(from, to)) print $3 ": " from " may not use " to
    }')
ok "no room uses one above it" test -z "$wrong"
[ -z "$wrong" ] || printf '%s\n' "$wrong" | sed 's/^/# /'
done_testing
