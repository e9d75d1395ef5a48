#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --tasks=by-arrival (TAP): random programs of a master and workers, against list scheduling in Python (workers.py): equal
run times of all ranks from traces whose tasks were given out otherwise; traces that break the pattern; the warning."""

import itertools
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
sys.dont_write_bytecode = True
from answers import answer, finish, ok, run  # noqa: E402
from workers import GETS, SENDS, TAKES, Program, Run  # noqa: E402

PROGRAMS = int(os.environ.get("TASKS_PROGRAMS", "8"))
PREDICT = ("--predict", "--byte=0")
BY_ARRIVAL = (*PREDICT, "--tasks=by-arrival")


def put(name, text):
    with open(name, "w", encoding="ascii") as out:
        out.write(text)
    return name


def ends(found):
    return [rank["traced_ns"] + rank["delay_ns"]["median"] for rank in found["ranks"]]


def recorded(program, seed):
    slow = random.Random(seed)
    return Run(program, lambda: slow.choice((500, 900, 250000)), polls=True)


def make(seed, **pattern):
    rng = random.Random(seed)
    workers, rounds, form = rng.randrange(2, 7), rng.randrange(1, 4), rng.choice(("request", "result"))
    if pattern.get("lazy"):
        rounds, form = 1, "result"
    return Program(seed, workers, rounds, form, **pattern)


def schedule(seed, **pattern):
    """Returns the predictions of program SEED that are not those of its list schedule, and the number of moved tasks."""
    program = make(seed, **pattern)
    wrong, moved = [], 0
    for latency in (0, 2385, 60000):
        expected = Run(program, lambda ns=latency: ns)
        for trace in range(2):
            traced = recorded(program, f"{seed} {trace}")
            found = answer(*BY_ARRIVAL, f"--latency={latency}ns", put("t.txt", traced.text()))
            moved += found["tasks"]["moved"]
            if ends(found) != expected.run_ns or [rank["recorded_ns"] for rank in found["ranks"]] != traced.run_ns or \
                    found["tasks"]["late"] != 0 or found["tasks"]["tasks"] != sum(len(p["computation"]) for p in program.rounds):
                wrong.append((latency, trace, ends(found), expected.run_ns, found["tasks"]))
    return wrong, moved


PATTERNS = (
    ("MPI_Recv", {}),
    ("probes, MPI_Irecv and tests of the master", {"takes": TAKES}),
    ("receives posted before the answer", {"takes": ("Wait", "Test", "Waitall"), "early": True}),
    ("probes, MPI_Irecv and MPI_Isend of workers", {"gets": GETS, "sends": SENDS}),
    ("two messages for a task", {"replies": 2, "takes": ("Recv", "Probe", "Wait")}),
    ("two messages of a worker", {"messages": 2, "takes": ("Recv", "Iprobe Mprobe", "Test"), "sends": SENDS}),
    ("MPI_Waitany of a receive from each worker", {"waitany": "Waitany", "gets": GETS}),
    ("MPI_Testsome", {"waitany": "Testsome", "messages": 2, "replies": 2, "sends": SENDS}),
    ("last messages received by name", {"named": True, "tasks": (12, 40)}),
    ("... and others after them", {"named": True, "tasks": (12, 40), "gather": True}),
    ("others after each round", {"gather": True, "messages": 2, "takes": TAKES}),
    ("... all forms", {"named": True, "tasks": (20, 40), "takes": TAKES, "gets": GETS, "messages": 2, "depth": 2}),
    ("first tasks between answers, as mpi4py's MPIPool", {"lazy": True, "tasks": (20, 60), "takes": ("Iprobe Mprobe", "Mprobe")}),
    ("two tasks at once", {"depth": 2}),
    ("three tasks at once, all forms", {"depth": 3, "takes": TAKES, "gets": GETS, "sends": SENDS, "replies": 2, "messages": 2}))


def test_schedules():
    for name, pattern in PATTERNS:
        wrong, moved = [], 0
        for seed in range(PROGRAMS):
            found, n = schedule(seed, **pattern)
            wrong += [(seed, *w) for w in found]
            moved += n
        ok(f"{name}: {PROGRAMS} programs from two traces each: the runs of list scheduling, to the nanosecond", not wrong,
           wrong[:2])
        ok("... though the traces gave out the tasks otherwise", moved > 10 * PROGRAMS, moved)


def test_by_hand():
    """Tasks of 100, 10, 10, 10 us; no message takes time. In the trace rank 1 has the first and the third: in the traced order it
    ends after 110 us. By arrival rank 2 has the three short ones."""
    lines = ["#mpgtext 1", "#ranks 3"] + [f"{rank} 0 1000 Init" for rank in range(3)]
    now = 1000
    for source, tag in ((1, 1), (2, 1), (1, 1), (2, 1), (1, 2), (2, 2)):
        lines.append(f"0 {now} {now + 900} Recv from={source} tag=0 bytes=0 any=source")
        lines.append(f"0 {now + 900} {now + 900} Send to={source} tag={tag} bytes=0")
        now += 900
    lines.append(f"0 {now} {now + 1} Finalize")
    for rank, works in ((1, (100, 10)), (2, (10, 10))):
        at = 1000
        lines.append(f"{rank} {at} {at} Send to=0 tag=0 bytes=0")
        for us in works:
            lines.append(f"{rank} {at} {at + 5} Recv from=0 tag=1 bytes=0")
            at += 5 + 1000 * us
            lines.append(f"{rank} {at} {at} Send to=0 tag=0 bytes=0")
        lines += [f"{rank} {at} {at + 9} Recv from=0 tag=2 bytes=0", f"{rank} {at + 9} {at + 19} Finalize"]
    name = put("h.txt", "\n".join(lines) + "\n")
    traced, given = (answer(*PREDICT, "--latency=0", option, name) for option in ("--tasks=traced", "--tasks=by-arrival"))
    ok("by hand: four tasks", (ends(traced), ends(given)) == ([110000] * 3, [100000, 100000, 30000]), (ends(traced), ends(given)))


def trace_of(program):
    return recorded(program, 1).text().splitlines()


def refused(lines, *options):
    status, out, err = run(*(options or (*BY_ARRIVAL, "--latency=1us")), put("broken.txt", "\n".join(lines) + "\n"))
    return (status, out, err)


def line_of(lines, pattern, which=0):
    """The WHICH-th line that PATTERN matches."""
    return [line for line in lines if re.search(pattern, line)][which]


def change(lines, pattern, new, which=0):
    """LINES with this line replaced by the lines NEW; {} in NEW stands for the line."""
    at = lines.index(line_of(lines, pattern, which))
    return lines[:at] + [text.replace("{}", lines[at]) for text in new] + lines[at + 1:]


def call_number(lines, pattern, which=0):
    """The number of this call on its rank."""
    at = lines.index(line_of(lines, pattern, which))
    return sum(line.split()[0] == lines[at].split()[0] for line in lines[:at])


def at_end(lines, pattern, which=0):
    return line_of(lines, pattern, which).split()[2]


def again(lines, pattern, which):
    """This call once more, at once."""
    rank, _, end, text = line_of(lines, pattern, which).split(maxsplit=3)
    return f"{rank} {end} {end} {text}"


def test_refused():
    lines = trace_of(Program(5, 3, 1, "request"))
    named = re.compile(r"^mpgsim: --tasks=by-arrival: broken.txt: rank (\d+), call (\d+) \((\w+)\): (.*)\n$")
    task, message, answer_, stop = r"^2 .* Recv .*tag=1", r"^3 .* Send ", r"^0 .* Send .*tag=1", r"^0 .* Send .*tag=3 bytes=0"
    moment = at_end(lines, task, 1)
    end = at_end(lines, answer_, 2)
    to_itself = [f"0 {end} {end} Send to=0 tag=9 bytes=0", f"0 {end} {end} Recv from=0 tag=9 bytes=0"]
    counter = itertools.count(1)
    nonblocking = [re.sub(r"Recv (.*any=source)", lambda found: f"Irecv {found[1]} request={next(counter)}", line)
                   if line[0] == "0" else line for line in lines]
    picks = trace_of(Program(5, 3, 1, "request", waitany="Waitany"))
    list_ = r"^0 .* Waitany "
    cases = (
        ("a collective in a task", change(lines, task, ["{}", f"2 {moment} {moment} Allreduce bytes=8"], 1),
         (2, call_number(lines, task, 1) + 1, "MPI_Allreduce",
          "not a worker's cycle (receive a task, compute, send to rank 0) while rank 0 still hands out tasks")),
        ("a message to the rank itself", change(lines, answer_, ["{}", *to_itself], 2),
         (0, call_number(lines, answer_, 2) + 1, "MPI_Send",
          "between two receives from any source, the rank does more than receive from the source of the first receive and send to this source")),
        ("two receives from any source at once", nonblocking,
         (0, call_number(lines, "any=source") + 2, "MPI_Irecv",
          "a second receive from any source is posted before the first one is complete")),
        ("a second master", change(lines, r"^1 .* Recv ", ["{} any=source"]),
         (1, call_number(lines, r"^1 .* Recv "), "MPI_Recv", "a second rank beside rank 0 receives from any source")),
        ("a message that is not received", change(lines, message, ["{}", again(lines, message, 0)]), (3, None, "MPI_Send", None)),
        ("a message of varying length", change(lines, message, [line_of(lines, message, 1).replace("bytes=", "bytes=1")], 1),
         (3, call_number(lines, message, 1), "MPI_Send",
          "rank 0 receives other messages of this rank before it, or it is not MPI_Send or MPI_Isend")),
        ("a worker's MPI_Isend that is never completed", [re.sub(r"^(3 .*)Send (.*)", r"\1Isend \2 request=1", line)
                                                          for line in lines],
         (3, call_number(lines, r"^3 .* Recv ", 1), "MPI_Recv",
          "a request is made in one task and completed in another one, or never")),
        ("last answers that differ", change(lines, stop, [line_of(lines, stop, 1).replace("bytes=0", "bytes=4")], 1),
         (0, call_number(lines, r"^0 .* Recv .*any=source", -2), "MPI_Recv",
          "the last messages to the workers differ, or are several")),
        ("a region over two tasks", change(lines, task, ["{}", f"2 {moment} {moment} Region_begin name=\"a\""], 1),
         (2, None, "MPI_Recv", "a region begins in one task and ends in another one")),
        ("MPI_Waitany of some workers' receives", change(picks, list_, [
            line_of(picks, list_).replace("done=3", "done=1").replace("requests=1,2,3", "requests=1,2")]),
         (0, call_number(picks, list_), "MPI_Waitany",
          "its list is not one receive from each worker, in the order of the first list")),
        ("MPI_Waitall of all workers' receives", change(picks, list_, [re.sub("Waitany (.*) done=.*", r"Waitall \1",
                                                                             line_of(picks, list_))]),
         (0, call_number(picks, list_), "MPI_Waitall", "it completes several messages")))
    for name, broken, (rank, number, call, text) in cases:
        status, out, err = refused(broken)
        found = named.match(err)
        ok(f"refused: {name}", status == 1 and not out and found and (int(found[1]), found[3]) == (rank, call) and
           number in (None, int(found[2])) and text in (None, found[4]), (status, out, err, number))
    for name, text, broken in (
            ("no receive from any source", "no rank receives from MPI_ANY_SOURCE, or by MPI_Waitany and the like",
             [line.replace(" any=source", "") for line in lines]),
            ("one worker", "rank 0 hands out all tasks to one worker", trace_of(Program(5, 1, 1, "request"))),
            ("no tasks", "rank 0 answers no worker's message with a task",
             trace_of(Program(5, 3, 1, "result", tasks=(0, 1))))):
        status, out, err = refused(broken)
        expected = (1, "", f"mpgsim: --tasks=by-arrival: broken.txt: {text}\n")
        ok(f"refused: {name}", (status, out, err) == expected, (status, out, err))
    for options in (("--perturb", "--latency=1us"), (*PREDICT, "--latency=1us", "--hypothesis=scale a factor=2"),
                    (*PREDICT, "--sweep=latency=1us,2us"), (*PREDICT, "--latency=1us", "--waits"),
                    (*PREDICT, "--latency=1us", "--report=x.html"), (*PREDICT, "--latency=1us", "--timeline=x.json")):
        status, out, err = refused(lines, "--tasks=by-arrival", *options)
        ok(f"usage: not with {options[-1]}",
           (status, out, err.count("\n")) == (2, "", 1) and err.startswith("mpgsim: --tasks=by-arrival "), (status, err))


def test_warning():
    program = Program(11, 4, 1, "request", tasks=(40, 41))
    name = put("w.txt", recorded(program, 3).text())
    options = (*PREDICT, "--latency=2385ns")
    plain, moved = answer(*options, name), answer(*options, "--tasks=by-arrival", name)
    notes = [line["text"] for line in plain["attention"] if line["topic"] == "tasks"]
    change_percent = 100 * (moved["run_time_ns"]["median"] / plain["run_time_ns"]["median"] - 1)
    ok("the traced distribution: a warning with the change that --tasks=by-arrival makes",
       len(notes) == 1 and f"({change_percent:+.3g} %): --tasks=by-arrival" in notes[0] and abs(change_percent) > 1,
       (notes, change_percent))
    ok("... and both runs in JSON", [plain["tasks"][f"{how}_quiet_run_time_ns"] for how in ("traced", "by_arrival")] ==
       [found["run_time_ns"]["median"] for found in (plain, moved)], plain["tasks"])
    topics = [[line["topic"] for line in moved[key]].count("tasks") for key in ("attention", "assumptions")]
    ok("... by arrival: no warning, an assumption", topics == [0, 1], moved["assumptions"])
    waiting = re.sub(r"(?m)^([1-9]\d* .*)Send (.*)$", r"\1Ssend \2", recorded(program, 3).text())
    kept, given = answer(*options, put("k.txt", waiting)), answer(*options, "--tasks=by-arrival", "k.txt")
    notes = [line["text"] for line in kept["attention"] if line["topic"] == "tasks"]
    change_percent = 100 * (given["run_time_ns"]["median"] / kept["run_time_ns"]["median"] - 1)
    ok("... of messages that wait for their receiver, too", len(notes) == 1 and f"({change_percent:+.3g} %)" in notes[0] and
       abs(change_percent) > 1, (notes, change_percent))
    same = answer(*options, put("s.txt", Run(program, lambda: 2385).text()))
    ok("the order of the trace: no warning", "tasks" not in [line["topic"] for line in same["attention"]], same["attention"])
    broken = [re.sub(r"^(1 .*)Send (.*)$", r"\1Ssend \2", line) for line in recorded(program, 3).text().splitlines()]
    at = next(i for i, line in enumerate(broken) if line.startswith("2 ") and " Recv " in line)
    broken.insert(at + 1, f"2 {broken[at].split()[2]} {broken[at].split()[2]} Send to=2 tag=9 bytes=0")
    broken.insert(at + 2, f"2 {broken[at].split()[2]} {broken[at].split()[2]} Recv from=2 tag=9 bytes=0")
    found = answer(*options, put("b.txt", "\n".join(broken) + "\n"))
    notes = [line["text"] for line in found["attention"] if line["topic"] == "tasks"]
    t = found["tasks"]["computation_ns"]
    most = 100 * (t["largest"] - t["mean"]) / found["run_time_ns"]["median"]
    ok("a broken pattern: a warning with the order of the effect, by the workers' computation, and the call that breaks it",
       len(notes) == 1 and f"({most:.2g} %)" in notes[0] and "rank 2, call " in notes[0], (notes, most))


def test_output_trace():
    program = make(4)
    name = put("o.txt", recorded(program, 2).text())
    found = answer(*BY_ARRIVAL, "--latency=2385ns", "--output-trace=o.trace", name)
    new = answer(*PREDICT, "--latency=2385ns", "--tasks=traced", "o.trace")
    ok("--output-trace: the trace has the new distribution", ends(new) == ends(found) and "tasks" not in new,
       (ends(new), ends(found)))


def main():
    os.chdir(tempfile.mkdtemp())
    test_schedules()
    test_by_hand()
    test_refused()
    test_warning()
    test_output_trace()
    finish()


main()
