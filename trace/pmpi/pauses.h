/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses of recording: while recording is paused, calls are not written, but their operations with other ranks are counted. At
 * the end of a pause the counts are written as events (Unrecorded), so that readers know which messages and collectives of the
 * recorded part meet unrecorded ones. Requests, communicators and the like are followed meanwhile. Callers hold the lock unless
 * a comment says otherwise. */
#ifndef MPG_PAUSES_H
#define MPG_PAUSES_H

#include "trace/pmpi/tracer.h"

struct pauses {
    _Atomic bool on;  /* recording is paused; changed under the lock, as all members, and read without it */
    _Atomic int64_t next_ns; /* time at which recording is to pause or to go on; INT64_MAX: at no time */
    int64_t for_ns;   /* length of the part by time, from the time at which recording goes on; INT64_MAX: up to the end */
    bool is_given;    /* the user asked for a part of the run by time or region: MPI_Pcontrol does not pause */
};
extern struct pauses pauses;

/* Pauses outside of the visits to which recording is limited (visits.h); without a limit reads MPGTRACE_AFTER and MPGTRACE_FOR,
 * numbers of ns. INIT_NS: end of MPI_Init. */
void pauses_start(int rank, int64_t init_ns);
/* At NOW_NS, when pauses.next_ns has come: pauses, or goes on; or begins a part of the run (last.h). Returns whether a part was
 * begun. Callers do not hold the lock. */
bool pauses_turn(int64_t now_ns);
/* MPI_Pcontrol(0) and MPI_Pcontrol(1), at NOW_NS. No effect if recording is in this state. */
void pauses_begin(int64_t now_ns);
void pauses_end(int64_t now_ns);
/* Recording is paused: counts the operations of EVENT, whose call is complete. Returns whether EVENT is to be written
 * nevertheless: it makes or frees a persistent request, tells the message of a recorded wildcard receive, or ends a region that
 * began before the pause. */
bool pauses_count(const struct mpg_event *event);
/* EVENT, which is about to be written, makes or frees a persistent request: notes the request. */
void pauses_note(const struct mpg_event *event);
/* EVENT, a call that completes requests, is about to be written at NOW_NS: writes counts for the wildcard receives among the
 * requests that were posted during a pause, and whose messages are known only now. */
void pauses_complete(const struct mpg_event *event, int64_t now_ns);
/* Before MPI_Finalize's event: ends a pause without a trace of its end, since nothing follows. */
void pauses_finish(void);

#endif
