/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of noise for each core: FTQ over time, detours, spectrum. */
#include "config.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "common/units.h"
#include "signature/show/plot_private.h"

/* Detours are drawn as dots on a grid: dots in a common cell are merged, to keep files small. With more than MAX_DOTS occupied
 * cells the grid becomes coarser. */
enum { COLUMNS = 960, ROWS = 480, MAX_DOTS = 30000, COARSEST = 8 };

enum { MARKED_LINES = 8 };

struct core_names {
    char title[160]; /* "vm, core 3" */
    char file[96];   /* "core3", "vm-core3" */
};

static struct core_names names_of(const struct mpg_signature *sig, const struct mpg_noise_core *c)
{
    struct core_names names;
    const char *host = c->host ? c->host : mpg_fact_find(sig->fact, sig->facts, "host");
    char shown[121]; /* of a long name, mpg_printable() keeps only whole characters */
    snprintf(names.title, sizeof names.title, "%s%score %d",
             mpg_printable(shown, sizeof shown, host ? host : ""), host ? ", " : "", c->core);
    snprintf(names.file, sizeof names.file, "%.64s%score%d", c->host ? c->host : "",
             c->host ? "-" : "", c->core);
    return names;
}

/* Returns the median of N values; -1: out of memory. */
static double median_of(const double *value, size_t n)
{
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return -1;
    memcpy(sorted, value, n * sizeof *sorted);
    gsl_sort(sorted, 1, n);
    double median = sorted[n / 2];
    free(sorted);
    return median;
}

static double max_of(const double *value, size_t n)
{
    double max = value[0];
    for (size_t i = 1; i < n; i++)
        max = fmax(max, value[i]);
    return max;
}

