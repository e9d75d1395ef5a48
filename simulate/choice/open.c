/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What receives and probes that leave their source open take, in each lane (docs/MODEL.md, section
 * 6, Open receives). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* What Iprobes of RANK that found nothing find in lanes, until one finds something in the trace. */
struct mpg_sight {
    struct mpg_sight *next;
    int32_t rank;
    struct mpg_fit fits;
    uint64_t id[]; /* n: a message; 0: none */
};

int mpg_choosing_sent(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                      const double *value, const double *bare, double cause_ns,
                      const double *cause, struct mpg_error *err)
{
    struct mpg_letter *m = s->is_followed ? mpg_inbox_add(&c->inbox, s, err) : NULL;
    if (!m)
        return s->is_followed ? -1 : 0;
    m->base_ns = base_ns;
    m->cause_ns = cause_ns;
    memcpy(m->value, value, c->n * sizeof *value);
    memcpy(m->bare, bare, c->n * sizeof *bare);
    memcpy(m->cause, cause, c->n * sizeof *cause);
    return 0;
}

/* ---- what the trace says of when they arrived ---- */

static void raise(struct mpg_letter *m, double since_ns)
{
    m->raised_ns = fmax(m->raised_ns, since_ns + MPG_TICK_NS - m->base_ns);
}

/* FITS took OWN (NULL: nothing, at S): what else it fits came later. */
static int bound_others(struct mpg_choosing *c, const struct mpg_step *s, const struct mpg_fit *fits,
                        const struct mpg_letter *own, bool nothing_yet, struct mpg_error *err)
{
    int64_t n = mpg_inbox_heads(&c->inbox, s->rank, fits, c->n, err);
    for (int64_t i = 0; i < n; i++) {
        struct mpg_letter *m = c->inbox.heads[i];
        if (own && m != own)
            raise(m, own->base_ns + own->raised_ns);
        if (nothing_yet && m != own)
            raise(m, s->enter_ns);
    }
    return n < 0 ? -1 : 0;
}

static int bound_arrivals(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_looking *look = &s->looking;
    for (uint32_t i = 0; i < s->receive_number; i++) {
        const struct mpg_posted *p = &s->receives[i];
        struct mpg_letter *own = mpg_inbox_find(&c->inbox, p->message);
        if (own && p->fits.any_source &&
            bound_others(c, s, &p->fits, own, p->chooses && s->found_nothing, err) < 0)
            return -1;
        if (own && mpg_inbox_mark(&c->inbox, own, c->n, err) < 0)
            return -1;
    }
    if (look->looks && (look->fits.any_source || !look->found) &&
        bound_others(c, s, &look->fits, look->found ? mpg_inbox_find(&c->inbox, look->found) : NULL,
                     !look->found, err) < 0)
        return -1;
    mpg_inbox_unmark(&c->inbox, c->n);
    return 0;
}

/* ---- what lanes take ---- */

/* T(A), no less than when it was sent. */
static double arrival_ns(const struct mpg_letter *m, uint32_t w)
{
    return fmax(m->base_ns + m->raised_ns + m->value[w], m->cause_ns + m->cause[w]);
}

/* Of those that fit in lane W the first to arrive, of equal ones OWN, then the lowest rank's; NULL:
 * there is none. */
static int find_least(struct mpg_choosing *c, int32_t rank, const struct mpg_fit *fits,
                      const struct mpg_letter *own, uint32_t w, struct mpg_letter **least,
                      struct mpg_error *err)
{
    const int64_t n = mpg_inbox_heads(&c->inbox, rank, fits, w, err);
    double least_ns = INFINITY;
    *least = NULL;
    for (int64_t i = 0; i < n; i++)
        least_ns = fmin(least_ns, arrival_ns(c->inbox.heads[i], w));
    for (int64_t i = 0; i < n; i++) {
        struct mpg_letter *m = c->inbox.heads[i];
        if (arrival_ns(m, w) > least_ns + MPG_ROUNDING_NS)
            continue;
        if (!*least || m == own ||
            (*least != own && m->sender->source < (*least)->sender->source))
            *least = m;
    }
    return n < 0 ? -1 : 0;
}

