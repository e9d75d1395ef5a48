/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of signatures with other message times. */
#include "simulate/models/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/models/sizes.h"

/* === copies === */

static void *copy_of(const void *data, size_t n, size_t size)
{
    void *copy = malloc(n > 0 ? n * size : 1);
    if (copy && n > 0)
        memcpy(copy, data, n * size);
    return copy;
}

/* Returns a copy of D without fitted families and intervals; NULL with ERR. */
static struct mpg_distribution *copy_distribution(const struct mpg_distribution *d, struct mpg_error *err)
{
    struct mpg_distribution *copy = calloc(1, sizeof *copy);
    if (!copy) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *copy = (struct mpg_distribution){
        .n = d->n, .mean = d->mean, .sd = d->sd, .lag1 = d->lag1, .knots = d->knots, .rank_lag1 = d->rank_lag1};
    copy->probabilities = copy_of(d->probabilities, d->knots, sizeof *d->probabilities);
    copy->quantiles = copy_of(d->quantiles, d->knots, sizeof *d->quantiles);
    if (copy->probabilities && copy->quantiles && mpg_distribution_prepare(copy, err) == 0)
        return copy;
    if (!copy->probabilities || !copy->quantiles)
        mpg_error_set(err, "out of memory");
    mpg_distribution_free(copy);
    return NULL;
}

static void free_launches(struct mpg_launches *launches)
{
    for (size_t i = 0; i < launches->n && launches->ns; i++)
        mpg_distribution_free(launches->ns[i]);
    free(launches->ns);
}

/* Replaces the distributions of LAUNCHES, which the copy shares, by copies. */
static int own_launches(struct mpg_launches *launches, struct mpg_error *err)
{
    const struct mpg_launches shared = *launches;
    *launches = (struct mpg_launches){.n = shared.n, .ns = calloc(shared.n > 0 ? shared.n : 1, sizeof *shared.ns)};
    if (!launches->ns)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < shared.n; i++)
        if (!(launches->ns[i] = copy_distribution(shared.ns[i], err)))
            return -1;
    return 0;
}

static void free_sizes(struct mpg_network_sizes *sizes)
{
    for (size_t i = 0; i < sizes->n && sizes->size; i++) {
        mpg_distribution_free(sizes->size[i].time_ns);
        free_launches(&sizes->size[i].launches);
    }
    free(sizes->size);
}

/* Replaces the sizes SIZES, which the copy shares, by copies; the rows of samples stay shared. */
static int own_sizes(struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    const struct mpg_network_sizes shared = *sizes;
    sizes->size = calloc(shared.n > 0 ? shared.n : 1, sizeof *shared.size);
    if (!sizes->size)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < shared.n; i++) {
        const struct mpg_network_size *from = &shared.size[i];
        struct mpg_network_size *to = &sizes->size[i];
        *to = (struct mpg_network_size){.size_bytes = from->size_bytes, .rows = from->rows};
        if (!(to->time_ns = copy_distribution(from->time_ns, err)))
            return -1;
        to->launches = from->launches;
        if (own_launches(&to->launches, err) < 0)
            return -1;
    }
    return 0;
}

/* Replaces the tables of PATH, which the copy shares, by copies. After an error all tables not copied are empty. */
static int own_path(struct mpg_network_path *path, struct mpg_error *err)
{
    struct mpg_network_sizes *table[MPG_NETWORK_LISTS], shared[MPG_NETWORK_LISTS];
    mpg_network_lists(path, table);
    for (int k = 0; k < MPG_NETWORK_LISTS; k++) {
        shared[k] = *table[k];
        *table[k] = (struct mpg_network_sizes){.n = 0};
    }
    for (int k = 0; k < MPG_NETWORK_LISTS; k++) {
        *table[k] = shared[k];
        if (own_sizes(table[k], err) < 0)
            return -1;
    }
    return 0;
}

static void free_path(struct mpg_network_path *path)
{
    struct mpg_network_sizes *table[MPG_NETWORK_LISTS];
    mpg_network_lists(path, table);
    for (int k = 0; k < MPG_NETWORK_LISTS; k++)
        free_sizes(table[k]);
}

static int own_collective(struct mpg_collective_time *x, struct mpg_error *err)
{
    const struct mpg_collective_time shared = *x;
    x->launches = (struct mpg_launches){.n = 0};
    if (!(x->time_ns = copy_distribution(shared.time_ns, err)))
        return -1;
    x->launches = shared.launches;
    return own_launches(&x->launches, err);
}

