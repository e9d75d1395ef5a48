/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as plots: speed-up and run over processors, a line for each program and design; the run over what is swept; what
 * ranks' time goes to. */
#include <math.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "common/units.h"
#include "simulate/designs/designs.h"

enum { MOST_LINES = 12, MOST_BARS = 40, TEXT = 512, NAME = 160 };

static const char *const colours[] = {PLOT_BLUE, PLOT_ORANGE, PLOT_GREEN, PLOT_PURPLE, PLOT_SKY, PLOT_YELLOW, PLOT_GREY, "#000000"};
enum { COLOURS = sizeof colours / sizeof *colours };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Of DESIGN, whose target without its folders, into NAME of TEXT bytes. */
static void name_short(const struct mpg_designs *x, size_t design, char *name)
{
    const char *target = x->target[design];
    char whole[TEXT];
    mpg_design_name(x, design, whole, sizeof whole);
    const size_t folders = (size_t)(last_part(target) - target), length = strlen(whole);
    snprintf(name, TEXT, "%s", whole + (folders < length ? folders : 0));
}

/* --- programs --- */

/* Whether traces A and B are of one program, as far as is known. */
static bool same_program(const struct mpg_designs *x, size_t a, size_t b)
{
    const char *p = x->trace[a].program, *q = x->trace[b].program;
    return p && q ? strcmp(p, q) == 0 : !p && !q;
}

static bool several_programs(const struct mpg_designs *x)
{
    for (size_t i = 1; i < x->traces; i++)
        if (!same_program(x, 0, i))
            return true;
    return false;
}

/* "grid --iterations 100" of a program; else the trace. */
static void name_program(const struct mpg_designs *x, size_t trace, char *name)
{
    const char *program = x->trace[trace].program;
    const size_t first = program ? strcspn(program, " ") : 0;
    char path[TEXT];
    snprintf(path, sizeof path, "%.*s", (int)first, program ? program : "");
    snprintf(name, NAME, "%.30s%.40s", program ? last_part(path) : last_part(x->trace[trace].path),
             program ? program + first : "");
}

/* --- lines --- */

/* What is drawn: X and Y of a row; and which rows are of one line. */
struct curve {
    double (*x)(const struct mpg_designs *x, const struct mpg_design_row *row);
    double (*y)(const struct mpg_design_row *row);
    bool (*same)(const struct mpg_designs *x, const struct mpg_design_row *a, const struct mpg_design_row *b);
    void (*name)(const struct mpg_designs *x, const struct mpg_design_row *row, char *text);
};

static double processors_of(const struct mpg_designs *x, const struct mpg_design_row *row)
{
    (void)x;
    return row->processors;
}

static double swept_of(const struct mpg_designs *x, const struct mpg_design_row *row)
{
    return x->keys->axis[0].number[mpg_key_sweep_place(x->keys, 0, row->design % x->keys->points)];
}

static double run_of(const struct mpg_design_row *row)
{
    return row->run.median;
}

static double speedup_of(const struct mpg_design_row *row)
{
    return row->against_ns > 0 ? mpg_design_speedup_against(row) : mpg_design_speedup(row);
}

static bool same_design(const struct mpg_designs *x, const struct mpg_design_row *a, const struct mpg_design_row *b)
{
    return a->design == b->design && same_program(x, a->trace, b->trace);
}

/* Whether A and B differ in the first swept key alone. */
static bool same_but_first(const struct mpg_designs *x, const struct mpg_design_row *a, const struct mpg_design_row *b)
{
    const size_t n = x->keys->axis[0].n, rest = x->keys->points / n;
    return a->trace == b->trace && a->design / x->keys->points == b->design / x->keys->points &&
           a->design % rest == b->design % rest;
}

static void name_design(const struct mpg_designs *x, const struct mpg_design_row *row, char *text)
{
    char design[TEXT], program[NAME] = "";
    name_short(x, row->design, design);
    if (several_programs(x))
        name_program(x, row->trace, program);
    snprintf(text, TEXT, "%s%s%.300s", program, *program ? ": " : "", x->designs > 1 || !*program ? design : "");
}

static void name_rest(const struct mpg_designs *x, const struct mpg_design_row *row, char *text)
{
    size_t used = (size_t)snprintf(text, TEXT, "%.100s%s%.100s", x->traces > 1 ? last_part(x->trace[row->trace].path) : "",
                                   x->traces > 1 ? ": " : "", last_part(x->target[row->design]));
    for (size_t i = 1; i < x->keys->axes && used < TEXT; i++) {
        char value[64];
        mpg_design_value(x, i, row->design, value, sizeof value);
        used += (size_t)snprintf(text + used, TEXT - used, ", %s %s", x->keys->axis[i].key, value);
    }
}

