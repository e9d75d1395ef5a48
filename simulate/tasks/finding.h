/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the search for masters and workers during the reading of the trace. Private to simulate/tasks/. */
#ifndef MPG_TASK_FINDING_H
#define MPG_TASK_FINDING_H

#include "simulate/tasks/survey.h"

/* A message received by the master; messages are in the order of the receives. */
struct mpg_task_received {
    int32_t source;   /* world rank */
    uint64_t receive; /* number of the MPI_ANY_SOURCE receive in whose step the message is received; MPG_NO_TASK: none */
};

/* Data about a receive besides struct mpg_task. */
struct mpg_task_extra {
    /* OTHER: the master's first call after the receive that does not belong to the receive's step. END: a call of the
     * worker, by which the events after this receive cannot be the piece of a task. MPG_CALL_COUNT: no call */
    struct mpg_task_place other, end;
};

/* Number of messages that the rank BY has sent to a rank; counts as 0 if BY is not the rank being read. */
struct mpg_task_sent {
    int32_t by; /* world rank of the sender, + 1 */
    uint32_t n;
};

/* A receive posted by the master and not completed, from a named rank or from any. */
struct mpg_task_posted {
    int64_t request; /* request of the receive; 0: no receive is posted */
    int32_t comm, from, tag;
    int32_t place;   /* index of the receive in the first list of receives */
};

/* Zero-initialised at first. */
struct mpg_task_finding {
    struct mpg_trace *trace;
    struct mpg_tasks *t;
    struct mpg_error *why;
    struct mpg_task_extra *extra;
    struct mpg_task_received *received; /* messages to the master, in the order of receives */
    struct mpg_task_sent *sent;  /* by world rank of the receiver: messages of the master, or of the rank being read */
    struct mpg_task_posted posted;  /* the MPI_ANY_SOURCE receive */
    struct mpg_task_posted *pick;   /* by world rank of the source: the receive from this rank; NULL unless T `picks` */
    int32_t picks;                  /* number of receives posted in `pick` */
    /* by index in the first list of receives: source of the receive; number of receives in this list */
    int32_t *at_place, places;
    int64_t polling_ns;          /* longest interval that counts as polling */
    enum mpg_call polled;        /* the master's last call if an unsuccessful probe or test; else MPG_CALL_COUNT */
    int64_t polled_ns;           /* end of the master's last call, ns on the master's clock */
    bool is_probed;              /* a probe has found a message with PROBED_TAG, which the master must receive next */
    int32_t probed_tag;
    uint32_t taken;              /* number of messages received in the current step */
    uint32_t received_number, received_capacity, task_capacity, extra_capacity, message_number, message_capacity;
    struct mpg_task_survey survey;
    /* indices in `received` of each worker's messages: worker r has sequence[begin[r]] to sequence[begin[r + 1] - 1] */
    uint32_t *sequence, *begin;
};

/* Stands for the bytes of a missing message, in the step of a receive that is no part of the pattern. */
enum { MPG_TASK_NO_MESSAGE = -2 };
/* Results: the trace has the pattern up to here; the trace does not have the pattern; error; read the workers again. */
enum { MPG_TASK_HOLDS = 1, MPG_TASK_BREAKS = 0, MPG_TASK_FAILS = -1, MPG_TASK_AGAIN = 2 };

int mpg_task_out_of_memory(struct mpg_task_finding *f);
/* Sets the error of F to why the call AT of RANK breaks the pattern. Returns MPG_TASK_BREAKS. */
__attribute__((format(printf, 4, 5)))
int mpg_task_refuse(struct mpg_task_finding *f, int32_t rank, struct mpg_task_place at, const char *format, ...);
/* Returns true if E makes a persistent request. */
bool mpg_task_is_persistent(const struct mpg_event *e);

/* Handles E, call NUMBER of RANK, not local. RANK becomes the master with the rank's first MPI_ANY_SOURCE receive.
 * Returns HOLDS, BREAKS or FAILS. */
int mpg_task_take_master(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e);
/* Checks the master's last step; to be called after the master's last call. */
int mpg_task_end_master(struct mpg_task_finding *f);

/* Reads the calls of worker RANK, and finds the worker's pieces. Returns HOLDS, BREAKS or FAILS; or AGAIN: the depth of
 * F's tasks has changed, and all workers must be read again. */
int mpg_task_read_worker(struct mpg_task_finding *f, int32_t rank);

#endif
