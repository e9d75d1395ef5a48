/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the waits of all threads in a temporary file, and follows the critical path back through them. */
#include "analyse/critical_path/path.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/reserve.h"
#include "trace/store/spool.h"

static const double ROUNDING_NS = 1e-3; /* shorter waits are rounding errors */

/* A wait in the file. LEAVE_NS: end of the waiting call; FROM_NS, FROM_STREAM: begin and stream of the awaited operation. Times
 * are on aligned clocks. BEFORE: number of the record with the stream's previous wait; -1: none. */
struct wait_record {
    double leave_ns, from_ns;
    int64_t before;
    uint32_t from_stream, unused;
};

enum { BLOCK = 4096 }; /* number of records read or written at once */

struct stream {
    int32_t rank;
    uint32_t thread;
    double begin_ns, end_ns; /* begin of the first call and end of the last, on aligned clocks */
    bool known;
    /* record number of the stream's last wait before the part of the path already followed back; -1: none */
    int64_t last;
};

struct finder {
    struct stream *stream;
    uint32_t stream_capacity;
    int fd;
    char name[MPG_SPOOL_NAME_BYTES];
    /* the records from number BASE on: while writing, the records not yet written; later, the records read last */
    struct wait_record *block;
    int64_t records, base, held;
    struct delays *delays;
    double wait_ns;
    struct path_stretch *stretch;
    size_t stretches;
    uint32_t stretch_capacity;
};

/* ---- waits ---- */

static int flush(struct finder *f, struct mpg_error *err)
{
    if (f->held > 0 && mpg_spool_write(f->fd, f->block, (size_t)f->held * sizeof *f->block,
                                       f->base * (int64_t)sizeof *f->block, f->name, err) < 0)
        return -1;
    f->base += f->held;
    f->held = 0;
    return 0;
}

static int enter(void *context, const struct mpg_step *step, double enter_ns, double begin_ns, struct mpg_error *err)
{
    struct finder *f = context;
    if (mpg_reserve_at(&f->stream, sizeof *f->stream, &f->stream_capacity, step->stream + 1, err) < 0)
        return -1;
    struct stream *stream = &f->stream[step->stream];
    if (!stream->known)
        *stream = (struct stream){step->rank, step->thread, begin_ns, enter_ns, true, -1};
    stream->end_ns = enter_ns;
    return mpg_delays_enter(f->delays, step, err);
}

static int leave(void *context, const struct mpg_wait_event *event, struct mpg_error *err)
{
    struct finder *f = context;
    const uint32_t number = event->step->stream;
    struct stream *stream = &f->stream[number];
    const double wait_ns = fmin(event->awaited_ns, event->leave_ns) - event->enter_ns;
    const bool waited = wait_ns > ROUNDING_NS && event->awaited.stream != number;
    stream->end_ns = event->leave_ns;
    if (waited) {
        f->block[f->held++] = (struct wait_record){event->leave_ns, fmin(event->awaited_ns, event->leave_ns), stream->last,
                                                   event->awaited.stream, 0};
        stream->last = f->records++;
        f->wait_ns += wait_ns;
        if (f->held == BLOCK && flush(f, err) < 0)
            return -1;
    }
    return mpg_delays_leave(f->delays, event, waited ? wait_ns : 0, err);
}

static void restart(void *context)
{
    struct finder *f = context;
    for (uint32_t i = 0; i < f->stream_capacity; i++)
        f->stream[i].known = false;
    f->records = f->base = f->held = 0;
    f->wait_ns = 0;
    mpg_delays_restart(f->delays);
}

/* ---- the path, from its end ---- */

/* Reads record NUMBER into *RECORD. Fills the block with the records before NUMBER, because the path is followed back. Returns 0,
 * or -1 with ERR. */
static int read_record(struct finder *f, int64_t number, struct wait_record *record, struct mpg_error *err)
{
    if (number < f->base || number >= f->base + f->held) {
        size_t got;
        f->base = number + 1 < BLOCK ? 0 : number + 1 - BLOCK;
        if (mpg_spool_read(f->fd, f->block, (size_t)(number + 1 - f->base) * sizeof *f->block,
                           f->base * (int64_t)sizeof *f->block, f->name, &got, err) < 0)
            return -1;
        f->held = (int64_t)(got / sizeof *f->block);
        if (f->base + f->held <= number)
            return mpg_error_set(err, "%s is cut off", f->name);
    }
    *record = f->block[number - f->base];
    return 0;
}

/* Finds in *RECORD the last wait of STREAM that ended at NOW_NS or earlier. Returns 1; 0: no wait; -1 with ERR. */
static int find_wait(struct finder *f, struct stream *stream, double now_ns, struct wait_record *record, struct mpg_error *err)
{
    while (stream->last >= 0) {
        if (read_record(f, stream->last, record, err) < 0)
            return -1;
        stream->last = record->before;
        if (record->leave_ns <= now_ns)
            return 1;
    }
    return 0;
}

static int add_stretch(struct finder *f, const struct stream *stream, double from_ns, double begin_ns, double end_ns,
                       struct mpg_error *err)
{
    if (mpg_reserve_at(&f->stretch, sizeof *f->stretch, &f->stretch_capacity, (uint32_t)f->stretches + 1, err) < 0)
        return -1;
    f->stretch[f->stretches++] =
        (struct path_stretch){stream->rank, stream->thread, from_ns, begin_ns, end_ns, from_ns == begin_ns};
    return 0;
}

