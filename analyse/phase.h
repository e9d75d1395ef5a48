/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worst phase of a run: the stretch in which ranks spend most of their time within MPI calls, from the first begin of a
 * call that is in it to the last end, as mpgsim's page draws it. */
#ifndef MPG_ANALYSE_PHASE_H
#define MPG_ANALYSE_PHASE_H

#include "common/table/json.h"
#include "graph/clocks.h"
#include "trace/reader.h"

/* At most so many ranks are drawn: half of them those that are longest in calls, half those that are least; and so many
 * calls of each, after which the stretch ends. */
enum { MPG_PHASE_RANKS = 16, MPG_PHASE_CALLS = 160 };

/* A run: its trace and clocks. */
struct mpg_phase_world {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
};

struct mpg_phase_call {
    enum mpg_call call;
    double from_ns, to_ns; /* since its world's stretch began; it may begin before, and end after it */
};

struct mpg_phase_rank {
    int32_t rank;
    uint64_t first;       /* the number of its first call there, from 0 */
    double in_calls_ns;   /* within the predicted stretch */
    size_t n[2];          /* of each world: */
    struct mpg_phase_call call[2][MPG_PHASE_CALLS];
};

struct mpg_worst_phase {
    uint32_t replica;
    double from_ns, to_ns; /* since the first rank left MPI_Init of the predicted run */
    double run_ns;         /* and until the last one enters MPI_Finalize */
    double share;          /* of all ranks' time there is within calls */
    double traced_ns;      /* how long the traced run took for the same calls; 0: it made others, and is not there */
    int32_t ranks;         /* of the run */
    size_t n;              /* of them drawn, ascending */
    struct mpg_phase_rank *rank;
};

/* Finds it in PREDICTED, whose calls are TRACED's or others. Memory: the ranks that are drawn, and a number for each of
 * 1000 stretches. PHASE is to be cleared even on failure. Errors: those of traces; out of memory; there are no calls. */
int mpg_worst_phase_find(struct mpg_worst_phase *phase, const struct mpg_phase_world *traced,
                         const struct mpg_phase_world *predicted, struct mpg_error *err);
void mpg_worst_phase_clear(struct mpg_worst_phase *phase);
/* As mpgsim's page reads it. */
void mpg_worst_phase_json(struct mpg_json *json, const char *key, const struct mpg_worst_phase *phase);

#endif
