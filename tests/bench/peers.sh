#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make peers: mpgkit's benchmarks beside those it is measured against, in one run:
# pingpong and osu_latency, bandwidth and osu_bw, ftq and netgauge's selfish noise
# benchmark, launch for launch in turn, on the same cores. Never a pass or a fail.
#
# Peers come from PATH or from variables: OSU_LATENCY, OSU_BW (OSU micro-benchmarks
# with -z, 7.x), NETGAUGE. PEERS_ROUNDS launches of each (default 5); PEERS_SECONDS
# of noise in each round (default 10). $MPIRUN may hold options.
# shellcheck disable=SC2317 # turn calls by name
set -eu
export LC_ALL=C
build=${top_builddir:-.}
FTQ=${FTQ:-$build/bench/ftq/ftq}
PINGPONG=${PINGPONG:-$build/bench/pingpong/pingpong}
BANDWIDTH=${BANDWIDTH:-$build/bench/bandwidth/bandwidth}
mpirun=${MPIRUN:-mpirun}
hz=$(getconf CLK_TCK)
rounds=${PEERS_ROUNDS:-5} seconds=${PEERS_SECONDS:-10}
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- programs ----

# peer VARIABLE NAME: prints the path of the other tool NAME, from $VARIABLE or PATH. If there is none, says how to name
# it.
peer() {
    local path=${!1:-}
    path=$(command -v "${path:-$2}") && printf '%s\n' "$path" && return
    echo "$2 not found: set $1=..., the path of $2" >&2
    return 1
}

# there FILE NAME: succeeds if our program NAME is built, as FILE.
there() {
    [ -x "$1" ] && return
    echo "$2 is not built here" >&2
    return 1
}

# Prints the seconds of processor time that this host has spent.
busy() {
    awk -v hz="$hz" '/^cpu / { print ($2 + $3 + $4 + $7 + $8 + $9) / hz }' /proc/stat
}

# run COMMAND...: runs COMMAND: its output in $work/out, its wall time in $work/wall, and how many cores other processes
# used meanwhile. Complains if COMMAND fails, and fails too.
run() {
    local TIMEFORMAT='%R %U %S' before status=0
    before=$(busy)
    { time "$@" >"$work/out" 2>"$work/err"; } 2>"$work/time" || status=1
    awk -v busy="$(busy) $before" -v wall="$work/wall" '{
        split(busy, b, " ")
        print $1 >wall
        others = (b[1] - b[2] - $2 - $3) / $1
        printf "%.2f\n", (others > 0 ? others : 0)
    }' "$work/time" >>"$work/$side-others"
    [ "$status" = 1 ] || return 0
    echo "failed: $*" >&2
    grep -h . "$work/err" "$work/out" | head -n 3 | sed 's/^/  /' >&2
    failed=1
    return 1
}

# Starts two ranks, each on a core of its own, like mpgbench.
pair() {
    # shellcheck disable=SC2086 # a command and its options
    run $mpirun --bind-to core -np 2 "$@"
}

# turn ROUND WHAT: calls our_WHAT and their_WHAT, the latter first in every second round.
turn() {
    local sides=(our their)
    [ $(($1 % 2)) = 1 ] || sides=(their our)
    for side in "${sides[@]}"; do
        "${side}_$2" "$1" || return
    done
}

# ---- samples ----

# quantiles FILE COLUMN SIZE WINDOW: prints median, 99th percentile and number of the values in COLUMN of our results
# file, for the first pair and messages of SIZE with WINDOW in flight. Old files without a column for these hold single
# messages.
quantiles() {
    awk -v column="$2" -v size="$3" -v window="$4" '
        /^# columns:/ { split("", at); for (i = 3; i <= NF; i++) at[$i] = i - 2 }
        /^#/ || $at["size_bytes"] != size { next }
        ("pair" in at) && $at["pair"] != 0 { next }
        (("messages_in_flight" in at) ? $at["messages_in_flight"] : 1) != window { next }
        { print $at[column] }' "$1" | sort -n | awk '
        { value[NR] = $1 }
        function at(part, k) { k = int(NR * part + 0.5); return value[k < 1 ? 1 : k] }
        END { if (NR) print at(0.5), at(0.99), NR; exit !NR }' && return
    echo "no $2 for $3 bytes, window $4, in ${1##*/}" >&2
    failed=1
    return 1
}

