#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the pages of a folder: every link leads to a file and an address that exist, no page needs anything from elsewhere, and each
page has one title, one first heading and no address twice. Prints a line for each fault; the exit status is 1 if there are faults.
usage: check.py FOLDER"""

import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}
# What a browser would fetch, run or send by itself. Links that a reader follows (a href) may lead elsewhere.
FETCHED = {"src", "srcset", "poster", "background", "action", "formaction", "data", "ping", "manifest"}


class Page(HTMLParser):
    """A page's links, addresses, titles and first headings, and its faults."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.fetched, self.addresses, self.faults = [], [], set(), []
        self.open, self.texts = [], {"title": [], "h1": []}
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"elements that nothing ends: {' '.join(self.open)}")
        for tag, found in self.texts.items():
            if len(found) != 1 or not found[0].strip():
                self.faults.append(f"{len(found)} elements {tag} with text, not one")

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            value = value or ""
            if key == "id":
                if value in self.addresses:
                    self.faults.append(f"address #{value} twice")
                self.addresses.add(value)
            elif key == "href" and tag == "a":
                self.links.append(value)
            elif key in FETCHED or (key == "href" and tag != "a"):
                self.fetched.append(value)
            elif key.startswith("on") or key == "style":
                self.faults.append(f"{tag} has the attribute {key}")
        if tag == "img" and not dict(attrs).get("alt"):
            self.faults.append("a picture without alt")
        if tag in ("base", "iframe", "object", "embed", "form") or (tag == "meta" and dict(attrs).get("http-equiv") == "refresh"):
            self.faults.append(f"the element {tag}")
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> ends nothing")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and data.strip():
            self.faults.append("a script in the page")
        if self.open and self.open[-1] == "style":
            self.faults += outside(data)
        for tag, found in self.texts.items():
            if tag in self.open:
                found[-1] += data


def outside(css):
    """Returns the faults of style sheet CSS: what it would fetch."""
    return [f"a style sheet fetches {found}" for found in re.findall(r"url\([^)]*\)|@import[^;]*", css)]


def check(folder):
    """Returns the number of pages of FOLDER and the faults, each with the page's name."""
    pages, faults, titles = {}, [], {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            if path.endswith(".html"):
                with open(os.path.join(folder, path), encoding="utf-8") as file:
                    pages[path] = Page(file.read())
            elif path.endswith((".css", ".svg")):
                with open(os.path.join(folder, path), encoding="utf-8") as file:
                    faults += [f"{path}: {fault}" for fault in outside(file.read())]
    for path, page in sorted(pages.items()):
        faults += [f"{path}: {fault}" for fault in page.faults]
        title = "".join(page.texts["title"])
        if title in titles:
            faults.append(f"{path}: the title of {titles[title]}: {title}")
        titles[title] = path
        for link in page.links + page.fetched:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.fetched or parts.scheme not in ("http", "https", "mailto"):
                    faults.append(f"{path}: needs {link}")
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            if to.startswith(("..", "/")) or not os.path.isfile(os.path.join(folder, to)):
                faults.append(f"{path}: no file for {link}")
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].addresses:
                faults.append(f"{path}: no address for {link}")
    return len(pages), faults


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check.py FOLDER")
    count, faults = check(sys.argv[1])
    for fault in faults:
        print(fault)
    if not count:
        sys.exit(f"check.py: {sys.argv[1]}: no pages")
    if faults:
        sys.exit(f"check.py: {len(faults)} faults in {count} pages")
    print(f"{count} pages without a fault")


if __name__ == "__main__":
    main()
