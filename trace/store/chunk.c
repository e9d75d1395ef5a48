/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes chunk headers as little-endian bytes, and reads and checks them. */
#include "trace/store/chunk.h"

#include <string.h>
#include <zlib.h>

static const uint8_t magic[8] = {'M', 'P', 'G', 'T', 'R', 'C', 'E', '\n'};

enum { THREAD_OFFSET = 52, COLUMNS_OFFSET = 54, CRC_OFFSET = MPG_CHUNK_CRC_OFFSET, RUN_OFFSET = 60 };

static void put(uint8_t *p, int bytes, uint64_t v)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t get(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* Returns whether the checksum covers the payload. False for segments and open profiles, whose content in mapped memory
 * changes. */
static bool is_checked(const struct mpg_chunk *chunk)
{
    return chunk->kind == MPG_CHUNK_PROFILE ? (chunk->flags & MPG_CHUNK_CLOSED) != 0
                                            : chunk->kind != MPG_CHUNK_SEGMENT;
}

uint32_t mpg_chunk_checksum(const uint8_t *header, const struct mpg_chunk *chunk,
                            const void *payload)
{
    uLong crc = crc32(0, header, CRC_OFFSET);
    crc = crc32(crc, header + RUN_OFFSET, MPG_CHUNK_HEADER_BYTES - RUN_OFFSET);
    if (is_checked(chunk))
        crc = crc32_z(crc, payload, chunk->stored_bytes);
    return (uint32_t)crc;
}

void mpg_chunk_pack(const struct mpg_chunk *chunk, const void *payload, uint8_t *header)
{
    memset(header, 0, MPG_CHUNK_HEADER_BYTES);
    memcpy(header, magic, sizeof magic);
    put(header + 8, 2, MPG_CHUNK_VERSION);
    put(header + 10, 2, chunk->kind);
    put(header + 12, 4, chunk->rank);
    put(header + 16, 4, chunk->ranks);
    put(header + 20, 4, chunk->flags);
    put(header + 24, 8, chunk->sequence);
    put(header + 32, 8, (uint64_t)chunk->first_ns);
    put(header + 40, 4, chunk->events);
    put(header + 44, 4, chunk->raw_bytes);
    put(header + 48, 4, chunk->stored_bytes);
    put(header + THREAD_OFFSET, 2, chunk->thread);
    put(header + COLUMNS_OFFSET, 2, chunk->columns);
    put(header + RUN_OFFSET, 4, chunk->run);
    put(header + CRC_OFFSET, 4, mpg_chunk_checksum(header, chunk, payload));
}

int mpg_chunk_unpack(const uint8_t *header, struct mpg_chunk *chunk, struct mpg_error *err)
{
    if (memcmp(header, magic, sizeof magic) != 0)
        return mpg_error_set(err, "not a chunk of an mpgkit trace");
    unsigned version = (unsigned)get(header + 8, 2);
    if (version < MPG_CHUNK_OLDEST || version > MPG_CHUNK_VERSION)
        return mpg_error_set(err, "trace format version %u, this mpgkit reads versions %d to %d: "
                             "use the mpgkit that wrote it", version, MPG_CHUNK_OLDEST,
                             MPG_CHUNK_VERSION);
    unsigned kind = (unsigned)get(header + 10, 2);
    *chunk = (struct mpg_chunk){
        .kind = (enum mpg_chunk_kind)kind,
        .rank = (uint32_t)get(header + 12, 4),
        .ranks = (uint32_t)get(header + 16, 4),
        .flags = (uint32_t)get(header + 20, 4),
        .sequence = get(header + 24, 8),
        .first_ns = (int64_t)get(header + 32, 8),
        .events = (uint32_t)get(header + 40, 4),
        .raw_bytes = (uint32_t)get(header + 44, 4),
        .stored_bytes = (uint32_t)get(header + 48, 4),
        .thread = (uint32_t)get(header + THREAD_OFFSET, 2),
        .columns = (uint32_t)get(header + COLUMNS_OFFSET, 2),
        .run = (uint32_t)get(header + RUN_OFFSET, 4),
    };
    bool has_columns = kind == MPG_CHUNK_EVENTS || kind == MPG_CHUNK_SEGMENT;
    if (kind < MPG_CHUNK_EVENTS || kind > MPG_CHUNK_PROFILE || chunk->ranks == 0 ||
        chunk->ranks > MPG_CHUNK_MAX_RANKS || chunk->rank >= chunk->ranks ||
        chunk->raw_bytes > MPG_CHUNK_MAX_BYTES || chunk->stored_bytes > MPG_CHUNK_MAX_BYTES ||
        (has_columns && (chunk->columns < MPG_COLUMN_VALUES ||
                         chunk->columns > MPG_COLUMN_VALUES + MPG_TRACE_MAX_VALUES)))
        return mpg_error_set(err, "damaged chunk header");
    if (kind == MPG_CHUNK_EVENTS && !mpg_chunk_may_pack(chunk->raw_bytes, chunk->stored_bytes))
        return mpg_error_set(err, "damaged chunk header: %u bytes packed into %u",
                             chunk->raw_bytes, chunk->stored_bytes);
    return 0;
}
