# SPDX-License-Identifier: GPL-3.0-or-later
# dumpi_files.py FOLDER: writes small DUMPI traces, byte by byte from the documented layout, for test-dumpi.sh.
import os
import struct
import sys

WORLD, SELF, NULL_COMM, INT, DOUBLE, CHAR = 2, 3, 1, 9, 14, 2
# Numbers of functions: their place in the recorder's list.
SEND, RECV, ISEND, IRECV, WAIT, TEST, WAITANY, WAITALL, TESTALL, WAITSOME = 0, 1, 8, 12, 13, 14, 16, 18, 19, 20
IPROBE, PROBE, SEND_INIT, STARTALL, SENDRECV, TYPE_VECTOR = 22, 23, 26, 32, 33, 36
BARRIER, BCAST, SCATTERV, ALLTOALLV, COMM_GROUP, GROUP_INCL, COMM_SIZE, COMM_DUP, COMM_CREATE, COMM_SPLIT = (
    52, 53, 57, 61, 72, 76, 81, 84, 85, 86)
CART_CREATE, CART_SUB, INIT, FINALIZE, FILE_IREAD, END = 99, 111, 124, 125, 252, 293


def i(value):
    return struct.pack(">i", value)


def h(value):
    return struct.pack(">H", value)


def ints(values):
    return i(len(values)) + b"".join(i(v) for v in values)


def statuses(values):
    """Returns an array of statuses, each (bytes, source, tag)."""
    return i(len(values)) + b"".join(i(b) + i(s) + b"\0\0" + i(t) for b, s, t in values)


