/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The token ring of Sottile, Chandu, Bader 2006, section 6.1: direct n-body interactions by passing packets of
 * bodies round a ring.
 *
 *     ring [TRAVERSALS [BODIES [separate]]]
 *
 * Every rank owns bodies and starts with a packet of the same bodies. In each step a rank computes the interaction
 * of its own bodies with the current packet, then passes the packet to the right and takes the left neighbour's
 * packet, with blocking calls. In a traversal, which has one step for each rank, every packet meets every rank.
 * The last packet is not passed on. So a rank has traversals x ranks phases of computation, and one pass less.
 *
 * `separate` passes packets with MPI_Send and MPI_Recv, even ranks sending first, instead of MPI_Sendrecv_replace. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_TAG = 7 };

/* Returns the sum over all pairs of own and visiting bodies of 1 / (1 + distance^2). */
static double interact(const double *own, const double *visiting, int bodies)
{
    double sum = 0;
    for (int i = 0; i < bodies; i++)
        for (int j = 0; j < bodies; j++) {
            double d = own[i] - visiting[j];
            sum += 1 / (1 + d * d);
        }
    return sum;
}

static void pass(double *packet, double *spare, int bodies, int separate, int left, int right,
                 int rank)
{
    if (!separate || left == rank)
        MPI_Sendrecv_replace(packet, bodies, MPI_DOUBLE, right, RING_TAG, left, RING_TAG,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank % 2 == 0) {
        MPI_Send(packet, bodies, MPI_DOUBLE, right, RING_TAG, MPI_COMM_WORLD);
        MPI_Recv(packet, bodies, MPI_DOUBLE, left, RING_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        memcpy(spare, packet, (size_t)bodies * sizeof *spare);
        MPI_Recv(packet, bodies, MPI_DOUBLE, left, RING_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(spare, bodies, MPI_DOUBLE, right, RING_TAG, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    int traversals = argc > 1 ? atoi(argv[1]) : 10;
    int bodies = argc > 2 ? atoi(argv[2]) : 128;
    int separate = argc > 3 && strcmp(argv[3], "separate") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *own = malloc(((size_t)bodies + 1) * sizeof *own);
    double *packet = malloc(((size_t)bodies + 1) * sizeof *packet);
    double *spare = malloc(((size_t)bodies + 1) * sizeof *spare);
    if (traversals < 1 || bodies < 1 || !own || !packet || !spare) {
        fprintf(stderr, "usage: ring [TRAVERSALS [BODIES [separate]]], both at least 1\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < bodies; i++)
        own[i] = packet[i] = rank + (double)i / bodies;

    double energy = 0;
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int step = 0; step < traversals * ranks; step++) {
        if (step > 0)
            pass(packet, spare, bodies, separate, left, right, rank);
        energy += interact(own, packet, bodies);
    }

    /* Every rank can compute the expected result by itself. */
    double expected = 0;
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < bodies; i++)
            packet[i] = r + (double)i / bodies;
        expected += traversals * interact(own, packet, bodies);
    }
    int right_result = fabs(energy - expected) <= 1e-9 * expected;
    if (rank == 0 || !right_result)
        printf("ring: rank %d of %d, %d traversals, energy %.6g: result %s\n", rank, ranks, traversals,
               energy, right_result ? "correct" : "WRONG");
    free(own);
    free(packet);
    free(spare);
    MPI_Finalize();
    return right_result ? 0 : 1;
}
