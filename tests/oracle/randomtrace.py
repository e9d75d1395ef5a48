#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a random valid MPI program and a plausible execution of it, as "#mpgtext 1". Operations are made in one global
order in which each can complete after those before it, so the program cannot deadlock: standard sends of at most EAGER
bytes are buffered, larger ones wait for their receive. Matching follows MPI's rules (posted receives in order, then
unexpected messages in order). Every rank has its own time, and leaves an operation when what it waits for has
happened."""

import argparse
import copy
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from randomtrace_later import Later, spelled  # noqa: E402
from randomtrace_ranks import (  # noqa: E402
    EAGER, SIZES, Execution, Half, Pending, receive_half,
    receive_text, send_text, sendrecv_text, start_text, template_text)
from randomtrace_windows import WithWindows  # noqa: E402

TAGS = 4
MAX_PENDING = 6

KINDS = ["send", "pair", "isend", "recv", "irecv", "sendrecv", "null", "wait",
         "waitall", "waitany", "waitsome", "test", "testall", "testany",
         "testsome", "fail", "free", "persistent", "probe", "collective",
         "icollective", "mprobe", "mrecv", "neighbors", "promise", "partitions",
         "isendrecv"]
BY_NAME = ["window", "see", "split"]

MEETINGS = ["Barrier", "Allreduce", "Allgather", "Allgatherv", "Alltoall",
            "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block"]
PREFIXES = ["Scan", "Exscan"]
FROM_ROOT = ["Bcast", "Scatter", "Scatterv"]
TO_ROOT = ["Reduce", "Gather", "Gatherv"]
COLLECTIVES = MEETINGS + PREFIXES + FROM_ROOT + TO_ROOT
NEIGHBORS = ["allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"]


class Program(Later, WithWindows, Execution):
    """A program of random steps. A step that is not possible now does nothing and returns False."""

    collective_names = COLLECTIVES
    neighbor_kinds = NEIGHBORS

    # Choices

    def any_comm(self):
        return self.random.choice(self.comms)

    def any_member(self, comm):
        return self.random.randrange(len(comm.members))

    def any_tag(self):
        return self.random.randrange(TAGS)

    def any_size(self):
        return self.random.choice(SIZES)

    def any_open(self):
        return self.random.choice([(), (), ("source",), ("tag",),
                                   ("source", "tag")])

    def any_subset(self, things):
        return self.random.sample(things, self.random.randint(1, len(things)))

    def new_send(self, names):
        """Returns a random message, and the name of the call that sends it."""
        comm = self.any_comm()
        standard, synchronous = names
        name = self.random.choice([standard, standard, synchronous])
        size = self.any_size()
        send = Half(comm, self.any_member(comm), self.any_member(comm),
                    self.any_tag(), size, name == synchronous or size > EAGER)
        return name, send

    # Blocking point-to-point

    def step_send(self):
        """A send that is buffered or matches a posted receive."""
        name, send = self.new_send(("Send", "Ssend"))
        if self.random.random() < 0.5:
            self.aim_at_posted(send)
        if not self.taker(send) and (self.safe or send.synchronous):
            return False
        self.blocking_send(name, send)
        return True

    def aim_at_posted(self, send):
        """Changes the send so that it matches a receive posted somewhere, if there is one."""
        posted = [half for rank in self.ranks for half in rank.posted]
        if posted:
            receive = self.random.choice(posted)
            send.comm, send.dest = receive.comm, receive.dest
            send.source, send.tag = receive.source, receive.tag

    def blocking_send(self, name, send):
        rank = self.rank_of(send.comm, send.source)
        send.enter = self.compute(rank)
        self.issue(send)
        self.call(rank, name, lambda: send_text(send), send.time)

    def step_pair(self):
        """A blocking send and a blocking receive that wait for each other."""
        name, send = self.new_send(("Send", "Ssend"))
        receive = receive_half(send.comm, send.source, send.dest, send.tag,
                               self.any_open())
        if send.source == send.dest or self.taker(send) or self.offer(receive):
            return False
        sender = self.rank_of(send.comm, send.source)
        receiver = self.rank_of(send.comm, send.dest)
        send.enter = self.compute(sender)
        receive.enter = self.compute(receiver)
        self.deliver(send, receive)
        self.call(sender, name, lambda: send_text(send), send.time)
        self.call(receiver, "Recv", lambda: receive_text(receive), receive.time)
        return True

    def step_recv(self):
        """Receives a message that has been sent."""
        waiting = [half for rank in self.ranks for half in rank.unexpected]
        if not waiting:
            return False
        self.blocking_receive(self.random.choice(waiting), self.any_open())
        return True

    def blocking_receive(self, message, left_open):
        receive = receive_half(message.comm, message.source, message.dest,
                               message.tag, left_open)
        rank = self.rank_of(receive.comm, receive.dest)
        receive.enter = self.compute(rank)
        self.post(receive)
        self.call(rank, "Recv", lambda: receive_text(receive), receive.time)

    def step_sendrecv(self):
        """A ring of Sendrecv, or a chain whose ends are MPI_PROC_NULL."""
        comm = self.any_comm()
        members = self.any_subset(range(len(comm.members)))
        closed = self.random.random() < 0.6
        sends, receives = self.link(comm, members, closed)
        if any(self.taker(half) for half in sends if half.dest is not None) or any(
                self.offer(half) for half in receives if half.source is not None):
            return False
        for member, send, receive in zip(members, sends, receives):
            enter = self.compute(self.rank_of(comm, member))
            send.enter = receive.enter = enter
        for i, receive in enumerate(receives):
            if receive.source is not None:
                self.deliver(sends[i - 1], receive)
        for member, send, receive in zip(members, sends, receives):
            self.call(self.rank_of(comm, member), "Sendrecv",
                      lambda s=send, r=receive: sendrecv_text(s, r),
                      max(send.time, receive.time))
        return True

    def link(self, comm, members, closed):
        """members[i] sends to members[i + 1] and receives from members[i - 1]."""
        sends, receives = [], []
        for i, member in enumerate(members):
            size = self.any_size()
            after = members[(i + 1) % len(members)]
            sends.append(Half(comm, member, after, self.any_tag(), size,
                              size > EAGER))
        for i, member in enumerate(members):
            receives.append(receive_half(comm, members[i - 1], member,
                                         sends[i - 1].tag, self.any_open()))
        if not closed:
            sends[-1].dest = None
            sends[-1].synchronous = False
            receives[0] = receive_half(comm, None, members[0], self.any_tag())
        return sends, receives

    def step_null(self):
        """A send to or a receive from MPI_PROC_NULL."""
        comm = self.any_comm()
        member = self.any_member(comm)
        name = self.random.choice(["Send", "Isend", "Recv", "Irecv"])
        if name.endswith("end"):
            half = Half(comm, member, None, self.any_tag(), self.any_size())
            self.null_call(name, self.rank_of(comm, member), half, send_text)
        else:
            half = receive_half(comm, None, member, self.any_tag())
            self.null_call(name, self.rank_of(comm, member), half, receive_text)
        return True

    def null_call(self, name, rank, half, text):
        half.matched = True
        self.compute(rank)
        suffix = f" request={rank.new_request(half)}" if name[0] == "I" else ""
        self.call(rank, name, lambda: text(half) + suffix)

    # Requests

    def step_isend(self):
        name, send = self.new_send(("Isend", "Issend"))
        rank = self.rank_of(send.comm, send.source)
        if len(rank.requests) >= MAX_PENDING:
            return False
        send.enter = self.compute(rank)
        self.issue(send)
        request = rank.new_request(send)
        self.call(rank, name, lambda: f"{send_text(send)} request={request}")
        return True

    def step_irecv(self):
        comm = self.any_comm()
        receive = receive_half(comm, self.any_member(comm),
                               self.any_member(comm), self.any_tag(),
                               self.any_open())
        rank = self.rank_of(comm, receive.dest)
        if len(rank.requests) >= MAX_PENDING:
            return False
        receive.enter = self.compute(rank)
        self.post(receive)
        request = rank.new_request(receive)
        self.call(rank, "Irecv",
                  lambda: f"{receive_text(receive)} request={request}")
        return True

    def step_free(self):
        """Frees the request of a buffered send."""
        rank = self.random.choice(self.ranks)
        free = [request for request, half in rank.requests.items()
                if half.is_send and not half.synchronous
                and request not in rank.started]
        if not free:
            return False
        request = self.random.choice(free)
        self.compute(rank)
        del rank.requests[request]
        self.call(rank, "Request_free", lambda: f"request={request}")
        return True

    def step_persistent(self):
        """Creates a persistent request, or starts some inactive ones."""
        rank = self.random.choice(self.ranks)
        idle = [number for number, (_, request) in rank.persistent.items()
                if request not in rank.requests]
        if idle and self.random.random() < 0.7:
            self.start(rank, self.any_subset(idle))
            return True
        if len(rank.persistent) < 3:
            self.make_persistent(rank)
            return True
        return False

    def make_persistent(self, rank):
        comm = self.random.choice(
            [comm for comm in self.comms if rank.number in comm.members])
        me = comm.members.index(rank.number)
        number = len(rank.persistent) + 1
        name = self.random.choice(["Send_init", "Ssend_init", "Recv_init"])
        if name == "Recv_init":
            half = receive_half(comm, self.any_member(comm), me,
                                self.any_tag(), self.any_open())
            text = template_text(half)
        else:
            size = self.any_size()
            half = Half(comm, me, self.any_member(comm), self.any_tag(), size,
                        name == "Ssend_init" or size > EAGER)
            text = send_text(half)
        rank.persistent[number] = (half, None)
        self.compute(rank)
        self.call(rank, name, lambda: f"{text} persistent={number}")

    def start(self, rank, numbers):
        enter = self.compute(rank)
        started = {}
        for number in numbers:
            half = copy.copy(rank.persistent[number][0])
            half.enter = enter
            if half.is_send:
                self.issue(half)
            else:
                self.post(half)
            request = rank.new_request(half)
            rank.persistent[number] = (rank.persistent[number][0], request)
            started[request] = half
        rank.started.update(started)
        name = "Start" if len(numbers) == 1 else "Startall"
        self.call(rank, name, lambda: start_text(numbers, started))

    def complete(self, rank, name, given, done, say_done):
        self.compute(rank)
        after = max(rank.requests.pop(request).time for request in done)
        text = f"requests={','.join(map(str, given))}"
        if say_done:
            text += f" done={','.join(map(str, done))}"
        self.call(rank, name, lambda: text, after)

    def ready(self, rank):
        return [request for request, half in rank.requests.items()
                if self.is_complete(half)]

    def complete_all(self, name, at_most):
        """Completes all requests given: Wait, Waitall, successful Test and Testall."""
        rank = self.random.choice(self.ranks)
        ready = self.ready(rank)
        if not ready:
            return False
        given = self.any_subset(ready)[:at_most]
        say_done = name[0] == "T" and self.random.random() < 0.5
        self.complete(rank, name, given, given, say_done)
        return True

    def complete_some(self, name, at_most):
        """Completes some of the requests given: Waitany, Waitsome, and the like."""
        rank = self.random.choice(self.ranks)
        given = self.any_subset(list(rank.requests)) if rank.requests else []
        ready = [request for request in given if request in self.ready(rank)]
        if not ready:
            return False
        self.complete(rank, name, given, self.any_subset(ready)[:at_most], True)
        return True

    def step_wait(self):
        return self.complete_all("Wait", 1)

    def step_waitall(self):
        return self.complete_all("Waitall", MAX_PENDING)

    def step_test(self):
        return self.complete_all("Test", 1)

    def step_testall(self):
        return self.complete_all("Testall", MAX_PENDING)

    def step_waitany(self):
        return self.complete_some("Waitany", 1)

    def step_waitsome(self):
        return self.complete_some("Waitsome", MAX_PENDING)

    def step_testany(self):
        return self.complete_some("Testany", 1)

    def step_testsome(self):
        return self.complete_some("Testsome", MAX_PENDING)

    def step_fail(self):
        """A test that finds nothing complete."""
        rank = self.random.choice(self.ranks)
        if not rank.requests:
            return False
        name = self.random.choice(["Test", "Testall", "Testany", "Testsome"])
        given = self.any_subset(list(rank.requests))
        given = given[:1] if name == "Test" else given
        self.compute(rank)
        text = f"requests={','.join(map(str, given))} done="
        self.call(rank, name, lambda: text)
        return True

    # Collectives

    def step_collective(self):
        comm = self.any_comm()
        name = self.random.choice(COLLECTIVES)
        root = self.any_member(comm)
        texts = self.collective_texts(name, comm, root)
        enters = [self.compute(self.ranks[r]) for r in comm.members]
        for i, r in enumerate(comm.members):
            self.call(self.ranks[r], name, lambda text=texts[i]: text,
                      self.collective_end(name, enters, i, root))
        return True

    def step_icollective(self):
        """Every member posts a nonblocking collective."""
        comm = self.any_comm()
        name = self.random.choice(COLLECTIVES)
        root = self.any_member(comm)
        ranks = [self.ranks[r] for r in comm.members]
        if any(len(rank.requests) >= MAX_PENDING for rank in ranks):
            return False
        texts = self.collective_texts(name, comm, root)
        enters = [self.compute(rank) for rank in ranks]
        for i, rank in enumerate(ranks):
            end = self.collective_end(name, enters, i, root)
            self.post_pending(rank, "I" + name.lower(), texts[i], end)
        return True

    def post_pending(self, rank, name, text, end):
        request = rank.new_request(Pending(end))
        self.call(rank, name, lambda: f"{text} request={request}")

    def step_neighbors(self):
        comm = self.any_comm()
        kind = self.random.choice(NEIGHBORS)
        blocking = self.random.random() < 0.5
        ranks = [self.ranks[r] for r in comm.members]
        if any(len(rank.requests) >= MAX_PENDING for rank in ranks):
            return False
        size = self.any_size()
        enters = [self.compute(rank) for rank in ranks]
        for i, rank in enumerate(ranks):
            text = self.neighbors_text(kind, comm, i, size)
            end = max([enters[j] + self.flight(size) for j in comm.sources[i]],
                      default=0)
            if blocking:
                self.call(rank, "Neighbor_" + kind, lambda text=text: text, end)
            else:
                self.post_pending(rank, "Ineighbor_" + kind, text, end)
        return True

    def neighbors_text(self, kind, comm, i, size):
        destinations = len(comm.destinations[i])
        if kind in ("alltoallv", "alltoallw") and destinations > 1:
            size = self.size_list(destinations)
        return f"comm={comm.number} bytes={size}"

    def collective_texts(self, name, comm, root):
        """Returns every member's arguments."""
        p = len(comm.members)
        head = f"comm={comm.number}"
        if name == "Barrier":
            return [head] * p
        if name in FROM_ROOT + TO_ROOT:
            head += f" root={root}"
        sizes = [self.any_size()] * p
        if name.endswith("v"):
            sizes = [self.any_size() for _ in range(p)]
        if name in ("Alltoallv", "Alltoallw"):
            sizes = [self.size_list(p) for _ in range(p)]
        if name == "Scatterv":
            sizes[root] = ",".join(map(str, sizes))
        return [f"{head} bytes={size}" for size in sizes]

    def size_list(self, p):
        return ",".join(str(self.any_size()) for _ in range(p))

    def collective_end(self, name, enters, i, root):
        """Returns the time before which member i cannot leave."""
        if name in MEETINGS:
            return max(enters) + self.random.randint(40, 400)
        if name in PREFIXES:
            return max(enters[:i + 1]) + self.random.randint(40, 400)
        if name in FROM_ROOT and i != root:
            return enters[root] + self.flight(0)
        if name in TO_ROOT and i == root:
            return max(enters) + self.flight(0)
        return 0

    # The whole program

    def run(self, steps, kinds):
        for rank in self.ranks:
            self.compute(rank)
            self.call(rank, "Init", lambda: "")
        for _ in range(steps):
            any(self.step(self.random.choice(kinds)) for _ in range(10))
        self.drain()
        for rank in self.ranks:
            self.compute(rank)
            self.call(rank, "Finalize", lambda: "")

    def step(self, kind):
        return getattr(self, "step_" + kind)()

    def drain(self):
        """Matches everything unmatched, and completes everything incomplete."""
        self.finish_later()
        for rank in self.ranks:
            while rank.posted:
                receive = rank.posted[0]
                self.blocking_send("Send", Half(
                    receive.comm, receive.source, receive.dest, receive.tag))
            while rank.unexpected:
                self.blocking_receive(rank.unexpected[0], ())
            while rank.probed:
                self.receive_taken(rank, next(iter(rank.probed)), True)
        for rank in self.ranks:
            if rank.requests:
                given = list(rank.requests)
                self.complete(rank, "Waitall", given, given, False)
            for number in rank.persistent:
                self.compute(rank)
                self.call(rank, "Request_free",
                          lambda number=number: f"persistent={number}")
        self.free_later()
        self.free_windows()


