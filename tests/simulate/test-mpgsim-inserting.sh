#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --hypothesis='insert REGION bytes=N to=R', messages that the trace has not (TAP): by hand, in both modes, and what is refused.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/hypotheses.sh"

# Three ranks begin r at 2000, 2500 and 2100, and at 6000, 6100 and 6200. l(1000) is 100 + 1000 / 2.
cat >halo.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
0 0 1000 Init
0 2000 2000 Region_begin name="r"
0 3000 3000 Region_end name="r"
0 6000 6000 Region_begin name="r"
0 6000 6000 Region_end name="r"
0 9000 9100 Finalize
1 0 1000 Init
1 2500 2500 Region_begin name="r"
1 3000 3000 Region_end name="r"
1 6100 6100 Region_begin name="r"
1 6100 6100 Region_end name="r"
1 9000 9100 Finalize
2 0 1000 Init
2 2100 2100 Region_begin name="r"
2 3000 3000 Region_end name="r"
2 6200 6200 Region_begin name="r"
2 6200 6200 Region_end name="r"
2 9000 9100 Finalize
T
own=(--source=latency=100ns --source=byte=0.5ns)
inserted() { # LINE OPTION...: prints the delays
    local line=$1
    shift
    clocked "${own[@]}" "$@" --hypothesis="$line" halo.txt
}
right='insert r bytes=1000 to=+1'
is "each sends to the one behind it: who comes last holds up the next" "$(inserted "$right")" "1800 1200 1000"
is "... to the one before it" "$(inserted 'insert r bytes=1000 to=-1')" "1100 1200 1500"
is "... all to one rank" "$(inserted 'insert r bytes=1000 to=1')" "0 700 0"
is "... one rank to another one" "$(inserted 'insert r ranks=0 bytes=1000 to=2')" "0 0 500"
is "... so many ranks behind that it is the one before" "$(inserted 'insert r bytes=1000 to=+2')" "1100 1200 1500"
# A = max(S_s + 100, S_r) + 500, and the sender knows 100 later.
is "what waits for its receiver does" "$(inserted "$right" --eager-limit=999)" "1800 1700 1700"
is "a computation at the same begin is before it" "$(inserted 'insert r time=100ns' --hypothesis="$right")" "2000 1400 1200"
is "two messages come one after the other" "$(inserted "$right" --hypothesis='insert r bytes=0 to=+1')" "1800 1800 1700"
is "what a target takes, with its latency" "$(inserted 'insert r ranks=0 bytes=1000 to=2' --latency=const:31ns)" "0 0 531"
is "... and for bytes" "$(inserted 'insert r ranks=0 bytes=1000 to=2' --byte=const:0.125ns)" "0 0 625"
# 7 + 385 ns; the ranks compute 1000, 1500, 1100, then 4000, 3600, 4100, then 3000, 2900, 2800.
is "predicted" "$(runs --byte=const:0.385ns --hypothesis="$right" halo.txt)" "9384 8784 8792"
is "... in the order of simulated time, too" \
    "$(runs --byte=const:0.385ns --target=<(printf 'Policy = offload\n') --hypothesis="$right" halo.txt)" "9384 8784 8792"
# 2100: H = 1500, A = 1885, and the sender knows at 1892; then 5999, 6384, 6391.
is "... what waits: no sooner than who receives" \
    "$(runs --byte=const:0.385ns --eager-limit=999 --hypothesis='insert r ranks=2 bytes=1000 to=1' halo.txt)" "8000 9284 9191"
is "drop and resize are not about it" \
    "$("$mpgsim" --hypothesis="$right" --hypothesis='resize factor=2' "${own[@]}" halo.txt 2>&1 | tail -n 1)" \
    "mpgsim: 'resize factor=2': selects no message, collective or one-sided epoch of the trace"

# Threads meet by number: the second one of rank 0 waits until that of rank 1 begins, 2500 + 392.
cat >threads.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init_thread
0.1 3000 3000 Region_begin name="r"
0.1 3000 3000 Region_end name="r"
0 4000 4100 Finalize
1 0 1000 Init_thread
1.1 3500 3500 Region_begin name="r"
1.1 3500 3500 Region_end name="r"
1 4000 4100 Finalize
T
is "threads meet those with their number" "$(runs --byte=const:0.385ns --hypothesis="$right" threads.txt)" "3892 3000"
sed 's/^1\.1/1/' threads.txt >other.txt
ok "... and no others" refuses 1 \
    "mpgsim: 'insert r bytes=1000 to=+1': rank 0 enters 'r' 0 times, but rank 1, the receiver of its inserted messages, enters it 1 time: *" \
    --predict --latency=const:7ns --hypothesis="$right" other.txt
