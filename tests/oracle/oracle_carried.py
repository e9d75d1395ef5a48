# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends that a call of their receiver carries, as docs/MODEL.md, section 10, has them, by everything that each rank does; of
messages between ranks, none of expanded collectives."""

from collections import Counter

from oracle_matching import COLLECTIVES, COMPLETIONS, CONSTRUCTORS, NEIGHBORS, STANDARD_SENDS

SEES = (COLLECTIVES | CONSTRUCTORS | COMPLETIONS | NEIGHBORS
        | {"Send", "Ssend", "Bsend", "Rsend", "Recv", "Sendrecv", "Probe", "Iprobe", "Mprobe", "Improbe", "Mrecv",
           "Win_fence", "Finalize"})


class Carried:
    """limits[blocking]: sends of more bytes are carried; None: none are."""

    def __init__(self, matching):
        self.trace, self.matching = matching.trace, matching
        self.passages = [[call for call in calls[1:] if call.name in SEES] for calls in self.trace.calls]
        self.messages = [one for one in matching.messages if isinstance(one.key[0], int)
                         and one.send.terms.name in STANDARD_SENDS and one.send.completed_by
                         and one.receive.call.rank != one.send.call.rank]
        self.limits = self.find_limits()

    def at(self, call, time):
        return self.trace.aligned(call.rank, time)

    def carrier(self, message, was_synchronous):
        """The first call of the receiver that is over when the message can have started."""
        begin, poster = self.at(message.send.call, message.send.call.enter), message.receive.call
        for call in self.passages[poster.rank]:
            if self.at(call, call.leave) >= begin and (not was_synchronous or call.index >= poster.index):
                return call
        return None

    def find_limits(self):
        completed, received = {}, {}
        for message in self.messages:
            completed.setdefault(message.send.completed_by, []).append(message)
        for message in self.matching.messages:
            sent = self.at(message.send.call, message.send.call.enter)
            received.setdefault(message.receive.completed_by, []).append(sent)
        waited, left = {True: Counter(), False: Counter()}, {True: Counter(), False: Counter()}
        for call, messages in completed.items():
            found = []
            for message in messages:
                carrier = self.carrier(message, False)
                if carrier:
                    comes = self.at(carrier, carrier.enter)
                    if comes > self.at(message.send.call, message.send.call.enter):
                        found.append((comes, message))
            comes, message = max(found, key=lambda one: one[0], default=(None, None))
            if message is None or comes <= self.at(call, call.enter) or max(received.get(call, [comes - 1])) >= comes:
                continue
            one = waited if self.at(call, call.leave) >= comes else left
            one[message.send.blocking][message.bytes] += 1
        return {kind: limit(waited[kind], left[kind]) for kind in (True, False)}

    def edges(self, was_synchronous):
        """(message, call): what ends no earlier than the call begins; None: it is carried, but that says nothing."""
        for message in self.messages:
            most = self.limits[message.send.blocking]
            if most is not None and message.bytes > most:
                carrier, end = self.carrier(message, was_synchronous(message)), message.send.completed_by
                if carrier and self.at(carrier, carrier.enter) > self.at(end, end.leave):
                    carrier = None
                yield message, carrier


def limit(waited, left):
    """Below the least size of which more waited, above the greatest of which too many did not; None: there is none."""
    eager = max((size for size, n in left.items() if 10 * n > waited[size]), default=-1)
    sizes = [size for size, n in waited.items() if n >= 2 and size > eager]
    return min(sizes) - 1 if sizes else None
