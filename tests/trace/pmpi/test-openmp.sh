#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# OpenMP under the tracer (TAP): LLVM's runtime tells regions and threads, by sums that agree with the program's own clock;
# GCC's tells nothing, and one line says so; a program without OpenMP has nothing of it in its trace.
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
mpi_set "$mpirun" crowd
export KMP_BLOCKTIME=0

# compiled COMPILER OUTPUT: builds the program with COMPILER's OpenMP.
compiled() {
    OMPI_CC=$1 MPICH_CC=$1 $mpicc -O1 -g -fno-inline -fopenmp -o "$2" "$here/openmp.c" 2>complaint
}

# recorded TRACE PROGRAM: records PROGRAM with one rank; its output in out, the tracer's in err.
recorded() {
    # shellcheck disable=SC2086 # mpirun may have arguments
    timeout 600 $mpirun -np 1 "$MPGTRACE" record -o "$1" "$2" >out 2>err
}

# facts TRACE KEY: prints the values of rank 0's facts KEY.
facts() {
    "$MPGTRACE" print "$1" | sed -n "s/^#fact 0 $2 //p"
}

if compiled gcc gnu && ldd gnu | grep -q libgomp; then
    ok "GCC's OpenMP: it runs under the tracer" recorded gnu.trace ./gnu
    ok "... one line says that threads are not in the trace" \
        test "$(grep -c 'rank 0 has [2-4] threads of libgomp.so.1, which tells tools nothing' err)" = 1
    is "... the trace names the runtime" "$(facts gnu.trace openmp)" "untraced libgomp.so.1"
    # The program's first region, of three threads, is before MPI_Init; the last ones have fewer.
    ok "... and how many threads there were" grep -qE '^3 [2-4]$' <(facts gnu.trace process_threads)
    is "... there are no regions" "$("$MPGTRACE" print gnu.trace | grep -c Region)" 0
else
    skip "GCC's OpenMP" "gcc -fopenmp does not work here"
fi

ok "a program without OpenMP runs under the tracer" recorded none.trace "$build/examples/halo/halo"
is "... and has no such facts" \
    "$("$MPGTRACE" print none.trace | grep -cE '^#fact [0-9]+ (openmp|parallel|process_threads|cores_end)')" 0

if ! compiled clang llvm || ! ./llvm >alone.out 2>complaint; then
    skip "LLVM's OpenMP" "clang -fopenmp does not work here"
    done_testing
    exit
fi
ok "LLVM's OpenMP: it runs under the tracer" recorded a.trace ./llvm
is "... the tracer says nothing of it" "$(grep -c OpenMP err)" 0
is "... the trace names the runtime" "$(facts a.trace openmp | cut -d' ' -f1,2)" "traced LLVM"
# The region that begins before MPI_Init, and inner regions, are no regions of the trace.
is "each visit of a region begins and ends once, in order" \
    "$("$MPGTRACE" print a.trace |
        sed -nE 's/.* Region_(begin|end) name="omp parallel ([a-z]*).* \(([0-9]) threads?\)".*/\1 \2 \3/p' | uniq -c |
        awk '{ print $1, $2, $3, $4 }' | sort | uniq -c | awk '{ print $1, $2, $3, $4, $5 }')" \
    "$(printf '5 1 %s\n' 'begin alone 1' 'begin communicates 2' 'begin nested 2' 'begin tasks 2' 'begin uneven 3' \
        'end alone 1' 'end communicates 2' 'end nested 2' 'end tasks 2' 'end uneven 3')"
facts a.trace parallel_region >regions
facts a.trace parallel_thread >threads
is "threads and visits of each region" "$(sed -nE 's/^([0-9]+) ([0-9]+) .*omp parallel ([a-z]*).*/\3 \1 \2/p' regions)" \
    "$(grep -v / out)"
