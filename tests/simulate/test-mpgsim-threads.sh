#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks of several threads: calls that are read while another thread waits, requests that two threads have (TAP).
# shellcheck source=tests/simulate/mpgsim.sh
. "$(dirname "$0")/mpgsim.sh"

# While thread 0.1's Send waits for its receiver, 0.1's Start is held and 0.2's Start is read: each must match the message that it
# names (matched=).
cat >ahead.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
0 0 10 Init
1 0 10 Init
0 12 14 Recv_init bytes=8 persistent=1 any=source,tag
0 16 18 Recv_init bytes=8 persistent=2 any=source,tag
0.1 30 120 Send to=1 tag=5 bytes=8
0.1 130 132 Start persistent=1 requests=11 matched=11:1:1
0.2 140 142 Start persistent=2 requests=12 matched=12:1:2
0 150 152 Send to=1 tag=6 bytes=8
1 20 160 Recv from=0 tag=6 bytes=8
1 170 172 Recv from=0 tag=5 bytes=8
1 180 190 Send to=0 tag=1 bytes=8
1 192 194 Send to=0 tag=2 bytes=8
0.1 200 300 Wait requests=11
0.2 210 310 Wait requests=12
0 400 410 Finalize
1 400 410 Finalize
T
like "what is laid aside keeps what its receives took" "$("$mpgsim" --eager-limit=4 ahead.txt 2>&1)" "*4 messages (4 synchronous)*"

# The Request_free is read before the Wait, in which the other thread is, is over: before its message, and after.
cat >free.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
0 0 10 Init
1 0 10 Init
0 20 30 Irecv from=1 tag=1 bytes=8 request=1
0 40 500 Wait requests=1
0.1 100 110 Request_free request=1
0.1 120 130 Irecv from=1 tag=2 bytes=8 request=2
0.1 140 150 Irecv from=1 tag=3 bytes=8 request=3
0.1 600 700 Waitall requests=2,3
1 400 410 Send to=0 tag=1 bytes=8
1 420 430 Send to=0 tag=2 bytes=8
1 440 450 Send to=0 tag=3 bytes=8
0 800 810 Finalize
1 800 810 Finalize
T
sed 's/^0.1 120 130/0.1 510 520/; s/^0.1 140 150/0.1 530 540/' free.txt >later.txt
for trace in free later; do
    ok "refused: Request_free of what another thread's Wait completes, $trace" refuses 1 "mpgsim: $trace.txt: rank 0.1, call 3 \
(MPI_Request_free): another thread's call completes request 1 already (--lenient goes on)" $trace.txt
    like "--lenient goes on, and says so" "$("$mpgsim" --lenient $trace.txt)" "*1 operation has no partner*(--lenient)*"
done

# Thread 0.1 probes for a message that rank 1 sends only after a message from thread 0; when it arrives, the simulation
# has already read thread 0's receive of it. The latencies of both messages, 2 us, delay the probe, and then 0.1's Send.
# Rank 1 is late by these 2 us and by 1 us of the message that this Send sends.
cat >probe.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
0 0 10 Init
1 0 10 Init
0 12 14 Recv_init from=1 tag=3 bytes=100 persistent=1
0.1 20 60 Probe from=1 tag=3 bytes=100
0 30 35 Send to=1 tag=9 bytes=8
0 70 80 Recv from=1 tag=3 bytes=100
0.1 82 83 Send to=1 tag=8 bytes=8
1 15 40 Recv from=0 tag=9 bytes=8
1 45 50 Send to=0 tag=3 bytes=100
1 55 86 Recv from=0 tag=8 bytes=8
0 100 110 Finalize
1 100 110 Finalize
T
sed 's/ Recv \(from=1.*\)/ Irecv \1 request=1/; /^0 100/i0 85 86 Wait requests=1' probe.txt >irecv.txt
sed 's/ Recv \(from=1.*\)/ Sendrecv to=null tag=0 bytes=0 from=1 recvtag=3 recvbytes=100/' probe.txt >sendrecv.txt
sed 's/ Recv from=1.*/ Start persistent=1 requests=1/; /^0 100/i0 85 86 Wait requests=1' probe.txt >start.txt
sed 's/ Probe .*/& message=1/; s/ Probe/ Mprobe/; s/ Recv \(from=1.*\)/ Mrecv \1 message=1/' probe.txt >mprobe.txt
sed 's/^0 70 80 Recv/0 50 80 Recv/' probe.txt >at-once.txt
sed 's/^0 70 80 Recv/0 50 80 Mprobe/; s/ Mprobe.*/& message=1/; /^0.1 82/a0 84 85 Mrecv from=1 tag=3 bytes=100 message=1' \
    probe.txt >taken.txt
