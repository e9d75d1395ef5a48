/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns and rows of the table in all formats. CSV quotes names and has times in ns. mpgsim-json(5) describes the JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "simulate/target_table/target_table.h"
#include "simulate/reports/json_parts.h"
#include "simulate/reports/lines.h"
#include "simulate/reports/result_table.h"

enum { TARGETS_VERSION = 1, FIXED_COLUMNS = 56, TEXT = 512 };

/* ---- columns ---- */

/* The optional columns present in the table. */
struct parts {
    bool intervals, against, service, barriers, processors;
};

static struct parts parts_of(const struct mpg_target_table *x)
{
    struct parts has = {false};
    for (size_t i = 0; i < x->n; i++) {
        const struct mpg_target_row *r = &x->row[i];
        has.intervals = has.intervals || r->answer.replicas > 1;
        has.against = has.against || r->against_ns > 0;
        has.service = has.service || r->service_ns > 0;
        has.barriers = has.barriers || r->barrier_ns > 0;
        has.processors = has.processors || r->processor_ns > 0;
    }
    return has;
}

static char *format_utilisation(char *text, size_t size, double part)
{
    snprintf(text, size, "%.1f %%", 100 * part);
    return text;
}

/* Fills LIST with at most FIXED_COLUMNS columns and three for each axis. Returns their number. */
static size_t describe(const struct mpg_target_table *x, struct mpg_table_column *list)
{
    const struct parts has = parts_of(x);
    const bool several = x->machines > 1;
    const struct mpg_table_column before[] = {
        {.json = "row", .heading = "row"},
        {.key = "trace", .heading = "trace", .left = true, .quoted = true},
        {.key = "ranks", .heading = "ranks"},
        {.key = "processors", .heading = "processors", .json = ""},
        {.key = "target", .heading = "target", .left = true, .quoted = true},
        {.json = "processors"},
        {.group = "values"}};
    const struct mpg_table_column after[] = {
        {.key = "place", .json = ""},
        {.key = "run_ns", .json = "", .heading = has.intervals ? "median run" : "run", .formatter = mpg_units_format_time},
        {.key = "run_low_ns,run_high_ns", .json = "", .heading = has.intervals ? "95 % confidence" : NULL,
         .formatter = mpg_units_format_time},
        {.key = "run_mean_ns", .json = ""},
        MPG_SUMMARY_COLUMNS("run_time_ns"),
        {.json = "place", .heading = several ? "place" : NULL},
        {.json = "faster_than_next", .optional = true, .heading = several && has.intervals ? "than the next" : NULL,
         .formatter = mpg_format_faster, .missing = "-"},
        {.key = "work_ns"},
        {.key = "noise_ns"},
        {.key = "wait_ns"},
        {.key = "service_ns"},
        {.key = "barrier_ns"},
        {.key = "processor_ns"},
        {.key = "call_ns"},
        {.key = "speedup", .heading = "speedup", .format = "%.4g"},
        {.key = "efficiency"},
        {.heading = has.against ? "T(1)/T" : NULL, .format = "%.4g", .missing = "-"},
        {.heading = "efficiency", .format = "%.4g", .missing = "-"},
        {.key = "utilisation", .heading = "utilised", .formatter = format_utilisation},
        {.heading = "waiting", .formatter = mpg_units_format_time},
        {.heading = has.service ? "serving" : NULL, .formatter = mpg_units_format_time},
        {.heading = has.barriers ? "barriers" : NULL, .formatter = mpg_units_format_time},
        {.heading = has.processors ? "no processor" : NULL, .formatter = mpg_units_format_time},
        {.key = "against_ns", .optional = true},
        {.key = "speedup_against", .optional = true},
        {.key = "efficiency_against", .optional = true},
        {.key = "messages"},
        {.key = "gets"},
        {.key = "puts"},
        {.key = "barriers"},
        {.key = "bytes"},
        {.json = "events"}};
    size_t n = sizeof before / sizeof *before;
    memcpy(list, before, sizeof before);
    /* three columns for each swept key: for people, as given, and as a number if numeric */
    for (size_t i = 0; i < x->keys->axes; i++) {
        const char *key = x->keys->axis[i].key;
        list[n++] = (struct mpg_table_column){.heading = key};
        list[n++] = (struct mpg_table_column){.key = key, .json = "", .quoted = true};
        list[n++] = (struct mpg_table_column){.json = key, .group = "values"};
    }
    memcpy(list + n, after, sizeof after);
    return n + sizeof after / sizeof *after;
}

