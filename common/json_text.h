/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings and numbers as JSON and CSV have them (RFC 8259, RFC 4180), for tables too plain for a library. The
 * stream's error flag tells whether writing failed. Thread-safe. */
#ifndef MPG_JSON_TEXT_H
#define MPG_JSON_TEXT_H

#include <stdio.h>

/* TEXT, which a file may have said, as a string: first made fit as common/printable.h has it. */
void mpg_json_write_string(FILE *stream, const char *text);
/* BYTES of TEXT, whole and as they are, lines and all, as a string: control characters escaped, each byte that is no UTF-8 as
 * U+FFFD. */
void mpg_json_write_text(FILE *stream, const char *text, size_t bytes);
/* VALUE, exactly; what is no number as null. */
void mpg_json_write_number(FILE *stream, double value);
/* TEXT, made fit likewise, as a field: quoted where it has to be, with a ' before it where a spreadsheet would take it for a
 * formula (it begins with = + - or @, and is no number). */
void mpg_csv_write_string(FILE *stream, const char *text);

#endif
