#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --sweep, several --signature, --tolerate (TAP): each row is what a run with its values says; closed
# forms; signatures against each other by hand; what is refused. Passes: test-scenarios.c.
. "$(dirname "$0")/mpgsim.sh"
needs_python
random=$here/../oracle/randomtrace.py
ring 4 10 8 >ring.txt
"$python" "$random" --seed 11 --ranks 6 --steps 60 --clocks shared --hosts 2 >mixed.txt
"$python" "$random" --seed 100 --ranks 6 --steps 60 --clocks shared --hosts 1 \
    --kinds irecv,isend,send,recv,waitsome,testall,fail,fail,pair,waitany >chosen.txt
"$python" "$random" --seed 13 --ranks 5 --steps 50 --clocks shared --hosts 1 --all-synchronous-safe \
    --kinds collective,icollective,pair,wait >together.txt
cp "$reference" target.sig

# rows N OPTION... TRACE: checks that the sweep has N rows, each equal to a separate run.
rows() {
    local n=$1
    shift
    is "$n rows: $*" "$("$python" "$here/sweeps.py" "$mpgsim" rows "$@" 2>&1)" "$n"
}
# key NAME OPTION... TRACE: prints key NAME of each row, or of the table.
key() {
    "$python" "$here/sweeps.py" "$mpgsim" key "$@" 2>&1
}

# ---- each row by itself ----
rows 5 --sweep=noise=0:10us:5 --latency=exp:700ns --replicas=40 mixed.txt
rows 3 --sweep=latency=1us:9us:3:log --perturb --signature=target.sig --replicas=12 mixed.txt
rows 3 --sweep=latency=1us:9us:3:log --signature=target.sig --replicas=12 --predict mixed.txt
rows 6 --sweep=byte=0:1ns:3 --sweep=call-noise=0,130ns --perturb --signature=target.sig --replicas=7 together.txt
rows 3 --sweep=compute-ratio=0.5:2:3:log --perturb --signature=target.sig --source=target.sig mixed.txt
rows 3 --sweep=compute-ratio=0.5:2:3:log --signature=target.sig --replicas=9 --predict mixed.txt
rows 3 --sweep=absorb=none,wait,clock --perturb --signature=target.sig --replicas=7 mixed.txt
rows 4 --sweep=eager-limit=-1,0,100,1MiB --perturb --signature=target.sig --replicas=7 together.txt
rows 6 --sweep=map=block:2,cyclic:3,block:6 --sweep=noise=1us,2.5us --perturb --signature=target.sig --replicas=7 mixed.txt
rows 4 --sweep=map=block:2,cyclic:3 --sweep=noise=1us,2.5us --signature=target.sig --predict --replicas=7 mixed.txt
rows 3 --sweep=noise=0:3:3 --noise=exp:2us@0 --noise=normal:2us,700ns --replicas=20 mixed.txt
rows 4 --sweep=latency=0.25,1.5 --sweep=byte=1,2 --latency=gamma:1us,700ns --byte=exp:1ns --replicas=20 \
    --predict mixed.txt
rows 3 --sweep=noise=1us:30us:3:log --latency=exp:3us --eager-limit=1000000 --replicas=50 chosen.txt
rows 3 --sweep=noise=1us:30us:3:log --latency=exp:3us --predict --replicas=50 chosen.txt
rows 3 --sweep=latency=0:2us:3 --collectives=expand --noise=exp:1us --replicas=20 together.txt
rows 3 --sweep=noise=0:2us:3 --absorb=wait --latency=exp:1us --replicas=200 mixed.txt
rows 2 --sweep=latency=-300ns,300ns --replicas=3 mixed.txt
grep -v '^#clock' mixed.txt >unclocked.txt
rows 3 --sweep=noise=0:2us:3 --latency=exp:1us --replicas=9 unclocked.txt

