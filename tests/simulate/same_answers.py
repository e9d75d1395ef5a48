#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""same_answers.py [OPTION]... OLD NEW: compares the output of two builds of mpgsim byte for byte: what each prints,
writes and reports, and its exit status. For changes that must not change results.

A build of the previous version gets its own words for options, and its messages are translated before the comparison;
of command lines that both refuse only the status is compared.

Programs are random (tests/oracle), or those that --traces names. Command lines are random too, from everything that
mpgsim does: both modes, signatures, targets, hypotheses, sweeps, tables, accounts, paths, formats. Each difference is
printed with its size and the command, so that it can be run again. Exit status 1 if one differs, or if too few command
lines are valid."""

import argparse
import collections
import concurrent.futures
import functools
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "oracle"))
sys.dont_write_bytecode = True
from scripts import made  # noqa: E402
from words import RENAMED, older  # noqa: E402

KINDS = ["send,pair,isend,recv,irecv,sendrecv,wait,waitall", "collective,icollective,neighbors", "sendrecv,collective",
         "isendrecv,wait,window", "waitany,waitsome,test,testall,isend,irecv,see,split"]
TIMES = ["const:{}ns", "exp:{}ns", "normal:{}ns,77ns", "gamma:{}ns,33ns"]
RULES = ["overheads", "launches", "rows", "interruptions", "size-sides", "progress"]
REFUSED = 0.3  # at most: options exclude one another


def time(draw):
    return draw.choice(TIMES).format(draw.choice([311, 2385, 1234]))


def has_regions(seed):
    return random.Random(f"regions {seed}").random() < 0.6


def program(seed):
    """Returns a random program as text: of any kind, with many steps, threads, classes of requests, or loops that
    poll."""
    draw = random.Random(f"program {seed}")
    ranks = draw.randint(1, 8)
    words = ["--seed", str(seed), "--ranks", str(ranks), "--steps", str(draw.choice([30, 60, 150])), "--clocks",
             draw.choice(["shared", "shared", "offsets", "unknown"]), "--hosts", draw.choice("1123")]
    which = draw.random()
    if which < 0.12:
        text = made("randomtrace_open.py", "--seed", str(seed), "--ranks", str(max(ranks, 3)), "--steps", "30")
    elif which < 0.24:
        text = made("randomtrace_loops.py", "--seed", str(seed), "--ranks", str(max(ranks, 3)), "--steps", "30")
    else:
        if which < 0.6:
            words += ["--kinds", draw.choice(KINDS)]
        if draw.random() < 0.4:
            words.append("--all-synchronous-safe")
        text = made("randomtrace.py", *words)
    if draw.random() < 0.7:
        extras = ["--seed", str(seed), "--sites", draw.choice("0123")]
        extras += ["--tracer"] * (draw.random() < 0.3) + ["--regions"] * (draw.random() < 0.5)
        text = made("randomtrace_extras.py", *extras, text=text)
    if has_regions(seed):
        text = made("randomtrace_regions.py", "--seed", str(seed), text=text)
    if draw.random() < 0.2:
        text = made("randomtrace_off.py", "--seed", str(seed), text=text)
    return text


def signature(seed, number):
    draw = random.Random(f"signature {seed} {number}")
    parts = draw.choice(["network", "network,noise", "network,noise,collectives,compute", "network,collectives", "network,noise,quanta"])
    return made("randomsignature.py", "--seed", str(2 * seed + number), "--version", "4", "--parts", parts)


def perturbed(draw):
    words = ["--absorb=" + draw.choice(["none", "wait", "clock"])] * (draw.random() < 0.7)
    for name, chance in (("noise", 0.6), ("call-noise", 0.3), ("latency", 0.5), ("byte", 0.3)):
        if draw.random() < chance:
            words.append(f"--{name}=" + (f"const:{draw.choice(['0.375ns', '1ns'])}" if name == "byte" else time(draw)))
    for chance, word in ((0.3, "--compute-ratio=1.25"), (0.1, "--paper=sync-reduce"), (0.2, "--polling=work"), (0.1, "--without=choice"),
                         (0.15, "--paper=call-edges"), (0.1, "--source=latency=650ns")):
        words += [word] * (draw.random() < chance)
    return words


def hypothesis(draw):
    words = ["--hypothesis=" + draw.choice(["scale even factor=0.5", "balance even", "drop call=Barrier", "resize bytes=1- factor=2",
                                         "insert even time=3us", "insert even bytes=1000 to=+1", "scale even ranks=0 factor=0.7"])]
    if "resize" in words[0]:
        words.append("--source=byte=0.4ns")
    return words + perturbed(draw) + ["--without=weak-progress"] * (draw.random() < 0.2)


def of_signature(draw):
    words = ["--signature={one}"] + ["--source={two}"] * (draw.random() < 0.5)
    words += [draw.choice(["--predict", "--predict", "--without=tracer", "--absorb=wait", "--call-noise=signature"])]
    for chance, word in ((0.2, "--models=measurement=fixed"), (0.2, "--map=block:2"),
                         (0.15, "--source=map=cyclic:2"), (0.2, "--models=cosched=job"),
                         (0.2, "--models=noise=" + draw.choice(["renewal", "fit", "ecdf", "replay"])),
                         (0.15, "--models=latency=fit"), (0.15, "--models=byte=fit"),
                         (0.3, "--collectives=" + draw.choice(["rounds", "expand", "measured"])),
                         (0.1, "--without=" + draw.choice(RULES)), (0.1, "--map=path=node")):
        words += [word] * (draw.random() < chance)
    return words


def predicted(draw):
    words = ["--predict", "--latency=" + time(draw)] + ["--byte=const:0.375ns"] * (draw.random() < 0.7)
    words += ["--noise=" + time(draw)] * (draw.random() < 0.5) + ["--compute-ratio=0.8"] * (draw.random() < 0.3)
    words += ["--where=path,segments=7"] * (draw.random() < 0.4)
    return words


def target(draw):
    if draw.random() < 0.1:
        return ["--target=ideal"]
    words = ["--target=" + draw.choice(["distributed", "shared", "cm5", "ideal"])]
    if draw.random() < 0.3:
        return [*words, "--target=Policy=offload", "--target=BarrierAlgorithm=rounds", "--target=engine=graph"]
    for key in ("Policy=interrupt", "Policy=poll", "Policy=none", "Processors=2", "Contention=0.5", "Topology=ring", "MipsRatio=0.7"):
        words += ["--target=" + key] * (draw.random() < 0.2)
    return words


def swept(draw):
    base = draw.choice([perturbed, predicted, of_signature])(draw)
    if draw.random() < 0.3:
        return base + ["--tolerate=" + draw.choice(["5%:noise", "1%,2%:latency", "10%:compute-ratio"])]
    base = [w for w in base if w.split("=")[0] not in ("--where", "--compute-ratio", "--byte", "--noise")]
    return base + ["--sweep=" + draw.choice(["noise=1us,3us", "latency=1us:3us:3", "compute-ratio=0.5:2:3", "eager-limit=100,4096",
                                             "byte=0.1ns:1ns:2:log", "call-noise=0,1us"])]


def command_line(draw):
    words = draw.choice([perturbed, perturbed, hypothesis, of_signature, of_signature, predicted, target, swept])(draw)
    names = [w.split("=")[0] for w in words]
    many, tables, form = "--sweep" in names or "--tolerate" in names, draw.random(), draw.random()
    if many or "--target" in names:
        words += ["--output-trace={folder}"] * (not many and tables < 0.3)
        words += ["--json"] if form < 0.5 else ["--csv"] if form < 0.8 else []
    elif tables < 0.35:
        words.append("--where=" + draw.choice(["call", "callsite,region", "rank", "pair", "call,rank"]))
        words += ["--json"] if form < 0.6 or "," in words[-1] else ["--csv"] if form < 0.8 else []
    elif tables < 0.6:
        words += draw.choice([["--waits"], ["--waits=region"], ["--waits=rank"], ["--output-trace={folder}"], ["--timeline={folder}"]])
        words += ["--json"] * (form < 0.7)
    else:
        words += ["--json"] if form < 0.6 else ["--csv", "--per-rank"] if form < 0.75 else ["--per-rank"] if form < 0.9 else []
    if "eager-limit" not in " ".join(words) and draw.random() < 0.6:
        words.append("--eager-limit=" + draw.choice(["4096", "4096", "100000"]))
    if "--output-trace={folder}" in words:  # threads number its communicators as they come to them: other bytes, the same text
        words.append("--threads=1")
    words += ["--replicas=" + draw.choice("1237"), "--seed=" + draw.choice("17"), "--replicas=first=" + draw.choice("003")]
    return words + ["--cache=fresh"]


def contents(path):
    """Returns what a command has written."""
    found = []
    for place, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(place, name), "rb") as file:
                found.append((os.path.relpath(os.path.join(place, name), path), file.read()))
    if os.path.isfile(path):
        with open(path, "rb") as file:
            found.append(("", file.read()))
    return found


@functools.cache
def is_older(mpgsim):
    return b"\n--cache=" not in subprocess.run([mpgsim, "--completion"], capture_output=True, check=True).stdout


def split(words):
    """Generates options with one key, or one rule of --without, each, as they were before."""
    for word in words:
        name, _, values = word.partition("=")
        if name == "--without":
            yield from (f"--without={one}" for one in values.split(","))
        elif name == "--where" and ",segments=" in values:
            yield from (f"--where={part}" for part in values.replace("path,", "path|", 1).split("|"))
        elif name == "--waits" and values:
            yield from ("--waits", word)
        else:
            yield word


def renamed(text):
    """Returns a build's message with the current words."""
    for old, new in RENAMED:
        text = re.sub(rb"(?<![\w-])%b(?![\w-])" % re.escape(old.rstrip("=").encode()), new.rstrip("=").encode(), text)
    return text


