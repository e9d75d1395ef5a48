/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/table/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "common/utf8.h"

/* Writes the first BYTES bytes of TEXT. Control characters are escaped. PREFIX goes before each character in SPECIAL;
 * PREFIX '\0' doubles the character instead. */
static void put_fit(FILE *stream, const char *text, size_t bytes, const char *special, char prefix)
{
    const unsigned char *p = (const unsigned char *)text;
    char escape[MPG_PRINTABLE_ESCAPE];
    const char *shown;
    size_t length;
    for (size_t n; bytes > 0; p += n, bytes -= n) {
        n = mpg_printable_next(p, bytes, escape, &shown, &length);
        for (size_t i = 0; i < length; i++) {
            if (strchr(special, shown[i]))
                putc(prefix ? prefix : shown[i], stream);
            putc(shown[i], stream);
        }
    }
}

/* ---- JSON ---- */

void mpg_json_write_part(FILE *stream, const char *text, size_t bytes)
{
    putc('"', stream);
    put_fit(stream, text, bytes, "\"\\", '\\');
    putc('"', stream);
}

void mpg_json_write_string(FILE *stream, const char *text)
{
    mpg_json_write_part(stream, text, strlen(text));
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

void mpg_json_write_shortest(FILE *stream, double value)
{
    char text[32] = "null";
    for (int digits = 15; isfinite(value) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value + 0.0); /* turns -0 into 0 */
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, stream);
}

void mpg_json_write_real(FILE *stream, double value, bool point)
{
    char text[40];
    if (!isfinite(value)) {
        fputs("null", stream);
        return;
    }
    snprintf(text, sizeof text, "%.17g", value);
    char *exponent = strchr(text, 'e');
    if (exponent) { /* rewrites 1e+05 as 1e5 */
        char *digits = exponent + 2, *to = exponent[1] == '-' ? exponent + 2 : exponent + 1;
        digits += strspn(digits, "0");
        memmove(to, digits, strlen(digits) + 1);
    }
    fputs(text, stream);
    if (point && !exponent && !strchr(text, '.'))
        fputs(".0", stream);
}

/* ---- CSV ---- */

/* Returns true if a spreadsheet would interpret TEXT (even if quoted) as a formula. Numbers with a sign are not formulas. */
static bool is_formula(const char *text)
{
    struct mpg_error ignored;
    double number;
    return *text && strchr("=+-@", *text) && text[1] && mpg_units_parse_real(text, &number, &ignored) < 0;
}

void mpg_csv_write_quoted(FILE *stream, const char *text)
{
    fputs(is_formula(text) ? "\"'" : "\"", stream);
    put_fit(stream, text, strlen(text), "\"", '\0');
    putc('"', stream);
}

void mpg_csv_write_string(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"")) {
        mpg_csv_write_quoted(stream, text);
        return;
    }
    if (is_formula(text))
        putc('\'', stream);
    mpg_printable_put(stream, text);
}

/* ---- HTML ---- */

void mpg_html_write_text(FILE *stream, const char *text)
{
    for (const char *end; *text; text = end) {
        end = text + strcspn(text, "<>&");
        mpg_printable_put_lines(stream, text, (size_t)(end - text));
        if (*end)
            fputs(*end == '<' ? "&lt;" : *end == '>' ? "&gt;" : "&amp;", stream);
        end += *end != '\0';
    }
}

void mpg_html_write_json(FILE *stream, const char *json)
{
    for (const char *p = json; *p; p++)
        if (strchr("<>&", *p))
            fprintf(stream, "\\u%04x", (unsigned)*p);
        else
            putc(*p, stream);
}

/* ---- gnuplot ---- */

void mpg_gnuplot_write_string(FILE *stream, const char *text)
{
    putc('\'', stream);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("\u2019", stream); /* gnuplot 5.4 misreads several doubled quotes */
        else if (*text == '`' || (unsigned char)*text < ' ')
            putc(' ', stream);
        else
            putc(*text, stream);
    }
    putc('\'', stream);
}
