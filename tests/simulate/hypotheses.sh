# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of hypotheses have in common; they source it after mpgsim.sh.

# What the traced machine's messages take, and the target's.
# shellcheck disable=SC2034 # the tests' own
there=(--source=latency=650ns --source=byte=0.385ns)
# shellcheck disable=SC2034
target=(--latency=const:7ns --byte=const:0.385ns)

# numbers ABOUT: prints for each rank, from the JSON on standard input, the median delay or, if ABOUT is not empty, the
# run time.
numbers() {
    "$python" -c '
import json, sys
ranks = json.load(sys.stdin)["ranks"]
print(*(format(round(rank["delay_ns"]["median"] + (rank["traced_ns"] if sys.argv[1] else 0), 3), ".10g")
        for rank in ranks))' "$1"
}
# delays, clocked, runs OPTION...: print the ranks' delays without and with absorption by the clock, and their predicted
# run times.
delays() {
    "$mpgsim" --json --absorb=none "$@" | numbers ""
}
clocked() {
    "$mpgsim" --json --absorb=clock "$@" | numbers ""
}
runs() {
    "$mpgsim" --json --predict --latency=const:7ns --polling=work "$@" | numbers 1
}
# ring: writes ring.txt: a message of 1000 bytes travels once around three ranks with a common clock.
ring() {
    cat >ring.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
0 0 1000 Init
0 1100 1200 Send comm=0 to=1 tag=5 bytes=1000
0 1300 9000 Recv comm=0 from=2 tag=5 bytes=1000
0 9100 9200 Finalize
1 0 1000 Init
1 1100 3000 Recv comm=0 from=0 tag=5 bytes=1000
1 3100 3200 Send comm=0 to=2 tag=5 bytes=1000
1 9100 9200 Finalize
2 0 1000 Init
2 1100 5000 Recv comm=0 from=1 tag=5 bytes=1000
2 5100 5200 Send comm=0 to=0 tag=5 bytes=1000
2 9100 9200 Finalize
T
}
