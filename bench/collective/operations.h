/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations that are measured, collective ones and the arithmetic of reductions by itself,
 * and whether what they deliver is right. */
#ifndef MPG_OPERATIONS_H
#define MPG_OPERATIONS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum mpg_bench_operation {
    MPG_OPERATION_BARRIER,   /* no data */
    MPG_OPERATION_BCAST,     /* rank 0's bytes to all */
    MPG_OPERATION_ALLREDUCE, /* sum of each rank's doubles */
    MPG_OPERATION_ALLTOALL,  /* so many bytes from each rank to each */
    MPG_OPERATION_REDUCE,    /* sum of each rank's doubles, to rank 0 */
    MPG_OPERATION_GATHER,    /* so many bytes from each rank to rank 0 */
    MPG_OPERATION_SCATTER,   /* so many bytes from rank 0 to each */
    MPG_OPERATION_ALLGATHER, /* each rank's bytes to all */
    MPG_OPERATION_SCAN,      /* sum of the doubles of ranks 0 to this one */
    MPG_OPERATION_REDUCE_LOCAL, /* one rank adds one vector of doubles to another: no messages */
    MPG_OPERATION_REDUCE_SENT,  /* the same, after it sent the latter to its neighbour and received
                                 * the former from there, as in a reduction by recursive doubling */
    MPG_OPERATIONS
};

/* All of them, as mpg_cases_make() takes them. */
#define MPG_OPERATIONS_ALL \
    "barrier,bcast,allreduce,alltoall,reduce,gather,scatter,allgather,scan,reduce_local,reduce_sent"

/* "allreduce". Static storage. */
const char *mpg_operation_name(enum mpg_bench_operation operation);
/* The operation called NAME, or -1. */
int mpg_operation_find(const char *name);

/* Whether OPERATION adds up doubles, so that a size is a multiple of 8. */
bool mpg_operation_adds(enum mpg_bench_operation operation);
/* Whether OPERATION takes SIZE_BYTES for each process on one side, so that a rank sends or
 * receives more the more processes there are. */
bool mpg_operation_grows(enum mpg_bench_operation operation);

/* Whether OPERATION is what one rank does by itself: the arithmetic of reductions. */
bool mpg_operation_is_local(enum mpg_bench_operation operation);

/* What an operation works on: this rank's memory, for messages of a size. */
struct mpg_buffers {
    char *send, *receive;
    int64_t bytes; /* of each of the two */
};

/* Bytes that OPERATION needs of each buffer for SIZE_BYTES among PROCESSES. */
int64_t mpg_operation_bytes(enum mpg_bench_operation operation, int processes, int64_t size_bytes);

/* Allocates and touches buffers of BYTES (>= 0) each; the caller frees both with
 * mpg_buffers_clear(). Errors: out of memory. */
int mpg_buffers_make(struct mpg_buffers *buffers, int64_t bytes, struct mpg_error *err);
void mpg_buffers_clear(struct mpg_buffers *buffers);

/* OPERATION once; collective over COMM, unless it is local. The root is rank 0. SIZE_BYTES (at
 * most INT_MAX; of those that add a multiple of 8; 0 for a barrier) is the message of bcast; one
 * rank's vector of those that add; what each rank contributes to gather
 * and allgather; what each gets of scatter; what a rank sends to each of alltoall. */
void mpg_operation_run(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                       int64_t size_bytes, MPI_Comm comm);

/* What comes before OPERATION and is not measured: of reduce_sent an exchange with rank R ^ 1, if
 * there is one; else nothing. Collective over COMM. Both ranks add up the same again and again: the
 * doubles may become infinite, which takes no longer. */
void mpg_operation_before(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                          int64_t size_bytes, MPI_Comm comm);

/* Runs OPERATION on known data and compares what arrives with what must;
 * collective over COMM. Errors, where they are seen: wrong data. */
int mpg_operation_check(enum mpg_bench_operation operation, const struct mpg_buffers *buffers,
                        int64_t size_bytes, MPI_Comm comm, struct mpg_error *err);

#endif