static bool begins_line(const struct mpg_designs *x, const struct curve *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->same(x, &x->row[k], &x->row[i]))
            return false;
    return true;
}

/* Draws the data of all lines; Y of them over UNIT. */
static int put_lines(struct plot_session *s, const struct mpg_designs *x, const struct curve *c, double x_unit, double y_unit,
                     struct mpg_error *err)
{
    size_t lines = 0, left_out = 0;
    for (size_t i = 0; i < x->n; i++) {
        char name[TEXT], fit[TEXT];
        if (!begins_line(x, c, i))
            continue;
        if (lines == MOST_LINES) {
            left_out++;
            continue;
        }
        for (size_t k = i; k < x->n; k++)
            if (c->same(x, &x->row[i], &x->row[k]))
                fprintf(s->data, "%.15g %.15g\n", c->x(x, &x->row[k]) / x_unit, c->y(&x->row[k]) / y_unit);
        fputs("\n\n", s->data);
        c->name(x, &x->row[i], name);
        fprintf(s->script, "%sdata index %zu using 1:2 %s with linespoints pt %zu ps 0.8 lw 2 dt %zu lc rgb '%s' title ",
                lines > 0 ? ", " : "", lines, c->x == processors_of ? "smooth unique" : "", 4 + lines % 10, 1 + lines / COLOURS,
                colours[lines % COLOURS]);
        mpg_gnuplot_write_string(s->script, mpg_printable(fit, sizeof fit, name));
        lines++;
    }
    return left_out > 0 ? plot_missing(s, err, "%zu more lines of the table: a plot has %d", left_out, MOST_LINES) : 0;
}

static double most_run(const struct mpg_designs *x)
{
    double most_ns = 0;
    for (size_t i = 0; i < x->n; i++)
        most_ns = fmax(most_ns, x->row[i].run.median);
    return most_ns;
}

static double least_run(const struct mpg_designs *x)
{
    double least_ns = INFINITY;
    for (size_t i = 0; i < x->n; i++)
        least_ns = x->row[i].run.median > 0 ? fmin(least_ns, x->row[i].run.median) : least_ns;
    return least_ns;
}

static void put_title(struct plot_session *s, const struct mpg_designs *x, const char *what)
{
    char name[NAME], fit[NAME];
    name_program(x, 0, name);
    plot_title(s->script, what, several_programs(x) ? "" : mpg_printable(fit, sizeof fit, name));
    fputs("set key outside right top vertical\n", s->script);
}

/* Processors, by powers of 2. */
static void put_processors(struct plot_session *s, const struct mpg_designs *x, int32_t *most)
{
    *most = 1;
    for (size_t i = 0; i < x->n; i++)
        *most = x->row[i].processors > *most ? x->row[i].processors : *most;
    fprintf(s->script, "set logscale x 2\nset xlabel 'processors'\nset xtics 1,2,%d\nset xrange [0.93:%g]\n", *most, 1.08 * *most);
}

static int draw_speedup(struct plot_session *s, const struct mpg_designs *x, struct mpg_error *err)
{
    static const struct curve curve = {processors_of, speedup_of, same_design, name_design};
    int32_t most;
    if (plot_start(s, err, "speedup") < 0)
        return -1;
    put_title(s, x, "speed-up");
    put_processors(s, x, &most);
    fputs("set ylabel 'speed-up'\nset logscale y 2\nplot ", s->script);
    if (put_lines(s, x, &curve, 1, 1, err) < 0)
        return -1;
    fprintf(s->script, ", x with lines dt 2 lw 1 lc rgb '%s' title 'as many as processors'\n", PLOT_GREY);
    return plot_finish(s, err);
}

static int draw_run(struct plot_session *s, const struct mpg_designs *x, struct mpg_error *err)
{
    static const struct curve curve = {processors_of, run_of, same_design, name_design};
    int32_t most;
    if (plot_start(s, err, "run") < 0)
        return -1;
    put_title(s, x, "predicted run time");
    put_processors(s, x, &most);
    plot_log_times(s->script, "y", plot_floor(least_run(x), most_run(x)), most_run(x));
    fputs("set ylabel 'run time'\nplot ", s->script);
    if (put_lines(s, x, &curve, 1, 1, err) < 0)
        return -1;
    fputc('\n', s->script);
    return plot_finish(s, err);
}

