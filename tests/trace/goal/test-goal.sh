#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# GOAL schedules (TAP): their order as programs by hand, their predictions, refusals, the binary form, damage.
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

# Rank 1 is a node of a tree: what it sends requires what it receives; e starts when d has started, while the send is under way.
# Rank 0 has a second cpu. Rank 2: work while a message comes, as Irecv, work, Wait.
cat >"$tmp/tree.goal" <<'EOT'
/* a comment
 of two lines */
num_ranks 3

rank 0 {
a: send 10b to 1 tag 3
b: calc 700 // work
b requires a
c: send 11b to 2
c requires b
x: calc 50 cpu 1
y: send 1b to 2 tag 9 cpu 1 nic 1
y requires x
}

rank 1 {
c: recv 10b from 0 tag 3
d: send 20b to 2 tag 4
d requires c
e: calc 30
e irequires d
}

rank 2{
r: recv 20b from 1 tag 4
s: calc 1000
t: calc 1
t requires r
t requires s
u: recv 11b from -1
u requires t
recv 1b from 0 tag 9
}
EOT
cat >"$tmp/expected" <<'EOT'
#mpgtext 1
#ranks 3
#clocks shared
#fact 0 imported GOAL schedule
#fact 0 untimed GOAL
#fact 0 assumed 1 receives from any source or with any tag: the schedule does not tell the sender, the earliest send that fits is taken
0 0 0 Init
#comm 0 = 0 1 2
0 0 0 Isend comm=0 to=1 tag=3 bytes=10 request=1
0 0 0 Wait requests=1
0.1 50 50 Isend comm=0 to=2 tag=9 bytes=1 request=3
0.1 50 50 Wait requests=3
0 700 700 Isend comm=0 to=2 tag=0 bytes=11 request=2
0 700 700 Wait requests=2
0 700 700 Finalize
1 0 0 Init
1 0 0 Irecv comm=0 from=0 tag=3 bytes=10 request=1
1 0 0 Wait requests=1
1 0 0 Isend comm=0 to=2 tag=4 bytes=20 request=2
1 30 30 Wait requests=2
1 30 30 Finalize
2 0 0 Init
2 0 0 Irecv comm=0 from=1 tag=4 bytes=20 request=1
2 0 0 Irecv comm=0 from=0 tag=9 bytes=1 request=2
2 1000 1000 Wait requests=1
2 1001 1001 Irecv comm=0 from=0 tag=0 bytes=11 any=source request=3
2 1001 1001 Waitall requests=3,2
2 1001 1001 Finalize
EOT
ok "a tree, two cpus, work while a message comes" imported "$tmp/tree.goal" "$tmp/expected"
cp "$tmp/tree.goal" "$tmp/no_ending"
ok "by content, not by name" imported "$tmp/no_ending" "$tmp/expected"

# rank N STATEMENT...: writes a schedule of ranks 0 and 1, in which rank 0 has the statements.
schedule() {
    {
        printf 'num_ranks 2\nrank 0 {\n'
        printf '%s\n' "$@"
        printf '}\nrank 1 {\nm: send 1b to 0 tag 1\nn: send 1b to 0 tag 2\n}\n'
    } >"$tmp/schedule"
}
schedule 'a: recv 1b from 1 tag 1' 'b: recv 1b from 1 tag 2' 'c: send 1b to 1 tag 3' 'c requires a' 'd: send 1b to 1 tag 4' 'd requires b'
ok "refused: order by the end of messages" refused "$tmp/schedule" "operations c (send) and d (send): which of the two starts first"
schedule 'a: calc 5' 'b: calc 6'
ok "refused: work in no order" refused "$tmp/schedule" "operations a (calc) and b (calc): two calculations on one cpu have no order"
schedule 'a: recv 1b from 1 tag 1' 'w: calc 5' 'x: calc 6' 'x requires w' 'c: calc 1' 'c requires a'
ok "refused: work that a message may overtake" refused "$tmp/schedule" "which of the two starts first depends on when a message ends"
schedule 'a: calc 5' 'b: calc 6 cpu 1' 'b requires a'
ok "refused: edges between cpus" refused "$tmp/schedule" "operations a (calc) and b (calc): on two cpus"
schedule 'a: calc 5' 'b: calc 6' 'b requires a' 'c: calc 7' 'c requires b' 'b requires c'
ok "refused: a circle" refused "$tmp/schedule" "rank 0: operation b (calc) requires itself"
schedule 'a: calc 5' 'a requires a'
ok "refused: a circle of one" refused "$tmp/schedule" "operation a (calc) requires itself"
schedule 'a: calc 5' 'a: calc 6'
ok "refused: a label twice" refused "$tmp/schedule" "line 4: label a is defined twice"
schedule 'a: calc 5' 'a requires b'
ok "refused: a label that is none" refused "$tmp/schedule" "label b is not defined"
schedule 'put 5b to 1'
ok "refused: LogGOPSim2's operations" refused "$tmp/schedule" "'put 5b' is not a statement that mpgkit reads"
schedule 'a: send 5b to 7'
ok "refused: a rank that is none" refused "$tmp/schedule" "with a rank below 2"
schedule 'calc 9223372036854775807'
ok "refused: 2^63 - 1 ns" refused "$tmp/schedule" "is no time in ns"
schedule 'calc 1'
ok "refused: messages that nobody receives" refused "$tmp/schedule" "rank 1 sends rank 0 2 messages"
printf 'num_ranks 1048576\nrank 0 {\n}\n' >"$tmp/schedule"
ok "refused: a million of ranks without schedules" refused "$tmp/schedule" "rank 1 of 1048576 has no schedule"
printf 'num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n' >"$tmp/schedule"
ok "refused: a rank twice" refused "$tmp/schedule" "rank 0 twice"

