/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of the table: speed-up and run time over processors with one line per program and machine; run time over the first
 * swept key; the components of the ranks' time. */
#include <math.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "common/units.h"
#include "simulate/target_table/target_table.h"

enum { MAX_LINES = 12, MAX_BARS = 40, TEXT = 512, NAME = 160 };

/* Writes the name of MACHINE, with the file name of the target without folders, into NAME of TEXT bytes. */
static void name_short(const struct mpg_target_table *x, size_t machine, char *name)
{
    const char *target = x->target[machine];
    char whole[TEXT];
    mpg_target_table_name(x, machine, whole, sizeof whole);
    const size_t folders = (size_t)(mpg_plot_last_part(target) - target), length = strlen(whole);
    snprintf(name, TEXT, "%s", whole + (folders < length ? folders : 0));
}

/* --- programs --- */

/* Returns true if traces A and B have equal facts "program", or if both lack this fact. */
static bool same_program(const struct mpg_target_table *x, size_t a, size_t b)
{
    const char *p = x->trace[a].program, *q = x->trace[b].program;
    return p && q ? strcmp(p, q) == 0 : !p && !q;
}

static bool several_programs(const struct mpg_target_table *x)
{
    for (size_t i = 1; i < x->traces; i++)
        if (!same_program(x, 0, i))
            return true;
    return false;
}

/* Writes the program with its arguments ("grid --iterations 100"), or the trace's file name if the program is unknown, into
 * NAME. */
static void name_program(const struct mpg_target_table *x, size_t trace, char *name)
{
    const char *program = x->trace[trace].program;
    const size_t first = program ? strcspn(program, " ") : 0;
    char path[TEXT];
    snprintf(path, sizeof path, "%.*s", (int)first, program ? program : "");
    snprintf(name, NAME, "%.30s%.40s", program ? mpg_plot_last_part(path) : mpg_plot_last_part(x->trace[trace].path),
             program ? program + first : "");
}

/* --- lines --- */

/* Rows as lines of a plot; values are divided by X_UNIT and Y_UNIT. */
struct drawn {
    const struct mpg_target_table *x;
    bool is_speedup;
    double x_unit, y_unit;
};

static bool same_machine(const void *of, size_t i, size_t k)
{
    const struct mpg_target_table *x = ((const struct drawn *)of)->x;
    return x->row[i].machine == x->row[k].machine && same_program(x, x->row[i].trace, x->row[k].trace);
}

/* Returns true if rows I and K differ only in the first swept key. */
static bool same_but_first(const void *of, size_t i, size_t k)
{
    const struct mpg_target_table *x = ((const struct drawn *)of)->x;
    const size_t rest = x->keys->points / x->keys->axis[0].n, a = x->row[i].machine, b = x->row[k].machine;
    return x->row[i].trace == x->row[k].trace && a / x->keys->points == b / x->keys->points && a % rest == b % rest;
}

static void over_processors(const void *of, size_t i, struct plot_point *point)
{
    const struct drawn *d = of;
    const struct mpg_target_row *row = &d->x->row[i];
    const double speedup = row->against_ns > 0 ? mpg_target_row_speedup_against(row) : mpg_target_row_speedup(row);
    *point = (struct plot_point){.x = row->processors, .y = d->is_speedup ? speedup : row->answer.run.median};
}

static void over_key(const void *of, size_t i, struct plot_point *point)
{
    const struct drawn *d = of;
    const struct mpg_sweep *keys = d->x->keys;
    const struct mpg_target_row *row = &d->x->row[i];
    *point = (struct plot_point){.x = keys->axis[0].value[mpg_sweep_place(keys, 0, row->machine % keys->points)] / d->x_unit,
                                 .y = row->answer.run.median / d->y_unit};
}

static void name_machine(const void *of, size_t i, char *text)
{
    const struct mpg_target_table *x = ((const struct drawn *)of)->x;
    char machine[TEXT], program[NAME] = "";
    name_short(x, x->row[i].machine, machine);
    if (several_programs(x))
        name_program(x, x->row[i].trace, program);
    snprintf(text, PLOT_LINE_NAME, "%s%s%.300s", program, *program ? ": " : "", x->machines > 1 || !*program ? machine : "");
}

