#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What signatures' times and noise are drawn from (TAP; docs/MODEL.md, section 3): --models=latency,
# --models=byte, by what the command line's distributions give for the same draws; --models=noise.
. "$(dirname "$0")/mpgsim.sh"

# times SIZE LEAST MOST FAMILY LOCATION PARAMETER=VALUE...: prints times between LEAST and MOST for SIZE, with a fit.
times() {
    local size=$1 least=$2 most=$3 family=$4 location=$5 one comma=''
    shift 5
    printf '{"size_bytes": %s, "KEY": {"n": 9, "mean": %s, "sd": 0, "lag1": 0, "quantiles": [%s, %s]' \
        "$size" "$least" "$least" "$most"
    if [ "$family" != none ]; then
        printf ', "fits": [{"family": "pareto tail", "parameters": [{"name": "exponent", '
        printf '"value": 2, "low": 2, "high": 2}], "distance": 0.001, "tail_fraction": 0.1}, '
        printf '{"family": "%s", "location": %s, "distance": 0.01, "parameters": [' "$family" "$location"
        for one; do
            printf '%s{"name": "%s", "value": %s, "low": %s, "high": %s}' "$comma" "${one%=*}" \
                "${one#*=}" "${one#*=}" "${one#*=}"
            comma=,
        done
        printf ']}]'
    fi
    echo '}}'
}
# machine LATENCY [BANDWIDTH]: prints a signature of what times prints.
machine() {
    echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"},'
    echo '"network": [{"path": "node", "eager_limit_bytes": 4096'
    [ -z "$1" ] || printf ', "one_way": "one clock", "latency": [%s]\n' "$(tr '\n' , <<<"${1//KEY/one_way_ns}" | sed 's/,$//')"
    [ -z "${2-}" ] ||
        printf ', "bandwidth": [%s]\n' "$(tr '\n' , <<<"${2//KEY/transfer_ns}" | sed 's/,$//')"
    echo '}]}'
}

# runs OPTION...: prints every replica's run time and every rank's median delay.
runs() {
    "$mpgsim" --json --replicas=40 --seed=7 --eager-limit=4096 "$@" >answer 2>err || sed 's/^/# /' err
    "$python" -c '
import json, sys
answer = json.load(sys.stdin)
print(*(one["run_time_ns"] for one in answer["replicas"]))
print(*(rank["delay_ns"]["median"] for rank in answer["ranks"]))' <answer
}
# near NAME A B: checks that two outputs of runs are equal, except for rounding.
near() {
    ok "$1" "$python" -c '
import sys
a, b = (list(map(float, text.split())) for text in sys.argv[1:])
sys.exit(not (len(a) == len(b) > 40 and all(abs(x - y) <= 1e-9 * abs(y) + 1e-6 for x, y in zip(a, b))))
' "$2" "$3"
}

ring 4 5 1024 >ring.txt
pipeline 5 6 100 >pipeline.txt

# ---- latencies ----
machine "$(times 8 700 900 exponential 0 mean=2385.5)" >exp.sig
machine "$(times 8 700 900 gamma 0 shape=4 scale=500)" >gamma.sig
machine "$(times 8 700 900 lognormal 0 mu="$("$python" -c 'import math; print(math.log(2000) - math.log(1.25) / 2)')" \
    sigma="$("$python" -c 'import math; print(math.sqrt(math.log(1.25)))')")" >lognormal.sig
for trace in ring pipeline; do
    for absorb in none wait clock; do
        is "$trace, $absorb: an exponential fit of mean m is --latency=exp:m, draw for draw" \
            "$(runs --absorb=$absorb --perturb --signature=exp.sig --models=latency=fit --models=byte=fit $trace.txt)" \
            "$(runs --absorb=$absorb --latency=exp:2385.5ns $trace.txt)"
    done
    near "$trace: a gamma fit is --latency=gamma" \
        "$(runs --perturb --signature=gamma.sig --models=latency=fit --models=byte=fit $trace.txt)" \
        "$(runs --latency=gamma:2us,1us $trace.txt)"
    near "$trace: a lognormal one is --latency=lognormal" \
        "$(runs --perturb --signature=lognormal.sig --models=latency=fit --models=byte=fit $trace.txt)" \
        "$(runs --latency=lognormal:2us,1us $trace.txt)"
done
is "every message of --eager-limit=-1 as well, with its acknowledgement" \
    "$(runs --eager-limit=-1 --absorb=none --perturb --signature=exp.sig --models=latency=fit --models=byte=fit pipeline.txt)" \
    "$(runs --eager-limit=-1 --absorb=none --latency=exp:2385.5ns pipeline.txt)"
is "empirical is the default" "$(runs --perturb --signature=exp.sig --models=latency=empirical ring.txt)" \
    "$(runs --perturb --signature=exp.sig ring.txt)"
ok "and not the fit" test "$(runs --perturb --signature=exp.sig ring.txt)" != \
    "$(runs --perturb --signature=exp.sig --models=latency=fit ring.txt)"
near "a location is in both times: what is beyond it counts" \
    "$(machine "$(times 8 700 900 exponential 650 mean=2048)" >far.sig
       runs --absorb=none --perturb --signature=far.sig --models=latency=fit --models=byte=fit ring.txt)" \
    "$(runs --absorb=none --latency=exp:2048ns ring.txt)"
is "a machine as its own source changes nothing" \
    "$(runs --perturb --signature=exp.sig --source=exp.sig --models=latency=fit ring.txt | tail -n 1)" "0.0 0.0 0.0 0.0"
like "the answer says so" "$("$mpgsim" --perturb --signature=exp.sig --models=latency=fit ring.txt)" \
    "*latency *of the nearest families fitted to them (fit)*"
is "JSON has it" "$("$mpgsim" --json --perturb --signature=exp.sig --models=latency=fit ring.txt |
    grep -c '"latency_model": "fit"')" 1
