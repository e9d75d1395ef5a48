/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of rows: which of them grow. */
#include <math.h>
#include <string.h>

#include "common/json_text.h"
#include "common/units.h"
#include "scale/report/grid.h"
#include "scale/report/report.h"

static const struct scale_site *site_of(const struct scale_report *r, const struct scale_row *row)
{
    return &r->analysis->set->sites[row->site];
}

/* Of enum scale_verdict. */
static const char *const signs[] = {"", "grows?", "grows"}, *const verdicts[] = {"no", "perhaps", "yes"};

static const char *sign_of(const struct scale_row *row)
{
    return row->dominates ? "dominates" : signs[row->grows];
}

/* ---- text ---- */

enum { MOST_COLUMNS = 24 };

static void put_format(struct scale_grid *g, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    scale_grid_put_text(g, isnan(value) ? "-" : text);
}

static void put_interval(struct scale_grid *g, const char *format, const struct scale_interval *i)
{
    char text[64];
    snprintf(text, sizeof text, format, i->low, i->high);
    scale_grid_put_text(g, isnan(i->low) ? "-" : text);
}

/* A number of the metric's kind. */
static void put_metric(struct scale_grid *g, const struct scale_report *r, double value)
{
    char text[64] = "-";
    switch (isnan(value) ? SCALE_COUNTER + 1 : (int)r->analysis->options->metric) {
    case SCALE_SHARE:
    case SCALE_TIME_OF_APP: snprintf(text, sizeof text, "%.2f %%", 100 * value); break;
    case SCALE_TIME:
    case SCALE_MEAN: mpg_units_format_time(text, sizeof text, value); break;
    case SCALE_COUNT:
    case SCALE_BYTES:
    case SCALE_IMBALANCE:
    case SCALE_COUNTER: snprintf(text, sizeof text, "%.4g", value); break;
    default: break;
    }
    scale_grid_put_text(g, text);
}

static void put_row(struct scale_grid *g, const struct scale_report *r, const struct scale_row *row)
{
    const struct scale_analysis *a = r->analysis;
    char why[96] = "";
    if (row->all.undefined)
        snprintf(why, sizeof why, "undefined: %s", row->all.undefined);
    scale_grid_put_text(g, site_of(r, row)->name);
    put_format(g, "%.2f", row->all.r);
    put_interval(g, "%.2f to %.2f", &row->all.interval);
    put_format(g, "%.2g", row->all.p);
    put_format(g, "%.2g", row->all.q);
    put_format(g, "%.0f", (double)row->all.runs);
    put_metric(g, r, row->first);
    put_metric(g, r, row->last);
    put_format(g, "%.3g", row->factor);
    put_format(g, "%.2f", row->power.b);
    put_interval(g, "%.2f to %.2f", &row->power.interval);
    put_format(g, "%.2f", row->imbalance.r);
    if (a->has_waits) {
        put_format(g, "%.2f", row->wait.r);
        put_format(g, "%.2f", row->transfer.r);
    }
    if (a->options->project > 0) {
        put_format(g, "%.2f %%", 100 * row->projected);
        const struct scale_interval percent = {100 * row->projected_interval.low, 100 * row->projected_interval.high};
        put_interval(g, "%.2f to %.2f", &percent);
    }
    scale_grid_put_text(g, row->all.undefined && !row->dominates ? why : sign_of(row));
}

static int print_text(const struct scale_report *r, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    char projected[48];
    struct scale_column column[MOST_COLUMNS] = {
        {.is_text = true}, {.title = "r_s"}, {.title = "95 %"}, {.title = "p"}, {.title = "q"},
        {.title = "runs"}, {.title = "first"}, {.title = "last"}, {.title = "factor"}, {.title = "exponent"},
        {.title = "95 %"}, {.title = "imbalance r_s"}};
    size_t n = 12;
    column[0].title = mpg_scale_row_title(r);
    if (a->has_waits) {
        column[n++] = (struct scale_column){.title = "waits r_s"};
        column[n++] = (struct scale_column){.title = "transfer r_s"};
    }
    if (a->options->project > 0) {
        snprintf(projected, sizeof projected, "share at %lld", (long long)a->options->project);
        column[n++] = (struct scale_column){.title = projected};
        column[n++] = (struct scale_column){.title = "95 %"};
    }
    column[n++] = (struct scale_column){.title = "", .is_text = true};
    struct scale_grid g = {.column = column, .columns = n};
    mpg_scale_print_head(r, out);
    putc('\n', out);
    if (a->options->grows && a->row_number == 0) {
        fprintf(out, "nothing grows: none of %zu rows does, nor dominates (without --grows they are shown)\n", a->dropped);
        return 0;
    }
    for (size_t i = 0; i < a->row_number; i++)
        put_row(&g, r, &a->rows[i]);
    if (!g.failed)
        scale_grid_print_text(&g, out);
    scale_grid_clear(&g);
    return g.failed ? mpg_error_set(err, "out of memory") : mpg_scale_print_models(r, out, err);
}