/* Returns the length, ns, of the most readable unit (s, ms, us, ns) for VALUE_NS; *NAME: name of the unit. */
static double time_unit(double value_ns, const char **name)
{
    static const struct {
        const char *name;
        double ns;
    } unit[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    int i = 0;
    while (i < 3 && value_ns < 2 * unit[i].ns)
        i++;
    *name = unit[i].name;
    return unit[i].ns;
}

/* ---- FTQ over time ---- */

static int plot_series(struct plot_session *session, const struct mpg_signature *sig,
                       const struct mpg_noise_core *c, struct mpg_error *err)
{
    const struct mpg_noise_series *s = &c->series;
    struct core_names names = names_of(sig, c);
    char first[256], second[256], text[SHOW_TEXT];
    const char *unit, *time;
    double max = max_of(s->max, s->n), median = median_of(s->max, s->n);
    /* on a linear axis, rare large values would flatten the curve: logarithmic if the maximum is far above the median */
    bool log = median > 0 && max > 30 * median && mpg_plot_floor(median, max) > 0;
    double scale = log ? 1 : time_unit(max, &unit), span = time_unit((double)s->n * s->step, &time);
    double low = log ? mpg_plot_floor(median / 10, max) : 0;
    bool same = memcmp(s->mean, s->max, s->n * sizeof *s->mean) == 0;
    if (mpg_plot_start(session, err, "ftq-%s", names.file) < 0)
        return -1;
    for (size_t i = 0; i < s->n; i++)
        fprintf(session->data, "%.7g %.6g %.6g\n", ((double)i + 0.5) * s->step / span,
                fmax(low, s->mean[i]) / scale, fmax(low, s->max[i]) / scale);
    snprintf(first, sizeof first, "%s: time lost in each quantum of %s (FTQ)", names.title,
             mpg_units_format_time(text, sizeof text, c->ftq.quantum_ns));
    mpg_units_format_time(text, sizeof text, s->step);
    if (c->ftq.lost_ns)
        snprintf(second, sizeof second, "%zu quanta, %.3g %% of the time lost%s%s",
                 c->ftq.lost_ns->n, 100 * c->ftq.lost_ns->mean / c->ftq.quantum_ns,
                 same ? "" : "; a point covers ", same ? "" : text);
    else
        snprintf(second, sizeof second, "a point covers %s", text);
    mpg_plot_title(session->script, first, second);
    mpg_plot_set(session->script, "xlabel", "time since the start (%s)", time);
    if (log) {
        mpg_plot_set(session->script, "ylabel", "time lost in a quantum");
        mpg_plot_log_times(session->script, "y", low, max);
    } else {
        mpg_plot_set(session->script, "ylabel", "time lost in a quantum (%s)", unit);
        fprintf(session->script, "set yrange [0:*]\n");
    }
    fprintf(session->script, "set xrange [0:%.7g]\n", (double)s->n * s->step / span);
    if (same)
        fprintf(session->script, "plot data using 1:3 with points pt 7 ps 0.3 lc rgb '%s' notitle\n",
                PLOT_BLUE);
    else
        fprintf(session->script, "plot data using 1:3 with points pt 7 ps 0.3 lc rgb '%s' "
                "title 'worst quantum', data using 1:2 with lines lw 1.2 lc rgb '%s' "
                "title 'mean'\n", PLOT_SKY_BLUE, PLOT_ORANGE);
    return mpg_plot_finish(session, err);
}

/* ---- detours ---- */

/* Grid that counts the detours of a core. */
struct dots {
    unsigned max;  /* number of detours in the fullest cell */
    int coarse;    /* width and height of a cell, in cells of the finest grid */
};

/* Returns the index of VALUE among N equal cells from LOW to HIGH; values outside belong to the first or last cell. */
static size_t place_of(double value, double low, double high, int n)
{
    double at = (value - low) / (high - low) * (n - 1);
    return at > 0 ? (size_t)fmin(at, n - 1) : 0;
}

/* Returns the index of the cell with C's detour I: columns by start, rows by duration (LOW to HIGH ns, logarithmic).
 * COARSE: struct dots. */
static size_t cell_of(const struct mpg_noise_core *c, size_t i, double low, double high, int coarse)
{
    double duration = fmax(c->duration_ns[i], low);
    size_t x = place_of(c->start_ns[i], 0, c->span_ns, COLUMNS / coarse);
    size_t y = place_of(log(duration), log(low), log(high), ROWS / coarse);
    return y * (size_t)(COLUMNS / coarse) + x;
}

static size_t count_cells(const struct mpg_noise_core *c, double low, double high,
                          struct dots *dots, unsigned *cell)
{
    size_t occupied = 0;
    memset(cell, 0, (size_t)COLUMNS * ROWS * sizeof *cell);
    dots->max = 0;
    for (size_t i = 0; i < c->detours; i++) {
        unsigned *here = &cell[cell_of(c, i, low, high, dots->coarse)];
        occupied += ++*here == 1;
        dots->max = *here > dots->max ? *here : dots->max;
    }
    return occupied;
}

/* Writes a line "start duration count" for each occupied cell: start in UNIT ns and duration of the first detour in the
 * cell. */
static int write_dots(FILE *data, const struct mpg_noise_core *c, double unit, double low,
                      double high, struct dots *dots, struct mpg_error *err)
{
    unsigned *cell = malloc((size_t)COLUMNS * ROWS * sizeof *cell);
    if (!cell)
        return mpg_error_set(err, "out of memory");
    dots->coarse = 1;
    while (count_cells(c, low, high, dots, cell) > MAX_DOTS && dots->coarse < COARSEST)
        dots->coarse *= 2;
    for (size_t i = 0; i < c->detours; i++) {
        unsigned *here = &cell[cell_of(c, i, low, high, dots->coarse)];
        if (*here > 0)
            fprintf(data, "%.7g %.6g %u\n", c->start_ns[i] / unit, fmax(c->duration_ns[i], low),
                    *here);
        *here = 0;
    }
    free(cell);
    return 0;
}

/* Draws the detours in C's list: all detours of a complete record, or the list made by plot_detours(). */
static int plot_kept(struct plot_session *session, const struct mpg_signature *sig,
                     const struct mpg_noise_core *c, struct mpg_error *err)
{
    struct core_names names = names_of(sig, c);
    char first[256], second[256], median[SHOW_TEXT], tail[SHOW_TEXT], span[SHOW_TEXT];
    const char *time;
    double unit = time_unit(c->span_ns, &time), high = max_of(c->duration_ns, c->detours);
    double low = high;
    for (size_t i = 0; i < c->detours; i++)
        if (c->duration_ns[i] > 0)
            low = fmin(low, c->duration_ns[i]);
    if (c->threshold_ns > 0)
        low = fmin(low, c->threshold_ns);
    if (!((low = mpg_plot_floor(low, high)) > 0))
        return mpg_plot_missing(session, err, "detours of core %d: all of them last 0 ns", c->core);
    high = fmax(high, 2 * low);
    if (mpg_plot_start(session, err, "detours-%s", names.file) < 0)
        return -1;
    struct dots dots = {0};
    if (write_dots(session->data, c, unit, low, high, &dots, err) < 0)
        return -1;
    bool crowded = dots.coarse > 1 || dots.max > 20;
    snprintf(first, sizeof first, "%s: detours, %.5g a second, %.3g %% of %s lost", names.title,
             (double)mpg_noise_core_recorded(c) / (c->span_ns * 1e-9), 100 * c->fraction_lost,
             mpg_units_format_time(span, sizeof span, c->span_ns));
    if (c->length_ns)
        snprintf(second, sizeof second, "duration: median %s, 99 %% below %s%s",
                 mpg_units_format_time(median, sizeof median,
                                       mpg_distribution_quantile(c->length_ns, 0.5)),
                 mpg_units_format_time(tail, sizeof tail,
                                       mpg_distribution_quantile(c->length_ns, 0.99)),
                 c->blocks.recorded > 0 ? "; drawn: the longest, and some blocks of the others"
                 : crowded ? "" : dots.max > 1 ? "; dots that coincide are drawn once" : "");
    else
        snprintf(second, sizeof second, "one detour");
    mpg_plot_title(session->script, first, second);
    mpg_plot_set(session->script, "xlabel", "start (%s)", time);
    mpg_plot_set(session->script, "ylabel", "duration");
    mpg_plot_log_times(session->script, "y", low, high);
    fprintf(session->script, "set xrange [0:%.7g]\n", c->span_ns / unit);
    if (crowded)
        fprintf(session->script, "set palette defined (0 '#6baed6', 0.5 '#2171b5', 1 '#08204b')\n"
                "set logscale cb\nset cbrange [1:%u]\nset cblabel 'detours that a dot stands for'\n"
                "plot data using 1:2:3 with points pt 7 ps %g lc palette notitle", dots.max,
                0.15 + 0.2 * dots.coarse);
    else
        fprintf(session->script, "plot data using 1:2 with points pt 7 ps 0.35 lc rgb '%s' notitle",
                PLOT_BLUE);
    if (c->threshold_ns > 0) {
        char threshold[SHOW_TEXT], key[2 * SHOW_TEXT];
        snprintf(key, sizeof key, "threshold: shorter ones than %s were not seen",
                 mpg_units_format_time(threshold, sizeof threshold, c->threshold_ns));
        fprintf(session->script, ", %.7g with lines dt 2 lw 1.5 lc rgb '%s' title ",
                c->threshold_ns, PLOT_ORANGE);
        mpg_gnuplot_write_string(session->script, key);
    }
    putc('\n', session->script);
    return mpg_plot_finish(session, err);
}

/* Draws C's detours. Of a truncated record: the longest detours, and the detours in the sampled blocks. */
static int plot_detours(struct plot_session *session, const struct mpg_signature *sig,
                        const struct mpg_noise_core *c, struct mpg_error *err)
{
    const struct mpg_noise_blocks *b = &c->blocks;
    struct mpg_noise_core view = *c;
    if (b->recorded == 0)
        return plot_kept(session, sig, c, err);
    view.detours = 0;
    view.start_ns = malloc((c->detours + b->detours + 1) * sizeof *view.start_ns);
    view.duration_ns = malloc((c->detours + b->detours + 1) * sizeof *view.duration_ns);
    int status = view.start_ns && view.duration_ns ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; status == 0 && i < c->detours + b->detours; i++) {
        bool longest = i < c->detours;
        double duration_ns = longest ? c->duration_ns[i] : b->duration_ns[i - c->detours];
        if (!longest && c->detours > 0 && duration_ns >= b->min_ns)
            continue; /* already in the core's list of longest detours */
        view.start_ns[view.detours] = longest ? c->start_ns[i] : b->start_ns[i - c->detours];
        view.duration_ns[view.detours++] = duration_ns;
    }
    if (status == 0)
        status = plot_kept(session, sig, &view, err);
    free(view.duration_ns);
    free(view.start_ns);
    return status;
}

