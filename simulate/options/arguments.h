/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim's command line: what was given, and what follows from it before a file is read. */
#ifndef MPG_ARGUMENTS_H
#define MPG_ARGUMENTS_H

#include "analyse/table.h"
#include "analyse/timeline/timeline.h"
#include "common/option.h"
#include "history/history.h"
#include "simulate/evaluate/simulation.h"
#include "simulate/options/keys.h"
#include "simulate/options/ratios.h"
#include "simulate/options/sweep.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/processes/processes.h"
#include "simulate/reports/report.h"
#include "simulate/reports/where.h"
#include "simulate/target/parameters.h"
#include "trace/hypothesis/hypothesis.h"

struct mpg_arguments {
    const char *signature, *source, *path, *absorb, *cosched, *measurement, *noise_model, *output;
    const char *latency_model, *byte_model, *call_edges;
    const char *map, *source_map, *polling, *collectives, *collective_table, *carried, *output_trace, *floors;
    const char *target, *engine, *against;
    struct mpg_option_list targets, parameters; /* the first of these is TARGET */
    size_t given_parameters;        /* so many of them are not swept */
    char *const *traces;
    size_t trace_number;            /* 1, but for tables */
    const char *tolerate, *waits_by, *timeline, *timeline_calls, *timeline_ranks, *history, *plot, *report;
    const char *where, *without;
    bool csv, critical_path;
    enum mpg_where_by where_by[MPG_WHERE_BYS]; /* tables of it, in this order: */
    size_t where_tables;
    int64_t segments; /* of the critical path */
    struct mpg_where_wanted where_wanted;      /* and what these need */
    struct mpg_option_list signatures; /* the first is SIGNATURE */
    struct mpg_option_list noise, call_noise, latency, byte, compute_ratio, sweeps;
    struct mpg_option_list hypothesis_files, hypothesis_lines;
    double source_latency_ns, source_byte_ns;
    double polling_interval_ns;
    int64_t eager_limit, source_eager_limit, horizon, replicas, first_replica, seed,
        threads;
    struct mpg_given given;
    bool json, per_rank, keep, lenient, deterministic, sync_reduce, keep_tracer, predict, waits;
    enum mpg_path_class path_class; /* MPG_PATHS: the farthest */
    enum mpg_waits_by waits_kind;   /* rows of wait states */
    bool ideal, wall, blocking_get;
    struct mpg_parameters *machine; /* the target's, as its file and options say; NULL: there is none */
    double against_ns;              /* the run on one processor; 0: not known */
    struct mpg_key_sweep keys;      /* of targets, what is swept */
    char *key_text[MPG_KEY_AXES];   /* of one of them, as parameters */
    bool by_events;                 /* it is evaluated in the order of simulated time */
    bool carries;                   /* with hypotheses, sends that the trace shows to be */
    bool expand, expand_rest, expand_some; /* collectives as messages: all; those not measured; those in which hypotheses change
                                       who waits */
    bool keeps_floors;              /* in a file beside the trace */
    enum mpg_cosched cosched_kind;  /* MPG_COSCHEDS: what the records were made for */
    struct mpg_hypotheses hypotheses; /* of files, then lines */
    struct mpg_sweep sweep;         /* of --tolerate two values of what is looked for */
    struct mpg_limits tolerated;
    struct mpg_timeline_part timeline_part;
    struct mpg_history_run run;     /* its arguments: what was given and the answer depends on, then the trace */
    bool run_failed;                /* there was no memory for that */
    char swept[MPG_SWEPTS][40];     /* values of a point of it, in words */
};

/* What the options say of how to simulate; and the processes. */
struct mpg_asked {
    struct mpg_perturbation p; /* distributions, models, seed */
    bool borrows;              /* the distributions are another's */
    struct mpg_simulation_options simulation;
    struct mpg_times_options times;
    struct mpg_ratios ratios; /* to be resolved */
};

/* Reads the command line into A; into AT what it is at its sweep's first point, with its first signature, or with its
 * first design, and into ASKED what that asks for: the first trace's name. All designs have been read once: what is
 * wrong in them is found here. Errors of usage, --help and --version end the program,
 * as one of all PROCESSES says. NULL with ERR: a file of samples cannot be read. A's sweep and hypotheses,
 * and ASKED, are the caller's to clear even so. */
const char *mpg_arguments_read(struct mpg_arguments *a, int argc, char **argv,
                               struct mpg_processes *processes, struct mpg_arguments *at,
                               struct mpg_asked *asked, struct mpg_error *err);
/* Whether a table of traces on targets is asked for, and on how many designs: targets, each with all points of what is
 * swept of them. */
