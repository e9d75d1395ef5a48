# SPDX-License-Identifier: GPL-3.0-or-later
"""One page of the documentation site: rewrites the HTML of cmark-gfm or mandoc. Headings and options get addresses, links lead to
pages of the site, and the text is cut into the sections that the search finds."""

import html
import posixpath
import re
from html.parser import HTMLParser

VOID = {"br", "hr", "img"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
DROPPED = {"table.head", "table.foot"}  # mandoc's first and last line of a manual page
MANUAL = re.compile(r"(?<![\w./-])([a-z][a-z0-9-]*)\(([1-8])\)")
DOCUMENT = re.compile(r"(?<![\w/])((?:docs/[A-Za-z0-9/_-]+|README|CONTRIBUTING|SECURITY)\.md)\b")


def slug(text):
    """Returns the address of a heading TEXT, as the usual viewers of Markdown make it."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def option_slug(text):
    """Returns the address of the entry of an option or key TEXT in a manual page: the name without dashes and value."""
    return re.sub(r"[^\w-]+", "-", re.split(r"[=\[, ]", text.strip().lstrip("-"))[0].lower()).strip("-")


class Section:
    """A heading or an option's entry: its level (7: an entry), address, heading, and the text up to the next section."""

    def __init__(self, level, address, heading):
        self.level, self.address, self.heading, self.text = level, address, heading, []

    def words(self):
        return " ".join("".join(self.text).split())


class Rewriter(HTMLParser):
    """Rewrites the HTML of a page. NAME is the source file's name, e.g. docs/guide/tutorial.md; TARGET(name) returns the page of a
    source file, or None if the site does not have the file."""

    def __init__(self, name, target):
        super().__init__(convert_charrefs=True)
        self.name, self.target = name, target
        self.manual = not name.endswith(".md") and name.startswith("man/")
        self.out, self.open, self.used = [], [], {}
        self.sections = [Section(1, "", "")]
        self.heading = None  # where in self.out the open heading or entry begins
        self.dropped = 0
        self.options = {}

    # ---- addresses ----
    def unique(self, address):
        """Returns ADDRESS, with a number if the page has ADDRESS already."""
        count = self.used.get(address, 0)
        self.used[address] = count + 1
        return address if count == 0 else self.unique(f"{address}-{count}")

    def relative(self, page):
        """Returns the address of PAGE of the site as seen from this page."""
        return posixpath.relpath(page, posixpath.dirname(self.target(self.name)) or ".")

    def link(self, address):
        """Returns the site's address for the link ADDRESS of a document."""
        if re.match(r"[a-z]+:", address) or address.startswith("#"):
            return address
        path, _, part = address.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self.name), path))
        page = self.target(name)
        return self.relative(page or name) + ("#" + part if part else "")

    # ---- text ----
    def inside(self, *tags):
        return any(tag in tags for tag in self.open)

    def linked(self, text):
        """Returns TEXT as HTML, with names of manual pages and documents as links."""
        out, at = [], 0
        matches = [(m, f"man/{m[1]}.{m[2]}") for m in MANUAL.finditer(text)] + [(m, m[1]) for m in DOCUMENT.finditer(text)]
        for match, name in sorted(matches, key=lambda pair: pair[0].start()):
            page = self.target(name)
            if page and name != self.name:
                out += [html.escape(text[at:match.start()]), f'<a href="{self.relative(page)}">{html.escape(match[0])}</a>']
                at = match.end()
        return "".join(out) + html.escape(text[at:])

    def handle_data(self, data):
        if self.dropped:
            return
        if self.heading is None:
            self.sections[-1].text.append(data)
        if self.inside("a", "pre", "dt", *HEADINGS):
            self.out.append(html.escape(data))
        elif self.manual and self.inside("b") and option_slug(data) in self.options and data.startswith("--"):
            self.out.append(f'<a href="#{self.options[option_slug(data)]}">{html.escape(data)}</a>')
        else:
            self.out.append(self.linked(data))

    # ---- elements ----
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        kind = attrs.get("class", "")
        if self.dropped or f"{tag}.{kind}" in DROPPED:
            self.dropped += tag not in VOID
            return
        if kind == "permalink" or tag in ("section", "tbody") or (tag == "div" and kind == "manual-text"):
            self.open.append("-" + tag)
            return
        if tag in HEADINGS or (tag == "dt" and self.manual):
            if self.manual and tag != "dt":
                tag = f"h{int(tag[1]) + 1}"
            self.heading = len(self.out)
            self.out.append("")
            self.open.append(tag)
            return
        if tag == "a":
            address = attrs.get("href", "")
            name = address[4:] if address.startswith("man:") else None
            attrs = {"href": self.relative(self.target(name)) if name else self.link(address)}
        elif tag == "img":
            attrs = {"src": self.link(attrs["src"]), "alt": attrs.get("alt", "")}
        else:  # columns of numbers keep their side
            right = "right" in (attrs.get("align"), attrs.get("style", "").replace("text-align: ", "").rstrip(";"))
            attrs = {"class": "right"} if right and tag in ("td", "th") else {"class": kind} if kind == "Bd-indent" else {}
        if tag in ("table", "pre"):  # both can be wider than a screen: a reader without a mouse scrolls them by keys
            self.out.append('<div class="wide" tabindex="0">')
        text = "".join(f' {key}="{html.escape(value)}"' for key, value in attrs.items())
        self.out.append(f"<{tag}{text}>")
        if tag == "br":
            self.sections[-1].text.append(" ")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if self.dropped:
            self.dropped -= 1
            return
        tag = self.open.pop()
        if self.heading is not None and (tag in HEADINGS or tag == "dt"):
            self.end_heading(tag)
        elif not tag.startswith("-"):
            self.out.append(f"</{tag}>")
            if tag in ("table", "pre"):
                self.out.append("</div>")
        if tag not in ("a", "b", "i", "em", "strong", "code"):
            self.sections[-1].text.append(" ")

    def end_heading(self, tag):
        """Ends a heading or an entry of a manual page: gives it an address, and begins a section of the search."""
        inner = "".join(self.out[self.heading:])
        del self.out[self.heading:]
        self.heading = None
        text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", inner)).split())
        address = self.unique((option_slug(text) if tag == "dt" else slug(text)) or "entry")
        if tag == "h1":
            self.out.append(f"<h1>{inner}</h1>\n")
            self.sections[-1].heading = text
            return
        mark = "" if tag == "dt" else f' <a class="mark" href="#{address}" aria-label="Link to this section">#</a>'
        if tag == "dt":
            inner = f'<a class="entry" href="#{address}">{inner}</a>' if "<a " not in inner else inner
        self.out.append(f'<{tag} id="{address}">{inner}{mark}</{tag}>')
        self.sections.append(Section(7 if tag == "dt" else int(tag[1]), address, text))

    def handle_comment(self, data):
        pass


