#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of growth (TAP): mpgscale --json compared with tests/scale/growth.py on synthetic profiles; how often noise is
named growth, and how often real growth is. The environment variable MPGSCALE names the program, GROWTH_TRIALS the
number of experiments for these rates (default 20)."""

import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import growth  # noqa: E402
import profiles  # noqa: E402

CALLS = profiles.calls(os.path.join(HERE, "..", "..", "trace", "calls.def"))
NAMES = ["Wait", "Waitall", "Send", "Recv", "Bcast", "Allreduce", "Barrier", "Alltoall"]
COUNT = [0]


def ok(right, name, note=""):
    COUNT[0] += 1
    print(f"{'ok' if right else 'not ok'} {COUNT[0]} - {name}", flush=True)
    if not right and note:
        print("\n".join("# " + line for line in str(note).splitlines()))


def write_run(path, ranks, times_ns):
    """TIMES_NS: mean time of a rank at each call site."""
    sites = [((0, 16 * i + 16),) for i in range(len(times_ns))]
    def rows(rank):
        # Ranks differ, the sum is N times the average.
        tilt = 0 if ranks == 1 else (rank - (ranks - 1) / 2) / ranks
        result = [(CALLS["Init"], -1, 1, 5, 5, 5)]
        for i, t in enumerate(times_ns):
            own = int(t * (1 + 0.5 * tilt))
            result.append((CALLS[NAMES[i % len(NAMES)]], i, 1, own, own, own))
        return result
    run_ns = int(3 * sum(times_ns)) + 10**7
    profiles.write(path, ranks, run_ns, rows, sites, facts=[("program", "./made")])
    return {i: sum(row[3] for rank in range(ranks) for row in rows(rank) if row[1] == i) / ranks
            for i in range(len(times_ns))}


def experiment(folder, counts, repetitions, functions, noise, rng):
    """Writes the files of runs; returns them and the points (N, time of a rank) of each call site."""
    paths, points = [], {i: [] for i in range(len(functions))}
    for n in counts:
        for repetition in range(repetitions):
            path = os.path.join(folder, f"{n}-{repetition}.mpgt")
            times = [f(n) * rng.lognormvariate(0, s) for f, s in zip(functions, noise)]
            for i, value in write_run(path, n, times).items():
                points[i].append((n, value))
            paths.append(path)
    return paths, points


def scale(paths, *options):
    done = subprocess.run([os.environ["MPGSCALE"], "--json", "--threshold=0", *options, *paths],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"rows": [], "why": done.stderr}
    return json.loads(done.stdout)


def site_of(row):
    return int(row["name"].rsplit("+", 1)[1], 16) // 16 - 1


def differs(ours, theirs):
    """Returns where THEIRS, mpgscale's result, differs from OURS."""
    wrong = []
    for key, value in ours.items():
        got = theirs.get(key)
        if isinstance(value, dict):
            wrong += [f"{key}.{w}" for w in differs(value, got or {})]
        elif isinstance(value, float) and isinstance(got, (int, float)):
            if abs(got - value) > 1e-6 * max(abs(value), abs(got)) + 1e-9:
                wrong.append(f"{key}: {got} instead of {value}")
        elif value != got:
            wrong.append(f"{key}: {got} instead of {value}")
    return wrong


def shape(rng):
    i, d, j = rng.choice(growth.RISING + growth.FALLING)
    c = rng.choice([0, 0.3, 5, 40]) * 1e6
    a = rng.uniform(0.05, 3) * 1e6 / max(1, growth.term((i, d, j), 20)) ** rng.uniform(0, 1)
    return lambda n: 1000 + c + a * growth.term((i, d, j), n)


def test_against_second(folder, rng):
    wrong, seen = [], {}
    for counts, repetitions in (((2, 4, 8, 16, 32), 1), ((2, 4, 8, 16), 3), ((4, 9, 16, 25, 36), 2), ((3, 7, 20), 4)):
        functions = [shape(rng) for _ in range(7)] + [lambda n: 3.1e6] * 3
        noise = [rng.choice([0.001, 0.02, 0.1, 0.3]) for _ in functions]
        paths, points = experiment(folder, counts, repetitions, functions, noise, rng)
        rows = scale(paths)["rows"]
        if len(rows) != len(functions):
            wrong.append(f"{counts}: {len(rows)} rows")
        for row in rows:
            expected = growth.model(points[site_of(row)])
            seen[expected["verdict"]] = seen.get(expected["verdict"], 0) + 1
            wrong += [f"{counts} x {repetitions}, {row['name']}: {w}" for w in differs(expected, row["model"])]
            order = row["model"]["order"]
            if not order["low"] <= order["value"] <= order["high"]:
                wrong.append(f"{row['name']}: order {order}")
    ok(not wrong, "shapes, coefficients, errors, p, spread and order are those of the second implementation",
       "\n".join(wrong[:12]))
    ok({"grows", "falls", "constant"} <= set(seen), f"... of {seen}")


def test_order_of_files(folder, rng):
    functions = [lambda n: 2e5 * n, lambda n: 5e6, lambda n: 1e6]
    paths, _ = experiment(folder, (2, 4, 8, 16), 3, functions, [0.3] * 3, rng)
    def models(*args):
        return {row["name"]: row["model"] for row in scale(*args)["rows"]}
    first = models(paths, "--project=256")
    mixed = paths[:]
    rng.shuffle(mixed)
    ok(first and models(mixed, "--project=256") == first, "the order of files changes nothing, drawn or not")
    ok(models(paths, "--project=256", "--seed=2") != first, "another seed draws anew")
    inside = all(m["projected"]["low"] <= m["projected"]["value"] <= m["projected"]["high"] for m in first.values())
    ok(inside and all(m["project"] == 256 for m in first.values()), "projections have their intervals")


