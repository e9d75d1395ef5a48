/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/shell_word.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(char c, bool first)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+@%-=^";
    return (unsigned char)c >= 0x80 || strchr(plain, c) || (c == '~' && !first);
}

char *mpg_shell_word(char *buf, size_t size, const char *text)
{
    size_t n = 0;
    for (const char *p = text; *p; p++) {
        const bool plain = is_plain(*p, p == text);
        if (n + 2 + !plain > size)
            break;
        if (!plain)
            buf[n++] = '\\';
        buf[n++] = *p;
    }
    buf[n] = '\0';
    return *text ? buf : strcpy(buf, "\"\"");
}
