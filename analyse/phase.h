/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worst phase of a run: the part in which ranks spend the most time within MPI calls, from the first begin of a call to the
 * last end. mpgsim's page draws the phase. */
#ifndef MPG_ANALYSE_PHASE_H
#define MPG_ANALYSE_PHASE_H

#include "common/table/json.h"
#include "graph/clocks.h"
#include "trace/reader.h"

/* Maximum number of drawn ranks: half with the most time in calls, half with the least. Maximum number of calls per rank: the
 * phase ends when a rank has more. */
enum { MPG_PHASE_RANKS = 16, MPG_PHASE_CALLS = 160 };

/* A run: its trace and clocks. */
struct mpg_phase_run {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
};

struct mpg_phase_call {
    enum mpg_call call;
    /* begin and end of the call since the begin of the phase, in the traced or predicted run; a call may begin before the phase
     * and end after it */
    double from_ns, to_ns;
};

struct mpg_phase_rank {
    int32_t rank;
    uint64_t first;       /* number of the rank's first call in the phase, from 0 */
    double in_calls_ns;   /* time in calls within the phase, in the predicted run */
    size_t n[2];          /* number of calls in the traced and in the predicted run, and times of the calls: */
    struct mpg_phase_call call[2][MPG_PHASE_CALLS];
};

struct mpg_worst_phase {
    uint32_t replica;
    double from_ns, to_ns; /* since the first rank left MPI_Init in the predicted run */
    double run_ns;         /* time until the last rank enters MPI_Finalize */
    double share;          /* fraction of all ranks' time in the phase that is within calls */
    /* time that the phase's calls take in the traced run; 0: the traced run has other calls and is not drawn */
    double traced_ns;
    int32_t ranks;         /* ranks of the run */
    size_t n;              /* number of drawn ranks, ascending */
    struct mpg_phase_rank *rank;
};

/* Finds the worst phase of PREDICTED, and the same calls in TRACED if TRACED has them. Memory: the calls of the drawn ranks,
 * and a number for each of 1000 parts of the run. The caller clears PHASE, also on failure. Returns 0, or -1 with ERR: an
 * error of a trace; no memory; no calls. */
int mpg_worst_phase_find(struct mpg_worst_phase *phase, const struct mpg_phase_run *traced,
                         const struct mpg_phase_run *predicted, struct mpg_error *err);
void mpg_worst_phase_clear(struct mpg_worst_phase *phase);
/* Writes PHASE as member KEY of JSON, read by mpgsim's page. */
void mpg_worst_phase_json(struct mpg_json *json, const char *key, const struct mpg_worst_phase *phase);

#endif
