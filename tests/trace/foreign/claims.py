# SPDX-License-Identifier: GPL-3.0-or-later
# claims.py FOLDER: writes short traces that name many ranks, threads, requests or operations, for test-claims.sh.
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dumpi"))
from dumpi_files import COMM_CREATE, COMM_GROUP, COMM_SIZE, FINALIZE, WORLD, Rank, begin, h, i, ints, write  # noqa: E402

GROUP_EXCL, GROUP_RANGE_INCL = 77, 78
HEAD = "# collprof 0.9 output file\nMPI_Init:-:1:2:100\n"


def put(name, data):
    path = os.path.join(sys.argv[1], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def liballprof():
    """A rank sends to itself; each of 4000 Waitalls claims 2^20 elements of 8 bytes, which begin before the send's and
    the receive's request."""
    comm, text = "7000,0,1", HEAD
    text += f"MPI_Isend:110:55:10:1,4,4:0:5:{comm}:8000:111\n"
    text += f"MPI_Irecv:112:55:10:1,4,4:0:5:{comm}:8088:113\n"
    for n in range(4000):
        text += f"MPI_Waitall:{200 + n}:1048576:800:99:{200 + n}\n"
    put("requests/t-0.txt", text + "MPI_Finalize:5000:-\n")


def alone():
    """Rank 1 alone creates a communicator of itself; rank 0 makes no call with a communicator."""
    put("alone/t-0.txt", HEAD + "MPI_Finalize:300:-\n")
    put("alone/t-1.txt", HEAD + "MPI_Cart_create:110:7000,1,2:2:3:4:5:6:120\nMPI_Barrier:130:8000,0,1:140\n"
                                "MPI_Finalize:300:-\n")


def dumpi():
    """Groups of all 32-bit numbers, in both directions, in a trace with one rank; a communicator that claims 2^31 - 1
    ranks."""
    rank = begin(Rank("n0"))
    rank.call(COMM_GROUP, 2, 3, h(WORLD) + h(3))
    for n in range(1000):
        up = [-2**31, 2**31 - 1, 1] if n % 2 else [2**31 - 1, -2**31, -1]
        rank.call(GROUP_RANGE_INCL, 4, 5, h(3) + i(1) + i(1) + ints(up) + h(4))
    rank.call(COMM_CREATE, 6, 7, h(WORLD) + h(4) + h(4))
    for n in range(1000):
        rank.call(COMM_SIZE, 8, 9, h(9) + i(2**31 - 1))
        rank.call(COMM_GROUP, 8, 9, h(9) + h(5))
        rank.call(GROUP_EXCL, 8, 9, h(5) + i(1) + ints([0]) + h(6))
    rank.call(FINALIZE, 10, 11)
    write(os.path.join(sys.argv[1], "groups"), "dumpi", [rank])


def paraver():
    """8000 tasks with 65536 threads each; calls are only in the first thread of the first task and in the last thread
    of the last."""
    tasks = ",".join(["65536:1"] * 8000)
    put("threads/t.prv", f"#Paraver (28/11/2026 at 05:55):1000_ns:1(2):1:8000({tasks})\n"
                         "2:1:1:1:1:10:50000003:31\n2:1:1:1:1:20:50000003:0\n"
                         "2:1:1:8000:65536:30:50000003:23\n2:1:1:8000:65536:40:50000003:0\n")
    put("threads/t.pcf", "EVENT_TYPE\n9   50000003    MPI Other\nVALUES\n31   MPI_Init\n23   MPI_Comm_split\n")


def goal():
    """Binary schedules: 1000 ranks that share the same bytes for their operations; 1000 operations that all require the
    same list."""
    operation = struct.pack("<IBIQIBBIIII", 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    head = struct.pack("<QIBB", 4223, 1000, 0, 0)
    body = struct.pack("<II", 100, 0) + operation * 100
    begin_at = len(head) + 16 * 1000 - 8
    put("shared.goal", head + struct.pack("<QQ", begin_at, begin_at + len(body)) * 1000 + body)
    named = struct.pack("<IBIQIBBIIII", 0, 3, 0, 0, 0, 0, 0, 1000, 0, 0, 0)
    body = struct.pack("<II", 1000, 0) + named * 1000 + struct.pack("<I", 0) * 1000
    put("named.goal", struct.pack("<QIBB", 4223, 1, 0, 0) + struct.pack("<QQ", 22, 22 + len(body)) + body)


def ti():
    put("rank.ti", "1048575 init\n1048575 finalize\n")
    put("actions.txt", "0 init\n0 compute 100\n0 finalize\n")
    put("twice.ti", "actions.txt\n./actions.txt\n")


if __name__ == "__main__":
    for part in (liballprof, alone, dumpi, paraver, goal, ti):
        part()
