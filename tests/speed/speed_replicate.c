/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speed_replicate TRACE COPIES FOLDER: writes a synthetic trace of COPIES times the ranks of TRACE, for measurements of time and
 * memory at scale. A trace of more ranks that a program would record differs: FOLDER says nothing about the program.
 *
 * Rank r of copy k, of N ranks each, is rank r + N k, with the times and messages of rank r. A communicator of all N ranks is
 * one communicator of all ranks of all copies, so its collectives join the copies; its rank i of copy k is rank i + N k. Every
 * other communicator exists once for each copy. Roots are in copy 0. A list of sizes, one for each rank of a communicator of all
 * ranks, is repeated for each copy. FOLDER must exist and be empty. Refused: inter-communicators, processes of other jobs,
 * pauses of recording, and persistent receives from any source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "trace/build/build.h"
#include "trace/reader.h"

struct replication {
    struct mpg_trace *trace;
    struct mpg_build *build;
    int32_t ranks, copies, rank, copy; /* ranks: of TRACE; rank and copy: of the events being written */
    int32_t comms, modules, sites;     /* definitions written */
    uint8_t *objects;                  /* by object of TRACE: 1 if written */
    int32_t *met; /* by communicator: 1 + the last rank whose neighbours are written */
    int64_t *numbers; /* the list of the event being written */
    uint32_t object_capacity, met_capacity, number_capacity;
};

static bool joins_copies(const struct replication *x, int32_t comm)
{
    return mpg_trace_comm(x->trace, comm)->size == x->ranks;
}

/* Returns COMM's label in copy COPY. Label 0 is MPI_COMM_WORLD. */
static int32_t comm_label(const struct replication *x, int32_t comm, int32_t copy)
{
    if (comm == MPG_NO_COMM)
        return MPG_NO_COMM;
    return mpg_trace_comm(x->trace, comm)->label * x->copies + (joins_copies(x, comm) ? 0 : copy);
}

/* Defines COMM of copy COPY; of a communicator of all ranks COPY 0 is all copies. */
static int define_comm(struct replication *x, int32_t comm, int32_t copy, struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(x->trace, comm);
    const int32_t parts = joins_copies(x, comm) ? x->copies : 1;
    int32_t *members = calloc((size_t)c->size * (size_t)parts, sizeof *members);
    if (!members)
        return mpg_error_set(err, "out of memory");
    for (int32_t k = 0; k < parts; k++)
        for (int32_t i = 0; i < c->size; i++)
            members[k * c->size + i] = c->world_ranks[i] + x->ranks * (copy + k);
    const struct mpg_build_comm made = {.label = comm_label(x, comm, copy), .parent = comm_label(x, c->parent, copy),
                                        .instance = c->instance, .size = c->size * parts, .members = members};
    const int status = mpg_build_comm(x->build, &made, err);
    free(members);
    return status;
}

static bool is_copied(const struct mpg_comm *c)
{
    bool copied = c->remote_size == 0;
    for (int32_t i = 0; i < c->size; i++)
        copied = copied && c->world_ranks[i] != MPG_FOREIGN;
    return copied;
}

static int define_comms(struct replication *x, struct mpg_error *err)
{
    for (; x->comms < mpg_trace_comm_count(x->trace); x->comms++) {
        if (!is_copied(mpg_trace_comm(x->trace, x->comms)))
            return mpg_error_set(err, "communicator %d has a remote group, or processes of another job", x->comms);
        const int32_t copies = joins_copies(x, x->comms) ? 1 : x->copies;
        for (int32_t k = 0; k < copies; k++)
            if (define_comm(x, x->comms, k, err) < 0)
                return -1;
    }
    return 0;
}

static int define_sites(struct replication *x, struct mpg_error *err)
{
    for (; x->modules < mpg_trace_module_count(x->trace); x->modules++) {
        const struct mpg_module *m = mpg_trace_module(x->trace, x->modules);
        if (mpg_build_module(x->build, x->modules, m->build_id, m->build_id_size, m->path, err) < 0)
            return -1;
    }
    for (; x->sites < mpg_trace_site_count(x->trace); x->sites++) {
        const struct mpg_site *s = mpg_trace_site(x->trace, x->sites);
        if (mpg_build_site(x->build, x->sites, s->frame_number, s->frames, err) < 0)
            return -1;
    }
    return 0;
}

