#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace record under a real Slurm (TAP), which validate/slurm.sh starts on this machine: srun with a protocol that the
# program's MPI knows and without one, batch scripts, mpirun inside a step, ranks that are not traced, cancelled jobs.
# Skipped where Slurm's programs are missing or cannot start.
# shellcheck disable=SC2154,SC2086,SC2016,SC2034,SC2012
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
slurm=$(cd "$top_srcdir" && pwd)/validate/slurm.sh

# Prints how many processes found each other.
cat >app.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0, steps = argc > 1 ? atoi(argv[1]) : 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < steps; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks\n", size);
    return MPI_Finalize();
}
END

# The MPIs that are installed here, and the usual protocol of each.
usual() {
    case $1 in openmpi) echo pmix ;; mpich) echo pmi2 ;; esac
}
other() {
    case $1 in openmpi) echo mpich ;; mpich) echo openmpi ;; esac
}
families=$MPI_LIBRARY
ok "the program compiles" $mpicc -o "app.$MPI_LIBRARY" app.c
start_openmpi=$mpirun start_mpich=${OTHER_MPIRUN:-}
[ "$MPI_LIBRARY" = openmpi ] || start_openmpi=${OTHER_MPIRUN:-} start_mpich=$mpirun
if [ -n "${OTHER_MPICC:-}" ]; then
    families="$families $(other "$MPI_LIBRARY")"
    ok "the other MPI's program compiles" $OTHER_MPICC -o "app.$(other "$MPI_LIBRARY")" app.c
fi

# --- inside Slurm: everything that is examined later ---
#
# In an allocation of two tasks; $1: the MPI, $2: its protocol, $3: its launcher.
cat >allocated.sh <<'END'
mpi=$1 protocol=$2 launcher=$3
run() { timeout -k 5 120 "$@" </dev/null; }
srun --mpi=list >list 2>&1
run srun -n 2 --mpi=$protocol ./app.$mpi >$mpi.untraced 2>&1
run srun -n 2 --mpi=$protocol "$MPGTRACE" record -o $mpi.trace ./app.$mpi >$mpi.out 2>$mpi.err
run srun -n 2 --mpi=$protocol "$MPGTRACE" record -o $mpi.trace ./app.$mpi >$mpi.again.out 2>$mpi.again.err
run srun -n 2 --mpi=none "$MPGTRACE" record -o $mpi.none ./app.$mpi >$mpi.none.out 2>$mpi.none.err
run srun -n 1 --mpi=none "$MPGTRACE" record -o $mpi.one ./app.$mpi >$mpi.one.out 2>$mpi.one.err
run srun -n 2 --mpi=none sh -c "exec $launcher -np 1 '$MPGTRACE' record -o $mpi.nested.\$SLURM_PROCID ./app.$mpi" \
    >$mpi.nested.out 2>$mpi.nested.err
run srun -n 2 --mpi=$protocol sh -c "[ \$SLURM_PROCID = 0 ] || exec ./app.$mpi; exec '$MPGTRACE' record -o $mpi.partly ./app.$mpi" \
    >$mpi.partly.out 2>$mpi.partly.err
END
# Batch jobs; $1: the MPI, $2: its protocol. One runs a program with one process, one is cancelled.
cat >batch.sh <<'END'
mpi=$1 protocol=$2
ended() { while [ -n "$(squeue --noheader --job "$1" 2>/dev/null)" ]; do sleep 0.1; done; }
printf '#!/bin/sh\n"%s" record -o %s.serial ./app.%s\n' "$MPGTRACE" $mpi $mpi >serial.sh
ended "$(sbatch --parsable -n 2 -o $mpi.serial.out serial.sh)"
printf '#!/bin/sh\nexec srun --mpi=%s "%s" record -o %s.killed ./app.%s 1000000000\n' $protocol "$MPGTRACE" $mpi $mpi >long.sh
job=$(sbatch --parsable -n 2 -o $mpi.killed.out long.sh)
for _ in $(seq 300); do
    [ "$(ls $mpi.killed/rank-*.window.mpgt 2>/dev/null | wc -l)" = 2 ] && break
    sleep 0.1
