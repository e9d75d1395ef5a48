/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of several parts: posting, transfer, completing (docs/MODEL.md, section 4, Granularity). */
#include <math.h>

#include "simulate/engine/lanes_private.h"

/* Without floors nothing can be negative (mpg_perturbation_can_speed_messages). */
static double half_floor(const struct mpg_lanes *l, const struct mpg_step *s)
{
    return l->floors ? fmin(mpg_floor_call(l->floors, s->rank, s->call, s->bytes), (double)s->duration_ns) / 2
                     : 0;
}

void mpg_lanes_call_part(const struct mpg_lanes *l, const struct mpg_step *s,
                         enum mpg_call_part part, double *value)
{
    double least = -half_floor(l, s);
    zero(value, l->n);
    mpg_perturb_part(l->p, part, s->rank, s->number, l->first, l->n, value);
    for (uint32_t w = 0; w < l->n; w++)
        value[w] = value[w] > least ? value[w] : least;
}

void mpg_lanes_post(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *value = stream_value(l, s->stream), *put_in = account_of(l, s->rank, MPG_TERM_CALL);
    mpg_lanes_call_part(l, s, MPG_CALL_POSTING, l->posting);
    for (uint32_t w = 0; w < l->n; w++) {
        value[w] += l->posting[w];
        put_in[w] += l->posting[w];
    }
}
