# shellcheck shell=bash disable=SC2034 # for those who source this
# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of mpgsim have in common; they source it instead of tap.sh and traces.sh. It goes to
# an empty folder, $work, and gives $here (the folder of the test), $build, $mpgsim, $mpgtrace,
# $python (empty: there is none) and $reference, a signature.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
mpgsim=${MPGSIM:-mpgsim}
mpgtrace=${MPGTRACE:-mpgtrace}
python=${PYTHON3-python3}
reference=$here/../../results/reference/reference.sig
. "$here/../tap.sh"
. "$here/../traces.sh"
for program in "$mpgsim" "$mpgtrace"; do
    command -v "$program" >/dev/null || { echo "Bail out! no $program"; exit 1; }
done
work=$(mktemp -d) || exit 1
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1

# needs_python: skips the whole test if there is no Python.
needs_python() {
    [ -n "$python" ] || skip_all "no python3"
}

# smaller: replaces $reference by a part of it that can be read in a fifth of the time.
smaller() {
    [ -n "$python" ] && "$python" "$here/smaller.py" "$reference" >smaller.sig && reference=$work/smaller.sig
}

# together LAUNCHER N OPTION...: runs N processes of mpgsim (or of $instead); output in out, messages of mpgsim in said. (PRRTE, the
# launcher of Open MPI 5, can move parts of lines between standard output and standard error.)
together() {
    local launcher=$1 n=$2 status
    shift 2
    # shellcheck disable=SC2086 # it may have arguments
    timeout -k 5 120 $launcher -np "$n" "${instead:-$mpgsim}" "$@" >out 2>err </dev/null
    status=$?
    grep -a '^mpgsim:' err >said
    return $status
}

# refuses STATUS PATTERN OPTION...: succeeds if mpgsim exits with STATUS, prints one line on standard error that matches
# PATTERN, and nothing on standard output.
refuses() {
    local status=$1 pattern=$2 got
    shift 2
    "$mpgsim" "$@" >out 2>err
    got=$?
    # shellcheck disable=SC2254 # a pattern
    case $got,$(wc -l <err),$(wc -c <out),$(cat err) in
    $status,1,0,$pattern) return 0 ;;
    esac
    echo "# exit $got, $(wc -c <out) bytes of output, expected $status and '$pattern':"
    sed 's/^/# /' err
    return 1
}
