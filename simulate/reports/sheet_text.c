/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as text: what all rows rest on is said once, what some do is said of them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/reports/lines.h"
#include "simulate/reports/sheet.h"

enum { CELL = 512 };

/* --- lines that rows have in common, or not --- */

static const struct mpg_attention *head_of(const void *rows, size_t i)
{
    return &((const struct mpg_sheet *)rows)->row[i].head;
}

static const struct mpg_attention *attention_of(const void *rows, size_t i)
{
    return &((const struct mpg_sheet *)rows)->row[i].attention;
}

static const struct mpg_attention *assumed_of(const void *rows, size_t i)
{
    return &((const struct mpg_sheet *)rows)->row[i].assumed;
}

static void print_lines(const struct mpg_sheet *rows, mpg_lines_of *of, bool heads, FILE *out)
{
    const struct mpg_lines lines = {rows, rows->n, of};
    mpg_lines_print(&lines, heads, out);
}

/* --- the table --- */

enum { ROW, VALUES }; /* columns: then those of values, then these: */
enum part { TRACED, MEDIAN, INTERVAL, SLOWDOWN, SLOWDOWN_INTERVAL, FASTER, PARTS };

/* Whether the table has the column. */
static bool has_part(const struct mpg_sheet *rows, enum part part)
{
    const struct mpg_row *row = rows->row;
    switch (part) {
    case TRACED:
        for (size_t i = 1; i < rows->n; i++)
            if (row[i].traced_ns != row->traced_ns)
                return true;
        return false;
    case INTERVAL:
        return rows->replicas > 1;
    case SLOWDOWN:
        return row->traced_ns > 0;
    case SLOWDOWN_INTERVAL:
        return row->traced_ns > 0 && rows->replicas > 1;
    case FASTER:
        return rows->compares;
    default:
        return true;
    }
}

static void say_value(const struct mpg_column *column, const struct mpg_cell *cell, char *text)
{
    if (cell->word)
        snprintf(text, CELL, "%s", cell->word);
    else if (strcmp(column->unit, "ns") == 0)
        mpg_units_format_time(text, CELL, cell->number);
    else if (strcmp(column->unit, "bytes") == 0 && cell->number >= 0)
        mpg_units_format_size(text, CELL, (int64_t)cell->number);
    else
        snprintf(text, CELL, "%.6g", cell->number);
}

static void say_interval(char *text, double low_ns, double high_ns)
{
    char low[32], high[32];
    snprintf(text, CELL, "%s to %s", mpg_units_format_time(low, sizeof low, low_ns),
             mpg_units_format_time(high, sizeof high, high_ns));
}

static void say_part(const struct mpg_sheet *rows, size_t i, enum part part, char *text)
{
    const struct mpg_row *row = &rows->row[i];
    switch (part) {
    case TRACED:
        mpg_units_format_time(text, CELL, row->traced_ns);
        break;
    case MEDIAN:
        mpg_units_format_time(text, CELL, row->run.median);
        break;
    case INTERVAL:
        say_interval(text, row->run.low, row->run.high);
        break;
    case SLOWDOWN:
        snprintf(text, CELL, "%.5f", row->run.median / row->traced_ns);
        break;
    case SLOWDOWN_INTERVAL:
        snprintf(text, CELL, "%.5f to %.5f", row->run.low / row->traced_ns, row->run.high / row->traced_ns);
        break;
    default:
        if (i + 1 < rows->n && rows->row[i + 1].point == row->point)
            mpg_say_faster(text, CELL, mpg_sheet_faster(rows, i, i + 1));
        else
            snprintf(text, CELL, "-");
    }
}

static const char *title_of(const struct mpg_sheet *rows, enum part part)
{
    static const char *const titles[] = {[TRACED] = "traced",
                                         [MEDIAN] = "median",
                                         [INTERVAL] = "95 % confidence",
                                         [SLOWDOWN] = "slowdown",
                                         [SLOWDOWN_INTERVAL] = "95 % confidence",
                                         [FASTER] = "than the next"};
    if (part == MEDIAN && rows->replicas == 1)
        return rows->predicted ? "predicted" : "perturbed";
    return part == SLOWDOWN && rows->predicted ? "of the traced" : titles[part];
}

