#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace export and mpgsim --output-trace in other formats (TAP): a small program's archive by hand, what is refused, what is
# left out, a full disk, memory.
set -u
work=$(mktemp -d) || exit 1
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
. "${top_srcdir:?}/tests/tap.sh"
. "$top_srcdir/tests/traces.sh"
mpgtrace=${MPGTRACE:?} mpgsim=${MPGSIM:?} build=${top_builddir:?}
cd "$work" || exit 1

# refuses STATUS LINE COMMAND...: succeeds if COMMAND exits with STATUS, prints a line like the pattern LINE on standard
# error, and creates nothing.
refuses() {
    local wanted=$1 line=$2 before
    shift 2
    before=$(ls -A)
    "$@" >out 2>err </dev/null
    status=$?
    rm -f out
    # shellcheck disable=SC2053 # a pattern
    [ "$status" = "$wanted" ] && [ "$(wc -l <err)" = 1 ] && [[ $(cat err) == $line ]] && rm -f err && [ "$before" = "$(ls -A)" ] &&
        return 0
    sed "s/^/# exit $status: /" err
    rm -f err
    return 1
}

# 4096 of 4 ranks wait for a receive of another communicator; rank 1's clock is 320 ns ahead.
cat >small.txt <<'END'
#mpgtext 1
#ranks 2
#comm 1 = 1 0
#clock 1 500 -320
#fact 0 overhead_call_ns 81
0 100 1000 Init
1 120 900 Init
0 1100 1100 Region_begin name="solve"
0 1500 1720 Send to=1 tag=7 bytes=1024
1 1400 1900 Recv from=0 tag=7 bytes=1024 any=source,tag
1 2000 2100 Irecv comm=1 from=1 tag=8 bytes=16 request=3
0 2110 2115 Isend comm=1 to=0 tag=8 bytes=16 request=4
1 2200 2500 Waitany requests=3 done=3
0 2200 2201 Wait requests=4
0 2700 2900 Bcast root=1 bytes=800
1 2710 2890 Bcast root=1 bytes=800
1 3000 3010 Iprobe from=0 found=0
0 3100 3100 Region_end name="solve"
0 9000 9100 Finalize
1 9000 9100 Finalize
END
if "$mpgtrace" export -o try.otf2 small.txt 2>err; then
    is "what OTF2 has no record for is said" "$(cat err)" \
        "mpgtrace export: attention: 1 probes: only their times are written"
    rm -f err
    is "the archive's files" "$(find . -name 'try*' -o -path './try/*' | sort | tr '\n' ' ')" \
        "./try ./try.def ./try.otf2 ./try/0.def ./try/0.evt ./try/1.def ./try/1.evt "
    if command -v otf2-print >/dev/null; then
        # Time 0 is the first in common time, 120 - 320 = -200.
        is "its records, by hand" "$(otf2-print try.otf2 2>&1 |
            sed -nE 's/ *Region: "([^"]*)".*/ \1/; s/ \([^)]*\)//g; s/ \("[^)]*//g; s/,? Communicator: / in /; s/ +/ /g; /^[A-Z_]+ [01] /p' |
            sed 's/ <[0-9]*>//g; s/ $//')" "ENTER 1 0 MPI_Init
