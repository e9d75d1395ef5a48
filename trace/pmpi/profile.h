/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile mode: a table of calls, times and bytes by callsite in place of events, in a file mapped into memory. The file
 * has a constant size, and a killed process loses nothing. Not thread-safe: the streams' lock is held. */
#ifndef MPG_PMPI_PROFILE_H
#define MPG_PMPI_PROFILE_H

#include <stdbool.h>

#include "common/error.h"
#include "trace/event.h"
#include "trace/profile/format.h"

/* Makes the file of RANK, one of RANKS, in DIRECTORY; replaces an existing file. Events have VALUES counters. Returns 0, or -1
 * with ERR. */
int profile_open(const char *directory, int rank, int ranks, uint32_t values, struct mpg_error *err);

/* Returns true between a successful profile_open() and profile_close(). */
bool profile_is_on(void);

/* Adds EVENT, made at the captured SITE (callsites.h), to the sums of EVENT's call and SITE. */
void profile_add(const struct mpg_event *event, int32_t site);

/* Forgets all added events. */
void profile_clear(void);

/* Pauses or resumes the profile at NOW_NS, for MPI_Pcontrol's levels 0 and 1. */
void profile_pause(bool pause, int64_t now_ns);

/* Writes a fact about the rank, like mpg_trace_write_fact(); without room, does nothing. */
void profile_fact(const char *key, const char *value);

/* Rewrites the file without unused parts; on failure leaves the file unchanged and returns -1. */
int profile_close(enum mpg_profile_state state, struct mpg_error *err);

#endif