class Rank:
    def __init__(self, host, bias=1000, sizes=None, version=(1, 0, 0)):
        self.body, self.host, self.sizes, self.version = i(0) + i(bias), host, sizes, version

    def call(self, function, enter_us, leave_us, arguments=b"", thread=0):
        """Adds a call with wall times only, in us after the bias."""
        times = b""
        for us in (enter_us, leave_us):
            times += struct.pack(">HI", us // 1000000 % 65536, us % 1000000 * 1000)
        self.body += struct.pack(">HB", function, 1 | 8 | 64) + h(thread) + times + arguments
        return self

    def data(self, index=True):
        out = b"\xff\xaa\xddDUMPI" + self.body + (h(END) if index else b"")
        if not index:
            return out
        header = len(out)
        out += bytes(self.version) + struct.pack(">Q", 0)
        for text in (self.host, "user"):
            out += h(len(text)) + text.encode()
        out += i(0)
        size_at = len(out) if self.sizes else 0
        if self.sizes:
            out += ints(self.sizes)
        end = len(out)
        out += b"\xff\xaa\xddDUMPI"
        for offset in (size_at, 0, 0, header, 8, end, 0):
            out += struct.pack(">Q", offset)
        return out


def write(folder, prefix, ranks, index=True):
    os.makedirs(folder, exist_ok=True)
    for n, rank in enumerate(ranks):
        with open(f"{folder}/{prefix}-{n:04d}.bin", "wb") as f:
            f.write(rank.data(index))


def begin(rank):
    return rank.call(INIT, 0, 1, i(1) + i(5) + b"./app")


def run():
    """3 ranks on two hosts, so clock offsets are unknown. Communicators by group, by split, and of a grid."""
    a, b, c = (begin(Rank(host)) for host in ("n0", "n0", "n1"))
    # A vector of 3 blocks of 2 doubles, type 40: 48 bytes. Sizes of types are in no section.
    for r in (a, b, c):
        r.call(TYPE_VECTOR, 2, 3, i(3) + i(2) + i(9) + h(DOUBLE) + h(40))
    a.call(ISEND, 10, 11, i(2) + h(40) + i(1) + i(7) + h(WORLD) + i(2))
    a.call(IRECV, 12, 13, i(100) + h(CHAR) + i(-1) + i(-1) + h(WORLD) + i(3))
    a.call(WAITANY, 14, 20, i(3) + ints([2, 1, 3]) + i(2) + statuses([(24, 2, 5)]))
    a.call(WAIT, 21, 22, i(2) + statuses([(1606419960, 9, 96)]))
    b.call(IRECV, 9, 10, i(10) + h(40) + i(0) + i(7) + h(WORLD) + i(2))
    b.call(TEST, 11, 12, i(2) + i(0) + i(0))
    b.call(TESTALL, 13, 14, i(2) + ints([2, 1]) + i(1) + i(0))
    c.call(SEND, 30, 31, i(3) + h(DOUBLE) + i(0) + i(5) + h(WORLD))
    # Ranks 2 and 0 as communicator 4 of ranks 0 and 2; rank 1 is outside.
    for r, new in ((a, 4), (b, NULL_COMM), (c, 4)):
        r.call(COMM_GROUP, 40, 41, h(WORLD) + h(3))
        r.call(GROUP_INCL, 42, 43, h(3) + i(2) + ints([2, 0]) + h(4))
        r.call(COMM_CREATE, 44, 50, h(WORLD) + h(4) + h(new))
    for r in (a, c):
        r.call(BCAST, 51, 60, i(5) + h(INT) + i(1) + h(4))
    # A split by key: color 1 for ranks 0 and 1, rank 1 first; rank 2 has none (MPI_UNDEFINED is negative).
    a.call(COMM_SPLIT, 61, 70, h(WORLD) + i(1) + i(5) + h(5))
    b.call(COMM_SPLIT, 61, 70, h(WORLD) + i(1) + i(4) + h(4))
    c.call(COMM_SPLIT, 61, 70, h(WORLD) + i(-32766) + i(0) + h(NULL_COMM))
    a.call(SENDRECV, 71, 75, i(1) + h(INT) + i(0) + i(1) + i(4) + h(INT) + i(-2) + i(2) + h(5) + statuses([]))
    b.call(RECV, 71, 75, i(4) + h(INT) + i(1) + i(1) + h(4) + statuses([]))
    b.call(SCATTERV, 76, 80, i(0) + i(2) + h(INT) + i(3) + h(INT) + i(0) + h(4) + ints([3, 4]) + ints([0, 3]))
    a.call(SCATTERV, 76, 80, i(1) + i(2) + h(INT) + i(4) + h(INT) + i(0) + h(5))
    a.call(BARRIER, 81, 82, h(SELF))
    c.call(FILE_IREAD, 83, 84, h(5) + i(1) + h(INT) + i(7))
    c.call(WAIT, 85, 88, i(7) + i(0))
    c.call(IPROBE, 89, 90, i(-1) + i(-1) + h(WORLD) + i(0) + i(0))
    c.call(PROBE, 91, 92, i(-2) + i(-1) + h(WORLD) + i(0))  # MPI_PROC_NULL, any tag, status ignored
    # A thread of rank 0.
    a.call(SEND, 95, 96, i(1) + h(INT) + i(1) + i(8) + h(WORLD), thread=1)
    b.call(RECV, 95, 97, i(1) + h(INT) + i(0) + i(8) + h(WORLD) + statuses([(4, 0, 8)]))
    return [r.call(FINALIZE, 200, 201) for r in (a, b, c)]


def grid():
    """4 ranks on a grid of 2 x 2, and communicators of its rows; persistent sends; a list of type sizes in which ints
    have 2 bytes."""
    ranks = [begin(Rank("n0", sizes=[0, 0, 1, 1, 1, 1, 4, 2, 2, 2])) for _ in range(4)]
    for n, r in enumerate(ranks):
        r.call(CART_CREATE, 10, 20, h(WORLD) + i(2) + ints([2, 2]) + ints([0, 0]) + i(0) + h(4))
        r.call(CART_SUB, 21, 30, i(2) + h(4) + ints([0, 1]) + h(5))
        r.call(COMM_DUP, 31, 32, h(5) + h(6))
        r.call(BCAST, 33, 40, i(5) + h(INT) + i(0) + h(6))
        r.call(ALLTOALLV, 41, 42, i(2) + ints([n, 1]) + ints([0, 0]) + h(INT) + ints([1, 1]) + ints([0, 0]) + h(INT) + h(5))
        if n % 2 == 0:
            r.call(SEND_INIT, 50, 51, i(3) + h(INT) + i(1) + i(1) + h(5) + i(2))
            for k in range(2):
                r.call(STARTALL, 60 + 10 * k, 61 + 10 * k, i(1) + ints([2]))
                r.call(WAITSOME, 62 + 10 * k, 63 + 10 * k, i(1) + ints([2]) + i(1) + ints([0]) + i(0))
        else:
            for k in range(2):
                r.call(RECV, 60 + 10 * k, 65 + 10 * k, i(3) + h(INT) + i(-1) + i(1) + h(5) + i(0))
        # 18 hours and more: 16 bits of seconds begin anew.
        r.call(BARRIER, 40000 * 1000000, 40000 * 1000000 + 1, h(WORLD))
        r.call(FINALIZE, 66000 * 1000000, 66000 * 1000000 + 1)
    return ranks


def one(function, arguments):
    return [begin(Rank("n0")).call(function, 10, 11, arguments).call(FINALIZE, 20, 21)]


def main():
    top = sys.argv[1]
    write(f"{top}/run", "job", run())
    with open(f"{top}/run/job.meta", "w") as meta:
        meta.write("hostname=n0\nnumprocs=3\nfileprefix=job\nversion=1\n")
    write(f"{top}/grid", "g", grid())
    write(f"{top}/noindex", "job", run(), index=False)
    for name, function, arguments in (
            ("peer", SEND, i(1) + h(INT) + i(3) + i(0) + h(WORLD)),
            ("comm", BARRIER, h(77)),
            ("list", WAITALL, i(1) + i(0x7fffffff) + i(2)),
            ("function", 290, b""),
            ("count", SEND, i(0x7fffffff) + h(INT) + i(0) + i(0) + h(WORLD)),
            ("twice", COMM_SPLIT, h(WORLD) + i(0) + i(0) + h(WORLD)),
            ("ranges", 78, h(2) + i(1) + i(1) + ints([0, 0x7fffffff, 1]) + h(9)),
            ("status", RECV, i(1) + h(INT) + i(-1) + i(-1) + h(WORLD) + statuses([(4, 9, 9)]))):
        write(f"{top}/{name}", "t", one(function, arguments))


if __name__ == "__main__":
    main()
