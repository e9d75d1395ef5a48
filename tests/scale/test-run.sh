#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgscale run (TAP): runs at several counts, what fails, what is interrupted and goes on, wrong command lines.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "${top_srcdir:?}/tests/tap.sh"
[ "$MPGKIT_MPI" != no ] || skip_all "built without MPI"
app=$PWD/tests/scale/app
[ -x "$app" ] || skip_all "no tests/scale/app"
cd "$work" || exit 1
ln -s "$app" app
read -r -a mpirun <<<"$MPIRUN"

# runs ARGUMENT...: runs mpgscale run; sets status, out and err.
runs() {
    timeout 300 "$MPGSCALE" run "$@" >out 2>err
    status=$?
}

said() {
    is "... one line: $1" "$(wc -l <err)" 1
    like "... that says so" "$(cat err)" "*$1*"
}

wrong() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 expected=$2 pattern=$3
    shift 3
    runs "$@"
    is "$name: exit status" "$status" "$expected"
    said "$pattern"
}

lines() { grep -vc '^#' "$1/manifest.tsv"; }

runs --counts=1,2-3 --repetitions=2 -o whole --label=size=small -- "${mpirun[@]}" -np '{ranks}' ./app
is "six runs are done and analysed" "$status" 0
like "... which is said" "$(cat out)" "*6: 2 of 1, 2 of 2, 2 of 3 ranks*"
is "... each in the manifest" "$(lines whole)" 6
ok "... with its labels" grep -q "^3-2	ranks=3	repetition=2	seconds=[0-9.]*	size=small$" whole/manifest.tsv
ok "... and its log and profile" test -e whole/1-1.log -a -e whole/3-2/rank-2.profile.mpgt
before=$(cat whole/manifest.tsv)
runs --counts=1,2-3 --repetitions=2 -o whole --label=size=small -- "${mpirun[@]}" -np '{ranks}' ./app
is "a second time there is nothing to do" "$(cat whole/manifest.tsv)" "$before"
like "... which is said" "$(cat err)" "*6 done already*"
first=$(grep -v '^#' whole/manifest.tsv | cut -f1 | head -3 | sort | tr '\n' ' ')
is "each repetition has all counts" "$first" "1-1 2-1 3-1 "

# If runs with one number of ranks fail, the others still take place. That number is given up after two failures.
runs --counts=1,2,3 --repetitions=3 -o part --no-analysis -- "${mpirun[@]}" -np '{ranks}' ./app fail 2
is "a count that fails: the others are done" "$status,$(lines part)" "0,6"
is "... it is tried twice" "$(grep -c '^#failed	2-' part/manifest.tsv)" 2
like "... said with what it said itself" "$(cat err)" "*2-? (2 ranks): exit status 3: cannot do it with 2 (part/2-?.log)*"
like "... and given up" "$(cat err)" "*2 ranks: given up after 2 runs that failed*"
runs --counts=2 --repetitions=3 -o none -- "${mpirun[@]}" -np '{ranks}' ./app fail 2
is "where all fail there is no answer" "$status,$(lines none)" "1,0"
like "runs at too few counts: said before they are made" "$(cat err)" \
    "mpgscale run: 3 runs of *attention: 1 process count in --counts: growth needs runs at 3 counts*2 ranks): *"
runs --counts=2 --repetitions=1 -o aborts -- "${mpirun[@]}" -np '{ranks}' ./app abort 2
like "one that aborts: its own last words, not its launcher's" "$(cat err)" "*): exit status 5: 2 is no square (*"
printf '%s\n' '#!/bin/sh' '"$@"; status=$?' \
    'echo "[warn] Epoll MOD(1) on fd 25 failed. Old events were 6: Bad file descriptor" >&2' 'exit $status' >warns
chmod +x warns
runs --counts=2 --repetitions=1 -o warns.d -- ./warns "${mpirun[@]}" -np '{ranks}' '{record}' ./app fail 2
like "... nor what its library says of descriptors" "$(cat err)" "*): exit status 3: cannot do it with 2 (*"

# Interrupted in the middle, nothing is lost: the same command continues.
export MPGSCALE
setsid bash -c 'exec "$MPGSCALE" run --counts=1 --repetitions=4 -o cut --no-analysis -- "$@" >/dev/null 2>err' _ \
    "${mpirun[@]}" -np '{ranks}' ./app sleep 4 &
pid=$!
for _ in $(seq 300); do
    [ -e cut/manifest.tsv ] && [ "$(lines cut)" -ge 1 ] && break
    sleep 0.1
done
kill -TERM "$pid" # a shell starts background processes with SIGINT ignored
wait "$pid"
is "interrupted: ended by the signal" "$?" 143
like "... said" "$(cat err)" "*interrupted with ? of 4 runs done: the same command goes on*"
done_before=$(lines cut)
ok "... some were done, not all" test "$done_before" -ge 1 -a "$done_before" -lt 4
is "... no half of a run is left" "$(ls -d cut/*.part 2>/dev/null)" ""
printf '1-9\trank' >>cut/manifest.tsv # a line cut off, as by a power failure
runs --counts=1 --repetitions=4 -o cut --no-analysis -- "${mpirun[@]}" -np '{ranks}' ./app sleep 4
is "... it goes on" "$status,$(lines cut)" "0,4"
ok "... without a line that was cut off" test -z "$(grep '^1-9' cut/manifest.tsv)"

