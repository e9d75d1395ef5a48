/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An MPI call, as represented in readers, writers and the graph.
 *
 * All times are integer nanoseconds on the rank's clock. Ranks in an event are ranks of the event's communicator
 * (of the remote group of an inter-communicator), as in the MPI call itself. */
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

/* Kinds of calls, with the fields (besides times) of an event of each kind. */
enum mpg_kind {
    MPG_KIND_FLUSH,        /* the tracer wrote to the file, or processed a long list of requests: neither MPI nor computation */
    /* Without comm and object: recording pauses (bytes 0) or goes on (bytes 1). Otherwise counts of operations in the pause:
     * bytes sends and recvbytes receives on comm with rank TO and TAG; with TO MPG_PROC_NULL, bytes collectives of comm or
     * object, or, with recvbytes, bytes starts of the recvbytes-th persistent collective of comm. With TO MPG_PARTITIONED - P,
     * bytes starts of the (recvbytes / 2)-th partitioned request with rank P and TAG: sends if recvbytes is odd */
    MPG_KIND_UNRECORDED,
    MPG_KIND_REGION_BEGIN, /* string: the name; both times are equal */
    MPG_KIND_REGION_END,   /* string */
    MPG_KIND_INIT,
    MPG_KIND_FINALIZE,
    MPG_KIND_SEND,         /* comm, to, tag, bytes */
    MPG_KIND_RECV,         /* comm, from, tag, bytes, any; from/tag/bytes from the status */
    MPG_KIND_SENDRECV,     /* comm, to, tag, bytes; from, recvtag, recvbytes, any */
    MPG_KIND_ISEND,        /* comm, to, tag, bytes, request */
    MPG_KIND_IRECV,        /* comm, from, tag, bytes (of the buffer), any, request */
    MPG_KIND_COMPLETE,     /* requests, done, cancelled */
    MPG_KIND_PROBE,        /* comm, from, tag, bytes, any; found: a message was available */
    MPG_KIND_MPROBE,       /* as PROBE; message: the matched message (if found) */
    MPG_KIND_MRECV,        /* comm, from, tag, bytes from the status; message (0: no process) */
    MPG_KIND_IMRECV,       /* comm, from, tag as probed, bytes of the buffer; message, request */
    MPG_KIND_REQUEST_FREE, /* request (or persistent) */
    MPG_KIND_CANCEL,       /* request; the completion shows whether the cancellation took effect */
    MPG_KIND_REQUEST,      /* request that completes without a message (generalized) */
    MPG_KIND_SEND_INIT,    /* comm, to, tag, bytes, persistent */
    MPG_KIND_RECV_INIT,    /* comm, from, tag, bytes, any, persistent */
    MPG_KIND_ISENDRECV,    /* fields of SENDRECV (recvbytes of the buffer); request of both halves */
    MPG_KIND_COLLECTIVE_INIT, /* fields of COLLECTIVE; persistent */
    MPG_KIND_NEIGHBOR_INIT,   /* fields of NEIGHBOR; persistent */
    MPG_KIND_PSEND_INIT,   /* comm, to, tag, bytes of all partitions, root: number of partitions; persistent */
    MPG_KIND_PRECV_INIT,   /* comm, from, tag, bytes of all partitions, root: number of partitions; persistent */
    MPG_KIND_PREADY,       /* request; counts: the partitions, of Pready_range the first and last */
    MPG_KIND_PARRIVED,     /* request, found; root: the partition */
    MPG_KIND_START,        /* parallel lists persistent (started requests), requests (fresh ids) */
    MPG_KIND_COLLECTIVE,   /* comm, root, bytes or counts */
    MPG_KIND_ICOLLECTIVE,  /* comm, root, bytes or counts, request */
    MPG_KIND_NEIGHBOR,     /* comm, bytes for each destination, or counts by destination */
    MPG_KIND_INEIGHBOR,    /* fields of NEIGHBOR; request */
    MPG_KIND_CONSTRUCTOR,  /* comm, newcomm (MPG_NO_COMM if this rank is not a member) */
    MPG_KIND_ICONSTRUCTOR, /* comm, newcomm, request */
    MPG_KIND_DYNAMIC,      /* comm (or MPG_NO_COMM), newcomm: with processes of another job */
    MPG_KIND_COMM_FREE,    /* comm */
    MPG_KIND_WIN_CONSTRUCTOR, /* comm, object: the new window, bytes of this rank's part */
    MPG_KIND_WIN_FREE,     /* object */
    MPG_KIND_WIN_FENCE,    /* object; root: the assertion */
    MPG_KIND_WIN_GROUP,    /* Post, Start: object, counts: the group, as ranks of the window's communicator */
    MPG_KIND_WIN_EPOCH,    /* Complete, Wait, Test: object, found (Test: the flag) */
    MPG_KIND_WIN_TARGET,   /* Lock, Unlock, Flush...: object, to; Lock: root 1 if exclusive */
    MPG_KIND_WIN_ALL,      /* Lock_all, Unlock_all, Flush_all..., Sync: object */
    MPG_KIND_RMA,          /* object, to, bytes to the target, recvbytes from the target */
    MPG_KIND_IRMA,         /* fields of RMA; request */
    MPG_KIND_FILE_OPEN,    /* comm, object: the new file (MPG_NO_OBJECT after a failure) */
    MPG_KIND_FILE_CLOSE,   /* object */
    MPG_KIND_FILE,         /* object, bytes read or written (0 at the begin of a split collective) */
    MPG_KIND_IFILE,        /* object, bytes requested, request */
    MPG_KIND_FILE_COLLECTIVE, /* object: set_view, set_size, sync ... */
    MPG_KIND_PCONTROL,     /* to: the level */
    MPG_KIND_UNKNOWN,      /* string: name of a function that is not in the table */
    MPG_KIND_ABORT,
    MPG_KIND_OTHER         /* nothing: a local call, or aggregated local calls */
};

