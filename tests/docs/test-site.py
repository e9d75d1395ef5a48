#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation site (TAP): `make site` makes a page of each document and manual page; the links, titles and pages are whole and
fetch nothing; check.py finds each kind of fault; the search and the layout work in a browser, where there is one."""

import glob
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE, BUILD = os.environ["top_srcdir"], os.environ["top_builddir"]
SITE = os.path.join(SOURCE, "docs", "site")
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "simulate"), SITE]
from browser import CONTRAST, Browser  # noqa: E402
from check import check  # noqa: E402
from tap import finish, ok, skip  # noqa: E402


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def write(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def build(out, source=SOURCE, **environment):
    return subprocess.run([sys.executable, os.path.join(SITE, "build.py"), "--source", source, "--out", out, "--version", "2.385"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})


def without_tools(folder):
    """What happens where cmark-gfm and mandoc are missing."""
    empty, distribution = os.path.join(folder, "empty"), os.path.join(folder, "distribution")
    os.makedirs(empty)
    done = build(os.path.join(folder, "none"), empty, PATH=empty)  # a tarball has the pages of the distribution
    ok("without the tools: one line, exit status 1, no pages", done.returncode == 1 and done.stdout == "" and
       done.stderr == "make site: cmark-gfm and mandoc not found (Debian: apt-get install cmark-gfm mandoc)\n" and
       not os.path.exists(os.path.join(folder, "none")), done)
    write(os.path.join(distribution, "docs", "html", "index.html"), "ready")
    done = build(os.path.join(folder, "ready"), distribution, PATH=empty)
    ok("... or the pages of the distribution", done.returncode == 0 and read(os.path.join(folder, "ready", "index.html")) == "ready",
       done)


def faults_found(folder):
    """check.py, given pages that each have one fault."""
    page = '<!DOCTYPE html><html lang="en"><head><title>{}</title>{}</head><body><h1 id="a">b</h1>{}</body></html>'
    cases = {
        "no file for": ("", '<a href="none.html">x</a>'), "no address for": ("", '<a href="#none">x</a>'),
        "no address for good.html#c": ("", '<a href="good.html#c">x</a>'), "no file for ../": ("", '<a href="../check/good.html">x</a>'),
        "needs https:": ("", '<img src="https://example.org/a.png" alt="x">'), "needs //": ('<script src="//example.org/a.js"></script>', ""),
        "needs javascript:": ("", '<a href="javascript:x()">x</a>'), "address #a twice": ("", '<p id="a">x</p>'),
        "a script in the page": ("", "<script>x</script>"), "has the attribute onclick": ("", '<p onclick="x()">x</p>'),
        "has the attribute style": ("", '<p style="x">x</p>'), "a picture without alt": ("", '<img src="good.html">'),
        "elements h1": ("", "<h1>c</h1>"), "the element iframe": ("", '<iframe src="good.html"></iframe>'),
        "ends nothing": ("", "</p>"), "that nothing ends": ("", "<p>"),
        "a style sheet fetches": ("<style>a { background: url(good.html) }</style>", ""),
    }
    missed = []
    for number, (fault, (head, body)) in enumerate(cases.items()):
        bad = os.path.join(folder, f"bad{number}")
        write(os.path.join(bad, "good.html"), page.format("good", "", '<a href="https://example.org/">x</a> <a href="bad.html#a">y</a>'))
        write(os.path.join(bad, "bad.html"), page.format("bad", head, body))
        if not any(fault in line and line.startswith("bad.html") for line in check(bad)[1]):
            missed.append((fault, check(bad)[1]))
    ok(f"check.py finds {len(cases)} kinds of fault", not missed, missed)
    write(os.path.join(folder, "twins", "a.html"), page.format("twin", "", ""))
    write(os.path.join(folder, "twins", "b.html"), page.format("twin", "", ""))
    ok("... and two pages of one title", check(os.path.join(folder, "twins"))[1] == ["b.html: the title of a.html: twin"])
    done = subprocess.run([os.path.join(SITE, "check.py"), os.path.join(folder, "bad0")], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    ok("... exit status 1", done.returncode == 1 and done.stdout == "bad.html: no file for none.html\n", done)


def pages_are_whole(site):
    count, faults = check(site)
    ok("links, addresses, titles, and nothing from elsewhere", count > 60 and not faults, "\n# ".join(faults) or count)
    home, missing = read(os.path.join(site, "index.html")), []
    for name in sorted(glob.glob("docs/*.md", root_dir=SOURCE) + glob.glob("docs/*/*.md", root_dir=SOURCE) +
                       glob.glob("man/*.[1-8]", root_dir=SOURCE)):
        if name == "docs/START.md":
            continue
        page = re.sub(r"\.md$", "", name) + ".html"
        path = os.path.join(site, page)
        if not os.path.exists(path) or (name != "docs/README.md" and f'href="{page}"' not in home):
            missing.append(name)
        elif name.endswith(".md") and re.search(r"^# ([^`\n]*)", read(os.path.join(SOURCE, name)), re.M)[1] not in \
                html.unescape(re.search(r"<h1>([^<]*)", read(path))[1]):
            missing.append(f"{name}: another heading")
    ok("each document and manual page has a page, and the list of pages names it", not missing, missing)
    text = read(os.path.join(site, "man", "mpgsim.1.html"))
    options = re.findall(r"^\.T[PQ]\n\.BI? \"?\\-\\-((?:[a-z]|\\-)+)", read(os.path.join(SOURCE, "man", "mpgsim.1")), re.M)
    lost = [o for o in (o.replace("\\", "") for o in options) if f'<dt id="{o}' not in text]
    ok("options of a manual page have addresses", len(options) > 20 and not lost, (len(options), lost))
    ok("names of manual pages and documents are links", '<a href="mpgtarget.5.html">mpgtarget(5)</a>' in text and
       '<a href="../docs/MODEL.html">docs/MODEL.md</a>' in text and
       '<a href="../man/mpgsig.5.html">mpgsig(5)</a>' in read(os.path.join(site, "docs", "DESIGN.html")))
    script = read(os.path.join(SITE, "search.js"))
    ok("the search writes no HTML", not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", script))


def searched(browser, words):
    """Types WORDS into the search of the open page; returns the first result's text and address."""
    browser.run("document.querySelector('#search input').focus()")
    for letter in words:
        browser.key(letter, letter)
    return browser.run("""new Promise(resolve => { let left = 200; (function look() {
        const first = document.querySelector('#found a');
        if (first || !left--) resolve(first ? first.textContent + ' ' + first.getAttribute('href') : document.querySelector('#found').textContent);
        else setTimeout(look, 50); })(); })""")


