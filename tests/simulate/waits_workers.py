#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A master that takes what its workers send, in the order in which it comes, works on each, and then meets them, again
and again: a text trace, in which little noise changes the order.

    waits_workers.py SEED waitany|recv
"""

import random
import sys

WORKERS, ROUNDS, FLIGHT = 4, 6, 900


def main():
    rng, how = random.Random(int(sys.argv[1])), sys.argv[2]
    lines = ["#mpgtext 1", "#ranks %d" % (WORKERS + 1), "#clocks shared"]
    lines += ["%d 0 100 Init" % rank for rank in range(WORKERS + 1)]
    now = [1000] * (WORKERS + 1)

    def call(rank, begin, end, text):
        lines.append("%d %d %d %s" % (rank, begin, end, text))
        now[rank] = end

    request = 0
    for k in range(ROUNDS):
        requests = {}
        for rank in range(1, WORKERS + 1):
            request += 1
            requests[rank] = request
            if how != "recv":
                call(0, now[0] + 20, now[0] + 50, "Irecv from=%d tag=%d bytes=64 request=%d" % (rank, k, request))
        sent = {}
        for rank in range(1, WORKERS + 1):
            sent[rank] = now[rank] + rng.randrange(3000, 30000)
            call(rank, sent[rank], sent[rank] + 70, "Send to=0 tag=%d bytes=64" % k)
        for rank in sorted(sent, key=sent.get):
            begin, arrived = now[0] + rng.randrange(500, 4000), sent[rank] + FLIGHT
            left = ",".join(str(requests[r]) for r in sorted(requests))
            end = max(begin + 60, arrived)
            if how == "recv":
                call(0, begin, end, "Recv from=%d tag=%d bytes=64 any=source" % (rank, k))
            else:
                call(0, begin, end, "Waitany requests=%s done=%d" % (left, requests.pop(rank)))
        begun = [t + rng.randrange(100, 5000) for t in now]
        for rank, begin in enumerate(begun):
            call(rank, begin, max(begun) + 400, "Allreduce bytes=8")
    lines += ["%d %d %d Finalize" % (rank, now[rank] + 100, now[rank] + 110) for rank in range(WORKERS + 1)]
    print("\n".join(lines))


main()
