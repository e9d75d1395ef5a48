/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/profile/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "trace/profile/format.h"
#include "trace/store/chunk.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

struct text {
    const uint8_t *p, *end;
};

static bool take_bytes(struct text *t, uint64_t max, const uint8_t **bytes, size_t *size)
{
    uint64_t n;
    if (!mpg_get_varint(&t->p, t->end, &n) || n > max || n > (size_t)(t->end - t->p))
        return false;
    *bytes = t->p;
    *size = (size_t)n;
    t->p += n;
    return true;
}

static uint64_t hash(const void *data, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u; /* initial value of the FNV-1a hash */
    for (const uint8_t *p = data; size-- > 0; p++)
        h = (h ^ *p) * 0x100000001b3u;
    return h;
}

static bool same_module(const struct mpg_module *a, const struct mpg_module *b)
{
    return a->build_id_size == b->build_id_size && strcmp(a->path, b->path) == 0 &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static bool same_site(const struct mpg_site *a, const struct mpg_site *b)
{
    bool same = a->frame_number == b->frame_number;
    for (uint32_t i = 0; same && i < a->frame_number; i++)
        same = a->frames[i].module == b->frames[i].module &&
               a->frames[i].offset == b->frames[i].offset;
    return same;
}

/* Makes room for item N + 1 in an array of N items of SIZE bytes. ARRAY: address of the pointer to the array. Returns false
 * without memory. */
static bool grow(void *array, int32_t n, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = (n & (n - 1)) == 0 ? realloc(old, (n ? 2 * (size_t)n : 1) * size) : old;
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

/* Returns the number of module M, which is added if new; takes over M's path. -1: out of memory. */
static int32_t intern_module(struct profile_definitions *d, struct mpg_module *m)
{
    const uint64_t h = hash(m->path, strlen(m->path)) ^ hash(m->build_id, m->build_id_size);
    for (uint64_t i = 0;; i++) {
        uint64_t *place = mpg_map_add(&d->module_index, h, i);
        if (place && *place && same_module(&d->modules[*place - 1], m)) {
            free(m->path);
            return (int32_t)*place - 1;
        }
        if (place && *place)
            continue;
        if (!place || !grow(&d->modules, d->module_number, sizeof *d->modules)) {
            free(m->path);
            return -1;
        }
        d->modules[d->module_number] = *m;
        *place = (uint64_t)++d->module_number;
        return (int32_t)*place - 1;
    }
}

static int32_t intern_site(struct profile_definitions *d, const struct mpg_site *s)
{
    uint64_t h = s->frame_number;
    for (uint32_t i = 0; i < s->frame_number; i++)
        h = (h ^ s->frames[i].offset ^ (uint64_t)(s->frames[i].module + 1) << 48) * 0x100000001b3u;
    for (uint64_t i = 0;; i++) {
        uint64_t *place = mpg_map_add(&d->site_index, h, i);
        if (place && *place && same_site(&d->sites[*place - 1], s))
            return (int32_t)*place - 1;
        if (place && *place)
            continue;
        struct mpg_frame *copy = malloc((s->frame_number + 1) * sizeof *copy);
        if (!place || !copy || !grow(&d->sites, d->site_number, sizeof *d->sites)) {
            free(copy);
            return -1;
        }
        memcpy(copy, s->frames, s->frame_number * sizeof *copy);
        d->sites[d->site_number] = (struct mpg_site){s->frame_number, copy};
        *place = (uint64_t)++d->site_number;
        return (int32_t)*place - 1;
    }
}

/* Adds NUMBER to *LOCALS: the trace-wide number of the rank's next module or callsite. Returns 0, or -1 with ERR. */
static int note(int32_t **locals, uint32_t *n, int32_t number, struct mpg_error *err)
{
    if (number < 0 || !grow(locals, (int32_t)*n, sizeof **locals))
        return out_of_memory(err);
    (*locals)[(*n)++] = number;
    return 0;
}

static int damaged(struct mpg_error *err, const char *what)
{
    return mpg_error_set(err, "damaged: %s", what);
}

static int read_module(struct profile_definitions *d, struct text *t, struct mpg_error *err)
{
    struct mpg_module m = {0};
    const uint8_t *id, *path;
    size_t id_bytes, path_bytes;
    if (!take_bytes(t, sizeof m.build_id, &id, &id_bytes) || !take_bytes(t, 4096, &path, &path_bytes))
        return damaged(err, "a module");
    memcpy(m.build_id, id, id_bytes);
    m.build_id_size = (uint32_t)id_bytes;
    m.path = strndup((const char *)path, path_bytes);
    if (!m.path)
        return out_of_memory(err);
    return note(&d->local_modules, &d->local_module_number, intern_module(d, &m), err);
}

static int read_site(struct profile_definitions *d, struct text *t, struct mpg_error *err)
{
    struct mpg_frame frames[64];
    uint64_t n, module;
    if (!mpg_get_varint(&t->p, t->end, &n) || n > sizeof frames / sizeof *frames)
        return damaged(err, "a callsite");
    for (uint64_t i = 0; i < n; i++) {
        if (!mpg_get_varint(&t->p, t->end, &module) || module > d->local_module_number ||
            !mpg_get_varint(&t->p, t->end, &frames[i].offset))
            return damaged(err, "a callsite's frame");
        frames[i].module = module ? d->local_modules[module - 1] : -1;
    }
    const struct mpg_site site = {(uint32_t)n, frames};
    return note(&d->local_sites, &d->local_site_number, intern_site(d, &site), err);
}

static int read_fact(struct profile_definitions *d, struct text *t, struct mpg_error *err)
{
    if (!grow(&d->fact, (int32_t)d->fact_number, sizeof *d->fact))
        return out_of_memory(err);
    d->fact[d->fact_number] = d->facts_bytes;
    for (int i = 0; i < 2; i++) {
        const uint8_t *bytes;
        size_t size;
        if (!take_bytes(t, 4096, &bytes, &size))
            return damaged(err, "a fact");
        if (d->facts_bytes + size + 1 > d->facts_capacity) {
            const size_t capacity = 2 * (d->facts_bytes + size + 1);
            char *grown = realloc(d->facts, capacity);
            if (!grown)
                return out_of_memory(err);
            d->facts = grown;
            d->facts_capacity = capacity;
        }
        memcpy(d->facts + d->facts_bytes, bytes, size);
        d->facts[d->facts_bytes + size] = '\0';
        d->facts_bytes += strlen(d->facts + d->facts_bytes) + 1;
    }
    d->fact_number++;
    return 0;
}

int mpg_profile_definitions_read(struct profile_definitions *d, const uint8_t *from, size_t bytes, struct mpg_error *err)
{
    struct text t = {from, from + bytes};
    int status = 0;
    d->local_module_number = d->local_site_number = 0;
    d->facts_bytes = 0;
    d->fact_number = 0;
    while (status == 0 && t.p < t.end)
        switch (*t.p++) {
        case MPG_PROFILE_MODULE: status = read_module(d, &t, err); break;
        case MPG_PROFILE_SITE: status = read_site(d, &t, err); break;
        case MPG_PROFILE_FACT: status = read_fact(d, &t, err); break;
        default: status = damaged(err, "a definition of an unknown kind");
        }
    return status;
}

bool mpg_profile_definitions_fact(const struct profile_definitions *d, size_t i, const char **key, const char **value)
{
    if (i >= d->fact_number)
        return false;
    *key = d->facts + d->fact[i];
    *value = *key + strlen(*key) + 1;
    return true;
}

void mpg_profile_definitions_clear(struct profile_definitions *d)
{
    for (int32_t i = 0; i < d->module_number; i++)
        free(d->modules[i].path);
    for (int32_t i = 0; i < d->site_number; i++)
        free(d->sites[i].frames);
    mpg_map_clear(&d->module_index);
    mpg_map_clear(&d->site_index);
    free(d->facts);
    free(d->fact);
    free(d->modules);
    free(d->sites);
    free(d->local_modules);
    free(d->local_sites);
}
