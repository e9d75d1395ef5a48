# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies to every call of a trace in mpgtext the lists in mpgparaver(5) of what a Paraver trace contains, and of what
its reader makes of it. Written from the man page only."""

import collections
import dataclasses

SENDS, ISENDS = ("Send", "Ssend", "Bsend", "Rsend"), ("Isend", "Issend", "Ibsend", "Irsend")
INITS = ("Send_init", "Ssend_init", "Bsend_init", "Rsend_init", "Recv_init")
WAITS, TESTS = ("Wait", "Waitall", "Waitany", "Waitsome"), ("Test", "Testall", "Testany", "Testsome")
COLLECTIVES = ("Barrier Bcast Reduce Allreduce Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw "
               "Reduce_scatter Reduce_scatter_block Scan Exscan").split()
DROPPED = INITS + ("Request_free", "Comm_free", "Comm_disconnect", "Cancel", "Pcontrol", "Start", "Startall")
LOCAL = ("Init", "Init_thread", "Finalize", "Abort", "Comm_rank", "Comm_size", "Wtime", "Wtick")
NOBODY = {"tag": "0", "bytes": "0"}


def plain(name):
    return name.removesuffix("_c")


class Clocks:
    """Converts all ranks' times to one axis that begins with the first call."""

    def __init__(self, trace):
        self.points = collections.defaultdict(list)
        for line in trace.about:
            words = line.split()
            if words[0] == "#clock":
                self.points[int(words[1])].append((int(words[2]), int(words[3])))
        self.origin = 0
        self.origin = min(self.at(call.rank, call.enter) for call in trace.calls)

    def at(self, rank, time):
        points = self.points[rank]
        if not points:
            return time - self.origin
        if time <= points[0][0]:
            return time + points[0][1] - self.origin
        for (a, offset), (b, later) in zip(points, points[1:]):
            if time < b:
                return time + offset + (later - offset) * (time - a) / (b - a) - self.origin
        return time + points[-1][1] - self.origin


@dataclasses.dataclass
class Half:
    call: object
    request: str = ""      # of a nonblocking receive
    tag: str = ""
    bytes: int = 0
    other: object = None   # the half at the other end
    peer: int = -1         # of MPI_COMM_WORLD


class Messages:
    """The messages of a trace. Those of a channel are received in the order of the sends, and of the posted
    receives."""

    def __init__(self, trace, members):
        self.members = members   # of each communicator: its group, and the remote one
        self.sends, self.receives = collections.defaultdict(list), collections.defaultdict(list)
        self.of = collections.defaultdict(list)  # id(call) -> halves: (what, half)
        self.persistent, self.cancelled, self.probes = {}, set(), {}
        for call in trace.calls:
            for request in call.list("cancelled"):
                self.cancelled.add((call.rank, request))
        for call in trace.calls:
            if "failed" not in call.keys and "calls" not in call.keys and "killed" not in call.keys:
                self.take(call)
        for channel, sends in self.sends.items():
            for send, receive in zip(sends, self.receives[channel]):
                send.other, receive.other = receive, send

    def world(self, rank, comm, peer):
        group, remote = self.members[comm]
        return (remote if remote and rank in group else group)[int(peer)]

    def add(self, call, sends, keys, tag, size, request=""):
        peer = keys.get("to" if sends else "from", "null")
        if peer == "null" or (call.rank, request) in self.cancelled:
            return
        rank = self.world(call.rank, keys["comm"], peer)
        half = Half(call, request, keys[tag], int(keys[size]), peer=rank)
        channel = (keys["comm"], call.rank if sends else rank, rank if sends else call.rank, keys[tag])
        (self.sends if sends else self.receives)[channel].append(half)
        self.of[id(call)].append((sends, half))
        return half

    def take(self, call):
        name, keys = plain(call.name), call.keys
        if name in SENDS + ISENDS:
            self.add(call, True, keys, "tag", "bytes", keys.get("request", ""))
        elif name in ("Recv", "Irecv"):
            self.add(call, False, keys, "tag", "bytes", keys.get("request", ""))
        elif name in ("Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"):
            self.add(call, True, keys, "tag", "bytes", keys.get("request", ""))
            if keys.get("from") is not None:
                self.add(call, False, keys, "recvtag", "recvbytes", keys.get("request", ""))
        elif name in ("Mprobe", "Improbe") and keys.get("message") and keys.get("from") != "null":
            self.probes[call.rank, keys["message"]] = self.add(call, False, keys, "tag", "bytes")
            self.of[id(call)] = []
        elif name in ("Mrecv", "Imrecv"):
            half = self.probes.get((call.rank, keys.get("message")))
            if half:
                half.call, half.request = call, keys.get("request", "")
                self.of[id(call)].append((False, half))
        elif name in INITS:
            self.persistent[call.rank, keys["persistent"]] = keys
        elif name in ("Start", "Startall"):
            self.starts(call)

    def starts(self, call):
        met = {word.split(":")[0]: word.split(":")[1:] for word in call.list("matched")}
        for number, request in zip(call.list("persistent"), call.list("requests")):
            keys = dict(self.persistent.get((call.rank, number), {}))
            if request in met:
                keys["from"], keys["tag"] = met[request]
            if "to" in keys:
                self.add(call, True, keys, "tag", "bytes", request)
            elif "from" in keys:
                self.add(call, False, keys, "tag", "bytes", request)


