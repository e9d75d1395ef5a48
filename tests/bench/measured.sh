# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of the benchmarks ask of results files and of errors: source it after
# tap.sh, with $tmp a folder of one's own. Ranks spin where they wait, as the benchmarks' users have
# it: one that yields its core is a time slice late where others have it, and that is what is measured.
mpi_forget yield

# whole FILE COLUMNS [KEYS]: succeeds if results file FILE is complete: its first line, each header line once, those of
# KEYS among them, the columns COLUMNS, and as many samples as its last line states.
whole() {
    awk -v columns="$2" -v keys="${3-}" '
        NR == 1 && $0 != "#mpgresults 2" { bad = 1 }
        ended { bad = 1 }
        /^# end / { ended = 1; if ($3 != n) bad = 1; next }
        /^# columns: / { if ($0 != "# columns: " columns) bad = 1; split(columns, c, " "); next }
        /^# (pair [0-9]+|[a-z_]+): / { if (n) bad = 1; seen[$2 == "pair" ? "pair " $3 : $2]++; next }
        NR > 1 { n++; if (NF != length(c)) bad = 1 }
        END { for (k in seen) if (seen[k] != 1) bad = 1
              split("benchmark mpgkit date host cpu kernel scheduling clock timer_cost_ns \
                     timer_resolution_ns arguments units binding " keys, need, " ")
              for (k in need) if (!(need[k] ":" in seen)) bad = 1
              exit bad || !ended }' "$1"
}

# header FILE KEY: prints the value of header line KEY.
header() {
    sed -n "s/^# $2: //p" "$1"
}

# monotone FILE: succeeds if the first column never decreases.
monotone() {
    awk '/^#/ { next } $1 < last { exit 1 } { last = $1 }' "$1"
}

count() {
    grep -vc '^#' "$1"
}

# "${aloud[@]}" COMMAND...: what a rank says goes to $tmp/said, for a launcher that ends
# may drop it.
# shellcheck disable=SC2016,SC2034,SC2154 # for the inner shell; tmp is the caller's
aloud=(sh -c 'exec "$@" 2>>"$0"' "$tmp/said")

# fails STATUS WORDS COMMAND...: succeeds if COMMAND exits with STATUS and prints one line with WORDS. Ranks may write
# their lines to $tmp/said.
fails() {
    local status=$1 words=$2 got
    shift 2
    rm -f "$tmp/said"
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ ! -e "$tmp/said" ] || cat "$tmp/said" >>"$tmp/err"
    [ "$got" -eq "$status" ] && [ "$(grep -c -- "$words" "$tmp/err")" -eq 1 ] && return
    echo "# exit $got, expected $status and '$words':"
    sed 's/^/# /' "$tmp/err"
    return 1
}

# unless_late COMMAND...: runs COMMAND and returns its exit status. Runs it again, at most 50 times, while it reports in
# $tmp/err that in every repetition a process came late, as happens on cores with other processes.
unless_late() {
    local i status
    for ((i = 0; i < 50; i++)); do
        "$@"
        status=$?
        grep -q 'repetitions were discarded: in each a process missed the common start' "$tmp/err" || return "$status"
    done
    return "$status"
}

# wait_until COMMAND...: repeats COMMAND until it succeeds, for at most five minutes.
wait_until() {
    local i
    for ((i = 0; i < 6000; i++)); do
        "$@" && return
        sleep 0.05
    done
    echo "# not within five minutes: $*"
    return 1
}

# handles PID SIGNAL: succeeds if process PID exists and has a handler for SIGNAL. The benchmarks have one from before
# they make their folder until they end.
handles() {
    local caught
    # Before its exec the process is this shell, whose trap also catches signals.
    [ "$(readlink "/proc/$1/exe")" != "$(readlink "/proc/$$/exe")" ] || return 1
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    [ -n "$caught" ] && (((0x$caught >> ($(kill -l "$2") - 1)) & 1))
}

# gone FILE: succeeds if no process in the list FILE runs. Not every launcher waits for its ranks, and a killed rank
# exists until it is scheduled.
gone() {
    local pid
    while read -r pid; do
        ! grep -qs '^State:[[:space:]]*[^[:space:]ZX]' "/proc/$pid/status" || return
    done <"$1"
}

# cores: prints how many cores this process may use; hardware threads of one core count once.
cores() {
    local range cpu
    for range in $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr , ' '); do
        for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
            cat "/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list" 2>/dev/null ||
                echo "$cpu"
        done
    done | sort -u | wc -l
}

# quiet COMMAND...: runs COMMAND without the summary that it prints.
quiet() {
    "$@" >/dev/null
}
