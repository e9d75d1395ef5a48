#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim (from $MPGSIM, default ./mpgsim) against the reference implementation, under
# random signatures of a target and a source (TAP).
# $ORACLE_SEEDS says of how many programs; arguments: those of compare_signatures.py.

here=$(dirname "$0")
set -- "$here/compare_signatures.py" "$@"
program=${MPGSIM:-./mpgsim}
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
if ! command -v "${program%% *}" >/dev/null; then
    echo "Bail out! no $program: set MPGSIM"
    exit 1
fi
exec python3 "$@"
