# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of randomtrace.py with probes and, if requested by name, with windows, successful probes, and constructors of
communicators."""

from randomtrace_ranks import Pending, any_text, receive_half, taken_text

MAX_PENDING = 6

MOVES = ["Put", "Get", "Accumulate", "Get_accumulate"]
MAKERS = ["Win_create", "Win_allocate", "Win_create_dynamic"]


class Window:
    """NUMBER: its label; NTH: number among its communicator's windows."""

    def __init__(self, number, comm, nth):
        self.number, self.comm, self.nth = number, comm, nth


class WithWindows:
    """Mixin of Program."""

    windows = ()

    def window_lines(self):
        return [f"#window {window.number} = {window.comm.number} {window.nth}"
                for window in self.windows]

    def step_window(self):
        """Creates a window, or goes through an epoch of one."""
        self.windows = list(self.windows)
        if not self.windows or (len(self.windows) < 4 and self.random.random() < 0.1):
            comm = self.any_comm()
            nth = sum(window.comm is comm for window in self.windows)
            window = Window(len(self.windows), comm, nth)
            self.windows.append(window)
            name = self.random.choice(MAKERS)
            self.meet(comm, name, f"comm={comm.number} win={window.number} bytes=64")
            return True
        window = self.random.choice(self.windows)
        self.random.choice([self.fences, self.posts, self.locks])(window)
        return True

    def meet(self, comm, name, text):
        ranks = self.members_of(comm)
        enters = [self.compute(rank) for rank in ranks]
        for rank in ranks:
            self.call(rank, name, lambda: text, max(enters) + self.random.randint(40, 400))

    def move(self, window, rank, to, name=None):
        """Adds a transfer, which takes no time of the rank."""
        name = name or self.random.choice(MOVES)
        sizes = f"bytes={self.any_size() + 1}"
        if "et" in name:
            sizes += f" recvbytes={self.any_size()}"
        self.compute(rank)
        request = ""
        if name[0] == "R":
            request = f" request={rank.new_request(Pending(rank.now + self.flight(0)))}"
        self.call(rank, name, lambda: f"win={window.number} to={to} {sizes}{request}")

    def fences(self, window):
        """Two fences with transfers between them."""
        self.meet(window.comm, "Win_fence", f"win={window.number}")
        for _ in range(self.random.randrange(6)):
            member = self.any_member(window.comm)
            self.move(window, self.rank_of(window.comm, member),
                      self.any_member(window.comm))
        self.meet(window.comm, "Win_fence", f"win={window.number}")

    def posts(self, window):
        """Post, start, complete, wait or test."""
        comm, win = window.comm, f"win={window.number}"
        members = range(len(comm.members))
        targets, origins = self.any_subset(members), self.any_subset(members)
        posted, completed = 0, 0
        for target in targets:
            rank = self.rank_of(comm, target)
            posted = max(posted, self.compute(rank))
            self.call(rank, "Win_post", lambda: f"{win} group={joined(origins)}")
        for origin in origins:
            rank = self.rank_of(comm, origin)
            self.compute(rank)
            self.call(rank, "Win_start", lambda: f"{win} group={joined(targets)}")
            for _ in range(self.random.randrange(4)):
                self.move(window, rank, self.random.choice(targets))
            completed = max(completed, self.compute(rank))
            self.call(rank, "Win_complete", lambda: win, posted + self.flight(0))
        for target in targets:
            rank = self.rank_of(comm, target)
            if self.random.random() < 0.3:
                self.compute(rank)
                self.call(rank, "Win_test", lambda: f"{win} found=0")
            self.compute(rank)
            self.call(rank, self.random.choice(["Win_wait", "Win_test"]), lambda: win,
                      completed + self.flight(0))

    def locks(self, window):
        """Locks one target or all, transfers, flushes; requests are completed at any time."""
        comm, win = window.comm, f"win={window.number}"
        rank = self.rank_of(comm, self.any_member(comm))
        members = range(len(comm.members))
        everyone = self.random.random() < 0.4
        to = self.random.choice(members)
        one = "" if everyone else f" to={to}"
        suffix = "_all" if everyone else ""
        self.compute(rank)
        self.call(rank, "Win_lock" + suffix, lambda: win + one)
        for _ in range(self.random.randrange(4)):
            name = self.random.choice(["Rput", "Rget", None, None])
            if name and len(rank.requests) > 3:
                name = None
            self.move(window, rank, self.random.choice(members) if everyone else to, name)
            if self.random.random() < 0.3:
                self.compute(rank)
                self.call(rank, "Win_flush" + suffix, lambda: win + one)
        self.compute(rank)
        self.call(rank, "Win_unlock" + suffix, lambda: win + one)

    def free_windows(self):
        for window in self.windows:
            self.meet(window.comm, "Win_free", f"win={window.number}")

    # Probes and communicators

    def step_probe(self):
        """A probe that finds nothing."""
        comm = self.any_comm()
        rank = self.rank_of(comm, self.any_member(comm))
        self.compute(rank)
        self.call(rank, "Iprobe",
                  lambda: f"comm={comm.number} any=source,tag found=0")
        return True

    def step_mprobe(self):
        """Takes a message that has been sent out of matching, by a matched probe."""
        waiting = [half for rank in self.ranks for half in rank.unexpected]
        if not waiting:
            return False
        message = self.random.choice(waiting)
        rank = self.rank_of(message.comm, message.dest)
        receive = receive_half(message.comm, message.source, message.dest,
                               message.tag, self.any_open())
        self.compute(rank)
        send = self.offer(receive)
        rank.unexpected.remove(send)
        rank.made_messages += 1
        number = rank.made_messages
        rank.probed[number] = send
        left_open = any_text(receive)
        self.call(rank, self.random.choice(["Mprobe", "Improbe"]),
                  lambda: f"{taken_text(send, number)}{left_open}",
                  send.enter + self.flight(send.size))
        return True

    def step_mrecv(self):
        """Receives a message that a matched probe took."""
        rank = self.random.choice(self.ranks)
        if not rank.probed or len(rank.requests) >= MAX_PENDING:
            return False
        number = self.random.choice(list(rank.probed))
        self.receive_taken(rank, number, self.random.random() < 0.5)
        return True

    def receive_taken(self, rank, number, blocking):
        send = rank.probed.pop(number)
        receive = receive_half(send.comm, send.source, send.dest, send.tag)
        receive.enter = self.compute(rank)
        self.deliver(send, receive)
        text = taken_text(send, number)
        if blocking:
            self.call(rank, "Mrecv", lambda: text, receive.time)
            return
        request = rank.new_request(receive)
        self.call(rank, "Imrecv", lambda: f"{text} request={request}")

    def step_see(self):
        """A probe finds a message that has been sent."""
        waiting = [half for rank in self.ranks for half in rank.unexpected]
        if not waiting:
            return False
        message = self.random.choice(waiting)
        probe = receive_half(message.comm, message.source, message.dest, message.tag,
                             self.any_open())
        send = self.offer(probe)
        rank = self.rank_of(message.comm, message.dest)
        self.compute(rank)
        text = (f"comm={send.comm.number} from={send.source} tag={send.tag} "
                f"bytes={send.size}{any_text(probe)}")
        self.call(rank, self.random.choice(["Probe", "Iprobe"]), lambda: text,
                  send.enter + self.flight(send.size))
        return True

    def step_split(self):
        """A constructor from which no rank gets a communicator."""
        comm = self.any_comm()
        self.meet(comm, "Comm_split", f"comm={comm.number} newcomm=null")
        return True


def joined(numbers):
    return ",".join(map(str, numbers))
