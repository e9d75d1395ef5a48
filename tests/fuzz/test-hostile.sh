#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files made to hurt (TAP): whoever reads one ends by itself, in little memory, and says one
# line where it refuses it; nothing in it commands a terminal.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
SIGSHOW=${SIGSHOW:-$build/signature/sigshow}
MPGSCALE=${MPGSCALE:-$build/scale/mpgscale}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp

# confined COMMAND...: runs COMMAND for at most 120 s, with at most 2 GiB of addresses (sanitizers need more).
confined() {
    (
        [ "${MPGKIT_SANITIZERS:-no}" = yes ] || ulimit -v 2097152
        ulimit -f 262144
        exec timeout -k 5 120 "$@"
    ) < /dev/null > "$tmp/out" 2> "$tmp/err"
}

# tame WHAT COMMAND...: succeeds if COMMAND prints a result, or gives the reason for its refusal in one line, without
# control characters.
tame() {
    local what=$1 status control
    shift
    confined "$@"
    status=$?
    control=$(LC_ALL=C tr -d '\n\t -~' < "$tmp/out" | LC_ALL=C tr -d '\200-\377' | wc -c)
    if [ "$status" = 0 ]; then
        ok "$what" test -s "$tmp/out" -a "$control" = 0
    else
        is "$what, status and lines" "$status $(grep -vc warning "$tmp/err")" "1 1"
        [ "$status" = 1 ] || echo "# $(head -c 300 "$tmp/err" | cat -v)"
        control=$(LC_ALL=C tr -d '\n\t -~' < "$tmp/err" | LC_ALL=C tr -d '\200-\377' | wc -c)
        [ "$control" = 0 ] || ok "no control characters in that line" false
    fi
}

# little KIB COMMAND...: succeeds if COMMAND needs at most KIB of memory.
little() {
    local most=$1 used
    shift
    [ "${MPGKIT_SANITIZERS:-no}" = yes ] && return
    used=$("$build/tests/peak_memory" "$@" 2> /dev/null | tail -n 1)
    ok "$2 of ${!###*/} takes ${used:-no} KiB" test "${used:-$((most + 1))}" -le "$most"
}

programs() {
    local file=$1 name=${1##*/}
    tame "print $name" "$MPGTRACE" print "$file"
    tame "stat $name" "$MPGTRACE" stat --callsites "$file"
    tame "mpgsim $name" "$MPGSIM" --cache=fresh --latency const:1us --replicas 2 "$file"
    tame "mpgsim --lenient $name" "$MPGSIM" --cache=fresh --lenient --latency const:1us --replicas 2 "$file"
    tame "mpgsim --collectives=expand $name" "$MPGSIM" --cache=fresh --lenient --json --collectives=expand \
        --latency const:1us --byte const:1ns --replicas 2 "$file"
    rm -rf "$tmp/told"
    tame "mpgsim --predict $name" "$MPGSIM" --cache=fresh --predict --lenient --collectives=expand \
        --latency const:1us --byte const:1ns --output-trace="$tmp/told" "$file"
    [ ! -e "$tmp/told" ] || tame "print what --output-trace wrote of $name" "$MPGTRACE" print "$tmp/told"
    little 49152 "$MPGTRACE" stat "$file"
    little 65536 "$MPGSIM" --cache=fresh --predict --lenient --latency const:1us "$file"
    little 65536 "$MPGSIM" --cache=fresh --lenient --latency const:1us --replicas 2 "$file"
}

# every_command FILE: runs the other commands that read traces.
every_command() {
    local file=$1 name=${1##*/}
    for command in waits timeline matrix sizes graph "stat --json" "waits --by=region --json" "export --lenient --format=goal"; do
        # shellcheck disable=SC2086 # words
        tame "$command $name" "$MPGTRACE" $command "$file"
    done
    for format in otf2 ti; do
        rm -rf "$tmp/told"
        confined "$MPGTRACE" export --lenient --format=$format -o "$tmp/told" "$file"
        ok "export --format=$format $name ends by itself" test $? -lt 2
    done
    for options in --waits "--where=call,callsite,region,rank,pair" "--predict --where=region --where=path" "--timeline=$tmp/t.json" \
        "--report=$tmp/p.html" "--output-trace=$tmp/told" "--noise=exp:1us --per-rank" "--waits --json"; do
        rm -rf "$tmp/told"
        # shellcheck disable=SC2086 # words
        tame "mpgsim $options $name" "$MPGSIM" --cache=fresh --lenient --latency const:1us $options "$file"
    done
    tame "mpgsim --target=ideal $name" "$MPGSIM" --cache=fresh --lenient --target=work=wall --target=ideal "$file"
    confined "$MPGSCALE" "$file" "$file"
    ok "mpgscale $name ends by itself" test $? -lt 2
}

for file in "$here"/hostile/*; do
    case $file in
    *.sig)
        tame "sigshow ${file##*/}" "$SIGSHOW" "$file"
        confined "$SIGSHOW" --plot "$tmp/plots" "$file"
        ok "sigshow --plot ${file##*/} ends by itself" test $? -lt 3
        ;;
    *)
        programs "$file"
        every_command "$file"
        ;;
    esac
