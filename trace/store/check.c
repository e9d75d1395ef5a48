/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks a chunk's checksum. A separate file, because fuzzers are linked without the check, which modified input would never
 * pass. */
#include "trace/store/chunk.h"

bool mpg_chunk_check(const uint8_t *header, const struct mpg_chunk *chunk, const void *payload)
{
    uint32_t stored = 0;
    for (int i = 0; i < 4; i++)
        stored |= (uint32_t)header[MPG_CHUNK_CRC_OFFSET + i] << (8 * i);
    return stored == mpg_chunk_checksum(header, chunk, payload);
}
