#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle-predict.sh, on programs of receives that are waited and tested for in any order, on
# machines on which they come in another one (TAP). Arguments: those of compare_predict.py.

exec sh "$(dirname "$0")/test-oracle-predict.sh" --choices --first 2100 "$@"
