#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench: how fast mpgkit is, each number beside another one, as a ratio.
# Never a pass or a fail. Arguments: none; programs come from make's environment.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds COMMAND...: prints the user and system time in seconds.
seconds() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/answer" 2>"$work/complaint"; } 2>"$work/time" ||
        { cat "$work/complaint" >&2; return 1; }
    awk '{ print $1 + $2 }' "$work/time"
}

# ring RANKS STEPS: prints a trace in which each rank sends and receives a message of 1 KiB in each of STEPS steps
# around a ring.
ring() {
    awk -v p="$1" -v n="$2" 'BEGIN {
        print "#mpgtext 1\n#ranks " p "\n#clocks shared"
        printf "#comm 0 ="
        for (r = 0; r < p; r++) printf " %d", r
        print ""
        for (r = 0; r < p; r++) {
            print r, 0, 1000, "Init"
            for (i = 0; i < n; i++) {
                t = 2000 + i * 10000
                print r, t, t + 500, "Send comm=0 to=" (r + 1) % p, "tag=7 bytes=1024"
                print r, t + 600, t + 1900, "Recv comm=0 from=" (r + p - 1) % p, "tag=7 bytes=1024"
            }
            print r, 2000 + n * 10000, 2100 + n * 10000, "Finalize"
        }
    }'
}

ranks=128 steps=4000
messages=$((ranks * steps))
ring $ranks $steps >"$work/ring.txt"
import=$(seconds "$MPGTRACE" import --text "$work/ring.txt" -o "$work/ring.trace")
print=$(seconds "$MPGTRACE" print "$work/ring.trace" -o "$work/again.txt")
"$SIGMAKE" "$top_srcdir/results/reference" >"$work/machine.sig" 2>/dev/null
mkdir "$work/native.trace"
"$top_builddir/tests/speed/speed_trace" ring $ranks $steps "$work/native.trace"
# sim OPTION... TRACE: times mpgsim without cached results.
sim() {
    seconds "$MPGSIM" --cache=fresh "$@"
}
alone=$(sim --perturb --signature "$work/machine.sig" --replicas 1 "$work/native.trace")
for isa in base avx2 avx512; do
    drawn=$(MPGKIT_ISA=$isa sim --perturb --signature "$work/machine.sig" --replicas 64 "$work/native.trace")
    echo "$isa $alone $drawn"
done >"$work/drawn"
one=$(sim --noise exp:1us --latency exp:1us --replicas 1 "$work/ring.trace")
many=$(sim --noise exp:1us --latency exp:1us --replicas 64 "$work/ring.trace")
none=$(sim --latency const:1us --absorb=none "$work/native.trace")
fresh=$(sim --latency const:1us "$work/native.trace")
seconds "$MPGSIM" --latency const:1us "$work/native.trace" >/dev/null
kept=$(seconds "$MPGSIM" --latency const:1us "$work/native.trace")

echo "ring of $ranks ranks, $messages messages; seconds of processor time"
awk -v m=$messages -v import="$import" -v print_="$print" -v one="$one" -v many="$many" 'BEGIN {
    printf "  %-34s %7.2f s  %9.0f messages/s\n", "mpgtrace import --text", import, m / import
    printf "  %-34s %7.2f s  %9.0f messages/s\n", "mpgtrace print", print_, m / print_
    printf "  %-34s %7.2f s  %9.0f messages/s\n", "mpgsim, 1 replica", one, m / one
    printf "  %-34s %7.2f s  %9.0f messages/s, each in all replicas\n", "mpgsim, 64 replicas", many, m / many
    printf "  64 replicas cost %.1f times as much as one: %.0f times less each\n", many / one, 64 * one / many
}'

echo "the same with the reference signature: noise replayed, latency, bytes and overheads drawn"
awk -v m=$messages '{
    printf "  %-34s %7.2f s  %9.0f messages/s, each in all; %.1f times 1 replica\n",
        "64 replicas, MPGKIT_ISA=" $1, $3, m / $3, $3 / $2
}' "$work/drawn"

echo "one world without draws, --absorb=none: $none s; in the default mode, to that"
awk -v none="$none" -v fresh="$fresh" -v kept="$kept" 'BEGIN {
    printf "  %-34s %7.2f s  %.2f times\n", "floors gathered", fresh, fresh / none
    printf "  %-34s %7.2f s  %.2f times\n", "floors kept", kept, kept / none
}'

# The first pattern is the reference for the others.
echo "patterns of some 250 000 messages, --absorb=none: seconds, ratio of rates to the first"
while read -r pattern ranks steps; do
    mkdir "$work/pattern.trace"
    "$top_builddir/tests/speed/speed_trace" "$pattern" "$ranks" "$steps" "$work/pattern.trace"
    took=$(sim --latency const:1us --absorb=none "$work/pattern.trace")
    count=$("$MPGSIM" --latency const:1us --absorb=none --cache=fresh "$work/pattern.trace" |
        sed -n '1s/.* \([0-9]*\) messages .*/\1/p')
    rm -r "$work/pattern.trace"
    echo "$pattern $ranks $steps $took $count"
done <<'END' >"$work/patterns"
ring 512 512
alltoall 512 1
exchange 512 1
stencil 512 128
tree 512 256
wavefront 512 256
workers 512 256
END
awk 'NR == 1 { first = $5 / $4 }
     { printf "  %-34s %7.2f s  %9.0f messages/s, %.2f\n",
           $1 " of " $2 " ranks, " $3 " steps", $4, $5 / $4, $5 / $4 / first }' "$work/patterns"

if [ "$MPGKIT_MPI" = yes ]; then
    bash "$(dirname "$0")/speed_tracer.sh"
fi
