/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations and their verification. */
#include "config.h"

#include "bench/collective/operations.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[MPG_OPERATIONS] = {
    "barrier", "bcast", "allreduce", "alltoall", "reduce", "gather", "scatter", "allgather", "scan",
    "alltoallv", "reduce_scatter", "reduce_local", "reduce_sent"};

const char *mpg_operation_name(enum mpg_bench_operation operation)
{
    return names[operation];
}

const char *const *mpg_operation_names(void)
{
    return names;
}

bool mpg_operation_reduces(enum mpg_bench_operation operation)
{
    return operation == MPG_OPERATION_ALLREDUCE || operation == MPG_OPERATION_REDUCE ||
           operation == MPG_OPERATION_SCAN || operation == MPG_OPERATION_REDUCE_SCATTER ||
           mpg_operation_is_local(operation);
}

bool mpg_operation_is_local(enum mpg_bench_operation operation)
{
    return operation == MPG_OPERATION_REDUCE_LOCAL || operation == MPG_OPERATION_REDUCE_SENT;
}

bool mpg_operation_grows(enum mpg_bench_operation operation)
{
    return operation == MPG_OPERATION_ALLTOALL || operation == MPG_OPERATION_ALLTOALLV ||
           operation == MPG_OPERATION_GATHER || operation == MPG_OPERATION_SCATTER ||
           operation == MPG_OPERATION_ALLGATHER;
}

int64_t mpg_operation_bytes(enum mpg_bench_operation operation, int processes, int64_t size_bytes)
{
    return mpg_operation_grows(operation) ? processes * size_bytes : size_bytes;
}

