#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What comes from outside (TAP): streams without end, pipes that no process writes to, names that command a terminal.
here=$(dirname "$0")
set -u
. "$here/../tap.sh"
. "$here/../traces.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export TMPDIR=$tmp
ring 2 2 8 >good.txt
"$MPGTRACE" import --text good.txt -o good.trace
cat good.trace/*.mpgt >good.one

# ended STATUS PATTERN COMMAND...: checks that COMMAND ends within 20 s with STATUS, with files of at most 1 MiB, and
# that its last error line matches PATTERN.
ended() {
    local status=$1 pattern=$2 got
    shift 2
    (ulimit -f 1024 && exec timeout 20 "$@") >out 2>err
    got=$?
    like "${1##*/} ${*:2}" "$got $(tail -n 1 err)" "$status $pattern"
}

# ---- endless streams: the first wrong byte ends the reading ----
for command in "$MPGSIM" "$MPGTRACE print" "$MPGTRACE stat" "$MPGTRACE waits" "$MPGTRACE timeline"; do
    # shellcheck disable=SC2086 # words
    {
        ended 1 "*: standard input: byte 0: not a chunk of an mpgkit trace" $command - < <(yes)
        ended 1 "*: standard input: line 2: *" $command - < <(echo '#mpgtext 1'; yes)
        ended 1 "*: standard input: byte $(wc -c <good.one): not a chunk of an mpgkit trace" $command - < <(cat good.one; yes)
    }
done
for kind in one txt; do
    is "a trace through a pipe, .$kind" "$("$MPGTRACE" print - < <(cat good.$kind))" "$("$MPGTRACE" print good.$kind)"
    is "... named by a shell" "$("$MPGTRACE" print <(cat good.$kind))" "$("$MPGTRACE" print good.$kind)"
    is "... from a file" "$("$MPGTRACE" print - <good.$kind)" "$("$MPGTRACE" print good.$kind)"
done

# ---- pipes that no process writes to ----
mkfifo pipe
nobody="*: *pipe: No data available*"
for option in --signature=pipe --source=pipe "--predict --target=pipe" "--predict --target=ideal --against=pipe" \
    "--predict --target=ideal --target=Map=pipe" --latency=file:pipe "--signature=$top_srcdir/results/reference/reference.sig --map=pipe" \
    "--collectives=expand --collectives=table=pipe"; do
    # shellcheck disable=SC2086 # words
    ended 1 "$nobody" "$MPGSIM" $option good.txt
done
ended 2 "$nobody" "$MPGSIM" --hypothesis=pipe good.txt
for command in "$MPGSIM" "$MPGTRACE print" "$MPGTRACE import -o new.trace --text" "$SIGSHOW" \
    "$MPGSCALE analyse --manifest"; do
    # shellcheck disable=SC2086 # words
    ended 1 "$nobody" $command pipe
done
ended 2 "$nobody" "$SIGDIFF" pipe pipe

# ---- devices that have nothing to read ----
if [ -r /dev/ptmx ]; then
    for words in "$MPGSIM /dev/ptmx" "$MPGTRACE waits /dev/ptmx" "$MPGSIM --predict --target=/dev/ptmx good.txt" "$SIGSHOW /dev/ptmx"; do
        # shellcheck disable=SC2086 # words
        ended 1 "*/dev/ptmx: *Resource temporarily unavailable*" $words
    done
else
    skip "devices" "no /dev/ptmx"
fi
mkdir runs app.trace results
mkfifo runs/manifest.tsv app.trace/rank-0.mpgt results/pingpong.samples
ended 1 "*manifest.tsv: not a regular file" "$MPGSCALE" run -o runs --counts=1 -- env '{record}' true '{ranks}'
ended 1 "*rank-0.mpgt: no regular file" "$MPGSIM" app.trace
ended 1 "*pingpong.samples: not a regular file" "$SIGMAKE" results
(sleep 0.3; cat good.txt >pipe) &
is "a process that comes to write later" "$("$MPGTRACE" print pipe)" "$("$MPGTRACE" print good.txt)"
wait
# ---- files that may not grow ----
rm -f results/*.samples
cp "$top_srcdir"/results/reference/ftq-core0.samples results
ring 4 2000 8 >long.txt
# small COMMAND...: checks that COMMAND, whose standard output is a file, fails with an error if files may have at most
# 1 KiB, and leaves no partial file.
small() {
    local left
    mkdir into
    (ulimit -f 1 && exec "$@" >into/out 2>into/err)
    like "${1##*/} ${*:2}: files may have 1 KiB" "$? $(tail -n 1 into/err)" "1 *: *cannot write: File too large"
    left=$(cd into && ls -A | grep -vx -e out -e err)
    is "... and nothing is left" "$left" ""
    rm -rf into
}
small "$MPGTRACE" print long.txt
small "$MPGTRACE" timeline long.txt
small "$MPGTRACE" timeline -o into/t.json long.txt
small "$MPGTRACE" import -o into/t.trace --text long.txt
small "$MPGSIM" --cache=fresh --latency=exp:1us --replicas=400 --json -o into/answer long.txt
small "$MPGSIM" --cache=fresh --latency=exp:1us --replicas=400 --json long.txt
small "$MPGSIM" --cache=fresh --latency=exp:1us --report=into/page.html long.txt
small "$SIGMAKE" -o into/x.sig results
small "$SIGMAKE" results

