#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --report (TAP): the lines of the short output are on the page, in order; the runs over time have the values
computed here by hand, and the sums of mpgtrace waits; the page stays small. In a browser, if there is one: keys, wheel
and drags zoom; call sites and peers are shown; without script the output and the pictures are visible; no horizontal
scrolling; sufficient contrast in light and dark; axes are logarithmic if times differ much."""
import html.parser
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import browser
from tap import finish, ok, skip

MPGSIM = os.environ["MPGSIM"]
MPGTRACE = os.environ["MPGTRACE"]
SOURCE = os.path.abspath(os.environ["top_srcdir"])
REFERENCE = os.path.join(SOURCE, "results", "reference", "reference.sig")
PARTS = ("computation", "waiting", "mpi", "noise", "tracer")
BOUND = 1 << 20


def run(*arguments):
    done = subprocess.run([MPGSIM, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        print("# " + done.stderr)
    return done.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def data(path):
    return json.loads(re.search(r'(?s)<script type="application/json" id="data">\n(.*?)\n</script>', read(path)).group(1))


class Answer(html.parser.HTMLParser):
    """Collects the lines of the short output on the page, [name, text], and its warnings; folded parts are left out."""

    def __init__(self, text):
        super().__init__()
        self.lines, self.warnings, self.folded, self.depth, self.of = [], [], {}, 0, None
        self.feed(text[text.index('<header id="answer">'):text.index("</header>")])
        self.lines = [[x.strip() for x in line] for line in self.lines]
        self.folded = {k: [x.strip() for x in v] for k, v in self.folded.items()}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "details":
            self.depth += 1
            self.folded[attrs["id"]] = []
        if self.depth:
            if tag in ("dt", "dd"):
                list(self.folded.values())[-1].append("")
            return
        if tag == "dt":
            self.lines.append(["", ""])
        if tag == "dt" or tag == "dd":
            self.of = self.lines[-1], tag == "dd"
        if attrs.get("class") == "warning":
            self.warnings.append("")
            self.of = self.warnings, len(self.warnings) - 1

    def handle_endtag(self, tag):
        if tag == "details":
            self.depth -= 1
        elif tag in ("dt", "dd", "p") and not self.depth:
            self.of = None

    def handle_data(self, data):
        if self.depth:
            if list(self.folded.values())[-1]:
                list(self.folded.values())[-1][-1] += data
        elif self.of:
            self.of[0][self.of[1]] += data


def lines_of_text(text):
    """Returns the lines of a short output, [name, text], and its warnings."""
    lines = [[l[:20].rstrip(), l[22:]] for l in text.split("\n") if re.match(r"[A-Z][a-z]+( [a-z]+)* +\S", l[:22] + "x") and l[20:22] == "  "]
    return lines, [l for l in text.split("\n") if l.startswith("Warning: ")]


# ---- traces by hand ----

# Four ranks; rank 2 comes late to a barrier, rank 1 to wait for a send; who calls what, and until when each call waits.
CALLS = {r: [(50990 if r == 2 else 41000, 51000, 50990)] for r in range(4)}
CALLS[0].append((71000, 71385, 71000))
CALLS[1].append((66000, 71385, 71000))


def late():
    lines = ["#mpgtext 1", "#ranks 4", "#comm 0 = 0 1 2 3", "#clocks shared", "#site 0 = ?+0x1000", "#site 1 = ?+0x2000"]
    for r in range(4):
        lines += ["%d 0 1000 Init" % r, "%d %d %d Barrier comm=0 site=0" % (r, *CALLS[r][0][:2])]
        lines += {0: ["0 71000 71385 Send comm=0 to=1 tag=1 bytes=8 site=1"], 1: ["1 66000 71385 Recv comm=0 from=0 tag=1 bytes=8"]}.get(r, [])
        lines.append("%d 101000 101100 Finalize" % r)
    return lines


def parts_of(rank, width_ns, bins, run_ns):
    """Returns thousandths of each bin of RANK's run. Times begin when MPI_Init is left, at 1000."""
    pieces, at = [], 0
    for enter, leave, until in CALLS[rank]:
        pieces += [("computation", at, enter - 1000), ("waiting", enter - 1000, until - 1000), ("mpi", until - 1000, leave - 1000)]
        at = leave - 1000
    pieces.append(("computation", at, run_ns))
    found = {}
    for part in PARTS:
        found[part] = []
        for i in range(bins):
            low, high = i * width_ns, min(run_ns, (i + 1) * width_ns)
            inside = sum(max(0, min(b, high) - max(a, low)) for p, a, b in pieces if p == part)
            found[part].append(1000 * inside / (high - low))
    return found


