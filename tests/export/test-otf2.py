#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace export --format=otf2 (TAP): random programs, exported to archives and imported again, have equal fields,
except as mpgotf2(5) lists (otf2_mask.py); otf2-print counts the same calls, sends and receives, without warnings."""

import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "properties"), os.path.join(HERE, "..")]
import otf2_mask  # noqa: E402
import programs  # noqa: E402
import tap  # noqa: E402
import texts  # noqa: E402

MPGTRACE = os.environ.get("MPGTRACE", "mpgtrace").split()
MPGSIM = os.environ.get("MPGSIM", "mpgsim").split()
CASES = int(os.environ.get("EXPORT_CASES", "60"))
ABOUT_GONE = ("#site", "#module", "#window", "#file", "#topology", "#comm", "#fact 0 imported", "#values")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def text_of(path, *words):
    """Returns the trace as canonical text; an assertion shows import's errors."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        made = os.path.join(folder, "t.trace")
        done = run(*MPGTRACE, "import", "--lenient", *words, "-o", made, path)
        assert done.returncode == 0, done.stderr
        return run(*MPGTRACE, "print", made).stdout


class Names:
    """A one-to-one mapping of labels that must be the same everywhere."""

    def __init__(self):
        self.there, self.back = {}, {}

    def same(self, key, other):
        return self.there.setdefault(key, other) == other and self.back.setdefault(other, key) == key


def members(text):
    found = {}
    for line in text.splitlines():
        match = re.match(r"#comm (\d+)(?: of \d+)?(?: instance \d+)? = (.*)", line)
        if match:
            found[match[1]] = match[2]
    return found


def own_windows(text, selves):
    """Returns the labels of windows on MPI_COMM_SELF."""
    return {match[1] for match in re.finditer(r"^#window (\d+) = (\d+) \d+$", text, re.MULTILINE) if match[2] in selves}


def compare_keys(wanted, got, names, rank, comms):
    """Returns how the keys differ, or ""."""
    for key in sorted(set(wanted) | set(got)):
        a, b = wanted.get(key), got.get(key)
        if key in ("comm", "newcomm") and a not in (None, "null") and b not in (None, "null"):
            if comms[0][a] != comms[1][b] or not names["comm", rank if comms[0][a] == str(rank) else -1].same(a, b):
                return f"{key} {a} {b}"
        elif key == "win":
            if not names["win", -1].same(a, b):
                return f"{key} {a} {b}"
        elif key == "request":
            if not names["request", rank].same(a, b):
                return f"{key} {a} {b}"
        elif key in ("requests", "done", "cancelled"):
            there = [names["request", rank].there.get(one) for one in a or []]
            if a is None or b is None or there != [word for word in b.split(",") if word]:
                return f"{key} {a} {b}"
        elif a != b:
            return f"{key} {a} {b}"
    return ""


def compare(original, imported):
    """Returns the first difference, or ""."""
    before, after = texts.trace_of(original), texts.trace_of(imported)
    comms = members(original), members(imported)
    about = [sorted(line for line in trace.about if not line.startswith(ABOUT_GONE) and " untraced MPI_" not in line and
                    " assumed " not in line) for trace in (before, after)]
    if about[0] != about[1]:
        return f"about: {set(about[0]) ^ set(about[1])}"
    singles = {label for label, ranks in comms[0].items() if len(ranks.split()) == 1}
    selves = {line.split()[1] for line in before.about if re.match(r"#comm \d+ = \d+$", line)} if before.ranks > 1 else set()
    names = collections.defaultdict(Names)
    for rank in range(before.ranks):
        wanted = otf2_mask.Masker([call for call in before.calls if call.rank == rank], singles, selves,
                                  own_windows(original, selves)).out
        for thread in sorted({call.thread for call in wanted}):
            mine = [call for call in wanted if call.thread == thread]
            got = [call for call in after.calls if call.rank == rank and call.thread == thread]
            for a, b in zip(mine, got):
                differs = compare_keys(a.keys, b.keys, names, rank, comms)
                if (a.name, a.enter, a.leave) != (b.name, b.enter, b.leave) or differs:
                    return f"rank {rank}: {a} -- {b}: {differs}"
            if len(mine) != len(got):
                return f"rank {rank}.{thread}: {len(mine)} calls, {len(got)} there"
    return ""


