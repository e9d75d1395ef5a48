/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer fills an entry of the ring while the readers still evaluate the entries before. */
#include "simulate/passes/step_ring.h"

#include <pthread.h>
#include <stdlib.h>

/* An entry of the ring: steps, and the number of readers that have finished with the steps. */
struct entry {
    struct mpg_steps steps;
    unsigned done;
};

struct mpg_step_ring {
    unsigned readers, entries;
    size_t enough;          /* number of steps in a full entry */
    struct entry *entry;    /* ENTRIES entries; the next free entry collects steps */
    pthread_mutex_t mutex;  /* protects all fields below, and `done` of each entry */
    pthread_cond_t changed;
    uint64_t filled;        /* number of entries filled until now */
    unsigned left;          /* number of readers already gone */
    bool ended, failed;
    struct mpg_error error; /* of a failed graph */
};

struct mpg_step_ring *mpg_step_ring_new(unsigned readers, unsigned entries, size_t enough, struct mpg_error *err)
{
    struct mpg_step_ring *r = calloc(1, sizeof *r);
    struct entry *entry = calloc(entries, sizeof *entry);
    if (!r || !entry) {
        free(r);
        free(entry);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *r = (struct mpg_step_ring){.readers = readers, .entries = entries, .enough = enough, .entry = entry};
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    for (unsigned i = 0; i < entries; i++)
        entry[i].done = readers;
    return r;
}

static struct entry *entry_of(struct mpg_step_ring *r, uint64_t count)
{
    return &r->entry[count % r->entries];
}

void mpg_step_ring_free(struct mpg_step_ring *r)
{
    if (!r)
        return;
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    free(r->entry);
    free(r);
}

/* --- the writer --- */

/* Returns the entry collecting steps, unread by all readers. */
static struct mpg_steps *gathered(struct mpg_step_ring *r)
{
    return &entry_of(r, r->filled)->steps;
}

/* Hands the collected steps to the readers, waits until the readers have finished with the next entry, and empties the next
 * entry. */
static void hand_on(struct mpg_step_ring *r)
{
    pthread_mutex_lock(&r->mutex);
    entry_of(r, r->filled)->done = r->left;
    if (r->left == r->readers)
        mpg_batch_give_back(gathered(r)->batch);
    r->filled++;
    pthread_cond_broadcast(&r->changed);
    while (entry_of(r, r->filled)->done < r->readers)
        pthread_cond_wait(&r->changed, &r->mutex);
    pthread_mutex_unlock(&r->mutex);
    *gathered(r) = (struct mpg_steps){.n = 0};
}

static bool has_readers(struct mpg_step_ring *r)
{
    pthread_mutex_lock(&r->mutex);
    const bool has = r->left < r->readers;
    pthread_mutex_unlock(&r->mutex);
    return has;
}

bool mpg_step_ring_put(struct mpg_step_ring *r, const struct mpg_steps *steps)
{
    struct mpg_steps *g = gathered(r);
    if (g->n > 0 && (g->batch != steps->batch || g->step + g->n != steps->step)) {
        hand_on(r);
        g = gathered(r);
    }
    const struct mpg_steps before = *g;
    *g = *steps;
    if (before.n > 0) {
        g->step = before.step;
        g->n += before.n;
    } else
        mpg_batch_keep(steps->batch, 1);
    if (g->n < r->enough && !steps->reports_unused)
        return true;
    hand_on(r);
    return has_readers(r);
}

void mpg_step_ring_end(struct mpg_step_ring *r, const struct mpg_error *failed)
{
    if (gathered(r)->n > 0)
        hand_on(r);
    pthread_mutex_lock(&r->mutex);
    r->ended = true;
    r->failed = failed != NULL;
    if (failed)
        r->error = *failed;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
}

void mpg_step_ring_wait(struct mpg_step_ring *r)
{
    pthread_mutex_lock(&r->mutex);
    for (unsigned i = 0; i < r->entries; i++)
        while (r->entry[i].done < r->readers)
            pthread_cond_wait(&r->changed, &r->mutex);
    pthread_mutex_unlock(&r->mutex);
}

/* --- readers --- */

/* A reader has finished with entry number COUNT, from 0. The mutex is locked. */
static void note_done(struct mpg_step_ring *r, uint64_t count)
{
    struct entry *e = entry_of(r, count);
    if (++e->done < r->readers)
        return;
    mpg_batch_give_back(e->steps.batch);
    pthread_cond_broadcast(&r->changed);
}

/* READER leaves, and finishes with all entries from number FIRST on. The mutex is locked. */
static void leave(struct mpg_step_reader *reader, uint64_t first)
{
    struct mpg_step_ring *r = reader->ring;
    reader->left = true;
    r->left++;
    for (uint64_t i = first; i < r->filled; i++)
        note_done(r, i);
}

int mpg_step_reader_take(struct mpg_step_reader *reader, struct mpg_steps *steps, struct mpg_error *err)
{
    struct mpg_step_ring *r = reader->ring;
    pthread_mutex_lock(&r->mutex);
    if (reader->taken > 0)
        note_done(r, reader->taken - 1);
    while (r->filled <= reader->taken && !r->ended)
        pthread_cond_wait(&r->changed, &r->mutex);
    const bool is_there = r->filled > reader->taken, failed = r->failed;
    if (is_there)
        *steps = entry_of(r, reader->taken++)->steps;
    else {
        leave(reader, reader->taken);
        if (failed)
            *err = r->error;
    }
    pthread_mutex_unlock(&r->mutex);
    return is_there ? 1 : failed ? -1 : 0;
}

void mpg_step_reader_leave(struct mpg_step_reader *reader)
{
    if (reader->left)
        return;
    pthread_mutex_lock(&reader->ring->mutex);
    leave(reader, reader->taken > 0 ? reader->taken - 1 : 0);
    pthread_mutex_unlock(&reader->ring->mutex);
}