/* In lane W the view at SLOT, of OWN, gets TAKEN. */
static void set_view(struct mpg_choosing *c, uint32_t slot, const struct mpg_letter *own,
                     const struct mpg_letter *taken, uint32_t w)
{
    struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
    const bool same = taken == own;
    const double late_ns = taken->base_ns + taken->raised_ns;
    const double least_ns = taken->cause_ns + taken->cause[w] - late_ns;
    v->serial = same ? 0 : taken->id;
    v->sequence = (struct mpg_sequence){.source = taken->sender->source,
                                        .comm = taken->sender->comm,
                                        .tag = taken->tag,
                                        .id = taken->id,
                                        .is_eager = true};
    v->cause_ns = taken->cause_ns + taken->cause[w];
    v->answered = taken->answered[w];
    c->arrivals.assign(c->arrivals.context, slot, w, same ? 0 : late_ns - own->base_ns,
                       same ? taken->value[w] : fmax(taken->value[w], least_ns), taken->bare[w]);
}

/* The receives that are posted take, in order, what they would; those that choose have it in their
 * views then. */
static int take_posted(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                       struct mpg_error *err)
{
    for (uint32_t i = 0; i < s->receive_number; i++) {
        const struct mpg_posted *p = &s->receives[i];
        struct mpg_letter *own = mpg_inbox_find(&c->inbox, p->message), *taken = own;
        if (!own || (p->is_view && mpg_choosing_view_of(c, p->slot, w)->fixed))
            continue;
        if (p->fits.any_source && find_least(c, s->rank, &p->fits, own, w, &taken, err) < 0)
            return -1;
        if (!taken && p->chooses)
            c->broken[w] = true;
        if (taken && mpg_inbox_mark(&c->inbox, taken, w, err) < 0)
            return -1;
        if (taken && p->chooses)
            set_view(c, p->slot, own, taken, w);
    }
    return 0;
}

/* ---- probes ---- */

static bool is_same(const struct mpg_fit *a, const struct mpg_fit *b)
{
    return a->comm == b->comm && a->any_source == b->any_source && a->any_tag == b->any_tag &&
           (a->any_source || a->source == b->source) && (a->any_tag || a->tag == b->tag);
}

/* NULL without ERR: there is none. */
static struct mpg_sight *find_sight(const struct mpg_choosing *c, const struct mpg_step *s)
{
    for (struct mpg_sight *g = c->sights; g; g = g->next)
        if (g->rank == s->rank && is_same(&g->fits, &s->looking.fits))
            return g;
    return NULL;
}

static struct mpg_sight *add_sight(struct mpg_choosing *c, const struct mpg_step *s,
                                   struct mpg_error *err)
{
    struct mpg_sight *g = calloc(1, sizeof *g + c->n * sizeof g->id[0]);
    if (!g) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    g->rank = s->rank;
    g->fits = s->looking.fits;
    g->next = c->sights;
    c->sights = g;
    return g;
}

/* What G saw in lane W, if it is there still. */
static struct mpg_letter *seen(const struct mpg_choosing *c, const struct mpg_sight *g, uint32_t w)
{
    struct mpg_letter *m = g && g->id[w] ? mpg_inbox_find(&c->inbox, g->id[w]) : NULL;
    return m && !m->taken[w] ? m : NULL;
}

/* S found nothing in the trace. */
static int look_again(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                      struct mpg_error *err)
{
    struct mpg_sight *g = find_sight(c, s);
    struct mpg_letter *least;
    if (seen(c, g, w)) {
        c->vanishes[w] = true;
        c->unsaid = c->unsaid || w == 0;
        c->counts.tests_saved++;
        return 0;
    }
    if (find_least(c, s->rank, &s->looking.fits, NULL, w, &least, err) < 0)
        return -1;
    if (!least || arrival_ns(least, w) > now_ns + MPG_ROUNDING_NS)
        return 0;
    if (!g && !(g = add_sight(c, s, err)))
        return -1;
    g->id[w] = least->id;
    c->unsaid = c->unsaid || w == 0;
    c->counts.tests_early++;
    return 0;
}

