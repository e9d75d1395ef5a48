# SPDX-License-Identifier: GPL-3.0-or-later
"""The oracle's view of a signature (mpgsig(5), versions 3 and 4): distributions as functions of a probability, by
message size and launch, and rows of successive messages (docs/MODEL.md, section 3)."""

import base64
import bisect
import functools
import json
import math
import subprocess

from oracle_fits import nearest
from oracle_tails import complete_tails

FIT = "the fitted family"  # in place of a launch
MEETINGS = {"barrier", "allreduce", "allgather", "alltoall", "reduce_scatter"}
PATHS = ["core complex", "node", "between nodes"]


class Distribution:
    """A distribution: the quantile as a function of the probability, linear between knots."""

    def __init__(self, given):
        self.quantiles = given["quantiles"]
        knots = len(self.quantiles)
        self.probabilities = given.get(
            "probabilities", [i / (knots - 1) for i in range(knots)])

    def __call__(self, u):
        p, x = self.probabilities, self.quantiles
        if u <= 0:
            return x[0]
        if u >= 1:
            return x[-1]
        above = bisect.bisect_right(p, u)
        p0, p1 = p[above - 1], p[above]
        return x[above - 1] + (x[above] - x[above - 1]) * (u - p0) / (p1 - p0)


class Quantity:
    """A quantity: its distribution and, if they are stored, those of its launches."""

    def __init__(self, given, key):
        self.pooled = Distribution(given[key])
        self.launches = [Distribution(one) for one in given.get("launches", [])]
        complete_tails(given[key], self.launches)
        self.fit = nearest(given[key])

    def at(self, launch, u):
        """LAUNCH: a fraction of the launches, None for all together, or FIT."""
        if launch is FIT:
            return self.fit(u)
        if launch is None or not self.launches:
            return self.pooled(u)
        return self.launches[math.floor(launch * len(self.launches))](u)


class Sizes:
    """A quantity at several message sizes."""

    def __init__(self, elements, key, eager_limit=None):
        self.eager_limit = eager_limit or 0
        self.sizes = [element["size_bytes"] for element in elements]
        self.logs = [math.log2(size + 1) for size in self.sizes]
        self.quantities = [Quantity(element, key) for element in elements]
        self.rows = [read_rows(element.get("rows")) for element in elements]

    def __bool__(self):
        return bool(self.sizes)

    def above(self, least):
        """Returns the sizes above LEAST."""
        some = Sizes([], "")
        first = bisect.bisect_right(self.sizes, least)
        some.sizes, some.quantities = self.sizes[first:], self.quantities[first:]
        some.logs, some.rows = self.logs[first:], self.rows[first:]
        some.eager_limit = self.eager_limit
        return some

    def __call__(self, launch, size_bytes, u):
        """Interpolates linearly in d between the sizes of a protocol; constant outside."""
        n = bisect.bisect_right(self.sizes, size_bytes)
        if n == 0 or n == len(self.sizes):
            return self.quantities[max(n - 1, 0)].at(launch, u)
        a, d, b = self.sizes[n - 1], size_bytes, self.sizes[n]
        if d > a and 0 < self.eager_limit and a <= self.eager_limit < b:
            return self.quantities[n - 1 if d <= self.eager_limit else n].at(launch, u)
        low, high = self.quantities[n - 1].at(launch, u), self.quantities[n].at(launch, u)
        return low + (high - low) * (d - a) / (b - a)

    def bound(self, bounds, most=math.inf):
        """Limits the quantiles. BOUNDS: times, and those whose slope continues them; MOST: bytes."""
        for size, quantity in zip(self.sizes, self.quantities):
            if size > most:
                return
            n = len(quantity.launches)
            ours = [(None, quantity.pooled)] + [((i + 0.5) / n, one) for i, one in enumerate(quantity.launches)]
            for launch, one in ours:
                for times, slope in bounds:
                    one.quantiles = [min(x, times.onwards(launch, size, p, slope))
                                     for x, p in zip(one.quantiles, one.probabilities)]

    def onwards(self, launch, size_bytes, u, of):
        """Returns the value; above the largest size with the slope of other sizes."""
        value, beyond = self(launch, size_bytes, u), size_bytes - self.sizes[-1]
        return value + beyond * of.slope() if beyond > 0 and len(of.sizes) > 1 else value

    def slope(self):
        """Returns the slope of the medians at the two largest sizes; not below 0."""
        low, high = (quantity.at(None, 0.5) for quantity in self.quantities[-2:])
        return max(0.0, (high - low) / (self.sizes[-1] - self.sizes[-2]))

    def rows_near(self, size_bytes):
        """Returns the rows of the size nearest in log2(d + 1), or None."""
        at = math.log2(size_bytes + 1)
        near = min(range(len(self.sizes)),
                   key=lambda i: (abs(self.logs[i] - at), i))
        return self.rows[near]


ALPHABET = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
            "0123456789+/")


