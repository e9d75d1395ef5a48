#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of docs/guide/pictures.md (TAP): the commands on the page draw each picture of the page, with the texts of the stored
picture."""

import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE, BUILD = os.environ["top_srcdir"], os.environ["top_builddir"]
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(SOURCE, "docs", "site")]
from pictures import make  # noqa: E402
from tap import finish, ok, skip  # noqa: E402


def texts(name):
    """Returns the version of gnuplot that drew a picture, and the texts of the picture, in order."""
    with open(name, encoding="utf-8") as file:
        picture = file.read()
    return re.search(r"<desc>(.*?)</desc>", picture)[1], [
        " ".join(re.sub(r"<[^>]*>", "", text).split()) for text in re.findall(r"<text[^>]*>(.*?)</text>", picture, re.S)]


def is_same(new, stored):
    """Returns whether two pictures have the same texts; by another version of gnuplot, but for the numbers at the axes."""
    words = lambda drawn: [text for text in drawn[1] if not re.match(r"-?[0-9]", text)]  # noqa: E731
    return len(words(new)) > 2 and (new == stored if new[0] == stored[0] else words(new) == words(stored))


def main():
    if not shutil.which("gnuplot"):
        skip("pictures", "no gnuplot")
        return
    os.environ["PATH"] = ":".join([os.path.join(BUILD, room) for room in ("trace", "signature", "simulate")] + [os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        names = make(SOURCE, folder)
        ok("the page has pictures", len(names) > 2, names)
        for name in names:
            new, stored = (texts(os.path.join(place, os.path.basename(name))) for place in
                           (folder, os.path.join(SOURCE, "docs", "guide", "pictures")))
            ok(f"{name} is the picture that its command draws", is_same(new, stored), [new, stored, "make pictures"])


main()
sys.exit(finish())
