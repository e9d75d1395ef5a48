#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What reads traces names a damaged file in one line, and once (TAP): the chunk of a folder, a folder with a slash behind it, standard input.
set -u
. "${top_srcdir:?}/tests/tap.sh"
. "$top_srcdir/tests/traces.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ring 3 2 8 >ring.txt
"$MPGTRACE" import --text=ring.txt -o ring.trace
# A damaged byte in the middle of rank 1's file: in its chunk of events, which is read only when these are requested.
at=$(($(wc -c <ring.trace/rank-1.mpgt) / 2))
before=$(od -An -tu1 -j $at -N1 ring.trace/rank-1.mpgt)
printf '%b' "\\x$(printf %x $((255 - before)))" | dd of=ring.trace/rank-1.mpgt bs=1 seek=$at conv=notrunc 2>dd.err
cat ring.trace/*.mpgt >ring.mpgt
damage="rank 1, call 0: damaged trace (checksum)"
for command in print stat timeline graph matrix sizes waits; do
    "$MPGTRACE" $command ring.trace 2>&1 >out | cat >err
    is "mpgtrace $command" "$(cat err)" "mpgtrace $command: ring.trace/rank-1.mpgt: $damage"
    "$MPGTRACE" $command ring.trace/ 2>&1 >out | cat >err
    is "... a slash behind it" "$(sed 's,//,/,' err)" "mpgtrace $command: ring.trace/rank-1.mpgt: $damage"
    "$MPGTRACE" $command - <ring.mpgt 2>&1 >out | cat >err
    is "... standard input" "$(cat err)" "mpgtrace $command: standard input: $damage"
done
"$MPGSIM" ring.trace >out 2>err
is "mpgsim" "$? $(cat err)" "1 mpgsim: ring.trace/rank-1.mpgt: $damage"
"$MPGSCALE" ring.trace >out 2>err
is "mpgscale" "$? $(head -n 1 err)" "1 mpgscale: ring.trace/rank-1.mpgt: $damage: left out"
# Errors in calls name the trace, also if the trace's name is the beginning of the message (here a trace called "rank").
sed 's/^\(2 .*Send to=0 \)tag=3/\1tag=4/' ring.txt >rank
"$MPGTRACE" waits rank >out 2>err
is "what is wrong with calls: the trace is named" "$? $(cut -d: -f1-3 err)" "1 mpgtrace waits: rank: rank 0, call 2 (MPI_Recv)"
done_testing
