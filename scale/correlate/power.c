/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/correlate/power.h"

#include <Random123/philox.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "statistics/order.h"
#include "statistics/rank.h"

/* The `n` runs that have a site: x is log N, y the log of the site's time. */
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

/* Returns the time, ns, at log N = X by a power law with exponent B through the medians of the points of POWER. */
static double time_at(const struct scale_power *power, double b, double x)
{
    return power->runs == 0 ? 0 : exp(power->y + (isnan(b) ? 0 : b * (x - power->x)));
}

static double part_of(double time_ns, double others_ns)
{
    return time_ns + others_ns > 0 ? time_ns / (time_ns + others_ns) : NAN;
}

/* ---- resampling ---- */

enum { RESAMPLES = SCALE_PROJECT_RESAMPLES };

struct projecting {
    const struct scale_analysis *a;
    const struct scale_draws *draws;
    double x;        /* log of the process count of --project */
    double *chi;     /* quantiles of chi^2: RESAMPLES for each number of degrees of freedom from 0 to the number of runs; not
                        computed yet if the last quantile is NAN */
    double *time_ns; /* for each site: the site's time at `x` in RESAMPLES resamples */
    double *sum_ns;  /* for each resample: sum of time_ns over all sites */
    double all_ns;   /* sum over all sites of the time at `x` by the site's own power law */
};

/* Returns RESAMPLES quantiles of chi^2 with FREEDOM degrees of freedom, at random probabilities, equal for all sites. */
static const double *chi_of(struct projecting *p, size_t freedom)
{
    const uint64_t seed = p->a->options->seed;
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    double *chi = p->chi + freedom * RESAMPLES;
    for (size_t b = 0; isnan(chi[RESAMPLES - 1]) && b < RESAMPLES; b++) {
        const philox4x32_ctr_t counter = {{(uint32_t)b, 0, 1, 0}};
        chi[b] = gsl_cdf_chisq_Pinv((philox4x32(counter, key).v[0] + 0.5) / 4294967296.0, (double)freedom);
    }
    return chi;
}

/* Sets DEVIATION to the residuals of the points from the least-squares line. */
static void find_deviations(const struct points *p, double *deviation)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < p->n; i++) {
        mean_x += p->x[i] / (double)p->n;
        mean_y += p->y[i] / (double)p->n;
    }
    for (size_t i = 0; i < p->n; i++) {
        xx += (p->x[i] - mean_x) * (p->x[i] - mean_x);
        xy += (p->x[i] - mean_x) * (p->y[i] - mean_y);
    }
    for (size_t i = 0; i < p->n; i++)
        deviation[i] = p->y[i] - mean_y - xy / xx * (p->x[i] - mean_x);
}

static double within(double value, double max)
{
    return fmin(fmax(value, -max), max);
}

/* Sets TIME_NS to the site's times at p->x in RESAMPLES resamples. A resample places POINTS on the line of POWER and
 * adds residuals drawn at random. Z and DEVIATION: room for a value per point. */
static int resample(struct projecting *p, const struct scale_power *power, const struct points *points, double *z,
                    double *deviation, double *time_ns, struct mpg_error *err)
{
    const size_t n = points->n;
    const double *chi = chi_of(p, n - 2);
    find_deviations(points, deviation);
    for (size_t b = 0; b < RESAMPLES; b++) {
        const uint32_t *word = p->draws->word + b * p->draws->n;
        for (size_t i = 0; i < n; i++) {
            const double drawn = deviation[(size_t)((uint64_t)word[i] * n >> 32)];
            z[i] = power->y + power->b * (points->x[i] - power->x) + within(drawn * sqrt((double)n / chi[b]), 30);
        }
        struct mpg_slope line;
        double middle;
        if (mpg_theil_sen(points->x, z, n, &line, err) < 0 || mpg_median(z, n, &middle, err) < 0)
            return -1;
        time_ns[b] = exp(within(middle + line.slope * (p->x - power->x), 600));
    }
    return 0;
}

