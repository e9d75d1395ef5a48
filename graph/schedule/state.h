/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A graph, its ranks and their threads: what the files of graph/schedule/ share. It holds
 * the state of matching, meetings and requests, which know nothing of it. */
#ifndef MPG_GRAPH_STATE_H
#define MPG_GRAPH_STATE_H

#include "graph/matching/probes.h"
#include "graph/matching/channel_cache.h"
#include "graph/matching/windows.h"
#include "graph/collectives/collectives.h"
#include "graph/requests/requests.h"
#include "graph/work/intervals.h"
#include "graph/work/regions.h"

enum phase { PHASE_READ, PHASE_WAIT };

/* One thread of a rank, and the call that it is in. */
struct stream {
    struct call call; /* first: the scheduler gets from its waiter to the stream */
    struct mpg_event *kept; /* that of the call, where the rank is read on before it leaves, */
    int64_t *kept_requests; /* and its requests */
    uint32_t kept_capacity;
    struct mpg_graph *graph;
    struct rank_state *state; /* its rank's */
    struct stream *sibling;
    uint32_t thread;
    enum phase phase;
    int64_t last_leave_ns;
    struct interval_sums interval_sums;            /* since then */
    struct regions regions;            /* that it is in, where options name any */
    struct mpg_call_site from;             /* the call that was left then */
    bool from_inserted;                /* which is inserted */
    bool found_nothing;                /* by it */
    double class_bytes;                /* that the call's size class goes by */
    bool has_fork_slot;
    uint32_t fork_slot;                /* the value at its last call's enter */
    struct message *sending, *receiving; /* of a blocking call */
    struct probing probing;
    struct part part;
    struct group *group;
    struct completing completing;
    struct stream *choosing_next, **choosing_link; /* in a list of those that wait for what they
                                                      may complete; link NULL: it is not in it */
    struct sent sent;
    struct channel_cache channel_cache;
    uint64_t *inserted;                /* of each hypothesis: calls that it has inserted; NULL: none has */
};

/* What a rank has while it is under way. */
struct rank_run {
    struct mpg_cursor *cursor;
    struct completion_times *completion_times;         /* NULL: it has not been needed yet */
    uint32_t threads;            /* that the trace has of it */
    const struct mpg_event *next; /* the cursor's, read ahead; NULL: it has not been read */
    uint64_t next_number;
    struct held_call *held_call, *taken; /* laid aside, in order; the one last taken from it */
    uint32_t held_count;
    struct stream *streams;      /* that have made calls, thread 0 first */
    uint32_t stream_count;
    uint32_t waiting, ready;     /* streams in PHASE_WAIT, and those that need wait no more */
    struct rank_requests requests;
    struct taken probed;
    struct tracer_overhead tracer_overhead;
    struct windows windows;
};

struct rank_state {
    struct rank_run *run;     /* NULL before it is first advanced, and after its end */
    bool started, finished, finalized, queued;
    bool ended;               /* its trace: nothing is left to be read */
    uint64_t calls;           /* read so far */
    int64_t start_ns, progress_ns;
};

/* Ranks that can go on, the one least far in its run first. */
struct queue {
    struct rank_state *rank;
    int32_t *heap, count;
};

struct mpg_graph {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    bool shares_clock; /* all ranks do: times count from ORIGIN_NS on */
    int64_t origin_ns;
    bool lenient, by_completion, names_regions, marks, reports_unused;
    bool has_regions; /* somebody asks for what regions are open */
    bool fuses;       /* calls that wait for nobody are made at once (fused.h), */
    uint64_t at_once; /* so many so far */
    uint64_t untold; /* steps since unused slots were told */
    const struct mpg_region_ratios *ratios; /* NULL: none */
    const struct mpg_bound_hypotheses *bound;    /* NULL: no hypotheses */
    uint64_t active;                       /* which of them hold */
    struct mpg_graph_counts counts;
    struct call_ref first_failed; /* the first call met that returned an error */
    int32_t ranks, finished;
    uint32_t streams;
    struct rank_state *rank;
    struct queue queue;
    int32_t current; /* the rank being advanced, or NO_RANK */
    uint32_t turn;   /* calls that it has made in a row, as turns count them */
    struct stream *choosing; /* threads whose calls wait for messages that they may complete */
    uint64_t horizon;        /* they do not with more messages in flight */
    struct members members;
    struct steps steps;
    struct matching matching;
    struct collectives collectives;
    struct requests requests;
};

/* RANK's TIME on the common axis. */
static inline double graph_align(const struct mpg_graph *g, int32_t rank, int64_t time_ns)
{
    return g->shares_clock ? (double)(time_ns - g->origin_ns) : mpg_clock_align(g->clocks, rank, time_ns);
}

#endif
