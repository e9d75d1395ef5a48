# shellcheck shell=bash disable=SC2015,SC2034,SC2153,SC2154 # its variables are validate.sh's
# SPDX-License-Identifier: GPL-3.0-or-later
# The step `ablate` of validate.sh, which sources this file: predicts without each rule of the model, from the first trace
# of each program, and compares with the same measured runs.

# Rules of the model, and for each the option of mpgsim that switches it off.
ablated='rows                --without=rows
size-sides          --without=size-sides
beyond-sizes        --without=beyond-sizes
overheads           --without=overheads
one-sided           --without=one-sided
further             --without=further
trace-limit         --without=trace-limit
protocols           --without=protocols
covered             --without=covered
disturbed           --without=disturbed
off-cpu             --without=off-cpu
interruptions       --without=interruptions
waiting-calls       --without=waiting-calls
gaps                --without=gaps
progress            --without=progress
overlap             --without=overlap
held-sends          --without=held-sends
choice              --without=choice
polling             --polling=work
launches            --models=measurement=fixed
slack-of-messages   --absorb=wait
slack               --absorb=none
detours-replayed    --models=noise=ecdf
cores-together      --models=cosched=none
collectives         --collectives=rounds'

step_ablate() {
    local rule options kept=$predictions
    mkdir -p "$out/ablation" || return
    while read -r rule options; do
        say "predicting with $([ "$rule" = none ] && echo all rules || echo "all but $rule")"
        # shellcheck disable=SC2206 # a list
        without=($options)
        predictions=$out/ablation/$rule
        traces_asked=1 step_predict
        make_rows >"$out/ablation/$rule.tsv"
    done <<<"none
$ablated"
    predictions=$kept without=()
    { about_host && echo "$ablated" | awk -v folder="$out/ablation" -f "$here/ablation.awk"; } >"$out/ablation.md" || die "no table"
    cat "$out/ablation.md"
    [ -z "$write" ] || put_table "$out/ablation.md" ablation
}
