/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work among the recorded detours of the target's cores, for a vector of lanes (docs/MODEL.md, 3,
 * and docs/NOISE.md, Replay). Each lane remembers a stretch of its record in
 * which nothing interrupts: work that ends in it costs two comparisons. */
#ifndef MPG_RECORDS_H
#define MPG_RECORDS_H

#include "simulate/draws/lane_code.h"
#include "simulate/models/perturbation.h"

/* What a lane of an interval's cursor takes, bytes: a multiple of a double's size. */
size_t mpg_records_cursor_bytes(void);
/* How long WORK_NS[w] of X takes that begins DELAY_NS[w] late, in each of N <= MPG_LANES_AT_ONCE of X's lanes from lane
 * AT on, which is replica FIRST, into TIME_NS; exactly as long where nothing interrupts. The target
 * has records. */
void mpg_records_meet(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                      uint32_t first, uint32_t n, const double *delay_ns, const double *work_ns,
                      double *time_ns);
/* Adds to DELAY_NS how much longer X takes there, of which WORK is to be done, with noise by P's factor; X has a cursor. */
void mpg_records_pass(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                      uint32_t first, uint32_t n, const struct mpg_lane_work *work, double *delay_ns);
/* The parts of all records in REPLICA; NULL: they are whole. */
static inline const uint8_t *mpg_records_parts(const struct mpg_perturbation *p, uint32_t replica)
{
    return p->measurement_fixed ? NULL : p->parts.part[mpg_measurement_of(replica)];
}
/* Asks for what the next look-ups of X's rank read, in N lanes from lane AT on. */
void mpg_records_fetch(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t n);

#endif
