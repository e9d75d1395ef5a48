# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of mpgsim --collectives=expand on random programs: no delay without perturbations, no smaller delay with
larger ones, and accounts that add up. Prints what is wrong, or how many runs were right."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "oracle"))
sys.dont_write_bytecode = True
from scripts import made  # noqa: E402

KINDS = "send,isend,irecv,recv,waitall,collective,icollective,promise"


def ranks(*options):
    answer = subprocess.run([sys.argv[1], "--json", "--replicas=1", "--collectives=expand",
                             *options, "random.text"], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)["ranks"]


def is_off(account):
    put = sum(account[key] for key in ("compute_ns", "calls_ns", "messages_ns", "collectives_ns",
                                       "propagated_ns"))
    lost = account["absorbed_waiting_ns"] + account["absorbed_hidden_ns"] + account["net_ns"]
    least = min(account[key] for key in ("propagated_ns", "absorbed_waiting_ns",
                                         "absorbed_hidden_ns"))
    return abs(put - lost) > 1e-6 or least < -1e-6


def main():
    wrong, runs = [], 0
    for seed in range(1, 31):
        text = made("randomtrace.py", "--seed", str(seed), "--ranks", str(2 + seed % 8), "--steps", "40",
                    "--kinds", KINDS, "--clocks", "shared")
        with open("random.text", "w") as file:
            file.write(text)
        for absorb in ("clock", "wait", "none"):
            runs += 1
            if any(r["delay_ns"]["median"] != 0 for r in ranks("--absorb=" + absorb)):
                wrong.append("seed %d, %s: delays of nothing" % (seed, absorb))
            before = None
            for latency in ("1us", "2.385us"):
                now = ranks("--absorb=" + absorb, "--latency=const:" + latency,
                            "--noise=const:3us@0", "--call-noise=const:50ns")
                if any(is_off(r["account"]) for r in now):
                    wrong.append("seed %d, %s: an account" % (seed, absorb))
                ends = [r["delay_ns"]["median"] for r in now]
                if before and any(b > e + 1e-6 for b, e in zip(before, ends)):
                    wrong.append("seed %d, %s: later messages, earlier ends" % (seed, absorb))
                before = ends
    print("; ".join(wrong) or "%d runs, all right" % runs)


if __name__ == "__main__":
    main()
