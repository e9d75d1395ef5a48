/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of traces on machines: a row for each, with its speed-up and the use of its processors (docs/MACHINES.md). A machine
 * is a target with one value for each swept key. */
#ifndef MPG_TARGET_TABLE_H
#define MPG_TARGET_TABLE_H

#include "common/plots/plots.h"
#include "simulate/options/sweep.h"
#include "simulate/reports/row_answer.h"

struct mpg_target_trace {
    const char *path;
    char *program; /* the trace's first fact "program"; NULL: there is none */
    int32_t ranks;
    uint64_t calls;
};

/* Times but those in ANSWER are means over replicas, and sums over ranks, in ns. */
struct mpg_target_row {
    size_t trace, machine; /* from 0; rows are in the order of traces, then machines */
    int32_t processors;
    struct mpg_row_answer answer;
    double work_ns;  /* computation, without noise */
    double noise_ns; /* noise in computation */
    double wait_ns, service_ns, barrier_ns, processor_ns, call_ns; /* as in struct mpg_rank_use; call_ns: in calls */
    uint64_t messages, gets, puts, barriers;
    double bytes, events;
    double against_ns; /* the run on one processor that speed-up compares with; 0: not known */
    size_t place;      /* among the trace's machines by median run time, from 1; equal runs share a place */
    size_t order;      /* the same, without equals: in the order of rows */
};

struct mpg_target_table {
    size_t traces, machines, n;
    struct mpg_target_trace *trace;
    const char **target;          /* of each machine */
    const struct mpg_sweep *keys; /* machine I has the values of point I % keys->points */
    struct mpg_target_row *row;
    uint64_t seed;
    bool against_given; /* --against gives against_ns */
};

/* Makes X with TRACES x MACHINES empty rows; KEYS outlives X. Error: out of memory. The caller clears X also after an error. */
int mpg_target_table_init(struct mpg_target_table *x, size_t traces, size_t machines, const struct mpg_sweep *keys,
                          struct mpg_error *err);
void mpg_target_table_clear(struct mpg_target_table *x); /* zero-initialised is allowed */
/* Copies the answer of REPORT, which has an extrapolation, to row I. Error: out of memory. */
int mpg_target_table_take(struct mpg_target_table *x, size_t i, const struct mpg_report *report, struct mpg_error *err);
/* Once all rows are taken, fills their places, and, without --against, the run on one processor: the run on the same machine of
 * the only trace with one rank and the same program. (Traces without the fact "program" count as one program.) */
void mpg_target_table_finish(struct mpg_target_table *x);

/* Work over run time; 0 if the run takes no time. */
double mpg_target_row_speedup(const struct mpg_target_row *row);
/* The run on one processor over run time; 0 if either is not known. */
double mpg_target_row_speedup_against(const struct mpg_target_row *row);
/* The part of the processors' time that is work and its noise, from 0 to 1. */
double mpg_target_row_utilisation(const struct mpg_target_row *row);
/* The row of the same trace that is next in order; NULL: none. */
const struct mpg_target_row *mpg_target_row_next(const struct mpg_target_table *x, const struct mpg_target_row *row);
/* Writes the name of MACHINE, as "distributed, HopTime 1us", to TEXT of SIZE bytes. */
void mpg_target_table_name(const struct mpg_target_table *x, size_t machine, char *text, size_t size);
/* Writes the value of swept key I of MACHINE, with its unit, to TEXT of SIZE bytes. */
void mpg_target_table_value(const struct mpg_target_table *x, size_t i, size_t machine, char *text, size_t size);

/* These write X as text, as CSV and as JSON (mpgsim-json(5)). Error: out of memory. */
int mpg_target_table_text(const struct mpg_target_table *x, FILE *out, struct mpg_error *err);
int mpg_target_table_csv(const struct mpg_target_table *x, FILE *out, struct mpg_error *err);
int mpg_target_table_json(const struct mpg_target_table *x, FILE *out, struct mpg_error *err);
/* Draws a struct mpg_target_table. */
plot_draw mpg_target_table_draw;

#endif
