/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A graph with ranks and threads, shared by the files of graph/schedule/. Holds the state of matching, collectives and
 * requests, which do not know the scheduler. */
#ifndef MPG_GRAPH_STATE_H
#define MPG_GRAPH_STATE_H

#include "graph/matching/probes.h"
#include "graph/matching/channel_cache.h"
#include "graph/matching/windows.h"
#include "graph/collectives/collectives.h"
#include "graph/requests/requests.h"
#include "graph/work/visits.h"
#include "graph/work/intervals.h"
#include "graph/work/regions.h"

enum phase { PHASE_READ, PHASE_WAIT }; /* outside of a call; in a call */

/* A thread of a rank, and the thread's current call. */
struct stream {
    struct call call; /* first member: the scheduler converts the waiter to the stream */
    struct mpg_event *kept; /* copy of the call's event, needed if further events of the rank are read before the call is left */
    int64_t *kept_requests; /* copy of the requests in this event */
    uint32_t kept_capacity;
    struct mpg_graph *graph;
    struct rank_state *state; /* state of the stream's rank */
    struct stream *sibling;   /* the rank's next thread */
    uint32_t thread;
    enum phase phase;
    int64_t last_leave_ns;             /* leave of the previous call, on the rank's own clock */
    struct interval_sums interval_sums;            /* sums over the current interval, since the previous call */
    struct regions regions;            /* open regions, if options name regions */
    struct visits visits;              /* visits of parallel regions in the current interval, if options name regions */
    struct mpg_call_site from;             /* the previous call, with callsite */
    bool from_inserted;                /* the previous call is inserted */
    bool found_nothing;                /* the previous call was an unsuccessful test or probe */
    double class_bytes;                /* bytes for the call's size class */
    bool has_fork_slot;
    uint32_t fork_slot;                /* slot of the value at the enter of the latest call, where new threads begin */
    struct message *sending, *receiving; /* messages sent and received by the current call, if blocking */
    struct probing probing;
    struct part part;
    struct group *group;
    struct completing completing;
    /* links in the list of threads waiting for candidates; choosing_link NULL: not in the list */
    struct stream *choosing_next, **choosing_link;
    struct sent sent;
    struct channel_cache channel_cache;
    uint64_t *inserted;                /* number of calls inserted by each hypothesis; NULL: none */
};

/* State of a rank from the first to the last call. */
struct rank_run {
    struct mpg_cursor *cursor;
    struct completion_times *completion_times;         /* NULL: not needed yet */
    uint32_t threads;            /* number of the rank's threads in the trace */
    const struct mpg_event *next; /* the event after the current event, read ahead from the cursor; NULL: not read */
    uint64_t next_number;
    struct held_call *held_call, *taken; /* held calls (lookahead.h), in order; the held call taken last */
    uint32_t held_count;
    struct stream *streams;      /* threads that have made calls, the thread of MPI_Init first */
    uint32_t stream_count;
    uint32_t waiting, ready;     /* number of streams in PHASE_WAIT; number of streams in PHASE_WAIT with all waits over */
    struct rank_requests requests;
    struct taken probed;
    struct tracer_overhead tracer_overhead;
    struct windows windows;
};

struct rank_state {
    struct rank_run *run;     /* NULL before the first call and after the end */
    /* in this order: the first call was made; the FINISH step was made; MPI_Finalize was called; the rank is in the queue */
    bool started, finished, finalized, queued;
    bool ended;               /* the trace has no further events */
    uint64_t calls;           /* number of calls read */
    int64_t start_ns;         /* leave of MPI_Init, or enter of the first call, on the rank's own clock */
    int64_t progress_ns;      /* leave of the latest call minus start_ns, ns: the order of the queue */
};

/* Ranks that can go on, a heap ordered by progress_ns. */
struct queue {
    struct rank_state *rank;
    int32_t *heap, count;
};

struct mpg_graph {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    bool shares_clock; /* all ranks share a clock: aligned time = time - ORIGIN_NS */
    int64_t origin_ns;
    bool lenient, by_completion, names_regions, marks, reports_unused;
    const struct mpg_parallel *parallel; /* by rank; NULL: visits of parallel regions are not listed */
    bool has_regions; /* options ask for open regions */
    bool fuses;       /* calls that need not wait are fused (fused.h) */
    uint64_t at_once; /* number of fused calls */
    uint64_t unreported; /* number of steps made since unused slots were last reported */
    const struct mpg_region_ratios *ratios; /* NULL: none */
    const struct mpg_bound_hypotheses *bound;    /* NULL: no hypotheses */
    uint64_t active;                       /* bit i: hypothesis i is applied */
    struct mpg_graph_counts counts;
    struct call_ref first_failed; /* the first call that returned an error */
    int32_t ranks, finished; /* number of ranks; number of own ranks that have finished */
    struct mpg_rank_part *part;   /* the part of the ranks that this graph owns; NULL: all ranks */
    int32_t own, first_own;  /* number of own ranks; the first */
    bool has_begun;          /* mpg_graph_next() has been called */
    uint32_t streams;
    struct rank_state *rank;
    struct queue queue;
    int32_t current; /* the rank being advanced, or NO_RANK */
    uint32_t turn;   /* sum of the weights (streams.h) of the calls in the current turn */
    struct stream *choosing; /* list of the threads waiting for candidates */
    uint64_t horizon;        /* maximum number of messages in flight at which calls wait for candidates */
    struct members members;
    struct steps steps;
    struct matching matching;
    struct collectives collectives;
    struct requests requests;
};

/* Returns TIME_NS of RANK's clock on the common axis. */
static inline double graph_align(const struct mpg_graph *g, int32_t rank, int64_t time_ns)
{
    return g->shares_clock ? (double)(time_ns - g->origin_ns) : mpg_clock_align(g->clocks, rank, time_ns);
}

#endif
