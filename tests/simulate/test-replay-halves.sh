#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Half of a detour record, replayed, predicts the other half's lost time in
# windows of 0.1 to 100 ms; independent draws do not. On made-up records, since
# a machine may really change from one half to the other ('make halves' shows
# this machine's).
. "${top_srcdir:?}/tests/tap.sh"
halves=${top_builddir:?}/tests/simulate/replay_halves
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The intervals are of 95 %. The eight statistics of a record are correlated, so all of one record may lie outside.
"$halves" --synthetic 8 >"$work/replay"
read -r _ inside _ all <<<"$(tail -n 1 "$work/replay")"
ok "replay: $inside of $all sampled statistics are inside the other half's interval" \
    test "$all" = 64 -a "$inside" -ge 55
"$halves" --independent --synthetic 2 >"$work/independent"
read -r _ inside _ all <<<"$(tail -n 1 "$work/independent")"
ok "independent draws: $inside of $all" test "$all" = 16 -a "$inside" -le 8
"$halves" "$work/nothing.sig" >"$work/out" 2>"$work/err"
is "no such signature" "$?" 1
done_testing
