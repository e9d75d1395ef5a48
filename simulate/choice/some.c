/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waitsome and Testsome, which complete all that is there (docs/MODEL.md, section 6: Waitsome and
 * Testsome). */
#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

int mpg_choosing_take_more(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                           struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    bool is_made = false;
    for (uint32_t i = 0; i < n; i++)
        is_made = is_made || (c->pick[i].completed && !c->pick[i].done);
    for (uint32_t i = 0; i < n && is_made; i++)
        if (!c->pick[i].completed && !c->pick[i].done && c->pick[i].at_ns <= now_ns + MPG_ROUNDING_NS) {
            if (mpg_choosing_complete_early(c, s, i, w, err) < 0)
                return -1;
            c->others[w] = true;
        }
    return 0;
}
