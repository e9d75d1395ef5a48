#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hypotheses about messages (TAP): mpgsim --predict with hypotheses, compared with mpgsim without them on a trace that
this test edited line by line in the same way: calls removed with their time, bytes replaced. The environment variable
MPGSIM names the program, EDITED_SEEDS how many traces are compared."""

import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
from scripts import made  # noqa: E402

MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
KINDS = ["send,pair,isend,recv,irecv,wait,waitall",
         "send,pair,isend,recv,irecv,sendrecv,wait,waitall,collective,icollective",
         "send,isend,recv,irecv,wait,waitall,window,neighbors",
         "isend,irecv,wait,waitall,partitions,neighbors,window"]
COMPLETE = {"Wait", "Waitall"}
MOVES = {"Put", "Get", "Accumulate", "Get_accumulate", "Rput", "Rget"}
PAIRS = {"Sendrecv", "Sendrecv_replace"}
TARGET = ["--predict", "--latency=const:2385ns", "--byte=const:0.375ns", "--without=choice", "--eager-limit=4096",
          "--polling=work", "--without=progress"]  # calls that are dropped make progress, those that are not there none


def calls_of_itself(rank, first):
    """Returns what every rank does first, in a nanosecond each, which gives its Wait and Waitall their least
    durations."""
    for n, name in enumerate(("Wait", "Waitall")):
        a, b = 900001 + 2 * n, 900002 + 2 * n
        for words in (f"Irecv comm=0 from={rank} tag=99 bytes=8 request={a}",
                      f"Isend comm=0 to={rank} tag=99 bytes=8 request={b}",
                      f"{name} requests={a}", f"{name} requests={b}"):
            yield first, first + 1, words
            first += 1


class Trace:
    """A trace: header lines, and for each rank (enter, leave, words)."""

    def __init__(self, seed):
        words = ["--seed", str(seed), "--ranks", str(2 + seed % 4), "--steps", "60", "--clocks", "shared",
                 "--hosts", "1", "--kinds", KINDS[seed % len(KINDS)]]
        text = made("randomtrace.py", *words).splitlines()
        self.headers, self.calls = [line for line in text if line.startswith("#")], {}
        for line in text:
            if not line.startswith("#"):
                rank, enter, leave, words = line.split(" ", 3)
                self.calls.setdefault(int(rank), []).append((int(enter), int(leave), words))
        for rank, calls in self.calls.items():
            later = [(enter + 8, leave + 8, words) for enter, leave, words in calls[1:]]
            self.calls[rank] = [calls[0], *calls_of_itself(rank, calls[0][1]), *later]

    def write(self, path):
        with open(path, "w", encoding="ascii") as file:
            print(*self.headers, sep="\n", file=file)
            for rank, calls in self.calls.items():
                for enter, leave, words in calls:
                    print(rank, enter, leave, words, file=file)

    def names(self):
        return {parse(words)[0] for calls in self.calls.values() for _, _, words in calls}

    def without(self, is_gone):
        """Returns the trace without the calls for which is_gone(name, keys) is true, and without calls that only
        complete them."""
        for rank, calls in self.calls.items():
            kept, shift, gone, epochs = [], 0, set(), Epochs()
            for enter, leave, words in calls:
                name, keys = parse(words)
                keys.update(rank=str(rank), epoch=epochs.of(name, keys))
                if is_gone(name, keys):
                    gone.update(keys.get("request", "").split(","), keys.get("requests", "").split(","))
                    shift += leave - enter
                    continue
                if name in COMPLETE:
                    left = [one for one in keys["requests"].split(",") if one not in gone]
                    words = f"{name} requests={','.join(left)}"
                    if not left:
                        shift += leave - enter
                        continue
                kept.append((enter - shift, leave - shift, words))
            self.calls[rank] = kept
        return self

    def has_neighbors(self, keys):
        for line in self.headers:
            words = line.split()
            if words[:3] == ["#topology", keys["rank"], keys["comm"]]:
                return any(word.isdigit() for word in words[4:])
        return False

    def resized(self, is_resized, size):
        for rank, calls in self.calls.items():
            self.calls[rank] = [
                (enter, leave, re.sub(r"\b(recv)?bytes=([\d,]+)", lambda m: f"{m[1] or ''}bytes=" + ",".join(
                    str(size(int(one))) for one in m[2].split(",")), words)
                 if is_resized(*parse(words)) else words) for enter, leave, words in calls]
        return self


class Epochs:
    """Of a rank's calls on windows: which call ends their epoch."""

    def __init__(self):
        self.locked, self.accessed = {}, set()

    def of(self, name, keys):
        win = keys.get("win")
        if name in ("Win_lock", "Win_lock_all"):
            self.locked[win] = name.replace("lock", "unlock")
            return self.locked[win]
        if name in ("Win_unlock", "Win_unlock_all"):
            return self.locked.pop(win)
        if name in ("Win_start", "Win_complete"):
            (self.accessed.add if name == "Win_start" else self.accessed.discard)(win)
        if name in ("Win_post", "Win_start", "Win_complete", "Win_wait", "Win_test"):
            return "Win_complete"
        if name in MOVES or name.startswith("Win_flush"):
            return self.locked.get(win) or ("Win_complete" if win in self.accessed else "Win_fence")
        return name