/* ---- spectrum ---- */

/* Returns the height of a mark at FREQUENCY_HZ in spectrum S: the largest power density of the bins around FREQUENCY_HZ, at least
 * LOW. */
static double density_at(const struct mpg_noise_series *s, double frequency_hz, double low)
{
    double at = fmin(frequency_hz / s->step, (double)s->n), density = low;
    size_t from = at > 2 ? (size_t)(at - 1) : 1, to = (size_t)(at + 2);
    for (size_t i = from; i < to && i < s->n; i++)
        density = fmax(density, s->max[i]);
    return density;
}

/* Writes C's fundamentals or, if HARMONICS, harmonics, as a data set for marks; nothing if C has none. Returns the number of
 * marks. */
static size_t write_lines(FILE *data, const struct mpg_noise_core *c, bool harmonics, double low)
{
    size_t n = 0;
    for (size_t i = 0; i < c->lines; i++) {
        double frequency_hz = c->line[i].frequency_hz;
        if ((c->line[i].harmonic_of_hz > 0) == harmonics)
            fprintf(data, "%s%.8g %.6g\n", n++ == 0 ? "\n\n" : "", frequency_hz,
                    density_at(&c->spectrum, frequency_hz, low));
    }
    return n;
}

/* Labels the strongest fundamentals, as far as the labels do not overlap. */
static void mark_lines(FILE *script, const struct mpg_noise_core *c, double low, double decades)
{
    double taken[MARKED_LINES];
    size_t n = 0;
    for (size_t i = 0; i < c->lines && n < MARKED_LINES; i++) {
        const struct mpg_noise_line *line = &c->line[i];
        char text[SHOW_TEXT];
        bool room = line->harmonic_of_hz == 0 && line->frequency_hz >= c->spectrum.step;
        for (size_t j = 0; j < n && room; j++)
            room = fabs(log10(line->frequency_hz / taken[j])) > decades / 12;
        if (!room)
            continue;
        taken[n++] = line->frequency_hz;
        snprintf(text, sizeof text, "%.4g Hz", line->frequency_hz);
        fputs("set label ", script);
        mpg_gnuplot_write_string(script, text);
        fprintf(script, " at %.8g,%.6g center offset 0,0.9 front textcolor rgb '%s'\n",
                line->frequency_hz, density_at(&c->spectrum, line->frequency_hz, low), PLOT_ORANGE);
    }
}