# A sweep's steps may combine the ratio of all computation with that of a region.
cat >region.txt <<'T'
#mpgtext 1
#ranks 1
#clocks shared
0 0 1000 Init
0 2003 2003 Region_begin name="solve"
0 3003 3003 Region_end name="solve"
0 4000 4010 Finalize
T
rows 3 --sweep=compute-ratio=0.5,1,3 --compute-ratio=2@solve region.txt
is "... by hand" "$(key run_time_ns.median --sweep=compute-ratio=0.5,3 --compute-ratio=2@solve region.txt)" "3000 8000"

# ---- closed forms: 41 intervals and 40 messages of 8 bytes after each other ----
is "noise x: 41 x later" "$(key run_time_ns.median --sweep=noise=0:2.385us:4 ring.txt)" "18050 50645 83240 115835"
is "grid: the last goes round first" \
    "$(key run_time_ns.median --sweep=noise=10ns,300ns --sweep=latency=100ns:400ns:3:log ring.txt)" \
    "22460 26460 34460 34350 38350 46350"
is "bytes" "$(key run_time_ns.median --sweep=byte=1ns:3ns:3 ring.txt)" "18370 18690 19010"
is "log steps" "$(key values.latency --sweep=latency=1us:27us:4:log ring.txt)" "1000 3000 9000 27000"
is "sizes are whole" "$(key values.eager-limit --sweep=eager-limit=1:64KiB:3:log ring.txt)" "1 256 65536"
is "the traced run" "$(key slowdown_median --sweep=noise=0,1us ring.txt)" "1 3.271468144"
is "factors of samples" "$(echo 100 >samples; key run_time_ns.median --sweep=noise=0,1,2.5 --noise=file:samples ring.txt)" \
    "18050 22150 28300"

# ---- factors of a signature's noise ----
printf '%s\n' '#mpgtext 1' '#ranks 1' '#clocks shared' '0 0 1000 Init' '0 20001000 20001010 Finalize' >alone.txt
cat >noise.py <<'END'
import json, subprocess, sys
def answer(*options):
    return json.loads(subprocess.run([sys.argv[1], "--json", "--perturb", "--signature=target.sig", *options], capture_output=True,
                                     text=True, check=True).stdout)
def lost(*options):
    return [[run - 2e7 for run in row["replicas_run_time_ns"]] for row in answer(*options, "alone.txt")["rows"]]
for model in "replay", "renewal", "ecdf":
    none, some, all, twice = lost("--sweep=noise=0,0.385,1,2", f"--models=noise={model}")
    assert min(all) >= 0 < max(all) and max(map(abs, none)) == 0, model
    for factor, row in (0.385, some), (2, twice):
        assert all and max(abs(a - factor * b) for a, b in zip(row, all)) < 1e-6, (model, factor)
for mode in [], ["--predict"], ["--source=target.sig"], ["--call-noise=signature", "--absorb=wait"]:
    row = answer("--sweep=noise=0,1,2", *mode, "mixed.txt")["rows"][1]
    alone = answer(*mode, "mixed.txt")
    for key in "run_time_ns", "options", "assumptions", "attention":
        assert row[key] == alone[key], (mode, key)
print("good")
END
is "of each model, as much as that; 1 is the run by itself" "$("$python" noise.py "$mpgsim" 2>&1 | tail -1)" good
is "0 of it: nothing is left" "$(key run_time_ns.largest --sweep=noise=0,2 --perturb --signature=target.sig --replicas=9 \
    alone.txt | cut -d' ' -f1)" 20000000
like "said" "$("$mpgsim" --sweep=noise=0,2 --perturb --signature=target.sig alone.txt | grep '^  noise.*(row 2)')" \
    "*; durations multiplied by 2 (row 2)"

# ---- more scenarios than are simulated together ----
is "4096 of them" "$(key run_time_ns.median --sweep=noise=0:4095ns:4096 --absorb=none ring.txt)" \
    "$(seq -s' ' 18050 41 185945)"

# ---- threads ----
for threads in 1 2 3 64; do
    "$mpgsim" --json --threads=$threads --sweep=noise=0:9us:3 --sweep=absorb=wait,clock --latency=exp:1us \
        chosen.txt >"threads.$threads" 2>err || sed 's/^/# /' err
