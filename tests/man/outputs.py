# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects what the programs print: help texts, and results for files of the source folder, for tests of words and
keys."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.realpath(os.environ.get("top_srcdir", os.path.join(HERE, "..", "..")))
BUILD = os.path.realpath(os.environ.get("top_builddir", os.path.join(SOURCE, "build")))
PLACES = {"mpgsim": "simulate", "mpgtrace": "trace", "mpgscale": "scale", "mpghistory": "history", "mpgreplay": "replay",
          "sigmake": "signature", "sigshow": "signature", "sigdiff": "signature", "mpgbench": "bench", "ftq": "bench/ftq",
          "compute": "bench/compute", "pingpong": "bench/pingpong", "bandwidth": "bench/bandwidth", "overhead": "bench/overhead",
          "collective": "bench/collective", "sharing": "bench/sharing", "onesided": "bench/onesided", "overlap": "bench/overlap"}
COMMANDS = {"mpgtrace": ["record", "print", "import", "stat", "waits", "compare", "critical-path", "efficiency", "matrix", "sizes",
                         "timeline", "graph", "export"],
            "mpgscale": ["run"], "mpghistory": ["list", "show", "diff", "rerun", "compare", "keep", "health", "signature"]}

# Two ranks: a large send that waits, a synchronous one, polling, an early message, a region, a file, one-sided transfers, a
# rank off its CPU; more ranks than cores.
MIXED = """#mpgtext 1
#ranks 2
#clocks shared
#host 0 a
#host 1 a
#fact 0 cores 0
#fact 1 cores 0
#fact 0 off_cpu rseq
#fact 1 off_cpu rseq
#fact 0 overhead_call_ns 50
#fact 1 overhead_call_ns 50
#fact 0 off_cpu_intervals_ns 300000
#fact 1 off_cpu_intervals_ns 0
#window 0 = 0 0
0 0 1000 Init
1 0 1000 Init
0 2000 3000 Win_create win=0 bytes=64
1 2000 3000 Win_create win=0 bytes=64
0 4000 504000 Send to=1 tag=1 bytes=100000000
1 500000 505000 Recv from=0 tag=1 bytes=100000000
0 510000 511000 Send to=1 tag=2 bytes=8
1 520000 521000 Irecv from=0 tag=2 bytes=8 request=1
1 521500 521600 Test requests=1 done=
1 521700 521800 Test requests=1 done=
1 521900 522000 Test requests=1
0 522000 622000 Ssend to=1 tag=3 bytes=8
1 600000 623000 Recv from=0 tag=3 bytes=8 any=source
0 623000 623000 Region_begin name="solve"
1 623000 623000 Region_begin name="solve"
0 1023000 1024000 Allreduce bytes=8 off=300000
1 923000 1024000 Allreduce bytes=8
0 1024000 1024000 Region_end name="solve"
1 1024000 1024000 Region_end name="solve"
0 1030000 1031000 Put win=0 to=1 bytes=8
0 1040000 1050000 Win_fence win=0
1 1040000 1050000 Win_fence win=0
0 1060000 1070000 Bcast root=0 bytes=4096
1 1060000 1070000 Bcast root=0 bytes=4096
0 1080000 1080100 Isend to=1 tag=4 bytes=8 request=9
1 1081000 1081100 Irecv from=0 tag=4 bytes=8 request=9
1 1082000 1082100 Test requests=9
0 1100000 1100000 Wtime calls=5 time=100 least=20 most=20
0 1200000 1201000 Win_free win=0
1 1200000 1201000 Win_free win=0
0 1300000 1300100 Finalize
1 1300000 1300100 Finalize
"""


def copied(given, copy):
    """Copies the file or folder GIVEN, which may be read-only, to COPY."""
    if os.path.isdir(given):
        os.makedirs(copy)
        for name in os.listdir(given):
            copied(os.path.join(given, name), os.path.join(copy, name))
    else:
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(given, copy)


def grown(ranks, run):
    """Returns a ring of RANKS ranks whose MPI_Allreduce takes longer with their number."""
    lines, wait = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared"], 10000 * ranks * ranks + run
    for r in range(ranks):
        lines += [f"{r} 0 1000 Init", f"{r} 2000 3000 Send to={(r + 1) % ranks} tag=1 bytes=8",
                  f"{r} 3100 {4000 + 100 * run} Recv from={(r - 1) % ranks} tag=1 bytes=8",
                  f"{r} {100000 + 10 * r} {101000 + wait} Allreduce bytes=8", f"{r} {200000 + wait} {200100 + wait} Finalize"]
    return "\n".join(lines) + "\n"


def loop(ranks=2, iterations=60):
    """Returns a loop whose iterations become slower, with a broadcast after every tenth."""
    now, lines = 1000, ["#mpgtext 1", f"#ranks {ranks}", *(f"{r} 0 1000 Init" for r in range(ranks))]
    for i in range(iterations):
        calls = ["Allreduce bytes=8"] + ["Bcast root=0 bytes=8"] * (i % 10 == 9)
        for call in calls:
            lines += [f"{r} {now + (r + 1) * 1000 + 10 * i} {now + ranks * 1000 + 10 * i + 500} {call}" for r in range(ranks)]
            now += ranks * 1000 + 10 * i + 500
    return "\n".join([*lines, *(f"{r} {now + 1000} {now + 1100} Finalize" for r in range(ranks))]) + "\n"


def program(name):
    """Returns the path of program NAME, or None if this build lacks it."""
    path = os.environ.get(name.upper()) or os.path.join(BUILD, PLACES[name], name)
    return path if os.access(path, os.X_OK) else None


def needed(name):
    path = program(name)
    if not path:
        sys.exit(f"Bail out! no {name}")
    return path


def helps():
    """Generates pairs of a command and its --help=all, without programs that this build lacks."""
    for name in PLACES:
        path = program(name)
        for words in [[]] + [[c] for c in COMMANDS.get(name, [])] if path else []:
            run = subprocess.run([path, *words, "--help=all"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if run.returncode == 0:
                yield " ".join([name, *words, "--help"]), run.stdout


def answers(lines, keep=()):
    """Generates pairs of a command line of LINES and its output (both streams), or the file of KEEP that it wrote, run
    in a folder with wait.txt, ring.txt, mixed.txt, loop.txt, a.sig, b.sig, results/ and grown-N-K."""
    with tempfile.TemporaryDirectory() as folder:
        for name, file in (("wait.txt", "examples/silas/waitany.txt"), ("ring.txt", "examples/ring/ring4.txt")):
            copied(os.path.join(SOURCE, file), os.path.join(folder, name))
        with open(os.path.join(SOURCE, "results/reference/reference.sig"), encoding="utf-8") as file:
            signature = json.load(file)
        for name in "a", "b":
            with open(os.path.join(folder, f"{name}.sig"), "w", encoding="utf-8") as file:
                json.dump({**signature, "header": {"host": name}}, file)
        copied(os.path.join(SOURCE, "results/reference"), os.path.join(folder, "results"))
        texts = {"mixed.txt": MIXED, "loop.txt": loop(), **{f"grown-{n}-{k}": grown(n, k) for n in (2, 3, 4, 6) for k in (1, 2, 3)}}
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)
        for line in lines:
            words = shlex.split(line)
            run = subprocess.run([needed(words[0]), *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True)
            text = run.stdout
            for name in keep:
                written = os.path.join(folder, name)
                if os.path.exists(written):
                    with open(written, encoding="utf-8") as file:
                        text += file.read()
                    os.remove(written)
            yield line, run.returncode, text
