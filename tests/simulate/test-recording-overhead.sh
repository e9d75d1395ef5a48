#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The time that recording took is subtracted from a run predicted with a signature (TAP;
# docs/MODEL.md, 3): by hand. A machine that is its own source still changes nothing.
. "$(dirname "$0")/mpgsim.sh"

# Two intervals of rank 0 are 100 ns of the tracer's too long, and so is what rank 1 waits for;
# its own first one is hidden by that waiting.
cat >run.txt <<'END'
#mpgtext 1
#ranks 2
#comm 0 = 0 1
#fact 0 overhead_call_ns 100
#fact 1 overhead_call_ns 100
#clocks shared
0 0 1000 Init
1 0 1000 Init
0 2000 2100 Send comm=0 to=1 tag=0 bytes=8
1 1500 2400 Recv comm=0 from=0 tag=0 bytes=8
0 3000 3010 Finalize
1 3400 3410 Finalize
END
sed '/^#fact/d' run.txt >unknown.txt

# value KEY OPTION... : one number of the answer
value() {
    local key=$1
    shift
    "$mpgsim" --json "$@" | awk -v key="\"$key\":" '$1 == key { print $2 + 0; exit }'
}
# ranks OPTION...: each rank's run time against which its delay is, and the delay
ranks() {
    "$mpgsim" --per-rank "$@" 2>/dev/null | awk 'NR > 1 { printf "%s%s %s", sep, $2, $3; sep = "; " }'
}
same=(--perturb --signature="$reference" --source="$reference")

is "nothing perturbed: the run as recorded" "$(ranks run.txt)" "2000 0; 2400 0"
is "a signature: the run without the tracer" "$(ranks "${same[@]}" run.txt)" "1800 0; 2200 0"
is "the slowdown is against that" "$(value slowdown_median "${same[@]}" run.txt)" 1
is "which the answer says" "$(value traced_run_time_ns "${same[@]}" run.txt)" 2200
is "beside what was recorded" "$(value recorded_run_time_ns "${same[@]}" run.txt)" 2400
is "perturbed without the tracer" \
    "$(ranks "${same[@]}" --latency=const:50ns --source=latency=400ns --replicas=1 run.txt)" "1800 0; 2200 50"
is "a run of twice the tracer's cost hides it where the receiver waits" \
    "$(sed 's/100$/200/' run.txt | "$mpgsim" --per-rank "${same[@]}" - 2>/dev/null |
        awk 'NR > 1 { printf "%s ", $2 }')" "1600 2000 "
# With its own overheads a machine's Recv costs less than it took, and more of the wait goes with the tracer.
is "a machine stays itself where its receives wait for what the tracer held up" \
    "$(sed '/fact 0/s/100$/300/' run.txt | "$mpgsim" --per-rank "${same[@]}" - 2>/dev/null |
        awk 'NR > 1 { printf "%s ", $3 }')" "0 0 "
is "--without=tracer" "$(ranks "${same[@]}" --without=tracer run.txt)" "2000 0; 2400 0"
is "unknown cost" "$(ranks "${same[@]}" unknown.txt)" "2000 0; 2400 0"
for absorb in none wait clock; do
    is "accounts are against the run without it, too ($absorb)" \
        "$("$mpgsim" "${same[@]}" --absorb=$absorb --json run.txt |
            awk '$1 == "\"injected_ns\":" || $1 == "\"net_ns\":" { printf "%s ", $2 + 0 }')" \
        "0 0 0 0 0 0 "
done
is "said in words" "$("$mpgsim" "${same[@]}" run.txt | grep -c 'recorded: 2.4 us')" 1
done_testing
