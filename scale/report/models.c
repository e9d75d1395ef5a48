/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the models of the rows as a table. */
#include <math.h>

#include "scale/report/report.h"

static void put_model(struct mpg_table *t, const struct scale_report *r, const struct scale_row *row)
{
    char text[SCALE_MODEL_TEXT], low[SCALE_MODEL_TEXT], high[SCALE_MODEL_TEXT];
    const struct scale_model *m = row->model;
    const struct mpg_growth_interval *order = &m->growth.order;
    const bool has = !m->why;
    mpg_table_text(t, r->analysis->set->sites[row->site].name);
    mpg_table_text(t, mpg_scale_model_verdict(m));
    mpg_table_text(t, has ? mpg_scale_model_formula(m, text) : m->why);
    mpg_table_number(t, has ? order->value : NAN);
    mpg_table_range(t, has ? order->low : NAN, has ? order->high : NAN);
    mpg_table_number(t, has ? m->growth.probability : NAN);
    if (r->analysis->options->project <= 0)
        return;
    if (has && !mpg_scale_model_projects(m)) {
        mpg_table_text(t, "cannot be projected from these runs");
        mpg_table_text(t, NULL);
        return;
    }
    mpg_table_text(t, has ? mpg_scale_model_amount(m, m->projected.value, text) : NULL);
    snprintf(text, sizeof text, "%.60s to %.60s", mpg_scale_model_amount(m, m->projected.low, low),
             mpg_scale_model_amount(m, m->projected.high, high));
    mpg_table_text(t, has ? text : NULL);
}

int mpg_scale_print_models(const struct scale_report *r, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    char what[128], at[64];
    snprintf(at, sizeof at, "with %lld", (long long)a->options->project);
    const struct mpg_table_column columns[] = {
        {.heading = mpg_scale_row_title(r), .left = true}, {.heading = "growth", .left = true},
        {.heading = mpg_scale_model_of(a->set, a->options, what, sizeof what), .left = true},
        {.heading = "order", .format = "%.2f"},
        {.heading = "95 %", .format = "%.2f"}, {.heading = "p", .format = "%.2g"}, {.heading = at}, {.heading = "95 %"}};
    struct mpg_table t = {.column = columns, .columns = a->options->project > 0 ? 8 : 6, .fits = true, .trims = true,
                          .missing = "-"};
    putc('\n', out);
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (size_t i = 0; i < a->row_number; i++)
        if (a->rows[i].model)
            put_model(&t, r, &a->rows[i]);
    return mpg_table_end(&t, err);
}
