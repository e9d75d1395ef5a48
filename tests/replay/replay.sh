# shellcheck shell=bash disable=SC2034 # for those who source this
# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of mpgreplay have in common; they source it instead of tap.sh. It goes to an empty folder, $work, and
# gives $here (the folder of the test), $build, $mpgreplay, $mpgtrace, $mpirun.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
mpgreplay=${MPGREPLAY:-$build/replay/mpgreplay}
mpgtrace=${MPGTRACE:-$build/trace/mpgtrace}
mpirun=${MPIRUN:-mpirun}
. "$here/../tap.sh"
unset MPGKIT_LIBDIR
for program in "$mpgreplay" "$mpgtrace"; do
    command -v "$program" >/dev/null || { echo "Bail out! no $program"; exit 1; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# needs_mpi: skips the whole test if there is no MPI.
needs_mpi() {
    [ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
    command -v "${mpirun%% *}" >/dev/null || skip_all "no ${mpirun##*/}"
}

# other_mpi: sets mpirun to the launcher of the other MPI; fails if there is none.
other_mpi() {
    [ -n "${OTHER_MPIRUN:-}" ] && command -v "${OTHER_MPIRUN%% *}" >/dev/null && mpirun=$OTHER_MPIRUN
}

# made TRACE: imports the text on standard input as TRACE; ends the test on errors.
made() {
    "$mpgtrace" import --text - -o "$1" || { echo "Bail out! no $1"; exit 1; }
}

# run RANKS COMMAND...: runs COMMAND with mpirun; output in out and err, exit status in $status.
run() {
    local ranks=$1
    shift
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout -k 5 "${limit:-300}" $mpirun -np "$ranks" "$@" >out 2>err.whole </dev/null
    status=$?
    tr -d '\0' <err.whole >err # Open MPI 5.0.7's launcher prints a NUL byte, and grep takes a text with one for binary data
    return $status
}

# recorded RANKS TRACE PROGRAM...: runs PROGRAM under the tracer.
recorded() {
    local ranks=$1 trace=$2
    shift 2
    run "$ranks" "$mpgtrace" record --quiet -o "$trace" "$@" || { sed 's/^/# /' err; return 1; }
}

# calls TRACE [VARIABLE=VALUE]...: prints the trace's communication (calls.awk).
calls() {
    local trace=$1 variable options=()
    shift
    for variable; do options+=(-v "$variable"); done
    "$mpgtrace" print "$trace" | awk "${options[@]}" -f "$here/calls.awk"
}

# as_before ONE OTHER [VARIABLE=VALUE]...: succeeds if both traces have the same communication.
as_before() {
    local one=$1 other=$2
    shift 2
    calls "$one" "$@" | sort >one.calls
    calls "$other" "$@" | sort >other.calls
    [ -s one.calls ] || { echo "# no calls"; return 1; }
    diff one.calls other.calls >differences && return
    head -n 20 differences | sed 's/^/# /'
    return 1
}

# same_messages ONE OTHER: a test point that passes if the message matrices of both traces are equal.
same_messages() {
    is "... every message is the same, and received" "$("$mpgtrace" matrix --csv "$2" 2>&1)" "$("$mpgtrace" matrix --csv "$1" 2>&1)"
}

# failed PATTERN: succeeds if the last run failed, and mpgreplay printed a single line, which matches PATTERN.
failed() {
    # shellcheck disable=SC2254 # a pattern
    case $status,$(grep -c '^mpgreplay: ' err),$(grep '^mpgreplay: ' err) in
    0,*) ;;
    *,1,$1) return 0 ;;
    esac
    echo "# exit $status, expected '$1'"
    sed 's/^/# /' err
    return 1
}
