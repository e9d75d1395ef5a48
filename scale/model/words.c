/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models in words and as data. */
#include <math.h>
#include <string.h>

#include "common/json_text.h"
#include "common/units.h"
#include "scale/model/model.h"

static const char *const verdicts[] = {[MPG_GROWS] = "grows", [MPG_PERHAPS_GROWS] = "grows?",
                                       [MPG_IS_CONSTANT] = "constant", [MPG_PERHAPS_FALLS] = "falls?",
                                       [MPG_FALLS] = "falls"};

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

/* VALUE in its unit, into BUF of 40 bytes; what is beyond every time as a number. */
static char *amount(const struct scale_model *m, double value, char *buf)
{
    if (m->is_time && fabs(value) < 1e18)
        return mpg_units_format_time(buf, 40, value);
    snprintf(buf, 40, m->is_time ? "%.3g s" : "%.4g", m->is_time ? value / 1e9 : value);
    return buf;
}

char *mpg_scale_model_formula(const struct scale_model *m, char *text)
{
    char constant[40], coefficient[40], power[40] = "", logs[40] = "";
    const struct mpg_growth_model *f = &m->growth.model;
    const struct mpg_growth_shape *s = m->why ? NULL : mpg_growth_shape(f->shape);
    if (!s) {
        snprintf(text, SCALE_MODEL_TEXT, "%s", m->why ? "-" : amount(m, f->constant, constant));
        return text;
    }
    if (s->denominator != 1)
        snprintf(power, sizeof power, " N^(%d/%d)", s->numerator, s->denominator);
    else if (s->numerator != 0)
        snprintf(power, sizeof power, s->numerator == 1 ? " N" : " N^%d", s->numerator);
    if (s->logs)
        snprintf(logs, sizeof logs, s->logs == 1 ? " log2(N)" : " log2(N)^%d", s->logs);
    const double least = fabs(f->coefficient) * mpg_growth_term(f->shape, m->growth.most_n) * 1e-6;
    const bool has_constant = fabs(f->constant) > least;
    snprintf(text, SCALE_MODEL_TEXT, "%s%s%s%s%s", has_constant ? amount(m, f->constant, constant) : "",
             has_constant ? " + " : "", amount(m, f->coefficient, coefficient), power, logs);
    return text;
}

char *mpg_scale_model_order(const struct scale_model *m, char *text)
{
    const struct mpg_growth_interval *o = &m->growth.order;
    if (m->why)
        snprintf(text, SCALE_MODEL_TEXT, "%s", m->why);
    else
        snprintf(text, SCALE_MODEL_TEXT, "order %.2f, %.2f to %.2f", o->value, o->low, o->high);
    return text;
}

char *mpg_scale_model_projection(const struct scale_model *m, char *text)
{
    char value[40], low[40], high[40];
    text[0] = '\0';
    if (!m->why && m->project > 0)
        snprintf(text, SCALE_MODEL_TEXT, "%.0f: %s, %s to %s", m->project, amount(m, m->projected.value, value),
                 amount(m, m->projected.low, low), amount(m, m->projected.high, high));
    return text;
}

static json_t *interval_json(const struct mpg_growth_interval *i)
{
    return json_pack("{s:o*, s:o*, s:o*}", "value", isfinite(i->value) ? json_real(i->value) : json_null(), "low",
                     isfinite(i->low) ? json_real(i->low) : json_null(), "high",
                     isfinite(i->high) ? json_real(i->high) : json_null());
}

json_t *mpg_scale_model_json(const struct scale_model *m)
{
    const struct mpg_growth *g = &m->growth;
    if (m->why)
        return json_pack("{s:s}", "undefined", m->why);
    const struct mpg_growth_shape *s = mpg_growth_shape(g->model.shape);
    json_t *json = json_pack(
        "{s:s, s:s, s:f, s:f, s:[i,i], s:i, s:f, s:f, s:f, s:f, s:f, s:b, s:f, s:I, s:o*}", "verdict",
        verdicts[g->verdict], "unit", m->is_time ? "ns" : "1", "constant", g->model.constant, "coefficient",
        g->model.coefficient, "exponent", s ? s->numerator : 0, s ? s->denominator : 1, "log_exponent", s ? s->logs : 0,
        "probability", g->probability, "left_out_error", g->error, "left_out_error_constant", g->error_constant,
        "spread", g->spread, "freedom", g->freedom, "scatters_by_count", g->by_counts, "support", g->support, "values",
        (json_int_t)g->values, "order", interval_json(&g->order));
    if (json && m->project > 0 &&
        (json_object_set_new(json, "project", json_real(m->project)) < 0 ||
         json_object_set_new(json, "projected", interval_json(&m->projected)) < 0)) {
        json_decref(json);
        return NULL;
    }
    return json;
}

void mpg_scale_model_csv_names(FILE *out)
{
    fputs(",model,model_constant,model_coefficient,model_exponent,model_log_exponent,model_p,model_order,"
          "model_order_low,model_order_high,model_projected,model_projected_low,model_projected_high", out);
}

static void csv_number(FILE *out, bool there, double value)
{
    if (there && isfinite(value))
        fprintf(out, ",%.17g", value);
    else
        fputc(',', out);
}

void mpg_scale_model_csv(FILE *out, const struct scale_model *m)
{
    const bool there = m && !m->why;
    const struct mpg_growth *g = there ? &m->growth : NULL;
    const struct mpg_growth_shape *s = there ? mpg_growth_shape(g->model.shape) : NULL;
    const bool projects = there && m->project > 0;
    fprintf(out, ",%s", mpg_scale_model_verdict(m));
    csv_number(out, there, there ? g->model.constant : 0);
    csv_number(out, there, there ? g->model.coefficient : 0);
    csv_number(out, there, s ? (double)s->numerator / s->denominator : 0);
    csv_number(out, there, s ? s->logs : 0);
    csv_number(out, there, there ? g->probability : 0);
    csv_number(out, there, there ? g->order.value : 0);
    csv_number(out, there, there ? g->order.low : 0);
    csv_number(out, there, there ? g->order.high : 0);
    csv_number(out, projects, projects ? m->projected.value : 0);
    csv_number(out, projects, projects ? m->projected.low : 0);
    csv_number(out, projects, projects ? m->projected.high : 0);
}