is "and not where it was not asked for" "$("$mpgsim" --json --perturb --signature=exp.sig ring.txt |
    grep -c '_model"')" 0

# ---- bytes ----
#
# 1024 x 2.385 ns: multiplication by a power of 2 has no rounding error.
machine "$(times 0 500 500 none 0; times 1024 500 900 exponential 0 mean=2442.24)" >bytes.sig
is "bytes by a fit are --byte=exp:m / d" \
    "$(runs --absorb=none --perturb --signature=bytes.sig --latency=const:0ns --models=byte=fit ring.txt)" \
    "$(runs --absorb=none --latency=const:0ns --byte=exp:2.385ns ring.txt)"
machine '' "$(times 8 500 500 none 0; times 1024 500 900 exponential 500 mean=2442.24)" >haul.sig
near "transfers alone, too, beyond the smallest" \
    "$(runs --absorb=none --perturb --signature=haul.sig --latency=const:0ns --models=byte=fit ring.txt)" \
    "$(runs --absorb=none --latency=const:0ns --byte=exp:2.385ns ring.txt)"
# Above the largest size: 512 additional bytes cost nothing, because the measured medians of the two largest sizes are
# equal (500), whatever is drawn.
machine "$(times 0 500 500 none 0; times 512 500 900 exponential 500 mean=1221.12)" >slope.sig
near "the slope above the greatest size is the measured medians'" \
    "$(runs --absorb=none --perturb --signature=slope.sig --latency=const:0ns --models=byte=fit ring.txt)" \
    "$(runs --absorb=none --latency=const:0ns --byte=exp:1.1925ns ring.txt)"

# ---- noise ----
#
# core NUMBER GAPS DURATIONS [FITS]: prints a synthetic core with distributions of gaps and durations.
core() {
    printf '{"core": %s, "span_ns": 1000000, "detours": {"start_ns": [100, 7000], "duration_ns": [50, 60]}, ' "$1"
    printf '"gap_ns": {"n": 9, "mean": %s, "quantiles": [%s]%s}, ' "${2%%,*}" "$2" "${4:+, \"fits\": $4}"
    printf '"duration_ns": {"n": 9, "mean": %s, "quantiles": [%s]%s}}' "${3%%,*}" "$3" "${4:+, \"fits\": $4}"
}
# cores CORE...: prints a signature with these cores.
cores() {
    echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"},'
    echo "\"noise\": [$(IFS=,; echo "$*")]}"
}
fits='[{"family": "exponential", "location": 0, "distance": 0.01, "parameters": [
    {"name": "mean", "value": 900.5, "low": 900.5, "high": 900.5}]}]'
