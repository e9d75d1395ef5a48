#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Worlds that a program spawns write traces of their own (TAP).
set -u
. "$(dirname "$0")/traced.sh"
spawn=$build/tests/trace/pmpi/spawn
[ -x "$spawn" ] || skip_all "no tests/trace/pmpi/spawn"
# shellcheck disable=SC2086 # mpirun may have arguments
timeout 100 $mpirun -np 2 "$spawn" "$spawn" >plain 2>err || skip_all "no processes can be spawned here"

# recorded TRACE: records the parents as TRACE, and their children as app.trace.
recorded() {
    traced 2 "$1" --force "$spawn" "$MPGTRACE" record --quiet -o "$tmp/app.trace" "$spawn"
}

# calls TRACE NAME: prints the number of rank 0's calls of NAME.
calls() {
    "$MPGTRACE" print "$1" | awk -v name="$2" '!/^#/ && $1 == 0 && $4 == name { n++ } END { print n + 0 }'
}

ok "it runs under the tracer" recorded app.trace
is "its output is unchanged" "$(cat out)" "$(cat plain)"
is "the tracer says nothing" "$(cat err)" ""
is "each world has a folder" "$(cd app.trace && echo *)" \
    "rank-0.mpgt rank-1.mpgt spawned-0 spawned-1"
for world in app.trace app.trace/spawned-0 app.trace/spawned-1; do
    is "$world is whole" "$(calls $world Init) $(calls $world Finalize)" "1 1"
done
is "the parents' trace has both calls" "$(calls app.trace Comm_spawn)" 2
ok "once more" recorded app.trace
is "... replaces the jobs of before" "$(cd app.trace && echo spawned-*)" "spawned-0 spawned-1"
rm -r app.trace
ok "without a folder for the parents" recorded other.trace
is "... the children make theirs" "$(cd app.trace && echo *)" "spawned-0 spawned-1"
# The parents remove the tracer from their children's environment.
printf '#!/bin/sh\nunset LD_PRELOAD\nexec "$@"\n' >bare
chmod +x bare
timeout 600 $mpirun -np 2 "$MPGTRACE" record -o bare.trace "$spawn" "$tmp/bare" "$spawn" >out 2>err
is "without the tracer for the children" "$(cat out)" "$(cat plain)"
is "... it is said" "$(grep -c "^mpgtrace: 2 of 2 jobs that it spawned have no trace in bare.trace: " err)" 1
timeout 600 $mpirun -np 2 "$MPGTRACE" record -o all.trace "$spawn" "$MPGTRACE" record --quiet -o "$tmp/all.trace" "$spawn" >out 2>err
is "with it nothing is said of that" "$(grep -c spawned err)" 0
done_testing
