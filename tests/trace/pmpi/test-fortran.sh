#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fortran programs under mpgtrace record (TAP): each binding has a wrapper for all that
# its library offers, and the same program leaves the same trace through each.
# shellcheck disable=SC2086
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc" "$mpifort"

# calls TRACE: prints its calls, rank by rank, without times, and without those that MPICH makes itself.
calls() {
    printed "$1" | sed -nE '/ Improbe .*found=0| File_(c2f|f2c)/d
        s/ site=[0-9]+//; s/^([0-9]+) [0-9]+ [0-9]+ /\1 /p' | sort -s -n -k1,1
}

# expected: prints the calls on standard input. MPI_Op_create is removed for MPICH 5, whose Fortran function calls
# MPI_Op_c2f instead.
expected() {
    if [ "$mpich" -ge 50000000 ]; then grep -vE ' Op_(create|c2f)$'; else cat; fi | numbered
}

# matches TRACE EXPECTED: succeeds if the trace has the calls in EXPECTED.
matches() {
    calls "$1" | expected | diff <(grep -v '^#' "$2" | expected) - >differences && return
    sed 's/^/# /' differences | head -40
    return 1
}

# mpich: version of MPICH as a number, 0 for other MPIs.
mpich=$(printf '#include <mpi.h>\nMPICH_NUMVERSION\n' | $mpicc -E - 2>/dev/null | tail -n 1)
case $mpich in *[!0-9]*) mpich=0 ;; esac

# shellcheck disable=SC2034 # numbered asks
shares=$(shares_memory "$mpicc" "$mpirun" && echo yes || echo no)
# --- the bindings ---
bindings() {
    local binding first
    for binding in 77 90 8; do
        first=1
        [ $binding = 8 ] && [ "$mpich" -ge 40000000 ] && [ "$mpich" -lt 40100000 ] && first=0
        ok "binding $binding compiles" $mpifort -w -cpp -ffree-line-length-none \
            -fallow-argument-mismatch -DBINDING=$binding -DFIRST=$first -o ftrace$binding \
            "$here/ftrace.F90"
        ok "... runs" traced 2 ftrace$binding.trace ./ftrace$binding
        is "... rightly" "$(cat out)" "ftrace: all results are right"
        is "... the tracer says nothing" "$(cat err)" ""
        ok "... and is recorded as made" matches ftrace$binding.trace "$here/ftrace.expected"
    done
}
bindings
ok "fixed form compiles" $mpifort -o ftrace77f "$here/ftrace77.f"
ok "... runs" traced 2 ftrace77f.trace ./ftrace77f
is "... and is recorded as made" "$(calls ftrace77f.trace | grep '^1')" \
    "1 Init
1 Comm_rank
1 Irecv comm=0 from=0 tag=9 bytes=8 any=tag request=1
1 Send comm=0 to=0 tag=9 bytes=8
1 Wait requests=1
1 Reduce comm=0 root=1 bytes=8
1 Finalize"

# --- both languages in one program ---
cat >mixed_c.c <<'END'
#include <mpi.h>
void start_in_c_(MPI_Fint *request, int *buffer)
{
    MPI_Request r;
    MPI_Irecv(buffer, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, &r);
    *request = MPI_Request_c2f(r);
}
void finish_in_c_(MPI_Fint *request)
{
    MPI_Request r = MPI_Request_f2c(*request);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    *request = MPI_Request_c2f(r);
}
END
cat >mixed.f90 <<'END'
program mixed
  use mpi
  integer :: ierr, q(2), a(1), b(1)
  call MPI_Init(ierr)
  a = 5
  call start_in_c(q(1), b)
  call MPI_Isend(a, 1, MPI_INTEGER, 0, 8, MPI_COMM_SELF, q(2), ierr)
  call finish_in_c(q(2))
  if (q(2) /= MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierr)
  if (b(1) /= 5) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Finalize(ierr)
end program mixed
END
ok "C and Fortran together compile" eval "$mpicc -c mixed_c.c && $mpifort -o mixed mixed.f90 mixed_c.o"
ok "... run" traced 1 mixed.trace ./mixed
is "... and know each other's requests" \
    "$(calls mixed.trace | grep -v 'Request_[cf]2')" \
    "0 Init
0 Irecv comm=1 from=0 tag=8 bytes=4 any=tag request=1
0 Isend comm=1 to=0 tag=8 bytes=4 request=2
0 Wait requests=2
0 Wait requests=1
0 Finalize"

# --- array sections: a library may make a type of each, and free it ---
cat >sections.f90 <<'END'
program sections
  use mpi_f08
  real :: a(5, 20), b(20)
  integer :: i, last, step(4) = [1, 2, 5, 1]
  type(MPI_Request) :: q
  call MPI_Init()
  do i = 1, 4
    last = 19 / step(i) + 1
    call MPI_Irecv(b, 20, MPI_REAL, 0, i, MPI_COMM_SELF, q)
    call MPI_Send(a(4, 1:20:step(i)), last, MPI_REAL, 0, i, MPI_COMM_SELF)
    call MPI_Wait(q, MPI_STATUS_IGNORE)
  end do
  call MPI_Finalize()
