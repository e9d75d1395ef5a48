/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event line of the text form. Private to trace/. */
#ifndef MPG_TEXT_EVENT_H
#define MPG_TEXT_EVENT_H

#include <stddef.h>

#include "common/error.h"
#include "trace/event.h"

/* An event with the storage of its lists, reused from line to line. */
struct mpg_text_event {
    struct mpg_event event;
    bool has_comm, has_newcomm;
    uint32_t persistent_number;
    int64_t *lists[5]; /* requests, persistent, done, cancelled, counts */
    size_t capacity[5];
    struct mpg_resolution *resolutions;
    size_t resolution_capacity;
};

/* Parses LINE (which it may change) into PARSED and RANK. */
int mpg_text_parse_event(char *line, struct mpg_text_event *parsed, int32_t *rank,
                         struct mpg_error *err);
void mpg_text_event_clear(struct mpg_text_event *parsed);

#endif
