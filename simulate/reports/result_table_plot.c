/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of the table: run time over the first parameter; machines by median run time, and the probability that each is faster. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "common/units.h"
#include "simulate/reports/result_table.h"

enum { MAX_LINES = 8, MAX_MACHINES = 32, TEXT = 256 };

static void format_cell(const struct mpg_result_column *column, const struct mpg_result_cell *cell, char *text)
{
    if (cell->word)
        mpg_printable(text, TEXT, mpg_plot_last_part(cell->word));
    else if (strcmp(column->unit, "ns") == 0)
        mpg_units_format_time(text, TEXT, cell->number);
    else if (strcmp(column->unit, "bytes") == 0 && cell->number >= 0)
        mpg_units_format_size(text, TEXT, (int64_t)cell->number);
    else
        snprintf(text, TEXT, "%.6g", cell->number);
}

static double max_of(const struct mpg_result_table *rows)
{
    double max_ns = 0;
    for (size_t i = 0; i < rows->n; i++)
        max_ns = fmax(max_ns, rows->row[i].answer.run.high > 0 ? rows->row[i].answer.run.high : rows->row[i].answer.run.median);
    return max_ns;
}

/* Returns true if run times need a logarithmic axis, because the longest run time is many times the shortest: the interval of the
 * shortest would not be visible. */
static bool spread_wide(const struct mpg_result_table *rows, double *min_ns, double *max_ns)
{
    enum { RATIO = 20 };
    *min_ns = INFINITY;
    *max_ns = max_of(rows);
    for (size_t i = 0; i < rows->n; i++) {
        const struct mpg_summary *run = &rows->row[i].answer.run;
        *min_ns = fmin(*min_ns, run->low > 0 ? run->low : run->median);
    }
    return *min_ns > 0 && *max_ns > RATIO * *min_ns;
}

/* Labels the axis of run times with UNIT; NULL: the marks have units. */
static void put_head(struct plot_session *s, const struct mpg_result_table *rows, const char *unit)
{
    char first[TEXT], second[TEXT];
    mpg_printable(first, sizeof first, rows->trace);
    if (rows->replicas > 1)
        snprintf(second, sizeof second, "median of %" PRIu32 " replicas, 95 %% confidence; seed %" PRIu64, rows->replicas,
                 rows->seed);
    else
        snprintf(second, sizeof second, "seed %" PRIu64, rows->seed);
    mpg_plot_title(s->script, first, second);
    mpg_plot_set(s->script, "ylabel", "%s run time%s%s%s", rows->predicted ? "predicted" : "perturbed", unit ? " (" : "",
                 unit ? unit : "", unit ? ")" : "");
}

/* ---- the swept parameter ---- */

/* Rows as lines over the first column; X and Y values are divided by the units. */
struct swept {
    const struct mpg_result_table *rows;
    double x_unit, y_unit;
};

/* Returns whether rows I and K differ only in the first column. */
static bool same_line(const void *of, size_t i, size_t k)
{
    const struct mpg_result_table *rows = ((const struct swept *)of)->rows;
    for (size_t c = 1; c < rows->columns; c++) {
        const struct mpg_result_cell *x = &rows->row[i].cell[c], *y = &rows->row[k].cell[c];
        if (x->word || y->word ? !x->word || !y->word || strcmp(x->word, y->word) != 0 : x->number != y->number)
            return false;
    }
    return true;
}

static void name_line(const void *of, size_t i, char *name)
{
    const struct mpg_result_table *rows = ((const struct swept *)of)->rows;
    size_t used = 0;
    for (size_t c = 1; c < rows->columns && used + TEXT < 2 * TEXT; c++) {
        const struct mpg_result_cell *cell = &rows->row[i].cell[c];
        char text[TEXT];
        format_cell(&rows->column[c], cell, text);
        used += (size_t)snprintf(name + used, 2 * TEXT - used, "%s%s%s%s", c > 1 ? ", " : "",
                                 cell->word ? "" : rows->column[c].name, cell->word ? "" : " ", text);
    }
}

