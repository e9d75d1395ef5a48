/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TAP for unit tests in C: ok() for each check, done() at the end of main(). */
#ifndef MPG_TAP_H
#define MPG_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* Prints one test point, named by a printf format. Returns COND. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool cond, const char *format, ...)
{
    va_list args;
    printf("%sok %d - ", cond ? "" : "not ", ++tap_count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    tap_failed += !cond;
    return cond;
}

/* Prints the plan. Returns the exit status for main(). */
static inline int done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
