#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of liballprof (TAP): small traces whose calls, sizes and times are written down by hand, and damaged ones.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp
. "$here/../foreign/foreign.sh"

# file RANK OFFSET: writes the file of RANK, with the lines of standard input.
file() {
    mkdir -p "$tmp/run"
    {
        printf '# collprof 0.9 output file\n# host: node%s\n# Init clockdiff: %s\n\n' "$1" "$2"
        cat
    } >"$tmp/run/pmpi-trace-rank-$1.txt"
}

# Types of 4 and 8 bytes, of which the number is the second of three. Requests of 8 bytes: array elements are 800, 808, ...
w() { echo "7000,$1,3"; }
file 0 0.000000 <<EOT
MPI_Init:-:1:2:100.5
MPI_Comm_rank:101:$(w 0):9:102
MPI_Isend:110:55:10:1,4,4:1:5:$(w 0):800:111
MPI_Isend:112:55:2:1,8,8:2:6:$(w 0):808:113
MPI_Waitall:114:2:800:99:120
MPI_Recv:130:55:100:1,8,8:-1:-1:$(w 0):77:140
MPI_Recv:141:55:100:1,8,8:2:9:$(w 0):77:150
MPI_Comm_split:160:$(w 0):0:0:31:170
MPI_Bcast:180:55:3:1,4,4:1:7777,0,2:190
MPI_Scatterv:200:55:30:1,2,3:31:0,1,3:1,4,4:56:1:1,4,4:0:$(w 0):210
MPI_Finalize:300:-
EOT
file 1 -2000.250000 <<EOT
MPI_Init:-:1:2:2100
MPI_Irecv:2110:55:20:1,4,4:0:5:$(w 1):900:2111
MPI_Test:2112:900:1:2:2113
MPI_Test:2114:900:1:2:2115
MPI_Send:2120:55:4:1,8,8:0:9:$(w 1):2130
MPI_Comm_split:2160:$(w 1):1:0:31:2170
MPI_Reduce_scatter:2175:55:56:30:5,6,7:1,8,8:3:$(w 1):2176
MPI_Scatterv:2200:55:30:0,0,0:31:0,0,0:1,4,4:56:2:1,4,4:0:$(w 1):2210
# Finalize clockdiff: -2000.500000
MPI_Finalize:2300:-
EOT
file 2 0.000000 <<EOT
MPI_Init:-:1:2:100
MPI_Sendrecv:110:55:1:1,4,4:-2:3:56:2:1,8,8:0:6:$(w 2):1:115
MPI_Send:120:55:1:1,8,8:0:9:$(w 2):125
MPI_Comm_split:160:$(w 2):0:-1:31:170
MPI_Bcast:180:55:3:1,4,4:1:8888,1,2:190
MPI_Probe:191:0:1:$(w 2):5:192
MPI_Type_commit:193:5:194
MPI_Type_strange:195:5:196
MPI_Scatterv:200:55:30:0,0,0:31:0,0,0:1,4,4:56:3:1,4,4:0:$(w 2):210
MPI_Finalize:300:-
EOT
# The reduction of ranks 0 and 2, and the order in the split: rank 2 has the lower key, so it is rank 0 of 2.
sed -i "/^MPI_Scatterv/i MPI_Reduce_scatter:195:55:56:30:5,6,7:1,8,8:3:$(w 0):196" "$tmp/run/pmpi-trace-rank-0.txt"
sed -i "/^MPI_Scatterv/i MPI_Reduce_scatter:197:55:56:30:5,6,7:1,8,8:3:$(w 2):198" "$tmp/run/pmpi-trace-rank-2.txt"
sed -i 's/7777,0,2/7777,1,2/' "$tmp/run/pmpi-trace-rank-0.txt"
sed -i 's/8888,1,2/8888,0,2/' "$tmp/run/pmpi-trace-rank-2.txt"
# Rank 0's receive from any source: rank 1's message leaves at 2120 - 2000.25 us, rank 2's at 120 us; and the receive after it
# names rank 2, which sends one message.
cat >"$tmp/expected" <<'EOT'
#mpgtext 1
#ranks 3
#fact 0 imported liballprof collprof 0.9
#host 0 node0
#clock 0 500 0
#fact 0 assumed 3 receives: size of the buffer, as sizes of received messages are not recorded
#fact 0 assumed 1 receives from any source or with any tag: the trace does not tell the sender, the earliest send that fits is taken
#fact 0 assumed 2 calls of Test, Testall, Testany and Testsome: the trace does not tell which requests completed, a request completes in the last call that names it
#host 1 node1
#clock 1 2000000 -2000250
#clock 1 2200000 -2000500
#host 2 node2
#clock 2 0 0
#fact 2 untraced MPI_Type_strange 1 local
0 500 500 Init
0 1000 2000 Comm_rank
#comm 0 = 0 1 2
0 10000 11000 Isend comm=0 to=1 tag=5 bytes=40 request=1
0 12000 13000 Isend comm=0 to=2 tag=6 bytes=16 request=2
0 14000 20000 Waitall requests=1,2
0 30000 40000 Recv comm=0 from=1 tag=9 bytes=800 any=source,tag
0 41000 50000 Recv comm=0 from=2 tag=9 bytes=800
#comm 1 of 0 = 2 0
0 60000 70000 Comm_split comm=0 newcomm=1
0 80000 90000 Bcast comm=1 root=1 bytes=12
0 95000 96000 Reduce_scatter comm=0 bytes=144
0 100000 110000 Scatterv comm=0 root=0 bytes=4,8,12
0 200000 200000 Finalize
1 2000000 2000000 Init
1 2010000 2011000 Irecv comm=0 from=0 tag=5 bytes=80 request=1
1 2012000 2013000 Test requests=1 done=
1 2014000 2015000 Test requests=1
1 2020000 2030000 Send comm=0 to=0 tag=9 bytes=32
#comm 2 of 0 = 1
1 2060000 2070000 Comm_split comm=0 newcomm=2
1 2075000 2076000 Reduce_scatter comm=0 bytes=144
1 2100000 2110000 Scatterv comm=0 root=0 bytes=8
1 2200000 2200000 Finalize
2 0 0 Init
2 10000 15000 Sendrecv comm=0 to=null tag=3 bytes=4 from=0 recvtag=6 recvbytes=16
2 20000 25000 Send comm=0 to=0 tag=9 bytes=8
2 60000 70000 Comm_split comm=0 newcomm=1
2 80000 90000 Bcast comm=1 root=1 bytes=12
2 91000 92000 Unknown name="MPI_Probe"
2 93000 94000 Type_commit
2 97000 98000 Reduce_scatter comm=0 bytes=144
2 100000 110000 Scatterv comm=0 root=0 bytes=12
2 200000 200000 Finalize
EOT
ok "calls, sizes, communicators, clocks and times" imported "$tmp/run" "$tmp/expected"
like "the report" "$(cat "$tmp/report")" "liballprof: 3 ranks, 31 calls, 4 messages, 8 collective calls; clocks measured*"
"$MPGTRACE" print "$tmp/run/pmpi-trace-rank-1.txt" >"$tmp/printed"
ok "one file stands for all, opened without import" shown "$tmp/expected" "$tmp/printed"
ok "with its option" imported "$tmp/run" "$tmp/expected" --liballprof
"$MPGTRACE" stat "$tmp/run" >"$tmp/out"
ok "stat names the recorder" grep -q '^imported    liballprof collprof 0.9$' "$tmp/out"

