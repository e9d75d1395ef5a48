#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As test-oracle.sh, on programs of receives that are waited and tested for in any order, so late
# that other ones come first (TAP). Arguments: those of compare_oracle.py.

exec sh "$(dirname "$0")/test-oracle.sh" --choices --seeds "${ORACLE_SEEDS:-16}" --steps 100 \
    --kinds irecv,isend,send,recv,waitany,waitsome,testany,testsome,fail,fail,test,free,mprobe,mrecv,persistent,isendrecv,waitall,pair \
    --also='--noise const:20us@{last}' --also='--noise const:30us@0' \
    --also='--latency const:40us --noise const:-3us' "$@"
