/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests that the program holds (requests.c). Locked callers only. */
#ifndef MPG_REQUESTS_H
#define MPG_REQUESTS_H

#include "trace/pmpi/record.h"

struct tracer_request {
    struct tracer_request *next, *prev; /* of the same handle; the first one's prev is the last */
    int64_t id;            /* of the active operation */
    int64_t persistent;    /* number of the persistent request, or 0 */
    const void *address;   /* of the program's variable; NULL: it holds another one now */
    uintptr_t handle;
    uint64_t taken;        /* by which call, or 0 */
    uint32_t any;          /* of a receive */
    bool active, indexed;
    bool cancelling;       /* MPI_Cancel: only then its status is asked for the outcome */
    bool asked;            /* MPI_Request_get_status said that it is complete, and then: */
    bool cancelled;
    int32_t from, tag;     /* of a receive with any */
    bool makes_comm;       /* MPI_Comm_idup: a communicator when it is complete */
};

/* A new request, active unless it is persistent; NULL without memory, which is told. */
struct tracer_request *tracer_request_new(struct tracer_made made, uint32_t any);
void tracer_request_start(struct tracer_request *request); /* gives it a fresh id */
void tracer_request_remove(struct tracer_request *request);
void tracer_requests_end(void);

void tracer_candidates_forget(struct tracer_candidates *c); /* tracer_candidates_drop(), locked */
/* After a call that may have given candidate I, which there is, another handle: Open MPI's
 * MPI_Start does where the buffered send before is still under way. False without memory,
 * which is told; then nothing is recorded any more. */
bool tracer_candidate_renamed(struct tracer_candidates *c, int i);
/* Whether candidate I was active and its variable is null now: it was completed. */
bool tracer_candidate_ended(const struct tracer_candidates *c, int i);

#endif
