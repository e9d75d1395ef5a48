#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# CPU time and PAPI's events of intervals whose cost is known (tests/trace/pmpi/values.c), recorded
# (TAP).
set -u
. "$(dirname "$0")/traced.sh"
[ -x "$build/tests/trace/pmpi/values" ] || skip_all "no tests/trace/pmpi/values"

# recorded TRACE OPTION...: records the program values with two ranks.
recorded() {
    local trace=$1
    shift
    traced 2 "$trace" "$@" "$build/tests/trace/pmpi/values"
}

# value TRACE N I: prints value I of the interval before rank 1's N-th barrier.
value() {
    "$MPGTRACE" print "$1" | awk -v n="$2" -v i="$3" '$1 == 1 && $4 == "Barrier" && ++k == n {
        for (f = 5; f <= NF; f++)
            if (sub(/^values=/, "", $f)) { split($f, v, ","); print v[i] } }'
}

ok "with --cpu-time" recorded cpu.trace --cpu-time
is "the trace names its value" "$("$MPGTRACE" print cpu.trace | grep '^#values')" "#values cpu_ns"
ok "sleep takes no CPU time" test "$(value cpu.trace 2 1)" -lt 100000000
ok "work takes what it takes" test "$(value cpu.trace 3 1)" -ge 20000000
ok "a profile with --cpu-time" recorded cpu.profile --profile --cpu-time
"$MPGTRACE" stat cpu.profile > out
like "... says what it has counted" "$(cat out)" "*counted     cpu_ns * between calls*"
# Both ranks work for 20 ms.
ok "... the work of both ranks" test "$(awk '$1 == "counted" { print $3 }' out)" -ge 40000000
recorded plain.profile --profile
ok "a profile without has no counters" test -z "$("$MPGTRACE" stat plain.profile | grep '^counted')"
if [ -e "$build/trace/pmpi/.libs/libmpgtrace-papi.so" ]; then
    ok "with --papi" recorded papi.trace --papi no-such-event
    is "what cannot be counted is told once" "$(grep -c '^mpgtrace: not counted: no-such-event' err)" 1
    ok "with both" recorded both.trace --cpu-time --papi perf::PAGE-FAULTS,no-such-event
    if [ "$("$MPGTRACE" print both.trace | grep '^#values')" = "#values cpu_ns perf::PAGE-FAULTS" ]; then
        ok "fresh pages are faults" test "$(value both.trace 4 2)" -ge 1000
        ok "... and sleep has few" test "$(value both.trace 2 2)" -lt 1000
        ok "... beside the CPU time" test "$(value both.trace 3 1)" -ge 20000000
        ok "a profile with both" recorded both.profile --profile --cpu-time --papi perf::PAGE-FAULTS
        "$MPGTRACE" stat both.profile > out
        like "... names both" "$(cat out)" "*counted     cpu_ns *, perf::PAGE-FAULTS *"
        ok "... with the pages of both ranks" test "$(awk '$1 == "counted" { print $5 }' out)" -ge 2000
    else
        skip "page faults" "$(cat err)"
    fi
else
    recorded none.trace --papi perf::PAGE-FAULTS
    like "without PAPI" "$(cat err)" "*libmpgtrace-papi.so*"
fi
done_testing
