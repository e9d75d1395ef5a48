/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution of delays, or of times, to places.
 *
 * Text has two tables: the delay budget of places; and the places' shares of the critical paths of all replicas, with the
 * dependence of the run time on each parameter (docs/MODEL.md, section 8). All figures of a table have one unit, and are rounded
 * to let rows and columns add up. CSV and JSON have one table (mpgsim-json(5)). */
#include "simulate/reports/where.h"

#include <math.h>
#include <string.h>

#include "simulate/reports/where_terms.h"
#include "simulate/attribution/critical.h"

enum { MAX_COLUMNS = 40 };

static double large_delay(const double *term)
{
    return fabs(mpg_where_injected(term)) + fabs(term[MPG_WHERE_PROPAGATED]);
}

int mpg_where_report_make(struct mpg_where_report *r, const struct mpg_attribution *where, const struct mpg_trace *trace,
                          bool predicted, const enum mpg_attribution_by *by, size_t n, struct mpg_error *err)
{
    *r = (struct mpg_where_report){.predicted = predicted, .ranks = mpg_trace_ranks(trace)};
    r->total = mpg_attribution_total(where, r->ranks);
    r->total.share = (struct mpg_attribution_share){.part = mpg_critical_injected_ns(r->total.term) > 0 ? 1 : NAN, .low = NAN,
                                                    .high = NAN};
    for (; r->n < n; r->n++)
        if (mpg_attribution_table_make(&r->table[r->n], where, trace, by[r->n], predicted ? mpg_where_run : large_delay,
                                       err) < 0) {
            mpg_attribution_table_clear(&r->table[r->n]);
            return mpg_error_prefix(err, "--where");
        }
    return 0;
}

void mpg_where_report_clear(struct mpg_where_report *r)
{
    for (size_t i = 0; i < r->n; i++)
        mpg_attribution_table_clear(&r->table[i]);
    r->n = 0;
}

/* ---- the account, for people ---- */

/* Text shows at least MIN_ROWS rows of a table, and further rows of at least SMALL of the largest row. */
enum { MIN_ROWS = 20 };
#define SMALL 1e-3

struct addend {
    const char *name;
    int term; /* index of the value among the terms; < 0: the function OF computes the value */
    double (*of)(const double *term);
    char sign; /* sign printed before the column; 0: none, as for the first column */
};

static const struct addend delays[] = {{"injected", -1, mpg_where_injected, 0}, {"propagated", MPG_WHERE_PROPAGATED, NULL, '+'},
                                       {"absorbed", -1, mpg_where_absorbed, '-'}};
static const struct addend times[] = {{"computation", 0, NULL, 0}, {"noise", 1, NULL, '+'}, {"overhead", 2, NULL, '+'},
                                      {"messages", 3, NULL, '+'}, {"collectives", 4, NULL, '+'}, {"threads", 5, NULL, '+'}};
enum { DELAYS = sizeof delays / sizeof *delays, TIMES = sizeof times / sizeof *times };

/* A table of report R that is being written. */
struct account {
    const struct mpg_where_report *r;
    const struct mpg_attribution_table *of;
    const struct addend *addend;
    size_t addends;
    struct mpg_where_figures figures;
    struct mpg_table table;
};

static double value_of(const struct addend *a, const double *term)
{
    return a->of ? a->of(term) : term[a->term];
}

static double largest_of(const struct account *x)
{
    double largest_ns = 0;
    for (size_t i = 0; i < x->of->n; i++)
        for (size_t k = 0; k < x->addends; k++)
            largest_ns = fmax(largest_ns, fabs(value_of(&x->addend[k], x->of->row[i].term)));
    return largest_ns;
}

/* Puts the addends and the sum, given as numbers of quanta. */
static void put_figures(struct account *x, const double *quanta)
{
    double left = 0;
    for (size_t k = 0; k < x->addends; k++) {
        mpg_where_put_figure(&x->table, &x->figures, quanta[k]);
        left += x->addend[k].sign == '-' ? -quanta[k] : quanta[k];
    }
    mpg_where_put_figure(&x->table, &x->figures, left);
}

/* Returns addend K of ROW, in quanta. */
static double quanta_of(const struct account *x, const struct mpg_attribution_row *row, size_t k)
{
    return round(value_of(&x->addend[k], row->term) / x->figures.quantum_ns);
}

