/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data structures of mpgscale: runs of one program at several process counts, their common callsites, the costs of each run
 * at each callsite, and the results (docs/GROWTH.md; Vetter and McCracken 2001). Times are doubles in ns; unknown values are
 * NAN. */
#ifndef MPG_SCALE_H
#define MPG_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/efficiency/counters.h"
#include "trace/event.h"

/* Largest width of the confidence interval of a projected share; a share with a wider interval counts as unknown. */
#define SCALE_WIDEST_SHARE 0.5
enum { SCALE_MIN_COUNTS = 3 }; /* minimum number of process counts for a verdict on growth */

/* ---- input ---- */

/* A label of a run, from a manifest or --label. */
struct scale_label {
    char *key, *value;
};

enum scale_sizing {
    SCALE_SIZING_UNKNOWN,
    SCALE_FIXED, /* the same problem at all process counts */
    SCALE_SCALED /* the problem grows with the process count */
};

/* A run: the content of one file or folder. */
struct scale_run {
    char *path;
    char *program, *date, *host; /* facts of the first rank; NULL: unknown */
    int32_t ranks;               /* N */
    uint32_t threads;            /* largest number of threads with calls on any rank; 1 for profiles, which do not record
                                    threads */
    bool is_trace;
    bool has_waits;              /* wait times are known */
    bool is_judged, is_reliable; /* of a trace: the ranks were off their CPUs for little enough of the time */
    bool unfinished;             /* a rank did not reach MPI_Finalize */
    double app_ns;               /* T_app = sum T_i, MPI_Init's leave to MPI_Finalize's enter */
    double comm_ns;              /* T_comm = sum of the times of all MPI calls in between */
    double comp_ns;              /* time in computation of all ranks; 0: calls were read, not computation */
    double longest_ns;           /* largest T_i */
    struct mpg_efficiency times; /* if read with `efficiency`; of a profile, computation is time outside of calls, the ideal
                                    run and counters are unknown */
    struct mpg_efficiency_counters counters;
    int32_t crowded;             /* number of ranks sharing cores on the worst host; 0: none, or unknown */
    double room;                 /* number of cores for these ranks, or, if a CPU quota allows less, of the cores that it is
                                    worth */
    char *crowded_on;            /* name of the worst host; NULL: unknown */
    double other_ns;             /* part of comm_ns at callsites for which a profile had no row left */
    size_t label_number;
    struct scale_label *labels;
    uint64_t content;            /* hash of the measurement; equal for copies */
};

/* An origin of calls. Its call and place identify the site in all runs. */
struct scale_site {
    enum mpg_call call; /* MPG_CALL_COUNT: a region or computation */
    char *name;         /* "Wait:x_solve.f:71", "Wait:bdrys.f:928 < sppm.f:31", "Wait", a region's name */
    char *function, *file; /* of the innermost frame; NULL: unknown or none */
    int line;           /* 0: unknown */
    bool other;         /* "(other callsites)" */
    int64_t parent;     /* the site without the outermost frame; -1: not requested, or none */
    int depth;          /* number of frames, >= 1 */
};

/* The costs of a run at a site, over all ranks. */
struct scale_cell {
    uint64_t count;             /* number of calls; 0: the run does not have the site */
    double time_ns;             /* A_s */
    double min_ns, max_ns;      /* shortest and longest call */
    double max_rank_ns;         /* max_i t_is */
    double sent_bytes, received_bytes;
    double wait_ns;             /* waiting part of time_ns; NAN: unknown */
    int32_t ranks;              /* number of ranks with the site */
};

/* The costs of one rank of a run at a site. */
struct scale_detail {
    size_t site, run;
    int32_t rank;
    uint64_t count;
    double time_ns, min_ns, max_ns;
};

/* All input data. Runs are sorted by N, then T_app, T_comm and path: the order of files does not matter. Counters are sums
 * over ranks of recorded counters; NAN if a run does not have the counter. */
struct scale_set {
    size_t run_number, site_number, counter_number;
    bool by_line;               /* callsites are matched by name */
    struct scale_run *runs;
    struct scale_site *sites;
    struct scale_cell *cells;   /* site_number x run_number: scale_cell_of() */
    char **counter_names;       /* "PAPI_TOT_INS" */
    double *counters;           /* site_number x run_number x counter_number */
    size_t other_number;
    struct scale_run *others;   /* runs of other programs, excluded from the analysis; in the same order */
    size_t detail_number;       /* 0: not requested */
    struct scale_detail *details; /* sorted by run, site, rank */
};

