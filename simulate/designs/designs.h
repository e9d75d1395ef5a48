/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of traces on targets: a row for each, its speed-up, and what its processors did (docs/MACHINES.md). */
#ifndef MPG_DESIGNS_H
#define MPG_DESIGNS_H

#include "common/plots/plots.h"
#include "simulate/options/sweep.h"
#include "simulate/reports/report.h"

struct mpg_design_trace {
    const char *path;
    char *program;   /* its first fact of that name; NULL: it has none */
    int32_t ranks;
    uint64_t calls;
};

/* All times but RUN are means over replicas; those of what ranks did are sums over them, ns. */
struct mpg_design_row {
    size_t trace, design; /* which ones, from 0; rows are in the order of traces, then designs */
    int32_t processors;
    struct mpg_summary run;
    double *run_ns;       /* each of its replicas' */
    uint32_t replicas;
    double work_ns;       /* computed */
    double noise_ns;      /* and what noise adds to that */
    double wait_ns, service_ns, barrier_ns, processor_ns, call_ns; /* as struct mpg_rank_use, and in calls */
    uint64_t messages, gets, puts, barriers;
    double bytes, events;
    double against_ns;    /* a run on one processor; 0: not known */
    size_t place;         /* among the designs of its trace by the median: 1 is the least; equal ones share it, */
    size_t order;         /* and are in this order, from 1 */
    struct mpg_attention attention, assumed;
};

struct mpg_designs {
    size_t traces, designs, n;
    struct mpg_design_trace *trace;
    const char **target;  /* a design's */
    const struct mpg_sweep *keys; /* point I % keys->points is design I's */
    struct mpg_design_row *row;
    uint64_t seed;
    bool against_given;
};

/* Room for TRACES x DESIGNS rows, of keys that outlive it. Error: out of memory; to be cleared even so. */
int mpg_designs_init(struct mpg_designs *x, size_t traces, size_t designs, const struct mpg_sweep *keys,
                     struct mpg_error *err);
void mpg_designs_clear(struct mpg_designs *x); /* zero-initialised is allowed */
/* Row I is what REPORT, which has an extrapolation, says; it has the row's lists then. Error: out of memory. */
int mpg_designs_take(struct mpg_designs *x, size_t i, struct mpg_report *report, struct mpg_error *err);
/* Once all are taken: places, and which runs are those on one processor: on each design that of the only trace of one rank that
 * is of the same program (of a trace that does not say, the only one of one rank that there is). */
void mpg_designs_finish(struct mpg_designs *x);

/* Work over the run; that over processors; against the run on one, 0 where that is not known; part of the processors'
 * time that is work, with its noise. */
double mpg_design_speedup(const struct mpg_design_row *row);
double mpg_design_speedup_against(const struct mpg_design_row *row);
double mpg_design_utilisation(const struct mpg_design_row *row);
/* The row of the same trace that is next in order; NULL: none. */
const struct mpg_design_row *mpg_design_next(const struct mpg_designs *x, const struct mpg_design_row *row);
/* "distributed, HopTime 1us" into TEXT of SIZE bytes. */
void mpg_design_name(const struct mpg_designs *x, size_t design, char *text, size_t size);
/* Value of axis I of DESIGN, for people. */
void mpg_design_value(const struct mpg_designs *x, size_t i, size_t design, char *text, size_t size);

/* Error of these: out of memory. */
int mpg_designs_text(const struct mpg_designs *x, FILE *out, struct mpg_error *err);
int mpg_designs_csv(const struct mpg_designs *x, FILE *out, struct mpg_error *err);
/* The schema is in mpgsim-json(5). */
int mpg_designs_json(const struct mpg_designs *x, FILE *out, struct mpg_error *err);
/* A plot_draw() of a struct mpg_designs. */
plot_draw mpg_designs_draw;

#endif
