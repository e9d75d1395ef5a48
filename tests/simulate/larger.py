# SPDX-License-Identifier: GPL-3.0-or-later
"""More bytes never make a rank earlier (docs/MODEL.md, section 10): rings of Isend, Irecv and Waitall, some of which
took much longer than messages explain, with all messages resized to more and more bytes, across an eager limit. Prints
how many pairs of sizes were compared, and what is wrong.

larger.py MPGSIM SEEDS"""

import json
import random
import subprocess
import sys

SIZES = (0, 100, 999, 1000, 1001, 1500, 3999, 4000, 4001, 4500, 9000)
LIMIT = 4000


def ring(draw):
    """Returns a trace with eager messages of 1000 bytes; a message takes 300, and its Waitall some more."""
    p, lines = draw.randint(2, 4), []
    left = [100] * p
    for step in range(draw.randint(1, 5)):
        sent = []
        for r in range(p):
            at = left[r] + draw.randint(10, 3000)
            lines.append((r, at, at + 11, f"Irecv from={(r - 1) % p} tag=1 bytes=99999 request={2 * step + 1}"))
            sent.append(at + 20)
            lines.append((r, at + 20, at + 33, f"Isend to={(r + 1) % p} tag=1 bytes=1000 request={2 * step + 2}"))
            left[r] = at + 33 + draw.randint(10, 3000)
        for r in range(p):
            lost = draw.choice((0, 0, draw.randint(1, 6000)))
            end = max(left[r] + 50, sent[(r - 1) % p] + 300) + lost
            lines.append((r, left[r], end, f"Waitall requests={2 * step + 1},{2 * step + 2}"))
            left[r] = end
    lines += [(r, 0, 100, "Init") for r in range(p)] + [(r, left[r] + 100, left[r] + 110, "Finalize") for r in range(p)]
    text = "#mpgtext 1\n#ranks %d\n#clocks shared\n#comm 0 = %s\n" % (p, " ".join(map(str, range(p))))
    return text + "".join("%d %d %d %s\n" % line for line in sorted(lines))


def delays(mpgsim, size):
    done = subprocess.run(
        [mpgsim, "--json", "--without=choice", "--cache=fresh", f"--eager-limit={LIMIT}", "--source=latency=250ns",
         "--source=byte=0.375ns", f"--hypothesis=resize bytes={size}", "larger.txt"], capture_output=True, text=True,
        check=True)
    return [rank["delay_ns"]["median"] for rank in json.loads(done.stdout)["ranks"]]


def main():
    pairs, wrong = 0, 0
    for seed in range(int(sys.argv[2])):
        with open("larger.txt", "w", encoding="ascii") as file:
            file.write(ring(random.Random(f"larger {seed}")))
        before = None
        for size in SIZES:
            now = delays(sys.argv[1], size)
            pairs += before is not None
            if before and any(a < b - 1e-3 for a, b in zip(now, before)):
                print(f"seed {seed}, {size} bytes: {now}, fewer: {before}")
                wrong += 1
            before = now
    print(f"{pairs} pairs, {wrong} wrong")


main()
