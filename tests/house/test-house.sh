#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The house's own rules (TAP): licence lines, no paths of anybody's machine, a
# man page for every program, files that fit a head. Looks at the source folder.
set -u
cd "${top_srcdir:?}" || exit 1
. tests/tap.sh

# empty DESCRIPTION LIST: a test point that passes if LIST is empty.
empty() {
    ok "$1" test -z "$2"
    [ -z "$2" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

folders=".ci analyse bench build-aux common completion docs examples export graph history man packaging replay results scale signature simulate statistics tests trace validate"
# ours: prints our files. A script without an ending is recognized by its first bytes #!. Files that autotools puts into
# build-aux are excluded.
ours() {
    local file start
    # shellcheck disable=SC2086 # a list of names
    find $folders -type f ! -path '*/__pycache__/*' ! -path '*/.deps/*' ! -path '*/.libs/*' 2>/dev/null |
        while read -r file; do
            case $file in
            build-aux/setup.sh) ;;
            build-aux/*) continue ;;
            *.am | *.c | *.h | *.def | *.f | *.f90 | *.py | *.sh | *.awk | *.md | *.[1-9] | *.gp | *.bash) ;;
            *) IFS= LC_ALL=C read -r -n 2 start <"$file"; [ "$start" = '#!' ] || continue ;;
            esac
            printf '%s\n' "$file"
        done
    ls autogen.sh configure.ac Makefile.am README.md CONTRIBUTING.md SECURITY.md quickstart runtests
}
files=$(ours | grep -vE '^(analyse|bench|export|signature|simulate|statistics|trace|examples|tests)/.*\.(o|lo|log|trs)$')

# shellcheck disable=SC2086,SC2046 # lists of names, none with spaces
{
    empty "every source file has its licence line" \
        "$({ printf '%s\n' $files
            awk 'FNR <= 5 && /SPDX-License-Identifier: GPL-3.0-or-later/ && !seen[FILENAME]++ { print FILENAME }' $files
        } | sort | uniq -u)"
    empty "quickstart's PATH has the folders of all programs" \
        "$(sed -nE 's/^bin_(PROGRAMS|SCRIPTS) \+= ([a-z]+)\/.*/\2/p' $(printf '%s\n' $files | grep '\.am$') | sort -u |
            while read -r folder; do grep -qE "^programs=.*/build/$folder(:|\$)" quickstart || echo "$folder"; done)"
    empty "no path of anybody's machine" \
        "$(grep -nE '(^|[^A-Za-z0-9_$})."])/(home|work|root|Users)/' $files | grep -v '^tests/house/test-house.sh')"
    empty "no tabs in C" \
        "$(printf '%s\n' $files | grep -E '\.[ch]$' | xargs grep -ln "$(printf '\t')")"
    empty "lines of C have at most 130 characters" \
        "$(printf '%s\n' $files | grep -E '\.([ch]|inc)$' | xargs awk 'length > 130 { print FILENAME ":" FNR }')"
    empty "code files have fewer than 700 lines" \
        "$(printf '%s\n' $files | grep -vE '\.(md|[1-9]|def)$' | # tables (.def) are not code
            xargs wc -l | awk '$2 != "total" && $1 >= 700 { print $2 ": " $1 " lines" }')"
    empty "nothing left to do by its own words" \
        "$(grep -nE '\b(TODO|FIXME)\b' $files | grep -v '^tests/house/test-house.sh')"
}
# named FILE...: prints names in the files' text that look like one of our files with its folder, but do not exist.
named() {
    # shellcheck disable=SC2086
    awk '{
        line = $0
        while (match(line, /(common|bench|signature|statistics|trace|graph|simulate|tests)\/[a-z0-9_\/-]*[a-z0-9_]\.(c|h|def|awk|sh|py|am)/)) {
            before = RSTART > 1 ? substr(line, RSTART - 1, 1) : ""
            name = substr(line, RSTART, RLENGTH)
            after = substr(line, RSTART + RLENGTH, 1)
            line = substr(line, RSTART + RLENGTH)
            if (before !~ /[A-Za-z0-9_.\/$-]/ && after !~ /[A-Za-z0-9_]/)
                print FILENAME ": " name
        }
    }' "$@" | sort -u | while IFS=' ' read -r file name; do
        [ -e "$name" ] || echo "$file $name"
    done
}
# shellcheck disable=SC2086,SC2046 # a list of names
empty "no text names a file that is not there" \
    "$(named $(printf '%s\n' $files | grep -E '\.([ch]|awk|sh|py|md|def)$'))"
empty "links of documents lead to files that are there" \
    "$(printf '%s\n' $files | grep '\.md$' | while read -r file; do
        grep -oE '\]\([^)#:]+' "$file" | cut -c 3- | while read -r link; do
            [ -e "$(dirname "$file")/$link" ] || echo "$file: $link"
        done
    done)"
empty "each document says its kind and is installed" \
    "$(for file in docs/*.md docs/guide/*.md docs/notes/*.md; do
        case $(sed -n 4p "$file") in '*'Tutorial* | '*'How-to* | '*'Reference* | '*'Explanation* | '*'Notes* | '*'Developers* | '*'Index*) ;; *) echo "$file: kind" ;; esac
        grep -qE "[[:space:]]$file( |\$)" docs/docs.am || echo "$file: not in docs/docs.am"
    done)"
empty "docs/guide/install.md names every package that the set-up looks for" \
    "$(for package in $(sed -n 's/^ *MPGKIT_NEED(.*\[\([a-z0-9-]*\)\])$/\1/p' configure.ac) \
        $(awk '/^(required|optional)=/ { list = 1 } /^.$/ { list = 0 } list && NF > 1 { print $1 }' build-aux/setup.sh); do
        grep -q "^| .*[ |(]${package}[ ;|)]" docs/guide/install.md || echo "$package"
    done | sort -u)"
version=$(sed -n 's/^AC_INIT(\[mpgkit\], \[\(.*\)\])$/\1/p' configure.ac)
empty "NEWS, CITATION.cff and Debian's changelog begin with configure.ac's version" \
    "$({ sed -n '/^Version /{ s/^Version //p; q; }' NEWS; sed -n 's/^version: "\(.*\)"$/\1/p' CITATION.cff
        sed -n '1s/^mpgkit (\(.*\)-[0-9]*).*/\1/p' debian/changelog; } | sort -u | paste -sd' ' - | grep -vxF "${version:-none}")"
pages=
for program in mpgbench mpgbench-collective mpgbench-compute mpgbench-ftq mpgbench-pingpong \
    mpgbench-bandwidth mpgbench-overhead mpgbench-overlap mpgbench-onesided mpgbench-sharing sigmake sigshow sigdiff mpgtrace mpgsim mpgreplay mpgscale mpghistory; do
    [ -e "man/$program.1" ] || pages="$pages man/$program.1"
done
[ -e man/mpgkit.7 ] || pages="$pages man/mpgkit.7"
empty "every program has a man page" "$pages"
if command -v man >/dev/null && man --help 2>&1 | grep -q -- --warnings; then
    empty "man pages format without a warning" \
        "$(for f in man/*.[1-9]; do LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$f" 2>&1 >/dev/null; done)"
else
    skip "man pages format without a warning" "no man"
fi
done_testing
