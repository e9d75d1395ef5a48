# SPDX-License-Identifier: GPL-3.0-or-later
"""Weak sends in the trees of expanded collectives (docs/PROGRESS.md)."""


class Times:
    """For each member of one collective's tree: when it entered and left, and when its last earlier call that makes
    progress ended."""

    def __init__(self, expansion, carried):
        calls = [expansion.group[expansion.member(v)].call for v in range(expansion.p)]
        self.enter = [carried.at(call, call.enter) for call in calls]
        self.leave = [carried.at(call, call.leave) for call in calls]
        self.saw = [carried.saw(call) for call in calls]


def above(tree, v):
    return [v, *above(tree, tree.parents[v])] if v in tree.parents else [v]


def below(tree, v):
    return [v, *(one for child in tree.children[v] for one in below(tree, child))]


def observe(tree, times):
    """Generates the observations from messages that can leave before their receiver arrives: (bytes, whether the
    receiver was in a call, whether the sender waited)."""
    for v, children in enumerate(tree.children):
        if tree.is_down:
            if not children:
                continue
            child = max(children, key=lambda one: times.enter[one])
            sender, receiver, needed, size = v, child, above(tree, v), tree.size_of(child)
        elif v in tree.parents:
            sender, receiver, needed, size = v, tree.parents[v], below(tree, v), tree.size_of(v)
        else:
            continue
        ready = max(times.enter[one] for one in needed)
        if times.enter[receiver] > ready:
            was_in_call = times.saw[receiver] is not None and times.saw[receiver] >= ready
            yield int(size), was_in_call, times.leave[sender] >= times.enter[receiver]


def held(tree, times, limit, limit_in_call, eager_limit):
    """Returns (sender, receiver) of the sends that wait for their receiver. A limit of None: no size is larger."""
    def is_synchronous(size):
        return eager_limit is not None and size > eager_limit

    def waits(size, receiver, ready):
        seen = times.saw[receiver] is not None and times.saw[receiver] >= ready
        return (limit is not None and size > limit and not is_synchronous(size)
                and not (seen and (limit_in_call is None or size <= limit_in_call)))

    found = set()
    if not tree.is_down:
        for v, parent in tree.parents.items():
            if waits(tree.size_of(v), parent, max(times.enter[one] for one in below(tree, v))):
                found.add((v, parent))
        return found

    def go_down(v, ready):
        ready = max(ready, times.enter[v])
        for child in tree.children[v]:
            size, left = tree.size_of(child), ready
            if waits(size, child, ready):
                found.add((v, child))
            if waits(size, child, ready) or is_synchronous(size):
                ready = max(ready, times.enter[child])
            go_down(child, left)

    go_down(0, times.enter[0])
    return found
