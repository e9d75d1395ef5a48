# SPDX-License-Identifier: GPL-3.0-or-later
"""How often mpgscale's verdict is right: three call sites that take 0.1 N, 5 and 1 ms of each rank, with lognormal
noise of each run's sum, of which only the first grows until it dominates; or many call sites that all stay constant.

python3 tests/scale/verdict_rates.py [--mpgscale PROGRAM] [--trials 1000] [--runs 1] [--noise 0.3] [--constant 100]

Standard library only."""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import profiles  # noqa: E402

COUNTS = (2, 4, 8, 16, 32)
CALLS = profiles.calls(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../trace/calls.def"))


def write_run(path, ranks, means_ms, noise, random_):
    """Writes one run: each rank's time at a site is the mean times the run's noise there, whose mean is 1."""
    sigma = math.sqrt(math.log(1 + noise * noise))
    times = [int(1e6 * ms * random_.lognormvariate(-sigma * sigma / 2, sigma)) for ms in means_ms]
    rows = [(CALLS["Barrier"], site, 1, ns, ns, ns) for site, ns in enumerate(times)]
    sites = [[(0, 0x1000 + 16 * site)] for site in range(len(times))]
    profiles.write(path, ranks, 2 * sum(times) + 1000, lambda rank: rows, sites)


def named(mpgscale, folder, means_of, runs, noise, random_):
    """Returns the sites that mpgscale says grow, and those that possibly do."""
    paths = []
    for ranks in COUNTS:
        for run in range(runs):
            paths.append(os.path.join(folder, "%d-%d.mpgt" % (ranks, run)))
            write_run(paths[-1], ranks, means_of(ranks), noise, random_)
    answer = json.loads(subprocess.run([mpgscale, "--json", *paths], check=True, stdout=subprocess.PIPE).stdout)
    number = {"Barrier:app+0x%x" % (0x1000 + 16 * site): site for site in range(len(means_of(2)))}
    return [[number[row["name"]] for row in answer["rows"] if row["grows"] == word] for word in ("yes", "perhaps")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mpgscale", default=os.environ.get("MPGSCALE", "mpgscale"))
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=1, help="of each process count")
    parser.add_argument("--noise", type=float, default=0.3, help="standard deviation over mean")
    parser.add_argument("--constant", type=int, default=0, help="so many callsites, none of which grows")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random_ = random.Random(args.seed)
    right = grow = perhaps = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.trials):
            if args.constant:
                said, maybe = named(args.mpgscale, folder, lambda ranks: [1.0] * args.constant, args.runs, args.noise,
                                    random_)
            else:
                said, maybe = named(args.mpgscale, folder, lambda ranks: [0.1 * ranks, 5, 1], args.runs, args.noise,
                                    random_)
            right += said == [0]
            grow += len(said)
            perhaps += len(maybe)
    if args.constant:
        print("constant callsites %d, named %.2f, perhaps %.2f more, in a trial" %
              (args.constant, grow / args.trials, perhaps / args.trials))
    else:
        print("right in %d of %d" % (right, args.trials))


if __name__ == "__main__":
    main()
