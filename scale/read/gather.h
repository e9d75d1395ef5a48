/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums by site of one run after the other. Private to scale/read/. */
#ifndef MPG_SCALE_GATHER_H
#define MPG_SCALE_GATHER_H

#include "scale/read/places.h"
#include "scale/read/read.h"
#include "scale/read/tree.h"

struct scale_gather {
    const struct scale_reading *how;
    struct scale_places *places;
    struct scale_tree address, line; /* one is empty if only the other is wanted */
    char *counter_names[SCALE_COUNTERS];
    size_t counter_number;
    /* of the file being read */
    struct mpg_map index;  /* (call, site) or region -> chain + 1 */
    struct chain *chains;
    size_t chain_number, chain_capacity;
};

int mpg_scale_gather_init(struct scale_gather *g, const struct scale_reading *how, struct mpg_error *err);
/* A file with these sites and modules comes next. */
int mpg_scale_gather_begin(struct scale_gather *g, const struct stat_places *source, struct mpg_error *err);
/* What the rank being read did in CALL at SITE (of the file's, MPG_NO_SITE, MPG_OTHER_SITES), or with regions as the
 * unit in the one that is called REGION. Returns what the functions below take; -1: out of memory. */
int64_t mpg_scale_gather_find(struct scale_gather *g, enum mpg_call call, int32_t site, int32_t region,
                              const char *region_name, struct mpg_error *err);
/* The same of computation: that of REGION (-1: in none) called NAME, or all of it (NAME is NULL). */
int64_t mpg_scale_gather_find_computation(struct scale_gather *g, int32_t region, const char *name,
                                          struct mpg_error *err);
int mpg_scale_gather_add(struct scale_gather *g, int64_t chain, const struct scale_sum *sum, struct mpg_error *err);
/* N VALUES of what is counted; NAMES has blanks between. */
int mpg_scale_gather_count(struct scale_gather *g, int64_t chain, const char *names, const int64_t *values, size_t n,
                           struct mpg_error *err);
/* What was added since the last one is RANK's. */
void mpg_scale_gather_end_rank(struct scale_gather *g, int32_t rank);
/* All waits of the run are known, and 0 so far; WAIT_NS of them, over all ranks. */
void mpg_scale_gather_know_waits(struct scale_gather *g);
void mpg_scale_gather_wait(struct scale_gather *g, int64_t chain, double wait_ns);
/* What tells contents apart, H, with VALUE in it, too. */
static inline uint64_t scale_mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}
/* Forgets the file that was begun last. */
void mpg_scale_gather_drop(struct scale_gather *g);
void mpg_scale_gather_clear(struct scale_gather *g);

/* Reads the profile, or the trace, of RUN->path into RUN and G, between mpg_scale_gather_begin(), which they call, and
 * mpg_scale_gather_drop(), which is the caller's if they fail. */
int mpg_scale_read_profile(struct scale_gather *g, struct scale_run *run, struct mpg_error *err);
int mpg_scale_read_trace(struct scale_gather *g, struct scale_run *run, struct scale_notes *notes,
                         struct mpg_error *err);

#endif
