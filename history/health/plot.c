/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drift of a machine: ratios of parameters to those of the first signature, over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/plots/plots.h"
#include "common/printable.h"
#include "common/table/escape.h"
#include "history/health/health.h"

enum { MAX_LINES = 8, TEXT = 256 };
static const double normal_95 = 1.959963984540054;

/* The comparisons of each signature of a host with the first, as measured, without the spread of the machine. */
struct drift {
    const struct health_host *host;
    struct mpg_difference *since; /* of each signature but the first */
};

static const struct mpg_parameter *find(const struct mpg_difference *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->item[i].name, name) == 0)
            return &d->item[i];
    return NULL;
}

static bool is_drawn(const struct mpg_parameter *item)
{
    return item && isfinite(item->ratio) && item->ratio > 0 && isfinite(item->log_variance);
}

/* Returns how much a parameter is worth a line: beyond the tolerance first, then medians, then the larger change. */
static double weight(const struct health_entry *last, const struct mpg_parameter *item)
{
    const struct mpg_parameter *judged = find(&last->since_first, item->name);
    const bool is_beyond = judged && judged->verdict == MPG_VERDICT_BEYOND;
    return 1e6 * is_beyond + 1e3 * !item->varies + fmin(fabs(log(item->ratio)), 1e2);
}

/* Stores the parameters to draw in PICKED, at most MAX_LINES. Returns their number. */
static size_t pick(const struct drift *d, const struct mpg_parameter *picked[MAX_LINES])
{
    const struct mpg_difference *last = &d->since[d->host->n - 2];
    size_t n = 0;
    for (size_t i = 0; i < last->n; i++) {
        const struct mpg_parameter *item = &last->item[i];
        if (!is_drawn(item))
            continue;
        size_t place = n < MAX_LINES ? n++ : MAX_LINES;
        const double of_item = weight(mpg_health_last(d->host), item);
        while (place > 0 && weight(mpg_health_last(d->host), picked[place - 1]) < of_item) {
            if (place < MAX_LINES)
                picked[place] = picked[place - 1];
            place--;
        }
        if (place < MAX_LINES)
            picked[place] = item;
    }
    return n;
}

/* Writes the data set of the parameter NAME: day, ratio, and its interval. */
static void put_data(const struct drift *d, const char *name, FILE *data)
{
    char time[TEXT];
    fprintf(data, "%s 1 1 1\n", mpg_printable(time, sizeof time, d->host->entry[0].kept.measured));
    for (size_t k = 1; k < d->host->n; k++) {
        const struct mpg_parameter *item = find(&d->since[k - 1], name);
        if (!is_drawn(item))
            continue;
        const double width = normal_95 * sqrt(item->log_variance);
        fprintf(data, "%s %.10g %.10g %.10g\n", mpg_printable(time, sizeof time, d->host->entry[k].kept.measured), item->ratio,
                item->ratio * exp(-width), item->ratio * exp(width));
    }
    fputs("\n\n", data);
}

/* Writes the commands for the axis of time: days, or minutes if the signatures of HOST are from a few days. */
static void put_time_axis(const struct health_host *host, FILE *script)
{
    char time[TEXT];
    fputs("set xdata time\nset timefmt '%Y-%m-%dT%H:%M:%SZ'\nspan = strptime('%Y-%m-%dT%H:%M:%SZ', ", script);
    mpg_gnuplot_write_string(script, mpg_printable(time, sizeof time, host->entry[host->n - 1].kept.measured));
    fputs(") - strptime('%Y-%m-%dT%H:%M:%SZ', ", script);
    mpg_gnuplot_write_string(script, mpg_printable(time, sizeof time, host->entry[0].kept.measured));
    fputs(")\nset format x (span < 4 * 24 * 3600 ? '%m-%d %H:%M' : '%Y-%m-%d')\n"
          "set xtics rotate by 30 right\nset lmargin 11\n", script);
}

static int draw_host(struct plot_session *session, const struct drift *d, struct mpg_error *err)
{
    const struct mpg_parameter *picked[MAX_LINES];
    const size_t n = pick(d, picked);
    char text[TEXT], host[TEXT / 2];
    mpg_printable(host, sizeof host, d->host->name);
    if (n == 0)
        return mpg_plot_missing(session, err, "%s: the signatures have no parameter in common", host);
    if (mpg_plot_start(session, err, "health-%s", host) < 0)
        return -1;
    snprintf(text, sizeof text, "%s: change since the first of %zu signatures", host, d->host->n);
    mpg_plot_title(session->script, text, "the parameters that changed most; bars: 95 % intervals of one measurement");
    mpg_plot_set(session->script, "ylabel", "ratio to the first signature");
    put_time_axis(d->host, session->script);
    fputs("set logscale y 2\nset grid y\n"
          "set key outside below center horizontal Left reverse maxcols 2 font 'sans,10'\n", session->script);
    for (size_t i = 0; i < n; i++) {
        put_data(d, picked[i]->name, session->data);
        fprintf(session->script, "%sdata index %zu using 1:2:3:4 with yerrorlines pt 7 ps 0.6 lw 1.5 lc rgb '%s' title ",
                i == 0 ? "plot " : ", ", i, mpg_plot_colour(i));
        mpg_gnuplot_write_string(session->script, mpg_printable(text, sizeof text, picked[i]->name));
    }
    putc('\n', session->script);
    return mpg_plot_finish(session, err);
}

/* Compares the signatures of HOST with the first, and draws. */
static int draw_drift(struct plot_session *session, const struct health_host *host, struct mpg_error *err)
{
    struct drift d = {host, calloc(host->n, sizeof *d.since)};
    const struct mpg_compare_options as_measured = {.spread = 0};
    int status = d.since ? 0 : mpg_error_set(err, "out of memory");
    for (size_t k = 1; status == 0 && k < host->n; k++)
        status = mpg_compare(host->entry[0].signature, host->entry[k].signature, &as_measured, &d.since[k - 1], err);
    if (status == 0)
        status = draw_host(session, &d, err);
    for (size_t k = 1; d.since && k < host->n; k++)
        mpg_difference_clear(&d.since[k - 1]);
    free(d.since);
    return status;
}

static int draw(struct plot_session *session, const void *health, struct mpg_error *err)
{
    const struct health *h = health;
    for (size_t i = 0; i < h->hosts; i++)
        if (h->host[i].n > 1 && draw_drift(session, &h->host[i], err) < 0)
            return -1;
    return session->names > 0 ? 0 : mpg_error_set(err, "nothing to draw: no two signatures of a host have a parameter in common");
}

/* The first signature of a machine, as a pipeline keeps it, is no failure. */
int mpg_health_plot(const struct health *h, const char *folder, struct mpg_error *err)
{
    size_t most = 0;
    for (size_t i = 0; i < h->hosts; i++)
        most = h->host[i].n > most ? h->host[i].n : most;
    if (most < 2) {
        fputs("mpghistory: nothing drawn: a drift needs two signatures of a host\n", stderr);
        return 0;
    }
    return mpg_plot_and_report("mpghistory", folder, false, draw, h, err);
}
