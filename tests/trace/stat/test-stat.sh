#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace stat on made-up traces (TAP): sums whose results are known, who died where,
# regions, callsites by name.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp

# columns: prints the output of mpgtrace stat with single blanks.
columns() {
    "$MPGTRACE" stat "$@" | sed -e 's/  */ /g' -e 's/ $//'
}

has() {
    like "$1" "
$2
" "*
$3
*"
}

cat >"$tmp/a.txt" <<'EOF'
#mpgtext 1
#ranks 2
#clocks shared
#fact 0 overhead_call_ns 40
#fact 1 overhead_call_ns 60
#died 1 Recv 5000000
#died 1.1
#module 0 = 00ff "/opt/bin/app"
#module 1 = - "/usr/lib/libmpi_mpifh.so.40"
#site 0 = 0+0x10 0+0x90
#site 1 = 1+0x20 0+0x10 0+0x80
#site 2 = ?+0x30
0 0 1000000 Init
0 1000000 1000000 Region_begin name="outer"
0 1001000 1003000 Send to=1 bytes=1024 site=0
0 1003000 1003000 Region_begin name="inner"
0 1004000 1008000 Send to=1 bytes=3072 site=1
0 1008000 1018000 Flush
0 1020000 1020000 Region_end name="inner"
0 1020000 1050000 Allreduce bytes=8 site=2
0 1050000 1050000 Send failed=1
0 1100000 1100000 Region_end name="outer"
0 2000000 2500000 Finalize
1 0 1000000 Init_thread
1 1000000 1001000 Recv from=0 bytes=1024 site=0
1.1 1000500 1000900 Isend to=0 bytes=16 request=1
1.1 2000000 2000000 Region_begin name="open"
1 3000000 4000000 Wtime
EOF
out=$(columns "$tmp/a.txt")
printf '%s\n' '#mpgtext 1' '#ranks 2' '#values cpu_ns PAPI_TOT_INS' '0 0 1 Init values=0,0' \
    '0 5 6 Barrier values=4000000000,-7' '1 0 1 Init values=0,0' '1 7 8 Barrier values=6000000000,2' \
    >"$tmp/values.txt"
has "what was counted, summed" "$(columns "$tmp/values.txt")" \
    "counted cpu_ns 10000000000, PAPI_TOT_INS -5 between calls"
is "nothing was counted in the first" "$(grep '^counted' <<<"$out")" ""
has "run time of the longest rank" "$out" "run time 3 ms (longest rank, MPI_Init to MPI_Finalize)"
like "calls, without what the tracer says itself" "$out" "*
calls 10, *"
has "calls that failed" "$out" "failed 1 of the calls returned an error"
has "the tracer's share: 10 calls of 50 ns and a flush of 4 ms" "$out" \
    "overhead recording took 0.26 % of the run: 10 calls x 50 ns, writing 10 us"
# New stacks took 2 us of the flush, all on rank 0: rank 1 met none.
sed 's/^#fact 1 .*/&\n#fact 0 flushed_stacks_ns 2000/' "$tmp/a.txt" >"$tmp/stacks.txt"
has "new stacks of one of two ranks" "$(columns "$tmp/stacks.txt")" \
    "overhead recording took 0.26 % of the run: 10 calls x 50 ns, new call stacks 2 us, writing 8 us"
has "who died, in what" "$out" "died rank 1 inside MPI_Recv, called 4 ms after MPI_Init"
has "a thread that died outside" "$out" \
    "died rank 1, thread 1, outside of MPI, its last call 3 ms after MPI_Init"
printf '%s\n' '#mpgtext 1' '#ranks 3' '0 0 1 Init' '0 5 9 Finalize' '1 0 1 Init' \
    '1 6 6 Finalize killed=1' '2 0 1 Init' '2 7 7 Finalize killed=1' >"$tmp/killed.txt"
has "killed in MPI_Finalize: that is not dead" "$(columns "$tmp/killed.txt")" \
    "killed 2 ranks, the first of them rank 1, inside MPI_Finalize: only the ends of these calls are missing"
has "... nor a call of no time" "$(columns "$tmp/killed.txt")" "MPI_Finalize 1 4 ns"
has "threads" "$out" "threads 1 to 2 on a rank made calls"
has "what was sent" "$out" "MPI_Send 3 6 us 0.15 % 4 KiB"
has "what was received" "$out" "MPI_Recv 1 1 us 0.03 % 1 KiB"
has "a region, and its time in MPI" "$out" "outer 1 100 us 2.50 % 36 us"
has "a region within" "$out" "inner 1 17 us 0.42 % 4 us"
has "a region that does not end lasts as long as the rank" "$out" "open 1 2 ms 50.00 % 0 ns"

