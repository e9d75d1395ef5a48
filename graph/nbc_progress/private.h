/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of graph/nbc_progress/ share. */
#ifndef MPG_GRAPH_MOVING_PRIVATE_H
#define MPG_GRAPH_MOVING_PRIVATE_H

#include "graph/algorithms/stages.h"
#include "graph/nonblocking.h"
#include "graph/matching/weak_progress.h"
#include "graph/collectives/collectives.h"

/* Waves of what was looked at lately. */
enum { STAGES_CACHED = 16 };
struct stage_cache {
    enum mpg_call call;
    int32_t p;
    int64_t bytes;
    struct mpg_choice choice;
    struct mpg_stages *stages; /* NULL: too many */
    uint64_t used;           /* 0: none is kept here */
};

/* When a wave begins and ends, as far as it is asked for. */
struct stage_time {
    uint64_t turn;      /* in which it was asked for last */
    uint8_t known;      /* what of it is: BEGINS, ENDS, and which of them is being found */
    double begin_ns, end_ns;
};

/* Of the calls that completing something waits for, those that begin last. */
enum { MOST_FOUND = 64 };

struct nbc_progress {
    struct progress *progress;
    struct collectives *collectives;
    const struct mpg_weak_progress *limits;
    const struct mpg_collective_table *table;
    int64_t eager_limit_bytes;
    bool observes;
    struct stage_cache kept[STAGES_CACHED];
    uint64_t uses;
    struct stage_time *time;
    uint32_t time_capacity;
    uint64_t turns;
    struct {
        int32_t rank;
        const struct progress_call *progress_call;
    } found[MOST_FOUND];
    uint32_t found_number;
    double first_ns; /* when the first of them begins */
    struct observations *observations; /* observes */
};

/* How a collective is looked at. */
struct model {
    struct mpg_choice choice;
    bool calls, sends_weak; /* calls: later waves begin in calls; else as soon as they can */
};

/* Who completes it, and until when others' calls count. */
struct completion {
    const struct part *part;
    struct nonblocking_part nonblocking_part;
    double until_ns;
};

/* When all is there that the member's last wave needs, aligned; INFINITY: not by then. In the time of the trace, as if
 * messages took none; the calls of others that this waits for are in MOVING->found, unless it observes. -INFINITY: waves are not
 * known. */
double mpg_graph_nbc_completion_ns(struct nbc_progress *nbc_progress, const struct completion *completion,
                                   const struct model *model);
void mpg_graph_stage_cache_clear(struct nbc_progress *nbc_progress);

/* While it observes: what completes ASKED by CALL shows. */
void mpg_graph_nbc_observe(struct nbc_progress *nbc_progress, const struct completion *completion, const struct call *call);
struct observations *mpg_graph_nbc_observations_new(struct mpg_error *err);
void mpg_graph_nbc_observations_free(struct observations *observations);

#endif
