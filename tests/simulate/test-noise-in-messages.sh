#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Noise that messages were measured with is not met again (TAP; docs/MODEL.md, section 3, What
# messages took contains noise already): a made-up chain of messages on a machine whose cores
# lose 6 % of the time, 6 us in every 100.
. "$(dirname "$0")/mpgsim.sh"
needs_python

# machine LATENCY [NOISE]
machine() {
    local noise=''
    [ $# -lt 2 ] || noise=$("$python" -c '
starts = ",".join(str(100000 * i + 30000) for i in range(100))
print("\"noise\": [%s]," % ",".join(
    "{\"core\": %d, \"span_ns\": 10000000, \"detours\": {\"start_ns\": [%s], \"duration_ns\": [%s]}}"
    % (core, starts, ",".join(["6000"] * 100)) for core in (0, 1)))')
    echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"},' "$noise"
    echo '"network": [{"path": "node", "one_way": "one clock", "latency": [{"size_bytes": 8,'
    echo '"one_way_ns": {"n": 9, "mean": '"$1"', "sd": 0, "lag1": 0, "quantiles": ['"$1, $1"']}}]}]}'
}
machine 1000 >quiet.sig
machine 1000 noisy >noisy.sig

# chain GAP: prints 2000 messages of 1000 ns back and forth, each GAP ns after the arrival of the previous one. The
# sender waits for the answer.
chain() {
    local i t=10000
    for ((i = 0; i < 2000; i++)); do
        echo "$((i % 2)) $t $((t + 20)) Send to=$((1 - i % 2)) bytes=8"
        echo "$((1 - i % 2)) $((t - $1 - 970)) $((t + 1000)) Recv from=$((i % 2)) bytes=8"
        t=$((t + 1000 + $1))
    done
}
# program GAP: prints a trace of these messages, which ends directly after them.
program() {
    local end=$((10000 + 2000 * (1000 + $1)))
    chain "$1" | sort -k1,1n -k2,2n | calls 2 "#clocks shared" |
        sed "s/ 1000000 1000010 Finalize/ $end $((end + 10)) Finalize/"
}
program 40 >chain.txt
program 4000 >works.txt

# growth OPTION... TRACE: prints by how much the run time grows, in percent.
growth() {
    "$mpgsim" --json --source=quiet.sig --perturb --signature=noisy.sig "$@" 2>err |
        "$python" -c 'import json, sys
answer = json.load(sys.stdin)
print(round(100 * (answer["run_time_ns"]["median"] / answer["traced_run_time_ns"] - 1), 3))' || sed 's/^/# /' err
}
within() { awk "BEGIN { exit !($1 >= $2 && $1 <= $3) }"; }

# Noise on either rank delays both: 6 %. But of a core's detours only those count that begin while its rank does not
# wait: in 70 of 2080 ns.
found=$(growth chain.txt)
ok "a chain of messages grows by what its intervals meet, $found %" within "$found" 0.05 1.5
found=$(growth --latency=const:0 --byte=const:0 chain.txt)
ok "where messages are the command line's by the noise of both cores, $found %" within "$found" 10 14
# A rank computes for 4000 of 10000 ns, and then waits for longer than two flights take.
found=$(growth works.txt)
ok "ranks that wait longer than messages take meet what begins meanwhile, $found %" \
    within "$found" 4.8 10
done_testing
