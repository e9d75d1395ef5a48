# SPDX-License-Identifier: GPL-3.0-or-later
"""A strict reader of Chrome's trace event format (Trace Event Format, Google, and what ui.perfetto.dev takes of it), as
far as timelines use it: complete events (X), flows (s, f) and metadata (M). Whatever is against it is an error."""

import decimal
import json

KEYS = {"X": {"ph", "pid", "tid", "ts", "dur", "cat", "name"}, "s": {"ph", "pid", "tid", "ts", "cat", "name", "id"},
        "f": {"ph", "pid", "tid", "ts", "bp", "cat", "name", "id"}, "M": {"ph", "pid", "name", "args"}}
META = {"process_name": str, "process_sort_index": int, "thread_name": str, "thread_sort_index": int}


class Wrong(Exception):
    """A timeline that violates the format."""


def need(right, *what):
    if not right:
        raise Wrong(" ".join(map(str, what)))


def ns(us):
    need(isinstance(us, decimal.Decimal) and us.as_tuple().exponent == -3, "no us with three digits:", us)
    return int(us * 1000)


def length_ns(us):
    """Converts us to ns like Perfetto's JSON importer: a thousand times the double, truncated. Readers that round get
    the same."""
    need(isinstance(us, decimal.Decimal) and us.as_tuple().exponent in (-3, -7), "no us with three digits:", us)
    need(int(float(us) * 1000) == round(us * 1000), "a length that is cut off", us)
    return int(us * 1000)


def no_twice(pairs):
    need(len({k for k, _ in pairs}) == len(pairs), "a key twice in", pairs)
    return dict(pairs)


class Timeline:
    """PROCESSES: {pid: name}; TRACKS: {(pid, tid): name}; SLICES: {(pid, tid): [(begin, end, event)]}, in order;
    ARROWS: [((pid, tid, ns), (pid, tid, ns))]."""

    def __init__(self, text):
        whole = json.loads(text, parse_float=decimal.Decimal, object_pairs_hook=no_twice)
        need(set(whole) == {"displayTimeUnit", "traceEvents"} and whole["displayTimeUnit"] == "ns", "head")
        self.processes, self.tracks, self.slices, self.flows, order = {}, {}, {}, {}, {}
        for event in whole["traceEvents"]:
            ph = event["ph"]
            need(ph in KEYS, "phase", event)
            need(KEYS[ph] <= set(event) <= KEYS[ph] | {"args", "tid"}, "keys", event)
            need(isinstance(event["pid"], int) and isinstance(event.get("tid", 0), int), "numbers", event)
            getattr(self, {"M": "meta", "X": "slice", "s": "flow", "f": "flow"}[ph])(event, order)
        need(len(set(self.processes.values())) == len(self.processes), "processes of one name")
        self.check_tracks(order)
        self.arrows = [self.arrow(i, ends) for i, ends in sorted(self.flows.items())]

    def meta(self, event, order):
        name, (value,) = event["name"], event["args"].values()
        need(name in META and isinstance(value, META[name]), "metadata", event)
        need(set(event["args"]) == {"sort_index" if name.endswith("index") else "name"}, "metadata", event)
        where = event["pid"] if name.startswith("process") else (event["pid"], event["tid"])
        known = order if name.endswith("index") else self.processes if name.startswith("process") else self.tracks
        need(where not in known, "said twice", event)
        known[where] = value

    def slice(self, event, _):
        begin, length = ns(event["ts"]), length_ns(event["dur"])
        need(begin >= 0 and length >= 0 and isinstance(event["name"], str) and event["name"], "slice", event)
        earlier = self.slices.setdefault((event["pid"], event["tid"]), [])
        # the format does not require an order; calls are written in order anyway, regions when they end
        need(event["cat"] != "mpi" or not earlier or earlier[-1][0] <= begin, "not in order", event)
        earlier.append((begin, begin + length, event))

    def flow(self, event, _):
        need(isinstance(event["id"], int) and event["id"] > 0 and event.get("bp", "e") == "e", "flow", event)
        ends = self.flows.setdefault(event["id"], {})
        need(event["ph"] not in ends, "flow twice", event)
        ends[event["ph"]] = event["pid"], event["tid"], ns(event["ts"]), event["cat"], event["name"]

    def check_tracks(self, order):
        for where, slices in self.slices.items():
            need(where in self.tracks and where in order and where[0] in self.processes and where[0] in order, "no name", where)
            slices.sort(key=lambda s: (s[0], -s[1]))
            open_ones = []
            for begin, end, event in slices:
                while open_ones and open_ones[-1] <= begin:
                    open_ones.pop()
                need(not open_ones or end <= open_ones[-1], "overlap", event)
                open_ones.append(end)

    def within(self, pid, tid, at):
        return any(begin <= at < end or begin == at == end for begin, end, _ in self.slices[pid, tid])

    def arrow(self, number, ends):
        need(set(ends) == {"s", "f"}, "one end of flow", number)
        need(ends["s"][3:] == ends["f"][3:] and ends["s"][0] == ends["f"][0], "two flows in one", number)
        for end in ends.values():
            need(self.within(*end[:3]), "flow to no slice", number, end)
        need(ends["s"][2] <= ends["f"][2], "flow back in time", number, ends)
        return ends["s"][:3], ends["f"][:3]