# Prints the only results file of a folder.
samples() {
    set -- "$1"/*.samples
    printf '%s\n' "$1"
}

# osu SIZE: prints median and 99th percentile from $work/out, the output of the OSU benchmarks, where the percentiles'
# names give the columns.
osu() {
    awk -v size="$1" '
        /^# Size/ { for (i = k = 1; i <= NF; i++) if ($i ~ /^P[0-9]+$/) at[$i] = 2 + k++ }
        $1 == size && ("P50" in at) && ("P99" in at) { print $at["P50"], $at["P99"]; found = 1 }
        END { exit !found }' "$work/out" && return
    echo "no percentiles: osu_latency and osu_bw of version 7 with -z are needed" >&2
    failed=1
    return 1
}

# compare LABEL UNIT OURS THEIRS: compares two files with a number for each round. Prints both medians over the rounds,
# and median, least and greatest ratio.
compare() {
    paste "$3" "$4" | awk -v label="$1" -v unit="$2" '
        function middle(v, n, i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
            return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
        }
        $2 > 0 { n++; ours[n] = $1; theirs[n] = $2; ratio[n] = $1 / $2 }
        # Their numbers have few digits, which limits the precision of the ratio.
        $2 > 0 {
            split($2, part, ".")
            step = 10 ^ -length(part[2]) / 2 / $2
            if (step > coarse) coarse = step
        }
        END {
            if (!n) { printf "  %-26s nothing to compare\n", label; exit }
            m = middle(ratio, n)
            printf "  %-26s %10.4g %10.4g %-5s %6.3f  [%.3f, %.3f]", label, middle(ours, n),
                middle(theirs, n), unit, m, ratio[1], ratio[n]
            if (coarse > 0.01)
                printf "  (theirs is rounded, by up to %.1f %%)", 100 * coarse
            print ""
        }'
}

title() {
    rm -rf "${work:?}"/*
    printf '%s; %d launches of each in turn\n' "$1" "$rounds"
    printf '  %-26s %10s %10s %-5s %6s  %s\n' '' ours theirs '' ratio '[least, greatest]'
}

# Prints what disturbed the measurements of this section.
others() {
    local who
    for who in our their; do
        sort -n "$work/$who-others" | awk -v who="$who" '
            { load[NR] = $1 }
            END { printf "  others used %.2f cores (at most %.2f) during %s launches\n",
                      load[int((NR + 1) / 2)], load[NR], who }'
    done
}

# ---- latency ----

# clock_cost FILE: prints the time of a clock reading that was subtracted from the times in our results file, 0 if it
# was not: the others' times include one reading.
clock_cost() {
    awk '/^# timer_cost_ns:/ { cost = $3 } /^# timer_cost_removed:/ { removed = 1 }
         END { print removed ? cost : 0 }' "$1"
}

our_latency() {
    local file cost
    rm -rf "$work/ours"
    pair "$PINGPONG" --sizes "$size" --no-eager -o "$work/ours" || return
    file=$(samples "$work/ours")
    cost=$(clock_cost "$file")
    quantiles "$file" rtt_ns "$size" 1 >"$work/q" || return
    awk -v cost="$cost" '{ print ($1 + cost) / 2000 }' "$work/q" >>"$work/ours-p50"
    awk -v cost="$cost" '{ print ($2 + cost) / 2000 }' "$work/q" >>"$work/ours-p99"
}

their_latency() {
    pair "$osu_latency" -m "$size:$size" -i 10000 -x 200 -z && osu "$size" >"$work/q" || return
    cut -d ' ' -f 1 "$work/q" >>"$work/theirs-p50"
    cut -d ' ' -f 2 "$work/q" >>"$work/theirs-p99"
}

latency() {
    local round size
    title "pingpong and osu_latency: half a round trip, the clock's cost included"
    for size in 8 65536; do
        rm -f "$work"/*-p50 "$work"/*-p99
        for ((round = 1; round <= rounds; round++)); do
            turn $round latency || return 0
        done
        compare "$size B, median" us "$work/ours-p50" "$work/theirs-p50"
        compare "$size B, p99" us "$work/ours-p99" "$work/theirs-p99"
    done
    others
}

# ---- bandwidth ----

# Prints the numbers of messages in flight in one of our results files.
windows() {
    awk '/^# columns:/ { for (i = 3; i <= NF; i++) at[$i] = i - 2 }
         /^#/ || $at["size_bytes"] == 0 { next }
         { print (("messages_in_flight" in at) ? $at["messages_in_flight"] : 1) }' "$1" | sort -nu
}

# Bandwidth in both tools: bytes over the time, which includes the acknowledgement.
our_bandwidth() {
    local window
    rm -rf "$work/ours"
    pair "$BANDWIDTH" --sizes "$size" -o "$work/ours" || return
    windows "$(samples "$work/ours")" >"$work/windows"
    while read -r window; do
        quantiles "$(samples "$work/ours")" time_ns "$size" "$window" >"$work/q" || return
        awk -v bytes=$((size * window)) '{ print bytes / $1 * 1e3 }' "$work/q" >>"$work/ours-$window"
    done <"$work/windows"
}

their_bandwidth() {
    local window
    while read -r window; do
        pair "$osu_bw" -m "$size:$size" -W "$window" -i $((100 + 1900 / window)) -x 50 -z </dev/null &&
            osu "$size" >"$work/q" || return
        cut -d ' ' -f 1 "$work/q" >>"$work/theirs-$window"
    done <"$work/windows"
}

bandwidth() {
    local round size window
    title "bandwidth and osu_bw: bytes over time, acknowledgement included"
    for size in 65536 262144 1048576 4194304; do
        rm -rf "$work"/ours-* "$work"/theirs-*
        for ((round = 1; round <= rounds; round++)); do
            turn $round bandwidth || return 0
        done
        while read -r window; do
            compare "$size B, window $window" MB/s "$work/ours-$window" "$work/theirs-$window"
        done <"$work/windows"
    done
    others
}

# ---- noise ----

# On core 0, because netgauge binds itself there. The wall time beyond the recorded span is for start and end. Writes
# start and length of each detour, in ns.
our_noise() {
    rm -rf "$work/ours"
    run "$FTQ" --mode detour --core 0 --duration "${seconds}s" -o "$work/ours" || return
    awk -v wall="$(cat "$work/wall")" -v facts="$work/ours-facts-$1" '
        /^# (threshold|span)_ns:/ { value[$2] = $3 }
        /^# columns:/ { for (i = 3; i <= NF; i++) at[$i] = i - 2 }
        /^#/ { next }
        { print $at["start_ns"], $at["duration_ns"]; n++ }
        END { span = value["span_ns:"]
              print value["threshold_ns:"], span, n, wall - span / 1e9 >facts }' \
        "$(samples "$work/ours")" >"$work/ours-detours-$1"
}

# netgauge ends after a given number of detours (it counts two numbers for each). Requests as many as the previous
# record had in the wanted duration.
their_noise() {
    local many last=$work/theirs-facts-$(($1 - 1))
    [ -e "$last" ] || last=$work/ours-facts-$1
    many=$(awk -v s="$seconds" '{ print 100 + 2 * int($3 / $2 * 1e9 * s) }' "$last")
    rm -f "$work/selfish"
    run timeout $((60 + 20 * seconds)) "$netgauge" -o "$work/selfish" -m mpi -x noise \
        -e selfish -s "$many" || return
    awk -v wall="$(cat "$work/wall")" -v facts="$work/theirs-facts-$1" '
        /^# Minimal cycle length/ { loop = $NF }
        /^# Threshold:/ { percent = $NF }
        /^#/ { next }
        { print $1, $2; n++; span = $1 + $2 }
        END { print loop * (percent / 100 - 1), span, n, wall - span / 1e9 >facts }' \
        "$work/selfish" >"$work/theirs-detours-$1"
}

# blocks WHO ROUND THRESHOLD: prints for each whole second the share of time that was lost to detours longer than
# THRESHOLD.
blocks() {
    awk -v least="$3" -v span="$(cut -d ' ' -f 2 "$work/$1-facts-$2")" '
        $2 > least { lost[int($1 / 1e9)] += $2 }
        END {
            if (span < 1e9) print lost[0] / span
            for (k = 0; k < int(span / 1e9); k++) print lost[k] / 1e9
        }' "$work/$1-detours-$2"
}

noise() {
    local round threshold who
    title "ftq and netgauge's selfish on core 0, $seconds s each"
    for ((round = 1; round <= rounds; round++)); do
        # In the first round netgauge's number of detours comes from our record, so ours is measured first.
        turn $round noise || return 0
    done
    threshold=$(cat "$work"/*-facts-* | sort -n | tail -n 1 | cut -d ' ' -f 1)
    for who in ours theirs; do
        for ((round = 1; round <= rounds; round++)); do
            blocks $who "$round" "$threshold" >"$work/block"
            awk '{ sum += $1 } END { printf "%.6g\n", 100 * sum / NR }' "$work/block" >>"$work/$who-lost"
            sed "s/^/$who $round /" "$work/block" >>"$work/blocks"
        done
        cat "$work/$who"-facts-* | cut -d ' ' -f 4 >"$work/$who-start"
    done
    compare "lost" % "$work/ours-lost" "$work/theirs-lost"
    compare "time beyond measuring" s "$work/ours-start" "$work/theirs-start"
    # Load comes in bursts longer than a block, which only the differences between launches show.
    awk -v least="$threshold" -v launches="$rounds" '
        { n[$1]++; sum[$1] += $3; square[$1] += $3 ^ 2; part[$1, $2] += $3; of[$1, $2]++ }
        function variance(n, sum, square) { return n > 1 ? (square - sum ^ 2 / n) / (n - 1) / n : 0 }
        function root(v) { return v > 0 ? sqrt(v) : 0 }
        function error(w, k, m, s, q, blocks) {
            for (k = 1; k <= launches; k++) {
                m = part[w, k] / of[w, k]
                s += m
                q += m ^ 2
            }
            m = variance(launches, s, q)
            blocks = variance(n[w], sum[w], square[w])
            return root(m > blocks ? m : blocks)
        }
        END {
            split("ours theirs", who)
            for (k = 1; k <= 2; k++) { mean[k] = sum[who[k]] / n[who[k]]; se[k] = error(who[k]) }
            printf "  lost to detours longer than %.1f ns, with the greater standard error of that over\n", least
            printf "  blocks of 1 s and that over launches: ours %.4f +- %.4f %%, theirs %.4f +- %.4f %%\n",
                100 * mean[1], 100 * se[1], 100 * mean[2], 100 * se[2]
            both = sqrt(se[1] ^ 2 + se[2] ^ 2)
            if (both > 0)
                printf "  difference: %.1f standard errors\n", (mean[1] - mean[2]) / both
        }' "$work/blocks"
    others
}

if there "$PINGPONG" pingpong && osu_latency=$(peer OSU_LATENCY osu_latency); then latency; fi
if there "$BANDWIDTH" bandwidth && osu_bw=$(peer OSU_BW osu_bw); then bandwidth; fi
if there "$FTQ" ftq && netgauge=$(peer NETGAUGE netgauge); then noise; fi
exit $failed
