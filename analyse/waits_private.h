/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states while they are found. Private to analyse/. */
#ifndef MPG_WAITS_PRIVATE_H
#define MPG_WAITS_PRIVATE_H

#include <string.h>

#include "analyse/waits.h"
#include "common/map.h"
#include "common/reserve.h"

/* A thread's last node, and the call that it is in. */
struct waits_stream {
    double at_ns;
    struct mpg_call_site place;
    int32_t region;
};

/* What waits in a slot: when it began; of a synchronous message, when its receive was posted, too. */
struct waits_slot {
    double begun_ns, posted_ns;
};

struct waits_site {
    struct mpg_call_site place;
    struct mpg_wait_sum sum;
};

struct mpg_waits {
    int32_t ranks;
    const struct mpg_clock_map *clocks;
    enum mpg_wait_times times;
    struct waits_stream *stream;
    struct waits_slot *slot;
    uint32_t stream_capacity, slot_capacity, region_capacity, site_capacity;
    struct mpg_map begun;    /* message -> bits of when it was sent, where calls may receive another */
    uint64_t *brought;       /* messages that the next call receives, in place of the trace's */
    uint32_t brought_count, brought_capacity;
    double *run_ns;          /* a rank */
    struct mpg_wait_sum *rank, *region; /* region: by name + 1 */
    struct mpg_wait_sum matter[MPG_MATTERS], call[MPG_CALL_COUNT];
    struct waits_site *site;
    struct mpg_map site_index; /* (callsite, call) -> place + 1 */
    uint32_t regions, sites;   /* regions: names and none */
};

/* What members of a collective that is a node, or messages, wait for; CALL is the blocking one. */
enum mpg_wait mpg_waits_of_meeting(enum mpg_call call);
/* S, of kind EXPAND: the slots of members, from their enters to what they wait for. Error: out of memory. */
int mpg_waits_expand(struct mpg_waits *waits, const struct mpg_step *s, struct mpg_error *err);
/* ONE, the call that S leaves, is added to all that it is of. Error: out of memory. */
int mpg_waits_count(struct mpg_waits *waits, const struct mpg_step *s, const struct mpg_wait_sum *one,
                    struct mpg_error *err);

#endif
