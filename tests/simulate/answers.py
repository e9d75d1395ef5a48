# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of mpgsim's answers have in common: TAP, runs with floors found anew, traces as text. The environment
variable MPGSIM names the program."""

import json
import os
import subprocess

from tap import finish, ok  # noqa: F401, for who imports this

MPGSIM = os.environ.get("MPGSIM", "mpgsim")


def run(*arguments):
    done = subprocess.run([MPGSIM, "--floors=fresh", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def answer(*arguments):
    status, out, err = run("--json", *arguments)
    if status != 0:
        raise RuntimeError(err)
    return json.loads(out)


def write(name, ranks, lines):
    """Clocks are shared, communicator 0 has all ranks."""
    with open(name, "w", encoding="ascii") as out:
        out.write(f"#mpgtext 1\n#ranks {ranks}\n#clocks shared\n#comm 0 = {' '.join(map(str, range(ranks)))}\n")
        out.writelines(line + "\n" for line in lines)
