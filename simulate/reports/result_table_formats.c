/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of scenarios, and the tolerances of --tolerate, in all formats. Text prints each assumption once; an assumption of
 * only some rows with the row numbers. mpgsim-json(5) is the schema of the JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/table/table.h"
#include "common/units.h"
#include "simulate/reports/json_parts.h"
#include "simulate/reports/lines.h"
#include "simulate/reports/result_table.h"

enum { SWEEP_VERSION = 1, KEY = 64, FIXED_COLUMNS = 32 };

/* ---- columns ---- */

/* The columns, and the keys of the parameters' columns. */
struct columns {
    struct mpg_table_column *list;
    size_t n;
    char (*key)[KEY]; /* keys such as "latency_ns"; words and plain numbers have no unit */
};

static char *format_value(char *text, size_t size, double value)
{
    snprintf(text, size, "%.6g", value);
    return text;
}

/* Writes a factor as the options take it: x2. */
static char *format_factor(char *text, size_t size, double value)
{
    snprintf(text, size, "x%.6g", value);
    return text;
}

static char *format_bytes(char *text, size_t size, double value)
{
    return value >= 0 ? mpg_table_format_size(text, size, value) : format_value(text, size, value);
}

/* Returns the function that writes a value of COLUMN for people. */
static mpg_table_formatter *formatter_of(const struct mpg_result_column *column)
{
    const char *unit = column->unit ? column->unit : "";
    return strcmp(unit, "ns") == 0 ? mpg_units_format_time : strcmp(unit, "bytes") == 0 ? format_bytes : format_value;
}

static void add_values(struct columns *x, const struct mpg_result_table *rows)
{
    x->list[x->n++] = (struct mpg_table_column){.group = "values"}; /* creates the JSON object even without parameters */
    for (size_t c = 0; c < rows->columns; c++) {
        const struct mpg_result_column *column = &rows->column[c];
        const bool has_unit = column->unit && (column->unit[0] == 'n' || column->unit[0] == 'b');
        const bool is_factor = column->unit && strcmp(column->unit, "factor") == 0;
        snprintf(x->key[c], KEY, "%s%s%s", column->name, has_unit ? "_" : "", has_unit ? column->unit : "");
        x->list[x->n++] = (struct mpg_table_column){
            .key = x->key[c], .json = column->name, .group = "values", .heading = column->name,
                .formatter = is_factor ? format_factor : formatter_of(column)};
    }
}

/* Returns whether the traced runs of rows differ by more than a thousandth. */
static bool differs_traced(const struct mpg_result_table *rows)
{
    for (size_t i = 1; i < rows->n; i++)
        if (fabs(rows->row[i].traced_ns - rows->row->traced_ns) > 1e-3 * rows->row->traced_ns)
            return true;
    return false;
}

/* Returns whether rows have the interval of runs at any speed of the machine. */
static bool knows_speed(const struct mpg_result_table *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        if (rows->row[i].answer.any_speed_90[1] > 0)
            return true;
    return false;
}

static void add_runs(struct columns *x, const struct mpg_result_table *rows)
{
    const bool several = rows->replicas > 1, traced = rows->row->traced_ns > 0, any_speed = knows_speed(rows);
    const char *const median = several ? "median" : rows->predicted ? "predicted" : "perturbed";
    const struct mpg_table_column runs[] = {
        {.json = "recorded_run_time_ns"},
        {.json = "traced_run_time_ns", .key = "traced_ns", .heading = differs_traced(rows) ? "traced" : NULL,
         .formatter = mpg_units_format_time},
        {.key = "median_ns", .json = "", .heading = median, .formatter = mpg_units_format_time},
        {.key = "low_ns,high_ns", .json = "", .heading = several ? "95 % confidence" : NULL, .formatter = mpg_units_format_time},
        {.key = "p5_ns", .json = ""},
        {.key = "p95_ns", .json = ""},
        {.key = any_speed ? "runs_90_low_ns,runs_90_high_ns" : NULL, .json = any_speed ? "run_time_90_percent_ns" : "",
         .heading = any_speed ? "90 % of runs" : NULL, .formatter = mpg_units_format_time, .missing = "unknown"},
        MPG_SUMMARY_COLUMNS("run_time_ns"),
        {.json = "synchronous_messages"},
        {.key = "slowdown", .json = "slowdown_median", .heading = !traced ? NULL : rows->predicted ? "times traced" : "slowdown",
         .format = "%.5f"},
        {.json = "slowdown_confidence_95", .heading = traced && several ? "95 % confidence" : NULL, .format = "%.5f"},
        {.key = rows->compares ? "faster_than_next" : NULL, .json = "", .heading = rows->compares ? "than the next" : NULL,
         .formatter = mpg_format_faster, .missing = "-"}};
    memcpy(x->list + x->n, runs, sizeof runs);
    x->n += sizeof runs / sizeof *runs;
}

