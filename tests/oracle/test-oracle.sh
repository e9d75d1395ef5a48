#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim (from $MPGSIM, default ./mpgsim) against the reference implementation,
# on random traces, for every way to absorb and several perturbations (TAP).
# Arguments: --first SEED --seeds N --steps N --kinds LIST --also=PERTURBATION.
# $ORACLE_COMPARE is the comparison to run, if not this one.

here=$(dirname "$0")
set -- "$here/${ORACLE_COMPARE:-compare_oracle.py}" "$@"
program=${MPGSIM:-./mpgsim}
if ! command -v "${PYTHON3:-python3}" >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
if ! command -v "${program%% *}" >/dev/null; then
    echo "Bail out! no $program: set MPGSIM"
    exit 1
fi
exec "${PYTHON3:-python3}" "$@"
