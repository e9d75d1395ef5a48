/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records between parts. Each ordered pair of parts has a queue with a single writer and a single reader: blocks of memory, in
 * which the writer publishes records from time to time. A mutex is needed only to wait. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/parts/private.h"

/* Bytes of a block, unless a record is larger; tests for records before a part sleeps, which takes longer than some tests. */
enum { BLOCK_BYTES = 64 << 10, TESTS = 300 };
/* A part pauses if AHEAD, of PART_WHOLE, of a part to which SOME messages are on the way, or if these messages take MANY
 * bytes. */
enum { SOME_MESSAGES = 512, AHEAD = PART_WHOLE / 256, MANY_BYTES = 128 << 20, MESSAGE_BYTES = 256, PAUSE_US = 50 };

struct part_block {
    _Atomic(struct part_block *) next; /* for the reader */
    struct part_block *following;      /* for the writer */
    _Atomic size_t published;          /* bytes readable by the reader */
    size_t used, bytes;
    _Alignas(16) char data[];
};

static struct part_block *new_block(size_t bytes)
{
    struct part_block *b = malloc(sizeof *b + bytes);
    if (!b)
        return NULL;
    b->following = NULL;
    b->used = 0;
    b->bytes = bytes;
    atomic_init(&b->next, NULL);
    atomic_init(&b->published, 0);
    return b;
}

int mpg_part_queue_init(struct part_queue *q, struct mpg_error *err)
{
    q->first = q->last = q->publishing = new_block(BLOCK_BYTES);
    return q->first ? 0 : mpg_error_set(err, "out of memory");
}

static void free_blocks(struct part_block *b)
{
    for (struct part_block *next; b; b = next) {
        next = b->following;
        free(b);
    }
}

void mpg_part_queue_clear(struct part_queue *q)
{
    free_blocks(q->done);
    free_blocks(q->first);
}

