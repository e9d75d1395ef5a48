#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A noisy machine's trace on a quiet one and back, and on itself (TAP): 16 ranks that meet in 400
# barriers, on made-up machines, whose noise is known. Signatures hold another stretch of the
# same noise than the run met.
. "${top_srcdir:?}/tests/tap.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
make_case() { python3 "$top_srcdir/tests/simulate/noise_case.py" "$@"; }

# say KEY ANSWER: prints KEY of the JSON in ANSWER, or of its run time.
say() {
    python3 - "$@" <<'END'
import json
import sys
answer = json.load(open(sys.argv[2]))
print(answer.get(sys.argv[1]) or answer["run_time_ns"][sys.argv[1]])
END
}

# holds EXPRESSION: succeeds if the awk expression is true.
holds() { awk "BEGIN { exit !($1) }" </dev/null; }

# predict ANSWER ARGUMENT...: writes a prediction to ANSWER, and prints its median run time.
predict() {
    local out=$1
    shift
    "$MPGSIM" --json "$@" >"$out" 2>err || sed 's/^/# /' err
    say median "$out"
}

make_case signature quiet 1 >quiet.sig

# try KIND WORK LEAST MOST: checks that a prediction without the source's noise recovers between LEAST and MOST of the
# time that this noise takes.
try() {
    local kind=$1 work=$2 least=$3 most=$4
    make_case trace "$kind" 7 "$work" >noisy.text
    make_case trace quiet 7 "$work" >quiet.text
    local noisy quiet gain back self
    predict out --source "$kind.1.sig" --perturb --signature quiet.sig noisy.text >found
    gain=$(cat found)
    noisy=$(say traced_run_time_ns out)
    back=$(predict out --source quiet.sig --perturb --signature "$kind.1.sig" quiet.text)
    quiet=$(say traced_run_time_ns out)
    self=$(awk "BEGIN { print ($noisy - $gain) / ($noisy - $quiet) }")
    ok "$kind, $work: of the gain on a quiet machine $self is recovered" \
        holds "$self >= $least && $self <= $most"
    ok "$kind, $work: a quiet machine's run gets as long as it was, within 2 %" \
        holds "($back / $noisy - 1) ^ 2 < 0.02 ^ 2"
    self=$(predict out --source "$kind.1.sig" --perturb --signature "$kind.2.sig" noisy.text)
    ok "$kind, $work: another measurement of the machine changes it by less than 1.2 %" \
        holds "($self / $noisy - 1) ^ 2 < 0.012 ^ 2"
    is "$kind, $work: the same one by nothing" \
        "$(predict out --source "$kind.1.sig" --perturb --signature "$kind.1.sig" noisy.text)" "$noisy"
}

for kind in bursts ticks heavy; do
    make_case signature "$kind" 1 >"$kind.1.sig"
    make_case signature "$kind" 2 >"$kind.2.sig"
    try "$kind" even 0.8 1.1
done
try ticks ranks 0.8 1.2
try heavy rare 0.7 1.3
# Work that varies without noise: the removal may be inaccurate, but not meaningless (the run times are within 3 %).
try bursts rough 0.5 1.5
try ticks uneven 0.3 1.7

