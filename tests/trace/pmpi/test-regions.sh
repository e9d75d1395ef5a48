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

# regions TRACE: its regions and levels, in order.
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
0 Pcontrol level=0
0 Pcontrol level=1
0 Pcontrol level=-3
0 Region_end name="begun early"'

# works NAME PROGRAM: alone, and under the tracer with all its regions.
works() {
    ok "$1: runs alone" timeout 600 $mpirun -np 1 ./$2
    ok "... under the tracer" timeout 600 $mpirun -np 1 "$MPGTRACE" record --quiet -o $2.trace ./$2
    is "... and its regions are recorded" "$(regions $2.trace)" "$expected"
}

if ok "C99, position-independent" $mpicc -std=c99 -D_GNU_SOURCE $strict -fPIE -pie -o pie \
    "$here/regions.c" -lpthread; then
    works "position-independent" pie
fi
# Its linker settles weak references for good: the tracer is found at run time.
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
    # mpi.h's own C++ is not held to our rules.
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
else
    skip "Fortran" "no $mpifort"
fi
done_testing