def answer(mpgsim, words, trace, out):
    """Returns everything that a command line does, without the names of its arguments."""
    if is_older(mpgsim):
        words = [older(word) for word in split(words)]
    run = subprocess.run(["timeout", "120", mpgsim, *[w.replace("{folder}", out) for w in words], trace], capture_output=True, check=False,
                         env={**os.environ, "MPGKIT_HISTORY": ""})
    texts = [text.replace(out.encode(), b"OUT").replace(mpgsim.encode(), b"mpgsim") for text in (run.stdout, run.stderr)]
    if run.returncode == 2:
        texts[1] = b""
    written = contents(out)
    if is_older(mpgsim):
        texts, written = [renamed(text) for text in texts], [(name, renamed(text)) for name, text in written]
    return run.returncode, *texts, written


NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


KEY_AND_NUMBER = re.compile(rb'(?:"(\w+)": *)?(' + NUMBER.pattern + rb")")


def numbers_of(text):
    """Returns each number in TEXT with its permitted rounding error: 1e-9 of it or of 1; for ns in JSON, which are
    differences of long sums, 1e-6 ns."""
    return [(float(number), max(1e-9 * abs(float(number)), 1e-6 if key.endswith(b"_ns") else 1e-9))
            for key, number in KEY_AND_NUMBER.findall(text)]


