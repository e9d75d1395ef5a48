/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/correlate/power.h"

#include <math.h>
#include <stdlib.h>

#include "statistics/rank.h"

/* Logarithms of N and of SITE's times, N points. */
struct points {
    size_t n;
    double *x, *y;
};

static int find_points(const struct scale_set *set, size_t site, struct points *p, struct mpg_error *err)
{
    *p = (struct points){0, malloc((2 * set->run_number + 1) * sizeof(double)), NULL};
    if (!p->x)
        return mpg_error_set(err, "out of memory");
    p->y = p->x + set->run_number;
    for (size_t run = 0; run < set->run_number; run++) {
        const double time_ns = scale_cell_of(set, site, run)->time_ns;
        if (time_ns > 0) {
            p->x[p->n] = log(set->runs[run].ranks);
            p->y[p->n++] = log(time_ns);
        }
    }
    return 0;
}

int mpg_scale_power(const struct scale_set *set, size_t site, struct scale_power *power, struct mpg_error *err)
{
    struct points p;
    struct mpg_slope slope;
    *power = (struct scale_power){.a = NAN, .b = NAN, .interval = {NAN, NAN}, .x = NAN};
    if (find_points(set, site, &p, err) < 0)
        return -1;
    int status = p.n > 0 ? mpg_theil_sen(p.x, p.y, p.n, &slope, err) : 0;
    if (status == 0 && p.n > 0) {
        power->runs = p.n;
        power->b = slope.slope;
        power->a = slope.intercept;
        power->interval = (struct scale_interval){slope.low, slope.high};
        status = mpg_median(p.x, p.n, &power->x, err) < 0 ? -1 : mpg_median(p.y, p.n, &power->y, err);
    }
    free(p.x);
    return status;
}

/* The time at log N = X with exponent B: through the medians of all points. */
static double time_at(const struct scale_power *power, double b, double x)
{
    return power->runs == 0 ? 0 : exp(power->y + (isnan(b) ? 0 : b * (x - power->x)));
}

static double part_of(double time_ns, double others_ns)
{
    return time_ns + others_ns > 0 ? time_ns / (time_ns + others_ns) : NAN;
}

int mpg_scale_project(struct scale_analysis *a, struct mpg_error *err)
{
    const double x = log((double)a->options->project);
    double sum_ns = 0;
    for (size_t site = 0; site < a->set->site_number; site++) {
        struct scale_power power;
        if (mpg_scale_power(a->set, site, &power, err) < 0)
            return -1;
        sum_ns += time_at(&power, power.b, x);
    }
    for (size_t i = 0; i < a->row_number; i++) {
        struct scale_row *row = &a->rows[i];
        const double time_ns = time_at(&row->power, row->power.b, x);
        const double others_ns = sum_ns - time_ns > 0 ? sum_ns - time_ns : 0;
        const double one = part_of(time_at(&row->power, row->power.interval.low, x), others_ns);
        const double other = part_of(time_at(&row->power, row->power.interval.high, x), others_ns);
        row->projected = part_of(time_ns, others_ns);
        if (!isnan(row->power.b))
            row->projected_interval = (struct scale_interval){fmin(one, other), fmax(one, other)};
    }
    return 0;
}
