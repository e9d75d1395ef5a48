#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --output-trace without --predict (TAP): times by hand, the tracer, clocks, what a replica
# completes instead; the identity, random programs and a recorded one; what goes wrong. Programs from
# $MPGSIM and $MPGTRACE.
. "$(dirname "$0")/mpgsim.sh"

# written TRACE OPTION...: prints the events of the trace that mpgsim writes for TRACE.
written() {
    local trace=$1
    shift
    rm -rf out
    "$mpgsim" --output-trace out "$@" "$trace" >/dev/null && "$mpgtrace" print out | grep -v '^#'
}

# ---- times by hand ----
cat >pair.txt <<'END'
#mpgtext 1
#ranks 2
#fact 0 overhead_call_ns 20.0
#fact 0 overhead_sum_ns 5.0
#fact 0 cpu A Processor
#fact 1 overhead_call_ns 20.0
#clock 1 1300 -320
#clock 1 1350 -319
#clock 1 6105 -300
0 0 100 Init
0 1100 1200 Send to=1 tag=7 bytes=1000
0 1600 1600 Region_begin name="work"
0 2200 2200 Comm_rank calls=4 time=12 least=1 most=8
0 2400 2900 Flush
0 3000 3100 Comm_size
0 3700 3710 Finalize
1 1000 1300 Init
1 1400 6000 Recv from=0 tag=7 bytes=1000
1 6100 6110 Finalize
END
# Rank 0 computes for 980 before its Send (20 of 1000 are the tracer's) and for 2500 - 500 - 80 after it. 0.7 of this is added: it
# is 686 late in its Send, 686 + 1344 in MPI_Finalize. Rank 1, which waits for the Send, leaves 686 late and computes 56 longer.
# Records between Send and MPI_Finalize are spread: 2000 without the flush became 3344.
is "half as fast again: clocks, the tracer and its flush stay" "$(written pair.txt --compute-ratio=1.7)" \
'0 0 100 Init
0 1786 1886 Send comm=0 to=1 tag=7 bytes=1000
0 2555 2555 Region_begin name="work"
0 3558 3558 Comm_rank calls=4 time=20 least=1 most=14
0 3892 4392 Flush
0 4560 4727 Comm_size
0 5730 5740 Finalize
1 1000 1300 Init
1 1456 6686 Recv comm=0 from=0 tag=7 bytes=1000
1 6842 6852 Finalize'
version=$("$mpgsim" --version | sed 's/.* //')
is "... facts stay, offsets keep their places: 50 of 100 in an interval, 5 in a call" \
    "$("$mpgtrace" print out | grep '^#')" \
"#mpgtext 1
#ranks 2
#fact 0 overhead_call_ns 20.0
#fact 0 overhead_sum_ns 5.0
#fact 0 cpu A Processor
#fact 0 predicted by mpgsim $version from delays, no signature, seed 1, replica 0
#fact 1 overhead_call_ns 20.0
#fact 1 predicted by mpgsim $version from delays, no signature, seed 1, replica 0
#clock 1 1300 -320
#clock 1 1378 -319
#clock 1 6847 -300
#comm 0 = 0 1"
# 980 became 392, 1920 768; of 2000 between Send and MPI_Finalize 848 are left.
is "negative delays" "$(written pair.txt --compute-ratio=0.4)" \
'0 0 100 Init
0 512 612 Send comm=0 to=1 tag=7 bytes=1000
0 782 782 Region_begin name="work"
0 1036 1036 Comm_rank calls=4 time=5 least=0 most=4
0 1121 1621 Flush
0 1663 1706 Comm_size
0 1960 1970 Finalize
1 1000 1300 Init
1 1352 5412 Recv comm=0 from=0 tag=7 bytes=1000
1 5464 5474 Finalize'
# One machine is both source and target, so only the tracer's overhead disappears: 20 + 580 ns of rank 0, 40 of rank 1.
is "a target signature: without the tracer" \
    "$(written pair.txt --perturb --signature="$reference" --source="$reference")" \
