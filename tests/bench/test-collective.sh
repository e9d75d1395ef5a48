#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# collective for real (TAP): the structure of what it writes, a delay put between it
# and MPI, clocks that differ, its errors. No timing is a pass or a fail but one that
# was put there.

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
COLLECTIVE=${COLLECTIVE:-$build/bench/collective/collective}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
mpirun=${MPIRUN:-mpirun}

tmp=$(mktemp -d)
. "$(dirname "$0")/measured.sh"
trap 'rm -rf "$tmp"' EXIT

# measured FILE: succeeds if FILE is complete, with the header lines of this benchmark, and has samples.
measured() {
    whole "$1" "operation processes size_bytes time_ns off_cpu_ns" \
        "mpi ranks launch operations stopping seed late_repetitions clocks start_error_ns \
        late_limit_ns oversubscribed other_load warmup_repetitions" &&
        [ "$(count "$1")" -gt 0 ]
}

# cases FILE: prints "operation:processes:size" for every case with samples.
cases() {
    awk '!/^#/ { seen[$1 ":" $2 ":" $3] = 1 } END { for (c in seen) print c }' "$1" | LC_ALL=C sort |
        tr '\n' ' '
}

fails_to() {
    ! "$@" 2>/dev/null
}

once() {
    local ranks=$1 status
    shift
    rm -f "$tmp/said"
    # shellcheck disable=SC2086 # words
    $mpirun -np "$ranks" $before "${aloud[@]}" "$COLLECTIVE" "$@" >"$tmp/summary" 2>"$tmp/err"
    status=$?
    [ ! -e "$tmp/said" ] || cat "$tmp/said" >>"$tmp/err"
    return "$status"
}
# on RANKS OPTION...: runs the benchmark with RANKS ranks, behind the command $before if it is set.
before=
on() {
    unless_late once "$@"
}
# all_cases RANKS OPTION...: the same, again if a case has no sample, as happens on a busy machine.
all_cases() {
    local i
    for ((i = 0; i < 50; i++)); do
        on "$@" || return
        awk 'NR > 2 && $NF ~ /^[0-9]+$/ && $(NF - 1) == 0 { exit 1 }' "$tmp/summary" && return
    done
}

ok "two ranks" all_cases 2 -o "$tmp/r" -s 8,4KiB -i 70 -l 3
file=$tmp/r/collective-launch3.samples
ok "the file is whole" measured "$file"
is "its cases" "$(cases "$file")" "0:2:0 $(for o in 10 11 12 1 2 3 4 5 6 7 8 9; do printf '%s ' "$o:2:4096" "$o:2:8"; done)"
is "the operations' names" "$(header "$file" operations)" \
    "barrier bcast allreduce alltoall reduce gather scatter allgather scan alltoallv reduce_scatter reduce_local reduce_sent"
is "the launch" "$(header "$file" launch)" 3
is "the seed is the launch" "$(header "$file" seed)" 3
is "no case has more samples than asked for" \
    "$(awk '!/^#/ { n[$1 $3]++ } END { for (c in n) if (n[c] > 70) print c }' "$file")" ""
ok "cases take turns" awk '
    /^#/ { next } $1 $3 != last { n[$1 $3]++; last = $1 $3 }
    END { for (c in n) if (n[c] > 1) exit 0; exit 1 }' "$file"
is "two orders, two launches" "$(all_cases 2 -o "$tmp/r" -s 8,4KiB -i 70 -l 4
    for launch in 3 4; do
        awk '!/^#/ && $1 $3 != last { last = $1 $3; printf "%s ", last }' \
            "$tmp/r/collective-launch$launch.samples"
        echo
    done | sort -u | wc -l)" 2

ok "three ranks" on 3 -o "$tmp/three" --quick -s 8 --operations barrier,alltoall
# On too few cores all repetitions of a case may be late. The table lists every case nevertheless.
is "powers of two and all" "$(awk 'NR > 2 { printf "%s:%s ", $1, $2 }' "$tmp/summary")" \
    "barrier:2 barrier:3 alltoall:2 alltoall:3 "
ok "sums of three ranks, and of one at a time" on 3 -o "$tmp/sums" --quick -s 8 \
    --operations reduce,gather,scatter,allgather,scan,alltoallv,reduce_scatter,reduce_local,reduce_sent
is "arithmetic of all ranks only" "$(awk 'NR > 2 { printf "%s:%s ", $1, $2 }' "$tmp/summary")" \
    "$(for o in reduce gather scatter allgather scan alltoallv reduce_scatter; do printf '%s ' $o:2 $o:3; done)reduce_local:3 reduce_sent:3 "
