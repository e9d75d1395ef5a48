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
    uint64_t position, since; /* number of calls entered so far; and when the last collective ended */
};

/* The begin of the operation in a slot; of a synchronous message also the time at which its receive was posted. */
struct waits_slot {
    double begun_ns, posted_ns;
    struct mpg_wait_origin begun_by, posted_by; /* not of expanded collectives */
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
    struct mpg_map begun;    /* message -> time of its send, as bits, where calls may receive another message */
    uint64_t *substituted;       /* messages that the next call receives instead of the trace's */
    uint32_t substituted_count, substituted_capacity;
    double *run_ns;          /* a rank */
    struct mpg_wait_sum *rank, *region; /* region: by name + 1 */
    struct mpg_wait_sum category[MPG_CATEGORIES], call[MPG_CALL_COUNT];
    struct waits_site *site;
    struct mpg_map site_index; /* (callsite, call) -> index + 1 */
    uint32_t regions, sites;   /* regions: number of names, plus 1 for time outside of regions */
    struct mpg_map causes;     /* (group of sums, rank waited for) -> waiting for this rank, as bits */
};

/* Returns the wait state of members of a collective, as one node or as messages; CALL: the blocking call. */
enum mpg_wait mpg_waits_of_meeting(enum mpg_call call);
/* Processes S, of kind EXPAND: sets the members' slots to the times waited for. Returns 0, or -1 with ERR: no memory. */
int mpg_waits_expand(struct mpg_waits *waits, const struct mpg_step *s, struct mpg_error *err);
/* Adds ONE, the call that S leaves, to all sums of the call; it waited for rank FOR_RANK (-1: none, or unknown). Returns 0, or -1
 * with ERR: no memory. */
int mpg_waits_count(struct mpg_waits *waits, const struct mpg_step *s, const struct mpg_wait_sum *one, int32_t for_rank,
                    struct mpg_error *err);

#endif