static void put_account_row(struct account *x, const struct mpg_attribution_row *row, double *sum)
{
    double quanta[TIMES];
    for (size_t k = 0; k < x->addends; k++)
        sum[k] += quanta[k] = quanta_of(x, row, k);
    put_figures(x, quanta);
    mpg_table_text(&x->table, mpg_where_class(row->term));
    mpg_table_count(&x->table, row->calls);
    mpg_where_put_name(&x->table, x->of->by, row);
}

/* Ends the row that sums N small rows of a table. */
static void end_small(struct mpg_table *t, size_t n)
{
    char text[64];
    snprintf(text, sizeof text, "... %zu more (--verbose)", n);
    mpg_table_end_row(t, text);
}

/* Returns the number of leading rows that text shows; all further rows are less than SMALL of the largest row. */
static size_t count_shown(const struct mpg_attribution_table *of, bool all)
{
    size_t n = of->n;
    if (all || of->by == MPG_ATTRIBUTION_BY_RANK)
        return n;
    while (n > MIN_ROWS && of->row[n - 1].weight < SMALL * of->row[0].weight)
        n--;
    return n == of->n - 1 ? of->n : n;
}

/* Puts the first SHOWN rows, a row that sums the rest, and the sum of all rows. */
static void put_account_rows(struct account *x, size_t shown)
{
    double sum[TIMES] = {0}, small[TIMES];
    for (size_t i = 0; i < shown; i++)
        put_account_row(x, &x->of->row[i], sum);
    if (shown < x->of->n) {
        memcpy(small, sum, sizeof small);
        for (size_t i = shown; i < x->of->n; i++)
            for (size_t k = 0; k < x->addends; k++)
                sum[k] += quanta_of(x, &x->of->row[i], k);
        for (size_t k = 0; k < x->addends; k++)
            small[k] = sum[k] - small[k];
        put_figures(x, small);
        end_small(&x->table, x->of->n - shown);
    }
    put_figures(x, sum);
    mpg_table_end_row(&x->table, "all");
}

static int print_account(const struct mpg_where_report *r, const struct mpg_attribution_table *of, bool all, FILE *out,
                         struct mpg_error *err)
{
    const bool own = of->by == MPG_ATTRIBUTION_BY_RANK || of->by == MPG_ATTRIBUTION_BY_PAIR;
    struct account x = {.r = r, .of = of, .addend = r->predicted ? times : delays, .addends = r->predicted ? TIMES : DELAYS};
    struct mpg_table_column columns[MAX_COLUMNS];
    size_t n = 0;
    x.figures = mpg_where_choose_unit(largest_of(&x));
    for (; n < x.addends; n++)
        columns[n] = mpg_where_figure_column(&x.figures, x.addend[n].name, x.addend[n].sign);
    columns[n++] = mpg_where_figure_column(&x.figures, r->predicted ? "time" : "passed on", '=');
    columns[n++] = (struct mpg_table_column){.heading = r->predicted ? NULL : "class", .missing = "-", .width = 9, .left = true};
    columns[n++] = (struct mpg_table_column){.heading = of->by == MPG_ATTRIBUTION_BY_PAIR ? NULL : "calls", .gap = 1,
                                             .width = 11};
    columns[n++] = mpg_where_name_column(mpg_attribution_by_word(of->by));
    x.table = (struct mpg_table){.column = columns, .columns = n};
    fprintf(out, "\nWhere %s, by %s, %s; mean of %sreplicas\n", r->predicted ? "time goes" : "delays come from",
            mpg_attribution_by_word(of->by), x.figures.unit, own ? "" : "ranks and ");
    mpg_table_begin(&x.table, MPG_TABLE_TEXT, out);
    put_account_rows(&x, count_shown(of, all));
    return mpg_table_end(&x.table, err);
}

/* ---- the critical paths ---- */

static double computed(const double *t)
{
    return t[MPG_CRITICAL_COMPUTATION] + t[MPG_CRITICAL_SCALED];
}

#define TERM(NAME, TERM)                \
    static double NAME(const double *t) \
    {                                   \
        return t[TERM];                 \
    }
TERM(computation, MPG_CRITICAL_COMPUTATION)
TERM(noise, MPG_CRITICAL_NOISE)
TERM(calls, MPG_CRITICAL_CALL)
TERM(latency, MPG_CRITICAL_LATENCY)
TERM(bytes, MPG_CRITICAL_BYTES)
TERM(collectives, MPG_CRITICAL_WHOLE)
TERM(messages, MPG_CRITICAL_MESSAGES)
TERM(size, MPG_CRITICAL_SIZE)
TERM(order, MPG_CRITICAL_ORDER)
#undef TERM

