#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Regions (TAP): mpg_region.h in programs of every kind of linking, with and without the
# tracer, Fortran, MPI_Pcontrol's levels.
# shellcheck disable=SC2086,SC2094
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"

headers=$(cd "$here/../../../trace" && pwd)
strict="-Wall -Wextra -Wpedantic -Werror -O2 -I$headers"

# regions TRACE: prints its regions and levels, in order.
regions() {
    printed "$1" | sed -nE 's/^([0-9.]+) [0-9]+ [0-9]+ ((Region|Pcontrol).*)/\1 \2/p' |
        sed 's/ site=[0-9]*//'
}

expected='0 Region_begin name="begun early"
0 Region_begin name="outer phase"
0 Region_begin name="one"
0 Region_end name="one"
0 Region_begin name="two"
0 Region_end name="two"
0 Region_begin name="unnamed"
0 Region_begin name="line?end"
0 Region_end name="outer phase"
0 Region_end name="never begun"
0 Region_begin name="by level"
0 Region_end name="by level"
0 Region_begin name="100"
0 Region_end name="100"
0 Pcontrol level=2
0 Pcontrol level=3
0 Pcontrol level=4
0 Pcontrol level=-3
0 Region_end name="begun early"'

# works NAME PROGRAM: checks that PROGRAM runs alone, and under the tracer with all its regions.
works() {
    ok "$1: runs alone" timeout 600 $mpirun -np 1 ./$2
    ok "... under the tracer" timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet -o $2.trace ./$2
    is "... and its regions are recorded" "$(regions $2.trace)" "$expected"
}

if ok "C99, position-independent" $mpicc -std=c99 -D_GNU_SOURCE $strict -fPIE -pie -o pie \
    "$here/regions.c" -lpthread; then
    works "position-independent" pie
fi
# The linker of such a program resolves weak references finally, so the tracer is found during the run.
if ok "at a fixed address" $mpicc $strict -fno-pie -no-pie -o fixed "$here/regions.c" -lpthread; then
    works "at a fixed address" fixed
fi
if ok "in a shared library" $mpicc $strict -fPIC -shared -Dmain=regions_main -o libregions.so \
    "$here/regions.c" -lpthread; then
    echo 'int regions_main(int, char **); int main(int n, char **a) { return regions_main(n, a); }' >main.c
    ok "... of a program" $mpicc -o shared main.c -L. -lregions -Wl,-rpath,"$tmp"
    works "in a shared library" shared
fi
for way in "-fPIE -pie" "-fno-pie -no-pie"; do
    if ok "linked with the tracer ($way)" $mpicc $strict $way -o linked "$here/regions.c" \
        "$tracer_folder/lib$link.so" -Wl,-rpath,"$tracer_folder" -lpthread; then
        ok "... runs" env MPGTRACE_OUTPUT="$tmp/linked.trace" timeout 600 $mpirun -np 1 ./linked
        is "... and its regions are recorded" "$(regions linked.trace)" "$expected"
    fi
done
if command -v g++ >/dev/null; then
    flags=$($mpicc --showme:compile 2>/dev/null || $mpicc -compile-info | cut -d' ' -f2-)
    libs=$($mpicc --showme:link 2>/dev/null || $mpicc -link-info | cut -d' ' -f2-)
    # The warnings do not apply to the C++ in mpi.h.
    ok "C++" g++ -std=c++17 ${strict/-Wpedantic/} -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $flags \
        -x c++ -o cxx "$here/regions.c" -x none $libs -lpthread
    works "C++" cxx
    printf '#include <mpg_region.h>\nint main() { mpg_region_begin("a"); mpg_region_end("a"); }\n' >bare.cc
    ok "the header alone in C++98" g++ -std=c++98 $strict -o bare bare.cc
    ok "... runs" ./bare
    ok "... and linked statically" g++ $strict -static -o bare bare.cc
    ok "... runs" ./bare
else
    skip "C++" "no g++"
fi

