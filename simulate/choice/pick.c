/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete something complete as many as the trace did (docs/MODEL.md, section 6: A call that
 * completed). */
#include <math.h>

#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* The next of those that are not taken yet: what was completed before, then what has arrived by
 * NOW_NS, in the order of the list, else what arrives first. */
static uint32_t next_pick(const struct mpg_pick *pick, uint32_t n, double now_ns)
{
    uint32_t arrived = n, least = n;
    double least_ns = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        if (pick[i].taken)
            continue;
        if (pick[i].done)
            return i;
        if (arrived == n && pick[i].at_ns <= now_ns + MPG_ROUNDING_NS)
            arrived = i;
        least_ns = fmin(least_ns, pick[i].at_ns);
    }
    for (uint32_t i = 0; arrived == n && i < n; i++) {
        if (pick[i].taken || pick[i].at_ns > least_ns + MPG_ROUNDING_NS)
            continue;
        if (pick[i].before && !pick[i].before->taken)
            continue; /* which then comes no later */
        if (least == n || (pick[i].completed && !pick[least].completed))
            least = i;
    }
    return arrived < n ? arrived : least;
}

int mpg_choosing_replace(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, uint32_t out, uint32_t in,
                         struct mpg_error *err)
{
    struct mpg_pick *pick = c->pick;
    const struct mpg_deed deed = {.kind = MPG_DEED_EXCHANGE,
                                  .request = s->alternatives->candidates[out].request,
                                  .other = s->alternatives->candidates[in].request};
    mpg_choosing_exchange(c, &pick[out], &pick[in], w);
    if (mpg_choosing_note(c, s, w, &deed, err) < 0)
        return -1;
    c->others[w] = true;
    return mpg_choosing_view_of(c, pick[in].slot, w)->serial != c->view_serial[pick[in].slot]
               ? mpg_choosing_note_moved(c, s->rank, pick[in].slot, err)
               : 0;
}

int mpg_choosing_pick(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                      struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    struct mpg_pick *pick = c->pick;
    uint32_t completed = 0, out = 0;
    for (uint32_t i = 0; i < n; i++)
        completed += pick[i].completed;
    for (uint32_t k = 0; k < completed; k++)
        pick[next_pick(pick, n, now_ns)].taken = true;
    for (uint32_t in = 0; in < n; in++) {
        if (!pick[in].taken || pick[in].completed)
            continue;
        while (pick[out].taken || !pick[out].completed)
            out++;
        if (mpg_choosing_replace(c, s, w, out++, in, err) < 0)
            return -1;
    }
    return s->alternatives->completes_all ? mpg_choosing_take_more(c, s, w, now_ns, err) : 0;
}
