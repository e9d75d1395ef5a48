#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# However many processes share the replicas, of either MPI, they give one answer, the same to the last byte
# as one process gives; and what goes wrong is said once, and nobody hangs (TAP).
# shellcheck source=tests/simulate/mpgsim.sh
. "$(dirname "$0")/mpgsim.sh"
mpi=${MPI_LIBRARY:-openmpi}
unset MPGKIT_LIBDIR MPGKIT_ALONE

# ---- without MPI: the variables of launchers ----
cat >small.txt <<'END'
#mpgtext 1
#ranks 2
#comm 0 = 0 1
#clocks shared
0 0 1000 Init
1 0 1000 Init
0 2000 2100 Send comm=0 to=1 tag=0 bytes=8
1 1500 2400 Recv comm=0 from=0 tag=0 bytes=8
0 3000 3010 Finalize
1 3400 3410 Finalize
END
small=(--latency=const:2.385us small.txt)
"$mpgsim" "${small[@]}" >alone || exit 1

# started RANK SIZE VARIABLE=VALUE...: runs mpgsim as if a launcher had started SIZE processes, of which this is RANK.
started() {
    local rank=$1 size=$2
    shift 2
    env OMPI_COMM_WORLD_RANK="$rank" OMPI_COMM_WORLD_SIZE="$size" "$@" "$mpgsim" "${small[@]}" \
        >out 2>err </dev/null
}
started 0 1
is "one process that a launcher started needs no MPI" "$?: $(cmp alone out 2>&1)$(cat err)" "0: "
started 1 2 MPGKIT_ALONE=1
is "MPGKIT_ALONE: each has its own answer" "$?: $(cmp alone out 2>&1)$(cat err)" "0: "
started 0 2 MPGKIT_LIBDIR="$work"
like "no library for the MPI: one line" "$?: $(cat out err)" "1: mpgsim: several processes: *"
is "... is a line" "$(wc -l <err)" 1
started 1 2 MPGKIT_LIBDIR="$work"
is "... which the first says alone" "$?: $(cat out err)" "1: "

if [ "${MPGKIT_MPI:-yes}" != yes ]; then
    started 0 2
    is "built without MPI: one line" "$?: $(cat out err)" "1: mpgsim: several processes: mpgkit was built \
without Open MPI: they cannot give one answer (MPGKIT_ALONE=1: each gives its own)"
    done_testing
    exit
fi
needs_python

random=$here/../oracle/randomtrace.py
"$python" "$random" --seed 11 --ranks 6 --steps 90 --clocks shared --hosts 2 >mixed.txt
"$python" "$random" --seed 100 --ranks 6 --steps 120 --clocks shared --hosts 1 \
    --kinds irecv,isend,send,recv,waitsome,testall,fail,fail,pair,waitany >chosen.txt
printf '%s\n' '#mpgtext 1' '#ranks 1' '0 0 1000 Init' '0 1000 1010 Finalize' >instant.txt
sed '/^#clocks/i #fact 0 overhead_call_ns 40\n#fact 3 overhead_call_ns 71' mixed.txt >recorded.txt

"$python" "$here/../oracle/randomtrace_regions.py" <mixed.txt >regions.txt
cp "$reference" other.sig

# alone OPTION...: runs mpgsim as a single process, once for each command line; output in the file alone.
answered=
alone() {
    [ "$answered" = "$*" ] || "$mpgsim" "$@" >alone 2>alone.err
    answered=$*
}

# same LAUNCHER N/THREADS,... OPTION...: checks that N processes with THREADS threads each print what a single process
# prints.
same() {
    local launcher=$1 each wrong=
    local -a cases
    IFS=, read -ra cases <<<"$2"
    shift 2
    alone --json "$@" || wrong=" alone: $(cat alone.err)"
    for each in "${cases[@]}"; do
        together "$launcher" "${each%/*}" --json --threads="${each#*/}" "$@" && cmp -s alone out &&
            [ ! -s said ] || wrong="$wrong $each: $(cat said)"
    done
    is "$launcher: the same bytes: $*" "$wrong" ""
}

