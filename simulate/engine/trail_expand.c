/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where delays of the members of expanded collectives come from (docs/MODEL.md, 8, Paths of delays). */
#include <string.h>

#include "simulate/engine/trail.h"

static double *came_of(const struct mpg_lanes *l, double *value, enum mpg_came which)
{
    return mpg_came(value, 2 * l->n + 1, l->n, which);
}

void mpg_lanes_came_begin(const struct mpg_lanes *l, double *value, uint32_t number)
{
    double *from = came_of(l, value, MPG_CAME_FROM);
    memset(from, 0, (size_t)MPG_CAME_TERMS * l->n * sizeof *from);
    for (uint32_t w = 0; w < l->n; w++)
        from[w] = number;
}

void mpg_lanes_came(const struct mpg_lanes *l, uint32_t slot, double *value, const uint32_t *from)
{
    struct mpg_lanes_trail *x = l->trail;
    const double *number = came_of(l, value, MPG_CAME_FROM), *base = came_of(l, value, MPG_CAME_BASE);
    mpg_trail_add_one_of(x->trail, mpg_path_slot(slot, MPG_PATH_MEET), number, from);
    for (uint32_t w = 0; w < l->n; w++) {
        const uint32_t other = from[(size_t)number[w]];
        const double unperturbed_ns = value[2 * l->n], later_ns = value[w] - unperturbed_ns;
        const double slack_ns = unperturbed_ns - l->slot_base[other] - base[w]; /* another one was later */
        x->other[w] = later_ns - slot_value(l, other)[w] + slack_ns;
        x->first[w] = -slack_ns;
    }
    mpg_trail_add_term(x->trail, MPG_WHERE_MESSAGES, came_of(l, value, MPG_CAME_MESSAGES));
    mpg_trail_add_term(x->trail, MPG_WHERE_SIZE, came_of(l, value, MPG_CAME_SIZE));
    mpg_trail_add_term(x->trail, MPG_WHERE_WHOLE, x->other);
    mpg_trail_add_term(x->trail, MPG_WHERE_ABSORBED, x->first);
}

void mpg_lanes_came_end(const struct mpg_lanes *l, uint32_t slot)
{
    struct mpg_trail *trail = l->trail->trail;
    mpg_trail_renew(trail, slot);
    mpg_trail_add(trail, mpg_path_slot(slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(trail, mpg_path_slot(slot, MPG_PATH_MEET), NULL, NOWHERE);
}
