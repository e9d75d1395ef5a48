#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgbench overlap (TAP): the samples' form, and transfers that a preloaded library makes long, either from their posting on or
# inside MPI_Wait alone (delay_waits.c): the first overlap with computation, the second do not.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
OVERLAP=${OVERLAP:-$build/bench/overlap/overlap}
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# refused WORDS OPTION...: the program ends without results and says so in one line
refused() {
    local words=$1
    shift
    # shellcheck disable=SC2086 # mpirun may have arguments
    ! $mpirun -np 2 "$OVERLAP" -o none "$@" >out 2>err && [ "$(grep -c "^mpgbench overlap: $words" err)" = 1 ] &&
        [ ! -e none ] && return
    sed 's/^/# /' err
    return 1
}
ok "no bytes" refused "--sizes: a transfer has at least one byte" -s 0,8KiB
ok "a size twice" refused "--sizes: 8 bytes appear twice" -s 8,8
rm -rf none

# measure FOLDER PROGRESS OPTION...: with transfers of 3 ms
measure() {
    local folder=$1 progress=$2
    shift 2
    # shellcheck disable=SC2086 # mpirun may have arguments
    $mpirun -np 2 env LD_PRELOAD="$build/tests/bench/.libs/libdelay_waits.so" MPGKIT_TRANSFER_NS=3000000 \
        MPGKIT_PROGRESS="$progress" "$OVERLAP" -o "$folder" "$@" >out 2>err
}
ok "it measures" measure r always -s 4KiB,64KiB -i 15 -w 2 --max-time 60s --launch 3
file=$(echo r/overlap-launch3-*.samples)
of() {
    sed -n "s/^# $1: //p" "$file"
}
is "it says what it measured" "$(of benchmark), $(of operations), $(of launch)" "overlap, send receive, 3"
is "its columns" "$(of columns)" "pair operation size_bytes alone_ns work_ns both_ns off_cpu_ns"
is "as many samples as asked for" "$(awk '!/^#/ { n[$2 " " $3]++ } END { for (k in n) print k, n[k] }' "$file" | sort | tr '\n' ';')" \
    "0 4096 15;0 65536 15;1 4096 15;1 65536 15;"
is "each transfer takes the library's time" "$(awk '!/^#/ && ($4 < 2.9e6 || $6 < 2.9e6)' "$file" | wc -l)" 0
is "the computation takes longer" "$(awk '!/^#/ && $5 < 4.3e6' "$file" | wc -l)" 0
# sides FILE: prints for each side whether at least one transfer took less than half of the 3 ms beside its computation. (Busy
# machines make all times longer, never shorter.)
sides() {
    awk '!/^#/ { over[$2] += $6 - $5 < 1.5e6 } END { for (s = 0; s < 2; s++) print (over[s] > 0 ? "overlap" : "none") }' "$1" |
        tr '\n' ' '
}
is "a library that progresses transfers during computation overlaps" "$(sides "$file")" "overlap overlap "
ok "one that does not" measure w waits -s 64KiB -i 15 -w 2 --max-time 60s
is "... does not" "$(sides w/overlap-launch0-*.samples)" "none none "
ok "sigmake reads them" "$SIGMAKE" -o r.sig r
is "the signature has both sides" "$(grep -oE '"(send|receive)": \{' r.sig | tr -d '":{ ' | tr '\n' ' ')" "send receive "
done_testing
