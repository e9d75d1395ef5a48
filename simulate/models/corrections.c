/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tails of launches are corrected by the mean of samples of the launches' common shape. Overheads are limited to the time of a
 * whole message, since an overhead is a part of this time: benchmarks measure overheads with other messages in flight and can
 * find larger values. */
#include "simulate/models/corrections.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "simulate/models/sizes.h"

/* === tails of launches === */

enum { POINTS = 10, NODES = 54 };
/* Quantiles are corrected at the probabilities 1 - t / n for these t; quantiles below the probability of the last t are not
 * corrected. */
static const double reach[POINTS] = {0, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2, 4, 8};
static const double min_worth = 16;   /* minimum n, so that 1 - 8 / n is at or above the median */

/* The quantile at 1 - t / n of a sample of n lies at some probability u of the sampled distribution. n (1 - u) has a gamma
 * distribution of shape t + 1/2, which is represented by weights at discrete nodes. */
struct spread {
    double node[NODES];
    double weight[POINTS][NODES]; /* weights with sum 1 */
};

/* Sets nodes and weights, by the trapezoidal rule over the logarithms of the nodes. */
static void find_spread(struct spread *s)
{
    const double from = -10, step = 0.25;
    for (int i = 0; i < NODES; i++)
        s->node[i] = exp(from + step * i);
    for (int k = 0; k < POINTS; k++) {
        double sum = 0;
        for (int i = 0; i < NODES; i++)
            sum += s->weight[k][i] = exp((reach[k] + 0.5) * (from + step * i) - s->node[i]);
        for (int i = 0; i < NODES; i++)
            s->weight[k][i] /= sum;
    }
}

/* --- the common distribution of all launches --- */

/* The times of a launch, divided by the median, with probabilities. */
struct launch {
    size_t n;
    const double *p;
    double *y;
    size_t low, high; /* index of the first time at or above, and of the first time above, the current value in find_shares() */
};

/* The common distribution: the mean of the launches' distribution functions. VALUE[i] covers the probabilities BELOW[i] to
 * SHARE_TO[i]. */
struct shape {
    size_t n;
    double *value, *below, *share_to;
};

/* Returns the probability that a time of L is below Y. Times before index LOW are below Y; times from LOW to HIGH equal Y. */
static double share_below(const struct launch *l, double y, size_t low)
{
    if (low == 0 || low == l->n)
        return low == 0 ? 0 : 1;
    if (l->y[low] == y)
        return l->p[low];
    return l->p[low - 1] + (l->p[low] - l->p[low - 1]) * (y - l->y[low - 1]) / (l->y[low] - l->y[low - 1]);
}

static double share_upto(const struct launch *l, double y)
{
    if (l->high > l->low)
        return l->p[l->high - 1];
    return share_below(l, y, l->low);
}

/* Fills the probabilities of SHAPE, whose values are all times of the N launches in ascending order. */
static void find_shares(struct shape *shape, struct launch *launch, size_t n)
{
    size_t made = 0;
    for (size_t i = 0; i < shape->n; i++) {
        const double y = shape->value[i];
        double below = 0, share_to = 0;
        if (made > 0 && shape->value[made - 1] == y)
            continue;
        for (size_t k = 0; k < n; k++) {
            struct launch *l = &launch[k];
            while (l->low < l->n && l->y[l->low] < y)
                l->low++;
            while (l->high < l->n && l->y[l->high] <= y)
                l->high++;
            below += share_below(l, y, l->low);
            share_to += share_upto(l, y);
        }
        shape->value[made] = y;
        shape->below[made] = below / (double)n;
        shape->share_to[made++] = share_to / (double)n;
    }
    shape->n = made;
}

static double shape_quantile(const struct shape *s, double u)
{
    size_t low = 0, high = s->n - 1; /* bisection for the first i with share_to[i] >= u */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->share_to[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || s->below[low] <= u)
        return s->value[low];
    return s->value[low - 1] +
           (s->value[low] - s->value[low - 1]) * (u - s->share_to[low - 1]) / (s->below[low] - s->share_to[low - 1]);
}

/* --- the correction --- */

/* The factors for times at the probabilities 1 - reach / worth, linear in between. Worth: the effective number of independent
 * samples in a launch. */
struct correction {
    double worth;
    double ratio[POINTS];
};

