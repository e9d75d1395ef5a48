/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of unsuccessful tests and probes. Each repetition takes a few bytes, so that millions can be read ahead,
 * and is replayed without the bookkeeping of other calls. */
#ifndef MPG_REPLAY_POLLS_H
#define MPG_REPLAY_POLLS_H

#include "replay/interface.h"

enum { MPG_POLLS_KINDS = 4, MPG_POLLS_REQUESTS = 16, MPG_POLLS_INTERVAL_NS = 10000 };

/* Zero-initialised is empty. */
struct mpg_polls {
    struct mpg_poll {
        struct mpg_event event; /* event; its requests point to the array below */
        int64_t requests[MPG_POLLS_REQUESTS];
    } known[MPG_POLLS_KINDS]; /* distinct polls since the last other call, each recorded once as an ordinary call */
    int n;
    struct mpg_repetition *repetition;
    size_t count, capacity;
    uint64_t number; /* call number of the first repetition */
};

/* Appends EVENT, the rank's call NUMBER, to REPETITION if it repeats a known poll at most MPG_POLLS_INTERVAL_NS after
 * the previous call; BEFORE_NS is the time since that call. Returns false if it does not. The caller then stores a
 * non-empty REPETITION before EVENT, and calls mpg_polls_close(). */
bool mpg_polls_join(struct mpg_polls *polls, const struct mpg_event *event, uint64_t number, int64_t before_ns);
/* Returns the index in KNOWN of the poll that EVENT, the next call, repeats with success; -1: none. */
int mpg_polls_success(const struct mpg_polls *polls, const struct mpg_event *event);
/* Empties REPETITION. If EVENT is a poll, adds EVENT to the known polls as the latest; otherwise forgets all known polls. */
void mpg_polls_close(struct mpg_polls *polls, const struct mpg_event *event);
void mpg_polls_clear(struct mpg_polls *polls);

#endif
