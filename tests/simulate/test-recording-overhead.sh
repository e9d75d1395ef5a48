#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The time that recording took is subtracted from a run predicted with a signature (TAP;
# docs/MODEL.md, 3): by hand. A machine that is its own source still changes nothing.
. "$(dirname "$0")/mpgsim.sh"

# Tracing makes two intervals of rank 0 longer by 100 ns each, and so rank 1's wait, which hides the overhead in rank
# 1's own first interval.
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

# value KEY OPTION...: prints a number of the JSON.
value() {
    local key=$1
    shift
    "$mpgsim" --json "$@" | awk -v key="\"$key\":" '$1 == key { print $2 + 0; exit }'
}
# ranks OPTION...: prints for each rank the run time to which its delay is related, and the delay.
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
# With overheads in the signature a Recv costs less than it took, so more of the wait disappears with the tracer.
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
is "said in words" "$("$mpgsim" "${same[@]}" run.txt | grep -c 'traced  *2.2 us without recording (2.4 us with it)')" 1
is "... of a prediction, too" "$("$mpgsim" --predict "${same[@]:1}" run.txt | grep -c 'traced  *2.2 us without recording (2.4 us with it)')" 1

# The short output: both ratios are relative to the run without recording.
is "the prediction is compared with the run without recording" "$("$mpgsim" "${same[@]:1}" run.txt | sed -n \
    's/^Recorded run time  *\(2.2 us without recording (2.4 us with it)\)  (predicted \/ recorded: .*/\1/p')" \
    "2.2 us without recording (2.4 us with it)"
is "... the same as the perturbed run" "$("$mpgsim" --json "${same[@]:1}" run.txt | "${PYTHON:-python3}" -c '
import json, sys
a = json.load(sys.stdin)
print(round(a["predicted_over_recorded"] * 2200 / a["run_time_ns"]["median"], 9), round(a["perturbed"]["run_time_ns"] / a["perturbed"]["slowdown"], 6))')" \
    "1.0 2200.0"

# So are those in tables, in text and CSV: 2.2 us by hand in every row, and those of each rank.
is "each row of a sweep, too" "$("$mpgsim" --csv --sweep=latency=0,1us "${same[@]:1}" run.txt 2>/dev/null | "${PYTHON:-python3}" -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["traced_ns"], round(float(row["slowdown"]) * 2200 / float(row["median_ns"]), 9))')" $'2200 1.0\n2200 1.0'
is "... and of several signatures" "$("$mpgsim" --signature="$reference" "${same[@]:1}" run.txt |
    grep -c '^  traced  *2.2 us without recording (2.4 us with it)')" 1
is "... and of --tolerate" "$("$mpgsim" --predict --tolerate=5%:latency "${same[@]:1}" run.txt |
    grep -c '^  traced  *2.2 us without recording (2.4 us with it)')" 1
is "ranks, too" "$("$mpgsim" --per-rank --predict "${same[@]:1}" run.txt 2>/dev/null | awk 'NR > 1 { printf "%s ", $2 }')" "1800 2200 "

# The quality of the recording: 400 of 4400 ns are overhead. With twice and four times as much it is 18 and 36 %.
quality() {
    sed "s/100\$/$1/" run.txt >more.txt
    "$mpgsim" --predict "${same[@]:1}" more.txt | sed -n 's/^  recording  *//p'
}
off="off-CPU times are not in the trace"
is "recording is told" "$(quality 100)" "$off; recording itself 9.1 %"
is "fair from 10 %" "$(quality 200)" "fair: recording itself took 18 % of the ranks' time; $off"
is "not reliable from 25 %" "$(quality 400)" \
    "NOT RELIABLE: recording itself took 36 % of the ranks' time: record with --callsites=0; $off"
is "... which marks the answer" "$("$mpgsim" "${same[@]:1}" more.txt | grep -c '^Predicted run time.*NOT RELIABLE')" 1
is "... and mpgtrace's" "$("${MPGTRACE:-mpgtrace}" waits more.txt | grep -c '^Recording  *NOT RELIABLE: recording itself took 36 %')" 1
is "... and mpgscale's" "$("${MPGSCALE:-mpgscale}" --table=runs more.txt 2>&1 | grep -c 'NOT RELIABLE: recording itself took 36 %')" 1
sed 's/100$/150/; s/^#clocks/#fact 0 off_cpu rseq\n#fact 1 off_cpu rseq\n#clocks/' run.txt >more.txt
is "mpgtrace stat, which counts MPI_Init and MPI_Finalize, says so too" "$("${MPGTRACE:-mpgtrace}" stat more.txt | grep '^recording')" \
    "recording   fair: recording itself took 20 % of the run; 0.00 % of the ranks' time off the CPU"
done_testing
