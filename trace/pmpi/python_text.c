/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/python_text.h"

#include <stdbool.h>
#include <string.h>

enum {
    /* Offsets, in bytes, and values from Include/cpython/unicodeobject.h. */
    STRING_LENGTH = 16,
    STRING_HASH = 24,
    STRING_STATE = 32,
    ASCII_BEGIN = 48,
    OTHER_BEGIN = 72,
    /* Kinds of entries of a line table, from Objects/locations.md. */
    ENTRY = 0x80,
    LONG = 14,
    WITHOUT_COLUMNS = 13,
    NO_LINE = 15,
    ONE_LINE = 10
};

/* value of a string's hash before CPython computes it */
static const uint64_t NO_HASH = UINT64_MAX;

/* --- lines --- */

static uint32_t get_varint(const uint8_t **p, const uint8_t *end)
{
    uint32_t value = 0;
    for (unsigned shift = 0; *p < end && shift < 32; shift += 6) {
        const uint8_t byte = *(*p)++;
        value |= (uint32_t)(byte & 63) << shift;
        if (!(byte & 64))
            break;
    }
    return value;
}

/* Returns the number of lines by which an entry of KIND advances. P .. END: the rest of the entry. */
static int32_t distance(int kind, const uint8_t *p, const uint8_t *end)
{
    if (kind == LONG || kind == WITHOUT_COLUMNS) {
        const uint32_t value = get_varint(&p, end);
        return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
    }
    return kind >= ONE_LINE && kind < WITHOUT_COLUMNS ? kind - ONE_LINE : 0;
}

int32_t python_text_line(const uint8_t *table, size_t size, int32_t first, size_t number)
{
    const uint8_t *p = table, *const end = table + size;
    int32_t line = first;
    for (size_t at = 0; p < end;) {
        const uint8_t head = *p++;
        const int kind = head >> 3 & 15;
        line += distance(kind, p, end);
        at += (head & 7u) + 1;
        if (number < at)
            return kind == NO_LINE ? first : line;
        while (p < end && !(*p & ENTRY))
            p++;
    }
    return first;
}

/* --- strings --- */

static uint64_t u64_at(const void *string, int offset)
{
    uint64_t value;
    memcpy(&value, (const char *)string + offset, sizeof value);
    return value;
}

uint64_t python_text_sum(const void *data, size_t size)
{
    const uint8_t *p = data;
    uint64_t sum = size, some;
    for (size_t left = size; left > 0;) {
        const size_t n = left < sizeof some ? left : sizeof some;
        some = 0;
        memcpy(&some, p, n);
        sum = (sum ^ some) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
        p += n;
        left -= n;
    }
    return sum;
}

/* Returns the address of STRING's first character; *KIND: bytes of a character. NULL: unknown form of string. */
static const uint8_t *characters(const void *string, unsigned *kind)
{
    const uint32_t state = string ? (uint32_t)u64_at(string, STRING_STATE) : 0;
    const bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
    *kind = state >> 2 & 7;
    if (!compact || (*kind != 1 && *kind != 2 && *kind != 4))
        return NULL;
    return (const uint8_t *)string + (ascii ? ASCII_BEGIN : OTHER_BEGIN);
}

uint64_t python_text_hash(const void *string)
{
    unsigned kind;
    const uint64_t known = string ? u64_at(string, STRING_HASH) : 0;
    const uint8_t *begin = known == NO_HASH ? characters(string, &kind) : NULL;
    return begin ? python_text_sum(begin, kind * (size_t)u64_at(string, STRING_LENGTH)) : known;
}

/* Returns character I of the string at BEGIN, with KIND bytes for each character. */
static uint32_t character(const uint8_t *begin, unsigned kind, size_t i)
{
    uint16_t two;
    uint32_t four;
    if (kind == 1)
        return begin[i];
    memcpy(&two, begin + 2 * i, sizeof two);
    if (kind == 2)
        return two;
    memcpy(&four, begin + 4 * i, sizeof four);
    return four;
}

/* Writes C in UTF-8 to TEXT. Returns the number of bytes. */
static size_t put_utf8(char *text, uint32_t c)
{
    if (c < 0x80)
        return text[0] = (char)c, 1;
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        text[i] = (char)(0x80 | (c & 63));
    text[0] = (char)(first[n] | c);
    return n;
}

size_t python_text_name(char *text, size_t size, const void *string, const char *without)
{
    unsigned kind;
    const uint8_t *begin = characters(string, &kind);
    size_t n = 0;
    if (begin) {
        const size_t length = (size_t)u64_at(string, STRING_LENGTH);
        for (size_t i = 0; i < length && n + 5 <= size; i++) {
            const uint32_t c = character(begin, kind, i);
            const bool bad = c == 0 || c == '\n' || (c < 0x80 && strchr(without, (int)c));
            n += put_utf8(text + n, bad ? '?' : c);
        }
    } else if (size > 1)
        text[n++] = '?';
    text[n] = '\0';
    return n;
}
