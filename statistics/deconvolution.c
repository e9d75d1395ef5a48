/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deconvolution of a distribution of sums by expectation maximisation on an uneven grid. */
#include "statistics/deconvolution.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/kolmogorov.h"
#include "statistics/order.h"

enum {
    SUM_POINTS = 512,
    KNOWN_POINTS = 384,
    RANKS = 128,
    POINTS = SUM_POINTS + 4 + 2 * RANKS, /* points of the unknown summand */
    STARTS = 4096,
    ITERATIONS = 60, /* further iterations would fit the noise of the samples */
    ITERATIONS_KNOWN = 100,
};

/* A mass this small cannot grow to the mass of a sample within the iterations. */
static const double NO_MASS = 1e-30;

/* Probability masses on ascending points. */
struct grid {
    size_t n;
    double *at, *mass;
};

/* The sum of a point of the unknown and a point of the other summand lies between the sum points BELOW and BELOW + 1, at
 * fraction PART of the way. */
struct cell {
    uint32_t below;
    float part;
};

struct problem {
    /* Number of sums; number of samples of the known summand, or 0: the sums are of two equally distributed halves. */
    size_t n, m;
    double *sums, *known;        /* samples, ascending */
    struct grid unknown, other, sum; /* OTHER: the known summand, or for halves the unknown itself */
    struct cell *cell;           /* unknown.n rows of other.n cells */
    double *predicted, *ratio;   /* a value for each point of SUM */
    double *factor;              /* a value for each point of UNKNOWN */
};

/* ---- grids ---- */

/* Places N points within LOW..HIGH: spaced by SCALE around CENTRE, logarithmically farther away. */
static void spread_points(double *at, size_t n, double low, double high, double centre,
                          double scale)
{
    double from = -asinh((centre - low) / scale), to = asinh((high - centre) / scale);
    for (size_t i = 0; i < n; i++)
        at[i] = centre + scale * sinh(from + (to - from) * (double)i / (double)(n - 1));
}

/* Sorts N points, drops points outside LOW..HIGH and near duplicates, adds both ends. Returns the number of
 * points. AT has room for N + 2. */
static size_t sort_points(double *at, size_t n, double low, double high)
{
    double nearest = 1e-9 * (high - low) + 1e-12 * fabs(high);
    size_t kept = 1;
    gsl_sort(at, 1, n);
    memmove(at + 1, at, n * sizeof *at);
    at[0] = low;
    for (size_t i = 1; i <= n; i++)
        if (at[i] > at[kept - 1] + nearest && at[i] < high - nearest)
            at[kept++] = at[i];
    at[kept++] = high;
    return kept;
}

static bool alloc_grid(struct grid *grid, size_t n)
{
    grid->at = calloc(n + 2, sizeof *grid->at);
    grid->mass = calloc(n + 2, sizeof *grid->mass);
    return grid->at && grid->mass;
}

/* Returns the typical spacing of the SORTED values: a tenth of the interquartile range; if the quartiles are equal, a small
 * fraction of the range. */
static double spread(const double *sorted, size_t n)
{
    double quartiles = mpg_interpolated_quantile(sorted, n, 0.75) - mpg_interpolated_quantile(sorted, n, 0.25);
    double range = sorted[n - 1] - sorted[0];
    return fmax(fmax(quartiles / 10, 1e-6 * range), 1e-9 * fabs(sorted[n - 1]));
}

/* Fills GRID for the sums or for the known summand, whose samples are SORTED: half of the points by spread_points(), half
 * at quantiles. */
static void fill_points(struct grid *grid, size_t points, const double *sorted, size_t n)
{
    spread_points(grid->at, points / 2, sorted[0], sorted[n - 1], mpg_interpolated_quantile(sorted, n, 0.5),
                  spread(sorted, n));
    for (size_t i = 0; i < points / 2; i++)
        grid->at[points / 2 + i] = mpg_interpolated_quantile(sorted, n, ((double)i + 0.5) / (double)(points / 2));
    grid->n = sort_points(grid->at, points, sorted[0], sorted[n - 1]);
}

/* Fills the points of the unknown within LOW..HIGH with candidate values: each sum point less the other summand's median
 * (every sum point must be reachable); sums less the smallest other summand (a sum with a single large part); sums less
 * the other summand's quantile of equal rank. */
