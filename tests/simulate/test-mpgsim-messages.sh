#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What two machines' signatures mean for messages (TAP; docs/MODEL.md, section 3), by hand:
# flights at their size, overheads, protocols that change, collectives.
. "$(dirname "$0")/mpgsim.sh"

# sizes KEY NAME SIZE:NS...: prints a list of sizes with times without variation.
sizes() {
    local key=$1 name=$2 pair comma=''
    shift 2
    printf '"%s": [' "$key"
    for pair; do
        printf '%s{"size_bytes": %s, "%s": {"n": 9, "mean": %s, "sd": 0, "lag1": 0, "quantiles": [%s, %s]}}' \
            "$comma" "${pair%:*}" "$name" "${pair#*:}" "${pair#*:}" "${pair#*:}"
        comma=,
    done
    echo ']'
}
# machine BARRIER [PART]...: prints a signature. PART: arguments of sizes.
machine() {
    local barrier=$1 part
    shift
    echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"},'
    echo '"network": [{"path": "node", "one_way": "one clock", "eager_limit_bytes": 4096'
    for part; do
        echo ,
        # shellcheck disable=SC2086 # a list
        sizes $part
    done
    printf '}], "collectives": [{"operation": "barrier", "processes": 2, "size_bytes": 0, '
    echo '"time_ns": {"n": 9, "mean": '"$barrier"', "sd": 0, "lag1": 0, "quantiles": ['"$barrier, $barrier"']}}]}'
}
machine 2000 'latency one_way_ns 0:1000 8:1010 1024:1500 32768:9000' \
    'bandwidth transfer_ns 32768:9000 65536:17192' 'send_overhead send_ns 0:300 1024:400' \
    'receive_overhead receive_ns 0:200' >t.sig
machine 1500 'latency one_way_ns 0:500 8:505 1024:700 32768:4000' \
    'bandwidth transfer_ns 32768:4000 65536:8096' 'send_overhead send_ns 0:100 1024:150' \
    'receive_overhead receive_ns 0:50' >s.sig

# delays OPTION... TRACE: prints the delay of each rank, rounded to a ps.
delays() {
    "$mpgsim" --json --replicas=1 "$@" | "$python" -c '
import json, sys
print(*(format(round(rank["delay_ns"]["median"], 3), "g") for rank in json.load(sys.stdin)["ranks"]))'
}
both=(--perturb --signature=t.sig --source=s.sig)

# message BYTES: prints a trace in which a receiver waits for a message.
message() {
    calls 2 "#clocks shared" <<END
0 1000 1020 Send to=1 bytes=$1
1 900 30000 Recv from=0 bytes=$1
END
}
message 1024 >1024.txt
message 8 >8.txt
message 95 >95.txt
message 32768 >32768.txt
message 98304 >98304.txt
large=(--eager-limit=1MiB --source=eager-limit=1MiB)
# Of sending 8 B: (300 - 100) + (100 - 50) 8 / 1024.
is "the difference of one-way times, and of sending" "$(delays "${both[@]}" --absorb=none 1024.txt)" "250 800"
is "at the smallest sizes" "$(delays "${both[@]}" --absorb=none 8.txt)" "200.391 505"
is "linear in bytes between sizes: 505 + 295 x (95 - 8) / (1024 - 8)" \
    "$(delays "${both[@]}" --absorb=none 95.txt | cut -d' ' -f2)" "530.261"
is "at the greatest size" "$(delays "${both[@]}" "${large[@]}" --absorb=none 32768.txt)" "250 5000"
is "above it, with the slope of transfers: 5000 + 65536 x (0.25 - 0.125)" \
    "$(delays "${both[@]}" "${large[@]}" --absorb=none 98304.txt)" "250 13192"
calls 2 "#clocks shared" >faster.txt <<'END'
0 1000 1020 Send to=1 bytes=1024
1 900 2000 Recv from=0 bytes=1024
0 5000 5020 Send to=1 bytes=1024
1 7000 7010 Recv from=0 bytes=1024
END
is "faster: the whole difference, but no call takes less than no time" \
    "$(delays --perturb --signature=s.sig --source=t.sig --absorb=clock faster.txt)" "-40 -810"
is "a machine as its own source changes nothing" \
    "$(for f in 8 95 1024 32768; do delays --perturb --signature=t.sig --source=t.sig $f.txt; done | sort -u)" "0 0"
is "lambda from the command line: tau stays, and overheads" \
    "$(delays "${both[@]}" --latency=const:70ns --absorb=none 1024.txt)" "250 370"
