#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Factors of a signature's values, by hand (TAP): --latency=xF, --byte=xF, --noise=xF, --call-noise=xF, in both modes,
in sweeps and with --tolerate (docs/MODEL.md, section 3, Factors)."""

import json
import os
import subprocess
import tempfile

from closed_forms import END, MPGSIM, answer, collective, delays, expect, main, path, same, signature, spread, trace

EMPTY, SLOPE, SIZE = 403.0, 2.385, 513
TIMES = {1: EMPTY, 1025: EMPTY + 1024 * SLOPE}
REST = (SIZE - 1) * SLOPE
ONE_WAY = EMPTY + REST
PING = signature(path(latency=TIMES))


def ring():
    """Rank 0 sends to 1, 1 to 2, 2 to 0. All receives wait from the begin on; then all ranks work until END."""
    first, hop = 1000, int(ONE_WAY)
    programs = []
    for rank in range(3):
        arrives = first + (rank or 3) * hop
        send = f"{first if rank == 0 else arrives} {(first if rank == 0 else arrives) + 10} Send comm=0 to={(rank + 1) % 3} " \
               f"tag=1 bytes={SIZE}"
        receive = f"{first + 10 if rank == 0 else first} {arrives} Recv comm=0 from={(rank + 2) % 3} tag=1 bytes={SIZE}"
        programs.append([send, receive] if rank == 0 else [receive, send])
    return trace(3, *programs, more=["#comm 0 = 0 1 2"])


RING = ring()


def runs(text, *words, **signatures):
    """Returns the predicted run time of every rank."""
    result = answer(text, "--predict", "--replicas=1", "--source=none", *words, **signatures)
    return [rank["traced_ns"] + rank["delay_ns"]["median"] for rank in result["ranks"]]


def changed(text, *words, of=PING):
    """Returns by how much the options WORDS change the predicted run time of every rank."""
    return [b - a for a, b in zip(runs(text, signature=of), runs(text, *words, signature=of))]


def test_the_run_is_three_messages():
    now = runs(RING, signature=PING)
    later = runs(RING, "--latency=0", "--byte=0")
    expect([a - b for a, b in zip(now, later)], 3 * ONE_WAY - 10, ONE_WAY, 2 * ONE_WAY)  # rank 0 sends for 10 ns


def test_latency_multiplies_the_empty_message():
    expect(changed(RING, "--latency=x2"), 3 * EMPTY, EMPTY, 2 * EMPTY)
    expect(changed(RING, "--latency=x0.25"), -3 * 0.75 * EMPTY, -0.75 * EMPTY, -2 * 0.75 * EMPTY)
    expect(changed(RING, "--latency=x0"), -3 * EMPTY, -EMPTY, -2 * EMPTY)


def test_byte_multiplies_the_rest():
    expect(changed(RING, "--byte=x3"), 3 * 2 * REST, 2 * REST, 2 * 2 * REST)
    expect(changed(RING, "--byte=x0"), -3 * REST, -REST, -2 * REST)


def test_both():
    expect(changed(RING, "--latency=x1.5", "--byte=x0.5"), *[k * (0.5 * EMPTY - 0.5 * REST) for k in (3, 1, 2)])


def test_one_changes_nothing():
    assert runs(RING, "--latency=x1", "--byte=x1", signature=PING) == runs(RING, signature=PING)
    assert runs(ALONE, "--noise=x1", signature=NOISY) == runs(ALONE, signature=NOISY)


def test_beyond_the_largest_size():
    """The slope of the last two sizes continues, multiplied by the factor."""
    far = signature(path(latency=TIMES, bandwidth=TIMES))
    text = RING.replace(f"bytes={SIZE}", "bytes=5001")
    expect(changed(text, "--byte=x2", of=far), *[k * 5000 * SLOPE for k in (3, 1, 2)])


def test_perturbed_against_the_machine_itself():
    expect(delays(RING, "--latency=x2", signature=PING, source=PING), 3 * EMPTY, EMPTY, 2 * EMPTY)
    expect(delays(RING, "--byte=x3", signature=PING, source=PING), 3 * 2 * REST, 2 * REST, 2 * 2 * REST)
    expect(delays(RING, "--latency=x1", signature=PING, source=PING), 0, 0, 0)


def test_distributions_at_each_probability():
    """X(u) = 400 + 300 u for an empty message, 1400 + 700 u at 1025 bytes; checked with the smallest and largest draws
    of many replicas."""
    wide = signature(path(latency={1: spread(400, 700), 1025: spread(1400, 2100)}))
    text = trace(2, [f"1000 1010 Send comm=0 to=1 tag=1 bytes=1025"], [f"1000 3000 Recv comm=0 from=0 tag=1 bytes=1025"],
                 more=["#comm 0 = 0 1"])
    for words, at in (([], lambda u: 1400 + 700 * u), (["--latency=x2"], lambda u: 1400 + 700 * u + 400 + 300 * u),
                      (["--byte=x2"], lambda u: 1400 + 700 * u + 1000 + 400 * u),
                      (["--latency=x3", "--byte=x2"], lambda u: 3 * (400 + 300 * u) + 2 * (1000 + 400 * u))):
        rank = answer(text, "--predict", "--replicas=2000", "--source=none", *words, signature=wide)["ranks"][1]
        work = END - 3000 + 900  # since MPI_Init until the call, and after it
        took = rank["traced_ns"] + rank["delay_ns"]["median"] - work
        assert abs(took - at(0.5)) < 0.05 * (at(1) - at(0)), (words, took, at(0.5))


def test_overheads_stay_within_their_caps():
    """o_r = 300 is charged completely; if the message takes a fiftieth of its time, at most that is charged."""
    slow = signature(path(latency={1: 403}, receive_overhead={1: 300}))
    text = trace(2, ["1000 1010 Send comm=0 to=1 tag=1 bytes=1"], ["5000 5010 Recv comm=0 from=0 tag=1 bytes=1"],
                 more=["#comm 0 = 0 1"])
    received = runs(text, signature=slow)[1] - (END - 5010 + 4900)
    expect([received], 300)
    expect(changed(text, "--latency=x2", of=slow), 0, 0)
    expect(changed(text, "--latency=x0.02", of=slow), 0, 403 * 0.02 - 300)


def met(operation, size=None):
    return trace(4, *[[f"1000 {END - 5000} {operation} comm=0" + (f" bytes={size}" if size else "")] for _ in range(4)],
                 more=["#comm 0 = 0 1 2 3"])


def test_collectives_measured_as_a_whole():
    """Four ranks: a barrier takes two rounds of messages. The measured one took ten times as long, and keeps this ratio
    with changed messages."""
    of = signature(path(latency=TIMES), collectives=collective("barrier", 4, {0: 20 * EMPTY}))
    expect(changed(met("Barrier"), "--latency=x2", of=of), *[20 * EMPTY] * 4)
    expect(changed(met("Barrier"), "--byte=x2", of=of), *[0] * 4)
    of = signature(path(latency=TIMES), collectives=collective("allreduce", 4, {SIZE: 5000, 1025: 9000}))
    expect(changed(met("Allreduce", SIZE), "--byte=x2", of=of), *[5000 * REST / ONE_WAY] * 4)
    expect(changed(met("Allreduce", SIZE), "--latency=x2", "--byte=x2", of=of), *[5000] * 4)


def test_collectives_of_messages():
    """Eight ranks were not measured: three rounds, multiplied by the ratio for four."""
    of = signature(path(latency=TIMES), collectives=collective("barrier", 4, {0: 20 * EMPTY}))
    text = trace(8, *[[f"1000 {END - 5000} Barrier comm=0"] for _ in range(8)],
                 more=["#comm 0 = 0 1 2 3 4 5 6 7"])
    expect(changed(text, "--latency=x2", of=of), *[30 * EMPTY] * 8)


def test_sends_that_wait():
    """W(d) grows like the one-way time of its size."""
    of = signature(path(eager_limit=100, latency=TIMES, sender={1: 10, 1025: 4000}))
    text = trace(2, ["1000 9000 Send comm=0 to=1 tag=1 bytes=1025"], ["500 9000 Recv comm=0 from=0 tag=1 bytes=1025"],
                 more=["#comm 0 = 0 1"])
    whole = TIMES[1025]
    expect(changed(text, "--latency=x2", of=of), 4000 * EMPTY / whole, EMPTY)


NOISY = signature(path(latency={1: 403}), noise=[{"core": 0, "span_ns": 1000000, "detours": {
    "start_ns": list(range(5000, 1000000, 10000)), "duration_ns": [1000] * 100}}])
NOISY["version"] = [3, 0]
ALONE = trace(1, [], more=["#comm 0 = 0"])


def test_noise():
    quiet = END - 100
    lost = runs(ALONE, signature=NOISY)[0] - quiet
    assert lost > 90000, lost
    for factor in (0, 0.1, 0.5, 3):
        expect(runs(ALONE, f"--noise=x{factor}", signature=NOISY), quiet + factor * lost)


def test_call_noise():
    """A Send of 200 us that does not wait."""
    text = trace(2, ["1000 201000 Send comm=0 to=1 tag=1 bytes=1"], ["500 10000 Recv comm=0 from=0 tag=1 bytes=1"],
                 more=["#comm 0 = 0 1"])
    def lost(*words, **more):
        return delays(text, "--noise=x0", "--latency=0", "--byte=0", *words, signature=NOISY, **more)[0]
    none, whole = lost("--source=none"), lost("--source=none", "--call-noise=x1")
    assert whole - none >= 15000, (none, whole)
    expect([lost("--source=none", "--call-noise=x0.5") - none, lost("--source=none", "--call-noise=x2") - none],
           (whole - none) / 2, 2 * (whole - none))
    base = lost("--call-noise=x1", source=NOISY)
    assert lost("--call-noise=x2", source=NOISY) - base >= 15000


def run(*words):
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for name, given in (("a.sig", PING), ("noisy.sig", NOISY)):
            names[name] = os.path.join(folder, name)
            with open(names[name], "w", encoding="ascii") as out:
                json.dump(given, out)
        words = [names.get(word.rpartition("=")[2], "") and word.rpartition("=")[0] + "=" + names[word.rpartition("=")[2]] or word
                 for word in words]
        done = subprocess.run([*MPGSIM, *words, "-"], input=RING, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def rows(*words):
    status, out, said = run("--json", "--replicas=1", "--source=none", "--predict", "--signature=a.sig", *words)
    assert status == 0, said
    return json.loads(out)


def test_swept():
    alone = [max(runs(RING, f"--latency=x{f}", signature=PING)) for f in (1, 2, 4)]
    for words in (["--sweep=latency=x1,x2,x4"], ["--latency=x0.5", "--sweep=latency=2,4,8"]):
        found = rows(*words)["rows"]
        expect([row["run_time_ns"]["median"] for row in found], *alone)
    found = rows("--sweep=byte=x0:x2:3")["rows"]
    expect([row["run_time_ns"]["median"] for row in found],
           *[max(runs(RING, f"--byte=x{f}", signature=PING)) for f in (0, 1, 2)])


def test_noise_swept():
    found = json.loads(run("--json", "--replicas=1", "--source=none", "--predict", "--signature=noisy.sig",
                           "--sweep=noise=x0,x0.5,x1")[1])["rows"]
    expect([row["run_time_ns"]["median"] for row in found],
           *[max(runs(RING, f"--noise=x{f}", signature=NOISY)) for f in (0, 0.5, 1)])


def test_tolerated():
    """The run may take ten messages longer; the latency part of its three messages is 3 F of 403 ns."""
    base = max(runs(RING, signature=PING))
    limit = 10 * ONE_WAY / base * 100
    found = rows("--latency=x1", f"--tolerate={limit!r}%:latency")["tolerance"]
    limit = 1 + 10 * ONE_WAY / (3 * EMPTY)
    assert 0.99 * limit < found["value"] <= limit * (1 + 1e-9), (found, limit) # each factor is a simulation: to 1 %


def test_the_answer_says_so():
    options = answer(RING, "--predict", "--latency=x2", "--byte=x0.5", "--replicas=1", signature=PING)["options"]
    assert (options["latency_factor"], options["byte_factor"]) == (2, 0.5), options
    assert (options["latency"], options["byte"]) == ("signature", "signature"), options
    text = run("--predict", "--latency=x2", "--source=none", "--signature=a.sig")[1]
    assert "by 2 for an empty message" in text, text


def test_a_bare_time_is_constant():
    assert runs(RING, "--latency=10us") == runs(RING, "--latency=const:10us")
    assert delays(RING, "--noise=5us@1") == delays(RING, "--noise=const:5us@1") != [0, 0, 0]
    found = [json.loads(run("--json", "--predict", f"--sweep=latency={values}")[1])["rows"]
             for values in ("10us,20us", "const:10us,const:20us")]
    assert found[0] == found[1] and len(found[0]) == 2


def test_refused():
    for said, *words in (("--latency: xF multiplies a signature's message times, and there is no --signature", "--latency=x2"),
                         ("--latency: xF multiplies the signature's values, but '5us' replaces these values", "--latency=x2", "--latency=5us", "--signature=a.sig"),
                         ("--latency: two factors, x2 and x3", "--latency=x2", "--latency=x3", "--signature=a.sig"),
                         ("--byte: 'x-1': a factor is not below 0", "--byte=x-1", "--signature=a.sig"),
                         ("--byte: 'x2e6' is not from x0 to x1e6", "--byte=x2e6", "--signature=a.sig"),
                         ("families are fitted", "--byte=x2", "--signature=a.sig", "--models=latency=fit"),
                         ("and --predict does not use recorded calls", "--call-noise=x2", "--predict", "--signature=noisy.sig"),
                         ("and --latency=x2 exclude each other", "--latency=x2", "--sweep=latency=x1,x2", "--signature=a.sig"),
                         ("--sweep: 'latency=x1,x2': xF multiplies", "--sweep=latency=x1,x2"),
                         ("'2' is not x and a factor", "--sweep=latency=x1,2", "--signature=a.sig"),
                         ("did you mean latency?", "--sweep=latensy=x1,x2", "--signature=a.sig"),
                         ("did you mean byte?", "--tolerate=5%:bite", "--signature=a.sig")):
        status, out, err = run(*words)
        assert status == 2 and not out and err.count("\n") == 1 and said in err, (words, status, err)
    status, _, err = run("--perturb", "--latency=x2", "--signature=a.sig", "--source=none")
    assert status == 1 and "message times on the traced machine are unknown: give --source=FILE" in err, err
    status, _, err = run("--noise=x2", "--signature=a.sig")
    assert status == 1 and "a.sig: --noise=x2: the signature has no noise" in err, err


main(globals())
