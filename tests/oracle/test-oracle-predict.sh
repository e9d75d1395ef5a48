#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle.sh, of predict mode (TAP).
# $ORACLE_SEEDS says of how many programs; arguments: those of compare_predict.py.

exec env ORACLE_COMPARE=compare_predict.py sh "$(dirname "$0")/test-oracle.sh" "$@"
