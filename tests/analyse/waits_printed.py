# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes wait states by docs/MODEL.md, section 9, from the output of mpgtrace print alone. Shares no code with
tests/oracle, and finds the wait of every single call, not only sums."""

import re
from bisect import bisect_right
from collections import defaultdict

KINDS = ["late_sender", "late_receiver", "wait_at_barrier", "wait_at_nxn", "late_broadcast", "early_reduce",
         "early_scan"]
MATTERS = ["point_to_point", "collective", "synchronization", "one_sided", "other"]
MIN_NS = 1e-3

ROOTED_OUT = {"Bcast", "Scatter", "Scatterv"}
ROOTED_IN = {"Reduce", "Gather", "Gatherv"}
SCANS = {"Scan", "Exscan"}
ALL_TO_ALL = {"Allreduce", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Reduce_scatter",
              "Reduce_scatter_block"}
COLLECTIVES = ROOTED_OUT | ROOTED_IN | SCANS | ALL_TO_ALL | {"Barrier"}
NEIGHBORS = {"Neighbor_" + n for n in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")}
MAKERS = {"Comm_dup", "Comm_dup_with_info", "Comm_idup", "Comm_idup_with_info", "Comm_create", "Comm_create_group",
          "Comm_split", "Comm_split_type", "Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create",
          "Dist_graph_create_adjacent", "Intercomm_create", "Intercomm_merge", "Comm_create_from_group",
          "Intercomm_create_from_groups"}
MEET_ON_NEW = {"Comm_create_group", "Intercomm_create", "Comm_create_from_group", "Intercomm_create_from_groups"}
WINDOW_MAKERS = {"Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic"}
MOVES = {"Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap"}
MOVES_WITH_REQUEST = {"Rput", "Rget", "Raccumulate", "Rget_accumulate"}
COMPLETE = {"Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome"}
STANDARD = {"Send", "Sendrecv", "Sendrecv_replace", "Isend", "Isendrecv", "Isendrecv_replace", "Send_init",
            "Psend_init"}
SYNCHRONOUS = {"Ssend", "Issend", "Ssend_init"}
POINT = {"Send", "Ssend", "Bsend", "Rsend", "Recv", "Sendrecv", "Sendrecv_replace", "Isend", "Issend", "Ibsend",
         "Irsend", "Isendrecv", "Isendrecv_replace", "Irecv", "Probe", "Iprobe", "Mprobe", "Improbe", "Mrecv",
         "Imrecv", "Request_free", "Cancel", "Grequest_start", "Send_init", "Ssend_init", "Bsend_init", "Rsend_init",
         "Recv_init", "Psend_init", "Precv_init", "Pready", "Pready_range", "Pready_list", "Parrived", "Start",
         "Startall"} | COMPLETE
OTHER_WORLDS = {"Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect", "Comm_join", "Comm_get_parent",
                "Comm_free", "Comm_disconnect"}
WINDOW_ONLY = {"Win_free", "Win_fence", "Win_lock", "Win_unlock", "Win_lock_all", "Win_unlock_all", "Win_flush",
               "Win_flush_local", "Win_flush_all", "Win_flush_local_all", "Win_sync", "Win_post", "Win_start",
               "Win_complete", "Win_wait", "Win_test"}


def blocking_name(name):
    """Returns the name of the blocking form of a collective, or None."""
    if name in COLLECTIVES | NEIGHBORS:
        return name
    plain = name[:-5] if name.endswith("_init") else name[1:].capitalize() if name.startswith("I") else ""
    return plain if plain in COLLECTIVES | NEIGHBORS else None


def matter_of(name):
    plain = blocking_name(name)
    if plain:
        return "synchronization" if plain == "Barrier" else "collective"
    if name in POINT:
        return "point_to_point"
    if name in MAKERS | WINDOW_MAKERS | WINDOW_ONLY:
        return "synchronization"
    if name in MOVES | MOVES_WITH_REQUEST:
        return "one_sided"
    return "other" if name in OTHER_WORLDS or name == "Unknown" or name.startswith("File_") else None


class Call:
    __slots__ = ("rank", "thread", "begin", "end", "name", "shown", "keys", "line", "region", "until", "done")

    def __init__(self, rank, thread, begin, end, shown, keys, line):
        self.rank, self.thread, self.begin, self.end, self.shown = rank, thread, begin, end, shown
        self.name = shown[:-2] if shown.endswith("_c") else shown
        self.keys, self.line, self.region = keys, line, None
        self.until, self.done = [], []

    def get(self, key):
        return self.keys.get(key)

    def list(self, key):
        value = self.keys.get(key)
        return [word for word in value.split(",") if word] if value else []

    def total_bytes(self):
        return sum(map(int, self.list("bytes")))

    def wait(self):
        """Returns kind and length of this call's wait."""
        if not self.until:
            return None, 0.0
        until, kind = max(self.until, key=lambda entry: (entry[0], -entry[1]))
        long = min(until - self.begin, self.end - self.begin)
        return (KINDS[kind], long) if long > MIN_NS else (None, 0.0)


