#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim's random results compared with known distributions, in both modes (TAP). Means and variances of R replicas lie
within 4 of their standard deviations, which follow from the cumulants; counts within 4 of a binomial distribution's.
Seeds are fixed: with other seeds a correct program would fail in about one of 10000 checks."""

import math
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
sys.dont_write_bytecode = True
from closed_forms import answer, main  # noqa: E402

SIGMAS = 4
MEAN = 2385.0
MODES = [["--absorb=none"], ["--predict", "--latency=const:0"]]
LATENCY_MODES = [["--absorb=none"], ["--predict"]]


def trace(*programs):
    """Returns a trace. PROGRAMS: for each rank, (work, 'Name args') of calls that take no time; the end follows 1000 ns
    later."""
    lines = ["#mpgtext 1", f"#ranks {len(programs)}", "#clocks shared"]
    for rank, program in enumerate(programs):
        now = 100
        lines.append(f"{rank} 0 {now} Init")
        for work, words in program:
            now += work
            lines.append(f"{rank} {now} {now} {words}")
        lines.append(f"{rank} 100000 100000 Finalize")
    return "\n".join(lines) + "\n"


def sample(text, *words, replicas=4000, seed=1):
    """Returns by how much the job is later than without draws, in each replica, and the JSON."""
    still = [word for word in words if word == "--predict" or word.startswith("--absorb")]
    if "--predict" in words:
        still.append("--latency=const:0")
    start = answer(text, *still, "--replicas=1")["run_time_ns"]["median"]
    result = answer(text, *words, f"--replicas={replicas}", f"--seed={seed}")
    return [one["run_time_ns"] - start for one in result["replicas"]], result


def hold(values, mean, variance, fourth, what):
    """FOURTH: the fourth cumulant."""
    n = len(values)
    got, spread = statistics.fmean(values), statistics.variance(values)
    allowed = SIGMAS * math.sqrt(variance / n)
    assert abs(got - mean) <= allowed, f"{what}: mean {got}, not {mean} +- {allowed}"
    allowed = SIGMAS * math.sqrt(fourth / n + 2 * variance ** 2 / (n - 1))
    assert abs(spread - variance) <= allowed, f"{what}: variance {spread}, not {variance} +- {allowed}"


def harmonic(p, power=1):
    return math.fsum(i ** -power for i in range(1, p + 1))


def largest(survival, upto):
    """Returns mean and variance of a distribution on t > 0 with this survival function, by Simpson's rule."""
    steps = 20000
    width = upto / steps
    weights = [1, *([4, 2] * (steps // 2))[:-1], 1]
    at = [(w, i * width) for i, w in enumerate(weights)]
    mean = math.fsum(w * survival(t) for w, t in at) * width / 3
    square = math.fsum(w * 2 * t * survival(t) for w, t in at) * width / 3
    return mean, square - mean ** 2


def hold_scaled(values, mean, variance, what):
    """Checks only the mean, because the fourth cumulant is not known."""
    got, allowed = statistics.fmean(values), SIGMAS * math.sqrt(variance / len(values))
    assert abs(got - mean) <= allowed, f"{what}: mean {got}, not {mean} +- {allowed}"


# --- who waits for the last ------------------------------------------------

def barriers(p, k):
    return trace(*[[(500, "Barrier")] * k] * p)


def test_barrier():
    """Each of k barriers, and the end, waits for the largest of p exponential times: mean H_p m, n-th cumulant (n - 1)!
    m^n sum 1 / i^n."""
    for mode in MODES:
        for p in (1, 2, 3, 7, 16):
            for k in (1, 10):
                values, _ = sample(barriers(p, k), *mode, f"--noise=exp:{MEAN}ns", seed=p + k)
                n = k + 1
                hold(values, n * MEAN * harmonic(p), n * MEAN ** 2 * harmonic(p, 2),
                     6 * n * MEAN ** 4 * harmonic(p, 4), f"{mode[0]}: {p} ranks, {k} barriers")


def test_a_rank_of_a_barrier():
    """A single rank's end: k of the largest times, and one of its own."""
    for mode in MODES:
        p, k, replicas = 7, 10, 4000
        _, result = sample(barriers(p, k), *mode, f"--noise=exp:{MEAN}ns", seed=3)
        start = [rank["traced_ns"] for rank in result["ranks"]]
        if "--predict" in mode:
            start = [99900] * p
        for rank, begin in zip(result["ranks"], start):
            got = rank["traced_ns"] + rank["delay_ns"]["mean"] - begin
            wanted = MEAN * (k * harmonic(p) + 1)
            allowed = SIGMAS * MEAN * math.sqrt((k * harmonic(p, 2) + 1) / replicas)
            assert abs(got - wanted) <= allowed, f"{mode[0]}: {got}, not {wanted} +- {allowed}"


def test_two_normal():
    """The larger of two normal values lies sd / sqrt(pi) above the mean, with variance sd^2 (1 - 1 / pi) and fourth
    cumulant 2 (pi - 3) sd^4 / pi^2: it is half of their sum plus half of |their difference|."""
    mean, sd = 70000.0, 3001.0
    for mode in MODES:
        values, _ = sample(barriers(2, 1), *mode, f"--noise=normal:{mean}ns,{sd}ns")
        rise, variance = sd / math.sqrt(math.pi), sd ** 2 * (1 - 1 / math.pi)
        fourth = 2 * (math.pi - 3) * sd ** 4 / math.pi ** 2
        hold(values, 2 * (mean + rise), 2 * variance, 2 * fourth, mode[0])


def test_received_together():
    """A rank that waits for messages from p ranks waits for the last one."""
    for mode in LATENCY_MODES:
        for p in (1, 2, 3, 7, 16):
            posts = [(0, f"Irecv from={r} bytes=8 request={r}") for r in range(1, p + 1)]
            wait = (0, "Waitall requests=" + ",".join(str(r) for r in range(1, p + 1)))
            text = trace(posts + [wait], *[[(0, "Send to=0 bytes=8")]] * p)
            values, _ = sample(text, *mode, f"--latency=exp:{MEAN}ns", seed=p)
            hold(values, MEAN * harmonic(p), MEAN ** 2 * harmonic(p, 2),
                 6 * MEAN ** 4 * harmonic(p, 4), f"{mode[0]}: {p} messages")


# --- chains and trees ------------------------------------------------------

def ring(p, laps):
    programs = [[] for _ in range(p)]
    for hop in range(p * laps):
        programs[hop % p].append((0, f"Send to={(hop + 1) % p} bytes=1000"))
        programs[(hop + 1) % p].append((0, f"Recv from={hop % p} bytes=1000"))
    return trace(*programs)


def test_chain():
    """Means and variances add up over hops: gamma noise, exponential latency, lognormal noise of the receiving call,
    gamma bytes. (No rank waits for a Send.)"""
    g, g_sd, q, q_sd, b, b_sd, size = 311.0, 433.0, 77.0, 93.0, 0.375, 0.25, 1000
    words = [f"--noise=gamma:{g}ns,{g_sd}ns", f"--call-noise=lognormal:{q}ns,{q_sd}ns",
             f"--latency=exp:{MEAN}ns", f"--byte=gamma:{b}ns,{b_sd}ns"]
    w = 1 + (q_sd / q) ** 2  # exp(sigma^2)
    gamma_4 = [6 * sd ** 6 / mean ** 2 for mean, sd in ((g, g_sd), (b * size, b_sd * size))]
    log_4 = q_sd ** 4 * (w ** 4 + 2 * w ** 3 + 3 * w ** 2 - 6)
    for mode in LATENCY_MODES:
        for p, laps in ((2, 1), (5, 3), (3, 20)):
            hops = p * laps
            _, result = sample(ring(p, laps), *mode, *words, seed=hops)
            start = 99900 if "--predict" in mode else result["ranks"][0]["traced_ns"]
            delay = result["ranks"][0]["delay_ns"]
            mean = hops * (g + q + MEAN + b * size) + g
            variance = (hops + 1) * g_sd ** 2 + hops * (q_sd ** 2 + MEAN ** 2 + (b_sd * size) ** 2)
            fourth = (hops + 1) * gamma_4[0] + hops * (gamma_4[1] + log_4 + 6 * MEAN ** 4)
            n = 4000
            got = result["ranks"][0]["traced_ns"] + delay["mean"] - start
            allowed = SIGMAS * math.sqrt(variance / n)
            assert abs(got - mean) <= allowed, f"{mode[0]}: {got}, not {mean} +- {allowed}"
            allowed = SIGMAS * math.sqrt(fourth / n + 2 * variance ** 2 / (n - 1))
            assert abs(delay["sd"] ** 2 - variance) <= allowed, (
                f"{mode[0]}: variance {delay['sd'] ** 2}, not {variance} +- {allowed}")


def test_tree():
    """Three messages, and two more from each receiver: the last of six arrives after the largest of 3 times L + max(L',
    L''). With m = 1, P(time <= t) = 1 - 2 t exp(-t) - exp(-2 t)."""
    children = [[(0, "Recv from=0 bytes=8")] + [(0, f"Send to={4 + 2 * c + g} bytes=8") for g in (0, 1)]
                for c in range(3)]
    leaves = [[(0, f"Recv from={1 + r // 2} bytes=8")] for r in range(6)]
    text = trace([(0, f"Send to={r} bytes=8") for r in (1, 2, 3)], *children, *leaves)
    mean, variance = largest(lambda t: 1 - (1 - 2 * t * math.exp(-t) - math.exp(-2 * t)) ** 3, 60)
    for mode in LATENCY_MODES:
        values, _ = sample(text, *mode, f"--latency=exp:{MEAN}ns")
        hold_scaled(values, MEAN * mean, MEAN ** 2 * variance, mode[0])


def test_rounds():
    """A barrier of p ranks waits for the largest of p sums of ceil(log2 p) latencies."""
    for p, rounds in ((2, 1), (4, 2), (7, 3), (16, 4)):
        def survival(t):
            above = math.exp(-t) * math.fsum(t ** i / math.factorial(i) for i in range(rounds))
            return 1 - (1 - above) ** p
        mean, variance = largest(survival, 80)
        for mode in LATENCY_MODES:
            values, _ = sample(barriers(p, 1), *mode, f"--latency=exp:{MEAN}ns", seed=p)
            hold_scaled(values, MEAN * mean, MEAN ** 2 * variance, f"{mode[0]}: {p} ranks")


def test_tail():
    """The right number of Pareto times lies above a bound, and none below the smallest value."""
    least, shape, n = 1000.0, 1.3, 8000
    text = trace([])
    for mode in MODES:
        values, _ = sample(text, *mode, f"--noise=pareto:{least}ns,{shape}", replicas=n)
        assert min(values) >= least - 1e-6
        for bound in (1500.0, 4000.0, 40000.0):
            share = (least / bound) ** shape
            count = sum(value > bound for value in values)
            allowed = SIGMAS * math.sqrt(n * share * (1 - share))
            assert abs(count - n * share) <= allowed, f"{mode[0]}: {count} above {bound}, not {n * share}"


# --- what is said of certainty ---------------------------------------------

def test_interval_of_the_median():
    """The printed 95 % interval contains the median of the run time, m ln 2, for the right part of the seeds: at least
    95 %, and at most what the order statistics used give, which is slightly more."""
    text = trace([])
    slow = os.environ.get("MPGKIT_SANITIZERS") == "yes"
    for replicas, seeds in ((64, 100 if slow else 800), (11, 100)):
        below = 0.0  # the most that may be left out on one side, in whole ranks
        for i in range(replicas):
            chance = math.comb(replicas, i) / 2 ** replicas
            if below + chance > 0.025:
                break
            below += chance
        for mode in MODES:
            held = 0
            for seed in range(seeds):
                result = answer(text, *mode, f"--noise=exp:{MEAN}ns", f"--replicas={replicas}",
                                f"--seed={1000 + seed}")
                low, high = result["run_time_ns"]["median_confidence_95"]
                held += low <= 99900 + MEAN * math.log(2) <= high
            for share, sign in ((0.95, -1), (1 - 2 * below, 1)):
                bound = seeds * share + sign * SIGMAS * math.sqrt(seeds * share * (1 - share))
                assert sign * held <= sign * bound, (
                    f"{mode[0]}, {replicas} replicas: {held} of {seeds}, not {bound}")


if __name__ == "__main__":
    main(globals())
