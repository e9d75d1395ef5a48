/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of all ranks on one axis. Immutable once made; thread-safe. */
#ifndef MPG_CLOCKS_H
#define MPG_CLOCKS_H

#include "common/error.h"
#include "trace/reader.h"

struct mpg_clock_map;

enum mpg_clock_source {
    MPG_CLOCK_NONE,     /* each rank from its own first event on: not comparable */
    MPG_CLOCK_SHARED,   /* one clock */
    MPG_CLOCK_MEASURED, /* measured offsets, interpolated linearly */
    MPG_CLOCK_BOUNDED   /* constant offsets that no message contradicts */
};

/* From what the trace says of its clocks (SHARED or MEASURED), else NONE. */
struct mpg_clock_map *mpg_clock_map_from_trace(struct mpg_trace *trace, struct mpg_error *err);
enum mpg_clock_source mpg_clock_map_source(const struct mpg_clock_map *map);
/* RANK's TIME on the common axis, in ns from a common origin near the trace. */
double mpg_clock_align(const struct mpg_clock_map *map, int32_t rank, int64_t time_ns);
/* Whether that is the same for all ranks: the time since *ORIGIN_NS of their one clock. */
bool mpg_clock_map_is_shared(const struct mpg_clock_map *map, int64_t *origin_ns);

/* Offsets from the messages themselves: no message arrives before it left, so
 * the two directions between two ranks bound their offset from both sides. */
struct mpg_clock_bounds;
struct mpg_clock_bounds *mpg_clock_bounds_new(int32_t ranks, struct mpg_error *err);
/* SENDER was at SENT when something started that RECEIVER had at RECEIVED, both
 * aligned by a NONE map. */
int mpg_clock_bounds_add(struct mpg_clock_bounds *bounds, int32_t sender, int32_t receiver,
                         double sent_ns, double received_ns, struct mpg_error *err);
/* Changes MAP (NONE) to BOUNDED and returns 1 if the bounds connect every rank
 * in both directions and agree; 0 if they do not. */
int mpg_clock_map_bound(struct mpg_clock_map *map, const struct mpg_clock_bounds *bounds,
                        struct mpg_error *err);
/* What that made of MAP, a rank's constant offset each, in ns; has MAP (NONE) be BOUNDED by OFFSETS. */
void mpg_clock_map_offsets(const struct mpg_clock_map *map, double *offsets);
void mpg_clock_map_take_offsets(struct mpg_clock_map *map, const double *offsets);
void mpg_clock_bounds_free(struct mpg_clock_bounds *bounds);
void mpg_clock_map_free(struct mpg_clock_map *map);

#endif
