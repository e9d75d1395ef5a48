# SPDX-License-Identifier: GPL-3.0-or-later
"""The algorithm of a collective, by mpgcollectives(5), and its messages in a group of members (docs/COLLECTIVES.md)."""

import os

import oracle_algorithms as algorithms
from oracle_algorithms import Plan, below, segments_of, tree_of
from oracle_exact import Fraction
from oracle_matching import CONSTRUCTORS, FROM_ROOT, MEETINGS, PREFIXES, TO_ROOT, WINDOW_MEETINGS

BUILT_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "graph",
                        "algorithms", "openmpi.collectives")
UNITS = {"KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30, "kB": 10 ** 3, "MB": 10 ** 6,
         "GB": 10 ** 9, "B": 1}
TREES = {"linear", "chain", "binary", "binomial", "knomial", "binomial_near"}
DOWN = {"Bcast", "Scatter", "Scatterv"}


def size_bytes(text):
    for unit, factor in UNITS.items():
        if text.endswith(unit):
            return int(text[:-len(unit)]) * factor
    return int(text)


class Choice:
    """One row of a table: an algorithm and its options."""

    def __init__(self, algorithm, options):
        self.algorithm = algorithm
        given = dict(option.split("=", 1) for option in options)
        self.radix = int(given["radix"]) if "radix" in given else 2
        self.segment = size_bytes(given["segment"]) if "segment" in given else None
        self.waits = given.get("first") == "wait"


class Table:
    """The rows of each operation: (processes, bytes, choice)."""

    def __init__(self, path=None):
        self.rows = read_rows(BUILT_IN)
        if path:
            self.rows.update(read_rows(path))

    def choose(self, operation, p, size):
        rows = self.rows[operation]
        most = max(processes for processes, _, _ in rows if processes <= p)
        return max((row for row in rows if row[0] == most and row[1] <= size),
                   key=lambda row: row[1])[2]


def read_rows(path):
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                operation, processes, size, algorithm, *options = words
                rows.setdefault(operation, []).append(
                    (int(processes), size_bytes(size), Choice(algorithm, options)))
    return rows


def expands(settings, group):
    """Returns whether a collective is expanded into messages: if all are, by option; or, with hypotheses and no option,
    if not every member waits for all others; or, if a machine has times of messages, if it has not measured a similar
    collective."""
    some = settings.some and group[0].name not in MEETINGS
    rest = settings.scales and not settings.scales.is_near(group)
    return is_expanded(group) and (settings.collectives == "expand" or some or rest)


def expands_some(settings, suppose, perturbs=True):
    """Returns whether the second case applies."""
    if perturbs and any(resize.may_be_of(FROM_ROOT | TO_ROOT | PREFIXES) for resize in settings.hypotheses.resizes):
        return False
    return bool(suppose) and settings.collectives is None and not settings.sync_reduce


def expands_rest(settings, perturbs=True):
    """Returns whether the third case applies."""
    resized = perturbs and any(resize.may_be_of(MEETINGS | FROM_ROOT | TO_ROOT | PREFIXES)
                               for resize in settings.hypotheses.resizes)
    return (settings.collectives in (None, "measured") and not settings.sync_reduce and settings.latency is None
            and settings.byte is None and not resized)


def is_expanded(group):
    return len(group) > 1 and group[0].name not in CONSTRUCTORS | WINDOW_MEETINGS


def root_of(group):
    rooted = FROM_ROOT | TO_ROOT
    return group[0].terms.number("root") if group[0].name in rooted else 0


