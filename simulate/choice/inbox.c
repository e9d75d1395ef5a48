/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues by receiver, communicator and source, and by tag; those that hold any are listed. */
#include "simulate/choice/inbox.h"

#include <stdlib.h>

#include "common/reserve.h"

enum { TAKEN = 1, MARKED = 2 };
enum { ANY = -1 }; /* in a key: no rank, no tag */

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

/* M is the last of WHICH, between *FIRST and *LAST. */
static void append(struct mpg_letter *m, enum mpg_letters which, struct mpg_letter **first,
                   struct mpg_letter **last)
{
    m->before[which] = *last;
    m->next[which] = NULL;
    *(*last ? &(*last)->next[which] : first) = m;
    *last = m;
}

static void unlink_letter(struct mpg_letter *m, enum mpg_letters which, struct mpg_letter **first,
                          struct mpg_letter **last)
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

static struct mpg_group *get_group(struct mpg_inbox *inbox, int32_t receiver, int32_t comm, int32_t tag)
{
    const uint64_t key0 = pair_of(receiver, comm), key1 = pair_of(ANY, tag);
    uint64_t *slot = mpg_map_add(&inbox->groups, key0, key1);
    if (slot && *slot)
        return (struct mpg_group *)(uintptr_t)*slot;
    inbox->group_pool.size = sizeof(struct mpg_group);
    struct mpg_group *group = slot ? mpg_pool_take(&inbox->group_pool) : NULL;
    if (!group)
        return NULL;
    group->key[0] = key0;
    group->key[1] = key1;
    *slot = (uint64_t)(uintptr_t)group;
    return group;
}

