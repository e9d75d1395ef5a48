#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace export --format=prv (TAP): random programs, exported to Paraver traces and imported again, have equal calls,
except as mpgparaver(5) lists (prv_mask.py); records are ordered by time."""

import collections
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "properties"), os.path.join(HERE, "..")]
import programs  # noqa: E402
import prv_mask  # noqa: E402
import tap  # noqa: E402
import texts  # noqa: E402

MPGTRACE = os.environ.get("MPGTRACE", "mpgtrace").split()
MPGSIM = os.environ.get("MPGSIM", "mpgsim").split()
CASES = int(os.environ.get("EXPORT_CASES", "60"))
FIRST = int(os.environ.get("EXPORT_FIRST", "0"))


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def text_of(path):
    """Returns the trace as canonical text; an assertion shows import's errors."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        made = os.path.join(folder, "t.trace")
        done = run(*MPGTRACE, "import", "--lenient", "-o", made, path)
        assert done.returncode == 0, done.stderr
        return run(*MPGTRACE, "print", made).stdout


def members(text):
    """Returns for each communicator its group and its remote group, as ranks of the world; -4: a rank of another
    world."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"#comm (\d+)(?: of \d+)?(?: instance \d+)? = ([^|]*)(?:\| (.*))?$", line)
        if match:
            found[match[1]] = tuple([int(word) if word.isdigit() else -4 for word in (part or "").split()]
                                    for part in match.groups()[1:])
    return found


class Names:
    """A one-to-one mapping of labels that must be the same everywhere."""

    def __init__(self):
        self.there, self.back = {}, {}

    def same(self, key, other):
        return self.there.setdefault(key, other) == other and self.back.setdefault(other, key) == key


def differs(wanted, got, names, comms, ranks):
    """Returns how call GOT differs from WANTED, or ""."""
    if got.name != wanted.name or abs(got.enter - wanted.enter) > 0.5 or abs(got.leave - wanted.leave) > 0.5:
        return "name or time"
    is_message = "to" in wanted.keys or "from" in wanted.keys
    for key in sorted(set(wanted.keys) | set(got.keys)):
        a, b = wanted.keys.get(key), got.keys.get(key)
        if key == "comm" and is_message:
            if comms[1][b][0] != list(range(ranks)):
                return f"comm {b}"
        elif key == "comm":
            if comms[0][a] != comms[1][b] or not names["comm"].same(a, b):
                return f"comm {a} {b}"
        elif key == "request":
            if not names["request", wanted.rank].same(a, b):
                return f"request {a} {b}"
        elif key == "requests":
            if sorted(names["request", wanted.rank].there.get(one, "?") for one in a) != sorted(got.list("requests")):
                return f"requests {a} {b}"
        elif a != b:
            return f"{key} {a} {b}"
    return ""


def joined(calls):
    """Joins the three calls that a Sendrecv on two communicators becomes after import."""
    calls, out = list(calls), []
    while calls:
        call = calls.pop(0)
        if len(calls) >= 2 and [call.name, calls[0].name, calls[1].name] == ["Isend", "Irecv", "Waitall"] and (
                calls[0].enter == calls[0].leave == call.enter == call.leave == calls[1].enter):
            keys = {key: call.keys[key] for key in ("comm", "to", "tag", "bytes")}
            keys |= {"from": calls[0].keys["from"], "recvtag": calls[0].keys["tag"], "recvbytes": calls[0].keys["bytes"]}
            call = calls[1].but(name="Sendrecv", keys=keys)
            del calls[:2]
        out.append(call)
    return out


def expected(original):
    """Returns for each rank the calls expected after import."""
    trace = texts.trace_of(original)
    messages, clocks = prv_mask.Messages(trace, members(original)), prv_mask.Clocks(trace)
    return [prv_mask.Masker([call for call in trace.calls if call.rank == rank], messages, clocks).out
            for rank in range(trace.ranks)]


def compare(original, imported):
    """Returns the first difference, or ""."""
    before, after = texts.trace_of(original), texts.trace_of(imported)
    comms, names = (members(original), members(imported)), collections.defaultdict(Names)
    for rank, wanted in enumerate(expected(original)):
        threads = sorted({call.thread for call in before.calls if call.rank == rank})
        pairs = []
        for number, thread in enumerate(threads):
            mine = [call for call in wanted if call.thread == thread]
            got = [call for call in after.calls if call.rank == rank and call.thread == number]
            if len(mine) != len(got):
                got = joined(got)
            pairs += zip(mine, got)
            if len(mine) != len(got):
                return f"rank {rank}.{thread}: {len(mine)} calls, {len(got)} there" + next(
                    (f": {a} -- {b}" for a, b in zip(mine, got) if a.name != b.name), "")
        for a, b in pairs:  # another thread may complete a request
            if "request" in a.keys and a.name == b.name and not names["request", rank].same(a.keys["request"], b.keys["request"]):
                return f"rank {rank}: {a} -- {b}: request"
        for a, b in pairs:
            if b.name == "Sendrecv" and a.name == "Sendrecv_replace":
                b = b.but(name=a.name)
            why = differs(a, b, names, comms, before.ranks)
            if why:
                return f"rank {rank}: {a} -- {b}: {why}"
    return ""


def check_records(path):
    """Checks that records are ordered by time, states before events, and that the states of a thread are contiguous."""
    last, ends = (0, 0), {}
    with open(path, encoding="ascii") as file:
        for line in file.read().splitlines():
            fields = line.split(":")
            if fields[0] not in "123":
                continue
            place = (int(fields[6 if fields[0] == "3" else 5]), int(fields[0]))
            assert place[0] > last[0] or place >= last, line
            last = place
            if fields[0] == "1":
                assert int(fields[5]) == ends.get(fields[3:5].__str__(), 0), line
                ends[fields[3:5].__str__()] = int(fields[6])


def case(number):
    draw = random.Random(f"paraver {number}")
    text, _ = programs.program(draw, clocks=("shared", "offsets"))
    with open("program.txt", "w", encoding="ascii") as file:
        file.write(text)
    done = run(*MPGTRACE, "export", "-o", "x.prv", "program.txt")
    if done.returncode:
        return done.stderr
    check_records("x.prv")
    return compare(text_of("program.txt"), text_of("x.prv"))


def answer(path, *words):
    """Returns all numbers of mpgsim's output, or "" if it refuses."""
    done = run(*MPGSIM, "--cache=fresh", "--json", "--seed=5", "--replicas=2", "--noise=exp:2us", *words, path)
    return done.stdout[done.stdout.index('"recorded_run_time_ns"'):] if done.returncode == 0 else ""


