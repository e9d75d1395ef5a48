/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that whoever evaluates a graph takes as wholes, so that they are not expanded into messages. */
#ifndef MPG_WHOLES_H
#define MPG_WHOLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct mpg_unexpanded_kind {
    enum mpg_call call;           /* blocking; its nonblocking twin is meant, too */
    int32_t members;
    int64_t from_bytes, to_bytes; /* of one member */
};

struct mpg_unexpanded {
    size_t n;
    struct mpg_unexpanded_kind *whole;
};

bool mpg_unexpanded_has(const struct mpg_unexpanded *unexpanded, enum mpg_call call, int32_t members, double bytes);
/* Either may be NULL, which is none. */
bool mpg_unexpanded_same(const struct mpg_unexpanded *a, const struct mpg_unexpanded *b);
/* A checksum: others have another one. NULL is allowed. */
uint64_t mpg_unexpanded_sum(const struct mpg_unexpanded *unexpanded);

#endif
