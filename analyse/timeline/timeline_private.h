/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A world while it is written. Private to analyse/timeline/. */
#ifndef MPG_TIMELINE_PRIVATE_H
#define MPG_TIMELINE_PRIVATE_H

#include "analyse/timeline/timeline.h"

struct timeline {
    FILE *out;
    const struct mpg_timeline_part *part;
    const struct mpg_timeline_world *world;
    int pid;
    double base_ns;    /* aligned: where ts is 0 */
    uint64_t arrows;   /* so far, of all worlds: the number of the last one */
    uint32_t *before;  /* threads of all ranks before each */
    bool any;          /* something has been written */
    uint64_t hidden;   /* regions that are not shown, of all worlds */
};

/* Whether call NUMBER of RANK is in it. */
static inline bool timeline_has(const struct timeline *t, int32_t rank, uint64_t number)
{
    return mpg_rank_set_contains(&t->part->ranks, rank) &&
           (!t->part->given || (number >= t->part->first && number <= t->part->last));
}

/* Tracks of the K-th thread of RANK: its calls', its regions'. */
static inline uint32_t timeline_track(const struct timeline *t, int32_t rank, uint32_t k)
{
    return 2 * (t->before[rank] + k) + 2;
}
static inline uint32_t timeline_regions_track(const struct timeline *t, int32_t rank, uint32_t k)
{
    return timeline_track(t, rank, k) - 1;
}

/* The number, among RANK's, of thread THREAD. */
uint32_t mpg_timeline_thread(const struct timeline *t, int32_t rank, uint32_t thread);
/* RANK's TIME_NS, on its own clock, in whole ns from the timeline's begin. */
int64_t mpg_timeline_at(const struct timeline *t, int32_t rank, int64_t time_ns);
/* Begins an event, "{"ph": "X", ...": of phase PH on TRACK, at AT_NS; the caller goes on, and ends it by "}". */
void mpg_timeline_begin(struct timeline *t, char ph, uint32_t track, int64_t at_ns);
/* NS as us with three digits. */
void mpg_timeline_put_us(struct timeline *t, int64_t ns);
/* The same of a slice's length: with more digits where who takes a thousand times its double, and cuts that off (Perfetto), had
 * a ns less, and what ends with the slice is no part of it any more. */
void mpg_timeline_put_duration(struct timeline *t, int64_t ns);

/* All calls and regions of a world, and names of its tracks. */
int mpg_timeline_slices(struct timeline *t, struct mpg_error *err);
/* The arrows of its messages. */
int mpg_timeline_arrows(struct timeline *t, struct mpg_error *err);

#endif
