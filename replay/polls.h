/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of polls: unsuccessful tests and probes. A repetition takes a few bytes (millions can be read ahead) and is replayed
 * without the bookkeeping of ordinary calls. */
#ifndef MPG_REPLAY_POLLS_H
#define MPG_REPLAY_POLLS_H

#include "replay/interface.h"

enum { MPG_POLLS_KINDS = 4, MPG_POLLS_REQUESTS = 16, MPG_POLLS_INTERVAL_NS = 10000 };

/* Zero-initialised: empty. */
struct mpg_polls {
    struct mpg_poll {
        struct mpg_event event; /* the poll; the event's requests are a copy in `requests` */
        int64_t requests[MPG_POLLS_REQUESTS];
    } known[MPG_POLLS_KINDS]; /* the polls that a run may repeat: the last different polls, each replayed as an ordinary call */
    int n;
    struct mpg_repetition *repetition;
    size_t count, capacity;
    uint64_t number; /* call number of the run's first repetition */
};

/* If EVENT, the rank's call NUMBER, repeats a known poll at most MPG_POLLS_INTERVAL_NS after the previous call, adds it to the
 * run. BEFORE_NS: time since this previous call. Returns false if EVENT was not added: the caller then stores the run, if any,
 * and calls mpg_polls_close(). */
bool mpg_polls_join(struct mpg_polls *polls, const struct mpg_event *event, uint64_t number, int64_t before_ns);
/* Returns the index in `known` of the poll that EVENT, the call after the run, repeats successfully; -1: none. */
int mpg_polls_success(const struct mpg_polls *polls, const struct mpg_event *event);
/* Ends the run. EVENT, if it is a poll, becomes known; the polls known before are forgotten if a run has repeated them, if
 * EVENT is no poll, or if MPG_POLLS_KINDS polls are known. */
void mpg_polls_close(struct mpg_polls *polls, const struct mpg_event *event);
void mpg_polls_clear(struct mpg_polls *polls);

#endif
