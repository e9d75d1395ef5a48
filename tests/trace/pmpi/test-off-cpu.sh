#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Time off the CPU, of a program that loses its CPU and measures how long (tests/trace/pmpi/off_cpu.c), recorded
# (TAP), with rseq and by the clock alone. A trace may say no more than the program lost at most, and no less than
# it lost at least, but for stretches that are too short to be looked at.
set -u
. "$(dirname "$0")/traced.sh"
off_cpu=$build/tests/trace/pmpi/off_cpu
[ -x "$off_cpu" ] || skip_all "no tests/trace/pmpi/off_cpu"
ulimit -c 0

# run WAY PART OPTION...: records two ranks of the program as t.trace; its text is in text.
run() {
    local way=$1 part=$2
    shift 2
    rm -rf t.trace
    MPGTRACE_OFF_CPU=$way traced 2 t.trace "$@" "$off_cpu" "$part"
    local status=$?
    "$MPGTRACE" print t.trace >text || status=1
    return $status
}
fact() {
    awk -v rank="$1" -v key="$2" '$1 == "#fact" && $2 == rank && $3 == key { print $4 }' text
}

# bounded STREAM FIRST LAST LEAST MOST ON SMALL: checks the off-CPU time of STREAM after the call that matches FIRST up
# to the last one that matches LAST: between LEAST and MOST, with ON of CPU time, of which SMALL may be missed. Losses
# of less than 2 us at the end of a stretch do not count; a stretch of less than 50 us is not examined; in one in which
# the thread slept 350 us may be missed. Time in the run queue excludes the switch to the thread, some us.
bounded() {
    awk -v stream="$1" -v first="$2" -v last="$3" -v least="$4" -v most="$5" -v on="$6" -v unseen="$7" -v limit="${limit:-most}" '
        function value(key,    i) {
            for (i = 5; i <= NF; i++)
                if (index($i, key "=") == 1)
                    return substr($i, length(key) + 2) + 0
            return 0
        }
        function stretch(ns, lost) {
            sum += lost
            unseen += 2000 + (ns < 50000 ? ns : least < most ? 350000 : 0)
            noise += 2000 + switches
            if (lost > ns || lost < 0)
                wrong = "more is lost than there was"
        }
        /^#/ || $1 != stream { next }
        BEGIN { measured = most; if (limit == "least") { most = least; switches = 10000 } }
        ended { # what the program measured extends into the next interval, in which it may lose its CPU too
            behind = value("off")
            ended = 0
        }
        begun {
            stretch($2 - left, value("off"))
            stretch($3 - $2, value("off_call"))
            left = $3
            if ($0 ~ last) {
                found = 1
                ended = 1
                total = sum
                missed = unseen
                more = left - from - (measured + on) # not measured by the program
                more = noise + 100000 + (more > 0 ? more : 0)
            }
        }
        !begun && $0 ~ first { begun = 1; from = left = $3 }
        END {
            if (!found)
                wrong = "no such calls"
            else if (total > most + more || total + missed + behind < least)
                wrong = total " ns, but " least " to " most " were measured, and " more " more at most"
            if (wrong != "")
                print "# stream " stream ": " wrong
            exit wrong != ""
        }' text
}
# measured PART...: converts the program's lines for PART from "RANK THREAD WHERE LEAST MOST ON SMALL" to STREAM LEAST
# MOST ON SMALL.
measured() {
    awk -v where="$*" '{ w = $3; for (i = 4; i <= NF - 4; i++) w = w " " $i }
        w == where { print $1 ($2 ? "." $2 : ""), $(NF - 3), $(NF - 2), $(NF - 1), $NF }' out
}
# all_bounded FIRST LAST WHERE...: bounded for all measured parts; limit=least: the upper bound is the smallest measured
# value.
all_bounded() {
    local first=$1 last=$2 stream least most on small n=0
    shift 2
    while read -r stream least most on small; do
        n=$((n + 1))
        bounded "$stream" "$first" "$last" "$least" "$most" "$on" "$small" || return
    done < <(measured "$@")
    [ $n -gt 0 ]
}
# sums_are_facts RANK: checks that RANK's header lines are the sums over its events.
sums_are_facts() {
    awk -v rank="$1" '
        $1 == "#fact" && $2 == rank { fact[$3] = $4 }
        /^#/ { next }
        { split($1, r, ".") }
        r[1] == rank {
            for (i = 5; i <= NF; i++) {
                if (index($i, "off=") == 1)
                    sum["off_cpu_intervals_ns"] += substr($i, 5)
                if (index($i, "off_call=") == 1)
                    sum[$4 == "Flush" ? "off_cpu_intervals_ns" : "off_cpu_calls_ns"] += substr($i, 10)
            }
        }
        END {
            for (i = 1; i <= 2; i++) {
                key = i == 1 ? "off_cpu_intervals_ns" : "off_cpu_calls_ns"
                if (fact[key] == "" || sum[key] + 0 != fact[key] + 0) {
                    print "# " key ": " fact[key] ", of events " sum[key] + 0
                    bad = 1
                }
            }
            exit bad
        }' text
}
# exact: succeeds if the text, imported, prints as the same text.
exact() {
    rm -rf again.trace
    "$MPGTRACE" import --text=text -o again.trace && "$MPGTRACE" print again.trace | cmp - text
}

