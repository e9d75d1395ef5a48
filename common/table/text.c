/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as text for people, in aligned columns. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/table/table_private.h"
#include "common/units.h"

enum { NUMBER = 80, GAP = 2 };

char *mpg_table_format_time_if_any(char *text, size_t size, double value)
{
    text[0] = '\0';
    return value > 0 ? mpg_units_format_time(text, size, value) : text;
}

char *mpg_table_format_size(char *text, size_t size, double value)
{
    return mpg_units_format_size(text, size, (int64_t)value);
}

char *mpg_table_format_size_if_any(char *text, size_t size, double value)
{
    text[0] = '\0';
    return value > 0 ? mpg_table_format_size(text, size, value) : text;
}

char *mpg_table_format_percent(char *text, size_t size, double value)
{
    snprintf(text, size, "%.2f %%", 100 * value);
    return text;
}

static void format_number(const struct mpg_table_column *column, double value, char *text)
{
    value *= column->scale != 0 ? column->scale : 1;
    if (column->formatter)
        column->formatter(text, NUMBER, value);
    else if (isnan(value))
        strcpy(text, "-");
    else if (column->format)
        snprintf(text, NUMBER, column->format, value);
    else if (isinf(value))
        strcpy(text, value < 0 ? "-inf" : "inf");
    else
        snprintf(text, NUMBER, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
}

static void format_range(const struct mpg_table_column *column, const double *value, char *text)
{
    char low[NUMBER], high[NUMBER];
    format_number(column, value[0], low);
    format_number(column, value[1], high);
    snprintf(text, 2 * NUMBER + 4, "%s to %s", low, high);
}

/* Returns the text of CELL, which is not of kind MPG_CELL_LINES: the cell's own text, or NUMBER_TEXT, to which the number
 * is written; it has room for a range of two numbers. */
static const char *cell_text(const struct mpg_table *t, size_t c, const struct mpg_table_cell *cell, char *number_text)
{
    const struct mpg_table_column *column = &t->column[c];
    switch (cell->kind == MPG_CELL_RANGE && isnan(cell->number[0]) ? MPG_CELL_MISSING : cell->kind) {
    case MPG_CELL_MISSING:
        return column->missing ? column->missing : t->missing ? t->missing : "";
    case MPG_CELL_NUMBER:
        format_number(column, cell->number[0], number_text);
        break;
    case MPG_CELL_COUNT:
        if (column->formatter)
            format_number(column, (double)cell->count, number_text);
        else
            snprintf(number_text, NUMBER, "%" PRIu64, cell->count);
        break;
    case MPG_CELL_INTEGER:
        snprintf(number_text, NUMBER, "%" PRId64, cell->integer);
        break;
    case MPG_CELL_RANGE:
        format_range(column, cell->number, number_text);
        break;
    case MPG_CELL_BOOLEAN:
        return cell->count ? "yes" : "no";
    default:
        return cell->text;
    }
    return number_text;
}

/* Returns the number of UTF-8 characters in TEXT. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* The output line being written. */
struct line {
    FILE *out;
    int at, blanks; /* characters written so far; blanks to write before the next text, but not at the line's end */
};

static void put_text(struct line *line, const char *text)
{
    fprintf(line->out, "%*s%s", line->blanks, "", text);
    line->at += line->blanks + width_of(text);
    line->blanks = 0;
}

/* Writes the text LINES with each of its lines in the present column. */
static void put_lines(struct line *line, const char *lines)
{
    fprintf(line->out, "%*s", line->blanks, "");
    line->at += line->blanks;
    line->blanks = 0;
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1)
        fprintf(line->out, "%.*s\n%*s", (int)(end - lines), lines, line->at, "");
    fputs(lines, line->out);
}

static void put_gap(struct line *line, const struct mpg_table_column *column, int gap, bool heading)
{
    char sign[] = {column->sign, '\0'};
    if (heading || !column->sign) {
        line->blanks += gap;
        return;
    }
    line->blanks += gap / 2;
    put_text(line, sign);
    line->blanks = gap - gap / 2 - 1;
}

static void put_cell(struct line *line, const struct mpg_table_column *column, const char *text, int width)
{
    const int missing = width > width_of(text) ? width - width_of(text) : 0;
    line->blanks += column->left ? 0 : missing;
    if (*text)
        put_text(line, text);
    line->blanks += column->left ? missing : 0;
}

void mpg_table_put_text_row(struct mpg_table *t, const struct mpg_table_cell *row)
{
    char number[2 * NUMBER + 4];
    struct line line = {.out = t->out};
    bool any = false, ends = false;
    for (size_t c = 0; c < t->columns && !ends; c++) {
        const struct mpg_table_column *column = &t->column[c];
        const int width = t->width ? t->width[c] : column->width;
        ends = row && row[c].kind == MPG_CELL_REST;
        if (!ends && (!column->heading || (t->width && mpg_table_fits(t, c) && width == 0)))
            continue;
        put_gap(&line, column, ends ? GAP : column->gap ? column->gap : !any ? t->indent : t->gap ? t->gap : GAP, !row || ends);
        any = true;
        if (row && row[c].kind == MPG_CELL_LINES)
            put_lines(&line, row[c].text);
        else
            put_cell(&line, column, row ? cell_text(t, c, &row[c], number) : column->heading, ends ? 0 : width);
    }
    fprintf(t->out, "%*s\n", t->trims ? 0 : line.blanks, "");
}

static int widest(const struct mpg_table *t, size_t c)
{
    const struct mpg_table_column *column = &t->column[c];
    char number[2 * NUMBER + 4];
    int width = column->width;
    if (!column->heading || !mpg_table_fits(t, c))
        return width;
    for (size_t i = 0; i <= t->rows; i++) {
        const struct mpg_table_cell *cell = i > 0 ? &t->cell[(i - 1) * t->columns + c] : NULL;
        const int wide = width_of(cell ? cell_text(t, c, cell, number) : column->heading);
        width = wide > width ? wide : width;
    }
    return width;
}

void mpg_table_put_text(struct mpg_table *t)
{
    if (!(t->width = calloc(t->columns, sizeof *t->width))) {
        t->failed = true;
        return;
    }
    for (size_t c = 0; c < t->columns; c++)
        t->width[c] = widest(t, c);
    mpg_table_put_text_row(t, NULL);
    for (size_t i = 0; i < t->rows; i++)
        mpg_table_put_text_row(t, &t->cell[i * t->columns]);
}