def plain_program(draw):
    """Returns a program that a Paraver trace contains completely: messages on MPI_COMM_WORLD whose sends complete in
    their calls."""
    ranks = draw.randint(2, 6)
    lines, now = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", "#comm 1 = " + " ".join(map(str, range(ranks - 1, -1, -1)))], []
    for rank in range(ranks):
        now.append(draw.randint(0, 900))
        lines.append(f"{rank} {now[rank]} {now[rank] + 500} Init")
        now[rank] += 500
    requests = [0] * ranks

    def call(rank, text, most=900):
        begin = now[rank] + draw.randint(1, 3000)
        now[rank] = begin + draw.randint(1, most)
        lines.append(f"{rank} {begin} {now[rank]} {text}")

    for _ in range(draw.randint(3, 30)):
        kind, tag, size = draw.randrange(4), draw.randrange(4), draw.choice((0, 8, 1000, 70000))
        if kind == 0:
            text = draw.choice((f"Bcast comm=1 root={draw.randrange(ranks)} bytes={size}", f"Allreduce comm=0 bytes={size}",
                                "Barrier comm=0", f"Gather comm=0 root={draw.randrange(ranks)} bytes={size}",
                                f"Alltoall comm=1 bytes={size}", f"Scatter comm=0 root={draw.randrange(ranks)} bytes={size}"))
            for rank in range(ranks):
                call(rank, text, 5000)
        elif kind == 1:
            a, b = draw.sample(range(ranks), 2)
            call(a, f"{draw.choice(prv_mask.SENDS)} to={b} tag={tag} bytes={size}")
            now[b] = max(now[a], now[b])
            call(b, f"Recv from={a} tag={tag} bytes={size}")
        elif kind == 2:
            for rank in range(ranks):
                call(rank, f"Sendrecv to={(rank + 1) % ranks} tag={tag} bytes={size} from={(rank - 1) % ranks} "
                           f"recvtag={tag} recvbytes={size}", 5000)
        else:
            for rank in range(ranks):
                requests[rank] += 1
                call(rank, f"Irecv from={(rank - 1) % ranks} tag={tag} bytes={size} request={requests[rank]}")
            for rank in range(ranks):
                call(rank, f"Send to={(rank + 1) % ranks} tag={tag} bytes={size}")
            for rank in range(ranks):
                now[rank] = max(now)
                call(rank, f"Wait requests={requests[rank]}")
    for rank in range(ranks):
        call(rank, "Finalize")
    return "\n".join(lines) + "\n"


