/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of models, for people. */
#include <math.h>

#include "common/units.h"
#include "scale/report/grid.h"
#include "scale/report/report.h"

static void put_interval(struct scale_grid *g, const char *format, double low, double high)
{
    char text[64];
    snprintf(text, sizeof text, format, low, high);
    scale_grid_put_text(g, text);
}

static void put_model(struct scale_grid *g, const struct scale_report *r, const struct scale_row *row)
{
    char text[SCALE_MODEL_TEXT], low[SCALE_MODEL_TEXT], high[SCALE_MODEL_TEXT];
    const struct scale_model *m = row->model;
    scale_grid_put_text(g, r->analysis->set->sites[row->site].name);
    scale_grid_put_text(g, mpg_scale_model_verdict(m));
    if (m->why)
        scale_grid_put_text(g, m->why);
    else
        scale_grid_put_text(g, mpg_scale_model_formula(m, text));
    if (m->why) {
        for (int i = r->analysis->options->project > 0 ? 5 : 3; i > 0; i--)
            scale_grid_put_text(g, "-");
        return;
    }
    const struct mpg_growth_interval *order = &m->growth.order;
    snprintf(text, sizeof text, "%.2f", order->value);
    scale_grid_put_text(g, text);
    put_interval(g, "%.2f to %.2f", order->low, order->high);
    snprintf(text, sizeof text, "%.2g", m->growth.probability);
    scale_grid_put_text(g, text);
    if (r->analysis->options->project <= 0)
        return;
    scale_grid_put_text(g, mpg_scale_model_amount(m, m->projected.value, text));
    snprintf(text, sizeof text, "%.60s to %.60s", mpg_scale_model_amount(m, m->projected.low, low),
             mpg_scale_model_amount(m, m->projected.high, high));
    scale_grid_put_text(g, text);
}

int mpg_scale_print_models(const struct scale_report *r, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    char what[128], at[64];
    snprintf(at, sizeof at, "with %lld", (long long)a->options->project);
    const struct scale_column column[] = {
        {.title = mpg_scale_row_title(r), .is_text = true}, {.title = "growth", .is_text = true},
        {.title = mpg_scale_model_of(a->set, a->options, what, sizeof what), .is_text = true}, {.title = "order"},
        {.title = "95 %"}, {.title = "p"}, {.title = at}, {.title = "95 %"}};
    struct scale_grid g = {.column = column, .columns = a->options->project > 0 ? 8 : 6};
    for (size_t i = 0; i < a->row_number; i++)
        if (a->rows[i].model)
            put_model(&g, r, &a->rows[i]);
    putc('\n', out);
    if (!g.failed)
        scale_grid_print_text(&g, out);
    scale_grid_clear(&g);
    return g.failed ? mpg_error_set(err, "out of memory") : 0;
}
