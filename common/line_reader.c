/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a text line by line. */
#include "config.h"

#include "common/line_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Maximum length of a line: longer than any list of numbers in use. Limits the memory for input without line ends. */
enum { MAX_LINE_BYTES = 1 << 26 };

enum { BLOCK_BYTES = 1 << 16 }; /* bytes read at once */

enum { WATCHED = 4 };
static const char watched[WATCHED] = {'\0', '\r', '/', '-'};

/* BLOCK: CAPACITY bytes and one more for a terminating 0. BEGIN, END: indices of the part not yet handed out. CUT: the byte
 * replaced by the terminating 0 of the last line, the first byte of this part. SEEN: whether the file so far has the watched
 * bytes: most files have none, and lines then need no search. */
struct mpg_line_reader {
    FILE *file;
    unsigned long number;
    char *block, cut;
    size_t capacity, begin, end, bytes; /* bytes: of the last line, which ends at BEGIN */
    bool seen[WATCHED];
};

struct mpg_line_reader *mpg_line_reader_new(FILE *file)
{
    struct mpg_line_reader *l = malloc(sizeof *l);
    if (!l)
        return NULL;
    *l = (struct mpg_line_reader){.file = file, .block = malloc(BLOCK_BYTES + 1), .capacity = BLOCK_BYTES};
    if (l->block)
        return l;
    free(l);
    return NULL;
}

void mpg_line_reader_free(struct mpg_line_reader *l)
{
    if (l)
        free(l->block);
    free(l);
}

unsigned long mpg_line_reader_number(const struct mpg_line_reader *l)
{
    return l->number;
}

/* Moves the part not yet handed out to the start of the block, and reads more behind the part. Returns the number of bytes read;
 * 0 at the end of the file or after a read error; -1 with ERR: out of memory. */
static ptrdiff_t read_more(struct mpg_line_reader *l, struct mpg_error *err)
{
    const size_t rest = l->end - l->begin;
    if (rest == l->capacity) {
        char *grown = realloc(l->block, 2 * l->capacity + 1);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        l->block = grown;
        l->capacity *= 2;
    }
    memmove(l->block, l->block + l->begin, rest);
    const size_t more = fread(l->block + rest, 1, l->capacity - rest, l->file);
    l->begin = 0;
    l->end = rest + more;
    for (int i = 0; i < WATCHED; i++)
        l->seen[i] = l->seen[i] || memchr(l->block + rest, watched[i], more);
    return (ptrdiff_t)more;
}

/* Returns the line feed in the part not yet handed out, from byte N on; NULL: none. */
static const char *find_end(const struct mpg_line_reader *l, size_t n)
{
    return memchr(l->block + l->begin + n, '\n', l->end - l->begin - n);
}

int mpg_line_reader_next(struct mpg_line_reader *l, char **line, size_t *bytes, struct mpg_error *err)
{
    const bool is_cut = l->begin < l->end; /* the first byte is in l->cut */
    size_t n = is_cut;                     /* bytes known to be of the line */
    ptrdiff_t more = 1;
    /* The byte comes back after the search, which would wait for the store. */
    const char *end = is_cut && l->cut == '\n' ? l->block + l->begin : find_end(l, n);
    if (is_cut)
        l->block[l->begin] = l->cut;
    while (!end && more > 0) {
        n = l->end - l->begin;
        if (n > MAX_LINE_BYTES)
            break;
        if ((more = read_more(l, err)) < 0)
            return -1;
        end = find_end(l, n);
    }
    char *const from = l->block + l->begin;
    n = end ? (size_t)(end - from) + 1 : l->end - l->begin;
    if (n == 0)
        return 0;
    l->number++;
    if (n > MAX_LINE_BYTES)
        return mpg_error_set(err, "longer than %d MiB", MAX_LINE_BYTES >> 20);
    l->begin += n;
    l->bytes = n;
    l->cut = from[n];
    from[n] = '\0';
    *line = from;
    *bytes = n;
    return 1;
}

bool mpg_line_reader_has(const struct mpg_line_reader *l, char byte)
{
    int i = 0;
    while (watched[i] != byte)
        i++;
    return l->seen[i] && memchr(l->block + l->begin - l->bytes, byte, l->bytes);
}

void mpg_line_reader_chomp(const struct mpg_line_reader *l)
{
    char *const line = l->block + l->begin - l->bytes;
    char *end = mpg_line_reader_has(l, '\r') ? memchr(line, '\r', l->bytes) : NULL;
    if (!end && line[l->bytes - 1] == '\n')
        end = line + l->bytes - 1;
    if (end)
        *end = '\0';
}
