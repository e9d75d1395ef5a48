# SPDX-License-Identifier: GPL-3.0-or-later
"""One-sided communication in the oracle's matching: windows meet, post, complete, and wait for transferred data
(docs/MODEL.md, section 4)."""

from collections import defaultdict

MAKERS = {"Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic"}
FENCES = {"Win_fence", "Win_free"}
MEETINGS = MAKERS | FENCES
MOVES = {"Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op",
         "Compare_and_swap"}
MOVES_WITH_REQUEST = {"Rput", "Rget", "Raccumulate", "Rget_accumulate"}
EPOCHS = {"Win_post", "Win_start", "Win_complete", "Win_wait", "Win_test"}
ENDS = {"Win_unlock", "Win_unlock_all", "Win_flush", "Win_flush_all",
        "Win_flush_local", "Win_flush_local_all"}
LOCAL = {"Win_lock", "Win_lock_all", "Win_sync"}
WINDOW_CALLS = MEETINGS | MOVES | MOVES_WITH_REQUEST | EPOCHS | ENDS | LOCAL


class WithRequest:
    """A one-sided transfer for which its request's completion waits."""

    is_send = False

    def __init__(self, call, matching, size_bytes):
        self.call, self.matching, self.size_bytes = call, matching, size_bytes

    @property
    def completed_by(self):
        return None

    @completed_by.setter
    def completed_by(self, call):
        self.matching.transfers[call] += self.size_bytes


class Windows:
    """Mixin of RankMatcher for windows."""

    def open_windows(self):
        self.moved = defaultdict(lambda: defaultdict(list))
        self.groups, self.starters = {}, {}
        self.fences = defaultdict(int)

    def match_window(self, call):
        win = call.number("win")
        comm = self.matching.trace.windows[win]
        if call.name in MAKERS:
            self.join_collective(call, comm)
        elif call.name in FENCES:
            self.join_fence(call, win, comm)
        elif call.name in MOVES | MOVES_WITH_REQUEST:
            self.move(call, win)
        elif call.name in EPOCHS:
            self.go_through_epoch(call, win, comm)
        elif call.name in ENDS:
            self.end_moves(call, win)

    def join_fence(self, call, win, comm):
        moved = self.moved.pop(win, {})
        self.join_collective(call, comm, ("window", win), self.fences[win])
        self.fences[win] += 1
        call.moved = sum(map(sum, moved.values()))

    def move(self, call, win):
        if call.args["to"] == "null":
            return
        size = sum(int(call.args.get(key, 0)) for key in ("bytes", "recvbytes"))
        if call.name in MOVES:
            self.moved[win][call.number("to")].append(size)
        else:
            self.keep(call.number("request"), WithRequest(call, self.matching, size))

    def end_moves(self, call, win):
        """Waits for everything that was transferred to the target, or to any target."""
        moved = self.moved[win]
        for to in [call.number("to")] if "to" in call.args else list(moved):
            sizes = moved.pop(to, [])
            if sizes:
                self.matching.transfers[call] += sum(sizes)

    def go_through_epoch(self, call, win, comm):
        me = self.matching.trace.comms[comm].index(call.rank)
        if call.name in ("Win_post", "Win_start"):
            self.groups[win, call.name] = call.numbers("group")
        if call.name == "Win_start":
            self.starters[win] = call
        if call.name == "Win_post":
            for origin in call.numbers("group"):
                self.tell(call, ("posted", win, me, origin), comm, origin, 0)
        elif call.name == "Win_complete":
            for target in self.groups.pop((win, "Win_start")):
                self.hear(call, ("posted", win, target, me), self.starters[win])
                size = sum(self.moved[win].pop(target, []))
                self.tell(call, ("completed", win, me, target), comm, target, size)
        elif call.name != "Win_start" and call.args.get("found") != "0":
            for origin in self.groups.pop((win, "Win_post")):
                self.hear(call, ("completed", win, origin, me))
