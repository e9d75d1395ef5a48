#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of mpgscale run (TAP): printed on a terminal in the foreground, nowhere else. The environment variable
MPGSCALE names the program; its launcher is a script that waits."""

import os
import pty
import select
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
from tap import MPGSCALE, ok, parts, run  # noqa: E402


def command(folder, name):
    launcher = os.path.join(folder, "launcher")
    if not os.path.exists(launcher):
        with open(launcher, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\nsleep 2\necho no such machine\nexit 3\n")
        os.chmod(launcher, 0o755)
    return ["run", "--counts=1,2", "--repetitions=1", "-o", os.path.join(folder, name), "--", launcher, "{ranks}", "true"]


def session(arguments, in_front):
    """In a child that leads a terminal: starts mpgscale in a process group of its own, IN_FRONT or, like a shell's &,
    in the background."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        if in_front:
            os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(MPGSCALE, [MPGSCALE, *arguments])
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def on_terminal(arguments, in_front):
    """Returns what appears on the terminal, and the exit status."""
    leader, descriptor = pty.fork()
    if leader == 0:
        session(arguments, in_front)
    seen = b""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([descriptor], [], [], 0.2)[0]:
            try:
                more = os.read(descriptor, 4096)
            except OSError:
                break
            if not more:
                break
            seen += more
    os.close(descriptor)
    return seen.decode(errors="replace"), os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1])


def shows(folder):
    seen, status = on_terminal(command(folder, "front"), True)
    ok(status == 1 and all("mpgscale run: 0 of 2 runs done, %s now, seconds: 1" % n in seen for n in ("1 rank", "2 ranks")),
       "on a terminal it shows how far it is", status, seen)
    ok(seen.count("\n") == 5 and seen.count("no such machine") == 2, "... in lines that are written over", seen)
    seen, status = on_terminal(command(folder, "behind"), False)
    ok(status == 1 and "seconds:" not in seen and seen.count("no such machine") == 2,
       "in a terminal's background it shows what it has to say alone", status, seen)
    done = run(*command(folder, "pipe"))
    ok(done.returncode == 1 and "seconds:" not in done.stderr and "\r" not in done.stderr, "in a pipe it does not",
       done.stderr)


if __name__ == "__main__":
    parts(shows)
