#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim (TAP): what it refuses and in which words, signatures, JSON, outputs
# that cannot be written, memory. Programs from $MPGSIM and $MPGTRACE.
. "$(dirname "$0")/mpgsim.sh"

# bad NAME PATTERN COUNT [OPTION...]: checks that the trace on standard input is refused with a line that matches
# PATTERN. COUNT: with --lenient, the number that the JSON has as $counted (operations without partner, or other
# impossible ones); -: --lenient does not help.
counted=unmatched
bad() {
    local name=$1 pattern=$2 count=$3
    shift 3
    calls "${ranks:-2}" >bad.txt
    ok "$name" refuses 1 "mpgsim: bad.txt: $pattern" "$@" bad.txt
    ok "$name: --lenient is named where it helps" \
        test "$([ "$count" = - ] || echo named)" = "$(grep -q -e '--lenient' err && echo named)"
    if [ "$count" = - ]; then
        ok "$name, whatever the leniency" refuses 1 "mpgsim: bad.txt: $pattern" --lenient "$@" \
            bad.txt
    else
        is "$name, leniently" "$("$mpgsim" --lenient --json "$@" bad.txt 2>&1 |
            awk '/"(unmatched|truncated)":/ { gsub("[:,\"]", ""); if ($2 > 0) print $1, $2 }')" "$counted $count"
    fi
}

# ---- damaged and impossible traces ----
bad "an unmatched send" "rank 0, call 2 (MPI_Send): no receive matches*" 1 <<'END'
0 200 300 Barrier
0 400 500 Send to=1 tag=7 bytes=8
1 200 300 Barrier
END
bad "an unmatched receive" "rank 1, call 1 (MPI_Recv): no send matches*" 1 <<'END'
1 200 300 Recv from=0 tag=7 bytes=8
END
bad "another tag" "rank 1, call 1 (MPI_Recv): no send matches*" 2 <<'END'
0 200 300 Send to=1 tag=8 bytes=8
1 200 300 Recv from=0 tag=7 bytes=8
END
ranks=3 bad "the rank that holds the others up" "rank 1, call 1 (MPI_Recv): no send matches*" 1 <<'END'
0 200 300 Recv from=1 bytes=8
1 200 300 Recv from=2 tag=9 bytes=8
1 400 500 Send to=0 bytes=8
END
bad "an unmatched nonblocking receive" "rank 1, call 2 (MPI_Wait): no send matches*call 1*" 1 <<'END'
1 200 300 Irecv from=0 bytes=8 request=3
1 400 500 Wait requests=3
END
bad "a probe for nothing" "rank 1, call 1 (MPI_Probe): no send matches*" 1 <<'END'
1 200 300 Probe from=0 tag=1 bytes=8
END
bad "a mismatched collective" \
    "rank 1, call 1 (MPI_Bcast): mismatched*rank 0, call 1 is MPI_Barrier (--lenient goes on)" 2 <<'END'
0 200 300 Barrier
1 200 300 Bcast root=0 bytes=8
END
bad "a collective that one rank leaves out" \
    "rank 0, call 1 (MPI_Barrier): only 1 of 2 ranks*rank 1 does not*" 1 <<'END'
0 200 300 Barrier
END
bad "two roots" "rank 1, call 1 (MPI_Bcast): mismatched root*" 1 <<'END'
0 200 300 Bcast root=0 bytes=8
1 200 300 Bcast root=1 bytes=8
END
bad "a root that is not there" "rank 0, call 1 (MPI_Reduce): root 5 *" 2 <<'END'
0 200 300 Reduce root=5 bytes=8
1 200 300 Reduce root=5 bytes=8
END
bad "a receive that is never completed" "rank 1, call 1 (MPI_Irecv): *never completed (--lenient goes on)" 1 <<'END'
0 200 300 Send to=1 bytes=8
1 200 300 Irecv from=0 bytes=8 request=3
END
bad "an unknown request" "rank 0, call 1 (MPI_Wait): request 9 is unknown*" 1 <<'END'
0 200 300 Wait requests=9
END
bad "a request that is complete already" "rank 1, call 3 (MPI_Wait): request 3 *" 1 <<'END'
0 200 300 Send to=1 bytes=8
1 200 300 Irecv from=0 bytes=8 request=3
1 400 500 Wait requests=3
1 600 700 Wait requests=3
END
bad "a request id twice" "rank 1, call 2 (MPI_Irecv): request 3 is already in use" - <<'END'
1 200 300 Irecv from=0 bytes=8 request=3
1 400 500 Irecv from=0 bytes=8 request=3
END
counted=truncated bad "a truncated message" \
    "rank 1, call 1 (MPI_Recv): its buffer of 8 bytes is too small for the 800 bytes that rank 0*" 1 <<'END'