# Two messages, 0 to 1 and back; rank 1's clock is 2 ms ahead: by own clocks the second arrives 1995 us before it leaves.
arriving() {
    rm -rf "$tmp/arriving"
    mkdir "$tmp/arriving"
    printf '%s\n' '# collprof 0.9 output file' '# host: a' '# Init clockdiff: 0.0' '' MPI_Init:-:1:2:5 \
        MPI_Send:10:55:1:1,4,4:1:5:70,0,2:11 MPI_Recv:12:55:1:1,4,4:1:6:70,0,2:77:25 MPI_Finalize:30:- >"$tmp/arriving/t-0.dat"
    printf '%s\n' '# collprof 0.9 output file' '# host: b' "# Init clockdiff: $1" '' MPI_Init:-:1:2:2005 \
        MPI_Recv:2006:55:1:1,4,4:0:5:70,1,2:77:2015 MPI_Send:2020:55:1:1,4,4:0:6:70,1,2:2021 MPI_Finalize:2030:- >"$tmp/arriving/t-1.dat"
    "$MPGTRACE" import --force "$tmp/arriving" -o "$tmp/imported.trace" 2>&1
}
like "messages that arrive before they left, with and without offsets" "$(arriving -2000.0)" \
    "*clocks measured; 0 of 2 messages arrive before they left (1 without the offsets)*"
