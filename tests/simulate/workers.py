# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of a master and workers, run by list scheduling: each message of a worker is answered with the next task, in the
order in which the messages come. Gives the run time of each rank, and the run as a text trace. Knows nothing of mpgsim."""

import heapq
import math
import random

MASTER_SEND, WORKER_SEND, SIZE = 310, 170, 64
TAKES = ("Recv", "Probe", "Iprobe", "Mprobe", "Iprobe Mprobe", "Improbe", "Probe any", "Wait", "Test", "Waitall")
GETS = ("Recv", "Probe", "Iprobe Mprobe", "Wait", "Test")
SENDS = ("Send", "Isend Wait", "Isend Test")


class Program:
    """ROUNDS lists of tasks (computation, ns) that rank 0 gives to WORKERS workers. FORM: "request" (a worker asks, and the
    last answer is to stop), "result" (each worker has first tasks unasked, and is told to stop after the last result).
    TAKES: how rank 0 may take a message from any source; EARLY: it posts each receive before it answers the message before.
    GETS, SENDS: how workers may get a task, and send. DEPTH: tasks that a worker has at once. MESSAGES, REPLIES: messages of a
    worker for each task, and of rank 0. WAITANY: "Waitany" or the like of receives, of which rank 0 has one for each worker;
    of messages that lie there it takes the first of the list. NAMED: after the last task it receives from one worker after the
    other. GATHER: after each round it receives one more message of each worker. LAZY: it sends
    the first tasks of all but two workers between its answers (one round of "result")."""

    def __init__(self, seed, workers, rounds, form, tasks=(7, 40), takes=("Recv",), gets=("Recv",), sends=("Send",), early=False,
                 depth=1, messages=1, replies=1, waitany=None, named=False,
                 gather=False, lazy=False):
        rng = random.Random(seed)
        self.workers, self.form, self.waitany, self.early = workers, form, waitany, early
        self.named, self.gather, self.lazy = named, gather, lazy
        self.depth, self.messages, self.replies = depth, messages, replies
        self.rounds = []
        for _ in range(rounds):
            n = rng.randrange(*tasks)
            firsts = depth * workers
            self.rounds.append({
                "computation": [rng.randrange(1000, 400000) for _ in range(n)],
                "pause": [rng.randrange(10, 90) for _ in range(n)],  # of the worker, before it receives the task
                "before": [rng.randrange(100, 900) for _ in range(n + firsts)],  # of the master, from a receive to its answer
                "after": [rng.randrange(100, 2900) for _ in range(n + firsts)],  # ... from the answer to the next receive
                "bytes": [rng.choice((0, 8, SIZE, 4096)) for _ in range(n)],
                "own": [rng.randrange(1000, 90000) for _ in range(firsts)],  # of each worker, before its first messages
                "first": [rng.randrange(1000, 90000) for _ in range(firsts)],  # its first tasks, given unasked
                "result": [rng.choice((8, SIZE)) for _ in range(n + firsts)],  # bytes of a worker's message
                "take": [rng.choice(takes) for _ in range(n + firsts)],
                "get": [rng.choice(gets) for _ in range(n)],
                "send": [rng.choice(sends) for _ in range(n)]})


class Run:
    """PROGRAM run with the latency LATENCY() of each message. Tasks are given out by arrival; messages that come together in the
    order of ranks. POLLS: unsuccessful polls are made while a rank waits by polling; mpgsim takes them for waiting. NOISE(rank):
    time added to each computation."""

    def __init__(self, program, latency, polls=False, noise=None):
        self.program, self.latency, self.polls, self.noise = program, latency, polls, noise
        ranks = program.workers + 1
        self.now = [0] * ranks  # since MPI_Init
        self.lines = [[] for _ in range(ranks)]
        self.posted, self.requests = {}, [0] * ranks
        self.last = {}  # when the last message from a rank to another one arrives
        self.open = None  # the line and the request of the receive that is posted early
        self.given = []  # of each round, the tasks of each rank
        for part in program.rounds:
            self.round(part)
            self.barrier()
        self.run_ns = [now + 100 for now in self.now]

    def call(self, rank, pause, duration, text):
        """Adds a call of RANK, PAUSE after the previous one; returns when it begins."""
        begin = self.now[rank] + pause + (self.noise(rank) if self.noise and pause else 0)
        self.now[rank] = begin + duration
        self.lines[rank].append((begin, begin + duration, text))
        return begin

    def request(self, rank):
        self.requests[rank] += 1
        return self.requests[rank]

    def barrier(self):
        begins = [now + 200 + (self.noise(rank) if self.noise else 0) for rank, now in enumerate(self.now)]
        end = max(begins) + sum(self.latency() for _ in range(math.ceil(math.log2(len(begins)))))
        for rank, begin in enumerate(begins):
            self.lines[rank].append((begin, end, "Barrier"))
        self.now = [end] * len(begins)

    def send(self, rank, to, pause, tag, size, how="Send"):
        """Sends a message; returns when it arrives, not before messages that were sent earlier."""
        duration = WORKER_SEND if rank else MASTER_SEND
        if how == "Send":
            return self.arrive(rank, to, self.call(rank, pause, duration, f"Send to={to} tag={tag} bytes={size}"))
        request = self.request(rank)
        sent = self.call(rank, pause, duration, f"Isend to={to} tag={tag} bytes={size} request={request}")
        if how == "Isend Test":
            if self.polls:
                self.call(rank, 0, 0, f"Test requests={request} done=")
            self.call(rank, 0, 0, f"Test requests={request} done={request}")
        else:
            self.call(rank, 25, 0, f"Wait requests={request} done={request}")
        return self.arrive(rank, to, sent)

    def arrive(self, rank, to, sent):
        self.last[rank, to] = max(sent + self.latency(), self.last.get((rank, to), 0))
        return self.last[rank, to]

    def post(self, rank):
        request = self.posted[rank] = self.request(0)
        self.call(0, 15, 25, f"Irecv from={rank} tag=2 bytes={SIZE} request={request}")

    def poll(self, rank, pause, arrival, text):
        """Polls until ARRIVAL, if there are polls; returns the pause before the next call."""
        begin = self.now[rank] + pause
        if not self.polls or arrival <= begin:
            return pause
        step = max(700, min(9000, (arrival - begin) // 4))
        while begin < arrival:
            self.call(rank, begin - self.now[rank], 90, text)
            begin += step
        return begin - self.now[rank]

    def receive(self, rank, source, pause, arrival, tag, size, other="", call="Recv"):
        if self.noise and pause:
            self.now[rank] += self.noise(rank) + pause
            pause = 0
        begin = self.now[rank] + pause
        self.call(rank, pause, max(0, arrival - begin), f"{call} from={source} tag={tag} bytes={size}{other}")

    def take(self, rank, source, pause, arrival, tag, size, how, any_=""):
        """RANK receives a message in the way HOW. ANY_: " any=..." of the first call."""
        if how == "Recv":
            self.receive(rank, source, pause, arrival, tag, size, any_)
        elif how in ("Probe", "Probe any"):
            self.receive(rank, source, pause, arrival, tag, size, any_ + " found=1", "Probe")
            self.receive(rank, source, 35, arrival, tag, size, any_ if how == "Probe any" else "")
        elif how in ("Iprobe", "Iprobe Mprobe"):
            pause = self.poll(rank, pause, arrival, f"Iprobe from={source} tag={tag}{any_} found=0")
            self.receive(rank, source, pause, arrival, tag, size, any_ + " found=1", "Iprobe")
            if how == "Iprobe":
                self.receive(rank, source, 35, arrival, tag, size)
            else:
                self.matched(rank, source, 35, arrival, tag, size, any_, "Mprobe")
        elif how in ("Mprobe", "Improbe"):
            if how == "Improbe":
                pause = self.poll(rank, pause, arrival, f"Improbe from={source} tag={tag}{any_} found=0")
            self.matched(rank, source, pause, arrival, tag, size, any_, how)
        else:
            if self.open:
                request, self.open = self.open, None
            else:
                request = self.request(rank)
                self.call(rank, 15, 25, f"Irecv from={source} tag={tag} bytes=8192{any_} request={request}")
            if how == "Test":
                pause = self.poll(rank, pause, arrival, f"Test requests={request} done=")
            begin = self.now[rank] + pause
            self.call(rank, pause, max(0, arrival - begin), f"{how} requests={request} done={request}")

    def matched(self, rank, source, pause, arrival, tag, size, any_, how):
        message = self.request(rank)
        self.receive(rank, source, pause, arrival, tag, size, f"{any_} found=1 message={message}", how)
        self.receive(rank, source, 20, arrival, tag, size, f" message={message}", "Mrecv")

    def give(self, rank, pause, tag, size):
        """Rank 0 sends a task to RANK; returns when its messages arrive."""
        sizes = [size, *[16] * (self.program.replies - 1)]
        return [(self.send(0, rank, pause if i == 0 else 40, tag, bytes_), bytes_) for i, bytes_ in enumerate(sizes)]

    def get(self, rank, arrivals, pause, tag, how="Recv"):
        for arrival, size in arrivals:
            self.take(rank, 0, pause, arrival, tag, size, how)

    def ask(self, waiting, rank, pause, size, how="Send"):
        """RANK sends its messages for a task."""
        sizes = [SIZE if self.program.waitany else size, *[24] * (self.program.messages - 1)]
        arrivals = [(self.send(rank, 0, pause if i == 0 else 30, 2 if i == 0 else 5, bytes_, how), bytes_)
                    for i, bytes_ in enumerate(sizes)]
        heapq.heappush(waiting, (arrivals[0][0], rank, len(self.lines[rank]), arrivals))

    def begin(self, part, waiting):
        """Gives out the first tasks and messages of a round."""
        program = self.program
        for rank in range(1, program.workers + 1) if program.waitany else ():
            self.post(rank)
        for i in range(program.depth * program.workers):
            if not program.lazy or i < 2:
                self.seed(part, waiting, i)

    def seed(self, part, waiting, i):
        """Gives out task I of a round's first tasks, unless workers ask, and sends the worker's message."""
        rank, asks = i % self.program.workers + 1, self.program.form == "request"
        if not asks:
            self.get(rank, self.give(rank, 50, 1, 16), part["own"][i], 1)
        self.ask(waiting, rank, part["own" if asks else "first"][i], part["result"][i])

    def complete(self, rank, pause, arrival):
        """Waits for the posted receives, of which RANK's message arrives first."""
        how, posted = self.program.waitany, ",".join(str(self.posted[other]) for other in sorted(self.posted))
        done = self.posted.pop(rank)
        if how.startswith("Test"):
            pause = self.poll(0, pause, arrival, f"{how} requests={posted} done=")
        self.call(0, pause, max(0, arrival - self.now[0] - pause), f"{how} requests={posted} done={done}")

    def next(self, waiting, pause, is_task):
        """Returns the message that rank 0 takes: of those that have arrived and can be received, the first in the
        list."""
        if self.program.named and not is_task:
            message = min(waiting, key=lambda m: m[1:3])
            waiting.remove(message)
            heapq.heapify(waiting)
            return message
        if self.program.waitany:
            heads = {}
            for message in sorted(waiting):
                heads.setdefault(message[1], message)
            there = [message for message in heads.values() if message[0] <= self.now[0] + pause]
            message = min(there, key=lambda m: m[1]) if there else min(heads.values())
            waiting.remove(message)
            heapq.heapify(waiting)
            return message
        return heapq.heappop(waiting)

    def post_early(self, part, k, waiting):
        """Posts receive K, whose source is not known yet: its line is completed when the message arrives."""
        last = "computation" if self.program.named else "take"
        if self.program.early and k < len(part[last]) and part["take"][k] in ("Wait", "Test", "Waitall"):
            self.open = self.request(0)
            self.call(0, 15, 25, f"Irecv from=? tag=2 bytes=8192 any=source request={self.open}")

    def resolve(self, rank):
        """RANK is the source of the receive that was posted early."""
        if self.open:
            at = max(i for i, line in enumerate(self.lines[0]) if "from=?" in line[2])
            begin, end, text = self.lines[0][at]
            self.lines[0][at] = (begin, end, text.replace("from=?", f"from={rank}"))

    def round(self, part):
        program, asks = self.program, self.program.form == "request"
        waiting, last, pause = [], [], 70
        given = [[] for _ in range(program.workers + 1)]
        self.begin(part, waiting)
        for k in range(len(part["take"])):
            is_task = k < len(part["computation"])
            arrival, rank, _, arrivals = self.next(waiting, pause, is_task)
            self.resolve(rank)
            if program.waitany:
                self.complete(rank, pause, arrival)
            elif program.named and not is_task:
                self.receive(0, rank, pause, arrival, 2, arrivals[0][1])
            else:
                self.take(0, rank, pause, arrival, 2, arrivals[0][1], part["take"][k],
                          " any=source,tag" if "probe" in part["take"][k].lower() else " any=source")
            for arrival, size in arrivals[1:]:
                self.receive(0, rank, 20, arrival, 5, size)
            pause = part["after"][k]
            if is_task and program.waitany:
                self.post(rank)
            self.post_early(part, k + 1, waiting)
            if is_task:
                given[rank].append(k)
                self.get(rank, self.give(rank, part["before"][k], 1, part["bytes"][k]), part["pause"][k], 1, part["get"][k])
                self.ask(waiting, rank, part["computation"][k], part["result"][k], part["send"][k])
                if program.lazy and k + 2 < program.workers:
                    self.seed(part, waiting, k + 2)
            elif asks:
                self.get(rank, [(self.send(0, rank, part["before"][k], 3, 0), 0)], 60, 3)
            else:
                last.append(rank)
        for rank in sorted(set(last)):
            self.get(rank, [(self.send(0, rank, 30, 3, 0), 0)], 60, 3)
        for rank in range(1, program.workers + 1) if program.gather else ():
            self.receive(0, rank, 25, self.send(rank, 0, 40, 7, 8), 7, 8)
        self.given.append(given)

    def text(self):
        ranks = len(self.now)
        lines = ["#mpgtext 1", f"#ranks {ranks}"]
        for rank in range(ranks):
            lines.append(f"{rank} 0 1000 Init")
            lines += [f"{rank} {1000 + begin} {1000 + end} {text}" for begin, end, text in self.lines[rank]]
            lines.append(f"{rank} {1000 + self.run_ns[rank]} {1010 + self.run_ns[rank]} Finalize")
        return "\n".join(lines) + "\n"
