#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle.sh, under random signatures of a target and a source (TAP).
# $ORACLE_SEEDS says of how many programs; arguments: those of compare_signatures.py.

exec env ORACLE_COMPARE=compare_signatures.py sh "$(dirname "$0")/test-oracle.sh" "$@"
