/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes as text and back: base64 (RFC 4648, section 4), padded. */
#ifndef MPG_BASE64_H
#define MPG_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The N bytes BYTES as text, which the caller frees; NULL: out of memory. */
char *mpg_base64_encode(const uint8_t *bytes, size_t n);
/* How many bytes TEXT stands for, going by its length and padding; 0 if by these it cannot
 * be base64. */
size_t mpg_base64_bytes(const char *text);
/* The N bytes of TEXT, N as mpg_base64_bytes() said and > 0, which the caller frees. Errors: a
 * character that is none of base64's, out of memory. */
uint8_t *mpg_base64_decode(const char *text, size_t n, struct mpg_error *err);

#endif
