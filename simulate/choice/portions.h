/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a Waitsome or Testsome left for later, in each lane: the trace completed it there, and works
 * on it in portions of what follows, each of which begins when its message has arrived
 * (docs/MODEL.md, section 6, In portions). Private to simulate/choice/, simulate/engine/ and simulate/predict/.
 *
 * Times are absolute, ns. One stream's are all over before its next ones begin. */
#ifndef MPG_PORTIONS_H
#define MPG_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/graph.h"

struct mpg_portions;

/* What one portion of one lane waits for. */
struct mpg_owed {
    double at_ns;    /* when it arrives; -INFINITY: it waits for nothing */
    double cause_ns; /* when it was sent, or, if synchronous, could start */
    int32_t source;
    bool answered;
    double value;    /* what at_ns is as a value of who evaluates, which is kept */
    uint32_t slot;   /* from there, or, EARLY, from when that could start */
    bool early;
};

/* What moved a stream in a lane: the portion that waited last. */
struct mpg_portioned {
    bool moved;
    uint32_t number; /* what it waited for is kept as */
    double value;    /* struct mpg_owed's */
    double part;     /* of the interval that was over */
};

/* NUMBERS is where those are counted that are given out. */
struct mpg_portions *mpg_portions_new(uint32_t lanes, uint32_t *numbers, struct mpg_error *err);
/* LANE's, of S, which is being left and has portions: S->portions of them, which the caller fills in
 * (all that the call's lanes do not ask for wait for nothing); NULL with ERR. */
struct mpg_owed *mpg_portions_owe(struct mpg_portions *p, const struct mpg_step *s, uint32_t lane,
                                  struct mpg_error *err);
/* What the I-th of those is kept as, besides slots: no one else's number (mpg_choosing_kept()). */
uint32_t mpg_portions_number(const struct mpg_portions *p, uint32_t stream, uint32_t i);
/* All that is waited for still. */
void mpg_portions_mark(const struct mpg_portions *p, void (*mark)(void *context, uint32_t number, uint32_t w, bool bare),
                       void *context);
/* S has been left, after the above. */
void mpg_portions_leave(struct mpg_portions *p, const struct mpg_step *s);
/* What a portion of LANE of STREAM waits for that has not begun yet, one after the other: I from 0
 * on; NULL: there are no more. */
struct mpg_owed *mpg_portions_open(struct mpg_portions *p, uint32_t stream, uint32_t lane, uint32_t i);
/* Before STREAM's next interval, which begins at BASE_NS + VALUE[w] (BASE_NS is set: as much after
 * LEAVE_NS, the aligned leave of its last call, if ABSOLUTE is 0): moves VALUE to where the portion
 * that begins there can, and adds that to WAITED (of each lane; may be NULL). What moved it is MOVED (of each lane; may be
 * NULL); whether any was is returned. */
bool mpg_portions_begin(struct mpg_portions *p, uint32_t stream, bool absolute, double *value,
                        double *waited, struct mpg_portioned *moved);
/* Whether any begin in that interval, but not where it begins. */
bool mpg_portions_divide(const struct mpg_portions *p, uint32_t stream);
/* After that, of LENGTH_NS in the trace (0 where values are absolute), through which it went from
 * BEFORE to VALUE: the same of those that begin in it. */
bool mpg_portions_within(struct mpg_portions *p, uint32_t stream, bool absolute, double length_ns,
                         const double *before, double *value, double *waited, struct mpg_portioned *moved);
void mpg_portions_free(struct mpg_portions *p); /* NULL is allowed */

#endif
