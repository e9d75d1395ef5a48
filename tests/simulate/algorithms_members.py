# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of collectives, each a program that sends, receives and exchanges, written from the textbooks' descriptions
(Thakur, Rabenseifner, Gropp 2005; Chan et al. 2007; Chen et al. 2005). Messages carry data, which shows that the
operation has its effect, and are as large as their data. For algorithms.py."""


class Wrong(Exception):
    pass


# ---- what members can do; each is a request to the simulation ----

class Message:
    def __init__(self, issue, lam, tau, size, data):
        self.issue, self.lam, self.tau, self.size, self.data = issue, lam, tau, size, data
        self.done = None       # when its sender is done with it, if it is synchronous
        self.arrival = None


class World:
    """One lane: the members' times, and messages in flight."""

    def __init__(self, p, eager, waiting, lane):
        self.p, self.eager, self.waiting, self.lane = p, eager, waiting, lane
        self.time = [3.7 * ((i + 1) * 7919 % 1013) + 11.25 * lane * (i % 3) for i in range(p)]
        self.free = [float("-inf")] * p
        self.box = {}
        self.sent = [0.0] * p
        self.calls = [0] * p
        self.received = [0.0] * p

    def start(self, me, to, size, data, at):
        issue = max(at, self.free[me])
        self.free[me] = issue + 250.5 + 0.29 * size
        lam = 411.5 + 17.25 * ((3 * me + 5 * to) % 7) + 2.385 * self.lane
        tau = 0.385 * size * (1 + 0.125 * ((me + 2 * to) % 3))
        m = Message(issue, lam, tau, size, data)
        self.sent[me] += size
        if not self.is_synchronous(size):
            m.arrival = issue + lam + tau
        self.box.setdefault((me, to), []).append(m)
        return m

    def is_synchronous(self, size):
        return self.eager >= 0 and size > self.eager

    def find(self, source, me):
        queue = self.box.get((source, me))
        return queue.pop(0) if queue else None

    def meet(self, m, to, posted):
        """The receiver of M is ready since POSTED."""
        if m.arrival is not None:
            return
        head = max(m.issue + m.lam, posted)
        m.arrival = head + m.tau
        m.done = head - m.lam + 700.3 + 0.41 * m.size + to % 3 if self.waiting else m.arrival

    def leave(self, me, begin, own, waited):
        """A call of ME that began at BEGIN ends: it was busy itself until OWN, and waited for all of WAITED."""
        kappa = 17.25 * ((3 * me + 5 * self.calls[me]) % 11) - 60 + 1.5 * self.lane
        self.calls[me] += 1
        self.time[me] = max([begin, own + kappa] + [time + max(0, kappa) for time in waited])

    def reduce(self, me):
        """Reduces what ME received last."""
        self.time[me] += 0.07 * self.received[me]

    def o_s(self, me, size):
        return 92.385 + 0.0625 * size + me % 5 + 3 * self.lane

    def o_r(self, me, size):
        return 133.77 + 0.03125 * size + 1.5 * (me % 4) + 5 * self.lane


def send(world, me, to, data, size):
    begin = world.time[me]
    m = world.start(me, to, size, data, begin)
    if world.is_synchronous(size):
        while m.done is None:
            yield
        world.leave(me, begin, begin, [m.done])
    else:
        world.leave(me, begin, begin + world.o_s(me, size), [])


def recv(world, me, source):
    posted = world.time[me]
    while True:
        m = world.find(source, me)
        if m:
            break
        yield
    world.meet(m, me, posted)
    world.leave(me, posted, posted + world.o_r(me, m.size), [m.arrival])
    world.received[me] = m.size
    return m.data


def exchange(world, me, to, data, size, source):
    """A Sendrecv: sends DATA to TO, receives from SOURCE."""
    start = world.time[me]
    out = world.start(me, to, size, data, start)
    while True:
        m = world.find(source, me)
        if m:
            break
        yield
    world.meet(m, me, start)
    own = start + world.o_r(me, m.size)
    if not world.is_synchronous(size):
        own += world.o_s(me, size)
    while world.is_synchronous(size) and out.done is None:
        yield
    world.leave(me, start, own, [m.arrival] + ([] if out.done is None else [out.done]))
    world.received[me] = m.size
    return m.data


