#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paraver traces (TAP): a small trace whose calls, sizes and times are written down by hand, and damaged ones.
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

cat >"$tmp/t.pcf" <<'EOT'
EVENT_TYPE
9   50000001    MPI Point-to-point
VALUES
1   MPI_Send
2   MPI_Recv
3   MPI_Isend
4   MPI_Irecv
6   MPI_Waitall
41   MPI_Sendrecv
0   Outside MPI

EVENT_TYPE
9   50000002    MPI Collective Comm
VALUES
7   MPI_Bcast
11   MPI_Alltoall
155   MPI_Iallreduce

EVENT_TYPE
9   50000003    MPI Other
9   50000004    MPI RMA
VALUES
31   MPI_Init
32   MPI_Finalize
23   MPI_Comm_split
124   MPI_Startall
EOT
# Three tasks on two nodes; communicator 2 has tasks 3 and 1.
cat >"$tmp/t.prv" <<'EOT'
#Paraver (28/11/2026 at 05:55):1000_ns:2(2,1):1:3(1:1,1:1,1:2),2
c:1:1:3:1:2:3
c:1:2:2:3:1
1:1:1:1:1:0:10:1
2:1:1:1:1:10:50000003:31
2:2:1:2:1:10:50000003:31:40000018:1
2:3:1:3:1:10:50000003:31
2:1:1:1:1:20:50000003:0
2:2:1:2:1:20:50000003:0
2:3:1:3:1:20:50000003:0
2:1:1:1:1:30:50000001:4
2:1:1:1:1:32:50000001:0
2:1:1:1:1:33:50000001:3
3:1:1:1:1:33:34:2:1:2:1:41:60:100:7
2:1:1:1:1:34:50000001:0
2:1:1:1:1:40:50000001:6
2:2:1:2:1:41:50000001:2
3:2:1:2:1:61:62:1:1:1:1:32:70:8:5
2:2:1:2:1:60:50000001:0
2:2:1:2:1:61:50000001:1
2:2:1:2:1:62:50000001:0
2:1:1:1:1:70:50000001:0
2:1:1:1:1:80:50000002:7:50100001:0:50100002:24:50100004:2
2:3:1:3:1:81:50000002:7:50100001:24:50100002:0:50100004:2:50100003:1
2:1:1:1:1:90:50000002:0
2:3:1:3:1:91:50000002:0
2:2:1:2:1:92:50000001:1
2:2:1:2:1:93:50000001:0
2:1:1:1:1:100:50000002:11:50100001:4:50100002:12:50100004:1
2:2:1:2:1:100:50000002:11:50100001:4:50100002:12:50100004:1
2:3:1:3:1:100:50000002:11:50100001:4:50100002:12:50100004:1
2:1:1:1:1:110:50000002:0
2:2:1:2:1:110:50000002:0
2:3:1:3:1:110:50000002:0
2:3:1:3:1:120:50000002:155:50100001:4:50100002:4:50100004:1
2:3:1:3:1:121:50000002:0
2:3:1:3:1:122:50000001:6
2:3:1:3:1:123:50000001:0
2:1:1:1:1:130:50000001:41
2:3:1:3:1:131:50000001:41
3:1:1:1:1:130:131:3:1:3:1:131:140:16:9
3:3:1:3:1:131:132:1:1:1:1:130:139:32:9
2:1:1:1:1:140:50000001:0
2:3:1:3:1:141:50000001:0
2:3:1:3:1:150:50000003:124
2:2:1:2:1:150:50000001:2
3:3:1:3:1:150:151:2:1:2:1:150:160:64:3
2:3:1:3:1:152:50000003:0
2:2:1:2:1:160:50000001:0
2:1:1:1:1:200:50000003:32
2:2:1:2:1:200:50000003:32
2:3:1:3:1:200:50000003:32
2:1:1:1:1:210:50000003:0
2:2:1:2:1:210:50000003:0
2:3:1:3:1:210:50000003:0
EOT
cat >"$tmp/expected" <<'EOT'
#mpgtext 1
#ranks 3
#fact 0 imported Paraver
#fact 0 assumed 2 nonblocking sends: complete when posted, their completion is not recorded
#fact 0 assumed 1 sends without a message record: taken as sends to MPI_PROC_NULL
#fact 0 assumed 1 starts of persistent requests: shown as nonblocking sends and receives
0 10 20 Init
#comm 0 = 0 1 2
0 30 32 Irecv comm=0 from=1 tag=5 bytes=8 request=1
0 33 34 Isend comm=0 to=1 tag=7 bytes=100 request=2
0 34 34 Request_free request=2
0 40 70 Waitall requests=1
#comm 1 = 2 0
0 80 90 Bcast comm=1 root=0 bytes=24
0 100 110 Alltoall comm=0 bytes=4
0 130 140 Sendrecv comm=0 to=2 tag=9 bytes=16 from=2 recvtag=9 recvbytes=32
0 200 210 Finalize
1 10 20 Init
1 41 60 Recv comm=0 from=0 tag=7 bytes=100
1 61 62 Send comm=0 to=0 tag=5 bytes=8
1 92 93 Send comm=0 to=null tag=0 bytes=0
1 100 110 Alltoall comm=0 bytes=4
1 150 160 Recv comm=0 from=2 tag=3 bytes=64
1 200 210 Finalize
2 10 20 Init
2 81 91 Bcast comm=1 root=0 bytes=24
2 100 110 Alltoall comm=0 bytes=4
2 120 121 Unknown name="MPI_Iallreduce"
2 122 123 Unknown name="MPI_Waitall"
2 131 141 Sendrecv comm=0 to=0 tag=9 bytes=32 from=0 recvtag=9 recvbytes=16
2 150 152 Isend comm=0 to=1 tag=3 bytes=64 request=1
2 152 152 Request_free request=1
2 200 210 Finalize
EOT
ok "calls, messages, communicators, roots and times" imported "$tmp/t.prv" "$tmp/expected"
like "the report" "$(cat "$tmp/report")" "Paraver: 3 ranks, 25 calls, 5 messages, 5 collective calls; clocks unknown*"
sed 's/:1000_ns:2(2,1):1:3(1:1,1:1,1:2)/:1000:1(3):1:3(1:1,1:1,1:1)/' "$tmp/t.prv" >"$tmp/us.prv"
cp "$tmp/t.pcf" "$tmp/us.pcf"
like "times in us, one node" "$("$MPGTRACE" print "$tmp/us.prv" | grep 'clocks\|Waitall req')" "#clocks shared
0 40000 70000 Waitall requests=1"

