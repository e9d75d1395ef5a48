/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes little-endian numbers into a growing array of bytes, and reads them from an array of bytes. Not thread-safe. */
#ifndef MPG_BYTES_H
#define MPG_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes; empty when zero-initialised. */
struct mpg_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* out of memory; later data are not stored */
};

void mpg_bytes_put(struct mpg_bytes *bytes, const void *data, size_t size);
void mpg_bytes_put_u64(struct mpg_bytes *bytes, uint64_t value);
void mpg_bytes_put_double(struct mpg_bytes *bytes, double value); /* stores the IEEE 754 bits */
void mpg_bytes_clear(struct mpg_bytes *bytes);

/* A reader of an array of bytes; the caller owns the array. */
struct mpg_bytes_left {
    const uint8_t *p, *end;
    bool failed; /* a read went past the end, or a value was out of range; failed reads return 0 or NULL */
};

/* Returns the next SIZE bytes, or NULL if fewer remain. */
const uint8_t *mpg_bytes_get(struct mpg_bytes_left *left, size_t size);
uint64_t mpg_bytes_get_u64(struct mpg_bytes_left *left);
double mpg_bytes_get_double(struct mpg_bytes_left *left);
/* Returns the next number as a count of items of at least MIN bytes each. Fails if the remaining bytes cannot hold as many
 * items. */
size_t mpg_bytes_get_number(struct mpg_bytes_left *left, size_t min);
/* Returns the next number. Fails if the number is not below LIMIT. */
uint64_t mpg_bytes_get_below(struct mpg_bytes_left *left, uint64_t limit);

#endif