def kind_of(old, new):
    """Returns by how much two outputs differ: in blanks, in the last digits of numbers (by numbers_of()), or in
    more."""
    if old[0] != new[0] or [name for name, _ in old[3]] != [name for name, _ in new[3]]:
        return "more"
    blanks = True
    for a, b in zip([*old[1:3], *(text for _, text in old[3])], [*new[1:3], *(text for _, text in new[3])]):
        if a.split() == b.split():
            continue
        blanks = False
        if NUMBER.sub(b"#", a).split() != NUMBER.sub(b"#", b).split():
            return "more"
        if any(abs(x - y) > allowed for (x, allowed), (y, _) in zip(numbers_of(a), numbers_of(b))):
            return "more"
    return "blanks" if blanks else "last digits"


def compare(job):
    """Compares the builds on one trace; returns counts of what was done, and lines about differences."""
    seed, trace, options = job
    counts, differing = collections.Counter(), []
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        path = trace or os.path.join(folder, "program.txt")
        names = {"one": os.path.join(folder, "one.sig"), "two": os.path.join(folder, "two.sig"), "folder": "{folder}"}
        if not trace:
            with open(path, "w", encoding="ascii") as file:
                file.write(program(seed))
        for i, name in enumerate(("one", "two")):
            with open(names[name], "w", encoding="ascii") as file:
                file.write(signature(seed, i))
        draw = random.Random(f"commands {seed}")
        for number in range(options.commands):
            words = [w.format(**names) for w in command_line(draw)]
            old = answer(options.old, words, path, os.path.join(folder, f"{number}.old"))
            new = answer(options.new, words, path, os.path.join(folder, f"{number}.new"))
            counts["answers" if old[0] == 0 else "refused"] += 1
            if old[0] == 0:
                counts.update(w.split("=")[0] for w in words)
            if old != new:
                parts = [name for name, a, b in zip(("status", "output", "messages", "files"), old, new) if a != b]
                kind = kind_of(old, new)
                counts[kind] += 1
                differing.append(f"seed {seed}, command {number}: {kind}: {', '.join(parts)}: mpgsim {shlex.join(words)} {path}")
    return counts, differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("old", help="an mpgsim")
    parser.add_argument("new", help="another")
    parser.add_argument("--programs", type=int, default=1000, help="how many random ones (default 1000)")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first (default 0)")
    parser.add_argument("--commands", type=int, default=10, help="command lines for each (default 10)")
    parser.add_argument("--traces", nargs="*", default=[], help="traces to take in place of random programs")
    parser.add_argument("--directory", help="for files (default: that of temporary ones)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    options = parser.parse_args()
    jobs = [(options.first + i, trace, options) for i, trace in enumerate(options.traces or [None] * options.programs)]
    counts, differing = collections.Counter(), []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for done, lines in pool.map(compare, jobs, chunksize=4):
            counts += done
            differing += lines
            for line in lines:
                print(line, flush=True)
    print(f"{len(jobs)} programs, {counts['answers']} answers and {counts['refused']} refusals of two builds, {len(differing)} differ: "
          f"{counts['blanks']} by blanks, {counts['last digits']} by last digits, {counts['more']} by more")
    print(", ".join(f"{word} {n}" for word, n in sorted(counts.items()) if word.startswith("--")))
    sys.exit(bool(differing) or counts["refused"] > REFUSED * (counts["answers"] + counts["refused"]))


if __name__ == "__main__":
    main()
