#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The distribution (TAP): all that `make dist` packs is there, and all that git keeps is
# packed. Make says what it packs; a file that is missing would stop it there only.
set -u
cd "${top_srcdir:?}" || exit 1
. tests/tap.sh

# empty DESCRIPTION LIST: a test point that passes if LIST is empty.
empty() {
    ok "$1" test -z "$2"
    [ -z "$2" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

packed=$(env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make --no-print-directory -s -C "${top_builddir:?}" distributed |
    sed "s,^$top_srcdir/,,; s,^\./,,; s,^\(\.\./\)*,," | sort -u)
ok "make says what the distribution holds" test "$(printf '%s\n' "$packed" | wc -l)" -gt 100
empty "all of the distribution is there" \
    "$(printf '%s\n' "$packed" | while read -r name; do
        [ -e "$name" ] || [ -e "$top_builddir/$name" ] || echo "$name"
    done)"

# A file is in the distribution if its name or one of its folders is listed.
kept="all that git keeps is in the distribution"
if [ ! -e .git ]; then
    skip "$kept" "not git's folder"
elif ! names=$(git ls-files 2>/dev/null); then
    skip "$kept" "git does not tell"
else
    empty "$kept" "$(printf '%s\n' "$names" | awk -v packed="$packed" '
        BEGIN {
            n = split(packed, name, "\n")
            for (i = 1; i <= n; i++) have[name[i]] = 1
        }
        {
            part = $0
            while (!(part in have) && sub(/\/[^\/]*$/, "", part)) { }
            if (!(part in have)) print
        }')"
fi
empty "programs of the source folder, but for tests, can be run by their names" \
    "$(printf '%s\n' "$packed" | grep -v '^tests/' | while read -r name; do
        [ -f "$name" ] && [ ! -x "$name" ] && [ "$(head -c 2 "$name" | tr -d '\0')" = '#!' ] && echo "$name"
    done)"
done_testing
