#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make overhead PROGRAM='./app ARGUMENT...': what tracing costs a program of two ranks (RANKS) by its own clock, beside what
# mpgtrace stat says. Untraced and traced runs take turns; each pair gives a ratio. TIME: a regular expression (sed -E) with the
# seconds in its first group (default: PETSc's -log_view). RECORD: options of mpgtrace record. LAUNCHER: a launcher in place of
# the configured one. Never a pass or a fail.
set -eu
program=${PROGRAM:?make overhead PROGRAM="./app ARGUMENT..."}
time=${TIME:-'^Time \(sec\): +([0-9.e+-]+).*'}
pairs=${PAIRS:-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# own COMMAND...: runs the program behind COMMAND, and prints the time that the program prints.
own() {
    # shellcheck disable=SC2086 # words
    ${LAUNCHER:-${MPIRUN:?}} -np "${RANKS:-2}" "$@" $program 2>/dev/null | sed -nE "s/$time/\1/p" | head -n 1
}
traced() {
    # shellcheck disable=SC2086 # words
    own "${MPGTRACE:?}" record --quiet --force -o "$work/app.trace" ${RECORD:-}
}
# said: prints the overhead that mpgtrace stat reports, in seconds, averaged over the ranks.
said() {
    { "$MPGTRACE" stat "$work/app.trace"; "$MPGTRACE" stat --json "$work/app.trace"; } | awk '
        /^overhead / && match($0, /[0-9.e-]+ % of the run/) { share = substr($0, RSTART) / 100 }
        match($0, /"run_ns": *[0-9.e+]+/) && !run_ns { run_ns = substr($0, RSTART + 9, RLENGTH - 9) }
        END { printf "%.9f", share * run_ns / 1e9 }'
}

for i in $(seq "$pairs"); do
    if [ $((i % 2)) = 0 ]; then
        plain=$(own)
        with=$(traced)
    else
        with=$(traced)
        plain=$(own)
    fi
    if [ -z "$plain" ] || [ -z "$with" ]; then
        echo "$program: printed no time that TIME matches" >&2
        exit 1
    fi
    echo "$plain $with $(said)"
done >"$work/runs"
awk '
    function sort(a, n,   i, j, t) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
    }
    function median(a, n) { return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
    { n++; plain[n] = $1; with[n] = $2; more[n] = 100 * ($2 / $1 - 1); real[n] = 1e3 * ($2 - $1); said[n] = 1e3 * $3 }
    END {
        sort(plain, n); sort(with, n); sort(more, n); sort(real, n); sort(said, n)
        # Interval from the k-th smallest to the k-th largest value: each side misses the median with P(X < k), X
        # binomial.
        term = 2 ^ -n; below = 0; k = 0
        while (below + term <= 0.025) { below += term; term *= (n - k) / (k + 1); k++ }
        low = k > 0 ? k : 1
        printf "own time: %.4g ms untraced, %.4g ms traced (medians)\n", 1e3 * median(plain, n), 1e3 * median(with, n)
        printf "difference: %+.1f %% (%+.1f to %+.1f), %.3g ms (%.3g to %.3g): medians of %d pairs, intervals of %.1f %%\n",
            median(more, n), more[low], more[n + 1 - low], median(real, n), real[low], real[n + 1 - low], n,
            100 * (1 - 2 * below)
        printf "overhead by mpgtrace stat: %.3g ms (%.3g to %.3g)\n", median(said, n), said[low], said[n + 1 - low]
    }' "$work/runs"
