#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle.sh, of hypotheses in both modes (TAP).
# $ORACLE_SEEDS says of how many programs; arguments: those of compare_hypotheses.py.

exec env ORACLE_COMPARE=compare_hypotheses.py sh "$(dirname "$0")/test-oracle.sh" "$@"
