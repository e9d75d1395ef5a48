#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace export --format=prv and mpgsim --output-trace=x.prv (TAP): a small program's records and names by hand, what is left
# out, a full disk, memory.
set -u
work=$(mktemp -d) || exit 1
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
. "${top_srcdir:?}/tests/tap.sh"
. "$top_srcdir/tests/traces.sh"
mpgtrace=${MPGTRACE:?} mpgsim=${MPGSIM:?} build=${top_builddir:?}
cd "$work" || exit 1

# Rank 1's clock is 320 ns ahead, so time 0 is 120 - 320 = -200. Communicator 1 has the ranks in reverse order.
cat >small.txt <<'END'
#mpgtext 1
#ranks 2
#comm 1 = 1 0
#clock 1 500 -320
#fact 0 date 2026-11-28T05:55:00Z
#host 0 a
#host 1 b
0 100 1000 Init
1 120 900 Init
0 1100 1100 Region_begin name="solve"
0 1500 1720 Send to=1 tag=7 bytes=1024
1 1400 1900 Recv from=0 tag=7 bytes=1024 any=source,tag
1 2000 2100 Irecv comm=1 from=1 tag=8 bytes=16 request=3
0 2110 2115 Isend comm=1 to=0 tag=8 bytes=16 request=4
1 2200 2500 Waitany requests=3 done=3
0 2200 2201 Wait requests=4
0 2300 2300 Comm_rank calls=5 time=50 least=10 most=10
0 2700 2900 Bcast comm=1 root=0 bytes=800
1 2710 2890 Bcast comm=1 root=0 bytes=800
0 3100 3100 Region_end name="solve"
0 3200 3250 Flush
0 3300 3400 Sendrecv to=null tag=0 bytes=0 from=1 recvtag=2 recvbytes=5
1 3300 3390 Send to=0 tag=2 bytes=5
0 9000 9100 Finalize
1 9000 9100 Finalize
END
"$mpgtrace" export -o x.prv small.txt 2>err
is "what is left out is said" "$(cat err)" "mpgtrace export: attention: 5 local calls that the trace only counts"
is "its files" "$(ls x.* | tr '\n' ' ')" "x.pcf x.prv x.row "
cat >expected <<'END'
#Paraver (28/11/2026 at 05:55):9300_ns:2(1,1):1:2(1:1,1:2),2
c:1:1:2:1:2
c:1:2:2:2:1
1:1:1:1:1:0:300:2
1:2:1:2:1:0:780:15
2:2:1:2:1:0:50000003:31
1:1:1:1:1:300:1200:15
2:1:1:1:1:300:50000003:31
1:2:1:2:1:780:1280:1
2:2:1:2:1:780:50000003:0
1:1:1:1:1:1200:1300:1
2:1:1:1:1:1200:50000003:0
1:2:1:2:1:1280:1780:3
2:2:1:2:1:1280:50000001:2
1:1:1:1:1:1300:1700:1
2:1:1:1:1:1300:60000019:1
1:1:1:1:1:1700:1920:4
2:1:1:1:1:1700:50000001:1
1:2:1:2:1:1780:1880:1
2:2:1:2:1:1780:50000001:0
1:2:1:2:1:1880:1980:11
2:2:1:2:1:1880:50000001:4
1:1:1:1:1:1920:2310:1
2:1:1:1:1:1920:50000001:0
3:1:1:1:1:1700:1920:2:1:2:1:1280:1780:1024:7
1:2:1:2:1:1980:2080:1
2:2:1:2:1:1980:50000001:0
1:2:1:2:1:2080:2380:8
2:2:1:2:1:2080:50000001:59
1:1:1:1:1:2310:2315:10
2:1:1:1:1:2310:50000001:3
1:1:1:1:1:2315:2400:1
2:1:1:1:1:2315:50000001:0
3:1:1:1:1:2310:2315:2:1:2:1:1980:2380:16:8
1:2:1:2:1:2380:2590:1
2:2:1:2:1:2380:50000001:0
1:1:1:1:1:2400:2401:8
2:1:1:1:1:2400:50000001:5
1:1:1:1:1:2401:2900:1
2:1:1:1:1:2401:50000001:0
1:2:1:2:1:2590:2770:13
2:2:1:2:1:2590:50000002:7:50100001:800:50100002:0:50100004:2:50100003:1
1:2:1:2:1:2770:3180:1
2:2:1:2:1:2770:50000002:0
1:1:1:1:1:2900:3100:13
2:1:1:1:1:2900:50000002:7:50100001:0:50100002:800:50100004:2
1:1:1:1:1:3100:3300:1
2:1:1:1:1:3100:50000002:0
1:2:1:2:1:3180:3270:4
2:2:1:2:1:3180:50000001:1
1:2:1:2:1:3270:8880:1
2:2:1:2:1:3270:50000001:0
3:2:1:2:1:3180:3270:1:1:1:1:3500:3600:5:2
1:1:1:1:1:3300:3400:1
2:1:1:1:1:3300:60000019:0
1:1:1:1:1:3400:3450:12
2:1:1:1:1:3400:40000003:1
1:1:1:1:1:3450:3500:1
2:1:1:1:1:3450:40000003:0
1:1:1:1:1:3500:3600:16
2:1:1:1:1:3500:50000001:41
1:1:1:1:1:3600:9200:1
2:1:1:1:1:3600:50000001:0
1:2:1:2:1:8880:8980:15
2:2:1:2:1:8880:50000003:32
2:2:1:2:1:8980:50000003:0
1:1:1:1:1:9200:9300:15
2:1:1:1:1:9200:50000003:32
2:1:1:1:1:9300:50000003:0
END
is "its records, by hand" "$(cat x.prv)" "$(cat expected)"
is "names of values" "$(grep -E '^[0-9]+ +(MPI|solve)|^[0-9]+ +[0-9]+ +Region' x.pcf | tr -s ' ')" "1 MPI_Send
2 MPI_Recv
41 MPI_Sendrecv
3 MPI_Isend
4 MPI_Irecv
5 MPI_Wait
59 MPI_Waitany
7 MPI_Bcast
31 MPI_Init
32 MPI_Finalize
9 60000019 Region
1 solve"
is "each state has a colour" "$(sed -n '/^STATES_COLOR/,/^EVENT/p' x.pcf | grep -c '{[0-9]*,[0-9]*,[0-9]*}')" \
    "$(sed -n '/^STATES$/,/^STATES_COLOR/p' x.pcf | grep -c '^[0-9]')"
