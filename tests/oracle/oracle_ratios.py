# SPDX-License-Identifier: GPL-3.0-or-later
"""The ratio of computation times on the target and on the traced machine, outside of regions and in them
(docs/MODEL.md, Decisions, rho)."""

from oracle_exact import Fraction
from oracle_trace import OracleError, mark_region


def rate(signature, kernel):
    """Returns the mean over the cores of the mean rates that were measured with the most cores at once."""
    some = [one for one in signature.compute if one["kernel"] == kernel] if signature else []
    if not some:
        raise OracleError(f"no rate of {kernel}")
    most = max(one["cores_at_once"] for one in some)
    means = [one["rate_per_s"]["mean"] for one in some if one["cores_at_once"] == most]
    return sum(means) / len(means)


class Ratios:
    """Options R, R@REGION, kernel:NAME and kernel:NAME@REGION."""

    def __init__(self, given, target, source):
        self.outside, self.inside = Fraction(1), {}
        for text in given:
            ratio, at, region = text.partition("@")
            if ratio.startswith("kernel:"):
                kernel = ratio.removeprefix("kernel:")
                value = Fraction(rate(source, kernel) / rate(target, kernel))
            else:
                value = Fraction(ratio)
            if at:
                self.inside[region] = value
            else:
                self.outside = value

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
