/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran wrappers of point-to-point calls and requests. */
#include "trace/pmpi/fortran.h"

#define FORTRAN_SEND(lower, name)                                                             \
    FORTRAN(lower, (void *buf, F *count, F *type, F *dest, F *tag, F *comm, F *ierr))         \
    {                                                                                         \
        struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                \
        pmpi_##lower##_(buf, count, type, dest, tag, comm, ierr);                             \
        if (tracer_leave(&s, *ierr))                                                          \
            record_send(&s, *count, TYPE(type), *dest, *tag, COMM(comm));                     \
    }
FORTRAN_SEND(send, Send)
FORTRAN_SEND(ssend, Ssend)
FORTRAN_SEND(bsend, Bsend)
FORTRAN_SEND(rsend, Rsend)

#define FORTRAN_REQUEST_SEND(lower, name, record)                                             \
    FORTRAN(lower,                                                                            \
            (void *buf, F *count, F *type, F *dest, F *tag, F *comm, F *request, F *ierr))    \
    {                                                                                         \
        struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                \
        pmpi_##lower##_(buf, count, type, dest, tag, comm, request, ierr);                    \
        if (tracer_leave(&s, *ierr))                                                          \
            record(&s, *count, TYPE(type), *dest, *tag, COMM(comm),                           \
                   REQUEST(request), request);                                                \
    }
FORTRAN_REQUEST_SEND(isend, Isend, record_isend)
FORTRAN_REQUEST_SEND(issend, Issend, record_isend)
FORTRAN_REQUEST_SEND(ibsend, Ibsend, record_isend)
FORTRAN_REQUEST_SEND(irsend, Irsend, record_isend)
FORTRAN_REQUEST_SEND(send_init, Send_init, record_persistent)
FORTRAN_REQUEST_SEND(ssend_init, Ssend_init, record_persistent)
FORTRAN_REQUEST_SEND(bsend_init, Bsend_init, record_persistent)
FORTRAN_REQUEST_SEND(rsend_init, Rsend_init, record_persistent)
FORTRAN_REQUEST_SEND(recv_init, Recv_init, record_persistent)

FORTRAN(irecv, (void *buf, F *count, F *type, F *source, F *tag, F *comm, F *request, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Irecv);
    pmpi_irecv_(buf, count, type, source, tag, comm, request, ierr);
    if (tracer_leave(&s, *ierr))
        record_irecv(&s, *count, TYPE(type), *source, *tag, COMM(comm), REQUEST(request), request);
}

FORTRAN(recv, (void *buf, F *count, F *type, F *source, F *tag, F *comm, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Recv);
    struct fortran_statuses st;
    fortran_statuses_take(&st, status, 1);
    pmpi_recv_(buf, count, type, source, tag, comm, st.use, ierr);
    if (tracer_leave(&s, *ierr) && fortran_statuses_read(&st, 1))
        record_recv(&s, *source, *tag, COMM(comm), st.c);
    fortran_statuses_drop(&st);
}

FORTRAN(sendrecv, (void *sendbuf, F *sendcount, F *sendtype, F *dest, F *sendtag, void *recvbuf,
                   F *recvcount, F *recvtype, F *source, F *recvtag, F *comm, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Sendrecv);
    struct fortran_statuses st;
    fortran_statuses_take(&st, status, 1);
    pmpi_sendrecv_(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                   source, recvtag, comm, st.use, ierr);
    if (tracer_leave(&s, *ierr) && fortran_statuses_read(&st, 1))
        record_sendrecv(&s, tracer_bytes(*sendcount, TYPE(sendtype)), *dest,
                        *sendtag, *source, *recvtag, COMM(comm), st.c);
    fortran_statuses_drop(&st);
}

FORTRAN(sendrecv_replace, (void *buf, F *count, F *type, F *dest, F *sendtag, F *source,
                           F *recvtag, F *comm, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Sendrecv_replace);
    struct fortran_statuses st;
    fortran_statuses_take(&st, status, 1);
    pmpi_sendrecv_replace_(buf, count, type, dest, sendtag, source, recvtag, comm, st.use, ierr);
    if (tracer_leave(&s, *ierr) && fortran_statuses_read(&st, 1))
        record_sendrecv(&s, tracer_bytes(*count, TYPE(type)), *dest,
                        *sendtag, *source, *recvtag, COMM(comm), st.c);
    fortran_statuses_drop(&st);
}

FORTRAN(start, (F *request, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Start);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, 1, request);
    pmpi_start_(request, ierr);
    if (tracer_leave(&s, *ierr) && known)
        record_start(&s, &c);
    else
        tracer_candidates_drop(&c);
}

FORTRAN(startall, (F *count, F *requests, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Startall);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, *count, requests);
    pmpi_startall_(count, requests, ierr);
    if (tracer_leave(&s, *ierr) && known)
        record_start(&s, &c);
    else
        tracer_candidates_drop(&c);
}

/* Whether the real call has set its output arguments. */
static bool told(F ierr)
{
    return ierr == MPI_SUCCESS || ierr == MPI_ERR_IN_STATUS;
}

/* Ends a completion wrapper. DONE of the candidates are complete; INDICES count
 * from 1 and are NULL where all or the only one are. */
