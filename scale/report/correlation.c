/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the rows: correlation with N, verdict, projection. */
#include <math.h>

#include "common/units.h"
#include "scale/report/report.h"

static const struct scale_site *site_of(const struct scale_report *r, const struct scale_row *row)
{
    return &r->analysis->set->sites[row->site];
}

/* Indexed by enum scale_verdict. */
static const char *const signs[] = {"", "grows?", "grows"}, *const verdicts[] = {"no", "perhaps", "yes"};

static const char *sign_of(const struct scale_row *row)
{
    return row->dominates ? "dominates" : signs[row->grows];
}

/* ---- text ---- */

/* Writes the fraction PART as percent without a sign, "12.34", into TEXT. Returns TEXT. */
static char *format_percent(char *text, size_t size, double part)
{
    snprintf(text, size, "%.2f", 100 * part);
    return text;
}

static void put_row(struct mpg_table *t, const struct scale_report *r, const struct scale_row *row)
{
    char why[96];
    mpg_table_text(t, site_of(r, row)->name);
    mpg_table_number(t, row->all.r);
    mpg_table_range(t, row->all.interval.low, row->all.interval.high);
    mpg_table_numbers(t, (double[]){row->all.p, row->all.q, (double)row->all.runs, row->first, row->last, row->factor,
                                    row->power.b}, 7);
    mpg_table_range(t, row->power.interval.low, row->power.interval.high);
    mpg_table_numbers(t, (double[]){row->imbalance.r, row->wait.r, row->transfer.r}, 3);
    if (r->analysis->options->project > 0 && isnan(row->projected))
        mpg_table_text(t, "cannot be projected");
    else
        mpg_table_number(t, row->projected);
    mpg_table_range(t, row->projected_interval.low, row->projected_interval.high);
    snprintf(why, sizeof why, "undefined: %s", row->all.undefined ? row->all.undefined : "");
    mpg_table_text(t, row->all.undefined && !row->dominates ? why : sign_of(row));
}

/* Returns a column for values of the metric. */
static struct mpg_table_column metric_column(const struct scale_report *r, const char *heading)
{
    switch (r->analysis->options->metric) {
    case SCALE_SHARE:
    case SCALE_TIME_OF_APP: return (struct mpg_table_column){.heading = heading, .formatter = mpg_table_format_percent};
    case SCALE_TIME:
    case SCALE_MEAN: return (struct mpg_table_column){.heading = heading, .formatter = mpg_units_format_time};
    default: return (struct mpg_table_column){.heading = heading, .format = "%.4g"};
    }
}

static int print_text(const struct scale_report *r, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    const bool waits = a->has_waits, projects = a->options->project > 0;
    char projected[48];
    snprintf(projected, sizeof projected, "share at %lld", (long long)a->options->project);
    const struct mpg_table_column columns[] = {
        {.heading = mpg_scale_row_title(r), .left = true},
        {.heading = "r_s", .format = "%.2f"},
        {.heading = "95 %", .format = "%.2f"},
        {.heading = "p", .format = "%.2g"},
        {.heading = "q", .format = "%.2g"},
        {.heading = "runs", .format = "%.0f"},
        metric_column(r, "first"),
        metric_column(r, "last"),
        {.heading = "factor", .format = "%.3g"},
        {.heading = "exponent", .format = "%.2f"},
        {.heading = "95 %", .format = "%.2f"},
        {.heading = "imbalance r_s", .format = "%.2f"},
        {.heading = waits ? "waits r_s" : NULL, .format = "%.2f"},
        {.heading = waits ? "transfer r_s" : NULL, .format = "%.2f"},
        {.heading = projects ? projected : NULL, .formatter = mpg_table_format_percent},
        {.heading = projects ? "95 %" : NULL, .formatter = format_percent},
        {.heading = "", .left = true}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .fits = true, .trims = true, .missing = "-"};
    mpg_scale_print_head(r, out);
    putc('\n', out);
    if (a->options->grows && a->row_number == 0) {
        fprintf(out, "nothing grows: of %zu rows none grows or dominates (all are shown without --grows)\n", a->dropped);
        return 0;
    }
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (size_t i = 0; i < a->row_number; i++)
        put_row(&t, r, &a->rows[i]);
    return mpg_table_end(&t, err) < 0 ? -1 : mpg_scale_print_models(r, out, err);
}