def post_all(world, me, pairs):
    """Irecvs, then Isends in the order of PAIRS (to, data, size, source), then one Waitall."""
    start = at = world.time[me]
    outs, got, costs = [], [], []
    for to, data, size, _ in pairs:
        outs.append(world.start(me, to, size, data, at))
        at += world.o_s(me, size)
    arrivals = []
    for _, _, _, source in pairs:
        while True:
            m = world.find(source, me)
            if m:
                break
            yield
        world.meet(m, me, start)
        arrivals.append(m.arrival)
        costs.append(world.o_r(me, m.size))
        got.append(m.data)
    for m in outs:
        while world.is_synchronous(m.size) and m.done is None:
            yield
    waited = [arrival + sum(costs[i + 1:]) for i, arrival in enumerate(arrivals)]
    waited += [m.done for m in outs if m.done is not None]
    world.leave(me, start, at + sum(costs), waited)
    return got


def run(world, program):
    members = [program(world, i) for i in range(world.p)]
    result = [None] * world.p
    alive = set(range(world.p))
    while alive:
        before = [world.time[:], {k: len(v) for k, v in world.box.items() if v}, len(alive)]
        for i in sorted(alive):
            try:
                next(members[i])
            except StopIteration as end:
                result[i] = end.value
                alive.discard(i)
        after = [world.time[:], {k: len(v) for k, v in world.box.items() if v}, len(alive)]
        world.idle = getattr(world, "idle", 0) + 1 if before == after else 0
        if world.idle > 3:
            raise Wrong("members wait for each other")
    if any(world.box.values()):
        raise Wrong("a message was not received")
    return result


# ---- data ----
# A vector under reduction is {piece: set of contributors}; sizes of pieces are given.

def merged(world, me, a, b):
    """Returns ME's data combined with the received b, reduced where both have a piece, which takes time; no
    contribution may count twice."""
    out = dict(a)
    if any(key in a for key in b):
        world.reduce(me)
    for key, value in b.items():
        if key in out:
            if out[key] & value:
                raise Wrong("a contribution is counted twice")
            out[key] = out[key] | value
        else:
            out[key] = value
    return out


def total(pieces, sizes):
    return float(sum(sizes[k] for k in pieces))


# ---- trees ----

def relative(me, root, p):
    return (me - root) % p