done
ok "threads agree" eval 'cmp threads.1 threads.2 && cmp threads.1 threads.3 && cmp threads.1 threads.64'

# ---- signatures ----
#
# machine LEAST MOST: prints a signature in which a message of 8 bytes takes LEAST to MOST, uniformly.
machine() {
    printf '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}, "network": ['
    printf '{"path": "node", "one_way": "one clock", "eager_limit_bytes": 4096, "latency": [{"size_bytes": 8, '
    printf '"one_way_ns": {"n": 9, "mean": %s, "sd": 1, "lag1": 0, "quantiles": [%s, %s]}}]}]}\n' \
        $((($1 + $2) / 2)) "$1" "$2"
}
machine 1000 11000 >wide.sig
machine 3000 7000 >narrow.sig
machine 1000 1000 >source.sig
cat >message.txt <<'T'
#mpgtext 1
#ranks 2
#comm 0 = 0 1
#clocks shared
0 0 1000 Init
1 0 1000 Init
0 1000 1010 Send comm=0 to=1 tag=1 bytes=8
1 1000 9000 Recv comm=0 from=0 tag=1 bytes=8
0 20000 20010 Finalize
1 9000 9010 Finalize
T
rows 2 --perturb --signature=wide.sig --signature=narrow.sig --source=source.sig message.txt
rows 6 --perturb --signature=wide.sig --signature=target.sig --signature=narrow.sig --sweep=noise=1us,3us --replicas=9 mixed.txt
rows 4 --signature=wide.sig --signature=target.sig --sweep=compute-ratio=1,2 --predict --replicas=9 mixed.txt
# Rank 1 ends 10 u us later, or 2 + 4 u us, with the same uniform number u: the first is faster if u < 1/3. A long run
# of rank 0 would hide this.
sed '/^0 20000/s/20000 20010/1100 1110/' message.txt >late.txt
cat >faster.py <<'END'
import json, subprocess, sys
def runs(signature):
    answer = subprocess.run([sys.argv[1], "--json", "--perturb", f"--signature={signature}", "--source=source.sig", "--replicas=300",
                             "--absorb=none", "late.txt"], capture_output=True, text=True, check=True).stdout
    return [r["run_time_ns"] - 8000 for r in json.loads(answer)["replicas"]]
wide, narrow = runs("wide.sig"), runs("narrow.sig")
assert all(abs(n - (2000 + 0.4 * w)) < 1e-6 for w, n in zip(wide, narrow)), "one u"
print(format(sum(w < 1e4 / 3 for w in wide) / 300, ".10g"))
END
by_hand=$("$python" faster.py "$mpgsim" 2>&1)
two="--perturb --signature=wide.sig --signature=narrow.sig --source=source.sig --replicas=300 --absorb=none late.txt"
# shellcheck disable=SC2086 # words
{
is "the least median first" "$(key values.signature $two)" "narrow.sig wide.sig"
is "the probability that one beats the other" \
    "$(key faster_than.0.probability $two)" "$("$python" -c "print(format(1 - $by_hand, '.10g'), '$by_hand')")"
is "who that is" "$(key faster_than.0.row $two)" "2 1"
}
like "... which is a third, but for chance" "$by_hand" "0.[23]*"
is "against itself: a half" "$(key faster_than.0.probability --perturb --signature=wide.sig --signature=wide.sig late.txt)" "0.5 0.5"
ok "as text" eval '"$mpgsim" $two >out && grep -q "1  narrow.sig .* %$" out && grep -q "2    wide.sig .*  -$" out'

# ---- text ----
is "what all rows rest on is said once" "$("$mpgsim" --sweep=noise=0:1us:4 ring.txt | grep -c "^  eager limit")" 1
is "what they differ by is said of them" "$("$mpgsim" --sweep=noise=1us,2us ring.txt | grep "^  noise")" \
    "  noise         const:1000ns (row 1)
  noise         const:2000ns (row 2)"
