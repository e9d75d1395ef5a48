#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is OUTPUT, what `mpgsim --output-trace` made of TRACE, that trace with new times?

    retraced.py TRACE OUTPUT predict|delays|target[-chosen] < answer.json

predict: with --predict; delays: without, the machine and its tracer being the traced ones; target:
without, on another machine, without its tracer; chosen: calls may complete something else than in the
trace, and be left out. The JSON is the answer of that replica. Both traces are read by `mpgtrace print`, and OUTPUT again by mpgsim. Written from mpgsim(1) and MODEL.md's
sections 4 and 5; $MPGSIM, $MPGTRACE are the programs. Prints what is wrong, a line each; exit status 1
if anything is.
"""

import json
import os
import re
import subprocess
import sys

MACHINE = {"core_limit", "cores", "counter", "cpu", "kernel", "mpi", "mpi_settings", "signature",
           "signature_part", "timer"}
TRACER = {"overhead_call_ns", "overhead_cpu_ns", "overhead_sum_ns", "overhead_stacks_ns", "overhead_calls_ns",
          "overhead_call_median_ns", "flushed_stacks_ns"}
MOVED = {"clock", "died"}
GONE = {"predict": MACHINE | TRACER | {"clocks"}, "delays": set(), "target": MACHINE | TRACER}
LOCAL = {"Comm_rank", "Comm_size", "Wtime", "Wtick", "Initialized", "Finalized", "Pcontrol",
         "Get_version"}
wrong = []


def say(*words):
    wrong.append(" ".join(map(str, words)))


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


class Event:
    def __init__(self, line):
        who, enter, leave, words = line.split(" ", 3)
        words = re.sub(r" off(_call)?=\d+", "", words)  # times that are moved have none
        self.who = who
        self.enter, self.leave = int(enter), int(leave)
        self.name = words.split(" ")[0]
        self.sum = re.search(r" calls=(\d+) time=(\d+) least=(\d+) most=(\d+)", words)
        self.values = re.search(r" values=(\S+)", words)
        self.words = re.sub(r" (time|least|most|values)=\S+", "", words)

    def is_node(self):
        local = self.name in LOCAL and "failed=1" not in self.words
        return not (self.sum or local or self.name.startswith("Region_") or self.name == "Flush")


def read(trace, gone):
    """Returns the header lines, the events of each thread, and the clocks; labels of call sites are those of print."""
    facts, threads, sites, clocks = [], {}, {}, {}
    for line in run(os.environ["MPGTRACE"], "print", trace).splitlines():
        if line[0] != "#":
            event = Event(re.sub(r" site=(\d+)", lambda m: " site=" + sites[m[1]], line))
            threads.setdefault(event.who, []).append(event)
            continue
        words = line.split(" ")
        if words[0] == "#site":
            sites[words[1]] = "".join(words[3:])
            continue
        if words[0] == "#clock":
            clocks.setdefault(words[1], []).append((int(words[2]), int(words[3])))
        key = words[2] if words[0] == "#fact" else words[0][1:]
        if key not in gone | MOVED | {"mpgtext", "predicted", "off_cpu", "off_cpu_intervals_ns", "off_cpu_calls_ns"}:
            facts.append(line)
    return facts, threads, clocks


def check_between(who, begin, old, new, end, flushes):
    """OLD, NEW: events between two nodes; BEGIN, END: (old, new) times of the nodes."""
    flushed = 0
    all_flushed = sum(e.leave - e.enter for e in old if e.name == "Flush")
    whole = end[0] - begin[0] - all_flushed
    kept = iter(new)
    for event in old:
        flush = event.name == "Flush"
        other = next(kept) if flushes or not flush else None
        for was, now in ((event.enter, other and other.enter), (event.leave, other and other.leave)):
            if flush and was == event.leave:
                flushed += event.leave - event.enter
            share = (was - begin[0] - flushed) / whole if whole else 0
            wanted = begin[1] + share * (end[1] - begin[1] - flushes * all_flushed) + flushes * flushed
            if other and abs(now - wanted) > 0.5001:
                say(who, event.name, "at", was, "came to", now, "and not to", wanted)


def check_order(who, new):
    last = None
    for event in new:
        if event.leave < event.enter or (last is not None and event.enter < last) or event.enter < 0:
            say(who, event.name, event.enter, event.leave, "after", last)
        last = event.leave


def check_thread(who, old, new, end, flushes):
    """END: (old, new) enter times of MPI_Finalize."""
    kept = [e for e in old if flushes or e.name != "Flush"]
    if [e.words for e in kept] != [e.words for e in new]:
        for a, b in zip(kept, new):
            if a.words != b.words:
                return say(who, "has", b.words, "for", a.words)
        return say(who, "has", len(new), "events for", len(kept))
    begin, inner, inner_new, kept = None, [], [], iter(new)
    for event in old:
        other = next(kept) if flushes or event.name != "Flush" else None
        if not event.is_node():
            inner.append(event)
            if other:
                inner_new.append(other)
            continue
        if begin:
            check_between(who, begin, inner, inner_new, (event.enter, other.enter), flushes)
        begin, inner, inner_new = (event.leave, other.leave), [], []
    if end and begin and inner and "." in who:
        check_between(who, begin, inner, inner_new, end, flushes)
    return None


def check_clocks(old, new, old_threads, new_threads, flushes):
    """Checks that clock offsets keep their values and their places among the events of thread 0."""
    for rank, points in old.items():
        moved = new.get(rank, [])
        if [p[1] for p in points] != [p[1] for p in moved]:
            say("rank", rank, "has offsets", moved, "for", points)
            continue
        kept = [e for e in old_threads[rank] if flushes or e.name != "Flush"]
        for (was, _), (now, _) in zip(points, moved):
            before = [(n.leave, n.name) for e, n in zip(kept, new_threads[rank]) if e.leave <= was]
            after = [(n.enter, n.name) for e, n in zip(kept, new_threads[rank]) if e.enter >= was]
            if (before and now < before[-1][0]) or (after and now > after[0][0]):
                say("rank", rank, "measured at", was, "and", now, before[-1:], after[:1])


def check_chosen(again):
    """Checks that the trace contains what the replica did, and that no message arrives before it left."""
    if any("before they left" in str(line) for line in again.get("attention", [])):
        say("messages arrive before they left")
    choice = again.get("choice", {})
    if choice.get("picks_changed") or choice.get("tests_early"):
        say("calls complete something else:", choice)


def find(events, name):
    return next((e for e in events if e.name.startswith(name)), None)


def main():
    trace, output, mode = sys.argv[1:4]
    mode, _, chosen = mode.partition("-")
    predicted = json.load(sys.stdin)
    old_facts, old, old_clocks = read(trace, GONE[mode])
    new_facts, new, new_clocks = read(output, GONE[mode])
    flushes = mode == "delays"
    if sorted(old_facts) != sorted(new_facts):
        say("facts:", set(old_facts) ^ set(new_facts))
    if old.keys() != new.keys():
        say("threads:", old.keys() ^ new.keys())
    began = set()
    again = json.loads(run(os.environ["MPGSIM"], "--json", output))
    for rank in predicted["ranks"]:
        events = [e for who in new if who.split(".")[0] == str(rank["rank"]) for e in new[who]]
        before = [e for who in old if who.split(".")[0] == str(rank["rank"]) for e in old[who]]
        began.add(find(events, "Init").leave)
        end = find(events, "Finalize").enter
        wanted = rank["traced_ns"] + rank["delay_ns"]["median"]
        got = end - find(events, "Init").leave
        if abs(got - wanted) > 0.5001:
            say("rank", rank["rank"], "runs", got, "ns and not", wanted)
        ends = find(before, "Finalize").enter, end
        for who in (w for w in old if w.split(".")[0] == str(rank["rank"])):
            check_order(who, new.get(who, []))
            if not chosen:
                check_thread(who, old[who], new.get(who, []), ends, flushes)
        read_again = again["ranks"][rank["rank"]]
        if read_again["traced_ns"] != got or read_again["delay_ns"]["median"] != 0:
            say("rank", rank["rank"], "is read as", read_again["traced_ns"], read_again["delay_ns"])
    if again["run_time_ns"]["median"] != again["traced_run_time_ns"] or \
            len(again["replicas"]) != 1:
        say("read again, its run is", again["run_time_ns"], "of", again["traced_run_time_ns"])
    if chosen:
        check_chosen(again)
    elif mode != "predict":
        check_clocks(old_clocks, new_clocks, old, new, flushes)
        if find(old["0"], "Init").leave != find(new["0"], "Init").leave:
            say("MPI_Init was left at", find(new["0"], "Init").leave)
    elif len(began) != 1:
        say("MPI_Init is left at", began)
    elif again["options"]["clocks"] != "shared":
        say("clocks", again["options"]["clocks"])
    if mode != "delays" and (again["trace"]["flushed_ns"] or again["trace"]["tracer_ns"]):
        say("tracer", again["trace"]["tracer_ns"])
    if mode == "delays" and again["trace"]["flushed_ns"] != predicted["trace"]["flushed_ns"]:
        say("flushed", again["trace"]["flushed_ns"])
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
