#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle-hypotheses.sh, of messages that are inserted (TAP).

exec env ORACLE_COMPARE=compare_hypotheses.py sh "$(dirname "$0")/test-oracle.sh" --exchanges=1 --first=20000 "$@"
