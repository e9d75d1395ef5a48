#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Time-independent actions of SimGrid (TAP): small files whose calls and times are written down by hand, their predictions, damage.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp
. "$here/../foreign/foreign.sh"

# 1e9 operations a second: an operation is a nanosecond. Types: none is a byte after `init`, a double after `init 1`.
cat >"$tmp/actions" <<'EOT'
# ranks may alternate
0 init
1 init 1
2 init

0 compute 1500
0 isend 1 7 1e3
0 irecv 2 8 10 1
0 waitall
1 compute 100
1 irecv 0 7 1000 6
1 test 0 1 7
1 compute 1e3
1 wait 0 1 7
2 sleep 1e-6
2 ssend 0 8 10 1
0 bcast 5e4 2
1 bcast 5e4 2
2 bcast 5e4 2
0 reduce 10 500 1 4
1 reduce 10 500 1 4
2 reduce 10 500 1 4
0 alltoallv 9 1 2 3 9 1 4 7
1 alltoallv 9 4 5 6 9 2 5 8
2 alltoallv 9 7 8 9 9 3 6 9
0 scatterv 1 2 3 1 0
1 scatterv 1 2 3 2 0
2 scatterv 1 2 3 3 0
0 reducescatter 1 2 3 10 1
1 reducescatter 1 2 3 10 1
2 reducescatter 1 2 3 10 1
0 gather 5 5 1
1 gather 5 5 1
2 gather 5 5 1
0 comm_split
0 location a.c 5
0 barrier
1 barrier
2 barrier
0 finalize
1 finalize
2 finalize
EOT
cat >"$tmp/expected" <<'EOT'
#mpgtext 1
#ranks 3
#clocks shared
#fact 0 imported SimGrid time-independent actions
#fact 0 untimed SimGrid
#fact 0 assumed 1 calls of Test: not successful, as the trace does not tell
0 0 0 Init
#comm 0 = 0 1 2
0 1500 1500 Isend comm=0 to=1 tag=7 bytes=1000 request=1
0 1500 1500 Irecv comm=0 from=2 tag=8 bytes=40 request=2
0 1500 1500 Waitall requests=1,2
0 1500 1500 Bcast comm=0 root=2 bytes=50000
0 1500 1500 Reduce comm=0 root=1 bytes=80
0 2000 2000 Alltoallv comm=0 bytes=1,2,3
0 2000 2000 Scatterv comm=0 root=0 bytes=1,2,3
0 2000 2000 Reduce_scatter comm=0 bytes=24
0 2010 2010 Gather comm=0 root=1 bytes=5
0 2010 2010 Barrier comm=0
0 2010 2010 Finalize
1 0 0 Init
1 100 100 Irecv comm=0 from=0 tag=7 bytes=1000 request=1
1 100 100 Test requests=1 done=
1 1100 1100 Wait requests=1
1 1100 1100 Bcast comm=0 root=2 bytes=400000
1 1100 1100 Reduce comm=0 root=1 bytes=80
1 1600 1600 Alltoallv comm=0 bytes=32,40,48
1 1600 1600 Scatterv comm=0 root=0 bytes=16
1 1600 1600 Reduce_scatter comm=0 bytes=24
1 1610 1610 Gather comm=0 root=1 bytes=40
1 1610 1610 Barrier comm=0
1 1610 1610 Finalize
2 0 0 Init
2 1000 1000 Ssend comm=0 to=0 tag=8 bytes=40
2 1000 1000 Bcast comm=0 root=2 bytes=50000
2 1000 1000 Reduce comm=0 root=1 bytes=80
2 1500 1500 Alltoallv comm=0 bytes=7,8,9
2 1500 1500 Scatterv comm=0 root=0 bytes=3
2 1500 1500 Reduce_scatter comm=0 bytes=24
2 1510 1510 Gather comm=0 root=1 bytes=5
2 1510 1510 Barrier comm=0
2 1510 1510 Finalize
EOT
ok "actions, counts, types and work" imported "$tmp/actions" "$tmp/expected"
for rank in 0 1 2; do
    grep "^$rank " "$tmp/actions" >"$tmp/rank$rank"
done
printf 'rank0\nrank1\n%s\n' "$tmp/rank2" >"$tmp/list"
ok "a list of files" imported "$tmp/list" "$tmp/expected"
"$MPGTRACE" import --force --flops=2e9 "$tmp/actions" -o "$tmp/fast.trace" >/dev/null
like "--flops" "$("$MPGTRACE" print "$tmp/fast.trace" | grep Isend)" "0 750 750 Isend*"

# A receive from any source: rank 2 sends at 5 us, rank 1 at 3 us.
printf '%s\n' '0 init' '1 init' '2 init' '0 recv -1 1 4' '0 recv -1 1 4' '1 compute 3000' '1 send 0 1 4' '2 compute 5000' \
    '2 send 0 1 4' '0 finalize' '1 finalize' '2 finalize' >"$tmp/any"