like "offsets of the wrong sign" "$(arriving 2000.0)" \
    "*clocks measured; 1 of 2 messages arrive before they left, by up to 3995000 ns (1 without the offsets)*assumed: 1 messages arrive before they left: the trace's clock offsets do not make them fewer*"

# MPICH: requests of 4 bytes, MPI_ANY_SOURCE is -2, MPI_PROC_NULL -1. Persistent requests; duplicated communicators; a
# communicator whose members follow from its use.
mkdir -p "$tmp/mpich"
c() { echo "1140850688,$1,2"; }
cat >"$tmp/mpich/t-00.dat" <<EOT
# collprof 0.9 output file
MPI_Init:-:1:2:0
MPI_Comm_dup:5:$(c 0):9:6
MPI_Send_init:10:1:3:1,4,4:1:1:18446744071629176832,0,2:400:11
MPI_Recv_init:12:1:3:1,4,4:-2:2:18446744071629176832,0,2:404:13
MPI_Startall:14:2:400:15
MPI_Waitall:16:2:400:0:20
MPI_Startall:24:2:400:25
MPI_Waitany:26:2:400:0:0:30
MPI_Waitany:31:2:400:0:0:32
MPI_Send:40:1:1:1,1,1:-1:0:$(c 0):41
MPI_Comm_create:50:$(c 0):5:6:60
MPI_Barrier:61:999,0,1:62
MPI_Finalize:70:-
EOT
cat >"$tmp/mpich/t-01.dat" <<EOT
# collprof 0.9 output file
MPI_Init:-:1:2:0
MPI_Comm_dup:5:$(c 1):9:6
MPI_Recv:10:1:3:1,4,4:0:1:18446744071629176832,1,2:5:11
MPI_Send:12:1:3:1,4,4:0:2:18446744071629176832,1,2:13
MPI_Recv:14:1:3:1,4,4:0:1:18446744071629176832,1,2:5:15
MPI_Send:16:1:3:1,4,4:0:2:18446744071629176832,1,2:17
MPI_Comm_create:50:$(c 1):5:6:60
MPI_Finalize:70:-
EOT
cat >"$tmp/expected" <<'EOT'
0 0 0 Init
#comm 0 = 0 1
#comm 1 of 0 = 0 1
0 5000 6000 Comm_dup comm=0 newcomm=1
0 14000 15000 Isend comm=1 to=1 tag=1 bytes=12 request=1
0 15000 15000 Irecv comm=1 from=1 tag=2 bytes=12 any=source request=2
0 16000 20000 Waitall requests=1,2
0 24000 25000 Isend comm=1 to=1 tag=1 bytes=12 request=3
0 25000 25000 Irecv comm=1 from=1 tag=2 bytes=12 any=source request=4
0 26000 30000 Waitany requests=3,4 done=3
0 31000 32000 Waitany requests=4
0 40000 41000 Send comm=0 to=null tag=0 bytes=1
#comm 2 of 0 = 0
0 50000 60000 Comm_create comm=0 newcomm=2
0 61000 62000 Barrier comm=2
0 70000 70000 Finalize
EOT
"$MPGTRACE" print "$tmp/mpich" | sed -n '/^0 /,/^1 /{/^1 /!p}' >"$tmp/printed"
ok "MPICH: requests of 4 bytes, any source and none, persistent requests" shown "$tmp/expected" "$tmp/printed"
like "a rank outside of a new communicator" "$("$MPGTRACE" print "$tmp/mpich" | grep '^1 50000')" "1 50000 60000 Comm_create comm=0 newcomm=null"

