/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks synchronized clocks: sends messages around all ranks, with time stamps converted to the common time. No
 * message may arrive before it was sent by more than the error bounds of both ends. Argument: the timer's name. Rank 0
 * prints whether the ranks share a clock. */
#include <mpi.h>
#include <stdio.h>

#include "bench/harness/sync.h"

enum { MESSAGES = 2000, ROUNDS = 5 };

struct stamps {
    uint64_t sent[MESSAGES * ROUNDS], received[MESSAGES * ROUNDS];
};

/* Sends message I from rank A to rank B; each notes its own time stamp. */
static void pass(int rank, int a, int b, enum mpg_timer_kind kind, struct stamps *stamps, int i)
{
    if (rank == a) {
        stamps->sent[i] = mpg_timer_read(kind);
        MPI_Send(NULL, 0, MPI_BYTE, b, 0, MPI_COMM_WORLD);
    } else if (rank == b) {
        MPI_Recv(NULL, 0, MPI_BYTE, a, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        stamps->received[i] = mpg_timer_read(kind);
    }
}

/* Returns the number of messages that this rank received before they were sent, even with the error bounds. */
static int count_early(const struct mpg_sync *sync, int rank, int ranks, const struct stamps *stamps)
{
    static double mine_ns[MESSAGES * ROUNDS], theirs_ns[MESSAGES * ROUNDS];
    int wrong = 0;
    double bound_ns = mpg_sync_error_ns(sync, rank), others_ns = 0;
    MPI_Allreduce(&bound_ns, &others_ns, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES * ROUNDS; i++)
        mine_ns[i] = mpg_sync_time_ns(sync, rank, stamps->sent[i]);
    MPI_Sendrecv(mine_ns, MESSAGES * ROUNDS, MPI_DOUBLE, (rank + 1) % ranks, 1, theirs_ns, MESSAGES * ROUNDS, MPI_DOUBLE,
                 (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < MESSAGES * ROUNDS; i++)
        wrong += mpg_sync_time_ns(sync, rank, stamps->received[i]) + bound_ns + others_ns < theirs_ns[i];
    return wrong;
}

int main(int argc, char **argv)
{
    static struct stamps stamps;
    struct mpg_error err = {""};
    struct mpg_timer timer;
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2 || mpg_timer_open(argv[1], &timer, &err) < 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    struct mpg_sync *sync = mpg_sync_open(MPI_COMM_WORLD, &timer, &err);
    if (!sync)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < MESSAGES * ROUNDS; i++) {
        if (i % MESSAGES == 0 && mpg_sync_probe(sync, &err) < 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        for (int a = 0; a < ranks; a++)
            pass(rank, a, (a + 1) % ranks, timer.kind, &stamps, i);
    }
    if (mpg_sync_probe(sync, &err) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int mine = count_early(sync, rank, ranks, &stamps);
    MPI_Allreduce(&mine, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s, %d before they were sent\n# last rank: error %.1f ns, drift %g\n",
               mpg_sync_shared(sync) ? "shared" : "synchronised", wrong,
               mpg_sync_error_ns(sync, ranks - 1), mpg_sync_drift(sync, ranks - 1));
    mpg_sync_close(sync);
    MPI_Finalize();
    return 0;
}
