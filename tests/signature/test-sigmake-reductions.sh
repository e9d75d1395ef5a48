#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigmake on collectives and on the arithmetic of reductions (TAP): which section each gets
# into, what was off the CPU, files that are wrong, many ranks.
set -u
. "$(dirname "$0")/results.sh"
has_python || skip_all "no python3"

# get EXPRESSION: prints a Python expression for the signature s of "sigmake r".
get() {
    python3 - "$1" <<'P'
import json, sys
s = json.load(open("a.sig"))
print(eval("(" + sys.argv[1] + ")"))
P
}
made() {
    "$sigmake" r >a.sig 2>err
}
# collective LAUNCH OPERATIONS: prints a results file with the sample lines on standard input.
collective() {
    {
        header collective "operation processes size_bytes time_ns off_cpu_ns" "launch: $1" "ranks: 4" \
            "operations: $2"
        body
    } >"r/collective-launch$1.samples"
}
operations="scan reduce_local reduce gather scatter allgather reduce_sent"

mkdir r
echo "0 4 8 700 0" | collective 0 "$operations"
made
is "results without arithmetic of reductions" "$(get "s.get('reductions'), len(s['collectives'])")" "(None, 1)"

for i in 0 1; do
    printf '%s\n' "1 4 65536 1${i}00 0" "0 4 8 70$i 0" "1 4 8 2$i 0" "1 2 8 9 0" "1 4 8 2$i 0" \
        "1 4 8 2$i 0" "1 4 8 2$i 0" "1 4 8 999 500" "2 4 8 300 0" "3 4 8 400 0" "4 4 8 500 0" \
        "5 4 8 600 0" "6 4 8 31 0" | collective "$i" "$operations"
done
made
is "reductions by ranks at once and size, without what was off the CPU" \
    "$(get "[(x['operation'], x['processes'], x['size_bytes'], x['time_ns']['mean'], x['time_ns']['n'], len(x.get('launches', []))) for x in s['reductions']]")" \
    "[('reduce_local', 2, 8, 9, 2, 2), ('reduce_local', 4, 8, 20.5, 8, 2), ('reduce_local', 4, 65536, 1050, 2, 2), ('reduce_sent', 4, 8, 31, 2, 2)]"
is "which are no collectives" \
    "$(get "[(x['operation'], x['processes'], x['size_bytes'], x['time_ns']['mean'], x['time_ns']['n']) for x in s['collectives']]")" \
    "[('allgather', 4, 8, 600, 2), ('gather', 4, 8, 400, 2), ('reduce', 4, 8, 300, 2), ('scan', 4, 8, 700.5, 2), ('scatter', 4, 8, 500, 2)]"
"$sigshow" a.sig >shown 2>err
ok "sigshow shows them" grep -qE '^reduce_local +4 +64 KiB +2 ' shown

printf '%s\n' "1 4 8 999 500" "1 4 8 998 500" | collective 0 "$operations"
made
is "where all were off the CPU, all stay" \
    "$(get "[x['time_ns']['n'] for x in s['reductions'] if x['size_bytes'] == 8 and x['processes'] == 4]")" "[6, 1]"

for wrong in "1 4 8 -1 0" "1 4 8 nan 0" "1 4 8.5 20 0" "1 0 8 20 0" "1 4 8" "7 4 8 20 0" "-1 4 8 20 0"; do
    echo "$wrong" | collective 0 "$operations"
    fails "a line '$wrong'" "r/collective-launch0.samples: *"
done
echo "1 4 8 20 0" | collective 0 "$operations"
sed -i '$d' r/collective-launch0.samples
fails "a file that was cut off" "r/collective-launch0.samples: *"
collective 0 "$operations" </dev/null
fails "a file without samples" "r/collective-launch0.samples: no samples"
head -c 300 /dev/urandom >r/collective-launch0.samples
fails "garbage" "r/collective-launch0.samples: *"

# 64 ranks: 2, 4 ... 64 processes, nine operations, ten sizes, three launches
for i in 0 1 2; do
    awk -v seed="$i" 'BEGIN {
        srand(seed + 1)
        for (o = 0; o < 9; o++)
            for (p = 2; p <= 64; p *= 2)
                for (size = 8; size <= 2097152; size *= 4)
                    for (k = 0; k < 100; k++)
                        printf "%d %d %d %.1f 0\n", o, p, size, 500 + size / 7 + 100 * (1 - rand()) ^ -0.4 }' |
        collective "$i" "bcast allreduce alltoall reduce gather scatter allgather scan reduce_local"
done
{
    header detour "start_ns duration_ns" "core: 0" "threshold_ns: 100" "span_ns: 30000000000"
    python3 "$here/samples.py" detour family=0 n=4000 | body
} >r/detour-core0.samples
made
is "of 64 ranks there is everything" "$(get "len(s['collectives']), len(s['reductions'])")" "(480, 60)"
ok "within 1 MiB" test "$(wc -c <a.sig)" -le 1048576
is "and with room for detours" "$(get "s['noise'][0]['detours']['n']")" 4000
is "distributions keep the mean" "$(get "all(0.98 < sum((b - a) * (p + q) / 2 for a, b, p, q in zip(d['probabilities'], d['probabilities'][1:], d['quantiles'], d['quantiles'][1:])) / d['mean'] < 1.02 for d in (x['time_ns'] for x in s['collectives'] + s['reductions']))")" True
done_testing
