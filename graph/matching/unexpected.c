/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues by receiver and sender, which are there while they hold a message. */
#include "graph/matching/unexpected.h"

#include "graph/place.h"

static struct unexpected_queue *find_queue(struct unexpected *all, const struct message *m,
                                           struct mpg_error *err)
{
    uint64_t *pair = mpg_map_add(&all->pairs, (uint64_t)m->destination, (uint64_t)m->source);
    uint64_t *head = pair ? mpg_map_add(&all->receivers, (uint64_t)m->destination, 0) : NULL;
    if (pair && *pair)
        return (struct unexpected_queue *)(uintptr_t)*pair;
    all->pool.size = sizeof(struct unexpected_queue);
    struct unexpected_queue *q = head ? mpg_pool_take(&all->pool) : NULL;
    if (!q) {
        graph_out_of_memory(err);
        return NULL;
    }
    *pair = (uint64_t)(uintptr_t)q;
    q->next = (struct unexpected_queue *)(uintptr_t)*head;
    if (q->next)
        q->next->link = &q->next;
    *head = (uint64_t)(uintptr_t)q;
    return q;
}

int graph_unexpected_add(struct unexpected *all, struct message *m, struct mpg_error *err)
{
    struct unexpected_queue *q = find_queue(all, m, err);
    if (!q)
        return -1;
    m->is_unexpected = true;
    m->unexpected_next = NULL;
    if (q->first)
        q->last->unexpected_next = m;
    else
        q->first = m;
    q->last = m;
    return 0;
}

/* Takes Q, which is empty, out of its receiver's list. */
static void drop_queue(struct unexpected *all, const struct message *m, struct unexpected_queue *q)
{
    uint64_t *head = mpg_map_find(&all->receivers, (uint64_t)m->destination, 0);
    if (q->link)
        *q->link = q->next;
    else
        *head = (uint64_t)(uintptr_t)q->next;
    if (q->next)
        q->next->link = q->link;
    mpg_map_remove(&all->pairs, (uint64_t)m->destination, (uint64_t)m->source);
    mpg_pool_give(&all->pool, q);
}

void graph_unexpected_remove(struct unexpected *all, struct message *m)
{
    if (!m->is_unexpected)
        return;
    uint64_t *pair = mpg_map_find(&all->pairs, (uint64_t)m->destination, (uint64_t)m->source);
    struct unexpected_queue *q = (struct unexpected_queue *)(uintptr_t)*pair;
    struct message **link = &q->first, *before = NULL;
    for (; *link != m; link = &(*link)->unexpected_next)
        before = *link;
    *link = m->unexpected_next;
    if (q->last == m)
        q->last = before;
    m->is_unexpected = false;
    if (!q->first)
        drop_queue(all, m, q);
}

const struct unexpected_queue *graph_unexpected_of(const struct unexpected *all, int32_t receiver)
{
    uint64_t *head = mpg_map_find(&all->receivers, (uint64_t)receiver, 0);
    return head ? (struct unexpected_queue *)(uintptr_t)*head : NULL;
}

struct message *graph_unexpected_find(const struct unexpected_queue *queue, int32_t comm,
                                      bool any_tag, int32_t tag)
{
    struct message *m = queue->first;
    while (m && (m->comm != comm || (!any_tag && m->tag != tag)))
        m = m->unexpected_next;
    return m;
}

void graph_unexpected_clear(struct unexpected *all)
{
    mpg_map_clear(&all->pairs);
    mpg_map_clear(&all->receivers);
    mpg_pool_clear(&all->pool);
}
