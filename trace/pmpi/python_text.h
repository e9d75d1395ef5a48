/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings and tables of lines as CPython 3.11 has them in memory. */
#ifndef MPG_PYTHON_TEXT_H
#define MPG_PYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The line of instruction NUMBER of a function that begins in line FIRST, by its table of SIZE
 * bytes (Objects/locations.md): FIRST if it has none. */
int32_t python_text_line(const uint8_t *table, size_t size, int32_t first, size_t number);

/* The str object STRING as UTF-8 into TEXT of SIZE bytes, as much as there is room for; a
 * question mark for what is in WITHOUT, for line ends and for NUL. The bytes written, without the
 * NUL at the end. */
size_t python_text_name(char *text, size_t size, const void *string, const char *without);

/* Of the SIZE bytes of DATA: where it is the same they are, most probably. */
uint64_t python_text_sum(const void *data, size_t size);

/* The hash that STRING has, or where nobody has asked it for one yet, as of a file's name, a sum of its characters: strings
 * of the same are the same. 0 of NULL. */
uint64_t python_text_hash(const void *string);

#endif
