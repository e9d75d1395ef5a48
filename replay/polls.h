/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of calls that ask again and again for what has not come: kept as some bytes each, so that millions of them are
 * read ahead, and are made without what other calls need around them. */
#ifndef MPG_REPLAY_POLLS_H
#define MPG_REPLAY_POLLS_H

#include "replay/stage.h"

enum { MPG_POLLS_KINDS = 4, MPG_POLLS_REQUESTS = 16, MPG_POLLS_INTERVAL_NS = 10000 };

/* Zero-initialised is empty. */
struct mpg_polls {
    struct mpg_poll {
        struct mpg_event event; /* its requests are these */
        int64_t requests[MPG_POLLS_REQUESTS];
    } known[MPG_POLLS_KINDS]; /* what has been asked since something else was done, each by a call before */
    int n;
    struct mpg_again *again;
    size_t count, capacity;
    uint64_t number; /* of the first of them */
};

/* EVENT, the rank's call NUMBER, BEFORE_NS after the one before: true if it asks what has just been asked, no more than
 * MPG_POLLS_INTERVAL_NS ago, and is one of AGAIN now. Else AGAIN has to be made, if there is one, before EVENT
 * is: mpg_polls_close(). */
bool mpg_polls_join(struct mpg_polls *polls, const struct mpg_event *event, uint64_t number, int64_t before_ns);
/* Which of KNOWN asks for what EVENT, which comes next, has found; -1: none. */
int mpg_polls_ender(const struct mpg_polls *polls, const struct mpg_event *event);
/* AGAIN is empty; EVENT is the last that has been asked, or something else, before which nothing has. */
void mpg_polls_close(struct mpg_polls *polls, const struct mpg_event *event);
void mpg_polls_clear(struct mpg_polls *polls);

#endif