# says LAUNCHER N STATUS PATTERN OPTION...: succeeds if N processes exit with STATUS, print one line that matches
# PATTERN, and no prediction.
says() {
    local launcher=$1 n=$2 status=$3 pattern=$4 got
    shift 4
    together "$launcher" "$n" "$@"
    got=$?
    # shellcheck disable=SC2254 # a pattern
    case $got,$(wc -l <said),$(wc -c <out),$(cat said) in
    $status,1,0,$pattern) return 0 ;;
    esac
    echo "# exit $got, $(wc -c <out) bytes of output, expected $status and '$pattern':"
    sed 's/^/# /' err
    return 1
}

# other_in RANK COMMAND ARGUMENT...: prints a script for mpirun that calls COMMAND in process RANK first.
other_in() {
    # shellcheck disable=SC2016 # for the shell that is started
    printf '[ "${OMPI_COMM_WORLD_RANK-}${PMI_RANK-}" != %s ] || { %s; }; exec "$@"\n' "$1" "$2"
}

# one_other LAUNCHER N RANK COMMAND OPTION...: like together(), but process RANK calls COMMAND first.
one_other() {
    local launcher=$1 n=$2 rank=$3 command=$4
    shift 4
    other_in "$rank" "$command" >other.sh
    instead="sh" together "$launcher" "$n" other.sh "$mpgsim" "$@"
}