has "... and is said" "$out" "unended region open, 1 of 1 time not ended: counted until the end of the rank"

# A run of 1 ms with recursion, a region that begins before MPI_Init and ends after MPI_Finalize, nested regions, and
# levels.
printf '%s\n' '#mpgtext 1' '#ranks 1' '0 0 0 Region_begin name="whole"' '0 100 1000000 Init' \
    '0 1100000 1100000 Region_begin name="f"' '0 1200000 1200000 Region_begin name="g"' '0 1300000 1300000 Region_begin name="f"' \
    '0 1300000 1400000 Barrier' '0 1500000 1500000 Region_end name="f"' '0 1600000 1600000 Region_end name="g"' \
    '0 1700000 1700000 Region_end name="f"' '0 1710000 1710000 Region_begin name="9093"' \
    '0 1720000 1720000 Region_begin name="9093"' '0 1730000 1730000 Region_begin name="9094"' \
    '0 1740000 1740000 Region_begin name="100"' '0 1760000 1760000 Region_end name="100"' '0 1770000 1770000 Region_begin name="100"' \
    '0 2000000 9000000 Finalize' >"$tmp/nested.txt"
out=$(columns "$tmp/nested.txt")
has "recursion: the outermost counts, what does not end has no part of MPI_Finalize" "$(sed -n '/^region/,$p' <<<"$out")" \
    "region number time of run in MPI
whole 1 1 ms 100.00 % 100 us
f 2 600 us 60.00 % 100 us
g 1 400 us 40.00 % 100 us
100 2 250 us 25.00 % 0 ns

unended region whole, 1 of 1 time not ended: counted until the end of the rank
unended MPI_Pcontrol(9093) 2 times, never ended by (-9093): not a region
unended MPI_Pcontrol(9094) 1 time, never ended by (-9094): not a region
unended region 100, 1 of 2 times not ended: counted until the end of the rank"
out=$(columns "$tmp/a.txt")

# The same data by calls and by their v-variants: 100 bytes for each of 4 ranks. What is sent to nobody is not sent.
{
    printf '%s\n' '#mpgtext 1' '#ranks 4' '#comm 1 = 0 1 2 3' '#clocks shared' '#topology 0 1 = 1 null > 1 null'
    for r in 0 1 2 3; do
        [ $r = 0 ] || echo "#topology $r 1 = 0 > 0"
        printf "$r %s\n" '0 10 Init' '20 30 Alltoall bytes=100' '40 50 Alltoallv bytes=100,100,100,100' \
            '60 70 Scatter root=2 bytes=100' "80 90 Scatterv root=2 bytes=$([ $r = 2 ] && echo 100,100,100,100 || echo 100)" \
            '100 110 Bcast root=1 bytes=100' '120 130 Allgather bytes=100' '140 150 Gather root=1 bytes=100' '160 170 Reduce root=1 bytes=100' \
            '180 190 Send to=null bytes=100' '200 210 Recv from=null bytes=100' '220 230 Ibcast root=3 bytes=100 request=1' \
            '240 250 Wait requests=1' '260 270 Sendrecv to=null bytes=100 from=null recvbytes=100' \
            '280 290 Neighbor_allgather comm=1 bytes=100' '300 310 Finalize'
    done
} >"$tmp/bytes.txt"
is "bytes by one definition" "$(columns "$tmp/bytes.txt" | sed -nE 's/^MPI_(\w+) 4 [0-9.]+ ns [0-9.]+ %/\1/p' | sort | tr '\n' ',')" \
    "Allgather 400 B,Alltoall 1.562 KiB,Alltoallv 1.562 KiB,Bcast 100 B,Gather 400 B,Ibcast 100 B,Neighbor_allgather 400 B,\
Recv,Reduce 400 B,Scatter 400 B,Scatterv 400 B,Send,Sendrecv,Wait,"

# Rank 0 runs from 1 to 2 ms, rank 1 from 1 to 4: 36 us, and 1.4 us with 1 ms of Wtime, in MPI.
has "the part of the run in MPI" "$out" \
    "in MPI 25.93 % of all ranks' time, 1.037 ms (3.60 % on rank 0 to 33.38 % on rank 1)"
has "--ranks" "$(columns --ranks "$tmp/a.txt")" "0 4 1 ms 36 us 3.60 % 4.008 KiB
1 3 3 ms 1.001 ms 33.38 % 16 B 1 KiB"
has "--ranks --top: the largest part first" "$(columns --ranks --top=1 "$tmp/a.txt")" \
    "1 3 3 ms 1.001 ms 33.38 % 16 B 1 KiB