static int draw_sweep(struct plot_session *s, const struct mpg_designs *x, struct mpg_error *err)
{
    static const struct curve curve = {swept_of, run_of, same_but_first, name_rest};
    const struct mpg_key_axis *axis = &x->keys->axis[0];
    const bool is_time = axis->unit == MPG_KEY_TIME;
    const char *y_name, *x_name = "";
    double least = INFINITY, most = -INFINITY, x_unit = 1;
    for (size_t i = 0; i < axis->n; i++) {
        least = fmin(least, axis->number[i]);
        most = fmax(most, axis->number[i]);
    }
    if (plot_start(s, err, "sweep") < 0)
        return -1;
    put_title(s, x, "predicted run time");
    if (least > 0 && most > 15 * least)
        (is_time ? plot_log_times : plot_log_numbers)(s->script, "x", least, most);
    else if (is_time)
        x_unit = mpg_units_of_time(most, &x_name);
    plot_set(s->script, "xlabel", *x_name ? "%s (%s)" : "%s%s", axis->key, x_name);
    const double y_unit = mpg_units_of_time(most_run(x), &y_name);
    plot_set(s->script, "ylabel", "run time (%s)", y_name);
    fputs("set yrange [0:*]\nplot ", s->script);
    if (put_lines(s, x, &curve, x_unit, y_unit, err) < 0)
        return -1;
    fputc('\n', s->script);
    return plot_finish(s, err);
}

/* --- what time goes to --- */

static int draw_parts(struct plot_session *s, const struct mpg_designs *x, struct mpg_error *err)
{
    static const char *const titles[] = {"work", "calls", "waiting", "serving", "barriers", "no processor"};
    enum { PARTS = sizeof titles / sizeof *titles };
    const char *unit_name;
    const double unit = mpg_units_of_time(most_run(x), &unit_name);
    if (x->n > MOST_BARS)
        return plot_missing(s, err, "what time goes to, of %zu rows: a plot has %d", x->n, MOST_BARS);
    if (plot_start(s, err, "time") < 0)
        return -1;
    put_title(s, x, "what a rank's time goes to, in the mean");
    plot_set(s->script, "ylabel", "time (%s)", unit_name);
    fputs("set xtics rotate by -40 nomirror (", s->script);
    for (size_t i = 0; i < x->n; i++) {
        const struct mpg_design_row *r = &x->row[i];
        const double ranks = x->trace[r->trace].ranks * unit;
        const double parts[PARTS] = {r->work_ns + r->noise_ns, r->call_ns, r->wait_ns, r->service_ns, r->barrier_ns, r->processor_ns};
        char name[TEXT], design[TEXT], fit[NAME];
        double sum = 0;
        name_short(x, r->design, design);
        snprintf(name, sizeof name, "%.60s%s%.100s", x->traces > 1 ? last_part(x->trace[r->trace].path) : "",
                 x->traces > 1 && x->designs > 1 ? ", " : "", x->designs > 1 || x->traces == 1 ? design : "");
        fputs(i > 0 ? ", " : "", s->script);
        mpg_gnuplot_write_string(s->script, mpg_printable(fit, sizeof fit, name));
        fprintf(s->script, " %zu", i);
        fprintf(s->data, "%zu", i);
        for (int k = 0; k < PARTS; k++)
            fprintf(s->data, " %.15g", sum += parts[k] / ranks);
        fprintf(s->data, " %.15g\n", r->run.median / unit);
    }
    fprintf(s->script, ")\nset xrange [-0.7:%.1f]\nset yrange [0:*]\nset boxwidth 0.7\nset style fill solid 0.85 noborder\nplot ",
            (double)x->n - 0.3);
    for (int k = PARTS; k > 0; k--)
        fprintf(s->script, "data using 1:%d with boxes lc rgb '%s' title '%s', ", k + 1, colours[k - 1], titles[k - 1]);
    fprintf(s->script, "data using 1:%d with points pt 2 ps 1 lw 2 lc rgb '#000000' title 'run'\n", PARTS + 2);
    return plot_finish(s, err);
}

/* --- all --- */

/* Whether some line has several numbers of processors. */
static bool has_curves(const struct mpg_designs *x)
{
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < i; k++)
            if (same_design(x, &x->row[i], &x->row[k]) && x->row[i].processors != x->row[k].processors)
                return true;
    return false;
}

static bool sweeps_numbers(const struct mpg_designs *x)
{
    bool are = x->keys->axes > 0;
    for (size_t i = 0; are && i < x->keys->axis[0].n; i++)
        are = !isnan(x->keys->axis[0].number[i]);
    return are;
}

int mpg_designs_draw(struct plot_session *s, const void *designs, struct mpg_error *err)
{
    const struct mpg_designs *x = designs;
    if (!(most_run(x) > 0))
        return mpg_error_set(err, "--plot: no run takes any time: nothing to draw");
    if (has_curves(x) && (draw_speedup(s, x, err) < 0 || draw_run(s, x, err) < 0))
        return -1;
    if (sweeps_numbers(x) && draw_sweep(s, x, err) < 0)
        return -1;
    return draw_parts(s, x, err);
}
