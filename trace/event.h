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
#define MPG_CALL(name, kind, result, parameters) MPG_CALL_##name,
#define MPG_LARGE(name) MPG_CALL_##name##_c,
#include "trace/calls.def"
#undef MPG_CALL
    MPG_CALL_COUNT
};

/* What a call's record holds, beyond its times. */
enum mpg_kind {
    MPG_KIND_FLUSH,        /* the tracer wrote to the file, or had a long list of requests: neither MPI nor computation */
    MPG_KIND_REGION_BEGIN, /* string: the name; both times are the same */
    MPG_KIND_REGION_END,   /* string */
    MPG_KIND_INIT,
    MPG_KIND_FINALIZE,
    MPG_KIND_SEND,         /* comm, to, tag, bytes */
    MPG_KIND_RECV,         /* comm, from, tag, bytes, any; from/tag/bytes as the status says */
    MPG_KIND_SENDRECV,     /* comm, to, tag, bytes; from, recvtag, recvbytes, any */
    MPG_KIND_ISEND,        /* comm, to, tag, bytes, request */
    MPG_KIND_IRECV,        /* comm, from, tag, bytes (of the buffer), any, request */
    MPG_KIND_COMPLETE,     /* requests, done, cancelled */
    MPG_KIND_PROBE,        /* comm, from, tag, bytes, any; found says whether there was one */
    MPG_KIND_MPROBE,       /* as PROBE; message: what it took out of matching (found only) */
    MPG_KIND_MRECV,        /* comm, from, tag, bytes as the status says; message (0: no process) */
    MPG_KIND_IMRECV,       /* comm, from, tag as probed, bytes of the buffer; message, request */
    MPG_KIND_REQUEST_FREE, /* request (or persistent) */
    MPG_KIND_CANCEL,       /* request; whether it took effect is said at its completion */
    MPG_KIND_REQUEST,      /* request: one that completes without a message (generalized) */
    MPG_KIND_SEND_INIT,    /* comm, to, tag, bytes, persistent */
    MPG_KIND_RECV_INIT,    /* comm, from, tag, bytes, any, persistent */
    MPG_KIND_ISENDRECV,    /* as SENDRECV (recvbytes of the buffer), request: of both */
    MPG_KIND_COLLECTIVE_INIT, /* as COLLECTIVE, persistent */
    MPG_KIND_NEIGHBOR_INIT,   /* as NEIGHBOR, persistent */
    MPG_KIND_PSEND_INIT,   /* comm, to, tag, bytes of all partitions, root: how many; persistent */
    MPG_KIND_PRECV_INIT,   /* comm, from, tag, bytes of all partitions, root: how many; persistent */
    MPG_KIND_PREADY,       /* request; counts: the partitions, of Pready_range the first and last */
    MPG_KIND_PARRIVED,     /* request, found; root: the partition */
    MPG_KIND_START,        /* parallel lists persistent (what is started), requests (fresh ids) */
    MPG_KIND_COLLECTIVE,   /* comm, root, bytes or counts */
    MPG_KIND_ICOLLECTIVE,  /* comm, root, bytes or counts, request */
    MPG_KIND_NEIGHBOR,     /* comm, bytes for each destination or counts, one a destination */
    MPG_KIND_INEIGHBOR,    /* as NEIGHBOR, request */
    MPG_KIND_CONSTRUCTOR,  /* comm, newcomm (MPG_NO_COMM where this rank is not in it) */
    MPG_KIND_ICONSTRUCTOR, /* comm, newcomm, request */
    MPG_KIND_DYNAMIC,      /* comm (or MPG_NO_COMM), newcomm: with processes of another world */
    MPG_KIND_COMM_FREE,    /* comm */
    MPG_KIND_WIN_CONSTRUCTOR, /* comm, object: the new window, bytes of this rank's part */
    MPG_KIND_WIN_FREE,     /* object */
    MPG_KIND_WIN_FENCE,    /* object; root: the assertion */
    MPG_KIND_WIN_GROUP,    /* Post, Start: object, counts: the group as ranks of its comm */
    MPG_KIND_WIN_EPOCH,    /* Complete, Wait, Test: object, found (of Test: its flag) */
    MPG_KIND_WIN_TARGET,   /* Lock, Unlock, Flush...: object, to; Lock: root 1 if exclusive */
    MPG_KIND_WIN_ALL,      /* Lock_all, Unlock_all, Flush_all..., Sync: object */
    MPG_KIND_RMA,          /* object, to, bytes to the target, recvbytes from it */
    MPG_KIND_IRMA,         /* as RMA, request */
    MPG_KIND_FILE_OPEN,    /* comm, object: the new file (MPG_NO_OBJECT if it failed) */
    MPG_KIND_FILE_CLOSE,   /* object */
    MPG_KIND_FILE,         /* object, bytes read or written (0 of a split collective's begin) */
    MPG_KIND_IFILE,        /* object, bytes asked for, request */
    MPG_KIND_FILE_COLLECTIVE, /* object: set_view, set_size, sync ... */
    MPG_KIND_PCONTROL,     /* to: its level */
    MPG_KIND_UNKNOWN,      /* string: the name of a function that is not in the table */
    MPG_KIND_ABORT,
    MPG_KIND_OTHER         /* nothing: a call that involves no other process; or the sum of some */
};

