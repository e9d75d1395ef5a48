/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mpgsim is asked: its command line, resolved once. Options are in table.c, which says how they go together; values
 * are checked there, or where a field is made of a text (configuration.c). */
#ifndef MPG_CONFIGURATION_H
#define MPG_CONFIGURATION_H

#include "analyse/table.h"
#include "analyse/timeline/timeline.h"
#include "common/option.h"
#include "history/history.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/evaluate/driver/simulation.h"
#include "simulate/options/sweep.h"
#include "simulate/processes/processes.h"
#include "simulate/reports/report.h"
#include "simulate/reports/where.h"
#include "simulate/rules.h"
#include "simulate/target/parameters.h"
#include "trace/hypothesis/hypothesis.h"

/* An option of words that was not given has the place after the last word. */
enum mpg_engine { MPG_ENGINE_EVENTS, MPG_ENGINE_LANES, MPG_ENGINE_UNSAID };
enum mpg_collectives { MPG_COLLECTIVES_MEASURED, MPG_COLLECTIVES_ROUNDS, MPG_COLLECTIVES_EXPAND, MPG_COLLECTIVES_UNSAID };
enum { MPG_ABSORB_UNSAID = 3 };
enum mpg_paper { MPG_PAPER_CALL_EDGES, MPG_PAPER_SYNC_REDUCE, MPG_PAPER_OWN_EDGES };
/* Of --without, after the rules of simulate/rules.h. */
enum { MPG_WITHOUT_TRACER = MPG_RULES, MPG_WITHOUT_CARRIED, MPG_WITHOUT_CHOICE };

/* The machine that is asked about. */
struct mpg_target_config {
    struct mpg_option_list signatures;
    const char *signature;             /* of the scenario; NULL: none */
    bool predict;
    struct mpg_option_list given;      /* to --target: names, files, keys */
    struct mpg_option_list names, keys; /* those of them: names or files; KEY=VALUE, */
    size_t given_keys;                 /* so many of which are not swept */
    const char *name;                  /* of the scenario; NULL: no target of parameters */
    struct mpg_parameters *machine;    /* as its file and keys say; NULL: none */
    int work, gets;                    /* 1: work is the time between calls; ranks wait at once for what they get */
    enum mpg_engine engine;
    bool by_events;                    /* evaluated in the order of simulated time */
    const char *map;                   /* where ranks are; NULL: nobody says */
    enum mpg_path_class path;          /* of all messages; MPG_PATHS: the farthest */
    const char *against;               /* a time, or an answer of one processor */
    double against_ns;                 /* what that says; 0: not known */
};

/* The machine on which the trace was made. */
struct mpg_source_config {
    const char *file;                  /* NULL: what the trace, or the target, says */
    bool none;                         /* nobody's costs are in the trace */
    const char *map;
    int64_t eager_limit;
    double latency_ns, byte_ns;
};

/* What is otherwise than in the traced run. */
struct mpg_perturbation_config {
    struct mpg_option_list noise, call_noise, latency, byte, compute_ratio;
    int64_t eager_limit;
    struct mpg_option_list given, files; /* to --hypothesis: files and hypotheses; the files of them */
    struct mpg_hypotheses hypotheses;  /* of files, then those given */
};

/* How the run is modelled. */
struct mpg_model_config {
    int absorb;                        /* enum mpg_absorb */
    int noise;                         /* enum mpg_noise_model, less 1; -1: as records are there */
    enum mpg_time_model latency, byte;
    enum mpg_cosched cosched;          /* MPG_COSCHEDS: what the records were made for */
    int measurement;                   /* 1: signatures are exact */
    enum mpg_polling polling;
    double polling_interval_ns;
    enum mpg_collectives collectives;
    const char *collective_table;
    bool expand, expand_rest, expand_some; /* collectives as messages: all; those not measured; those in which hypotheses
                                              change who waits */
    struct mpg_option_words paper, without;
    bool has_weak_progress;                      /* with hypotheses, sends that the trace shows to be carried */
    bool deterministic, lenient;
    int64_t horizon;
};

/* What is to be found. */
struct mpg_question_config {
    struct mpg_option_list sweeps;
    struct mpg_sweep sweep;            /* of --tolerate two values of what is looked for */
    struct mpg_sweep keys;             /* of targets, what is swept */
    const char *tolerate;
    struct mpg_limits tolerated;
    struct mpg_option_words where;
    enum mpg_attribution_by where_by[MPG_ATTRIBUTION_BYS]; /* tables of it, in this order */
    size_t where_tables;
    struct mpg_attribution_wanted where_wanted;      /* and what these need */
    bool critical_path;
    int64_t segments;                  /* of that */
    enum mpg_waits_by waits;           /* rows of wait states; MPG_WAITS_BYS: none are asked for */
};