static void find_correction(struct correction *c, const struct shape *shape, const struct spread *spread)
{
    double at[NODES];
    for (int i = 0; i < NODES; i++)
        at[i] = shape_quantile(shape, fmax(0, 1 - spread->node[i] / c->worth));
    for (int k = 0; k < POINTS; k++) {
        double shown = 0;
        for (int i = 0; i < NODES; i++)
            shown += spread->weight[k][i] * at[i];
        c->ratio[k] = k + 1 < POINTS && shown > 0 ? shape_quantile(shape, 1 - reach[k] / c->worth) / shown : 1;
    }
}

static double factor_at(const struct correction *c, double u)
{
    const double t = (1 - u) * c->worth;
    int k = 1;
    if (t >= reach[POINTS - 1])
        return 1;
    while (reach[k] < t)
        k++;
    return c->ratio[k - 1] + (c->ratio[k] - c->ratio[k - 1]) * (t - reach[k - 1]) / (reach[k] - reach[k - 1]);
}

/* Multiplies the knots of D by the factors of C, after adding knots at the probabilities of C. */
static int correct(struct mpg_distribution *d, const struct correction *c, struct mpg_error *err)
{
    const size_t max = d->knots + POINTS;
    double *p = malloc(max * sizeof *p), *q = malloc(max * sizeof *q);
    size_t n = 0, i = 0;
    if (!p || !q) {
        free(p);
        free(q);
        return mpg_error_set(err, "out of memory");
    }
    for (int k = POINTS; k-- > 0;) {
        const double u = 1 - reach[k] / c->worth;
        for (; i < d->knots && d->probabilities[i] <= u; i++) {
            p[n] = d->probabilities[i];
            q[n++] = d->quantiles[i] * factor_at(c, d->probabilities[i]);
        }
        if (p[n - 1] < u) {
            p[n] = u;
            q[n++] = mpg_distribution_quantile(d, u) * c->ratio[k];
        }
    }
    for (size_t k = 1; k < n; k++)
        q[k] = fmax(q[k], q[k - 1]);
    free(d->probabilities);
    free(d->quantiles);
    d->probabilities = p;
    d->quantiles = q;
    d->knots = n;
    return mpg_distribution_prepare(d, err);
}

/* Returns the effective number of independent samples in one of N launches of D; 0: unknown. */
static double worth_of(const struct mpg_distribution *d, size_t n)
{
    double sum = 0;
    size_t launches = n;
    for (size_t i = 0; i < d->intervals; i++) {
        sum += log(fmin(d->interval[i].independent, (double)d->n)) / (double)d->intervals;
        launches = d->interval[i].launches > launches ? d->interval[i].launches : launches;
    }
    return d->intervals > 0 ? fmax(exp(sum) / (double)launches, min_worth) : 0;
}

/* Writes the times of LAUNCHES, divided by each launch's median, into OF_LAUNCHES and LAUNCH. Returns false if a median is 0. */
static bool take_launches(const struct mpg_launches *launches, struct launch *launch, double *of_launches)
{
    for (size_t k = 0; k < launches->n; k++) {
        const struct mpg_distribution *d = launches->ns[k];
        const double median = mpg_distribution_quantile(d, 0.5);
        if (!(median > 0))
            return false;
        launch[k] = (struct launch){.n = d->knots, .p = d->probabilities, .y = of_launches};
        for (size_t i = 0; i < d->knots; i++)
            *of_launches++ = d->quantiles[i] / median;
    }
    return true;
}

/* Computes SHAPE of N launches at and above the probability U. SHAPE has memory for all times. */
static void find_shape(struct shape *shape, struct launch *launch, size_t n, double u)
{
    double min = INFINITY;
    for (size_t k = 0; k < n; k++) {
        size_t i = launch[k].n - 1;
        while (i > 0 && launch[k].p[i] > u)
            i--;
        min = fmin(min, launch[k].y[i]);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = launch[k].n; i > 0 && launch[k].y[i - 1] >= min; i--)
            shape->value[shape->n++] = launch[k].y[i - 1];
    gsl_sort(shape->value, 1, shape->n);
    find_shares(shape, launch, n);
}

