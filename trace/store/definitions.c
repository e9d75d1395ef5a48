/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions of all ranks, a table for each kind: equal definitions of several ranks get one number. */
#include <stdlib.h>
#include <string.h>

#include "trace/store/private.h"

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return hash_bytes(hash, &number, sizeof number);
}

typedef bool same_fn(const void *item, const void *key);

/* Returns the entry (1 + number) of KEY in the map; 0: KEY is new; NULL: out of memory. */
static uint64_t *find_or_add(struct trace_table *table, size_t item_size, uint64_t hash,
                             const void *key, same_fn *same)
{
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot = mpg_map_add(&table->index, hash, collisions);
        if (!slot || !*slot || same((char *)table->items + (*slot - 1) * item_size, key))
            return slot;
    }
}

int32_t mpg_trace_table_add(struct trace_table *table, const void *item, size_t item_size,
                            uint64_t *slot)
{
    if (table->count == table->capacity) {
        int32_t capacity = table->capacity ? 2 * table->capacity : 16;
        void *grown = realloc(table->items, (size_t)capacity * item_size);
        if (!grown)
            return -1;
        table->items = grown;
        table->capacity = capacity;
    }
    memcpy((char *)table->items + (size_t)table->count * item_size, item, item_size);
    *slot = (uint64_t)++table->count;
    return table->count - 1;
}

static void *copy(const void *bytes, size_t n)
{
    char *p = malloc(n + 1);
    if (!p)
        return NULL;
    if (n > 0)
        memcpy(p, bytes, n);
    p[n] = '\0';
    return p;
}

/* --- windows and files --- */

static bool same_object(const void *item, const void *key)
{
    const struct mpg_object *a = item, *b = key;
    return a->kind == b->kind && a->comm == b->comm && a->number == b->number;
}

int32_t mpg_trace_intern_object(struct mpg_trace *t, const struct mpg_object *object)
{
    uint64_t hash = hash_number(hash_number(object->kind, (uint64_t)object->comm),
                                (uint64_t)object->number);
    uint64_t *slot = find_or_add(&t->objects, sizeof *object, hash, object, same_object);
    if (!slot)
        return -1;
    return *slot ? (int32_t)(*slot - 1) : mpg_trace_table_add(&t->objects, object, sizeof *object, slot);
}

const struct mpg_object *mpg_trace_object(const struct mpg_trace *t, int32_t object)
{
    return (const struct mpg_object *)t->objects.items + object;
}

/* --- names --- */

struct text {
    const char *bytes;
    size_t size;
};

static bool same_string(const void *item, const void *key)
{
    const struct text *text = key;
    const char *string = *(char *const *)item;
    return strlen(string) == text->size && memcmp(string, text->bytes, text->size) == 0;
}

static int32_t intern_text(struct trace_table *table, const char *text, size_t size)
{
    const struct text key = {text, size};
    char *string;
    uint64_t *slot =
        find_or_add(table, sizeof string, hash_bytes(0, text, size), &key, same_string);
    if (!slot)
        return -1;
    if (*slot)
        return (int32_t)(*slot - 1);
    if (!(string = copy(text, size)))
        return -1;
    int32_t number = mpg_trace_table_add(table, &string, sizeof string, slot);
    if (number < 0)
        free(string);
    return number;
}

int32_t mpg_trace_intern_string(struct mpg_trace *t, const char *text, size_t size)
{
    return intern_text(&t->strings, text, size);
}

int32_t mpg_trace_intern_host(struct mpg_trace *t, const char *name)
{
    return intern_text(&t->hosts, name, strlen(name));
}

const char *mpg_trace_string(const struct mpg_trace *t, int32_t string)
{
    return string >= 0 ? ((char *const *)t->strings.items)[string] : "(unnamed)";
}

/* --- modules --- */

static bool same_module(const void *item, const void *key)
{
    const struct mpg_module *a = item, *b = key;
    if (a->build_id_size != b->build_id_size)
        return false;
    /* Modules with equal build-ids are equal, whatever the paths. */
    return a->build_id_size > 0 ? memcmp(a->build_id, b->build_id, a->build_id_size) == 0
                                : strcmp(a->path, b->path) == 0;
}

int32_t mpg_trace_intern_module(struct mpg_trace *t, const uint8_t *build_id, uint32_t size,
                                const char *path, size_t path_size)
{
    struct mpg_module module = {.build_id_size = size, .path = copy(path, path_size)};
    if (!module.path)
        return -1;
    memcpy(module.build_id, build_id, size);
    uint64_t hash = size ? hash_bytes(1, build_id, size) : hash_bytes(2, path, path_size);
    uint64_t *slot = find_or_add(&t->modules, sizeof module, hash, &module, same_module);
    int32_t number = -1;
    bool is_new = slot && !*slot;
    if (is_new)
        number = mpg_trace_table_add(&t->modules, &module, sizeof module, slot);
    else if (slot)
        number = (int32_t)(*slot - 1);
    if (!is_new || number < 0)
        free(module.path);
    return number;
}

