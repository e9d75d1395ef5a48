/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as bytes, for the spool of streams without a writer yet. Private to trace/build/. */
#ifndef MPG_BUILD_EVENTS_H
#define MPG_BUILD_EVENTS_H

#include "common/bytes.h"
#include "trace/event.h"

/* An event read back, with storage for the event's lists, reused from event to event. */
struct mpg_spooled_event {
    struct mpg_event event;
    int64_t *numbers;
    struct mpg_resolution *resolutions;
    size_t capacity, resolution_capacity;
};

/* Appends EVENT, with its lists, to BYTES; fields not in the event's kind of call are left out. */
void mpg_spooled_put(struct mpg_bytes *bytes, const struct mpg_event *event);
/* Reads the event in the SIZE bytes at DATA, made by mpg_spooled_put(), into S. Returns false: damaged, or out of memory. */
bool mpg_spooled_get(struct mpg_spooled_event *s, const uint8_t *data, size_t size);
void mpg_spooled_clear(struct mpg_spooled_event *s);

#endif
