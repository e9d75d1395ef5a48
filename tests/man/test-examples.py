#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples in man pages (TAP): each block after a comment '.\\" lines: ADDRESS' shows the real output of its command on
files of the source folder, of which 'sed -n ADDRESS' selects the lines. With --write: writes the current output into
the pages (programs: PROGRAM=path in the environment, or those of the folder build)."""

import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
from outputs import SOURCE, copied, needed  # noqa: E402
from tap import finish, ok  # noqa: E402

BLOCK = re.compile(r'(\.\\" lines: (.*)\n\.EX\n(\$ .*)\n)((?:(?!\.EE).*\n)*)(\.EE\n)')


def plain(text):
    return text.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")


def roff(line):
    line = line.rstrip().replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + line if line.startswith(".") else line


def output(command, address):
    """Returns the lines of COMMAND's output that ADDRESS selects, in the format of man pages; '...' replaces others."""
    words = shlex.split(plain(command[2:]))
    with tempfile.TemporaryDirectory() as folder:
        for word in words[1:]:
            name = word.split("=", 1)[-1].split(",", 1)[0]
            given, copy = os.path.join(SOURCE, name), os.path.join(folder, name)
            if not name.startswith("-") and os.path.exists(given) and not os.path.exists(copy):
                copied(given, copy)
        run = subprocess.run([needed(words[0]), *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        numbered = "".join(f"{line}\n" for line in run.stdout.splitlines())
        shown = subprocess.run(["sed", "-n", f"{address}{{=;p}}"], input=numbered, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = shown.split("\n")[:-1]
    numbers, texts = [int(n) for n in lines[::2]], [roff(line) for line in lines[1::2]]
    if not numbers:
        return f"nothing that {address} selects: {run.stderr}{run.stdout}"
    while not texts[-1]:
        texts.pop()
    if numbers[0] > 1:
        texts.insert(0, "\\&...")
    if numbers[-1] < len(run.stdout.splitlines()):
        texts.append("\\&...")
    return "".join(f"{line}\n" for line in texts)


def main():
    write = sys.argv[1:] == ["--write"]
    for page in sorted(glob.glob(os.path.join(SOURCE, "man", "*.[1-9]"))):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        new = BLOCK.sub(lambda m: m[1] + (output(m[3], m[2])) + m[5], text)
        if write and new != text:
            with open(page, "w", encoding="utf-8") as file:
                file.write(new)
        for was, now in zip(BLOCK.finditer(text), BLOCK.finditer(new)):
            if not write:
                ok(f"{os.path.basename(page)}: {plain(was[3])}", was[4] == now[4],
                   "the program prints (tests/man/test-examples.py --write puts it into the page):\n# " + now[4].replace("\n", "\n# "))
        marked = text.count('.\\" lines: ')
        if marked and not write:
            ok(f"{os.path.basename(page)}: all {marked} examples are read", marked == len(BLOCK.findall(text)))
    if not write:
        sys.exit(finish())


main()
