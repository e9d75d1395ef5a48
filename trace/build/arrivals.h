/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts messages that arrive before they left, by the measured offsets of clocks and without them: shows whether a format's
 * offsets are read with the right sign. Messages are matched in temporary files, so memory does not grow with them; open receives
 * take 60 bytes each. Private to trace/build/. */
#ifndef MPG_BUILD_ARRIVALS_H
#define MPG_BUILD_ARRIVALS_H

#include "trace/build/definitions.h"
#include "trace/store/sorter.h"

struct build_arrivals {
    struct mpg_sorter *sends, *receives;
    uint64_t order;
    struct mpg_map open;       /* (rank, request) of a receive -> 1 + place in items */
    struct build_end *items;
    uint32_t *unused, number, capacity, unused_number;
    struct build_offset *offsets; /* of all ranks' clocks */
    size_t offset_number, offset_capacity;
};

/* Returns NULL with ERR. */
struct build_arrivals *mpg_arrivals_new(struct mpg_error *err);
void mpg_arrivals_free(struct build_arrivals *a); /* NULL is allowed */
/* The value of fact "clock" of RANK. Returns 0, or -1 with ERR: out of memory. */
int mpg_arrivals_clock(struct build_arrivals *a, int32_t rank, const char *value, struct mpg_error *err);
/* Adds event E of RANK, whose communicators are labels of D. Returns 0, or -1 with ERR. */
int mpg_arrivals_event(struct build_arrivals *a, const struct mpg_build_definitions *d, int32_t rank, const struct mpg_event *e,
                       struct mpg_error *err);
/* After all events and clocks. */
int mpg_arrivals_count(struct build_arrivals *a, struct mpg_build_arrivals *found, struct mpg_error *err);

#endif
