/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Too many bins are merged to bins of double width. A wider bin is a union of narrower bins: the occupied bins depend on the
 * intervals only, not on the order of insertion. */
#include "simulate/noise/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINEST_OCTAVE = 10 };

void mpg_histogram_init(struct mpg_histogram *h)
{
    *h = (struct mpg_histogram){.octave = FINEST_OCTAVE};
}

void mpg_histogram_clear(struct mpg_histogram *h)
{
    free(h->bin);
    mpg_histogram_init(h);
}

static uint16_t id_of(const struct mpg_histogram *h, double ns)
{
    /* The id of a wider bin is the id of the narrower bin without its last bits. */
    uint32_t finest = (uint32_t)floor(ldexp(log2(ns + 1), FINEST_OCTAVE));
    uint32_t id = (finest < UINT16_MAX ? finest : UINT16_MAX) >> (FINEST_OCTAVE - h->octave);
    return (uint16_t)id;
}

static double bound_ns(const struct mpg_histogram *h, uint32_t id)
{
    return exp2(ldexp((double)id, -h->octave)) - 1;
}

double mpg_histogram_low(const struct mpg_histogram *h, uint16_t i)
{
    return bound_ns(h, h->bin[i].id);
}

double mpg_histogram_high(const struct mpg_histogram *h, uint16_t i)
{
    return bound_ns(h, h->bin[i].id + 1u);
}

/* Returns the index of the first occupied bin with an id >= ID. */
static uint16_t find(const struct mpg_histogram *h, uint16_t id)
{
    uint16_t low = 0, high = h->bins;
    while (low < high) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (h->bin[middle].id < id)
            low = (uint16_t)(middle + 1);
        else
            high = middle;
    }
    return low;
}

uint16_t mpg_histogram_find(const struct mpg_histogram *h, double ns)
{
    const uint16_t id = id_of(h, ns), i = find(h, id);
    return i < h->bins && h->bin[i].id == id ? i : (uint16_t)(i > 0 ? i - 1 : 0);
}

static void coarsen(struct mpg_histogram *h)
{
    uint16_t n = 0;
    for (uint16_t i = 0; i < h->bins; i++) {
        uint16_t id = (uint16_t)(h->bin[i].id >> 1);
        if (n > 0 && h->bin[n - 1].id == id)
            h->bin[n - 1].count += h->bin[i].count;
        else
            h->bin[n++] = (struct mpg_histogram_bin){.id = id, .count = h->bin[i].count};
    }
    h->bins = n;
    h->octave--;
}

static int reserve(struct mpg_histogram *h, struct mpg_error *err)
{
    if (h->bins < h->capacity)
        return 0;
    uint16_t capacity = h->capacity ? (uint16_t)(2 * h->capacity) : 4;
    if (capacity > MPG_HISTOGRAM_BINS) /* room for one more bin, until the bins are made wider */
        capacity = MPG_HISTOGRAM_BINS + 1;
    void *grown = realloc(h->bin, capacity * sizeof *h->bin);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    h->bin = grown;
    h->capacity = capacity;
    return 0;
}

static int add_count(struct mpg_histogram *h, uint16_t id, uint64_t count, struct mpg_error *err)
{
    const uint16_t i = find(h, id);
    if (i == h->bins || h->bin[i].id != id) {
        if (reserve(h, err) < 0)
            return -1;
        memmove(h->bin + i + 1, h->bin + i, (size_t)(h->bins - i) * sizeof *h->bin);
        h->bin[i] = (struct mpg_histogram_bin){.id = id};
        h->bins++;
    }
    h->bin[i].count += count;
    h->n += count;
    while (h->bins > MPG_HISTOGRAM_BINS)
        coarsen(h);
    return 0;
}

int mpg_histogram_add(struct mpg_histogram *h, double ns, struct mpg_error *err)
{
    return add_count(h, id_of(h, ns), 1, err);
}

int mpg_histogram_merge(struct mpg_histogram *h, const struct mpg_histogram *other, struct mpg_error *err)
{
    while (h->octave > other->octave)
        coarsen(h);
    for (uint16_t i = 0; i < other->bins; i++) {
        const uint16_t id = (uint16_t)(other->bin[i].id >> (other->octave - h->octave));
        if (add_count(h, id, other->bin[i].count, err) < 0)
            return -1;
    }
    return 0;
}

double mpg_histogram_quantile(const struct mpg_histogram *h, double p, uint16_t *bin)
{
    const double wanted = p * (double)h->n;
    uint64_t below = 0;
    uint16_t i = 0;
    while (i + 1 < h->bins && (double)(below + h->bin[i].count) < wanted)
        below += h->bin[i++].count;
    if (bin)
        *bin = i;
    const double low_ns = mpg_histogram_low(h, i), high_ns = mpg_histogram_high(h, i);
    return low_ns + (wanted - (double)below) / (double)h->bin[i].count * (high_ns - low_ns);
}

/* --- conversion to bytes, for the cache --- */

void mpg_histogram_put(struct mpg_bytes *bytes, const struct mpg_histogram *h)
{
    mpg_bytes_put_u64(bytes, h->bins);
    mpg_bytes_put_u64(bytes, (uint64_t)h->octave);
    for (uint16_t i = 0; i < h->bins; i++)
        mpg_bytes_put_u64(bytes, h->bin[i].count << 16 | h->bin[i].id);
}

int mpg_histogram_get(struct mpg_bytes_left *left, struct mpg_histogram *h)
{
    const uint16_t bins = (uint16_t)mpg_bytes_get_below(left, MPG_HISTOGRAM_BINS + 1);
    const int8_t octave = (int8_t)mpg_bytes_get_below(left, FINEST_OCTAVE + 1);
    if (left->failed || (bins > 0 && !(h->bin = malloc(bins * sizeof *h->bin))))
        return -1;
    h->octave = octave;
    for (h->capacity = bins; h->bins < bins; h->bins++) {
        const uint64_t both = mpg_bytes_get_u64(left);
        const struct mpg_histogram_bin bin = {.id = both & UINT16_MAX, .count = both >> 16};
        if (left->failed || bin.count == 0 || (h->bins > 0 && bin.id <= h->bin[h->bins - 1].id))
            return -1;
        h->bin[h->bins] = bin;
        h->n += bin.count;
    }
    return 0;
}
