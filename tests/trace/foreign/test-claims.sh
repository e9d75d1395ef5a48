#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Short files that name many ranks, threads, requests or operations (TAP): readers take no more memory and time than the bytes
# justify. Expected results are written down by hand; claims.py says what the files hold.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp
python3 "$here/claims.py" "$tmp/in" || exit 1

# import FILE: opens FILE within a minute of CPU time and 1 GiB of addresses. A reader that believed the sizes in the
# file would need many times as much.
import() {
    (
        [ "${MPGKIT_SANITIZERS:-no}" = yes ] || ulimit -v 1048576
        ulimit -t 60
        exec "$MPGTRACE" print "$tmp/in/$1"
    ) >"$tmp/out" 2>"$tmp/err"
}

# little FILE: checks that opening FILE needs less than 48 MiB of memory.
little() {
    if [ "${MPGKIT_SANITIZERS:-no}" = yes ] || ! [ -x "$build/tests/peak_memory" ]; then
        skip "memory of $1" "sanitizers keep freed memory, or tests/peak_memory is not built"
        return
    fi
    local used
    used=$("$build/tests/peak_memory" "$MPGTRACE" print "$tmp/in/$1" 2>/dev/null | tail -n 1)
    ok "$1: ${used:-no} KiB" test "${used:-999999}" -le 49152
}

# refused FILE WORDS: checks that FILE is refused with one line that contains WORDS, in little memory.
refused() {
    import "$1"
    is "$1: status and lines" "$? $(wc -l <"$tmp/err")" "1 1"
    ok "$1: $2" grep -qF "$2" "$tmp/err"
    little "$1"
}

import requests
is "requests: status" "$?" 0
is "requests: the first Waitall completes both" "$(grep -c 'Waitall requests=1,2' "$tmp/out")" 1
is "requests: the others complete none" "$(grep -c 'Waitall' "$tmp/out")" 4000
little requests

import alone
is "alone: status" "$?" 0
is "alone: the communicator of rank 1" "$(grep -c '^#comm 1 .*= 1$' "$tmp/out")" 1

import groups
is "groups: status" "$?" 0
is "groups: a communicator of rank 0" "$(grep -c 'Comm_create comm=0 newcomm=1' "$tmp/out")" 1
little groups

import threads/t.prv
is "threads: status" "$?" 0
is "threads: calls of both tasks" "$(grep -c 'MPI_Comm_split\| 10 20 Init' <(sed 's/^0 0 10 Init/0 10 20 Init/' "$tmp/out"))" 2
little threads/t.prv

refused shared.goal "share bytes"
refused named.goal "more requirements than the 1000 in its list"
refused rank.ti "rank 0 of 1048576 has no actions"
refused twice.ti "twice"

done_testing
