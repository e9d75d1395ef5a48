#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of JSON outputs (TAP): each is named in the man page that describes it."""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
from outputs import SOURCE, answers  # noqa: E402
from tap import finish, ok  # noqa: E402

CASES = {"mpgsim-json.5": """mpgsim --json --source=b.sig --signature=a.sig mixed.txt
mpgsim --json --perturb --signature=a.sig --where=call,callsite,region,rank,pair mixed.txt
mpgsim --json --signature=a.sig --predict --where=call,callsite,region,rank,pair,path --waits mixed.txt
mpgsim --json --source=a.sig --signature=b.sig --map=block:1 --collectives=expand mixed.txt
mpgsim --json --target=cm5 --target=work=wall --against=1s wait.txt
mpgsim --json --target=cm5 --target=ideal --target=work=wall --sweep=Topology=ring,torus wait.txt
mpgsim --json --signature=a.sig --signature=b.sig --sweep=noise=0:2:2 wait.txt
mpgsim --json --signature=a.sig --tolerate=5%,10%:latency wait.txt
mpgsim --json --hypothesis='balance foo' --hypothesis='scale bar factor=0.5' --noise=exp:1us wait.txt
mpgsim --json --noise=exp:1us --call-noise=exp:1us --latency=exp:1us --byte=const:1ns --paper --without=choice mixed.txt
mpgtrace waits --json mixed.txt""",
         "mpgtrace.1": """mpgtrace stat --json --callsites mixed.txt
mpgtrace compare --json mixed.txt mixed.txt
mpgtrace critical-path --json --segments=3 mixed.txt
mpgtrace efficiency --json mixed.txt wait.txt
mpgtrace efficiency --json --by=region wait.txt
mpgtrace efficiency --json --by=time mixed.txt
mpgtrace efficiency --json --by=iteration loop.txt
mpgtrace matrix --json mixed.txt
mpgtrace matrix --json --collectives=expand ring.txt
mpgtrace sizes --json mixed.txt""",
         "mpgscale.1": "mpgscale --json --project=64 grown-2-1 grown-2-2 grown-3-1 grown-4-1 grown-6-1",
         "sigshow.1": "sigshow --json a.sig",
         "sigmake.1": "sigmake --check --json results",
         "sigdiff.1": "sigdiff --json --fail-if=noise>+1000000% a.sig b.sig"}
# objects whose keys come from the user: parameters, regions, facts
OPEN = {"values", "region_ratios"}


def keys(value, inside=""):
    if isinstance(value, dict):
        for key, member in value.items():
            if inside not in OPEN:
                yield key
            yield from keys(member, key)
    elif isinstance(value, list):
        for member in value:
            yield from keys(member, inside)


for page, lines in CASES.items():
    with open(os.path.join(SOURCE, "man", page), encoding="utf-8") as file:
        named = set(re.findall(r"[a-z][a-z0-9_]*", file.read().replace("\\fB", " ").replace("\\fI", " ").lower()))
    for line, status, text in answers(lines.splitlines()):
        if status not in (0, 1) or not text.lstrip().startswith("{"):
            ok(f"{page}: {line}", False, text)
            continue
        missing = sorted(set(keys(json.loads(text[text.index("{"):]))) - named)
        ok(f"{page}: {line}", not missing, f"no word of {' '.join(missing)}")
sys.exit(finish())