const struct mpg_module *mpg_trace_module(const struct mpg_trace *t, int32_t module)
{
    return (const struct mpg_module *)t->modules.items + module;
}

int32_t mpg_trace_module_count(const struct mpg_trace *t)
{
    return t->modules.count;
}

/* --- callsites --- */

static bool same_site(const void *item, const void *key)
{
    const struct mpg_site *a = item, *b = key;
    if (a->frame_number != b->frame_number)
        return false;
    for (uint32_t i = 0; i < a->frame_number; i++)
        if (a->frames[i].module != b->frames[i].module ||
            a->frames[i].offset != b->frames[i].offset)
            return false;
    return true;
}

int32_t mpg_trace_intern_site(struct mpg_trace *t, const struct mpg_frame *frames,
                              uint32_t frame_number)
{
    struct mpg_site site = {.frame_number = frame_number, .frames = (struct mpg_frame *)frames};
    uint64_t hash = 0;
    for (uint32_t i = 0; i < frame_number; i++)
        hash = hash_number(hash_number(hash, (uint64_t)frames[i].module), frames[i].offset);
    uint64_t *slot = find_or_add(&t->sites, sizeof site, hash, &site, same_site);
    if (!slot)
        return -1;
    if (*slot)
        return (int32_t)(*slot - 1);
    if (!(site.frames = copy(frames, frame_number * sizeof *frames)))
        return -1;
    int32_t number = mpg_trace_table_add(&t->sites, &site, sizeof site, slot);
    if (number < 0)
        free(site.frames);
    return number;
}

const struct mpg_site *mpg_trace_site(const struct mpg_trace *t, int32_t site)
{
    return (const struct mpg_site *)t->sites.items + site;
}

int32_t mpg_trace_site_count(const struct mpg_trace *t)
{
    return t->sites.count;
}

/* --- topologies --- */

int mpg_trace_add_topology(struct mpg_trace *t, int32_t rank, int32_t comm, uint32_t source_number,
                           uint32_t destination_number, int32_t *ranks)
{
    const struct trace_topology topology = {.rank = rank,
                                            .comm = comm,
                                            .source_number = source_number,
                                            .destination_number = destination_number,
                                            .sources = ranks,
                                            .destinations = ranks + source_number};
    uint64_t *slot = mpg_map_add(&t->topologies.index, (uint64_t)rank, (uint64_t)comm);
    if (slot && !*slot && mpg_trace_table_add(&t->topologies, &topology, sizeof topology, slot) >= 0)
        return 0;
    free(ranks); /* defined before by another thread of the rank, or another decoder */
    return slot && *slot ? 0 : -1;
}

const struct trace_topology *mpg_trace_topology(const struct mpg_trace *t, int32_t rank,
                                                int32_t comm)
{
    const uint64_t *slot = mpg_map_find(&t->topologies.index, (uint64_t)rank, (uint64_t)comm);
    return slot && *slot ? (const struct trace_topology *)t->topologies.items + (*slot - 1) : NULL;
}

bool mpg_trace_find_neighbors(const struct mpg_trace *t, int32_t rank, int32_t comm,
                              struct mpg_neighbors *found)
{
    const struct trace_topology *topology = mpg_trace_topology(t, rank, comm);
    if (topology)
        *found = (struct mpg_neighbors){topology->source_number, topology->destination_number,
                                        topology->sources, topology->destinations};
    return topology != NULL;
}

const struct trace_topology *mpg_trace_topology_at(const struct mpg_trace *t, int32_t i)
{
    return i < t->topologies.count ? (const struct trace_topology *)t->topologies.items + i : NULL;
}

void mpg_trace_free_definitions(struct mpg_trace *t)
{
    free(t->comms);
    mpg_trace_free_members(t);
    mpg_map_clear(&t->comm_index);
    mpg_map_clear(&t->labels);
    for (int32_t i = 0; i < t->strings.count; i++)
        free(((char **)t->strings.items)[i]);
    for (int32_t i = 0; i < t->hosts.count; i++)
        free(((char **)t->hosts.items)[i]);
    for (int32_t i = 0; i < t->modules.count; i++)
        free(((struct mpg_module *)t->modules.items)[i].path);
    for (int32_t i = 0; i < t->sites.count; i++)
        free(((struct mpg_site *)t->sites.items)[i].frames);
    for (int32_t i = 0; i < t->topologies.count; i++)
        free(((struct trace_topology *)t->topologies.items)[i].sources);
    struct trace_table *tables[] = {&t->objects, &t->strings, &t->modules, &t->sites,
                                    &t->topologies, &t->hosts, &t->members};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        free(tables[i]->items);
        mpg_map_clear(&tables[i]->index);
    }
}
