/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which collective a call takes part in, and with what. Private to graph/collectives/. */
#ifndef MPG_GRAPH_COMING_H
#define MPG_GRAPH_COMING_H

#include "graph/collectives/collectives.h"

/* Collectives come in one order on each communicator, on each window, and by group
 * on communicators that are being made; persistent ones go by the order in which they
 * were made. */
enum order { ORDER_COMM, ORDER_GROUP, ORDER_WINDOW, ORDER_PERSISTENT };

/* What a call takes part in, and with what. */
struct entering {
    enum mpg_call call;  /* the one that says what it is */
    enum order order;
    int32_t where, comm; /* comm: -1: of none that is known */
    int32_t root;
    uint64_t sequence;
    bool blocking;
    struct load load;    /* what the rank gives */
    uint32_t index;      /* among what the call starts */
};

/* A key for the maps of struct meetings. */
static inline uint64_t graph_pair(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

/* The order, place and communicator that E's call goes by, into COMING. */
void mpg_graph_find_order(const struct collectives *collectives, const struct mpg_event *e, struct entering *entering);
/* Which of ORDER at WHERE is RANK's next one; it is that from now on. */
int mpg_graph_next_of(struct collectives *collectives, enum order order, int32_t where, int32_t rank, uint64_t *sequence,
                      struct mpg_error *err);
/* Which member of COMM, that CALL names, its rank is; an error if it is none. */
int mpg_graph_find_me(struct collectives *collectives, const struct call *call, int32_t comm, int32_t *me, struct mpg_error *err);

#endif
