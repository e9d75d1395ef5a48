/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer inside a traced program: when it records, what a wrapper does.
 *
 * A wrapper takes the time, makes the real call through PMPI, takes the time
 * again and hands what it knows to one of the record functions, all of which
 * take C handles and are also used by the Fortran wrappers. The tracer is a
 * guest: it changes no result, and when it fails it says so once and stops. */
#ifndef MPG_TRACER_H
#define MPG_TRACER_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/store/writer.h"

/* One call of a wrapper. */
struct tracer_scope {
    int64_t enter_ns, leave_ns;
    const void *return_address, *frame; /* where the wrapper returns to, and the stack there */
    const void *base;                   /* where the wrapper keeps the caller's frame pointer */
    enum mpg_call call;
    bool outermost; /* not called by MPI itself or by another wrapper */
};

/* Start and end of a wrapper, in which TRACER_ENTER stands itself. Leave is given what
 * the real call returned (MPI_SUCCESS where it returns no such thing) and says whether
 * the call is to be recorded; one that failed it has recorded itself. */
#define TRACER_ENTER(call) \
    tracer_enter((call), __builtin_return_address(0), __builtin_dwarf_cfa(), \
                 __builtin_frame_address(0))
struct tracer_scope tracer_enter(enum mpg_call call, const void *return_address,
                                 const void *frame, const void *base);
bool tracer_leave(struct tracer_scope *scope, int rc);
/* Between the two: whether the call will be recorded if it succeeds. */
bool tracer_records(const struct tracer_scope *scope);

/* Life cycle (life.c). */
void tracer_before_init(void);
void tracer_before_session(void);
void tracer_init(struct tracer_scope *scope, int thread_level); /* after the real call */
void tracer_finalize(struct tracer_scope *scope);  /* before the real call; collective */
void tracer_finalized(struct tracer_scope *scope); /* after it, if tracer_leave says so */
void tracer_end_early(const char *reason); /* MPI_Abort, exit without MPI_Finalize */
void tracer_count(int which, const void *caller); /* a call of mpg_untraced[WHICH], for the facts */

/* For the record functions. Between lock and write the tracer's state is theirs;
 * lock returns false when nothing is recorded (any more). */
bool tracer_lock(void);
/* After work of the tracer's own since tracer_enter() that takes long: becomes an event (Flush), and the call enters now. */
void tracer_enter_anew(struct tracer_scope *scope);
void tracer_write(const struct tracer_scope *scope, struct mpg_event *event); /* and unlocks */
/* Whether the call SCOPE, which involves nobody, needs no record of its own; and unlocks then. */
bool tracer_sum_up(const struct tracer_scope *scope);
void tracer_unlock(void);
void tracer_fail(const struct mpg_error *err);
struct mpg_trace_writer *tracer_writer(void);
void tracer_out_of_memory(void); /* tracer_fail with that */

#endif
