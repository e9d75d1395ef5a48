#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pipelines of examples/ci/ (TAP): both run the commands that docs/guide/ci.md shows, and these commands work: two versions of a
program that take equally long give a verdict, whichever on a busy machine."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import xml.etree.ElementTree

from tap import finish, ok, skip

SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))
BUILD = os.path.abspath(os.environ.get("top_builddir", "."))


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def commands(text):
    """The lines from "for i in" to the end of the command mpgtrace compare."""
    found = re.search(r"^ *for i in .*?^ *mpgtrace compare (?:[^\n]*\\\n)*[^\n]*\n", text, re.M | re.S)
    return textwrap.dedent(found.group()) if found else None


def shown(text):
    """The same commands of a guide page, in which $ and > stand before them."""
    found = re.search(r"^    \$ (for i in .*?\n(?:    >[^\n]*\n)*    \$ mpgtrace compare [^\n]*\n(?:    >[^\n]*\n)*)", text, re.M | re.S)
    return found and re.sub(r"^    [$>] ", "", found.group(1), flags=re.M)


def without_strict(text):
    return re.sub(r"\\\n *--strict ", r"\\\n    ", text)


def write_program(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def run_pipeline(text, folder):
    """Runs the commands TEXT. mpirun and mpgtrace on the PATH are links to the tested programs."""
    os.symlink(os.path.abspath(os.environ["MPGTRACE"]), f"{folder}/bin/mpgtrace")
    mpirun = shutil.which(os.environ.get("MPIRUN", "mpirun"))
    if os.path.basename(mpirun) != "mpirun":
        text = text.replace("mpirun", mpirun)
    env = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=folder, env=env, capture_output=True, text=True,
                          check=False, timeout=300)


def main():
    pipelines = {name: commands(read(f"examples/ci/{name}")) for name in ("gitlab-ci.yml", "github-actions.yml")}
    guide = shown(read("docs/guide/ci.md"))
    for name, text in pipelines.items():
        ok(f"{name} runs the commands of the guide", text and guide and without_strict(text) == without_strict(guide),
           f"{text!r} instead of {guide!r}")
    try:
        import yaml
        for name in pipelines:
            ok(f"{name} is YAML", isinstance(yaml.safe_load(read(f"examples/ci/{name}")), dict))
    except ImportError:
        skip("the pipelines are YAML", "no Python module yaml")
    halo = f"{BUILD}/examples/halo/halo"
    if os.environ.get("MPGKIT_MPI", "yes") != "yes" or not os.access(halo, os.X_OK) or \
            not shutil.which(os.environ.get("MPIRUN", "mpirun")):
        skip("the commands work", "built without MPI")
        return finish()
    with tempfile.TemporaryDirectory() as folder:
        for part in ("bin", "before", "after"):
            os.mkdir(f"{folder}/{part}")
        text = pipelines["gitlab-ci.yml"]
        write_program(f"{folder}/before/app", f'#!/bin/sh\nexec "{halo}" 200 20000\n')
        write_program(f"{folder}/after/app", f'#!/bin/sh\nexec "{halo}" 200 20000\n')
        done = run_pipeline(text, folder)
        ok("the commands give a verdict", done.returncode in (0, 3, 4) and "fail if run > +10 %: " in done.stdout,
           f"{done.returncode} {done.stdout!r} {done.stderr!r}")
        cases = xml.etree.ElementTree.parse(f"{folder}/performance.xml").getroot()[0]
        ok("JUnit has both conditions", [case.attrib["name"] for case in cases] == ["fail if run > +10 %", "fail if computation > +10 %"])
    return finish()


if __name__ == "__main__":
    sys.exit(main())