/* Returns whether a site has enough points for residuals. */
static bool is_resampled(const struct scale_power *power)
{
    return power->runs > 2 && !isnan(power->b);
}

static int project_site(struct projecting *p, size_t site, struct mpg_error *err)
{
    struct points points = {.x = NULL};
    struct scale_power power;
    double *time_ns = p->time_ns + site * RESAMPLES;
    double *room = malloc((2 * p->a->set->run_number + 1) * sizeof *room);
    int status = room ? find_points(p->a->set, site, &points, err) : mpg_error_set(err, "out of memory");
    if (status == 0)
        status = mpg_scale_power(p->a->set, site, &power, err);
    if (status == 0) {
        const double own_ns = time_at(&power, power.b, p->x);
        p->all_ns += own_ns;
        for (size_t b = 0; b < RESAMPLES; b++)
            time_ns[b] = own_ns;
        if (is_resampled(&power))
            status = resample(p, &power, &points, room, room + points.n, time_ns, err);
    }
    for (size_t b = 0; status == 0 && b < RESAMPLES; b++)
        p->sum_ns[b] += time_ns[b];
    free(points.x);
    free(room);
    return status;
}

/* Returns the number of process counts at which some run has SITE. */
static size_t counts_of(const struct scale_set *set, size_t site)
{
    size_t n = 0;
    int32_t last = -1;
    for (size_t run = 0; run < set->run_number; run++) /* runs are sorted by number of ranks */
        if (scale_cell_of(set, site, run)->count > 0 && set->runs[run].ranks != last) {
            n++;
            last = set->runs[run].ranks;
        }
    return n;
}

/* Projects ROW's share of the communication. The projection stays NAN if the points are too few, or the interval is too wide. */
static void project_row(const struct projecting *p, struct scale_row *row)
{
    const double own_ns = time_at(&row->power, row->power.b, p->x);
    if (!is_resampled(&row->power) || counts_of(p->a->set, row->site) < SCALE_MIN_COUNTS)
        return;
    row->projected = part_of(own_ns, p->all_ns - own_ns > 0 ? p->all_ns - own_ns : 0);
    double part[RESAMPLES];
    for (size_t b = 0; b < RESAMPLES; b++)
        part[b] = p->time_ns[row->site * RESAMPLES + b] / p->sum_ns[b];
    mpg_sort(part, RESAMPLES);
    row->projected_interval = (struct scale_interval){
        fmin(row->projected, mpg_sorted_quantile(part, RESAMPLES, 0.025)),
        fmax(row->projected, mpg_sorted_quantile(part, RESAMPLES, 0.975))};
    if (!(row->projected_interval.high - row->projected_interval.low <= SCALE_WIDEST_SHARE)) {
        row->projected = NAN;
        row->projected_interval = (struct scale_interval){NAN, NAN};
    }
}

int mpg_scale_project(struct scale_analysis *a, const struct scale_draws *draws, struct mpg_error *err)
{
    const size_t freedoms = a->set->run_number + 1;
    struct projecting p = {.a = a, .draws = draws, .x = log((double)a->options->project)};
    p.chi = malloc(freedoms * RESAMPLES * sizeof *p.chi);
    p.time_ns = malloc((a->set->site_number + 1) * RESAMPLES * sizeof *p.time_ns);
    p.sum_ns = calloc(RESAMPLES, sizeof *p.sum_ns);
    int status = p.chi && p.time_ns && p.sum_ns ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; status == 0 && i < freedoms * RESAMPLES; i++)
        p.chi[i] = NAN;
    for (size_t site = 0; status == 0 && site < a->set->site_number; site++)
        status = project_site(&p, site, err);
    for (size_t i = 0; status == 0 && i < a->row_number; i++)
        project_row(&p, &a->rows[i]);
    free(p.chi);
    free(p.time_ns);
    free(p.sum_ns);
    return status;
}
