/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C wrappers of point-to-point calls and requests (MPI-3.1, chapter 3). */
#include <stdlib.h>

#include "trace/pmpi/tracer.h"

#define WRAPPER __attribute__((visibility("default"))) int

/* The four modes of a blocking send. */
#define WRAP_SEND(name)                                                                       \
    WRAPPER MPI_##name(const void *buf, int count, MPI_Datatype type, int dest, int tag,      \
                       MPI_Comm comm)                                                         \
    {                                                                                         \
        struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                \
        int rc = PMPI_##name(buf, count, type, dest, tag, comm);                              \
        if (tracer_leave(&s, rc))                                                             \
            record_send(&s, count, type, dest, tag, comm);                                    \
        return rc;                                                                            \
    }
WRAP_SEND(Send)
WRAP_SEND(Ssend)
WRAP_SEND(Bsend)
WRAP_SEND(Rsend)

/* Sends that leave a request: nonblocking, and persistent ones. */
#define WRAP_REQUEST_SEND(name, record)                                                       \
    WRAPPER MPI_##name(const void *buf, int count, MPI_Datatype type, int dest, int tag,      \
                       MPI_Comm comm, MPI_Request *request)                                   \
    {                                                                                         \
        struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                \
        int rc = PMPI_##name(buf, count, type, dest, tag, comm, request);                     \
        if (tracer_leave(&s, rc))                                                             \
            record(&s, count, type, dest, tag, comm, *request, request);                      \
        return rc;                                                                            \
    }
WRAP_REQUEST_SEND(Isend, record_isend)
WRAP_REQUEST_SEND(Issend, record_isend)
WRAP_REQUEST_SEND(Ibsend, record_isend)
WRAP_REQUEST_SEND(Irsend, record_isend)
WRAP_REQUEST_SEND(Send_init, record_persistent)
WRAP_REQUEST_SEND(Ssend_init, record_persistent)
WRAP_REQUEST_SEND(Bsend_init, record_persistent)
WRAP_REQUEST_SEND(Rsend_init, record_persistent)

WRAPPER MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Recv);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Recv(buf, count, type, source, tag, comm, use);
    if (tracer_leave(&s, rc))
        record_recv(&s, source, tag, comm, use);
    return rc;
}

WRAPPER MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Sendrecv);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                           recvtype, source, recvtag, comm, use);
    if (tracer_leave(&s, rc))
        record_sendrecv(&s, tracer_bytes(sendcount, sendtype), dest, sendtag,
                        source, recvtag, comm, use);
    return rc;
}

WRAPPER MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
                             int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Sendrecv_replace);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, use);
    if (tracer_leave(&s, rc))
        record_sendrecv(&s, tracer_bytes(count, type), dest, sendtag,
                        source, recvtag, comm, use);
    return rc;
}

WRAPPER MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Irecv);
    int rc = PMPI_Irecv(buf, count, type, source, tag, comm, request);
    if (tracer_leave(&s, rc))
        record_irecv(&s, count, type, source, tag, comm, *request, request);
    return rc;
}

WRAPPER MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request *request)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Recv_init);
    int rc = PMPI_Recv_init(buf, count, type, source, tag, comm, request);
    if (tracer_leave(&s, rc))
        record_persistent(&s, count, type, source, tag, comm, *request,
                          request);
    return rc;
}

WRAPPER MPI_Start(MPI_Request *request)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Start);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, 1, request);
    int rc = PMPI_Start(request);
    if (tracer_leave(&s, rc) && known)
        record_start(&s, &c);
    else
        tracer_candidates_drop(&c);
    return rc;
}

WRAPPER MPI_Startall(int count, MPI_Request requests[])
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Startall);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, count, requests);
    int rc = PMPI_Startall(count, requests);
    if (tracer_leave(&s, rc) && known)
        record_start(&s, &c);
    else
        tracer_candidates_drop(&c);
    return rc;
}

/* Whether the real call has set its output arguments. */
static bool told(int rc)
{
    return rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS;
}

