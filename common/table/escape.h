/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts and numbers as the formats of tables have them, one function for each format: JSON (RFC 8259), CSV (RFC 4180), HTML,
 * gnuplot. A text may come from a file: but for mpg_json_write_text() and a gnuplot script's, which is printable already, all
 * of it is first made fit as common/printable.h has it, so that a byte that is no UTF-8 is \xff in every format, and nothing
 * is lost. The stream's error flag tells whether writing failed. Thread-safe. */
#ifndef MPG_TABLE_ESCAPE_H
#define MPG_TABLE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* TEXT as a string. */
void mpg_json_write_string(FILE *stream, const char *text);
/* The first BYTES of TEXT likewise. */
void mpg_json_write_part(FILE *stream, const char *text, size_t bytes);
/* BYTES of TEXT, whole and as they are, lines and all, as a string: control characters escaped, each byte that is no UTF-8 as
 * U+FFFD. */
void mpg_json_write_text(FILE *stream, const char *text, size_t bytes);
/* VALUE, exactly; what is no number as null. */
void mpg_json_write_number(FILE *stream, double value);
/* VALUE in the fewest digits that read back as the same double; what is no number as null. */
void mpg_json_write_shortest(FILE *stream, double value);
/* VALUE, exactly, as jansson writes real numbers: 1e20, and with POINT, which jansson has in any case, 2.0. */
void mpg_json_write_real(FILE *stream, double value, bool point);
/* TEXT as a field: quoted where it has to be, with a ' before it where a spreadsheet would take it for a formula (it begins
 * with = + - or @, and is no number). */
void mpg_csv_write_string(FILE *stream, const char *text);
/* The same, quoted in any case. */
void mpg_csv_write_quoted(FILE *stream, const char *text);
/* TEXT as the content of an element: lines stay. */
void mpg_html_write_text(FILE *stream, const char *text);
/* JSON as the content of a script element, which nothing in it ends: < > and & stand in its strings alone. */
void mpg_html_write_json(FILE *stream, const char *json);
/* TEXT, which is printable, as a quoted string. */
void mpg_gnuplot_write_string(FILE *stream, const char *text);

#endif
