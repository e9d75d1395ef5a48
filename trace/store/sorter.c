/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/store/sorter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/store/spool.h"

enum { MIN_BLOCK_BYTES = 4096, MAX_PIECES = 8, GATHER_BYTES = 1 << 16 };

/* A run (sorted sequence of items) in the file. During merging, a block of each run is in memory. */
struct run {
    int64_t at;             /* offset in the file of the run's unread items */
    uint64_t left;          /* number of the run's unread items */
    char *block;            /* part of the buffer for the run's items */
    const char *item, *end; /* the next item in the block, or `last` if there is none; the end of the block's items */
};

struct mpg_sorter {
    size_t size, keys, capacity, number; /* bytes of an item; its keys; number of items that fit into the buffer, and in it */
    char *buffer;
    uint32_t *indices;        /* of the buffer's items, in ascending order */
    uint32_t *other;          /* room for as many */
    bool is_given;            /* the next item of run losers[0] has been returned by mpg_sorter_next() */
    size_t next;              /* without a file: index in `indices` of the next item */
    size_t block_items;
    int fd;                   /* temporary file; -1: all items are in the buffer */
    int64_t end;              /* size of the file, bytes */
    struct run *runs;
    size_t run_number, run_capacity;
    /* Tree of the runs: run R is leaf run_number + R, node N has children 2 N and 2 N + 1. losers[N]: of the two runs that are
     * first below N's children, the one that comes later; losers[0]: the first of all runs. */
    size_t *losers;
};

/* Stands for the item behind a run's end. */
static const int64_t last[MPG_SORTER_KEYS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};

struct mpg_sorter *mpg_sorter_new(size_t size, size_t keys, size_t buffer, struct mpg_error *err)
{
    struct mpg_sorter *s = calloc(1, sizeof *s);
    if (s) {
        s->size = size;
        s->keys = keys;
        s->capacity = buffer / (size + 2 * sizeof *s->indices);
        s->capacity += s->capacity == 0;
        s->fd = -1;
        s->buffer = malloc(s->capacity * size);
        s->indices = malloc(s->capacity * sizeof *s->indices);
        s->other = malloc(s->capacity * sizeof *s->other);
    }
    if (s && s->buffer && s->indices && s->other)
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
    free(s->indices);
    free(s->other);
    free(s->runs);
    free(s->losers);
    free(s);
}

/* Returns whether item A comes before item B. The first two keys are compared without a branch, which could not be predicted. */
static inline bool precedes(const struct mpg_sorter *s, const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    const bool is_first_equal = x[0] == y[0], is_second_equal = x[1] == y[1];
    if (s->keys > 2 && (is_first_equal & is_second_equal))
        return x[2] < y[2] || (x[2] == y[2] && s->keys > 3 && x[3] < y[3]);
    return (x[0] < y[0]) | (is_first_equal & (x[1] < y[1]));
}

static inline const char *item_at(const struct mpg_sorter *s, size_t i)
{
    return s->buffer + i * s->size;
}

/* --- the buffer --- */

/* Returns key K of item I, for unsigned comparison. */
static inline uint64_t key_of(const struct mpg_sorter *s, size_t i, size_t k)
{
    return (uint64_t)((const int64_t *)item_at(s, i))[k] ^ (uint64_t)1 << 63;
}

/* Sorts s->indices by the byte of key K that begins at bit SHIFT; indices with equal bytes keep their order. */
static void sort_by_byte(struct mpg_sorter *s, size_t k, int shift)
{
    size_t places[257] = {0};
    for (size_t i = 0; i < s->number; i++)
        places[(key_of(s, i, k) >> shift & 255) + 1]++;
    for (int b = 1; b < 256; b++)
        places[b] += places[b - 1];
    for (size_t i = 0; i < s->number; i++)
        s->other[places[key_of(s, s->indices[i], k) >> shift & 255]++] = s->indices[i];
    uint32_t *const sorted = s->other;
    s->other = s->indices;
    s->indices = sorted;
}

/* Sorts s->indices by key K; indices with equal keys keep their order. */
static void sort_by_key(struct mpg_sorter *s, size_t k)
{
    uint64_t differing = 0; /* the bits that are not equal in all keys */
    for (size_t i = 1; i < s->number; i++)
        differing |= key_of(s, i, k) ^ key_of(s, 0, k);
    for (int shift = 0; shift < 64; shift += 8)
        if (differing >> shift & 255)
            sort_by_byte(s, k, shift);
}

static bool is_sorted(const struct mpg_sorter *s)
{
    for (size_t i = 1; i < s->number; i++)
        if (precedes(s, item_at(s, s->indices[i]), item_at(s, s->indices[i - 1])))
            return false;
    return true;
}

/* Sets s->indices to the items of the buffer in ascending order. Items are often in order already, or would be if sorted by the
 * first key alone, as the records of each rank in a file in the order of time. */
