/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that record MPI calls, one for each kind of call (trace/event.h). A wrapper calls the function after
 * the real call has succeeded. All functions take C handles; trace/pmpi/calls.awk generates the arguments, for C
 * and Fortran alike. Arguments that MPI declares not significant are never read. */
#ifndef MPG_RECORD_H
#define MPG_RECORD_H

#include "trace/pmpi/tracer.h"

/* A request that a call created: the handle and the address of the program's variable (requests.c). Address NULL:
 * the call creates no request. PERSISTENT: the program starts the request later. */
struct tracer_made {
    MPI_Request handle;
    const void *address;
    bool persistent;
};
#define NO_REQUEST ((struct tracer_made){0})

/* Datatypes of a w-variant (MPI_Alltoallw and others), in an array of C or Fortran handles. */
struct tracer_types {
    const void *types;
    bool fortran;
};

/* An array of counts: MPI_Count for calls with large counts, int for all others. */
struct tracer_counts {
    const void *counts;
    bool large;
};
static inline int64_t tracer_count_at(struct tracer_counts counts, int i)
{
    return counts.large ? ((const MPI_Count *)counts.counts)[i] : ((const int *)counts.counts)[i];
}

/* Returns the bytes of COUNT elements of TYPE (datatypes.c), at most the largest size in a trace. Returns 0 for
 * MPI_DATATYPE_NULL, for which MPI_Type_size is erroneous. Callers hold the lock. */
int64_t tracer_bytes(int64_t count, MPI_Datatype type);
/* Returns the type at index I. */
MPI_Datatype tracer_type_at(struct tracer_types types, int i);
/* To be called before the program commits TYPE: TYPE's size may be cached from then on. To be called before the program frees
 * TYPE: forgets the cached size. Both take the lock. */
void tracer_type_commit(MPI_Datatype type);
void tracer_type_forget(MPI_Datatype type);

/* The requests given to a completion, start, cancel or free call. Looked up before the real call invalidates the handles. */
enum { TRACER_CANDIDATES = 32 };
/* Handling a longer list of requests takes microseconds: Flush events before and after the call record this time. */
enum { TRACER_LONG_LIST = 128 };
struct tracer_candidates {
    int count;            /* number of elements of the program's array, or 0 */
    const void *handles;  /* the program's array */
    bool fortran;         /* the handles are Fortran's */
    int error;            /* error class returned by the call */
    struct tracer_request **requests; /* count entries; NULL: null, inactive or unknown request */
    struct tracer_request *some[TRACER_CANDIDATES]; /* storage of short lists */
};
/* Looks up the candidates of call S; none if S is not recorded. After a list of more than TRACER_LONG_LIST
 * requests, the call's enter time is taken again. */
void tracer_candidates_take(struct tracer_candidates *c, struct tracer_scope *s, int count,
                            const void *handles, bool fortran);
/* Releases the candidates of a call that is not recorded. Takes the lock. */
void tracer_candidates_drop(struct tracer_candidates *c);
/* Returns MPI_SUCCESS if the completion call that returned RC completed at least a part of the requests (MPI_ERR_IN_STATUS, or an
 * operation that ended with an error), and RC otherwise. */
int tracer_completion_outcome(struct tracer_candidates *c, int rc);
/* Returns MPI_SUCCESS if a receive that returned RC took a message, truncated or not, and RC otherwise. */
int tracer_receive_outcome(int rc);

/* Room for N statuses, used if the program passed MPI_STATUSES_IGNORE. */
struct tracer_statuses {
    MPI_Status *own; /* allocated statuses, or NULL */
    MPI_Status some[TRACER_CANDIDATES];
};
/* Returns GIVEN, or, if GIVEN is MPI_STATUSES_IGNORE, room for N statuses; MPI_STATUSES_IGNORE without memory. */
MPI_Status *tracer_statuses_take(struct tracer_statuses *st, int n, MPI_Status *given);
void tracer_statuses_drop(struct tracer_statuses *st);

/* Records a call whose arguments are not recorded; local calls are mostly aggregated (local.h). */
void record_other(struct tracer_scope *s);
/* Records a call of the function mpg_untraced[WHICH] (regions.c). */
void record_unknown(struct tracer_scope *s, int which);
/* Returns the function NAME of the libraries behind this one. Ends the program if not found. */
void *tracer_next(const char *name);

/* Point to point (record_point.c). */
void record_send(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int tag,
                 MPI_Comm comm);
/* RC: result of the real call; if the message was truncated, the size of the buffer counts. */
void record_recv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm, int rc,
                 const MPI_Status *status);
void record_sendrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int sendtag,
                     int64_t recvcount, MPI_Datatype recvtype, int from, int recvtag, MPI_Comm comm, int rc,
                     const MPI_Status *status);