ok "--output" eval '"$mpgsim" --sweep=noise=1us,2us -o table ring.txt && "$mpgsim" --sweep=noise=1us,2us ring.txt |
    cmp - table'

# ---- --tolerate ----
#
# tolerated OPTION... TRACE: prints which limit, its value and interval.
tolerated() {
    "$mpgsim" --json "$@" 2>&1 | "$python" -c '
import json, sys
t = json.load(sys.stdin)["tolerance"]
print(t["which"], *("-" if x is None else format(x, ".9g") for x in [t["value"], *t["confidence_95"]]))'
}
number() {
    "$python" -c "print(format($1, '.9g'))"
}
is "a ring of 41 intervals" "$(tolerated --tolerate=5%:noise ring.txt)" "up to $(number '0.05 * 18050 / 41') - -"
is "... another limit" "$(tolerated '--tolerate=238.5% noise' ring.txt)" "up to $(number '2.385 * 18050 / 41') - -"
is "40 messages" "$(tolerated --tolerate=5%:latency ring.txt)" "up to $(number '0.05 * 18050 / 40') - -"
is "of 8 bytes" "$(tolerated --tolerate=5%:byte ring.txt)" "up to $(number '0.05 * 18050 / 320') - -"
# Computation is 41 intervals of 50 in a run of 18050.
is "a ratio" "$(tolerated --tolerate=7%:compute-ratio ring.txt)" "up to $(number '1 + 0.07 * 18050 / 2050') - -"
is "a factor of what is given" "$(tolerated --tolerate=5%:noise --noise=const:11ns --replicas=1 ring.txt)" \
    "up to $(number '0.05 * 18050 / 41 / 11') - -"
is "beside something else" "$(tolerated --tolerate=30%:noise --latency=const:100ns ring.txt)" \
    "up to $(number '(0.3 * 18050 - 4000) / 41') - -"
is "which may be too much" "$(tolerated --tolerate=5%:noise --latency=const:100ns ring.txt)" "none - - -"
sed '/Send\|Recv/d' ring.txt >lonely.txt
# A factor of the signature's latency needs a simulation for each value. It is found within 1 %.
alone=(--predict --source=none --signature=target.sig --replicas=5 "$here/../../examples/silas/waitany.txt")
found=$("$mpgsim" --json --latency=x1 --tolerate=5%:latency "${alone[@]}" | "$python" -c '
import json, sys
t = json.load(sys.stdin)["tolerance"]
print(t["which"], t["value"], 1.012 * t["value"], t["confidence_95"][0] <= t["value"] <= t["confidence_95"][1])')
read -r which _ value more inside <<<"$found"
is "a factor of the signature's: found, within its interval" "$which $inside" "up True"
is "... to 1 %: what is found takes at most 5 % longer, 1.2 % more takes more" "$("$mpgsim" --json --sweep=latency=x1,"x$value,x$more" "${alone[@]}" |
    "$python" -c '
import json, statistics, sys
runs = [r["replicas_run_time_ns"] for r in json.load(sys.stdin)["rows"]]
slowdown = [statistics.median(x / base for x, base in zip(run, runs[0])) for run in runs] # for each replica
print(True if slowdown[1] <= 1.05 + 1e-9 < slowdown[2] else slowdown)')" True
is "what nothing waits for" "$(tolerated --tolerate=5%:latency lonely.txt)" "any - - -"
# Rank 0 has two intervals and ends at 1010 of rank 1's 1710; its message could have arrived 600 later without delaying
# rank 1.
cat >slack.txt <<'T'
#mpgtext 1
#ranks 2
#comm 0 = 0 1
#clocks shared
0 0 1000 Init
1 0 1000 Init
0 2000 2010 Send comm=0 to=1 tag=1 bytes=8
1 2700 2710 Recv comm=0 from=0 tag=1 bytes=8
0 2010 2020 Finalize
1 2710 2720 Finalize
T
is "slack first" "$(tolerated --tolerate=10%:noise --noise=const:1us@0 --source=latency=100ns slack.txt)" \
    "up to $(number '(1.1 * 1710 - 1010) / 2 / 1000') - -"
# Several limits, in their order. The smallest tolerates nothing, because there is also a message that takes 40 x 20 ns.
each_tolerated() {
    "$mpgsim" --json "$@" 2>&1 | "$python" -c '
import json, sys
answer = json.load(sys.stdin)
for t in answer["tolerances"]:
    print(format(t["slowdown"], ".9g"), t["which"], "-" if t["value"] is None else format(t["value"], ".9g"), end="; ")
print(len(answer["rows"]), answer["tolerance"] == answer["tolerances"][0])'
}
tolerated_lines() { # from the text output
    awk '/^Tolerated/ { on = 1 } on && /^$/ { exit } on'
}
is "several limits" "$(each_tolerated --tolerate=5%,1%,238.5%:noise --latency=const:20ns ring.txt)" \
    "1.05 up to $(number '(0.05 * 18050 - 800) / 41'); 1.01 none -; 3.385 up to $(
        number '(2.385 * 18050 - 800) / 41'); 3 True"