static double absorbed(const double *t)
{
    return 0 - t[MPG_CRITICAL_ABSORBED];
}

static double tracer(const double *t)
{
    return 0 - t[MPG_CRITICAL_TRACER];
}

/* Dependence of the run time on latency, time per byte, computation and noise. */
#define PER {"per_latency", messages}, {"per_byte", size}, {"per_compute", computed}, {"per_noise", noise}

/* The columns for a place's part of the critical paths: of times, and of delays. */
static const struct mpg_where_key path_times[] = {
    {"path_ns", mpg_critical_ns},       {"path_computation_ns", computation}, {"path_noise_ns", noise},
    {"path_calls_ns", calls},       {"path_latency_ns", latency},         {"path_bytes_ns", bytes},
    {"path_collectives_ns", collectives}, PER};
static const struct mpg_where_key path_delays[] = {
    {"path_injected_ns", mpg_critical_injected_ns}, {"path_computation_ns", computation}, {"path_noise_ns", noise},
    {"path_calls_ns", calls},       {"path_messages_ns", latency},
    {"path_collectives_ns", collectives}, {"path_order_ns", order},
    {"path_absorbed_ns", absorbed}, {"path_tracer_ns", tracer},           {"path_delay_ns", mpg_critical_ns}, PER};
#undef PER

static const struct mpg_where_key *path_keys(const struct mpg_where_report *r, size_t *n)
{
    *n = r->predicted ? sizeof path_times / sizeof *path_times : sizeof path_delays / sizeof *path_delays;
    return r->predicted ? path_times : path_delays;
}

/* Returns the factor that turns values of a row into sums over ranks: rows are means over ranks, except rows of ranks and pairs.
 * All ranks have a common path. */
static double weight_of(const struct mpg_where_report *r, enum mpg_attribution_by by)
{
    return by == MPG_ATTRIBUTION_BY_RANK || by == MPG_ATTRIBUTION_BY_PAIR ? 1 : r->ranks;
}

/* Returns PART as a percentage, rounded to avoid "-0.00". */
static double percent(double part)
{
    const double rounded = round(part * 1e4) / 100;
    return rounded == 0 ? 0 : rounded;
}

static char *format_share(char *text, size_t size, double part)
{
    snprintf(text, size, "%.2f %%", percent(part));
    return text;
}

static char *format_bound(char *text, size_t size, double part)
{
    snprintf(text, size, "%6.2f", percent(part));
    return text;
}

/* The quanta of a row, for a time, or for the addends of a delay. */
struct quanta {
    double put, absorbed, tracer;
};

static void put_path_row(struct mpg_table *t, const struct mpg_where_figures *f, const struct mpg_attribution_share *share,
                         const struct quanta *q, const double *term, double weight)
{
    mpg_table_number(t, share->part);
    mpg_table_range(t, share->low, share->high);
    mpg_where_put_figure(t, f, q->put);
    mpg_where_put_figure(t, f, q->absorbed);
    mpg_where_put_figure(t, f, q->tracer);
    mpg_where_put_figure(t, f, q->put - q->absorbed - q->tracer);
    mpg_table_numbers(t, (double[]){weight * messages(term), weight * size(term), weight * computed(term) / 100,
                                    weight * noise(term) / 100}, 4);
}

/* Returns whether the place of the row is on no critical path. */
static bool is_empty(const struct mpg_where_report *r, const double *term)
{
    size_t n;
    const struct mpg_where_key *key = path_keys(r, &n);
    bool any = false;
    for (size_t k = 0; k < n; k++)
        any = any || key[k].of(term) != 0;
    return !any;
}

static void print_path_head(const struct mpg_where_report *r, const char *by, const char *unit, FILE *out)
{
    if (r->predicted)
        fprintf(out, "\nThe critical path, by %s, time in %s, mean of replicas; share with 95 %% confidence interval;\n",
                by, unit);
    else
        fprintf(
            out,
            "\nThe path along which the delay of the longest rank came, by %s, %s, mean of replicas;\n"
            "share of the delay that is injected on it, with 95 %% confidence interval;\n",
            by, unit);
    fputs("last columns: ns by which the run gets longer with 1 ns more latency, 1 ns more per byte, "
          "1 % more computation, 1 % more noise\n", out);
}

