/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances of two empirical CDFs, of samples and a CDF, of masses on a grid. */
#include "statistics/kolmogorov.h"

#include <math.h>

#include "statistics/inference.h"

/* ---- two empirical distributions ---- */

/* Sets the bounds *MIN and *MAX that D's knots imply for its CDF at X: for P(< X) if STRICTLY, else for P(<= X). */
static void cdf_bounds(const struct mpg_distribution *d, double x, bool strictly, double *min,
                       double *max)
{
    size_t last = d->knots - 1, low = 0, high = d->knots; /* the number of knots below X is in LOW..HIGH */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strictly ? d->quantiles[middle] < x : d->quantiles[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || low > last) {
        *min = *max = low == 0 ? 0 : 1;
        return;
    }
    double below = d->quantiles[low - 1], above = d->quantiles[low];
    double part = above > below ? (x - below) / (above - below) : 0;
    bool outermost = d->n > d->knots && (low == 1 || low == last);
    bool between = part > 0 && part < 1;
    double from = d->probabilities[low - 1], to = d->probabilities[low];
    *min = from + (to - from) * (outermost && between ? 0 : part);
    *max = from + (to - from) * (outermost && between ? 1 : part);
}

/* Returns the distance between the ranges A and B; 0 if they overlap. */
static double apart(double min_a, double max_a, double min_b, double max_b)
{
    return fmax(fmax(min_a - max_b, min_b - max_a), 0);
}

static double largest_at_knots(const struct mpg_distribution *at, const struct mpg_distribution *a,
                               const struct mpg_distribution *b)
{
    double largest = 0;
    for (size_t i = 0; i < at->knots; i++)
        for (int strictly = 0; strictly < 2; strictly++) {
            double min_a, max_a, min_b, max_b;
            cdf_bounds(a, at->quantiles[i], strictly, &min_a, &max_a);
            cdf_bounds(b, at->quantiles[i], strictly, &min_b, &max_b);
            largest = fmax(largest, apart(min_a, max_a, min_b, max_b));
        }
    return largest;
}

/* Returns the upper tail probability of Kolmogorov's distribution at X. */
static double kolmogorov_beyond(double x)
{
    if (x < 0.2)
        return 1;
    double sum = 0;
    if (x < 1.18) { /* for small X Jacobi's theta identity converges faster */
        for (int k = 1; k <= 7; k += 2)
            sum += exp(-k * k * M_PI * M_PI / (8 * x * x));
        return fmin(fmax(1 - sqrt(2 * M_PI) / x * sum, 0), 1);
    }
    for (int k = 1; k <= 5; k++)
        sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    return fmin(fmax(sum, 0), 1);
}

double mpg_kolmogorov_two_sample(const struct mpg_distribution *a,
                             const struct mpg_distribution *b, double *probability)
{
    double distance = fmax(largest_at_knots(a, a, b), largest_at_knots(b, a, b));
    double na = mpg_effective_samples(a->n, a->lag1), nb = mpg_effective_samples(b->n, b->lag1);
    double root = sqrt(na * nb / (na + nb));
    *probability = kolmogorov_beyond((root + 0.12 + 0.11 / root) * distance);
    return distance;
}

/* ---- samples and a distribution function ---- */

struct search {
    double (*cdf)(const void *context, double x);
    const void *context;
    const double *x; /* samples, ascending */
    double n, largest;
};

/* Searches the samples between I and J, where the CDF is LOW and HIGH, for the largest distance. The distance of one step from I
 * to J bounds all distances between, and most samples need not be visited. */
static void look_between(struct search *d, size_t i, size_t j, double low, double high)
{
    double n = d->n;
    if (j - i < 2 || fmax((double)j / n - low, high - (double)(i + 1) / n) <= d->largest)
        return;
    size_t middle = i + (j - i) / 2;
    double f = d->cdf(d->context, d->x[middle]);
    d->largest = fmax(d->largest, fmax((double)(middle + 1) / n - f, f - (double)middle / n));
    look_between(d, i, middle, low, f);
    look_between(d, middle, j, f, high);
}

double mpg_kolmogorov_one_sample(const double *x, size_t n,
                               double (*cdf)(const void *context, double x), const void *context)
{
    double low = cdf(context, x[0]), high = cdf(context, x[n - 1]);
    struct search d = {cdf, context, x, (double)n, 0};
    d.largest = fmax(fmax(1 / d.n - low, low), fmax(1 - high, high - (d.n - 1) / d.n));
    look_between(&d, 0, n - 1, low, high);
    return d.largest;
}

/* ---- masses on a grid ---- */

double mpg_kolmogorov_grid(const double *a, const double *b, size_t n)
{
    double sum_a = 0, sum_b = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        sum_a += a[i];
        sum_b += b[i];
        largest = fmax(largest, fabs(sum_a - sum_b));
    }
    return largest;
}
