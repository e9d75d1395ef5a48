/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long messages flew on the traced machine, by their size, between each two hosts (docs/MODEL.md,
 * section 4, Message times). A streaming summary: its size is bounded for each pair of hosts and size class, and
 * it is the same in whatever order flights are added. Not thread-safe until it is finished. */
#ifndef MPG_MESSAGE_TIMES_H
#define MPG_MESSAGE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "common/map.h"
#include "signature/signature.h"

struct mpg_flight_cell; /* flights of one size class between two hosts */

/* A point of the piecewise linear time of messages over their size. */
struct mpg_message_point {
    double bytes, ns;
    bool is_bound; /* no flight was seen whole */
};

/* Those of two hosts, by size, once finished. */
struct mpg_message_curve {
    const struct mpg_message_point *points;
    size_t n; /* >= 1 */
};

/* Zero-initialised is empty. */
struct mpg_message_times {
    struct mpg_map index; /* of cells: their number from 1 */
    struct mpg_flight_cell *cells;
    size_t cell_count, cell_capacity;
    size_t last; /* the cell that was added to last, its number from 1; 0: none */
    struct mpg_map curve_index; /* once finished: number from 1 */
    struct mpg_message_point *points;
    struct mpg_message_curve *curves;
    size_t curve_count;
};

/* Adds a message of BYTES between the hosts of PAIR that took FLIGHT_NS from the enter of its send to the leave of
 * the call that completed its receive, and BOTH_NS of that in this call. IS_WHOLE: the call waited for it all the time. */
int mpg_message_times_add(struct mpg_message_times *times, uint64_t pair, double bytes, double flight_ns, double both_ns,
                          bool is_whole, struct mpg_error *err);
/* Ends the gathering: finds the curves. */
int mpg_message_times_finish(struct mpg_message_times *times, struct mpg_error *err);
/* The number, from 1, of the curve of PAIR; 0: there is none. */
size_t mpg_message_times_find(const struct mpg_message_times *times, uint64_t pair);
/* The time of a message of BYTES, ns, >= 0. SOURCE: the source's path, if its one-way times are known, else NULL; they go
 * where no flight was seen whole, and beyond the ends of the curve. Then *USES_SOURCE is set. */
double mpg_message_time(const struct mpg_message_curve *curve, double bytes, const struct mpg_network_path *source,
                        bool *uses_source);
void mpg_message_times_clear(struct mpg_message_times *times);

/* Puts flights, not finished, to BYTES; gets them again into empty ones: 0, or -1 where they are not there, or out of
 * memory. */
void mpg_message_times_put(struct mpg_bytes *bytes, const struct mpg_message_times *times);
int mpg_message_times_get(struct mpg_bytes_left *left, struct mpg_message_times *times);

#endif