def prompts(text):
    """Marks the commands in the code blocks of the HTML TEXT: lines that begin with a prompt, and their continuations."""
    def block(match):
        lines, more = [], False
        for line in match[2].split("\n"):
            command = line.startswith(("$ ", "&gt; ", "&gt;&gt;&gt; ")) or (more and line.strip())
            more = bool(command) and line.endswith("\\")
            lines.append(f"<b>{line}</b>" if command else line)
        return match[1] + "\n".join(lines) + match[3]
    return re.sub(r"(<pre>(?:<code>)?)(.*?)((?:</code>)?</pre>)", block, text, flags=re.S)


def rewrite(name, source, target, options=None):
    """Rewrites the HTML SOURCE of the file NAME; returns the rewritten HTML and the list of its sections."""
    if name.startswith("man/"):
        known = lambda m: bool(target(f"man/{m[1]}.{m[2]}"))  # noqa: E731
        source = re.sub(r"<b>([a-z][a-z0-9-]*)</b>\(([1-8])\)",
                        lambda m: f'<a href="man:man/{m[1]}.{m[2]}">{m[1]}({m[2]})</a>' if known(m) else m[0], source)
    page = Rewriter(name, target)
    page.options = options or {}
    page.feed(source)
    page.close()
    if page.open:
        raise ValueError(f"{name}: elements that nothing ends: {page.open}")
    return prompts("".join(page.out)), page.sections


def manual(name, source, target):
    """Rewrites a manual page. Names of options in its text become links to the options' entries, where there is one."""
    _, sections = rewrite(name, source, target)
    entries = [s for s in sections if s.level == 7 and s.heading.startswith("--")]
    count = {}
    for entry in entries:
        count.setdefault(option_slug(entry.heading), []).append(entry.address)
    return rewrite(name, source, target, {key: found[0] for key, found in count.items() if len(found) == 1})
