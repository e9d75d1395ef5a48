#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words in the programs' outputs (TAP): each is English (file english), a word of the field (file field), or a term of
mpgkit(7)'s GLOSSARY. None is retired (file retired), and those still to be replaced (file overdue) only become fewer.
The heads of these files give the rules. With --list: prints new words with an output that contains them and, after '-',
words of the files that no output contains."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
from outputs import PLACES, SOURCE, answers, helps  # noqa: E402
from tap import finish, ok  # noqa: E402

GROWN = " ".join(f"grown-{n}-{k}" for n in (2, 3, 4, 6) for k in (1, 2, 3))
LINES = f"""mpgsim --signature=a.sig mixed.txt
mpgsim --verbose --source=b.sig --signature=a.sig mixed.txt
mpgsim --perturb --signature=a.sig mixed.txt
mpgsim --perturb --source=a.sig --signature=b.sig --where=call,callsite,region,rank,pair mixed.txt
mpgsim --signature=a.sig --predict --where=call,callsite,region,rank,pair,path --waits mixed.txt
mpgsim --noise=exp:1ms --latency=exp:1us --waits=rank --report=page.html wait.txt
mpgsim --signature=a.sig --predict --map=block:1 --collectives=expand --report=page.html mixed.txt
mpgsim --target=cm5 --target=work=wall wait.txt
mpgsim --target=cm5 --target=ideal --target=work=wall wait.txt
mpgsim --signature=a.sig --sweep=noise=0:1ms:2 --report=page.html wait.txt
mpgsim --signature=a.sig --signature=b.sig --tolerate=5%,10%:latency wait.txt
mpgsim --signature=a.sig --signature=b.sig --report=page.html wait.txt
mpgsim --hypothesis='balance foo' --hypothesis='scale bar factor=0.5' --report=page.html wait.txt
mpgsim --hypothesis='resize tag=1 bytes=8' --latency=const:1us --source=byte=1ns mixed.txt
mpgsim --latency=exp:1us --history=runs.db wait.txt
mpghistory list --history=runs.db
mpghistory show --history=runs.db 1
mpghistory rerun --history=runs.db 1
mpgtrace print --csv mixed.txt
mpgtrace stat --ranks --callsites mixed.txt
mpgtrace waits --by=region mixed.txt
mpgtrace compare mixed.txt wait.txt
mpgtrace compare --all mixed.txt mixed.txt -- wait.txt wait.txt
mpgtrace critical-path --segments=3 wait.txt
mpgtrace critical-path --all mixed.txt
mpgtrace critical-path --by=region wait.txt
mpgtrace efficiency --by=region mixed.txt
mpgtrace efficiency --by=time --bins=3 mixed.txt
mpgtrace efficiency --by=iteration mixed.txt
mpgtrace efficiency --by=iteration loop.txt
mpgtrace efficiency mixed.txt wait.txt
mpgtrace matrix mixed.txt
mpgtrace matrix --collectives=expand ring.txt
mpgtrace sizes mixed.txt
mpgscale {GROWN}
mpgscale --metric=imbalance {GROWN}
mpgscale --project=64 {GROWN}
mpgscale --table=callsites grown-2-1
mpgscale --table=aggregate {GROWN}
mpgscale --table=runs {GROWN}
mpgscale --table=efficiency {GROWN}
sigshow --all a.sig
sigmake --check results
sigdiff --all a.sig b.sig""".splitlines()


# Programs, and the files and regions of the outputs.
NAMES = {*PLACES, "mpgkit", "mpg", "grown", "wait", "ring", "mixed", "solve", "foo", "bar", "runs", "results"}


def listed(name):
    with open(os.path.join(HERE, name), encoding="ascii") as file:
        return [line.rstrip("\n") for line in file if not line.startswith("#")]


def glossary():
    with open(os.path.join(SOURCE, "man", "mpgkit.7"), encoding="utf-8") as file:
        page = file.read()
    section = page[page.index(".SH GLOSSARY"):]
    section = section[:section.index("\n.SH ", 1)]
    terms = re.findall(r"[a-z]+", " ".join(re.findall(r"^\.B (.*)", section, re.M)).replace("\\-", "-").lower())
    return {*terms, *(term + "s" for term in terms)}


def words(text):
    """Returns the lower-case words of TEXT, without names of files and keys, numbers, units, MPI functions, and
    placeholders such as TIME."""
    text = re.sub(r"<(style|script).*?</\1>|<[^>]*>|&[a-z]+;", " ", text, flags=re.S)
    for token in text.split():
        if re.search(r"[/_\\]|[a-z]\.[a-z]|\d", token) or token.startswith(("MPI", "{", "$")):
            continue
        for word in re.findall(r"[A-Za-z]+(?:'[a-z]+)?", token):
            word = re.sub(r"'s?$", "", word)
            if len(word) > 1 and not re.search(r"[A-Z]", word[1:]) and word.lower() not in NAMES:
                yield word.lower()


def having(phrase, text_of):
    return [line for line, text in text_of.items() if re.search(rf"(?<![\w-]){phrase}(?![\w-])", text)]


def main():
    english, field, retired, overdue = (listed(name) for name in ("english", "field", "retired", "overdue"))
    late = {line.split("\t")[0] for line in overdue}
    allowed, seen, failed, text_of = {*english, *field} | glossary(), {}, [], {}
    outputs = [(command, 0, text) for command, text in helps()] + list(answers(LINES, ["page.html"]))
    for line, status, text in outputs:
        text_of[line] = " ".join(text.lower().split())
        failed += [f"{line}: {text}"] if status not in (0, 1) or not text else []
        for word in words(text):
            seen.setdefault(word, line)
    new = sorted(set(seen) - allowed - late)
    if sys.argv[1:] == ["--list"]:
        print(*(f"{word}\t{seen[word]}" for word in new), *(f"-\t{w}" for w in sorted({*english, *field} - set(seen))), sep="\n")
        return
    ok("every program prints something", not failed, "\n# ".join(failed))
    for name, lines in ("english", english), ("field", field), ("retired", retired), ("overdue", overdue):
        ok(f"{name} is sorted, each once", lines == sorted(set(lines)))
    ok("no word is in two lists", not set(english) & set(field) and not glossary() & {*english, *field},
       " ".join(sorted(set(english) & set(field) | glossary() & {*english, *field})))
    ok("outputs have English, the field's words, and terms of mpgkit(7)'s GLOSSARY alone", not new,
       "add each to english or field after a look, to the GLOSSARY, or say it otherwise:\n# " +
       "\n# ".join(f"{word}: {seen[word]}" for word in new))
    for phrase, instead in (line.split("\t") for line in retired):
        old = having(phrase, text_of)
        ok(f"no output has '{phrase}', but {instead}", not old, "\n# ".join(old))
    gone = [phrase for phrase in late if not having(phrase, text_of)]
    ok("what is overdue is still there", not gone, f"move to the file retired: {', '.join(gone)}")
    sys.exit(finish())


main()