void mpg_scale_run_clear(struct scale_run *run);
void mpg_scale_set_clear(struct scale_set *set);
/* Removes all sites I without KEEP[I] from SET, which has no details. */
void mpg_scale_set_keep(struct scale_set *set, const bool *keep);

static inline struct scale_cell *scale_cell_of(const struct scale_set *set, size_t site, size_t run)
{
    return &set->cells[site * set->run_number + run];
}

static inline double *scale_counters_of(const struct scale_set *set, size_t site, size_t run)
{
    return &set->counters[(site * set->run_number + run) * set->counter_number];
}

/* Returns the whole that shares of RUN refer to, in ns: the computation if read, otherwise T_comm. */
static inline double scale_whole_of(const struct scale_run *run)
{
    return run->comp_ns > 0 ? run->comp_ns : run->comm_ns;
}

/* Returns the name of RUN's program (last component of the first word) of *LENGTH bytes; *LENGTH is 0 if unknown. */
const char *mpg_scale_program_of(const struct scale_run *run, size_t *length);
/* Returns true if the program names of A and B are equal or unknown. */
bool mpg_scale_has_same_name(const struct scale_run *a, const struct scale_run *b);
/* Returns true if A and B are runs of the same program as far as known: equal names, ignoring the number of ranks in the
 * name. */
bool mpg_scale_is_same_program(const struct scale_run *a, const struct scale_run *b);

/* Returns the value of RUN's label KEY, or NULL. Keys with a meaning: "size" (any text), "scaling" ("fixed" or "scaled"). */
const char *mpg_scale_label_of(const struct scale_run *run, const char *key);

/* ---- results ---- */

/* One point per run: x = N, y = the metric, in ascending order of x. */
struct scale_series {
    size_t n;
    double *x, *y;
    size_t *run; /* index of the run in the set */
};

struct scale_interval {
    double low, high; /* NAN: no interval */
};

/* The correlation of a series. r is NAN if `undefined` is set. */
struct scale_correlation {
    const char *undefined; /* the reason: "fewer than 3 process counts", "constant"; NULL: r is defined */
    size_t runs, counts;   /* number of runs E; number of distinct N */
    double r;              /* Spearman's rank correlation r_s */
    double p;              /* two-sided p-value */
    bool exact;            /* p is computed from all permutations */
    struct scale_interval interval; /* confidence interval of r */
    double q;              /* p corrected by Benjamini and Hochberg over the rows of a table */
};

/* Power law y = exp(a) N^b of the positive values. */
struct scale_power {
    size_t runs;   /* number of runs used; b is NAN for fewer than 2 distinct N */
    double a, b;   /* for times in ns */
    double x, y;   /* medians of log N and of the log times; the line passes through them */
    struct scale_interval interval; /* confidence interval of b */
};

struct scale_model; /* scale/model/ */

/* Verdict on the growth of a row's metric (docs/GROWTH.md). */
enum scale_verdict {
    SCALE_GROWS_NOT,
    SCALE_GROWS_PERHAPS, /* meets the criteria, but with so few runs and so many rows some row would meet them by chance */
    SCALE_GROWS
};

/* A row: a site whose share reaches the threshold. */
struct scale_row {
    size_t site;                  /* index in the set */
    struct scale_series series;   /* the metric over N */
    struct scale_correlation all, wait, transfer, imbalance; /* wait, transfer: traces only; NAN without `undefined`: unknown */
    double first, last;           /* medians of the metric at the smallest and largest N with values */
    double share_first, share_last; /* medians of the share of T_comm at the same N */
    double factor;                /* last / first */
    struct scale_power power;     /* power law of A_s */
    enum scale_verdict grows;
    bool dominates;               /* one of the few rows with most of T_comm, which grows in time but not clearly in share */
    double chance;                /* expected number of rows with an r_s this large if none grew; NAN: r_s is undefined */
    double projected;             /* share of T_comm at the --project count; NAN: not requested, or the runs do not tell it:
                                     fewer than SCALE_MIN_COUNTS process counts, or an interval wider than SCALE_WIDEST_SHARE */
    struct scale_interval projected_interval;
    struct scale_model *model;    /* NULL: not requested, or none */
};

#endif