/* MPG_KIND_OF_x is the kind of x and of x_c. */
enum {
#define MPG_CALL(name, kind, result, parameters) MPG_KIND_OF_##name = MPG_KIND_##kind,
#define MPG_LARGE(name)
#include "trace/calls.def"
#undef MPG_CALL
};

/* Special values of the fields to, from, tag, root and comm. */
enum {
    MPG_PROC_NULL = -1, /* to, from, root: MPI_PROC_NULL */
    MPG_UNKNOWN = -2,   /* from, tag: a wildcard that never completed */
    MPG_ROOT = -3,      /* root: MPI_ROOT of an inter-communicator */
    MPG_PARTITIONED = -16, /* to, of Unrecorded: MPG_PARTITIONED - P, of partitioned requests with peer P */
    MPG_NO_COMM = -1,
    MPG_NO_OBJECT = -1,
    MPG_NO_SITE = -1,
    MPG_FOREIGN = -4    /* in the members of a communicator: a process of another MPI_COMM_WORLD */
};

enum { MPG_ANY_SOURCE = 1, MPG_ANY_TAG = 2 };

/* Buffers of a call that are memory of a GPU: whose data are sent; into which data are received. */
enum { MPG_DEVICE_SENT = 1, MPG_DEVICE_RECEIVED = 2 };

/* Kinds of objects in the arguments of calls. */
enum mpg_object_kind { MPG_OBJECT_WINDOW, MPG_OBJECT_FILE };

/* A return address: offset in a module (executable or shared library) from the module's load address. MODULE -1: unknown
 * module. */
struct mpg_frame {
    int32_t module;
    uint64_t offset;
};

/* Source and tag of a message received by a wildcard receive, stored by the completing call. */
struct mpg_resolution {
    int64_t request;
    int32_t source, tag;
};

/* Local calls, aggregated instead of recorded one by one. */
struct mpg_sum {
    int64_t calls; /* 0: the event is a call; otherwise the number of aggregated calls in the event */
    int64_t time_ns, min_ns, max_ns;    /* sum, shortest and longest duration */
};

struct mpg_event {
    int64_t enter_ns, leave_ns;
    enum mpg_call call;
    uint32_t thread;       /* stream of the rank that made the call; 0 is MPI_Init's thread */
    /* Fields that repeat from call to call, up to request_number: in the order of struct mpg_shape (trace/shape.h), because the
     * writer compares these fields as one block. */
    int32_t site;          /* callsite; in readers a number of the whole trace; MPG_NO_SITE: none */
    int32_t comm;          /* communicator; in readers a number of the whole trace */
    int32_t to, from, tag, recvtag, root, newcomm;
    int32_t object;        /* window or file; in readers a number of the whole trace; MPG_NO_OBJECT: none */
    int32_t string;        /* REGION, UNKNOWN: name; in readers a number of the whole trace */
    int64_t bytes, recvbytes;
    uint32_t count_number; /* length of counts; 0 without counts */
    uint32_t request_number;
    uint32_t any;          /* MPG_ANY_ flags of the receive half */
    uint32_t device;       /* MPG_DEVICE_ flags of the buffers */
    bool failed; /* the call returned an error and had no effect; only times, site and values are valid */
    bool killed;           /* FINALIZE: the process was killed in the call; the leave is unknown, LEAVE_NS is ENTER_NS */
    bool found;            /* probe: a message was available */
    bool done_all;         /* COMPLETE: every request was completed */
    int64_t message;       /* MPROBE, MRECV, IMRECV: number of the matched message, unique on the rank, > 0 */
    const int64_t *counts; /* calls with a list of sizes: bytes for (or from) each rank */
    const int64_t *requests;   /* ids of requests, unique on the rank, > 0; in any order */
    const int64_t *persistent; /* START: request_number ids; *_INIT, REQUEST_FREE: one id or NULL */
    uint32_t done_number;
    uint32_t cancelled_number;
    const int64_t *done;       /* COMPLETE without done_all: the completed requests */
    /* COMPLETE: cancelled requests among the completed requests; in readers also at ISEND, IRECV, START: posted requests that are
     * cancelled later */
    const int64_t *cancelled;
    uint32_t resolution_number;
    uint32_t value_number; /* number of values measured over the compute interval before the call */
    /* written by the tracer at COMPLETE for wildcard receives; readers move resolutions to the posting event */
    const struct mpg_resolution *resolutions;
    const int64_t *values; /* meanings are in the fact "values": thread CPU time (cpu_ns), PAPI counters */
    uint32_t source_number, destination_number; /* NEIGHBOR...: filled in by readers from the */
    const int32_t *sources, *destinations;      /* topology; ranks of comm, or MPG_PROC_NULL */
    /* COLLECTIVE, ICOLLECTIVE: number of ranks for counts (of comm or comm's remote group); filled in by readers */
    int32_t peer_number;
    bool is_root;          /* this rank is the root; filled in by readers */
    /* OTHER: aggregated calls of one callsite since the previous region mark or aggregate; both times of the event
     * are the leave of the last call */
    struct mpg_sum sum;
    /* Time that the thread was off the CPU involuntarily: preempted, stolen by a hypervisor, or waiting for a CPU after a sleep.
     * 0 if not recorded. */
    int64_t off_before_ns; /* since the previous event of the stream; 0 .. length of this interval */
    int64_t off_in_ns;     /* between ENTER_NS and LEAVE_NS; 0 .. duration of the event */
};

