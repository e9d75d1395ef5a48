/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of regions and of functions missing in trace/calls.def, as strings of the trace. Entry points of mpg_region.h. */
#include "trace/pmpi/regions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "trace/mpg_region.h"
#include "trace/pmpi/event.h"
#include "trace/pmpi/profile.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/untraced.h"
#include "trace/pmpi/visits.h"

enum { MAX_NAME = 4096, MAX_NAMES = 1 << 16, MAX_EARLY = 64 };

static struct {
    /* The next four members: protected by the streams' lock. */
    struct mpg_map index; /* (hash of the name; 0, 1, ... for equal hashes) -> 1 + string number */
    char **names;
    size_t number, capacity;
    /* regions that begin before MPI_Init: */
    pthread_mutex_t lock;
    bool started;
    char *early[MAX_EARLY]; /* names of the open regions, innermost last */
    int early_number;
} regions = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Copies NAME to TEXT (MAX_NAME + 1 bytes) without control characters. */
static void clean(char *text, const char *name, size_t length)
{
    size_t n = 0;
    for (; n < length && n < MAX_NAME && name[n]; n++)
        text[n] = (unsigned char)name[n] < ' ' || name[n] == 127 ? '?' : name[n];
    text[n] = '\0';
    if (n == 0)
        strcpy(text, "unnamed");
}

static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static bool grow(void)
{
    if (regions.number < regions.capacity)
        return true;
    const size_t more = regions.capacity ? 2 * regions.capacity : 16;
    char **grown = realloc(regions.names, more * sizeof *grown);
    if (!grown)
        return false;
    regions.names = grown;
    regions.capacity = more;
    return true;
}

/* Returns the string number of TEXT, or -1 if memory is exhausted. */
static int32_t intern(const char *text)
{
    if (regions.number == MAX_NAMES)
        text = "more names than are kept apart";
    const uint64_t h = hash(text);
    for (uint64_t i = 0;; i++) {
        uint64_t *value = mpg_map_add(&regions.index, h, i);
        if (!value)
            return -1;
        if (*value != 0) {
            if (strcmp(regions.names[*value - 1], text) == 0)
                return (int32_t)(*value - 1);
            continue;
        }
        char *copy = grow() ? strdup(text) : NULL;
        if (!copy) {
            mpg_map_remove(&regions.index, h, i);
            return -1;
        }
        regions.names[regions.number] = copy;
        *value = ++regions.number;
        return (int32_t)(*value - 1);
    }
}

int regions_define(int32_t string, struct mpg_error *err)
{
    if (string < 0)
        return mpg_error_set(err, "out of memory");
    return stream_defined(STREAM_STRINGS, string)
               ? 0
               : mpg_trace_write_string(tracer_writer(), string, regions.names[string], err);
}

static void write_named(struct tracer_scope *s, const char *text)
{
    struct mpg_error err;
    if (!tracer_lock())
        return;
    const int32_t string = intern(text);
    if (regions_define(string, &err) < 0) {
        tracer_fail(&err);
        tracer_unlock();
        return;
    }
    struct mpg_event e = event_of(s);
    e.string = string;
    tracer_write(s, &e);
}

static void write_event(struct tracer_scope *s, const char *text)
{
    if (s->call == MPG_CALL_Region_begin)
        visits_begin(s, text);
    s->leave_ns = s->enter_ns;
    write_named(s, text);
    if (s->call == MPG_CALL_Region_end)
        visits_end(s, text);
}

void record_unknown(struct tracer_scope *s, int which)
{
    if (profile_is_on()) /* a profile has these names only in facts */
        tracer_count(which, s->return_address);
    write_named(s, mpg_untraced[which].name);
}

/* Stores a begin or end before MPI_Init; an end ends the region that began last. */
static void keep(enum mpg_call call, const char *text)
{
    pthread_mutex_lock(&regions.lock);
    if (regions.started)
        ; /* after MPI_Init: recording has ended */
    else if (call == MPG_CALL_Region_end && regions.early_number > 0)
        free(regions.early[--regions.early_number]);
    else if (call == MPG_CALL_Region_begin && regions.early_number < MAX_EARLY)
        regions.early[regions.early_number++] = strdup(text);
    pthread_mutex_unlock(&regions.lock);
}

void regions_record(struct tracer_scope *s, bool records, const char *name, size_t length)
{
    char text[MAX_NAME + 1];
    clean(text, name, length);
    if (records)
        write_event(s, text);
    else if (s->outermost)
        keep(s->call, text);
}

void regions_start(const struct tracer_scope *init)
{
    struct tracer_scope s = *init;
    s.call = MPG_CALL_Region_begin;
    s.enter_ns = init->leave_ns;
    pthread_mutex_lock(&regions.lock);
    regions.started = true;
    pthread_mutex_unlock(&regions.lock);
    for (int i = 0; i < regions.early_number; i++) {
        if (regions.early[i])
            write_event(&s, regions.early[i]);
        free(regions.early[i]);
    }
}

/* Looked up by name in mpg_region.h, without a declaration. */
__attribute__((visibility("default"))) void mpgtrace_region(int level, const char *name)
{
    struct tracer_scope s = TRACER_ENTER(level == MPG_REGION_BEGIN ? MPG_CALL_Region_begin
                                                                   : MPG_CALL_Region_end);
    const bool records = tracer_leave(&s, MPI_SUCCESS);
    regions_record(&s, records, name ? name : "", name ? strlen(name) : 0);
}
