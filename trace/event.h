/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One MPI call as every reader, writer and the graph see it.
 *
 * All times are integer nanoseconds on the rank's own clock. Ranks named in an
 * event are ranks of its communicator (of the remote group of an
 * inter-communicator), as in the MPI call itself. */
#ifndef MPG_EVENT_H
#define MPG_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum mpg_call {
#define MPG_CALL(name, kind) MPG_CALL_##name,
#include "trace/calls.def"
#undef MPG_CALL
    MPG_CALL_COUNT
};

/* What a call's record holds, beyond its times. */
enum mpg_kind {
    MPG_KIND_INIT,
    MPG_KIND_FINALIZE,
    MPG_KIND_SEND,         /* comm, to, tag, bytes */
    MPG_KIND_RECV,         /* comm, from, tag, bytes, any; from/tag/bytes as the status says */
    MPG_KIND_SENDRECV,     /* comm, to, tag, bytes; from, recvtag, recvbytes, any */
    MPG_KIND_ISEND,        /* comm, to, tag, bytes, request */
    MPG_KIND_IRECV,        /* comm, from, tag, bytes (of the buffer), any, request */
    MPG_KIND_COMPLETE,     /* requests, done, cancelled */
    MPG_KIND_PROBE,        /* comm, from, tag, bytes, any; found says whether there was one */
    MPG_KIND_REQUEST_FREE, /* request (or persistent) */
    MPG_KIND_CANCEL,       /* request; whether it took effect is said at its completion */
    MPG_KIND_SEND_INIT,    /* comm, to, tag, bytes, persistent */
    MPG_KIND_RECV_INIT,    /* comm, from, tag, bytes, any, persistent */
    MPG_KIND_START,        /* parallel lists persistent (what is started), requests (fresh ids) */
    MPG_KIND_COLLECTIVE,   /* comm, root, bytes or counts */
    MPG_KIND_CONSTRUCTOR,  /* comm, newcomm (MPG_NO_COMM where this rank is not in it) */
    MPG_KIND_COMM_FREE     /* comm */
};

/* Values of to, from, tag, root, comm that are no rank, tag or communicator. */
enum {
    MPG_PROC_NULL = -1, /* to, from, root: MPI_PROC_NULL */
    MPG_UNKNOWN = -2,   /* from, tag: a wildcard that never completed */
    MPG_ROOT = -3,      /* root: MPI_ROOT of an inter-communicator */
    MPG_NO_COMM = -1
};

enum { MPG_ANY_SOURCE = 1, MPG_ANY_TAG = 2 };

/* How a receive request ended, as told by the call that completed it. */
struct mpg_resolution {
    int64_t request;
    int32_t source, tag;
};

struct mpg_event {
    int64_t enter_ns, leave_ns;
    enum mpg_call call;
    int32_t comm;          /* identifier of the communicator, trace-wide once read */
    int32_t to, from, tag, recvtag, root, newcomm;
    uint32_t any;          /* MPG_ANY_ flags of the receive half */
    bool found;            /* probe: a message was there */
    int64_t bytes, recvbytes;
    uint32_t count_number; /* length of counts; 0 if the call has none */
    const int64_t *counts; /* v-variants: bytes for (or from) each rank */
    uint32_t request_number;
    const int64_t *requests;   /* unique on the rank, > 0; creation order or any */
    const int64_t *persistent; /* START: request_number of them; *_INIT, REQUEST_FREE: one or NULL */
    bool done_all;             /* COMPLETE: every request was completed */
    uint32_t done_number;
    const int64_t *done;       /* COMPLETE, not done_all: the requests it completed */
    uint32_t cancelled_number;
    const int64_t *cancelled;  /* COMPLETE: those of the completed that were cancelled */
    uint32_t resolution_number;
    const struct mpg_resolution *resolutions; /* written by the tracer at COMPLETE for receives
                                                 posted with a wildcard; readers apply them to
                                                 the posting event and show none */
};

/* Name without the MPI_ prefix, and kind, of a call. */
const char *mpg_call_name(enum mpg_call call);
enum mpg_kind mpg_call_kind(enum mpg_call call);
/* The call named NAME (without prefix), or MPG_CALL_COUNT. */
enum mpg_call mpg_call_by_name(const char *name);
/* Whether CALL posts a synchronous-mode send (Ssend, Issend, Ssend_init). */
bool mpg_call_is_synchronous(enum mpg_call call);
/* Whether CALL posts a standard-mode send (Send, Isend, Sendrecv..., Send_init). */
bool mpg_call_is_standard(enum mpg_call call);

#endif
