/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_COLUMNS = 40 }; /* minimum width: narrower pages are laid out for this width */

struct line {
    const char *text;
    size_t length;
    unsigned rows;    /* number of rows that the whole line needs */
    unsigned allowed; /* number of rows assigned to the line; the rest of the text is cut */
};

struct page {
    struct line *line;
    size_t n;
    unsigned columns;
};

/* Returns the number of bytes of the first COLUMNS characters of TEXT, UTF-8 of LENGTH bytes. */
static size_t bytes_of(const char *text, size_t length, unsigned columns)
{
    size_t i = 0;
    for (; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80 && columns-- == 0)
            break;
    return i;
}

/* Returns the number of bytes of the next row of TEXT, which has LENGTH bytes: up to the last blank within COLUMNS, if any. */
static size_t next_row(const char *text, size_t length, unsigned columns)
{
    const size_t fits = bytes_of(text, length, columns);
    size_t end = fits;
    if (fits == length)
        return length;
    while (end > 0 && text[end] != ' ')
        end--;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    return end > 0 ? end : fits;
}

static size_t skip_blanks(const char *text, size_t length, size_t i)
{
    while (i < length && text[i] == ' ')
        i++;
    return i;
}

/* Returns the number of columns by which row number ROW of LINE is indented: rows after the first begin below the value, or
 * at column 2 if LINE has no name. */
static unsigned indent_of(const struct line *line, unsigned row)
{
    const bool has_name = line->length > MPG_LAYOUT_NAME && line->text[MPG_LAYOUT_NAME - 1] == ' ' &&
                          line->text[MPG_LAYOUT_NAME - 2] == ' ';
    return row == 0 ? 0 : has_name ? MPG_LAYOUT_NAME : 2;
}

/* Writes LINE in at most MAX rows to OUT (NULL: nowhere). Returns the number of rows that the whole line needs. */
static unsigned fold(const struct line *line, unsigned columns, unsigned max, FILE *out)
{
    unsigned row = 0;
    size_t i = 0;
    do {
        const unsigned indent = indent_of(line, row), room = columns - indent;
        const char *text = line->text + i;
        size_t left = line->length - i, length = columns == 0 ? left : next_row(text, left, room);
        if (out && row < max) {
            const bool is_cut = row + 1 == max && length < left;
            if (is_cut)
                length = bytes_of(text, left, room - 3);
            while (is_cut && length > 0 && text[length - 1] == ' ')
                length--;
            fprintf(out, "%*s%.*s%s\n", (int)indent, "", (int)length, text, is_cut ? "..." : "");
        }
        i = skip_blanks(line->text, line->length, i + length);
        row++;
    } while (i < line->length && !(out && row >= max));
    return row;
}

/* --- number of rows for each line --- */

/* Splits TEXT into the lines of PAGE, whose array is large enough. */
static void split(const char *text, struct page *page)
{
    while (*text) {
        struct line *line = &page->line[page->n++];
        *line = (struct line){.text = text, .length = strcspn(text, "\n"), .allowed = 1};
        line->rows = fold(line, page->columns, 1, NULL);
        text += line->length + (text[line->length] == '\n');
    }
}

/* Gives LINE up to *ROWS further rows, and subtracts their number from *ROWS. */
static void allow(struct line *line, unsigned *rows)
{
    unsigned more = line->rows - line->allowed;
    more = more < *rows ? more : *rows;
    line->allowed += more;
    *rows -= more;
}

static void share(struct page *page, unsigned rows, const char *const *first)
{
    size_t body = 0;
    while (body < page->n && page->line[body].length > 0)
        body++;
    for (; *first; first++)
        for (size_t i = 0; i < page->n; i++)
            if (strncmp(page->line[i].text, *first, strlen(*first)) == 0)
                allow(&page->line[i], &rows);
    for (size_t i = body; i < page->n; i++)
        allow(&page->line[i], &rows);
    for (size_t i = 0; i < body; i++)
        allow(&page->line[i], &rows);
}

/* Removes the empty lines of PAGE after the first until PAGE needs at most MAX rows, or no empty line is left. */
static void close_gaps(struct page *page, unsigned max)
{
    unsigned rows = 0;
    size_t n = 0, first = page->n;
    for (size_t i = page->n; i-- > 0;) {
        rows += page->line[i].rows;
        first = page->line[i].length == 0 ? i : first;
    }
    for (size_t i = 0; i < page->n; i++) {
        if (rows > max && page->line[i].length == 0 && i > first)
            rows--;
        else
            page->line[n++] = page->line[i];
    }
    page->n = n;
}

int mpg_layout_put(const char *text, unsigned max, unsigned columns, const char *const *first, FILE *out, struct mpg_error *err)
{
    struct page page = {.columns = columns > 0 && columns < MIN_COLUMNS ? MIN_COLUMNS : columns};
    size_t lines = 1;
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        lines++;
    if (!(page.line = malloc(lines * sizeof *page.line)))
        return mpg_error_set(err, "out of memory");
    split(text, &page);
    close_gaps(&page, max);
    page.n = page.n < max ? page.n : max;
    share(&page, max - (unsigned)page.n, first);
    for (size_t i = 0; i < page.n; i++)
        fold(&page.line[i], page.columns, page.line[i].allowed, out);
    free(page.line);
    return 0;
}
