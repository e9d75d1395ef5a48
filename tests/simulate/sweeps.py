# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares each row of mpgsim's tables with a separate run.

sweeps.py MPGSIM rows OPTION... TRACE: prints what differs, a line each, and the number of rows.

sweeps.py MPGSIM key NAME OPTION... TRACE: prints the key NAME ("slowdown" ...) of each row, or of the whole table."""
import json
import subprocess
import sys

SAME = ("recorded_run_time_ns", "traced_run_time_ns", "run_time_ns", "slowdown_median", "options",
        "attention", "assumptions")


def answer(program, options):
    run = subprocess.run([program, "--json", *options], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(options)}: exit {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def without_swept(options, factors):
    """Returns the options of a separate run, without those for swept values."""
    drop = ("--sweep", "--signature") if sum(o.startswith("--signature=") for o in options) > 1 else ("--sweep",)
    return [o for o in options if not o.startswith(drop) and o.split("=")[0] not in factors]


def times(text, factor):
    """Returns a distribution such as exp:2us multiplied by FACTOR."""
    text, at, ranks = text.partition("@")
    family, _, parameters = text.partition(":")
    unit = {"ns": 1, "us": 1e3, "ms": 1e6}
    values = [factor * (float(p[:-2]) * unit[p[-2:]]) for p in parameters.split(",")]
    scaled = "const:0ns" if factor == 0 else family + ":" + ",".join("%.17gns" % v for v in values)
    return scaled + at + ranks


def option(name, unit, value, given):
    if unit == "ns":
        return [f"--{name}=const:{value:.17g}ns"]
    if unit == "factor":
        return [f"--{name}={times(text, value)}" for text in given[f"--{name}"]]
    return [f"--{name}={value:.17g}" if unit else f"--{name}={value}"]


def rows(program, options):
    table = answer(program, options)
    trace, given = options[-1], {}
    for o in options[:-1]:
        given.setdefault(o.partition("=")[0], []).append(o.partition("=")[2])
    units = {p["name"]: p["unit"] for p in table["parameters"]}
    factors = ["--" + name for name, unit in units.items() if unit == "factor"]
    for row in table["rows"]:
        alone = without_swept(options[:-1], factors)
        for name, value in row["values"].items():
            alone += option(name, units[name], value, given)
        whole = answer(program, [*alone, trace])
        for key in SAME:
            if row[key] != whole[key]:
                print(f"row {row['row']}: {key}: {row[key]}, by itself {whole[key]}: {' '.join(alone)}")
        if row["replicas_run_time_ns"] != [r["run_time_ns"] for r in whole["replicas"]]:
            print(f"row {row['row']}: its replicas: {' '.join(alone)}")
    print(len(table["rows"]))


def find(node, name):
    for key in name.split("."):
        node = node[int(key)] if isinstance(node, list) else node[key]
    return format(node, ".10g") if isinstance(node, (int, float)) else str(node)


def key(program, name, options):
    table = answer(program, options)
    print(find(table, name) if name in table else
          " ".join(find(row, name) for row in table["rows"]))


if __name__ == "__main__":
    if sys.argv[2] == "rows":
        rows(sys.argv[1], sys.argv[3:])
    else:
        key(sys.argv[1], sys.argv[3], sys.argv[4:])
