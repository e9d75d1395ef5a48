/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of messages: latency CDFs; latency, bandwidth and collectives by size. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "common/units.h"
#include "signature/show/plot_private.h"

/* Colours of the message sizes in a CDF plot, from dark to light. */
static const char *const ordered_colours[] = {"#440154", "#46327e", "#365c8d", "#277f8e",
                                              "#1fa187", "#4ac16d", "#8fbc1c", "#d8a800"};
enum { CURVES = sizeof ordered_colours / sizeof *ordered_colours };

static const char *const colours[] = {PLOT_BLUE, PLOT_ORANGE, PLOT_GREEN, PLOT_PURPLE, PLOT_YELLOW,
                                      PLOT_SKY_BLUE};
enum { COLOURS = sizeof colours / sizeof *colours };

struct path_names {
    char title[192]; /* "vm, core complex" */
    char file[32];   /* "core-complex" */
};

static struct path_names names_of(const struct mpg_signature *sig,
                                  const struct mpg_network_path *path)
{
    struct path_names names;
    const char *host = mpg_fact_find(sig->fact, sig->facts, "host");
    char shown[121]; /* of a long name, mpg_printable() keeps only whole characters */
    snprintf(names.title, sizeof names.title, "%s%s%s",
             mpg_printable(shown, sizeof shown, host ? host : ""), host ? ", " : "",
             mpg_path_name(path->path));
    snprintf(names.file, sizeof names.file, "%s", mpg_path_name(path->path));
    return names;
}

/* ---- latency CDFs ---- */

static int plot_cdfs(struct plot_session *session, const struct mpg_signature *sig,
                     const struct mpg_network_path *path, struct mpg_error *err)
{
    const struct mpg_network_sizes *sizes = &path->latency;
    struct path_names names = names_of(sig, path);
    char first[256], text[SHOW_TEXT];
    double low = INFINITY, high = 0;
    size_t curve = 0, picked = sizes->n < CURVES ? sizes->n : (size_t)CURVES;
    for (size_t i = 0; i < sizes->n; i++) {
        const struct mpg_distribution *d = sizes->size[i].time_ns;
        for (size_t k = 0; k < d->knots; k++)
            if (d->quantiles[k] > 0)
                low = fmin(low, d->quantiles[k]);
        high = fmax(high, d->quantiles[d->knots - 1]);
    }
    if (!((low = mpg_plot_floor(low, high)) > 0))
        return mpg_plot_missing(session, err, "latency CDFs, %s: all are 0", names.file);
    if (mpg_plot_start(session, err, "latency-cdf-%s", names.file) < 0)
        return -1;
    for (size_t i = 0; i < sizes->n; i++) {
        const struct mpg_distribution *d = sizes->size[i].time_ns;
        if (!show_picked(i, sizes->n, CURVES))
            continue;
        for (size_t k = 0; k < d->knots; k++)
            fprintf(session->data, "%.8g %.6g\n", fmax(low, d->quantiles[k]),
                    d->probabilities[k]);
        fputs("\n\n", session->data);
    }
    snprintf(first, sizeof first, "%s: latency, one way", names.title);
    mpg_plot_title(session->script, first, path->one_way ? path->one_way : "");
    mpg_plot_set(session->script, "xlabel", "one-way latency");
    mpg_plot_set(session->script, "ylabel", "fraction of the messages at most this long");
    mpg_plot_log_times(session->script, "x", low, fmax(high, 2 * low));
    fputs("set yrange [0:1]\nset ytics 0.1\n"
          "set key outside right center vertical Left reverse maxrows 20 title 'size'\n",
          session->script);
    for (size_t i = 0; i < sizes->n; i++) {
        if (!show_picked(i, sizes->n, CURVES))
            continue;
        size_t colour = picked > 1 ? curve * (CURVES - 1) / (picked - 1) : 0;
        fprintf(session->script, "%s index %zu using 1:2 with lines lw 2 lc rgb '%s' title ",
                curve == 0 ? "plot data" : ", data", curve, ordered_colours[colour]);
        mpg_gnuplot_write_string(session->script, mpg_plot_size_name(text, sizes->size[i].size_bytes));
        curve++;
    }
    putc('\n', session->script);
    return mpg_plot_finish(session, err);
}

/* ---- by size: a band from p1 to p99 with the median ---- */

static const double band[] = {0.01, 0.5, 0.99};
enum { BAND = sizeof band / sizeof *band };

/* Range of the axes: the N message sizes, ascending, and the smallest and largest value (time or rate). */
struct frame {
    int64_t *size_bytes;
    size_t n;
    double low, high;
};