static int32_t object_label(const struct replication *x, int32_t object, int32_t copy)
{
    return object * x->copies + (joins_copies(x, mpg_trace_object(x->trace, object)->comm) ? 0 : copy);
}

static int define_object(struct replication *x, int32_t object, struct mpg_error *err)
{
    if (mpg_reserve_at(&x->objects, 1, &x->object_capacity, (uint32_t)object + 1, err) < 0)
        return -1;
    if (x->objects[object])
        return 0;
    x->objects[object] = 1;
    const struct mpg_object *o = mpg_trace_object(x->trace, object);
    const int32_t copies = joins_copies(x, o->comm) ? 1 : x->copies;
    for (int32_t k = 0; k < copies; k++)
        if (mpg_build_object(x->build, o->kind, object_label(x, object, k), comm_label(x, o->comm, k), o->number, err) < 0)
            return -1;
    return 0;
}

/* Defines the rank's neighbours in COMM, once. */
static int define_neighbours(struct replication *x, int32_t comm, struct mpg_error *err)
{
    struct mpg_neighbors n;
    if (mpg_reserve_at(&x->met, sizeof *x->met, &x->met_capacity, (uint32_t)comm + 1, err) < 0)
        return -1;
    const int32_t rank = x->rank + x->ranks * x->copy, shift = joins_copies(x, comm) ? x->copy * x->ranks : 0;
    if (x->met[comm] == rank + 1 || !mpg_trace_find_neighbors(x->trace, x->rank, comm, &n))
        return 0;
    x->met[comm] = rank + 1;
    const uint32_t total = n.source_number + n.destination_number;
    int32_t *neighbours = calloc(total + 1, sizeof *neighbours);
    if (!neighbours)
        return mpg_error_set(err, "out of memory");
    for (uint32_t i = 0; i < total; i++) {
        const int32_t old = i < n.source_number ? n.sources[i] : n.destinations[i - n.source_number];
        neighbours[i] = old >= 0 ? old + shift : old;
    }
    const int status = mpg_build_topology(x->build, rank, comm_label(x, comm, x->copy), n.source_number, n.destination_number,
                                          neighbours, err);
    free(neighbours);
    return status;
}

static bool is_collective(enum mpg_kind kind)
{
    return kind == MPG_KIND_COLLECTIVE || kind == MPG_KIND_ICOLLECTIVE || kind == MPG_KIND_COLLECTIVE_INIT;
}

/* Changes the list of E, a call on all ranks: a group becomes the copy's ranks, a list of sizes is repeated for each copy. */
static int change_list(struct replication *x, struct mpg_event *e, struct mpg_error *err)
{
    const bool is_group = mpg_call_kind(e->call) == MPG_KIND_WIN_GROUP;
    const uint32_t parts = is_group ? 1 : (uint32_t)x->copies, n = e->count_number;
    if (!n || (!is_group && !is_collective(mpg_call_kind(e->call))))
        return 0;
    if (mpg_reserve_at(&x->numbers, sizeof *x->numbers, &x->number_capacity, n * parts, err) < 0)
        return -1;
    for (uint32_t i = 0; i < n * parts; i++)
        x->numbers[i] = e->counts[i % n] + (is_group ? x->ranks * x->copy : 0);
    e->counts = x->numbers;
    e->count_number = n * parts;
    return 0;
}

/* Changes E, a call on the communicator of all ranks (or on its window), to the same call of the copy. */
static int change_ranks(struct replication *x, struct mpg_event *e, struct mpg_error *err)
{
    const int32_t shift = x->ranks * x->copy;
    e->to += e->to >= 0 ? shift : 0;
    e->from += e->from >= 0 ? shift : 0;
    if (x->copy > 0 && e->is_root && e->count_number && mpg_call_has_root(e->call)) {
        e->bytes = e->counts[x->rank < (int32_t)e->count_number ? x->rank : 0]; /* no longer the root: its own part */
        e->count_number = 0;
    }
    return change_list(x, e, err);
}

static bool is_refused(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return e->resolution_number > 0 || kind == MPG_KIND_UNRECORDED || kind == MPG_KIND_DYNAMIC;
}

