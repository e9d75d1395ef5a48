/* SPDX-License-Identifier: GPL-3.0-or-later */
/* common/out.h, common/line_reader.h and common/digits.h: text of numbers in lines, longer than any buffer, written and read. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/digits.h"
#include "common/line_reader.h"
#include "common/out.h"
#include "tests/tap.h"

static const int64_t numbers[] = {0, 7, -1, 10, 99, 100, -100, 2385, 12345678901234567, INT64_MAX, INT64_MIN};
enum { NUMBERS = sizeof numbers / sizeof *numbers, ROUNDS = 20000, LONG_BYTES = 200000 };

/* Writes lines of one number, a line longer than all buffers, an empty line, and a line without line end. */
static void write_text(FILE *file)
{
    struct mpg_out *o = malloc(sizeof *o);
    mpg_out_begin(o, file);
    for (int i = 0; i < ROUNDS; i++) {
        mpg_out_number(o, numbers[i % NUMBERS]);
        mpg_out_char(o, '\n');
    }
    for (int i = 0; i < LONG_BYTES; i++)
        mpg_out_char(o, 'x');
    mpg_out_text(o, "\n\nend");
    ok(mpg_out_flush(o) == 0 && fflush(file) == 0, "the text is written");
    free(o);
}

/* Compares the line with the one that write_text() wrote, and changes it. */
static bool is_line(char *line, size_t n, int i)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%" PRId64 "\n", numbers[i % NUMBERS]);
    const bool is_short = strlen(line) == n && strcmp(line, expected) == 0;
    const bool is_long = strlen(line) == n && n == LONG_BYTES + 1 && line[0] == 'x' && line[n - 1] == '\n';
    memset(line, '#', n);
    return i < ROUNDS ? is_short : is_long;
}

static void read_text(FILE *file)
{
    struct mpg_line_reader *lines = mpg_line_reader_new(file);
    struct mpg_error err;
    char *line = NULL;
    size_t n = 0;
    int i = 0;
    while (i <= ROUNDS && mpg_line_reader_next(lines, &line, &n, &err) == 1 && is_line(line, n, i))
        i++;
    ok(i == ROUNDS + 1, "all lines come back, although the reader's caller changes each");
    ok(mpg_line_reader_next(lines, &line, &n, &err) == 1 && strcmp(line, "\n") == 0, "an empty line");
    ok(mpg_line_reader_next(lines, &line, &n, &err) == 1 && strcmp(line, "end") == 0 && n == 3, "a line without line end");
    ok(mpg_line_reader_next(lines, &line, &n, &err) == 0, "the end");
    ok(mpg_line_reader_number(lines) == ROUNDS + 3, "the lines are counted");
    mpg_line_reader_free(lines);
}

/* Lines with and without the bytes that mpg_line_reader_has() knows. */
static void read_bytes(void)
{
    static const char text[] = "a\nb/c\r\nd\re\nf\0g\n\0\n/";
    static const char *const cut[] = {"a", "b/c", "d"};
    FILE *file = tmpfile();
    struct mpg_error err;
    char *line = NULL, found[32] = "";
    size_t n = 0;
    fwrite(text, 1, sizeof text - 1, file);
    rewind(file);
    struct mpg_line_reader *lines = mpg_line_reader_new(file);
    for (size_t i = 0; mpg_line_reader_next(lines, &line, &n, &err) == 1; i++) {
        const bool has_zero = mpg_line_reader_has(lines, '\0');
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s%s.", has_zero ? "0" : "",
                 mpg_line_reader_has(lines, '\r') ? "r" : "", mpg_line_reader_has(lines, '/') ? "/" : "");
        if (i < sizeof cut / sizeof *cut) {
            mpg_line_reader_chomp(lines);
            ok(strcmp(line, cut[i]) == 0, "a line ends before its first line feed or carriage return");
        }
    }
    ok(strcmp(found, ".r/.r.0.0./.") == 0, "lines have the bytes that are asked for");
    mpg_line_reader_free(lines);
    fclose(file);
}

static void read_digits(void)
{
    int64_t value = 0;
    const char *text = "999999999999999999,", *longer = "1000000000000000000", *none = "-1";
    ok(mpg_digits(text, &value) == text + 18 && value == 999999999999999999, "18 digits");
    ok(mpg_digits(longer, &value) == longer, "19 digits may not fit");
    ok(mpg_digits(none, &value) == none, "no digit");
}

int main(void)
{
    FILE *file = tmpfile();
    write_text(file);
    rewind(file);
    read_text(file);
    fclose(file);
    read_bytes();
    read_digits();
    return done();
}
