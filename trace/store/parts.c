/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams in parts, of which the tracer has removed the oldest (mpgtrace record --last). The parts that are read are the last
 * ones without a gap, the same ones of all threads of a rank. Of the first part also the snapshot is read, unless the stream's
 * begin is there, too. */
#include <stdlib.h>
#include <string.h>

#include "trace/store/private.h"

int mpg_trace_add_part(struct trace_stream *s, const struct mpg_chunk *c, size_t file, int64_t offset, struct mpg_error *err)
{
    const uint32_t n = s->part_count;
    if ((n & (n - 1)) == 0) { /* a power of two: the array is full */
        struct trace_part *grown = realloc(s->parts, (n ? 2 * (size_t)n : 1) * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        s->parts = grown;
    }
    s->parts[s->part_count++] = (struct trace_part){.file = file, .offset = offset, .sequence = c->sequence,
                                                    .number = c->flags >> MPG_CHUNK_PART_SHIFT};
    return 0;
}

void mpg_trace_count_in_part(struct trace_part *part, const struct mpg_chunk *c)
{
    part->chunks++;
    part->events += c->events;
    part->stored_bytes += c->stored_bytes;
    if (c->kind == MPG_CHUNK_EVENTS && (c->flags & MPG_CHUNK_SNAPSHOT)) {
        part->snapshot_events += c->events;
        part->snapshot_bytes += c->stored_bytes;
    }
}

/* Returns the index of the first of the last parts of S that have no gap between them. */
static uint32_t first_of_chain(const struct trace_stream *s)
{
    uint32_t i = s->part_count - 1;
    while (i > 0 && s->parts[i - 1].sequence + s->parts[i - 1].chunks == s->parts[i].sequence)
        i--;
    return i;
}

/* Returns whether part number A is before B. Numbers wrap around. */
static bool is_before(uint32_t a, uint32_t b)
{
    const uint32_t range = 1u << MPG_CHUNK_PART_BITS, distance = (b - a) & (range - 1);
    return distance > 0 && distance < range / 2;
}

/* Drops the first N parts of S. */
static void drop_parts(struct trace_stream *s, uint32_t n)
{
    s->part_count -= n;
    if (n > 0)
        memmove(s->parts, s->parts + n, s->part_count * sizeof *s->parts);
}

/* Counts the events of all parts of S, and sets which snapshots are skipped. */
static void sum_parts(struct trace_stream *s)
{
    uint64_t next = s->base_chunks;
    for (uint32_t i = 0; i < s->part_count; i++) {
        struct trace_part *part = &s->parts[i];
        part->skips = part->sequence == next;
        s->events += part->events - (part->skips ? part->snapshot_events : 0);
        s->stored_bytes += part->stored_bytes - (part->skips ? part->snapshot_bytes : 0);
        next = part->sequence + part->chunks;
    }
}

static void settle_rank(struct trace_rank *r)
{
    uint32_t first = 0;
    bool is_cut = false;
    for (uint32_t i = 0; i < r->threads; i++) {
        struct trace_stream *s = &r->stream[i];
        if (s->part_count == 0)
            continue;
        drop_parts(s, first_of_chain(s));
        if (s->parts[0].sequence == s->base_chunks) /* the thread's begin is there: it may be younger than the others' parts */
            continue;
        first = is_cut && !is_before(first, s->parts[0].number) ? first : s->parts[0].number;
        is_cut = true;
    }
    for (uint32_t i = 0; i < r->threads; i++) {
        struct trace_stream *s = &r->stream[i];
        uint32_t n = 0;
        while (is_cut && n < s->part_count && is_before(s->parts[n].number, first))
            n++;
        drop_parts(s, n);
        sum_parts(s);
    }
}

void mpg_trace_settle_parts(struct mpg_trace *t)
{
    for (int32_t r = 0; r < t->ranks; r++)
        settle_rank(&t->rank[r]);
}
