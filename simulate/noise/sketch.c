/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bins whose width doubles when there are too many: which ones there are depends on the
 * intervals only, as those of a coarser grid are unions of those of a finer one. */
#include "simulate/noise/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINEST_OCTAVE = 10 };

static const double WORK_TOLERANCE = 1.02;

void mpg_sketch_init(struct mpg_sketch *s)
{
    *s = (struct mpg_sketch){.octave = FINEST_OCTAVE, .least_ns = INFINITY};
}

void mpg_sketch_clear(struct mpg_sketch *s)
{
    free(s->bin);
    free(s->loss);
    mpg_sketch_init(s);
}

static uint16_t id_of(const struct mpg_sketch *s, double ns)
{
    /* A coarser bin is that of the finer ones' number without its last digits. */
    uint32_t finest = (uint32_t)floor(ldexp(log2(ns + 1), FINEST_OCTAVE));
    uint32_t id = (finest < UINT16_MAX ? finest : UINT16_MAX) >> (FINEST_OCTAVE - s->octave);
    return (uint16_t)id;
}

static double bound_ns(const struct mpg_sketch *s, uint32_t id)
{
    return exp2(ldexp((double)id, -s->octave)) - 1;
}

/* The first bin whose id is at least ID. */
static uint16_t find(const struct mpg_sketch *s, uint16_t id)
{
    uint16_t low = 0, high = s->bins;
    while (low < high) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (s->bin[middle].id < id)
            low = (uint16_t)(middle + 1);
        else
            high = middle;
    }
    return low;
}

static void coarsen(struct mpg_sketch *s)
{
    uint16_t n = 0;
    for (uint16_t i = 0; i < s->bins; i++) {
        uint16_t id = (uint16_t)(s->bin[i].id >> 1);
        if (n > 0 && s->bin[n - 1].id == id)
            s->bin[n - 1].count += s->bin[i].count;
        else
            s->bin[n++] = (struct mpg_sketch_bin){.id = id, .count = s->bin[i].count};
    }
    s->bins = n;
    s->octave--;
}

static int reserve(struct mpg_sketch *s, struct mpg_error *err)
{
    if (s->bins < s->capacity)
        return 0;
    uint16_t capacity = s->capacity ? (uint16_t)(2 * s->capacity) : 4;
    if (capacity > MPG_SKETCH_BINS) /* one more than stay, until there is a coarser grid */
        capacity = MPG_SKETCH_BINS + 1;
    void *grown = realloc(s->bin, capacity * sizeof *s->bin);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    s->bin = grown;
    s->capacity = capacity;
    return 0;
}

int mpg_sketch_add(struct mpg_sketch *s, double ns, struct mpg_error *err)
{
    uint16_t id = id_of(s, ns), i = find(s, id);
    if (i == s->bins || s->bin[i].id != id) {
        if (reserve(s, err) < 0)
            return -1;
        memmove(s->bin + i + 1, s->bin + i, (size_t)(s->bins - i) * sizeof *s->bin);
        s->bin[i] = (struct mpg_sketch_bin){.id = id};
        s->bins++;
    }
    s->bin[i].count++;
    s->n++;
    s->least_ns = fmin(s->least_ns, ns);
    while (s->bins > MPG_SKETCH_BINS)
        coarsen(s);
    return 0;
}

int mpg_sketch_merge(struct mpg_sketch *s, const struct mpg_sketch *other, struct mpg_error *err)
{
    double least_ns = fmin(s->least_ns, other->least_ns); /* no middle of a bin, which may be less */
    for (uint16_t i = 0; i < other->bins; i++) {
        /* OTHER is on the finest grid: the middle of a bin is in the same one here. */
        double ns = (bound_ns(other, other->bin[i].id) + bound_ns(other, other->bin[i].id + 1u)) / 2;
        for (uint64_t k = 0; k < other->bin[i].count; k++)
            if (mpg_sketch_add(s, ns, err) < 0)
                return -1;
    }
    s->least_ns = least_ns;
    return 0;
}