def tree_of(kind, radix, p, v):
    """Returns the parent (or None) and the children of v, in the order in which v sends to them."""
    if kind == "linear":
        return (None, list(range(1, p))) if v == 0 else (0, [])
    if kind == "chain":
        return (v - 1 if v else None), ([v + 1] if v + 1 < p else [])
    if kind == "binary":
        return ((v - 1) // 2 if v else None), [c for c in (2 * v + 1, 2 * v + 2) if c < p]
    if kind == "binomial":
        radix = 2
    mask, parent = 1, None
    while mask < p:
        if v % (radix * mask):
            parent = v // (radix * mask) * (radix * mask)
            break
        mask *= radix
    children = []
    mask //= radix
    while mask:
        children += [v + j * mask for j in range(1, radix) if v + j * mask < p]
        mask //= radix
    return parent, children


def below(kind, radix, p, v):
    out = {v}
    for c in tree_of(kind, radix, p, v)[1]:
        out |= below(kind, radix, p, c)
    return out


def down(world, me, case, kind, data, piecewise):
    """Sends the root's DATA down the tree. PIECEWISE: each subtree gets the pieces of its own members."""
    p, root, sizes = case.p, case.root, case.sizes
    v = relative(me, root, p)
    parent, children = tree_of(kind, case.radix, p, v)
    if parent is not None:
        data = yield from recv(world, me, (parent + root) % p)
    for c in children:
        if piecewise:
            mine = {(u + root) % p for u in below(kind, case.radix, p, c)}
            part = {k: data[k] for k in data if k in mine}
        else:
            part = data
        yield from send(world, me, (c + root) % p, part, total(part, sizes))
    return data


def up(world, me, case, kind, data):
    p, root = case.p, case.root
    v = relative(me, root, p)
    parent, children = tree_of(kind, case.radix, p, v)
    for c in reversed(children):
        got = yield from recv(world, me, (c + root) % p)
        data = merged(world, me, data, got)
    if parent is not None:
        yield from send(world, me, (parent + root) % p, data, total(data, case.sizes))
    return data


# ---- exchanges ----

def dissemination(world, me, case, data):
    step = 1
    while step < case.p:
        got = yield from exchange(world, me, (me + step) % case.p, data, 0.0, (me - step) % case.p)
        data = {"": data[""] | got[""]}
        step *= 2
    return data


def power_of_two(p):
    power = 1
    while power * 2 <= p:
        power *= 2
    return power


class Fold:
    """Folding to a power of two: of the first 2 rest members, the even ones (or the odd ones) hand over their data and
    rest."""

    def __init__(self, p, odd_rests):
        self.power = power_of_two(p)
        self.rest = p - self.power
        self.odd = odd_rests

    def role(self, me):
        """Returns (number or None, partner or None)."""
        if me >= 2 * self.rest:
            return me - self.rest, None
        rests = (me % 2 == 1) == self.odd
        return (None if rests else me // 2), me ^ 1

    def member(self, number):
        if number < self.rest:
            return 2 * number + (0 if self.odd else 1)
        return number + self.rest

    def members(self, number):
        """Returns all members whose blocks NUMBER stands for."""
        return [2 * number, 2 * number + 1] if number < self.rest else [number + self.rest]


def fold_in(world, me, fold, data, sizes):
    number, partner = fold.role(me)
    if number is None:
        yield from send(world, me, partner, data, total(data, sizes))
    elif partner is not None:
        data = merged(world, me, data, (yield from recv(world, me, partner)))
    return number, partner, data


def doubling(world, me, case, data):
    fold = Fold(case.p, False)
    number, partner, data = yield from fold_in(world, me, fold, data, case.sizes)
    if number is None:
        return (yield from recv(world, me, partner))
    step = 1
    while step < fold.power:
        peer = fold.member(number ^ step)
        got = yield from exchange(world, me, peer, data, total(data, case.sizes), peer)
        data = merged(world, me, data, got)
        step *= 2
    if partner is not None:
        yield from send(world, me, partner, data, total(data, case.sizes))
    return data


def barrier_doubling(world, me, case, data):
    """Barrier by recursive doubling: a member beyond the power of two notifies its partner before the power of two, and
    is notified."""
    power = power_of_two(case.p)
    if me >= power:
        yield from send(world, me, me - power, data, 0.0)
        return (yield from recv(world, me, me - power))
    helps = me + power < case.p
    if helps:
        got = yield from recv(world, me, me + power)
        data = {"": data[""] | got[""]}
    step = 1
    while step < power:
        got = yield from exchange(world, me, me ^ step, data, 0.0, me ^ step)
        data = {"": data[""] | got[""]}
        step *= 2
    if helps:
        yield from send(world, me, me + power, data, 0.0)
    return data


def rabenseifner(world, me, case, data, root):
    """Halving at growing distances; the result is then gathered at ROOT (number 0 of a fold in which odd members rest),
    or by all."""
    shift = root or 0
    v = (me - shift) % case.p
    fold = Fold(case.p, root is not None)
    number, partner = fold.role(v)
    real = lambda u: (u + shift) % case.p
    if number is None:
        yield from send(world, me, real(partner), data, total(data, case.sizes))
        if root is not None:
            return None
        return (yield from recv(world, me, real(partner)))
    if partner is not None:
        data = merged(world, me, data, (yield from recv(world, me, real(partner))))
    pieces = list(range(fold.power))
    history, step = [], 1
    while step < fold.power:
        half = len(pieces) // 2
        keep, give = (pieces[half:], pieces[:half]) if number & step else (pieces[:half],
                                                                            pieces[half:])
        part = {k: data[k] for k in give}
        peer = real(fold.member(number ^ step))
        got = yield from exchange(world, me, peer, part, total(part, case.sizes), peer)
        data = merged(world, me, {k: data[k] for k in keep}, got)
        pieces = keep
        history.append(step)
        step *= 2
    for step in reversed(history):
        peer = real(fold.member(number ^ step))
        if root is None:
            got = yield from exchange(world, me, peer, data, total(data, case.sizes), peer)
            data = {**data, **got}
        elif number & step:
            yield from send(world, me, peer, data, total(data, case.sizes))
            return None
        else:
            got = yield from recv(world, me, peer)
            data = {**data, **got}
    if partner is not None and root is None:
        yield from send(world, me, real(partner), data, total(data, case.sizes))
    return data


def ring_pass(world, me, p, data, sizes, first, reduce):
    """p - 1 rounds to the right, each with the piece that arrived last (at first FIRST)."""
    piece = first
    for _ in range(p - 1):
        part = {piece: data[piece]}
        got = yield from exchange(world, me, (me + 1) % p, part, total(part, sizes), (me - 1) % p)
        (piece, value), = got.items()
        data = merged(world, me, data, got) if reduce else {**data, piece: value}
    return data


def ring_allreduce(world, me, case, data):
    p = case.p
    data = yield from ring_pass(world, me, p, data, case.sizes, me, True)
    mine = (me + 1) % p
    data = yield from ring_pass(world, me, p, {mine: data[mine]}, case.sizes, mine, False)
    return data


def bruck(world, me, case, data, shift=0):
    """Each member sends what it has to the one before it, at doubled distances; in the last round only what is
    missing."""
    p = case.p
    v = (me - shift) % p
    order = [v]
    distance = 1
    while distance < p:
        n = min(distance, p - distance)
        part = {(b + shift) % p: data[(b + shift) % p] for b in order[:n]}
        to, source = ((v - distance) % p + shift) % p, ((v + distance) % p + shift) % p
        got = yield from exchange(world, me, to, part, total(part, case.sizes), source)
        data = {**data, **got}
        order += [(b + distance) % p for b in order[:n]]
        distance *= 2
    return data


def gather_doubling(world, me, case, data, shift=0):
    p = case.p
    if power_of_two(p) != p:
        return (yield from bruck(world, me, case, data, shift))
    v, step = (me - shift) % p, 1
    while step < p:
        peer = ((v ^ step) + shift) % p
        got = yield from exchange(world, me, peer, data, total(data, case.sizes), peer)
        data = {**data, **got}
        step *= 2
    return data


def gather_uneven(world, me, case, data, shift):
    """Recursive doubling for any number of members. A member without a partner in the round gets what the others of its
    group got, at halved distances, from members that have it."""
    p = case.p
    v, step = (me - shift) % p, 1
    real = lambda u: (u + shift) % p
    while step < p:
        group = v - v % step
        fresh = None
        if v ^ step < p:
            fresh = yield from exchange(world, me, real(v ^ step), data,
                                        total(data, case.sizes), real(v ^ step))
        has = {u for u in range(group, group + step) if u ^ step < p}
        if 0 < len(has) < step and group + step <= p:
            distance = step // 2
            while distance:
                pairs = [(u, u + distance) for u in sorted(has)
                         if u & distance == 0 and u + distance < group + step
                         and u + distance not in has]
                for giver, taker in pairs:
                    if v == giver:
                        yield from send(world, me, real(taker), fresh, total(fresh, case.sizes))
                    elif v == taker:
                        fresh = yield from recv(world, me, real(giver))
                has |= {taker for _, taker in pairs}
                distance //= 2
        data = {**data, **(fresh or {})}
        step *= 2
    return data


def neighbor(world, me, case, data):
    p = case.p
    if p % 2:
        return (yield from ring_pass(world, me, p, data, case.sizes, me, False))
    sides = [(me + 1) % p, (me - 1) % p] if me % 2 == 0 else [(me - 1) % p, (me + 1) % p]
    peer = sides[0]
    got = yield from exchange(world, me, peer, data, total(data, case.sizes), peer)
    data = {**data, **got}
    last = dict(data)
    for i in range(1, p // 2):
        peer = sides[i % 2]
        last = yield from exchange(world, me, peer, last, total(last, case.sizes), peer)
        data = {**data, **last}
    return data


def pairwise(world, me, case, data):
    """Pairwise exchange; data: {(from, to)}."""
    p, out = case.p, {(me, me)}
    for i in range(1, p):
        to, source = (me + i) % p, (me - i) % p
        got = yield from exchange(world, me, to, {(me, to)}, case.block(me), source)
        out |= got
    return out


def linear_alltoall(world, me, case, data):
    p = case.p
    pairs = [((me + i) % p, {(me, (me + i) % p)}, case.block(me), (me - i) % p)
             for i in range(1, p)]
    got = yield from post_all(world, me, pairs)
    return {(me, me)}.union(*got)


def bruck_alltoall(world, me, case, data):
    """Blocks are sorted by distance, with a round for each bit of it."""
    p = case.p
    held = {d: {(me, (me + d) % p)} for d in range(p)}
    bit = 1
    while bit < p:
        part = {d: held[d] for d in held if d & bit}
        got = yield from exchange(world, me, (me + bit) % p, part,
                                  float(len(part) * case.bytes), (me - bit) % p)
        held.update(got)
        bit *= 2
    return set().union(*held.values())


def halving(world, me, case, data):
    fold = Fold(case.p, False)
    number, partner, data = yield from fold_in(world, me, fold, data, case.sizes)
    if number is None:
        return (yield from recv(world, me, partner))
    group = list(range(fold.power))
    step = fold.power // 2
    while step:
        half = len(group) // 2
        upper = number & step
        keep, give = (group[half:], group[:half]) if upper else (group[:half], group[half:])
        part = {b: data[b] for n in give for b in fold.members(n)}
        peer = fold.member(number ^ step)
        got = yield from exchange(world, me, peer, part, total(part, case.sizes), peer)
        data = merged(world, me, {b: data[b] for n in keep for b in fold.members(n)}, got)
        group = keep
        step //= 2
    if partner is not None:
        part = {partner: data[partner]}
        yield from send(world, me, partner, part, total(part, case.sizes))
    return {me: data[me]}


def scatter_doubling(world, me, case, data):
    """In each step a member sends everything except what its own group needs."""
    fold = Fold(case.p, False)
    number, partner, data = yield from fold_in(world, me, fold, data, case.sizes)
    if number is None:
        return (yield from recv(world, me, partner))
    step = 1
    while step < fold.power:
        first = number - number % step
        own = {b for n in range(first, first + step) for b in fold.members(n)}
        part = {b: data[b] for b in data if b not in own}
        peer = fold.member(number ^ step)
        # what the peer gives up to now is complete for the blocks of my side only
        got = yield from exchange(world, me, peer, part, total_all(case) - total(own, case.sizes),
                                  peer)
        world.reduce(me)
        data = {b: (data[b] | got[b] if b in got else data[b]) for b in data}
        step *= 2
    if partner is not None:
        part = {partner: data[partner]}
        yield from send(world, me, partner, part, total(part, case.sizes))
    return {me: data[me]}


def total_all(case):
    return float(sum(case.sizes.values()))


def butterfly(world, me, case, data):
    """Like Rabenseifner's halving; afterwards the results are with other members."""
    fold = Fold(case.p, False)
    number, partner, data = yield from fold_in(world, me, fold, data, case.sizes)
    bits = fold.power.bit_length() - 1
    mirror = lambda n: int(format(n, "b").zfill(bits)[::-1] or "0", 2) if bits else 0
    if number is None:
        keeper = fold.member(mirror(me // 2))
        return (yield from recv(world, me, keeper))
    group, step = list(range(fold.power)), 1
    while step < fold.power:
        half = len(group) // 2
        keep, give = (group[half:], group[:half]) if number & step else (group[:half],
                                                                         group[half:])
        part = {b: data[b] for n in give for b in fold.members(n)}
        peer = fold.member(number ^ step)
        got = yield from exchange(world, me, peer, part, total(part, case.sizes), peer)
        data = merged(world, me, {b: data[b] for n in keep for b in fold.members(n)}, got)
        group = keep
        step *= 2
    owner = fold.member(mirror(number))
    result = {me: data[me]} if owner == me else None
    if owner != me:
        part = {owner: data[owner]}
        result = yield from exchange(world, me, owner, part, total(part, case.sizes), owner)
    for b in fold.members(mirror(number)):
        if b != owner:
            part = {b: data[b]}
            yield from send(world, me, b, part, total(part, case.sizes))
    return result


def reducing_ring(world, me, case, data):
    p = case.p
    data = yield from ring_pass(world, me, p, data, case.sizes, (me - 1) % p, True)
    return {me: data[me]}


def blockwise(world, me, case, data):
    p, mine = case.p, {me: data[me]}
    for i in range(1, p):
        to = (me + i) % p
        part = {to: data[to]}
        got = yield from exchange(world, me, to, part, total(part, case.sizes), (me - i) % p)
        mine = merged(world, me, mine, got)
    return mine


def scan_doubling(world, me, case, data):
    """data[""]: the reduction of the group so far; its prefix is the result."""
    prefix, whole, step = set(data[""]), set(data[""]), 1
    while step < case.p:
        peer = me ^ step
        if peer < case.p:
            got = yield from exchange(world, me, peer, set(whole), case.bytes, peer)
            world.reduce(me)
            whole |= got
            if peer < me:
                prefix |= got
        step *= 2
    return {"": prefix}


def scan_chain(world, me, case, data):
    have = set()
    if me > 0:
        have = yield from recv(world, me, me - 1)
        world.reduce(me)
    have = have | {me}
    if me + 1 < case.p:
        yield from send(world, me, me + 1, have, case.bytes)
    return {"": have}


def pipeline(world, me, case, data, downwards):
    """Segments follow each other along the chain; a member receives one while it sends the previous one."""
    p, root = case.p, case.root
    v = relative(me, root, p)
    n = len(case.segments)
    place = v if downwards else p - 1 - v
    left = ((v - 1 if downwards else v + 1) + root) % p
    right = ((v + 1 if downwards else v - 1) + root) % p
    first, last = place == 0, place == p - 1
    have = {} if downwards and not first else dict(data)
    for i in range(n + 1):
        get, give = i < n and not first, i > 0 and not last
        part = {i - 1: have[i - 1]} if give else None
        size = case.segments[i - 1] if give else None
        got = None
        if get and give:
            got = yield from exchange(world, me, right, part, size, left)
        elif get:
            got = yield from recv(world, me, left)
        elif give:
            yield from send(world, me, right, part, size)
        if got:
            have = merged(world, me, have, got) if not downwards else {**have, **got}
    return have