... and 1 more"
has "--top: the first rows of each table" "$(columns --top=1 "$tmp/a.txt" | grep -A1 '^region')" \
    "open 1 2 ms 50.00 % 0 ns"
is "--json" "$("$MPGTRACE" stat --json --callsites "$tmp/a.txt" | tr -d ' \n' | sed -nE \
    's/.*"run_ns":([0-9]*),"total_ns":([0-9]*),"in_mpi_ns":([0-9]*),.*"rank":1,"whole":false,"threads":2,"run_ns":([0-9]*),.*/\1 \2 \3 \4/p')" \
    "3000000 4000000 1037400 3000000"
if ! command -v "${PYTHON3:-python3}" >/dev/null; then
    skip "... is JSON, with the callsites" "no python3"
else
    is "... is JSON, with the callsites" "$("$MPGTRACE" stat --json -f 2 "$tmp/a.txt" | ${PYTHON3:-python3} -c '
import json, sys
a = json.load(sys.stdin)
print([c["callsite"] for c in a["callsites"] if c["call"] == "MPI_Send" and c["calls"] == 1][:2])
print(sum(c["time_ns"] for c in a["rank_table"]) - a["in_mpi_ns"], a["regions"][0]["region"])')" \
    "[['app+0x10', 'app+0x80'], ['app+0x10', 'app+0x90']]
0 outer"
fi
like "--json --top" "$("$MPGTRACE" stat --json --top=1 "$tmp/a.txt" 2>&1; echo $?)" "*JSON has all rows*2"

# off_cpu LINE...: prints a trace of two ranks, each of which runs for 1 ms.
off_cpu() {
    printf '%s\n' '#mpgtext 1' '#ranks 2' '#fact 0 mpgkit 0.2.0' '#fact 0 off_cpu rseq' '#fact 1 off_cpu clock' "$@"
}
# Rank 0 loses 3 us between calls (1 of them before its end), 7 us in a call, and in MPI_Finalize time that is outside
# of the run.
off_cpu '0 0 1000000 Init off_call=999999' '0 1100000 1200000 Barrier off=2000 off_call=7000' \
    '0 2000000 2500000 Finalize off=1000 off_call=500000' \
    '1 0 1000000 Init' '1 1100000 1200000 Flush off=9000 off_call=3000' '1 2000000 2500000 Finalize' >"$tmp/good.txt"
has "a good recording: time off the CPU outside of MPI" "$(columns "$tmp/good.txt")" \
    "recording good: 0.75 % of the ranks' time off the CPU (rank 1 most: 1.2 %)"
sed 's/1200000 Barrier off=2000 off_call=7000/1500000 Barrier off=2000 off_call=300000/' "$tmp/good.txt" >"$tmp/calls.txt"
has "... it says where much time off the CPU is in MPI" "$(columns "$tmp/calls.txt")" \
    "recording good: 0.75 % of the ranks' time off the CPU (rank 1 most: 1.2 %); in MPI 15 %, which mpgsim --predict replaces and --perturb keeps"
has "... of each rank" "$(columns --ranks "$tmp/good.txt")" \
    "rank calls run time in MPI of run off the CPU off in MPI sent received
0 1 1 ms 100 us 10.00 % 3 us 7 us
1 0 1 ms 0 ns 0.00 % 12 us 0 ns"
is "... as JSON" "$("$MPGTRACE" stat --json "$tmp/good.txt" | tr -d ' \n' |
    sed -nE 's/.*("recording":[^}]*}).*("off_cpu_ns":3000,"off_cpu_in_mpi_ns":7000).*/\1 \2/p')" \
    '"recording":{"good":true,"overhead_share":0,"off_cpu_share":0.0074999999999999997,"most_rank":1,"most_share":0.012} "off_cpu_ns":3000,"off_cpu_in_mpi_ns":7000'
# The limit: 25 us of a run of 1 ms.
off_cpu '0 0 1000000 Init' '0 2000000 2500000 Finalize off=25000' '1 0 1 Init' '1 1000001 1000002 Finalize' >"$tmp/limit.txt"
like "up to 2.5 % of a rank's run it is good" "$(columns "$tmp/limit.txt")" "*recording good: 1.2 % *(rank 0 most: 2.5 %)*"
off_cpu '0 0 1000000 Init' '0 2000000 2500000 Finalize off=25001' '1 0 1 Init' '1 1000001 1000002 Finalize' >"$tmp/poor.txt"
has "above it is fair" "$(columns "$tmp/poor.txt")" \
    "recording fair: rank 0 was off its CPU for 2.5 % of the run (all ranks: 1.3 %): record again on an idle machine"
