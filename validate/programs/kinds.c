/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several kinds of communication. Each rank computes about 100 us between communications, with load imbalance.
 *
 *     kinds PATTERN [ROUNDS]
 *
 * persistent: restarted persistent requests, in both directions of a ring.
 * wildcard: receives from any source, with a probe for the size.
 * somes: MPI_Waitsome on four receives, with work after each completed one.
 * windows: fences, then locks.
 * teams: halves of the ranks, with a communicator for each half and an inter-communicator.
 * icollectives: MPI_Iallreduce and MPI_Ibcast, with work until MPI_Waitall; then MPI_Alltoallv. */
#include <string.h>

#include "validate/programs/work.h"

enum { BYTES = 4000, SOME = 4, MOST = 64 };

static int rank, ranks, right, left;
static uint64_t sum = 1;
static char in[SOME][BYTES], out[BYTES];

/* Computes between 60 and 140 units, depending on round and rank. */
static void compute(int round, int part)
{
    const unsigned x = (unsigned)(round * 7 + rank * 3 + part * 5 + 1) * 2654435761u >> 16;
    sum = work(60 + (int)(x % 81), sum);
}

static void persistent(int rounds)
{
    MPI_Request request[4];
    MPI_Recv_init(in[0], BYTES, MPI_BYTE, left, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(in[1], BYTES, MPI_BYTE, right, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Send_init(out, BYTES, MPI_BYTE, right, 1, MPI_COMM_WORLD, &request[2]);
    MPI_Send_init(out, BYTES / 2, MPI_BYTE, left, 2, MPI_COMM_WORLD, &request[3]);
    for (int i = 0; i < rounds; i++) {
        MPI_Startall(4, request);
        compute(i, 0);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&request[i]);
}

static void wildcard(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        MPI_Status status;
        int bytes;
        compute(i, 0);
        MPI_Send(out, 1 + i % BYTES, MPI_BYTE, right, 1, MPI_COMM_WORLD);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        MPI_Recv(in[0], bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void somes(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        MPI_Request request[SOME], sent[SOME];
        int done = 0, n, index[SOME];
        for (int k = 0; k < SOME; k++)
            MPI_Irecv(in[k], BYTES, MPI_BYTE, k % 2 ? left : MPI_ANY_SOURCE, k, MPI_COMM_WORLD, &request[k]);
        for (int k = 0; k < SOME; k++) {
            sum = work(20 + 5 * ((i + rank) % 4), sum);
            MPI_Isend(out, 500 * (k + 1), MPI_BYTE, right, k, MPI_COMM_WORLD, &sent[k]);
        }
        while (done < SOME) {
            MPI_Waitsome(SOME, request, &n, index, MPI_STATUSES_IGNORE);
            done += n;
            sum = work(5 * n, sum);
        }
        MPI_Waitall(SOME, sent, MPI_STATUSES_IGNORE);
    }
}

static void windows(int rounds)
{
    static char shared[2 * BYTES];
    MPI_Win window;
    MPI_Win_create(shared, sizeof shared, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < rounds; i++) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
        MPI_Put(out, BYTES, MPI_BYTE, right, 0, BYTES, MPI_BYTE, window);
        compute(i, 0);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
        MPI_Win_lock(MPI_LOCK_SHARED, left, 0, window);
        MPI_Get(in[0], 100, MPI_BYTE, left, BYTES, 100, MPI_BYTE, window);
        MPI_Win_unlock(left, window);
    }
    MPI_Win_free(&window);
}

static void teams(int rounds)
{
    MPI_Comm team, bridge;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &team);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &bridge);
    for (int i = 0; i < rounds; i++) {
        compute(i, 0);
        MPI_Allreduce(out, in[0], 64, MPI_BYTE, MPI_BOR, team);
        MPI_Bcast(in[1], BYTES, MPI_BYTE, 0, bridge);
        compute(i, 1);
        MPI_Barrier(bridge);
    }
    MPI_Comm_free(&team);
    MPI_Comm_free(&bridge);
}

static void icollectives(int rounds)
{
    int count[MOST], at[MOST];
    for (int i = 0; i < ranks; i++) {
        count[i] = BYTES / ranks;
        at[i] = i * (BYTES / ranks);
    }
    for (int i = 0; i < rounds; i++) {
        MPI_Request request[2];
        MPI_Iallreduce(out, in[0], 256, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request[0]);
        MPI_Ibcast(in[1], BYTES, MPI_BYTE, i % ranks, MPI_COMM_WORLD, &request[1]);
        compute(i, 0);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Alltoallv(out, count, at, MPI_BYTE, in[2], count, at, MPI_BYTE, MPI_COMM_WORLD);
    }
}

static const struct {
    const char *name;
    void (*of)(int rounds);
} patterns[] = {{"persistent", persistent}, {"wildcard", wildcard}, {"somes", somes},
                {"windows", windows},       {"teams", teams},       {"icollectives", icollectives}};

int main(int argc, char **argv)
{
    const int rounds = argument(argc, argv, 2, 1, 4000);
    size_t which = 0, n = sizeof patterns / sizeof *patterns;
    while (which < n && (argc < 2 || strcmp(argv[1], patterns[which].name) != 0))
        which++;
    if (which == n) {
        fprintf(stderr, "%s: PATTERN [ROUNDS]\n", argv[0]);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST)
        MPI_Abort(MPI_COMM_WORLD, 2);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    patterns[which].of(rounds);
    MPI_Finalize();
    return sum == 0;
}