/* Returns BYTES of new memory at the end of Q; NULL: out of memory. */
static char *room_for(struct part_queue *q, size_t bytes)
{
    struct part_block *b = q->last;
    if (b->bytes - b->used < bytes) {
        struct part_block *more = new_block(bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
        if (!more)
            return NULL;
        b = q->last = b->following = more;
    }
    b->used += bytes;
    return b->data + b->used - bytes;
}

void *mpg_part_add(struct mpg_rank_part *part, unsigned to, enum part_record_kind kind, size_t bytes, bool with_value,
                   struct mpg_error *err)
{
    struct part_queue *q = part_queue_of(part->parts, part->index, to);
    const size_t size = ((bytes + 7) & ~(size_t)7) + (with_value ? part->value_bytes : 0);
    struct part_record *record = (struct part_record *)(void *)room_for(q, size);
    if (!record) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *record = (struct part_record){.kind = kind, .from = part->index, .bytes = size};
    q->added++;
    part->unpublished |= UINT64_C(1) << to;
    return record;
}

static void publish(struct part_queue *q)
{
    /* before the records: a part seeing this number, but no records yet, does not take the queue for empty */
    atomic_store_explicit(&q->sent, q->added, memory_order_relaxed);
    for (struct part_block *b = q->publishing, *following;; b = following) {
        atomic_store_explicit(&b->published, b->used, memory_order_release);
        following = b->following;
        if (!following)
            break;
        q->publishing = following;
        atomic_store_explicit(&b->next, following, memory_order_release); /* from now on, B belongs to the reader */
    }
}

/* Wakes part TO, if asleep. */
static void wake(struct mpg_rank_parts *p, unsigned to)
{
    struct part_state *state = &p->state[to];
    atomic_thread_fence(memory_order_seq_cst); /* the records are published before the flag is read */
    if (!part_is_here(p, to) || !atomic_load_explicit(&state->waits, memory_order_relaxed))
        return;
    pthread_mutex_lock(&p->mutex);
    pthread_cond_signal(&state->wake);
    pthread_mutex_unlock(&p->mutex);
}

bool mpg_part_publish(struct mpg_rank_part *part)
{
    for (; part->unpublished; part->unpublished &= part->unpublished - 1) {
        const unsigned to = (unsigned)__builtin_ctzll(part->unpublished);
        publish(part_queue_of(part->parts, part->index, to));
        wake(part->parts, to);
    }
    return !atomic_load_explicit(&part->parts->gave_up, memory_order_relaxed);
}

/* Returns whether the block of Q being read, or a later block, has records. Moves to the next block. */
static bool has_record(struct part_queue *q)
{
    for (;;) {
        struct part_block *b = q->first;
        if (q->at < atomic_load_explicit(&b->published, memory_order_acquire))
            return true;
        struct part_block *next = atomic_load_explicit(&b->next, memory_order_acquire);
        if (!next)
            return false;
        if (q->at < atomic_load_explicit(&b->published, memory_order_acquire)) /* published since */
            return true;
        b->following = q->done;
        q->done = b;
        q->first = next;
        q->at = 0;
    }
}

const struct part_record *mpg_part_take(struct mpg_rank_part *part)
{
    struct mpg_rank_parts *p = part->parts;
    for (unsigned from = 0; from < p->n; from++) {
        struct part_queue *q = part_queue_of(p, from, part->index);
        if (from == part->index || !has_record(q))
            continue;
        const struct part_record *record = (const struct part_record *)(const void *)(q->first->data + q->at);
        q->at += record->bytes;
        atomic_store_explicit(&q->taken, atomic_load_explicit(&q->taken, memory_order_relaxed) + 1, memory_order_relaxed);
        return record;
    }
    return NULL;
}

void mpg_part_forget(struct mpg_rank_part *part)
{
    for (unsigned from = 0; from < part->n; from++) {
        struct part_queue *q = part_queue_of(part->parts, from, part->index);
        if (from == part->index || !q->done)
            continue;
        free_blocks(q->done);
        q->done = NULL;
    }
}

struct part_bytes mpg_part_queue_take(struct part_queue *q)
{
    struct part_bytes r = {0};
    free_blocks(q->done);
    q->done = NULL;
    if (!has_record(q))
        return r;
    r.data = q->first->data + q->at;
    r.bytes = atomic_load_explicit(&q->first->published, memory_order_acquire) - q->at;
    for (size_t at = 0; at < r.bytes; r.records++)
        at += ((const struct part_record *)(const void *)(r.data + at))->bytes;
    q->at += r.bytes;
    atomic_store_explicit(&q->taken, atomic_load_explicit(&q->taken, memory_order_relaxed) + r.records, memory_order_relaxed);
    return r;
}

bool mpg_part_queue_put(struct mpg_rank_parts *p, unsigned from, unsigned to, struct part_bytes r)
{
    struct part_queue *q = part_queue_of(p, from, to);
    char *place = room_for(q, r.bytes);
    if (!place)
        return false;
    memcpy(place, r.data, r.bytes);
    q->added += r.records;
    publish(q);
    wake(p, to);
    return true;
}

static bool has_records(const struct mpg_rank_part *part)
{
    for (unsigned from = 0; from < part->n; from++)
        if (from != part->index && has_record(part_queue_of(part->parts, from, part->index)))
            return true;
    return false;
}

bool mpg_rank_parts_are_still(struct mpg_rank_parts *p)
{
    for (unsigned i = p->here.first; i < p->here.first + p->here.n; i++)
        if (!atomic_load_explicit(&p->state[i].waits, memory_order_relaxed))
            return false;
    for (unsigned i = 0; i < p->n * p->n; i++)
        if (atomic_load_explicit(&p->queue[i].sent, memory_order_relaxed) !=
            atomic_load_explicit(&p->queue[i].taken, memory_order_relaxed))
            return false;
    return true;
}

static void wake_all(struct mpg_rank_parts *p)
{
    for (unsigned i = p->here.first; i < p->here.first + p->here.n; i++)
        pthread_cond_signal(&p->state[i].wake);
}

/* Makes all parts give up, for REASON unless an earlier reason exists. Call with the mutex. */
static void give_up(struct mpg_rank_parts *p, enum mpg_parts_reason reason)
{
    p->reason = p->reason ? p->reason : reason;
    atomic_store_explicit(&p->gave_up, true, memory_order_relaxed);
    wake_all(p);
}

void mpg_rank_part_give_up(struct mpg_rank_part *part, enum mpg_parts_reason reason)
{
    pthread_mutex_lock(&part->parts->mutex);
    give_up(part->parts, reason);
    pthread_mutex_unlock(&part->parts->mutex);
}

void mpg_rank_parts_end(struct mpg_rank_parts *p, bool all_finished)
{
    p->is_over = all_finished;
    if (p->is_over)
        wake_all(p);
    else
        give_up(p, MPG_PARTS_STALLED);
}

static bool have_all_finished(const struct mpg_rank_parts *p)
{
    for (unsigned i = 0; i < p->n; i++)
        if (!p->state[i].has_finished)
            return false;
    return true;
}

/* Sleeps until there is a record, or all parts are over. */
static enum part_event sleep_on(struct mpg_rank_part *part, bool has_finished)
{
    struct mpg_rank_parts *p = part->parts;
    struct part_state *state = &p->state[part->index];
    enum part_event event = PART_HAS_RECORDS;
    pthread_mutex_lock(&p->mutex);
    state->has_finished = has_finished;
    atomic_store_explicit(&state->waits, true, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* the flag is set before the records are looked for */
    for (;;) {
        if (atomic_load_explicit(&p->gave_up, memory_order_relaxed))
            event = PART_GAVE_UP;
        else if (p->is_over)
            event = PART_IS_OVER;
        else if (!has_records(part)) {
            if (p->here.n == p->n && mpg_rank_parts_are_still(p)) /* with several processes, the courier finds out */
                mpg_rank_parts_end(p, have_all_finished(p));
            else
                pthread_cond_wait(&state->wake, &p->mutex);
            continue;
        }
        break;
    }
    atomic_store_explicit(&state->waits, false, memory_order_relaxed);
    pthread_mutex_unlock(&p->mutex);
    return event;
}

enum part_event mpg_part_wait(struct mpg_rank_part *part, bool has_finished)
{
    for (int i = 0; i < TESTS; i++) {
        if (has_records(part))
            return PART_HAS_RECORDS;
        sched_yield();
    }
    return sleep_on(part, has_finished);
}

void mpg_part_settle(struct mpg_rank_part *part, unsigned from)
{
    _Atomic uint64_t *settled = &part_queue_of(part->parts, from, part->index)->settled;
    atomic_store_explicit(settled, atomic_load_explicit(settled, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* Returns whether part TO goes on, but has too many messages of PART to receive: many, or some while PART is ahead. */
static bool is_behind(const struct mpg_rank_part *part, unsigned to, uint32_t share)
{
    struct mpg_rank_parts *p = part->parts;
    const struct part_state *state = &p->state[to];
    const uint64_t settled = atomic_load_explicit(&part_queue_of(p, part->index, to)->settled, memory_order_relaxed);
    const uint64_t messages = part->exported[to] - settled;
    if (messages <= SOME_MESSAGES || atomic_load_explicit(&state->waits, memory_order_relaxed) ||
        atomic_load_explicit(&state->paces, memory_order_relaxed))
        return false;
    return share > atomic_load_explicit(&state->share, memory_order_relaxed) + AHEAD ||
           messages > SOME_MESSAGES + MANY_BYTES / (part->value_bytes + MESSAGE_BYTES);
}

void mpg_part_pace(struct mpg_rank_part *part, uint64_t events)
{
    struct mpg_rank_parts *p = part->parts;
    struct part_state *state = &p->state[part->index];
    const double read = part->events > 0 ? (double)events / part->events : 1;
    const uint32_t share = read < 1 ? (uint32_t)(read * PART_WHOLE) : PART_WHOLE;
    atomic_store_explicit(&state->share, share, memory_order_relaxed);
    for (unsigned to = 0; to < part->n; to++) {
        if (to == part->index || !is_behind(part, to, share))
            continue;
        atomic_store(&state->paces, true);
        while (is_behind(part, to, share) && !atomic_load_explicit(&p->gave_up, memory_order_relaxed))
            usleep(PAUSE_US);
        atomic_store(&state->paces, false);
    }
}
