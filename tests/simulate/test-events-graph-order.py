#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of parameters, and signatures, on random programs (TAP): simulation in the order of time gives the same as
lanes if nothing depends on that order, within 1e-6 ns; options that only concern the order do not change programs
without need of it. MPGSIM names the program, EVENTS_SEEDS how many programs are compared (default 24)."""

import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, "..", "oracle")
MPGSIM = os.environ["MPGSIM"]
SEEDS = int(os.environ.get("EVENTS_SEEDS", "24"))
TIMES = ["0", "2.385us", "exp:7.5us", "gamma:3us,1us", "lognormal:12us,30us", "411ns"]
BYTES = ["0", "0.371ns", "exp:2ns", "const:1.7ns"]
# One-sided transfers, and messages that wait for their receiver, are served by policy.
EAGER = "send,pair,isend,recv,irecv,sendrecv,wait,waitall,waitany,collective,probe,test,see"
FREE = "Policy = offload\nBarrierAlgorithm = rounds\n"


def make(seed, folder, kinds):
    """Writes a random program as text."""
    draw = random.Random(f"events {seed}")
    words = ["--seed", str(seed), "--ranks", str(draw.randint(1, 9)), "--steps", "100", "--clocks",
             draw.choice(["shared", "unknown"]), "--all-synchronous-safe"]
    if kinds:
        words += ["--kinds", kinds]
    made = b""
    commands = [["randomtrace.py", *words],
                ["randomtrace_extras.py", "--seed", str(seed), "--sites", "2", *(["--cpu", "all"] if seed % 3 == 0 else [])]]
    if seed % 4 == 1 and not kinds:
        commands.append(["randomtrace_threads.py", "--seed", str(seed)])
    for script, *rest in commands:
        made = subprocess.run([sys.executable, os.path.join(ORACLE, script), *rest], input=made, check=True,
                              stdout=subprocess.PIPE).stdout
    if kinds:
        made = made.replace(b" Ssend", b" Send").replace(b" Issend", b" Isend")
    path = os.path.join(folder, f"{seed}.txt")
    with open(path, "wb") as file:
        file.write(made)
    return path


def write(path, text):
    """Writes a file."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def parameters(seed):
    """Returns random costs of messages."""
    draw = random.Random(f"costs {seed}")
    return "".join(f"{key} = {draw.choice(values)}\n" for key, values in
                   [("CommStartupTime", TIMES), ("ByteTransferTime", BYTES), ("MsgBuildTime", TIMES),
                    ("ServiceTime", TIMES), ("HopTime", TIMES)]) + f"MipsRatio = {draw.choice(['1', '0.41', '2.385'])}\n"


def answer(*words):
    """Returns mpgsim's JSON, or its error message."""
    done = subprocess.run([MPGSIM, "--json", "--without=choice", "--replicas=3", "--cache=fresh", *words], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.decode()


def difference(a, b):
    """Returns the largest difference between the ranks of two results, in ns; for errors 0 if they are equal."""
    if isinstance(a, str) or isinstance(b, str):
        return 0 if a == b else f"{a} | {b}"
    largest = 0
    for x, y in zip(a["ranks"], b["ranks"]):
        for key in x["delay_ns"]:
            one, other = x["delay_ns"][key], y["delay_ns"][key]
            pairs = zip(one, other) if isinstance(one, list) else [(one, other)]
            largest = max([largest] + [abs(p - q) - 4e-16 * abs(p) for p, q in pairs])
    return largest


def accounts(a):
    """Returns the largest difference between a rank's run time and the sum of its parts."""
    if isinstance(a, str):
        return 0
    return max(abs(x["run_ns"] - sum(x[k] for k in ("work_ns", "wait_ns", "service_ns", "barrier_ns", "processor_ns",
                                                    "call_ns"))) - 1e-12 * x["run_ns"]
               for x in a["extrapolation"]["ranks"])


def main():
    bad, answered = [], [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, SEEDS + 1):
            trace = make(seed, folder, None)
            limit = random.Random(seed).choice([[], ["--eager-limit=100"], ["--eager-limit=-1"]])
            par = write(os.path.join(folder, "a.par"), parameters(seed) + FREE)
            lanes, events = (answer(f"--target={par}", f"--target=engine={how}", *limit, trace) for how in ("graph", "events"))
            answered[0] += not isinstance(events, str)
            found = difference(lanes, events)
            if isinstance(found, str) or found > 1e-6:
                bad.append(f"seed {seed}: parameters: {found}")
            sig = os.path.join(folder, "a.sig")
            made = subprocess.run([sys.executable, os.path.join(ORACLE, "randomsignature.py"), "--seed", str(seed),
                                   "--parts", "noise,network,collectives"], check=True, stdout=subprocess.PIPE)
            with open(sig, "wb") as file:
                file.write(made.stdout)
            par = write(os.path.join(folder, "b.par"), "Policy = offload\n")
            lanes, events = (answer(f"--signature={sig}", f"--target={par}", "--target=BarrierAlgorithm=rounds",
                                    f"--target=engine={how}", *limit, trace) for how in ("graph", "events"))
            answered[1] += not isinstance(events, str)
            found = difference(lanes, events)
            if isinstance(found, str) or found > 1e-6:
                bad.append(f"seed {seed}: signature: {found}")
            # a rank that serves nobody waits as long with any policy; polls cost something else
            trace = make(seed, folder, EAGER)
            par = write(os.path.join(folder, "c.par"), parameters(seed) + "BarrierAlgorithm = rounds\n")
            free, *others = (answer(f"--target={par}", f"--target=Policy={how}", trace)
                             for how in ("offload", "none", "interrupt", "poll"))
            for other in others:
                answered[2] += not isinstance(other, str)
                found = difference(free, other)
                if isinstance(found, str) or found > 1e-6 * max(1, 1e-9 * free["run_time_ns"]["median"]):
                    bad.append(f"seed {seed}: policy: {found}")
                if accounts(other) > 1e-3:
                    bad.append(f"seed {seed}: what runs consist of is not the runs: {accounts(other)}")
    for i, (what, word) in enumerate([("lanes and events, parameters", "parameters"), ("lanes and events, signatures", "signature"),
                              ("policies without requests", "polic")]):
        ok = not any(word in line for line in bad) and answered[i] > SEEDS / 2
        print(f"{'ok' if ok else 'not ok'} {i + 1} - {what} ({answered[i]} answers)")
    for line in bad:
        print("#", line.strip()[:300])
    print("1..3")


main()
