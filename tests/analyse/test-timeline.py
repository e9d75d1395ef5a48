#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace timeline and mpgsim --timeline (TAP), read by a strict reader of the format: calls, regions and arrows of
random programs compared with the programs' known content; predicted timelines compared with the written trace of the
same replica, and by hand. The environment variables MPGTRACE and MPGSIM name the programs, TIMELINE_SEEDS how many
programs are compared."""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chrome_trace import Timeline, Wrong  # noqa: E402
from programs import Program  # noqa: E402
from tap import finish, ok  # noqa: E402

MPGTRACE = os.environ.get("MPGTRACE", "./mpgtrace")
MPGSIM = os.environ.get("MPGSIM", "./mpgsim")


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def read(text):
    try:
        return Timeline(text)
    except (Wrong, ValueError, KeyError) as wrong:
        print(f"# {wrong}")
        return None


def calls_of(text):
    """Returns the calls in printed lines: {(rank, call): (enter, leave, name)}; MPI_Init is call 0."""
    calls, number = {}, collections.Counter()
    for line in text.splitlines():
        found = re.match(r"(\d+) (\d+) (\d+) (\w+)", line)
        if found and not found[4].startswith("Region"):
            rank = int(found[1])
            calls[rank, number[rank]] = int(found[2]), int(found[3]), found[4]
            number[rank] += 1
    return calls


def slices_of(timeline, pid, category):
    """Returns the slices of calls, {(rank, call): (begin, end, name)}, or of regions, {(rank, name, begin, end)}."""
    found = {} if category == "mpi" else set()
    for (process, tid), slices in timeline.slices.items():
        track = timeline.tracks[process, tid]
        rank = int(track.split()[1])
        for begin, end, event in slices:
            if process != pid or event["cat"] != category:
                continue
            assert track.endswith("regions") == (category == "region")
            if category == "mpi":
                found[rank, event["args"]["call"]] = begin, end, event["name"]
            else:
                found.add((rank, event["name"], begin, end))
    return found


def arrows_of(timeline, pid):
    """Returns the arrows as a sorted list of ((rank, ns), (rank, ns))."""
    return sorted(tuple((int(timeline.tracks[end[:2]].split()[1]), end[2]) for end in arrow)
                  for arrow in timeline.arrows if arrow[0][0] == pid)


def arrows_by(program, calls):
    """Returns the expected arrows: from the begin of the send to 1 ns before the end of the call that completes the
    receive."""
    return sorted(((m.send[0], calls[m.send][0]),
                   (m.received[0], max(calls[m.received][1] - 1, calls[m.received][0]))) for m in program.messages)


def check_program(seed):
    program = Program(seed)
    status, out, err = run(MPGTRACE, "timeline", "-", text=program.text())
    timeline = read(out) if status == 0 else None
    ok(f"seed {seed}: as the format wants it", timeline is not None and timeline.processes == {1: "traced"}, err)
    calls = calls_of(program.text())
    ok(f"seed {seed}: calls", slices_of(timeline, 1, "mpi") == calls)
    ok(f"seed {seed}: regions", slices_of(timeline, 1, "region") == set(program.regions), program.regions)
    got = arrows_of(timeline, 1)
    ok(f"seed {seed}: arrows", got == arrows_by(program, calls), f"{got} {arrows_by(program, calls)}")
    first, last = 2, 6
    _, out, err = run(MPGTRACE, "timeline", "-", f"--calls={first}-{last}", "--ranks=0-1", text=program.text())
    part = read(out)
    inside = {c: t for c, t in calls.items() if first <= c[1] <= last and c[0] < 2}
    ok(f"seed {seed}: a part", part is not None and slices_of(part, 1, "mpi") == inside and len(part.arrows) ==
       sum(m.send in inside and m.received in inside for m in program.messages), err)
    clip = {(r, n, max(b, inside[r, first][0]), min(e, max(t[1] for c, t in inside.items() if c[0] == r)))
            for r, n, b, e in program.regions if r < 2 and (r, first) in inside}
    ok(f"seed {seed}: its regions", slices_of(part, 1, "region") == {x for x in clip if x[2] < x[3]},
       f"{slices_of(part, 1, 'region')} {clip}")


def check_predicted(seed, folder, options):
    """Checks that the second process of the timeline is the trace of that replica, shifted so that the first rank
    leaves MPI_Init when it does in the first process."""
    program = Program(seed)
    path, timeline_path = os.path.join(folder, "t.txt"), os.path.join(folder, "timeline.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.text())
    plain = run(MPGSIM, *options, "--replicas=7", "--json", path)
    status, out, err = run(MPGSIM, *options, "--replicas=7", "--json", f"--timeline={timeline_path}", path)
    what = f"seed {seed}, {' '.join(options)}"
    ok(f"{what}: the answer is the same", (status, out) == plain[:2], err)
    with open(timeline_path, encoding="utf-8") as file:
        timeline = read(file.read())
    replica = re.match(r"predicted \(replica (\d), the median run\)$", timeline.processes.get(2, ""))
    ok(f"{what}: as the format wants it", replica is not None, timeline.processes)
    written = os.path.join(folder, f"{seed}{len(options)}.trace")
    run(MPGSIM, *options, "--replicas=1", f"--replicas=first={replica[1]}", f"--output-trace={written}", path)
    calls = calls_of(run(MPGTRACE, "print", written)[1])
    shift = 100 - min(calls[r, 0][1] for r in range(program.ranks))
    calls = {c: (a + shift, b + shift, n) for c, (a, b, n) in calls.items()}
    ok(f"{what}: calls of replica {replica[1]}", slices_of(timeline, 2, "mpi") == calls)
    ok(f"{what}: its arrows", arrows_of(timeline, 2) == arrows_by(program, calls))
    ok(f"{what}: the traced run", slices_of(timeline, 1, "mpi") == calls_of(program.text()))
    ok(f"{what}: which is another run", slices_of(timeline, 2, "mpi") != calls_of(program.text()))


def check_by_hand(folder):
    """A token goes around three ranks; each message has 2385 ns more latency."""
    path, timeline_path = os.path.join(folder, "ring.txt"), os.path.join(folder, "ring.json")
    lines = ["#mpgtext 1", "#ranks 3", "#clocks shared"] + [f"{r} 0 100 Init" for r in range(3)]
    lines += ["0 150 170 Send to=1 bytes=8", "1 150 550 Recv from=0 bytes=8", "1 600 620 Send to=2 bytes=8",
              "2 150 1000 Recv from=1 bytes=8", "2 1050 1070 Send to=0 bytes=8", "0 220 1450 Recv from=2 bytes=8"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + [f"{r} 2000 2010 Finalize" for r in range(3)]) + "\n")
    run(MPGSIM, "--latency=const:2385ns", f"--timeline={timeline_path}", path)
    with open(timeline_path, encoding="utf-8") as file:
        timeline = read(file.read())
    got = slices_of(timeline, 2, "mpi")
    ok("a ring by hand", [got[c][:2] for c in ((1, 1), (1, 2), (2, 1), (2, 2), (0, 2), (0, 3))] ==
       [(150, 2935), (2985, 3005), (150, 5770), (5820, 5840), (220, 8605), (9155, 9165)], got)


def check_regions():
    """A region ends before one that began inside it; the inner one then continues as a new slice."""
    lines = ["#mpgtext 1", "#ranks 1", "0 0 100 Init", '0 150 150 Region_begin name="outer"',
             '0 200 200 Region_begin name="a \\"b\\""', "0 300 400 Barrier", '0 450 450 Region_end name="outer"',
             "0 500 600 Barrier", "0 1000 1010 Finalize"]
    status, out, err = run(MPGTRACE, "timeline", "-", text="\n".join(lines) + "\n")
    timeline = read(out)
    ok("regions that overlap", status == 0 and slices_of(timeline, 1, "region") ==
       {(0, "outer", 150, 450), (0, 'a "b"', 200, 450), (0, 'a "b"', 450, 1010)}, f"{out} {err}")


def check_reader():
    """Checks that the reader finds violations of the format: the end of a flow missing, doubled, earlier than its
    begin, or outside of slices; calls out of order; a wrong phase."""
    text = run(MPGTRACE, "timeline", "-", text=Program(0).text())[1]
    lines = text.splitlines()
    flow = next(i for i, line in enumerate(lines) if '"ph":"f"' in line.replace(" ", ""))
    calls = [i for i, line in enumerate(lines) if '"mpi"' in line and '"X"' in line][:2]
    swapped = list(lines)
    swapped[calls[0]], swapped[calls[1]] = lines[calls[1]], lines[calls[0]]
    for what, wrong in (("gone", lines[:flow] + lines[flow + 1:]), ("doubled", lines[:flow] + lines[flow:flow + 1] + lines[flow:]),
                        ("back in time", [re.sub(r'("ts": ?)[0-9.]+', r"\g<1>0.000", x) if i == flow else x for i, x in enumerate(lines)]),
                        ("in no slice", [re.sub(r'("ts": ?)([0-9]+)', r"\g<1>99\g<2>", x) if i == flow else x for i, x in enumerate(lines)]),
                        ("cut off", [re.sub(r'("dur": ?)[0-9.]+', r"\g<1>1.001", x) if i == calls[0] else x for i, x in enumerate(lines)]),
                        ("out of order", swapped), ("of no phase", [x.replace('"X"', '"Y"') for x in lines])):
        ok(f"the reader sees what is {what}", read("\n".join(wrong)) is None)


def check_callsites(folder):
    """In a native trace call sites become known during reading, in a text trace at the begin."""
    lines = ["#mpgtext 1", "#ranks 1", '#module 0 = 00ff "/opt/bin/app"']
    lines += [f"#site {n} = 0+0x{16 * n:x}" for n in range(1, 101)]
    lines += ["0 0 100 Init"] + [f"0 {1000 * n} {1000 * n + 10} Barrier comm=0 site={n}" for n in range(1, 101)]
    lines += ["0 200000 200001 Finalize"]
    text, native = os.path.join(folder, "sites.txt"), os.path.join(folder, "sites.trace")
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    run(MPGTRACE, "import", "--text=" + text, "-o", native)
    for source in (text, native):
        status, out, err = run(MPGTRACE, "timeline", source)
        ok(f"{os.path.basename(source)}: calls have their callsites", status == 0 and
           [e["args"].get("callsite") for e in json.loads(out)["traceEvents"] if e.get("name") == "Barrier"] ==
           [f"app+0x{16 * n:x}" for n in range(1, 101)], err)


def check_refusals(folder):
    path = os.path.join(folder, "large.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 1\n0 0 100 Init\n")
        file.writelines(f"0 {200 + 2 * i} {201 + 2 * i} Barrier\n" for i in range(500001))
        file.write("0 2000000 2000001 Finalize\n")
    for command, want in (([MPGTRACE, "timeline"], "select a part with --calls=A-B or --ranks=LIST"),
                          ([MPGSIM, "--timeline=t.json"], "select a part with --timeline=calls=A-B or --timeline=ranks=LIST")):
        status, out, err = run(*command, path)
        ok(f"{os.path.basename(command[0])}: too many calls", (status, out, err.count("\n")) == (1, "", 1) and want in err and
           not os.path.exists("t.json"), err)
    status, out, err = run(MPGTRACE, "timeline", "--calls=100000-100009", path)
    ok("... but a part of them", status == 0 and len(read(out).slices[1, 2]) == 10, err)
    one = os.path.join(folder, "one.txt")
    with open(one, "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 1\n0 0 100 Init\n0 900 901 Finalize\n")
    for options, want in ((["--timeline=calls=1-2"], (2, "--timeline=calls needs --timeline")),
                          (["--timeline=ranks=0"], (2, "--timeline=ranks needs --timeline")),
                          (["--timeline=t.json", "--timeline=calls=2-1"], (2, "'2-1' is no range of calls")),
                          (["--timeline=t.json", "--timeline=ranks=x"], (2, "'x' is not a list of ranks")),
                          (["--timeline=t.json", "--timeline=ranks=1"], (1, "there is no rank 1")),
                          (["--timeline=-"], (1, "--timeline and the answer both go to '-'")),
                          (["--timeline=t.json", "--sweep=latency=1us,2us"], (2, "--timeline and several scenarios exclude each other")),
                          (["--timeline=/dev/full"], (1, "No space left")),
                          ([f"--timeline={folder}/no/t.json"], (1, "No such file"))):
        status, out, err = run(MPGSIM, *options, one)
        ok(f"{' '.join(options)}: refused", (status, out, err.count("\n")) == (want[0], "", 1) and want[1] in err, err)


def check_arguments(folder):
    """Each slice has call site, peer and bytes. Ranks are those of MPI_COMM_WORLD, also on a communicator with another
    order."""
    path = os.path.join(folder, "args.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(["#mpgtext 1", "#ranks 3", "#clocks shared", "#comm 0 = 0 1 2", "#comm 1 = 2 0 1", "#site 0 = ?+0x10",
                              "#site 1 = ?+0x20"] + [f"{r} 0 10 Init" for r in range(3)] +
                             ["0 100 110 Send comm=1 to=2 tag=1 bytes=64 site=0", "1 90 200 Recv comm=1 from=1 tag=1 bytes=64 site=1"] +
                             [f"{r} 300 400 Bcast comm=1 root=0 bytes=8 site=0"
                              for r in range(3)] +
                             ["2 410 420 Send comm=0 to=null tag=1 bytes=5"] + [f"{r} 500 510 Finalize" for r in range(3)]) + "\n")
    status, out, err = run(MPGTRACE, "timeline", path)
    timeline = read(out) if status == 0 else None
    args = {(timeline.tracks[process, tid].split()[1], event["name"]): event["args"]
            for (process, tid), slices in timeline.slices.items() for _, _, event in slices} if timeline else {}
    send, receive, proc_null = args.get(("0", "Send"), {}), args.get(("1", "Recv"), {}), args.get(("2", "Send"), {})
    ok("arguments: peers by their ranks in MPI_COMM_WORLD, bytes, call", (send.get("to"), send.get("bytes"), send.get("call")) ==
       (1, 64, 1) and (receive.get("from"), receive.get("call")) == (0, 1) and "from" not in send and "to" not in receive, (err, args))
    ok("... callsites, which differ", send.get("callsite") and receive.get("callsite") and send["callsite"] != receive["callsite"], args)
    ok("... the root", all(args.get((str(r), "Bcast"), {}).get("root") == 2 for r in range(3)), args)
    ok("... no peer, no callsite, no argument", "to" not in proc_null and "callsite" not in proc_null and proc_null.get("bytes") == 5,
       proc_null)


def main():
    for seed in range(int(os.environ.get("TIMELINE_SEEDS", "8"))):
        check_program(seed)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(3):
            check_predicted(seed, folder, ["--latency=exp:7us", "--noise=exp:3us"])
            check_predicted(seed, folder, ["--predict", "--latency=exp:7us", "--byte=const:0.375ns", "--noise=exp:3us"])
        check_by_hand(folder)
        check_arguments(folder)
        check_callsites(folder)
        check_refusals(folder)
    check_regions()
    check_reader()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
