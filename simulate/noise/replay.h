/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operating-system noise by replay of recorded detours (docs/MODEL.md, section 3). The record repeats. With u(t) = t minus the
 * sum of detours before t, work x that begins at t ends at u^-1(u(t) + x). Immutable once made. */
#ifndef MPG_REPLAY_H
#define MPG_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_replay;

/* Returns the replay of CORE's detours, which are copied; without detours the core has no noise. For a truncated record, u first
 * subtracts the longest detours, then on the remaining time the detours of the blocks, end to end and repeated. NULL with ERR:
 * the detours leave no time for work; out of memory. */
struct mpg_replay *mpg_replay_new(const struct mpg_noise_core *core, struct mpg_error *err);
/* Stores REPLAY's record also as one list for vector look-ups (kinds.c), if the record has at most MAX detours. Must be called
 * before the first look-up. Error: out of memory. */
int mpg_replay_make_list(struct mpg_replay *replay, size_t max, struct mpg_error *err);
double mpg_replay_span_ns(const struct mpg_replay *replay);
/* Returns u(T_NS), ns; T_NS >= 0 is the time from the record's start and may span many repetitions. */
double mpg_replay_work_before(const struct mpg_replay *replay, double t_ns);
/* Returns the earliest t with u(t) = WORK_NS. */
double mpg_replay_time_of(const struct mpg_replay *replay, double work_ns);
/* Returns the time, ns, that WORK_NS of work from T_NS on takes; exactly WORK_NS if nothing interrupts. */
double mpg_replay_time_for(const struct mpg_replay *replay, double t_ns, double work_ns);
/* The result of a look-up. */
struct mpg_replay_met {
    double time_ns;    /* time as from mpg_replay_time_for() */
    double quiet_ns;   /* uninterrupted time after the end of the work, up to rounding; <= 0: unknown */
};
struct mpg_replay_met mpg_replay_meet(const struct mpg_replay *replay, double t_ns, double work_ns);
/* Returns the rest, ns, of the detour under way at T_NS (0: no detour), and sets *SINCE_NS to the time since the detour began. */
double mpg_replay_detour_left(const struct mpg_replay *replay, double t_ns, double *since_ns);
/* Sets *START_NS and *DURATION_NS to arrays of the *N detours of one span in time order; the caller frees them. Blocks of a
 * truncated record are repeated as in a replay. Error: out of memory. */
int mpg_replay_detours(const struct mpg_replay *replay, size_t *n, double **start_ns,
                       double **duration_ns, struct mpg_error *err);
void mpg_replay_free(struct mpg_replay *replay); /* NULL is allowed */

#endif