def check_counts(path, imported):
    """Compares otf2-print's counts of records with those of the calls."""
    done = run("otf2-print", path)
    assert done.returncode == 0, done.stderr
    lines = collections.Counter(line.split(" ", 1)[0] for line in done.stdout.splitlines())
    trace = texts.trace_of(imported)
    keys = [call.keys for call in trace.calls]
    calls = sum(call.name not in ("Request_free", "Flush", "Region_begin", "Region_end") for call in trace.calls)
    sends = sum("to" in k and k["to"] != "null" and "win" not in k for k in keys)
    operations = sum("win" in k and "to" in k and "recvbytes" in k for k in keys)
    assert lines["ENTER"] == lines["LEAVE"], lines
    assert lines["MPI_SEND"] + lines["MPI_ISEND"] == sends, (lines, sends)
    assert lines["RMA_PUT"] + lines["RMA_GET"] + lines["RMA_ATOMIC"] == operations, (lines, operations)
    assert lines["ENTER"] >= calls - sum(k.get("request") is not None for k in keys), lines
    quiet = run("otf2-print", "--silent", path)
    assert quiet.returncode == 0 and not quiet.stderr, quiet.stderr


def answer(path, *words):
    """Returns all numbers of mpgsim's output, or "" if it refuses."""
    done = run(*MPGSIM, "--cache=fresh", "--json", "--seed=5", "--replicas=2", "--noise=exp:2us", *words, path)
    if done.returncode:
        return ""
    return done.stdout[done.stdout.index('"recorded_run_time_ns"'):]


def lists(text):
    """Returns requests in the order of the calls' lists, which an archive does not contain; Testsome completes the
    first request that can complete."""
    return [(call.rank, call.keys["requests"]) for call in texts.trace_of(text).calls if call.keys.get("requests")]


def is_whole(original, imported):
    """Returns whether the archive contains everything on which a prediction depends."""
    trace = texts.trace_of(original)
    if lists(original) != lists(imported):
        return False
    selves = {line.split()[1] for line in trace.about if re.match(r"#comm \d+ = \d+$", line)}
    singles = {label for label, ranks in members(original).items() if len(ranks.split()) == 1}
    if any(call.keys.get("assert", "0") != "0" for call in trace.calls):
        return False
    if any("calls" in call.keys or "off" in call.keys or "null" in (call.keys.get("to"), call.keys.get("from"))
           for call in trace.calls):
        return False
    for rank in range(trace.ranks):
        calls = [call for call in trace.calls if call.rank == rank]
        masked = otf2_mask.Masker(calls, singles, selves, own_windows(original, selves)).out
        if [call.name for call in calls] != [call.name for call in masked] or any(call.name == "Unknown" for call in calls):
            return False
        if any(set(a.keys) - {"site", "off", "off_call", "done"} != set(b.keys) - {"done"} for a, b in zip(calls, masked)):
            return False
    return True


def case(number, answers):
    draw = random.Random(f"otf2 {number}")
    kinds = "send,pair,isend,recv,irecv,sendrecv,wait,waitall,waitany,testsome,collective" if number % 2 else None
    text, _ = programs.program(draw, kinds=kinds)
    if number % 2:  # mostly programs that an archive contains completely
        text = re.sub(r"^.* (calls=|off=|to=null|from=null).*\n", "", text, flags=re.MULTILINE)
    with open("program.txt", "w", encoding="ascii") as file:
        file.write(text)
    shutil.rmtree("x", ignore_errors=True)
    for name in ("x.otf2", "x.def"):
        if os.path.exists(name):
            os.unlink(name)
    done = run(*MPGTRACE, "export", "-o", "x.otf2", "program.txt")
    if done.returncode:
        return done.stderr
    original = text_of("program.txt")
    imported = text_of("x.otf2")
    differs = compare(original, imported)
    if not differs and shutil.which("otf2-print"):
        check_counts("x.otf2", imported)
    if not differs and is_whole(original, imported):
        for words in (["--predict", "--latency=exp:3us", "--byte=const:0.5ns"], ["--latency=exp:300ns"]):
            ours = answer("program.txt", *words)
            if ours:
                answers[ours == answer("x.otf2", *words)] += 1
    return differs


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        programs_wrong, answers = [], [0, 0]
        for number in range(CASES):
            try:
                differs = case(number, answers)
            except AssertionError as error:
                differs = str(error)
            if differs:
                programs_wrong.append(f"program {number}: {differs}")
                if os.environ.get("EXPORT_KEEP"):
                    shutil.copytree(".", os.environ["EXPORT_KEEP"], dirs_exist_ok=True)
                    break
        tap.ok(f"{CASES} programs come back from OTF2", not programs_wrong, "\n# ".join(programs_wrong[:5]))
        tap.ok(f"mpgsim answers {sum(answers)} whole archives as their traces, to the last digit",
               answers[1] > 0 and answers[0] == 0, answers)
        os.chdir("/")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
