/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "history/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "statistics/welch.h"

/* ---- reading ---- */

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

/* Returns the number KEY of OBJECT; NAN: none. */
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Fills A from the JSON of RUN's answer. Returns 0, or -1 with ERR. */
static int fill(struct answer *a, const struct mpg_history_run *run, const json_t *json, struct mpg_error *err)
{
    const char *format = json_string_value(json_object_get(json, "format"));
    const char *mode = json_string_value(json_object_get(json, "mode"));
    const json_t *time = json_object_get(json, "run_time_ns"), *interval = json_object_get(time, "median_confidence_95");
    if (!json)
        return mpg_error_set(err, "run %" PRId64 " has no JSON answer: keep answers of 'mpgsim --json' to compare them", run->id);
    a->id = run->id;
    a->ranks = json_integer_value(json_object_get(json_object_get(json, "trace"), "ranks"));
    a->run_ns = number_of(time, "median");
    a->low_ns = json_is_number(json_array_get(interval, 0)) ? json_number_value(json_array_get(interval, 0)) : NAN;
    a->high_ns = json_is_number(json_array_get(interval, 1)) ? json_number_value(json_array_get(interval, 1)) : NAN;
    if (!format || strcmp(format, "mpgsim-result") != 0 || !mode || !(a->run_ns > 0 && isfinite(a->run_ns)) || a->ranks < 1)
        return mpg_error_set(err, "run %" PRId64 " is not the answer of a single prediction, with a run time", run->id);
    const struct mpg_history_input *trace = NULL;
    for (size_t i = 0; i < run->inputs && !trace; i++)
        trace = strcmp(run->input[i].role, "trace") == 0 ? &run->input[i] : NULL;
    a->mode = copy(mode);
    a->trace = copy(trace ? trace->path : "");
    a->sum = copy(trace ? trace->sum : "");
    return a->mode && a->trace && a->sum ? 0 : mpg_error_set(err, "out of memory");
}

static int read_one(struct answer *a, const char *history, int64_t id, struct mpg_error *err)
{
    struct mpg_history_run run = {.id = 0};
    int status = mpg_history_find(history, id, &run, err);
    if (status == 0) {
        json_t *json = json_loadb(run.answer, run.answer_bytes, 0, NULL);
        status = fill(a, &run, json, err);
        json_decref(json);
    }
    mpg_history_run_clear(&run);
    return status;
}

int mpg_answers_read(struct answers *a, const char *history, const int64_t *id, size_t n, struct mpg_error *err)
{
    *a = (struct answers){.answer = calloc(n, sizeof *a->answer)};
    if (!a->answer)
        return mpg_error_set(err, "out of memory");
    while (a->n < n) {
        struct answer *next = &a->answer[a->n];
        if (read_one(next, history, id[a->n++], err) < 0)
            return -1;
    }
    return 0;
}

void mpg_answers_clear(struct answers *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->answer[i].mode);
        free(a->answer[i].trace);
        free(a->answer[i].sum);
    }
    free(a->answer);
    *a = (struct answers){.answer = NULL};
}

int mpg_answers_check(const struct answers side[ANSWERS_SIDES], struct mpg_error *err)
{
    const struct answer *first = &side[ANSWERS_BEFORE].answer[0];
    for (int s = 0; s < ANSWERS_SIDES; s++)
        for (size_t i = 0; i < side[s].n; i++) {
            const struct answer *a = &side[s].answer[i];
            if (a->ranks != first->ranks)
                return mpg_error_set(err, "run %" PRId64 " has %" PRId64 " ranks, run %" PRId64 " %" PRId64
                                          ": compare answers of equal numbers of ranks",
                                     first->id, first->ranks, a->id, a->ranks);
            if (strcmp(a->mode, first->mode) != 0)
                return mpg_error_set(err, "run %" PRId64 " is an answer of --%s, run %" PRId64 " of --%s", first->id, first->mode,
                                     a->id, a->mode);
        }
    return 0;
}

