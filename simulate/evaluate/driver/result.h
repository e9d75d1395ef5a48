/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of a simulation, and statistics over replicas. */
#ifndef MPG_RESULT_H
#define MPG_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/clocks.h"
#include "graph/graph.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/evaluate/prepass/classes.h"
#include "simulate/models/capacities.h"
#include "simulate/attribution/attribution.h"

struct mpg_result {
    bool predicted; /* true: predict mode; false: perturb mode, delays of the trace */
    int32_t ranks;
    uint32_t replicas, first_replica;
    int64_t *recorded_ns; /* each rank: from MPI_Init's leave to MPI_Finalize's enter in the trace */
    double *traced_ns;  /* by rank: recorded_ns, less the tracer's time if removed; delays are relative to this run time */
    bool tracer_taken_out;
    double *delay_ns;   /* [rank][replica]: delay of the enter of MPI_Finalize */
    double *run_ns;     /* by replica: the longest run time of a rank */
    struct mpg_graph_counts counts;
    struct mpg_delay_account *account; /* by rank, in perturb mode: mean over replicas */
    struct mpg_run_account *run_account; /* by rank, in predict mode: mean over replicas */
    /* [rank][block of replicas][term]: the sums from which the means are computed. Replicas of a block are added in order,
     * then the blocks: the result does not depend on which thread or process evaluated a replica */
    double *sums;
    enum mpg_absorb absorb;
    enum mpg_clock_source clocks;
    enum mpg_cpu_use cpu;   /* how intervals were measured to remove the source's noise: by length or by CPU time */
    const char *floor_rule; /* origin of the minimum message times, in words; NULL: none are used */
    bool floors_of_source;  /* some minimum message times come from the source's signature */
    /* Messages share ports and memory (predict mode): replicas are simulated in the order of time. Over the replicas of this
     * process, then of all processes: number of messages, number of messages delayed by further messages, and the sum of the
     * delays, ns. */
    struct mpg_shared_messages shared;
    bool chose;             /* calls could complete different messages than in the trace */
    struct mpg_choices choices; /* counts of these calls, summed over replicas */
    /* number of replicas evaluated again with the traced choices, because the replica's own choices ended in a deadlock */
    uint32_t redone;
    const char *undivided; /* why threads and processes shared replicas, not ranks; NULL: as in struct mpg_run */
    int64_t source_eager_limit_bytes; /* the eager limit assumed for the traced machine, bytes */
    struct mpg_attribution *where; /* attribution of the accounts to places; NULL if not wanted */
};

/* The attributions requested by options. */
struct mpg_attribution_wanted {
    bool places; /* attribute to places */
    bool pairs;  /* also attribute to pairs of ranks */
};

/* Number of replicas in a block: accounts are summed block by block, and processes get whole blocks of replicas. */
enum { MPG_REPLICAS_A_BLOCK = 16 };

/* Initialises RESULT without arrays. */
void mpg_result_init(struct mpg_result *result, int32_t ranks, uint32_t replicas, uint32_t first_replica);
/* Allocates the arrays of RESULT, all zero. Error: out of memory, after which RESULT has no arrays. */
int mpg_result_reserve(struct mpg_result *result, struct mpg_error *err);
/* Adds TERMS to RANK's account. TERMS: [term][replica], for the N replicas BEGIN .. BEGIN + N - 1 of RESULT. To be called in
 * ascending order of replicas. */
void mpg_result_add(struct mpg_result *result, int32_t rank, uint32_t begin, uint32_t n,
                    const double *terms);
/* To be called after the last replica: computes run_ns from delays and traced times, and the means of accounts. Error: a delay
 * of more than 1e145 ns, or not a number. */
int mpg_result_finish(struct mpg_result *result, struct mpg_error *err);
/* Sets both recorded and traced run times to RECORDED_NS, by rank, which makes delays relative to the run with the tracer's
 * time; does not change predicted run times. */
void mpg_result_refer_to(struct mpg_result *result, const int64_t *recorded_ns);
/* Makes delays of RESULT relative to the traced run of OTHER, which is without the tracer's time; does not change predicted
 * run times. */
void mpg_result_take_traced(struct mpg_result *result, const struct mpg_result *other);
void mpg_result_clear(struct mpg_result *result); /* RESULT may lack arrays */

/* These return the account with the values TERM, in the order of the struct's members. */
struct mpg_delay_account mpg_delay_account_of(const double term[MPG_ACCOUNT_TERMS]);
struct mpg_run_account mpg_run_account_of(const double term[MPG_ACCOUNT_TERMS]);
/* Adds WEIGHT times A to SUM. */
void mpg_delay_account_add(struct mpg_delay_account *sum, const struct mpg_delay_account *a,
                           double weight);
void mpg_run_account_add(struct mpg_run_account *sum, const struct mpg_run_account *a,
                         double weight);
/* Returns the sum of the injected terms of A, ns. */
double mpg_delay_injected(const struct mpg_delay_account *a);
/* Return the mean of the accounts over ranks. */
struct mpg_delay_account mpg_result_account(const struct mpg_result *result);
struct mpg_run_account mpg_result_run_account(const struct mpg_result *result);
/* Returns the time in which a rank waits for a core that other ranks use: what the parts of A lack of the run. */
double mpg_run_account_core_ns(const struct mpg_run_account *a);

/* Returns the traced run time of the job, ns: the longest traced_ns of a rank. */
double mpg_result_traced(const struct mpg_result *result);
/* Returns the longest recorded_ns of a rank, ns. */
double mpg_result_recorded(const struct mpg_result *result);

struct mpg_summary {
    double mean, sd, min, p5, median, p95, largest;
    double low, high; /* 95 % confidence interval of the median, from order statistics; minimum and maximum if n < 6 */
};

/* Summarises N >= 1 values; quantiles are linear between order statistics
 * (Hyndman and Fan 1996, type 7). SORTED: scratch of N doubles, sorted on return. */
struct mpg_summary mpg_summarise(const double *values, size_t n, double *sorted);

#endif
