/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of each row: how what a rank takes at a callsite grows with the number of processes
 * (statistics/growth.h; docs/GROWTH.md). Modelled is what one rank takes on average, A_s / N, so that a
 * callsite that takes the same on each rank is constant; with --metric=mean what one call takes. */
#ifndef MPG_SCALE_MODEL_H
#define MPG_SCALE_MODEL_H

#include <stdio.h>

#include "common/error.h"
#include "common/table/json.h"
#include "scale/correlate/correlate.h"
#include "statistics/growth.h"

enum { SCALE_MODEL_RESAMPLES = 500, SCALE_MODEL_TEXT = 160 };

struct scale_model {
    const char *why;             /* there is none, as this says; NULL: there is one */
    bool is_time;                /* in ns; else a number */
    struct mpg_growth growth;    /* without WHY */
    double project;              /* N; 0: not asked for */
    struct mpg_growth_interval projected;
};

/* Gives each row of A its model, of the runs that the row has, and says which rows dominate; if rows that grow are
 * asked for, drops the others. Draws are addressed by A's seed and the callsite's name. Error: out of memory. */
int mpg_scale_model_rows(struct scale_analysis *a, struct mpg_error *err);
/* Frees them; rows then have none. */
void mpg_scale_model_clear(struct scale_analysis *a);

/* "grows", "grows?", "constant", "falls?", "falls", "unclear"; "-" without a model. */
const char *mpg_scale_model_verdict(const struct scale_model *model);
/* What is modelled: "time of a rank", "calls of a rank". */
const char *mpg_scale_model_of(const struct scale_set *set, const struct scale_options *options, char *text,
                               size_t size);
/* VALUE in the model's unit, "1.2 ms"; into TEXT of SCALE_MODEL_TEXT bytes. */
char *mpg_scale_model_amount(const struct scale_model *model, double value, char *text);
/* "1.2 ms + 0.3 us N^(3/2) log2(N)", "5.2 ms"; into TEXT of SCALE_MODEL_TEXT bytes. */
char *mpg_scale_model_formula(const struct scale_model *model, char *text);

/* All of it as a JSON object, the member KEY; MODEL may be NULL. */
void mpg_scale_model_json(struct mpg_json *json, const char *key, const struct scale_model *model);
/* Its numbers, for a table, NAN where there are none; MODEL may be NULL. Their names: model_constant, _coefficient,
 * _exponent, _log_exponent, _p, _order, _order_low, _order_high, _projected, _projected_low, _projected_high. */
enum { SCALE_MODEL_NUMBERS = 11 };
void mpg_scale_model_numbers(const struct scale_model *model, double numbers[SCALE_MODEL_NUMBERS]);

#endif
