/* SPDX-License-Identifier: GPL-3.0-or-later */
/* There is a queue of all tags for each receiver, communicator and source, and a queue for each of the tags. A group
 * lists the non-empty queues. */
#include "simulate/choice/unexpected.h"

#include <stdlib.h>

#include "common/reserve.h"

enum { TAKEN = 1, MARKED = 2 };
enum { ANY = -1 }; /* in a key, instead of a rank or a tag */

static uint64_t pair_of(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

static void *find(const struct mpg_map *map, uint64_t key0, uint64_t key1)
{
    const uint64_t *slot = mpg_map_find(map, key0, key1);
    return slot ? (void *)(uintptr_t)*slot : NULL;
}

/* ---- lists ---- */

/* Appends M to list WHICH, from *FIRST to *LAST. */
static void append(struct mpg_pending *m, enum mpg_pending_list which, struct mpg_pending **first,
                   struct mpg_pending **last)
{
    m->before[which] = *last;
    m->next[which] = NULL;
    *(*last ? &(*last)->next[which] : first) = m;
    *last = m;
}

static void unlink_pending(struct mpg_pending *m, enum mpg_pending_list which, struct mpg_pending **first,
                          struct mpg_pending **last)
{
    *(m->before[which] ? &m->before[which]->next[which] : first) = m->next[which];
    if (m->next[which])
        m->next[which]->before[which] = m->before[which];
    else if (last)
        *last = m->before[which];
}

static void list_queue(struct mpg_queue *q)
{
    q->before = NULL;
    q->next = q->group->queues;
    if (q->next)
        q->next->before = q;
    q->group->queues = q;
    q->group->count++;
}

static void unlist_queue(struct mpg_queue *q)
{
    *(q->before ? &q->before->next : &q->group->queues) = q->next;
    if (q->next)
        q->next->before = q->before;
    q->group->count--;
}

/* ---- queues ---- */

static struct mpg_group *get_group(struct mpg_unexpected *unexpected, int32_t receiver, int32_t comm, int32_t tag)
{
    const uint64_t key0 = pair_of(receiver, comm), key1 = pair_of(ANY, tag);
    uint64_t *slot = mpg_map_add(&unexpected->groups, key0, key1);
    if (slot && *slot)
        return (struct mpg_group *)(uintptr_t)*slot;
    unexpected->group_pool.size = sizeof(struct mpg_group);
    struct mpg_group *group = slot ? mpg_pool_take(&unexpected->group_pool) : NULL;
    if (!group)
        return NULL;
    group->key[0] = key0;
    group->key[1] = key1;
    *slot = (uint64_t)(uintptr_t)group;
    return group;
}

/* Adds the queue for the message of S: of messages with TAG, or of all tags (ANY). */
static struct mpg_queue *new_queue(struct mpg_unexpected *unexpected, const struct mpg_step *s, int32_t tag)
{
    struct mpg_group *group = get_group(unexpected, s->receiver, s->comm, tag);
    uint64_t *all = group && tag == ANY
                        ? mpg_map_add(&unexpected->pairs, (uint64_t)s->receiver, (uint64_t)s->rank)
                        : NULL;
    unexpected->queue_pool.size =
        sizeof(struct mpg_queue) + ((size_t)unexpected->n + 1) * sizeof(struct mpg_pending *);
    if (!group || (tag == ANY && !all))
        return NULL;
    struct mpg_queue *q = mpg_pool_take(&unexpected->queue_pool);
    if (!q)
        return NULL;
    q->group = group;
    q->source = s->rank;
    q->comm = s->comm;
    if (all) {
        q->other = (struct mpg_queue *)(uintptr_t)*all;
        *all = (uint64_t)(uintptr_t)q;
    }
    return q;
}

static struct mpg_queue *get_queue(struct mpg_unexpected *unexpected, const struct mpg_step *s, int32_t tag)
{
    uint64_t *slot =
        mpg_map_add(&unexpected->queues, pair_of(s->receiver, s->comm), pair_of(s->rank, tag));
    if (slot && !*slot)
        *slot = (uint64_t)(uintptr_t)new_queue(unexpected, s, tag);
    return slot ? (struct mpg_queue *)(uintptr_t)*slot : NULL;
}

static void enqueue(const struct mpg_unexpected *unexpected, struct mpg_pending *m, enum mpg_pending_list which)
{
    struct mpg_queue *q = m->queue[which];
    if (!q->first)
        list_queue(q);
    append(m, which, &q->first, &q->last);
    for (uint32_t w = 0; w <= unexpected->n; w++)
        if (!q->head[w])
            q->head[w] = m;
}

/* Frees Q, an empty queue of a single tag, because the queues of a program with very many tags would fill the memory. */
static void drop_queue(struct mpg_unexpected *unexpected, struct mpg_queue *q)
{
    struct mpg_group *group = q->group;
    mpg_map_remove(&unexpected->queues, group->key[0], pair_of(q->source, (int32_t)(uint32_t)group->key[1]));
    mpg_pool_give(&unexpected->queue_pool, q);
    if (group->count > 0)
        return;
    mpg_map_remove(&unexpected->groups, group->key[0], group->key[1]);
    mpg_pool_give(&unexpected->group_pool, group);
}

static void dequeue(struct mpg_unexpected *unexpected, struct mpg_pending *m, enum mpg_pending_list which)
{
    struct mpg_queue *q = m->queue[which];
    unlink_pending(m, which, &q->first, &q->last);
    if (q->first)
        return;
    unlist_queue(q);
    if (which == MPG_PENDING_TAG)
        drop_queue(unexpected, q);
}

struct mpg_queue *mpg_unexpected_from(const struct mpg_unexpected *unexpected, int32_t rank, int32_t source)
{
    return find(&unexpected->pairs, (uint64_t)rank, (uint64_t)source);
}

struct mpg_group *mpg_unexpected_group(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits)
{
    return find(&unexpected->groups, pair_of(rank, fits->comm), pair_of(ANY, fits->any_tag ? ANY : fits->tag));
}

struct mpg_queue *mpg_unexpected_queue(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits)
{
    return find(&unexpected->queues, pair_of(rank, fits->comm),
                pair_of(fits->source, fits->any_tag ? ANY : fits->tag));
}

/* ---- sends ---- */

/* Returns a message whose vectors are 0; NULL: no memory. */
static struct mpg_pending *new_pending(struct mpg_unexpected *unexpected)
{
    const uint32_t n = unexpected->n;
    const size_t vectors = 3 * (size_t)n * sizeof(double), flags = 2 * (size_t)n + 1;
    unexpected->pending_pool.size = sizeof(struct mpg_pending) + vectors + flags;
    struct mpg_pending *pending = mpg_pool_take(&unexpected->pending_pool);
    if (!pending)
        return NULL;
    pending->value = (double *)(void *)(pending + 1);
    pending->propagated = pending->value + n;
    pending->cause = pending->propagated + n;
    pending->answered = (bool *)(pending->cause + n);
    pending->taken = (uint8_t *)(pending->answered + n);
    pending->left = n + 1;
    return pending;
}

static uint32_t take_number(struct mpg_unexpected *unexpected)
{
    if (unexpected->unused_number > 0)
        return unexpected->unused[--unexpected->unused_number];
    return unexpected->numbers ? (*unexpected->numbers)++ : 0;
}

static void give_number(struct mpg_unexpected *unexpected, uint32_t number)
{
    struct mpg_error err;
    if (unexpected->numbers && mpg_reserve_at(&unexpected->unused, sizeof *unexpected->unused, &unexpected->unused_capacity,
                                         /* if memory runs out, the number is not reused */
                                         unexpected->unused_number + 1, &err) == 0)
        unexpected->unused[unexpected->unused_number++] = number;
}

struct mpg_pending *mpg_unexpected_add(struct mpg_unexpected *unexpected, const struct mpg_step *s,
                                 struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&unexpected->pending, s->message, 0);
    struct mpg_queue *all = slot ? get_queue(unexpected, s, ANY) : NULL;
    struct mpg_queue *tag = all ? get_queue(unexpected, s, s->tag) : NULL;
    struct mpg_pending *pending = tag ? new_pending(unexpected) : NULL;
    if (!pending) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *slot = (uint64_t)(uintptr_t)pending;
    pending->id = s->message;
    pending->number = take_number(unexpected);
    pending->tag = s->tag;
    pending->bytes = s->bytes;
    pending->queue[MPG_PENDING_ALL] = all;
    pending->queue[MPG_PENDING_TAG] = tag;
    enqueue(unexpected, pending, MPG_PENDING_ALL);
    enqueue(unexpected, pending, MPG_PENDING_TAG);
    return pending;
}

