# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgkit's programs from Python: functions that run them and return tables and answers. Standard library only.

    import mpgkit
    for row in mpgkit.waits("app.trace", by="callsite"):
        print(row["call"], row["callsite"], row["wait_ns"])
    mpgkit.events("app.trace").to_pandas()             # needs pandas
    mpgkit.predict("app.trace", "X.sig")["run_time_ns"]["median"]

Programs are sought in the folder BINARIES or $MPGKIT_BINDIR, else in the bin folder of the installation that this file belongs to,
else in PATH; $MPGTRACE and $MPGSIM name one program each. Keyword arguments that a function does not name are options of its
program: debug_path="DIR" is --debug-path=DIR, lenient=True is --lenient, a list gives an option several times."""

import csv
import io
import json
import os
import shutil
import subprocess

__all__ = ["Error", "Table", "events", "iter_events", "stat", "waits", "efficiency", "critical_path", "compare", "predict", "signature"]

BINARIES = None  # folder of the programs; None: see above


class Error(Exception):
    """A program failed; the text is the program's line."""


class Table:
    """Rows of a table: a sequence of dicts, each with a value for each of COLUMNS; None where the program has none.

    ANSWER is the program's whole answer, where it is JSON."""

    def __init__(self, columns, rows, answer=None):
        self.columns, self.rows, self.answer = list(columns), list(rows), answer

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, index):
        """Row INDEX; the column of that name as a list; a Table of a slice."""
        if isinstance(index, str):
            return [row[index] for row in self.rows]
        return Table(self.columns, self.rows[index], self.answer) if isinstance(index, slice) else self.rows[index]

    def to_pandas(self):
        """A pandas.DataFrame. Error if pandas is not installed."""
        try:
            import pandas  # pylint: disable=import-outside-toplevel
        except ImportError as error:
            raise Error("to_pandas() needs pandas, which is not installed") from error
        return pandas.DataFrame(self.rows, columns=self.columns)

    def __repr__(self):
        shown = [[_shown(row[c]) for c in self.columns] for row in self.rows[:20]]
        width = [max(map(len, cells)) for cells in zip(self.columns, *shown)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(cells, width)).rstrip() for cells in [self.columns, *shown]]
        if len(self.rows) > 20:
            lines.append(f"... and {len(self.rows) - 20} more")
        return "\n".join(lines)


def _shown(value):
    if isinstance(value, float):
        return f"{value:.6g}"
    return " < ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


# ---- programs ----

def _program(name):
    given = os.environ.get(name.upper())
    if given and not BINARIES:
        return given
    folder = BINARIES or os.environ.get("MPGKIT_BINDIR")
    if folder:
        return os.path.join(folder, name)
    installed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bin", name)
    return installed if os.access(installed, os.X_OK) else shutil.which(name) or name


def _options(options):
    """Command line words of keyword arguments."""
    words = []
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                words.append(f"--{name.replace('_', '-')}" + ("" if one is True else f"={one}"))
    return words


def _failed(name, text):
    lines = [line for line in text.splitlines() if line.strip()]
    return Error(lines[-1] if lines else f"{name}: failed without a message")


