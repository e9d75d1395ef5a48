/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the definitions of a trace being built: communicators, topologies, windows, files, modules and callsites. */
#include "trace/build/definitions.h"

#include <stdlib.h>
#include <string.h>

void mpg_definitions_init(struct mpg_build_definitions *d, int32_t ranks)
{
    static const size_t sizes[BUILD_KINDS] = {
        [BUILD_COMM] = sizeof(struct build_comm),     [BUILD_TOPOLOGY] = sizeof(struct build_topology),
        [BUILD_WINDOW] = sizeof(struct build_object), [BUILD_FILE] = sizeof(struct build_object),
        [BUILD_MODULE] = sizeof(struct build_module), [BUILD_SITE] = sizeof(struct build_site),
        [BUILD_STRING] = sizeof(char *)};
    *d = (struct mpg_build_definitions){.ranks = ranks};
    for (int i = 0; i < BUILD_KINDS; i++)
        d->tables[i].size = sizes[i];
}

static void clear_items(struct build_table *t, enum build_kind kind)
{
    for (size_t i = 0; i < t->count; i++) {
        void *item = (char *)t->items + i * t->size;
        switch (kind) {
        case BUILD_COMM:
            if (!((struct build_comm *)item)->is_world)
                free(((struct build_comm *)item)->members);
            break;
        case BUILD_TOPOLOGY:
            free(((struct build_topology *)item)->neighbours);
            break;
        case BUILD_MODULE:
            free(((struct build_module *)item)->path);
            break;
        case BUILD_SITE:
            free(((struct build_site *)item)->frames);
            break;
        case BUILD_STRING:
            free(*(char **)item);
            break;
        default:
            break;
        }
    }
    free(t->items);
    mpg_map_clear(&t->labels);
}

void mpg_definitions_clear(struct mpg_build_definitions *d)
{
    for (int i = 0; i < BUILD_KINDS; i++)
        clear_items(&d->tables[i], (enum build_kind)i);
    mpg_map_clear(&d->instances);
    mpg_map_clear(&d->identities);
    mpg_map_clear(&d->members);
    free(d->world);
}

static const char *const words[BUILD_KINDS] = {
    [BUILD_COMM] = "communicator", [BUILD_TOPOLOGY] = "topology", [BUILD_WINDOW] = "window",
    [BUILD_FILE] = "file",         [BUILD_MODULE] = "module",     [BUILD_SITE] = "callsite",
    [BUILD_STRING] = "name"};

/* Adds a copy of ITEM, a definition of KIND, under the key (LABEL, SECOND). Returns -1 with ERR if the key is defined
 * already. */
static int add(struct mpg_build_definitions *d, enum build_kind kind, int32_t label, int32_t second,
               const void *item, struct mpg_error *err)
{
    struct build_table *t = &d->tables[kind];
    uint64_t *slot = mpg_map_add(&t->labels, (uint64_t)label, (uint64_t)second);
    if (slot && *slot)
        return mpg_error_set(err, "%s %d is defined twice", words[kind], label);
    if (slot && t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 16;
        void *grown = realloc(t->items, capacity * t->size);
        if (grown) {
            t->items = grown;
            t->capacity = capacity;
        }
    }
    if (!slot || t->count == t->capacity)
        return mpg_error_set(err, "out of memory");
    memcpy((char *)t->items + t->count * t->size, item, t->size);
    *slot = ++t->count;
    return 0;
}

static uint64_t hash_members(const int32_t *members, int32_t n)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(uint32_t)n;
    for (int32_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)(uint32_t)members[i]) * 0x100000001b3u;
    return hash;
}

/* Returns a hash of the local and the remote group; equal if the two are exchanged. */
static uint64_t hash_groups(int32_t size, int32_t remote_size, const int32_t *members)
{
    uint64_t hash = hash_members(members, size);
    return remote_size > 0 ? hash + hash_members(members + size, remote_size) : hash;
}

int32_t mpg_build_next_instance(struct mpg_map *instances, int32_t parent, int32_t size,
                               int32_t remote_size, const int32_t *members)
{
    uint64_t *next = mpg_map_add(instances, hash_groups(size, remote_size, members),
                                 (uint64_t)(int64_t)parent);
    return next && *next < INT32_MAX ? (int32_t)(*next)++ : -1;
}

