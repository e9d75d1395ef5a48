/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes events of the calls that recorders of MPI's arguments (liballprof, DUMPI) have written. A reader decodes each record into
 * a struct mpg_foreign_call; mpg_calls_run() lets the reader read every rank several times:
 *
 * 1. survey: notes constructors of communicators and the earliest time, and counts receives whose source or tag the trace does
 *    not have;
 * 2. only if there are receives to resolve: matches all sends and receives (trace/foreign/wildcards.h);
 * 3. makes the events. In steps 2 and 3 a rank that uses requests is read twice, because source and completion of a request come
 *    after the posting.
 *
 * Memory: 40 bytes for each request of a rank; with step 2, also for each message. */
#ifndef MPG_FOREIGN_CALLS_H
#define MPG_FOREIGN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/foreign/foreign.h"
#include "trace/foreign/wildcards.h"

/* Stands for MPI_ANY_SOURCE or MPI_ANY_TAG. */
enum { MPG_CALLS_ANY = -10 };

/* The status of a completed request in the trace; SOURCE: MPG_CALLS_ANY if the trace has none. */
struct mpg_call_status {
    int32_t source, tag;
    int64_t bytes;
    bool cancelled;
};

struct mpg_foreign_call {
    enum mpg_call call;      /* MPG_CALL_COUNT: a call unknown to mpgkit */
    const char *name;        /* name of the call, with MPI_ */
    int64_t enter_ns, leave_ns;
    uint32_t thread;
    int64_t comm;            /* handle of the communicator; -1: none */
    int32_t member, size;    /* this process's rank in COMM and the size of COMM, or -1 */
    int32_t to, from, tag, recvtag, root; /* FROM, TAG, RECVTAG: MPG_CALLS_ANY for wildcards; TO, FROM: MPG_PROC_NULL */
    int64_t bytes, recvbytes;
    const int64_t *counts;   /* of Scatterv's root, Alltoallv, Alltoallw: bytes */
    uint32_t count_number;
    const uint64_t *requests; /* requests posted, given to a completion, started or freed, as numbers of the format */
    uint32_t request_number;
    bool knows_done;         /* for a completion: DONE is known; for a probe: FOUND is known */
    const uint32_t *done;    /* indices in REQUESTS of the completed requests */
    uint32_t done_number;
    /* statuses of the requests in DONE, or of a blocking receive or probe; NULL: unknown */
    const struct mpg_call_status *statuses;
    bool found;              /* for a probe: a message was there */
    struct mpg_comm_call constructor; /* for a constructor: the arguments; HANDLE -2: the rank is in no new communicator */
};

struct mpg_calls {
    struct mpg_foreign foreign;
    struct mpg_comms *comms;
    struct mpg_wildcards *wildcards; /* NULL: not needed */
    enum { MPG_CALLS_SURVEY, MPG_CALLS_LOOK_AHEAD, MPG_CALLS_MATCH, MPG_CALLS_EMIT } pass;
    int64_t *offset_ns;      /* by rank: offset added to the rank's times in step 2, for a common time */
    int64_t origin_ns;       /* earliest time of all ranks; valid after the survey */
    bool has_origin;
    uint64_t unresolved;     /* number of receives whose source or tag the trace does not have */
    size_t wildcard;         /* number of the next receive */
    struct mpg_call_posting {
        int64_t last;        /* number of the last completion call with the request */
        struct mpg_call_status status;
    } *postings;             /* by request - 1, for the current rank */
    size_t posting_number, posting_capacity;
    int64_t call_number;     /* number of the current call of this rank */
    uint64_t min_request;    /* lower numbers of requests stand for MPI_REQUEST_NULL */
    struct mpg_map current;  /* (rank, number of a request) -> 1 + index of the posting, while looking ahead */
    struct mpg_map persistent; /* (rank, number of a request) -> 1 + index in templates */
    struct mpg_call_template {
        struct mpg_foreign_call call;
    } *templates;
    size_t template_number, template_capacity;
};

/* Begins after mpg_foreign_begin(&c->foreign); WORLD, SELF: as for mpg_comms_new(). Returns 0, or -1 with ERR. */
int mpg_calls_begin(struct mpg_calls *c, int64_t world, int64_t self, struct mpg_error *err);
void mpg_calls_clear(struct mpg_calls *c); /* also c->foreign */

/* Makes all events. Calls READ two to five times for each rank; READ must pass each call of the rank, in order, to
 * mpg_calls_take(), and returns 0, or -1 with ERR. */
int mpg_calls_run(struct mpg_calls *c, int (*read)(void *context, int32_t rank, struct mpg_calls *c, struct mpg_error *err),
                  void *context, struct mpg_error *err);
int mpg_calls_take(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err);

#endif
