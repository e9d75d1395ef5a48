# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154 # $tmp and $MPGTRACE are those of the test
# What tests of readers of other tools' traces share; tap.sh comes before it, and a folder $tmp.

# imported PATH FILE [OPTION...]: succeeds if the trace at PATH, imported or opened directly, prints as the text FILE.
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

# refused PATH WORDS [OPTION...]: succeeds if import exits with 1, prints one line with WORDS, and leaves no trace.
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

# bounded PATH: succeeds if import ends within 30 s and 2 GB of addresses (more with sanitizers), with exit status 0, or
# with 1 and one line.
bounded() {
    local got
    ([ "${MPGKIT_SANITIZERS:-no}" != no ] || ulimit -v 2000000; exec timeout 30 "$MPGTRACE" import --force "$1" -o "$tmp/bounded.trace") >/dev/null 2>"$tmp/err" </dev/null
    got=$?
    { [ "$got" -eq 0 ] && [ ! -s "$tmp/err" ]; } || { [ "$got" -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]; } && return
    echo "# $1: exit $got"
    head -n 3 "$tmp/err" | sed 's/^/# /'
    return 1
}

# truncated FOLDER FILE: checks that FOLDER stays bounded if FILE in it is cut off, at every 97th byte.
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
