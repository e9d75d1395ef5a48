/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/speed.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "simulate/models/core_rates.h"

static const double TAIL = 0.05;
/* Number of quantiles that represent the run times if there are more replicas; number of bisection steps to find a run time. */
enum { MAX_QUANTILES = 500, HALVINGS = 60 };

/* Variation of a machine's rates between launches: variance of the logarithms of rates. */
struct spread {
    double variance;
    size_t freedom; /* the smallest number of launches of a rate, minus 1 */
};

/* Adds to *SQUARES the squared deviations of the logarithms of R's launch means from the mean logarithm. Returns false if a rate
 * is 0. */
static bool add_squares(const struct mpg_compute_rate *r, double *squares)
{
    double mean = 0, sum = 0;
    for (size_t k = 0; k < r->launches; k++) {
        if (!(r->launch_mean[k] > 0))
            return false;
        const double x = log(r->launch_mean[k]), step = x - mean;
        mean += step / (double)(k + 1);
        sum += step * (x - mean);
    }
    *squares += sum;
    return true;
}

/* Returns the spread of SIG, pooled over kernels and cores, for the largest number of cores at once; freedom 0: not known. */
static struct spread spread_of(const struct mpg_signature *sig)
{
    double squares = 0;
    size_t distances = 0;
    struct spread s = {0, 0};
    for (size_t i = 0; i < sig->rates; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i];
        if (r->launches < 2 || r->cores_at_once != mpg_core_rates_most(sig, r->kernel) || !add_squares(r, &squares))
            continue;
        distances += r->launches - 1;
        if (s.freedom == 0 || r->launches - 1 < s.freedom)
            s.freedom = r->launches - 1;
    }
    if (distances > 0)
        s.variance = squares / (double)distances;
    return s;
}

struct mpg_launch_speed mpg_speed_of(const struct mpg_perturbation *p)
{
    struct mpg_launch_speed f = {.is_known = false};
    if (!p->predicts || p->speed_recorded || !p->target || !p->source)
        return f;
    const struct spread target = spread_of(p->target), source = spread_of(p->source);
    const double sum = target.variance + source.variance;
    if (target.freedom == 0 || source.freedom == 0 || !(sum > 0))
        return f;
    f.is_known = true;
    f.sd = sqrt(sum);
    f.freedom = target.variance == source.variance /* if both signatures hold the same measurement of one machine */
                    ? (double)target.freedom
                    : sum * sum / (target.variance * target.variance / (double)target.freedom +
                                   source.variance * source.variance / (double)source.freedom);
    f.high = exp(f.sd * gsl_cdf_tdist_Pinv(1 - TAIL, f.freedom));
    f.low = 1 / f.high;
    return f;
}

/* --- run times --- */

/* Returns the factor F with which the run takes RATIO times as long as at the recorded speed. */
static double factor_at(const struct mpg_launch_speed *f, const struct mpg_speed_runs *x, double ratio)
{
    const double limit = ratio < 1 ? f->low : f->high, reached = ratio < 1 ? x->low : x->high;
    if (ratio == 1)
        return 1;
    if (reached == 1) /* the run time does not depend on F */
        return ratio < 1 ? 0 : INFINITY;
    return 1 + (ratio - 1) / (reached - 1) * (limit - 1);
}

/* Returns the share of runs that take at most RUN_NS. */
static double part_below(const struct mpg_launch_speed *f, const struct mpg_speed_runs *x, double run_ns)
{
    const size_t n = x->n < MAX_QUANTILES ? x->n : MAX_QUANTILES;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double at_ns = x->sorted_ns[(2 * i + 1) * x->n / (2 * n)];
        const double factor = factor_at(f, x, run_ns / at_ns);
        sum += isinf(factor) ? 1 : factor > 0 ? gsl_cdf_tdist_P(log(factor) / f->sd, f->freedom) : 0;
    }
    return sum / (double)n;
}

void mpg_speed_interval(const struct mpg_launch_speed *f, const struct mpg_speed_runs *x, double interval_ns[2])
{
    interval_ns[0] = interval_ns[1] = 0;
    for (int end = 0; end < 2 && x->sorted_ns[0] > 0; end++) {
        const double wanted = end == 0 ? TAIL : 1 - TAIL;
        double below = 0, above = x->sorted_ns[x->n - 1];
        while (part_below(f, x, above) < wanted)
            above *= 2;
        for (int i = 0; i < HALVINGS; i++) {
            const double middle = below + (above - below) / 2;
            if (part_below(f, x, middle) < wanted)
                below = middle;
            else
                above = middle;
        }
        interval_ns[end] = above;
    }
}
