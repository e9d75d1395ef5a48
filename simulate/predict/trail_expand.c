/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expanded collectives (docs/MODEL.md, section 4), where it is asked what values come from: what their members' slots do, by
 * which messages, of all lanes (trail.c) or of the one (path.c). */
#include <math.h>
#include <string.h>

#include "simulate/predict/trail_private.h"

static double *came_of(const struct mpg_times *t, double *value, enum mpg_came which)
{
    return mpg_came(value, t->n, t->n, which);
}

void mpg_times_came_begin(const struct mpg_times *t, double *value, uint32_t number)
{
    memset(value + t->n, 0, (size_t)MPG_CAME_TERMS * t->n * sizeof *value);
    for (uint32_t w = 0; w < t->n; w++)
        came_of(t, value, MPG_CAME_FROM)[w] = number;
}

/* What of VALUE is neither latency nor bytes, since it was that of its slot: overheads of the messages. */
static double calls_of(const struct mpg_times *t, double *value, const uint32_t *from, uint32_t w)
{
    const uint32_t slot = from[(size_t)came_of(t, value, MPG_CAME_FROM)[w]];
    return value[w] - slot_value(t, slot, SLOT_TIME)[w] - came_of(t, value, MPG_CAME_LATENCY)[w] -
           came_of(t, value, MPG_CAME_BYTES)[w];
}

static void add_to_trail(const struct mpg_times *t, struct mpg_path_value to, double *value, const uint32_t *from)
{
    struct mpg_times_trail *x = t->trail;
    mpg_trail_add_one_of(x->trail, to, came_of(t, value, MPG_CAME_FROM), from);
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = calls_of(t, value, from, w);
    mpg_trail_add_term(x->trail, MPG_WHERE_CALL, x->other);
    mpg_trail_add_term(x->trail, MPG_WHERE_LATENCY, came_of(t, value, MPG_CAME_LATENCY));
    mpg_trail_add_term(x->trail, MPG_WHERE_MESSAGES, came_of(t, value, MPG_CAME_MESSAGES));
    mpg_trail_add_term(x->trail, MPG_WHERE_BYTES, came_of(t, value, MPG_CAME_BYTES));
    mpg_trail_add_term(x->trail, MPG_WHERE_SIZE, came_of(t, value, MPG_CAME_SIZE));
}

static void add_to_path(const struct mpg_times *t, struct mpg_path_value to, double *value, const uint32_t *from)
{
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_CALL] = calls_of(t, value, from, 0),
                                          [MPG_WHERE_LATENCY] = came_of(t, value, MPG_CAME_LATENCY)[0],
                                          [MPG_WHERE_MESSAGES] = came_of(t, value, MPG_CAME_MESSAGES)[0],
                                          [MPG_WHERE_BYTES] = came_of(t, value, MPG_CAME_BYTES)[0],
                                          [MPG_WHERE_SIZE] = came_of(t, value, MPG_CAME_SIZE)[0]};
    mpg_path_add(t->path, to, mpg_path_slot(from[(size_t)came_of(t, value, MPG_CAME_FROM)[0]], MPG_PATH_TIME), UINT32_MAX, false, term);
}

void mpg_times_came(const struct mpg_times *t, uint32_t slot, double *value, const uint32_t *from)
{
    const struct mpg_path_value to = mpg_path_slot(slot, MPG_PATH_MEET);
    if (t->trail)
        add_to_trail(t, to, value, from);
    if (t->path)
        add_to_path(t, to, value, from);
}

void mpg_times_came_end(const struct mpg_times *t, uint32_t slot, const double *value)
{
    const struct mpg_path_value to = mpg_path_slot(slot, MPG_PATH_TIME), from = mpg_path_slot(slot, MPG_PATH_MEET);
    memcpy(slot_value(t, slot, SLOT_TIME), value, t->n * sizeof *value);
    if (t->trail) {
        mpg_trail_renew(t->trail->trail, slot);
        mpg_trail_add(t->trail->trail, to, NOWHERE);
        mpg_trail_from(t->trail->trail, from, NULL, NOWHERE);
    }
    if (t->path)
        mpg_path_add(t->path, to, from, UINT32_MAX, false, NULL);
}
