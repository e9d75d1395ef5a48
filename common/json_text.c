/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/json_text.h"

#include <math.h>
#include <string.h>

#include "common/printable.h"
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

void mpg_json_write_number(FILE *stream, double value)
{
    if (isfinite(value))
        fprintf(stream, "%.17g", value);
    else
        fputs("null", stream);
}

void mpg_csv_write_string(FILE *stream, const char *text)
{
    char shown[MOST_BYTES];
    mpg_printable(shown, sizeof shown, text);
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
