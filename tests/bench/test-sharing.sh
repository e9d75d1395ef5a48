#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgbench sharing (TAP): two hosts (see two-hosts.sh) whose ports are a made link of 1 Gbit/s. The bytes of the samples are
# compared with the bytes that crossed the port, and their rates with the rate of the link, which nothing can exceed.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/../two-hosts.sh"
build=$(cd "${top_builddir:-.}" && pwd)
SHARING=${SHARING:-$build/bench/sharing/sharing}
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# refused WORDS RANKS OPTION...: it ends without results and says so in one line
refused() {
    local words=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086 # mpirun may have arguments
    ! $mpirun -np "$ranks" "$SHARING" -o "$work/none" "$@" >"$work/out" 2>"$work/err" &&
        [ "$(grep -c "^mpgbench sharing: $words" "$work/err")" = 1 ] && [ ! -e "$work/none" ]
}
ok "two ranks share nothing" refused "nothing is shared by 2 ranks: two pairs need four cores of a node, or two ranks" 2
ok "an empty message" refused "--sizes: a message has at least one byte" 2 -s 0,8
ok "a wrong option" refused "option '--windows' is unknown\|wrong option\|unknown option" 2 --windows=3
rm -rf "$work"

command -v tc >/dev/null || skip_all "no tc (iproute2)"
open_hosts
[ "$launcher" != hydra ] || skip_all "MPICH spins over TCP, which on shared cores takes minutes"
for host in "$a" "$b"; do
    tc -n "$host" qdisc add dev veth0 root tbf rate 1gbit burst 128kb latency 200ms 2>/dev/null ||
        skip_all "no token bucket filter in this kernel"
done

# sent HOST: bytes that it has sent by its port
sent() {
    ip netns exec "$1" cat /sys/class/net/veth0/statistics/tx_bytes
}
before=$(($(sent "$a") + $(sent "$b")))
if ! on_hosts 300 2 "$SHARING" -o pairs -s 64KiB,256KiB --window 4 -i 4 -w 2 --max-time 20s --no-bind --timer clock; then
    skip_all "no MPI program runs across the namespaces"
fi
after=$(($(sent "$a") + $(sent "$b")))
file=pairs/sharing-launch0-between-nodes.samples
# of KEY: the header's value
of() {
    sed -n "s/^# $1: //p" $file
}
is "one class is measured" "$(ls pairs)" "${file#*/}"
is "of which it says" "$(of benchmark), $(of path), $(of pairs), $(of clocks), $(of launch)" \
    "sharing, between nodes, 2, synchronised, 0"
is "its pairs" "$(of "pair [01]" | cut -d';' -f 1-2)" "ranks 0 and 2; hosts near and far
ranks 1 and 3; hosts near and far"
is "its columns" "$(of columns)" "pairs_at_once directions size_bytes messages messages_in_flight time_ns off_cpu_ns"
# On a busy machine all repetitions of a case may be late.
is "numbers of pairs, directions, sizes and messages" "$(awk '!/^#/ && $2 < 3 && ($1 != 1 && $1 != 2 || $2 != 1 && $2 != 2 ||
    $3 " " $4 != "65536 64" && $3 " " $4 != "262144 16" || $5 != 4)' $file)" ""
is "opposite messages, one a sender" "$(awk '!/^#/ && $2 == 3 { n++ } !/^#/ && $2 == 3 && ($1 != 1 && $1 != 2 ||
    $3 != 65536 && $3 != 262144 || $4 != 1 || $5 != 1) { print } END { if (!n) print "none" }' $file)" ""
name="leads of two pairs, one message a sender, no longer than both messages"
if grep -q '^2 4 ' $file; then
    is "$name" "$(awk '!/^#/ && $2 == 4 && ($1 != 2 || $3 != 65536 && $3 != 262144 || $4 != 1 || $5 != 1 || $6 < 0 ||
        $7 == 0 && $6 > 17 * $3)' $file)" ""
else
    skip "$name" "the machine is busy: all repetitions were late"
fi
is "at most four samples of each" \
    "$(awk '!/^#/ { n[$1 " " $2 " " $3]++ } END { for (k in n) if (n[k] > 4) print k, n[k] }' $file)" ""
is "and as many as the end says" "$(grep -vc '^#' $file)" "$(sed -n 's/^# end //p' $file)"

# Each repetition carried pairs x directions x messages x size bytes, and the port carried them with their headers. Beside the
# samples these were late repetitions, 2 before each case, and 1 before each block.
claimed=$(awk '!/^#/ { sum += ($2 > 2 ? 2 : $1 * $2) * $3 * $4 } END { print sum }' $file)
late=$(of late_repetitions)
ok "the port carried the samples' bytes: $claimed of $((after - before))" test "$claimed" -le $((after - before))
ok "and mostly these, with $late late repetitions" test $((after - before)) -le \
    $((claimed * 3 + (late + 40) * 2 * 2 * 4 * 1048576))
# 1 Gbit/s is 125 MB/s with headers; a full bucket of 128 KiB is 3 % of the 4 MiB of a sender.
faster() {
    awk -v limit=131 '!/^#/ && $2 < 3 && 1e3 * $1 * $3 * $4 / $6 > limit ' $file
}
is "nothing is faster than the link, whatever the number of pairs" "$(faster)" ""
# 256 KiB take at least (262144 - 131072) B / 125 MB/s = 1.05 ms, since the bucket takes at most 128 KiB. Ranks that were off their
# CPUs may have compared their clocks badly.
is "an opposite message is no faster than the link" \
    "$(awk '!/^#/ && $2 == 3 && $3 == 262144 && $7 == 0 && $6 < 1.04e6' $file)" ""
ok "sigmake makes a curve of it" "$SIGMAKE" -o near.sig pairs
if has_python; then
    cat >expected.py <<'EOS'
import json, statistics, sys
samples = {}
for line in open(sys.argv[1]):
    if line.startswith("#"):
        continue
    pairs, directions, size, messages, window, time_ns, off = map(float, line.split())
    number = 1 if directions == 3 else pairs * directions
    value = time_ns if directions == 4 else number * size * messages / time_ns * 1e9
    samples.setdefault((pairs, directions, size), []).append((value, off / time_ns if time_ns else 0))
made = json.load(open(sys.argv[2]))
for p in made["sharing"] + [{**p, "direction": kind} for kind in ("opposite", "leads") for p in made.get(kind, [])]:
    both = samples.pop((p["pairs"], {"one": 1, "both": 2, "opposite": 3, "leads": 4}[p["direction"]], p["bytes"]))
    on = [rate for rate, off in both if off <= 0.01]
    rates = on if 4 * len(on) >= len(both) else [rate for rate, off in both]
    d = p["lead_ns" if p["direction"] == "leads" else "bandwidth"]
    if p["placement"] != "between nodes" or d["n"] != len(rates) or abs(d["mean"] / statistics.mean(rates) - 1) > 1e-5:
        print(p["pairs"], p["direction"], p["bytes"], d["n"], d["mean"], len(rates), statistics.mean(rates))
print("not in the signature:", samples)
EOS
    is "the rates of a program that does not know sigmake" "$(python3 expected.py $file near.sig)" "not in the signature: {}"
fi
done_testing
