/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of callsites: the functions on the call stack. */
#include "trace/stat/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/reserve.h"
#include "trace/python_place.h"

/* A text that grows as parts are appended. */
struct text {
    char *text;
    size_t used, capacity;
};

static int append(struct text *t, const char *more)
{
    size_t size = strlen(more) + 1;
    if (t->used + size > t->capacity) {
        char *grown = realloc(t->text, 2 * (t->used + size));
        if (!grown)
            return -1;
        t->text = grown;
        t->capacity = 2 * (t->used + size);
    }
    memcpy(t->text + t->used, more, size);
    t->used += size - 1;
    return 0;
}

/* Appends MORE, text from a file, with unprintable characters escaped. */
static int append_shown(struct text *t, const char *more)
{
    char shown[4 * 4096 + 1];
    return append(t, mpg_printable(shown, sizeof shown, more));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the name of MODULE's file, without its folder. "" without a module, and for a Python function, which is neither a
 * wrapper nor the interpreter, whatever the file's name. */
static const char *file_name(const struct mpg_module *module)
{
    return module && !mpg_is_python(module->path) ? base_name(module->path) : "";
}

/* Returns whether frames in MODULE lie between program and tracer: MPI's Fortran bindings, or the tracer itself. */
static bool is_wrapper(const struct mpg_module *module)
{
    const char *name = file_name(module);
    return strncmp(name, "libmpgtrace", 11) == 0 || strncmp(name, "libmpi", 6) == 0;
}

/* Returns whether MODULE is the Python interpreter. Frames in the interpreter do not show which Python function was running. */
static bool is_interpreter(const struct mpg_module *module)
{
    const char *name = file_name(module);
    return strncmp(name, "libpython", 9) == 0 ||
           (strncmp(name, "python", 6) == 0 && name[6] >= '0' && name[6] <= '9');
}

static int append_interpreter(struct text *t, const struct mpg_module *module)
{
    return append(t, t->used ? "\n" : "") < 0 || append(t, base_name(module->path)) < 0
               ? -1
               : append(t, ": called from the interpreter; Python's functions are not known");
}

/* Returns whether FUNCTION in MODULE is the outermost function of a program (main): callers of main are the C library's
 * start-up. */
static bool is_outermost(const struct mpg_module *module, const char *function)
{
    if (module && mpg_is_python(module->path))
        return false;
    return strcmp(function, "main") == 0 || strcmp(function, "MAIN__") == 0;
}

static int append_frame(struct text *t, const struct mpg_symbol *frame)
{
    char line[32];
    if (append(t, t->used ? "\n" : "") < 0 || append_shown(t, frame->function) < 0)
        return -1;
    if (!frame->file && strchr(frame->function, '+')) /* a name such as "module+0x11d6" already contains the module */
        return 0;
    snprintf(line, sizeof line, frame->line ? ":%d)" : ")", frame->line);
    return append(t, " (") < 0 || append_shown(t, frame->file ? base_name(frame->file) : frame->module) < 0
               ? -1
               : append(t, line);
}

/* Returns the index of the first frame of S that belongs neither to a wrapper nor to the tracer. */
static uint32_t first_frame(const struct stat_callsites *source, const struct mpg_site *s)
{
    uint32_t first = 0;
    while (first < s->frame_number &&
           is_wrapper(s->frames[first].module < 0 ? NULL : source->module(source->source, s->frames[first].module)))
        first++;
    return first == s->frame_number ? 0 : first; /* if all frames are wrappers, MPI called itself: shows all */
}

int mpg_stat_walk_site(const struct stat_callsites *source, int32_t site, struct mpg_symbols *symbols, int frames,
                       int (*visit)(void *context, const struct stat_frame *frame), void *context,
                       struct mpg_error *err)
{
    const struct mpg_site *s = source->site(source->source, site);
    for (uint32_t i = first_frame(source, s); i < s->frame_number; i++) {
        const struct mpg_symbol *symbol;
        struct stat_frame frame = {.offset = s->frames[i].offset};
        if (s->frames[i].module >= 0)
            frame.module = source->module(source->source, s->frames[i].module);
        if (is_interpreter(frame.module)) /* reported beyond the first FRAMES frames, too */
            return visit(context, &frame);
        if (frames <= 0)
            continue;
        const int n = mpg_symbols_look_up(symbols, frame.module, frame.offset, &symbol, err);
        if (n < 0)
            return -1;
        for (int j = 0; j < n && frames > 0; j++, frames--) {
            frame.symbol = &symbol[j];
            frame.inlined = j + 1 < n;
            const int status = visit(context, &frame);
            if (status != 0)
                return status;
            if (is_outermost(frame.module, symbol[j].function))
                return 0;
        }
    }
    return 0;
}

static int append_visited(void *text, const struct stat_frame *frame)
{
    return frame->symbol ? append_frame(text, frame->symbol) : append_interpreter(text, frame->module);
}

/* Appends the names of at most FRAMES frames of SITE, innermost first, one per line. */
static int append_site(struct text *t, const struct stat_callsites *source, int32_t site,
                       struct mpg_symbols *symbols, int frames, struct mpg_error *err)
{
    return site < 0 ? append(t, site == MPG_NO_SITE ? "unknown" : "all other callsites")
                    : mpg_stat_walk_site(source, site, symbols, frames, append_visited, t, err);
}

char *mpg_stat_name_site(const struct stat_callsites *callsites, int32_t site, struct mpg_symbols *symbols,
                         int frames, struct mpg_error *err)
{
    struct text t = {0};
    if (append_site(&t, callsites, site, symbols, frames, err) == 0 && append(&t, "") == 0)
        return t.text;
    mpg_error_set(err, "out of memory");
    free(t.text);
    return NULL;
}

static const struct mpg_site *site_of(const void *trace, int32_t site)
{
    return mpg_trace_site(trace, site);
}

static const struct mpg_module *module_of(const void *trace, int32_t module)
{
    return mpg_trace_module(trace, module);
}

struct stat_callsites mpg_stat_callsites_of(const struct mpg_trace *trace)
{
    return (struct stat_callsites){trace, site_of, module_of};
}

int mpg_site_names_begin(struct mpg_site_names *x, const struct mpg_trace *trace, int frames, const char *debug_path,
                         struct mpg_error *err)
{
    *x = (struct mpg_site_names){
        .callsites = mpg_stat_callsites_of(trace), .frames = frames, .n = (uint32_t)mpg_trace_site_count(trace) + 1};
    if (!(x->symbols = mpg_symbols_new(debug_path, err)))
        return -1;
    x->name = calloc(x->n, sizeof *x->name);
    return x->name ? 0 : mpg_error_set(err, "out of memory");
}

const char *mpg_site_name(struct mpg_site_names *x, uint32_t site, struct mpg_error *err)
{
    /* The trace may have defined further callsites since the last call. */
    if (site >= x->n && mpg_reserve_at(&x->name, sizeof *x->name, &x->n, site + 1, err) < 0)
        return NULL;
    if (!x->name[site])
        x->name[site] = mpg_stat_name_site(&x->callsites, site ? (int32_t)site - 1 : MPG_NO_SITE, x->symbols, x->frames, err);
    return x->name[site];
}

void mpg_site_names_end(struct mpg_site_names *x)
{
    for (uint32_t i = 0; x->name && i < x->n; i++)
        free(x->name[i]);
    free(x->name);
    mpg_symbols_free(x->symbols);
}
