/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal digits of files with many numbers, in a fraction of strtoll()'s time. */
#ifndef MPG_DIGITS_H
#define MPG_DIGITS_H

#include <stdint.h>

/* Reads the digits at TEXT, up to 18, into *VALUE. Returns the end of the digits; TEXT: there are none, or more than 18. */
static inline const char *mpg_digits(const char *text, int64_t *value)
{
    const char *p = text;
    int64_t number = 0;
    while (*p >= '0' && *p <= '9' && p - text < 18)
        number = 10 * number + (*p++ - '0');
    if (*p >= '0' && *p <= '9') /* the number may not fit */
        return text;
    *value = number;
    return p;
}

#endif
