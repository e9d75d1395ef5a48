/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in a growing array of bytes, little-endian, and read from one again. Not thread-safe. */
#ifndef MPG_BYTES_H
#define MPG_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct mpg_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* out of memory: what was put since is not there */
};

void mpg_bytes_put(struct mpg_bytes *bytes, const void *data, size_t size);
void mpg_bytes_put_u64(struct mpg_bytes *bytes, uint64_t value);
void mpg_bytes_put_double(struct mpg_bytes *bytes, double value); /* as its bits are */
void mpg_bytes_clear(struct mpg_bytes *bytes);

/* What is left to be read of some bytes, which are not its own. */
struct mpg_bytes_left {
    const uint8_t *p, *end;
    bool failed; /* more was asked for than there was: 0 was given */
};

/* SIZE bytes, or NULL. */
const uint8_t *mpg_bytes_get(struct mpg_bytes_left *left, size_t size);
uint64_t mpg_bytes_get_u64(struct mpg_bytes_left *left);
double mpg_bytes_get_double(struct mpg_bytes_left *left);
/* A number of things of LEAST bytes each, at most as many as there is room for; else it fails. */
size_t mpg_bytes_get_number(struct mpg_bytes_left *left, size_t least);
/* A number below LIMIT; else it fails. */
uint64_t mpg_bytes_get_below(struct mpg_bytes_left *left, uint64_t limit);

#endif
