/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which UTF-8 characters are printed and which are escaped. */
#include "common/printable.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "common/utf8.h"

static bool is_shown(uint32_t code)
{
    return code >= 0x20 && !(code >= 0x7f && code <= 0x9f) && code != 0x61c && code != 0x200e &&
           code != 0x200f && !(code >= 0x2028 && code <= 0x202e) &&
           !(code >= 0x2066 && code <= 0x2069);
}

size_t mpg_printable_next(const unsigned char *p, size_t left, char *escape, const char **shown, size_t *length)
{
    uint32_t code = 0;
    size_t n = mpg_utf8_decode(p, left, &code);
    if (n > 0 && is_shown(code)) {
        *shown = (const char *)p;
        *length = n;
        return n;
    }
    if (n == 1 && (code == '\n' || code == '\t'))
        snprintf(escape, MPG_PRINTABLE_ESCAPE, code == '\n' ? "\\n" : " ");
    else if (n > 1)
        snprintf(escape, MPG_PRINTABLE_ESCAPE, "\\u%04x", (unsigned)code);
    else
        snprintf(escape, MPG_PRINTABLE_ESCAPE, "\\x%02x", p[0]);
    *shown = escape;
    *length = strlen(escape);
    return n > 0 ? n : 1;
}

bool mpg_printable_is(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t code = 0;
    for (size_t left = strlen(text), n; left > 0; p += n, left -= n)
        if ((n = mpg_utf8_decode(p, left, &code)) == 0 || !is_shown(code))
            return false;
    return true;
}

char *mpg_printable_bytes(char *buf, size_t size, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    const char *shown;
    char escape[MPG_PRINTABLE_ESCAPE];
    size_t used = 0, shown_bytes;
    while (length > 0) {
        size_t n = mpg_printable_next(p, length, escape, &shown, &shown_bytes);
        if (used + shown_bytes >= size)
            break;
        memcpy(buf + used, shown, shown_bytes);
        used += shown_bytes;
        p += n;
        length -= n;
    }
    buf[used] = '\0';
    return buf;
}

char *mpg_printable(char *buf, size_t size, const char *text)
{
    return mpg_printable_bytes(buf, size, text, strlen(text));
}

void mpg_printable_put_bytes(FILE *stream, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    const char *shown;
    char escape[MPG_PRINTABLE_ESCAPE];
    size_t shown_bytes;
    for (size_t n; length > 0; p += n, length -= n) {
        n = mpg_printable_next(p, length, escape, &shown, &shown_bytes);
        fwrite(shown, 1, shown_bytes, stream);
    }
}

void mpg_printable_put(FILE *stream, const char *text)
{
    mpg_printable_put_bytes(stream, text, strlen(text));
}

void mpg_printable_put_lines(FILE *stream, const void *bytes, size_t length)
{
    const char *p = bytes, *end = p + length;
    for (const char *line_end; (line_end = memchr(p, '\n', (size_t)(end - p))) != NULL; p = line_end + 1) {
        mpg_printable_put_bytes(stream, p, (size_t)(line_end - p));
        putc('\n', stream);
    }
    mpg_printable_put_bytes(stream, p, (size_t)(end - p));
}

static void print(FILE *stream, const char *format, va_list args)
{
    char text[MPG_PRINTABLE_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    mpg_printable_put_lines(stream, text, strlen(text));
}

void mpg_printable_print_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(stderr, format, args);
    va_end(args);
}

void mpg_printable_print(FILE *stream, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(stream, format, args);
    va_end(args);
}
