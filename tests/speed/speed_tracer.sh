#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench: what a recorded MPI call costs, as CPU time. Runs with and without the
# tracer take turns, and each pair gives a difference, so that what a machine does to all
# runs of a minute falls out. Never a pass or a fail. Argument: the number of pairs.
# Other tracers are measured the same way where MPIP is the path of libmpiP.so, or
# EZTRACE names eztrace (Debian's package of that name).
set -eu
pairs=${1:-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=${top_builddir:?}/tests/speed/speed_tracer

# once COMMAND...: runs one process, and prints the number in its output, which may also contain a tracer's messages.
once() {
    (cd "$work" && "$MPIRUN" -np 1 "$@" 2>/dev/null) | grep -E '^[0-9]+\.[0-9]+$'
}

# summary NAME: reads lines "without with", and prints the median of the differences and its confidence interval of at
# least 95 %, by order statistics (binomial).
summary() {
    awk -v name="$1" '
    function sort(a, n,   i, j, t) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
    }
    function median(a, n) { return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
    { n++; without[n] = $1; traced[n] = $2; d[n] = $2 - $1 }
    END {
        sort(without, n); sort(traced, n); sort(d, n)
        # Interval from the k-th smallest to the k-th largest value: each side misses the median with P(X < k), X
        # binomial.
        term = 2 ^ -n; below = 0; k = 0
        while (below + term <= 0.025) { below += term; term *= (n - k) / (k + 1); k++ }
        printf "  %-28s %7.1f %9.1f   %+7.1f", name, median(without, n), median(traced, n), median(d, n)
        if (k > 0)
            printf "   %+.1f to %+.1f (%.1f %%, %d pairs)\n", d[k], d[n + 1 - k], 100 * (1 - 2 * below), n
        else
            printf "   %+.1f to %+.1f (all of %d pairs)\n", d[1], d[n], n
    }'
}

# compare NAME COMMAND...: alternates runs of the program, with argument $stacks, with and without COMMAND.
stacks=1
compare() {
    local name=$1 plain traced
    shift
    : >"$work/pairs"
    # shellcheck disable=SC2086 # words
    for i in $(seq "$pairs"); do
        if [ $((i % 2)) = 0 ]; then
            plain=$(once "$program" $stacks)
            traced=$(once "$@" "$program" $stacks)
        else
            traced=$(once "$@" "$program" $stacks)
            plain=$(once "$program" $stacks)
        fi
        echo "$plain $traced" >>"$work/pairs"
    done
    summary "$name" <"$work/pairs"
}

# recorded NAME OPTION...: the same for mpgtrace record with these options.
recorded() {
    local name=$1
    shift
    compare "$name" "$MPGTRACE" record --quiet --force -o "$work/self.trace" "$@"
}

# bytes FILE...: prints the size of the files divided by the number of calls.
bytes() {
    cat "$@" | wc -c | awk '{ printf "  %.2f bytes a call on disk\n", $1 / (3 * 501000) }'
}

echo "A reading of the processor's counter, of which each call takes two: $(once "$program" timer) ns"
echo "Irecv, Send, Wait of one byte on MPI_COMM_SELF: ns of CPU time (user and system) a call"
echo "                               without    traced     added   interval of the median"
recorded "record --callsites=0" --callsites=0
recorded "record (8 frames)"
bytes "$work"/self.trace/*
for stacks in 128 0; do
    case $stacks in 0) of='of new stacks' ;; *) of="of $stacks stacks" ;; esac
    recorded "$of, --callsites=0" --callsites=0
    recorded "$of, 8 frames"
done
stacks=local
recorded "of calls that involve nobody"
stacks=1
recorded "record --profile" --profile
recorded "record --cpu-time" --cpu-time
[ -z "${EZTRACE:-}" ] || {
    compare "EZTrace" "$EZTRACE" -t openmpi
    bytes "$work"/speed_tracer_trace/*/*
}
[ -z "${MPIP:-}" ] || compare "mpiP (a profile)" env LD_PRELOAD="$MPIP"
cat <<'PEERS'
Others, measured once on another machine (2-core KVM guest, 2.6 GHz, Open MPI 4.1.4):
  EZTrace 2 +146, Score-P 8.4 +303, sst-dumpi +632, Pilgrim +789, mpiP +1423 ns a call
PEERS