class Maker:
    """Makes the plan of one group."""

    def __init__(self, table, group):
        self.table, self.group = table, group
        self.p, self.name = len(group), group[0].name
        self.root = root_of(group)
        self.plan = Plan(self.p)
        self.d = group[self.root].terms.own_bytes()

    def make(self):
        """Returns the plan; v is member (v + root) mod p."""
        getattr(self, self.name.lower().removesuffix("_block"))()
        return self.plan

    def pick(self, operation, size):
        """Returns the row of an operation, which may be a part of another one."""
        return self.table.choose(operation, self.p, size)

    def tree(self, choice):
        return tree_of(choice.algorithm, self.p, choice.radix)

    # From and to a root

    def bcast(self):
        choice = self.pick("bcast", self.d)
        segments = segments_of(self.d, choice.segment)
        if segments:
            self.plan.pipeline(list(range(self.p)), segments)
        else:
            self.plan.is_tree = choice.algorithm in TREES
            self.bcast_whole(choice, self.d)

    def bcast_whole(self, choice, d):
        if choice.algorithm in TREES:
            self.plan.down(self.tree(choice), lambda v: d)
            return
        blocks = [Fraction(d, self.p)] * self.p
        tree = tree_of("binomial", self.p)
        self.plan.down(tree, below(tree, blocks))
        if choice.algorithm == "scatter_ring":
            algorithms.ring(self.plan, blocks, 0)
        else:
            algorithms.allgather_of_any(self.plan, blocks)

    def reduce(self):
        choice = self.pick("reduce", self.d)
        segments = segments_of(self.d, choice.segment)
        if segments:
            self.plan.pipeline(list(reversed(range(self.p))), segments, reduces=True)
        else:
            self.plan.is_tree = choice.algorithm in TREES
            self.reduce_whole(choice, self.d)

    def reduce_whole(self, choice, d):
        if choice.algorithm in TREES:
            self.plan.up(self.tree(choice), lambda v: d, reduces=True)
        else:
            algorithms.reduce_rabenseifner(self.plan, d)

    def own_blocks(self):
        """Returns the bytes that each member contributes, from the root on."""
        sizes = [part.terms.own_bytes() for part in self.group]
        return sizes[self.root:] + sizes[:self.root]

    def scatter(self):
        self.plan.is_tree = True
        self.scatter_blocks("scatter", [self.d] * self.p)

    def scatterv(self):
        sizes = self.group[self.root].terms.numbers("bytes")
        self.scatter_blocks("scatterv", sizes[self.root:] + sizes[:self.root])

    def scatter_blocks(self, operation, blocks):
        tree = self.tree(self.pick(operation, Fraction(sum(blocks), self.p)))
        self.plan.down(tree, below(tree, blocks))

    def gather(self):
        self.plan.is_tree = True
        self.gather_blocks("gather", self.own_blocks())

    def gatherv(self):
        self.gather_blocks("gatherv", self.own_blocks())

    def gather_blocks(self, operation, blocks):
        tree = self.tree(self.pick(operation, Fraction(sum(blocks), self.p)))
        self.plan.up(tree, below(tree, blocks))

    # Of all

    def barrier(self):
        choice = self.pick("barrier", 0)
        if choice.algorithm in TREES:
            tree = self.tree(choice)
            self.plan.up(tree, lambda v: 0)
            self.plan.down(tree, lambda v: 0)
        else:
            getattr(algorithms, "barrier_" + choice.algorithm)(self.plan)

    def allreduce(self):
        choice = self.pick("allreduce", self.d)
        if choice.algorithm == "two":
            self.reduce_whole(self.pick("reduce", self.d), self.d)
            self.bcast_whole(self.pick("bcast", self.d), self.d)
        else:
            getattr(algorithms, "allreduce_" + choice.algorithm)(self.plan, self.d)

    def allgather(self):
        self.allgather_blocks("allgather")

    def allgatherv(self):
        self.allgather_blocks("allgatherv")

    def allgather_blocks(self, operation):
        blocks = self.own_blocks()
        choice = self.pick(operation, Fraction(sum(blocks), self.p))
        if choice.algorithm == "two":
            self.gather_blocks("gatherv", blocks)
            self.bcast_whole(self.pick("bcast", sum(blocks)), sum(blocks))
        elif choice.algorithm == "ring":
            algorithms.ring(self.plan, blocks, 0)
        else:
            getattr(algorithms, "allgather_" + choice.algorithm)(self.plan, blocks)

    def alltoall(self):
        choice = self.pick("alltoall", self.d)
        if choice.algorithm == "bruck":
            algorithms.alltoall_bruck(self.plan, self.d)
        else:
            self.in_pairs(choice, [self.d] * self.p)

    def alltoallv(self):
        others = []
        for j, part in enumerate(self.group):
            sizes = part.terms.numbers("bytes")
            others.append(Fraction(sum(sizes) - sizes[j], self.p - 1))
        self.in_pairs(self.pick("alltoallv", sum(others) / self.p), others)

    alltoallw = alltoallv

    def in_pairs(self, choice, blocks):
        rounds = algorithms.pairs_of(self.p, lambda v, to: blocks[v])
        if choice.algorithm == "linear":
            self.plan.post(rounds)
        else:
            for messages in rounds:
                self.plan.exchange(messages)

    def reduce_scatter(self):
        size = self.d
        if self.name == "Reduce_scatter_block":
            size = Fraction(self.d, self.p)
        choice = self.pick(self.name.lower(), size)
        blocks = [Fraction(self.d, self.p)] * self.p
        if choice.algorithm == "two":
            self.reduce_whole(self.pick("reduce", self.d), self.d)
            self.scatter_blocks("scatterv", blocks)
        elif choice.algorithm == "ring":
            algorithms.ring(self.plan, blocks, -1, reduces=True)
        elif choice.algorithm == "pairwise":
            for messages in algorithms.pairs_of(self.p, lambda v, to: blocks[to]):
                self.plan.exchange(messages, reduces=True)
        else:
            getattr(algorithms, "scatter_" + choice.algorithm)(self.plan, self.d, blocks)

    def scan(self):
        choice = self.pick(self.name.lower(), self.d)
        if choice.algorithm == "linear":
            self.plan.is_tree = True
            self.plan.down(tree_of("chain", self.p), lambda v: self.d, reduces=True)
        else:
            algorithms.scan_recursive_doubling(self.plan, self.d)

    exscan = scan


