/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes the time on the critical path to computation, calls, messages and other kinds of time. Reads the events of
 * each rank on the path a second time and compares them, in order of time, with the stretches of the path on each of the
 * rank's threads. */
#include <math.h>
#include <stdlib.h>

#include "analyse/critical_path/path.h"
#include "common/reserve.h"

/* Computation on the path since the thread's last call, in one region (-1: outside of all regions). */
struct pending {
    int32_t region;
    double compute_ns, off_ns;
};

/* A thread of the current rank, whose events are read. */
struct thread {
    uint32_t number;
    struct path_stretch *next, *end; /* the stretches of the path on this thread after the last event */
    int64_t at_ns;                   /* end of the last event, on the rank's clock; INT64_MIN: none */
    bool began;                      /* MPI_Init, the first call, has been read; for other threads than 0 always true */
    int32_t *open;                   /* open regions, innermost last */
    uint32_t depth, open_capacity;
    struct pending *pending;
    uint32_t pendings, pending_capacity;
    double from_ns;                  /* begin of the pending computation, on aligned clocks */
};

struct reader {
    struct critical_path *path;
    int32_t rank;
    struct thread *thread;
    uint32_t threads, capacity;
};

const char *mpg_path_kind_name(enum path_kind kind)
{
    static const char *const names[] = {"computation", "MPI overhead", "messages", "off the CPU", "recording", "MPI_Init"};
    return names[kind];
}

const char *mpg_path_kind_key(enum path_kind kind)
{
    static const char *const keys[] = {"computation", "mpi_overhead", "messages", "off_cpu", "recording", "start"};
    return keys[kind];
}

/* ---- sums ---- */

/* Inserts PART into the list of the longest segments of the path, longest first, unless the list is full of longer segments. */
static void rank_path_segment(struct critical_path *path, const struct path_part *part)
{
    size_t i = path->path_segments;
    if (i == path->max_path_segments && (i == 0 || path->path_segment[i - 1].time_ns >= part->time_ns))
        return;
    if (i < path->max_path_segments)
        path->path_segments++;
    else
        i--;
    for (; i > 0 && path->path_segment[i - 1].time_ns < part->time_ns; i--)
        path->path_segment[i] = path->path_segment[i - 1];
    path->path_segment[i] = *part;
}

/* Adds PART's time to the sums by kind of time, call, callsite and region, and by rank. Returns 0, or -1 with ERR: no memory. */
static int add(struct critical_path *path, const struct path_part *part, struct mpg_error *err)
{
    if (part->time_ns <= 0)
        return 0;
    const uint64_t place = (uint64_t)(uint32_t)part->site << 32 | (uint32_t)part->region;
    uint64_t *index = mpg_map_add(&path->index, place, (uint64_t)part->kind << 33 | (uint64_t)part->before << 32 | part->call);
    if (!index)
        return mpg_error_set(err, "out of memory");
    if (*index == 0) {
        if (mpg_reserve_at(&path->part, sizeof *path->part, &path->capacity, (uint32_t)path->n + 1, err) < 0)
            return -1;
        path->part[path->n] = *part;
        path->part[path->n].time_ns = 0;
        path->part[path->n].number = 0;
        *index = ++path->n;
    }
    path->part[*index - 1].time_ns += part->time_ns;
    path->part[*index - 1].number++;
    path->kind_ns[part->kind] += part->time_ns;
    path->rank_ns[part->rank] += part->time_ns;
    return 0;
}

/* ---- a thread on the path ---- */

static double align(const struct reader *r, int64_t time_ns)
{
    return mpg_clock_align(r->path->clocks, r->rank, time_ns);
}

/* Returns the time, ns, that T is on the path between FROM_NS and TO_NS, on aligned clocks; *BEGIN_NS: begin of this time. Must
 * be called with ascending times for each thread. */
static double on_path(struct thread *t, double from_ns, double to_ns, double *begin_ns)
{
    double sum_ns = 0;
    *begin_ns = from_ns;
    while (t->next < t->end && t->next->end_ns <= from_ns && t->next->reached)
        t->next++;
    for (const struct path_stretch *s = t->next; s < t->end && s->begin_ns < to_ns; s++) {
        const double part_ns = fmin(s->end_ns, to_ns) - fmax(s->begin_ns, from_ns);
        if (part_ns <= 0)
            continue;
        if (sum_ns == 0)
            *begin_ns = fmax(s->begin_ns, from_ns);
        sum_ns += part_ns;
    }
    return sum_ns;
}

static int32_t region_of(const struct thread *t)
{
    return t->depth > 0 ? t->open[t->depth - 1] : -1;
}