'0 0 100 Init
0 1080 1180 Send comm=0 to=1 tag=7 bytes=1000
0 1564 1564 Region_begin name="work"
0 2140 2140 Comm_rank calls=4 time=12 least=1 most=8
0 2428 2524 Comm_size
0 3100 3110 Finalize
1 1000 1300 Init
1 1380 5980 Recv comm=0 from=0 tag=7 bytes=1000
1 6060 6070 Finalize'
like "... its machine is the target" "$("$mpgtrace" stat out)" "*signature   reference.sig*"
is "... nor are there facts of the tracer or the traced processor" \
    "$("$mpgtrace" print out | grep -c 'overhead\|Processor')" 0
"$mpgtrace" import --text pair.txt -o pair.trace
is "--without=tracer: it is there" \
    "$(written pair.txt --perturb --signature="$reference" --source="$reference" --without=tracer)" \
    "$("$mpgtrace" print pair.trace | grep -v '^#')"

cat >threads.txt <<'END'
#mpgtext 1
#ranks 2
#clocks shared
0 0 100 Init
0 300 400 Isend to=1 tag=1 bytes=8 request=1
0.1 410 410 Region_begin name="w"
0.1 500 600 Send to=1 tag=2 bytes=800
0 700 900 Wait requests=1
0.1 900 950 Send to=1 tag=3 bytes=8
0.1 980 980 Region_end name="w"
0 1000 1010 Finalize
0 1100 1110 Finalized
1 50 200 Init
1 250 500 Recv from=0 tag=1 bytes=8
1.1 300 700 Recv from=0 tag=2 bytes=800
1.1 800 960 Recv from=0 tag=3 bytes=8
1 1500 1510 Finalize
END
# Work takes twice as long, and calls what they took. Thread 1 of rank 0 goes on from the Isend's leave,
# 200 late, that of rank 1 from its Recv's enter, 50 late. MPI_Finalize is where the later thread is.
is "threads" "$(written threads.txt --compute-ratio=2 --absorb=none)" \
'0 0 100 Init
0 500 600 Isend comm=0 to=1 tag=1 bytes=8 request=1
0.1 620 620 Region_begin name="w"
0.1 800 900 Send comm=0 to=1 tag=2 bytes=800
0 1200 1400 Wait requests=1
0.1 1500 1550 Send comm=0 to=1 tag=3 bytes=8
0.1 1610 1610 Region_end name="w"
0 1650 1660 Finalize
0 1750 1760 Finalized
1 50 200 Init
1 300 700 Recv comm=0 from=0 tag=1 bytes=8
1.1 400 1000 Recv comm=0 from=0 tag=2 bytes=800
1.1 1200 1560 Recv comm=0 from=0 tag=3 bytes=8
1 2700 2710 Finalize'