static struct quanta path_quanta(const struct mpg_where_figures *f, const double *term, double weight)
{
    return (struct quanta){round(weight * mpg_critical_injected_ns(term) / f->quantum_ns),
                           round(weight * absorbed(term) / f->quantum_ns),
                           round(weight * tracer(term) / f->quantum_ns)};
}

static void add_quanta(struct quanta *sum, const struct quanta *q)
{
    *sum = (struct quanta){sum->put + q->put, sum->absorbed + q->absorbed, sum->tracer + q->tracer};
}

static void add_row(struct mpg_attribution_row *sum, const struct mpg_attribution_row *row)
{
    for (size_t k = 0; k < MPG_ATTRIBUTION_TERMS; k++)
        sum->term[k] += row->term[k];
    sum->share.part += isnan(row->share.part) ? 0 : row->share.part;
}

/* Puts the rows of table OF that are on critical paths; without ALL, rows below SMALL of the paths are summed in one row, unless
 * these rows are few. */
static void put_path_rows(struct mpg_table *t, const struct mpg_where_report *r, const struct mpg_attribution_table *of, bool all,
                          const struct mpg_where_figures *f)
{
    const double weight = weight_of(r, of->by);
    struct mpg_attribution_row small = {.share = {.low = NAN, .high = NAN}};
    struct quanta small_q = {0}, sum = {0};
    size_t shown = 0, n = 0;
    for (size_t i = 0; i < of->n; i++) {
        const struct mpg_attribution_row *row = &of->row[i];
        const struct quanta q = path_quanta(f, row->term, weight);
        if (is_empty(r, row->term))
            continue;
        add_quanta(&sum, &q);
        if (!all && of->by != MPG_ATTRIBUTION_BY_RANK && shown >= MIN_ROWS && row->share.part < SMALL) {
            add_quanta(&small_q, &q);
            add_row(&small, row);
            n++;
            continue;
        }
        shown++;
        put_path_row(t, f, &row->share, &q, row->term, weight);
        mpg_where_put_name(t, of->by, row);
    }
    if (n > 0) {
        put_path_row(t, f, &small.share, &small_q, small.term, weight);
        end_small(t, n);
    }
    put_path_row(t, f, &r->total.share, &sum, r->total.term, r->ranks);
    mpg_table_end_row(t, "all");
}

static int print_path(const struct mpg_where_report *r, const struct mpg_attribution_table *of, bool every, FILE *out,
                      struct mpg_error *err)
{
    const double *all = r->total.term;
    const double largest_ns = fmax(fabs(mpg_critical_injected_ns(all)), fmax(fabs(absorbed(all)), fabs(tracer(all))));
    const struct mpg_where_figures f = mpg_where_choose_unit(r->ranks * largest_ns);
    const bool delays = !r->predicted;
    const struct mpg_table_column columns[] = {
        {.heading = "share", .formatter = format_share, .missing = "-  ", .gap = 1, .width = 9},
        {.heading = "95 % interval", .formatter = format_bound, .width = 16},
        mpg_where_figure_column(&f, delays ? "injected" : "time", 0),
        mpg_where_figure_column(&f, delays ? "absorbed" : NULL, '-'),
        mpg_where_figure_column(&f, delays && tracer(all) != 0 ? "tracer" : NULL, '-'),
        mpg_where_figure_column(&f, delays ? "delay" : NULL, '='),
        {.heading = "1 ns latency", .format = "%.6g", .width = 12},
        {.heading = "1 ns a byte", .format = "%.6g", .gap = 1, .width = 12},
        {.heading = "1 % compute", .format = "%.6g", .gap = 1, .width = 12},
        {.heading = "1 % noise", .format = "%.6g", .gap = 1, .width = 12},
        mpg_where_name_column(mpg_attribution_by_word(of->by))};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns)};
    print_path_head(r, mpg_attribution_by_word(of->by), f.unit, out);
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    put_path_rows(&t, r, of, every, &f);
    return mpg_table_end(&t, err);
}

int mpg_where_print_text(const struct mpg_where_report *r, bool all, FILE *out, struct mpg_error *err)
{
    int status = 0;
    for (size_t i = 0; i < r->n && status == 0; i++)
        if (!r->predicted || r->table[i].by != MPG_ATTRIBUTION_BY_PAIR) /* pairs of ranks have times only on the critical path */
            status = print_account(r, &r->table[i], all, out, err);
    for (size_t i = 0; i < r->n && status == 0; i++)
        status = print_path(r, &r->table[i], all, out, err);
    return status;
}

