# SPDX-License-Identifier: GPL-3.0-or-later
"""Which calls wait for a window's Posts: Win_complete, or Win_start (docs/MODEL.md, section 10)."""

from collections import defaultdict


def place_posts(matching, settings):
    """Sets the receiving call of every Post's messages; returns whether any Win_start can be one."""
    trace, of_start = matching.trace, defaultdict(list)
    for message in matching.messages:
        if message.key[0] == "posted":
            of_start[message.receive.starter].append(message)

    def enter(call):
        return trace.aligned(call.rank, call.enter)

    def leave(call):
        return trace.aligned(call.rank, call.leave)

    waited = left = 0
    for start, messages in of_start.items():
        last = max(enter(message.send.call) for message in messages)
        if enter(start) < last:
            waited += leave(start) >= last
            left += leave(start) < last
    # Who says --carried=shown has hypotheses, clocks that are measured, and one thread a rank.
    shown = bool(settings.carried) and waited >= 2 and 10 * left <= waited
    for start, messages in of_start.items():
        for message in sorted(messages, key=lambda one: one.receive.place):
            hears = shown and enter(message.send.call) <= leave(start)
            message.receive.begin(start if hears else message.receive.completer)
    return shown