/* Ends a completion wrapper: DONE of the candidates are complete. */
static int complete(struct tracer_scope *s, struct tracer_candidates *c,
                    bool known, int rc, int done, const int *indices, const MPI_Status *statuses)
{
    if (tracer_leave(s, told(rc) ? MPI_SUCCESS : rc) && known)
        record_completion(s, c, done == MPI_UNDEFINED ? 0 : done, indices, statuses);
    else
        tracer_candidates_drop(c);
    return rc;
}

WRAPPER MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Wait);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, 1, request);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Wait(request, use);
    return complete(&s, &c, known, rc, 1, NULL, use);
}

WRAPPER MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Test);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, 1, request);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Test(request, flag, use);
    return complete(&s, &c, known, rc, told(rc) && *flag ? 1 : 0, NULL, use);
}

/* A caller's array of statuses, or one of our own that the caller frees. */
static MPI_Status *statuses_or_own(MPI_Status *statuses, int count, MPI_Status **own)
{
    *own = NULL;
    if (statuses != MPI_STATUSES_IGNORE)
        return statuses;
    *own = malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof **own);
    return *own ? *own : MPI_STATUSES_IGNORE;
}

WRAPPER MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Waitall);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, count, requests);
    MPI_Status *own, *use = statuses_or_own(statuses, count, &own);
    int rc = PMPI_Waitall(count, requests, use);
    rc = complete(&s, &c, known && use != MPI_STATUSES_IGNORE, rc, count, NULL,
                  use);
    free(own);
    return rc;
}

WRAPPER MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Testall);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, count, requests);
    MPI_Status *own, *use = statuses_or_own(statuses, count, &own);
    int rc = PMPI_Testall(count, requests, flag, use);
    rc = complete(&s, &c, known && use != MPI_STATUSES_IGNORE, rc,
                  told(rc) && *flag ? count : 0, NULL, use);
    free(own);
    return rc;
}

WRAPPER MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Waitany);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, count, requests);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Waitany(count, requests, index, use);
    return complete(&s, &c, known, rc,
                    told(rc) && *index != MPI_UNDEFINED ? 1 : 0, index, use);
}

WRAPPER MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Testany);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, count, requests);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Testany(count, requests, index, flag, use);
    return complete(&s, &c, known, rc,
                    told(rc) && *flag && *index != MPI_UNDEFINED ? 1 : 0, index, use);
}

#define WRAP_SOME(name)                                                                       \
    WRAPPER MPI_##name(int count, MPI_Request requests[], int *outcount, int indices[],       \
                       MPI_Status statuses[])                                                 \
    {                                                                                         \
        struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                \
        struct tracer_candidates c = {0};                                                     \
        bool known = tracer_records(&s) && tracer_candidates_take(&c, count, requests);       \
        MPI_Status *own, *use = statuses_or_own(statuses, count, &own);                       \
        int rc = PMPI_##name(count, requests, outcount, indices, use);                        \
        rc = complete(&s, &c, known && use != MPI_STATUSES_IGNORE, rc,                        \
                      told(rc) ? *outcount : 0, indices, use);                                \
        free(own);                                                                            \
        return rc;                                                                            \
    }
WRAP_SOME(Waitsome)
WRAP_SOME(Testsome)

WRAPPER MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Probe);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Probe(source, tag, comm, use);
    if (tracer_leave(&s, rc))
        record_probe(&s, source, tag, comm, true, use);
    return rc;
}

WRAPPER MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Iprobe);
    MPI_Status own, *use = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Iprobe(source, tag, comm, flag, use);
    if (tracer_leave(&s, rc))
        record_probe(&s, source, tag, comm, *flag, use);
    return rc;
}

WRAPPER MPI_Request_free(MPI_Request *request)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Request_free);
    struct tracer_candidates c = {0};
    bool known = tracer_records(&s) && tracer_candidates_take(&c, 1, request);
    int rc = PMPI_Request_free(request);
    if (tracer_leave(&s, rc) && known)
        record_request_free(&s, &c);
    else
        tracer_candidates_drop(&c);
    return rc;
}

WRAPPER MPI_Cancel(MPI_Request *request)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Cancel);
    int rc = PMPI_Cancel(request);
    if (tracer_leave(&s, rc))
        record_cancel(&s, *request, request);
    return rc;
}
