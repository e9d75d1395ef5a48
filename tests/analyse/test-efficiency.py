#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace efficiency on synthetic programs (TAP): efficiencies, ideal runs and scaling compared with values computed
by hand. MPGTRACE names the program."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import finish, ok  # noqa: E402

MPGTRACE = os.environ["MPGTRACE"]
FOLDER = tempfile.TemporaryDirectory()
RATIOS = ["parallel", "load_balance", "communication", "serialization", "transfer", "noise"]


def path(name):
    return os.path.join(FOLDER.name, name)


def write(ranks, calls, *about, init="", name="t.txt"):
    """Writes a trace of CALLS (lines RANK ENTER LEAVE WORDS, with Finalize), whose ranks leave MPI_Init at 100."""
    with open(path(name), "w", encoding="ascii") as file:
        file.write("\n".join(["#mpgtext 1", f"#ranks {ranks}", *about, *(f"{r} 0 100 Init{init}" for r in range(ranks)),
                              *(line.strip() for line in calls.strip().splitlines()), ""]))
    return path(name)


def run(*words):
    done = subprocess.run([MPGTRACE, "efficiency", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def answer(*words):
    status, out, err = run("--json", *words)
    return json.loads(out) if status == 0 else {"traces": [{"error": err}]}


def same(a, b):
    return a is None and b is None if a is None or b is None else abs(a - b) <= 1e-12 * max(1, abs(b))


def check(name, trace, compute, run_ns, ideal_ns, *words, disturbed_ns=None):
    """Checks the computation of each rank, the times of the run, of the ideal run and of the run without disturbances
    (None: equal to the ideal one), and the efficiencies that follow from them."""
    disturbed_ns = ideal_ns if disturbed_ns is None else disturbed_ns
    found = answer(*words, trace)["traces"][0]
    mean, most = sum(compute) / len(compute), max(compute)
    ratios = [mean / run_ns if run_ns else None, mean / most if most else None, most / run_ns if run_ns else None,
              most / ideal_ns if ideal_ns else None, disturbed_ns / run_ns if run_ns and disturbed_ns else
              ideal_ns / run_ns if run_ns else None, ideal_ns / disturbed_ns if disturbed_ns else None]
    right = "error" not in found and [r["compute_ns"] for r in found["rank_table"]] == compute and \
        found["run_ns"] == run_ns and found["ideal_ns"] == ideal_ns and \
        all(same(found[key], value) for key, value in zip(RATIOS, ratios))
    ok(name, right, found)
    return found


def test_basic():
    trace = write(2, """0 900 1100 Allreduce bytes=8
                        1 500 1100 Allreduce bytes=8
                        0 1100 1200 Finalize
                        1 1100 1200 Finalize""")
    found = check("800 and 400 ns of work, Allreduce until 1000 ns", trace, [800, 400], 1000, 800)
    ok("... load balance 75 %, serialization 100 %, transfer 80 %, parallel 60 %",
       [round(found[key], 9) for key in RATIOS] == [0.6, 0.75, 0.8, 1, 0.8, 1], found)
    text = run(trace)[1]
    ok("... as text: the headline first", text.startswith(
        "Parallel efficiency   0.60 = load balance 0.75 x serialization 1.00 x transfer 0.80 x noise 1.00\n"), text)
    ok("... which ranks compute most and least",
       "Computation           600 ns (mean of ranks): rank 0 most, 800 ns; rank 1 least, 400 ns\n" in text, text)
    with open(path("t.txt"), encoding="ascii") as file:
        late = file.read().replace("1 0 100 Init", "1 0 145 Init")
    with open(path("late.txt"), "w", encoding="ascii") as file:
        file.write(late)
    check("MPI_Init left later: each rank counts from there", path("late.txt"), [800, 355], 1000, 800)
    check("nothing in MPI: only balance", write(2, "0 2485 2500 Finalize\n1 1100 2500 Finalize"), [2385, 1000], 2385, 2385)
    check("one rank", write(1, "0 300 400 Barrier\n0 700 710 Finalize"), [500], 600, 500)
    check("no computation", write(2, """0 100 350 Barrier
                                        1 100 350 Barrier
                                        0 350 360 Finalize
                                        1 350 360 Finalize"""), [0, 0], 250, 0)
    empty = check("no time at all", write(1, "0 100 100 Finalize"), [0], 0, 0)
    ok("... all efficiencies are unknown", all(empty[key] is None for key in RATIOS), empty)
    ok("... and are printed as such",
       run(path("t.txt"))[1].startswith("Parallel efficiency   - = load balance - x serialization - x transfer -\n"))


def test_messages():
    check("pipeline: a third is serialization", write(3, """0 200 210 Send to=1 tag=0 bytes=8
        1 100 215 Recv from=0 tag=0 bytes=8
        1 315 325 Send to=2 tag=0 bytes=8
        2 100 330 Recv from=1 tag=0 bytes=8
        0 210 500 Finalize
        1 325 500 Finalize
        2 430 500 Finalize"""), [100, 100, 100], 330, 300)
    check("ranks end at different times", write(3, """0 400 420 Send to=1 tag=0 bytes=8
        1 150 430 Recv from=0 tag=0 bytes=8
        2 500 505 Finalize
        0 520 600 Finalize
        1 440 600 Finalize"""), [400, 60, 400], 420, 400)
    overlap = write(2, """0 110 115 Irecv from=1 tag=0 bytes=8 request=1
        0 125 130 Isend to=1 tag=0 bytes=9 request=2
        0 430 500 Waitall requests=1,2
        0 520 600 Finalize
        1 140 150 Irecv from=0 tag=0 bytes=9 request=1
        1 450 470 Isend to=0 tag=0 bytes=8 request=2
        1 480 490 Waitall requests=1,2
        1 510 600 Finalize""")
    # rank 0 works 10 + 10 + 300, then waits for the message that rank 1 sends after 40 + 300 of work, then 20
    check("nonblocking: the send counts, not the wait", overlap, [340, 370], 420, 370)
    found = answer(overlap)["traces"][0]["rank_table"][0]
    ok("... and rank 0 waits 20 ns for it", found["ideal_ns"] == 360, found)
    large = """0 110 900 Send to=1 tag=0 bytes=100000
        0 910 1000 Finalize
        1 800 900 Recv from=0 tag=0 bytes=100000
        1 905 1000 Finalize"""
    check("a large send is eager in the ideal run", write(2, large), [20, 705], 810, 705)
    found = check("... but with --eager-limit", path("t.txt"), [20, 705], 810, 710, "--eager-limit=1000")
    ok("... it waits for its receive", [r["ideal_ns"] for r in found["rank_table"]] == [710, 705], found)
    found = check("... MPI_Ssend waits anyway", write(2, large.replace("Send", "Ssend")), [20, 705], 810, 710)
    # the sender is there at 300; the probe sees it, and the receive takes it
    check("probe", write(2, """0 300 900 Ssend to=1 tag=0 bytes=8
        1 150 480 Probe from=0 tag=0 bytes=8
        1 500 850 Recv from=0 tag=0 bytes=8
        1 860 900 Finalize
        0 900 910 Finalize"""), [200, 80], 800, 230)


def test_collectives():
    def of(call, words=""):
        return write(3, f"""0 200 400 {call} bytes=8 {words}
            1 300 500 {call} bytes=8 {words}
            2 150 600 {call} bytes=8 {words}
            0 410 600 Finalize
            1 570 600 Finalize
            2 620 700 Finalize""")
    compute = [110, 270, 70]

    def ends(name, call, words, ideal):
        found = check(name, of(call, words), compute, 520, max(ideal))
        ok("... each rank", [r["ideal_ns"] for r in found["rank_table"]] == ideal, found)
    ends("Allreduce: all wait for rank 1", "Allreduce", "", [210, 270, 220])
    ends("Bcast: all but the root wait for the root", "Bcast", "root=0", [110, 270, 120])
    ends("Reduce: the root waits", "Reduce", "root=2", [110, 270, 220])
    ends("Scan: lower ranks are waited for", "Scan", "", [110, 270, 220])


def test_not_computation():
    check("off the CPU is no computation", write(2, """0 900 1100 Barrier off=150
        1 500 1100 Barrier off_call=30
        0 1150 1200 Finalize off=10
        1 1100 1200 Finalize""", "#fact 0 off_cpu rseq", "#fact 1 off_cpu rseq"), [690, 400], 1050, 690, disturbed_ns=850)
    text = run(path("t.txt"))[1]
    ok("... is said", "Lost outside of MPI   off the CPU 7.8 % of the ranks' time" in text and
       "Recording             NOT RELIABLE: off the CPU for 7.8 % of the run outside of MPI (13 % of the time outside), 1.5 % of "
       "the run in MPI: record again on an idle machine\n" in text, text)
    write(2, """0 900 1100 Barrier off=50
        1 500 1100 Barrier off_call=30
        0 1150 1200 Finalize off=10
        1 1100 1200 Finalize""", "#fact 0 off_cpu rseq", "#fact 1 off_cpu rseq")
    text = run(path("t.txt"))[1]  # 60 of runs of 1050 + 1000, and of intervals of 850 + 400
    ok("... little of it is fair", "Recording             fair: off the CPU for 2.9 % of the run outside of MPI (4.8 % of the time "
       "outside), 1.5 % of the run in MPI, both deducted\n" in text, text)
    write(1, "0 1100 1200 Barrier off=300\n0 1200 1300 Finalize", "#fact 0 off_cpu rseq")
    ok("a disturbed recording is not reliable", "Recording             NOT RELIABLE: off the CPU for 27 % of" in run(path("t.txt"))[1])
    check("the tracer's part is none", write(1, "0 600 700 Barrier\n0 900 910 Finalize", "#fact 0 overhead_call_ns 20"),
          [660], 800, 660, disturbed_ns=700)
    check("CPU time counts where it is less", write(1, "0 600 700 Barrier values=350\n0 900 910 Finalize values=900", "#values cpu_ns", init=" values=0"),
          [550], 800, 550, disturbed_ns=700)
    check("one rank off its CPU for 300 of 1100: noise, not transfer, as in a call that waits for nobody", write(
        1, """0 600 700 Isend to=0 tag=0 bytes=8 request=1 off=200 off_call=100
        0 710 720 Recv from=0 tag=0 bytes=8
        0 730 740 Wait requests=1
        0 1200 1300 Finalize""", "#fact 0 off_cpu rseq"), [780], 1100, 780, disturbed_ns=1080)
    found = check("polling is waiting", write(2, """0 200 210 Irecv from=1 tag=0 bytes=8 request=1
        0 300 310 Test requests=1 done=
        0 400 410 Test requests=1 done=
        0 500 510 Test requests=1
        0 520 600 Finalize
        1 480 490 Send to=0 tag=0 bytes=8
        1 495 600 Finalize"""), [200, 385], 420, 390)
    ok("... and is told", found["rank_table"][0]["polled_ns"] == 180, found)
    check("MPI-IO takes its time on any network", write(1, """0 200 300 File_open file=0
        0 400 700 File_write file=0 bytes=8
        0 710 800 File_close file=0
        0 800 810 Finalize""", "#file 0 = 0 0"), [210], 700, 700)
    found = check("threads: the one of MPI_Init computes", write(2, """0 200 300 Send to=1 tag=0 bytes=8
        0.1 450 500 Send to=1 tag=1 bytes=8
        1 150 310 Recv from=0 tag=0 bytes=8
        1 320 510 Recv from=0 tag=1 bytes=8
        0 700 800 Finalize
        1 520 800 Finalize"""), [500, 70], 600, 500)
    ok("... and that is said", "several threads of a rank made calls" in run(path("t.txt"))[1], found)


def scaling(words, *names):
    return [{key: None if t[key] is None else round(t[key], 12) for key in t if isinstance(t[key], (int, float, type(None)))}
            for t in answer(*words, *(path(name) for name in names))["traces"]]


def test_scaling():
    values = "#values PAPI_TOT_CYC cpu_ns PAPI_TOT_INS"
    write(1, "0 1100 1200 Barrier values=2000,1000,4000\n0 1300 1310 Finalize values=400,100,500", values, init=" values=9,9,9", name="one.txt")
    write(2, """0 600 800 Barrier values=1000,500,2000
        1 800 810 Barrier values=1440,700,2052
        0 800 900 Finalize values=0,0,0
        1 810 900 Finalize values=0,0,0""", values, init=" values=9,9,9", name="two.txt")
    # C 1100 of one rank; 500 and 700 of two; T 1200 and 710
    one, two = scaling([], "two.txt", "one.txt")
    ok("computation scaling: total of one rank over total of two",
       two["ranks"] == 2 and two["computation_scaling"] == round(1100 / 1200, 12), two)
    ok("global efficiency: times parallel efficiency", two["global"] == round(600 / 710 * 1100 / 1200, 12), two)
    ok("instructions, IPC, frequency",
       [two[k] for k in ("instruction_scaling", "ipc_scaling", "frequency_scaling")] ==
       [round(x, 12) for x in (4500 / 4052, 4052 / 2440 * 2400 / 4500, 2440 / 1200 * 1100 / 2400)], two)
    ok("the first scales by 1", one["computation_scaling"] == one["instruction_scaling"] == one["ipc_scaling"] == 1, one)
    one, two = scaling(["--scaling=scaled"], "one.txt", "two.txt")
    ok("scaled: of a rank", two["computation_scaling"] == round(1100 / 600, 12) and
       two["instruction_scaling"] == round(4500 / 2026, 12), two)
    text = run(path("one.txt"), path("two.txt"))[1]
    ok("text: global efficiency first", text.startswith(
        "Global efficiency     0.77 at 2 ranks = parallel efficiency 0.85 x computation scaling 0.92\n"), text)
    ok("... counters are columns", "IPC" in text and "Counters" not in text, text)
    write(2, "0 600 800 Barrier\n1 800 810 Barrier\n0 800 900 Finalize\n1 810 900 Finalize", name="plain.txt")
    text = run(path("one.txt"), path("plain.txt"))[1]
    ok("without counters one line says so", "Counters              not in all traces: record with --papi=" in text and
       "IPC " not in text.splitlines()[2], text)
    rows = list(csv.DictReader(io.StringIO(run("--csv", path("two.txt"), path("one.txt"))[1])))
    ok("CSV: a row a trace, by ranks", [r["ranks"] for r in rows] == ["1", "2"] and float(rows[1]["load_balance"]) == 600 / 700, rows)


def rows_of(trace, *words):
    return answer(*words, trace)["traces"][0].get("rows", [])


def test_parts():
    calls = """0 150 150 Region_begin name="solve"
        0 550 600 Send to=1 tag=0 bytes=8
        0 650 650 Region_end name="solve"
        0 900 1100 Allreduce bytes=8
        1 120 120 Region_begin name="solve"
        1 200 620 Recv from=0 tag=0 bytes=8
        1 820 820 Region_end name="solve"
        1 850 1100 Allreduce bytes=8
        0 1100 1200 Finalize
        1 1100 1200 Finalize"""
    trace = write(2, calls, "#clocks shared", name="parts.txt")
    # solve: rank 0 computes 400 + 50 in 500 ns; rank 1 80 + 200 in 700 ns, and its receive waits 350 ns in the ideal run
    # outside: rank 0 50 + 250 in 500 ns; rank 1 20 + 30 in 300 ns, and its Allreduce waits 70 ns
    solve, outside = rows_of(trace, "--by=region")
    ok("a region", (solve["region"], solve["run_ns"], solve["ideal_ns"], solve["compute_ns"], solve["lost_ns"]) ==
       ("solve", 700, 630, [450, 280], 335) and solve["serialization"] == 450 / 630, solve)
    ok("... outside of regions", (outside["region"], outside["run_ns"], outside["ideal_ns"], outside["compute_ns"]) ==
       (None, 500, 300, [300, 50]), outside)
    ok("... as text", "\nsolve                 700 ns      335 ns    52.14 %       81.11 %        71.43 %    90.00 %" in
       run("--by=region", trace)[1], run("--by=region", trace)[1])
    bins = rows_of(trace, "--by=time", "--bins=4")
    ok("bins of time: computation", [b["compute_ns"] for b in bins] == [[250, 100], [200, 0], [250, 230], [50, 0]], bins)
    ok("... the width is the run", all(b["run_ns"] == 250 for b in bins) and bins[1]["from_ns"] == 250, bins)
    ok("... the ideal receive of 350 ns is spread over its 420 ns", same(bins[1]["ideal_ns"], 350 * 250 / 420) and
       same(bins[3]["ideal_ns"], 70), bins)
    ok("... 20 by default", len(rows_of(trace, "--by=time")) == 20)
    late = write(2, calls.replace("1 120 120", "1 170 170"), "#clocks shared")
    with open(late, encoding="ascii") as file:
        text = file.read().replace("1 0 100 Init", "1 0 160 Init")
    with open(late, "w", encoding="ascii") as file:
        file.write(text)
    bins = rows_of(late, "--by=time", "--bins=4")
    ok("... on one clock: rank 1 begins 60 ns later", bins[0]["compute_ns"] == [250, 40], bins)
    with open(late, "w", encoding="ascii") as file:
        file.write(text.replace("#clocks shared\n", ""))
    bins, text = rows_of(late, "--by=time", "--bins=4"), run("--by=time", late)[1]
    ok("... unknown clocks: each rank from its MPI_Init", bins[0]["compute_ns"] == [250, 40] and
       "clocks are not comparable" in text, bins)
    status, _, err = run("--by=region", trace, trace)
    ok("--by with two traces", status == 2 and "one trace only" in err, err)
    status, _, err = run("--bins=3", trace)
    ok("--bins without --by=time", status == 2 and "--bins needs --by=time" in err, err)
    rows = list(csv.DictReader(io.StringIO(run("--by=region", "--csv", trace)[1])))
    ok("CSV: rows of regions", [r["region"] for r in rows] == ["solve", ""] and rows[0]["ideal_ns"] == "630", rows)


def test_errors():
    status, _, err = run(path("none.txt"))
    ok("no trace", status == 1 and err.startswith("mpgtrace efficiency: ") and "none.txt" in err, err)
    status, out, err = run("--json", "--csv", path("two.txt"))
    ok("--json and --csv", status == 2 and not out, err)
    status, _, err = run()
    ok("no argument", status == 2, err)
    write(2, "0 600 800 Recv from=1 tag=0 bytes=8\n0 800 900 Finalize\n1 810 900 Finalize", name="lonely.txt")
    status, out, err = run(path("two.txt"), path("lonely.txt"))
    ok("a receive without its send", status == 1 and not out and "rank 0, call 1" in err and len(err.splitlines()) == 1, err)
    status, out, err = run("--lenient", path("lonely.txt"))
    ok("... with --lenient is counted", status == 0 and "1 operation without partner" in out, out + err)
    status, _, err = run("-o", path("two.txt"), path("two.txt"))
    ok("the trace is not overwritten", status == 1 and os.path.getsize(path("two.txt")) > 100, err)
    status, _, err = run("-o", path("out.txt"), path("two.txt"))
    with open(path("out.txt"), encoding="utf-8") as file:
        ok("-o", status == 0 and file.read() == run(path("two.txt"))[1], err)


test_basic()
test_messages()
test_collectives()
test_not_computation()
test_scaling()
test_parts()
test_errors()
sys.exit(finish())
