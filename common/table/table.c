/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the cells of a result table, and writes complete rows as CSV or JSON. */
#include "common/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "common/table/table_private.h"
#include "common/text_stream.h"

/* ---- CSV ---- */

static void put_csv_number(double value, int digits, FILE *out)
{
    if (!isnan(value))
        fprintf(out, "%.*g", digits > 0 ? digits : 17, value);
}

/* Returns the lines of LINES as one line, joined by JOINT, to be freed by the caller; NULL if out of memory. */
static char *join(const char *lines, const char *joint)
{
    size_t n = 1, length = strlen(joint);
    for (const char *p = lines; *p; p++)
        n += *p == '\n' ? length : 1;
    char *joined = malloc(n), *to = joined;
    for (const char *p = lines; joined && *p; p++)
        if (*p == '\n')
            to = (char *)memcpy(to, joint, length) + length;
        else
            *to++ = *p;
    if (joined)
        *to = '\0';
    return joined;
}

static void put_csv_text(struct mpg_table *t, const struct mpg_table_column *column, const struct mpg_table_cell *cell)
{
    char *joined = cell->kind == MPG_CELL_LINES ? join(cell->text, column->joint ? column->joint : "\\n") : NULL;
    const char *text = cell->kind == MPG_CELL_LINES ? joined : cell->text;
    t->failed = t->failed || !text;
    if (text)
        (column->quoted ? mpg_csv_write_quoted : mpg_csv_write_string)(t->out, text);
    free(joined);
}

static void put_csv_cell(struct mpg_table *t, const struct mpg_table_column *column, const struct mpg_table_cell *cell)
{
    switch (cell->kind) {
    case MPG_CELL_MISSING:
        break;
    case MPG_CELL_NUMBER:
        put_csv_number(cell->number[0], column->digits, t->out);
        break;
    case MPG_CELL_COUNT:
        fprintf(t->out, "%" PRIu64, cell->count);
        break;
    case MPG_CELL_INTEGER:
        fprintf(t->out, "%" PRId64, cell->integer);
        break;
    case MPG_CELL_RANGE:
        put_csv_number(cell->number[0], column->digits, t->out);
        putc(',', t->out);
        put_csv_number(cell->number[1], column->digits, t->out);
        break;
    case MPG_CELL_BOOLEAN:
        fputs(cell->count ? "yes" : "no", t->out);
        break;
    default:
        put_csv_text(t, column, cell);
    }
}

static void put_csv_row(struct mpg_table *t, const struct mpg_table_cell *row)
{
    bool any = false;
    for (size_t c = 0; c < t->columns; c++) {
        const char *key = t->column[c].key;
        if (!key)
            continue;
        if (any)
            putc(t->separator ? t->separator : ',', t->out);
        any = true;
        if (!row)
            fputs(key, t->out);
        else if (row[c].kind == MPG_CELL_MISSING && strchr(key, ','))
            putc(',', t->out);
        else
            put_csv_cell(t, &t->column[c], &row[c]);
    }
    putc('\n', t->out);
}

/* ---- JSON ---- */

static void put_json_cell(struct mpg_json *json, const char *key, const struct mpg_table_cell *cell)
{
    switch (cell->kind) {
    case MPG_CELL_MISSING:
        mpg_json_null(json, key);
        break;
    case MPG_CELL_NUMBER:
        mpg_json_number(json, key, cell->number[0]);
        break;
    case MPG_CELL_COUNT:
        mpg_json_count(json, key, cell->count);
        break;
    case MPG_CELL_INTEGER:
        mpg_json_integer(json, key, cell->integer);
        break;
    case MPG_CELL_RANGE:
        mpg_json_numbers(json, key, cell->number, 2);
        break;
    case MPG_CELL_BOOLEAN:
        mpg_json_bool(json, key, cell->count);
        break;
    case MPG_CELL_TEXT:
        mpg_json_string(json, key, cell->text);
        break;
    case MPG_CELL_LINES:
        mpg_json_lines(json, key, cell->text);
        break;
    case MPG_CELL_REST:
        break;
    }
}

static void put_json_row(struct mpg_table *t, const struct mpg_table_cell *row)
{
    const char *group = NULL;
    if (t->row_indent > 0)
        mpg_json_new_line(t->json, t->row_indent);
    if (!t->own_rows)
        mpg_json_object(t->json, NULL);
    for (size_t c = 0; c < t->columns; c++) {
        const struct mpg_table_column *column = &t->column[c];
        const char *key = column->json ? column->json : column->key;
        if ((!key && !column->group) || (key && !*key) || (column->optional && row[c].kind == MPG_CELL_MISSING))
            continue;
        if (group && (!column->group || strcmp(group, column->group) != 0))
            mpg_json_close(t->json);
        if (column->group && (!group || strcmp(group, column->group) != 0))
            mpg_json_object(t->json, column->group);
        group = column->group;
        if (key)
            put_json_cell(t->json, key, &row[c]);
    }
    if (group)
        mpg_json_close(t->json);
    if (!t->own_rows)
        mpg_json_close(t->json);
}

/* ---- cells ---- */

