/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Base64 encoding of bytes (RFC 4648, section 4), with padding. */
#ifndef MPG_BASE64_H
#define MPG_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Returns the base64 text of the N bytes BYTES, to be freed by the caller; NULL if out of memory. */
char *mpg_base64_encode(const uint8_t *bytes, size_t n);
/* Returns the number of bytes encoded by TEXT, computed from TEXT's length and padding; 0 if the length or padding is not valid
 * base64. */
size_t mpg_base64_bytes(const char *text);
/* Returns the N decoded bytes of TEXT, to be freed by the caller. N > 0 is the result of mpg_base64_bytes(). Errors: a
 * character outside the base64 alphabet, out of memory. */
uint8_t *mpg_base64_decode(const char *text, size_t n, struct mpg_error *err);

#endif
