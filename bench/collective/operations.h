/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured operations (collectives, and the arithmetic of reductions alone) and the verification of their
 * results. */
#ifndef MPG_OPERATIONS_H
#define MPG_OPERATIONS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum mpg_bench_operation {
    MPG_OPERATION_BARRIER,   /* no data */
    MPG_OPERATION_BCAST,     /* rank 0's bytes to all */
    MPG_OPERATION_ALLREDUCE, /* sum of each rank's doubles, to all */
    MPG_OPERATION_ALLTOALL,  /* size_bytes from each rank to each */
    MPG_OPERATION_REDUCE,    /* sum of each rank's doubles, to rank 0 */
    MPG_OPERATION_GATHER,    /* size_bytes from each rank to rank 0 */
    MPG_OPERATION_SCATTER,   /* size_bytes from rank 0 to each */
    MPG_OPERATION_ALLGATHER, /* each rank's bytes to all */
    MPG_OPERATION_SCAN,      /* sum of the doubles of ranks 0 to this rank */
    MPG_OPERATION_ALLTOALLV, /* as alltoall, with counts and places for each rank */
    MPG_OPERATION_REDUCE_SCATTER, /* sum of each rank's doubles, a part to each, as equal as possible */
    MPG_OPERATION_REDUCE_LOCAL, /* a rank adds a vector of doubles to another, without messages */
    MPG_OPERATION_REDUCE_SENT,  /* as reduce_local, on vectors just sent to and received from a neighbour, as in a reduction by
                                   recursive doubling */
    MPG_OPERATIONS
};

/* All operations, in the syntax of mpg_cases_make(). */
#define MPG_OPERATIONS_ALL                                                                                                     \
    "barrier,bcast,allreduce,alltoall,reduce,gather,scatter,allgather,scan,alltoallv,reduce_scatter,reduce_local,reduce_sent"

/* Returns "allreduce" for example; a constant string. */
const char *mpg_operation_name(enum mpg_bench_operation operation);
/* Returns the names of all operations, MPG_OPERATIONS of them. */
const char *const *mpg_operation_names(void);

/* Returns whether OPERATION adds doubles: sizes are multiples of 8. */
bool mpg_operation_reduces(enum mpg_bench_operation operation);
/* Returns whether a rank sends or receives SIZE_BYTES per process: data grow with the number of processes. */
bool mpg_operation_grows(enum mpg_bench_operation operation);

/* Returns whether OPERATION is local: the arithmetic of reductions. */
bool mpg_operation_is_local(enum mpg_bench_operation operation);

/* This rank's buffers. */
struct mpg_buffers {
    char *send, *receive;
    int64_t bytes; /* size of each buffer */
    int *count, *place; /* of alltoallv and reduce_scatter, for each rank: its part, bytes or doubles, and where the part begins;
                           set by mpg_operation_prepare() */
};

/* Returns the bytes of each buffer that OPERATION needs for SIZE_BYTES among PROCESSES. */
int64_t mpg_operation_bytes(enum mpg_bench_operation operation, int processes, int64_t size_bytes);

/* Allocates and touches buffers of BYTES (>= 0) each, for operations among at most RANKS (>= 1) ranks; free by
 * mpg_buffers_clear(). Errors: out of memory. */
int mpg_buffers_make(struct mpg_buffers *buffers, int64_t bytes, int ranks, struct mpg_error *err);
void mpg_buffers_clear(struct mpg_buffers *buffers);

/* Performs OPERATION on COMM; collective unless local. The root is rank 0. SIZE_BYTES (<= INT_MAX; a multiple of 8
 * for reductions; 0 for a barrier): the message of bcast; a rank's vector in reductions; a rank's contribution to
 * gather and allgather; a rank's share of scatter; the message from each rank to each in alltoall and alltoallv. The last
 * operation prepared with these BUFFERS was OPERATION with SIZE_BYTES on COMM. */
void mpg_operation_run(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                       int64_t size_bytes, MPI_Comm comm);

/* Prepares OPERATION, outside the measurement: sets the parts of alltoallv and reduce_scatter; for reduce_sent makes an exchange
 * with rank R ^ 1 if it exists. Collective over COMM. Repeated sums may become infinite, which does not change the cost. */
void mpg_operation_prepare(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                          int64_t size_bytes, MPI_Comm comm);

/* Performs OPERATION on known data and verifies the result; collective over COMM. Errors, on ranks with wrong data: wrong
 * data. */
int mpg_operation_check(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                        int64_t size_bytes, MPI_Comm comm, struct mpg_error *err);

#endif
