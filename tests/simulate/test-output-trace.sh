#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --predict --output-trace (TAP): times by hand, what is kept, random programs, a recorded
# one, memory, what goes wrong. Programs from $MPGSIM and $MPGTRACE.
. "$(dirname "$0")/mpgsim.sh"

# written TRACE OPTION...: prints the events of the trace that mpgsim writes for TRACE.
written() {
    local trace=$1
    shift
    rm -rf out
    "$mpgsim" --predict --output-trace out "$@" "$trace" >/dev/null && "$mpgtrace" print out | grep -v '^#'
}

# ---- times by hand ----
cat >pair.txt <<'END'
#mpgtext 1
#ranks 2
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
take='--latency=const:1234.4ns --byte=const:2.385ns'
# Ranks leave MPI_Init at 300, rank 1's being the longest. The message leaves 1000 x 1.7 later,
# and takes 1234.4 + 2385. What lies between Send and Finalize has 2000 of traced time, 3400 of new.
# shellcheck disable=SC2086 # words
is "an eager message, marks, a sum, a local call" "$(written pair.txt $take --compute-ratio=1.7)" \
'0 200 300 Init
0 2000 2170 Send comm=0 to=1 tag=7 bytes=1000
0 2850 2850 Region_begin name="work"
0 3870 3870 Comm_rank calls=4 time=20 least=1 most=14
0 4380 4550 Comm_size
0 5570 5580 Finalize
1 0 300 Init
1 470 5619 Recv comm=0 from=0 tag=7 bytes=1000
1 5789 5799 Finalize'
# From the mark on, for 2100 of 2500, the ratio is 2: in the mean 1.84, for all that is there.
# shellcheck disable=SC2086
is "the ratio of a region" \
    "$(written pair.txt $take --compute-ratio=1 --compute-ratio=2@work | grep '^0 .*[ _]\(size\|calls\|Fin\)')" \
'0 3240 3240 Comm_rank calls=4 time=22 least=1 most=15
0 3792 3976 Comm_size
0 5080 5090 Finalize'
# Its sender waits: it hears 1234.4 after the message is there that it is.
# shellcheck disable=SC2086
is "a message by rendezvous" "$(written pair.txt $take --compute-ratio=1.7 --eager-limit=500)" \
'0 200 300 Init
0 2000 6854 Send comm=0 to=1 tag=7 bytes=1000
0 7534 7534 Region_begin name="work"
0 8554 8554 Comm_rank calls=4 time=20 least=1 most=14
0 9064 9234 Comm_size
0 10254 10264 Finalize
1 0 300 Init
1 470 5619 Recv comm=0 from=0 tag=7 bytes=1000
1 5789 5799 Finalize'

# Messages arrive at 200 and 400 + 1234.4. A round of the barrier takes as long, and begins when the later rank arrives,
# at 1634.4 + 100.
{
    printf '#mpgtext 1\n#ranks 2\n'
    for r in 0 1; do
        echo "$r 0 100 Init"
        echo "$r $((300 + 200 * r)) $((350 + 200 * r)) Isend to=$((1 - r)) bytes=8 request=1"
        echo "$r $((350 + 200 * r)) $((400 + 200 * r)) Irecv from=$((1 - r)) bytes=8 any=source request=2"
        echo "$r $((600 + 100 * r)) 900 Waitall requests=1,2"
        echo "$r $((1000 + 100 * r)) 1500 Barrier"
        echo "$r 1600 1610 Finalize"
    done
} >exchange.txt
is "nonblocking messages, a collective" "$(written exchange.txt --latency=const:1234.4ns)" \
'0 0 100 Init
0 300 350 Isend comm=0 to=1 tag=0 bytes=8 request=1
0 350 400 Irecv comm=0 from=1 tag=0 bytes=8 any=source request=2
0 600 1734 Waitall requests=1,2
0 1834 3069 Barrier comm=0
0 3169 3179 Finalize
1 0 100 Init
1 500 550 Isend comm=0 to=0 tag=0 bytes=8 request=1
1 550 600 Irecv comm=0 from=0 tag=0 bytes=8 any=source request=2
1 700 1534 Waitall requests=1,2
1 1734 3069 Barrier comm=0
1 3169 3179 Finalize'

