/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Escapes text from files before printing: no content of a file can control the terminal.
 *
 * Printable UTF-8 characters stay unchanged. Escaped are: control characters (C0, DEL, C1); bidirectional marks (U+061C,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), which can hide text; line and paragraph separators (U+2028, U+2029);
 * invalid UTF-8. A tab becomes a blank, because MPICH's version string has a tab. The escapes are \n, \x1b for one byte,
 * \u009b for a multi-byte character. A backslash stays unchanged: the output is for people, not for reading back. All
 * functions are thread-safe. */
#ifndef MPG_PRINTABLE_H
#define MPG_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns true if TEXT needs no escapes. */
bool mpg_printable_is(const char *text);

/* Writes the escaped TEXT into BUF of SIZE >= 1 bytes and returns BUF. Cuts before the first character that does not fit. */
char *mpg_printable(char *buf, size_t size, const char *text);

/* Like mpg_printable(), for LENGTH bytes without terminator. A zero byte becomes \x00. */
char *mpg_printable_bytes(char *buf, size_t size, const void *bytes, size_t length);

/* Escapes the character at P of at most LEFT >= 1 bytes. Sets *SHOWN and *LENGTH to the printable form, which lies at P or in
 * ESCAPE of MPG_PRINTABLE_ESCAPE bytes. Returns the number of bytes consumed, at least 1. For writers of file formats. */
enum { MPG_PRINTABLE_ESCAPE = 12 };
size_t mpg_printable_next(const unsigned char *p, size_t left, char *escape, const char **shown, size_t *length);

/* Writes the escaped TEXT to STREAM. The stream's error flag reports write errors. */
void mpg_printable_put(FILE *stream, const char *text);
/* Like mpg_printable_put(), for LENGTH bytes. */
void mpg_printable_put_bytes(FILE *stream, const void *bytes, size_t length);
/* Like mpg_printable_put_bytes(), but keeps line ends. */
void mpg_printable_put_lines(FILE *stream, const void *bytes, size_t length);
/* Prints a message of at most MPG_PRINTABLE_MESSAGE bytes to standard error, like fprintf(3). Escapes the message but keeps
 * line ends. */
void mpg_printable_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum { MPG_PRINTABLE_MESSAGE = 4096 };
/* Like mpg_printable_print_error(), to STREAM. */
void mpg_printable_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
