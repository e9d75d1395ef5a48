#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Buffers in the memory of a GPU (TAP), without a GPU: the tracer asks CUDA's driver library, here a stand-in (cuda_driver.c), once
# the program has loaded it; print, import, stat and mpgsim.
# shellcheck disable=SC2086,SC2154
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
ok "the stand-in compiles" ${CC:-cc} -shared -fPIC -O1 -Wall -Wextra -o libcuda.so.1 "$here/cuda_driver.c"
ok "the program compiles" $mpicc -O1 -Wall -Wextra -o devices "$here/devices.c" -ldl
export LD_LIBRARY_PATH=$tmp${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

ok "a program with a device" traced 2 app.trace --callsites=0 ./devices yes
# calls TRACE RANK: the rank's calls with their bytes, and which of their buffers are the device's
calls() {
    "$MPGTRACE" print "$1" | awk -v rank="$2" '$1 == rank && / (bytes|recvbytes)=/ {
        line = $4
        for (i = 5; i <= NF; i++)
            if ($i ~ /^(device|bytes|recvbytes)=/)
                line = line " " $i
        print line
    }' | grep -v '^Win_create'
}
both="Sendrecv bytes=10 recvbytes=10 device=send
Allreduce bytes=16 device=receive
Allreduce bytes=16 device=receive
Allreduce bytes=16 device=receive
Allreduce bytes=16
Bcast bytes=8 device=send,receive
Put bytes=5 recvbytes=0 device=send
Get bytes=0 recvbytes=6 device=receive"
is "what rank 0 sends from the device" "$(calls app.trace 0)" "Bcast bytes=1
Send bytes=100 device=send
Send bytes=200
Isend bytes=300
$both"
is "what rank 1 receives into it" "$(calls app.trace 1)" "Bcast bytes=1
Recv bytes=100
Recv bytes=200 device=receive
Irecv bytes=300 device=receive
$both"
"$MPGTRACE" print app.trace >app.txt
ok "the text form is read" "$MPGTRACE" import --text app.txt -o again.trace
is "... and is the same again" "$("$MPGTRACE" print again.trace | cmp - app.txt && echo same)" same
# Sent: 100 + 2 x 10 + 2 x 5, of Bcast the root's 8; received: 200 + 300 + 2 x 6.
is "stat counts the bytes" "$("$MPGTRACE" stat app.trace | grep '^GPU')" "GPU memory  138 B sent from it, 512 B received into it"
if command -v python3 >/dev/null; then
    is "... as JSON" "$("$MPGTRACE" stat --json app.trace |
        python3 -c 'import json, sys; s = json.load(sys.stdin); print(s["device_sent_bytes"], s["device_received_bytes"])')" "138 512"
    is "mpgsim counts the calls" "$("$MPGSIM" --json --perturb --latency=const:1us app.trace |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["trace"]["device_calls"])')" 17
fi
like "mpgsim says whose times they take" "$("$MPGSIM" --verbose --perturb --latency=const:1us app.trace | tr -s ' \n' ' ')" \
    "*17 calls have buffers in the memory of GPUs: their messages take the times of the host's memory*"

ok "a program without a device" traced 2 none.trace --callsites=0 ./devices
is "has none" "$("$MPGTRACE" print none.trace | grep -c ' device=')" 0
is "stat says nothing of it" "$("$MPGTRACE" stat none.trace | grep -c '^GPU')" 0

# wrong NAME TEXT WORDS: a text form with this line is refused
wrong() {
    printf '#mpgtext 1\n#ranks 1\n#comm 0 = 0\n0 0 10 Init\n0 20 30 %s\n0 90 90 Finalize\n' "$2" >wrong.txt
    ! "$MPGTRACE" import --text wrong.txt -o wrong.trace 2>err
    like "$1" "$(cat err)" "$3"
}
wrong "an unknown side" "Bcast comm=0 root=0 bytes=8 device=both" "*device: device=both is not send or receive*"
wrong "another word" "Barrier comm=0 device=receive,tag" "*device=tag is not send or receive*"
wrong "a completion" "Wait requests=1 device=send" "*MPI_Wait has no 'device'*"
done_testing
