# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of mpgsim's options and their former words, from the list that mpgsim and mpghistory read. The oracle's own
options have the former words."""

import os
import re

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "history", "options.c")


def renamed():
    """Returns (old, new) pairs, each a whole option or, with = at its end, the part before the argument."""
    with open(LIST, encoding="ascii") as file:
        return [("--" + old, "--" + new) for old, new in re.findall(r'\{"([a-z=-]+)", "([a-z=-]+)"\}', file.read())]


RENAMED = renamed()


def older(word):
    """Returns the former word for an option: --source=latency=1us as --source-latency=1us; others unchanged."""
    if re.match("--target=(?![A-Z][A-Za-z]*=)(?!(work|get|engine)=)", word):
        return word  # a name or a file, which it was before
    for old, new in sorted(RENAMED, key=lambda pair: -len(pair[1])):
        if word.startswith(new) if new.endswith("=") else word == new:
            return old + word[len(new):]
    return word


def own(words):
    """Returns a command line with the oracle's own options; a list of words becomes an option for each."""
    split = [f"--without={one}" for word in words if word.startswith("--without=") for one in word.partition("=")[2].split(",")]
    return [older(word) for word in [w for w in words if not w.startswith("--without=")][:-1] + split + words[-1:]]