class Request:
    """A request: MAKER created it, CALL posted it, COMPLETED_BY completes it (None: nothing does)."""

    def __init__(self, maker, call):
        self.maker, self.call = maker, call
        self.completed_by, self.cancelled, self.freed = None, False, False
        self.ready, self.ready_call = set(), None

    def left(self):
        return self.ready_call or self.call


class Printed:
    """A printed trace, and the time until which each of its calls waits."""

    KEY = re.compile(r'(\w+)=("(?:\\.|[^"\\])*"|\S*)')

    def __init__(self, lines, eager_limit=None):
        """EAGER_LIMIT: in bytes; None: the limit that the trace shows."""
        self.comms, self.topologies, self.windows = {}, {}, {}
        self.clocks, self.shared, self.ended = defaultdict(list), False, True
        self.calls, self.ranks, self.sites = [], 0, {}
        self.made_on_window = {}
        self.read(lines)
        self.comms.setdefault("0", ([*range(self.ranks)], None))
        self.zero = min((call.begin for call in self.calls), default=0)
        for call in self.calls:
            call.begin, call.end = self.aligned(call.rank, call.begin), self.aligned(call.rank, call.end)
        self.by_rank = [[] for _ in range(self.ranks)]
        for call in self.calls:
            self.by_rank[call.rank].append(call)
        for calls in self.by_rank:
            calls.sort(key=lambda call: (call.begin, call.thread, call.line))
        self.requests = [{} for _ in range(self.ranks)]
        for rank in range(self.ranks):
            self.find_requests(rank)
        self.messages = []
        self.find_messages()
        self.eager_limit = self.shown_limit() if eager_limit is None else eager_limit
        self.point_to_point()
        self.meet()
        self.meet_neighbors()
        self.windows_wait()

    # Reading

    def read(self, lines):
        regions = defaultdict(list)
        for number, line in enumerate(lines):
            line = line.rstrip("\n")
            if line.startswith("#"):
                self.define(line)
                continue
            if not line:
                continue
            who, begin, end, name, *rest = line.split(" ", 4)
            rank, _, thread = who.partition(".")
            keys = dict(self.KEY.findall(rest[0])) if rest else {}
            if name == "Region_begin":
                regions[who].append(keys["name"])
            elif name == "Region_end":
                if regions[who]:
                    regions[who].pop()
            elif name != "Flush" and "calls" not in keys:
                call = Call(int(rank), int(thread or 0), int(begin), int(end), name, keys, number)
                call.region = regions[who][-1] if regions[who] else None
                self.calls.append(call)
            if "killed" in keys:
                self.ended = False

    def define(self, line):
        words = line.split()
        if words[0] == "#ranks":
            self.ranks = int(words[1])
        elif words[0] == "#clocks":
            self.shared = True
        elif words[0] == "#clock":
            self.clocks[int(words[1])].append((int(words[2]), int(words[3])))
        elif words[0] == "#died":
            self.ended = False
        elif words[0] == "#comm":
            sides = line.partition("(")[0].partition("=")[2].split("|")
            groups = [[None if word == "*" else int(word) for word in side.split()] for side in sides]
            self.comms[words[1]] = (groups[0], groups[1] if len(groups) > 1 else None)
        elif words[0] == "#topology":
            sources, _, destinations = line.partition("(")[0].partition("=")[2].partition(">")
            self.topologies[int(words[1]), words[2]] = (sources.split(), destinations.split())
        elif words[0] == "#window":
            self.windows[words[1]] = words[3]
        elif words[0] == "#site":
            self.sites[words[1]] = words[3:]

    def aligned(self, rank, time):
        points = self.clocks.get(rank)
        if not points or rank == 0:
            return float(time - self.zero)
        points = sorted(points)
        after = bisect_right(points, (time, 1 << 62))
        if after == 0 or after == len(points):
            return float(time - self.zero + points[min(after, len(points) - 1)][1])
        (t0, o0), (t1, o1) = points[after - 1:after + 1]
        return time - self.zero + o0 + (o1 - o0) * ((time - t0) / (t1 - t0))

    def comparable(self):
        """Returns whether all clocks can be compared, not only through messages."""
        return self.shared or len([r for r in range(1, self.ranks) if self.clocks.get(r)]) == self.ranks - 1

    # Who is who

    def mine(self, call):
        """Returns the group of the caller, and the one to which its sends go."""
        local, remote = self.comms[call.get("comm") or "0"]
        if remote is None:
            return local, local
        return (local, remote) if call.rank in local else (remote, local)

    def peer(self, call, key):
        """Returns the peer's rank in the world, or None if it does not take part in this trace."""
        word = call.get(key)
        return None if word is None or not word.isdigit() else self.mine(call)[1][int(word)]

    # Requests

    def find_requests(self, rank):
        made, requests = {}, self.requests[rank]
        for call in self.by_rank[rank]:
            if call.get("failed"):
                continue
            name = call.name
            if name in ("Start", "Startall"):
                for old, new in zip(call.list("persistent"), call.list("requests")):
                    requests[new] = Request(made[old], call)
            elif name in COMPLETE:
                done = call.list("done") if "done" in call.keys else call.list("requests")
                for word in done:
                    if word in requests:
                        requests[word].completed_by = call
                        call.done.append(requests[word])
                for word in call.list("cancelled"):
                    if word in requests:
                        requests[word].cancelled = True
            elif name == "Request_free":
                for word in call.list("request"):
                    if word in requests:
                        requests[word].freed = True
            elif name == "Cancel":
                pass
            elif name.startswith("Pready"):
                self.make_ready(requests[call.get("request")], call)
            elif name == "Parrived":
                pass
            elif "persistent" in call.keys:
                made[call.get("persistent")] = call
            elif "request" in call.keys:
                requests[call.get("request")] = Request(call, call)

    @staticmethod
    def make_ready(request, call):
        ready = [int(word) for word in call.list("ready")]
        request.ready.update(range(ready[0], ready[1] + 1) if call.name == "Pready_range" else ready)
        if request.ready_call is None and len(request.ready) == int(request.maker.get("partitions")):
            request.ready_call = call

    # Messages

    def find_messages(self):
        sends, receives = defaultdict(list), defaultdict(list)
        probed = []
        for calls in self.by_rank:
            order = defaultdict(int)
            for call in calls:
                if not call.get("failed"):
                    self.send_and_receive(call, sends, receives, probed, order)
        self.partitioned(sends, receives)
        for channel, got in receives.items():
            for (begin, sender, size, standard, synchronous), receive in zip(sends[channel], got):
                self.messages.append((begin, sender, size, standard, synchronous, receive))
        for call, channel, number in probed:
            if number < len(sends[channel]):
                call.until.append((sends[channel][number][0].begin, 0))

    def send_and_receive(self, call, sends, receives, probed, order):
        """Notes the sends and receives of the call in the order of their channels. ORDER: number of messages that each
        receiver has taken."""
        name, rank = call.name, call.rank
        comm = call.get("comm") or "0"

        def send(maker, request, left):
            to = self.peer(maker, "to")
            if to is not None and not (request and request.cancelled):
                channel = (maker.get("comm") or "0", rank, to, int(maker.get("tag") or 0))
                sender = (lambda: request.completed_by) if request else (lambda: left)
                sends[channel].append((left, sender, int(maker.get("bytes")), maker.name in STANDARD,
                                       maker.name in SYNCHRONOUS))

        def receive(channel, posted, receiver):
            receives[channel].append((posted, receiver))
            order[channel] += 1

        def channel_of(source, tag, where=comm):
            return (where, source, rank, int(tag or 0))

        if name in ("Send", "Ssend", "Bsend", "Rsend", "Sendrecv", "Sendrecv_replace"):
            send(call, None, call)
        if name in ("Isend", "Issend", "Ibsend", "Irsend", "Isendrecv", "Isendrecv_replace"):
            send(call, self.requests[rank][call.get("request")], call)
        if name == "Recv" or name.startswith("Sendrecv"):
            source = self.peer(call, "from")
            if source is not None:
                receive(channel_of(source, call.get("recvtag" if name != "Recv" else "tag")), call, lambda: call)
        if name == "Irecv" or name.startswith("Isendrecv"):
            request, source = self.requests[rank][call.get("request")], self.peer(call, "from")
            if source is not None and not request.cancelled and (request.completed_by or request.freed):
                receive(channel_of(source, call.get("recvtag" if name != "Irecv" else "tag")), call,
                        lambda: request.completed_by)
        if name in ("Probe", "Iprobe", "Mprobe", "Improbe") and call.get("found") != "0":
            source = self.peer(call, "from")
            if source is not None:
                channel = channel_of(source, call.get("tag"))
                probed.append((call, channel, order[channel]))
                if "message" in call.keys:
                    self.matched_receive(call, lambda posted, receiver: receive(channel, posted, receiver))
        if name in ("Start", "Startall"):
            met = {word.split(":")[0]: word.split(":")[1:] for word in call.list("matched")}
            for word in call.list("requests"):
                request = self.requests[rank][word]
                maker = request.maker
                if maker.name in ("Send_init", "Ssend_init", "Bsend_init", "Rsend_init"):
                    send(maker, request, call)
                elif maker.name == "Recv_init":
                    self.started_receive(request, met.get(word), channel_of, receive)

    def matched_receive(self, probe, receive):
        for call in self.by_rank[probe.rank]:
            if call.get("message") == probe.get("message") and call.name in ("Mrecv", "Imrecv") \
                    and not call.get("failed"):
                if call.name == "Mrecv":
                    receive(call, lambda: call)
                else:
                    request = self.requests[call.rank][call.get("request")]
                    receive(call, lambda: request.completed_by)
                return

    def started_receive(self, request, met, channel_of, receive):
        maker = request.maker
        source, tag = self.peer(maker, "from"), maker.get("tag")
        if met:
            source = None if not met[0].isdigit() else self.mine(maker)[1][int(met[0])]
            tag = met[1]
        elif "source" in maker.list("any") or "tag" in maker.list("any"):
            return
        if source is not None and not request.cancelled and (request.completed_by or request.freed):
            receive(channel_of(source, tag, maker.get("comm") or "0"), request.call, lambda: request.completed_by)

    def partitioned(self, sends, receives):
        """Matches partitioned messages: the n-th Psend_init with the n-th Precv_init, and the k-th start with the
        k-th."""
        for kind, put in (("Psend_init", sends), ("Precv_init", receives)):
            for rank, calls in enumerate(self.by_rank):
                nth = defaultdict(int)
                started = defaultdict(list)
                for request in self.requests[rank].values():
                    if request.maker.name == kind:
                        started[request.maker].append(request)
                for call in calls:
                    if call.name != kind or call.get("failed"):
                        continue
                    peer = self.peer(call, "to" if kind == "Psend_init" else "from")
                    if peer is None:
                        continue
                    pair = (rank, peer) if kind == "Psend_init" else (peer, rank)
                    base = ("parts", call.get("comm") or "0", *pair, int(call.get("tag") or 0))
                    for k, request in enumerate(started[call]):
                        channel = (*base, nth[base], k)
                        self.put_part(put, channel, request, kind)
                    nth[base] += 1

    @staticmethod
    def put_part(put, channel, request, kind):
        if kind == "Precv_init":
            put[channel].append((request.call, lambda: request.completed_by))
        elif request.ready_call:
            put[channel].append((request.ready_call, lambda: request.completed_by, int(request.maker.get("bytes")),
                                 True, False))

    def shown_limit(self):
        """Returns the largest size of a standard send that ended before its receive was posted."""
        most = -1
        for _, sender, size, standard, _, (posted, _) in self.messages:
            left = sender()
            if standard and left is not None and left.end < posted.begin:
                most = max(most, size)
        return most

    def point_to_point(self):
        for begin, sender, size, standard, synchronous, (posted, receiver) in self.messages:
            if receiver() is not None:
                receiver().until.append((begin.begin, 0))
            waits = synchronous or standard and size > self.eager_limit
            if waits and sender() is not None:
                sender().until.append((posted.begin, 1))

    # Collectives

    def meet(self):
        groups = defaultdict(dict)
        for rank, calls in enumerate(self.by_rank):
            counts, makers = defaultdict(int), {}
            for call in calls:
                if not call.get("failed"):
                    self.attend(call, groups, counts, makers)
        for members in groups.values():
            self.wait_together(members)

    def attend(self, call, groups, counts, makers):
        name, rank = call.name, call.rank
        comm = call.get("comm") or "0"
        plain = blocking_name(name)

        def join(where, posted, maker, completed):
            groups[where][rank] = (posted, maker, completed)

        def next_of(where):
            counts[where] += 1
            return where + (counts[where],)

        if plain and "persistent" in call.keys:
            makers[call] = next_of(("made", comm))
        elif plain in COLLECTIVES:
            request = self.requests[rank].get(call.get("request"))
            join(next_of(("comm", comm)), call, call, request.completed_by if request else call)
        elif name in MAKERS and name in MEET_ON_NEW:
            new = call.get("newcomm")
            if new not in (None, "null"):
                join(("new", new), call, call, call)
        elif name in MAKERS | WINDOW_MAKERS and comm != "null":
            request = self.requests[rank].get(call.get("request"))
            join(next_of(("comm", comm)), call, call, request.completed_by if request else call)
        elif name in ("Win_fence", "Win_free"):
            join(next_of(("window", call.get("win"))), call, call, call)
        elif name in ("Start", "Startall"):
            for word in call.list("requests"):
                request = self.requests[rank][word]
                if blocking_name(request.maker.name) in COLLECTIVES:
                    join(next_of(makers[request.maker]), call, request.maker, request.completed_by)

    def wait_together(self, members):
        """MEMBERS: rank -> (call that begins the collective, call with its arguments, call that completes it)."""
        name = blocking_name(next(iter(members.values()))[1].name)
        begins = {rank: posted.begin for rank, (posted, _, _) in members.items()}
        for rank, (_, maker, completed) in members.items():
            if completed is None:
                continue
            if name in ROOTED_OUT or name in ROOTED_IN:
                self.wait_rooted(name, rank, maker, completed, begins, members)
            elif name in SCANS:
                group = self.mine(maker)[0]
                before = group[:group.index(rank) + 1]
                completed.until.append((max(begins[r] for r in before if r in begins), 6))
            else:
                completed.until.append((max(begins.values()), 3 if name in ALL_TO_ALL else 2))

    def wait_rooted(self, name, rank, maker, completed, begins, members):
        said = maker.get("root") or "0"
        if said == "null":
            return
        local, remote = self.mine(maker)
        root = rank if said == "root" else remote[int(said)]
        if name in ROOTED_OUT:
            if root != rank and root in begins:
                completed.until.append((begins[root], 4))
        elif root == rank:
            givers = [r for r in (remote if said == "root" else local) if r != rank and r in begins]
            if givers:
                completed.until.append((min(begins[r] for r in givers), 5))

    def meet_neighbors(self):
        """Matches neighbourhood collectives: each call with the call of the same number of its neighbours."""
        begun, waiting = {}, []
        for rank, calls in enumerate(self.by_rank):
            counts, makers = defaultdict(int), {}
            for call in calls:
                plain = blocking_name(call.name)
                comm = call.get("comm") or "0"
                if call.get("failed"):
                    continue
                if plain and "persistent" in call.keys:
                    counts["made", comm] += 1
                    makers[call] = ("made", comm, counts["made", comm])
                elif plain in NEIGHBORS:
                    counts["called", comm] += 1
                    where = ("called", comm, counts["called", comm])
                    request = self.requests[rank].get(call.get("request"))
                    begun[where, rank] = call
                    waiting.append((where, comm, rank, request.completed_by if request else call))
                elif call.name in ("Start", "Startall"):
                    for word in call.list("requests"):
                        request = self.requests[rank][word]
                        if blocking_name(request.maker.name) in NEIGHBORS:
                            counts[request.maker] += 1
                            where = makers[request.maker] + (counts[request.maker],)
                            begun[where, rank] = call
                            waiting.append((where, request.maker.get("comm") or "0", rank, request.completed_by))
        for where, comm, rank, completed in waiting:
            if completed is None:
                continue
            group = self.comms[comm][0]
            for source in self.topologies.get((rank, comm), ((), ()))[0]:
                if source.isdigit() and (where, group[int(source)]) in begun:
                    completed.until.append((begun[where, group[int(source)]].begin, 0))

    # Windows

    def windows_wait(self):
        """Matches Post with Complete, and Complete with Wait or a successful Test: the n-th between two ranks with the
        n-th."""
        posts, completes = defaultdict(list), defaultdict(list)
        hears_post, hears_complete = [], []
        for rank, calls in enumerate(self.by_rank):
            exposed, started = defaultdict(list), defaultdict(list)
            counts = defaultdict(int)
            for call in calls:
                win = call.get("win")
                if win is None or call.get("failed"):
                    continue
                if call.name in ("Win_post", "Win_start"):
                    group, _ = self.comms[self.windows[win]]
                    others = [group[int(word)] for word in call.list("group") if word.isdigit()]
                if call.name == "Win_post":
                    exposed[win] = others
                    for other in others:
                        posts[win, rank, other].append(call)
                elif call.name == "Win_start":
                    started[win] = others
                elif call.name == "Win_complete":
                    for other in started.pop(win, []):
                        completes[win, rank, other].append(call)
                        hears_post.append((call, (win, other, rank), counts["post", win, other]))
                        counts["post", win, other] += 1
                elif call.name == "Win_wait" or call.name == "Win_test" and call.get("found") != "0":
                    for other in exposed.pop(win, []):
                        hears_complete.append((call, (win, other, rank), counts["complete", win, other]))
                        counts["complete", win, other] += 1
        for hearing, said in ((hears_post, posts), (hears_complete, completes)):
            for call, pair, number in hearing:
                if number < len(said[pair]):
                    call.until.append((said[pair][number].begin, 0))

    # Sums

    def counted(self):
        """Generates all calls that count, each with its matter."""
        for calls in self.by_rank:
            inside = False
            for call in calls:
                if call.name in ("Init", "Init_thread"):
                    inside = True
                elif call.name in ("Finalize", "Abort"):
                    inside = False
                elif inside:
                    matter = matter_of(call.name)
                    if matter is not None:
                        yield call, self.matter_completed(call, matter)

    @staticmethod
    def matter_completed(call, matter):
        matters = [matter_of(request.maker.name) for request in call.done]
        matters = [m for m in matters if m is not None]
        return min(matters, key=MATTERS.index) if matters else matter

    def sums(self, key):
        """Returns sums by key(call, matter): [calls, waited, time, {kind: ns}]."""
        rows = defaultdict(lambda: [0, 0, 0.0, defaultdict(float)])
        for call, matter in self.counted():
            row, (kind, long) = rows[key(call, matter)], call.wait()
            row[0] += 1
            row[2] += call.end - call.begin
            if kind:
                row[1] += 1
                row[3][kind] += long
        return rows
