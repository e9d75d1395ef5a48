#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgbench onesided (TAP): the samples' form, and times that a preloaded library makes longer by a known amount, each in its own
# call (delay_windows.c). Busy machines make calls longer, never shorter.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
ONESIDED=${ONESIDED:-$build/bench/onesided/onesided}
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# refused WORDS OPTION...: it ends without results and says so in one line
refused() {
    local words=$1
    shift
    # shellcheck disable=SC2086 # mpirun may have arguments
    ! $mpirun -np 2 "$ONESIDED" -o none "$@" >out 2>err && [ "$(grep -c "^mpgbench onesided: $words" err)" = 1 ] &&
        [ ! -e none ] && return
    sed 's/^/# /' err
    return 1
}
ok "no such operation" refused "--operations: 'swap' is none of put,get,accumulate,fetch_and_op,lock,fence" --operations=put,swap
ok "an operation twice" refused "--operations: put appears twice" --operations=put,get,put
ok "no bytes" refused "--sizes: an operation has at least one byte" -s 0,8
ok "no doubles" refused "--sizes: 12 is no multiple of 8, as accumulate adds up doubles" -s 8,12
ok "a size twice" refused "--sizes: 8 bytes appear twice" -s 8,8
rm -rf none

# measure FOLDER VARIABLE=VALUE... -- OPTION...: with the library in front
measure() {
    local folder=$1
    local variables=()
    shift
    while [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    shift
    # shellcheck disable=SC2086 # mpirun may have arguments
    $mpirun -np 2 env LD_PRELOAD="$build/tests/bench/.libs/libdelay_windows.so" "${variables[@]}" "$ONESIDED" -o "$folder" "$@" \
        >out 2>err
}
! measure none MPGKIT_NO_WINDOWS=1 -- --quick
like "an MPI library that opens no window" "$(cat err)" "*mpgbench onesided: no one-sided communication between these ranks: MPI_Win_allocate: *"
ok "... leaves no results" test ! -e "$(ls none/*.samples 2>/dev/null)"

ok "it measures" measure r MPGKIT_PUT_NS=30000 MPGKIT_GET_NS=50000 MPGKIT_FLUSH_NS=70000 MPGKIT_LOCK_NS=90000 \
    MPGKIT_UNLOCK_NS=110000 MPGKIT_FENCE_NS=130000 -- -s 8,4KiB -i 20 -w 2 --max-time 60s --launch 3
file=$(echo r/onesided-launch3-*.samples)
of() {
    sed -n "s/^# $1: //p" "$file"
}
is "it says what it measured" "$(of benchmark), $(of operations), $(of window_call), $(of launch)" \
    "onesided, put get accumulate fetch_and_op lock fence, MPI_Win_allocate, 3"
is "its columns" "$(of columns)" "pair operation size_bytes call_ns complete_ns off_cpu_ns"
is "as many samples as asked for, fetch_and_op of one size" "$(awk '!/^#/ { n[$2 " " $3]++ } END { for (k in n) print k, n[k] }' "$file" | sort)" \
    "$(for o in 0 1 2 4 5; do printf '%s 4096 20\n%s 8 20\n' $o $o; done | cat - <(echo "3 8 20") | sort)"
# least OPERATION COLUMN: the least time of these samples, in whole us
least() {
    awk -v o="$1" -v c="$2" '!/^#/ && $2 == o && (n++ == 0 || $c < least) { least = $c } END { print int(least / 1000) }' "$file"
}
# between NAME LOW OPERATION COLUMN: the least time of the call is LOW us or some more, but less than the next call's 20 us
between() {
    local got
    got=$(least "$3" "$4")
    ok "$1: $got of $2 us" test "$got" -ge "$2" -a "$got" -lt $(($2 + 19))
}
between "a put's own call" 30 0 4
between "its flush" 70 0 5
between "a get's own call" 50 1 4
between "its flush" 70 1 5
between "an accumulate is not delayed" 0 2 4
between "its flush is" 70 2 5
between "fetch_and_op" 70 3 5
between "a lock" 90 4 4
between "an unlock, without the put before" 110 4 5
between "a put before a fence" 30 5 4
ok "a fence: $(least 5 5) us" test "$(least 5 5)" -ge 130
ok "sigmake reads it" "$SIGMAKE" -o r.sig r
is "the signature has all operations" \
    "$(grep -oE '"(put|get|accumulate|fetch_and_op|lock|fence)": \{' r.sig | tr -d '":{ ' | tr '\n' ' ')" \
    "put get accumulate fetch_and_op lock fence "
done_testing
