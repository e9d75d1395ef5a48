#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the documentation site: every document and every manual page as HTML, with a search that works without a server.
Needs cmark-gfm (Markdown) and mandoc (manual pages); without them takes the site that came with a distribution, if there is one.
usage: build.py --source FOLDER --out FOLDER --version TEXT"""

import argparse
import glob
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True  # the source folder may be read-only
from page import manual, rewrite  # noqa: E402

HOME = "docs/START.md"
TOOLS = ("cmark-gfm", "mandoc")
READY = "docs/html"  # the site in a distribution
SECTIONS = {"7": "Overview and glossary", "1": "Programs", "5": "Formats"}
TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{root}style.css">
<script src="{root}search.js" defer></script>
</head>
<body data-root="{root}">
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="brand" href="{root}index.html">mpgkit <span>{version}</span></a>
<div id="search"></div>
<a class="pages" href="#pages">All pages</a>
</header>
<main id="main"{kind}>
{toc}<article>
{body}
</article>
</main>
<nav id="pages" aria-label="All pages">
{nav}
</nav>
<footer>mpgkit {version}. Made from {source} by <code>make site</code>.</footer>
</body>
</html>
"""


def run(command, name):
    """Returns the output of COMMAND on the file NAME."""
    done = subprocess.run(command + [name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    if done.returncode != 0 or done.stderr:
        sys.exit(f"make site: {command[0]} {name}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


class Page:
    """A page: the source file's name, the address in the site, the title and description, the HTML and its sections."""

    def __init__(self, name):
        self.name = name
        self.address = "index.html" if name == HOME else re.sub(r"\.md$", "", name) + ".html"
        self.title = self.description = self.body = ""
        self.sections = []

    def root(self):
        return "../" * self.address.count("/")


class Site:
    def __init__(self, source, version):
        self.source, self.version = source, version
        self.pages = {}
        self.pictures = set()
        self.groups = []

    # ---- which pages ----
    def collect(self):
        """Lists the source files of the site: all documents, all manual pages, and the files that documents link to."""
        os.chdir(self.source)
        documents = [name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "NEWS") if os.path.exists(name)]
        documents += sorted(glob.glob("docs/*.md") + glob.glob("docs/guide/*.md") + glob.glob("docs/notes/*.md"))
        for name in documents + sorted(glob.glob("man/*.[1-8]")):
            self.pages[name] = Page(name)
        queue = list(documents)
        while queue:
            name = queue.pop()
            for link in re.findall(r"\]\(([^)#:\s]+)\)", read(name)):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
                if path.endswith((".png", ".svg")):
                    self.pictures.add(path)
                elif path not in self.pages and os.path.isfile(path):
                    self.pages[path] = Page(path)
                    queue += [path] if path.endswith(".md") else []

    def target(self, name):
        page = self.pages.get(name)
        return page.address if page else None

    # ---- contents ----
    def render(self, page):
        """Makes the HTML and the sections of PAGE."""
        name = page.name
        if name.startswith("man/"):
            page.body, page.sections = manual(name, run(["mandoc", "-T", "html", "-O", "fragment"], name), self.target)
            page.title = "{}({})".format(*posixpath.basename(name).rsplit(".", 1))
            page.description = next(s.words() for s in page.sections if s.heading == "NAME").split(" - ", 1)[-1]
            page.sections[0].heading = page.title
            page.body = f"<h1>{page.title}</h1>\n{page.body}"
        elif name.endswith(".md"):
            page.body, page.sections = rewrite(name, run(["cmark-gfm", "-e", "table"], name), self.target)
            page.title = page.sections[0].heading
        elif name == "NEWS":
            text = re.sub(r"^SPDX.*\n", "", re.sub(r"^(Version .*)$", r"## \1", "# " + read(name), flags=re.M), flags=re.M)
            made = subprocess.run(["cmark-gfm"], input=text, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True).stdout
            page.body, page.sections = rewrite("NEWS.md", made, lambda n: self.target("NEWS" if n == "NEWS.md" else n))
            page.title = page.sections[0].heading
        else:
            page.title = name
            page.body = f"<h1>{name}</h1>\n<div class=\"wide\" tabindex=\"0\"><pre><code>{html.escape(read(name))}</code></pre></div>"

    def contents(self):
        """Reads from docs/README.md the groups of documents, in the order of reading, and adds the manual pages."""
        for block in re.split(r"^(?=\*\*)", read("docs/README.md"), flags=re.M)[1:]:
            heading = re.match(r"\*\*([^*]+)\*\*", block)[1]
            names = [posixpath.normpath(posixpath.join("docs", link)) for link in re.findall(r"\]\(([^)#]+)\)", block)]
            self.groups.append((heading, [self.pages[n] for n in names]))
        for number, heading in SECTIONS.items():
            self.groups.append((f"Manual: {heading.lower()}", [p for n, p in self.pages.items() if n.endswith("." + number)]))

    def manual_page(self):
        """Returns the page that lists the manual pages."""
        page = Page("man/index.md")
        page.title = "Manual pages"
        parts = ["<h1>Manual pages</h1>"]
        for number, heading in SECTIONS.items():
            rows = "".join(f'<tr><td><a href="{posixpath.basename(p.address)}">{p.title}</a></td>'
                           f"<td>{html.escape(p.description)}</td></tr>"
                           for n, p in self.pages.items() if n.startswith("man/") and n.endswith("." + number))
            parts.append(f'<h2>{heading}</h2>\n<div class="wide" tabindex="0"><table>{rows}</table></div>')
        page.body = "\n".join(parts)
        return page

    # ---- writing ----
    def nav(self, page):
        """Returns the list of all pages as seen from PAGE: the group of PAGE is open, or the how-tos."""
        parts = [f'<p><a href="{page.root()}index.html">Start</a> · <a href="{page.root()}man/index.html">Manual pages</a></p>']
        grouped = any(page in pages for _, pages in self.groups)
        for heading, pages in self.groups:
            is_open = page in pages or (heading in ("Tutorial", "How-to") and not grouped)
            links = "".join('<li><a href="{}"{}>{}</a></li>'.format(
                page.root() + p.address, ' aria-current="page"' if p is page else "",
                html.escape(re.sub(r"^(How to|Tutorial:) (.)", lambda m: m[2].upper(), p.title))) for p in pages)
            parts.append(f"<details{' open' if is_open else ''}><summary>{html.escape(heading)}</summary><ul>{links}</ul></details>")
        return "\n".join(parts)

    @staticmethod
    def toc(page):
        """Returns the list of the sections of PAGE, or nothing for a page of few sections."""
        shown = [s for s in page.sections if s.level in (2, 3)]
        if page.name == HOME or len(shown) < 3:
            return ""
        items = "".join(f'<li class="l{s.level}"><a href="#{s.address}">{html.escape(s.heading)}</a></li>' for s in shown)
        return f'<details class="toc"><summary>On this page</summary><ul>{items}</ul></details>\n'

    def write(self, out, page):
        if page.name == HOME:  # a card for each kind of reader
            head, *cards = re.split(r"(?=<h2 )", page.body)
            page.body = head + '<div class="cards">' + "".join(f"<section>{card}</section>" for card in cards) + "</div>"
        if page.name == "docs/README.md":  # titles say more than names of files
            page.body = re.sub(r">([A-Za-z0-9/._-]+\.md)</a>", lambda m: ">" + html.escape(
                self.pages[posixpath.normpath("docs/" + m[1])].title) + "</a>", page.body)
        name = os.path.join(out, page.address)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        title = page.title if page.name == HOME else f"{page.title} - mpgkit"
        with open(name, "w", encoding="utf-8") as file:
            file.write(TEMPLATE.format(title=html.escape(title), root=page.root(), version=html.escape(self.version),
                                       kind=' class="home"' if page.name == HOME else "", toc=self.toc(page), body=page.body,
                                       nav=self.nav(page), source=html.escape(page.name)))

    def index(self, out):
        """Writes what the search reads: the pages, and of each section its page, address, heading and text."""
        listed = [page for _, pages in self.groups for page in pages]
        data = {"pages": [[p.address, p.title] for p in listed],
                "sections": [[i, s.address, s.heading, s.words()] for i, p in enumerate(listed) for s in p.sections
                             if s.heading or s.words()]}
        with open(os.path.join(out, "search-index.js"), "w", encoding="utf-8") as file:
            file.write("// SPDX-License-Identifier: GPL-3.0-or-later\nwindow.siteIndex = ")
            file.write(json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"))
            file.write(";\n")

    def make(self, out):
        self.collect()
        for page in self.pages.values():
            self.render(page)
        self.contents()
        for page in list(self.pages.values()) + [self.manual_page()]:
            self.write(out, page)
        self.index(out)
        for name in ("style.css", "search.js"):
            shutil.copyfile(os.path.join(HERE, name), os.path.join(out, name))
        for name in self.pictures:
            os.makedirs(os.path.dirname(os.path.join(out, name)), exist_ok=True)
            shutil.copyfile(name, os.path.join(out, name))
        return len(self.pages) + 1


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--source", required=True)
    options.add_argument("--out", required=True)
    options.add_argument("--version", required=True)
    given = options.parse_args()
    out, ready = os.path.abspath(given.out), os.path.join(given.source, READY)
    missing = " and ".join(tool for tool in TOOLS if not shutil.which(tool))
    if missing and not os.path.exists(os.path.join(ready, "index.html")):
        sys.exit(f"make site: {missing} not found (Debian: apt-get install {' '.join(TOOLS)})")
    aside = out + ".new"
    shutil.rmtree(aside, ignore_errors=True)
    if missing:
        shutil.copytree(ready, aside)
        said = f"the pages of the distribution, because {missing} was not found"
    else:
        os.makedirs(aside)
        said = f"{Site(given.source, given.version).make(aside)} pages"
    shutil.rmtree(out, ignore_errors=True)
    os.rename(aside, out)
    print(f"make site: {said}; begin with {os.path.join(given.out, 'index.html')}")


main()
