#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is OUTPUT, what `mpgsim --predict --output-trace` made of TRACE, that trace with new times?

The predicted JSON is on standard input. Both traces are read by `mpgtrace print`, and OUTPUT
again by mpgsim. Written from mpgsim(1) and MODEL.md's section 5; $MPGSIM, $MPGTRACE are the
programs. Prints what is wrong, a line each; exit status 1 if anything is.
"""

import json
import os
import re
import subprocess
import sys

GONE = {"clock", "clocks", "core_limit", "cores", "counter", "cpu", "kernel", "mpi", "mpi_settings",
        "overhead_call_ns", "overhead_cpu_ns", "overhead_sum_ns", "predicted", "signature",
        "signature_part", "timer", "died"}
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
        self.who = who
        self.enter, self.leave = int(enter), int(leave)
        self.name = words.split(" ")[0]
        self.sum = re.search(r" calls=(\d+) time=(\d+) least=(\d+) most=(\d+)", words)
        self.values = re.search(r" values=(\S+)", words)
        self.words = re.sub(r" (time|least|most|values)=\S+", "", words)

    def is_node(self):
        local = self.name in LOCAL and "failed=1" not in self.words
        return not (self.sum or local or self.name.startswith("Region_") or self.name == "Flush")


def read(trace):
    """Facts as lines, events of each thread; labels of sites are print's own."""
    facts, threads, sites = [], {}, {}
    for line in run(os.environ["MPGTRACE"], "print", trace).splitlines():
        if line[0] != "#":
            event = Event(re.sub(r" site=(\d+)", lambda m: " site=" + sites[m[1]], line))
            threads.setdefault(event.who, []).append(event)
            continue
        words = line.split(" ")
        if words[0] == "#site":
            sites[words[1]] = "".join(words[3:])
            continue
        key = words[2] if words[0] == "#fact" else words[0][1:]
        if key not in GONE and key != "mpgtext":
            facts.append(line)
    return facts, threads


def check_between(who, begin, old, new, end):
    """OLD, NEW: what lies between two nodes; BEGIN, END: (old, new) of these."""
    flushed = 0
    whole = end[0] - begin[0] - sum(e.leave - e.enter for e in old if e.name == "Flush")
    kept = iter(new)
    for event in old:
        if event.name == "Flush":
            flushed += event.leave - event.enter
            continue
        other = next(kept)
        for was, now in ((event.enter, other.enter), (event.leave, other.leave)):
            share = (was - begin[0] - flushed) / whole if whole else 0
            wanted = begin[1] + share * (end[1] - begin[1])
            if abs(now - wanted) > 0.5001:
                say(who, event.name, "at", was, "came to", now, "and not to", wanted)


def check_thread(who, old, new, end):
    """END: MPI_Finalize's enter, (old, new)."""
    kept = [e for e in old if e.name != "Flush"]
    if [e.words for e in kept] != [e.words for e in new]:
        for a, b in zip(kept, new):
            if a.words != b.words:
                return say(who, "has", b.words, "for", a.words)
        return say(who, "has", len(new), "events for", len(kept))
    last = None
    for event in new:
        if event.leave < event.enter or (last is not None and event.enter < last) or event.enter < 0:
            say(who, event.name, event.enter, event.leave, "after", last)
        last = event.leave
    begin, inner, inner_new, kept = None, [], [], iter(new)
    for event in old:
        other = next(kept) if event.name != "Flush" else None
        if not event.is_node():
            inner.append(event)
            if other:
                inner_new.append(other)
            continue
        if begin:
            check_between(who, begin, inner, inner_new, (event.enter, other.enter))
        begin, inner, inner_new = (event.leave, other.leave), [], []
    if end and begin and inner and "." in who:
        check_between(who, begin, inner, inner_new, end)
    return None


def find(events, name):
    return next((e for e in events if e.name.startswith(name)), None)


def main():
    trace, output = sys.argv[1:3]
    predicted = json.load(sys.stdin)
    old_facts, old = read(trace)
    new_facts, new = read(output)
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
            check_thread(who, old[who], new.get(who, []), ends)
        read_again = again["ranks"][rank["rank"]]
        if read_again["traced_ns"] != got or read_again["delay_ns"]["median"] != 0:
            say("rank", rank["rank"], "is read as", read_again["traced_ns"], read_again["delay_ns"])
    if again["run_time_ns"]["median"] != again["traced_run_time_ns"] or \
            len(again["replicas"]) != 1:
        say("read again, its run is", again["run_time_ns"], "of", again["traced_run_time_ns"])
    if len(began) != 1:
        say("MPI_Init is left at", began)
    if again["options"]["clocks"] != "shared" or again["trace"]["flushed_ns"] or \
            again["trace"]["tracer_ns"]:
        say("clocks", again["options"]["clocks"], "tracer", again["trace"]["tracer_ns"])
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
