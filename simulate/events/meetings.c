/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Barriers: members come in the graph's order, and all have come when all their values are known. */
#include <stdlib.h>

#include "common/reserve.h"
#include "simulate/events/program_parts.h"

static bool same(const struct mpg_origin *a, const struct mpg_origin *b)
{
    return a->rank == b->rank && a->call == b->call && a->index == b->index;
}

int program_join(struct program *p, const struct mpg_step *s, struct mpg_error *err)
{
    struct meeting *m = p->open;
    uint32_t came = s->a;
    if (!m || !same(&m->origin, &s->meeting)) {
        uint32_t cell;
        if (!(m = calloc(1, sizeof *m)))
            return mpg_error_set(err, "out of memory");
        if (program_new_cell(p, &cell, err) < 0) {
            free(m);
            return -1;
        }
        m->origin = s->meeting;
        m->cell = cell;
        m->sorted = true;
        m->next = p->open;
        p->cell[cell].meeting = m;
        p->cell[cell].uses = 1; /* until it is sealed */
        p->open = m;
    }
    if (program_reads(p, &came, err) < 0)
        return -1;
    void *members = m->member;
    uint32_t capacity = (uint32_t)m->capacity;
    const int status = mpg_reserve(&members, sizeof *m->member, &capacity, (uint32_t)m->n + 1, err);
    m->member = members;
    m->capacity = (int32_t)capacity;
    if (status < 0)
        return -1;
    m->sorted = m->sorted && (m->n == 0 || m->member[m->n - 1].rank < s->rank);
    m->member[m->n++] = (struct meeting_member){.rank = s->rank, .cell = came};
    program_rename(p, s->slot, m->cell);
    return 0;
}

int program_met(struct program *p, struct meeting *m, const struct program_calls *calls,
                int (*wake)(void *world, uint32_t stream, struct mpg_error *err), struct mpg_error *err)
{
    const uint32_t cell = m->cell;
    for (int32_t i = 0; i < m->n; i++)
        program_leave(p, m->member[i].cell);
    const int status = program_know(p, cell, calls, wake, err);
    program_leave(p, cell);
    return status;
}

/* Which member RANK is: by halves where they are in the order of their ranks. */
static int32_t find_member(const struct meeting *m, int32_t rank)
{
    int32_t first = 0, n = m->n;
    while (m->sorted && n > 1) {
        const int32_t half = n / 2;
        first += m->member[first + half].rank <= rank ? half : 0;
        n -= half;
    }
    while (first + 1 < m->n && m->member[first].rank != rank)
        first++;
    return first;
}

double meeting_end(const struct meeting *m, int32_t rank)
{
    return m->member[find_member(m, rank)].end_ns;
}

int program_seal(struct program *p, const struct program_calls *calls, struct mpg_error *err)
{
    int status = 0;
    while (p->open) {
        struct meeting *m = p->open;
        p->open = m->next;
        for (int32_t i = 0; i < m->n && status == 0; i++) {
            const uint32_t cell = m->member[i].cell;
            if (p->cell[cell].known)
                continue;
            struct node *node = program_new_node(p);
            status = node ? program_watch_node(p, cell, node, err) : mpg_error_set(err, "out of memory");
            if (status < 0) {
                free(node);
                break;
            }
            node->step.kind = MPG_STEP_MERGE; /* a place of its own in the list: it tells the meeting */
            node->step.slot = m->cell;
            node->step.a = NO_CELL;
            m->missing++;
        }
        m->sealed = true;
        if (status == 0 && m->missing == 0)
            status = calls->meet(calls->world, m, err);
    }
    return status;
}

void meeting_free(struct meeting *m)
{
    free(m->member);
    free(m);
}