is "... beyond a slack" \
    "$(each_tolerated --tolerate=2%,7%,50%:noise --noise=const:1us@0 --source=latency=100ns slack.txt)" \
    "$(for limit in 0.02 0.07 0.5; do
        printf '%s up to %s; ' "$(number "1 + $limit")" "$(number "((1 + $limit) * 1710 - 1010) / 2 / 1000")"
    done)4 True"
ok "... as text" eval '"$mpgsim" --tolerate=5%,10%:noise ring.txt | tolerated_lines | cmp - <(printf "%s\n" \
    "Tolerated, so that the median slowdown is at most 1.05" "  noise         up to 22.01 ns" "Limit of at most 1.1" \
    "  noise         up to 44.02 ns")'
# The medians of the 64 replicas: computed by hand from the draws at a factor of 0.02; a factor multiplies their sums.
cat >median.py <<'END'
import json, subprocess, sys
out = subprocess.run([sys.argv[1], "--json", "--noise=exp:20ns", "--absorb=none", "ring.txt"], capture_output=True,
                     text=True, check=True).stdout
s = json.loads(out)["run_time_ns"]
delay = [s["median"] - 18050, *(x - 18050 for x in reversed(s["median_confidence_95"]))]
print("up to", *(format(0.02 * 0.05 * 18050 / d, ".8g") for d in delay))
END
rounded=$(tolerated --tolerate=5%:noise --noise=exp:1us --absorb=none ring.txt | "$python" -c '
import sys
print("up to", *(format(float(x), ".8g") for x in sys.stdin.read().split()[2:]))')
is "a median, and its interval" "$rounded" "$("$python" median.py "$mpgsim" 2>&1)"
ok "as text" eval '"$mpgsim" --tolerate=5%:noise ring.txt | grep -q "^  noise         up to 22.01 ns$"'

# Shen et al. (LLAMP, SC 2024): the largest L with T(L) <= (1 + x) T(L0). Rank 0 computes 1000 and sends; rank 1 computes
# 3000, receives, computes 2000. T(L) = max(1000 + L, 3000) + 2000: at L0 = 1400 it is 5000, and L is hidden up to 2000.
# 4 bytes at 25 each: T(b) = max(1000 + 1400 + 4 b, 3000) + 2000.
cat >hidden.txt <<'T'
#mpgtext 1
#ranks 2
#comm 0 = 0 1
#clocks shared
0 0 100 Init
1 0 100 Init
0 1100 2600 Send comm=0 to=1 tag=1 bytes=4
1 3100 4600 Recv comm=0 from=0 tag=1 bytes=4
0 4600 4600 Finalize
1 6600 6600 Finalize
T
is "a prediction: latency beyond what is hidden" \
    "$(each_tolerated --predict --latency=const:1400ns --tolerate=1%,2.385%,5%:latency hidden.txt)" \
    "$(for limit in 0.01 0.02385 0.05; do
        printf '%s up to %s; ' "$(number "1 + $limit")" "$(number "((1 + $limit) * 5000 - 3000) / 1400")"
    done)4 True"
