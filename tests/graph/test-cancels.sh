#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that cancel the receives that they keep in reserve (tests/graph/cancels.c), from
# the run to mpgsim's answer (TAP).
set -u
. "$(dirname "$0")/../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ -x "$build/tests/graph/cancels" ] || skip_all "no tests/graph/cancels"
command -v "${mpirun%% *}" >/dev/null || skip_all "no $mpirun"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# traced HOW: records tests/graph/cancels HOW as HOW.trace.
traced() {
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout -k 5 600 $mpirun -np 3 "$MPGTRACE" record -o "$1.trace" "$build/tests/graph/cancels" \
        "$1" >log 2>&1
}

# number KEY: prints the number KEY of the prediction in out.
number() {
    awk -v key="\"$1\":" '$1 == key { sub(",", ""); print $2 }' out
}

# cancelled HOW COUNT [MORE]: records and simulates cancels HOW. COUNT receives never complete; each rank receives 10 +
# MORE messages.
cancelled() {
    ok "$1: it runs under the tracer" traced "$1"
    ok "$1: mpgsim goes on" "$MPGSIM" --json --absorb=none --latency=const:1us -o out "$1.trace"
    is "$1: it counts what is never completed" "$(number cancelled) $(number unmatched)" "$2 0"
    is "$1: and nothing is lost" "$(number messages)" $((3 * (10 + ${3-0})))
}

cancelled leave 12
cancelled wait 0
cancelled free 12
cancelled persistent 15
cancelled source 15 1
like "the answer says so" "$("$MPGSIM" leave.trace)" "*cancelled*12 requests were cancelled*"
done_testing