/* The operation starts at once, or later if MADE is persistent. */
void record_isend(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int tag,
                  MPI_Comm comm, struct tracer_made made);
void record_irecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int from, int tag,
                  MPI_Comm comm, struct tracer_made made);
/* FOUND: the flag of MPI_Iprobe or MPI_Improbe; true for blocking probes. STATUS is read only if FOUND. */
void record_probe(struct tracer_scope *s, int from, int tag, MPI_Comm comm, bool found,
                  const MPI_Status *status);
void record_mprobe(struct tracer_scope *s, int from, int tag, MPI_Comm comm, bool found,
                   MPI_Message message, const MPI_Status *status);
/* A copy of the tracer's data on a matched message, made before MPI_Mrecv or MPI_Imrecv: the receive frees the handle, and
 * another thread's probe may get the same handle before the receive is recorded. */
struct tracer_message {
    MPI_Message handle;
    int64_t number; /* 0: MPI_MESSAGE_NO_PROC, or unknown */
    int32_t comm, from, tag;
};
/* Returns the copy for the call S with the handle MESSAGE; number 0 if MESSAGE is unknown or S is not recorded. */
struct tracer_message tracer_message(const struct tracer_scope *s, MPI_Message message);
void record_mrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, const struct tracer_message *message,
                  int rc, const MPI_Status *status);
void record_imrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type,
                   const struct tracer_message *message, struct tracer_made made);

/* Records send and receive of one call. The receive buffer has RECVCOUNT elements of RECVTYPE. */
void record_isendrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int sendtag,
                      int64_t recvcount, MPI_Datatype recvtype, int from, int recvtag,
                      MPI_Comm comm, struct tracer_made made);

/* Partitioned communication (MPI-4.0, chapter 4; record_partitioned.c). COUNT: elements of one partition. */
void record_psend_init(struct tracer_scope *s, int partitions, int64_t count, MPI_Datatype type,
                       int to, int tag, MPI_Comm comm, struct tracer_made made);
void record_precv_init(struct tracer_scope *s, int partitions, int64_t count, MPI_Datatype type,
                       int from, int tag, MPI_Comm comm, struct tracer_made made);
/* Returns the id of REQUEST's active operation, before the real call. Returns 0 if no active operation is known or
 * S is not recorded. */
int64_t tracer_request_active(const struct tracer_scope *s, MPI_Request request);
/* ID: result of tracer_request_active(). PARTITIONS: N partition numbers, as passed by the program. */
void record_pready(struct tracer_scope *s, int64_t id, int n, const int *partitions);
void record_parrived(struct tracer_scope *s, int64_t id, int partition, bool arrived);

/* Requests (record_requests.c). These functions release the candidates. */
void record_start(struct tracer_scope *s, struct tracer_candidates *c);
/* DONE: number of completed requests, or MPI_UNDEFINED for none. INDICES: indices of the completed requests among the candidates,
 * counted from BASE (NULL: all candidates in order). STATUSES: a status for each completed request. */
void record_completion(struct tracer_scope *s, struct tracer_candidates *c, int done,
                       const int *indices, int base, const MPI_Status *statuses);
/* Records MPI_Request_get_status and its variants, which complete nothing: keeps the statuses for the completing
 * call. Parameters as in record_completion(). */
void record_get_status(struct tracer_scope *s, struct tracer_candidates *c, int done,
                       const int *indices, int base, const MPI_Status *statuses);
void record_request_free(struct tracer_scope *s, struct tracer_candidates *c);
void record_cancel(struct tracer_scope *s, struct tracer_candidates *c);
void record_request(struct tracer_scope *s, struct tracer_made made);

/* Collectives, blocking, nonblocking or persistent (record_collective.c). ROOT: 0 for collectives without a root. */
void record_collective(struct tracer_scope *s, int root, int64_t count, MPI_Datatype type,
                       MPI_Comm comm, struct tracer_made made);
void record_gather(struct tracer_scope *s, bool in_place, int64_t sendcount, MPI_Datatype sendtype,
                   int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   struct tracer_made made);
void record_gatherv(struct tracer_scope *s, bool in_place, int64_t sendcount, MPI_Datatype sendtype,
                    struct tracer_counts recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    struct tracer_made made);
void record_scatter(struct tracer_scope *s, int64_t sendcount, MPI_Datatype sendtype, int64_t recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, struct tracer_made made);
void record_scatterv(struct tracer_scope *s, struct tracer_counts sendcounts, MPI_Datatype sendtype,
                     int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     struct tracer_made made);
/* Allgather and Alltoall. */
void record_allgather(struct tracer_scope *s, bool in_place, int64_t sendcount, MPI_Datatype sendtype,
                      int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      struct tracer_made made);
void record_allgatherv(struct tracer_scope *s, bool in_place, int64_t sendcount,
                       MPI_Datatype sendtype, struct tracer_counts recvcounts, MPI_Datatype recvtype,
                       MPI_Comm comm, struct tracer_made made);
