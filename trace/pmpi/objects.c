/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of the program's windows and files. All members of a communicator create windows, and files, in a common order: the
 * n-th object has an equal number on all members. */
#include "trace/pmpi/objects.h"

#include <stdlib.h>

#include "common/map.h"
#include "common/reserve.h"
#include "trace/pmpi/event.h"
#include "trace/pmpi/stream.h"

struct object {
    int32_t number, comm, nth; /* NTH: number of earlier objects of this kind on COMM */
};

static struct mpg_map by_handle; /* (handle, kind: window or file) -> struct object * */
/* What each object is, by its number; kept only where a definition can be needed after the object is freed. */
static struct kept_object {
    enum mpg_object_kind kind;
    int32_t comm, nth;
    bool is_freed;
} *kept;
static uint32_t kept_capacity;
static struct mpg_map made;      /* (number of the communicator, kind) -> number of objects made so far */
static int32_t next_number;

static bool write_definition(int32_t number, enum mpg_object_kind kind, int32_t comm, int32_t nth)
{
    struct mpg_error err;
    if (stream_defined(STREAM_OBJECTS, number))
        return true;
    tracer_comm_define(comm);
    if (mpg_trace_write_object(tracer_writer(), number, kind, comm, nth, &err) == 0)
        return true;
    tracer_fail(&err);
    return false;
}

static bool define(const struct object *o, enum mpg_object_kind kind)
{
    return write_definition(o->number, kind, o->comm, o->nth);
}

bool tracer_object_define(int32_t number)
{
    const struct kept_object *o = (uint32_t)number < kept_capacity ? &kept[number] : NULL;
    return o && write_definition(number, o->kind, o->comm, o->nth);
}

/* Keeps what O is for later parts of the run. Returns false without memory, which is reported. */
static bool keep(const struct object *o, enum mpg_object_kind kind)
{
    struct mpg_error err;
    if (streams.part == 0)
        return true;
    if (mpg_reserve_at(&kept, sizeof *kept, &kept_capacity, (uint32_t)o->number + 1, &err) < 0) {
        tracer_fail(&err);
        return false;
    }
    kept[o->number] = (struct kept_object){.kind = kind, .comm = o->comm, .nth = o->nth};
    return true;
}

int32_t tracer_object_new(enum mpg_object_kind kind, uintptr_t handle, MPI_Comm comm)
{
    struct object *o = malloc(sizeof *o);
    int32_t number = tracer_comm(comm);
    uint64_t *slot = mpg_map_add(&by_handle, handle, (uint64_t)kind);
    uint64_t *count = mpg_map_add(&made, (uint64_t)number, (uint64_t)kind);
    if (!o || !slot || !count) {
        free(o);
        tracer_out_of_memory();
        return MPG_NO_OBJECT;
    }
    *o = (struct object){.number = next_number++, .comm = number, .nth = (int32_t)(*count)++};
    /* An older object whose handle MPI reuses: another thread has freed the object but not recorded the free yet. */
    free((struct object *)(uintptr_t)*slot);
    *slot = (uint64_t)(uintptr_t)o;
    return keep(o, kind) && define(o, kind) ? o->number : MPG_NO_OBJECT;
}

static struct object *find(enum mpg_object_kind kind, uintptr_t handle)
{
    uint64_t *slot = mpg_map_find(&by_handle, handle, (uint64_t)kind);
    return slot ? (struct object *)(uintptr_t)*slot : NULL;
}

int32_t tracer_object(enum mpg_object_kind kind, uintptr_t handle)
{
    struct object *o = find(kind, handle);
    return o && define(o, kind) ? o->number : MPG_NO_OBJECT;
}

int32_t tracer_object_before(const struct tracer_scope *s, enum mpg_object_kind kind,
                             uintptr_t handle)
{
    if (!tracer_records(s) || !tracer_lock())
        return MPG_NO_OBJECT;
    int32_t number = tracer_object(kind, handle);
    tracer_unlock();
    return number;
}

bool tracer_object_event(const struct tracer_scope *s, enum mpg_object_kind kind,
                         uintptr_t handle, struct mpg_event *e)
{
    if (!tracer_lock())
        return false;
    *e = event_of(s);
    e->object = tracer_object(kind, handle);
    if (e->object != MPG_NO_OBJECT)
        return true;
    tracer_unlock();
    return false;
}

static void forget(enum mpg_object_kind kind, uintptr_t handle, int32_t number)
{
    struct object *o = find(kind, handle);
    if (!o || o->number != number) /* another thread has already made a new object with this handle */
        return;
    mpg_map_remove(&by_handle, handle, (uint64_t)kind);
    free(o);
    if ((uint32_t)number < kept_capacity)
        kept[number].is_freed = true;
}

void tracer_object_end(const struct tracer_scope *s, enum mpg_object_kind kind,
                       uintptr_t handle, int32_t number)
{
    if (number == MPG_NO_OBJECT || !tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.object = number;
    forget(kind, handle, number);
    tracer_write(s, &e);
}

bool tracer_object_is_freed(int32_t number)
{
    return kept[number].is_freed;
}

void tracer_objects_end(void)
{
    for (size_t i = 0; i < by_handle.capacity; i++)
        if (by_handle.entries[i].used)
            free((void *)(uintptr_t)by_handle.entries[i].value);
    mpg_map_clear(&by_handle);
    mpg_map_clear(&made);
    free(kept);
    kept = NULL;
    kept_capacity = 0;
}