is "names of hosts and ranks" "$(cat x.row)" "LEVEL CPU SIZE 2
1.a
2.b

LEVEL NODE SIZE 2
a
b

LEVEL TASK SIZE 2
Rank 0
Rank 1

LEVEL THREAD SIZE 2
Rank 0 thread 0
Rank 1 thread 0"
"$mpgtrace" export --format=prv -o y small.txt 2>/dev/null
is "an output without the ending gets it" "$(cat y.prv)" "$(cat x.prv)"

# Values of counters appear at the next call.
cat >counters.txt <<'END'
#mpgtext 1
#ranks 1
#values PAPI_TOT_INS PAPI_L3_TCM
0 0 10 Init values=0,0
0 20 20 Comm_rank calls=5 time=50 least=10 most=10 values=5,0
0 30 40 Send to=null tag=0 bytes=0 values=70,8
0 80 90 Finalize values=2,1
END
"$mpgtrace" export -o counters.prv counters.txt 2>/dev/null
is "counters" "$(grep ':42' counters.prv; grep ' 42.* PAPI' counters.pcf)" "2:1:1:1:1:0:50000003:31:42000050:0:42100001:0
2:1:1:1:1:30:50000001:1:42000050:75:42100001:8
2:1:1:1:1:80:50000003:32:42000050:2:42100001:1
1    42000050    PAPI_TOT_INS
1    42100001    PAPI_L3_TCM"

# Inter-communicators, unknown functions, and a call that never returned.
cat >other.txt <<'END'
#mpgtext 1
#ranks 3
#clocks shared
#comm 1 of 0 = 0 1 | 2
#died 2 Barrier 70
0 0 10 Init
1 0 10 Init
2 0 10 Init
0 20 30 Send comm=1 to=0 tag=1 bytes=9
2 20 40 Recv comm=1 from=0 tag=1 bytes=9
1 50 60 Unknown name="MPI_Foo"
1 61 65 Unknown name="MPI_Iallreduce"
0 80 90 Finalize
1 80 90 Finalize
END
"$mpgtrace" export --lenient -o other.prv other.txt
is "an inter-communicator, its groups and its messages" "$(grep -E '^[ci3]:' other.prv)" "c:1:1:3:1:2:3
c:1:2:2:1:2
c:1:3:1:3
i:1:4:2:3
3:1:1:1:1:20:30:3:1:3:1:20:40:9:1"
is "functions without a number" "$(grep -oE '^2:2:1:2:1:(50|61):.*' other.prv; grep -c '^1000000 *MPI_Foo$' other.pcf)" \
    "2:2:1:2:1:50:50000003:1000000
2:2:1:2:1:61:50000002:155
1"
is "a call without an end" "$(grep -c '^2:3:1:3:1:70:50000002:8$' other.prv)" 1

# A predicted run.
grep -v 'Flush\|calls=' small.txt >plain.txt
"$mpgsim" --predict --latency=const:2us --output-trace=there plain.txt >/dev/null
"$mpgtrace" export -o there.prv there 2>/dev/null
"$mpgsim" --predict --latency=const:2us --output-trace=then.prv plain.txt >/dev/null 2>&1
is "a predicted run" "$(sed 1d then.prv)" "$(sed 1d there.prv)"

ring 8 4000 8 | "$mpgtrace" import --text - -o long.trace
mkdir full
if mount -t tmpfs -o size=256k tmpfs full 2>/dev/null; then
    "$mpgtrace" export -o full/x.prv long.trace 2>err
    is "a full disk" "$? $(grep -c 'No space left on device' err) $(wc -l <err)" "1 1 1"
    is "nothing is left on a full disk" "$(ls -A full)" ""
    umount full
else
    skip "a full disk" "cannot mount a file system"
    skip "nothing is left on a full disk" "cannot mount a file system"
fi
# peak N: prints the memory in KiB that the export of a ring with N rounds needs.
peak() {
    ring 4 "$1" 8 | "$mpgtrace" import --text - -o "peak-$1.trace"
    "$build/tests/peak_memory" "$mpgtrace" export -o "peak-$1.prv" "peak-$1.trace" | grep -oE '[0-9]+' | tail -n 1
}
small=$(peak 30000) large=$(peak 90000)
ok "memory does not grow with half a million calls ($small, $large KiB)" test "$large" -lt $((small + 4096))
done_testing
