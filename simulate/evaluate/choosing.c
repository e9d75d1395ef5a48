/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets calls complete different messages than in the trace (docs/MODEL.md, section 6). The evaluator's mode (perturb or
 * predict) supplies the arrival times. */
#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"

/* Records the provenance of the arrivals moved by a call. */
static int settle(void *evaluator, struct mpg_error *err)
{
    const struct mpg_evaluator *e = evaluator;
    return e->moves ? mpg_moved_arrivals_report(e->moves, e->recorder->provenance, err) : 0;
}

int mpg_evaluator_use_choice(struct mpg_evaluator *e, const bool *keeps, const struct mpg_observer *observer,
                             struct mpg_error *err)
{
    struct mpg_arrivals arrivals = *e->mode->arrivals;
    arrivals.context = e;
    arrivals.settle = settle;
    arrivals.observer = observer;
    e->is_plain = false;
    if (!(e->choice = mpg_choosing_new(e->n, keeps, &arrivals, err)))
        return -1;
    if (!e->recorder)
        return 0;
    e->recorder->clamps = true; /* the earliest departure of an exchanged message can limit a time */
    return (e->moves = mpg_moved_arrivals_new(e->n, err)) ? 0 : -1;
}

int mpg_evaluator_view(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->slot != s->a) {
        const size_t parts = e->mode->is_times ? TIME_SLOT_PARTS : SLOT_DRAWN;
        memcpy(slot_value(e, s->slot, SLOT_VALUE), slot_value(e, s->a, SLOT_VALUE), parts * e->n * sizeof(double));
        if (e->slot_met)
            e->slot_met[s->slot] = e->slot_met[s->a];
    }
    return e->choice ? mpg_choosing_view(e->choice, s, err) : 0;
}
