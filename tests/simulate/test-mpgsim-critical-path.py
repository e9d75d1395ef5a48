#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --where=path (TAP; docs/MODEL.md, section 8): paths known by hand, derivatives compared with the difference of
two runs of random programs, parts that add up to the run; refused options."""

import csv
import io
import math
import os
import subprocess
import tempfile

from answers import MPGSIM, SOURCE, answer, finish, make, ok, run, write

TERMS = ["computation_ns", "noise_ns", "calls_ns", "latency_ns", "bytes_ns", "collectives_ns"]


def predicted(*arguments):
    return answer("--predict", *arguments)


def segments(path):
    return [(s["rank"], s["call"], s["from_rank"], s["begin_ns"], s["end_ns"]) for s in path["segments"]]


def derivatives(path):
    return {s["parameter"]: s["derivative"] for s in path["sensitivity"]}


def expect(name, got, expected):
    ok(name, got == expected, f"{got} for {expected}")


def check_chain():
    # each Send takes no time of its own on the target: a round figure, a message of 2385.5 + 8 * 0.25, and so on
    write("chain.txt", 3, ["0 0 0 Init", "0 1000 1000 Send comm=0 to=1 tag=1 bytes=8", "0 2000 2000 Finalize",
                           "1 0 0 Init", "1 1000 3000 Recv comm=0 from=0 tag=1 bytes=8",
                           "1 4000 4000 Send comm=0 to=2 tag=1 bytes=8", "1 5000 5000 Finalize",
                           "2 0 0 Init", "2 4000 6000 Recv comm=0 from=1 tag=1 bytes=8", "2 6500 6500 Finalize"])
    path = predicted("--latency=const:2385.5ns", "--byte=const:0.25ns", "--where=rank,call", "--where=path", "chain.txt")["critical_path"]
    expect("a chain: computation of 0, message, of 1, message, of 2", segments(path),
           [(0, "MPI_Send", None, 0, 1000), (1, "MPI_Recv", 0, 1000, 3387.5), (1, "MPI_Send", None, 3387.5, 4387.5),
            (2, "MPI_Recv", 1, 4387.5, 6775), (2, "MPI_Finalize", None, 6775, 7275)])
    expect("computation is no call's", [s["part"] for s in path["segments"]],
           ["computation", "call", "computation", "call", "computation"])
    expect("its derivatives", derivatives(path), {"latency": 2, "byte": 16, "compute": 2500, "noise": 0})
    ranks = {r["rank"]: (r["time_ns"], r["latency_ns"], r["bytes"]) for r in path["tables"][0]["rows"]}
    expect("its ranks", ranks, {0: (1000, 0, 0), 1: (3387.5, 2385.5, 8), 2: (2887.5, 2385.5, 8)})
    ok("shares of its calls add up", abs(sum(r["share"] for r in path["tables"][1]["rows"]) - 1) < 1e-12, path["tables"][1])
    path = predicted("--latency=const:2385.5ns", "--where=segments=1", "--where=path", "chain.txt")["critical_path"]
    expect("the longest segment alone, the earlier of two", (segments(path), path["segments_total"]),
           ([(1, "MPI_Recv", 0, 1000, 3385.5)], 5))
    given = ["--predict", "--latency=const:2385.5ns", "--byte=const:0.25ns", "--where=path", "--csv", "chain.txt"]
    rows = list(csv.DictReader(io.StringIO(run(*given)[1])))
    expect("CSV: the segments alone", [(int(r["rank"]), r["call"], r["from_rank"], float(r["begin_ns"]), float(r["end_ns"]),
                                        float(r["bytes"])) for r in rows],
           [(0, "MPI_Send", "", 0, 1000, 0), (1, "MPI_Recv", "0", 1000, 3387.5, 8), (1, "MPI_Send", "", 3387.5, 4387.5, 0),
            (2, "MPI_Recv", "1", 4387.5, 6775, 8), (2, "MPI_Finalize", "", 6775, 7275, 0)])


def check_stencil():
    # three steps around a ring, in each of which a rank waits for the next rank; rank 2 is slow, and rank 1 gets its last message
    lines = []
    for rank in range(4):
        lines.append(f"{rank} 0 0 Init")
        for step in range(3):
            at, end = 9100 * step + (9000 if rank == 2 else 1000), 9100 * (step + 1)
            lines += [f"{rank} {at} {at} Irecv comm=0 from={(rank + 1) % 4} tag={step} bytes=0 request={2 * step + 1}",
                      f"{rank} {at} {at} Isend comm=0 to={(rank + 3) % 4} tag={step} bytes=0 request={2 * step + 2}",
                      f"{rank} {at} {end} Waitall requests={2 * step + 1},{2 * step + 2}"]
        lines.append(f"{rank} {end} {end} Finalize")
    write("stencil.txt", 4, lines)
    path = predicted("--latency=const:385ns", "--where=rank", "--where=path", "stencil.txt")["critical_path"]
    rows = {r["rank"]: (r["time_ns"], r["share"]) for r in path["tables"][0]["rows"]}
    expect("a stencil: the slow rank is named, its share exact", (path["rank"], rows),
           (1, {0: (0, 0), 1: (385, 385 / 27385), 2: (27000, 27000 / 27385), 3: (0, 0)}))


def check_tree():
    # rank 0 sends to ranks 1 and, later, 2; rank 1 sends to rank 3, which waits for rank 1
    write("tree.txt", 4, ["0 0 0 Init", "0 700 700 Send comm=0 to=1 tag=1 bytes=0", "0 750 750 Send comm=0 to=2 tag=1 bytes=0",
                          "0 760 760 Finalize", "1 0 0 Init", "1 10 800 Recv comm=0 from=0 tag=1 bytes=0",
                          "1 930 930 Send comm=0 to=3 tag=1 bytes=0", "1 940 940 Finalize", "2 0 0 Init",
                          "2 20 850 Recv comm=0 from=0 tag=1 bytes=0", "2 860 860 Finalize", "3 0 0 Init",
                          "3 30 1030 Recv comm=0 from=1 tag=1 bytes=0", "3 1035 1035 Finalize"])
    path = predicted("--latency=const:23.5ns", "--noise=const:0.5ns", "--where=path", "tree.txt")["critical_path"]
    expect("a tree: root, 1, 3", [s[:3] for s in segments(path)],
           [(0, "MPI_Send", None), (1, "MPI_Recv", 0), (1, "MPI_Send", None), (3, "MPI_Recv", 1), (3, "MPI_Finalize", None)])
    expect("its derivatives, with three intervals' noise", derivatives(path),
           {"latency": 2, "byte": 0, "compute": 700 + 130 + 5, "noise": 1.5})


def check_barrier():
    lines = []
    for rank in range(4):
        begin = 7385 if rank == 2 else 1000
        lines += [f"{rank} 0 0 Init", f"{rank} {begin} 9000 Barrier comm=0", f"{rank} 9000 9000 Finalize"]
    write("barrier.txt", 4, lines)
    path = predicted("--latency=const:55ns", "--where=path", "--where=rank", "barrier.txt")["critical_path"]
    expect("a barrier: the last to come, and two rounds", (path["run_ns"], derivatives(path)),
           (7385 + 110, {"latency": 2, "byte": 0, "compute": 7385, "noise": 0}))
    rows = {r["rank"]: r["computation_ns"] for r in path["tables"][0]["rows"]}
    expect("it is named", rows, {0: 0, 1: 0, 2: 7385, 3: 0})


def make_random(seed):
    make("random.txt", "randomtrace.py", "--seed", seed, "--ranks", 4, "--steps", 60)


def difference_fits(base, path, extra):
    """Returns the derivative that differs from the run's derivative to both sides, at values that are not round; None:
    there is none."""
    run_ns = path["run_ns"]
    steps = {"latency": 1 / 64, "byte": 2.0 ** -16, "compute": 2.0 ** -16, "noise": 1 / 64}
    for name, derivative in derivatives(path).items():
        scale = base["noise"] if name == "noise" else 1  # of a factor
        sides = []
        for sign in (1, -1):
            other = dict(base)
            other[name] += sign * steps[name]
            found = predicted(*arguments_of(other), *extra, "random.txt")["run_time_ns"]["median"]
            sides.append(sign * (found - run_ns) / steps[name] * scale)
        most = 1e-9 * abs(derivative) + 8 * math.ulp(run_ns) / steps[name] * scale
        if all(abs(s - derivative) > most for s in sides):
            return name, derivative, sides
    return None


def arguments_of(v):
    return ["--without=choice", "--lenient", f"--latency=const:{v['latency']!r}ns", f"--byte=const:{v['byte']!r}ns",
            f"--compute-ratio={v['compute']!r}", f"--noise=const:{v['noise']!r}ns"]


def adds_up(path):
    near = lambda a, b: abs(a - b) <= 1e-9 * max(path["run_ns"], 1)
    rows = path["tables"][0]["rows"]
    whole = len(path["segments"]) == path["segments_total"]
    ends = [s["end_ns"] for s in path["segments"]]
    return (near(sum(r["time_ns"] for r in rows), path["run_ns"]) and whole and
            near(sum(sum(s[t] for t in TERMS) for s in path["segments"]), path["run_ns"]) and
            all(near(a, b["begin_ns"]) for a, b in zip([0] + ends, path["segments"])) and near(ends[-1], path["run_ns"]))


def check_random():
    base = {"latency": 2385.25, "byte": 1.5, "compute": 1.0, "noise": 77.0}
    unlike, wrong, cases = [], [], 0
    for seed in range(1, 6):
        make_random(seed)
        for extra in ([], ["--eager-limit=-1", "--call-noise=const:31ns"], ["--collectives=expand"],
                      ["--collectives=expand", "--eager-limit=-1", "--call-noise=const:31ns"]):
            path = predicted(*arguments_of(base), *extra, "--where=segments=100000", "--where=path", "random.txt")["critical_path"]
            cases += 1
            fault = difference_fits(base, path, extra)
            if fault:
                unlike.append((seed, extra, fault))
            if not adds_up(path):
                wrong.append((seed, extra))
        reference = os.path.join(SOURCE, "results", "reference", "reference.sig")
        found = predicted("--signature", reference, "--source=none", "--without=choice", "--lenient", "--replicas=9", "--where=segments=100000",
                       "--where=path", "random.txt")
        path = found["critical_path"]
        if not adds_up(path) or abs(path["run_ns"] - found["run_time_ns"]["median"]) > 1e-6:
            wrong.append((seed, "signature"))
    ok("random programs: derivatives are the difference of two runs", cases == 20 and not unlike, unlike[:3])
    ok("segments follow each other, and add up to the run, as rows do", not wrong, wrong)


def check_forms():
    text = run("--predict", "--latency=const:2385.5ns", "--where=path", "chain.txt")[1]
    ok("text: where it ends, and why", "which ends on rank 2" in text and "(waits for rank 1)" in text and
       "1  computation before MPI_Send" in text, text)
    write("any.txt", 3, ["0 0 0 Init", "0 10 10 Irecv comm=0 from=1 tag=1 bytes=8 request=1",
                         "0 20 20 Irecv comm=0 from=2 tag=1 bytes=8 request=2", "0 30 500 Waitany requests=1,2 done=1",
                         "0 600 900 Wait request=2", "0 900 900 Finalize", "1 0 0 Init",
                         "1 400 410 Send comm=0 to=0 tag=1 bytes=8", "1 900 900 Finalize", "2 0 0 Init",
                         "2 800 810 Send comm=0 to=0 tag=1 bytes=8", "2 900 900 Finalize"])
    ok("where calls choose, too", run("--predict", "--latency=const:1us", "--where=path", "any.txt")[0] == 0)
    for status, word, arguments in ((2, "--predict", ["--where=path"]), (2, "needs", ["--where=segments=3"]),
                                    (2, "exclude", ["--predict", "--latency=1us", "--where=path", "--per-rank"]),
                                    (2, "Policy", ["--target=distributed", "--target=work=wall", "--where=path"]),
                                    (2, "exclude", ["--target=ideal", "--target=engine=events", "--where=path"]),
                                    (2, "exclude", ["--target=ideal", "--target=cm5", "--where=path"]),
                                    (2, "exclude", ["--target=ideal", "--target=BarrierAlgorithm=rounds", "--target=get=blocking", "--target=work=wall",
                                                    "--where=path"]),
                                    (2, "one table", ["--predict", "--latency=1us", "--where=path", "--csv", "--where=rank"]),
                                    (2, "scenarios", ["--predict", "--where=path", "--sweep=latency=1us:2us:2"])):
        got, out, err = run(*arguments, "chain.txt")
        ok(f"refused: {' '.join(arguments)}", got == status and word in err and not out and err.count("\n") == 1, (got, err))
    environment = dict(os.environ, TMPDIR="/nowhere/at/all")
    done = subprocess.run([MPGSIM, "--predict", "--latency=const:1us", "--where=path", "chain.txt"], capture_output=True, text=True,
                          check=False, env=environment)
    ok("no room for what is recorded: one line", done.returncode == 1 and "/nowhere/at/all" in done.stderr and
       done.stderr.count("\n") == 1 and not done.stdout, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_chain()
        check_stencil()
        check_tree()
        check_barrier()
        check_random()
        check_forms()
        os.chdir("/")
    finish()


main()