ok "two threads" timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet -o threads.trace ./pie threads
is "... have regions of their own" "$(regions threads.trace | grep -v '^0 ')" \
    '0.1 Region_begin name="of a thread"
0.1 Region_end name="of a thread"'
is "the regions of the text form come back" \
    "$("$MPGTRACE" print pie.trace >a.txt && "$MPGTRACE" import --text a.txt -o b.trace &&
        "$MPGTRACE" print b.trace | cmp - a.txt && echo same)" same

# --- IPM's levels ---
cat >ipm.c <<'END'
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    const long page = sysconf(_SC_PAGESIZE);
    char longer[2000], *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    memcpy(memory + page - 4, "last", 4);
    MPI_Init(&argc, &argv);
    MPI_Pcontrol(1, "assembly");
    memcpy(memory + page, "ing", 4); /* a name in two pages */
    MPI_Pcontrol(1, memory + page - 4);
    MPI_Pcontrol(-1, memory + page - 4);
    MPI_Pcontrol(-1, "assembly");
    MPI_Pcontrol(100);
    MPI_Pcontrol(-100);
    /* no names */
    mprotect(memory + page, page, PROT_NONE);
    MPI_Pcontrol(1, memory + page - 4);
    MPI_Pcontrol(1, (char *)(uintptr_t)16);
    MPI_Pcontrol(1, (char *)0);
    MPI_Pcontrol(1, UINTPTR_MAX - 3);
    MPI_Pcontrol(1, longer);
    MPI_Pcontrol(1, "a\nb");
    MPI_Pcontrol(1, "");
    MPI_Pcontrol(3, "other");
    MPI_Pcontrol(-1, memory + page);
    return MPI_Finalize();
}
END
levels='0 Pcontrol level=1
0 Pcontrol level=1
0 Pcontrol level=1
0 Pcontrol level=1
0 Pcontrol level=1
0 Pcontrol level=1
0 Pcontrol level=1
0 Pcontrol level=3
0 Pcontrol level=-1'
numbered='0 Region_begin name="100"
0 Region_end name="100"'
ok "IPM's levels: compiles" $mpicc -o ipm ipm.c
is "... are recorded without a word" \
    "$(timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet --pcontrol=ipm -o ipm.trace ./ipm 2>&1)" ""
is "... as regions where there is a name" "$(regions ipm.trace)" "0 Region_begin name=\"assembly\"
0 Region_begin name=\"lasting\"
0 Region_end name=\"lasting\"
0 Region_end name=\"assembly\"
$numbered
$levels"
is "... and as levels if it is not told to" \
    "$(timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet -o levels.trace ./ipm 2>&1)" "mpgtrace: 9 calls \
of MPI_Pcontrol(1) and 3 of MPI_Pcontrol(-1) name no regions: if they are meant to, as for IPM, 'mpgtrace record --pcontrol=ipm' records these"
is "... all of them" "$(regions levels.trace)" "0 Pcontrol level=1
0 Pcontrol level=1
0 Pcontrol level=-1
0 Pcontrol level=-1
$numbered
$levels"
"$MPGTRACE" record --pcontrol=tau ./ipm 2>err
is "a convention of no known name" "$?: $(cat err)" \
    "2: mpgtrace record: --pcontrol: 'tau' is not ipm (try 'mpgtrace record --help')"
# The system does not let the tracer read addresses that may be invalid.
cat >sealed.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
int main(int argc, char **argv)
{
    struct sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    MPI_Init(&argc, &argv);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        MPI_Abort(MPI_COMM_WORLD, 77);
    errno = 5;
    MPI_Pcontrol(1, "assembly");
    MPI_Pcontrol(-1, "assembly");
    const int kept = errno == 5;
    return MPI_Finalize() != MPI_SUCCESS || !kept;
}
END
if $mpicc -o sealed sealed.c 2>log && timeout 600 $mpirun -np 1 ./sealed >log 2>&1; then
    is "names that must not be read are said" \
        "$(timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet --pcontrol=ipm -o sealed.trace ./sealed 2>&1 || echo failed)" "mpgtrace: MPI_Pcontrol(1, \
name): the system does not let names be read (process_vm_readv: Operation not permitted): there are no regions of them"
    is "... and recorded as levels" "$(regions sealed.trace | xargs)" "0 Pcontrol level=1 0 Pcontrol level=-1"
