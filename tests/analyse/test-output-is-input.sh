#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace and mpgscale refuse an output that is their input (TAP): a text, a chunk of a folder, standard input.
set -u
. "${top_srcdir:?}/tests/tap.sh"
. "$top_srcdir/tests/traces.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ring 3 2 8 >ring.txt
cp ring.txt kept.txt
"$MPGTRACE" import --text=ring.txt -o ring.trace
cp -r ring.trace kept.trace
for command in print timeline graph matrix sizes waits; do
    "$MPGTRACE" $command -o ./ring.txt ring.txt >out 2>err
    is "mpgtrace $command: a text" "$? $(cat out err) $(cmp ring.txt kept.txt)" \
        "1 mpgtrace $command: --output: ./ring.txt is an input "
    "$MPGTRACE" $command -o ring.txt - <ring.txt >out 2>err
    is "... standard input" "$? $(cat out err) $(cmp ring.txt kept.txt)" "1 mpgtrace $command: --output: ring.txt is an input "
    "$MPGTRACE" $command -o ring.trace/rank-0.mpgt ring.trace >out 2>err
    is "... a chunk" "$? $(cat out err) $(diff -r ring.trace kept.trace)" \
        "1 mpgtrace $command: --output: ring.trace/rank-0.mpgt is an input "
    "$MPGTRACE" $command -o ring.trace/more.mpgt ring.trace >out 2>err
    is "... what would be one" "$? $(cat out err) $(diff -r ring.trace kept.trace)" \
        "1 mpgtrace $command: --output: ring.trace/more.mpgt would lie in an input folder, as a part of the input "
    "$MPGTRACE" $command -o other ring.trace >out 2>err
    is "... another file is written" "$? $(test -s other && echo some)" "0 some"
done
"$MPGSCALE" -o ring.trace/rank-0.mpgt ring.trace >out 2>err
is "mpgscale: a chunk" "$? $(cat out err) $(diff -r ring.trace kept.trace)" \
    "1 mpgscale: --output: ring.trace/rank-0.mpgt is an input "
mkdir results
cp "$top_srcdir"/results/reference/ftq-core?.samples results/
cp -r results kept.results
for file in ftq-core1.samples new.samples; do
    "$SIGMAKE" -o results/$file results >out 2>err
    like "sigmake: $file" "$? $(cat out err) $(diff -r results kept.results)" "1 sigmake: --output: results/$file *input "
done
"$SIGMAKE" -o results/made.sig results >out 2>err
is "... a signature beside them" "$? $(test -s results/made.sig && echo some)" "0 some"
done_testing