end program sections
END
ok "sections of arrays compile" $mpifort -o sections sections.f90
ok "... are sent" traced 1 sections.trace ./sections
is "... and counted" "$(calls sections.trace | sed -nE 's/.* Send .*bytes=([0-9]+).*/\1/p' | xargs)" "80 40 16 80"

# --- functions with MPI's names that the program defines ---
cat >own.c <<'END'
#include <mpi.h>
#include <stdio.h>
int mpi_comm_rank(int x) { return x + 1; }
int mpi_send__(int x) { return x + 2; }
int MPI_BARRIER(int x) { return x + 3; }
int (*own_rank(void))(int) { return mpi_comm_rank; }
int own_all(void) { return mpi_comm_rank(1) + mpi_send__(1) + MPI_BARRIER(1); }
END
cat >owns.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *own = dlopen("./libown.so", RTLD_NOW);
    int (*all)(void) = own ? (int (*)(void))dlsym(own, "own_all") : 0;
    int (*(*rank)(void))(int) = own ? (int (*(*)(void))(int))dlsym(own, "own_rank") : 0;
    MPI_Init(&argc, &argv);
    printf("%d %d\n", all ? all() : -1, rank ? rank()(4) : -1);
    return MPI_Finalize();
}
END
ok "a library with functions of such names compiles" eval \
    "$mpicc -shared -fPIC -o libown.so own.c && $mpicc -o owns owns.c -ldl"
ok "... runs" traced 1 owns.trace ./owns
is "... by its own functions" "$(cat out)" "9 5"

# --- every function of the library ---
#
# Those calls of trace/calls.def that exist in Fortran.
sed -nE 's/^MPG_CALL\(([A-Za-z_0-9]+),.*/\1/p' "$here/../../../trace/calls.def" | tr '[:upper:]' '[:lower:]' |
    grep -vE '^(t_|flush$|region_|pcontrol$)|_(c2f|f2c|toint|fromint)$' | sort >known

# named PATTERN: prints those of them that are among the symbols on standard input; the parentheses of PATTERN enclose
# the name.
named() {
    awk '{ print $3 }' | sed -nE "s/^$1\$/\1/p" | tr '[:upper:]' '[:lower:]' | sort -u |
        comm -12 - known
}

# all PATTERN LEAST [LIBRARY]: checks that the tracer (or LIBRARY) wraps all functions that the Fortran libraries export
# with such names, and that these are at least LEAST.
all() {
    ldd ./ftrace8 | sed -nE 's/.*=> ([^ ]*mpi[^ ]*) .*/\1/p' | xargs -n 1 nm -D --defined-only |
        named "$1" >want
    nm -D --defined-only "${3:-$tracer}" | named "$1" | comm -23 want - >missing
    [ "$(wc -l <want)" -ge "$2" ] && [ ! -s missing ] && return
    echo "# $(wc -l <want) are offered; not wrapped: $(tr '\n' ' ' <missing)"
    return 1
}
lower='[a-z0-9_]*[a-z0-9]'
if [ "$mpich" -gt 0 ]; then
    ok "all of mpi_f08 that C's wrappers do not see is wrapped" all "mpi_($lower)_f08_" 200
else
    ok "mpif.h is wrapped" all "mpi_($lower)_" 360
    names=${tracer%.so}-names.so
    ok "... under the names of other compilers" all "mpi_($lower)" 360 "$names"
    ok "... with two underscores" all "mpi_($lower)__" 360 "$names"
    ok "... and in capitals" all 'MPI_([A-Z0-9_]+)' 360 "$names"
    is "... none of which the tracer takes from others" \
        "$(nm -D --defined-only "$tracer" | awk '{ print $3 }' | grep -cE '^(mpi_[a-z_]*[a-z]|mpi_[a-z_]*__|MPI_[A-Z_]*)$')" 0
    cat >capitals.c <<'END'
#include <mpi.h>
void MPI_INIT(int *), mpi_barrier(int *, int *), mpi_finalize__(int *);
int main(void)
{
    int error, world = 0;
    MPI_INIT(&error);
    mpi_barrier(&world, &error);
    mpi_finalize__(&error);
    return error;
}
END
    ok "a program with such names compiles" $mpicc -o capitals capitals.c -lmpi_mpifh
    ok "... runs" traced 2 capitals.trace ./capitals
    is "... and is recorded as made" "$(calls capitals.trace | grep '^1')" "1 Init
1 Barrier comm=0
1 Finalize"
    if nm -D ./ftrace8 | grep -q ' mpi_send_f08ts_'; then # by descriptors, since Open MPI 6
        ok "mpi_f08 is wrapped" all "mpi_($lower)_f08_" 260
        ok "... and where it hands on descriptors" all "mpi_($lower)_f08ts_" 120
    else
        ok "mpi_f08 is wrapped" all "mpi_($lower)_f08_" 340
    fi
    is "so are the ways to get memory of use mpi" \
        "$(nm -D --defined-only "$tracer" | grep -c ' mpi_.*_cptr_$')" 4
fi

done_testing