off_cpu '0 0 1000000 Init' '0 2000000 2500000 Finalize off=100001' '1 0 1 Init' '1 1000001 1000002 Finalize' >"$tmp/poor.txt"
has "above 10 % it is poor" "$(columns "$tmp/poor.txt")" \
    "recording poor: rank 0 was off its CPU for 10 % of the run (all ranks: 5.0 %): record again on an idle machine"
sed '/off_cpu/d' "$tmp/good.txt" >"$tmp/older.txt"
has "an older trace" "$(columns "$tmp/older.txt")" \
    "recording off-CPU time not recorded (trace of an older version, or of a system that cannot)"
like "... as JSON" "$("$MPGTRACE" stat --json "$tmp/older.txt")" '*"recording": null,*'
is "one that no tracer recorded, or that is predicted" \
    "$("$MPGTRACE" stat "$tmp/a.txt" | grep -c '^recording')$( { cat "$tmp/good.txt"; echo '#fact 0 predicted by mpgsim'; } |
        "$MPGTRACE" stat - | grep -c '^recording')" 00

has "callsites: the same place is one line, MPI's bindings are left out" \
    "$(columns --callsites "$tmp/a.txt")" "MPI_Send 2 6 us 2 us 4 us 4 KiB app+0x10"
has "callsites: another call is another line" "$(columns -c "$tmp/a.txt")" \
    "MPI_Recv 1 1 us 1 us 1 us 1 KiB app+0x10"
has "callsites: a place in no module" "$(columns -c "$tmp/a.txt")" \
    "MPI_Allreduce 1 30 us 30 us 30 us 8 B ?+0x30"
has "callsites: no place" "$(columns -c "$tmp/a.txt")" "MPI_Send 1 0 ns 0 ns 0 ns unknown"
out=$(columns --frames=2 "$tmp/a.txt")
has "two frames: other callers are other lines" "$out" "MPI_Send 1 4 us 4 us 4 us 3 KiB app+0x10
 app+0x80"
has "two frames: the other one" "$out" "MPI_Send 1 2 us 2 us 2 us 1 KiB app+0x10
 app+0x90"
like "none recorded" "$(columns -c "$here/../nothing" 2>&1; printf '#mpgtext 1\n#ranks 1\n0 0 1 Init\n' | columns -c -)" \
    "*no callsites in this trace*"