done
for file in "$here"/hostile/*.txt; do
    rm -rf "$tmp/app.trace"
    confined "$MPGTRACE" import --text "$file" -o "$tmp/app.trace"
    ok "import ${file##*/}" test $? -lt 2
done
confined "$MPGTRACE" import --force --text "$here/hostile/terminal-escapes.txt" -o "$tmp/app.trace"
"$MPGTRACE" print "$tmp/app.trace" > "$tmp/once"
"$MPGTRACE" print "$tmp/once" > "$tmp/twice"
ok "escapes are there when the text is read again" cmp -s "$tmp/once" "$tmp/twice"
ok "as escapes" grep -q '^#host 0 "\\x1b' "$tmp/once"

# ---- few bytes that request much memory or time ----
if [ -n "${PYTHON3:-}" ]; then
    for kind in $("$PYTHON3" "$here/malice.py" kinds); do
        for size in 50 1000 8000; do
            file=$tmp/$kind-$size
            "$PYTHON3" "$here/malice.py" "$kind" "$size" > "$file"
            [ "$(wc -c < "$file")" -le 600000 ] || continue
            if [ "$size" = 1000 ]; then
                programs "$file"
            else
                tame "stat $kind-$size" "$MPGTRACE" stat "$file"
                little 98304 "$MPGTRACE" stat "$file"
            fi
            rm -f "$file"
        done
    done
fi

# ---- overlapping regions: each end removes all regions that began later ----
awk -v n=20000 'BEGIN {
    print "#mpgtext 1\n#ranks 1\n#clocks shared\n0 0 10 Init"
    for (i = 0; i < n; i++) print 0, 100 + i, 100 + i, "Region_begin name=\"r" i "\""
    for (i = 0; i < n; i++) print 0, 100 + n + i, 100 + n + i, "Region_end name=\"r" i "\""
    print 0, 3 * n, 3 * n + 10, "Finalize"
}' > "$tmp/overlapping.txt"
confined timeout 20 "$MPGTRACE" timeline "$tmp/overlapping.txt"
is "a timeline of 20000 regions that overlap" "$? $(cat "$tmp/err")" \
    "0 mpgtrace timeline: attention: 19744 regions nested deeper than 256 are not in the timeline"
ok "... is no longer than its regions" test "$(wc -c < "$tmp/out")" -lt 4000000

# ---- an endless line from an endless pipe ----
endless() {
    (printf '%b' "$1" && tr '\0' y < /dev/zero) | "${@:2}"
}
for begin in '' '#mpgtext 1\n' '#mpgtext 1\n#ranks 2\n0 0 10 Init\n# '; do
    for reader in "$MPGTRACE stat -" "$MPGTRACE print -" "$MPGSIM -"; do
        # shellcheck disable=SC2086 # words
        (
            [ "${MPGKIT_SANITIZERS:-no}" = yes ] || ulimit -v 1048576
            ulimit -f 4096
            endless "$begin" timeout -k 5 120 $reader > "$tmp/out" 2> "$tmp/err"
        )
        is "${reader##*/} reads no endless line: status, lines, bytes that it says" \
            "$? $(wc -l < "$tmp/err") $(wc -c < "$tmp/out")" "1 1 0"
    done
done

# ---- more ranks than open files ----
few_files() {
    (ulimit -n 64 && exec "$@")
}
awk -v ranks=5000 'BEGIN {
    print "#mpgtext 1\n#ranks " ranks "\n#clocks shared"
    for (i = 0; i < 3; i++)
        for (r = 0; r < ranks; r++) {
            split("Init|Barrier comm=0|Finalize", call, "|")
            print r, 10 * i, 10 * i + 5, call[i + 1]
        }
}' > "$tmp/many.txt"
rm -rf "$tmp/app.trace"
ok "import of 5000 ranks with 64 files" few_files "$MPGTRACE" import --text "$tmp/many.txt" -o "$tmp/app.trace"
is "a file a rank" "$(find "$tmp/app.trace" -name '*.mpgt' | wc -l)" 5000
few_files "$MPGTRACE" print "$tmp/app.trace" | grep -v '^#' | sort > "$tmp/printed"
ok "all that was said of them is there" cmp -s "$tmp/printed" <(grep -v '^#' "$tmp/many.txt" | sort)
ok "and is simulated" few_files "$MPGSIM" --latency const:1us --replicas 2 "$tmp/app.trace" -o /dev/null
done_testing