# Messages that overtake: two of one channel, received in the other order.
overtaking() {
    printf '%s\n' '#Paraver (28/11/2026 at 05:55):1000_ns:1(2):1:2(1:1,1:1),1' 'c:1:1:2:1:2' \
        '2:1:1:1:1:10:50000001:1' '2:1:1:1:1:11:50000001:0' '2:1:1:1:1:12:50000001:1' '2:1:1:1:1:13:50000001:0' \
        '2:2:1:2:1:10:50000001:2' '2:2:1:2:1:20:50000001:0' '2:2:1:2:1:21:50000001:2' '2:2:1:2:1:30:50000001:0' \
        '3:1:1:1:1:10:11:2:1:2:1:21:30:4:1' '3:1:1:1:1:12:13:2:1:2:1:10:20:8:1'
}
overtaking >"$tmp/over.prv"
cp "$tmp/t.pcf" "$tmp/over.pcf"
is "a message that overtakes has a communicator of its own" "$("$MPGTRACE" print "$tmp/over.prv" | grep 'Send \|Recv ')" \
    "0 10 11 Send comm=0 to=1 tag=1 bytes=4
0 12 13 Send comm=1 to=1 tag=1 bytes=8
1 10 20 Recv comm=1 from=0 tag=1 bytes=8
1 21 30 Recv comm=0 from=0 tag=1 bytes=4"

# long N: prints a trace with N sends and receives.
long() {
    echo '#Paraver (28/11/2026 at 05:55):1000_ns:1(2):1:2(1:1,1:1),1'
    echo 'c:1:1:2:1:2'
    awk -v n="$1" 'BEGIN {
        for (i = 1; i <= n; i++) {
            t = 100 * i
            printf "2:1:1:1:1:%d:50000001:1\n2:2:1:2:1:%d:50000001:2\n", t, t + 1
            printf "2:1:1:1:1:%d:50000001:0\n3:1:1:1:1:%d:%d:2:1:2:1:%d:%d:%d:1\n", t + 10, t, t + 10, t + 1, t + 20, i
            printf "2:2:1:2:1:%d:50000001:0\n", t + 20
        }
    }'
}
# memory N: prints the KiB that importing a trace of N messages needs.
memory() {
    long "$1" >"$tmp/long.prv"
    cp "$tmp/t.pcf" "$tmp/long.pcf"
    "$build/tests/peak_memory" "$MPGTRACE" import "$tmp/long.prv" -o - 2>/dev/null | tail -n 1
}
if [ "${MPGKIT_SANITIZERS:-no}" = yes ] || ! [ -x "$build/tests/peak_memory" ]; then
    skip "memory" "sanitizers keep freed memory, or tests/peak_memory is not built"
