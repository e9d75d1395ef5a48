/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws table rows as lines of a plot. */
#include <string.h>

#include "common/plots/plots.h"
#include "common/printable.h"
#include "common/table/escape.h"

static const char *const colours[] = {PLOT_BLUE, PLOT_ORANGE, PLOT_GREEN, PLOT_PURPLE, PLOT_SKY_BLUE, PLOT_YELLOW, PLOT_GREY,
                                      "#000000"};
enum { COLOURS = sizeof colours / sizeof *colours };

const char *mpg_plot_colour(size_t line)
{
    return colours[line % COLOURS];
}

const char *mpg_plot_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool begins_line(const struct plot_lines *l, size_t row)
{
    for (size_t k = 0; k < row; k++)
        if (l->same(l->of, k, row))
            return false;
    return true;
}

static void put_points(const struct plot_lines *l, size_t first, FILE *data)
{
    for (size_t k = first; k < l->rows; k++) {
        struct plot_point p = {0};
        if (!l->same(l->of, first, k))
            continue;
        l->point(l->of, k, &p);
        if (l->bands)
            fprintf(data, "%.15g %.15g %.15g %.15g\n", p.x, p.y, p.low, p.high);
        else
            fprintf(data, "%.15g %.15g\n", p.x, p.y);
    }
    fputs("\n\n", data);
}

static void put_line(const struct plot_lines *l, size_t row, size_t line, FILE *script)
{
    char name[PLOT_LINE_NAME] = "", fit[PLOT_LINE_NAME];
    if (l->bands)
        fprintf(script,
                "data index %zu using 1:3:4 with filledcurves lc rgb '%s' notitle, data index %zu using 1:2 with "
                "linespoints pt 7 ps 0.6 lw 2 lc rgb '%s' ",
                line, mpg_plot_colour(line), line, mpg_plot_colour(line));
    else
        fprintf(script, "data index %zu using 1:2 %s with linespoints pt %zu ps 0.8 lw 2 dt %zu lc rgb '%s' ", line,
                l->unique ? "smooth unique" : "", 4 + line % 10, 1 + line / COLOURS, mpg_plot_colour(line));
    l->name(l->of, row, name);
    fputs(*name ? "title " : "notitle", script);
    if (*name)
        mpg_gnuplot_write_string(script, mpg_printable(fit, sizeof fit, name));
}

int mpg_plot_put_lines(struct plot_session *s, const struct plot_lines *l, struct mpg_error *err)
{
    size_t lines = 0, left_out = 0;
    for (size_t i = 0; i < l->rows; i++) {
        if (!begins_line(l, i))
            continue;
        if (lines == l->max) {
            left_out++;
            continue;
        }
        put_points(l, i, s->data);
        fputs(lines > 0 ? ", " : "", s->script);
        put_line(l, i, lines++, s->script);
    }
    return left_out > 0 ? mpg_plot_missing(s, err, "%zu more lines of the %s: a plot has %zu", left_out, l->table, l->max) : 0;
}
