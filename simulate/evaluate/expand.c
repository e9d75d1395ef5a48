/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expanded collectives: each message of the algorithm costs as much as a message between two ranks (docs/MODEL.md, section 4,
 * Expanded collectives). All members are evaluated in one step; or, in a tree, each member in its own step. The mode defines
 * message costs and the meaning of slot values. */
#include "common/reserve.h"
#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"

/* Scratch vectors: for the current message, and for the slots read by the message. */
enum { SCRATCH = 3, ROOM = SCRATCH + 4 };

/* Returns the number of doubles in a value. */
static size_t stride_of(const struct mpg_evaluator *e)
{
    return mpg_expand_stride(e->mode->expanded_lanes(e), e->recorder ? e->n : 0);
}

double *mpg_evaluator_scratch(const struct mpg_evaluator *e, uint32_t i)
{
    return e->members + i * stride_of(e);
}

int mpg_evaluator_ready(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err)
{
    const uint32_t p = s->member < 0 ? (uint32_t)s->expanding->plan.size.p : 0;
    if (mpg_reserve_at(&e->members, stride_of(e) * sizeof *e->members, &e->members_capacity, ROOM + p, err) < 0 ||
        (e->recorder && mpg_reserve_at(&e->member_slot, sizeof *e->member_slot, &e->member_slots, p, err) < 0))
        return -1;
    return e->expansion || (e->expansion = mpg_expansion_new(e->mode->expanded_lanes(e), e->recorder ? e->n : 0, err)) ? 0 : -1;
}

/* --- a member of a tree --- */

/* Slots for the evaluation of one member of a tree: the member, another member, and the messages of both. */
struct window {
    struct mpg_evaluator *e;
    const struct mpg_expanding *c;
    struct looked_at {
        double *value;
        uint32_t slot, number;
        bool used;
    } own, own_message, other, other_message;
    int32_t v;
};

static void write_back(const struct window *window, struct looked_at *t)
{
    if (t->used)
        window->e->mode->store(window->e, t->slot, t->value);
    t->used = false;
}

/* With provenance: stores the value and the origin of every slot in use; afterwards only the member's own slot is in use. */
static void write_all(void *data)
{
    struct window *window = data;
    const struct mpg_evaluator *e = window->e;
    struct looked_at *const all[] = {&window->own, &window->own_message, &window->other, &window->other_message};
    uint32_t slot[4];
    for (int i = 0; i < 4; i++)
        slot[i] = all[i]->slot;
    for (int i = 0; i < 4; i++)
        if (all[i]->used)
            mpg_recorder_came(e, all[i]->slot, all[i]->value, slot);
    for (int i = 0; i < 4; i++) {
        const bool goes_on = i == 0 && all[i]->used;
        if (all[i]->used)
            mpg_recorder_came_end(e, all[i]->slot);
        write_back(window, all[i]);
        all[i]->used = goes_on;
        if (goes_on)
            mpg_recorder_came_begin(e, all[i]->value, 0);
    }
}

static double *look_at(const struct window *window, struct looked_at *t, uint32_t slot)
{
    if (t->used && t->slot == slot)
        return t->value;
    write_back(window, t);
    window->e->mode->load(window->e, slot, t->value);
    if (window->e->recorder)
        mpg_recorder_came_begin(window->e, t->value, t->number);
    t->slot = slot;
    t->used = true;
    return t->value;
}

static double *value_of(void *data, int32_t v)
{
    struct window *window = data;
    uint32_t slot = member_of(window->c, v)->slot;
    return look_at(window, v == window->v ? &window->own : &window->other, slot);
}

static double *message_of(void *data, int32_t v)
{
    struct window *window = data;
    uint32_t slot = member_of(window->c, v)->message_slot;
    return look_at(window, v == window->v ? &window->own_message : &window->other_message, slot);
}

/* Returns the vector of SLOT, for modes whose slots hold times: values are changed in place. */
static double *slot_itself(const struct window *window, uint32_t slot)
{
    return slot_value(window->e, slot, SLOT_VALUE);
}

static double *direct_value(void *data, int32_t v)
{
    const struct window *window = data;
    return slot_itself(window, member_of(window->c, v)->slot);
}

static double *direct_message(void *data, int32_t v)
{
    const struct window *window = data;
    return slot_itself(window, member_of(window->c, v)->message_slot);
}

static int expand_member(struct mpg_evaluator *e, const struct mpg_step *s, const struct mpg_message_costs *costs,
                         struct mpg_error *err)
{
    struct window window = {.e = e,
                            .c = s->expanding,
                            .v = s->member,
                            .own = {.value = mpg_evaluator_scratch(e, SCRATCH), .number = 0},
                            .own_message = {.value = mpg_evaluator_scratch(e, SCRATCH + 1), .number = 1},
                            .other = {.value = mpg_evaluator_scratch(e, SCRATCH + 2), .number = 2},
                            .other_message = {.value = mpg_evaluator_scratch(e, SCRATCH + 3), .number = 3}};
    const struct mpg_tree_values direct = {&window, direct_value, direct_message, NULL};
    const struct mpg_tree_values looked_at = {&window, value_of, message_of, e->recorder ? write_all : NULL};
    const bool is_direct = e->mode->is_times && !e->recorder;
    const int status =
        mpg_expand_member(e->expansion, &s->expanding->plan, costs, s->member, is_direct ? &direct : &looked_at, err);
    if (e->recorder)
        write_all(&window);
    write_back(&window, &window.own);
    write_back(&window, &window.own_message);
    write_back(&window, &window.other);
    write_back(&window, &window.other_message);
    return status;
}

/* --- all members at once --- */

static int expand_all(struct mpg_evaluator *e, const struct mpg_expanding *c, const struct mpg_message_costs *costs,
                      struct mpg_error *err)
{
    const size_t stride = stride_of(e);
    const int32_t p = c->plan.size.p;
    double *members = mpg_evaluator_scratch(e, ROOM);
    for (int32_t i = 0; i < p; i++) {
        e->mode->load(e, c->member[i].slot, members + (size_t)i * stride);
        if (!e->recorder)
            continue;
        mpg_recorder_came_begin(e, members + (size_t)i * stride, (uint32_t)i);
        e->member_slot[i] = c->member[i].slot;
    }
    if (mpg_expand(e->expansion, &c->plan, costs, members, err) < 0)
        return -1;
    for (int32_t i = 0; i < p && e->recorder; i++)
        mpg_recorder_came(e, c->member[i].slot, members + (size_t)i * stride, e->member_slot);
    for (int32_t i = 0; i < p && e->recorder; i++)
        mpg_recorder_came_end(e, c->member[i].slot);
    for (int32_t i = 0; i < p; i++)
        e->mode->store(e, c->member[i].slot, members + (size_t)i * stride);
    return 0;
}

int mpg_evaluator_expand(struct mpg_evaluator *e, const struct mpg_step *s, const struct mpg_message_costs *costs,
                         struct mpg_error *err)
{
    return s->member < 0 ? expand_all(e, s->expanding, costs, err) : expand_member(e, s, costs, err);
}
