/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow's tables of network, collectives and compute rates. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "signature/show/show.h"

void show_size(int64_t size_bytes)
{
    char text[SHOW_TEXT];
    printf("%10s", mpg_units_format_size(text, sizeof text, size_bytes));
}

/* ---- latency ---- */

static void show_latency(const struct mpg_network_path *path, bool all)
{
    const struct mpg_network_sizes *sizes = path->latency.n > 0 ? &path->latency
                                                                : &path->round_trip;
    size_t max = all ? sizes->n : SHOW_ROWS;
    char text[SHOW_TEXT];
    if (sizes->n == 0) {
        printf("\nNo latencies.\n");
        return;
    }
    if (path->latency.n == 0)
        printf("\nRound trip\n");
    else if (!path->one_way)
        printf("\nLatency, one way\n");
    else if (path->one_way_error_ns > 0)
        printf("\nLatency, one way: %s, clocks' error at most %s\n", path->one_way,
               mpg_units_format_time(text, sizeof text, path->one_way_error_ns));
    else
        printf("\nLatency, one way: %s\n", path->one_way);
    printf("      size   samples         p1        p50   +-95        p99   +-95        max         sd"
           "   lag1  Spearman  best fit, KS\n");
    for (size_t i = 0; i < sizes->n; i++) {
        const struct mpg_distribution *d = sizes->size[i].time_ns;
        if (!show_picked(i, sizes->n, max))
            continue;
        show_size(sizes->size[i].size_bytes);
        printf(" %9zu", d->n);
        show_quantiles(d);
        show_time(d->sd);
        printf(" %6.2f %9.2f", d->lag1, d->rank_lag1);
        show_best_fit(d);
    }
    show_rest(sizes->n, max, "sizes");
}

/* ---- bandwidth ---- */

static const struct mpg_distribution *find_size(const struct mpg_network_sizes *sizes,
                                                int64_t size_bytes)
{
    for (size_t i = 0; i < sizes->n; i++)
        if (sizes->size[i].size_bytes == size_bytes)
            return sizes->size[i].time_ns;
    return NULL;
}

/* Prints the rate at the quantile U of D, the times of SIZE_BYTES, in 10^6 bytes per second; a dash if unknown. */
static void show_megabytes(int64_t size_bytes, const struct mpg_distribution *d, double u)
{
    double time_ns = d ? mpg_distribution_quantile(d, u) : 0;
    if (time_ns > 0 && size_bytes > 0)
        printf(" %9.1f", (double)size_bytes * 1e3 / time_ns);
    else
        printf(" %9s", "-");
}

static void show_transfer(const struct mpg_network_path *path, int64_t size_bytes)
{
    const struct mpg_distribution *single = find_size(&path->bandwidth, size_bytes);
    const struct mpg_distribution *sender = find_size(&path->sender, size_bytes);
    const struct mpg_distribution *stream = find_size(&path->streaming, size_bytes);
    show_size(size_bytes);
    printf(" %9zu", single ? single->n : stream ? stream->n : (size_t)0);
    show_quantiles(single);
    if (sender)
        show_time(mpg_distribution_quantile(sender, 0.5));
    else
        printf(" %10s", "-");
    show_megabytes(size_bytes, single, 0.5);
    show_megabytes(size_bytes, stream, 0.99);
    show_megabytes(size_bytes, stream, 0.5);
    show_best_fit(single);
}

static void show_bandwidth(const struct mpg_network_path *path, bool all)
{
    const struct mpg_network_sizes *sizes = path->bandwidth.n > 0 ? &path->bandwidth
                                                                  : &path->streaming;
    size_t max = all ? sizes->n : SHOW_ROWS;
    char window[SHOW_TEXT] = "";
    if (sizes->n == 0) {
        printf("\nNo transfer times.\n");
        return;
    }
    if (path->streaming.n > 0)
        snprintf(window, sizeof window, ", and streaming with %" PRId64 " in flight", path->window);
    printf("\nBandwidth, transfer of one message%s\n"
           "                                                                                        in send"
           "      MB/s   streaming MB/s\n"
           "      size   samples         p1        p50   +-95        p99   +-95        max        p50"
           "       p50        p1       p50  best fit, KS\n", window);
    for (size_t i = 0; i < sizes->n; i++)
        if (show_picked(i, sizes->n, max))
            show_transfer(path, sizes->size[i].size_bytes);
    show_rest(sizes->n, max, "sizes");
}

/* ---- overheads, and data for resampling ---- */