static struct plot_point run_of(const struct mpg_result_table *rows, size_t i, double unit)
{
    const struct mpg_summary *run = &rows->row[i].answer.run;
    const bool several = rows->replicas > 1;
    return (struct plot_point){.y = run->median / unit,
                               .low = (several ? run->low : run->median) / unit,
                               .high = (several ? run->high : run->median) / unit};
}

static void point_of(const void *of, size_t i, struct plot_point *point)
{
    const struct swept *x = of;
    *point = run_of(x->rows, i, x->y_unit);
    point->x = x->rows->row[i].cell[0].number / x->x_unit;
}

/* Returns whether the axis is logarithmic, because values grow by factors. */
static bool is_logarithmic(const struct mpg_result_table *rows, double min, double max)
{
    enum { RATIO = 20 };
    size_t below = 0, n = 0;
    if (!(min > 0 && max > RATIO * min))
        return false;
    for (size_t i = 0; i < rows->n; i++) {
        below += rows->row[i].cell[0].number < sqrt(min * max);
        n++;
    }
    return 3 * below >= n; /* fewer evenly spaced values would be below */
}

static double put_x_axis(struct plot_session *s, const struct mpg_result_table *rows)
{
    const struct mpg_result_column *column = &rows->column[0];
    const bool is_time = strcmp(column->unit, "ns") == 0;
    double min = INFINITY, max = -INFINITY, unit = 1;
    const char *name = column->unit;
    for (size_t i = 0; i < rows->n; i++) {
        min = fmin(min, rows->row[i].cell[0].number);
        max = fmax(max, rows->row[i].cell[0].number);
    }
    if (is_logarithmic(rows, min, max)) {
        (is_time ? mpg_plot_log_times : mpg_plot_log_numbers)(s->script, "x", min, max);
        if (is_time)
            mpg_plot_set(s->script, "xlabel", "%s", column->name);
        else
            mpg_plot_set(s->script, "xlabel", "%s (%s)", column->name, name);
        return 1;
    }
    if (is_time)
        unit = mpg_units_of_time(max, &name);
    mpg_plot_set(s->script, "xlabel", "%s (%s)", column->name, name);
    return unit;
}

static int draw_sweep(struct plot_session *s, const struct mpg_result_table *rows, struct mpg_error *err)
{
    const char *unit_name;
    struct swept x = {.rows = rows, .y_unit = mpg_units_of_time(max_of(rows), &unit_name)};
    const struct plot_lines lines = {.of = &x, .same = same_line, .point = point_of, .name = name_line, .rows = rows->n,
                                     .max = MAX_LINES, .table = "sweep", .bands = true};
    if (mpg_plot_start(s, err, "sweep") < 0)
        return -1;
    double min_ns, max_ns;
    const bool is_log = spread_wide(rows, &min_ns, &max_ns);
    put_head(s, rows, is_log ? NULL : unit_name);
    x.x_unit = put_x_axis(s, rows);
    if (is_log) {
        x.y_unit = 1;
        mpg_plot_log_times(s->script, "y", min_ns, max_ns);
    } else
        fputs("set yrange [0:*]\n", s->script);
    fputs("set style fill transparent solid 0.2 noborder\nplot ", s->script);
    if (mpg_plot_put_lines(s, &lines, err) < 0)
        return -1;
    putc('\n', s->script);
    return mpg_plot_finish(s, err);
}

/* ---- machines ---- */

/* Returns the number of rows at the first point, which is the number of signatures. */
static size_t machines(const struct mpg_result_table *rows)
{
    size_t n = 0;
    while (n < rows->n && n < MAX_MACHINES && rows->row[n].point == rows->row[0].point)
        n++;
    return n;
}