/* Cell of column C, I = 0 being the titles, into TEXT of CELL bytes; false: the table has no such column. */
static bool say_cell(const struct mpg_sheet *rows, size_t i, size_t c, char *text)
{
    if (c == ROW)
        snprintf(text, CELL, i > 0 ? "%zu" : "row", i);
    else if (c < VALUES + rows->columns && i == 0)
        snprintf(text, CELL, "%s", rows->column[c - VALUES].name);
    else if (c < VALUES + rows->columns)
        say_value(&rows->column[c - VALUES], &rows->row[i - 1].cell[c - VALUES], text);
    else {
        const enum part part = (enum part)(c - VALUES - rows->columns);
        if (!has_part(rows, part))
            return false;
        if (i == 0)
            snprintf(text, CELL, "%s", title_of(rows, part));
        else
            say_part(rows, i - 1, part, text);
    }
    return true;
}

static int print_table(const struct mpg_sheet *rows, FILE *out, struct mpg_error *err)
{
    const size_t columns = VALUES + rows->columns + PARTS;
    size_t *width = calloc(columns, sizeof *width);
    char text[CELL];
    if (!width)
        return mpg_error_set(err, "out of memory");
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i <= rows->n; i++)
            if (say_cell(rows, i, c, text) && strlen(text) > width[c])
                width[c] = strlen(text);
    for (size_t i = 0; i <= rows->n; i++) {
        for (size_t c = 0; c < columns; c++)
            if (say_cell(rows, i, c, text))
                fprintf(out, "  %*s", (int)width[c], text);
        fputc('\n', out);
    }
    free(width);
    return 0;
}

/* With three or more signatures: each against each. */
static void print_pairs(const struct mpg_sheet *rows, FILE *out)
{
    char text[CELL];
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = i + 2; k < rows->n && rows->row[k].point == rows->row[i].point; k++)
            fprintf(out, "  row %zu than row %zu: %s\n", i + 1, k + 1,
                    mpg_say_faster(text, sizeof text, mpg_sheet_faster(rows, i, k)));
}

static void print_tolerance(const struct mpg_sheet *rows, const struct mpg_tolerance *t, FILE *out)
{
    const struct mpg_column *column = &rows->sought;
    char text[3][CELL];
    const double values[] = {isnan(t->value) ? t->tried : t->value, t->low, t->high};
    for (int i = 0; i < 3; i++)
        say_value(column, &(struct mpg_cell){.number = values[i]}, text[i]);
    fprintf(out, "\n  %-13s ", column->name);
    if (isnan(t->value)) {
        fprintf(out, t->none ? "none: it is more without any\n" : "any: it is no more with %s\n", text[0]);
        return;
    }
    fprintf(out, strcmp(column->unit, "ns") == 0 ? "up to %s" : "up to %s times", text[0]);
    if (t->interval)
        fprintf(out, "  (95 %% confidence: %s to %s)", isnan(t->low) ? "none" : text[1],
                isnan(t->high) ? "any" : text[2]);
    fputc('\n', out);
}

/* Of the one signature, or of none. */
static void print_tolerances(const struct mpg_sheet *rows, FILE *out)
{
    char base[32];
    for (size_t i = 0; i < rows->tolerances; i++) {
        const struct mpg_tolerance *t = &rows->tolerance[i];
        fprintf(out, i > 0 ? "... of at most %.6g" : t->base_ns > 0 ? "\nTolerated, with a median run of at most %.6g" :
                "\nTolerated, with a median slowdown of at most %.6g", t->slowdown);
        if (t->base_ns > 0)
            fputs(" times", out);
        if (t->base_ns > 0 && i == 0)
            fprintf(out, " that as given, %s", mpg_units_format_time(base, sizeof base, t->base_ns));
        print_tolerance(rows, t, out);
    }
}

enum { OF_SIGNATURE, OF_BASE, OF_LIMIT, OF_VALUE, OF_INTERVAL, TOLERANCE_COLUMNS };