static int write_event(struct replication *x, const struct mpg_event *read, struct mpg_error *err)
{
    struct mpg_event e = *read;
    const enum mpg_kind kind = mpg_call_kind(e.call);
    const bool has_name = kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END || kind == MPG_KIND_UNKNOWN;
    if (is_refused(&e))
        return mpg_error_set(err, "rank %d: MPI_%s cannot be replicated", x->rank, mpg_call_name(e.call));
    if (define_comms(x, err) < 0 || define_sites(x, err) < 0)
        return -1;
    if (!e.failed && mpg_kind_has_neighbors(kind) && define_neighbours(x, e.comm, err) < 0)
        return -1;
    if (!e.failed && e.object != MPG_NO_OBJECT) {
        if (define_object(x, e.object, err) < 0)
            return -1;
        if (joins_copies(x, mpg_trace_object(x->trace, e.object)->comm) && change_ranks(x, &e, err) < 0)
            return -1;
        e.object = object_label(x, e.object, x->copy);
    } else if (!e.failed && e.comm != MPG_NO_COMM && joins_copies(x, e.comm) && change_ranks(x, &e, err) < 0)
        return -1;
    if (!e.failed) {
        e.comm = comm_label(x, e.comm, x->copy);
        e.newcomm = comm_label(x, e.newcomm, x->copy);
    }
    if (kind != MPG_KIND_COMPLETE) { /* the cursor has added later cancellations */
        e.cancelled = NULL;
        e.cancelled_number = 0;
    }
    return mpg_build_event(x->build, x->rank + x->ranks * x->copy, &e, has_name ? mpg_trace_string(x->trace, e.string) : NULL,
                           err);
}

static int write_facts(struct replication *x, struct mpg_error *err)
{
    static const char first[] = "values"; /* mpg_build_fact() wants this fact before all others */
    const int32_t rank = x->rank + x->ranks * x->copy;
    const char *key, *value = mpg_trace_find_fact(x->trace, x->rank, first);
    if (value && mpg_build_fact(x->build, rank, first, value, err) < 0)
        return -1;
    for (size_t i = 0; mpg_trace_fact(x->trace, x->rank, i, &key, &value); i++)
        if (strcmp(key, first) != 0 && mpg_build_fact(x->build, rank, key, value, err) < 0)
            return -1;
    return rank > 0 ? 0 : mpg_build_fact(x->build, 0, "replicated", "synthetic, by speed_replicate", err);
}

static int write_rank(struct replication *x, struct mpg_error *err)
{
    const struct mpg_event *e;
    int more = 0, status = write_facts(x, err);
    struct mpg_cursor *cursor = status == 0 ? mpg_cursor_open(x->trace, x->rank, err) : NULL;
    if (!cursor)
        return -1;
    while (status == 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0)
        status = write_event(x, e, err);
    mpg_cursor_close(cursor);
    return status < 0 || more < 0 ? -1 : 0;
}

static int replicate(struct replication *x, struct mpg_error *err)
{
    for (x->copy = 0; x->copy < x->copies; x->copy++)
        for (x->rank = 0; x->rank < x->ranks; x->rank++)
            if (write_rank(x, err) < 0)
                return -1;
    return mpg_build_end(x->build, err);
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    struct replication x = {.copies = argc == 4 ? (int32_t)strtol(argv[2], NULL, 10) : 0};
    if (x.copies < 1) {
        fprintf(stderr, "usage: speed_replicate TRACE COPIES FOLDER\n");
        return 2;
    }
    x.trace = mpg_trace_open(argv[1], &err);
    x.ranks = x.trace ? mpg_trace_ranks(x.trace) : 0;
    int status = -1;
    if (x.trace && x.ranks > MPG_BUILD_MAX_RANKS / x.copies)
        mpg_error_set(&err, "%d times %d ranks are more than %d", x.copies, x.ranks, MPG_BUILD_MAX_RANKS);
    else if (x.trace && (x.build = mpg_build_begin(x.ranks * x.copies, argv[3], -1, &err)))
        status = replicate(&x, &err);
    if (status < 0)
        fprintf(stderr, "speed_replicate: %s\n", err.text);
    mpg_build_free(x.build);
    mpg_trace_close(x.trace);
    free(x.objects);
    free(x.met);
    free(x.numbers);
    return status < 0;
}
