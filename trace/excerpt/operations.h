/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of a rank's events with other ranks: messages and collectives, by channel and sequence (crossings.h). Private to
 * trace/excerpt/. */
#ifndef MPG_EXCERPT_OPERATIONS_H
#define MPG_EXCERPT_OPERATIONS_H

#include "trace/excerpt/crossings.h"

enum mpg_operation_kind {
    MPG_OPERATION_SEND,
    MPG_OPERATION_RECEIVE,
    MPG_OPERATION_PEEK,
    MPG_OPERATION_MEET,
    MPG_OPERATION_NEVER /* a receive without completion */
};

struct mpg_operation {
    enum mpg_operation_kind kind;
    uint32_t item;   /* at MPI_Start...: index of the request, otherwise 0 */
    uint32_t where;  /* index of the channel or meeting */
    uint64_t number; /* MEET: how many earlier collectives the rank has in the sequence */
    uint64_t unrecorded; /* number of unrecorded operations in a pause of recording; 0: one recorded operation */
};

/* The state of one rank while the rank's events are read in order. */
struct mpg_operations {
    const struct mpg_trace *trace;
    struct mpg_crossings *crossings;
    int32_t rank;
    struct mpg_map persistent; /* persistent request -> packed operation of a start */
    struct mpg_map made;       /* communicator -> number of persistent collectives made */
    struct mpg_map counts;     /* meeting -> number of collectives until now */
    struct mpg_operation *list; /* operations of the event read last */
    uint32_t n, capacity;
};

void mpg_operations_begin(struct mpg_operations *o, const struct mpg_trace *trace, struct mpg_crossings *crossings, int32_t rank);
/* Fills o->list with the operations of E, the rank's next event; none for failed calls. A cancelled message, an unknown source
 * and a process of another job are no operations. Returns 0, or -1 with ERR. */
int mpg_operations_of(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err);
void mpg_operations_clear(struct mpg_operations *o);

#endif