static void fill_unknown(struct problem *p, double low, double high)
{
    struct grid *grid = &p->unknown;
    size_t used = 0;
    const double *other = p->m > 0 ? p->known : p->sums;
    size_t others = p->m > 0 ? p->m : p->n;
    double share = p->m > 0 ? 1 : 0.5, middle = share * mpg_interpolated_quantile(other, others, 0.5);
    for (size_t i = 0; i < p->sum.n; i++)
        grid->at[used++] = p->sum.at[i] - middle;
    for (size_t i = 0; i < RANKS; i++) {
        double u = ((double)i + 0.5) / RANKS, sum = mpg_interpolated_quantile(p->sums, p->n, u);
        grid->at[used++] = sum - share * other[0];
        grid->at[used++] = sum - share * mpg_interpolated_quantile(other, others, u);
    }
    grid->n = sort_points(grid->at, used, low, high);
}

/* Splits each sample between the two neighbouring points of the grid, which preserves the mean. */
static void weigh(struct grid *grid, const double *sorted, size_t n)
{
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        while (below + 2 < grid->n && grid->at[below + 1] <= sorted[i])
            below++;
        double part = (sorted[i] - grid->at[below]) / (grid->at[below + 1] - grid->at[below]);
        part = fmin(fmax(part, 0), 1);
        grid->mass[below] += (1 - part) / (double)n;
        grid->mass[below + 1] += part / (double)n;
    }
}

/* Sets the initial masses of the unknown. Halves: equal masses. Known summand: masses at the differences of equal quantiles, with
 * a tail only if the sums' tail is longer, plus a small mass at each point. Equal masses would move part of the known summand's
 * tail into the unknown by chance. */
static int start_masses(struct problem *p, struct mpg_error *err)
{
    struct grid *grid = &p->unknown;
    double *value = NULL, middle;
    for (size_t i = 0; i < grid->n; i++)
        grid->mass[i] = 1 / (double)grid->n;
    if (p->m == 0)
        return 0;
    if (!(value = malloc(STARTS * sizeof *value)))
        return mpg_error_set(err, "out of memory for a deconvolution");
    middle = mpg_interpolated_quantile(p->known, p->m, 0.5);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < STARTS; i++) {
            double u = ((double)i + 0.5) / STARTS;
            value[i] = mpg_interpolated_quantile(p->sums, p->n, u) -
                       (pass ? mpg_interpolated_quantile(p->known, p->m, u) : middle);
        }
        for (size_t i = 0; i < grid->n; i++)
            grid->mass[i] *= pass ? 1e-2 : 1e-4;
        gsl_sort(value, 1, STARTS);
        weigh(grid, value, STARTS);
    }
    free(value);
    return 0;
}

/* Extends the grid of sums by end points, of mass 0, to the smallest and largest sum of two grid points. */
static void add_ends(struct problem *p)
{
    struct grid *sum = &p->sum;
    double low = p->unknown.at[0] + p->other.at[0];
    double high = p->unknown.at[p->unknown.n - 1] + p->other.at[p->other.n - 1];
    if (low < sum->at[0]) {
        memmove(sum->at + 1, sum->at, sum->n * sizeof *sum->at);
        sum->at[0] = low;
        sum->n++;
    }
    if (high > sum->at[sum->n - 1])
        sum->at[sum->n++] = high;
}

static void fill_cells(struct problem *p)
{
    for (size_t i = 0; i < p->unknown.n; i++) {
        size_t below = 0;
        for (size_t j = 0; j < p->other.n; j++) {
            double at = p->unknown.at[i] + p->other.at[j];
            while (below + 2 < p->sum.n && p->sum.at[below + 1] <= at)
                below++;
            double part = (at - p->sum.at[below]) / (p->sum.at[below + 1] - p->sum.at[below]);
            p->cell[i * p->other.n + j] =
                (struct cell){(uint32_t)below, (float)fmin(fmax(part, 0), 1)};
        }
    }
}

/* ---- expectation maximisation ---- */

/* The pairs of two halves are symmetric: each pair is visited once and counts twice off the diagonal. */
static size_t row_length(const struct problem *p, size_t i)
{
    return p->m > 0 ? p->other.n : i;
}

