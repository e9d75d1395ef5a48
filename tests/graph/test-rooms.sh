#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The rooms of graph/ (TAP): what its files need of each other, by what they include and by
# the functions that their objects use, makes no circle of more than three files, and goes
# from room to room only where docs/DESIGN.md says so.
set -u
cd "${top_srcdir:?}" || exit 1
. tests/tap.sh
objects=${top_builddir:?}/graph
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# includes FOLDER: prints a line for each #include: the including file (without .c or .h) and the included one.
includes() { # FOLDER
    find "$1" -name '*.[ch]' -exec grep -H '^#include "graph/' {} + |
        sed -n 's/^\(graph\/[^:]*\)\.[ch]:#include "\(graph\/[^"]*\)\.h".*/\1 \2/p'
}
calls() { # FOLDER; prints such lines for calls between object files, whose names may begin with their library's
    (cd "$1/.." && find graph -name '*.o' -exec nm -A {} + 2>/dev/null) |
        sed 's/^\([^:]*\)\.o:/\1 /; s,/libgraph_a-\([^/ ]*\) ,/\1 ,' |
        awk '$NF !~ /^(mpg_|graph_)/ { next }
             $(NF - 1) ~ /^[TDBRVW]$/ { defines[$NF] = $1; next }
             $(NF - 1) == "U" { uses[++n] = $1; what[n] = $NF }
             END { for (i = 1; i <= n; i++)
                       if (what[i] in defines) print uses[i], defines[what[i]] }'
}
# circles: from such lines, prints the files that depend on each other in a circle of more than three files.
circles() {
    awk '$1 != $2 { need[$1, $2] = 1; file[$1]; file[$2] }
         END { for (k in file) for (i in file) if ((i, k) in need)
                   for (j in file) if ((k, j) in need) need[i, j] = 1
               for (i in file) {
                   n = 1
                   for (j in file) n += i != j && ((i, j) in need) && ((j, i) in need)
                   if (n > 3) print i
               } }' | sort
}
room_of='function room(path, parts) { return split(path, parts, "/") == 3 ? parts[2] : "" }'
# trespassers: from such lines, prints those that lead to a part of the graph library that the first file may not use.
trespassers() {
    awk "$room_of"' BEGIN { may["", "algorithms"] = may["collectives", "algorithms"] = 1
             may["nbc_progress", "algorithms"] = may["nbc_progress", "matching"] = may["nbc_progress", "collectives"] = 1
             may["requests", "matching"] = may["requests", "collectives"] = may["requests", "nbc_progress"] = 1
             may["requests", "work"] = may["schedule", "nbc_progress"] = 1
             may["schedule", "matching"] = may["schedule", "collectives"] = 1
             may["schedule", "requests"] = may["schedule", "work"] = 1
             may["matching", "work"] = may["collectives", "work"] = 1
             may["matching", "parts"] = may["collectives", "parts"] = may["schedule", "parts"] = 1 }
         { from = room($1); to = room($2) }
         to != "" && from != to && !((from, to) in may)' | sort -u
}

includes graph >"$work/needs"
ok "files of graph/ include each other" test -s "$work/needs"
ok "the rooms are there" test -e graph/matching/match.h -a -e graph/collectives/collectives.h \
    -a -e graph/requests/requests.h -a -e graph/schedule/state.h
if calls "$objects" >"$work/calls" && [ -s "$work/calls" ]; then
    ok "their objects use each other's functions" grep -q "graph/schedule/schedule graph/steps" "$work/calls"
    cat "$work/calls" >>"$work/needs"
else
    skip "their objects use each other's functions" "nm finds no symbols"
fi
is "no circle of more than three files" "$(circles <"$work/needs")" ""
is "no room needs one that it may not use" "$(trespassers <"$work/needs")" ""

# The checks find a circle of four files, and an #include of a forbidden part.
{
    cat "$work/needs"
    printf '%s\n' 'graph/matching/match graph/matching/windows'
} >"$work/circle"
like "a circle that is not there would be found" "$(circles <"$work/circle" | tr '\n' ' ')" \
    "*graph/matching/groups*graph/matching/match*graph/matching/messages*"
is "and so would matching that knows the scheduler" \
    "$(echo graph/matching/match graph/schedule/state | trespassers)" \
    "graph/matching/match graph/schedule/state"
done_testing
