/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packs numbers: LEB128 (as in DWARF 5, section 7.6), then zstd (RFC 8878), then base64. */
#include "signature/file/pack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/base64.h"

enum { NUMBER_BYTES = 8 }; /* longest LEB128 number: 53 bits, 7 in each byte */

size_t mpg_pack_bytes(const char *text)
{
    return mpg_base64_bytes(text);
}

char *mpg_pack(const uint64_t *number, size_t n, int level, struct mpg_error *err)
{
    uint8_t *raw = malloc(n * NUMBER_BYTES + 1), *p = raw, *frame = NULL;
    char *text = NULL;
    if (!raw)
        goto no_memory;
    for (size_t i = 0; i < n; i++) {
        uint64_t left = number[i];
        if (left >= MPG_PACK_LIMIT) {
            mpg_error_set(err, "number %zu is too large to be packed", i);
            goto out;
        }
        for (; left >= 0x80; left >>= 7)
            *p++ = (uint8_t)(left | 0x80);
        *p++ = (uint8_t)left;
    }
    size_t used = (size_t)(p - raw), room = ZSTD_compressBound(used);
    if (!(frame = malloc(room)))
        goto no_memory;
    size_t size = ZSTD_compress(frame, room, raw, used, level);
    if (ZSTD_isError(size) || !(text = mpg_base64_encode(frame, size)))
        goto no_memory;
    goto out;
no_memory:
    mpg_error_set(err, "out of memory for %zu numbers", n);
out:
    free(frame);
    free(raw);
    return text;
}

/* Decompresses FRAME of PACKED bytes, which holds N LEB128 numbers. Returns *SIZE bytes for the caller to free; NULL
 * with ERR. */
static uint8_t *decompress(const uint8_t *frame, size_t packed, size_t n, size_t *size,
                           struct mpg_error *err)
{
    unsigned long long raw_size = ZSTD_getFrameContentSize(frame, packed);
    uint8_t *raw = NULL;
    if (raw_size == ZSTD_CONTENTSIZE_ERROR || raw_size == ZSTD_CONTENTSIZE_UNKNOWN)
        mpg_error_set(err, "no zstd frame that says its size");
    else if (raw_size < n || raw_size > (unsigned long long)n * NUMBER_BYTES)
        mpg_error_set(err, "%llu bytes cannot be %zu numbers", raw_size, n);
    else if (ZSTD_findFrameCompressedSize(frame, packed) != packed)
        mpg_error_set(err, "not one whole zstd frame");
    else if (!(raw = malloc((size_t)raw_size + 1)))
        mpg_error_set(err, "out of memory for %llu bytes", raw_size);
    else if (ZSTD_decompress(raw, (size_t)raw_size, frame, packed) != raw_size) {
        mpg_error_set(err, "damaged zstd frame");
        free(raw);
        raw = NULL;
    }
    *size = (size_t)raw_size;
    return raw;
}

/* Reads the LEB128 number at *P, before END, and advances *P. Returns MPG_PACK_LIMIT if there is no valid number. */
static uint64_t next_number(const uint8_t **p, const uint8_t *end)
{
    uint64_t number = 0;
    for (unsigned shift = 0; *p < end && shift < 7 * NUMBER_BYTES; shift += 7) {
        uint8_t byte = *(*p)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) /* a last byte of 0 adds nothing, and each number shall have a unique encoding */
            return byte == 0 && shift > 0 ? MPG_PACK_LIMIT : number;
    }
    return MPG_PACK_LIMIT;
}

uint64_t *mpg_unpack(const char *text, size_t n, struct mpg_error *err)
{
    size_t packed = mpg_pack_bytes(text), size = 0, done = 0;
    if (packed == 0) {
        mpg_error_set(err, "no base64");
        return NULL;
    }
    uint8_t *frame = mpg_base64_decode(text, packed, err);
    uint8_t *raw = frame ? decompress(frame, packed, n, &size, err) : NULL;
    uint64_t *number = NULL;
    free(frame);
    if (!raw)
        return NULL;
    const uint8_t *p = raw;
    if (!(number = malloc((n + 1) * sizeof *number)))
        mpg_error_set(err, "out of memory for %zu numbers", n);
    while (number && done < n && (number[done] = next_number(&p, raw + size)) < MPG_PACK_LIMIT)
        done++;
    if (number && (done < n || p != raw + size)) {
        if (done < n)
            mpg_error_set(err, "number %zu of %zu is not there or none", done, n);
        else
            mpg_error_set(err, "more than %zu numbers", n);
        free(number);
        number = NULL;
    }
    free(raw);
    return number;
}
