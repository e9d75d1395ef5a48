/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the search for masters and workers knows while it reads the trace. Private to simulate/tasks/. */
#ifndef MPG_TASK_FINDING_H
#define MPG_TASK_FINDING_H

#include "simulate/tasks/survey.h"

/* A message to the master, in the order of the master's receives. */
struct mpg_task_received {
    int32_t source;   /* world rank */
    uint64_t receive; /* the receive from any source in whose step it is received; MPG_NO_TASK: none */
};

/* What is known of a receive beyond struct mpg_task. */
struct mpg_task_extra {
    /* OTHER: the master's first call after the receive that does not belong to its step; END: the worker's call that shows that
     * what follows this receive is not the piece of a task. MPG_CALL_COUNT: none */
    struct mpg_task_place other, end;
};

/* Number of messages from one rank, BY, to another rank; 0 for other senders. */
struct mpg_task_sent {
    int32_t by; /* world rank + 1 */
    uint32_t n;
};

/* The receive that the master has posted from a rank. */
struct mpg_task_posted {
    int64_t request; /* 0: none */
    int32_t comm, from, tag;
    int32_t place;   /* in the first list of such receives */
};

/* Zero-initialised at first. */
struct mpg_task_finding {
    struct mpg_trace *trace;
    struct mpg_tasks *t;
    struct mpg_error *why;
    struct mpg_task_extra *extra;
    struct mpg_task_received *received; /* messages to the master */
    struct mpg_task_sent *sent;  /* by world rank: messages of the master, or of the rank that is read */
    struct mpg_task_posted posted;  /* from any source */
    struct mpg_task_posted *pick;   /* by world rank: from this rank; NULL unless T picks */
    int32_t picks;                  /* number of receives posted there */
    int32_t *at_place, places;      /* at_place: the rank of each place in the first list; places: their number */
    int64_t polling_ns;          /* the longest interval of polling */
    enum mpg_call polled;        /* the master's last call if it was a probe or test that found nothing; else MPG_CALL_COUNT */
    int64_t polled_ns;           /* end of the master's last call */
    bool is_probed;              /* a probe has found a message with PROBED_TAG, which the master must receive next */
    int32_t probed_tag;
    uint32_t taken;              /* messages received in the last step */
    uint32_t received_number, received_capacity, task_capacity, extra_capacity, message_number, message_capacity;
    struct mpg_task_survey survey;
    uint32_t *sequence, *begin; /* the messages of each worker, as indices of `received`, from begin[rank] to begin[rank + 1] */
};

/* The bytes of a message that does not exist: it fills the step of a receive that is no part of the pattern. */
enum { MPG_TASK_NO_MESSAGE = -2 };
/* Results: the trace has the pattern so far; the trace does not have the pattern; error; read the workers again. */
enum { MPG_TASK_HOLDS = 1, MPG_TASK_BREAKS = 0, MPG_TASK_FAILS = -1, MPG_TASK_AGAIN = 2 };

int mpg_task_out_of_memory(struct mpg_task_finding *f);
/* Names in F's error the call AT of RANK, and why it breaks the pattern. Returns MPG_TASK_BREAKS. */
__attribute__((format(printf, 4, 5)))
int mpg_task_refuse(struct mpg_task_finding *f, int32_t rank, struct mpg_task_place at, const char *format, ...);
/* Returns true if E makes a persistent request. */
bool mpg_task_is_persistent(const struct mpg_event *e);

/* Takes E, call NUMBER of RANK, which becomes the master with its first receive from any source; E is not local. Returns HOLDS,
 * BREAKS or FAILS. */
int mpg_task_take_master(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e);
/* Checks the last step after the master's last call. */
int mpg_task_end_master(struct mpg_task_finding *f);

/* Reads the worker RANK, and finds its pieces. Returns HOLDS, BREAKS, FAILS; AGAIN: the depth of F's tasks has changed, and all
 * workers must be read again. */
int mpg_task_read_worker(struct mpg_task_finding *f, int32_t rank);

#endif
