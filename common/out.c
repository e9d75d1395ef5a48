/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/out.h"

#include <string.h>

/* The numbers from 0 to 99, two digits each: a division yields two digits. */
#define TENS(ten) #ten "0" #ten "1" #ten "2" #ten "3" #ten "4" #ten "5" #ten "6" #ten "7" #ten "8" #ten "9"
static const char pairs[] = TENS(0) TENS(1) TENS(2) TENS(3) TENS(4) TENS(5) TENS(6) TENS(7) TENS(8) TENS(9);

int mpg_out_flush(struct mpg_out *o)
{
    const size_t n = o->n;
    o->n = 0;
    return n == 0 || fwrite(o->bytes, 1, n, o->file) == n ? 0 : -1;
}

/* Returns the number of decimal digits of VALUE. */
static inline size_t count_digits(uint64_t value)
{
    static const uint64_t powers[] = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
                                      100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
                                      10000000000000000, 100000000000000000, 1000000000000000000, 10000000000000000000u};
    const unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1), about = bits * 1233 >> 12; /* bits times log10(2) */
    return about + (value >= powers[about]);
}

void mpg_out_number(struct mpg_out *o, int64_t value)
{
    if (o->n >= MPG_OUT_BYTES)
        (void)mpg_out_flush(o);
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char *p = o->bytes + o->n;
    if (value < 0)
        *p++ = '-';
    p += count_digits(rest); /* digits are written from the last to the first */
    o->n = (size_t)(p - o->bytes);
    for (; rest >= 10000; rest /= 10000) { /* two divisions by 100 are independent */
        const unsigned four = (unsigned)(rest % 10000);
        p -= 4;
        memcpy(p, pairs + 2 * (four / 100), 2);
        memcpy(p + 2, pairs + 2 * (four % 100), 2);
    }
    unsigned last = (unsigned)rest;
    if (last >= 100) {
        p -= 2;
        memcpy(p, pairs + 2 * (last % 100), 2);
        last /= 100;
    }
    if (last >= 10)
        memcpy(p - 2, pairs + 2 * last, 2);
    else
        p[-1] = (char)('0' + last);
}
