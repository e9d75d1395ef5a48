/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells for which calls and sizes weak progress was observed: communication that progresses only inside MPI calls. */
#include "graph/nonblocking.h"

const struct mpg_weak_progress mpg_no_weak_progress = {
    .blocking_bytes = INT64_MAX, .requested_bytes = INT64_MAX, .tree_bytes = INT64_MAX, .nonblocking_bytes = INT64_MAX};

bool mpg_weak_progress_of_collectives(const struct mpg_weak_progress *c)
{
    bool moves = c->nonblocking_weak;
    for (uint32_t i = 0; i < c->nonblocking_number; i++)
        moves = moves || c->nonblocking[i].is_weak;
    return moves;
}

bool mpg_weak_progress_any(const struct mpg_weak_progress *c)
{
    return c->blocking_bytes < INT64_MAX || c->requested_bytes < INT64_MAX || c->win_start_waits || c->rma_number > 0 ||
           mpg_weak_progress_of_collectives(c);
}

uint64_t mpg_weak_progress_sum(const struct mpg_weak_progress *c)
{
    const uint64_t words[] = {(uint64_t)c->blocking_bytes, (uint64_t)c->requested_bytes, (uint64_t)c->tree_bytes,
                              c->win_start_waits, c->nonblocking_number, c->nonblocking_weak, (uint64_t)c->nonblocking_bytes,
                              c->rma_number};
    uint64_t sum = mpg_sum_words(0, words, sizeof words / sizeof *words);
    for (uint32_t i = 0; i < c->rma_number; i++) {
        const struct mpg_rma_progress *s = &c->rma[i];
        const uint64_t of_served[] = {s->call, s->starting, s->completing, (uint64_t)s->bytes};
        sum = mpg_sum_words(sum, of_served, sizeof of_served / sizeof *of_served);
    }
    for (uint32_t i = 0; i < c->nonblocking_number; i++) {
        const struct mpg_nonblocking *m = &c->nonblocking[i];
        const uint64_t of_moved[] = {m->call, (uint64_t)m->members, (uint64_t)m->bytes, m->is_weak, m->sends_weak};
        sum = mpg_sum_choice(mpg_sum_words(sum, of_moved, sizeof of_moved / sizeof *of_moved), &m->choice);
    }
    return sum;
}

bool mpg_weak_progress_same(const struct mpg_weak_progress *a, const struct mpg_weak_progress *b)
{
    return mpg_weak_progress_sum(a) == mpg_weak_progress_sum(b);
}

struct mpg_nonblocking mpg_graph_nonblocking_rule(const struct mpg_weak_progress *observed,
                                                  const struct mpg_collective_table *table,
                                                  enum mpg_call call, const struct mpg_collective_size *size)
{
    for (uint32_t i = 0; i < observed->nonblocking_number; i++) {
        const struct mpg_nonblocking *m = &observed->nonblocking[i];
        if (m->call == call && m->members == size->p && (double)m->bytes == size->bytes)
            return *m;
    }
    return (struct mpg_nonblocking){
        .call = call,
        .members = size->p,
        .bytes = (int64_t)size->bytes,
        .is_weak = observed->nonblocking_weak,
        .sends_weak = observed->nonblocking_weak && size->bytes > (double)observed->nonblocking_bytes,
        .choice = mpg_collective_table_find_nonblocking(table, size->operation, size->p, mpg_plan_bytes(size))};
}
