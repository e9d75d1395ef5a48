/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text from files, made fit for people's eyes: nothing that a file says may command the
 * terminal that shows it.
 *
 * Shown as they are: printable characters of UTF-8. Written out instead: control
 * characters (C0, DEL, C1), which terminals obey; the marks that turn the direction of
 * writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), which hide what a
 * line says; separators of lines and paragraphs (U+2028, U+2029); bytes that are no UTF-8.
 * A tab becomes a blank, as MPICH's version has one; the others \n, \x1b for one byte, \u009b for a character of several. A
 * backslash stays as it is: this is for reading, not for reading back. All functions are thread-safe. */
#ifndef MPG_PRINTABLE_H
#define MPG_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether all of TEXT is shown as it is. */
bool mpg_printable_is(const char *text);

/* TEXT, made fit, in BUF of SIZE >= 1 bytes, which it returns; cut before the first
 * character that does not fit as a whole. */
char *mpg_printable(char *buf, size_t size, const char *text);

/* The same for LENGTH bytes that need not be terminated; a zero byte is shown as \x00. */
char *mpg_printable_bytes(char *buf, size_t size, const void *bytes, size_t length);

/* How the character at P, of at most LEFT >= 1 bytes, is shown: *SHOWN, of *LENGTH bytes, which is at P itself or in ESCAPE
 * of MPG_PRINTABLE_ESCAPE bytes. Returns how many bytes of P that is about, at least 1. For those who write a format. */
enum { MPG_PRINTABLE_ESCAPE = 12 };
size_t mpg_printable_next(const unsigned char *p, size_t left, char *escape, const char **shown, size_t *length);

/* Writes TEXT, made fit, to STREAM, whose error flag tells whether that failed. */
void mpg_printable_put(FILE *stream, const char *text);
/* The same for LENGTH bytes. */
void mpg_printable_put_bytes(FILE *stream, const void *bytes, size_t length);
/* The same, whose line ends are those of a text and stay. */
void mpg_printable_put_lines(FILE *stream, const void *bytes, size_t length);
/* A message of a program, of at most MPG_PRINTABLE_MESSAGE bytes, to standard error: as fprintf(3), with what is not fit
 * written out, and line ends staying. */
void mpg_printable_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum { MPG_PRINTABLE_MESSAGE = 4096 };

#endif
