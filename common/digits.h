/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal digits of files with many numbers, in a fraction of strtoll()'s time. */
#ifndef MPG_DIGITS_H
#define MPG_DIGITS_H

#include <stdint.h>

/* Reads the digits at TEXT, up to 18, into *VALUE. Returns the end of the digits; TEXT: there are none, or more than 18. */
static inline const char *mpg_digits(const char *text, int64_t *value)
{
    const char *p = text;
    uint64_t number = 0; /* overflows only if there are more than 18 digits */
    for (unsigned digit; (digit = (unsigned)*p - '0') <= 9; p++)
        number = 10 * number + digit;
    if (p - text > 18) /* the number may not fit */
        return text;
    *value = (int64_t)number;
    return p;
}

#endif