static int frame_add_size(struct frame *frame, int64_t size_bytes, struct mpg_error *err)
{
    size_t i = frame->n;
    while (i > 0 && frame->size_bytes[i - 1] > size_bytes)
        i--;
    if (i > 0 && frame->size_bytes[i - 1] == size_bytes)
        return 0;
    int64_t *grown = realloc(frame->size_bytes, (frame->n + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    frame->size_bytes = grown;
    memmove(&grown[i + 1], &grown[i], (frame->n++ - i) * sizeof *grown);
    grown[i] = size_bytes;
    return 0;
}

/* Extends the axis of values to VALUE. Ignores infinite values: the rate of a transfer time of 0. */
static void frame_add_value(struct frame *frame, double value)
{
    if (value > 0 && isfinite(value)) {
        frame->low = fmin(frame->low, value);
        frame->high = fmax(frame->high, value);
    }
}

/* Sets the lower end of the axis of values. Returns whether FRAME has values to draw. */
static bool frame_settle(struct frame *frame)
{
    frame->low = mpg_plot_floor(frame->low, frame->high);
    return frame->low > 0;
}

static int frame_add(struct frame *frame, const struct mpg_network_sizes *sizes, bool rate,
                     struct mpg_error *err)
{
    for (size_t i = 0; i < sizes->n; i++) {
        double size = (double)sizes->size[i].size_bytes;
        if (rate && !(size > 0))
            continue;
        if (frame_add_size(frame, sizes->size[i].size_bytes, err) < 0)
            return -1;
        for (int q = 0; q < BAND; q++) {
            double time_ns = mpg_distribution_quantile(sizes->size[i].time_ns, band[q]);
            frame_add_value(frame, rate ? 1e3 * size / time_ns : time_ns);
        }
    }
    return 0;
}

/* Writes a line "position low median high" for SIZE_BYTES: times D in ns or, if RATE, rates in MB/s, limited to FRAME. */
static void write_band(FILE *data, const struct frame *frame, int64_t size_bytes,
                       const struct mpg_distribution *d, bool rate)
{
    double value[BAND];
    for (int i = 0; i < BAND; i++) {
        double time_ns = mpg_distribution_quantile(d, band[rate ? BAND - 1 - i : i]);
        value[i] = rate ? 1e3 * (double)size_bytes / time_ns : time_ns;
        if (!(value[i] > 0) || !isfinite(value[i]))
            value[i] = i == 2 ? frame->high : frame->low;
        value[i] = fmin(fmax(value[i], frame->low), frame->high);
    }
    fprintf(data, "%.10g %.8g %.8g %.8g\n", mpg_plot_size_position(size_bytes, frame->size_bytes, frame->n), value[0], value[1],
            value[2]);
}

static void write_bands(FILE *data, const struct frame *frame,
                        const struct mpg_network_sizes *sizes, bool rate)
{
    for (size_t i = 0; i < sizes->n; i++)
        if (!rate || sizes->size[i].size_bytes > 0)
            write_band(data, frame, sizes->size[i].size_bytes, sizes->size[i].time_ns, rate);
    fputs("\n\n", data);
}

/* Plots the 1 % to 99 % range of data set INDEX, which has N sizes: as a band, or as a bar if N is 1. Callers plot all
 * bands first, since a later band would hide the lines of medians. */
static void plot_band(FILE *script, size_t index, size_t n, const char *colour)
{
    fprintf(script, "%s index %zu using ", index == 0 ? "plot data" : ", data", index);
    fprintf(script, n > 1 ? "1:2:4 with filledcurves fs transparent solid 0.22 noborder lc rgb '%s'"
                          : "1:3:2:4 with yerrorbars pt 7 ps 0.6 lw 1 lc rgb '%s'", colour);
    fputs(" notitle", script);
}

static void plot_median(FILE *script, size_t index, const char *colour, const char *title)
{
    fprintf(script, ", data index %zu using 1:3 with linespoints pt 7 ps 0.6 lw 2 lc rgb '%s' title ",
            index, colour);
    mpg_gnuplot_write_string(script, title);
}

static void mark_eager_limit(FILE *script, const struct mpg_network_path *path,
                             const struct frame *frame)
{
    char text[SHOW_TEXT], label[2 * SHOW_TEXT];
    int64_t limit = path->eager_limit_bytes;
    if (limit < 1 || limit < frame->size_bytes[0] || limit > frame->size_bytes[frame->n - 1])
        return;
    snprintf(label, sizeof label, " eager limit %s", mpg_plot_size_name(text, limit));
    fprintf(script, "set arrow from %.10g,graph 0 to %.10g,graph 1 nohead dt 2 lc rgb '%s'\n"
            "set label ", (double)limit, (double)limit, PLOT_GREY);
    mpg_gnuplot_write_string(script, label);
    fprintf(script, " at %.10g,graph 0.03 left textcolor rgb '%s'\n", (double)limit, PLOT_GREY);
}

static void plot_segments(FILE *script, const struct mpg_loggp *loggp)
{
    for (size_t i = 0; i < loggp->segments; i++) {
        const struct mpg_loggp_segment *s = &loggp->segment[i];
        fprintf(script, ", (x >= %.10g && x <= %.10g ? %.10g + x * %.10g : NaN) with lines dt 2 "
                "lw 1.5 lc rgb '%s' %s", fmax((double)s->from_bytes, 1), (double)s->to_bytes,
                s->latency_ns, s->gap_per_byte_ns, PLOT_ORANGE,
                i == 0 ? "title 'LogGP fit'" : "notitle");
    }
}

static int plot_latency(struct plot_session *session, const struct mpg_signature *sig,
                        const struct mpg_network_path *path, struct frame *frame,
                        struct mpg_error *err)
{
    struct path_names names = names_of(sig, path);
    char first[256];
    if (frame_add(frame, &path->latency, false, err) < 0)
        return -1;
    if (!frame_settle(frame))
        return mpg_plot_missing(session, err, "latency by size, %s: all are 0", names.file);
    if (mpg_plot_start(session, err, "latency-%s", names.file) < 0)
        return -1;
    write_bands(session->data, frame, &path->latency, false);
    snprintf(first, sizeof first, "%s: latency, one way, by size", names.title);
    mpg_plot_title(session->script, first, path->one_way ? path->one_way : "");
    mpg_plot_log_sizes(session->script, frame->size_bytes, frame->n);
    mpg_plot_set(session->script, "ylabel", "one-way latency");
    mpg_plot_log_times(session->script, "y", frame->low, frame->high);
    mark_eager_limit(session->script, path, frame);
    fputs("set samples 1000\n", session->script);
    plot_band(session->script, 0, path->latency.n, PLOT_BLUE);
    plot_median(session->script, 0, PLOT_BLUE, "median; band: 1 % to 99 %");
    plot_segments(session->script, &path->loggp);
    putc('\n', session->script);
    return mpg_plot_finish(session, err);
}

static int plot_bandwidth(struct plot_session *session, const struct mpg_signature *sig,
                          const struct mpg_network_path *path, struct frame *frame,
                          struct mpg_error *err)
{
    struct path_names names = names_of(sig, path);
    char first[256], title[2 * SHOW_TEXT];
    if (frame_add(frame, &path->bandwidth, true, err) < 0 ||
        frame_add(frame, &path->streaming, true, err) < 0)
        return -1;
    if (!frame_settle(frame))
        return mpg_plot_missing(session, err, "bandwidth, %s: no sizes above 0", names.file);
    if (mpg_plot_start(session, err, "bandwidth-%s", names.file) < 0)
        return -1;
    if (path->bandwidth.n > 0)
        write_bands(session->data, frame, &path->bandwidth, true);
    write_bands(session->data, frame, &path->streaming, true);
    snprintf(first, sizeof first, "%s: bandwidth by size", names.title);
    mpg_plot_title(session->script, first, "median; bands: 1 % to 99 % of the messages");
    mpg_plot_log_sizes(session->script, frame->size_bytes, frame->n);
    mpg_plot_set(session->script, "ylabel", "bandwidth (1 GB/s = 10^9 bytes a second)");
    mpg_plot_log_rates(session->script, "y", frame->low, frame->high);
    mark_eager_limit(session->script, path, frame);
    size_t index = 0;
    if (path->bandwidth.n > 0)
        plot_band(session->script, index++, path->bandwidth.n, PLOT_BLUE);
    if (path->streaming.n > 0)
        plot_band(session->script, index, path->streaming.n, PLOT_ORANGE);
    if (path->bandwidth.n > 0)
        plot_median(session->script, 0, PLOT_BLUE, "one message by itself");
    if (path->streaming.n > 0) {
        snprintf(title, sizeof title, "streaming, %lld in flight", (long long)path->window);
        plot_median(session->script, index, PLOT_ORANGE, title);
    }
    putc('\n', session->script);
    return mpg_plot_finish(session, err);
}

static int plot_path(struct plot_session *session, const struct mpg_signature *sig,
                     const struct mpg_network_path *path, struct mpg_error *err)
{
    const char *name = mpg_path_name(path->path);
    struct frame latency = {.low = INFINITY}, bandwidth = {.low = INFINITY};
    int status;
    if (path->latency.n == 0)
        status = mpg_plot_missing(session, err, "latency, %s: none in the signature", name);
    else if ((status = plot_cdfs(session, sig, path, err)) == 0)
        status = plot_latency(session, sig, path, &latency, err);
    if (status == 0 && path->bandwidth.n == 0 && path->streaming.n == 0)
        status = mpg_plot_missing(session, err, "bandwidth, %s: none in the signature", name);
    else if (status == 0)
        status = plot_bandwidth(session, sig, path, &bandwidth, err);
    free(latency.size_bytes);
    free(bandwidth.size_bytes);
    return status;
}

int plot_network(struct plot_session *session, const struct mpg_signature *sig,
                 struct mpg_error *err)
{
    if (sig->paths == 0)
        return mpg_plot_missing(session, err, "latency and bandwidth: none in the signature");
    for (size_t i = 0; i < sig->paths; i++)
        if (plot_path(session, sig, &sig->network[i], err) < 0)
            return -1;
    return 0;
}

/* ---- collectives: a plot for each process count; without --all for the first MAX_PROCESSES process counts ---- */

enum { MAX_PROCESSES = 16 };

static int frame_add_collectives(struct frame *frame, const struct mpg_signature *sig,
                                 int processes, struct mpg_error *err)
{
    for (size_t i = 0; i < sig->collectives; i++) {
        const struct mpg_collective_time *c = &sig->collective[i];
        if (c->processes != processes)
            continue;
        if (frame_add_size(frame, c->size_bytes, err) < 0)
            return -1;
        for (int q = 0; q < BAND; q++)
            frame_add_value(frame, mpg_distribution_quantile(c->time_ns, band[q]));
    }
    return 0;
}

/* Returns the number of collectives from C on, C included and at most LEFT, that differ from C only in message size. */
static size_t sizes_from(const struct mpg_collective_time *c, size_t left)
{
    size_t n = 1;
    while (n < left && c[n].processes == c->processes && strcmp(c[n].operation, c->operation) == 0)
        n++;
    return n;
}

/* For each operation measured with PROCESSES processes, writes a data set and plots its band. MEDIANS: plots the lines of the
 * medians instead, from the data sets written by an earlier call. */
static void write_collectives(struct plot_session *session, const struct mpg_signature *sig,
                              const struct frame *frame, int processes, bool medians)
{
    size_t sets = 0, n;
    for (size_t i = 0; i < sig->collectives; i += n) {
        const struct mpg_collective_time *c = &sig->collective[i];
        const char *colour = colours[sets % COLOURS];
        n = sizes_from(c, sig->collectives - i);
        if (c->processes != processes)
            continue;
        if (medians) {
            plot_median(session->script, sets++, colour, c->operation);
            continue;
        }
        for (size_t j = 0; j < n; j++)
            write_band(session->data, frame, c[j].size_bytes, c[j].time_ns, false);
        fputs("\n\n", session->data);
        plot_band(session->script, sets++, n, colour);
    }
}

static int plot_processes(struct plot_session *session, const struct mpg_signature *sig,
                          int processes, struct mpg_error *err)
{
    struct frame frame = {.low = INFINITY};
    const char *host = mpg_fact_find(sig->fact, sig->facts, "host");
    char first[256], shown[121];
    int status = -1;
    if (frame_add_collectives(&frame, sig, processes, err) < 0)
        goto out;
    if (!frame_settle(&frame)) {
        status = mpg_plot_missing(session, err, "collectives of %d processes: all are 0", processes);
        goto out;
    }
    if (mpg_plot_start(session, err, "collectives-%d-processes", processes) < 0)
        goto out;
    snprintf(first, sizeof first, "%s%scollectives of %d processes",
             mpg_printable(shown, sizeof shown, host ? host : ""), host ? ": " : "", processes);
    mpg_plot_title(session->script, first, "from the common start to the last rank's end; median; bands: 1 % to 99 %");
    mpg_plot_log_sizes(session->script, frame.size_bytes, frame.n);
    mpg_plot_set(session->script, "xlabel", "one rank's contribution");
    mpg_plot_set(session->script, "ylabel", "time");
    mpg_plot_log_times(session->script, "y", frame.low, frame.high);
    write_collectives(session, sig, &frame, processes, false);
    write_collectives(session, sig, &frame, processes, true);
    putc('\n', session->script);
    status = mpg_plot_finish(session, err);
out:
    free(frame.size_bytes);
    return status;
}

int plot_collectives(struct plot_session *session, const struct mpg_signature *sig,
                     struct mpg_error *err)
{
    size_t drawn = 0, max = session->options->all ? sig->collectives : MAX_PROCESSES;
    if (sig->collectives == 0)
        return mpg_plot_missing(session, err, "collectives: none in the signature");
    for (size_t i = 0; i < sig->collectives; i++) {
        bool again = false;
        for (size_t j = 0; j < i && !again; j++)
            again = sig->collective[j].processes == sig->collective[i].processes;
        if (!again && drawn++ < max &&
            plot_processes(session, sig, sig->collective[i].processes, err) < 0)
            return -1;
    }
    if (drawn > max)
        return mpg_plot_missing(session, err,
                                "collectives of %zu more numbers of processes (--all"
                                " draws them)",
                                drawn - max);
    return 0;
}