# ---- spreadsheets ----
calls 1 >cells.txt <<'END'
0 100 100 Region_begin name="=1+1"
0 150 160 Barrier
0 200 200 Region_end name="=1+1"
0 210 210 Region_begin name="@a,b"
0 250 260 Barrier
0 300 300 Region_end name="@a,b"
0 310 310 Region_begin name="-1.5"
0 350 360 Barrier
0 400 400 Region_end name="-1.5"
END
is "names that are formulas" "$("$MPGSIM" --predict --latency=exp:1us --where=region --csv cells.txt | grep -o "^[^,]*1+1,\|^.*@a,b.,\|^-1.5," | LC_ALL=C sort)" \
    "\"'@a,b\",
'=1+1,
-1.5,"
"$MPGSIM" --latency=exp:1us --report=page.html good.txt >out
ok "a page fetches nothing, by its own policy" grep -q "Content-Security-Policy\" content=\"default-src 'none'; " page.html

is "scripts of pages write texts, never HTML" \
    "$(grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function' "$top_srcdir"/simulate/pages/*.js)" ""

# ---- names with control sequences for a terminal ----
bad=$'z\e[31m\u009bz\x9b'
reference=$top_srcdir/results/reference/reference.sig
cp good.txt "$bad.txt"
cp -r good.trace "$bad.trace"
cp "$reference" "$bad.sig"
mkdir "results$bad"
cp "$top_srcdir"/results/reference/ftq-core0.samples "results$bad"
echo "$bad" >"$bad.none"
obeyed=0
# quiet COMMAND...: counts COMMAND if it prints a byte that a terminal would obey, whatever its exit status.
quiet() {
    timeout 60 "$@" >out 2>err </dev/null
    if LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\xbf]' out err; then
        obeyed=$((obeyed + 1))
        printf '# %q' "${@##*/}"
        cat -v out err | grep -m 3 'M-BM-^\|\^\[' | sed 's/^/\n#   /'
    fi
}
# none_obeyed NAME: checks that no output since the last check contained such a byte.
none_obeyed() {
    is "$1: no byte commands a terminal" "$obeyed" 0
    obeyed=0
}
for command in "$MPGSIM" "$SIGMAKE" "$SIGSHOW" "$SIGDIFF $reference" "$MPGSCALE" "$MPGSCALE run" "$top_builddir/replay/mpgreplay" \
    "$MPGTRACE "{print,stat,waits,efficiency,timeline,matrix,sizes,graph,import,record} "$top_builddir/history/mpghistory "{list,show,diff,rerun}; do
    case $command in "$SIGSHOW" | "$SIGDIFF"*) file=$bad.sig ;; "$SIGMAKE") file=results$bad ;; *) file=$bad.txt ;; esac
    for word in "$bad" "$file" "--$bad" "--$bad=x" "-$bad" "$bad.none" "$bad.trace"; do
        # shellcheck disable=SC2086 # words
        quiet $command "$word"
    done
    for option in $($command --completion | sed -n 's/^--\([a-z-]*=\).*/\1/p'); do
        # shellcheck disable=SC2086 # words
        quiet $command "--$option$bad" "$file"
    done
    none_obeyed "${command##*/}"
done
quiet "$MPGTRACE" "$bad"
quiet "$top_builddir/history/mpghistory" "$bad"
none_obeyed "an unknown command"
for words in "scale factor=$bad" "scale $bad factor=2" "resize $bad" "drop call=$bad" "insert $bad time=2" "$bad" "balance $bad by=x"; do
    echo "$words" >"h$bad"
    quiet "$MPGSIM" "--hypothesis=$words" good.txt
    quiet "$MPGSIM" "--hypothesis=h$bad" good.txt
done
none_obeyed "hypotheses"
for words in "noise=$bad" "$bad=1,2" "latency=1us,$bad" "map=$bad,block:1"; do
    quiet "$MPGSIM" "--sweep=$words" good.txt
    quiet "$MPGSIM" --target=work=wall --target=ideal "--sweep=$words" good.txt
done
for words in "$bad=1" "Quantum=$bad" "Policy=$bad" "Map=$bad" "CommStartupTime=file:$bad"; do
    echo "$words" >"p$bad"
    quiet "$MPGSIM" --target=work=wall --target=ideal "--target=$words" good.txt
    quiet "$MPGSIM" --target=work=wall --target="p$bad" good.txt
done
none_obeyed "sweeps and targets"
for mode in --latency=exp:1us "--predict --signature=$bad.sig" "--target=ideal --target=work=wall" --sweep=latency=1us,2us \
    "--perturb --signature=$bad.sig --signature=$reference" "--tolerate=5%:latency --latency=exp:1us"; do
    for part in "" --where=call,rank,pair,region,callsite --waits --per-rank --csv "--where=call --csv" --json; do
        # shellcheck disable=SC2086 # words
        quiet "$MPGSIM" --replicas=4 $mode $part "$bad.txt"
    done
done
quiet "$MPGSIM" --target=work=wall --target=ideal "$bad.txt" good.txt
quiet "$SIGMAKE" --check "results$bad"
quiet "$SIGDIFF" "$bad.sig" "$reference"
none_obeyed "answers"
done_testing