# Names of functions in a program that exists here: test-symbols' main().
program=$build/tests/trace/stat/test-symbols
address=$(nm "$program" 2>/dev/null | awk '$3 == "main" { print $1 }')
id=$(readelf -n "$program" 2>/dev/null | awk '/Build ID:/ { print $3 }')
if [ -n "$address" ] && [ -n "$id" ] && "$program" | grep -q '^1\.\.[1-9]'; then
    named() {
        printf '#mpgtext 1\n#ranks 1\n#module 0 = %s "%s"\n#site 0 = 0+0x%x\n0 0 1 Init\n0 1 2 Wtime site=0\n' \
            "$1" "$2" $((0x$address + 1))
    }
    line='MPI_Wtime 1 1 ns 1 ns 1 ns main (test-symbols.c:[0-9]*)'
    like "function, file, line" "$(named "$id" "$(realpath "$program")" | columns -c -)" "*$line*"
    like "not those of another build" "$(named "ff${id#??}" "$(realpath "$program")" | columns -c -)" \
        "*1 ns test-symbols+0x*"
    like "not of a file that is gone" "$(named "$id" /nowhere/test-symbols | columns -c -)" \
        "*1 ns test-symbols+0x*"
    like "--debug-path" \
        "$(named "$id" /nowhere/test-symbols | columns -c --debug-path="$build/tests/trace/stat" -)" "*$line*"
else
    skip "function, file, line" "no libdw, nm or readelf"
fi

# Spawned jobs.
"$MPGTRACE" import --text "$tmp/a.txt" -o "$tmp/a.trace"
mkdir "$tmp/a.trace/spawned-2" "$tmp/a.trace/spawned-10"
has "jobs that were spawned" "$(columns "$tmp/a.trace")" "spawned $tmp/a.trace/spawned-2
spawned $tmp/a.trace/spawned-10"

# Aggregated calls count with their number and their times, at their place.
cat >"$tmp/sums.txt" <<'TEXT'
#mpgtext 1
#ranks 1
#fact 0 overhead_call_ns 50
#fact 0 overhead_sum_ns 20
#module 0 = 00ff "/opt/bin/app"
#site 0 = 0+0x10
0 0 1000000 Init
0 1000000 1000100 Wtime site=0
0 1500000 1500000 Wtime calls=1000 time=300000 least=100 most=5000 site=0
0 1500000 1500000 Comm_rank calls=10 time=100 least=10 most=10
0 1500000 1500000 Region_begin name="wait"
0 1900000 1900000 Wtime calls=1500 time=200000 least=50 most=4000 site=0
0 2000000 2000000 Region_end name="wait"
0 2000000 2100000 Finalize
TEXT
got=$(columns --callsites "$tmp/sums.txt")
has "sums count as many calls as they are" "$got" "calls 2513,*"
has "... which is said" "$got" "aggregated 2510 of the calls are local (MPI_Wtime and the like): only sums \
of them are in the trace"
has "... the tracer's time is that of calls and of sums" "$got" "overhead recording took 5.04 % of the run: 3 calls \
x 50 ns, 2510 aggregated x 20 ns, writing 0 ns"
sed 's/^#fact 0 overhead_sum_ns.*/&\n#fact 0 overhead_calls_ns 600/' "$tmp/sums.txt" >"$tmp/measured.txt"
has "... that of calls as measured in the run, if it is known" "$(columns "$tmp/measured.txt")" \
    "overhead recording took 5.08 % of the run: 3 calls x 200 ns, 2510 aggregated x 20 ns, writing 0 ns"
has "... and the figure that mpgsim deducts" "$(columns "$tmp/measured.txt")" \
    " mpgsim deducts 5.04 %: for each call the overhead measured in MPI_Init, 50 ns"
is "... which is not said where it is the same" "$(grep -c 'mpgsim deducts' <<<"$got")" 0
# The facts of an excerpt: no sum over the run, but the median. 3 calls of 100 ns and 2510 of 20 ns in 1 ms.
sed 's/^#fact 0 overhead_sum_ns.*/&\n#fact 0 overhead_call_median_ns 100/' "$tmp/sums.txt" >"$tmp/median.txt"
has "... without a sum over the run the median of a call counts, as mpgsim deducts it" "$(columns "$tmp/median.txt")" \
    "overhead recording took 5.05 % of the run: 3 calls x 100 ns, 2510 aggregated x 20 ns, writing 0 ns"
is "... in one figure" "$(columns "$tmp/median.txt" | grep -c 'mpgsim deducts')" 0
has "... their time is that of all" "$got" "MPI_Wtime 2501 500.1 us 50.01 %"
has "... of a region that of those in it" "$got" "wait 1 500 us 50.00 % 200 us"
has "... least and most are of all" "$got" "MPI_Wtime 2501 500.1 us 50 ns 5 us*"

# Without Python frames the stack of a Python program ends in the interpreter, which stat says.
cat >"$tmp/python.txt" <<'TEXT'
#mpgtext 1
#ranks 1
#module 0 = - "/opt/lib/MPI.cpython-311-x86_64-linux-gnu.so"
#module 1 = - "/opt/bin/python3.11"
#site 0 = 0+0x10 0+0x20 1+0x30 1+0x40
0 0 1000000 Init
0 1000000 1000100 Barrier comm=0 site=0
0 2000000 2100000 Finalize
TEXT
got=$(columns --callsites --frames=3 "$tmp/python.txt")
has "a stack in Python ends in the interpreter, which is said" "$got" \
    "MPI_Barrier 1 100 ns 100 ns 100 ns MPI.cpython-311-x86_64-linux-gnu.so+0x10
 MPI.cpython-311-x86_64-linux-gnu.so+0x20
 python3.11: called from the interpreter; Python's functions are not known"
got=$(columns --callsites "$tmp/python.txt")
has "... with one frame, too" "$got" \
    "MPI_Barrier 1 100 ns 100 ns 100 ns MPI.cpython-311-x86_64-linux-gnu.so+0x10
 python3.11: called from the interpreter; Python's functions are not known"

# Lines of Python programs with arbitrary names of functions and files.
cat >"$tmp/lines.txt" <<'TEXT'
#mpgtext 1
#ranks 1
#module 0 = - "python:A.main:libmpi.py"
#module 1 = - "python:main:/opt/me/python3.py"
#module 2 = - "python:<module>:/opt/me/a:b.py"
#site 0 = 0+0x10 1+0x20 2+0x0
0 0 1000000 Init
0 1000000 1000100 Barrier comm=0 site=0
0 2000000 2100000 Finalize
TEXT
got=$(columns --callsites --frames=3 "$tmp/lines.txt")
has "lines of Python are told" "$got" "MPI_Barrier 1 100 ns 100 ns 100 ns A.main (libmpi.py:16)
 main (python3.py:32)
 <module> (a:b.py)"
done_testing
