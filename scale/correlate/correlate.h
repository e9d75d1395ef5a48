/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the rows of a table: how the cost of each site (callsite, call or region) changes with the number of
 * processes N (docs/GROWTH.md has the symbols; Vetter and McCracken 2001, section 3). */
#ifndef MPG_SCALE_CORRELATE_H
#define MPG_SCALE_CORRELATE_H

#include "common/error.h"
#include "scale/scale.h"

enum scale_metric {
    SCALE_SHARE,       /* A_s / T_comm: the site's part of the time in MPI calls */
    SCALE_TIME,        /* A_s: time at the site, sum over all ranks, ns */
    SCALE_TIME_OF_APP, /* A_s / T_app: the site's part of the run time of all ranks */
    SCALE_MEAN,        /* A_s / number of calls: mean time of a call, ns */
    SCALE_COUNT,       /* number of calls, sum over all ranks */
    SCALE_BYTES,       /* bytes sent and received, sum over all ranks */
    SCALE_IMBALANCE,   /* imbalance of computation: largest time of a rank over the mean time of a rank */
    SCALE_COUNTER      /* the recorded counter with index scale_options.counter */
};

enum { SCALE_RESAMPLES = 2000 };

struct scale_options {
    enum scale_metric metric;
    size_t counter;      /* SCALE_COUNTER: index in the set */
    bool zero;           /* a run without calls at the site counts with value 0; otherwise a run without calls is left out */
    double threshold;    /* minimum share of T_comm (SCALE_IMBALANCE: of computation) in at least one run for a row */
    bool all_rows;       /* ignore the threshold */
    bool grows;          /* keep only rows that grow or dominate */
    int64_t project;     /* number of processes for the projection; 0: none */
    uint64_t seed;
};

struct scale_analysis {
    const struct scale_set *set;
    const struct scale_options *options;
    size_t row_number, below;   /* number of rows; number of sites below the threshold, which are no rows */
    size_t growing, doubtful;   /* number of rows with verdict SCALE_GROWS, and with SCALE_GROWS_PERHAPS */
    size_t dominating;          /* number of rows that dominate (scale_row.dominates); found by mpg_scale_model_rows() */
    size_t dropped;             /* number of rows that neither grow nor dominate, dropped by mpg_scale_model_rows() */
    struct scale_row *rows;     /* sorted by descending r_s, then by the share at the largest N; rows with undefined r_s last */
    size_t counts;              /* number of different N */
    size_t single;              /* number of different N with only one run */
    bool has_waits;             /* some run has wait times */
    enum scale_sizing sizing;
    bool sizings_differ;        /* the runs differ in the label "scaling" (fixed, scaled, or no label) */
};

/* Analyses SET with OPTIONS into A; both must outlive A. The caller clears A, even after a failure. Error: out of memory. */
int mpg_scale_analyse(const struct scale_set *set, const struct scale_options *options, struct scale_analysis *a,
                      struct mpg_error *err);
void mpg_scale_analysis_clear(struct scale_analysis *a);

/* Returns the metric of SITE in RUN; NAN: unknown. */
double mpg_scale_value(const struct scale_set *set, const struct scale_options *options, size_t site, size_t run);
/* Collects the points of a row for SITE: one for each run that has SITE, or with options->zero for each run. The caller
 * frees SERIES with mpg_scale_series_clear(). Error: out of memory. */
int mpg_scale_series(const struct scale_set *set, const struct scale_options *options, size_t site,
                     struct scale_series *series, struct mpg_error *err);
void mpg_scale_series_clear(struct scale_series *series);
/* Returns how many different N SERIES has. */
size_t mpg_scale_counts(const struct scale_series *series);
/* Sets *FIRST and *LAST to the medians of y at the smallest and at the largest N of SERIES, which has a point or more.
 * Error: out of memory. */
int mpg_scale_ends(const struct scale_series *series, double *first, double *last, struct mpg_error *err);

/* SET has callsites of all depths (SCALE_FRAMES_AUTO). Keeps the callsites to be shown as rows and removes the rest: a
 * callsite is split by callers if two callers, each with a share of at least the threshold in some run, have r_s of different
 * signs, or median shares at the largest N that differ by a factor of 2. Error: out of memory. */
int mpg_scale_choose_callers(struct scale_set *set, const struct scale_options *options, struct mpg_error *err);

#endif
