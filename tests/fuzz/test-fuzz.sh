#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What fuzzers found is replayed (TAP): each harness reads its corpus, and those of files that
# other programs read in the same way the hostile ones, too. docs/FUZZING.md.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../tap.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp

for parser in trace text profile signature results spec collectives hypotheses pipeline cache target map manifest history runs foreign; do
    program=$build/tests/fuzz/fuzz_$parser
    folders=("$here/corpus-$parser")
    case $parser in
    trace | text | pipeline) folders+=("$here/hostile") ;;
    signature) folders+=("$here/hostile/plot-loop.sig") ;;
    esac
    ok "$parser has a corpus" test "$(find "$here/corpus-$parser" -type f | wc -l)" -ge 10
    if "$program" "${folders[@]}" > "$tmp/out" 2>&1; then
        ok "$parser: $(grep -c '^ok' "$tmp/out") folders" test "$(grep -c '^ok' "$tmp/out")" = "${#folders[@]}"
    else
        ok "$parser" false
        sed 's/^/# /' "$tmp/out" | tail -n 20
    fi
done
done_testing