# The binary form of: rank 0 { a: calc 700; b: send 10b to 1 tag 3; b requires a } rank 1 { recv 10b from 0 tag 3 }
if has_python; then
    python3 - "$tmp" <<'EOT'
import struct, sys
def operation(requires, kind, peer, size, tag, ends=(0, 0), starts=(0, 0)):
    return struct.pack("<IBIQIBBIIII", requires, kind, peer, size, tag, 0, 0, *ends, *starts)
def rank(roots, operations, listed):
    return struct.pack("<II", len(operations), len(roots)) + b"".join(struct.pack("<I", r) for r in roots) + b"".join(operations) + \
        b"".join(struct.pack("<I", n) for n in listed)
def file(name, ranks, count=None):
    at, table, data = 6 + 16 * len(ranks), b"", b""
    for r in ranks:
        table += struct.pack("<QQ", at, at + len(r))
        at += len(r)
        data += r
    with open(f"{sys.argv[1]}/{name}", "wb") as f:
        f.write(struct.pack("<QIBB", 4223, count or len(ranks), 0, 0) + table + data)
a = operation(0, 3, 0, 700, 0, (1, 0), (0, 1))
b = operation(1, 1, 1, 10, 3, (0, 1), (0, 1))
r = operation(0, 2, 0, 10, 3)
file("whole.bin", [rank([0], [a, b], [1]), rank([0], [r], [])])
file("ranks.bin", [rank([0], [a, b], [1])], 0xffffffff)
file("edge.bin", [rank([0], [a, b], [77]), rank([0], [r], [])])
file("list.bin", [rank([0], [operation(0, 3, 0, 700, 0, (0x80000000, 0x80000000)), b], [1]), rank([0], [r], [])])
file("kind.bin", [rank([0], [operation(0, 9, 0, 700, 0), b], [1]), rank([0], [r], [])])
EOT
    printf '%s\n' "0 0 0 Init" "#comm 0 = 0 1" "0 700 700 Isend comm=0 to=1 tag=3 bytes=10 request=1" "0 700 700 Wait requests=1" \
        "0 700 700 Finalize" "1 0 0 Init" "1 0 0 Irecv comm=0 from=0 tag=3 bytes=10 request=1" "1 0 0 Wait requests=1" \
        "1 0 0 Finalize" >"$tmp/expected"
    "$MPGTRACE" print "$tmp/whole.bin" | sed -n '/^0 0 0/,$p' >"$tmp/printed"
    ok "the binary form" shown "$tmp/expected" "$tmp/printed"
    ok "binary: 2^32 - 1 ranks" refused "$tmp/ranks.bin" "4294967295 ranks in"
    ok "binary: an edge to an operation that is none" refused "$tmp/edge.bin" "operation 77 of 2"
    ok "binary: a list outside of the file" refused "$tmp/list.bin" "requirements outside of their list"
    ok "binary: a kind that is none" refused "$tmp/kind.bin" "no kind of GOAL (9"
fi

# A binary tree of 8 ranks, with a latency of 5 us and no other times: rank 7 gets its message three messages after rank
# 0.
{
    echo "num_ranks 8"
    for rank in 0 1 2 3 4 5 6 7; do
        echo "rank $rank {"
        for ((step = 1, from = -1; step < 8; step *= 2)); do
            if ((rank >= step && rank < 2 * step)); then
                from=$((rank - step))
                echo "r: recv 1b from $from"
            elif ((rank < step)); then
                echo "s$step: send 1b to $((rank + step))"
                ((from < 0)) || echo "s$step requires r"
            fi
        done
        echo "}"
    done
} >"$tmp/tree8"
if [ -x "$MPGSIM" ]; then
    "$MPGSIM" --predict --latency=const:5us --replicas=1 --json "$tmp/tree8" >"$tmp/json" 2>"$tmp/err"
    ok "mpgsim --predict: three flights of 5 us" grep -qE '[^0-9]15000(\.0+)?[^0-9]' "$tmp/json"
    "$MPGSIM" --latency=const:5us "$tmp/tree8" >"$tmp/out" 2>"$tmp/err"
    is "perturb mode is refused" "$?" 1
fi

# Damaged files.
for file in tree.goal whole.bin; do
    size=$(wc -c <"$tmp/$file")
    for ((at = 1; at < size; at += 97)); do
        head -c "$at" "$tmp/$file" >"$tmp/cut"
        bounded "$tmp/cut" || break
    done
    ok "$file truncated at each 97th byte" test "$at" -ge "$size"
done
done_testing
