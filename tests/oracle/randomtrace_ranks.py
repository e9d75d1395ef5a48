# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of randomtrace.py: ranks with their own times, communicators, sends and receives, and MPI's matching
rules."""

import random

EAGER = 4096
SIZES = [0, 1, 8, 100, 1024, 4096, 4097, 10000, 65536]
WIRE_NS = 700
BYTE_PS = 150


class Comm:
    """LINKS: pairs of ranks that are neighbours, source first, possibly repeated."""

    def __init__(self, number, members, links):
        self.number = number
        self.members = members
        self.sources = [[a for a, b in links if b == i] for i in range(len(members))]
        self.destinations = [[b for a, b in links if a == i]
                             for i in range(len(members))]


class Pending:
    """What a request other than a send or receive waits for; it is complete at a given time."""

    is_send = False
    matched = True
    synchronous = False

    def __init__(self, time):
        self.time = time


class Half:
    """A send or a receive. source and dest are ranks in comm (None: MPI_PROC_NULL); time: when it is complete, as far
    as known."""

    def __init__(self, comm, source, dest, tag, size=0, synchronous=False):
        self.comm = comm
        self.source = source
        self.dest = dest
        self.tag = tag
        self.size = size
        self.synchronous = synchronous
        self.any = set()
        self.enter = None
        self.time = 0
        self.is_send = True
        self.matched = False

    def accepts(self, send):
        """Returns whether this receive can take that message."""
        return (self.comm is send.comm
                and ("source" in self.any or self.source == send.source)
                and ("tag" in self.any or self.tag == send.tag))


def receive_half(comm, source, dest, tag, left_open=()):
    half = Half(comm, source, dest, tag)
    half.is_send = False
    half.any = set(left_open)
    return half


def place(number):
    return "null" if number is None else str(number)


def send_text(half):
    return (f"comm={half.comm.number} to={place(half.dest)} tag={half.tag} "
            f"bytes={half.size}")


def receive_text(half):
    text = (f"comm={half.comm.number} from={place(half.source)} tag={half.tag} "
            f"bytes={half.size}")
    return text + any_text(half)


def any_text(half):
    return f" any={','.join(sorted(half.any))}" if half.any else ""


def taken_text(send, number):
    return (f"comm={send.comm.number} from={send.source} tag={send.tag} "
            f"bytes={send.size} message={number}")


def sendrecv_text(send, receive):
    return (f"{send_text(send)} from={place(receive.source)} "
            f"recvtag={receive.tag} recvbytes={receive.size}{any_text(receive)}")


def template_text(half):
    """Returns the arguments of a receive that nothing has matched."""
    text = f"comm={half.comm.number} bytes={max(SIZES)}"
    if "source" not in half.any:
        text += f" from={half.source}"
    if "tag" not in half.any:
        text += f" tag={half.tag}"
    return text + any_text(half)


def start_text(numbers, started):
    """STARTED: send or receive by request, in the order of NUMBERS."""
    text = (f"persistent={','.join(map(str, numbers))} "
            f"requests={','.join(map(str, started))}")
    matched = [f"{request}:{half.source}:{half.tag}"
               for request, half in started.items() if half.any]
    return text + (f" matched={','.join(matched)}" if matched else "")


class Rank:
    def __init__(self, number, now):
        self.number = number
        self.now = now
        self.calls = []
        self.requests = {}
        self.made_requests = 0
        self.persistent = {}
        self.started = set()
        self.posted = []
        self.unexpected = []
        self.probed = {}
        self.made_messages = 0

    def new_request(self, half):
        self.made_requests += 1
        self.requests[self.made_requests] = half
        return self.made_requests


class Execution:
    """The execution: ranks, time and matching."""

    def __init__(self, seed, ranks, safe):
        self.random = random.Random(seed)
        self.safe = safe
        self.ranks = [Rank(r, 100000) for r in range(ranks)]
        self.comms = [self.new_comm(0, list(range(ranks)))]
        for number in range(1, 1 + self.random.randrange(4)):
            size = self.random.randint(1, ranks)
            self.comms.append(
                self.new_comm(number, self.random.sample(range(ranks), size)))

    def new_comm(self, number, members):
        p = range(len(members))
        links = [(self.random.choice(p), self.random.choice(p))
                 for _ in range(self.random.randrange(3 * len(members)))]
        return Comm(number, members, links)

    def rank_of(self, comm, number):
        return self.ranks[comm.members[number]]

    # Time

    def compute(self, rank):
        """Works for a random time, and returns the time of the next call's enter."""
        longest = self.random.choice([0, 50, 500, 3000, 20000])
        rank.now += self.random.randint(0, longest)
        return rank.now

    def call(self, rank, name, text, after=0):
        """Adds a call that is entered now and left no earlier than AFTER. TEXT is a function, because a receive's
        arguments may become known later."""
        end = max(rank.now + self.random.randint(40, 400), after)
        rank.calls.append((rank.now, end, name, text))
        rank.now = end

    def flight(self, size):
        return self.random.randint(WIRE_NS, 2 * WIRE_NS) + size * BYTE_PS // 1000

    # Matching

    def deliver(self, send, receive):
        """Matches them: when each is complete becomes known."""
        begin = send.enter
        if send.synchronous:
            begin = max(begin, receive.enter)
        arrival = begin + self.flight(send.size)
        receive.time = arrival + self.random.randint(0, 200)
        receive.source, receive.tag, receive.size = send.source, send.tag, send.size
        send.matched = receive.matched = True
        if send.synchronous:
            send.time = arrival + self.flight(0)

    def taker(self, send):
        """Returns the posted receive that a message sent now would match."""
        posted = self.rank_of(send.comm, send.dest).posted
        return next((half for half in posted if half.accepts(send)), None)

    def offer(self, receive):
        """Returns the unexpected message that a receive posted now would match."""
        unexpected = self.rank_of(receive.comm, receive.dest).unexpected
        return next((half for half in unexpected if receive.accepts(half)), None)

    def issue(self, send):
        receive = self.taker(send)
        target = self.rank_of(send.comm, send.dest)
        if receive:
            target.posted.remove(receive)
            self.deliver(send, receive)
        else:
            target.unexpected.append(send)

    def post(self, receive):
        send = self.offer(receive)
        owner = self.rank_of(receive.comm, receive.dest)
        if send:
            owner.unexpected.remove(send)
            self.deliver(send, receive)
        else:
            owner.posted.append(receive)

    def is_complete(self, half):
        """Returns whether waiting for it now, in the global order, cannot block."""
        buffered = half.is_send and not half.synchronous and not self.safe
        return half.matched or buffered
