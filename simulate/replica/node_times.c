/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/replica/node_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/replica/node_file.h"

static const double max_ns = 2e18;  /* maximum time; traces end at 2^61 ns */

struct stream {
    struct mpg_node_stream is;
    uint32_t sibling;      /* number of the rank's next stream; 0: none */
    double value_ns;       /* value after the last step of the stream */
    int64_t traced_ns;     /* if values are delays: traced time of the stream's last node since MPI_Init was left */
    bool waits;            /* `node` has been entered and not left */
    struct mpg_node node;
    bool skips;         /* the call of `node` is not made */
    struct node_records records;
};

struct mpg_node_times {
    struct node_file file;
    int32_t ranks;
    struct mpg_node_rules rules;
    uint32_t count, capacity;
    bool takes; /* some receive takes a different message than in the trace */
    struct stream *streams;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

struct mpg_node_times *mpg_node_times_new(const char *folder, int32_t ranks, const struct mpg_node_rules *rules,
                                struct mpg_error *err)
{
    struct mpg_node_times *n = calloc(1, sizeof *n);
    struct stream *streams = n ? calloc((size_t)ranks, sizeof *streams) : NULL;
    if (!streams)
        out_of_memory(err);
    else if (mpg_node_file_open(&n->file, folder, ranks, err) == 0) {
        n->streams = streams;
        n->ranks = ranks;
        n->rules = *rules;
        n->count = n->capacity = (uint32_t)ranks;
        return n;
    }
    free(streams);
    free(n);
    return NULL;
}

bool mpg_node_times_takes(const struct mpg_node_times *n)
{
    return n->takes;
}

int mpg_node_times_restart(void *nodes, struct mpg_error *err)
{
    struct mpg_node_times *n = nodes;
    for (uint32_t i = 0; i < n->count; i++) {
        mpg_node_records_clear(&n->streams[i].records);
        n->streams[i] = (struct stream){0};
    }
    n->takes = false;
    return mpg_node_file_restart(&n->file, err);
}

void mpg_node_times_free(struct mpg_node_times *n)
{
    if (!n)
        return;
    for (uint32_t i = 0; i < n->count; i++)
        mpg_node_records_clear(&n->streams[i].records);
    free(n->streams);
    mpg_node_file_close(&n->file);
    free(n);
}

/* Rounds the time VALUE_NS of the last node of S to the nearest ns, but not below LAST_NS. */
static int whole(const struct stream *s, double value_ns, int64_t last_ns, int64_t *whole_ns,
                 struct mpg_error *err)
{
    if (!(fabs(value_ns) <= max_ns && value_ns + (double)s->traced_ns <= max_ns))
        return mpg_error_set(err, "a time of %g ns is more than a trace holds",
                             value_ns + (double)s->traced_ns);
    *whole_ns = s->traced_ns + llround(value_ns);
    *whole_ns = *whole_ns < last_ns ? last_ns : *whole_ns;
    return 0;
}

/* Makes room for the stream of step S. */
static int reserve(struct mpg_node_times *n, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->stream < n->count)
        return 0;
    if (mpg_reserve_at(&n->streams, sizeof *n->streams, &n->capacity, s->stream + 1, err) < 0)
        return -1;
    n->count = s->stream + 1;
    return 0;
}

/* Begins the first interval of a stream. */
static int begin(struct mpg_node_times *n, const struct mpg_step *step, struct mpg_error *err)
{
    struct stream *s = &n->streams[step->stream];
    s->is = (struct mpg_node_stream){.rank = step->rank,
                                     .thread = step->thread,
                                     .begun = true,
                                     .traced_ns = step->begin_ns,
                                     .since_ns = step->since_ns};
    if (step->stream >= (uint32_t)n->ranks) {
        struct stream *first = &n->streams[step->rank];
        s->sibling = first->sibling;
        first->sibling = step->stream;
    }
    s->traced_ns = n->rules.delays ? step->since_ns : 0;
    if (whole(s, s->value_ns, 0, &s->is.begin_ns, err) < 0)
        return -1;
    s->records.last_ns = s->is.begin_ns;
    return 0;
}

/* Returns the time on the target for each traced ns of work in the interval of S. */
static double ratio_of(const struct mpg_node_times *n, const struct mpg_step *s)
{
    const struct mpg_change *c = s->change;
    if (s->cpu_ns < 0)
        return n->rules.ratio * c->ratio;
    const double ratio = c->cpu_ratio + (s->cpu_ns > 0 ? c->more_ns / (double)s->cpu_ns : 0);
    return ratio > 0 ? n->rules.ratio * ratio : 0;
}

