#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a random program whose masters receive and probe what comes, from whomever, and an
execution of it, as "#mpgtext 1".

Workers compute and send; at the end they receive what masters sent them meanwhile.  So it is
known when every message arrives before masters begin, and what these do is told by a
simulation of MPI's two queues in time: what arrives goes to the first receive posted that fits,
or waits until one is posted.
"""

import argparse
import random
import sys

TAGS = [1, 2]
FAST, ANSWER = 20, 77


class Message:
    def __init__(self, source, tag, size, sent, arrives):
        self.source, self.tag, self.size = source, tag, size
        self.sent, self.arrives = sent, arrives


class Receive:
    def __init__(self, number, source, tag):
        """SOURCE, TAG: None if they are open."""
        self.number, self.source, self.tag = number, source, tag
        self.message = None

    def fits(self, message):
        return (self.source in (None, message.source)
                and self.tag in (None, message.tag))

    def open_text(self):
        words = [word for word, value in (("source", self.source), ("tag", self.tag))
                 if value is None]
        return f" any={','.join(words)}" if words else ""


class Rank:
    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.now = 100
        self.calls = [(0, 100, lambda: "Init")]

    def compute(self, most=9000):
        self.now += self.rng.randint(50, most)

    def call(self, text, until=None):
        """TEXT: a string, or a function that is called at the end."""
        enter = self.now
        self.now = max(enter + self.rng.randint(FAST, 3 * FAST), until or 0)
        self.calls.append((enter, self.now, text if callable(text) else lambda: text))
        return enter


class Master(Rank):
    def __init__(self, number, rng, coming, workers):
        super().__init__(number, rng)
        self.coming = sorted(coming, key=lambda message: message.arrives)
        self.waiting, self.posted, self.taken = [], [], set()
        self.requests, self.messages = 0, 0
        self.workers, self.answers = workers, []

    # The two queues

    def arrive(self, until):
        while self.coming and self.coming[0].arrives <= until:
            message = self.coming.pop(0)
            receive = next((one for one in self.posted if one.fits(message)), None)
            if receive:
                receive.message = message
                self.posted.remove(receive)
            else:
                self.waiting.append(message)

    def post(self, source, tag):
        self.arrive(self.now)
        self.requests += 1
        receive = Receive(self.requests, source, tag)
        receive.message = self.look(receive)
        if receive.message:
            self.waiting.remove(receive.message)
        else:
            self.posted.append(receive)
        return receive

    def look(self, receive):
        return next((one for one in self.waiting if receive.fits(one)), None)

    def wait(self, receives):
        """Waits until one of them has a message; returns when, and advances the queues."""
        while not any(one.message for one in receives):
            self.arrive(self.coming[0].arrives)
        return min(one.message.arrives for one in receives if one.message)

    def left(self):
        """Returns how many messages are to come for receives that are not posted yet."""
        return len(self.coming) + len(self.waiting) - len(self.posted)

    def pattern(self):
        """Returns source and tag of a receive: open, except the tag if all that is left has the same one."""
        tags = {message.tag for message in self.coming + self.waiting}
        return None, tags.pop() if len(tags) == 1 and self.rng.random() < .7 else None

    # What it does

    def args(self, receive):
        def text():
            m = receive.message
            return (f"comm=0 from={m.source} tag={m.tag} bytes={m.size}"
                    + receive.open_text())
        return text

    def step_recv(self):
        receive = self.post(*self.pattern())
        args, name = self.args(receive), self.rng.choice(["Recv", "Recv", "Sendrecv"])
        if name == "Sendrecv":
            to = self.answer()
            self.call(lambda: f"Sendrecv to={to.source} tag={to.tag} bytes={to.size} "
                      + args().replace("tag=", "recvtag=").replace("bytes=", "recvbytes="),
                      self.wait([receive]))
            to.sent = self.calls[-1][0]
        else:
            self.call(lambda: "Recv " + args(), self.wait([receive]))

    def step_pool(self):
        """Posts some receives at once, completed in one of the possible ways."""
        receives = []
        for _ in range(self.rng.randint(1, min(5, self.left()))):
            receive = self.post(*self.pattern())
            receives.append(receive)
            self.begin(receive)
            if self.rng.random() < .3:
                self.compute(3000)
        while receives:
            self.compute()
            receives = self.complete(receives)

    def begin(self, receive):
        args, number = self.args(receive), receive.number
        if self.rng.random() < .3:
            def started():
                m = receive.message
                return (f"Start persistent={number} requests={number} "
                        f"matched={number}:{m.source}:{m.tag}")
            tag = "" if receive.tag is None else f" tag={receive.tag}"
            self.call(f"Recv_init comm=0{tag} bytes=4096 persistent={number}"
                      + receive.open_text())
            self.call(started)
        elif self.rng.random() < .2:
            to = self.answer()
            to.sent = self.call(
                lambda: f"Isendrecv to={to.source} tag={to.tag} bytes={to.size} request={number} "
                + args().replace("tag=", "recvtag=").replace("bytes=", "recvbytes="))
        else:
            self.call(lambda: f"Irecv {args()} request={number}")

    def complete(self, receives):
        """Completes by one call; returns what is not completed."""
        listed = self.rng.sample(receives, len(receives))
        names = ",".join(str(one.number) for one in listed)
        way = self.rng.choice(["Waitall", "Wait", "Waitany", "Waitany", "Waitsome", "Test", "Testany",
                               "Testsome"])
        if way == "Waitall":
            for one in listed:
                self.wait([one])
            self.call(f"Waitall requests={names}", max(one.message.arrives for one in listed))
            return []
        if way == "Wait":
            self.call(f"Wait requests={listed[0].number}", self.wait(listed[:1]))
            return [one for one in receives if one is not listed[0]]
        listed = listed[:1] if way == "Test" else listed
        names = ",".join(str(one.number) for one in listed)
        at = self.wait(listed) if way.startswith("Wait") else self.now
        self.arrive(self.now)
        done = [one for one in listed if one.message and one.message.arrives <= max(at, self.now)]
        if not way.endswith("some"):
            done = done[:1]
        self.call(f"{way} requests={names} done={','.join(str(one.number) for one in done)}", at)
        return [one for one in receives if one not in done]

    def step_probe(self):
        """Polls or waits with a probe, and then receives what was found."""
        look = Receive(0, *self.pattern())
        if self.rng.random() < .2 and self.coming:
            look.source = self.coming[0].source
        takes = self.rng.random() < .4
        name = "mprobe" if takes else "probe"
        polls = self.rng.random() < .6
        while polls and not self.found(look):
            if not any(look.fits(one) for one in self.coming):
                return
            source = "" if look.source is None else f" from={look.source}"
            tag = "" if look.tag is None else f" tag={look.tag}"
            self.call(f"I{name} comm=0{source}{tag} found=0" + look.open_text())
            self.compute(4000)
        while not self.found(look):
            if not any(look.fits(one) for one in self.coming):
                return
            self.arrive(self.coming[0].arrives)
        m = self.look(look)
        self.messages += takes
        text = f"comm=0 from={m.source} tag={m.tag} bytes={m.size}"
        taken = f" message={self.messages}" if takes else ""
        self.call(f"{'I' + name if polls else name.capitalize()} {text}{look.open_text()}{taken}",
                  m.arrives)
        self.waiting.remove(m)
        if self.rng.random() < .3:
            self.compute(2000)
        self.call(f"{'Mrecv' if takes else 'Recv'} {text}{taken}")

    def found(self, look):
        self.arrive(self.now)
        return self.look(look)

    def answer(self):
        """Returns a message to a worker, which the caller sends."""
        message = Message(self.rng.choice(self.workers), ANSWER, self.rng.choice([0, 8, 900]), 0, 0)
        self.answers.append(message)
        return message

    def step_answer(self):
        message = self.answer()
        message.sent = self.call(f"Send to={message.source} tag={ANSWER} bytes={message.size}")

    def run(self):
        while self.left() > 0:
            self.compute()
            self.rng.choice([self.step_recv, self.step_pool, self.step_pool, self.step_probe,
                             self.step_probe, self.step_answer])()


class Worker(Rank):
    requests = None  # how many of its sends it has waited for; None: it does not Isend

    def waited_for(self):
        """Turns the last call, a Send, into an Isend and a Wait for it."""
        enter, leave, text = self.calls.pop()
        self.requests += 1
        middle, number = (enter + leave) // 2, self.requests
        self.calls.append((enter, middle, lambda: f"I{text()[0].lower()}{text()[1:]} request={number}"))
        self.calls.append((middle, leave, lambda: f"Wait requests={number}"))

    def run(self, masters, steps, coming):
        for _ in range(steps):
            self.compute(30000)
            master, tag = self.rng.choice(masters), self.rng.choice(TAGS)
            size = self.rng.choice([0, 8, 500, 2000])
            name = self.rng.choice(["Send", "Bsend"])
            enter = self.call(f"{name} to={master} tag={tag} bytes={size}")
            if name == "Send" and self.requests is not None:
                self.waited_for()
            times = [one.arrives for one in coming[master] if one.source == self.number]
            arrives = max(enter + 700 + size // 8 + self.rng.randint(0, 5000),
                          max(times, default=0) + 1)
            coming[master].append(Message(self.number, tag, size, enter, arrives))

    def finish(self, masters):
        for master in masters:
            for message in master.answers:
                if message.source == self.number:
                    self.compute()
                    self.call(f"Recv from={master.number} tag={ANSWER} bytes={message.size}",
                              message.sent + 700 + message.size // 8)


def main(master=Master):
    """MASTER: the class of the masters."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()
    rng = random.Random(f"open {options.seed}")
    ranks = max(3, options.ranks)
    masters = list(range(1 + (ranks > 4)))
    workers = [Worker(number, rng) for number in range(len(masters), ranks)]
    coming = {master: [] for master in masters}
    for worker in workers:
        worker.requests = 0 if options.seed % 5 > 2 else None
        worker.run(masters, max(1, options.steps // len(workers)), coming)
    bosses = [master(number, rng, coming[number], [worker.number for worker in workers])
              for number in masters]
    for master in bosses:
        master.run()
    for worker in workers:
        worker.finish(bosses)
    end = max(rank.now for rank in bosses + workers) + 1000
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared"]
    for rank in bosses + workers:
        rank.calls.append((end, end + 10, lambda: "Finalize"))
        lines += [f"{rank.number} {enter} {leave} {text()}" for enter, leave, text in rank.calls]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
