/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking up what was shown. */
#include "graph/moved.h"

#include <string.h>

const struct mpg_carried mpg_carries_nothing = {
    .blocking_bytes = INT64_MAX, .requested_bytes = INT64_MAX, .posted_bytes = INT64_MAX, .moved_bytes = INT64_MAX};

bool mpg_carries_any(const struct mpg_carried *c)
{
    bool any = c->blocking_bytes < INT64_MAX || c->requested_bytes < INT64_MAX || c->starts || c->moves ||
               c->served_number > 0;
    for (uint32_t i = 0; i < c->moved_number; i++)
        any = any || c->moved[i].moves;
    return any;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
}

uint64_t mpg_carries_sum(const struct mpg_carried *c)
{
    const uint64_t words[] = {(uint64_t)c->blocking_bytes, (uint64_t)c->requested_bytes, (uint64_t)c->posted_bytes,
                              c->starts, c->moved_number, c->moves, (uint64_t)c->moved_bytes};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sum = mix(sum, words[i]);
    sum = mix(sum, c->served_number);
    for (uint32_t i = 0; i < c->served_number; i++) {
        const struct mpg_served *s = &c->served[i];
        sum = mix(sum, (uint64_t)s->call << 2 | (uint64_t)s->starting << 1 | s->completing);
        sum = mix(sum, (uint64_t)s->bytes);
    }
    for (uint32_t i = 0; i < c->moved_number; i++) {
        const struct mpg_nonblocking *m = &c->moved[i];
        uint64_t segment;
        memcpy(&segment, &m->choice.segment_bytes, sizeof segment);
        const uint64_t of_moved[] = {m->call, (uint64_t)m->members, (uint64_t)m->bytes, m->moves, m->carried,
                                     m->choice.algorithm, (uint64_t)m->choice.radix, segment, m->choice.waits};
        for (size_t k = 0; k < sizeof of_moved / sizeof *of_moved; k++)
            sum = mix(sum, of_moved[k]);
    }
    return sum;
}

bool mpg_carries_same(const struct mpg_carried *a, const struct mpg_carried *b)
{
    return mpg_carries_sum(a) == mpg_carries_sum(b);
}

struct mpg_nonblocking graph_moved_as(const struct mpg_carried *shown, const struct mpg_table *table, enum mpg_call call,
                                const struct mpg_collective_size *size)
{
    for (uint32_t i = 0; i < shown->moved_number; i++) {
        const struct mpg_nonblocking *m = &shown->moved[i];
        if (m->call == call && m->members == size->p && (double)m->bytes == size->bytes)
            return *m;
    }
    return (struct mpg_nonblocking){
        .call = call,
        .members = size->p,
        .bytes = (int64_t)size->bytes,
        .moves = shown->moves,
        .carried = shown->moves && size->bytes > (double)shown->moved_bytes,
        .choice = mpg_table_find_nonblocking(table, size->operation, size->p, mpg_plan_bytes(size))};
}
