#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# compute for real, with tiny durations (TAP): the structure of what it writes,
# and its errors. No rate is a pass or a fail.

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
COMPUTE=${COMPUTE:-$build/bench/compute/compute}

tmp=$(mktemp -d)
. "$(dirname "$0")/measured.sh"
trap 'umount "$tmp/full" 2>/dev/null; rm -rf "$tmp"' EXIT

# measured FILE: succeeds if FILE is complete, with the header lines of this benchmark.
measured() {
    whole "$1" "kernel cores_at_once rate" \
        "core kernels kernel_units other_load seed vector compiler \
        working_set_bytes last_level_cache_bytes"
}

# kernels FILE CORES: succeeds if every kernel has samples with CORES cores at once, and all rates are positive.
kernels() {
    awk -v cores="$2" '/^#/ { next } $3 <= 0 { exit 1 } $2 == cores { n[$1]++ }
        END { exit !(n[0] > 0 && n[1] > 0 && n[2] > 0 && n[3] > 0) }' "$1"
}

tiny() {
    "$COMPUTE" -d 8ms --working-set 64KiB "$@" >"$tmp/summary" 2>"$tmp/err"
}

ok "compute runs" tiny -o "$tmp/r" --seed 7
files=("$tmp"/r/compute-core*.samples)
n=${#files[@]}
is "a file for each core" "$n" "$(env -u OMP_NUM_THREADS nproc)"
for file in "${files[@]}"; do
    ok "${file##*/} is whole" measured "$file"
    ok "${file##*/}: every kernel alone" kernels "$file" 1
    ok "${file##*/}: every kernel on all cores at once" kernels "$file" "$n"
done
file=${files[0]}
is "the kernels" "$(header "$file" kernels)" \
    "floating_point memory_bandwidth memory_latency integer"
is "their units" "$(header "$file" kernel_units)" "flop/s B/s access/s operation/s"
is "the seed" "$(header "$file" seed)" 7
is "the working set" "$(header "$file" working_set_bytes)" 65536
ok "kernels take turns: more than one stretch of each" awk '
    /^#/ { next } $2 == 1 && $1 != last { n[$1]++; last = $1 }
    END { exit !(n[0] > 1 && n[1] > 1 && n[2] > 1 && n[3] > 1) }' "$file"
like "a working set within the cache is warned of" "$(cat "$tmp/err")" "*warning: working sets*"
like "the summary has both" "$(cat "$tmp/summary")" "*memory_latency*1 *integer*"

core=$(header "${files[n - 1]}" core)
ok "one core" tiny -o "$tmp/one" --core "$core"
is "it has the file of that core only" "$(ls "$tmp/one")" "compute-core$core.samples"
ok "a launch" tiny -o "$tmp/one" --core "$core" --launch 3
is "... has a file of its own" "$(ls "$tmp/one" | xargs)" "compute-core$core.samples compute-launch3-core$core.samples"
is "... that says so" "$(header "$tmp/one/compute-launch3-core$core.samples" launch)" 3
is "and nothing on several at once" \
    "$(awk '!/^#/ { print $2 }' "$tmp/one/compute-core$core.samples" | sort -u)" 1
if [ "$n" -gt 1 ]; then
    ok "few alone" tiny -o "$tmp/few" --max-cores 1
    is "the others only together" \
        "$(awk '!/^#/ { print $2 }' "$tmp/few/compute-core$core.samples" | sort -u)" "$n"
else
    skip "few alone" "one core only"
fi

ok "a wrong core" fails 2 "--core" "$COMPUTE" -c 65000
ok "no duration" fails 2 "--duration" "$COMPUTE" -d 0
ok "a working set of nothing" fails 2 "--working-set" "$COMPUTE" --working-set 100
ok "an unknown timer" fails 1 "timer" "$COMPUTE" --timer sundial -o "$tmp/r"
ok "a folder that cannot be made" fails 1 "No such file" "$COMPUTE" -o "$tmp/no/where" -d 1ms
touch "$tmp/file"
ok "a folder that is a file" fails 1 "Not a directory" "$COMPUTE" -o "$tmp/file" -d 1ms
if [ "${MPGKIT_SANITIZERS:-no}" = yes ]; then
    skip "more memory than an address space may have" "sanitizers need a large one"
else
    ok "more memory than an address space may have" fails 1 "see --working-set" \
        bash -c 'ulimit -v 4000000 && "$@"' sh "$COMPUTE" -o "$tmp/r" --working-set 64GiB
fi
if [ -w /dev/full ]; then
    ok "standard output full" fails 1 "standard output" sh -c '"$@" >/dev/full' sh "$COMPUTE" \
        -o "$tmp/r" -d 4ms --working-set 64KiB -c "$core"
fi
mkdir "$tmp/full"
if mount -t tmpfs -o size=4k tmpfs "$tmp/full" 2>/dev/null; then
    ok "a full disk" fails 1 "No space left" "$COMPUTE" -o "$tmp/full" -d 80ms \
        --working-set 64KiB -c "$core"
    is "a full disk has no part of a file" "$(ls "$tmp/full")" ""
    umount "$tmp/full"
else
    skip "a full disk" "cannot mount a small disk"
fi

"$COMPUTE" -o "$tmp/killed" -d 100s --working-set 64KiB >/dev/null 2>"$tmp/err" &
wait_until handles $! TERM
kill -TERM $!
wait $! 2>/dev/null
is "interrupted, it leaves nothing" "$(ls "$tmp/killed")" ""
ok "and says so" grep -q "^mpgbench compute: interrupted" "$tmp/err"
done_testing
