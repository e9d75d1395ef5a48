/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a text line by line, in bounded memory. Not thread-safe. */
#ifndef MPG_LINE_READER_H
#define MPG_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/error.h"

struct mpg_line_reader;

/* Begins to read FILE, which the caller keeps and closes after mpg_line_reader_free(). Returns NULL if out of memory. */
struct mpg_line_reader *mpg_line_reader_new(FILE *file);

/* Reads the next line to *LINE: *BYTES bytes with line end, if present, and a terminating 0; valid until the next call, may be
 * changed. Returns 1; 0 at the end of the file or after a read error (ferror(3) tells); -1 with ERR: a line of more than 64 MiB,
 * out of memory. */
int mpg_line_reader_next(struct mpg_line_reader *lines, char **line, size_t *bytes, struct mpg_error *err);

/* Returns whether the line read last has BYTE, one of '\0', '\r', '/' and '-'. To be called before the line is changed. */
bool mpg_line_reader_has(const struct mpg_line_reader *lines, char byte);

/* Ends the line read last, which has no zero byte, before its first line feed or carriage return. */
void mpg_line_reader_chomp(const struct mpg_line_reader *lines);

/* Returns the number of lines read. */
unsigned long mpg_line_reader_number(const struct mpg_line_reader *lines);

void mpg_line_reader_free(struct mpg_line_reader *lines); /* NULL is allowed */

#endif