# crowded_in_call WAY: records again until rank 0 lost its CPU inside MPI_Recv. Rank 1 begins 10 ms after rank 0's
# message, which may be too early on a busy machine.
crowded_in_call() {
    for _ in 1 2 3 4 5; do
        [ "$(awk '/^0 .* Recv .* tag=13 .* off_call=/ { sub(/.* off_call=/, ""); print $1 }' text)" -ge 20000000 ] \
            2>/dev/null && return
        run "$1" crowded || return
    done
    return 1
}

run rseq signals
[ "$(fact 0 off_cpu)" ] || skip_all "this system has no CPU clock of threads"
ways="clock rseq"
[ "$(fact 0 off_cpu)" = rseq ] || ways=clock
for way in $ways; do
    ok "$way: a rival on the core" run "$way" crowded
    is "... by that, as a fact" "$(fact 0 off_cpu) $(fact 1 off_cpu)" "$way $way"
    ok "... what the tracer's reading takes, too" test -n "$(fact 0 overhead_off_cpu_ns)"
    # shellcheck disable=SC2046 # words
    set -- $(measured all)
    ok "... three times 30 ms at least" test "$2" -ge 90000000
    ok "... all of it is in the trace" all_bounded " Wtime" " Recv .* tag=13 " all
    ok "... what a computation lost is before its call" \
        all_bounded " Send .* tag=1 " " Recv .* tag=11 " before 11
    ok "... and while it polled MPI_Wtime" all_bounded " Recv .* tag=11 " " Recv .* tag=12 " before 12
    ok "... and what it lost in a call" all_bounded " Recv .* tag=12 " " Recv .* tag=13 " call 13
    ok "... the facts are the sums" sums_are_facts 0
    ok "... the text is exact" exact
    ok "... what had its rival in a call lost it in that" crowded_in_call "$way"
    ok "$way: two ranks on one core" run "$way" competing
    ok "... what each lost" all_bounded " Barrier" " Barrier" all
    ok "... the facts are the sums" eval "sums_are_facts 0 && sums_are_facts 1"
    if run "$way" threads; then
        ok "$way: two threads on one core" all_bounded " Sendrecv" " Sendrecv" all
        ok "... the facts are the sums" sums_are_facts 0
    else
        like "$way: two threads on one core: not here" "$(cat err)" "*no threads*"
    fi
    ok "$way: asleep" run "$way" asleep
    limit=least ok "... is no loss, but waiting for a CPU is" all_bounded " Sendrecv .* tag=40 " " Sendrecv .* tag=41 " all
    limit=least ok "... nor is being stopped" all_bounded " Sendrecv .* tag=41 " " Recv .* tag=42 " stopped
    ok "$way: signals" run "$way" signals
    ok "... are no loss" all_bounded " Barrier" " Sendrecv" all
    ok "$way: a child" run "$way" forked
    ok "$way: small windows" run "$way" competing --buffer=4KiB --local=1000000000
    ok "... what each lost" all_bounded " Barrier" " Barrier" all
    ok "$way: with --cpu-time" run "$way" competing --cpu-time
    # An interval is the sum of CPU time (the value), off-CPU time, and a little of the tracer's. The clock of the value
    # is read slightly apart from the interval's ends; an interrupt between these readings is in the value only, in few
    # intervals.
    ok "... both agree" awk '
        /^#/ { next }
        $1 in left && $4 == "Barrier" && !/killed/ {
            cpu = off = 0
            for (i = 5; i <= NF; i++) {
                if (index($i, "values=") == 1) cpu = substr($i, 8)
                if (index($i, "off=") == 1) off = substr($i, 5)
            }
            gap = $2 - left[$1]
            if (cpu + off > gap + 10000) {
                print "# an interval of " gap " ns: " cpu " of CPU time, " off " off"
                over++
            }
            rest += gap - cpu - off
            all += gap
            n++
        }
        { left[$1] = $3 }
        END {
            if (rest > all / 10)
                print "# " rest " of " all " ns are neither"
            exit over > n / 50 || rest > all / 10 || rest < 0 || n < 100
        }' text
    run "$way" killed
    ok "$way: killed: what it had lost is there" all_bounded " Wtime" " Recv .* tag=13 " all
    is "... with the way, and without sums" "$(fact 0 off_cpu) $(fact 0 off_cpu_calls_ns)" "$way "
    ok "$way: rseq_cs that is taken after MPI_Init is left alone" run "$way" taken
    ok "$way: or before it" run "$way" taken-before
done

run rseq competing
for key in cpu_user_ns cpu_system_ns switches_voluntary switches_involuntary page_faults; do
    ok "$key is a number" test "$(fact 0 $key)" -ge 0
done
# shellcheck disable=SC2046 # words
set -- $(measured all | grep '^0 ')
ok "the process had the CPU time that its thread had, but for the system's rounding" \
    test $(($(fact 0 cpu_user_ns) + $(fact 0 cpu_system_ns) + 20000000)) -ge "$4"
for key in runqueue_wait_ns steal_ns throttled_ns frequency_hz; do
    value=$(fact 0 $key)
    ok "$key is a number, if it is there: ${value:-none}" test "${value:-0}" -ge 0
done

run none competing
is "without: nothing" "$(grep -c -E ' off(_call)?=' text) $(fact 0 off_cpu) $(fact 0 off_cpu_calls_ns)" "0  "
run wrong competing
like "a way that is none" "$(cat err)" "*MPGTRACE_OFF_CPU: 'wrong' is not rseq, clock or none*"
run rseq competing --profile 2>/dev/null
is "a profile has no such time" "$("$MPGTRACE" stat t.trace | grep -c 'off the CPU')" 0
done_testing
