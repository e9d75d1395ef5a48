#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of MPI's standard ABI (MPI-5.0, chapter 20), compiled once, with each library here that has it, MPICH's and
# Open MPI's (TAP): what other tests do with the default MPI's programs of C is done with these here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "${top_srcdir:-$here/../../..}" && pwd)
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "the plain build does this"
[ -e "$build/trace/pmpi/.libs/libmpgtrace-abi.so" ] || skip_all "no MPI here has an mpi.h of the standard ABI"
folder=$(dirname "$(${CC:-cc} -print-file-name=libmpi_abi.so)")
libraries=$(for file in "$folder"/libmpi_abi*.so.*; do [ ! -e "$file" ] || realpath "$file"; done | sort -u)
[ -n "$libraries" ] || skip_all "no MPI here has a libmpi_abi.so"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
default=${MPI_LIBRARY:-openmpi} default_mpirun=${MPIRUN:-} other_mpirun=${OTHER_MPIRUN:-}
MPICC=$tmp/mpicc_abi MPIFORT=none MPI_LIBRARY=abi TRACER=mpgtrace-abi MPGKIT_KILLS=2 top_builddir=$tmp
export MPICC MPIFORT MPIRUN MPGTRACE MPGSIM MPI_LIBRARY TRACER MPGKIT_KILLS top_builddir
unset OTHER_MPICC OTHER_MPIFORT OTHER_MPIRUN
mkdir -p tests/trace/pmpi && ln -s "$build/trace" trace || exit 1
first=${libraries%%$'\n'*}
soname=$(readelf -d "$first" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
printf '#!/bin/sh\nexec %s "$@" %s\n' "${CC:-cc} ${ABI_CPPFLAGS:-}" "'$first'" >mpicc_abi && chmod +x mpicc_abi
for name in survive threads truncated; do
    ok "$name compiles" ./mpicc_abi -std=gnu11 -I"$source" -I"$build" -o "tests/trace/pmpi/$name" "$here/$name.c" -lpthread
done
ok "ways compiles" ./mpicc_abi -std=gnu11 -I"$source" -I"$build" -o tests/trace/pmpi/ways "$here"/ways*.c
printf '#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }\n' >app.c
ok "a program needs $soname" eval './mpicc_abi -o app app.c && readelf -d app | grep -q "NEEDED.*\[$soname\]"'

# points NAME: succeeds if all points of test-NAME pass; prints those that fail.
points() {
    bash "$here/test-$1.sh" >log 2>&1 </dev/null && return
    { tail -n 1 log; awk -f "$source/build-aux/failures.awk" log; } | sed 's/^/# /'
    return 1
}

ok "test-calls passes" points calls
for library in $libraries; do
    of=mpich
    readelf -d "$library" | grep -q 'NEEDED.*libopen_mpi' && of=openmpi
    [ $of = "$default" ] && MPIRUN=$default_mpirun || MPIRUN=$other_mpirun
    if [ -z "$MPIRUN" ]; then
        skip "${library##*/}" "nothing starts its programs"
        continue
    fi
    mkdir -p $of && ln -s "$library" "$of/$soname" && export LD_LIBRARY_PATH="$tmp/$of"
    # shellcheck disable=SC2086 # a launcher may have arguments
    is "${library##*/}: a program is recorded" \
        "$(timeout 60 $MPIRUN -np 2 "$MPGTRACE" record --quiet -o $of.trace ./app 2>&1)" ""
    is "... with its calls" "$("$MPGTRACE" print $of.trace | awk '/^0 / && $4 != "Flush" { print $4 }' | xargs)" "Init Barrier Finalize"
    # shellcheck disable=SC2086
    is "... from a shell, too" "$(timeout 60 $MPIRUN -np 2 "$MPGTRACE" record --quiet -o shell.$of.trace sh -c './app && :' 2>&1)" ""
    is "... with its calls" "$("$MPGTRACE" print shell.$of.trace | awk '/^0 / && $4 != "Flush" { print $4 }' | xargs)" "Init Barrier Finalize"
    for name in record record-ways threads truncated survive; do
        ok "... test-$name passes" points $name
        grep -q "SKIP this MPI fails untraced" log ||
            like "... and is not skipped" "$(tail -n 1 log)" "1..[1-9]*"
    done
done
done_testing