is "lambda and tau: nothing else" \
    "$(delays "${both[@]}" --latency=const:70ns --byte=const:1ns --absorb=none 1024.txt)" "0 1094"

calls 3 "#clocks shared" >two.txt <<'END'
0 1000 1010 Send to=2 bytes=0
1 1200 1210 Send to=2 bytes=0
2 500 510 Irecv from=1 bytes=0 request=1
2 520 530 Irecv from=0 bytes=0 request=2
2 900 2000 Waitall requests=1,2
END
is "one processor completes two messages after each other: the earlier one's edge has both" \
    "$(delays "${both[@]}" --absorb=none two.txt)" "200 200 650"

# Receive overheads for each size, and no cost of sending.
ways='latency one_way_ns 0:2500 1024:2700'
machine 2000 "$ways" 'send_overhead send_ns 0:0' 'receive_overhead receive_ns 0:200 1024:900' >o.t.sig
machine 1500 "$ways" 'send_overhead send_ns 0:0' 'receive_overhead receive_ns 0:50 1024:80' >o.s.sig
of_o=(--perturb --signature=o.t.sig --source=o.s.sig --absorb=none)
calls 3 "#clocks shared" >four.txt <<'END'
0 1000 1010 Send to=2 bytes=1024
0 1200 1210 Send to=2 bytes=1024
1 1400 1410 Send to=2 bytes=0
1 1600 1610 Send to=2 bytes=1024
2 500 510 Irecv from=1 bytes=0 request=1
2 520 530 Irecv from=0 bytes=1024 request=2
2 540 550 Irecv from=0 bytes=1024 request=3
2 560 570 Irecv from=1 bytes=1024 request=4
2 900 3000 Waitall requests=1,2,3,4
END
is "messages of one rank are looked for once: 820 + (700 - 30) + 150 + (700 - 30)" \
    "$(delays "${of_o[@]}" four.txt)" "0 0 2310"

# In this trace every receive waits, so even the shortest duration contains a wait.
calls 2 "#clocks shared" >waits.txt <<'END'
0 1000 1300 Send to=1 bytes=1024
1 900 6000 Recv from=0 bytes=1024
0 11000 11300 Send to=1 bytes=1024
1 10900 16000 Recv from=0 bytes=1024
END
is "a receive costs no more than o_r, nor a flight what calls took: 150 - 400 + 700 - 1500" \
    "$(delays --perturb --signature=s.sig --source=t.sig --absorb=clock waits.txt)" "-500 -1050"

# Half of the calls met something: 300 to 60000, evenly. Where the machine's noise is recorded, that is
# the replay's, and no more than 20 x 300 counts: 3014 in the mean for 15225. One-way times are above all
# of them, as messages contain what their calls take.
heavy() {
    sed 's/"network"/'"$1"'"network"/; /send_overhead/s/"quantiles": \[300, 300\]/"quantiles": [300, 300, 60000]/; s/\("one_way_ns": {"n": 9, "mean": \)[^,]*\([^]]*\[\)[^]]*/\170000\270000, 70000/g' t.sig
}
heavy '' >alone.sig
heavy '"noise": [{"core": 0, "span_ns": 1e9, "detours": {"start_ns": [10], "duration_ns": [1]}}],' >recorded.sig
for ((i = 1; i <= 4000; i++)); do
    echo "0 $((10000 * i)) $((10000 * i + 400)) Send to=1 bytes=0"
    echo "1 $((10000 * i)) $((10000 * i + 900)) Recv from=0 bytes=0"
done | calls 2 "#clocks shared" | sed 's/ 1000000 1000010 F/ 99000000 99000010 F/' >many.txt
# mean SIGNATURE: prints the mean increase of a send.
mean() {
    delays --perturb --signature="$1" --source=s.sig --absorb=none many.txt | awk '{ print $1 / 4000 }'
}
alone=$(mean alone.sig) recorded=$(mean recorded.sig)
ok "what overheads were measured to be counts without a record of noise: $alone for 15125" \
    awk "BEGIN { exit !(($alone / 15125 - 1) ^ 2 < 0.05 ^ 2) }"
ok "with one no more than 20 medians: $recorded for 2914" \
    awk "BEGIN { exit !(($recorded / 2914 - 1) ^ 2 < 0.05 ^ 2) }"

