#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every result table of every program, with names that are hard to print (TAP): invalid UTF-8, quotes, line ends,
commas, formulas of spreadsheets. No program refuses them, no row is missing, and text, JSON and CSV show the same name,
escaped as in common/printable.h. The environment variables MPGSIM, MPGTRACE and MPGSCALE name the programs, top_srcdir
the sources."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import finish, ok

PROGRAMS = {name: os.environ.get(name.upper(), f"./{name}") for name in ("mpgsim", "mpgtrace", "mpgscale")}
SOURCE = os.environ.get("top_srcdir", ".")
# a region's name as in mpgtext(5), and as it is shown; the name of a function whose file's name begins likewise
WRITTEN = '=1+2\\",\\x1b\\xffb'
SHOWN = '=1+2",\\x1b\\xffb'
SITE = "=f<&>"
# the name of a file
FILE = b"=a',\xffb\"\n"
FILE_SHOWN = "=a',\\xffb\"\\n"


def trace(ranks, work):
    """Returns a trace: ranks compute in a region, send to the next rank and meet in a barrier."""
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", "#comm 0 = " + " ".join(map(str, range(ranks))),
             f'#module 1 = - "python:{SITE}:/no/=where,.py"', "#site 1 = 1+0x10"]
    for r in range(ranks):
        time = 1000 + work
        lines += [f"{r} 0 1000 Init", f'{r} 1100 1100 Region_begin name="{WRITTEN}"',
                  f"{r} {time} {time + 10} Isend comm=0 to={(r + 1) % ranks} tag=1 bytes=2385 request=1 site=1",
                  f"{r} {time + 20} {time + 500} Recv comm=0 from={(r - 1) % ranks} tag=1 bytes=2385 site=1",
                  f"{r} {time + 500} {time + 520} Wait requests=1 site=1",
                  f"{r} {time + 600 + 70 * r} {time + 1900} Barrier comm=0",
                  f'{r} {time + 2000} {time + 2000} Region_end name="{WRITTEN}"',
                  f"{r} {time + 2100} {time + 2110} Finalize"]
    return "\n".join(lines) + "\n"


def strings(value):
    """Returns all strings in JSON, keys included."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*(strings(v) for v in value.values()), value.keys())
    return set().union(*map(strings, value)) if isinstance(value, list) else set()


def rows_of(text):
    """Returns the rows of a CSV text, or [] if they differ in their number of fields."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    return rows if len({len(row) for row in rows}) == 1 else []


def holds(text, form, wanted):
    """Returns whether an output of this FORM contains the names WANTED."""
    if form == "json":
        found = strings(json.loads(text))
    elif form == "csv":
        found = {field for row in rows_of(text) for field in row}
        return bool(found) and all("'" * name.startswith("=") + name in found for name in wanted)
    else:
        return all(name in text for name in wanted)
    return all(name in found for name in wanted)


def check(folder, form, wanted, program, *words):
    words = [*words, *([f"--{form}"] if form != "text" and not any(b"--export" in w for w in map(os.fsencode, words)) else [])]
    done = subprocess.run([PROGRAMS[program], *words], capture_output=True, check=False, cwd=folder,
                          env={**os.environ, "MPGKIT_HISTORY": ""})
    name = f"{program} " + " ".join(os.fsdecode(w).encode("utf-8", "replace").decode().replace("\n", "?") for w in words)
    try:
        text = done.stdout.decode("utf-8")
        good = done.returncode == 0 and all(c == "\n" or c >= " " for c in text) and holds(text, form, wanted)
    except ValueError as error:  # invalid UTF-8, JSON or CSV
        text, good = str(error), False
    ok(f"{form}: {name}", good, f"{done.returncode} {done.stderr[:300]!r} {text[:1500]!r}")


def check_trace(folder, path):
    for form in ("text", "json"):
        check(folder, form, [SHOWN, FILE_SHOWN, f"{SITE} (=where,.py:16)"], "mpgtrace", "stat", "--callsites", "--ranks", path)
    for by, wanted in (("call", []), ("callsite", [f"{SITE} (=where,.py:16)"]), ("region", [SHOWN]), ("rank", [])):
        for form in ("text", "json", "csv"):
            check(folder, form, wanted + [FILE_SHOWN] * (form != "csv"), "mpgtrace", "waits", f"--by={by}", path)
    for form in ("text", "json", "csv"):
        check(folder, form, [f"{SITE} (=where,.py:16)"] + [FILE_SHOWN] * (form != "csv"), "mpgtrace", "compare",
              *(["--all"] if form == "text" else []), path, path)
        check(folder, form, [SHOWN] if form != "text" else [SHOWN, FILE_SHOWN], "mpgtrace", "critical-path",
              *(["--by=region"] if form != "json" else []), path)
    check(folder, "csv", [SHOWN, f"{SITE} (=where,.py:16)"], "mpgtrace", "print", path)
    for table in ("matrix", "sizes"):
        for form in ("text", "json", "csv"):
            check(folder, form, [FILE_SHOWN] * (form != "csv"), "mpgtrace", table, path)


