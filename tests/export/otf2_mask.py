# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies to every call of a trace in mpgtext the list in mpgotf2(5) of what an OTF2 archive contains. Written from the
man page only."""

import dataclasses

TIMES_ONLY = ("Probe Iprobe Mprobe Improbe Psend_init Precv_init Pready Pready_range Pready_list Parrived "
              "Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_join Comm_get_parent "
              "Comm_create_from_group Intercomm_create_from_groups").split()
ONE_SIDED = ("Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap")
WITH_REQUEST = {"Rput": "Put", "Rget": "Get", "Raccumulate": "Accumulate", "Rget_accumulate": "Get_accumulate"}
DROPPED = ["Request_free", "Cancel", "Grequest_start", "Pcontrol", "Send_init", "Ssend_init", "Bsend_init", "Rsend_init",
           "Recv_init"]
SENDS, ISENDS = ("Send", "Ssend", "Bsend", "Rsend"), ("Isend", "Issend", "Ibsend", "Irsend")
WAITS, TESTS = ("Wait", "Waitall", "Waitany", "Waitsome"), ("Test", "Testall", "Testany", "Testsome")
ICOLLECTIVES = ("Ibarrier Ibcast Ireduce Iallreduce Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv Ialltoall "
                "Ialltoallv Ialltoallw Ireduce_scatter Ireduce_scatter_block Iscan Iexscan").split()
UNNAMED = {"comm": "0", "any": "source,tag", "bytes": "0"}


def plain(name):
    return name.removesuffix("_c")


def is_times_only(name):
    name = plain(name)
    return (name in TIMES_ONLY or name.startswith(("Neighbor", "Ineighbor", "File_")) or
            (name.endswith("_init") and name not in DROPPED))


class Masker:
    """Masks the calls of one rank."""

    def __init__(self, calls, singles, selves, own_windows=()):
        self.own_windows = own_windows  # labels of windows of MPI_COMM_SELF
        self.singles, self.selves = singles, selves  # labels of communicators of one member, and of MPI_COMM_SELF
        self.posted = {}      # request, half -> thread, of requests with records
        self.done = {}        # request, half -> thread, "done" or "cancelled"
        self.persistent = {}
        self.carry = {}
        self.out = []
        self.look_ahead(calls)
        self.open = {}        # thread -> names of open regions
        last = {}
        for call in calls:
            self.one(call)
            if "calls" not in call.keys and "killed" not in call.keys:
                last[call.thread] = call
        for thread, names in self.open.items():
            for name in reversed(names):
                self.put(last[thread], "Region_end", {"name": name} | self.of(last[thread], "values"), at_end=True)

    def region(self, call):
        names = self.open.setdefault(call.thread, [])
        name = call.keys["name"]
        if call.name == "Region_begin":
            names.append(name)
        elif name not in names:
            self.drop(call)
            return
        else:
            while names[-1] != name:
                self.put(call, "Region_end", {"name": names.pop()})
            names.pop()
        self.put(call, call.name, {"name": name})

    def look_ahead(self, calls):
        for call in calls:
            if plain(call.name) in WAITS + TESTS and "failed" not in call.keys:
                done = call.list("done") if "done" in call.keys else call.list("requests")
                for request in done:
                    self.done.setdefault(request, (call.thread, request in call.list("cancelled")))

    def put(self, call, name, keys, at_end=False):
        """Adds a call with these keys. Of several calls made of one only the first has the values."""
        keys = dict(keys)
        if "values" in call.keys:
            values = [int(word) for word in call.keys["values"].split(",")]
            values = [a + b for a, b in zip(values, self.carry.pop(call.thread, [0] * len(values)))]
            keys["values"] = ",".join(map(str, [0] * len(values) if at_end else values))
        if "failed" in call.keys and name != "Unknown":
            keys["failed"] = "1"
        self.out.append(dataclasses.replace(call, name=name, keys=keys, enter=call.leave if at_end else call.enter))

    def unknown(self, call):
        self.put(call, "Unknown", {"name": f'"MPI_{call.name}"'})

    def drop(self, call):
        """Drops the call; its values are added to those of the thread's next call."""
        if "values" in call.keys:
            values = [int(word) for word in call.keys["values"].split(",")]
            kept = self.carry.get(call.thread, [0] * len(values))
            self.carry[call.thread] = [a + b for a, b in zip(values, kept)]

    def of(self, call, *keys):
        return {key: call.keys[key] for key in keys if key in call.keys}

    def send_keys(self, call, request=None):
        keys = self.of(call, "comm", "to", "tag", "bytes")
        if keys["to"] == "null":
            keys = {"comm": "0", "to": "null", "tag": "0", "bytes": "0"}
        return keys | ({"request": request} if request else {})

    def receive_keys(self, call, tag="tag", size="bytes"):
        if call.keys.get("from") == "null":
            return {"comm": "0", "from": "null", "tag": "0", "bytes": "0"}
        keys = self.of(call, "comm", "from", "any")
        return keys | {"tag": call.keys[tag], "bytes": call.keys[size]}

    def post(self, call, name, keys, request, half=0, at_end=False):
        """Adds a posted receive or send. A receive's keys are known if the thread that posted it completes it."""
        self.posted[request, half] = call.thread
        if name in ("Irecv", "Irecv_c"):
            thread, cancelled = self.done.get(request, (-1, False))
            if thread != call.thread or cancelled:
                keys = UNNAMED
        self.put(call, name, keys | {"request": (request, half)}, at_end)

    def one(self, call):
        name = plain(call.name)
        if "calls" in call.keys or "killed" in call.keys:
            self.drop(call)
        elif name.startswith("Region_"):
            self.region(call)
        elif "failed" in call.keys:
            self.put(call, call.name, {})
        elif name in DROPPED:
            if "persistent" in call.keys and name != "Request_free":
                self.persistent[call.keys["persistent"]] = call
            self.drop(call)
        elif name.startswith("Win_") or name in ONE_SIDED or name in WITH_REQUEST:
            self.one_sided(call, name)
        elif is_times_only(call.name):
            self.unknown(call)
        elif name in SENDS:
            self.put(call, call.name, self.send_keys(call))
        elif name == "Recv":
            self.put(call, call.name, self.receive_keys(call))
        elif name in ("Sendrecv", "Sendrecv_replace"):
            self.sendrecv(call)
        elif name in ISENDS or name == "Irecv":
            self.nonblocking(call, name)
        elif name in ("Mrecv", "Imrecv"):
            self.matched(call, name)
        elif name in ("Isendrecv", "Isendrecv_replace"):
            self.both(call)
        elif name in ("Start", "Startall"):
            self.starts(call)
        elif name in WAITS + TESTS:
            self.completion(call, name)
        elif name in ICOLLECTIVES or name in ("Comm_idup", "Comm_idup_with_info"):
            self.icollective(call, name)
        elif name in ("Comm_free", "Comm_disconnect") and call.keys["comm"] in self.selves:
            self.drop(call)
        elif name == "Exscan" and call.keys["comm"] in self.singles:
            self.put(call, call.name, self.of(call, "comm", "root") | {"bytes": "0"})
        else:
            self.put(call, call.name, {key: value for key, value in call.keys.items()
                                       if key not in ("site", "off", "off_call", "values")})

    def one_sided(self, call, name):
        if call.keys["win"] in self.own_windows or call.keys.get("to") == "null" or call.keys.get("found") == "0":
            self.unknown(call)
            return
        keys = self.of(call, "comm", "win", "to", "group", "bytes", "recvbytes", "exclusive", "assert")
        if name in WITH_REQUEST or name in ONE_SIDED:
            self.put(call, WITH_REQUEST.get(name, call.name), keys)
            return
        self.put(call, call.name, keys | {key: "0" for key in ("bytes", "assert") if key in keys})

    def sendrecv(self, call):
        keys = self.receive_keys(call, "recvtag", "recvbytes")
        keys["recvtag"], keys["recvbytes"] = keys.pop("tag"), keys.pop("bytes")
        send = self.send_keys(call)
        if send["to"] == "null":
            send.pop("comm")
        elif keys["from"] == "null":
            keys.pop("comm")
        self.put(call, call.name, keys | send)

    def nonblocking(self, call, name):
        request, sends = call.keys["request"], name != "Irecv"
        nobody = call.keys.get("to" if sends else "from") == "null"
        keys = self.send_keys(call) if sends else (
            self.receive_keys(call) if "from" in call.keys else dict(UNNAMED))
        if not nobody:
            self.post(call, call.name, keys, request)
            return
        self.put(call, call.name, keys | {"request": (request, "null")})
        self.put(call, "Request_free", {"request": (request, "null")}, at_end=True)

    def matched(self, call, name):
        if call.keys["from"] == "null":
            self.unknown(call)
        elif name == "Mrecv":
            self.put(call, "Recv", self.receive_keys(call))
        else:
            self.post(call, "Irecv", self.receive_keys(call), call.keys["request"])

    def both(self, call):
        request, at_end = call.keys["request"], False
        if call.keys["to"] != "null":
            self.post(call, "Isend", self.send_keys(call), request)
            at_end = True
        if call.keys.get("from") != "null":
            keys = self.receive_keys(call, "recvtag", "recvbytes") if "from" in call.keys else dict(UNNAMED)
            self.post(call, "Irecv", keys, request, 1, at_end)
        elif not at_end:
            self.unknown(call)

    def starts(self, call):
        met = {word.split(":")[0]: word.split(":")[1:] for word in call.list("matched")}
        at_end = False
        for number, request in zip(call.list("persistent"), call.list("requests")):
            made = self.persistent.get(number)
            if made is None or (made.keys.get("to") or made.keys.get("from")) == "null":
                continue
            if "to" in made.keys:
                self.post(call, "Isend", self.send_keys(made), request, 0, at_end)
            else:
                keys = dict(made.keys)
                if request in met:
                    keys["from"], keys["tag"] = met[request]
                self.post(call, "Irecv", self.receive_keys(made.but(keys=keys)), request, 0, at_end)
            at_end = True
        if not at_end:
            self.drop(call)

    def icollective(self, call, name):
        request = call.keys["request"]
        if self.done.get(request, (-1,))[0] != call.thread:
            self.posted[request, 0] = call.thread
            self.unknown(call)
            return
        keys = self.of(call, "comm", "root", "bytes", "newcomm")
        if name == "Iexscan" and call.keys["comm"] in self.singles:
            keys["bytes"] = "0"
        self.post(call, call.name, keys, request)

    def completion(self, call, name):
        done = call.list("done") if "done" in call.keys else call.list("requests")

        def known(requests):
            return [(request, half) for request in requests for half in (0, 1)
                    if self.posted.get((request, half)) == call.thread]

        completed = known([request for request in call.list("requests") if request in done])
        tested = known([request for request in call.list("requests") if request not in done])
        if not completed + tested and name in WAITS:
            self.unknown(call)
            return
        keys = {"requests": completed + tested}
        if tested:
            keys["done"] = completed
        cancelled = known(call.list("cancelled"))
        if cancelled:
            keys["cancelled"] = cancelled
        for one in completed:
            self.posted.pop(one)
        self.put(call, call.name, keys)
