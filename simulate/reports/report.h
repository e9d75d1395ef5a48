/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim's answers: text for people, a table, JSON. Write errors are left for
 * the caller's close of the stream to report. */
#ifndef MPG_REPORT_H
#define MPG_REPORT_H

#include <stdio.h>

#include "analyse/report.h"
#include "simulate/evaluate/result.h"
#include "simulate/evaluate/simulation.h"
#include "simulate/evaluate/source.h"
#include "simulate/events/events.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/reports/attention.h"
#include "trace/reader.h"

struct mpg_supposing;
struct mpg_where_report;
struct mpg_critical_report;

struct mpg_report {
    struct mpg_trace *trace;
    const struct mpg_perturbation *p;
    const struct mpg_source *source; /* how P's was found */
    const struct mpg_simulation_options *options;
    const struct mpg_result *result;
    const struct mpg_placement *places; /* NULL: one path, as options say */
    const char *map;                 /* how these were given */
    const struct mpg_placement *source_places; /* perturb mode: where they were; NULL: one path, too */
    const char *source_map;          /* how these were given; NULL: the trace says so */
    const char *collectives, *collective_table; /* as given; NULL: not */
    const struct mpg_times_options *times;
    const struct mpg_supposing *supposing; /* NULL: there are no hypotheses, or nobody asks which does what */
    const struct mpg_extrapolation *extrapolation; /* NULL: not in the order of simulated time */
    double against_ns;               /* and the run on one processor that speedup is against; 0: none is given */
    const struct mpg_attention *attention; /* what stands above everything else; */
    const struct mpg_attention *assumed;   /* what the answer rests on */
    const struct mpg_waits_report *waits; /* NULL: not asked for; */
    const struct mpg_where_report *where; /* NULL: not asked for */
    const struct mpg_critical_report *critical; /* NULL: not asked for */
    uint32_t waits_replica;               /* else the predicted one's */
    struct mpg_given { /* on the command line */
        bool eager_limit, source_eager_limit, path, cosched, measurement, replicas, first_replica, seed,
            source_latency, source_byte, polling_interval, horizon, call_edges, threads, segments;
    } given;
};

int mpg_report_text(const struct mpg_report *report, FILE *stream, struct mpg_error *err);
/* rank, traced_ns, delay_ns_median, delay_ns_p5, delay_ns_p95, with SEPARATOR between them; full precision. */
int mpg_report_per_rank(const struct mpg_report *report, char separator, FILE *stream, struct mpg_error *err);
/* The schema is in mpgsim-json(5). */
int mpg_report_json(const struct mpg_report *report, FILE *stream, struct mpg_error *err);

/* The job's run time over replicas, its interval including that signatures are samples
 * (simulate/evaluate/interval.h). SCRATCH: a double for each replica. */
struct mpg_summary mpg_report_run(const struct mpg_report *report, double *scratch);

/* Parts of the text: what was read, with how many messages are SYNCHRONOUS or without; which program the trace is of; whose
 * costs are taken out of it, and why these, into TEXT of SIZE bytes (false: nobody's); the account's mean over ranks. */
enum { MPG_SOURCE_WORDS = 4096 + 700 };
void mpg_report_counts(const char *trace, int32_t ranks, const struct mpg_graph_counts *counts, bool synchronous,
                       FILE *stream);
void mpg_report_program(const struct mpg_report *report, FILE *stream);
bool mpg_report_source(const struct mpg_report *report, char *text, size_t size);
void mpg_report_account(const struct mpg_result *result, FILE *stream);
/* The same of a predicted run: what it consists of. */
void mpg_report_run_account(const struct mpg_result *result, FILE *stream);

/* Whether anything in the answer is the path's that the target's messages take. */
bool mpg_report_uses_target_path(const struct mpg_report *report);

/* Whether some sends wait for a call of their receiver (docs/PROGRESS.md, Carried sends). */
bool mpg_report_carries(const struct mpg_report *report);
/* A line for each assumption that matters, behind those of LIST. Error: out of memory. */
int mpg_assumptions_gather(const struct mpg_report *report, struct mpg_attention *list, struct mpg_error *err);

#endif
