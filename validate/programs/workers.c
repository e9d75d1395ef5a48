/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Master and workers: rank 0 keeps two tasks in progress on each worker, and sends the next task to the worker
 * whose result MPI_Waitany returns.
 *
 *     workers [TASKS [TASK_BYTES [RESULT_BYTES]]] */
#include "validate/programs/work.h"

enum { DEPTH = 2, STOP = DEPTH };

struct sizes {
    int task, result;
};

/* Returns the work of a task, between 5 and 60 units. */
static int units(int task)
{
    return 5 + (int)((unsigned)task * 2654435761u >> 16) % 56;
}

/* Distributes TASKS tasks to RANKS - 1 workers. A slot is a task in progress. */
static void master(int ranks, int tasks, struct sizes size)
{
    int slots = (ranks - 1) * DEPTH, next = 0, slot;
    char *task = buffer(size.task + (int)sizeof next), *result = buffer(slots * size.result);
    MPI_Request *request = malloc((size_t)(slots + 1) * sizeof *request);
    if (!request)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (slot = 0; slot < slots; slot++)
        request[slot] = MPI_REQUEST_NULL;
    for (slot = 0; slot < slots && next < tasks; slot++) {
        MPI_Irecv(result + slot * size.result, size.result, MPI_BYTE, 1 + slot / DEPTH,
                  slot % DEPTH, MPI_COMM_WORLD, &request[slot]);
        *(int *)(void *)task = next++;
        MPI_Send(task, size.task, MPI_BYTE, 1 + slot / DEPTH, slot % DEPTH, MPI_COMM_WORLD);
    }
    for (;;) {
        MPI_Waitany(slots, request, &slot, MPI_STATUS_IGNORE);
        if (slot == MPI_UNDEFINED)
            break;
        if (next == tasks)
            continue;
        MPI_Irecv(result + slot * size.result, size.result, MPI_BYTE, 1 + slot / DEPTH,
                  slot % DEPTH, MPI_COMM_WORLD, &request[slot]);
        *(int *)(void *)task = next++;
        MPI_Send(task, size.task, MPI_BYTE, 1 + slot / DEPTH, slot % DEPTH, MPI_COMM_WORLD);
    }
    for (int r = 1; r < ranks; r++)
        MPI_Send(task, 0, MPI_BYTE, r, STOP, MPI_COMM_WORLD);
    free(request);
    free(result);
    free(task);
}

static uint64_t worker(struct sizes size)
{
    uint64_t sum = 1;
    char *task = buffer(size.task + (int)sizeof(int)), *result = buffer(size.result);
    MPI_Status status;
    for (;;) {
        MPI_Recv(task, size.task, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        sum = work(units(*(int *)(void *)task), sum);
        MPI_Send(result, size.result, MPI_BYTE, 0, status.MPI_TAG, MPI_COMM_WORLD);
    }
    free(result);
    free(task);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks, tasks = argument(argc, argv, 1, 1, 2000);
    uint64_t sum = 1;
    struct sizes size = {argument(argc, argv, 2, (int)sizeof(int), 256),
                         argument(argc, argv, 3, 0, 1024)};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        master(ranks, tasks, size);
    else
        sum = worker(size);
    MPI_Finalize();
    return sum == 0;
}
