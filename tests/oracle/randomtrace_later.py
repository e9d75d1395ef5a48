# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of randomtrace.py from MPI-4: persistent collectives, partitioned communication, Isendrecv, large counts."""

from randomtrace_ranks import EAGER, Half, Pending, receive_half, sendrecv_text

LARGE = {"Send", "Ssend", "Recv", "Isend", "Issend", "Irecv", "Sendrecv",
         "Isendrecv", "Send_init", "Ssend_init", "Recv_init", "Mrecv", "Imrecv",
         "Allreduce", "Alltoallv", "Bcast", "Scatterv", "Gather", "Scan",
         "Iallreduce", "Ialltoallv", "Ibcast", "Allreduce_init", "Bcast_init",
         "Neighbor_alltoallw", "Ineighbor_allgather"}
FIRST_NUMBER = 1000  # of these persistent requests


def spelled(name, source):
    """Returns NAME, or the same call with large counts."""
    return name + "_c" if name in LARGE and source.random() < 0.2 else name


class Promised:
    """A persistent collective: a number and an active request for each member."""

    def __init__(self, name, comm, root, numbers, sizes):
        self.name = name
        self.comm = comm
        self.root = root
        self.numbers = numbers
        self.sizes = sizes
        self.requests = [None] * len(numbers)


class Partitioned:
    """A pair of partitioned requests, and the partitions that are not ready in the active send."""

    def __init__(self, half, numbers, partitions):
        self.half = half
        self.numbers = numbers
        self.partitions = partitions
        self.requests = [None, None]
        self.send = None
        self.receive = None
        self.unready = []


