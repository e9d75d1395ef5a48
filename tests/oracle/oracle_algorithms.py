# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages of collective algorithms (docs/MODEL.md, section 4, Expanded collectives): for each member its steps, in
order."""

from oracle_exact import Fraction

MAX_SEGMENTS = 2 ** 16


class Step:
    """A step of a member: sends (to, bytes, round) and receives (from) that are in progress together."""

    def __init__(self, sends=(), receives=(), posted=False, reduces=None):
        """REDUCES: number of received bytes that are reduced, or None."""
        self.sends, self.receives = list(sends), list(receives)
        self.posted, self.reduces = posted, reduces


class Wave:
    """The sends (to, bytes) and receives (from) that a member makes at once."""

    def __init__(self, sends=(), receives=()):
        self.sends, self.receives = list(sends), list(receives)


class Tree:
    """A phase along a tree. SIZE_OF: the bytes between a member and its parent."""

    def __init__(self, is_down, children, size_of):
        self.is_down, self.children, self.size_of = is_down, children, size_of
        self.parents = parents_of(children)


class Plan:
    """The steps of members v = 0 .. p - 1 of one collective. What is added comes after all earlier steps."""

    def __init__(self, p):
        self.p = p
        self.steps = [[] for _ in range(p)]
        self.waves = [[] for _ in range(p)]
        self.round = 0
        self.is_tree = False
        self.phases = []

    def exchange(self, messages, reduces=False):
        """Adds a round with these messages (from, to, bytes)."""
        self.phases.append(None)
        sends, receives, reduced = {}, {}, {}
        for a, b, size in messages:
            sends[a] = (b, size, self.round)
            receives[b] = a
            reduced[b] = size if reduces else None
        for v in range(self.p):
            if v in sends or v in receives:
                self.steps[v].append(Step([sends[v]] if v in sends else [],
                                          [receives[v]] if v in receives else [],
                                          reduces=reduced.get(v)))
                self.waves[v].append(Wave([sends[v][:2]] if v in sends else [],
                                          [receives[v]] if v in receives else []))
        self.round += 1

    def post(self, rounds):
        """Adds the messages of all these rounds at once."""
        self.phases.append(None)
        steps = [Step(posted=True) for _ in range(self.p)]
        for messages in rounds:
            for a, b, size in messages:
                steps[a].sends.append((b, size, self.round))
                steps[b].receives.append(a)
            self.round += 1
        for v, step in enumerate(steps):
            self.steps[v].append(step)
            self.waves[v].append(Wave([one[:2] for one in step.sends], step.receives))

    # Trees

    def down(self, tree, size_of, reduces=False):
        """Adds a phase from the root to the leaves. SIZE_OF: the bytes for a member and those below it."""
        parents = parents_of(tree)
        self.phases.append(Tree(True, tree, size_of))
        for v in range(self.p):
            if v in parents:
                self.steps[v].append(Step(receives=[parents[v]], reduces=size_of(v) if reduces else None))
            for i, child in enumerate(tree[v]):
                self.steps[v].append(Step([(child, size_of(child), self.round + i)]))
            if v in parents:
                self.waves[v].append(Wave(receives=[parents[v]]))
            if tree[v]:
                self.waves[v].append(Wave([(child, size_of(child)) for child in tree[v]]))
        self.round += len(tree[0])

    def up(self, tree, size_of, reduces=False):
        parents = parents_of(tree)
        self.phases.append(Tree(False, tree, size_of))
        for v in range(self.p):
            for child in reversed(tree[v]):
                self.steps[v].append(Step(receives=[child], reduces=size_of(child) if reduces else None))
            if v in parents:
                self.steps[v].append(Step([(parents[v], size_of(v), self.round)]))
            if tree[v]:
                self.waves[v].append(Wave(receives=tree[v]))
            if v in parents:
                self.waves[v].append(Wave([(parents[v], size_of(v))]))
        self.round += 1

    def pipeline(self, order, sizes, reduces=False):
        """Adds segments along a chain of members in this order."""
        self.phases.append(None)
        for place, v in enumerate(order):
            first, last = place == 0, place == self.p - 1
            for i in range(len(sizes) + (not first)):
                sent = i if first else i - 1
                step = Step()
                if not first and i < len(sizes):
                    step.receives.append(order[place - 1])
                    step.reduces = sizes[i] if reduces else None
                if not last and sent >= 0:
                    step.sends.append((order[place + 1], sizes[sent], place + sent))
                if step.sends or step.receives:
                    self.steps[v].append(step)
                    self.waves[v].append(Wave([one[:2] for one in step.sends], step.receives))


def segments_of(size, segment):
    """Returns the sizes of a vector's segments; None: it is not split."""
    if not segment or size <= segment:
        return None
    segment = max(Fraction(segment), Fraction(size, MAX_SEGMENTS))
    sizes = [segment] * -(-Fraction(size) // segment)
    sizes[-1] = size - segment * (len(sizes) - 1)
    return sizes


def tree_of(kind, p, radix=2):
    """Returns the children of every member in the order in which it sends to them."""
    if kind == "linear":
        return [list(range(1, p))] + [[] for _ in range(p - 1)]
    if kind == "chain":
        return [[v + 1] if v + 1 < p else [] for v in range(p)]
    if kind == "binary":
        return [[c for c in (2 * v + 1, 2 * v + 2) if c < p] for v in range(p)]
    if kind == "binomial_near":
        return [[v + (1 << k) for k in range(p.bit_length()) if v < 1 << k < p - v] for v in range(p)]
    powers = [1]
    while powers[-1] * radix < p:
        powers.append(powers[-1] * radix)
    return [[v + j * power for power in reversed(powers) if v % (power * radix) == 0
             for j in range(1, radix) if v + j * power < p] for v in range(p)]


def parents_of(tree):
    return {child: v for v, children in enumerate(tree) for child in children}


def below(tree, blocks):
    """Returns a function: the bytes of all blocks of a member and of those below it."""
    def size_of(v):
        return blocks[v] + sum(map(size_of, tree[v]))
    return size_of


class Folded:
    """The members that take part after folding to a power of two, numbered; number q also stands for the members
    stands[q]."""

    def __init__(self, p, odd_rests=False):
        self.P, self.K = 1, 0
        while 2 * self.P <= p:
            self.P, self.K = 2 * self.P, self.K + 1
        twice = 2 * (p - self.P)
        self.pairs = [(v + 1, v) if odd_rests else (v, v + 1) for v in range(0, twice, 2)]
        rests = {a for a, _ in self.pairs}
        self.member = [v for v in range(p) if v not in rests]
        self.resting = {b: a for a, b in self.pairs}

    def stands(self, q):
        v = self.member[q]
        return [v] + ([self.resting[v]] if v in self.resting else [])

    def bytes(self, blocks, q, n):
        """Returns B(q, n): the bytes of the blocks of n numbers from q on."""
        return sum(blocks[v] for number in range(q, q + n) for v in self.stands(number))

    def begin(self, plan, size):
        if self.pairs:
            plan.exchange([(a, b, size) for a, b in self.pairs], reduces=True)

    def end(self, plan, size_of):
        if self.pairs:
            plan.exchange([(b, a, size_of(a)) for a, b in self.pairs])

    def exchange(self, plan, distance, size_of, reduces=True):
        """Adds a round in which all numbers q exchange with q xor DISTANCE. SIZE_OF(q): None if it sends nothing."""
        sizes = {q: size_of(q) for q in range(self.P)}
        plan.exchange([(self.member[q], self.member[q ^ distance], size)
                       for q, size in sizes.items() if size is not None], reduces)


# --- one operation and algorithm each --------------------------------------

def halves(plan, d, folded):
    """Adds the first half of Rabenseifner's algorithm (recursive halving)."""
    for k in range(folded.K):
        folded.exchange(plan, 1 << k, lambda q, k=k: Fraction(d, 2 << k))


def allreduce_recursive_doubling(plan, d):
    folded = Folded(plan.p)
    folded.begin(plan, d)
    for k in range(folded.K):
        folded.exchange(plan, 1 << k, lambda q: d)
    folded.end(plan, lambda v: d)


def allreduce_rabenseifner(plan, d):
    folded = Folded(plan.p)
    folded.begin(plan, d)
    halves(plan, d, folded)
    for k in reversed(range(folded.K)):
        folded.exchange(plan, 1 << k, lambda q, k=k: Fraction(d, 2 << k), reduces=False)
    folded.end(plan, lambda v: d)


def allreduce_ring(plan, d):
    p = plan.p
    for k in range(2 * (p - 1)):
        plan.exchange([(v, (v + 1) % p, Fraction(d, p)) for v in range(p)], reduces=k < p - 1)


def reduce_rabenseifner(plan, d):
    folded = Folded(plan.p, odd_rests=True)
    folded.begin(plan, d)
    halves(plan, d, folded)
    for k in reversed(range(folded.K)):
        folded.exchange(plan, 1 << k, lambda q, k=k:
                        Fraction(d, 2 << k) if q >> k == 1 else None, reduces=False)


def barrier_dissemination(plan):
    p = plan.p
    for k in range((p - 1).bit_length()):
        plan.exchange([(v, (v + (1 << k)) % p, 0) for v in range(p)])


def barrier_recursive_doubling(plan):
    p, most = plan.p, 1 << (plan.p.bit_length() - 1)
    if most < p:
        plan.exchange([(v, v - most, 0) for v in range(most, p)])
    for k in range(most.bit_length() - 1):
        plan.exchange([(v, v ^ (1 << k), 0) for v in range(most)])
    if most < p:
        plan.exchange([(v - most, v, 0) for v in range(most, p)])


def ring(plan, blocks, ahead, reduces=False):
    """Adds p - 1 rounds in which v sends block v + AHEAD - k to v + 1."""
    p = plan.p
    for k in range(p - 1):
        plan.exchange([(v, (v + 1) % p, blocks[(v + ahead - k) % p]) for v in range(p)], reduces)


def allgather_bruck(plan, blocks):
    p = plan.p
    for k in range((p - 1).bit_length()):
        n = min(1 << k, p - (1 << k))
        plan.exchange([(v, (v - (1 << k)) % p, sum(blocks[(v + i) % p] for i in range(n)))
                       for v in range(p)])


def allgather_recursive_doubling(plan, blocks):
    p = plan.p
    if p & (p - 1):
        allgather_bruck(plan, blocks)
        return
    for k in range((p - 1).bit_length()):
        plan.exchange([(v, v ^ (1 << k), group_bytes(blocks, v, k)) for v in range(p)])


def group_bytes(blocks, v, k):
    """Returns the bytes of the existing blocks of v's group of 2^k."""
    first = v >> k << k
    return sum(blocks[first:first + (1 << k)])


def allgather_of_any(plan, blocks):
    """Adds an allgather by recursive doubling for any p."""
    p = plan.p
    for k in range((p - 1).bit_length()):
        plan.exchange([(v, v ^ (1 << k), group_bytes(blocks, v, k))
                       for v in range(p) if v ^ (1 << k) < p])
        g = p >> (k + 1) << (k + 1)
        n = p - g - (1 << k)
        if 0 < n < 1 << k:
            pass_on(plan, blocks, g, k, n)


def pass_on(plan, blocks, g, k, n):
    """Passes the missing blocks on to those members of the lower half that have no partner."""
    size = sum(blocks[g + (1 << k):])
    for h in (1 << i for i in reversed(range(k))):
        messages = []
        for v in range(g, g + (1 << k)):
            r = (v - g) % (2 * h)
            if r < min(h, n) and r + h >= n:
                messages.append((v, v + h, size))
        plan.exchange(messages)


def allgather_neighbor(plan, blocks):
    p = plan.p
    if p % 2:
        ring(plan, blocks, 0)
        return
    has = [[v] for v in range(p)]
    partner = [v ^ 1 for v in range(p)]
    for k in range(p // 2):
        if k:
            side = [1 if v % 2 == k % 2 else -1 for v in range(p)]
            partner = [(v + side[v]) % p for v in range(p)]
        plan.exchange([(v, partner[v], sum(blocks[i] for i in has[v])) for v in range(p)])
        got = [has[partner[v]] for v in range(p)]
        has = [has[v] + got[v] for v in range(p)] if k == 0 else got


def pairs_of(p, size_of):
    """Returns the rounds in which v sends to v + 1 + k."""
    return [[(v, (v + 1 + k) % p, size_of(v, (v + 1 + k) % p)) for v in range(p)]
            for k in range(p - 1)]


def alltoall_bruck(plan, d):
    p = plan.p
    for k in range((p - 1).bit_length()):
        n = sum(1 for i in range(p) if i >> k & 1)
        plan.exchange([(v, (v + (1 << k)) % p, n * d) for v in range(p)])


def scatter_recursive_halving(plan, d, blocks):
    folded = Folded(plan.p)
    folded.begin(plan, d)
    h = folded.P // 2
    while h:
        folded.exchange(plan, h, lambda q, h=h: folded.bytes(blocks, (q ^ h) // h * h, h))
        h //= 2
    folded.end(plan, lambda v: blocks[v])


def scatter_recursive_doubling(plan, d, blocks):
    folded = Folded(plan.p)
    folded.begin(plan, d)
    for k in range(folded.K):
        folded.exchange(plan, 1 << k, lambda q, k=k:
                        d - folded.bytes(blocks, q >> k << k, 1 << k))
    folded.end(plan, lambda v: blocks[v])


def scatter_butterfly(plan, d, blocks):
    folded = Folded(plan.p)
    folded.begin(plan, d)
    left = {q: (0, folded.P) for q in range(folded.P)}

    def halve(q, k):
        """Returns the half of its remaining numbers that q gives away."""
        first, n = left[q]
        lower, upper = (first, n // 2), (first + n // 2, n // 2)
        left[q], gives = (upper, lower) if q >> k & 1 else (lower, upper)
        return folded.bytes(blocks, *gives)

    for k in range(folded.K):
        folded.exchange(plan, 1 << k, lambda q, k=k: halve(q, k))
    home = {q: folded.stands(left[q][0]) for q in left}
    plan.exchange([(folded.member[q], home[q][0], blocks[home[q][0]])
                   for q in left if home[q][0] != folded.member[q]])
    if folded.pairs:
        plan.exchange([(folded.member[q], home[q][1], blocks[home[q][1]])
                       for q in left if len(home[q]) > 1])


def scan_recursive_doubling(plan, d):
    p = plan.p
    for k in range((p - 1).bit_length()):
        plan.exchange([(v, v ^ (1 << k), d) for v in range(p) if v ^ (1 << k) < p], reduces=True)
