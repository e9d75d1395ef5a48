#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares mpgsim with other simulators on random programs: 6 ranks, 20 rounds of uneven work, posted receives and sends, and a
# wait for all of them. mpgtrace exports each program as a time-independent trace, which SimGrid's smpirun replays (Debian:
# libsimgrid-dev), and as GOAL, which LogGOPSim evaluates (build it, and name its folder: LOGGOPSIM=...); mpgsim predicts the same
# trace. All have a latency of 5 us; SimGrid also has 0.5 ns a byte. SimGrid's messages carry 16 bytes more, for which its link
# has less latency; its threshold is the smallest size that is not eager, one byte more than mpgsim's eager limit. SimGrid and
# mpgsim have different rules of a rendezvous (simgrid.sh): each is compared with its own rule, computed in this script, and,
# where all messages are eager, with the other. A simulator that is missing is left out.
#
# Usage: validate/exported.sh [PROGRAMS [FIRST]]     (default: 5 programs, seeds from 1)
# Prints a line for each program and simulator: run times in ns. Exit 1 if any differs by 1 ns or more, 2 without a simulator.
set -u
mpgsim=${MPGSIM:-mpgsim} mpgtrace=${MPGTRACE:-mpgtrace}
loggopsim=${LOGGOPSIM:-}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for program in "$mpgsim" "$mpgtrace"; do
    command -v "$program" >/dev/null || { echo "exported.sh: there is no $program" >&2; exit 2; }
done
[ -z "$loggopsim" ] || loggopsim=$(cd "$loggopsim" && pwd) || exit 2
if ! command -v smpirun >/dev/null && [ -z "$loggopsim" ]; then
    echo "exported.sh: there is neither smpirun nor LOGGOPSIM" >&2
    exit 2
fi
cd "$work" || exit 2

# program SEED MOST: writes a random program, with messages of up to MOST bytes and calls that take no time, to
# calls.txt, and its two run times to the file expected: by SimGrid's rule for a rendezvous (the latency begins when the
# message is sent and its receive posted), and by mpgsim's (the latency begins when the message is sent).
program() {
    awk -v seed="$1" -v most="$2" '
        function whole(n) { return int(rand() * n) }
        function call(r, text) { print r, at[r] + 0, at[r] + 0, text }
        function work(r, ns) { at[r] += ns; clock[0, r] += ns; clock[1, r] += ns }
        function later(a, b) { return a > b ? a : b }
        function arrive(rule, m) {
            if (size[m] <= 65536) return later(sent[rule, m] + 5000 + size[m] / 2, posted[rule, m])
            return rule ? later(sent[rule, m] + 5000, posted[rule, m]) + size[m] / 2 \
                        : later(sent[rule, m], posted[rule, m]) + 5000 + size[m] / 2
        }
        BEGIN {
            srand(seed)
            print "#mpgtext 1\n#ranks 6"
            for (r = 0; r < 6; r++) call(r, "Init")
            for (round = 0; round < 20; round++) {
                for (r = 0; r < 6; r++) { receives[r] = sends[r] = waits[r] = ""; work(r, whole(4000)) }
                first = m + 1
                for (a = 0; a < 6; a++)
                    for (b = 0; b < 6; b++)
                        if (a != b && rand() < 0.3) {
                            size[++m] = 2 * (1 + whole(most / 2)); from[m] = a; to[m] = b; tag[m] = whole(3)
                            receives[b] = receives[b] " " m
                            sends[a] = sends[a] " " m
                        }
                for (r = 0; r < 6; r++) {
                    n = split(receives[r], list, " ")
                    for (i = 1; i <= n; i++) {
                        call(r, "Irecv from=" from[list[i]] " tag=" tag[list[i]] " bytes=" size[list[i]] " request=" ++id)
                        waits[r] = waits[r] "," id
                        posted[0, list[i]] = clock[0, r]; posted[1, list[i]] = clock[1, r]
                    }
                    work(r, whole(3000))
                    n = split(sends[r], list, " ")
                    for (i = 1; i <= n; i++) {
                        work(r, whole(500))
                        call(r, "Isend to=" to[list[i]] " tag=" tag[list[i]] " bytes=" size[list[i]] " request=" ++id)
                        waits[r] = waits[r] "," id
                        sent[0, list[i]] = clock[0, r]; sent[1, list[i]] = clock[1, r]
                    }
                    work(r, whole(6000))
                    if (waits[r] != "") call(r, "Waitall requests=" substr(waits[r], 2))
                }
                for (i = first; i <= m; i++)
                    for (rule = 0; rule < 2; rule++) {
                        done = arrive(rule, i)
                        clock[rule, to[i]] = later(clock[rule, to[i]], done)
                        if (size[i] > 65536) clock[rule, from[i]] = later(clock[rule, from[i]], done + (rule ? 5000 : 0))
                    }
            }
            for (r = 0; r < 6; r++) {
                call(r, "Finalize")
                last[0] = later(last[0], clock[0, r]); last[1] = later(last[1], clock[1, r])
            }
            printf "%.0f %.0f\n", last[0], last[1] >"expected"
        }' >calls.txt
}

