# SPDX-License-Identifier: GPL-3.0-or-later
# Prints a row of the table of coverage (Markdown) for a program on a machine. Needs validate/sample.awk. Input: files of kind
# part=run, samples "date_s run_ns others off", and of kind part=answer, mpgsim's answers as JSON, one for each recording, in
# the order of recordings. The interval of an answer is that of 90 % of runs in its headline: the interval at any speed of the
# machine where it has one, else 5 % to 95 % of its replicas. Not reliable: by the headline, and by the recording itself; within 10 %
# of the median run: of the recordings that are reliable. Variables: program, machine, kind (how it was recorded).

part == "run" { run[runs++] = $2; next }
FNR == 1 { answers += substr($0, 1, 1) == "{" }
/^ "run_time_ns":/ { inside = 1 }
inside && /"median":/ { middle[answers] = number($0) }
inside && /"p5":/ { low[answers] = number($0) }
inside && /"p95":/ { high[answers] = number($0) }
/^ "recording":/ { recording = 1 }
recording && /^  "reliable": false/ { bad_recording[answers] = 1 }
/^ }/ { inside = recording = speed = 0 }
/^ "machine_speed":/ { speed = 1 }
speed && /"run_time_90_percent_ns":/ {
    getline
    low[answers] = number($0)
    getline
    high[answers] = number($0)
}
/^ "reliable": false/ { unreliable[answers] = 1 }

function number(line) {
    sub(/^[^:]*: */, "", line)
    sub(/,? *$/, "", line)
    return line + 0
}

# Returns how many runs lie within the interval of answer I.
function count(i,   k, n) {
    for (k = 0; k < runs; k++)
        n += run[k] >= low[i] && run[k] <= high[i]
    return n + 0
}

# Returns the median and the range of the N values of V in ms.
function range(v, n,   m) {
    m = median(v, n)
    return sprintf("%.1f (%.1f .. %.1f)", m / 1e6, v[0] / 1e6, v[n - 1] / 1e6)
}

# Returns the medians of the lower and of the upper ends of the intervals in ms.
function interval(   i, a, b) {
    for (i = 1; i <= answers; i++) {
        a[i - 1] = low[i]
        b[i - 1] = high[i]
    }
    return sprintf("%.1f .. %.1f", median(a, answers) / 1e6, median(b, answers) / 1e6)
}

END {
    if (runs == 0 || answers == 0)
        exit
    first = count(1)
    for (i = 1; i <= answers; i++) {
        all += count(i)
        not_reliable += unreliable[i]
        badly_recorded += bad_recording[i]
        predicted[i - 1] = middle[i]
    }
    took = range(run, runs)
    usual = median(run, runs)
    for (i = 1; i <= answers; i++)
        if (!bad_recording[i]) {
            said++
            near += middle[i] >= 0.9 * usual && middle[i] <= 1.1 * usual
        }
    printf "| %s | %s | %s | %d | %s | %d | %s | %s | %d | %d of %d: %.0f %% | %d, %d | %d of %d |\n", program, machine, kind, runs,
        took, answers, range(predicted, answers), interval(), first, all, runs * answers, 100 * all / (runs * answers), not_reliable,
        badly_recorded, near, said
}