cores "$(core 0 20,300,9000 5,90,700 "$fits")" "$(core 1 20,300,9000 5,90,700 "$fits")" >two.sig
cores "$(core 0 20,300,9000 5,90,700)" "$(core 1 20,500,5000 5,90,300)" >mixed.sig
cores '{"core": 0, "span_ns": 2385, "detours": {"start_ns": [100], "duration_ns": [238.5]}}' >tick.sig
calls 1 </dev/null >one.txt
for ((k = 0; k < 9; k++)); do
    echo "0 $((2000000 * k + 1000000)) $((2000000 * k + 1000100)) Barrier comm=0"
done | cat <(echo "#mpgtext 1
#ranks 1
#comm 0 = 0
0 0 100 Init") - <(echo "0 18000000 18000100 Finalize") >long.txt
noise=(--absorb=none --source=none --perturb --signature=two.sig)
for model in renewal fit; do
    all=$(runs "${noise[@]}" --models=noise=$model ring.txt | head -n 1)
    is "$model: replicas one by one are those of all together, whatever the lanes" \
        "$(for ((k = 0; k < 40; k++)); do
            "$mpgsim" --json --seed=7 --eager-limit=4096 --replicas=1 --replicas=first=$k "${noise[@]}" \
                --models=noise=$model ring.txt | "$python" -c '
import json, sys
print(json.load(sys.stdin)["replicas"][0]["run_time_ns"])'
        done | tr '\n' ' ')" "$all "
    ok "$model: another seed, other detours" test "$all" != \
        "$("$mpgsim" --json --seed=8 --replicas=40 "${noise[@]}" --models=noise=$model ring.txt | "$python" -c '
import json, sys
print(*(one["run_time_ns"] for one in json.load(sys.stdin)["replicas"]))')"
    is "$model: JSON has it" "$("$mpgsim" --json "${noise[@]}" --models=noise=$model ring.txt |
        grep -c "\"noise_model\": \"$model\"")" 1
    is "$model: a machine as its own source changes nothing" \
        "$(runs --perturb --signature=two.sig --source=two.sig --models=noise=$model ring.txt | tail -n 1)" "0.0 0.0 0.0 0.0"
done
ok "fit draws other ones than renewal" test "$(runs "${noise[@]}" --models=noise=fit ring.txt)" != \
    "$(runs "${noise[@]}" --models=noise=renewal ring.txt)"
like "the answer says renewal" "$("$mpgsim" "${noise[@]}" --models=noise=renewal ring.txt | tr -s ' \n' ' ')" \
    "*detours of 2 cores drawn, gaps and durations by turns from those of the record (renewal), *"
like "and fit" "$("$mpgsim" "${noise[@]}" --models=noise=fit ring.txt | tr -s ' \n' ' ')" \
    "*from the nearest families fitted to them (fit), *"
# One detour takes a tenth of its record, so a ninth of the work is lost, except at the begins of blocks.
is "18 ms of work that loses a ninth" "$("$mpgsim" --json --seed=3 --replicas=200 --perturb --signature=tick.sig \
    --source=none --models=noise=renewal long.txt | "$python" -c '
import json, sys
runs = [one["run_time_ns"] for one in json.load(sys.stdin)["replicas"]]
mean = sum(runs) / len(runs)
print(abs((mean - 17999900) / (17999000 / 9) - 1) < 0.005 or mean)')" True
# waits WHO: prints the delays of two ranks before their first call.
calls 2 </dev/null >apart.txt
waits() { runs "$@" --models=noise=renewal apart.txt | tail -n 1; }
is "ranks of a node have one row of draws where that is wanted" \
    "$(waits --perturb --signature=two.sig --models=cosched=node | awk '{ print ($1 > 0 && $1 == $2) }')" 1
is "of each core's own gaps and durations" \
    "$(waits --perturb --signature=mixed.sig --models=cosched=node | awk '{ print ($1 != $2) }')" 1
is "and else each its own" "$(waits --perturb --signature=two.sig | awk '{ print ($1 != $2) }')" 1