/* Column C of the table of tolerances, of T, or if that is NULL its title, into TEXT of CELL bytes. */
static void say_tolerance(const struct mpg_sheet *rows, const struct mpg_tolerance *t, int c, char *text)
{
    const char *const titles[] = {"signature", rows->predicted ? "as given" : "traced", "at most", rows->sought.name,
                                  rows->tolerance->interval ? "95 % confidence" : ""};
    const struct mpg_column *sought = &rows->sought;
    char low[CELL] = "none", high[CELL] = "any";
    if (!t)
        snprintf(text, CELL, "%s", titles[c]);
    else if (c == OF_SIGNATURE)
        snprintf(text, CELL, "%s", t->signature);
    else if (c == OF_BASE)
        mpg_units_format_time(text, CELL, t->base_ns > 0 ? t->base_ns : rows->row->traced_ns);
    else if (c == OF_LIMIT)
        snprintf(text, CELL, "%.6g times", t->slowdown);
    else if (c == OF_VALUE && isnan(t->value))
        snprintf(text, CELL, "%s", t->none ? "none" : "any");
    else if (c == OF_VALUE)
        say_value(sought, &(struct mpg_cell){.number = t->value}, text);
    else if (t->interval && !isnan(t->value)) {
        if (!isnan(t->low))
            say_value(sought, &(struct mpg_cell){.number = t->low}, low);
        if (!isnan(t->high))
            say_value(sought, &(struct mpg_cell){.number = t->high}, high);
        snprintf(text, CELL, "%.*s to %.*s", CELL / 2 - 4, low, CELL / 2 - 4, high);
    } else
        text[0] = '\0';
}

/* Of several signatures: a row for each of them and each limit. */
static void print_tolerance_table(const struct mpg_sheet *rows, FILE *out)
{
    int width[TOLERANCE_COLUMNS] = {0};
    char text[CELL];
    for (int c = 0; c < TOLERANCE_COLUMNS; c++)
        for (size_t i = 0; i <= rows->tolerances; i++) {
            say_tolerance(rows, i > 0 ? &rows->tolerance[i - 1] : NULL, c, text);
            if ((int)strlen(text) > width[c])
                width[c] = (int)strlen(text);
        }
    fprintf(out, "\nTolerated, with a median run of at most so many times the %s\n", rows->predicted ?
            "run as it is given" : "traced one");
    for (size_t i = 0; i <= rows->tolerances; i++) {
        for (int c = 0; c < TOLERANCE_COLUMNS; c++) {
            say_tolerance(rows, i > 0 ? &rows->tolerance[i - 1] : NULL, c, text);
            if (width[c] > 0)
                fprintf(out, "  %*s", width[c], text);
        }
        fputc('\n', out);
    }
}

int mpg_sheet_text(const struct mpg_sheet *rows, FILE *out, struct mpg_error *err)
{
    const struct mpg_graph_counts *c = &rows->counts;
    char text[32];
    if (mpg_lines_any(&(struct mpg_lines){rows, rows->n, attention_of})) {
        fputs("Attention\n", out);
        print_lines(rows, attention_of, false, out);
        fputc('\n', out);
    }
    fprintf(out, "%s: %d %s, %" PRIu64 " %s, %" PRIu64 " %s, %" PRIu64 " %s\n%s", rows->trace, rows->ranks,
            mpg_units_word((uint64_t)rows->ranks, "rank", "ranks"), c->calls,
            mpg_units_word(c->calls, "call", "calls"), c->messages,
            mpg_units_word(c->messages, "message", "messages"), c->collectives,
            mpg_units_word(c->collectives, "collective", "collectives"), rows->program);
    print_lines(rows, head_of, true, out);
    fputs("\nAssumed\n", out);
    print_lines(rows, assumed_of, false, out);
    fprintf(out, "\nRun time of %zu scenario%s, %" PRIu32 " replica%s of each, seed %" PRIu64
                 ": their draws are the same\n", rows->n, rows->n == 1 ? "" : "s", rows->replicas,
            rows->replicas == 1 ? "" : "s", rows->seed);
    if (!has_part(rows, TRACED))
        fprintf(out, "  traced        %s\n",
                mpg_units_format_time(text, sizeof text, rows->row->traced_ns));
    fputc('\n', out);
    if (print_table(rows, out, err) < 0)
        return -1;
    if (rows->tolerances > 0 && rows->compares)
        print_tolerance_table(rows, out);
    else
        print_tolerances(rows, out);
    if (!rows->compares)
        return 0;
    fputs("\nFaster, slower: the part of the replicas in which a row's run is the shorter, or the longer, one\n", out);
    print_pairs(rows, out);
    return 0;
}