0 200 300 Send to=1 bytes=800
1 200 300 Recv from=0 bytes=8
END
like "... the text says so, and that nothing else is missing" "$("$mpgsim" --lenient bad.txt | grep -e longer -e partner)" \
    " *1 message is longer than its receive buffer: it is received whole (--lenient)*"
bad "a receiver outside the communicator" "rank 0, call 1 (MPI_Send): rank 2 is not in*" - <<'END'
0 200 300 Send to=2 bytes=800
END
head_to_head() {
    printf '%s\n' "0 200 300 Send to=1 bytes=800" "0 400 500 Recv from=1 bytes=800" \
        "1 200 300 Send to=0 bytes=800" "1 400 500 Recv from=0 bytes=800"
}
bad "sends that wait for each other" \
    "rank 0, call 1 (MPI_Send): *wait for each other*--eager-limit*" 1 --eager-limit=-1 \
    < <(head_to_head)
head_to_head | calls 2 >a.txt
ok "they do not when they are eager" "$mpgsim" -o out --eager-limit=800 a.txt
printf '%s\n' "#mpgtext 1" "#ranks 2" "0 0 100 Init" "1 0 100 Init" "0 500 600 Finalize" >bad.txt
ok "no MPI_Finalize" refuses 1 "mpgsim: bad.txt: rank 1, call 0 (MPI_Init): *MPI_Finalize (--lenient*)" \
    bad.txt
printf '%s\n' "#mpgtext 1" "#ranks 1" >calls0.txt
is "no call at all, leniently: nowhere, and no complaint" "$("$mpgsim" --lenient --where=call calls0.txt 2>&1 >/dev/null)" ""
is "no MPI_Finalize, leniently" "$("$mpgsim" --lenient --json bad.txt |
    awk '/"incomplete_ranks":/ { print $2 + 0 }')" 1
like "the text says what is missing, too" "$("$mpgsim" --lenient bad.txt)" \
    "*missing *0 operations have no partner and 1 rank no MPI_Finalize*"
flood 5 | grep -v '^#clocks' >oneway.txt
ok "no clocks for --absorb=clock" refuses 1 "mpgsim: *--absorb=clock: *--absorb=wait*" \
    --absorb=clock oneway.txt
ok "no trace" refuses 1 "mpgsim: none.txt: No such file or directory" none.txt
echo "what is this" >bad.txt
ok "not a trace" refuses 1 "mpgsim: bad.txt: *" bad.txt
: >bad.txt
ok "an empty file" refuses 1 "mpgsim: bad.txt: *" bad.txt

# ---- traces with missing calls ----
#
# holes SEED: writes holes.txt, a random trace in which random calls are missing.
holes() {
    "$python" "$here/../oracle/randomtrace.py" --seed "$1" --ranks $((2 + $1 % 6)) --steps 60 |
        awk -v seed="$1" 'BEGIN { srand(seed) }
            /^#/ || $4 ~ /^Init|^Finalize/ || rand() > 0.06' >holes.txt
}
# survives SEED OPTION...: checks that mpgsim simulates such a trace with --lenient, and otherwise simulates it or
# prints one error.
survives() {
    holes "$1"
    shift
    if ! "$mpgsim" --lenient "$@" holes.txt >out 2>err || [ -s err ]; then
        sed 's/^/# /' err
        return 1
    fi
    "$mpgsim" "$@" holes.txt >out 2>err || refuses 1 "mpgsim: holes.txt: rank *, call *" "$@" \
        holes.txt
}
if [ -n "$python" ]; then
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        ok "a trace with holes, seed $seed" survives $seed --noise=exp:1us --replicas=3
        ok "the same, all rendezvous" survives $seed --eager-limit=-1 --latency=exp:300ns \
            --replicas=3
    done
