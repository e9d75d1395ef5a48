/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages as arrows, "flows" in Chrome's format. Reads the graph's steps; each slot stores the call that sent the message. Both
 * ends of an arrow are written at the arrival: no arrow lacks an end. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/timeline/timeline_private.h"
#include "analyse/walk.h"
#include "common/reserve.h"

struct left {
    int32_t rank; /* -1: the slot holds no message */
    uint32_t track;
    uint64_t number;
    int64_t own_ns, at_ns; /* begin of the call: OWN_NS on the rank's clock, AT_NS in the timeline */
};

struct arrows {
    struct timeline *t;
    struct left *slot;     /* by slot: the call that sent the message */
    struct left *stream;   /* by stream: the current call */
    uint32_t slots, streams;
    int32_t undone;
    bool *done;
};

static void put_end(struct timeline *t, char ph, uint32_t track, int64_t at_ns)
{
    mpg_timeline_begin(t, ph, track, at_ns);
    fprintf(t->out, "%s,\"cat\":\"message\",\"name\":\"message\",\"id\":%" PRIu64 "}", ph == 'f' ? ",\"bp\":\"e\"" : "",
            t->arrows);
}

/* Writes an arrow from the begin of call FROM to the end of call TO, END_NS. The arrow ends 1 ns earlier, because viewers
 * attach an arrow at END_NS to the next slice. */
static void put_arrow(struct timeline *t, const struct left *from, const struct left *to, int64_t end_ns)
{
    t->arrows++;
    put_end(t, 's', from->track, from->at_ns);
    put_end(t, 'f', to->track, end_ns > to->at_ns ? end_ns - 1 : to->at_ns);
}

static void leave(struct arrows *a, const struct mpg_step *s)
{
    struct timeline *t = a->t;
    const struct left *here = &a->stream[s->stream];
    const int64_t end_ns = mpg_timeline_at(t, s->rank, here->own_ns + s->duration_ns);
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct left *from = &a->slot[s->edges[i].slot];
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL && !mpg_call_is_probe(s->call) && from->rank >= 0 &&
            timeline_has(t, from->rank, from->number) && timeline_has(t, s->rank, s->number))
            put_arrow(t, from, here, end_ns);
    }
    const struct mpg_timeline_part *part = t->part;
    if (part->given && s->number >= part->last && !a->done[s->rank] && mpg_trace_threads(t->run->trace, s->rank) == 1) {
        a->done[s->rank] = true;
        a->undone--;
    }
}

static int take(struct arrows *a, const struct mpg_step *s, struct mpg_error *err)
{
    struct timeline *t = a->t;
    void *streams = a->stream;
    if (mpg_reserve(&streams, sizeof *a->stream, &a->streams, s->stream + 1, err) < 0)
        return -1;
    a->stream = streams;
    switch (s->kind) {
    case MPG_STEP_ENTER: {
        const int64_t own_ns = s->begin_ns + s->interval_ns + s->tracer_ns;
        a->stream[s->stream] = (struct left){.rank = s->rank,
                                             .track = timeline_track(t, s->rank, mpg_timeline_thread(t, s->rank, s->thread)),
                                             .number = s->number,
                                             .own_ns = own_ns,
                                             .at_ns = mpg_timeline_at(t, s->rank, own_ns)};
        break;
    }
    case MPG_STEP_EAGER:
        a->slot[s->slot] = a->stream[s->stream];
        if (mpg_call_category(s->call) == MPG_CATEGORY_SYNCHRONIZATION)
            a->slot[s->slot].rank = -1;
        break;
    case MPG_STEP_STORE:
        a->slot[s->slot] = a->stream[s->stream];
        break;
    case MPG_STEP_SYNCHRONOUS:
    case MPG_STEP_VIEW:
        a->slot[s->slot] = a->slot[s->a];
        break;
    case MPG_STEP_LEAVE:
        leave(a, s);
        break;
    case MPG_STEP_FINISH:
        a->undone -= !a->done[s->rank];
        a->done[s->rank] = true;
        break;
    default: /* collectives have no arrows */
        break;
    }
    return 0;
}

static int take_all(void *arrows, const struct mpg_steps *steps, struct mpg_error *err)
{
    struct arrows *a = arrows;
    void *slots = a->slot;
    if (mpg_reserve(&slots, sizeof *a->slot, &a->slots, steps->slots, err) < 0)
        return -1;
    a->slot = slots;
    for (size_t i = 0; i < steps->n; i++)
        if (take(a, &steps->step[i], err) < 0)
            return -1;
    return a->undone == 0;
}

int mpg_timeline_arrows(struct timeline *t, struct mpg_error *err)
{
    const struct mpg_graph_options options = {.lenient = t->part->lenient,
                                              .eager_limit_bytes = INT64_MAX,
                                              .source_eager_limit_bytes = INT64_MAX};
    struct arrows a = {.t = t, .undone = mpg_trace_ranks(t->run->trace)};
    const struct mpg_walk walk = {.trace = t->run->trace,
                                  .clocks = t->run->clocks,
                                  .options = &options,
                                  .label = "writing the timeline",
                                  .take = take_all,
                                  .walker = &a};
    int status = -1;
    if (!(a.done = calloc((size_t)a.undone, sizeof *a.done))) {
        mpg_error_set(err, "out of memory");
        return -1;
    }
    for (int32_t rank = mpg_trace_ranks(t->run->trace) - 1; rank >= 0; rank--) {
        a.done[rank] = !mpg_rank_set_contains(&t->part->ranks, rank);
        a.undone -= a.done[rank];
    }
    status = mpg_walk(&walk, NULL, NULL, err);
    free(a.slot);
    free(a.stream);
    free(a.done);
    return status;
}
