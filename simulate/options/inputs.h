/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mpgsim reads, and how it is looked at: files, which all scenarios share, and settings, one for each
 * target, places and rules of the graph. */
#ifndef MPG_INPUTS_H
#define MPG_INPUTS_H

#include "simulate/options/configuration.h"
#include "simulate/options/ratios.h"
#include "simulate/options/shown.h"

struct mpg_files {
    struct mpg_trace *trace;
    struct mpg_signature **target; /* one for each --signature, or NULL */
    size_t targets;
    struct mpg_signature *given_source; /* NULL: --source names none */
    struct mpg_collective_table *table;            /* NULL: collectives are not expanded */
    struct mpg_kept *kept;              /* NULL: nothing is kept of the trace */
    struct mpg_bound_hypotheses *supposed;      /* NULL: there are no hypotheses */
    struct mpg_shown shown;    /* with hypotheses; an eager limit where neither options nor signatures say all of them */
};

/* Opens what C names, and TRACE; ASKED says which samples were read. Errors: those of the files; the
 * output is one of them; hypotheses are not about the trace. FILES is to be closed even so. */
int mpg_files_open(struct mpg_files *files, const struct mpg_config *c, const char *trace,
                   const struct mpg_setting *asked, struct mpg_error *err);
/* Names the trace in ERR, of what could not be simulated, and calls that it misses, unless it is an error of
 * another of PROCESSES, which is whole; always -1. */
int mpg_files_explain(const struct mpg_files *files, const struct mpg_processes *processes,
                      struct mpg_error *err);
void mpg_files_close(struct mpg_files *files);

/* A scenario: first what its configuration asks for, then what follows from that and the files. All zero at first. */
struct mpg_setting {
    struct mpg_perturbation p; /* distributions, models, seed; with the signatures, once they are read */
    bool borrows;              /* the distributions are another's */
    struct mpg_simulation_options simulation;
    struct mpg_ratios ratios;
    const struct mpg_signature *target; /* of the files; NULL: none */
    struct mpg_source source;
    struct mpg_placement places, source_places;
    struct mpg_processors processors; /* of a target of parameters */
    struct mpg_unexpanded unexpanded;         /* collectives that are taken as they were measured */
};

/* Into SETTING what C asks of PROCESSES; distributions are LIKE's, which outlives SETTING, where it is not NULL: their files are
 * read once. Returns 0, -1, or MPG_SPEC_UNREADABLE; SETTING is to be closed even so. */
int mpg_setting_ask(struct mpg_setting *setting, const struct mpg_config *c, struct mpg_processes *processes,
                    const struct mpg_setting *like, struct mpg_error *err);
/* An error, where a list of ranks of an option names one that RANKS ranks have not: it would be without effect. Private to
 * simulate/options/. */
int mpg_setting_check_ranks(const struct mpg_config *c, struct mpg_perturbation *p, int32_t ranks, struct mpg_error *err);
/* Fills SETTING, which has what C asks for, with the I-th target of FILES, which outlive it. Its number
 * of replicas is one where nothing of it is random and C says nothing. Errors: paths, models or ranks that
 * the signatures and the trace do not have; out of memory. SETTING is to be closed even so. */
int mpg_setting_open(struct mpg_setting *setting, const struct mpg_config *c,
                     const struct mpg_files *files, size_t i, struct mpg_error *err);
/* The last before it is simulated, with so many replicas: launches are drawn. */
int mpg_setting_begin(struct mpg_setting *setting, const struct mpg_config *c,
                      const struct mpg_files *files, uint32_t replicas, struct mpg_error *err);
/* Whether P makes replicas unlike each other. */
bool mpg_setting_is_random(const struct mpg_setting *setting, const struct mpg_perturbation *p);
/* What is to be said of RESULT, which P and OPTIONS brought about. */
struct mpg_report mpg_setting_report(const struct mpg_setting *setting, const struct mpg_config *c,
                                     const struct mpg_files *files, const struct mpg_perturbation *p,
                                     const struct mpg_simulation_options *options,
                                     const struct mpg_result *result);
void mpg_setting_close(struct mpg_setting *setting);

#endif
