#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that involve nobody (tests/trace/pmpi/local.c), traced (TAP): all are counted and timed,
# recorded one by one or aggregated, however the program ends; and what mpgsim says of them is the
# same. MPGKIT_KILLS says how many programs are killed at a random moment.
set -u
. "$(dirname "$0")/traced.sh"
local=$build/tests/trace/pmpi/local
kills=${MPGKIT_KILLS:-10}
[ -x "$local" ] || skip_all "no tests/trace/pmpi/local"
ulimit -c 0

# wtimes TRACE: prints the number of each rank's calls of MPI_Wtime.
wtimes() {
    "$MPGTRACE" print "$1" | awk '
        !/^#/ && $4 == "Wtime" {
            n = 1
            for (i = 5; i <= NF; i++)
                if (split($i, word, "=") == 2 && word[1] == "calls")
                    n = word[2]
            split($1, r, ".")
            sum[r[1]] += n
        }
        END { for (k in sum) printf "rank %d: %d\n", k, sum[k] }' | sort
}
# exact TRACE: succeeds if the printed text, opened or imported as a trace, prints as the same text.
exact() {
    "$MPGTRACE" print "$1" >exact.txt && "$MPGTRACE" print exact.txt | cmp - exact.txt &&
        rm -rf again.trace && "$MPGTRACE" import --text=exact.txt -o again.trace &&
        "$MPGTRACE" print again.trace | cmp - exact.txt
}
# by_stat TRACE: prints the number of calls of MPI_Wtime by mpgtrace stat.
by_stat() {
    "$MPGTRACE" stat "$1" | awk '$1 == "MPI_Wtime" { print $2 }'
}
# counted NAME: checks that t.trace has the numbers of calls that the program prints.
counted() {
    is "$1: the calls are those that were made" "$(wtimes t.trace)" "$(grep '^rank' out | sort)"
    is "... and in stat" "$(by_stat t.trace)" "$(awk '/^rank/ { n += $3 } END { print n }' out)"
    ok "... the text is exact" exact t.trace
}
# run HOW OPTION...: records two ranks of the program as t.trace.
run() {
    local how=$1
    shift
    rm -rf t.trace
    traced 2 t.trace "$@" "$local" "$how"
}

for how in rounds places exit kill wrong; do
    for options in "" "--buffer=4KiB --callsites=0" --cpu-time --no-local "--no-local --buffer=4KiB"; do
        # shellcheck disable=SC2086
        run $how $options
        counted "$how $options"
    done
done
rm -rf t.trace
# shellcheck disable=SC2086 # mpirun may have arguments
timeout -k 5 600 $mpirun -np 2 "$MPGTRACE" record -o t.trace "$local" rounds >out 2>err
is "the line in the end counts what stat counts" \
    "$(sed -n 's/^mpgtrace: t.trace: 2 ranks, \([0-9]*\) calls.*/\1/p' err)" \
    "$("$MPGTRACE" stat t.trace | awk '$1 == "calls" { print $2 + 0 }')"
run threads
if [ $? = 77 ]; then
    skip "threads" "MPI is without MPI_THREAD_MULTIPLE"
else
    counted threads
    like "... of several threads" "$("$MPGTRACE" stat t.trace)" "*threads  *made calls*"
fi
run wrong
is "calls that fail are recorded as such, those made inside a local call not at all" \
    "$("$MPGTRACE" print t.trace | awk '
        $4 == "Comm_rank" && / failed/ { failed++ }
        $4 == "Comm_size" { sizes += match($0, / calls=[0-9]+/) ? substr($0, RSTART + 7, RLENGTH - 7) : 1 }
        END { print "failed", failed / 2, "sizes", sizes / 2 }')" "$(grep -m1 '^failed' out)"
run places
is "their callsites are their callers alone" \
    "$("$MPGTRACE" print t.trace | awk '/^#site/ { frames[$2] = NF - 3 } $4 == "Wtime" && match($0, / site=[0-9]+/) { print frames[substr($0, RSTART + 6, RLENGTH - 6)] }' | sort -u)" 1
ok "... others have stacks" eval '"$MPGTRACE" print t.trace | awk "/^#site/ && NF > 4 { n++ } END { exit !n }"'
run rounds
is "each rank measures its tracer's time in the run" \
    "$("$MPGTRACE" print t.trace | grep -c '^#fact [01] overhead_calls_ns [1-9]')" 2
run rounds --no-local
counted --no-local
is "--no-local: none is there by itself" \
    "$("$MPGTRACE" print t.trace | grep -E ' (Wtime|Comm_rank)' | grep -vc ' calls=')" 0
run rounds --local=0
is "... nor with --local=0" \
    "$("$MPGTRACE" print t.trace | grep -E ' (Wtime|Comm_rank)' | grep -vc ' calls=')" 0
