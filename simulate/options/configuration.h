/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration of mpgsim: the command line, resolved once. table.c declares options, ranges, and rules by which options
 * exclude or need each other. Texts are converted, and checked, in configuration.c. */
#ifndef MPG_CONFIGURATION_H
#define MPG_CONFIGURATION_H

#include "analyse/table.h"
#include "analyse/timeline/timeline.h"
#include "common/option.h"
#include "export/formats/formats.h"
#include "history/history.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/evaluate/driver/simulation.h"
#include "simulate/options/sweep.h"
#include "simulate/processes/processes.h"
#include "simulate/reports/report.h"
#include "simulate/reports/where.h"
#include "simulate/rules.h"
#include "simulate/target/parameters.h"
#include "trace/excerpt/excerpt.h"
#include "trace/hypothesis/hypothesis.h"

/* The engine that evaluates predictions. The last word, DEFAULT, is the value if the option is not given. */
enum mpg_engine { MPG_ENGINE_EVENTS, MPG_ENGINE_GRAPH, MPG_ENGINE_DEFAULT };
/* Whether messages share the capacities of a signature: where needed, never, always. */
enum mpg_contention { MPG_CONTENTION_AUTO, MPG_CONTENTION_NONE, MPG_CONTENTION_MEASURED };
enum mpg_collectives { MPG_COLLECTIVES_MEASURED, MPG_COLLECTIVES_ROUNDS, MPG_COLLECTIVES_EXPAND, MPG_COLLECTIVES_DEFAULT };
enum { MPG_ABSORB_DEFAULT = 3 };
enum mpg_paper { MPG_PAPER_CALL_EDGES, MPG_PAPER_SYNC_REDUCE, MPG_PAPER_OWN_EDGES };
/* Further words of --without, after the rules of simulate/rules.h. */
enum { MPG_WITHOUT_TRACER = MPG_RULES, MPG_WITHOUT_WEAK_PROGRESS, MPG_WITHOUT_CHOICE, MPG_WITHOUT_REQUEST_WAITS,
       MPG_WITHOUT_UNEVEN_SHARES };

/* The target machine. */
struct mpg_target_config {
    struct mpg_option_list signatures;
    const char *signature;             /* the scenario's signature; NULL: none */
    bool predict, perturb;             /* requested modes: by an option, implied by other options, or by default */
    bool both;                         /* both modes are requested: the prediction, with the perturbed run beside */
    struct mpg_option_list given;      /* values of --target: names, files, keys */
    /* names and files among the values of --target; KEY=VALUE texts: from --target first, then swept values */
    struct mpg_option_list names, keys;
    size_t given_keys;                 /* number of keys from --target */
    const char *name;                  /* name of the scenario's parametric target; NULL: none */
    struct mpg_parameters *machine;    /* parameters from the target file and its keys; NULL: none */
    int work, gets;                    /* work 1: work is the time between calls; gets 1: a rank waits at once for each MPI_Get */
    enum mpg_engine engine;
    bool by_events;                    /* the prediction is evaluated in the order of simulated time */
    const char *map;                   /* placement of ranks; NULL: not given */
    enum mpg_path_class path;          /* path class of all messages; MPG_PATHS: the class of the farthest ranks */
    const char *against;               /* --against: a time, or an answer file for one processor */
    double against_ns;                 /* the run time given by --against; 0: unknown */
};

/* The source machine, on which the trace was recorded. */
struct mpg_source_config {
    const char *file;                  /* NULL: the signature in the trace, or the target's */
    bool none;                         /* --source=none: no costs are subtracted */
    const char *map;
    int64_t eager_limit;
    double latency_ns, byte_ns;
};

/* A factor of the signature's values, --latency=x2. */
struct mpg_factor {
    bool given;
    double factor; /* >= 0 */
};
enum { MPG_FACTORS = MPG_SWEPT_BYTE + 1 };

/* Changes of the run against the traced run. */
struct mpg_perturbation_config {
    /* values of the options: distributions; of compute_ratio: ratios */
    struct mpg_option_list noise, call_noise, latency, byte, compute_ratio;
    struct mpg_option_list quiet;          /* causes whose noise the target lacks */
    struct mpg_factor factor[MPG_FACTORS]; /* factors given to --noise, --call-noise, --latency, --byte, by enum mpg_swept */
    int64_t eager_limit;
    struct mpg_option_list given, files; /* values of --hypothesis, and the files among these values */
    struct mpg_hypotheses hypotheses;  /* hypotheses from files, then from the command line */
};