void mpg_factors_free(struct mpg_signature *copy)
{
    if (!copy)
        return;
    for (size_t i = 0; i < copy->paths && copy->network; i++)
        free_path(&copy->network[i]);
    for (size_t i = 0; i < copy->collectives && copy->collective; i++) {
        mpg_distribution_free(copy->collective[i].time_ns);
        free_launches(&copy->collective[i].launches);
    }
    free(copy->network);
    free(copy->collective);
    free(copy);
}

/* Returns a copy of SIG with separate message times and collectives; NULL with ERR. */
static struct mpg_signature *copy_signature(const struct mpg_signature *sig, struct mpg_error *err)
{
    struct mpg_signature *copy = copy_of(sig, 1, sizeof *sig);
    if (!copy) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    copy->network = copy_of(sig->network, sig->paths, sizeof *sig->network);
    copy->collective = copy_of(sig->collective, sig->collectives, sizeof *sig->collective);
    copy->paths = copy->collectives = 0; /* number of entries copied so far, which mpg_factors_free() frees */
    int status = copy->network && copy->collective ? 0 : mpg_error_set(err, "out of memory");
    while (status == 0 && copy->paths < sig->paths)
        status = own_path(&copy->network[copy->paths++], err);
    while (status == 0 && copy->collectives < sig->collectives)
        status = own_collective(&copy->collective[copy->collectives++], err);
    if (status == 0)
        return copy;
    mpg_factors_free(copy);
    return NULL;
}

/* === scaled distributions === */

static int multiply(struct mpg_distribution *d, double factor, struct mpg_error *err)
{
    for (size_t i = 0; i < d->knots; i++)
        d->quantiles[i] = fmin(d->quantiles[i] * factor, MPG_DISTRIBUTION_LIMIT);
    d->mean *= factor;
    d->sd *= factor;
    return mpg_distribution_prepare(d, err);
}

/* A position among the knots of a distribution; ascends with the looked-up probabilities. */
struct position {
    const struct mpg_distribution *d;
    size_t next; /* the first knot at or above the last probability */
};

/* Sets LEFT and RIGHT to the limits of X's quantile at P from below and above; both differ at a jump. P must not descend from
 * call to call. */
static void find_sides(struct position *x, double p, double *left, double *right)
{
    const struct mpg_distribution *d = x->d;
    while (x->next + 1 < d->knots && d->probabilities[x->next] < p)
        x->next++;
    const size_t i = x->next;
    if (d->probabilities[i] > p) {
        *left = *right = mpg_distribution_quantile(d, p);
        return;
    }
    *left = d->quantiles[i];
    *right = d->quantiles[i + 1 < d->knots && d->probabilities[i + 1] == p ? i + 1 : i];
}

/* The knots of a new distribution. */
struct knots {
    size_t n;
    double *p, *q;
};

/* Appends the value Q at probability P; Q is raised to the last value, because quantiles must not descend. */
static void add_knot(struct knots *to, double p, double q)
{
    q = fmin(fmax(q, 0), MPG_DISTRIBUTION_LIMIT);
    to->p[to->n] = p;
    to->q[to->n] = to->n > 0 ? fmax(q, to->q[to->n - 1]) : q;
    to->n++;
}

/* Fills TO with latency E(u) + byte (D(u) - E(u)) at all probabilities of D and EMPTY. */
static void combine(const struct mpg_distribution *d, const struct mpg_distribution *empty, const struct mpg_time_factors *f,
                    struct knots *to)
{
    struct position at = {.d = d}, less = {.d = empty};
    size_t i = 0, k = 0;
    while (i < d->knots || k < empty->knots) {
        const double p = fmin(i < d->knots ? d->probabilities[i] : 1, k < empty->knots ? empty->probabilities[k] : 1);
        double left, right, empty_left, empty_right;
        find_sides(&at, p, &left, &right);
        find_sides(&less, p, &empty_left, &empty_right);
        left = f->byte * left + (f->latency - f->byte) * empty_left;
        right = f->byte * right + (f->latency - f->byte) * empty_right;
        add_knot(to, p, left);
        if (p > 0 && p < 1 && right != left)
            add_knot(to, p, right);
        while (i < d->knots && d->probabilities[i] <= p)
            i++;
        while (k < empty->knots && empty->probabilities[k] <= p)
            k++;
    }
}

/* Scales D, times of messages of one size, by F. EMPTY: the times of an empty message before scaling. */
static int scale(struct mpg_distribution *d, const struct mpg_distribution *empty, const struct mpg_time_factors *f,
                 struct mpg_error *err)
{
    if (f->latency == f->byte)
        return multiply(d, f->latency, err);
    const size_t max = d->knots + empty->knots;
    struct knots to = {.p = malloc(max * sizeof *to.p), .q = malloc(max * sizeof *to.q)};
    if (!to.p || !to.q || max > MPG_DISTRIBUTION_MAX_KNOTS) {
        free(to.p);
        free(to.q);
        return mpg_error_set(err, to.p && to.q ? "too many knots" : "out of memory");
    }
    combine(d, empty, f, &to);
    d->mean = fmax(f->byte * d->mean + (f->latency - f->byte) * empty->mean, 0);
    free(d->probabilities);
    free(d->quantiles);
    d->probabilities = to.p;
    d->quantiles = to.q;
    d->knots = to.n;
    return mpg_distribution_prepare(d, err);
}