/* Adds to the pending computation the part on the path of the time between the thread's last event and NOW_NS. OFF_NS: part of
 * this time off the CPU. */
static int compute(struct reader *r, struct thread *t, int64_t now_ns, int64_t off_ns, struct mpg_error *err)
{
    double begin_ns;
    /* before a thread's first event: from the begin of the thread on */
    const double from_ns = t->at_ns != INT64_MIN ? align(r, t->at_ns) : t->next->begin_ns;
    const double length_ns = align(r, now_ns) - from_ns;
    const double time_ns = length_ns > 0 ? on_path(t, from_ns, align(r, now_ns), &begin_ns) : 0;
    const int32_t region = region_of(t);
    if (time_ns <= 0)
        return 0;
    const double lost_ns = fmin(time_ns, (double)off_ns * fmin(1, time_ns / length_ns));
    if (t->pendings == 0)
        t->from_ns = begin_ns;
    uint32_t i = 0;
    while (i < t->pendings && t->pending[i].region != region)
        i++;
    if (i == t->pendings) {
        if (mpg_reserve_at(&t->pending, sizeof *t->pending, &t->pending_capacity, i + 1, err) < 0)
            return -1;
        t->pending[t->pendings++] = (struct pending){.region = region};
    }
    t->pending[i].compute_ns += time_ns - lost_ns;
    t->pending[i].off_ns += lost_ns;
    return 0;
}

/* Attributes T's pending computation to CALL at callsite SITE, the end of the computation. Returns 0, or -1 with ERR: no
 * memory. */
static int settle(struct reader *r, struct thread *t, enum mpg_call call, int32_t site, struct mpg_error *err)
{
    struct path_part all = {.kind = PATH_COMPUTATION, .before = true, .call = call, .site = site, .region = -1,
                            .rank = r->rank, .number = 1, .begin_ns = t->from_ns - r->path->start_ns};
    double max_ns = 0;
    for (uint32_t i = 0; i < t->pendings; i++) {
        const struct pending *p = &t->pending[i];
        struct path_part part = all;
        part.region = p->region;
        part.time_ns = p->compute_ns;
        if (add(r->path, &part, err) < 0)
            return -1;
        part.kind = PATH_OFF_CPU;
        part.time_ns = p->off_ns;
        if (add(r->path, &part, err) < 0)
            return -1;
        all.time_ns += p->compute_ns + p->off_ns;
        all.off_ns += p->off_ns;
        if (p->compute_ns > max_ns)
            all.region = p->region;
        max_ns = fmax(max_ns, p->compute_ns);
    }
    t->pendings = 0;
    if (all.time_ns > 0)
        rank_path_segment(r->path, &all);
    return 0;
}

/* Attributes the part of call E on the path, and the messages with which the path reaches T during E. Returns 0, or -1
 * with ERR: no memory. */
static int add_call(struct reader *r, struct thread *t, const struct mpg_event *e, struct mpg_error *err)
{
    struct path_part part = {.kind = PATH_MPI, .call = e->call, .site = e->site, .region = region_of(t), .rank = r->rank,
                             .number = 1};
    const double enter_ns = align(r, e->enter_ns), leave_ns = align(r, e->leave_ns);
    double begin_ns;
    const double time_ns = on_path(t, enter_ns, leave_ns, &begin_ns), off_ns = fmin((double)e->off_in_ns, time_ns);
    part.time_ns = time_ns;
    part.off_ns = off_ns;
    part.begin_ns = begin_ns - r->path->start_ns;
    if (time_ns > 0)
        rank_path_segment(r->path, &part);
    part.off_ns = 0;
    part.time_ns = time_ns - off_ns;
    if (add(r->path, &part, err) < 0)
        return -1;
    part.kind = PATH_OFF_CPU;
    part.time_ns = off_ns;
    if (add(r->path, &part, err) < 0)
        return -1;
    for (struct path_stretch *s = t->next; s < t->end && s->begin_ns <= leave_ns; s++) {
        if (s->reached || s->begin_ns < enter_ns)
            continue;
        s->reached = true;
        part.kind = PATH_MESSAGES;
        part.time_ns = s->begin_ns - s->from_ns;
        part.begin_ns = s->from_ns - r->path->start_ns;
        if (add(r->path, &part, err) < 0)
            return -1;
        if (part.time_ns > 0)
            rank_path_segment(r->path, &part);
    }
    return 0;
}

static int begin_region(struct thread *t, int32_t string, struct mpg_error *err)
{
    if (mpg_reserve_at(&t->open, sizeof *t->open, &t->open_capacity, t->depth + 1, err) < 0)
        return -1;
    t->open[t->depth++] = string;
    return 0;
}

