/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mpgsim reads, and how it is looked at: files, which all scenarios share, and settings, one for each
 * target, places and rules of the graph. */
#ifndef MPG_INPUTS_H
#define MPG_INPUTS_H

#include "simulate/options/arguments.h"
#include "simulate/options/shown.h"
#include "simulate/evaluate/predict.h"

struct mpg_files {
    struct mpg_trace *trace;
    struct mpg_signature **target; /* one for each --signature, or NULL */
    size_t targets;
    struct mpg_signature *given_source; /* NULL: --source names none */
    struct mpg_collective_table *table;            /* NULL: collectives are not expanded */
    struct mpg_kept *kept;              /* NULL: nothing is kept of the trace */
    struct mpg_supposed *supposed;      /* NULL: there are no hypotheses */
    struct mpg_shown shown;    /* with hypotheses; an eager limit where neither options nor signatures say all of them */
};

/* Opens what A names, and TRACE; ASKED says which samples were read. Errors: those of the files; the
 * output is one of them; hypotheses are not about the trace. FILES is to be closed even so. */
int mpg_files_open(struct mpg_files *files, const struct mpg_arguments *a, const char *trace,
                   const struct mpg_asked *asked, struct mpg_error *err);
/* Names the trace in ERR, of what could not be simulated, and calls that it misses, unless it is an error of
 * another of PROCESSES, which is whole; always -1. */
int mpg_files_explain(const struct mpg_files *files, const struct mpg_processes *processes,
                      struct mpg_error *err);
void mpg_files_close(struct mpg_files *files);

struct mpg_setting {
    struct mpg_asked asked; /* its perturbation has the signatures; its options are what follows from all */
    const struct mpg_signature *target; /* of the files; NULL: none */
    struct mpg_source source;
    struct mpg_places places, source_places;
    struct mpg_processors processors; /* of a target of parameters */
    struct mpg_wholes wholes;         /* collectives that are taken as they were measured */
};

/* Fills SETTING, whose ASKED is what A asks for, with the I-th target of FILES, which outlive it. Its number
 * of replicas is one where nothing of it is random and A says nothing. Errors: paths, models or ranks that
 * the signatures and the trace do not have; out of memory. SETTING is to be closed even so. */
int mpg_setting_open(struct mpg_setting *setting, const struct mpg_arguments *a,
                     const struct mpg_files *files, size_t i, struct mpg_error *err);
/* The last before it is simulated, with so many replicas: launches are drawn. */
int mpg_setting_begin(struct mpg_setting *setting, const struct mpg_arguments *a,
                      const struct mpg_files *files, uint32_t replicas, struct mpg_error *err);
/* The same as OPTIONS, for predict mode. */
struct mpg_predict_options mpg_setting_predict(const struct mpg_setting *setting,
                                               const struct mpg_simulation_options *options);
/* Whether P makes replicas unlike each other. */
bool mpg_setting_is_random(const struct mpg_setting *setting, const struct mpg_perturbation *p);
/* What is to be said of RESULT, which P and OPTIONS brought about. */
struct mpg_report mpg_setting_report(const struct mpg_setting *setting, const struct mpg_arguments *a,
                                     const struct mpg_files *files, const struct mpg_perturbation *p,
                                     const struct mpg_simulation_options *options,
                                     const struct mpg_result *result);
void mpg_setting_close(struct mpg_setting *setting);

#endif