# Refused files, with the reason.
one() {
    rm -rf "$tmp/one"
    mkdir "$tmp/one"
    printf '# collprof 0.9 output file\nMPI_Init:-:1:2:0\n%s\nMPI_Finalize:900:-\n' "$1" >"$tmp/one/t.dat"
}
one "MPI_Send:1:5:1:1,4,4:0:0:7,0,1:2"
ok "a message that nobody receives" refused "$tmp/one" "rank 0 sends rank 0 1 messages in communicator 0, and 0 are received"
ok "--lenient takes it" "$MPGTRACE" import --force --lenient "$tmp/one" -o "$tmp/lenient.trace"
one "MPI_Send:1:5:1:1,4,4:3:0:7,0,1:2"
ok "a rank that is none" refused "$tmp/one" "rank 3 is none of the 1 of its communicator"
one "MPI_Barrier:1:7,0,5:2"
ok "files are missing" refused "$tmp/one" "a communicator of 5 ranks, in a trace of 1"
one "MPI_Send:1:5:9223372036854775807:1,4,4:0:0:7,0,1:2"
ok "2^63 - 1 elements" refused "$tmp/one" "line 3: MPI_Send: sizes are damaged"
one "MPI_Waitall:1:9223372036854775807:800:0:2"
ok "2^63 - 1 requests" refused "$tmp/one" "MPI_Waitall: argument 1 is damaged"
one "MPI_Barrier:5:7,0,1:2"
ok "a call that ends before it begins" refused "$tmp/one" "a call ends 3000 ns before it begins"
one "MPI_Alltoallv:1:2:3:1,2:3:0,0:1,4,4:5:3:1,2:3:0,0:1,4,4:7,0,1:2"
ok "a list of another length" refused "$tmp/one" "MPI_Alltoallv: sizes are damaged"
one "MPI_Comm_split:1:7,0,1:0:0:5:2
MPI_Comm_split:3:123456,0,1:0:0:5:4"
ok "its own communicator" "$MPGTRACE" import --force "$tmp/one" -o "$tmp/own.trace"
mkdir "$tmp/two"
cp "$tmp/run/pmpi-trace-rank-0.txt" "$tmp/two/a-0.txt"
cp "$tmp/run/pmpi-trace-rank-1.txt" "$tmp/two/b-1.txt"
ok "files of two traces" refused "$tmp/two" "files of several traces"
cp -r "$tmp/run" "$tmp/short"
sed -i '/Comm_split/d' "$tmp/short/pmpi-trace-rank-1.txt"
ok "a constructor that not all members call" refused "$tmp/short" "not all members make it"

# Damaged files.
ok "truncated at each 97th byte" truncated "$tmp/run" pmpi-trace-rank-0.txt
ok "truncated: requests of 4 bytes" truncated "$tmp/mpich" t-00.dat
"$MPGTRACE" import --force "$tmp/mpich" -o "$tmp/whole.trace" >/dev/null
head -c -20 "$tmp/mpich/t-01.dat" >"$tmp/cut" && mv "$tmp/cut" "$tmp/mpich/t-01.dat"
"$MPGTRACE" import --lenient --force "$tmp/mpich" -o "$tmp/cut.trace" >/dev/null 2>"$tmp/err"
ok "a file that ends inside a line is incomplete" grep -q '^#fact 1 incomplete the file ends inside a line' <("$MPGTRACE" print "$tmp/cut.trace")
ok "its rank died" grep -q '^#died 1$' <("$MPGTRACE" print "$tmp/cut.trace")
done_testing