sed 's/^0 70 80 Recv/0 52 58 Recv/' probe.txt >before.txt # it is over before the probe is
sed 's/50 80 Mprobe/52 58 Improbe/' taken.txt >before-too.txt
for trace in probe irecv sendrecv start mprobe at-once taken before before-too; do
    like "a message is another thread's, or its next call's, once a probe has found it: $trace" \
        "$("$mpgsim" --absorb=none --latency=const:1us --per-rank $trace.txt 2>&1 | tr '\n\t' ' ,')" "*0,90,2000,*1,90,3000,*"
done

# Rank 0's threads are independent; 0.1 only waits for a message, which rank 1 sends after receiving 0.1's second one.
cat >apart.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
0 0 1000 Init
1 0 1000 Init
0 2000 2100 Isend to=1 tag=0 bytes=8000 request=1
0.1 2010 2110 Isend to=1 tag=1 bytes=8000 request=3
0 2200 2300 Wait requests=1
0 2400 2500 Isend to=1 tag=2 bytes=8 request=2
0 2600 2700 Wait requests=2
0.1 2800 2900 Wait requests=3
0.1 3000 3100 Send to=1 tag=3 bytes=8
1 1800 1900 Irecv from=0 tag=1 bytes=8000 request=1
1 2000 3200 Recv from=0 tag=3 bytes=8
1 3300 3400 Recv from=0 tag=0 bytes=8000
1 3500 3600 Recv from=0 tag=2 bytes=8
1 3700 3800 Wait requests=1
0 9000 9100 Finalize
1 9000 9100 Finalize
T
# Three threads with tags of their own, which rank 1 starts in the other order: none waits for another one.
awk 'BEGIN {
    print "#mpgtext 1\n#ranks 2\n#clocks shared\n0 0 1000 Init\n1 0 1000 Init"
    for (r = 0; r < 2; r++) {
        for (j = q = 0; j < 3; j++) {
            thread = r ? 3 - j : j + 1
            for (k = 0; k < 3; k++) {
                at = sprintf("%d.%d %d %d", r, thread, 2000 + 40 * q, 2010 + 40 * q)
                print at " Irecv from=" 1 - r " tag=" thread " bytes=8000 request=" ++q
                sub(/ .*/, "", at)
                print at, 1980 + 40 * q, 1990 + 40 * q " Isend to=" 1 - r " tag=" thread " bytes=8000 request=" ++q
                print at, 1960 + 40 * q, 1965 + 40 * q " Waitany requests=" q - 1 "," q " done=" q
                print at, 1970 + 40 * q, 1975 + 40 * q " Waitany requests=" q - 1 " done=" q - 1
            }
        }
        print r " 9000 9100 Finalize"
    }
}' >orders.txt
# 0.1 is in a receive; the thread 0.2, which begins then, is in a collective, and the Barrier is not before that receive's message.
cat >meet.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
0 0 1000 Init
1 0 1000 Init
0.1 2000 2100 Send to=1 tag=1 bytes=8000
0.1 2200 5000 Recv from=1 tag=1 bytes=8
0.2 2300 2400 Barrier
1 2310 2410 Barrier
1 2500 2600 Recv from=0 tag=1 bytes=8000
1 2700 2800 Send to=0 tag=1 bytes=8
0 9000 9100 Finalize
1 9000 9100 Finalize
T
for trace in apart orders meet; do
    for limit in 100 -1; do
        like "sends that become synchronous hold up no thread that does not wait for them: $trace, above $limit" \
            "$("$mpgsim" --eager-limit=$limit --latency=const:0ns --per-rank $trace.txt 2>&1 | tr '\n\t' ' ,')" "*0,8000,0,*1,8000,0,*"
        like "nor in predict mode" \
            "$("$mpgsim" --predict --eager-limit=$limit --latency=const:1us $trace.txt 2>&1)" "*predicted*us*"
    done
done
done_testing
