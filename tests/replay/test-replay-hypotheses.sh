#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Re-enactment with a region balanced: rank 0 takes what comes first then, or what came first in the trace (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
if [ "${MPGKIT_MPI:-yes}" = yes ]; then
    run 4 "$mpgreplay" --hypothesis='balance' none.trace
    ok "a hypothesis that is none" failed "mpgreplay: --hypothesis: 'balance': *"
    run 4 "$mpgreplay" --hypothesis=none.hyp none.trace
    ok "no file" failed "mpgreplay: --hypothesis: none.hyp*"
fi
needs_mpi
waitany=$build/examples/silas/waitany
[ -x "$waitany" ] || skip_all "no examples/silas/waitany"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"

# order TRACE: prints the senders of the messages that rank 0's MPI_Waitany completed, in this order.
order() {
    "$mpgtrace" print "$1" | awk '
        $1 != 0 { next }
        { delete value; for (i = 5; i <= NF; i++) { split($i, word, "="); value[word[1]] = word[2] } }
        $4 == "Irecv" { from[value["request"]] = value["from"] }
        $4 == "Waitany" { print from["done" in value ? value["done"] : value["requests"]] }'
}

# ---- changed computation: the run takes at least its time ----
"$mpgtrace" import --text - -o short.trace <<'END'
#mpgtext 1
#ranks 1
0 0 1000 Init
0 2000 2000 Region_begin name="here"
0 2000 2000 Region_end name="here"
0 3000 3000 Region_begin name="here"
0 3000 3000 Region_end name="here"
0 4000 4010 Finalize
END
ok "a computation of 20 ms is inserted, twice" recorded 1 longer.trace "$mpgreplay" --quiet \
    --hypothesis='insert here time=20ms' short.trace
is "... and takes that at least" "$("$mpgtrace" print longer.trace | awk '$4 ~ /^Init/ { begin = $3 }
    $4 == "Finalize" { print ($2 - begin >= 40e6 ? "yes" : $2 - begin) }')" yes

# ---- changed messages and collectives: compared with the program changed in the same way ----
changed=$build/tests/replay/changed
ok "a program of messages and collectives" recorded 4 changed.trace "$changed"
# as_changed NAME ARGUMENT [HYPOTHESIS]...: checks that the original trace, re-enacted with the hypotheses, has the same
# communication as the program run with ARGUMENT (except for names of calls).
as_changed() {
    local name=$1 argument=$2 hypothesis options=()
    shift 2
    rm -rf other.trace same.trace
    for hypothesis; do options+=(--hypothesis="$hypothesis"); done
    ok "$name" recorded 4 other.trace "$changed" "$argument"
    ok "... is what becomes of the other one" recorded 4 same.trace "$mpgreplay" --quiet --patience=20s \
        "${options[@]}" changed.trace
    ok "... which communicates the same" as_before other.trace same.trace
}
as_changed "longer messages" halo=2.385 'resize tag=5 factor=2.385'
as_changed "shorter ones" halo=0.385 'resize tag=5 factor=0.385'
as_changed "smaller collectives" sums=0.3 'resize call=Allreduce factor=0.3' 'resize call=Alltoallv factor=0.3' \
    'resize call=Gatherv factor=0.3' 'resize call=Scatterv factor=0.3'
as_changed "without barriers, and messages of a tag" quiet 'drop call=Barrier' 'drop tag=9'
run 4 "$mpgreplay" --hypothesis='drop tag=9' changed.trace
like "... it says how many calls were not made" "$(cat out)" "*
54           calls were removed by hypotheses*"
run 4 "$mpgreplay" --hypothesis='resize call=Scatterv bytes=7' changed.trace
ok "bytes of a Scatterv" failed "mpgreplay: *rank ?, call *: no support for changes of MPI_Scatterv by bytes= (use factor=): 'resize *"
run 4 "$mpgreplay" --hypothesis='drop tag=77' changed.trace
ok "nothing is there" failed "mpgreplay: 'drop tag=77': selects no message*"
run 4 "$mpgreplay" --hypothesis='resize call=Allreduce bytes=10' --hypothesis='resize bytes=96-96 factor=2' changed.trace
ok "two that contradict each other" failed "mpgreplay: *contradict each other*"

"$mpgtrace" import --text - -o near.trace <<'END'
#mpgtext 1
#ranks 2
#comm 1 of 0 = 0 1
#topology 0 1 = 1 > 1
#topology 1 1 = 0 > 0
0 0 100 Init
0 1000 1100 Dist_graph_create_adjacent comm=0 newcomm=1
0 2000 2100 Neighbor_allgather comm=1 bytes=8
0 3000 3100 Finalize
1 0 100 Init
1 1000 1100 Dist_graph_create_adjacent comm=0 newcomm=1
1 2000 2100 Neighbor_allgather comm=1 bytes=8
1 3000 3100 Finalize
END
run 2 "$mpgreplay" --hypothesis='resize bytes=8-8 factor=2' near.trace
ok "what neighbours send" failed "mpgreplay: near.trace: rank ?, call 2: no support for changes of neighbourhood collectives*"

