/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/schedule/insert_calls.h"

#include <stdlib.h>

#include "graph/schedule/lookahead.h"
#include "graph/work/inserted.h"

uint64_t mpg_graph_inserts(const struct mpg_graph *g, const struct stream *s, const struct mpg_event *event)
{
    const bool may = g->bound && s->state->started && mpg_call_kind(event->call) == MPG_KIND_REGION_BEGIN;
    return may ? mpg_graph_inserted_at(g->bound, g->active, event->string, s->call.rank) : 0;
}

/* Returns the inserted call at MARK, the begin of a region. IS_FIRST: no call is inserted before at MARK. */
static struct mpg_event call_at(const struct mpg_event *mark, bool is_first)
{
    return (struct mpg_event){.enter_ns = mark->enter_ns,
                              .leave_ns = mark->enter_ns,
                              .call = MPG_CALL_Sendrecv,
                              .thread = mark->thread,
                              .site = MPG_NO_SITE,
                              .comm = MPG_NO_COMM,
                              .newcomm = MPG_NO_COMM,
                              .to = MPG_PROC_NULL,
                              .from = MPG_PROC_NULL,
                              .object = MPG_NO_OBJECT,
                              .string = -1,
                              .value_number = is_first ? mark->value_number : 0,
                              .values = is_first ? mark->values : NULL,
                              .off_before_ns = is_first ? mark->off_before_ns + mark->off_in_ns : 0};
}

int mpg_graph_insert(const struct mpg_graph *g, struct stream *s, uint64_t some, const struct mpg_event *mark,
                     struct mpg_error *err)
{
    const size_t n = mpg_bound_list(g->bound)->n;
    if (!s->inserted && !(s->inserted = calloc(n, sizeof *s->inserted)))
        return mpg_graph_out_of_memory(err);
    for (size_t i = n; i-- > 0;) { /* in reverse order, because each call is put first */
        if (!(some >> i & 1))
            continue;
        const struct mpg_event call = call_at(mark, (some & ((UINT64_C(1) << i) - 1)) == 0);
        if (mpg_graph_held_call_insert(s->state->run, &call, graph_inserted_number(i, s->thread, s->inserted[i]++), err) < 0)
            return -1;
    }
    return 0;
}
