#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long lists of requests that are passed to one call after another: mpgsim, which keeps them from call to call
(simulate/choice/long_list.c), compared with the reference implementation, which examines each call separately (TAP)."""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "oracle"))
sys.dont_write_bytecode = True
import compare_oracle  # noqa: E402
import long_lists  # noqa: E402
import oracle  # noqa: E402

PROGRAMS = ["--requests 100 --ranks 2", "--requests 90 --ranks 4 --shuffle --work 900",
            "--requests 100 --ranks 3 --swap --shuffle", "--requests 70 --messages 130 --ranks 3",
            "--requests 90 --ranks 3 --calls Testany,Waitany --work 700",
            "--requests 90 --ranks 3 --calls Testsome --work 2500 --shuffle",
            "--requests 80 --messages 120 --ranks 4 --calls Waitany,Waitsome,Testany,Testsome --swap --work 1500"]
PERTURBATIONS = ["", "--noise const:2.385us@1", "--noise const:30us@0", "--noise const:-450ns --latency const:1.7us",
                 "--noise const:7us@1 --call-noise const:311ns@0", "--latency const:-300.5ns --compute-ratio 1.6"]


def main():
    chosen = 0
    print(f"1..{len(PROGRAMS) + 1}")
    with tempfile.TemporaryDirectory() as directory:
        for number, program in enumerate(PROGRAMS):
            path = os.path.join(directory, f"{number}.txt")
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join(long_lists.trace(long_lists.arguments(program.split() + ["--seed", str(number)]))) + "\n")
            with open(path, encoding="ascii") as file:
                matching = oracle.Matching(oracle.read_trace(file))
            wrong = None
            for perturbation in PERTURBATIONS[number % 2::2]:
                for absorb in ("clock", "wait"):
                    words = ["--absorb", absorb, *perturbation.split()]
                    want = compare_oracle.expected(matching, words)
                    chosen += want[-1]["picks_changed"] + want[-1]["tests_early"]
                    found = compare_oracle.difference(want, compare_oracle.simulated(
                        [*compare_oracle.MPGSIM, "--json", *compare_oracle.COMMON, *words, path]))
                    if found and not wrong:
                        wrong = f"{' '.join(words)}: {found}"
            print(f"{'not ok' if wrong else 'ok'} {number + 1} - long_lists.py {program} --seed {number}")
            if wrong:
                print(f"# {wrong}")
    print(f"{'ok' if chosen > 500 else 'not ok'} {len(PROGRAMS) + 1} - calls choose otherwise than in the trace ({chosen})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
