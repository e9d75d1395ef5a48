/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a text line by line. */
#include "config.h"

#include "common/line_reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Maximum length of a line: longer than any list of numbers in use. Limits the memory for input without line ends. */
enum { MAX_LINE_BYTES = 1 << 26 };

/* LINE: the current line of N bytes, including its line end. BEGIN, END: indices of the part of BLOCK not yet read. */
struct mpg_line_reader {
    FILE *file;
    unsigned long number;
    char *line, block[65536];
    size_t n, capacity, begin, end;
};

struct mpg_line_reader *mpg_line_reader_new(FILE *file)
{
    struct mpg_line_reader *l = malloc(sizeof *l);
    if (!l)
        return NULL;
    l->file = file;
    l->number = 0;
    l->line = NULL;
    l->n = l->capacity = l->begin = l->end = 0;
    return l;
}

void mpg_line_reader_free(struct mpg_line_reader *l)
{
    if (l)
        free(l->line);
    free(l);
}

unsigned long mpg_line_reader_number(const struct mpg_line_reader *l)
{
    return l->number;
}

int mpg_line_reader_next(struct mpg_line_reader *l, char **line, size_t *bytes, struct mpg_error *err)
{
    bool ends = false;
    l->n = 0;
    while (!ends) {
        if (l->begin == l->end) {
            l->begin = 0;
            if ((l->end = fread(l->block, 1, sizeof l->block, l->file)) == 0)
                break;
        }
        const char *from = l->block + l->begin, *end = memchr(from, '\n', l->end - l->begin);
        const size_t more = end ? (size_t)(end - from) + 1 : l->end - l->begin;
        if (l->n + more > MAX_LINE_BYTES) {
            l->number++;
            return mpg_error_set(err, "longer than %d MiB", MAX_LINE_BYTES >> 20);
        }
        if (l->n + more >= l->capacity) {
            const size_t capacity = 2 * (l->n + more) + 1;
            char *grown = realloc(l->line, capacity);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            l->line = grown;
            l->capacity = capacity;
        }
        memcpy(l->line + l->n, from, more);
        l->n += more;
        l->begin += more;
        ends = end;
    }
    if (l->n == 0)
        return 0;
    l->line[l->n] = '\0';
    l->number++;
    *line = l->line;
    *bytes = l->n;
    return 1;
}