/* ---- rows ---- */

static void put_values(struct mpg_table *t, const struct mpg_target_table *x, size_t machine)
{
    for (size_t i = 0; i < x->keys->axes; i++) {
        const struct mpg_axis *axis = &x->keys->axis[i];
        const size_t place = mpg_sweep_place(x->keys, i, machine % x->keys->points);
        char text[TEXT];
        mpg_target_table_value(x, i, machine, text, sizeof text);
        mpg_table_text(t, text);
        mpg_table_text(t, axis->word[place]);
        if (isnan(axis->value[place]))
            mpg_table_text(t, axis->word[place]);
        else
            mpg_table_number(t, axis->value[place]);
    }
}

static void put_row(struct mpg_table *t, const struct mpg_target_table *x, size_t i, bool has_against)
{
    const struct mpg_target_row *r = &x->row[i], *next = mpg_target_row_next(x, r);
    const struct mpg_target_trace *trace = &x->trace[r->trace];
    const double speedup = mpg_target_row_speedup(r), against = r->against_ns > 0 ? mpg_target_row_speedup_against(r) : NAN;
    mpg_table_count(t, i + 1);
    mpg_table_text(t, trace->path);
    mpg_table_integer(t, trace->ranks);
    mpg_table_integer(t, r->processors);
    mpg_table_text(t, x->target[r->machine]);
    mpg_table_integer(t, r->processors);
    mpg_table_missing(t);
    put_values(t, x, r->machine);
    mpg_table_count(t, r->place);
    mpg_table_number(t, r->answer.run.median);
    mpg_table_range(t, r->answer.run.low, r->answer.run.high);
    mpg_table_number(t, r->answer.run.mean);
    mpg_answer_put_summary(t, &r->answer.run);
    mpg_table_count(t, r->place);
    mpg_table_number(t, next ? mpg_row_answer_faster(&r->answer, &next->answer) : NAN);
    mpg_table_numbers(t, (double[]){r->work_ns, r->noise_ns, r->wait_ns, r->service_ns, r->barrier_ns, r->processor_ns,
                                    r->call_ns, speedup, speedup / r->processors, against,
                                    has_against ? against / r->processors : speedup / r->processors,
                                    mpg_target_row_utilisation(r)}, 12);
    mpg_table_numbers(t, (double[]){r->wait_ns / trace->ranks, r->service_ns / trace->ranks, r->barrier_ns / trace->ranks,
                                    r->processor_ns / trace->ranks}, 4);
    mpg_table_numbers(t, (double[]){r->against_ns > 0 ? r->against_ns : NAN, against, against / r->processors}, 3);
    mpg_table_count(t, r->messages);
    mpg_table_count(t, r->gets);
    mpg_table_count(t, r->puts);
    mpg_table_count(t, r->barriers);
    mpg_table_number(t, r->bytes);
    mpg_table_number(t, r->events);
}

/* Writes the table in FORMAT to OUT; as JSON to J, with the replicas and notes of each row. */
static int put_rows(const struct mpg_target_table *x, enum mpg_table_format format, FILE *out, struct mpg_json *j,
                    struct mpg_error *err)
{
    struct mpg_table_column *list = calloc(FIXED_COLUMNS + 3 * x->keys->axes, sizeof *list);
    if (!list)
        return mpg_error_set(err, "out of memory");
    struct mpg_table t = {.column = list, .columns = describe(x, list), .indent = 2, .fits = true, .own_rows = true};
    const bool has_against = parts_of(x).against;
    if (j)
        mpg_table_begin_json(&t, j);
    else
        mpg_table_begin(&t, format, out);
    for (size_t i = 0; i < x->n; i++) {
        const struct mpg_target_row *r = &x->row[i];
        if (j)
            mpg_json_object(j, NULL);
        put_row(&t, x, i, has_against);
        if (!j)
            continue;
        mpg_json_numbers(j, "replicas_run_time_ns", r->answer.run_ns, r->answer.replicas);
        mpg_json_bool(j, "reliable", r->answer.reliability.n == 0);
        mpg_answer_lines(j, "unreliable", &r->answer.reliability);
        mpg_answer_lines(j, "attention", &r->answer.warnings);
        mpg_answer_lines(j, "assumptions", &r->answer.assumed);
        mpg_json_close(j);
    }
    const int status = mpg_table_end(&t, err);
    free(list);
    return status;
}

/* ---- text ---- */