def many(ranks, rounds):
    """Returns a trace of RANKS ranks whose exchanges have different lengths, so that nothing repeats."""
    draw = random.Random(2385)
    lines = ["#mpgtext 1", "#ranks %d" % ranks, "#comm 0 = %s" % " ".join(map(str, range(ranks))), "#clocks shared"]
    lines += ["#site %d = ?+0x%x" % (i, 4096 * (i + 1)) for i in range(300)]
    lines += ["%d 0 100 Init" % r for r in range(ranks)]
    for r in range(ranks):
        other, at = r ^ 1, 1000
        for k in range(rounds):
            enter = at + draw.randrange(200, 9000)
            send = "Send comm=0 to=%d tag=%d bytes=8 site=%d" % (other, k, draw.randrange(300))
            receive = "Recv comm=0 from=%d tag=%d bytes=8 site=%d" % (other, k, draw.randrange(300))
            calls = (send, receive) if r % 2 == 0 else (receive, send)
            at = 1000 + (k + 1) * 20000
            lines += ["%d %d %d %s" % (r, enter, enter + 100 if r % 2 == 0 else at - 5000, calls[0]),
                      "%d %d %d %s" % (r, at - 4000, at if r % 2 == 0 else at - 3900, calls[1])]
    return lines + ["%d %d %d Finalize" % (r, 20000 * rounds + 5000, 20000 * rounds + 5100) for r in range(ranks)]


# ---- what the files hold ----

def check_lines():
    for name, asked in (("short", ["--source=none", "--signature", REFERENCE, os.path.join(SOURCE, "examples", "silas", "waitany.txt")]),
                        ("warned", ["--signature", REFERENCE, "late.txt"])):
        text = run("--report=%s.html" % name, *asked)
        lines, warnings = lines_of_text(text)
        answer = Answer(read(name + ".html"))
        ok(f"{name}: the page's answer has the text's lines, in order", len(lines) >= 8 and answer.lines == lines, (answer.lines, lines))
        ok(f"{name}: and its warnings", answer.warnings == warnings, (answer.warnings, warnings))
        given = json.loads(run("--json", *asked))
        notes = [x for a in given["assumptions"] for x in (a["topic"], a["text"])]
        ok(f"{name}: all assumptions are folded below Assumes", answer.folded.get("assumed") == notes, answer.folded)
        notes = [x for a in given["attention"] for x in (a["topic"], a["text"])]
        ok(f"{name}: and all warnings", answer.folded.get("attention", []) == notes, answer.folded)
    text = run("--report=alone.html", "--perturb", "--noise=exp:2us", "--replicas=9", "late.txt")
    answer = Answer(read("alone.html"))
    median = re.search(r"(?m)^  median +(\S+ \S+)  \(95 % confidence: (\S+ \S+ to \S+ \S+)\)", text)
    ok("a single question's page begins with its run time", answer.lines[0][0] == "Perturbed run time" and
       answer.lines[0][1].startswith("%s  (95 %% confidence: %s; " % median.groups()), (answer.lines, text))