/* Returns whether A and B have equal groups, possibly with local and remote group exchanged. */
static bool same_groups(const struct build_comm *a, const struct build_comm *b)
{
    size_t n = (size_t)a->size, m = (size_t)a->remote_size, one = sizeof *a->members;
    if (a->size == b->size && a->remote_size == b->remote_size &&
        memcmp(a->members, b->members, (n + m) * one) == 0)
        return true;
    return m > 0 && a->size == b->remote_size && a->remote_size == b->size &&
           memcmp(a->members, b->members + m, n * one) == 0 &&
           memcmp(a->members + n, b->members, m * one) == 0;
}

/* Registers the identity (groups, parent, instance) of C, which the caller then adds. Returns -1 with ERR if another
 * communicator has this identity. */
static int check_identity(struct mpg_build_definitions *d, const struct build_comm *c,
                          struct mpg_error *err)
{
    const struct build_table *t = &d->tables[BUILD_COMM];
    uint64_t hash = hash_groups(c->size, c->remote_size, c->members) + (uint64_t)c->parent;
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot = mpg_map_add(&d->identities, hash,
                                     collisions << 32 | (uint64_t)(uint32_t)c->instance);
        if (!slot)
            return mpg_error_set(err, "out of memory");
        if (*slot == 0) {
            *slot = t->count + 1;
            return 0;
        }
        const struct build_comm *other = (const struct build_comm *)t->items + (*slot - 1);
        if (other->parent == c->parent && same_groups(other, c))
            return mpg_error_set(err, "communicators %d and %d are the same: their 'instance' "
                                      "must tell them apart", other->label, c->label);
    }
}

/* Returns whether C consists of all ranks in the order of MPI_COMM_WORLD. */
static bool is_world(const struct mpg_build_definitions *d, const struct build_comm *c)
{
    int32_t i = 0;
    while (i < c->size && c->members[i] == i)
        i++;
    return c->remote_size == 0 && c->size == d->ranks && i == c->size;
}

/* Returns whether C has the members of MPI_COMM_WORLD, while label 0 is not defined. Then MPI_COMM_WORLD exists without a
 * definition and is instance 0 of this group; C is a later instance. */
static bool equals_world(const struct mpg_build_definitions *d, const struct build_comm *c)
{
    return c->label != 0 && c->parent == MPG_NO_COMM && c->is_world &&
           !mpg_map_find(&d->tables[BUILD_COMM].labels, 0, 0);
}

/* Adds C's members to the map d->members. Small communicators are searched without the map. */
static int note_members(struct mpg_build_definitions *d, const struct build_comm *c,
                        struct mpg_error *err)
{
    const int32_t n = c->size + c->remote_size;
    for (int32_t i = 0; i < n && n > MPG_BUILD_FEW_MEMBERS && !c->is_world; i++) {
        uint64_t *slot = mpg_map_add(&d->members, (uint64_t)c->label, (uint64_t)c->members[i]);
        if (!slot)
            return mpg_error_set(err, "out of memory");
        *slot = 1;
    }
    return 0;
}

/* Returns an error if a rank of C is not in the trace or is twice a member. */
static int check_members(const struct mpg_build_definitions *d, const struct build_comm *c, struct mpg_error *err)
{
    const int32_t n = c->size + c->remote_size;
    char *met = n > MPG_BUILD_FEW_MEMBERS ? calloc((size_t)d->ranks, 1) : NULL;
    int status = met || n <= MPG_BUILD_FEW_MEMBERS ? 0 : mpg_error_set(err, "out of memory");
    for (int32_t i = 0; status == 0 && i < n; i++) {
        const int32_t rank = c->members[i];
        int32_t j = met || rank == MPG_FOREIGN ? i : 0;
        while (j < i && c->members[j] != rank)
            j++;
        if (rank != MPG_FOREIGN && (rank < 0 || rank >= d->ranks))
            status = mpg_error_set(err, "rank %d in communicator %d is not from 0 to %d", rank, c->label, d->ranks - 1);
        else if (j < i || (met && rank != MPG_FOREIGN && met[rank]++))
            status = mpg_error_set(err, "rank %d is twice in communicator %d", rank, c->label);
    }
    free(met);
    return status;
}

/* Sets C's instance, and registers C's identity. */
static int set_instance(struct mpg_build_definitions *d, struct build_comm *c, struct mpg_error *err)
{
    int32_t next = 0;
    const bool is_second_world = equals_world(d, c) && !d->found_world;
    for (int i = 0; i <= is_second_world && next >= 0; i++)
        next = mpg_build_next_instance(&d->instances, c->parent, c->size, c->remote_size, c->members);
    d->found_world = d->found_world || is_second_world;
    if (next < 0)
        return mpg_error_set(err, "out of memory");
    if (c->instance < 0)
        c->instance = next;
    return check_identity(d, c, err);
}

