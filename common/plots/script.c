/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot scripts of plots: files, texts and axes. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/plots/plots.h"
#include "common/table/escape.h"
#include "common/units.h"

/* ---- the two files of a plot ---- */

static FILE *open_file(const struct plot_session *session, const char *name, const char *ending,
                       struct mpg_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s", session->work_folder, name, ending) < 0) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    FILE *file = fopen(path, "w");
    if (!file)
        mpg_error_errno(err, errno, "%s", path);
    free(path);
    return file;
}

int mpg_plot_start(struct plot_session *session, struct mpg_error *err, const char *format, ...)
{
    void *grown = realloc(session->name, (session->names + 1) * sizeof *session->name);
    va_list args;
    if (!grown)
        return mpg_error_set(err, "out of memory");
    session->name = grown;
    if (mpg_plot_interruption(err) < 0)
        return -1;
    char *name = session->name[session->names];
    va_start(args, format);
    vsnprintf(name, PLOT_NAME, format, args);
    va_end(args);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_' && *p != '.')
            *p = '-';
    if (!(session->script = open_file(session, name, ".gp", err)) ||
        !(session->data = open_file(session, name, ".dat", err)))
        return -1;
    fprintf(session->script,
            "# made by %s of mpgkit; 'gnuplot %s.gp' draws %s.svg and %s.png\n"
            "set encoding utf8\n"
            "set terminal svg size 960,600 dynamic noenhanced font 'sans,14' background '#ffffff'\n"
            "set output '%s.svg'\n"
            "data = '%s.dat'\n"
            "set border 3 lc rgb '#444444'\n"
            "set tics nomirror out textcolor rgb '#222222'\n"
            "set grid xtics ytics lt 1 lc rgb '#dddddd' lw 0.8\n"
            "set tmargin at screen 0.83\n"
            "set key at graph 1,1.01 right bottom Right horizontal samplen 1.5\n",
            session->options->maker, name, name, name, name, name);
    return 0;
}

/* Closes *FILE. Returns true if all data were written. */
static bool close_file(FILE **file)
{
    bool good = !ferror(*file);
    good = fclose(*file) == 0 && good;
    *file = NULL;
    return good;
}

int mpg_plot_finish(struct plot_session *session, struct mpg_error *err)
{
    const char *name = session->name[session->names];
    fprintf(session->script,
            "set output\n"
            "if (strstrt(GPVAL_TERMINALS, ' pngcairo ')) {\n"
            "    set terminal pngcairo size 1440,900 noenhanced font 'sans,14' fontscale 1.5 "
            "linewidth 1.5 pointscale 1.5 background '#ffffff'\n"
            "} else {\n"
            "    set terminal png size 1440,900 noenhanced giant linewidth 1.5\n"
            "}\n"
            "set output '%s.png'\n"
            "replot\n"
            "set output\n", name);
    errno = 0;
    bool script = close_file(&session->script), data = close_file(&session->data);
    if (!script || !data)
        return mpg_error_errno(err, errno ? errno : EIO, "%s: cannot write",
                               session->options->folder);
    session->names++;
    return 0;
}