/* Of S, with its tag, or any. */
static struct mpg_queue *new_queue(struct mpg_inbox *inbox, const struct mpg_step *s, int32_t tag)
{
    struct mpg_group *group = get_group(inbox, s->receiver, s->comm, tag);
    uint64_t *all = group && tag == ANY
                        ? mpg_map_add(&inbox->pairs, (uint64_t)s->receiver, (uint64_t)s->rank)
                        : NULL;
    inbox->queue_pool.size =
        sizeof(struct mpg_queue) + ((size_t)inbox->n + 1) * sizeof(struct mpg_letter *);
    if (!group || (tag == ANY && !all))
        return NULL;
    struct mpg_queue *q = mpg_pool_take(&inbox->queue_pool);
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

static struct mpg_queue *get_queue(struct mpg_inbox *inbox, const struct mpg_step *s, int32_t tag)
{
    uint64_t *slot =
        mpg_map_add(&inbox->queues, pair_of(s->receiver, s->comm), pair_of(s->rank, tag));
    if (slot && !*slot)
        *slot = (uint64_t)(uintptr_t)new_queue(inbox, s, tag);
    return slot ? (struct mpg_queue *)(uintptr_t)*slot : NULL;
}

static void enqueue(const struct mpg_inbox *inbox, struct mpg_letter *m, enum mpg_letters which)
{
    struct mpg_queue *q = m->queue[which];
    if (!q->first)
        list_queue(q);
    append(m, which, &q->first, &q->last);
    for (uint32_t w = 0; w <= inbox->n; w++)
        if (!q->head[w])
            q->head[w] = m;
}

/* Those of one tag are as many as there are tags: none is kept that is empty. */
static void drop_queue(struct mpg_inbox *inbox, struct mpg_queue *q)
{
    struct mpg_group *group = q->group;
    mpg_map_remove(&inbox->queues, group->key[0], pair_of(q->source, (int32_t)(uint32_t)group->key[1]));
    mpg_pool_give(&inbox->queue_pool, q);
    if (group->count > 0)
        return;
    mpg_map_remove(&inbox->groups, group->key[0], group->key[1]);
    mpg_pool_give(&inbox->group_pool, group);
}

static void dequeue(struct mpg_inbox *inbox, struct mpg_letter *m, enum mpg_letters which)
{
    struct mpg_queue *q = m->queue[which];
    unlink_letter(m, which, &q->first, &q->last);
    if (q->first)
        return;
    unlist_queue(q);
    if (which == MPG_LETTERS_TAG)
        drop_queue(inbox, q);
}

struct mpg_queue *mpg_inbox_from(const struct mpg_inbox *inbox, int32_t rank, int32_t source)
{
    return find(&inbox->pairs, (uint64_t)rank, (uint64_t)source);
}

struct mpg_group *mpg_inbox_group(const struct mpg_inbox *inbox, int32_t rank, const struct mpg_message_pattern *fits)
{
    return find(&inbox->groups, pair_of(rank, fits->comm), pair_of(ANY, fits->any_tag ? ANY : fits->tag));
}

struct mpg_queue *mpg_inbox_queue(const struct mpg_inbox *inbox, int32_t rank, const struct mpg_message_pattern *fits)
{
    return find(&inbox->queues, pair_of(rank, fits->comm),
                pair_of(fits->source, fits->any_tag ? ANY : fits->tag));
}

/* ---- what is sent ---- */

/* One with all its vectors, 0, or NULL. */
static struct mpg_letter *new_letter(struct mpg_inbox *inbox)
{
    const uint32_t n = inbox->n;
    const size_t vectors = 3 * (size_t)n * sizeof(double), flags = 2 * (size_t)n + 1;
    inbox->letter_pool.size = sizeof(struct mpg_letter) + vectors + flags;
    struct mpg_letter *letter = mpg_pool_take(&inbox->letter_pool);
    if (!letter)
        return NULL;
    letter->value = (double *)(void *)(letter + 1);
    letter->bare = letter->value + n;
    letter->cause = letter->bare + n;
    letter->answered = (bool *)(letter->cause + n);
    letter->taken = (uint8_t *)(letter->answered + n);
    letter->left = n + 1;
    return letter;
}

static uint32_t take_number(struct mpg_inbox *inbox)
{
    if (inbox->unused_number > 0)
        return inbox->unused[--inbox->unused_number];
    return inbox->numbers ? (*inbox->numbers)++ : 0;
}

static void give_number(struct mpg_inbox *inbox, uint32_t number)
{
    struct mpg_error err;
    if (inbox->numbers && mpg_reserve_at(&inbox->unused, sizeof *inbox->unused, &inbox->unused_capacity,
                                         inbox->unused_number + 1, &err) == 0) /* else nobody has it again */
        inbox->unused[inbox->unused_number++] = number;
}

struct mpg_letter *mpg_inbox_add(struct mpg_inbox *inbox, const struct mpg_step *s,
                                 struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&inbox->letters, s->message, 0);
    struct mpg_queue *all = slot ? get_queue(inbox, s, ANY) : NULL;
    struct mpg_queue *tag = all ? get_queue(inbox, s, s->tag) : NULL;
    struct mpg_letter *letter = tag ? new_letter(inbox) : NULL;
    if (!letter) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *slot = (uint64_t)(uintptr_t)letter;
    letter->id = s->message;
    letter->number = take_number(inbox);
    letter->tag = s->tag;
    letter->bytes = s->bytes;
    letter->queue[MPG_LETTERS_ALL] = all;
    letter->queue[MPG_LETTERS_TAG] = tag;
    enqueue(inbox, letter, MPG_LETTERS_ALL);
    enqueue(inbox, letter, MPG_LETTERS_TAG);
    return letter;
}

struct mpg_letter *mpg_inbox_find(const struct mpg_inbox *inbox, uint64_t id)
{
    return find(&inbox->letters, id, 0);
}

/* ---- what is taken ---- */

enum mpg_letters mpg_inbox_which(const struct mpg_queue *queue)
{
    return (int32_t)(uint32_t)queue->group->key[1] == ANY ? MPG_LETTERS_ALL : MPG_LETTERS_TAG;
}