done
sleep 1
scancel "$job"
ended "$job"
END
{
    echo 'export SLURM_CPU_BIND=none # where there is one core'
    echo 'echo "$SLURM_CONF" >configuration'
    for mpi in $families; do
        launcher=start_$mpi
        launcher=${!launcher}
        case $(mpi_launcher "${launcher:-none}") in
        hydra) launcher="$launcher -launcher fork" ;;
        openmpi*) ;;
        *) launcher=false ;;
        esac
        echo "salloc --quiet -n 2 bash allocated.sh $mpi $(usual $mpi) '$launcher'"
        # With a protocol unknown to this MPI, each process would be a job of its own, and the step would never end.
        echo "grep -qx '2 ranks' $mpi.untraced && bash batch.sh $mpi $(usual $mpi)"
    done
    echo true
} >all.sh
export MPGTRACE
cores=$(nproc)
timeout -k 30 600 "$slurm" --cpus $((cores > 2 ? cores : 2)) bash all.sh >log 2>&1
status=$?
case $status in
77) skip_all "$(sed -n 's/^slurm.sh: no Slurm here: //p' log)" ;;
esac
is "Slurm ran and ended" "$status" 0
[ "$status" = 0 ] || sed 's/^/# /' log
left=$(grep -lzsxF "SLURM_CONF=$(cat configuration)" /proc/[0-9]*/environ | wc -l)
is "... and left no process behind" "$left" 0

# --- the results ---
one_job="MPI_COMM_WORLD has 1 rank"
for mpi in $families; do
    protocol=$(usual $mpi)
    if ! grep -qwE "$protocol(_v[0-9]+)?" list; then
        skip "$mpi" "srun has no $protocol"
        continue
    elif ! grep -qx "2 ranks" $mpi.untraced; then
        skip "$mpi" "it does not know srun's $protocol"
    else
        like "$mpi: one trace of two ranks" "$(cat $mpi.err)" "*mpgtrace: $mpi.trace: 2 ranks, 14 calls, *"
        is "... the calls of both" "$("$MPGTRACE" print $mpi.trace | awk '!/^#/ && $4 != "Flush" { print $1, $4 }' | sort | uniq -c | xargs)" \
            "3 0 Allreduce 1 0 Comm_rank 1 0 Comm_size 1 0 Finalize 1 0 Init 3 1 Allreduce 1 1 Comm_rank 1 1 Comm_size 1 1 Finalize 1 1 Init"
        is "... of this host" "$("$MPGTRACE" print $mpi.trace | grep '^#host' | xargs)" "#host 0 $(hostname) #host 1 $(hostname)"
        like "$mpi: the same command once more does not touch it" "$(cat $mpi.again.err)" "*$mpi.trace: holds a trace already*"
        like "$mpi: a rank without mpgtrace record: all run, untraced" "$(cat $mpi.partly.out $mpi.partly.err)" \
            "*2 ranks*only 1 of 2 ranks run under mpgtrace record: they run untraced*"
        is "$mpi: a cancelled job's ranks are in its trace" \
            "$("$MPGTRACE" stat $mpi.killed 2>&1 | grep -c '^died  *rank [01] ')" 2
        ok "... with their calls" test "$("$MPGTRACE" print $mpi.killed 2>/dev/null | grep -c Allreduce)" -gt 2
        like "$mpi: a program of one process in a batch script of two tasks" "$(cat $mpi.serial.out)" "*1 rank, 7 calls*"
        is "... is no job that fell apart" "$(grep -c "$one_job" $mpi.serial.out)" 0
    fi
    # Without a protocol Open MPI 4 fails in MPI_Init; other MPIs run each task as a job of its own.
    if grep -q "nothing was traced" $mpi.none.err; then
        is "$mpi: without a protocol MPI_Init fails, and one line says what to do" \
            "$(grep -c "^mpgtrace: nothing was traced: MPI_Init did not succeed in ./app.$mpi: .*'srun --mpi=$protocol'" $mpi.none.err)" 1
        ok "... in a step of one task, too" grep -q "MPI_Init did not succeed in ./app.$mpi: " $mpi.one.err
    else
        is "$mpi: without a protocol the job falls apart, and one line says what to do" \
            "$(grep -c "^mpgtrace: $one_job, though srun started 2: .*; srun gave them no PMI; .*'srun --mpi=$protocol'" $mpi.none.err)" 1
        is "... none of the traces is lost" "$(ls -d $mpi.none $mpi.none-2 2>/dev/null | wc -l)" 2
        is "... a step of one task is whole" "$(grep -c "$one_job" $mpi.one.err)" 0
    fi
    if [ -s $mpi.nested.out ]; then
        is "$mpi: its launcher with one rank, inside a step of two tasks, is no job that fell apart" \
            "$(grep -c "$one_job" $mpi.nested.err)" 0
    else
        skip "$mpi: its launcher inside a step" "it does not start there"
    fi
done
done_testing
