# SPDX-License-Identifier: GPL-3.0-or-later
"""Which events of a trace belong together: sends with receives, calls of a collective, requests with their completion
(docs/MODEL.md, section 1)."""

import itertools
from collections import defaultdict

from oracle_trace import OracleError
from oracle_windows import WINDOW_CALLS, Windows
from oracle_windows import MEETINGS as WINDOW_MEETINGS

CONSTRUCTORS = {"Comm_dup", "Comm_split", "Cart_create"}
MEETINGS = {"Barrier", "Allreduce", "Allgather", "Allgatherv", "Alltoall",
            "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block"}
PREFIXES = {"Scan", "Exscan"}
FROM_ROOT = {"Bcast", "Scatter", "Scatterv"}
TO_ROOT = {"Reduce", "Gather", "Gatherv"}
COLLECTIVES = MEETINGS | PREFIXES | FROM_ROOT | TO_ROOT
MEETINGS |= CONSTRUCTORS | WINDOW_MEETINGS
NONBLOCKING_COLLECTIVES = {"I" + name.lower(): name for name in COLLECTIVES}
NEIGHBORS = {"Neighbor_" + kind for kind in (
    "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")}
NONBLOCKING_NEIGHBORS = {"I" + name.lower() for name in NEIGHBORS}
PERSISTENT_COLLECTIVES = {name + "_init": name for name in COLLECTIVES}
PERSISTENT_NEIGHBORS = {name + "_init" for name in NEIGHBORS}
MATCHED_PROBES = {"Mprobe", "Improbe"}
MATCHED_RECEIVES = {"Mrecv", "Imrecv"}

STANDARD_SENDS = {"Send", "Isend", "Sendrecv", "Isendrecv", "Send_init",
                  "Psend_init"}
SYNCHRONOUS_SENDS = {"Ssend", "Issend", "Ssend_init"}
SENDS = {"Send", "Ssend", "Bsend", "Rsend",
         "Isend", "Issend", "Ibsend", "Irsend", "Sendrecv", "Isendrecv"}
RECEIVES = {"Recv", "Irecv", "Sendrecv", "Isendrecv"}
NONBLOCKING = {"Isend", "Issend", "Ibsend", "Irsend", "Irecv", "Imrecv",
               "Isendrecv"}
PERSISTENT_SENDS = {"Send_init", "Ssend_init", "Bsend_init", "Rsend_init"}
PARTITIONED = {"Psend_init": True, "Precv_init": False}
PERSISTENT = PERSISTENT_SENDS | {"Recv_init"}
READY = {"Pready", "Pready_range", "Pready_list"}
PERSISTENT_STARTS = {"Start", "Startall"}
COMPLETIONS = {"Wait", "Waitall", "Waitany", "Waitsome",
               "Test", "Testall", "Testany", "Testsome"}
PROBES = {"Probe", "Iprobe"}

PLACES = itertools.count()


class Half:
    """One side of a message. terms: the call with its arguments. call: the call that began it (for a persistent request
    the Start; for partitions the last call that made one ready). started: the call that posted or started it. readies:
    calls that made partitions ready. completed_by: the call that completed it."""

    def __init__(self, terms, call, is_send):
        self.terms = terms
        self.is_send = is_send
        self.bytes = None if not is_send else terms.args.get("bytes")
        self.probes, self.readies, self.started = [], [], call
        self.own_rows = 0  # of one that is inserted
        self.begin(call)

    def begin(self, call):
        self.call = call
        self.blocking = call.name not in (NONBLOCKING | PERSISTENT_STARTS
                                          | NONBLOCKING_NEIGHBORS)
        self.completed_by = call if self.blocking else None

    @property
    def row_thread(self):
        """Returns the thread whose sequence of messages counts it."""
        return self.call.thread + self.own_rows

    @property
    def completed_by(self):
        return self._completed_by

    @completed_by.setter
    def completed_by(self, call):
        """Sets the completing call. place: its order among all completed halves, in one call."""
        self._completed_by = call
        self.place = next(PLACES)

    def depart(self, index, receiver, k):
        """Sets the number of the message in its call, and k: it is the k-th to that rank of the world."""
        self.index = index
        self.receiver = receiver
        self.k = k


