#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# MPI_THREAD_MULTIPLE (tests/trace/pmpi/threads.c) under the tracer (TAP).
set -u
. "$(dirname "$0")/traced.sh"
[ -x "$build/tests/trace/pmpi/threads" ] || skip_all "no tests/trace/pmpi/threads"

# Open MPI 6.0.0rc2 (Debian forky) ends in endless waits and segmentation faults here.
# shellcheck disable=SC2086 # mpirun may have arguments
timeout -k 5 60 $mpirun -np 4 "$build/tests/trace/pmpi/threads" >untraced 2>&1 </dev/null ||
    skip_all "this MPI fails untraced with MPI_THREAD_MULTIPLE"

# recorded TRACE OPTION...: records the program threads with 4 ranks.
recorded() {
    local trace=$1
    shift
    traced 4 "$trace" "$@" "$build/tests/trace/pmpi/threads"
}

# agrees TRACE: checks that each rank's threads together have the numbers of calls that the rank printed.
agrees() {
    "$MPGTRACE" print "$1" >text || return
    awk 'NR == FNR { if ($3 > 0) said[$1 " " $2] = $3; next }
         /^#/ { next }
         { split($1, r, "."); key = r[1] " " $4; if (key in said) said[key]-- }
         END { for (key in said) if (said[key] != 0) { print "# " key ": " said[key]; bad = 1 } exit bad }' \
        out text
}

# complete TRACE: checks that every request of a rank completes once, in any of its threads.
complete() {
    "$MPGTRACE" print "$1" | awk '/^#/ { next }
        { split($1, r, ".") }
        $4 ~ /^I(send|recv)$/ { sub(/.*request=/, ""); posted[r[1] " " $1]++ }
        $4 == "Waitall" { sub(/.*requests=/, ""); sub(/ .*/, ""); n = split($0, ids, ",")
                          for (i = 1; i <= n; i++) done[r[1] " " ids[i]]++ }
        END { for (key in posted) if (posted[key] != 1 || done[key] != 1) { bad = 1 }
              for (key in done) if (posted[key] != 1) bad = 1
              exit bad || n == 0 }'
}

# freed TRACE: checks that each window and file is created and then freed, once.
freed() {
    "$MPGTRACE" print "$1" | awk '/^#/ { next }
        { split($1, r, "."); key = "" }
        $4 ~ /^(Win|File)_/ { match($0, /(win|file)=[0-9]+/); key = r[1] " " substr($0, RSTART, RLENGTH) }
        $4 ~ /^(Win_allocate|File_open)$/ { bad = bad || made[key]++; n++ }
        $4 ~ /^(Win_free|File_close)$/ { bad = bad || made[key] != 1 || gone[key]++; n-- ; all++ }
        END { if (n) print "# " n " not freed"; exit bad || n != 0 || all != 800 }'
}

ok "it runs under the tracer" recorded a.trace
is "the tracer says nothing" "$(cat err)" ""
ok "every call is recorded once" agrees a.trace
ok "requests are the rank's, not the thread's" complete a.trace
is "threads that ended left their streams to the next" \
    "$(ls a.trace | grep -c '^rank-0')" 3
is "but not those that came and went within its first call" \
    "$("$MPGTRACE" print a.trace | awk '$1 ~ /^0/ && $4 ~ /^(Reduce_local|Iprobe)$/ { print $1 }' |
        sort -u | wc -l)" 2
ok "windows and files are told apart by who has their handle now" freed a.trace
ok "a small window" recorded b.trace --buffer 4KiB
ok "... loses nothing" agrees b.trace
ok "with CPU time" recorded c.trace --cpu-time
ok "... every call is recorded once" agrees c.trace
ok "mpgsim follows it" sh -c '"$1" --absorb=none --per-rank a.trace >table' sh "$MPGSIM"
is "... and nothing changes by itself" "$(awk 'NR > 1 && $3 != 0' table)" ""
done_testing
