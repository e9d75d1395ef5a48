/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of scenarios as plots: run times over what is swept, machines by their medians, and which beats which. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "common/units.h"
#include "simulate/reports/sheet_plot.h"

enum { MOST_LINES = 8, MOST_MACHINES = 32, TEXT = 256 };

static const char *const colours[MOST_LINES] = {PLOT_BLUE, PLOT_ORANGE, PLOT_GREEN,  PLOT_PURPLE,
                                                PLOT_SKY,  PLOT_YELLOW, PLOT_GREY, "#000000"};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void say_cell(const struct mpg_column *column, const struct mpg_cell *cell, char *text)
{
    if (cell->word)
        mpg_printable(text, TEXT, last_part(cell->word));
    else if (strcmp(column->unit, "ns") == 0)
        mpg_units_format_time(text, TEXT, cell->number);
    else if (strcmp(column->unit, "bytes") == 0 && cell->number >= 0)
        mpg_units_format_size(text, TEXT, (int64_t)cell->number);
    else
        snprintf(text, TEXT, "%.6g", cell->number);
}

static double most_of(const struct mpg_sheet *rows)
{
    double most_ns = 0;
    for (size_t i = 0; i < rows->n; i++)
        most_ns = fmax(most_ns, rows->row[i].run.high > 0 ? rows->row[i].run.high : rows->row[i].run.median);
    return most_ns;
}

static void put_head(struct plot_session *s, const struct mpg_sheet *rows, const char *unit)
{
    char first[TEXT], second[TEXT];
    mpg_printable(first, sizeof first, rows->trace);
    if (rows->replicas > 1)
        snprintf(second, sizeof second, "median of %" PRIu32 " replicas, 95 %% confidence; seed %" PRIu64, rows->replicas,
                 rows->seed);
    else
        snprintf(second, sizeof second, "seed %" PRIu64, rows->seed);
    plot_title(s->script, first, second);
    plot_set(s->script, "ylabel", "%s run time (%s)", rows->predicted ? "predicted" : "perturbed", unit);
}

/* ---- over what is swept ---- */

/* Whether A and B are of one line: they differ in the first column alone. */
static bool same_line(const struct mpg_sheet *rows, const struct mpg_row *a, const struct mpg_row *b)
{
    for (size_t c = 1; c < rows->columns; c++) {
        const struct mpg_cell *x = &a->cell[c], *y = &b->cell[c];
        if (x->word || y->word ? !x->word || !y->word || strcmp(x->word, y->word) != 0 : x->number != y->number)
            return false;
    }
    return true;
}

static bool begins_line(const struct mpg_sheet *rows, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_line(rows, &rows->row[k], &rows->row[i]))
            return false;
    return true;
}

static void name_line(const struct mpg_sheet *rows, const struct mpg_row *row, char *name)
{
    size_t used = 0;
    name[0] = '\0';
    for (size_t c = 1; c < rows->columns && used + TEXT < 2 * TEXT; c++) {
        char text[TEXT];
        say_cell(&rows->column[c], &row->cell[c], text);
        used += (size_t)snprintf(name + used, 2 * TEXT - used, "%s%s%s%s", c > 1 ? ", " : "",
                                 row->cell[c].word ? "" : rows->column[c].name, row->cell[c].word ? "" : " ", text);
    }
}

/* Values that grow by factors have a logarithmic axis. */
static bool is_logarithmic(const struct mpg_sheet *rows, double least, double most)
{
    enum { RATIO = 20 };
    size_t below = 0, n = 0;
    if (!(least > 0 && most > RATIO * least))
        return false;
    for (size_t i = 0; i < rows->n; i++) {
        below += rows->row[i].cell[0].number < sqrt(least * most);
        n++;
    }
    return 3 * below >= n; /* of evenly spaced ones fewer are so small */
}

static double put_x_axis(struct plot_session *s, const struct mpg_sheet *rows)
{
    const struct mpg_column *column = &rows->column[0];
    const bool is_time = strcmp(column->unit, "ns") == 0;
    double least = INFINITY, most = -INFINITY, unit = 1;
    const char *name = column->unit;
    for (size_t i = 0; i < rows->n; i++) {
        least = fmin(least, rows->row[i].cell[0].number);
        most = fmax(most, rows->row[i].cell[0].number);
    }
    if (is_logarithmic(rows, least, most)) {
        (is_time ? plot_log_times : plot_log_numbers)(s->script, "x", least, most);
        if (is_time)
            plot_set(s->script, "xlabel", "%s", column->name);
        else
            plot_set(s->script, "xlabel", "%s (%s)", column->name, name);
        return 1;
    }
    if (is_time)
        unit = mpg_units_of_time(most, &name);
    plot_set(s->script, "xlabel", "%s (%s)", column->name, name);
    return unit;
}

