#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --from and --until (TAP): parts of made-up traces whose events, times and answers are known by hand; parts of a recorded run.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR=$tmp

# events OPTION... TRACE: prints the events of the part.
events() {
    "$MPGTRACE" print "$@" 2>/dev/null | grep '^[0-9]'
}

# said OPTION... TRACE: prints what mpgtrace print says on standard error.
said() {
    # shellcheck disable=SC2069 # standard error alone
    "$MPGTRACE" print "$@" 2>&1 >/dev/null
}

cat >"$tmp/a.txt" <<'END'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
0 1000 1000 Region_begin name="step"
0 2000 2100 Isend comm=0 to=1 tag=7 bytes=64 request=1
0 2200 2300 Send comm=0 to=1 tag=7 bytes=8
0 3000 5000 Allreduce comm=0 bytes=8
0 5000 5000 Region_end name="step"
0 5000 5000 Region_begin name="step"
0 6000 6100 Wait requests=1 done=1
0 6500 6600 Send comm=0 to=1 tag=7 bytes=16
0 7000 7500 Recv comm=0 from=1 tag=1 bytes=100
0 7600 7600 Region_end name="step"
0 8000 9000 Finalize
1 0 1000 Init
1 1000 1000 Region_begin name="step"
1 2000 2400 Recv comm=0 from=0 tag=7 bytes=64
1 4000 5000 Allreduce comm=0 bytes=8
1 5000 5000 Region_end name="step"
1 5000 5000 Region_begin name="step"
1 5200 5400 Recv comm=0 from=0 tag=7 bytes=8
1 5500 6700 Recv comm=0 from=0 tag=7 bytes=16
1 7000 7400 Send comm=0 to=0 tag=1 bytes=100
1 7600 7600 Region_end name="step"
1 8000 9000 Finalize
END
cd "$tmp" || exit 1

second='0 5000 5000 Init
0 5000 5000 Region_begin name="step"
0 6000 6100 Wait requests= done=
0 6500 6600 Send comm=0 to=1 tag=7 bytes=16
0 7000 7500 Recv comm=0 from=1 tag=1 bytes=100
0 7600 7600 Region_end name="step"
0 8000 9000 Finalize
1 5000 5000 Init
1 5000 5000 Region_begin name="step"
1 5200 5400 Recv comm=0 from=null tag=7 bytes=8
1 5500 6700 Recv comm=0 from=0 tag=7 bytes=16
1 7000 7400 Send comm=0 to=0 tag=1 bytes=100
1 7600 7600 Region_end name="step"
1 8000 9000 Finalize'
is "from a region's second visit: a message whose send is before has no partner" "$(events --from=step:2 a.txt)" "$second"
is "from the time of the visit: the same" "$(events --from=4us a.txt)" "$second"
{ grep -v -e Finalize -e '^1 7600' a.txt; echo "#died 0 Barrier 7700"; echo "#died 1 Barrier 7420"; } >dead.txt
deaths() {
    "$MPGTRACE" print "$@" 2>/dev/null | grep '^#died' | paste -sd,
}
is "ranks that die in the part" "$(deaths --from=4us dead.txt)" "#died 0 Barrier 7700,#died 1 Barrier 7420"
is "... of which one has called its last call before" "$(deaths --from=6.45us dead.txt)" "#died 0 Barrier 7700,#died 1"
is "... that die after the part" "$(deaths --until=4us dead.txt)" ""
like "stat says who died in the part" "$("$MPGTRACE" stat --from=4us dead.txt)" "*died        rank 0 inside MPI_Barrier*died        rank 1 inside MPI_Barrier*"
like "waits refuses the part, but for --lenient" "$("$MPGTRACE" waits --from=4us dead.txt 2>&1 >out)" "*rank 0 was killed or ended inside MPI_Barrier*--lenient*"
is "the line counts what crosses the edges" "$(said --from=step:2 a.txt)" \
    "mpgtrace print: a.txt: excerpt from step:2; 1 message and 0 collectives cross its edges and are left out"
is "up to a region's end: open requests are completed there" "$(events --until=step a.txt)" '0 0 1000 Init
0 1000 1000 Region_begin name="step"
0 2000 2100 Isend comm=0 to=1 tag=7 bytes=64 request=1
0 2200 2300 Send comm=0 to=null tag=7 bytes=8
0 3000 5000 Allreduce comm=0 bytes=8
0 5000 5000 Waitall requests=1
0 5000 5000 Region_end name="step"
0 5000 5000 Finalize
1 0 1000 Init
1 1000 1000 Region_begin name="step"
1 2000 2400 Recv comm=0 from=0 tag=7 bytes=64
1 4000 5000 Allreduce comm=0 bytes=8
1 5000 5000 Region_end name="step"
1 5000 5000 Finalize'
is "calls in progress at an edge are cut there" "$(events --from=3.5us --until=6.2us a.txt | sed -n '3p;6,9p;13p')" \
    '0 4500 5000 Allreduce comm=0 bytes=8