static void predict_pair(struct problem *p, const struct cell *cell, double mass)
{
    p->predicted[cell->below] += mass * (1 - (double)cell->part);
    p->predicted[cell->below + 1] += mass * (double)cell->part;
}

static void predict(struct problem *p)
{
    memset(p->predicted, 0, p->sum.n * sizeof *p->predicted);
    for (size_t i = 0; i < p->unknown.n; i++) {
        const struct cell *cell = p->cell + i * p->other.n;
        double mass = p->unknown.mass[i] * (p->m > 0 ? 1 : 2);
        if (!(mass > NO_MASS))
            continue;
        for (size_t j = 0; j < row_length(p, i); j++)
            predict_pair(p, &cell[j], mass * p->other.mass[j]);
        if (p->m == 0)
            predict_pair(p, &cell[i], mass / 2 * p->other.mass[i]);
    }
}

/* Returns the Kolmogorov-Smirnov distance between the observed and the predicted distribution of the sums. */
static double misfit_of(const struct problem *p)
{
    return mpg_kolmogorov_grid(p->sum.mass, p->predicted, p->sum.n);
}

static double ratio_of(const struct problem *p, const struct cell *cell)
{
    double low = p->ratio[cell->below], high = p->ratio[cell->below + 1];
    return low + (high - low) * (double)cell->part;
}

/* One iteration of expectation maximisation: updates the masses of the unknown, whose sum stays 1. */
static void step(struct problem *p)
{
    double total = 0, *factor = p->factor, *mass = p->unknown.mass;
    for (size_t k = 0; k < p->sum.n; k++)
        p->ratio[k] = p->sum.mass[k] > 0 ? p->sum.mass[k] / fmax(p->predicted[k], 1e-300) : 0;
    for (size_t i = 0; i < p->unknown.n; i++) {
        const struct cell *cell = p->cell + i * p->other.n;
        factor[i] = 0;
        if (!(mass[i] > NO_MASS))
            continue;
        for (size_t j = 0; j < row_length(p, i); j++) {
            double ratio = ratio_of(p, &cell[j]);
            factor[i] += p->other.mass[j] * ratio;
            if (p->m == 0)
                factor[j] += mass[i] * ratio;
        }
        if (p->m == 0)
            factor[i] += mass[i] * ratio_of(p, &cell[i]);
    }
    for (size_t i = 0; i < p->unknown.n; i++) {
        mass[i] *= factor[i];
        total += mass[i];
    }
    for (size_t i = 0; i < p->unknown.n; i++)
        mass[i] /= total;
}

/* Runs all iterations; returns the remaining misfit_of(P). */
static double maximise(struct problem *p)
{
    predict(p);
    for (int i = 0; i < (p->m > 0 ? ITERATIONS_KNOWN : ITERATIONS); i++) {
        step(p);
        predict(p);
    }
    return misfit_of(p);
}

/* ---- the result ---- */

/* Cuts off end points with less mass than a hundredth of one sample's mass. */
static void cut_ends(struct grid *grid, size_t n)
{
    double min = 0.01 / (double)n, total = 0;
    size_t first = 0, last = grid->n - 1;
    while (first < last && grid->mass[first] < min)
        first++;
    while (last > first && grid->mass[last] < min)
        last--;
    grid->n = last - first + 1;
    memmove(grid->at, grid->at + first, grid->n * sizeof *grid->at);
    memmove(grid->mass, grid->mass + first, grid->n * sizeof *grid->mass);
    for (size_t j = 0; j < grid->n; j++)
        total += grid->mass[j];
    for (size_t j = 0; j < grid->n; j++)
        grid->mass[j] /= total;
}

/* In the result the mass of a point is spread evenly between the midpoints to its neighbours; returns the lower midpoint. */
static double cell_low(const struct grid *grid, size_t j)
{
    return j > 0 ? (grid->at[j - 1] + grid->at[j]) / 2 : grid->at[j];
}

static double cell_high(const struct grid *grid, size_t j)
{
    return j + 1 < grid->n ? (grid->at[j] + grid->at[j + 1]) / 2 : grid->at[j];
}

static void moments(const struct grid *grid, double *mean, double *sd)
{
    double sum = 0, squares = 0;
    for (size_t j = 0; j < grid->n; j++)
        sum += grid->mass[j] * (cell_low(grid, j) + cell_high(grid, j)) / 2;
    for (size_t j = 0; j < grid->n; j++) {
        double low = cell_low(grid, j) - sum, high = cell_high(grid, j) - sum;
        squares += grid->mass[j] * (low * low + low * high + high * high) / 3;
    }
    *mean = sum;
    *sd = sqrt(squares);
}

