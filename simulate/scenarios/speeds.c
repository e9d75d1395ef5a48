/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/scenarios/speeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the interval --- */

/* Returns the relative change, in percent, of N runs TO_NS against FROM_NS with equal draws: the median. */
static double change_of(const double *from_ns, const double *to_ns, uint32_t n)
{
    double change[MPG_SPEED_REPLICAS], sorted[MPG_SPEED_REPLICAS];
    for (uint32_t k = 0; k < n; k++)
        change[k] = 100 * (to_ns[k] / from_ns[k] - 1);
    return mpg_summarise(change, n, sorted).median;
}

int mpg_speed_find(const struct mpg_launch_speed *speed, const double *run_ns, uint32_t replicas, const double *fast_ns,
                   const double *slow_ns, uint32_t n, double interval_ns[2], struct mpg_error *err)
{
    const double low = 1 + change_of(run_ns, fast_ns, n) / 100, high = 1 + change_of(run_ns, slow_ns, n) / 100;
    if (isnan(low) || isnan(high))
        return 0;
    double *sorted = malloc(replicas * sizeof *sorted);
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    (void)mpg_summarise(run_ns, replicas, sorted);
    const struct mpg_speed_runs runs = {sorted, replicas, fmin(low, 1), fmax(high, 1)};
    mpg_speed_interval(speed, &runs, interval_ns);
    free(sorted);
    return 1;
}

/* --- the runs --- */

/* A prediction at another speed. */
struct run {
    struct mpg_perturbation p;
    struct mpg_simulation_options options;
    struct mpg_region_ratios ratios;
    struct mpg_region_ratio *region;
    struct mpg_result result;
};

/* Makes R the prediction ROW with computation that takes FACTOR times as long, in all regions. */
static int begin(struct run *r, const struct mpg_speed_row *row, double factor, struct mpg_error *err)
{
    const struct mpg_region_ratios *ratios = row->options->graph.ratios;
    *r = (struct run){.p = *row->p, .options = *row->options, .ratios = {.base = factor}};
    r->p.compute_ratio *= factor;
    if (ratios) {
        r->ratios = *ratios;
        r->ratios.base *= factor;
        if (!(r->region = calloc(ratios->n + 1, sizeof *r->region)))
            return mpg_error_set(err, "out of memory");
        for (size_t i = 0; i < ratios->n; i++) {
            r->region[i] = ratios->region[i];
            r->region[i].ratio *= factor;
        }
        r->ratios.region = r->region;
    }
    r->options.graph.ratios = &r->ratios;
    r->options.where = (struct mpg_attribution_wanted){.places = false};
    if (r->options.replicas > MPG_SPEED_REPLICAS)
        r->options.replicas = MPG_SPEED_REPLICAS;
    return 0;
}

/* Fills the interval of ROW at any SPEED from R, its runs at the lower and at the higher speed of computation. */
static int take(const struct mpg_speed_row *row, const struct mpg_launch_speed *speed, const struct run *r, struct mpg_error *err)
{
    return !row->run_ns ? 0
                        : mpg_speed_find(speed, row->run_ns, row->options->replicas, r[0].result.run_ns, r[1].result.run_ns,
                                         r->options.replicas, row->any_speed_90, err);
}

int mpg_speed_rows(struct mpg_trace *trace, const struct mpg_speed_row *row, size_t n, struct mpg_error *err)
{
    size_t k = 0, runs = 0;
    struct run *r = calloc(2 * n, sizeof *r);
    struct mpg_scenario *scenario = calloc(2 * n, sizeof *scenario);
    struct mpg_launch_speed *speed = calloc(n, sizeof *speed);
    int status = r && scenario && speed ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        speed[i] = mpg_speed_of(row[i].p);
        for (int end = 0; end < 2 && speed[i].is_known && status == 0; end++, runs++) {
            struct run *x = &r[runs];
            status = begin(x, &row[i], end == 0 ? speed[i].low : speed[i].high, err);
            scenario[runs] = (struct mpg_scenario){.p = &x->p, .options = &x->options, .result = &x->result,
                                                   .family = row[i].family};
        }
    }
    if (status == 0 && runs > 0)
        status = mpg_simulate(trace, scenario, runs, NULL, err);
    for (size_t i = 0; i < n && status == 0; i++)
        if (speed[i].is_known) {
            status = take(&row[i], &speed[i], &r[k], err) < 0 ? -1 : 0;
            k += 2;
        }
    for (size_t i = 0; i < runs; i++) {
        mpg_result_clear(&r[i].result);
        free(r[i].region);
    }
    free(speed);
    free(scenario);
    free(r);
    return status;
}
