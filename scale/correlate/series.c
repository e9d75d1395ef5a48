/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the points of a row: the metric in each run. */
#include <math.h>
#include <stdlib.h>

#include "scale/correlate/correlate.h"
#include "statistics/rank.h"

double mpg_scale_value(const struct scale_set *set, const struct scale_options *options, size_t site, size_t run)
{
    const struct scale_cell *cell = scale_cell_of(set, site, run);
    const struct scale_run *r = &set->runs[run];
    switch (options->metric) {
    case SCALE_SHARE: return scale_whole_of(r) > 0 ? cell->time_ns / scale_whole_of(r) : 0;
    case SCALE_TIME: return cell->time_ns;
    case SCALE_TIME_OF_APP: return cell->time_ns / r->app_ns;
    case SCALE_MEAN: return cell->count > 0 ? cell->time_ns / (double)cell->count : 0;
    case SCALE_COUNT: return (double)cell->count;
    case SCALE_BYTES: return cell->sent_bytes + cell->received_bytes;
    case SCALE_IMBALANCE: return cell->time_ns > 0 ? cell->max_rank_ns * r->ranks / cell->time_ns : NAN;
    case SCALE_COUNTER: return scale_counters_of(set, site, run)[options->counter];
    }
    return NAN;
}

int mpg_scale_series(const struct scale_set *set, const struct scale_options *options, size_t site,
                     struct scale_series *series, struct mpg_error *err)
{
    const size_t n = set->run_number + 1;
    *series = (struct scale_series){0, malloc(n * sizeof(double)), malloc(n * sizeof(double)),
                                    malloc(n * sizeof(size_t))};
    if (!series->x || !series->y || !series->run) {
        mpg_scale_series_clear(series);
        return mpg_error_set(err, "out of memory");
    }
    for (size_t run = 0; run < set->run_number; run++) {
        const double value = mpg_scale_value(set, options, site, run);
        if ((scale_cell_of(set, site, run)->count == 0 && !options->zero) || isnan(value))
            continue;
        series->x[series->n] = set->runs[run].ranks;
        series->y[series->n] = value;
        series->run[series->n++] = run;
    }
    return 0;
}

void mpg_scale_series_clear(struct scale_series *series)
{
    free(series->x);
    free(series->y);
    free(series->run);
    *series = (struct scale_series){.n = 0};
}

size_t mpg_scale_counts(const struct scale_series *series)
{
    size_t counts = 0;
    for (size_t i = 0; i < series->n; i++)
        counts += i == 0 || series->x[i] != series->x[i - 1];
    return counts;
}

int mpg_scale_ends(const struct scale_series *series, double *first, double *last, struct mpg_error *err)
{
    size_t of_first = 1, before_last = series->n - 1;
    while (of_first < series->n && series->x[of_first] == series->x[0])
        of_first++;
    while (before_last > 0 && series->x[before_last - 1] == series->x[series->n - 1])
        before_last--;
    return mpg_median(series->y, of_first, first, err) < 0 ||
                   mpg_median(series->y + before_last, series->n - before_last, last, err) < 0
               ? -1
               : 0;
}