static int complete(const struct mpg_distribution *all, struct mpg_launches *launches, const struct spread *spread,
                    struct mpg_error *err)
{
    struct correction c = {.worth = worth_of(all, launches->n)};
    size_t knots = 0;
    int status = 0;
    if (launches->n < 2 || c.worth == 0)
        return 0;
    for (size_t k = 0; k < launches->n; k++)
        knots += launches->ns[k]->knots;
    struct launch *launch = malloc(launches->n * sizeof *launch);
    double *room = malloc(4 * knots * sizeof *room);
    if (!launch || !room) {
        free(room);
        free(launch);
        return mpg_error_set(err, "out of memory");
    }
    if (take_launches(launches, launch, room)) {
        struct shape shape = {.value = room + knots, .below = room + 2 * knots, .share_to = room + 3 * knots};
        find_shape(&shape, launch, launches->n, 1 - spread->node[NODES - 1] / c.worth);
        find_correction(&c, &shape, spread);
        for (size_t k = 0; k < launches->n && status == 0; k++)
            status = correct(launches->ns[k], &c, err);
    }
    free(room);
    free(launch);
    return status;
}

/* --- a signature --- */

int mpg_complete_tails(struct mpg_signature *sig, struct mpg_error *err)
{
    struct spread spread;
    find_spread(&spread);
    for (size_t i = 0; i < sig->paths; i++) {
        struct mpg_network_sizes *all[MPG_NETWORK_LISTS];
        mpg_network_lists(&sig->network[i], all);
        for (size_t k = 0; k < MPG_NETWORK_TIMES; k++)
            for (size_t s = 0; s < all[k]->n; s++)
                if (complete(all[k]->size[s].time_ns, &all[k]->size[s].launches, &spread, err) < 0)
                    return -1;
    }
    for (size_t i = 0; i < sig->collectives; i++)
        if (complete(sig->collective[i].time_ns, &sig->collective[i].launches, &spread, err) < 0)
            return -1;
    return 0;
}

/* === overheads === */

/* Times that an overhead of one message size cannot exceed. */
struct bounds {
    struct mpg_one_way_time limit[2];
    size_t n;
};

static int bound(struct mpg_distribution *d, const struct bounds *b, double launch, struct mpg_error *err)
{
    for (size_t i = 0; i < d->knots; i++)
        for (size_t k = 0; k < b->n; k++)
            d->quantiles[i] = fmin(d->quantiles[i], mpg_one_way_ns(&b->limit[k], launch, d->probabilities[i]));
    return mpg_distribution_prepare(d, err);
}

/* Returns the known times of PATH that limit an overhead of a message of BYTES: the send overhead if SENDS, else the receive
 * overhead. */
static struct bounds find_bounds(const struct mpg_network_path *path, bool sends, double bytes)
{
    struct bounds b = {.n = 0};
    if (path->latency.n + path->bandwidth.n > 0)
        b.limit[b.n++] = mpg_one_way_on_path(path, NULL, bytes);
    if (sends && path->streaming.n > 0)
        b.limit[b.n++] = mpg_one_way_find(&path->streaming, NULL, &path->streaming, bytes);
    return b;
}

/* Limits the overheads SIZES of messages of up to MAX bytes. */
static int bound_sizes(const struct mpg_network_path *path, struct mpg_network_sizes *sizes, bool sends, int64_t max,
                       struct mpg_error *err)
{
    for (size_t i = 0; i < sizes->n && sizes->size[i].size_bytes <= max; i++) {
        struct mpg_network_size *size = &sizes->size[i];
        const struct bounds b = find_bounds(path, sends, (double)size->size_bytes);
        const size_t launches = size->launches.n;
        if (bound(size->time_ns, &b, -1, err) < 0)
            return -1;
        for (size_t k = 0; k < launches; k++)
            if (bound(size->launches.ns[k], &b, ((double)k + 0.5) / (double)launches, err) < 0)
                return -1;
    }
    return 0;
}

int mpg_bound_overheads(struct mpg_signature *sig, struct mpg_error *err)
{
    for (size_t i = 0; i < sig->paths; i++) {
        struct mpg_network_path *path = &sig->network[i];
        const int64_t in_send = path->send_overhead.n == 0 ? path->eager_limit_bytes : -1;
        if (bound_sizes(path, &path->send_overhead, true, INT64_MAX, err) < 0 ||
            bound_sizes(path, &path->sender, true, in_send, err) < 0 ||
            bound_sizes(path, &path->receive_overhead, false, INT64_MAX, err) < 0)
            return -1;
    }
    return 0;
}
