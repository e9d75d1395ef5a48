#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# DUMPI traces (TAP): small traces that dumpi_files.py writes byte by byte, whose calls are written down by hand, and damaged ones.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
has_python || skip_all "no python3"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp
. "$here/../foreign/foreign.sh"
python3 "$here/dumpi_files.py" "$tmp" || exit 1

cat >"$tmp/expected" <<'EOT'
#mpgtext 1
#ranks 3
#fact 0 imported DUMPI 1.0.0
#host 0 n0
#host 1 n0
#host 2 n1
0 0 1000 Init
0 2000 3000 Type_vector
#comm 0 = 0 1 2
0 10000 11000 Isend comm=0 to=1 tag=7 bytes=96 request=1
0 12000 13000 Irecv comm=0 from=2 tag=5 bytes=100 any=source,tag request=2
0 14000 20000 Waitany requests=1,2 done=2
0 21000 22000 Wait requests=1
0 40000 41000 Comm_group
0 42000 43000 Group_incl
#comm 2 of 0 = 2 0
0 44000 50000 Comm_create comm=0 newcomm=2
0 51000 60000 Bcast comm=2 root=1 bytes=20
#comm 3 of 0 = 1 0
0 61000 70000 Comm_split comm=0 newcomm=3
0 71000 75000 Sendrecv comm=3 to=0 tag=1 bytes=4 from=null recvtag=2 recvbytes=16
0 76000 80000 Scatterv comm=3 root=0 bytes=16
#comm 1 = 0
0 81000 82000 Barrier comm=1
0.1 95000 96000 Send comm=0 to=1 tag=8 bytes=4
0 200000 201000 Finalize
1 0 1000 Init
1 2000 3000 Type_vector
1 9000 10000 Irecv comm=0 from=0 tag=7 bytes=480 request=1
1 11000 12000 Test requests=1 done=
1 13000 14000 Testall requests=1
1 40000 41000 Comm_group
1 42000 43000 Group_incl
1 44000 50000 Comm_create comm=0 newcomm=null
1 61000 70000 Comm_split comm=0 newcomm=3
1 71000 75000 Recv comm=3 from=1 tag=1 bytes=16
1 76000 80000 Scatterv comm=3 root=0 bytes=12,16
1 95000 97000 Recv comm=0 from=0 tag=8 bytes=4
1 200000 201000 Finalize
2 0 1000 Init
2 2000 3000 Type_vector
2 30000 31000 Send comm=0 to=0 tag=5 bytes=24
2 40000 41000 Comm_group
2 42000 43000 Group_incl
2 44000 50000 Comm_create comm=0 newcomm=2
2 51000 60000 Bcast comm=2 root=1 bytes=20
2 61000 70000 Comm_split comm=0 newcomm=null
2 83000 84000 Unknown name="MPI_File_iread"
2 85000 88000 Unknown name="MPI_Wait"
2 89000 90000 Iprobe comm=0 bytes=0 any=source,tag found=0
2 91000 92000 Probe comm=0 from=null tag=0 bytes=0
2 200000 201000 Finalize
EOT
ok "calls, sizes, communicators, threads and times" imported "$tmp/run" "$tmp/expected"
like "the report" "$(cat "$tmp/report")" "DUMPI: 3 ranks, 42 calls, 4 messages, 5 collective calls; clocks unknown"
"$MPGTRACE" print "$tmp/run/job.meta" >"$tmp/printed"
ok "the description stands for all" shown "$tmp/expected" "$tmp/printed"
"$MPGTRACE" print "$tmp/run/job-0001.bin" >"$tmp/printed"
ok "one file stands for all" shown "$tmp/expected" "$tmp/printed"
sed '/^#host/d;s/^\(#fact 0 imported DUMPI\).*/\1/;/imported/a #fact 0 incomplete the file has no index at its end' "$tmp/expected" |
"$MPGTRACE" print "$tmp/noindex" | grep -v '^#fact\|^#host\|^#clocks' >"$tmp/printed"
grep -v '^#fact\|^#host' "$tmp/expected" >"$tmp/bare"
ok "files without index and end" shown "$tmp/bare" "$tmp/printed"
is "they are incomplete" "$("$MPGTRACE" print "$tmp/noindex" | grep -c '^#fact . incomplete')" 3

cat >"$tmp/expected" <<'EOT'
#mpgtext 1
#ranks 4
#clocks shared
#fact 0 imported DUMPI 1.0.0
#fact 0 untraced MPI_Send_init 1 local
#fact 0 assumed 4 starts of persistent requests: shown as nonblocking sends and receives
#fact 0 assumed 4 receives from any source or with any tag: the trace does not tell the sender, the earliest send that fits is taken
#fact 2 untraced MPI_Send_init 1 local
0 0 1000 Init
#comm 0 = 0 1 2 3
#comm 1 of 0 = 0 1 2 3
0 10000 20000 Cart_create comm=0 newcomm=1
#comm 2 of 1 = 0 1
0 21000 30000 Cart_sub comm=1 newcomm=2
#comm 5 of 2 = 0 1
0 31000 32000 Comm_dup comm=2 newcomm=5
0 33000 40000 Bcast comm=5 root=0 bytes=10
0 41000 42000 Alltoallv comm=2 bytes=0,2
0 60000 61000 Isend comm=2 to=1 tag=1 bytes=6 request=1
0 62000 63000 Waitsome requests=1
0 70000 71000 Isend comm=2 to=1 tag=1 bytes=6 request=2
0 72000 73000 Waitsome requests=2
0 40000000000000 40000000001000 Barrier comm=0
0 66000000000000 66000000001000 Finalize
EOT
"$MPGTRACE" print "$tmp/grid" | grep -v '^#host' | sed '/^1 0/,$d' >"$tmp/printed"
ok "a grid and its rows, persistent requests, sizes of types, 18 hours" shown "$tmp/expected" "$tmp/printed"
is "members of the second row" "$("$MPGTRACE" print "$tmp/grid" | grep '^#comm [34]')" "#comm 3 of 1 = 2 3
#comm 4 of 3 = 2 3"
is "receives from any source" "$("$MPGTRACE" print "$tmp/grid" | grep -c 'Recv comm=[23] from=0 tag=1 bytes=6 any=source')" 4

# Refused files, with the reason.
ok "a rank that is none" refused "$tmp/peer" "rank 3 is none of the 1 of its communicator"
ok "a communicator that is none" refused "$tmp/comm" "MPI_Barrier in a communicator (77) that no call created"
ok "a list of 2^31 requests" refused "$tmp/list" "the file ends inside a record"
ok "a function that is none" refused "$tmp/function" "not a function of DUMPI (290)"
ok "a message that nobody receives" refused "$tmp/count" "rank 0 sends rank 0 1 messages"
ok "a sender that is none" refused "$tmp/status" "rank 9 is none of the 1 of its communicator"
ok "a range of 2^31 ranks" bounded "$tmp/ranges"
ok "a communicator made twice" bounded "$tmp/twice"
sed -i s/numprocs=3/numprocs=5/ "$tmp/run/job.meta"
ok "missing files" refused "$tmp/run/job.meta" "5 ranks, and there are files of 3"
rm "$tmp/run/job.meta"

# Damaged files.
ok "truncated at each 97th byte" truncated "$tmp/run" job-0000.bin
ok "truncated: a file without index" truncated "$tmp/noindex" job-0000.bin
ok "truncated: a grid" truncated "$tmp/grid" g-0001.bin
done_testing