# ---- other requests complete than in the trace ----
#
# chosen OPTION...: prints rank 0's events for t.txt, without the first and the last one.
chosen() {
    written t.txt --source=latency=200ns "$@" | awk '$1 == 0 && !/Init|Finalize/'
}
calls 4 >t.txt <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 request=3
1 49900 49910 Send comm=0 to=0 tag=1 bytes=8
2 50900 50910 Send comm=0 to=0 tag=1 bytes=8
3 51900 51910 Send comm=0 to=0 tag=1 bytes=8
0 1300 50100 Waitany requests=1,2,3 done=1
0 58100 58110 Waitany requests=2,3 done=2
0 66110 66120 Waitany requests=3 done=3
END
# Rank 2's message arrives at 51.1 us, rank 3's by 59.11 us, rank 1's at 50.1 + 23.75 us.
is "Waitany: the late one is the last" "$(chosen --noise=const:23.75us@1)" \
'0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 request=3
0 1300 51100 Waitany requests=1,2,3 done=2
0 59100 59110 Waitany requests=1,3 done=3
0 67110 73850 Waitany requests=1'
is "... --without=choice: as in the trace" "$(chosen --noise=const:23.75us@1 --without=choice | tail -n 3)" \
'0 1300 73850 Waitany requests=1,2,3 done=1
0 81850 81860 Waitany requests=2,3 done=2
0 89860 89870 Waitany requests=3 done=3'
calls 4 >t.txt <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=11
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=12
0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 request=13
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8
2 5800 5810 Send comm=0 to=0 tag=1 bytes=8
3 9800 9810 Send comm=0 to=0 tag=1 bytes=8
0 1300 6000 Waitsome requests=11,12,13 done=11,12
0 8000 10000 Waitsome requests=13
END
# the third comes at 10 us, and takes the first's place
is "Waitsome: the late one is the last" "$(chosen --noise=const:7.5us@1 | tail -n 2)" \
'0 1300 10000 Waitsome requests=11,12,13 done=13,12
0 12000 13500 Waitsome requests=11'
calls 4 >t.txt <<'END'
0 1100 1110 Irecv comm=0 from=1 tag=1 bytes=8 request=11
0 1110 1120 Irecv comm=0 from=2 tag=1 bytes=8 request=12
0 1120 1130 Irecv comm=0 from=3 tag=1 bytes=8 request=13
1 4800 4810 Send comm=0 to=0 tag=1 bytes=8
2 5800 5810 Send comm=0 to=0 tag=1 bytes=8
3 9800 9810 Send comm=0 to=0 tag=1 bytes=8
0 1300 6000 Waitsome requests=11,12,13 done=11,12
0 7000 7010 Send comm=0 to=1 tag=2 bytes=8
0 7500 7510 Send comm=0 to=2 tag=2 bytes=8
0 8000 10000 Waitsome requests=13
1 9000 9010 Recv comm=0 from=0 tag=2 bytes=8
2 9000 9010 Recv comm=0 from=0 tag=2 bytes=8
END
# 1 comes at 5 + 7.5 us, 1 us of which had been waited; its answer would leave before it. Both Waitsome waited in
# the trace: the second, which need not any more, takes 1 us (MODEL.md, floors).
is "... but of a replica that keeps the traced order after all" "$(chosen --noise=const:7.5us@1 | tail -n 4)" \
'0 1300 12500 Waitsome requests=11,12,13 done=11,12
0 13500 13510 Send comm=0 to=1 tag=2 bytes=8
0 14000 14010 Send comm=0 to=2 tag=2 bytes=8
0 14500 15500 Waitsome requests=13'
calls 2 >t.txt <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 2000 2010 Test requests=1 done=
0 3000 3010 Test requests=1 done=
1 3500 3510 Send comm=0 to=0 tag=1 bytes=8
0 4000 4010 Test requests=1
0 7000 7010 Barrier comm=0
1 7000 7010 Barrier comm=0
END
is "a test that comes too early completes it when it is there, and the later one is not made" \
    "$(chosen --noise=const:-1us@1 --polling=work)" \
'0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 2000 2010 Test requests=1 done=
0 3000 3010 Test requests=1
0 6990 7000 Barrier comm=0'
is "... --polling=wait: nor is there the computation before it" \
    "$(chosen --noise=const:-1us@1 --polling=wait | tail -n 1)" "0 6000 6010 Barrier comm=0"
calls 2 >t.txt <<'END'
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1150 1200 Isend comm=0 to=1 tag=2 bytes=8 request=2
1 1200 1900 Recv comm=0 from=0 tag=2 bytes=8
0 3000 3010 Test requests=1 done=
1 3500 3510 Send comm=0 to=0 tag=1 bytes=8
0 4000 4010 Waitall requests=1,2
END
is "... what else was to be completed with it is so, at once" "$(chosen --noise=const:-1us@1 | tail -n 2)" \
'0 3000 3010 Test requests=1
0 4000 4000 Waitall requests=2'
calls 3 >t.txt <<'END'
1 5000 5100 Send comm=0 to=0 tag=4 bytes=8
2 9000 9100 Send comm=0 to=0 tag=5 bytes=16
2 9200 9300 Send comm=0 to=0 tag=5 bytes=24
0 1300 5200 Recv comm=0 from=1 tag=4 bytes=8 any=source,tag
0 8200 9200 Recv comm=0 from=2 tag=5 bytes=16 any=source,tag
0 9300 9500 Recv comm=0 from=2 tag=5 bytes=24 any=source,tag
END
rm -rf out
"$mpgsim" --output-trace out --source=latency=200ns --noise=const:6us@1 t.txt >/dev/null
# the first message comes at 11.2 us, the second at 9.2, the third at 9.4
is "what an open receive takes in place of what it took is written" \
    "$("$mpgtrace" print out | sed -n 's/ any.*//; s/.* Recv comm=0 //p')" \
    'from=2 tag=5 bytes=16