/* Sets PATH's begin and end of the run, and follows the path back from the end. Returns 0, or -1 with ERR. */
static int follow(struct finder *f, struct critical_path *path, struct mpg_error *err)
{
    struct stream *at = NULL;
    double begin_ns = INFINITY, now_ns;
    for (uint32_t i = 0; i < f->stream_capacity; i++) {
        struct stream *s = &f->stream[i];
        if (!s->known)
            continue;
        begin_ns = fmin(begin_ns, s->begin_ns);
        if (s->thread == 0 && (!at || s->end_ns > at->end_ns))
            at = s;
    }
    if (!at || at->end_ns <= begin_ns)
        return mpg_error_set(err, "no rank ran from MPI_Init to a later call");
    path->start_ns = begin_ns;
    path->run_ns = at->end_ns - begin_ns;
    path->last_rank = at->rank;
    now_ns = at->end_ns;
    for (;;) {
        struct wait_record wait = {.before = -1};
        const int found = find_wait(f, at, now_ns, &wait, err);
        if (found < 0)
            return -1;
        const double begun_ns = fmin(at->begin_ns, now_ns);
        if (add_stretch(f, at, found ? wait.from_ns : begun_ns, found ? wait.leave_ns : begun_ns, now_ns, err) < 0)
            return -1;
        struct stream *next = found ? &f->stream[wait.from_stream] : &f->stream[at->rank];
        now_ns = found ? wait.from_ns : begun_ns;
        if (!found && at->thread == 0)
            break;
        /* After a wait the path is on the awaited stream; before the begin of a thread, on the first thread of its rank. */
        at = next;
        path->changes++;
    }
    path->first_rank = at->rank;
    path->kind_ns[PATH_START] = now_ns - begin_ns;
    path->rank_ns[at->rank] += now_ns - begin_ns;
    return 0;
}

/* Orders stretches by rank, thread and time. */
static int by_place(const void *a, const void *b)
{
    const struct path_stretch *x = a, *y = b;
    if (x->rank != y->rank)
        return (x->rank > y->rank) - (x->rank < y->rank);
    if (x->thread != y->thread)
        return (x->thread > y->thread) - (x->thread < y->thread);
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int find(struct finder *f, struct critical_path *path, const struct mpg_traced_options *options, struct mpg_error *err)
{
    const struct mpg_wait_observer observer = {.context = f, .enter = enter, .leave = leave, .restart = restart};
    struct mpg_traced_options observed = *options;
    struct mpg_traced_waits found = {.waits = NULL};
    observed.observer = &observer;
    int status = mpg_waits_find(path->trace, &observed, &found, err);
    if (status < 0)
        mpg_error_add_trace_path(path->trace, err);
    path->clocks = found.clocks;
    path->counts = found.counts;
    path->wait_ns = f->wait_ns;
    if (status == 0) {
        double runs_ns = 0;
        for (int32_t rank = 0; rank < mpg_trace_ranks(path->trace); rank++)
            runs_ns += mpg_waits_run(found.waits, rank);
        path->recording = mpg_recording_of_trace(path->trace, &found.counts, runs_ns, false);
        path->source = mpg_clock_map_source(found.clocks);
        status = flush(f, err) < 0 || follow(f, path, err) < 0 ? -1 : 0;
    }
    if (status == 0) {
        qsort(f->stretch, f->stretches, sizeof *f->stretch, by_place);
        status = mpg_path_attribute(path, f->stretch, f->stretches, err);
    }
    path->clocks = NULL;
    mpg_traced_waits_clear(&found);
    return status;
}

int mpg_critical_path_find(struct critical_path *path, struct mpg_trace *trace, const struct mpg_traced_options *options,
                           size_t path_segments, struct mpg_error *err)
{
    struct finder *f = calloc(1, sizeof *f);
    *path = (struct critical_path){.trace = trace, .max_path_segments = path_segments,
                                   .rank_ns = calloc((size_t)mpg_trace_ranks(trace), sizeof *path->rank_ns),
                                   .path_segment = calloc(path_segments + 1, sizeof *path->path_segment)};
    if (!f || !path->rank_ns || !path->path_segment) {
        free(f);
        return mpg_error_set(err, "out of memory");
    }
    f->fd = mpg_spool_file(err);
    mpg_spool_name(f->name);
    f->block = f->fd >= 0 ? calloc(BLOCK, sizeof *f->block) : NULL;
    if (f->fd >= 0 && !f->block)
        mpg_error_set(err, "out of memory");
    f->delays = f->block ? mpg_delays_new(err) : NULL;
    const int status = f->delays ? find(f, path, options, err) : -1;
    if (status == 0)
        path->causes = mpg_delays_take(f->delays, &path->cause);
    mpg_delays_free(f->delays);
    if (f->fd >= 0)
        close(f->fd);
    free(f->block);
    free(f->stream);
    free(f->stretch);
    free(f);
    return status;
}

void mpg_critical_path_clear(struct critical_path *path)
{
    mpg_map_clear(&path->index);
    free(path->rank_ns);
    free(path->part);
    free(path->path_segment);
    free(path->cause);
}