/* ---- for programs ---- */

/* Returns the JSON member for KEY: "path_ns" is "time_ns" in the member "path", "path_calls_ns" is "calls_ns" in "path". */
static const char *path_member(const char *key)
{
    return strcmp(key, "path_ns") == 0 ? "time_ns" : strncmp(key, "path_", 5) == 0 ? key + 5 : key;
}

/* Appends the columns of figures, from index N on, and returns the new number of columns. */
static size_t figure_columns(const struct mpg_where_report *r, struct mpg_table_column *columns, size_t n)
{
    static const char *const shares[] = {"path_share", "path_share_low", "path_share_high"};
    size_t keys, path;
    const struct mpg_where_key *key = mpg_where_keys(r->predicted, &keys), *of_path = path_keys(r, &path);
    for (size_t k = 0; k < keys; k++)
        columns[n++] = (struct mpg_table_column){.key = key[k].name};
    if (!r->predicted)
        columns[n++] = (struct mpg_table_column){.key = "class"};
    for (size_t k = 0; k < 3; k++)
        columns[n++] = (struct mpg_table_column){.key = shares[k], .json = path_member(shares[k]), .group = "path"};
    for (size_t k = 0; k < path; k++)
        columns[n++] = (struct mpg_table_column){.key = of_path[k].name, .json = path_member(of_path[k].name), .group = "path"};
    return n;
}

static void put_figure_cells(struct mpg_table *t, const struct mpg_where_report *r, const struct mpg_attribution_row *row,
                             double weight)
{
    size_t keys, path;
    const struct mpg_where_key *key = mpg_where_keys(r->predicted, &keys), *of_path = path_keys(r, &path);
    for (size_t k = 0; k < keys; k++)
        mpg_table_number(t, key[k].of(row->term));
    if (!r->predicted)
        mpg_table_text(t, mpg_where_class(row->term));
    mpg_table_numbers(t, (double[]){row->share.part, row->share.low, row->share.high}, 3);
    for (size_t k = 0; k < path; k++)
        mpg_table_number(t, weight * of_path[k].of(row->term));
}

static void put_rows(struct mpg_table *t, const struct mpg_where_report *r, const struct mpg_attribution_table *of)
{
    for (size_t i = 0; i < of->n; i++) {
        mpg_where_put_about(t, of->by, &of->row[i]);
        put_figure_cells(t, r, &of->row[i], weight_of(r, of->by));
    }
}

int mpg_where_print_csv(const struct mpg_where_report *r, FILE *out, struct mpg_error *err)
{
    struct mpg_table_column columns[MAX_COLUMNS];
    struct mpg_table t = {.column = columns,
                          .columns = figure_columns(r, columns, mpg_where_about_columns(r->table[0].by, columns))};
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    put_rows(&t, r, &r->table[0]);
    return mpg_table_end(&t, err);
}

static int put_table(struct mpg_json *j, const struct mpg_where_report *r, const struct mpg_attribution_table *of,
                     struct mpg_error *err)
{
    struct mpg_table_column columns[MAX_COLUMNS];
    struct mpg_table t = {.column = columns, .columns = figure_columns(r, columns, mpg_where_about_columns(of->by, columns))};
    mpg_json_object(j, NULL);
    mpg_json_string(j, "by", mpg_attribution_by_word(of->by));
    mpg_json_array(j, "rows");
    mpg_table_begin_json(&t, j);
    put_rows(&t, r, of);
    mpg_json_close(j);
    mpg_json_close(j);
    return mpg_table_end(&t, err);
}

int mpg_where_json(struct mpg_json *j, const char *key, const struct mpg_where_report *r, struct mpg_error *err)
{
    struct mpg_table_column columns[MAX_COLUMNS] = {{.key = "calls"}};
    struct mpg_table total = {.column = columns, .columns = figure_columns(r, columns, 1), .own_rows = true};
    int status = 0;
    mpg_json_object(j, key);
    mpg_json_array(j, "tables");
    for (size_t i = 0; i < r->n && status == 0; i++)
        status = put_table(j, r, &r->table[i], err);
    mpg_json_close(j);
    mpg_json_object(j, "total");
    mpg_table_begin_json(&total, j);
    mpg_table_count(&total, r->total.calls);
    put_figure_cells(&total, r, &r->total, r->ranks);
    mpg_json_close(j);
    mpg_json_close(j);
    return mpg_table_end(&total, err) < 0 ? -1 : status;
}