/* ---- CSV ---- */

static const struct mpg_table_column csv_columns[] = {{.key = "name"},
                                                      {.key = "call"},
                                                      {.key = "function"},
                                                      {.key = "file"},
                                                      {.key = "line"},
                                                      {.key = "r_s"},
                                                      {.key = "r_s_low"},
                                                      {.key = "r_s_high"},
                                                      {.key = "p"},
                                                      {.key = "q"},
                                                      {.key = "runs"},
                                                      {.key = "counts"},
                                                      {.key = "undefined"},
                                                      {.key = "first"},
                                                      {.key = "last"},
                                                      {.key = "factor"},
                                                      {.key = "share_first"},
                                                      {.key = "share_last"},
                                                      {.key = "exponent"},
                                                      {.key = "exponent_low"},
                                                      {.key = "exponent_high"},
                                                      {.key = "wait_r_s"},
                                                      {.key = "transfer_r_s"},
                                                      {.key = "imbalance_r_s"},
                                                      {.key = "projected_share"},
                                                      {.key = "projected_share_low"},
                                                      {.key = "projected_share_high"},
                                                      {.key = "grows"},
                                                      {.key = "dominates"},
                                                      {.key = "chance"},
                                                      {.key = "model"},
                                                      {.key = "model_constant"},
                                                      {.key = "model_coefficient"},
                                                      {.key = "model_exponent"},
                                                      {.key = "model_log_exponent"},
                                                      {.key = "model_p"},
                                                      {.key = "model_order"},
                                                      {.key = "model_order_low"},
                                                      {.key = "model_order_high"},
                                                      {.key = "model_projected"},
                                                      {.key = "model_projected_low"},
                                                      {.key = "model_projected_high"}};

static void put_csv_row(struct mpg_table *t, const struct scale_report *r, const struct scale_row *row)
{
    double model[SCALE_MODEL_NUMBERS];
    mpg_scale_put_site(t, site_of(r, row));
    mpg_table_numbers(t, (double[]){row->all.r, row->all.interval.low, row->all.interval.high, row->all.p, row->all.q,
                                    (double)row->all.runs, (double)row->all.counts}, 7);
    mpg_table_text(t, row->all.undefined);
    mpg_table_numbers(t, (double[]){row->first, row->last, row->factor, row->share_first, row->share_last, row->power.b,
                                    row->power.interval.low, row->power.interval.high, row->wait.r, row->transfer.r,
                                    row->imbalance.r, row->projected, row->projected_interval.low,
                                    row->projected_interval.high}, 14);
    mpg_table_text(t, verdicts[row->grows]);
    mpg_table_boolean(t, row->dominates);
    mpg_table_number(t, row->chance);
    mpg_scale_model_numbers(row->model, model);
    mpg_table_text(t, mpg_scale_model_verdict(row->model));
    mpg_table_numbers(t, model, SCALE_MODEL_NUMBERS);
}

static int print_csv(const struct scale_report *r, FILE *out, struct mpg_error *err)
{
    struct mpg_table t = {MPG_TABLE_COLUMNS(csv_columns)};
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    for (size_t i = 0; i < r->analysis->row_number; i++)
        put_csv_row(&t, r, &r->analysis->rows[i]);
    return mpg_table_end(&t, err);
}

/* ---- JSON ---- */

static void put_bounds(struct mpg_json *j, const char *key, const struct scale_interval *i)
{
    mpg_json_numbers(j, key, (double[]){i->low, i->high}, 2);
}

static void put_correlation(struct mpg_json *j, const char *key, const struct scale_correlation *c)
{
    mpg_json_new_line(j, 3);
    if (c->runs == 0) { /* the metric is not known for any run */
        mpg_json_null(j, key);
        return;
    }
    mpg_json_object(j, key);
    mpg_json_number(j, "r_s", c->r);
    put_bounds(j, "interval", &c->interval);
    mpg_json_number(j, "p", c->p);
    mpg_json_number(j, "q", c->q);
    mpg_json_string(j, "p_from", c->exact ? "permutations" : "student");
    mpg_json_count(j, "runs", c->runs);
    mpg_json_count(j, "counts", c->counts);
    mpg_json_string(j, "undefined", c->undefined);
    mpg_json_close(j);
}