static void show_overheads(const struct mpg_network_path *path, bool all)
{
    const struct mpg_network_sizes *sizes = path->send_overhead.n > 0 ? &path->send_overhead
                                                                      : &path->receive_overhead;
    size_t max = all ? sizes->n : SHOW_ROWS;
    if (sizes->n == 0)
        return;
    printf("\nOverheads: a send that does not wait, a receive of an arrived message\n"
           "                         send                receive\n"
           "      size   samples        p50        p99        p50        p99\n");
    for (size_t i = 0; i < sizes->n; i++) {
        int64_t size_bytes = sizes->size[i].size_bytes;
        const struct mpg_distribution *both[] = {find_size(&path->send_overhead, size_bytes),
                                                 find_size(&path->receive_overhead, size_bytes)};
        if (!show_picked(i, sizes->n, max))
            continue;
        show_size(size_bytes);
        printf(" %9zu", sizes->size[i].time_ns->n);
        for (int k = 0; k < 2; k++)
            if (both[k]) {
                show_time(mpg_distribution_quantile(both[k], 0.5));
                show_time(mpg_distribution_quantile(both[k], 0.99));
            } else {
                printf(" %10s %10s", "-", "-");
            }
        putchar('\n');
    }
    show_rest(sizes->n, max, "sizes");
}

/* Prints PATH's data for simulations besides distributions of all launches: the number of launches with separate distributions,
 * and the runs of successive messages. */
static void show_kept(const struct mpg_network_path *path)
{
    const struct mpg_network_sizes *sizes = &path->latency;
    size_t rows = 0, longest = 0, launches = 0;
    for (size_t i = 0; i < sizes->n; i++) {
        const struct mpg_network_size *size = &sizes->size[i];
        rows += size->rows.blocks > 0;
        longest = size->rows.length > longest ? size->rows.length : longest;
        launches = size->launches.n > launches ? size->launches.n : launches;
    }
    if (launches > 0)
        printf("\nSamples are kept by launch: %zu launches of each size\n", launches);
    if (rows > 0)
        printf("\nSuccessive messages: up to %zu samples in their measured order, for %zu sizes\n",
               longest, rows);
}

static void show_eager_limit(const struct mpg_network_path *path)
{
    char text[SHOW_TEXT];
    if (path->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN)
        printf("\nEager limit: not detected\n");
    else if (path->eager_limit_bytes < 0)
        printf("\nEager limit: none, every send waits for its receive\n");
    else
        printf("\nEager limit: %s (%" PRId64 " bytes)\n",
               mpg_units_format_size(text, sizeof text, path->eager_limit_bytes),
               path->eager_limit_bytes);
}

/* ---- LogGP ---- */

static void show_parameter(const char *name, double time_ns)
{
    char text[SHOW_TEXT];
    if (time_ns > 0)
        printf(", %s %s", name, mpg_units_format_time(text, sizeof text, time_ns));
    else
        printf(", %s not measured", name);
}

static void show_loggp(const struct mpg_loggp *loggp)
{
    bool bends = false;
    if (loggp->segments == 0 && !(loggp->overhead_ns > 0) && !(loggp->gap_ns > 0))
        return;
    printf("\nLogGP");
    show_parameter("overhead o", loggp->overhead_ns);
    show_parameter("gap g", loggp->gap_ns);
    if (loggp->segments == 0) {
        printf(", too few sizes for a line\n");
        return;
    }
    printf("\n      from         to    latency      error   ns/byte     error      MB/s"
           "  residuals' sd    worst\n");
    for (size_t i = 0; i < loggp->segments; i++) {
        const struct mpg_loggp_segment *s = &loggp->segment[i];
        show_size(s->from_bytes);
        putchar(' ');
        show_size(s->to_bytes);
        if (s->latency_ns > 0) {
            show_time(s->latency_ns);
            show_time(s->latency_error_ns);
        } else {
            printf(" %10s %10s", "-", "-");
            bends = true;
        }
        printf(" %9.4g %9.2g", s->gap_per_byte_ns, s->gap_per_byte_error_ns);
        if (s->gap_per_byte_ns > 0)
            printf(" %9.1f    ", 1e3 / s->gap_per_byte_ns);
        else
            printf(" %9s    ", "-");
        show_time(s->residual_sd_ns);
        printf(" %6.1f %%\n", 100 * s->worst_relative);
    }
    if (bends)
        printf("  -: the times of these sizes grow faster than a straight line from size 0, so their line has no latency\n");
}

/* ---- launches and pairs ---- */

static void show_group(const struct mpg_network_group *g)
{
    char text[SHOW_TEXT];
    printf("  %-10s median %s of %zu, score %+.1f", g->outlier ? "OUTLIER" : "",
           mpg_units_format_time(text, sizeof text, g->median_ns), g->n, g->score);
    printf(": %s\n", g->name);
}

static void show_groups(const struct mpg_network_group *group, size_t n, const char *what, bool all)
{
    char size[SHOW_TEXT], low[SHOW_TEXT], high[SHOW_TEXT];
    size_t outliers = 0, shown = 0;
    if (n == 0)
        return;
    double min = group[0].median_ns, max = min;
    for (size_t i = 0; i < n; i++) {
        min = fmin(min, group[i].median_ns);
        max = fmax(max, group[i].median_ns);
        outliers += group[i].outlier != 0;
    }
    printf("\n%s: %zu, median round trips of %s from %s to %s, ", what, n,
           mpg_units_format_size(size, sizeof size, group[0].size_bytes),
           mpg_units_format_time(low, sizeof low, min),
           mpg_units_format_time(high, sizeof high, max));
    printf(outliers > 0 ? "outliers: %zu (flagged, not removed)\n" : "outliers: none\n",
           outliers);
    for (size_t i = 0; i < n; i++)
        if (all || (group[i].outlier && shown++ < SHOW_ROWS))
            show_group(&group[i]);
    if (!all)
        show_rest(outliers, SHOW_ROWS, "of them");
}

