/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that involve no other process and start no operation (kind OTHER: MPI_Wtime, MPI_Comm_rank, MPI_Type_size ...). Programs
 * poll some of these calls. A trace holds the first calls from each site (one, or MPGTRACE_LOCAL), and sums with number and time
 * of all further calls. Reading the clock costs more than most local calls. Therefore only the first 4 calls of a sum, and then
 * one of 17 to 48 calls (drawn anew each time; from the 512th call on one of 65 to 189), are timed; all others are only
 * counted. */
#ifndef MPG_TRACER_LOCAL_H
#define MPG_TRACER_LOCAL_H

#include "trace/pmpi/tracer.h"

/* Reads MPGTRACE_LOCAL in the environment of RANK. */
void local_start(int rank);

/* Adds the call S, of kind OTHER, made from SITE, to a sum of the thread's stream. Returns false if the call is to be
 * recorded. Callers hold the lock. */
bool local_add(const struct tracer_scope *s, int32_t site);

/* A sum whose next calls are only counted, because enough calls of the sum were timed. */
struct local_sum;

/* Start and end of a wrapper of a local call, before tracer_enter(). local_begin() takes the wrapper's return address and frame.
 * Returns NULL if the call is to be timed: the wrapper continues with tracer_enter(). Otherwise the wrapper makes the real call
 * and passes the call's result to local_end() (MPI_SUCCESS for calls without a result), which counts the call. */
#define LOCAL_BEGIN(call) local_begin((call), __builtin_return_address(0), __builtin_dwarf_cfa())
struct local_sum *local_begin(enum mpg_call call, const void *return_address, const void *frame);
void local_end(const struct local_sum *sum, int rc);

#endif
