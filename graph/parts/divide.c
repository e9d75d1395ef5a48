/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divides the ranks of a trace into parts. */
#include <stdlib.h>
#include <string.h>

#include "graph/parts/private.h"

enum { LINE_BYTES = 128 };

static void *new_lines(size_t n, size_t bytes)
{
    void *lines = aligned_alloc(LINE_BYTES, (n * bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (lines)
        memset(lines, 0, n * bytes);
    return lines;
}

/* Assigns ranks to the N parts of P: part I ends at the rank at which the cumulated events reach (I + 1) / N of all events, and
 * has at least one rank. */
static void divide(struct mpg_rank_parts *p, const struct mpg_trace *trace)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    const double all = (double)mpg_trace_events(trace, -1);
    double events = 0, before = 0;
    int32_t rank = 0;
    for (unsigned i = 0; i < p->n; i++) {
        p->part[i].first = rank;
        const int32_t last = ranks - (int32_t)(p->n - 1 - i); /* leaves a rank for each later part */
        do {
            events += (double)mpg_trace_events(trace, rank);
            p->owner[rank++] = (uint8_t)i;
        } while (rank < last && (i + 1 == p->n || events < all * (i + 1) / p->n));
        p->part[i].end = rank;
        p->part[i].events = events - before;
        before = events;
    }
}

/* Prepares the queues beginning or ending in this process. */
static bool init_queues(struct mpg_rank_parts *p, struct mpg_error *err)
{
    for (unsigned from = 0; from < p->n; from++)
        for (unsigned to = 0; to < p->n; to++)
            if ((part_is_here(p, from) || part_is_here(p, to)) && mpg_part_queue_init(part_queue_of(p, from, to), err) < 0)
                return false;
    return true;
}

struct mpg_rank_parts *mpg_rank_parts_new(const struct mpg_trace *trace, struct mpg_parts_here here, size_t value_bytes,
                                          struct mpg_error *err)
{
    const unsigned n = here.all;
    struct mpg_rank_parts *p = calloc(1, sizeof *p);
    if (!p) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    p->n = n;
    p->here = here;
    pthread_mutex_init(&p->mutex, NULL);
    p->owner = malloc((size_t)mpg_trace_ranks(trace));
    p->part = calloc(n, sizeof *p->part);
    p->queue = new_lines((size_t)n * n, sizeof *p->queue);
    p->state = new_lines(n, sizeof *p->state);
    for (unsigned i = 0; p->state && i < n; i++)
        pthread_cond_init(&p->state[i].wake, NULL);
    if (!p->owner || !p->part || !p->queue || !p->state || !init_queues(p, err)) {
        mpg_rank_parts_free(p);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    divide(p, trace);
    for (unsigned i = 0; i < n; i++) {
        p->part[i].parts = p;
        p->part[i].index = i;
        p->part[i].n = n;
        p->part[i].owner = p->owner;
        p->part[i].value_bytes = value_bytes;
    }
    return p;
}

struct mpg_rank_part *mpg_rank_parts_part(struct mpg_rank_parts *p, unsigned i)
{
    return &p->part[i];
}

void mpg_rank_part_ranks(const struct mpg_rank_part *part, int32_t *first, int32_t *end)
{
    *first = part->first;
    *end = part->end;
}

double mpg_rank_part_events(const struct mpg_rank_part *part)
{
    return part->events;
}

static const char *words_of(enum mpg_parts_reason reason)
{
    static const char *const words[MPG_PARTS_REASONS] = {
        [MPG_PARTS_FOREIGN] = "a collective of an intercommunicator, or with processes of another job",
        [MPG_PARTS_ROOT] = "members of a Reduce or Gather that wait for the root",
        [MPG_PARTS_NO_MATCH] = "calls of one collective that do not match",
        [MPG_PARTS_EXPANDED] = "collectives are expanded into messages",
        [MPG_PARTS_UNRECEIVED] = "messages without receive",
        [MPG_PARTS_ONE_SIDED] = "one-sided communication",
        [MPG_PARTS_PARTITIONED] = "partitioned messages",
        [MPG_PARTS_STALLED] = "no rank can go on by itself",
        [MPG_PARTS_MEMORY] = "out of memory",
        [MPG_PARTS_TRACE] = "the trace cannot be opened again",
        [MPG_PARTS_THREAD] = "the system refuses a thread",
        [MPG_PARTS_ERROR] = "an error",
    };
    return words[reason];
}

int mpg_part_refuse(struct mpg_rank_part *part, enum mpg_parts_reason reason, struct mpg_error *err)
{
    mpg_rank_part_give_up(part, reason);
    return mpg_error_set(err, "parts of the ranks cannot be evaluated apart: %s", words_of(reason));
}

const char *mpg_rank_parts_reason(const struct mpg_rank_parts *p)
{
    return words_of(p->reason);
}

void mpg_rank_parts_free(struct mpg_rank_parts *p)
{
    if (!p)
        return;
    for (unsigned i = 0; p->queue && i < p->n * p->n; i++)
        mpg_part_queue_clear(&p->queue[i]);
    for (unsigned i = 0; p->state && i < p->n; i++)
        pthread_cond_destroy(&p->state[i].wake);
    for (unsigned i = 0; p->part && i < p->n; i++)
        mpg_part_comms_clear(&p->part[i]);
    pthread_mutex_destroy(&p->mutex);
    free(p->owner);
    free(p->part);
    free(p->queue);
    free(p->state);
    free(p);
}