static void sort_buffer(struct mpg_sorter *s)
{
    for (size_t i = 0; i < s->number; i++)
        s->indices[i] = (uint32_t)i;
    if (is_sorted(s))
        return;
    sort_by_key(s, 0);
    for (size_t k = s->keys; k-- > 0 && !is_sorted(s);)
        sort_by_key(s, k);
}

/* --- runs --- */

/* Returns the end index of the ascending sequence of items that begins at BEGIN. */
static size_t ascending_end(const struct mpg_sorter *s, size_t begin)
{
    size_t i = begin + 1;
    while (i < s->number && !precedes(s, item_at(s, i), item_at(s, i - 1)))
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

/* Writes the items of the buffer in the order of s->indices to the end of the file, if IN_ORDER, else as they are. */
static int write_items(struct mpg_sorter *s, bool in_order, struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES], part[GATHER_BYTES];
    const size_t most = in_order ? sizeof part / s->size : s->number;
    int64_t at = s->end;
    for (size_t i = 0, n; i < s->number; i += n) {
        n = s->number - i < most ? s->number - i : most;
        for (size_t k = 0; k < n && in_order; k++)
            memcpy(part + k * s->size, item_at(s, s->indices[i + k]), s->size);
        if (mpg_spool_write(s->fd, in_order ? part : s->buffer, n * s->size, at, mpg_spool_name(name), err) < 0)
            return -1;
        at += (int64_t)(n * s->size);
    }
    return 0;
}

/* Sorts the buffer and writes the items to the file as a run. If the buffer consists of few ascending sequences, writes each
 * sequence as a run without sorting, as long as a block of each run will fit into the buffer. Returns 0, or -1 with ERR. */
static int end_run(struct mpg_sorter *s, struct mpg_error *err)
{
    const bool has_room = (s->run_number + MAX_PIECES) * (MIN_BLOCK_BYTES / s->size + 1) < s->capacity;
    const bool in_pieces = has_room && is_few_pieces(s);
    if (!in_pieces)
        sort_buffer(s);
    if ((s->fd < 0 && (s->fd = mpg_spool_file(err)) < 0) || write_items(s, !in_pieces, err) < 0)
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

/* Reads the next block of R, or sets r->item to `last` at the end of the run. Returns 0, or -1 with ERR. */
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
    r->item = n > 0 ? r->block : (const char *)last;
    r->end = r->block + n * s->size;
    return 0;
}

/* Run R is the first below its leaf: finds the first of all runs, by the comparisons on the way up to the root. */
static void play(struct mpg_sorter *s, size_t r)
{
    for (size_t node = (s->run_number + r) / 2; node > 0; node /= 2) {
        const size_t other = s->losers[node];
        const bool is_other = precedes(s, s->runs[other].item, s->runs[r].item);
        s->losers[node] = is_other ? r : other;
        r = is_other ? other : r;
    }
    s->losers[0] = r;
}

/* Sets s->losers for all runs. FIRST: room for 2 s->run_number numbers. */
static void play_all(struct mpg_sorter *s, size_t *first)
{
    for (size_t r = 0; r < s->run_number; r++)
        first[s->run_number + r] = r;
    for (size_t node = s->run_number - 1; node > 0; node--) {
        const size_t a = first[2 * node], b = first[2 * node + 1];
        const bool is_a = !precedes(s, s->runs[b].item, s->runs[a].item);
        first[node] = is_a ? a : b;
        s->losers[node] = is_a ? b : a;
    }
    s->losers[0] = first[1];
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
    size_t *first = malloc(2 * s->run_number * sizeof *first);
    int status = first && (s->losers = malloc(s->run_number * sizeof *s->losers)) ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < s->run_number && status == 0; i++) {
        s->runs[i].block = s->buffer + i * s->block_items * s->size;
        status = read_block(s, &s->runs[i], err);
    }
    if (status == 0)
        play_all(s, first);
    free(first);
    return status;
}

int mpg_sorter_sort(struct mpg_sorter *s, struct mpg_error *err)
{
    if (s->fd >= 0)
        return (s->number > 0 && end_run(s, err) < 0) ? -1 : begin_merge(s, err);
    sort_buffer(s);
    return 0;
}

/* Moves on from the item that was returned last. Returns 0, or -1 with ERR. */
static int advance(struct mpg_sorter *s, struct mpg_error *err)
{
    struct run *r = &s->runs[s->losers[0]];
    r->item += s->size;
    if (r->item == r->end && read_block(s, r, err) < 0)
        return -1;
    play(s, s->losers[0]);
    return 0;
}

int mpg_sorter_next(struct mpg_sorter *s, const void **item, struct mpg_error *err)
{
    if (s->fd < 0) {
        if (s->next == s->number)
            return 0;
        *item = item_at(s, s->indices[s->next++]);
        return 1;
    }
    if (s->is_given && advance(s, err) < 0)
        return -1;
    const char *first = s->runs[s->losers[0]].item;
    s->is_given = first != (const char *)last;
    if (s->is_given)
        *item = first;
    return s->is_given;
}