# ---- quanta of several ranks ----
#
# quanta CORE MOST: prints a core with quanta of 1000 ns, which lose 0 to MOST.
quanta() { printf '{"core": %s, "ftq": {"quantum_ns": 1000, "lost_ns": {"n": 9, "mean": %s, "quantiles": [0, %s]}}}' \
    "$1" $(($2 / 2)) "$2"; }
cores "$(quanta 0 800),$(quanta 1 800)" >alike.sig
cores "$(quanta 0 800),$(quanta 1 400)" >unlike.sig
lost() { runs "$@" --models=noise=ecdf apart.txt | tail -n 1; }
is "ranks of a node lose the same of each quantum where that is wanted" \
    "$(lost --perturb --signature=alike.sig --models=cosched=node | awk '{ print ($1 > 0 && $1 == $2) }')" 1
is "... the job's" "$(lost --perturb --signature=alike.sig --models=cosched=job)" "$(lost --perturb --signature=alike.sig --models=cosched=node)"
is "... of each core's own losses" \
    "$(lost --perturb --signature=unlike.sig --models=cosched=node | awk '{ print ($1 > $2 && $2 > 0) }')" 1
is "... else each its own" "$(lost --perturb --signature=alike.sig | awk '{ print ($1 != $2) }')" 1
# so that nobody waits for another rank in a barrier: a run has the time of a single rank
meet() {
    calls "$1" "#clocks shared" < <(for ((k = 1; k < 9; k++)); do
        for ((r = 0; r < $1; r++)); do echo "$r $((k * 5385)) $((k * 5385)) Barrier"; done
    done)
}
meet 1 >alone.txt
meet 2 >both.txt
of=(--models=noise=ecdf --perturb --signature=alike.sig --collectives=rounds)
is "... and meets the other at once" "$(runs "${of[@]}" --models=cosched=node both.txt | head -n 1)" \
    "$(runs "${of[@]}" alone.txt | head -n 1)"
ok "... which else waits" test "$(runs "${of[@]}" both.txt | head -n 1)" != \
    "$(runs "${of[@]}" alone.txt | head -n 1)"
like "the answer says who meets them together" "$("$mpgsim" --perturb --signature=alike.sig --models=cosched=node \
    --models=noise=ecdf apart.txt | tr -s ' \n' ' ')" "*with the same draws for all ranks of the host*"

# ---- noise of calls ----
# Rank 0's Send waits for nobody, 1000 ns, and begins 1000 ns after a start anywhere in a gap of 2146.5: there a detour of
# 238.5 ends with what is left of it (starts over 238.5 ns), or the gap ends meanwhile (starts over 1000 ns):
# (238.5 x 119.25 + 1000 x 238.5) / 2146.5 in the mean.
calls 4 "#clocks shared" >sorted.txt <<'END'
0 1000 2000 Send to=1 bytes=8
1 900 20900 Recv from=0 bytes=8
2 1000 2000 Send to=3 bytes=8
3 30000 30500 Recv from=2 bytes=8
END
own=(--perturb --signature=tick.sig --source=none --noise=const:0ns --call-noise=signature --models=measurement=fixed)
# mean RANK OPTION...: prints the mean delay of RANK's calls over the replicas.
mean() {
    local rank=$1
    shift
    "$mpgsim" --json --replicas=4000 "$@" sorted.txt | "$python" -c '
import json, sys
print(json.load(sys.stdin)["ranks"][int(sys.argv[1])]["account"]["calls_ns"])' "$rank"
}
# That is 124.36; its standard deviation is about 117, and 4000 replicas have 4 standard errors of 7.4.
ok "what noise takes from a send" awk -v x="$(mean 0 "${own[@]}")" \
    'BEGIN { exit !(x > 124.36 - 7.4 && x < 124.36 + 7.4) }'
# The least receive lasted 500 ns: (238.5 x 119.25 + 500 x 238.5) / 2146.5 = 68.81.
ok "of a receive that waits only what it takes at least" awk -v x="$(mean 1 "${own[@]}" --absorb=none)" \
    'BEGIN { exit !(x > 68.81 - 6.5 && x < 68.81 + 6.5) }'
