#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hypotheses that drop or resize messages and collectives (TAP): every rank's delay and account in perturb mode,
compared with the oracle's (oracle_dropped.py, oracle_resized.py), on random programs. The environment variable MPGSIM
names the program, DROPPED_SEEDS how many traces are compared; arguments are seeds."""

import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import oracle  # noqa: E402
import oracle_graph  # noqa: E402
from compare_oracle import COMMON, MPGSIM, difference, expected, simulated  # noqa: E402
from scripts import made  # noqa: E402

KINDS = ["send,pair,isend,recv,irecv,wait,waitall",
         "send,pair,isend,recv,irecv,sendrecv,wait,waitall,test,testall,collective,icollective",
         "send,isend,recv,irecv,pair,waitall,waitany,waitsome,testsome,testany,fail,see,mprobe,mrecv,probe",
         "persistent,pair,irecv,isend,wait,waitall,collective,null",
         "send,pair,recv,irecv,isend,waitall,wait,neighbors,isendrecv,testsome",
         "send,pair,recv,irecv,isend,waitall,wait,partitions,promise,collective",
         "send,pair,recv,irecv,isend,waitall,wait,isendrecv,sendrecv,null,free,icollective,split,see"]
PERTURBATIONS = [[], ["--noise=const:2385ns@0"], ["--latency=const:1.7us", "--byte=const:0.375ns"],
                 ["--call-noise=const:311ns", "--noise=const:900ns"],
                 ["--latency=const:-300ns", "--call-noise=const:-33.5ns"]]
LIMITS = [[], ["--eager-limit=4096"], ["--eager-limit=4096", "--source=eager-limit=100"],
          ["--eager-limit=100", "--source=eager-limit=4096"]]


SIZES = ["factor=0", "factor=0.375", "factor=1.5", "factor=64", "bytes=0", "bytes=5000", "bytes=77"]


def selects(draw, matching, of_bytes):
    """Generates selections: of all messages, and of two of the existing kinds. OF_BYTES: some with a number of
    bytes."""
    messages = [one for one in matching.messages if isinstance(one.key[0], int)]
    words = [f"call={name}" for name in sorted({group[0].call.name for _, group in matching.groups
                                             if group[0].name not in oracle_graph.CONSTRUCTORS})]
    if messages:
        one = draw.choice(messages)
        comm, tag, sender = one.send.terms.args["comm"], one.send.terms.args.get("tag", 0), one.send.call.rank
        words += [f"call={one.send.call.name}", f"tag={tag}", f"from={sender}", f"to={one.send.receiver} from={sender}",
                  f"comm={comm} tag={tag}"]
        if of_bytes:
            words += [f"comm={comm} bytes=0-{one.bytes} tag={tag}", f"from=0-{matching.trace.ranks - 1} bytes={one.bytes}-"]
    draw.shuffle(words)
    return ["", *words[:2]]


def supposed(draw, matching):
    """Generates command-line options with hypotheses."""
    for select in selects(draw, matching, True):
        yield [f"--hypothesis=drop {select}"]
    for select in selects(draw, matching, False):
        floors = [f"--source=byte={draw.choice(['0.385ns', '0ns', '2.5ns'])}", *draw.choice([[], ["--source=latency=650ns"]])]
        yield [*floors, f"--hypothesis=resize {select} {draw.choice(SIZES)}"]


def cases(seed, folder):
    """Generates (matching, trace, command line)."""
    draw, path = random.Random(f"supposed {seed}"), os.path.join(folder, f"{seed}.txt")
    text = made("randomtrace.py", "--seed", str(seed), "--ranks", str(2 + seed % 5),
                "--steps", "60", "--clocks", ["shared", "offsets"][seed % 2], "--hosts", "1", "--all-synchronous-safe",
                "--kinds", KINDS[seed // 2 % len(KINDS)])
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    matching = oracle.Matching(oracle.read_trace(text.splitlines()))
    for options in supposed(draw, matching):
        words = ["--absorb=" + draw.choice(["none", "wait", "clock", "clock"]), "--without=choice", "--without=weak-progress",
                 *draw.choice(PERTURBATIONS), *draw.choice(LIMITS), *draw.choice([[], ["--collectives=measured"]])]
        yield matching, path, [*words, *options]


def wrong_of(matching, path, words):
    got = simulated([*MPGSIM, "--json", *COMMON, *words, path])
    try:
        want = expected(matching, words)
    except oracle.OracleError as error:
        refused = isinstance(got, str) and ("deadlock" in str(error) and "wait for each other" in got
                                            or "halves" in str(error) and "halves" in got)
        return None if refused else f"oracle: {error}; {got}"
    return difference(want, got)


def main():
    seeds = [int(word) for word in sys.argv[1:]] or range(int(os.environ.get("DROPPED_SEEDS", "40")))
    n, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            for matching, path, words in cases(seed, folder):
                wrong, n = wrong_of(matching, path, words), n + 1
                failed += bool(wrong)
                if wrong:
                    print(f"# {wrong}\n# {' '.join(words)}")
                print(f"{'not ok' if wrong else 'ok'} {n} - seed {seed}: {words[-1][10:]}", flush=True)
    print(f"1..{n}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
