# SPDX-License-Identifier: GPL-3.0-or-later
"""Where ranks are on a machine, and the classes of path between them (docs/MODEL.md, section 5, --map, and Decisions,
Paths)."""

from oracle_signature import PATHS

COMPLEX, NODE, BETWEEN = PATHS
PREFERRED = {COMPLEX: [COMPLEX, NODE, BETWEEN], NODE: [NODE, COMPLEX, BETWEEN],
             BETWEEN: [BETWEEN, NODE, COMPLEX]}


class Places:
    """Each rank's node, and its core complex if that is known."""

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

    @classmethod
    def of_hosts(cls, names):
        """Returns places on nodes with these names, one for each rank; core complexes are unknown."""
        places = cls(f"block:{len(names)}", len(names))
        places.nodes = list(names)
        return places

    def shares_complex(self):
        """Returns whether any two ranks share a core complex."""
        known = [place for place in zip(self.nodes, self.complexes) if place[1] is not None]
        return len(known) > len(set(known)) or len(self.nodes) == 1

    def between(self, a, b):
        """Returns the class of the path between two ranks, whether or not it was measured."""
        if self.nodes[a] != self.nodes[b]:
            return BETWEEN
        known = self.complexes[a] is not None and self.complexes[a] == self.complexes[b]
        return COMPLEX if a == b or known else NODE


class Hosts:
    """The part of a trace that shows which ranks share a host."""

    def __init__(self, places):
        self.ranks = len(places.nodes)
        self.hosts = places.nodes


class Paths:
    """A machine's path between every pair of ranks, or None."""

    def __init__(self, signature, places, name, ranks):
        self.signature, self.places, self.ranks = signature, places, ranks
        self.chosen = signature and signature.path(name)
        self.fits = lambda path: path.latency or path.transfer  # whether a path has what messages need

    def __call__(self, a, b):
        return self.tried(a, b)[0]

    def tried(self, a, b):
        """Returns the paths that a message can take; the first one that has what messages need is used."""
        if not self.signature or not self.places:
            return [self.chosen]
        paths = [self.signature.paths[name]
                 for name in PREFERRED[self.places.between(a, b)]
                 if name in self.signature.paths]
        if a == b and not self.places.shares_complex():
            return list(filter(self.fits, paths)) or paths[:1] or [None]
        return paths[:1] or [None]

    def taken(self):
        """Returns the paths of all pairs of ranks."""
        pairs = [self(a, b) for a in range(self.ranks) for b in range(self.ranks)
                 if a != b or self.ranks == 1]
        return [path for path in pairs if path]

    def farthest(self):
        """Returns the farthest path between any two ranks."""
        some = self.taken()
        return max(some, key=lambda path: PATHS.index(path.name), default=None)
