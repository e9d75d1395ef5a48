/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which calls wait for which call of a target. */
#include "graph/matching/serving.h"

#include <math.h>
#include <stdlib.h>

#include "common/reserve.h"
#include "graph/matching/messages.h"

struct served_evidence {
    struct {
        enum mpg_call call;
        int64_t bytes;
        uint64_t waited[2], left[2]; /* completing, starting */
    } kind[MPG_SERVED_MAX];
    uint32_t n;
};

static const struct mpg_served *find_served(const struct mpg_carried *limits, const struct served *s)
{
    for (uint32_t i = 0; i < limits->served_number; i++)
        if (limits->served[i].call == s->call && limits->served[i].bytes == s->bytes)
            return &limits->served[i];
    return NULL;
}

static int add(struct carrying *c, struct call *call, const struct served *s, struct served_list *list,
               struct mpg_error *err)
{
    if (mpg_reserve_at(&list->item, sizeof *list->item, &list->capacity, list->n + 1, err) < 0)
        return -1;
    list->item[list->n++] = *s;
    return mpg_graph_await_passing(c, s->target, call->leave_ns, &call->waiter, err);
}

int mpg_graph_serve_start(struct matching *matching, struct call *call, int32_t target, int64_t bytes, struct served *under_way,
                          struct served_list *list, struct mpg_error *err)
{
    struct carrying *c = &matching->carrying;
    const struct served s = {target, call->enter_ns, mpg_call_plain(call->event->call), bytes};
    if (!c->serves || target < 0 || target == call->rank || !mpg_graph_is_alone(matching, call->rank))
        return 0;
    const struct mpg_served *served = find_served(&c->limits, &s);
    if (under_way && (c->observes || (served && served->completing)))
        *under_way = s;
    list->starts = true;
    return c->observes || (served && served->starting) ? add(c, call, &s, list, err) : 0;
}

int mpg_graph_serve_end(struct matching *matching, struct call *call, struct served *under_way, struct served_list *list,
                        struct mpg_error *err)
{
    const struct served s = *under_way;
    under_way->target = -1;
    list->starts = false;
    return matching->carrying.serves && s.target >= 0
               ? add(&matching->carrying, call, &s, list, err)
               : 0;
}

static void count(struct carrying *c, const struct served *s, bool starts, bool waited)
{
    if (!c->served && !(c->served = calloc(1, sizeof *c->served)))
        return; /* not counted */
    struct served_evidence *e = c->served;
    uint32_t i = 0;
    while (i < e->n && (e->kind[i].call != s->call || e->kind[i].bytes != s->bytes))
        i++;
    if (i == MPG_SERVED_MAX)
        return;
    if (i == e->n) {
        e->kind[e->n].call = s->call;
        e->kind[e->n++].bytes = s->bytes;
    }
    ++*(waited ? &e->kind[i].waited[starts] : &e->kind[i].left[starts]);
}

/* Of several targets the one whose call begins last says what CALL shows. */
static void see(struct carrying *c, const struct call *call, const struct served_list *list)
{
    const struct served *last = NULL;
    double last_ns = -INFINITY;
    for (uint32_t i = 0; i < list->n; i++) {
        bool is_known;
        const struct served *s = &list->item[i];
        const struct passage *p = mpg_graph_serving_after(c, s->target, s->since_ns, &is_known);
        const double enter_ns = p && p->enter_ns < call->leave_ns ? p->enter_ns : INFINITY;
        if (is_known && (enter_ns > last_ns || (last && enter_ns >= last_ns && s->target < last->target))) {
            last_ns = enter_ns;
            last = s;
        }
    }
    if (last && last_ns > call->enter_ns)
        count(c, last, list->starts, isfinite(last_ns));
}

int mpg_graph_serve_edges(struct matching *matching, const struct call *call, struct served_list *list, struct mpg_error *err)
{
    struct carrying *c = &matching->carrying;
    double until_ns = call->enter_ns;
    const uint32_t n = list->n;
    list->n = 0;
    if (c->observes) {
        const struct served_list all = {list->item, n, 0, list->starts};
        see(c, call, &all);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool is_known;
        const struct served *s = &list->item[i];
        const struct passage *p = mpg_graph_serving_after(c, s->target, s->since_ns, &is_known);
        if (!p || p->enter_ns >= call->leave_ns)
            continue;
        struct mpg_edge *edge = graph_add_edge(c->steps, MPG_EDGE_HELD);
        if (!edge)
            return mpg_graph_out_of_memory(err);
        edge->source = s->target;
        edge->slot = p->slot;
        edge->from_ns = p->enter_ns;
        edge->awaits_call = true;
        until_ns = fmax(until_ns, p->enter_ns);
    }
    matching->counts->served_ns += until_ns - call->enter_ns;
    return 0;
}

void mpg_graph_served_found(const struct carrying *c, struct mpg_carried *found)
{
    const struct served_evidence *e = c->served;
    for (uint32_t i = 0; e && i < e->n; i++) {
        const struct mpg_served s = {.call = e->kind[i].call,
                                     .bytes = e->kind[i].bytes,
                                     .completing = mpg_graph_waits_are_shown(e->kind[i].waited[0], e->kind[i].left[0]),
                                     .starting = mpg_graph_waits_are_shown(e->kind[i].waited[1], e->kind[i].left[1])};
        if (s.starting || s.completing)
            found->served[found->served_number++] = s;
    }
}