/* MPG_KIND_OF_x is the kind of x and of x_c. */
enum {
#define MPG_CALL(name, kind, result, parameters) MPG_KIND_OF_##name = MPG_KIND_##kind,
#define MPG_LARGE(name)
#include "trace/calls.def"
#undef MPG_CALL
};

/* Values of to, from, tag, root, comm that are no rank, tag or communicator. */
enum {
    MPG_PROC_NULL = -1, /* to, from, root: MPI_PROC_NULL */
    MPG_UNKNOWN = -2,   /* from, tag: a wildcard that never completed */
    MPG_ROOT = -3,      /* root: MPI_ROOT of an inter-communicator */
    MPG_NO_COMM = -1,
    MPG_NO_OBJECT = -1,
    MPG_NO_SITE = -1,
    MPG_FOREIGN = -4    /* a world rank in a communicator: a process of another MPI_COMM_WORLD */
};

enum { MPG_ANY_SOURCE = 1, MPG_ANY_TAG = 2 };

/* What an object that a call names is. */
enum mpg_object_kind { MPG_OBJECT_WINDOW, MPG_OBJECT_FILE };

/* A return address: its offset in a module (executable or shared library), load bias
 * removed; MODULE -1: in none that is known. */
struct mpg_frame {
    int32_t module;
    uint64_t offset;
};

/* How a receive request ended, as told by the call that completed it. */
struct mpg_resolution {
    int64_t request;
    int32_t source, tag;
};

/* Calls that involve nobody and that were not recorded each but counted and summed up. */
struct mpg_sum {
    int64_t calls; /* 0: the event is a call; else it stands for as many as these */
    int64_t time_ns, least_ns, most_ns; /* in all of them, in one */
};

struct mpg_event {
    int64_t enter_ns, leave_ns;
    enum mpg_call call;
    uint32_t thread;       /* stream of the rank that made the call; 0 is MPI_Init's */
    /* What repeats from call to call, from here to request_number: as struct mpg_shape
       (trace/shape.h) has it, which the writer compares as one block. */
    int32_t site;          /* callsite, trace-wide once read; MPG_NO_SITE */
    int32_t comm;          /* identifier of the communicator, trace-wide once read */
    int32_t to, from, tag, recvtag, root, newcomm;
    int32_t object;        /* window or file, trace-wide once read; MPG_NO_OBJECT */
    int32_t string;        /* REGION, UNKNOWN: trace-wide once read */
    int64_t bytes, recvbytes;
    uint32_t count_number; /* length of counts; 0 if the call has none */
    uint32_t request_number;
    uint32_t any;          /* MPG_ANY_ flags of the receive half */
    bool failed;           /* the call returned an error and had no effect: of the other fields
                              site and values alone mean something */
    bool killed;           /* FINALIZE: the process was killed in it; when it would have left is
                              not known, LEAVE_NS is ENTER_NS */
    bool found;            /* probe: a message was there */
    bool done_all;         /* COMPLETE: every request was completed */
    int64_t message;       /* MPROBE, MRECV, IMRECV: unique on the rank, > 0 */
    const int64_t *counts; /* v-variants: bytes for (or from) each rank */
    const int64_t *requests;   /* unique on the rank, > 0; creation order or any */
    const int64_t *persistent; /* START: request_number of them; *_INIT, REQUEST_FREE: one or NULL */
    uint32_t done_number;
    uint32_t cancelled_number;
    const int64_t *done;       /* COMPLETE, not done_all: the requests it completed */
    const int64_t *cancelled;  /* COMPLETE: those of the completed that were cancelled; as a
                                  cursor gives them, of ISEND, IRECV, START, too: those of the
                                  posted that will be */
    uint32_t resolution_number;
    uint32_t value_number; /* measured over the compute interval before the call, as the fact */
    const struct mpg_resolution *resolutions; /* written by the tracer at COMPLETE for receives
                                                 posted with a wildcard; readers apply them to
                                                 the posting event and show none */
    const int64_t *values; /* "values" names them: thread CPU time (cpu_ns), PAPI counters */
    uint32_t source_number, destination_number; /* NEIGHBOR...: filled in when read, from the */
    const int32_t *sources, *destinations;      /* topology; ranks of comm, or MPG_PROC_NULL */
    int32_t peer_number;   /* COLLECTIVE, ICOLLECTIVE: ranks that its counts are for, those of comm or of its remote group; */
    bool is_root;          /* and whether this rank is the root: both filled in when read */
    struct mpg_sum sum;    /* OTHER: calls from one place since the region mark or the sum before;
                              both times of the event are when the last of them returned */
    /* Time that the thread was off its CPU against its will: preempted, stolen by a hypervisor, or waiting for a
       CPU after it had slept. 0 where none was recorded. */
    int64_t off_before_ns; /* since the event before it in its stream left, 0 .. that interval's length */
    int64_t off_in_ns;     /* between ENTER_NS and LEAVE_NS, 0 .. the event's duration */
};

