/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes begin and end of each stage of a member, from the algorithm and the times of MPI calls of other members. Messages
 * take no time in this model. */
#include <math.h>
#include <stdlib.h>

#include "common/reserve.h"
#include "graph/nbc_progress/private.h"

enum { BEGINS = 1, ENDS = 2, FINDING = 4 };

struct finding {
    struct nbc_progress *nbc_progress;
    const struct completion *completion;
    const struct model *model;
    const struct mpg_stages *stages;
};

static double end_of(const struct finding *f, uint32_t stage);

static bool same_choice(const struct mpg_choice *a, const struct mpg_choice *b)
{
    return a->algorithm == b->algorithm && a->radix == b->radix && !(a->segment_bytes < b->segment_bytes) &&
           !(a->segment_bytes > b->segment_bytes);
}

static const struct mpg_stages *find_stages(struct nbc_progress *nbc_progress, const struct nonblocking_part *nonblocking_part,
                                            const struct mpg_choice *choice)
{
    struct stage_cache *place = &nbc_progress->kept[0];
    for (int i = 0; i < STAGES_CACHED; i++) {
        struct stage_cache *k = &nbc_progress->kept[i];
        if (k->used > 0 && k->call == nonblocking_part->call && k->p == nonblocking_part->p &&
            k->bytes == nonblocking_part->bytes &&
            same_choice(&k->choice, choice)) {
            k->used = ++nbc_progress->uses;
            return k->stages;
        }
        if (k->used < place->used)
            place = k;
    }
    const struct mpg_collective_size size = {
        .operation = nonblocking_part->operation, .p = nonblocking_part->p, .root = nonblocking_part->root,
        .bytes = (double)nonblocking_part->bytes};
    const struct mpg_plan plan = mpg_plan_by(choice, &size);
    mpg_stages_free(place->stages);
    *place = (struct stage_cache){nonblocking_part->call, nonblocking_part->p, nonblocking_part->bytes, *choice,
                                  mpg_stages_of(&plan), ++nbc_progress->uses};
    return place->stages;
}

void mpg_graph_stage_cache_clear(struct nbc_progress *nbc_progress)
{
    for (int i = 0; i < STAGES_CACHED; i++)
        mpg_stages_free(nbc_progress->kept[i].stages);
    free(nbc_progress->time);
}

/* --- calls --- */

static int32_t index_of(const struct finding *f, int32_t v)
{
    return (int32_t)(((int64_t)v + f->completion->nonblocking_part.root) % f->completion->nonblocking_part.p);
}

/* Adds P, a call of RANK in which the collective progresses, to `found`. A full `found` keeps the MAX_FOUND calls that begin
 * last. */
static void keep(struct nbc_progress *nbc_progress, int32_t rank, const struct progress_call *p)
{
    uint32_t n = nbc_progress->found_number, first = 0;
    if (n == MAX_FOUND && p->enter_ns <= nbc_progress->first_ns)
        return;
    for (uint32_t i = 0; i < n; i++) {
        if (nbc_progress->found[i].progress_call == p)
            return;
        if (nbc_progress->found[i].progress_call->enter_ns < nbc_progress->found[first].progress_call->enter_ns)
            first = i;
    }
    if (n < MAX_FOUND)
        first = nbc_progress->found_number++;
    nbc_progress->found[first].rank = rank;
    nbc_progress->found[first].progress_call = p;
    nbc_progress->first_ns = INFINITY;
    for (uint32_t i = 0; i < nbc_progress->found_number; i++)
        nbc_progress->first_ns = fmin(nbc_progress->first_ns, nbc_progress->found[i].progress_call->enter_ns);
}

/* Returns whether an action of member INDEX at ENTER_NS comes early enough to delay the completing call. */
static bool counts(const struct finding *f, int32_t index, double enter_ns)
{
    return index == f->completion->nonblocking_part.me ? enter_ns <= f->completion->until_ns : enter_ns < f->completion->until_ns;
}

/* Sets *ENTER_NS and *NUMBER to enter and number of member INDEX's posting call. Returns false if the posting call begins too
 * late to delay the completing call. */
static bool find_member(const struct finding *f, int32_t index, double *enter_ns, uint64_t *number)
{
    return mpg_graph_part_member(f->completion->part, index, enter_ns, number) && counts(f, index, *enter_ns);
}

/* Returns the first time from FROM_NS on at which member V makes progress inside an MPI call: in a call after the posting
 * call, or in any call if NOT_POSTED. */