# --- output ----------------------------------------------------------------

def clock_shifts(choice, seed, ranks):
    """Returns what is added to the true time for each rank's clock."""
    if choice == "shared":
        return [0] * ranks
    source = random.Random(f"clocks {seed}")
    return [0] + [source.randint(-90000, 900000) for _ in range(ranks - 1)]


def clock_lines(choice, program, shifts):
    if choice == "shared":
        return ["#clocks shared"]
    if choice == "unknown":
        return []
    lines = []
    for rank, shift in zip(program.ranks, shifts):
        for time in sorted({rank.calls[0][1], rank.calls[-1][0]}):
            lines.append(f"#clock {rank.number} {time + shift} {-shift}")
    return lines


def host_lines(hosts, ranks):
    if hosts == 1:
        return []
    return [f"#host {rank} node{rank % hosts}" for rank in range(ranks)]


def topology_lines(comm):
    return [" ".join(["#topology", str(rank), str(comm.number), "=",
                      *map(str, comm.sources[i]), ">",
                      *map(str, comm.destinations[i])])
            for i, rank in enumerate(comm.members)]


def write(program, choice, hosts, shifts, out):
    lines = ["#mpgtext 1", f"#ranks {len(program.ranks)}"]
    for comm in program.comms:
        lines.append(f"#comm {comm.number} = {' '.join(map(str, comm.members))}")
        lines += topology_lines(comm)
    lines += program.window_lines()
    lines += clock_lines(choice, program, shifts)
    lines += host_lines(hosts, len(program.ranks))
    names = random.Random(f"names {len(lines)} {len(program.ranks[0].calls)}")
    for rank, shift in zip(program.ranks, shifts):
        for enter, leave, name, text in rank.calls:
            words = [str(rank.number), str(enter + shift), str(leave + shift),
                     spelled(name, names), text()]
            lines.append(" ".join(words).rstrip())
    out.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--kinds", default=",".join(KINDS),
                        help="operations to choose from, out of %(default)s,"
                        + ",".join(BY_NAME))
    parser.add_argument("--clocks", default="shared",
                        choices=["shared", "offsets", "unknown"])
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--all-synchronous-safe", action="store_true",
                        help="no deadlock even if every send is synchronous")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if not set(kinds) <= set(KINDS + BY_NAME):
        parser.error(f"--kinds: choose from {','.join(KINDS + BY_NAME)}")
    program = Program(options.seed, options.ranks, options.all_synchronous_safe)
    program.run(options.steps, kinds)
    shifts = clock_shifts(options.clocks, options.seed, options.ranks)
    write(program, options.clocks, options.hosts, shifts, sys.stdout)


if __name__ == "__main__":
    main()