static void end_region(struct thread *t, int32_t string)
{
    uint32_t i = t->depth;
    while (i > 0 && t->open[i - 1] != string)
        i--;
    if (i == 0)
        return;
    for (; i < t->depth; i++)
        t->open[i - 1] = t->open[i];
    t->depth--;
}

/* Attributes the time of E, the next event of T, and of the computation before E. Returns 0, or -1 with ERR: no memory. */
static int take(struct reader *r, struct thread *t, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_local = (kind == MPG_KIND_OTHER || kind == MPG_KIND_PCONTROL) && !e->failed;
    const int64_t off_ns = e->off_before_ns + (is_local ? e->off_in_ns : 0);
    if (t->began && compute(r, t, is_local ? e->leave_ns : e->enter_ns, off_ns, err) < 0)
        return -1;
    if (kind == MPG_KIND_REGION_BEGIN && !e->failed && begin_region(t, e->string, err) < 0)
        return -1;
    if (kind == MPG_KIND_REGION_END && !e->failed)
        end_region(t, e->string);
    if (kind == MPG_KIND_FLUSH && t->began) {
        struct path_part part = {.kind = PATH_RECORDING, .call = MPG_CALL_COUNT, .site = MPG_NO_SITE, .region = region_of(t),
                                 .rank = r->rank, .number = 1};
        part.time_ns = on_path(t, align(r, e->enter_ns), align(r, e->leave_ns), &part.begin_ns);
        if (add(r->path, &part, err) < 0)
            return -1;
    }
    const bool is_call = mpg_event_is_call(e) && !is_local;
    if (is_call && t->began && settle(r, t, e->call, e->site, err) < 0)
        return -1;
    if (is_call && t->began && kind != MPG_KIND_FINALIZE && add_call(r, t, e, err) < 0)
        return -1;
    t->began = t->began || is_call;
    t->at_ns = e->leave_ns;
    return 0;
}

/* ---- ranks ---- */

static struct thread *find_thread(struct reader *r, uint32_t number)
{
    for (uint32_t i = 0; i < r->threads; i++)
        if (r->thread[i].number == number)
            return &r->thread[i];
    return NULL;
}

/* Makes the threads of R. STRETCH: the N stretches of the path on the rank, sorted by thread and time. */
static int make_threads(struct reader *r, struct path_stretch *stretch, size_t n, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && stretch[i].thread == stretch[i - 1].thread) {
            r->thread[r->threads - 1].end = &stretch[i + 1];
            continue;
        }
        if (mpg_reserve_at(&r->thread, sizeof *r->thread, &r->capacity, r->threads + 1, err) < 0)
            return -1;
        r->thread[r->threads++] = (struct thread){.number = stretch[i].thread, .next = &stretch[i], .end = &stretch[i + 1],
                                                   .at_ns = INT64_MIN, .began = stretch[i].thread != 0};
    }
    return 0;
}

static int read_rank(struct critical_path *path, struct path_stretch *stretch, size_t n, struct mpg_error *err)
{
    struct reader r = {.path = path, .rank = stretch[0].rank};
    struct mpg_cursor *cursor = mpg_cursor_open(path->trace, r.rank, err);
    struct mpg_event e;
    int more = 0, status = cursor ? make_threads(&r, stretch, n, err) : -1;
    while (status == 0 && (more = mpg_cursor_next(cursor, &e, err)) > 0) {
        struct thread *t = find_thread(&r, e.thread);
        status = t ? take(&r, t, &e, err) : 0;
    }
    for (uint32_t i = 0; i < r.threads; i++) {
        if (status == 0)
            status = settle(&r, &r.thread[i], MPG_CALL_COUNT, MPG_NO_SITE, err);
        free(r.thread[i].open);
        free(r.thread[i].pending);
    }
    free(r.thread);
    mpg_cursor_close(cursor);
    return more < 0 ? -1 : status;
}

int mpg_path_attribute(struct critical_path *path, struct path_stretch *stretch, size_t n, struct mpg_error *err)
{
    const double start_ns = path->kind_ns[PATH_START];
    struct path_part start = {.kind = PATH_START, .call = MPG_CALL_Init, .site = MPG_NO_SITE, .region = -1,
                              .rank = path->first_rank, .time_ns = start_ns};
    path->kind_ns[PATH_START] = 0; /* cleared, because add() adds this time again */
    path->rank_ns[path->first_rank] = 0;
    if (add(path, &start, err) < 0)
        return -1;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && stretch[end].rank == stretch[i].rank; end++)
            ;
        if (read_rank(path, &stretch[i], end - i, err) < 0)
            return -1;
    }
    return 0;
}