def read_rows(given):
    """Returns rows of probabilities (k + 1/2) / N, with the k of a class distributed over it, or None."""
    if not given:
        return None
    classes = [ALPHABET.index(letter) for letter in given["classes"]]
    u, base = [0.0] * len(classes), 0
    for one in sorted(set(classes)):
        places = [i for i, other in enumerate(classes) if other == one]
        n = len(places)
        step = max(1, (n * 618 + 999) // 1000)
        while math.gcd(step, n) > 1:
            step += 1
        for j, i in enumerate(places):
            u[i] = (base + (j * step + step // 2) % n + 0.5) / len(classes)
        base += n
    length = given["length"]
    return [u[i:i + length] for i in range(0, len(u), length)]


def u_in_row(rows, v, k, y):
    """Returns the probability of message k, by the draw v for the begin of its row and its own draw y."""
    length = len(rows[0])
    i = int(v * len(rows))
    begin = int((v * len(rows) - i) * length)
    return rows[i][(begin + k) % length] + (y - 0.5) / (len(rows) * length)


def unpacked(text):
    """Decodes packed numbers (mpgsig(5)): Base64, zstd, LEB128."""
    numbers, number, shift = [], 0, 0
    for byte in unframed(base64.b64decode(text)):
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    return numbers


def unframed(frame):
    """Returns the content of a zstd frame: of uncompressed blocks, or by the program zstd."""
    if frame[:5] != b"\x28\xb5\x2f\xfd\xa0" or frame[9] & 6:
        return subprocess.run(["zstd", "-dcq"], input=frame, check=True,
                              capture_output=True).stdout
    content, at, last = b"", 9, 0
    while not last:
        header = int.from_bytes(frame[at:at + 3], "little")
        content += frame[at + 3:at + 3 + (header >> 3)]
        at, last = at + 3 + (header >> 3), header & 1
    return content


class Path:
    """One class of path between processes."""

    def __init__(self, given):
        self.name = given["path"]
        self.eager_limit = given.get("eager_limit_bytes")
        self.latency = Sizes(given.get("latency", []), "one_way_ns", self.eager_limit)
        self.transfer = Sizes(given.get("bandwidth", []), "transfer_ns", self.eager_limit)
        self.sender = Sizes(given.get("sender", []), "send_ns", self.eager_limit)
        receive = given.get("overlap", {}).get("receive", {})
        self.overlap = Sizes(receive.get("share", []), "share", self.eager_limit)
        self.streaming = Sizes(given.get("streaming", []), "message_ns", self.eager_limit)
        self.send_overhead = Sizes(given.get("send_overhead", []), "send_ns", self.eager_limit)
        self.receive_overhead = Sizes(
            given.get("receive_overhead", []), "receive_ns", self.eager_limit)

        self.bound()

    def bound(self):
        """Limits overheads to the times that contain them, at each size and knot."""
        whole = self.latency or self.transfer
        slope = self.transfer if len(self.transfer.sizes) > 1 else whole
        ways = [(whole, slope)] if whole else []
        streams = [(self.streaming, self.streaming)] if self.streaming else []
        self.send_overhead.bound(ways + streams)
        self.receive_overhead.bound(ways)
        if not self.send_overhead:
            self.sender.bound(ways + streams, -1 if self.eager_limit is None else self.eager_limit)

    def flight(self, launch, size_bytes, u):
        """Returns X(d; u), above the largest size with a slope."""
        sizes = self.latency.sizes
        value = self.latency(launch, size_bytes, u)
        if size_bytes <= sizes[-1]:
            return value
        return value + (size_bytes - sizes[-1]) * self.slope()

    def slope(self):
        for sizes in (self.transfer, self.latency):
            if len(sizes.sizes) >= 2:
                return sizes.slope()
        return 0.0

    def transfer_only(self, launch, size_bytes, u):
        """Returns the time that transfers of d bytes take more than those of the smallest size."""
        sizes = self.transfer.above(0)
        if not sizes or size_bytes <= 0:
            return 0.0
        value = sizes(launch, size_bytes, u)
        return max(0.0, value - sizes(launch, sizes.sizes[0], u))


class Signature:
    """A machine: its paths by class, its collectives, its cores."""

    def __init__(self, text):
        given = json.loads(text)
        self.paths = {path["path"]: Path(path) for path in given.get("network", [])}
        self.farthest = next((self.paths[name] for name in reversed(PATHS) if name in self.paths), None)
        self.cores = given.get("noise", [])
        self.compute = given.get("compute", [])
        self.collectives = {}
        for one in given.get("collectives", []):
            self.collectives.setdefault(
                (one["operation"], one["processes"]), []).append(one)
        for key, elements in self.collectives.items():
            elements.sort(key=lambda one: one["size_bytes"])
            self.collectives[key] = Sizes(elements, "time_ns")

        self.reductions = sorted((one for one in given.get("reductions", []) if one["operation"] == "reduce_local"),
                                 key=lambda one: (one["processes"], one["size_bytes"]))

    def reduction(self, size_bytes):
        """Returns the time of reducing so many bytes, measured with the largest number of ranks at once."""
        if not self.reductions or size_bytes <= 0:
            return 0
        most = self.reductions[-1]["processes"]
        points = [(one["size_bytes"], Distribution(one["time_ns"])(0.5)) for one in self.reductions
                  if one["processes"] == most]
        if size_bytes <= points[0][0]:
            return points[0][1]
        if len(points) == 1:
            return points[0][1] * (size_bytes / points[0][0]) if points[0][0] else points[0][1]
        (a, low), (b, high) = next(((x, y) for x, y in zip(points, points[1:]) if size_bytes <= y[0]), points[-2:])
        slope = (high - low) / (b - a)
        if size_bytes > b:
            return high + (size_bytes - b) * max(0.0, slope)
        return low + (size_bytes - a) * slope

    def path(self, name):
        """Returns the path of this class, or else the farthest."""
        return self.paths.get(name, self.farthest)

    @staticmethod
    def median(given):
        return Distribution(given)(0.5)

    def has_near(self, operation, p, size_bytes):
        """Returns whether the signature has measured such a collective of all members."""
        sizes = self.collectives.get((operation, p))
        return bool(operation in MEETINGS and p > 1 and sizes and sizes.sizes[0] <= size_bytes <= sizes.sizes[-1])

    def processes(self, operation):
        return {p for kind, p in self.collectives if kind == operation and p > 1}


@functools.lru_cache(4)
def signature_of(text):
    return Signature(text)


def read_signature(path):
    with open(path, encoding="utf-8") as file:
        return signature_of(file.read())
