/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/work/visits.h"

#include <stdlib.h>

#include "common/reserve.h"

void mpg_graph_visits_begin(struct visits *v, int64_t now_ns)
{
    v->number = 0;
    v->begin_ns = v->from_ns = now_ns;
}

/* Returns the parallel region of several threads with the name STRING; NULL: there is none. */
static const struct mpg_parallel_region *find(struct visits *v, const struct mpg_parallel *p, const struct mpg_trace *trace,
                                              int32_t string)
{
    if (string < 0)
        return NULL;
    if (v->string != string + 1) {
        v->string = string + 1;
        v->known = mpg_parallel_find(p, mpg_trace_string(trace, string));
    }
    return v->known && v->known->threads > 1 && v->known->time_ns > 0 ? v->known : NULL;
}

int mpg_graph_visits_end(struct visits *v, int64_t now_ns, struct mpg_error *err)
{
    if (!v->open || now_ns <= v->from_ns)
        return 0;
    if (mpg_reserve_at(&v->visit, sizeof *v->visit, &v->capacity, v->number + 1, err) < 0)
        return -1;
    v->visit[v->number++] = (struct mpg_visit){v->from_ns - v->begin_ns, now_ns - v->begin_ns, v->open};
    v->from_ns = now_ns;
    return 0;
}

int mpg_graph_visits_mark(struct visits *v, const struct mpg_parallel *p, const struct mpg_trace *trace,
                          const struct mpg_event *event, struct mpg_error *err)
{
    const struct mpg_parallel_region *region = find(v, p, trace, event->string);
    const bool ends = mpg_call_kind(event->call) == MPG_KIND_REGION_END;
    if (!region || (ends && region != v->open))
        return 0;
    if (mpg_graph_visits_end(v, event->enter_ns, err) < 0)
        return -1;
    v->open = ends ? NULL : region;
    v->from_ns = event->enter_ns > v->begin_ns ? event->enter_ns : v->begin_ns;
    return 0;
}

void mpg_graph_visits_clear(struct visits *v)
{
    free(v->visit);
    *v = (struct visits){.visit = NULL};
}
