/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows: how what a site takes goes with the number of processes (docs/GROWTH.md; Vetter and McCracken 2001,
 * section 3). */
#ifndef MPG_SCALE_CORRELATE_H
#define MPG_SCALE_CORRELATE_H

#include "common/error.h"
#include "scale/scale.h"

enum scale_metric {
    SCALE_SHARE,       /* A_s / T_comm */
    SCALE_TIME,        /* A_s, ns */
    SCALE_TIME_OF_APP, /* A_s / T_app */
    SCALE_MEAN,        /* A_s / calls, ns */
    SCALE_COUNT,       /* calls */
    SCALE_BYTES,       /* sent and received */
    SCALE_IMBALANCE,   /* of computation: max_i t_is / mean_i t_is */
    SCALE_COUNTER      /* one that was recorded */
};

enum { SCALE_RESAMPLES = 2000 };

struct scale_options {
    enum scale_metric metric;
    size_t counter;      /* SCALE_COUNTER: which of the set's */
    bool zero;           /* a run without the site counts as one where it took nothing; else it does not count */
    double threshold;    /* rows: part of T_comm (SCALE_IMBALANCE: of computation) in at least one run */
    bool all_rows;       /* whatever the threshold is */
    bool grows;          /* only rows that grow, or dominate */
    int64_t project;     /* processes; 0: not asked for */
    uint64_t seed;
};

struct scale_analysis {
    const struct scale_set *set;
    const struct scale_options *options;
    size_t row_number, below;   /* rows; sites below the threshold */
    size_t growing, doubtful;   /* rows that grow; that perhaps do */
    size_t dominating;          /* rows that dominate; with models */
    size_t dropped;             /* rows left out as they do neither; with models */
    struct scale_row *rows;     /* by r_s, the largest first, then by the share at the largest N; undefined ones last */
    size_t counts;              /* distinct N of all runs */
    size_t single;              /* of them, those with one run */
    bool has_waits;             /* of any run */
    enum scale_sizing sizing;
    bool sizings_differ;        /* some runs are fixed, some scaled */
};

/* Makes A of SET for OPTIONS; both outlive it. A is to be cleared, even on failure. Errors: out of memory. */
int mpg_scale_analyse(const struct scale_set *set, const struct scale_options *options, struct scale_analysis *a,
                      struct mpg_error *err);
void mpg_scale_analysis_clear(struct scale_analysis *a);

/* The metric of one cell of RUN; NAN: there is none. */
double mpg_scale_value(const struct scale_set *set, const struct scale_options *options, size_t site, size_t run);
/* What of it SITE's row is of: one point for each run that has it (all, with zero); freed with
 * mpg_scale_series_clear(). Error: out of memory. */
int mpg_scale_series(const struct scale_set *set, const struct scale_options *options, size_t site,
                     struct scale_series *series, struct mpg_error *err);
void mpg_scale_series_clear(struct scale_series *series);
/* Distinct N of SERIES. */
size_t mpg_scale_counts(const struct scale_series *series);
/* The medians of y at the smallest and the largest N. SERIES has a point. Error: out of memory. */
int mpg_scale_ends(const struct scale_series *series, double *first, double *last, struct mpg_error *err);

/* Chooses among the sites of all depths of SET, which was read with SCALE_FRAMES_AUTO: a site is told apart by its
 * callers where two of these, each with a share of at least the threshold in some run, have r_s of different signs, or
 * shares (medians at the largest N) that differ by a factor of 2. Leaves those chosen. Error: out of memory. */
int mpg_scale_choose_callers(struct scale_set *set, const struct scale_options *options, struct mpg_error *err);

#endif
