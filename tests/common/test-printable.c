/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printing a file's text on a terminal (TAP): every byte and every character alone, truncated characters, and
 * buffers of every size. */
#include "common/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "tests/tap.h"

static const struct {
    const char *text, *shown;
} cases[] = {
    {"", ""},
    {"Intel(R) Xeon(R) E5-2670 @ 2.60GHz", "Intel(R) Xeon(R) E5-2670 @ 2.60GHz"},
    {"C:\\n stays", "C:\\n stays"},
    {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7"},
    {"a\tb\nc\rd", "a b\\nc\\x0dd"},
    {"\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"},
    {"\x7f", "\\x7f"},
    {"\x9b" "31m", "\\x9b" "31m"},                     /* the control character CSI as a single byte: invalid UTF-8 */
    {"\xc2\x9b" "31m", "\\u009b" "31m"},               /* the same in UTF-8 */
    {"\xc2\x9d" "0;x\xc2\x9c", "\\u009d" "0;x\\u009c"},
    {"\xe2\x80\xae" "gpj.exe", "\\u202e" "gpj.exe"},   /* switches to right-to-left text */
    {"\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c", "\\u2066\\u2069\\u061c"},
    {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
    {"\xc0\x9b", "\\xc0\\x9b"},                        /* overlong encoding of a control character; some terminals accept it */
    {"\xe0\x80\x9b", "\\xe0\\x80\\x9b"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},               /* a surrogate */
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},      /* above U+10FFFF */
    {"\xff\xfe", "\\xff\\xfe"},
    {"x\xe2\x82", "x\\xe2\\x82"},                      /* cut off */
    {"\xe2\x82" "abc", "\\xe2\\x82" "abc"},
};

/* Returns whether TEXT contains no control character, neither as bytes nor as UTF-8, that a terminal would obey. */
static bool is_harmless(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f))
            return false;
    return true;
}

static void test_cases(void)
{
    char buf[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *shown = mpg_printable(buf, sizeof buf, cases[i].text);
        bool same = strcmp(cases[i].text, cases[i].shown) == 0;
        ok(strcmp(shown, cases[i].shown) == 0 && mpg_printable_is(cases[i].text) == same,
           "case %zu is shown as %s", i, cases[i].shown);
    }
    ok(strcmp(mpg_printable_bytes(buf, sizeof buf, "a\0b", 3), "a\\x00b") == 0,
       "a zero byte among bytes is written out");
}

/* Every pair of bytes: the result is harmless, whatever the terminal's encoding of C1 controls. */
static void test_pairs(void)
{
    size_t bad = 0, different = 0;
    for (unsigned i = 0; i < 65536; i++) {
        char text[3] = {(char)(i >> 8), (char)i, '\0'}, buf[32];
        mpg_printable(buf, sizeof buf, text);
        bad += !is_harmless(buf);
        different += mpg_printable_is(text) != (strcmp(buf, text) == 0);
    }
    ok(bad == 0, "of all pairs of bytes %zu are shown with something to obey", bad);
    ok(different == 0, "whether a text is shown as it is agrees with how: %zu differ", different);
}

/* In a buffer that is too small the output ends before a character or an escape sequence, never inside. */
static void test_sizes(void)
{
    static const char text[] = "a\xc3\xa9\x1b\xe2\x82\xac\xc2\x9bz", whole[] =
        "a\xc3\xa9\\x1b\xe2\x82\xac\\u009bz";
    static const size_t ends[] = {0, 1, 3, 7, 10, 16, 17};
    size_t bad = 0;
    for (size_t size = 1; size <= sizeof whole; size++) {
        char *buf = malloc(size); /* an exact allocation, in which a sanitizer detects one byte too many */
        size_t end = 0;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            if (ends[i] < size)
                end = ends[i];
        if (!buf)
            return;
        mpg_printable(buf, size, text);
        bad += strlen(buf) != end || strncmp(buf, whole, end) != 0;
        free(buf);
    }
    ok(bad == 0, "buffers of every size are filled with whole characters: %zu are not", bad);
}

/* Returns in LINE, of SIZE bytes, the output of mpg_error_print() on standard error. */
static void read_error(const struct mpg_error *err, char *line, size_t size)
{
    line[0] = '\0';
    FILE *file = tmpfile(), *before = stderr;
    if (!file)
        return;
    stderr = file;
    mpg_error_print("program", err);
    stderr = before;
    rewind(file);
    line[fread(line, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void test_stream(void)
{
    char line[256];
    struct mpg_error err;
    mpg_error_set(&err, "f.sig: \"%s\" is not a number", "\x1b]2;owned\x07\xe2\x82\xac");
    read_error(&err, line, sizeof line);
    ok(strcmp(line, "program: f.sig: \"\\x1b]2;owned\\x07\xe2\x82\xac\" is not a number\n") == 0,
       "an error that quotes escape sequences is printed without them");
}

int main(void)
{
    test_cases();
    test_pairs();
    test_sizes();
    test_stream();
    return done();
}