bool mpg_arguments_tabulates(const struct mpg_arguments *a);
size_t mpg_arguments_designs(const struct mpg_arguments *a);
/* Into AT A with its I-th design alone, whose target has been read; axes go round before targets do.
 * Returns 0, -1 or MPG_SPEC_UNREADABLE; AT, which is not to be copied, is to be cleared even so. */
int mpg_arguments_design(const struct mpg_arguments *a, size_t i, struct mpg_arguments *at, struct mpg_error *err);
void mpg_arguments_design_clear(struct mpg_arguments *at);
/* Whether there is more than one scenario. */
bool mpg_arguments_sweep(const struct mpg_arguments *a);
/* Into AT, which is not to be copied, A with SIGNATURE, one of its own or NULL, and what POINT of its sweep
 * says, but for factors. */
void mpg_arguments_at(const struct mpg_arguments *a, const char *signature, size_t point,
                      struct mpg_arguments *at);
/* What A, which is at a point, asks of PROCESSES; distributions are LIKE's, which outlives ASKED, where it is not NULL:
 * their files are read once. Returns 0, -1, or MPG_SPEC_UNREADABLE; ASKED is to be cleared even so. */
int mpg_arguments_ask(struct mpg_arguments *a, struct mpg_processes *processes,
                      const struct mpg_asked *like, struct mpg_asked *asked, struct mpg_error *err);
void mpg_asked_clear(struct mpg_asked *asked);
/* Whether costs are --signature's alone, as no option stands in for any of them. */
bool mpg_arguments_signature_is_all(const struct mpg_arguments *a);
/* What --source names; NULL: nothing, or that there is none. */
const char *mpg_arguments_source(const struct mpg_arguments *a);
/* A file that is read, in its ROLE; below 0 with ERR: that is enough. */
typedef int mpg_input_see(void *who, const char *role, const char *path, struct mpg_error *err);
/* Shows WHO each file that A and ASKED, which A asks for, read beside the trace, one that is named twice
 * twice. Returns 0 or below, as SEE. */
int mpg_arguments_see_inputs(const struct mpg_arguments *a, const struct mpg_asked *asked, mpg_input_see *see,
                             void *who, struct mpg_error *err);
/* A's run, but for the answer: TRACE, at PATH, and the other files that A and ASKED read. Error: out of memory. */
int mpg_arguments_run(struct mpg_arguments *a, const struct mpg_asked *asked, const struct mpg_trace *trace,
                      const char *path, struct mpg_error *err);
/* An error, where a list of ranks of an option names one that RANKS ranks have not: it would be
 * without effect. */
int mpg_arguments_check_ranks(const struct mpg_arguments *a, struct mpg_perturbation *p,
                              int32_t ranks, struct mpg_error *err);

/* A's sweep, from what was given, and what does not go with it. Private to simulate/options/. */
int mpg_arguments_parse_sweep(struct mpg_arguments *a, struct mpg_error *err);
int mpg_arguments_check_sweep(const struct mpg_arguments *a, struct mpg_error *err);
/* Takes OPTION, given with TEXT, to the arguments of A's run. Private to simulate/options/. */
void mpg_arguments_note(void *arguments, const struct mpg_option *option, const char *text);
/* Reads A's target file, if it has any, and what its keys mean for other options. */
int mpg_arguments_read_target(struct mpg_arguments *a, struct mpg_error *err);
/* What AGAINST is: a time, or an answer that is then read: 0 or MPG_SPEC_UNREADABLE. */
int mpg_arguments_parse_against(struct mpg_arguments *a, struct mpg_error *err);
int mpg_arguments_read_against(struct mpg_arguments *a, struct mpg_error *err);
/* What does not go with a table of targets; what it is to read, beside A's first design. */
int mpg_arguments_check_designs(const struct mpg_arguments *a, struct mpg_error *err);
/* What does not go with a target; and what P is to have of it. */
int mpg_arguments_parse_target(struct mpg_arguments *a, struct mpg_error *err);
int mpg_arguments_use_target(const struct mpg_arguments *a, struct mpg_perturbation *p, struct mpg_error *err);
/* A's timeline, from what was given. */
int mpg_arguments_parse_timeline(struct mpg_arguments *a, struct mpg_error *err);
/* What --where asks for, and what does not go with it. */
int mpg_arguments_parse_where(struct mpg_arguments *a, struct mpg_error *err);
/* The table of options, whose values are A's. Private to simulate/options/. */
const struct mpg_option *mpg_arguments_table(struct mpg_arguments *a);

#endif
