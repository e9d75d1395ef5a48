#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim's options together (TAP): whatever is added to others changes the answer's
# numbers, or the answer or an error says about it; several distributions; what stands
# under Attention; files in the wrong place.
. "$(dirname "$0")/mpgsim.sh"
needs_python

"$python" "$here/../oracle/randomtrace.py" --seed 3 --ranks 4 --steps 60 --all-synchronous-safe \
    >t.txt
cp "$reference" target.sig
cp "$reference" source.sig

cat >pairs.py <<'END'
import itertools, json, random, subprocess, sys
program = sys.argv[1]
OPTIONS = ["--signature=target.sig", "--source=source.sig", "--map=path=core-complex",
           "--noise=exp:2us", "--noise=const:3us@1", "--call-noise=exp:300ns", "--latency=exp:1us",
           "--latency=const:-100ns", "--byte=const:2ns", "--compute-ratio=1.5", "--absorb=none",
           "--absorb=wait", "--eager-limit=100", "--eager-limit=1GiB", "--source=latency=1us",
           "--source=byte=1ns", "--replicas=3", "--replicas=first=2", "--seed=9"]
LISTS = ("--noise", "--call-noise", "--latency", "--byte")
known = {}

def name(option):
    """With the key, if it is one of the option's: --source=latency=1us is --source=latency."""
    return option.rpartition("=")[0]

def answer(options):
    """(exit status, what is said, everything but the echo of the options)"""
    key = tuple(options)
    if key not in known:
        run = subprocess.run([program, "--json", "--perturb", *options, "t.txt"], capture_output=True, text=True)
        said, rest = run.stderr, None
        if run.returncode == 0:
            whole = json.loads(run.stdout)
            del whole["options"]
            said = " ".join(line["text"] for line in whole["attention"])
            rest = json.dumps(whole)
        known[key] = run.returncode, said, rest
    return known[key]

def fault(options, added):
    """What is wrong with adding the option; None."""
    together = [o for o in OPTIONS if o in options]
    status, said, rest = answer(together)
    repeated = name(added) not in LISTS and any(
        name(o) == name(added) for o in options if o != added)
    if repeated:
        return None if status == 2 and name(added) + " is given twice" in said else said
    if status:
        return None if status == 2 and any(name(o) in said for o in together) else said
    if rest == answer([o for o in together if o != added])[2]:
        return "without effect, and silently"
    return None

random.seed(5)
groups = [list(pair) for pair in itertools.combinations(OPTIONS, 2)]
groups += [random.sample(OPTIONS, random.choice([3, 4, 5])) for _ in range(150)]
n = failed = 0
print(f"# {len(groups)} groups of options")
for group in groups:
    for added in group:
        n += 1
        wrong = fault(group, added)
        if wrong:
            failed += 1
            print(f"# {added} in {' '.join(group)}: {wrong}")
for option in OPTIONS: # alone
    if fault([option], option):
        failed += 1
        print(f"# {option}: {fault([option], option)}")
print(f"# {n} options added, {failed} wrong")
sys.exit(failed > 0)
END
ok "no option is silently without effect, in any pair and some larger groups" \
    "$python" pairs.py "$mpgsim"

# attention TOPIC OPTION...: prints the lines of "Attention" about TOPIC.
attention() {
    local topic=$1
    shift
    "$mpgsim" "$@" | awk -v topic="  $topic" '
        NR == 1 { inside = /^Attention$/; next } /^$/ { exit }
        inside && index($0, topic) == 1 { sub("^  " substr(topic, 3) " *", ""); print }'
}
# delays OPTION...: prints the delays of the ranks.
delays() {
    "$mpgsim" --per-rank "$@" 2>err | awk 'NR > 1 { printf "%s ", $3 }'
}
is "nothing to say, no Attention" "$("$mpgsim" --noise=exp:1us t.txt | head -n 1 | cut -c 1-6)" "t.txt:"
is "nor in JSON" "$("$mpgsim" --json t.txt | sed -n 's/^ "attention": //p')" "[],"

# ---- several distributions ----
is "two constants add up" "$(delays --absorb=none --noise=const:3us --noise=const:4us t.txt)" \
    "$(delays --absorb=none --noise=const:7us t.txt)"
is "so do latencies" "$(delays --latency=const:3us --latency=const:4us t.txt)" \
    "$(delays --latency=const:7us t.txt)"
