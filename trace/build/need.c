/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the definition of a label to a stream, before the first event using the label. */
#include <stdlib.h>
#include <string.h>

#include "trace/build/definitions.h"

static void *find(struct mpg_build_definitions *d, enum build_kind kind, int32_t label,
                  int32_t second)
{
    struct build_table *t = &d->tables[kind];
    const uint64_t *place = mpg_map_find(&t->labels, (uint64_t)label, (uint64_t)second);
    return place ? (char *)t->items + (*place - 1) * t->size : NULL;
}

/* Returns 1 if the definition of KIND with LABEL is already in S; else notes the definition as present and returns 0. -1: out of
 * memory. */
static int meet(struct mpg_stream *s, enum build_kind kind, int32_t label,
                struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&s->defined, (uint64_t)label, (uint64_t)kind);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    int met = *slot != 0;
    *slot = 1;
    return met;
}

int mpg_definitions_write_world(const struct mpg_build_definitions *d, struct mpg_stream *s,
                         struct mpg_error *err)
{
    struct mpg_comm_definition world = {.parent = MPG_NO_COMM, .size = d->ranks};
    return s->writer ? mpg_trace_write_comm(s->writer, &world, err) : 0;
}

static bool is_member(const struct mpg_build_definitions *d, const struct build_comm *c, int32_t rank)
{
    const int32_t n = c->size + c->remote_size;
    if (c->is_world)
        return true;
    if (n > MPG_BUILD_FEW_MEMBERS)
        return mpg_map_find(&d->members, (uint64_t)c->label, (uint64_t)rank);
    int32_t i = 0;
    while (i < n && c->members[i] != rank)
        i++;
    return i < n;
}

int mpg_need_comm(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t label,
                       struct mpg_error *err)
{
    if (label == MPG_NO_COMM || label == s->comm)
        return 0;
    int met = meet(s, BUILD_COMM, label, err);
    if (met < 0)
        return -1;
    s->comm = label; /* met before, or written below */
    if (met)
        return 0;
    struct build_comm *c = find(d, BUILD_COMM, label, 0);
    if (!c && label == 0)
        return mpg_definitions_write_world(d, s, err);
    if (!c)
        return mpg_error_set(err, "communicator %d is not defined", label);
    if (!is_member(d, c, s->rank))
        return mpg_error_set(err, "rank %d is not in communicator %d", s->rank, label);
    c->used = true;
    if (mpg_need_comm(d, s, c->parent, err) < 0)
        return -1;
    struct mpg_comm_definition definition = {.comm = label,
                                             .parent = c->parent,
                                             .instance = c->instance,
                                             .label = label,
                                             .size = c->size,
                                             .remote_size = c->remote_size,
                                             .world_ranks = c->is_world ? NULL : c->members,
                                             .remote = c->members + c->size};
    return s->writer ? mpg_trace_write_comm(s->writer, &definition, err) : 0;
}

const struct build_comm *mpg_definitions_comm(const struct mpg_build_definitions *d, size_t i)
{
    const struct build_table *t = &d->tables[BUILD_COMM];
    return i < t->count ? (const struct build_comm *)t->items + i : NULL;
}

const struct build_topology *mpg_definitions_topology(const struct mpg_build_definitions *d, size_t i)
{
    const struct build_table *t = &d->tables[BUILD_TOPOLOGY];
    return i < t->count ? (const struct build_topology *)t->items + i : NULL;
}

int mpg_need_topology(struct mpg_build_definitions *d, struct mpg_stream *s,
                           int32_t comm, struct mpg_error *err)
{
    int met = meet(s, BUILD_TOPOLOGY, comm, err);
    if (met)
        return met < 0 ? -1 : 0;
    const struct build_topology *t = find(d, BUILD_TOPOLOGY, comm, s->rank);
    const struct build_comm *c = find(d, BUILD_COMM, comm, 0);
    int32_t size = c ? c->size : d->ranks;
    if (!t)
        return mpg_error_set(err, "rank %d has no #topology in communicator %d", s->rank, comm);
    for (uint32_t i = 0; i < t->source_number + t->destination_number; i++)
        if (t->neighbours[i] >= size)
            return mpg_error_set(err, "the #topology of rank %d in communicator %d: %d is no "
                                      "rank in it", s->rank, comm, t->neighbours[i]);
    if (!s->writer)
        return 0;
    const int32_t *destinations = t->neighbours ? t->neighbours + t->source_number : NULL;
    return mpg_trace_write_topology(s->writer, comm, t->source_number, t->neighbours,
                                    t->destination_number, destinations, err);
}