/* Options of the model. */
struct mpg_model_config {
    int absorb;                        /* enum mpg_absorb */
    int noise;                         /* enum mpg_noise_model - 1; -1: noise records if the signature has noise records */
    enum mpg_time_model latency, byte;
    enum mpg_cosched cosched;          /* MPG_COSCHEDS: as in the measurement of the records */
    int measurement;                   /* 1: signatures are taken as exact */
    int speed;                         /* 1: computation always has the speed of the recording */
    enum mpg_polling polling;
    double polling_interval_ns;
    enum mpg_collectives collectives;
    const char *collective_table;
    bool expand, expand_rest, expand_some; /* collectives expanded into messages: all; collectives without a measurement;
                                            * collectives changed by hypotheses */
    struct mpg_option_words paper, without;
    bool has_weak_progress; /* with hypotheses: simulate weak progress of the sends that show weak progress in the trace */
    bool deterministic, lenient;
    enum mpg_contention contention;
    int64_t cores;                     /* cores that all ranks share; 0: each rank has a core */
    int tasks;                         /* 1: --tasks=by-arrival: a master's tasks are given out in order of arrival */
    int64_t horizon;
};

/* The questions, and the outputs of answers. */
struct mpg_question_config {
    struct mpg_option_list sweeps;
    struct mpg_sweep sweep;            /* with --tolerate: two values of the searched parameter */
    struct mpg_sweep keys;             /* keys of target machines with several values */
    const char *tolerate;
    struct mpg_limits tolerated;
    struct mpg_option_words where;
    enum mpg_attribution_by where_by[MPG_ATTRIBUTION_BY_COUNT]; /* grouping of the rows of each attribution table, in order */
    size_t where_tables;
    struct mpg_attribution_wanted where_wanted;      /* data needed for these tables */
    bool critical_path;
    bool noise_causes;                 /* --where=noise: the run without each cause of the target's noise */
    int64_t segments;                  /* maximum number of segments of the critical path in the answer */
    enum mpg_waits_by waits;           /* rows of wait states; MPG_WAITS_BY_COUNT: not requested */
};

struct mpg_output_config {
    const char *output, *output_trace, *report, *plot, *history;
    enum mpg_export_format trace_format; /* format of output_trace */
    bool json, csv, per_rank, keep, verbose, trace_format_given;
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
    int processes;                     /* number of processes of this run */
    int cache;                         /* 1: --cache=fresh: the pre-pass cache beside the trace is not used */
    struct mpg_excerpt excerpt;        /* --from and --until: the part of the run that is the trace */
    struct mpg_given given;
    char *const *traces;
    size_t trace_number;               /* number of traces: 1, except for a table of targets */
    struct mpg_history_run run;        /* for a history: the arguments that determine the answer, then the trace */
    bool run_failed;                   /* memory ran out while `run` was recorded */
    char swept[MPG_SWEPTS][40];        /* by parameter: the value at a point of the sweep, as text of an option */
    char *key_text[MPG_KEY_AXES];      /* KEY=VALUE of each swept key */
};

struct mpg_setting;

/* Reads the command line into C. Sets AT to the configuration of the first scenario and SETTING to its setting, and returns the
 * name of the first trace. All target machines are read once, to find errors. Errors of usage, --help and --version end the
 * program; only the first of PROCESSES prints. NULL with ERR: a file of samples cannot be read. The caller clears all three, even
 * after an error. */
const char *mpg_config_read(struct mpg_config *c, int argc, char **argv, struct mpg_processes *processes,
                            struct mpg_config *at, struct mpg_setting *setting, struct mpg_error *err);
void mpg_config_clear(struct mpg_config *c);
/* Returns true if a table of traces on targets is requested. */
bool mpg_config_tabulates(const struct mpg_config *c);
/* Returns the number of machines of this table: targets times the points of the targets' sweep. */
size_t mpg_config_target_points(const struct mpg_config *c);
/* Sets AT to C with machine I only, and reads the machine's target. Numbers of machines: sweep axes vary faster than targets.
 * Returns 0, -1 or MPG_SPEC_UNREADABLE. AT must not be copied; the caller clears it, even after an error. */
