/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mpgscale's rooms pass around: runs of one program at several process counts, the callsites that they have
 * in common, what each run spent at each of them, and what became of that (docs/GROWTH.md; Vetter and
 * McCracken 2001). Times are doubles, ns; what is not known is NAN. */
#ifndef MPG_SCALE_H
#define MPG_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

enum { SCALE_LEAST_COUNTS = 3 }; /* process counts of which growth can be said */

/* ---- what was read ---- */

/* What a manifest or --label says of a run. */
struct scale_label {
    char *key, *value;
};

enum scale_sizing {
    SCALE_SIZING_UNKNOWN,
    SCALE_FIXED, /* the problem is the same at all process counts */
    SCALE_SCALED /* it grows with them */
};

/* One run, of one file or folder. */
struct scale_run {
    char *path;
    char *program, *date, *host; /* as its first rank says; NULL: not said */
    int32_t ranks;               /* N */
    uint32_t threads;            /* of the rank with the most, that made calls; 1 of profiles: not known */
    bool is_trace;
    bool has_waits;              /* what its calls waited is known */
    bool unfinished;             /* a rank did not reach MPI_Finalize */
    double app_ns;               /* T_app = sum T_i, MPI_Init's leave to MPI_Finalize's enter */
    double comm_ns;              /* T_comm = sum of all MPI calls in between */
    double comp_ns;              /* computation of all ranks, where that is read instead of calls; else 0 */
    double longest_ns;           /* largest T_i */
    int32_t crowded;             /* ranks that had to share cores, on the host where most did; 0: none, or not known */
    double room;                 /* these cores, or a quota's worth of them */
    char *crowded_on;            /* that host; NULL: not said */
    double other_ns;             /* of comm_ns: callsites for which a profile had no row left */
    size_t label_number;
    struct scale_label *labels;
    uint64_t content;            /* equal: the same measurement */
};

/* A place calls come from: its call's name and its place make it the same in all runs. */
struct scale_site {
    enum mpg_call call; /* MPG_CALL_COUNT: of a region, or of computation */
    char *name;         /* "Wait:x_solve.f:71", "Wait:bdrys.f:928 < sppm.f:31", "Wait", a region's name */
    char *function, *file; /* of its innermost frame; NULL: not known or none */
    int line;           /* 0: not known */
    bool other;         /* "(other callsites)" */
    int64_t parent;     /* the same without the outermost frame; -1: none was asked for, or there is no such frame */
    int depth;          /* frames, from 1 */
};

/* What one run spent at one site, over its ranks. */
struct scale_cell {
    uint64_t count;             /* calls; 0: the run does not have the site */
    double time_ns;             /* A_s */
    double least_ns, most_ns;   /* of one call */
    double most_rank_ns;        /* max_i t_is */
    double sent_bytes, received_bytes;
    double wait_ns;             /* of time_ns; NAN: not known */
    int32_t ranks;              /* that have it */
};

/* What one rank of one run did at one site. */
struct scale_detail {
    size_t site, run;
    int32_t rank;
    uint64_t count;
    double time_ns, least_ns, most_ns;
};

/* Everything that was read. Runs are in the order of N, then T_app, T_comm, path: that of the files does not matter.
 * counters are sums over ranks of what was recorded beside time; a run without one has NAN. */
struct scale_set {
    size_t run_number, site_number, counter_number;
    bool by_line;               /* what callsites are called makes them the same */
    struct scale_run *runs;
    struct scale_site *sites;
    struct scale_cell *cells;   /* site_number x run_number: scale_cell_of() */
    char **counter_names;       /* "PAPI_TOT_INS" */
    double *counters;           /* site_number x run_number x counter_number */
    size_t other_number;
    struct scale_run *others;   /* of other programs: nothing else is known of them; in the same order */
    size_t detail_number;       /* 0: were not asked for */
    struct scale_detail *details; /* by run, site, rank */
};

void mpg_scale_run_clear(struct scale_run *run);
void mpg_scale_set_clear(struct scale_set *set);
/* Leaves only sites I for which KEEP[I] in SET, which has no details. */
void mpg_scale_set_keep(struct scale_set *set, const bool *keep);

static inline struct scale_cell *scale_cell_of(const struct scale_set *set, size_t site, size_t run)
{
    return &set->cells[site * set->run_number + run];
}

static inline double *scale_counters_of(const struct scale_set *set, size_t site, size_t run)
{
    return &set->counters[(site * set->run_number + run) * set->counter_number];
}

/* What parts of RUN are parts of, ns: T_comm, or the computation where that was read. */
static inline double scale_whole_of(const struct scale_run *run)
{
    return run->comp_ns > 0 ? run->comp_ns : run->comm_ns;
}

/* The name of RUN's program, its first word's last part: *LENGTH bytes; 0: not known. */
const char *mpg_scale_program_of(const struct scale_run *run, size_t *length);
/* Whether the names of A's and B's programs are the same, or not known. */
bool mpg_scale_has_same_name(const struct scale_run *a, const struct scale_run *b);
/* Whether A and B are of one program, as far as is known: with the same name, but for the number of ranks in it. */
bool mpg_scale_is_same_program(const struct scale_run *a, const struct scale_run *b);

/* The value of RUN's label KEY, or NULL. Keys with a meaning: "size" (text), "scaling" ("fixed", "scaled"). */
const char *mpg_scale_label_of(const struct scale_run *run, const char *key);

/* ---- what was found ---- */

/* One number a run: x = N, y = what is asked for, in ascending order of x. */
struct scale_series {
    size_t n;
    double *x, *y;
    size_t *run; /* of the set's */
};

struct scale_interval {
    double low, high; /* NAN: there is none */
};

/* Of one series. r is NAN where `undefined` says why. */
struct scale_correlation {
    const char *undefined; /* "fewer than 3 process counts", "constant"; NULL: r is defined */
    size_t runs, counts;   /* E; distinct N */
    double r;              /* r_s */
    double p;              /* two-sided */
    bool exact;            /* p counts permutations */
    struct scale_interval interval; /* of r */
    double q;              /* Benjamini and Hochberg, over the rows of one table */
};

/* y = exp(a) N^b of the positive ones. */
struct scale_power {
    size_t runs;   /* that it is of; below 2 distinct N b is NAN */
    double a, b;   /* of ns */
    double x, y;   /* medians of log N and of the logarithms of the times: the line is through them */
    struct scale_interval interval; /* of b */
};

struct scale_model; /* scale/model/ */

/* Whether a row's part grows (docs/GROWTH.md). */
enum scale_verdict {
    SCALE_GROWS_NOT,
    SCALE_GROWS_PERHAPS, /* by the rule; but so few runs of so many rows would name one by chance */
    SCALE_GROWS
};

/* A site whose part reaches the threshold. */
struct scale_row {
    size_t site;                  /* of the set's */
    struct scale_series series;   /* the metric */
    struct scale_correlation all, wait, transfer, imbalance; /* wait, transfer: of traces; NAN and no `undefined`:
                                                                not known */
    double first, last;           /* the metric's medians at the smallest and largest N that have it */
    double share_first, share_last; /* the same of its part of T_comm */
    double factor;                /* last / first */
    struct scale_power power;     /* of A_s */
    enum scale_verdict grows;
    bool dominates;               /* one of few with most of T_comm, which grows in time, not surely in share */
    double chance;                /* rows that would have such an r_s if none grew; NAN: r_s is undefined */
    double projected;             /* part of T_comm at --project N; NAN: not asked for */
    struct scale_interval projected_interval;
    struct scale_model *model;    /* NULL: not asked for, or none */
};

#endif