static void name_rest(const void *of, size_t i, char *text)
{
    const struct mpg_target_table *x = ((const struct drawn *)of)->x;
    const struct mpg_target_row *row = &x->row[i];
    size_t used = (size_t)snprintf(text, PLOT_LINE_NAME, "%.100s%s%.100s",
                                   x->traces > 1 ? mpg_plot_last_part(x->trace[row->trace].path) : "", x->traces > 1 ? ": " : "",
                                   mpg_plot_last_part(x->target[row->machine]));
    for (size_t k = 1; k < x->keys->axes && used < PLOT_LINE_NAME; k++) {
        char value[64];
        mpg_target_table_value(x, k, row->machine, value, sizeof value);
        used += (size_t)snprintf(text + used, PLOT_LINE_NAME - used, ", %s %s", x->keys->axis[k].key, value);
    }
}

static double max_run(const struct mpg_target_table *x)
{
    double max_ns = 0;
    for (size_t i = 0; i < x->n; i++)
        max_ns = fmax(max_ns, x->row[i].answer.run.median);
    return max_ns;
}

static double min_run(const struct mpg_target_table *x)
{
    double min_ns = INFINITY;
    for (size_t i = 0; i < x->n; i++)
        min_ns = x->row[i].answer.run.median > 0 ? fmin(min_ns, x->row[i].answer.run.median) : min_ns;
    return min_ns;
}

static void put_title(struct plot_session *s, const struct mpg_target_table *x, const char *what)
{
    char name[NAME], fit[NAME];
    name_program(x, 0, name);
    mpg_plot_title(s->script, what, several_programs(x) ? "" : mpg_printable(fit, sizeof fit, name));
    fputs("set key outside right top vertical\n", s->script);
}

/* Draws speed-up or run time over processors, on logarithmic axes with base 2. */
static int draw_curves(struct plot_session *s, const struct mpg_target_table *x, bool is_speedup, struct mpg_error *err)
{
    const struct drawn d = {.x = x, .is_speedup = is_speedup};
    const struct plot_lines lines = {.of = &d, .same = same_machine, .point = over_processors, .name = name_machine, .rows = x->n,
                                     .max = MAX_LINES, .table = "table", .unique = true};
    int32_t max = 1;
    if (mpg_plot_start(s, err, is_speedup ? "speedup" : "run") < 0)
        return -1;
    put_title(s, x, is_speedup ? "speed-up" : "predicted run time");
    for (size_t i = 0; i < x->n; i++)
        max = x->row[i].processors > max ? x->row[i].processors : max;
    fprintf(s->script, "set logscale x 2\nset xlabel 'processors'\nset xtics 1,2,%d\nset xrange [0.93:%g]\n", max, 1.08 * max);
    if (!is_speedup)
        mpg_plot_log_times(s->script, "y", mpg_plot_floor(min_run(x), max_run(x)), max_run(x));
    fputs(is_speedup ? "set ylabel 'speed-up'\nset logscale y 2\nplot " : "set ylabel 'run time'\nplot ", s->script);
    if (mpg_plot_put_lines(s, &lines, err) < 0)
        return -1;
    if (is_speedup)
        fprintf(s->script, ", x with lines dt 2 lw 1 lc rgb '%s' title 'as many as processors'", PLOT_GREY);
    fputc('\n', s->script);
    return mpg_plot_finish(s, err);
}

static int draw_sweep(struct plot_session *s, const struct mpg_target_table *x, struct mpg_error *err)
{
    struct drawn d = {.x = x, .x_unit = 1};
    const struct plot_lines lines = {.of = &d, .same = same_but_first, .point = over_key, .name = name_rest, .rows = x->n,
                                     .max = MAX_LINES, .table = "table"};
    const struct mpg_axis *axis = &x->keys->axis[0];
    const bool is_time = axis->unit == MPG_SWEEP_TIME;
    const char *y_name, *x_name = "";
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < axis->n; i++) {
        min = fmin(min, axis->value[i]);
        max = fmax(max, axis->value[i]);
    }
    if (mpg_plot_start(s, err, "sweep") < 0)
        return -1;
    put_title(s, x, "predicted run time");
    if (min > 0 && max > 15 * min)
        (is_time ? mpg_plot_log_times : mpg_plot_log_numbers)(s->script, "x", min, max);
    else if (is_time)
        d.x_unit = mpg_units_of_time(max, &x_name);
    mpg_plot_set(s->script, "xlabel", *x_name ? "%s (%s)" : "%s%s", axis->key, x_name);
    d.y_unit = mpg_units_of_time(max_run(x), &y_name);
    mpg_plot_set(s->script, "ylabel", "run time (%s)", y_name);
    fputs("set yrange [0:*]\nplot ", s->script);
    if (mpg_plot_put_lines(s, &lines, err) < 0)
        return -1;
    fputc('\n', s->script);
    return mpg_plot_finish(s, err);
}