class Masker:
    """Computes the calls of one rank as they are after export and import."""

    def __init__(self, calls, messages, clocks):
        self.messages, self.clocks = messages, clocks
        self.open = set()    # requests of receives with a line
        self.out = []
        for call in calls:
            self.one(call)

    def put(self, call, name, keys, begin=None, at_end=False):
        enter, leave = (self.clocks.at(call.rank, time) for time in (call.enter, call.leave))
        self.out.append(dataclasses.replace(call, name=name, keys=keys, enter=leave if at_end else enter, leave=leave))

    def unknown(self, call):
        name = call.keys["name"] if call.name == "Unknown" else f'"MPI_{plain(call.name)}"'
        self.put(call, "Unknown", {"name": name})

    def halves(self, call, sends):
        return [half for is_send, half in self.messages.of[id(call)] if is_send == sends and half.other]

    def send_keys(self, call):
        halves = self.halves(call, True)
        return {"to": str(halves[0].peer), "tag": halves[0].tag, "bytes": str(halves[0].bytes)} if halves else {"to": "null"} | NOBODY

    def receive_keys(self, call):
        halves = self.halves(call, False)
        if not halves:
            return {"from": "null"} | NOBODY
        return {"from": str(halves[0].peer), "tag": halves[0].tag, "bytes": str(halves[0].other.bytes)}

    def one(self, call):
        name = plain(call.name)
        if "calls" in call.keys or "killed" in call.keys or name.startswith("Region_"):
            return
        if name in SENDS:
            self.put(call, name, self.send_keys(call))
        elif name in ("Recv", "Mrecv"):
            self.put(call, "Recv", self.receive_keys(call))
        elif name in ("Sendrecv", "Sendrecv_replace"):
            receive = self.receive_keys(call)
            receive["recvtag"], receive["recvbytes"] = receive.pop("tag"), receive.pop("bytes")
            self.put(call, name, receive | self.send_keys(call))
        elif name in ISENDS:
            self.isend(call, name)
        elif name in ("Irecv", "Imrecv"):
            self.irecv(call)
        elif name in ("Isendrecv", "Isendrecv_replace"):
            self.isend(call, "Isend")
            self.irecv(call, at_end=True)
        elif name in ("Start", "Startall") and "failed" not in call.keys:
            self.starts(call)
        elif name in DROPPED:
            return
        elif name in WAITS + TESTS:
            self.completion(call, name)
        elif name in COLLECTIVES and "failed" not in call.keys:
            self.collective(call, name)
        elif name in LOCAL or name == "Flush" or not (set(call.keys) - {"site", "off", "off_call", "values", "failed"}):
            self.put(call, name, {})
        else:
            self.unknown(call)

    def isend(self, call, name):
        self.put(call, name, self.send_keys(call) | {"request": (id(call), "send")})
        self.put(call, "Request_free", {"request": (id(call), "send")}, at_end=True)

    def irecv(self, call, at_end=False):
        halves = self.halves(call, False)
        request = halves[0].request if halves else (id(call), "null")
        self.put(call, "Irecv", self.receive_keys(call) | {"request": request}, at_end=at_end)
        if halves:
            self.open.add(request)
        else:
            self.put(call, "Request_free", {"request": request}, at_end=True)

    def starts(self, call):
        at_end = False
        for half in self.halves(call, False):
            keys = {"from": str(half.peer), "tag": half.tag, "bytes": str(half.other.bytes), "request": half.request}
            self.put(call, "Irecv", keys, at_end=at_end)
            self.open.add(half.request)
            at_end = True
        for half in self.halves(call, True):
            keys = {"to": str(half.peer), "tag": half.tag, "bytes": str(half.bytes), "request": (half.request, "send")}
            self.put(call, "Isend", keys, at_end=at_end)
            self.put(call, "Request_free", {"request": keys["request"]}, at_end=True)
            at_end = True

    def completion(self, call, name):
        done = call.list("done") if "done" in call.keys else call.list("requests")
        done = [] if "failed" in call.keys else [request for request in done if request in self.open]
        self.open -= set(done)
        if done:
            self.put(call, name, {"requests": done})
        elif name in WAITS:
            self.unknown(call)

    def collective(self, call, name):
        comm = call.keys["comm"]
        group, remote = self.messages.members[comm]
        if remote or len(group) != len([rank for rank in group if rank >= 0]):
            self.unknown(call)
            return
        keys = {key: call.keys[key] for key in ("comm", "root", "bytes") if key in call.keys}
        counts = [int(word) for word in call.list("bytes")]
        if name == "Reduce_scatter":
            keys["bytes"] = str(sum(counts))
        elif len(counts) > 1:
            total, n = sum(counts), len(group)
            keys["bytes"] = ",".join(str(total // n + (i < total % n)) for i in range(n))
        self.put(call, name, keys)