double mpg_sketch_median(const struct mpg_sketch *s)
{
    uint64_t below = 0;
    for (uint16_t i = 0;; i++) {
        if (2 * (below + s->bin[i].count) >= s->n) {
            double f = ((double)s->n / 2 - (double)below) / (double)s->bin[i].count;
            double low_ns = bound_ns(s, s->bin[i].id), high_ns = bound_ns(s, s->bin[i].id + 1u);
            return low_ns + f * (high_ns - low_ns);
        }
        below += s->bin[i].count;
    }
}

/* The middle of bin I. */
static double middle_ns(const struct mpg_sketch *s, uint16_t i)
{
    return (bound_ns(s, s->bin[i].id) + bound_ns(s, s->bin[i].id + 1u)) / 2;
}

/* What noise took from NS, in bin I, if it did the group's work: as much as is more than that, as
 * far as its rank allows. */
static double loss_of(const struct mpg_sketch *s, uint16_t i, double ns)
{
    return fmin(fmax(ns - s->work_ns, s->loss[i].low_ns), s->loss[i].high_ns);
}

/* Moments of the ranked ones: of losses by rank alone (X), losses (L) and intervals (Y). */
struct moments {
    double n, variance_x, fourth_x, mean_l, variance_l, covariance_ly;
};

static struct moments find_moments(const struct mpg_sketch *s, const double *by_rank)
{
    double n = 0, x = 0, l = 0, y = 0;
    for (uint16_t i = 0; i < s->ranked; i++) {
        double count = (double)s->bin[i].count;
        n += count;
        x += count * by_rank[i];
        l += count * loss_of(s, i, middle_ns(s, i));
        y += count * middle_ns(s, i);
    }
    struct moments m = {.n = n, .mean_l = l / n};
    for (uint16_t i = 0; i < s->ranked; i++) {
        double share = (double)s->bin[i].count / n, dx = by_rank[i] - x / n;
        double dl = loss_of(s, i, middle_ns(s, i)) - l / n, dy = middle_ns(s, i) - y / n;
        m.variance_x += share * dx * dx;
        m.fourth_x += share * dx * dx * dx * dx;
        m.variance_l += share * dl * dl;
        m.covariance_ly += share * dl * dy;
    }
    return m;
}

/* How far what is removed follows losses: 1 where noise explains that intervals differ; less where
 * they differ more than chance makes them, since their work does, so that what is left has the
 * variance of the intervals less that of noise. */
static double find_follow(const struct moments *m)
{
    if (!(m->variance_x > 0) || !(m->variance_l > 0))
        return 1;
    double kurtosis = m->fourth_x / (m->variance_x * m->variance_x);
    double c = m->covariance_ly * (1 - sqrt(fmax(0, kurtosis - 1) / m->n));
    double both = m->variance_x * m->variance_l;
    if (!(c > 0 && c * c > both))
        return 1;
    return fmin(1, m->variance_x / (c + sqrt(c * c - both))); /* the lesser root */
}

/* Which bins are ranked: those that noise can have made of the group's work, which is known to
 * some part only. */
static int rank_bins(struct mpg_sketch *s, struct mpg_losses *losses, uint64_t *ranked,
                     struct mpg_error *err)
{
    double most_ns;
    if (mpg_losses_quantile(losses, s->work_ns, 1, &most_ns, err) < 0)
        return -1;
    double limit_ns = WORK_TOLERANCE * (s->work_ns + most_ns);
    *ranked = s->ranked = 0;
    while (s->ranked < s->bins && bound_ns(s, s->bin[s->ranked].id) <= limit_ns)
        *ranked += s->bin[s->ranked++].count;
    return 0;
}