platform() {
    local r s
    echo '<?xml version="1.0"?>'
    echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    echo '<platform version="4.1"><zone id="z" routing="Full">'
    for r in 0 1 2 3 4 5; do echo "<host id='h$r' speed='1Gf'/>"; done
    echo '<link id="l" bandwidth="2GBps" latency="4992ns" sharing_policy="FATPIPE"/>'
    for r in 0 1 2 3 4; do
        for s in 1 2 3 4 5; do
            [ "$s" -le "$r" ] || echo "<route src='h$r' dst='h$s'><link_ctn id='l'/></route>"
        done
    done
    echo '</zone></platform>'
}

# ours OPTION...: prints the median run time in ns that mpgsim predicts for calls.txt.
ours() {
    "$mpgsim" --predict --latency=const:5us "$@" --json calls.txt |
        awk '/"run_time_ns"/ { on = 1 } on && /"median"/ { printf "%.0f", $2; exit }'
}

by_simgrid() {
    rm -rf x x.ti
    "$mpgtrace" export -o x.ti calls.txt || return
    smpirun -np 6 -platform platform.xml -hostfile hosts -replay x.ti \
        --cfg=smpi/{bw,lat}-factor:0:1 --cfg=smpi/{os,or,ois}:0:0:0 --cfg=smpi/{async-small,send-is-detached}-thresh:65537 \
        --cfg=network/{TCP-gamma,crosstraffic,weight-S}:0 --cfg=surf/precision:1e-12 --log=root.fmt:%.9r:%m%n 2>&1 |
        awk -F: '/Simulation time/ { printf "%.0f", $1 * 1e9 }'
}

by_loggopsim() {
    "$mpgtrace" export -o x.goal calls.txt && "$loggopsim/txt2bin" -i x.goal -o x.bin >/dev/null &&
        "$loggopsim/LogGOPSim" -f x.bin -L 5000 -o 0 -g 0 -G 0 -O 0 -S 1000000000 |
        awk '$1 == "Host" && $3 > last { last = $3 } END { print last }'
}

# held NAME THEIRS OURS [EXPECTED_THEIRS EXPECTED_OURS]: prints the run times of the other simulator and of mpgsim. Sets
# status=1 unless each is the expected time or, without expected times, both are equal.
held() {
    echo "$1: theirs ${2:-none}, mpgsim ${3:-none}${4:+; by hand $4, $5}"
    [ -n "$2" ] && [ "$2 $3" = "${4:-$3} ${5:-${4:-$2}}" ] || status=1
}

platform >platform.xml
for r in 0 1 2 3 4 5; do echo "h$r" >>hosts; done
status=0
first=${2:-1}
for ((seed = first; seed < first + ${1:-5}; seed++)); do
    for most in 65536 200000; do
        program "$seed" "$most"
        read -r theirs ours <expected
        if command -v smpirun >/dev/null; then
            held "program $seed, up to $most bytes: SimGrid" "$(by_simgrid)" \
                "$(ours --byte=const:0.5ns --eager-limit=65536 --without=progress)" "$theirs" "$ours"
        fi
        if [ -n "$loggopsim" ] && [ "$most" = 65536 ]; then
            held "program $seed: LogGOPSim" "$(by_loggopsim)" "$(ours)"
        fi
    done
done
exit $status
