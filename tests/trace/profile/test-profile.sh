#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace record --profile (TAP): its numbers against those of the event trace, its size,
# how it ends, what does not fit, and damage.
# shellcheck disable=SC2086,SC2094
. "$(dirname "$0")/../pmpi/traced.sh"
sums=$build/tests/trace/profile/profile_sums
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"

# calls PROFILE CALL [RANK]: prints the number of these calls, of all ranks or of one.
calls() {
    "$sums" "$1" | awk -v call="$2" -v rank="${3:-}" \
        '$2 == call && (rank == "" || $1 == rank) { n += $3 } END { print n + 0 }'
}

# copy FOLDER: copies a complete profile.
copy() {
    rm -rf "$1"
    cp -r whole.trace "$1"
}

ok "the program compiles" $mpicc -g -O1 -o profiled "$here/profiled.c" -lpthread

# --- the same numbers as in a trace ---
ok "a profile" traced 3 whole.trace --profile ./profiled 20
is "... leaves the output as it is" "$(cat out)" "profiled: done"
is "... says nothing" "$(cat err)" ""
is "... is one file a rank" "$(cd whole.trace && echo *)" \
    "rank-0.profile.mpgt rank-1.profile.mpgt rank-2.profile.mpgt"
ok "the same run's events" traced 3 events.trace ./profiled 20
"$sums" whole.trace >profile.sums
"$sums" events.trace >events.sums
ok "numbers, bytes and callsites are the same" cmp profile.sums events.sums
is "... of all that was done" "$(grep -vc Comm_ profile.sums)" \
    "$((3 * (2 + 2 * 4 + 6)))"
ok "with 2 frames" traced 3 two.trace --profile --callsites=2 ./profiled 20
ok "... the events' stacks are the same" traced 3 events2.trace --callsites=2 ./profiled 20
"$sums" two.trace >two.sums
ok "... and all else" cmp two.sums <("$sums" events2.trace)
ok "without callsites" traced 3 none.trace --profile --callsites=0 ./profiled 20
is "... there is one row a call" "$("$sums" none.trace | awk '{ print $1, $2 }' | sort -u | wc -l)" \
    "$("$sums" none.trace | wc -l)"
is "... with the same numbers" "$(calls none.trace Isend)" "$(calls whole.trace Isend)"

# --- size ---
ok "ten times longer" traced 3 long.trace --profile ./profiled 200
is "... has ten times the calls" "$(calls long.trace Sendrecv)" \
    "$((10 * $(calls whole.trace Sendrecv)))"
size() { du -b "$1/rank-1.profile.mpgt" | cut -f1; }
# Header lines have more digits in a longer run, and there are more of them if a hypervisor took time (steal_ns).
ok "... in a file of one size, but for its facts" test $(($(size long.trace) - $(size whole.trace))) -lt 128

# --- threads, more stacks than rows, pauses ---
ok "four threads" traced 2 threads.trace --profile ./profiled 500 threads
is "... lose no call" "$(calls threads.trace Send)" $((2 * 4 * 500))
is "... nor its bytes" "$("$sums" threads.trace | awk '$2 == "Send" { n += $4 } END { print n }')" \
    $((2 * 4 * 500 * 4))
ok "more stacks than rows" traced 1 many.trace --profile --callsites=20 ./profiled 1 many
is "... lose no call" "$(calls many.trace Barrier)" 16384
like "... and say that there were more" "$("$MPGTRACE" stat many.trace)" "*(other callsites)*"
ok "a pause" traced 2 pause.trace --profile ./profiled 20 pause
is "... is not counted" "$(calls pause.trace Sendrecv)" "$((2 * 2 * 20))"
is "... what follows is" "$(calls pause.trace Barrier)" 2

# --- ends ---
traced 3 kill.trace --profile ./profiled 300 kill
is "a killed rank's profile has all its calls" "$(calls kill.trace Sendrecv 2)" 600
like "... and the report says that it died" "$("$MPGTRACE" stat kill.trace)" "*ranks * died)*"
traced 1 exit.trace --profile ./profiled 20 exit
is "the exit status is the program's" $? 7
is "... and the profile whole" "$(calls exit.trace Sendrecv)" 40
like "... which says how it ended" "$("$MPGTRACE" stat exit.trace)" \
    "*(1 ended without MPI_Finalize)*"
traced 1 abort.trace --profile ./profiled 20 abort
is "MPI_Abort's status is the program's" $? 5
is "... and the profile whole" "$(calls abort.trace Sendrecv)" 40

# --- the report ---
"$MPGTRACE" stat whole.trace >report
is "the report has a line for each call and callsite" \
    "$(grep -c '^MPI_' report)" "$(awk '{ $1 = $3 = $4 = $5 = ""; print }' profile.sums | sort -u | wc -l)"
like "... adds ranks up" "$(grep MPI_Allreduce report)" "MPI_Allreduce *60 *480 B*"
like "... names the program" "$(cat report)" "*program     ./profiled 20*"
cat whole.trace/* >one.mpgt
is "the files after each other are a profile, too" "$("$MPGTRACE" stat one.mpgt | tail -n +2)" \
    "$(tail -n +2 report)"

# --- damage ---
#
# refused PROFILE PATTERN: checks that stat fails with one line that matches PATTERN.
refused() {
    "$MPGTRACE" stat "$1" >out 2>err
    is "... is refused" "$? $(wc -l <err) $(wc -c <out)" "1 1 0"
    like "... and said so" "$(cat err)" "mpgtrace stat: $2"
}
copy bad.trace && rm bad.trace/rank-1.profile.mpgt
echo "# a rank that is missing"
refused bad.trace "bad.trace: no profile of rank 1 of 3"
copy bad.trace && cp whole.trace/rank-0.profile.mpgt bad.trace/rank-9.profile.mpgt
echo "# one that appears twice"
refused bad.trace "bad.trace/rank-9.profile.mpgt: rank 0 appears twice"
copy bad.trace && cp two.trace/rank-0.profile.mpgt bad.trace/ && cp threads.trace/rank-1.profile.mpgt bad.trace/
echo "# another run's"
refused bad.trace "bad.trace/rank-1.profile.mpgt: rank 1 is one of 2 ranks, others are of 3*"
copy bad.trace && head -c 300 whole.trace/rank-2.profile.mpgt >bad.trace/rank-2.profile.mpgt
echo "# cut off"
refused bad.trace "bad.trace/rank-2.profile.mpgt: ends within the profile"
copy bad.trace && printf '\377' | dd of=bad.trace/rank-2.profile.mpgt bs=1 seek=200 conv=notrunc 2>dd.err
echo "# a changed byte"
refused bad.trace "bad.trace/rank-2.profile.mpgt: damaged: wrong checksum"
copy bad.trace && cp kill.trace/rank-2.profile.mpgt bad.trace/
printf '\377\377\377' | dd of=bad.trace/rank-2.profile.mpgt bs=1 seek=130 conv=notrunc 2>dd.err
echo "# a row of no call, in a file that was not closed"
refused bad.trace "bad.trace/rank-2.profile.mpgt: rank 2: damaged: row 0"
"$MPGTRACE" print whole.trace >out 2>err
is "print says what to do with a profile" "$?: $(cat err)" \
    "1: mpgtrace print: whole.trace: a profile, not a trace: a profile has sums, not events: record without --profile; 'mpgtrace stat whole.trace' shows it"
done_testing
