#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The text form of every call, definition and thread (TAP): what is printed is what was
# imported, byte for byte, and what cannot be meant is refused.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp
. "$here/text.sh"

# Each call of the table, with all its keys, as it is printed.
every_call() {
    awk -F'[(,] *' '
        function event(keys) {
            print rank, t, t + 1, call keys
            t += 2
        }
        function request() { return " request=" ++requests }
        BEGIN {
            print "#mpgtext 1\n#ranks 2\n#clocks shared"
            t = 0
            n = split("Bcast Reduce Gather Gatherv Scatter Scatterv", list, " ")
            for (i = 1; i <= n; i++) {
                rooted[list[i]] = 1
                rooted["I" tolower(substr(list[i], 1, 1)) substr(list[i], 2)] = 1
                rooted[list[i] "_init"] = 1
            }
        }
        /^MPG_CALL\(/ { kinds[$2] = $3; line($2, $3) }
        /^MPG_LARGE\(/ {
            for (number = split($0, large, /MPG_LARGE\(|\) */); number > 0; number--)
                if (large[number] != "")
                    line(large[number] "_c", kinds[large[number]])
        }
        function line(call_name, its_kind,    plain) {
            call = call_name; kind = its_kind; rank = 0
            plain = call
            sub(/_c$/, "", plain)
            send = " comm=0 to=1 tag=3 bytes=8"; recv = " comm=0 from=1 tag=3 bytes=8"
            any = " any=source,tag"
            what = " comm=0" (plain in rooted ? " root=1" : "") (call ~ /[Bb]arrier(_init)?$/ ? "" : " bytes=9")
            if (!started++)
                print "0 0 0 Init\n#comm 0 = 0 1\n0 0 0 Comm_dup comm=0 newcomm=0\n" \
                      "#window 0 = 0 0\n0 0 0 Win_create comm=0 win=0 bytes=64\n" \
                      "#file 0 = 0 0\n0 0 0 File_open comm=0 file=0\n" \
                      "#topology 0 0 = 1 null > 1\n0 0 0 Neighbor_alltoall comm=0 bytes=1"
            if (kind ~ /^REGION/) event(" name=\"a \\\"name\\\" in \\\\ and \\x09\"")
            else if (kind == "SEND") event(send)
            else if (kind == "RECV") event(recv any)
            else if (kind == "SENDRECV") event(send " from=0 recvtag=4 recvbytes=5" any)
            else if (kind == "ISEND") event(send request())
            else if (kind == "IRECV") event(recv any request())
            else if (kind == "COMPLETE") event(" requests=" requests " done=")
            else if (kind == "PROBE") event(recv any " found=0")
            else if (kind == "MPROBE") event(recv any " message=" ++messages)
            else if (kind == "MRECV") event(recv " message=" messages)
            else if (kind == "IMRECV") event(recv " message=" messages request())
            else if (kind == "REQUEST_FREE" || kind == "CANCEL") event(" request=" requests)
            else if (kind == "REQUEST") event(request())
            else if (kind == "SEND_INIT") event(send " persistent=" ++persistent)
            else if (kind == "RECV_INIT") event(recv any " persistent=" ++persistent)
            else if (kind == "START") event(" persistent=" persistent " requests=" ++requests)
            else if (kind == "ISENDRECV") event(send " from=0 recvtag=4 recvbytes=5" any request())
            else if (kind == "COLLECTIVE_INIT") event(what " persistent=" ++persistent)
            else if (kind == "NEIGHBOR_INIT") event(" comm=0 bytes=7 persistent=" ++persistent)
            else if (kind == "PSEND_INIT") event(send " partitions=4 persistent=" ++persistent)
            else if (kind == "PRECV_INIT") event(recv " partitions=2 persistent=" ++persistent)
            else if (kind == "PREADY") event(" request=" requests " ready=0,3")
            else if (kind == "PARRIVED") event(" request=" requests " partition=1 found=0")
            else if (kind == "UNKNOWN") event(" name=\"MPIX_Some_thing\"")
            else if (kind == "COLLECTIVE") event(what)
            else if (kind == "ICOLLECTIVE") event(what request())
            else if (kind == "NEIGHBOR") event(" comm=0 bytes=7")
            else if (kind == "INEIGHBOR") event(" comm=0 bytes=7" request())
            else if (kind == "CONSTRUCTOR") event(" comm=0 newcomm=null")
            else if (kind == "ICONSTRUCTOR") event(" comm=0 newcomm=0" request())
            else if (kind == "DYNAMIC") event(" comm=null newcomm=null")
            else if (kind == "COMM_FREE") event(" comm=0")
            else if (kind == "WIN_CONSTRUCTOR") event(" comm=0 win=0 bytes=64")
            else if (kind == "WIN_FREE" || kind == "WIN_ALL") event(" win=0")
            else if (kind == "WIN_FENCE") event(" win=0 assert=16")
            else if (kind == "WIN_GROUP") event(" win=0 group=1,0")
            else if (kind == "WIN_EPOCH") event(" win=0" (call == "Win_test" ? " found=0" : ""))
            else if (kind == "WIN_TARGET") event(" win=0 to=1" (call == "Win_lock" ? " exclusive=1" : ""))
            else if (kind == "RMA") event(" win=0 to=1 bytes=8 recvbytes=16")
            else if (kind == "IRMA") event(" win=0 to=null bytes=8 recvbytes=16" request())
            else if (kind == "FILE_OPEN") event(" comm=0 file=null")
            else if (kind == "FILE_CLOSE" || kind == "FILE_COLLECTIVE") event(" file=0")
            else if (kind == "FILE") event(" file=0 bytes=512")
            else if (kind == "IFILE") event(" file=0 bytes=512" request())
            else if (kind == "PCONTROL") event(" level=-3")
            else if (kind == "UNRECORDED") event(" comm=0 win=null to=1 tag=3 bytes=2 recvbytes=1")
            else event("")
            event(" failed=1")
        }' "${top_srcdir:-$here/../../..}/trace/calls.def"
}
every_call >"$tmp/every.txt"
is "all calls of the table" "$(grep -c failed=1 "$tmp/every.txt")" \
    "$(sed '/^ \*/d' "${top_srcdir:-$here/../../..}/trace/calls.def" | grep -oE '^MPG_CALL\(|^MPG_LARGE\(| MPG_LARGE\(' | wc -l)"
inverse "every call" "$tmp/every.txt"

# Definitions of all kinds, threads, values.
cat >"$tmp/defined.txt" <<'EOF'
#mpgtext 1
#ranks 3
#values cpu_ns PAPI_TOT_INS
#host 0 one
#fact 0 overhead_call_ns 41.5
#died 1 Recv 25
#died 2.1
#module 0 = 00ff3ab4 "/home/somebody/my \"program\" (new)"
#module 1 = - "libx.so"
#site 0 = 0+0x11d6 1+0xffffffffffffffff ?+0x7f0012345678
0 0 10 Init_thread site=0 values=5,-7
0 20 20 Region_begin name="step" values=0,0
#site 1 = 1+0x10
#comm 0 = 0 1 2
0 21 22 Barrier comm=0 site=1 values=9223372036,12 off=1 off_call=1
#comm 1 of 0 = 0 1
#comm 2 of 1 = 0 1
0 23 24 Comm_dup comm=1 newcomm=2 site=0 values=1,2
#comm 3 of 1 = 0 1
0 24 24 Comm_dup comm=1 newcomm=3 values=1,2
#comm 8 of 2 instance 4 = 0
0.1 24 25 Comm_split comm=2 newcomm=8 values=1,2
#comm 9 = 0 | * *
0 25 25 Comm_spawn comm=8 newcomm=9 values=3,4
0.1 26 27 Send comm=9 to=1 tag=0 bytes=4 site=0 values=0,1 off=1
0 27 28 Comm_get_parent comm=null newcomm=null values=0,1
#window 0 = 0 0
0 28 29 Win_fence win=0 assert=0 values=0,1
#window 1 = 3 1
0.2 28 30 Win_fence win=1 assert=0 values=0,1
#file 0 = 1 0
0 30 30 File_close file=0 values=0,1
#topology 0 1 = > 1 1
0 31 32 Neighbor_allgather comm=1 bytes=3 values=0,1
#topology 0 2 = 1 null >
0 32 33 Ineighbor_alltoallv comm=2 bytes=0 request=9 values=0,1
#topology 0 3 = 0 > 0 1
0.1 33 34 Neighbor_alltoallw comm=3 bytes=4,5 values=0,1
0 40 40 Region_end name="step" values=0,0 off=7
0 41 41 Finalize killed=1 values=0,0
1 0 10 Init values=0,0 off_call=10
1 11 12 Barrier failed=1 site=0 values=0,0 off=1 off_call=1
#topology 1 1 = 0 0 > 0
1 13 14 Neighbor_allgather comm=1 bytes=3 values=0,1
2.1 13 14 Wtime values=0,1
#comm 4 = 2
#topology 0 0 = 2 1 0 null null 0 2 > 1 0 null 1 null
#topology 2 4 = >
EOF
inverse "definitions and threads" "$tmp/defined.txt"
is "a file for each thread" "$(cd "$tmp/trace" && echo *)" \
    "rank-0-thread-1.mpgt rank-0-thread-2.mpgt rank-0.mpgt rank-1.mpgt rank-2-thread-1.mpgt rank-2.mpgt"
{
    head -n 3 "$tmp/defined.txt"
    printf '%s\n' '#comm 0 = 0 1 2' '#comm 1 of 0 = 0 1   (people)' '#comm 2 of 1 = 0 1' \
        '#comm 3 of 1 = 0 1' '#window 77 = 3 1   (remarks)' '#module 1 = - "libx.so" (may)' \
        '#site 5 = 1+0x10   (follow)'
    sed -e 1,3d -e '/^#comm [0123] /d' -e '/^#window 1/d' -e '/^#module 1/d' -e '/^#site 1/d' \
        -e 's/win=1/win=77/' -e 's/site=1/site=5/' "$tmp/defined.txt"
} >"$tmp/elsewhere.txt"
"$MPGTRACE" print "$tmp/elsewhere.txt" >"$tmp/out"
ok "definitions may be elsewhere, with other numbers and remarks" same "$tmp/defined.txt" "$tmp/out"

# Refused texts.
wrong_event "a parent that is not there" "communicator 7 is not defined" "#comm 3 of 7 = 0"
wrong_event "an origin that is none" "is not like" "#comm 3 from 2 = 0"
wrong_event "a rank that is not in the parent" "rank 1 is not in communicator 2" \
    "#comm 3 of 2 = 0 1" "1 0 1 Barrier comm=3"
wrong_event "an unknown window" "window 3 is not defined" "0 0 1 Win_free win=3"
wrong_event "a window of no communicator" "#window LABEL = COMM NUMBER" "#window 3 ="
wrong_event "a window twice" "twice" "#window 3 = 1 0" "#window 3 = 1 1"
wrong_event "somebody else's window" "not in communicator 1" "#window 3 = 1 0" "0 0 1 Win_free win=3"
wrong_event "no window" "needs 'win'" "0 0 1 Win_free"
wrong_event "a window that is null" "null" "0 0 1 Win_free win=null"
wrong_event "a communicator that is null" "null" "0 0 1 Barrier comm=null"
wrong_event "an unknown file" "file 3 is not defined" "0 0 1 File_close file=3"
wrong_event "a topology without >" "'>'" "#topology 0 0 = 1 1"
wrong_event "a topology of no rank" "rank 2" "#topology 2 0 = 1 > 1"
wrong_event "one communicator twice" "communicators 2 and 3 are the same" "#comm 3 instance 0 = 0"
wrong_event "a topology twice" "twice" "#topology 0 0 = 1 > 1" "#topology 0 0 = 1 > 1"
wrong_event "a neighbour that is none" "no rank" "#topology 0 0 = 2 > 1" "0 0 1 Neighbor_alltoall bytes=1"
wrong_event "neighbours that are unknown" "no #topology" "0 0 1 Neighbor_alltoall bytes=1"
wrong_event "a build-id that is none" "build-id" '#module 1 = xyz "a"'
wrong_event "a path without quotes" "quotes" '#module 1 = ab a'
wrong_event "a path that does not end" "quote" '#module 1 = ab "a'
wrong_event "a frame that is none" "0+0x11d6" "#site 1 = 12"
wrong_event "a frame in no module" "module 3" "#site 1 = 3+0x1"
wrong_event "a callsite of nothing" "no frames" "#site 1 ="
wrong_event "a callsite of too much" "64 frames" "#site 1 = $(printf '?+0x1 %.0s' $(seq 65))"
wrong_event "an unknown callsite" "callsite 4" "0 0 1 Wtime site=4"
wrong_event "a name without quotes" "quotes" "0 0 1 Region_begin name=x"
wrong_event "a name with a strange escape" '\n' '0 0 1 Region_begin name="a\nb"'
wrong_event "a name with a line end" "'\\x0a' is no character of a name: it ends lines" '0 0 1 Region_begin name="a\x0ab"'
wrong_event "no name" "Region_end needs 'name'" "0 0 1 Region_end"
wrong_event "a failed call with arguments" "failed" "0 0 1 Send to=1 bytes=1 failed=1"
wrong_event "a failure that is none" "0 or 1" "0 0 1 Wtime failed=yes"
wrong_event "more time off the CPU than there is before a call" "Wtime: 2 ns off the CPU before it do not fit" \
    "0 0 1 Wtime" "0 2 3 Wtime off=2"
wrong_event "... or before the first one" "1 ns off the CPU before it" "0 5 6 Wtime off=1"
wrong_event "... or in one" "Wtime: 2 ns off the CPU in it do not fit into 1 ns" "0 0 1 Wtime off_call=2"
wrong_event "... or in aggregated calls" "do not fit into 0 ns" \
    "0 1 1 Wtime calls=1 time=5 least=5 most=5 off_call=1"
wrong_event "negative time off the CPU" "'-1' is not a whole number" "0 0 1 Wtime off_call=-1"
wrong_event "time off the CPU before what was killed" "killed has no 'off'" \
    "0 0 1 Wtime" "0 2 2 Finalize killed=1 off=1"
wrong_event "values that are not named" "values" "0 0 1 Wtime values=1"
wrong_event "a thread that is none" "rank.thread" "0.x 0 1 Wtime"
wrong_event "a thread out of range" "rank.thread" "0.65536 0 1 Wtime"
wrong_event "calls of a thread that overlap" "before the last call left" \
    "0.1 0 5 Wtime" "0 1 2 Wtime" "0.1 4 6 Wtime"
wrong_event "the death of nobody" "#died" "#died"
wrong_event "a death in no call" "unknown call" "#died 0 Nothing 5"
wrong_event "a death of no time" "#died" "#died 0 Recv"
wrong "values too late" "directly" "#mpgtext 1" "#ranks 1" "#fact 0 a b" "#values x"
wrong "a blank after the names of values" "begins or ends with a blank" "#mpgtext 1" "#ranks 1" "#fact 0 values x "
wrong "fewer values than names" "1 values" "#mpgtext 1" "#ranks 1" "#values x y" "0 0 1 Wtime values=3"
wrong "too many values" "more than 64" "#mpgtext 1" "#ranks 1" "#values $(seq -s ' ' 65)"
ok "nothing was made of all these" test ! -e "$tmp/none"
done_testing