static void begin(struct mpg_table *t)
{
    t->used = t->rows = 0;
    t->stores = t->failed = false;
    t->cell = NULL;
    t->width = NULL;
    for (size_t c = 0; c < t->columns && t->format == MPG_TABLE_TEXT; c++)
        t->stores = t->stores || (t->column[c].heading && mpg_table_fits(t, c));
    t->capacity = 0;
}

void mpg_table_begin(struct mpg_table *t, enum mpg_table_format format, FILE *out)
{
    t->format = format;
    t->out = out;
    begin(t);
    if (format == MPG_TABLE_CSV)
        put_csv_row(t, NULL);
    else if (!t->stores)
        mpg_table_put_text_row(t, NULL);
}

void mpg_table_begin_json(struct mpg_table *t, struct mpg_json *json)
{
    t->format = MPG_TABLE_JSON;
    t->json = json;
    t->out = json->out;
    begin(t);
}

static void clear_cells(struct mpg_table *t)
{
    for (size_t i = 0; i < t->used; i++)
        if (t->cell[i].kind >= MPG_CELL_TEXT)
            free(t->cell[i].text);
    t->used = 0;
}

static void end_row(struct mpg_table *t)
{
    t->rows++;
    if (t->stores)
        return;
    if (t->format == MPG_TABLE_TEXT)
        mpg_table_put_text_row(t, t->cell);
    else if (t->format == MPG_TABLE_CSV)
        put_csv_row(t, t->cell);
    else
        put_json_row(t, t->cell);
    clear_cells(t);
}

static void put(struct mpg_table *t, struct mpg_table_cell cell)
{
    if (t->used == t->capacity && !t->failed) {
        const size_t more = t->capacity ? 2 * t->capacity : t->columns;
        struct mpg_table_cell *grown = realloc(t->cell, more * sizeof *grown);
        t->failed = !grown;
        t->cell = grown ? grown : t->cell;
        t->capacity = grown ? more : t->capacity;
    }
    if (t->failed) {
        if (cell.kind >= MPG_CELL_TEXT)
            free(cell.text);
        return;
    }
    t->cell[t->used++] = cell;
    if (t->used % t->columns == 0)
        end_row(t);
}

void mpg_table_missing(struct mpg_table *t)
{
    put(t, (struct mpg_table_cell){.kind = MPG_CELL_MISSING});
}

void mpg_table_number(struct mpg_table *t, double value)
{
    put(t, (struct mpg_table_cell){.kind = isnan(value) ? MPG_CELL_MISSING : MPG_CELL_NUMBER, .number = {value}});
}

void mpg_table_numbers(struct mpg_table *t, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpg_table_number(t, values[i]);
}

void mpg_table_count(struct mpg_table *t, uint64_t value)
{
    put(t, (struct mpg_table_cell){.kind = MPG_CELL_COUNT, .count = value});
}

void mpg_table_integer(struct mpg_table *t, int64_t value)
{
    put(t, (struct mpg_table_cell){.kind = MPG_CELL_INTEGER, .integer = value});
}

void mpg_table_range(struct mpg_table *t, double low, double high)
{
    put(t, (struct mpg_table_cell){.kind = MPG_CELL_RANGE, .number = {low, high}});
}

void mpg_table_boolean(struct mpg_table *t, bool value)
{
    put(t, (struct mpg_table_cell){.kind = MPG_CELL_BOOLEAN, .count = value});
}

/* Adds a cell with TEXT, control characters escaped. A cell of kind MPG_CELL_LINES keeps its line ends. */
static void put_text(struct mpg_table *t, const char *text, enum mpg_table_kind kind)
{
    char *fit = NULL;
    size_t size;
    if (!text) {
        mpg_table_missing(t);
        return;
    }
    FILE *stream = open_memstream(&fit, &size);
    if (stream && kind == MPG_CELL_LINES)
        mpg_printable_put_lines(stream, text, strlen(text));
    else if (stream)
        mpg_printable_put(stream, text);
    if (!stream || !mpg_text_end(stream, &fit)) {
        t->failed = true;
        return;
    }
    put(t, (struct mpg_table_cell){.kind = kind, .text = fit});
}

void mpg_table_text(struct mpg_table *t, const char *text)
{
    put_text(t, text, MPG_CELL_TEXT);
}

void mpg_table_printf(struct mpg_table *t, const char *format, ...)
{
    char *text = NULL;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0 && (text = malloc((size_t)length + 1)))
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    t->failed = t->failed || !text;
    mpg_table_text(t, text);
    free(text);
}

void mpg_table_lines(struct mpg_table *t, const char *lines)
{
    put_text(t, lines, MPG_CELL_LINES);
}

void mpg_table_end_row(struct mpg_table *t, const char *text)
{
    put_text(t, text, MPG_CELL_REST);
    while (t->used % t->columns > 0 && !t->failed)
        mpg_table_missing(t);
}

int mpg_table_end(struct mpg_table *t, struct mpg_error *err)
{
    if (t->stores && !t->failed)
        mpg_table_put_text(t);
    clear_cells(t);
    free(t->cell);
    free(t->width);
    t->cell = NULL;
    t->width = NULL;
    return t->failed ? mpg_error_set(err, "out of memory for a table") : 0;
}
