#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Collectives and programs that do them by hand take as long (TAP).
set -u
mpgsim=${MPGSIM:-mpgsim}
command -v "$mpgsim" >/dev/null || { echo "Bail out! no $mpgsim"; exit 1; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
PYTHONDONTWRITEBYTECODE=1 "${PYTHON3:-python3}" "${top_srcdir:?}/tests/simulate/expanded.py" "$mpgsim" "$dir"
