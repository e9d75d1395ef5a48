#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whatever vector instructions mpgsim may use, its answers are the same to the last byte (TAP).
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$SIGMAKE" "$top_srcdir/results/reference" > "$dir/machine.sig" 2> /dev/null
awk -v p=5 -v n=60 'BEGIN {
    print "#mpgtext 1\n#ranks " p "\n#clocks shared"
    printf "#comm 0 ="
    for (r = 0; r < p; r++) printf " %d", r
    print ""
    for (r = 0; r < p; r++) {
        print r, 0, 1000, "Init"
        for (i = 0; i < n; i++) {
            t = 2000 + i * 90000 + r
            b = 7 ^ (i % 8)
            print r, t, t + 500, "Isend comm=0 to=" (r + 1) % p, "tag=7 bytes=" b " request=" i + 1
            print r, t + 600, t + 1900 + i, "Recv comm=0 from=" (r + p - 1) % p, "tag=7 bytes=" b
            print r, t + 2000, t + 2400, "Wait requests=" i + 1
            print r, t + 50000, t + 52000 - r, "Allreduce comm=0 bytes=" b
        }
        print r, 2000 + n * 90000, 2100 + n * 90000, "Finalize"
    }
}' > "$dir/run.txt"

count=0
# same OPTION...: checks that mpgsim's output is the same with each instruction set.
same() {
    count=$((count + 1))
    wrong=
    MPGKIT_ISA=base "$MPGSIM" --json "$@" "$dir/run.txt" > "$dir/base" 2> "$dir/complaint" ||
        wrong="it fails"
    for isa in avx2 avx512; do
        MPGKIT_ISA=$isa "$MPGSIM" --json "$@" "$dir/run.txt" > "$dir/other" 2>> "$dir/complaint"
        cmp -s "$dir/base" "$dir/other" || wrong="$wrong $isa differs"
    done
    if [ -z "$wrong" ]; then
        echo "ok $count - $*"
    else
        sed 's/^/# /' "$dir/complaint"
        echo "not ok $count - $*:$wrong"
    fi
}

same --perturb --signature "$dir/machine.sig"
same --perturb --signature "$dir/machine.sig" --replicas 5 --replicas=first=2
same --perturb --signature "$dir/machine.sig" --replicas 133 --models=measurement=fixed
same --perturb --signature "$dir/machine.sig" --source "$dir/machine.sig" --replicas 9
same --signature "$dir/machine.sig" --predict
same --perturb --signature "$dir/machine.sig" --collectives=rounds --absorb=none --models=cosched=none
same --perturb --signature "$dir/machine.sig" --collectives=expand --call-noise=signature
same --perturb --signature "$dir/machine.sig" --models=noise=renewal --eager-limit=100
same --noise exp:3us --latency gamma:1us,700ns --byte normal:0.3ns,0.1ns
same --noise exp:3us --latency gamma:1us,700ns --where=pair,callsite --replicas 133
same --perturb --signature "$dir/machine.sig" --source "$dir/machine.sig" --where=call --replicas 37
same --signature "$dir/machine.sig" --predict --where=pair --replicas 37
same --perturb --signature "$dir/machine.sig" --where=call --collectives=expand --replicas 37
same --signature "$dir/machine.sig" --predict --where=call --collectives=expand --replicas 37
echo "1..$count"
