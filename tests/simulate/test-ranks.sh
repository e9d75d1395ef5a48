#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Many ranks (TAP): more than files that may be open, some KiB of memory for each, whatever form the
# trace has; memory that messages in flight take, and that neither steps nor fan-in make more.
set -u
. "$(dirname "$0")/mpgsim.sh"
trace=$build/tests/speed/speed_trace
peak_memory=$build/tests/peak_memory
[ -x "$trace" ] || skip_all "tests/speed/speed_trace is not built"

# make_trace PATTERN RANKS STEPS: makes the trace PATTERN-RANKS-STEPS.
make_trace() {
    [ -d "$1-$2-$3" ] || { mkdir "$1-$2-$3" && "$trace" "$1" "$2" "$3" "$1-$2-$3"; }
}
# answer TRACE OPTION...: prints mpgsim's JSON, without the trace's name, with at most 40 open files.
answer() {
    local path=$1
    shift
    (ulimit -n 40 && "$mpgsim" --json "$@" "$path") | sed "s|$path|TRACE|g"
}

# ---- more ranks than files ----
for pattern in ring allreduce stencil; do
    make_trace $pattern 300 4
    find $pattern-300-4 -name '*.mpgt' | sort -r | xargs cat >$pattern.cat
    (ulimit -n 40 && "$mpgtrace" print $pattern-300-4) >$pattern.txt
    folder=$(answer $pattern-300-4 --latency=const:2.385us)
    like "$pattern: 300 ranks, 40 files" "$folder" '*"ranks"*'
    is "$pattern: all ranks in one file" "$(answer $pattern.cat --latency=const:2.385us)" "$folder"
    is "$pattern: as text" "$(answer $pattern.txt --latency=const:2.385us)" "$folder"
    (ulimit -n 40 && "$mpgtrace" import --text $pattern.txt -o $pattern.again)
    is "$pattern: the text as a folder" "$(answer $pattern.again --latency=const:2.385us)" "$folder"
done

# ---- memory ----
if [ "${MPGKIT_SANITIZERS-no}" = yes ] || ! [ -x "$peak_memory" ]; then
    skip "memory" "sanitizers keep freed memory, or tests/peak_memory is not built"
    done_testing
    exit
fi

# peak TRACE OPTION...: prints the largest resident size, in KiB.
peak() {
    local path=$1
    shift
    (ulimit -n 64 && "$peak_memory" "$mpgsim" --latency=const:2.385us "$@" "$path")
}
# more BYTES COUNT SMALL LARGE OPTION...: succeeds if simulating LARGE needs at most BYTES more for each of COUNT things
# than simulating SMALL.
more() {
    local most=$1 count=$2 small=$3 large=$4 before after
    shift 4
    before=$(peak "$small" "$@") && after=$(peak "$large" "$@") || return 1
    echo "# $(((after - before) * 1024 / count)) bytes each"
    [ $(((after - before) * 1024)) -le $((most * count)) ]
}
# In 4 GiB each of 65536 ranks has 65536 bytes.
for pattern in ring allreduce stencil; do
    make_trace $pattern 1000 3
    make_trace $pattern 3000 3
    ok "$pattern: memory of a rank" more 20000 2000 $pattern-1000-3 $pattern-3000-3
done
ok "expanded collectives: memory of a rank" more 20000 2000 allreduce-1000-3 allreduce-3000-3 \
    --collectives=expand
ok "predicted ones: memory of a rank" more 20000 2000 allreduce-1000-3 allreduce-3000-3 \
    --predict --collectives=expand --byte=const:2ns
for ranks in 1000 3000; do
    "$mpgtrace" print ring-$ranks-3 >ring-$ranks.txt
    find ring-$ranks-3 -name '*.mpgt' -exec cat {} + >ring-$ranks.cat
done
ok "one file: memory of a rank" more 20000 2000 ring-1000.cat ring-3000.cat
ok "text: memory of a rank" more 30000 2000 ring-1000.txt ring-3000.txt

# In an all-to-all all messages are posted before the first one arrives.
make_trace alltoall 40 1
make_trace alltoall 160 1
ok "all-to-all: memory of a message" more 1500 23880 alltoall-40-1 alltoall-160-1
# More steps need no more memory, except that a rank reads more of its trace, up to the size of the tracer's buffer. Of two
# threads, one runs ahead of the other as the machine's load lets it, by up to some MiB of messages, whatever the length.
export MPGKIT_EVENTS_A_PART=1 # threads share the ranks of the short trace as of the long one
for pattern in alltoall exchange workers tree wavefront; do
    make_trace $pattern 10 100
    make_trace $pattern 10 1000
    ok "$pattern: ten times as many steps" more 100000 10 $pattern-10-100 $pattern-10-1000 --threads=1
    ok "... by two threads" more 500000 10 $pattern-10-100 $pattern-10-1000 --threads=2
done
done_testing
