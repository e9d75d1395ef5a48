/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compact text form of whole numbers: unsigned LEB128, compressed by zstd, as base64 (mpgsig(5), "Packed
 * numbers"). */
#ifndef MPG_SIGNATURE_PACK_H
#define MPG_SIGNATURE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Packed numbers are below this limit, so that a double represents them exactly. */
#define MPG_PACK_LIMIT (UINT64_C(1) << 53)

/* Levels of zstd's compression: for intermediate and for final results. */
enum { MPG_PACK_FAST = 1, MPG_PACK_WELL = 12 };

/* Packs N numbers below MPG_PACK_LIMIT. Returns a text for the caller to free, or NULL with ERR: number too large,
 * out of memory. */
char *mpg_pack(const uint64_t *number, size_t n, int level, struct mpg_error *err);

/* Returns the number of compressed bytes that TEXT encodes; 0: not base64. */
size_t mpg_pack_bytes(const char *text);

/* Unpacks the N numbers of TEXT into an array for the caller to free. Memory is limited by N. Returns NULL with
 * ERR: not base64, not a single zstd frame with a size, size impossible for N numbers, damage, another number of
 * numbers, a number too large or longer than necessary, out of memory. */
uint64_t *mpg_unpack(const char *text, size_t n, struct mpg_error *err);

#endif
