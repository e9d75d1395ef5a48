/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds, in any trace, which rank may be the master and which are workers, and how long each rank computes; also functions
 * about calls for find.c. Private to simulate/tasks/. */
#ifndef MPG_TASK_SURVEY_H
#define MPG_TASK_SURVEY_H

#include "simulate/tasks/tasks.h"

/* Identifies a call, for errors. */
struct mpg_task_place {
    uint64_t number;
    enum mpg_call call; /* MPG_CALL_COUNT: none */
};

#define MPG_TASK_NOWHERE ((struct mpg_task_place){0, MPG_CALL_COUNT})

static inline struct mpg_task_place mpg_task_place_of(uint64_t number, const struct mpg_event *e)
{
    return (struct mpg_task_place){number, e->call};
}

/* Return true: _is_local() for events that concern no other rank (local calls, regions, events of the tracer);
 * _is_receive() for calls that receive a message, at once or later, from rank *FROM of the communicator; _is_send() for
 * calls that send a message; _leaves_source_open() for MPI_ANY_SOURCE receives, posted or complete, and successful
 * MPI_ANY_SOURCE probes. */
bool mpg_task_is_local(const struct mpg_event *e);
bool mpg_task_is_receive(const struct mpg_event *e, int32_t *from);
bool mpg_task_is_send(const struct mpg_event *e);
bool mpg_task_leaves_source_open(const struct mpg_event *e);
/* Returns true for unsuccessful probes and tests. */
bool mpg_task_finds_nothing(const struct mpg_event *e);
/* Returns the requests completed by E, a completion; *N: number of requests. */
const int64_t *mpg_task_done(const struct mpg_event *e, uint32_t *n);
/* Returns the world rank of rank RANK of COMM; -1: this process is of another job, or COMM is an inter-communicator. */
int32_t mpg_task_world(const struct mpg_trace *trace, int32_t comm, int32_t rank);

/* A rank whose calls choose among messages by arrival: MPI_ANY_SOURCE receives, or Waitany and the like. */
struct mpg_task_chooser {
    int32_t rank;
    uint64_t n;     /* number of calls that choose */
    struct mpg_task_place first; /* the first call that chooses */
    bool *partner;  /* by world rank: true for the sources of the chosen messages, or for the ranks to which the rank sends */
};

/* Zero-initialised at first. */
struct mpg_task_survey {
    struct mpg_trace *trace;
    int32_t ranks;
    double *computation_ns;         /* by world rank; belongs to the caller */
    int64_t left_ns;                /* end of the last call of the rank being read, on the rank's clock; INT64_MIN: no call yet */
    int32_t open_ranks;             /* number of ranks with MPI_ANY_SOURCE receives: 0, 1, or more */
    /* open: the first rank with MPI_ANY_SOURCE receives; pick: the rank being read, with Waitany, Waitsome, Testany and
     * Testsome; max: the rank with the most calls of Waitany, Waitsome, Testany and Testsome */
    struct mpg_task_chooser open, pick, max;
};

/* Prepares SURVEY, which adds to COMPUTATION_NS, by world rank, the time outside of MPI calls. Returns 0, or -1: out of memory.
 * The caller clears SURVEY in any case. */
int mpg_task_survey_new(struct mpg_task_survey *survey, struct mpg_trace *trace, double *computation_ns);
void mpg_task_survey_clear(struct mpg_task_survey *survey);
/* mpg_task_survey_begin() begins RANK; mpg_task_survey_take() handles the next event E, call NUMBER;
 * mpg_task_survey_end() ends the rank. */
void mpg_task_survey_begin(struct mpg_task_survey *survey, int32_t rank);
void mpg_task_survey_take(struct mpg_task_survey *survey, uint64_t number, const struct mpg_event *e);
void mpg_task_survey_end(struct mpg_task_survey *survey);
/* To be called after the last rank. Returns the only rank with MPI_ANY_SOURCE receives; if no rank has any, the rank with the
 * most Waitany, Waitsome, Testany and Testsome; NULL: several ranks have MPI_ANY_SOURCE receives, or no rank has any of these
 * calls. */
const struct mpg_task_chooser *mpg_task_survey_master(const struct mpg_task_survey *survey);

#endif
