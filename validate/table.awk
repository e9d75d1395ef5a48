# SPDX-License-Identifier: GPL-3.0-or-later
# Formats the rows of validate/row.awk as Markdown: a table for each pair of machines, and a summary. A change is compared with
# its prediction only if it was measured: its interval is at least a hundredth of the run away from 0.

BEGIN { FS = "\t" }

function ms(ns) {
    return sprintf("%.*f", precision(ns), ns / 1e6)
}

# Returns the number of decimals with which NS, in ms, has four significant digits.
function precision(ns,   v) {
    v = (ns < 0 ? -ns : ns) / 1e6
    return v >= 1000 ? 0 : v >= 100 ? 1 : v >= 10 ? 2 : v >= 0.1 ? 3 : 4
}

function span(middle, low, high) {
    return ms(middle) " (" ms(low) " .. " ms(high) ")"
}

function percent(v) {
    return sprintf("%+.1f", 100 * v)
}

function size(v) {
    return v < 0 ? -v : v
}

function head(pair,   end) {
    split(pair, end, ":")
    printf "\n### %s to %s%s\n\n", end[1], end[2],
        end[3] == "" ? "" : ", by the rate of computation instead of its noise"
    print "| program | " end[1] " | traced | " end[2] ", measured (95 %) | predicted (5 .. 95 %) " \
        "| change, measured (95 %) | predicted (5 .. 95 %) | off, % of the run | off, % of the change " \
        "| inside | --predict (5 .. 95 %) | off, % | inside | measured to, % | left out |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|---|--:|--:|"
}

# Returns the accuracy of the measured run on the target: half its interval in % of its median.
function resolution() {
    return sprintf("%.1f%s", 50 * ($8 - $7) / $6, $25 ? " (disturbed)" : "")
}

function left_out() {
    return ($23 + 0) ", " ($24 + 0)
}

$1 != last { head($1); last = $1 }

$12 == "-" {
    printf "| %s | %s | - | %s | no answer: %s | %s | - | - | - | - | - | - | - | %s | %s |\n", $2, ms($4),
        span($6, $7, $8), $19, span($9, $10, $11), resolution(), left_out()
    unanswered++
    next
}

{
    rows++
    of_run = ($12 - $6) / $6
    floor = $6 / 100
    measured = ($10 > floor || $11 < -floor)
    of_change = measured ? ($15 - $9) / size($9) : 0
    inside = $6 >= $13 && $6 <= $14
    run_right += size(of_run) <= 0.05
    was_inside += inside
    exact = !$25 && $8 - $7 <= 0.1 * $6
    exacts += exact
    exact_right += exact && size(of_run) <= 0.05
    exact_times += exact && $20 > 0
    exact_time_right += exact && $20 > 0 && size(($20 - $6) / $6) <= 0.05
    changes += measured
    change_right += measured && size(of_change) <= 0.15
    n[$1]++
    pair_run[$1] += size(of_run) <= 0.05
    pair_inside[$1] += inside
    pair_changes[$1] += measured
    pair_change[$1] += measured && size(of_change) <= 0.15
    off = !($20 > 0) ? 0 : ($20 - $6) / $6
    timed = $20 != "" && $20 != "-"
    time_inside = timed && $6 >= $21 && $6 <= $22
    times += timed
    time_right += timed && size(off) <= 0.05
    times_inside += time_inside
    pair_times[$1] += timed
    pair_time_right[$1] += timed && size(off) <= 0.05
    pair_time_inside[$1] += time_inside
    if (!($1 in place)) {
        place[$1] = ++pairs
        name[pairs] = $1
    }
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $2, ms($4), ms($5),
        span($6, $7, $8), span($12, $13, $14), span($9, $10, $11), span($15, $16, $17),
        percent(of_run), measured ? percent(of_change) : "-", inside ? "yes" : "no",
        timed ? span($20, $21, $22) : "-", timed ? percent(off) : "-",
        !timed ? "-" : time_inside ? "yes" : "no", resolution(), left_out()
}

function share(part, of) {
    return of ? part " of " of : "-"
}

END {
    if (!rows && !unanswered) {
        print "nothing was measured and predicted" >"/dev/stderr"
        exit 1
    }
    print "\n### In all\n"
    print "| pair | off at most 5 % of the run | changes that were measured, off at most 15 % | " \
        "measured median inside the predicted 90 % | --predict: off at most 5 % | inside its 90 % |"
    print "|---|--:|--:|--:|--:|--:|"
    for (i = 1; i <= pairs; i++)
        printf "| %s | %s | %s | %s | %s | %s |\n", name[i], share(pair_run[name[i]], n[name[i]]),
            share(pair_change[name[i]], pair_changes[name[i]]),
            share(pair_inside[name[i]], n[name[i]]),
            share(pair_time_right[name[i]], pair_times[name[i]]),
            share(pair_time_inside[name[i]], pair_times[name[i]])
    printf "| all | %s | %s | %s | %s | %s |\n", share(run_right, rows), share(change_right, changes),
        share(was_inside, rows), share(time_right, times), share(times_inside, times)
    printf "\nRuns that were measured to 5 %% or better: %d of %d; of these the prediction is off by at most 5 %%" \
        " in %s, --predict in %s.\n", exacts, rows, share(exact_right, exacts), share(exact_time_right, exact_times)
    if (unanswered)
        printf "\n%d rows have no answer.\n", unanswered
}
