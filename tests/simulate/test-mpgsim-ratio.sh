#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --compute-ratio (TAP): of all computation, of regions, by kernels' rates; both modes, by hand.
. "$(dirname "$0")/mpgsim.sh"

regions >r.txt

# delays OPTION...: prints the delay of each rank.
delays() {
    "$mpgsim" --json --replicas=1 --absorb=none "$@" | "$python" -c '
import json, sys
print(*(format(round(rank["delay_ns"]["median"], 3), "g") for rank in json.load(sys.stdin)["ranks"]))'
}
# runs OPTION...: prints the predicted run time of each rank.
runs() {
    "$mpgsim" --json --replicas=1 --predict --latency=const:7ns --polling=work "$@" | "$python" -c '
import json, sys
print(*(format(round(rank["traced_ns"] + rank["delay_ns"]["median"], 3), "g")
        for rank in json.load(sys.stdin)["ranks"]))'
}

is "everywhere: 3990 ns and 4100 ns of computation" "$(delays --compute-ratio=1.5 r.txt)" "1995 2050"
is "in a region, and what is in it" "$(delays --compute-ratio=2@solve r.txt)" "1097 3980"
is "the innermost that is named counts" \
    "$(delays --compute-ratio=2@solve --compute-ratio=0.5@inner r.txt)" "197 3980"
is "in a part of it only" "$(delays --compute-ratio=3@inner r.txt)" "1200 0"
is "the rest" "$(delays --compute-ratio=1.25 --compute-ratio=1@solve r.txt)" "723.25 30"
is "predicted: calls by the rest's" "$(runs --compute-ratio=2 --compute-ratio=1@solve r.txt)" \
    "$((4000 + 2203 + 690 + 10)) $((4120 + 100 + 20 + 20))"
is "the same, traced as it was" "$(runs r.txt)" "4000 4120"
if "$mpgsim" --compute-ratio=2@nowhere r.txt >out 2>err; then
    like "a region that is not there stands at the top" "$(sed -n 2p out)" \
        "  regions       --compute-ratio names 'nowhere', which is no region of this trace*"
fi

# machine [KERNEL AT_ONCE RATE]...: prints a signature with these rates, on cores 0 and 1 in turn.
machine() {
    local core=0 rate
    echo '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}, "compute": ['
    while [ $# -gt 0 ]; do
        [ $core -eq 0 ] || echo ,
        rate=$3
        printf '{"kernel": "%s", "unit": "x/s", "core": %d, "cores_at_once": %d, "rate_per_s": ' "$1" \
            $((core % 2)) "$2"
        printf '{"n": 9, "mean": %s, "sd": 0, "lag1": 0, "quantiles": [%s, %s]}}' "$rate" "$rate" "$rate"
        core=$((core + 1))
        shift 3
    done
    echo ']}'
}
machine spin 1 100 spin 1 100 spin 2 60 spin 2 90 >s.sig
machine spin 1 100 spin 1 100 spin 2 20 spin 2 40 >t.sig
two=(--perturb --signature=t.sig --source=s.sig --noise=const:0ns)
is "a kernel's rates: 75 over 30" \
    "$(delays "${two[@]}" --compute-ratio=kernel:spin r.txt)" "5985 6150"
is "... in a region" "$(delays "${two[@]}" --compute-ratio=kernel:spin@inner r.txt)" "900 0"

# refused STATUS WORDS OPTION...: checks that mpgsim refuses the options for r.txt with WORDS.
refused() {
    ok "refused, $1: ${*:3}" refuses "$1" "*$2*" "${@:3}" r.txt
}
refused 1 "has no rates of 'flop'" "${two[@]}" --compute-ratio=kernel:flop
refused 1 "needs the rates of a --signature" --compute-ratio=kernel:spin
refused 1 "needs the rates of a source" --perturb --signature=t.sig --noise=const:0ns --compute-ratio=kernel:spin
refused 2 "are about the same" --compute-ratio=2 --compute-ratio=3
refused 2 "are about the same" --compute-ratio=2@a --compute-ratio=3@a
refused 2 "lacks a name" --compute-ratio=2@
refused 2 "lacks a name" --compute-ratio=kernel:
refused 2 "neither a number" --compute-ratio=@a
refused 2 "neither a number" --compute-ratio=1e-12
done_testing
