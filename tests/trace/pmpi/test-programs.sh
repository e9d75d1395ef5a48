#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What real programs do with MPI: the same with the tracer, and mpgsim gives back the
# times of the trace (TAP).
set -u
. "$(dirname "$0")/traced.sh"
programs=$build/tests/trace/pmpi/programs
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
[ -x "$programs" ] || skip_all "no tests/trace/pmpi/programs"

# identity TRACE: prints every delay that is not 0, and mpgsim's messages, except that there were more ranks than cores,
# which is true here.
identity() {
    for absorb in clock wait none; do
        "$MPGSIM" --per-rank --absorb=$absorb "$1" 2>&1 >delays |
            sed '/^mpgsim: attention: cores: /d'
        awk 'NR == 1 ? $1 != "rank" : $3 != 0' delays
    done
}

for program in group_order buffered_again head_on; do
    traced 4 $program.trace "$programs" $program
    is "$program runs under the tracer" "$?: $(cat out err)" "0: done"
    is "... and its trace gives its times back" "$(identity $program.trace)" ""
done
is "a persistent request stays one when its handle changes" \
    "$(printed buffered_again.trace | awk '/Start|Wait|Request_free/ {
        sub(/ site=.*/, ""); $1 = $2 = $3 = ""; print $0 }' | sed 's/^ *//')" \
    "Start persistent=1 requests=1
Wait requests=1
Start persistent=1 requests=2
Wait requests=2
Start persistent=1 requests=3
Wait requests=3
Request_free persistent=1"
like "ranks that wait for each other are not taken for killed ones" \
    "$("$MPGSIM" --eager-limit=-1 head_on.trace 2>&1)" "*a larger --eager-limit may let it complete*"
done_testing