ok "counts that were asked for" on 3 -o "$tmp/three" --quick --operations barrier -p 3 -l 1
is "they alone" "$(awk 'NR > 2 { printf "%s:%s ", $1, $2 }' "$tmp/summary")" "barrier:3 "
ok "it stops by itself" on 2 -o "$tmp/adaptive" -s 8 --operations bcast --median-error 90 \
    --tail-error 0 --max-iterations 100000
like "as its goal says" "$(header "$tmp/adaptive/collective-launch0.samples" stopping)" \
    "median to 90 %*"
ok "no more than it takes" test "$(grep -vc '^#' "$tmp/adaptive/collective-launch0.samples")" \
    -lt 100000

cores=$(cores)
ok "more ranks than cores" on $((cores + 1)) -o "$tmp/many" -i 200 -s 8 -p $((cores + 1))
like "are warned of" "$(cat "$tmp/err")" "*warning: $((cores + 1)) ranks on $cores core*"
like "and noted" "$(header "$tmp/many/collective-launch0.samples" oversubscribed)" \
    "$((cores + 1)) ranks on $cores core*"

meddle=$tmp/meddle.so
if [ "${MPGKIT_SANITIZERS:-no}" = yes ]; then
    skip "meddling" "sanitizers want to be first"
elif ! ${MPICC:-mpicc} -shared -fPIC -o "$meddle" "${top_srcdir:-.}/tests/bench/meddle.c" 2>"$tmp/err"; then
    skip "meddling" "no compiler for MPI"
else
    before="env LD_PRELOAD=$meddle"
    export MEDDLE=delay
    ok "rank 1 is 3 ms behind in bcast" all_cases 2 -o "$tmp/delay" -i 200 -s 8 --operations bcast,barrier
    ok "every bcast is as late as its last process" awk '
        !/^#/ && $1 == 1 { n++; if ($4 < 3e6) exit 1 } END { exit n == 0 }' \
        "$tmp/delay/collective-launch0.samples"
    ok "a barrier is not" awk '!/^#/ && $1 == 0 && $4 < 3e6 { found = 1 } END { exit !found }' \
        "$tmp/delay/collective-launch0.samples"
    export MEDDLE=corrupt
    ok "wrong data" fails 1 "alltoall of 64 bytes among 2 processes delivers wrong data to rank 1" \
        $mpirun -np 2 $before "${aloud[@]}" "$COLLECTIVE" -o "$tmp/wrong" -s 64
    is "nothing is written of them" "$(ls "$tmp/wrong")" ""
    ok "wrong data of a scan" fails 1 "scan of 64 bytes among 2 processes delivers wrong data to rank 1" \
        $mpirun -np 2 $before "${aloud[@]}" "$COLLECTIVE" -o "$tmp/wrong" -s 64 --operations barrier,scan
    for operation in alltoallv reduce_scatter; do
        ok "wrong data of $operation" \
            fails 1 "$operation of 64 bytes among 2 processes delivers wrong data to rank 1" \
            $mpirun -np 2 $before "${aloud[@]}" "$COLLECTIVE" -o "$tmp/wrong" -s 64 --operations barrier,$operation
    done
    export MEDDLE=corrupt-root
    for operation in gather reduce; do
        ok "wrong data of a $operation" \
            fails 1 "$operation of 64 bytes among 2 processes delivers wrong data to rank 0" \
            $mpirun -np 2 $before "${aloud[@]}" "$COLLECTIVE" -o "$tmp/wrong" -s 64 --operations $operation
    done
    export MEDDLE=corrupt-local
    for operation in reduce_local reduce_sent; do
        ok "wrong sums of $operation" \
            fails 1 "$operation of 64 bytes among 2 processes delivers wrong data to rank 1" \
            $mpirun -np 2 $before "${aloud[@]}" "$COLLECTIVE" -o "$tmp/wrong" -s 64 --operations $operation
    done
    is "nothing is written of any" "$(ls "$tmp/wrong")" ""
    export MEDDLE=slow-local
    ok "rank 1 adds slowly" on 2 -o "$tmp/slow" -i 20 -w 0 -s 8 --operations reduce_local
    ok "samples are of one rank after another" awk '
        !/^#/ { n++; slow += $4 >= 3e6 } END { exit !(n == 20 && slow > 4 && slow < 16) }' \
        "$tmp/slow/collective-launch0.samples"
    before=
    unset MEDDLE