else
    skip "traces with holes" "no python3"
fi

# ---- the command line ----
stencil 5 40 800 >good.txt
ok "no trace named" refuses 2 "mpgsim: *"
ok "two traces named" refuses 2 "mpgsim: *" good.txt good.txt
ok "an unknown option" refuses 2 "mpgsim: *--frob*" --frob good.txt
for option in --absorb=some --noise=cauchy:1 --noise=exp --call-noise=exp:-1ns --latency=exp:1ns@2 \
    --byte=const:1ns@0 --noise=const:1ns@x --compute-ratio=0 \
    --compute-ratio=-1 --compute-ratio=x --eager-limit=-2 --eager-limit=big --source=latency=-1ns \
    --source=byte=soon --replicas=0 --replicas=2.5 --replicas=first=-1 --seed=-1 --seed=x; do
    ok "$option" refuses 2 "mpgsim: *${option%%=*}*" "$option" good.txt
done
ok "an empty name of a trace" refuses 2 "mpgsim: an argument is the empty string: TRACE *" ""
for option in signature source output map; do
    ok "--$option=" refuses 2 "mpgsim: --$option: * is empty *" "--$option=" good.txt
done
ok "--absorb=" refuses 2 "mpgsim: --absorb: '' is not none, wait or clock *" --absorb= good.txt
ok "-o ''" refuses 2 "mpgsim: --output: FILE is empty *" -o "" good.txt
ok "samples that are not there" refuses 1 \
    "mpgsim: --noise: 'file:/no/such/file': /no/such/file: No such file or directory" \
    --noise=file:/no/such/file good.txt
ok "... and none named" refuses 2 "mpgsim: --noise: 'file:': file:PATH needs a PATH *" --noise=file: good.txt
ok "--json and --per-rank" refuses 2 "mpgsim: *--json and --per-rank*" --json --per-rank good.txt

# ---- outputs ----
if [ -w /dev/full ]; then
    "$mpgsim" good.txt >/dev/full 2>err
    is "standard output full: exit status" $? 1
    like "standard output full" "$(cat err)" "mpgsim: standard output: *No space left on device"
    "$mpgsim" --json good.txt >/dev/full 2>err
    is "standard output full, JSON" "$? $(wc -l <err)" "1 1"
else
    skip "standard output full" "no /dev/full"
fi
ok "an output that cannot be made" refuses 1 "mpgsim: no/where/x*: No such file*" -o no/where/x \
    good.txt
mkfifo pipe
cat pipe >piped &
"$mpgsim" --per-rank -o pipe good.txt
wait
is "an output that is a pipe is written, not replaced" "$(head -n 1 piped | cut -c 1-4) $(test -p pipe && echo pipe)" \
    "rank pipe"
echo before >old
"$mpgsim" -o old none.txt 2>err
is "a failure leaves the output as it was" "$(cat old)" before
mkdir full
if mount -t tmpfs -o size=4k tmpfs full 2>/dev/null; then
    ok "a full disk" refuses 1 "mpgsim: full/answer*No space left on device" --json \
        --replicas=500 -o full/answer good.txt
    is "a full disk has no part of an answer" "$(ls full)" ""
    umount full
else
    skip "a full disk" "cannot mount a small disk"
fi