/* Prints an explanation of the columns. */
static void print_notes(const struct mpg_target_table *x, FILE *out)
{
    fputs("\nspeedup: total work / run time; ", out);
    if (parts_of(x).against)
        fprintf(out, "T(1): %s; efficiency: T(1) / T / processors; ",
                x->against_given ? "as --against says" : "the same program's trace of one rank on the same target");
    else
        fputs("efficiency: speedup / processors; ", out);
    fputs("utilised: share of work in the processors' time; further columns: mean of ranks\n", out);
}

static void print_best(const struct mpg_target_table *x, FILE *out)
{
    char name[TEXT], run[32];
    fputc('\n', out);
    for (size_t t = 0; t < x->traces; t++) {
        const struct mpg_target_row *row = &x->row[t * x->machines], *best = row;
        size_t others = 0;
        for (size_t d = 0; d < x->machines; d++) {
            best = row[d].order == 1 ? &row[d] : best;
            others += row[d].place == 1 && row[d].order > 1;
        }
        mpg_target_table_name(x, best->machine, name, sizeof name);
        fputs("  shortest run of ", out);
        mpg_printable_put(out, x->trace[t].path);
        fprintf(out, ": %s on ", mpg_units_format_time(run, sizeof run, best->answer.run.median));
        mpg_printable_put(out, name);
        fprintf(out, " (row %zu)", (size_t)(best - x->row) + 1);
        if (others > 0)
            fprintf(out, ", and %zu other%s as long", others, others == 1 ? "" : "s");
        fputc('\n', out);
    }
}

int mpg_target_table_text(const struct mpg_target_table *x, FILE *out, struct mpg_error *err)
{
    mpg_lines_warnings(&MPG_LINES(x->row, x->n, answer.warnings), out);
    fprintf(out, "%zu trace%s on %zu machine%s, seed %" PRIu64 "\n", x->traces, x->traces == 1 ? "" : "s", x->machines,
            x->machines == 1 ? "" : "s", x->seed);
    mpg_lines_reliability(&MPG_LINES(x->row, x->n, answer.reliability), out);
    fputc('\n', out);
    if (put_rows(x, MPG_TABLE_TEXT, out, NULL, err) < 0)
        return -1;
    print_notes(x, out);
    if (x->machines > 1)
        print_best(x, out);
    mpg_lines_assumed(&MPG_LINES(x->row, x->n, answer.warnings), &MPG_LINES(x->row, x->n, answer.assumed), out);
    return 0;
}

/* ---- CSV and JSON ---- */

int mpg_target_table_csv(const struct mpg_target_table *x, FILE *out, struct mpg_error *err)
{
    return put_rows(x, MPG_TABLE_CSV, out, NULL, err);
}

static void put_traces(struct mpg_json *j, const struct mpg_target_table *x)
{
    mpg_json_array(j, "traces");
    for (size_t i = 0; i < x->traces; i++) {
        const struct mpg_target_trace *t = &x->trace[i];
        mpg_json_object(j, NULL);
        mpg_json_string(j, "path", t->path);
        mpg_json_string(j, "program", t->program);
        mpg_json_integer(j, "ranks", t->ranks);
        mpg_json_count(j, "calls", t->calls);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

static void put_parameters(struct mpg_json *j, const struct mpg_target_table *x)
{
    static const char *const units[] = {
        [MPG_SWEEP_TIME] = "ns", [MPG_SWEEP_NUMBER] = "number", [MPG_SWEEP_SIZE] = "bytes", [MPG_SWEEP_COUNT] = "number"};
    mpg_json_array(j, "parameters");
    for (size_t i = 0; i < x->keys->axes; i++) {
        const struct mpg_axis *axis = &x->keys->axis[i];
        mpg_json_object(j, NULL);
        mpg_json_string(j, "name", axis->key);
        mpg_json_string(j, "unit", axis->unit == MPG_SWEEP_WORD ? NULL : units[axis->unit]);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

int mpg_target_table_json(const struct mpg_target_table *x, FILE *out, struct mpg_error *err)
{
    struct mpg_json j = mpg_json_to(out, MPG_JSON_LINES);
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpgsim-targets");
    mpg_json_integer(&j, "version", TARGETS_VERSION);
    mpg_json_count(&j, "seed", x->seed);
    put_traces(&j, x);
    put_parameters(&j, x);
    mpg_json_array(&j, "rows");
    const int status = put_rows(x, MPG_TABLE_JSON, out, &j, err);
    mpg_json_close(&j);
    mpg_json_close(&j);
    putc('\n', out);
    return status;
}
