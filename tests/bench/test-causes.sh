#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The causes of detours (TAP): a task that is known is named, as often as it ran; nothing is left in tracefs, whatever ends the
# measurement.

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
FTQ=${FTQ:-$build/bench/ftq/ftq}
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
SIGSHOW=${SIGSHOW:-$build/signature/sigshow}
export LC_ALL=C
noisemaker=$build/tests/bench/noisemaker
[ -x "$FTQ" ] && [ -x "$noisemaker" ] || skip_all "no ftq or no noisemaker"
tmp=$(mktemp -d)
maker='' measuring=''
trap 'for p in $maker $measuring; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT
# quietly COMMAND...: without its output.
quietly() {
    "$@" >"$tmp/out" 2>"$tmp/err" && return
    sed 's/^/# /' "$tmp/err"
    return 1
}
core=$("$FTQ" -o "$tmp/first" -m ftq -d 1ms 2>/dev/null | sed -n 's/^core \([0-9]*\):.*/\1/p' | tail -n 1)

"$FTQ" -m ftq --causes -d 10ms -o "$tmp/no" >"$tmp/out" 2>"$tmp/err"
is "causes of quanta: exit status" $? 2
like "... says that they are of detours" "$(cat "$tmp/err")" "mpgbench ftq: --causes needs --mode=detour*"
if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
    mkdir -m 777 "$tmp/nobody"
    chmod 755 "$tmp"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$FTQ" -m detour --causes -d 10ms -o "$tmp/nobody" >"$tmp/out" 2>"$tmp/err"
    is "without permission: exit status" $? 1
    is "... one line" "$(grep -c '^mpgbench ftq: --causes: ' "$tmp/err") $(wc -l <"$tmp/err")" "1 1"
    is "... and no results" "$(ls "$tmp/nobody")" ""
else
    skip "without permission" "no setpriv, or not root"
fi
"$FTQ" -m detour --causes -c "$core" -d 10ms -o "$tmp/try" >"$tmp/out" 2>"$tmp/err" || {
    like "where causes cannot be found one line says why" "$(cat "$tmp/err")" "mpgbench ftq: --causes: *"
    skip "causes" "$(head -n 1 "$tmp/err")"
    done_testing
    exit
}
tracing=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
instances() { # the measurements' instances
    ls "$tracing/instances" | grep -c '^mpgkit-'
}
is "no instance of tracefs is left" "$(instances)" 0

# --- a task that is known ---
"$noisemaker" --steal 10us --period 1ms --duration 1ms >/dev/null 2>&1
if [ $? -eq 77 ]; then
    skip "a task that is known" "the real-time class is not permitted here"
else
    mkfifo "$tmp/fifo"
    "$noisemaker" -c "$core" -s 500us -p 10ms -d 1000s >"$tmp/fifo" &
    maker=$!
    exec 3<"$tmp/fifo"
    read -r _ <&3
    ok "measures beside it" quietly "$FTQ" -m detour --causes -c "$core" -d 2s -o "$tmp/known"
    kill "$maker"
    wait "$maker"
    maker=
    exec 3<&-
    file=$tmp/known/detour-core$core.samples
    like "its name is among the causes" "$(sed -n 's/^# causes: //p' "$file")" "unseen, hypervisor*, task noisemaker*"
    # 200 times half a millisecond in 2 s, whoever else runs: it has the real-time class.
    ok "it is named as often as it ran, for as long" awk '
        /^# causes: / { sub(/^# causes: /, ""); n = split($0, name, ", ") }
        !/^#/ && name[$4 + 1] == "task noisemaker" { times++; ns += $2 }
        END { print "# " times " times, " ns / 1e6 " ms"; exit !(times >= 150 && times <= 250 && ns >= 75e6) }' "$file"
    like "the output has it" "$(cat "$tmp/out")" "*detour: by cause:*task noisemaker *%*"
    "$SIGMAKE" "$tmp/known" >"$tmp/known.sig" 2>/dev/null
    like "so has sigshow" "$("$SIGSHOW" "$tmp/known.sig")" "*Noise: by cause*task noisemaker *"
fi
ok "the system's clock will do" quietly "$FTQ" -m detour --causes -c "$core" -d 50ms --timer=clock -o "$tmp/clock"

# --- ends of all kinds ---
begin() {
    "$FTQ" -m detour --causes -c "$core" -d 60s -o "$tmp/ended" >/dev/null 2>"$tmp/err" &
    measuring=$!
    for _ in $(seq 100); do
        [ "$(instances)" = 0 ] || break
        sleep 0.1
    done
    sleep 0.3
}
for signal in INT TERM; do
    begin
    is "an instance while it measures ($signal)" "$(instances)" 1
    kill -$signal $measuring
    wait $measuring 2>/dev/null
    is "... none after the signal" "$(instances)" 0
done
begin
kill -KILL $measuring
wait $measuring 2>/dev/null
measuring=
is "killed: its instance stays" "$(instances)" 1
ok "the next measurement" quietly "$FTQ" -m detour --causes -c "$core" -d 10ms -o "$tmp/next"
is "... removes it" "$(instances)" 0
done_testing