int mpg_config_target_point(const struct mpg_config *c, size_t i, struct mpg_config *at, struct mpg_error *err);
void mpg_config_target_point_clear(struct mpg_config *at);
/* Returns true if C has more than one scenario. */
bool mpg_config_sweeps(const struct mpg_config *c);
/* Returns true if the answer begins with the short answer to both questions: a single scenario, unless a single table is
 * requested. */
bool mpg_config_gives_short_answer(const struct mpg_config *c);
/* Sets AT to C with SIGNATURE (a signature of C, or NULL) and the values of POINT of C's sweep, except factors of given
 * distributions. AT must not be copied. */
void mpg_config_at(const struct mpg_config *c, const char *signature, size_t point, struct mpg_config *at);
/* Returns true if --signature gives all costs: no option replaces costs of the signature. */
bool mpg_config_signature_is_all(const struct mpg_config *c);
/* A function called with an input file, PATH, and the file's ROLE. Returns < 0 with ERR to stop. */
typedef int mpg_input_see(void *context, const char *role, const char *path, struct mpg_error *err);
/* Calls SEE with CONTEXT for each file needed by C and SETTING, the setting of C, except the trace; twice for a file named twice.
 * Returns 0, or the negative result of SEE. */
int mpg_config_see_inputs(const struct mpg_config *c, const struct mpg_setting *setting, mpg_input_see *see, void *context,
                          struct mpg_error *err);
/* Fills C's run for the history, without the answer: TRACE, at PATH, and all other files read by C and SETTING. Error: out of
 * memory. */
int mpg_config_run(struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_trace *trace, const char *path,
                   struct mpg_error *err);

/* Private to simulate/options/. */

/* Returns true if --call-noise=signature is given. */
bool mpg_config_wants_target_call_noise(const struct mpg_config *c);
/* Returns the program's description, with options that store values in C. */
struct mpg_program mpg_config_program(struct mpg_config *c);
/* Returns "measured" and so on; NULL: not given. */
const char *mpg_collectives_word(enum mpg_collectives how);
/* Resolves CONFIG, a struct mpg_config, for N TRACES, before files other than files of hypotheses are read. */
int mpg_config_resolve(void *config, char **traces, size_t n, struct mpg_error *err);
/* Parses C's sweep. Error: an option excludes a sweep. */
int mpg_config_parse_sweep(struct mpg_config *c, struct mpg_error *err);
/* Moves texts "xF" of C's options with distributions to C's factors. Errors: F is no factor, or is given twice; errors of
 * mpg_config_check_factor(). */
int mpg_config_take_factors(struct mpg_config *c, struct mpg_error *err);
/* Error: the values that the factor of WHAT multiplies are missing, or replaced by C. */
int mpg_config_check_factor(struct mpg_config *c, enum mpg_swept what, struct mpg_error *err);
/* Returns the texts of the option of CHANGE with distributions for WHAT (a parameter); NULL: no such option. */
struct mpg_option_list *mpg_config_dists(struct mpg_perturbation_config *change, enum mpg_swept what);
/* Returns true if C has a factor of message times, so that the target is not the measured machine. */
bool mpg_config_scales_messages(const struct mpg_config *c);
/* Sets C's three choices of expanded collectives. */
void mpg_config_expand(struct mpg_config *c);
/* Adds OPTION, given with TEXT, to the arguments of CONFIG's run for the history. */
void mpg_config_note(void *config, const struct mpg_option *option, const char *text);
/* Reads C's target file, if given, and applies the file's keys to other options. Returns 0, -1 or MPG_SPEC_UNREADABLE. */
int mpg_config_read_target(struct mpg_config *c, struct mpg_error *err);
/* Returns true if C's target has parameters of messages. */
bool mpg_config_target_has_messages(const struct mpg_config *c);
/* Reads the file of --against. Returns 0 or MPG_SPEC_UNREADABLE. */
int mpg_config_read_against(struct mpg_config *c, struct mpg_error *err);

#endif
