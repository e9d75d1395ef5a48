#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a trace tells of its machine, and the signature that it holds (TAP): from the run to
# mpgsim's answer. Programs from $MPGTRACE, $MPGSIM, $MPIRUN; a program of tests/graph.
set -u
. "$(dirname "$0")/../../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
reference=$(cd "${top_srcdir:?}" && pwd)/results/reference/reference.sig
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
mpirun=${MPIRUN:-mpirun}
program=$build/tests/graph/cancels
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ -x "$program" ] || skip_all "no tests/graph/cancels"
command -v "${mpirun%% *}" >/dev/null || skip_all "no $mpirun"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# record OPTION...: records a.trace with two ranks.
record() {
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout -k 5 600 $mpirun -np 2 "$MPGTRACE" record --force -o a.trace "$@" "$program" wait \
        >log 2>&1
}
# fact KEY: prints a header line of rank 0.
fact() {
    "$MPGTRACE" print a.trace | sed -n "s/^#fact 0 $1 //p"
}

cp "$reference" mine.sig
ok "a program that is traced with a signature" record --cpu-time --signature mine.sig
is "its name and size" "$(fact signature | cut -d' ' -f2-)" "$(wc -c <mine.sig) mine.sig"
is "the kernel, as uname has it" "$(fact kernel)" "$(uname -srvm)"
ok "the processor" test -n "$(fact cpu)"
ok "the MPI" test -n "$(fact mpi)"
ok "its settings, or that there are none" test -n "$(fact mpi_settings)"
ok "the cores" test -n "$(fact cores)"
ok "what reading the CPU time costs" test -n "$(fact overhead_cpu_ns)"
like "stat says it" "$("$MPGTRACE" stat a.trace)" \
    "*kernel *$(uname -r)*cores *for 2 ranks*signature *mine.sig, *: mpgsim's source*"
rm mine.sig
like "mpgsim takes it" "$("$MPGSIM" --perturb --signature="$reference" a.trace)" \
    "*source: stored in the trace (mine.sig, crc32 $(fact signature | cut -d' ' -f1))*"
"$MPGSIM" --json --perturb --signature="$reference" a.trace >one
cat a.trace/*.mpgt >all.mpgt
"$MPGSIM" --json --perturb --signature="$reference" all.mpgt >two
"$MPGTRACE" print a.trace >a.txt
"$MPGSIM" --json --perturb --signature="$reference" a.txt >three
is "files that were put together have it" "$(grep -v '"path"' two)" "$(grep -v '"path"' one)"
is "and so has the text" "$(grep -v '"path"' three)" "$(grep -v '"path"' one)"
sed '/^#fact [0-9]* off_cpu/d; s/ off=[0-9]*//; s/ off_call=[0-9]*//' a.txt >on.txt
is "a machine against itself changes nothing but what its ranks were off their CPUs" \
    "$("$MPGSIM" --json --perturb --signature="$reference" on.txt | sed -n 's/^ "slowdown_median": //p')" "1.0,"
is "and every interval has its CPU time" \
    "$(awk '/"cpu_intervals":/ { print ($2 + 0 > 20) }' one)" 1

ok "a program that is traced without" record
is "has none" "$(fact signature)" ""
# refuses PATTERN OPTION...: checks that recording is refused with a line that matches PATTERN.
refuses() {
    local pattern=$1
    shift
    "$MPGTRACE" record -o b.trace "$@" "$program" >out 2>err
    like "$*: refused" "$? $(cat err)" "$pattern"
    ok "$*: and nothing is made" test ! -e b.trace
}
refuses "1 mpgtrace record: --signature: nowhere.sig: *" --signature nowhere.sig
refuses "1 mpgtrace record: --signature: a.txt: *, not a signature*" --signature a.txt
refuses "2 *--signature and --profile exclude each other: profiles cannot be simulated*" --profile --signature "$reference"
done_testing
