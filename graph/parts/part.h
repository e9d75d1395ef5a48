/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One part of a graph, for the rooms of graph/: the owners of ranks, and records to and from other parts. */
#ifndef MPG_GRAPH_PART_H
#define MPG_GRAPH_PART_H

#include <stdbool.h>

#include "graph/parts/parts.h"

enum part_record_kind {
    PART_COMM,    /* a communicator, before the first record naming the communicator */
    PART_MESSAGE, /* a message sent to a rank of the other part */
    PART_ANSWER,  /* the receive of a synchronous message, and the message's arrival */
    PART_ARRIVAL, /* a member has entered a collective */
    PART_ENTERED, /* all members of the part have entered a meeting */
    PART_MERGED   /* a partial merge of the contributions to a meeting */
};

/* The begin of each record. */
struct part_record {
    uint32_t kind, from; /* enum part_record_kind; index of the sending part */
    size_t bytes;        /* of the whole record, a multiple of 8 */
};

/* Results of mpg_part_wait(). */
enum part_event { PART_HAS_RECORDS, PART_IS_OVER, PART_GAVE_UP };

/* A communicator as known to a part. */
struct part_comm {
    bool is_known;
    uint64_t members; /* bit i: part i has members */
    uint64_t told;    /* bit i: part i knows the communicator */
    int32_t own;      /* number of members in this part */
};

/* Numbers of communicators in this part, by the number in another part. */
struct part_numbers {
    int32_t *own;
    uint32_t capacity;
};

struct mpg_rank_part {
    struct mpg_rank_parts *parts;
    struct mpg_trace *trace; /* the trace of this part's graph */
    unsigned index, n;       /* index of this part, number of parts */
    int32_t first, end;      /* own ranks: first .. end - 1 */
    const uint8_t *owner;    /* by world rank: index of the rank's part */
    size_t value_bytes;
    double events;           /* number of events of the own ranks */
    uint64_t unpublished;    /* bit i: records to part i are not published yet */
    uint64_t exported[MPG_PARTS_MAX]; /* number of messages sent to each part */
    struct part_comm *comm;  /* by number of the communicator in TRACE */
    uint32_t comm_capacity;
    struct part_numbers numbers[MPG_PARTS_MAX]; /* by index of the other part */
};

/* Returns whether RANK belongs to another part. PART is NULL in a graph of all ranks. */
static inline bool graph_is_away(const struct mpg_rank_part *part, int32_t rank)
{
    return part && (rank < part->first || rank >= part->end);
}

/* --- records (queue.c) --- */

/* Appends a record of KIND to the records for part TO: BYTES of the caller's type, which begins with a struct part_record, and
 * WITH_VALUE a value. The address of the record stays valid. Returns NULL with ERR: out of memory. */
void *mpg_part_add(struct mpg_rank_part *part, unsigned to, enum part_record_kind kind, size_t bytes, bool with_value,
                   struct mpg_error *err);
/* Returns the value at the end of RECORD. */
static inline void *graph_value_of(const struct mpg_rank_part *part, const struct part_record *record)
{
    return (char *)(uintptr_t)record + record->bytes - part->value_bytes;
}

/* Hands all added records to the other parts. Returns false if a part gave up. */
bool mpg_part_publish(struct mpg_rank_part *part);
/* Returns the next record for this part, valid until mpg_part_forget(); NULL: there is none now. */
const struct part_record *mpg_part_take(struct mpg_rank_part *part);
/* Frees the memory of records taken before. */
void mpg_part_forget(struct mpg_rank_part *part);
/* Waits until there is a record, or until all parts wait, without any record left. HAS_FINISHED: all ranks of this part have
 * finished. */
enum part_event mpg_part_wait(struct mpg_rank_part *part, bool has_finished);
/* Notes the receipt of a message from part FROM by the destination rank. */
void mpg_part_settle(struct mpg_rank_part *part, unsigned from);
/* Waits for active parts behind this part, which has read EVENTS events: memory grows with the messages on the way between
 * parts. */
void mpg_part_pace(struct mpg_rank_part *part, uint64_t events);

/* --- communicators (comms.c) --- */

/* Returns PART's knowledge of COMM, which TRACE defines. NULL with ERR: out of memory. */
struct part_comm *mpg_part_comm(struct mpg_rank_part *part, int32_t comm, struct mpg_error *err);
/* Tells part TO the definition of COMM, unless known there. Returns 0, or -1 with ERR. */
int mpg_part_tell_comm(struct mpg_rank_part *part, unsigned to, int32_t comm, struct mpg_error *err);
/* Learns the communicator of RECORD, of kind PART_COMM. Returns 0, or -1 with ERR. */
int mpg_part_learn_comm(struct mpg_rank_part *part, const struct part_record *record, struct mpg_error *err);
/* Returns the number of COMM, a number in part FROM, in this part. */
static inline int32_t graph_comm_here(const struct mpg_rank_part *part, unsigned from, int32_t comm)
{
    return part->numbers[from].own[comm];
}

/* Gives up for REASON. Returns -1 with ERR. */
int mpg_part_refuse(struct mpg_rank_part *part, enum mpg_parts_reason reason, struct mpg_error *err);

#endif