struct mpg_letter *mpg_inbox_next(struct mpg_inbox *inbox, struct mpg_letter *m, enum mpg_letters which,
                                  uint32_t w)
{
    inbox->looks++;
    for (; m && m->taken[w]; inbox->looks++)
        m = m->next[which];
    return m;
}

/* Nobody needs M, of which no lane's head is any more. */
static void drop(struct mpg_inbox *inbox, struct mpg_letter *m)
{
    unlink_letter(m, MPG_LETTERS_OVERDUE, &m->queue[MPG_LETTERS_ALL]->overdue, NULL);
    dequeue(inbox, m, MPG_LETTERS_ALL);
    dequeue(inbox, m, MPG_LETTERS_TAG);
    mpg_map_remove(&inbox->letters, m->id, 0);
    give_number(inbox, m->number);
    mpg_pool_give(&inbox->letter_pool, m);
}

/* The head of QUEUE in lane W passes what W has taken. */
static void move_head(struct mpg_inbox *inbox, struct mpg_queue *queue, enum mpg_letters which, uint32_t w)
{
    struct mpg_letter *head = queue->head[w];
    for (; head && head->taken[w] == TAKEN; inbox->looks++)
        head = head->next[which];
    queue->head[w] = head;
}

/* The trace has taken it; its lanes have not all. */
static void make_overdue(struct mpg_letter *m)
{
    struct mpg_queue *q = m->queue[MPG_LETTERS_ALL];
    m->before[MPG_LETTERS_OVERDUE] = NULL;
    m->next[MPG_LETTERS_OVERDUE] = q->overdue;
    if (q->overdue)
        q->overdue->before[MPG_LETTERS_OVERDUE] = m;
    q->overdue = m;
}

void mpg_inbox_take(struct mpg_inbox *inbox, struct mpg_letter *letter, uint32_t w)
{
    if (letter->taken[w] == TAKEN)
        return;
    letter->taken[w] = TAKEN;
    move_head(inbox, letter->queue[MPG_LETTERS_ALL], MPG_LETTERS_ALL, w);
    move_head(inbox, letter->queue[MPG_LETTERS_TAG], MPG_LETTERS_TAG, w);
    if (w == inbox->n)
        make_overdue(letter);
    if (--letter->left == 0)
        drop(inbox, letter);
}

bool mpg_inbox_mark(struct mpg_letter *letter, uint32_t w)
{
    if (letter->taken[w])
        return false;
    letter->taken[w] = MARKED;
    return true;
}

void mpg_inbox_unmark(struct mpg_letter *letter, uint32_t w)
{
    if (letter->taken[w] == MARKED)
        letter->taken[w] = 0;
}

/* ---- the end ---- */

void mpg_inbox_tell_left(const struct mpg_inbox *inbox, void (*mark)(void *context, uint32_t number, uint32_t w, bool bare),
                         void *context)
{
    for (size_t i = 0; i < inbox->letters.capacity; i++) {
        if (!inbox->letters.entries[i].used)
            continue;
        const struct mpg_letter *m = (const struct mpg_letter *)(uintptr_t)inbox->letters.entries[i].value;
        for (uint32_t w = 0; w < inbox->n; w++)
            if (m->taken[w] != TAKEN)
                mark(context, m->number, w, true);
    }
}

void mpg_inbox_clear(struct mpg_inbox *inbox)
{
    mpg_map_clear(&inbox->letters);
    mpg_map_clear(&inbox->queues);
    mpg_map_clear(&inbox->groups);
    mpg_map_clear(&inbox->pairs);
    mpg_pool_clear(&inbox->letter_pool);
    mpg_pool_clear(&inbox->queue_pool);
    mpg_pool_clear(&inbox->group_pool);
    free(inbox->unused);
    inbox->unused = NULL;
}

size_t mpg_inbox_letter_bytes(void)
{
    return 3 * sizeof(double) + 2 + sizeof(struct mpg_letter *);
}
