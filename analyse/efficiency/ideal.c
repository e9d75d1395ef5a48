/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/ideal.h"

#include <math.h>
#include <stdlib.h>

#include "common/reserve.h"

/* A value for another stream, in ns of the ideal run: AT_NS, a message's arrival. ENVELOPE_NS is earlier for a synchronous
 * message: the time of the send, from which on a probe finds the message. */
struct ideal_slot {
    double at_ns, envelope_ns;
};

struct mpg_ideal {
    double *stream;
    struct ideal_slot *slot;
    uint32_t stream_capacity, slot_capacity;
    bool disturbed;
};

struct mpg_ideal *mpg_ideal_new(bool disturbed, struct mpg_error *err)
{
    struct mpg_ideal *x = calloc(1, sizeof *x);
    if (x)
        x->disturbed = disturbed;
    else
        mpg_error_set(err, "out of memory");
    return x;
}

void mpg_ideal_free(struct mpg_ideal *x)
{
    if (!x)
        return;
    free(x->stream);
    free(x->slot);
    free(x);
}

/* ---- computation ---- */

bool mpg_ideal_polls(const struct mpg_step *s)
{
    return s->polls && s->interval_ns <= MPG_IDEAL_POLLING_NS && s->to.call != MPG_CALL_Win_sync;
}

double mpg_ideal_work(const struct mpg_step *s)
{
    const int64_t on_ns = s->interval_ns - s->off_ns;
    return (double)(s->alone_ns >= 0 && s->alone_ns < on_ns ? s->alone_ns : on_ns);
}

/* Returns the length, ns, of the compute interval before S in the run X. */
static double interval_of(const struct mpg_ideal *x, const struct mpg_step *s)
{
    if (mpg_ideal_polls(s))
        return 0;
    return x->disturbed ? (double)(s->interval_ns + s->tracer_ns) : mpg_ideal_work(s);
}

/* ---- calls ---- */

static double after_edges(const struct mpg_ideal *x, const struct mpg_step *s, double at_ns)
{
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        const struct ideal_slot *slot = &x->slot[e->slot];
        const bool sees_envelope = e->kind == MPG_EDGE_ENVELOPE || (e->kind == MPG_EDGE_ARRIVAL && mpg_call_is_probe(s->call));
        at_ns = fmax(at_ns, sees_envelope ? slot->envelope_ns : slot->at_ns);
    }
    return at_ns;
}

/* Returns the end of the call that S leaves, in ns of the run X. AT_NS: begin of the call. */
static double leave_ns(const struct mpg_ideal *x, const struct mpg_step *s, double at_ns)
{
    const bool meets = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    const bool waits = meets || s->edge_number > 0;
    double own_ns = !meets && mpg_step_keeps_time(s) ? (double)(s->duration_ns - s->call_off_ns) : 0;
    if (x->disturbed && !waits)
        own_ns += (double)s->call_off_ns;
    return after_edges(x, s, at_ns + own_ns);
}

/* ---- steps ---- */

static int reserve_all(struct mpg_ideal *x, const struct mpg_step *s, struct mpg_error *err)
{
    uint32_t slot = s->slot > s->a ? s->slot : s->a;
    slot = s->b > slot ? s->b : slot;
    if (s->kind == MPG_STEP_SYNCHRONOUS && s->progress_slot > slot)
        slot = s->progress_slot;
    return mpg_reserve_at(&x->stream, sizeof *x->stream, &x->stream_capacity, s->stream + 1, err) < 0 ||
                   mpg_reserve_at(&x->slot, sizeof *x->slot, &x->slot_capacity, slot + 1, err) < 0
               ? -1
               : 0;
}

static void meet(struct mpg_ideal *x, const struct mpg_step *s)
{
    const double sent_ns = x->slot[s->a].at_ns, posted_ns = x->slot[s->progress_slot].at_ns;
    x->slot[s->slot] = (struct ideal_slot){fmax(sent_ns, posted_ns), x->slot[s->a].envelope_ns};
}

int mpg_ideal_take(struct mpg_ideal *x, const struct mpg_step *s, double *passed_ns, struct mpg_error *err)
{
    *passed_ns = 0;
    if (reserve_all(x, s, err) < 0)
        return -1;
    struct ideal_slot *slot = &x->slot[s->slot];
    double *at_ns = &x->stream[s->stream];
    const double before_ns = *at_ns;
    switch (s->kind) {
    case MPG_STEP_ENTER:
        *passed_ns = interval_of(x, s);
        *at_ns += *passed_ns;
        break;
    case MPG_STEP_STORE:
    case MPG_STEP_EAGER:
        *slot = (struct ideal_slot){before_ns, before_ns};
        break;
    case MPG_STEP_LOAD:
        *at_ns = slot->at_ns;
        break;
    case MPG_STEP_JOIN:
        *at_ns = fmax(before_ns, slot->at_ns);
        break;
    case MPG_STEP_SYNCHRONOUS:
        meet(x, s);
        break;
    case MPG_STEP_CONTRIBUTE:
    case MPG_STEP_VIEW:
        *slot = x->slot[s->a];
        break;
    case MPG_STEP_MERGE:
        slot->at_ns = slot->envelope_ns = fmax(x->slot[s->a].at_ns, x->slot[s->b].at_ns);
        break;
    case MPG_STEP_LEAVE:
        *at_ns = leave_ns(x, s, before_ns);
        *passed_ns = *at_ns - before_ns;
        break;
    case MPG_STEP_FINISH:
        *passed_ns = before_ns;
        break;
    case MPG_STEP_EXPORT: /* the graph is not divided */
    case MPG_STEP_IMPORT:
    case MPG_STEP_EXPAND: /* does not occur: collectives are not simulated as messages here */
        break;
    }
    return 0;
}
