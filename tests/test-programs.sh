#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What real programs do with MPI: the same with the tracer, and mpgsim gives back the
# times of the trace (TAP).
set -u
. "$(dirname "$0")/tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
mpirun=${MPIRUN:-mpirun}
programs=$build/tests/programs
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
[ -x "$programs" ] || skip_all "no tests/programs"
command -v "${mpirun%% *}" >/dev/null || skip_all "no $mpirun"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# identity TRACE: prints every delay that is not 0, and what mpgsim has to say.
identity() {
    for absorb in clock wait none; do
        "$MPGSIM" --per-rank --absorb=$absorb "$1" 2>&1 >delays
        awk 'NR == 1 ? $1 != "rank" : $3 != 0' delays
    done
}

for program in group_order; do
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout 60 $mpirun -np 4 "$MPGTRACE" record -o $program.trace "$programs" $program >out 2>err
    is "$program runs under the tracer" "$?: $(cat out err)" "0: done"
    is "... and its trace gives its times back" "$(identity $program.trace)" ""
done
done_testing