def check_runs():
    run("--noise=const:0ns", "--replicas=1", "--report=late.html", "late.txt")
    runs = data("late.html")["runs"]
    recorded = runs["recorded"]
    bins = len(recorded["parts"]["waiting"][0])
    ok("bins cover the run", recorded["bin_ns"] == 2048 and bins == 49 and recorded["run_ns"] == 100000, (bins, recorded["bin_ns"]))
    wrong = [(r, p, i) for r in range(4) for p in PARTS for i, x in enumerate(parts_of(r, 2048, 49, 100000)[p])
             if abs(recorded["parts"][p][r][i] - x) > .5001]
    ok("each bin of each rank has its parts, by hand", not wrong, wrong[:9])
    ok("without noise the perturbed run is the recorded one", runs["predicted"] == recorded)
    said = [[[c[0], c[1], runs["names"][c[2]]["name"], c[3] if c[3] < 0 else runs["callsites"][c[3]], c[4], c[5], c[6]] for c in l]
            for l in recorded["calls"]]
    barrier = lambda r: [(50990 if r == 2 else 41000) - 1000, 10 if r == 2 else 10000, "MPI_Barrier", "?+0x1000", -1,
                         -1 if r == 2 else 2, 0 if r == 2 else 9990]
    wanted = [[barrier(r)] for r in range(4)]
    wanted[0].append([70000, 385, "MPI_Send", "?+0x2000", 1, -1, 0])
    wanted[1].append([65000, 5385, "MPI_Recv", -1, 0, 0, 5000])
    ok("calls have their callsite, their peer, and who they wait for", said == wanted, (said, wanted))
    run("--noise=const:2us@2", "--replicas=1", "--report=later.html", "late.txt")
    runs = data("later.html")["runs"]
    noise = sum(runs["predicted"]["parts"]["noise"][2]) * runs["predicted"]["bin_ns"] / 1000
    ok("noise is a part of the perturbed run, and not of the recorded one", abs(noise - 4000) < 150 and
       not any(map(any, runs["recorded"]["parts"]["noise"])) and runs["predicted"]["run_ns"] == 104000, (noise, runs["predicted"]["run_ns"]))
    waits = json.loads(subprocess.run([MPGTRACE, "waits", "--json", "--by=rank", "many.txt"], capture_output=True, text=True, check=False).stdout)
    run("--noise=exp:2us", "--replicas=2", "--report=many.html", "-o", "many.out", "many.txt")
    runs = data("many.html")["runs"]
    first, last = runs["groups"][3]
    parts = runs["recorded"]["parts"]
    got = sum(parts["waiting"][3]) * runs["recorded"]["bin_ns"] * (last - first + 1) / 1000
    rows = [r for r in waits["rows"] if first <= r["rank"] <= last]
    want = sum(r["traced"]["wait_ns"] for r in rows)
    ok("a group of ranks waits as long as mpgtrace waits says", len(rows) == last - first + 1 and
       want > 0 and abs(got - want) <= .0005 * len(rows) * runs["recorded"]["run_ns"], (got, want))
    ok("groups have all ranks", len(runs["groups"]) == 24 and runs["groups"][0][0] == 0 and runs["groups"][-1][1] == 639 and
       all(a[1] + 1 == b[0] for a, b in zip(runs["groups"], runs["groups"][1:])), runs["groups"])
    shares = [sum(parts[p][g][i] for p in PARTS) for g in range(24) for i in range(1, len(parts["mpi"][0]) - 2)]
    ok("parts of a bin are the whole", all(997 <= s <= 1003 for s in shares), (min(shares), max(shares)))
    calls = [sum(c[7] if len(c) > 7 else 1 for c in lane) for lane in runs["recorded"]["calls"]]
    ok("no call of a drawn rank is missing, where short ones are joined", len(calls) == 16 and
       calls == [2 * 160] * 16 and any(len(c) > 7 for c in runs["recorded"]["calls"][0]), calls)
    ok("of 640 ranks with 205 000 calls the page is below 1 MiB", os.path.getsize("many.html") < BOUND, os.path.getsize("many.html"))


# ---- in the browser ----

def part(b):
    """Returns the visible part of the time axis."""
    return b.run("[+document.getElementById('runs').dataset.from, +document.getElementById('runs').dataset.to]")


def box(b, selector):
    return b.run("(() => { const e = document.querySelector('%s'); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                 " return [r.left, r.top, r.width, r.height]; })()" % selector)