is "each for its ranks: as one for both" \
    "$(delays --noise=exp:3us@1 --noise=exp:3us@0,2-3 --call-noise=exp:1us@3 --call-noise=exp:1us@0-2 t.txt)" \
    "$(delays --noise=exp:3us --call-noise=exp:1us t.txt)"
ok "the second one has draws of its own" test \
    "$(delays --absorb=none --noise=exp:1us --noise=exp:1us t.txt)" != \
    "$(delays --absorb=none --noise=exp:2us t.txt)"
like "the answer says so" "$("$mpgsim" --noise=exp:3us@1 --noise=const:1us t.txt)" \
    "*noise *exp:3us@1 + const:1us (added up on ranks that several name)*"
is "JSON has them all" "$("$mpgsim" --json --latency=exp:3us --latency=const:1us t.txt |
    sed -n 's/^ *"latency": "\(.*\)",*/\1/p')" "exp:3us + const:1us"

# ---- what selects nothing ----
ok "a rank that is not there" refuses 1 "*--noise: '*@5' names rank 5, and the trace has ranks 0 to 3" \
    --noise=const:1us@5 t.txt
ok "nor its like at the end of a list" refuses 1 "*--call-noise: *names rank 4*" \
    --noise=const:1us@3 --call-noise=const:1us@0,2-4 t.txt
ok "a path that was not measured" refuses 1 "*no path 'node' was measured; measured were: core complex" \
    --perturb --signature=target.sig --map=path=node t.txt
ok "a path without a signature" refuses 2 "*--map=path needs --signature*" --map=path=node t.txt
for option in --models=noise=ecdf --models=cosched=node --models=measurement=fixed; do
    ok "$option without a signature" refuses 2 "*${option%=*} needs --signature*" "$option" t.txt
done
ok "a run with recording in it, as ever" refuses 2 "*--without=tracer needs --signature*" \
    --without=tracer --source=target.sig t.txt
for option in --models=noise --models=cosched --models=measurement; do
    ok "$option=often" refuses 2 "*$option: 'often' is not *" "$option=often" --perturb --signature=target.sig t.txt
done
ok "a rule that is none" refuses 2 "*--without: 'all' is not rows, *, tracer, weak-progress, choice, request-waits or uneven-shares*" --without=rows,all t.txt
like "the answer names the rules that are left out" "$("$mpgsim" --perturb --signature=target.sig --without=overheads,rows t.txt)" \
    "*without *rules left out of the model: rows overheads*"
is "... and JSON" "$("$mpgsim" --json --perturb --signature=target.sig --without=overheads,rows t.txt | "$python" -c '
import json, sys
print(json.load(sys.stdin)["options"]["without"])')" "['rows', 'overheads']"
# --without=overheads has the same effect as a signature without measured overheads.
"$python" -c '
import json
sig = json.load(open("target.sig"))
for path in sig["network"]:
    for key in ("send_overhead", "receive_overhead", "sender"):
        path.pop(key, None)
json.dump(sig, open("bare.sig", "w"))'
ok "without the rule of overheads a signature that has some is as one that has none" test \
    "$(delays --perturb --signature=target.sig --source=none --without=overheads t.txt)" = \
    "$(delays --perturb --signature=bare.sig --source=none t.txt)"
ok "two sources" refuses 2 "*--source is given twice, as 'none' and as 'target.sig'*" \
    --perturb --signature=target.sig --source=none --source=target.sig t.txt
ok "ranks of a message" refuses 2 "*--byte takes no @RANKS*" --byte=const:1ns@0 t.txt
for option in --latency=const:10 --noise=exp:0.5 --call-noise=normal:1us,3 --byte=gamma:1,1ns \
    --source=latency=10 --source=byte=0.5; do
    ok "$option: no unit" refuses 2 "mpgsim: ${option%=*}: *has no unit: write *us*" "$option" t.txt
done
for option in --latency=const:1e308s --noise=lognormal:1us,1e200s --latency=const:inf --byte=exp:nan \
    --noise=pareto:1us,0.001 --compute-ratio=inf --compute-ratio=nan --source=latency=inf; do
    ok "$option" refuses 2 "mpgsim: ${option%=*}: *" "$option" t.txt
