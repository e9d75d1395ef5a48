#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tracer leaves the program's heap alone (TAP): it allocates nothing there, itself or by
# the libraries it calls, and a program whose output depends on its heap says the same.
set -u
. "$(dirname "$0")/traced.sh"
heap=$build/tests/trace/pmpi/heap
ways=$build/tests/trace/pmpi/ways
[ -x "$heap" ] || skip_all "no tests/trace/pmpi/heap"
mpi_set "$mpirun" files

# shellcheck disable=SC2086
timeout 600 $mpirun -np 1 "$heap" >plain 2>err
is "a program that looks at its heap runs" "$?: $(grep -c bytes plain)" "0: 10"
# untraced_too: succeeds if the program prints the same without the tracer, in an environment of some size. The tracer
# enlarges the environment, on which allocations by MPI libraries depend.
untraced_too() {
    local bytes
    cmp -s plain out && return
    for bytes in 200 400 600 800 1000 1200 1400 1600 1800 2000 2500 3000 3500 4000 5000 6000; do
        # shellcheck disable=SC2086
        LONGER=$(printf "%${bytes}s" x) timeout 600 $mpirun -np 1 "$heap" >longer 2>err
        cmp -s longer out && return
    done
    diff plain out
}
# undisturbed NAME: checks that the program's heap is the same as without the tracer. MPICH 5 keeps memory of the
# messages with which the traced ranks synchronize clocks.
undisturbed() {
    if [ "$(printf '#include <mpi.h>\n#if defined MPICH && MPICH_NUMVERSION >= 50000000\nyes\n#endif\n' |
        $mpicc -E - 2>/dev/null | tail -n 1)" = yes ]; then
        skip "$1" "MPICH 5 allocates for messages of the tracer's"
    else
        ok "$1" untraced_too
    fi
}
ok "... traced" traced 1 heap.trace "$heap"
undisturbed "... it finds there what it finds without the tracer"
ok "... and with --cpu-time" traced 1 heap.trace --force --cpu-time "$heap"
undisturbed "... too"
ok "... and with --profile" traced 1 heap.trace --force --profile "$heap"
undisturbed "... too"

compiles() {
    ${CC:-cc} -O2 -shared -fPIC -o heap_watch.so "$here/heap_watch.c" 2>complaint
}
if ! compiles; then
    skip "who allocates" "heap_watch.c does not compile: $(head -n 1 complaint)"
    done_testing
    exit
fi

# watched LIBRARY RANKS OPTION... PROGRAM...: runs PROGRAM under the tracer; the allocations by LIBRARY are in told.
watched() {
    local library=$1 ranks=$2
    shift 2
    # UCX, where MPI uses it, would put functions of its own in the place of these.
    # shellcheck disable=SC2086,SC2016 # the shell that is started knows what the launcher preloads
    timeout -k 5 600 $mpirun -np "$ranks" env UCX_MEM_EVENTS=no HEAP_WATCH="$library" \
        sh -c 'LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"' "$tmp/heap_watch.so" "$MPGTRACE" record --quiet --force -o watched.trace "$@" >out 2>err
    local status=$?
    grep '^heap_watch:' err | sort -u >told
    return $status
}
# In Open MPI 5 and later not libmpi allocates, but the library below it.
watched libmpi 1 "$heap"
grep -q malloc told || watched libopen-pal 1 "$heap"
ok "a library that allocates is seen to" grep -qE "malloc by lib(mpi|open-pal)" told
# qsort() allocates for large arrays, which few runs have.
is "the tracer calls nothing of the C library that may allocate" "$(nm -D --undefined-only "$tracer" | awk '{ print $NF }' |
    grep -E '^(malloc|calloc|realloc|qsort|qsort_r|strdup|strndup|v?asprintf|getline|getdelim|f?dopen|fopen|opendir|popen|setlocale)(@|$)')" ""
mkdir expected
for options in "" --callsites=0 --cpu-time --profile --buffer=4KiB; do
    # shellcheck disable=SC2086
    ok "all of MPI's calls ${options:-as they come}" watched libmpgtrace 4 $options "$ways" all expected
    is "... the tracer allocates nothing" "$(cat told)" "heap_watch: 0 of more than 1000"
done
threads=$build/tests/trace/pmpi/threads
if [ -x "$threads" ] && watched libmpgtrace 2 "$threads" 20; then
    is "threads: the tracer allocates nothing" "$(cat told)" "heap_watch: 0 of more than 1000"
else
    skip "threads" "MPI is without MPI_THREAD_MULTIPLE"
fi
watched libmpgtrace 2 "$build/tests/trace/pmpi/survive" exit exit.counts
is "an end without MPI_Finalize: it allocates nothing" "$(cat told)" "heap_watch: 0 of more than 1000"
done_testing