run rounds --callsites=0 --local=3
counted --local=3
is "--local=3: three of each are" \
    "$("$MPGTRACE" print t.trace | grep -v ' calls=' | grep -cE ' (Wtime|Comm_rank)( |$)')" 12
run rounds --local=1000000000
counted --local=1000000000
is "--local=1000000000: all are" "$("$MPGTRACE" print t.trace | grep -c ' calls=')" 0
mv t.trace all.trace
mv out all.out
run rounds --profile
is "a profile counts them, too" "$("$MPGTRACE" stat t.trace | awk '/^MPI_Wtime/ { n += $2 } END { print n }')" \
    "$(awk '/^rank/ { n += $3 } END { print n }' out)"
"$MPGTRACE" record --no-local --local=2 "$local" >out 2>err
like "--no-local and --local=2 exclude each other" "$? $(head -n 1 err)" \
    "2 mpgtrace record: --no-local and --local=N exclude each other: --no-local means --local=0*"

# Aggregates the calls in the text of the same run: one line for each call, call site and region.
"$MPGTRACE" print all.trace | awk '
    function put(   i, n, key) {
        for (key in calls)
            print last[key], name[key], "calls=" calls[key], "time=" time[key], \
                "least=" least[key], "most=" most[key] site[key]
        split("", calls)
    }
    /^#/ || $4 !~ /^(Wtime|Comm_rank)$/ {
        if (!/^#/)
            put()
        print
        next
    }
    {
        key = $4 $5
        took = $3 - $2
        if (!(key in calls)) {
            calls[key] = time[key] = most[key] = 0
            least[key] = took
        }
        calls[key]++
        time[key] += took
        if (took < least[key]) least[key] = took
        if (took > most[key]) most[key] = took
        name[key] = $4
        site[key] = $5 == "" ? "" : " " $5
        last[key] = $1 " " $3 " " $3
    }' | awk '
    # Aggregated calls that were written at the same time are ordered by their end of the last call.
    /^#/ || !/ calls=/ { for (i = 1; i <= n; i++) print held[i]; n = 0; print; next }
    {
        for (i = ++n; i > 1; i--) {
            split(held[i - 1], before)
            if (before[2] <= $2)
                break
            held[i] = held[i - 1]
        }
        held[i] = $0
    }' | grep -v '^#fact [0-9]* overhead_sum_ns ' >summed.txt # each of them cost as much as a call here
ok "the calls of a trace can be aggregated" test "$(grep -c ' calls=' summed.txt)" -gt 500
is "... and are as many" "$(by_stat summed.txt)" "$(by_stat all.trace)"
"$MPGTRACE" stat all.trace | sed -n '/^region/,/^$/p' >all.regions
"$MPGTRACE" stat summed.txt | sed -n '/^region/,/^$/p' >summed.regions
ok "... with the same regions" cmp all.regions summed.regions
for perturbation in --noise=const:2.385us --latency=const:3.5us --compute-ratio=1.25; do
    for absorb in none wait clock; do
        "$MPGSIM" --absorb=$absorb $perturbation --per-rank all.trace >all.table
        "$MPGSIM" --absorb=$absorb $perturbation --per-rank summed.txt >summed.table
        ok "mpgsim --absorb=$absorb $perturbation: the same" cmp all.table summed.table
    done
done

# --- killed at a random time ---
wait_until() {
    local i
    for i in $(seq 12000); do
        "$@" && return
        sleep 0.01
    done
    echo "# not within two minutes: $*"
    return 1
}
asked() {
    od -An -v -w8 -t u8 -N 8 run.counts 2>/dev/null | tr -d ' '
}
has_begun() {
    [ "$(asked)" -gt 0 ] 2>/dev/null
}
gone() {
    ! grep -qs '^State:[[:space:]]*[^[:space:]ZX]' "/proc/$(cat run.pid)/status"
}
kill_one() {
    local launcher n
    rm -rf run.trace run.counts run.pid
    # shellcheck disable=SC2016,SC2086
    $mpirun -np 1 sh -c 'echo $$ >run.pid; exec "$@"' sh "$MPGTRACE" record -o run.trace \
        --buffer 4KiB "$local" run run.counts >out 2>err &
    launcher=$!
    wait_until has_begun || return
    sleep "0.$(printf %03d $((RANDOM % 300)))"
    kill -KILL "$(cat run.pid)"
    { wait $launcher; } 2>/dev/null
    wait_until gone || return
    n=$(wtimes run.trace | sed 's/.*: //')
    [ "$n" -ge "$(asked)" ] && [ "$n" -le $(($(asked) + 1)) ] && return
    echo "# $n are in the trace, $(asked) had returned"
    return 1
}
for i in $(seq "$kills"); do
    ok "killed at a random moment, $i" kill_one
done
done_testing