def _run(name, *words):
    """Runs NAME and returns its standard output. Error: it failed, or is not there."""
    command = [_program(name), *map(os.fspath, words)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                              errors="backslashreplace", stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise Error(f"{name}: cannot be run: {error.strerror} (PATH, MPGKIT_BINDIR)") from error
    if done.returncode != 0:
        raise _failed(name, done.stderr)
    return done.stdout


def _value(text, column):
    """A field of CSV: numbers in columns that are not names."""
    if text == "":
        return None
    if column in ("requests", "done"):
        return [int(number) for number in text.split()]
    if column in _NAMES:
        return text
    if text in ("yes", "no"):
        return text == "yes"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


_NAMES = {"call", "callsite", "region", "kind", "matched", "verdict", "before_place", "after_place", "unit"}


def _rows(lines):
    reader = csv.DictReader(lines)
    columns = reader.fieldnames or []
    return columns, ({c: _value(row[c], c) for c in columns} for row in reader)


def _table(name, *words):
    columns, rows = _rows(io.StringIO(_run(name, *words), newline=""))
    return Table(columns, rows)


def _answer(name, *words):
    return json.loads(_run(name, *words))


def _of_rows(rows, answer):
    columns = []
    for row in rows:
        columns += [key for key in row if key not in columns]
    return Table(columns, [{c: row.get(c) for c in columns} for row in rows], answer)


# ---- questions ----

def events(trace, **options):
    """Each event of TRACE: mpgtrace print --csv (mpgtrace(1), EVENTS AS CSV). All in memory; iter_events() is not."""
    return _table("mpgtrace", "print", "--csv", *_options(options), trace)


def iter_events(trace, **options):
    """The same rows, one at a time."""
    command = [_program("mpgtrace"), "print", "--csv", *_options(options), os.fspath(trace)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                          stdin=subprocess.DEVNULL) as running:
        yield from _rows(running.stdout)[1]
        text = running.stderr.read()
    if running.returncode != 0:
        raise _failed("mpgtrace", text)


def stat(trace, by="call", **options):
    """Sums of TRACE by call, callsite, region or rank: mpgtrace stat."""
    keys = {"call": "calls", "callsite": "callsites", "region": "regions", "rank": "rank_table"}
    if by not in keys:
        raise Error(f"stat: by is one of {', '.join(keys)}, not {by}")
    answer = _answer("mpgtrace", "stat", "--json", "--callsites", *_options(options), trace)
    return _of_rows(answer.get(keys[by], []), answer)


def waits(trace, by="call", **options):
    """Wait states of TRACE by call, callsite, region or rank: mpgtrace waits."""
    return _table("mpgtrace", "waits", "--csv", f"--by={by}", *_options(options), trace)


def efficiency(*traces, by=None, **options):
    """Efficiencies of TRACES, a row each, or with BY (iteration, region, time) a row each part of one: mpgtrace efficiency."""
    answer = _answer("mpgtrace", "efficiency", "--json", *_options({**options, "by": by}), *traces)
    if by is not None:
        return _of_rows(answer["traces"][0]["rows"], answer)
    rows = [{k: v for k, v in row.items() if not isinstance(v, (dict, list))} for row in answer["traces"]]
    return _of_rows(rows, answer)


def critical_path(trace, by="callsite", segments=10, **options):
    """The critical path of TRACE by callsite, region, rank, segment (the longest) or delay (causes): mpgtrace critical-path."""
    keys = {"callsite": "callsites", "region": "regions", "rank": "rank_table", "segment": "segments", "delay": "delay_causes"}
    if by not in keys:
        raise Error(f"critical_path: by is one of {', '.join(keys)}, not {by}")
    answer = _answer("mpgtrace", "critical-path", "--json", f"--segments={segments}", *_options(options), trace)
    return _of_rows(answer[keys[by]], answer)


def compare(before, after, **options):
    """What changed between recordings of two versions: mpgtrace compare. BEFORE and AFTER: a trace each, or a list."""
    sides = [[side] if isinstance(side, (str, os.PathLike)) else list(side) for side in (before, after)]
    answer = _answer("mpgtrace", "compare", "--json", *_options(options), *sides[0], "--", *sides[1])
    return _of_rows(answer["quantities"] + answer["rows"], answer)


def predict(trace, signature=None, **options):
    """The answer of mpgsim --predict, mpgsim-json(5), as a dict. SIGNATURE: a file, a list of files, or None."""
    words = _options({"signature": signature, **options})
    return _answer("mpgsim", "--json", "--predict", *words, trace)


def signature(path):
    """A signature, mpgsig(5), as a dict."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Error(f"{os.fspath(path)}: {error}") from error