static int plot_spectrum(struct plot_session *session, const struct mpg_signature *sig,
                         const struct mpg_noise_core *c, struct mpg_error *err)
{
    const struct mpg_noise_series *s = &c->spectrum;
    struct core_names names = names_of(sig, c);
    char first[256], second[256];
    double high = 0, low = INFINITY;
    for (size_t i = 1; i < s->n; i++) {
        high = fmax(high, s->max[i]);
        if (s->mean[i] > 0)
            low = fmin(low, s->mean[i]);
    }
    if (s->n < 3 || !(mpg_plot_floor(low, high) > 0) || !(mpg_plot_floor(s->step, s->step) > 0))
        return mpg_plot_missing(session, err, "spectrum of core %d: it has no power", c->core);
    low = fmax(fmin(low, high / 10), high * 1e-9);
    if (mpg_plot_start(session, err, "spectrum-%s", names.file) < 0)
        return -1;
    for (size_t i = 1; i < s->n; i++)
        fprintf(session->data, "%.8g %.6g %.6g\n", (double)i * s->step, fmax(low, s->mean[i]),
                fmax(low, s->max[i]));
    size_t fundamentals = write_lines(session->data, c, false, low);
    size_t harmonics = write_lines(session->data, c, true, low);
    snprintf(first, sizeof first, "%s: power spectrum of the time lost (FTQ)", names.title);
    if (c->lines > 0)
        snprintf(second, sizeof second, "%zu significant lines, false alarm below %.2g", c->lines,
                 c->false_alarm);
    else
        snprintf(second, sizeof second, "no significant line, false alarm below %.2g",
                 c->false_alarm);
    mpg_plot_title(session->script, first, second);
    mpg_plot_set(session->script, "xlabel", "frequency (Hz)");
    mpg_plot_set(session->script, "ylabel", "power spectral density (ns² / Hz)");
    mpg_plot_log_numbers(session->script, "x", s->step, (double)(s->n - 1) * s->step);
    fprintf(session->script, "set xrange [%.8g:%.8g]\n", s->step, (double)(s->n - 1) * s->step);
    mpg_plot_log_numbers(session->script, "y", low, high * 3);
    mark_lines(session->script, c, low, log10((double)s->n));
    fprintf(session->script, "plot data index 0 using 1:3 with lines lw 1 lc rgb '%s' title "
            "'density'", PLOT_BLUE);
    if (fundamentals > 0)
        fprintf(session->script, ", data index 1 using 1:2 with points pt 7 ps 0.9 lc rgb '%s' "
                "title 'line'", PLOT_ORANGE);
    if (harmonics > 0)
        fprintf(session->script, ", data index %d using 1:2 with points pt 6 ps 0.8 lw 1.3 "
                "lc rgb '%s' title 'harmonic'", fundamentals > 0 ? 2 : 1, PLOT_ORANGE);
    putc('\n', session->script);
    return mpg_plot_finish(session, err);
}