static int draw_sweep(struct plot_session *s, const struct mpg_sheet *rows, struct mpg_error *err)
{
    const char *unit_name;
    const double unit = mpg_units_of_time(most_of(rows), &unit_name);
    size_t lines = 0, left_out = 0;
    if (plot_start(s, err, "sweep") < 0)
        return -1;
    put_head(s, rows, unit_name);
    const double x_unit = put_x_axis(s, rows);
    fputs("set yrange [0:*]\nset style fill transparent solid 0.2 noborder\nplot ", s->script);
    for (size_t i = 0; i < rows->n; i++) {
        char name[2 * TEXT];
        if (!begins_line(rows, i))
            continue;
        if (lines == MOST_LINES) {
            left_out++;
            continue;
        }
        for (size_t k = i; k < rows->n; k++) {
            const struct mpg_row *row = &rows->row[k];
            if (same_line(rows, &rows->row[i], row))
                fprintf(s->data, "%.15g %.15g %.15g %.15g\n", row->cell[0].number / x_unit, row->run.median / unit,
                        (rows->replicas > 1 ? row->run.low : row->run.median) / unit,
                        (rows->replicas > 1 ? row->run.high : row->run.median) / unit);
        }
        fputs("\n\n", s->data);
        name_line(rows, &rows->row[i], name);
        fprintf(s->script, "%sdata index %zu using 1:3:4 with filledcurves lc rgb '%s' notitle, data index %zu using 1:2 with "
                           "linespoints pt 7 ps 0.6 lw 2 lc rgb '%s' ",
                lines > 0 ? ", " : "", lines, colours[lines], lines, colours[lines]);
        if (*name) {
            fputs("title ", s->script);
            mpg_gnuplot_write_string(s->script, name);
        } else {
            fputs("notitle", s->script);
        }
        lines++;
    }
    putc('\n', s->script);
    return left_out > 0 && plot_missing(s, err, "%zu more lines of the sweep: a plot has %d", left_out, MOST_LINES) < 0
               ? -1
               : plot_finish(s, err);
}

/* ---- machines ---- */

/* How many rows, the first point's signatures, there are to be compared. */
static size_t machines(const struct mpg_sheet *rows)
{
    size_t n = 0;
    while (n < rows->n && n < MOST_MACHINES && rows->row[n].point == rows->row[0].point)
        n++;
    return n;
}

static void put_machines(FILE *script, const struct mpg_sheet *rows, const char *axis, size_t n)
{
    fprintf(script, "set %stics (", axis);
    for (size_t i = 0; i < n; i++) {
        char text[TEXT];
        mpg_printable(text, sizeof text, last_part(rows->row[i].cell[rows->columns - 1].word));
        fputs(i > 0 ? ", " : "", script);
        mpg_gnuplot_write_string(script, text);
        fprintf(script, " %zu", i);
    }
    fprintf(script, ")\nset %srange [%s]\n", axis, "-0.6:*");
}

/* Of the first point: medians with their intervals, and how surely each is faster than the next. */
static int draw_ranking(struct plot_session *s, const struct mpg_sheet *rows, struct mpg_error *err)
{
    char text[32];
    const char *unit_name;
    const double unit = mpg_units_of_time(most_of(rows), &unit_name);
    const size_t n = machines(rows);
    if (plot_start(s, err, "machines") < 0)
        return -1;
    put_head(s, rows, unit_name);
    put_machines(s->script, rows, "x", n);
    fprintf(s->script, "set xrange [-0.6:%.1f]\nset yrange [0:%.6g]\nset boxwidth 0.6\nset style fill solid 0.7 noborder\n",
            (double)n - 0.4, 1.15 * most_of(rows) / unit);
    for (size_t i = 0; i < n; i++) {
        const struct mpg_row *row = &rows->row[i];
        fprintf(s->data, "%zu %.15g %.15g %.15g\n", i, row->run.median / unit,
                (rows->replicas > 1 ? row->run.low : row->run.median) / unit,
                (rows->replicas > 1 ? row->run.high : row->run.median) / unit);
        if (i + 1 < n)
            fprintf(s->script, "set label '\u2190 %s' at %.2f, graph 0.97 center front\n",
                    mpg_say_faster(text, sizeof text, mpg_sheet_faster(rows, i, i + 1)), (double)i + 0.5);
    }
    fprintf(s->script, "plot data using 1:2 with boxes lc rgb '%s' notitle, data using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lw 1.5 lc rgb "
                       "'#222222' notitle\n", PLOT_SKY);
    return plot_finish(s, err);
}

static int draw_faster(struct plot_session *s, const struct mpg_sheet *rows, struct mpg_error *err)
{
    char path[TEXT];
    const size_t n = machines(rows);
    if (plot_start(s, err, "faster") < 0)
        return -1;
    plot_title(s->script, mpg_printable(path, sizeof path, rows->trace), "probability (%) that the row's machine is faster than the column's");
    put_machines(s->script, rows, "x", n);
    put_machines(s->script, rows, "y", n);
    fprintf(s->script, "set xrange [-0.5:%.1f]\nset yrange [%.1f:-0.5]\nset xtics rotate by -30\nunset key\nunset grid\nset border 15\nset size "
                       "square\nset cbrange [0:100]\nset palette defined (0 '%s', 50 '#ffffff', 100 '%s')\n"
                       "plot data using 1:2:3 with image pixels, data using 1:2:(sprintf('%%.0f', $3)) with labels\n",
            (double)n - 0.5, (double)n - 0.5, PLOT_ORANGE, PLOT_BLUE);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            fprintf(s->data, "%zu %zu %.15g\n", k, i, i == k ? 50 : 100 * mpg_sheet_faster(rows, i, k));
    return plot_finish(s, err);
}

int mpg_sheet_draw(struct plot_session *session, const void *sheet, struct mpg_error *err)
{
    const struct mpg_sheet *rows = sheet;
    if (rows->column[0].unit && draw_sweep(session, rows, err) < 0)
        return -1;
    if (!rows->compares || machines(rows) < 2)
        return session->names > 0 ? 0 : mpg_error_set(err, "--plot: words are swept, and nothing else differs: nothing to draw");
    return draw_ranking(session, rows, err) < 0 ? -1 : draw_faster(session, rows, err);
}
