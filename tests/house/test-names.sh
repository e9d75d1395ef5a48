#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Names, and who may use them (TAP): headers that say for whom they are, structs with one definition,
# global names that begin with mpg_ and that somebody uses. Looks at the source folder, and at what has
# been compiled of it.
set -u
build=$(cd "${top_builddir:-.}" && pwd)
cd "${top_srcdir:?}" || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

rooms="analyse bench common export graph history replay scale signature simulate statistics trace"

# empty DESCRIPTION LIST: a test point that passes if LIST is empty.
empty() {
    ok "$1" test -z "$2"
    [ -z "$2" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

# shellcheck disable=SC2086 # a list of names
sources() { find $rooms -name '*.[ch]' -o -name '*.inc' -o -name '*.def'; }

# private FILE...: prints each #include of a private header by a file that is not in the folders or files that the
# header's first comment names.
private() {
    awk '
        FNR == 1 { said = ""; ended = !(FILENAME ~ /\.h$/) }
        !ended {
            said = said " " $0
            ended = /^#/ || FNR > 40
            if (ended && match(said, /Private to [^.;:]*(\.[ch][^.;:]*)*[.;:]/)) {
                users = substr(said, RSTART, RLENGTH)
                gsub(/ \* /, " ", users)
                folder = FILENAME
                sub(/[^\/]*$/, "", folder)
                n = split(users, word, /[ ,;:]+/)
                for (i = 1; i <= n; i++) {
                    if (word[i] ~ /\/\.?$/) { sub(/\.$/, "", word[i]); may[FILENAME] = may[FILENAME] " " word[i] }
                    else if (word[i] ~ /\.[ch]\.?$/) { sub(/\.[ch]\.?$/, ".", word[i]); may[FILENAME] = may[FILENAME] " " folder word[i] }
                }
            }
        }
        /^# *include "/ {
            used = $0
            sub(/^# *include "/, "", used)
            sub(/".*/, "", used)
            uses[FILENAME " " used]
        }
        END {
            for (use in uses) {
                split(use, pair, " ")
                if (!(pair[2] in may) || pair[1] ~ /^tests\//)
                    continue
                n = split(may[pair[2]], room, " ")
                good = n == 0
                for (i = 1; i <= n; i++)
                    good = good || index(pair[1], room[i]) == 1
                if (!good)
                    print pair[1] " includes " pair[2] ", which is private to" may[pair[2]]
            }
        }' "$@" | sort
}

# structs FILE...: prints types that have two definitions.
structs() {
    awk '/^(struct|enum|union) mpg_[a-z0-9_]+ \{/ {
            if (($1 " " $2) in at)
                print $1, $2 ": " at[$1 " " $2] " and " FILENAME
            at[$1 " " $2] = FILENAME
        }' "$@"
}

# symbols: prints "LIBRARY NAME" for each global symbol that our libraries define.
symbols() {
    find "$build" -name 'lib*.a' ! -path '*/.libs/*' ! -path '*/tests/*' ! -path '*/examples/*' ! -path '*/trace/pmpi/*' ! -path '*/replay/*' |
        while read -r library; do
            nm -g --defined-only "$library" 2>/dev/null | awk -v library="${library#"$build"/}" '$2 ~ /^[TDBRV]$/ { print library, $3 }'
        done | sort -u
}

sources >"$tmp/files"
mapfile -t files <"$tmp/files"
symbols >"$tmp/symbols"
empty "headers are included by those for whom they are" "$(private "${files[@]}")"
empty "a struct's name has one definition" "$(structs "${files[@]}")"
if [ -s "$tmp/symbols" ]; then
    empty "global names begin with mpg_" "$(awk '$2 !~ /^_?mpg_/' "$tmp/symbols")"
    # A name is used if it occurs outside of its definition and declaration. Names for an instruction set are excluded,
    # because macros compose them.
    tests=$(find tests -name '*.[ch]')
    # shellcheck disable=SC2086 # a list of names
    empty "somebody uses each" "$(awk '$2 !~ /_(base|avx2|avx512)$/ { print $2 }' "$tmp/symbols" | sort -u >"$tmp/names"
        awk 'NR == FNR { name[$1]; next }
            {
                line = $0
                while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
                    word = substr(line, RSTART, RLENGTH)
                    line = substr(line, RSTART + RLENGTH)
                    if (word in name && FILENAME ~ /\.h$/) declared[word]++
                    else if (word in name) times[word]++
                }
            }
            END { for (word in name) if (times[word] < 2 && declared[word] < 2) print word }' \
            "$tmp/names" "${files[@]}" $tests | sort)"
else
    skip 2 "nm finds no symbols in our libraries"
fi

# Tests of these checks: each must find a violation.
cd "$tmp" || exit 1
mkdir one two
printf '/* Of one. Private to one/. */\n#ifndef X\n' >one/x.h
printf '#include "one/x.h"\nstruct mpg_x {\n' | tee one/a.c >two/b.c
is "a stranger who includes a private header is found" "$(private one/x.h one/a.c two/b.c)" \
    "two/b.c includes one/x.h, which is private to one/"
is "a struct that is defined twice is found" "$(structs one/a.c two/b.c)" "struct mpg_x: one/a.c and two/b.c"
done_testing