is "another record, other calls" "$(runs "${own[@]}" sorted.txt | tail -n 1 | awk '{ print ($1 > 0) }')" 1
is "a machine as its own source: calls as they were" \
    "$(runs --perturb --signature=tick.sig --source=tick.sig --call-noise=signature sorted.txt | tail -n 1)" "0.0 0.0 0.0 0.0"
is "beside others" "$("$mpgsim" --json "${own[@]}" --call-noise=const:3ns sorted.txt |
    sed -n 's/^ *"call_noise": "\(.*\)",*/\1/p')" "signature + const:3ns"
like "the answer says that some counts twice" "$("$mpgsim" "${own[@]}" sorted.txt | tr -s ' \n' ' ')" \
    "*call noise *which counts twice*"

# ---- errors ----
echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}}' >nothing.sig
ok "noise of calls without a signature" refuses 2 "*--call-noise: 'signature' is the noise of a --signature, *" \
    --call-noise=signature sorted.txt
ok "without noise in it" refuses 1 "*nothing.sig: --call-noise=signature: there is no noise in it" \
    --perturb --signature=nothing.sig --call-noise=signature sorted.txt
ok "twice" refuses 2 "*--call-noise: 'signature' is given twice*" "${own[@]}" --call-noise=signature sorted.txt
ok "under --predict" refuses 2 "*--call-noise: 'signature' is noise in recorded calls*" --predict \
    --signature=tick.sig --call-noise=signature sorted.txt
cores '{"core": 0, "ftq": {"quantum_ns": 1000000, "lost_ns": {"n": 9, "mean": 3, "quantiles": [3, 3]}}}' >ftq.sig
cores "$(core 5 20,300 5,90)" >unfitted.sig
cores "$(core 5 0,0 5,90)" >never.sig
for model in renewal fit; do
    ok "$model without a record" refuses 1 \
        "*ftq.sig: --models=noise=$model: there are no records of detours to draw from" \
        --signature=ftq.sig --models=noise=$model ring.txt
done
ok "fit without fits" refuses 1 "*unfitted.sig: core 5: gaps: no family is fitted to it in this signature" \
    --perturb --signature=unfitted.sig --models=noise=fit ring.txt
ok "no time between detours" refuses 1 "*never.sig: core 5: the detours leave no time for work" \
    --perturb --signature=never.sig --models=noise=renewal ring.txt
ok "a model that there is not" refuses 2 "*--models=noise: 'often' is not replay, ecdf, renewal or fit*" \
    --perturb --signature=two.sig --models=noise=often ring.txt
machine "$(times 8 700 900 none 0)" >old.sig
machine "$(times 8 700 900 weibull 0 shape=2)" >half.sig
ok "a signature without fits" refuses 1 \
    "*old.sig: path 'node', latency of 8 bytes: no family is fitted to it in this signature" \
    --perturb --signature=old.sig --models=latency=fit ring.txt
ok "a source without fits" refuses 1 "*old.sig: path 'node', latency of 8 bytes: no family *" \
    --perturb --signature=exp.sig --source=old.sig --models=byte=fit ring.txt
ok "a fit that lacks a parameter" refuses 1 "*half.sig: *the fitted family 'weibull' are out of range" \
    --perturb --signature=half.sig --models=latency=fit ring.txt
ok "no latencies" refuses 1 "*haul.sig: --models=latency=fit: there are no latencies to draw from" \
    --perturb --signature=haul.sig --models=latency=fit ring.txt
echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}}' >empty.sig
ok "no network" refuses 1 "*empty.sig: --models=byte=fit: there are no times of messages to draw from" \
    --perturb --signature=empty.sig --models=byte=fit ring.txt
for option in latency byte; do
    ok "--models=$option=often" refuses 2 "*--models=$option: 'often' is not empirical or fit*" \
        --perturb --signature=exp.sig --models=$option=often ring.txt
    ok "--models=$option without a signature" refuses 2 "*--models=$option needs --signature *" --models=$option=fit ring.txt
    ok "--models=$option beside --$option" refuses 2 "*--models=$option and --$option in place of the signature's exclude *" \
        --perturb --signature=exp.sig --$option=const:1ns --models=$option=fit ring.txt
done
done_testing
