# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of a master and workers, run by list scheduling: each message of a worker is answered with the next task, in the
order in which the messages come. Gives the run time of each rank, and the run as a text trace. Knows nothing of mpgsim.

    workers.py      how much longer a run with noise takes if the distribution stays that of the run without noise"""

import heapq
import math
import random

MASTER_SEND, WORKER_SEND, SIZE = 310, 170, 64


class Program:
    """ROUNDS lists of tasks (computation, ns) that rank 0 gives to WORKERS workers. FORM: "request" (a worker asks, and the
    last answer is to stop), "result" (each worker has a first task unasked, and is told to stop after the last result).
    PROBES: rank 0 probes before it receives. WAITANY: it has a receive posted for each worker."""

    def __init__(self, seed, workers, rounds, form, tasks=(7, 40), probes=False, waitany=False):
        rng = random.Random(seed)
        self.workers, self.form, self.probes, self.waitany = workers, form, probes, waitany
        self.rounds = []
        for _ in range(rounds):
            n = rng.randrange(*tasks)
            self.rounds.append({
                "computation": [rng.randrange(1000, 400000) for _ in range(n)],
                "pause": [rng.randrange(10, 90) for _ in range(n)],  # of the worker, before it receives the task
                "before": [rng.randrange(100, 900) for _ in range(n + workers)],  # of the master, from a receive to its answer
                "after": [rng.randrange(100, 2900) for _ in range(n + workers)],  # ... from the answer to the next receive
                "bytes": [rng.choice((0, 8, SIZE, 4096)) for _ in range(n)],
                "own": [rng.randrange(1000, 90000) for _ in range(workers)],  # of each worker, before its first message
                "first": [rng.randrange(1000, 90000) for _ in range(workers)]})  # its first task, given unasked


class Run:
    """PROGRAM run with the latency LATENCY() of each message. Tasks are given out by arrival; messages that come together in the
    order of ranks."""

    def __init__(self, program, latency):
        self.program, self.latency = program, latency
        ranks = program.workers + 1
        self.now = [0] * ranks  # since MPI_Init
        self.lines = [[] for _ in range(ranks)]
        self.posted, self.requests = {}, 0
        self.given = []  # of each round, the tasks of each rank
        for part in program.rounds:
            self.round(part)
            self.barrier()
        self.run_ns = [now + 100 for now in self.now]

    def call(self, rank, pause, duration, text):
        """Adds a call of RANK, PAUSE after the last one; returns when it begins."""
        begin = self.now[rank] + pause
        self.now[rank] = begin + duration
        self.lines[rank].append((begin, begin + duration, text))
        return begin

    def barrier(self):
        end = max(self.now) + 200 + sum(self.latency() for _ in range(math.ceil(math.log2(len(self.now)))))
        for rank, now in enumerate(self.now):
            self.call(rank, 200, end - now - 200, "Barrier")

    def send(self, rank, to, pause, tag, size):
        """Returns when the message arrives."""
        duration = WORKER_SEND if rank else MASTER_SEND
        return self.call(rank, pause, duration, f"Send to={to} tag={tag} bytes={size}") + self.latency()

    def post(self, rank):
        self.requests += 1
        self.posted[rank] = self.requests
        self.call(0, 15, 25, f"Irecv from={rank} tag=2 bytes={SIZE} request={self.requests}")

    def receive(self, rank, source, pause, arrival, tag, size, other="", call="Recv"):
        begin = self.now[rank] + pause
        self.call(rank, pause, max(0, arrival - begin), f"{call} from={source} tag={tag} bytes={size}{other}")

    def round(self, part):
        asks = self.program.form == "request"
        waiting = []
        for rank in range(1, self.program.workers + 1) if self.program.waitany else ():
            self.post(rank)
        given = [[] for _ in range(self.program.workers + 1)]
        for rank in range(1, self.program.workers + 1):
            if not asks:
                arrival = self.send(0, rank, 50, 1, 16)
                self.receive(rank, 0, part["own"][rank - 1], arrival, 1, 16)
            pause = part["own" if asks else "first"][rank - 1]
            heapq.heappush(waiting, (self.send(rank, 0, pause, 2, SIZE), rank))
        pause = 70
        last = []
        for k in range(len(part["computation"]) + self.program.workers):
            arrival, rank = heapq.heappop(waiting)
            if self.program.waitany:
                done = self.posted.pop(rank)
                left = ",".join(map(str, [done, *self.posted.values()]))
                self.call(0, pause, max(0, arrival - self.now[0] - pause), f"Waitany requests={left} done={done}")
            elif self.program.probes:
                self.receive(0, rank, pause, arrival, 2, SIZE, " any=source,tag found=1", "Probe")
                self.receive(0, rank, 35, arrival, 2, SIZE)
            else:
                self.receive(0, rank, pause, arrival, 2, SIZE, " any=source")
            is_task = k < len(part["computation"])
            pause = part["after"][k]
            if is_task and self.program.waitany:
                self.post(rank)
            if not is_task and not asks:
                last.append(rank)
                continue
            size = part["bytes"][k] if is_task else 0
            arrival = self.send(0, rank, part["before"][k], 1 if is_task else 3, size)
            if is_task:
                given[rank].append(k)
                self.receive(rank, 0, part["pause"][k], arrival, 1, size)
                heapq.heappush(waiting, (self.send(rank, 0, part["computation"][k], 2, SIZE), rank))
            else:
                self.receive(rank, 0, 60, arrival, 3, 0)
        for rank in sorted(last):
            arrival = self.send(0, rank, 30, 3, 0)
            self.receive(rank, 0, 60, arrival, 3, 0)
        self.given.append(given)

    def text(self):
        ranks = len(self.now)
        lines = ["#mpgtext 1", f"#ranks {ranks}"]
        for rank in range(ranks):
            lines.append(f"{rank} 0 1000 Init")
            lines += [f"{rank} {1000 + begin} {1000 + end} {text}" for begin, end, text in self.lines[rank]]
            lines.append(f"{rank} {1000 + self.run_ns[rank]} {1010 + self.run_ns[rank]} Finalize")
        return "\n".join(lines) + "\n"


def makespan(times, workers, distribution=None):
    """The run of tasks that take TIMES, given out by arrival, or in turn to the workers of DISTRIBUTION; and the distribution."""
    free, end, given, at = [(0.0, w) for w in range(workers)], 0.0, [], [0.0] * workers
    for k, time in enumerate(times):
        worker = distribution[k] if distribution else heapq.heappop(free)[1]
        end = max(end, at[worker])
        at[worker] = end + time
        heapq.heappush(free, (at[worker], worker))
        given.append(worker)
    return max(at), given


def main():
    rng = random.Random(1)
    for workers in (3, 7, 15):
        for part in (0.01, 0.03, 0.1):
            excess = []
            for _ in range(100):
                times = [rng.uniform(5, 15) for _ in range(300)]
                noisy = [time * (1 + abs(rng.gauss(0, part))) for time in times]
                kept = makespan(noisy, workers, makespan(times, workers)[1])[0]
                excess.append(100 * (kept / makespan(noisy, workers)[0] - 1))
            print(f"{workers} workers, noise of {100 * part:g} % of a task: {sum(excess) / len(excess):.2f} % longer")


if __name__ == "__main__":
    main()
