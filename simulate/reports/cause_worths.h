/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the removal of each cause of the target's noise would be worth (docs/MODEL.md, section 3, Noise by cause). */
#ifndef MPG_CAUSE_WORTHS_H
#define MPG_CAUSE_WORTHS_H

#include <stdio.h>

#include "common/table/json.h"
#include "simulate/evaluate/driver/result.h"
#include "simulate/models/perturbation.h"

/* The run without the noise of some causes. */
struct mpg_cause_worth {
    const char *name;  /* the cause, which belongs to the signature; NULL: the run is without several causes */
    size_t causes;     /* number of causes that are left out, >= 1 */
    double fraction;   /* part of the time of the cores with known causes, 0..1, that these causes take */
    double per_s;      /* their detours a second of a core */
    double longest_ns; /* their longest detour */
    double *run_ns;    /* by replica: run time without them, ns; NULL: not simulated, since no option could name all of them */
};

/* The runs of all rows have the same draws. Only the first process has run times. */
struct mpg_cause_worths {
    size_t n;                     /* number of rows: the largest causes, all smaller ones together (if several), all causes */
    struct mpg_cause_worth *row;
    uint32_t replicas, first_replica;
    struct mpg_resampling resampling; /* intervals include the uncertainty of signatures */
    double *with_ns;              /* by replica: run time with the noise of all causes, ns */
    size_t cores, unknown_cores;  /* cores of the target's signature with detours; of these, cores whose causes are unknown */
    double unseen;                /* part of the noise with known causes of which the kernel saw no cause, 0..1 */
};

/* Returns the summary of the change of run time without ROW, in percent of the run with all noise, over replicas, with a
 * confidence interval of the median; at most 0 unless calls choose otherwise. SCRATCH: memory for 2 doubles for each replica. */
struct mpg_summary mpg_cause_worth_change(const struct mpg_cause_worths *all, const struct mpg_cause_worth *row, double *scratch);
/* Write the rows as text, as CSV, and as the member KEY of JSON (mpgsim-json(5)). Error: out of memory. */
int mpg_cause_worths_text(const struct mpg_cause_worths *all, FILE *out, struct mpg_error *err);
int mpg_cause_worths_csv(const struct mpg_cause_worths *all, FILE *out, struct mpg_error *err);
int mpg_cause_worths_json(struct mpg_json *json, const char *key, const struct mpg_cause_worths *all, struct mpg_error *err);
void mpg_cause_worths_clear(struct mpg_cause_worths *all);

#endif