class Later:
    """Mixin of Program."""

    promised = partitioned = ()
    made = FIRST_NUMBER

    def new_number(self):
        self.made += 1
        return self.made

    def members_of(self, comm):
        return [self.ranks[r] for r in comm.members]

    # Persistent collectives

    def step_promise(self):
        """Every member creates one, or starts some on one communicator."""
        self.promised = list(self.promised)
        idle = [p for p in self.promised if not any(
            request in rank.requests for rank, request in
            zip(self.members_of(p.comm), p.requests))]
        if idle and self.random.random() < 0.7:
            first = self.random.choice(idle)
            self.start_promised([p for p in idle if p.comm is first.comm][:3])
            return True
        if len(self.promised) > 8:
            return False
        self.promised.append(self.make_promised())
        return True

    def make_promised(self):
        comm = self.any_comm()
        root = self.any_member(comm)
        size = self.any_size()
        if self.random.random() < 0.3:
            kind = self.random.choice(self.neighbor_kinds)
            name = "Neighbor_" + kind
            texts = [self.neighbors_text(kind, comm, i, size)
                     for i in range(len(comm.members))]
        else:
            name = self.random.choice(self.collective_names)
            texts = self.collective_texts(name, comm, root)
        numbers = [self.new_number() for _ in comm.members]
        for rank, text, number in zip(self.members_of(comm), texts, numbers):
            self.compute(rank)
            self.call(rank, name + "_init",
                      lambda text=text, number=number: f"{text} persistent={number}")
        return Promised(name, comm, root, numbers, size)

    def start_promised(self, chosen):
        """Each member starts them in its own order, in one call or one by one."""
        ranks = self.members_of(chosen[0].comm)
        enters = {p: [0] * len(ranks) for p in chosen}
        pending = {p: [Pending(0) for _ in ranks] for p in chosen}
        for i, rank in enumerate(ranks):
            order = self.random.sample(chosen, len(chosen))
            groups = [order] if self.random.random() < 0.5 else [[p] for p in order]
            for group in groups:
                self.start_some(rank, i, group, enters, pending)
        for p in chosen:
            for i in range(len(ranks)):
                pending[p][i].time = self.promised_end(p, enters[p], i)

    def start_some(self, rank, i, group, enters, pending):
        enter = self.compute(rank)
        for p in group:
            enters[p][i] = enter
            p.requests[i] = rank.new_request(pending[p][i])
        text = (f"persistent={','.join(str(p.numbers[i]) for p in group)} "
                f"requests={','.join(str(p.requests[i]) for p in group)}")
        self.call(rank, "Start" if len(group) == 1 else "Startall", lambda: text)

    def promised_end(self, p, enters, i):
        if not p.name.startswith("Neighbor_"):
            return self.collective_end(p.name, enters, i, p.root)
        return max([enters[j] + self.flight(p.sizes) for j in p.comm.sources[i]],
                   default=0)

    # Partitioned communication

    def step_partitions(self):
        """Creates a pair, starts one, makes some partitions ready, or asks for one."""
        self.partitioned = list(self.partitioned)
        running = [p for p in self.partitioned if p.unready]
        idle = [p for p in self.partitioned if not p.unready and not any(
            request in rank.requests
            for rank, request in zip(self.ends_of(p), p.requests))]
        asked = [p for p in self.partitioned if p.receive and p.requests[1] in
                 self.ends_of(p)[1].requests]
        if asked and self.random.random() < 0.4:
            self.ask_arrived(self.random.choice(asked))
        elif running and self.random.random() < 0.6:
            self.make_ready(self.random.choice(running))
        elif idle and self.random.random() < 0.7:
            self.start_partitioned(self.random.choice(idle))
        elif len(self.partitioned) < 6:
            self.partitioned.append(self.make_partitioned())
        else:
            return False
        return True

    def ends_of(self, p):
        return [self.rank_of(p.half.comm, p.half.source),
                self.rank_of(p.half.comm, p.half.dest)]

    def make_partitioned(self):
        comm = self.any_comm()
        partitions = self.random.randint(1, 6)
        size = self.any_size() // partitions * partitions
        half = Half(comm, self.any_member(comm), self.any_member(comm),
                    self.any_tag(), size, size > EAGER)
        p = Partitioned(half, [self.new_number(), self.new_number()], partitions)
        rest = f"tag={half.tag} bytes={size}"
        for rank, name, end, number in zip(
                self.ends_of(p), ("Psend_init", "Precv_init"),
                (f"to={half.dest}", f"from={half.source}"), p.numbers):
            text = (f"comm={comm.number} {end} {rest} partitions={partitions} "
                    f"persistent={number}")
            self.compute(rank)
            self.call(rank, name, lambda text=text: text)
        return p

    def start_partitioned(self, p):
        half = p.half
        p.send = Half(half.comm, half.source, half.dest, half.tag, half.size,
                      half.synchronous)
        p.send.unready = True
        p.receive = receive_half(half.comm, half.source, half.dest, half.tag)
        p.unready = list(range(p.partitions))
        for i, side in self.random.sample(list(enumerate((p.send, p.receive))), 2):
            rank = self.ends_of(p)[i]
            side.enter = self.compute(rank)
            request = p.requests[i] = rank.new_request(side)
            rank.started.add(request)
            text = f"persistent={p.numbers[i]} requests={request}"
            self.call(rank, "Start", lambda text=text: text)

    def make_ready(self, p):
        """Makes one partition ready, a range from the first on, or a list."""
        rank = self.ends_of(p)[0]
        kind = self.random.randrange(3)
        some = self.any_subset(p.unready)
        if kind == 1:
            last = p.unready[0]
            while last + 1 in p.unready and self.random.random() < 0.7:
                last += 1
            some = list(range(p.unready[0], last + 1))
        some = some[:1] if kind == 0 else some
        said = [some[0], some[-1]] if kind == 1 else some
        p.unready = [i for i in p.unready if i not in some]
        p.send.enter = self.compute(rank)
        text = f"request={p.requests[0]} ready={','.join(map(str, said))}"
        self.call(rank, ("Pready", "Pready_range", "Pready_list")[kind],
                  lambda: text)
        if not p.unready:
            p.send.unready = False
            self.deliver(p.send, p.receive)
        elif self.random.random() < 0.5:
            self.ask_arrived(p)

    def ask_arrived(self, p):
        rank = self.ends_of(p)[1]
        enter = self.compute(rank)
        there = not p.unready and p.receive.time <= enter
        text = (f"request={p.requests[1]} "
                f"partition={self.random.randrange(p.partitions)}" + ("" if there else " found=0"))
        self.call(rank, "Parrived", lambda: text)

    def is_complete(self, half):
        return not getattr(half, "unready", False) and super().is_complete(half)

    # Both halves at once

    def step_isendrecv(self):
        comm = self.any_comm()
        members = self.any_subset(range(len(comm.members)))
        ranks = [self.rank_of(comm, member) for member in members]
        sends, receives = self.link(comm, members, self.random.random() < 0.6)
        if any(self.taker(half) for half in sends if half.dest is not None) or any(
                self.offer(half) for half in receives if half.source is not None):
            return False
        for rank, send, receive in zip(ranks, sends, receives):
            pending = Pending(0)
            send.enter = receive.enter = self.compute(rank)
            request = rank.new_request(pending)
            receive.pending = send.pending = pending
            self.call(rank, "Isendrecv",
                      lambda s=send, r=receive, q=request:
                      f"{sendrecv_text(s, r)} request={q}")
        for i, receive in enumerate(receives):
            if receive.source is not None:
                self.deliver(sends[i - 1], receive)
        for send, receive in zip(sends, receives):
            send.pending.time = max(send.time, receive.time)
        return True

    # The end

    def finish_later(self):
        """Makes the partitions of all active sends ready; the caller frees the requests."""
        for p in self.partitioned:
            while p.unready:
                self.make_ready(p)

    def free_later(self):
        for p in self.promised:
            for rank, number in zip(self.members_of(p.comm), p.numbers):
                self.free_number(rank, number)
        for p in self.partitioned:
            for rank, number in zip(self.ends_of(p), p.numbers):
                self.free_number(rank, number)

    def free_number(self, rank, number):
        self.compute(rank)
        self.call(rank, "Request_free", lambda: f"persistent={number}")
