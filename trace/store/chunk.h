/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chunk header of the native trace format. Integers inside chunks are encoded as in common/varint.h. mpgtrace(5) is the
 * specification. Private to trace/. */
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
    MPG_CHUNK_OLDEST = 3, /* version 3 had no aggregated calls, version 4 no off-CPU time */
    MPG_CHUNK_HEADER_BYTES = 64,
    MPG_CHUNK_CRC_OFFSET = 56,
    MPG_CHUNK_MAX_RANKS = 1 << 26,
    MPG_CHUNK_MAX_BYTES = 1 << 30, /* maximum number of bytes of a payload, compressed or not */
    MPG_CHUNK_FREE_BYTES = 16 << 10, /* uncompressed bytes that any payload may have */
    MPG_CHUNK_MAX_RATIO = 128,       /* maximum number of further uncompressed bytes for each compressed byte */
    MPG_TRACE_MAX_LIST = 1 << 26,  /* elements of a list of an event */
    MPG_TRACE_MAX_FRAMES = 64,
    MPG_TRACE_MAX_TEXT = 4096,     /* maximum number of bytes of a region's name or a module's path */
    MPG_TRACE_MAX_BUILD_ID = 64,
    MPG_TRACE_MAX_VALUES = 64,
    MPG_TRACE_MAX_THREADS = 1 << 16
};

enum mpg_chunk_kind {
    MPG_CHUNK_EVENTS = 1,
    MPG_CHUNK_FACTS = 2,
    MPG_CHUNK_SEGMENT = 3,
    MPG_CHUNK_PROFILE = 4
};

/* Flags of a chunk. A reader must look ahead, because the chunk holds a receive whose source or tag is known only from the
 * completion, a completion with this source or tag, or MPI_Cancel. */
enum { MPG_CHUNK_UNRESOLVED = 1 };
/* The chunk holds a completion of cancelled requests. */
enum { MPG_CHUNK_CANCELLED = 4 };
/* The profile is complete and does not change any more: the CRC covers the payload. */
enum { MPG_CHUNK_CLOSED = 2 };
/* A stream in parts (mpgtrace record --last), of which the first may be missing. FRESH: the chunk needs no earlier chunk of the
 * stream. SNAPSHOT: the chunk holds what a reader needs of the missing parts; a part begins with a chunk that has both flags, and
 * its number modulo 2^24 from bit PART_SHIFT on. */
enum { MPG_CHUNK_FRESH = 8, MPG_CHUNK_SNAPSHOT = 16, MPG_CHUNK_PART_SHIFT = 8, MPG_CHUNK_PART_BITS = 24 };

/* Columns of a chunk's events, followed by one column for each value. A time is stored in two columns: the length in bits, and
 * the bits below the highest. The bits are noise, which does not compress, and are stored in sequence. */
enum {
    MPG_COLUMN_RECORDS,
    MPG_COLUMN_GAP_BITS,
    MPG_COLUMN_GAP_LENGTHS,
    MPG_COLUMN_DURATION_BITS,
    MPG_COLUMN_DURATION_LENGTHS,
    MPG_COLUMN_VALUES
};

/* Operation codes at the begin of a record. MPG_OP_SHAPE + i is an event of shape i < MPG_MAX_SHAPES. */
enum {
    MPG_OP_PREDICTED, /* an event of the predicted shape */
    MPG_OP_NEW_SHAPE,
    MPG_OP_COMM,
    MPG_OP_TOPOLOGY,
    MPG_OP_OBJECT,
    MPG_OP_STRING,
    MPG_OP_MODULE,
    MPG_OP_SITE,
    MPG_OP_SHAPE,
    MPG_OP_OFF_CPU = MPG_OP_SHAPE + MPG_MAX_SHAPES /* off-CPU time of the next event */
};

struct mpg_chunk {
    enum mpg_chunk_kind kind;
    uint32_t rank, ranks, flags, events, raw_bytes, stored_bytes;
    uint32_t thread, columns;
    uint32_t run;      /* equal in all chunks of a stream and in its segment */
    uint64_t sequence; /* 0, 1, ... in each stream */
    int64_t first_ns;  /* leave of the last event before the chunk, on the rank's clock */
};

/* Returns whether a chunk of events with RAW bytes may be compressed to STORED bytes. The limit bounds a reader's
 * memory and time by the file size; events of real programs compress less. */
static inline bool mpg_chunk_may_pack(size_t raw, size_t stored)
{
    return raw <= MPG_CHUNK_FREE_BYTES + (size_t)MPG_CHUNK_MAX_RATIO * stored;
}

/* Writes the 64 bytes of HEADER. The CRC covers header and PAYLOAD; for segments and open profiles the header only,
 * and PAYLOAD may be NULL. */
void mpg_chunk_pack(const struct mpg_chunk *chunk, const void *payload, uint8_t *header);
/* Reads and checks HEADER. Returns 0, or -1 with ERR. */
int mpg_chunk_unpack(const uint8_t *header, struct mpg_chunk *chunk, struct mpg_error *err);
/* Returns the CRC-32 of a chunk, computed without the bytes of the CRC itself. */
uint32_t mpg_chunk_checksum(const uint8_t *header, const struct mpg_chunk *chunk,
                            const void *payload);
/* Returns whether the CRC in HEADER fits HEADER and PAYLOAD (NULL for segments). */
bool mpg_chunk_check(const uint8_t *header, const struct mpg_chunk *chunk, const void *payload);

#endif
