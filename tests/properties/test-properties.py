#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of the model on random programs under random options (TAP); check_properties.py
has the arguments."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from check_properties import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