/* The losses that ranks allow, and BY_RANK their means. */
static int find_losses(struct mpg_sketch *s, struct mpg_losses *losses, double *by_rank,
                       struct mpg_error *err)
{
    uint64_t below = 0, ranked;
    if (rank_bins(s, losses, &ranked, err) < 0)
        return -1;
    double n = (double)ranked;
    for (uint16_t i = 0; i < s->ranked; i++) {
        double low = (double)below / n, high, u, error;
        below += s->bin[i].count;
        high = (double)below / n;
        u = fmin(fmax((low + high) / 2, 0.5 / n), 1 - 0.5 / n);
        error = 2 * sqrt(u * (1 - u) / n);
        if (mpg_losses_mean(losses, s->work_ns, low, high, &by_rank[i], err) < 0 ||
            mpg_losses_quantile(losses, s->work_ns, fmax(0, low - error), &s->loss[i].low_ns,
                                err) < 0 ||
            mpg_losses_quantile(losses, s->work_ns, fmin(1, high + error), &s->loss[i].high_ns,
                                err) < 0)
            return -1;
    }
    return 0;
}

int mpg_sketch_finish(struct mpg_sketch *s, struct mpg_losses *losses, struct mpg_error *err)
{
    double by_rank[MPG_SKETCH_BINS], median_ns = mpg_sketch_median(s), loss_ns;
    if (!s->loss && !(s->loss = malloc(s->bins * sizeof *s->loss)))
        return mpg_error_set(err, "out of memory");
    if (mpg_losses_quantile(losses, median_ns, 0.5, &loss_ns, err) < 0)
        return -1;
    s->work_ns = fmax(0, median_ns - loss_ns);
    if (mpg_losses_mean(losses, s->work_ns, 0, 1, &s->mean_ns, err) < 0 ||
        find_losses(s, losses, by_rank, err) < 0)
        return -1;
    struct moments m = find_moments(s, by_rank);
    s->middle_ns = m.mean_l;
    s->follow = find_follow(&m);
    return 0;
}

/* Without bounds: the group's work lost what was found, and work beyond it (or less) its share. */
static double work_at(const struct mpg_sketch *s, double ns, double lost, double scale)
{
    uint16_t i = find(s, id_of(s, ns));
    double removed_ns =
        i < s->ranked ? s->middle_ns + s->follow * (loss_of(s, i, ns) - s->middle_ns) : s->mean_ns;
    return s->work_ns + (1 - lost) * (ns - scale * removed_ns - s->work_ns);
}

double mpg_sketch_work(const struct mpg_sketch *s, double ns, double lost, double scale)
{
    /* None worked less than the shortest. */
    double least_ns = fmin(ns, fmax(0, work_at(s, s->least_ns, lost, scale)));
    return fmin(ns, fmax(work_at(s, ns, lost, scale), least_ns));
}

/* --- as bytes --- */

void mpg_sketch_put(struct mpg_bytes *bytes, const struct mpg_sketch *s)
{
    mpg_bytes_put_u64(bytes, s->bins);
    mpg_bytes_put_u64(bytes, (uint64_t)s->octave);
    mpg_bytes_put_double(bytes, s->least_ns);
    for (uint16_t i = 0; i < s->bins; i++)
        mpg_bytes_put_u64(bytes, s->bin[i].count << 16 | s->bin[i].id);
}

int mpg_sketch_get(struct mpg_bytes_left *left, struct mpg_sketch *s)
{
    const uint16_t bins = (uint16_t)mpg_bytes_get_below(left, MPG_SKETCH_BINS + 1);
    const int8_t octave = (int8_t)mpg_bytes_get_below(left, FINEST_OCTAVE + 1);
    const double least_ns = mpg_bytes_get_double(left);
    if (left->failed || !(least_ns >= 0) || (bins > 0 && !(s->bin = malloc(bins * sizeof *s->bin))))
        return -1;
    s->octave = octave;
    s->least_ns = least_ns;
    for (s->capacity = bins; s->bins < bins; s->bins++) {
        const uint64_t both = mpg_bytes_get_u64(left);
        const struct mpg_sketch_bin bin = {.id = both & UINT16_MAX, .count = both >> 16};
        if (left->failed || bin.count == 0 || (s->bins > 0 && bin.id <= s->bin[s->bins - 1].id))
            return -1;
        s->bin[s->bins] = bin;
        s->n += bin.count;
    }
    return 0;
}
