/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data structures of mpgscale: runs of a program at several process counts N, the runs' sites (callsites, calls or regions),
 * the costs of each run at each site, and the results (docs/GROWTH.md has the symbols; Vetter and McCracken 2001). Times are
 * doubles in ns; unknown values are NAN. */
#ifndef MPG_SCALE_H
#define MPG_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/efficiency/counters.h"
#include "trace/event.h"

/* Largest width of the confidence interval of a projected share; with a wider interval, the share is unknown. */
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

/* A run, read from a file or folder. */
struct scale_run {
    char *path;
    char *program, *date, *host; /* from the first rank; NULL: unknown */
    int32_t ranks;               /* number of ranks, N */
    uint32_t threads;            /* largest number of threads with calls in a rank; 1 for profiles, which do not record threads */
    bool is_trace;
    bool has_waits;              /* wait times are known */
    bool is_judged, is_reliable; /* is_reliable: the ranks were on the CPU for enough of the time; is_judged: is_reliable is
                                    known (traces only) */
    bool unfinished;             /* at least one rank did not reach MPI_Finalize */
    double app_ns;               /* T_app: sum over the ranks of the time from the end of MPI_Init to the begin of MPI_Finalize */
    double comm_ns;              /* T_comm: time in MPI calls within T_app, sum over the ranks */
    double comp_ns;              /* time in computation, sum over the ranks; 0: calls were read instead */
    double longest_ns;           /* T_app of the rank with the longest time */
    struct mpg_efficiency times; /* if read with scale_reading.efficiency; of a profile, computation is the time outside of
                                    calls, and the ideal run and the counters are unknown */
    struct mpg_efficiency_counters counters;
    int32_t crowded;             /* number of ranks that share cores, on the host with the most such ranks; 0: none, or unknown */
    double room;                 /* number of cores for these ranks; if a CPU quota allows less, the equivalent number of cores */
    char *crowded_on;            /* name of the host of `crowded`; NULL: unknown */
    double other_ns;             /* part of comm_ns at callsites not distinguished by the profile */
    size_t label_number;
    struct scale_label *labels;
    uint64_t content;            /* hash of the measurements: equal for copies of a run */
};

/* A callsite, call or region at which costs arise. Call and name identify the site in all runs. */
struct scale_site {
    enum mpg_call call; /* MPG_CALL_COUNT: not a call, but a region or computation */
    char *name;         /* "Wait:x_solve.f:71", "Wait:bdrys.f:928 < sppm.f:31", "Wait", a region's name */
    char *function, *file; /* of the innermost frame; NULL: unknown, or not a callsite */
    int line;           /* 0: unknown */
    bool other;         /* stands for callsites not distinguished by a profile: "(other callsites)" */
    int64_t parent;     /* index of the site without the outermost frame; -1: none, or parents are not wanted */
    int depth;          /* number of frames of the callsite, >= 1 */
};

/* The costs of a run at a site, summed over all ranks. */
struct scale_cell {
    uint64_t count;             /* number of calls; 0: the site is not in the run */
    double time_ns;             /* A_s: time at the site */
    double min_ns, max_ns;      /* time of the shortest and of the longest call */
    double max_rank_ns;         /* largest time of a rank at the site */
    double sent_bytes, received_bytes;
    double wait_ns;             /* part of time_ns spent waiting; NAN: unknown */
    int32_t ranks;              /* number of ranks with calls at the site */
};

/* The costs of a rank of a run at a site. */
struct scale_detail {
    size_t site, run;
    int32_t rank;
    uint64_t count;
    double time_ns, min_ns, max_ns;
};

/* All data read. Runs are sorted by N, then T_app, T_comm and path: the order of files does not matter. */
struct scale_set {
    size_t run_number, site_number, counter_number;
    bool by_line;               /* callsites are matched by file and line, not by address */
    struct scale_run *runs;
    struct scale_site *sites;
    struct scale_cell *cells;   /* site_number x run_number: scale_cell_of() */
    char **counter_names;       /* for each counter: "PAPI_TOT_INS" */
    double *counters;           /* sum over the ranks, [(site * run_number + run) * counter_number + counter]; NAN: the run
                                   lacks the counter */
    size_t other_number;
    struct scale_run *others;   /* runs of other programs, not analysed; in the order of `runs` */
    size_t detail_number;       /* 0: values of each rank are not wanted */
    struct scale_detail *details; /* sorted by run, site, rank */
};