cat >threads.txt <<'END'
#mpgtext 1
#ranks 2
0 0 100 Init
0 300 400 Isend to=1 tag=1 bytes=8 request=1
0.1 410 410 Region_begin name="w"
0.1 450 450 Comm_rank calls=4 time=12 least=1 most=8
0.1 500 600 Send to=1 tag=2 bytes=800
0 700 900 Wait requests=1
0.1 900 950 Send to=1 tag=3 bytes=8
0.1 980 980 Region_end name="w"
0 1000 1010 Finalize
0 1100 1110 Finalized
1 0 200 Init
1 250 500 Recv from=0 tag=1 bytes=8
1.1 300 700 Recv from=0 tag=2 bytes=800
1.1 800 960 Recv from=0 tag=3 bytes=8
1 1500 1510 Finalize
END
# Thread 1 goes on from rank 0's Isend, and from rank 1's being in its Recv. Messages leave at 600,
# 1000, 1800 (thread 1), and take 234.4 and 3.08, 308, 3.08; rank 1's thread 1 is the last to end.
is "threads" "$(written threads.txt --latency=const:234.4ns --byte=const:0.385ns --compute-ratio=2)" \
'0 100 200 Init
0 600 800 Isend comm=0 to=1 tag=1 bytes=8 request=1
0.1 820 820 Region_begin name="w"
0.1 900 900 Comm_rank calls=4 time=24 least=2 most=16
0.1 1000 1200 Send comm=0 to=1 tag=2 bytes=800
0 1400 1800 Wait requests=1
0.1 1800 1900 Send comm=0 to=1 tag=3 bytes=8
0.1 1960 1960 Region_end name="w"
0 2000 2010 Finalize
0 2100 2110 Finalized
1 0 200 Init
1 300 837 Recv comm=0 from=0 tag=1 bytes=8
1.1 400 1542 Recv comm=0 from=0 tag=2 bytes=800
1.1 1742 2037 Recv comm=0 from=0 tag=3 bytes=8
1 3117 3127 Finalize'

# ---- facts and values ----
cat >facts.txt <<'END'
#mpgtext 1
#ranks 2
#values PAPI_X cpu_ns
#host 0 alpha
#host 1 beta
#fact 0 program ./app 3
#fact 0 overhead_call_ns 20.0
#fact 0 overhead_sum_ns 5.0
#fact 0 cpu A Processor
#fact 0 kernel Linux
#fact 0 mpi Some MPI
#fact 0 untraced MPI_X 3
#clock 1 0 50
#clock 1 9000 51
#comm 5 of 0 = 1 0
#topology 1 0 = 0 > 0
0 0 100 Init values=1,7
0 500 500 Region_begin name="r" values=9,300
0 1120 1220 Barrier values=3,640
0 2220 2230 Finalize values=0,2000
1 0 100 Init values=1,1
1 1100 1220 Barrier values=2,700
1 2220 2230 Finalize values=0,500
END
# Work of rank 0: 300 + 640 of CPU time, which is less than 1020 - 2 x 20 for the two events; then
# 1000 - 20, which is less than the CPU time. The barrier takes 100 from 100 + 940 x 1.5 on.
written facts.txt --latency=const:100ns --compute-ratio=1.5 --map=block:1 --seed=7 --replicas=first=3 >got
is "CPU time is that of the work, other values are as they were" "$(cat got)" \
'0 0 100 Init values=1,7
0 653 653 Region_begin name="r" values=9,450
0 1510 1610 Barrier comm=0 values=3,960
0 3080 3090 Finalize values=0,1470
1 0 100 Init values=1,1
1 1150 1610 Barrier comm=0 values=2,1050
1 2360 2370 Finalize values=0,750'
version=$("$mpgsim" --version | sed 's/.* //')
is "facts: machine, clocks, tracer are gone; places, origin are told" \
    "$("$mpgtrace" print out | grep '^#')" \
"#mpgtext 1
#ranks 2
#values PAPI_X cpu_ns
#clocks shared
#fact 0 program ./app 3
#fact 0 untraced MPI_X 3
#host 0 node-0
#fact 0 predicted by mpgsim $version, no signature, seed 7, replica 3
#host 1 node-1
#fact 1 predicted by mpgsim $version, no signature, seed 7, replica 3
#comm 0 = 0 1
#comm 5 of 0 = 1 0
#topology 1 0 = 0 > 0"
like "mpgtrace stat says where it is from" "$("$mpgtrace" stat out)" \
    "*predicted   by mpgsim $version, no signature, seed 7, replica 3*"

