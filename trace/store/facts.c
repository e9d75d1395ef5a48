/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of an open trace. */
#include "trace/store/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- parsing --- */

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Enlarges an array with room for *CAPACITY items of SIZE bytes to NEED items. ARRAY: address of the pointer to the array.
 * Returns false: out of memory. */
static bool reserve(void *array, size_t *capacity, size_t need, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    if (need <= *capacity)
        return true;
    void *grown = realloc(old, 2 * need * size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = 2 * need;
    return true;
}

static int note_clock(struct trace_rank *r, const char *value, struct mpg_error *err)
{
    long long time_ns, offset_ns;
    char rest;
    if (sscanf(value, "%lld %lld%c", &time_ns, &offset_ns, &rest) != 2)
        return mpg_error_set(err, "fact 'clock %s' is not a time and an offset", value);
    if (r->clock_points > 0 && time_ns <= r->clock[r->clock_points - 1].time_ns)
        return mpg_error_set(err, "fact 'clock %s' is not after the one before it", value);
    if (!reserve(&r->clock, &r->clock_capacity, r->clock_points + 1, sizeof *r->clock))
        return out_of_memory(err);
    r->clock[r->clock_points++] = (struct clock_point){time_ns, offset_ns};
    return 0;
}

/* Stores the fact KEY of R with VALUE. KEY points to BYTES bytes: key and value. */
static int note_fact(struct mpg_trace *t, struct trace_rank *r, const char *key, const char *value,
                     size_t bytes, struct mpg_error *err)
{
    if (strcmp(key, "host") == 0 && (r->host = mpg_trace_intern_host(t, value)) < 0) {
        r->host = 0;
        return out_of_memory(err);
    }
    if (strcmp(key, "clock") == 0 && note_clock(r, value, err) < 0)
        return -1;
    if (strcmp(key, "clocks") == 0 && strcmp(value, "shared") == 0)
        r->shares_clock = true;
    if (!reserve(&r->facts, &r->facts_capacity, r->facts_bytes + bytes, 1) ||
        !reserve(&r->fact, &r->fact_capacity, r->fact_number + 1, sizeof *r->fact))
        return out_of_memory(err);
    r->fact[r->fact_number++] = r->facts_bytes;
    memcpy(r->facts + r->facts_bytes, key, bytes);
    r->facts_bytes += bytes;
    return 0;
}

int mpg_trace_note_facts(struct mpg_trace *t, struct trace_rank *r, char *text, size_t size,
                         struct mpg_error *err)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = strchr(line, '\n');
        char *value = strchr(line, ' ');
        if (!end || !value || value > end || memchr(line, 0, (size_t)(end - line)))
            return mpg_error_set(err, "damaged facts");
        *end = '\0';
        *value++ = '\0';
        if (note_fact(t, r, line, value, (size_t)(end - line) + 1, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_trace_check_run(const struct mpg_trace *t, struct mpg_error *err)
{
    int32_t first = -1;
    const char *run = NULL;
    for (int32_t r = 0; r < t->ranks; r++) {
        const char *other = mpg_trace_find_fact(t, r, "run");
        if (run && other && strcmp(run, other) != 0)
            return mpg_error_set(err, "%s: rank %d is of another run than rank %d: the files of two runs were mixed", t->path, r,
                                 first);
        first = run || !other ? first : r;
        run = run ? run : other;
    }
    return 0;
}

/* --- queries --- */

int mpg_error_add_trace_path(const struct mpg_trace *t, struct mpg_error *err)
{
    const char *const path = strcmp(t->path, "-") == 0 ? "standard input" : t->path;
    return mpg_error_is_about(err->text, path) ? -1 : mpg_error_prefix(err, "%s", path);
}

int mpg_trace_prefix_call(const struct mpg_trace *t, struct mpg_error *err)
{
    return strncmp(err->text, "rank ", 5) == 0 ? mpg_error_add_trace_path(t, err) : -1;
}

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
        sum += t->rank[r].events;
    return sum;
}

uint64_t mpg_trace_bytes(const struct mpg_trace *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->file_count; i++)
        sum += (uint64_t)t->files[i].usable_bytes;
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++)
            sum -= t->rank[r].stream[i].segment_bytes;
    return sum;
}

uint64_t mpg_trace_segment_events(const struct mpg_trace *t)
{
    uint64_t sum = 0;
    for (int32_t r = 0; r < t->ranks; r++)
        for (uint32_t i = 0; i < t->rank[r].threads; i++)
            if (t->rank[r].stream[i].uses_segment)
                sum += t->rank[r].stream[i].progress.events;
    return sum;
}