/* ---- CSV ---- */

static const struct scale_column csv_columns[] = {
    {.key = "name"}, {.key = "call"}, {.key = "function"}, {.key = "file"}, {.key = "line"}, {.key = "r_s"},
    {.key = "r_s_low"}, {.key = "r_s_high"}, {.key = "p"}, {.key = "q"}, {.key = "runs"}, {.key = "counts"},
    {.key = "undefined"}, {.key = "first"}, {.key = "last"}, {.key = "factor"}, {.key = "share_first"},
    {.key = "share_last"}, {.key = "exponent"}, {.key = "exponent_low"}, {.key = "exponent_high"}, {.key = "wait_r_s"},
    {.key = "transfer_r_s"}, {.key = "imbalance_r_s"}, {.key = "projected_share"}, {.key = "projected_share_low"},
    {.key = "projected_share_high"}, {.key = "grows"}, {.key = "dominates"}, {.key = "chance"}, {.key = "model"},
    {.key = "model_constant"}, {.key = "model_coefficient"}, {.key = "model_exponent"}, {.key = "model_log_exponent"}, {.key = "model_p"},
    {.key = "model_order"}, {.key = "model_order_low"}, {.key = "model_order_high"}, {.key = "model_projected"},
    {.key = "model_projected_low"}, {.key = "model_projected_high"}};

static void put_csv_row(struct scale_grid *g, const struct scale_report *r, const struct scale_row *row)
{
    const struct scale_site *site = site_of(r, row);
    scale_grid_put_text(g, site->name);
    scale_grid_put_text(g, site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : "");
    scale_grid_put_text(g, site->function ? site->function : "");
    scale_grid_put_text(g, site->file ? site->file : "");
    scale_grid_put(g, site->line > 0 ? site->line : NAN);
    const double numbers[] = {row->all.r, row->all.interval.low, row->all.interval.high, row->all.p, row->all.q,
                              (double)row->all.runs, (double)row->all.counts};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        scale_grid_put(g, numbers[i]);
    scale_grid_put_text(g, row->all.undefined ? row->all.undefined : "");
    const double more[] = {row->first, row->last, row->factor, row->share_first, row->share_last, row->power.b,
                           row->power.interval.low, row->power.interval.high, row->wait.r, row->transfer.r,
                           row->imbalance.r, row->projected, row->projected_interval.low, row->projected_interval.high};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        scale_grid_put(g, more[i]);
    scale_grid_put_text(g, verdicts[row->grows]);
    scale_grid_put_text(g, row->dominates ? "yes" : "no");
    scale_grid_put(g, row->chance);
    double model[SCALE_MODEL_NUMBERS];
    mpg_scale_model_numbers(row->model, model);
    scale_grid_put_text(g, mpg_scale_model_verdict(row->model));
    for (int i = 0; i < SCALE_MODEL_NUMBERS; i++)
        scale_grid_put(g, model[i]);
}

static int print_csv(const struct scale_report *r, FILE *out, struct mpg_error *err)
{
    struct scale_grid g = {.column = csv_columns, .columns = sizeof csv_columns / sizeof *csv_columns};
    for (size_t i = 0; i < r->analysis->row_number; i++)
        put_csv_row(&g, r, &r->analysis->rows[i]);
    if (!g.failed)
        scale_grid_print_csv(&g, out);
    scale_grid_clear(&g);
    return g.failed ? mpg_error_set(err, "out of memory") : 0;
}

/* ---- JSON ---- */

static void put_number(FILE *out, const char *before, double value)
{
    fputs(before, out);
    mpg_json_write_number(out, value);
}

static void put_string(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    text ? mpg_json_write_string(out, text) : (void)fputs("null", out);
}

static void put_bounds(FILE *out, const char *before, const struct scale_interval *i)
{
    put_number(out, before, i->low);
    put_number(out, ", ", i->high);
    putc(']', out);
}