calls 2 "#clocks shared" >late.txt <<'END'
0 1000 6000 Send to=1 bytes=1024
1 5000 5800 Recv from=0 bytes=1024
END
calls 2 "#clocks shared" >left.txt <<'END'
0 1000 1020 Send to=1 bytes=1024
1 3000 3100 Recv from=0 bytes=1024
END
calls 2 "#clocks shared" >posted.txt <<'END'
0 1000 1010 Isend to=1 bytes=1024 request=1
0 1100 6000 Wait requests=1
1 5000 5800 Recv from=0 bytes=1024
END
floor=(--absorb=clock --source=latency=100ns --source=byte=0.5859375ns) # 700 for 1024 B
# The receiver's 800 were 600 for what flies after its envelope, and 200 more: the message flew longer than usual, by a lesser
# ratio (900 / 700) than the receive took longer than its 50. Of its own it takes the target's 200.
is "a send that waited leaves at once: 1000 + 400 for 6000; its message lies ready: 200 for 800" \
    "$(delays "${both[@]}" "${floor[@]}" --eager-limit=4096 --source=eager-limit=100 late.txt)" "-4600 -600"
is "and the wait for one ends at once" \
    "$(delays "${both[@]}" "${floor[@]}" --eager-limit=4096 --source=eager-limit=100 posted.txt)" "250 -600"
is "one that left waits for its receiver: 3000 + 500 + 1000 for 1020, 3500 and 50 of its own for 3100" \
    "$(delays "${both[@]}" "${floor[@]}" --eager-limit=100 --source=eager-limit=4096 left.txt)" "3480 450"
calls 2 "#clocks shared" >slow.txt <<'END'
0 1000 9000 Send to=1 bytes=1024
1 900 1800 Recv from=0 bytes=1024
END
is "how long a send took that waits on the target only binds nothing: 1000 + 1000 + 500 + 1000 for 9000" \
    "$(delays "${both[@]}" "${floor[@]}" --eager-limit=100 --source=eager-limit=4096 slow.txt)" "-5500 800"
is "without absolute times the target's protocol is the traced machine's" \
    "$(delays "${both[@]}" --absorb=none --eager-limit=4096 --source=eager-limit=100 late.txt)" "250 800"
is "what the trace shows: the target's limit would have held it up" \
    "$("$mpgsim" --json --perturb --signature=<(sed 's/4096/100/' t.sig) left.txt |
        "$python" -c 'import json, sys; a = json.load(sys.stdin)
print(a["options"]["source_eager_limit_bytes"], a["trace"]["made_synchronous"])')" "1024 1"

# Synchronous on both: l(0) = 700, l(1024) = 1724; the target's envelopes are faster by 500, the rest by 300.
# met POSTED RECEIVED SENT: a send from 1000 on
met() {
    calls 2 "#clocks shared" <<END
0 1000 $3 Send to=1 bytes=1024
1 $1 $2 Recv from=0 bytes=1024
END
}
met 1137 2750 3500 >before.txt # its envelope arrives at 1700, and is then missed for 563
met 1437 2750 3500 >while.txt
met 2037 3100 3900 >after.txt
limits=(--eager-limit=100 --source=eager-limit=100)
sync=("${limits[@]}" --source=latency=700ns --source=byte=1ns)
faster=(--perturb --signature=s.sig --source=t.sig "${sync[@]}")
is "a receive posted before the envelope comes: -500 - 300, and -500 back" \
    "$(delays "${faster[@]}" before.txt)" "-1300 -800"
is "an envelope that would come before its receive waits for it: 1437 - 1700 - 300" \
    "$(delays "${faster[@]}" while.txt)" "-1063 -563"
is "one that has come before gains nothing: -300" "$(delays "${faster[@]}" after.txt)" "-800 -300"
is "but where its sender is late: 1000 - 500 + 1700 - 2037 - 300" \
    "$(delays "${faster[@]}" --noise=const:1us@0 after.txt)" "363 -137"
is "a late receive: 600 - 563 - 300" \
    "$(delays "${faster[@]}" --noise=const:600ns@1 before.txt)" "-763 337"
is "without slack of messages the receive says when: -300; a send that waits has nothing of its own" \
    "$(delays "${faster[@]}" --absorb=wait before.txt)" "-800 -300"
is "no other machine, no change" \
    "$(for f in before while after; do for a in none wait clock; do
        delays --perturb --signature=t.sig --source=t.sig "${sync[@]}" --absorb=$a $f.txt; done; done | sort -u)" "0 0"

