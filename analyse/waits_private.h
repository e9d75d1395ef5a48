/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states during the evaluation. Private to analyse/. */
#ifndef MPG_WAITS_PRIVATE_H
#define MPG_WAITS_PRIVATE_H

#include <string.h>

#include "analyse/waits.h"
#include "common/map.h"
#include "common/reserve.h"

/* The last node of a thread, and its current call. */
struct waits_stream {
    double at_ns;
    struct mpg_call_site place;
    int32_t region;
    int32_t rank;
    uint64_t position, since; /* number of calls entered so far, and at the end of the last collective */
};

/* The operation in a slot: begin of the operation; of a synchronous message also the time at which the receive was posted. */
struct waits_slot {
    double begun_ns, posted_ns;
    /* where the operation began, and where the receive was posted; not for expanded collectives */
    struct mpg_wait_origin begun_by, posted_by;
};

struct waits_site {
    struct mpg_call_site place;
    struct mpg_wait_sum sum;
};

struct mpg_waits {
    int32_t ranks;
    const struct mpg_clock_map *clocks;
    enum mpg_wait_times times;
    const struct mpg_wait_observer *observer; /* NULL: none */
    struct waits_stream *stream;
    struct waits_slot *slot;
    uint32_t stream_capacity, slot_capacity, region_capacity, site_capacity;
    /* message -> time of the send, ns, as the bits of a double; only where calls may receive another message than in the trace */
    struct mpg_map begun;
    uint64_t *substituted;       /* for each edge of the next LEAVE: the message received instead of the traced message */
    uint32_t substituted_count, substituted_capacity;
    double *run_ns;          /* run time of each rank */
    struct mpg_wait_sum *rank, *region; /* sums of each rank, and of each region by string number + 1 */
    struct mpg_wait_sum category[MPG_CATEGORIES], call[MPG_CALL_COUNT];
    struct waits_site *site;
    struct mpg_map site_index; /* (callsite, call) -> index + 1 */
    uint32_t regions, sites;   /* regions: number of names, plus 1 for time outside of regions */
    struct mpg_map causes;     /* (group of sums, rank waited for) -> time waited for this rank, ns, as the bits of a double */
};

/* Returns the wait state of waiting in a collective, both for a single node and for messages in the graph; CALL: the collective's
 * blocking call. */
enum mpg_wait mpg_waits_of_meeting(enum mpg_call call);
/* Evaluates S, an EXPAND step: sets the members' slots to the begins of the operations that the members wait for. Returns 0, or
 * -1 with ERR: no memory. */
int mpg_waits_expand(struct mpg_waits *waits, const struct mpg_step *s, struct mpg_error *err);
/* Adds ONE, the times of the call that S leaves, to the sums of S's rank, region, callsite and MPI call. FOR_RANK: rank waited
 * for (-1: none, or unknown). Returns 0, or -1 with ERR: no memory. */
int mpg_waits_count(struct mpg_waits *waits, const struct mpg_step *s, const struct mpg_wait_sum *one, int32_t for_rank,
                    struct mpg_error *err);

#endif