static int describe(struct columns *x, const struct mpg_result_table *rows, struct mpg_error *err)
{
    *x = (struct columns){.list = calloc(rows->columns + FIXED_COLUMNS, sizeof *x->list),
                          .key = calloc(rows->columns + 1, sizeof *x->key)};
    if (!x->list || !x->key)
        return mpg_error_set(err, "out of memory");
    x->list[x->n++] = (struct mpg_table_column){.key = "row", .heading = "row"};
    add_values(x, rows);
    add_runs(x, rows);
    return 0;
}

static void clear(struct columns *x)
{
    free(x->list);
    free(x->key);
}

/* ---- rows ---- */

static void put_row(struct mpg_table *t, const struct mpg_result_table *rows, size_t i)
{
    const struct mpg_result_row *row = &rows->row[i];
    const bool traced = row->traced_ns > 0, next = rows->compares && i + 1 < rows->n && row[1].point == row->point;
    mpg_table_count(t, i + 1);
    mpg_table_missing(t);
    for (size_t c = 0; c < rows->columns; c++)
        if (row->cell[c].word)
            mpg_table_text(t, row->cell[c].word);
        else
            mpg_table_number(t, row->cell[c].number);
    mpg_table_numbers(t, (double[]){row->recorded_ns, row->traced_ns, row->answer.run.median}, 3);
    mpg_table_range(t, row->answer.run.low, row->answer.run.high);
    mpg_table_numbers(t, (double[]){row->answer.run.p5, row->answer.run.p95}, 2);
    if (row->answer.any_speed_90[1] > 0)
        mpg_table_range(t, row->answer.any_speed_90[0], row->answer.any_speed_90[1]);
    else
        mpg_table_missing(t);
    mpg_answer_put_summary(t, &row->answer.run);
    mpg_table_count(t, row->synchronous);
    mpg_table_number(t, traced ? row->answer.run.median / row->traced_ns : NAN);
    if (traced)
        mpg_table_range(t, row->answer.run.low / row->traced_ns, row->answer.run.high / row->traced_ns);
    else
        mpg_table_missing(t);
    mpg_table_number(t, next ? mpg_result_table_faster(rows, i, i + 1) : NAN);
}

static int put_rows(const struct mpg_result_table *rows, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    struct columns x;
    int status = describe(&x, rows, err);
    if (status == 0) {
        struct mpg_table t = {.column = x.list, .columns = x.n, .indent = 2, .fits = true};
        mpg_table_begin(&t, format, out);
        for (size_t i = 0; i < rows->n; i++)
            put_row(&t, rows, i);
        status = mpg_table_end(&t, err);
    }
    clear(&x);
    return status;
}

/* ---- tolerances ---- */