static void show_path(const struct mpg_network_path *path, const char *memory, bool all)
{
    printf("\nPath: %s%s\n", mpg_path_name(path->path), memory);
    show_latency(path, all);
    show_bandwidth(path, all);
    show_overheads(path, all);
    show_one_sided(path, all);
    show_overlap(path, all);
    show_kept(path);
    show_eager_limit(path);
    show_loggp(&path->loggp);
    show_groups(path->launch, path->launches, "Launches", all);
    show_groups(path->pair, path->pairs, "Pairs", all);
}

void show_network(const struct mpg_signature *sig, struct show *show)
{
    if (sig->paths == 0)
        show_missing(show, "latencies and transfer times");
    for (size_t i = 0; i < sig->paths; i++)
        show_path(&sig->network[i], "", show->all);
    for (size_t i = 0; i < sig->device_paths; i++)
        show_path(&sig->device[i], ", between the memories of GPUs", show->all);
}

/* ---- collectives ---- */

/* Returns whether the operation or the number of processes changes at collective I. */
static bool starts_group(const struct mpg_collective_time *times, size_t i)
{
    const struct mpg_collective_time *c = &times[i];
    return i == 0 || strcmp(c->operation, c[-1].operation) != 0 || c->processes != c[-1].processes;
}

/* Prints the N collectives TIMES: at most MAX_SIZES sizes of each operation and process count, or all sizes if ALL. */
static void show_times(const struct mpg_collective_time *times, size_t n, bool all)
{
    enum { MAX_SIZES = 4 }; /* number of sizes shown for an operation and process count */
    size_t hidden = 0;
    printf("operation   processes       size   samples         p1        p50   +-95        p99   +-95        max"
           "  best fit, KS\n");
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && !starts_group(times, end);)
            end++;
        for (size_t i = first; i < end; i++) {
            const struct mpg_collective_time *c = &times[i];
            if (!all && !show_picked(i - first, end - first, MAX_SIZES)) {
                hidden++;
                continue;
            }
            printf("%-12s %8d ", c->operation, c->processes);
            show_size(c->size_bytes);
            printf(" %9zu", c->time_ns->n);
            show_quantiles(c->time_ns);
            show_best_fit(c->time_ns);
        }
    }
    show_rest(hidden, 0, "rows");
}

void show_collectives(const struct mpg_signature *sig, struct show *show)
{
    if (sig->collectives == 0) {
        show_missing(show, "collectives");
    } else {
        printf("\nCollectives, from the common start to the last rank's end\n");
        show_times(sig->collective, sig->collectives, show->all);
    }
    if (sig->reductions == 0) {
        show_missing(show, "arithmetic of reductions");
    } else {
        printf("\nArithmetic of reductions (one MPI_Reduce_local), on this many processes at once\n"
               "reduce_local: vectors in cache; reduce_sent: vectors just received from a neighbour\n");
        show_times(sig->reduction, sig->reductions, show->all);
    }
}

/* ---- compute ---- */

static void show_quantile_rate(const struct mpg_compute_rate *r, double u)
{
    char text[SHOW_TEXT];
    printf(" %20s", show_rate(text, mpg_distribution_quantile(r->rate, u), r->unit));
}

/* Prints the smallest and the largest mean rate of R's launches. */
static void show_launch_means(const struct mpg_compute_rate *r)
{
    char low[SHOW_TEXT], high[SHOW_TEXT];
    double min = r->rate->mean, max = r->rate->mean;
    if (r->launches == 0)
        return;
    for (size_t i = 0; i < r->launches; i++) {
        min = fmin(min, r->launch_mean[i]);
        max = fmax(max, r->launch_mean[i]);
    }
    printf("  %s to %s", show_rate(low, min, r->unit), show_rate(high, max, r->unit));
}

void show_compute(const struct mpg_signature *sig, struct show *show)
{
    size_t max = show->all ? sig->rates : 2 * SHOW_ROWS;
    char text[SHOW_TEXT];
    if (sig->rates == 0) {
        show_missing(show, "compute rates");
        return;
    }
    printf("\nCompute rates\n"
           "kernel             at once  core   samples                   p1                  p50"
           "                  p99  means of launches\n");
    for (size_t i = 0; i < sig->rates && i < max; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i];
        printf("%-18s %7d  %4s %9zu", r->kernel, r->cores_at_once,
               show_core_name(text, r->host, r->core), r->rate->n);
        show_quantile_rate(r, 0.01);
        show_quantile_rate(r, 0.5);
        show_quantile_rate(r, 0.99);
        show_launch_means(r);
        putchar('\n');
    }
    show_rest(sig->rates, max, "rates");
}
