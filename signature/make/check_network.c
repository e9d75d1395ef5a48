/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality of message measurements: precision, stability, number of launches, clocks. */
#include "signature/make/check_private.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "statistics/deconvolution.h"
#include "statistics/inference.h"
#include "statistics/order.h"
#include "statistics/series.h"

#define MIN_LAUNCHES 3
#define CONFIDENCE 0.95 /* confidence of the intervals of quantiles */
/* Share of the messages slower than the 99th percentile: a change of the tail, times this share, changes the mean. */
#define TAIL_PART 0.01
/* Maximum of the stated relative effect; larger effects are stated as this value. */
#define MAX_SHOWN 2.0
/* A deconvolution fits badly if the Kolmogorov-Smirnov distance exceeds MISFIT; chance alone gives up to 2 / sqrt(samples). */
#define MISFIT 0.05

/* A sample with a single message in flight. */
struct single {
    double pair, size_bytes, time_ns;
    size_t order;
};

/* Orders samples by pair, message size and time. */
static int ascending(const void *left, const void *right)
{
    const struct single *a = left, *b = right;
    if (a->pair != b->pair)
        return a->pair > b->pair ? 1 : -1;
    if (a->size_bytes != b->size_bytes)
        return a->size_bytes > b->size_bytes ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Collects R's samples with a single message in flight into SINGLE, sorted by pair, size and time; returns the number of
 * samples. */
static size_t take_singles(const struct mpg_results *r, struct single *single)
{
    const double *window = r->column[MPG_COLUMN_WINDOW], *pair = r->column[MPG_COLUMN_PAIR];
    const double *time_ns = r->column[r->benchmark == MPG_BENCHMARK_PINGPONG ? MPG_COLUMN_RTT_NS
                                                                             : MPG_COLUMN_TIME_NS];
    size_t n = 0;
    for (size_t i = 0; i < r->samples; i++)
        if (!window || window[i] == 1)
            single[n++] = (struct single){pair ? pair[i] : 0, r->column[MPG_COLUMN_SIZE_BYTES][i],
                                          time_ns[i], i};
    qsort(single, n, sizeof *single, ascending);
    return n;
}

/* Returns the effective sample size, at most N: the number of independent values that would estimate the P quantile as precisely
 * as the N TIMES, in time order. SORTED: TIMES ascending. */
static double independent(const double *times, const double *sorted, size_t n, double p)
{
    return fmin(mpg_series_effective_size(times, n, mpg_sorted_quantile(sorted, n, p)).samples, (double)n);
}

/* Adds to LIST the effective sample size of the N TIMES of a pair with messages of SIZE_BYTES. */
static int count_independent(struct mpg_check_sizes *list, double size_bytes,
                             const double *times, size_t n, struct mpg_error *err)
{
    size_t s = 0;
    while (s < list->n && list->size[s].size_bytes != size_bytes)
        s++;
    if (s == list->n) {
        struct mpg_check_size *grown = realloc(list->size, (s + 1) * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        list->size = grown;
        grown[list->n++] = (struct mpg_check_size){.size_bytes = size_bytes};
    }
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    memcpy(sorted, times, n * sizeof *sorted);
    gsl_sort(sorted, 1, n);
    list->size[s].median += independent(times, sorted, n, 0.5);
    list->size[s].tail += independent(times, sorted, n, 0.99);
    free(sorted);
    return 0;
}

/* Sets *MOVES to the effect of the difference between the halves of N TIMES, relative to the mean; negative: the second half is
 * faster. The larger effect of median and tail counts; the change of the tail is multiplied by TAIL_PART. Half of the difference,
 * since the signature contains both halves. */
static int compare_halves(const double *times, size_t n, double *moves, char *text, size_t size,
                          struct mpg_error *err)
{
    double mean, median, tail, sum = 0;
    if (mpg_compare_halves(times, n, &mean, &median, &tail, text, size, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        sum += times[i];
    double change = fabs(median) >= fabs(2 * TAIL_PART * tail) ? median : 2 * TAIL_PART * tail;
    *moves = sum > 0 ? change / (sum / (double)n) / 2 : 0;
    return 0;
}

/* Compares the first and second half of the samples of each pair and size. Reports only a change of the whole launch: the mean
 * over all pairs and sizes, since pairs and sizes are measured in turns and a disturbance changes all. A single size may change
 * by chance; a real change widens the size's interval. Adds the numbers of independent samples to SIZES. */
static int check_series(struct mpg_check *c, const struct mpg_results *r,
                        struct mpg_check_sizes *sizes, struct mpg_error *err)
{
    struct single *single = malloc(r->samples * sizeof *single);
    double *times = malloc(r->samples * sizeof *times), worst = 0, moves = 0, sum = 0;
    char text[256], worst_text[256] = "", size[32];
    size_t n = 0, series = 0, changed = 0, worst_first = 0;
    int status = single && times ? 0 : mpg_error_set(err, "out of memory");
    if (status == 0)
        n = take_singles(r, single);
    for (size_t first = 0, end; status == 0 && first < n; first = end, series++) {
        for (end = first; end < n && single[end].pair == single[first].pair &&
                          single[end].size_bytes == single[first].size_bytes; end++)
            times[end - first] = single[end].time_ns;
        status = count_independent(sizes, single[first].size_bytes, times, end - first, err);
        if (status == 0)
            status = compare_halves(times, end - first, &moves, text, sizeof text, err);
        sum += moves;
        changed += fabs(moves) > MPG_LAUNCH_MATTERS;
        if (status == 0 && fabs(moves) > worst) {
            worst = fabs(moves);
            worst_first = first;
            memcpy(worst_text, text, sizeof text);
        }
    }
    double mean = series > 0 ? fabs(sum) / (double)series : 0;
    if (status == 0 && mean > MPG_LAUNCH_MATTERS)
        status = mpg_check_add_finding(
            c, MPG_FOUND_NETWORK_HALVES, mean, err,
            "%s: first and second half of the samples differ for %zu of %zu sizes and pairs, most for %s, pair %.0f: %s",
            mpg_check_file_name(r), changed, series,
            mpg_units_format_size(size, sizeof size, (int64_t)single[worst_first].size_bytes),
            single[worst_first].pair, worst_text);
    free(times);
    free(single);
    return status;
}

/* Checks the share of repetitions with a late rank in R, a file of the sharing benchmark. */
static int check_late(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    double late;
    if (!mpg_check_number(r, "late_repetitions", &late) || late <= MPG_MAX_LATE_SHARE * (late + (double)r->samples))
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_CAPACITY, MPG_MOVES_UNKNOWN, err,
                                 "%s: ranks were late for %.0f starts, %zu were good", mpg_check_file_name(r), late,
                                 r->samples);
}

int mpg_check_network(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    enum mpg_path_class path = mpg_path_find(mpg_fact_find(r->fact, r->facts, "path"));
    if (mpg_fact_find(r->fact, r->facts, "memory"))
        return 0; /* messages between the memories of GPUs: no prediction uses their times */
    bool bandwidth = r->benchmark == MPG_BENCHMARK_BANDWIDTH;
    bool overhead = r->benchmark == MPG_BENCHMARK_OVERHEAD, sharing = r->benchmark == MPG_BENCHMARK_SHARING;
    const bool one_sided = r->benchmark == MPG_BENCHMARK_ONE_SIDED;
    const bool overlap = r->benchmark == MPG_BENCHMARK_OVERLAP;
    c->launches[overlap ? 5 : one_sided ? 4 : sharing ? 3 : overhead ? 2 : bandwidth][path]++;
    if (overhead || one_sided || overlap)
        return 0; /* the shortest times are a few timer steps, whose quantiles jump */
    if (sharing)
        return check_late(c, r, err);
    return check_series(c, r, &c->sizes[bandwidth][path], err);
}

/* ---- checks of the signature ---- */

static int check_launches(struct mpg_check *c, struct mpg_error *err)
{
    static const char *const names[] = {"pingpong", "bandwidth", "overhead", "sharing", "onesided", "overlap"};
    for (int b = 0; b < 6; b++)
        for (int path = 0; path < MPG_PATHS; path++) {
            size_t n = c->launches[b][path];
            if (n > 0 && n < MIN_LAUNCHES &&
                mpg_check_add_finding(c, MPG_FOUND_LAUNCHES, MPG_MOVES_UNKNOWN, err,
                                "%s, %s: %zu launch%s", names[b],
                                mpg_path_name((enum mpg_path_class)path), n,
                                n == 1 ? "" : "es") < 0)
                return -1;
        }
    return 0;
}

/* Returns the difference of GROUP's median from the median of all round trips of P at GROUP's message size, relative to P's
 * median. */
static double distance(const struct mpg_network_path *p, const struct mpg_network_group *group)
{
    for (size_t i = 0; i < p->round_trip.n; i++) {
        const struct mpg_network_size *size = &p->round_trip.size[i];
        double median_ns = mpg_distribution_quantile(size->time_ns, 0.5);
        if (size->size_bytes == group->size_bytes && median_ns > 0)
            return fabs(group->median_ns / median_ns - 1);
    }
    return MPG_MOVES_UNKNOWN;
}

static int check_groups(struct mpg_check *c, const struct mpg_network_path *p,
                        const struct mpg_network_group *group, size_t n,
                        enum mpg_finding finding, struct mpg_error *err)
{
    char time[32], size[32];
    for (size_t i = 0; i < n; i++)
        if (group[i].outlier &&
            mpg_check_add_finding(c, finding, distance(p, &group[i]), err,
                            "%s: %.200s is an outlier: median round trip of %s takes %s,"
                            " modified z-score %+.1f", mpg_path_name(p->path), group[i].name,
                            mpg_units_format_size(size, sizeof size, group[i].size_bytes),
                            mpg_units_format_time(time, sizeof time, group[i].median_ns),
                            group[i].score) < 0)
            return -1;
    return 0;
}

/* Sets *MOVES to the effect of the uncertainty of SIZE's P quantile (0.5 or 0.99): half width of the confidence interval relative
 * to the median, times the tail's share for P = 0.99. With too few samples the maximum replaces the upper bound. The number of
 * independent samples comes from LIST: the autocorrelation in the distribution ignores files and pairs. */
static int find_moves(const struct mpg_network_size *size, const struct mpg_check_sizes *list,
                      double p, double *moves, struct mpg_error *err)
{
    struct mpg_confidence i;
    struct mpg_distribution d = *size->time_ns;
    double n = (double)d.n, median = mpg_distribution_quantile(&d, 0.5);
    double max = d.quantiles[d.knots - 1];
    d.intervals = 0; /* stored intervals include differences between launches */
    for (size_t s = 0; s < list->n; s++)
        if (list->size[s].size_bytes == (double)size->size_bytes)
            n = fmin(n, p == 0.5 ? list->size[s].median : list->size[s].tail);
    d.lag1 = ((double)d.n - n) / ((double)d.n + n);
    if (mpg_distribution_interval(&d, p, CONFIDENCE, &i, err) < 0)
        return -1;
    double width = i.coverage < CONFIDENCE ? fmax(max - i.value, i.value - median)
                                           : fmax(i.high - i.value, i.value - i.low);
    *moves = median > 0 ? (p == 0.5 ? 1 : TAIL_PART) * width / median : 0;
    return 0;
}

/* Reports FINDING if the P quantile of any size in SIZES is too imprecise. */
static int check_sizes(struct mpg_check *c, const struct mpg_network_path *path,
                       bool bandwidth, const struct mpg_network_sizes *sizes, double p,
                       enum mpg_finding finding, struct mpg_error *err)
{
    size_t wide = 0;
    const struct mpg_network_size *worst = NULL;
    double worst_shift = 0, moves;
    char size[32];
    for (size_t s = 0; s < sizes->n; s++) {
        if (find_moves(&sizes->size[s], &c->sizes[bandwidth][path->path], p, &moves, err) < 0)
            return -1;
        wide += moves > MPG_MESSAGES_MATTER;
        if (moves > MPG_MESSAGES_MATTER && moves > worst_shift) {
            worst_shift = moves;
            worst = &sizes->size[s];
        }
    }
    if (!worst)
        return 0;
    return mpg_check_add_finding(
        c, finding, fmin(worst_shift, MAX_SHOWN), err,
        "%s, %s: the %s is too uncertain for %zu of %zu sizes, most for %s (%zu samples)",
        bandwidth ? "bandwidth" : "pingpong", mpg_path_name(path->path),
        p == 0.5 ? "median" : "99th percentile", wide, sizes->n,
        mpg_units_format_size(size, sizeof size, worst->size_bytes), worst->time_ns->n);
}

/* Checks whether the one-way times of P, if estimated by deconvolution, add up to the measured round trips. */
static int check_misfit(struct mpg_check *c, const struct mpg_network_path *p,
                        struct mpg_error *err)
{
    double min_n = INFINITY;   /* smallest number of samples among the deconvolved sizes */
    for (size_t i = 0; i < p->round_trip.n; i++)
        if (p->round_trip.size[i].time_ns->n >= MPG_DECONVOLUTION_MIN_SAMPLES)
            min_n = fmin(min_n, (double)p->round_trip.size[i].time_ns->n);
    if (p->one_way_misfit <= fmax(MISFIT, 2 / sqrt(min_n)))
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_MISFIT, p->one_way_misfit, err,
                           "%s: sums of one-way times are not distributed as the round trips:"
                           " Kolmogorov-Smirnov distance %.2g", mpg_path_name(p->path),
                           p->one_way_misfit);
}

/* Checks whether the clocks of P's ranks were comparable, whether the timer resolves the round trips of P, and whether an eager
 * limit was found. */
static int check_times(struct mpg_check *c, const struct mpg_network_path *p,
                       struct mpg_error *err)
{
    if (p->latency.n == 0)
        return 0;
    if (strncmp(p->one_way, "forward", strlen("forward")) != 0 &&
        mpg_check_add_finding(c, MPG_FOUND_CLOCKS, MPG_MOVES_UNKNOWN, err,
                        "%s: clocks could not be compared; one-way times are by %s",
                        mpg_path_name(p->path), p->one_way) < 0)
        return -1;
    if (check_misfit(c, p, err) < 0)
        return -1;
    double min_ns = p->round_trip.size[0].time_ns->quantiles[0];
    if (c->resolution_ns > MPG_MESSAGES_MATTER * min_ns &&
        mpg_check_add_finding(c, MPG_FOUND_TIMER, c->resolution_ns / min_ns, err,
                        "%s: the timer resolves %.1f ns, the shortest round trip is %.1f ns",
                        mpg_path_name(p->path), c->resolution_ns, min_ns) < 0)
        return -1;
    if (p->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN)
        return mpg_check_add_finding(c, MPG_FOUND_EAGER_LIMIT, MPG_MOVES_UNKNOWN, err, "%s: no eager limit detected",
                               mpg_path_name(p->path));
    return 0;
}

int mpg_check_paths(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err)
{
    if (check_launches(c, err) < 0)
        return -1;
    for (size_t i = 0; i < sig->paths; i++) {
        const struct mpg_network_path *p = &sig->network[i];
        if (check_groups(c, p, p->launch, p->launches, MPG_FOUND_OUTLIER_LAUNCH, err) < 0 ||
            check_groups(c, p, p->pair, p->pairs, MPG_FOUND_OUTLIER_PAIR, err) < 0 ||
            check_sizes(c, p, false, &p->round_trip, 0.5, MPG_FOUND_FEW_MEDIAN, err) < 0 ||
            check_sizes(c, p, true, &p->bandwidth, 0.5, MPG_FOUND_FEW_MEDIAN, err) < 0 ||
            check_sizes(c, p, false, &p->round_trip, 0.99, MPG_FOUND_FEW_TAIL, err) < 0 ||
            check_times(c, p, err) < 0)
            return -1;
    }
    return 0;
}
