/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole numbers as compact text: unsigned LEB128, compressed by zstd, in base64 (mpgsig(5), "Packed numbers"). */
#ifndef MPG_SIGNATURE_PACK_H
#define MPG_SIGNATURE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Packed numbers are smaller, so that a double holds each exactly. */
#define MPG_PACK_LIMIT (UINT64_C(1) << 53)

/* zstd levels: for drafts, and for the final file. */
enum { MPG_PACK_FAST = 1, MPG_PACK_WELL = 12 };

/* Returns N numbers below MPG_PACK_LIMIT as a text, which the caller frees. Errors: a number too large, out of memory. */
char *mpg_pack(const uint64_t *number, size_t n, int level, struct mpg_error *err);

/* Returns the number of compressed bytes in TEXT; 0: not base64. */
size_t mpg_pack_bytes(const char *text);

/* Returns the N numbers of TEXT, in memory that the caller frees. Memory use is bounded by N numbers and their bytes. Errors:
 * not base64; not a single zstd frame with its size; a size impossible for N numbers; damage; fewer or more than N numbers; a
 * number too large or longer than necessary; out of memory. */
uint64_t *mpg_unpack(const char *text, size_t n, struct mpg_error *err);

#endif
