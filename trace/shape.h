/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes: the part of an event that repeats from call to call. Writer and decoder number shapes alike; mpgtrace(5) is the
 * specification. Private to trace/. */
#ifndef MPG_SHAPE_H
#define MPG_SHAPE_H

#include "trace/event.h"

/* Shape numbers wrap around: with MPG_MAX_SHAPES shapes, a new shape replaces the oldest shape. */
enum { MPG_MAX_SHAPES = 1 << 12 };

/* Flags of a shape; the first two are MPG_ANY_SOURCE and MPG_ANY_TAG. */
enum {
    MPG_SHAPE_ANY = 3,
    MPG_SHAPE_FOUND = 4,
    MPG_SHAPE_DONE_ALL = 8,
    MPG_SHAPE_EXTRAS = 16,     /* lists of cancelled requests and resolutions follow */
    MPG_SHAPE_PERSISTENT = 32, /* Request_free of a persistent request */
    MPG_SHAPE_FAILED = 64,
    MPG_SHAPE_IN_ORDER = 128,  /* the new request is the previous request plus 1 */
    MPG_SHAPE_REPEATED = 256,  /* the requests equal the previous list of MPG_REPEATED_MIN to MPG_REPEATED_MAX requests */
    MPG_SHAPE_SUM = 512,       /* the event represents several aggregated calls */
    MPG_SHAPE_DEVICE = 3 << 10, /* MPG_DEVICE_SENT and MPG_DEVICE_RECEIVED, times 1 << MPG_SHAPE_DEVICE_SHIFT */
    MPG_SHAPE_FLAGS = 4095,    /* all flags */
    MPG_SHAPE_DEVICE_SHIFT = 10
};

/* Lengths of request lists remembered by writer and decoder, for programs that poll the same requests repeatedly. */
enum { MPG_REPEATED_MIN = 2, MPG_REPEATED_MAX = 64 };

/* The event fields of a shape, in the order of the format. */
#define MPG_SHAPE_FIELDS(FIELD) \
    FIELD(site) FIELD(comm) FIELD(to) FIELD(from) FIELD(tag) FIELD(recvtag) FIELD(root) \
    FIELD(newcomm) FIELD(object) FIELD(string) FIELD(bytes) FIELD(recvbytes) \
    FIELD(count_number) FIELD(request_number)

struct mpg_shape {
    uint32_t call, flags;
#define MPG_SHAPE_FIELD(name) __typeof__(((struct mpg_event *)0)->name) name;
    MPG_SHAPE_FIELDS(MPG_SHAPE_FIELD)
#undef MPG_SHAPE_FIELD
};

/* For each kind of call: the fields and flags that exist, as masks with all bits set or 0. */
extern const struct mpg_shape mpg_shape_masks[];
/* The fields and flags that exist for failed calls, as masks with all bits set or 0. */
extern const struct mpg_shape mpg_shape_failed_mask;

/* Predicts the next shape from the previous shapes, alike in writer and decoder: PREDICTED is indexed by mpg_shape_context() of
 * the last shapes. */
enum { MPG_CONTEXT_BITS = 11 };

static inline uint32_t mpg_shape_context(uint32_t history)
{
    return (history * 0x9e3779b1u) >> (32 - MPG_CONTEXT_BITS);
}

static inline uint32_t mpg_shape_remember(uint32_t history, uint32_t shape)
{
    return history << 16 | shape;
}

#endif
