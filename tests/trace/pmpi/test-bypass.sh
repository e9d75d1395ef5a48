#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs whose calls reach MPI past the tracer (TAP): one line names the module and says why. Programs that only look like
# them leave no such line.
# shellcheck disable=SC2086,SC2154
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
case $(uname -m) in
x86_64 | aarch64) ;;
*) skip_all "modules are not looked at on this machine" ;;
esac

# The program defines functions with MPI's names itself, and hides them from libraries.
cat >own.c <<'END'
#include <mpi.h>
#ifdef BEGINS
int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
__asm__(".hidden MPI_Init");
#endif
#ifdef MEETS
int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
__asm__(".hidden MPI_Barrier");
#endif
#ifdef ENDS
int MPI_Finalize(void) { return PMPI_Finalize(); }
__asm__(".hidden MPI_Finalize");
#endif
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
cat >table.c <<'END'
#include <mpi.h>
typedef int function(MPI_Comm);
function *volatile table[] = {CALLED, CALLED};
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    table[1](MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
cat >addresses.c <<'END'
#include <mpi.h>
int (*volatile begin)(int *, char ***) = PMPI_Init;
int (*volatile meet)(MPI_Comm) = MPI_Barrier;
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    meet(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
cat >inner.c <<'END'
#include <mpi.h>
int begin(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
END
cat >outer.c <<'END'
#include <mpi.h>
int begin(int *, char ***);
int main(int argc, char **argv)
{
    if (argc > 1)
        return 0;
    begin(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
cat >asks.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    int (*begin)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_DEFAULT, "PMPI_Init");
    begin(&argc, &argv);
    return MPI_Finalize();
}
END
all="Init Barrier Finalize"
second="past the tracer, which records MPI_ functions, not PMPI_"

# leaves PROGRAM TRACE [ARGUMENT]...: records PROGRAM with one rank, and prints mpgtrace's messages.
leaves() {
    local program=$1 trace=$2
    shift 2
    rm -rf "$trace"
    timeout -k 5 120 $start -np 1 "$MPGTRACE" record -o "$trace" "$program" "$@" 2>&1 </dev/null | sed -n '/: 1 rank, /d; /^mpgtrace: /p'
}

# called TRACE: prints the names of its calls.
called() {
    "$MPGTRACE" print "$1" | awk '!/^#/ && $4 != "Flush" { print $4 }' | xargs
}

# of WORD COMPILER MPIRUN: all cases with this MPI.
of() {
    local mpi=$1 compiler=$2 start=$3 now
    for now in lazy now; do
        ok "$mpi: a program with a hidden MPI_Barrier compiles ($now)" $compiler -Wl,-z,$now -DMEETS -o meets own.c || return
        is "... which is said, once" "$(leaves ./meets meets.trace)" "mpgtrace: the program calls PMPI_Barrier $second"
        is "... the rest is there" "$(called meets.trace)" "Init Finalize"
    done
    ok "$mpi: one with all of them compiles" $compiler -DBEGINS -DMEETS -DENDS -o whole own.c
    is "... it says why there is no trace" "$(leaves ./whole whole.trace)" \
        "mpgtrace: nothing was traced: ./whole calls PMPI_Init $second (a tool of its own is in it?)"
    ok "$mpi: one with a hidden MPI_Finalize compiles" $compiler -DENDS -o ends own.c
    is "... which is said" "$(leaves ./ends ends.trace)" "mpgtrace: the program calls PMPI_Finalize $second"
    like "... in the trace, too" "$("$MPGTRACE" print ends.trace 2>&1)" "*#fact 0 incomplete MPI_Finalize was called past the tracer*"
    ok "$mpi: one with a table of functions compiles" $compiler -DCALLED=PMPI_Barrier -o table table.c
    is "... which is said" "$(leaves ./table table.trace)" "mpgtrace: the program calls PMPI_Barrier and others $second"
    ok "$mpi: a table of MPI_ functions compiles" $compiler -DCALLED=MPI_Barrier -o right table.c
    is "... nothing is said" "$(leaves ./right right.trace)" ""
    is "... its calls are there" "$(called right.trace)" "$all"
    ok "$mpi: a library that begins compiles" eval '$compiler -shared -fPIC -o libinner.so inner.c &&
        $compiler -o outer outer.c -L. -linner -Wl,-rpath,"$tmp"'
    is "... it is named" "$(leaves ./outer outer.trace)" \
        "mpgtrace: nothing was traced: $tmp/libinner.so calls PMPI_Init $second (a tool of its own is in it?)"
    is "... not where MPI does not begin" "$(leaves ./outer outer.trace none)" \
        "mpgtrace: nothing was traced: no MPI_Init was seen in ./outer"
    ok "$mpi: one that looks up PMPI_Init compiles" $compiler -o asks asks.c -ldl
    is "... that is said" "$(leaves ./asks asks.trace)" \
        "mpgtrace: nothing was traced: ./asks initialized MPI by a call that the tracer does not see"
    # In a program that is not position-independent, the address of a function is the program's own entry for it.
    if $compiler -no-pie -fno-pic -o addresses addresses.c 2>/dev/null; then
        is "$mpi: a program that is no PIE and takes addresses: of MPI_ functions nothing is said" \
            "$(leaves ./addresses addresses.trace)" "mpgtrace: the program calls PMPI_Init $second"
        is "... its calls are there" "$(called addresses.trace)" "$all"
    else
        skip "$mpi: a program that is no PIE" "there is none"
    fi
}
of "$MPI_LIBRARY" "$mpicc" "$mpirun"
if [ -n "${OTHER_MPICC:-}" ] && [ -n "${OTHER_MPIRUN:-}" ]; then
    [ $MPI_LIBRARY = openmpi ] && other=mpich || other=openmpi
    of $other "$OTHER_MPICC" "$OTHER_MPIRUN"
else
    skip "programs of another MPI" "there is one here"
fi
done_testing
