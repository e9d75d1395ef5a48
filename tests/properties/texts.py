# SPDX-License-Identifier: GPL-3.0-or-later
"""A trace in mpgtext(5) as data, and the same program written differently: with other clocks, times, labels, numbers of
ranks, order of lines. Every function returns a new trace."""

import dataclasses
import re

KEY = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S*)')
MEMBERS = re.compile(r"^#comm (\d+)(.*) = (.*)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Call:
    """A line of the trace; values of keys are unchanged words."""

    rank: int
    thread: int
    enter: int
    leave: int
    name: str
    keys: dict

    def __str__(self):
        place = f"{self.rank}.{self.thread}" if self.thread else str(self.rank)
        words = [place, str(self.enter), str(self.leave), self.name]
        return " ".join(words + [f"{key}={value}" for key, value in self.keys.items()])

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def with_keys(self, **changes):
        return self.but(keys={**self.keys, **changes})

    def list(self, key):
        """Returns a list of words; [] if it is empty or absent."""
        return [word for word in self.keys.get(key, "").split(",") if word]


@dataclasses.dataclass(frozen=True)
class Trace:
    """about: the header lines after #ranks; calls as they are written."""

    ranks: int
    about: tuple
    calls: tuple

    def __str__(self):
        return "\n".join(["#mpgtext 1", f"#ranks {self.ranks}", *self.about,
                          *map(str, self.calls)]) + "\n"

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def has(self, begin):
        return any(line.startswith(begin) for line in self.about)

    def members(self):
        """Returns the ranks of the world in each communicator, by its label."""
        found = {"0": list(range(self.ranks))}
        for line in self.about:
            match = MEMBERS.match(line)
            if match:
                found[match[1]] = [int(word) for word in match[3].split()]
        return found


def call_of(line):
    place, enter, leave, name, *rest = line.split(" ", 4)
    rank, _, thread = place.partition(".")
    keys = dict(KEY.findall(rest[0])) if rest else {}
    return Call(int(rank), int(thread or 0), int(enter), int(leave), name, keys)


def trace_of(text):
    about, calls, ranks = [], [], 0
    for line in text.splitlines():
        if line.startswith("#ranks"):
            ranks = int(line.split()[1])
        elif line.startswith("#mpgtext") or not line:
            continue
        elif line.startswith("#"):
            about.append(line)
        else:
            calls.append(call_of(line))
    return Trace(ranks, tuple(about), tuple(calls))


# --- clocks and times ------------------------------------------------------

def shifted(trace, shifts):
    """Shifts every rank's clock by shifts[rank], and its known offsets accordingly."""
    about = []
    for line in trace.about:
        words = line.split()
        if line == "#clocks shared":
            about += [f"#clock {rank} 0 {shifts[0] - shift}"
                      for rank, shift in enumerate(shifts)]
        elif words[0] == "#clock":
            rank, time, offset = int(words[1]), int(words[2]), int(words[3])
            about.append(f"#clock {rank} {time + shifts[rank]} "
                         f"{offset + shifts[0] - shifts[rank]}")
        else:
            about.append(line)
    return trace.but(about=tuple(about), calls=tuple(
        call.but(enter=call.enter + shifts[call.rank], leave=call.leave + shifts[call.rank])
        for call in trace.calls))


def scaled(trace, factor):
    """Multiplies all times by FACTOR."""
    def times(word):
        value = float(word) * factor
        return str(int(value)) if value == int(value) else repr(value)

    about = []
    for line in trace.about:
        words = line.split()
        if words[0] == "#clock":
            words[2:4] = map(times, words[2:4])
        elif words[0] == "#fact" and words[2].startswith("overhead_"):
            words[3] = times(words[3])
        about.append(" ".join(words))
    calls = []
    for call in trace.calls:
        keys = {key: times(value) if key in ("values", "time", "least", "most") else value
                for key, value in call.keys.items()}
        calls.append(call.but(enter=call.enter * factor, leave=call.leave * factor,
                              keys=keys))
    return trace.but(about=tuple(about), calls=tuple(calls))


# --- names and numbers -----------------------------------------------------

def permuted(trace, to):
    """Renumbers rank r to to[r] in the world; its place in communicators stays."""
    about = []
    for line in trace.about:
        words, match = line.split(), MEMBERS.match(line)
        if match:
            there = " ".join(str(to[int(word)]) for word in match[3].split())
            line = f"#comm {match[1]}{match[2]} = {there}"
        elif words[0] in ("#host", "#clock", "#fact", "#topology"):
            words[1] = str(to[int(words[1])])
            line = " ".join(words)
        about.append(line)
    if not trace.has("#comm 0 "):
        about.append("#comm 0 = " + " ".join(map(str, to)))
    return trace.but(about=tuple(about), calls=tuple(
        call.but(rank=to[call.rank]) for call in trace.calls))


RELABELLED = {"requests": ("request", "requests", "done", "cancelled"),
              "persistent": ("persistent",), "messages": ("message",),
              "windows": ("win",), "comms": ("comm", "newcomm"), "tags": ("tag", "recvtag")}


def relabelled(trace, numbers):
    """NUMBERS(kind, n): returns another number for the n-th request, tag, label and so on; each of a kind gets its own.
    Communicator 0 stays the world, defaults become explicit."""
    def change(kind, word):
        if word == "null" or (kind == "comms" and word == "0"):
            return word
        return str(numbers(kind, int(word)))

    def of(call, key, value):
        for kind, keys in RELABELLED.items():
            if key in keys and value:
                return ",".join(change(kind, word) for word in value.split(","))
        if key == "matched":
            words = [word.split(":") for word in value.split(",")]
            return ",".join(f"{change('requests', i)}:{source}:{change('tags', tag)}"
                            for i, source, tag in words)
        return value

    about = []
    for line in trace.about:
        words = line.split(" ")
        if words[0] == "#comm":
            words[1] = change("comms", words[1])
        elif words[0] == "#topology":
            words[2] = change("comms", words[2])
        elif words[0] == "#window":
            words[1], words[3] = change("windows", words[1]), change("comms", words[3])
        about.append(" ".join(words))
    return trace.but(about=tuple(about), calls=tuple(
        call.but(keys={key: of(call, key, value) for key, value in call.keys.items()})
        for call in trace.calls))


# --- lines -----------------------------------------------------------------

def by_time(trace):
    return trace.but(calls=tuple(sorted(trace.calls, key=lambda call: call.enter)))


def by_turns(trace):
    """Orders the lines: one of each rank, then the next one of each."""
    seen, order = {}, []
    for call in trace.calls:
        seen[call.rank] = seen.get(call.rank, -1) + 1
        order.append((seen[call.rank], -call.rank, call))
    return trace.but(calls=tuple(call for _, _, call in sorted(order, key=lambda it: it[:2])))


def with_asides(trace, chance):
    """Adds calls without communication in some intervals that are long enough; CHANCE() decides."""
    calls, last = [], {}
    for call in trace.calls:
        place = call.rank, call.thread
        begin = last.get(place)
        if begin is not None and call.enter - begin >= 3 and chance():
            third = (call.enter - begin) // 3
            calls.append(Call(*place, begin + third, begin + 2 * third, "Comm_size", {}))
        last[place] = call.leave
        calls.append(call)
    return trace.but(calls=tuple(calls))


def with_bystander(trace):
    """Adds a last rank that communicates with nobody."""
    rank, about = trace.ranks, list(trace.about)
    if not trace.has("#comm 0 "):
        about.append("#comm 0 = " + " ".join(map(str, range(rank))))
    if trace.has("#clock "):
        about.append(f"#clock {rank} 0 0")
    enter = min(call.enter for call in trace.calls)
    return trace.but(ranks=rank + 1, about=tuple(about), calls=(
        *trace.calls, Call(rank, 0, enter, enter + 5, "Init", {}),
        Call(rank, 0, enter + 7, enter + 9, "Finalize", {})))