def check_zoom(b):
    b.open("late.html")
    ok("the page's script comes to its end", b.run("document.body.dataset.done") == "yes")
    names = b.run("[...document.querySelectorAll('#answer dt, h2')].filter(e => !e.closest('details')).map(e => e.textContent)")
    where = [names.index(n) for n in ("Perturbed run time", "Recorded run time", "Assumes", "Next", "What to do", "The runs over time",
                                      "Delay budget of a rank")]
    ok("the order is the answer, what to do, the runs, details", where == sorted(where), names)
    b.run("document.querySelector('svg.calls').focus()")
    ok("at first the whole run is shown", part(b) == [0, 1])
    b.key("+", "+")
    ok("+ shows half of it", part(b) == [.25, .75], part(b))
    b.key("ArrowRight")
    ok("an arrow pans", all(abs(x - y) < 1e-9 for x, y in zip(part(b), [.35, .85])), part(b))
    heat = b.run("document.querySelector('svg.heat').getAttribute('viewBox')").split()
    ok("the heat map shows the same part", abs(float(heat[0]) - 7000) < 1e-6 and abs(float(heat[2]) - 10000) < 1e-6, heat)
    labels = b.run("[...document.querySelectorAll('.axis[data-run=\"0\"]')[1].children].map(e => e.textContent)")
    ok("and the axis has its times", labels == ["40 us", "50 us", "60 us", "70 us", "80 us"], labels)
    b.key("0", "0")
    x, y, w, h = box(b, "svg.calls")
    b.mouse("mouseWheel", x + w / 2, y + h / 2, deltaX=0, deltaY=-300, modifiers=2)
    b.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    low, high = part(b)
    ok("Ctrl and the wheel zoom in around the pointer", 0 < low < .5 < high < 1 and abs(high - low - 1 / 2.718281828) < .01, (low, high))
    b.mouse("mousePressed", x + w / 2, y + h / 2, button="left", clickCount=1)
    b.mouse("mouseMoved", x + w / 2 - w / 10, y + h / 2, button="left")
    b.mouse("mouseReleased", x + w / 2 - w / 10, y + h / 2, button="left", clickCount=1)
    ok("a drag pans", abs(part(b)[0] - low - (high - low) / 10) < .01, (low, part(b)))
    b.key("Home")
    b.mouse("mousePressed", x + w / 4, y + h / 2, button="left", clickCount=1, modifiers=8)
    b.mouse("mouseMoved", x + w / 2, y + h / 2, button="left", modifiers=8)
    b.mouse("mouseReleased", x + w / 2, y + h / 2, button="left", clickCount=1, modifiers=8)
    ok("Shift and drag show a range", all(abs(p - q) < .005 for p, q in zip(part(b), (.25, .5))), part(b))
    b.run("document.getElementById('whole').click()")
    ok("a button shows the whole run", part(b) == [0, 1])


def check_words(b):
    b.open("late.html")
    said = "document.getElementById('at').textContent"
    b.run("document.querySelector('svg.calls').focus()")
    b.key("ArrowDown")
    ok("a call on focus has its place, its wait and whom it waits for", b.run(said) ==
       "Recorded, rank 1, at 40 us: MPI_Barrier, ?+0x1000: 10 us; waits 9.99 us for rank 2", b.run(said))
    b.key(".", ".")
    ok("the next call has its peer", b.run(said) == "Recorded, rank 1, at 65 us: MPI_Recv, with rank 0: 5.385 us; waits 5 us for rank 0", b.run(said))
    x, y, w, h = box(b, "svg.calls")
    b.mouse("mouseMoved", x + w * .702, y + h / 8)
    ok("a call under the pointer, too", b.run(said) == "Recorded, rank 0, at 70 us: MPI_Send, ?+0x2000, with rank 1: 385 ns", b.run(said))
    runs = data("late.html")["runs"]["recorded"]
    wrong = []
    x, y, w, h = box(b, "svg.heat")
    for row, column in ((0, 0), (1, 20), (2, 24), (3, 30), (1, 48)):
        b.mouse("mouseMoved", x + w * min(.999, (column + .4) * 2048 / 100000), y + h * (row + .5) / 4)
        shares = [runs["parts"][p][row][column] / 10 for p in PARTS]
        text = ", ".join("%s %g %%" % (n, s) for n, s in zip(("computation", "waiting", "transfer and MPI overhead", "OS noise", "recording"), shares))
        wrong += [] if b.run(said).endswith(": " + text) and ("rank %d, " % row) in b.run(said) else [(row, column, text, b.run(said))]
    ok("a cell of the heat map has the numbers of the JSON", not wrong, wrong)
    shown = b.run("[0, 1, 2, 3].map(i => { document.getElementById('part' + i).click(); return [0, 1, 2, 3].map(k => "
                  "getComputedStyle(document.querySelector('.heat .v' + k)).display !== 'none'); })")
    ok("each part can be chosen for the heat map", shown == [[i == k for k in range(4)] for i in range(4)], shown)


