# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines of a trace belong together, and traces without some of them, for shrink.py. If something is missed here,
mpgsim refuses the trace, and the case is reduced less; there is no other effect."""

import texts

COMPLETE = ("Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome")
WHOLE = ("Init", "Init_thread", "Finalize")
COLLECTIVES = {"barrier", "bcast", "reduce", "allreduce", "gather", "gatherv", "scatter",
               "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw",
               "reduce_scatter", "reduce_scatter_block", "scan", "exscan", "comm_dup",
               "comm_create", "comm_split", "comm_idup", "comm_dup_with_info"}


def kind(name):
    """Returns a call's name without the marks of large counts, nonblocking forms and constructors."""
    plain = name.removesuffix("_c").removesuffix("_init")
    lower = plain.lower()
    if lower.startswith("i") and lower not in ("init", "init_thread"):
        rest = lower[1:]
        if rest in COLLECTIVES or rest.startswith(("neighbor", "send", "ssend", "bsend", "rsend",
                                                   "recv", "mrecv", "probe", "mprobe")):
            return rest
    return lower


class Groups:
    """Sets of lines, which can be joined."""

    def __init__(self, count):
        self.parent = list(range(count))
        self.first = {}

    def find(self, line):
        while self.parent[line] != line:
            self.parent[line] = self.parent[self.parent[line]]
            line = self.parent[line]
        return line

    def join(self, key, line):
        """Joins LINE with all lines that have the key."""
        other = self.first.setdefault(key, line)
        self.parent[self.find(line)] = self.find(other)


class Linker:
    """Joins the lines that have a key in common."""

    def __init__(self, trace):
        self.trace, self.members = trace, trace.members()
        self.groups = Groups(len(trace.calls))
        self.counts = {}
        self.made = {}

    def nth(self, *key):
        self.counts[key] = self.counts.get(key, -1) + 1
        return (*key, self.counts[key])

    def link(self):
        order = sorted(range(len(self.trace.calls)),
                       key=lambda i: (self.trace.calls[i].rank, self.trace.calls[i].enter, i))
        for line in order:
            self.one(line, self.trace.calls[line])
        sets = {}
        for line, call in enumerate(self.trace.calls):
            if call.name not in WHOLE and call.name not in COMPLETE:
                sets.setdefault(self.groups.find(line), []).append(line)
        found = list(sets.values())
        found += [[line] for line, call in enumerate(self.trace.calls) if call.name in COMPLETE]
        return sorted(found)

    def one(self, line, call):
        join, rank, keys = self.groups.join, call.rank, call.keys
        if call.name in COMPLETE or call.name in WHOLE:
            return
        join(("line", line), line)
        for key in ("request", "message"):
            if key in keys:
                join((key, rank, keys[key]), line)
        for number in call.list("persistent"):
            join(("persistent", rank, number), line)
        if call.name in ("Start", "Startall"):
            met = dict(word.split(":", 1) for word in call.list("matched"))
            for number, request in zip(call.list("persistent"), call.list("requests")):
                join(("request", rank, request), line)
                name, template = self.made.get((rank, number), (None, call))
                if request in met:
                    source, tag = met[request].split(":")
                    template = template.with_keys(**{"from": source, "tag": tag})
                self.message(line, name, template)
            return
        for key in ("win", "file"):
            if key in keys:
                join((key, keys[key]), line)
        name = kind(call.name)
        if name in COLLECTIVES:
            what = "init" if call.name.removesuffix("_c").endswith("_init") else ""
            join(self.numbered("collective", what, rank, keys.get("comm", "0")), line)
        elif name.startswith("neighbor"):
            what = "init" if call.name.removesuffix("_c").endswith("_init") else ""
            join(self.numbered("neighbor", what, rank, keys.get("comm", "0")), line)
        elif "persistent" in keys and call.name != "Request_free":
            self.made[rank, keys["persistent"]] = (name, call)
            if name.startswith("p"):
                self.message(line, name, call)
        else:
            self.message(line, name, call)

    def numbered(self, what, how, rank, comm):
        return (what, how, comm, self.nth(what, how, comm, rank)[-1])

    def message(self, line, name, call):
        """Joins the n-th send with the n-th receive of a channel."""
        if name is None or name in ("probe", "pready"):
            return
        comm = call.keys.get("comm", "0")
        members = self.members.get(comm, [])
        if call.rank not in members:
            return
        here = str(members.index(call.rank))
        tag = call.keys.get("tag", "0")
        part = name.startswith("p")
        to, source = call.keys.get("to", "null"), call.keys.get("from", "null")
        if to != "null" and "send" in name:
            self.groups.join(self.end("send", (part, comm, here, to, tag)), line)
        if source != "null" and ("recv" in name or name == "mprobe") and (
                "message" not in call.keys or name == "mprobe"):
            tag = call.keys.get("recvtag", "0") if "send" in name else tag
            self.groups.join(self.end("receive", (part, comm, source, here, tag)), line)

    def end(self, which, channel):
        return ("channel", channel, self.nth(which, channel)[-1])


def units(trace):
    """Returns lists of line numbers that belong together, without MPI_Init and MPI_Finalize."""
    return Linker(trace).link()


# --- without ---------------------------------------------------------------

