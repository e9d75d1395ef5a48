#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares mpgsim with SimGrid on one program: a pipeline of 6 ranks with 9 messages each and uneven work, replayed by SimGrid's
# smpirun (Debian: libsimgrid-dev) on a platform without contention, and predicted by mpgsim with the same latency and
# bandwidth. SimGrid's messages carry 16 bytes more, for which its link has less latency; SimGrid's threshold is the smallest
# size that is not eager, one byte more than mpgsim's eager limit. Where every sender waits, SimGrid's transfer begins one
# latency after sender and receiver are there, and ends for both at the same time; mpgsim's sender first asks the receiver, and
# ends one latency after it (docs/MODEL.md, section 5): each simulator is compared with its own rule, computed in this script.
#
# Usage: validate/simgrid.sh [BYTES]...     (default: 1000 65536 100000; the eager limit is 65536)
# Prints a line for each size: bytes, both run times in ns, and, where senders wait, both times by the rules. Exit 1 if any time
# differs by 1 ns or more.
set -u
mpgsim=${MPGSIM:-mpgsim}
for program in smpirun "$mpgsim"; do
    command -v "$program" >/dev/null || { echo "simgrid.sh: there is no $program" >&2; exit 2; }
done
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# program BYTES: writes the program for SimGrid, the actions of rank r in r.ti, and for mpgkit, as mpgtext in calls.txt.
program() {
    local bytes=$1 r w i
    echo '#mpgtext 1'
    echo '#ranks 6'
    for r in 0 1 2 3 4 5; do
        w=$((2385 + 1999 * (r * 5 % 4)))
        echo "$r init" >"$r.ti"
        echo "$r 0 0 Init"
        for i in 0 1 2 3 4 5 6 7 8; do
            if [ "$r" -gt 0 ]; then
                echo "$r recv $((r - 1)) 0 $bytes 6" >>"$r.ti"
                echo "$r $((w * i)) $((w * i)) Recv from=$((r - 1)) bytes=$bytes"
            fi
            echo "$r compute $w" >>"$r.ti"
            if [ "$r" -lt 5 ]; then
                echo "$r send $((r + 1)) 0 $bytes 6" >>"$r.ti"
                echo "$r $((w * i + w)) $((w * i + w)) Send to=$((r + 1)) bytes=$bytes"
            fi
        done
        echo "$r finalize" >>"$r.ti"
        echo "$r $((w * 9)) $((w * 9)) Finalize"
    done
}

platform() {
    local r
    echo '<?xml version="1.0"?>'
    echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    echo '<platform version="4.1"><zone id="z" routing="Full">'
    for r in 0 1 2 3 4 5; do echo "<host id='h$r' speed='1Gf'/>"; done
    echo '<link id="l" bandwidth="2GBps" latency="4992ns" sharing_policy="FATPIPE"/>'
    for r in 0 1 2 3 4; do
        echo "<route src='h$r' dst='h$((r + 1))'><link_ctn id='l'/></route>"
    done
    echo '</zone></platform>'
}

# by_hand BYTES: prints two run times of the program if every sender waits for its receive: by SimGrid's rule and by
# mpgsim's.
by_hand() {
    awk -v tau="$(($1 / 2))" -v latency=5000 '
        function run(asks,   i, r, at, from, end, done) {
            for (i = 0; i < 9; i++)
                for (r = 0; r < 6; r++) {
                    at = end[0]
                    if (r > 0) {
                        from = asks ? done + latency : done
                        at = (from > end[r] ? from : end[r]) + (asks ? 0 : latency) + tau
                        end[r - 1] = at + (asks ? latency : 0)
                    }
                    done = at + 2385 + 1999 * (r * 5 % 4)
                    if (r == 5)
                        end[r] = done
                }
            return end[4] > end[5] ? end[4] : end[5]
        }
        BEGIN { printf "%.0f %.0f", run(0), run(1) }'
}

platform >platform.xml
for r in 0 1 2 3 4 5; do echo "h$r" >>hosts; echo "$r.ti" >>traces; done
status=0
[ $# -gt 0 ] || set -- 1000 65536 100000
for bytes; do
    program "$bytes" >calls.txt
    theirs=$(smpirun -np 6 -platform platform.xml -hostfile hosts -replay traces \
        --cfg=smpi/{bw,lat}-factor:0:1 --cfg=smpi/{os,or,ois}:0:0:0 \
        --cfg=smpi/{async-small,send-is-detached}-thresh:65537 \
        --cfg=network/{TCP-gamma,crosstraffic,weight-S}:0 --cfg=surf/precision:1e-12 \
        --log=root.fmt:%.9r:%m%n 2>&1 | awk -F: '/Simulation time/ { printf "%.0f", $1 * 1e9 }')
    ours=$("$mpgsim" --predict --latency=const:5us --byte=const:0.5ns --eager-limit=65536 \
        --json calls.txt | awk '/"run_time_ns"/ { on = 1 } on && /"median"/ { print $2 + 0; exit }')
    if [ "$bytes" -le 65536 ]; then
        echo "$bytes bytes: SimGrid $theirs, mpgsim $ours"
        expected="${ours:-0} ${theirs:-1e9}"
    else
        expected=$(by_hand "$bytes")
        echo "$bytes bytes: SimGrid $theirs, mpgsim $ours; by hand ${expected/ /, }"
    fi
    awk -v found="${theirs:--1} ${ours:--1}" -v expected="$expected" 'BEGIN {
        split(found, f, " ")
        split(expected, e, " ")
        exit !((f[1] - e[1]) ^ 2 < 1 && (f[2] - e[2]) ^ 2 < 1)
    }' || status=1
done
exit $status