# ---- changed one-sided transfers: compared with a trace whose lines are changed in the same way ----
cat >windows.txt <<'END'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
#window 0 = 0 0
0 0 100 Init
0 1000 1100 Win_create comm=0 win=0 bytes=4096
0 2000 2100 Win_fence win=0
0 2200 2210 Put win=0 to=1 bytes=40
0 2300 2310 Get win=0 to=1 recvbytes=24
0 2400 2500 Win_fence win=0
0 3000 3010 Win_lock win=0 to=1
0 3100 3110 Put win=0 to=1 bytes=30
0 3200 3210 Win_flush win=0 to=1
0 3300 3310 Accumulate win=0 to=1 bytes=16
0 3400 3410 Win_unlock win=0 to=1
0 3500 3510 Win_lock_all win=0
0 3600 3610 Rget win=0 to=1 bytes=0 recvbytes=56 request=1
0 3700 3710 Wait requests=1
0 3750 3760 Rput win=0 to=0 bytes=77 request=2
0 3800 3810 Wait requests=2
0 3900 3910 Win_unlock_all win=0
0 5000 5100 Win_free win=0
0 6000 6100 Finalize
1 0 100 Init
1 1000 1100 Win_create comm=0 win=0 bytes=4096
1 2000 2100 Win_fence win=0
1 2200 2210 Put win=0 to=0 bytes=110
1 2400 2500 Win_fence win=0
1 5000 5100 Win_free win=0
1 6000 6100 Finalize
END
"$mpgtrace" import --text windows.txt -o windows.trace || exit 1
# transfers NAME SED HYPOTHESIS...: checks that windows.trace, re-enacted with the hypotheses, equals windows.txt
# changed by the script SED.
transfers() {
    local name=$1 change=$2 hypothesis options=()
    shift 2
    rm -rf other.trace same.trace
    for hypothesis; do options+=(--hypothesis="$hypothesis"); done
    sed "$change" windows.txt | "$mpgtrace" import --text - -o other.trace || exit 1
    ok "transfers, $name" recorded 2 same.trace "$mpgreplay" --quiet --patience=20s "${options[@]}" windows.trace
    ok "... as the trace changed so" as_before other.trace same.trace
}
transfers "as they were" ''
transfers "longer" 's/bytes=40$/bytes=95/; s/bytes=30$/bytes=72/; s/bytes=110$/bytes=262/' 'resize call=Put factor=2.385'
transfers "both ways, to a rank" 's/bytes=24$/bytes=9/; s/bytes=56 /bytes=22 /; s/bytes=16$/bytes=6/; s/bytes=40$/bytes=15/
    s/bytes=30$/bytes=12/' 'resize to=1 factor=0.385'
transfers "of so many bytes, and others dropped" 's/bytes=77 /bytes=13 /; / Accumulate /d' 'resize call=Rput bytes=13' \
    'drop call=Accumulate'
transfers "dropped, with what waits for their requests: flushes and locks stay" '/ Put /d; / Rget /d; /requests=1$/d' \
    'drop call=Put' 'drop call=Rget'
run 2 "$mpgreplay" --hypothesis='drop call=Win_unlock' windows.trace
ok "an epoch" failed "mpgreplay: *no support for changes of neighbourhood collectives, partitioned messages and window epochs: 'drop *"

ok "a program whose workers come one after the other" recorded 4 waitany.trace "$waitany" 5
order waitany.trace >as_it_was
is "... of whom rank 0 takes 15 messages" "$(wc -l <as_it_was)" 15
ok "balanced" recorded 4 free.trace "$mpgreplay" --quiet --elapse=sleep --hypothesis='balance foo' waitany.trace
order free.trace >free
is "... whoever comes first, each is taken as often" "$(sort free)" "$(sort as_it_was)"
ok "... all else is as it was" as_before waitany.trace free.trace chosen=1
ok "balanced, deterministic" recorded 4 kept.trace "$mpgreplay" --quiet --elapse=sleep --deterministic \
    --hypothesis='balance foo' waitany.trace
order kept.trace >kept
ok "... they are taken in the same order" cmp as_it_was kept
run 4 "$mpgreplay" --hypothesis='balance nothing' waitany.trace
ok "a region that is not there" failed "mpgreplay: *'balance nothing'*"
echo 'scale foo factor=0.5 # as fast again' >half.hyp
ok "from a file" run 4 "$mpgreplay" --elapse=sleep --hypothesis=half.hyp waitany.trace
done_testing