def without(trace, lines):
    """Returns the trace without those calls, and without their requests in the calls that complete them."""
    gone = set()
    for line in lines:
        call = trace.calls[line]
        if call.name not in COMPLETE:
            gone |= {(call.rank, request)
                     for request in call.list("requests") + call.list("request")}
    calls = []
    for line, call in enumerate(trace.calls):
        if line in lines:
            continue
        if call.name in COMPLETE:
            call = completes_less(call, gone)
        if call:
            calls.append(call)
    return trace.but(calls=tuple(calls))


def completes_less(call, gone):
    """Returns the completing call without requests that are gone; None if it has nothing left to do."""
    keys = dict(call.keys)
    for key in ("requests", "done", "cancelled"):
        if key in keys:
            keys[key] = ",".join(request for request in call.list(key)
                                 if (call.rank, request) not in gone)
    emptied = call.list("done") and not keys["done"] and call.name.startswith("Wait")
    return None if emptied or not keys["requests"] else call.but(keys=keys)


def without_keys(calls, key):
    return tuple(call.but(keys={k: v for k, v in call.keys.items() if k != key})
                 for call in calls)


def without_rank(trace, rank):
    """Returns the trace without RANK and all its calls, and without it in its collectives; None if it takes part in a
    message or is a root."""
    lines = {i for i, call in enumerate(trace.calls) if call.rank == rank}
    shared = {line for unit in units(trace) if lines & set(unit) for line in unit} - lines
    places = {comm: members.index(rank) for comm, members in trace.members().items()
              if rank in members}
    smaller = without(trace, lines | {i for i in shared if not collective(trace.calls[i])})
    calls, made = [], {}
    for call in smaller.calls:
        call = call.but(rank=call.rank - (call.rank > rank))
        if "matched" in call.keys:
            call = meets_fewer(call, made, places)
            if call is None:
                return None
        for number in call.list("persistent") if "comm" in call.keys else ():
            made[call.rank, number] = call.keys["comm"]
        at = places.get(call.keys.get("comm", "0"))
        if at is not None:
            call = without_member(call, at)
            if call is None:
                return None
        calls.append(call)
    return texts.Trace(trace.ranks - 1, tuple(about_without(trace.about, rank, places)),
                       tuple(calls))


def meets_fewer(call, made, places):
    """Returns a Start whose receives matched ranks by their numbers in communicators, with changed numbers; None if a
    rank is gone."""
    comms = dict(zip(call.list("requests"),
                     (made.get((call.rank, number), "0") for number in call.list("persistent"))))
    words = []
    for word in call.list("matched"):
        request, source, tag = word.split(":")
        at = places.get(comms[request])
        if at is not None and int(source) == at:
            return None
        words.append(f"{request}:{int(source) - (at is not None and int(source) > at)}:{tag}")
    return call.with_keys(matched=",".join(words))


def collective(call):
    return kind(call.name) in COLLECTIVES


def without_member(call, at):
    """Returns a call on a communicator that lacks its member AT."""
    keys = dict(call.keys)
    for key in ("to", "from", "root"):
        word = keys.get(key, "null")
        if word == "null":
            continue
        if int(word) == at:
            return None
        keys[key] = str(int(word) - (int(word) > at))
    sizes = keys.get("bytes", "").split(",")
    if len(sizes) > 1 and collective(call):
        keys["bytes"] = ",".join(sizes[:at] + sizes[at + 1:])
    return call.but(keys=keys)


def about_without(about, rank, places):
    for line in about:
        words, match = line.split(), texts.MEMBERS.match(line)
        if match:
            there = [str(int(word) - (int(word) > rank)) for word in match[3].split()
                     if int(word) != rank]
            if there:
                yield f"#comm {match[1]}{match[2]} = {' '.join(there)}"
        elif words[0] in ("#host", "#clock", "#fact", "#topology"):
            if words[0] == "#topology" and words[2] in places:
                continue
            if int(words[1]) != rank:
                words[1] = str(int(words[1]) - (int(words[1]) > rank))
                yield " ".join(words)
        else:
            yield line


def word_without_rank(word, rank):
    """Returns a word with @RANKS without the rank, if at least one rank remains."""
    text, at, ranks = word.partition("@")
    if not at or word.startswith("--compute-ratio"):  # @REGION
        return word
    some = [int(one) for one in ranks.split(",") if int(one) != rank]
    return text + at + ",".join(str(one - (one > rank)) for one in some or [0])


def on_one_thread(trace, rank):
    """Returns the trace in which a rank's first thread makes all its calls, in the order of times."""
    own = sorted((call.but(thread=0) for call in trace.calls if call.rank == rank),
                 key=lambda call: (call.enter, call.leave))
    rest = iter(own)
    return trace.but(calls=tuple(next(rest) if call.rank == rank else call
                                 for call in trace.calls))


# --- times -----------------------------------------------------------------

def moments(trace, rank):
    """Returns the times at which calls of a rank begin and end."""
    return sorted({time for call in trace.calls if call.rank == rank
                   for time in (call.enter, call.leave)})


def earlier(trace, rank, since, by_ns):
    """Returns the trace in which all of the rank's times from SINCE on are earlier by BY_NS."""
    return trace.but(calls=tuple(
        call if call.rank != rank else
        call.but(enter=call.enter - by_ns * (call.enter >= since),
                 leave=call.leave - by_ns * (call.leave >= since))
        for call in trace.calls))
