#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Re-enactment with a region balanced: rank 0 takes what comes first then, or what came first in the trace (TAP).
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
if [ "${MPGKIT_MPI:-yes}" = yes ]; then
    run 4 "$mpgreplay" --suppose='resize factor=2' none.trace
    ok "what is sent cannot be supposed to be otherwise" failed "mpgreplay: 'resize factor=2': computation alone *"
    run 4 "$mpgreplay" --suppose='balance' none.trace
    ok "a hypothesis that is none" failed "mpgreplay: --suppose: 'balance': *"
    run 4 "$mpgreplay" --hypothesis=none.hyp none.trace
    ok "no file" failed "mpgreplay: --hypothesis: none.hyp*"
fi
needs_mpi
waitany=$build/examples/silas/waitany
[ -x "$waitany" ] || skip_all "no examples/silas/waitany"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized program cannot be traced by preloading"

# order TRACE: whose messages rank 0's Waitany completed, in their order
order() {
    "$mpgtrace" print "$1" | awk '
        $1 != 0 { next }
        { delete value; for (i = 5; i <= NF; i++) { split($i, word, "="); value[word[1]] = word[2] } }
        $4 == "Irecv" { from[value["request"]] = value["from"] }
        $4 == "Waitany" { print from["done" in value ? value["done"] : value["requests"]] }'
}

ok "a program whose workers come one after the other" recorded 4 waitany.trace "$waitany" 5
order waitany.trace >as_it_was
is "... of whom rank 0 takes 15 messages" "$(wc -l <as_it_was)" 15
ok "balanced" recorded 4 free.trace "$mpgreplay" --quiet --elapse=sleep --suppose='balance foo' waitany.trace
order free.trace >free
is "... whoever comes first, each is taken as often" "$(sort free)" "$(sort as_it_was)"
ok "... all else is as it was" as_before waitany.trace free.trace chosen=1
ok "balanced, deterministic" recorded 4 kept.trace "$mpgreplay" --quiet --elapse=sleep --deterministic \
    --suppose='balance foo' waitany.trace
order kept.trace >kept
ok "... they are taken in the same order" cmp as_it_was kept
run 4 "$mpgreplay" --suppose='balance nothing' waitany.trace
ok "a region that is not there" failed "mpgreplay: *'balance nothing'*"
echo 'scale foo factor=0.5 # as fast again' >half.hyp
ok "from a file" run 4 "$mpgreplay" --elapse=sleep --hypothesis=half.hyp waitany.trace
done_testing