static int enter(struct mpg_node_times *n, const struct mpg_step *step, double value_ns,
                 struct mpg_error *err)
{
    struct stream *s = &n->streams[step->stream];
    if (!s->is.begun && begin(n, step, err) < 0)
        return -1;
    const int64_t length_ns = step->interval_ns + step->tracer_ns - step->flushed_ns;
    s->node = (struct mpg_node){.number = step->number,
                                .length_ns = length_ns > 0 ? length_ns : 0,
                                .flushed_ns = n->rules.keeps_flushes ? step->flushed_ns : 0,
                                .cpu_ns = step->cpu_ns,
                                .ratio = ratio_of(n, step)};
    s->waits = true;
    const struct mpg_change *change = step->change;
    for (uint32_t i = 0; i < change->mark_number && change->worth_ns > 0; i++)
        if (mpg_node_write_mark(&n->file, &s->records, &change->marks[i], change->worth_ns, err) < 0)
            return -1;
    if (n->rules.delays)
        s->traced_ns = step->since_ns + step->interval_ns + step->tracer_ns;
    return whole(s, value_ns, s->records.last_ns, &s->node.enter_ns, err);
}

static int write_node(struct mpg_node_times *n, struct stream *s, struct mpg_error *err)
{
    s->waits = s->skips = false;
    return mpg_node_write(&n->file, &s->records, &s->node, err);
}

int mpg_node_times_note(void *nodes, const struct mpg_step *step, const struct mpg_match_override *override,
                   struct mpg_error *err)
{
    struct mpg_node_times *n = nodes;
    if (reserve(n, step, err) < 0)
        return -1;
    n->streams[step->stream].skips |= override->kind == MPG_OVERRIDE_SKIP;
    n->takes = n->takes || override->kind == MPG_OVERRIDE_TAKE;
    return mpg_node_write_override(&n->file, &n->streams[step->stream].records, override, err);
}

int mpg_node_times_take(void *nodes, const struct mpg_step *step, double value_ns,
                   struct mpg_error *err)
{
    struct mpg_node_times *n = nodes;
    if (step->kind != MPG_STEP_ENTER && step->kind != MPG_STEP_LOAD &&
        step->kind != MPG_STEP_JOIN && step->kind != MPG_STEP_LEAVE)
        return 0;
    if (reserve(n, step, err) < 0)
        return -1;
    struct stream *s = &n->streams[step->stream];
    int status = 0;
    if (step->kind == MPG_STEP_ENTER)
        status = enter(n, step, value_ns, err);
    else if (step->kind == MPG_STEP_JOIN) /* the last thread determines the enter of MPI_Finalize */
        status = whole(s, value_ns, s->records.last_ns, &s->node.enter_ns, err);
    else if (step->kind == MPG_STEP_LEAVE) {
        s->node.left = true;
        s->traced_ns += n->rules.delays ? step->duration_ns : 0;
        status = whole(s, value_ns, s->skips ? s->records.last_ns : s->node.enter_ns, &s->node.leave_ns,
                       err);
        s->node.enter_ns = s->skips ? s->node.leave_ns : s->node.enter_ns;
        status = status == 0 ? write_node(n, s, err) : -1;
    }
    n->streams[step->stream].value_ns = value_ns;
    return status;
}

static int finish_stream(struct mpg_node_times *n, struct stream *s, struct mpg_error *err)
{
    if (s->waits) {
        s->node.left = false;
        s->node.leave_ns = s->node.enter_ns;
        if (write_node(n, s, err) < 0)
            return -1;
    }
    return mpg_node_write_end(&n->file, &s->records, s->is.begin_ns, err);
}

int mpg_node_times_finish(struct mpg_node_times *n, struct mpg_error *err)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < n->count; i++)
        status = finish_stream(n, &n->streams[i], err);
    return status;
}

bool mpg_node_times_stream(struct mpg_node_times *n, int32_t rank, uint32_t i, struct mpg_node_stream *found,
                      uint32_t *stream)
{
    *stream = (uint32_t)rank;
    for (; i > 0; i--)
        if ((*stream = n->streams[*stream].sibling) == 0)
            return false;
    *found = n->streams[*stream].is;
    return true;
}

int mpg_node_times_next(struct mpg_node_times *n, uint32_t stream, struct mpg_node *node,
                   struct mpg_error *err)
{
    return mpg_node_read(&n->file, &n->streams[stream].records, node, err);
}
