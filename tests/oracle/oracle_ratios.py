# SPDX-License-Identifier: GPL-3.0-or-later
"""The ratio of computation times on the target and on the traced machine, outside of regions and in them
(docs/MODEL.md, Decisions, rho)."""

from collections import Counter

from oracle_exact import Fraction
from oracle_trace import OracleError, mark_region


def rate(signature, kernel, busy):
    """Returns the mean over the cores of the mean rates with BUSY cores at once, as the most that were measured if BUSY is None or
    more; between two measured numbers the time of a unit of work is linear."""
    some = [one for one in signature.compute if one["kernel"] == kernel] if signature else []
    if not some:
        raise OracleError(f"no rate of {kernel}")

    def measured(number):
        means = [one["rate_per_s"]["mean"] for one in some if one["cores_at_once"] == number]
        return sum(means) / len(means)
    numbers = sorted({one["cores_at_once"] for one in some})
    if busy is None or busy >= numbers[-1] or busy <= numbers[0]:
        return measured(numbers[-1] if busy is None or busy >= numbers[-1] else numbers[0])
    above = next(number for number in numbers if number >= busy)
    below = max((number for number in numbers if number < busy))
    part = (busy - below) / (above - below)
    return 1 / ((1 - part) / measured(below) + part / measured(above))


def fullest(nodes):
    """Returns the number of ranks on the node that has most of NODES, the node of each rank; None: unknown."""
    return max(Counter(nodes).values()) if nodes else None


class Ratios:
    """Options R, R@REGION, kernel:NAME and kernel:NAME@REGION."""

    def __init__(self, given, target, source):
        self.given, self.target, self.source = given, target, source
        self.outside, self.inside = Fraction(1), {}
        self.place(None, None)

    def place(self, were, are):
        """Ranks WERE on these nodes of the source, and ARE on these of the target; None: unknown."""
        for text in self.given:
            ratio, at, region = text.partition("@")
            if ratio.startswith("kernel:"):
                kernel = ratio.removeprefix("kernel:")
                value = Fraction(rate(self.source, kernel, fullest(were)) / rate(self.target, kernel, fullest(are)))
            else:
                value = Fraction(ratio)
            if at:
                self.inside[region] = value
            else:
                self.outside = value

    def place_by(self, source_places, places, hosts):
        """As place(), by --source=map and --map (None: not given), and the traced HOSTS of the ranks."""
        hosts = hosts if any(hosts) else None
        were = source_places.nodes if source_places else hosts
        self.place(were, places.nodes if places else were)

    def are_one(self):
        return all(one == 1 for one in [self.outside, *self.inside.values()])

    def in_force(self, regions):
        return next((self.inside[one] for one in reversed(regions) if one in self.inside),
                    self.outside)

    def __call__(self, begin, end, between):
        """Returns the ratio for a compute interval from one traced time to another."""
        regions, now, total = list(between.regions), begin, Fraction(0)
        for time, name in between.marks:
            time = min(max(time, begin), end)
            total += (time - now) * self.in_force(regions)
            now = time
            mark_region(regions, name)
        total += (end - now) * self.in_force(regions)
        return total / (end - begin) if end > begin else self.in_force(regions)
