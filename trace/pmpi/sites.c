/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines captured callsites in a stream: each frame as module and offset. If Python's interpreter is on the stack, lines of the
 * Python program replace the interpreter's frames. */
#include "trace/pmpi/sites.h"

#include <string.h>

#include "common/reserve.h"
#include "trace/pmpi/callsites.h"
#include "trace/pmpi/frames.h"
#include "trace/pmpi/modules.h"
#include "trace/pmpi/python.h"
#include "trace/pmpi/settings.h"
#include "trace/pmpi/stream.h"

enum { DEFAULT_DEPTH = 8 };

static bool on;

/* Cache of callsites that consist of the caller alone, by return address. Most local calls come from a few places. */
enum { CALLERS = 32, CALLER_SHIFT = 2 /* calls are at least 4 bytes apart */ };
static __thread struct {
    const void *address;
    int32_t site;
} callers[CALLERS] __attribute__((tls_model("initial-exec")));

/* For each captured stack: the frames above the Python interpreter: functions called by the interpreter. */
struct above {
    bool known, python; /* KNOWN: the stack has been examined; PYTHON: the interpreter is on the stack */
    unsigned keep; /* number of frames above the interpreter, without glue */
};
static struct {
    unsigned depth;
    const void *code; /* an address in the interpreter's code; NULL: the program contains none */
    struct above *above;
    uint32_t number;
} interpreter;

void sites_start(int rank)
{
    const int64_t depth = setting_number("MPGTRACE_CALLSITES", SETTING_INT, 0, CALLSITES_MAX_DEPTH,
                                         DEFAULT_DEPTH, rank);
    on = depth > 0;
    if (on)
        callsites_start((unsigned)depth, frames_look);
    /* Makes the list of loaded modules now, since making the list takes some ms, and the check for nested calls needs the list,
     * too. */
    (void)modules_frame(__builtin_return_address(0), NULL);
    if (on)
        modules_prepare();
    interpreter.depth = (unsigned)depth;
    interpreter.code = on ? python_code() : NULL;
}

/* Returns whether MODULE is glue through which Python programs call C: glue frames do not help to locate a call. */
static bool is_glue(int32_t module)
{
    static const char *const names[] = {"libffi.", "_ctypes.", "_cffi_backend."};
    if (module < 0)
        return false;
    const char *path = modules_get(module)->path, *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slash && strncmp(slash + 1, names[i], strlen(names[i])) == 0)
            return true;
    return strstr(path, "/mpi4py/") != NULL;
}

/* Looks for the interpreter in SITE's stack. If the stack was cut at the capture depth, an outermost frame in glue that only the
 * interpreter calls shows that the interpreter is on the stack. */
static struct above find_interpreter(int32_t site)
{
    struct mpg_frame frames[CALLSITES_MAX_DEPTH];
    const int32_t module = modules_frame(interpreter.code, NULL).module;
    const unsigned n = callsites_frames(site, frames);
    unsigned keep = 0;
    while (keep < n && frames[keep].module != module)
        keep++;
    struct above above = {.known = n > 0, .python = module >= 0 && keep < n};
    if (keep == n && n == interpreter.depth)
        above.python = is_glue(frames[n - 1].module);
    while (keep > 0 && is_glue(frames[keep - 1].module))
        keep--;
    above.keep = keep;
    return above;
}

static const struct above *above_of(int32_t site)
{
    struct mpg_error unused;
    if ((uint32_t)site >= interpreter.number &&
        mpg_reserve_at(&interpreter.above, sizeof *interpreter.above, &interpreter.number, (uint32_t)site + 1, &unused) < 0)
        return NULL;
    if (!interpreter.above[site].known)
        interpreter.above[site] = find_interpreter(site);
    return &interpreter.above[site];
}

/* Returns SITE with the lines of the Python program in place of the interpreter's frames, if the interpreter is on
 * the stack. */
static int32_t in_python(int32_t site)
{
    uintptr_t lines[CALLSITES_MAX_DEPTH];
    const struct above *above = above_of(site);
    if (!above || !above->python)
        return site;
    const unsigned n = python_frames(lines, interpreter.depth);
    return n > 0 ? callsites_joined(site, above->keep, lines, n) : site;
}

static inline uintptr_t slot_of(const void *return_address)
{
    return (uintptr_t)return_address >> CALLER_SHIFT & (CALLERS - 1);
}

static int32_t capture_caller(const struct tracer_scope *s)
{
    const uintptr_t slot = slot_of(s->return_address);
    if (callers[slot].address == s->return_address)
        return callers[slot].site;
    const int32_t site = callsites_alone(s->return_address);
    if (site == CALLSITES_NONE) /* the caller is an MPI function, called from many places */
        return callsites_innermost(callsites_capture(s->return_address, s->frame, s->base));
    callers[slot].address = s->return_address;
    callers[slot].site = site;
    return site;
}

int32_t sites_capture(const struct tracer_scope *s)
{
    if (!on)
        return MPG_NO_SITE;
    if (mpg_call_kind(s->call) == MPG_KIND_OTHER && !interpreter.code)
        return capture_caller(s);
    if (!s->frame) /* a call of a runtime with unknown frame address */
        return callsites_alone(s->return_address);
    const int32_t site = callsites_capture(s->return_address, s->frame, s->base);
    return interpreter.code && site >= 0 ? in_python(site) : site;
}

bool sites_is_caller(const void *return_address)
{
    return !on || (!interpreter.code && callers[slot_of(return_address)].address == return_address);
}

static int define_module(int32_t module, struct mpg_error *err)
{
    if (module < 0 || stream_defined(STREAM_MODULES, module))
        return 0;
    const struct module *m = modules_get(module);
    return mpg_trace_write_module(tracer_writer(), module, m->build_id, m->build_id_size, m->path,
                                  err);
}

int sites_define(int32_t site, struct mpg_error *err)
{
    struct mpg_frame frames[CALLSITES_MAX_DEPTH];
    if (site == MPG_NO_SITE || stream_defined(STREAM_SITES, site))
        return 0;
    const unsigned n = callsites_frames(site, frames);
    for (unsigned i = 0; i < n; i++)
        if ((i == 0 || frames[i].module != frames[i - 1].module) && define_module(frames[i].module, err) < 0)
            return -1;
    return mpg_trace_write_site(tracer_writer(), site, n, frames, err) < 0 ? -1 : 1;
}
