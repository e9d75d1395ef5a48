#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files of a trace that somebody else truncates while the program runs (TAP): the program goes
# on, whatever it does with SIGBUS itself, and the trace says that it is incomplete. And files in
# /dev/shm that are not ours, or that nobody needs any more.
set -u
. "$(dirname "$0")/traced.sh"
truncated=$build/tests/trace/pmpi/truncated
[ -x "$truncated" ] || skip_all "no tests/trace/pmpi/truncated"
ulimit -c 0

# goes_on HOW OPTION...: checks that two ranks of the program run to the end, and print $said.
goes_on() {
    local how=$1
    shift
    rm -rf t.trace
    traced 2 t.trace --buffer=4KiB "$@" "$truncated" "$how"
    is "$how: the program ends well" "$? $(sort -u out)" "0 to the end, $said"
}
# is_told WHAT: checks that each rank reports WHAT once, and the trace too.
is_told() {
    is "... which is told" "$(grep -c "^mpgtrace: rank [01]: .*$1; its trace ends here" err)" 2
    is "... and is in the trace" "$("$MPGTRACE" stat t.trace 2>&1 | sed -n 's/^incomplete  *//p')" \
        "2 ranks, the first of them rank 0: $2"
    is "... which has no window left" "$(echo t.trace/*)" "t.trace/rank-0.mpgt t.trace/rank-1.mpgt"
}
gone="its segment was truncated, or could not be stored into"

said="0 of mine, 0 of others"
goes_on none
is "... nothing is told" "$(cat err)" ""
for how in window window,threads window,before window,after window,before,chain; do
    goes_on $how
    is_told "was truncated, or could not be stored into" "$gone"
done
goes_on short
is_told "has been truncated, or written to" "its segment was truncated, or written to"
goes_on another
is "... which is told" "$(grep -c "^mpgtrace: rank [01]: .*is another file than the tracer's" err)" 2
goes_on ends
is "... its trace is whole" "$(cat err)$("$MPGTRACE" print t.trace 2>&1 | awk '$4 == "Sendrecv"' | wc -l)" 6000
goes_on descriptors
is "... which is told" "$(grep -c '^mpgtrace: rank [01]: .*has been truncated by the program' err)" 2
goes_on adds
is "... which is told" "$(grep -c '^mpgtrace: rank [01]: .*has been written to by the program' err)" 2
goes_on overwrite
is_told "has been overwritten" "its segment was overwritten"
goes_on profile --profile
is "... which is told" "$(grep -c '^mpgtrace: rank [01]: .*was truncated' err)" 2

# The program's handler gets the signals that the program causes itself.
said="1 of mine, 0 of others"
for how in before,own after,own after,chain,own window,before,own window,after,own \
    window,after,chain,own; do
    goes_on $how
done
# shellcheck disable=SC2016,SC2086
timeout 600 $mpirun -np 1 sh -c 'trap : HUP TERM; "$@"; echo $? >status' sh "$truncated" own \
    >out 2>err
plain=$(cat status)
# shellcheck disable=SC2016,SC2086
timeout 600 $mpirun -np 1 sh -c 'trap : HUP TERM; "$@"; echo $? >status' sh "$MPGTRACE" record --quiet \
    --force -o own.trace "$truncated" own >out 2>err
is "a fault that it does not handle kills it as ever" "$(cat status)" "$plain"
like "... and its trace is there" "$("$MPGTRACE" stat own.trace)" "*died*rank 0*"

# --- /dev/shm ---
# In the place of what Open MPI's ranks would share, something that is not theirs.
# shellcheck disable=SC2016
if [ -w /dev/shm ] && [ "$(id -u)" = 0 ] && [ -n "$($mpirun -np 1 sh -c 'echo $PMIX_NAMESPACE')" ] &&
    getent passwd nobody >/dev/null; then
    # shellcheck disable=SC2086
    timeout 600 $mpirun -np 1 sh -c '
        shm=/dev/shm/mpgtrace-$(id -u)-$(uname -n)-$(echo "$PMIX_NAMESPACE" | tr / -)
        echo "$shm" >shm
        echo precious >"$shm"
        chmod 666 "$shm"
        chown nobody "$shm"
        exec "$@"' sh "$MPGTRACE" record --quiet --force -o t.trace "$truncated" none >out 2>err
    is "a file of another user in /dev/shm: the program ends well" "$? $(cat out)" \
        "0 to the end, 0 of mine, 0 of others"
    is "... and its file is as it was" "$(cat "$(cat shm)")" precious
    rm -f "$(cat shm)"
else
    skip "a file of another user in /dev/shm" "this takes Open MPI and root"
fi
if [ -w /dev/shm ]; then
    stale=/dev/shm/mpgtrace-$(id -u)-stale-$$
    (umask 077; head -c 24 /dev/zero >"$stale")
    touch -d '1 hour ago' "$stale"
    traced 2 t.trace --force "$truncated" none
    ok "what a job left that died an hour ago is removed" test ! -e "$stale"
    (umask 077; head -c 24 /dev/zero >"$stale")
    traced 2 t.trace --force "$truncated" none
    ok "... and not what may be of a job that begins" test -e "$stale"
    rm -f "$stale"
fi
# Simultaneous jobs of others have files there too, which they remove.
names() {
    find /dev/shm -maxdepth 1 -name "mpgtrace-$(id -u)-*" | sort
}
names >before
# shellcheck disable=SC2016,SC2086
timeout 600 $mpirun -np 2 env OMPI_MCA_pml=nonesuch MPIR_CVAR_CH4_NETMOD=nonesuch "$MPGTRACE" \
    record --quiet --force -o t.trace "$truncated" none >out 2>err
left=$(names | comm -13 before -)
for ((tries = 0; tries < 600 && ${#left}; tries++)); do
    sleep 0.1
    left=$(names | comm -12 - <(echo "$left"))
done
is "a job that ends in MPI_Init leaves nothing there" "$left" ""
done_testing