# ---- signatures ----
ok "no signature" refuses 1 "mpgsim: none.sig: No such file*" --perturb --signature=none.sig good.txt
ok "a folder as signature" refuses 1 "mpgsim: full: *" --perturb --signature=full good.txt
head -c 5000 "$reference" >cut.sig
ok "a cut-off signature" refuses 1 "mpgsim: cut.sig: *" --perturb --signature=cut.sig good.txt
ok "a cut-off source" refuses 1 "mpgsim: cut.sig: *" --source=cut.sig good.txt
sed 's/"version": \[[0-9]*,/"version": [99,/' "$reference" >major.sig
ok "another major version" refuses 1 "mpgsim: major.sig: *version*" --perturb --signature=major.sig good.txt
sed 's/"version": \[\([0-9]*\), [0-9]*/"version": [\1, 77/' "$reference" >minor.sig
ok "another minor version is one" grep -q '"version": \[[0-9]*, 77\]' minor.sig
ok "another minor version will do" "$mpgsim" -o out --perturb --signature=minor.sig good.txt
ok "the reference: runs" "$mpgsim" -o out --perturb --signature="$reference" good.txt
like "the reference: says what it assumes" "$(cat out)" \
    "*noise *detours of 2 cores replayed*latency *byte time *"
delays() {
    "$mpgsim" --per-rank "$@" good.txt | awk 'NR > 1 { printf "%s ", $3 }'
}
"$mpgsim" --per-rank --perturb --signature="$reference" --latency=const:0 --byte=const:0 good.txt >noisy
ok "the reference: noise delays every rank, and never hastens one" awk -F '\t' '
    NR > 1 && ($3 < 0 || $4 < 0 || $5 <= 0) { bad = 1 }
    END { exit bad || NR != 6 }' noisy
is "source equal to target: latency and bytes are exactly 0" \
    "$(delays --perturb --signature="$reference" --source="$reference" --noise=const:0 | tr -d ' 0')" ""
"$mpgsim" --json --perturb --signature="$reference" --source="$reference" good.txt >same.json
ok "source equal to target: its noise changes nothing, either" awk '
    /"traced_run_time_ns":/ { traced = $2 + 0 }
    /"run_time_ns": [0-9]/ { n++; if ($2 + 0 != traced) bad = 1 }
    END { exit bad || n != 64 || !traced }' same.json
sed 's/"eager_limit_bytes": [^,}]*/"eager_limit_bytes": -1/' "$reference" >limit.sig
is "a signature's eager limit of -1: no send is eager" \
    "$("$mpgsim" --json --perturb --signature=limit.sig good.txt | grep -c '"eager_limit_bytes": -1')" \
    "$(grep -c '"eager_limit_bytes"' limit.sig)"
like "a signature's eager limit of -1: said" "$("$mpgsim" --perturb --signature=limit.sig good.txt)" \
    "*eager limit*none (signature): every standard send waits for its receiver*"

# ---- JSON ----
if [ -n "$python" ]; then
    ok "JSON: what its page describes" "$python" - "$mpgsim" "$reference" <<'END'
import json, subprocess, sys
program, reference = sys.argv[1:]
number = (int, float)
SUMMARY = dict.fromkeys("mean sd least p5 median p95 largest".split(), number)
SUMMARY["median_confidence_95"] = list
text = (str, type(None))
TOP = {"format": str, "version": int, "attention": list, "mode": str, "seed": int, "trace": dict, "options": dict,
       "assumptions": list, "recorded_run_time_ns": number, "traced_run_time_ns": number, "run_time_ns": dict,
       "recording": dict, "reliable": bool, "slowdown_median": number, "replicas": list, "ranks": list, "mean_of_a_rank": dict}
TRACE = {"path": str, **dict.fromkeys("""ranks calls messages synchronous_messages made_eager made_synchronous collectives
    choices_kept receives_kept uncompleted_sends asynchronous cancelled threads one_sided shared_windows foreign
    file_calls device_calls unknown_calls failed_calls flushed_ns tracer_ns cpu_intervals unmatched truncated incomplete_ranks""".split(), int)}
