/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up costs by site, one run after another. Private to scale/read/. */
#ifndef MPG_SCALE_GATHER_H
#define MPG_SCALE_GATHER_H

#include "scale/read/frame_names.h"
#include "scale/read/read.h"
#include "scale/read/tree.h"

struct scale_gather {
    const struct scale_reading *how;
    struct scale_frame_names *names;
    struct scale_tree address, line; /* sites by address and by line; a tree stays empty if not wanted */
    char *counter_names[SCALE_COUNTERS];
    size_t counter_number;
    /* State of the current file: */
    struct mpg_map index;  /* (call, site) or region -> 1 + index in `chains` */
    struct chain *chains;
    size_t chain_number, chain_capacity;
};

int mpg_scale_gather_init(struct scale_gather *g, const struct scale_reading *how, struct mpg_error *err);
/* Begins a run, whose file has the callsites and modules of SOURCE. */
int mpg_scale_gather_begin(struct scale_gather *g, const struct stat_callsites *source, struct mpg_error *err);
/* Returns the chain, for the functions below, of CALL at SITE (a callsite of the file, MPG_NO_SITE or MPG_OTHER_SITES).
 * If regions are the sites: of REGION, named REGION_NAME. Returns -1 if memory is out. */
int64_t mpg_scale_gather_find(struct scale_gather *g, enum mpg_call call, int32_t site, int32_t region,
                              const char *region_name, struct mpg_error *err);
/* As mpg_scale_gather_find(), for computation: in REGION (-1: in no region), named NAME; of the whole run if NAME is
 * NULL. */
int64_t mpg_scale_gather_find_computation(struct scale_gather *g, int32_t region, const char *name,
                                          struct mpg_error *err);
int mpg_scale_gather_add(struct scale_gather *g, int64_t chain, const struct scale_sum *sum, struct mpg_error *err);
/* Adds N VALUES of counters to CHAIN. NAMES: names of the counters, separated by blanks. */
int mpg_scale_gather_count(struct scale_gather *g, int64_t chain, const char *names, const int64_t *values, size_t n,
                           struct mpg_error *err);
/* Assigns all sums added since the last call of this function to RANK. */
void mpg_scale_gather_end_rank(struct scale_gather *g, int32_t rank);
/* To be called if the wait times of the run are known: sets the wait times to 0. mpg_scale_gather_wait() then adds WAIT_NS,
 * the sum over all ranks, to CHAIN. */
void mpg_scale_gather_know_waits(struct scale_gather *g);
void mpg_scale_gather_wait(struct scale_gather *g, int64_t chain, double wait_ns);
/* Returns H, the hash of a run's content so far, extended by VALUE. */
static inline uint64_t scale_mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}
/* Forgets the run begun last. */
void mpg_scale_gather_drop(struct scale_gather *g);
void mpg_scale_gather_clear(struct scale_gather *g);

/* Read the profile, or the trace, RUN->path into RUN and G. Both functions call mpg_scale_gather_begin(); after an error the
 * caller calls mpg_scale_gather_drop(). */
int mpg_scale_read_profile(struct scale_gather *g, struct scale_run *run, struct mpg_error *err);
int mpg_scale_read_trace(struct scale_gather *g, struct scale_run *run, struct scale_notes *notes,
                         struct mpg_error *err);

#endif