/* Returns the distribution of SIZE in launch K of N; the pooled distribution if SIZE has a different number of launches. */
static const struct mpg_distribution *launch_of(const struct mpg_network_size *size, size_t k, size_t n)
{
    return size->launches.n == n ? size->launches.ns[k] : size->time_ns;
}

/* Scales TO, which is a copy of FROM. */
static int scale_sizes(const struct mpg_network_sizes *from, struct mpg_network_sizes *to, const struct mpg_time_factors *f,
                       struct mpg_error *err)
{
    for (size_t i = 0; i < to->n; i++) {
        const struct mpg_network_size *empty = &from->size[0]; /* below the smallest size times are constant */
        struct mpg_network_size *size = &to->size[i];
        const struct mpg_time_factors factors = i > 0 ? *f : (struct mpg_time_factors){f->latency, f->latency};
        if (scale(size->time_ns, empty->time_ns, &factors, err) < 0)
            return -1;
        for (size_t k = 0; k < size->launches.n; k++)
            if (scale(size->launches.ns[k], launch_of(empty, k, size->launches.n), &factors, err) < 0)
                return -1;
    }
    return 0;
}

static double median_of(const struct mpg_network_path *path, double bytes)
{
    const struct mpg_one_way_time one_way = mpg_one_way_on_path(path, NULL, bytes);
    return mpg_one_way_ns(&one_way, -1, 0.5);
}

/* Scales TO's times of sends that wait for the receiver, by the ratio of the median one-way times at equal size in TO and
 * FROM. */
static int scale_held_sends(const struct mpg_network_path *from, struct mpg_network_path *to, struct mpg_error *err)
{
    if (from->latency.n + from->bandwidth.n == 0)
        return 0;
    for (size_t i = 0; i < to->sender.n; i++) {
        struct mpg_network_size *size = &to->sender.size[i];
        const double before = median_of(from, (double)size->size_bytes), after = median_of(to, (double)size->size_bytes);
        const double factor = before > 0 ? after / before : 1;
        if (size->size_bytes <= from->eager_limit_bytes) /* an eager send does not wait: the time is an overhead */
            continue;
        if (multiply(size->time_ns, factor, err) < 0)
            return -1;
        for (size_t k = 0; k < size->launches.n; k++)
            if (multiply(size->launches.ns[k], factor, err) < 0)
                return -1;
    }
    return 0;
}

/* Scales the times of one-sided operations: in the completing call like messages, in the starting call the part that depends on
 * the size. */
static int scale_one_sided(const struct mpg_network_path *from, struct mpg_network_path *to, const struct mpg_time_factors *f,
                           struct mpg_error *err)
{
    const struct mpg_time_factors of_call = {1, f->byte};
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++)
        if (scale_sizes(&from->one_sided[o].call, &to->one_sided[o].call, &of_call, err) < 0 ||
            scale_sizes(&from->one_sided[o].complete, &to->one_sided[o].complete, f, err) < 0)
            return -1;
    return 0;
}

struct mpg_signature *mpg_factors_apply(const struct mpg_signature *sig, const struct mpg_time_factors *f, struct mpg_error *err)
{
    const struct mpg_time_factors of_stream = {1, f->byte};
    struct mpg_signature *copy = copy_signature(sig, err);
    for (size_t i = 0; copy && i < sig->paths; i++) {
        const struct mpg_network_path *from = &sig->network[i];
        struct mpg_network_path *to = &copy->network[i];
        if (scale_sizes(&from->latency, &to->latency, f, err) < 0 || scale_sizes(&from->bandwidth, &to->bandwidth, f, err) < 0 ||
            scale_sizes(&from->streaming, &to->streaming, &of_stream, err) < 0 || scale_held_sends(from, to, err) < 0 ||
            scale_one_sided(from, to, f, err) < 0) {
            mpg_factors_free(copy);
            return NULL;
        }
    }
    return copy;
}

int mpg_factors_multiply(struct mpg_collective_time *collective, double factor, struct mpg_error *err)
{
    if (multiply(collective->time_ns, factor, err) < 0)
        return -1;
    for (size_t k = 0; k < collective->launches.n; k++)
        if (multiply(collective->launches.ns[k], factor, err) < 0)
            return -1;
    return 0;
}
