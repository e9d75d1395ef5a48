/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an open trace says about itself. */
#include "trace/store/private.h"

#include <stdio.h>
#include <string.h>

const char *mpg_trace_path(const struct mpg_trace *t)
{
    return t->path;
}

int32_t mpg_trace_ranks(const struct mpg_trace *t)
{
    return t->ranks;
}

const char *mpg_trace_cut(const struct mpg_trace *t)
{
    return t->cut;
}

uint64_t mpg_trace_events(const struct mpg_trace *t, int32_t rank)
{
    uint64_t sum = 0;
    int32_t first = rank < 0 ? 0 : rank, last = rank < 0 ? t->ranks - 1 : rank;
    for (int32_t r = first; r <= last; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++)
            sum += t->rank[r].stream[i].events;
    return sum;
}

uint64_t mpg_trace_bytes(const struct mpg_trace *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->file_count; i++)
        sum += (uint64_t)t->files[i].usable_bytes;
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++)
            sum -= t->rank[r].stream[i].window_bytes;
    return sum;
}

uint64_t mpg_trace_window_events(const struct mpg_trace *t)
{
    uint64_t sum = 0;
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++)
            if (t->rank[r].stream[i].uses_window)
                sum += t->rank[r].stream[i].progress.events;
    return sum;
}

uint32_t mpg_trace_threads(const struct mpg_trace *t, int32_t rank)
{
    return t->rank[rank].threads;
}

/* What a text said ("THREAD [CALL ENTER]"), which leaves no window behind. */
static bool told_death(const struct mpg_trace *t, int32_t rank, uint32_t thread,
                       enum mpg_call *call, int64_t *enter_ns)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(t, rank, i, &key, &value); i++) {
        char name[64];
        unsigned who;
        long long since;
        int n = strcmp(key, "died") == 0 ? sscanf(value, "%u %63s %lld", &who, name, &since) : 0;
        if (n < 1 || who != thread)
            continue;
        if (n == 3 && mpg_call_by_name(name) != MPG_CALL_COUNT) {
            *call = mpg_call_by_name(name);
            *enter_ns = since;
        }
        return true;
    }
    return false;
}

enum mpg_call mpg_trace_inside(const struct trace_stream *s)
{
    uint32_t inside = (uint32_t)s->progress.inside;
    bool is_inside = s->uses_window && inside > 0 && inside <= MPG_CALL_COUNT &&
                     s->progress.inside >> 32 == (uint32_t)s->progress.events;
    return is_inside ? (enum mpg_call)(inside - 1) : MPG_CALL_COUNT;
}

bool mpg_trace_died(const struct mpg_trace *t, int32_t rank, uint32_t thread, enum mpg_call *call,
                    int64_t *enter_ns)
{
    const struct trace_stream *s = &t->rank[rank].stream[thread];
    const bool stopped = s->uses_window && s->progress.stopped;
    *call = mpg_trace_inside(s);
    *enter_ns = *call == MPG_CALL_COUNT ? 0 : s->progress.inside_ns;
    return !t->rank[rank].finalizes && !t->rank[rank].runs &&
           ((s->has_window && !stopped) || told_death(t, rank, thread, call, enter_ns));
}

bool mpg_trace_runs(const struct mpg_trace *t, int32_t rank)
{
    return t->rank[rank].runs && !t->rank[rank].finalizes;
}

bool mpg_trace_lost_window(const struct mpg_trace *t, int32_t rank)
{
    const struct trace_stream *s = &t->rank[rank].stream[0];
    if (mpg_trace_find_fact(t, rank, "incomplete") || mpg_trace_find_fact(t, rank, "died"))
        return false;
    const struct trace_file *f = &t->files[s->file];
    return s->run != 0 && !s->has_window && f->usable_bytes == f->size_bytes; /* text: no run */
}

bool mpg_trace_fact(const struct mpg_trace *t, int32_t rank, size_t i, const char **key,
                    const char **value)
{
    const struct trace_rank *r = &t->rank[rank];
    const char *p = r->facts, *end = p + r->facts_bytes;
    for (; p && p < end; i--) {
        *key = p;
        *value = p + strlen(p) + 1;
        if (i == 0)
            return true;
        p = *value + strlen(*value) + 1;
    }
    return false;
}

const char *mpg_trace_find_fact(const struct mpg_trace *t, int32_t rank, const char *wanted)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(t, rank, i, &key, &value); i++)
        if (strcmp(key, wanted) == 0)
            return value;
    return NULL;
}

int32_t mpg_trace_host(const struct mpg_trace *t, int32_t rank)
{
    return t->rank[rank].host;
}

enum mpg_clocks mpg_trace_clocks(const struct mpg_trace *t)
{
    bool shared = true, measured = true;
    for (int32_t r = 0; r < t->ranks; r++) {
        shared = shared && t->rank[r].shares_clock;
        measured = measured && (r == 0 || t->rank[r].clock_points > 0);
    }
    if (shared || t->ranks == 1)
        return MPG_CLOCKS_SHARED;
    return measured ? MPG_CLOCKS_MEASURED : MPG_CLOCKS_UNKNOWN;
}

bool mpg_trace_clock(const struct mpg_trace *t, int32_t rank, size_t i, int64_t *time_ns,
                     int64_t *offset_ns)
{
    const struct trace_rank *r = &t->rank[rank];
    if (i >= r->clock_points)
        return false;
    *time_ns = r->clock[i].time_ns;
    *offset_ns = r->clock[i].offset_ns;
    return true;
}
