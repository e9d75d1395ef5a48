#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where traces go (TAP): never over those of other runs, whoever started them and when; what a
# run says of its trace in the end; folders of other users.
# shellcheck disable=SC2086
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
cat >app.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* Barriers, as many as its last argument says; "run COMMAND": rank 0 runs that; "wait FILE":
 * rank 0 waits until that is there. */
int main(int argc, char **argv)
{
    int rank, n = argc > 1 ? atoi(argv[argc - 1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 && rank == 0 && strcmp(argv[1], "run") == 0)
        printf("ran: %d\n", system(argv[2]));
    if (argc > 2 && rank == 0 && strcmp(argv[1], "wait") == 0) {
        puts("waits");
        fflush(stdout);
        while (access(argv[2], F_OK) != 0)
            usleep(10000);
    }
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
ok "the program compiles" $mpicc -o app app.c || { done_testing; exit; }

# run RANKS COMMAND...: runs COMMAND with RANKS ranks; output in out and err.
run() {
    local ranks=$1
    shift
    timeout -k 5 600 $mpirun -np "$ranks" "$@" >out 2>err </dev/null
}

# said: prints mpgtrace's messages.
said() {
    grep '^mpgtrace' err
}

# barriers TRACE: prints the number of rank 0's barriers.
barriers() {
    "$MPGTRACE" print "$1" | awk '!/^#/ && $1 == 0 && $4 == "Barrier"' | wc -l
}

# --- messages ---
ok "a run" run 2 "$MPGTRACE" record -o a.trace ./app 3
size=$("$MPGTRACE" stat a.trace | sed -nE 's/^calls +([0-9]+), (.*) on disk.*/\1 calls, \2/p')
is "... says where its trace is, with stat's numbers" "$(said)" \
    "mpgtrace: a.trace: 2 ranks, $size; 'mpgtrace stat a.trace' shows it"
ok "... not with --quiet" run 2 "$MPGTRACE" record --quiet -o quiet.trace ./app 3
is "... nothing" "$(said)" ""
ok "a profile" run 2 "$MPGTRACE" record --profile -o profile.trace ./app 3
is "... says so" "$(said)" \
    "mpgtrace: profile.trace: profile of 2 ranks, ${size%,*}; 'mpgtrace stat profile.trace' shows it"
mkdir below
ok "a program that goes elsewhere" run 1 "$MPGTRACE" record -o below/b.trace ./app 0
like "... has its folder named" "$(said)" "mpgtrace: below/b.trace: 1 rank, 3 calls, *"
cp "$(type -P true)" quick
# The tracer sees no MPI_Init if something removes it from the environment.
printf '#!/bin/sh\nunset LD_PRELOAD\nexec "$@"\n' >away.sh
for away in "env -i" "sh away.sh" "sh -c 'LD_PRELOAD= exec $PWD/quick' sh"; do
    said=$(eval "\"\$MPGTRACE\" record -o away.trace $away $PWD/quick" 2>&1 >/dev/null)
    is "${away%% *}: a tracer that is kept away is missed" "$said" "mpgtrace: nothing was traced: no MPI_Init was seen in ${away%% *}; if it calls MPI, a script, or itself, sets LD_PRELOAD or empties the environment"
done
is "... but not with --quiet" "$("$MPGTRACE" record --quiet -o away.trace env -i "$PWD/quick" 2>&1 >/dev/null)" ""
ok "a program without MPI" run 2 "$MPGTRACE" record -o none.trace ./quick
is "... is told once that nothing was traced" "$(said)" "mpgtrace: nothing was traced: no MPI_Init \
was seen in ./quick, which is linked to no MPI, nor in its child processes"
ok "... leaves no folder" test ! -e none.trace
echo 'int MPI_Initialized(int *); int main(void) { int f; return MPI_Initialized(&f); }' >idle.c
ok "one with MPI that does not use it" eval '$mpicc -o idle idle.c 2>err && run 2 "$MPGTRACE" record -o none.trace ./idle'
is "... is told, too" "$(said)" "mpgtrace: nothing was traced: no MPI_Init was seen in ./idle"
run 2 "$MPGTRACE" record --quiet -o none.trace ./quick
is "... not with --quiet" "$(said)" ""
cat >session.c <<'PROGRAM'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* Two ranks that share a file, its argument, begin before either ends: Open MPI 6.0.0rc2 aborts a rank that begins while another
 * ends. */
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    FILE *begun = argc > 1 ? fopen(argv[1], "a") : NULL;
    if (begun && fputc('x', begun) != EOF && fflush(begun) == 0)
        for (int i = 0; i < 6000 && (fseek(begun, 0, SEEK_END) != 0 || ftell(begun) < 2); i++)
            usleep(10000);
    MPI_Session_finalize(&session);
    return getenv("FAILS") ? 3 : 0;
}
PROGRAM
if $mpicc -o session session.c 2>err; then
    session_mpirun=$mpirun
elif [ -n "${OTHER_MPICC:-}" ] && [ -n "${OTHER_MPIRUN:-}" ] && $OTHER_MPICC -o session session.c 2>err; then
    session_mpirun=$OTHER_MPIRUN
else
    session_mpirun=
fi
if [ -n "$session_mpirun" ]; then
    # A single rank, because a launcher that sees one of several ranks fail may end the others before their messages.
    FAILS=yes timeout -k 5 600 $session_mpirun -np 1 "$MPGTRACE" record -o none.trace ./session >out 2>err </dev/null
    is "one that begins MPI by sessions alone keeps its exit status" $? 3
    timeout -k 5 600 $session_mpirun -np 2 "$MPGTRACE" record -o none.trace ./session begun >out 2>err </dev/null
    is "... is told so, once" "$(said)" "mpgtrace: nothing was traced: no MPI_Init was seen in ./session, but \
MPI_Session_init: sessions alone are not recorded"
    ok "... leaves no folder" test ! -e none.trace
else
    skip "one that begins MPI by sessions alone" "MPI_Session_init is of MPI-4"
fi
# --- a folder that cannot be made, by a name that even root cannot make ---
cannot="mpgtrace: nothing was traced: $PWD/nowhere/c.trace: No such file or directory"
run 1 "$MPGTRACE" record -o nowhere/c.trace ./quick
is "no MPI, and no folder: the folder is told" "$(said)" "$cannot"
timeout -k 5 600 "$MPGTRACE" record -o nowhere/c.trace $mpirun -np 2 ./app 3 >out 2>err </dev/null
is "a launcher whose ranks cannot make it: no word of a missing MPI_Init" "$(said)" \
    "mpgtrace: $PWD/nowhere/c.trace: No such file or directory; 2 of 2 ranks run untraced
$cannot"
mkdir empty.trace && run 1 "$MPGTRACE" record -o empty.trace ./quick
like "a folder that is there and could be written is not to blame" "$(said)" "*no MPI_Init was seen in ./quick*"
ok "... and stays" test -d empty.trace

# --- a second run ---
cp -r a.trace before
run 2 "$MPGTRACE" record -o a.trace ./app 5
ok "a second run into a folder fails" test $? -ne 0
is "... which says what helps, once" "$(said)" "mpgtrace record: a.trace: holds a trace already: \
--force replaces it, -o names another folder"
ok "... and leaves the trace as it was" diff -r before a.trace
# shellcheck disable=SC2016
printf '%s\n' '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" != 0 ] || sleep 1' 'exec "$@"' >late.sh
run 2 sh late.sh "$MPGTRACE" record -o a.trace ./app 5
is "... even if the rank that says so comes late" "$(said)" "mpgtrace record: a.trace: holds a trace already: \
--force replaces it, -o names another folder"
run 1 "$MPGTRACE" record --force -o a.trace ./no-such-program
ok "a program that cannot start" diff -r before a.trace
echo mine >a.trace/notes
mkdir a.trace/spawned-0 && cp a.trace/rank-1.mpgt a.trace/spawned-0/rank-0.mpgt
ok "--force" run 1 "$MPGTRACE" record --force -o a.trace ./app 5
is "... replaces it, jobs that it spawned too, and leaves what is no trace" \
    "$(cd a.trace && echo *) $(barriers a.trace)" "notes rank-0.mpgt 5"
mkdir empty
ok "a folder that is there and holds no trace" run 2 "$MPGTRACE" record -o empty ./app 2
is "... is taken" "$(cd empty && echo *)" "rank-0.mpgt rank-1.mpgt"
ln -s "$tmp/elsewhere" link.trace && mkdir elsewhere
ok "a link to a folder" run 1 "$MPGTRACE" record -o link.trace ./app 2
is "... is followed" "$(cd elsewhere && echo *)" "rank-0.mpgt"

# --- jobs inside, after and beside another job ---
ok "a script with two jobs" eval 'timeout 600 "$MPGTRACE" record -o two.trace sh -c \
    "$mpirun -np 1 ./app 4; $mpirun -np 2 ./app 6" >out 2>err'
is "... leaves both traces" "$(barriers two.trace) $(barriers two.trace-2)" "4 6"
is "... and says where" "$(said | sed 's/ [0-9]* calls.*//')" \
    "mpgtrace: two.trace: 1 rank,
mpgtrace: two.trace-2: 2 ranks,"
# The inner job does not see the outer one's environment, because launchers may refuse to start a job from within
# another.
inner="env -i HOME=\"\$HOME\" PATH=\"\$PATH\" LD_PRELOAD=\"\$LD_PRELOAD\" MPGTRACE_OUTPUT=\"\$MPGTRACE_OUTPUT\" \
$(mpi_settings "$mpirun" root | tr '\n' ' ')$mpirun -np 1 ./app 7"
run 1 "$MPGTRACE" record -o outer.trace ./app run "$inner" 3
like "a program that starts an MPI program" "$(cat out)" "*ran: 0"
is "... keeps its trace, and the other is beside" \
    "$(barriers outer.trace) $(barriers outer.trace-2)" "3 7"
inner=${inner/.\/app/$MPGTRACE record -o $tmp/outer.trace .\/app}
run 1 "$MPGTRACE" record --force -o outer.trace ./app run "$inner" 8
is "... also by record into the same folder" \
    "$(barriers outer.trace) $(barriers outer.trace-2) $(barriers outer.trace-3)" "8 7 7"

# start NAME FILE N: starts a job that records both.trace and whose rank 0 waits for FILE; its output goes to NAME.
start() {
    timeout -k 5 600 $mpirun -np 2 "$MPGTRACE" record --quiet ${4-} -o both.trace ./app wait "$2" "$3" \
        >"$1" 2>&1 </dev/null &
    for _ in $(seq 3000); do
        grep -q waits "$1" && return
        sleep 0.02
    done
    return 1
}
ok "a job that runs" start first go 11
run 2 "$MPGTRACE" record -o both.trace ./app 12
ok "... a second into its folder fails" test $? -ne 0
ok "... one with --force does not" start second go 13 --force
touch go
wait
ok "... and their files do not mix" eval '"$MPGTRACE" stat both.trace >out && [ "$(barriers both.trace)" = 13 ]'
ok "... of which the first is told" grep -q "mpgtrace: rank [01]: .*both.trace/.* removed" first
ok "programs linked with the tracer" $mpicc -o linked app.c -L"$tracer_folder" "-l$link" \
    -Wl,-rpath,"$tracer_folder"
pids=
for n in 1 2 3 4; do
    MPGTRACE_OUTPUT=$tmp/l.trace timeout -k 5 600 $mpirun -np 2 ./linked $n >/dev/null 2>&1 </dev/null &
    pids="$pids $!"
done
wait $pids
is "... at the same time: each has a folder" "$(for f in l.trace*; do barriers "$f"; done | sort | xargs)" "1 2 3 4"

# --- the advice in messages works as written ---
mkdir "of two's"
run 1 "$MPGTRACE" record -o "of two's/a trace" ./app 3
advice=$(said | sed -nE "s/.*'(mpgtrace stat .*)' shows it/\1/p")
is "a name with blanks and quotes is written for the shell" "$advice" "mpgtrace stat of\\ two\\'s/a\\ trace"
like "... and can be given so" "$(eval "\"\$MPGTRACE\" ${advice#mpgtrace }")" "*MPI_Barrier*"
if two_programs "$mpirun"; then
    timeout 600 $mpirun -np 1 "$MPGTRACE" record -o "part 1" ./app 2 : -np 1 "$MPGTRACE" record -o part2 ./app 2 2>err
    like "parts of a run with folders of their own are named" "$(said)" "*part 1, part2: 2 ranks, * in folders of their own; 'cat *"
    eval "$(said | sed -nE "s/.*'(cat .*)' makes .*/\1/p")"
    is "... and the command makes one trace of them" "$(barriers all.mpgt)" 2
