/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts messages with an arrival before the departure, by the measured offsets of clocks and without offsets: shows whether a
 * format's offsets are read with the right sign. Messages are matched in temporary files, so memory does not grow with the number
 * of messages; a posted, uncompleted receive takes 60 bytes. Private to trace/build/. */
#ifndef MPG_BUILD_ARRIVALS_H
#define MPG_BUILD_ARRIVALS_H

#include "trace/build/definitions.h"
#include "trace/store/sorter.h"

struct build_arrivals {
    struct mpg_sorter *sends, *receives;
    uint64_t order;
    struct mpg_map open;       /* (rank, request) of a receive -> 1 + index in `items` */
    struct build_end *items;
    uint32_t *unused, number, capacity, unused_number;
    struct build_offset *offsets; /* measured offsets of all ranks' clocks */
    size_t offset_number, offset_capacity;
};

/* Returns a new count of no messages, which the caller frees. NULL with ERR: out of memory. */
struct build_arrivals *mpg_arrivals_new(struct mpg_error *err);
void mpg_arrivals_free(struct build_arrivals *a); /* NULL is allowed */
/* Adds the offset in VALUE, the fact "clock" of RANK: "TIME OFFSET" in ns; other text is ignored. Returns 0, or -1 with
 * ERR: out of memory. */
int mpg_arrivals_clock(struct build_arrivals *a, int32_t rank, const char *value, struct mpg_error *err);
/* Adds event E of RANK, whose communicators are labels of D. Returns 0, or -1 with ERR. */
int mpg_arrivals_event(struct build_arrivals *a, const struct mpg_build_definitions *d, int32_t rank, const struct mpg_event *e,
                       struct mpg_error *err);
/* Matches sends with receives and counts messages in *FOUND. To be called once, after all events and clocks. Returns 0, or
 * -1 with ERR: out of memory, a full disk. */
int mpg_arrivals_count(struct build_arrivals *a, struct mpg_build_arrivals *found, struct mpg_error *err);

#endif