def test_constants(folder, rng):
    for repetitions in (1, 3):
        functions = [lambda n: 4.77e6] * 100
        paths, _ = experiment(folder, (2, 4, 8, 16, 32), repetitions, functions, [0.3] * 100, rng)
        rows = scale(paths)["rows"]
        named = [row["name"] for row in rows if row["model"].get("verdict") == "grows"]
        ok(len(rows) == 100 and len(named) <= 2, f"of 100 constant callsites with 30 % noise, {repetitions} run(s) of "
           f"each count: {len(named)} named as growing", named)


def test_rates(folder, rng, trials):
    functions = [lambda n: 1e5 * n, lambda n: 5e6, lambda n: 1e6]
    for repetitions, least in ((1, 0.95), (3, 0.99)):
        right = modelled = 0
        for _ in range(trials):
            paths, _ = experiment(folder, (2, 4, 8, 16, 32), repetitions, functions, [0.3] * 3, rng)
            rows = {site_of(row): row for row in scale(paths)["rows"]}
            right += [rows[i]["grows"] for i in range(3)] == ["yes", "no", "no"] if len(rows) == 3 else 0
            modelled += [rows[i]["model"]["verdict"] in ("grows", "grows?") for i in range(3)][:1] == [True]
        ok(right >= least * trials, f"0.1 N grows, 5 and 1 ms do not, 30 % noise, {repetitions} run(s): {right} of {trials}")
        ok(modelled >= 0.95 * trials, f"... its model grows (perhaps): {modelled} of {trials}")


def test_dominating(folder, rng):
    """A call site with almost all of the communication, or up to three with most of it together, whose part cannot
    rise, dominates if a rank's time in it grows; it does not if the time is constant, if other sites have more, or if
    its part grows."""
    counts = (4, 9, 16, 25)

    def said(functions, noise=0.03, *options):
        paths, _ = experiment(folder, counts, 3, functions, [noise] * len(functions), rng)
        rows = {site_of(row): row for row in scale(paths, *options)["rows"]}
        text = subprocess.run([os.environ["MPGSCALE"], *options, *paths], capture_output=True, text=True, check=False)
        head = [line for line in text.stdout.splitlines() if line.startswith("dominates ")]
        return {i for i, row in rows.items() if row["dominates"]}, rows, head

    # 47.7 N beside 2.385 N: 95.2 % at all counts.
    which, rows, head = said([lambda n: 47.7e6 * n, lambda n: 2.385e6 * n])
    ok(which == {0} and rows[0]["grows"] == "no" and abs(rows[0]["share_last"] - 0.952) < 0.02 and
       len(head) == 1 and "Wait:app+0x10: 9" in head[0], "95 % at all counts, and N times as long: dominates", head)
    which, rows, _ = said([lambda n: 47.7e6 * n, lambda n: 2.385e6 * n], 0.03, "--grows")
    ok(which == {0} and set(rows) == {0}, "... which --grows shows", rows.keys())
    which, rows, _ = said([lambda n: 47.7e6 * n])
    ok(which == {0} and rows[0]["correlation"]["r_s"] is None, "... with nothing beside it, where r_s is undefined")
    which, rows, _ = said([lambda n: 4.77e6 * n, lambda n: 5.5e6 * n, lambda n: 2.385e6])
    ok(which == {1}, "46 % that grow are not most of it, 53 % beside them are", which)
    which, rows, head = said([lambda n: 18.1e6 * n, lambda n: 16.9e6 * n, lambda n: 2.385e6 * n, lambda n: 9.1e6 * n])
    ok(which == {0, 1} and len(head) == 2, "39 % and 36 % that grow dominate together, the 20 % behind them do not", which)
    which, rows, _ = said([lambda n: 60e6 * n**0.15, lambda n: 95e6, lambda n: 8e6], 0.01)
    ok(which == {0}, "of two that have most of it only the one that grows", which)
    which, _, _ = said([lambda n: 47.7e6 * n] + [lambda n: 4.77e6 * n] * 11)
    ok(not which, "47 % and several of 5 % do not dominate together", which)
    which, _, _ = said([lambda n: 7.3e6 * n] * 3 + [lambda n: 6.9e6 * n] * 4)
    ok(not which, "where no three callsites have half of it none dominates", which)
    which, rows, _ = said([lambda n: 47.7e6 * n, lambda n: 2.385e6 * n], 0.03, "--metric=time")
    ok(not which and rows[0]["grows"] == "yes", "of times, which can grow on, none dominates", rows[0]["grows"])
    which, rows, _ = said([lambda n: 1e6 * n * n, lambda n: 47.7e6])
    ok(not which and rows[0]["grows"] == "yes", "what grows in its part is said to grow", which)
    false = sum(bool(said([lambda n: 47.7e6, lambda n: 2.385e6], 0.3)[0]) for _ in range(40))
    ok(false <= 1, "95 % of the communication with 30 % noise, constant: named in at most 1 of 40 tables", false)


def main():
    rng = random.Random(2385)
    with tempfile.TemporaryDirectory() as folder:
        test_against_second(folder, rng)
        test_order_of_files(folder, rng)
        test_constants(folder, rng)
        test_dominating(folder, random.Random(15))
        test_rates(folder, rng, int(os.environ.get("GROWTH_TRIALS", "20")))
    print(f"1..{COUNT[0]}")


main()
