/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input files of mpgsim, shared by all scenarios, and a setting for each scenario: target, placement, graph options. */
#ifndef MPG_INPUTS_H
#define MPG_INPUTS_H

#include "simulate/models/capacities.h"
#include "simulate/options/configuration.h"
#include "simulate/options/ratios.h"
#include "simulate/options/observed.h"

struct mpg_files {
    struct mpg_trace *trace;
    struct mpg_signature **target; /* a signature for each --signature, or NULL */
    size_t targets;
    struct mpg_signature *given_source; /* NULL: --source has no file */
    struct mpg_collective_table *table;            /* NULL: no collective is expanded */
    struct mpg_cache *cache;             /* NULL: no pre-pass cache */
    struct mpg_removals *removals;       /* removals of the sources' noise from the trace */
    struct mpg_bound_hypotheses *bound;      /* NULL: no hypotheses */
    struct mpg_counted counted;              /* counts of processor counters in the trace; n = 0: none, or not needed */
    /* with hypotheses: properties of the source machine observed in the trace; the eager limit is set only if options and
     * signatures leave a machine's limit open */
    struct mpg_observed observed;
};

/* Opens TRACE and the files named in C. SETTING: the setting of C, whose distributions name the files of samples. Errors: of the
 * files; an output is an input; a hypothesis does not match the trace. The caller closes FILES, even after an error. */
int mpg_files_open(struct mpg_files *files, const struct mpg_config *c, const char *trace,
                   const struct mpg_setting *setting, struct mpg_error *err);
/* Adds to ERR the trace's name and the calls unknown to the tracer, if any; nothing if ERR comes from another process. Returns
 * -1. */
int mpg_files_explain(const struct mpg_files *files, const struct mpg_processes *processes,
                      struct mpg_error *err);
void mpg_files_close(struct mpg_files *files);

/* Data to simulate a scenario: values from the scenario's configuration, then values derived from configuration and files. All
 * zero at first. */
struct mpg_setting {
    struct mpg_perturbation p; /* distributions, models, seed; later the signatures */
    bool borrows;              /* another setting owns the distributions */
    struct mpg_simulation_options simulation;
    struct mpg_ratios ratios;
    const struct mpg_signature *target; /* target signature, owned by the files or equal to `scaled` or `quiet`; NULL: none */
    struct mpg_signature *quiet;        /* copy of the files' target without the noise of some causes; NULL: with all noise */
    struct mpg_signature *scaled;       /* copy of the files' target with factors of message times; NULL: no factors */
    struct mpg_source source;
    struct mpg_placement placement, source_placement;
    struct mpg_busy_cores busy;         /* for each machine: number of ranks on the fullest node */
    struct mpg_processors processors; /* processors of a parametric target */
    struct mpg_capacities capacities; /* the capacities that messages share */
    struct mpg_unexpanded unexpanded;         /* collectives that are not expanded */
    struct mpg_rank_threads *threads;         /* threads of ranks; NULL: one each */
};

/* Fills SETTING from C for PROCESSES. If LIKE is not NULL, SETTING shares LIKE's distributions (files are read once), and LIKE
 * must outlive SETTING. Returns 0, -1, or MPG_SPEC_UNREADABLE. The caller closes SETTING, even after an error. */
int mpg_setting_make(struct mpg_setting *setting, const struct mpg_config *c, struct mpg_processes *processes,
                     const struct mpg_setting *like, struct mpg_error *err);
/* Fills SETTING's factors from C. Private to simulate/options/. */
void mpg_setting_take_factors(struct mpg_setting *setting, const struct mpg_config *c);
/* Replaces SETTING's target by a copy of TARGET with the factors of message times, if these are not 1. The source must be known.
 * Errors: TARGET has no message times; the source is unknown, in perturb mode; out of memory. Private to simulate/options/. */
int mpg_setting_scale_messages(struct mpg_setting *setting, const struct mpg_signature *target, struct mpg_error *err);
/* Error: SETTING's target has no noise for C's factors of noise. */
int mpg_setting_check_noise(const struct mpg_setting *setting, const struct mpg_config *c, struct mpg_error *err);
/* Error: an option's list of ranks names a rank that is not below RANKS. Private to simulate/options/. */
int mpg_setting_check_ranks(const struct mpg_config *c, struct mpg_perturbation *p, int32_t ranks, struct mpg_error *err);
/* Returns the node of RANK: by PLACES, or its host in TRACE if PLACES is NULL or places no ranks. Private to
 * simulate/options/. */
int32_t mpg_setting_node(const struct mpg_placement *places, const struct mpg_trace *trace, int32_t rank);
/* Lets the messages of SETTING share the capacities of target I, according to C's --contention, if the signature has sharing
 * curves. Errors: requested curves are missing; hosts are unknown; out of memory. Private to simulate/options/. */
int mpg_setting_share(struct mpg_setting *setting, const struct mpg_config *c, const struct mpg_files *files, size_t i,
                      struct mpg_error *err);
/* Completes SETTING, filled by mpg_setting_make(), with target I of FILES, which must outlive SETTING. Without a random part and
 * without --replicas SETTING has one replica. Errors: signatures or trace lack a path, model or rank; out of memory. The caller
 * closes SETTING, even after an error. */
int mpg_setting_open(struct mpg_setting *setting, const struct mpg_config *c,
                     const struct mpg_files *files, size_t i, struct mpg_error *err);
/* Draws the benchmark launches of all replicas; the last step before the simulation. Error: out of memory. */
int mpg_setting_begin(struct mpg_setting *setting, const struct mpg_config *c,
                      const struct mpg_files *files, uint32_t replicas, struct mpg_error *err);
/* Returns true if the replicas of a simulation with perturbation P can differ. */
bool mpg_setting_is_random(const struct mpg_setting *setting, const struct mpg_perturbation *p);
/* Returns the report on RESULT of a simulation with P and OPTIONS. */
struct mpg_report mpg_setting_report(const struct mpg_setting *setting, const struct mpg_config *c,
                                     const struct mpg_files *files, const struct mpg_perturbation *p,
                                     const struct mpg_simulation_options *options,
                                     const struct mpg_result *result);
void mpg_setting_close(struct mpg_setting *setting);

#endif