struct mpg_output_config {
    const char *output, *output_trace, *report, *plot, *history;
    bool json, csv, per_rank, keep;
    const char *timeline, *timeline_calls, *timeline_ranks;
    struct mpg_timeline_part timeline_part;
};

struct mpg_config {
    struct mpg_target_config target;
    struct mpg_source_config source;
    struct mpg_perturbation_config change;
    struct mpg_model_config model;
    struct mpg_question_config question;
    struct mpg_output_config output;
    int64_t replicas, first_replica, seed, threads;
    int processes;                     /* that share the run */
    int cache;                         /* 1: what passes find is not kept in a file beside the trace */
    struct mpg_given given;
    char *const *traces;
    size_t trace_number;               /* 1, but for tables */
    struct mpg_history_run run;        /* its arguments: what was given and the answer depends on, then the trace */
    bool run_failed;                   /* there was no memory for that */
    char swept[MPG_SWEPTS][40];        /* of a point: its values, in words, */
    char *key_text[MPG_KEY_AXES];      /* and as keys */
};

struct mpg_setting;

/* Reads the command line into C; into AT what it is at its sweep's first point, with its first signature, or with its
 * first machine, and into ASKED what that asks for: the first trace's name. All machines have been read once: what is
 * wrong in them is found here. Errors of usage, --help and --version end the program,
 * as one of all PROCESSES says. NULL with ERR: a file of samples cannot be read. All three are the caller's to clear even so. */
const char *mpg_config_read(struct mpg_config *c, int argc, char **argv, struct mpg_processes *processes,
                            struct mpg_config *at, struct mpg_setting *asked, struct mpg_error *err);
void mpg_config_clear(struct mpg_config *c);
/* Whether a table of traces on targets is asked for, and on how many machines: targets, each with all points of what is
 * swept of them. */
bool mpg_config_tabulates(const struct mpg_config *c);
size_t mpg_config_target_points(const struct mpg_config *c);
/* Into AT C with its I-th machine alone, whose target has been read; axes go round before targets do.
 * Returns 0, -1 or MPG_SPEC_UNREADABLE; AT, which is not to be copied, is to be cleared even so. */
int mpg_config_target_point(const struct mpg_config *c, size_t i, struct mpg_config *at, struct mpg_error *err);
void mpg_config_target_point_clear(struct mpg_config *at);
/* Whether there is more than one scenario. */
bool mpg_config_sweeps(const struct mpg_config *c);
/* Into AT, which is not to be copied, C with SIGNATURE, one of its own or NULL, and what POINT of its sweep
 * says, but for factors. */
void mpg_config_at(const struct mpg_config *c, const char *signature, size_t point, struct mpg_config *at);
/* Whether costs are --signature's alone, as no option stands in for any of them. */
bool mpg_config_signature_is_all(const struct mpg_config *c);
/* A file that is read, in its ROLE; below 0 with ERR: that is enough. */
typedef int mpg_input_see(void *who, const char *role, const char *path, struct mpg_error *err);
/* Shows WHO each file that C and ASKED, which C asks for, read beside the trace, one that is named twice
 * twice. Returns 0 or below, as SEE. */
int mpg_config_see_inputs(const struct mpg_config *c, const struct mpg_setting *asked, mpg_input_see *see, void *who,
                          struct mpg_error *err);
/* C's run, but for the answer: TRACE, at PATH, and the other files that C and ASKED read. Error: out of memory. */
int mpg_config_run(struct mpg_config *c, const struct mpg_setting *asked, const struct mpg_trace *trace, const char *path,
                   struct mpg_error *err);

/* Private to simulate/options/. */

/* The program, whose options have their values in C. */
struct mpg_program mpg_config_program(struct mpg_config *c);
/* "measured" ...; NULL: unsaid. */
const char *mpg_collectives_word(enum mpg_collectives how);
/* What options of C, a struct mpg_config, say together, and N TRACES, before a file is read but those of hypotheses. */
int mpg_config_resolve(void *config, char **traces, size_t n, struct mpg_error *err);
/* C's sweep, from what was given, and what does not go with it. */
int mpg_config_parse_sweep(struct mpg_config *c, struct mpg_error *err);
/* Which collectives are messages by what C says by now. */
void mpg_config_expand(struct mpg_config *c);
/* Takes OPTION, given with TEXT, to the arguments of the run of CONFIG. */
void mpg_config_note(void *config, const struct mpg_option *option, const char *text);
/* Reads C's target file, if it has any, and what its keys mean for other options. 0, -1 or MPG_SPEC_UNREADABLE. */
int mpg_config_read_target(struct mpg_config *c, struct mpg_error *err);
/* Whether its messages are parameters. */
bool mpg_config_target_has_messages(const struct mpg_config *c);
/* What AGAINST is, of which --against is a file: 0 or MPG_SPEC_UNREADABLE. */
int mpg_config_read_against(struct mpg_config *c, struct mpg_error *err);

#endif
