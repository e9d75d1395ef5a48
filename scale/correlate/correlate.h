/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the rows of a table: how the cost of each site changes with the number of processes (docs/GROWTH.md; Vetter and
 * McCracken 2001, section 3). */
#ifndef MPG_SCALE_CORRELATE_H
#define MPG_SCALE_CORRELATE_H

#include "common/error.h"
#include "scale/scale.h"

enum scale_metric {
    SCALE_SHARE,       /* A_s / T_comm */
    SCALE_TIME,        /* A_s, ns */
    SCALE_TIME_OF_APP, /* A_s / T_app */
    SCALE_MEAN,        /* A_s / number of calls, ns */
    SCALE_COUNT,       /* number of calls */
    SCALE_BYTES,       /* bytes sent and received */
    SCALE_IMBALANCE,   /* imbalance of computation: max_i t_is / mean_i t_is */
    SCALE_COUNTER      /* a recorded counter */
};

enum { SCALE_RESAMPLES = 2000 };

struct scale_options {
    enum scale_metric metric;
    size_t counter;      /* SCALE_COUNTER: index in the set */
    bool zero;           /* a run without calls at the site counts with value 0; otherwise such a run is left out */
    double threshold;    /* minimum share of T_comm (SCALE_IMBALANCE: of computation) in at least one run for a row */
    bool all_rows;       /* ignore the threshold */
    bool grows;          /* keep only rows that grow or dominate */
    int64_t project;     /* number of processes to project to; 0: none */
    uint64_t seed;
};

struct scale_analysis {
    const struct scale_set *set;
    const struct scale_options *options;
    size_t row_number, below;   /* number of rows; number of sites below the threshold */
    size_t growing, doubtful;   /* number of rows that grow; that perhaps grow */
    size_t dominating;          /* number of rows that dominate; needs models */
    size_t dropped;             /* number of rows dropped because they neither grow nor dominate; needs models */
    struct scale_row *rows;     /* sorted by descending r_s, then by the share at the largest N; rows with undefined r_s last */
    size_t counts;              /* number of distinct N */
    size_t single;              /* number of distinct N with a single run */
    bool has_waits;             /* some run has wait times */
    enum scale_sizing sizing;
    bool sizings_differ;        /* the runs have different "scaling" labels */
};

/* Analyses SET with OPTIONS into A; both must outlive A. The caller clears A, even after a failure. Error: out of memory. */
int mpg_scale_analyse(const struct scale_set *set, const struct scale_options *options, struct scale_analysis *a,
                      struct mpg_error *err);
void mpg_scale_analysis_clear(struct scale_analysis *a);

/* Returns the metric of SITE in RUN; NAN if there is none. */
double mpg_scale_value(const struct scale_set *set, const struct scale_options *options, size_t site, size_t run);
/* Collects the points of SITE's row: one for each run that has the site (all runs if options->zero). The caller frees SERIES
 * with mpg_scale_series_clear(). Error: out of memory. */
int mpg_scale_series(const struct scale_set *set, const struct scale_options *options, size_t site,
                     struct scale_series *series, struct mpg_error *err);
void mpg_scale_series_clear(struct scale_series *series);
/* Returns the number of distinct N of SERIES. */
size_t mpg_scale_counts(const struct scale_series *series);
/* Computes the medians of y at the smallest and the largest N. SERIES has at least one point. Error: out of memory. */
int mpg_scale_ends(const struct scale_series *series, double *first, double *last, struct mpg_error *err);

/* Selects sites of SET, which was read with SCALE_FRAMES_AUTO and has sites of all depths. A site is split by its callers if
 * two callers, each with a share of at least the threshold in some run, have r_s of different signs, or median shares at the
 * largest N that differ by a factor of 2. Removes all other sites. Error: out of memory. */
int mpg_scale_choose_callers(struct scale_set *set, const struct scale_options *options, struct mpg_error *err);

#endif
