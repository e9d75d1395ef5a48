/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a member's waves begin and end, by its algorithm, what it knows of others' calls, and no messages' times. */
#include <math.h>
#include <stdlib.h>

#include "common/reserve.h"
#include "graph/moving/moving_private.h"

enum { BEGINS = 1, ENDS = 2, FINDING = 4 };

struct finding {
    struct moving *moving;
    const struct asked *asked;
    const struct way *way;
    const struct mpg_waves *waves;
};

static double end_of(const struct finding *f, uint32_t wave);

static bool same_choice(const struct mpg_choice *a, const struct mpg_choice *b)
{
    return a->algorithm == b->algorithm && a->radix == b->radix && !(a->segment_bytes < b->segment_bytes) &&
           !(a->segment_bytes > b->segment_bytes);
}

static const struct mpg_waves *find_waves(struct moving *moving, const struct met *met, const struct mpg_choice *choice)
{
    struct kept_waves *place = &moving->kept[0];
    for (int i = 0; i < KEPT_WAVES; i++) {
        struct kept_waves *k = &moving->kept[i];
        if (k->used > 0 && k->call == met->call && k->p == met->p && k->bytes == met->bytes &&
            same_choice(&k->choice, choice)) {
            k->used = ++moving->uses;
            return k->waves;
        }
        if (k->used < place->used)
            place = k;
    }
    const struct mpg_collective_size size = {
        .operation = met->operation, .p = met->p, .root = met->root, .bytes = (double)met->bytes};
    const struct mpg_plan plan = mpg_plan_by(choice, &size);
    mpg_waves_free(place->waves);
    *place = (struct kept_waves){met->call, met->p, met->bytes, *choice, mpg_waves_of(&plan), ++moving->uses};
    return place->waves;
}

void mpg_graph_forget_waves(struct moving *moving)
{
    for (int i = 0; i < KEPT_WAVES; i++)
        mpg_waves_free(moving->kept[i].waves);
    free(moving->time);
}

/* --- calls --- */

static int32_t index_of(const struct finding *f, int32_t v)
{
    return (int32_t)(((int64_t)v + f->asked->met.root) % f->asked->met.p);
}

/* Of many those that begin last. */
static void keep(struct moving *moving, int32_t rank, const struct passage *p)
{
    uint32_t n = moving->found_number, first = 0;
    if (n == MOST_FOUND && p->enter_ns <= moving->first_ns)
        return;
    for (uint32_t i = 0; i < n; i++) {
        if (moving->found[i].passage == p)
            return;
        if (moving->found[i].passage->enter_ns < moving->found[first].passage->enter_ns)
            first = i;
    }
    if (n < MOST_FOUND)
        first = moving->found_number++;
    moving->found[first].rank = rank;
    moving->found[first].passage = p;
    moving->first_ns = INFINITY;
    for (uint32_t i = 0; i < moving->found_number; i++)
        moving->first_ns = fmin(moving->first_ns, moving->found[i].passage->enter_ns);
}

/* Whether what member INDEX does at ENTER_NS counts. */
static bool counts(const struct finding *f, int32_t index, double enter_ns)
{
    return index == f->asked->met.me ? enter_ns <= f->asked->until_ns : enter_ns < f->asked->until_ns;
}

/* When member INDEX came, and in which call; false: it has not, up to when that counts. */
static bool find_member(const struct finding *f, int32_t index, double *enter_ns, uint64_t *number)
{
    return mpg_graph_part_member(f->asked->part, index, enter_ns, number) && counts(f, index, *enter_ns);
}

/* When V, which could go on at FROM_NS, is in a call that sees to it: after the one that posts; or, if it has NOT_POSTED,
 * in any. */