from=2 tag=5 bytes=24
from=1 tag=4 bytes=8'
is "... and read again" "$("$mpgsim" --per-rank out | awk 'NR > 1 && $3 != 0')" ""
sed 's/\(.*\) 5200 Recv \(.*\)/\1 1310 Irecv \2 request=1\n0 1400 5200 Wait requests=1/' t.txt >request.txt
rm -rf out
like "... not into too small a buffer" \
    "$("$mpgsim" --output-trace out --source=latency=200ns --noise=const:6us@1 request.txt 2>&1; ls -d out* 2>&1)" \
    "mpgsim: the receives of this replica cannot be written (*): rank 0, call 1 (MPI_Irecv): its buffer of 8 bytes is too small for the 16 bytes *No such file*"
sed 's/Irecv \(.*\) bytes=8/Irecv \1 bytes=64/' request.txt >large.txt
is "... of one that has a request, too" \
    "$(written large.txt --source=latency=200ns --noise=const:6us@1 | sed -n 's/ any=source,tag//; /^0.*[Rr]ecv/p')" \
    '0 1300 1310 Irecv comm=0 from=2 tag=5 bytes=64 request=1
0 12200 12400 Recv comm=0 from=2 tag=5 bytes=24
0 12500 12700 Recv comm=0 from=1 tag=4 bytes=8'

# ---- no perturbation, and the written trace read again ----
#
# unchanged TRACE: succeeds if the written trace equals TRACE.
unchanged() {
    rm -rf out in
    "$mpgtrace" import --text "$1" -o in && "$mpgtrace" print in | sort >was &&
        "$mpgsim" --output-trace out "$1" >/dev/null || return 1
    "$mpgtrace" print out | grep -v '^#fact [0-9]* predicted' | sort | diff was - >differs && return 0
    sed 's/^/# /' differs
    return 1
}
# retraced MODE TRACE OPTION...: succeeds if the written trace is TRACE with the times of replica 2.
retraced() {
    local mode=$1 trace=$2
    shift 2
    rm -rf out
    "$mpgsim" --output-trace out --replicas=first=2 --replicas=3 "$@" "$trace" >/dev/null 2>refused
    case $?,$mode,$(cat refused) in
    1,*-chosen,*"cannot be written"*) return 0 ;;
    esac
    [ -d out ] &&
        "$mpgsim" --json --replicas=first=2 --replicas=1 "$@" "$trace" >answer.json &&
        MPGSIM=$mpgsim MPGTRACE=$mpgtrace "$python" "$here/retraced.py" "$trace" out "$mode" \
            <answer.json >wrong && return 0
    sed 's/^/# /' wrong
    return 1
}
random='--without=choice --latency=exp:3us --byte=const:0.385ns --noise=exp:900ns --call-noise=exp:120ns'
for trace in pair threads t; do
    ok "identity: $trace" unchanged $trace.txt
