#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that says itself what its trace must hold (tests/trace/pmpi/ways.c), recorded
# (TAP): the trace holds that, and simulated without perturbation it changes nothing.
set -u
. "$(dirname "$0")/traced.sh"
ways=$(realpath "$build/tests/trace/pmpi/ways" 2>/dev/null)
[ -x "$ways" ] || skip_all "no tests/trace/pmpi/ways"
mpi_set "$mpirun" files
shares_memory "$mpicc" "$mpirun" || export WAYS_APART=yes

# Calls of which only the times are recorded, and the tracer's own work.
others=$(sed -nE 's/^MPG_CALL\(([A-Za-z_]*), (OTHER|FLUSH|UNRECORDED),.*/\1/p' "$here/../../../trace/calls.def")
others=$(printf '%s\n' "$others" | sed 'p; s/$/_c/')

# recorded TRACE FOLDER: succeeds if TRACE's calls, with members in place of communicators and without unsuccessful
# tests, are those that the program wrote to FOLDER/RANK.expected.
recorded() {
    printed "$1" | awk -v folder="$2" -v others="$others" '
        BEGIN {
            for (n = split(others, other, "\n"); n > 0; n--)
                is_other[other[n]] = 1
        }
        /^#comm/ {
            name = ""
            for (i = 3; $i != "="; i++)
                ;
            for (i++; i <= NF; i++)
                name = name (name == "" || $i == "|" || $(i - 1) == "|" ? "" : ",") $i
            label["comm", $2] = label["newcomm", $2] = name (met[name]++ ? "#" met[name] - 1 : "")
            next
        }
        /^#window/ { label["win", $2] = label["comm", $4] "/" $5 }
        /^#file/ { label["file", $2] = label["comm", $4] "/" $5 }
        /^#/ || / done=( site=[0-9]+)?$/ || $4 in is_other { next }
        /^[0-9]+ [0-9]+ [0-9]+ Win_test .*found=0( |$)/ { next }
        /^[0-9]+ [0-9]+ [0-9]+ (Improbe|Parrived) .*found=0( |$)/ { next }
        {
            line = $4
            for (i = 5; i <= NF; i++) {
                split($i, word, "=")
                if (word[1] == "site")
                    continue
                if ((word[1], word[2]) in label)
                    $i = word[1] "=" label[word[1], word[2]]
                line = line " " $i
            }
            print line >(folder "/" $1 ".got")
        }'
    for rank in 0 1 2 3; do
        diff "$2/$rank.expected" "$2/$rank.got" >differences && continue
        head -n 20 differences | sed "s/^/# rank $rank: /"
        return 1
    done
}

# identity TRACE MODE: succeeds if without a perturbation no rank is delayed.
identity() {
    "$MPGSIM" --absorb="$2" --per-rank "$1" >table || return
    awk 'NR > 1 { for (i = 3; i <= NF; i++) bad = bad || $i != 0 } END { exit bad || NR != 5 || NF != 5 }' \
        table && return
    sed 's/^/# /' table
    return 1
}

mkdir plain traced small cut
# shellcheck disable=SC2086
timeout 600 $mpirun -np 4 "$ways" all plain >/dev/null
is "the program runs without the tracer" $? 0
ok "it runs under the tracer" traced 4 a.trace "$ways" all traced
is "it says the same" "$(sort out)" "$(printf 'rank %d: 0 errors\n' 0 1 2 3)"
ok "the trace is what it says" recorded a.trace traced
"$MPGTRACE" print a.trace >a.txt
ok "the trace's text is a trace" test "$("$MPGTRACE" print a.txt | md5sum)" = "$(md5sum <a.txt)"
for mode in none wait clock; do
    ok "--absorb=$mode: no delay from nothing" identity a.trace $mode
done

ok "messages longer than their receives" traced 4 c.trace "$ways" cut cut
ok "the trace is what the program says" recorded c.trace cut
"$MPGSIM" c.trace >out 2>err
like "mpgsim says which" "$?: $(cat err)" "1: mpgsim: c.trace: rank [0-3], call *is too small for*"

ok "with a small buffer" traced 4 b.trace --buffer 4KiB "$ways" all small
ok "the trace is the same" recorded b.trace small

ok "a long program" traced 2 long.trace --buffer 64KiB "$ways" long
is "every call of many chunks" \
    "$("$MPGTRACE" print long.trace | awk '!/^#/ { n[$4]++ } END { print n["Allreduce"], n["Send"] }')" \
    "2000 400000"

# The other rank is killed by MPI.
traced 2 abort.trace --buffer 4KiB "$ways" abort
is "MPI_Abort: the exit status" $? 5
ok "MPI_Abort: stat reads what there is" sh -c '"$1" stat abort.trace >out' sh "$MPGTRACE"
like "MPI_Abort: stat says that it is incomplete" "$(cat out)" "*without MPI_Init or MPI_Finalize*incomplete  rank 1: MPI_Abort*"
"$MPGSIM" abort.trace >out 2>err
like "MPI_Abort: mpgsim says where" "$?: $(cat err)" "1: mpgsim: abort.trace: rank 1: its trace is incomplete: MPI_Abort*"

if [ "$(id -u)" -ne 0 ]; then
    mkdir locked
    chmod 555 locked
    traced 1 locked "$ways" short
    like "a folder that must not be written" "$?: $(cat err)" "0: mpgtrace: *denied; 1 of 1 ranks run untraced"
else
    skip "a folder that must not be written" "root may write everything"
fi
mkdir full
if mount -t tmpfs -o size=128k tmpfs full 2>/dev/null; then
    traced 2 full/a.trace --buffer 16KiB "$ways" long
    is "a disk that fills: the program's exit status" $? 0
    is "... its output" "$(cat out)" "the program's own words"
    is "... is told once a rank" "$(grep -c '^mpgtrace: rank [01]: .*No space left on device' err)" 2
    ok "... and what was recorded can be read" sh -c '"$1" stat full/a.trace >out' sh "$MPGTRACE"
    like "... as far as it goes" "$(cat out)" "*2 without MPI_Init or MPI_Finalize*MPI_Send *"
    umount full
else
    skip "a disk that fills" "cannot mount a small disk"
fi
done_testing