/* Puts the tolerance X: a signature, a limit, and the largest tolerated value. */
static void put_tolerance(struct mpg_table *t, const struct mpg_result_table *rows, const struct mpg_tolerance *x)
{
    const double base_ns = x->base_ns > 0 ? x->base_ns : rows->row->traced_ns;
    const char *const which = x->none ? "none" : isnan(x->value) ? "any" : "up to";
    mpg_table_formatter *formatter = formatter_of(&rows->sought);
    char value[80] = "", low[80] = "none", high[80] = "any", interval[180] = "";
    if (isnan(x->value))
        snprintf(value, sizeof value, "%s", which);
    else
        formatter(value, sizeof value, x->value);
    if (!isnan(x->low))
        formatter(low, sizeof low, x->low);
    if (!isnan(x->high))
        formatter(high, sizeof high, x->high);
    if (x->interval && !isnan(x->value))
        snprintf(interval, sizeof interval, "%s to %s", low, high);
    mpg_table_text(t, x->signature);
    mpg_table_number(t, base_ns);
    mpg_table_text(t, rows->sought.name);
    mpg_table_text(t, rows->sought.unit);
    mpg_table_number(t, x->slowdown);
    mpg_table_number(t, base_ns);
    mpg_table_text(t, which);
    mpg_table_number(t, x->value);
    mpg_table_text(t, value);
    mpg_table_range(t, x->low, x->high);
    mpg_table_text(t, interval);
    mpg_table_text(t, which);
}

/* Writes all tolerances, in FORMAT to OUT or, with J, as JSON: a row for each tolerance; if FIRST, only the first tolerance, as
 * members of the open object. */
static int put_tolerances(const struct mpg_result_table *rows, bool first, enum mpg_table_format format, FILE *out,
                          struct mpg_json *j, struct mpg_error *err)
{
    const struct mpg_table_column columns[] = {
        {.key = "signature", .heading = "signature"},
        {.json = "of_run_time_ns", .heading = rows->predicted ? "as given" : "traced", .formatter = mpg_units_format_time},
        {.key = "parameter", .json = "name"},
        {.key = "unit"},
        {.key = "slowdown", .heading = "at most", .format = "%.6g times"},
        {.key = "of_run_ns", .json = ""},
        {.key = "which", .json = ""},
        {.key = "value"},
        {.heading = rows->sought.name},
        {.key = "low,high", .json = "confidence_95"},
        {.heading = rows->tolerance->interval ? "95 % confidence" : ""},
        {.json = "which"}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .indent = 2, .fits = true, .own_rows = first};
    if (j)
        mpg_table_begin_json(&t, j);
    else
        mpg_table_begin(&t, format, out);
    for (size_t i = 0; i < (first ? 1 : rows->tolerances); i++)
        put_tolerance(&t, rows, &rows->tolerance[i]);
    return mpg_table_end(&t, err);
}

static void print_tolerance(const struct mpg_result_table *rows, const struct mpg_tolerance *t, FILE *out)
{
    mpg_table_formatter *formatter = formatter_of(&rows->sought);
    char text[3][80];
    const double values[] = {isnan(t->value) ? t->tried : t->value, t->low, t->high};
    for (int i = 0; i < 3; i++)
        formatter(text[i], sizeof text[i], values[i]);
    fprintf(out, "\n  %-13s ", rows->sought.name);
    if (isnan(t->value)) {
        fprintf(out, t->none ? "none: the limit is exceeded without any\n" : "any: the limit is not exceeded even with %s\n",
                text[0]);
        return;
    }
    fprintf(out, strcmp(rows->sought.unit, "ns") == 0 ? "up to %s" : "up to %s times", text[0]);
    if (t->interval)
        fprintf(out, "  (95 %% confidence: %s to %s)", isnan(t->low) ? "none" : text[1],
                isnan(t->high) ? "any" : text[2]);
    fputc('\n', out);
}