static char *touched(int64_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = ((size_t)bytes / page + 1) * page;
    char *memory = aligned_alloc(page, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

int mpg_buffers_make(struct mpg_buffers *buffers, int64_t bytes, int ranks, struct mpg_error *err)
{
    *buffers = (struct mpg_buffers){touched(bytes), touched(bytes), bytes, calloc((size_t)ranks, sizeof *buffers->count),
                                    calloc((size_t)ranks, sizeof *buffers->place)};
    if (buffers->send && buffers->receive && buffers->count && buffers->place)
        return 0;
    mpg_buffers_clear(buffers);
    return mpg_error_set(err, "out of memory for two buffers of %lld bytes", (long long)bytes);
}

void mpg_buffers_clear(struct mpg_buffers *buffers)
{
    free(buffers->send);
    free(buffers->receive);
    free(buffers->count);
    free(buffers->place);
    *buffers = (struct mpg_buffers){0};
}

void mpg_operation_run(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                       int64_t size_bytes, MPI_Comm comm)
{
    int size = (int)size_bytes, doubles = size / (int)sizeof(double);
    char *send = buffers->send, *receive = buffers->receive;
    switch (operation) {
    case MPG_OPERATION_BARRIER:
        MPI_Barrier(comm);
        break;
    case MPG_OPERATION_BCAST:
        MPI_Bcast(send, size, MPI_BYTE, 0, comm);
        break;
    case MPG_OPERATION_ALLREDUCE:
        MPI_Allreduce(send, receive, doubles, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case MPG_OPERATION_REDUCE:
        MPI_Reduce(send, receive, doubles, MPI_DOUBLE, MPI_SUM, 0, comm);
        break;
    case MPG_OPERATION_GATHER:
        MPI_Gather(send, size, MPI_BYTE, receive, size, MPI_BYTE, 0, comm);
        break;
    case MPG_OPERATION_SCATTER:
        MPI_Scatter(send, size, MPI_BYTE, receive, size, MPI_BYTE, 0, comm);
        break;
    case MPG_OPERATION_ALLGATHER:
        MPI_Allgather(send, size, MPI_BYTE, receive, size, MPI_BYTE, comm);
        break;
    case MPG_OPERATION_SCAN:
        MPI_Scan(send, receive, doubles, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case MPG_OPERATION_ALLTOALLV:
        MPI_Alltoallv(send, buffers->count, buffers->place, MPI_BYTE, receive, buffers->count, buffers->place, MPI_BYTE, comm);
        break;
    case MPG_OPERATION_REDUCE_SCATTER:
        MPI_Reduce_scatter(send, receive, buffers->count, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case MPG_OPERATION_REDUCE_LOCAL:
    case MPG_OPERATION_REDUCE_SENT:
        MPI_Reduce_local(send, receive, doubles, MPI_DOUBLE, MPI_SUM);
        break;
    default:
        MPI_Alltoall(send, size, MPI_BYTE, receive, size, MPI_BYTE, comm);
    }
}

/* Returns the exchange partner of RANK among RANKS ranks, or MPI_PROC_NULL. */
static int partner_of(int rank, int ranks)
{
    return (rank ^ 1) < ranks ? rank ^ 1 : MPI_PROC_NULL;
}

/* Returns the element with which rank RANK's part begins if DOUBLES elements are divided among RANKS ranks; for RANK = RANKS
 * DOUBLES. Parts differ by at most one element. */
static int part_begin(int doubles, int ranks, int rank)
{
    const int more = doubles % ranks;
    return rank * (doubles / ranks) + (rank < more ? rank : more);
}

/* Sets the counts and places of the blocks of all ranks. */
static void set_blocks(enum mpg_bench_operation operation, const struct mpg_buffers *buffers, int64_t size_bytes, int ranks)
{
    const int size = (int)size_bytes, doubles = size / (int)sizeof(double);
    for (int i = 0; i < ranks; i++) {
        const bool reduces = operation == MPG_OPERATION_REDUCE_SCATTER;
        buffers->place[i] = reduces ? part_begin(doubles, ranks, i) : i * size;
        buffers->count[i] = reduces ? part_begin(doubles, ranks, i + 1) - buffers->place[i] : size;
    }
}

void mpg_operation_prepare(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                          int64_t size_bytes, MPI_Comm comm)
{
    int rank, ranks, doubles = (int)size_bytes / (int)sizeof(double);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (operation == MPG_OPERATION_ALLTOALLV || operation == MPG_OPERATION_REDUCE_SCATTER)
        set_blocks(operation, buffers, size_bytes, ranks);
    if (operation != MPG_OPERATION_REDUCE_SENT)
        return;
    int partner = partner_of(rank, ranks);
    MPI_Sendrecv(buffers->receive, doubles, MPI_DOUBLE, partner, 0, buffers->send, doubles,
                 MPI_DOUBLE, partner, 0, comm, MPI_STATUS_IGNORE);
}

/* ---- verification ---- */

/* Returns byte I of the data from rank FROM to rank TO. */
static char data_byte(int from, int to, int64_t i)
{
    return (char)(1 + (from * 31 + to * 17 + i * 7) % 251);
}

/* Returns element I of rank FROM's vector: small enough for exact sums. */
static double data_double(int from, int64_t i)
{
    return (from + 1) * 0.375 + (double)(i % 1024);
}

/* Returns the sum of element I over the first RANKS ranks. */
static double sum_double(int ranks, int64_t i)
{
    return 0.375 * ranks * (ranks + 1) / 2 + (double)ranks * (double)(i % 1024);
}

/* Fills rank FROM's send buffer: SIZE_BYTES for each of COUNT ranks from TO on. */
static void fill_blocks(char *send, int from, int to, int count, int64_t size_bytes)
{
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < size_bytes; i++)
            send[k * size_bytes + i] = data_byte(from, to + k, i);
}

/* Returns whether rank TO's DATA are the blocks sent by COUNT ranks from FROM on. */
static bool are_blocks(const char *data, int from, int count, int to, int64_t size_bytes)
{
    bool right = true;
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < size_bytes; i++)
            right = right && data[k * size_bytes + i] == data_byte(from + k, to, i);
    return right;
}

/* Returns whether DATA are the sums over ranks FIRST to END - 1, of N elements from BEGIN on. */
static bool are_sums(const char *data, int first, int end, int64_t begin, int64_t n)
{
    const double *vector = (const double *)(const void *)data;
    bool right = true;
    for (int64_t i = 0; i < n; i++)
        right = right && vector[i] == sum_double(end, begin + i) - sum_double(first, begin + i);
    return right;
}

/* Returns whether DATA, SIZE_BYTES, are the sums over ranks FIRST to END - 1 from element 0 on. */
static bool is_sum(const char *data, int first, int end, int64_t size_bytes)
{
    return are_sums(data, first, end, 0, size_bytes / (int64_t)sizeof(double));
}

static void fill(enum mpg_bench_operation operation, const struct mpg_buffers *buffers, int rank,
                 int ranks, int64_t size_bytes)
{
    double *vector = (double *)(void *)(operation == MPG_OPERATION_REDUCE_SENT ? buffers->receive
                                                                               : buffers->send);
    memset(buffers->receive, 0, (size_t)buffers->bytes);
    memset(buffers->send, 0, (size_t)buffers->bytes);
    if (mpg_operation_reduces(operation))
        for (int64_t i = 0; i < size_bytes / (int64_t)sizeof *vector; i++)
            vector[i] = data_double(rank, i);
    else if (operation == MPG_OPERATION_ALLTOALL || operation == MPG_OPERATION_ALLTOALLV ||
             (operation == MPG_OPERATION_SCATTER && rank == 0))
        fill_blocks(buffers->send, rank, 0, ranks, size_bytes);
    else if (operation == MPG_OPERATION_GATHER || operation == MPG_OPERATION_ALLGATHER ||
             (operation == MPG_OPERATION_BCAST && rank == 0))
        fill_blocks(buffers->send, rank, 0, 1, size_bytes);
}

static bool is_right(enum mpg_bench_operation operation, const struct mpg_buffers *buffers, int rank,
                     int ranks, int64_t size_bytes)
{
    const char *data = buffers->receive;
    switch (operation) {
    case MPG_OPERATION_BARRIER:
        return true;
    case MPG_OPERATION_BCAST:
        return are_blocks(buffers->send, 0, 1, 0, size_bytes);
    case MPG_OPERATION_ALLREDUCE:
        return is_sum(data, 0, ranks, size_bytes);
    case MPG_OPERATION_REDUCE:
        return rank != 0 || is_sum(data, 0, ranks, size_bytes);
    case MPG_OPERATION_GATHER:
        return rank != 0 || are_blocks(data, 0, ranks, 0, size_bytes);
    case MPG_OPERATION_SCATTER:
        return are_blocks(data, 0, 1, rank, size_bytes);
    case MPG_OPERATION_ALLGATHER:
        return are_blocks(data, 0, ranks, 0, size_bytes);
    case MPG_OPERATION_SCAN:
        return is_sum(data, 0, rank + 1, size_bytes);
    case MPG_OPERATION_REDUCE_SCATTER:
        return are_sums(data, 0, ranks, buffers->place[rank], buffers->count[rank]);
    case MPG_OPERATION_REDUCE_LOCAL:
        return is_sum(data, rank, rank + 1, size_bytes);
    case MPG_OPERATION_REDUCE_SENT: /* sum of this rank's and its partner's vectors; without a partner the rank's vector alone */
        return is_sum(data, rank & ~1, (rank | 1) < ranks ? (rank | 1) + 1 : ranks, size_bytes);
    default:
        return are_blocks(data, 0, ranks, rank, size_bytes);
    }
}

int mpg_operation_check(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                        int64_t size_bytes, MPI_Comm comm, struct mpg_error *err)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    fill(operation, buffers, rank, ranks, size_bytes);
    mpg_operation_prepare(operation, buffers, size_bytes, comm);
    mpg_operation_run(operation, buffers, size_bytes, comm);
    if (is_right(operation, buffers, rank, ranks, size_bytes))
        return 0;
    return mpg_error_set(err, "%s of %lld bytes among %d processes delivers wrong data to rank %d;"
                              " do not trust this MPI library", names[operation],
                         (long long)size_bytes, ranks, rank);
}
