/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operating-system noise by replay of recorded detours (docs/MODEL.md, 3).
 *
 * The record repeats. With u(t) = t minus the detours before t, work x begun at
 * phase t ends at u^-1(u(t) + x): noise is met by work. Immutable once made. */
#ifndef MPG_REPLAY_H
#define MPG_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_replay;

/* From CORE's detours (copied); a record without any is a quiet core. Of a record that is
 * kept in part, u is that of its longest detours and then, of the time that these leave,
 * that of the blocks after each other, from the first again after the last. */
struct mpg_replay *mpg_replay_new(const struct mpg_noise_core *core, struct mpg_error *err);
/* Keeps REPLAY's record also as one list, for lanes to look up in (kinds.c), if it has no more than MOST detours. Before
 * its first look-up. Error: out of memory. */
int mpg_replay_make_list(struct mpg_replay *replay, size_t most, struct mpg_error *err);
double mpg_replay_span_ns(const struct mpg_replay *replay);
/* u(T), T >= 0 in ns from the record's start, any number of records long. */
double mpg_replay_work_before(const struct mpg_replay *replay, double t_ns);
/* The earliest t with u(t) = WORK. */
double mpg_replay_time_of(const struct mpg_replay *replay, double work_ns);
/* How long WORK_NS begun at T_NS takes; exactly as long where nothing interrupts. */
double mpg_replay_time_for(const struct mpg_replay *replay, double t_ns, double work_ns);
/* What work meets. */
struct mpg_replay_met {
    double time_ns;    /* as mpg_replay_time_for() */
    double quiet_ns;   /* from its end on nothing interrupts for so long, but for rounding; <= 0:
                          that is not known */
};
struct mpg_replay_met mpg_replay_meet(const struct mpg_replay *replay, double t_ns, double work_ns);
/* How long the detour in which T_NS is goes on, *SINCE_NS after it began; 0: it is in none. */
double mpg_replay_detour_left(const struct mpg_replay *replay, double t_ns, double *since_ns);
/* All its detours over one span, in time order, into *START_NS and *DURATION_NS, arrays of *N
 * that the caller frees; of a record that is kept in part, those of its blocks as often as they
 * are met. */
int mpg_replay_detours(const struct mpg_replay *replay, size_t *n, double **start_ns,
                       double **duration_ns, struct mpg_error *err);
void mpg_replay_free(struct mpg_replay *replay); /* NULL is allowed */

#endif