struct mpg_pending *mpg_unexpected_find(const struct mpg_unexpected *unexpected, uint64_t id)
{
    return find(&unexpected->pending, id, 0);
}

/* ---- takes ---- */

enum mpg_pending_list mpg_unexpected_which(const struct mpg_queue *queue)
{
    return (int32_t)(uint32_t)queue->group->key[1] == ANY ? MPG_PENDING_ALL : MPG_PENDING_TAG;
}

struct mpg_pending *mpg_unexpected_next(struct mpg_unexpected *unexpected, struct mpg_pending *m, enum mpg_pending_list which,
                                  uint32_t w)
{
    unexpected->looks++;
    for (; m && m->taken[w]; unexpected->looks++)
        m = m->next[which];
    return m;
}

/* Frees M, which is the head of a queue in no lane. */
static void drop(struct mpg_unexpected *unexpected, struct mpg_pending *m)
{
    unlink_pending(m, MPG_PENDING_OVERDUE, &m->queue[MPG_PENDING_ALL]->overdue, NULL);
    dequeue(unexpected, m, MPG_PENDING_ALL);
    dequeue(unexpected, m, MPG_PENDING_TAG);
    mpg_map_remove(&unexpected->pending, m->id, 0);
    give_number(unexpected, m->number);
    mpg_pool_give(&unexpected->pending_pool, m);
}

