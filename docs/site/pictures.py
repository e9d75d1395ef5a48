#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the pictures of docs/guide/pictures.md by the commands that the page shows, in a folder that shows them the source folder's
files. Commands are found in PATH. usage: pictures.py --source FOLDER --out FOLDER"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

PAGE = "docs/guide/pictures.md"
LICENCE = "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->"


def make(source, out):
    """Runs the commands of PAGE and copies the pictures that the page shows to OUT; returns their names."""
    with open(os.path.join(source, PAGE), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    shown = re.findall(r"!\[[^]]*\]\((pictures/[^)]+)\)", text)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "results"):
            os.symlink(os.path.abspath(os.path.join(source, name)), os.path.join(folder, name))
        for line in re.findall(r"^    \$ (.*)$", text, re.M):
            done = subprocess.run(shlex.split(line), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"make pictures: {line}: {done.stderr.strip()}")
        os.makedirs(out, exist_ok=True)
        for name in shown:
            if not os.path.exists(os.path.join(folder, name)):
                sys.exit(f"make pictures: no command of {PAGE} draws {name}")
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                head, picture = file.read().split("\n", 1)
            with open(os.path.join(out, os.path.basename(name)), "w", encoding="utf-8") as file:
                file.write(f"{head}\n{LICENCE}\n{picture}")
    return shown


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--source", required=True)
    options.add_argument("--out", required=True)
    given = options.parse_args()
    for name in make(given.source, given.out):
        print(os.path.join(given.out, os.path.basename(name)))


if __name__ == "__main__":
    main()