OPTIONS = {"absorb": str, "polling": str, "polling_interval_ns": number, "clocks": str, "compute_ratio": number, "signature": text,
           "source": text, "source_from": text, "path": text, "source_path": text, "noise": text, "cosched": text, "measurement": str, "call_noise": text, "latency": text, "byte": text,
           "eager_limit_bytes": (int, type(None)),
           "source_eager_limit_bytes": (int, type(None)),
           "tracer_taken_out": bool}
ACCOUNT = dict.fromkeys("""injected_ns compute_ns calls_ns messages_ns collectives_ns propagated_ns
    absorbed_ns absorbed_waiting_ns absorbed_hidden_ns net_ns""".split(), number)

def has(object, keys):
    assert set(object) == set(keys), set(object) ^ set(keys)
    for key, kind in keys.items():
        assert isinstance(object[key], kind), key

for words in ([], ["--perturb", "--signature", reference], ["--noise=exp:1us", "--replicas=7"]):
    answer = json.loads(subprocess.check_output([program, "--json", *words, "good.txt"]))
    has(answer, TOP)
    has(answer["trace"], TRACE)
    has(answer["options"], OPTIONS)
    has(answer["run_time_ns"], SUMMARY)
    has(answer["mean_of_a_rank"], ACCOUNT)
    assert (answer["format"], answer["version"], answer["mode"]) == ("mpgsim-result", 2, "perturb")
    assert {"noise", "latency", "byte time", "absorption"} <= {a["topic"] for a in answer["assumptions"]}
    assert len(answer["ranks"]) == answer["trace"]["ranks"] == 5
    for i, rank in enumerate(answer["ranks"]):
        has(rank, {"rank": int, "traced_ns": number, "recorded_ns": int, "delay_ns": dict, "account": dict})
        has(rank["account"], ACCOUNT)
        has(rank["delay_ns"], SUMMARY)
        assert rank["rank"] == i
    for i, replica in enumerate(answer["replicas"]):
        has(replica, {"seed": int, "replica": int, "run_time_ns": number})
        assert replica["replica"] == i
    runs = sorted(r["run_time_ns"] for r in answer["replicas"])
    assert len(runs) == (7 if "--replicas=7" in words else 64 if words else 1)
    assert (runs[0], runs[-1]) == (answer["run_time_ns"]["least"], answer["run_time_ns"]["largest"])
    assert max(r["traced_ns"] for r in answer["ranks"]) == answer["traced_run_time_ns"]
    ratio = answer["run_time_ns"]["median"] / answer["traced_run_time_ns"]
    assert abs(answer["slowdown_median"] - ratio) < 1e-12
END
else
    skip "JSON: what its page describes" "no python3"
fi

# ---- memory ----
#
# peak TRACE: prints the largest resident size of a simulation, in KiB. One thread: of two, one runs ahead of the other as the
# machine's load lets it, by some MiB of messages.
peak() {
    "$top_builddir/tests/peak_memory" "$mpgsim" --noise=exp:10ns --replicas=8 --threads=1 "$1"
}
# flat SHORT LONG: succeeds if the longer trace needs at most a tenth more memory.
flat() {
    local short long
    short=$(peak "$1") && long=$(peak "$2") || return 1
    [ $((10 * long)) -le $((11 * short)) ] && return 0
    echo "# $short KiB, then $long KiB"
    return 1
}
if [ "${MPGKIT_SANITIZERS-no}" = yes ] || ! [ -x "${top_builddir=.}/tests/peak_memory" ]; then
    skip "memory" "sanitizers keep freed memory, or tests/peak_memory is not built"
else
    # Already the shorter trace fills each rank's buffer, of one chunk.
    for laps in 16000 48000; do
        ring 32 $laps 8 | "$mpgtrace" import --text - -o ring$laps.trace
    done
    ok "memory does not grow with the trace: ring" flat ring16000.trace ring48000.trace
    for messages in 20000 200000; do
        flood $messages | "$mpgtrace" import --text - -o flood$messages.trace
    done
    ok "memory does not grow with the trace: flood" flat flood20000.trace flood200000.trace
fi
done_testing
