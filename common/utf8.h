/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in UTF-8, as files hold it. Thread-safe. */
#ifndef MPG_UTF8_H
#define MPG_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of any text (a name, a fact's key or value) that a file may hold at most. */
enum { MPG_LINE_MAX_BYTES = 4096 };

/* How many bytes the character at P, of at most LEFT >= 1 bytes, has, and *CODE, which it
 * is; 0 if there is none: cut off, overlong, a surrogate, above U+10FFFF. (RFC 3629) */
size_t mpg_utf8_decode(const unsigned char *p, size_t left, uint32_t *code);

/* Whether TEXT is one line of UTF-8: no control character below U+0020 but tabs. */
bool mpg_text_is_line(const char *text);

#endif