/* Name without the MPI_ prefix, and kind, of a call. */
const char *mpg_call_name(enum mpg_call call);
extern const uint8_t mpg_call_kinds[]; /* by call */
static inline enum mpg_kind mpg_call_kind(enum mpg_call call)
{
    return (enum mpg_kind)mpg_call_kinds[call];
}
/* Whether CALL looks for a message, to be received by another. */
static inline bool mpg_call_is_probe(enum mpg_call call)
{
    return mpg_call_kind(call) == MPG_KIND_PROBE || mpg_call_kind(call) == MPG_KIND_MPROBE;
}
/* Whether calls of KIND are about the neighbours of a topology. */
bool mpg_kind_has_neighbors(enum mpg_kind kind);
/* Whether CALL may have no communicator: one that it cannot name, or that is of no process
 * yet. */
bool mpg_call_may_lack_comm(enum mpg_call call);
/* The call that CALL is but for its large counts: of Send_c, Send. */
extern const uint16_t mpg_call_plains[];
static inline enum mpg_call mpg_call_plain(enum mpg_call call)
{
    return (enum mpg_call)mpg_call_plains[call];
}
/* The blocking call that nonblocking or persistent CALL, a collective or constructor, is like, without large counts;
 * CALL itself, so, if there is none. */
enum mpg_call mpg_call_blocking(enum mpg_call call);
/* "MPI_", or "" of what is no call of MPI but the tracer's own, and of Unknown. */
const char *mpg_call_prefix(enum mpg_call call);
/* The call named NAME (without prefix), or MPG_CALL_COUNT. */
enum mpg_call mpg_call_by_name(const char *name);
/* What EVENT moved, as far as its call tells, in bytes; 0 of one that failed, and to or from MPI_PROC_NULL. Sent: by
 * sends; what is in the rank's send buffer, its own part included, of a collective (of Bcast, Scatter, Scatterv: the root's), of
 * a neighbourhood collective once for each destination; RMA to the target; writes. Received: by receives as their status says
 * (nonblocking ones: the buffer posted), RMA from the target, reads. Persistent operations: nothing. */
void mpg_event_bytes(const struct mpg_event *event, int64_t *sent, int64_t *received);
/* Whether EVENT is one call of MPI, which its rank's calls are counted by: no flush, no region's
 * mark, no sum. */
static inline bool mpg_event_is_call(const struct mpg_event *event)
{
    const enum mpg_kind kind = mpg_call_kind(event->call);
    return kind > MPG_KIND_REGION_END && event->sum.calls == 0;
}
/* Whether SUM, of some calls, can be one. */
bool mpg_sum_is_sound(const struct mpg_sum *sum);
/* Whether CALL posts a synchronous-mode send (Ssend, Issend, Ssend_init, their _c). */
bool mpg_call_is_synchronous(enum mpg_call call);
/* Whether CALL posts a standard-mode send (Send, Isend, [I]sendrecv..., Send_init, Psend_init,
 * their _c). */
bool mpg_call_is_standard(enum mpg_call call);

#endif