/* Imposes MEAN and SD on GRID by exponential tilting: multiplies masses by exp(a u + b u^2), u = (x - mean) / sd, the
 * change of least Kullback-Leibler divergence. If only the tail is off, a narrow body stays in place. Newton's method
 * finds a and b. TILTED: scratch for all masses. Without a solution the masses stay unchanged. */
static void impose(struct grid *grid, double mean, double sd, double *tilted)
{
    double a = 0, b = 0;
    for (int i = 0; i < 50; i++) {
        double sum[5] = {0};
        for (size_t j = 0; j < grid->n; j++) {
            double low = (cell_low(grid, j) - mean) / sd, high = (cell_high(grid, j) - mean) / sd;
            double u = (low + high) / 2, square = (low * low + low * high + high * high) / 3;
            double mass = grid->mass[j] * exp(a * u + b * square);
            tilted[j] = mass;
            sum[0] += mass;
            sum[1] += mass * u;
            sum[2] += mass * square;
            sum[3] += mass * u * square;
            sum[4] += mass * square * square;
        }
        if (!(sum[0] > 0 && isfinite(sum[4])))
            return;
        for (int k = 1; k < 5; k++)
            sum[k] /= sum[0];
        if (fabs(sum[1]) < 1e-9 && fabs(sum[2] - 1) < 1e-9) {
            for (size_t j = 0; j < grid->n; j++)
                grid->mass[j] = tilted[j] / sum[0];
            return;
        }
        double aa = sum[2] - sum[1] * sum[1], ab = sum[3] - sum[1] * sum[2];
        double bb = sum[4] - sum[2] * sum[2], determinant = aa * bb - ab * ab;
        if (!(determinant > 0))
            return;
        a += (-sum[1] * bb - (1 - sum[2]) * ab) / determinant;
        b += ((1 - sum[2]) * aa + sum[1] * ab) / determinant;
    }
}

/* Returns a distribution with GRID's masses, mean and sd, and with the n and lag1 of D. Frees D, also on failure. */
static struct mpg_distribution *replace(struct mpg_distribution *d, const struct grid *grid,
                                        size_t knots, struct mpg_error *err)
{
    double *from = malloc(grid->n * sizeof *from), *to = malloc(grid->n * sizeof *to);
    double *until = malloc(grid->n * sizeof *until), before = 0;
    struct mpg_distribution *made = NULL;
    if (!from || !to || !until) {
        mpg_error_set(err, "out of memory for a deconvolution");
        goto out;
    }
    for (size_t j = 0; j < grid->n; j++) {
        from[j] = cell_low(grid, j);
        to[j] = cell_high(grid, j);
        until[j] = before = fmin(before + grid->mass[j], 1);
    }
    until[grid->n - 1] = 1;
    struct mpg_pieces pieces = {grid->n, from, to, until, d->n};
    made = mpg_distribution_from_pieces(&pieces, knots, err);
    if (!made)
        goto out;
    moments(grid, &made->mean, &made->sd);
    made->mean = fmin(fmax(made->mean, from[0]), to[grid->n - 1]);
    made->lag1 = d->lag1;
out:
    free(from);
    free(to);
    free(until);
    mpg_distribution_free(d);
    return made;
}

static int check_samples(const double *samples, size_t n, struct mpg_error *err)
{
    if (n < MPG_DECONVOLUTION_MIN_SAMPLES)
        return mpg_error_set(err, "a deconvolution needs %d samples, not %zu",
                             (int)MPG_DECONVOLUTION_MIN_SAMPLES, n);
    for (size_t i = 0; i < n; i++)
        if (!(samples[i] >= 0 && samples[i] <= MPG_DISTRIBUTION_LIMIT))
            return mpg_error_set(err, "sample %zu is %g, not a time", i, samples[i]);
    return 0;
}

static double *sorted_copy(const double *samples, size_t n)
{
    double *sorted = malloc(n * sizeof *sorted);
    if (sorted) {
        memcpy(sorted, samples, n * sizeof *sorted);
        gsl_sort(sorted, 1, n);
    }
    return sorted;
}

