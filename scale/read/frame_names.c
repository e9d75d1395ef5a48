/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/read/frame_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/printable.h"

enum { TEXT_BYTES = 1024 };

struct known_module {
    struct mpg_module module;
    char id[2 * sizeof((struct mpg_module *)NULL)->build_id + 1];
    bool visited;
    bool without_lines; /* for some frame in this module the source line is not known */
};

struct scale_frame_names {
    struct mpg_symbols *symbols;
    struct known_module **known; /* allocated one by one, since `symbols` stores its data under the address of the module */
    size_t known_number;
    struct stat_callsites file;
    struct mpg_map modules; /* number of a module in the file -> 1 + index in `known` */
    bool differ;
};

struct scale_frame_names *mpg_scale_frame_names_new(const char *debug_path, struct mpg_error *err)
{
    struct scale_frame_names *names = calloc(1, sizeof *names);
    if (names && (names->symbols = mpg_symbols_new(debug_path, err)))
        return names;
    if (!names)
        mpg_error_set(err, "out of memory");
    free(names);
    return NULL;
}

void mpg_scale_frame_names_begin(struct scale_frame_names *names, const struct stat_callsites *source)
{
    names->file = *source;
    mpg_map_clear(&names->modules);
}

static bool is_same(const struct mpg_module *a, const struct mpg_module *b)
{
    return a->build_id_size == b->build_id_size && memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
           strcmp(a->path, b->path) == 0;
}

static struct known_module *add_module(struct scale_frame_names *names, const struct mpg_module *m)
{
    struct known_module **grown = realloc(names->known, (names->known_number + 1) * sizeof(*grown));
    if (grown)
        names->known = grown;
    struct known_module *known = grown ? calloc(1, sizeof *known) : NULL;
    if (!known)
        return NULL;
    known->module = *m;
    known->module.path = strdup(m->path);
    if (!known->module.path) {
        free(known);
        return NULL;
    }
    for (uint32_t i = 0; i < m->build_id_size; i++)
        sprintf(known->id + 2 * i, "%02x", m->build_id[i]);
    names->known[names->known_number++] = known;
    return known;
}

/* Returns module number MODULE of the current file; NULL: out of memory. */
static const struct mpg_module *module_of(const void *context, int32_t module)
{
    struct scale_frame_names *names = (struct scale_frame_names *)context;
    uint64_t *at = mpg_map_add(&names->modules, (uint64_t)module, 0);
    if (!at)
        return NULL;
    if (*at == 0) {
        const struct mpg_module *m = names->file.module(names->file.source, module);
        size_t i = 0;
        while (i < names->known_number && !is_same(&names->known[i]->module, m))
            i++;
        if (i == names->known_number && !add_module(names, m))
            return NULL;
        *at = i + 1;
    }
    return &names->known[*at - 1]->module;
}

static const struct mpg_site *site_of(const void *context, int32_t site)
{
    const struct scale_frame_names *names = context;
    return names->file.site(names->file.source, site);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_other_build(const struct known_module *a, const struct known_module *b)
{
    return a->visited && b->visited && strcmp(base_of(a->module.path), base_of(b->module.path)) == 0 &&
           strcmp(a->id, b->id) != 0;
}

/* Notes that a frame lies in module M, and whether frames of another build of M exist. */
static void visit_module(struct scale_frame_names *names, const struct mpg_module *m)
{
    struct known_module *known = (struct known_module *)(void *)m; /* allowed, since M is the first member of struct
                                                                    * known_module */
    if (known->visited)
        return;
    known->visited = true;
    for (size_t i = 0; i < names->known_number; i++)
        names->differ |= is_other_build(names->known[i], known);
}

static void print_text(char *text, const struct stat_frame *frame_of_site)
{
    const struct mpg_symbol *s = frame_of_site->symbol;
    char shown[TEXT_BYTES];
    if (!s)
        snprintf(text, TEXT_BYTES, "%s (interpreter)",
                 mpg_printable(shown, sizeof shown - 32, frame_of_site->module ? base_of(frame_of_site->module->path) : "?"));
    else if (s->file && s->line > 0)
        snprintf(text, TEXT_BYTES, "%s:%d", mpg_printable(shown, sizeof shown - 32, base_of(s->file)), s->line);
    else if (s->offset > 0)
        snprintf(text, TEXT_BYTES, "%s+0x%" PRIx64, mpg_printable(shown, sizeof shown - 32, s->function), s->offset);
    else
        mpg_printable(text, TEXT_BYTES, s->function);
}

struct visit {
    struct scale_frame_names *names;
    struct scale_frames *found;
};

static int visit_frame(void *context, const struct stat_frame *frame_of_site)
{
    const struct visit *v = context;
    struct scale_frame *frame = &v->found->frame[v->found->n];
    char text[TEXT_BYTES], address[TEXT_BYTES + 64];
    if (v->found->n == SCALE_MAX_FRAMES)
        return 1;
    if (frame_of_site->module)
        visit_module(v->names, frame_of_site->module);
    print_text(text, frame_of_site);
    struct known_module *known = (struct known_module *)(void *)frame_of_site->module; /* allowed, since the module is the
                                                                                          first member of struct
                                                                                          known_module */
    if (known && frame_of_site->symbol && !(frame_of_site->symbol->file && frame_of_site->symbol->line > 0))
        known->without_lines = true;
    if (frame_of_site->inlined || !frame_of_site->symbol || !known)
        snprintf(address, sizeof address, "%s", text);
    else
        snprintf(address, sizeof address, "%.200s+%016" PRIx64, *known->id ? known->id : known->module.path,
                 frame_of_site->offset);
    *frame = (struct scale_frame){.text = strdup(text), .address = strdup(address)};
    if (frame_of_site->symbol) {
        frame->function = frame_of_site->symbol->function;
        frame->file = frame_of_site->symbol->file;
        frame->line = frame_of_site->symbol->line;
    }
    v->found->n++;
    v->found->failed |= !frame->text || !frame->address;
    return v->found->failed;
}

int mpg_scale_frame_names_find(struct scale_frame_names *names, int32_t site, int frames, struct scale_frames *found,
                               struct mpg_error *err)
{
    const struct stat_callsites source = {names, site_of, module_of};
    struct visit visit = {names, found};
    found->n = 0;
    found->failed = false;
    if (mpg_stat_walk_site(&source, site, names->symbols, frames, visit_frame, &visit, err) < 0)
        return -1;
    return found->failed ? mpg_error_set(err, "out of memory") : 0;
}

void mpg_scale_frames_clear(struct scale_frames *frames)
{
    for (int i = 0; i < frames->n; i++) {
        free(frames->frame[i].text);
        free(frames->frame[i].address);
    }
    frames->n = 0;
}

bool mpg_scale_frame_names_differ(const struct scale_frame_names *names)
{
    return names->differ;
}

const char *mpg_scale_frame_names_without_lines(const struct scale_frame_names *names)
{
    for (size_t i = 0; i < names->known_number; i++)
        for (size_t k = 0; names->known[i]->without_lines && k < names->known_number; k++)
            if (is_other_build(names->known[i], names->known[k]))
                return base_of(names->known[i]->module.path);
    return NULL;
}

void mpg_scale_frame_names_free(struct scale_frame_names *names)
{
    if (!names)
        return;
    mpg_symbols_free(names->symbols);
    for (size_t i = 0; i < names->known_number; i++) {
        free(names->known[i]->module.path);
        free(names->known[i]);
    }
    free(names->known);
    mpg_map_clear(&names->modules);
    free(names);
}
