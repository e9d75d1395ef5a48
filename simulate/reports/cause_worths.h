/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gain in run time from the removal of each cause of the target's noise (docs/MODEL.md, section 3, Noise by cause). */
#ifndef MPG_CAUSE_WORTHS_H
#define MPG_CAUSE_WORTHS_H

#include <stdio.h>

#include "common/table/json.h"
#include "simulate/evaluate/driver/result.h"
#include "simulate/models/perturbation.h"

/* A run without the noise of some causes. */
struct mpg_cause_worth {
    const char *name;  /* name of the cause, owned by the signature; NULL: several causes are left out */
    size_t causes;     /* number of left-out causes, >= 1 */
    double fraction;   /* time taken by the left-out causes, as a fraction of the time of the cores with known causes, 0..1 */
    double per_s;      /* number of detours of these causes per second of a core */
    double longest_ns; /* longest detour of these causes */
    /* by replica: run time without these causes, ns; NULL: not simulated, since options could not name all causes */
    double *run_ns;
};

/* All rows. The runs have equal random draws. Only the first process has run times. */
struct mpg_cause_worths {
    /* number of rows: each of the largest causes, all smaller causes together (if several), all causes */
    size_t n;
    struct mpg_cause_worth *row;
    uint32_t replicas, first_replica;
    struct mpg_resampling resampling; /* intervals include the uncertainty of signatures */
    double *with_ns;              /* by replica: run time with the noise of all causes, ns */
    size_t cores, unknown_cores;  /* cores of the target's signature with detours; number of these cores with unknown causes */
    double unseen;                /* fraction of the noise on cores with known causes for which the kernel saw no cause, 0..1 */
};

/* Returns the summary of the change of run time without ROW, in percent of the run with all noise, over replicas, with a
 * confidence interval of the median; at most 0 unless calls choose other messages. SCRATCH: memory for 2 doubles for each
 * replica. */
struct mpg_summary mpg_cause_worth_change(const struct mpg_cause_worths *all, const struct mpg_cause_worth *row, double *scratch);
/* Write the rows as text, as CSV, and as the member KEY of JSON (mpgsim-json(5)). Error: out of memory. */
int mpg_cause_worths_text(const struct mpg_cause_worths *all, FILE *out, struct mpg_error *err);
int mpg_cause_worths_csv(const struct mpg_cause_worths *all, FILE *out, struct mpg_error *err);
int mpg_cause_worths_json(struct mpg_json *json, const char *key, const struct mpg_cause_worths *all, struct mpg_error *err);
void mpg_cause_worths_clear(struct mpg_cause_worths *all);

#endif