done
"$mpgsim" --noise=gamma:1us,3us --replicas=2000 --json t.txt >out
is "a gamma distribution of shape 1/9, 2000 times" "$? $(grep -ciE '\b(nan|inf)' out)" "0 0"

# ---- parts that a signature lacks ----
"$python" - <<'END'
import json
whole = json.load(open("target.sig"))
def save(name, *less):
    sig = {k: v for k, v in whole.items() if k not in less}
    if "eager" in less:
        sig["network"] = json.loads(json.dumps(sig["network"]))
        for path in sig["network"]:
            path.pop("eager_limit_bytes", None)
    json.dump(sig, open(name, "w"))
for path in whole["network"]:
    path["receive_overhead"] = [{"size_bytes": s["size_bytes"], "receive_ns": s["send_ns"]}
                                for s in path["sender"]]
save("complete.sig")
save("quiet.sig", "noise")
save("alone.sig", "network")
save("limitless.sig", "eager")
END
like "no noise" "$(attention noise --perturb --signature=quiet.sig t.txt)" "no noise in this signature: *"
is "unless an option says it" "$(attention noise --perturb --signature=quiet.sig --noise=exp:1us t.txt)" ""
like "no latency" "$(attention latency --perturb --signature=alone.sig t.txt)" "no latency in this signature: *"
like "no bandwidth" "$(attention bandwidth --perturb --signature=alone.sig t.txt)" "no bandwidth in this signature: *"
like "no eager limit" "$(attention 'eager limit' --perturb --signature=limitless.sig t.txt)" "no eager limit *"
is "a whole one lacks nothing" \
    "$(attention '' --perturb --signature=complete.sig t.txt | grep -c 'in this signature')" 0
like "a source without noise" "$(attention source --perturb --signature=target.sig --source=quiet.sig t.txt)" \
    "no noise in the source's signature*"
like "what options replace" "$(attention replaced --perturb --signature=target.sig --noise=exp:1us@0 \
    --eager-limit=1MiB t.txt)" \
    "--noise, --eager-limit instead of the signature's noise, eager limit, also on ranks*none"
like "a signature of which nothing is left" "$(attention signature --perturb --signature=target.sig \
    --noise=const:0 --latency=const:0 --byte=const:0 --eager-limit=1MiB t.txt)" "no part of --signature*"
like "a source alone, where no message times are asked for" "$(attention source --source=source.sig --absorb=none t.txt)" \
    "no part of --source is used*"
like "replicas of nothing random" "$(attention draws --noise=const:1us --replicas=5 --seed=2 t.txt)" \
    "--replicas, --seed without effect*"
like "what --lenient lets pass" "$(sed '0,/Finalize/{/Finalize/d}' t.txt >died.txt
    attention missing --lenient died.txt)" "*1 rank no MPI_Finalize*"
"$mpgsim" --per-rank --seed=3 t.txt >out 2>err
is "a table has it beside it" "$(cat err)" \
    "mpgsim: attention: draws: --seed without effect: nothing is random, all replicas are the same"

# ---- options in the JSON ----
#
# echoed OPTION...: prints those options in the JSON that appear only if they are given.
echoed() {
    "$mpgsim" --json "$@" t.txt | "$python" -c '
import json, sys
options = json.load(sys.stdin)["options"]
print(*(f"{k}={json.dumps(options[k])}" for k in (
    "call_edges", "sync_reduce", "deterministic", "horizon", "collectives") if k in options))'
}
is "nothing of what was not given" "$(echoed --call-noise=exp:1us --absorb=none --eager-limit=-1)" ""
is "where noise of calls acts" "$(echoed --call-noise=exp:1us --paper=call-edges)$(echoed \
    --call-noise=exp:1us --paper=own-edges)" 'call_edges="paper"call_edges="own"'
is "reductions, choice" "$(echoed --call-noise=exp:1us --paper=sync-reduce --without=choice)" \
    "sync_reduce=true deterministic=true"
is "horizon, collectives" "$(echoed --horizon=7 --collectives=measured)" 'horizon=7 collectives="measured"'

# ---- options that leave others without effect ----
predict=(--predict --latency=const:2385ns)
ok "who is followed, where the order is kept" refuses 2 "*--horizon and --without=choice exclude each other*" \
    "${predict[@]}" --without=choice --horizon=7 t.txt
