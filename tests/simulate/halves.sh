#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make halves: does half of this machine's detour record predict the other half?
# Argument: how long to measure each core (default: 60s). Never a pass or a fail.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$FTQ" --mode detour --duration "${1:-60s}" -o "$work/results"
"$SIGMAKE" "$work/results" >"$work/halves.sig" 2>"$work/warnings"
"${top_builddir:?}/tests/simulate/replay_halves" "$work/halves.sig"