def check_one(folder, path):
    """Checks mpgsim with one scenario."""
    perturbed = ["--cache=fresh", "--noise=exp:7us", "--latency=const:1us", "--replicas=3"]
    where = {"region": SHOWN, "callsite": f"{SITE} (=where,.py:16)"}
    for form in ("text", "json"):
        check(folder, form, [FILE_SHOWN, *where.values()], "mpgsim", *perturbed, "--where=call,callsite,region,rank,pair", path)
        check(folder, form, [FILE_SHOWN, SHOWN], "mpgsim", *perturbed, "--waits=region", path)
        check(folder, form, [FILE_SHOWN, where["callsite"]], "mpgsim", *perturbed, "--waits=callsite", path)
    for by in ("call", "callsite", "region", "rank", "pair"):
        check(folder, "csv", [where[by]] if by in where else [], "mpgsim", *perturbed, f"--where={by}", path)
    check(folder, "csv", [], "mpgsim", *perturbed, "--per-rank", path)
    for form in ("text", "json", "csv"):
        check(folder, form, [where["callsite"]] + ([SHOWN] if form != "text" else []), "mpgsim", "--cache=fresh", "--predict",
              "--latency=const:1us", "--where=path", path)
        check(folder, form, [], "mpgsim", "--cache=fresh", b"--target=" + FILE + b".par", path)


def check_many(folder, path):
    """Checks mpgsim's tables of several scenarios, and of traces on targets."""
    signatures = [b"--signature=" + FILE + b".sig", b"--signature=" + FILE + b"2.sig"]
    for form in ("text", "json", "csv"):
        check(folder, form, [FILE_SHOWN] * (form == "text") + [FILE_SHOWN + ".sig", FILE_SHOWN + "2.sig"], "mpgsim", "--cache=fresh",
              *signatures, "--replicas=3", "--sweep=compute-ratio=0.5,2.385", path)
        check(folder, form, [FILE_SHOWN + ".sig", FILE_SHOWN + "2.sig"], "mpgsim", "--cache=fresh", *signatures, "--replicas=3",
              "--tolerate=5%:compute-ratio", path)
        check(folder, form, [FILE_SHOWN, FILE_SHOWN + ".par", "other.txt"], "mpgsim", "--cache=fresh", b"--target=" + FILE + b".par",
              "--target=distributed", "--sweep=MipsRatio=0.5,2.385", path, "other.txt")


def check_scale(folder, path):
    site = "Recv:=where,.py:16"
    traces = [path, "other.txt", "third.txt"]
    for options, wanted in (((), [site]), (("--unit=region",), [SHOWN]), (("--table=callsites",), []),
                            (("--table=aggregate",), [site]), (("--table=runs",), [])):
        for form in ("text", "json", "csv"):
            check(folder, form, wanted, "mpgscale", *options, *traces)
    check(folder, "csv", [FILE_SHOWN], "mpgscale", "--export=csv", *traces)
    check(folder, "text", [], "mpgscale", "--export=jsonl", *traces)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = os.fsencode(name)
        with open(os.path.join(folder, FILE), "w", encoding="ascii") as file:
            file.write(trace(4, 23850))
        for other, ranks in ((b"other.txt", 2), (b"third.txt", 8)):
            with open(os.path.join(folder, other), "w", encoding="ascii") as file:
                file.write(trace(ranks, 90000 // ranks))
        with open(os.path.join(folder, FILE + b".par"), "w", encoding="ascii") as file:
            file.write("MipsRatio = 0.7\n")
        for ending in (b".sig", b"2.sig"):
            shutil.copy(os.path.join(SOURCE, "results", "reference", "reference.sig"), os.path.join(folder, FILE + ending))
        for part in (check_trace, check_one, check_many, check_scale):
            part(folder, FILE)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