# All cases with LAUNCHER.
share_replicas() {
    local launcher=$1 got
    same "$launcher" 2/1,3/2,5/1 --noise=exp:3us --latency=gamma:1us,700ns --replicas=100 mixed.txt
    same "$launcher" 2/2,3/1,5/2 --perturb --signature="$reference" --replicas=37 --replicas=first=7 recorded.txt
    same "$launcher" 2/1,3/2,5/1 --signature="$reference" --predict --replicas=65 mixed.txt
    same "$launcher" 2/1,3/2 --noise=exp:3us --replicas=40 --hypothesis='balance even' --hypothesis='scale even factor=0.5' regions.txt
    ok "$launcher: a hypothesis about nothing" says "$launcher" 2 1 "mpgsim: 'balance nowhere': there is no region *" \
        --hypothesis='balance nowhere' regions.txt
    same "$launcher" 2/1,2/2,3/1,3/2,5/1,5/2 --noise=exp:20us@0,1 --replicas=200 chosen.txt
    ok "... of which some were done again in the traced order" \
        awk -F'[:,]' '/"redone"/ { n = $2 } END { exit !(n > 0 && n < 200) }' out
    same "$launcher" 2/2,3/1 --noise=exp:20us --latency=exp:700ns --predict --replicas=97 chosen.txt
    same "$launcher" 2/1,3/2 --latency=exp:700ns --replicas=9 --replicas=first=3 mixed.txt
    same "$launcher" 2/2 --latency=const:2.385us mixed.txt
    same "$launcher" 2/1,3/1 --target=distributed --target=ServiceTime=exp:3us --replicas=50 mixed.txt
    same "$launcher" 2/1 --target=distributed --target=Policy=interrupt --replicas=40 --hypothesis='balance even' regions.txt
    # Groups of processes simulate the scenarios of a sweep; if there are more processes than scenarios, they share a
    # scenario's replicas.
    same "$launcher" 2/2,9/1 --sweep=noise=0:9us:3 --sweep=absorb=wait,clock --latency=exp:1us --replicas=100 chosen.txt
    same "$launcher" 3/1 --signature="$reference" --signature="$reference" --sweep=byte=0,1ns --replicas=40 --predict \
        mixed.txt
    same "$launcher" 3/1,5/1 --sweep=latency=1us:9us:2 --noise=exp:1us --predict --replicas=50 chosen.txt
    same "$launcher" 5/1 --sweep=noise=1us,3us --perturb --signature="$reference" --signature=other.sig --replicas=9 mixed.txt
    same "$launcher" 2/1,9/1 --tolerate=5%:noise --noise=exp:1us --replicas=100 chosen.txt
    ok "$launcher: too much for one scenario" says "$launcher" 3 1 "mpgsim: --sweep: *" --sweep=noise=1,1e99 \
        --noise=exp:1s mixed.txt
    ok "$launcher: what takes no time tolerates nothing" says "$launcher" 3 1 "mpgsim: --tolerate: *" \
        --tolerate=5%:noise --noise=exp:1us instant.txt

    alone --noise=exp:3us mixed.txt
    together "$launcher" 3 --noise=exp:3us mixed.txt
    is "$launcher: text, once" "$?: $(cmp alone out 2>&1)$(cat said)" "0: "
    together "$launcher" 2 --noise=exp:3us --output=file mixed.txt
    is "$launcher: in a file" "$?: $(cmp alone file 2>&1)$(cat out said)" "0: "
    alone --per-rank --noise=exp:3us mixed.txt
    together "$launcher" 2 --per-rank --noise=exp:3us mixed.txt
    is "$launcher: a table, attention once" "$?: $(cmp alone out 2>&1)$(diff alone.err said)" "0: "
    alone --sweep=noise=0:9us:7 --perturb --signature="$reference" mixed.txt
    together "$launcher" 3 --sweep=noise=0:9us:7 --perturb --signature="$reference" mixed.txt
    is "$launcher: a table of scenarios" "$?: $(cmp alone out 2>&1)$(cat said)" "0: "
    rm -rf written.1 written.2
    "$mpgsim" --noise=exp:30us --without=choice --output-trace=written.1 mixed.txt >/dev/null 2>&1
    together "$launcher" 2 --noise=exp:30us --without=choice --output-trace=written.2 mixed.txt
    is "$launcher: a written trace" "$?: $(diff -r written.1 written.2 2>&1)" "0: "
    alone --help
    together "$launcher" 2 --help
    is "$launcher: --help, once" "$?: $(cmp alone out 2>&1)" "0: "

    # Errors in all processes, or in one.
    ok "$launcher: a wrong option" says "$launcher" 2 2 "*wrong option*" --bogus mixed.txt
    ok "$launcher: no trace" says "$launcher" 3 1 "mpgsim: nofile: No such file or directory" nofile
    ok "$launcher: no samples" says "$launcher" 2 1 "mpgsim: --noise: *nofile*" --noise=file:nofile mixed.txt
    ok "$launcher: a trace that cannot be placed" says "$launcher" 2 1 \
        "mpgsim: chosen.txt: rank *ranks wait for each other*" --noise=exp:1us --eager-limit=-1 chosen.txt
    ok "$launcher: standard input" says "$launcher" 2 2 "mpgsim: - (standard input) cannot be read *" --noise=exp:1us -
    ok "$launcher: a full disk" says "$launcher" 2 1 "mpgsim: /dev/full: *" --output=/dev/full mixed.txt
    one_other "$launcher" 3 1 'cd /' --noise=exp:1us mixed.txt
    like "$launcher: one of them has no trace" "$?: $(cat out said)" \
        "1: mpgsim: process 1 on *: mixed.txt: No such file or directory"
    [ -d elsewhere ] || { mkdir elsewhere && mkfifo elsewhere/samples && echo 100 >samples; }
    cp chosen.txt elsewhere/mixed.txt
    one_other "$launcher" 3 2 'cd elsewhere' --noise=exp:1us mixed.txt
    like "$launcher: one of them has another" "$?: $(cat out said)" \
        "1: mpgsim: process 2 on *: it has read another trace than process 0"
    one_other "$launcher" 2 1 'cd elsewhere' --sweep=noise=1us,2us mixed.txt
    like "$launcher: ... for another scenario" "$?: $(cat out said)" \
        "1: mpgsim: process 1 on *: it has read another trace than process 0"
    one_other "$launcher" 3 2 'cd /' --sweep=noise=1us,2us,3us mixed.txt
    like "$launcher: ... or none" "$?: $(cat out said)" \
        "1: mpgsim: process 2 on *: mixed.txt: No such file or directory"
    # Files with the same name and different contents, as in folders that are local to each host.
    rm -rf apart
    mkdir apart
    cp mixed.txt chosen.txt regions.txt apart
    echo 385.5 >my.ns
    echo 395.5 >apart/my.ns
    echo 'CommStartupTime = 1us' >my.par
    echo 'CommStartupTime = 2us' >apart/my.par
    echo 'balance even' >my.hypotheses
    echo 'scale even factor=2' >apart/my.hypotheses
    cp "$reference" my.sig
    { cat "$reference"; echo; } >apart/my.sig
    for options in --latency=file:my.ns --signature=my.sig "--predict --source=my.sig --latency=exp:1us" \
        "--target=my.par --target=work=wall" "--sweep=latency=1us,2us --source=my.sig"; do
        # shellcheck disable=SC2086 # words
        one_other "$launcher" 3 1 'cd apart' $options mixed.txt
        like "$launcher: $options: one of them has another" "$?: $(cat out said)" \
            "1: mpgsim: process 1 on *: it has read other contents of a file that an option names than process 0"
    done
    one_other "$launcher" 2 1 'cd apart' --hypothesis=my.hypotheses --latency=exp:1us regions.txt
    like "$launcher: hypotheses: one of them has others" "$?: $(cat out said)" \
        "1: mpgsim: process 1 on *: it has read other contents of a file that an option names than process 0"
    one_other "$launcher" 2 1 'cd apart' --latency=exp:1us mixed.txt
    is "$launcher: the same trace elsewhere" "$?: $(cat said)" "0: "
    one_other "$launcher" 2 1 'set -- "$@" --seed=2' --noise=exp:1us mixed.txt
    like "$launcher: one of them has other arguments" "$?: $(cat out said)" \
        "1: mpgsim: process 1 has other arguments than the first*"
    # Process 1 waits for samples from a pipe to which nobody writes.
    one_other "$launcher" 2 1 'cd elsewhere; (sleep 1; kill -9 $$) &' --noise=file:samples mixed.txt
    got=$?
    is "$launcher: one of them is killed: no answer, all end" \
        "$((got != 0 && got != 124)), $(grep -c slowdown out)" "1, 0"
    other_in 1 'cd elsewhere' >other.sh
    # shellcheck disable=SC2086 # it may have arguments
    timeout -k 5 -s TERM 2 $launcher -np 2 sh other.sh "$mpgsim" --noise=file:samples --output="$work/whole" \
        mixed.txt >out 2>err </dev/null
    is "$launcher: all are ended: nothing is left" "$?: $(echo whole*)" "124: whole*"

    # mpgsim as a program that uses MPI is traced like others.
    rm -rf own.trace
    alone --noise=exp:3us mixed.txt
    instead=$mpgtrace together "$launcher" 2 record --quiet -o own.trace "$mpgsim" --noise=exp:3us mixed.txt
    is "$launcher: traced, the same" "$?: $(cmp alone out 2>&1)$(cat said)" "0: "
    like "$launcher: ... and its trace is one" "$("$mpgsim" own.trace 2>&1)" "*2 ranks*"
}

command -v "${MPIRUN%% *}" >/dev/null || skip_all "nothing starts programs of MPI"
share_replicas "$MPIRUN"
if [ -n "${OTHER_MPIRUN-}" ]; then
    share_replicas "$OTHER_MPIRUN"
else
    skip "another MPI" "there is one MPI here"
fi

# Without this check mpgsim would take the tracer for another MPI for the MPI library.
[ "$mpi" = openmpi ] && other=mpich || other=openmpi
if [ -n "${OTHER_MPIRUN-}" ]; then
    instead=$mpgtrace together "$MPIRUN" 2 record --mpi="$other" --quiet -o no.trace "$mpgsim" mixed.txt
    like "the other MPI is preloaded: one line" "$?: $(cat out said)" \
        "1: mpgsim: several processes: * is preloaded, *record --mpi=$mpi*"
fi
done_testing
