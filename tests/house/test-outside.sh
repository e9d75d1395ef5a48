#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What comes from outside (TAP): streams without end, pipes that no process writes to.
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

# ended STATUS PATTERN COMMAND...: ends by itself within 20 s, so, with files of at most 1 MiB; the last line that it says
# matches
ended() {
    local status=$1 pattern=$2 got
    shift 2
    (ulimit -f 1024 && exec timeout 20 "$@") >out 2>err
    got=$?
    like "${1##*/} ${*:2}" "$got $(tail -n 1 err)" "$status $pattern"
}

# ---- streams without end: the first wrong byte ends them ----
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
    "--predict --target=ideal --parameter=Map=pipe" --latency=file:pipe "--signature=$top_srcdir/results/reference/reference.sig --map=pipe" \
    "--collectives=expand --collective-table=pipe"; do
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
mkdir runs app.trace results
mkfifo runs/manifest.tsv app.trace/rank-0.mpgt results/pingpong.samples
ended 1 "*manifest.tsv: not a regular file" "$MPGSCALE" run -o runs --counts=1 -- env {record} true {ranks}
ended 1 "*rank-0.mpgt: no regular file" "$MPGSIM" app.trace
ended 1 "*pingpong.samples: not a regular file" "$SIGMAKE" results
(sleep 0.3; cat good.txt >pipe) &
is "a process that comes to write later" "$("$MPGTRACE" print pipe)" "$("$MPGTRACE" print good.txt)"
wait
done_testing
