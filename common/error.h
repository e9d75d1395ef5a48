/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: the first detector fills a struct mpg_error, callers pass it up.
 *
 * Contract of every function in mpgkit that takes a struct mpg_error *: it
 * returns 0 or a valid pointer on success; on failure it returns -1 or NULL,
 * has filled the error with one line of text (no newline, no program name) and
 * has had no side effects. Libraries never print and never exit. */
#ifndef MPG_ERROR_H
#define MPG_ERROR_H

#include <stdbool.h>

#define MPG_ERROR_SIZE 1024

/* Process exit statuses of every mpgkit program. */
enum { MPG_EXIT_OK = 0, MPG_EXIT_FAILURE = 1, MPG_EXIT_USAGE = 2 };

struct mpg_error {
    char text[MPG_ERROR_SIZE];
};

/* Fills ERR (which may be NULL) from a printf format; always returns -1. */
int mpg_error_set(struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* As mpg_error_set, followed by ": " and strerror(ERRNUM); always returns -1. */
int mpg_error_errno(struct mpg_error *err, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts a printf-formatted context in front of ERR's text ("context: text");
 * always returns -1. */
int mpg_error_prefix(struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether TEXT begins with PATH, or a file in it, as "PATH: ..." and "PATH/FILE: ..." do. */
bool mpg_error_is_about(const char *text, const char *path);

/* Prints "PROGRAM: text" and a newline to standard error, what a terminal would obey
 * written out (common/printable.h). For main() only. */
void mpg_error_print(const char *program, const struct mpg_error *err);

#endif