ENTER 0 300 MPI_Init
LEAVE 1 780 MPI_Init
LEAVE 0 1200 MPI_Init
ENTER 1 1280 MPI_Recv
ENTER 0 1300 solve
ENTER 0 1700 MPI_Send
MPI_SEND 0 1700 Receiver: 1 in \"MPI_COMM_WORLD\", Tag: 7, Length: 1024
MPI_RECV 1 1780 Sender: 0 in \"MPI_COMM_WORLD\", Tag: 7, Length: 1024
LEAVE 1 1780 MPI_Recv
ENTER 1 1880 MPI_Irecv
MPI_IRECV_REQUEST 1 1880 Request: 3
LEAVE 0 1920 MPI_Send
LEAVE 1 1980 MPI_Irecv
ENTER 1 2080 MPI_Waitany
ENTER 0 2310 MPI_Isend
MPI_ISEND 0 2310 Receiver: 0 in \"communicator 1\", Tag: 8, Length: 16, Request: 4
LEAVE 0 2315 MPI_Isend
MPI_IRECV 1 2380 Sender: 1 in \"communicator 1\", Tag: 8, Length: 16, Request: 3
LEAVE 1 2380 MPI_Waitany
ENTER 0 2400 MPI_Wait
MPI_ISEND_COMPLETE 0 2401 Request: 4
LEAVE 0 2401 MPI_Wait
ENTER 1 2590 MPI_Bcast
MPI_COLLECTIVE_BEGIN 1 2590
MPI_COLLECTIVE_END 1 2770 Operation: BCAST in \"MPI_COMM_WORLD\", Root: 1, Sent: 1600, Received: 800
LEAVE 1 2770 MPI_Bcast
ENTER 1 2880 MPI_Iprobe
LEAVE 1 2890 MPI_Iprobe
ENTER 0 2900 MPI_Bcast
MPI_COLLECTIVE_BEGIN 0 2900
MPI_COLLECTIVE_END 0 3100 Operation: BCAST in \"MPI_COMM_WORLD\", Root: 1, Sent: 0, Received: 800
LEAVE 0 3100 MPI_Bcast
LEAVE 0 3300 solve
ENTER 1 8880 MPI_Finalize
LEAVE 1 8980 MPI_Finalize
ENTER 0 9200 MPI_Finalize
LEAVE 0 9300 MPI_Finalize"
    else
        skip "its records, by hand" "there is no otf2-print"
    fi
    # predicted FILE: prints all numbers of a prediction from FILE.
    predicted() {
        "$mpgsim" --predict --latency=exp:1us --byte=const:0.5ns --noise=exp:3us --replicas=3 --seed=7 --cache=fresh --json "$1" |
            sed -n '/"recorded_run_time_ns"/,$p'
    }
    grep -v Iprobe small.txt >plain.txt
    "$mpgtrace" export -o plain.otf2 plain.txt
    is "the answer to an archive is that to its trace" "$(predicted plain.otf2)" "$(predicted plain.txt)"
    # clock offsets, measured before the first of all calls and during the last one
    sed 's/^#clock 1 .*/#clock 1 -5000 -320\n#clock 1 9100 -300/' plain.txt >early.txt
    "$mpgtrace" export -o early.otf2 early.txt
    is "offsets measured before all calls" "$("$mpgtrace" print early.otf2 2>&1 | grep -cE '^(#clock 1 -5000 -320|#clock 1 9100 -300|0 100 1000 Init)$')" 3
    if command -v otf2-print >/dev/null; then
        is "... without a warning of others" "$(otf2-print --silent early.otf2 2>&1 | grep -v '^=*$\|^=== OTF2' | head -n 1)" ""
    fi
    ok "an archive that exists stays" refuses 1 "mpgtrace export: try: exists already: name another archive" \
        "$mpgtrace" export -o try.otf2 small.txt
    mkdir folder && "$mpgtrace" export --format=otf2 -o folder/ plain.txt
    is "an empty folder becomes the archive's" "$(ls folder | tr '\n' ' ')" "traces traces.def traces.otf2 "
    ok "a folder with files stays" refuses 1 "mpgtrace export: folder: exists already: name another archive" \
        "$mpgtrace" export --format=otf2 -o folder plain.txt
    "$mpgsim" --predict --latency=const:2us --output-trace=there plain.txt >/dev/null
    "$mpgsim" --predict --latency=const:2us --output-trace=then.otf2 plain.txt >/dev/null
    # calls_of TRACE: prints the trace's calls without the numbers of requests and communicators.
    calls_of() {
        "$mpgtrace" print "$1" | grep -E '^[01] ' | sed 's/ request=[0-9]*//; s/ requests=.*//; s/ comm=[0-9]*//'
    }
    is "a predicted run as an archive" "$(calls_of then.otf2)" "$(calls_of there)"
    ok "a prediction that could not be written is refused at once" refuses 1 \
        "mpgsim: --output-trace: then: exists already: name another archive" \
        "$mpgsim" --predict --latency=const:2us --output-trace=then.otf2 plain.txt
    ring 8 4000 8 | "$mpgtrace" import --text - -o long.trace
    mkdir full
    if mount -t tmpfs -o size=256k tmpfs full 2>/dev/null; then
        ok "a full disk" refuses 1 "mpgtrace export: libotf2 cannot write the archive*" \
            "$mpgtrace" export -o full/x.otf2 long.trace
        is "nothing is left on a full disk" "$(ls -A full)" ""
        umount full
    else
        skip "a full disk" "cannot mount a file system"
        skip "nothing is left on a full disk" "cannot mount a file system"
    fi
    # peak N: prints the memory in KiB that the export of a ring with N rounds needs.
    peak() {
        ring 4 "$1" 8 | "$mpgtrace" import --text - -o "peak-$1.trace"
        "$build/tests/peak_memory" "$mpgtrace" export -o "peak-$1.otf2" "peak-$1.trace" | grep -oE '[0-9]+' | tail -n 1
    }
    if [ "${MPGKIT_SANITIZERS:-no}" = no ]; then
        small=$(peak 1000) large=$(peak 60000)
        ok "memory does not grow with half a million calls ($small, $large KiB)" test "$large" -lt $((small + 4096))
    else
        skip "memory does not grow with half a million calls" "sanitizers keep freed memory for a while"
    fi
else
    skip "OTF2" "$(cat err)"
    rm -f err
fi

cat >died.txt <<'END'
#mpgtext 1
#ranks 2
#died 1 Recv 500
0 0 10 Init
1 0 10 Init
0 100 110 Finalize
END
"$mpgtrace" export --format=native -o died.trace died.txt
is "a native copy is the trace" "$("$mpgtrace" print died.trace)" "$("$mpgtrace" import --text died.txt -o d.trace && "$mpgtrace" print d.trace)"
is "text is what print prints" "$("$mpgtrace" export --format=text small.txt)" "$("$mpgtrace" print small.txt)"
is "chrome is the timeline" "$("$mpgtrace" export --format=chrome plain.txt 2>&1 || "$mpgtrace" export --format=chrome small.txt)" \
    "$("$mpgtrace" timeline plain.txt 2>&1 || "$mpgtrace" timeline small.txt)"
ok "no format" refuses 2 "mpgtrace export: the ending of the --output name is no known format: give --format*" \
    "$mpgtrace" export -o thing small.txt
ok "several files on standard output" refuses 2 "mpgtrace export: --format=otf2 writes several files, not to standard output: give --output*" \
    "$mpgtrace" export --format=otf2 small.txt
ok "a format without a trace" refuses 2 "mpgsim: --output-format needs --output-trace*" "$mpgsim" --output-format=text small.txt
ok "no such folder" refuses 1 "mpgtrace export: no/x.txt: No such file or directory" "$mpgtrace" export -o no/x.txt small.txt
ok "a full device" refuses 1 "mpgtrace export: /dev/full: *No space left on device" \
    "$mpgtrace" export --format=text -o /dev/full small.txt
done_testing
