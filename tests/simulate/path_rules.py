# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for paths in mpgsim --where (docs/MODEL.md, section 8): rows add up to the delay or the run time, and to
other known values."""

from answers import answer, ok

WORDS = "call,callsite,region,rank,pair"
PER = ["per_latency", "per_byte", "per_compute", "per_noise"]
PUT_IN = ["computation_ns", "noise_ns", "calls_ns", "messages_ns", "collectives_ns", "order_ns"]
DELAYS = ["injected_ns", *PUT_IN, "absorbed_ns", "tracer_ns", "delay_ns", *PER]
TIMES = ["computation_ns", "noise_ns", "calls_ns", "latency_ns", "bytes_ns", "collectives_ns"]


def predicted(*arguments):
    return answer("--predict", *arguments)


def rows_of(found, by):
    return next(t["rows"] for t in found["where"]["tables"] if t["by"] == by)


def whole(rows):
    """Joins the rows of calls with those of the computation before them: sums of both."""
    found = {}
    for row in rows:
        key = str([row.get(k) for k in ("call", "callsite", "region", "rank", "from", "to")])
        if key not in found:
            found[key] = {**row, "path": dict(row["path"])} if "path" in row else dict(row)
            continue
        for mine, more in ((found[key], row), (found[key].get("path", {}), row.get("path", {}))):
            for k, value in more.items():
                if isinstance(value, (int, float)) and k not in ("rank", "from", "to") and mine[k] is not None:
                    mine[k] += value
    return list(found.values())


def shares(found, by, *names):
    """Returns the values on paths by the names of rows; without "part" calls include the computation before them."""
    rows = rows_of(found, by) if "part" in names else whole(rows_of(found, by))
    keys = [tuple(r[n] for n in names) for r in rows]
    terms = DELAYS if found["mode"] == "perturb" else ["time_ns"]
    return {k[0] if len(k) == 1 else k: r["path"] for k, r in zip(keys, rows)
            if any(r["path"][p] != 0 for p in terms)}


def near(a, b, scale=1.0):
    return abs(a - b) <= 1e-9 * max(abs(scale), 1)


def expect(name, got, expected):
    right = got.keys() == expected.keys() and all(near(got[k][p], v, v) for k, e in expected.items() for p, v in e.items())
    ok(name, right, f"{got} for {expected}")


def delays_add_up(found):
    """Returns what does not add up in any table; None: everything does."""
    total = found["where"]["total"]["path"]
    scale = max(abs(total[k]) for k in DELAYS)
    for table in found["where"]["tables"]:
        paths = [r["path"] for r in table["rows"]]
        for k in DELAYS:
            if not near(sum(p[k] for p in paths), total[k], scale):
                return table["by"], k
        if total["share"] is not None and not near(sum(p["share"] for p in paths), 1, max(abs(p["share"]) for p in paths)):
            return table["by"], "share"
        for p in paths:
            if not near(sum(p[k] for k in PUT_IN), p["injected_ns"], scale) or \
                    not near(p["injected_ns"] - p["absorbed_ns"] - p["tracer_ns"], p["delay_ns"], scale):
                return table["by"], p
    return None


def is_delay(given):
    """Returns, for one replica, a path that is not the difference between the longest rank's run and the recorded one;
    None: there is none."""
    for seed in range(1, 4):
        found = answer(*given, "--replicas=1", f"--seed={seed}", "--where=rank", "random.txt")
        total = found["where"]["total"]["path"]
        longest = max(found["ranks"], key=lambda r: r["traced_ns"] + r["delay_ns"]["median"])
        run_ns = found["run_time_ns"]["median"]
        if not near(longest["recorded_ns"] + total["delay_ns"], run_ns, max(run_ns, *(abs(total[k]) for k in DELAYS[:10]))):
            return total, longest, run_ns
    return None


def times_add_up(found):
    """Returns what does not add up in any table; None: everything does."""
    total, run_ns = found["where"]["total"]["path"], found["run_time_ns"]["mean"]
    if not near(total["time_ns"], run_ns, run_ns):
        return total, run_ns
    for table in found["where"]["tables"]:
        paths = [r["path"] for r in table["rows"]]
        for k in ["time_ns", "share", *TIMES, *PER]:
            if not near(sum(p[k] for p in paths), total[k], max(total[k], run_ns if k.endswith("ns") else 1)):
                return table["by"], k
        for p in paths:
            if not near(sum(p[k] for k in TIMES), p["time_ns"], run_ns):
                return table["by"], p
    return None


def is_critical(*arguments):
    """Returns the difference from --where=path, for one replica."""
    found = predicted(*arguments, "--replicas=1", "--where=call,callsite,region,rank", "--where=path", "--where=segments=0")
    path = found["critical_path"]
    for mine, other in zip(found["where"]["tables"], path["tables"]):
        name = lambda r: str([r.get(k) for k in ("call", "part", "callsite", "region", "rank")])
        a, b = ({name(r): of(r) for r in t["rows"]} for t, of in ((mine, lambda r: r["path"]), (other, lambda r: r)))
        for k in a.keys() | b.keys():
            x, y = a.get(k), b.get(k, dict.fromkeys(["time_ns", "messages", "bytes", *TIMES], 0))
            if x is None or any(not near(x[p], y[p], path["run_ns"]) for p in ["time_ns", *TIMES]) or \
                    not near(x["per_latency"], y["messages"]) or not near(x["per_byte"], y["bytes"], y["bytes"]):
                return mine["by"], k, x, y
    total = found["where"]["total"]["path"]
    wrong = [s for s in path["sensitivity"] if not near(total[f"per_{s['parameter']}"], s["derivative"], s["derivative"])]
    return wrong or None