def in_a_browser(site):
    with Browser() as browser:
        browser.open(os.path.join(site, "docs", "MODEL.html"))
        found = searched(browser, "Eager-Limit=BYTES")
        ok("search: an option", re.search(r"eager-limit=BYTES.* \.\./man/\w+\.1\.html#eager-limit", found), found)
        browser.key("Escape")
        found = searched(browser, "mpghypothesis")
        ok("search: a page", found.endswith("../man/mpghypothesis.5.html"), found)
        browser.key("Escape")
        found = searched(browser, "<b>xyzzy")
        ok("search: nothing", found == "Nothing has all these words.", found)
        browser.open(os.path.join(site, "index.html"), script=False)
        ok("without a script: the text, the list of pages, no field",
           browser.run("document.querySelector('article').innerText.length > 500 && !document.querySelector('input') && "
                       "document.querySelectorAll('nav a').length > 60"))
        faults = []
        for page in ("index.html", "docs/QUESTIONS.html", "docs/VALIDATION.html", "docs/results-format.html", "man/mpgtrace.5.html"):
            for width, dark in ((400, False), (1100, True), (1600, False)):
                browser.open(os.path.join(site, page), width=width, dark=dark)
                wide = browser.run("document.documentElement.scrollWidth")
                contrast = browser.run(CONTRAST)
                if wide > width or contrast[0] < 4.5:
                    faults.append((page, width, dark, wide, contrast))
        ok("no page is wider than a screen of 400, 1100 or 1600; contrast of at least 4.5, light and dark", not faults, faults)


def installed(folder):
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    for target, there in (("install-site", True), ("uninstall-site", False)):
        done = subprocess.run(["make", "-s", "-C", BUILD, target, f"SITE={folder}/made", f"DESTDIR={folder}/root"], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = glob.glob(f"{folder}/root/**/doc/mpgkit/html/man/mpgsim.1.html", recursive=True)
        ok(f"make {target}", done.returncode == 0 and bool(found) == there, done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        without_tools(folder)
        faults_found(folder)
        if not shutil.which("cmark-gfm") or not shutil.which("mandoc"):
            skip("make site", "no cmark-gfm or no mandoc")
            return
        site = os.path.join(folder, "site")
        done = build(site)
        ok("the site is made", done.returncode == 0 and "index.html" in done.stdout, done)
        pages_are_whole(site)
        installed(folder)
        if Browser.path:
            in_a_browser(site)
        else:
            skip("in a browser", "no Chromium")


main()
sys.exit(finish())