0 6000 6100 Wait requests= done=
0 6500 6600 Send comm=0 to=1 tag=7 bytes=16
0 7000 7200 Recv comm=0 from=1 tag=1 bytes=100
0 7200 7200 Region_end name="step"
1 4500 5000 Allreduce comm=0 bytes=8'
is "a collective that a member ends before the edge is local, and no error of the call" \
    "$(sed 's/^0 3000 5000 All/0 3000 3500 All/' a.txt | "$MPGTRACE" stat --from=3us - | grep -E '^(run|excerpt|failed|MPI_Allr)')" \
    "run time    4 us (longest rank, within the excerpt)
excerpt     from 3us; 1 message and 1 collective cross its edges and are left out
MPI_Allreduce                       1         1 us  12.50 %                          "

# --- the answers ---

is "the whole run is its own excerpt" "$(events --from=0s --until=1000s a.txt)" "$(events a.txt)"
is "waits of a part" "$("$MPGTRACE" waits --csv --from=3.5us --until=6.2us a.txt 2>said | cut -d, -f1-4)" \
    "$(events --from=3.5us --until=6.2us a.txt >b; (sed 4q a.txt; cat b) >part.txt; "$MPGTRACE" waits --csv part.txt | cut -d, -f1-4)"
is "its line is on standard error" "$(cut -d' ' -f1-4 said)" "mpgtrace waits: a.txt: excerpt"
for command in efficiency critical-path matrix sizes timeline; do
    is "mpgtrace $command of a part" "$("$MPGTRACE" $command --from=3.5us --until=6.2us a.txt 2>&1 >out1 | cut -d' ' -f1-4)" \
        "mpgtrace $command: a.txt: excerpt"
    "$MPGTRACE" $command part.txt >out2
    sed 's/part.txt/a.txt/' out2 | diff - out1 >difference || sed 's/^/# /' difference
    ok "mpgtrace $command: as of the part's text" test ! -s difference
done
is "mpgtrace compare of a part" "$("$MPGTRACE" compare --from=step:2 a.txt a.txt 2>&1 | grep -c 'mpgtrace compare: a.txt: excerpt')" 2
ok "mpgtrace export writes a part" "$MPGTRACE" export --from=3.5us --until=6.2us -o kept.trace a.txt
is "the written part" "$(events kept.trace)" "$(cat b)"
if [ -x "$MPGSIM" ]; then
    for mode in "--perturb --latency=const:100ns" "--predict --latency=const:1us"; do
        # shellcheck disable=SC2086 # options
        is "mpgsim ${mode%% *} of a part" "$("$MPGSIM" $mode --json --from=3.5us --until=6.2us a.txt 2>said | grep -v '^ *"excerpt": "from')" \
            "$("$MPGSIM" $mode --json part.txt | sed 's/part.txt/a.txt/')"
    done
    is "mpgsim says so" "$(cut -d' ' -f1-3 said)" "mpgsim: a.txt: excerpt"
    is "mpgsim's JSON says so" "$("$MPGSIM" --json --from=3.5us --until=6.2us a.txt 2>/dev/null | grep -c '"excerpt": "from 3.5us')" 1
    is "mpgsim's text says so" "$("$MPGSIM" --from=3.5us --until=6.2us a.txt 2>&1 | grep -c '^excerpt: from 3.5us')" 1
fi

# --- persistent requests, matched messages, threads ---

cat >p.txt <<'END'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 10 Init
0 20 30 Send_init comm=0 to=1 tag=0 bytes=5 persistent=1
0 40 50 Start persistent=1 requests=1
0 60 70 Wait requests=1
0 120 130 Start persistent=1 requests=2
0 140 150 Wait requests=2
0 160 170 Send comm=0 to=1 tag=9 bytes=3
0 900 910 Finalize
1 0 10 Init
1 20 90 Mprobe comm=0 from=0 tag=0 bytes=5 message=1
1 110 115 Mrecv comm=0 from=0 tag=0 bytes=5 message=1
1 200 210 Recv comm=0 from=0 tag=0 bytes=5
1 220 230 Mprobe comm=0 from=0 tag=9 bytes=3 message=2
1 300 310 Mrecv comm=0 from=0 tag=9 bytes=3 message=2
1 900 910 Finalize
END
is "persistent requests are made again, messages matched before are not received" "$(events --from=90ns --until=240ns p.txt)" \
    "0 100 100 Init
0 100 100 Send_init comm=0 to=1 tag=0 bytes=5 persistent=1
0 120 130 Start persistent=1 requests=2
0 140 150 Wait requests=2
0 160 170 Send comm=0 to=1 tag=9 bytes=3
0 250 250 Finalize
1 100 100 Init
1 110 115 Mrecv comm=0 from=null tag=0 bytes=5
1 200 210 Recv comm=0 from=0 tag=0 bytes=5
1 220 230 Mprobe comm=0 from=0 tag=9 bytes=3 message=2
1 250 250 Mrecv comm=0 from=0 tag=9 bytes=3 message=2
1 250 250 Finalize"