runs --counts=1 --repetitions=1 --time-limit=500ms -o slow -- "${mpirun[@]}" -np '{ranks}' ./app sleep 300
like "too long" "$status $(cat err)" "1 *1-1 (1 rank): not done within 0.5 s*"
runs --counts=1 --repetitions=1 -o other -- "${mpirun[@]}" -np 2 ./app '{ranks}'
like "another number of ranks" "$status $(cat err)" "1 *2 ranks were recorded*"
runs --counts=1 --repetitions=1 --traces --record=--callsites=0 --no-analysis -o traces -- "${mpirun[@]}" -np '{ranks}' '{record}' ./app
ok "traces, and where to record" test "$status" = 0 -a -e traces/1-1/rank-0.mpgt
like "... is what runs are said to be of" "$(cat err)" "*1 run of ./app,*"

runs --counts=1 --repetitions=1 --no-analysis --input=input-'{ranks}' -o input -- "${mpirun[@]}" -np '{ranks}' ./app
like "an input that is not there" "$status $(cat err)" "1 *input-1: No such file*"
echo 'sleep 1' >input-1
runs --counts=1 --repetitions=1 --no-analysis --input=input-'{ranks}' -o echo -- "${mpirun[@]}" -np '{ranks}' \
    ./app echo 1
is "standard input comes from a file" "$status $(cat echo/1-1.log)" "0 sleep 1"

# A full disk: the error names the reason, and no further run is attempted.
mkdir small
small='mount -t tmpfs -o size=160k none small && exec timeout 300 "$MPGSCALE" run --counts=1,2 -o small/runs -- "$@"'
if unshare -m mount -t tmpfs none small 2>/dev/null; then
    unshare -m bash -c "$small" _ "${mpirun[@]}" -np '{ranks}' ./app >out 2>err
    is "a full disk: exit status" "$?" 1
    like "... named" "$(cat err)" "*(? rank*)*No space left on device*no space left: free some, then the same command continues*"
    is "... once" "$(grep -c 'ranks*): ' err)" 1
else
    skip "a full disk" "no mount"
fi

# The limit of the file size causes an error of mpgscale instead of the signal SIGXFSZ; in the program it causes the
# signal.
(trap - XFSZ; ulimit -f 0; exec timeout 300 "$MPGSCALE" run --counts=1,2 --repetitions=1 -o limited -- "${mpirun[@]}" -np '{ranks}' ./app) \
    2>&1 | cat >err
is "files that may not grow: exit status" "${PIPESTATUS[0]}" 1
said "limited/"
printf '#!/bin/sh\nulimit -c 0; kill -XFSZ $$; exit 3\n' >grows
chmod +x grows
runs --counts=1 --repetitions=1 -o grown --no-analysis -- ./grows '{ranks}' ./app
like "... the program's" "$(cat err)" "*File size limit exceeded*"

# Commands that cannot be started.
wrong "no {ranks}" 2 "no {ranks}" -- "${mpirun[@]}" -np 2 ./app
wrong "no launcher" 1 "nowhere: No such file" -- nowhere -np '{ranks}' ./app
wrong "no program" 1 "./nothing: No such file" -- "${mpirun[@]}" -np '{ranks}' ./nothing
wrong "nothing to record" 1 "{record} has no program behind it" -- "${mpirun[@]}" -np '{ranks}' '{record}'
wrong "several programs" 1 "several programs" -- "${mpirun[@]}" -np '{ranks}' ./app : -np 1 ./app
wrong "no counts" 2 "--counts" --counts=two -- "${mpirun[@]}" -np '{ranks}' ./app
wrong "counts of none" 2 "--counts" --counts=0-3 -- "${mpirun[@]}" -np '{ranks}' ./app
wrong "no label" 2 "KEY=VALUE" --label=big -- "${mpirun[@]}" -np '{ranks}' ./app
wrong "both modes" 2 "one of them" --profile --traces -- "${mpirun[@]}" -np '{ranks}' ./app
wrong "another command's folder" 1 "another command" -o whole -- "${mpirun[@]}" -np '{ranks}' ./app 1
wrong "... with another input" 1 "whole: holds runs with another --input" -o whole --label=size=small --input=input-1 -- \
    "${mpirun[@]}" -np '{ranks}' ./app
wrong "... with other options of the recording" 1 "whole: holds runs with another --record" -o whole --label=size=small \
    --record=--callsites=0 -- "${mpirun[@]}" -np '{ranks}' ./app
wrong "... with other labels" 1 "whole: holds runs with another --label" -o whole --label=size=large -- \
    "${mpirun[@]}" -np '{ranks}' ./app
grep -v '^#\(input\|record\|label\)' whole/manifest.tsv >older
cp older whole/manifest.tsv
wrong "... as an older manifest says of its runs" 1 "whole: holds runs with another --label" -o whole --label=size=large -- \
    "${mpirun[@]}" -np '{ranks}' ./app
runs --counts=1,2-3 --repetitions=2 -o whole --label=size=small --no-analysis -- "${mpirun[@]}" -np '{ranks}' ./app
is "... which goes on" "$status $(cmp older whole/manifest.tsv)" "0 "
wrong "a folder with something else" 1 "something else" -o part/1-1 -- "${mpirun[@]}" -np '{ranks}' ./app
wrong "a folder that cannot be" 1 "No such file" -o no/where -- "${mpirun[@]}" -np '{ranks}' ./app
done_testing
