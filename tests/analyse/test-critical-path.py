#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace critical-path on synthetic traces (TAP): paths and causes of delays by hand; random programs compared with a
computation from their messages alone; options and errors. The environment variable MPGTRACE names the program.
Arguments: the number of random programs, and the first seed."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program  # noqa: E402
from tap import finish, ok  # noqa: E402

MPGTRACE = os.path.abspath(os.environ.get("MPGTRACE", "./mpgtrace"))
TRACE = "t.txt"


def is_same(name, found, wanted):
    ok(name, found == wanted, f"{found} instead of {wanted}")


def run(*words):
    return subprocess.run([MPGTRACE, "critical-path", *words], capture_output=True, text=True, check=False)


def answer(*words):
    done = run("--json", *words, TRACE)
    if done.returncode != 0:
        ok(f"critical-path {' '.join(words)}", False, done.stderr)
        return None
    return json.loads(done.stdout)


def write(text, ranks=2, about=(), end=10000):
    """Writes a trace of calls between MPI_Init, left at 100, and MPI_Finalize, entered at END (a list: for each
    rank)."""
    ends = end if isinstance(end, list) else [end] * ranks
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", *about]
    lines += [f"{r} 0 100 Init" for r in range(ranks)]
    lines += [line.strip() for line in text.strip().splitlines()]
    lines += [f"{r} {ends[r]} {ends[r] + 10} Finalize" for r in range(ranks)]
    with open(TRACE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def parts(found):
    """Returns the parts of the path: {(kind, call, region): time}."""
    return {(r["kind"], (r["call"] or "")[4:], r["region"]): r["time_ns"] for r in found["callsites"]}


def kinds(found):
    return {k["kind"]: k["time_ns"] for k in found["kinds"] if k["time_ns"]}


def causes(found):
    return {(c["rank"], c["kind"], (c["call"] or "")[4:]): round(c["wait_ns"], 6) for c in found["delay_causes"]}


def test_late_sender():
    """Rank 1 waits from 400 on for a send at 3000, received at 3500; then rank 1 ends last."""
    write("""0 3000 3100 Send to=1 bytes=8
             1 400 3500 Recv from=0 bytes=8""", end=[4000, 6000])
    found = answer()
    is_same("late sender: sender's computation, message, receiver's", parts(found),
            {("computation", "Send", None): 2900, ("messages", "Recv", None): 500, ("computation", "Finalize", None): 2500})
    is_same("... run time", found["run_ns"], 5900)
    is_same("... ranks", [(r["rank"], r["time_ns"]) for r in found["rank_table"]], [(0, 2900), (1, 3000)])
    is_same("... from, to, changes", (found["first_rank"], found["last_rank"], found["changes"]), (0, 1, 1))
    is_same("... the cause: 2600 more before Send, of 2600", causes(found), {(0, "computation", "Send"): 2600})
    text = run("--segments=2", TRACE).stdout
    ok("... text", "Critical path   5.9 us, from rank 0 to rank 1, 1 change of rank\n" in text and
       "2.9 us   49.15 %         1  computation before MPI_Send\n" in text and "  messages          500 ns    8.47 %" in text and
       "2.6 us  100.00 %         1      0  computation before MPI_Send\n" in text and text.count("\n") <= 20, text)
    write("""0 300 400 Send to=1 bytes=8
             1 400 3500 Recv from=0 bytes=8""", end=[4000, 6000])
    is_same("a message sent before: the path stays", parts(answer()),
            {("computation", "Recv", None): 300, ("mpi_overhead", "Recv", None): 3100, ("computation", "Finalize", None): 2500})


def test_off_cpu():
    """Of the 2900 before its send rank 0 was off its CPU for 900, and in a call before it for 150; rank 1 waits for
    2600."""
    write("""0 300 500 Isend to=1 tag=1 bytes=8 request=1 off_call=150
             0 3000 3100 Send to=1 bytes=8 off=900
             0 3200 3210 Wait requests=1
             1 400 3500 Recv from=0 bytes=8
             1 3600 3610 Recv from=0 tag=1 bytes=8""", end=[4000, 6000])
    found = answer("--segments=9")
    # rank 0: 200 before Isend, 1600 and 900 off before Send, 50 and 150 off in Isend; rank 1: 300 before Recv
    excess = {("computation", "Isend"): 200, ("computation", "Send"): 1600, ("off_cpu", "Send"): 900, ("mpi", ""): 50,
              ("off_cpu_in_mpi", ""): 150}
    is_same("off the CPU: a cause of its own, before a call and in calls", causes(found),
            {(0, *key): round(2600 * value / sum(excess.values()), 6) for key, value in excess.items()})
    is_same("... and a part of segments", {(s["call"][4:], s["kind"]): (s["time_ns"], s["off_cpu_ns"]) for s in found["segments"]
                                           if s["off_cpu_ns"] > 0}, {("Send", "computation"): (2500, 900), ("Isend", "mpi_overhead"): (200, 150)})
    text = run("--by=segment", TRACE).stdout
    ok("... in text", "off the CPU" in text and "900 ns" in text, text)


def test_late_receiver():
    """A synchronous send waits for its receive, posted by an Irecv at 2000 that a Wait completes."""
    write("""0 400 2300 Ssend to=1 bytes=8
             1 2000 2010 Irecv from=0 bytes=8 request=1
             1 2100 2350 Wait requests=1""", end=[5000, 3000])
    found = answer()
    is_same("late receiver: up to the post of the receive", parts(found),
            {("computation", "Irecv", None): 1900, ("messages", "Ssend", None): 300, ("computation", "Finalize", None): 2700})
    is_same("... the cause", causes(found), {(1, "computation", "Irecv"): 1600})


def test_collectives():
    """A barrier that rank 2 enters last, a broadcast from rank 0, and a reduction to rank 1 that rank 2 enters last."""
    write("""0 500 2100 Barrier
             1 700 2110 Barrier
             2 2000 2105 Barrier
             0 4100 4200 Bcast root=0 bytes=8
             1 2500 4300 Bcast root=0 bytes=8
             2 4250 4260 Bcast root=0 bytes=8
             0 4500 4520 Reduce root=1 bytes=8
             1 4400 6100 Reduce root=1 bytes=8
             2 6000 6010 Reduce root=1 bytes=8""", 3, ["#comm 0 = 0 1 2"], [7000, 8000, 6500])
    found = answer()
    is_same("collectives: last member, root, last of a reduction", parts(found),
            {("computation", "Barrier", None): 1900, ("mpi_overhead", "Barrier", None): 105, ("computation", "Bcast", None): 2145,
             ("mpi_overhead", "Bcast", None): 10, ("computation", "Reduce", None): 1740, ("messages", "Reduce", None): 100,
             ("computation", "Finalize", None): 1900})
    is_same("... sum to the run", sum(parts(found).values()), 7900)
    told = causes(found)
    is_same("... a late member's computation before the barrier", told[2, "computation", "Barrier"], 1500 + 1300)
    is_same("... the broadcast: rank 0 computed longer since the barrier", told[0, "computation", "Bcast"], 1600)


def test_nonblocking():
    """Of several requests the one that completes last counts: rank 2's message, then rank 1's, which itself waited
    before."""
    write("""0 200 210 Irecv from=1 bytes=8 request=1
             0 220 230 Irecv from=2 bytes=8 request=2
             0 300 5200 Waitall requests=1,2
             1 250 3300 Recv from=2 tag=1 bytes=8
             1 5000 5010 Isend to=0 bytes=8 request=1
             1 5020 5030 Wait requests=1
             2 3000 3010 Send to=1 tag=1 bytes=8
             2 4000 4010 Send to=0 bytes=8""", 3, ["#comm 0 = 0 1 2"], [9000, 5500, 4500])
    found = answer("--segments=2")
    is_same("Waitall: back to the latest sender, and to that one's", parts(found),
            {("computation", "Send", None): 2900, ("messages", "Recv", None): 300, ("computation", "Isend", None): 1700,
             ("messages", "Waitall", None): 200, ("computation", "Finalize", None): 3800})
    is_same("... two changes of rank", (found["changes"], found["first_rank"]), (2, 2))
    is_same("... the longest segments", [(s["rank"], s["begin_ns"], s["time_ns"], s["call"]) for s in found["segments"]],
            [(0, 5100, 3800, "MPI_Finalize"), (2, 0, 2900, "MPI_Send")])
    told = causes(found)
    # Rank 0 waited 4700. Rank 1 computed 150 + 1700, rank 0 100 + 10 + 70; rank 1 waited 2750 itself, 300 more in MPI than rank 0's 20.
    excess = {"Recv": 150, "Isend": 1700, "waiting": 2750, "mpi": 300 - 20}
    total = sum(excess.values())
    ok("... the cause of the longest wait, in proportion", all(
        abs(told[key] - 4700 * excess[name] / total) < 1e-3 for key, name in
        (((1, "computation", "Recv"), "Recv"), ((1, "computation", "Isend"), "Isend"), ((1, "waiting", ""), "waiting"),
         ((1, "mpi", ""), "mpi"))), f"{told} {excess}")
    is_same("... and of rank 1's", told[2, "computation", "Send"], 2750)


def test_regions():
    """Computation belongs to the regions in which it lies, not to those of the next call. Local calls count as
    computation."""
    write("""0 600 600 Region_begin name="sweep"
             0 1500 1500 Region_end name="sweep"
             0 1600 1620 Wtime
             0 1700 1700 Region_begin name="halo"
             0 2000 2030 Barrier
             0 2040 2040 Region_end name="halo"
             1 2000 2040 Barrier""", end=[4000, 3000])
    found = answer()
    is_same("regions", parts(found), {("computation", "Barrier", None): 700, ("computation", "Barrier", "sweep"): 900,
                                      ("computation", "Barrier", "halo"): 300, ("mpi_overhead", "Barrier", "halo"): 30,
                                      ("computation", "Finalize", "halo"): 10, ("computation", "Finalize", None): 1960})
    is_same("--by=region, CSV", {(r["kind"], r["region"]): float(r["time_ns"]) for r in
                                 csv.DictReader(io.StringIO(run("--csv", "--by=region", TRACE).stdout))},
            {("computation", ""): 2660, ("computation", "sweep"): 900, ("computation", "halo"): 310, ("mpi_overhead", "halo"): 30})
    is_same("no call waited", run(TRACE).stdout.splitlines()[-1], "No call waited for another rank")
    write("""0 600 610 Barrier off=200 off_call=4
             0 1000 1100 Flush
             1 500 610 Barrier""", end=[4000, 3000])
    is_same("time off the CPU, and recording", kinds(answer()),
            {"computation": 500 - 200 + 390 + 2900, "mpi_overhead": 6, "off_cpu": 204, "recording": 100})
    text = " ".join(run("--all", TRACE).stdout.split())
    is_same("time off the CPU before a call, and in it", ["200 ns" in text and "off the CPU before MPI_Barrier" in text,
                                                          "off the CPU in MPI_Barrier" in text], [True, True])


def test_starts():
    """Rank 1 leaves MPI_Init late, and is on the path from its begin on."""
    with open(TRACE, "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 2\n#clocks shared\n0 0 100 Init\n1 0 300 Init\n1 1000 1010 Send to=0 bytes=8\n"
                   "0 200 1100 Recv from=1 bytes=8\n0 2000 2010 Finalize\n1 1500 1510 Finalize\n")
    found = answer()
    is_same("a late start", kinds(found), {"computation": 1600, "messages": 100, "start": 200})
    is_same("... belongs to its rank, and to the run", (sum(r["time_ns"] for r in found["rank_table"]), found["run_ns"]), (1900, 1900))
    write("", 1, end=[700])
    is_same("one rank", kinds(answer()), {"computation": 600})
    write("""0.1 400 410 Send to=1 bytes=8
             1 200 500 Recv from=0 bytes=8""", end=[1000, 3000])
    found = answer()
    is_same("a second thread, which begins in the first", (found["run_ns"], sum(parts(found).values())), (2900, 2900))


def reference(program):
    """Returns the critical path by the program's messages, if no send waited: (run time, times of ranks, time of
    messages, number of changes of rank)."""
    calls = {}
    numbers = [1] * program.ranks
    for line in program.lines:
        rank, enter, leave, name = line.split()[:4]
        if name.startswith("Region_"):
            continue
        calls[int(rank), numbers[int(rank)]] = [int(enter), int(leave), []]
        numbers[int(rank)] += 1
    for message in program.messages:
        calls[message.received][2].append((calls[message.send][0], message.send[0]))
    for name, root, _, members in program.collectives:
        last = max((calls[c][0], -r) for r, c in members.items())
        for rank, call in members.items():
            if name in ("Bcast", "Scatter"):
                awaited = [] if rank == root else [(calls[members[root]][0], root)]
            elif name in ("Reduce", "Gather"):
                other = max((calls[c][0], -r) for r, c in members.items() if r != root)
                awaited = [(other[0], -other[1])] if rank == root else []
            else:
                awaited = [(last[0], -last[1])]
            calls[call][2].extend(awaited)
    waits = {rank: [] for rank in range(program.ranks)}
    for (rank, _), (enter, leave, awaited) in calls.items():
        begun, other = max(awaited, default=(-1, rank))
        if begun > enter and other != rank:
            waits[rank].append((leave, min(begun, leave), other))
    for rank in waits:
        waits[rank].sort()
    ends = [program.end] * program.ranks
    rank, now = 0, ends[0]
    time, messages, changes = [0] * program.ranks, 0, 0
    while True:
        before = [w for w in waits[rank] if w[0] <= now]
        if not before:
            break
        leave, begun, other = before[-1]
        del waits[rank][len(before) - 1:]
        time[rank] += now - begun
        messages += leave - begun
        rank, now, changes = other, begun, changes + 1
    time[rank] += now - 100
    return program.end - 100, time, messages, changes


def test_random(number, first):
    several, wrong = 0, []
    for seed in range(first, first + number):
        program = Program(seed, phases=30)
        with open(TRACE, "w", encoding="utf-8") as file:
            file.write(program.text())
        found = answer("--eager-limit=1000000000")
        want = reference(program)
        if not found:
            wrong.append(seed)
            continue
        time = [0] * program.ranks
        for row in found["rank_table"]:
            time[row["rank"]] = row["time_ns"]
        got = (found["run_ns"], time, kinds(found).get("messages", 0), found["changes"])
        waited = sum(c["wait_ns"] for c in found["delay_causes"])
        sums = (sum(parts(found).values()), sum(r["time_ns"] for r in found["regions"]), sum(kinds(found).values()))
        several += found["changes"] > 1
        if got != want or sums != (want[0],) * 3 or abs(waited - found["wait_ns"]) > 1e-6 * waited:
            wrong.append((seed, got, want, sums, waited, found["wait_ns"]))
    ok(f"{number} random programs: path, its sums exactly, causes of all waits", not wrong, f"{wrong[:3]}")
    ok("... most have paths through several ranks", several > number / 2, f"{several}")


def test_options():
    write("""0 3000 3100 Send to=1 bytes=8
             1 400 3500 Recv from=0 bytes=8""", end=[4000, 6000])
    for by, columns in (("callsite", "time_ns,share,number,kind,call,callsite,region"), ("rank", "time_ns,share,rank"),
                        ("segment", "begin_ns,time_ns,share,off_cpu_ns,rank,kind,call,callsite,region"),
                        ("delay", "wait_ns,share,waits,rank,kind,call,callsite,longest_ns,waiter")):
        is_same(f"--csv --by={by}", run("--csv", f"--by={by}", TRACE).stdout.splitlines()[0], columns)
        ok(f"--by={by}", run(f"--by={by}", TRACE).returncode == 0)
    run("-o", "out.txt", TRACE)
    with open("out.txt", encoding="utf-8") as file:
        is_same("--output", file.read(), run(TRACE).stdout)
    ok("--all", "more" not in run("--all", TRACE).stdout)
    env = {**os.environ, "TMPDIR": "/nowhere"}
    done = subprocess.run([MPGTRACE, "critical-path", TRACE], capture_output=True, text=True, check=False, env=env)
    ok("no temporary file: one line", done.returncode == 1 and done.stderr.count("\n") == 1 and "/nowhere" in done.stderr, done.stderr)
    with open("open.txt", "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 2\n#clocks shared\n0 0 100 Init\n1 0 100 Init\n0 200 300 Recv from=1 bytes=8\n"
                   "0 900 910 Finalize\n1 900 910 Finalize\n")
    with open("unknown.txt", "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 2\n0 0 100 Init\n1 0 100 Init\n0 900 910 Finalize\n1 900 910 Finalize\n")
    for words, status, text in (([], 2, "TRACE"), (["none.txt"], 1, "none.txt"), (["open.txt"], 1, "MPI_Recv"),
                                (["unknown.txt"], 1, "clocks"), (["--json", "--by=rank", TRACE], 2, "--by")):
        done = run(*words)
        ok(f"critical-path {' '.join(words)}", done.returncode == status and not done.stdout and text in done.stderr and
           done.stderr.count("\n") == 1, f"{done.returncode} {done.stderr}")
    ok("--lenient", run("--lenient", "open.txt").returncode == 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test_late_sender()
        test_off_cpu()
        test_late_receiver()
        test_collectives()
        test_nonblocking()
        test_regions()
        test_starts()
        test_random(int(sys.argv[1]) if len(sys.argv) > 1 else 100, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
        test_options()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
