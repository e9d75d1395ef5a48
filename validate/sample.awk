# SPDX-License-Identifier: GPL-3.0-or-later
# Of a sample: its median, and how far that is known; for row.awk and replays.awk.

function sort(v, n,   i, j, x) {
    for (i = 1; i < n; i++) {
        x = v[i]
        for (j = i; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1]
        v[j] = x
    }
}

# Of V, sorted here.
function median(v, n) {
    sort(v, n)
    return n % 2 ? v[(n - 1) / 2] : (v[n / 2 - 1] + v[n / 2]) / 2
}

# How many of the least and greatest of N values the median's interval of at least 95 % leaves
# out: order statistics and the binomial distribution. Below 6 values all, 94 % for 5.
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
