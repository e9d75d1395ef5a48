/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that the evaluator takes as single nodes: the graph does not expand these into messages. */
#ifndef MPG_GRAPH_UNEXPANDED_H
#define MPG_GRAPH_UNEXPANDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct mpg_unexpanded_kind {
    enum mpg_call call;           /* the blocking variant, for both blocking and nonblocking calls */
    int32_t members;
    int64_t from_bytes, to_bytes; /* range, both ends included, of the bytes of a member */
};

struct mpg_unexpanded {
    size_t n;
    struct mpg_unexpanded_kind *whole;
};

/* Returns whether UNEXPANDED lists collectives of CALL, blocking variant, with MEMBERS members and a member's BYTES. */
bool mpg_unexpanded_has(const struct mpg_unexpanded *unexpanded, enum mpg_call call, int32_t members, double bytes);
/* Returns whether A and B have equal entries in equal order. NULL equals only NULL. */
bool mpg_unexpanded_same(const struct mpg_unexpanded *a, const struct mpg_unexpanded *b);
/* Returns a checksum of all entries. NULL is allowed. */
uint64_t mpg_unexpanded_sum(const struct mpg_unexpanded *unexpanded);

#endif
