/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that wait until their stream is that far. */
#include <stdlib.h>

#include "common/reserve.h"
#include "simulate/events/program_parts.h"

/* Steps of a stream after each other, packed. */
struct block {
    struct block *next;
    size_t capacity, used; /* bytes */
    char data[];
};

enum { BLOCK_BYTES = 1024 }; /* of most blocks, with what they begin with */

int program_reserve_streams(struct program *p, uint32_t n, struct mpg_error *err)
{
    if (n <= p->streams)
        return 0;
    if (mpg_reserve_at(&p->queue, sizeof *p->queue, &p->stream_capacity, n, err) < 0)
        return -1;
    p->streams = n;
    return 0;
}

static struct block *new_block(struct program *p, size_t bytes)
{
    const size_t usual = BLOCK_BYTES - sizeof(struct block), capacity = bytes > usual ? bytes : usual;
    struct block *b = bytes > usual ? malloc(sizeof *b + bytes) : pool_take(&p->blocks);
    if (b)
        *b = (struct block){.capacity = capacity};
    return b;
}

static void give_block(struct program *p, struct block *b)
{
    if (b->capacity > BLOCK_BYTES - sizeof *b)
        free(b);
    else
        pool_give(&p->blocks, b);
}

/* Room for BYTES behind what Q has; NULL: out of memory. */
static struct packed *room(struct program *p, struct queue *q, size_t bytes)
{
    struct block *last = q->last;
    if (!last || last->used + bytes > last->capacity) {
        struct block *b = new_block(p, bytes);
        if (!b)
            return NULL;
        if (last)
            last->next = b;
        else {
            q->first = b;
            q->at = b->data;
        }
        q->last = last = b;
    }
    return (struct packed *)(last->data + last->used);
}

/* Those that a stream's own step names. */
static int name_cells(struct program *p, struct packed *step, struct mpg_error *err)
{
    const bool writes = step->kind == MPG_STEP_STORE || step->kind == MPG_STEP_EAGER;
    uint32_t *slot;
    for (uint32_t i = 0; (slot = packed_slot(step, i)); i++)
        if ((writes ? program_writes(p, slot, err) : program_reads(p, slot, err)) < 0)
            return -1;
    return 0;
}

int program_append(struct program *p, const struct mpg_step *s, const struct program_calls *calls, struct mpg_error *err)
{
    if (program_reserve_streams(p, s->stream + 1, err) < 0)
        return -1;
    struct queue *q = &p->queue[s->stream];
    const enum packed_form form = p->keeps_whole ? PACKED_WHOLE : packed_form(s);
    const size_t bytes = packed_bytes(form, s);
    const bool was_empty = !q->first;
    struct packed *step = room(p, q, bytes);
    if (!step)
        return mpg_error_set(err, "out of memory");
    packed_write(step, form, s);
    if (name_cells(p, step, err) < 0)
        return -1;
    q->last->used += bytes;
    return was_empty ? calls->appended(calls->world, s->stream, err) : 0;
}

struct mpg_step *program_first(struct program *p, uint32_t stream, struct mpg_error *err)
{
    return packed_read((struct packed *)p->queue[stream].at, stream, &p->unpacked, err);
}

void program_drop(struct program *p, struct queue *q)
{
    struct packed *step = (struct packed *)q->at;
    struct block *first = q->first;
    const uint32_t *slot;
    for (uint32_t i = 0; (slot = packed_slot(step, i)); i++)
        program_leave(p, *slot);
    q->at += step->bytes;
    if (q->at < first->data + first->used)
        return;
    q->first = first->next;
    q->at = q->first ? q->first->data : NULL;
    if (!q->first)
        q->last = NULL;
    give_block(p, first);
}

void program_init_blocks(struct program *p)
{
    p->blocks.size = BLOCK_BYTES;
}

void program_clear_streams(struct program *p)
{
    for (uint32_t i = 0; i < p->streams; i++)
        while (p->queue[i].first) {
            struct block *b = p->queue[i].first;
            p->queue[i].first = b->next;
            free(b);
        }
    pool_clear(&p->blocks);
    unpacked_clear(&p->unpacked);
    free(p->queue);
}
