#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pingpong, bandwidth and overhead (TAP): injected delays come out, orders and pairs are drawn,
# series end when they are exact enough, and what goes wrong is said and leaves nothing.

. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
PINGPONG=${PINGPONG:-$build/bench/pingpong/pingpong}
BANDWIDTH=${BANDWIDTH:-$build/bench/bandwidth/bandwidth}
OVERHEAD=${OVERHEAD:-$build/bench/overhead/overhead}
case $PINGPONG in
/*) ;;
*) PINGPONG=$PWD/$PINGPONG BANDWIDTH=$PWD/$BANDWIDTH OVERHEAD=$PWD/$OVERHEAD ;;
esac
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"

numbered=no
[ "$($mpirun -np 1 sh -c 'echo ${OMPI_COMM_WORLD_RANK-$PMI_RANK}')" != 0 ] || numbered=yes

tmp=$(mktemp -d)
. "$here/measured.sh"
trap 'umount "$tmp/full" 2>/dev/null; umount "$tmp/fixed" 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# ranks N COMMAND...: runs COMMAND with N ranks, its summary in out, its messages in err.
ranks() {
    local n=$1
    shift
    $mpirun -np "$n" "$@" >out 2>err && return
    sed 's/^/# /' err
    return 1
}

# of KEY FILE: prints the value of header line KEY.
of() {
    sed -n "s/^# $1: //p" "$2"
}

# ---- preempted ranks ----

# With a spinning process on each core, ranks are preempted, and then a round trip of 8 bytes takes milliseconds. Nine
# tenths of these round trips must report that a rank was off its CPU; the others may be a hypervisor's doing. How often
# ranks are preempted is the scheduler's to say: a run of 30 ms may see none, so runs get longer until one does.
spinning=
spin_on_all_cores() {
    local core
    for core in $(taskset -pc $$ | sed 's/.*: //; s/,/ /g' | sed -E 's/([0-9]+)-([0-9]+)/$(seq \1 \2)/g; s/.*/echo &/' | sh); do
        taskset -c "$core" sh -c 'while :; do :; done' &
        spinning="$spinning $!"
    done
}
stop_spinning() {
    # shellcheck disable=SC2086 # words
    kill $spinning
    # shellcheck disable=SC2086
    wait $spinning 2>/dev/null
    spinning=
}
# preempted: measures beside spinning processes until a round trip takes 2 ms.
preempted() {
    local rounds
    for rounds in 20000 100000 400000 1600000; do
        rm -rf spun
        ranks 2 "$PINGPONG" -o spun -s 8 -i $rounds --max-time 5s --no-eager || return
        awk '!/^#/ && $3 >= 2e6 { n++ } END { exit !n }' spun/*.samples && return
        echo "# none of $rounds round trips took 2 ms"
    done
    return 1
}
if [ "$(nproc)" -ge 2 ]; then
    spin_on_all_cores
    ok "beside processes that spin, round trips take milliseconds" preempted
    stop_spinning
    ok "they say that a rank was off its CPU" awk '
        /^#/ || $3 < 2e6 { next } { n++; off += $6 > 0.5 * $3 }
        END { print "# " off + 0 " of " n + 0; exit !(n > 0 && off >= 0.9 * n) }' spun/*.samples
    is "nothing else is said of it" "$(of off_cpu spun/*.samples)" ""
else
    skip "they say that a rank was off its CPU" "one core only"
fi
ok "ranks that share a core" ranks $((2 * $(nproc))) "$PINGPONG" -o shared -s 8 -i 50 --no-eager -p 1
is "of these it is not looked for" "$(of off_cpu shared/*.samples)" "not looked for: ranks share cores"
is "and is 0" "$(awk '!/^#/ && $6 != 0' shared/*.samples)" ""

# ---- delays ----

# median COLUMN FILE
median() {
    awk -v column="$1" '!/^#/ { print $column }' "$2" | sort -n |
        awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# shifted FACTOR COLUMN: succeeds if the median of COLUMN increases by FACTOR delays, within a tenth.
shifted() {
    awk -v a="$(median "$2" plain/*.samples)" -v b="$(median "$2" delayed/*.samples)" \
        -v want="$(($1 * delay))" 'BEGIN {
            if (b - a > 0.9 * want && b - a < 1.1 * want) exit 0
            print "# " a " ns, with delays " b " ns"; exit 1 }'
}

# Measures without and with delays, again if the machine disturbed a median.
all_shifted() {
    local try
    for try in 1 2 3 4 5; do
        rm -rf plain delayed
        ranks 2 "$PINGPONG" -o plain -s 8 -i 2000 --no-eager || return
        ranks 2 env LD_PRELOAD="$build/tests/bench/.libs/libdelay.so" MPGKIT_DELAY_NS=$delay \
            "$PINGPONG" -o delayed -s 8 -i 2000 --no-eager || return
        shifted 2 3 && shifted 1 4 && shifted 1 5 && return
        echo "# attempt $try was disturbed"
    done
    return 1
}

delay=50000
if [ "${MPGKIT_SANITIZERS:-no}" = yes ]; then
    skip "injected delays" "nothing can be preloaded into a sanitized program"
else
    ok "50 us before each send: 100 us more round trip, 50 us more each way" all_shifted
fi

# The delay also appears in what a send costs the sender, and not in the cost of a receive.
overheads_shifted() {
    local try
    for try in 1 2 3 4 5; do
        rm -rf plain delayed
        ranks 2 "$OVERHEAD" -o plain -s 8 -i 400 || return
        ranks 2 env LD_PRELOAD="$build/tests/bench/.libs/libdelay.so" MPGKIT_DELAY_NS=$delay \
            "$OVERHEAD" -o delayed -s 8 -i 400 || return
        shifted 1 3 && awk -v a="$(median 4 plain/*.samples)" -v b="$(median 4 delayed/*.samples)" \
            -v c="$(median 5 delayed/*.samples)" -v delay=$delay 'BEGIN {
                if (b - a < 0.5 * delay && c - a < 0.5 * delay) exit 0
                print "# receiving " a " ns, with delayed sends " b " and " c " ns"; exit 1 }' &&
            return
        echo "# attempt $try was disturbed"
    done
    return 1
}

if [ "${MPGKIT_SANITIZERS:-no}" = yes ]; then
    skip "injected delays in overheads" "nothing can be preloaded into a sanitized program"
else
    ok "50 us before each send: sending costs 50 us more, receiving what is there does not" \
        overheads_shifted
fi

# ---- overheads ----

ok "overhead's default sizes" ranks 2 "$OVERHEAD" -o costs --max-iterations 20 --max-time 500ms
eager=$(of eager_limit_bytes costs/*.samples)
if [ -n "$eager" ]; then
    is "they lie on both sides of the eager limit, too" "$(awk -v e="$eager" '
        !/^#/ { seen[$2] } END { print (e in seen), (e + 1 in seen) }' costs/*.samples)" "1 1"
    like "how it sent is said" "$(of send_call costs/*.samples)" \
        "MPI_Send up to $eager bytes, above that MPI_Isend*"
else
    skip "sizes around the eager limit, how it sent" "$(of eager_limit costs/*.samples)"
fi
ok "without looking for the eager limit" ranks 2 "$OVERHEAD" -o posted -s 8 -i 20 --no-eager
is "all is sent by MPI_Isend" "$(of send_call posted/*.samples)" "MPI_Isend (its posting)"
dropped=$(of dropped_exchanges posted/*.samples)
is "each exchange is there, or was dropped" \
    "$(($(grep -vc '^#' posted/*.samples) + ${dropped%% *}))" 20

# ---- order of the sizes ----

# rounds FILE: prints the sizes in the order of their blocks of 20 samples, a line for each round of 5 blocks.
rounds() {
    awk '!/^#/ && n++ % 20 == 0 { printf "%s%s", $2, ++blocks % 5 ? " " : "\n" }' "$1"
}

sizes=0,8,64,512,4KiB
ok "three rounds of five sizes" ranks 2 "$PINGPONG" -o a -s $sizes -i 60 --no-eager --seed 7
ranks 2 "$PINGPONG" -o b -s $sizes -i 60 --no-eager --seed 7
ranks 2 "$PINGPONG" -o c -s $sizes -i 60 --no-eager --seed 8
rounds a/*.samples >a.order
sed 's/^/# /' a.order
is "every round has every size once" "$(tr ' ' '\n' <a.order | sort -n | uniq -c |
    awk '{ printf "%s x %s, ", $1, $2 }')" "3 x 0, 3 x 8, 3 x 64, 3 x 512, 3 x 4096, "
is "each has an order of its own" "$(sort -u a.order | wc -l)" 3
is "a seed repeats the orders" "$(rounds b/*.samples)" "$(cat a.order)"
ok "another seed draws others" test "$(rounds c/*.samples)" != "$(cat a.order)"
ok "the two ways add up to the round trip" awk '
    /^#/ { next } { d = $3 - $4 - $5; if (d > 0.01 || d < -0.01) exit 1 }' a/*.samples
ok "each way is positive, but for the clocks' error" awk '
    /^# one_way_error_ns/ { e = $3 } /^#/ { next } $4 < -e || $5 < -e { exit 1 }' a/*.samples
is "one host has one clock" "$(of clocks a/*.samples)" shared

# ---- when to stop ----

ok "any interval will do" ranks 2 "$PINGPONG" -o few -s 8 --max-iterations 5000 --no-eager \
    --median-error 1000 --tail-error 0
is "then five blocks are enough" "$(grep -vc '^#' few/*.samples)" 500
like "and all is reached" "$(of stopping few/*.samples)" "*not reached: none"
ok "no interval will do" ranks 2 "$PINGPONG" -o many -s 8 --max-iterations 300 --no-eager \
    --median-error 1e-9 --tail-error 1e-9
is "then it ends at the most" "$(grep -vc '^#' many/*.samples)" 300
# If most exchanges take the same time, within a clock tick, the median is exact.
like "and says what is not reached" "$(of stopping many/*.samples)" "*not reached: 8 B (*p99)"
like "on standard output too" "$(cat out)" "*(missed for 1 of 1 sizes and pairs)*raise --max-iterations*"
ok "no time: each size is measured all the same" ranks 2 "$BANDWIDTH" -o short -s 8,64KiB \
    --max-time 1ms --no-eager
is "a little of each" "$(awk '!/^#/ { n[$2 " " $3]++ } END { for (k in n) print k }' \
    short/*.samples | sort | tr '\n' ',')" "0 1,65536 1,65536 64,8 1,8 64,"

# ---- bandwidth ----

ok "bandwidth's default sizes" ranks 2 "$BANDWIDTH" -o wide --max-iterations 20 --max-time 500ms
eager=$(of eager_limit_bytes wide/*.samples)
if [ -n "$eager" ]; then
    is "they lie on both sides of the eager limit" "$(awk -v e="$eager" '
        !/^#/ { seen[$2] } END { print (e in seen), (e + 1 in seen) }' wide/*.samples)" "1 1"
else
    skip "sizes around the eager limit" "$(of eager_limit wide/*.samples)"
fi
is "windows are smaller where they would hold more than 64 MiB" "$(awk '
    !/^#/ && $2 * $3 > 67108864 { print }' wide/*.samples | wc -l)" 0
ok "what is sent is sent before it is acknowledged" awk '
    /^#/ { next } $5 > $4 + 50 { exit 1 }' wide/*.samples
ok "no streaming" ranks 2 "$BANDWIDTH" -o one -s 1KiB -i 20 --window 1 --no-eager
is "then all windows are 1" "$(awk '!/^#/ { print $3 }' one/*.samples | sort -u)" 1

# ---- pairs ----

cores=$(cores)
# hwloc descriptions of a machine with one processor of $cores cores,
one_cache="l3:1 core:$cores pu:1"
# and of one whose cores share no cache
no_cache="l3:$cores core:1 pu:1"
ok "four ranks, all pairs" ranks 4 env HWLOC_SYNTHETIC="$one_cache" "$PINGPONG" -o four \
    -s 8 -i 40 -p all
is "one file of one class" "$(find four -name '*.samples' | wc -l)" 1
is "the pairs are listed" "$(grep -c '^# pair [0-9]*: ranks' four/*.samples)" \
    "$(of pairs four/*.samples)"
is "each has its samples" "$(awk '!/^#/ { n[$1]++ } END { for (k in n) m += n[k] == 40
    print m }' four/*.samples)" "$(of pairs four/*.samples)"
like "a map of pairs" "$(cat out)" "*map of pairs*"
if [ "$cores" -lt 4 ]; then
    like "more ranks than cores are warned of" "$(cat err)" "*4 ranks on $cores core*"
    like "and recorded" "$(of oversubscribed four/*.samples)" "4 ranks on $cores core*"
fi
if [ "$cores" -gt 1 ]; then
    is "no pair is on one core" "$(sed -n 's/^# pair .*; cores \(.*\) and \1$/&/p' four/*.samples)" ""
    ranks 2 "$PINGPONG" -o bound -s 8 -i 20 --no-eager
    first=$(sed -n 's/^# pair 0: .*; cores \([0-9]*\) and .*/\1/p' bound/*.samples)
    ok "ranks bind themselves to one core each" grep -Eq \
        "^# pair 0: .*; cores $first and [0-9]+$" bound/*.samples
fi
if [ "$cores" -gt 1 ] && [ "$cores" -lt 4 ]; then
    # Here only pairs on the same core share a cache.
    ok "four ranks on cores that share no cache" ranks 4 env HWLOC_SYNTHETIC="$no_cache" \
        "$PINGPONG" -o scattered -s 8 -i 40 -p all --no-eager
    is "pairs on one core are no class of their own" "$(of path scattered/*.samples)" node
    is "nor among the others" \
        "$(sed -n 's/^# pair .*; cores \(.*\) and \1$/&/p' scattered/*.samples)" ""
fi
ok "two pairs of them" ranks 4 env HWLOC_SYNTHETIC="$one_cache" "$PINGPONG" -o sample -s 8 -i 20 -p 2 --no-eager
is "are two" "$(of pairs sample/*.samples)" 2

cat >./split <<'EOS'
#!/bin/sh
# Ranks from 2 on run on a host with another name.
[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" -ge 2 ] || exec "$@"
exec unshare --uts sh -c 'hostname elsewhere && exec "$@"' sh "$@"
EOS
chmod +x split
if ! unshare --uts sh -c 'hostname elsewhere' 2>/dev/null; then
    skip "pairs of two classes" "no namespaces for host names here"
elif [ "$numbered" != yes ]; then
    skip "pairs of two classes" "the launcher does not tell ranks their number"
else
    ok "two hosts of two ranks" ranks 4 env HWLOC_SYNTHETIC="$one_cache" ./split \
        "$PINGPONG" -o hosts -s 8,64KiB -i 40 -p 3
    is "give two files" "$(find hosts -name '*.samples' | wc -l)" 2
    is "one of them between nodes" "$(of path hosts/*-between-nodes.samples)" "between nodes"
    ok "whose pairs are on both hosts" grep -q '^# pair 0: .*; hosts .* and elsewhere;' \
        hosts/*-between-nodes.samples
    is "and whose clocks are compared" "$(of clocks hosts/*-between-nodes.samples)" synchronised
    is "three pairs in all" "$(cat hosts/*.samples | sed -n 's/^# pairs: //p' |
        awk '{ n += $1 } END { print n }')" 3
fi
if [ "$cores" -gt 1 ]; then
    ranks 2 env HWLOC_SYNTHETIC="$no_cache" "$PINGPONG" -o apart -s 8 -i 20 --no-eager
    is "cores that share no last-level cache" "$(of path apart/*.samples)" node
    ranks 2 env HWLOC_SYNTHETIC="$one_cache" "$PINGPONG" -o near -s 8 -i 20 --no-eager
    is "cores that do" "$(of path near/*.samples)" "core complex"
fi

# ---- what goes wrong ----

ok "neither all nor a number" fails 2 "--pairs" $mpirun -np 2 "${aloud[@]}" "$PINGPONG" -p some
ok "no pairs" fails 2 "--pairs" $mpirun -np 2 "${aloud[@]}" "$PINGPONG" -p 0
ok "a confidence of nothing" fails 2 "--confidence" $mpirun -np 2 "${aloud[@]}" "$PINGPONG" --confidence 0
ok "a window of nothing" fails 2 "--window" $mpirun -np 2 "${aloud[@]}" "$BANDWIDTH" --window 0
ok "an unknown timer" fails 1 "timer" $mpirun -np 2 "${aloud[@]}" "$PINGPONG" --timer sundial -o none
if two_programs "$mpirun"; then
    ok "ranks with other options" fails 1 "other options" $mpirun -np 1 "${aloud[@]}" \
        "$PINGPONG" -o none -s 8 : -np 1 "${aloud[@]}" "$PINGPONG" -o none -s 16
else
    skip "ranks with other options" "the launcher cannot start two programs"
fi
ok "one rank only" fails 1 "needs two ranks" $mpirun -np 1 "${aloud[@]}" "$BANDWIDTH" -o none
is "which leaves nothing" "$(ls none 2>/dev/null)" ""

# measuring: succeeds if both ranks of $job run, and rank 0 has its signal handlers and its folder.
measuring() {
    kill -0 "$job" 2>/dev/null || return 0
    [ -d ended ] && [ "$(cat pids 2>/dev/null | wc -l)" -eq 2 ] || return
    handles "$(head -n 1 pids)" TERM || handles "$(tail -n 1 pids)" TERM
}

# ended SIGNAL WHOM: sends SIGNAL during a run to WHOM: launcher, rank, or ranks (both). Prints the run's exit status
# and what it leaves. The ranks' messages go to a file of their own, because a launcher that ends may lose them.
ended() {
    rm -rf ended pids said
    "$build/tests/afresh" $mpirun -np 2 sh -c 'echo $$ >>pids; exec "$@" 2>>said' sh "$PINGPONG" \
        -o ended -i 1000000 -s 8,1MiB >/dev/null 2>&1 &
    local job=$! status
    wait_until measuring
    # shellcheck disable=SC2046 # numbers; the shell's own kill, there may be no other
    case $2 in
    launcher) kill -"$1" $job ;;
    rank) kill -"$1" "$(tail -n 1 pids)" ;;
    ranks) kill -"$1" $(cat pids) ;;
    esac
    wait $job
    status=$?
    wait_until gone pids
    echo "$([ $status -ne 0 ] && echo failed), left: $(ls ended)"
}

is "a rank that is killed ends all and leaves nothing" "$(ended KILL rank 2>/dev/null)" \
    "failed, left: "
is "so do interrupted ranks" "$(ended INT ranks 2>/dev/null)" "failed, left: "
ok "which is said" grep -q "^mpgbench pingpong: interrupted" said
# MPICH's launcher Hydra then sometimes exits with 0 although its ranks did not.
failed="failed, "
[ "$("${mpirun%% *}" --version 2>/dev/null | grep -c HYDRA)" = 0 ] || failed="*"
like "and an interrupted launcher" "$(ended INT launcher 2>/dev/null)" "${failed}left: "
like "and one that is told to end" "$(ended TERM launcher 2>/dev/null)" "${failed}left: "

mkdir full fixed
if mount -t tmpfs -o size=16k tmpfs full 2>/dev/null; then
    ok "a full disk" fails 1 "No space left" $mpirun -np 2 "${aloud[@]}" "$PINGPONG" -o full -s 8 -i 3000 \
        --no-eager
    is "has no part of a file" "$(ls full)" ""
    umount full
    mount -t tmpfs -o ro tmpfs fixed
    ok "a folder that cannot be written to" fails 1 "Read-only file system" \
        $mpirun -np 2 "${aloud[@]}" "$PINGPONG" -o fixed -s 8 -i 20
    umount fixed
else
    skip "a full disk, a read-only one" "cannot mount small disks"
fi
if command -v taskset >/dev/null; then
    core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    ok "two ranks on one core" ranks 2 taskset -c "$core" "$PINGPONG" -o single -s 8,64KiB --quick
    like "which is warned of" "$(cat err)" "*2 ranks on 1 core of*"
fi
done_testing