int mpg_need_object(struct mpg_build_definitions *d, struct mpg_stream *s,
                         enum build_kind kind, int32_t label, int32_t *object,
                         struct mpg_error *err)
{
    /* In the trace, windows and files share a numbering; labels distinguish the two. */
    uint64_t *slot = mpg_map_add(&s->defined, (uint64_t)label, (uint64_t)kind);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    if (*slot) {
        *object = (int32_t)(*slot - 1);
        return 0;
    }
    const struct build_object *o = find(d, kind, label, 0);
    if (!o)
        return mpg_error_set(err, "%s %d is not defined", kind == BUILD_FILE ? "file" : "window",
                             label);
    *object = s->objects++;
    *slot = (uint64_t)*object + 1;
    if (mpg_need_comm(d, s, o->comm, err) < 0)
        return -1;
    if (!s->writer)
        return 0;
    return mpg_trace_write_object(s->writer, *object,
                                  kind == BUILD_FILE ? MPG_OBJECT_FILE : MPG_OBJECT_WINDOW,
                                  o->comm, o->number, err);
}

static int need_module(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t label,
                       struct mpg_error *err)
{
    int met = label < 0 ? 1 : meet(s, BUILD_MODULE, label, err);
    if (met)
        return met < 0 ? -1 : 0;
    const struct build_module *m = find(d, BUILD_MODULE, label, 0);
    if (!s->writer)
        return mpg_trace_check_module(m->build_id_size, m->path, err);
    return mpg_trace_write_module(s->writer, label, m->build_id, m->build_id_size, m->path, err);
}

int mpg_need_site(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t label,
                       struct mpg_error *err)
{
    int met = label == MPG_NO_SITE ? 1 : meet(s, BUILD_SITE, label, err);
    if (met)
        return met < 0 ? -1 : 0;
    const struct build_site *site = find(d, BUILD_SITE, label, 0);
    if (!site)
        return mpg_error_set(err, "callsite %d is not defined", label);
    for (uint32_t i = 0; i < site->frame_number; i++)
        if (need_module(d, s, site->frames[i].module, err) < 0)
            return -1;
    if (!s->writer)
        return 0;
    return mpg_trace_write_site(s->writer, label, site->frame_number, site->frames, err);
}

int mpg_intern_name(struct mpg_build_definitions *d, const char *name, int32_t *string, struct mpg_error *err)
{
    struct build_table *t = &d->tables[BUILD_STRING];
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *p = name; *p; p++)
        hash = (hash ^ (uint64_t)(unsigned char)*p) * 0x100000001b3u;
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot = mpg_map_add(&t->labels, hash, collisions);
        if (!slot)
            return mpg_error_set(err, "out of memory");
        if (*slot == 0) {
            char **grown = realloc(t->items, (t->count + 1) * sizeof *grown);
            if (grown)
                t->items = grown;
            if (!grown || !(grown[t->count] = strdup(name)))
                return mpg_error_set(err, "out of memory");
            *slot = ++t->count;
        } else if (strcmp(((char **)t->items)[*slot - 1], name) != 0)
            continue;
        *string = (int32_t)(*slot - 1);
        return 0;
    }
}

int mpg_need_string(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t string, struct mpg_error *err)
{
    const char *name = ((char **)d->tables[BUILD_STRING].items)[string];
    int met = meet(s, BUILD_STRING, string, err);
    if (met)
        return met < 0 ? -1 : 0;
    return s->writer ? mpg_trace_write_string(s->writer, string, name, err) : mpg_trace_check_string(name, err);
}
