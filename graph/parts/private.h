/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All parts of a trace, and the queues between parts. Private to graph/parts/. */
#ifndef MPG_GRAPH_PARTS_PRIVATE_H
#define MPG_GRAPH_PARTS_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "graph/parts/part.h"

struct part_block;
enum { PART_WHOLE = 1 << 16 };

/* Records from one part to another. The first fields belong to the writer, the rest to the reader; atomic fields are read by
 * both. */
struct part_queue {
    _Alignas(128) struct part_block *last, *publishing; /* the block being filled; the first with unpublished records */
    uint64_t added;             /* number of records added */
    _Atomic uint64_t sent;      /* number of records published */
    _Alignas(128) struct part_block *first, *done; /* the block being read; blocks read, linked by `following` */
    size_t at;                  /* bytes read in FIRST */
    _Atomic uint64_t taken;     /* number of records taken */
    _Atomic uint64_t settled;   /* number of messages received by the destination ranks */
};

/* Of a part of another process, the courier sets the atomic fields. */
struct part_state {
    _Alignas(128) _Atomic bool waits; /* the part sleeps, until WAKE */
    _Atomic bool paces;               /* the part pauses in mpg_part_pace() */
    _Atomic uint32_t share;           /* events read, in units of 1 / PART_WHOLE of the part's events */
    bool has_finished;                /* valid while WAITS */
    pthread_cond_t wake;
};

struct mpg_rank_parts {
    unsigned n;
    struct mpg_parts_here here;
    uint8_t *owner;
    struct mpg_rank_part *part;
    struct part_queue *queue; /* [from][to]; a queue between parts of other processes is empty */
    struct part_state *state;
    _Atomic bool gave_up;
    pthread_mutex_t mutex;    /* protects the fields below, and sleeping */
    bool is_over;             /* all ranks have finished, and all records are taken */
    enum mpg_parts_reason reason;
};

/* Records in a queue, as bytes: part of a block. */
struct part_bytes {
    const char *data;
    size_t bytes;
    uint64_t records;
};

static inline struct part_queue *part_queue_of(const struct mpg_rank_parts *p, unsigned from, unsigned to)
{
    return &p->queue[from * p->n + to];
}

static inline bool part_is_here(const struct mpg_rank_parts *p, unsigned i)
{
    return i - p->here.first < p->here.n;
}

int mpg_part_queue_init(struct part_queue *queue, struct mpg_error *err);
void mpg_part_queue_clear(struct part_queue *queue);
/* For the courier, in place of the reader of a queue: returns published records, valid until the next call; 0 records: there are
 * none now. */
struct part_bytes mpg_part_queue_take(struct part_queue *queue);
/* For the courier, in place of the writer of the queue FROM one part TO another: appends and publishes RECORDS. Returns false:
 * out of memory. */
bool mpg_part_queue_put(struct mpg_rank_parts *parts, unsigned from, unsigned to, struct part_bytes records);
/* Returns whether all parts of this process sleep, and no record for or from these parts is left. Call with the mutex. */
bool mpg_rank_parts_are_still(struct mpg_rank_parts *parts);
/* Ends the parts of this process: either ALL_FINISHED, or no rank can go on. Call with the mutex. */
void mpg_rank_parts_end(struct mpg_rank_parts *parts, bool all_finished);
void mpg_part_comms_clear(struct mpg_rank_part *part);

#endif
