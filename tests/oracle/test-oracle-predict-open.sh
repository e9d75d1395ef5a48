#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle-predict.sh, on programs whose masters receive and probe what comes, from whomever, on
# machines on which it comes in another order (TAP). Arguments: those of compare_predict.py.

exec sh "$(dirname "$0")/test-oracle-predict.sh" --open --choices --seeds "${ORACLE_SEEDS:-8}" "$@"
