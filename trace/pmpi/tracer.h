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
#include "trace/writer.h"

/* One call of a wrapper. */
struct tracer_scope {
    int64_t enter_ns, leave_ns;
    const void *return_address, *frame; /* where the wrapper returns to, and the stack there */
    enum mpg_call call;
    bool outermost; /* not called by MPI itself or by another wrapper */
};

/* Start and end of a wrapper, in which TRACER_ENTER stands itself. Leave is given what
 * the real call returned (MPI_SUCCESS where it returns no such thing) and says whether
 * the call is to be recorded; one that failed it has recorded itself. */
#define TRACER_ENTER(call) \
    tracer_enter((call), __builtin_return_address(0), __builtin_dwarf_cfa())
struct tracer_scope tracer_enter(enum mpg_call call, const void *return_address,
                                 const void *frame);
bool tracer_leave(struct tracer_scope *scope, int rc);
/* Between the two: whether the call will be recorded if it succeeds. */
bool tracer_records(const struct tracer_scope *scope);

/* Life cycle (life.c). */
void tracer_init(struct tracer_scope *scope, int thread_level); /* after the real call */
void tracer_finalize(struct tracer_scope *scope);  /* before the real call; collective */
void tracer_finalized(struct tracer_scope *scope); /* after it, if tracer_leave says so */
void tracer_end_early(const char *reason); /* MPI_Abort, exit without MPI_Finalize */
void tracer_count(int which);              /* an untraced call */

/* For the record functions. Between lock and write the tracer's state is theirs;
 * lock returns false when nothing is recorded (any more). */
bool tracer_lock(void);
void tracer_write(const struct tracer_scope *scope, struct mpg_event *event); /* and unlocks */
void tracer_unlock(void);
void tracer_fail(const struct mpg_error *err);
struct mpg_trace_writer *tracer_writer(void);
int64_t tracer_bytes(int count, MPI_Datatype type);
int32_t tracer_peer(int rank); /* MPI_PROC_NULL, MPI_ROOT as the trace has them */

/* Communicators (comms.c): the number of COMM on this rank, defined in the trace
 * at its first use. Locked callers only. */
int32_t tracer_comm(MPI_Comm comm);
void tracer_comm_new(MPI_Comm comm); /* COMM was just made: never an old number */
void tracer_comm_forget(MPI_Comm comm);
void tracer_comms_end(void);

/* Requests (requests.c). ADDRESS is that of the program's request variable: Open
 * MPI uses one handle for many sends that were complete at once. */
struct tracer_request {
    struct tracer_request *next, *prev; /* of the same handle; the first one's prev is the last */
    int64_t id;            /* of the active operation */
    int64_t persistent;    /* number of the persistent request, or 0 */
    const void *address;
    uintptr_t handle;
    uint32_t any;          /* of a receive */
    bool active, taken;
};
struct tracer_request *tracer_request_new(MPI_Request handle, const void *address, uint32_t any,
                                          bool persistent);
struct tracer_request *tracer_request_find(MPI_Request handle, const void *address);
void tracer_request_start(struct tracer_request *request);
void tracer_request_remove(struct tracer_request *request);
void tracer_requests_end(void);

/* What a completion call was given, looked up before the real call loses the
 * handles. */
struct tracer_candidates {
    int count;                        /* of the call's array */
    struct tracer_request **requests; /* count entries; NULL: null, inactive or unknown */
};
bool tracer_candidates_take(struct tracer_candidates *c, int count, const MPI_Request *requests);
bool tracer_candidates_take_fortran(struct tracer_candidates *c, int count,
                                    const MPI_Fint *requests);
void tracer_candidates_drop(struct tracer_candidates *c);

/* Records of calls (record.c, record_collectives.c). */
void record_send(struct tracer_scope *s, int count, MPI_Datatype type, int to,
                 int tag, MPI_Comm comm);
void record_recv(struct tracer_scope *s, int from, int tag, MPI_Comm comm,
                 const MPI_Status *status);
void record_sendrecv(struct tracer_scope *s, int64_t bytes, int to,
                     int sendtag, int from, int recvtag, MPI_Comm comm, const MPI_Status *status);
void record_isend(struct tracer_scope *s, int count, MPI_Datatype type, int to,
                  int tag, MPI_Comm comm, MPI_Request handle, const void *address);
void record_irecv(struct tracer_scope *s, int count, MPI_Datatype type, int from, int tag,
                  MPI_Comm comm, MPI_Request handle, const void *address);
void record_persistent(struct tracer_scope *s, int count, MPI_Datatype type,
                       int peer, int tag, MPI_Comm comm, MPI_Request handle, const void *address);
void record_start(struct tracer_scope *s, struct tracer_candidates *c);
/* DONE: how many; INDICES: which of the candidates (NULL: all of them, in order);
 * STATUSES: one for each done, or NULL if DONE is 0. Drops the candidates. */
void record_completion(struct tracer_scope *s, struct tracer_candidates *c,
                       int done, const int *indices, const MPI_Status *statuses);
void record_probe(struct tracer_scope *s, int from, int tag, MPI_Comm comm,
                  bool found, const MPI_Status *status);
void record_request_free(struct tracer_scope *s, struct tracer_candidates *c);
void record_cancel(struct tracer_scope *s, MPI_Request handle, const void *address);
void record_collective(struct tracer_scope *s, int root, int64_t bytes,
                       MPI_Comm comm);
/* COUNTS of P elements of TYPE. */
void record_counts(struct tracer_scope *s, int root, const int *counts, int p,
                   MPI_Datatype type, MPI_Comm comm);
void record_constructor(struct tracer_scope *s, MPI_Comm comm,
                        MPI_Comm newcomm);
/* The number of COMM, asked before MPI_Comm_free loses it, and the record. */
int32_t tracer_comm_known(MPI_Comm comm);
void record_comm_free(struct tracer_scope *s, MPI_Comm old, int32_t number);
/* The rank's place in COMM, and how many ranks it exchanges with there. */
int tracer_rank_in(MPI_Comm comm);
int tracer_size_of(MPI_Comm comm);

#endif