class Message:
    """A send matched with a receive. key names its arrival node."""

    def __init__(self, key, send, receive):
        self.key = key
        self.send = send
        self.receive = receive
        self.bytes = int(send.bytes)

    @property
    def A(self):
        return ("A",) + self.key

    @property
    def is_inserted(self):
        return self.send.call.exchange is not None

    @property
    def V(self):
        """Returns the node of the arrival as its receiver sees it."""
        return ("V",) + self.key

    def is_synchronous(self, eager_limit, size_bytes=None):
        """SIZE_BYTES: another size than its own."""
        name, size_bytes = self.send.terms.name, self.bytes if size_bytes is None else size_bytes
        return name in SYNCHRONOUS_SENDS or (
            name in STANDARD_SENDS and eager_limit is not None
            and size_bytes > eager_limit)


class Together:
    """Several receives of one request."""

    is_send = False

    def __init__(self, call, halves):
        self.call = call
        self.halves = halves

    @property
    def completed_by(self):
        return self.halves[0].completed_by if self.halves else None

    @completed_by.setter
    def completed_by(self, call):
        for half in self.halves:
            half.completed_by = call


class Part:
    """A member's part in a collective. name: that of the blocking call. terms: the call with its arguments. call: the
    call that began it (another one only if persistent)."""

    is_send = False

    def __init__(self, terms, call, index=0):
        self.terms = terms
        self.call = call
        self.index = index
        self.blocking = call.name in COLLECTIVES | CONSTRUCTORS | WINDOW_MEETINGS
        self.name = NONBLOCKING_COLLECTIVES.get(
            terms.name, PERSISTENT_COLLECTIVES.get(terms.name, terms.name))
        self.completed_by = call if self.blocking else None


class Matching:
    """Matches sends with receives, and the calls of each collective."""

    def __init__(self, trace):
        self.trace = trace
        self.given, self.asked = {}, {}
        self.sends = defaultdict(list)
        self.receives = defaultdict(list)
        self.collectives = defaultdict(list)
        self.transfers = defaultdict(int)
        self.seen = defaultdict(list)
        for calls in trace.calls:
            RankMatcher(self).match(calls[1:-1])
        self.messages = list(self.pair_channels())
        self.groups = list(self.group_collectives())

    def comm_rank(self, call):
        members = self.trace.comms[call.number("comm")]
        if call.rank not in members:
            raise call.error("not a member of the communicator")
        return members.index(call.rank)

    def pair_channels(self):
        for channel in sorted(set(self.sends) | set(self.receives), key=str):
            sends, receives = self.sends[channel], self.receives[channel]
            for half in (sends[len(receives):] + receives[len(sends):]):
                raise half.call.error("nothing matches it")
            for n, (send, receive) in enumerate(zip(sends, receives)):
                receive.probes[:0] = self.seen[channel, n]
                yield Message(channel + (n,), send, receive)

    def group_collectives(self):
        for (comm, n), parts in sorted(self.collectives.items(), key=str):
            members = self.trace.comms[comm]
            by_rank = {part.call.rank: part for part in parts}
            if set(by_rank) != set(members):
                raise parts[0].call.error("not every member takes part")
            if len({part.terms.name for part in parts}) > 1:
                raise parts[0].call.error("members disagree on the collective")
            yield (comm, n), [by_rank[rank] for rank in members]