# ---- the written trace read again ----
#
# retraced TRACE OPTION...: succeeds if the written trace is TRACE with the predicted times of replica 2.
retraced() {
    local trace=$1 mode=predict
    shift
    [ "$1" != --chosen ] || { mode=predict-chosen; shift; }
    rm -rf out
    "$mpgsim" --predict --output-trace out --replicas=first=2 --replicas=3 "$@" "$trace" >/dev/null 2>refused
    case $?,$mode,$(cat refused) in
    1,*-chosen,*"cannot be written"*) return 0 ;;
    esac
    [ -d out ] &&
        "$mpgsim" --predict --json --replicas=first=2 --replicas=1 "$@" "$trace" >answer.json &&
        MPGSIM=$mpgsim MPGTRACE=$mpgtrace "$python" "$here/retraced.py" "$trace" out $mode \
            <answer.json >wrong && return 0
    sed 's/^/# /' wrong
    return 1
}
random='--without=choice --latency=exp:3us --byte=const:0.385ns --noise=exp:900ns --call-noise=exp:120ns'
if command -v "$python" >/dev/null; then
    for trace in pair exchange threads facts; do
        # shellcheck disable=SC2086
        ok "$trace, with noise: read again it takes as long, and delay is 0" \
            retraced $trace.txt $random --eager-limit=100
    done
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        clocks=(shared offsets unknown)
        limit=("" --eager-limit=4096 --eager-limit=-1)
        ratio=(1 0.37 2.385)
        "$python" "$here/../oracle/randomtrace.py" --seed $seed --ranks $((1 + seed * 5 % 9)) \
            --steps 60 --all-synchronous-safe --clocks "${clocks[seed % 3]}" |
            "$python" "$here/../oracle/randomtrace_extras.py" --seed $seed --tracer --cpu some \
                --sites 3 >random.txt
        # shellcheck disable=SC2086
        ok "random program $seed" retraced random.txt $random ${limit[seed / 2 % 3]} \
            --compute-ratio="${ratio[seed / 3 % 3]}"
        ok "... with choice" retraced random.txt --chosen --latency=exp:30us --noise=exp:20us
    done
else
    skip "read again" "no python3"
fi

# ---- signatures ----
answers() { "$mpgsim" "$@" | awk '/^source:|slowdown/'; }
ring 4 20 8192 >ring.txt
rm -rf out
"$mpgsim" --predict --signature="$reference" --output-trace out ring.txt >/dev/null
like "the target's signature is stored as the source" "$(answers --perturb --signature="$reference" out)" \
    "source: stored in the trace (reference.sig, crc32 *)*slowdown      1.00000  (95 % confidence: 1.00000 to 1.00000)"
rm -rf out
"$mpgsim" --predict --signature="$reference" --latency=const:3us --output-trace out ring.txt >/dev/null
ok "... not where an option took the place of a part of it" \
    eval '! "$mpgtrace" stat out | grep -q ^signature && "$mpgtrace" stat out | grep -q "^predicted .*signature reference.sig, "'

# ---- a recorded program ----
if [ "${MPGKIT_MPI:-yes}" = yes ] && [ -x "$build/examples/halo/halo" ] && command -v "$python" >/dev/null; then
    "$MPIRUN" -np 4 "$mpgtrace" record -o halo.trace "$build/examples/halo/halo" 50 >/dev/null 2>err
    ok "halo, recorded" retraced halo.trace --signature="$reference"
    is "... with its callsites" "$("$mpgtrace" print out | grep -c '^#site')" \
        "$("$mpgtrace" print halo.trace | grep -c '^#site')"
else
    skip "a recorded program" "no MPI, or no python3"
fi

# ---- errors ----
#
# refuses STATUS PATTERN OPTION...: checks that mpgsim exits with STATUS, prints one line that matches PATTERN, and
# leaves no trace.
refuses() {
    local status=$1 pattern=$2 got before
    shift 2
    before=$(ls -A . full 2>/dev/null)
    "$mpgsim" --latency=const:1us "$@" >refused.out 2>refused.err
    got=$?
    # shellcheck disable=SC2254 # a pattern
    case $got,$(wc -l <refused.err),$(wc -c <refused.out),$(cat refused.err) in
    $status,1,0,$pattern) [ "$(ls -A . full 2>/dev/null)" = "$before" ] && return 0 ;;
    esac
    echo "# exit $got, $(wc -c <refused.out) bytes of output, expected $status and '$pattern':"
    sed 's/^/# /' refused.err
    ls -A . full 2>/dev/null | sed 's/^/# /'
    return 1
}
touch refused.out refused.err
mkdir other && touch other/notes
"$mpgtrace" import --text pair.txt -o pair.trace
ok "a folder of other things" refuses 1 "mpgsim: --output-trace: other: not replaced, as it holds more than a trace: notes" \
    --predict --output-trace other pair.txt