/* Returns the call's name without the MPI_ prefix. */
const char *mpg_call_name(enum mpg_call call);
extern const uint8_t mpg_call_kinds[]; /* kind of each call */
static inline enum mpg_kind mpg_call_kind(enum mpg_call call)
{
    return (enum mpg_kind)mpg_call_kinds[call];
}
/* Returns whether CALL probes for a message. */
static inline bool mpg_call_is_probe(enum mpg_call call)
{
    return mpg_call_kind(call) == MPG_KIND_PROBE || mpg_call_kind(call) == MPG_KIND_MPROBE;
}
/* Returns whether CALL is a collective with a root (MPI standard 4.0, 6.2.2), blocking or not, persistent or not. */
bool mpg_call_has_root(enum mpg_call call);
/* Returns whether calls of KIND concern the neighbours of a topology. */
bool mpg_kind_has_neighbors(enum mpg_kind kind);
/* Returns whether CALL makes a communicator, and only the members of the new one call it, not all of an old communicator. */
static inline bool mpg_call_is_by_group(enum mpg_call call)
{
    return call == MPG_CALL_Comm_create_group || call == MPG_CALL_Intercomm_create || call == MPG_CALL_Comm_create_from_group ||
           call == MPG_CALL_Intercomm_create_from_groups;
}
/* Returns whether CALL may have no communicator: calls that start or connect processes, receive a matched message, or make a
 * communicator from a group, and pauses of recording. */
bool mpg_call_may_lack_comm(enum mpg_call call);
/* For each call the variant without large counts: Send for Send_c. */
extern const uint16_t mpg_call_plains[];
static inline enum mpg_call mpg_call_plain(enum mpg_call call)
{
    return (enum mpg_call)mpg_call_plains[call];
}
/* Returns the blocking variant of CALL, a nonblocking or persistent collective or constructor, without large counts;
 * without such a variant, CALL without large counts. */
enum mpg_call mpg_call_blocking(enum mpg_call call);
/* Returns "MPI_", or "" for the tracer's own events and for Unknown. */
const char *mpg_call_prefix(enum mpg_call call);
/* Returns the call named NAME (without prefix), or MPG_CALL_COUNT. */
enum mpg_call mpg_call_by_name(const char *name);
/* Computes the bytes sent and received by EVENT, as far as known from the call; 0 for failed calls and MPI_PROC_NULL. *SENT:
 * bytes of sends; the send buffer of a collective, including the rank's own part (Bcast, Scatter, Scatterv: the root's); the same
 * for each destination of a neighbourhood collective; RMA to the target; writes. *RECEIVED: bytes of receives by status
 * (nonblocking: the posted buffer); RMA from the target; reads. Initialisations of persistent operations count 0. */
void mpg_event_bytes(const struct mpg_event *event, int64_t *sent, int64_t *received);
/* Returns whether EVENT is an MPI call with a call number: not a flush, region mark or aggregate. */
static inline bool mpg_event_is_call(const struct mpg_event *event)
{
    const enum mpg_kind kind = mpg_call_kind(event->call);
    return kind > MPG_KIND_REGION_END && event->sum.calls == 0;
}
/* Returns whether SUM can be a sum of calls: one call or more, and a mean time from the minimum to the maximum. */
bool mpg_sum_is_consistent(const struct mpg_sum *sum);
/* Returns whether CALL posts a synchronous-mode send (Ssend, Issend, Ssend_init, and the _c variants). */
bool mpg_call_is_synchronous(enum mpg_call call);
/* Returns whether CALL posts a standard-mode send (Send, Isend, [I]sendrecv..., Send_init, Psend_init, and the _c variants). */
bool mpg_call_is_standard(enum mpg_call call);

#endif
