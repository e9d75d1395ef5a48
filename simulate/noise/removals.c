/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A removal is found by the arguments of its computation, not by the scenario: scenarios with equal arguments share a removal. */
#include "simulate/noise/removals.h"

#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "common/map.h"
#include "common/reserve.h"

struct entry {
    struct mpg_bytes arguments; /* histogram and places of the losses */
    struct mpg_removal *removal;
};

struct mpg_removals {
    size_t losses_n, losses_capacity, n, capacity;
    struct mpg_losses **losses;
    struct entry *entry;
    struct mpg_map index; /* hash of the arguments, number of earlier entries with this hash -> place among the entries + 1 */
};

struct mpg_removals *mpg_removals_new(struct mpg_error *err)
{
    struct mpg_removals *x = calloc(1, sizeof *x);
    if (!x)
        mpg_error_set(err, "out of memory");
    return x;
}

void mpg_removals_forget(struct mpg_removals *x)
{
    for (size_t i = 0; i < x->n; i++) {
        mpg_bytes_clear(&x->entry[i].arguments);
        mpg_removal_free(x->entry[i].removal);
    }
    x->n = 0;
    mpg_map_clear(&x->index);
}

void mpg_removals_free(struct mpg_removals *x)
{
    if (!x)
        return;
    mpg_removals_forget(x);
    for (size_t i = 0; i < x->losses_n; i++)
        mpg_losses_free(x->losses[i]);
    free(x->losses);
    free(x->entry);
    free(x);
}

struct mpg_losses *mpg_removals_losses(struct mpg_removals *x, const struct mpg_replay *replay, double left_out,
                                       struct mpg_error *err)
{
    struct mpg_losses *l = mpg_losses_new(replay, left_out, err);
    if (!l)
        return NULL;
    for (size_t i = 0; i < x->losses_n; i++)
        if (mpg_losses_equal(x->losses[i], l)) { /* the stored object may have tables already */
            mpg_losses_free(l);
            return x->losses[i];
        }
    if (mpg_grow(&x->losses, x->losses_n, &x->losses_capacity, sizeof *x->losses, err) < 0) {
        mpg_losses_free(l);
        return NULL;
    }
    return x->losses[x->losses_n++] = l;
}

/* --- removals --- */

static void put_arguments(struct mpg_bytes *bytes, const struct mpg_histogram *histogram, struct mpg_losses *const *losses,
                          size_t cores)
{
    mpg_histogram_put(bytes, histogram);
    mpg_bytes_put(bytes, losses, cores * sizeof *losses); /* equal losses share an object */
}

/* Returns the hash FNV-1a of BYTES (Fowler, Noll and Vo). */
static uint64_t hash_of(const struct mpg_bytes *bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes->size; i++)
        hash = (hash ^ bytes->data[i]) * 0x100000001b3u;
    return hash;
}

static bool is_equal(const struct mpg_bytes *a, const struct mpg_bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Returns a pointer to the map's value for ARGUMENTS, 0 for a new entry; NULL: out of memory. */
static uint64_t *place_of(struct mpg_removals *x, const struct mpg_bytes *arguments)
{
    const uint64_t hash = hash_of(arguments);
    uint64_t *place;
    for (uint64_t same = 0;; same++)
        if (!(place = mpg_map_add(&x->index, hash, same)) || *place == 0 ||
            is_equal(&x->entry[*place - 1].arguments, arguments))
            return place;
}

const struct mpg_removal *mpg_removals_find(struct mpg_removals *x, const struct mpg_histogram *histogram,
                                            struct mpg_losses *const *losses, size_t cores, struct mpg_error *err)
{
    struct entry new = {.removal = NULL};
    put_arguments(&new.arguments, histogram, losses, cores);
    uint64_t *place = new.arguments.failed ? NULL : place_of(x, &new.arguments);
    if (place && *place > 0) {
        mpg_bytes_clear(&new.arguments);
        return x->entry[*place - 1].removal;
    }
    if (!place)
        mpg_error_set(err, "out of memory");
    else if (mpg_grow(&x->entry, x->n, &x->capacity, sizeof *x->entry, err) == 0 &&
             (new.removal = mpg_removal_new(histogram, losses, cores, err))) {
        x->entry[x->n++] = new;
        *place = x->n;
        return new.removal;
    }
    mpg_bytes_clear(&new.arguments);
    return NULL;
}
