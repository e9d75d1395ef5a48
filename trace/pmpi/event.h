/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the records of calls have in common. Locked callers only. */
#ifndef MPG_PMPI_EVENT_H
#define MPG_PMPI_EVENT_H

#include "trace/pmpi/comms.h"
#include "trace/pmpi/record.h"

static inline struct mpg_event event_of(const struct tracer_scope *s)
{
    return (struct mpg_event){.call = s->call,
                              .comm = MPG_NO_COMM,
                              .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT,
                              .site = MPG_NO_SITE};
}

/* A new request into the event, which points to it, an active one or one that is to be
 * started: false without memory, which is told. Nothing if MADE is NO_REQUEST. */
bool event_request(struct mpg_event *e, struct tracer_made made, uint32_t any);

/* MPI_PROC_NULL, MPI_ROOT as the trace has them. */
static inline int32_t tracer_peer(int rank)
{
    if (rank == MPI_PROC_NULL)
        return MPG_PROC_NULL;
    return rank == MPI_ROOT ? MPG_ROOT : rank;
}

#endif