static void put_correlation(FILE *out, const char *key, const struct scale_correlation *c)
{
    fprintf(out, ",\n   \"%s\": ", key);
    if (c->runs == 0) { /* not known of any run */
        fputs("null", out);
        return;
    }
    put_number(out, "{\"r_s\": ", c->r);
    put_bounds(out, ", \"interval\": [", &c->interval);
    put_number(out, ", \"p\": ", c->p);
    put_number(out, ", \"q\": ", c->q);
    fprintf(out, ", \"p_from\": \"%s\", \"runs\": %zu, \"counts\": %zu", c->exact ? "permutations" : "student", c->runs,
            c->counts);
    put_string(out, ", \"undefined\": ", c->undefined);
    putc('}', out);
}

static void put_series(FILE *out, const struct scale_series *s)
{
    fputs(",\n   \"points\": [", out);
    for (size_t i = 0; i < s->n; i++) {
        fprintf(out, "%s[%.0f, ", i > 0 ? ", " : "", s->x[i]);
        mpg_json_write_number(out, s->y[i]);
        putc(']', out);
    }
    fputs("], \"of_runs\": [", out);
    for (size_t i = 0; i < s->n; i++)
        fprintf(out, "%s%zu", i > 0 ? ", " : "", s->run[i]);
    putc(']', out);
}

static void put_json_row(FILE *out, const struct scale_report *r, const struct scale_row *row)
{
    const struct scale_site *site = site_of(r, row);
    put_string(out, "  {\"name\": ", site->name);
    put_string(out, ", \"call\": ", site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : NULL);
    put_string(out, ", \"function\": ", site->function);
    put_string(out, ", \"file\": ", site->file);
    put_number(out, ", \"line\": ", site->line > 0 ? site->line : NAN);
    put_correlation(out, "correlation", &row->all);
    put_correlation(out, "wait", &row->wait);
    put_correlation(out, "transfer", &row->transfer);
    put_correlation(out, "imbalance", &row->imbalance);
    put_number(out, ",\n   \"first\": ", row->first);
    put_number(out, ", \"last\": ", row->last);
    put_number(out, ", \"factor\": ", row->factor);
    put_number(out, ", \"share_first\": ", row->share_first);
    put_number(out, ", \"share_last\": ", row->share_last);
    put_number(out, ",\n   \"exponent\": ", row->power.b);
    put_bounds(out, ", \"exponent_interval\": [", &row->power.interval);
    put_number(out, ", \"projected_share\": ", row->projected);
    put_bounds(out, ", \"projected_share_interval\": [", &row->projected_interval);
    fprintf(out, ", \"grows\": \"%s\", \"dominates\": %s", verdicts[row->grows], row->dominates ? "true" : "false");
    put_number(out, ", \"chance\": ", row->chance);
    fputs(",\n   \"model\": ", out);
    mpg_scale_model_write_json(out, row->model);
    put_series(out, &row->series);
    putc('}', out);
}

static void print_json(const struct scale_report *r, FILE *out)
{
    const struct scale_analysis *a = r->analysis;
    const struct scale_options *o = a->options;
    static const char *const sizings[] = {"unknown", "fixed", "scaled"};
    fputs("{\"mpgscale\": 1,\n", out);
    mpg_scale_print_runs_json(r, out);
    put_string(out, " \"metric\": ", mpg_scale_metric_key(r));
    fprintf(out, ", \"callsites\": \"%s\", \"absent\": \"%s\", \"sizes\": \"%s\", \"seed\": %llu, \"resamples\": %d",
            a->set->by_line ? "line" : "address", o->zero ? "zero" : "omit", sizings[a->sizing],
            (unsigned long long)o->seed, SCALE_RESAMPLES);
    put_number(out, ", \"threshold\": ", o->threshold);
    fprintf(out, ", \"below_threshold\": %zu", a->below);
    char modelled[128];
    put_string(out, ", \"modelled\": ", mpg_scale_model_of(a->set, o, modelled, sizeof modelled));
    put_number(out, ", \"project\": ", o->project > 0 ? (double)o->project : NAN);
    fputs(",\n \"rows\": [", out);
    for (size_t i = 0; i < a->row_number; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        put_json_row(out, r, &a->rows[i]);
    }
    fputs("]}\n", out);
}

int mpg_scale_print_correlation(const struct scale_report *r, enum scale_format format, FILE *out,
                                struct mpg_error *err)
{
    if (format == SCALE_TEXT)
        return print_text(r, out, err);
    if (format == SCALE_CSV)
        return print_csv(r, out, err);
    print_json(r, out);
    return 0;
}
