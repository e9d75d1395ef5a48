#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sigshow --export (TAP): numbers by hand, what is said to be lost, no number that is none, and where SimGrid is installed its run
# times on the exported platforms against mpgsim's predictions with the same signatures. Programs from the environment.
set -u
sigshow=${SIGSHOW:-sigshow}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/signatures.sh"
command -v "$sigshow" >/dev/null || { echo "Bail out! no $sigshow"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# constant VALUE: prints a distribution with this value only.
constant() {
    echo "{\"n\": 100, \"mean\": $1, \"sd\": 0, \"lag1\": 0, \"quantiles\": [$1, $1, $1]}"
}

# line_path CLASS LATENCY BYTE SEND RECEIVE [EAGER [STREAM]]: prints a path on which a message of B bytes takes LATENCY
# + BYTE * B ns, with its overheads, its eager limit, and the ns a byte of a stream.
line_path() {
    local size comma key name value gap=0
    [ -z "${7-}" ] || gap=1230
    echo "{\"path\": \"$1\", \"one_way\": \"one clock\", ${6:+\"eager_limit_bytes\": $6,} ${7:+\"window_messages\": 64,}"
    for key in latency send_overhead receive_overhead ${7:+streaming}; do
        [ "$4" = 0 ] && [[ $key = *overhead ]] && continue
        echo "\"$key\": ["
        comma=
        for size in 0 8 64 1024 16384 65536 262144 1048576; do
            case $key in
            latency) name=one_way_ns value=$(awk -v a="$2" -v b="$3" -v n=$size 'BEGIN { printf "%.17g", a + b * n }') ;;
            send_overhead) name=send_ns value=$4 ;;
            receive_overhead) name=receive_ns value=$5 ;;
            streaming) name=message_ns value=$(awk -v b="$7" -v n=$size 'BEGIN { printf "%.17g", 1 + b * n }') ;;
            esac
            echo "$comma{\"size_bytes\": $size, \"$name\": $(constant "$value")}"
            comma=,
        done
        echo "],"
    done
    echo "\"loggp\": {\"overhead_ns\": $4, \"gap_ns\": $gap, \"segments\": [{\"from_bytes\": 0, \"to_bytes\": 1048576,"
    echo "\"latency_ns\": $2, \"latency_error_ns\": 0, \"gap_per_byte_ns\": $3, \"gap_per_byte_error_ns\": 0,"
    echo '"residual_sd_ns": 0, "worst_relative": 0}]}}'
}

