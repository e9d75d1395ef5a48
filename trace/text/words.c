/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits lines of the text form into words, and parses numbers and quoted texts. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/digits.h"
#include "trace/text/event.h"

/* Returns the end of the word at P, which has double quotes. */
static char *find_end(char *p)
{
    for (bool quoted = false; *p && (quoted || (*p != ' ' && *p != '\t')); p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (*p == '\\' && quoted && p[1])
            p++;
    }
    return p;
}

char *mpg_text_word(char **text)
{
    static const bool special[256] = {['\0'] = true, [' '] = true, ['\t'] = true, ['"'] = true};
    char *start = *text;
    while (*start == ' ' || *start == '\t')
        start++;
    char *p = start;
    if (!*p)
        return NULL;
    while (!special[(unsigned char)*p])
        p++;
    if (*p == '"')
        p = find_end(start);
    if (*p)
        *p++ = '\0';
    *text = p;
    return start;
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : 10 + tolower((unsigned char)c) - 'a';
}

int mpg_text_unquote(char *text, struct mpg_error *err)
{
    const char *p = text;
    char *out = text;
    if (*p++ != '"')
        return mpg_error_set(err, "'%s' is not in double quotes", text);
    while (*p && *p != '"') {
        if (*p != '\\') {
            *out++ = *p++;
        } else if (p[1] == '"' || p[1] == '\\') {
            *out++ = p[1];
            p += 2;
        } else if (p[1] == 'x' && isxdigit((unsigned char)p[2]) && isxdigit((unsigned char)p[3]) &&
                   strncmp(p + 2, "00", 2) != 0 && strncasecmp(p + 2, "0a", 2) != 0) {
            *out++ = (char)(16 * hex_digit(p[2]) + hex_digit(p[3]));
            p += 4;
        } else if (p[1] == 'x' && isxdigit((unsigned char)p[2]) && isxdigit((unsigned char)p[3]))
            return mpg_error_set(err, "'%.4s' is no character of a name: it ends %s", p, p[3] == '0' ? "texts" : "lines");
        else
            return mpg_error_set(err, "'%.4s' is not \\\", \\\\ or \\x and two digits", p);
    }
    if (*p != '"' || p[1])
        return mpg_error_set(err, "the closing double quote is missing or not the end");
    *out = '\0';
    return 0;
}

int mpg_text_parse_int64(const char *text, int64_t minimum, int64_t maximum, int64_t *value,
                         struct mpg_error *err)
{
    char *end;
    int64_t v;
    const char *digits_end = mpg_digits(text, &v); /* most numbers, and faster than strtoll() */
    if (digits_end > text && !*digits_end && v >= minimum && v <= maximum) {
        *value = v;
        return 0;
    }
    errno = 0;
    v = strtoll(text, &end, 10);
    if (end == text || *end || errno || v < minimum || v > maximum)
        return mpg_error_set(err, "'%s' is not a whole number from %lld to %lld", text,
                             (long long)minimum, (long long)maximum);
    *value = v;
    return 0;
}

int mpg_text_parse_int32(const char *text, int32_t minimum, int32_t *value, struct mpg_error *err)
{
    int64_t v = 0;
    if (mpg_text_parse_int64(text, minimum, INT32_MAX, &v, err) < 0)
        return -1;
    *value = (int32_t)v;
    return 0;
}

int mpg_text_parse_rank(const char *text, int32_t *rank, uint32_t *thread, struct mpg_error *err)
{
    char *end;
    int64_t digits;
    const char *digits_end = mpg_digits(text, &digits); /* most ranks */
    if (digits_end > text && !*digits_end && digits <= INT32_MAX) {
        *rank = (int32_t)digits;
        *thread = 0;
        return 0;
    }
    errno = 0;
    long long r = strtoll(text, &end, 10), t = 0;
    bool ok = end != text && r >= 0 && r <= INT32_MAX;
    if (ok && *end == '.') {
        const char *start = end + 1;
        t = strtoll(start, &end, 10);
        ok = end != start && t >= 0 && t <= MPG_TEXT_MAX_THREAD;
    }
    if (!ok || *end || errno)
        return mpg_error_set(err, "'%s' is not a rank, or rank.thread", text);
    *rank = (int32_t)r;
    *thread = (uint32_t)t;
    return 0;
}
