#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tags that the MPI here may not allow: messages are those of the trace all the same, told apart as they were (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
needs_mpi
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"

# compiled COMPILER ARGUMENT...: compiles with the compiler of one MPI; ends the test on errors.
compiled() {
    # shellcheck disable=SC2086 # a wrapper may have arguments
    $1 -std=gnu11 "${@:2}" 2>log && return
    sed 's/^/# /' log
    echo "Bail out! $1 does not compile"
    exit 1
}
# made_for MPI COMPILER MPIRUN: compiles for MPI the program that prints its largest tag, and the library that takes
# most tags away. $tag_limit: its largest tag.
made_for() {
    local mpirun=$3
    compiled "$2" -o "tag_limit-$1" "$here/tag_limit.c"
    compiled "$2" -D_GNU_SOURCE -fPIC -shared -o "few_tags-$1.so" "$here/few_tags.c" -ldl
    if ! run 1 "./tag_limit-$1" || ! [ "$(cat out)" -ge 32767 ]; then
        echo "Bail out! the $1 MPI does not say its MPI_TAG_UB"
        exit 1
    fi
    tag_limit=$(cat out)
}
made_for first "${MPICC:-mpicc}" "$mpirun"
limit_first=$tag_limit
[ -z "${OTHER_MPICC:-}" ] || ! (other_mpi) || made_for other "$OTHER_MPICC" "$OTHER_MPIRUN"
limit_other=$tag_limit

# Each message has its own size. The tags include, for an MPI with a limit, the largest tag, the one after it, and both
# neighbours of its half. Rank 0 has a tag, between others, that rank 1 does not use.
all=2147483647
few=$((limit_first < limit_other ? limit_first : limit_other))
[ "$few" -lt $all ] || few=268435455
half=$((few / 2))
made tags.trace <<END_OF_TRACE
#mpgtext 1
#ranks 2
0 0 100 Init
1 0 100 Init
0 1000 1100 Send to=1 tag=$all bytes=8
0 1200 1300 Send to=1 tag=$few bytes=24
0 1400 1500 Send to=1 tag=$((few + 1)) bytes=40
0 1520 1540 Send to=null tag=200000000 bytes=4
0 1600 1700 Send to=1 tag=7 bytes=56
0 1720 1730 Send to=1 tag=$half bytes=64
0 1800 1900 Ssend to=1 tag=$((half + 1)) bytes=72
0 5000 5100 Sendrecv to=1 tag=1999999999 bytes=88 from=1 recvtag=1888888888 recvbytes=96
0 5200 5300 Send to=1 tag=1777777777 bytes=104
0 5400 5500 Send to=1 tag=2147483646 bytes=112
0 5600 5700 Send to=1 tag=2147483645 bytes=120
1 1000 2000 Recv from=0 tag=7 bytes=56
1 2100 2200 Recv from=0 tag=$((half + 1)) bytes=72
1 2210 2220 Recv from=0 tag=$half bytes=64
1 2300 2400 Recv any=tag from=0 tag=$all bytes=8
1 2500 2600 Irecv from=0 tag=$((few + 1)) bytes=40 request=1
1 2700 2800 Irecv any=source,tag from=0 tag=$few bytes=24 request=2
1 2900 3000 Waitall requests=1,2
1 5000 5100 Sendrecv to=0 tag=1888888888 bytes=96 any=source,tag from=0 recvtag=1999999999 recvbytes=88
1 5110 5120 Recv_init any=tag from=0 bytes=104 persistent=1
1 5120 5130 Start persistent=1 requests=3 matched=3:0:1777777777
1 5310 5320 Wait requests=3
1 5322 5324 Iprobe from=0 tag=2147483646 found=0
1 5324 5326 Iprobe from=0 tag=2147483646 found=0
1 5326 5328 Iprobe from=0 tag=2147483646 found=0
1 5500 5510 Iprobe from=0 tag=2147483646 bytes=112
1 5520 5530 Recv from=0 tag=2147483646 bytes=112
1 5600 5610 Mprobe any=source,tag from=0 tag=2147483645 bytes=120 message=1
1 5620 5700 Mrecv from=0 tag=2147483645 message=1 bytes=120
0 9000 9100 Finalize
1 9000 9100 Finalize
END_OF_TRACE

# sent TRACE: prints "BYTES TAG" for each sent message, received TRACE for each received one, ascending in size.
sent() {
    "$mpgtrace" print "$1" | awk '$4 ~ /^S?s?[Ss]end/ { for (i = 5; i <= NF; i++) { split($i, p, "="); v[p[1]] = p[2] }
        print v["bytes"], v["tag"] }' | sort -n
}
received() {
    "$mpgtrace" print "$1" | awk '$4 ~ /[rR]ecv$/ { for (i in v) delete v[i]
        for (i = 5; i <= NF; i++) { split($i, p, "="); v[p[1]] = p[2] }
        if ($4 == "Sendrecv") print v["recvbytes"], v["recvtag"]; else print v["bytes"], v["tag"] }' | sort -n
}

# ends WHAT LIMIT OPTION...: checks that mpgreplay ends, that every message is received with its own size and tag, and
# that no tag exceeds LIMIT.
ends() {
    local what=$1 limit_tag=$2
    shift 2
    rm -rf again.trace
    ok "$what: it ends" recorded 2 again.trace "$mpgreplay" --quiet --patience=10s "$@" tags.trace
    sent again.trace >sent
    received again.trace >received
    is "... sizes" "$(cut -d ' ' -f 1 sent | tr '\n' ' ')" "4 8 24 40 56 64 72 88 96 104 112 120 "
    is "... as many tags as there were" "$(cut -d ' ' -f 2 sent | sort -u | wc -l)" 12
    is "... those that are received" "$(grep -v '^104 ' received)" "$(grep -Ev '^(4|104) ' sent)"
    is "... tags up to half of what is allowed are those of the trace" "$(grep -E '^(56|64) ' sent | tr '\n' ' ')" \
        "56 7 64 $half "
    is "... none above what is allowed" "$(awk -v limit="$limit_tag" '$2 > limit' sent)" ""
}

# of_mpi NAME LIMIT: all cases, with an MPI whose largest tag is LIMIT.
of_mpi() {
    ends "$1 MPI, tags up to $2" "$2"
    if [ "$2" = $all ]; then
        is "... where all are allowed, all are those of the trace" "$(sent again.trace)" "$(sent tags.trace)"
    else
        ok "... where not all are allowed, some are others" test "$(sent again.trace)" != "$(sent tags.trace)"
    fi
    ends "... deterministic" "$2" --deterministic
    run 2 env LD_PRELOAD="$work/few_tags-$1.so" "$mpgreplay" --quiet --patience=10s tags.trace
    ok "... more tags than there could be: said once" failed "mpgreplay: tags.trace: 12 tags above 5 exceed this MPI's largest tag 10"
}
of_mpi first "$limit_first"
if [ -e tag_limit-other ]; then
    other_mpi
    of_mpi other "$limit_other"
else
    skip "another MPI" "there is none"
fi
done_testing
