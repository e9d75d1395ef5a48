#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# CPU time and PAPI's events of intervals whose cost is known (tests/values.c), recorded
# (TAP).
set -u
. "$(dirname "$0")/tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ -x "$build/tests/values" ] || skip_all "no tests/values"
command -v "${mpirun%% *}" >/dev/null || skip_all "no $mpirun"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# traced TRACE OPTION...
traced() {
    local trace=$1
    shift
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout 60 $mpirun -np 2 "$MPGTRACE" record -o "$trace" "$@" "$build/tests/values" >out 2>err
}

# value TRACE N I: value I of the interval before rank 1's N-th barrier.
value() {
    "$MPGTRACE" print "$1" | awk -v n="$2" -v i="$3" '$1 == 1 && $4 == "Barrier" && ++k == n {
        for (f = 5; f <= NF; f++)
            if (sub(/^values=/, "", $f)) { split($f, v, ","); print v[i] } }'
}

ok "with --cpu-time" traced cpu.trace --cpu-time
is "the trace names its value" "$("$MPGTRACE" print cpu.trace | grep '^#values')" "#values cpu_ns"
ok "sleep takes no CPU time" test "$(value cpu.trace 2 1)" -lt 100000000
ok "work takes what it takes" test "$(value cpu.trace 3 1)" -ge 20000000
if [ -e "$build/trace/pmpi/.libs/libmpgtrace-papi.so" ]; then
    ok "with --papi" traced papi.trace --papi no-such-event
    is "what cannot be counted is told once" "$(grep -c '^mpgtrace: not counted: no-such-event' err)" 1
    ok "with both" traced both.trace --cpu-time --papi perf::PAGE-FAULTS,no-such-event
    if [ "$("$MPGTRACE" print both.trace | grep '^#values')" = "#values cpu_ns perf::PAGE-FAULTS" ]; then
        ok "fresh pages are faults" test "$(value both.trace 4 2)" -ge 1000
        ok "... and sleep has few" test "$(value both.trace 2 2)" -lt 1000
        ok "... beside the CPU time" test "$(value both.trace 3 1)" -ge 20000000
    else
        skip "page faults" "$(cat err)"
    fi
else
    traced none.trace --papi perf::PAGE-FAULTS
    like "without PAPI" "$(cat err)" "*libmpgtrace-papi.so*"
fi
done_testing
