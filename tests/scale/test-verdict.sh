#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How often mpgscale's verdict is right, of profiles with 30 % noise (TAP): by docs/GROWTH.md, 98 of 100
# with one run of each process count. The draws are the same each time.
set -u
# shellcheck source=tests/tap.sh
. "${top_srcdir:?}/tests/tap.sh"

rates() {
    "${PYTHON3:-python3}" "$top_srcdir/tests/scale/verdict_rates.py" "$@"
}

# at_least LEAST "right in N of M": succeeds if N is at least LEAST.
at_least() {
    [ "$(printf '%s\n' "$2" | awk '{ print $3 }')" -ge "$1" ] && return 0
    echo "# $2"
    return 1
}

# at_most MOST "constant callsites 100, named X, ...": succeeds if X is at most MOST.
at_most() {
    printf '%s\n' "$2" | awk -v most="$1" '{ exit !($4 == "named" && $5 + 0 <= most) }' && return 0
    echo "# $2"
    return 1
}

ok "one run of each count: the one that grows, 95 of 100" at_least 95 "$(rates --trials 100)"
ok "three runs: 99 of 100" at_least 99 "$(rates --trials 100 --runs 3)"
ok "100 constant callsites, three runs: at most two named" at_most 2 "$(rates --trials 3 --runs 3 --constant 100)"
ok "one run: at most two named" at_most 2 "$(rates --trials 3 --constant 100)"
done_testing