/* Copies MEMBERS to C. Communicators of all ranks in order share an array, so a trace with many such communicators takes no more
 * memory than the trace's file justifies. */
static int set_members(struct mpg_build_definitions *d, struct build_comm *c, const int32_t *members, struct mpg_error *err)
{
    const size_t bytes = ((size_t)c->size + (size_t)c->remote_size) * sizeof *members;
    c->members = (int32_t *)members;
    c->is_world = is_world(d, c);
    if (!c->is_world || !d->world) {
        if (!(c->members = malloc(bytes)))
            return mpg_error_set(err, "out of memory");
        memcpy(c->members, members, bytes);
    }
    if (c->is_world && !d->world)
        d->world = c->members;
    c->members = c->is_world ? d->world : c->members;
    return 0;
}

int mpg_define_comm(struct mpg_build_definitions *d, const struct mpg_build_comm *comm, struct mpg_error *err)
{
    struct build_comm c = {.label = comm->label, .parent = comm->parent, .instance = comm->instance, .size = comm->size,
                           .remote_size = comm->remote_size};
    if (c.size <= 0 || c.remote_size < 0 || (int64_t)c.size + c.remote_size > INT32_MAX)
        return mpg_error_set(err, "communicator %d has no members", c.label);
    if (c.parent > 0 && !mpg_map_find(&d->tables[BUILD_COMM].labels, (uint64_t)c.parent, 0))
        return mpg_error_set(err, "communicator %d is not defined", c.parent);
    if (set_members(d, &c, comm->members, err) < 0)
        return -1;
    if ((c.is_world || check_members(d, &c, err) == 0) && set_instance(d, &c, err) == 0 && note_members(d, &c, err) == 0 &&
        add(d, BUILD_COMM, c.label, 0, &c, err) == 0)
        return 0;
    if (!c.is_world)
        free(c.members);
    return -1;
}

int mpg_define_topology(struct mpg_build_definitions *d, const struct build_topology *topology, struct mpg_error *err)
{
    struct build_topology t = *topology;
    const size_t bytes = ((size_t)t.source_number + t.destination_number) * sizeof *t.neighbours;
    if (t.rank < 0 || t.rank >= d->ranks)
        return mpg_error_set(err, "rank %d is not from 0 to %d", t.rank, d->ranks - 1);
    if (!(t.neighbours = malloc(bytes + 1)))
        return mpg_error_set(err, "out of memory");
    if (bytes > 0)
        memcpy(t.neighbours, topology->neighbours, bytes);
    if (add(d, BUILD_TOPOLOGY, t.comm, t.rank, &t, err) == 0)
        return 0;
    free(t.neighbours);
    return -1;
}

int mpg_define_object(struct mpg_build_definitions *d, enum build_kind kind, int32_t label, const struct build_object *object,
                      struct mpg_error *err)
{
    return add(d, kind, label, 0, object, err);
}

int mpg_define_module(struct mpg_build_definitions *d, int32_t label, const uint8_t *build_id, uint32_t size, const char *path,
                      struct mpg_error *err)
{
    struct build_module m = {.build_id_size = size};
    if (size > sizeof m.build_id)
        return mpg_error_set(err, "module %d: a build-id of %u bytes", label, size);
    if (size > 0)
        memcpy(m.build_id, build_id, size);
    if (!(m.path = strdup(path)))
        return mpg_error_set(err, "out of memory");
    if (add(d, BUILD_MODULE, label, 0, &m, err) == 0)
        return 0;
    free(m.path);
    return -1;
}

int mpg_define_site(struct mpg_build_definitions *d, int32_t label, uint32_t n, const struct mpg_frame *frames,
                    struct mpg_error *err)
{
    struct build_site s = {.frame_number = n};
    for (uint32_t i = 0; i < n; i++)
        if (frames[i].module >= 0 && !mpg_map_find(&d->tables[BUILD_MODULE].labels, (uint64_t)frames[i].module, 0))
            return mpg_error_set(err, "module %d is not defined", frames[i].module);
    if (n == 0)
        return mpg_error_set(err, "callsite %d has no frames", label);
    if (!(s.frames = malloc(n * sizeof *frames)))
        return mpg_error_set(err, "out of memory");
    memcpy(s.frames, frames, n * sizeof *frames);
    if (add(d, BUILD_SITE, label, 0, &s, err) == 0)
        return 0;
    free(s.frames);
    return -1;
}
