/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/efficiency.h"

#include <math.h>

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

struct mpg_efficiency mpg_efficiency_of(int32_t ranks, const double *compute_ns, double run_ns, double ideal_ns)
{
    struct mpg_efficiency e = {.ranks = ranks, .run_ns = run_ns, .ideal_ns = ideal_ns};
    double sum_ns = 0;
    for (int32_t i = 0; i < ranks; i++) {
        sum_ns += compute_ns[i];
        e.max_compute_ns = fmax(e.max_compute_ns, compute_ns[i]);
    }
    e.mean_compute_ns = ranks > 0 ? sum_ns / ranks : 0;
    return e;
}

struct mpg_efficiency_ratios mpg_efficiency_ratios(const struct mpg_efficiency *e)
{
    return (struct mpg_efficiency_ratios){.parallel = ratio(e->mean_compute_ns, e->run_ns),
                                          .load_balance = ratio(e->mean_compute_ns, e->max_compute_ns),
                                          .communication = ratio(e->max_compute_ns, e->run_ns),
                                          .serialization = ratio(e->max_compute_ns, e->ideal_ns),
                                          .transfer = ratio(e->disturbed_ns > 0 ? e->disturbed_ns : e->ideal_ns, e->run_ns),
                                          .noise = ratio(e->ideal_ns, e->disturbed_ns)};
}

double mpg_efficiency_computation_scaling(const struct mpg_efficiency *reference, const struct mpg_efficiency *run,
                                          enum mpg_efficiency_scaling scaling)
{
    const double mean = ratio(reference->mean_compute_ns, run->mean_compute_ns);
    return scaling == MPG_EFFICIENCY_SCALED ? mean : mean * reference->ranks / run->ranks;
}