# Thread 0 is in a call from before the begin, during which thread 1 begins and ends regions and makes requests: what is open at the
# begin is open in the part, whichever thread's events are read first. --from counts from the end of MPI_Init.
printf '%s\n' '#mpgtext 1' '#ranks 1' '#clocks shared' '#comm 0 = 0' '0 0 0 Init' '0.1 5 5 Region_begin name="old"' \
    '0 10 90 Recv comm=0 from=0 tag=4 bytes=5' '0.1 20 20 Region_end name="old"' '0.1 20 20 Region_begin name="new"' \
    '0.1 22 23 Recv_init comm=0 from=0 tag=6 bytes=4 persistent=1' '0.1 25 30 Irecv comm=0 from=0 tag=5 bytes=5 request=1' \
    '0.1 60 70 Send comm=0 to=0 tag=4 bytes=5' '0.1 71 72 Send comm=0 to=0 tag=5 bytes=5' \
    '0.1 73 74 Send comm=0 to=0 tag=6 bytes=4' '0.1 75 76 Start requests=2 persistent=1' '0.1 77 80 Waitall requests=1,2 done=1,2' \
    '0.1 85 85 Region_end name="new"' '0 95 99 Finalize' >threads.txt
is "what threads have open at the begin" "$(events --from=50ns threads.txt | grep -v Send)" "0 50 50 Init
0 50 50 Recv_init comm=0 from=0 tag=6 bytes=4 persistent=1
0 50 90 Recv comm=0 from=null tag=4 bytes=5
0.1 50 50 Region_begin name=\"new\"
0.1 75 76 Start persistent=1 requests=2
0.1 77 80 Waitall requests=2 done=2
0.1 85 85 Region_end name=\"new\"
0 95 99 Finalize"

# A probe whose message is received after the part finds no message of the part, nor does the send.
printf '%s\n' '#mpgtext 1' '#ranks 2' '#clocks shared' '#comm 0 = 0 1' '0 0 10 Init' '0 20 30 Send comm=0 to=1 tag=4 bytes=5' \
    '0 90 95 Finalize' '1 0 10 Init' '1 40 50 Probe comm=0 from=0 tag=4 bytes=5' '1 70 80 Recv comm=0 from=0 tag=4 bytes=5' \
    '1 90 95 Finalize' >probe.txt
is "a probe before the end, its receive after" "$(events --until=50ns probe.txt | grep -E 'Send|Probe')" \
    "0 20 30 Send comm=0 to=null tag=4 bytes=5
1 40 50 Probe comm=0 from=null tag=4 bytes=5"

printf '%s\n' '#mpgtext 1' '#ranks 2' '#clock 1 0 -500' '#clock 1 2000 -700' '0 0 100 Init' '0 400 420 Barrier comm=0' '0 900 910 Finalize' \
    '1 500 600 Init' '1 900 1020 Barrier comm=0' '1 1500 1510 Finalize' '#comm 0 = 0 1' >clocks.txt
# Rank 1's offset is -500 - t/10: its clock shows t = (common + 500) / 0.9, so 1000 at the common 400.
is "times are on the common clock" "$(events --from=360ns clocks.txt)" "0 400 400 Init
0 400 420 Barrier comm=0
0 900 910 Finalize
1 1000 1000 Init
1 1000 1020 Barrier comm=0
1 1500 1510 Finalize"

# --- errors ---

refuses() {
    is "$1" "$(said "${@:3}")" "mpgtrace print: $2"
}
refuses "a number without unit" "a.txt: --from: '3' has no unit: write 3ns, 3us, 3ms or 3s" --from=3 a.txt
refuses "a time before MPI_Init" "a.txt: --from=-1s: a time before the end of MPI_Init" --from=-1s a.txt
refuses "a time after the run" "a.txt: --from=1s: the run has no calls in this part; its last call ends 8 us after MPI_Init" --from=1s a.txt
refuses "a time before all calls" "a.txt: --until=10ns: the run has no calls before this time" --until=10ns a.txt
refuses "an end before the begin" "a.txt: --from=2us is not before --until=1us on rank 0" --from=2us --until=1us a.txt
refuses "a visit that does not exist" "a.txt: --from=step:3: rank 0 enters region 'step' 2 times" --from=step:3 a.txt
refuses "visit 0" "a.txt: --until=step:0: visits count from 1" --until=step:0 a.txt
refuses "an unknown region" "a.txt: --until=foo: rank 0 leaves region 'foo' 0 times" --until=foo a.txt
printf '%s\n' '#mpgtext 1' '#ranks 1' '#comm 0 = 0' '#window 0 = 0 0' '0 0 1 Init' '0 2 3 Win_post win=0 group=0' '0 9 10 Finalize' >w.txt
like "windows with post and start" "$(said --from=1ns w.txt)" "*no part of such a run can be taken*"

done_testing
