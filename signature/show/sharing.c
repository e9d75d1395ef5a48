/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow's table of sharing curves. */
#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "signature/show/show.h"

/* Prints the interval of the median of D: "117.3 to 119.8", or dashes. */
static void show_interval(const struct mpg_distribution *d)
{
    char text[2][SHOW_TEXT] = {"-", "-"};
    for (size_t i = 0; i < d->intervals; i++) {
        if (d->interval[i].p != 0.5)
            continue;
        if (isfinite(d->interval[i].low))
            snprintf(text[0], SHOW_TEXT, "%.1f", d->interval[i].low / 1e6);
        if (isfinite(d->interval[i].high))
            snprintf(text[1], SHOW_TEXT, "%.1f", d->interval[i].high / 1e6);
    }
    printf(" %9s %9s", text[0], text[1]);
}

static void show_point(const struct mpg_sharing_point *p, double alone)
{
    char size[SHOW_TEXT];
    double median = mpg_distribution_quantile(p->value, 0.5);
    printf("%-14s %-9s %8s %5d %8zu %10.1f", mpg_path_name(p->path), p->both ? "both" : "one",
           mpg_units_format_size(size, sizeof size, p->size_bytes), p->pairs, p->value->n, median / 1e6);
    show_interval(p->value);
    printf(" %12.0f", median / (double)(p->size_bytes > 0 ? p->size_bytes : 1));
    if (alone > 0)
        printf(" %10.2f", median / alone);
    putchar('\n');
}

/* Returns whether the curve from point FIRST on has the largest size of its class and direction. */
static bool has_largest_size(const struct mpg_signature *sig, size_t first, size_t points)
{
    size_t next = first + points;
    return next == sig->sharings || sig->sharing[next].path != sig->sharing[first].path ||
           sig->sharing[next].both != sig->sharing[first].both;
}

/* Returns whether the curve from point FIRST on has the smallest size of its class and direction. */
static bool has_smallest_size(const struct mpg_signature *sig, size_t first)
{
    return first == 0 || sig->sharing[first - 1].path != sig->sharing[first].path ||
           sig->sharing[first - 1].both != sig->sharing[first].both;
}

/* Prints a row of each size of opposite messages: the rate of the later message, for both messages of one pair, and of two. */
static void show_opposite(const struct mpg_signature *sig)
{
    printf("\nOpposite messages, rate of a message that begins during an opposite one, median with its 95 %% interval\n"
           "placement      of           size samples       MB/s      from        to\n");
    for (size_t i = 0; i < sig->opposites; i++) {
        const struct mpg_sharing_point *p = &sig->opposite[i];
        char size[SHOW_TEXT];
        printf("%-14s %-9s %7s %7zu %10.1f", mpg_path_name(p->path), p->pairs == 1 ? "one pair" : "two pairs",
               mpg_units_format_size(size, sizeof size, p->size_bytes), p->value->n,
               mpg_distribution_quantile(p->value, 0.5) / 1e6);
        show_interval(p->value);
        putchar('\n');
    }
}

/* Prints a row of each size of leads. */
static void show_leads(const struct mpg_signature *sig)
{
    printf("\nLeads of two messages at once, from the end of the first to the end of the second\n"
           "placement         size samples         p1        p50        p99\n");
    for (size_t i = 0; i < sig->leads; i++) {
        const struct mpg_sharing_point *p = &sig->lead[i];
        static const double of[] = {0.01, 0.5, 0.99};
        char size[SHOW_TEXT], time[SHOW_TEXT];
        printf("%-14s %7s %7zu", mpg_path_name(p->path), mpg_units_format_size(size, sizeof size, p->size_bytes), p->value->n);
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            printf(" %10s", mpg_units_format_time(time, sizeof time, mpg_distribution_quantile(p->value, of[k])));
        putchar('\n');
    }
}

void show_sharing(const struct mpg_signature *sig, const struct show *show)
{
    size_t hidden = 0, n;
    if (sig->sharings == 0)
        return;
    printf("\nSharing, sum of the rates of several pairs at once, median with its 95 %% interval\n"
           "placement      direction     size pairs  samples       MB/s      from        to   messages/s  of 1 pair\n");
    for (size_t first = 0; first < sig->sharings; first += n) {
        const struct mpg_sharing_point *p = &sig->sharing[first];
        n = mpg_signature_curve_points(sig, first);
        if (!show->all && !has_largest_size(sig, first, n) && !has_smallest_size(sig, first)) {
            hidden += n;
            continue;
        }
        double alone = p->pairs == 1 ? mpg_distribution_quantile(p->value, 0.5) : 0;
        for (size_t i = 0; i < n; i++)
            show_point(&p[i], alone);
    }
    show_rest(hidden, 0, "rows");
    if (sig->opposites > 0)
        show_opposite(sig);
    if (sig->leads > 0)
        show_leads(sig);
}
