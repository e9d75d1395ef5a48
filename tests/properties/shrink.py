# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduces a failing case while it fails: fewer options, operations, ranks and header lines; less in the machines'
files; shorter times, rounder numbers. fails(case): whether a case fails; one that mpgsim refuses does not."""

import json
import re
import time

import operations
import texts

NUMBER = re.compile(r"([:=,-])([0-9]+\.?[0-9]*)(?=ns|us|ms|s|$|,|@)")


class Shrinker:
    """The smallest failing case so far."""

    def __init__(self, case, fails, seconds):
        self.case, self.fails = case, fails
        self.end = time.monotonic() + seconds
        self.tried = set()

    def attempt(self, case):
        """Takes the case if it is new and fails."""
        key = case.text, case.words, tuple(sorted(case.files.items()))
        if key in self.tried or time.monotonic() > self.end:
            return False
        self.tried.add(key)
        if not self.fails(case):
            return False
        self.case = case
        return True

    def attempt_trace(self, trace):
        return self.attempt(self.case.with_trace(trace))

    def shrink(self):
        """Repeats all reductions until none succeeds."""
        before = None
        while before != self.case and time.monotonic() < self.end:
            before = self.case
            self.drop_words()
            self.drop_operations()
            self.drop_ranks()
            for rank in range(self.case.trace().ranks):
                self.attempt_trace(operations.on_one_thread(self.case.trace(), rank))
            self.drop_about()
            self.shrink_files()
            self.shorten()
            self.lessen_bytes()
            self.round_words()
        return self.case

    # Options

    def drop_words(self):
        for word in reversed(self.case.words):
            if word not in self.case.kept:
                self.attempt(self.case.but(words=tuple(
                    other for other in self.case.words if other is not word)))

    def round_words(self):
        """Simplifies numbers in options: whole, halved, for all ranks, constant."""
        for i, word in enumerate(self.case.words):
            if word in self.case.kept or "{" in word:
                continue
            for simpler in (re.sub("@.*", "", word),
                            re.sub("=(exp|gamma|normal|lognormal|pareto):([^,@]*)[^@]*",
                                   r"=const:\2", word)):
                self.replace_word(i, simpler)
            self.lessen_number(i)

    def replace_word(self, i, word):
        words = list(self.case.words)
        if i >= len(words) or words[i] == word:
            return False
        words[i] = word
        return self.attempt(self.case.but(words=tuple(words)))

    def lessen_number(self, i):
        for _ in range(20):
            word = self.case.words[i]
            match = NUMBER.search(word)
            if not match or float(match[2]) < 2:
                return
            value = float(match[2])
            whole = int(value) if value != int(value) else int(value / 2)
            if not self.replace_word(i, word[:match.start(2)] + str(whole) + word[match.end(2):]):
                return

    # The program

    def drop_operations(self):
        """Removes operations that belong together: all, half of them, a quarter ..., one by one."""
        trace = self.case.trace()
        units = operations.units(trace)
        size = max(1, len(units))
        while size >= 1:
            place = 0
            while place < len(units):
                rest = units[:place] + units[place + size:]
                lines = {line for unit in units[place:place + size] for line in unit}
                if lines and self.attempt_trace(operations.without(trace, lines)):
                    trace = self.case.trace()
                    units = operations.units(trace)
                    if len(units) > len(rest):  # not all of it could go
                        place += size
                else:
                    place += size
            size //= 2

    def drop_ranks(self):
        for rank in reversed(range(self.case.trace().ranks)):
            trace = self.case.trace()
            if trace.ranks == 1:
                return
            smaller = operations.without_rank(trace, rank)
            if smaller is None:
                continue
            words = tuple(operations.word_without_rank(word, rank) for word in self.case.words)
            kept = tuple(operations.word_without_rank(word, rank) for word in self.case.kept)
            files = dict(self.case.files)
            if "places" in files:
                lines = files["places"].splitlines(True)
                files["places"] = "".join(lines[:rank] + lines[rank + 1:])
            self.attempt(self.case.with_trace(smaller).but(words=words, kept=kept, files=files))

    def drop_about(self):
        for line in reversed(self.case.trace().about):
            trace = self.case.trace()
            about = tuple(other for other in trace.about if other != line)
            calls = trace.calls
            if line.startswith("#values"):
                calls = operations.without_keys(calls, "values")
            if line.startswith("#site"):
                calls = operations.without_keys(calls, "site")
                about = tuple(other for other in about if not other.startswith("#site"))
            self.attempt_trace(trace.but(about=about, calls=calls))

    def shorten(self):
        """Shortens a rank's intervals and calls: to nothing, by half, to a rounder time."""
        for rank in range(self.case.trace().ranks):
            for i in range(len(operations.moments(self.case.trace(), rank))):
                self.shorten_before(rank, i)

    def shorten_before(self, rank, i):
        """Shortens the i-th stretch between times of a rank's clock; everything after it becomes earlier."""
        for _ in range(12):
            trace = self.case.trace()
            moments = operations.moments(trace, rank)
            if i >= len(moments):
                return
            begin, end = moments[i - 1] if i else 0, moments[i]
            length = end - begin
            rounder = int(f"{length:.0e}".split("e")[0]) * 10 ** (len(str(abs(length))) - 1)
            if not any(0 <= to < length and self.attempt_trace(
                    operations.earlier(trace, rank, end, length - to))
                       for to in (0, length // 2, rounder)):
                return

    def lessen_bytes(self):
        for i, call in enumerate(self.case.trace().calls):
            for key in ("bytes", "recvbytes"):
                if call.keys.get(key, "0").strip("0,") == "":
                    continue
                for factor in (0, 1 / 2, 1 / 2, 1 / 2):
                    trace = self.case.trace()
                    calls = list(trace.calls)
                    if i >= len(calls) or key not in calls[i].keys:
                        break
                    less = ",".join(str(int(int(word) * factor))
                                    for word in calls[i].keys[key].split(","))
                    calls[i] = calls[i].with_keys(**{key: less})
                    if self.attempt_trace(trace.but(calls=tuple(calls))) and not factor:
                        break

    # Files

    def shrink_files(self):
        for name in self.case.used():
            if name != "places":
                place = JsonPlace(self, name)
                place.shrink(())

    def with_file(self, name, content):
        return self.case.but(files={**self.case.files, name: json.dumps(content)})


class JsonPlace:
    """Removes parts of a signature, from the outside to the inside."""

    def __init__(self, shrinker, name):
        self.shrinker, self.name = shrinker, name

    def content(self, path):
        found = json.loads(self.shrinker.case.files[self.name])
        inner = found
        for key in path:
            inner = inner[key]
        return found, inner

    def shrink(self, path):
        _, inner = self.content(path)
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        for key in reversed(keys):
            found, inner = self.content(path)
            del inner[key]
            if self.shrinker.attempt(self.shrinker.with_file(self.name, found)):
                continue
            _, inner = self.content(path)
            if isinstance(inner[key], (dict, list)) and inner[key]:
                self.shrink((*path, key))


def shrunk(case, fails, seconds=60):
    """Returns the smallest case found in SECONDS, or CASE itself if it does not fail."""
    shrinker = Shrinker(case, fails, seconds)
    if not fails(case):
        return case
    return shrinker.shrink()
