/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads callsites as bytes: modules with build id and path, callsites with frames. */
#include <stdlib.h>
#include <string.h>

#include "trace/store/private.h"

enum { MIN_MODULE_BYTES = 16, MIN_SITE_BYTES = 8 };

static void put_text(struct mpg_bytes *bytes, const void *text, size_t size)
{
    mpg_bytes_put_u64(bytes, size);
    mpg_bytes_put(bytes, text, size);
}

void mpg_trace_put_sites(const struct mpg_trace *t, struct mpg_bytes *bytes)
{
    mpg_bytes_put_u64(bytes, (uint64_t)mpg_trace_module_count(t));
    for (int32_t i = 0; i < mpg_trace_module_count(t); i++) {
        const struct mpg_module *m = mpg_trace_module(t, i);
        put_text(bytes, m->build_id, m->build_id_size);
        put_text(bytes, m->path, strlen(m->path));
    }
    mpg_bytes_put_u64(bytes, (uint64_t)mpg_trace_site_count(t));
    for (int32_t i = 0; i < mpg_trace_site_count(t); i++) {
        const struct mpg_site *s = mpg_trace_site(t, i);
        mpg_bytes_put_u64(bytes, s->frame_number);
        for (uint32_t k = 0; k < s->frame_number; k++) {
            mpg_bytes_put_u64(bytes, (uint64_t)(s->frames[k].module + 1));
            mpg_bytes_put_u64(bytes, s->frames[k].offset);
        }
    }
}

static int32_t get_module(struct mpg_trace *t, struct mpg_bytes_left *left)
{
    const size_t id_bytes = (size_t)mpg_bytes_get_below(left, MPG_TRACE_MAX_BUILD_ID + 1);
    const uint8_t *id = mpg_bytes_get(left, id_bytes);
    const size_t path_bytes = (size_t)mpg_bytes_get_below(left, MPG_TRACE_MAX_TEXT + 1);
    const uint8_t *path = mpg_bytes_get(left, path_bytes);
    if (left->failed || memchr(path, '\0', path_bytes))
        return -1;
    return mpg_trace_intern_module(t, id, (uint32_t)id_bytes, (const char *)path, path_bytes);
}

/* Reads a callsite. Frames refer to modules by 1 + index in MODULES, the trace-wide numbers of N modules; 0: unknown. Returns
 * the callsite's trace-wide number; -1: damaged, or out of memory. */
static int32_t get_site(struct mpg_trace *t, struct mpg_bytes_left *left, const int32_t *modules,
                        size_t n)
{
    struct mpg_frame frames[MPG_TRACE_MAX_FRAMES];
    const uint32_t number = (uint32_t)mpg_bytes_get_below(left, MPG_TRACE_MAX_FRAMES + 1);
    for (uint32_t k = 0; k < number; k++) {
        const uint64_t module = mpg_bytes_get_below(left, n + 1);
        frames[k] = (struct mpg_frame){.module = module ? modules[module - 1] : -1,
                                       .offset = mpg_bytes_get_u64(left)};
    }
    return left->failed || number == 0 ? -1 : mpg_trace_intern_site(t, frames, number);
}

int32_t *mpg_trace_get_sites(struct mpg_trace *t, struct mpg_bytes_left *left, size_t *n)
{
    const size_t modules = mpg_bytes_get_number(left, MIN_MODULE_BYTES);
    int32_t *module = calloc(modules + 1, sizeof *module), *site = NULL;
    bool good = module && !left->failed;
    for (size_t i = 0; good && i < modules; i++)
        good = (module[i] = get_module(t, left)) >= 0;
    *n = good ? mpg_bytes_get_number(left, MIN_SITE_BYTES) : 0;
    good = good && !left->failed && (site = calloc(*n + 1, sizeof *site));
    for (size_t i = 0; good && i < *n; i++)
        good = (site[i] = get_site(t, left, module, modules)) >= 0;
    free(module);
    if (!good) {
        free(site);
        return NULL;
    }
    return site;
}
