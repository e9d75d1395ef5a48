# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs this folder's scripts that make random programs within this process, because starting an interpreter for each
takes longer than they do."""

import importlib
import io
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True


def made(script, *words, text=""):
    """Returns what the script (randomtrace.py, ...) prints with arguments WORDS and standard input TEXT."""
    main = importlib.import_module(os.path.basename(script).removesuffix(".py")).main
    before = sys.argv, sys.stdin, sys.stdout
    sys.argv, sys.stdin, sys.stdout = [script, *words], io.StringIO(text), io.StringIO()
    try:
        main()
        return sys.stdout.getvalue()
    finally:
        sys.argv, sys.stdin, sys.stdout = before
