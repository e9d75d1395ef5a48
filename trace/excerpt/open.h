/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a rank's state outlasting calls: requests, matched messages, regions. At the edges of an excerpt the state tells
 * which requests were made outside, and which calls must be added. Private to trace/excerpt/. */
#ifndef MPG_EXCERPT_OPEN_H
#define MPG_EXCERPT_OPEN_H

#include "common/error.h"
#include "common/map.h"
#include "trace/event.h"

/* Where a request, or the probe of a matched message, was made. UNKNOWN is 0. */
enum mpg_origin { MPG_ORIGIN_UNKNOWN, MPG_ORIGIN_BEFORE, MPG_ORIGIN_INSIDE, MPG_ORIGIN_LEFT_OUT };

/* A call with copies of the call's lists. */
struct mpg_kept_call {
    struct mpg_event event;
    int64_t *counts;
    int64_t persistent;
    enum mpg_origin origin; /* of a matched message */
};

struct mpg_open_region {
    uint32_t thread;
    int32_t string;
};

struct mpg_open {
    struct mpg_map requests; /* id -> enum mpg_origin */
    struct mpg_kept_call *inits, *matched; /* calls making persistent requests; probes matching messages */
    size_t init_count, init_capacity, matched_count, matched_capacity;
    struct mpg_open_region *regions; /* in order of begin */
    size_t region_count, region_capacity;
};

/* Returns whether calls of KIND start requests in the event's list. */
bool mpg_kind_makes_requests(enum mpg_kind kind);
enum mpg_origin mpg_open_request(const struct mpg_open *open, int64_t request);
/* Notes that REQUEST is made, with ORIGIN. Returns 0, or -1: out of memory. */
int mpg_open_note_request(struct mpg_open *open, int64_t request, enum mpg_origin origin, struct mpg_error *err);
/* Returns the probe matching MESSAGE; NULL: unknown. */
struct mpg_kept_call *mpg_open_matched(struct mpg_open *open, int64_t message);
/* Notes all effects of E on the state, except that E, before the excerpt or in the excerpt, makes requests. ORIGIN: of messages
 * matched by E. Returns 0, or -1: out of memory. */
int mpg_open_note(struct mpg_open *open, const struct mpg_event *e, enum mpg_origin origin, struct mpg_error *err);
/* Stores the uncompleted requests made in the excerpt, in ascending order, in *LIST, which the caller frees. Returns the number,
 * or -1: out of memory. */
int64_t mpg_open_list(const struct mpg_open *open, int64_t **list, struct mpg_error *err);
void mpg_open_clear(struct mpg_open *open);

#endif
