/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Message times on the traced machine by size, for each pair of hosts (docs/MODEL.md, section 4, Message times). The stored
 * data have a bounded size for each pair of hosts and size class, and do not depend on the order of messages. Not thread-safe
 * until mpg_message_times_finish(). */
#ifndef MPG_MESSAGE_TIMES_H
#define MPG_MESSAGE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "common/map.h"
#include "signature/signature.h"

struct mpg_flight_cell; /* observed times of messages of one size class between two hosts */

/* A point of the piecewise linear message time over size. */
struct mpg_message_point {
    double bytes, ns;
    bool is_bound; /* NS is only a lower bound, because no message of the size class was observed from begin to end */
};

/* The points of a pair of hosts, ascending in size; valid after mpg_message_times_finish(). */
struct mpg_message_curve {
    const struct mpg_message_point *points;
    size_t n; /* number of points, >= 1 */
};

/* Zero-initialised: empty. */
struct mpg_message_times {
    struct mpg_map index; /* (pair of hosts, size class) -> number of the cell, from 1 */
    struct mpg_flight_cell *cells;
    size_t cell_count, cell_capacity;
    size_t last; /* number, from 1, of the cell found by the last look-up; 0: none */
    struct mpg_map curve_index; /* valid after mpg_message_times_finish(): pair of hosts -> number of the pair's curve, from 1 */
    struct mpg_message_point *points;
    struct mpg_message_curve *curves;
    size_t curve_count;
};

/* Adds a message of BYTES between the hosts of PAIR. FLIGHT_NS: from the enter of the send to the leave of the call that
 * completed the receive; BOTH_NS: the part of FLIGHT_NS within this call. IS_WHOLE: the call waited for the message all the
 * time. Error: out of memory. */
int mpg_message_times_add(struct mpg_message_times *times, uint64_t pair, double bytes, double flight_ns, double both_ns,
                          bool is_whole, struct mpg_error *err);
/* Ends the gathering, and computes the curves. Error: out of memory. */
int mpg_message_times_finish(struct mpg_message_times *times, struct mpg_error *err);
/* Returns the number of PAIR's curve, from 1; 0: the pair has no curve. */
size_t mpg_message_times_find(const struct mpg_message_times *times, uint64_t pair);
/* Returns the time of a message of BYTES, ns, >= 0. SOURCE: the source's path, if its one-way times are known, else NULL.
 * SOURCE gives the time where smaller than the curve's lower bounds, and the increase beyond the curve's ends: *USES_SOURCE is
 * then set. */
double mpg_message_time(const struct mpg_message_curve *curve, double bytes, const struct mpg_network_path *source,
                        bool *uses_source);
void mpg_message_times_clear(struct mpg_message_times *times);

/* For the cache: mpg_message_times_put() appends the unfinished data of TIMES to BYTES. mpg_message_times_get() reads the
 * data from LEFT into empty TIMES and returns 0, or -1 if LEFT is damaged or memory runs out. */
void mpg_message_times_put(struct mpg_bytes *bytes, const struct mpg_message_times *times);
int mpg_message_times_get(struct mpg_bytes_left *left, struct mpg_message_times *times);

#endif