def parse(words):
    name, *rest = words.split()
    return name.removesuffix("_c"), dict(word.split("=", 1) for word in rest)


def times(path, *words):
    """Returns predicted times. The edited trace has no hypothesis, which would expand collectives and let sends wait as
    the trace shows, so options switch this off for both."""
    words = [*words, "--collectives=measured", *(["--without=weak-progress"] if words else [])]
    done = subprocess.run([*MPGSIM, "--json", "--replicas=1", *TARGET, *words, path], capture_output=True,
                          text=True, check=False)
    if "ranks wait for each other" in done.stderr:  # as they are synchronous now
        return ["deadlock"]
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    return [round(rank["traced_ns"] + rank["delay_ns"]["median"], 3) for rank in json.loads(done.stdout)["ranks"]]


def later_cases(draw, trace):
    """Generates cases with neighbourhood collectives, windows, and partitioned messages."""
    names = trace.names()
    near = sorted({name for rank, calls in trace.calls.items() for name, keys in (parse(one[2]) for one in calls)
                   if name.startswith("Neighbor_") and not name.endswith("_init")
                   and trace.has_neighbors({**keys, "rank": str(rank)})})
    if near:
        one = draw.choice(near)
        yield [f"drop call={one}"], lambda t: t.without(lambda name, keys: name == one and t.has_neighbors(keys))
        yield ([f"resize call={one} factor=2"], lambda t: t.resized(lambda name, keys: name == one, lambda n: 2 * n))
    ends = sorted(names & {"Win_fence", "Win_complete", "Win_unlock", "Win_unlock_all"})
    for one in ends:
        yield [f"drop call={one}"], lambda t, one=one: t.without(lambda name, keys: keys["epoch"] == one)
    if ends:
        yield ([f"drop call={one}" for one in ends],
               lambda t: t.without(lambda name, keys: keys["epoch"] in ends))
    moves = sorted(names & MOVES)
    if moves:
        one = draw.choice(moves)
        yield ([f"resize call={one} factor=2"], lambda t: t.resized(lambda name, keys: name == one, lambda n: 2 * n))
    if "Pready" in names:
        yield (["drop call=Start"], lambda t: t.without(
            lambda name, keys: name in ("Start", "Parrived") or name.startswith("Pready")))
        yield (["resize call=Start factor=300"], lambda t: t.resized(
            lambda name, keys: name in ("Psend_init", "Precv_init"), lambda n: 300 * n))


def cases(seed, trace):
    """Generates hypotheses, and the trace edited accordingly."""
    draw = random.Random(f"edited {seed}")
    tag = str(draw.randrange(4))

    def is_message(name, keys):
        return "tag" in keys and name not in PAIRS and keys["tag"] == tag and "recv" not in keys

    def may(name):  # collectives whose bytes stand in one number
        return name in ("Barrier", "Allreduce", "Bcast", "Reduce", "Ibarrier", "Iallreduce", "Ibcast", "Scan",
                        "Alltoall", "Allgather", "Iallgather", "Gather", "Igather", "Exscan", "Ireduce")
    collectives = sorted(filter(may, trace.names()))
    every = [parse(words) for calls in trace.calls.values() for _, _, words in calls]
    if (any(is_message(*one) for one in every) and "Start" not in trace.names()
            and not any(name in PAIRS and keys.get("tag") == tag for name, keys in every)):
        yield [f"drop tag={tag}"], lambda t: t.without(is_message)
        yield [f"resize tag={tag} factor=3"], lambda t: t.resized(is_message, lambda n: 3 * n)
        yield [f"resize tag={tag} bytes=5000"], lambda t: t.resized(is_message, lambda n: 5000)
    yield from later_cases(draw, trace)
    if collectives:
        one = draw.choice(collectives)
        yield [f"drop call={one}"], lambda t: t.without(lambda name, keys: name == one)
        yield ([f"resize call={one} factor=2"], lambda t: t.resized(lambda name, keys: name == one,
                                                                    lambda n: 2 * n))


def main():
    n, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        one, other = os.path.join(folder, "one.txt"), os.path.join(folder, "other.txt")
        for seed in range(int(os.environ.get("EDITED_SEEDS", "12"))):
            Trace(seed).write(one)
            for supposed, edit in cases(seed, Trace(seed)):
                edit(Trace(seed)).write(other)
                got, want = times(one, *(f"--hypothesis={line}" for line in supposed)), times(other)
                n += 1
                right = got == want and isinstance(got, list)
                failed += not right
                if not right:
                    print(f"# {got}\n# edited: {want}")
                print(f"{'ok' if right else 'not ok'} {n} - seed {seed}: {'; '.join(supposed)}", flush=True)
    print(f"1..{n}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
