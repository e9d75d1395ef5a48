/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of the program (requests.c). Callers hold the lock. */
#ifndef MPG_REQUESTS_H
#define MPG_REQUESTS_H

#include "trace/pmpi/record.h"

struct tracer_request {
    struct tracer_request *next, *prev; /* list of requests with an equal handle; the first request's prev is the last request */
    int64_t id;            /* id of the active operation */
    int64_t persistent;    /* number of the persistent request, or 0 */
    const void *address;   /* address of the program's variable; NULL: the variable now holds another request */
    uintptr_t handle;
    uint64_t taken;        /* number of the call that claimed the request, or 0 */
    uint32_t any;          /* wildcards of a receive: MPG_ANY_SOURCE, MPG_ANY_TAG */
    bool active, indexed;  /* indexed: in the index by handle and variable (requests.c) */
    bool cancelling;       /* MPI_Cancel was called: the status shows whether the cancel succeeded */
    bool status_known;            /* MPI_Request_get_status found the request complete, with the results below */
    bool cancelled;
    int32_t from, tag;     /* source and tag of a completed receive with wildcards */
    bool makes_comm;       /* MPI_Comm_idup: completion creates a communicator */
};

/* Returns a new request, active unless persistent. ANY: wildcards of a receive. If memory is exhausted, reports the error and
 * returns NULL. */
struct tracer_request *tracer_request_new(struct tracer_made made, uint32_t any);
void tracer_request_start(struct tracer_request *request); /* sets a new id */
void tracer_request_remove(struct tracer_request *request);
void tracer_requests_end(void);

void tracer_candidates_forget(struct tracer_candidates *c); /* as tracer_candidates_drop(); callers hold the lock */
/* To be called after a call that may have changed the handle of the existing candidate I: Open MPI's MPI_Start changes the handle
 * while the previous buffered send is in progress. If memory is exhausted, reports the error, stops recording and returns
 * false. */
bool tracer_candidate_renamed(struct tracer_candidates *c, int i);
/* Returns whether the call completed candidate I: the request was active, and the variable is null now. */
bool tracer_candidate_ended(const struct tracer_candidates *c, int i);

#endif
