/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits a growth model to each row: how the cost per rank at a callsite changes with the number of processes
 * (statistics/growth.h; docs/GROWTH.md). The modelled value is the mean per rank, A_s / N: a callsite with equal cost on every
 * rank is constant. With --metric=mean the modelled value is the mean per call. */
#ifndef MPG_SCALE_MODEL_H
#define MPG_SCALE_MODEL_H

#include <stdio.h>

#include "common/error.h"
#include "common/table/json.h"
#include "scale/correlate/correlate.h"
#include "statistics/growth.h"

enum { SCALE_MODEL_RESAMPLES = 500, SCALE_MODEL_TEXT = 160 };

struct scale_model {
    const char *why;             /* reason for a missing model; NULL: the model exists */
    bool is_time;                /* the value is in ns; otherwise a number */
    struct mpg_growth growth;    /* valid if `why` is NULL */
    double project;              /* projected N; 0: none */
    struct mpg_growth_interval projected; /* 95 % interval at `project`, as computed, even if too wide to be useful */
};

/* Fits a model to each row of A, finds the rows that dominate, and, with scale_options.grows, drops rows that neither grow nor
 * dominate. Random numbers depend on A's seed and the site's name. Error: out of memory. */
int mpg_scale_model_rows(struct scale_analysis *a, struct mpg_error *err);
/* Frees the models of all rows. */
void mpg_scale_model_clear(struct scale_analysis *a);

/* Returns the verdict: "grows", "grows?", "constant", "falls?", "falls", "undecided"; "-": no model. */
const char *mpg_scale_model_verdict(const struct scale_model *model);
/* Writes a description of the modelled value into TEXT of SIZE bytes, for example: "time of a rank", "calls of a rank".
 * Returns TEXT. */
const char *mpg_scale_model_of(const struct scale_set *set, const struct scale_options *options, char *text,
                               size_t size);
/* Returns whether MODEL, which has a projection, has a useful projection: the 95 % interval is finite and reaches at most to
 * SCALE_MODEL_WIDEST times the projected value. */
enum { SCALE_MODEL_WIDEST = 1000 };
bool mpg_scale_model_projects(const struct scale_model *model);
/* Formats VALUE with the unit of the modelled value ("1.2 ms") into TEXT of SCALE_MODEL_TEXT bytes. Returns TEXT. */
char *mpg_scale_model_amount(const struct scale_model *model, double value, char *text);
/* Formats the model's formula ("1.2 ms + 0.3 us N^(3/2) log2(N)", "5.2 ms") into TEXT of SCALE_MODEL_TEXT bytes. Returns
 * TEXT. */
char *mpg_scale_model_formula(const struct scale_model *model, char *text);

/* Writes MODEL, which may be NULL, as a JSON object with key KEY; projected values are null if
 * mpg_scale_model_projects() is false. */
void mpg_scale_model_json(struct mpg_json *json, const char *key, const struct scale_model *model);
/* Sets the numbers of MODEL, which may be NULL, for a table; NAN: missing, or not projected. The columns are
 * model_constant, _coefficient, _exponent, _log_exponent, _p, _order, _order_low, _order_high, _projected,
 * _projected_low, _projected_high. */
enum { SCALE_MODEL_NUMBERS = 11 };
void mpg_scale_model_numbers(const struct scale_model *model, double numbers[SCALE_MODEL_NUMBERS]);

#endif
