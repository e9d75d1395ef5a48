/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The posted receives of each rank, in the order of the posting calls. */
#include "graph/matching/posted_queue.h"

#include "graph/call_ref.h"

struct posted_list {
    struct message *first, *last;
};

static struct posted_list *list_of(const struct posted *all, int32_t receiver)
{
    uint64_t *slot = mpg_map_find(&all->receivers, (uint64_t)receiver, 0);
    return slot ? (struct posted_list *)(uintptr_t)*slot : NULL;
}

static struct posted_list *add_list(struct posted *all, int32_t receiver, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&all->receivers, (uint64_t)receiver, 0);
    if (slot && *slot)
        return (struct posted_list *)(uintptr_t)*slot;
    all->pool.size = sizeof(struct posted_list);
    struct posted_list *list = slot ? mpg_pool_take(&all->pool) : NULL;
    if (!list) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    *slot = (uint64_t)(uintptr_t)list;
    return list;
}

int mpg_graph_posted_add(struct posted *all, struct message *m, uint32_t any, struct mpg_error *err)
{
    m->posted_any = (uint8_t)any;
    all->any_source = all->any_source || (any & MPG_ANY_SOURCE);
    if (!all->follows)
        return 0;
    struct posted_list *list = add_list(all, m->destination, err);
    if (!list)
        return -1;
    struct message *before = list->last; /* threads of a rank can post in a different order than the call numbers */
    while (before && before->posted_number > m->posted_number)
        before = graph_more(before)->posted_before;
    m->is_listed = true;
    struct more_of_message *more = graph_more(m);
    more->posted_before = before;
    more->posted_next = before ? graph_more(before)->posted_next : list->first;
    *(before ? &graph_more(before)->posted_next : &list->first) = m;
    *(more->posted_next ? &graph_more(more->posted_next)->posted_before : &list->last) = m;
    return 0;
}

void mpg_graph_posted_remove(struct posted *all, struct message *m)
{
    if (!m->is_listed)
        return;
    struct posted_list *list = list_of(all, m->destination);
    struct more_of_message *more = graph_more(m);
    *(more->posted_before ? &graph_more(more->posted_before)->posted_next : &list->first) = more->posted_next;
    *(more->posted_next ? &graph_more(more->posted_next)->posted_before : &list->last) = more->posted_before;
    m->is_listed = false;
    more->posted_next = more->posted_before = NULL;
}

struct message *mpg_graph_posted_first(const struct posted *all, int32_t receiver)
{
    const struct posted_list *list = list_of(all, receiver);
    return list ? list->first : NULL;
}

void mpg_graph_posted_clear(struct posted *all)
{
    mpg_map_clear(&all->receivers);
    mpg_pool_clear(&all->pool);
}
