#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim when memory runs out (TAP): whichever allocation fails, of a trace that has
# something of everything, the answer is the right one or "out of memory" in one line,
# never a signal, and never the trace's fault.
set -u
. "${top_srcdir:?}/tests/tap.sh"
mpgsim=${MPGSIM:?} mpgtrace=${MPGTRACE:?}
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "sanitizers have an allocator of their own"
preload=${top_builddir:?}/tests/graph/.libs/libfail_malloc.so
[ -e "$preload" ] || skip_all "no $preload"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

cat >all.txt <<'END'
#mpgtext 1
#ranks 3
#comm 0 = 0 1 2
#comm 1 of 0 = 2 0 1
#comm 2 = 0 1 2
#comm 3 = 0 | 1 2
#topology 0 2 = 2 1 > 2 1
#topology 1 2 = 0 2 > 0 2
#topology 2 2 = 1 0 > 1 0
#window 0 = 0 0
0 0 100 Init
1 0 100 Init
2 0 100 Init
0 200 300 Comm_dup comm=0 newcomm=1
1 200 300 Comm_dup comm=0 newcomm=1
2 200 300 Comm_dup comm=0 newcomm=1
0 400 410 Send to=1 tag=1 bytes=8
0 420 430 Ssend to=2 comm=1 tag=1 bytes=8
1 400 500 Recv from=0 tag=1 bytes=8 any=source,tag
1 520 600 Recv from=1 comm=1 tag=1 bytes=8
0 700 710 Isend to=1 tag=2 bytes=8 request=1
0 720 730 Issend to=2 tag=2 bytes=80000 request=2
0 740 750 Irecv from=2 tag=3 bytes=8 request=3 any=source
0 760 900 Waitall requests=1,2,3
1 700 710 Probe from=0 tag=2 bytes=8
1 720 730 Recv from=0 tag=2 bytes=8
2 700 710 Mprobe from=0 tag=2 bytes=80000 message=1
2 720 730 Imrecv from=0 tag=2 bytes=80000 message=1 request=1
2 740 750 Wait requests=1
2 760 770 Send to=0 tag=3 bytes=8
0 1000 1010 Send_init to=1 tag=4 bytes=8 persistent=1
0 1020 1030 Start persistent=1 requests=4
0 1040 1050 Wait requests=4
1 1000 1010 Recv_init from=0 tag=4 bytes=8 persistent=1
1 1020 1030 Start persistent=1 requests=1
1 1040 1050 Wait requests=1
1 1060 1070 Request_free persistent=1
0 1100 1110 Irecv bytes=8 request=5 any=source,tag
0 1120 1130 Cancel request=5
0 1200 1300 Barrier comm=3
1 1200 1300 Barrier comm=3
2 1200 1300 Barrier comm=3
0 1400 1500 Scan bytes=8
1 1400 1500 Scan bytes=8
2 1400 1500 Scan bytes=8
0 1600 1610 Bcast root=0 bytes=8
1 1600 1700 Bcast root=0 bytes=8
2 1600 1700 Bcast root=0 bytes=8
0 1800 1900 Gather comm=1 root=1 bytes=8
1 1800 1810 Gather comm=1 root=1 bytes=8
2 1800 1810 Gather comm=1 root=1 bytes=8
0 2000 2010 Ialltoallv bytes=1,2,3 request=6
1 2000 2010 Ialltoallv bytes=1,2,3 request=2
2 2000 2010 Ialltoallv bytes=1,2,3 request=2
0 2100 2110 Wait requests=6
1 2100 2110 Testsome requests=2 done=2
2 2100 2110 Wait requests=2
0 2200 2300 Neighbor_alltoall comm=2 bytes=40
1 2200 2300 Neighbor_alltoall comm=2 bytes=40
2 2200 2300 Neighbor_alltoall comm=2 bytes=40
0 2400 2410 Ineighbor_allgather comm=2 bytes=40 request=7
1 2400 2410 Ineighbor_allgather comm=2 bytes=40 request=3
2 2400 2410 Ineighbor_allgather comm=2 bytes=40 request=3
0 2420 2430 Wait requests=7
1 2420 2430 Wait requests=3
2 2420 2430 Wait requests=3
0 2500 2600 Win_create comm=0 win=0 bytes=800
1 2500 2600 Win_create comm=0 win=0 bytes=800
2 2500 2600 Win_create comm=0 win=0 bytes=800
0 2700 2710 Win_post win=0 group=1,2
1 2700 2710 Win_start win=0 group=0
2 2700 2710 Win_start win=0 group=0
1 2720 2730 Put win=0 to=0 bytes=40
1 2740 2750 Win_complete win=0
2 2740 2750 Win_complete win=0
0 2760 2770 Win_wait win=0
0 2800 2810 Win_lock win=0 to=1
0 2820 2830 Put win=0 to=1 bytes=40
0 2840 2850 Win_unlock win=0 to=1
0 2860 2870 Rget win=0 to=1 bytes=0 recvbytes=8 request=8
0 2880 2890 Wait requests=8
0 3000 3100 Win_fence win=0
1 3000 3100 Win_fence win=0
2 3000 3100 Win_fence win=0
0 3200 3300 Win_free win=0
1 3200 3300 Win_free win=0
2 3200 3300 Win_free win=0
0.1 3400 3500 Recv from=2 tag=9 bytes=8
2 3400 3410 Send to=0 tag=9 bytes=8
0 4000 4010 Finalize
1 4000 4010 Finalize
2 4000 4010 Finalize
END

