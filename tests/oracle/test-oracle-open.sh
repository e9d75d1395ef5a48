#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle.sh, on programs whose masters receive and probe what comes, from whomever, so late or
# early that other messages come first (TAP). Arguments: those of compare_oracle.py.

exec sh "$(dirname "$0")/test-oracle.sh" --open --choices --seeds "${ORACLE_SEEDS:-8}" --steps 40 \
    --also='--noise const:20us@1' --also='--noise const:9us@2' --also='--noise const:-3us@1' "$@"
