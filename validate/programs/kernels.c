/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small parallel programs with the communication of real codes, to be predicted where ranks share ports. They were written before
 * any of them was predicted (docs/VALIDATION.md, Ports that ranks share).
 *
 *     kernels PATTERN [STEPS [BYTES [WORK]]]          WORK: about microseconds of a step
 *
 * Patterns:
 *     grid        halo exchange on a 2 x 2 grid of ranks: long rows of BYTES, short columns of BYTES / 8, MPI_Isend, MPI_Waitall
 *     mixed       halo exchange on a ring, to the left BYTES, to the right BYTES / 4, with a scalar MPI_Allreduce
 *     nbody       a block of BYTES goes round all ranks by MPI_Sendrecv, computation at each rank
 *     farm        rank 0 gives tasks of BYTES to the rank that answers first; the workers return BYTES / 4
 *     wavefront   each rank receives from the rank before, computes, and sends to the next; sweeps in both directions
 *     solver      neighbours exchange BYTES, and three scalar MPI_Allreduce, as conjugate gradients
 *     trainer     MPI_Bcast of BYTES, uneven work, MPI_Reduce of BYTES
 *     fft         transposition by MPI_Alltoall of BYTES for each pair, twice a step, with computation between
 *     sort        MPI_Allreduce of 1024 counts, then MPI_Alltoallv of uneven buckets, BYTES in the mean
 *     gather      MPI_Allgatherv of uneven parts, BYTES in the mean
 *     gradient    MPI_Allreduce of BYTES
 *     linear      panels: the owner of the panel computes, MPI_Bcast of BYTES from it, all update
 *     output      halo exchange with BYTES / 4, and MPI_Gather of BYTES to rank 0 every fifth step
 *     random      each rank sends BYTES to two pseudorandom ranks, and receives as many, MPI_Isend, MPI_Irecv */
#include "validate/programs/work.h"

#include <string.h>

struct kernel {
    int rank, ranks, size, units, step, steps;
    char *sent, *received; /* 2 x SIZE bytes for each rank */
    int *counts, *places, *to_counts, *to_places; /* of each rank */
    MPI_Request request[8];
    uint64_t sum;
};

static void compute(struct kernel *k, int units)
{
    k->sum = work(units, k->sum);
}

/* Returns rank FAR ranks after this one. */
static int neighbour(const struct kernel *k, int far)
{
    return (k->rank + far + k->ranks) % k->ranks;
}

static char *place(char *bytes, const struct kernel *k, int i)
{
    return bytes + 2 * (size_t)i * (size_t)k->size;
}

/* Posts receives and sends with the ranks before and after this one: N[0] bytes go to the next rank, N[1] to the one before. */
static void post(struct kernel *k, const int n[2])
{
    const int peer[2] = {neighbour(k, -1), neighbour(k, 1)};
    for (int i = 0; i < 2; i++)
        MPI_Irecv(place(k->received, k, i), n[i], MPI_BYTE, peer[i], i, MPI_COMM_WORLD, &k->request[i]);
    for (int i = 0; i < 2; i++)
        MPI_Isend(k->sent, n[i], MPI_BYTE, peer[1 - i], i, MPI_COMM_WORLD, &k->request[2 + i]);
}