static void complete(struct tracer_scope *s, struct tracer_candidates *c,
                     bool known, F ierr, int done, const F *indices, struct fortran_statuses *st)
{
    int *from_zero = indices && done > 0 ? malloc((size_t)done * sizeof *from_zero) : NULL;
    for (int i = 0; from_zero && i < done; i++)
        from_zero[i] = indices[i] - 1;
    if (tracer_leave(s, told(ierr) ? MPI_SUCCESS : ierr) && known &&
        (!indices || done == 0 || from_zero) &&
        (done == 0 || fortran_statuses_read(st, done)))
        record_completion(s, c, done, from_zero, st->c);
    else
        tracer_candidates_drop(c);
    free(from_zero);
    fortran_statuses_drop(st);
}

FORTRAN(wait, (F *request, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Wait);
    struct tracer_candidates c = {0};
    struct fortran_statuses st;
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, 1, request);
    fortran_statuses_take(&st, status, 1);
    pmpi_wait_(request, st.use, ierr);
    complete(&s, &c, known, *ierr, 1, NULL, &st);
}

FORTRAN(test, (F *request, F *flag, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Test);
    struct tracer_candidates c = {0};
    struct fortran_statuses st;
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, 1, request);
    fortran_statuses_take(&st, status, 1);
    pmpi_test_(request, flag, st.use, ierr);
    complete(&s, &c, known, *ierr, told(*ierr) && *flag ? 1 : 0, NULL, &st);
}

FORTRAN(waitall, (F *count, F *requests, F *statuses, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Waitall);
    struct tracer_candidates c = {0};
    struct fortran_statuses st;
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, *count, requests);
    fortran_statuses_take(&st, statuses, *count);
    pmpi_waitall_(count, requests, st.use, ierr);
    complete(&s, &c, known, *ierr, *count, NULL, &st);
}

FORTRAN(testall, (F *count, F *requests, F *flag, F *statuses, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Testall);
    struct tracer_candidates c = {0};
    struct fortran_statuses st;
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, *count, requests);
    fortran_statuses_take(&st, statuses, *count);
    pmpi_testall_(count, requests, flag, st.use, ierr);
    complete(&s, &c, known, *ierr, told(*ierr) && *flag ? *count : 0, NULL, &st);
}

FORTRAN(waitany, (F *count, F *requests, F *index, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Waitany);
    struct tracer_candidates c = {0};
    struct fortran_statuses st;
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, *count, requests);
    fortran_statuses_take(&st, status, 1);
    pmpi_waitany_(count, requests, index, st.use, ierr);
    complete(&s, &c, known, *ierr,
             told(*ierr) && *index != MPI_UNDEFINED ? 1 : 0, index, &st);
}

FORTRAN(testany, (F *count, F *requests, F *index, F *flag, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Testany);
    struct tracer_candidates c = {0};
    struct fortran_statuses st;
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, *count, requests);
    fortran_statuses_take(&st, status, 1);
    pmpi_testany_(count, requests, index, flag, st.use, ierr);
    complete(&s, &c, known, *ierr,
             told(*ierr) && *flag && *index != MPI_UNDEFINED ? 1 : 0, index, &st);
}

#define FORTRAN_SOME(lower, name)                                                             \
    FORTRAN(lower, (F *count, F *requests, F *outcount, F *indices, F *statuses, F *ierr))    \
    {                                                                                         \
        struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                \
        struct tracer_candidates c = {0};                                                     \
        struct fortran_statuses st;                                                           \
        bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, *count, requests);\
        fortran_statuses_take(&st, statuses, *count);                                         \
        pmpi_##lower##_(count, requests, outcount, indices, st.use, ierr);                    \
        complete(&s, &c, known, *ierr,                                                        \
                 told(*ierr) && *outcount != MPI_UNDEFINED ? *outcount : 0, indices, &st);    \
    }
FORTRAN_SOME(waitsome, Waitsome)
FORTRAN_SOME(testsome, Testsome)

FORTRAN(probe, (F *source, F *tag, F *comm, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Probe);
    struct fortran_statuses st;
    fortran_statuses_take(&st, status, 1);
    pmpi_probe_(source, tag, comm, st.use, ierr);
    if (tracer_leave(&s, *ierr) && fortran_statuses_read(&st, 1))
        record_probe(&s, *source, *tag, COMM(comm), true, st.c);
    fortran_statuses_drop(&st);
}

FORTRAN(iprobe, (F *source, F *tag, F *comm, F *flag, F *status, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Iprobe);
    struct fortran_statuses st;
    fortran_statuses_take(&st, status, 1);
    pmpi_iprobe_(source, tag, comm, flag, st.use, ierr);
    if (tracer_leave(&s, *ierr) && fortran_statuses_read(&st, 1))
        record_probe(&s, *source, *tag, COMM(comm), *flag, st.c);
    fortran_statuses_drop(&st);
}

FORTRAN(request_free, (F *request, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Request_free);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take_fortran(&c, 1, request);
    pmpi_request_free_(request, ierr);
    if (tracer_leave(&s, *ierr) && known)
        record_request_free(&s, &c);
    else
        tracer_candidates_drop(&c);
}

FORTRAN(cancel, (F *request, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Cancel);
    pmpi_cancel_(request, ierr);
    if (tracer_leave(&s, *ierr))
        record_cancel(&s, REQUEST(request), request);
}