# answer VARIABLE...: runs mpgsim on $trace with these variables for the preloaded allocator; output in out and err.
# Returns its exit status.
answer() {
    (
        # shellcheck disable=SC2163 # words VARIABLE=VALUE
        export "$@" LD_PRELOAD="$preload" # exec saves a process in each of thousands of runs
        exec "$mpgsim" --json --cache=fresh --eager-limit=1000 --latency=const:1us --noise=exp:1us --replicas=2 "$trace" >out 2>err
    )
}

# good: succeeds if the prediction is complete and correct.
good() {
    local text
    IFS= read -r -d '' text <out
    [ ! -s err ] && [ "$text" = "$right" ]
}

# one_line STATUS: succeeds if mpgsim failed with STATUS 1 or 2, and printed one line that names lack of memory.
one_line() {
    local lines
    [ "$1" = 1 ] || [ "$1" = 2 ] || return
    mapfile -t lines <err
    [ ${#lines[@]} = 1 ] || return
    [[ ${lines[0]} =~ ^mpgsim:\ .*(out of memory|not enough memory|Cannot allocate memory) ]]
}

# every STEP VARIABLE...: lets every STEPth allocation of a run fail, one in each run, with VARIABLES set. Counts runs
# with a correct prediction and runs with an error message; reports all others.
every() {
    local at status wrong=0 answers=0 refusals=0 step=$1
    shift
    for ((at = 1; at <= number; at += step)); do
        answer FAIL_AT=$at "$@"
        status=$?
        if [ $status = 0 ] && good; then
            answers=$((answers + 1))
        elif one_line $status; then
            refusals=$((refusals + 1))
        else
            wrong=$((wrong + 1))
            [ $wrong -gt 5 ] || echo "# allocation $at: exit $status: $(head -c 200 err)"
        fi
    done
    echo "# $number allocations: $answers answers, $refusals refusals, $wrong wrong"
    [ $wrong = 0 ] && [ $refusals -gt $((number / 2 / step)) ]
}

ok "it is imported" "$mpgtrace" import --text all.txt -o all.trace
for trace in all.trace all.txt; do
    answer FAIL_AT=0 FAIL_COUNT="$tmp/count" && cp out right
    IFS= read -r -d '' right <right
    ok "$trace: there is an answer" test -s right
    number=$(cat count)
    ok "$trace: its allocations are counted" test "$number" -gt 50
    if [ "$trace" = all.trace ]; then
        ok "$trace: any one of them fails" every 1
        ok "$trace: and all after it" every 3 FAIL_ALL=1
    else # most are the same as for the other trace
        ok "$trace: any one of them fails" every 3
    fi
done
done_testing