def whole_case(number, answers):
    with open("program.txt", "w", encoding="ascii") as file:
        file.write(plain_program(random.Random(f"whole {number}")))
    done = run(*MPGTRACE, "export", "-o", "x.prv", "program.txt")
    if done.returncode or done.stderr:
        return done.stderr
    for words in (["--predict", "--latency=exp:3us", "--byte=const:0.5ns"], ["--latency=exp:300ns"]):
        ours = answer("program.txt", *words)
        if ours:
            answers[ours == answer("x.prv", *words)] += 1
    return compare(text_of("program.txt"), text_of("x.prv"))


def sizes(text, name):
    """Bytes that each rank's call NAME sent and received, of the records of the exported TEXT."""
    with open("sizes.txt", "w", encoding="ascii") as file:
        file.write(text)
    done = run(*MPGTRACE, "export", "-o", "sizes.prv", "sizes.txt")
    assert done.returncode == 0, done.stderr
    found = {}
    with open("sizes.prv", encoding="ascii") as file:
        for line in file.read().splitlines():
            fields = line.split(":")
            values = dict(zip(fields[6::2], fields[7::2]))
            if fields[0] == "2" and values.get("50000002") == name:
                found[int(fields[3]) - 1] = int(values["50100001"]), int(values["50100002"])
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wrong, answers = [], [0, 0]
        for number in range(FIRST, FIRST + CASES):
            for what in (case, lambda n: whole_case(n, answers)):
                try:
                    why = what(number)
                except AssertionError as error:
                    why = str(error)
                if why:
                    wrong.append(f"program {number}: {why}")
                    if os.environ.get("EXPORT_KEEP"):
                        subprocess.run(["cp", "-r", ".", os.environ["EXPORT_KEEP"]], check=False)
                        print(wrong)
                        return 1
        tap.ok(f"{2 * CASES} programs come back from Paraver", not wrong, "\n# ".join(wrong[:5]))
        tap.ok(f"mpgsim answers {sum(answers)} times as for the trace, to the last digit", answers[1] > 0 and answers[0] == 0,
               answers)
        got = sizes("#mpgtext 1\n#ranks 3\n" + "".join(
            f"{rank} 0 1 Init\n{rank} 9 10 Scatterv root=1 bytes={part}\n{rank} 20 21 Finalize\n"
            for rank, part in enumerate(("100", "100,70000,5", "5"))), "16")
        tap.ok("the root of Scatterv sends all parts and receives its own", got == {0: (0, 100), 1: (70105, 70000), 2: (0, 5)}, got)
        os.chdir("/")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
