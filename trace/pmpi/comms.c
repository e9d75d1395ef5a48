/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps handles to communicators. MPI reuses the handles of freed communicators; numbers are never reused. */
#include "trace/pmpi/comms.h"

#include <stdlib.h>

#include "common/map.h"
#include "trace/pmpi/groups.h"
#include "trace/pmpi/handles.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/topology.h"
#include "trace/pmpi/event.h"

/* A communicator made by MPI_Comm_idup, until the request completes. */
struct promise {
    struct promise *next;
    int64_t request;
    const void *address;
    bool fortran;
    struct tracer_comm *comm;
};

static struct mpg_map by_handle; /* handle -> struct tracer_comm * */
static struct tracer_comm **comms; /* by the tracer's number of the communicator */
static int32_t comm_number, comm_capacity;
static struct promise *promises;
static MPI_Comm last_handle; /* handle of LAST, the communicator looked up last */
static struct tracer_comm *last;

/* Replaces any communicator when memory is exhausted: recording has then ended. */
static const struct tracer_groups has_no_handler;
static struct tracer_comm nowhere = {.groups = &has_no_handler, .parent = MPG_NO_COMM};

static bool write_definition(const struct tracer_comm *c)
{
    struct mpg_error err;
    const struct mpg_comm_definition definition = {.comm = c->number,
                                                   .parent = c->parent,
                                                   .instance = c->instance,
                                                   .label = c->label,
                                                   .size = c->groups->size,
                                                   .remote_size = c->groups->remote_size,
                                                   .world_ranks = c->groups->ranks,
                                                   .remote = c->groups->ranks + c->groups->size};
    if (mpg_trace_write_comm(tracer_writer(), &definition, &err) < 0 ||
        (c->topology &&
         mpg_trace_write_topology(tracer_writer(), c->number, (uint32_t)c->source_number,
                                  c->sources, (uint32_t)c->destination_number, c->destinations,
                                  &err) < 0)) {
        tracer_fail(&err);
        return false;
    }
    return true;
}

/* Writes the definition of C to the calling thread's stream, after the definitions of C's parents. */
static __attribute__((noinline)) void define_here(struct tracer_comm *c)
{
    if (stream_defined(STREAM_COMMS, c->number))
        return;
    if (c->parent != MPG_NO_COMM)
        define_here(comms[c->parent]);
    write_definition(c);
}

void tracer_comm_define(int32_t number)
{
    if (streams.redefines)
        define_here(comms[number]);
}

static bool add(struct tracer_comm *c)
{
    if (comm_number == comm_capacity) {
        int32_t capacity = comm_capacity ? 2 * comm_capacity : 16;
        struct tracer_comm **more = realloc(comms, (size_t)capacity * sizeof(*comms));
        if (!more)
            return false;
        comms = more;
        comm_capacity = capacity;
    }
    c->number = comm_number;
    comms[comm_number++] = c;
    return true;
}

static void free_comm(struct tracer_comm *c)
{
    if (!c)
        return;
    free(c->sources);
    free(c);
}

/* Returns a new entry for COMM with its groups and topology; NULL without memory. */
static struct tracer_comm *new_comm(MPI_Comm comm, const struct tracer_comm *parent,
                                    const struct tracer_groups *groups, const int *group_tag)
{
    struct tracer_comm *c = malloc(sizeof *c);
    if (!c || !(groups || (groups = tracer_groups_of(comm)))) {
        free(c);
        tracer_out_of_memory();
        return NULL;
    }
    *c = (struct tracer_comm){.parent = parent ? parent->number : MPG_NO_COMM,
                              .label = !parent && comm == MPI_COMM_WORLD ? 0 : -1,
                              .groups = groups};
    PMPI_Comm_rank(comm, &c->rank);
    c->instance = tracer_groups_instance(groups, c->parent, group_tag);
    if (c->instance < 0 || !tracer_topology_read(c, comm) || !add(c)) {
        free_comm(c);
        tracer_out_of_memory();
        return NULL;
    }
    define_here(c);
    return c;
}

