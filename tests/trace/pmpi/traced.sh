# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests that trace MPI programs have in common; they source it instead of
# tap.sh. It goes to an empty folder, $tmp, and gives $here (the folder of the test), $build, MPGTRACE,
# MPGSIM, $mpirun, $mpicc, $mpifort, and of the tracer for that MPI, $tracer: what is preloaded,
# what is linked with, -l$link in $tracer_folder, and lib$link.a.
. "$(dirname "$0")/../../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
mpirun=${MPIRUN:-mpirun}
mpicc=${MPICC:-mpicc}
# shellcheck disable=SC2034 # for those who source this
mpifort=${MPIFORT:-mpifort}
# shellcheck disable=SC2034
{
    MPI_LIBRARY=${MPI_LIBRARY:-openmpi}
    link=${TRACER:-mpgtrace}
    tracer_folder=$build/trace/pmpi/.libs
    tracer=$tracer_folder/libmpgtrace-$MPI_LIBRARY.so
}

# needs PROGRAM...: skips the whole test if one of the programs is missing.
needs() {
    local program
    for program; do
        command -v "${program%% *}" >/dev/null || skip_all "no ${program##*/}"
    done
}

# printed TRACE: prints the trace without what varies between runs besides times: off-CPU time and the tracer's own
# events.
printed() {
    "$MPGTRACE" print "$1" | sed -E '/^[0-9]+ [0-9]+ [0-9]+ Flush( |$)/d; s/ off(_call)?=[0-9]+//g'
}

# numbered: prints the calls on standard input. If $shares (by shares_memory) is no, each rank has its own communicator
# of a host; then communicators are numbered for each rank in the order of their appearance.
numbered() {
    [ "$shares" = no ] || { cat; return; }
    awk '{
        for (i = 3; i <= NF; i++)
            if ($i ~ /^(new)?comm=[0-9]+$/) {
                name = substr($i, 1, index($i, "="))
                key = $1 " " substr($i, length(name) + 1)
                if (!(key in number))
                    number[key] = known[$1]++
                $i = name number[key]
            }
        print
    }'
}

# traced RANKS TRACE [OPTION]... PROGRAM [ARGUMENT]...: records PROGRAM; output in out and err.
traced() {
    local ranks=$1 trace=$2
    shift 2
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout -k 5 600 $mpirun -np "$ranks" "$MPGTRACE" record --quiet -o "$trace" "$@" >out 2>err
}

[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
needs "$mpirun"
tmp=$(mktemp -d) || exit 1
trap 'umount "$tmp/full" 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
