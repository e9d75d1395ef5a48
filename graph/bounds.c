/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of ranks, as far as the messages of a graph bound them. */
#include "graph/graph.h"

int mpg_clock_bounds_take(void *bounds, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t k = 0; k < steps->n; k++) {
        const struct mpg_step *s = &steps->step[k];
        for (uint32_t i = 0; s->kind == MPG_STEP_LEAVE && i < s->edge_number; i++) {
            const struct mpg_edge *e = &s->edges[i];
            if (e->kind == MPG_EDGE_ARRIVAL && e->source != s->rank &&
                mpg_clock_bounds_add(bounds, e->source, s->rank, e->sent_ns, s->leave_ns, err) < 0)
                return -1;
        }
    }
    return 0;
}
