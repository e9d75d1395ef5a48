/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integers of variable length. */
#ifndef MPG_VARINT_H
#define MPG_VARINT_H

#include <stdbool.h>
#include <stdint.h>

/* Integers are stored as little-endian base-128 digits. A writer needs MPG_VARINT_BYTES bytes of space. */
enum { MPG_VARINT_BYTES = 10 };

static inline uint8_t *mpg_put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 128) {
        *p++ = (uint8_t)(v | 128);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *mpg_put_zigzag(uint8_t *p, int64_t v)
{
    return mpg_put_varint(p, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

/* Reads one integer at *P, before END, and advances *P. Returns false at the end or if the integer is too long. */
static inline bool mpg_get_varint(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
    uint64_t value = 0;
    const uint8_t *q = *p;
    if (q < end && *q < 128) { /* most integers are small */
        *p = q + 1;
        *v = *q;
        return true;
    }
    for (int shift = 0; q < end && shift < 64; shift += 7) {
        uint8_t byte = *q++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *p = q;
            *v = value;
            return true;
        }
    }
    return false;
}

static inline bool mpg_get_zigzag(const uint8_t **p, const uint8_t *end, int64_t *v)
{
    uint64_t u;
    if (!mpg_get_varint(p, end, &u))
        return false;
    *v = (int64_t)(u >> 1) ^ -(int64_t)(u & 1);
    return true;
}

#endif
