/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile mode: instead of events, a table of what each callsite did, in a file that is
 * mapped into memory: it has one size, and a process that is killed loses nothing.
 * Not thread-safe: the streams' lock is held. */
#ifndef MPG_PMPI_PROFILE_H
#define MPG_PMPI_PROFILE_H

#include <stdbool.h>

#include "common/error.h"
#include "trace/event.h"
#include "trace/profile/format.h"

/* Makes the file of RANK in DIRECTORY, replacing one that is there. Events have VALUES counters. */
int profile_open(const char *directory, int rank, int ranks, uint32_t values, struct mpg_error *err);

/* Whether profile_open() succeeded and profile_close() was not called. */
bool profile_is_on(void);

/* Adds EVENT, made at the captured SITE (callsites.h), to its row. */
void profile_add(const struct mpg_event *event, int32_t site);

/* Forgets what was added so far. */
void profile_clear(void);

/* What MPI_Pcontrol's levels 0 and 1 ask for, at NOW. */
void profile_pause(bool pause, int64_t now_ns);

/* A fact about the rank, as mpg_trace_write_fact(); without room for it, nothing. */
void profile_fact(const char *key, const char *value);

/* Writes the file anew without what was not used, or, on failure, leaves it as it is. */
int profile_close(enum mpg_profile_state state, struct mpg_error *err);

#endif