else
    skip "parts of a run with folders of their own" "the launcher cannot start two programs"
fi

# --- other users ---
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && id nobody >/dev/null 2>&1; then
    chmod 755 "$tmp"
    as_nobody() {
        setpriv --reuid nobody --clear-groups "$@"
    }
    echo precious >precious && chmod 666 precious
    mkdir theirs && chown nobody theirs && chmod 1777 theirs
    as_nobody ln -s "$tmp/precious" theirs/rank-0.mpgt
    as_nobody ln -s "$tmp/precious" theirs/rank-1.window.mpgt
    as_nobody ln -s "$tmp" theirs/spawned-0
    run 2 "$MPGTRACE" record -o theirs ./app 2
    ok "another's folder with links in the place of files is refused" test $? -ne 0
    run 2 "$MPGTRACE" record --force -o theirs ./app 2
    ok "... with --force, too" test $? -ne 0
    like "... which says why" "$(said)" "*theirs/*"
    ok "linked with the tracer" env MPGTRACE_OUTPUT="$tmp/theirs" timeout 600 $mpirun -np 2 ./linked 2 2>err
    is "... nothing that links lead to is touched" "$(cat precious) $(cd theirs && echo *)" \
        "precious rank-0.mpgt rank-1.window.mpgt spawned-0"
    is "... the trace is beside" "$(barriers theirs-2)" 2
    mkdir their2 && chown nobody their2
    as_nobody cp a.trace/rank-0.mpgt their2/ 2>&-
    chown nobody their2/rank-0.mpgt 2>&-
    "$MPGTRACE" record --force -o their2 ./app 1 2>err
    like "--force does not remove other users' files" "$(said)" "*belongs to another user"
    mkdir locked && chmod 555 locked
    if as_nobody test -x "$MPGTRACE" && as_nobody ./app 1 >out 2>&1; then
        as_nobody "$MPGTRACE" record -o locked/a.trace ./app 1 2>err
        is "a folder that cannot be made: the program runs, and it is said" "$?: $(said)" \
            "0: mpgtrace: $tmp/locked/a.trace: Permission denied; 1 of 1 ranks run untraced"
    else
        skip "a folder that cannot be made" "another user cannot run the build's programs"
    fi
else
    skip "folders of other users" "not root, or no setpriv"
fi
# --- files of two runs in the same folder ---
for kind in '' --profile; do
    for k in 1 2; do
        rm -rf "mixed-$k.trace"
        # shellcheck disable=SC2086 # or none
        ok "run $k $kind" run 2 "$MPGTRACE" record --quiet $kind -o "mixed-$k.trace" ./app 3
    done
    cp mixed-1.trace/rank-1.*mpgt mixed-2.trace/
    "$MPGTRACE" stat mixed-2.trace >out 2>err
    is "a rank of another run is an error $kind" "$? $(sed 's/.*: the files/the files/' err)" "1 the files of two runs were mixed"
done

done_testing
