#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that are killed at random moments, with random options (TAP): a rank, which is mpgtrace record before it is the
# program, the launcher, or all of them at once. Each trace can be read, and has every call that had returned.
# MPGKIT_KILLS says how many (default 6), MPGKIT_SEED with which to begin: each has its own, which is printed.
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
kills=${MPGKIT_KILLS:-6} seed=${MPGKIT_SEED:-$(($(date +%s) % 100000 * 1000))}
ulimit -c 0
export TMPDIR=$tmp
mpi_set "$mpirun" tmpdir
cat >app.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Random calls for ever, from many places; in FILE each rank counts the Sendrecvs that have returned. */
static int rank, ranks;
static volatile uint64_t *counts;

static void passes(void)
{
    int out = rank, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    counts[rank]++;
}

static void calls(unsigned what, int depth)
{
    int out = 1, in = 0, flag;
    MPI_Request r[2];
    MPI_Comm comm;
    if (depth > 0) {
        calls(what, depth - 1);
        MPI_Wtime();
        return;
    }
    switch (what % 6) {
    case 0:
        for (unsigned i = 0; i < what % 50; i++)
            MPI_Wtime();
        break;
    case 1:
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
        break;
    case 2:
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_SELF, &r[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &r[1]);
        for (flag = 0; !flag;)
            MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
        break;
    case 3:
        MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
    case 4:
        MPI_Comm_rank(MPI_COMM_WORLD, &in);
        MPI_Iprobe(0, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        break;
    default:
        passes();
    }
}

int main(int argc, char **argv)
{
    const int fd = open(argv[1], O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, 4096) < 0)
        return 9;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    srand(atoi(argv[2])); /* the same on all ranks */
    passes();
    for (;;) {
        const unsigned what = rand();
        calls(what, what / 64 % 5);
    }
}
END
ok "the program compiles" $mpicc -O1 -w -o app app.c || { done_testing; exit; }

counts() {
    od -An -v -w8 -t u8 -N $((8 * $2)) "$1" | tr -d ' '
}

recorded() {
    "$MPGTRACE" print "$1" 2>complaint | awk -v n="$2" '
        !/^#/ && $4 == "Sendrecv" { split($1, r, "."); calls[r[1]]++ }
        END { for (i = 0; i < n; i++) print calls[i] + 0 }'
}

wait_until() {
    local i
    for i in $(seq 12000); do
        "$@" && return
        sleep 0.01
    done
    echo "# not within two minutes: $*"
    return 1
}

# gone: succeeds if no rank runs. A killed launcher leaves ranks behind.
gone() {
    local pid
    while read -r pid; do
        ! grep -qs '^State:[[:space:]]*[^[:space:]ZX]' "/proc/$pid/status" || return
    done <run.pids
}

# one_of WORD...: prints a random word.
one_of() {
    shift $((RANDOM % $#))
    echo "$1"
}

# choose: prints random options.
choose() {
    one_of "" "--no-local" "--local=3" "--local=0"
    one_of "" "--callsites=0" "--callsites=2" "--callsites=64"
    one_of "--buffer=4KiB" "--buffer=4KiB" "--buffer=16KiB" "--buffer=1MiB"
    one_of "" "" "--cpu-time" "--profile"
}

# killed SEED: kills a random run, and checks that what remains can be read.
killed() {
    local options whom ranks after status
    RANDOM=$1
    options=$(choose | tr '\n' ' ')
    whom=$(one_of rank rank launcher all)
    ranks=$((1 + RANDOM % 4)) after=$((RANDOM % 1500))
    rm -rf run.trace run.counts run.pids out err stat complaint
    touch run.pids
    # shellcheck disable=SC2016,SC2086
    $mpirun -np "$ranks" sh -c 'echo $$ >>run.pids; exec "$@"' sh "$MPGTRACE" record --quiet -o run.trace \
        $options ./app run.counts "$1" >out 2>err &
    launcher=$!
    disown # no message about its end from the shell
    # Most kills come after MPI_Init, some before.
    [ $((RANDOM % 4)) = 0 ] || wait_until counting "$ranks"
    sleep "$((after / 1000)).$(printf %03d $((after % 1000)))"
    # shellcheck disable=SC2046 # numbers
    case $whom in
    rank) kill -KILL "$(sed -n $((1 + RANDOM % ranks))p run.pids)" 2>/dev/null ;;
    launcher) kill -KILL $launcher ;;
    *) kill -KILL $(cat run.pids) 2>/dev/null ;;
    esac
    sleep "0.$(printf %03d $((RANDOM % 500)))" # the other ranks or the launcher may notice
    # shellcheck disable=SC2046 # numbers
    kill -KILL $(cat run.pids) $launcher 2>/dev/null
    echo $launcher >>run.pids
    wait_until gone
    told="# seed $1: $options, $ranks ranks, killed: $whom after $after ms"
    "$MPGTRACE" stat run.trace >stat 2>complaint
    status=$?
    if ! counting "$ranks"; then # some rank was still in MPI_Init: if there is no complete trace, a message says so
        early=$((early + 1))
        [ $status -le 1 ] && [ $((status)) = "$(grep -vc 'attention\|warning' complaint)" ] && return
    elif [ $status = 0 ] && [ "${options#*--profile}" != "$options" ]; then
        return
    elif [ $status = 0 ] && paste <(recorded run.trace "$ranks") <(counts run.counts "$ranks") |
        awk '$1 < $2 || $1 > $2 + 1 { bad = 1 } END { exit bad }'; then
        return
    fi
    echo "$told, status $status: $(head -n 3 complaint)"
    [ $status != 0 ] || paste <(recorded run.trace "$ranks") <(counts run.counts "$ranks") | sed 's/^/# recorded, counted: /'
    cp -r run.trace "${MPGKIT_KEEP:-/nowhere}/run-$1" 2>/dev/null
    return 1
}

# counting RANKS: succeeds when all ranks have begun to count.
counting() {
    [ -s run.counts ] && [ "$(counts run.counts "$1" | grep -cx 0)" = 0 ]
}

early=0
for i in $(seq "$kills"); do
    ok "killed at a random moment, seed $((seed + i))" killed $((seed + i))
done
echo "# $early of $kills before all ranks had left MPI_Init"
done_testing
