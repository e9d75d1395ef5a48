/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes texts and numbers for JSON (RFC 8259), CSV (RFC 4180), HTML and gnuplot. Texts may come from a file: all functions
 * except mpg_json_write_text() and mpg_gnuplot_write_string() (its text is printable already) first escape the text by the
 * rules of common/printable.h. An invalid UTF-8 byte becomes \xff in every format; no content is lost. The stream's error
 * flag reports write errors. Thread-safe. */
#ifndef MPG_TABLE_ESCAPE_H
#define MPG_TABLE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes TEXT as a JSON string. */
void mpg_json_write_string(FILE *stream, const char *text);
/* Writes the first BYTES bytes of TEXT as a JSON string. */
void mpg_json_write_part(FILE *stream, const char *text, size_t bytes);
/* Writes BYTES bytes of TEXT unchanged, including line ends, as a JSON string: escapes only control characters, quotes and
 * backslashes; each invalid UTF-8 byte becomes U+FFFD. */
void mpg_json_write_text(FILE *stream, const char *text, size_t bytes);
/* Writes VALUE exactly (17 digits); null for NaN and infinity. */
void mpg_json_write_number(FILE *stream, double value);
/* Writes VALUE in the fewest digits that read back as the same double; null for NaN and infinity. */
void mpg_json_write_shortest(FILE *stream, double value);
/* Writes VALUE exactly, in jansson's format of real numbers: 1e20, and with POINT, as jansson always does, 2.0. */
void mpg_json_write_real(FILE *stream, double value, bool point);
/* Writes TEXT as a CSV field, quoted if necessary. Prepends ' if a spreadsheet would interpret TEXT as a formula (= + - or @
 * at the start, and not a number). */
void mpg_csv_write_string(FILE *stream, const char *text);
/* Like mpg_csv_write_string(), always quoted. */
void mpg_csv_write_quoted(FILE *stream, const char *text);
/* Writes TEXT as the content of an HTML element; keeps line ends. */
void mpg_html_write_text(FILE *stream, const char *text);
/* Writes JSON as the content of an HTML script element. Escapes < > and &, which occur only in JSON strings: the content
 * cannot end the element. */
void mpg_html_write_json(FILE *stream, const char *json);
/* Writes TEXT, which is printable, as a quoted gnuplot string. */
void mpg_gnuplot_write_string(FILE *stream, const char *text);

#endif
