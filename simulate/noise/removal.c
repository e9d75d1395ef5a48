/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the density of work, in bins, by expectation-maximisation (Dempster, Laird, Rubin 1977). Bins with fewer intervals
 * than chance explains are emptied. Bayes' rule then gives the losses in each bin of the histogram. */
#include "simulate/noise/removal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREE_ROUNDS = 20, ROUNDS = 60 };
static const double MIN_INTERVALS = 2; /* a bin of work with fewer expected intervals is emptied */
/* above this number of intervals MIN_INTERVALS grows in proportion to the number of intervals */
static const double SMALL_INTERVALS = 1024;
/* minimum excess of a bin over the minimum, as a share of all intervals; a smaller excess is mostly rounding of the
 * subtraction */
static const double MIN_SHARE = 1e-6;
/* maximum excess of losses over the mean, in standard deviations; chance exceeds this limit in 2 % of cases */
static const double DEVIATIONS = 2;

struct mpg_removal {
    struct mpg_histogram histogram;
    double time_ns, lost_ns;
    double *loss; /* [bin of the histogram][MPG_REMOVAL_CELLS]: equally likely losses of an interval of the bin, ascending, ns */
};

/* The density of work: bins and the share of the intervals in each. */
struct density {
    size_t n;
    double *edge; /* [n + 1]: edges of the bins, ns, ascending */
    /* share: [n]; before, moment: [n + 1]: sums, over the lower bins, of the share and of its first moment */
    double *share, *before, *moment;
};

/* Distributions of losses for several lengths of work: law k is for 2^((first + k) / WORKS_AN_OCTAVE) ns. */
enum { WORKS_AN_OCTAVE = 4 };
struct laws {
    int first;
    size_t n;
    struct mpg_loss_law *law;
};

/* Occupied bins of intervals: counts, and the probability that work of each bin of work becomes an interval of the bin. */
struct counts {
    size_t n;
    size_t *bin;
    /* likely: [bin of intervals][bin of work]: probability that work of this bin becomes an interval of this bin */
    double *count, *likely;
};

static void clear_density(struct density *d)
{
    free(d->edge);
    free(d->share);
    free(d->before);
    free(d->moment);
}

static void clear_counts(struct counts *c)
{
    free(c->bin);
    free(c->count);
    free(c->likely);
}

static double middle_of(const struct mpg_histogram *h, uint16_t i)
{
    return (mpg_histogram_low(h, i) + mpg_histogram_high(h, i)) / 2;
}

