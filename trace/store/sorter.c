/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/store/sorter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/store/spool.h"

enum { MIN_BLOCK_BYTES = 4096, MAX_PIECES = 8 };

/* A run (sorted sequence of items) in the file. During merging, a block of each run is in memory. */
struct run {
    int64_t at;             /* offset in the file of the run's unread items */
    uint64_t left;          /* number of the run's unread items */
    char *block;            /* part of the buffer for the run's items */
    const char *item, *end; /* the next item in the block; the end of the block's items */
};

struct mpg_sorter {
    size_t size, capacity, number; /* bytes of an item; number of items that fit into the buffer; number of items in the buffer */
    int (*compare)(const void *, const void *);
    char *buffer;
    bool is_given;         /* the next item of the first run in the heap has been returned by mpg_sorter_next() */
    size_t block_items;
    int fd;                /* temporary file; -1: all items are in the buffer */
    int64_t end;           /* size of the file, bytes */
    struct run *runs;
    size_t run_number, run_capacity;
    size_t *heap, heap_number; /* heap of the runs that still have items, by the next item */
};

struct mpg_sorter *mpg_sorter_new(size_t size, int (*compare)(const void *, const void *), size_t buffer, struct mpg_error *err)
{
    struct mpg_sorter *s = calloc(1, sizeof *s);
    if (s) {
        s->size = size;
        s->compare = compare;
        s->capacity = buffer / size > 1 ? buffer / size : 1;
        s->fd = -1;
        s->buffer = malloc(s->capacity * size);
    }
    if (s && s->buffer)
        return s;
    mpg_sorter_free(s);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_sorter_free(struct mpg_sorter *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    free(s->buffer);
    free(s->runs);
    free(s->heap);
    free(s);
}

/* --- runs --- */

/* Returns the end index of the ascending sequence of items that begins at BEGIN. */
static size_t ascending_end(const struct mpg_sorter *s, size_t begin)
{
    size_t i = begin + 1;
    while (i < s->number && s->compare(s->buffer + (i - 1) * s->size, s->buffer + i * s->size) <= 0)
        i++;
    return i;
}

/* Returns whether the buffer consists of at most MAX_PIECES sequences in ascending order, as when the events of a rank come
 * after the events of another rank. */
static bool is_few_pieces(const struct mpg_sorter *s)
{
    size_t end = 0;
    for (int n = 0; n < MAX_PIECES && end < s->number; n++)
        end = ascending_end(s, end);
    return end >= s->number;
}

static int add_run(struct mpg_sorter *s, uint64_t items, struct mpg_error *err)
{
    if (s->run_number == s->run_capacity) {
        const size_t capacity = s->run_capacity ? 2 * s->run_capacity : 16;
        struct run *grown = realloc(s->runs, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        s->runs = grown;
        s->run_capacity = capacity;
    }
    s->runs[s->run_number++] = (struct run){.at = s->end, .left = items};
    s->end += (int64_t)(items * s->size);
    return 0;
}

/* Sorts the buffer and writes the items to the file as a run. If the buffer consists of few ascending sequences, writes each
 * sequence as a run without sorting, as long as a block of each run will fit into the buffer. Returns 0, or -1 with ERR. */
static int end_run(struct mpg_sorter *s, struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES];
    const bool has_room = (s->run_number + MAX_PIECES) * (MIN_BLOCK_BYTES / s->size + 1) < s->capacity;
    const bool in_pieces = has_room && is_few_pieces(s);
    if (!in_pieces)
        qsort(s->buffer, s->number, s->size, s->compare);
    if (s->fd < 0 && (s->fd = mpg_spool_file(err)) < 0)
        return -1;
    if (mpg_spool_write(s->fd, s->buffer, s->number * s->size, s->end, mpg_spool_name(name), err) < 0)
        return -1;
    for (size_t begin = 0, end; begin < s->number; begin = end) {
        end = in_pieces ? ascending_end(s, begin) : s->number;
        if (add_run(s, end - begin, err) < 0)
            return -1;
    }
    s->number = 0;
    return 0;
}

int mpg_sorter_add(struct mpg_sorter *s, const void *item, struct mpg_error *err)
{
    if (s->number == s->capacity && end_run(s, err) < 0)
        return -1;
    memcpy(s->buffer + s->number++ * s->size, item, s->size);
    return 0;
}

/* --- merging --- */

static inline bool precedes(const struct mpg_sorter *s, size_t a, size_t b)
{
    return s->compare(s->runs[a].item, s->runs[b].item) < 0;
}

static int read_block(struct mpg_sorter *s, struct run *r, struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES];
    const size_t n = r->left < s->block_items ? (size_t)r->left : s->block_items;
    size_t got;
    if (mpg_spool_read(s->fd, r->block, n * s->size, r->at, mpg_spool_name(name), &got, err) < 0)
        return -1;
    if (got < n * s->size)
        return mpg_error_set(err, "%s: ends too early", name);
    r->at += (int64_t)got;
    r->left -= n;
    r->item = r->block;
    r->end = r->block + n * s->size;
    return 0;
}

static void sink_down(struct mpg_sorter *s, size_t i)
{
    const size_t run = s->heap[i];
    for (size_t child; (child = 2 * i + 1) < s->heap_number; i = child) {
        if (child + 1 < s->heap_number && precedes(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!precedes(s, s->heap[child], run))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = run;
}

/* Divides the buffer among all runs and reads the first block of each run. Returns 0, or -1 with ERR. */
static int begin_merge(struct mpg_sorter *s, struct mpg_error *err)
{
    const size_t min = MIN_BLOCK_BYTES / s->size + 1, share = s->capacity / s->run_number;
    s->block_items = share > min ? share : min;
    if (share < min) {
        char *grown = realloc(s->buffer, s->run_number * min * s->size);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        s->buffer = grown;
    }
    if (!(s->heap = malloc(s->run_number * sizeof *s->heap)))
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < s->run_number; i++) {
        s->runs[i].block = s->buffer + i * s->block_items * s->size;
        if (read_block(s, &s->runs[i], err) < 0)
            return -1;
        s->heap[s->heap_number++] = i;
    }
    for (size_t i = s->heap_number; i-- > 0;)
        sink_down(s, i);
    return 0;
}

int mpg_sorter_sort(struct mpg_sorter *s, struct mpg_error *err)
{
    if (s->fd >= 0)
        return (s->number > 0 && end_run(s, err) < 0) ? -1 : begin_merge(s, err);
    qsort(s->buffer, s->number, s->size, s->compare);
    s->block_items = 0; /* without a file, block_items is the index of the next item */
    return 0;
}

/* Moves on from the item that was returned last. Returns 0, or -1 with ERR. */
static int advance(struct mpg_sorter *s, struct mpg_error *err)
{
    struct run *r = &s->runs[s->heap[0]];
    r->item += s->size;
    if (r->item == r->end) {
        if (r->left == 0)
            s->heap[0] = s->heap[--s->heap_number];
        else if (read_block(s, r, err) < 0)
            return -1;
    }
    if (s->heap_number > 0)
        sink_down(s, 0);
    return 0;
}

int mpg_sorter_next(struct mpg_sorter *s, const void **item, struct mpg_error *err)
{
    if (s->fd < 0) {
        *item = s->buffer + s->block_items * s->size;
        return s->block_items++ < s->number;
    }
    if (s->is_given && advance(s, err) < 0)
        return -1;
    s->is_given = s->heap_number > 0;
    if (s->is_given)
        *item = s->runs[s->heap[0]].item;
    return s->is_given;
}