void record_alltoallv(struct tracer_scope *s, bool in_place, struct tracer_counts sendcounts,
                      MPI_Datatype sendtype, struct tracer_counts recvcounts, MPI_Datatype recvtype,
                      MPI_Comm comm, struct tracer_made made);
void record_alltoallw(struct tracer_scope *s, bool in_place, struct tracer_counts sendcounts,
                      struct tracer_types sendtypes, struct tracer_counts recvcounts,
                      struct tracer_types recvtypes, MPI_Comm comm, struct tracer_made made);
void record_reduce_scatter(struct tracer_scope *s, struct tracer_counts recvcounts, MPI_Datatype type,
                           MPI_Comm comm, struct tracer_made made);
void record_reduce_scatter_block(struct tracer_scope *s, int64_t recvcount, MPI_Datatype type,
                                 MPI_Comm comm, struct tracer_made made);
void record_neighbor(struct tracer_scope *s, int64_t sendcount, MPI_Datatype sendtype, MPI_Comm comm,
                     struct tracer_made made);
void record_neighbor_alltoallv(struct tracer_scope *s, struct tracer_counts sendcounts,
                               MPI_Datatype sendtype, MPI_Comm comm, struct tracer_made made);
void record_neighbor_alltoallw(struct tracer_scope *s, struct tracer_counts sendcounts,
                               struct tracer_types sendtypes, MPI_Comm comm,
                               struct tracer_made made);

/* Communicators (record_comm.c). COMM may be MPI_COMM_NULL if NEWCOMM has another origin. NEWCOMM is MPI_COMM_NULL
 * on ranks outside of the new communicator. */
void record_constructor(struct tracer_scope *s, MPI_Comm comm, MPI_Comm newcomm);
void record_create_group(struct tracer_scope *s, MPI_Comm comm, int tag, MPI_Comm newcomm);
/* Returns a number in place of the string tag TEXT (LENGTH bytes) of a call that creates a communicator; equal strings have equal
 * numbers. */
int tracer_string_tag(const char *text, size_t length);
/* NEWCOMM: address at which MPI stores the C or Fortran handle when the request is complete. */
void record_iconstructor(struct tracer_scope *s, MPI_Comm comm, const void *newcomm, bool fortran,
                         struct tracer_made made);
/* Returns the number of COMM before MPI_Comm_free invalidates the handle; MPG_NO_COMM if S is not recorded. */
int32_t tracer_comm_number(const struct tracer_scope *s, MPI_Comm comm);
/* OLD: the handle before the call. NUMBER: result of tracer_comm_number() before the call. */
void record_comm_free(struct tracer_scope *s, MPI_Comm old, int32_t number);

/* Windows (record_window.c). */
void record_win_constructor(struct tracer_scope *s, MPI_Comm comm, int64_t bytes, MPI_Win win);
/* Return the number of WIN before MPI_Win_free invalidates the handle; record the call after it: OLD, NUMBER as in
 * record_comm_free(). */
int32_t tracer_win_number(const struct tracer_scope *s, MPI_Win win);
void record_win_free(struct tracer_scope *s, MPI_Win old, int32_t number);
void record_win_fence(struct tracer_scope *s, int assertion, MPI_Win win);
void record_win_group(struct tracer_scope *s, MPI_Group group, MPI_Win win);
/* FOUND: the flag of MPI_Win_test; true for other calls. */
void record_win_epoch(struct tracer_scope *s, bool found, MPI_Win win);
/* EXCLUSIVE: the call is MPI_Win_lock with MPI_LOCK_EXCLUSIVE. */
void record_win_target(struct tracer_scope *s, int rank, bool exclusive, MPI_Win win);
void record_win_all(struct tracer_scope *s, MPI_Win win);
/* COUNT elements of TYPE are transferred to the target, BACK elements of BACK_TYPE to the origin. */
void record_rma(struct tracer_scope *s, int64_t count, MPI_Datatype type, int64_t back,
                MPI_Datatype back_type, int to, MPI_Win win, struct tracer_made made);

/* Files (record_file.c). STATUS NULL: the call transfers no data. */
void record_file_open(struct tracer_scope *s, MPI_Comm comm, MPI_File fh);
/* Return the number of FH before MPI_File_close invalidates the handle; record the call after it: OLD, NUMBER as in
 * record_comm_free(). */
int32_t tracer_file_number(const struct tracer_scope *s, MPI_File fh);
void record_file_close(struct tracer_scope *s, MPI_File old, int32_t number);
void record_file(struct tracer_scope *s, MPI_File fh, const MPI_Status *status);
void record_ifile(struct tracer_scope *s, int64_t count, MPI_Datatype type, MPI_File fh,
                  struct tracer_made made);

#endif
