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

void mpg_out_number(struct mpg_out *o, int64_t value)
{
    char digits[2 * MPG_OUT_WORD_BYTES], *p = digits + MPG_OUT_WORD_BYTES, *const end = p;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (; rest >= 100; rest /= 100) {
        p -= 2;
        memcpy(p, pairs + 2 * (rest % 100), 2);
    }
    if (rest >= 10) {
        p -= 2;
        memcpy(p, pairs + 2 * rest, 2);
    } else
        *--p = (char)('0' + rest);
    if (value < 0)
        *--p = '-';
    mpg_out_word(o, p, (size_t)(end - p));
}