static void free_problem(struct problem *p)
{
    free(p->sums);
    free(p->known);
    free(p->unknown.at);
    free(p->unknown.mass);
    if (p->m > 0) {
        free(p->other.at);
        free(p->other.mass);
    }
    free(p->sum.at);
    free(p->sum.mass);
    free(p->cell);
    free(p->predicted);
    free(p->ratio);
    free(p->factor);
}

/* Builds the grids and cells of P; the unknown lies within LOW..HIGH, LOW < HIGH. Returns 0, or -1 with ERR. */
static int set_up(struct problem *p, double low, double high, struct mpg_error *err)
{
    if (!alloc_grid(&p->unknown, POINTS) || !alloc_grid(&p->sum, SUM_POINTS + 2) ||
        (p->m > 0 && !alloc_grid(&p->other, KNOWN_POINTS)))
        goto memory;
    fill_points(&p->sum, SUM_POINTS, p->sums, p->n);
    fill_unknown(p, low, high);
    if (start_masses(p, err) < 0)
        return -1;
    if (p->m > 0) {
        fill_points(&p->other, KNOWN_POINTS, p->known, p->m);
        weigh(&p->other, p->known, p->m);
    } else {
        p->other = p->unknown;
    }
    add_ends(p);
    weigh(&p->sum, p->sums, p->n);
    p->cell = malloc(p->unknown.n * p->other.n * sizeof *p->cell);
    p->predicted = malloc(p->sum.n * sizeof *p->predicted);
    p->ratio = malloc(p->sum.n * sizeof *p->ratio);
    p->factor = malloc(p->unknown.n * sizeof *p->factor);
    if (!p->cell || !p->predicted || !p->ratio || !p->factor)
        goto memory;
    fill_cells(p);
    return 0;
memory:
    return mpg_error_set(err, "out of memory for a deconvolution");
}

static struct mpg_distribution *deconvolve(const double *sums, size_t n, const double *known,
                                           size_t m, size_t knots, double *misfit,
                                           struct mpg_error *err)
{
    /* This distribution of the sums is made for its n, lag1 and moments, and because the construction checks the values. */
    struct mpg_distribution *d = mpg_distribution_from_samples(sums, n, knots, err);
    if (!d)
        return NULL;
    struct problem p = {.n = n, .m = m, .sums = sorted_copy(sums, n)};
    if (m > 0)
        p.known = sorted_copy(known, m);
    if (!p.sums || (m > 0 && !p.known)) {
        mpg_error_set(err, "out of memory for %zu samples", n);
        goto failed;
    }
    double low = m > 0 ? fmax(p.sums[0] - p.known[m - 1], 0) : p.sums[0] / 2;
    double high = m > 0 ? fmax(p.sums[n - 1] - p.known[0], low) : p.sums[n - 1] - low;
    *misfit = 0;
    if (!(high - low > 1e-9 * high)) {
        double at = low, mass = 1;
        if (!(d = replace(d, &(struct grid){1, &at, &mass}, knots, err)))
            goto failed;
    } else {
        if (set_up(&p, low, high, err) < 0)
            goto failed;
        *misfit = maximise(&p);
        cut_ends(&p.unknown, n);
        if (m == 0)
            impose(&p.unknown, d->mean / 2, d->sd / sqrt(2), p.factor);
        if (!(d = replace(d, &p.unknown, knots, err)))
            goto failed;
    }
    free_problem(&p);
    return d;
failed:
    free_problem(&p);
    mpg_distribution_free(d);
    return NULL;
}

struct mpg_distribution *mpg_deconvolve_halves(const double *sums, size_t n, size_t knots,
                                               double *misfit, struct mpg_error *err)
{
    if (check_samples(sums, n, err) < 0)
        return NULL;
    return deconvolve(sums, n, NULL, 0, knots, misfit, err);
}

struct mpg_distribution *mpg_deconvolve_known(const double *sums, size_t n, const double *known,
                                              size_t m, size_t knots, double *misfit,
                                              struct mpg_error *err)
{
    if (check_samples(sums, n, err) < 0)
        return NULL;
    if (check_samples(known, m, err) < 0) {
        mpg_error_prefix(err, "the known summand");
        return NULL;
    }
    return deconvolve(sums, n, known, m, knots, misfit, err);
}
