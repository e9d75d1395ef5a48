# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of hypotheses have in common; they source it after mpgsim.sh.

# numbers ABOUT: of the answer on standard input, in JSON, each rank's median delay, or (ABOUT is not empty) run
numbers() {
    "$python" -c '
import json, sys
ranks = json.load(sys.stdin)["ranks"]
print(*(format(round(rank["delay_ns"]["median"] + (rank["traced_ns"] if sys.argv[1] else 0), 3), ".10g")
        for rank in ranks))' "$1"
}
# delays, clocked, runs OPTION...: of each rank, perturbed; predicted
delays() {
    "$mpgsim" --json --absorb=none "$@" | numbers ""
}
clocked() {
    "$mpgsim" --json --absorb=clock "$@" | numbers ""
}
runs() {
    "$mpgsim" --json --predict --latency=const:7ns --polling=work "$@" | numbers 1
}