ok "an interval of polling that is work" refuses 2 "*--polling=interval and --polling=work exclude each other*" \
    "${predict[@]}" --polling=work --polling=interval=3us t.txt
ok "places without paths" refuses 2 "*--map needs --signature*" "${predict[@]}" --byte=const:3ns \
    --map=block:2 t.txt
ok "a horizon of those that keep to the trace" refuses 2 "*--horizon and --without=choice exclude each other*" \
    --horizon=7 --without=choice t.txt
for absorb in none wait; do
    ok "... by --absorb=$absorb" refuses 2 "*--horizon and --absorb=$absorb exclude each other*" \
        --horizon=7 --absorb=$absorb t.txt
done
ok "a model of noise that is given" refuses 2 "*--models=noise and --noise in place of the signature's exclude each other*" \
    --perturb --signature=target.sig --models=noise=ecdf --noise=exp:2us t.txt
ok "... but that of calls is the model's" "$mpgsim" -o out --perturb --signature=target.sig --source=none \
    --models=noise=replay --call-noise=signature --noise=exp:2us t.txt
ok "rounds in place of nothing" refuses 2 "*--collectives=rounds needs --signature*" \
    --collectives=rounds t.txt
like "... of none that was measured" "$(attention collectives --perturb --signature=target.sig --collectives=rounds \
    --latency=const:1us t.txt)" "--collectives=rounds without effect: with --latency or --byte *"
printf '%s\n' '#mpgtext 1' '#ranks 1' '0 0 100 Init' '0 500 600 Finalize' >alone.txt
like "... of none in the trace, or the signature" \
    "$(attention collectives --perturb --signature=target.sig --collectives=rounds alone.txt)" \
    "--collectives=rounds without effect: the * has none"
cat >waitany.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
0 0 100 Init
1 0 100 Init
0 200 210 Irecv from=1 tag=1 bytes=8 request=1
1 300 310 Send to=0 tag=1 bytes=8
0 250 260 Test requests=1 done=
0 500 510 Test requests=1 done=1
0 800 900 Finalize
1 800 900 Finalize
T
is "what is between tests waits by default" "$("$mpgsim" --noise=const:1ns waitany.txt | grep -c "^  polling .*--polling=work")" 1

# ---- files of the wrong kind ----
ok "a signature as trace" refuses 1 "mpgsim: target.sig: a signature, not a trace*" target.sig
ok "a trace as signature" refuses 1 "mpgsim: t.txt: a trace*, not a signature*" --perturb --signature=t.txt t.txt
ok "the two the wrong way round" refuses 1 "mpgsim: t.txt: a trace*, not a signature*" \
    --perturb --signature=t.txt target.sig
ok "a folder of results as signature" refuses 1 "mpgsim: *: a folder of results, not a signature: *sigmake*" \
    --signature="${reference%/*}" t.txt
ok "the same as trace" refuses 1 "mpgsim: *: a folder of results, not a trace*" "${reference%/*}"
"$mpgsim" --json t.txt >answer
ok "an answer as trace" refuses 1 "mpgsim: answer: *, not a trace*" answer
ok "a text as source" refuses 1 "mpgsim: pairs.py: *, not a signature*" --source=pairs.py t.txt
ok "standard input twice" refuses 2 "*only one of TRACE, --target, --signature, --source*" --signature=- -
ok "twice, as a table" refuses 2 "*only one of TRACE, *--collectives=table can be -*" \
    --collectives=expand --collectives=table=- -
cp t.txt kept.txt
ok "what is read as output" refuses 1 "*--output: t.txt is an input" -o t.txt t.txt
ok "it is not touched" cmp -s t.txt kept.txt
# replaced FILE OPTION...: checks that FILE, an input, is refused as output and stays unchanged.
replaced() {
    cp "$1" kept
    refuses 1 "*--output: $1 is an input" -o "$@" t.txt && cmp -s "$1" kept
}
printf '0\n0\n0\n0\n' >places
ok "a map as output" replaced places --predict --signature=target.sig --map=places
echo 'barrier * * linear' >table
ok "a table as output" replaced table --collectives=expand --collectives=table=table
echo 385.5 >s@mples
for option in noise call-noise; do
    ok "samples of --$option as output" replaced s@mples --$option=file:s@mples@0
done
for option in latency byte; do
    echo 17.25 >samples
    ok "samples of --$option as output" replaced samples --$option=file:./samples
done
done_testing
