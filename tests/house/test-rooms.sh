#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which room may use which (TAP): every #include of ours against the table of docs/DESIGN.md, and that the rooms of the table form
# no circle.
set -u
cd "${top_srcdir:?}" || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

# Prints rooms (parts of the source) and the rooms that each may use, from the rows of the table whose last column names
# rooms. A row may list several rooms; FOLDER/* are the sources directly in a folder to which no header belongs.
rooms=$(awk -F ' *[|] *' '
    $1 == "" && NF > 4 && $2 ~ /^[a-z0-9_\/]+\/(\*)?( [a-z0-9_\/]+\/)*$/ {
        n = split($2, room, " ")
        for (i = 1; i <= n; i++) {
            sub(/\/$/, "", room[i])
            may[++rows] = $(NF - 1)
            name[rows] = room[i]
            listed[room[i]]
        }
    }
    END {
        for (i = 1; i <= rows; i++) {
            line = name[i]
            n = split(may[i], word, /[ ,;()]+/)
            for (j = 1; j <= n; j++)
                if (word[j] in listed)
                    line = line " " word[j]
            print line
        }
    }' docs/DESIGN.md)
ok "the table has rooms" test "$(printf '%s\n' "$rooms" | awk 'NF > 1' | wc -l)" -gt 60

# Prints "ROOM uses ROOM at FILE" for each #include of another room.
uses() {
    find common statistics bench signature trace graph analyse export history simulate scale replay -name '*.[ch]' -type f -exec \
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

reach='
    function reaches(from, to,  i, n, next_room) {
        if (from == to) return 1
        n = split(may[from], next_room, " ")
        for (i = 1; i <= n; i++)
            if (reaches(next_room[i], to)) return 1
        return 0
    }
    function read_rooms(  i, j, n, line, word) {
        n = split(rooms, line, "\n")
        for (i = 1; i <= n; i++)
            if (split(line[i], word, " ") > 0) {
                may[word[1]] = ""
                for (j = 2; j in word; j++) may[word[1]] = may[word[1]] " " word[j]
            }
    }'

# circle: prints the rooms that depend on each other in a circle, from lines "ROOM ROOM-USED...": removes rooms that use
# no remaining room until none is left to remove.
circle() {
    awk '{ for (i = 2; i <= NF; i++) { need[$1, $i]; n[$1]++ } room[$1]; for (i = 2; i <= NF; i++) room[$i] }
         END {
             do {
                 more = 0
                 for (r in room)
                     if (n[r] == 0) {
                         for (s in room) if ((s, r) in need) n[s]--
                         delete room[r]
                         more = 1
                     }
             } while (more)
             for (r in room) print r
         }' | sort
}
is "the rooms of the table form no circle" "$(printf '%s\n' "$rooms" | circle)" ""
like "a circle would be found" "$(printf '%s\n' "$rooms" "common trace" | circle | tr '\n' ' ')" "*common *trace *"

# wrong: prints those of the uses on standard input that the table does not permit. A room that is not listed itself
# belongs to the listed room around it.
wrong() {
    awk -v rooms="$rooms" "$reach"'
    function listed(room) {
        while (!(room in may) && sub(/\/[^\/]*$/, "", room)) { }
        return room
    }
    BEGIN { read_rooms() }
    {
        from = listed($1); to = listed($2)
        if (!(from in may)) print $3 ": " $1 " is in no list"
        else if (!(to in may)) print $3 ": " $2 " is in no list"
        else if (!reaches(from, to)) print $3 ": " from " may not use " to
    }'
}
found_wrong=$(printf '%s\n' "$found" | wrong)
ok "no room uses one above it" test -z "$found_wrong"
[ -z "$found_wrong" ] || printf '%s\n' "$found_wrong" | sed 's/^/# /'
is "one that does would be found" "$(echo simulate/evaluate simulate/evaluate/driver x.c | wrong)" \
    "x.c: simulate/evaluate may not use simulate/evaluate/driver"
done_testing