# Work of a thread is at least what the program itself measured inside of it (tasks: of all threads together, as a task may
# change threads), and no thread has more time than its region.
within() {
    awk 'FILENAME == "out" { if (split($1, part, "/") == 2) own[$1] = $2; next }
         { name = $0; sub(/.*omp parallel /, "", name); sub(/[^a-z].*/, "", name) }
         FILENAME == "regions" { time[name] = $3; longest[name] = $4; next }
         { key = name "/" $1; work[name] += $2; slept[name] += own[key]; n++
           if (name != "tasks" && $2 < own[key]) { print "# " key " worked " $2 ", slept " own[key]; bad = 1 }
           if ($2 + $3 + $4 > time[name]) { print "# " key " " $2 + $3 + $4 " > " time[name]; bad = 1 }
           if ($2 > longest[name] || longest[name] > time[name]) { print "# " key " longest " longest[name]; bad = 1 }
           if ((name == "communicates" && $1 == 0) != ($4 > 0)) { print "# " key " in MPI " $4; bad = 1 } }
         END { for (name in work) if (work[name] < slept[name]) { print "# " name " worked " work[name]; bad = 1 }
               exit bad || n != 10 }' out regions threads
}
ok "work, waits and calls agree with the program's own clock" within
ok "threads wait at the end of a region" awk '/uneven/ && $3 <= 0 { bad = 1 } END { exit bad }' threads
# Two frames: the function with the region, and main.
site=$("$MPGTRACE" print a.trace | sed -nE '/Region_begin name="omp parallel uneven/{s/.* site=([0-9]+).*/\1/p;q}')
if [ "$(uname -m)" = x86_64 ]; then
    ok "the place of a region is a callsite with its callers" \
        grep -qE "^#site $site = [0-9]+\+0x[0-9a-f]+ [0-9]+\+0x" <("$MPGTRACE" print a.trace)
else
    ok "the place of a region is a callsite" test -n "$site"
fi

# Names of C++, in C.
named() {
    printf '%s\n' '#include <mpi.h>' '#include <omp.h>' "void solve(void) __asm__(\"$1\");" >named.c
    cat >>named.c <<'C'
__attribute__((noinline)) void solve(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n += omp_get_thread_num();
    MPI_Comm_rank(MPI_COMM_WORLD, &n);
}
int main(int argc, char **argv) { MPI_Init(&argc, &argv); solve(); return MPI_Finalize(); }
C
    OMPI_CC=clang MPICH_CC=clang $mpicc -O1 -fopenmp -o named named.c 2>complaint && rm -rf named.trace && recorded named.trace ./named &&
        facts named.trace parallel_region | sed 's/.*omp parallel //; s/+0x.*//'
}
is "a function of C++" "$(named _Z5solvei)" solve
is "... in namespaces" "$(named _ZN5space6solver5solveEiPKd)" space::solver::solve
is "... of a template, as the symbol is" "$(named _ZN5space5solveIdEEvT_)" _ZN5space5solveIdEEvT_
is "a longer part than there is" "$(named _Z50solve)" _Z50solve

export OMP_TOOL=disabled
ok "OMP_TOOL=disabled: it runs" recorded off.trace ./llvm
unset OMP_TOOL
is "... without regions" "$("$MPGTRACE" print off.trace | grep -c Region)" 0

cat >tool.c <<'C'
#include <unistd.h>
static int begin(void *lookup, int device, void *data) { (void)lookup, (void)device, (void)data; return 1; }
static void end(void *data) { (void)data; }
static struct { int (*b)(void *, int, void *); void (*e)(void *); void *data; } own = {begin, end, 0};
void *ompt_start_tool(unsigned version, const char *name);
void *ompt_start_tool(unsigned version, const char *name) { (void)version, (void)name; write(2, "own tool\n", 9); return &own; }
C
if ${CC:-cc} -shared -fPIC -o tool.so tool.c 2>complaint; then
    OMP_TOOL_LIBRARIES=$tmp/tool.so recorded own.trace ./llvm
    is "a tool of the user's goes first" "$(grep -c 'own tool' err)" 1
    is "... then there are no regions" "$("$MPGTRACE" print own.trace | grep -c Region)" 0
else
    skip "a tool of the user's" "tool.c does not compile"
fi
done_testing
