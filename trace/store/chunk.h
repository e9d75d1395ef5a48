/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chunk header of the native trace format; integers inside chunks are those of common/varint.h.
 * mpgtrace(5) is the specification. Private to trace/. */
#ifndef MPG_CHUNK_H
#define MPG_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/varint.h"
#include "trace/shape.h"

enum {
    MPG_CHUNK_VERSION = 5,
    MPG_CHUNK_OLDEST = 3, /* 3 had no sums of calls, 4 no off-CPU time */
    MPG_CHUNK_HEADER_BYTES = 64,
    MPG_CHUNK_CRC_OFFSET = 56,
    MPG_CHUNK_MAX_RANKS = 1 << 26,
    MPG_CHUNK_MAX_BYTES = 1 << 30, /* of a payload, stored or raw */
    MPG_CHUNK_FREE_BYTES = 16 << 10, /* unpacked, whatever it is packed into; above that, */
    MPG_CHUNK_MAX_RATIO = 128,       /* as many for each byte */
    MPG_TRACE_MAX_LIST = 1 << 26,  /* elements in any list of an event */
    MPG_TRACE_MAX_FRAMES = 64,
    MPG_TRACE_MAX_TEXT = 4096,     /* of a region's name or a module's path */
    MPG_TRACE_MAX_BUILD_ID = 64,
    MPG_TRACE_MAX_VALUES = 64,
    MPG_TRACE_MAX_THREADS = 1 << 16
};

enum mpg_chunk_kind {
    MPG_CHUNK_EVENTS = 1,
    MPG_CHUNK_FACTS = 2,
    MPG_CHUNK_WINDOW = 3,
    MPG_CHUNK_PROFILE = 4
};

/* The chunk holds receives whose partner a later completion tells. */
enum { MPG_CHUNK_UNRESOLVED = 1 };
/* It holds a completion of cancelled requests. */
enum { MPG_CHUNK_CANCELLED = 4 };
/* The profile is whole and does not change any more: the CRC covers it. */
enum { MPG_CHUNK_CLOSED = 2 };

/* Columns of a chunk's events; what follows is one column a value. Of a time, the number
 * of its bits is compressed; those below the highest are noise, which no compression makes
 * smaller, and stand one after the other. */
enum {
    MPG_COLUMN_RECORDS,
    MPG_COLUMN_GAP_BITS,
    MPG_COLUMN_GAP_LENGTHS,
    MPG_COLUMN_DURATION_BITS,
    MPG_COLUMN_DURATION_LENGTHS,
    MPG_COLUMN_VALUES
};

/* Operation codes that start a record; MPG_OP_SHAPE + i is an event of shape i, of
 * MPG_MAX_SHAPES. */
enum {
    MPG_OP_PREDICTED, /* an event of the shape that the last ones predict */
    MPG_OP_NEW_SHAPE,
    MPG_OP_COMM,
    MPG_OP_TOPOLOGY,
    MPG_OP_OBJECT,
    MPG_OP_STRING,
    MPG_OP_MODULE,
    MPG_OP_SITE,
    MPG_OP_SHAPE,
    MPG_OP_OFF_CPU = MPG_OP_SHAPE + MPG_MAX_SHAPES /* off-CPU time of the event that follows */
};

struct mpg_chunk {
    enum mpg_chunk_kind kind;
    uint32_t rank, ranks, flags, events, raw_bytes, stored_bytes;
    uint32_t thread, columns;
    uint32_t run;      /* the same in all chunks of a stream and its window */
    uint64_t sequence; /* 0, 1, ... in each stream */
    int64_t first_ns;  /* the last leave time before the chunk */
};

/* Whether a chunk of events whose payload has RAW bytes may be stored in STORED: a reader's
 * memory and time are bounded by the file, and no program's events are as alike. */
static inline bool mpg_chunk_may_pack(size_t raw, size_t stored)
{
    return raw <= MPG_CHUNK_FREE_BYTES + (size_t)MPG_CHUNK_MAX_RATIO * stored;
}

/* Writes the 64 header bytes, whose CRC covers header and PAYLOAD (of a window, and
 * of a profile that is not closed, the header alone: PAYLOAD may be NULL). */
void mpg_chunk_pack(const struct mpg_chunk *chunk, const void *payload, uint8_t *header);
/* Reads and checks a header; ERR says what is wrong with it. */
int mpg_chunk_unpack(const uint8_t *header, struct mpg_chunk *chunk, struct mpg_error *err);
/* The CRC-32 of a chunk as a file has it, but for the place of the CRC itself. */
uint32_t mpg_chunk_checksum(const uint8_t *header, const struct mpg_chunk *chunk,
                            const void *payload);
/* Whether the CRC in HEADER fits it and its PAYLOAD (of a window: NULL). */
bool mpg_chunk_check(const uint8_t *header, const struct mpg_chunk *chunk, const void *payload);

#endif