static bool set_handle(MPI_Comm comm, struct tracer_comm *c)
{
    uint64_t *slot = mpg_map_add(&by_handle, (uint64_t)(uintptr_t)comm, 0);
    if (!slot) {
        tracer_out_of_memory();
        return false;
    }
    *slot = (uint64_t)(uintptr_t)c;
    last_handle = comm;
    last = c;
    return true;
}

static __attribute__((noinline)) struct tracer_comm *get(MPI_Comm comm)
{
    uint64_t *slot = mpg_map_find(&by_handle, (uint64_t)(uintptr_t)comm, 0);
    struct tracer_comm *c =
        slot ? (struct tracer_comm *)(uintptr_t)*slot : new_comm(comm, NULL, NULL, NULL);
    if (!c || (!slot && !set_handle(comm, c)))
        return &nowhere;
    last_handle = comm;
    last = c;
    return c;
}

const struct tracer_comm *tracer_comm_get(MPI_Comm comm)
{
    struct tracer_comm *c = last && comm == last_handle ? last : get(comm);
    if (streams.redefines && c != &nowhere)
        define_here(c);
    return c;
}

int32_t tracer_comm(MPI_Comm comm)
{
    return tracer_comm_get(comm)->number;
}

const struct tracer_comm *tracer_comm_made(MPI_Comm parent, MPI_Comm comm, bool same_groups,
                                           const int *group_tag)
{
    const struct tracer_comm *from = parent == MPI_COMM_NULL ? NULL : tracer_comm_get(parent);
    struct tracer_comm *c =
        new_comm(comm, from, from && same_groups ? from->groups : NULL, group_tag);
    return c && set_handle(comm, c) ? c : &nowhere;
}

const struct tracer_comm *tracer_comm_duplicate(MPI_Comm parent, const void *address, bool fortran,
                                                int64_t request)
{
    const struct tracer_comm *from = tracer_comm_get(parent);
    struct tracer_comm *c = new_comm(parent, from, from->groups, NULL);
    struct promise *promise = malloc(sizeof *promise);
    if (!c || !promise) {
        free(promise);
        tracer_out_of_memory();
        return &nowhere;
    }
    *promise = (struct promise){promises, request, address, fortran, c};
    promises = promise;
    return c;
}

void tracer_comm_completed(int64_t request)
{
    struct promise **link = &promises, *promise;
    while ((promise = *link) && promise->request != request)
        link = &promise->next;
    if (!promise)
        return;
    set_handle(comm_at(promise->address, promise->fortran), promise->comm);
    *link = promise->next;
    free(promise);
}

void tracer_comm_forget(MPI_Comm comm, int32_t number)
{
    uint64_t *slot = mpg_map_find(&by_handle, (uint64_t)(uintptr_t)comm, 0);
    struct tracer_comm *c = slot ? (struct tracer_comm *)(uintptr_t)*slot : NULL;
    last = NULL;
    if (!c || c->number != number)
        return;
    mpg_map_remove(&by_handle, (uint64_t)(uintptr_t)comm, 0);
    c->is_freed = true;
    if (streams.redefines) /* streams may still have to write definitions of C, or of communicators made from C */
        return;
    comms[c->number] = NULL;
    free_comm(c);
}

bool tracer_comm_is_freed(int32_t number)
{
    return comms[number]->is_freed;
}

void tracer_comms_end(void)
{
    for (int32_t i = 0; i < comm_number; i++)
        free_comm(comms[i]);
    free(comms);
    comms = NULL;
    comm_number = comm_capacity = 0;
    while (promises) {
        struct promise *next = promises->next;
        free(promises);
        promises = next;
    }
    mpg_map_clear(&by_handle);
    tracer_groups_end();
    last = NULL;
}
