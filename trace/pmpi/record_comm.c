/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of calls that create or free communicators (MPI-3.1, chapters 6, 7, 10). */
#include "trace/pmpi/event.h"
#include "trace/pmpi/requests.h"
#include "trace/pmpi/summary.h"

static void record_made(struct tracer_scope *s, MPI_Comm comm, MPI_Comm newcomm,
                        const int *group_tag)
{
    if (!tracer_lock())
        return;
    /* No parent is recorded, because both sides of an inter-communicator can have different parents. */
    bool has_no_parent = comm == MPI_COMM_NULL || s->call == MPG_CALL_Intercomm_create ||
        mpg_call_kind(s->call) == MPG_KIND_DYNAMIC;
    bool copy = s->call == MPG_CALL_Comm_dup || s->call == MPG_CALL_Comm_dup_with_info;
    struct mpg_event e = event_of(s);
    if (comm != MPI_COMM_NULL)
        e.comm = tracer_comm(comm);
    const bool spawns = s->call == MPG_CALL_Comm_spawn || s->call == MPG_CALL_Comm_spawn_multiple;
    if (spawns && newcomm != MPI_COMM_NULL && tracer_comm_get(comm)->rank == 0) /* one rank counts the spawned job for all */
        summary_spawned();
    if (newcomm == MPI_COMM_NULL)
        e.newcomm = MPG_NO_COMM;
    else if (s->call == MPG_CALL_Comm_get_parent) /* repeated calls return the same communicator */
        e.newcomm = tracer_comm(newcomm);
    else
        e.newcomm =
            tracer_comm_made(has_no_parent ? MPI_COMM_NULL : comm, newcomm, copy, group_tag)->number;
    tracer_write(s, &e);
}

void record_constructor(struct tracer_scope *s, MPI_Comm comm, MPI_Comm newcomm)
{
    record_made(s, comm, newcomm, NULL);
}

void record_create_group(struct tracer_scope *s, MPI_Comm comm, int tag, MPI_Comm newcomm)
{
    record_made(s, comm, newcomm, &tag);
}

int tracer_string_tag(const char *text, size_t length)
{
    uint32_t hash = 0x811c9dc5u; /* FNV-1a hash */
    while (length > 0 && text[length - 1] == ' ') /* Fortran pads with blanks */
        length--;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x01000193u;
    return (int)(hash & INT32_MAX);
}

void record_iconstructor(struct tracer_scope *s, MPI_Comm comm, const void *newcomm, bool fortran,
                         struct tracer_made made)
{
    if (!tracer_lock())
        return;
    struct tracer_request *request = tracer_request_new(made, 0);
    if (!request) {
        tracer_unlock();
        return;
    }
    request->makes_comm = true;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    e.newcomm = tracer_comm_duplicate(comm, newcomm, fortran, request->id)->number;
    e.requests = &request->id;
    e.request_number = 1;
    tracer_write(s, &e);
}

int32_t tracer_comm_number(const struct tracer_scope *s, MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL || !tracer_records(s) || !tracer_lock())
        return MPG_NO_COMM;
    int32_t number = tracer_comm(comm);
    tracer_unlock();
    return number;
}

void record_comm_free(struct tracer_scope *s, MPI_Comm old, int32_t number)
{
    if (!tracer_lock())
        return;
    tracer_comm_forget(old, number);
    struct mpg_event e = event_of(s);
    e.comm = number;
    tracer_write(s, &e);
}
