#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a random signature (mpgsig(5)) for the oracle's comparisons: awkward sizes, a single size or none, jumps,
launches, rows, overheads, collectives, complete or truncated detour records."""

import argparse
import base64
import itertools
import json
import math
import random
import sys

PATHS = ["core complex", "node", "between nodes"]
SIZES = [0, 1, 3, 8, 100, 1000, 4097, 9999, 65536, 1000003]
ALPHABET = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
            "0123456789+/")


class Maker:
    """Draws one signature; its parts are requested, or random."""

    def __init__(self, seed, version, streams=None):
        self.random = random.Random(f"signature {seed}")
        self.version = version
        self.fits = random.Random(f"fits {seed}")
        self.fitted = self.fits.random() < 0.9
        self.streams = streams

    def chance(self, probability):
        return self.random.random() < probability

    # Distributions

    def distribution(self, scale):
        knots = self.random.choice([2, 2, 3, 5, 12])
        least = self.random.uniform(0.3, 1) * scale
        spread = self.random.choice([0, 0.01, 0.3, 2]) * scale
        quantiles = sorted(round(least + spread * self.random.random() ** 3, 3)
                           for _ in range(knots))
        given = {"n": self.random.randint(1, 5000),
                 "mean": (quantiles[0] + quantiles[-1]) / 2, "quantiles": quantiles}
        if self.version == 4 and self.chance(0.7):
            given["probabilities"] = self.probabilities(knots)
        return given

    def fit(self, family, scale):
        """Returns a made-up fit, which need not fit."""
        draw = self.fits
        values = {"exponential": [("mean", scale * draw.uniform(0.1, 1))],
                  "gamma": [("shape", draw.choice([0.3, 2.385, 40.7])),
                            ("scale", scale * draw.uniform(0.05, 0.5))],
                  "lognormal": [("mu", math.log(scale) + draw.uniform(-1, 0)),
                                ("sigma", draw.uniform(0.1, 1.5))],
                  "weibull": [("shape", draw.uniform(0.6, 3)),
                              ("scale", scale * draw.uniform(0.1, 1))],
                  "pareto tail": [("exponent", 1.5), ("threshold", scale)]}[family]
        return {"family": family, "location": draw.choice([0, 0.37 * scale]),
                "parameters": [{"name": name, "value": value, "low": value,
                                "high": value} for name, value in values],
                "distance": draw.choice([0.1, 0.2, draw.random()]),
                "tail_fraction": 0.5 if family == "pareto tail" else 1}

    def with_fits(self, given, scale):
        """Adds fitted families to GIVEN, a distribution."""
        if self.fitted:
            some = self.fits.sample(["exponential", "gamma", "lognormal", "weibull",
                                     "pareto tail"], self.fits.randint(1, 5))
            if some == ["pareto tail"]:
                some.append("gamma")
            given["fits"] = [self.fit(family, scale) for family in some]
        return given

    def probabilities(self, knots):
        """Returns probabilities from 0 to 1, sometimes with the same one twice, for a jump."""
        inner = sorted(self.random.uniform(0.01, 0.99) for _ in range(knots - 2))
        if len(inner) >= 2 and self.chance(0.5):
            at = self.random.randrange(len(inner) - 1)
            inner[at] = inner[at + 1]
        return [0, *inner, 1]

    def launches(self, scale):
        return [self.distribution(scale) for _ in range(self.random.randint(2, 4))]

    def rows(self):
        length = self.random.randint(1, 7)
        blocks = self.random.randint(1, 4)
        text = "".join(self.random.choice(ALPHABET[:self.random.choice([1, 5, 64])])
                       for _ in range(blocks * length))
        return {"length": length, "classes": text}

    def sizes(self, key, base, per_byte, some=None):
        """Returns a list of sizes, each with a distribution under KEY."""
        some = some or self.random.choice([1, 2, 3, 6])
        elements = []
        for size in sorted(self.random.sample(SIZES, some)):
            scale = base + per_byte * size
            element = {"size_bytes": size, key: self.distribution(scale)}
            if key in ("one_way_ns", "transfer_ns"):
                self.with_fits(element[key], scale)
            if self.version == 4 and self.chance(0.4):
                element["launches"] = self.launches(scale)
            if self.version == 4 and key == "one_way_ns" and self.chance(0.4):
                element["rows"] = self.rows()
            elements.append(element)
        return elements

    # Network

    def path(self, name):
        speed = self.random.choice([0.2, 1, 5])
        given = {"path": name}
        if self.chance(0.7):
            given["eager_limit_bytes"] = self.random.choice(
                [-1, 0, 100, 4096, 5000, 70000])
        if self.chance(0.85):
            given["latency"] = self.sizes("one_way_ns", 900 * speed, 0.1 * speed)
            given["one_way"] = "synchronised clocks"
        if self.chance(0.6):
            given["bandwidth"] = self.sizes("transfer_ns", 700 * speed, 0.2 * speed)
        if self.chance(0.5):
            given["sender"] = self.sizes("send_ns", 300 * speed, 0.05 * speed)
        if self.version == 4 and self.chance(0.6):
            given["send_overhead"] = self.sizes("send_ns", 200 * speed, 0.01)
        if self.version == 4 and self.chance(0.6):
            given["receive_overhead"] = self.sizes("receive_ns", 250 * speed, 0.02)
        self.streams.stream(given, speed)
        return given

    def stream(self, given, speed):
        """Adds times of messages in a stream to some signatures, with draws that leave all other draws unchanged."""
        if self.chance(0.5):
            given["window_messages"] = 64
            given["streaming"] = self.sizes("message_ns", 200 * speed, 0.1 * speed)

    def collectives(self):
        elements = []
        for operation in ("allreduce", "alltoall", "barrier", "bcast"):
            for processes in sorted(self.random.sample(range(2, 9), 2)):
                if self.chance(0.5):
                    continue
                some = 1 if operation == "barrier" else None
                for one in self.sizes("time_ns", 2000 * processes, 0.5, some):
                    if operation == "barrier":
                        one["size_bytes"] = 0
                    elements.append({"operation": operation, "processes": processes,
                                     **one})
        return elements

    def more_collectives(self):
        """Returns collectives of the other operations."""
        elements = []
        for operation in ("allgather", "gather", "reduce", "scan", "scatter", "alltoallv", "reduce_scatter"):
            for processes in sorted(self.random.sample(range(2, 7), 2)):
                if self.chance(0.5):
                    elements += [{"operation": operation, "processes": processes, **one}
                                 for one in self.sizes("time_ns", 1500 * processes, 0.3)]
        return elements

    def reductions(self):
        return [{"operation": "reduce_local", "processes": processes, **one}
                for processes in (1, 2) if self.chance(0.7) for one in self.sizes("time_ns", 20, 0.1)]

    # Noise

    def detours(self, span, most):
        """Returns [(start, duration)] in whole ns."""
        n = self.random.randint(0, most)
        detours, end = [], 0
        for start in sorted(self.random.sample(range(1, span - 1), n)):
            duration = self.random.choice([300, 1700, 5501, 40003])
            if start > end and start + duration < span:
                detours.append((start, duration))
                end = start + duration + self.random.randint(0, 2)
        return detours

    def core(self, host, number, offset):
        span = self.random.choice([100003, 2500000, 19999999])
        core = {"core": number, "span_ns": span}
        if host:
            core["host"] = host
        if self.version == 4 and offset is not None:
            core["together"] = True
            core["offset_ns"] = offset
        detours = core["drawn"] = self.detours(span, 60)
        if self.version != 4 and self.chance(0.5):
            core["detours"] = {"start_ns": [start for start, _ in detours],
                               "duration_ns": [duration for _, duration in detours]}
        else:
            core["detours"] = whole(detours, self.random.choice([1, 10]))
        if len(detours) > 1:
            self.add_gaps(core)
        return core

    def add_gaps(self, core):
        """Adds made-up distributions of gaps and durations, to draw from, besides the record to replay."""
        rest, self.random = self.random, self.fits
        often = self.fits.choice([1, 10, 100])
        for key, scale in (("gap_ns", 30000 / often), ("duration_ns", 2000 / often)):
            core[key] = self.with_fits(self.distribution(scale), scale)
        self.random = rest

    def cores(self):
        cores = []
        together = self.chance(0.5)
        for host in self.random.choice([[""], [""], ["a", "b"]]):
            for number in range(self.random.randint(1, 4)):
                offset = self.random.randint(0, 5000) if together else None
                cores.append(self.core(host, number, offset))
        return cores

    def quanta(self, core):
        """Adds the losses of fixed quanta to most cores; for some of them nothing else is known."""
        if self.chance(0.2):
            return
        length = self.random.choice([1000, 50000, 333333.5])
        lost = self.distribution(self.random.choice([0.01, 0.1, 0.3]) * length)
        core["ftq"] = {"quantum_ns": length, "lost_ns": lost}
        lags, decay = self.random.choice([0, 1, 3, 8]), self.random.uniform(-0.9, 0.9)
        if lags:
            core["autocorrelation"] = [
                round(decay ** (k + 1) + self.random.uniform(-0.05, 0.05), 4)
                for k in range(lags)]
        if self.chance(0.4):
            for key in ("span_ns", "detours", "gap_ns", "duration_ns", "together",
                        "offset_ns", "fraction_off_cpu"):
                core.pop(key, None)

    def off_cpu(self, core):
        """Marks some detours of some cores as off the CPU: the longest, or any."""
        detours = core.pop("drawn", [])
        if "packed" not in core.get("detours", {}) or self.chance(0.4):
            return
        longest = sorted(duration for _, duration in detours)[-1:]
        least = self.random.choice([0, 5501, *longest, 10 ** 9])
        flags = [duration >= least or self.chance(self.random.choice([0, 0, 0.3])) for _, duration in detours]
        numbers, between = [], 0
        for flag in flags:
            if flag:
                numbers, between = numbers + [between], 0
            else:
                between += 1
        core["detours"]["off_cpu"] = {"n": len(numbers), "packed": packed(numbers)}
        core["fraction_off_cpu"] = sum(
            duration for (_, duration), flag in zip(detours, flags) if flag) / core["span_ns"]

    def compute(self):
        """Returns rates of a loop on some cores, alone and together."""
        return [{"kernel": kernel, "unit": "operation/s", "core": core,
                 "cores_at_once": at_once, "rate_per_s": self.distribution(1e9)}
                for kernel in ("floating_point", "integer")
                for at_once in (1, self.random.choice([2, 3]))
                for core in range(self.random.randint(1, at_once))]

    def signature(self, parts):
        given = {"format": "mpgkit-signature", "version": [self.version, 0],
                 "header": {"host": "made up"}}
        if "noise" in parts:
            given["noise"] = self.cores()
        if "network" in parts:
            some = self.random.sample(PATHS, self.random.randint(1, 3))
            given["network"] = [self.path(name) for name in PATHS if name in some]
        if "collectives" in parts:
            given["collectives"] = self.collectives()
        return given


def add_collectives(given, some):
    """Adds collectives that were introduced later, with draws that leave all other draws unchanged."""
    given["collectives"] = sorted(given["collectives"] + some.more_collectives(),
                                  key=lambda one: (one["operation"], one["processes"]))
    if some.chance(0.7):
        given["reductions"] = some.reductions()


def add_worth(given, draw):
    """Adds the number of independent samples to some distributions of several launches, with own draws."""
    lists = [path[name] for path in given.get("network", []) for name in sorted(path) if isinstance(path[name], list)]
    for element in itertools.chain(*lists, given.get("collectives", [])):
        if "launches" not in element or draw.random() < 0.3:
            continue
        pooled = element[next(key for key in element if key.endswith("_ns"))]
        pooled["intervals"] = [
            {"probability": p, "low": pooled["quantiles"][0], "high": pooled["quantiles"][-1], "freedom": 2,
             "independent": draw.choice([1, 23.7, 150.2, 2000, 40000.5]), "launches": draw.choice([1, len(element["launches"]), 5])}
            for p in draw.choice([[0.5], [0.5, 0.99], [0.3, 0.5, 0.99]])]


def packed(numbers):
    content = bytearray()
    for number in numbers:
        while number > 127:
            content.append(number & 127 | 128)
            number >>= 7
        content.append(number)
    return base64.b64encode(frame(bytes(content))).decode()


def frame(content):
    """Returns a zstd frame of uncompressed blocks (RFC 8878) that states its size."""
    blocks = [content[i:i + 2 ** 17] for i in range(0, len(content), 2 ** 17)] or [b""]
    out = b"\x28\xb5\x2f\xfd\xa0" + len(content).to_bytes(4, "little")
    for i, block in enumerate(blocks):
        header = len(block) << 3 | (i == len(blocks) - 1)
        out += header.to_bytes(3, "little") + block
    return out


def whole(detours, parts):
    numbers, end = [], 0
    for start, duration in detours:
        numbers += [(start - end) * parts, duration * parts]
        end = start + duration
    return {"n": len(detours), "parts_of_ns": parts, "packed": packed(numbers)}


def add_overlap(given, draw):
    """Adds the overlap of receives with computation to some paths, on both sides of one half, with draws of its own."""
    for path in given.get("network", []):
        if draw.random() < 0.5:
            continue
        lists = {"alone": [], "share": []}
        for size in sorted(draw.sample(SIZES, draw.choice([1, 2, 4]))):
            shares = sorted(draw.choice([0, 0.3, 0.5, 0.7, 1]) for _ in range(3))
            lists["alone"].append({"size_bytes": size, "alone_ns": {"n": 9, "mean": 1000, "quantiles": [900, 1100]}})
            lists["share"].append({"size_bytes": size, "share": {"n": 9, "mean": shares[1], "quantiles": shares}})
        path["overlap"] = {"receive": lists}


def make(seed, version, parts):
    streams = Maker(f"streaming {seed}", version)
    given = Maker(seed, version, streams).signature(parts)
    some = Maker(f"off {seed}", version)
    for core in given.get("noise", []):
        some.off_cpu(core)
    if version == 4:
        given["version"] = [4, 2]
    if "collectives" in parts:
        add_collectives(given, Maker(f"collectives {seed}", version))
    if "quanta" in parts:
        some = Maker(f"quanta {seed}", version)
        for core in given.get("noise", []):
            some.quanta(core)
    if version == 4:
        add_worth(given, random.Random(f"worth {seed}"))
        add_overlap(given, random.Random(f"overlap {seed}"))
    if "compute" in parts:
        given["compute"] = Maker(f"compute {seed}", version).compute()
    return json.dumps(given, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--version", type=int, default=4, choices=[3, 4])
    parser.add_argument("--parts", default="noise,network,collectives")
    options = parser.parse_args()
    sys.stdout.write(make(options.seed, options.version, options.parts.split(",")) + "\n")


if __name__ == "__main__":
    main()