/* ---- all cores ---- */

static int plot_core(struct plot_session *session, const struct mpg_signature *sig,
                     const struct mpg_noise_core *c, struct mpg_error *err)
{
    char text[SHOW_TEXT];
    show_core_name(text, c->host, c->core);
    if (c->series.n > 0 ? plot_series(session, sig, c, err) < 0
                        : mpg_plot_missing(session, err, "FTQ of core %s: no series", text) < 0)
        return -1;
    if (mpg_noise_core_recorded(c) > 0 ? plot_detours(session, sig, c, err) < 0
                                       : mpg_plot_missing(session, err, "detours of core %s: no detours", text) < 0)
        return -1;
    return c->spectrum.n > 0 ? plot_spectrum(session, sig, c, err)
                             : mpg_plot_missing(session, err, "spectrum of core %s: no spectrum", text);
}

int plot_noise(struct plot_session *session, const struct mpg_signature *sig,
               struct mpg_error *err)
{
    size_t max = session->options->all ? sig->cores : SHOW_CORES;
    if (sig->cores == 0)
        return mpg_plot_missing(session, err, "noise: no cores");
    for (size_t i = 0; i < sig->cores && i < max; i++)
        if (plot_core(session, sig, &sig->core[i], err) < 0)
            return -1;
    if (sig->cores > max)
        return mpg_plot_missing(session, err, "%zu more cores (--all draws them)", sig->cores - max);
    return 0;
}
