/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/json_text.h"

#include <math.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "common/utf8.h"

enum { MOST_BYTES = 4 * MPG_LINE_MAX_BYTES + 1 };

void mpg_json_write_string(FILE *stream, const char *text)
{
    char shown[MOST_BYTES];
    putc('"', stream);
    for (const char *p = mpg_printable(shown, sizeof shown, text); *p; p++) {
        if (*p == '"' || *p == '\\')
            putc('\\', stream);
        putc(*p, stream);
    }
    putc('"', stream);
}

void mpg_json_write_text(FILE *stream, const char *text, size_t bytes)
{
    putc('"', stream);
    while (bytes > 0) {
        uint32_t code = 0;
        const size_t n = mpg_utf8_decode((const unsigned char *)text, bytes, &code);
        if (n == 0)
            fputs("\\ufffd", stream);
        else if (code == '\n')
            fputs("\\n", stream);
        else if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
            fprintf(stream, "\\u%04x", (unsigned)code);
        else {
            if (code == '"' || code == '\\')
                putc('\\', stream);
            fwrite(text, 1, n, stream);
        }
        text += n > 0 ? n : 1;
        bytes -= n > 0 ? n : 1;
    }
    putc('"', stream);
}

void mpg_json_write_number(FILE *stream, double value)
{
    if (isfinite(value))
        fprintf(stream, "%.17g", value);
    else
        fputs("null", stream);
}

/* Whether a spreadsheet would take TEXT, which may be quoted, for a formula. Numbers with a sign are none. */
static bool is_formula(const char *text)
{
    struct mpg_error ignored;
    double number;
    return *text && strchr("=+-@", *text) && text[1] && mpg_units_parse_real(text, &number, &ignored) < 0;
}

void mpg_csv_write_string(FILE *stream, const char *text)
{
    char shown[MOST_BYTES + 1];
    shown[0] = '\'';
    mpg_printable(shown + 1, sizeof shown - 1, text);
    if (!is_formula(shown + 1))
        memmove(shown, shown + 1, strlen(shown));
    if (!strpbrk(shown, ",\"")) {
        fputs(shown, stream);
        return;
    }
    putc('"', stream);
    for (const char *p = shown; *p; p++) {
        if (*p == '"')
            putc('"', stream);
        putc(*p, stream);
    }
    putc('"', stream);
}
