#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The intervals that sigmake states (TAP), held against arithmetic by hand: launches of each size
# by themselves, one launch whose samples are alike in long runs, ways by turns. Programs from
# $SIGMAKE and $SIGSHOW.
set -u
# shellcheck source=tests/signature/results.sh
. "$(dirname "$0")/results.sh"
[ -n "${PYTHON3-}" ] || { echo "1..0 # SKIP no Python to read JSON"; exit 0; }

# network LAUNCH AWK: prints a pingpong file with 1000 ($exchanges) exchanges, whose lines the awk program AWK prints.
network() {
    header pingpong "size_bytes rtt_ns" "launch: $1" "ranks: 2" "path: node"
    awk 'function lot() { state = state * 16807 % 2147483647; return state / 2147483647 }
        BEGIN { state = 17; for (i = 0; i < '"${exchanges-1000}"'; i++) { '"$2"' } }' </dev/null | body
}
# interval SIZE P: prints for the P quantile of the round trip: low, high, number of independent samples, degrees of
# freedom, launches.
interval() {
    "$sigmake" r >r.sig 2>err
    "$PYTHON3" - r.sig "$1" "$2" <<'END'
import json, sys
for path in json.load(open(sys.argv[1]))["network"]:
    for size in path["round_trip"]:
        if size["size_bytes"] == int(sys.argv[2]):
            for i in size["round_trip_ns"]["intervals"]:
                if i["probability"] == float(sys.argv[3]):
                    print("%.6g %.6g %.0f %.3g %d" % (i.get("low", -1), i.get("high", -1),
                        i["independent"], i["freedom"], i["launches"]))
END
}

mkdir r
for i in 0 1 2; do
    network $i "print 8, 1000 * 1.1 ^ $i + i % 3; print 65536, 20000 + 200 * $i + i % 3" \
        >r/pingpong-launch$i-node.samples
done
# Student's variable is 4.3027 with two degrees of freedom; medians of launches differ by a factor of 1.1; the middle
# one is 1101.
is "8 B: launches that differ by a tenth" "$(interval 8 0.5 | cut -d ' ' -f 4-)" "2 3"
low=$(interval 8 0.5 | cut -d ' ' -f 1)
ok "8 B: from 869 ns, by hand" awk -v x="$low" 'BEGIN { exit !(x > 866 && x < 872) }'
# The same for 64 KiB: medians 1 % apart, 20201 (1 - 4.3027 * 0.00995 / sqrt 3) = 19702.
low=$(interval 65536 0.5 | cut -d ' ' -f 1)
ok "64 KiB: launches a hundredth apart, from 19702 ns" \
    awk -v x="$low" 'BEGIN { exit !(x > 19680 && x < 19720) }'
"$sigshow" r.sig >out
ok "sigshow states them" grep -qE '^ +64 KiB .* 2\.[0-9]%' out

# One launch, in which a value is repeated 50 times: its samples count for a fiftieth of their number.
rm r/*
exchanges=5000 network 0 'if (i % 50 == 0) x = lot(); print 8, 1000 + 100 * x' >r/pingpong-launch0-node.samples
# shellcheck disable=SC2046 # numbers
set -- $(interval 8 0.5)
ok "runs of 50: 5000 samples count for some 100, not for 5000: $*" test "$3" -ge 20 -a "$3" -le 400
is "one launch covers no launches" "$5" 1
ok "runs of 50: the middle of what they are drawn from is inside" \
    awk -v low="$1" -v high="$2" 'BEGIN { exit !(low <= 1050 && 1050 <= high && high - low > 8) }'
# shellcheck disable=SC2046 # numbers
set -- $(interval 8 0.99)
is "runs of 50: nothing bounds the 99th percentile above" "$2" -1
network 0 'print 8, 1000 + 100 * lot()' >r/pingpong-launch0-node.samples
# shellcheck disable=SC2046 # numbers
set -- $(interval 8 0.5)
ok "independent ones count for about as many as they are: $*" test "$3" -ge 300 -a "$3" -le 8000
"$sigshow" --all r.sig >out
ok "sigshow reads them" grep -qE '^ +8 B +1000 .* [0-9.]+%' out
done_testing
