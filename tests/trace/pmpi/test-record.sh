#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace record on real programs (TAP): every call of trace/calls.def from C is
# compared with what the program is known to do; then the ways in which tracing and
# programs fail.
# shellcheck disable=SC2086,SC2094
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"

# Calls of which only the times are recorded, and the tracer's own work.
others=$(sed -nE 's/^MPG_CALL\(([A-Za-z_]*), (OTHER|FLUSH|UNRECORDED),.*/\1/p' "$here/../../../trace/calls.def")

# calls TRACE: prints its calls, rank by rank, without times, call sites and such calls.
calls() {
    printed "$1" | sed -nE 's/ site=[0-9]+//; s/ killed=1//; s/^([0-9]+) [0-9]+ [0-9]+ /\1 /p' | sort -s -n -k1,1 |
        awk -v others="$others" '
            BEGIN { for (n = split(others, name, "\n"); n > 0; n--) other[name[n]] = 1 }
            !($2 in other)'
}

# matches TRACE EXPECTED: succeeds if the trace has the calls in EXPECTED.
matches() {
    calls "$1" | numbered | diff <(grep -v '^#' "$2" | numbered) - >differences && return
    sed 's/^/# /' differences | head -20
    return 1
}

facts() {
    "$MPGTRACE" print "$1" | sed -n "s/^#fact $2 //p"
}

# --- every call, from C ---
# shellcheck disable=SC2034 # numbered asks
shares=$(shares_memory "$mpicc" "$mpirun" && echo yes || echo no)
ok "the test program compiles" $mpicc -o calls "$here/record.c"
timeout 600 $mpirun -np 3 ./calls >plain
is "it runs without the tracer" $? 0
ok "it runs under the tracer" traced 3 calls.trace ./calls
is "its output is unchanged" "$(cat out)" "$(cat plain)"
is "the tracer says nothing" "$(cat err)" ""
ok "every call is recorded as made" matches calls.trace "$here/record.expected"
like "the program is named" "$(facts calls.trace 0)" "*program ./calls*"
is "one host, one clock" "$("$MPGTRACE" print calls.trace | grep -c '^#clocks shared')" 1
is "inter-communicators have two groups" \
    "$("$MPGTRACE" print calls.trace | grep -c '^#comm .* = 2 0 | 1$')" 1

ok "with MPI_THREAD_MULTIPLE" traced 3 thread.trace ./calls thread
is "the same calls but Init_thread" "$(calls thread.trace | sed 's/ Init_thread/ Init/')" \
    "$(calls calls.trace)"
ok "a small buffer" traced 3 small.trace --buffer 4KiB ./calls
ok "... loses nothing" matches small.trace "$here/record.expected"

# --- ends ---
traced 3 six.trace ./calls six
is "the exit status is the program's" $? 6
# The launcher may have killed the other ranks in MPI_Finalize.
is "... and all ranks' traces are whole" "$(calls six.trace | numbered)" \
    "$(grep -v '^#' "$here/record.expected" | numbered)"
traced 3 exit.trace ./calls exit
like "without MPI_Finalize, too" $? "[79]" # MPICH's launcher exits with 9 if it kills the others
like "... which the trace says" "$(cat exit.trace/*.mpgt | tr -c '[:print:]' '\n')" \
    "*incomplete the program ended without MPI_Finalize*"
# Even without the tracer, Open MPI's launcher sometimes hangs or crashes when it must abort.
for _ in 1 2 3; do
    traced 3 abort.trace --force ./calls abort
    status=$?
    [ $status -ne 124 ] && [ $status -le 128 ] && break
done
is "MPI_Abort's status is the program's" $status 5
like "... and the trace says so" "$(facts abort.trace 0)" "*incomplete MPI_Abort*"
is "... and holds what came before" "$(calls abort.trace | grep '^0 ')" \
    "$(calls calls.trace | grep '^0 ' | grep -v Finalize)"

# --- folders and disks ---
cp -r calls.trace again.trace
cp calls.trace/rank-2.mpgt again.trace/rank-3.mpgt
touch again.trace/rank-3.window.mpgt.new again.trace/rank-0-thread-1.window.mpgt.new \
    again.trace/rank-1.profile.mpgt.part
ok "into the folder of an earlier run of more ranks" traced 3 again.trace --force ./calls
is "... leaves only its own files" "$(cd again.trace && echo *)" "rank-0.mpgt rank-1.mpgt rank-2.mpgt"
"$MPGTRACE" record -o none.trace ./no-such-program 2>err
is "a program that is not there" "$?: $(cat err)" \
    "1: mpgtrace record: ./no-such-program: No such file or directory"
MPGKIT_LIBDIR=$tmp "$MPGTRACE" record --mpi="$MPI_LIBRARY" -o none.trace true 2>err
is "no tracer" "$?: $(cat err)" "1: mpgtrace record: no libmpgtrace-$MPI_LIBRARY.so in MPGKIT_LIBDIR=$tmp"
: >file
traced 3 file/a.trace ./calls six
is "a folder that cannot be made does not touch the exit status" $? 6
like "... nor the output" "$(cat out)" "calls: all results are right*"
is "... and is told once" "$(grep '^mpgtrace' err)" \
    "mpgtrace: $PWD/file/a.trace: Not a directory; 3 of 3 ranks run untraced"
traced 1 none.trace ./no-such-program
is "a program that is not there leaves no folder" "$(grep '^mpgtrace' err) $(ls -d none.trace 2>&-)" \
    "mpgtrace record: ./no-such-program: No such file or directory "
ok "an empty name of a trace is refused" eval '"$MPGTRACE" record -o "" ./calls 2>&1 | grep -q -e "--output: TRACE is empty"'
if mkdir full && mount -t tmpfs -o size=32k tmpfs full 2>/dev/null; then
    mkdir full/a.trace && head -c 40000 /dev/zero >full/a.trace/fill 2>/dev/null
    traced 3 full/a.trace ./calls six
    is "a full disk does not touch the exit status" $? 6
    like "... nor the output" "$(cat out)" "calls: all results are right*"
    is "... and is told once" "$(grep '^mpgtrace' err)" \
        "mpgtrace: $PWD/full/a.trace/rank-0.window.mpgt: No space left on device; 3 of 3 ranks run untraced"
    umount full
else
    skip "a full disk" "cannot mount a file system"
fi

done_testing
