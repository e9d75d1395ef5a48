#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle.sh, on programs whose masters take what has come and work on it in loops, so late that
# some comes while they do (TAP). Arguments: those of compare_oracle.py.

exec sh "$(dirname "$0")/test-oracle.sh" --open --loops --choices --all --seeds "${ORACLE_SEEDS:-3}" \
    --steps 40 --also='--noise const:20us@1' --also='--noise const:9us@2' --also='--noise const:30us@1,2' "$@"