is "... bytes" "$(tolerated --predict --latency=const:1400ns --byte=const:25ns --tolerate=5%:byte hidden.txt)" \
    "up to $(number '(1.05 * 5000 - 2000 - 1000 - 1400) / 4 / 25') - -"
# 4000 of rank 1's 5000 are computation where it takes longer: 3000 and 2000 both, 5000 (1 + r).
is "... a ratio" "$(tolerated --predict --latency=const:1400ns --tolerate=5%:compute-ratio hidden.txt)" \
    "up to $(number '1.05') - -"
is "... noise, of two intervals" "$(tolerated --predict --latency=const:1400ns --tolerate=5%:noise hidden.txt)" \
    "up to $(number '0.05 * 5000 / 2') - -"
ok "... as text" eval '"$mpgsim" --predict --latency=const:1400ns --tolerate=1%,5%:latency hidden.txt | tolerated_lines |
    cmp - <(printf "%s\n" "Tolerated, so that a replica takes at most 1.01 times its time as given, in the median (median run as given: 5 us)" \
    "  latency       up to 1.46429 times" "Limit of at most 1.05 times" "  latency       up to 1.60714 times")'
is "... the first row is the run as given" "$("$mpgsim" --predict --latency=const:1400ns --tolerate=5%:latency hidden.txt |
    awk '$1 == "row" { on = 1; next } on && NF == 0 { exit } on { print $1, $2, $3, $4 }')" "1 x1 5 us
2 x1.60714 5.25 us"
# Each of several signatures is compared with its own run, and has the value that it has alone; also in CSV and in the
# table.
cat >apart.py <<'END'
import csv, io, json, statistics, subprocess, sys
def run(*words):
    return subprocess.run([sys.argv[1], *words, "mixed.txt"], capture_output=True, text=True, check=True).stdout
for mode in ["--predict"], ["--perturb"]:
    common = [*mode, "--source=source.sig", "--replicas=16", "--tolerate=2.385%,7%:latency"]
    both = ["--signature=wide.sig", "--signature=narrow.sig"]
    together = json.loads(run(*common, *both, "--json"))["tolerances"]
    alone = [t for sig in both for t in json.loads(run(*common, sig, "--json"))["tolerances"]]
    table = list(csv.DictReader(io.StringIO(run(*common, *both, "--csv"))))
    same = [r["signature"] for r in table] == [t["signature"] for t in together] and all(
        r["which"] == t["which"] and [float(r[k]) if r[k] else None for k in ("value", "low", "high", "of_run_ns", "slowdown")] ==
        [t["value"], *t["confidence_95"], t["of_run_time_ns"], t["slowdown"]] for r, t in zip(table, together))
    # The reference is the run without --tolerate, which includes the signature's own latency.
    plain = [json.loads(run(*common[:-1], sig, "--json"))["run_time_ns"]["median"] for sig in both]
    if mode == ["--predict"]:
        same = same and [t["of_run_time_ns"] for t in together[::2]] == plain
    rows = json.loads(run(*common, *both, "--json"))["rows"]
    same = same and {r["values"]["signature"]: r["run_time_ns"]["median"] for r in rows} == dict(zip(["wide.sig", "narrow.sig"], plain))
    if mode == ["--predict"]: # two separate runs, for each replica
        runs = lambda *words: [r["run_time_ns"] for r in json.loads(run(*common[:-1], both[0], *words, "--json"))["replicas"]]
        ratio = [a / b for a, b in zip(runs("--latency=const:%rns" % together[0]["value"]), runs())]
        same = same and len(ratio) == 16 and abs(statistics.median(ratio) - 1.02385) < 1e-3
    text = run(*common, *both).split("Tolerated, ")[1].split("\n\n")[0].splitlines()
    print(together == alone, len(together), same, len(text), end="; ")
END
is "several signatures and limits" "$("$python" apart.py "$mpgsim" 2>&1)" "True 4 True 6; True 4 True 6; "

