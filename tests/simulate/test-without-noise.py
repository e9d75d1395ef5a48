#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""--without-noise (TAP; docs/MODEL.md, section 3): a target without the detours of a cause predicts as the target of which these detours
were never measured; a truncated record without all of its causes is no noise; what cannot be is said."""

import os
import random
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
sys.dont_write_bytecode = True
from answers import answer, finish, ok, run, write  # noqa: E402

SIGMAKE = os.environ.get("SIGMAKE", "sigmake")
NAMES = ["unseen", "hypervisor", "timer tick", "task cron", "irq 36 eth0"]
SPAN_NS = 2e8


def made_detours(seed, n, longest_ns):
    """Start, duration and cause, in time order, without overlaps."""
    draws = random.Random(seed)
    found, at_ns = [], 0.0
    for _ in range(n):
        at_ns += draws.expovariate(1) * SPAN_NS / n * 0.8 + 1
        duration_ns = round(draws.uniform(100, longest_ns))
        found.append((round(at_ns), duration_ns, draws.choice((0, 2, 2, 2, 3, 4))))
        at_ns += duration_ns
    return [d for d in found if d[0] + d[1] < SPAN_NS]


def signature(name, cores, names=NAMES, causes_of=None):
    """CORES: for each core its detours. NAMES: of causes; None: unknown. CAUSES_OF: only this many cores have causes."""
    folder = tempfile.mkdtemp(dir=".")
    for core, detours in enumerate(cores):
        with open(os.path.join(folder, f"detour-core{core}.samples"), "w", encoding="ascii") as out:
            head = ["benchmark: detour", "host: vm", "cpu: made", "kernel: 6.1", "clock: tsc", "date: 2026-11-20T10:00:00Z",
                    "mpgkit: 0.1.0", f"core: {core}", "threshold_ns: 100", f"span_ns: {SPAN_NS:.0f}"]
            causes = names if causes_of is None or core < causes_of else None
            head += [f"causes: {', '.join(causes)}"] if causes else []
            out.write("#mpgresults 2\n" + "".join(f"# {line}\n" for line in head))
            out.write("# columns: start_ns duration_ns off_cpu_ns" + (" cause\n" if causes else "\n"))
            out.writelines(f"{d[0]} {d[1]} 0" + (f" {d[2]}\n" if causes else "\n") for d in detours)
            out.write(f"# end {len(detours)}\n")
    with open(name, "w", encoding="ascii") as out:
        return subprocess.run([SIGMAKE, folder], stdout=out, stderr=subprocess.PIPE, text=True, check=False).stderr


def prediction(*options):
    found = answer("--predict", "--source=none", "--seed=3", "--latency=const:1us", *options, "work.txt")
    return found["run_time_ns"], found["ranks"]


def check_all_at_once(cores, every):
    """--where=noise: each row is --without-noise of its cause."""
    words = ("--predict", "--source=none", "--seed=3", "--latency=const:1us", "--where=noise", "work.txt")
    found = answer("--signature=all.sig", *words)
    worth = found["noise_causes"]
    rows = worth["causes"]
    ok("all at once: the run with all noise is the prediction", worth["run_time_with_all_ns"] == found["run_time_ns"], worth)
    ok("... a row for each cause, by their time, and all", [row["cause"] for row in rows[:-1]] ==
       [cause["cause"] for cause in sorted(rows[:-1], key=lambda row: -row["fraction"])] and len(rows) == 5 and
       rows[-1]["cause"] is None and rows[-1]["removed"] == 4, rows)
    whole = [r["run_time_ns"] for r in found["replicas"]]
    for row in rows:
        gone = [f"--without-noise={row['cause']}"] if row["cause"] else every
        alone = answer("--predict", "--source=none", "--seed=3", "--latency=const:1us", "--signature=all.sig", *gone, "work.txt")
        runs = [r["run_time_ns"] for r in alone["replicas"]]
        runs = runs * (len(whole) // len(runs))
        name = row["cause"] or "all causes"
        ok(f"... {name}: as by itself", {k: row["run_time_ns"][k] for k in ("mean", "sd", "least", "p5", "median", "p95", "largest")} ==
           {k: alone["run_time_ns"][k] for k in ("mean", "sd", "least", "p5", "median", "p95", "largest")}, (row, alone["run_time_ns"]))
        change = statistics.median(100 * (b / a - 1) for a, b in zip(whole, runs))
        ok("... its change, replica by replica", abs(row["change_percent"]["median"] - change) < 1e-9 and change < 0, (row, change))
    lost = [sum(d[1] for detours in cores for d in detours if d[2] == k) for k in range(len(NAMES))]
    ok("... shares, and what is unseen, by hand", abs(worth["unseen_fraction"] - lost[0] / sum(lost)) < 1e-6 and
       all(abs(row["fraction"] - lost[NAMES.index(row["cause"])] / 2 / SPAN_NS) < 1e-6 for row in rows[:-1]), (worth, lost))
    out = run("--signature=all.sig", *words)[1]
    ok("... the text", "Noise by cause" in out and f"Unseen by the kernel: {100 * lost[0] / sum(lost):.3g} % of this noise\n" in out and
       f"{-rows[0]['change_percent']['median']:.3g} %" in out, out)
    csv = run("--signature=all.sig", "--csv", *words)[1].splitlines()
    ok("... CSV", csv[0].startswith("cause,causes,fraction") and len(csv) == 6 and csv[1].startswith(f'"{rows[0]["cause"]}",1,'), csv)
    out = run("--signature=all.sig", "--source=all.sig", "--predict", "--latency=const:1us", "--where=noise", "work.txt")[1]
    ok("... source and target one machine", "Noise by cause" in out, out)
    # Twenty causes, the first longer than the second, and so on: twelve rows, the others together, all.
    many = ["unseen", *(f"task t{k}" for k in range(20))]
    signature("many.sig", [[(k * 9e6 + 1000, 300e3 - 10e3 * k, 1 + k) for k in range(20)]], many)
    rows = answer("--signature=many.sig", *words)["noise_causes"]["causes"]
    ok("... of twenty causes twelve rows, eight together, all", [row["removed"] for row in rows] == [1] * 12 + [8, 20] and
       [row["cause"] for row in rows[:12]] == many[1:13] and rows[12]["change_percent"]["median"] < 0, rows)
    # The second core was measured without causes.
    signature("half.sig", cores, NAMES, causes_of=1)
    half = answer("--signature=half.sig", *words)
    worth = half["noise_causes"]
    ok("... a core without causes is said, and its noise stays", (worth["cores"], worth["cores_without_causes"]) == (2, 1) and
       "causes are unknown on 1 of 2 cores, whose noise stays" in run("--signature=half.sig", *words)[1], worth)


def main():
    lines = [line for r in range(2) for line in (f"{r} 0 0 Init", *(f"{r} {20e6 * k:.0f} {20e6 * k + 1e5:.0f} Barrier comm=0"
                                                                    for k in range(1, 8)), f"{r} 160000000 160000000 Finalize")]
    write("work.txt", 2, lines)
    cores = [made_detours(1, 900, 40e3), made_detours(2, 700, 60e3)]
    signature("all.sig", cores)
    for gone in (["timer tick"], ["task cron"], ["timer tick", "irq 36 eth0"], ["unseen"]):
        numbers = [NAMES.index(name) for name in gone]
        signature("less.sig", [[d for d in detours if d[2] not in numbers] for detours in cores])
        got = prediction("--signature=all.sig", *(f"--without-noise={name}" for name in gone))
        ok(f"without {' and '.join(gone)}: as if it had not been measured", got == prediction("--signature=less.sig"), got)
        ok("... and less than with all", got[0]["mean"] < prediction("--signature=all.sig")[0]["mean"])
    every = [f"--without-noise={name}" for name in ("unseen", "timer tick", "task cron", "irq 36 eth0")]
    quiet = prediction("--signature=all.sig", *every)[0]
    ok("without all causes: the run without noise", quiet["mean"] == prediction("--noise=const:0")[0]["mean"], quiet)
    # So many that a signature has no room for them: the longest, and blocks.
    said = signature("long.sig", [made_detours(core, 120000, 300) for core in range(16)])
    ok("a record reduced to the room of a signature", "longest are kept" in said, said)
    full, tick = prediction("--signature=long.sig")[0]["mean"], prediction("--signature=long.sig", "--without-noise=timer tick")[0]["mean"]
    none = prediction("--signature=long.sig", *every)[0]["mean"]
    ok("... without all causes: no noise", none == quiet["mean"], (none, quiet["mean"]))
    share = (full - tick) / (full - none)
    ok("... the timer tick makes half of it, as of all detours", 0.4 < share < 0.6, share)

    check_all_at_once(cores, every)
    status, out, err = run("--signature=all.sig", "--source=none", "--predict", "--without-noise=task corn", "work.txt")
    ok("an unknown cause: what there is", status == 1 and out == "" and err ==
       "mpgsim: all.sig: --without-noise=task corn: no noise has this cause; there are timer tick, irq 36 eth0, task cron, unseen\n" or
       sorted(err.split("there are ")[-1].strip().split(", ")) == sorted(["timer tick", "irq 36 eth0", "task cron", "unseen"]), err)
    signature("unnamed.sig", cores, None)
    status, out, err = run("--signature=unnamed.sig", "--source=none", "--predict", "--without-noise=timer tick", "work.txt")
    ok("causes that are not known", status == 1 and err == "mpgsim: unnamed.sig: --without-noise=timer tick: the causes of its noise "
       "are unknown (mpgbench ftq --causes finds them)\n", err)
    for options, words in ((["--noise=exp:1us"], "--noise"), (["--models=noise=fit"], "--models=noise")):
        status, out, err = run("--signature=all.sig", "--source=none", "--without-noise=timer tick", *options, "work.txt")
        ok(f"not with {options[0]}", status == 2 and f"--without-noise and {words} exclude each other" in err, err)
        status, out, err = run("--signature=all.sig", "--source=none", "--where=noise", *options, "work.txt")
        ok("... --where=noise neither", status == 2 and f"--where=noise and {words} exclude each other" in err, err)
    status, out, err = run("--signature=unnamed.sig", "--source=none", "--predict", "--latency=const:1us", "--where=noise", "work.txt")
    ok("--where=noise: causes that are not known", status == 1 and out == "" and err == "mpgsim: unnamed.sig: --where=noise: the causes "
       "of its noise are unknown (mpgbench ftq --causes finds them)\n", err)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
    os.chdir("/")
finish()
