/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The destination of a trace being written, in any format: a table of functions, implemented by the native form (trace/copy/) and
 * other tools' formats (export/).
 *
 * Ranks are passed one after another, in any order, each once: begin(), the facts and events of the rank, end(). Events are
 * passed as returned by a cursor, with the trace's numbers of communicators, windows, names and callsites; times and values can
 * be changed. Events of a thread come in the order of time. Facts "died" come after the events, all other facts before. Functions
 * return 0, or -1 with ERR: a full disk, out of memory, an event that the format cannot hold at all. After an error no function
 * is called. */
#ifndef MPG_TRACE_SINK_H
#define MPG_TRACE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/event.h"

struct mpg_sink {
    void *context; /* first argument of the functions */
    int (*begin)(void *context, int32_t rank, struct mpg_error *err);
    int (*fact)(void *context, const char *key, const char *value, struct mpg_error *err);
    int (*event)(void *context, const struct mpg_event *event, struct mpg_error *err);
    int (*end)(void *context, bool last, struct mpg_error *err); /* LAST: no further rank follows */
};

#endif
