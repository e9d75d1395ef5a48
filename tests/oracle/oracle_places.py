# SPDX-License-Identifier: GPL-3.0-or-later
"""Where ranks are on the target, and what classes of path are between them
(docs/MODEL.md section 5, --map)."""

from oracle_signature import PATHS

COMPLEX, NODE, BETWEEN = PATHS
PREFERRED = {COMPLEX: [COMPLEX, NODE, BETWEEN], NODE: [NODE, COMPLEX, BETWEEN],
             BETWEEN: [BETWEEN, NODE, COMPLEX]}


class Places:
    """Of every rank its node, and the core complex on it if that is known."""

    def __init__(self, text, ranks):
        kind, _, number = text.partition(":")
        self.complexes = [None] * ranks
        if kind == "block" and number:
            self.nodes = [str(rank // int(number)) for rank in range(ranks)]
        elif kind == "cyclic" and number:
            self.nodes = [str(rank % int(number)) for rank in range(ranks)]
        else:
            with open(text, encoding="ascii") as file:
                words = [line.split() for line in file]
            self.nodes = [line[0] for line in words]
            self.complexes = [line[1] if len(line) > 1 else None for line in words]

    def between(self, a, b):
        """The class of the path between two ranks, had it been measured."""
        if self.nodes[a] != self.nodes[b]:
            return BETWEEN
        known = self.complexes[a] is not None and self.complexes[a] == self.complexes[b]
        return COMPLEX if a == b or known else NODE


class Paths:
    """The target's path of every pair of ranks, or None."""

    def __init__(self, signature, places, name, ranks):
        self.signature, self.places, self.ranks = signature, places, ranks
        self.chosen = signature and signature.path(name)

    def __call__(self, a, b):
        if not self.signature or not self.places:
            return self.chosen
        return next((self.signature.paths[name]
                     for name in PREFERRED[self.places.between(a, b)]
                     if name in self.signature.paths), None)

    def taken(self):
        """Those of any two ranks."""
        pairs = [self(a, b) for a in range(self.ranks) for b in range(self.ranks)
                 if a != b or self.ranks == 1]
        return [path for path in pairs if path]

    def farthest(self):
        """That any two ranks have."""
        some = self.taken()
        return max(some, key=lambda path: PATHS.index(path.name), default=None)
