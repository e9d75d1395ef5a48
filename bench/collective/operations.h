/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collective operations that are measured, and whether what they deliver is
 * right. */
#ifndef MPG_OPERATIONS_H
#define MPG_OPERATIONS_H

#include <mpi.h>
#include <stdint.h>

#include "common/error.h"

enum mpg_operation {
    MPG_OPERATION_BARRIER,   /* no data */
    MPG_OPERATION_BCAST,     /* rank 0's bytes to all */
    MPG_OPERATION_ALLREDUCE, /* sum of each rank's doubles */
    MPG_OPERATION_ALLTOALL,  /* so many bytes from each rank to each */
    MPG_OPERATIONS
};

/* "allreduce". Static storage. */
const char *mpg_operation_name(enum mpg_operation operation);
/* The operation called NAME, or -1. */
int mpg_operation_find(const char *name);

/* What an operation works on: this rank's memory, for messages of a size. */
struct mpg_buffers {
    char *send, *receive;
    int64_t bytes; /* of each of the two */
};

/* Bytes that OPERATION needs of each buffer for SIZE_BYTES among PROCESSES. */
int64_t mpg_operation_bytes(enum mpg_operation operation, int processes, int64_t size_bytes);

/* Allocates and touches buffers of BYTES (>= 0) each; the caller frees both with
 * mpg_buffers_clear(). Errors: out of memory. */
int mpg_buffers_make(struct mpg_buffers *buffers, int64_t bytes, struct mpg_error *err);
void mpg_buffers_clear(struct mpg_buffers *buffers);

/* OPERATION once; collective over COMM. SIZE_BYTES (at most
 * INT_MAX; of allreduce a multiple of 8; 0 for a barrier) is the message of bcast,
 * one rank's vector of allreduce, what a rank sends to each of alltoall. */
void mpg_operation_run(enum mpg_operation operation, const struct mpg_buffers *buffers,
                       int64_t size_bytes, MPI_Comm comm);

/* Runs OPERATION on known data and compares what arrives with what must;
 * collective over COMM. Errors, where they are seen: wrong data. */
int mpg_operation_check(enum mpg_operation operation, const struct mpg_buffers *buffers,
                        int64_t size_bytes, MPI_Comm comm, struct mpg_error *err);

#endif
