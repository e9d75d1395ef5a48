/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 text in files. Thread-safe. */
#ifndef MPG_UTF8_H
#define MPG_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest number of bytes of a text (a name, a fact's key or value) in a file. */
enum { MPG_LINE_MAX_BYTES = 4096 };

/* Decodes the character at P of at most LEFT >= 1 bytes into *CODE. Returns the character's length in bytes; 0 if invalid:
 * truncated, overlong, a surrogate, above U+10FFFF (RFC 3629). */
size_t mpg_utf8_decode(const unsigned char *p, size_t left, uint32_t *code);

/* Returns true if TEXT is one line of UTF-8 without control characters below U+0020 except tabs. */
bool mpg_text_is_line(const char *text);

#endif