/* Returns the bin of D that holds NS; the first or last bin if NS is outside. */
static size_t bin_of(const struct density *d, double ns)
{
    size_t low = 0, high = d->n - 1;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        if (d->edge[middle] <= ns)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Writes the edges of the bins of work to EDGE (NULL: only counts) and returns the number of bins. Bins have the width of
 * Freedman and Diaconis (1981) near the median interval, and the width of loss steps far from it. */
static size_t make_edges(const struct mpg_histogram *h, const struct mpg_loss_law *law, double *edge)
{
    uint16_t bin;
    const double median_ns = mpg_histogram_quantile(h, 0.5, &bin);
    const double spread_ns = mpg_histogram_quantile(h, 0.75, NULL) - mpg_histogram_quantile(h, 0.25, NULL);
    const double min_ns = mpg_histogram_high(h, bin) - mpg_histogram_low(h, bin);
    const double width_ns = fmax(2 * spread_ns / cbrt((double)h->n), min_ns);
    const double growth = exp2(1.0 / MPG_LOSS_STEPS_AN_OCTAVE) - 1, end_ns = mpg_histogram_high(h, (uint16_t)(h->bins - 1));
    double at_ns = fmax(0, mpg_histogram_low(h, 0) - mpg_loss_law_quantile(law, 0.5));
    size_t n = 0;
    for (;; n++) {
        if (edge)
            edge[n] = at_ns;
        if (at_ns >= end_ns)
            return n;
        at_ns += fmax(width_ns, growth * fabs(at_ns - median_ns));
    }
}

static int make_density(struct density *d, const struct mpg_histogram *h, const struct mpg_loss_law *law,
                        struct mpg_error *err)
{
    d->n = make_edges(h, law, NULL);
    d->edge = malloc((d->n + 1) * sizeof *d->edge);
    d->share = calloc(d->n, sizeof *d->share);
    d->before = calloc(d->n + 1, sizeof *d->before);
    d->moment = calloc(d->n + 1, sizeof *d->moment);
    if (!d->edge || !d->share || !d->before || !d->moment)
        return mpg_error_set(err, "out of memory");
    make_edges(h, law, d->edge);
    return 0;
}

/* Returns the index of the last law for work of at most WORK_NS, and sets *FROM_FIRST to the relative position of WORK_NS
 * between this law and the next, 0 to 1. */
static size_t law_at(const struct laws *laws, double work_ns, double *from_first)
{
    const double at = fmax(0, WORKS_AN_OCTAVE * log2(fmax(work_ns, 1)) - laws->first);
    const size_t k = at < (double)(laws->n - 2) ? (size_t)at : laws->n - 2;
    *from_first = fmin(1, at - (double)k);
    return k;
}

/* Returns the probability that work of WORK_NS loses at least LOW_NS and less than HIGH_NS. */
static double between(const struct laws *laws, double work_ns, double low_ns, double high_ns)
{
    double f;
    const struct mpg_loss_law *law = laws->law + law_at(laws, work_ns, &f);
    return (1 - f) * (mpg_loss_law_below(law, high_ns) - mpg_loss_law_below(law, low_ns)) +
           f * (mpg_loss_law_below(law + 1, high_ns) - mpg_loss_law_below(law + 1, low_ns));
}

/* Returns the probability that work of bin J becomes an interval of bin B, averaged over three points of J. */
static double likelihood(const struct density *d, const struct laws *laws, size_t b, size_t j)
{
    double sum = 0;
    for (int k = 1; k <= 5; k += 2) {
        const double work_ns = d->edge[j] + k / 6.0 * (d->edge[j + 1] - d->edge[j]);
        sum += between(laws, work_ns, d->edge[b] - work_ns, d->edge[b + 1] - work_ns);
    }
    return sum / 3;
}

static int make_counts(struct counts *c, const struct density *d, const struct mpg_histogram *h,
                       const struct laws *laws, struct mpg_error *err)
{
    c->bin = malloc(h->bins * sizeof *c->bin);
    c->count = calloc(h->bins, sizeof *c->count);
    if (!c->bin || !c->count)
        return mpg_error_set(err, "out of memory");
    for (uint16_t i = 0; i < h->bins; i++) {
        const size_t bin = bin_of(d, middle_of(h, i));
        if (c->n == 0 || c->bin[c->n - 1] != bin)
            c->bin[c->n++] = bin;
        c->count[c->n - 1] += (double)h->bin[i].count;
    }
    if (!(c->likely = malloc(c->n * d->n * sizeof *c->likely)))
        return mpg_error_set(err, "out of memory");
    for (size_t b = 0; b < c->n; b++)
        for (size_t j = 0; j < d->n; j++)
            c->likely[b * d->n + j] = j > c->bin[b] ? 0 : likelihood(d, laws, c->bin[b], j);
    return 0;
}

/* Sets the initial density: half the intervals unchanged, half with the largest losses removed from the longest intervals. */
static void start(struct density *d, const struct counts *c, const struct mpg_histogram *h, const struct mpg_loss_law *law)
{
    const double n = (double)h->n;
    double below = 0;
    for (size_t b = 0; b < c->n; b++)
        d->share[c->bin[b]] += c->count[b] / n / 2;
    for (uint16_t i = 0; i < h->bins; i++) {
        const double count = (double)h->bin[i].count, u = (below + count / 2) / n;
        d->share[bin_of(d, middle_of(h, i) - mpg_loss_law_quantile(law, u))] += count / n / 2;
        below += count;
    }
}

/* Returns the part of EXPECTED, the expected number of intervals of a bin, that exceeds MIN; 0 if this part is negative or, with
 * MIN > 0, less than MIN_SHARE of all N intervals. */
static double beyond(double expected, double min, double n)
{
    const double left = expected - min;
    return left < (min > 0 ? MIN_SHARE * n : 0) ? 0 : left;
}

/* Does one iteration of expectation-maximisation. EXPECTED: memory for one number per bin. Bins with fewer than MIN of N
 * intervals are emptied, unless all bins would be empty. */
static void improve(struct density *d, const struct counts *c, double min, double n, double *expected)
{
    memset(expected, 0, d->n * sizeof *expected);
    for (size_t b = 0; b < c->n; b++) {
        const double *likely = c->likely + b * d->n;
        double all = 0;
        for (size_t j = 0; j <= c->bin[b]; j++)
            all += likely[j] * d->share[j];
        for (size_t j = 0; j <= c->bin[b] && all > 0; j++)
            expected[j] += d->share[j] * likely[j] * (c->count[b] / all);
    }
    double kept = 0, all = 0;
    for (size_t j = 0; j < d->n; j++) {
        kept += beyond(expected[j], min, n);
        all += expected[j];
    }
    for (size_t j = 0; j < d->n; j++)
        d->share[j] = kept > 0 ? beyond(expected[j], min, n) / kept : all > 0 ? expected[j] / all : d->share[j];
}

/* Sets LAW to the distribution of losses of WORK_NS, averaged over CORES. */
static int mean_law(struct mpg_loss_law *law, double work_ns, struct mpg_losses *const *losses, size_t cores,
                    struct mpg_error *err)
{
    *law = (struct mpg_loss_law){0};
    for (size_t i = 0; i < cores; i++)
        if (mpg_losses_add(losses[i], work_ns, 1 / (double)cores, law, err) < 0)
            return -1;
    mpg_loss_law_finish(law);
    return 0;
}

/* Computes the laws of losses for all lengths of work in D. */
static int make_laws(struct laws *laws, const struct density *d, struct mpg_losses *const *losses, size_t cores,
                     struct mpg_error *err)
{
    laws->first = (int)floor(WORKS_AN_OCTAVE * log2(fmax(d->edge[0], 1)));
    laws->n = (size_t)((int)floor(WORKS_AN_OCTAVE * log2(fmax(d->edge[d->n], 1))) - laws->first + 2);
    if (!(laws->law = malloc(laws->n * sizeof *laws->law)))
        return mpg_error_set(err, "out of memory");
    for (size_t k = 0; k < laws->n; k++)
        if (mean_law(&laws->law[k], exp2((laws->first + (double)k) / WORKS_AN_OCTAVE), losses, cores, err) < 0)
            return -1;
    return 0;
}

static int find_density(struct density *d, const struct mpg_histogram *h, const struct mpg_loss_law *law,
                        const struct laws *laws, struct mpg_error *err)
{
    struct counts c = {0};
    double *expected = NULL;
    int status = -1;
    if (make_counts(&c, d, h, laws, err) < 0)
        goto out;
    if (!(expected = malloc(d->n * sizeof *expected))) {
        mpg_error_set(err, "out of memory");
        goto out;
    }
    start(d, &c, h, law);
    const double min = MIN_INTERVALS * fmax(1, (double)h->n / SMALL_INTERVALS);
    for (int round = 0; round < ROUNDS; round++)
        improve(d, &c, round < FREE_ROUNDS ? 0 : min, (double)h->n, expected);
    for (size_t j = 0; j < d->n; j++) {
        d->before[j + 1] = d->before[j] + d->share[j];
        d->moment[j + 1] = d->moment[j] + d->share[j] * (d->edge[j] + d->edge[j + 1]) / 2;
    }
    status = 0;
out:
    free(expected);
    clear_counts(&c);
    return status;
}

/* Returns the share of the work that is shorter than NS, and sets MOMENT to the first moment of this share. */
static double share_below(const struct density *d, double ns, double *moment)
{
    const double x = fmin(fmax(ns, d->edge[0]), d->edge[d->n]);
    const size_t j = bin_of(d, x);
    const double past_ns = x - d->edge[j], part = d->share[j] * past_ns / (d->edge[j + 1] - d->edge[j]);
    *moment = d->moment[j] + part * (d->edge[j] + past_ns / 2);
    return d->before[j] + part;
}

/* The possible losses of an interval of NS, with weights. */
struct losses_of {
    size_t n;
    double weight[MPG_LOSS_STEPS + 1], loss_ns[MPG_LOSS_STEPS + 1];
};

static void weigh(const struct density *d, const struct laws *laws, double ns, struct losses_of *l)
{
    const size_t bin = bin_of(d, ns);
    double moment, above = share_below(d, ns - mpg_loss_step_low(MPG_LOSS_STEPS_AN_OCTAVE), &moment);
    l->n = 0;
    l->weight[l->n] = between(laws, ns, 0, 1) * d->share[bin] / (d->edge[bin + 1] - d->edge[bin]);
    l->loss_ns[l->n++] = 0;
    for (size_t s = MPG_LOSS_STEPS_AN_OCTAVE; s < MPG_LOSS_STEPS - 1 && above > 0; s++) {
        const double low_ns = mpg_loss_step_low(s), high_ns = mpg_loss_step_low(s + 1);
        const double above_moment = moment, below = share_below(d, ns - high_ns, &moment), share = above - below;
        if (share > 0) {
            const double loss_ns = fmin(fmax(ns - (above_moment - moment) / share, low_ns), high_ns);
            l->weight[l->n] = between(laws, ns - loss_ns, low_ns, high_ns) / (high_ns - low_ns) * share;
            l->loss_ns[l->n++] = loss_ns;
        }
        above = below;
    }
}

/* Writes the means of MPG_REMOVAL_CELLS equally likely parts of L into CELL. */
static void divide(const struct losses_of *l, double *cell)
{
    double all = 0, left;
    for (size_t i = 0; i < l->n; i++)
        all += l->weight[i];
    memset(cell, 0, MPG_REMOVAL_CELLS * sizeof *cell);
    if (!(all > 0)) /* noise does not explain this interval */
        return;
    const double part = all / MPG_REMOVAL_CELLS;
    size_t i = 0;
    left = l->weight[0];
    for (int k = 0; k < MPG_REMOVAL_CELLS; k++) {
        double wanted = part, sum = 0;
        while (left < wanted && i + 1 < l->n) {
            sum += left * l->loss_ns[i];
            wanted -= left;
            left = l->weight[++i];
        }
        sum += wanted * l->loss_ns[i];
        left -= wanted;
        cell[k] = sum / part;
    }
}

static void fill_cells(struct mpg_removal *r, const struct density *d, const struct laws *laws)
{
    for (uint16_t i = 0; i < r->histogram.bins; i++) {
        const double ns = middle_of(&r->histogram, i), count = (double)r->histogram.bin[i].count;
        double *cell = r->loss + (size_t)i * MPG_REMOVAL_CELLS;
        struct losses_of l;
        weigh(d, laws, ns, &l);
        divide(&l, cell);
        r->time_ns += count * ns;
        for (int k = 0; k < MPG_REMOVAL_CELLS; k++)
            r->lost_ns += count * (double)cell[k] / MPG_REMOVAL_CELLS;
    }
}

/* Returns the second moment of LAW over its mean: the expected size of the loss that contains a lost nanosecond. */
static double size_of_losses(const struct mpg_loss_law *law)
{
    double first = 0, second = 0;
    for (size_t i = law->first; i < law->end; i++) {
        const double low_ns = mpg_loss_step_low(i), high_ns = mpg_loss_step_low(i + 1);
        first += law->mass[i] * (low_ns + high_ns) / 2;
        second += law->mass[i] * (low_ns * low_ns + low_ns * high_ns + high_ns * high_ns) / 3;
    }
    return first > 0 ? second / first : 0;
}

/* Limits the sum of the losses of all intervals to the share LOST of the intervals' time plus the part that chance explains:
 * independent losses of SIZE_NS have the variance lost x size (Campbell 1909). The excess over this limit counts as work. */
static void bound_cells(struct mpg_removal *r, double lost, double size_ns)
{
    const double mean_ns = lost * r->time_ns, max_ns = mean_ns + DEVIATIONS * sqrt(mean_ns * size_ns);
    if (r->lost_ns <= max_ns)
        return;
    for (size_t i = 0; i < (size_t)r->histogram.bins * MPG_REMOVAL_CELLS; i++)
        r->loss[i] *= max_ns / r->lost_ns;
    r->lost_ns = max_ns;
}

/* Sets LAW to the losses, averaged over cores, of the work in the median interval: the median minus the share LOST. */
static int find_law(struct mpg_loss_law *law, const struct mpg_histogram *h, double lost, struct mpg_losses *const *losses,
                    size_t cores, struct mpg_error *err)
{
    return mean_law(law, mpg_histogram_quantile(h, 0.5, NULL) * (1 - lost), losses, cores, err);
}

struct mpg_removal *mpg_removal_new(const struct mpg_histogram *histogram, struct mpg_losses *const *losses, size_t cores,
                                    struct mpg_error *err)
{
    struct density density = {0};
    struct laws laws = {0};
    struct mpg_loss_law law;
    const double lost = mpg_losses_mean_fraction(losses, cores);
    struct mpg_removal *r = calloc(1, sizeof *r);
    if (!r) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    mpg_histogram_init(&r->histogram);
    if (mpg_histogram_merge(&r->histogram, histogram, err) < 0 ||
        find_law(&law, histogram, lost, losses, cores, err) < 0 || make_density(&density, histogram, &law, err) < 0 ||
        make_laws(&laws, &density, losses, cores, err) < 0 || find_density(&density, histogram, &law, &laws, err) < 0)
        goto fail;
    if (!(r->loss = malloc((size_t)histogram->bins * MPG_REMOVAL_CELLS * sizeof *r->loss))) {
        mpg_error_set(err, "out of memory");
        goto fail;
    }
    fill_cells(r, &density, &laws);
    bound_cells(r, lost, size_of_losses(&law));
    clear_density(&density);
    free(laws.law);
    return r;
fail:
    clear_density(&density);
    free(laws.law);
    mpg_removal_free(r);
    return NULL;
}

const double *mpg_removal_of(const struct mpg_removal *r, double ns)
{
    return r->loss + (size_t)mpg_histogram_find(&r->histogram, ns) * MPG_REMOVAL_CELLS;
}

double mpg_removal_time_ns(const struct mpg_removal *r)
{
    return r->time_ns;
}

double mpg_removal_lost_ns(const struct mpg_removal *r)
{
    return r->lost_ns;
}

void mpg_removal_free(struct mpg_removal *r)
{
    if (!r)
        return;
    mpg_histogram_clear(&r->histogram);
    free(r->loss);
    free(r);
}