static double in_call(const struct finding *f, int32_t v, double from_ns, bool not_posted)
{
    const struct nonblocking_part *nonblocking_part = &f->completion->nonblocking_part;
    const int32_t index = index_of(f, v), rank = nonblocking_part->world_ranks[index];
    double enter_ns;
    uint64_t number = 0;
    bool is_known;
    if (!f->model->calls || isinf(from_ns))
        return from_ns;
    if (!find_member(f, index, &enter_ns, &number) && !not_posted)
        return INFINITY;
    const struct progress_call *p = mpg_graph_progress_call_after(f->nbc_progress->progress, rank, not_posted ? 0 : number,
                                                                  from_ns, &is_known);
    if (!is_known)
        return from_ns;
    if (!p || !counts(f, index, p->enter_ns))
        return INFINITY;
    if (index != nonblocking_part->me && !f->nbc_progress->observes)
        keep(f->nbc_progress, rank, p);
    return fmax(from_ns, p->enter_ns);
}

/* --- stages --- */

static struct stage_time *time_of(const struct finding *f, uint32_t stage)
{
    struct stage_time *t = &f->nbc_progress->time[stage];
    if (t->turn != f->nbc_progress->turns)
        *t = (struct stage_time){.turn = f->nbc_progress->turns};
    return t;
}

static double begin_of(const struct finding *f, uint32_t stage)
{
    struct stage_time *t = time_of(f, stage);
    const int32_t v = f->stages->member[stage];
    double enter_ns;
    uint64_t number;
    if (t->known & BEGINS)
        return t->begin_ns;
    if (t->known & FINDING) /* a cycle: cannot occur, since in no algorithm a member waits for itself */
        return -INFINITY;
    t->known |= FINDING;
    if (stage > f->stages->first[v])
        t->begin_ns = in_call(f, v, end_of(f, stage - 1), false);
    else if (!find_member(f, index_of(f, v), &enter_ns, &number))
        t->begin_ns = INFINITY;
    else
        t->begin_ns = f->model->choice.waits ? in_call(f, v, enter_ns, false) : enter_ns;
    t->known |= BEGINS;
    t->known &= (uint8_t)~FINDING;
    return t->begin_ns;
}

/* Returns the time at which the send of M completes. BEGIN_NS: begin of the sender's stage. */
static double sent(const struct finding *f, const struct mpg_stage_message *m, double begin_ns)
{
    const bool is_synchronous = m->bytes > (double)f->nbc_progress->eager_limit_bytes;
    const double met_ns = is_synchronous ? fmax(begin_ns, begin_of(f, m->to)) : begin_ns;
    return in_call(f, f->stages->member[m->to], met_ns, !is_synchronous);
}

static double end_of(const struct finding *f, uint32_t stage)
{
    struct stage_time *t = time_of(f, stage);
    const struct mpg_stages *w = f->stages;
    if (t->known & ENDS)
        return t->end_ns;
    double end_ns = begin_of(f, stage);
    for (uint32_t i = w->received_from[stage]; i < w->received_from[stage + 1]; i++)
        end_ns = fmax(end_ns, begin_of(f, w->message[w->received[i]].from));
    for (uint32_t i = w->sent_from[stage]; f->model->sends_weak && i < w->sent_from[stage + 1]; i++)
        end_ns = fmax(end_ns, sent(f, &w->message[w->sent[i]], begin_of(f, stage)));
    t = time_of(f, stage);
    t->end_ns = end_ns;
    t->known |= ENDS;
    return end_ns;
}

double mpg_graph_nbc_completion_ns(struct nbc_progress *nbc_progress, const struct completion *completion,
                                   const struct model *model)
{
    const struct nonblocking_part *nonblocking_part = &completion->nonblocking_part;
    const struct mpg_stages *w = find_stages(nbc_progress, nonblocking_part, &model->choice);
    struct mpg_error ignored;
    nbc_progress->found_number = 0;
    nbc_progress->turns++;
    const uint32_t before = nbc_progress->time_capacity;
    if (!w || mpg_reserve_at(&nbc_progress->time, sizeof *nbc_progress->time, &nbc_progress->time_capacity, w->first[w->p],
                             &ignored) < 0)
        return -INFINITY;
    for (uint32_t i = before; i < nbc_progress->time_capacity; i++)
        nbc_progress->time[i].turn = 0;
    const int32_t v =
        (int32_t)(((int64_t)nonblocking_part->me - nonblocking_part->root + nonblocking_part->p) % nonblocking_part->p);
    const struct finding f = {nbc_progress, completion, model, w};
    return w->first[v] == w->first[v + 1] ? -INFINITY : end_of(&f, w->first[v + 1] - 1);
}
