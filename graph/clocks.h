/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of all ranks on one axis. Threads can share a map while no function changes the map. */
#ifndef MPG_CLOCKS_H
#define MPG_CLOCKS_H

#include "common/error.h"
#include "trace/reader.h"

struct mpg_clock_map;

enum mpg_clock_source {
    MPG_CLOCK_NONE,     /* times count from the rank's own first event: ranks are not comparable */
    MPG_CLOCK_SHARED,   /* one clock for all ranks */
    MPG_CLOCK_MEASURED, /* measured offsets, interpolated linearly */
    MPG_CLOCK_BOUNDED   /* constant offsets consistent with all messages */
};

/* Makes a clock map from the clock facts of TRACE: SHARED or MEASURED, or NONE without facts. Returns NULL with ERR:
 * out of memory, or a trace error. The caller frees the map. */
struct mpg_clock_map *mpg_clock_map_from_trace(struct mpg_trace *trace, struct mpg_error *err);
enum mpg_clock_source mpg_clock_map_source(const struct mpg_clock_map *map);
/* Returns TIME_NS of RANK's clock on the common axis, in ns from an origin near the begin of the trace. */
double mpg_clock_align(const struct mpg_clock_map *map, int32_t rank, int64_t time_ns);
/* Returns whether MAP is SHARED. If so, aligned time is the rank's time minus *ORIGIN_NS. */
bool mpg_clock_map_is_shared(const struct mpg_clock_map *map, int64_t *origin_ns);

/* Bounds of the differences between ranks' clock offsets. No message arrives before its send, so messages in both directions
 * bound the difference of two ranks' offsets from both sides. */
struct mpg_clock_bounds;
struct mpg_clock_bounds *mpg_clock_bounds_new(int32_t ranks, struct mpg_error *err);
/* Adds a message that SENDER sent at SENT_NS and RECEIVER received at RECEIVED_NS, both aligned by a NONE map.
 * Returns 0, or -1: out of memory. */
int mpg_clock_bounds_add(struct mpg_clock_bounds *bounds, int32_t sender, int32_t receiver,
                         double sent_ns, double received_ns, struct mpg_error *err);
/* Changes MAP from NONE to BOUNDED. Returns 1; 0, with MAP unchanged, if the bounds contradict each other or do not
 * connect all ranks in both directions; -1: out of memory. */
int mpg_clock_map_bound(struct mpg_clock_map *map, const struct mpg_clock_bounds *bounds,
                        struct mpg_error *err);
/* mpg_clock_map_offsets() writes the constant offset of each rank, in ns, to OFFSETS. mpg_clock_map_take_offsets()
 * changes MAP from NONE to BOUNDED, with these OFFSETS. Both arrays have one element for each rank. */
void mpg_clock_map_offsets(const struct mpg_clock_map *map, double *offsets);
void mpg_clock_map_take_offsets(struct mpg_clock_map *map, const double *offsets);
void mpg_clock_bounds_free(struct mpg_clock_bounds *bounds);
void mpg_clock_map_free(struct mpg_clock_map *map);

#endif
