#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Windows of shared memory (TAP): mpgsim warns that waits by load and store are unknown, and counts loops of MPI_Win_sync as
# waiting.
# shellcheck source=tests/simulate/mpgsim.sh
. "$(dirname "$0")/mpgsim.sh"

# Rank 0 works for 3 us; meanwhile rank 1 polls three times from one call site.
cat >t.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#window 0 = 0 0
0 0 1000 Init
1 0 1000 Init
0 1100 1200 Win_allocate_shared win=0 bytes=8
1 1100 1200 Win_allocate_shared win=0 bytes=8
0 4200 4210 Win_sync win=0
1 2000 2010 Win_sync win=0
1 3000 3010 Win_sync win=0
1 4300 4310 Win_sync win=0
0 9000 9100 Finalize
1 9000 9100 Finalize
T
sed 's/^\(.*\) Win_allocate_shared/\1 Win_allocate/' t.txt >plain.txt
# delays OPTION...: prints the delays of both ranks.
delays() {
    "$mpgsim" --absorb=none --per-rank "$@" t.txt | awk '$1 ~ /^[01]$/ { print $3 }' | xargs
}
like "shared memory is named" "$("$mpgsim" t.txt)" "*shared memory *2 windows*MPI_Win_sync*"
like "... in predict mode, too" "$("$mpgsim" --predict --latency=const:1us t.txt)" "*shared memory *2 windows*"
is "... and other windows are not" "$("$mpgsim" plain.txt | grep -c "shared memory")" 0
is "noise takes nothing from a loop of MPI_Win_sync" "$(delays --noise=const:5us@1 --latency=const:0ns)" "5000 15000"
is "... that is work, it does" "$(delays --noise=const:5us@1 --latency=const:0ns --polling=work)" "5000 25000"
# 100 ns before, 800, 990 and 1290 ns in the loop, 4690 ns after; the calls' own 30 ns; twice as long; the window's rounds
twice=$("$mpgsim" --predict --latency=const:0ns --noise=const:5us@1 --per-rank --compute-ratio=2 t.txt | awk '$1 == 1 { print $2 + $3 }')
once=$("$mpgsim" --predict --latency=const:0ns --noise=const:5us@1 --per-rank t.txt | awk '$1 == 1 { print $2 + $3 }')
is "predicted: the loop takes what it took, times the ratio, without noise" "$(awk "BEGIN { print $twice - $once }")" \
    $((100 + 800 + 990 + 1290 + 4690 + 30))
done_testing
