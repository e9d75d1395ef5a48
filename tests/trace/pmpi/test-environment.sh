#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tracer's and the launchers' environment variables with values that nobody means (TAP): the program runs as it does
# untraced, nothing that a value holds is run or written, and the tracer says at most one line, without control characters.
# The tracer is preloaded without mpgtrace record, which would set its variables itself.
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
cat >app.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return printf("done %d\n", size) < 0;
}
END
ok "the program compiles" $mpicc -w -o app app.c || { done_testing; exit; }
long=$(head -c 100000 /dev/zero | tr '\0' x)
# shellcheck disable=SC2016 # not to be expanded
code=$(printf '$(touch PWNED);`touch PWNED`;touch PWNED\033[2J\n.')

# mine: prints the names of files that the run left.
mine() {
    find . -mindepth 1 ! -path './t.trace*' ! -name 'traced.err' ! -name said -newer since -printf '%P '
}

# unharmed NAME=VALUE...: checks that the program, with these variables, has the same output and exit status with the
# tracer.
unharmed() {
    local name=$* untraced traced
    untraced=$(timeout 120 env "$@" ./app 2>untraced.err; echo $?)
    rm -rf t.trace && touch since
    traced=$(timeout 120 env MPGTRACE_OUTPUT=t.trace MPGTRACE_QUIET=1 "$@" "LD_PRELOAD=$tracer" ./app 2>traced.err; echo $?)
    name=$(printf '%.60s' "$name" | tr -c ' -~' '?')
    is "$name: output and status are those of the untraced program" "$traced" "$untraced"
    grep '^mpgtrace' traced.err >said
    ok "... at most one line" test "$(wc -l <said)" -le 1
    is "... without control characters" "$(LC_ALL=C tr -d '\n -~' <said | LC_ALL=C tr -d '\200-\377' | wc -c)" 0
    is "... and no other file" "$(mine)" ""
}
rm -f PWNED
for name in BUFFER CALLSITES LOCAL PAPI PCONTROL PROFILE PROGRAM SIGNATURE TOP; do
    for value in "$code" "$long" 99999999999999999999; do
        unharmed "MPGTRACE_$name=$value"
    done
done
unharmed "MPGTRACE_OUTPUT=$long"
unharmed MPGTRACE_OUTPUT=/dev/full
for value in "$code" "$long" ../../../../x; do
    unharmed "PMIX_NAMESPACE=$value" OMPI_COMM_WORLD_LOCAL_SIZE=1
    unharmed "SLURM_JOB_ID=$value" "SLURM_STEP_ID=$value" SLURM_STEP_NUM_TASKS=1 "SLURM_STEP_TASKS_PER_NODE=$value" SLURM_NODEID=0
    unharmed "MPI_LOCALNRANKS=$value" PMI_FD=999
done
unharmed "SLURM_STEP_TASKS_PER_NODE=4(x99999999999),3,(" SLURM_NODEID=5 SLURM_JOB_ID=1 SLURM_STEP_ID=1 SLURM_STEP_NUM_TASKS=3
done_testing
