# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154 # $tmp and $MPGTRACE are those of the test
# What tests of readers of other tools' traces share; tap.sh comes before it, and a folder $tmp.

# imported PATH FILE [OPTION...]: the trace at PATH is the text FILE, whether imported or opened.
imported() {
    local path=$1 file=$2
    shift 2
    "$MPGTRACE" import --force "$@" "$path" -o "$tmp/imported.trace" >"$tmp/report" 2>"$tmp/err" || {
        sed 's/^/# /' "$tmp/err"
        return 1
    }
    "$MPGTRACE" print "$tmp/imported.trace" >"$tmp/printed" && shown "$file" "$tmp/printed"
}

shown() {
    diff "$1" "$2" >"$tmp/diff" && return
    head -n 20 "$tmp/diff" | sed 's/^/# /'
    return 1
}

# refused PATH WORDS [OPTION...]: status 1 and one line that has WORDS; nothing is left behind.
refused() {
    local path=$1 words=$2 got
    shift 2
    rm -rf "$tmp/refused.trace"
    "$MPGTRACE" import "$@" "$path" -o "$tmp/refused.trace" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "$words" "$tmp/err" && [ ! -e "$tmp/refused.trace" ] && return
    echo "# exit $got, expected 1 and '$words':"
    sed 's/^/# /' "$tmp/err"
    return 1
}

# bounded PATH: import ends within 30 s and 2 GB (sanitizers reserve more), with status 0 or with one line and status 1.
bounded() {
    local got
    ([ "${MPGKIT_SANITIZERS:-no}" != no ] || ulimit -v 2000000; exec timeout 30 "$MPGTRACE" import --force "$1" -o "$tmp/bounded.trace") >/dev/null 2>"$tmp/err" </dev/null
    got=$?
    { [ "$got" -eq 0 ] && [ ! -s "$tmp/err" ]; } || { [ "$got" -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]; } && return
    echo "# $1: exit $got"
    head -n 3 "$tmp/err" | sed 's/^/# /'
    return 1
}

# truncated FOLDER FILE: FOLDER, of which FILE is cut at each 97th byte, stays bounded.
truncated() {
    local size at
    size=$(wc -c <"$1/$2")
    cp "$1/$2" "$tmp/whole"
    for ((at = 1; at < size; at += 97)); do
        head -c "$at" "$tmp/whole" >"$1/$2"
        bounded "$1" || {
            echo "# at byte $at of $2"
            cp "$tmp/whole" "$1/$2"
            return 1
        }
    done
    cp "$tmp/whole" "$1/$2"
}
