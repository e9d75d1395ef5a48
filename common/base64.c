/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base64.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *mpg_base64_encode(const uint8_t *bytes, size_t n)
{
    char *text = malloc((n + 2) / 3 * 4 + 1), *p = text;
    for (size_t i = 0; text && i < n; i += 3) {
        size_t left = n - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        *p++ = digits[three >> 18];
        *p++ = digits[three >> 12 & 63];
        *p++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *p++ = left > 2 ? digits[three & 63] : '=';
    }
    if (text)
        *p = '\0';
    return text;
}

size_t mpg_base64_bytes(const char *text)
{
    size_t n = strlen(text), padding = 0;
    while (padding < 2 && padding < n && text[n - 1 - padding] == '=')
        padding++;
    return n % 4 == 0 && n > 0 ? n / 4 * 3 - padding : 0;
}

uint8_t *mpg_base64_decode(const char *text, size_t n, struct mpg_error *err)
{
    uint8_t value[256];
    uint8_t *bytes = malloc(n + 2);
    if (!bytes) {
        mpg_error_set(err, "out of memory for %zu bytes", n);
        return NULL;
    }
    memset(value, 0xff, sizeof value);
    for (uint8_t i = 0; i < 64; i++)
        value[(unsigned char)digits[i]] = i;
    for (size_t i = 0, at = 0; at < n; i += 4, at += 3) {
        uint32_t three = 0;
        for (size_t k = 0; k < 4; k++) {
            bool padding = at + k > n; /* one byte has two digits, two bytes have three */
            uint8_t v = padding ? 0 : value[(unsigned char)text[i + k]];
            if (v == 0xff) {
                mpg_error_set(err, "no base64 at character %zu", i + k);
                free(bytes);
                return NULL;
            }
            three = three << 6 | v;
        }
        bytes[at] = (uint8_t)(three >> 16);
        bytes[at + 1] = (uint8_t)(three >> 8);
        if (at + 2 < n)
            bytes[at + 2] = (uint8_t)three;
    }
    return bytes;
}
