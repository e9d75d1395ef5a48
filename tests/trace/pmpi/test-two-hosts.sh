#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tracing on two hosts (TAP), see two-hosts.sh.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tap.sh"
. "$here/../../two-hosts.sh"
build=$(cd "${top_builddir:-.}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
open_hosts

# traced RANKS_A_HOST TRACE COMMAND...: runs it on both hosts.
traced() {
    local ranks=$1 trace=$2
    shift 2
    on_hosts 600 "$ranks" "$MPGTRACE" record --quiet -o "$trace" "$@"
}

# identity ABSORB TRACE: no rank changes when nothing is perturbed.
identity() {
    "$MPGSIM" --absorb="$1" --per-rank "$2" >ranks &&
        awk 'NR > 1 && $3 != 0 { bad = 1 } END { exit bad || NR < 3 }' ranks
}

# wrong_offsets TRACE NEAR: clock lines over 10 ms off; ranks from NEAR on are 1000 s ahead.
wrong_offsets() {
    "$MPGTRACE" print "$1" | awk '$1 == "#clock" { d = $4 + ($2 >= near ? 1e12 : 0)
        if (d > 1e7 || d < -1e7) print }' near="$2"
}

# check NAME RANKS_A_HOST TRACE
check() {
    local n=$2 t=$3
    "$MPGTRACE" print "$t" >text
    is "$1: each rank names its host" \
        "$(awk '$1 == "#host" { printf "%s ", $3 }' text)" \
        "$(for h in near far; do for _ in $(seq "$n"); do printf '%s ' $h; done; done)"
    is "$1: all but rank 0 measure their clock twice" "$(grep -c '^#clock ' text)" \
        $((2 * (2 * n - 1)))
    is "$1: the offsets are those of the hosts" "$(wrong_offsets "$t" "$n")" ""
    like "$1: stat says that offsets were measured" "$("$MPGTRACE" stat "$t")" \
        "*clocks *offsets measured*"
    like "$1: mpgsim absorbs by the measured clocks" "$("$MPGSIM" "$t")" \
        "*clock*measured offsets*"
    for absorb in none wait clock; do
        ok "$1: nothing changes by itself, --absorb=$absorb" identity $absorb "$t"
    done
}

if ! traced 1 ring.trace "$build/examples/ring/ring" 3; then
    skip_all "no MPI program runs across the namespaces"
fi
check "ring, a rank a host" 1 ring.trace
ok "halo is traced on two ranks a host" traced 2 halo.trace "$build/examples/halo/halo" 20
check "halo" 2 halo.trace
FAR=near traced 1 same.trace "$build/examples/ring/ring" 3
like "two hosts of one name are not taken for one clock" "$("$MPGTRACE" stat same.trace)" \
    "*clocks *offsets measured*"

# A host without mpgtrace record. Hydra names no job that is the same on both hosts.
if [ "$launcher" != hydra ]; then
    # shellcheck disable=SC2016
    partly='[ "$(hostname)" = "$1" ] || shift 5; shift; exec "$@"'
    for host in near far; do
        ok "only $host runs under record: the program ends well" on_hosts 120 1 sh -c "$partly" sh $host "$MPGTRACE" record \
            --quiet -o partly.trace "$build/examples/ring/ring" 3
        is "... and it is told once" "$(cat err)" "mpgtrace: only 1 of 2 ranks run under mpgtrace record (found in $(pwd -P), \
which all hosts must share): they run untraced"
        is "... and nothing stays behind" "$(ls -d partly.trace .mpgtrace-* 2>/dev/null)" ""
    done
else
    skip "a host without record" "Hydra"
fi
done_testing