static double in_call(const struct finding *f, int32_t v, double from_ns, bool not_posted)
{
    const struct met *met = &f->asked->met;
    const int32_t index = index_of(f, v), rank = met->world_ranks[index];
    double enter_ns;
    uint64_t number = 0;
    bool is_known;
    if (!f->way->calls || isinf(from_ns))
        return from_ns;
    if (!find_member(f, index, &enter_ns, &number) && !not_posted)
        return INFINITY;
    const struct passage *p = mpg_graph_passage_after(f->moving->carrying, rank, not_posted ? 0 : number, from_ns, &is_known);
    if (!is_known)
        return from_ns;
    if (!p || !counts(f, index, p->enter_ns))
        return INFINITY;
    if (index != met->me && !f->moving->observes)
        keep(f->moving, rank, p);
    return fmax(from_ns, p->enter_ns);
}

/* --- waves --- */

static struct wave_time *time_of(const struct finding *f, uint32_t wave)
{
    struct wave_time *t = &f->moving->time[wave];
    if (t->turn != f->moving->turns)
        *t = (struct wave_time){.turn = f->moving->turns};
    return t;
}

static double begin_of(const struct finding *f, uint32_t wave)
{
    struct wave_time *t = time_of(f, wave);
    const int32_t v = f->waves->member[wave];
    double enter_ns;
    uint64_t number;
    if (t->known & BEGINS)
        return t->begin_ns;
    if (t->known & FINDING) /* no algorithm waits for itself */
        return -INFINITY;
    t->known |= FINDING;
    if (wave > f->waves->first[v])
        t->begin_ns = in_call(f, v, end_of(f, wave - 1), false);
    else if (!find_member(f, index_of(f, v), &enter_ns, &number))
        t->begin_ns = INFINITY;
    else
        t->begin_ns = f->way->choice.waits ? in_call(f, v, enter_ns, false) : enter_ns;
    t->known |= BEGINS;
    t->known &= (uint8_t)~FINDING;
    return t->begin_ns;
}

/* When the send of M is done, whose wave begins at BEGIN_NS. */
static double sent(const struct finding *f, const struct mpg_wave_message *m, double begin_ns)
{
    const bool is_synchronous = m->bytes > (double)f->moving->eager_limit_bytes;
    const double met_ns = is_synchronous ? fmax(begin_ns, begin_of(f, m->to)) : begin_ns;
    return in_call(f, f->waves->member[m->to], met_ns, !is_synchronous);
}

static double end_of(const struct finding *f, uint32_t wave)
{
    struct wave_time *t = time_of(f, wave);
    const struct mpg_waves *w = f->waves;
    if (t->known & ENDS)
        return t->end_ns;
    double end_ns = begin_of(f, wave);
    for (uint32_t i = w->received_from[wave]; i < w->received_from[wave + 1]; i++)
        end_ns = fmax(end_ns, begin_of(f, w->message[w->received[i]].from));
    for (uint32_t i = w->sent_from[wave]; f->way->carried && i < w->sent_from[wave + 1]; i++)
        end_ns = fmax(end_ns, sent(f, &w->message[w->sent[i]], begin_of(f, wave)));
    t = time_of(f, wave);
    t->end_ns = end_ns;
    t->known |= ENDS;
    return end_ns;
}

double mpg_graph_moved_end(struct moving *moving, const struct asked *asked, const struct way *way)
{
    const struct met *met = &asked->met;
    const struct mpg_waves *w = find_waves(moving, met, &way->choice);
    struct mpg_error ignored;
    moving->found_number = 0;
    moving->turns++;
    const uint32_t before = moving->time_capacity;
    if (!w || mpg_reserve_at(&moving->time, sizeof *moving->time, &moving->time_capacity, w->first[w->p], &ignored) < 0)
        return -INFINITY;
    for (uint32_t i = before; i < moving->time_capacity; i++)
        moving->time[i].turn = 0;
    const int32_t v = (int32_t)(((int64_t)met->me - met->root + met->p) % met->p);
    const struct finding f = {moving, asked, way, w};
    return w->first[v] == w->first[v + 1] ? -INFINITY : end_of(&f, w->first[v + 1] - 1);
}
