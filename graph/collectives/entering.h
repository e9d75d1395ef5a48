/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which collective a call takes part in, and with which arguments. Private to graph/collectives/. */
#ifndef MPG_GRAPH_ENTERING_H
#define MPG_GRAPH_ENTERING_H

#include "graph/collectives/collectives.h"

/* The sequences in which the n-th calls of all members belong together: by communicator; by group, for communicators being
 * made; by window; persistent collectives by the order of initialisation. */
enum order { ORDER_COMM, ORDER_GROUP, ORDER_WINDOW, ORDER_PERSISTENT };

/* A call that takes part in a collective. */
struct entering {
    enum mpg_call call;  /* the call that names the operation; persistent: the initialising call */
    enum order order;
    int32_t where, comm; /* where: communicator or window; comm: communicator, -1: unknown */
    int32_t root;
    uint64_t sequence;   /* number of the collective in `order` on `where`, from 0 */
    bool blocking;
    struct load load;    /* bytes contributed by the rank */
    uint32_t index;      /* index among the collectives that the call starts */
};

/* Returns HIGH and LOW as a key for the maps of struct collectives. */
static inline uint64_t graph_pair(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

/* Fills the order and the communicator or window of ENTERING from E's call. */
void mpg_graph_find_order(const struct collectives *collectives, const struct mpg_event *e, struct entering *entering);
/* Sets *SEQUENCE to the number, from 0, of RANK's next collective in ORDER on WHERE, and counts the collective. Returns
 * 0, or -1: out of memory. */
int mpg_graph_next_of(struct collectives *collectives, enum order order, int32_t where, int32_t rank, uint64_t *sequence,
                      struct mpg_error *err);
/* Sets *ME to the member index in COMM of CALL's rank. Returns 0, or -1 with ERR if the rank is not a member. */
int mpg_graph_find_me(struct collectives *collectives, const struct call *call, int32_t comm, int32_t *me, struct mpg_error *err);

#endif