# Inserted calls do not change the draws of others: the latency of the Send is the same, whatever is inserted before it.
cat >draws.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
0 2000 2000 Region_begin name="r"
0 2000 2000 Region_end name="r"
0 900000 900100 Send comm=0 to=1 tag=5 bytes=1000
0 901000 901100 Finalize
1 0 1000 Init
1 2000 2000 Region_begin name="r"
1 2000 2000 Region_end name="r"
1 500000 900700 Recv comm=0 from=0 tag=5 bytes=1000
1 901000 901100 Finalize
T
arrivals() { # the run of rank 1, which waits long enough, so that earlier changes do not delay it
    "$mpgsim" --json --predict --replicas=1 --latency=exp:9us "$@" draws.txt | numbers 1 | cut -d ' ' -f 2
}
is "no draw of anything else is another one" "$(arrivals --hypothesis='insert r ranks=0 bytes=10 to=1')" "$(arrivals)"

# Refused insertions.
refused() { # STATUS PATTERN LINE [OPTION...]
    local status=$1 pattern=$2 line=$3
    shift 3
    ok "refused: $line${*:+ }$*" refuses "$status" "mpgsim: $pattern" "${own[@]}" --hypothesis="$line" "$@" "${trace:-halo.txt}"
}
given="--hypothesis: 'insert *': "
refused 2 "${given}bytes=-5 is no size*" 'insert r bytes=-5 to=+1'
refused 2 "${given}bytes=1-5 is no size*" 'insert r bytes=1-5 to=+1'
refused 2 "${given}insert r: to= is missing*" 'insert r bytes=5'
refused 2 "${given}insert r: bytes= is missing*" 'insert r to=1'
refused 2 "${given}insert r: time= is missing, or bytes= and to=*" 'insert r'
refused 2 "${given}insert r: time= and bytes= are both given*" 'insert r time=1us bytes=5 to=1'
refused 2 "${given}insert: a region is missing*" 'insert bytes=5 to=1'
refused 2 "${given}to=+0 is the sender itself*" 'insert r bytes=5 to=+0'
refused 2 "${given}to=x is neither a rank (3) nor *" 'insert r bytes=5 to=x'
refused 2 "${given}to=1-2 is neither a rank (3) nor *" 'insert r bytes=5 to=1-2'
refused 2 "*this hypothesis changes messages or calls*" 'insert r bytes=5 to=1' --output-trace=out.trace
refused 1 "'insert *': there is no region 'nope' in the trace" 'insert nope bytes=5 to=1'
refused 1 "'insert *': there is no rank 3: the trace has ranks 0 to 2" 'insert r bytes=5 to=3'
refused 1 "'insert *': there is no rank 7: the trace has ranks 0 to 2" 'insert r ranks=0-7 bytes=5 to=1'
refused 1 "'insert *': *would send to itself" 'insert r bytes=5 to=-3'
refused 1 "'insert *': the only selected sender is the receiver itself" 'insert r ranks=1 bytes=5 to=1'
refused 1 "an inserted message needs --absorb=clock*" 'insert r bytes=5 to=1' --absorb=wait
grep -v '^[12]' halo.txt | sed 's/ranks 3/ranks 1/; s/= 0 1 2/= 0/' >one.txt
trace=one.txt refused 1 "'insert *': the trace has only one rank: there is no receiver for the inserted message" 'insert r bytes=5 to=+1'
sed '/^2 .*Region/d' halo.txt >some.txt
trace=some.txt refused 1 "'insert *': rank 1 enters 'r' 2 times, but rank 2, the receiver of its inserted messages, enters it 0 times: *" \
    'insert r bytes=5 to=+1'
is "... but among those who enter it" "$(clocked "${own[@]}" --hypothesis='insert r ranks=0 bytes=1000 to=1' some.txt)" "0 500 0"
trace=some.txt refused 1 "'insert *': rank 2 enters 'r' 0 times, but rank 0, the receiver of its inserted messages, enters it 2 times: *" \
    'insert r ranks=2 bytes=5 to=0'
sed '/^#clocks/d' halo.txt >apart.txt
trace=apart.txt refused 1 "an inserted message needs comparable clocks*" 'insert r bytes=5 to=1'
ok "refused: nothing says what a message takes" refuses 1 "mpgsim: the cost of an inserted message is unknown: *" \
    --hypothesis="$right" halo.txt
# Rank 1 begins region r only after a message that rank 0 sends after beginning it.
calls 2 >circle.txt <<'T'
0 2000 2000 Region_begin name="r"
0 2000 2000 Region_end name="r"
0 3000 3100 Send to=1 tag=1 bytes=8
1 3000 3300 Recv from=0 tag=1 bytes=8
1 4000 4000 Region_begin name="r"
1 4000 4000 Region_end name="r"
T
trace=circle.txt refused 1 \
    '*rank 0, begin 1 of the region where hypothesis 1 inserts a message: rank 1 does not reach the paired begin of the region; ranks wait for each other*' \
    'insert r bytes=5 to=+1'
is "the answer says that larger messages are none of the trace's" \
    "$("$mpgsim" --hypothesis='insert r ranks=0 bytes=1000 to=1' circle.txt 2>&1 | grep -c "^  inserted .*largest message has 8 bytes")" 1
done_testing