/* ---- conditions ---- */

int mpg_answers_fit_condition(struct mpg_condition *c, struct mpg_error *err)
{
    if (strcmp(c->name, "run") != 0)
        return mpg_error_set(err, "'%s': the quantity is run, the predicted run time", c->text);
    if (c->limit == 0)
        c->unit = MPG_CONDITION_RATIO;
    return c->unit != MPG_CONDITION_NUMBER
               ? 0
               : mpg_error_set(err, "'%s': the limit of a time has a unit: %%, ns, us, ms or s", c->text);
}

/* Returns the run times of SIDE in a new array; NULL: out of memory. */
static double *times_of(const struct answers *side)
{
    double *time_ns = malloc(side->n * sizeof *time_ns);
    for (size_t i = 0; i < side->n && time_ns; i++)
        time_ns[i] = side->answer[i].run_ns;
    return time_ns;
}

/* Returns whether several answers of SIDE are about a single trace: such answers do not show the variation between recordings. */
static bool repeats_a_trace(const struct answers *side)
{
    for (size_t i = 0; i < side->n; i++)
        for (size_t k = 0; k < i; k++)
            if (*side->answer[i].sum && strcmp(side->answer[i].sum, side->answer[k].sum) == 0)
                return true;
    return false;
}

/* Returns whether all N times are equal to the nanosecond. */
static bool are_equal(const double *time_ns, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (time_ns[i] != time_ns[0])
            return false;
    return true;
}

/* Sets R's interval from one answer a side, if both answers are about the same, unchanged trace. */
static void judge_two(struct mpg_condition_result *r, const struct answer *a, const struct answer *b, bool is_ratio)
{
    if (!*a->sum || strcmp(a->sum, b->sum) != 0)
        r->why = "one recording of each version: give answers of three";
    else if (isnan(a->low_ns) || isnan(a->high_ns) || isnan(b->low_ns) || isnan(b->high_ns))
        r->why = "no confidence interval of a run time: more replicas";
    else {
        r->low = is_ratio ? b->low_ns / a->high_ns - 1 : b->low_ns - a->high_ns;
        r->high = !is_ratio ? b->high_ns - a->low_ns : a->low_ns > 0 ? b->high_ns / a->low_ns - 1 : INFINITY;
    }
}

int mpg_answers_change(struct mpg_condition_result *x, const struct answers side[ANSWERS_SIDES], enum mpg_condition_unit unit,
                       struct mpg_error *err)
{
    const struct answers *before = &side[ANSWERS_BEFORE], *after = &side[ANSWERS_AFTER];
    const bool is_ratio = unit == MPG_CONDITION_RATIO;
    double *a = times_of(before), *b = times_of(after);
    const int status = a && b ? 0 : mpg_error_set(err, "out of memory");
    *x = (struct mpg_condition_result){.confidence = mpg_condition_confidence(1), .before = before->n, .after = after->n,
                                       .change = NAN, .low = NAN, .high = NAN};
    if (status == 0) {
        const double from_ns = mpg_mean(a, before->n), to_ns = mpg_mean(b, after->n);
        x->change = is_ratio ? to_ns / from_ns - 1 : to_ns - from_ns;
        if (before->n == 1 && after->n == 1)
            judge_two(x, &before->answer[0], &after->answer[0], is_ratio);
        else if (before->n < MPG_WELCH_MIN || after->n < MPG_WELCH_MIN)
            x->why = "give answers of three recordings of each version";
        else if (repeats_a_trace(before) || repeats_a_trace(after))
            x->why = "several answers from one trace: record each version at least three times";
        else if (are_equal(a, before->n) || are_equal(b, after->n))
            x->why = "equal run times of all answers of a version: copies of one recording?";
        else
            mpg_welch_change(a, x->before, b, x->after, is_ratio, x->confidence, &x->low, &x->high);
    }
    free(a);
    free(b);
    return status;
}