else
    short=$(memory 60000) longer=$(memory 240000)
    ok "memory does not grow with the trace: $short and $longer KiB" test "$longer" -le $((short + 4096))
fi

# Compressed files.
mkdir "$tmp/packed"
cp "$tmp/t.pcf" "$tmp/packed"
gzip -c "$tmp/t.prv" >"$tmp/packed/t.prv.gz"
"$MPGTRACE" print "$tmp/t.prv" >"$tmp/plain"
ok "a compressed trace is the same" imported "$tmp/packed/t.prv.gz" "$tmp/plain"
ok "every program reads it" shown "$tmp/plain" <("$MPGTRACE" print "$tmp/packed/t.prv.gz")
head -c -30 "$tmp/packed/t.prv.gz" >"$tmp/packed/cut.prv.gz"
cp "$tmp/t.pcf" "$tmp/packed/cut.pcf"
ok "a cut one is refused" refused "$tmp/packed/cut.prv.gz" "cut.prv.gz"
echo notes | gzip >"$tmp/packed/notes.gz"
ok "what else is compressed is named" refused "$tmp/packed/notes.gz" "compressed (gzip), not a trace"

# Options of import that apply to every format.
"$MPGTRACE" import "$tmp/t.prv" -o - >"$tmp/one.trace" 2>"$tmp/err"
ok "-o - is one file" shown "$tmp/plain" <("$MPGTRACE" print "$tmp/one.trace")
ok "... and what was found goes to standard error" grep -q '^Paraver: 3 ranks' "$tmp/err"
ok "... through a pipe" shown "$tmp/plain" <("$MPGTRACE" import "$tmp/t.prv" -o - 2>/dev/null | "$MPGTRACE" print -)
sed '1s/^#Paraver (/#paraver (/' "$tmp/t.prv" >"$tmp/other.prv"
cp "$tmp/t.pcf" "$tmp/other.pcf"
ok "a format that the content does not tell" refused "$tmp/other.prv" "not a trace"
ok "--from overrules the content" refused "$tmp/other.prv" "line 1: no header of Paraver" --from=paraver
ok "... by Paraver's ending, too" refused "$tmp/other.prv" "line 1: no header of Paraver" --from=prv
ok "--from of another format" refused "$tmp/t.prv" "a Paraver trace, not a GOAL schedule" --from=goal
is "--from needs FILE" "$("$MPGTRACE" import --from=goal --goal="$tmp/t.prv" 2>&1)" \
    "mpgtrace import: --from gives the format of FILE, and FILE is missing (try 'mpgtrace import --help')"

# Refused files, with the reason.
wrong() {
    sed "$1" "$tmp/t.prv" >"$tmp/wrong.prv"
    cp "$tmp/t.pcf" "$tmp/wrong.pcf"
    ok "refused: $2" refused "$tmp/wrong.prv" "$2"
}
wrong 's/:40000018:1/:40000018:2/' "line 6: recorded in bursts mode"
wrong 's/:1:3(1:1/:2:3(1:1/' "2 applications"
wrong '/^2:2:1:2:1:61:/d' "1 of the 10 ends of messages belong to no call at their times"
wrong 's/^c:1:2:2:3:1/c:1:2:9223372036854775808:3:1/' "a communicator that is damaged"
wrong 's/^c:1:2:2:3:1/c:1:1:2:3:1/' "communicator 1 after 1"
wrong 's/^3:1:1:1:1:33:34:2:1:2:1/3:1:1:1:1:33:34:2:1:9:1/' "a message that is damaged"
wrong 's/:60:100:7/:60:9223372036854775808:7/' "a message that is damaged"
wrong 's/^2:1:1:1:1:30:50000001:4/2:1:1:1:7:30:50000001:4/' "an event that is damaged"
wrong 's/^2:1:1:1:1:32:50000001:0/2:1:1:1:1:32:50000001:6/' "a call begins inside of another"
wrong 's/:1:3(1:1,1:1,1:2)/:1:1048576(1:1,1:1,1:2)/' "its header has no tasks"
wrong 's/^1:1/x:1/' "no record of Paraver"
rm "$tmp/wrong.pcf"
ok "refused: no names of calls" refused "$tmp/wrong.prv" "the names of its calls are in"

# Damaged files.
mkdir "$tmp/cut"
for file in t.prv t.pcf; do
    cp "$tmp/t.prv" "$tmp/t.pcf" "$tmp/cut"
    size=$(wc -c <"$tmp/$file")
    for ((at = 1; at < size; at += 97)); do
        head -c "$at" "$tmp/$file" >"$tmp/cut/$file"
        bounded "$tmp/cut/t.prv" || break
    done
    ok "$file truncated at each 97th byte" test "$at" -ge "$size"
done
done_testing