/* S found something: in *FOUND what it finds in lane W, if that has not been told before. */
static int find_again(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                      struct mpg_letter **found, struct mpg_error *err)
{
    const struct mpg_looking *look = &s->looking;
    struct mpg_letter *own = mpg_inbox_find(&c->inbox, look->found), *m = own;
    struct mpg_sight *g = find_sight(c, s);
    struct mpg_letter *early = seen(c, g, w);
    if (g)
        g->id[w] = 0;
    if (!own || mpg_choosing_view_of(c, look->slot, w)->fixed)
        return 0;
    if (look->fits.any_source && early)
        m = early;
    else if (look->fits.any_source && find_least(c, s->rank, &look->fits, own, w, &m, err) < 0)
        return -1;
    c->vanishes[w] = early && m == early;
    c->broken[w] = c->broken[w] || !m || m->taken[w];
    c->others[w] = c->others[w] || m != own;
    c->unsaid = c->unsaid || (w == 0 && (m != own || c->vanishes[w]));
    if (!m || c->broken[w])
        return 0;
    set_view(c, look->slot, own, m, w);
    if (look->takes || look->fits.any_source)
        *found = m;
    return 0;
}

static int look(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                struct mpg_letter **found, struct mpg_error *err)
{
    if (!s->looking.looks)
        return 0;
    return s->looking.found ? find_again(c, s, w, found, err) : look_again(c, s, w, now_ns, err);
}

/* ---- what choosing calls ---- */

int mpg_choosing_decide(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                        const double *value, struct mpg_error *err)
{
    if (s->receive_number == 0 && !s->looking.looks)
        return 0;
    if (c->arrivals.is_bounded && bound_arrivals(c, s, err) < 0)
        return -1;
    for (uint32_t w = 0; w < c->n; w++) {
        struct mpg_letter *found = NULL;
        if (c->keeps[w] || c->broken[w])
            continue;
        if (take_posted(c, s, w, err) < 0 || look(c, s, w, base_ns + value[w], &found, err) < 0)
            return -1;
        mpg_inbox_unmark(&c->inbox, w);
        if (!found)
            continue;
        mpg_choosing_view_of(c, s->looking.slot, w)->fixed = true;
        mpg_inbox_take(&c->inbox, found, w);
        if (found->id != s->looking.found &&
            mpg_choosing_note_moved(c, s->rank, s->looking.slot, err) < 0)
            return -1;
    }
    return 0;
}

void mpg_choosing_take(struct mpg_choosing *c, uint64_t id, uint32_t w)
{
    struct mpg_letter *m = mpg_inbox_find(&c->inbox, id);
    if (m)
        mpg_inbox_take(&c->inbox, m, w);
}

/* Lane W takes what the call completes by E. */
static void take_in_lane(struct mpg_choosing *c, const struct mpg_edge *e, uint32_t w)
{
    const struct mpg_view *v = e->is_view ? mpg_choosing_view_of(c, e->slot, w) : NULL;
    const bool follows = !c->keeps[w] && !c->broken[w];
    const uint64_t id = follows && v && v->serial ? v->serial : e->message;
    const struct mpg_letter *m = mpg_inbox_find(&c->inbox, id);
    if (follows && m && m->taken[w] && !(v && v->fixed))
        c->broken[w] = true;
    mpg_choosing_take(c, id, w);
    if (c->broken[w]) /* so that nothing stays */
        mpg_choosing_take(c, e->message, w);
}

void mpg_choosing_taken(struct mpg_choosing *c, const struct mpg_edge *e)
{
    for (uint32_t w = 0; w < c->n; w++)
        take_in_lane(c, e, w);
    mpg_choosing_take(c, e->message, c->n);
}

/* A matched probe's message: the trace has taken it, and lanes that keep its order. */
void mpg_choosing_matched(struct mpg_choosing *c, uint64_t id)
{
    for (uint32_t w = 0; w < c->n; w++)
        if (c->keeps[w] || c->broken[w])
            mpg_choosing_take(c, id, w);
    mpg_choosing_take(c, id, c->n);
}

void mpg_choosing_clear_open(struct mpg_choosing *c)
{
    mpg_inbox_clear(&c->inbox);
    while (c->sights) {
        struct mpg_sight *next = c->sights->next;
        free(c->sights);
        c->sights = next;
    }
}
