#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The noise benchmark against noise that is known (TAP): tests/bench/noisemaker steals a
# core for a stated time in a stated period. What ftq found is computed from its
# samples alone, but for the spectrum's lines, which sigmake finds. On a shared machine others make noise too: the background is
# measured before and after, medians are compared, there are several attempts, and
# where the machine is too restless for all of them, the test says so and skips.

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
FTQ=${FTQ:-$build/bench/ftq/ftq}
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
SIGSHOW=${SIGSHOW:-$build/signature/sigshow}
export LC_ALL=C
noisemaker=$build/tests/bench/noisemaker
attempts=3 duration_s=3 # duration of the first attempt; attempt N takes N seconds
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "sanitizers change what an unit of work costs"
[ -x "$FTQ" ] && [ -x "$noisemaker" ] || skip_all "no ftq or no noisemaker"
"$noisemaker" --steal 10us --period 1ms --duration 1ms >/dev/null 2>&1
[ $? -ne 77 ] || skip_all "the real-time class is not permitted here"

tmp=$(mktemp -d)
maker=
trap '[ -z "$maker" ] || kill "$maker" 2>/dev/null; rm -rf "$tmp"' EXIT
core=$("$FTQ" -o "$tmp/first" -m ftq -d 1ms 2>/dev/null |
    sed -n 's/^core \([0-9]*\):.*/\1/p' | tail -n 1)

# measure NAME MODES: runs ftq in MODES, results in folder NAME, in the real-time class, which keeps other processes off
# the core.
measure() {
    "$FTQ" --realtime -c "$core" -o "$tmp/$1" -m "$2" -d "${duration_s}s" >>"$tmp/log" 2>&1
}

# start NAME STEAL PERIOD: starts artificial noise, until stop.
start() {
    mkfifo "$tmp/fifo.$1"
    "$noisemaker" -c "$core" -s "$2ns" -p "$3ns" -d 1000s >"$tmp/fifo.$1" &
    maker=$!
    exec 3<"$tmp/fifo.$1"
    read -r _ <&3
    sleep 0.1
}

# stop: ends the noise, and prints how many steals the noise maker missed, in percent.
stop() {
    kill "$maker"
    wait "$maker"
    maker=
    awk '{ print 100 * $6 / ($2 + $6) }' <&3
    exec 3<&-
}

# lost FILE: prints a line "start lost" for each quantum or detour.
lost() {
    awk '!/^#/ { print $1, $NF }' "$1"
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'
}

# fraction FILE PERIOD: prints the lost share of the time: the median over periods. A stall of the machine spoils only
# the periods that it covers.
fraction() {
    lost "$1" | awk -v period="$2" '{ sum[int($1 / period)] += $2; last = int($1 / period) }
        END { for (k = 0; k < last; k++) print sum[k] / period }' | median
}

# detours FILE LEAST: prints "median count span": median length and number of the detours longer than LEAST, and the
# record's span.
detours() {
    echo "$(awk -v least="$2" '!/^#/ && $2 > least { print $2 }' "$1" | median)" \
        "$(awk -v least="$2" '!/^#/ && $2 > least { n++ } /^# span_ns/ { span = $3 }
            END { print n + 0, span }' "$1")"
}

# line RESULTS HZ: prints the frequency nearest to HZ of the fundamental lines in the spectrum of FTQ's lost times.
line() {
    "$SIGMAKE" "$1" 2>>"$tmp/log" >"$tmp/line.sig" && "$SIGSHOW" "$tmp/line.sig" |
        awk -v wanted="$2" '/^Noise: spectral lines/ { lines = 1 }
            /^$/ { lines = 0 }
            lines && $3 == "Hz" { d = $2 - wanted; d = d < 0 ? -d : d
                                  if (best == "" || d < least) { best = $2; least = d } }
            END { print best + 0 }'
}

# within A B PERCENT: succeeds if A differs from B by at most PERCENT of B.
within() {
    awk -v a="$1" -v b="$2" -v p="$3" \
        'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= p / 100 * (b < 0 ? -b : b)) }'
}

