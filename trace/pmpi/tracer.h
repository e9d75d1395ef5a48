/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer inside a traced program: states of recording, steps of a wrapper.
 *
 * A wrapper reads the clock, makes the real call through PMPI, reads the clock again and calls one of the record
 * functions. These functions take C handles and also serve the Fortran wrappers. The tracer never changes a
 * result. On an error the tracer prints one line and stops recording. */
#ifndef MPG_TRACER_H
#define MPG_TRACER_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/store/writer.h"

/* A call of a wrapper. */
struct tracer_scope {
    int64_t enter_ns, leave_ns;
    const void *return_address, *frame; /* return address and stack frame of the wrapper; FRAME NULL: unknown */
    const void *base;                   /* address at which the wrapper saves the caller's frame pointer */
    enum mpg_call call;
    uint32_t device; /* MPG_DEVICE_ flags of the call's buffers */
    bool outermost; /* not called by MPI itself or by another wrapper */
};

/* Start and end of a wrapper. TRACER_ENTER must be used directly in the wrapper's function. tracer_leave() takes the result of
 * the real call (MPI_SUCCESS for calls without a result) and returns whether the call is to be recorded. Failed calls are
 * recorded by tracer_leave(). */
#define TRACER_ENTER(call) \
    tracer_enter((call), __builtin_return_address(0), __builtin_dwarf_cfa(), \
                 __builtin_frame_address(0))
struct tracer_scope tracer_enter(enum mpg_call call, const void *return_address,
                                 const void *frame, const void *base);
bool tracer_leave(struct tracer_scope *scope, int rc);
/* Between enter and leave: returns whether the call will be recorded if it succeeds. */
bool tracer_records(const struct tracer_scope *scope);

/* Life cycle (life.c). */
void tracer_before_init(void);    /* to be called before the real MPI_Init */
void tracer_before_session(void); /* to be called before the real MPI_Session_init */
void tracer_init(struct tracer_scope *scope, int thread_level); /* to be called after the real call */
void tracer_finalize(struct tracer_scope *scope);  /* to be called before the real call; collective */
void tracer_finalized(struct tracer_scope *scope); /* to be called after the real call, if tracer_leave() returns true */
void tracer_end_early(const char *reason); /* MPI_Abort, exit without MPI_Finalize */
void tracer_count(int which, const void *caller); /* counts a call of mpg_untraced[WHICH] for the facts */

/* For the record functions, which own the tracer's state between lock and write. tracer_lock() returns false if
 * nothing is recorded (any more). */
bool tracer_lock(void);
/* Records long work of the tracer since tracer_enter() as an event (Flush), and sets the enter time of the call to now. */
void tracer_restart_enter(struct tracer_scope *scope);
void tracer_write(const struct tracer_scope *scope, struct mpg_event *event); /* also unlocks */
struct mpg_shape;
/* Writes the event of SCOPE as tracer_write(), given the event's SHAPE (trace/shape.h) without call and callsite, which this
 * function fills in. Fast, but only for the predicted event. Returns false for other events, still locked: the caller then makes
 * the event, and calls tracer_write_at() with the callsite in SHAPE. */
bool tracer_write_repeated(const struct tracer_scope *scope, struct mpg_shape *shape);
void tracer_write_at(const struct tracer_scope *scope, struct mpg_event *event, int32_t site); /* also unlocks */
/* Returns whether the local call SCOPE is aggregated and needs no separate record. Unlocks in this case. */
bool tracer_sum_up(const struct tracer_scope *scope);
void tracer_unlock(void);
void tracer_fail(const struct mpg_error *err);
struct mpg_trace_writer *tracer_writer(void);
void tracer_out_of_memory(void); /* calls tracer_fail() with this error */

#endif
