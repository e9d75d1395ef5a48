/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LogGP: piecewise straight lines through message times as a function of size. */
#include "statistics/loggp.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/distribution.h"

/* Relative residuals below RELATIVE_RESOLUTION come from the clock's resolution. */
static const double RELATIVE_RESOLUTION = 1e-4;

/* Weighted sums of x and y over the message sizes before an index. The difference of two such structs gives the
 * regression line through the sizes between. */
struct sums {
    double w, wx, wxx, wy, wxy, wyy;
};

static int check_times(const struct mpg_loggp_times *times, const char *what,
                       struct mpg_error *err)
{
    if (times->n > MPG_LOGGP_MAX_SIZES)
        return mpg_error_set(err, "%s: %zu sizes, more than %d", what, times->n,
                             (int)MPG_LOGGP_MAX_SIZES);
    for (size_t i = 0; i < times->n; i++) {
        if (times->size_bytes[i] < 0 ||
            (i > 0 && times->size_bytes[i] <= times->size_bytes[i - 1]))
            return mpg_error_set(err, "%s: size %lld is negative or not ascending", what,
                                 (long long)times->size_bytes[i]);
        if (!(times->time_ns[i] > 0 && times->time_ns[i] <= MPG_DISTRIBUTION_LIMIT))
            return mpg_error_set(err, "%s: %g ns for %lld bytes is no time", what,
                                 times->time_ns[i], (long long)times->size_bytes[i]);
    }
    return 0;
}

static void fill_sums(const struct mpg_loggp_times *times, struct sums *sums)
{
    sums[0] = (struct sums){0};
    for (size_t i = 0; i < times->n; i++) {
        double x = (double)times->size_bytes[i], y = times->time_ns[i], w = 1 / (y * y);
        sums[i + 1] = (struct sums){
            sums[i].w + w,           sums[i].wx + w * x,     sums[i].wxx + w * x * x,
            sums[i].wy + w * y,      sums[i].wxy + w * x * y, sums[i].wyy + 1,
        };
    }
}

/* Returns the sum of squared relative residuals of the line through the message sizes FROM..TO - 1. */
static double residuals(const struct sums *sums, size_t from, size_t to)
{
    const struct sums *a = &sums[from], *b = &sums[to];
    double w = b->w - a->w, wx = b->wx - a->wx, wy = b->wy - a->wy;
    double xx = b->wxx - a->wxx - wx * wx / w, xy = b->wxy - a->wxy - wx * wy / w;
    double yy = b->wyy - a->wyy - wy * wy / w;
    double floor = RELATIVE_RESOLUTION * RELATIVE_RESOLUTION * (double)(to - from);
    return fmax(xx > 0 ? yy - xy * xy / xx : yy, 0) + floor;
}

/* A division of the message sizes into segments: segment i has the sizes with indices cut[i]..cut[i + 1] - 1. */
struct cuts {
    size_t segments, cut[MPG_LOGGP_MAX_SEGMENTS + 1];
    double criterion;
};

static void try_cuts(const struct sums *sums, size_t n, size_t segments, size_t first,
                     size_t second, size_t forced, struct cuts *best)
{
    size_t cut[MPG_LOGGP_MAX_SEGMENTS + 1] = {0, first, second, n};
    cut[segments] = n;
    double sum = 0;
    bool has_forced = forced == 0;
    for (size_t i = 0; i < segments; i++) {
        if (cut[i + 1] < cut[i] + MPG_LOGGP_MIN_SIZES)
            return;
        sum += residuals(sums, cut[i], cut[i + 1]);
        has_forced = has_forced || cut[i] == forced;
    }
    double parameters = (double)(2 * segments + 2 * (segments - 1));
    double criterion = (double)n * log(sum / (double)n) + parameters * log((double)n);
    if (has_forced && criterion < best->criterion) {
        best->segments = segments;
        best->criterion = criterion;
        memcpy(best->cut, cut, sizeof cut);
    }
}

static struct cuts find_cuts(const struct sums *sums, size_t n, size_t forced)
{
    struct cuts best = {.criterion = INFINITY};
    try_cuts(sums, n, 1, n, n, forced, &best);
    for (size_t first = MPG_LOGGP_MIN_SIZES; first < n; first++) {
        try_cuts(sums, n, 2, first, n, forced, &best);
        for (size_t second = first + MPG_LOGGP_MIN_SIZES; second < n; second++)
            if (forced == 0 || first == forced || second == forced)
                try_cuts(sums, n, 3, first, second, forced, &best);
    }
    return best;
}