# Of each operation what there is for it (graph/algorithms/descriptors.c), and in which order a trace is held against them
VECTOR = ["linear", "chain", "binary", "binomial", "knomial"]
BLOCKS = ["linear", "binomial", "knomial"]
GATHERING = ["recursive_doubling", "ring", "neighbor", "bruck"]
SCATTERING = ["recursive_doubling", "recursive_halving", "butterfly", "ring", "pairwise", "two"]
LISTED = {
    "barrier": ["dissemination", "recursive_doubling", "linear", "binomial"],
    "bcast": [*VECTOR, "scatter_allgather", "scatter_ring"], "reduce": [*VECTOR, "rabenseifner"],
    "scatter": BLOCKS, "scatterv": BLOCKS, "gather": BLOCKS, "gatherv": BLOCKS,
    "allreduce": ["recursive_doubling", "rabenseifner", "ring", "two"],
    "allgather": [*GATHERING, "two"], "allgatherv": [*GATHERING, "two"],
    "alltoall": ["linear", "pairwise", "bruck"], "alltoallv": ["linear", "pairwise"],
    "reduce_scatter": SCATTERING, "reduce_scatter_block": SCATTERING,
    "scan": ["linear", "recursive_doubling"], "exscan": ["linear", "recursive_doubling"]}
ALGORITHMS = {operation: set(names) for operation, names in LISTED.items()}
ORDER = ["linear", "chain", "binary", "binomial", "dissemination", "recursive_doubling", "recursive_halving", "rabenseifner",
         "butterfly", "ring", "neighbor", "bruck", "pairwise", "scatter_allgather", "scatter_ring", "two", "binomial_near"]
NONBLOCKING = {operation: names - {"knomial"} for operation, names in ALGORITHMS.items()}
NONBLOCKING["bcast"] |= {"binomial_near"}
for name in ("allgather", "allgatherv"):
    NONBLOCKING[name] = NONBLOCKING[name] - {"two"} | {"linear"}


def operation_of(name):
    return "alltoallv" if name == "Alltoallw" else name.lower()


class NonblockingMaker(Maker):
    """Makes the plan of a nonblocking collective with a given algorithm; all sizes are those of one member."""

    def __init__(self, choice, group, j):
        super().__init__(None, group)
        self.choice, self.d = choice, group[j].terms.own_bytes()

    def pick(self, operation, size):
        return self.choice

    def own_blocks(self):
        return [self.d] * self.p

    def scatterv(self):
        self.scatter_blocks("scatterv", [self.d] * self.p)

    def allreduce(self):
        if self.choice.algorithm != "two":
            super().allreduce()
            return
        self.plan.up(tree_of("binomial", self.p), lambda v: self.d, reduces=True)
        self.plan.down(tree_of("binomial_near", self.p), lambda v: self.d)

    def allgather_blocks(self, operation):
        if self.choice.algorithm == "linear":
            self.plan.post(algorithms.pairs_of(self.p, lambda v, to: self.d))
        else:
            super().allgather_blocks(operation)

    def alltoallv(self):
        self.in_pairs(self.choice, [self.d] * self.p)

    alltoallw = alltoallv

    def reduce_scatter(self):
        if self.choice.algorithm != "two":
            super().reduce_scatter()
            return
        self.plan.up(tree_of("binomial", self.p), lambda v: self.d, reduces=True)
        tree = tree_of("linear", self.p)
        self.plan.down(tree, below(tree, [Fraction(self.d, self.p)] * self.p))


def bytes_of_table(name, p, d):
    """Returns the size by which tables choose, for a member's bytes."""
    return 0 if name == "Barrier" else Fraction(d, p) if name == "Reduce_scatter_block" else d