void mpg_scale_run_clear(struct scale_run *run);
void mpg_scale_set_clear(struct scale_set *set);
/* Removes each site i with KEEP[i] false from SET, which must have no details. */
void mpg_scale_set_keep(struct scale_set *set, const bool *keep);

static inline struct scale_cell *scale_cell_of(const struct scale_set *set, size_t site, size_t run)
{
    return &set->cells[site * set->run_number + run];
}

static inline double *scale_counters_of(const struct scale_set *set, size_t site, size_t run)
{
    return &set->counters[(site * set->run_number + run) * set->counter_number];
}

/* Returns the whole for shares of RUN, ns: the computation if read, else T_comm. */
static inline double scale_whole_of(const struct scale_run *run)
{
    return run->comp_ns > 0 ? run->comp_ns : run->comm_ns;
}

/* Returns the name of RUN's program, the last component of the command's first word, of *LENGTH bytes; *LENGTH is 0 if
 * unknown. */
const char *mpg_scale_program_of(const struct scale_run *run, size_t *length);
/* Returns whether the programs of A and B have equal names, or one name is unknown. */
bool mpg_scale_has_same_name(const struct scale_run *a, const struct scale_run *b);
/* Returns whether A and B are runs of one program as far as known: equal names, except for the number of ranks in the names. */
bool mpg_scale_is_same_program(const struct scale_run *a, const struct scale_run *b);

/* Returns the value of RUN's label KEY; NULL: none. Keys with a meaning: "size" (any text), "scaling" ("fixed" or "scaled"). */
const char *mpg_scale_label_of(const struct scale_run *run, const char *key);

/* ---- results ---- */

/* The points of a row: a point for each run, x = N, y = the metric, ascending in x. */
struct scale_series {
    size_t n;
    double *x, *y;
    size_t *run; /* index of the run in the set */
};

struct scale_interval {
    double low, high; /* NAN: no interval */
};

/* The correlation of a series with N. */
struct scale_correlation {
    const char *undefined; /* reason why r is NAN: "fewer than 3 process counts", "constant"; NULL: r is defined */
    size_t runs, counts;   /* number of points; number of different N */
    double r;              /* Spearman's rank correlation r_s */
    double p;              /* two-sided p-value of r */
    bool exact;            /* p is computed from all permutations */
    struct scale_interval interval; /* 95 % confidence interval of r */
    double q;              /* p, corrected for the number of rows of the table (Benjamini and Hochberg) */
};

/* A power law y = exp(a) N^b of the values above 0. */
struct scale_power {
    size_t runs;   /* number of values; b is NAN for values at fewer than 2 different N */
    double a, b;   /* for y in ns */
    double x, y;   /* medians of log N and of log y: the line goes through the point (x, y) */
    struct scale_interval interval; /* confidence interval of b */
};

struct scale_model; /* defined in scale/model/ */

/* Verdict on a row: does the row's metric grow with N (docs/GROWTH.md)? */
enum scale_verdict {
    SCALE_GROWS_NOT,
    SCALE_GROWS_PERHAPS, /* the metric seems to grow, but with this number of runs a few of the rows would seem to grow by
                          * chance */
    SCALE_GROWS
};

/* A row: a site with a share of at least the threshold. */
struct scale_row {
    size_t site;                  /* index of the site in the set */
    struct scale_series series;   /* the metric in each run */
    struct scale_correlation all, wait, transfer, imbalance; /* of the metric (all) and of secondary metrics; wait and transfer
                                                                of traces only. r is NAN and `undefined` is NULL: unknown */
    double first, last;           /* medians of the metric at the smallest and at the largest N of `series` */
    double share_first, share_last; /* medians of the share of T_comm at the smallest and at the largest N */
    double factor;                /* last / first */
    struct scale_power power;     /* power law of the site's time A_s */
    enum scale_verdict grows;
    bool dominates;               /* one of the few rows with most of T_comm at the largest N; the row's time grows, but the
                                     share not clearly */
    double chance;                /* expected number of rows with an r_s this large if no row grew; NAN: r_s is undefined */
    double projected;             /* share of T_comm at the N of --project; NAN: not wanted, or unknown: fewer than
                                     SCALE_MIN_COUNTS process counts, or an interval wider than SCALE_WIDEST_SHARE */
    struct scale_interval projected_interval;
    struct scale_model *model;    /* NULL: models were not computed */
};

#endif
