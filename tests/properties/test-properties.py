#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks properties of the model on random programs with random options (TAP); check_properties.py describes the
arguments."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from check_properties import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