# lines_signature PATH...
lines_signature() {
    echo '{"format": "mpgkit-signature", "version": [2, 0], "header": {"host": "vm --> <end>", "cpu": "a - b-"},'
    echo '"network": ['
    while [ $# -gt 0 ]; do
        echo "$1${2:+,}"
        shift
    done
    echo ']}'
}

# ---- by hand ----
lines_signature "$(line_path node 1500 0.125 300 700)" "$(line_path 'between nodes' 5000 0.5 300 700 65536 0.25)" >two.sig
if "$sigshow" --export=simgrid,ranks=5,cores=2 two.sig >two.xml 2>err; then
    is "nothing on standard error" "$(cat err)" ""
    # SimGrid's backbone link has a latency of 5000 - 300 - 700 - 16 x 0.5; streams take 0.25 ns and 1 ns a byte
    is "SimGrid's links" "$(grep -E '^ +(<cluster|bw|bb_bw)=?' two.xml | sed 's/^ *//')" \
        '<cluster id="machine" prefix="node" suffix="" speed="1Gf" radical="0-2" core="2"
bw="3999984741.27Bps" lat="0s" sharing_policy="SPLITDUPLEX"
bb_bw="2000000000Bps" bb_lat="3992ns" bb_sharing_policy="FATPIPE"/>'
    # above the eager limit SimGrid has no overheads, so the latency factor is (5000 - 8) / 3992
    ok "SimGrid's factors" grep -qF 'smpi/lat-factor" value="0:1;65552:1.25050100' two.xml
    ok "SimGrid's overheads" test "$(grep -cE '"smpi/oi?s" value="0:3e-07:0"|"smpi/or" value="0:7e-07:0"' two.xml)" = 3
    ok "SimGrid's eager limit" test "$(grep -c 'thresh" value="65537"' two.xml)" = 2
    is "no comment ends early" "$(sed -n '/<!--/,/^-->/p' two.xml | sed '1s/<!--//; $d' | grep -c -- --)" 0
    if command -v xmllint >/dev/null; then
        ok "it is XML" xmllint --noout --nonet two.xml
    else
        skip "it is XML" "no xmllint"
    fi
else
    ok "SimGrid" false
    sed 's/^/# /' err
fi
lines_signature "$(line_path 'between nodes' 5000.2 0.6 300 700 65536 0.25)" >far.sig
"$sigshow" --export=loggopsim far.sig >out 2>err
is "LogGOPSim: the mean of both overheads, L + 2 o = 5000.7, whole ns" "$? $(cat out)" \
    "0 -L 4001 -o 500 -g 1230 -G 1 -O 0 -S 65536"
ok "LogGOPSim: what is lost" grep -qF 'sigshow: LogGOPSim has one time per byte for all sizes, in whole ns: -G is rounded from 0.6 ns' err
# (5001 + 1048575) / (5000.2 + 0.6 x 1048576) - 1
ok "LogGOPSim: how wrong it is" \
    grep -q '^sigshow: path between nodes: exported times are up to 66 % longer than the measured medians, at 1 MiB' err
"$sigshow" --export=dimemas,ranks=5,cores=2 two.sig >two.cfg 2>err
# 1e9 / 0.5 / 2^20 MB/s
is "Dimemas: the records" "$? $(grep -E '^"(env|multi|predef)' two.cfg)" \
    '0 "environment information" {"", 0, "", 3, 1907.34863281, 0, 3};;
"multi node information" {0, 3, "", 2, 1.0, 1.5e-06, 7629.39453125, 0, 0, 0, 5e-06, 0, 0, 0.0};;
"predefined mapping information" {"2 TASKS_PER_NODE"};;'
ok "Dimemas: the eager limit" grep -qF \
    '// messages of more than 65536 bytes wait for their receiver: give Dimemas -S 65537' two.cfg
is "Dimemas: all else is a comment" "$(grep -vE '^(//|"|#DIMEMAS_CONFIGURATION$|$)' two.cfg)" ""

signature | sed 's/"mpi": "Some MPI"/"mpi": "MPICH 4.2"/' >mpich.sig
"$sigshow" --export=simgrid mpich.sig >mpich.xml
ok "the measured library's collectives" grep -qF '<prop id="smpi/coll-selector" value="mpich"/>' mpich.xml
signature >whole.sig
"$sigshow" --export=simgrid whole.sig >whole.xml
ok "the spread is said" grep -qE \
    'path between nodes: times are medians, without spread: 0 B takes [0-9.]+ [nu]s, 1 % of messages less' whole.xml
ok "the noise is said" grep -qF \
    'noise is left out: cores lose 1.8 % of their time, the worst core 1.8 %, longest interruption 9 us' whole.xml
ok "collectives are said" grep -qE '[0-9]+ measured times of collectives are left out' whole.xml
without=network signature >none.sig
for format in simgrid loggopsim dimemas; do
    "$sigshow" --export=$format none.sig >out 2>err
    is "$format without messages" "$? $(cat out err)" \
        "1 sigshow: none.sig: no one-way times of messages: nothing to export (mpgbench pingpong measures them)"
done
"$sigshow" --export=simgrid --json two.sig >out 2>err
is "not with --json" "$? $(cat out err)" "2 sigshow: --export excludes --all, --json, --plot and --summary (try 'sigshow --help')"

# ---- the least and largest numbers ----
if [ -n "${PYTHON3:-}" ]; then
    mkdir made
    "$PYTHON3" "$here/extremes.py" made
    bad=
    for sig in made/*.sig; do
        for format in simgrid loggopsim dimemas; do
            timeout 60 "$sigshow" --export=$format "$sig" >out 2>err
            status=$?
            [ $status -le 1 ] || bad="$bad $sig($format: $status)"
            wrong=$(grep -iE '(^|[^a-z])-?(nan|inf)([^a-z]|$)|="-|:-[0-9]|, -[0-9]|-[LoG] -' out | head -n 1)
            [ -z "$wrong" ] || bad="$bad $sig($format: $wrong)"
        done
    done
    is "numbers of extreme signatures" "$bad" ""
else
    skip "numbers of extreme signatures" "no python3"
fi

# ---- SimGrid itself ----
#
# program: prints a trace of 6 ranks: messages in pairs, back with nonblocking calls, then around all ranks. All sizes
# are eager, because the simulators differ for others.
program() {
    awk 'function call(r, text) { print r, at[r] + 0, at[r] + 0, text }
        BEGIN {
            print "#mpgtext 1\n#ranks 6"
            for (r = 0; r < 6; r++) call(r, "Init")
            n = split("0 1 8 100 1023 4096 16384 65536", size, " ")
            for (k = 1; k <= n; k++) {
                for (r = 0; r < 6; r += 2) {
                    at[r] += 1000 * (r + 1) + 37 * k; call(r, "Send to=" r + 1 " tag=1 bytes=" size[k])
                    at[r + 1] += 500 * (6 - r); call(r + 1, "Recv from=" r " tag=1 bytes=" size[k])
                    at[r + 1] += 411 * r; call(r + 1, "Isend to=" r " tag=2 bytes=" size[k] " request=" k)
                    call(r, "Irecv from=" r + 1 " tag=2 bytes=" size[k] " request=" k)
                    at[r] += 1999; call(r, "Wait requests=" k)
                    call(r + 1, "Wait requests=" k)
                }
                for (r = 0; r < 6; r++)
                    call(r, "Sendrecv to=" (r + 1) % 6 " bytes=" size[k] " from=" (r + 5) % 6 " recvbytes=" size[k])
            }
            for (r = 0; r < 6; r++) call(r, "Finalize")
        }'
}
# ours WORDS...: prints the run time that mpgsim predicts, in whole ns.
ours() {
    "$MPGSIM" --predict --source=none --without=progress --json "$@" program.txt |
        awk '/"run_time_ns"/ { on = 1 } on && /"median"/ { printf "%.0f", $2; exit }'
}
# theirs PLATFORM HOSTFILE: prints SimGrid's run time in whole ns.
theirs() {
    smpirun -np 6 -platform "$1" -hostfile "$2" -replay x.ti --log=root.fmt:%.9r:%m%n 2>&1 |
        awk -F: '/Simulation time/ { printf "%.0f", $1 * 1e9 }'
}
if command -v smpirun >/dev/null; then
    program >program.txt
    "${MPGTRACE:?}" export -o x.ti program.txt
    for k in 0 1 2 3 4 5; do echo "node$k" >>alone; echo "node$((k / 2))" >>pairs; done
    lines_signature "$(line_path 'between nodes' 5000 0.5 0 0 65536)" >plain.sig
    lines_signature "$(line_path 'between nodes' 5000 0.5 300 700 65536)" >over.sig
    lines_signature "$(line_path node 1500 0.125 300 700)" "$(line_path 'between nodes' 5000 0.5 300 700)" >pair.sig
    "$sigshow" --export=simgrid,ranks=6 plain.sig >plain.xml
    "$sigshow" --export=simgrid,ranks=6 over.sig >over.xml
    "$sigshow" --export=simgrid,ranks=6,cores=2 pair.sig >pair.xml
    is "one latency and bandwidth: SimGrid's time is mpgsim's by options" "$(theirs plain.xml alone)" \
        "$(ours --latency=const:5us --byte=const:0.5ns --eager-limit=65536)"
    is "with overheads: it is mpgsim's by the signature" "$(theirs over.xml alone)" "$(ours --signature=over.sig)"
    # equal within 1 ns, because mpgsim's times have fractions of a ns
    simgrid=$(theirs pair.xml pairs) mpgsim=$(ours --signature=pair.sig --map=block:2)
    ok "with two ranks a node, too: $simgrid, $mpgsim" test "${simgrid:-0}" -gt 0 -a $((simgrid - mpgsim)) -le 1 -a \
        $((mpgsim - simgrid)) -le 1
else
    skip "SimGrid's run times" "no smpirun"
fi
done_testing
