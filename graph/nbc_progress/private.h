/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of graph/nbc_progress/. Private to graph/nbc_progress/. */
#ifndef MPG_GRAPH_NBC_PROGRESS_PRIVATE_H
#define MPG_GRAPH_NBC_PROGRESS_PRIVATE_H

#include "graph/algorithms/stages.h"
#include "graph/nonblocking.h"
#include "graph/matching/weak_progress.h"
#include "graph/collectives/collectives.h"

/* Number of cached stage lists, for the collectives looked up last. */
enum { STAGES_CACHED = 16 };
struct stage_cache {
    enum mpg_call call;
    int32_t p;
    int64_t bytes;
    struct mpg_choice choice;
    struct mpg_stages *stages; /* NULL: the collective has too many messages for a stage list */
    uint64_t used;           /* time of last use; 0: entry is empty */
};

/* Begin and end of a stage, computed on demand. */
struct stage_time {
    uint64_t turn;      /* number of the query in which the fields below were computed */
    uint8_t known;      /* bits: BEGINS, ENDS: begin_ns, end_ns is known; FINDING: being computed */
    double begin_ns, end_ns;
};

/* Maximum number of progress calls awaited by a completion: the latest progress calls. */
enum { MAX_FOUND = 64 };

struct nbc_progress {
    struct progress *progress;
    struct collectives *collectives;
    const struct mpg_weak_progress *limits;
    const struct mpg_collective_table *table;
    int64_t eager_limit_bytes;
    bool observes;
    struct stage_cache kept[STAGES_CACHED];
    uint64_t uses;             /* look-ups in the cache so far: the clock of stage_cache.used */
    struct stage_time *time;
    uint32_t time_capacity;
    uint64_t turns;            /* number of queries so far, that is calls of mpg_graph_nbc_completion_ns() */
    struct {
        int32_t rank;
        const struct progress_call *progress_call;
    } found[MAX_FOUND]; /* result of the last query: calls of other members for which the completion waits */
    uint32_t found_number;
    double first_ns; /* aligned begin of the earliest call of `found` */
    struct observations *observations; /* NULL unless `observes` */
};

/* A hypothesis about the progress of nonblocking collectives, to be compared with the trace. */
struct model {
    struct mpg_choice choice;
    /* calls: stages after the first begin inside MPI calls; otherwise as soon as possible. sends_weak: sends complete inside
     * the receiver's calls */
    bool calls, sends_weak;
};

/* The completion of a collective by one member. Calls of other members that begin after until_ns (aligned) are ignored. */
struct completion {
    const struct part *part;
    struct nonblocking_part nonblocking_part;
    double until_ns;
};

/* Returns the aligned time at which the inputs of the member's last stage are ready, computed from traced times and message
 * times of zero; INFINITY: not before until_ns; -INFINITY: the stages are not known. Unless NBC_PROGRESS observes, `found`
 * then holds the progress calls. */
double mpg_graph_nbc_completion_ns(struct nbc_progress *nbc_progress, const struct completion *completion,
                                   const struct model *model);
void mpg_graph_stage_cache_clear(struct nbc_progress *nbc_progress);

/* With OBSERVES: counts whether COMPLETION, by CALL, waited for calls of other members. */
void mpg_graph_nbc_observe(struct nbc_progress *nbc_progress, const struct completion *completion, const struct call *call);
struct observations *mpg_graph_nbc_observations_new(struct mpg_error *err);
void mpg_graph_nbc_observations_free(struct observations *observations);

#endif
