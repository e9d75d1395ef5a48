/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes models as text, as JSON and as numbers of a table. */
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "scale/model/model.h"

static const char *const verdicts[] = {[MPG_GROWTH_RISES] = "grows", [MPG_GROWTH_PERHAPS_RISES] = "grows?",
                                       [MPG_GROWTH_NONE] = "constant", [MPG_GROWTH_PERHAPS_FALLS] = "falls?",
                                       [MPG_GROWTH_FALLS] = "falls", [MPG_GROWTH_INCONCLUSIVE] = "undecided"};

const char *mpg_scale_model_verdict(const struct scale_model *model)
{
    return model && !model->why ? verdicts[model->growth.verdict] : "-";
}

const char *mpg_scale_model_of(const struct scale_set *set, const struct scale_options *options, char *text,
                               size_t size)
{
    switch (options->metric) {
    case SCALE_MEAN:
        return "time of a call";
    case SCALE_IMBALANCE:
        return "imbalance";
    case SCALE_COUNT:
        return "calls of a rank";
    case SCALE_BYTES:
        return "bytes of a rank";
    case SCALE_COUNTER:
        snprintf(text, size, "%s of a rank", set->counter_names[options->counter]);
        return text;
    default:
        return "time of a rank";
    }
}

/* Times from 1e18 ns on, which the common function cannot format, are written in s. */
char *mpg_scale_model_amount(const struct scale_model *m, double value, char *text)
{
    if (m->is_time && fabs(value) < 1e18)
        return mpg_units_format_time(text, SCALE_MODEL_TEXT, value);
    snprintf(text, SCALE_MODEL_TEXT, m->is_time ? "%.3g s" : "%.4g", m->is_time ? value / 1e9 : value);
    return text;
}

char *mpg_scale_model_formula(const struct scale_model *m, char *text)
{
    char constant[SCALE_MODEL_TEXT] = "", coefficient[SCALE_MODEL_TEXT], power[32] = "", logs[32] = "";
    const struct mpg_growth_model *f = &m->growth.model;
    const struct mpg_growth_shape *s = m->why ? NULL : mpg_growth_shape(f->shape);
    if (m->why)
        return strcpy(text, "-");
    if (!s)
        return mpg_scale_model_amount(m, f->constant, text);
    if (s->denominator != 1)
        snprintf(power, sizeof power, " N^(%d/%d)", s->numerator, s->denominator);
    else if (s->numerator != 0)
        snprintf(power, sizeof power, s->numerator == 1 ? " N" : " N^%d", s->numerator);
    if (s->logs)
        snprintf(logs, sizeof logs, s->logs == 1 ? " log2(N)" : " log2(N)^%d", s->logs);
    /* a constant below a millionth of the largest value is a rounding error, and is not shown */
    if (fabs(f->constant) > f->coefficient * mpg_growth_term(f->shape, m->growth.max_n) * 1e-6)
        mpg_scale_model_amount(m, f->constant, constant);
    snprintf(text, SCALE_MODEL_TEXT, "%.40s%s%.40s%s%s", constant, *constant ? " + " : "",
             mpg_scale_model_amount(m, f->coefficient, coefficient), power, logs);
    return text;
}

bool mpg_scale_model_projects(const struct scale_model *m)
{
    const struct mpg_growth_interval *i = &m->projected;
    return isfinite(i->low) && isfinite(i->value) && i->high <= SCALE_MODEL_WIDEST * i->value;
}

/* Returns the projected value with interval; NAN: no projection, or interval too wide. */
static struct mpg_growth_interval projection_of(const struct scale_model *m)
{
    return m->project > 0 && mpg_scale_model_projects(m) ? m->projected : (struct mpg_growth_interval){NAN, NAN, NAN};
}

static void put_interval(struct mpg_json *j, const char *key, const struct mpg_growth_interval *i)
{
    mpg_json_object(j, key);
    mpg_json_number(j, "value", i->value);
    mpg_json_number(j, "low", i->low);
    mpg_json_number(j, "high", i->high);
    mpg_json_close(j);
}

static void put_growth(struct mpg_json *j, const struct scale_model *m)
{
    const struct mpg_growth *g = &m->growth;
    const struct mpg_growth_shape *s = mpg_growth_shape(g->model.shape);
    mpg_json_string(j, "verdict", verdicts[g->verdict]);
    mpg_json_string(j, "unit", m->is_time ? "ns" : "1");
    mpg_json_array(j, "exponent");
    mpg_json_integer(j, NULL, s ? s->numerator : 0);
    mpg_json_integer(j, NULL, s ? s->denominator : 1);
    mpg_json_close(j);
    mpg_json_integer(j, "log_exponent", s ? s->logs : 0);
    mpg_json_number(j, "constant", g->model.constant);
    mpg_json_number(j, "coefficient", g->model.coefficient);
    mpg_json_number(j, "p", g->probability);
    mpg_json_number(j, "left_out_error", g->error);
    mpg_json_number(j, "left_out_error_constant", g->error_constant);
    mpg_json_number(j, "spread", g->spread);
    mpg_json_number(j, "freedom", g->freedom);
    mpg_json_bool(j, "scatters_by_count", g->by_counts);
    mpg_json_number(j, "support", g->support);
    put_interval(j, "order", &g->order);
    if (m->project > 0) {
        mpg_json_number(j, "project", m->project);
        const struct mpg_growth_interval projected = projection_of(m);
        put_interval(j, "projected", &projected);
    }
}

void mpg_scale_model_json(struct mpg_json *j, const char *key, const struct scale_model *m)
{
    mpg_json_object(j, key);
    if (!m || m->why)
        mpg_json_string(j, "undefined", m ? m->why : "none was asked for");
    else
        put_growth(j, m);
    mpg_json_close(j);
}

void mpg_scale_model_numbers(const struct scale_model *m, double numbers[SCALE_MODEL_NUMBERS])
{
    for (int i = 0; i < SCALE_MODEL_NUMBERS; i++)
        numbers[i] = NAN;
    if (!m || m->why)
        return;
    const struct mpg_growth *g = &m->growth;
    const struct mpg_growth_shape *s = mpg_growth_shape(g->model.shape);
    const struct mpg_growth_interval at = projection_of(m);
    const double all[SCALE_MODEL_NUMBERS] = {
        g->model.constant, g->model.coefficient, s ? (double)s->numerator / s->denominator : 0, s ? s->logs : 0,
        g->probability, g->order.value, g->order.low, g->order.high, at.value, at.low, at.high};
    memcpy(numbers, all, sizeof all);
}