cp pair.txt file
ok "a file" refuses 1 "mpgsim: --output-trace: file: Not a directory" --predict --output-trace file ring.txt
ok "what is read" refuses 1 "mpgsim: --output-trace: pair.trace/ is an input" \
    --predict --output-trace pair.trace/ pair.trace
ok "no such folder" refuses 1 "mpgsim: --output-trace: no/new: No such file or directory" \
    --predict --output-trace no/new pair.txt
ok "no name" refuses 2 "mpgsim: --output-trace: FOLDER is empty*" --predict --output-trace "" pair.txt
printf '0 200 300 Send to=1 bytes=8\n' | calls 2 >unmatched.txt
ok "a trace that cannot be placed" refuses 1 "mpgsim: unmatched.txt: rank 0, call 1 (MPI_Send): no receive*" \
    --predict --output-trace new unmatched.txt
ok "a trace that is there" refuses 1 "mpgsim: --output-trace: pair.trace: holds a trace already: name another folder" \
    --predict --output-trace pair.trace exchange.txt
mkdir empty
ok "an empty folder becomes the trace" eval '"$mpgsim" --predict --latency=const:1us --output-trace empty/ exchange.txt >/dev/null &&
    "$mpgtrace" print empty | grep -q Barrier'
mkdir closed && chmod 555 closed
if [ "$(id -u)" != 0 ]; then
    ok "no permission" refuses 1 "mpgsim: --output-trace: closed/new: Permission denied" \
        --predict --output-trace closed/new pair.txt
else
    skip "no permission" "root may write everything"
fi
ring 32 600 8 | "$mpgtrace" import --text - -o long.trace
mkdir full
# The times of all calls are first written to a temporary file without a name, and then to the ranks' files.
early='mpgsim: a temporary file in full/new: cannot write: No space left on device'
late='mpgsim: full/new/rank-*.mpgt: *No space left on device'
if mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
    for size in 64 128 192 256 320 384 448 512 576; do
        mount -o remount,size=${size}k full
        # shellcheck disable=SC2069 # standard error alone
        "$mpgsim" --predict --latency=const:1us --output-trace full/new long.trace 2>&1 >/dev/null
        ls -A full
        rm -rf full/new
    done >full.err
    umount full
    # shellcheck disable=SC2254 # patterns
    while read -r line; do
        case $line in
        $early) echo early ;;
        $late) echo late ;;
        *) echo "$line" ;;
        esac
    done <full.err | uniq >full.seen
    is "a full disk: refused while times become known, then while files are written; nothing is left" \
        "$(tr '\n' ' ' <full.seen)" "early late new "
else
    skip "a full disk" "cannot mount a file system"
fi
ring 32 10000 8 | "$mpgtrace" import --text - -o longer.trace
mkdir signal
"$mpgsim" --predict --latency=const:1us --output-trace signal/new longer.trace >/dev/null 2>&1 &
victim=$!
for ((i = 0; i < 600; i++)); do
    [ "$(ls signal)" ] && break
    sleep 0.05
done
like "meanwhile it is aside" "$(ls signal)" "new.part.*"
kill -TERM $victim
wait $victim
is "a signal ends it, and leaves nothing" "$? $(ls signal)" "143 "

# ---- memory ----
#
# peak TRACE: prints the largest resident size, in KiB.
peak() {
    "$build/tests/peak_memory" "$mpgsim" --predict --latency=exp:1us --output-trace "$2" "$1"
}
if [ "${MPGKIT_SANITIZERS-no}" = yes ] || ! [ -x "$build/tests/peak_memory" ]; then
    skip "memory" "sanitizers keep freed memory, or tests/peak_memory is not built"
else
    ring 32 30000 8 | "$mpgtrace" import --text - -o longest.trace
    short=$(peak longer.trace memory1) && long=$(peak longest.trace memory2)
    ok "memory does not grow with the trace" test $((10 * long)) -le $((11 * short)) ||
        echo "# $short KiB, then $long KiB"
fi
done_testing