# The longest flights in the trace: 950 for an empty message, 650 for a synchronous one. No envelope flies longer.
calls 2 "#clocks shared" >seen.txt <<'END'
0 1000 1010 Send to=1 bytes=0
1 800 1950 Recv from=0 bytes=0
0 2000 2010 Send to=1 bytes=0
1 2100 2110 Recv from=0 bytes=0
0 3000 4000 Send to=1 bytes=1024
1 2990 3650 Recv from=0 bytes=1024
0 5000 5900 Send to=1 bytes=1024
1 5600 5620 Recv from=0 bytes=1024
END
# The first receive's wait takes all of 350. Third: its own 700 - (660 - 20), for the
# sender 700 + 2990 - 3650. Fourth: 60 + 350 + 5600 - 5650 for the sender, nothing less for the receiver.
is "an envelope flies no longer than its message: 360; 60 + 350 + 350" \
    "$(delays "${limits[@]}" --absorb=clock --noise=const:350ns@1 seen.txt)" "360 760"
grep -v 'bytes=0$' seen.txt >unseen.txt
is "where no empty message says how long, it takes no time: 200 - 10 + 200, and 200" \
    "$(delays "${limits[@]}" --absorb=clock --noise=const:200ns@1 unseen.txt)" "390 590"

calls 2 "#clocks shared" >cross.txt <<'END'
0 1000 1020 Send to=1 bytes=1024
0 1100 1900 Recv from=1 bytes=1024
1 1000 1020 Send to=0 bytes=1024
1 1100 1900 Recv from=0 bytes=1024
END
"$mpgsim" "${both[@]}" --eager-limit=100 cross.txt >out 2>err
is "what the target's protocol would bring to a stand is an error" \
    "$? $(grep -c 'ranks wait for each other' err)" "1 1"

calls 4 "#comm 0 = 0 1 2 3" "#clocks shared" >barrier.txt <<'END'
0 1000 5000 Barrier comm=0
1 1100 5000 Barrier comm=0
2 1200 5000 Barrier comm=0
3 1300 5000 Barrier comm=0
END
# 4 go up to 0 and down again. It has 3 contributions at X + 2 o_r, and is back 3 o_s later; the i-th other one is (i - 1) o_s
# and X later than it had them. X, o_s, o_r are 1000, 300, 200 and were 500, 100, 50.
is "a collective that was not measured" \
    "$(delays --perturb --signature=<(sed 's/barrier/bcast/' t.sig) --source=<(sed 's/barrier/bcast/' s.sig) --absorb=none barrier.txt)" \
    "1400 1300 1500 1700"
# 2 exchange one message each, of 1000 and 500; measured were 2000 and 1500: twice those, and three times these.
is "... scaled to what was measured of others" \
    "$(delays "${both[@]}" --absorb=none barrier.txt)" "1900 1500 1800 2100"

# Of the first message 300 + 16 ns count. They delay the receive of the second one, of which then only 16 ns count.
calls 2 "#clocks shared" >probed.txt <<'END'
0 1000 1010 Send to=1 bytes=8
1 1000 1100 Probe from=0
1 1200 1300 Recv from=0 bytes=8
0 2000 2500 Ssend to=1 bytes=8
1 2000 2400 Recv from=0 bytes=8
END
is "that a probe met a message says nothing of the next one" \
    "$("$mpgsim" --json --absorb=none --latency=const:300ns --byte=const:2ns probed.txt | "$python" -c '
import json, sys
print(json.load(sys.stdin)["ranks"][1]["account"]["messages_ns"])')" 332.0

# Two messages become 1200 ns faster. One took 107 ns, and cannot gain more, although its floor is given as 300. The
# receive waited for it alone (the other one needed at most 10 ns).
calls 2 "#clocks shared" >short.txt <<'END'
0 993 1000 Send to=1 bytes=8
1 500 1100 Recv from=0 bytes=8
0 1500 1507 Send to=1 bytes=8
1 2000 2010 Recv from=0 bytes=8
END
is "a message gains no more than it took" \
    "$(delays --source=latency=300ns --latency=const:-1.2us short.txt)" "0 -107"
sed 's/, *"n": 9/&/; s/"send_overhead"/"send_unknown"/; s/"receive_overhead"/"receive_unknown"/' t.sig >plain.sig
is "without overheads calls take what they took" \
    "$(delays --perturb --signature=plain.sig --source=s.sig --absorb=none 1024.txt)" "0 800"
"$mpgsim" --perturb --signature=plain.sig --source=s.sig 1024.txt >out
is "and the answer says so, and that rows are not kept" \
    "$(grep -c 'sending: not measured\|has no successive measurements' out)" 2
done_testing