/* Prints the tolerances of a table with at most one signature. */
static void print_tolerances(const struct mpg_result_table *rows, FILE *out)
{
    char base[32];
    for (size_t i = 0; i < rows->tolerances; i++) {
        const struct mpg_tolerance *t = &rows->tolerance[i];
        fprintf(out, i > 0 ? "Limit of at most %.6g" : t->base_ns > 0 ? "\nTolerated, so that a replica takes at most %.6g" :
                "\nTolerated, so that the median slowdown is at most %.6g", t->slowdown);
        if (t->base_ns > 0)
            fputs(" times", out);
        if (t->base_ns > 0 && i == 0)
            fprintf(out, " its time as given, in the median (median run as given: %s)",
                    mpg_units_format_time(base, sizeof base, t->base_ns));
        print_tolerance(rows, t, out);
    }
}

/* ---- text ---- */

/* With three or more signatures, prints for each pair the probability that the first signature is faster. */
static void print_pairs(const struct mpg_result_table *rows, FILE *out)
{
    char text[80];
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = i + 2; k < rows->n && rows->row[k].point == rows->row[i].point; k++)
            fprintf(out, "  row %zu than row %zu: %s\n", i + 1, k + 1,
                    mpg_format_faster(text, sizeof text, mpg_result_table_faster(rows, i, k)));
}

static void print_head(const struct mpg_result_table *rows, FILE *out)
{
    mpg_lines_warnings(&MPG_LINES(rows->row, rows->n, answer.warnings), out);
    mpg_report_counts(rows->trace, rows->ranks, &rows->counts, false, out);
    fputs(rows->program, out);
    mpg_lines_heads(&MPG_LINES(rows->row, rows->n, head), out);
    mpg_lines_reliability(&MPG_LINES(rows->row, rows->n, answer.reliability), out);
}