int mpg_plot_missing(struct plot_session *session, struct mpg_error *err, const char *format, ...)
{
    struct mpg_plot_outcome *outcome = session->outcome;
    va_list args;
    char *line = NULL;
    char **grown = realloc(outcome->why, (outcome->missing + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    outcome->why = grown;
    va_start(args, format);
    int length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0)
        return mpg_error_set(err, "out of memory");
    outcome->why[outcome->missing++] = line;
    return 0;
}

/* ---- texts ---- */

void mpg_plot_set(FILE *script, const char *command, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(script, "set %s ", command);
    mpg_gnuplot_write_string(script, text);
    putc('\n', script);
}

/* Returns the font size, in points and at most LARGEST, with which TEXT fits between the plot's margins. */
static int letters_of(const char *text, int largest)
{
    enum { WIDTH = 1650, SMALLEST = 7 }; /* WIDTH: number of characters that fit between the margins, times the font size */
    const int fitting = WIDTH / (int)(strlen(text) + 1);
    return fitting > largest ? largest : fitting < SMALLEST ? SMALLEST : fitting;
}

void mpg_plot_title(FILE *script, const char *first, const char *second)
{
    fputs("set label ", script);
    mpg_gnuplot_write_string(script, first);
    fprintf(script, " at screen 0.02,0.96 left front font 'sans,%d'\nset label ", letters_of(first, 17));
    mpg_gnuplot_write_string(script, second);
    fprintf(script, " at screen 0.02,0.905 left front font 'sans,%d' textcolor rgb '%s'\n", letters_of(second, 13), PLOT_GREY);
}

char *mpg_plot_size_name(char *buf, int64_t size_bytes)
{
    if (size_bytes < 65536 && size_bytes % 1024 != 0)
        snprintf(buf, PLOT_TEXT, "%d B", (int)size_bytes);
    else
        mpg_units_format_size(buf, PLOT_TEXT, size_bytes);
    char *space = strchr(buf, ' ');
    if (space)
        memmove(space, space + 1, strlen(space));
    return buf;
}

/* ---- axes ---- */

static void format_time(char *buf, double value)
{
    mpg_units_format_time(buf, PLOT_TEXT, value);
}

static void format_rate(char *buf, double value)
{
    if (value >= 1e3)
        snprintf(buf, PLOT_TEXT, "%g GB/s", value / 1e3);
    else if (value >= 1)
        snprintf(buf, PLOT_TEXT, "%g MB/s", value);
    else
        snprintf(buf, PLOT_TEXT, "%g kB/s", value * 1e3);
}

static void format_number(char *buf, double value)
{
    int exponent = (int)floor(log10(value) + 1e-9);
    if (exponent > 4 || exponent < -3)
        snprintf(buf, PLOT_TEXT, "%.0fe%d", value / pow(10, exponent), exponent);
    else
        snprintf(buf, PLOT_TEXT, "%g", value);
}

/* Smallest and largest value shown on an axis; a signature can contain any number. */
static const double min_shown = 1e-200, max_shown = 1e200;
enum { MAX_DECADES = 15 };

double mpg_plot_floor(double low, double high)
{
    if (!(high >= min_shown && high <= max_shown))
        return 0;
    if (!(low > 0 && low <= high))
        low = high;
    return fmax(low, high * pow(10, -MAX_DECADES));
}

/* Writes a logarithmic axis with labels at powers of ten. An axis of few decades also has labels at 2 and 5 times the powers
 * of ten. */
static void log_axis(FILE *script, const char *axis, double low, double high,
                     void (*format)(char *, double))
{
    static const double marks[] = {1, 2, 3, 5, 7, 10};
    char text[PLOT_TEXT];
    double decades = log10(high / low);
    const char *separator = "";
    /* Extend to the next mark: no point lies on the frame. */
    int first_decade = (int)floor(log10(low)), last_decade = (int)floor(log10(high));
    double first = pow(10, first_decade), last = pow(10, last_decade);
    double from = first, to = last;
    for (int m = 0; m < 6; m++) {
        if (first * marks[m] < low * 0.999)
            from = first * marks[m];
        if (m > 0 && to <= high * 1.001)
            to = last * marks[m];
    }
    fprintf(script, "set logscale %s 10\nset %srange [%.10g:%.10g]\nset %stics (", axis, axis,
            from / 1.01, to * 1.01, axis); /* the margin of 1 %: gnuplot omits a label exactly on the edge */
    for (int i = 0; i <= last_decade - first_decade + 1 && i <= MAX_DECADES + 2; i++) {
        double decade = pow(10, first_decade + i);
        for (int m = 1; m < 10 && decade <= to; m++) {
            bool labelled = m == 1 || (decades < 2.5 && (m == 2 || m == 5)) ||
                            (decades < 0.7 && m == 3);
            format(text, decade * m);
            fprintf(script, "%s", separator);
            mpg_gnuplot_write_string(script, labelled ? text : "");
            fprintf(script, " %.10g %d", decade * m, labelled ? 0 : 1);
            separator = ", ";
        }
    }
    fputs(")\n", script);
}

void mpg_plot_log_times(FILE *script, const char *axis, double low_ns, double high_ns)
{
    log_axis(script, axis, low_ns, high_ns, format_time);
}

void mpg_plot_log_rates(FILE *script, const char *axis, double low, double high)
{
    log_axis(script, axis, low, high, format_rate);
}

void mpg_plot_log_numbers(FILE *script, const char *axis, double low, double high)
{
    log_axis(script, axis, low, high, format_number);
}

double mpg_plot_size_position(int64_t size_bytes, const int64_t *sizes, size_t n)
{
    if (size_bytes > 0)
        return (double)size_bytes;
    /* A logarithmic axis has no place for 0: 0 is placed left of all nonzero sizes. */
    for (size_t i = 0; i < n; i++)
        if (sizes[i] > 0)
            return (double)sizes[i] / 4;
    return 1;
}

static bool is_round(int64_t size_bytes)
{
    return (size_bytes & (size_bytes - 1)) == 0;
}

void mpg_plot_log_sizes(FILE *script, const int64_t *size_bytes, size_t n)
{
    enum { LABELS = 9, ENOUGH = 3 };
    char text[PLOT_TEXT];
    double low = mpg_plot_size_position(size_bytes[0], size_bytes, n);
    double high = mpg_plot_size_position(size_bytes[n - 1], size_bytes, n);
    double room = log2(high / low) / LABELS, labelled = -INFINITY;
    size_t round = 0;
    for (size_t i = 0; i < n; i++)
        round += is_round(size_bytes[i]);
    fprintf(script, "set logscale x 2\nset xrange [%.10g:%.10g]\nset xtics (", low / 1.4, high * 1.4);
    for (size_t i = 0; i < n; i++) {
        double at = mpg_plot_size_position(size_bytes[i], size_bytes, n);
        bool label = log2(at) - labelled >= room * 0.999 &&
                     (round < ENOUGH || is_round(size_bytes[i]));
        if (label)
            labelled = log2(at);
        fprintf(script, "%s", i > 0 ? ", " : "");
        mpg_gnuplot_write_string(script, label ? mpg_plot_size_name(text, size_bytes[i]) : "");
        fprintf(script, " %.10g %d", at, label ? 0 : 1);
    }
    fputs(")\nset xlabel 'message size'\n", script);
}
