#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a text trace in which a rank passes a long list of receives to one call after another, until all are complete.
Rank 0 receives, the other ranks send in a random order. A message arrives 900 ns after it is sent."""

import argparse
import random


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=1000, help="of the list (default 1000)")
    parser.add_argument("--messages", type=int, help="in all: a completed receive is posted anew (default: REQUESTS)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--calls", default="Waitany", help="words, of which each call is one (default Waitany)")
    parser.add_argument("--swap", action="store_true", help="the last request takes the place of a completed one")
    parser.add_argument("--shuffle", action="store_true", help="tags in another order than requests")
    parser.add_argument("--every", type=int, default=2000, help="ns between the sends of a rank (default 2000)")
    parser.add_argument("--work", type=int, default=200, help="ns between the receiver's calls (default 200)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


def trace(a):
    """Returns the lines of the trace."""
    draw = random.Random(a.seed)
    messages = max(a.messages or a.requests, a.requests)
    tags = list(range(messages))
    if a.shuffle:
        draw.shuffle(tags)
    source = [draw.randint(1, a.ranks - 1) for _ in range(messages)]
    # messages of later receives are sent later, otherwise the rank would wait forever
    order = sorted(range(messages), key=lambda i: i // a.requests + draw.random())
    yield f"#mpgtext 1\n#ranks {a.ranks}\n#clocks shared"
    now = [1000] * a.ranks
    for rank in range(a.ranks):
        yield f"{rank} 0 1000 Init"
    first_ns = 1000 + 150 * a.requests
    arrives = {}
    for i in order:
        rank = source[i]
        enter = max(now[rank] + a.every, first_ns)
        yield f"{rank} {enter} {enter + 300} Send comm=0 to=0 tag={tags[i]} bytes=8"
        arrives[i] = enter + 900
        now[rank] = enter + 300
    for rank in range(1, a.ranks):
        yield f"{rank} {now[rank] + 100} {now[rank] + 200} Finalize"

    def post(i):
        enter = now[0] + 50
        now[0] = enter + 100
        return f"0 {enter} {now[0]} Irecv comm=0 from={source[i]} tag={tags[i]} bytes=8 request={i + 1}"

    listed = list(range(a.requests))
    following = a.requests
    for i in listed:
        yield post(i)
    while listed:
        call = draw.choice(a.calls.split(","))
        enter = now[0] + a.work
        ready = [i for i in listed if arrives[i] <= enter]
        leave = enter + 100
        if not ready and call.startswith("Wait"):
            ready = [min(listed, key=arrives.get)]
            leave = arrives[ready[0]] + 100
        done = ready if call.endswith("some") else ready[:1]
        given = ",".join(str(i + 1) for i in listed)
        yield f"0 {enter} {leave} {call} requests={given} done={','.join(str(i + 1) for i in done)}"
        now[0] = leave
        for i in done:
            place = listed.index(i)
            if following < messages:
                listed[place] = following
                following += 1
                yield post(listed[place])
            elif a.swap:
                listed[place] = listed[-1]
                listed.pop()
            else:
                listed.pop(place)
    yield f"0 {now[0] + 100} {now[0] + 200} Finalize"


if __name__ == "__main__":
    for line in trace(arguments()):
        print(line)
