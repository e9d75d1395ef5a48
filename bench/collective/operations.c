/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collective operations. */
#include "config.h"

#include "bench/collective/operations.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[MPG_OPERATIONS] = {"barrier", "bcast", "allreduce", "alltoall"};

const char *mpg_operation_name(enum mpg_operation operation)
{
    return names[operation];
}

int mpg_operation_find(const char *name)
{
    for (int i = 0; i < MPG_OPERATIONS; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int64_t mpg_operation_bytes(enum mpg_operation operation, int processes, int64_t size_bytes)
{
    return operation == MPG_OPERATION_ALLTOALL ? processes * size_bytes : size_bytes;
}

static char *touched(int64_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = ((size_t)bytes / page + 1) * page;
    char *memory = aligned_alloc(page, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

int mpg_buffers_make(struct mpg_buffers *buffers, int64_t bytes, struct mpg_error *err)
{
    *buffers = (struct mpg_buffers){touched(bytes), touched(bytes), bytes};
    if (buffers->send && buffers->receive)
        return 0;
    mpg_buffers_clear(buffers);
    return mpg_error_set(err, "out of memory for two buffers of %lld bytes", (long long)bytes);
}

void mpg_buffers_clear(struct mpg_buffers *buffers)
{
    free(buffers->send);
    free(buffers->receive);
    *buffers = (struct mpg_buffers){NULL, NULL, 0};
}

void mpg_operation_run(enum mpg_operation operation, const struct mpg_buffers *buffers,
                       int64_t size_bytes, MPI_Comm comm)
{
    int size = (int)size_bytes;
    switch (operation) {
    case MPG_OPERATION_BARRIER:
        MPI_Barrier(comm);
        break;
    case MPG_OPERATION_BCAST:
        MPI_Bcast(buffers->send, size, MPI_BYTE, 0, comm);
        break;
    case MPG_OPERATION_ALLREDUCE:
        MPI_Allreduce(buffers->send, buffers->receive, size / (int)sizeof(double), MPI_DOUBLE,
                      MPI_SUM, comm);
        break;
    default:
        MPI_Alltoall(buffers->send, size, MPI_BYTE, buffers->receive, size, MPI_BYTE, comm);
    }
}

/* ---- right or wrong ---- */

/* Byte I of what rank FROM sends to rank TO. */
static char data_byte(int from, int to, int64_t i)
{
    return (char)(1 + (from * 31 + to * 17 + i * 7) % 251);
}

/* Element I of rank FROM's vector: small enough for sums to be exact. */
static double data_double(int from, int64_t i)
{
    return (from + 1) * 0.375 + (double)(i % 1024);
}

static void fill(enum mpg_operation operation, const struct mpg_buffers *buffers, int rank,
                 int ranks, int64_t size_bytes)
{
    double *vector = (double *)(void *)buffers->send;
    memset(buffers->receive, 0, (size_t)buffers->bytes);
    memset(buffers->send, 0, (size_t)buffers->bytes);
    if (operation == MPG_OPERATION_BCAST && rank == 0)
        for (int64_t i = 0; i < size_bytes; i++)
            buffers->send[i] = data_byte(0, 0, i);
    if (operation == MPG_OPERATION_ALLREDUCE)
        for (int64_t i = 0; i < size_bytes / (int64_t)sizeof *vector; i++)
            vector[i] = data_double(rank, i);
    if (operation == MPG_OPERATION_ALLTOALL)
        for (int to = 0; to < ranks; to++)
            for (int64_t i = 0; i < size_bytes; i++)
                buffers->send[to * size_bytes + i] = data_byte(rank, to, i);
}

static bool is_right(enum mpg_operation operation, const struct mpg_buffers *buffers, int rank,
                     int ranks, int64_t size_bytes)
{
    const double *vector = (const double *)(const void *)buffers->receive;
    bool right = true;
    if (operation == MPG_OPERATION_BCAST)
        for (int64_t i = 0; i < size_bytes; i++)
            right = right && buffers->send[i] == data_byte(0, 0, i);
    if (operation == MPG_OPERATION_ALLREDUCE)
        for (int64_t i = 0; i < size_bytes / (int64_t)sizeof *vector; i++)
            right = right && vector[i] == 0.375 * ranks * (ranks + 1) / 2 +
                                              (double)ranks * (double)(i % 1024);
    if (operation == MPG_OPERATION_ALLTOALL)
        for (int from = 0; from < ranks; from++)
            for (int64_t i = 0; i < size_bytes; i++)
                right = right &&
                        buffers->receive[from * size_bytes + i] == data_byte(from, rank, i);
    return right;
}

int mpg_operation_check(enum mpg_operation operation, const struct mpg_buffers *buffers,
                        int64_t size_bytes, MPI_Comm comm, struct mpg_error *err)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    fill(operation, buffers, rank, ranks, size_bytes);
    mpg_operation_run(operation, buffers, size_bytes, comm);
    if (is_right(operation, buffers, rank, ranks, size_bytes))
        return 0;
    return mpg_error_set(err, "%s of %lld bytes among %d processes delivers wrong data to rank %d;"
                              " do not trust this MPI library", names[operation],
                         (long long)size_bytes, ranks, rank);
}
