#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle-predict.sh, on programs whose masters take what has come and work on it in loops
# (TAP). Arguments: those of compare_predict.py.

exec sh "$(dirname "$0")/test-oracle-predict.sh" --open --loops --seeds "${ORACLE_SEEDS:-6}" --first 1 "$@"
