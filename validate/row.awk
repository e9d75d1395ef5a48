# SPDX-License-Identifier: GPL-3.0-or-later
# Prints a row of the table, separated by tabs, for a program and a pair of machines; validate/table.awk formats it. Needs
# validate/sample.awk. The variable `part` on the command line names the kind of each input file: samples "date_s run_ns others
# off" of the machine of the traces (from) and of the target (to); mpgsim's answers as JSON, one for each trace, of
# --perturb (answer) and of --predict (times). Runs whose ranks were off their CPUs for more than the share most_off of the
# time are left out, but at least three runs, the least disturbed, stay. Variables: pair, program, most_off. Times in ns.
#
#  1 pair  2 program  3 number of runs, of the machine with fewer
#  4 from: median  5 traced: median over traces
#  6 to: median  7 low  8 high    its 95 % interval
#  9 change: median  10 low  11 high    its 95 % interval
# 12 predicted: median over traces  13 5 %  14 95 %    of the replicas of all; or "-"
# 15 predicted change: the same  16 5 %  17 95 %
# 18 traces  19 why there is no answer
# 20 the run by predict mode: median over traces  21 5 %  22 95 %; or "-"
# 23 from: runs left out  24 to: runs left out  25 whether disturbed ones stay: 1

BEGIN { answered = 0 }
part == "from" { all_from[af++] = $2; off_from[af - 1] = $4 + 0 }
part == "to" { all_to[at++] = $2; off_to[at - 1] = $4 + 0 }
FNR == 1 { inside = 0 }
part == "answer" && FNR == 1 && substr($0, 1, 1) != "{" { why = $0 }
part == "answer" && /^ "traced_run_time_ns":/ { traced[answered] = number($0) }
part == "answer" && /^ "run_time_ns":/ { inside = 1 }
part == "answer" && inside && /"median":/ {
    middle[answered] = number($0)
    shift_middle[answered] = middle[answered] - traced[answered]
}
part == "answer" && /^ }/ { inside = 0 }
part == "answer" && /^   "run_time_ns":/ {
    replica[replicas] = number($0)
    shift[replicas++] = number($0) - traced[answered]
}
part == "answer" && /^}/ { answered++ }
part == "times" && /^ "run_time_ns":/ { inside = 1 }
part == "times" && inside && /"median":/ { time_middle[timed++] = number($0) }
part == "times" && /^ }/ { inside = 0 }
part == "times" && /^   "run_time_ns":/ { time[times++] = number($0) }

function number(line) {
    sub(/^[^:]*: */, "", line)
    sub(/,? *$/, "", line)
    return line + 0
}

# Sorts the N values of V. Returns their P-quantile, interpolated linearly.
function quantile(v, n, p,   at, i) {
    sort(v, n)
    at = p * (n - 1)
    i = int(at)
    return i + 1 < n ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[n - 1]
}

# Like outside(), for the shift between samples of N and of M values: returns how many of the smallest and of the largest of
# their N x M differences lie outside the 95 % interval, by the exact distribution of the Mann-Whitney statistic (Hollander,
# Wolfe, Chicken, Nonparametric Statistical Methods, section 4.3).
function outside_differences(n, m,   ways, i, j, u, most, all, sum) {
    most = n * m
    # ways[i, j, u]: number of orders of i values of one sample and j of the other with u pairs in ascending order.
    for (i = 0; i <= n; i++)
        for (j = 0; j <= m; j++)
            for (u = 0; u <= i * j; u++)
                ways[i, j, u] = i == 0 || j == 0 ? u == 0 : \
                    (u >= j ? ways[i - 1, j, u - j] : 0) + \
                    (u <= i * (j - 1) ? ways[i, j - 1, u] : 0)
    for (u = 0; u <= most; u++)
        all += ways[n, m, u]
    for (u = 0; u <= most; u++) {
        sum += ways[n, m, u] / all
        if (sum > 0.025)
            return u > 0 ? u - 1 : 0
    }
    return 0
}

# Stores in KEPT the runs, of the N runs ALL, whose share OFF of time off the CPU is at most most_off; if these are fewer than
# three, the three runs with the smallest shares. Returns their number.
function undisturbed(all, off, n, kept,   i, k, least, taken) {
    for (i = 0; i < n; i++)
        if (off[i] <= most_off)
            kept[k++] = all[i]
    if (k >= 3 || n < 3)
        return k + 0
    for (i = 0; i < n; i++)
        least[i] = off[i]
    sort(least, n)
    for (i = k = 0; i < n && k < 3; i++)
        if (off[i] <= least[2])
            kept[k++] = all[i]
    stays = 1
    return k
}

END {
    nf = undisturbed(all_from, off_from, af, from)
    nt = undisturbed(all_to, off_to, at, to)
    if (nf < 3 || nt < 3)
        exit
    from_middle = median(from, nf)
    to_middle = median(to, nt)
    for (i = 0; i < nf; i++)
        for (j = 0; j < nt; j++)
            difference[d++] = to[j] - from[i]
    sort(difference, d)
    k = outside(nt)
    l = outside_differences(nf, nt)
    printf "%s\t%s\t%d\t%.0f\t", pair, program, nf < nt ? nf : nt, from_middle
    if (answered)
        printf "%.0f", median(traced, answered)
    else
        printf "-"
    printf "\t%.0f\t%.0f\t%.0f", to_middle, to[k], to[nt - 1 - k]
    printf "\t%.0f\t%.0f\t%.0f", to_middle - from_middle, difference[l], difference[d - 1 - l]
    if (answered)
        printf "\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t", median(middle, answered),
            quantile(replica, replicas, 0.05), quantile(replica, replicas, 0.95),
            median(shift_middle, answered), quantile(shift, replicas, 0.05),
            quantile(shift, replicas, 0.95), answered
    else
        printf "\t-\t-\t-\t-\t-\t-\t0\t%s", why
    if (timed)
        printf "\t%.0f\t%.0f\t%.0f", median(time_middle, timed), quantile(time, times, 0.05),
            quantile(time, times, 0.95)
    else
        printf "\t-\t-\t-"
    printf "\t%d\t%d\t%d\n", af - nf, at - nt, stays
}