done
if command -v "$python" >/dev/null; then
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        clocks=(shared offsets unknown)
        limit=("" --eager-limit=4096 --eager-limit=-1)
        ratio=(1 0.37 2.385)
        "$python" "$here/../oracle/randomtrace.py" --seed $seed --ranks $((1 + seed * 5 % 9)) \
            --steps 60 --all-synchronous-safe --clocks "${clocks[seed % 3]}" |
            "$python" "$here/../oracle/randomtrace_extras.py" --seed $seed --tracer --cpu some \
                --sites 3 >random.txt
        ok "identity: random program $seed" unchanged random.txt
        # shellcheck disable=SC2086
        ok "... with noise" retraced delays random.txt $random ${limit[seed / 2 % 3]} \
            --compute-ratio="${ratio[seed / 3 % 3]}"
        ok "... with choice" retraced delays-chosen random.txt --latency=exp:30us --noise=exp:20us
        ok "... on another machine" retraced target random.txt --without=choice --perturb --signature="$reference"
    done
else
    skip "read again" "no python3"
fi
ring 4 20 8192 >ring.txt
rm -rf out
"$mpgsim" --perturb --signature="$reference" --source=none --output-trace out ring.txt >/dev/null
like "the target's signature is the source of what was written" \
    "$("$mpgsim" --perturb --signature="$reference" out | awk '/^source:|slowdown/')" \
    "source: stored in the trace (reference.sig, crc32 *)*slowdown      1.00000  (95 % confidence: 1.00000 to 1.00000)"
if [ "${MPGKIT_MPI:-yes}" = yes ] && [ -x "$build/examples/halo/halo" ] && command -v "$python" >/dev/null; then
    "$MPIRUN" -np 4 "$mpgtrace" record -o halo.trace "$build/examples/halo/halo" 50 >/dev/null 2>err
    # shellcheck disable=SC2086
    ok "halo, recorded" retraced delays halo.trace $random
    ok "... on another machine" retraced target halo.trace --without=choice --perturb --signature="$reference"
else
    skip "a recorded program" "no MPI, or no python3"
fi

# ---- errors ----
#
# fails PATTERN OPTION...: checks that mpgsim prints one line that matches PATTERN, and leaves no trace.
fails() {
    local pattern=$1 got before
    shift
    before=$(ls -A . full 2>/dev/null)
    "$mpgsim" "$@" >failed.out 2>failed.err
    got=$?
    # shellcheck disable=SC2254 # a pattern
    case $got,$(wc -l <failed.err),$(wc -c <failed.out),$(cat failed.err) in
    1,1,0,$pattern) [ "$(ls -A . full 2>/dev/null)" = "$before" ] && return 0 ;;
    esac
    echo "# exit $got, $(wc -c <failed.out) bytes of output, expected '$pattern':"
    sed 's/^/# /' failed.err
    return 1
}
touch failed.out failed.err
ok "a trace that is there" fails "mpgsim: --output-trace: pair.trace: holds a trace already: name another folder" \
    --output-trace pair.trace ring.txt
ok "what is read" fails "mpgsim: --output-trace: pair.trace is an input" --output-trace pair.trace pair.trace
ok "no such folder" fails "mpgsim: --output-trace: no/new: No such file or directory" --output-trace no/new pair.txt
printf '0 200 300 Send to=1 bytes=8\n' | calls 2 >unmatched.txt
ok "a trace that cannot be placed" fails "mpgsim: unmatched.txt: rank 0, call 1 (MPI_Send): no receive*" \
    --output-trace new unmatched.txt
ring 32 600 8 | "$mpgtrace" import --text - -o long.trace
mkdir full
if mount -t tmpfs -o size=96k tmpfs full 2>/dev/null; then
    ok "a full disk" fails "mpgsim: *full/new*: *No space left on device" --output-trace full/new long.trace
    umount full
else
    skip "a full disk" "cannot mount a file system"
fi
ring 32 10000 8 | "$mpgtrace" import --text - -o longer.trace
mkdir signal
set -m # otherwise the shell's children ignore SIGINT
"$mpgsim" --output-trace signal/new --noise=const:1us longer.trace >/dev/null 2>&1 &
victim=$!
set +m
for ((i = 0; i < 600; i++)); do
    [ "$(ls signal)" ] && break
    sleep 0.05
done
like "meanwhile it is aside" "$(ls signal)" "new.part.*"
kill -INT $victim
wait $victim
is "Ctrl-C ends it, and leaves nothing" "$? $(ls signal)" "130 "
done_testing
