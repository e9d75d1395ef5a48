# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154 # $tmp and $MPGTRACE are those of the test
# What tests of the text form share; tap.sh comes before it, and a folder $tmp.

# fails STATUS WORDS COMMAND...: succeeds if COMMAND exits with STATUS, and its only line contains WORDS.
fails() {
    local status=$1 words=$2 got
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" -eq "$status" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -qF -- "$words" "$tmp/err" && return
    echo "# exit $got, expected $status and '$words':"
    sed 's/^/# /' "$tmp/err"
    return 1
}

same() {
    diff "$1" "$2" >"$tmp/diff" && return
    head -n 10 "$tmp/diff" | sed 's/^/# /'
    return 1
}

# prints FILE TRACE: succeeds if TRACE prints as the text FILE, without a warning.
prints() {
    "$MPGTRACE" print "$2" >"$tmp/printed" 2>"$tmp/err" && [ ! -s "$tmp/err" ] &&
        same "$1" "$tmp/printed"
}

# inverse NAME FILE: checks that FILE, imported into each form that a trace may have, prints as the same text.
inverse() {
    local name=$1 file=$2 first
    ok "$name: imports" "$MPGTRACE" import --force --text "$file" -o "$tmp/trace"
    ok "$name: folder" prints "$file" "$tmp/trace"
    cat "$tmp"/trace/rank-*.mpgt >"$tmp/cat.mpgt"
    ok "$name: rank files in one" prints "$file" "$tmp/cat.mpgt"
    # shellcheck disable=SC2012 # names without blanks
    first=$(ls "$tmp"/trace/rank-*.mpgt | sort -r)
    # shellcheck disable=SC2086 # a list of names
    cat $first >"$tmp/reverse.mpgt"
    ok "$name: rank files in one, the last first" prints "$file" "$tmp/reverse.mpgt"
    "$MPGTRACE" print - <"$tmp/cat.mpgt" >"$tmp/printed"
    ok "$name: standard input" same "$file" "$tmp/printed"
    "$MPGTRACE" print - <"$file" >"$tmp/printed"
    ok "$name: text on standard input" same "$file" "$tmp/printed"
    ok "$name: text" prints "$file" "$file"
    ok "$name: to a file" "$MPGTRACE" print -o "$tmp/printed" "$tmp/trace"
    ok "$name: and it is the same" same "$file" "$tmp/printed"
}

# wrong NAME WORDS LINE...: checks that the text of these lines is refused because of its last line.
wrong() {
    local name=$1 words=$2
    shift 2
    printf '%s\n' "$@" >"$tmp/wrong.txt"
    ok "refused: $name" fails 1 "mpgtrace import: $tmp/wrong.txt: line $#: " \
        "$MPGTRACE" import --text "$tmp/wrong.txt" -o "$tmp/none"
    ok "refused: $name: says why" grep -qF -- "$words" "$tmp/err"
}

# wrong_event NAME WORDS EVENT...: the same for these lines after a header with two ranks and two communicators.
wrong_event() {
    local name=$1 words=$2
    shift 2
    wrong "$name" "$words" "#mpgtext 1" "#ranks 2" "#comm 1 = 1" "#comm 2 = 0" "$@"
}
