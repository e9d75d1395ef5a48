#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Callsites of a program in Python (TAP): the lines that the interpreter itself says, in nested
# functions, generators, threads, in statements of several lines and code made at run time.
# shellcheck disable=SC2086
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"

python=
for candidate in "${WHOLE_PYTHON3:-python3}" /usr/bin/python3; do
    # It must use the tracer's MPI, and be a version whose structures the tracer knows.
    "$candidate" -c 'import sys; assert sys.version_info[:2] == (3, 11)
import mpi4py.MPI as m; print(m.__file__)' >module.path 2>/dev/null &&
        ldd "$(cat module.path)" | grep -q "${mpi:=lib${MPI_LIBRARY/openmpi/mpi}\.}" && python=$candidate
done
[ "$python" ] || skip_all "no mpi4py for this MPI and Python 3.11"

# said TRACE: prints the number of calls for each call and stack, innermost frame first.
said() {
    "$MPGTRACE" stat --callsites --frames=8 --json "$1" | "$python" -c '
import json, sys
for row in json.load(sys.stdin)["callsites"]:
    print(row["call"], row["calls"], *row["callsite"])' | sort
}

# An imported module calls MPI during its import.
cat >imported.py <<'END'
from __main__ import comm, note
note("MPI_Barrier"); comm.Barrier()


def again():
    note("MPI_Barrier"); comm.Barrier()


class Made:
    note("MPI_Barrier"); comm.Barrier()
END
# Before each call the program writes its own stack, as the interpreter reports it.
cat >program.py <<'END'
import array
import sys
import threading
import mpi4py
if sys.argv[1] == "threads":
    mpi4py.rc.thread_level = "multiple"
else:
    mpi4py.rc.thread_level = "single"
from mpi4py import MPI

comm = MPI.COMM_WORLD
stacks = []


def note(call):
    """Its caller's stack, innermost first, 8 places; the call is in the same line."""
    stack, frame = [], sys._getframe(1)
    while frame and len(stack) < 8:
        code = frame.f_code
        if not code.co_filename.startswith("<frozen importlib"):
            stack.append((code.co_qualname, code.co_filename.split("/")[-1], frame.f_lineno))
        frame = frame.f_back
    stacks.append((call, stack))


def first():
    for i in range(3): note("MPI_Barrier"); comm.Barrier()


def second(n):
    if n > 0:
        second(n - 1)
    else:
        note("MPI_Allreduce"); comm.Allreduce(array.array("d", [1]), array.array("d", [0]))


def long_statement():

    # A distance of more than 255 lines.























































































    a, b = array.array("d", [1]), array.array("d", [0])
    note("MPI_Sendrecv"); comm.Sendrecv(a, 0, 5, b, 0, 5)
    if (note("MPI_Barrier"), comm.Barrier())[0]: pass
    (note("MPI_Bcast"), comm.Bcast(
        a,
        0))


def generator():
    note("MPI_Barrier"); comm.Barrier()
    yield 1
    note("MPI_Barrier"); comm.Barrier()
    yield 2


class Größe:
    def maß(self):
        note("MPI_Barrier"); comm.Barrier()


def dup_in(n):
    for _ in range(n):
        note("MPI_Barrier"); comm.Barrier()


for _ in generator():
    pass
first()
first(); first()
import imported
imported.again()
second(0)
second(12)
long_statement()
Größe().maß()
sorted([1], key=lambda i: (note("MPI_Barrier"), comm.Barrier())[0] or i)
# Code objects that probably reuse the same memory, with other lines and names.
for i in range(20):
    code = "\n" * i + 'note("MPI_Barrier"); comm.Barrier()'
    exec(compile(code, "made%d.py" % (i % 3), "exec"))
    space = {"note": note, "comm": comm}
    exec(compile("def made%d():\n    note('MPI_Barrier'); comm.Barrier()\nmade%d()" % (i, i), "libmpi.py", "exec"), space)
# The same with equal code: only the file name differs, whose hash nobody has requested, or the lines.
for i in range(40):
    exec(compile('note("MPI_Barrier"); comm.Barrier()', "same%02d.py" % i, "exec"))
for i in range(40):
    exec(compile("(\n" * (i % 8) + 'note("MPI_Barrier"), comm.Barrier()' + "\n" * (8 - i % 8) + ")" * (i % 8), "lines.py", "exec"))
if sys.argv[1] == "threads":
    threads = [threading.Thread(target=dup_in, args=(50,)) for _ in range(4)]

    comm = MPI.COMM_SELF
    for t in threads: t.start()
    for t in threads: t.join()

kept = {}
for call, stack in stacks:
    text = " ".join("%s (%s:%d)" % f for f in stack)
    kept[call, text] = kept.get((call, text), 0) + 1
with open("expected", "w") as out:
    for (call, text), n in kept.items():
        print(call, n, text, file=out)
END

ok "a program of one thread runs" traced 1 a.trace "$python" program.py single
is "... is not disturbed" "$(cat out err)" ""
sort expected >single.expected
is "... its calls come from the lines that the interpreter says" \
    "$(said a.trace | grep -E '^MPI_(Barrier|Allreduce|Sendrecv|Bcast) ')" "$(cat single.expected)"
is "... which are no few" "$(($(wc -l <single.expected) > 45))" 1
version=$("$python" -c 'import platform; print(platform.python_version())')
is "... as the trace says" "$("$MPGTRACE" print a.trace | grep -c "python $version lines")" 1

# The text format has the names too, and can be imported.
"$MPGTRACE" print a.trace >a.txt
is "they are the same through the text form" "$(said a.txt)" "$(said a.trace)"

ok "one of several threads" traced 1 b.trace "$python" program.py threads
sort expected >threads.expected
is "... has the same in all" \
    "$(said b.trace | grep -E '^MPI_(Barrier|Allreduce|Sendrecv|Bcast) ')" "$(cat threads.expected)"
is "... which call from one line" "$(grep -c '^MPI_Barrier 200 dup_in (program.py:[0-9]*) Thread.run ' \
    threads.expected)" 1

ok "a profile" traced 1 c.trace --profile "$python" program.py single
is "... says the same" "$("$MPGTRACE" stat c.trace | sed -n 's/ < / /g; s/^MPI_Sendrecv .*   *//p')" \
    "$(sed -n 's/^MPI_Sendrecv 1 //p' single.expected)"

ok "one frame" traced 1 d.trace --callsites=1 "$python" program.py single
line=$(sed -n '/comm.Allreduce/=' program.py)
is "... is Python's, too" "$(said d.trace | grep '^MPI_Allreduce ')" "MPI_Allreduce 2 second (program.py:$line)"

# A call through ctypes: the stack begins with the library's own function.
cat >library.c <<'END'
#include <mpi.h>
void library_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); __asm__ volatile(""); }
END
cat >foreign.py <<'END'
import ctypes
from mpi4py import MPI
def outer(): ctypes.CDLL("./liblibrary.so").library_barrier()
outer()
END
if $mpicc -g -O1 -shared -fPIC -o liblibrary.so library.c; then
    ok "a library between them" traced 1 e.trace "$python" foreign.py
    got=$(said e.trace | grep Barrier)
    is "... comes first" "${got%% (*} ${got#*) }" \
        "MPI_Barrier 1 library_barrier outer (foreign.py:3) <module> (foreign.py:4)"
fi
done_testing
