/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking up what was shown. */
#include "graph/moved.h"

const struct mpg_carried mpg_carries_nothing = {
    .blocking_bytes = INT64_MAX, .requested_bytes = INT64_MAX, .posted_bytes = INT64_MAX, .moved_bytes = INT64_MAX};

bool mpg_carries_collectives(const struct mpg_carried *c)
{
    bool moves = c->moves;
    for (uint32_t i = 0; i < c->moved_number; i++)
        moves = moves || c->moved[i].moves;
    return moves;
}

bool mpg_carries_any(const struct mpg_carried *c)
{
    return c->blocking_bytes < INT64_MAX || c->requested_bytes < INT64_MAX || c->starts || c->served_number > 0 ||
           mpg_carries_collectives(c);
}

uint64_t mpg_carries_sum(const struct mpg_carried *c)
{
    const uint64_t words[] = {(uint64_t)c->blocking_bytes, (uint64_t)c->requested_bytes, (uint64_t)c->posted_bytes,
                              c->starts, c->moved_number, c->moves, (uint64_t)c->moved_bytes, c->served_number};
    uint64_t sum = mpg_sum_words(0, words, sizeof words / sizeof *words);
    for (uint32_t i = 0; i < c->served_number; i++) {
        const struct mpg_served *s = &c->served[i];
        const uint64_t of_served[] = {s->call, s->starting, s->completing, (uint64_t)s->bytes};
        sum = mpg_sum_words(sum, of_served, sizeof of_served / sizeof *of_served);
    }
    for (uint32_t i = 0; i < c->moved_number; i++) {
        const struct mpg_nonblocking *m = &c->moved[i];
        const uint64_t of_moved[] = {m->call, (uint64_t)m->members, (uint64_t)m->bytes, m->moves, m->carried};
        sum = mpg_sum_choice(mpg_sum_words(sum, of_moved, sizeof of_moved / sizeof *of_moved), &m->choice);
    }
    return sum;
}

bool mpg_carries_same(const struct mpg_carried *a, const struct mpg_carried *b)
{
    return mpg_carries_sum(a) == mpg_carries_sum(b);
}

struct mpg_nonblocking mpg_graph_moved_as(const struct mpg_carried *shown, const struct mpg_collective_table *table,
                                          enum mpg_call call, const struct mpg_collective_size *size)
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
        .choice = mpg_collective_table_find_nonblocking(table, size->operation, size->p, mpg_plan_bytes(size))};
}