/* Moves the head of QUEUE in lane W on past the messages taken by W. */
static void move_head(struct mpg_unexpected *unexpected, struct mpg_queue *queue, enum mpg_pending_list which, uint32_t w)
{
    struct mpg_pending *head = queue->head[w];
    for (; head && head->taken[w] == TAKEN; unexpected->looks++)
        head = head->next[which];
    queue->head[w] = head;
}

/* Lists M as overdue: taken in the trace, but not yet in some lane. */
static void make_overdue(struct mpg_pending *m)
{
    struct mpg_queue *q = m->queue[MPG_PENDING_ALL];
    m->before[MPG_PENDING_OVERDUE] = NULL;
    m->next[MPG_PENDING_OVERDUE] = q->overdue;
    if (q->overdue)
        q->overdue->before[MPG_PENDING_OVERDUE] = m;
    q->overdue = m;
}

void mpg_unexpected_take(struct mpg_unexpected *unexpected, struct mpg_pending *pending, uint32_t w)
{
    if (pending->taken[w] == TAKEN)
        return;
    pending->taken[w] = TAKEN;
    move_head(unexpected, pending->queue[MPG_PENDING_ALL], MPG_PENDING_ALL, w);
    move_head(unexpected, pending->queue[MPG_PENDING_TAG], MPG_PENDING_TAG, w);
    if (w == unexpected->n)
        make_overdue(pending);
    if (--pending->left == 0)
        drop(unexpected, pending);
}

bool mpg_unexpected_mark(struct mpg_pending *pending, uint32_t w)
{
    if (pending->taken[w])
        return false;
    pending->taken[w] = MARKED;
    return true;
}

void mpg_unexpected_unmark(struct mpg_pending *pending, uint32_t w)
{
    if (pending->taken[w] == MARKED)
        pending->taken[w] = 0;
}

/* ---- the end ---- */

void mpg_unexpected_notify_left(const struct mpg_unexpected *unexpected, void (*mark)(void *context, uint32_t number, uint32_t w,
                                                                                      bool propagated),
                         void *context)
{
    for (size_t i = 0; i < unexpected->pending.capacity; i++) {
        if (!unexpected->pending.entries[i].used)
            continue;
        const struct mpg_pending *m = (const struct mpg_pending *)(uintptr_t)unexpected->pending.entries[i].value;
        for (uint32_t w = 0; w < unexpected->n; w++)
            if (m->taken[w] != TAKEN)
                mark(context, m->number, w, true);
    }
}

void mpg_unexpected_clear(struct mpg_unexpected *unexpected)
{
    mpg_map_clear(&unexpected->pending);
    mpg_map_clear(&unexpected->queues);
    mpg_map_clear(&unexpected->groups);
    mpg_map_clear(&unexpected->pairs);
    mpg_pool_clear(&unexpected->pending_pool);
    mpg_pool_clear(&unexpected->queue_pool);
    mpg_pool_clear(&unexpected->group_pool);
    free(unexpected->unused);
    unexpected->unused = NULL;
}

size_t mpg_unexpected_lane_bytes(void)
{
    return 3 * sizeof(double) + 2 + sizeof(struct mpg_pending *);
}
