/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of writing a run. Private to analyse/timeline/. */
#ifndef MPG_TIMELINE_PRIVATE_H
#define MPG_TIMELINE_PRIVATE_H

#include "analyse/timeline/timeline.h"
#include "trace/stat/names.h"

struct timeline {
    FILE *out;
    const struct mpg_timeline_part *part;
    const struct mpg_timeline_run *run;
    int pid;
    double base_ns;    /* aligned time that is 0 in the timeline */
    uint64_t arrows;   /* number of arrows so far, over all runs */
    uint32_t *before;  /* for each rank: number of threads of all lower ranks */
    bool any;          /* an event has been written: a comma goes before the next event */
    uint64_t hidden;   /* number of hidden regions, over all runs */
    struct mpg_site_names *names; /* of the run's callsites, one function each */
};

/* Returns whether call NUMBER of RANK is in the selected part. */
static inline bool timeline_has(const struct timeline *t, int32_t rank, uint64_t number)
{
    return mpg_rank_set_contains(&t->part->ranks, rank) &&
           (!t->part->given || (number >= t->part->first && number <= t->part->last));
}

/* Return the track of calls, or of regions, of the K-th thread of RANK. */
static inline uint32_t timeline_track(const struct timeline *t, int32_t rank, uint32_t k)
{
    return 2 * (t->before[rank] + k) + 2;
}
static inline uint32_t timeline_regions_track(const struct timeline *t, int32_t rank, uint32_t k)
{
    return timeline_track(t, rank, k) - 1;
}

/* Returns the index of THREAD among the threads of RANK. */
uint32_t mpg_timeline_thread(const struct timeline *t, int32_t rank, uint32_t thread);
/* Returns TIME_NS, on the clock of RANK, in whole ns since the begin of the timeline. */
int64_t mpg_timeline_at(const struct timeline *t, int32_t rank, int64_t time_ns);
/* Begins the event {"ph": PH, ... on TRACK at AT_NS; the caller adds fields and the closing brace. */
void mpg_timeline_begin(struct timeline *t, char ph, uint32_t track, int64_t at_ns);
/* Puts NS as us with three digits. */
void mpg_timeline_put_us(struct timeline *t, int64_t ns);
/* Puts NS, the length of a slice, as us. Perfetto multiplies the double by 1000 and truncates. A length that would lose 1
 * ns gets more than three digits, or Perfetto would drop a nested region with the same end as overlapping. */
void mpg_timeline_put_duration(struct timeline *t, int64_t ns);

/* Writes all calls and regions of run t->run, and the names of the tracks. Returns 0, or -1 with ERR. */
int mpg_timeline_slices(struct timeline *t, struct mpg_error *err);
/* Writes the arrows of the messages of run t->run. Returns 0, or -1 with ERR. */
int mpg_timeline_arrows(struct timeline *t, struct mpg_error *err);

#endif