# ---- CSV ----
cat >comma.py <<'END'
import csv, io, json, subprocess, sys
def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, check=True).stdout
asked = ["--sweep=latency=1us:9us:3", "--sweep=eager-limit=-1,1KiB", "--perturb", "--signature=wide.sig", "--signature=narrow.sig",
         "--source=source.sig", "--replicas=16", "late.txt"]
rows, answer = list(csv.DictReader(io.StringIO(run("--csv", *asked)))), json.loads(run("--json", *asked))["rows"]
print(len(rows), all([float(r["latency_ns"]), float(r["eager-limit_bytes"]), r["signature"], float(r["median_ns"]), float(r["low_ns"]),
                      float(r["high_ns"]), float(r["slowdown"])] ==
                     [a["values"]["latency"], a["values"]["eager-limit"], a["values"]["signature"], a["run_time_ns"]["median"],
                      *a["run_time_ns"]["median_confidence_95"], a["slowdown_median"]] for r, a in zip(rows, answer)),
      [r["faster_than_next"] for r in rows[:2]] == [format(answer[0]["faster_than"][0]["probability"], ".17g"), ""])
ranks = ["--noise=exp:1us", "--per-rank", "mixed.txt"]
print(run("--csv", *ranks) == run(*ranks).replace("\t", ","))
END
"$mpgsim" --csv --sweep=latency=1us:9us:3 --perturb --signature=wide.sig --signature=narrow.sig --source=source.sig late.txt 2>err >out
is "... attention goes to standard error, each line once" "$(sort err | uniq -d | wc -l) $(grep -vc "^mpgsim: attention: " err)" "0 0"
is "a table as CSV has what JSON has; that of ranks, commas" "$("$python" comma.py "$mpgsim" 2>&1 | paste -sd' ' -)" \
    "12 True True True"

# ---- refused options ----
while read -r pattern options; do
    # shellcheck disable=SC2086 # words
    ok "refused: $options" refuses 2 "*${pattern//_/ }*" $options ring.txt