fi

cat >"$tmp/ahead" <<'EOS'
#!/bin/sh
# Starts the last rank with a monotonic clock that is 1000 s ahead.
[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = "$((${OMPI_COMM_WORLD_SIZE-$PMI_SIZE} - 1))" ] || exec "$@"
exec unshare --time --monotonic 1000 --fork "$@"
EOS
chmod +x "$tmp/ahead"
if ! unshare --time --monotonic 1000 true 2>/dev/null; then
    skip "a clock that is ahead" "no time namespaces here"
elif [ "$($mpirun -np 1 sh -c 'echo ${OMPI_COMM_WORLD_RANK-$PMI_RANK}')" != 0 ]; then
    skip "a clock that is ahead" "the launcher does not tell ranks their number"
else
    before=$tmp/ahead
    ok "a rank's clock is 1000 s ahead" on 2 -o "$tmp/ahead.d" -i 200 -s 8 --timer clock
    before=
    file=$tmp/ahead.d/collective-launch0.samples
    is "the clocks are synchronised" "$(header "$file" clocks)" synchronised
    ok "no time is outside what the bound allows" awk '
        /^# start_error_ns:/ { bound = $3 } !/^#/ && ($4 < -2 * bound || $4 > 900e9) { exit 1 }' "$file"
fi

ok "one rank" fails 1 "needs two ranks" $mpirun -np 1 "${aloud[@]}" "$COLLECTIVE" -o "$tmp/r"
ok "more processes than ranks" fails 2 "within 2 to 2" $mpirun -np 2 "${aloud[@]}" "$COLLECTIVE" -p 2,3
ok "a wrong size" fails 2 "'x'" $mpirun -np 2 "${aloud[@]}" "$COLLECTIVE" -s 8,x
ok "nothing left" fails 2 "nothing is left" $mpirun -np 2 "${aloud[@]}" "$COLLECTIVE" -s 16MiB \
    --operations alltoall
ok "an unknown timer" fails 1 "sundial" $mpirun -np 2 "${aloud[@]}" \
    "$COLLECTIVE" --timer sundial -o "$tmp/r"
ok "a folder that cannot be made" fails 1 "No such file" $mpirun -np 2 "${aloud[@]}" "$COLLECTIVE" \
    -o "$tmp/no/where"

if two_programs "$mpirun"; then
    ok "ranks with other options" fails 1 "rank 1 was started with other options" \
        $mpirun -np 1 "${aloud[@]}" "$COLLECTIVE" -o "$tmp/r" -s 8 : \
        -np 1 "${aloud[@]}" "$COLLECTIVE" -o "$tmp/r" -s 16
else
    skip "ranks with other options" "the launcher cannot start two programs"
fi

# measuring NAME: succeeds when rank 0, the only one that handles signals, has its folder, or when the run has ended.
measuring() {
    local pid
    kill -0 "$launcher" 2>/dev/null || return 0
    [ -d "$1" ] && [ "$(wc -l <"$1.pids")" -eq 2 ] || return
    while read -r pid; do
        handles "$pid" TERM && return
    done <"$1.pids"
    return 1
}

# start_long NAME: starts two ranks that would run for hours. $launcher: the launcher's process. NAME.pids: the ranks,
# which are not children of every launcher. NAME.said: their error messages, which a dying launcher may lose.
start_long() {
    # shellcheck disable=SC2016 # for the inner shell
    $mpirun -np 2 sh -c 'echo $$ >>"$0.pids"; exec "$@" 2>>"$0.said"' "$tmp/$1" "$COLLECTIVE" \
        -o "$tmp/$1" --max-iterations 100000000 --tail-error 0.001 >/dev/null 2>&1 &
    launcher=$!
    wait_until measuring "$tmp/$1"
}

start_long killed
ok "one rank can be killed" kill -KILL "$(head -n 1 "$tmp/killed.pids")"
ok "the launch fails" fails_to wait "$launcher"
wait_until gone "$tmp/killed.pids"
is "and leaves nothing" "$(ls "$tmp/killed")" ""
start_long ended
# shellcheck disable=SC2046 # numbers; the shell's own kill, there may be no other
kill -TERM $(cat "$tmp/ended.pids")
ok "told to end, the launch fails, too" fails_to wait "$launcher"
wait_until gone "$tmp/ended.pids"
is "leaves nothing" "$(ls "$tmp/ended")" ""
ok "and says so" grep -q "^mpgbench collective: interrupted" "$tmp/ended.said"
done_testing
