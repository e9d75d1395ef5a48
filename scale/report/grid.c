/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/report/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_text.h"
#include "common/printable.h"

enum { CELL_BYTES = 4 * 4096 };

static struct scale_value *next_value(struct scale_grid *g)
{
    if (g->used == g->capacity) {
        const size_t more = g->capacity ? 2 * g->capacity : 256;
        struct scale_value *grown = realloc(g->value, more * sizeof *grown);
        if (!grown) {
            g->failed = true;
            return NULL;
        }
        g->value = grown;
        g->capacity = more;
    }
    return &g->value[g->used++];
}

void scale_grid_put_text(struct scale_grid *g, const char *text)
{
    struct scale_value *value = next_value(g);
    if (!value)
        return;
    *value = (struct scale_value){.text = strdup(text), .number = NAN};
    g->failed |= !value->text;
}

void scale_grid_put(struct scale_grid *g, double number)
{
    struct scale_value *value = next_value(g);
    if (value)
        *value = (struct scale_value){.number = number};
}

static const struct scale_value *value_of(const struct scale_grid *g, size_t row, size_t column)
{
    return &g->value[row * g->columns + column];
}

static size_t rows_of(const struct scale_grid *g)
{
    return g->columns > 0 ? g->used / g->columns : 0;
}

/* VALUE for people, into TEXT of CELL_BYTES. */
static void show(const struct scale_value *value, const struct scale_column *column, char *text)
{
    const double number = value->number * (column->scale != 0 ? column->scale : 1);
    if (value->text)
        mpg_printable(text, CELL_BYTES, value->text);
    else if (isnan(number))
        strcpy(text, "-");
    else if (isinf(number))
        strcpy(text, number < 0 ? "-inf" : "inf");
    else if (number == floor(number) && fabs(number) < 1e15)
        snprintf(text, CELL_BYTES, "%.0f", number);
    else
        snprintf(text, CELL_BYTES, "%.6g", number);
}

/* Characters of UTF-8. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* A cell after so many *BLANKS, which become those before the next one. */
static void print_cell(FILE *out, const char *text, int width, bool to_the_left, int *blanks)
{
    const int missing = width - width_of(text);
    *blanks += to_the_left ? 0 : missing;
    if (*text) {
        fprintf(out, "%*s%s", *blanks, "", text);
        *blanks = 0;
    }
    *blanks += 2 + (to_the_left ? missing : *text ? 0 : width - missing);
}

void scale_grid_print_text(const struct scale_grid *g, FILE *out)
{
    char text[CELL_BYTES];
    int *width = calloc(g->columns + 1, sizeof *width);
    int blanks = 0;
    for (size_t c = 0; width && c < g->columns; c++) {
        if (!g->column[c].title)
            continue;
        width[c] = width_of(g->column[c].title);
        for (size_t r = 0; r < rows_of(g); r++) {
            show(value_of(g, r, c), &g->column[c], text);
            const int wide = width_of(text);
            width[c] = wide > width[c] ? wide : width[c];
        }
    }
    for (size_t c = 0; width && c < g->columns; c++)
        if (g->column[c].title)
            print_cell(out, g->column[c].title, width[c], g->column[c].is_text, &blanks);
    putc('\n', out);
    for (size_t r = 0; width && r < rows_of(g); r++) {
        blanks = 0;
        for (size_t c = 0; c < g->columns; c++)
            if (g->column[c].title) {
                show(value_of(g, r, c), &g->column[c], text);
                print_cell(out, text, width[c], g->column[c].is_text, &blanks);
            }
        putc('\n', out);
    }
    free(width);
}

void scale_grid_print_csv(const struct scale_grid *g, FILE *out)
{
    for (size_t c = 0; c < g->columns; c++)
        fprintf(out, "%s%s", c > 0 ? "," : "", g->column[c].key);
    putc('\n', out);
    for (size_t r = 0; r < rows_of(g); r++)
        for (size_t c = 0; c < g->columns; c++) {
            const struct scale_value *value = value_of(g, r, c);
            if (c > 0)
                putc(',', out);
            if (value->text)
                mpg_csv_write_string(out, value->text);
            else if (isinf(value->number))
                fputs(value->number < 0 ? "-inf" : "inf", out);
            else if (!isnan(value->number))
                mpg_json_write_number(out, value->number);
            if (c + 1 == g->columns)
                putc('\n', out);
        }
}

void scale_grid_print_json(const struct scale_grid *g, FILE *out)
{
    putc('[', out);
    for (size_t r = 0; r < rows_of(g); r++)
        for (size_t c = 0; c < g->columns; c++) {
            const struct scale_value *value = value_of(g, r, c);
            fprintf(out, "%s\"%s\": ", c > 0 ? ", " : r > 0 ? ",\n  {" : "\n  {", g->column[c].key);
            if (value->text)
                mpg_json_write_string(out, value->text);
            else
                mpg_json_write_number(out, value->number);
            if (c + 1 == g->columns)
                putc('}', out);
        }
    fputs("]", out);
}

void scale_grid_clear(struct scale_grid *g)
{
    for (size_t i = 0; i < g->used; i++)
        free(g->value[i].text);
    free(g->value);
    g->value = NULL;
    g->used = g->capacity = 0;
}
