/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole numbers in little text: unsigned LEB128, compressed by zstd, as base64
 * (mpgsig(5), "Packed numbers"). */
#ifndef MPG_SIGNATURE_PACK_H
#define MPG_SIGNATURE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* A packed number is below this, so that a double holds it. */
#define MPG_PACK_LIMIT (UINT64_C(1) << 53)

/* How hard to look for what repeats: while making, and at the end. */
enum { MPG_PACK_FAST = 1, MPG_PACK_WELL = 12 };

/* N numbers below MPG_PACK_LIMIT as a text, which the caller frees. Errors: a number that
 * is too large, out of memory. */
char *mpg_pack(const uint64_t *number, size_t n, int level, struct mpg_error *err);

/* How many bytes TEXT stands for before they are decompressed; 0 if it is no base64. */
size_t mpg_pack_bytes(const char *text);

/* The numbers of TEXT, which must be N, in memory that the caller frees. Takes no more
 * memory than N numbers and their bytes need. Errors: no base64, no single zstd frame that
 * says its size, another size than N numbers can have, damage, other than N numbers, a
 * number that is too large or longer than it must be, out of memory. */
uint64_t *mpg_unpack(const char *text, size_t n, struct mpg_error *err);

#endif
