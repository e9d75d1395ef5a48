#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One build traces the programs of both MPIs (TAP): what other tests do with the default one,
# C, Fortran and relinked programs, those that end early and those of which the tracer sees
# only some ranks, is done with the other one here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "${top_srcdir:-$here/../../..}" && pwd)
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "the plain build does this"
[ -n "${OTHER_MPICC:-}" ] || skip_all "there is one MPI here"
[ -n "${OTHER_MPIRUN:-}" ] || skip_all "nothing starts the other MPI's programs"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# Sets the environment of a build with the other MPI: the same mpgkit, other programs to trace.
MPICC=$OTHER_MPICC MPIFORT=${OTHER_MPIFORT:-none} MPIRUN=$OTHER_MPIRUN
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
[ "${MPI_LIBRARY:-openmpi}" = openmpi ] && MPI_LIBRARY=mpich || MPI_LIBRARY=openmpi
TRACER=mpgtrace-$MPI_LIBRARY MPGKIT_KILLS=2 top_builddir=$tmp
export MPICC MPIFORT MPIRUN MPGTRACE MPGSIM MPI_LIBRARY TRACER MPGKIT_KILLS top_builddir
unset OTHER_MPICC OTHER_MPIFORT OTHER_MPIRUN
mkdir -p tests/trace/pmpi && ln -s "$build/trace" trace || exit 1
# compiles NAME SOURCE...: compiles a program that make check builds for the default MPI.
compiles() {
    local name=$1
    shift
    # shellcheck disable=SC2086 # a wrapper may have arguments
    $MPICC -std=gnu11 -I"$source" -I"$build" -o "tests/trace/pmpi/$name" "$@" -lpthread -ldl 2>log && return
    sed 's/^/# /' log
    return 1
}
ok "programs of the other MPI compile" compiles survive "$here/survive.c"
ok "... others" compiles threads "$here/threads.c"
ok "... others" compiles heap "$here/heap.c"
ok "... others" compiles ways "$here"/ways*.c
ok "... others" compiles truncated "$here/truncated.c"

# points NAME: succeeds if all points of test-NAME pass; prints those that fail.
points() {
    bash "$here/test-$1.sh" >log 2>&1 </dev/null && return
    { tail -n 1 log; awk -f "$source/build-aux/failures.awk" log; } | sed 's/^/# /'
    return 1
}
for name in calls record fortran heap pauses loaded-later survive truncated; do
    ok "test-$name passes" points $name
    like "... and is not skipped" "$(tail -n 1 log)" "1..[1-9]*"
done

# MPICH's status does not contain the received size of a truncated message.
mkdir cut
# shellcheck disable=SC2086 # a launcher may have arguments
ok "messages are longer than their receives" timeout 600 $MPIRUN -np 4 "$MPGTRACE" record --quiet -o cut.trace tests/trace/pmpi/ways cut cut
expected=$(sed -nE 's/ comm=0,1,2,3( .* tag=7[2-6] .*)/\1/p' cut/0.expected)
like "... which it says" "$(printf '%s\n' "$expected" | wc -l)" "[3-9]*"
is "messages longer than their receives have what was received" \
    "$("$MPGTRACE" print cut.trace | sed -nE 's/^0 [0-9]+ [0-9]+ (.*) comm=0( .* tag=7[2-6] .*) site=.*/\1\2/p')" \
    "$expected"

done_testing