static void scalar(void)
{
    double x = 1, y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void grid(struct kernel *k)
{
    const int across = (k->rank + k->ranks / 2) % k->ranks, beside = k->rank ^ 1;
    compute(k, k->units);
    MPI_Irecv(place(k->received, k, 0), k->size, MPI_BYTE, across, 0, MPI_COMM_WORLD, &k->request[0]);
    MPI_Irecv(place(k->received, k, 1), k->size / 8, MPI_BYTE, beside, 1, MPI_COMM_WORLD, &k->request[1]);
    MPI_Isend(k->sent, k->size, MPI_BYTE, across, 0, MPI_COMM_WORLD, &k->request[2]);
    MPI_Isend(k->sent, k->size / 8, MPI_BYTE, beside, 1, MPI_COMM_WORLD, &k->request[3]);
    MPI_Waitall(4, k->request, MPI_STATUSES_IGNORE);
}

static void mixed(struct kernel *k)
{
    const int n[2] = {k->size / 4, k->size};
    compute(k, k->units);
    post(k, n);
    MPI_Waitall(4, k->request, MPI_STATUSES_IGNORE);
    scalar();
}

static void nbody(struct kernel *k)
{
    for (int i = 0; i < k->ranks; i++) {
        compute(k, k->units / k->ranks);
        if (i + 1 < k->ranks)
            MPI_Sendrecv(place(k->sent, k, i % 2), k->size, MPI_BYTE, neighbour(k, 1), i, place(k->received, k, i % 2), k->size,
                         MPI_BYTE, neighbour(k, -1), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* All steps at once: a task for each worker and step. */
static void farm(struct kernel *k)
{
    MPI_Status status;
    int tasks = k->steps * (k->ranks - 1), at_work = 0;
    for (int n = 1; k->rank > 0; n++) {
        MPI_Recv(k->received, k->size, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == 0)
            return;
        compute(k, k->units * (k->rank + n % 3) / 2);
        MPI_Send(k->sent, k->size / 4, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    for (; at_work < k->ranks - 1; at_work++, tasks--)
        MPI_Send(k->sent, k->size, MPI_BYTE, at_work + 1, 1, MPI_COMM_WORLD);
    for (; at_work > 0; tasks--) {
        MPI_Recv(k->received, k->size, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Send(k->sent, tasks > 0 ? k->size : 0, MPI_BYTE, status.MPI_SOURCE, tasks > 0, MPI_COMM_WORLD);
        at_work -= tasks <= 0;
    }
}

static void wavefront(struct kernel *k)
{
    const int way = k->step % 2 ? -1 : 1, before = k->rank - way, next = k->rank + way;
    for (int block = 0; block < 4; block++) {
        if (before >= 0 && before < k->ranks)
            MPI_Recv(k->received, k->size, MPI_BYTE, before, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(k, k->units / 4);
        if (next >= 0 && next < k->ranks)
            MPI_Send(k->sent, k->size, MPI_BYTE, next, block, MPI_COMM_WORLD);
    }
}

static void solver(struct kernel *k)
{
    const int n[2] = {k->size, k->size};
    post(k, n);
    compute(k, k->units / 2);
    MPI_Waitall(4, k->request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        compute(k, k->units / 6);
        scalar();
    }
}

static void trainer(struct kernel *k)
{
    MPI_Bcast(k->sent, k->size / 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    compute(k, k->units * (4 + (k->rank + k->step) % 3) / 5);
    MPI_Reduce(k->sent, k->received, k->size / 8, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void fft(struct kernel *k)
{
    for (int i = 0; i < 2; i++) {
        compute(k, k->units / 2);
        MPI_Alltoall(k->sent, k->size, MPI_BYTE, k->received, k->size, MPI_BYTE, MPI_COMM_WORLD);
    }
}

/* Sets the parts of a step: rank I sends SIZE / 2 to 3 / 2 SIZE bytes to rank J. */
static int part(const struct kernel *k, int i, int j)
{
    return k->size / 2 + (i * 5 + j * 3 + k->step) % 5 * (k->size / 4);
}

static void sort(struct kernel *k)
{
    compute(k, k->units / 2);
    MPI_Allreduce(k->sent, k->received, 1024, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < k->ranks; i++) {
        k->to_counts[i] = part(k, k->rank, i);
        k->counts[i] = part(k, i, k->rank);
        k->to_places[i] = k->places[i] = 2 * i * k->size;
    }
    MPI_Alltoallv(k->sent, k->to_counts, k->to_places, MPI_BYTE, k->received, k->counts, k->places, MPI_BYTE, MPI_COMM_WORLD);
    compute(k, k->units / 2);
}

static void gather(struct kernel *k)
{
    for (int i = 0; i < k->ranks; i++) {
        k->counts[i] = part(k, i, 0);
        k->places[i] = 2 * i * k->size;
    }
    compute(k, k->units);
    MPI_Allgatherv(k->sent, k->counts[k->rank], MPI_BYTE, k->received, k->counts, k->places, MPI_BYTE, MPI_COMM_WORLD);
}

static void gradient(struct kernel *k)
{
    compute(k, k->units);
    MPI_Allreduce(k->sent, k->received, k->size / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void linear(struct kernel *k)
{
    const int owner = k->step % k->ranks;
    if (k->rank == owner)
        compute(k, k->units / 4);
    MPI_Bcast(k->sent, k->size, MPI_BYTE, owner, MPI_COMM_WORLD);
    compute(k, k->units);
}

static void output(struct kernel *k)
{
    const int n[2] = {k->size / 4, k->size / 4};
    compute(k, k->units);
    post(k, n);
    MPI_Waitall(4, k->request, MPI_STATUSES_IGNORE);
    if (k->step % 5 == 4)
        MPI_Gather(k->sent, k->size, MPI_BYTE, k->received, k->size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scattered(struct kernel *k)
{
    const int far[2] = {1 + k->step * 7 % 3, 1 + (k->step * 7 + 1 + k->step % 2) % 3};
    for (int i = 0; i < 2; i++)
        MPI_Irecv(place(k->received, k, i), k->size, MPI_BYTE, neighbour(k, -far[i] % k->ranks), i, MPI_COMM_WORLD,
                  &k->request[i]);
    compute(k, k->units);
    for (int i = 0; i < 2; i++)
        MPI_Isend(k->sent, k->size, MPI_BYTE, neighbour(k, far[i] % k->ranks), i, MPI_COMM_WORLD, &k->request[2 + i]);
    MPI_Waitall(4, k->request, MPI_STATUSES_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(struct kernel *k);
} patterns[] = {{"grid", grid},       {"mixed", mixed}, {"nbody", nbody},   {"farm", farm},     {"wavefront", wavefront},
                {"solver", solver},   {"trainer", trainer}, {"fft", fft},   {"sort", sort},     {"gather", gather},
                {"gradient", gradient}, {"linear", linear}, {"output", output}, {"random", scattered}};

int main(int argc, char **argv)
{
    struct kernel k = {.steps = argument(argc, argv, 2, 1, 50),
                       .size = argument(argc, argv, 3, 0, 200000),
                       .units = argument(argc, argv, 4, 0, 1000),
                       .sum = 1};
    size_t i = 0;
    while (i < sizeof patterns / sizeof *patterns && argc > 1 && strcmp(argv[1], patterns[i].name) != 0)
        i++;
    if (argc < 2 || i == sizeof patterns / sizeof *patterns) {
        fprintf(stderr, "kernels: no such pattern\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &k.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &k.ranks);
    const int room = 2 * k.size * (k.ranks > 2 ? k.ranks : 2) + 4096;
    k.sent = buffer(room);
    k.received = buffer(room);
    int *numbers = calloc(4 * (size_t)k.ranks, sizeof *numbers);
    if (!numbers)
        MPI_Abort(MPI_COMM_WORLD, 1);
    k.counts = numbers;
    k.places = numbers + k.ranks;
    k.to_counts = numbers + 2 * k.ranks;
    k.to_places = numbers + 3 * k.ranks;
    for (k.step = 0; k.step < (patterns[i].run == farm ? 1 : k.steps); k.step++)
        patterns[i].run(&k);
    free(k.sent);
    free(k.received);
    free(numbers);
    MPI_Finalize();
    return k.sum == 0;
}
