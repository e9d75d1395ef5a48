#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# validate/validate.sh in its short form (TAP): two programs, two pairs of machines, measured
# in seconds. What is looked at is the way from benchmarks to a table, and the arithmetic of
# the table on made-up runs; how far predictions are off is nothing that a test could judge.
# shellcheck disable=SC2016 # awk's $, in quotes
set -u
: "${top_srcdir:?}" "${top_builddir:?}"
export LC_ALL=C
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
validate=$top_srcdir/validate
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# --- arithmetic, by hand ---

# tabs WORD...: prints the words as a line with tabs.
tabs() {
    local IFS=$'\t'
    printf '%s\n' "$*"
}

# answer FILE TRACED MEDIAN REPLICA...: writes JSON like mpgsim's to FILE, with the parts that are read, and others.
answer() {
    local file=$1 traced=$2 median=$3
    shift 3
    {
        printf '{\n "traced_run_time_ns": %s,\n "run_time_ns": {\n  "mean": 1.0,\n' "$traced"
        printf '  "median": %s,\n  "median_confidence_95": [\n   1.0,\n   2.0\n  ]\n },\n' "$median"
        printf ' "replicas": [\n'
        printf '  {\n   "replica": 7,\n   "run_time_ns": %s\n  },\n' "$@"
        printf ' ],\n "ranks": [\n  {\n   "delay_ns": {\n    "median": 7.0\n   }\n  }\n ]\n}\n'
    } >"$file"
}

# Seven runs each, in random order; the largest are far off.
printf '1 %s\n' 1003 1001 1007 1002 1005 1004 9000 >"$tmp/from"
printf '1 %s\n' 2030 2010 2070 2020 2050 2040 9000000000 >"$tmp/to"
# Of 21 replicas a twentieth is the second.
answer "$tmp/answer.1" 1010.0 2000.0 1900.0 1951.5 1960.0 2000.0 2010.0 2020.0 2030.0
answer "$tmp/answer.2" 1020.0 2060.0 1970.0 2035.0 2050.0 2060.0 2070.0 2080.0 2150.0
answer "$tmp/answer.3" 1000.0 2030.0 1980.0 1990.0 2020.0 2030.0 2040.0 2085.0 2090.0
row=$(awk -v pair=a:b -v program=p -v most_off=0.02 -f "$validate/sample.awk" -f "$validate/row.awk" part=from "$tmp/from" part=to "$tmp/to" \
    part=answer /dev/null "$tmp"/answer.[0-9] part=times "$tmp"/answer.[12])
# Of seven runs the 95 % interval omits none (98.4 %; the next smaller one has 87.5 %); of their 49 differences it omits
# eight on each side (critical values of Mann and Whitney, 1947).
differences=$(while read -r _ b; do
    while read -r _ a; do echo $((b - a)); done <"$tmp/from"
done <"$tmp/to" | sort -n)
low=$(printf '%s\n' "$differences" | sed -n 9p)
high=$(printf '%s\n' "$differences" | sed -n 41p)
is "a row: medians, intervals, changes" "$row" "$(tabs a:b p 7 1004 1010 2040 2010 9000000000 \
    1036 "$low" "$high" 2030 1952 2090 1030 942 1090 3 '' 2030 1933 2104 0 0 0)"
# Runs that were off their CPUs are omitted, whatever their times. If fewer than three others remain, the three least
# disturbed ones are used.
printf '1 %s 0.00 %s\n' 1003 0.0000 1001 0.0200 7000 0.0201 1002 0.0100 900 0.5000 >"$tmp/off.from"
printf '1 %s 0.00 %s\n' 2030 0.3000 2010 0.0000 2070 0.0300 2020 0.4000 >"$tmp/off.to"
row=$(awk -v pair=a:b -v program=p -v most_off=0.02 -f "$validate/sample.awk" -f "$validate/row.awk" part=from "$tmp/off.from" \
    part=to "$tmp/off.to" part=answer /dev/null "$tmp/answer.1")
is "runs off their CPUs are left out, how many is said" "$(printf '%s\n' "$row" | cut -f 3,4,6-8,23-25 | tr '\t' ' ')" \
    "3 1002 2030 2010 2070 2 1 1"