static void print_heading(const struct mpg_result_table *rows, FILE *out)
{
    char text[32], whole[32];
    const struct mpg_result_row *row = rows->row;
    fprintf(out, "\nRun time of %zu scenario%s, %" PRIu32 " replica%s of each, seed %" PRIu64
                 " (equal random draws)\n", rows->n, rows->n == 1 ? "" : "s", rows->replicas,
            rows->replicas == 1 ? "" : "s", rows->seed);
    if (!differs_traced(rows)) {
        fprintf(out, "  traced        %s", mpg_units_format_time(text, sizeof text, row->traced_ns));
        if (row->traced_ns != row->recorded_ns)
            fprintf(out, " without recording (%s with it)", mpg_units_format_time(whole, sizeof whole, row->recorded_ns));
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* Prints the tolerances, the answer to --tolerate, if any. */
static int print_tolerated(const struct mpg_result_table *rows, FILE *out, struct mpg_error *err)
{
    if (rows->tolerances == 0 || !rows->compares) {
        print_tolerances(rows, out);
        return 0;
    }
    fprintf(out, "\nTolerated, so that %s\n",
            rows->predicted ? "a replica takes at most this multiple of its time as given, in the median"
                            : "the median run takes at most this multiple of the traced run");
    return put_tolerances(rows, false, MPG_TABLE_TEXT, out, NULL, err);
}

int mpg_result_table_text(const struct mpg_result_table *rows, FILE *out, struct mpg_error *err)
{
    print_head(rows, out);
    if (print_tolerated(rows, out, err) < 0)
        return -1;
    print_heading(rows, out);
    if (put_rows(rows, MPG_TABLE_TEXT, out, err) < 0)
        return -1;
    if (rows->compares) {
        fprintf(out, "\nFaster, slower: percentage of replicas in which the row's run is shorter, or longer%s\n",
                knows_speed(rows) ? ", at the recorded speed" : "");
        print_pairs(rows, out);
    }
    mpg_lines_assumed(&MPG_LINES(rows->row, rows->n, answer.warnings), &MPG_LINES(rows->row, rows->n, answer.assumed), out);
    return 0;
}

/* ---- for programs ---- */

int mpg_result_table_csv(const struct mpg_result_table *rows, FILE *out, struct mpg_error *err)
{
    return rows->tolerances > 0 ? put_tolerances(rows, false, MPG_TABLE_CSV, out, NULL, err)
                                : put_rows(rows, MPG_TABLE_CSV, out, err);
}

/* Puts, for row I, the share of the replicas in which the row is faster than each other signature at the row's point. */
static void put_opponents(struct mpg_json *j, const struct mpg_result_table *rows, size_t i)
{
    mpg_json_array(j, "faster_than");
    for (size_t k = 0; k < rows->n; k++)
        if (k != i && rows->row[k].point == rows->row[i].point) {
            mpg_json_object(j, NULL);
            mpg_json_count(j, "row", k + 1);
            mpg_json_number(j, "probability", mpg_result_table_faster(rows, i, k));
            mpg_json_close(j);
        }
    mpg_json_close(j);
}

static int put_json_rows(struct mpg_json *j, const struct mpg_result_table *rows, struct mpg_error *err)
{
    struct columns x;
    int status = describe(&x, rows, err);
    struct mpg_table t = {.column = x.list, .columns = x.n, .own_rows = true};
    mpg_table_begin_json(&t, j);
    for (size_t i = 0; i < rows->n && status == 0; i++) {
        const struct mpg_result_row *row = &rows->row[i];
        mpg_json_object(j, NULL);
        put_row(&t, rows, i);
        if (rows->compares)
            put_opponents(j, rows, i);
        mpg_json_numbers(j, "replicas_run_time_ns", row->answer.run_ns, rows->replicas);
        if (rows->predicted)
            mpg_answer_run_account(j, "mean_of_a_rank", &row->answer.account);
        if (row->options)
            mpg_json_raw(j, "options", row->options);
        mpg_json_bool(j, "reliable", row->answer.reliability.n == 0);
        mpg_answer_lines(j, "unreliable", &row->answer.reliability);
        mpg_answer_lines(j, "attention", &row->answer.warnings);
        mpg_answer_lines(j, "assumptions", &row->answer.assumed);
        mpg_json_close(j);
    }
    if (mpg_table_end(&t, status < 0 ? NULL : err) < 0)
        status = -1;
    clear(&x);
    return status;
}

static void put_parameters(struct mpg_json *j, const struct mpg_result_table *rows)
{
    mpg_json_array(j, "parameters");
    for (size_t i = 0; i < rows->columns; i++) {
        mpg_json_object(j, NULL);
        mpg_json_string(j, "name", rows->column[i].name);
        mpg_json_string(j, "unit", rows->column[i].unit);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

int mpg_result_table_json(const struct mpg_result_table *rows, FILE *out, struct mpg_error *err)
{
    const struct mpg_graph_counts *c = &rows->counts;
    struct mpg_json j = mpg_json_to(out, MPG_JSON_LINES);
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpgsim-sweep");
    mpg_json_integer(&j, "version", SWEEP_VERSION);
    mpg_json_string(&j, "mode", rows->predicted ? "predict" : "perturb");
    mpg_json_count(&j, "seed", rows->seed);
    mpg_json_count(&j, "first_replica", rows->first_replica);
    mpg_json_count(&j, "replicas", rows->replicas);
    mpg_json_object(&j, "trace");
    mpg_json_string(&j, "path", rows->trace);
    mpg_json_integer(&j, "ranks", rows->ranks);
    mpg_json_count(&j, "calls", c->calls);
    mpg_json_count(&j, "messages", c->messages);
    mpg_json_count(&j, "collectives", c->collectives);
    mpg_json_close(&j);
    put_parameters(&j, rows);
    mpg_json_array(&j, "rows");
    int status = put_json_rows(&j, rows, err);
    mpg_json_close(&j);
    if (rows->tolerances > 0 && status == 0) {
        mpg_json_object(&j, "tolerance");
        status = put_tolerances(rows, true, MPG_TABLE_JSON, out, &j, err);
        mpg_json_close(&j);
        mpg_json_array(&j, "tolerances");
        if (status == 0)
            status = put_tolerances(rows, false, MPG_TABLE_JSON, out, &j, err);
        mpg_json_close(&j);
    }
    mpg_json_close(&j);
    putc('\n', out);
    return status;
}