done <<'T'
LO_is_more_than_HI --sweep=noise=5us:1us:3
LO_and_HI_are_the_same --sweep=noise=1us:1us:3
N_is_not_2_or_more --sweep=noise=1us:2us:0
N_is_not_2_or_more --sweep=noise=1us:2us:-3
for_one,_use_--noise --sweep=noise=1us:2us:1
for_one,_use_--absorb --sweep=absorb=none
is_not_PARAM=LO:HI:N --sweep=frequency=1:2:3
is_not_PARAM=LO:HI:N --sweep=noise
is_neither_LO:HI:N --sweep=noise=
is_neither_LO:HI:N --sweep=noise=1us
is_neither_LO:HI:N --sweep=noise=1us:2us:3:lin
is_neither_LO:HI:N --sweep=noise=1us:2us:3:log:log
logarithmic_steps_need_LO_above_0 --sweep=latency=0:1us:4:log
logarithmic_steps_need_LO_above_0 --sweep=latency=-1us:1us:4:log
multiply_the_value_of_--latency,_which_is_not_given --sweep=latency=0:2:3 --perturb --signature=target.sig
more_than_4096_values --sweep=latency=1us:2us:4097
more_than_4096_points --sweep=latency=1us:2us:100 --sweep=noise=1us:2us:41
noise_is_swept_twice --sweep=noise=1us,2us --sweep=noise=3us,4us
multiply_the_value_of_--noise,_which_is_not_given --sweep=noise=0:2:3
replace_the_value_of_--noise=exp:1us,_which_is_given --sweep=noise=0:2us:3 --noise=exp:1us
'2'_has_no_unit --sweep=noise=1us:2:3
'2x'_is_not_a_number --sweep=compute-ratio=1:2x:3
a_factor_is_not_below_0 --sweep=noise=-1:2:3 --noise=exp:1us
'0'_is_not_from_1e-9 --sweep=compute-ratio=0:1:3
'sometimes'_is_not_none,_wait_or_clock --sweep=absorb=none,sometimes
is_less_than_-1 --sweep=eager-limit=-2,4
would_not_all_be_different --sweep=eager-limit=1:2:5
'1us'_is_given_twice --sweep=byte=1us,1us
a_value_is_missing --sweep=byte=1us,,2us
--compute-ratio_and_--sweep_compute-ratio_exclude --sweep=compute-ratio=1,2 --compute-ratio=3
--eager-limit_and_--sweep_eager-limit_exclude --sweep=eager-limit=1,2 --eager-limit=3
--absorb_and_--sweep_absorb_exclude --sweep=absorb=none,wait --absorb=wait
--sweep_absorb_and_--predict_exclude --sweep=absorb=none,wait --predict --latency=exp:1us
--sweep_map_and_--map=path_exclude --sweep=map=block:1,block:2 --map=path=node --perturb --signature=target.sig
--per-rank_and_several_scenarios_exclude --sweep=noise=1us,2us --per-rank
--output-trace_and_several_scenarios_exclude --sweep=noise=1us,2us --output-trace=folder
--call-noise=signature_has_no_factor --sweep=call-noise=1,2 --call-noise=signature --perturb --signature=target.sig
only_one_of_TRACE --perturb --signature=- --signature=-
is_not_LIMIT%:PARAM --tolerate=noise
is_not_LIMIT%:PARAM --tolerate=5:noise
is_not_LIMIT%:PARAM --tolerate=0%:noise
is_not_LIMIT%:PARAM --tolerate=-5%:noise
is_not_LIMIT%:PARAM --tolerate=1%,:noise
is_not_LIMIT%:PARAM --tolerate=1%,5:noise
is_not_LIMIT%:PARAM --tolerate=5%
5%_is_given_twice --tolerate=5%,1%,5.0%:noise
more_than_16_limits --tolerate=1%,2%,3%,4%,5%,6%,7%,8%,9%,10%,11%,12%,13%,14%,15%,16%,17%:noise
'eager-limit'_is_not_noise, --tolerate=5%:eager-limit
--tolerate_and_--sweep_exclude --tolerate=5%:noise --sweep=latency=0,1us
--predict_needs_--signature_or_--latency --tolerate=5%:latency --predict
--csv_and_--json_exclude --tolerate=5%:noise --csv --json
--compute-ratio_and_--tolerate_compute-ratio_exclude --tolerate=5%:compute-ratio --compute-ratio=2
--per-rank_and_several_scenarios_exclude --tolerate=5%:noise --per-rank
T
ok "a signature that is not there" refuses 1 "mpgsim: none.sig: No such file*" --perturb --signature=target.sig \
    --perturb --signature=none.sig ring.txt
ok "a place that is not there" refuses 1 "mpgsim: map=places: *places*" --sweep=map=block:2,places --perturb --signature=target.sig \
    mixed.txt
ok "of several parameters, those that it is about" refuses 1 "mpgsim: map=places: *places*" \
    --sweep=noise=1us,2us --sweep=map=block:2,places --perturb --signature=target.sig mixed.txt
printf '%s\n' '#mpgtext 1' '#ranks 2' '#comm 0 = 0 1' '0 0 10 Init' '0 20 30 Finalize' '1 0 10 Init' \
    '1 20 30 Finalize' >unclocked.txt
ok "a row's own fault names its values" refuses 1 "mpgsim: noise=2500 ns, absorb=clock: --absorb=clock: *clocks*" \
    --sweep=noise=2.5us,3us --sweep=absorb=none,clock unclocked.txt
cp narrow.sig read.sig
ok "a signature as output" refuses 1 "mpgsim: --output: read.sig is an input*" --perturb --signature=target.sig \
    --perturb --signature=read.sig -o read.sig mixed.txt
ok "too much for one of them" refuses 1 "mpgsim: --sweep: 'noise=1,1e99': *more than 31 years*" --sweep=noise=1,1e99 --noise=exp:1s ring.txt
done_testing
