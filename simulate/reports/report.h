/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim's answer about a run: as text, as a table of ranks, as JSON. Write errors are left for the caller's close of the
 * stream. */
#ifndef MPG_REPORT_H
#define MPG_REPORT_H

#include <stdio.h>

#include "analyse/report.h"
#include "simulate/evaluate/driver/result.h"
#include "simulate/evaluate/driver/simulation.h"
#include "simulate/evaluate/driver/source.h"
#include "simulate/events/events.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/reports/warnings.h"
#include "trace/reader.h"

struct mpg_overview;

struct mpg_cause_worths;
struct mpg_hypothesis_shares;
struct mpg_where_report;
struct mpg_critical_report;
struct mpg_companions;
struct mpg_task_report;

struct mpg_report {
    struct mpg_trace *trace;
    const struct mpg_perturbation *p;
    const struct mpg_source *source; /* the source signature and its origin */
    const struct mpg_simulation_options *options;
    const struct mpg_result *result;
    const struct mpg_placement *placement;      /* places of ranks on the target; NULL: all messages take one network path */
    const char *map;                            /* the argument of --map= that gave PLACEMENT; NULL: not given */
    /* perturb mode: places of ranks on the source; NULL: all messages took one network path */
    const struct mpg_placement *source_placement;
    /* the argument of --source=map= that gave SOURCE_PLACEMENT; NULL: placement from the hosts in the trace, if any */
    const char *source_map;
    const char *collectives, *collective_table; /* arguments of --collectives= and of the key table=; NULL: not given */
    const struct mpg_times_options *times;
    const struct mpg_hypothesis_shares *hypothesis_shares; /* NULL: no hypotheses, or shares of hypotheses are not wanted */
    const struct mpg_extrapolation *extrapolation; /* NULL: not simulated in the order of simulated time */
    const struct mpg_task_report *tasks;           /* NULL: the program hands out no tasks, or each worker gets the traced tasks
                                                    * by arrival on the target, too */
    double against_ns;                             /* run time on one processor, by --against; 0: not given */
    const struct mpg_notes *warnings, *assumed;
    const struct mpg_waits_report *waits;       /* NULL: not asked for */
    const struct mpg_cause_worths *cause_worths; /* NULL: not asked for */
    const struct mpg_where_report *where;       /* NULL: not asked for */
    const struct mpg_critical_report *critical; /* NULL: not asked for */
    /* Further runs for the short answer, which is written first; NULL: a single question was asked, and the answer has tables
     * instead. */
    const struct mpg_companions *companions;
    const struct mpg_where_report *short_where; /* attribution by callsite, for the short answer; NULL: unknown */
    unsigned columns;                           /* width of the terminal that shows the answer; 0: not a terminal */
    bool verbose;                               /* write all tables and assumptions after the short answer */
    bool is_row;                                /* the answer is a row of a table with an interval of runs at any speed */
    const struct mpg_overview *recorded_run, *predicted_run; /* overviews over time, written with WAITS in JSON; NULL: none */
    uint32_t waits_replica;                     /* number of the replica with the wait states WAITS */
    struct mpg_given { /* Options given on the command line. */
        bool eager_limit, source_eager_limit, path, cosched, measurement, replicas, first_replica, seed,
            source_latency, source_byte, polling_interval, horizon, call_edges, threads, segments;
    } given;
};

/* Writes REPORT as text. Error of this function and of the next two: out of memory. */
int mpg_report_text(const struct mpg_report *report, FILE *stream, struct mpg_error *err);
/* Writes a line for each rank, with SEPARATOR between the columns. */
int mpg_report_per_rank(const struct mpg_report *report, char separator, FILE *stream, struct mpg_error *err);
/* Writes REPORT as JSON; mpgsim-json(5) is the schema. */
int mpg_report_json(const struct mpg_report *report, FILE *stream, struct mpg_error *err);

/* Returns the summary of the run time over replicas, with a confidence interval that includes the uncertainty of signatures
 * (simulate/evaluate/driver/interval.h). SCRATCH: memory for a double for each replica; receives the sorted run times. */
struct mpg_summary mpg_report_run(const struct mpg_report *report, double *scratch);

/* Parts of the text, which the functions below write to STREAM. */
enum { MPG_SOURCE_WORDS = 4096 + 700 };
/* Writes the numbers of ranks, calls, messages and collectives of the trace file TRACE; SYNCHRONOUS: also of synchronous
 * messages. */
void mpg_report_counts(const char *trace, int32_t ranks, const struct mpg_graph_counts *counts, bool synchronous,
                       FILE *stream);
/* Writes the part of the run that the trace is, as a line "excerpt: ..."; nothing for a whole run. */
void mpg_report_excerpt(const struct mpg_report *report, FILE *stream);
/* Writes the excerpt, and the traced command line as a line "program: ..."; nothing if not recorded. */
void mpg_report_program(const struct mpg_report *report, FILE *stream);
/* Writes the source and the origin of its signature to TEXT of SIZE bytes, MPG_SOURCE_WORDS at most. Returns false without a
 * source. */
bool mpg_report_source(const struct mpg_report *report, char *text, size_t size);
/* Writes the delay budget, mean over ranks. */
void mpg_report_account(const struct mpg_result *result, FILE *stream);
/* Writes the parts of a predicted run, mean over ranks. */
void mpg_report_run_account(const struct mpg_result *result, FILE *stream);

/* Returns whether the answer depends on the network path of the target's messages. */
bool mpg_report_uses_target_path(const struct mpg_report *report);
/* Returns whether any send progresses only in calls of the receiver (docs/PROGRESS.md, Weak progress of sends). */
bool mpg_report_has_weak_progress(const struct mpg_report *report);
/* Appends a note to LIST for each assumption relevant to the answer. Error: out of memory. */
int mpg_assumptions_gather(const struct mpg_report *report, struct mpg_notes *list, struct mpg_error *err);

#endif
