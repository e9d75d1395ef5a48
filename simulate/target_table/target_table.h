/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of traces on machines: a row per pair, with speed-up and utilisation of the processors (docs/MACHINES.md). A machine is
 * a target with one value for each swept key. */
#ifndef MPG_TARGET_TABLE_H
#define MPG_TARGET_TABLE_H

#include "common/plots/plots.h"
#include "simulate/options/sweep.h"
#include "simulate/reports/row_answer.h"

struct mpg_target_trace {
    const char *path;
    char *program; /* the first fact "program" of the trace; NULL: none */
    int32_t ranks;
    uint64_t calls;
};

/* A row. Times, except those in ANSWER, are means over replicas of sums over ranks, ns. */
struct mpg_target_row {
    size_t trace, machine; /* indices; rows are sorted by trace, then by machine */
    int32_t processors;
    struct mpg_row_answer answer;
    double work_ns;  /* computation without noise */
    double noise_ns; /* noise during computation */
    double wait_ns, service_ns, barrier_ns, processor_ns, call_ns; /* see struct mpg_rank_use; call_ns: MPI overhead */
    uint64_t messages, gets, puts, barriers;
    double bytes, events;
    double against_ns; /* run time on one processor, the reference for speed-up; 0: unknown */
    size_t place;      /* rank among the trace's machines by median run time, from 1; equal run times share a rank */
    size_t order;      /* as `place`, but equal run times are ranked by row */
};

struct mpg_target_table {
    size_t traces, machines, n;
    struct mpg_target_trace *trace;
    const char **target;          /* by machine: the value of --target from which the machine is made */
    const struct mpg_sweep *keys; /* swept keys; machine I has the values of point I % keys->points */
    struct mpg_target_row *row;
    uint64_t seed;
    bool against_given; /* --against gives against_ns */
};

/* Initialises X with TRACES x MACHINES empty rows. KEYS must outlive X. The caller clears X, even after an error. Error: out
 * of memory. */
int mpg_target_table_init(struct mpg_target_table *x, size_t traces, size_t machines, const struct mpg_sweep *keys,
                          struct mpg_error *err);
void mpg_target_table_clear(struct mpg_target_table *x); /* X may be zero-initialised */
/* Copies the answer of REPORT, which has an extrapolation, into row I. Error: out of memory. */
int mpg_target_table_take(struct mpg_target_table *x, size_t i, const struct mpg_report *report, struct mpg_error *err);
/* Completes the rows after all answers are copied: sets the places and, without --against, the reference run on one
 * processor. The reference is the only one-rank trace of the same program on the same machine. Traces without the fact
 * "program" count as one program. */
void mpg_target_table_finish(struct mpg_target_table *x);

/* Returns the speed-up: work / run time; 0 if the run takes no time. */
double mpg_target_row_speedup(const struct mpg_target_row *row);
/* Returns the speed-up against the reference: reference run time / run time; 0 if either is unknown. */
double mpg_target_row_speedup_against(const struct mpg_target_row *row);
/* Returns the fraction of the processors' time spent on work and noise during work, from 0 to 1. */
double mpg_target_row_utilisation(const struct mpg_target_row *row);
/* Returns the row of the same trace that follows ROW in `order`; NULL: ROW is the last. */
const struct mpg_target_row *mpg_target_row_next(const struct mpg_target_table *x, const struct mpg_target_row *row);
/* Writes the name of MACHINE ("distributed, HopTime 1us") into TEXT of SIZE bytes. */
void mpg_target_table_name(const struct mpg_target_table *x, size_t machine, char *text, size_t size);
/* Writes the value of swept key I of MACHINE with unit into TEXT of SIZE bytes. */
void mpg_target_table_value(const struct mpg_target_table *x, size_t i, size_t machine, char *text, size_t size);

/* Write X as text, as CSV and as JSON (mpgsim-json(5)). Error: out of memory. */
int mpg_target_table_text(const struct mpg_target_table *x, FILE *out, struct mpg_error *err);
int mpg_target_table_csv(const struct mpg_target_table *x, FILE *out, struct mpg_error *err);
int mpg_target_table_json(const struct mpg_target_table *x, FILE *out, struct mpg_error *err);
/* Draws the plots of a struct mpg_target_table. */
plot_draw mpg_target_table_draw;

#endif
