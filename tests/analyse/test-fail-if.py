#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace compare --fail-if on synthetic traces (TAP): verdicts by hand, exit statuses, JUnit and TAP, wrong conditions, full disks,
another locale. The environment variable MPGTRACE names the program."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from tap import finish, ok, skip

MPGTRACE = os.path.abspath(os.environ.get("MPGTRACE", "./mpgtrace"))
SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))


def run(*words, **more):
    return subprocess.run([MPGTRACE, "compare", *words], capture_output=True, text=True, check=False, **more)


def is_same(name, found, wanted):
    ok(name, found == wanted, f"{found} instead of {wanted}")


def make(path, work, wait=100, region="sweep", function="f", program=None):
    """A run of 2 ranks: WORK in a region, then a barrier of WAIT and one of 50."""
    lines = ["#mpgtext 1", "#ranks 2", "#clocks shared", f'#module 0 = - "python:{function}:/src/a.py"', "#site 0 = 0+0x9"]
    if program:
        lines += [f"#fact {r} program {program}" for r in range(2)]
    for r in range(2):
        end = 1000 + work
        lines += [f"{r} 0 1000 Init", f'{r} 1000 1000 Region_begin name="{region}"', f'{r} {end} {end} Region_end name="{region}"',
                  f"{r} {end} {end + wait} Barrier site=0", f"{r} {end + wait} {end + wait + 50} Barrier",
                  f"{r} {end + wait + 50} {end + wait + 60} Finalize"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def sides():
    """Runs of 1050, 1090, 1070 before; 990, 950, 970 after; waits of 100, 104, 102 and 200, 210, 190."""
    before = [make(f"b{i}.txt", w, wait) for i, (w, wait) in enumerate(((900, 100), (936, 104), (918, 102)))]
    after = [make(f"a{i}.txt", w, wait) for i, (w, wait) in enumerate(((740, 200), (690, 210), (730, 190)))]
    return [*before, "--", *after]


def results(*words, traces):
    done = run("--json", *(word for text in words for word in ("--fail-if", text)), *traces)
    return json.loads(done.stdout)["conditions"], done


def test_verdicts(traces):
    """Run times have means 1070 and 970 and variances 400: the difference has standard error sqrt(800 / 3), 4 degrees of freedom."""
    found, done = results("run < -10ns", traces=traces)
    half = 2.776445105197793 * math.sqrt(800 / 3)
    ok("a limit as a time: the interval by hand", math.isclose(found[0]["change_low"], -100 - half, rel_tol=1e-9) and
       math.isclose(found[0]["change_high"], -100 + half, rel_tol=1e-9) and found[0]["change"] == -100, found)
    is_same("... beyond it: failed", (found[0]["verdict"], done.returncode), ("failed", 3))
    is_same("... with the numbers of recordings", (found[0]["number_before"], found[0]["number_after"], found[0]["confidence"]),
            (3, 3, 0.95))
    for text, verdict, status in (
            ("run < -4 %", "failed", 3), ("run < -9 %", "undecided", 0), ("run > 0", "passed", 0), ("run > -5 %", "passed", 0),
            ("run<-200 ns", "passed", 0), ("mpi > +30%", "failed", 3), ("region sweep > 0", "passed", 0),
            ("region sweep < 0 %", "failed", 3), ("call Barrier > +10 %", "failed", 3), ("call MPI_Barrier > +10 %", "failed", 3),
            ("callsite f (a.py:9) > +20ns", "failed", 3), ("callsite MPI_Barrier, f > +200 %", "passed", 0),
            ("computation before MPI_Barrier, f (a.py:9) < -100ns", "failed", 3), ("efficiency < -0.01", "failed", 3),
            ("load-balance < -0.01", "passed", 0), ("efficiency < -5 %", "failed", 3), ("off-cpu > +10 %", "passed", 0)):
        done = run("--fail-if", text, *traces)
        first = [line for line in done.stdout.splitlines() if f"fail if {text}: " in line]
        ok(f"'{text}': {verdict}", done.returncode == status and len(first) == 1 and first[0].startswith(verdict),
           f"{done.returncode} {done.stdout} {done.stderr}")
        ok("... on standard error unless passed", done.stderr.count("\n") == (verdict != "passed") and
           (verdict == "passed" or done.stderr.startswith(f"mpgtrace compare: {verdict}: fail if {text}: ")), done.stderr)
    line = run("--fail-if", "run < -4 %", *traces).stdout
    ok("the line has change, interval, n", re.search(r"^failed +fail if run < -4 %: change -9\.3 %, 95 % interval -13\.\d % to "
                                                    r"-5\.\d %, n = 3 and 3$", line, re.M), line)


def test_several(traces):
    """Intervals of several conditions are wider (Bonferroni), and a failure counts more than an undecided condition."""
    found, done = results("run < -10ns", "run < -9 %", traces=traces)
    ok("two conditions: intervals of 97.5 %", found[0]["confidence"] == 0.975 and found[0]["change_low"] < -145.4, found)
    is_same("a failure counts more than an undecided condition", done.returncode, 3)
    is_same("... with --strict, too", run("--strict", "--fail-if=run < -10ns", "--fail-if=run < -9 %", *traces).returncode, 3)
    is_same("undecided, --strict", run("--strict", "--fail-if=run < -9 %", *traces).returncode, 4)
    is_same("passed, --strict", run("--strict", "--fail-if=run > 0", *traces).returncode, 0)
    is_same("no condition: no such array", "conditions" in json.loads(run("--json", *traces).stdout), False)


def test_few(traces):
    """Fewer than three recordings on a side, and copies of one recording."""
    for name, words, why in (("one each", [traces[0], traces[-1]], "record each version at least three times"),
                             ("two after", [*traces[:4], *traces[4:6]], "record each version at least three times"),
                             ("copies", [traces[0]] * 3 + traces[3:], "copies of one recording?")):
        done = run("--fail-if=run < -1 %", *words)
        ok(f"{name}: undecided", done.returncode == 0 and "undecided" in done.stdout and why in done.stdout, done.stdout)
        is_same("... --strict", run("--strict", "--fail-if=run < -1 %", *words).returncode, 4)
    new = [make(f"new{i}.txt", 900 + i, 100, region="new") for i in range(3)]
    done = run("--fail-if=region new > +5 %", *traces[:4], *new)
    ok("a new region has no ratio", "undecided" in done.stdout and "0 before the change: give the limit as a time" in done.stdout,
       done.stdout)
    is_same("... but a time", run("--fail-if=region new > +5ns", *traces[:4], *new).returncode, 3)


def test_junit(traces):
    """JUnit is well-formed, and has only elements and attributes that common servers read."""
    odd = 'region <a>&"\u00e9\x1b\ufffe > 0'
    wild = [make(f"w{i}.txt", 900 + i * i, 100, region='<a>&\\"\u00e9\x1b\ufffe') for i in range(3)]
    first = run("--all", *wild, "--", *wild).stdout
    ok("the region is there", '<a>&"' in first, first)
    for strict, texts, wanted in (
            ([], ["run < -10ns", "run < -9 %", "run > 0"], {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}),
            (["--strict"], ["run < -10ns", "run < -9 %", "run > 0"], {"tests": "3", "failures": "1", "errors": "1", "skipped": "0"})):
        run(*strict, "--junit", "out.xml", *(f"--fail-if={text}" for text in texts), *traces)
        root = xml.etree.ElementTree.parse("out.xml").getroot()
        suite = root[0]
        is_same("JUnit: counts", {k: v for k, v in suite.attrib.items() if k != "name"}, wanted)
        is_same("... one case a condition", [case.attrib["name"] for case in suite], [f"fail if {text}" for text in texts])
        is_same("... outcomes", [[child.tag for child in case] for case in suite],
                [["failure"], ["error" if strict else "skipped"], []])
        ok("... failure has message and content", suite[0][0].attrib["message"] == suite[0][0].text and "n = 3 and 3" in suite[0][0].text,
           suite[0][0].attrib)
        allowed = {"testsuites": set(), "testsuite": {"name", "tests", "failures", "errors", "skipped"},
                   "testcase": {"name", "classname"}, "failure": {"type", "message"}, "error": {"type", "message"},
                   "skipped": {"message"}}
        ok("... known elements and attributes only", all(set(e.attrib) <= allowed[e.tag] for e in root.iter()),
           [(e.tag, e.attrib) for e in root.iter()])
    done = run("--junit", "odd.xml", "--fail-if", odd, *wild, "--", *wild)
    if done.returncode == 1:
        ok("a name with control characters", False, done.stderr)
    else:
        name = xml.etree.ElementTree.parse("odd.xml").getroot()[0][0].attrib["name"]
        is_same("names are escaped", name, 'fail if region <a>&"\u00e9\\x1b\ufffd > 0')
    if shutil.which("xmllint"):
        is_same("xmllint", subprocess.run(["xmllint", "--noout", "out.xml", "odd.xml"], check=False).returncode, 0)
    done = run("--junit", "-", "-o", "text.txt", "--fail-if=run > 0", *traces)
    ok("JUnit to standard output", xml.etree.ElementTree.fromstring(done.stdout).tag == "testsuites" and os.path.exists("text.txt"))


def test_tap(traces):
    texts = ["run < -10ns", "run < -9 %", "run > 0"]
    conditions = [f"--fail-if={text}" for text in texts]
    lines = run("--tap", *conditions, *traces).stdout.splitlines()
    is_same("TAP", [line for line in lines if not line.startswith("# ")],
            ["TAP version 13", "1..3", "not ok 1 - fail if run < -10ns", "ok 2 - fail if run < -9 % # SKIP undecided",
             "ok 3 - fail if run > 0"])
    ok("... with sentences", sum("n = 3 and 3" in line for line in lines if line.startswith("# ")) == 3, lines)
    lines = run("--tap", "--strict", *conditions, *traces).stdout
    ok("... --strict", "\nnot ok 2 - fail if run < -9 %\n" in lines, repr(lines))
    hashed = [make(f"h{i}.txt", 900 + i, 100, region="a # SKIP b") for i in range(3)]
    lines = run("--tap", "--fail-if=region a # SKIP b > +5 %", *hashed, "--", *hashed).stdout
    ok("... a hash in a name is no directive", "ok 1 - fail if region a \\# SKIP b > +5 %\n" in lines, repr(lines))
    if shutil.which("prove"):
        with open("out.tap", "w", encoding="utf-8") as file:
            file.write(run("--tap", *conditions, *traces).stdout)
        done = subprocess.run(["prove", "-e", "cat", "out.tap"], capture_output=True, text=True, check=False)
        ok("prove reads it", "Failed 1/3" in done.stdout + done.stderr, repr(done.stdout + done.stderr))


def test_errors(traces):
    for text, words in (
            ("run", "is not a condition such as 'run > +5 %'"), ("", "--fail-if"), ("> +5 %", "no quantity before >"),
            ("run >", "no limit after >"), ("run > 5 %", "the limit is a change, and has a sign"), ("run > +", "is not a limit"),
            ("run > +5", "the limit of a time has a unit"), ("run > +x %", "is not a limit"), ("run > +5 parsecs", "parsecs"),
            ("run < -150 %", "from -100 % to"), ("run > +1e99 %", "from -100 % to"), ("run > +nan %", "is not a limit"),
            ("run > +inf", "is not a limit"), ("run > +1e999 %", "--fail-if"), ("rnu > +5 %", "did you mean run?"),
            ("region > +5 %", "'region' is not run"), ("efficiency < -5ms", "is a fraction"), ("run > +" + "9" * 99 + " %", "no limit"),
            ("run > +5 % %", "--fail-if"), ("run > +-5 %", "is not a limit")):
        done = run("--fail-if", text, *traces)
        ok(f"'{text}'", done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1 and words in done.stderr,
           f"{done.returncode} {done.stderr}")
    for text in ("region nowhere > +5 %", "call Nothing > +5 %", "callsite g > +5 %"):
        done = run("--fail-if", text, *traces)
        ok(f"'{text}': no recording has it", done.returncode == 1 and not done.stdout and done.stderr.count("\n") == 1 and
           "no recording has the" in done.stderr, done.stderr)
    for words in (["--tap"], ["--strict"], ["--junit=x.xml"], ["--tap", "--json", "--fail-if=run > 0"],
                  ["--junit=-", "--fail-if=run > 0"], ["--junit=x", "-o", "x", "--fail-if=run > 0"],
                  [f"--junit={traces[0]}", "--fail-if=run > 0"]):
        done = run(*words, *traces)
        ok(f"{' '.join(words)}", done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1, done.stderr)
    is_same("no input was overwritten", run(*traces).returncode, 0)
    for words in (["--junit=/dev/full"], ["-o", "/dev/full"], ["--tap", "-o", "/dev/full"], ["--junit=no/such/folder.xml"]):
        done = run(*words, "--fail-if=run > 0", *traces)
        ok(f"{' '.join(words)}: an error", done.returncode == 1 and done.stderr.count("\n") == 1, f"{done.returncode} {done.stderr}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([MPGTRACE, "compare", "--tap", "--fail-if=run > 0", *traces], stdout=full, stderr=subprocess.PIPE,
                              check=False)
    is_same("a full disk is 1 and not the verdict", done.returncode, 1)


def test_locale(traces):
    words = ["--fail-if=run < -4.5 %", "--junit=l.xml", *traces]
    before = run(*words).stdout, open("l.xml", encoding="utf-8").read()
    env = dict(os.environ, LC_ALL="de_DE.UTF-8", LC_NUMERIC="de_DE.UTF-8")
    is_same("another locale changes nothing", (run(*words, env=env).stdout, open("l.xml", encoding="utf-8").read()), before)


def test_programs():
    """Recordings of two programs have no callsite in common."""
    one = [make(f"p{i}.txt", 900 + i, program="./one 5") for i in range(2)]
    with open("two.txt", "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 2\n" + "".join(
            f"#fact {r} program ./two 7\n" for r in range(2)) + "".join(
                f"{r} 0 1000 Init\n{r} 2000 2400 Allreduce comm=0 bytes=8\n{r} 2400 2410 Finalize\n" for r in range(2)))
    done = run(one[0], "two.txt")
    ok("two programs: a warning", re.search(r"^Programs +only 0\.0 % of the time is in callsites of both: two programs\? Before: "
                                            r"\./one 5; after: \./two 7$", done.stdout, re.M), done.stdout)
    ok("one program: none", "Programs" not in run(*one).stdout)
    ok("... JSON has the share", json.loads(run("--json", one[0], "two.txt").stdout)["shared"] == 0 and
       json.loads(run("--json", *one).stdout)["shared"] == 1)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        traces = sides()
        test_verdicts(traces)
        test_several(traces)
        test_few(traces)
        test_junit(traces)
        test_tap(traces)
        test_errors(traces)
        test_locale(traces)
        test_programs()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
