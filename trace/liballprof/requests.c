/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the requests in an array of requests, of which a line has only address and length. A short line can claim a million
 * elements; the time is bounded by the number of requests posted by the rank. */
#include <stdlib.h>

#include "trace/liballprof/line.h"

/* Returns whether ADDRESS is an element of the array in line L, if elements have STRIDE bytes. */
static bool is_element(const struct lap_line *l, uint64_t address, uint64_t stride)
{
    const uint64_t offset = address - l->requests[0];
    return offset % stride == 0 && offset / stride < l->request_count;
}

uint64_t mpg_lap_count_posted(const struct lap_line *l, uint64_t stride, const struct mpg_map *posted)
{
    uint64_t n = 0;
    if (l->request_count <= posted->capacity)
        for (uint32_t i = 1; i < l->request_count; i++)
            n += mpg_map_find(posted, 0, l->requests[0] + i * stride) != NULL;
    else
        for (size_t k = 0; k < posted->capacity; k++) {
            const struct mpg_map_entry *e = &posted->entries[k];
            n += e->used && e->key[1] != l->requests[0] && is_element(l, e->key[1], stride);
        }
    return n;
}

/* Adds ADDRESS as request N of the call in L. Returns 0, or -1 with ERR: out of memory. */
static int append(struct lap_line *l, uint32_t n, uint64_t address, struct mpg_error *err)
{
    if (n == l->request_capacity) {
        const size_t capacity = 2 * l->request_capacity;
        uint64_t *grown = realloc(l->requests, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        l->requests = grown;
        l->request_capacity = capacity;
    }
    l->requests[n] = address;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the requests in the array of L, with elements of STRIDE bytes from address BASE on, by looking up each element in
 * POSTED. Returns the number of requests, or -1 with ERR. */
static int64_t find_each(struct lap_line *l, uint64_t base, uint64_t stride, const struct mpg_map *posted, struct mpg_error *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->request_count; i++)
        if (mpg_map_find(posted, 0, base + i * stride) && append(l, n++, base + i * stride, err) < 0)
            return -1;
    return n;
}

/* Like find_each(), but goes through POSTED, which is faster if the array is longer than POSTED. */
static int64_t find_among(struct lap_line *l, uint64_t base, uint64_t stride, const struct mpg_map *posted, struct mpg_error *err)
{
    uint32_t n = 0;
    for (size_t k = 0; k < posted->capacity; k++) {
        const struct mpg_map_entry *e = &posted->entries[k];
        const uint64_t offset = e->key[1] - base;
        if (e->used && offset % stride == 0 && offset / stride < l->request_count && append(l, n++, offset, err) < 0)
            return -1;
    }
    if (n > 0)
        qsort(l->requests, n, sizeof *l->requests, compare);
    for (uint32_t i = 0; i < n; i++)
        l->requests[i] += base;
    return n;
}

int mpg_lap_spread(struct lap_line *l, uint64_t stride, const struct mpg_map *posted, struct mpg_error *err)
{
    if (!l->is_array)
        return 0;
    const uint64_t base = l->requests[0];
    const bool looks_up = l->request_count <= posted->capacity;
    int64_t n = looks_up ? find_each(l, base, stride, posted, err) : find_among(l, base, stride, posted, err);
    if (n >= 0 && n < l->request_count) {
        uint64_t other = base;
        while (mpg_map_find(posted, 0, other))
            other += stride;
        if (append(l, (uint32_t)n++, other, err) < 0)
            return -1;
    }
    l->call.requests = l->requests;
    l->call.request_number = n < 0 ? 0 : (uint32_t)n;
    return n < 0 ? -1 : 0;
}
