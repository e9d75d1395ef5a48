/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/companions.h"

#include <math.h>

#include "analyse/efficiency/efficiency.h"

/* Sets INTERVAL to LOW .. HIGH, widened to contain X, which may come from more replicas than the limits. */
static void set_interval(double interval[2], double low, double high, double x)
{
    interval[0] = fmin(low, x);
    interval[1] = fmax(high, x);
}

bool mpg_predicted_efficiency_of(const struct mpg_companions *companions, const struct mpg_result *result,
                                 const struct mpg_summary *run, struct mpg_predicted_efficiency *e)
{
    const struct mpg_companions *c = companions;
    const double run_ns = run->median, quiet_ns = c->quiet_ratio.median * run_ns, ideal_ns = c->ideal_ns;
    double sum_ns = 0;
    *e = (struct mpg_predicted_efficiency){.parallel = 0};
    for (int32_t i = 0; i < result->ranks; i++) {
        const double ns = result->run_account[i].compute_ns;
        sum_ns += ns;
        if (i == 0 || ns > e->largest_ns) {
            e->largest_ns = ns;
            e->largest_rank = i;
        }
        if (i == 0 || ns < e->min_ns) {
            e->min_ns = ns;
            e->min_rank = i;
        }
    }
    e->mean_ns = sum_ns / result->ranks;
    if (!(run_ns > 0 && quiet_ns > 0 && ideal_ns > 0 && e->largest_ns > 0))
        return false;
    const struct mpg_efficiency quiet = {result->ranks, e->mean_ns, e->largest_ns, quiet_ns, ideal_ns, 0};
    const struct mpg_efficiency_ratios ratios = mpg_efficiency_ratios(&quiet);
    e->noise = quiet_ns / run_ns;
    e->parallel = ratios.parallel * e->noise;
    e->load_balance = ratios.load_balance;
    e->serialization = ratios.serialization;
    e->transfer = ratios.transfer;
    set_interval(e->parallel_95, e->mean_ns / run->high, e->mean_ns / run->low, e->parallel);
    set_interval(e->transfer_95, ideal_ns / c->quiet.high, ideal_ns / c->quiet.low, e->transfer);
    set_interval(e->noise_95, c->quiet_ratio.low, c->quiet_ratio.high, e->noise);
    return true;
}