static void put_series(struct mpg_json *j, const struct scale_series *s)
{
    mpg_json_new_line(j, 3);
    mpg_json_array(j, "points");
    for (size_t i = 0; i < s->n; i++)
        mpg_json_numbers(j, NULL, (double[]){s->x[i], s->y[i]}, 2);
    mpg_json_close(j);
    mpg_json_array(j, "of_runs");
    for (size_t i = 0; i < s->n; i++)
        mpg_json_count(j, NULL, s->run[i]);
    mpg_json_close(j);
}

static void put_json_row(struct mpg_json *j, const struct scale_report *r, const struct scale_row *row)
{
    const struct scale_site *site = site_of(r, row);
    mpg_json_new_line(j, 2);
    mpg_json_object(j, NULL);
    mpg_json_string(j, "name", site->name);
    mpg_json_string(j, "call", site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : NULL);
    mpg_json_string(j, "function", site->function);
    mpg_json_string(j, "file", site->file);
    mpg_json_number(j, "line", site->line > 0 ? site->line : NAN);
    put_correlation(j, "correlation", &row->all);
    put_correlation(j, "wait", &row->wait);
    put_correlation(j, "transfer", &row->transfer);
    put_correlation(j, "imbalance", &row->imbalance);
    mpg_json_new_line(j, 3);
    mpg_json_number(j, "first", row->first);
    mpg_json_number(j, "last", row->last);
    mpg_json_number(j, "factor", row->factor);
    mpg_json_number(j, "share_first", row->share_first);
    mpg_json_number(j, "share_last", row->share_last);
    mpg_json_new_line(j, 3);
    mpg_json_number(j, "exponent", row->power.b);
    put_bounds(j, "exponent_interval", &row->power.interval);
    mpg_json_number(j, "projected_share", row->projected);
    put_bounds(j, "projected_share_interval", &row->projected_interval);
    mpg_json_string(j, "grows", verdicts[row->grows]);
    mpg_json_bool(j, "dominates", row->dominates);
    mpg_json_number(j, "chance", row->chance);
    mpg_json_new_line(j, 3);
    mpg_scale_model_json(j, "model", row->model);
    put_series(j, &row->series);
    mpg_json_close(j);
}

static void print_json(const struct scale_report *r, FILE *out)
{
    const struct scale_analysis *a = r->analysis;
    const struct scale_options *o = a->options;
    static const char *const sizings[] = {"unknown", "fixed", "scaled"};
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    char modelled[128];
    mpg_json_in_line(&j);
    mpg_json_object(&j, NULL);
    mpg_json_integer(&j, "mpgscale", 1);
    mpg_scale_put_runs(&j, r);
    mpg_json_new_line(&j, 1);
    mpg_json_string(&j, "metric", mpg_scale_metric_key(r));
    mpg_json_string(&j, "callsites", a->set->by_line ? "line" : "address");
    mpg_json_string(&j, "absent", o->zero ? "zero" : "omit");
    mpg_json_string(&j, "sizes", sizings[a->sizing]);
    mpg_json_count(&j, "seed", o->seed);
    mpg_json_integer(&j, "resamples", SCALE_RESAMPLES);
    mpg_json_number(&j, "threshold", o->threshold);
    mpg_json_count(&j, "below_threshold", a->below);
    mpg_json_string(&j, "modelled", mpg_scale_model_of(a->set, o, modelled, sizeof modelled));
    mpg_json_number(&j, "project", o->project > 0 ? (double)o->project : NAN);
    mpg_json_new_line(&j, 1);
    mpg_json_array(&j, "rows");
    for (size_t i = 0; i < a->row_number; i++)
        put_json_row(&j, r, &a->rows[i]);
    mpg_json_close(&j);
    mpg_json_close(&j);
    putc('\n', out);
}

int mpg_scale_print_correlation(const struct scale_report *r, enum mpg_table_format format, FILE *out,
                                struct mpg_error *err)
{
    if (format == MPG_TABLE_TEXT)
        return print_text(r, out, err);
    if (format == MPG_TABLE_CSV)
        return print_csv(r, out, err);
    print_json(r, out);
    return 0;
}
