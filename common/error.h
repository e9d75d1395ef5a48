/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: the first function to detect an error fills a struct mpg_error, and callers pass the error up.
 *
 * Contract of every mpgkit function with a parameter struct mpg_error *: returns 0 or a valid pointer on success. On failure the
 * function returns -1 or NULL, has filled the error with one line of text (no newline, no program name) and has no side effects.
 * Libraries never print and never exit. */
#ifndef MPG_ERROR_H
#define MPG_ERROR_H

#include <stdbool.h>

#define MPG_ERROR_SIZE 1024

/* The exit statuses of all mpgkit programs. */
enum { MPG_EXIT_OK = 0, MPG_EXIT_FAILURE = 1, MPG_EXIT_USAGE = 2 };

struct mpg_error {
    char text[MPG_ERROR_SIZE];
};

/* Fills ERR (may be NULL) from a printf format. Always returns -1. */
int mpg_error_set(struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fills ERR (may be NULL) from a printf format, followed by ": " and strerror(ERRNUM). Always returns -1. */
int mpg_error_errno(struct mpg_error *err, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepends a printf-formatted context to ERR's text ("context: text"). Always returns -1. */
int mpg_error_prefix(struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns true if TEXT begins with PATH or with a file in PATH: "PATH: ..." or "PATH/FILE: ...". */
bool mpg_error_is_about(const char *text, const char *path);

/* Prints "PROGRAM: text" and a newline to standard error. Control characters are escaped (common/printable.h). For main()
 * only. */
void mpg_error_print(const char *program, const struct mpg_error *err);

#endif
