#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The oracle's command line for predict mode: the options of mpgsim --predict, a text trace, and each rank's run time
in one replica."""

import argparse
import functools
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import oracle  # noqa: E402
from oracle_draws import CALL, ROUND_CALL, Draws  # noqa: E402
from oracle_exact import Fraction  # noqa: E402
from oracle_matching import Matching  # noqa: E402
from oracle_places import Hosts, Places  # noqa: E402
from oracle_plans import Table, expands_some  # noqa: E402
from oracle_hypotheses import Hypotheses  # noqa: E402
from oracle_ratios import Ratios  # noqa: E402
from oracle_signature import read_signature  # noqa: E402
from oracle_times import predicted  # noqa: E402
from oracle_trace import OracleError, read_trace  # noqa: E402
from words import own  # noqa: E402

ZERO = Fraction(0)


def distribution(text):
    """Parses a distribution; returns a function of the draw."""
    kind, value = text.split(":", 1)
    value = oracle.time_ns(value)
    if kind == "const":
        return lambda u: value
    if kind == "exp":
        return lambda u: -float(value) * math.log1p(-u)
    raise ValueError("only const: and exp: are known here")


def on_ranks(text):
    """Parses DIST or DIST@RANKS; returns a function of the rank and the draw."""
    value, at, ranks = text.partition("@")
    draw, chosen = distribution(value), oracle.rank_set(ranks) if at else None
    return lambda rank, u: draw(u) if chosen is None or rank in chosen else ZERO


class Settings:
    """The settings of a prediction. noise, latency and byte are None if the signature gives them."""

    def __init__(self, map, call_noise, first_replica, path, compute_ratio,
                 collective_table, suppose=(), **others):
        vars(self).update(others)
        self.ratios = Ratios(compute_ratio, self.signature, self.source)
        self.hypotheses = Hypotheses(suppose, self.ratios)
        self.compute_ratio = self.ratios.outside
        self.some = expands_some(self, suppose, perturbs=False)
        self.table = (self.some or self.carried or self.collectives == "expand" or self.signature) and Table(collective_table)
        self.scales = None
        self.map, self.call_noise, self.replica = map, call_noise, first_replica
        self.path = path and path.replace("-", " ")
        self.draw = Draws(self.seed, self.replica)
        self.places = self.source_places = None

    def place(self, trace):
        """Determines where ranks are, and were, from the options and the trace's hosts."""
        if self.map:
            self.places = Places(self.map, trace.ranks)
        if self.source_map:
            self.source_places = Places(self.source_map, trace.ranks)
        self.ratios.place_by(self.source_places, self.places, [trace.hosts[rank] for rank in range(trace.ranks)])
        self.compute_ratio = self.ratios.outside

    def hosts(self):
        """Returns where ranks are on the target, if not on the trace's hosts."""
        return Hosts(self.places) if self.places else self.were()

    def were(self):
        """Returns where ranks were on the source, if not on the trace's hosts."""
        return Hosts(self.source_places) if self.source_map else None

    def drawn_noise(self):
        return self.signature and self.noise_model in ("renewal", "fit")

    def kappa(self, call):
        if not self.call_noise:
            return ZERO
        return self.call_noise(call.rank, self.draw(call.rank, call.index, CALL))

    def round_kappa(self, call, index):
        if not self.call_noise:
            return ZERO
        return self.call_noise(call.rank, self.draw(
            call.rank, call.index, ROUND_CALL, index))


@functools.cache
def argument_parser():
    parser = argparse.ArgumentParser(
        description="Reference times of a predicted trace.", allow_abbrev=False)
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--noise", type=on_ranks)
    parser.add_argument("--call-noise", type=on_ranks)
    parser.add_argument("--latency", type=distribution)
    parser.add_argument("--byte", type=distribution)
    parser.add_argument("--compute-ratio", action="append", default=[])
    parser.add_argument("--suppose", action="append", default=[])
    parser.add_argument("--carried", choices=["none", "shown"])  # not of expanded collectives
    parser.add_argument("--collectives", choices=["measured", "rounds", "expand"])
    parser.add_argument("--collective-table")
    parser.add_argument("--sync-reduce", action="store_true")
    parser.add_argument("--noise-model", choices=["replay", "renewal", "fit", "ecdf"])
    for what in ("--latency-model", "--byte-model"):
        parser.add_argument(what, choices=["empirical", "fit"], default="empirical")
    parser.add_argument("--eager-limit", type=oracle.size_or_unlimited)
    parser.add_argument("--source-eager-limit", type=oracle.size_or_unlimited)
    parser.add_argument("--signature", type=read_signature)
    parser.add_argument("--source", type=read_signature)
    parser.add_argument("--path")
    parser.add_argument("--map")
    parser.add_argument("--source-map")
    parser.add_argument("--polling", choices=["wait", "work"], default="wait")
    parser.add_argument("--polling-interval", type=oracle.time_ns,
                        default=Fraction(10000))
    parser.add_argument("--without", choices=["overlap", "progress"])
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--cosched", choices=["none", "node", "job"])
    parser.add_argument("--measurement", choices=["resample", "fixed"],
                        default="resample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-replica", type=int, default=0)
    parser.add_argument("trace", metavar="TRACE.txt")
    return parser


def parse_arguments(words):
    arguments = vars(argument_parser().parse_args(own(words)))
    arguments["carried"] = arguments["carried"] == "shown"  # with hypotheses, clocks that are measured, one thread a rank
    arguments.pop("predict")
    return arguments.pop("trace"), Settings(**arguments)


def run_times(matching, words, counts=None, carried=None, starts=None):
    """Returns [(run time, account)] of every rank of a matched trace. COUNTS: receives the numbers of choices. CARRIED:
    receives the object that knows which sends are carried. STARTS: receives whether Win_starts wait."""
    _, settings = parse_arguments([*words, "-"])
    settings.place(matching.trace)
    return predicted(matching, settings, counts, carried, starts)


def main(words):
    path, settings = parse_arguments(words)
    try:
        with open(path, encoding="ascii") as file:
            matching = Matching(read_trace(file))
        settings.place(matching.trace)
        for rank, (time, _) in enumerate(predicted(matching, settings)):
            print(f"{rank}\t{float(time)!r}")
    except (OracleError, OSError) as error:
        print(f"oracle_predict.py: {path}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