is "receives from any source" "$("$MPGTRACE" print "$tmp/any" | grep ' Recv ')" "0 0 0 Recv comm=0 from=1 tag=1 bytes=4 any=source
0 0 0 Recv comm=0 from=2 tag=1 bytes=4 any=source"

# A chain of two messages: 1500 ns and 100 ns of work, two flights of 5 us.
printf '%s\n' '0 init' '1 init' '0 compute 1500' '0 send 1 1 4' '0 recv 1 2 4' '1 recv 0 1 4' '1 compute 100' '1 send 0 2 4' \
    '0 finalize' '1 finalize' >"$tmp/chain"
if [ -x "$MPGSIM" ]; then
    "$MPGSIM" --predict --latency=const:5us --replicas=1 --json "$tmp/chain" >"$tmp/json" 2>"$tmp/err"
    ok "mpgsim --predict: 1.5 + 5 + 0.1 + 5 us" grep -qE '11600(\.0+)?\b' "$tmp/json"
    for command in "$MPGSIM --latency=const:5us" "$MPGSIM --perturb --latency=const:5us" "$MPGTRACE waits" "$MPGTRACE efficiency" \
        "$MPGTRACE critical-path" "$MPGTRACE compare $tmp/chain --"; do
        # shellcheck disable=SC2086 # a command and its options
        $command "$tmp/chain" >"$tmp/out" 2>"$tmp/err"
        is "${command##*/}: refused" "$?" 1
        ok "${command##*/}: says why, in a line" grep -q 'without times' "$tmp/err"
    done
fi
"$MPGTRACE" stat "$tmp/chain" >"$tmp/out"
ok "stat says it" grep -q '^untimed ' "$tmp/out"

# Each rank sends to the next: 4 doubles, of which 5 ints at most are taken.
for r in 0 1 2; do
    printf '%d init\n%d compute 1000\n%d sendRecv 4 %d 5 %d 0 1\n%d finalize\n' $r $r $r $(((r + 1) % 3)) $(((r + 2) % 3)) $r
done >"$tmp/ring"
ok "sendRecv" shown <(for r in 0 1 2; do
    echo "$r 1000 1000 Sendrecv comm=0 to=$(((r + 1) % 3)) tag=0 bytes=32 from=$(((r + 2) % 3)) recvtag=0 recvbytes=20"
done) <("$MPGTRACE" print "$tmp/ring" | grep Sendrecv)

# 1000 operations at 2 G a second are 500 ns.
for rate in 2G 2e9 2000M 0.002T; do
    "$MPGTRACE" import --force --flops=$rate "$tmp/ring" -o "$tmp/rate.trace" >/dev/null
    is "--flops=$rate" "$("$MPGTRACE" print "$tmp/rate.trace" | awk '/Sendrecv/ { print $2; exit }')" 500
done
for rate in 2Gf G 0 -1 1e19 2GG; do
    is "--flops=$rate" "$("$MPGTRACE" import --flops=$rate "$tmp/ring" -o "$tmp/no.trace" 2>&1)" \
        "mpgtrace import: --flops: '$rate' is no rate from 1 to 1e18, like 2e9 or 2G (try 'mpgtrace import --help')"
done

# Refused files, with the reason.
wrong() {
    printf '%s\n' '0 init' "$1" '0 finalize' >"$tmp/wrong"
    ok "refused: $1" refused "$tmp/wrong" "$2"
}
wrong '0 send 1 1e6' "no tag: actions of SimGrid up to 3.19"
wrong '0 wait' "no tag: actions of SimGrid up to 3.19"
wrong '0 waitAny' "mpgkit does not read action 'waitAny'"
wrong '0 send 5 1 8' "line 2: send: rank 5, tag 1"
wrong '0 send 0 1 9223372036854775808' "'9223372036854775808' is no count"
wrong '0 compute nan' "'nan' is no number of flops"
wrong '5 barrier' "rank 1 of 6 has no actions"
wrong '1048576 init' "begins with no rank"
wrong '0 gatherv 5' "fewer counts than the 1 ranks"
wrong '0 wait 0 0 1' "no request is open"
wrong '0 send 0 1 8' "rank 0 sends rank 0 1 messages"
wrong '0 sendRecv 5 1 5 0' "sendRecv: rank 1 of 1"
wrong '0 bcast 5 1' "'1' is no rank"
printf 'rank0\nrank1\nnone\n' >"$tmp/list"
ok "a list with a file that is none" refused "$tmp/list" "none holds no actions"

# Damaged files.
mkdir "$tmp/cut"
size=$(wc -c <"$tmp/actions")
for ((at = 1; at < size; at += 97)); do
    head -c "$at" "$tmp/actions" >"$tmp/cut/actions"
    bounded "$tmp/cut/actions" || break
done
ok "truncated at each 97th byte" test "$at" -ge "$size"
done_testing
