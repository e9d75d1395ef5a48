/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of point-to-point calls (MPI-3.1, chapter 3), and functions common to all records. */
#include "trace/pmpi/event.h"
#include "trace/pmpi/messages.h"
#include "trace/pmpi/requests.h"
#include "trace/pmpi/status.h"

void record_other(struct tracer_scope *s)
{
    if (!tracer_lock() || tracer_sum_up(s))
        return;
    struct mpg_event e = event_of(s);
    tracer_write(s, &e);
}

bool event_new_request(struct mpg_event *e, struct tracer_made made, uint32_t any)
{
    struct tracer_request *request = tracer_request_new(made, any);
    if (!request)
        return false;
    if (made.persistent) {
        e->persistent = &request->persistent;
        return true;
    }
    e->requests = &request->id;
    e->request_number = 1;
    return true;
}

static uint32_t any_of(int from, int tag)
{
    if (from == MPI_PROC_NULL)
        return 0;
    return (from == MPI_ANY_SOURCE ? MPG_ANY_SOURCE : 0) | (tag == MPI_ANY_TAG ? MPG_ANY_TAG : 0);
}

/* A receive posted with FROM and TAG has completed: sets source, tag and bytes of the message. Returns the receive's wildcards
 * (MPG_ANY_SOURCE, MPG_ANY_TAG). */
static uint32_t set_receive(int from, int tag, const MPI_Status *status, int32_t *source,
                            int32_t *received_tag, int64_t *bytes)
{
    if (from == MPI_PROC_NULL) {
        *source = MPG_PROC_NULL;
        *received_tag = tag == MPI_ANY_TAG ? 0 : tag;
        *bytes = 0;
        return 0;
    }
    *source = tracer_peer(status->MPI_SOURCE);
    *received_tag = status->MPI_TAG;
    *bytes = status_bytes(status);
    return any_of(from, tag);
}

/* Sets source and tag of a posted, incomplete receive: MPG_UNKNOWN for a wildcard. */
static void set_posted(struct mpg_event *e, int from, int tag)
{
    e->any = any_of(from, tag);
    e->from = from == MPI_ANY_SOURCE ? MPG_UNKNOWN : tracer_peer(from);
    e->tag = tag != MPI_ANY_TAG ? tag : from == MPI_PROC_NULL ? 0 : MPG_UNKNOWN;
}

int tracer_receive_outcome(int rc)
{
    int class = MPI_SUCCESS;
    if (rc != MPI_SUCCESS)
        PMPI_Error_class(rc, &class);
    return class == MPI_ERR_TRUNCATE ? MPI_SUCCESS : rc;
}

void record_send(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int tag,
                 MPI_Comm comm)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    e.to = tracer_peer(to);
    e.tag = tag;
    e.bytes = tracer_bytes(count, type);
    tracer_write(s, &e);
}

/* Limits the bytes of a truncated message to the received part, COUNT elements of TYPE. The status of a failed
 * receive holds the whole message's size (Open MPI) or an undefined value (MPICH: the value of an earlier use of
 * the request). */
static void cut_off(int rc, int64_t count, MPI_Datatype type, int64_t *bytes)
{
    if (rc != MPI_SUCCESS)
        *bytes = tracer_bytes(count, type);
}

void record_recv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm, int rc,
                 const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    e.any = set_receive(from, tag, status, &e.from, &e.tag, &e.bytes);
    cut_off(rc, count, type, &e.bytes);
    tracer_write(s, &e);
}

void record_sendrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int sendtag,
                     int64_t recvcount, MPI_Datatype recvtype, int from, int recvtag, MPI_Comm comm, int rc,
                     const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    e.to = tracer_peer(to);
    e.tag = sendtag;
    e.bytes = tracer_bytes(count, type);
    e.any = set_receive(from, recvtag, status, &e.from, &e.recvtag, &e.recvbytes);
    cut_off(rc, recvcount, recvtype, &e.recvbytes);
    tracer_write(s, &e);
}

void record_isend(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int tag,
                  MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    if (!event_request(&e, made, 0)) {
        tracer_unlock();
        return;
    }
    e.comm = tracer_comm(comm);
    e.to = tracer_peer(to);
    e.tag = tag;
    e.bytes = tracer_bytes(count, type);
    tracer_write(s, &e);
}

void record_irecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int from, int tag,
                  MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    if (!event_request(&e, made, any_of(from, tag))) {
        tracer_unlock();
        return;
    }
    e.comm = tracer_comm(comm);
    set_posted(&e, from, tag);
    e.bytes = tracer_bytes(count, type);
    tracer_write(s, &e);
}

/* Whether the status of an MPI_Isendrecv request holds the source and tag of the received message. MPICH 4.0.2 to
 * 5.0.2 leaves old values in the status, and a program of the standard ABI may run with MPICH: then the trace lacks
 * the partner of a wildcard receive. */
#ifdef OPEN_MPI
enum { STATUS_HAS_BOTH = 1 };
#else
enum { STATUS_HAS_BOTH = 0 };
#endif

void record_isendrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, int to, int sendtag,
                      int64_t recvcount, MPI_Datatype recvtype, int from, int recvtag,
                      MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    if (!event_request(&e, made, STATUS_HAS_BOTH ? any_of(from, recvtag) : 0)) {
        tracer_unlock();
        return;
    }
    e.comm = tracer_comm(comm);
    set_posted(&e, from, recvtag);
    e.recvtag = e.tag;
    e.to = tracer_peer(to);
    e.tag = sendtag;
    e.bytes = tracer_bytes(count, type);
    e.recvbytes = tracer_bytes(recvcount, recvtype);
    tracer_write(s, &e);
}

void record_probe(struct tracer_scope *s, int from, int tag, MPI_Comm comm, bool found,
                  const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    if (found)
        e.any = set_receive(from, tag, status, &e.from, &e.tag, &e.bytes);
    else
        set_posted(&e, from, tag);
    e.found = found;
    tracer_write(s, &e);
}

void record_mprobe(struct tracer_scope *s, int from, int tag, MPI_Comm comm, bool found,
                   MPI_Message message, const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    if (found) {
        e.any = set_receive(from, tag, status, &e.from, &e.tag, &e.bytes);
        e.message = tracer_message_new(message, &e);
    } else
        set_posted(&e, from, tag);
    e.found = found;
    tracer_write(s, &e);
}

void record_mrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type, const struct tracer_message *message,
                  int rc, const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    tracer_message_take(message, &e);
    if (e.message) {
        e.bytes = status_bytes(status);
        cut_off(rc, count, type, &e.bytes);
    }
    tracer_write(s, &e);
}

void record_imrecv(struct tracer_scope *s, int64_t count, MPI_Datatype type,
                   const struct tracer_message *message, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    if (!event_request(&e, made, 0)) {
        tracer_unlock();
        return;
    }
    tracer_message_take(message, &e);
    e.bytes = tracer_bytes(count, type);
    tracer_write(s, &e);
}