/* Fits a line to N times, with standard errors. WORK: scratch of 2 N doubles. */
static int fit_line(const int64_t *size_bytes, const double *time_ns, size_t n, double *work,
                    struct mpg_loggp_segment *segment, struct mpg_error *err)
{
    double *x = work, *w = work + n, c0, c1, cov00, cov01, cov11, squares, sum = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)size_bytes[i];
        w[i] = 1 / (time_ns[i] * time_ns[i]);
    }
    int status = gsl_fit_wlinear(x, 1, w, 1, time_ns, 1, n, &c0, &c1, &cov00, &cov01, &cov11,
                                 &squares);
    if (status != GSL_SUCCESS)
        return mpg_error_set(err, "LogGP: %s", gsl_strerror(status));
    for (size_t i = 0; i < n; i++) {
        double residual = time_ns[i] - c0 - c1 * x[i];
        sum += residual * residual;
        worst = fmax(worst, fabs(residual) / time_ns[i]);
    }
    /* GSL's covariances assume known errors; here only the errors' ratios are known. */
    double freedom = (double)(n - 2), scale = squares / freedom;
    *segment = (struct mpg_loggp_segment){
        .from_bytes = size_bytes[0],
        .to_bytes = size_bytes[n - 1],
        .latency_ns = c0,
        .latency_error_ns = sqrt(cov00 * scale),
        .gap_per_byte_ns = c1,
        .gap_per_byte_error_ns = sqrt(cov11 * scale),
        .residual_sd_ns = sqrt(sum / freedom),
        .worst_relative = worst,
    };
    return 0;
}

/* Returns the number of sizes up to the eager limit, where a segment must end, if there are enough sizes on both sides;
 * else 0. */
static size_t forced_cut(const struct mpg_loggp_times *times, int64_t eager_limit_bytes)
{
    size_t eager = 0;
    while (eager < times->n && times->size_bytes[eager] <= eager_limit_bytes)
        eager++;
    return eager >= MPG_LOGGP_MIN_SIZES && times->n - eager >= MPG_LOGGP_MIN_SIZES ? eager : 0;
}

static int fit_segments(const struct mpg_loggp_times *times, int64_t eager_limit_bytes,
                        struct mpg_loggp *loggp, struct mpg_error *err)
{
    if (times->n < MPG_LOGGP_MIN_SIZES)
        return 0;
    struct sums *sums = malloc((times->n + 1) * sizeof *sums);
    double *work = malloc(2 * times->n * sizeof *work);
    struct mpg_loggp_segment *segment = calloc(MPG_LOGGP_MAX_SEGMENTS, sizeof *segment);
    int status = -1;
    if (!sums || !work || !segment) {
        mpg_error_set(err, "out of memory for %zu sizes", times->n);
        goto out;
    }
    fill_sums(times, sums);
    struct cuts cuts = find_cuts(sums, times->n, forced_cut(times, eager_limit_bytes));
    for (size_t i = 0; i < cuts.segments; i++)
        if (fit_line(times->size_bytes + cuts.cut[i], times->time_ns + cuts.cut[i],
                     cuts.cut[i + 1] - cuts.cut[i], work, &segment[i], err) < 0)
            goto out;
    loggp->segments = cuts.segments;
    loggp->segment = segment;
    segment = NULL;
    status = 0;
out:
    free(segment);
    free(work);
    free(sums);
    return status;
}

/* Sets *TIME_NS to the median time of small messages; 0: no small messages. */
static int small_time(const struct mpg_loggp_times *times, double *time_ns, struct mpg_error *err)
{
    size_t n = 0;
    *time_ns = 0;
    if (times->n == 0)
        return 0;
    while (n < times->n && times->size_bytes[n] <= MPG_LOGGP_SMALL_BYTES)
        n++;
    n = n > 0 ? n : 1;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return mpg_error_set(err, "out of memory for %zu sizes", n);
    memcpy(sorted, times->time_ns, n * sizeof *sorted);
    gsl_sort(sorted, 1, n);
    *time_ns = gsl_stats_median_from_sorted_data(sorted, 1, n);
    free(sorted);
    return 0;
}

int mpg_loggp_fit(const struct mpg_loggp_times *one_way, const struct mpg_loggp_times *sender,
                  const struct mpg_loggp_times *streaming, int64_t eager_limit_bytes,
                  struct mpg_loggp *loggp, struct mpg_error *err)
{
    struct mpg_loggp fresh = {0};
    if (check_times(one_way, "one-way times", err) < 0 ||
        check_times(sender, "sender's times", err) < 0 ||
        check_times(streaming, "streaming times", err) < 0 ||
        small_time(sender, &fresh.overhead_ns, err) < 0 ||
        small_time(streaming, &fresh.gap_ns, err) < 0 ||
        fit_segments(one_way, eager_limit_bytes, &fresh, err) < 0)
        return -1;
    *loggp = fresh;
    return 0;
}