class RankMatcher(Windows):
    """Sorts one rank's sends, receives and collectives into their channels."""

    def __init__(self, matching):
        self.matching = matching
        self.requests = {}
        self.persistent = {}
        self.probed = {}
        self.collectives_seen = defaultdict(int)
        self.made = defaultdict(int)
        self.starts = defaultdict(int)
        self.places = {}
        self.position = 0
        self.sent = defaultdict(int)
        self.open_windows()

    def match(self, calls):
        for call in calls:
            self.match_call(call)
        for half in self.requests.values():
            raise half.call.error("its request is never completed")
        for half in self.probed.values():
            raise half.call.error("its message is never received")

    def match_call(self, call):
        self.position = 0
        if call.exchange:
            self.exchange_inserted(call)
        elif call.name in WINDOW_CALLS:
            self.match_window(call)
        elif call.name in COLLECTIVES | CONSTRUCTORS or (
                call.name in NONBLOCKING_COLLECTIVES):
            self.join_collective(call)
        elif call.name in NEIGHBORS | NONBLOCKING_NEIGHBORS:
            self.meet_neighbors(call)
        elif call.name in MATCHED_PROBES:
            self.take_message(call)
        elif call.name in MATCHED_RECEIVES:
            self.receive_taken(call)
        elif call.name in SENDS | RECEIVES:
            self.begin(call)
        elif call.name in PERSISTENT:
            self.persistent[call.number("persistent")] = call
        elif call.name in PERSISTENT_COLLECTIVES or call.name in PERSISTENT_NEIGHBORS:
            self.make(call, ("collective", call.number("comm")))
        elif call.name in PARTITIONED:
            self.make(call, (call.name, *self.partitioned_channel(call)))
        elif call.name in READY:
            self.make_ready(call)
        elif call.name == "Parrived":
            self.matching.asked[call] = self.requests.get(call.number("request"))
        elif call.name == "Unknown":
            pass
        elif call.name in PERSISTENT_STARTS:
            self.start(call)
        elif call.name in COMPLETIONS:
            self.complete(call)
        elif call.name == "Request_free":
            self.free(call)
        elif call.name not in PROBES:
            raise call.error("not supported")
        elif call.args.get("found") != "0":
            self.see(call)

    def depart(self, half, channel, comm, destination):
        """Lets the message leave in half's call for this rank of the communicator."""
        receiver = self.matching.trace.comms[comm][destination]
        row = half.call.thread, receiver
        half.depart(self.position, receiver, self.sent[row])
        self.sent[row] += 1
        self.matching.sends[channel].append(half)

    def tell(self, call, channel, comm, destination, size_bytes):
        """Adds an eager message for the synchronization of a window."""
        half = Half(call, call, True)
        half.bytes = size_bytes
        self.depart(half, channel, comm, destination)
        self.position += 1

    def hear(self, call, channel, starter=None):
        """Adds its receive. STARTER: for a Win_complete that waits for a Post, its Win_start."""
        half = Half(call, call, False)
        half.completer, half.starter = call, starter
        self.matching.receives[channel].append(half)

    def see(self, call):
        """A probe finds the first message of its channel that no receive has taken."""
        channel = (call.number("comm"), call.number("from"),
                   self.matching.comm_rank(call), call.number("tag"))
        self.matching.seen[channel, len(self.matching.receives[channel])].append(call)

    def join_collective(self, call, comm=None, among=(), n=None):
        """AMONG, N: a separate order of collectives, and the number in it."""
        comm = call.number("comm") if comm is None else comm
        if n is None:
            n = self.collectives_seen[comm]
            self.collectives_seen[comm] += 1
        part = Part(call, call)
        self.matching.collectives[comm, (*among, n)].append(part)
        if not part.blocking:
            self.keep(call.number("request"), part)

    def meet_neighbors(self, call):
        halves = self.exchange(call, call, ())
        if call.name in NONBLOCKING_NEIGHBORS:
            self.keep(call.number("request"), Together(call, halves))

    def exchange(self, terms, call, which):
        """Adds an eager message to each destination and from each source."""
        comm, me = terms.number("comm"), self.matching.comm_rank(terms)
        sources, destinations = self.matching.trace.neighbors[comm, call.rank]
        sizes = terms.numbers("bytes")
        halves = []
        for i, destination in enumerate(destinations):
            if destination is not None:
                half = Half(terms, call, True)
                half.bytes = sizes[i if len(sizes) > 1 else 0]
                channel = ("neighbors", *which, comm, me, destination)
                self.depart(half, channel, comm, destination)
            self.position += 1
        for source in sources:
            if source is not None:
                half = Half(terms, call, False)
                halves.append(half)
                channel = ("neighbors", *which, comm, source, me)
                self.matching.receives[channel].append(half)
        return halves

    def exchange_inserted(self, call):
        """Adds messages inserted by a hypothesis, between threads of the same number."""
        exchange, to, senders, k = call.exchange
        if to is not None:
            half = Half(call, call, True)
            half.own_rows = exchange.i + 1 << 16
            half.depart(0, to, k)
            self.matching.sends["inserted", exchange.i, call.thread, call.rank, to].append(half)
        for sender in senders:
            channel = "inserted", exchange.i, call.thread, sender, call.rank
            self.matching.receives[channel].append(Half(call, call, False))

    # What MPI-4.0 adds

    def make(self, call, among):
        """Notes a persistent request whose partners follow from the order of creation."""
        number = call.number("persistent")
        self.persistent[number] = call
        self.places[number] = self.made[among]
        self.made[among] += 1

    def partitioned_channel(self, terms):
        me = self.matching.comm_rank(terms)
        ends = (me, terms.args["to"]) if PARTITIONED[terms.name] else (
            terms.args["from"], me)
        return ("partitioned", terms.number("comm"), *map(str, ends),
                terms.number("tag"))

    def start_made(self, number, terms, request, call):
        which, start = self.places[number], self.starts[number]
        self.starts[number] += 1
        if terms.name in PERSISTENT_NEIGHBORS:
            self.keep(request, Together(call, self.exchange(terms, call, (which,))))
        elif terms.name in PERSISTENT_COLLECTIVES:
            part = Part(terms, call, self.position)
            self.position += 1
            self.matching.collectives[
                terms.number("comm"), ("promised", which, start)].append(part)
            self.keep(request, part)
        else:
            half = Half(terms, call, PARTITIONED[terms.name])
            self.position += 1
            half.channel = (*self.partitioned_channel(terms), which)
            half.unready = terms.number("partitions")
            if not half.is_send:
                self.matching.receives[half.channel].append(half)
            self.keep(request, half)

    def make_ready(self, call):
        """The message departs when the last of its partitions is ready."""
        half, ready = self.requests[call.number("request")], call.numbers("ready")
        half.readies.append(call)
        half.unready -= (ready[1] - ready[0] + 1 if call.name == "Pready_range"
                         else len(ready))
        if half.unready == 0:
            half.call = call
            self.depart(half, half.channel, half.terms.number("comm"),
                        half.terms.number("to"))

    def take_message(self, call):
        """A matched probe: here the receive takes its place in its channel."""
        if call.args.get("found") == "0":
            return
        half = self.receive(call, call, call.args["from"], call.args["tag"])
        half.probes.append(call)
        self.probed[call.number("message")] = half

    def receive_taken(self, call):
        half = self.probed.pop(call.number("message"))
        half.begin(call)
        if call.name in NONBLOCKING:
            self.keep(call.number("request"), half)

    def begin(self, call):
        both = call.name in ("Sendrecv", "Isendrecv")
        if call.name in SENDS:
            half = sent = self.send(call, call)
        if call.name in RECEIVES:
            tag = "recvtag" if both else "tag"
            half = self.receive(call, call, call.args["from"], call.args[tag])
        if call.name in NONBLOCKING:
            self.keep(call.number("request"),
                      Together(call, [sent, half]) if both else half)

    def start(self, call):
        matched = dict(word.split(":", 1) for word in
                       call.args.get("matched", "").split(",") if word)
        for persistent, request in zip(call.numbers("persistent"),
                                       call.numbers("requests")):
            terms = self.persistent[persistent]
            if persistent in self.places:
                self.start_made(persistent, terms, request, call)
                continue
            if terms.name in PERSISTENT_SENDS:
                self.keep(request, self.send(terms, call))
                self.position += 1
                continue
            source, tag = terms.args.get("from"), terms.args.get("tag")
            if str(request) in matched:
                source, tag = matched[str(request)].split(":")
            self.keep(request, self.receive(terms, call, source, tag))
            self.position += 1

    def keep(self, request, half):
        if request in self.requests:
            raise half.call.error(f"request {request} is still active")
        self.requests[request] = half

    def send(self, terms, call):
        half = Half(terms, call, True)
        me = self.matching.comm_rank(terms)
        if terms.args["to"] != "null":
            comm, to = terms.number("comm"), terms.number("to")
            self.depart(half, (comm, me, to, terms.number("tag")), comm, to)
        return half

    def receive(self, terms, call, source, tag):
        half = Half(terms, call, False)
        half.position = self.position
        me = self.matching.comm_rank(terms)
        if source != "null":
            channel = (terms.number("comm"), int(source), me, int(tag))
            self.matching.receives[channel].append(half)
        return half

    def complete(self, call):
        given = call.numbers("requests")
        done = call.numbers("done") if "done" in call.args else given
        self.matching.given[call] = [self.requests.get(request) for request in given], len(done)
        for request in done:
            if request not in self.requests or request not in given:
                raise call.error(f"request {request} is not active")
            self.requests.pop(request).completed_by = call

    def free(self, call):
        if "persistent" in call.args:
            del self.persistent[call.number("persistent")]
            return
        half = self.requests.pop(call.number("request"), None)
        if half is None or not half.is_send:
            raise call.error("frees something that is not an active send")
