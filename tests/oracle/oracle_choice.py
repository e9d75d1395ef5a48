# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests calls complete when times change (docs/MODEL.md, section 6)."""


from oracle_exact import Fraction
from oracle_matching import Half
from oracle_open import ROUNDING, TICK, OpenReceives
from oracle_trace import OracleError

ONE_OF = {"Waitany", "Testany", "Test"}
ALL_OF = {"Waitsome", "Testsome"}


class Choice(OpenReceives):
    """Evaluates a graph's nodes; calls complete what they would complete in the replica."""

    def __init__(self, builder, matching):
        self.builder = builder
        self.graph = builder.graph
        self.by_completion = getattr(builder.settings, "absorb", None) == "wait"
        self.message_of = {message.receive: message for message in matching.messages}
        self.message_of_any = {half: message for message in matching.messages
                               for half in (message.send, message.receive)}
        self.calls = {call.E: call for calls in builder.trace.calls
                      for call in calls[1:-1]}
        self.before = {call.E: before for calls in builder.trace.calls
                       for before, call in zip(calls, calls[1:])}
        self.given = {}
        for call, (halves, done) in matching.given.items():
            candidates = self.candidates(call, halves, done)
            if candidates:
                self.given[call] = candidates
        for call, half in matching.asked.items():
            if (call.args.get("found") == "0" and half in self.message_of
                    and self.is_alone(call.rank)):
                self.given[call] = [self.message_of[half]]
        self.find_open(matching)
        self.clear()

    def clear(self):
        self.delays = {}
        self.done, self.told = set(), set()
        self.holds = {}
        self.answered = set()
        self.is_void = self.is_other = False
        self.clear_open()
        self.picks = self.early = self.saved = self.answers = self.redone = 0

    def counts(self):
        return {"picks_changed": self.picks, "tests_early": self.early,
                "tests_saved": self.saved, "answers": self.answers,
                "redone": self.redone}

    def is_alone(self, rank):
        """Returns whether the rank has a single thread."""
        return len({thread for one, thread in self.builder.trace.first if one == rank}) == 1

    def candidates(self, call, halves, done):
        """Returns the messages that the call may complete, in order; none: there is no choice."""
        if call.name not in ONE_OF | ALL_OF | {"Testall"} or not self.is_alone(call.rank):
            return []
        messages = []
        if call.name == "Testall" and (done or not self.may_be_whole(halves)):
            return []
        for half in halves:
            if isinstance(half, Half) and not half.is_send and half in self.message_of:
                if self.message_of[half] not in messages:
                    messages.append(self.message_of[half])
        picks = any(message.receive.completed_by is call for message in messages)
        return [] if done >= len(halves) or (done and not picks) else messages

    def may_be_whole(self, halves):
        """Returns whether it is known for every request of a Testall when it completes."""
        for half in halves:
            if half is None or isinstance(half, Half) and half not in self.message_of_any:
                continue
            if not isinstance(half, Half) or half.terms.name == "Psend_init":
                return False
            if half.is_send and not self.is_eager(self.message_of_any[half]):
                return False
            if not half.is_send and self.is_open(self.message_of[half]):
                return False
        return True

    def is_eager(self, message):
        return not (self.builder.synchronous(message)
                    or self.builder.was_synchronous(message))

    # The order in which nodes are computed

    def evaluate(self):
        graph = self.graph
        self.delays = {v: Fraction(0) for v in graph.sources}
        missing, followers, lacking = {}, {}, {}
        for v in list(graph.edges):
            before = {u for u, *_ in graph.edges[v] + graph.bounds[v]}
            before -= graph.sources
            missing[v] = before
            if v in self.calls:
                lacking[v] = {message.V for message in self.given.get(self.calls[v], [])
                              if message.receive.completed_by is not self.calls[v]}
                if self.waits_for_all(self.calls[v]):
                    lacking[v].add(("nobody can go on",))
            for u in before | lacking.get(v, set()):
                followers.setdefault(u, []).append(v)
        ready = [v for v in missing if not missing[v] and not lacking.get(v)]
        while len(self.delays) < len(missing) + len(graph.sources):
            if not ready:
                ready.append(self.first_without(missing, lacking))
            v = ready.pop()
            self.delays[v] = self.delay(v)
            for w in followers.get(v, []):
                if w in self.delays or w in ready:
                    continue
                missing[w].discard(v)
                lacking.get(w, set()).discard(v)
                if not missing[w] and not lacking.get(w):
                    ready.append(w)
        return self.delays

    def waits_for_all(self, call):
        return call in self.waiting

    def first_without(self, missing, lacking):
        """Returns the first call that continues although some of its candidates have not been sent."""
        stuck = [self.calls[v] for v in lacking
                 if v not in self.delays and not missing[v]]
        if not stuck:
            raise OracleError("deadlock")
        first = min(stuck, key=lambda call: (self.left(call), call.rank))
        lacking[first.E] = set()
        return first.E

    def left(self, call):
        """Returns when the call left, for an order of ranks."""
        if not self.by_completion or self.builder.trace.has_clocks():
            return self.builder.leave(call)
        firsts = [enter for (rank, _), enter in self.builder.trace.first.items()
                  if rank == call.rank]
        return call.leave - min(firsts)

    def delay(self, v):
        call = self.calls.get(v)
        if not call:
            return self.graph.delay(v, self.delays)
        vanishes = self.complete(call)
        for u, *_ in self.graph.arrived[v]:
            self.graph.seen[u, v] = self.graph.sight(u, self.delays)
        if vanishes:
            if not self.builder.noise.before[call].polls(self.builder.settings):
                return self.delays[call.S] - call.duration
            last = self.before[v]
            return self.delays[last.E] - (call.leave - last.leave)
        return self.graph.delay(v, self.delays)

    def complete(self, call):
        """Lets the messages that the call completes take its requests; returns whether the call is not made."""
        self.find_answers(call)
        self.is_other = False
        vanishes = self.decide(call)
        if call in self.given:
            vanishes = self.choose(call)
        vanishes |= self.ask_again(call)
        self.count_pick(call)
        vanishes |= self.completes_done(call)
        self.take_completed(call)
        return vanishes

    def count_pick(self, call):
        """Counts a changed choice once, whatever the number of messages that it changes."""
        self.picks += self.is_other or any(
            self.held(message) is not message and message not in self.stays
            for message in self.chosen_at.get(call, [])
            if message.receive.completed_by is call)

    def completes_done(self, call):
        others = [u for u, *_ in self.graph.edges[call.E] if u != call.S]
        return bool(others) and all(u in self.done for u in others)

    # Choosing

    def traced_arrival(self, message):
        if self.by_completion:
            return self.builder.leave(message.receive.completed_by)
        return self.builder.start(message) + self.builder.flight(message)

    def arrival(self, message):
        return self.traced_arrival(message) + self.delays[message.V]

    def start(self, request):
        """Returns when the message that takes this request could start."""
        return self.cause(self.held(request))

    def raised(self, call, messages):
        """Returns by how much later than t(A) each message must have arrived at least."""
        enter = self.builder.enter(call)
        completed = [message for message in messages
                     if message.receive.completed_by is call]
        others = [message for message in messages if message not in completed]
        if not completed:
            after = enter + TICK
        else:
            last = max(self.traced_arrival(message) + self.bound[message]
                       for message in completed)
            after = max(last, enter) + TICK
            if last <= enter and call.name in ONE_OF:
                others = messages[:messages.index(completed[0])]
        if call.name == "Testall":
            others = [max(reversed(others), key=lambda message:
                          self.traced_arrival(message) + self.bound[message])]
        late = {message: after - self.traced_arrival(message) for message in others}
        if completed and last > enter and call.name in ALL_OF:
            late.update((message, last - self.traced_arrival(message))
                        for message in completed)
        return {message: max(self.bound[message], late.get(message, 0))
                for message in messages if self.held(message) is message}

    def choose(self, call):
        """Decides which messages the call completes; returns whether the call is not made."""
        messages = [message for message in self.given[call] if message.V in self.delays]
        completed = [message for message in messages
                     if message.receive.completed_by is call]
        if len(completed) == len(messages):
            return False
        raised = self.raised(call, messages)
        at = {message: max(self.arrival(message) + raised.get(message, Fraction(0)),
                           self.start(message))
              for message in messages}
        self.raises = raised
        self.keep_order(messages, completed, at)
        now = self.builder.enter(call) + self.delays[call.S]
        if call.name == "Parrived":
            return self.ask(call, messages[0], at, now)
        if call.name == "Testall":
            return self.test_whole(call, messages, at, now)
        if not completed:
            return self.test_again(call, messages, at, now)
        chosen = self.pick(messages, completed, at, now)
        out = [message for message in completed if message not in chosen]
        new = [message for message in messages
               if message in chosen and message not in completed]
        for p, q in zip(sorted(out, key=messages.index), new):
            self.exchange(p, q, at)
        self.is_other |= bool(new)
        if call.name in ALL_OF:
            self.is_other |= self.take_more(messages, completed, at, now)
        return False

    @staticmethod
    def question(call):
        return call.rank, call.args["request"], call.args["partition"]

    def ask(self, call, message, at, now):
        """Returns whether the question is saved, because the partitioned message is done or the program was told so
        before; notes an earlier positive answer."""
        if message.V in self.done or self.question(call) in self.told:
            self.saved += 1
            return True
        if at[message] <= now + ROUNDING:
            self.told.add(self.question(call))
            self.early += 1
        return False

    def ask_again(self, call):
        """Returns the same for a call that found its partition in the trace."""
        if call.name != "Parrived" or call.args.get("found") == "0":
            return False
        was_told = self.question(call) in self.told
        self.told.discard(self.question(call))
        return was_told

    def take_more(self, messages, completed, at, now):
        """Completes messages that have arrived in addition, if the call is made."""
        more = [message for message in messages if message not in completed
                and message.V not in self.done and at[message] <= now + ROUNDING]
        if all(message.V in self.done for message in completed):
            return False
        self.finish(more)
        return bool(more)

    def finish(self, messages):
        """Marks messages as completed by a call that did not complete them in the trace."""
        self.done |= {message.V for message in messages}
        for message in messages:
            self.stay(message)

    def put_into(self, message):
        """Returns the perturbation of a message, so that T(A) is not before its start."""
        traced = self.traced_arrival(message)
        least = self.start(message) - self.raises.get(message, 0) - traced
        return (max(self.delays[message.V], least)
                - self.graph.without(message.V, self.delays))

    def goes_before(self, one, other, completed):
        """Returns whether the message that takes one request precedes the message that takes the other."""
        first, second = self.holds.get(one, one), self.holds.get(other, other)
        return (first.key[:-1] == second.key[:-1] and first.key[-1] < second.key[-1]
                and self.is_eager(first)
                and not (other in completed and one not in completed))

    def keep_order(self, messages, completed, at):
        """Keeps messages of one channel in order."""
        for other in sorted(messages, key=lambda message:
                            self.holds.get(message, message).key[-1]):
            at[other] = max([at[other]] + [
                at[one] for one in messages if self.goes_before(one, other, completed)])

    def test_whole(self, call, messages, at, now):
        """Decides a Testall: all or nothing; a message that was not sent is not complete."""
        undone = [message for message in messages if message.V not in self.done]
        if len(messages) < len(self.given[call]):
            return False
        if not undone:
            self.saved += 1
            return True
        if all(at[message] <= now + ROUNDING for message in undone):
            self.finish(undone)
            self.early += 1
        return False

    def test_again(self, call, messages, at, now):
        if any(message.V in self.done for message in messages):
            self.saved += 1
            return True
        there = [message for message in messages if at[message] <= now + ROUNDING]
        if call.name in ONE_OF:
            there = there[:1]
        self.finish(there)
        self.early += bool(there)
        return False

    def pick(self, messages, completed, at, now):
        left, chosen = list(messages), []
        for _ in completed:
            done = [message for message in left if message.V in self.done]
            there = [message for message in left if at[message] <= now + ROUNDING]
            least = min(at[message] for message in left)
            equal = [message for message in left if at[message] <= least + ROUNDING
                     and not any(self.goes_before(one, message, completed)
                                 for one in left)]
            traced = [message for message in equal if message in completed]
            one = (done or there or traced or equal)[0]
            left.remove(one)
            chosen.append(one)
        return chosen

    def exchange(self, p, q, at):
        self.exchange_arrivals(p, q, at)
        self.holds[p], self.holds[q] = self.holds.get(q, q), self.holds.get(p, p)
        is_done = {m: m.V in self.done for m in (p, q)}
        for m, other in ((p, q), (q, p)):
            (self.done.add if is_done[other] else self.done.discard)(m.V)
        at[p], at[q] = at[q], at[p]
        self.stay(p)
        self.stay(q)

    def exchange_arrivals(self, p, q, at):
        delays, graph = self.delays, self.graph
        put = {m: self.put_into(m) for m in (p, q)}
        starts = {m: self.start(m) for m in (p, q)}
        for m, other in ((p, q), (q, p)):
            delays[m.V] = at[other] - self.traced_arrival(m)
            graph.exchanged[m.V] = delays[m.V] - put[other]
            graph.starts[m.V] = starts[other]

    # Answers

    def find_answers(self, call):
        for sent in self.builder.started[call]:
            for held in self.missing(call.rank):
                if (held.send.call.rank == sent.receive.call.rank
                        and held not in self.answered):
                    self.answer(call, sent, held)

    def answer(self, call, sent, held):
        self.answered.add(held)
        self.answers += 1
        leaves = self.builder.enter(call) + self.delays[call.S]
        leaves += self.builder.flight(sent)
        self.is_void |= leaves < self.cause(held) - ROUNDING

    def missing(self, rank):
        """Returns the messages that are completed in the trace and not in the replica."""
        at_hand = [message for message in self.to_rank[rank]
                   if message not in self.taken and self.trace_has_taken(message)]
        for request, message in self.holds.items():
            if (request is not message and request in self.stays
                    and request.V not in self.done
                    and request.receive.call.rank == rank
                    and request.receive.completed_by.E not in self.delays
                    and self.trace_has_taken(message)):
                at_hand.append(message)
        return at_hand

    def cause(self, message):
        """Returns when the message could start."""
        if self.by_completion:
            return (self.traced_arrival(message) - self.builder.flight(message)
                    + self.graph.without(message.A, self.delays))
        start = self.builder.start(message)
        if self.builder.changes(message):
            start = self.builder.enter(message.send.call)
        return start + self.graph.without(message.A, self.delays)
