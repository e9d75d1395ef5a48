/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/bytes.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

void mpg_bytes_put(struct mpg_bytes *b, const void *data, size_t size)
{
    if (!b->failed && size > b->capacity - b->size) {
        const size_t capacity = 2 * (b->size + size);
        uint8_t *grown = realloc(b->data, capacity);
        b->failed = grown == NULL;
        b->data = grown ? grown : b->data;
        b->capacity = grown ? capacity : b->capacity;
    }
    if (b->failed || size == 0)
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void mpg_bytes_put_u64(struct mpg_bytes *b, uint64_t value)
{
    const uint64_t stored = htole64(value);
    mpg_bytes_put(b, &stored, sizeof stored);
}

void mpg_bytes_put_double(struct mpg_bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mpg_bytes_put_u64(b, bits);
}

void mpg_bytes_clear(struct mpg_bytes *b)
{
    free(b->data);
    *b = (struct mpg_bytes){0};
}

const uint8_t *mpg_bytes_get(struct mpg_bytes_left *left, size_t size)
{
    const uint8_t *p = left->p;
    if (left->failed || size > (size_t)(left->end - p)) {
        left->failed = true;
        return NULL;
    }
    left->p += size;
    return p;
}

uint64_t mpg_bytes_get_u64(struct mpg_bytes_left *left)
{
    uint64_t stored = 0;
    const uint8_t *p = mpg_bytes_get(left, sizeof stored);
    if (p)
        memcpy(&stored, p, sizeof stored);
    return le64toh(stored);
}

double mpg_bytes_get_double(struct mpg_bytes_left *left)
{
    const uint64_t bits = mpg_bytes_get_u64(left);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t mpg_bytes_get_below(struct mpg_bytes_left *left, uint64_t limit)
{
    const uint64_t value = mpg_bytes_get_u64(left);
    if (value < limit)
        return value;
    left->failed = true;
    return 0;
}

size_t mpg_bytes_get_number(struct mpg_bytes_left *left, size_t min)
{
    return (size_t)mpg_bytes_get_below(left, (uint64_t)(left->end - left->p) / min + 1);
}
