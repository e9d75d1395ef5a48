#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A build for Open MPI looks after MPICH too, where it is installed (TAP): the tracer is
# built against it in a folder of its own and traces C, Fortran and relinked programs, those
# that end early and those of which it sees only some ranks.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tap.sh"
source=$(cd "${top_srcdir:-$here/../../..}" && pwd)
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "the plain build does this"
[ "${MPICC:-mpicc}" != mpicc.mpich ] || skip_all "all other tests use MPICH"
for program in mpicc.mpich mpifort.mpich mpirun.mpich; do
    command -v $program >/dev/null || skip_all "no $program"
done
[ -x "$source/configure" ] || skip_all "no configure script"
[ ! -e "$source/config.status" ] || skip_all "the source folder is configured itself"
# It needs no MPI, so that of the other build does.
MPGSIM=${MPGSIM:-$(cd "${top_builddir:-.}" && pwd)/simulate/mpgsim}
export MPGSIM MPGKIT_KILLS=2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# quietly COMMAND...: its output only if it fails.
quietly() {
    "$@" >log 2>&1 </dev/null && return
    tail -n 20 log | sed 's/^/# /'
    return 1
}

export MPICC=mpicc.mpich MPIFORT=mpifort.mpich MPIRUN=mpirun.mpich
export top_builddir=$tmp MPGTRACE=$tmp/trace/mpgtrace
# What make check hands down is for the other build.
unset MAKEFLAGS MFLAGS MAKELEVEL
ok "configures for MPICH" quietly "$source/configure" --without-papi
ok "builds the tracer" quietly make -j2 trace/mpgtrace trace/pmpi/libmpgtrace.la \
    trace/pmpi/libmpgtrace.a tests/trace/pmpi/survive
is "... without a warning" "$(grep -c 'warning:' log)" 0
# points NAME: all of test-NAME's pass; those that fail are told.
points() {
    bash "$here/test-$1.sh" >log 2>&1 </dev/null && return
    { tail -n 1 log; awk -f "$source/build-aux/failures.awk" log; } | sed 's/^/# /'
    return 1
}
for name in calls record fortran heap late survive truncated; do
    ok "test-$name passes" points $name
done

done_testing