mpgsim_says='mpgsim: x.trace: rank 1, call 3 (MPI_Recv): no send matches'
printf '%s\n' "$mpgsim_says" >"$tmp/answer.4"
row=$(awk -v pair=a:b -v program=p -v most_off=0.02 -f "$validate/sample.awk" -f "$validate/row.awk" part=from "$tmp/from" part=to "$tmp/to" \
    part=answer /dev/null "$tmp/answer.4")
is "a row without an answer says why" "$(printf '%s\n' "$row" | cut -f 12,18,19)" \
    "$(printf -- '-\t0\t%s' "$mpgsim_says")"
{
    # 2 % off the run, 4 % off the change; inside the interval.
    tabs a:b p 7 1e6 1e6 2e6 1.9e6 2.1e6 1e6 0.9e6 1.1e6 2.04e6 2e6 2.1e6 1.04e6 1e6 1.1e6 3 '' \
        1.9e6 1.8e6 1.95e6 2 0 0
    # 10 % off, the change is below the measurement's precision; outside the interval.
    tabs a:b q 7 1e6 1e6 1e6 1e6 1e6 0 -1e4 1e4 0.9e6 0.8e6 0.95e6 -1e5 -2e5 -5e4 3 '' - - - 0 4 1
    # A shorter run; half of the change is predicted.
    tabs b:a p 7 2e6 2e6 1e6 1e6 1e6 -1e6 -1.1e6 -0.9e6 1.5e6 1.4e6 1.6e6 -5e5 -6e5 -4e5 3 '' \
        1.04e6 0.9e6 1.1e6 0 0 0
} >"$tmp/rows"
table=$(awk -f "$validate/table.awk" "$tmp/rows")
like "off in % of the run and of the change" "$table" '*| p | * | +2.0 | +4.0 | yes | 1.900 (1.800 .. 1.950) | -5.0 | no | 5.0 | 2, 0 |*'
like "a change that was not measured is not judged" "$table" '*| q | * | -10.0 | - | no | - | - | - | 0.0 (disturbed) | 0, 4 |*'
like "a change downwards by too little is said as such" "$table" '*| p | * | +50.0 | +50.0 | no | * | +4.0 | yes |*'
like "what all rows come to" "$table" '*| all | 1 of 3 | 1 of 2 | 1 of 3 | 2 of 2 | 1 of 2 |*'
like "what the exactly measured ones come to" "$table" \
    '*measured to 5 % or better: 2 of 3; of these the prediction is off by at most 5 % in 1 of 2, --predict in 2 of 2.*'
fails() {
    ! "$@" >/dev/null 2>&1
}
ok "no rows, no table" fails awk -f "$validate/table.awk" /dev/null

# Seven rounds in random order: medians 100, 105 and 103 ms; the interval contains all seven.
table=$(printf '%s000000 %s000000 %s000000\n' 102 105 103 98 101 99 100 107 104 99 108 101 101 104 102 500 900 700 97 103 110 |
    awk -v program=p -v machine=m -f "$validate/sample.awk" -f "$validate/replays.awk")
is "a row of replays: medians, intervals, how far they are off" "$table" \
    '| p | m | 7 | 100.0 (97.0 .. 500.0) | 105.0 (101.0 .. 900.0) | +5.0 | 103.0 (99.0 .. 700.0) | +3.0 |'

