/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of calls on files (MPI-3.1, chapter 13). */
#include "trace/pmpi/event.h"
#include "trace/pmpi/objects.h"
#include "trace/pmpi/status.h"

static bool begin(const struct tracer_scope *s, MPI_File fh, struct mpg_event *e)
{
    return tracer_object_event(s, MPG_OBJECT_FILE, (uintptr_t)fh, e);
}

void record_file_open(struct tracer_scope *s, MPI_Comm comm, MPI_File fh)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    e.object = tracer_object_new(MPG_OBJECT_FILE, (uintptr_t)fh, comm);
    tracer_write(s, &e);
}

int32_t tracer_file_number(const struct tracer_scope *s, MPI_File fh)
{
    return tracer_object_before(s, MPG_OBJECT_FILE, (uintptr_t)fh);
}

void record_file_close(struct tracer_scope *s, MPI_File old, int32_t number)
{
    tracer_object_end(s, MPG_OBJECT_FILE, (uintptr_t)old, number);
}

void record_file(struct tracer_scope *s, MPI_File fh, const MPI_Status *status)
{
    struct mpg_event e;
    if (!begin(s, fh, &e))
        return;
    if (status)
        e.bytes = status_bytes(status);
    tracer_write(s, &e);
}

void record_ifile(struct tracer_scope *s, int64_t count, MPI_Datatype type, MPI_File fh,
                  struct tracer_made made)
{
    struct mpg_event e;
    if (!begin(s, fh, &e))
        return;
    if (!event_request(&e, made, 0)) {
        tracer_unlock();
        return;
    }
    e.bytes = tracer_bytes(count, type);
    tracer_write(s, &e);
}
