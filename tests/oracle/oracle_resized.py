# SPDX-License-Identifier: GPL-3.0-or-later
"""The effect of hypotheses on the bytes of messages and collectives, in perturb mode (docs/MODEL.md, section 10)."""

import math

from oracle_dropped import Select
from oracle_exact import Fraction
from oracle_matching import CONSTRUCTORS, NONBLOCKING_COLLECTIVES, PERSISTENT_COLLECTIVES, WINDOW_MEETINGS
from oracle_trace import OracleError

HALF = Fraction(1, 2)


class Resize:
    """One such hypothesis; bytes= is the new size."""

    def __init__(self, words):
        given = dict(word.split("=") for word in words)
        self.factor, self.size = given.pop("factor", None), given.pop("bytes", None)
        self.select = Select([f"{key}={value}" for key, value in given.items()])

    def may_be_of(self, names):
        """Returns whether it can be about collectives of these names."""
        call = self.select.args.get("call")
        blocking = NONBLOCKING_COLLECTIVES.get(call, PERSISTENT_COLLECTIVES.get(call, call))
        return not self.select.of_messages and (not call or blocking in names | {"Start", "Startall"})

    def of(self, size):
        return int(self.size) if self.size else math.floor(Fraction(self.factor) * size + HALF)


def to_others(group, j):
    """Returns a member's bytes, without those of its vector that it keeps."""
    terms = group[j].terms
    return terms.own_bytes() - (terms.numbers("bytes")[j] if group[j].name in ("Alltoallv", "Alltoallw") else 0)


class Resized:
    """The new size d' of every message and of every member's part."""

    def __init__(self, resizes, matching):
        self.resizes = resizes
        self.size = {one: self.size_of(Select.message, one, one.bytes) for one in matching.messages}
        self.part = {part: self.size_of(Select.part, part, to_others(group, j)) for _, group in matching.groups
                     if group[0].name not in CONSTRUCTORS | WINDOW_MEETINGS for j, part in enumerate(group)}

    def size_of(self, selects, one, size):
        about = [resize for resize in self.resizes if selects(resize.select, one)]
        if len(about) > 1:
            raise OracleError("contradict each other")
        return about[0].of(size) if about else size
