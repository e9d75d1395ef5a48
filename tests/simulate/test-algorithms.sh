#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Expanded collectives against members that send and receive one by one (TAP).
set -u
cd "${top_builddir:?}" || exit 1
PYTHONDONTWRITEBYTECODE=1 "${PYTHON3:-python3}" "${top_srcdir:?}/tests/simulate/algorithms.py" \
    tests/simulate/expand_case