def check_looks(b):
    for name in ("short", "warned", "late", "many", "swept"):
        for dark in (False, True):
            b.open(name + ".html", dark=dark)
            b.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            ratio, words, n = b.run(browser.CONTRAST)
            ok(f"{name}, {'dark' if dark else 'light'}: texts have a contrast of 4.5", n > 20 and ratio >= 4.5, (ratio, words))
        for width in (360, 1400):
            b.open(name + ".html", width=width)
            b.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            there = b.run("document.documentElement.scrollWidth")
            ok(f"{name}: nothing to scroll to the side at {width} pixels", there <= width, there)


def check_without_script(b):
    b.open("late.html", script=False)
    b.ask("Emulation.setScriptExecutionDisabled", value=False) # what was not run is not run again
    shown = b.run("[...document.querySelectorAll('#answer dd, svg.heat, svg.calls, .axis, #text summary')].filter(e => e.getBoundingClientRect().height > 0).length")
    paths = b.run("[...document.querySelectorAll('svg.heat .v0 path, svg.calls g path')].filter(e => e.getBoundingClientRect().width > 0).length")
    ok("without script the answer and its pictures are there", b.run("document.body.dataset.done === undefined") and shown > 10 and paths >= 8, (shown, paths))
    ok("and nothing that needs it", b.run("document.getElementById('keys').getBoundingClientRect().height") == 0)
    b.open("late.html", media="print")
    ok("what only a screen can do is not printed", b.run("getComputedStyle(document.getElementById('keys')).display") == "none")


def check_axes(b):
    b.open("swept.html")
    axis = b.run("[...document.querySelectorAll('svg')].map(s => s.dataset.axis || '').join()")
    ok("run times of which one is 100 times another have a logarithmic axis", "log" in axis and b.run(
        "document.body.textContent.includes('on a logarithmic axis of run times')"), axis)
    texts = b.run("[...document.querySelector('svg[data-axis=log]').querySelectorAll('text.soft')].map(t => [t.textContent, +t.getAttribute('y')])")
    labels = [(float(t.split()[0]) * {"us": 1e-3, "ms": 1, "s": 1e3}[t.split()[1]], y) for t, y in texts if re.match(r"[0-9.]+ [mu]?s$", t)][:-2]
    steps = [(y1 - y0) / __import__("math").log(v1 / v0) for (v0, y0), (v1, y1) in zip(labels, labels[1:])]
    ok("its marks stand where their logarithms are", len(labels) >= 3 and max(steps) - min(steps) < 1e-6 * abs(steps[0]), labels)
    b.open("late2.html")
    ok("and run times that are alike have none", "log" not in b.run("[...document.querySelectorAll('svg')].map(s => s.dataset.axis || '').join()"))


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        write("late.txt", late())
        write("many.txt", many(640, 160))
        check_lines()
        check_runs()
        run("--sweep=latency=1us:100ms:6:log", "--replicas=3", "--noise=exp:2us", "--report=swept.html", "late.txt")
        run("--sweep=latency=0us:1us:6", "--replicas=3", "--noise=exp:2us", "--report=late2.html", "late.txt")
        if not browser.Browser.path:
            skip("the page in a browser", "no chromium")
            return
        with browser.Browser() as b:
            check_zoom(b)
            check_words(b)
            check_looks(b)
            check_without_script(b)
            check_axes(b)
    finally:
        shutil.rmtree(folder)


main()
sys.exit(finish())
