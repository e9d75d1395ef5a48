#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tracing on two hosts (TAP), see two-hosts.sh.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tap.sh"
. "$here/../../two-hosts.sh"
build=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "${top_srcdir:-$here/../../..}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
open_hosts

# traced RANKS_A_HOST TRACE COMMAND...: records COMMAND on both hosts.
traced() {
    local ranks=$1 trace=$2
    shift 2
    on_hosts 600 "$ranks" "$MPGTRACE" record --quiet --force -o "$trace" "$@"
}

# identity ABSORB TRACE: succeeds if without a perturbation no rank is delayed.
identity() {
    "$MPGSIM" --absorb="$1" --per-rank "$2" >ranks &&
        awk 'NR > 1 && $3 != 0 { bad = 1 } END { exit bad || NR < 3 }' ranks
}

# wrong_offsets TRACE NEAR: prints clock offsets that are wrong by more than 10 ms; the clocks of ranks from NEAR on are
# 1000 s ahead.
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

# ran_untraced RANKS FOLDER...: checks that the program ran, and that for each FOLDER a line says how many ranks were
# found in it.
ran_untraced() {
    local ranks=$1 folder
    shift
    is "... and is told so" "$(cat err)" "$(for folder; do
        printf 'mpgtrace: only %d of 2 ranks run under mpgtrace record (found in %s, which all hosts must share): %s\n' \
            "$ranks" "$folder" "they run untraced"
    done)"
    is "... and nothing stays behind" "$(find . -name '*.trace' -newer since -o -name '.mpgtrace-*')" ""
}

# part_untraced RING: hosts that run without mpgtrace record, or do not share a folder: no rank may wait forever.
part_untraced() {
    local ring=$1 host partly
    # shellcheck disable=SC2016
    partly='[ "$(hostname)" = "$1" ] || shift 5; shift; exec "$@"'
    for host in near far; do
        touch since
        ok "only $host runs under record: the program ends well" on_hosts 120 1 sh -c "$partly" sh $host "$MPGTRACE" record \
            --quiet -o partly.trace "$ring" 3
        ran_untraced 1 "$(pwd -P)"
    done
    touch since
    mkdir -p near far
    # shellcheck disable=SC2016
    ok "hosts with folders of their own: the program ends well" on_hosts 120 1 sh -c 'cd "$(hostname)" && exec "$@"' sh \
        "$MPGTRACE" record --quiet -o own.trace "$ring" 3
    sort -o err err
    ran_untraced 1 "$(pwd -P)/far" "$(pwd -P)/near"
}

part_untraced "$build/examples/ring/ring"

# The same with the other MPI and its launcher.
mpirun=${OTHER_MPIRUN:-}
if [ -z "${OTHER_MPICC:-}" ] || [ -z "$mpirun" ] || [ "$(mpi_launcher "$mpirun")" = other ]; then
    skip "the other MPI" "there is one MPI here"
else
    use_launcher
    # shellcheck disable=SC2086 # a wrapper may have arguments
    ok "the other MPI's program compiles" $OTHER_MPICC -std=gnu11 -o ring "$source/examples/ring/ring.c"
    ok "... and is traced on two hosts" traced 1 other.trace ./ring 3
    is "... whose names are in the trace" "$("$MPGTRACE" print other.trace | awk '$1 == "#host" { print $3 }' | xargs)" "near far"
    part_untraced "$tmp/ring"
fi
done_testing
