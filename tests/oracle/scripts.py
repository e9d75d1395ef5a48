# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the scripts of this folder that make random programs within this process: an interpreter
for each takes longer than they do."""

import importlib
import io
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True


def made(script, *words, text=""):
    """What the script (randomtrace.py, ...) prints, its arguments being words, its standard input text."""
    main = importlib.import_module(os.path.basename(script).removesuffix(".py")).main
    before = sys.argv, sys.stdin, sys.stdout
    sys.argv, sys.stdin, sys.stdout = [script, *words], io.StringIO(text), io.StringIO()
    try:
        main()
        return sys.stdout.getvalue()
    finally:
        sys.argv, sys.stdin, sys.stdout = before
