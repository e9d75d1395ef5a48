/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may be master and who worker in any trace, and how long each rank computes; and what find.c asks of a call. Private to
 * simulate/tasks/. */
#ifndef MPG_TASK_SURVEY_H
#define MPG_TASK_SURVEY_H

#include "simulate/tasks/tasks.h"

/* A call that is named in an error. */
struct mpg_task_place {
    uint64_t number;
    enum mpg_call call; /* MPG_CALL_COUNT: none */
};

#define MPG_TASK_NOWHERE ((struct mpg_task_place){0, MPG_CALL_COUNT})

static inline struct mpg_task_place mpg_task_place_of(uint64_t number, const struct mpg_event *e)
{
    return (struct mpg_task_place){number, e->call};
}

/* The first returns true for events that concern no other rank (local calls, regions, the tracer's own); the second for calls
 * that receive a message, now or later, from rank *FROM of the communicator; the third for calls that send a message; the fourth
 * for receives from any source, posted or complete, and for probes that found a message from any source. */
bool mpg_task_is_local(const struct mpg_event *e);
bool mpg_task_is_receive(const struct mpg_event *e, int32_t *from);
bool mpg_task_is_send(const struct mpg_event *e);
bool mpg_task_leaves_source_open(const struct mpg_event *e);
/* Returns true for probes and tests that found nothing. */
bool mpg_task_finds_nothing(const struct mpg_event *e);
/* Returns the requests that E, a completion, completes; *N: their number. */
const int64_t *mpg_task_done(const struct mpg_event *e, uint32_t *n);
/* Returns the world rank of rank RANK of COMM; -1: this process is of another job, or COMM is an inter-communicator. */
int32_t mpg_task_world(const struct mpg_trace *trace, int32_t comm, int32_t rank);

/* A rank that takes messages as they come. */
struct mpg_task_chooser {
    int32_t rank;
    uint64_t n;     /* number of the rank's calls that do so */
    struct mpg_task_place first; /* the first of these calls */
    bool *partner;  /* by world rank: the sources of these messages, or the ranks to which the rank sends */
};

/* Zero-initialised at first. */
struct mpg_task_survey {
    struct mpg_trace *trace;
    int32_t ranks;
    double *computation_ns;         /* by world rank; belongs to the caller */
    int64_t left_ns;                /* of the rank that is read: end of its last call; INT64_MIN: none */
    int32_t open_ranks;             /* 0: no rank receives from any source; 1: one rank; more: several */
    struct mpg_task_chooser open, pick, max;  /* open: the first rank that receives from any source; pick: the rank that is read,
                                                 with its Waitany, Waitsome, Testany and Testsome; max: the rank with most of
                                                 these calls */
};

/* Prepares SURVEY, which adds to COMPUTATION_NS, by world rank, the time outside of MPI calls. Returns 0, or -1: out of memory.
 * The caller clears SURVEY in any case. */
int mpg_task_survey_new(struct mpg_task_survey *survey, struct mpg_trace *trace, double *computation_ns);
void mpg_task_survey_clear(struct mpg_task_survey *survey);
/* The first function begins RANK; the second takes the next event E of this rank, of call NUMBER; the third ends the rank. */
void mpg_task_survey_begin(struct mpg_task_survey *survey, int32_t rank);
void mpg_task_survey_take(struct mpg_task_survey *survey, uint64_t number, const struct mpg_event *e);
void mpg_task_survey_end(struct mpg_task_survey *survey);
/* After the last rank: returns the only rank that receives from any source; if no rank does, the rank with the most Waitany,
 * Waitsome, Testany and Testsome; NULL: several ranks receive from any source, or no rank has any of these calls. */
const struct mpg_task_chooser *mpg_task_survey_master(const struct mpg_task_survey *survey);

#endif