# attempt STEAL PERIOD: measures with artificial noise. verdict[...]: ok, or the deviation found; disturbed: empty, or
# the noise of other processes.
attempt() {
    local steal=$1 period=$2 share missed got count span before after
    rm -rf "$tmp/before" "$tmp/during" "$tmp/after" "$tmp"/fifo.*
    measure before ftq,fwq
    start try "$steal" "$period"
    measure during all
    missed=$(stop)
    measure after ftq,fwq
    share=$(awk "BEGIN { print $steal / $period }")
    disturbed=
    awk "BEGIN { exit !($missed <= 2) }" || disturbed="$missed % of the steals came too late; "
    for mode in ftq fwq; do
        before=$(fraction "$tmp/before/$mode-core$core.samples" "$period")
        after=$(fraction "$tmp/after/$mode-core$core.samples" "$period")
        got=$(awk -v d="$(fraction "$tmp/during/$mode-core$core.samples" "$period")" \
            "BEGIN { print d - ($before + $after) / 2 }")
        within "$(awk "BEGIN { print $share + $before - $after }")" "$share" 2 ||
            disturbed="$disturbed$mode background $before before, $after after; "
        verdict[$mode]="$got of the core, stolen: $share, background: $before and $after"
        ! within "$got" "$share" 5 || verdict[$mode]=ok
    done
    read -r got count span <<<"$(detours "$tmp/during/detour-core$core.samples" \
        $((steal / 2)))"
    verdict[median]="median $got ns, stolen: $steal ns"
    ! within "$got" "$steal" 5 || verdict[median]=ok
    verdict[count]="$count detours in $span ns, stolen: one in $period ns"
    ! within "$count" "$(awk "BEGIN { print $span / $period }")" 5 || verdict[count]=ok
    got=$(line "$tmp/during" "$(awk "BEGIN { print 1e9 / $period }")")
    verdict[line]="$got Hz"
    ! within "$got" "$(awk "BEGIN { print 1e9 / $period }")" 1 || verdict[line]=ok
    disturbed=$disturbed$(cat "$tmp"/during/*.samples |
        awk '/^# other_load/ && $3 > 0.3 { print "others used", $3, "cores; " }' | sort | tail -n 1)
}

# judge CASE: passes if an attempt was within the bounds; skips if none was, and all attempts were disturbed.
judge() {
    local key=$1 name=$2
    if [ "${result[$key]}" = ok ]; then
        ok "$name" true
    elif [ -n "$calm" ]; then
        ok "$name" false
        echo "# ${result[$key]}"
    else
        skip "$name" "the machine was restless in all attempts: ${why}${result[$key]}"
    fi
}

# tried WORDS KEYS COMMAND...: repeats COMMAND, which sets verdict and disturbed, until each of KEYS was within its
# bounds once. Sets for judge: result, calm (some attempt was undisturbed) and why (how it was disturbed).
tried() {
    local words=$1 keys=$2 key missing
    shift 2
    calm='' why=''
    for ((try = 1; try <= attempts; try++)); do
        duration_s=$try
        "$@"
        [ -n "$disturbed" ] || calm=yes
        why=$disturbed
        echo "# $words, attempt $try${disturbed:+, disturbed: $disturbed}"
        missing=
        for key in $keys; do
            [ "${verdict[$key]}" = ok ] || echo "#    $key: ${verdict[$key]}"
            [ "${result[$key]}" = ok ] || result[$key]=${verdict[$key]}
            [ "${result[$key]}" = ok ] || missing=yes
        done
        [ -n "$missing" ] || break
    done
}

# truth STEAL PERIOD WORDS: checks all modes with this noise.
truth() {
    declare -A verdict result
    tried "$3" "ftq fwq median count line" attempt "$1" "$2"
    judge ftq "$3: ftq's fraction is what was stolen, within 5 %"
    judge fwq "$3: fwq's fraction is what was stolen, within 5 %"
    judge median "$3: the detours' median is what was stolen each time, within 5 %"
    judge count "$3: there are as many detours as steals, within 5 %"
    judge line "$3: the spectrum has a line at its frequency, within 1 %"
}

truth 2000000 20000000 "2 ms in 20 ms"
truth 1000000 13700000 "1 ms in 13.7 ms"

# Noise in nearly every quantum, like that of a kernel with 1000 ticks a second: it is in the lost time of all quanta,
# although no quantum is undisturbed. A steal costs the core more time than the spinning takes (as much again on a
# virtual machine). Detours contain this too, so the modes agree.
dense() {
    local steal=$1 period=$2 mode missed busy
    declare -A part
    rm -rf "$tmp/during" "$tmp"/fifo.*
    start try "$steal" "$period"
    measure during all
    missed=$(stop)
    share=$(awk "BEGIN { print $steal / $period }")
    for mode in ftq fwq detour; do
        part[$mode]=$(fraction "$tmp/during/$mode-core$core.samples" 1e7)
    done
    why="ftq ${part[ftq]}, fwq ${part[fwq]}, detour ${part[detour]}, stolen $share"
    within "${part[ftq]}" "${part[detour]}" 10 && within "${part[fwq]}" "${part[detour]}" 10 &&
        awk "BEGIN { exit !(${part[ftq]} > 0.95 * $share && ${part[fwq]} > 0.95 * $share) }" &&
        return
    busy=$(cat "$tmp"/during/*.samples | awk '/^# other_load/ && $3 > 0.3' | wc -l)
    [ "$busy" -gt 0 ] || awk "BEGIN { exit !($missed > 2) }" || calm=yes
    return 1
}

# dense_truth STEAL PERIOD WORDS: checks that all modes find the same share of such dense noise.
dense_truth() {
    calm='' why=''
    for ((try = 1; try <= attempts; try++)); do
        duration_s=$try
        if dense "$1" "$2"; then
            ok "$3: ftq and fwq lose it all, as detours do within 10 %" true
            return
        fi
        echo "# $3, attempt $try: $why"
    done
    if [ -n "$calm" ]; then
        ok "$3: ftq and fwq lose it all, as detours do within 10 %" false
    else
        skip "$3: ftq and fwq lose it all" "the machine was restless in all attempts: $why"
    fi
}

dense_truth 50000 1000000 "50 us in 1 ms"
dense_truth 20000 250000 "20 us in 0.25 ms"

# The kernel knows which time the measuring thread did not get, at any load: here another process takes turns on the
# core. What a hypervisor takes is not in this kernel's accounts; measurements without the process, before and after,
# contain it too.

# losses NAME: measures in all modes; stores the lost shares in share_lost[NAME-MODE].
losses() {
    local mode
    "$FTQ" -c "$core" -o "$tmp/$1" -m all -d "${duration_s}s" >"$tmp/$1.out" 2>>"$tmp/log"
    for mode in ftq fwq detour; do
        share_lost[$1-$mode]=$(percent "$mode" "$tmp/$1.out")
    done
}

# percent MODE FILE: prints the lost share in the summary, as a fraction of 1.
percent() {
    sed -n "s/.* $1: .*, \\([0-9.]*\\) % lost.*/\\1/p" "$2" | awk '{ print $1 / 100 }'
}

# turns: measures without and with the other process; sets verdict and disturbed.
turns() {
    local mode taken got before after
    declare -A share_lost
    rm -rf "$tmp/before" "$tmp/shared" "$tmp/after"
    losses before
    taskset -c "$core" sh -c 'while :; do :; done' &
    maker=$!
    losses shared
    kill "$maker"
    wait "$maker" 2>/dev/null
    maker=
    losses after
    disturbed=
    for mode in ftq fwq detour; do
        before=${share_lost[before-$mode]} after=${share_lost[after-$mode]}
        awk "BEGIN { d = $before - $after; exit !(d < 0.02 && d > -0.02 && $before < 0.1) }" ||
            disturbed="$disturbed$mode lost $before alone before, $after after; "
        taken=$(awk '/^# cpu_share/ { print 1 - $3 }' "$tmp/shared/$mode-core$core.samples")
        got=${share_lost[shared-$mode]}
        verdict[$mode]="$got lost; others had $taken by the kernel's account; alone $before and $after"
        ! within "$got" "$(awk "BEGIN { print $taken + (1 - $taken) * ($before + $after) / 2 }")" 5 ||
            verdict[$mode]=ok
    done
}

declare -A verdict result
tried turns "ftq fwq detour" turns
for mode in ftq fwq detour; do
    judge "$mode" "$mode loses what the kernel gives to others, within 5 %"
done

# The kernel's timer tick is noise of a known period: its frequency is in the header line "kernel", and the count of
# local timer interrupts shows that it ticked on this core.
tick() {
    awk '/^# kernel:/ { if (match($0, /HZ=[0-9]+/)) hz = substr($0, RSTART + 3, RLENGTH - 3) }
        /^# span_ns/ { span = $3 }
        /^# interrupts:/ { for (i = 3; i < NF; i++) if ($i == "LOC") local = $(i + 1) + 0 }
        /^#/ { next }
        { if (!hz || local < 0.9 * hz * span / 1e9) { print "unknown"; exit }
          period = 1e9 / hz; bins = 80
          bin = int(($1 - period * int($1 / period)) / period * bins); n[bin]++ }
        END { if (!period) exit
              for (b = 0; b < bins; b++) {
                  pair = n[b] + n[(b + 1) % bins]
                  most = pair > most ? pair : most }
              print most / (span / period) }' "$1"
}

measure tick detour
seen_share=$(tick "$tmp/tick/detour-core$core.samples")
case $seen_share in
unknown | "") skip "the kernel's tick is seen" "no CONFIG_HZ, or no tick on this core" ;;
*)
    echo "# detours in one fortieth of the tick's period, by ticks: $seen_share"
    ok "the kernel's tick is seen: a detour at one phase in 4 of 5 periods" \
        awk "BEGIN { exit !($seen_share >= 0.8) }" ;;
esac
done_testing
