/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers for the records of calls. Callers hold the lock. */
#ifndef MPG_PMPI_EVENT_H
#define MPG_PMPI_EVENT_H

#include "trace/pmpi/comms.h"
#include "trace/pmpi/record.h"

static inline struct mpg_event event_of(const struct tracer_scope *s)
{
    return (struct mpg_event){.call = s->call,
                              .device = s->device,
                              .comm = MPG_NO_COMM,
                              .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT,
                              .site = MPG_NO_SITE};
}

/* Makes a new request, active or to be started later (MADE), and attaches it to event E. ANY: wildcards of a receive
 * (MPG_ANY_SOURCE, MPG_ANY_TAG), else 0. Returns false without memory, which is reported. */
bool event_new_request(struct mpg_event *e, struct tracer_made made, uint32_t any);
/* Like event_new_request(), but does nothing if MADE is NO_REQUEST. */
static inline bool event_request(struct mpg_event *e, struct tracer_made made, uint32_t any)
{
    return !made.address || event_new_request(e, made, any);
}

/* Returns the trace's form of RANK: MPG_PROC_NULL for MPI_PROC_NULL, MPG_ROOT for MPI_ROOT. */
static inline int32_t tracer_peer(int rank)
{
    if (rank == MPI_PROC_NULL)
        return MPG_PROC_NULL;
    return rank == MPI_ROOT ? MPG_ROOT : rank;
}

#endif