uint32_t mpg_trace_threads(const struct mpg_trace *t, int32_t rank)
{
    return t->rank[rank].threads;
}

uint32_t mpg_trace_thread(const struct mpg_trace *t, int32_t rank, uint32_t i)
{
    return t->rank[rank].stream[i].thread;
}

/* Returns whether RANK has a fact "died THREAD [CALL ENTER]" for THREAD. The text form has the fact instead of a segment. Sets
 * *CALL and *ENTER_NS if the fact has them. */
static bool reported_death(const struct mpg_trace *t, int32_t rank, uint32_t thread,
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
    bool is_inside = s->uses_segment && inside > 0 && inside <= MPG_CALL_COUNT &&
                     s->progress.inside >> 32 == (uint32_t)s->progress.events;
    return is_inside ? (enum mpg_call)(inside - 1) : MPG_CALL_COUNT;
}

bool mpg_trace_died(const struct mpg_trace *t, int32_t rank, uint32_t thread, enum mpg_call *call,
                    int64_t *enter_ns)
{
    const struct trace_stream *s = mpg_trace_stream(&t->rank[rank], thread);
    *call = MPG_CALL_COUNT;
    *enter_ns = 0;
    if (!s)
        return false;
    const bool stopped = s->uses_segment && s->progress.stopped;
    *call = mpg_trace_inside(s);
    *enter_ns = *call == MPG_CALL_COUNT ? 0 : s->progress.inside_ns;
    return !t->rank[rank].finalizes && !t->rank[rank].runs &&
           ((s->has_segment && !stopped) || reported_death(t, rank, thread, call, enter_ns));
}

void mpg_trace_note_killed(struct mpg_trace *t, int32_t rank)
{
    for (uint32_t thread = 0; thread < t->rank[rank].threads; thread++) {
        struct trace_stream *s = &t->rank[rank].stream[thread];
        enum mpg_call call = MPG_CALL_COUNT;
        int64_t enter_ns;
        if (s->finalizes || !reported_death(t, rank, thread, &call, &enter_ns) ||
            call != MPG_CALL_Finalize)
            continue;
        s->progress.inside_ns = enter_ns;
        s->finalizes = t->rank[rank].finalizes = true;
        s->events++;
    }
}

bool mpg_trace_runs(const struct mpg_trace *t, int32_t rank)
{
    return t->rank[rank].runs && !t->rank[rank].finalizes;
}

bool mpg_trace_lost_segment(const struct mpg_trace *t, int32_t rank)
{
    const struct trace_stream *s = &t->rank[rank].stream[0];
    if (mpg_trace_find_fact(t, rank, "incomplete") || mpg_trace_find_fact(t, rank, "died"))
        return false;
    const struct trace_file *f = &t->files[s->file];
    return s->run != 0 && !s->has_segment && f->usable_bytes == f->size_bytes; /* run number 0: trace made from the text form */
}

bool mpg_trace_fact(const struct mpg_trace *t, int32_t rank, size_t i, const char **key,
                    const char **value)
{
    const struct trace_rank *r = &t->rank[rank];
    if (i >= r->fact_number)
        return false;
    *key = r->facts + r->fact[i];
    *value = *key + strlen(*key) + 1;
    return true;
}

const char *mpg_trace_find_fact(const struct mpg_trace *t, int32_t rank, const char *wanted)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(t, rank, i, &key, &value); i++)
        if (strcmp(key, wanted) == 0)
            return value;
    return NULL;
}

int mpg_trace_need_times(const struct mpg_trace *trace, const char *what, struct mpg_error *err)
{
    if (!mpg_trace_find_fact(trace, 0, "untimed"))
        return 0;
    return mpg_error_set(err, "%s: a trace without times: nothing is known of %s; 'mpgsim --predict' answers", trace->path, what);
}

int32_t mpg_trace_find_value(const struct mpg_trace *t, int32_t rank, const char *name)
{
    const char *text = mpg_trace_find_fact(t, rank, "values");
    const size_t length = strlen(name);
    for (int32_t place = 0; text && *(text += strspn(text, " ")); place++) {
        const size_t n = strcspn(text, " ");
        if (n == length && memcmp(text, name, n) == 0)
            return place;
        text += n;
    }
    return -1;
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
