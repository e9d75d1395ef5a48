/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that compute, then exchange messages through the ports of their hosts; the first host has the first half of the ranks.
 *
 *     ports PATTERN [STEPS [BYTES [WORK]]]            WORK: about microseconds
 *
 * Patterns:
 *     stream      each rank of the first host sends to its partner on the second host
 *     pairs       each rank exchanges with its partner on the other host
 *     pingpong    each rank of the first host sends to its partner and receives from it
 *     ring        each rank sends to the next rank and receives from the one before
 *     halo        each rank exchanges with both neighbours of the ring
 *     everybody   each rank exchanges with all others, by messages that are posted at once
 *     alltoall, allreduce, allgather, bcast           the collective, BYTES for each rank (alltoall: for each pair) */
#include "validate/programs/work.h"

#include <string.h>

struct ports {
    int rank, ranks, size;
    char *sent, *received; /* SIZE bytes for each rank */
    MPI_Request *request;  /* two for each rank */
};

static void stream(struct ports *p)
{
    const int half = p->ranks / 2;
    if (p->rank < half)
        MPI_Send(p->sent, p->size, MPI_BYTE, p->rank + half, 0, MPI_COMM_WORLD);
    else if (p->rank < 2 * half)
        MPI_Recv(p->received, p->size, MPI_BYTE, p->rank - half, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(struct ports *p, int to, int from)
{
    MPI_Sendrecv(p->sent, p->size, MPI_BYTE, to, 0, p->received, p->size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pairs(struct ports *p)
{
    const int partner = (p->rank + p->ranks / 2) % p->ranks;
    exchange(p, partner, partner);
}

static void pingpong(struct ports *p)
{
    const int half = p->ranks / 2, partner = (p->rank + half) % (2 * half);
    for (int turn = 0; turn < 2 && p->rank < 2 * half; turn++) {
        if ((p->rank < half) == (turn == 0))
            MPI_Send(p->sent, p->size, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(p->received, p->size, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void ring(struct ports *p)
{
    exchange(p, (p->rank + 1) % p->ranks, (p->rank + p->ranks - 1) % p->ranks);
}

/* Exchanges with the ranks at distances 1 to REACH, in both directions. */
static void exchange_all(struct ports *p, int reach)
{
    int n = 0;
    for (int k = 1; k <= reach; k++)
        MPI_Irecv(p->received + (size_t)k * (size_t)p->size, p->size, MPI_BYTE, (p->rank + p->ranks - k) % p->ranks, k,
                  MPI_COMM_WORLD, &p->request[n++]);
    for (int k = 1; k <= reach; k++)
        MPI_Isend(p->sent, p->size, MPI_BYTE, (p->rank + k) % p->ranks, k, MPI_COMM_WORLD, &p->request[n++]);
    MPI_Waitall(n, p->request, MPI_STATUSES_IGNORE);
}

static void everybody(struct ports *p)
{
    exchange_all(p, p->ranks - 1);
}

static void halo(struct ports *p)
{
    const int left = (p->rank + p->ranks - 1) % p->ranks, right = (p->rank + 1) % p->ranks;
    MPI_Irecv(p->received, p->size, MPI_BYTE, left, 0, MPI_COMM_WORLD, &p->request[0]);
    MPI_Irecv(p->received + p->size, p->size, MPI_BYTE, right, 1, MPI_COMM_WORLD, &p->request[1]);
    MPI_Isend(p->sent, p->size, MPI_BYTE, right, 0, MPI_COMM_WORLD, &p->request[2]);
    MPI_Isend(p->sent, p->size, MPI_BYTE, left, 1, MPI_COMM_WORLD, &p->request[3]);
    MPI_Waitall(4, p->request, MPI_STATUSES_IGNORE);
}

static void alltoall(struct ports *p)
{
    MPI_Alltoall(p->sent, p->size, MPI_BYTE, p->received, p->size, MPI_BYTE, MPI_COMM_WORLD);
}

static void allreduce(struct ports *p)
{
    MPI_Allreduce(p->sent, p->received, p->size / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(struct ports *p)
{
    MPI_Allgather(p->sent, p->size, MPI_BYTE, p->received, p->size, MPI_BYTE, MPI_COMM_WORLD);
}

static void bcast(struct ports *p)
{
    MPI_Bcast(p->sent, p->size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*run)(struct ports *p);
} patterns[] = {{"stream", stream}, {"pairs", pairs}, {"pingpong", pingpong}, {"ring", ring}, {"halo", halo},
                {"everybody", everybody}, {"alltoall", alltoall}, {"allreduce", allreduce}, {"allgather", allgather},
                {"bcast", bcast}};

int main(int argc, char **argv)
{
    const int steps = argument(argc, argv, 2, 1, 100), units = argument(argc, argv, 4, 0, 500);
    struct ports p = {.size = argument(argc, argv, 3, 0, 200000)};
    uint64_t sum = 1;
    size_t i = 0;
    while (i < sizeof patterns / sizeof *patterns && argc > 1 && strcmp(argv[1], patterns[i].name) != 0)
        i++;
    if (argc < 2 || i == sizeof patterns / sizeof *patterns) {
        fprintf(stderr, "ports: no such pattern\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    const int ranks = p.ranks > 2 ? p.ranks : 2;
    p.sent = buffer(p.size * ranks);
    p.received = buffer(p.size * ranks);
    p.request = calloc(2 * (size_t)ranks, sizeof(MPI_Request));
    for (int step = 0; step < steps && p.request; step++) {
        sum = work(units, sum);
        patterns[i].run(&p);
    }
    free(p.sent);
    free(p.received);
    free(p.request);
    MPI_Finalize();
    return sum == 0;
}