/* --- components of time --- */

static int draw_parts(struct plot_session *s, const struct mpg_target_table *x, struct mpg_error *err)
{
    static const char *const titles[] = {"work", "calls", "waiting", "serving", "barriers", "no processor"};
    enum { PARTS = sizeof titles / sizeof *titles };
    const char *unit_name;
    const double unit = mpg_units_of_time(max_run(x), &unit_name);
    if (x->n > MAX_BARS)
        return mpg_plot_missing(s, err, "parts of the time, of %zu rows: a plot has at most %d", x->n, MAX_BARS);
    if (mpg_plot_start(s, err, "time") < 0)
        return -1;
    put_title(s, x, "parts of a rank's time, mean of ranks");
    mpg_plot_set(s->script, "ylabel", "time (%s)", unit_name);
    fputs("set xtics rotate by -40 nomirror (", s->script);
    for (size_t i = 0; i < x->n; i++) {
        const struct mpg_target_row *r = &x->row[i];
        const double ranks = x->trace[r->trace].ranks * unit;
        const double parts[PARTS] = {r->work_ns + r->noise_ns, r->call_ns, r->wait_ns, r->service_ns, r->barrier_ns,
                                     r->processor_ns};
        char name[TEXT], machine[TEXT], fit[NAME];
        double sum = 0;
        name_short(x, r->machine, machine);
        snprintf(name, sizeof name, "%.60s%s%.100s", x->traces > 1 ? mpg_plot_last_part(x->trace[r->trace].path) : "",
                 x->traces > 1 && x->machines > 1 ? ", " : "", x->machines > 1 || x->traces == 1 ? machine : "");
        fputs(i > 0 ? ", " : "", s->script);
        mpg_gnuplot_write_string(s->script, mpg_printable(fit, sizeof fit, name));
        fprintf(s->script, " %zu", i);
        fprintf(s->data, "%zu", i);
        for (int k = 0; k < PARTS; k++)
            fprintf(s->data, " %.15g", sum += parts[k] / ranks);
        fprintf(s->data, " %.15g\n", r->answer.run.median / unit);
    }
    fprintf(s->script, ")\nset xrange [-0.7:%.1f]\nset yrange [0:*]\nset boxwidth 0.7\nset style fill solid 0.85 noborder\nplot ",
            (double)x->n - 0.3);
    for (int k = PARTS; k > 0; k--)
        fprintf(s->script, "data using 1:%d with boxes lc rgb '%s' title '%s', ", k + 1, mpg_plot_colour((size_t)k - 1),
                titles[k - 1]);
    fprintf(s->script, "data using 1:%d with points pt 2 ps 1 lw 2 lc rgb '#000000' title 'run'\n", PARTS + 2);
    return mpg_plot_finish(s, err);
}

/* --- all plots --- */

/* Returns true if a line has rows with different numbers of processors. */
static bool has_curves(const struct mpg_target_table *x)
{
    const struct drawn d = {.x = x};
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < i; k++)
            if (same_machine(&d, i, k) && x->row[i].processors != x->row[k].processors)
                return true;
    return false;
}

static bool sweeps_numbers(const struct mpg_target_table *x)
{
    bool are = x->keys->axes > 0;
    for (size_t i = 0; are && i < x->keys->axis[0].n; i++)
        are = !isnan(x->keys->axis[0].value[i]);
    return are;
}

int mpg_target_table_draw(struct plot_session *s, const void *machines, struct mpg_error *err)
{
    const struct mpg_target_table *x = machines;
    if (!(max_run(x) > 0))
        return mpg_error_set(err, "--plot: no run takes any time: nothing to draw");
    if (has_curves(x) && (draw_curves(s, x, true, err) < 0 || draw_curves(s, x, false, err) < 0))
        return -1;
    if (sweeps_numbers(x) && draw_sweep(s, x, err) < 0)
        return -1;
    return draw_parts(s, x, err);
}