# A CPU clock that stops in detours of at least 20 us distinguishes these from work. If much more CPU time is missing
# than noise takes, the clock stood still while the program waited, and distinguishes nothing.
for case in "bursts rough" "ticks uneven"; do
    read -r kind name <<<"$case"
    make_case trace "$kind" 7 "$name" --seen 20000 >noisy.text
    make_case trace quiet 7 "$name" >quiet.text
    found=$(predict out --source "$kind.1.sig" --perturb --signature quiet.sig noisy.text)
    noisy=$(say traced_run_time_ns out)
    predict out quiet.text >/dev/null
    quiet=$(say traced_run_time_ns out)
    share=$(awk "BEGIN { print ($noisy - $found) / ($noisy - $quiet) }")
    ok "$kind, $name, with CPU time: $share is recovered" holds "$share > 0.85 && $share < 1.15"
    sed 's/ values=[0-9]*[0-9]$/ values=7/; s/ values=.$/ values=7/' noisy.text >slept.text
    sed '/^#values/d; s/ values=.*//' noisy.text >without.text
    is "$kind, $name: CPU time of a program that waits is not used" \
        "$(predict out --source "$kind.1.sig" --perturb --signature quiet.sig slept.text)" \
        "$(predict out --source "$kind.1.sig" --perturb --signature quiet.sig without.text)"
    # said FILE: prints what mpgsim says about the removal.
    said() {
        "$MPGSIM" --source "$kind.1.sig" --perturb --signature quiet.sig "$1" |
            sed -n 's/^  noise .*; the source.s noise is removed first, as far as \(CPU times of \)*intervals between the same two callsites show the noise *\((by length\)*.*/<\1\2>/p'
    }
    is "$kind, $name: the answer says which it was" "$(for file in noisy slept without; do
        said "$file.text"
    done | paste -sd ' ')" "<CPU times of > <(by length> <>"
done

make_case trace ticks 9 even --steps 60 >noisy.text
for options in "" --models=cosched=node --models=measurement=fixed; do
    # shellcheck disable=SC2086
    predict all $options --replicas=12 --source ticks.1.sig --perturb --signature bursts.1.sig noisy.text >/dev/null
    # shellcheck disable=SC2086
    predict some $options --replicas=5 --replicas=first=4 --source ticks.1.sig \
        --perturb --signature bursts.1.sig noisy.text >/dev/null
    ok "replicas 4 to 8 are those of 0 to 11 ($options)" python3 - <<'END'
import json
a, b = (json.load(open(f))["replicas"] for f in ("all", "some"))
assert a[4:9] == b and len({x["run_time_ns"] for x in a}) == 12
END
done

# Two measurements of the same machine: both use the same start in the record, and only draw its parts differently.
predict all --replicas=2 --models=measurement=fixed --perturb --signature bursts.1.sig noisy.text >/dev/null
predict some --replicas=2 --perturb --signature bursts.1.sig noisy.text >/dev/null
ok "parts drawn again make other runs" test "$(say median all)" != "$(say median some)"
ok "the answer says whose noise was taken out" sh -c "\"\$MPGSIM\" --source ticks.1.sig \
    --perturb --signature bursts.1.sig noisy.text | grep -q 'noise .*the source.s noise is removed first'"
python3 -c 'import json
sig = json.load(open("quiet.sig"))
del sig["noise"]
json.dump(sig, open("none.sig", "w"))'
is "but not where neither has any" "$("$MPGSIM" --source none.sig --perturb --signature none.sig noisy.text |
    sed -n 's/^  noise *//p' | tail -n 1)" "none"
ok "and that the same record changes nothing" sh -c "\"\$MPGSIM\" --source ticks.1.sig \
    --perturb --signature ticks.1.sig noisy.text | grep -q 'noise .*none added or removed: source and target have the same noise record'"

# Quanta: 16 ranks make 60 steps of 1 ms, of which they get 0.97 ms of work.
make_case quanta any 1 >quanta.sig
make_case trace quiet 9 even --steps 60 --ranks 1 >one.text
found=$(predict out --replicas=400 --perturb --signature quanta.sig one.text)
quiet=$(say traced_run_time_ns out)
ok "quanta are drawn where there are no detours: $found for $quiet" \
    holds "($found / $quiet - 60.1 / 60.1 / 0.97) ^ 2 < 0.002 ^ 2"
ok "and the answer says so" sh -c "\"\$MPGSIM\" --perturb --signature quanta.sig one.text |
    grep -q 'noise .*losses of FTQ quanta of 1 core, drawn quantum by quantum (ecdf)'"
is "a source's come out" "$(predict out --perturb --signature quiet.sig --source quanta.sig one.text |
    awk "{ print (\$1 < 0.98 * $quiet && \$1 > 0.96 * $quiet) }")" 1
is "the same ones change nothing" \
    "$(predict out --perturb --signature quanta.sig --source quanta.sig one.text)" "$quiet"
"$MPGSIM" --models=noise=ecdf --perturb --signature ticks.1.sig one.text >out
ok "a signature without quanta has no such noise" grep -q 'noise  *no .*quanta' out
"$MPGSIM" --models=noise=replay --perturb --signature quanta.sig one.text >out
ok "nor one without detours to replay" grep -q 'noise  *no .*detours' out
done_testing