static void put_machines(FILE *script, const struct mpg_result_table *rows, const char *axis, size_t n)
{
    fprintf(script, "set %stics (", axis);
    for (size_t i = 0; i < n; i++) {
        char text[TEXT];
        mpg_printable(text, sizeof text, mpg_plot_last_part(rows->row[i].cell[rows->columns - 1].word));
        fputs(i > 0 ? ", " : "", script);
        mpg_gnuplot_write_string(script, text);
        fprintf(script, " %zu", i);
    }
    fprintf(script, ")\nset %srange [%s]\n", axis, "-0.6:*");
}

/* Draws the median run times at the first point with intervals, and the probability that each machine is faster than the next
 * machine. */
static int draw_ranking(struct plot_session *s, const struct mpg_result_table *rows, struct mpg_error *err)
{
    char text[32];
    const char *unit_name;
    double min_ns, max_ns;
    const bool is_log = spread_wide(rows, &min_ns, &max_ns);
    const double unit = is_log ? 1 : mpg_units_of_time(max_ns, &unit_name);
    const size_t n = machines(rows);
    if (mpg_plot_start(s, err, "machines") < 0)
        return -1;
    put_head(s, rows, is_log ? NULL : unit_name);
    put_machines(s->script, rows, "x", n);
    if (is_log)
        mpg_plot_log_times(s->script, "y", min_ns / 2, 2 * max_ns);
    else
        fprintf(s->script, "set yrange [0:%.6g]\n", 1.15 * max_ns / unit);
    fprintf(s->script, "set xrange [-0.6:%.1f]\nset boxwidth 0.6\nset style fill solid 0.7 noborder\n", (double)n - 0.4);
    for (size_t i = 0; i < n; i++) {
        const struct plot_point p = run_of(rows, i, unit);
        fprintf(s->data, "%zu %.15g %.15g %.15g\n", i, p.y, p.low, p.high);
        if (i + 1 < n)
            fprintf(s->script, "set label '\u2190 %s' at %.2f, graph 0.97 center front\n",
                    mpg_format_faster(text, sizeof text, mpg_result_table_faster(rows, i, i + 1)), (double)i + 0.5);
    }
    fprintf(s->script,
            "plot data using 1:2 with boxes lc rgb '%s' notitle, data using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lw 1.5 lc rgb "
            "'#222222' notitle\n",
            PLOT_SKY_BLUE);
    return mpg_plot_finish(s, err);
}

static int draw_faster(struct plot_session *s, const struct mpg_result_table *rows, struct mpg_error *err)
{
    char path[TEXT];
    const size_t n = machines(rows);
    if (mpg_plot_start(s, err, "faster") < 0)
        return -1;
    mpg_plot_title(s->script, mpg_printable(path, sizeof path, rows->trace),
                   "probability (%) that the row's machine is faster than the column's");
    put_machines(s->script, rows, "x", n);
    put_machines(s->script, rows, "y", n);
    fprintf(
        s->script,
        "set xrange [-0.5:%.1f]\nset yrange [%.1f:-0.5]\nset xtics rotate by -30\nunset key\nunset grid\nset border 15\nset size "
        "square\nset cbrange [0:100]\nset palette defined (0 '%s', 50 '#ffffff', 100 '%s')\n"
        "plot data using 1:2:3 with image pixels, data using 1:2:(sprintf('%%.0f', $3)) with labels\n",
        (double)n - 0.5, (double)n - 0.5, PLOT_ORANGE, PLOT_BLUE);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            fprintf(s->data, "%zu %zu %.15g\n", k, i, i == k ? 50 : 100 * mpg_result_table_faster(rows, i, k));
    return mpg_plot_finish(s, err);
}

int mpg_result_table_draw(struct plot_session *session, const void *sheet, struct mpg_error *err)
{
    const struct mpg_result_table *rows = sheet;
    if (rows->column[0].unit && draw_sweep(session, rows, err) < 0)
        return -1;
    if (!rows->compares || machines(rows) < 2)
        return session->names > 0 ? 0 : mpg_error_set(err, "--plot: words are swept, and nothing else differs: nothing to draw");
    return draw_ranking(session, rows, err) < 0 ? -1 : draw_faster(session, rows, err);
}
