# SPDX-License-Identifier: GPL-3.0-or-later
# The median of a sample and its confidence interval, for row.awk and replays.awk.

function sort(v, n,   i, j, x) {
    for (i = 1; i < n; i++) {
        x = v[i]
        for (j = i; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1]
        v[j] = x
    }
}

# Sorts the N values of V, and returns their median.
function median(v, n) {
    sort(v, n)
    return n % 2 ? v[(n - 1) / 2] : (v[n / 2 - 1] + v[n / 2]) / 2
}

# Returns how many of the smallest, and as many of the largest, of N values lie outside the interval that contains the median
# with at least 95 %: order statistics, by the binomial distribution. Below 6 values 0: the interval of 5 values has 94 %.
function outside(n,   k, sum, term) {
    term = 0.5 ^ n
    for (k = 0; k <= n / 2; k++) {
        sum += term
        if (sum > 0.025)
            return k > 0 ? k - 1 : 0
        term *= (n - k) / (k + 1)
    }
    return 0
}
