/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strict UTF-8 decoding. */
#include "common/utf8.h"

#include <string.h>

size_t mpg_utf8_decode(const unsigned char *p, size_t left, uint32_t *code)
{
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    *code = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < min[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

bool mpg_text_is_line(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t code = 0;
    for (size_t left = strlen(text), n; left > 0; p += n, left -= n)
        if ((n = mpg_utf8_decode(p, left, &code)) == 0 || (code < ' ' && code != '\t'))
            return false;
    return true;
}
