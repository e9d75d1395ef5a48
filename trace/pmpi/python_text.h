/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings and line tables in CPython 3.11's memory layout. */
#ifndef MPG_PYTHON_TEXT_H
#define MPG_PYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the line of instruction NUMBER in a function that begins in line FIRST, from the function's line table of SIZE bytes
 * (Objects/locations.md); FIRST if the instruction has no line. */
int32_t python_text_line(const uint8_t *table, size_t size, int32_t first, size_t number);

/* Writes the str object STRING as UTF-8 to TEXT of SIZE bytes, cut to fit. Replaces characters in WITHOUT, line ends and
 * NUL by question marks. Returns the bytes written, without the final NUL. */
size_t python_text_name(char *text, size_t size, const void *string, const char *without);

/* Returns a hash of the SIZE bytes of DATA: data with equal hashes are equal, most probably. */
uint64_t python_text_sum(const void *data, size_t size);

/* Returns the hash stored in STRING, or, if CPython has not computed a hash yet (as for file names), a hash of the characters:
 * equal for equal strings. 0 for NULL. */
uint64_t python_text_hash(const void *string);

#endif