else
    skip "names that must not be read" "no seccomp, or MPI needs process_vm_readv"
fi
# Another tool gets the second argument of MPI_Pcontrol too.
printf '#include <mpi.h>\n#include <stdarg.h>\n#include <stdio.h>\nint MPI_Pcontrol(const int level, ...)\n{\n    va_list a;
    va_start(a, level);\n    printf("%%d %%s\\n", level, va_arg(a, char *));\n    va_end(a);\n    return PMPI_Pcontrol(level);\n}\n' >tool.c
printf '#include <mpi.h>\nint main(int argc, char **argv)\n{\n    MPI_Init(&argc, &argv);\n    MPI_Pcontrol(1, "assembly");
    MPI_Pcontrol(-1, "assembly");\n    return MPI_Finalize();\n}\n' >named.c
ok "a tool that has MPI_Pcontrol compiles" eval "$mpicc -shared -fPIC -o libtool.so tool.c && $mpicc -o named named.c"
is "... and has its second argument" \
    "$(timeout 600 $mpirun -np 1 env LD_PRELOAD="$tmp/libtool.so" "$MPGTRACE" record --quiet --pcontrol=ipm -o tool.trace ./named | xargs)" \
    "1 assembly -1 assembly"
is "... as the tracer has" "$(regions tool.trace)" '0 Region_begin name="assembly"
0 Region_end name="assembly"'

if command -v "${mpifort%% *}" >/dev/null; then
    want='0 Region_begin name="assembly"
0 Region_begin name="padded name"
0 Region_end name="padded name"
0 Region_end name="assembly"
0 Region_begin name="120"
0 Region_end name="120"
0 Pcontrol level=1'
    cp "$here/fregions.f90" module.f90
    sed 's/use mpi$/use mpi_f08/' module.f90 >module08.f90
    sed "s/^ *use mpi\$//; s/implicit none/&\n    include 'mpif.h'/" module.f90 >included.f90
    for program in module module08 included; do
        ok "Fortran: $program compiles" $mpifort -o $program $program.f90 "$headers/mpg_region.f90"
        is "... runs alone" "$(timeout 600 $mpirun -np 1 ./$program)" "fregions: done"
        is "... and under the tracer" \
            "$(timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet --force -o $program.trace ./$program)" \
            "fregions: done"
        is "... its regions are recorded" "$(regions $program.trace)" "$want"
    done
    printf "%s\n" "program main" "implicit none" "include 'mpif.h'" "integer :: ierr" "external :: mpi_pcontrol" "call MPI_Init(ierr)" \
        "call mpi_pcontrol(1, 'solve'//char(0))" "call mpi_pcontrol(1, 'exchange  ')" "call mpi_pcontrol(-1, 'exchange')" \
        "call mpi_pcontrol(-1, 'solve'//char(0))" "call MPI_Finalize(ierr)" "end program main" >ipm.f90
    if $mpifort -w -fallow-argument-mismatch -o fipm ipm.f90 2>log || $mpifort -w -o fipm ipm.f90 2>log; then
        ok "Fortran: IPM's levels" timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet --pcontrol=ipm -o fipm.trace ./fipm
        is "... are recorded as regions" "$(regions fipm.trace)" '0 Region_begin name="solve"
0 Region_begin name="exchange"
0 Region_end name="exchange"
0 Region_end name="solve"'
    else
        skip "IPM's levels in Fortran" "this mpif.h has no second argument for MPI_Pcontrol"
    fi
else
    skip "Fortran" "no $mpifort"
fi
done_testing