# covering FILE MEDIAN RELIABLE [LOW HIGH]: writes JSON like mpgsim's to FILE: an answer whose replicas lie from 99 to 101 ms, and
# with LOW and HIGH 90 % of runs at any speed between these. RELIABLE is of the recording and of the answer.
covering() {
    printf '{\n "run_time_ns": {\n  "p5": 99000000.0,\n  "median": %s,\n  "p95": 101000000.0\n },\n' "$2"
    printf ' "recording": {\n  "reliable": %s\n },\n "reliable": %s,\n' "$3" "$3"
    [ $# -lt 5 ] || printf ' "machine_speed": {\n  "run_time_90_percent_ns": [\n   %s,\n   %s\n  ],\n  "log_sd": 0.1\n },\n' "$4" "$5"
    printf ' "seed": 1\n}\n'
} >"$1"

# Runs of 85, 100, 115 and 130 ms: 3, 1 and 2 are within the three intervals. Of the two reliable recordings one is within 10 % of
# 107.5 ms.
printf '1 %s 0.00 0.0000\n' 115000000 85000000 130000000 100000000 >"$tmp/runs"
covering "$tmp/covering.1" 100000000.0 true 80000000.0 120000000.0
covering "$tmp/covering.2" 130000000.0 false
covering "$tmp/covering.3" 119000000.0 true 112000000.0 131000000.0
is "a row of coverage: runs, predictions, intervals, runs inside, what is reliable" "$(awk -v program=p -v machine=m -v kind=quiet \
    -f "$validate/sample.awk" -f "$validate/coverage.awk" part=run "$tmp/runs" part=answer "$tmp"/covering.[0-9])" \
    '| p | m | quiet | 4 | 107.5 (85.0 .. 130.0) | 3 | 119.0 (100.0 .. 130.0) | 99.0 .. 120.0 | 3 | 6 of 12: 50 % | 1, 1 | 1 of 2 |'

# The rule moves one of two rows, by 4 % of the run and then to the measured value; in predict mode, which has one row,
# by less than 1 %.
mkdir "$tmp/ablation"
{
    tabs a:b p 7 1e6 1e6 2000000 1.9e6 2.1e6 1e6 0.9e6 1.1e6 2080000 2e6 2.1e6 1.04e6 1e6 1.1e6 3 '' 2020000 1.8e6 1.95e6 2 0 0
    tabs a:b q 7 1e6 1e6 1000000 1e6 1e6 0 -1e4 1e4 1050000 0.8e6 0.95e6 -1e5 -2e5 -5e4 3 '' - - - 0 4 1
} >"$tmp/ablation/none.tsv"
sed 's/2080000/2000000/; s/2020000/2024000/' "$tmp/ablation/none.tsv" >"$tmp/ablation/rows.tsv"
sed 's/\t2080000\t.*/\t-\t-\t-\t-\t-\t-\t0\tno answer\t-\t-\t-\t0\t0\t0/' "$tmp/ablation/none.tsv" >"$tmp/ablation/half.tsv"
table=$(printf '%s\n' 'rows --without=rows' 'half --half' 'none --nothing' | awk -v folder="$tmp/ablation" -f "$validate/ablation.awk")
like "what a rule moves, and the mean error with and without it" "$table" \
    '*| rows | `--without=rows` | 1 of 2 | 4.50 | 2.50 | -4.0, a:b p | 0 of 1 | 1.00 | 1.20 | +0.2, a:b p |*'
like "rows that have no answer count in neither" "$table" '*| half | `--half` | 0 of 1 | 5.00 | 5.00 | - | - | - | - | - |*'
like "nothing left out moves nothing" "$table" '*| none | `--nothing` | 0 of 2 | 4.50 | 4.50 | - | 0 of 1 | 1.00 | 1.00 | - |*'

# --- a real validation ---

quiet() {
    "$@" >/dev/null 2>"$tmp/err"
}

run() {
    bash "$validate/validate.sh" -o "$tmp/v" --short --rounds=3 --traces=1 "$@"
}

is "a wrong pair is refused" "$(run --pairs=shm:nowhere 2>&1)" \
    "validate: no pair 'shm:nowhere': --list names machines (try '$validate/validate.sh --help')"
ok "a wrong program is refused" fails run --programs=nothing
printf 'mine %s\n' "$tmp" >"$tmp/own"
like "so is a line of --own without a command" "$(run --own="$tmp/own" 2>&1)" "*has a line that is not NAME /FOLDER /COMMAND*"

real="from benchmarks to a table"
if [ "${MPGKIT_MPI:-no}" != yes ]; then
    skip "$real" "no MPI"
elif [ "${MPGKIT_SANITIZERS:-no}" != no ]; then
    skip "$real" "built with sanitizers"
elif [ "$(nproc)" -lt 2 ]; then
    skip "$real" "one core"
else
    case $MPI_LIBRARY,${OTHER_MPICC:-none} in
    openmpi,*) self=shm pairs=shm:tcp,shm:shm:ratio ;;
    mpich,none) self=mpich pairs=mpich:mpich,mpich:mpich:ratio ;;
    *) self=mpich pairs=mpich:shm,mpich:mpich:ratio ;;
    esac
    printf 'before\n<!-- table -->\nold\n<!-- end of table -->\nafter\n' >"$tmp/doc"
    ok "$real" quiet run --pairs="$pairs" --programs=chain8,stencil --write="$tmp/doc"
    sed 's/^/# /' "$tmp/err"
    ok "it says nothing but what it does" fails grep -v '^validate: ' "$tmp/err"
    ok "each sample has its time, what others used, and how long a rank was off its CPU" awk '
        NF != 4 || $2 <= 0 || $3 !~ /^[0-9]+\.[0-9][0-9]$/ || $4 !~ /^[01]\.[0-9][0-9][0-9][0-9]$/ { exit 1 }' "$tmp"/v/samples/*
    is "a row for each program and pair" "$(cut -f 1,2 "$tmp/v/rows.tsv" | tr '\t' ' ' | sort)" \
        "$(printf '%s\n' "${pairs//,/$'\n'}" | sed 's/\(.*\)/\1 chain8\n\1 stencil/' | sort)"
    ok "every column is a number, every interval in order" awk -F '\t' '
        NF != 25 { exit 1 }
        { for (i = 3; i <= 25; i++) if (i != 19)
            if ($i !~ /^-?[0-9]+$/) exit 1
          if ($3 != 3 || $18 != 1 || $4 <= 0 || $5 <= 0) exit 1
          if ($7 > $6 || $6 > $8 || $10 > $11 || $13 > $12 || $12 > $14) exit 1
          if ($23 + $3 > 3 || $24 + $3 > 3) exit 1
          if ($20 <= 0 || $21 > $20 || $20 > $22) exit 1 }' "$tmp/v/rows.tsv"
    ok "without noise, a machine is to itself what it is, but for what the trace lost to its own" awk -F '\t' '
        $1 ~ /ratio/ { n++; if ($15 > 0 || $16 != $15 || $17 != $15) exit 1 } END { exit n != 2 }' "$tmp/v/rows.tsv"
    is "the table is between its marks, and nothing else has changed" \
        "$(sed '/^<!-- table/,/^<!-- end/d' "$tmp/doc")" "$(printf 'before\nafter')"
    ok "the old table is gone" fails grep -q '^old' "$tmp/doc"
    ok "replays in place of predictions want a place of their own" fails run --replays="$self" --write="$tmp/doc"
    ok "the new one is there" grep -q '^### In all' "$tmp/doc"
    ok "tables are made again from what is there" quiet run --steps=table --pairs="$pairs" \
        --programs=stencil
    printf '# of ours\nmine %s %s 8 20000\n' "$tmp/v/work" "$(echo "$tmp"/v/programs/*/chain)" >"$tmp/own"
    ok "a program of one's own" quiet run --pairs="${pairs%%,*}" --own="$tmp/own" --programs=mine
    is "... has its row" "$(cut -f 2 "$tmp/v/rows.tsv")" mine
    ok "a rule after the other is left out" quiet run --steps=ablate --pairs="${pairs%%,*}" --programs=chain8
    sed 's/^/# /' "$tmp/err"
    ok "... each has a line, with an answer by one of the modes" awk -F ' [|] ' '
        /^\| [a-z]/ { n++; if ($3 !~ /^0 of 1|^1 of 1/ && $7 !~ /^0 of 1|^1 of 1/) exit 1 } END { exit n < 20 }' <(sed 1,4d "$tmp/v/ablation.md")
    ok "replays in turns" quiet run --replays="$self" --rounds=2 --programs=persistent,windows
    is "... a row for each program, of both rounds" "$(cut -d '|' -f 2-4 "$tmp/v/replays.md" | grep '| 2 ')" \
        "$(printf ' persistent | %s | 2 \n windows | %s | 2 \n' "$self" "$self" | sed 's/ $//;s/$/ /')"
    ok "coverage, also from recordings beside compilers" quiet run --coverage="$self" --rounds=2 --spread=0 --load=1 --programs=stencil
    is "... a row for each kind of recording, of both rounds" "$(awk -F ' *[|] *' '/stencil/ { print $2, $3, $4, $5, $7 }' "$tmp/v/coverage.md")" \
        "$(printf 'stencil %s quiet 2 2\nstencil %s loaded 2 2' "$self" "$self")"
    ok "raw samples are kept" test "$(wc -l <"$tmp/v/samples/stencil.$self")" -eq 3
fi
done_testing
