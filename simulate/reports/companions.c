/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/companions.h"

#include "analyse/efficiency/efficiency.h"

bool mpg_predicted_efficiency_of(const struct mpg_companions *companions, const struct mpg_result *result, double run_ns,
                                 struct mpg_predicted_efficiency *e)
{
    const double quiet_ns = companions->quiet_ratio * run_ns, ideal_ns = companions->ideal_ns;
    double sum_ns = 0;
    *e = (struct mpg_predicted_efficiency){.parallel = 0};
    for (int32_t i = 0; i < result->ranks; i++) {
        const double ns = result->run_account[i].compute_ns;
        sum_ns += ns;
        if (i == 0 || ns > e->largest_ns) {
            e->largest_ns = ns;
            e->largest_rank = i;
        }
        if (i == 0 || ns < e->least_ns) {
            e->least_ns = ns;
            e->least_rank = i;
        }
    }
    e->mean_ns = sum_ns / result->ranks;
    if (!(run_ns > 0 && quiet_ns > 0 && ideal_ns > 0 && e->largest_ns > 0))
        return false;
    const struct mpg_efficiency quiet = {result->ranks, e->mean_ns, e->largest_ns, quiet_ns, ideal_ns};
    const struct mpg_efficiency_ratios ratios = mpg_efficiency_ratios(&quiet);
    e->noise = quiet_ns / run_ns;
    e->parallel = ratios.parallel * e->noise;
    e->load_balance = ratios.load_balance;
    e->serialization = ratios.serialization;
    e->transfer = ratios.transfer;
    return true;
}
